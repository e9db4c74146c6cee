// design.h -- the features as the first layer takes them, and dropout on their entries.

#ifndef OPN_DESIGN_H
#define OPN_DESIGN_H

#include "math/csr.h"
#include "math/exec.h"

// X [V,F] by rows for X W and by columns for X^T G. Of a matrix whose rows are constant,
// as normalised binary features are, only the pattern and a factor a row are kept.
typedef struct opn_i_design {
    opn_i_csr rows;       // [V,F]; no values when row_scale is there
    opn_i_csr cols;       // [F,V], the same by columns
    uint32_t *cols_entry; // [entries] number in `rows` of each entry of `cols`
    opn_real *row_scale;  // [V], or NULL when `rows` has values
    // The entries the pass in flight keeps, one row after the other without a gap.
    uint64_t *keep;       // one bit for each entry of `rows`
    uint64_t *cols_keep;  // the same bits in the order of `cols`
    int32_t *rows_col;    // [entries]
    opn_real *rows_value; // [entries], or NULL
    opn_off *rows_ptr;    // [V + 1]
    int32_t *cols_row;    // [entries]
    opn_real *cols_value; // [entries], or NULL
    opn_off *cols_ptr;    // [F + 1]
    opn_off *rank;        // [words of keep + 1] kept entries before each word
    bool is_whole;        // nothing was dropped, and the arrays above are not in use
    opn_real *scale; // [V] row_scale / (1 - rate): rows of X W, and of G before X^T G
} opn_i_design;

OPN_NODISCARD opn_status opn_i_design_init(opn_ctx *ctx,
                                           const opn_i_csr *features,
                                           opn_i_design *out);
void opn_i_design_deinit(const opn_alloc *alloc, opn_i_design *design);

// Drops the entries whose bit in design->keep is not set, and scales the others up by
// 1 / (1 - rate). Rate 0 keeps all and does not look at the bits. The columns are left
// out for a pass that is never taken back.
void opn_i_design_drop(const opn_i_exec *exec,
                       opn_i_design *design,
                       double rate,
                       bool with_columns);

// What opn_i_design_drop() left of X: X W is opn_i_spmm() with `forward`; X^T G is
// opn_i_spmm() with `backward` after the rows of G were multiplied by design->scale.
void opn_i_design_views(const opn_i_design *design,
                        opn_k_sparse *forward,
                        opn_k_sparse *backward);

#endif // OPN_DESIGN_H
