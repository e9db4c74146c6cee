// csr.h -- sparse matrices in compressed sparse row form.

#ifndef OPN_CSR_H
#define OPN_CSR_H

#include "base/context.h"
#include "math/kernels.h"

// Zero-initialise; owned by the holder.
typedef struct opn_i_csr {
    int32_t n_rows;
    int32_t n_cols;
    opn_off *row_ptr; // [n_rows + 1]
    int32_t *col_idx; // [row_ptr[n_rows]]
    opn_real *value;  // [row_ptr[n_rows]]; NULL if all are 1
} opn_i_csr;

void opn_i_csr_deinit(const opn_alloc *alloc, opn_i_csr *csr);

static inline opn_off opn_i_csr_n_entries(const opn_i_csr *csr)
{
    return csr->row_ptr == NULL ? 0 : csr->row_ptr[csr->n_rows];
}

// View of the matrix for the kernels; borrowed.
static inline opn_k_sparse opn_i_csr_view(const opn_i_csr *csr)
{
    return (opn_k_sparse){.begin = csr->row_ptr,
                          .end = csr->row_ptr + 1,
                          .col = csr->col_idx,
                          .value = csr->value};
}

// Allocates room for n_entries; row_ptr is zero. `with_value` allocates values too.
OPN_NODISCARD opn_status opn_i_csr_init(opn_ctx *ctx,
                                        int32_t n_rows,
                                        int32_t n_cols,
                                        opn_off n_entries,
                                        bool with_value,
                                        opn_i_csr *out);

// From n triples in any order; value may be NULL. The columns of each row are sorted,
// with duplicates in the given order. Cost: O(n + rows + cols).
OPN_NODISCARD opn_status opn_i_csr_from_triples(opn_ctx *ctx,
                                                int32_t n_rows,
                                                int32_t n_cols,
                                                opn_off n,
                                                const int32_t *row,
                                                const int32_t *col,
                                                const opn_real *value,
                                                opn_i_csr *out);

// The transpose; its columns are sorted, so that transposing twice sorts the rows.
// Cost: O(entries + rows + cols).
OPN_NODISCARD opn_status opn_i_csr_transpose(opn_ctx *ctx,
                                             const opn_i_csr *csr,
                                             opn_i_csr *out);

// Index in `csr` of each entry of its transpose `transposed`; freed by the caller.
// Errors: NOMEM, OVERFLOW (more than 2^32 - 1 entries).
OPN_NODISCARD opn_status opn_i_csr_transposed_entries(opn_ctx *ctx,
                                                      const opn_i_csr *csr,
                                                      const opn_i_csr *transposed,
                                                      uint32_t **out);

// Sorts the columns of each row; the sort is stable.
OPN_NODISCARD opn_status opn_i_csr_sort(opn_ctx *ctx, opn_i_csr *csr);

// Sorts the columns of each row, adds up duplicates, drops zeros, and drops the values if
// all are 1, so that equal matrices have equal arrays. Cost: O(entries + rows + cols).
OPN_NODISCARD opn_status opn_i_csr_tidy(opn_ctx *ctx, opn_i_csr *csr);

OPN_NODISCARD opn_status opn_i_csr_copy(opn_ctx *ctx,
                                        const opn_i_csr *csr,
                                        opn_i_csr *out);

// The rows row[0 … n_rows-1], in that order; columns are unchanged.
OPN_NODISCARD opn_status opn_i_csr_take_rows(opn_ctx *ctx,
                                             const opn_i_csr *csr,
                                             const int32_t *row,
                                             int32_t n_rows,
                                             opn_i_csr *out);

// The rows of a, those of b, which has as many columns, and n_empty empty ones, with
// values. Errors: OVERFLOW, NOMEM.
OPN_NODISCARD opn_status opn_i_csr_stack(opn_ctx *ctx,
                                         const opn_i_csr *a,
                                         const opn_i_csr *b,
                                         int32_t n_empty,
                                         opn_i_csr *out);

// The same rows with column k renumbered to number[k]; columns of a row are sorted.
OPN_NODISCARD opn_status opn_i_csr_rename_cols(opn_ctx *ctx,
                                               const int32_t *number,
                                               int32_t n_cols,
                                               opn_i_csr *csr);

#endif // OPN_CSR_H
