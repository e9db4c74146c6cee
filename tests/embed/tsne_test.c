// tsne_test.c -- rows as points of a plane: neighbours, affinities, forces, the gradient,
// and what becomes of rows that leave nothing to embed.

#include "embed/affinity.h"
#include "embed/principal.h"
#include "embed/tsne.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_real *new_rows(int32_t n_rows, int32_t n_cols, uint64_t seed)
{
    const size_t n = (size_t)n_rows * (size_t)n_cols;
    opn_real *x = calloc(n + 1, sizeof(*x));
    assert_non_null(x);
    for (size_t e = 0; e < n; e++)
        x[e] = (opn_real)draw(&seed, -1.0, 1.0);
    return x;
}

static opn_i_tsne_options few_steps(int32_t n_steps)
{
    opn_i_tsne_options options = opn_i_tsne_defaults();
    options.n_steps = n_steps;
    options.n_exaggerated = n_steps / 4;
    return options;
}

// ---- neighbours ----------------------------------------------------------------------

static int compare_near(const void *a, const void *b)
{
    const opn_i_near *x = a;
    const opn_i_near *y = b;
    if (x->square != y->square)
        return x->square < y->square ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

// The others of a row, nearest first.
static void
sort_others(int32_t n_rows, int32_t n_cols, const opn_real *x, int32_t i, opn_i_near *all)
{
    int32_t n_all = 0;
    for (int32_t j = 0; j < n_rows; j++) {
        opn_real square = 0;
        for (int32_t k = 0; k < n_cols; k++) {
            const opn_real off = x[j * n_cols + k] - x[i * n_cols + k];
            square += off * off;
        }
        if (j != i)
            all[n_all++] = (opn_i_near){square, j};
    }
    qsort(all, (size_t)n_all, sizeof(*all), compare_near);
}

static void
expect_plain_neighbours(int32_t n_rows, int32_t n_cols, const opn_real *x, int32_t n_near)
{
    const size_t n = (size_t)n_rows * (size_t)n_near;
    const opn_k_table *table[MOST_TABLES];
    opn_i_near *near = calloc(n + 1, sizeof(*near));
    opn_i_near *all = calloc((size_t)n_rows, sizeof(*all));
    assert_non_null(near);
    assert_non_null(all);
    for (int t = all_tables(table) - 1; t >= 0; t--) {
        assert_int_equal(opn_i_nearest(ctx, table[t], n_rows, n_cols, x, n_near, near),
                         OPN_OK);
        for (int32_t i = 0; i < n_rows; i++) {
            sort_others(n_rows, n_cols, x, i, all);
            for (int32_t j = 0; j < n_near; j++) {
                assert_int_equal(near[i * n_near + j].row, all[j].row);
                assert_true(near[i * n_near + j].square == all[j].square);
            }
        }
    }
    free(near);
    free(all);
}

static void neighbours_are_those_of_a_plain_search(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 15, 16, 17, 64, 65, 127, 200};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (int32_t n_cols = 0; n_cols <= 35; n_cols = 2 * n_cols + 1 + n_cols / 15) {
            opn_real *x = new_rows(sizes[s], n_cols, s + 1);
            expect_plain_neighbours(sizes[s], n_cols, x, 1);
            expect_plain_neighbours(sizes[s], n_cols, x, sizes[s] / 2);
            expect_plain_neighbours(sizes[s], n_cols, x, sizes[s] - 1);
            free(x);
        }
}

static void of_equally_near_rows_the_lower_come_first(void **state)
{
    (void)state;
    opn_real *x = new_rows(150, 2, 1);
    for (int e = 0; e < 300; e++) // on a grid, where most distances are shared
        x[e] = (opn_real)floor(3.0 * (double)x[e]);
    expect_plain_neighbours(150, 2, x, 20);
    free(x);
}

// ---- affinities ----------------------------------------------------------------------

static opn_i_csr affinity_of(
        int32_t n_rows, int32_t n_cols, const opn_real *x, int32_t n_near, double width)
{
    opn_i_csr affinity = {0};
    opn_i_near *near = calloc((size_t)n_rows * (size_t)n_near, sizeof(*near));
    assert_non_null(near);
    assert_int_equal(opn_i_nearest(ctx, opn_k_select(), n_rows, n_cols, x, n_near, near),
                     OPN_OK);
    assert_int_equal(opn_i_affinity(ctx, n_rows, n_near, near, width, &affinity), OPN_OK);
    free(near);
    return affinity;
}

static double entry(const opn_i_csr *a, int32_t i, int32_t j)
{
    for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++)
        if (a->col_idx[e] == j)
            return (double)a->value[e];
    return 0.0;
}

static void affinities_are_symmetric_and_add_up_to_one(void **state)
{
    (void)state;
    opn_real *x = new_rows(100, 5, 3);
    opn_i_csr affinity = affinity_of(100, 5, x, 30, 10.0);
    double sum = 0.0;
    for (int32_t i = 0; i < 100; i++)
        for (opn_off e = affinity.row_ptr[i]; e < affinity.row_ptr[i + 1]; e++) {
            assert_true(affinity.col_idx[e] != i);
            assert_true((double)affinity.value[e] ==
                        entry(&affinity, affinity.col_idx[e], i));
            sum += (double)affinity.value[e];
        }
    expect_close(sum, 1.0, by_build(1e-5, 1e-12), 1.0);
    opn_i_csr_deinit(&ctx->alloc, &affinity);
    free(x);
}

// The first of rows that no other has for a neighbour shows p_{j|i} alone.
static void a_row_has_the_perplexity_asked_for(void **state)
{
    (void)state;
    opn_real *x = new_rows(120, 3, 5);
    for (int k = 0; k < 3; k++)
        x[k] = 9;
    opn_i_csr affinity = affinity_of(120, 3, x, 36, 12.0);
    double entropy = 0.0;
    for (opn_off e = affinity.row_ptr[0]; e < affinity.row_ptr[1]; e++) {
        const double p = 2.0 * 120.0 * (double)affinity.value[e];
        entropy -= p * log(p);
    }
    assert_int_equal(affinity.row_ptr[1], 36);
    expect_close(entropy, log(12.0), 2e-5, 1.0);
    opn_i_csr_deinit(&ctx->alloc, &affinity);
    free(x);
}

static void equal_rows_share_their_affinity_evenly(void **state)
{
    (void)state;
    const opn_real x[8] = {0};
    opn_i_csr affinity = affinity_of(4, 2, x, 3, 2.0);
    for (int32_t i = 0; i < 4; i++)
        for (int32_t j = 0; j < 4; j++)
            expect_close(entry(&affinity, i, j), i == j ? 0.0 : 1.0 / 12.0, 1e-6, 1.0);
    opn_i_csr_deinit(&ctx->alloc, &affinity);
}

// ---- the start -----------------------------------------------------------------------

static void the_start_lies_in_the_plane_of_largest_variance(void **state)
{
    (void)state;
    opn_real *x = new_rows(300, 6, 7);
    double *plane = calloc(600, sizeof(*plane));
    assert_non_null(plane);
    for (int i = 0; i < 300; i++) {
        x[6 * i + 2] *= 9;
        x[6 * i + 4] *= 3;
    }
    assert_int_equal(opn_i_principal_plane(ctx, 300, 6, x, 100, plane), OPN_OK);
    double variance[2] = {0};
    double wanted[2] = {0};
    double both = 0.0;
    for (int i = 0; i < 300; i++) {
        both += plane[2 * i] * plane[2 * i + 1];
        for (int axis = 0; axis < 2; axis++) {
            const double along = (double)x[6 * i + 2 + 2 * axis];
            variance[axis] += plane[2 * i + axis] * plane[2 * i + axis];
            wanted[axis] += along * along;
        }
    }
    for (int axis = 0; axis < 2; axis++)
        expect_close(variance[axis], wanted[axis], 0.03, 1.0);
    expect_close(both, 0.0, 1e-6 * variance[0], 1.0);
    free(plane);
    free(x);
}

// ---- forces and the gradient ---------------------------------------------------------

static double repel_plainly(int32_t n, const opn_real *y, double *force)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        force[2 * i] = force[2 * i + 1] = 0.0;
        for (int32_t j = 0; j < n; j++) {
            const double off_x = (double)y[2 * i] - (double)y[2 * j];
            const double off_y = (double)y[2 * i + 1] - (double)y[2 * j + 1];
            const double q = 1.0 / (1.0 + off_x * off_x + off_y * off_y);
            force[2 * i] += q * q * off_x;
            force[2 * i + 1] += q * q * off_y;
            sum += i == j ? 0.0 : q;
        }
    }
    return sum;
}

// The norm of the error of the forces over that of the forces.
static double force_error(int32_t n, double scale, double theta, double *sum_error)
{
    opn_real *y = new_rows(n, 2, (uint64_t)n);
    opn_real *force = new_rows(n, 2, 1);
    double *plain = calloc(2 * (size_t)n, sizeof(*plain));
    opn_i_tree tree = {0};
    const opn_i_exec one = {.kernels = opn_k_select(), .n_threads = 1};
    assert_non_null(plain);
    for (int32_t e = 0; e < 2 * n; e++)
        y[e] *= (opn_real)(scale * fabs((double)y[e])); // denser in the middle
    assert_int_equal(opn_i_tree_init(ctx, n, &tree), OPN_OK);
    opn_i_tree_sort(1, y, &tree);
    const double sum = opn_i_repel(&one, y, theta, &tree, force);
    const double plain_sum = repel_plainly(n, y, plain);
    double error = 0.0;
    double norm = 0.0;
    for (int32_t e = 0; e < 2 * n; e++) {
        error += ((double)force[e] - plain[e]) * ((double)force[e] - plain[e]);
        norm += plain[e] * plain[e];
    }
    *sum_error = fabs(sum / plain_sum - 1.0);
    opn_i_tree_deinit(&ctx->alloc, &tree);
    free(plain);
    free(force);
    free(y);
    return sqrt(error / norm);
}

static void forces_are_exact_for_theta_0_and_near_for_one_half(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 5, 16, 17, 33, 500, 2500};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (double scale = 0.1; scale < 200.0; scale *= 10.0) {
            double sum_error = 0.0;
            assert_true(force_error(sizes[s], scale, 0.0, &sum_error) <
                        by_build(2e-5, 1e-12));
            assert_true(sum_error < by_build(2e-4, 1e-11));
            assert_true(force_error(sizes[s], scale, 0.5, &sum_error) < 0.03);
            assert_true(sum_error < 0.03);
        }
}

static double divergence_of(const opn_i_csr *p, const double *y)
{
    double sum = 0.0;
    double divergence = 0.0;
    for (int turn = 0; turn < 2; turn++)
        for (int32_t i = 0; i < p->n_rows; i++)
            for (int32_t j = 0; j < p->n_rows; j++) {
                const double off_x = y[2 * i] - y[2 * j];
                const double off_y = y[2 * i + 1] - y[2 * j + 1];
                const double q = 1.0 / (1.0 + off_x * off_x + off_y * off_y);
                const double own = entry(p, i, j);
                if (turn == 0)
                    sum += i == j ? 0.0 : q;
                else if (own > 0.0)
                    divergence += own * log(own * sum / q);
            }
    return divergence;
}

static void the_gradient_is_that_of_central_differences(void **state)
{
    (void)state;
    enum { V = 24 };
    opn_real *x = new_rows(V, 4, 11);
    opn_real *y = new_rows(V, 2, 12);
    opn_real force[2 * V];
    opn_real gradient[2 * V];
    double at[2 * V];
    opn_i_tree tree = {0};
    const opn_i_exec one = {.kernels = opn_k_select(), .n_threads = 1};
    opn_i_csr affinity = affinity_of(V, 4, x, 12, 4.0);
    for (int e = 0; e < 2 * V; e++)
        at[e] = (double)(y[e] *= 2);
    assert_int_equal(opn_i_tree_init(ctx, V, &tree), OPN_OK);
    opn_i_tree_sort(1, y, &tree);
    opn_i_tsne_gradient(&one, &affinity, 1.0, 0.0, y, &tree, force, gradient);
    for (int e = 0; e < 2 * V; e++) {
        const double middle = at[e];
        const double step = 1e-5;
        at[e] = middle + step;
        const double above = divergence_of(&affinity, at);
        at[e] = middle - step;
        const double below_it = divergence_of(&affinity, at);
        at[e] = middle;
        expect_close((double)gradient[e], (above - below_it) / (2.0 * step),
                     by_build(2e-5, 1e-7), 0.1);
    }
    opn_i_csr_deinit(&ctx->alloc, &affinity);
    opn_i_tree_deinit(&ctx->alloc, &tree);
    free(x);
    free(y);
}

// ---- the whole -----------------------------------------------------------------------

static void clusters_come_out_apart(void **state)
{
    (void)state;
    enum { V = 300, F = 8, K = 3 };
    opn_real *x = new_rows(V, F, 21);
    opn_real point[2 * V];
    for (int i = 0; i < V; i++)
        x[F * i + i % K] += 8;
    const opn_i_tsne_options options = few_steps(400);
    assert_int_equal(opn_i_tsne(ctx, V, F, x, &options, point), OPN_OK);
    for (int i = 0; i < V; i++) { // the nearest point is of the same cluster
        int nearest = -1;
        double least = (double)INFINITY;
        for (int j = 0; j < V; j++) {
            const double far = hypot((double)point[2 * i] - (double)point[2 * j],
                                     (double)point[2 * i + 1] - (double)point[2 * j + 1]);
            if (j != i && far < least) {
                least = far;
                nearest = j;
            }
        }
        assert_int_equal(nearest % K, i % K);
    }
    free(x);
}

static void points_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { V = 1500, F = 6 };
    opn_real *x = new_rows(V, F, 31);
    opn_real *first = new_rows(V, 2, 1);
    opn_real *other = new_rows(V, 2, 1);
    const opn_i_tsne_options options = few_steps(40);
    assert_int_equal(opn_i_tsne(ctx, V, F, x, &options, first), OPN_OK);
    for (int n_threads = 2; n_threads <= 3; n_threads++) {
        assert_int_equal(opn_ctx_set_threads(ctx, n_threads), OPN_OK);
        assert_int_equal(opn_i_tsne(ctx, V, F, x, &options, other), OPN_OK);
        assert_memory_equal(first, other, 2 * V * sizeof(*first));
    }
    free(x);
    free(first);
    free(other);
}

static void points_have_the_same_bits_with_any_kernels(void **state)
{
    (void)state;
    enum { V = 700, F = 37 };
    opn_real *x = new_rows(V, F, 41);
    opn_real *fast = new_rows(V, 2, 1);
    opn_real *plain = new_rows(V, 2, 1);
    const opn_i_tsne_options options = few_steps(40);
    assert_int_equal(opn_i_tsne(ctx, V, F, x, &options, fast), OPN_OK);
    assert_int_equal(setenv("OPINE_KERNEL", "ref", 1), 0);
    assert_int_equal(opn_i_tsne(ctx, V, F, x, &options, plain), OPN_OK);
    assert_int_equal(unsetenv("OPINE_KERNEL"), 0);
    assert_memory_equal(fast, plain, 2 * V * sizeof(*fast));
    free(x);
    free(fast);
    free(plain);
}

static void few_rows_and_equal_rows_are_embedded(void **state)
{
    (void)state;
    static const int32_t sizes[] = {0, 1, 2, 3, 4, 5, 10, 31, 91, 200};
    const opn_i_tsne_options options = few_steps(100);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (int32_t n_cols = 0; n_cols <= 3; n_cols++)
            for (int is_drawn = 0; is_drawn < 2; is_drawn++) {
                opn_real *x = new_rows(sizes[s], n_cols, 51);
                opn_real *point = new_rows(sizes[s], 2, 1);
                double sum = 0.0;
                for (int32_t e = 0; e < sizes[s] * n_cols && !is_drawn; e++)
                    x[e] = (opn_real)0.75;
                assert_int_equal(opn_i_tsne(ctx, sizes[s], n_cols, x, &options, point),
                                 OPN_OK);
                for (int32_t e = 0; e < 2 * sizes[s]; e++) {
                    assert_true(isfinite(point[e]));
                    sum += (double)point[e];
                }
                expect_close(sum, 0.0, 1e-2, 1.0);
                free(x);
                free(point);
            }
}

static void equal_rows_do_not_stay_on_one_spot(void **state)
{
    (void)state;
    const opn_real x[40] = {0};
    opn_real point[40];
    const opn_i_tsne_options options = few_steps(200);
    assert_int_equal(opn_i_tsne(ctx, 20, 2, x, &options, point), OPN_OK);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < i; j++)
            assert_true(point[2 * i] != point[2 * j]);
}

// ---- failures
// --------------------------------------------------------------------------

static void expect_untouched(size_t n, const opn_real *point)
{
    for (size_t e = 0; e < n; e++)
        assert_true(point[e] == 77);
}

static void an_interruption_leaves_nothing(void **state)
{
    (void)state;
    enum { V = 50 };
    opn_real *x = new_rows(V, 3, 71);
    opn_real point[2 * V];
    const opn_i_tsne_options options = few_steps(5);
    opn_status status = OPN_ERR_INTERRUPTED;
    for (int e = 0; e < 2 * V; e++)
        point[e] = 77;
    int n_interrupted = 0;
    for (long at = 1; status != OPN_OK; at++) {
        listener ear = {.interrupt_at = at};
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        support_listen(other, &ear);
        status = opn_i_tsne(other, V, 3, x, &options, point);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_INTERRUPTED);
        expect_untouched(2 * V, point);
        n_interrupted++;
    }
    assert_true(n_interrupted >= 8); // directions, neighbours, affinities, steps
    free(x);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { V = 40 };
    opn_real *x = new_rows(V, 3, 81);
    opn_real point[2 * V];
    const opn_i_tsne_options options = few_steps(3);
    int n_failed = 0;
    for (int e = 0; e < 2 * V; e++)
        point[e] = 77;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        const opn_status status = opn_i_tsne(other, V, 3, x, &options, point);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        expect_untouched(2 * V, point);
        n_failed++;
    }
    assert_true(n_failed >= 20);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(neighbours_are_those_of_a_plain_search),
            WITH_CTX(of_equally_near_rows_the_lower_come_first),
            WITH_CTX(affinities_are_symmetric_and_add_up_to_one),
            WITH_CTX(a_row_has_the_perplexity_asked_for),
            WITH_CTX(equal_rows_share_their_affinity_evenly),
            WITH_CTX(the_start_lies_in_the_plane_of_largest_variance),
            WITH_CTX(forces_are_exact_for_theta_0_and_near_for_one_half),
            WITH_CTX(the_gradient_is_that_of_central_differences),
            WITH_CTX(clusters_come_out_apart),
            WITH_CTX(points_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(points_have_the_same_bits_with_any_kernels),
            WITH_CTX(few_rows_and_equal_rows_are_embedded),
            WITH_CTX(equal_rows_do_not_stay_on_one_spot),
            WITH_CTX(an_interruption_leaves_nothing),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
