// feature_store.c -- the features of a graph: lists, or an array if most are not 0.

#include "graph/feature_store.h"

#include <stdatomic.h>
#include <string.h>

static const char storing[] = "storing the features"; // in messages

// ---- arrays that are shared ----------------------------------------------------------

struct opn_i_shared_array {
    opn_alloc alloc; // of this and of `own`
    atomic_int n_users;
    opn_real *own; // NULL: lent
    opn_i_lender lender;
    opn_off n_entries; // other than 0
};

static void let_go(opn_i_shared_array *array)
{
    if (array == NULL || atomic_fetch_sub(&array->n_users, 1) > 1)
        return;
    const opn_alloc alloc = array->alloc;
    if (array->lender.release != NULL)
        array->lender.release(array->lender.user);
    opn_i_release(&alloc, array->own);
    opn_i_release(&alloc, array);
}

// *out refers to `value`: `own`, which is taken over on success, or lent.
static opn_status share(opn_ctx *ctx,
                        const opn_real *value,
                        opn_real *own,
                        const opn_i_lender *lender,
                        int32_t n_rows,
                        int32_t n_cols,
                        opn_off n_entries,
                        opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_i_shared_array *array = NULL;
    OPN_TRY_NEW(ctx, array, 1);
    array->alloc = ctx->alloc;
    atomic_init(&array->n_users, 1);
    array->own = own;
    if (lender != NULL)
        array->lender = *lender;
    array->n_entries = n_entries;
    *out = (opn_i_features){
            .n_rows = n_rows, .n_cols = n_cols, .array = array, .dense = value};
cleanup:
    return status;
}

void opn_i_features_deinit(const opn_alloc *alloc, opn_i_features *x)
{
    opn_i_csr_deinit(alloc, &x->lists);
    let_go(x->array);
    *x = (opn_i_features){0};
}

opn_off opn_i_features_n_entries(const opn_i_features *x)
{
    return x->array != NULL ? x->array->n_entries : opn_i_csr_n_entries(&x->lists);
}

// ---- which form ----------------------------------------------------------------------

// An entry of a list is a number and its column, so lists of more than half the entries
// are larger. With fewer than these either is small, and lists are what most code has
// been measured with.
enum { LEAST_ENTRIES = 1 << 16 };

bool opn_i_features_prefer_array(int32_t n_rows, int32_t n_cols, opn_off n_entries)
{
    return n_entries >= LEAST_ENTRIES && (double)n_entries >= 0.5 * n_rows * n_cols;
}

// Counts the entries other than 0, and tells whether an array is the form for them.
static opn_status look_at(opn_ctx *ctx,
                          const opn_real *value,
                          int32_t n_rows,
                          int32_t n_cols,
                          opn_off *n_entries,
                          bool *stays)
{
    opn_status status = OPN_OK;
    opn_off n = 0, n_ones = 0;
    for (int32_t i = 0; i < n_rows; i++) {
        const opn_real *row = value + (size_t)i * (size_t)n_cols;
        OPN_TRY_GO_ON_ROWS(ctx, i, storing);
        for (int32_t k = 0; k < n_cols; k++) {
            n += row[k] != 0;
            n_ones += row[k] == 1;
        }
    }
    *n_entries = n;
    *stays = n_ones < n && opn_i_features_prefer_array(n_rows, n_cols, n);
cleanup:
    return status;
}

// The entries are counted again: a lender may have changed them since.
static opn_status list_entries(opn_ctx *ctx,
                               const opn_real *value,
                               int32_t n_rows,
                               int32_t n_cols,
                               opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr csr = {0};
    opn_off n = 0;
    bool stays = false;
    OPN_TRY(look_at(ctx, value, n_rows, n_cols, &n, &stays));
    OPN_TRY(opn_i_csr_init(ctx, n_rows, n_cols, n, true, &csr));
    opn_off at = 0;
    for (int32_t i = 0; i < n_rows; i++) {
        const opn_real *row = value + (size_t)i * (size_t)n_cols;
        OPN_TRY_GO_ON_ROWS(ctx, i, storing);
        for (int32_t k = 0; k < n_cols && at < n; k++) {
            csr.col_idx[at] = k;
            csr.value[at] = row[k];
            at += row[k] != 0; // else the next one takes the place
        }
        csr.row_ptr[i + 1] = at;
    }
    OPN_TRY(opn_i_csr_tidy(ctx, &csr));
    *out = csr;
    csr = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &csr);
    return status;
}

// ---- reading -------------------------------------------------------------------------

opn_status opn_i_features_as_lists(opn_ctx *ctx,
                                   const opn_i_features *x,
                                   opn_i_csr *room,
                                   const opn_i_csr **out)
{
    opn_status status = OPN_OK;
    if (x->dense != NULL)
        OPN_TRY(list_entries(ctx, x->dense, x->n_rows, x->n_cols, room));
    *out = x->dense != NULL ? room : &x->lists;
cleanup:
    return status;
}

int32_t opn_i_features_columns_at_once(const opn_i_features *x)
{
    enum { ENTRIES = 1 << 20, LEAST_COLS = 16 }; // a cache line of a row
    const int32_t n = x->n_rows > 0 ? ENTRIES / x->n_rows : x->n_cols;
    const int32_t n_fit = n < LEAST_COLS ? LEAST_COLS : n;
    return x->dense == NULL || n_fit > x->n_cols ? x->n_cols : n_fit;
}

// A cursor over the columns [first, last) of row i, and perhaps others if they are lists.
static opn_i_feature_cursor
part_of_row(const opn_i_features *x, int32_t i, int32_t first, int32_t last)
{
    opn_i_feature_cursor at = opn_i_features_row(x, i);
    if (x->dense != NULL) {
        at.next = first;
        at.end = last;
    }
    return at;
}

opn_status opn_i_features_columns(opn_ctx *ctx,
                                  const opn_i_features *x,
                                  int32_t first,
                                  int32_t last,
                                  opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int32_t n_cols = last - first;
    opn_i_csr part = {0};
    opn_off *end = NULL; // [n_cols + 1] of each list as it is filled
    if (x->dense == NULL && n_cols == x->n_cols)
        return opn_i_csr_transpose(ctx, &x->lists, out);
    OPN_TRY(opn_i_csr_init(ctx, n_cols, x->n_rows, (opn_off)n_cols * x->n_rows, true,
                           &part));
    OPN_TRY_NEW(ctx, end, (size_t)n_cols + 1);
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, storing);
        for (opn_i_feature_cursor at = part_of_row(x, i, first, last);
             opn_i_feature_next(&at);)
            if (at.col >= first && at.col < last)
                part.row_ptr[at.col - first + 1]++;
    }
    for (int32_t k = 0; k < n_cols; k++)
        end[k + 1] = part.row_ptr[k + 1] += part.row_ptr[k];
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, storing);
        for (opn_i_feature_cursor at = part_of_row(x, i, first, last);
             opn_i_feature_next(&at);) {
            if (at.col < first || at.col >= last)
                continue;
            const opn_off e = end[at.col - first]++;
            part.col_idx[e] = i;
            part.value[e] = at.value;
        }
    }
    *out = part;
    part = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &part);
    opn_i_release(&ctx->alloc, end);
    return status;
}

// ---- making --------------------------------------------------------------------------

opn_status opn_i_features_take_array(opn_ctx *ctx,
                                     opn_real *array,
                                     int32_t n_rows,
                                     int32_t n_cols,
                                     opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_off n = 0;
    bool stays = false;
    opn_i_features made = {0};
    OPN_TRY(look_at(ctx, array, n_rows, n_cols, &n, &stays));
    if (stays) {
        OPN_TRY(share(ctx, array, array, NULL, n_rows, n_cols, n, &made));
        array = NULL;
    } else {
        OPN_TRY(list_entries(ctx, array, n_rows, n_cols, &made.lists));
    }
    *out = made;
cleanup:
    opn_i_release(&ctx->alloc, array);
    return status;
}

static opn_status copy_floats(opn_ctx *ctx, const float *value, size_t n, opn_real **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW_ROOM(ctx, *out, n);
    for (size_t j = 0; j < n; j++) {
        OPN_TRY_GO_ON(ctx, j, storing);
        (*out)[j] = (opn_real)value[j];
    }
cleanup:
    return status;
}

#ifdef OPN_REAL_DOUBLE

opn_status opn_i_features_from_floats(opn_ctx *ctx,
                                      const float *value,
                                      int32_t n_rows,
                                      int32_t n_cols,
                                      const opn_i_lender *lender,
                                      opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_real *copy = NULL;
    OPN_TRY(copy_floats(ctx, value, (size_t)n_rows * (size_t)n_cols, &copy));
    status = opn_i_features_take_array(ctx, copy, n_rows, n_cols, out);
    copy = NULL;
    if (status == OPN_OK && lender != NULL)
        lender->release(lender->user);
cleanup:
    opn_i_release(&ctx->alloc, copy);
    return status;
}

#else

opn_status opn_i_features_from_floats(opn_ctx *ctx,
                                      const float *value,
                                      int32_t n_rows,
                                      int32_t n_cols,
                                      const opn_i_lender *lender,
                                      opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_off n = 0;
    bool stays = false;
    opn_real *copy = NULL;
    opn_i_features made = {0};
    OPN_TRY(look_at(ctx, value, n_rows, n_cols, &n, &stays));
    if (stays && lender == NULL)
        OPN_TRY(copy_floats(ctx, value, (size_t)n_rows * (size_t)n_cols, &copy));
    if (stays)
        OPN_TRY(share(ctx, copy != NULL ? copy : value, copy, lender, n_rows, n_cols, n,
                      &made));
    else
        OPN_TRY(list_entries(ctx, value, n_rows, n_cols, &made.lists));
    copy = NULL;
    if (!stays && lender != NULL)
        lender->release(lender->user);
    *out = made;
cleanup:
    opn_i_release(&ctx->alloc, copy);
    return status;
}

#endif

// An array for all rows, which is 0.
static opn_status new_array(opn_ctx *ctx, int32_t n_rows, int32_t n_cols, opn_real **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, *out, (size_t)n_rows * (size_t)n_cols);
cleanup:
    return status;
}

// Replaces x by what `made` becomes.
static void replace(opn_ctx *ctx, opn_i_features *made, opn_i_features *x)
{
    opn_i_features_deinit(&ctx->alloc, x);
    *x = *made;
    *made = (opn_i_features){0};
}

opn_status opn_i_features_settle(opn_ctx *ctx, opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_real *array = NULL;
    opn_i_features made = {0};
    const opn_off n = opn_i_csr_n_entries(&x->lists);
    if (x->dense != NULL || x->lists.value == NULL ||
        !opn_i_features_prefer_array(x->n_rows, x->n_cols, n))
        return OPN_OK;
    OPN_TRY(new_array(ctx, x->n_rows, x->n_cols, &array));
    for (int32_t i = 0; i < x->n_rows; i++) {
        opn_real *row = array + (size_t)i * (size_t)x->n_cols;
        OPN_TRY_GO_ON_ROWS(ctx, i, storing);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            row[at.col] = at.value;
    }
    OPN_TRY(share(ctx, array, array, NULL, x->n_rows, x->n_cols, n, &made));
    array = NULL;
    replace(ctx, &made, x);
cleanup:
    opn_i_release(&ctx->alloc, array);
    return status;
}

// ---- from others ---------------------------------------------------------------------

opn_status
opn_i_features_copy(opn_ctx *ctx, const opn_i_features *from, opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_i_features made = {0};
    if (from->array != NULL) {
        atomic_fetch_add(&from->array->n_users, 1);
        made = *from;
    } else {
        OPN_TRY(opn_i_csr_copy(ctx, &from->lists, &made.lists));
    }
    *out = made;
cleanup:
    return status;
}

opn_status opn_i_features_take_rows(opn_ctx *ctx,
                                    const opn_i_features *from,
                                    const int32_t *row,
                                    int32_t n_rows,
                                    opn_i_features *out)
{
    opn_status status = OPN_OK;
    const size_t n_cols = (size_t)from->n_cols;
    opn_real *array = NULL;
    opn_i_features made = {0};
    if (from->dense == NULL) {
        OPN_TRY(opn_i_csr_take_rows(ctx, &from->lists, row, n_rows, &made.lists));
        *out = made;
        return OPN_OK;
    }
    OPN_TRY(new_array(ctx, n_rows, from->n_cols, &array));
    for (int32_t r = 0; r < n_rows; r++)
        memcpy(array + (size_t)r * n_cols, from->dense + (size_t)row[r] * n_cols,
               n_cols * sizeof(*array));
    status = opn_i_features_take_array(ctx, array, n_rows, from->n_cols, out);
cleanup:
    return status;
}

opn_status opn_i_features_stack(opn_ctx *ctx,
                                const opn_i_features *a,
                                const opn_i_features *b,
                                opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_i_csr room[2] = {{0}, {0}};
    const opn_i_csr *lists[2] = {NULL, NULL};
    opn_i_features made = {0};
    OPN_TRY(opn_i_features_as_lists(ctx, a, &room[0], &lists[0]));
    OPN_TRY(opn_i_features_as_lists(ctx, b, &room[1], &lists[1]));
    OPN_TRY(opn_i_csr_stack(ctx, lists[0], lists[1], 0, &made.lists));
    OPN_TRY(opn_i_features_settle(ctx, &made));
    *out = made;
    made = (opn_i_features){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &room[0]);
    opn_i_csr_deinit(&ctx->alloc, &room[1]);
    opn_i_features_deinit(&ctx->alloc, &made);
    return status;
}

// Renumbers the columns of lists and drops the entries of those that have no number.
static void renumber_lists(const int32_t *number, opn_i_csr *x)
{
    opn_off n_kept = 0;
    opn_off e = 0;
    for (int32_t i = 0; i < x->n_rows; i++) {
        for (; e < x->row_ptr[i + 1]; e++) {
            if (number[x->col_idx[e]] < 0)
                continue;
            x->col_idx[n_kept] = number[x->col_idx[e]];
            if (x->value != NULL)
                x->value[n_kept] = x->value[e];
            n_kept++;
        }
        x->row_ptr[i + 1] = n_kept;
    }
}

opn_status opn_i_features_renumber(opn_ctx *ctx,
                                   const int32_t *number,
                                   int32_t n_cols,
                                   opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_real *array = NULL;
    opn_i_features made = {0};
    if (x->dense == NULL) {
        renumber_lists(number, &x->lists);
        x->n_cols = n_cols;
        return opn_i_csr_tidy(ctx, &x->lists);
    }
    OPN_TRY(new_array(ctx, x->n_rows, n_cols, &array));
    for (int32_t i = 0; i < x->n_rows; i++) {
        opn_real *row = array + (size_t)i * (size_t)n_cols;
        OPN_TRY_GO_ON_ROWS(ctx, i, storing);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            if (number[at.col] >= 0)
                row[number[at.col]] += at.value;
    }
    status = opn_i_features_take_array(ctx, array, x->n_rows, n_cols, &made);
    array = NULL;
    OPN_TRY(status);
    replace(ctx, &made, x);
cleanup:
    opn_i_release(&ctx->alloc, array);
    return status;
}

opn_status opn_i_features_to_lists(opn_ctx *ctx, opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_i_features made = {0};
    if (x->dense == NULL)
        return OPN_OK;
    OPN_TRY(list_entries(ctx, x->dense, x->n_rows, x->n_cols, &made.lists));
    replace(ctx, &made, x);
cleanup:
    return status;
}
