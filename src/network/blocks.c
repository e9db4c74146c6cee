// blocks.c -- the nodes of a divided graph, block by block.

#include "network/blocks.h"

#include "base/clock.h"

#include <string.h>

// ---- trees ---------------------------------------------------------------------------

// Subtrees side by side, as on a stack: the largest that begin and end where they may.
enum { MOST_ROOTS = 32 };
typedef struct forest {
    int32_t n;
    int32_t first[MOST_ROOTS], size[MOST_ROOTS]; // in blocks
} forest;

static void plant(forest *trees, int32_t first, int32_t size)
{
    trees->first[trees->n] = first;
    trees->size[trees->n++] = size;
}

// Joins the last two trees if they are the halves of one. Returns whether they are.
static bool join(forest *trees)
{
    const int32_t last = trees->n - 1;
    if (last < 1 || trees->size[last] != trees->size[last - 1] ||
        trees->first[last - 1] % (2 * trees->size[last]) != 0)
        return false;
    trees->size[last - 1] *= 2;
    trees->n--;
    return true;
}

// The trees of the blocks [first, last); *deepest is how many there were at most.
static forest grow(int32_t first, int32_t last, int32_t *deepest)
{
    forest trees = {0};
    *deepest = 0;
    for (int32_t b = first; b < last; b++) {
        plant(&trees, b, 1);
        *deepest = trees.n > *deepest ? trees.n : *deepest;
        while (join(&trees)) {
        }
    }
    return trees;
}

static void add_to(size_t n, const opn_real *from, opn_real *to)
{
    for (size_t j = 0; j < n; j++)
        to[j] += from[j];
}

// ---- creation ------------------------------------------------------------------------

void opn_i_blocks_deinit(const opn_alloc *alloc, opn_i_blocks *blocks)
{
    for (int32_t b = 0; b < blocks->n && blocks->features != NULL; b++)
        opn_i_feature_matrix_deinit(alloc, &blocks->features[b]);
    opn_i_release(alloc, blocks->features);
    opn_i_release(alloc, blocks->start);
    opn_i_release(alloc, blocks->scale);
    opn_i_release(alloc, blocks->n_roots);
    opn_i_release(alloc, blocks->sums);
    opn_i_release(alloc, blocks->gathered);
    opn_i_release(alloc, blocks->block_sums);
    *blocks = (opn_i_blocks){0};
}

static int32_t first_of(const opn_i_blocks *blocks, int rank)
{
    return (int32_t)((int64_t)blocks->n_all * rank / blocks->comm->n_ranks);
}

opn_status
opn_i_blocks_init(opn_ctx *ctx, int32_t n_all, const int32_t *start, opn_i_blocks *out)
{
    opn_status status = OPN_OK;
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    opn_i_blocks blocks = {.comm = comm, .n_all = n_all};
    int32_t deepest = 0;
    blocks.first = first_of(&blocks, comm->rank);
    const int32_t end = first_of(&blocks, comm->rank + 1);
    const int32_t n = end - blocks.first;
    blocks.first_row = start[blocks.first];
    blocks.n_others = start[n_all] - (start[end] - start[blocks.first]);
    OPN_TRY_NEW(ctx, blocks.start, (size_t)n + 1);
    OPN_TRY_NEW(ctx, blocks.scale, start[end] - start[blocks.first]);
    OPN_TRY_NEW(ctx, blocks.features, n);
    OPN_TRY_NEW(ctx, blocks.n_roots, comm->n_ranks);
    OPN_TRY_NEW(ctx, blocks.block_sums, (size_t)n_all * OPN_BLOCK_SUMS);
    for (int32_t b = 0; b <= n; b++)
        blocks.start[b] = start[blocks.first + b] - blocks.first_row;
    for (int r = 0; r < comm->n_ranks; r++)
        blocks.n_roots[r] =
                grow(first_of(&blocks, r), first_of(&blocks, r + 1), &deepest).n;
    blocks.n = n;
    *out = blocks;
    blocks = (opn_i_blocks){0};
cleanup:
    opn_i_blocks_deinit(&ctx->alloc, &blocks);
    return status;
}

opn_status opn_i_blocks_make_room(opn_ctx *ctx, size_t n_sums, opn_i_blocks *blocks)
{
    opn_status status = OPN_OK;
    const int n_ranks = blocks->comm->n_ranks;
    int32_t deepest = 0;
    size_t n_roots = 0;
    (void)grow(blocks->first, blocks->first + blocks->n, &deepest);
    for (int r = 0; r < n_ranks; r++)
        n_roots += (size_t)blocks->n_roots[r];
    // A sum is scattered to whole cache lines.
    blocks->n_numbers = n_sums;
    blocks->n_sums = opn_i_whole_lines(n_sums);
    OPN_TRY_NEW(ctx, blocks->sums, OPN_MARGIN + (size_t)deepest * blocks->n_sums);
    if (n_ranks > 1)
        OPN_TRY_NEW(ctx, blocks->gathered, n_roots * blocks->n_sums);
cleanup:
    return status;
}

// ---- sums ----------------------------------------------------------------------------

static opn_real *slot_of(const opn_i_blocks *blocks, int32_t s)
{
    return opn_i_on_line(blocks->sums) + (size_t)s * blocks->n_sums;
}

void opn_i_blocks_sum(const opn_i_exec *exec,
                      opn_i_blocks *blocks,
                      size_t at,
                      size_t n,
                      opn_i_block_sum *sum,
                      void *user)
{
    forest trees = {0};
    for (int32_t b = 0; b < blocks->n; b++) {
        opn_real *to = slot_of(blocks, trees.n) + at;
        const int32_t first = blocks->start[b], last = blocks->start[b + 1];
        if (first < last)
            sum(exec, user, b, first, last, to);
        else
            memset(to, 0, n * sizeof(*to));
        plant(&trees, blocks->first + b, 1);
        while (join(&trees))
            add_to(n, slot_of(blocks, trees.n) + at, slot_of(blocks, trees.n - 1) + at);
    }
}

// Adds up the roots of all ranks, in place.
static void join_roots(const opn_i_blocks *blocks)
{
    const size_t n = blocks->n_sums;
    opn_real *all = blocks->gathered;
    forest trees = {0};
    int32_t k = 0;
    for (int r = 0; r < blocks->comm->n_ranks; r++) {
        int32_t deepest = 0;
        const forest roots = grow(first_of(blocks, r), first_of(blocks, r + 1), &deepest);
        for (int32_t t = 0; t < roots.n; t++, k++) {
            memmove(all + (size_t)trees.n * n, all + (size_t)k * n, n * sizeof(*all));
            plant(&trees, roots.first[t], roots.size[t]);
            while (join(&trees))
                add_to(n, all + (size_t)trees.n * n, all + (size_t)(trees.n - 1) * n);
        }
    }
}

void opn_i_blocks_total(opn_i_blocks *blocks, opn_real *total)
{
    const opn_i_comm *comm = blocks->comm;
    const opn_real *root = slot_of(blocks, 0);
    blocks->seconds -= opn_i_clock();
    if (comm->n_ranks > 1) {
        comm->gather(comm, blocks->n_sums * sizeof(*root), blocks->n_roots, root,
                     blocks->gathered);
        join_roots(blocks);
        root = blocks->gathered;
    }
    memcpy(total, root, blocks->n_numbers * sizeof(*total));
    blocks->seconds += opn_i_clock();
}

void opn_i_blocks_add(opn_i_blocks *blocks, int n, const double *sum, double *total)
{
    const opn_i_comm *comm = blocks->comm;
    double *all = blocks->block_sums;
    int32_t count[OPN_MAX_RANKS];
    blocks->seconds -= opn_i_clock();
    for (int r = 0; r < comm->n_ranks; r++)
        count[r] = first_of(blocks, r + 1) - first_of(blocks, r);
    comm->gather(comm, (size_t)n * sizeof(*sum), count, sum, all);
    for (int32_t size = 1; size < blocks->n_all; size *= 2)
        for (int32_t b = 0; b < blocks->n_all; b += 2 * size)
            for (int j = 0; j < n; j++)
                all[b * n + j] += all[(b + size) * n + j];
    memcpy(total, all, (size_t)n * sizeof(*total));
    blocks->seconds += opn_i_clock();
}

// ---- features ------------------------------------------------------------------------

// The masks of a block have numbers of their own: more than any block has entries.
static const uint64_t words_a_block = UINT64_C(1) << 34;

static bool has_rows(const opn_i_blocks *blocks, int32_t b)
{
    return blocks->start[b] < blocks->start[b + 1];
}

static size_t place_of(const opn_i_blocks *blocks, int32_t b, int32_t width)
{
    return (size_t)blocks->start[b] * (size_t)width;
}

void opn_i_blocks_keep(const opn_i_exec *exec,
                       opn_i_blocks *blocks,
                       uint64_t seed,
                       opn_i_stream stream,
                       uint32_t step,
                       double rate)
{
    for (int32_t b = 0; b < blocks->n; b++)
        if (has_rows(blocks, b))
            opn_i_keep_bits_from(exec, seed, stream, step, rate,
                                 (uint64_t)(blocks->first + b) * words_a_block,
                                 opn_i_feature_matrix_n_bits(&blocks->features[b]),
                                 blocks->features[b].keep);
}

void opn_i_blocks_drop(const opn_i_exec *exec,
                       opn_i_blocks *blocks,
                       double rate,
                       unsigned uses)
{
    for (int32_t b = 0; b < blocks->n; b++) {
        opn_i_feature_matrix *x = &blocks->features[b];
        if (!has_rows(blocks, b))
            continue;
        opn_i_feature_matrix_drop(exec, x, rate, uses);
        memcpy(blocks->scale + blocks->start[b], x->scale,
               (size_t)x->rows.n_rows * sizeof(*x->scale));
    }
}

void opn_i_blocks_product(const opn_i_exec *exec,
                          const opn_i_blocks *blocks,
                          int32_t width,
                          const opn_real *w,
                          opn_real *p)
{
    for (int32_t b = 0; b < blocks->n; b++)
        if (has_rows(blocks, b))
            opn_i_feature_matrix_product(exec, &blocks->features[b], width, w,
                                         p + place_of(blocks, b, width));
}

void opn_i_blocks_subtract(const opn_i_exec *exec,
                           const opn_i_blocks *blocks,
                           int32_t width,
                           const opn_real *w,
                           const opn_real *whole,
                           opn_real *p)
{
    for (int32_t b = 0; b < blocks->n; b++)
        if (has_rows(blocks, b))
            opn_i_feature_matrix_subtract(exec, &blocks->features[b], width, w,
                                          whole + place_of(blocks, b, width),
                                          p + place_of(blocks, b, width));
}

// What X^T G of a block needs.
typedef struct gradient {
    const opn_i_blocks *blocks;
    const opn_real *g;
    int32_t width;
} gradient;

static void multiply_block(const opn_i_exec *exec,
                           void *user,
                           int32_t b,
                           int32_t first,
                           int32_t last,
                           opn_real *sum)
{
    const gradient *from = user;
    (void)first, (void)last;
    opn_i_feature_matrix_product_transposed(
            exec, &from->blocks->features[b], from->width,
            from->g + place_of(from->blocks, b, from->width), sum);
}

void opn_i_blocks_product_transposed(const opn_i_exec *exec,
                                     opn_i_blocks *blocks,
                                     int32_t width,
                                     const opn_real *g)
{
    gradient from = {blocks, g, width};
    int32_t n_features = 0;
    for (int32_t b = 0; b < blocks->n; b++)
        if (has_rows(blocks, b))
            n_features = blocks->features[b].rows.n_cols;
    opn_i_blocks_sum(exec, blocks, 0, (size_t)n_features * (size_t)width, multiply_block,
                     &from);
}
