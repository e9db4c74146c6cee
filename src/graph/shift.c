// shift.c -- graphs that differ from a given one in structure or in features, as GNNSafe
// (Wu et al., ICLR 2023) makes them. docs/protocols.md has the definitions.

#include "base/random.h"
#include "graph/graph_data.h"

#include <math.h>

// ---- structure -----------------------------------------------------------------------

// Density of edges within a block and between blocks, in units of that of the graph.
static const double within_blocks = 1.5;
static const double between_blocks = 0.5;

// Edges drawn so far, each once.
typedef struct edge_list {
    int32_t *source, *target;
    size_t n, source_room, target_room;
} edge_list;

static opn_status add_edge(opn_ctx *ctx, int32_t i, int32_t j, edge_list *list)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, list->source, list->source_room, list->n, list->n + 1);
    OPN_TRY_RESERVE(ctx, list->target, list->target_room, list->n, list->n + 1);
    list->source[list->n] = i;
    list->target[list->n++] = j;
cleanup:
    return status;
}

// Joins node i to each of [first, last) with probability p. Draws how many are passed
// over before the next edge, so the cost is that of the edges.
static opn_status join_node(opn_ctx *ctx,
                            opn_i_rng *rng,
                            double p,
                            int32_t i,
                            int32_t first,
                            int32_t last,
                            edge_list *list)
{
    opn_status status = OPN_OK;
    const double log_miss = log1p(-p); // -inf for p = 1: nothing is passed over
    while (p > 0.0) {
        const double n_passed = floor(log1p(-opn_i_rng_unit(rng)) / log_miss);
        if (!(n_passed < (double)last - first)) // may be beyond any integer
            break;
        OPN_TRY(add_edge(ctx, i, first + (int32_t)n_passed, list));
        first += (int32_t)n_passed + 1;
    }
cleanup:
    return status;
}

// A block model over the numbers of the nodes, not over their labels: as many blocks as
// classes, all of floor(V / K) nodes but the last, which has the rest.
static opn_status
draw_blocks(opn_ctx *ctx, const opn_graph *graph, uint64_t seed, edge_list *list)
{
    opn_status status = OPN_OK;
    const int32_t n = opn_i_graph_n_nodes(graph);
    const int32_t n_blocks = graph->n_classes > 0 ? graph->n_classes : 1;
    const int32_t size = n / n_blocks;
    const double n_pairs = (double)n * ((double)n - 1.0);
    const double density =
            n > 1 ? (double)opn_i_csr_n_entries(&graph->topology) / n_pairs : 0.0;
    opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_SHIFT_EDGES, 0);
    for (int32_t i = 0; i < n; i++) {
        const int32_t block = size > 0 ? i / size : n_blocks;
        const int32_t end = block < n_blocks - 1 ? (block + 1) * size : n;
        OPN_TRY(join_node(ctx, &rng, fmin(1.0, within_blocks * density), i, i + 1, end,
                          list));
        OPN_TRY(join_node(ctx, &rng, fmin(1.0, between_blocks * density), i, end, n,
                          list));
    }
cleanup:
    return status;
}

static opn_status shift_structure(opn_ctx *ctx, uint64_t seed, opn_graph *graph)
{
    opn_status status = OPN_OK;
    edge_list list = {0};
    opn_i_csr once = {0};
    opn_i_csr both = {0};
    const int32_t n = opn_i_graph_n_nodes(graph);
    OPN_TRY(draw_blocks(ctx, graph, seed, &list));
    OPN_TRY(opn_i_csr_from_triples(ctx, n, n, (opn_off)list.n, list.source, list.target,
                                   NULL, &once));
    OPN_TRY(opn_i_topology_undirect(ctx, &once, &both));
    opn_i_csr_deinit(&ctx->alloc, &graph->topology);
    graph->topology = both;
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &once);
    opn_i_release(&ctx->alloc, list.source);
    opn_i_release(&ctx->alloc, list.target);
    return status;
}

// ---- features ------------------------------------------------------------------------

// What a node gets: `weight` of one node's features, the rest of another's.
typedef struct mix {
    int32_t node[2];
    double weight;
} mix;

static mix draw_mix(uint64_t seed, int32_t i, int32_t n)
{
    opn_i_rng rng =
            opn_i_rng_start_at(seed, OPN_STREAM_SHIFT_FEATURES, 0, (uint64_t)(uint32_t)i);
    mix drawn;
    drawn.node[0] = (int32_t)opn_i_rng_below(&rng, (uint32_t)n);
    drawn.node[1] = (int32_t)opn_i_rng_below(&rng, (uint32_t)n);
    drawn.weight = opn_i_rng_unit(&rng);
    return drawn;
}

// Merges the two rows of a mix into `to`, from entry `at` on; returns its end.
static opn_off mix_rows(const opn_i_features *x, const mix *m, opn_off at, opn_i_csr *to)
{
    opn_i_feature_cursor a = opn_i_features_row(x, m->node[0]);
    opn_i_feature_cursor b = opn_i_features_row(x, m->node[1]);
    bool more_a = opn_i_feature_next(&a), more_b = opn_i_feature_next(&b);
    while (more_a || more_b) {
        const bool has_a = more_a && (!more_b || a.col <= b.col);
        const bool has_b = more_b && (!more_a || b.col <= a.col);
        to->col_idx[at] = has_a ? a.col : b.col;
        to->value[at++] = (opn_real)((has_a ? m->weight * (double)a.value : 0.0) +
                                     (has_b ? (1.0 - m->weight) * (double)b.value : 0.0));
        more_a = has_a ? opn_i_feature_next(&a) : more_a;
        more_b = has_b ? opn_i_feature_next(&b) : more_b;
    }
    return at;
}

// Entries of row i.
static opn_off count_row(const opn_i_features *x, int32_t i)
{
    opn_off n = 0;
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
        n++;
    return n;
}

static opn_status shift_features(opn_ctx *ctx, uint64_t seed, opn_graph *graph)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    const int32_t n = opn_i_graph_n_nodes(graph);
    opn_i_features mixed = {0};
    opn_off n_most = 0; // entries
    OPN_FAIL_IF(ctx, x->n_cols == 0, OPN_ERR_SHAPE, "%s: has no features to shift",
                graph->name);
    for (int32_t i = 0; i < n; i++) {
        const mix m = draw_mix(seed, i, n);
        const opn_off n_both = count_row(x, m.node[0]) + count_row(x, m.node[1]);
        n_most += n_both < x->n_cols ? n_both : x->n_cols;
    }
    OPN_TRY(opn_i_csr_init(ctx, n, x->n_cols, n_most, true, &mixed.lists));
    for (int32_t i = 0; i < n; i++) {
        const mix m = draw_mix(seed, i, n);
        mixed.lists.row_ptr[i + 1] =
                mix_rows(x, &m, mixed.lists.row_ptr[i], &mixed.lists);
    }
    OPN_TRY(opn_i_csr_tidy(ctx, &mixed.lists));
    OPN_TRY(opn_i_features_settle(ctx, &mixed));
    opn_i_features_deinit(&ctx->alloc, &graph->features);
    graph->features = mixed;
    graph->rows_are_scaled = true;
    mixed = (opn_i_features){0};
cleanup:
    opn_i_features_deinit(&ctx->alloc, &mixed);
    return status;
}

// ---- either --------------------------------------------------------------------------

opn_status opn_graph_shift(opn_ctx *ctx,
                           const opn_graph *graph,
                           opn_shift shift,
                           uint64_t seed,
                           opn_graph **out)
{
    OPN_REJECT_NULL(ctx, graph, out);
    opn_status status = OPN_OK;
    opn_graph *made = NULL;
    OPN_FAIL_IF(ctx, shift != OPN_SHIFT_STRUCTURE && shift != OPN_SHIFT_FEATURE,
                OPN_ERR_INVALID_ARG, "%d is not a shift of a graph", (int)shift);
    OPN_TRY(opn_i_graph_check_undirected(ctx, graph));
    OPN_TRY(opn_graph_prepare(ctx, graph, 0, &made));
    if (shift == OPN_SHIFT_STRUCTURE)
        OPN_TRY(shift_structure(ctx, seed, made));
    else
        OPN_TRY(shift_features(ctx, seed, made));
    *out = made;
    made = NULL;
cleanup:
    opn_graph_free(made);
    return status;
}
