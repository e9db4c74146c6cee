// split_draw_test.c -- the splits of GNNSafe and GPN have exactly the sizes, and pools
// exactly the nodes, that docs/protocols.md says.

#include "graph/graph_data.h"
#include "graph/narrow.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { MAX_NODES = 3000, MAX_CLASSES = 6 };

typedef struct sample {
    int32_t n_nodes, n_classes;
    int32_t label[MAX_NODES];
    uint8_t given[MAX_NODES];
    int32_t size[MAX_CLASSES];
} sample;

static char graph_name[] = "sample";

static opn_graph as_graph(sample *s, bool is_given)
{
    return (opn_graph){.name = graph_name,
                       .topology = {.n_rows = s->n_nodes, .n_cols = s->n_nodes},
                       .n_classes = s->n_classes,
                       .label = s->label,
                       .given_role = is_given ? s->given : NULL,
                       .usual_split = OPN_SPLIT_OWN};
}

static void draw_sample(sample *s, uint64_t *random)
{
    memset(s, 0, sizeof(*s));
    s->n_nodes = 40 + (int32_t)below(random, MAX_NODES - 40);
    s->n_classes = 2 + (int32_t)below(random, MAX_CLASSES - 1);
    for (int32_t i = 0; i < s->n_nodes; i++) {
        // Classes of unequal size, and a few nodes without a label.
        const uint32_t k = below(random, (uint32_t)s->n_classes);
        s->label[i] = (int32_t)below(random, k + 2) - (below(random, 20) == 0 ? 9 : 0);
        s->label[i] = s->label[i] < 0 ? -1 : s->label[i] % s->n_classes;
        s->given[i] = (uint8_t)(s->label[i] < 0 ? OPN_ROLE_TEST : below(random, 4));
        if (s->label[i] >= 0)
            s->size[s->label[i]]++;
    }
}

static opn_split *make(sample *s,
                       bool is_given,
                       opn_split_rule rule,
                       uint64_t seed,
                       const int32_t *ood,
                       int32_t n_ood)
{
    const opn_graph graph = as_graph(s, is_given);
    opn_split *split = NULL;
    assert_int_equal(opn_split_create(ctx, &graph, rule, seed, ood, n_ood, &split),
                     OPN_OK);
    return split;
}

static int32_t count(const sample *s, const opn_split *split, opn_role role, int32_t k)
{
    int32_t n = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        n += opn_split_roles(split)[i] == role && (k < 0 || s->label[i] == k);
    return n;
}

// ---- GNNSafe -------------------------------------------------------------------------

static void gnnsafe_gives_known_nodes_tenths_and_scores_the_rest_of_them(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 11;
    for (int c = 0; c < 200; c++) {
        draw_sample(&s, &random);
        const int32_t ood[] = {0};
        const int32_t n_ood = c % 2;
        int32_t n_known = 0; // nodes
        opn_split *split =
                make(&s, false, OPN_SPLIT_GNNSAFE, below(&random, 9), ood, n_ood);
        for (int32_t k = n_ood; k < s.n_classes; k++)
            n_known += s.size[k];
        assert_int_equal(opn_split_count(split, OPN_ROLE_TRAIN), n_known / 10);
        assert_int_equal(opn_split_count(split, OPN_ROLE_VALIDATION), n_known / 10);
        assert_int_equal(opn_split_count(split, OPN_ROLE_TEST),
                         n_known - 2 * (n_known / 10));
        assert_int_equal(opn_split_count(split, OPN_ROLE_POOL),
                         n_ood > 0 ? s.size[0] : 0);
        for (int32_t i = 0; i < s.n_nodes; i++) {
            const bool is_out = n_ood > 0 && s.label[i] == 0;
            assert_int_equal(opn_split_pool(split)[i],
                             is_out || opn_split_roles(split)[i] == OPN_ROLE_TEST);
        }
        assert_string_equal(opn_split_origin(split), "drawn as by GNNSafe");
        opn_split_free(split);
    }
}

static void
gnnsafe_keeps_a_given_split_and_scores_all_nodes_of_other_classes(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 12;
    for (int c = 0; c < 50; c++) {
        draw_sample(&s, &random);
        const int32_t ood[] = {s.n_classes - 1};
        opn_split *split = make(&s, true, OPN_SPLIT_GNNSAFE, 0, ood, 1);
        for (int32_t i = 0; i < s.n_nodes; i++) {
            const bool is_out = s.label[i] == ood[0];
            const uint8_t role = opn_split_roles(split)[i];
            if (s.label[i] < 0)
                assert_int_equal(role, OPN_ROLE_UNLABELLED);
            else
                assert_int_equal(role, is_out ? OPN_ROLE_POOL : s.given[i]);
            // Known nodes outside the three sets are not scored.
            assert_int_equal(opn_split_pool(split)[i],
                             is_out || (s.label[i] >= 0 && role == OPN_ROLE_TEST));
        }
        opn_split_free(split);
    }
}

// Of 5000 seeds each of 100 nodes trains in 500, give or take 21.
static void gnnsafe_draws_nodes_whatever_their_class(void **state)
{
    (void)state;
    static sample s;
    int32_t n_train[100] = {0};
    bool is_uneven = false;
    memset(&s, 0, sizeof(s));
    s.n_nodes = 100;
    s.n_classes = 2;
    for (int32_t i = 0; i < 100; i++)
        s.label[i] = i % 2;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        opn_split *split = make(&s, false, OPN_SPLIT_GNNSAFE, seed, NULL, 0);
        for (int32_t i = 0; i < 100; i++)
            n_train[i] += opn_split_roles(split)[i] == OPN_ROLE_TRAIN;
        is_uneven = is_uneven || count(&s, split, OPN_ROLE_TRAIN, 0) < 3;
        opn_split_free(split);
    }
    for (int32_t i = 0; i < 100; i++)
        assert_in_range(n_train[i], 500 - 126, 500 + 126);
    assert_true(is_uneven); // a stratified draw never is
}

static void a_class_that_is_ignored_leaves_the_pool_alone(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 13;
    draw_sample(&s, &random);
    s.n_classes = 6;
    for (int32_t i = 0; i < s.n_nodes; i++)
        s.label[i] = i % 6;
    const int32_t ood[] = {0, 1, 2, 3};
    opn_split *split = make(&s, false, OPN_SPLIT_GNNSAFE, 1, ood, 4);
    opn_split *less = make(&s, false, OPN_SPLIT_GNNSAFE, 1, ood, 4);
    const opn_graph graph = as_graph(&s, false);
    opn_i_split_ignore(&graph, 3, less);
    int32_t n_pool = 0;
    for (int32_t i = 0; i < s.n_nodes; i++) {
        assert_int_equal(opn_split_roles(less)[i], opn_split_roles(split)[i]);
        assert_int_equal(opn_split_pool(less)[i],
                         s.label[i] != 3 && opn_split_pool(split)[i]);
        n_pool += opn_split_pool(less)[i];
    }
    assert_int_equal(opn_split_pool_size(less), n_pool);
    opn_split_free(split);
    opn_split_free(less);
}

// ---- GPN -----------------------------------------------------------------------------

static void gpn_takes_shares_of_what_is_left_of_each_class(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 14;
    for (int c = 0; c < 200; c++) {
        draw_sample(&s, &random);
        opn_split *split =
                make(&s, c % 2 == 0, OPN_SPLIT_GPN, below(&random, 9), NULL, 0);
        for (int32_t k = 0; k < s.n_classes; k++) {
            // floor(.05 n), floor(.15 (n - train)), floor(.8 (n - train - validation))
            const div_t train = div(s.size[k] * 5, 100);
            const div_t validation = div((s.size[k] - train.quot) * 15, 100);
            const int32_t n_left = s.size[k] - train.quot - validation.quot;
            const div_t test = div(n_left * 80, 100);
            assert_int_equal(count(&s, split, OPN_ROLE_TRAIN, k), train.quot);
            assert_int_equal(count(&s, split, OPN_ROLE_VALIDATION, k), validation.quot);
            assert_int_equal(count(&s, split, OPN_ROLE_TEST, k), test.quot);
            assert_int_equal(count(&s, split, OPN_ROLE_POOL, k), n_left - test.quot);
        }
        for (int32_t i = 0; i < s.n_nodes; i++)
            assert_int_equal(opn_split_pool(split)[i],
                             opn_split_roles(split)[i] == OPN_ROLE_TEST);
        opn_split_free(split);
    }
}

static void gpn_scores_only_test_nodes_of_classes_left_out(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 15;
    for (int c = 0; c < 50; c++) {
        draw_sample(&s, &random);
        const int32_t ood[] = {s.n_classes - 1};
        opn_split *whole = make(&s, false, OPN_SPLIT_GPN, 3, NULL, 0);
        opn_split *split = make(&s, false, OPN_SPLIT_GPN, 3, ood, 1);
        for (int32_t i = 0; i < s.n_nodes; i++) {
            const uint8_t before = opn_split_roles(whole)[i];
            const bool learns = before == OPN_ROLE_TRAIN || before == OPN_ROLE_VALIDATION;
            assert_int_equal(opn_split_pool(split)[i], before == OPN_ROLE_TEST);
            assert_int_equal(opn_split_roles(split)[i],
                             learns && s.label[i] == ood[0] ? OPN_ROLE_POOL : before);
        }
        assert_string_equal(opn_split_origin(split), "drawn as by GPN");
        opn_split_free(whole);
        opn_split_free(split);
    }
}

static void another_seed_draws_another_split(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 16;
    draw_sample(&s, &random);
    for (int r = OPN_SPLIT_GNNSAFE; r <= OPN_SPLIT_GPN; r++) {
        opn_split *one = make(&s, false, (opn_split_rule)r, 1, NULL, 0);
        opn_split *same = make(&s, false, (opn_split_rule)r, 1, NULL, 0);
        opn_split *other = make(&s, false, (opn_split_rule)r, 2, NULL, 0);
        assert_memory_equal(opn_split_roles(one), opn_split_roles(same),
                            (size_t)s.n_nodes);
        assert_memory_not_equal(opn_split_roles(one), opn_split_roles(other),
                                (size_t)s.n_nodes);
        opn_split_free(one);
        opn_split_free(same);
        opn_split_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(gnnsafe_gives_known_nodes_tenths_and_scores_the_rest_of_them),
            WITH_CTX(gnnsafe_keeps_a_given_split_and_scores_all_nodes_of_other_classes),
            WITH_CTX(gnnsafe_draws_nodes_whatever_their_class),
            WITH_CTX(a_class_that_is_ignored_leaves_the_pool_alone),
            WITH_CTX(gpn_takes_shares_of_what_is_left_of_each_class),
            WITH_CTX(gpn_scores_only_test_nodes_of_classes_left_out),
            WITH_CTX(another_seed_draws_another_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
