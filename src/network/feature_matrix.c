// feature_matrix.c -- the feature matrix as the first layer uses it.

#include "network/feature_strategy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const unsigned any_use = OPN_USE_BACKWARD | OPN_USE_DROPPED;

static void release_entries(const opn_alloc *alloc, opn_i_entries *list)
{
    opn_i_release(alloc, list->col);
    opn_i_release(alloc, list->value);
    opn_i_release(alloc, list->ptr);
}

void opn_i_feature_matrix_deinit(const opn_alloc *alloc, opn_i_feature_matrix *matrix)
{
    opn_i_csr_deinit(alloc, &matrix->rows);
    opn_i_release(alloc, matrix->array);
    opn_i_release(alloc, matrix->row);
    opn_i_release(alloc, matrix->row_scale);
    opn_i_release(alloc, matrix->centre);
    opn_i_release(alloc, matrix->keep);
    release_entries(alloc, &matrix->kept);
    release_entries(alloc, &matrix->dropped);
    opn_i_release(alloc, matrix->rank);
    opn_i_release(alloc, matrix->map);
    opn_i_release(alloc, matrix->kept_map);
    opn_i_release(alloc, matrix->kept_transposed);
    opn_i_release(alloc, matrix->partial_arena);
    opn_i_release(alloc, matrix->scale);
    *matrix = (opn_i_feature_matrix){0};
}

bool opn_i_feature_rows_are_constant(const opn_i_features *x)
{
    for (int32_t i = 0; i < x->n_rows && !opn_i_features_are_ones(x); i++) {
        opn_i_feature_cursor at = opn_i_features_row(x, i);
        const opn_real first = opn_i_feature_next(&at) ? at.value : 0;
        while (opn_i_feature_next(&at))
            if (at.value != first)
                return false;
    }
    return true;
}

// Moves the common value of each row to row_scale.
static opn_status split_scale(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    opn_i_csr *x = &matrix->rows;
    const opn_i_features view = opn_i_features_view(x);
    if (!opn_i_feature_rows_are_constant(&view))
        return OPN_OK;
    OPN_TRY_NEW(ctx, matrix->row_scale, x->n_rows);
    for (int32_t i = 0; i < x->n_rows; i++) {
        const bool is_known = x->value != NULL && x->row_ptr[i] < x->row_ptr[i + 1];
        matrix->row_scale[i] = is_known ? x->value[x->row_ptr[i]] : 1;
    }
    opn_i_release(&ctx->alloc, x->value);
    x->value = NULL;
cleanup:
    return status;
}

static bool is_worth_bits(const opn_i_feature_matrix *matrix)
{
    const opn_i_csr *x = &matrix->rows;
    return matrix->row_scale != NULL &&
           (double)opn_i_csr_n_entries(x) > 0.125 * x->n_rows * x->n_cols;
}

// Allocates the buffers of the passes, once the rows are there.
static opn_status make_room(opn_ctx *ctx, unsigned uses, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const int64_t n = opn_i_feature_matrix_n_bits(matrix);
    matrix->strategy = matrix->dense != NULL   ? &opn_i_feature_dense
                       : is_worth_bits(matrix) ? &opn_i_feature_bits
                                               : &opn_i_feature_lists;
    OPN_TRY(matrix->strategy->init(ctx, matrix));
    if ((uses & OPN_USE_DROPPED) != 0 && matrix->dense == NULL)
        OPN_TRY(opn_i_feature_list_init(ctx, matrix, &matrix->dropped));
    OPN_TRY_NEW(ctx, matrix->keep, opn_i_bit_words(n) + 1); // kernels read one word more
    if (matrix->dense == NULL)
        OPN_TRY_NEW(ctx, matrix->rank, opn_i_bit_words(n) + 1);
    OPN_TRY_NEW(ctx, matrix->scale, matrix->rows.n_rows);
cleanup:
    return status;
}

// Takes ownership of a matrix that has its rows, and their scale if it is known.
static opn_status finish_matrix(opn_ctx *ctx,
                                unsigned uses,
                                opn_i_feature_matrix *matrix,
                                opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    if (matrix->row_scale == NULL && matrix->centre == NULL && matrix->dense == NULL)
        OPN_TRY(split_scale(ctx, matrix));
    OPN_TRY(make_room(ctx, uses, matrix));
    *out = *matrix;
    *matrix = (opn_i_feature_matrix){0};
cleanup:
    return status;
}

// Takes the rows in that order, or as they are without one.
static opn_status take_rows(opn_ctx *ctx,
                            const opn_i_features *features,
                            const int32_t *order,
                            opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    opn_i_csr room = {0};
    const opn_i_csr *lists = NULL;
    if (opn_i_features_are_dense(features))
        return opn_i_feature_dense_fill(ctx, features, order, matrix);
    OPN_TRY(opn_i_features_as_lists(ctx, features, &room, &lists));
    if (order != NULL) {
        OPN_TRY(opn_i_csr_take_rows(ctx, lists, order, lists->n_rows, &matrix->rows));
    } else if (lists == &room) {
        matrix->rows = room;
        room = (opn_i_csr){0};
    } else {
        OPN_TRY(opn_i_csr_copy(ctx, lists, &matrix->rows));
    }
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &room);
    return status;
}

// `centre` may be NULL.
static opn_status
copy_centre(opn_ctx *ctx, const opn_real *centre, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)matrix->rows.n_cols;
    if (centre == NULL)
        return OPN_OK;
    OPN_TRY_NEW(ctx, matrix->centre, n);
    memcpy(matrix->centre, centre, n * sizeof(*centre));
cleanup:
    return status;
}

opn_status opn_i_feature_matrix_init(opn_ctx *ctx,
                                     const opn_i_features *features,
                                     opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.n_trained = features->n_rows};
    OPN_TRY(take_rows(ctx, features, NULL, &matrix));
    OPN_TRY(finish_matrix(ctx, any_use, &matrix, out));
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

opn_status opn_i_feature_matrix_init_for(opn_ctx *ctx,
                                         const opn_i_features *features,
                                         const opn_real *centre,
                                         const int32_t *order,
                                         unsigned uses,
                                         opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.n_trained = features->n_rows};
    OPN_TRY(take_rows(ctx, features, order, &matrix));
    OPN_TRY(copy_centre(ctx, centre, &matrix));
    OPN_TRY(finish_matrix(ctx, uses, &matrix, out));
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

opn_status opn_i_feature_matrix_init_array(opn_ctx *ctx,
                                           opn_real *array,
                                           int32_t n_rows,
                                           int32_t n_cols,
                                           const opn_real *centre,
                                           unsigned uses,
                                           opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.rows = {.n_rows = n_rows, .n_cols = n_cols},
                                   .dense = opn_i_on_line(array),
                                   .n_trained = n_rows};
    OPN_TRY(copy_centre(ctx, centre, &matrix));
    OPN_TRY(finish_matrix(ctx, uses, &matrix, out));
    out->array = array;
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

opn_status opn_i_feature_matrix_init_part(opn_ctx *ctx,
                                          const opn_i_feature_matrix *whole,
                                          const int32_t *node,
                                          int32_t n_rows,
                                          int32_t n_trained,
                                          opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.n_trained = n_trained};
    OPN_TRY(whole->dense != NULL
                    ? opn_i_feature_dense_part(ctx, whole, node, n_rows, &matrix)
                    : opn_i_csr_take_rows(ctx, &whole->rows, node, n_rows, &matrix.rows));
    OPN_TRY(copy_centre(ctx, whole->centre, &matrix));
    if (whole->row_scale != NULL) {
        OPN_TRY_NEW(ctx, matrix.row_scale, n_rows);
        for (int32_t r = 0; r < n_rows; r++)
            matrix.row_scale[r] = whole->row_scale[node[r]];
    }
    OPN_TRY(finish_matrix(ctx, any_use, &matrix, out));
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

void opn_i_feature_matrix_row(const opn_i_feature_matrix *matrix,
                              int32_t i,
                              opn_real *row)
{
    const opn_i_csr *x = &matrix->rows;
    const size_t stride = (size_t)opn_i_width(x->n_cols);
    if (matrix->dense != NULL) {
        const size_t at = (size_t)(matrix->row == NULL ? i : matrix->row[i]);
        memcpy(row, matrix->dense + at * stride, stride * sizeof(*row));
        return;
    }
    memset(row, 0, stride * sizeof(*row));
    for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
        row[x->col_idx[e]] = x->value != NULL ? x->value[e] : matrix->row_scale[i];
}

// Squares of stored entries and of the zeros beside them: (x - c)^2 = c^2 + x (x - 2 c).
static double add_square(const opn_i_feature_matrix *matrix, int32_t k, double x)
{
    const double c = matrix->centre == NULL ? 0.0 : (double)matrix->centre[k];
    return x * (x - 2.0 * c);
}

double opn_i_feature_matrix_length(const opn_i_feature_matrix *matrix)
{
    const opn_i_csr *x = &matrix->rows;
    const size_t stride = (size_t)opn_i_width(x->n_cols);
    double sum = 0.0;
    for (int32_t i = 0; i < x->n_rows && matrix->dense != NULL; i++) {
        const size_t at = (size_t)(matrix->row == NULL ? i : matrix->row[i]);
        for (int32_t k = 0; k < x->n_cols; k++)
            sum += add_square(matrix, k, (double)matrix->dense[at * stride + (size_t)k]);
    }
    for (int32_t i = 0; i < x->n_rows && matrix->dense == NULL; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            sum += add_square(
                    matrix, x->col_idx[e],
                    (double)(x->value != NULL ? x->value[e] : matrix->row_scale[i]));
    for (int32_t k = 0; k < x->n_cols && matrix->centre != NULL; k++)
        sum += x->n_rows * (double)matrix->centre[k] * (double)matrix->centre[k];
    return x->n_rows > 0 && sum > 0.0 ? sqrt(sum / x->n_rows) : 0.0;
}

int64_t opn_i_feature_matrix_n_bits(const opn_i_feature_matrix *matrix)
{
    return matrix->dense == NULL
                   ? opn_i_feature_n_trained(matrix)
                   : (int64_t)matrix->n_trained * opn_i_width(matrix->rows.n_cols);
}

// Lists the dropped entries by rows.
static void list_dropped(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    const size_t n_words = opn_i_bit_words(opn_i_feature_n_trained(matrix));
    for (size_t w = 0; w < n_words; w++)
        matrix->keep[w] = ~matrix->keep[w];
    opn_i_feature_list(exec, matrix, &matrix->dropped);
}

void opn_i_feature_matrix_drop(const opn_i_exec *exec,
                               opn_i_feature_matrix *matrix,
                               double rate,
                               unsigned uses)
{
    const opn_real up = (opn_real)(1.0 / (1.0 - rate));
    for (int32_t i = 0; i < matrix->rows.n_rows; i++)
        matrix->scale[i] = matrix->row_scale == NULL ? up : up * matrix->row_scale[i];
    matrix->rate = rate;
    matrix->lists_dropped =
            rate > 0.0 && (uses & OPN_USE_DROPPED) != 0 && matrix->dense == NULL;
    matrix->strategy->drop(exec, matrix, !matrix->lists_dropped,
                           (uses & OPN_USE_BACKWARD) != 0);
    if (matrix->lists_dropped)
        list_dropped(exec, matrix); // last: it inverts the bits
}

void opn_i_feature_matrix_product(const opn_i_exec *exec,
                                  const opn_i_feature_matrix *matrix,
                                  int32_t width,
                                  const opn_real *w,
                                  opn_real *p)
{
    assert(!matrix->lists_dropped);
    const opn_i_dense_const weights = opn_i_rows_const(w, matrix->rows.n_cols, width);
    const opn_i_dense product = opn_i_rows(p, matrix->rows.n_rows, width);
    matrix->strategy->product(exec, matrix, weights, product);
    opn_i_feature_shift(exec, matrix, -1.0, weights, product);
}

void opn_i_feature_matrix_subtract(const opn_i_exec *exec,
                                   const opn_i_feature_matrix *matrix,
                                   int32_t width,
                                   const opn_real *w,
                                   const opn_real *whole,
                                   opn_real *p)
{
    const double up = 1.0 / (1.0 - matrix->rate);
    const opn_k_finish finish = {.base = whole, .base_factor = (opn_real)up};
    const opn_i_dense_const weights = opn_i_rows_const(w, matrix->rows.n_cols, width);
    const opn_i_dense product = opn_i_rows(p, matrix->rows.n_rows, width);
    opn_k_sparse dropped = opn_i_feature_list_view(&matrix->dropped);
    if (matrix->dense != NULL) { // subtracting would take as long
        opn_i_feature_matrix_product(exec, matrix, width, w, p);
        return;
    }
    assert(matrix->lists_dropped);
    dropped.scale = matrix->scale;
    opn_i_spmm(exec, &dropped, matrix->n_trained, weights, product, &finish);
    // `whole` has the centre in it, which was scaled with the rest.
    opn_i_feature_shift(exec, matrix, up - 1.0, weights, product);
}

void opn_i_feature_matrix_product_transposed(const opn_i_exec *exec,
                                             const opn_i_feature_matrix *matrix,
                                             int32_t width,
                                             const opn_real *g,
                                             opn_real *d_w)
{
    const opn_i_dense_const gradient = opn_i_rows_const(g, matrix->rows.n_rows, width);
    const opn_i_dense d_weights = opn_i_rows(d_w, matrix->rows.n_cols, width);
    matrix->strategy->product_transposed(exec, matrix, gradient, d_weights);
    opn_i_feature_shift_back(exec, matrix, gradient, d_weights);
}
