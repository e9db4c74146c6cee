// feature_centre.c -- products with X - 1 c^T, without forming it.
//
//   (X - 1 c^T) W = X W - 1 (c^T W),  (X - 1 c^T)^T G = X^T G - c (1^T G)
//
// Sums over rows are in double: c^T W is what is left of X W where X is mostly 0.

#include "network/feature_strategy.h"

enum { ROWS_A_CHUNK = 1024 };

// sum = c^T W, of the slice that starts at column `at`.
static void
multiply_centre(const opn_real *centre, opn_i_dense_const w, int32_t at, double *sum)
{
    const int32_t n = opn_i_slice(w.width, at);
    for (int32_t h = 0; h < n; h++)
        sum[h] = 0.0;
    for (int32_t k = 0; k < w.n_rows; k++) {
        const opn_real *row = opn_i_element_const(w, k, at);
        for (int32_t h = 0; h < n; h++)
            sum[h] += (double)centre[k] * (double)row[h];
    }
}

// sum = 1^T G, likewise.
static void sum_rows(const opn_i_exec *exec,
                     opn_i_dense_const g,
                     int32_t n_rows,
                     int32_t at,
                     double *sum)
{
    const int32_t n = opn_i_slice(g.width, at);
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n_rows * n);
    double part[OPN_SUM_BLOCKS][OPN_SLICE] = {{0}};
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int b = 0; b < OPN_SUM_BLOCKS; b++) {
        const int32_t first = (int32_t)((int64_t)n_rows * b / OPN_SUM_BLOCKS);
        const int32_t last = (int32_t)((int64_t)n_rows * (b + 1) / OPN_SUM_BLOCKS);
        for (int32_t i = first; i < last; i++) {
            const opn_real *row = opn_i_element_const(g, i, at);
            for (int32_t h = 0; h < n; h++)
                part[b][h] += (double)row[h];
        }
    }
    for (int32_t h = 0; h < n; h++) {
        sum[h] = 0.0;
        for (int b = 0; b < OPN_SUM_BLOCKS; b++)
            sum[h] += part[b][h];
    }
}

// Adds weight[i] added^T to the first n_rows rows of y, in the slice at `at`; without
// weights, `added` itself.
static void add_to_rows(const opn_i_exec *exec,
                        const opn_real *weight,
                        const opn_real *added,
                        int32_t n_rows,
                        int32_t at,
                        opn_i_dense y)
{
    const int32_t n = opn_i_slice(y.width, at);
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n_rows * n);
    (void)n_threads;
#pragma omp parallel for schedule(static, ROWS_A_CHUNK) \
        num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < n_rows; i++) {
        const opn_real factor = weight == NULL ? 1 : weight[i];
        opn_real *row = opn_i_element(y, i, at);
        for (int32_t h = 0; h < n; h++)
            row[h] += factor * added[h];
    }
}

static void scale_sum(const double *sum, double factor, opn_real *scaled)
{
    for (int32_t h = 0; h < OPN_SLICE; h++)
        scaled[h] = (opn_real)(factor * sum[h]);
}

void opn_i_feature_shift(const opn_i_exec *exec,
                         const opn_i_feature_matrix *matrix,
                         double factor,
                         opn_i_dense_const w,
                         opn_i_dense p)
{
    const int32_t n_rows = matrix->rate == 0.0 ? matrix->rows.n_rows : matrix->n_trained;
    for (int32_t at = 0; at < p.width && matrix->centre != NULL;
         at += opn_i_slice(p.width, at)) {
        double sum[OPN_SLICE] = {0};
        opn_real added[OPN_SLICE];
        multiply_centre(matrix->centre, w, at, sum);
        scale_sum(sum, factor, added);
        add_to_rows(exec, NULL, added, n_rows, at, p);
    }
}

void opn_i_feature_shift_back(const opn_i_exec *exec,
                              const opn_i_feature_matrix *matrix,
                              opn_i_dense_const g,
                              opn_i_dense d_w)
{
    for (int32_t at = 0; at < g.width && matrix->centre != NULL;
         at += opn_i_slice(g.width, at)) {
        double sum[OPN_SLICE] = {0};
        opn_real added[OPN_SLICE];
        sum_rows(exec, g, matrix->n_trained, at, sum);
        // A centred matrix scales all its rows by 1 / (1 - rate), and its centre not.
        scale_sum(sum, matrix->rate - 1.0, added);
        add_to_rows(exec, matrix->centre, added, matrix->rows.n_cols, at, d_w);
    }
}
