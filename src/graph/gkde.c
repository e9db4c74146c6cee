// gkde.c -- evidence from nearby labelled nodes, by bit-parallel breadth-first search.

#include "graph/gkde.h"

#include <math.h>
#include <string.h>

enum { PUSHED_SHARE = 10 };
enum { WORDS = 4, BATCH = 64 * WORDS, NODES_A_CHUNK = 1024 };

// One bit for each labelled node of a batch.
typedef struct bit_set {
    uint64_t word[WORDS];
} bit_set;

// Labelled nodes of one class within a batch.
typedef struct class_bits {
    int32_t k;
    bit_set bits;
} class_bits;

typedef struct search {
    const opn_i_csr *topology;
    bit_set *arena;      // the three below, aligned so that no set crosses a cache line
    bit_set *frontier;   // [V] labelled nodes that reached the node in the last step
    bit_set *next;       // [V]
    bit_set *seen;       // [V] labelled nodes that have reached it so far
    class_bits *classes; // [n_present] in the batch
    int n_present;
    bit_set all; // all bits of the batch
} search;

static bool is_empty(const bit_set *set)
{
    return (set->word[0] | set->word[1] | set->word[2] | set->word[3]) == 0;
}

static int count_common(const bit_set *a, const bit_set *b)
{
    int n = 0;
    for (int w = 0; w < WORDS; w++)
        n += __builtin_popcountll(a->word[w] & b->word[w]);
    return n;
}

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

// One step for nodes [first, last): finds the labelled nodes that reach them for the
// first time, through any neighbour. Returns whether there are any.
static bool step_nodes(const search *s, int32_t first, int32_t last)
{
    const opn_i_csr *a = s->topology;
    bool is_going_on = false;
    for (int32_t i = first; i < last; i++) {
        bit_set reached = {{0}};
        bit_set missing;
        for (int w = 0; w < WORDS; w++)
            missing.word[w] = s->all.word[w] & ~s->seen[i].word[w];
        if (!is_empty(&missing)) {
            for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++)
                for (int w = 0; w < WORDS; w++)
                    reached.word[w] |= s->frontier[a->col_idx[e]].word[w];
            for (int w = 0; w < WORDS; w++)
                reached.word[w] &= missing.word[w];
        }
        s->next[i] = reached;
        is_going_on |= !is_empty(&reached);
    }
    return is_going_on;
}

// The same step by pushing from the frontier, for when it has few nodes.
static bool push_nodes(const search *s)
{
    const opn_i_csr *a = s->topology;
    bool is_going_on = false;
    memset(s->next, 0, (size_t)a->n_rows * sizeof(*s->next));
    for (int32_t i = 0; i < a->n_rows; i++) {
        if (is_empty(&s->frontier[i]))
            continue;
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++)
            for (int w = 0; w < WORDS; w++)
                s->next[a->col_idx[e]].word[w] |= s->frontier[i].word[w];
    }
    for (int32_t i = 0; i < a->n_rows; i++) {
        for (int w = 0; w < WORDS; w++)
            s->next[i].word[w] &= ~s->seen[i].word[w];
        is_going_on |= !is_empty(&s->next[i]);
    }
    return is_going_on;
}

static void
add_evidence(const search *s, const bit_set *reached, double kernel, opn_real *prior)
{
    if (is_empty(reached))
        return;
    for (int c = 0; c < s->n_present; c++) {
        const int n = count_common(reached, &s->classes[c].bits);
        if (n > 0)
            prior[s->classes[c].k] += (opn_real)(n * kernel);
    }
}

// Starts a batch with the next labelled nodes of `node`, which is sorted by class.
static void start_search(
        search *s, const int32_t *node, const int32_t *target, int n, int32_t n_nodes)
{
    memset(s->frontier, 0, (size_t)n_nodes * sizeof(*s->frontier));
    memset(s->seen, 0, (size_t)n_nodes * sizeof(*s->seen));
    memset(&s->all, 0, sizeof(s->all));
    s->n_present = 0;
    for (int b = 0; b < n; b++) {
        const uint64_t bit = UINT64_C(1) << (b % 64);
        if (b == 0 || target[node[b]] != s->classes[s->n_present - 1].k)
            s->classes[s->n_present++] = (class_bits){.k = target[node[b]]};
        s->classes[s->n_present - 1].bits.word[b / 64] |= bit;
        s->frontier[node[b]].word[b / 64] |= bit;
        s->all.word[b / 64] |= bit;
    }
}

static opn_status run_search(opn_ctx *ctx,
                             search *s,
                             double sigma,
                             bool kernel_constant,
                             int32_t radius,
                             int32_t width,
                             opn_real *prior)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = s->topology->n_rows;
    const int n_threads = opn_i_threads_for(ctx, n_nodes, (int64_t)4 * NODES_A_CHUNK);
    (void)n_threads; // unused when built without OpenMP
    int is_going_on = 1;
    for (int32_t d = 0; d < radius && is_going_on; d++) {
        const double kernel = opn_i_gkde_weight(sigma, kernel_constant, d);
        opn_off n_pushed = 0; // edges of the frontier
        for (int32_t i = 0; i < n_nodes; i++) {
            if (is_empty(&s->frontier[i]))
                continue;
            n_pushed += s->topology->row_ptr[i + 1] - s->topology->row_ptr[i];
            for (int w = 0; w < WORDS; w++)
                s->seen[i].word[w] |= s->frontier[i].word[w];
            add_evidence(s, &s->frontier[i], kernel, prior + (size_t)i * (size_t)width);
        }
        is_going_on = 0;
        if (d + 1 == radius)
            break;
        if (n_pushed < opn_i_csr_n_entries(s->topology) / PUSHED_SHARE) {
            is_going_on = push_nodes(s);
        } else {
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1) \
        reduction(|                                                                  \
                  : is_going_on)
            for (int32_t first = 0; first < n_nodes; first += NODES_A_CHUNK) {
                const int32_t last =
                        n_nodes - first < NODES_A_CHUNK ? n_nodes : first + NODES_A_CHUNK;
                is_going_on |= step_nodes(s, first, last);
            }
        }
        bit_set *old = s->frontier;
        s->frontier = s->next;
        s->next = old;
        OPN_TRY(opn_i_progress(ctx, "spreading evidence", d + 1, radius, "hops"));
    }
cleanup:
    return status;
}

// Labelled nodes sorted by class.
static opn_status sort_labelled(opn_ctx *ctx,
                                const int32_t *target,
                                int32_t n_nodes,
                                int32_t n_classes,
                                int32_t **out,
                                int32_t *n_out)
{
    opn_status status = OPN_OK;
    int32_t *start = NULL;
    int32_t *node = NULL;
    OPN_TRY_NEW(ctx, start, (size_t)n_classes + 1);
    for (int32_t i = 0; i < n_nodes; i++)
        if (target[i] >= 0)
            start[target[i] + 1]++;
    for (int32_t k = 0; k < n_classes; k++)
        start[k + 1] += start[k];
    *n_out = start[n_classes];
    OPN_TRY_NEW(ctx, node, start[n_classes]);
    for (int32_t i = 0; i < n_nodes; i++)
        if (target[i] >= 0)
            node[start[target[i]]++] = i;
    *out = node;
cleanup:
    opn_i_release(&ctx->alloc, start);
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
    int32_t *node = NULL;
    int32_t n_labelled = 0;
    search s = {.topology = &graph->topology};
    OPN_FAIL_IF(ctx, !graph->is_undirected, OPN_ERR_SHAPE,
                "%s: the graph is directed; prepare it with "
                "OPN_STEP_UNDIRECTED",
                graph->name);
    OPN_TRY(sort_labelled(ctx, target, n_nodes, n_classes, &node, &n_labelled));
    OPN_TRY_NEW(ctx, s.arena, 3 * (size_t)n_nodes + 1);
    s.frontier = (bit_set *)(void *)((char *)s.arena +
                                     (-(uintptr_t)s.arena & (sizeof(bit_set) - 1)));
    s.next = s.frontier + n_nodes;
    s.seen = s.next + n_nodes;
    OPN_TRY_NEW(ctx, s.classes, BATCH);
    memset(prior, 0, (size_t)n_nodes * (size_t)width * sizeof(*prior));
    for (int32_t i = 0; i < n_nodes; i++)
        for (int32_t k = 0; k < n_classes; k++)
            prior[(size_t)i * (size_t)width + (size_t)k] = 1;
    const int32_t radius = opn_i_gkde_radius(sigma, kernel_constant, n_labelled);
    for (int32_t first = 0; first < n_labelled; first += BATCH) {
        const int n = n_labelled - first < BATCH ? n_labelled - first : BATCH;
        start_search(&s, node + first, target, n, n_nodes);
        OPN_TRY(run_search(ctx, &s, sigma, kernel_constant, radius, width, prior));
    }
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, s.arena);
    opn_i_release(&ctx->alloc, s.classes);
    return status;
}
