// drop_edge.c -- DropEdge: the graph convolution's matrix with some edges dropped.

#include "network/drop_edge.h"

#include <math.h>
#include <string.h>

void opn_i_edge_dropper_deinit(const opn_alloc *alloc, opn_i_edge_dropper *dropper)
{
    opn_i_release(alloc, dropper->edge);
    opn_i_release(alloc, dropper->upper);
    opn_i_release(alloc, dropper->keep);
    opn_i_release(alloc, dropper->shrink);
    opn_i_release(alloc, dropper->begin);
    opn_i_release(alloc, dropper->end);
    opn_i_release(alloc, dropper->col);
    opn_i_release(alloc, dropper->value);
    *dropper = (opn_i_edge_dropper){0};
}

// Numbers the edges in the order of the entries above the diagonal. Those below it come
// in the same order within their row, so `upper` steps over them one by one and has
// passed all of them when the sweep reaches the row itself.
static void number_edges(opn_i_edge_dropper *dropper)
{
    const opn_i_csr *a = dropper->topology;
    uint32_t number = 0;
    memcpy(dropper->upper, a->row_ptr, (size_t)a->n_rows * sizeof(*dropper->upper));
    for (int32_t i = 0; i < a->n_rows; i++) {
        for (opn_off e = dropper->upper[i]; e < a->row_ptr[i + 1]; e++) {
            dropper->edge[e] = number;
            dropper->edge[dropper->upper[a->col_idx[e]]++] = number;
            number++;
        }
    }
}

opn_status
opn_i_edge_dropper_init(opn_ctx *ctx, const opn_i_csr *topology, opn_i_edge_dropper *out)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(topology);
    const int32_t n_rows = topology->n_rows;
    opn_i_edge_dropper dropper = {.topology = topology, .n_edges = n / 2};
    OPN_FAIL_IF(ctx, dropper.n_edges > UINT32_MAX, OPN_ERR_OVERFLOW,
                "more than 2^32 - 1 edges");
    OPN_TRY_NEW(ctx, dropper.edge, n);
    OPN_TRY_NEW(ctx, dropper.upper, n_rows);
    OPN_TRY_NEW(ctx, dropper.keep, opn_i_bit_words(dropper.n_edges));
    OPN_TRY_NEW(ctx, dropper.shrink, n_rows);
    OPN_TRY_NEW(ctx, dropper.begin, n_rows);
    OPN_TRY_NEW(ctx, dropper.end, n_rows);
    OPN_TRY_NEW(ctx, dropper.col, n + n_rows);
    OPN_TRY_NEW(ctx, dropper.value, n + n_rows);
    number_edges(&dropper);
    for (int32_t i = 0; i < n_rows; i++)
        dropper.begin[i] = dropper.end[i] = topology->row_ptr[i] + i;
    *out = dropper;
    dropper = (opn_i_edge_dropper){0};
cleanup:
    opn_i_edge_dropper_deinit(&ctx->alloc, &dropper);
    return status;
}

// Copies the kept entries first … last - 1 of A to `at` and after; returns where they
// end. A dropped entry is also written and then overwritten, or left after the end of its
// row: a branch on random bits would be mispredicted too often.
static opn_off put_kept(const opn_i_edge_dropper *dropper,
                        opn_off first,
                        opn_off last,
                        opn_off at,
                        double *degree)
{
    const opn_i_csr *a = dropper->topology;
    for (opn_off e = first; e < last; e++) {
        const int is_kept = opn_i_bit(dropper->keep, dropper->edge[e]);
        const opn_real weight = a->value == NULL ? 1 : a->value[e];
        dropper->col[at] = a->col_idx[e];
        dropper->value[at] = weight;
        *degree += is_kept * (double)weight;
        at += is_kept;
    }
    return at;
}

// Row i of A' + I, not yet normalised. Summed in column order, like the full matrix.
static void put_row(opn_i_edge_dropper *dropper, int32_t i)
{
    const opn_i_csr *a = dropper->topology;
    double degree = 0.0;
    opn_off at = put_kept(dropper, a->row_ptr[i], dropper->upper[i], dropper->begin[i],
                          &degree);
    dropper->col[at] = i;
    dropper->value[at++] = 1;
    degree += 1.0;
    dropper->end[i] =
            put_kept(dropper, dropper->upper[i], a->row_ptr[i + 1], at, &degree);
    dropper->shrink[i] = 1.0 / sqrt(degree);
}

static void divide_row(opn_i_edge_dropper *dropper, int32_t i)
{
    const double *shrink = dropper->shrink;
    for (opn_off e = dropper->begin[i]; e < dropper->end[i]; e++)
        dropper->value[e] = (opn_real)((double)dropper->value[e] * shrink[i] *
                                       shrink[dropper->col[e]]);
}

void opn_i_edge_dropper_drop(const opn_i_exec *exec, opn_i_edge_dropper *dropper)
{
    enum { ROWS_A_CHUNK = 256 };
    const int32_t n_rows = dropper->topology->n_rows;
    const int n_threads = opn_i_exec_threads(exec, 4 * (2 * dropper->n_edges + n_rows));
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel num_threads(n_threads) if (n_threads > 1)
    {
#pragma omp for schedule(dynamic, ROWS_A_CHUNK)
        for (int32_t i = 0; i < n_rows; i++)
            put_row(dropper, i);
            // Normalising a row needs the row sums of its neighbours.
#pragma omp for schedule(dynamic, ROWS_A_CHUNK)
        for (int32_t i = 0; i < n_rows; i++)
            divide_row(dropper, i);
    }
}

opn_k_sparse opn_i_edge_dropper_view(const opn_i_edge_dropper *dropper)
{
    return (opn_k_sparse){.begin = dropper->begin,
                          .end = dropper->end,
                          .col = dropper->col,
                          .value = dropper->value};
}
