// partition.c -- a graph cut into blocks of nodes with few edges between them, by METIS.

#include "graph/partition.h"

#include "base/shared_library.h"
#include "graph/order.h"

#include <stddef.h>
#include <string.h>

static const char cutting[] = "cutting the graph"; // in messages

// ---- METIS ---------------------------------------------------------------------------

// The two functions that are called, with the types of 32 bits that most builds have;
// declared here, so that a build needs no header of a library that few people use.
typedef struct metis {
    void *handle;
    int (*set_defaults)(int32_t *options);
    int (*cut)(int32_t *n_nodes,
               int32_t *n_constraints,
               int32_t *row_ptr,
               int32_t *col_idx,
               int32_t *node_weight,
               int32_t *node_size,
               int32_t *edge_weight,
               int32_t *n_parts,
               float *part_weight,
               float *imbalance,
               int32_t *options,
               int32_t *n_cut,
               int32_t *part);
} metis;

static opn_status open_metis(opn_ctx *ctx, metis *out)
{
    enum { N_OPTIONS = 40, CUT_OFF = -1 };
    static const opn_i_library_function functions[] = {
            {"METIS_SetDefaultOptions", offsetof(metis, set_defaults)},
            {"METIS_PartGraphRecursive", offsetof(metis, cut)},
    };
    static const char *const files[] = {"libmetis.so.5", "libmetis.so", "libmetis.dylib",
                                        NULL};
    const opn_i_library library = {files, "cutting a graph into blocks needs METIS",
                                   "libmetis5 in Debian", functions,
                                   sizeof(functions) / sizeof(functions[0])};
    opn_status status = OPN_OK;
    int32_t options[2 * N_OPTIONS] = {0};
    OPN_TRY(opn_i_library_open(ctx, &library, out, &out->handle));
    // It sets 40 numbers to -1: with integers of 64 bits twice as many of ours.
    (void)out->set_defaults(options);
    OPN_FAIL_IF(ctx, options[0] != CUT_OFF || options[N_OPTIONS] == CUT_OFF,
                OPN_ERR_UNSUPPORTED,
                "cutting a graph into blocks needs a METIS with integers of 32 bits; "
                "another is installed");
cleanup:
    return status;
}

// ---- one cut -------------------------------------------------------------------------

// What all cuts share.
typedef struct cutter {
    opn_ctx *ctx;
    const opn_i_csr *topology;
    metis library;
    int32_t *order;
    int32_t *place;   // [V] of the nodes of the part, its number there; -1 for others
    int32_t *row_ptr; // [V + 1] the part
    int32_t *col_idx; // [entries]
    int32_t *weight;  // [V]
    int32_t *side;    // [V]
    int32_t *moved;   // [V]
    int32_t n_done, n_cuts;
} cutter;

static void cutter_deinit(cutter *c)
{
    const opn_alloc *alloc = &c->ctx->alloc;
    opn_i_release(alloc, c->place);
    opn_i_release(alloc, c->row_ptr);
    opn_i_release(alloc, c->col_idx);
    opn_i_release(alloc, c->weight);
    opn_i_release(alloc, c->side);
    opn_i_release(alloc, c->moved);
    opn_i_library_close(c->library.handle);
}

static opn_status cutter_init(cutter *c)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = c->ctx;
    const opn_i_csr *a = c->topology;
    const opn_off n_entries = opn_i_csr_n_entries(a);
    // Also the sum of the weights has to fit.
    OPN_FAIL_IF(ctx, n_entries + 12 * (opn_off)a->n_rows > INT32_MAX, OPN_ERR_OVERFLOW,
                "%lld edges of %d nodes are too many for METIS with integers of 32 bits",
                (long long)(n_entries / 2), a->n_rows);
    OPN_TRY(open_metis(ctx, &c->library));
    OPN_TRY_NEW(ctx, c->place, a->n_rows);
    OPN_TRY_NEW(ctx, c->row_ptr, (size_t)a->n_rows + 1);
    OPN_TRY_NEW(ctx, c->col_idx, n_entries + 1);
    OPN_TRY_NEW(ctx, c->weight, a->n_rows);
    OPN_TRY_NEW(ctx, c->side, a->n_rows);
    OPN_TRY_NEW(ctx, c->moved, a->n_rows);
    for (int32_t i = 0; i < a->n_rows; i++)
        c->place[i] = -1;
cleanup:
    return status;
}

// The subgraph of n nodes. They weigh what they do in the whole graph, where they are
// worked on.
static void take_part(cutter *c, const int32_t *node, int32_t n)
{
    enum { WEIGHT_OF_A_ROW = 12 };
    const opn_i_csr *a = c->topology;
    int32_t at = 0;
    for (int32_t r = 0; r < n; r++)
        c->place[node[r]] = r;
    c->row_ptr[0] = 0;
    for (int32_t r = 0; r < n; r++) {
        const opn_off first = a->row_ptr[node[r]], last = a->row_ptr[node[r] + 1];
        for (opn_off e = first; e < last; e++)
            if (c->place[a->col_idx[e]] >= 0)
                c->col_idx[at++] = c->place[a->col_idx[e]];
        c->row_ptr[r + 1] = at;
        c->weight[r] = (int32_t)(last - first) + WEIGHT_OF_A_ROW;
    }
    for (int32_t r = 0; r < n; r++)
        c->place[node[r]] = -1;
}

// Cuts n >= 2 nodes in two, which come one after the other in `node`, in the order they
// had. *n_first is how many are in the first half.
static opn_status cut_part(cutter *c, int32_t *node, int32_t n, int32_t *n_first)
{
    enum { DONE = 1 };
    opn_status status = OPN_OK;
    int32_t n_constraints = 1, n_parts = 2, n_cut = 0;
    int32_t n_kept = 0, n_moved = 0;
    take_part(c, node, n);
    const int code =
            c->library.cut(&n, &n_constraints, c->row_ptr, c->col_idx, c->weight, NULL,
                           NULL, &n_parts, NULL, NULL, NULL, &n_cut, c->side);
    OPN_FAIL_IF(c->ctx, code != DONE, OPN_ERR_NOMEM, "METIS failed, out of memory");
    for (int32_t r = 0; r < n; r++) {
        if (c->side[r] == 0)
            node[n_kept++] = node[r];
        else
            c->moved[n_moved++] = node[r];
    }
    memcpy(node + n_kept, c->moved, (size_t)n_moved * sizeof(*node));
    *n_first = n_kept;
cleanup:
    return status;
}

// Cuts the nodes [first, last) of the order into n_blocks blocks, whose starts it notes.
// Recursion is as deep as there are halvings, at most twelve.
static opn_status // NOLINTNEXTLINE(misc-no-recursion)
cut_blocks(cutter *c, int32_t first, int32_t last, int32_t n_blocks, int32_t *start)
{
    opn_status status = OPN_OK;
    int32_t n_first = last - first;
    start[0] = first;
    if (n_blocks == 1)
        return OPN_OK;
    OPN_TRY(opn_i_progress(c->ctx, cutting, c->n_done++, c->n_cuts, "cuts"));
    if (last - first >= 2 && c->place != NULL)
        OPN_TRY(cut_part(c, c->order + first, last - first, &n_first));
    OPN_TRY(cut_blocks(c, first, first + n_first, n_blocks / 2, start));
    OPN_TRY(cut_blocks(c, first + n_first, last, n_blocks / 2, start + n_blocks / 2));
cleanup:
    return status;
}

// ---- whole partition -----------------------------------------------------------------

void opn_i_partition_deinit(const opn_alloc *alloc, opn_i_partition *partition)
{
    opn_i_release(alloc, partition->order);
    opn_i_release(alloc, partition->start);
    *partition = (opn_i_partition){0};
}

opn_status opn_i_partition_init(opn_ctx *ctx,
                                const opn_i_csr *topology,
                                int32_t n_blocks,
                                opn_i_partition *out)
{
    opn_status status = OPN_OK;
    opn_i_partition made = {.n_blocks = n_blocks};
    cutter c = {.ctx = ctx, .topology = topology, .n_cuts = n_blocks - 1};
    OPN_TRY_NEW(ctx, made.order, topology->n_rows);
    OPN_TRY_NEW(ctx, made.start, (size_t)n_blocks + 1);
    OPN_TRY(opn_i_graph_order(ctx, topology, made.order));
    c.order = made.order;
    if (n_blocks > 1)
        OPN_TRY(cutter_init(&c));
    OPN_TRY(cut_blocks(&c, 0, topology->n_rows, n_blocks, made.start));
    made.start[n_blocks] = topology->n_rows;
    *out = made;
    made = (opn_i_partition){0};
cleanup:
    cutter_deinit(&c);
    opn_i_partition_deinit(&ctx->alloc, &made);
    return status;
}

void opn_i_partition_blocks(const opn_i_partition *partition, int32_t *block)
{
    for (int32_t b = 0; b < partition->n_blocks; b++)
        for (int32_t r = partition->start[b]; r < partition->start[b + 1]; r++)
            block[partition->order[r]] = b;
}

opn_status opn_i_partition_cut(opn_ctx *ctx,
                               const opn_i_csr *topology,
                               const opn_i_partition *partition,
                               int32_t n_ranks,
                               opn_i_cut *out)
{
    opn_status status = OPN_OK;
    const int32_t n_a_rank = partition->n_blocks / n_ranks;
    const double n_nodes = topology->n_rows;
    const double n_entries = (double)opn_i_csr_n_entries(topology);
    int32_t *block = NULL;
    int64_t n_cut = 0, n_halo = 0;
    OPN_TRY_NEW(ctx, block, topology->n_rows);
    opn_i_partition_blocks(partition, block);
    for (int32_t i = 0; i < topology->n_rows; i++) {
        const int32_t own = block[i] / n_a_rank;
        uint64_t others = 0; // ranks that need this row
        for (opn_off e = topology->row_ptr[i]; e < topology->row_ptr[i + 1]; e++) {
            const int32_t rank = block[topology->col_idx[e]] / n_a_rank;
            n_cut += rank != own;
            others |= rank != own ? UINT64_C(1) << rank : 0;
        }
        n_halo += __builtin_popcountll(others);
    }
    *out = (opn_i_cut){.n_ranks = n_ranks,
                       .edges = n_entries > 0.0 ? (double)n_cut / n_entries : 0.0,
                       .halo = (double)n_halo / n_nodes};
cleanup:
    opn_i_release(&ctx->alloc, block);
    return status;
}
