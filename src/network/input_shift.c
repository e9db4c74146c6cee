// input_shift.c -- shifts of the features, as the first layer sees them.

#include "network/input_shift.h"

#include <math.h>
#include <string.h>

void opn_i_input_shift_deinit(const opn_alloc *alloc, opn_i_input_shift *shift)
{
    opn_i_release(alloc, shift->arena);
    *shift = (opn_i_input_shift){0};
}

opn_status opn_i_input_shift_init(opn_ctx *ctx,
                                  int32_t n_nodes,
                                  int32_t n_features,
                                  int32_t width,
                                  opn_i_input_shift *out)
{
    opn_status status = OPN_OK;
    opn_i_input_shift shift = {
            .n_nodes = n_nodes, .n_features = n_features, .width = width};
    const size_t n_rows = opn_i_whole_lines((size_t)n_nodes * (size_t)width);
    const size_t n_square = opn_i_whole_lines((size_t)width * (size_t)width);
    const size_t n_w0 = opn_i_whole_lines((size_t)n_features * (size_t)width);
    const struct {
        opn_real **at;
        size_t n;
    } parts[] = {{&shift.product, n_rows}, {&shift.shift, n_rows},
                 {&shift.slope, n_rows},   {&shift.gram, n_square},
                 {&shift.root, n_square},  {&shift.mixed, n_square},
                 {&shift.added, n_w0},     {&shift.partial, OPN_SUM_BLOCKS * n_square}};
    enum { N_PARTS = sizeof(parts) / sizeof(parts[0]) };
    size_t n = OPN_MARGIN;
    for (int p = 0; p < N_PARTS; p++)
        n += parts[p].n;
    OPN_TRY_NEW(ctx, shift.arena, n);
    opn_real *at = opn_i_on_line(shift.arena);
    for (int p = 0; p < N_PARTS; p++) {
        *parts[p].at = at;
        at += parts[p].n;
    }
    *out = shift;
cleanup:
    return status;
}

static opn_real *row_of(const opn_i_input_shift *shift, opn_real *rows, int32_t i)
{
    return rows + (size_t)i * (size_t)shift->width;
}

static int threads_of(const opn_i_exec *exec, const opn_i_input_shift *shift)
{
    return opn_i_exec_threads(exec, (int64_t)shift->n_nodes * shift->width);
}

void opn_i_input_shift_measure(const opn_i_exec *exec,
                               opn_i_input_shift *shift,
                               const opn_real *w0)
{
    const opn_i_dense_const w = opn_i_rows_const(w0, shift->n_features, shift->width);
    shift->w0 = w0;
    opn_i_matmul_tn(exec, shift->n_features, shift->width, w, w, shift->partial,
                    shift->gram);
}

// ---- directions ----------------------------------------------------------------------

void opn_i_input_shift_draw(const opn_i_exec *exec,
                            opn_i_input_shift *shift,
                            uint64_t seed,
                            opn_i_stream stream,
                            uint32_t step)
{
    enum { BITS_A_DRAW = 128 };
    const int n_threads = threads_of(exec, shift);
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < shift->n_nodes; i++) {
        opn_real *row = row_of(shift, shift->slope, i);
        for (int32_t at = 0; at < shift->width; at += BITS_A_DRAW) {
            const opn_i_random4 bits = opn_i_random(
                    seed, stream, step, (uint64_t)i << 32 | (uint64_t)(uint32_t)at);
            for (int32_t h = at; h < at + BITS_A_DRAW && h < shift->width; h++)
                row[h] = (bits.word[(h - at) / 32] >> (h - at) % 32 & 1) != 0 ? 1 : -1;
        }
    }
}

void opn_i_input_shift_point(const opn_i_exec *exec,
                             opn_i_input_shift *shift,
                             double length)
{
    const int32_t width = shift->width;
    const int n_threads = threads_of(exec, shift);
    (void)n_threads;
    opn_i_matmul(exec, shift->n_nodes, width,
                 opn_i_rows_const(shift->slope, shift->n_nodes, width),
                 opn_i_rows_const(shift->gram, width, width),
                 opn_i_rows(shift->shift, shift->n_nodes, width), NULL, 1);
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < shift->n_nodes; i++) {
        opn_real *slope = row_of(shift, shift->slope, i);
        opn_real *moved = row_of(shift, shift->shift, i);
        double square = 0.0;
        for (int32_t h = 0; h < width; h++)
            square += (double)slope[h] * (double)moved[h];
        const double factor = square > 0.0 ? length / sqrt(square) : 0.0;
        for (int32_t h = 0; h < width; h++) {
            slope[h] = (opn_real)(factor * (double)slope[h]);
            moved[h] = (opn_real)(factor * (double)moved[h]);
        }
    }
}

// ---- noise ---------------------------------------------------------------------------

// U^T U = G, row by row; U is 0 in the rows of columns that depend on those before.
static void take_root(opn_i_input_shift *shift)
{
    const int32_t n = shift->width;
    opn_real *u = shift->root;
    const double least = 64.0 * (sizeof(opn_real) == sizeof(float) ? 1.2e-7 : 2.3e-16);
    memcpy(u, shift->gram, (size_t)n * (size_t)n * sizeof(*u));
    for (int32_t h = 0; h < n; h++) {
        opn_real *row = row_of(shift, u, h);
        const double whole = (double)shift->gram[(size_t)h * (size_t)n + (size_t)h];
        const bool is_new = (double)row[h] > least * whole;
        const double pivot = is_new ? sqrt((double)row[h]) : 0.0;
        for (int32_t k = 0; k < n; k++)
            row[k] = k < h || !is_new ? 0 : (opn_real)((double)row[k] / pivot);
        for (int32_t j = h + 1; j < n && is_new; j++) {
            opn_real *below = row_of(shift, u, j);
            for (int32_t k = j; k < n; k++)
                below[k] -= row[j] * row[k];
        }
    }
}

// Two normal numbers from two words, by the method of Box and Muller.
static void draw_normals(const uint32_t word[2], opn_real normal[2])
{
    const double turn = 6.283185307179586 * (word[1] / 4294967296.0);
    const double far = sqrt(-2.0 * log((word[0] + 1.0) / 4294967296.0));
    normal[0] = (opn_real)(far * cos(turn));
    normal[1] = (opn_real)(far * sin(turn));
}

void opn_i_input_shift_noise(const opn_i_exec *exec,
                             opn_i_input_shift *shift,
                             uint64_t seed,
                             opn_i_stream stream,
                             uint32_t step,
                             double deviation)
{
    enum { NUMBERS_A_DRAW = 4 };
    const int32_t width = shift->width; // a multiple of OPN_LANES
    const int n_threads = opn_i_exec_threads(exec, 16 * (int64_t)shift->n_nodes * width);
    (void)n_threads;
    take_root(shift);
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < shift->n_nodes; i++) {
        opn_real *row = row_of(shift, shift->slope, i);
        for (int32_t h = 0; h < width; h += NUMBERS_A_DRAW) {
            const opn_i_random4 drawn = opn_i_random(
                    seed, stream, step, (uint64_t)i << 32 | (uint64_t)(uint32_t)h);
            draw_normals(drawn.word, row + h);
            draw_normals(drawn.word + 2, row + h + 2);
        }
        for (int32_t h = 0; h < width; h++)
            row[h] *= (opn_real)deviation;
    }
    opn_i_matmul(exec, shift->n_nodes, width,
                 opn_i_rows_const(shift->slope, shift->n_nodes, width),
                 opn_i_rows_const(shift->root, width, width),
                 opn_i_rows(shift->shift, shift->n_nodes, width), NULL, 1);
}

// ---- passes --------------------------------------------------------------------------

opn_real *opn_i_input_shift_forward(const opn_i_exec *exec,
                                    opn_i_input_shift *shift,
                                    opn_real *product,
                                    opn_real *p)
{
    const size_t n = (size_t)shift->n_nodes * (size_t)shift->width;
    const int n_threads = threads_of(exec, shift);
    (void)n_threads;
    if (shift->use == OPN_SHIFT_RECORDS) {
        memcpy(shift->product, product, n * sizeof(*product));
        return product;
    }
    const opn_real *from = shift->use == OPN_SHIFT_ADDS ? product : shift->product;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t j = 0; j < n; j++)
        p[j] = from[j] + shift->shift[j];
    return p;
}

void opn_i_input_shift_keep(const opn_i_exec *exec,
                            opn_i_input_shift *shift,
                            const opn_real *scale,
                            const opn_real *d_p)
{
    const int n_threads = threads_of(exec, shift);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < shift->n_nodes; i++) {
        opn_real *row = row_of(shift, shift->slope, i);
        const opn_real *from = d_p + (size_t)i * (size_t)shift->width;
        for (int32_t h = 0; h < shift->width; h++)
            row[h] = from[h] / scale[i];
    }
}

void opn_i_input_shift_back(const opn_i_exec *exec,
                            opn_i_input_shift *shift,
                            const opn_real *scale,
                            const opn_real *d_p,
                            opn_real *d_w0)
{
    const int32_t width = shift->width;
    const size_t n = (size_t)shift->n_features * (size_t)width;
    for (int32_t i = 0; i < shift->n_nodes; i++)
        for (int32_t h = 0; h < width; h++)
            row_of(shift, shift->slope, i)[h] /= scale[i];
    opn_i_matmul_tn(exec, shift->n_nodes, width,
                    opn_i_rows_const(shift->slope, shift->n_nodes, width),
                    opn_i_rows_const(d_p, shift->n_nodes, width), shift->partial,
                    shift->mixed);
    opn_i_matmul(exec, shift->n_features, width,
                 opn_i_rows_const(shift->w0, shift->n_features, width),
                 opn_i_rows_const(shift->mixed, width, width),
                 opn_i_rows(shift->added, shift->n_features, width), NULL, 1);
    for (size_t j = 0; j < n; j++)
        d_w0[j] += shift->added[j];
}
