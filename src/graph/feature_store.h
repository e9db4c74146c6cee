// feature_store.h -- the features of a graph: lists of the entries that are not 0, or an
// array if most are not, which then takes half the memory.

#ifndef OPN_FEATURE_STORE_H
#define OPN_FEATURE_STORE_H

#include "math/csr.h"
#include "opine/graph.h"

// Numbers that several graphs refer to and none changes: owned, or lent by the caller.
typedef struct opn_i_shared_array opn_i_shared_array;

// X [V,F]; zero-initialise. What reads it sees the entries other than 0 of one row after
// another, by opn_i_features_row(), and need not know the form. What makes it fills the
// lists and settles them, or hands over an array.
typedef struct opn_i_features {
    union {
        opn_i_csr lists; // tidy: sorted, no zeros, no values when all are 1; of an array
                         // only the shape
        struct {
            int32_t n_rows; // V
            int32_t n_cols; // F
        };
    };
    opn_i_shared_array *array; // NULL: lists
    const opn_real *dense;     // [V,F] of the array
} opn_i_features;

void opn_i_features_deinit(const opn_alloc *alloc, opn_i_features *x);

// ---- reading -------------------------------------------------------------------------

// Entries other than 0.
opn_off opn_i_features_n_entries(const opn_i_features *x);

// Whether all entries are 1, so that lists have no values; an array never is.
static inline bool opn_i_features_are_ones(const opn_i_features *x)
{
    return x->dense == NULL && x->lists.value == NULL;
}

// The place of a reader within a row.
typedef struct opn_i_feature_cursor {
    int32_t col; // of the entry that was reached
    opn_real value;
    const int32_t *cols;    // of the row; NULL: an array
    const opn_real *values; // NULL: all 1
    opn_off next, end;
} opn_i_feature_cursor;

// At the start of row i:
//   for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
//       sum += at.value;
static inline opn_i_feature_cursor opn_i_features_row(const opn_i_features *x, int32_t i)
{
    if (x->dense != NULL)
        return (opn_i_feature_cursor){.values = x->dense + (size_t)i * (size_t)x->n_cols,
                                      .end = x->n_cols};
    return (opn_i_feature_cursor){.cols = x->lists.col_idx,
                                  .values = x->lists.value,
                                  .next = x->lists.row_ptr[i],
                                  .end = x->lists.row_ptr[i + 1]};
}

// Goes to the next entry other than 0; false behind the last.
static inline bool opn_i_feature_next(opn_i_feature_cursor *at)
{
    while (at->cols == NULL && at->next < at->end && at->values[at->next] == 0)
        at->next++;
    if (at->next == at->end)
        return false;
    at->col = at->cols == NULL ? (int32_t)at->next : at->cols[at->next];
    at->value = at->values == NULL ? 1 : at->values[at->next];
    at->next++;
    return true;
}

// View of lists; borrowed.
static inline opn_i_features opn_i_features_view(const opn_i_csr *lists)
{
    return (opn_i_features){.lists = *lists};
}

// The numbers stored of row i, zeros of an array among them; not for ones.
static inline const opn_real *
opn_i_features_stored(const opn_i_features *x, int32_t i, opn_off *n)
{
    const opn_off first = x->dense != NULL ? (opn_off)i * x->n_cols : x->lists.row_ptr[i];
    *n = x->dense != NULL ? x->n_cols : x->lists.row_ptr[i + 1] - first;
    return (x->dense != NULL ? x->dense : x->lists.value) + first;
}

// The features as lists: their own, or else made in `room`, which the caller deinits.
OPN_NODISCARD opn_status opn_i_features_as_lists(opn_ctx *ctx,
                                                 const opn_i_features *x,
                                                 opn_i_csr *room,
                                                 const opn_i_csr **out);

// Columns [first, last) as lists of the nodes that have them: [last - first, V].
OPN_NODISCARD opn_status opn_i_features_columns(opn_ctx *ctx,
                                                const opn_i_features *x,
                                                int32_t first,
                                                int32_t last,
                                                opn_i_csr *out);

// How many columns to take at once, so that their lists take little memory beside an
// array; all of those that are lists already.
int32_t opn_i_features_columns_at_once(const opn_i_features *x);

// ---- making --------------------------------------------------------------------------

// Lists that have been filled in become an array if that takes less memory.
OPN_NODISCARD opn_status opn_i_features_settle(opn_ctx *ctx, opn_i_features *x);

// From an array [n_rows,n_cols] of finite numbers, which is consumed, also on failure. It
// becomes lists if these take less memory.
OPN_NODISCARD opn_status opn_i_features_take_array(opn_ctx *ctx,
                                                   opn_real *array,
                                                   int32_t n_rows,
                                                   int32_t n_cols,
                                                   opn_i_features *out);

// Whoever lends an array: told once, on any thread, when nothing refers to it any more.
typedef struct opn_i_lender {
    opn_release_fn *release;
    void *user;
} opn_i_lender;

// The same from the caller's floats. They are copied if there is no lender; if there is
// one, they are not if the build computes in floats and lists would take more memory, and
// must stay as they are until he is told. On failure he is not told.
OPN_NODISCARD opn_status opn_i_features_from_floats(opn_ctx *ctx,
                                                    const float *value,
                                                    int32_t n_rows,
                                                    int32_t n_cols,
                                                    const opn_i_lender *lender,
                                                    opn_i_features *out);

// Whether an array would take less memory than lists of that many entries, not all 1.
bool opn_i_features_prefer_array(int32_t n_rows, int32_t n_cols, opn_off n_entries);

// ---- from others ---------------------------------------------------------------------

// Lists are copied, an array is shared.
OPN_NODISCARD opn_status opn_i_features_copy(opn_ctx *ctx,
                                             const opn_i_features *from,
                                             opn_i_features *out);

// The rows row[0 … n_rows-1], in that order.
OPN_NODISCARD opn_status opn_i_features_take_rows(opn_ctx *ctx,
                                                  const opn_i_features *from,
                                                  const int32_t *row,
                                                  int32_t n_rows,
                                                  opn_i_features *out);

// The rows of a and those of b, which has as many columns.
OPN_NODISCARD opn_status opn_i_features_stack(opn_ctx *ctx,
                                              const opn_i_features *a,
                                              const opn_i_features *b,
                                              opn_i_features *out);

// Column k becomes number[k] of n_cols, or is dropped if that is below 0. Columns that
// become the same are added up.
OPN_NODISCARD opn_status opn_i_features_renumber(opn_ctx *ctx,
                                                 const int32_t *number,
                                                 int32_t n_cols,
                                                 opn_i_features *x);

// Changes the form to lists, whatever these take.
OPN_NODISCARD opn_status opn_i_features_to_lists(opn_ctx *ctx, opn_i_features *x);

#endif // OPN_FEATURE_STORE_H
