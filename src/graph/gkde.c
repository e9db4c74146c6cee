// gkde.c -- evidence from nearby labelled nodes.
//
// Labelled nodes, sorted by class, are searched from in batches. Sums are integers, so
// batches may run on several threads and end in any order: the bits are the same.

#include "graph/gkde.h"

#include "graph/gkde_search.h"
#include "graph/order.h"
#include "graph/shards.h"

#include <math.h>
#include <string.h>

enum { ROUND = 4 };                  // batches per thread between reports of progress
enum { NODES_OF_A_CLASS = 1 << 16 }; // in a portion: see weigh_hops()
enum { NODES_A_THREAD = 4096 };      // fewer are not worth a thread
enum { REORDERED_NODES = 50000 };    // sets of fewer nodes fit in the L2 cache
enum { REORDERED_BATCHES = 8 };      // fewer do not repay the time of reordering

// Memory of all searches together; if each thread cannot have one, they share the rows of
// one search instead.
static const double most_bytes = 0x1p30;

// Labelled nodes sorted by class.
typedef struct labelled {
    int32_t *node, *label; // [n]
    int32_t n;
} labelled;

// Labelled nodes [first, last), whose sums are computed together: their classes have the
// same quotient by OPN_GKDE_CLASSES.
typedef struct portion {
    const labelled *of;
    int32_t first, last;
    int32_t n_most; // nodes of its largest class
} portion;

// The edges with the nodes in an order that keeps neighbours close together, or as given.
typedef struct layout {
    int32_t *order, *place; // [V]; NULL as given
    opn_i_csr reordered;
    const opn_i_csr *topology;
} layout;

// Searches that may run at once, and their memory.
typedef struct crew {
    const opn_graph *graph;
    opn_i_gkde_search *search; // [n]
    int n, n_threads;
    int32_t n_nodes;
    opn_i_hop_weights weights;
    opn_i_bit_set *sets;
    uint64_t *maps;
    int64_t *sums;
    int64_t n_done, n_hops; // of all batches, for the progress
} crew;

// ---- the kernel ----------------------------------------------------------------------

double opn_i_gkde_weight(double sigma, bool kernel_constant, int32_t hops)
{
    const double pi = 3.14159265358979323846;
    const double constant = kernel_constant ? 1.0 / (sigma * sqrt(2.0 * pi)) : 1.0;
    const double d = hops;
    return constant * exp(-0.5 * d * d / (sigma * sigma));
}

// Beyond this distance all remaining evidence together is below half an ulp of 1.
int32_t opn_i_gkde_radius(double sigma, bool kernel_constant, int64_t n_labelled)
{
    const double least = sizeof(opn_real) == sizeof(float) ? 0x1p-25 : 0x1p-54;
    int32_t d = 0;
    while (d < INT32_MAX / 2 &&
           opn_i_gkde_weight(sigma, kernel_constant, d) * (double)n_labelled >= least)
        d++;
    return d;
}

// Weights as integers whose sum over n nodes stays within 2^62. Each is rounded by at
// most half of 2^-shift, so with g(0) = 1 the sum is off by at most n^2 2^-62: 2^-30 for
// the most nodes that a portion has of a class, where half an ulp of 1 is 2^-24.
static void
weigh_hops(double sigma, bool kernel_constant, int32_t n_nodes, opn_i_hop_weights *to)
{
    int exponent = 0;
    (void)frexp(opn_i_gkde_weight(sigma, kernel_constant, 0) * n_nodes, &exponent);
    to->shift = 62 - exponent;
    for (int32_t d = 0; d < to->radius; d++)
        to->weight[d] =
                llrint(ldexp(opn_i_gkde_weight(sigma, kernel_constant, d), to->shift));
}

// ---- portions ------------------------------------------------------------------------

// The portion that begins with labelled node `first`.
static portion next_portion(const labelled *l, int32_t first)
{
    portion p = {.of = l, .first = first, .last = first};
    const int32_t group = l->label[first] / OPN_GKDE_CLASSES;
    int32_t n_same = 0;
    for (; p.last < l->n && l->label[p.last] / OPN_GKDE_CLASSES == group; p.last++) {
        n_same = p.last > first && l->label[p.last] == l->label[p.last - 1] ? n_same + 1
                                                                            : 1;
        if (n_same > NODES_OF_A_CLASS)
            break;
        if (n_same > p.n_most)
            p.n_most = n_same;
    }
    return p;
}

static int32_t batches_of(const portion *p)
{
    return (p->last - p->first + OPN_GKDE_BATCH - 1) / OPN_GKDE_BATCH;
}

static int64_t count_batches(const labelled *l)
{
    int64_t n_batches = 0;
    for (int32_t first = 0; first < l->n;) {
        const portion p = next_portion(l, first);
        n_batches += batches_of(&p);
        first = p.last;
    }
    return n_batches;
}

static opn_status sort_labelled(opn_ctx *ctx,
                                const int32_t *target,
                                int32_t n_nodes,
                                int32_t n_classes,
                                labelled *out)
{
    opn_status status = OPN_OK;
    int32_t *start = NULL;
    OPN_TRY_NEW(ctx, start, (size_t)n_classes + 1);
    for (int32_t i = 0; i < n_nodes; i++)
        if (target[i] >= 0)
            start[target[i] + 1]++;
    for (int32_t k = 0; k < n_classes; k++)
        start[k + 1] += start[k];
    out->n = start[n_classes];
    OPN_TRY_NEW(ctx, out->node, out->n);
    OPN_TRY_NEW(ctx, out->label, out->n);
    for (int32_t i = 0; i < n_nodes; i++) {
        if (target[i] < 0)
            continue;
        out->node[start[target[i]]] = i;
        out->label[start[target[i]]++] = target[i];
    }
cleanup:
    opn_i_release(&ctx->alloc, start);
    return status;
}

// ---- layout --------------------------------------------------------------------------

static void layout_deinit(opn_ctx *ctx, layout *to)
{
    opn_i_release(&ctx->alloc, to->order);
    opn_i_release(&ctx->alloc, to->place);
    opn_i_csr_deinit(&ctx->alloc, &to->reordered);
}

// Reorders the nodes, and those of `l` with them, if the searches repay it: with
// 21,168 labels on ogbn-arxiv, all takes 2.3 instead of 3.2 s.
static opn_status layout_init(
        opn_ctx *ctx, const opn_i_csr *topology, bool is_partial, labelled *l, layout *to)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = topology->n_rows;
    to->topology = topology;
    if (is_partial || n_nodes < REORDERED_NODES ||
        l->n < REORDERED_BATCHES * OPN_GKDE_BATCH)
        return OPN_OK;
    OPN_TRY_NEW(ctx, to->order, n_nodes);
    OPN_TRY_NEW(ctx, to->place, n_nodes);
    OPN_TRY(opn_i_graph_order(ctx, topology, to->order));
    opn_i_order_invert(n_nodes, to->order, to->place);
    OPN_TRY(opn_i_csr_take_rows(ctx, topology, to->order, n_nodes, &to->reordered));
    OPN_TRY(opn_i_csr_rename_cols(ctx, to->place, n_nodes, &to->reordered));
    to->topology = &to->reordered;
    for (int32_t n = 0; n < l->n; n++)
        l->node[n] = to->place[l->node[n]];
cleanup:
    return status;
}

// ---- all batches ---------------------------------------------------------------------

static void crew_deinit(opn_ctx *ctx, crew *c)
{
    opn_i_release(&ctx->alloc, c->search);
    opn_i_release(&ctx->alloc, c->weights.weight);
    opn_i_release(&ctx->alloc, c->sets);
    opn_i_release(&ctx->alloc, c->maps);
    opn_i_release(&ctx->alloc, c->sums);
}

static int count_searches(const crew *c, int32_t n_columns, int32_t n_labelled)
{
    const double n_bytes =
            (3.0 * sizeof(opn_i_bit_set) + 8.0 * n_columns) * c->n_nodes * c->n_threads;
    const bool has_work = n_labelled / OPN_GKDE_BATCH >= c->n_threads;
    const bool may_part = !opn_i_graph_is_partial(c->graph);
    return may_part && has_work && n_bytes <= most_bytes ? c->n_threads : 1;
}

static opn_status crew_init(opn_ctx *ctx,
                            const opn_i_csr *topology,
                            int32_t n_columns,
                            int32_t n_labelled,
                            crew *c)
{
    opn_status status = OPN_OK;
    const size_t n_nodes = (size_t)c->n_nodes;
    const size_t n_words = opn_i_map_words(c->n_nodes);
    const size_t n_sums = n_nodes * (size_t)n_columns;
    c->n_threads = opn_i_threads_for(ctx, c->n_nodes, NODES_A_THREAD);
    c->n = count_searches(c, n_columns, n_labelled);
    const size_t n = (size_t)c->n;
    OPN_TRY_NEW(ctx, c->weights.weight, c->weights.radius);
    OPN_TRY_NEW(ctx, c->search, n);
    OPN_TRY_NEW(ctx, c->sets, 3 * n * n_nodes + 1);
    OPN_TRY_NEW(ctx, c->maps, 3 * n * n_words);
    OPN_TRY_NEW(ctx, c->sums, n * n_sums);
    // No set may cross a cache line.
    opn_i_bit_set *sets =
            (opn_i_bit_set *)(void *)((char *)c->sets +
                                      (-(uintptr_t)c->sets & (sizeof(*sets) - 1)));
    for (size_t t = 0; t < n; t++)
        c->search[t] = (opn_i_gkde_search){.topology = topology,
                                           .only_pulls = opn_i_graph_is_partial(c->graph),
                                           .weights = &c->weights,
                                           .frontier = sets + 3 * t * n_nodes,
                                           .next = sets + (3 * t + 1) * n_nodes,
                                           .seen = sets + (3 * t + 2) * n_nodes,
                                           .in_frontier = c->maps + 3 * t * n_words,
                                           .in_next = c->maps + (3 * t + 1) * n_words,
                                           .is_met = c->maps + (3 * t + 2) * n_words,
                                           .sum = c->sums + t * n_sums};
cleanup:
    return status;
}

// Adds the sums of all searches to the prior and clears them.
static void add_sums(const crew *c,
                     const portion *p,
                     const int32_t *order,
                     int32_t width,
                     opn_real *prior)
{
    const double scale = ldexp(1.0, -c->weights.shift);
    for (int32_t k = p->of->label[p->first]; k <= p->of->label[p->last - 1]; k++) {
        const size_t column = (size_t)(k % OPN_GKDE_CLASSES) * (size_t)c->n_nodes;
        for (int32_t r = 0; r < c->n_nodes; r++) {
            const size_t i = (size_t)(order == NULL ? r : order[r]);
            opn_real *to = prior + i * (size_t)width + k;
            int64_t sum = 0;
            for (int t = 0; t < c->n; t++) {
                sum += c->search[t].sum[column + (size_t)r];
                c->search[t].sum[column + (size_t)r] = 0;
            }
            *to = (opn_real)((double)*to + (double)sum * scale);
        }
    }
}

static void start_batch(opn_i_gkde_search *search, const portion *p, int32_t b)
{
    const int32_t first = p->first + b * OPN_GKDE_BATCH;
    const int32_t n_left = p->last - first;
    opn_i_gkde_search_start(search, n_left < OPN_GKDE_BATCH ? n_left : OPN_GKDE_BATCH,
                            p->of->node + first, p->of->label + first);
}

// Batches [first, last) of a portion, each search taking the next one left.
static void run_round(const crew *c, const portion *p, int32_t first, int32_t last)
{
    int32_t n_taken = first;
#pragma omp parallel for schedule(static, 1) num_threads(c->n)
    for (int t = 0; t < c->n; t++) {
        for (;;) {
            int32_t b = 0;
#pragma omp atomic capture
            b = n_taken++;
            if (b >= last)
                break;
            bool is_going_on = true;
            start_batch(&c->search[t], p, b);
            for (int32_t d = 1; d < c->weights.radius && is_going_on; d++)
                is_going_on = opn_i_gkde_search_step(&c->search[t], d, 1);
        }
    }
}

static opn_status report(opn_ctx *ctx, const crew *c, int64_t n_more)
{
    return opn_i_progress(ctx, "spreading evidence", c->n_done + n_more, c->n_hops,
                          "hops");
}

// Where several ranks have parts of the graph, each has searched from its own nodes: all
// hear what all have reached.
static opn_status share_frontier(opn_ctx *ctx, const crew *c, bool *is_going_on)
{
    opn_status status = OPN_OK;
    opn_i_gkde_search *search = &c->search[0];
    if (!opn_i_graph_is_partial(c->graph))
        return OPN_OK;
    opn_i_gkde_search_tidy(search);
    OPN_TRY(opn_i_graph_share_rows(ctx, c->graph, sizeof(*search->frontier),
                                   search->frontier));
    *is_going_on = opn_i_gkde_search_mark(search);
cleanup:
    return status;
}

// One batch on all threads; on a large graph even a step is worth a report.
static opn_status run_shared(opn_ctx *ctx, const crew *c, const portion *p, int32_t b)
{
    opn_status status = OPN_OK;
    bool is_going_on = true;
    start_batch(&c->search[0], p, b);
    for (int32_t d = 1; d < c->weights.radius && is_going_on; d++) {
        is_going_on = opn_i_gkde_search_step(&c->search[0], d, c->n_threads);
        OPN_TRY(share_frontier(ctx, c, &is_going_on));
        OPN_TRY(report(ctx, c, d));
    }
cleanup:
    return status;
}

static opn_status run_portion(opn_ctx *ctx, crew *c, const portion *p)
{
    opn_status status = OPN_OK;
    const int32_t n_batches = batches_of(p);
    const bool is_shared = n_batches < c->n || c->n == 1;
    const int32_t n_round = is_shared ? 1 : ROUND * c->n;
    for (int32_t first = 0; first < n_batches; first += n_round) {
        const int32_t n = n_batches - first < n_round ? n_batches - first : n_round;
        if (is_shared)
            OPN_TRY(run_shared(ctx, c, p, first));
        else
            run_round(c, p, first, first + n);
        c->n_done += (int64_t)n * c->weights.radius;
        OPN_TRY(report(ctx, c, 0));
    }
cleanup:
    return status;
}

opn_status opn_i_gkde(opn_ctx *ctx,
                      const opn_graph *graph,
                      const int32_t *target,
                      int32_t n_classes,
                      double sigma,
                      bool kernel_constant,
                      int32_t width,
                      opn_real *prior)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    const int32_t n_columns = n_classes < OPN_GKDE_CLASSES ? n_classes : OPN_GKDE_CLASSES;
    labelled l = {0};
    layout at = {0};
    crew c = {.graph = graph, .n_nodes = n_nodes};
    OPN_TRY(opn_i_graph_check_undirected(ctx, graph));
    OPN_TRY(sort_labelled(ctx, target, n_nodes, n_classes, &l));
    OPN_TRY(layout_init(ctx, &graph->topology, opn_i_graph_is_partial(graph), &l, &at));
    c.weights.radius = opn_i_gkde_radius(sigma, kernel_constant, l.n);
    OPN_TRY(crew_init(ctx, at.topology, n_columns, l.n, &c));
    c.n_hops = count_batches(&l) * c.weights.radius;
    memset(prior, 0, (size_t)n_nodes * (size_t)width * sizeof(*prior));
    for (int32_t i = 0; i < n_nodes; i++)
        for (int32_t k = 0; k < n_classes; k++)
            prior[(size_t)i * (size_t)width + (size_t)k] = 1;
    for (int32_t first = 0; first < l.n;) {
        const portion p = next_portion(&l, first);
        weigh_hops(sigma, kernel_constant, p.n_most, &c.weights);
        OPN_TRY(run_portion(ctx, &c, &p));
        add_sums(&c, &p, at.order, width, prior);
        first = p.last;
    }
cleanup:
    opn_i_release(&ctx->alloc, l.node);
    opn_i_release(&ctx->alloc, l.label);
    layout_deinit(ctx, &at);
    crew_deinit(ctx, &c);
    return status;
}
