// explain.c -- explains a model's prediction for one node.

#include "opine/explain.h"

#include "graph/gkde.h"
#include "opinion/conflict.h"
#include "predict/explanation_data.h"
#include "predict/prediction_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void opn_explanation_free(opn_explanation *explanation)
{
    opn_i_explanation *e = (opn_i_explanation *)(void *)explanation;
    if (e == NULL)
        return;
    const opn_alloc alloc = e->alloc;
    opn_i_release(&alloc, e->probability);
    opn_i_release(&alloc, e->alpha);
    opn_i_release(&alloc, e->belief);
    opn_i_release(&alloc, e->hops);
    opn_i_release(&alloc, e->prior);
    opn_i_release(&alloc, e->source);
    opn_i_release(&alloc, e->conflict);
    opn_i_release(&alloc, e->neighbour);
    opn_i_release(&alloc, e->measure);
    opn_i_release(&alloc, e->sentence);
    opn_i_release(&alloc, e);
}

// The inputs of every part of an explanation.
typedef struct question {
    opn_ctx *ctx;
    const opn_model *model;
    const opn_graph *graph;
    const opn_split *split; // or NULL
    const opn_prediction *prediction;
} question;

static opn_status check_node(opn_ctx *ctx, const opn_graph *graph, opn_vid node)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(graph);
    OPN_FAIL_IF(ctx, node < 0 || node >= n, OPN_ERR_INVALID_ARG,
                "%s: there is no node %d, it has %d", graph->name, node, n);
    OPN_FAIL_IF(ctx, !graph->is_undirected, OPN_ERR_SHAPE,
                "%s: a directed graph, prepare it with OPN_STEP_UNDIRECTED", graph->name);
cleanup:
    return status;
}

static opn_status check_question(const question *q, opn_vid node)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(q->graph);
    const int32_t n_classes = q->model->sizes.n_classes;
    OPN_TRY(check_node(q->ctx, q->graph, node));
    OPN_FAIL_IF(q->ctx,
                q->split != NULL && (opn_split_n_nodes(q->split) != n ||
                                     opn_split_n_known(q->split) != n_classes),
                OPN_ERR_SHAPE, "%s: the split belongs to another graph", q->graph->name);
    OPN_FAIL_IF(q->ctx,
                q->prediction->n_nodes != n || q->prediction->n_classes != n_classes,
                OPN_ERR_SHAPE, "%s: the prediction is of another graph or model",
                q->graph->name);
cleanup:
    return status;
}

// ---- opinion -------------------------------------------------------------------------

static void put_measures(const question *q, opn_vid i, float *to)
{
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const float *measure = q->prediction->measure[m];
        to[m] = measure == NULL ? NAN : measure[i];
    }
}

// Sets the beliefs if the model measures vacuity. A Dirichlet prior network has evidence
// too, but it does not represent belief.
static opn_status add_opinion(const question *q, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const int32_t n = e->shown.n_classes;
    const size_t at = (size_t)e->shown.node * (size_t)n;
    const bool has_alpha = q->prediction->alpha != NULL;
    double strength = 0.0;
    OPN_TRY_NEW(q->ctx, e->probability, n);
    memcpy(e->probability, q->prediction->probability + at,
           (size_t)n * sizeof(*e->probability));
    if (has_alpha) {
        OPN_TRY_NEW(q->ctx, e->alpha, n);
        memcpy(e->alpha, q->prediction->alpha + at, (size_t)n * sizeof(*e->alpha));
        for (int32_t k = 0; k < n; k++)
            strength += (double)e->alpha[k];
    }
    if (has_alpha && opn_model_measures(q->model, OPN_MEASURE_VACUITY)) {
        OPN_TRY_NEW(q->ctx, e->belief, n);
        for (int32_t k = 0; k < n; k++)
            e->belief[k] = (float)(((double)e->alpha[k] - 1.0) / strength);
    }
cleanup:
    return status;
}

// Measures of the node, then of each neighbour.
static opn_status make_measures(const question *q, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const opn_off *row = q->graph->topology.row_ptr + e->shown.node;
    const size_t n_rows = 1 + (size_t)(row[1] - row[0]);
    OPN_TRY_NEW(q->ctx, e->measure, n_rows * OPN_N_MEASURES);
    put_measures(q, e->shown.node, e->measure);
    e->shown.n_measures = OPN_N_MEASURES;
    e->shown.measure = e->measure;
cleanup:
    return status;
}

// ---- conflicts -----------------------------------------------------------------------

// Whether c sorts before other. Ties are broken by class, so the order is deterministic.
static bool is_before(const opn_conflict *c, const opn_conflict *other)
{
    const int32_t least = c->a < c->b ? c->a : c->b;
    const int32_t other_least = other->a < other->b ? other->a : other->b;
    return c->dissonance != other->dissonance ? c->dissonance > other->dissonance
           : least != other_least             ? least < other_least
                                              : c->a + c->b < other->a + other->b;
}

// Inserts into the sorted list, dropping the smallest entry when the list is full.
static void put_conflict(opn_i_explanation *e, opn_conflict found)
{
    int32_t at = e->shown.n_conflicts;
    if (at == OPN_MAX_CONFLICTS) {
        e->shown.n_conflicts_left++;
        const opn_conflict *last = &e->conflict[at - 1];
        if (!is_before(&found, last)) {
            e->shown.conflict_left += found.dissonance;
            return;
        }
        e->shown.conflict_left += last->dissonance;
        at--;
    } else {
        e->shown.n_conflicts++;
    }
    for (; at > 0 && is_before(&found, &e->conflict[at - 1]); at--)
        e->conflict[at] = e->conflict[at - 1];
    e->conflict[at] = found;
}

static opn_status add_conflicts(const question *q, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const int32_t n = e->shown.n_classes;
    double *alpha = NULL;
    double *others = NULL;
    double sum = 0.0;
    if (e->alpha == NULL || !opn_model_measures(q->model, OPN_MEASURE_DISSONANCE))
        return OPN_OK;
    OPN_TRY_NEW(q->ctx, alpha, n);
    OPN_TRY_NEW(q->ctx, others, n);
    OPN_TRY_NEW(q->ctx, e->conflict, OPN_MAX_CONFLICTS);
    for (int32_t k = 0; k < n; k++)
        alpha[k] = (double)e->alpha[k];
    opn_i_conflict_others(n, alpha, others);
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = j + 1; k < n; k++) {
            const double part = opn_i_conflict_part(n, alpha, others, j, k);
            const bool is_less = alpha[j] < alpha[k];
            sum += part;
            if (part > 0.0)
                put_conflict(e, (opn_conflict){.a = is_less ? k : j,
                                               .b = is_less ? j : k,
                                               .dissonance = part});
        }
    for (int32_t c = 0; c < e->shown.n_conflicts; c++)
        e->conflict[c].share = e->conflict[c].dissonance / sum;
cleanup:
    opn_i_release(&q->ctx->alloc, alpha);
    opn_i_release(&q->ctx->alloc, others);
    return status;
}

// ---- labelled nodes ------------------------------------------------------------------

// A breadth-first search from the node, and its goals.
typedef struct search {
    int32_t *queue;    // [V]
    uint8_t *is_seen;  // [V]
    double sigma;      // of the prior
    bool has_constant; // of the prior
    int32_t radius;    // of the prior; 0 without one
    int32_t n_missing; // classes without a training node found so far
    size_t room;       // of e->source
} search;

// Class of a training node, -1 for all others.
static int32_t target_of(const question *q, opn_vid i)
{
    const int32_t label = q->graph->label[i];
    return label < 0 || opn_split_roles(q->split)[i] != OPN_ROLE_TRAIN
                   ? -1
                   : opn_split_known(q->split)[label];
}

static opn_status init_search(const question *q, search *s, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(q->graph);
    int64_t n_labelled = 0;
    opn_params *trained = NULL;
    OPN_TRY(opn_i_model_params(q->ctx, q->model, &trained));
    OPN_TRY_NEW(q->ctx, s->queue, n);
    OPN_TRY_NEW(q->ctx, s->is_seen, n);
    OPN_TRY_NEW(q->ctx, e->hops, e->shown.n_classes);
    for (opn_vid i = 0; i < n; i++) {
        const int32_t k = target_of(q, i);
        if (k < 0)
            continue;
        n_labelled++;
        s->n_missing += e->hops[k] == 0;
        e->hops[k] = -1; // not reached yet, like classes without training nodes
    }
    for (int32_t k = 0; k < e->shown.n_classes; k++)
        e->hops[k] = -1;
    if (q->model->kind->has_prior) {
        OPN_TRY_NEW(q->ctx, e->prior, e->shown.n_classes);
        s->sigma = opn_params_real(trained, "sigma");
        s->has_constant = opn_params_flag(trained, "kernel_constant") != 0;
        s->radius = opn_i_gkde_radius(s->sigma, s->has_constant, n_labelled);
    }
cleanup:
    opn_params_free(trained);
    return status;
}

// Records a training node that the search has reached.
static opn_status
add_labelled(const question *q, search *s, opn_vid i, int32_t hops, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const int32_t k = target_of(q, i);
    if (k < 0)
        return OPN_OK;
    if (e->hops[k] < 0) {
        e->hops[k] = hops;
        s->n_missing--;
        if (e->shown.nearest_hops < 0)
            e->shown.nearest_hops = hops;
    }
    if (hops < s->radius) {
        const double weight = opn_i_gkde_weight(s->sigma, s->has_constant, hops);
        OPN_TRY_RESERVE(q->ctx, e->source, s->room, (size_t)e->shown.n_sources,
                        (size_t)e->shown.n_sources + 1);
        e->source[e->shown.n_sources++] =
                (opn_source){.node = i, .k = k, .hops = hops, .weight = weight};
        e->prior[k] += weight;
        e->shown.prior_sum += weight;
    }
cleanup:
    return status;
}

static int compare_sources(const void *a, const void *b)
{
    const opn_source *x = a;
    const opn_source *y = b;
    return x->hops != y->hops ? (x->hops > y->hops) - (x->hops < y->hops)
                              : (x->node > y->node) - (x->node < y->node);
}

// Searches hop by hop until every class is found and the prior's radius is covered.
static opn_status run_search(const question *q, search *s, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &q->graph->topology;
    int32_t first = 0;
    int32_t last = 1; // the queue's nodes at this distance are [first, last)
    s->queue[0] = e->shown.node;
    s->is_seen[e->shown.node] = 1;
    for (int32_t hops = 0; first < last && (s->n_missing > 0 || hops < s->radius);
         hops++) {
        const int32_t end = last;
        for (; first < end; first++) {
            const opn_vid i = s->queue[first];
            OPN_TRY(add_labelled(q, s, i, hops, e));
            for (opn_off at = a->row_ptr[i]; at < a->row_ptr[i + 1]; at++) {
                const opn_vid j = a->col_idx[at];
                if (!s->is_seen[j])
                    s->queue[last++] = j;
                s->is_seen[j] = 1;
            }
        }
        OPN_TRY(opn_i_progress(q->ctx, "searching for labels", last,
                               opn_i_graph_n_nodes(q->graph), "nodes"));
    }
cleanup:
    return status;
}

static opn_status add_labels(const question *q, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    search s = {0};
    e->shown.nearest_hops = -1;
    if (q->split == NULL)
        return OPN_OK;
    OPN_TRY(init_search(q, &s, e));
    OPN_TRY(run_search(q, &s, e));
    if (e->shown.n_sources > 1)
        qsort(e->source, (size_t)e->shown.n_sources, sizeof(*e->source), compare_sources);
    for (int32_t l = 0; l < e->shown.n_sources; l++)
        e->source[l].share = e->source[l].weight / e->shown.prior_sum;
cleanup:
    opn_i_release(&q->ctx->alloc, s.queue);
    opn_i_release(&q->ctx->alloc, s.is_seen);
    return status;
}

// ---- neighbours ----------------------------------------------------------------------

// By probability of the predicted class, then by index.
static int compare_neighbours(const void *a, const void *b)
{
    const opn_neighbour *x = a;
    const opn_neighbour *y = b;
    return x->probability != y->probability
                   ? (x->probability < y->probability) - (x->probability > y->probability)
                   : (x->node > y->node) - (x->node < y->node);
}

static opn_neighbour neighbour_at(const question *q, opn_vid j, float *measure)
{
    const int32_t predicted = q->prediction->predicted[j];
    const size_t at = (size_t)j * (size_t)q->model->sizes.n_classes + (size_t)predicted;
    put_measures(q, j, measure);
    return (opn_neighbour){.node = j,
                           .predicted = predicted,
                           .probability = q->prediction->probability[at],
                           .measure = measure};
}

static opn_status add_neighbours(const question *q, opn_i_explanation *e)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &q->graph->topology;
    const opn_off first = a->row_ptr[e->shown.node];
    const int32_t n = (int32_t)(a->row_ptr[e->shown.node + 1] - first);
    int32_t n_others = 0;
    int32_t n_agreeing = 0;
    OPN_TRY_NEW(q->ctx, e->neighbour, n);
    for (int32_t at = 0; at < n; at++) {
        float *measure = e->measure + (size_t)(1 + at) * OPN_N_MEASURES;
        const opn_neighbour j = neighbour_at(q, a->col_idx[first + at], measure);
        if (j.predicted == e->shown.predicted)
            e->neighbour[n - ++n_agreeing] = j;
        else
            e->neighbour[n_others++] = j;
    }
    qsort(e->neighbour, (size_t)n_others, sizeof(*e->neighbour), compare_neighbours);
    qsort(e->neighbour + n_others, (size_t)n_agreeing, sizeof(*e->neighbour),
          compare_neighbours);
    e->shown.n_neighbours = n;
    e->shown.n_agreeing = n_agreeing;
cleanup:
    return status;
}

// ---- whole explanation ---------------------------------------------------------------

static opn_role role_of(const question *q, opn_vid i)
{
    return q->split != NULL          ? (opn_role)opn_split_roles(q->split)[i]
           : q->graph->label[i] >= 0 ? OPN_ROLE_POOL
                                     : OPN_ROLE_UNLABELLED;
}

static opn_reason reason_of(const opn_explanation *e)
{
    const float vacuity = e->measure[OPN_MEASURE_VACUITY];
    const float dissonance = e->measure[OPN_MEASURE_DISSONANCE];
    if (e->belief == NULL || isnan(vacuity) || isnan(dissonance))
        return e->measure[OPN_MEASURE_ENTROPY] > e->probability[e->predicted]
                       ? OPN_REASON_UNDECIDED
                       : OPN_REASON_SURE;
    const float belief = e->belief[e->predicted];
    if (vacuity > belief && vacuity >= dissonance)
        return OPN_REASON_LITTLE_EVIDENCE;
    return dissonance > belief && e->n_conflicts > 0 ? OPN_REASON_CONFLICT
                                                     : OPN_REASON_SURE;
}

static void show(opn_i_explanation *e)
{
    e->shown.probability = e->probability;
    e->shown.alpha = e->alpha;
    e->shown.belief = e->belief;
    e->shown.hops = e->hops;
    e->shown.prior = e->prior;
    e->shown.source = e->source;
    e->shown.conflict = e->conflict;
    e->shown.neighbour = e->neighbour;
    e->shown.reason = reason_of(&e->shown);
}

opn_status opn_explain_predicted(opn_ctx *ctx,
                                 const opn_model *model,
                                 const opn_graph *graph,
                                 const opn_split *split,
                                 const opn_prediction *prediction,
                                 opn_vid node,
                                 opn_explanation **out)
{
    OPN_REJECT_NULL(ctx, model, graph, prediction, out);
    opn_status status = OPN_OK;
    opn_i_explanation *e = NULL;
    const question q = {ctx, model, graph, split, prediction};
    OPN_TRY(check_question(&q, node));
    OPN_TRY_NEW(ctx, e, 1);
    e->alloc = ctx->alloc;
    e->shown.node = node;
    e->shown.role = role_of(&q, node);
    e->shown.label = graph->label[node];
    e->shown.n_classes = model->sizes.n_classes;
    e->shown.predicted = prediction->predicted[node];
    e->shown.is_of_training = split != NULL;
    e->shown.has_prior = model->kind->has_prior;
    OPN_TRY(make_measures(&q, e));
    OPN_TRY(add_opinion(&q, e));
    OPN_TRY(add_conflicts(&q, e));
    OPN_TRY(add_labels(&q, e));
    OPN_TRY(add_neighbours(&q, e));
    show(e);
    OPN_TRY(opn_i_explanation_say(ctx, model, graph, e));
    *out = &e->shown;
    e = NULL;
cleanup:
    opn_explanation_free(e == NULL ? NULL : &e->shown);
    return status;
}

opn_status opn_explain(opn_ctx *ctx,
                       const opn_model *model,
                       const opn_graph *graph,
                       opn_vid node,
                       const opn_params *params,
                       opn_explanation **out)
{
    OPN_REJECT_NULL(ctx, model, graph, out);
    opn_status status = OPN_OK;
    opn_prediction *prediction = NULL;
    opn_split *split = NULL;
    OPN_TRY(check_node(ctx, graph, node)); // before doing any work
    OPN_TRY(opn_model_for_graph(ctx, model, graph, &model));
    OPN_TRY(opn_model_split(ctx, model, graph, &split));
    OPN_TRY(opn_model_predict(ctx, model, graph, params, 0, &prediction));
    OPN_TRY(opn_explain_predicted(ctx, model, graph, split, prediction, node, out));
cleanup:
    opn_prediction_free(prediction);
    opn_split_free(split);
    return status;
}
