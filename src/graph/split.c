// split.c -- assigns nodes to training, validation and testing.

#include "base/random.h"
#include "graph/graph_data.h"
#include "graph/narrow.h"
#include "graph/roles.h"
#include "graph/split_data.h"
#include "graph/split_draw.h"

#include <string.h>
#include <strings.h>

// The paper's counts for graphs that come without a split.
enum { TRAIN_PER_CLASS = 20, N_VALIDATION = 500, REFERENCE_VALIDATION_PER_CLASS = 30 };

// Own data with fewer labels has none to spare for calibration.
enum { LEAST_TO_CALIBRATE = 200 };

const char *opn_role_name(opn_role role)
{
    switch (role) {
    case OPN_ROLE_TRAIN:
        return "train";
    case OPN_ROLE_VALIDATION:
        return "validation";
    case OPN_ROLE_TEST:
        return "test";
    case OPN_ROLE_POOL:
        return "pool";
    case OPN_ROLE_UNLABELLED:
        return "unlabelled";
    case OPN_ROLE_CALIBRATION:
        return "calibration";
    }
    return "unknown";
}

bool opn_i_role_parse(const char *text, uint8_t *role)
{
    static const struct {
        const char *word;
        opn_role role;
    } others[] = {{"val", OPN_ROLE_VALIDATION},  {"valid", OPN_ROLE_VALIDATION},
                  {"dev", OPN_ROLE_VALIDATION},  {"training", OPN_ROLE_TRAIN},
                  {"testing", OPN_ROLE_TEST},    {"unlabeled", OPN_ROLE_UNLABELLED},
                  {"cal", OPN_ROLE_CALIBRATION}, {"calib", OPN_ROLE_CALIBRATION}};
    for (int r = 0; r < OPN_N_ROLES; r++) {
        if (strcasecmp(text, opn_role_name((opn_role)r)) == 0) {
            *role = (uint8_t)r;
            return true;
        }
    }
    for (size_t o = 0; o < sizeof(others) / sizeof(others[0]); o++) {
        if (strcasecmp(text, others[o].word) == 0) {
            *role = (uint8_t)others[o].role;
            return true;
        }
    }
    return false;
}

bool opn_i_role_learns(uint8_t role)
{
    return role == OPN_ROLE_TRAIN || role == OPN_ROLE_VALIDATION ||
           role == OPN_ROLE_CALIBRATION;
}

bool opn_i_role_fits(uint8_t role, int32_t label)
{
    return label >= 0 || !opn_i_role_learns(role);
}

const char *opn_i_role_verb(uint8_t role)
{
    return role == OPN_ROLE_TRAIN        ? "train"
           : role == OPN_ROLE_VALIDATION ? "validate"
                                         : "calibrate";
}

void opn_split_free(opn_split *split)
{
    if (split == NULL)
        return;
    const opn_alloc alloc = split->alloc;
    opn_i_release(&alloc, split->role);
    opn_i_release(&alloc, split->pool);
    opn_i_release(&alloc, split->known);
    opn_i_release(&alloc, split);
}

opn_vid opn_split_n_nodes(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, 0);
    return split->n_nodes;
}

int32_t opn_split_n_classes(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, 0);
    return split->n_classes;
}

const uint8_t *opn_split_roles(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, NULL);
    return split->role;
}

opn_vid opn_split_count(const opn_split *split, opn_role role)
{
    OPN_RETURN_IF_NULL(split, 0);
    return split->count[role];
}

const char *opn_split_origin(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, "");
    switch (split->origin) {
    case OPN_SPLIT_USUAL:
        break;
    case OPN_SPLIT_GIVEN:
        return "given with the data";
    case OPN_SPLIT_SAMPLED:
        return "sampled as in the paper";
    case OPN_SPLIT_OWN:
        return "drawn by the rule for own data";
    case OPN_SPLIT_REFERENCE:
        return "sampled as by the paper's authors' code";
    case OPN_SPLIT_GNNSAFE:
        return "drawn as by GNNSafe";
    case OPN_SPLIT_GPN:
        return "drawn as by GPN";
    }
    return "unknown";
}

const uint8_t *opn_split_pool(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, NULL);
    return split->pool;
}

opn_vid opn_split_pool_size(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, 0);
    return split->n_pool;
}

const int32_t *opn_split_known(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, NULL);
    return split->known;
}

int32_t opn_split_n_known(const opn_split *split)
{
    OPN_RETURN_IF_NULL(split, 0);
    return split->n_known;
}

// SAMPLED: the first 20 of each class train, the next 500 validate, the rest test.
static opn_status
sample_per_class(opn_ctx *ctx, const opn_graph *graph, uint64_t seed, uint8_t *role)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    opn_vid n = 0;
    int32_t *n_taken = NULL;
    char number[12];
    OPN_TRY(opn_i_shuffle_labelled(ctx, graph, NULL, seed, &node, &n));
    OPN_TRY_NEW(ctx, n_taken, graph->n_classes);
    opn_vid n_validation = 0;
    for (opn_vid i = 0; i < n; i++) {
        int32_t *taken = &n_taken[graph->label[node[i]]];
        if (*taken < TRAIN_PER_CLASS) {
            role[node[i]] = OPN_ROLE_TRAIN;
            (*taken)++;
        } else if (n_validation < N_VALIDATION) {
            role[node[i]] = OPN_ROLE_VALIDATION;
            n_validation++;
        } else {
            role[node[i]] = OPN_ROLE_TEST;
        }
    }
    for (int32_t k = 0; k < graph->n_classes; k++)
        OPN_FAIL_IF(ctx, n_taken[k] < TRAIN_PER_CLASS, OPN_ERR_SHAPE,
                    "class %s has %d labelled nodes, but %d per class are needed for "
                    "training",
                    opn_graph_class_name(graph, k, number), n_taken[k], TRAIN_PER_CLASS);
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, n_taken);
    return status;
}

// REFERENCE without a given split: 20 K nodes of any class train, 30 K validate.
static opn_status
sample_regardless(opn_ctx *ctx, const opn_graph *graph, uint64_t seed, uint8_t *role)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    opn_vid n = 0;
    const int64_t n_train = (int64_t)TRAIN_PER_CLASS * graph->n_classes;
    const int64_t n_validation =
            (int64_t)REFERENCE_VALIDATION_PER_CLASS * graph->n_classes;
    OPN_TRY(opn_i_shuffle_labelled(ctx, graph, NULL, seed, &node, &n));
    for (opn_vid i = 0; i < n; i++)
        role[node[i]] = i < n_train                  ? OPN_ROLE_TRAIN
                        : i < n_train + n_validation ? OPN_ROLE_VALIDATION
                                                     : OPN_ROLE_TEST;
cleanup:
    opn_i_release(&ctx->alloc, node);
    return status;
}

// OWN: a fifth of the n labelled nodes of a class, rounded to nearest, validates. Below
// three nodes that is none, so every class keeps a node to train on. Half of the fifth
// calibrates if there are enough labels for both.
static opn_status
hold_out_fifth(opn_ctx *ctx, const opn_graph *graph, uint64_t seed, uint8_t *role)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    opn_vid n = 0;
    int32_t *n_left = NULL;        // nodes still to be held out of each class
    int32_t *n_calibration = NULL; // the last of these
    OPN_TRY(opn_i_shuffle_labelled(ctx, graph, NULL, seed, &node, &n));
    OPN_TRY_NEW(ctx, n_left, graph->n_classes);
    OPN_TRY_NEW(ctx, n_calibration, graph->n_classes);
    for (opn_vid i = 0; i < n; i++)
        n_left[graph->label[node[i]]]++;
    for (int32_t k = 0; k < graph->n_classes; k++) {
        n_left[k] = n_left[k] / 5 + (n_left[k] % 5 >= 3);
        n_calibration[k] = n >= LEAST_TO_CALIBRATE ? n_left[k] / 2 : 0;
    }
    for (opn_vid i = 0; i < n; i++) {
        const int32_t k = graph->label[node[i]];
        role[node[i]] = n_left[k] <= 0                  ? OPN_ROLE_TRAIN
                        : n_left[k] <= n_calibration[k] ? OPN_ROLE_CALIBRATION
                                                        : OPN_ROLE_VALIDATION;
        n_left[k]--;
    }
cleanup:
    opn_i_release(&ctx->alloc, n_calibration);
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, n_left);
    return status;
}

static opn_status take_given(opn_ctx *ctx, const opn_graph *graph, uint8_t *role)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, graph->given_role == NULL, OPN_ERR_INVALID_ARG,
                "%s comes without a split; choose another rule", graph->name);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (graph->label[i] >= 0)
            role[i] = graph->given_role[i];
cleanup:
    return status;
}

// The rule that draws the roles of this graph where `rule` leaves that to the data.
static opn_split_rule settle_rule(const opn_graph *graph, opn_split_rule rule)
{
    const bool is_given = graph->given_role != NULL;
    if (is_given && (rule == OPN_SPLIT_USUAL || rule == OPN_SPLIT_REFERENCE ||
                     rule == OPN_SPLIT_GNNSAFE))
        return OPN_SPLIT_GIVEN;
    return rule == OPN_SPLIT_USUAL ? graph->usual_split : rule;
}

// Assigns a role to every labelled node before any class is held out.
static opn_status draw_roles(opn_ctx *ctx,
                             const opn_graph *graph,
                             opn_split_rule rule,
                             uint64_t seed,
                             const int32_t *known,
                             uint8_t *role)
{
    switch (rule) {
    case OPN_SPLIT_USUAL:
        break;
    case OPN_SPLIT_GIVEN:
        return take_given(ctx, graph, role);
    case OPN_SPLIT_SAMPLED:
        return sample_per_class(ctx, graph, seed, role);
    case OPN_SPLIT_OWN:
        return hold_out_fifth(ctx, graph, seed, role);
    case OPN_SPLIT_REFERENCE:
        return sample_regardless(ctx, graph, seed, role);
    case OPN_SPLIT_GNNSAFE:
        return opn_i_draw_tenths(ctx, graph, known, seed, role);
    case OPN_SPLIT_GPN:
        return opn_i_draw_shares(ctx, graph, seed, role);
    }
    return opn_i_fail(ctx, OPN_ERR_INVALID_ARG, "%d is not a rule for a split",
                      (int)rule);
}

opn_status opn_i_split_number_known(opn_ctx *ctx,
                                    const opn_graph *graph,
                                    const int32_t *ood_classes,
                                    int32_t n_ood,
                                    opn_split *split)
{
    opn_status status = OPN_OK;
    const int32_t n_classes = graph->n_classes;
    OPN_FAIL_IF(ctx, n_ood > 0 && ood_classes == NULL, OPN_ERR_INVALID_ARG,
                "argument ood_classes is NULL");
    for (int32_t c = 0; c < n_ood; c++) {
        const int32_t k = ood_classes[c];
        OPN_FAIL_IF(ctx, k < 0 || k >= n_classes, OPN_ERR_INVALID_ARG,
                    "out-of-distribution class %d: outside [0, %d)", k, n_classes);
        OPN_FAIL_IF(ctx, split->known[k] < 0, OPN_ERR_INVALID_ARG,
                    "out-of-distribution class %d is named twice", k);
        split->known[k] = -1;
    }
    for (int32_t k = 0; k < n_classes; k++)
        if (split->known[k] == 0)
            split->known[k] = split->n_known++;
    OPN_FAIL_IF(ctx, n_classes == 0, OPN_ERR_SHAPE, "%s has no labels to learn from",
                graph->name);
    OPN_FAIL_IF(ctx, split->n_known == 0, OPN_ERR_INVALID_ARG,
                "%s: every class is out-of-distribution, none is left to learn",
                graph->name);
cleanup:
    return status;
}

// Whether a labelled node of that role, drawn before classes were held out, is scored.
static bool is_scored(opn_split_rule rule, uint8_t role, bool is_known)
{
    if (rule == OPN_SPLIT_GNNSAFE)
        return role == OPN_ROLE_TEST || !is_known;
    if (rule == OPN_SPLIT_GPN)
        return role == OPN_ROLE_TEST;
    if (rule == OPN_SPLIT_REFERENCE)
        return role != OPN_ROLE_TRAIN;
    return !opn_i_role_learns(role);
}

// Sets the pool first, then removes out-of-distribution nodes from what learns.
static void settle_roles(const opn_graph *graph, opn_split_rule rule, opn_split *split)
{
    for (opn_vid i = 0; i < split->n_nodes; i++) {
        uint8_t *role = &split->role[i];
        const bool learns = opn_i_role_learns(*role);
        if (*role != OPN_ROLE_UNLABELLED) {
            const bool is_known = split->known[graph->label[i]] >= 0;
            split->pool[i] = is_scored(rule, *role, is_known);
            if (!is_known && (learns || rule == OPN_SPLIT_GNNSAFE))
                *role = OPN_ROLE_POOL;
        }
        split->count[*role]++;
        split->n_pool += split->pool[i];
    }
}

static opn_status create(opn_ctx *ctx,
                         const opn_graph *graph,
                         opn_split_rule rule,
                         uint64_t seed,
                         const int32_t *ood_classes,
                         int32_t n_ood,
                         opn_split **out)
{
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    OPN_TRY_NEW(ctx, split, 1);
    split->alloc = ctx->alloc;
    split->origin = settle_rule(graph, rule);
    split->n_nodes = opn_i_graph_n_nodes(graph);
    split->n_classes = graph->n_classes;
    OPN_TRY_NEW(ctx, split->role, split->n_nodes);
    OPN_TRY_NEW(ctx, split->pool, split->n_nodes);
    OPN_TRY_NEW(ctx, split->known, graph->n_classes);
    OPN_TRY(opn_i_split_number_known(ctx, graph, ood_classes, n_ood, split));
    memset(split->role, OPN_ROLE_UNLABELLED, (size_t)split->n_nodes);
    OPN_TRY(draw_roles(ctx, graph, split->origin, seed, split->known, split->role));
    settle_roles(graph, rule, split);
    *out = split;
    split = NULL;
cleanup:
    opn_split_free(split);
    return status;
}

opn_status opn_split_create(opn_ctx *ctx,
                            const opn_graph *graph,
                            opn_split_rule rule,
                            uint64_t seed,
                            const int32_t *ood_classes,
                            int32_t n_ood,
                            opn_split **out)
{
    OPN_REJECT_NULL(ctx, graph, out);
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    OPN_TRY(create(ctx, graph, rule, seed, ood_classes, n_ood, &split));
    OPN_FAIL_IF(ctx, split->count[OPN_ROLE_TRAIN] == 0, OPN_ERR_SHAPE,
                "%s: no labelled node of a known class is left to train on", graph->name);
    *out = split;
    split = NULL;
cleanup:
    opn_split_free(split);
    return status;
}

opn_status opn_i_split_untrained(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const int32_t *ood_classes,
                                 int32_t n_ood,
                                 opn_split **out)
{
    return create(ctx, graph, OPN_SPLIT_GIVEN, 0, ood_classes, n_ood, out);
}
