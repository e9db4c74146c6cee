// scores_array.c -- predictions, labels and roles from the arrays of another tool.

#include "graph/graph_data.h"
#include "opinion/number_array.h"
#include "predict/prediction_reader.h"
#include "predict/scores_parts.h"

#include <stdio.h>
#include <string.h>

static const char what[] = "the scores"; // in messages
static const char reading[] = "reading the scores";

static opn_status check_shape(opn_ctx *ctx, const opn_scores *given)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                given->input != OPN_OPINION_PROBABILITY &&
                        given->input != OPN_OPINION_SOFTMAX &&
                        given->input != OPN_OPINION_ALPHA,
                OPN_ERR_INVALID_ARG,
                "input %d: scores are probabilities, logits of a softmax or alpha",
                (int)given->input);
    OPN_FAIL_IF(ctx,
                given->n_samples < 1 || given->n_nodes < 1 ||
                        given->n_nodes == INT32_MAX || given->n_classes < 2,
                OPN_ERR_INVALID_ARG,
                "%d samples of %d nodes and %d classes; there must be a sample, a node "
                "and two classes",
                given->n_samples, given->n_nodes, given->n_classes);
    OPN_FAIL_IF(ctx,
                given->n_names != 0 &&
                        (given->n_names < given->n_classes || given->class_name == NULL),
                OPN_ERR_INVALID_ARG, "%d names for %d classes", given->n_names,
                given->n_classes);
    OPN_FAIL_IF(ctx,
                given->graph != NULL &&
                        opn_i_graph_n_nodes(given->graph) != given->n_nodes,
                OPN_ERR_SHAPE, "%s: are of %d nodes, but %s has %d", what, given->n_nodes,
                given->graph->name, opn_i_graph_n_nodes(given->graph));
cleanup:
    return status;
}

// Names nodes as the graph does, and classes as given; else they are numbers.
static opn_status
add_names(opn_ctx *ctx, const opn_scores *given, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    char number[12];
    for (int32_t k = 0; k < given->n_classes || k < given->n_names; k++) {
        const char *name = given->n_names > 0 ? given->class_name[k] : number;
        int32_t at = 0;
        OPN_FAIL_IF(ctx, name == NULL, OPN_ERR_INVALID_ARG, "class %d has no name", k);
        snprintf(number, sizeof(number), "%d", k);
        if (k < given->n_classes)
            OPN_TRY(opn_i_prediction_add_class(ctx, file, name, strlen(name)));
        else
            OPN_TRY(opn_i_names_intern(ctx, &file->classes, name, strlen(name), &at));
    }
    for (int32_t i = 0; i < given->n_nodes; i++) {
        const char *name = number;
        OPN_TRY_GO_ON_ROWS(ctx, i, reading);
        snprintf(number, sizeof(number), "%d", i);
        if (given->graph != NULL)
            name = opn_graph_node_name(given->graph, i, number);
        OPN_TRY(opn_i_names_add(ctx, &file->nodes, name, strlen(name)));
    }
cleanup:
    return status;
}

// Copies the numbers, in samples if there are several, and checks each row.
static opn_status
add_numbers(opn_ctx *ctx, const opn_scores *given, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const opn_i_prediction_parts none = {0};
    const size_t width = (size_t)given->n_classes;
    const size_t n_rows = (size_t)given->n_samples * (size_t)given->n_nodes;
    float *to = NULL;
    OPN_TRY(opn_i_prediction_make_room(ctx, file, (size_t)given->n_nodes, &none));
    to = file->said->probability;
    if (given->n_samples > 1) {
        size_t n = 0;
        OPN_FAIL_IF(ctx, !opn_i_mul(n_rows, width, &n), OPN_ERR_OVERFLOW,
                    "%s: are too many", what);
        OPN_TRY_NEW(ctx, file->samples, n);
        to = file->samples;
    }
    for (size_t r = 0; r < n_rows; r++) {
        OPN_TRY_GO_ON_ROWS(ctx, r, reading);
        for (size_t k = 0; k < width; k++)
            to[r * width + k] = (float)opn_i_number(given->x, r * width + k);
        OPN_TRY(opn_i_prediction_at(
                ctx, opn_i_prediction_check_sample(ctx, file, to + r * width),
                "%s: node %zu", what, r % (size_t)given->n_nodes));
    }
cleanup:
    return status;
}

static opn_status
add_labels(opn_ctx *ctx, const opn_scores *given, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    for (int32_t i = 0; i < given->n_nodes; i++) {
        OPN_FAIL_IF(ctx,
                    given->label != NULL &&
                            (given->label[i] < -1 || given->label[i] >= file->classes.n),
                    OPN_ERR_INVALID_ARG, "node %d: label %d outside [0, %d) and not -1",
                    i, given->label[i], (int)file->classes.n);
        OPN_FAIL_IF(ctx, given->role != NULL && given->role[i] >= OPN_N_ROLES,
                    OPN_ERR_INVALID_ARG, "node %d: %d is not a role", i, given->role[i]);
        if (given->label != NULL)
            file->label[i] = given->label[i];
        if (given->role != NULL)
            file->role[i] = given->role[i];
    }
    file->has_roles = given->role != NULL;
    if (given->graph != NULL)
        OPN_TRY(opn_i_scores_take_labels(ctx, given->graph, file));
cleanup:
    return status;
}

opn_status opn_scores_create(opn_ctx *ctx,
                             const opn_scores *scores,
                             const opn_params *params,
                             opn_graph **graph,
                             opn_split **split,
                             opn_prediction **prediction)
{
    OPN_REJECT_NULL(ctx, scores, params, graph, split, prediction);
    OPN_REJECT_MISSING(ctx, scores->x);
    opn_status status = OPN_OK;
    opn_graph *nodes = NULL;
    opn_i_prediction_file file = {.is_foreign = true,
                                  .has_nodes = scores->graph != NULL,
                                  .n_nodes = scores->n_nodes,
                                  .input = scores->input,
                                  .n_samples = scores->n_samples};
    OPN_TRY(check_shape(ctx, scores));
    OPN_TRY(opn_i_scores_check_params(ctx, params, scores->graph != NULL));
    OPN_TRY(add_names(ctx, scores, &file));
    OPN_TRY(add_numbers(ctx, scores, &file));
    OPN_TRY(add_labels(ctx, scores, &file));
    OPN_TRY(opn_i_go_on(ctx, reading));
    OPN_TRY(opn_i_prediction_at(ctx, opn_i_scores_settle(ctx, &file), "%s", what));
    if (scores->graph != NULL)
        OPN_TRY(opn_graph_copy(ctx, scores->graph, &nodes));
    OPN_TRY(opn_i_scores_finish(ctx, what, params, &file, &nodes, split, prediction));
    *graph = nodes;
    nodes = NULL;
cleanup:
    opn_graph_free(nodes);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    return status == OPN_ERR_FORMAT ? OPN_ERR_INVALID_ARG : status;
}
