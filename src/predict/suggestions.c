// suggestions.c -- nodes that are worth labelling next.

#include "graph/roles.h"
#include "opine/labels.h"
#include "predict/node_list.h"
#include "predict/prediction_data.h"
#include "predict/suggestion_list.h"

#include <math.h>

// ---- the choice ----------------------------------------------------------------------

// What is left to settle, and room to work in, [V] each.
typedef struct choosing {
    opn_ctx *ctx;
    const opn_graph *graph;
    double *degree; // sum of edge weights, 1 for a node without neighbours
    float *left;    // u
    float *moved;
    uint8_t *is_open; // candidates not chosen yet
} choosing;

// Two steps of a lazy average over the neighbours: moved = P^2 moved.
static opn_status average_twice(const choosing *c)
{
    const opn_diffusion how = {
            .n_steps = 2, .teleport = 0.5, .is_lazy = true, .missing = (double)NAN};
    return opn_graph_diffuse(c->ctx, c->graph, &how, 1, c->moved);
}

static void find_degrees(const choosing *c)
{
    const opn_i_csr *a = &c->graph->topology;
    for (opn_vid i = 0; i < a->n_rows; i++) {
        double sum = 0.0;
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++)
            sum += a->value == NULL ? 1.0 : (double)a->value[e];
        c->degree[i] = sum > 0.0 ? sum : 1.0;
    }
}

// The open node with the largest gain, -1 if none is open. The graph is undirected, so
// that the transpose of P is D P D^-1, with D the degrees.
static opn_status choose_next(const choosing *c, opn_vid *best, double *gain)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(c->graph);
    for (opn_vid i = 0; i < n; i++)
        c->moved[i] = (float)((double)c->left[i] / c->degree[i]);
    OPN_TRY(average_twice(c));
    *best = -1;
    for (opn_vid i = 0; i < n; i++) {
        const double around = (double)c->moved[i] * c->degree[i];
        if (c->is_open[i] && (*best < 0 || around > *gain)) {
            *best = i;
            *gain = around;
        }
    }
cleanup:
    return status;
}

// Takes away what a label of node i settles.
static opn_status settle(const choosing *c, opn_vid i)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(c->graph);
    for (opn_vid j = 0; j < n; j++)
        c->moved[j] = j == i ? 1.0f : 0.0f;
    OPN_TRY(average_twice(c));
    const double own = (double)c->moved[i];
    for (opn_vid j = 0; j < n; j++)
        c->left[j] *= (float)fmax(0.0, 1.0 - (double)c->moved[j] / own);
    c->left[i] = 0.0f;
    c->is_open[i] = 0;
cleanup:
    return status;
}

opn_status opn_label_choose(opn_ctx *ctx,
                            const opn_graph *graph,
                            const float *unsettled,
                            const uint8_t *candidate,
                            int32_t n,
                            opn_vid *node,
                            double *gain,
                            int32_t *n_chosen)
{
    OPN_REJECT_NULL(ctx, graph, unsettled, candidate, node, gain, n_chosen);
    opn_status status = OPN_OK;
    choosing c = {.ctx = ctx, .graph = graph};
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    int32_t n_found = 0;
    opn_vid best = 0;
    OPN_FAIL_IF(ctx, n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes to choose; there must be at least 1", (int)n);
    OPN_TRY_NEW(ctx, c.degree, n_nodes);
    OPN_TRY_NEW(ctx, c.left, n_nodes);
    OPN_TRY_NEW(ctx, c.moved, n_nodes);
    OPN_TRY_NEW(ctx, c.is_open, n_nodes);
    for (opn_vid i = 0; i < n_nodes; i++) {
        OPN_FAIL_IF(ctx, !isfinite(unsettled[i]) || unsettled[i] < 0.0f,
                    OPN_ERR_INVALID_ARG,
                    "node %d is %g unsettled, which must be a finite number from 0 on",
                    (int)i, (double)unsettled[i]);
        c.left[i] = unsettled[i];
        c.is_open[i] = candidate[i] != 0;
    }
    find_degrees(&c);
    while (n_found < n) {
        OPN_TRY(opn_i_progress(ctx, "choosing nodes", n_found, n, "nodes"));
        OPN_TRY(choose_next(&c, &best, &gain[n_found]));
        if (best < 0)
            break;
        node[n_found++] = best;
        OPN_TRY(settle(&c, best));
    }
    *n_chosen = n_found;
cleanup:
    opn_i_release(&ctx->alloc, c.degree);
    opn_i_release(&ctx->alloc, c.left);
    opn_i_release(&ctx->alloc, c.moved);
    opn_i_release(&ctx->alloc, c.is_open);
    return status;
}

// ---- what a model leaves unsettled ---------------------------------------------------

typedef struct suggestion_list {
    opn_suggestions shown; // first, so that a pointer to it is one to the struct
    opn_alloc alloc;
    opn_suggestion *suggestion;
} suggestion_list;

void opn_suggestions_free(opn_suggestions *shown)
{
    suggestion_list *s = (suggestion_list *)(void *)shown;
    if (s == NULL)
        return;
    const opn_alloc alloc = s->alloc;
    opn_i_release(&alloc, s->suggestion);
    opn_i_release(&alloc, s);
}

static float measure_at(const opn_prediction *p, opn_measure m, opn_vid i)
{
    return p->measure[m] == NULL ? NAN : p->measure[m][i];
}

// Vacuity and dissonance add up to at most 1: what is left is belief without conflict.
static float unsettled_at(const opn_prediction *p, opn_vid i)
{
    const float sum = measure_at(p, OPN_MEASURE_VACUITY, i) +
                      measure_at(p, OPN_MEASURE_DISSONANCE, i);
    return isnan(sum) ? p->measure[OPN_MEASURE_ENTROPY][i] : sum;
}

// Whether the label of node i was used to train, stop or calibrate.
static bool is_used(const opn_split *split, opn_vid i)
{
    return split != NULL && opn_i_role_learns(opn_split_roles(split)[i]);
}

static int32_t count_unlabelled(const opn_graph *graph)
{
    int32_t n = 0;
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        n += graph->label[i] < 0;
    return n;
}

int32_t opn_i_suggestion_candidates(const opn_graph *graph, const opn_split *split)
{
    const int32_t n_unlabelled = count_unlabelled(graph);
    int32_t n_unused = 0;
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        n_unused += !is_used(split, i);
    return n_unlabelled > 0 ? n_unlabelled : n_unused;
}

// Fills both arrays [V].
static void find_candidates(const opn_graph *graph,
                            const opn_split *split,
                            const opn_prediction *p,
                            float *unsettled,
                            uint8_t *candidate)
{
    const bool has_unlabelled = count_unlabelled(graph) > 0;
    for (opn_vid i = 0; i < p->n_nodes; i++) {
        unsettled[i] = is_used(split, i) ? 0.0f : unsettled_at(p, i);
        candidate[i] = has_unlabelled ? graph->label[i] < 0 : !is_used(split, i);
    }
}

static opn_status choose_nodes(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_split *split,
                               const opn_prediction *p,
                               int32_t n,
                               suggestion_list *s)
{
    opn_status status = OPN_OK;
    float *unsettled = NULL;
    uint8_t *candidate = NULL;
    opn_vid *node = NULL;
    double *gain = NULL;
    OPN_TRY_NEW(ctx, unsettled, p->n_nodes);
    OPN_TRY_NEW(ctx, candidate, p->n_nodes);
    find_candidates(graph, split, p, unsettled, candidate);
    s->shown.n_candidates = opn_i_suggestion_candidates(graph, split);
    OPN_FAIL_IF(ctx, s->shown.n_candidates == 0, OPN_ERR_SHAPE,
                "%s: every label is known to the model, so there is nothing left to "
                "label",
                graph->name);
    n = n > s->shown.n_candidates ? s->shown.n_candidates : n;
    OPN_TRY_NEW(ctx, node, n);
    OPN_TRY_NEW(ctx, gain, n);
    OPN_TRY_NEW(ctx, s->suggestion, n);
    OPN_TRY(opn_label_choose(ctx, graph, unsettled, candidate, n, node, gain,
                             &s->shown.n));
    for (int32_t r = 0; r < s->shown.n; r++)
        s->suggestion[r] = (opn_suggestion){
                .node = node[r],
                .gain = gain[r],
                .predicted = p->predicted[node[r]],
                .vacuity = measure_at(p, OPN_MEASURE_VACUITY, node[r]),
                .dissonance = measure_at(p, OPN_MEASURE_DISSONANCE, node[r]),
                .entropy = measure_at(p, OPN_MEASURE_ENTROPY, node[r])};
    s->shown.suggestion = s->suggestion;
cleanup:
    opn_i_release(&ctx->alloc, unsettled);
    opn_i_release(&ctx->alloc, candidate);
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, gain);
    return status;
}

opn_status opn_i_suggest_predicted(opn_ctx *ctx,
                                   const opn_graph *graph,
                                   const opn_split *split,
                                   const opn_prediction *prediction,
                                   int32_t n,
                                   opn_suggestions **out)
{
    opn_status status = OPN_OK;
    suggestion_list *s = NULL;
    OPN_TRY_NEW(ctx, s, 1);
    s->alloc = ctx->alloc;
    OPN_TRY(choose_nodes(ctx, graph, split, prediction, n, s));
    *out = &s->shown;
    s = NULL;
cleanup:
    opn_suggestions_free(s == NULL ? NULL : &s->shown);
    return status;
}

opn_status opn_suggest(opn_ctx *ctx,
                       const opn_model *model,
                       const opn_graph *graph,
                       const opn_params *params,
                       int32_t n,
                       opn_suggestions **out)
{
    OPN_REJECT_NULL(ctx, model, graph, out);
    opn_status status = OPN_OK;
    opn_prediction *said = NULL;
    opn_split *split = NULL;
    OPN_FAIL_IF(ctx, n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes to suggest; there must be at least 1", (int)n);
    OPN_TRY(opn_model_for_graph(ctx, model, graph, &model));
    OPN_TRY(opn_model_split(ctx, model, graph, &split));
    OPN_TRY(opn_model_predict(ctx, model, graph, params, 0, &said));
    OPN_TRY(opn_i_suggest_predicted(ctx, graph, split, said, n, out));
cleanup:
    opn_prediction_free(said);
    opn_split_free(split);
    return status;
}

// ---- files ---------------------------------------------------------------------------

static const char *const columns[] = {"node",    "gain",       "predicted",
                                      "vacuity", "dissonance", "entropy"};

// What the fields of a list are read from.
typedef struct suggested {
    const opn_model *model;
    const opn_suggestion *suggestion;
} suggested;

static opn_i_list_field
field_of(const opn_i_node_list *list, int32_t row, int column, char room[12])
{
    const suggested *rows = list->rows;
    const opn_suggestion *s = &rows->suggestion[row];
    switch (column) {
    case 0:
        return (opn_i_list_field){opn_graph_node_name(list->graph, s->node, room), 0.0};
    case 1:
        return (opn_i_list_field){NULL, s->gain};
    case 2:
        return (opn_i_list_field){opn_model_class_name(rows->model, s->predicted), 0.0};
    case 3:
        return (opn_i_list_field){NULL, (double)s->vacuity};
    case 4:
        return (opn_i_list_field){NULL, (double)s->dissonance};
    default:
        return (opn_i_list_field){NULL, (double)s->entropy};
    }
}

opn_status opn_suggestions_save(opn_ctx *ctx,
                                const opn_model *model,
                                const opn_graph *graph,
                                const opn_suggestions *suggestions,
                                const char *path)
{
    OPN_REJECT_NULL(ctx, model, graph, suggestions, path);
    const suggested rows = {model, suggestions->suggestion};
    const opn_i_node_list list = {.graph = graph,
                                  .rows = &rows,
                                  .n_rows = suggestions->n,
                                  .n_columns = sizeof(columns) / sizeof(columns[0]),
                                  .column = columns,
                                  .field = field_of};
    return opn_i_node_list_save(ctx, &list, path);
}
