// scores.c -- predictions, labels and roles from the files of another tool.

#include "predict/scores_parts.h"

#include "graph/graph_data.h"
#include "graph/narrow.h"
#include "graph/roles.h"
#include "graph/split_draw.h"
#include "predict/calibrated.h"
#include "predict/fused.h"
#include "predict/label_table.h"

#include <string.h>

// ---- the order of a graph ------------------------------------------------------------

// row [V] of each node of the graph in the file.
static opn_status find_rows(opn_ctx *ctx,
                            const char *path,
                            const opn_i_prediction_file *file,
                            const opn_graph *graph,
                            int32_t *row)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(graph);
    char number[12];
    opn_i_names index = {0};
    OPN_FAIL_IF(ctx, file->n_nodes != n, OPN_ERR_SHAPE, "%s: has %d nodes, but %s has %d",
                path, file->n_nodes, graph->name, n);
    OPN_TRY(opn_i_names_index(ctx, &file->nodes, &index));
    for (opn_vid i = 0; i < n; i++) {
        const char *name = opn_graph_node_name(graph, i, number);
        row[i] = file->has_nodes ? opn_i_names_find(&index, name, strlen(name)) : i;
        OPN_FAIL_IF(ctx, row[i] < 0, OPN_ERR_SHAPE,
                    "%s: has no row for node \"%s\" of %s", path, name, graph->name);
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &index);
    return status;
}

// x [n,width] becomes x[row[i]]; `room` is as large.
static void put_in_order(int32_t n, const int32_t *row, size_t size, void *x, void *room)
{
    if (x == NULL)
        return;
    for (int32_t i = 0; i < n; i++)
        memcpy((char *)room + (size_t)i * size, (char *)x + (size_t)row[i] * size, size);
    memcpy(x, room, (size_t)n * size);
}

// Puts the rows of the file into the order of the graph. The names of its nodes are
// those of the graph from then on.
static opn_status order_rows(opn_ctx *ctx,
                             const char *path,
                             const opn_graph *graph,
                             opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const int32_t n = file->n_nodes;
    const size_t wide = (size_t)file->n_known * sizeof(float);
    opn_prediction *said = file->said;
    opn_i_names names = {0};
    int32_t *row = NULL;
    char *room = NULL;
    OPN_TRY_NEW(ctx, row, opn_i_graph_n_nodes(graph));
    OPN_TRY(find_rows(ctx, path, file, graph, row));
    OPN_TRY_NEW(ctx, room, (size_t)n * wide);
    for (int32_t i = 0; i < n; i++) {
        const char *name = opn_i_names_at(&file->nodes, row[i]);
        OPN_TRY(opn_i_names_add(ctx, &names, name, strlen(name)));
    }
    put_in_order(n, row, wide, said->probability, room);
    put_in_order(n, row, wide, said->alpha, room);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        put_in_order(n, row, sizeof(float), said->measure[m], room);
    put_in_order(n, row, sizeof(int32_t), said->predicted, room);
    put_in_order(n, row, sizeof(int32_t), file->label, room);
    put_in_order(n, row, sizeof(uint8_t), file->role, room);
    opn_i_names_deinit(&ctx->alloc, &file->nodes);
    file->nodes = names;
    names = (opn_i_names){0};
cleanup:
    opn_i_names_deinit(&ctx->alloc, &names);
    opn_i_release(&ctx->alloc, row);
    opn_i_release(&ctx->alloc, room);
    return status;
}

// ---- labels --------------------------------------------------------------------------

static bool has_labels(const opn_i_prediction_file *file)
{
    for (int32_t i = 0; i < file->n_nodes; i++)
        if (file->label[i] >= 0)
            return true;
    return false;
}

opn_status opn_i_scores_take_labels(opn_ctx *ctx,
                                    const opn_graph *graph,
                                    opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const uint8_t *role = opn_graph_roles(graph);
    char number[12];
    if (has_labels(file))
        return OPN_OK;
    for (opn_vid i = 0; i < file->n_nodes; i++) {
        if (graph->label[i] < 0)
            continue;
        const char *name = opn_graph_class_name(graph, graph->label[i], number);
        OPN_TRY(opn_i_names_intern(ctx, &file->classes, name, strlen(name),
                                   &file->label[i]));
        if (role != NULL && !file->has_roles)
            file->role[i] = role[i];
    }
    file->has_roles = file->has_roles || role != NULL;
cleanup:
    return status;
}

static bool is_known(const opn_i_prediction_file *file, int32_t i)
{
    return file->label[i] >= 0 && file->label[i] < file->n_known;
}

// A class that the scores do not know is more often a slip than an unknown class, so that
// only nodes which are expressly set aside may have one.
static opn_status
check_classes(opn_ctx *ctx, const char *path, const opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    for (int32_t i = 0; i < file->n_nodes; i++) {
        const bool is_aside = file->has_roles && !opn_i_role_learns(file->role[i]);
        OPN_FAIL_IF(
                ctx, file->label[i] >= 0 && !is_known(file, i) && !is_aside,
                OPN_ERR_SHAPE,
                "%s: node \"%s\" has the label \"%s\", which is none of its %d "
                "classes, \"%s\", \"%s\"%s; only nodes with the role test or pool may "
                "be of another class",
                path, opn_i_names_at(&file->nodes, i),
                opn_i_names_at(&file->classes, file->label[i]), file->n_known,
                opn_i_names_at(&file->classes, 0), opn_i_names_at(&file->classes, 1),
                file->n_known > 2 ? ", …" : "");
    }
cleanup:
    return status;
}

// ---- roles ---------------------------------------------------------------------------

static bool has_promising(const opn_i_prediction_file *file)
{
    for (int32_t i = 0; i < file->n_nodes; i++)
        if (file->role[i] == OPN_ROLE_CALIBRATION || file->role[i] == OPN_ROLE_VALIDATION)
            return true;
    return false;
}

// Nodes with a label that nothing is said about are in the pool, and nodes without one
// are unlabelled.
static void settle_roles(opn_i_prediction_file *file)
{
    for (int32_t i = 0; i < file->n_nodes; i++) {
        if (file->label[i] < 0)
            file->role[i] = OPN_ROLE_UNLABELLED;
        else if (!file->has_roles || file->role[i] == OPN_ROLE_UNLABELLED)
            file->role[i] = OPN_ROLE_POOL;
    }
}

// Half of the nodes in the pool of each known class, rounded up, calibrates, and the
// others test.
static opn_status draw_halves(opn_ctx *ctx,
                              const opn_graph *graph,
                              uint64_t seed,
                              opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    opn_vid n = 0;
    int32_t *n_left = NULL; // of each class, to calibrate
    int32_t n_drawn = 0;
    int32_t n_pool = 0;
    OPN_TRY_NEW(ctx, n_left, file->n_known);
    OPN_TRY(opn_i_shuffle_labelled(ctx, graph, NULL, seed, &node, &n));
    for (opn_vid j = 0; j < n; j++)
        if (is_known(file, node[j]) && file->role[node[j]] == OPN_ROLE_POOL)
            n_left[file->label[node[j]]]++;
    for (int32_t k = 0; k < file->n_known; k++)
        n_left[k] = (n_left[k] + 1) / 2;
    for (opn_vid j = 0; j < n; j++) {
        const opn_vid i = node[j];
        if (!is_known(file, i) || file->role[i] != OPN_ROLE_POOL)
            continue;
        const bool is_drawn = n_left[file->label[i]]-- > 0;
        file->role[i] = is_drawn ? OPN_ROLE_CALIBRATION : OPN_ROLE_TEST;
        n_drawn += is_drawn;
        n_pool++;
    }
    if (n_pool > 0)
        opn_i_log(ctx, OPN_LOG_INFO,
                  "no roles say which nodes calibrate: %d of %d labelled nodes do, drawn "
                  "from each class with seed %llu, and the others test",
                  n_drawn, n_pool, (unsigned long long)seed);
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, n_left);
    return status;
}

// ---- what is asked for ---------------------------------------------------------------

opn_status
opn_i_scores_check_params(opn_ctx *ctx, const opn_params *params, bool has_graph)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                !has_graph && opn_params_given(params, "calibrate") &&
                        opn_i_calibration_wanted(params) == OPN_CALIBRATION_POOL,
                OPN_ERR_INVALID_ARG,
                "`calibrate` pool needs the neighbours of each node; name their graph "
                "with `graph`");
    OPN_FAIL_IF(ctx,
                !has_graph && opn_params_given(params, "coverage") &&
                        strcmp(opn_params_text(params, "set_score"), "daps") == 0,
                OPN_ERR_INVALID_ARG,
                "`set_score` daps needs the neighbours of each node; name their graph "
                "with `graph`");
cleanup:
    return status;
}

static bool needs_labels(const opn_params *params)
{
    return opn_i_calibration_wanted(params) != OPN_CALIBRATION_NONE ||
           opn_params_given(params, "target_accuracy") ||
           opn_params_given(params, "coverage") || opn_params_given(params, "ood_fdr");
}

// The nodes that promises rest on must tell classes apart.
static opn_status check_guarantee(opn_ctx *ctx,
                                  const char *path,
                                  const opn_i_prediction_file *file,
                                  const opn_i_guarantee *guarantee)
{
    opn_status status = OPN_OK;
    int32_t first = -1;
    bool differ = false;
    for (int32_t i = 0; i < file->n_nodes; i++) {
        const int32_t k = guarantee->target[i];
        differ = differ || (k >= 0 && first >= 0 && k != first);
        first = k >= 0 ? k : first;
    }
    OPN_FAIL_IF(ctx, !has_labels(file), OPN_ERR_SHAPE,
                "%s: no node has a label; name a table of labels with `labels`", path);
    OPN_FAIL_IF(ctx, guarantee->n == 0, OPN_ERR_SHAPE,
                "%s: no labelled node has the role calibration or validation, and none "
                "is in the pool to draw them from",
                path);
    OPN_FAIL_IF(ctx, !differ, OPN_ERR_SHAPE,
                "%s: the labels to calibrate with are of one class, \"%s\"; there must "
                "be two or more",
                path, opn_i_names_at(&file->classes, first));
cleanup:
    return status;
}

// ---- all of it -----------------------------------------------------------------------

// The graph as training would see it, as a copy that may be labelled.
static opn_status load_graph(opn_ctx *ctx, const opn_params *params, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *loaded = NULL;
    OPN_TRY(opn_graph_load_prepared(ctx, opn_params_text(params, "graph"), params,
                                    &loaded));
    OPN_TRY(opn_graph_copy(ctx, loaded, out));
cleanup:
    opn_graph_free(loaded);
    return status;
}

static opn_status read_labels(opn_ctx *ctx,
                              const char *path,
                              const opn_params *params,
                              const opn_graph *graph,
                              opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const char *labels = opn_params_text(params, "labels");
    if (labels[0] != 0)
        OPN_TRY(opn_i_label_table_read(ctx, labels, path, file));
    else if (graph != NULL)
        OPN_TRY(opn_i_scores_take_labels(ctx, graph, file));
cleanup:
    return status;
}

// Gives the graph the labels, classes and roles of the file.
static opn_status label_graph(opn_ctx *ctx,
                              const char *path,
                              uint64_t seed,
                              opn_i_prediction_file *file,
                              opn_graph **graph)
{
    opn_status status = OPN_OK;
    if (*graph == NULL) {
        OPN_TRY(opn_i_prediction_file_graph(ctx, path, file, graph));
    } else {
        OPN_TRY(opn_graph_set_labels(ctx, *graph, (int32_t)file->classes.n, file->label));
        OPN_TRY(opn_i_names_copy(ctx, &file->classes, &(*graph)->class_names));
    }
    if (!has_promising(file))
        OPN_TRY(draw_halves(ctx, *graph, seed, file));
    OPN_TRY(opn_graph_set_roles(ctx, *graph, file->role));
cleanup:
    return status;
}

// The split of these roles; classes that only labels name are unknown.
static opn_status split_graph(opn_ctx *ctx,
                              const opn_i_prediction_file *file,
                              const opn_graph *graph,
                              opn_split **out)
{
    opn_status status = OPN_OK;
    const int32_t n_ood = (int32_t)file->classes.n - file->n_known;
    int32_t *ood = NULL;
    OPN_TRY_NEW(ctx, ood, n_ood + 1);
    for (int32_t k = 0; k < n_ood; k++)
        ood[k] = file->n_known + k;
    OPN_TRY(opn_i_split_untrained(ctx, graph, ood, n_ood, out));
cleanup:
    opn_i_release(&ctx->alloc, ood);
    return status;
}

static opn_status calibrate(opn_ctx *ctx,
                            const char *path,
                            const opn_params *params,
                            bool has_edges,
                            const opn_graph *graph,
                            const opn_split *split,
                            const opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_prediction *said = file->said;
    opn_i_guarantee guarantee = {0};
    const opn_calibration wanted = opn_i_calibration_wanted(params);
    if (!needs_labels(params))
        return OPN_OK;
    OPN_TRY(opn_i_guarantee_init(ctx, graph, split, &guarantee));
    OPN_TRY(check_guarantee(ctx, path, file, &guarantee));
    if (wanted == OPN_CALIBRATION_POOL && has_edges) {
        OPN_TRY_NEW(ctx, said->around, (size_t)file->n_nodes * (size_t)file->n_known);
        OPN_TRY(opn_i_around(ctx, graph, true, file->n_known, said->probability,
                             said->probability, said->around));
    }
    OPN_TRY(opn_i_calibration_add(ctx, graph, split, params, said));
    if (wanted != OPN_CALIBRATION_NONE && said->calibrated == NULL)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: %d labelled nodes are too few to calibrate probabilities", path,
                  guarantee.n);
cleanup:
    opn_i_guarantee_deinit(&ctx->alloc, &guarantee);
    return status;
}

static const char settling[] = "reading the scores"; // in messages

opn_status opn_i_scores_finish(opn_ctx *ctx,
                               const char *path,
                               const opn_params *params,
                               opn_i_prediction_file *file,
                               opn_graph **nodes,
                               opn_split **split,
                               opn_prediction **prediction)
{
    opn_status status = OPN_OK;
    opn_split *roles = NULL;
    const bool has_edges = *nodes != NULL;
    OPN_TRY(check_classes(ctx, path, file));
    settle_roles(file);
    OPN_TRY(label_graph(ctx, path, (uint64_t)opn_params_int(params, "seed"), file,
                        nodes));
    OPN_TRY(opn_i_go_on(ctx, settling));
    OPN_TRY(split_graph(ctx, file, *nodes, &roles));
    OPN_TRY(opn_i_go_on(ctx, settling));
    OPN_TRY(calibrate(ctx, path, params, has_edges, *nodes, roles, file));
    *split = roles;
    *prediction = file->said;
    roles = NULL;
    file->said = NULL;
cleanup:
    opn_split_free(roles);
    return status;
}

opn_status opn_scores_load(opn_ctx *ctx,
                           const char *path,
                           const opn_params *params,
                           opn_graph **graph,
                           opn_split **split,
                           opn_prediction **prediction)
{
    OPN_REJECT_NULL(ctx, path, params, graph, split, prediction);
    opn_status status = OPN_OK;
    opn_i_prediction_file file = {0};
    opn_graph *nodes = NULL;
    const bool has_graph = opn_params_text(params, "graph")[0] != 0;
    OPN_TRY(opn_i_scores_check_params(ctx, params, has_graph));
    OPN_TRY(opn_i_scores_file_read(ctx, path, &file));
    if (has_graph) {
        OPN_TRY(load_graph(ctx, params, &nodes));
        OPN_TRY(order_rows(ctx, path, nodes, &file));
    }
    OPN_TRY(read_labels(ctx, path, params, nodes, &file));
    OPN_TRY(opn_i_scores_finish(ctx, path, params, &file, &nodes, split, prediction));
    *graph = nodes;
    nodes = NULL;
cleanup:
    opn_graph_free(nodes);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    return status;
}
