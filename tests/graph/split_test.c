// split_test.c -- what every split must hold, over random labels, rules, seeds and
// out-of-distribution classes.

#include "graph/graph_data.h"
#include "graph/narrow.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <string.h>

enum { MAX_NODES = 1500, MAX_CLASSES = 6, N_CASES = 10000 };

// A split sees labels, given roles and counts only, so a graph of these is enough.
typedef struct sample {
    int32_t n_nodes, n_classes, n_labelled;
    int32_t label[MAX_NODES];
    uint8_t given[MAX_NODES];
    bool is_given;
    opn_split_rule usual; // SAMPLED or OWN
    int32_t size[MAX_CLASSES];
    int32_t ood[MAX_CLASSES];
    int32_t n_ood;
    bool is_ood[MAX_CLASSES];
} sample;

static char graph_name[] = "sample";

static opn_graph as_graph(sample *s)
{
    return (opn_graph){.name = graph_name,
                       .topology = {.n_rows = s->n_nodes, .n_cols = s->n_nodes},
                       .n_classes = s->n_classes,
                       .label = s->label,
                       .given_role = s->is_given ? s->given : NULL,
                       .usual_split = s->usual};
}

static void draw_labels(sample *s, uint64_t *rng)
{
    static const int32_t sizes[] = {0, 3, 40, 150, 400, MAX_NODES};
    const uint32_t most = (uint32_t)sizes[below(rng, 6)];
    s->n_nodes = (int32_t)below(rng, most + 1);
    s->n_classes = (int32_t)below(rng, MAX_CLASSES + 1);
    const uint32_t n_none = below(rng, 3);    // shares of unlabelled nodes
    const bool has_tiny = below(rng, 2) == 0; // the last class has a node or two
    const int32_t n_drawn = s->n_classes - has_tiny;
    for (int32_t i = 0; i < s->n_nodes; i++) {
        s->label[i] = -1;
        if (n_drawn > 0 && below(rng, 4) >= n_none)
            s->label[i] = (int32_t)below(rng, (uint32_t)n_drawn);
    }
    for (int32_t t = 0; t < 2 && has_tiny && s->n_classes > 0 && s->n_nodes > 0; t++)
        s->label[below(rng, (uint32_t)s->n_nodes)] = s->n_classes - 1;
    for (int32_t i = 0; i < s->n_nodes; i++) {
        s->n_labelled += s->label[i] >= 0;
        if (s->label[i] >= 0)
            s->size[s->label[i]]++;
    }
}

// Any subset of the classes, in any order.
static void draw_ood(sample *s, uint64_t *rng)
{
    if (below(rng, 3) == 0)
        return;
    for (int32_t k = 0; k < s->n_classes; k++) {
        if (below(rng, 3) != 0)
            continue;
        const uint32_t at = below(rng, (uint32_t)s->n_ood + 1);
        s->ood[s->n_ood] = s->ood[at];
        s->ood[at] = k;
        s->n_ood++;
        s->is_ood[k] = true;
    }
}

static void draw_sample(sample *s, uint64_t *rng)
{
    memset(s, 0, sizeof(*s));
    draw_labels(s, rng);
    draw_ood(s, rng);
    s->is_given = below(rng, 2) == 0;
    s->usual = below(rng, 2) == 0 ? OPN_SPLIT_SAMPLED : OPN_SPLIT_OWN;
    for (int32_t i = 0; i < s->n_nodes; i++) {
        const uint32_t role = below(rng, OPN_ROLE_UNLABELLED);
        // A loader lets an unlabelled node through in any role but these two.
        s->given[i] = (uint8_t)(s->label[i] >= 0 ? role : OPN_ROLE_TEST + role % 3);
    }
}

// The rule that USUAL and REFERENCE mean for this sample.
static opn_split_rule rule_behind(const sample *s, opn_split_rule rule)
{
    if (rule == OPN_SPLIT_USUAL)
        return s->is_given ? OPN_SPLIT_GIVEN : s->usual;
    if (rule == OPN_SPLIT_REFERENCE && s->is_given)
        return OPN_SPLIT_GIVEN;
    return rule;
}

static bool learns(uint8_t role)
{
    return role == OPN_ROLE_TRAIN || role == OPN_ROLE_VALIDATION ||
           role == OPN_ROLE_CALIBRATION;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t count_role(const sample *s, const uint8_t *role, opn_role r, int32_t k)
{
    int32_t n = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        n += role[i] == r && s->label[i] >= 0 && (k < 0 || s->label[i] == k);
    return n;
}

// ---- what each rule promises before any class is taken out
// -----------------------------

static void expect_sampled(const sample *s, const uint8_t *role)
{
    for (int32_t k = 0; k < s->n_classes; k++)
        assert_int_equal(count_role(s, role, OPN_ROLE_TRAIN, k), 20);
    const int32_t n_rest = s->n_labelled - 20 * s->n_classes;
    assert_int_equal(count_role(s, role, OPN_ROLE_VALIDATION, -1), least(500, n_rest));
    assert_int_equal(count_role(s, role, OPN_ROLE_TEST, -1), n_rest - least(500, n_rest));
    assert_int_equal(count_role(s, role, OPN_ROLE_POOL, -1), 0);
}

static void expect_own(const sample *s, const uint8_t *role)
{
    for (int32_t k = 0; k < s->n_classes; k++) {
        const int32_t n_held_out = (2 * s->size[k] + 5) / 10; // a fifth, rounded
        const int32_t n_calibration = s->n_labelled >= 200 ? n_held_out / 2 : 0;
        assert_int_equal(count_role(s, role, OPN_ROLE_CALIBRATION, k), n_calibration);
        assert_int_equal(count_role(s, role, OPN_ROLE_VALIDATION, k),
                         n_held_out - n_calibration);
        assert_int_equal(count_role(s, role, OPN_ROLE_TRAIN, k), s->size[k] - n_held_out);
        assert_true(s->size[k] == 0 || n_held_out < s->size[k]);
    }
}

static void expect_reference(const sample *s, const uint8_t *role)
{
    const int32_t n_train = least(20 * s->n_classes, s->n_labelled);
    const int32_t n_validation = least(30 * s->n_classes, s->n_labelled - n_train);
    assert_int_equal(count_role(s, role, OPN_ROLE_TRAIN, -1), n_train);
    assert_int_equal(count_role(s, role, OPN_ROLE_VALIDATION, -1), n_validation);
    assert_int_equal(count_role(s, role, OPN_ROLE_TEST, -1),
                     s->n_labelled - n_train - n_validation);
}

static void expect_given(const sample *s, const uint8_t *role)
{
    for (int32_t i = 0; i < s->n_nodes; i++)
        if (s->label[i] >= 0)
            assert_int_equal(role[i], s->given[i]);
}

static void expect_rule(const sample *s, opn_split_rule rule, const uint8_t *role)
{
    switch (rule_behind(s, rule)) {
    case OPN_SPLIT_SAMPLED:
        expect_sampled(s, role);
        break;
    case OPN_SPLIT_OWN:
        expect_own(s, role);
        break;
    case OPN_SPLIT_REFERENCE:
        expect_reference(s, role);
        break;
    case OPN_SPLIT_GIVEN:
        expect_given(s, role);
        break;
    case OPN_SPLIT_USUAL:
    case OPN_SPLIT_GNNSAFE: // split_draw_test.c has these
    case OPN_SPLIT_GPN:
        fail();
    }
}

static void expect_origin(const sample *s, opn_split_rule rule, const opn_split *split)
{
    static const char *const phrase[] = {
            [OPN_SPLIT_GIVEN] = "given with the data",
            [OPN_SPLIT_SAMPLED] = "sampled as in the paper",
            [OPN_SPLIT_OWN] = "drawn by the rule for own data",
            [OPN_SPLIT_REFERENCE] = "sampled as by the paper's authors' code",
    };
    assert_string_equal(opn_split_origin(split), phrase[rule_behind(s, rule)]);
}

// ---- what every split promises -------------------------------------------------------

static void expect_roles(const sample *s, const opn_split *split)
{
    const uint8_t *role = opn_split_roles(split);
    int32_t count[OPN_N_ROLES] = {0};
    for (int32_t i = 0; i < s->n_nodes; i++) {
        assert_in_range(role[i], 0, OPN_N_ROLES - 1);
        count[role[i]]++;
        assert_int_equal(role[i] == OPN_ROLE_UNLABELLED, s->label[i] < 0);
        if (learns(role[i])) {
            assert_true(s->label[i] >= 0);
            assert_false(s->is_ood[s->label[i]]);
        }
    }
    for (int r = 0; r < OPN_N_ROLES; r++)
        assert_int_equal(opn_split_count(split, (opn_role)r), count[r]);
    assert_true(count[OPN_ROLE_TRAIN] > 0);
}

static void expect_known(const sample *s, const opn_split *split)
{
    const int32_t *known = opn_split_known(split);
    int32_t n_known = 0;
    for (int32_t k = 0; k < s->n_classes; k++)
        assert_int_equal(known[k], s->is_ood[k] ? -1 : n_known++);
    assert_int_equal(opn_split_n_known(split), n_known);
}

// `before` are the roles of the same draw with no class taken out.
static void expect_removal(const sample *s,
                           opn_split_rule rule,
                           const uint8_t *before,
                           const opn_split *split)
{
    const uint8_t *role = opn_split_roles(split);
    const uint8_t *pool = opn_split_pool(split);
    int32_t n_pool = 0;
    for (int32_t i = 0; i < s->n_nodes; i++) {
        const bool is_out = s->label[i] >= 0 && s->is_ood[s->label[i]];
        const uint8_t want =
                is_out && learns(before[i]) ? (uint8_t)OPN_ROLE_POOL : before[i];
        assert_int_equal(role[i], want);
        const bool seen = rule == OPN_SPLIT_REFERENCE ? before[i] == OPN_ROLE_TRAIN
                                                      : learns(before[i]);
        assert_int_equal(pool[i], s->label[i] >= 0 && !seen);
        n_pool += pool[i];
    }
    assert_int_equal(opn_split_pool_size(split), n_pool);
}

static int32_t train_left(const sample *s, const uint8_t *before)
{
    int32_t n = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        n += before[i] == OPN_ROLE_TRAIN && !s->is_ood[s->label[i]];
    return n;
}

static bool lacks_given(const sample *s, opn_split_rule rule)
{
    return s->n_classes > 0 && rule_behind(s, rule) == OPN_SPLIT_GIVEN && !s->is_given;
}

// Whether the rule cannot be followed, whatever the seed.
static bool is_impossible(const sample *s, opn_split_rule rule)
{
    const opn_split_rule behind = rule_behind(s, rule);
    if (s->n_classes == 0 || lacks_given(s, rule))
        return true;
    for (int32_t k = 0; k < s->n_classes && behind == OPN_SPLIT_SAMPLED; k++)
        if (s->size[k] < 20)
            return true;
    return false;
}

static opn_status create(opn_ctx *ctx,
                         sample *s,
                         opn_split_rule rule,
                         uint64_t seed,
                         bool with_ood,
                         opn_split **out)
{
    const opn_graph graph = as_graph(s);
    return opn_split_create(ctx, &graph, rule, seed, with_ood ? s->ood : NULL,
                            with_ood ? s->n_ood : 0, out);
}

// One random case; returns whether a split was made.
static bool check_case(opn_ctx *ctx, sample *s, opn_split_rule rule, uint64_t seed)
{
    opn_split *whole = NULL;
    opn_split *split = NULL;
    opn_split *again = NULL;
    opn_status status = create(ctx, s, rule, seed, false, &whole);
    if (is_impossible(s, rule)) {
        assert_int_equal(status,
                         lacks_given(s, rule) ? OPN_ERR_INVALID_ARG : OPN_ERR_SHAPE);
        assert_null(whole);
        return false;
    }
    if (status != OPN_OK) { // all that can still be missing is a node to train on
        assert_int_equal(status, OPN_ERR_SHAPE);
        support_expect_error(ctx, "train");
        if (rule_behind(s, rule) == OPN_SPLIT_GIVEN)
            assert_int_equal(count_role(s, s->given, OPN_ROLE_TRAIN, -1), 0);
        else
            assert_int_equal(s->n_labelled, 0);
        return false;
    }
    const uint8_t *before = opn_split_roles(whole);
    expect_rule(s, rule, before);
    status = create(ctx, s, rule, seed, true, &split);
    if (train_left(s, before) == 0) {
        assert_int_equal(status,
                         s->n_ood == s->n_classes ? OPN_ERR_INVALID_ARG : OPN_ERR_SHAPE);
        assert_null(split);
    } else {
        assert_int_equal(status, OPN_OK);
        expect_origin(s, rule, split);
        expect_roles(s, split);
        expect_known(s, split);
        expect_removal(s, rule, before, split);
        assert_int_equal(create(ctx, s, rule, seed, true, &again), OPN_OK);
        assert_memory_equal(opn_split_roles(again), opn_split_roles(split),
                            (size_t)s->n_nodes);
    }
    const bool made = split != NULL;
    opn_split_free(whole);
    opn_split_free(split);
    opn_split_free(again);
    return made;
}

static void every_split_keeps_its_promises(void **state)
{
    (void)state;
    static sample s;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 51;
    int n_made[OPN_SPLIT_REFERENCE + 1] = {0};
    for (int c = 0; c < N_CASES; c++) {
        draw_sample(&s, &rng);
        const opn_split_rule rule = (opn_split_rule)(c % (OPN_SPLIT_REFERENCE + 1));
        n_made[rule] += check_case(ctx, &s, rule, below(&rng, 1000));
    }
    for (int r = OPN_SPLIT_USUAL; r <= OPN_SPLIT_REFERENCE; r++)
        assert_true(n_made[r] >= 100); // or the samples have gone stale
    support_ctx_free(ctx, &m);
}

// ---- seeds ---------------------------------------------------------------------------

static void make_even(sample *s, int32_t n_classes, int32_t per_class)
{
    memset(s, 0, sizeof(*s));
    s->n_classes = n_classes;
    s->n_nodes = s->n_labelled = n_classes * per_class;
    for (int32_t i = 0; i < s->n_nodes; i++)
        s->label[i] = i % n_classes;
    for (int32_t k = 0; k < n_classes; k++)
        s->size[k] = per_class;
}

static void another_seed_draws_another_split(void **state)
{
    (void)state;
    static sample s;
    static const opn_split_rule rules[] = {OPN_SPLIT_SAMPLED, OPN_SPLIT_OWN,
                                           OPN_SPLIT_REFERENCE};
    static const uint64_t seeds[] = {0, 1, 2, 1ull << 32, 1ull << 63, UINT64_MAX};
    enum { N_SEEDS = sizeof(seeds) / sizeof(seeds[0]) };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    make_even(&s, 3, 200);
    for (size_t r = 0; r < 3; r++) {
        opn_split *split[N_SEEDS] = {NULL};
        for (size_t c = 0; c < N_SEEDS; c++) {
            assert_int_equal(create(ctx, &s, rules[r], seeds[c], false, &split[c]),
                             OPN_OK);
            for (size_t d = 0; d < c; d++)
                assert_memory_not_equal(opn_split_roles(split[c]),
                                        opn_split_roles(split[d]), (size_t)s.n_nodes);
        }
        for (size_t c = 0; c < N_SEEDS; c++)
            opn_split_free(split[c]);
    }
    support_ctx_free(ctx, &m);
}

// Over 4000 seeds each of 50 nodes of a class trains 1600 times, give or take 31; the
// bounds are six times that.
static void every_node_of_a_class_is_as_likely_to_train(void **state)
{
    (void)state;
    static sample s;
    int32_t n_train[100] = {0};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    make_even(&s, 2, 50);
    for (uint64_t seed = 0; seed < 4000; seed++) {
        opn_split *split = NULL;
        assert_int_equal(create(ctx, &s, OPN_SPLIT_SAMPLED, seed, false, &split), OPN_OK);
        for (int32_t i = 0; i < s.n_nodes; i++)
            n_train[i] += opn_split_roles(split)[i] == OPN_ROLE_TRAIN;
        opn_split_free(split);
    }
    for (int32_t i = 0; i < s.n_nodes; i++)
        assert_in_range(n_train[i], 1414, 1786);
    support_ctx_free(ctx, &m);
}

static void a_given_split_does_not_depend_on_the_seed(void **state)
{
    (void)state;
    static sample s;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    make_even(&s, 2, 20);
    s.is_given = true;
    for (int32_t i = 0; i < s.n_nodes; i++)
        s.given[i] = (uint8_t)(i % 4);
    opn_split *one = NULL;
    opn_split *other = NULL;
    assert_int_equal(create(ctx, &s, OPN_SPLIT_USUAL, 1, false, &one), OPN_OK);
    assert_int_equal(create(ctx, &s, OPN_SPLIT_REFERENCE, 2, false, &other), OPN_OK);
    assert_memory_equal(opn_split_roles(one), s.given, (size_t)s.n_nodes);
    assert_memory_equal(opn_split_roles(other), s.given, (size_t)s.n_nodes);
    assert_int_equal(opn_split_pool_size(one), 20);   // test and pool
    assert_int_equal(opn_split_pool_size(other), 30); // and validation
    opn_split_free(one);
    opn_split_free(other);
    support_ctx_free(ctx, &m);
}

// ---- errors --------------------------------------------------------------------------

static void
expect_failure(sample *s, opn_split_rule rule, opn_status status, const char *message)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_split *split = NULL;
    assert_int_equal(create(ctx, s, rule, 0, true, &split), status);
    assert_null(split);
    support_expect_error(ctx, message);
    support_ctx_free(ctx, &m);
}

static void bad_arguments_are_refused_with_the_reason(void **state)
{
    (void)state;
    static sample s;
    make_even(&s, 3, 20);
    expect_failure(&s, OPN_SPLIT_GIVEN, OPN_ERR_INVALID_ARG,
                   "sample comes without a split");
    expect_failure(&s, (opn_split_rule)9, OPN_ERR_INVALID_ARG, "9 is not a rule");
    s.n_ood = 1;
    s.ood[0] = 3;
    expect_failure(&s, OPN_SPLIT_OWN, OPN_ERR_INVALID_ARG, "class 3: outside [0, 3)");
    s.ood[0] = -1;
    expect_failure(&s, OPN_SPLIT_OWN, OPN_ERR_INVALID_ARG, "class -1: outside [0, 3)");
    s.n_ood = 2;
    s.ood[0] = s.ood[1] = 1;
    expect_failure(&s, OPN_SPLIT_OWN, OPN_ERR_INVALID_ARG, "class 1 is named twice");
    s.n_ood = 3;
    s.ood[0] = 2;
    s.ood[2] = 0;
    expect_failure(&s, OPN_SPLIT_OWN, OPN_ERR_INVALID_ARG,
                   "every class is out-of-distribution");
}

static void data_that_cannot_be_split_are_no_fault_of_the_arguments(void **state)
{
    (void)state;
    static sample s;
    make_even(&s, 3, 20);
    s.label[4] = -1; // was of class 1
    expect_failure(&s, OPN_SPLIT_SAMPLED, OPN_ERR_SHAPE, "class 1 has 19 labelled nodes");
    make_even(&s, 3, 20);
    s.is_given = true;
    memset(s.given, OPN_ROLE_TEST, sizeof(s.given));
    expect_failure(&s, OPN_SPLIT_USUAL, OPN_ERR_SHAPE,
                   "no labelled node of a known class");
    for (int32_t i = 0; i < s.n_nodes; i++)
        s.given[i] = s.label[i] == 1 ? OPN_ROLE_TRAIN : OPN_ROLE_TEST;
    s.n_ood = 1;
    s.ood[0] = 1;
    expect_failure(&s, OPN_SPLIT_USUAL, OPN_ERR_SHAPE,
                   "no labelled node of a known class");
    make_even(&s, 3, 20);
    s.n_classes = 0;
    memset(s.label, -1, sizeof(s.label));
    expect_failure(&s, OPN_SPLIT_OWN, OPN_ERR_SHAPE, "no labels to learn from");
}

static void roles_are_spelt_as_in_files(void **state)
{
    (void)state;
    assert_string_equal(opn_role_name(OPN_ROLE_TRAIN), "train");
    assert_string_equal(opn_role_name(OPN_ROLE_VALIDATION), "validation");
    assert_string_equal(opn_role_name(OPN_ROLE_TEST), "test");
    assert_string_equal(opn_role_name(OPN_ROLE_POOL), "pool");
    assert_string_equal(opn_role_name(OPN_ROLE_UNLABELLED), "unlabelled");
    assert_string_equal(opn_role_name(OPN_ROLE_CALIBRATION), "calibration");
}

// ---- variants ------------------------------------------------------------------------

static void parts_exchange_their_roles_and_cover_all_training_nodes(void **state)
{
    (void)state;
    enum { N_PARTS = 3 };
    static sample s;
    static int32_t n_validated[MAX_NODES];
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_split *split = NULL;
    make_even(&s, 3, 40);
    memset(n_validated, 0, sizeof(n_validated));
    assert_int_equal(create(ctx, &s, OPN_SPLIT_OWN, 5, false, &split), OPN_OK);
    const uint8_t *before = opn_split_roles(split);
    opn_graph graph = as_graph(&s);
    for (int32_t part = 0; part < N_PARTS; part++) {
        opn_split *other = NULL;
        int32_t n_of_class[3] = {0};
        assert_int_equal(opn_i_split_turn(ctx, &graph, split, OPN_TURNS_VALIDATE, 5,
                                          N_PARTS, part, &other),
                         OPN_OK);
        const uint8_t *after = opn_split_roles(other);
        for (int32_t i = 0; i < s.n_nodes; i++) {
            assert_int_equal(learns(after[i]), learns(before[i]));
            if (before[i] == OPN_ROLE_VALIDATION)
                assert_int_equal(after[i], OPN_ROLE_TRAIN);
            if (after[i] == OPN_ROLE_VALIDATION) {
                n_validated[i]++;
                n_of_class[s.label[i]]++;
            }
        }
        for (int32_t k = 0; k < 3; k++) // 32 training nodes of each class
            assert_in_range(n_of_class[k], 10, 11);
        assert_int_equal(opn_split_count(other, OPN_ROLE_VALIDATION),
                         n_of_class[0] + n_of_class[1] + n_of_class[2]);
        assert_int_equal(opn_split_pool_size(other), opn_split_pool_size(split));
        opn_split_free(other);
    }
    for (int32_t i = 0; i < s.n_nodes; i++)
        assert_int_equal(n_validated[i], before[i] == OPN_ROLE_TRAIN);
    opn_split_free(split);
    support_ctx_free(ctx, &m);
}

static void an_exchange_survives_any_allocation_failure(void **state)
{
    (void)state;
    static sample s;
    make_even(&s, 3, 30);
    opn_graph graph = as_graph(&s);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_split *split = NULL;
        opn_split *other = NULL;
        assert_int_equal(create(ctx, &s, OPN_SPLIT_OWN, 5, false, &split), OPN_OK);
        m.fail_at = m.n_requests + fail_at;
        status =
                opn_i_split_turn(ctx, &graph, split, OPN_TURNS_VALIDATE, 5, 4, 1, &other);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_int_equal(other != NULL, status == OPN_OK);
        opn_split_free(other);
        opn_split_free(split);
        support_ctx_free(ctx, &m);
    }
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    static sample s;
    static const opn_split_rule rules[] = {OPN_SPLIT_SAMPLED, OPN_SPLIT_OWN,
                                           OPN_SPLIT_REFERENCE};
    make_even(&s, 3, 30);
    for (size_t r = 0; r < 3; r++) {
        opn_status status = OPN_ERR_NOMEM;
        for (long fail_at = 1; status != OPN_OK; fail_at++) {
            meter m = {0};
            opn_ctx *ctx = support_ctx(&m);
            opn_split *split = NULL;
            m.fail_at = m.n_requests + fail_at;
            status = create(ctx, &s, rules[r], 0, false, &split);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            assert_int_equal(split != NULL, status == OPN_OK);
            opn_split_free(split);
            support_ctx_free(ctx, &m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_split_keeps_its_promises),
            cmocka_unit_test(another_seed_draws_another_split),
            cmocka_unit_test(every_node_of_a_class_is_as_likely_to_train),
            cmocka_unit_test(a_given_split_does_not_depend_on_the_seed),
            cmocka_unit_test(bad_arguments_are_refused_with_the_reason),
            cmocka_unit_test(data_that_cannot_be_split_are_no_fault_of_the_arguments),
            cmocka_unit_test(roles_are_spelt_as_in_files),
            cmocka_unit_test(parts_exchange_their_roles_and_cover_all_training_nodes),
            cmocka_unit_test(an_exchange_survives_any_allocation_failure),
            cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
