// feature_dense_test.c -- features most of which are not 0: an array, whose products are
// those of the entries that are kept.

#include "network/feature_matrix.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// Enough entries for an array; one in five is 0.
enum { V = 700, F = 131, STRIDE = 136, WIDTH = 72 };

static opn_i_csr draw_features(uint64_t *random, int32_t n_rows, int32_t n_cols)
{
    opn_i_csr x = {0};
    assert_int_equal(
            opn_i_csr_init(ctx, n_rows, n_cols, (opn_off)n_rows * n_cols, true, &x),
            OPN_OK);
    for (int32_t i = 0; i < n_rows; i++) {
        opn_off at = x.row_ptr[i];
        for (int32_t k = 0; k < n_cols; k++) {
            if (below(random, 5) == 0)
                continue;
            x.col_idx[at] = k;
            x.value[at++] = (opn_real)draw(random, -2.0, 2.0);
        }
        x.row_ptr[i + 1] = at;
    }
    return x;
}

static opn_real *draw_matrix(uint64_t *random, int32_t n_rows, int32_t width)
{
    opn_real *x = calloc((size_t)(n_rows + 1) * (size_t)width, sizeof(*x));
    assert_non_null(x);
    draw_rows(random, n_rows, width, width, -1.0, 1.0, x);
    return x;
}

// What a pass is to give: X with the kept entries scaled, minus the centre.
static double *
make_oracle(const opn_i_csr *x, const opn_i_feature_matrix *matrix, double rate)
{
    double *dense = calloc((size_t)x->n_rows * F, sizeof(*dense));
    assert_non_null(dense);
    for (int32_t i = 0; i < x->n_rows; i++) {
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++) {
            const int64_t bit = (int64_t)i * STRIDE + x->col_idx[e];
            if (rate == 0.0 || (i < matrix->n_trained && opn_i_bit(matrix->keep, bit)))
                dense[i * F + x->col_idx[e]] = (double)x->value[e] / (1.0 - rate);
        }
        for (int32_t k = 0; k < F && matrix->centre != NULL; k++)
            dense[i * F + k] -= (double)matrix->centre[k];
    }
    return dense;
}

static void expect_pass(const opn_i_exec *exec,
                        const opn_i_csr *x,
                        opn_i_feature_matrix *matrix,
                        double rate,
                        unsigned uses)
{
    uint64_t random = 5;
    const int32_t n_rows = x->n_rows, n_trained = matrix->n_trained;
    opn_real *w = draw_matrix(&random, F, WIDTH);
    opn_real *g = draw_matrix(&random, n_rows, WIDTH);
    opn_real *p = draw_matrix(&random, n_rows, WIDTH);
    opn_real *d_w = draw_matrix(&random, F, WIDTH);
    opn_i_keep_bits(exec, 4, OPN_STREAM_STUDENT_FEATURES, 0, rate == 0.0 ? 0.5 : rate,
                    opn_i_feature_matrix_n_bits(matrix), matrix->keep);
    double *want = make_oracle(x, matrix, rate);
    opn_i_feature_matrix_drop(exec, matrix, rate, uses);
    if (rate > 0.0 && (uses & OPN_USE_DROPPED) != 0)
        opn_i_feature_matrix_subtract(exec, matrix, WIDTH, w, p, p);
    else
        opn_i_feature_matrix_product(exec, matrix, WIDTH, w, p);
    for (int32_t j = 0; j < (rate > 0.0 ? n_trained : n_rows) * WIDTH; j++) {
        double sum = 0.0;
        for (int32_t k = 0; k < F; k++)
            sum += want[j / WIDTH * F + k] * (double)w[k * WIDTH + j % WIDTH];
        expect_close((double)p[j], sum, by_build(1e-6, 1e-14), 200.0);
    }
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t h = 0; h < WIDTH; h++)
            p[i * WIDTH + h] =
                    i < n_trained ? g[i * WIDTH + h] * matrix->scale[i] : (opn_real)NAN;
    opn_i_feature_matrix_product_transposed(exec, matrix, WIDTH, p, d_w);
    for (int32_t j = 0; j < F * WIDTH; j++) {
        double sum = 0.0;
        for (int32_t i = 0; i < n_trained; i++)
            sum += want[i * F + j / WIDTH] * (double)g[i * WIDTH + j % WIDTH];
        expect_close((double)d_w[j], sum, by_build(2e-6, 1e-14), 1000.0);
    }
    free(w);
    free(g);
    free(p);
    free(d_w);
    free(want);
}

static opn_i_feature_matrix
make_matrix(const opn_i_csr *x, const int32_t *order, bool is_centred)
{
    opn_i_feature_matrix matrix = {0};
    const opn_i_features view = opn_i_features_view(x);
    uint64_t random = 9;
    opn_real centre[F];
    draw_rows(&random, 1, F, F, -0.5, 0.5, centre);
    assert_int_equal(
            opn_i_feature_matrix_init_for(ctx, &view, is_centred ? centre : NULL, order,
                                          OPN_USE_BACKWARD | OPN_USE_DROPPED, &matrix),
            OPN_OK);
    assert_non_null(matrix.dense);
    return matrix;
}

static void number_rows(int32_t *order)
{
    for (int32_t i = 0; i < V; i++)
        order[i] = i;
}

static void products_are_those_of_the_kept_entries_both_ways(void **state)
{
    (void)state;
    static const double rates[] = {0.0, 0.5, 0.25};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 1;
    int32_t order[V];
    number_rows(order);
    opn_i_csr x = draw_features(&random, V, F);
    for (int round = 0; round < 2 * n_tables; round++) {
        opn_i_feature_matrix matrix = make_matrix(&x, order, round % 2 == 1);
        const opn_i_exec exec = {.kernels = table[round / 2], .n_threads = 1};
        for (int r = 0; r < 3; r++) {
            expect_pass(&exec, &x, &matrix, rates[r], OPN_USE_BACKWARD);
            expect_pass(&exec, &x, &matrix, rates[r], OPN_USE_BACKWARD | OPN_USE_DROPPED);
        }
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    }
    opn_i_csr_deinit(&ctx->alloc, &x);
}

// Rows in another order, and some of those: a part borrows what the whole has.
static void a_part_looks_at_the_rows_of_the_whole(void **state)
{
    (void)state;
    enum { N = 300, N_TRAINED = 257 };
    uint64_t random = 2;
    int32_t order[V], node[N], taken[N];
    number_rows(order);
    for (int32_t i = 0; i < V; i++)
        order[i] = (i * 11 + 5) % V;
    for (int32_t r = 0; r < N; r++) {
        node[r] = (r * 3 + 1) % V;
        taken[r] = order[node[r]];
    }
    opn_i_csr x = draw_features(&random, V, F);
    opn_i_csr rows = {0};
    opn_i_feature_matrix whole = make_matrix(&x, order, true);
    opn_i_feature_matrix part = {0};
    assert_int_equal(opn_i_csr_take_rows(ctx, &x, taken, N, &rows), OPN_OK);
    assert_int_equal(
            opn_i_feature_matrix_init_part(ctx, &whole, node, N, N_TRAINED, &part),
            OPN_OK);
    assert_ptr_equal(part.dense, whole.dense);
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    expect_pass(&exec, &rows, &part, 0.0, OPN_USE_BACKWARD);
    expect_pass(&exec, &rows, &part, 0.25, OPN_USE_BACKWARD);
    opn_i_feature_matrix_deinit(&ctx->alloc, &part);
    opn_i_feature_matrix_deinit(&ctx->alloc, &whole);
    opn_i_csr_deinit(&ctx->alloc, &rows);
    opn_i_csr_deinit(&ctx->alloc, &x);
}

static void both_products_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { N_RESULTS = (V + F) * WIDTH };
    uint64_t random = 3;
    int32_t order[V];
    number_rows(order);
    opn_i_csr x = draw_features(&random, V, F);
    opn_i_feature_matrix matrix = make_matrix(&x, order, false);
    opn_real *from = draw_matrix(&random, V, WIDTH);
    opn_real *to[2] = {draw_matrix(&random, V + F, WIDTH),
                       draw_matrix(&random, V + F, WIDTH)};
    for (int t = 0; t < N_THREAD_COUNTS; t++) {
        const opn_i_exec exec = {.kernels = opn_k_select(),
                                 .n_threads = thread_counts[t]};
        opn_real *result = to[t == 0 ? 0 : 1];
        opn_i_keep_bits(&exec, 1, OPN_STREAM_STUDENT_FEATURES, 0, 0.25,
                        opn_i_feature_matrix_n_bits(&matrix), matrix.keep);
        opn_i_feature_matrix_drop(&exec, &matrix, 0.25, OPN_USE_BACKWARD);
        opn_i_feature_matrix_product(&exec, &matrix, WIDTH, from, result);
        opn_i_feature_matrix_product_transposed(&exec, &matrix, WIDTH, from,
                                                result + (size_t)V * WIDTH);
        assert_memory_equal(result, to[0], N_RESULTS * sizeof(*result));
    }
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    opn_i_csr_deinit(&ctx->alloc, &x);
    free(from);
    free(to[0]);
    free(to[1]);
}

static void few_entries_and_many_columns_stay_lists(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{100, 131}, {60, 2100}};
    uint64_t random = 4;
    for (int s = 0; s < 2; s++) {
        opn_i_csr x = draw_features(&random, sizes[s][0], sizes[s][1]);
        opn_i_feature_matrix matrix = {0};
        const opn_i_features view = opn_i_features_view(&x);
        assert_int_equal(opn_i_feature_matrix_init(ctx, &view, &matrix), OPN_OK);
        assert_null(matrix.dense);
        assert_non_null(matrix.kept.ptr);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 6;
    opn_i_csr x = draw_features(&random, V, F);
    const opn_i_features view = opn_i_features_view(&x);
    bool is_done = false;
    for (long n = 1; !is_done; n++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        m.fail_at = m.n_requests + n;
        opn_i_feature_matrix matrix = {0};
        const opn_status status = opn_i_feature_matrix_init(other, &view, &matrix);
        is_done = status == OPN_OK;
        assert_true(is_done || status == OPN_ERR_NOMEM);
        opn_i_feature_matrix_deinit(&other->alloc, &matrix);
        support_ctx_free(other, &m);
    }
    opn_i_csr_deinit(&ctx->alloc, &x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(products_are_those_of_the_kept_entries_both_ways),
            WITH_CTX(a_part_looks_at_the_rows_of_the_whole),
            WITH_CTX(both_products_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(few_entries_and_many_columns_stay_lists),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
