// affinity.c -- pairwise affinities between rows.

#include "embed/affinity.h"

#include <math.h>

// Tolerance on the entropy, as in van der Maaten's code and scikit-learn.
#define ENTROPY_TOLERANCE 1e-5
enum { MAX_HALVINGS = 100, ROWS_A_CHUNK = 64 };

// The caller may interrupt between rounds.
enum { ROWS_A_ROUND = 8192 };

// p_{j|i} with the given precision (1 / 2 sigma^2) for the n nearest rows; returns the
// entropy. The nearest has weight 1, so the sum is never 0.
static double
weigh(int32_t n, const opn_i_near *near, double precision, opn_real *probability)
{
    const double nearest = (double)near[0].square;
    double sum = 1.0;
    double mean = 0.0; // of precision times square, times sum
    probability[0] = 1;
    for (int32_t j = 1; j < n; j++) {
        const double exponent = precision * ((double)near[j].square - nearest);
        const double weight = exp(-exponent);
        probability[j] = (opn_real)weight;
        sum += weight;
        mean += weight * exponent;
    }
    for (int32_t j = 0; j < n; j++)
        probability[j] = (opn_real)((double)probability[j] / sum);
    return log(sum) + mean / sum;
}

static void
calibrate(int32_t n, const opn_i_near *near, double entropy, opn_real *probability)
{
    double low = 0.0;
    double high = (double)INFINITY;
    double spread = 0.0;
    for (int32_t j = 0; j < n; j++)
        spread += ((double)near[j].square - (double)near[0].square) / n;
    // The scale of the distances is a good first guess.
    double precision = spread > 0.0 ? 1.0 / spread : 1.0;
    for (int step = 0; step < MAX_HALVINGS; step++) {
        const double beyond = weigh(n, near, precision, probability) - entropy;
        if (fabs(beyond) <= ENTROPY_TOLERANCE || !(spread > 0.0))
            return;
        if (beyond > 0.0)
            low = precision;
        else
            high = precision;
        precision = isinf(high) ? 2.0 * precision : 0.5 * (low + high);
        if (isinf(precision))
            return;
    }
}

// Appends row i of `from`, scaled; duplicate columns are summed later.
static void join_row(const opn_i_csr *from, int32_t i, opn_real share, opn_i_csr *to)
{
    opn_off at = to->row_ptr[i + 1];
    for (opn_off e = from->row_ptr[i]; e < from->row_ptr[i + 1]; e++) {
        to->col_idx[at] = from->col_idx[e];
        to->value[at++] = from->value[e] * share;
    }
    to->row_ptr[i + 1] = at;
}

static opn_status symmetrise(opn_ctx *ctx, const opn_i_csr *conditional, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int32_t n_rows = conditional->n_rows;
    const opn_real share = (opn_real)(0.5 / n_rows);
    opn_i_csr transposed = {0};
    opn_i_csr sum = {0};
    OPN_TRY(opn_i_csr_transpose(ctx, conditional, &transposed));
    OPN_TRY(opn_i_csr_init(ctx, n_rows, n_rows, 2 * opn_i_csr_n_entries(conditional),
                           true, &sum));
    for (int32_t i = 0; i < n_rows; i++) {
        sum.row_ptr[i + 1] = sum.row_ptr[i];
        join_row(conditional, i, share, &sum);
        join_row(&transposed, i, share, &sum);
    }
    OPN_TRY(opn_i_csr_tidy(ctx, &sum));
    *out = sum;
    sum = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &transposed);
    opn_i_csr_deinit(&ctx->alloc, &sum);
    return status;
}

// Computes rows [begin, end) of p_{j|i}, with n_near entries each.
static void find_rows(int n_threads,
                      int32_t begin,
                      int32_t end,
                      int32_t n_near,
                      const opn_i_near *near,
                      double entropy,
                      opn_i_csr *conditional)
{
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(dynamic, ROWS_A_CHUNK) \
        num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = begin; i < end; i++) {
        const size_t first = (size_t)i * (size_t)n_near;
        calibrate(n_near, near + first, entropy, conditional->value + first);
        for (int32_t j = 0; j < n_near; j++)
            conditional->col_idx[first + (size_t)j] = near[first + (size_t)j].row;
        conditional->row_ptr[i + 1] = (opn_off)(first + (size_t)n_near);
    }
}

opn_status opn_i_affinity(opn_ctx *ctx,
                          int32_t n_rows,
                          int32_t n_near,
                          const opn_i_near *near,
                          double perplexity,
                          opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int n_threads = opn_i_threads_for(ctx, n_rows, ROWS_A_CHUNK);
    opn_i_csr conditional = {0};
    OPN_TRY(opn_i_csr_init(ctx, n_rows, n_rows, (opn_off)n_rows * n_near, true,
                           &conditional));
    for (int32_t begin = 0, end = 0; begin < n_rows; begin = end) {
        end = n_rows - begin < ROWS_A_ROUND ? n_rows : begin + ROWS_A_ROUND;
        find_rows(n_threads, begin, end, n_near, near, log(perplexity), &conditional);
        OPN_TRY(opn_i_progress(ctx, "computing affinities", end, n_rows, "rows"));
    }
    OPN_TRY(symmetrise(ctx, &conditional, out));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &conditional);
    return status;
}
