// feature_matrix_test.c -- features as the first layer takes them, whole and with entries
// dropped.

#include "network/feature_matrix.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- features ------------------------------------------------------------------------

// Kinds of features, each with empty rows, a full row and an empty column. Those in the
// middle are kept as bits.
typedef enum feature_kind {
    BINARY,
    CONSTANT_ROWS,
    DENSE_BINARY,
    DENSE_CONSTANT_ROWS,
    FREE_VALUES,
    CENTRED,
    N_KINDS
} feature_kind;

static bool has_bits(feature_kind kind)
{
    return kind == DENSE_BINARY || kind == DENSE_CONSTANT_ROWS;
}

static bool is_set(feature_kind kind, int32_t i, int32_t k, uint64_t *random)
{
    const bool is_sparse = kind == BINARY || kind == CONSTANT_ROWS;
    const bool is_drawn = below(random, is_sparse ? 14 : 3) == 0;
    return i % 6 != 2 && k != 13 && (i == 7 || is_drawn);
}

static opn_i_csr
draw_features(feature_kind kind, int32_t n_rows, int32_t n_cols, uint64_t *random)
{
    const size_t room = (size_t)n_rows * (size_t)n_cols;
    int32_t *row = calloc(room, sizeof(*row));
    int32_t *col = calloc(room, sizeof(*col));
    opn_real *value = calloc(room, sizeof(*value));
    opn_off n = 0;
    assert_non_null(row);
    assert_non_null(col);
    assert_non_null(value);
    for (int32_t i = 0; i < n_rows; i++) {
        const double of_row = draw(random, 0.1, 2.0);
        for (int32_t k = 0; k < n_cols; k++) {
            if (!is_set(kind, i, k, random))
                continue;
            row[n] = i;
            col[n] = k;
            value[n++] =
                    (opn_real)(kind >= FREE_VALUES ? draw(random, -2.0, 2.0) : of_row);
        }
    }
    const bool is_binary = kind == BINARY || kind == DENSE_BINARY;
    opn_i_csr x = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, n_rows, n_cols, n, row, col,
                                            is_binary ? NULL : value, &x),
                     OPN_OK);
    free(row);
    free(col);
    free(value);
    return x;
}

// Features of any kind; only those that are centred have a centre.
static opn_status init_for_uses(opn_ctx *of,
                                feature_kind kind,
                                const opn_i_csr *x,
                                unsigned uses,
                                opn_i_feature_matrix *out)
{
    uint64_t random = 11;
    int32_t *order = calloc((size_t)x->n_rows + 1, sizeof(*order));
    opn_real *centre = calloc((size_t)x->n_cols + 1, sizeof(*centre));
    assert_non_null(order);
    assert_non_null(centre);
    for (int32_t r = 0; r < x->n_rows; r++)
        order[r] = r;
    draw_rows(&random, 1, x->n_cols, x->n_cols, -0.5, 0.5, centre);
    const opn_i_features view = opn_i_features_view(x);
    const opn_status status = opn_i_feature_matrix_init_for(
            of, &view, kind == CENTRED ? centre : NULL, order, uses, out);
    free(order);
    free(centre);
    return status;
}

static opn_status
init_kind(opn_ctx *of, feature_kind kind, const opn_i_csr *x, opn_i_feature_matrix *out)
{
    return init_for_uses(of, kind, x, OPN_USE_BACKWARD | OPN_USE_DROPPED, out);
}

// ---- products in double --------------------------------------------------------------

static double *new_doubles(int32_t n_rows, int32_t n_cols)
{
    double *x = calloc((size_t)n_rows * (size_t)n_cols + 1, sizeof(*x));
    assert_non_null(x);
    return x;
}

// All n_rows by width of them are drawn. A row is there even if there
// are none: the kernels read it, and take nothing of it.
static opn_real *draw_matrix(uint64_t *random, int32_t n_rows, int32_t width)
{
    opn_real *x = calloc(((size_t)n_rows + 1) * (size_t)width, sizeof(*x));
    assert_non_null(x);
    draw_rows(random, n_rows, width, width, -1.0, 1.0, x);
    return x;
}

// X, or what is left of it: a bit for each entry of the first n_trained rows says which.
// The centre is subtracted from what is dropped, too.
static double *
make_dense(const opn_i_csr *x, const opn_i_feature_matrix *matrix, double rate)
{
    double *dense = new_doubles(x->n_rows, x->n_cols);
    for (int32_t i = 0; i < (rate > 0.0 ? matrix->n_trained : x->n_rows); i++) {
        double *row = dense + (size_t)i * (size_t)x->n_cols;
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            if (rate == 0.0 || opn_i_bit(matrix->keep, e))
                row[x->col_idx[e]] =
                        (x->value == NULL ? 1.0 : (double)x->value[e]) / (1.0 - rate);
        for (int32_t k = 0; k < x->n_cols && matrix->centre != NULL; k++)
            row[k] -= (double)matrix->centre[k];
    }
    return dense;
}

// Sizes of what an element of X is made of: a value and the centre may cancel.
static double *make_sizes(const opn_i_csr *x, const opn_i_feature_matrix *matrix)
{
    double *dense = new_doubles(x->n_rows, x->n_cols);
    for (int32_t i = 0; i < x->n_rows; i++) {
        double *row = dense + (size_t)i * (size_t)x->n_cols;
        for (int32_t k = 0; k < x->n_cols && matrix->centre != NULL; k++)
            row[k] = fabs((double)matrix->centre[k]);
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            row[x->col_idx[e]] += x->value == NULL ? 1.0 : fabs((double)x->value[e]);
    }
    return dense;
}

// A dense matrix, of which element (i, k) is at[i * row_step + k * col_step].
typedef struct dense_view {
    const double *at;
    int32_t n_rows, n_inner, row_step, col_step;
} dense_view;

// a x, or the same with all absolute values.
static double *multiply(dense_view a, opn_i_dense x, double (*of)(double))
{
    const size_t width = (size_t)x.width;
    double *y = new_doubles(a.n_rows, x.width);
    double *rows = new_doubles(a.n_inner, x.width);
    for (int32_t k = 0; k < a.n_inner; k++)
        for (int32_t h = 0; h < x.width; h++)
            rows[(size_t)k * width + (size_t)h] = of((double)*opn_i_element(x, k, h));
    for (int32_t i = 0; i < a.n_rows; i++) {
        for (int32_t k = 0; k < a.n_inner; k++) {
            const double factor = of(a.at[(size_t)i * (size_t)a.row_step +
                                          (size_t)k * (size_t)a.col_step]);
            for (size_t h = 0; h < width && factor != 0.0; h++)
                y[(size_t)i * width + h] += factor * rows[(size_t)k * width + h];
        }
    }
    free(rows);
    return y;
}

static double itself(double x)
{
    return x;
}

// Expects `got` to be `kept` x as exactly as the sizes of what `whole` x adds up allow.
static void expect_product(
        dense_view kept, dense_view whole, double rate, opn_i_dense x, opn_i_dense got)
{
    double *want = multiply(kept, x, itself);
    double *size = multiply(whole, x, fabs);
    for (int32_t i = 0; i < kept.n_rows; i++) {
        for (int32_t h = 0; h < x.width; h++) {
            const size_t at = (size_t)i * (size_t)x.width + (size_t)h;
            expect_close((double)*opn_i_element(got, i, h), want[at],
                         by_build(1e-6, 1e-14), size[at] / (1.0 - rate));
        }
    }
    free(want);
    free(size);
}

// ---- passes --------------------------------------------------------------------------

// One pass over a matrix of the rows of x.
typedef struct pass {
    const opn_i_csr *x;
    opn_i_feature_matrix *matrix;
    double rate;
    unsigned uses;
    bool is_in_place; // the whole product is where the result goes
    int32_t width;
} pass;

// X w of the pass, from `whole` where the matrix lists what it drops.
static void multiply_features(const opn_i_exec *exec,
                              const opn_i_feature_matrix *matrix,
                              int32_t width,
                              const opn_real *w,
                              const opn_real *whole,
                              opn_real *p)
{
    if (matrix->lists_dropped)
        opn_i_feature_matrix_subtract(exec, matrix, width, w, whole, p);
    else
        opn_i_feature_matrix_product(exec, matrix, width, w, p);
}

// Dropped entries of X have no effect on the rows that the pass writes; the other rows,
// which do not train, may hold anything.
static void expect_forward(const opn_i_exec *exec,
                           const pass *one,
                           const double *kept,
                           const double *all,
                           const double *sizes,
                           uint64_t *random)
{
    const int32_t n_rows = one->x->n_rows, n_cols = one->x->n_cols;
    const int32_t n_written = one->rate > 0.0 ? one->matrix->n_trained : n_rows;
    const dense_view all_rows = {all, n_rows, n_cols, n_cols, 1};
    const dense_view written = {sizes, n_written, n_cols, n_cols, 1};
    const dense_view left = {kept, n_written, n_cols, n_cols, 1};
    opn_real *w = draw_matrix(random, n_cols, one->width);
    opn_real *whole = draw_matrix(random, n_rows, one->width);
    opn_real *other = draw_matrix(random, n_rows, one->width);
    const opn_i_dense weights = opn_i_rows(w, n_cols, one->width);
    const bool has_whole = (one->uses & OPN_USE_DROPPED) != 0;
    double *product = multiply(all_rows, weights, itself);
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t h = 0; h < one->width; h++)
            whole[row_place(one->width, i, h)] =
                    (opn_real)product[(size_t)i * (size_t)one->width + (size_t)h];
    opn_real *p = has_whole && one->is_in_place ? whole : other;
    multiply_features(exec, one->matrix, one->width, w, whole, p);
    expect_product(left, written, one->rate, weights, opn_i_rows(p, n_rows, one->width));
    free(product);
    free(w);
    free(whole);
    free(other);
}

// Rows that do not train are NaN, and must not be used.
static void expect_backward(const opn_i_exec *exec,
                            const pass *one,
                            const double *kept,
                            const double *sizes,
                            uint64_t *random)
{
    const int32_t n_rows = one->x->n_rows, n_cols = one->x->n_cols;
    const int32_t n_trained = one->matrix->n_trained;
    opn_real *g = draw_matrix(random, n_rows, one->width);
    opn_real *scaled = draw_matrix(random, n_rows, one->width);
    opn_real *d_w = draw_matrix(random, n_cols, one->width);
    for (int32_t i = 0; i < n_rows; i++) {
        for (int32_t h = 0; h < one->width; h++) {
            const size_t at = row_place(one->width, i, h);
            scaled[at] = i < n_trained ? g[at] * one->matrix->scale[i] : (opn_real)NAN;
        }
    }
    opn_i_feature_matrix_product_transposed(exec, one->matrix, one->width, scaled, d_w);
    expect_product((dense_view){kept, n_cols, n_trained, 1, n_cols},
                   (dense_view){sizes, n_cols, n_trained, 1, n_cols}, one->rate,
                   opn_i_rows(g, n_rows, one->width),
                   opn_i_rows(d_w, n_cols, one->width));
    free(g);
    free(scaled);
    free(d_w);
}

static void
expect_pass(const opn_i_exec *exec, const pass *one, uint32_t step, uint64_t *random)
{
    opn_i_feature_matrix *matrix = one->matrix;
    opn_i_keep_bits(exec, 4, OPN_STREAM_STUDENT_FEATURES, step,
                    one->rate == 0.0 ? 0.5 : one->rate,
                    one->x->row_ptr[matrix->n_trained], matrix->keep);
    double *all = make_dense(one->x, matrix, 0.0);
    double *kept = make_dense(one->x, matrix, one->rate);
    double *sizes = make_sizes(one->x, matrix);
    opn_i_feature_matrix_drop(exec, matrix, one->rate, one->uses);
    expect_forward(exec, one, kept, all, sizes, random);
    if ((one->uses & OPN_USE_BACKWARD) != 0)
        expect_backward(exec, one, kept, sizes, random);
    free(all);
    free(kept);
    free(sizes);
}

static const struct {
    unsigned uses;
    bool is_in_place;
} manners[] = {{0, false},
               {OPN_USE_DROPPED | OPN_USE_BACKWARD, false},
               {OPN_USE_DROPPED, true},
               {OPN_USE_BACKWARD, false},
               {OPN_USE_DROPPED, false},
               {OPN_USE_DROPPED | OPN_USE_BACKWARD, true}};
enum { N_MANNERS = 6 };

// One pass after the other on the same matrix; none may depend on the one before.
static void expect_passes(const opn_i_csr *x,
                          opn_i_feature_matrix *matrix,
                          int step,
                          uint64_t *random)
{
    static const double rates[] = {0.5, 0.0, 0.2, 0.9, 0.1};
    static const int32_t widths[] = {8, 16, 24, 64};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int t = 0; t < n_tables; t++) {
        const opn_i_exec exec = {.kernels = table[t], .n_threads = 1};
        for (int round = 0; round < 5 * 4 * N_MANNERS; round += step) {
            const int manner = round / 5 % N_MANNERS;
            const int32_t width = widths[round / 5 / N_MANNERS];
            const pass one = {.x = x,
                              .matrix = matrix,
                              .rate = rates[round % 5],
                              .uses = manners[manner].uses,
                              .is_in_place = manners[manner].is_in_place,
                              .width = width};
            expect_pass(&exec, &one, (uint32_t)round, random);
        }
    }
}

// Sizes around the 64 columns and rows of a word, and one of more rows than are done at
// once, with more entries than a thread moves at once.
static void products_are_those_of_the_dropped_matrix_both_ways(void **state)
{
    (void)state;
    static const struct {
        int32_t n_rows, n_cols;
        int step; // 7: every rate, manner and width, but not each with each other
    } sizes[] = {{37, 21, 1}, {64, 64, 7}, {130, 129, 7}, {131, 70, 1}, {1100, 131, 7}};
    uint64_t random = 1;
    for (int c = 0; c < 5 * N_KINDS; c++) {
        const feature_kind kind = (feature_kind)(c % N_KINDS);
        opn_i_csr x = draw_features(kind, sizes[c / N_KINDS].n_rows,
                                    sizes[c / N_KINDS].n_cols, &random);
        opn_i_feature_matrix matrix = {0};
        assert_int_equal(init_kind(ctx, kind, &x, &matrix), OPN_OK);
        assert_int_equal(matrix.n_trained, x.n_rows);
        assert_int_equal(matrix.map != NULL, has_bits(kind));
        expect_passes(&x, &matrix, sizes[c / N_KINDS].step, &random);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void expect_served(feature_kind kind, unsigned made_for, unsigned uses)
{
    static const double rates[] = {0.2, 0.0, 0.5};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 8;
    opn_i_csr x = draw_features(kind, 1100, 21, &random);
    opn_i_feature_matrix matrix = {0};
    assert_int_equal(init_for_uses(ctx, kind, &x, made_for, &matrix), OPN_OK);
    assert_int_equal(matrix.dropped.ptr != NULL, (made_for & OPN_USE_DROPPED) != 0);
    for (int round = 0; round < 3 * n_tables; round++) {
        const opn_i_exec exec = {.kernels = table[round / 3], .n_threads = 1};
        const pass one = {.x = &x,
                          .matrix = &matrix,
                          .rate = rates[round % 3],
                          .uses = uses,
                          .width = 16};
        expect_pass(&exec, &one, (uint32_t)round, &random);
    }
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    opn_i_csr_deinit(&ctx->alloc, &x);
}

static void a_matrix_for_some_uses_serves_those_and_less(void **state)
{
    (void)state;
    enum { B = OPN_USE_BACKWARD, D = OPN_USE_DROPPED };
    static const struct {
        unsigned made_for, uses;
    } cases[] = {{0, 0}, {D, D}, {D, 0}, {B, B}, {B, 0}, {B | D, B | D}, {B | D, B}};
    for (int c = 0; c < 7 * N_KINDS; c++)
        expect_served((feature_kind)(c % N_KINDS), cases[c / N_KINDS].made_for,
                      cases[c / N_KINDS].uses);
}

// ---- parts ---------------------------------------------------------------------------

static void shuffle(int32_t n, int32_t *item, uint64_t *random)
{
    for (int32_t i = 0; i < n; i++) { // Fisher-Yates from inside out
        const int32_t j = (int32_t)below(random, (uint32_t)i + 1);
        item[i] = item[j];
        item[j] = i;
    }
}

static void a_part_takes_rows_in_any_order_and_drops_from_the_first_alone(void **state)
{
    (void)state;
    enum { V = 197, F = 70 };
    static const struct {
        int32_t n_rows, n_trained;
    } parts[] = {{V, V}, {V, 100}, {150, 128}, {90, 67}, {90, 1}, {3, 0}, {0, 0}};
    uint64_t random = 6;
    for (int c = 0; c < 7 * N_KINDS; c++) {
        const int32_t n_rows = parts[c / N_KINDS].n_rows;
        const int32_t n_trained = parts[c / N_KINDS].n_trained;
        const feature_kind kind = (feature_kind)(c % N_KINDS);
        opn_i_csr x = draw_features(kind, V, F, &random);
        opn_i_csr rows = {0};
        opn_i_feature_matrix whole = {0};
        opn_i_feature_matrix part = {0};
        int32_t node[V] = {0};
        shuffle(V, node, &random);
        assert_int_equal(opn_i_csr_take_rows(ctx, &x, node, n_rows, &rows), OPN_OK);
        assert_int_equal(init_kind(ctx, kind, &x, &whole), OPN_OK);
        assert_int_equal(opn_i_feature_matrix_init_part(ctx, &whole, node, n_rows,
                                                        n_trained, &part),
                         OPN_OK);
        assert_int_equal(part.rows.n_rows, n_rows);
        assert_int_equal(part.n_trained, n_trained);
        opn_i_feature_matrix_deinit(&ctx->alloc, &whole); // nothing of it is borrowed
        expect_passes(&rows, &part, 3, &random);
        opn_i_feature_matrix_deinit(&ctx->alloc, &part);
        opn_i_csr_deinit(&ctx->alloc, &rows);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

// ---- what is kept --------------------------------------------------------------------

static void rows_of_one_value_are_kept_as_a_pattern_and_a_factor(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int kind = 0; kind < N_KINDS; kind++) {
        const bool is_list = !has_bits((feature_kind)kind);
        opn_i_csr x = draw_features((feature_kind)kind, 37, 21, &random);
        opn_i_feature_matrix matrix = {0};
        const opn_i_features view = opn_i_features_view(&x);
        assert_int_equal(opn_i_feature_matrix_init(ctx, &view, &matrix), OPN_OK);
        assert_int_equal(matrix.row_scale != NULL, kind < FREE_VALUES);
        assert_int_equal(matrix.rows.value == NULL, kind < FREE_VALUES);
        assert_int_equal(matrix.dropped.value == NULL, kind < FREE_VALUES);
        assert_int_equal(matrix.kept.value != NULL, is_list && kind >= FREE_VALUES);
        assert_int_equal(matrix.map == NULL, is_list);
        assert_int_equal(matrix.kept.ptr != NULL, is_list);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void a_pattern_becomes_bits_where_more_than_an_eighth_of_it_is_set(void **state)
{
    (void)state;
    enum { SIDE = 16, AN_EIGHTH = SIDE * SIDE / 8 };
    for (int32_t n = AN_EIGHTH; n <= AN_EIGHTH + 1; n++) {
        int32_t row[AN_EIGHTH + 1], col[AN_EIGHTH + 1];
        for (int32_t e = 0; e < n; e++) {
            row[e] = e / SIDE;
            col[e] = e % SIDE;
        }
        opn_i_csr x = {0};
        opn_i_feature_matrix matrix = {0};
        assert_int_equal(opn_i_csr_from_triples(ctx, SIDE, SIDE, n, row, col, NULL, &x),
                         OPN_OK);
        const opn_i_features view = opn_i_features_view(&x);
        assert_int_equal(opn_i_feature_matrix_init(ctx, &view, &matrix), OPN_OK);
        assert_int_equal(matrix.map != NULL, n > AN_EIGHTH);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void features_that_are_all_zero_give_zero(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int with_value = 0; with_value < 2; with_value++) {
        opn_i_csr x = {0};
        opn_i_feature_matrix matrix = {0};
        assert_int_equal(opn_i_csr_init(ctx, 37, 21, 0, with_value == 1, &x), OPN_OK);
        const opn_i_features view = opn_i_features_view(&x);
        assert_int_equal(opn_i_feature_matrix_init(ctx, &view, &matrix), OPN_OK);
        expect_passes(&x, &matrix, 1, &random);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

// ---- threads -------------------------------------------------------------------------

// Worth six threads wherever threads are used.
enum { MANY_ROWS = 50000, MANY_COLS = 500, A_ROW = 64, MANY_WIDTH = 8 };

static opn_i_csr draw_many_features(bool with_value)
{
    opn_i_csr x = {0};
    uint64_t random = 4;
    assert_int_equal(opn_i_csr_init(ctx, MANY_ROWS, MANY_COLS, (opn_off)MANY_ROWS * A_ROW,
                                    with_value, &x),
                     OPN_OK);
    for (int32_t i = 0; i < MANY_ROWS; i++)
        x.row_ptr[i + 1] = x.row_ptr[i] + A_ROW;
    for (opn_off e = 0; e < x.row_ptr[MANY_ROWS]; e++) {
        x.col_idx[e] = (int32_t)(e % A_ROW * 7 + e / A_ROW % 5);
        if (with_value)
            x.value[e] = (opn_real)draw(&random, -1.0, 1.0);
    }
    return x;
}

// Both products of one pass, [V,MANY_WIDTH] and then [F,MANY_WIDTH].
static void run_many(const opn_i_exec *exec,
                     opn_i_feature_matrix *matrix,
                     double rate,
                     unsigned uses,
                     const opn_real *from,
                     opn_real *to)
{
    opn_i_keep_bits(exec, 1, OPN_STREAM_STUDENT_FEATURES, 0, rate,
                    matrix->rows.row_ptr[MANY_ROWS], matrix->keep);
    opn_i_feature_matrix_drop(exec, matrix, rate, uses);
    // Any numbers will do for the whole product.
    multiply_features(exec, matrix, MANY_WIDTH, from, from, to);
    opn_i_feature_matrix_product_transposed(exec, matrix, MANY_WIDTH, from,
                                            to + (size_t)MANY_ROWS * MANY_WIDTH);
}

// At high rates whole words keep nothing, and a thread's last entries lie close to the
// next thread's first.
static void a_pass_gives_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { N_RESULTS = (MANY_ROWS + MANY_COLS) * MANY_WIDTH };
    static const struct {
        double rate;
        unsigned uses;
    } rounds[] = {{0.5, OPN_USE_BACKWARD},
                  {0.3, OPN_USE_BACKWARD},
                  {0.2, OPN_USE_BACKWARD | OPN_USE_DROPPED},
                  {0.99, OPN_USE_BACKWARD},
                  {0.0, OPN_USE_BACKWARD}};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 7;
    opn_real *from = draw_matrix(&random, MANY_ROWS, MANY_WIDTH);
    opn_real *one = draw_matrix(&random, MANY_ROWS + MANY_COLS, MANY_WIDTH);
    opn_real *several = draw_matrix(&random, MANY_ROWS + MANY_COLS, MANY_WIDTH);
    static const feature_kind kinds[] = {DENSE_BINARY, FREE_VALUES, CENTRED};
    for (int c = 0; c < 3; c++) {
        opn_i_csr x = draw_many_features(kinds[c] != DENSE_BINARY);
        opn_i_feature_matrix matrix = {0};
        assert_int_equal(init_kind(ctx, kinds[c], &x, &matrix), OPN_OK);
        assert_int_equal(matrix.map != NULL, kinds[c] == DENSE_BINARY);
        for (int round = 0; round < 5 * n_tables; round++) {
            const double rate = rounds[round % 5].rate;
            const unsigned uses = rounds[round % 5].uses;
            const opn_i_exec plain = {.kernels = table[round / 5], .n_threads = 1};
            run_many(&plain, &matrix, rate, uses, from, one);
            for (int t = 0; t < N_THREAD_COUNTS; t++) {
                const opn_i_exec exec = {.kernels = table[round / 5],
                                         .n_threads = thread_counts[t]};
                memset(several, 0xff, N_RESULTS * sizeof(*several));
                run_many(&exec, &matrix, rate, uses, from, several);
                assert_memory_equal(several, one, N_RESULTS * sizeof(*one));
            }
        }
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
    free(from);
    free(one);
    free(several);
}

// ---- memory --------------------------------------------------------------------------

static opn_status init_both(opn_ctx *other,
                            feature_kind kind,
                            const opn_i_csr *x,
                            opn_i_feature_matrix *whole,
                            opn_i_feature_matrix *part)
{
    static const int32_t node[] = {5, 1, 7};
    opn_status status = OPN_OK;
    OPN_TRY(init_kind(other, kind, x, whole));
    OPN_TRY(opn_i_feature_matrix_init_part(other, whole, node, 3, 2, part));
cleanup:
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int kind = 0; kind < N_KINDS; kind++) {
        opn_i_csr x = draw_features((feature_kind)kind, 37, 21, &random);
        int n_failed = 0;
        for (long fail_at = 1;; fail_at++) {
            meter m = {0};
            opn_ctx *other = support_ctx(&m);
            opn_i_feature_matrix whole = {0};
            opn_i_feature_matrix part = {0};
            m.fail_at = m.n_requests + fail_at;
            const opn_status status =
                    init_both(other, (feature_kind)kind, &x, &whole, &part);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            assert_int_equal(status == OPN_OK, part.keep != NULL);
            opn_i_feature_matrix_deinit(&other->alloc, &part);
            opn_i_feature_matrix_deinit(&other->alloc, &whole);
            support_ctx_free(other, &m);
            if (status == OPN_OK)
                break;
            n_failed++;
        }
        assert_true(n_failed >= 20);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(products_are_those_of_the_dropped_matrix_both_ways),
            WITH_CTX(a_matrix_for_some_uses_serves_those_and_less),
            WITH_CTX(a_part_takes_rows_in_any_order_and_drops_from_the_first_alone),
            WITH_CTX(rows_of_one_value_are_kept_as_a_pattern_and_a_factor),
            WITH_CTX(a_pattern_becomes_bits_where_more_than_an_eighth_of_it_is_set),
            WITH_CTX(features_that_are_all_zero_give_zero),
            WITH_CTX(a_pass_gives_the_same_bits_on_any_number_of_threads),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
