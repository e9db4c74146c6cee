// nearest.c -- finds the nearest rows of each row of a matrix.

#include "embed/nearest.h"

#include <math.h>

// A tile of rows is compared with one panel of others at a time; both fit in the L1 cache
// at 64 columns. The caller may interrupt between rounds, so a round takes about a tenth
// of a second.
enum { PANEL = OPN_NEAR_PANEL, TILE = 64, WORK_A_ROUND = 1 << 29 };

typedef struct search {
    const opn_k_embedding_table *kernels;
    int32_t n_rows, n_cols, n_near;
    const opn_real *x;      // [V,n_cols]
    const opn_real *panels; // [panels][n_cols,PANEL]
    opn_i_near *near;       // [V,n_near]
} search;

static opn_real *
make_panels(opn_ctx *ctx, int32_t n_rows, int32_t n_cols, const opn_real *x)
{
    const size_t n_panels = ((size_t)n_rows + PANEL - 1) / PANEL;
    size_t n_items = 0;
    opn_real *panels = NULL;
    if (opn_i_mul(n_panels * PANEL, (size_t)n_cols, &n_items))
        panels = opn_i_calloc(&ctx->alloc, n_items, sizeof(*panels));
    if (panels == NULL)
        return NULL;
    for (int32_t i = 0; i < n_rows; i++) {
        opn_real *panel = panels + (size_t)(i / PANEL) * PANEL * (size_t)n_cols;
        for (int32_t k = 0; k < n_cols; k++)
            panel[(size_t)k * PANEL + (size_t)(i % PANEL)] =
                    x[(size_t)i * (size_t)n_cols + (size_t)k];
    }
    return panels;
}

// ---- nearest rows so far -------------------------------------------------------------

static bool is_nearer(opn_i_near a, opn_i_near b)
{
    return a.square < b.square || (a.square == b.square && a.row < b.row);
}

// Replaces the top of a heap of n, with the farthest on top, by `item` and sifts it down.
static void sift_down(int32_t n, opn_i_near *heap, opn_i_near item)
{
    int32_t at = 0;
    for (int32_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && is_nearer(heap[child], heap[child + 1]))
            child++;
        if (!is_nearer(item, heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
}

static void sort_heap(int32_t n, opn_i_near *heap)
{
    for (int32_t last = n - 1; last > 0; last--) {
        const opn_i_near item = heap[last];
        heap[last] = heap[0];
        sift_down(last, heap, item);
    }
}

// ---- all pairs -----------------------------------------------------------------------

// Rows come in ascending order, so of equally near ones the first is kept. Bit c of
// `below` is set if row first + c was near enough before the panel.
static void
offer(const search *s, int32_t i, int32_t first, uint32_t below, const opn_real *square)
{
    opn_i_near *heap = s->near + (size_t)i * (size_t)s->n_near;
    for (; below != 0; below &= below - 1) {
        const int c = __builtin_ctz(below);
        const int32_t row = first + c;
        if (square[c] < heap[0].square && row < s->n_rows && row != i)
            sift_down(s->n_near, heap, (opn_i_near){square[c], row});
    }
}

static void compare_pair(
        const search *s, int32_t first, const opn_real *panel, int32_t i, int32_t mate)
{
    const size_t n_cols = (size_t)s->n_cols;
    const size_t n_near = (size_t)s->n_near;
    opn_real square[2 * PANEL];
    const uint32_t below = s->kernels->measure(
            s->n_cols, panel, s->x + (size_t)i * n_cols, s->x + (size_t)mate * n_cols,
            s->near[(size_t)i * n_near].square, s->near[(size_t)mate * n_near].square,
            square);
    offer(s, i, first, below & ((1u << PANEL) - 1), square);
    if (mate != i)
        offer(s, mate, first, below >> PANEL, square + PANEL);
}

static void search_tile(const search *s, int32_t begin, int32_t end)
{
    const opn_i_near none = {(opn_real)INFINITY, INT32_MAX};
    for (int32_t i = begin; i < end; i++)
        for (int32_t n = 0; n < s->n_near; n++)
            s->near[(size_t)i * (size_t)s->n_near + (size_t)n] = none;
    for (int32_t first = 0; first < s->n_rows; first += PANEL) {
        const opn_real *panel = s->panels + (size_t)first * (size_t)s->n_cols;
        for (int32_t i = begin; i < end; i += 2)
            compare_pair(s, first, panel, i, i + 1 < end ? i + 1 : i);
    }
    for (int32_t i = begin; i < end; i++)
        sort_heap(s->n_near, s->near + (size_t)i * (size_t)s->n_near);
}

static int32_t tiles_a_round(int32_t n_rows, int32_t n_cols, int n_threads)
{
    const int64_t work = (int64_t)TILE * n_rows * (n_cols + (int64_t)1); // per tile
    return n_threads * (work < WORK_A_ROUND ? (int32_t)(WORK_A_ROUND / work) : 1);
}

opn_status opn_i_nearest(opn_ctx *ctx,
                         const opn_k_table *kernels,
                         int32_t n_rows,
                         int32_t n_cols,
                         const opn_real *x,
                         int32_t n_near,
                         opn_i_near *near)
{
    opn_status status = OPN_OK;
    opn_real *panels = NULL;
    if (n_near == 0 || n_rows == 0)
        return OPN_OK;
    panels = make_panels(ctx, n_rows, n_cols, x);
    OPN_FAIL_IF(ctx, panels == NULL, OPN_ERR_NOMEM,
                "out of memory for %d rows of %d columns", n_rows, n_cols);
    const search s = {kernels->embedding, n_rows, n_cols, n_near, x, panels, near};
    const int32_t n_tiles = (n_rows - 1) / TILE + 1;
    const int n_threads = opn_i_threads_for(ctx, n_tiles, 2);
    const int32_t step = tiles_a_round(n_rows, n_cols, n_threads);
    for (int32_t begin = 0, end = 0; begin < n_tiles; begin = end) {
        end = n_tiles - begin < step ? n_tiles : begin + step;
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = begin; t < end; t++)
            search_tile(&s, t * TILE, n_rows - t * TILE < TILE ? n_rows : (t + 1) * TILE);
        OPN_TRY(opn_i_progress(ctx, "finding neighbours", end, n_tiles, "tiles"));
    }
cleanup:
    opn_i_release(&ctx->alloc, panels);
    return status;
}
