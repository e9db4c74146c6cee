// feature_matrix.h -- the feature matrix as the first layer uses it, and dropout on its
// entries.

#ifndef OPN_FEATURE_MATRIX_H
#define OPN_FEATURE_MATRIX_H

#include "graph/feature_store.h"
#include "math/exec.h"

// One of the algorithms for products with X, see feature_strategy.h.
typedef struct opn_i_feature_strategy opn_i_feature_strategy;

// Some of the entries, row by row without gaps.
typedef struct opn_i_entries {
    int32_t *col;
    opn_real *value; // or NULL: all 1
    opn_off *ptr;    // [V + 1]
} opn_i_entries;

// X [V,F] for X W and X^T G. If the rows are constant, as for normalised binary features,
// only the pattern and one factor per row are stored.
//
// Entries are lists by rows; each pass compacts those it keeps. X^T G is scattered from
// the rows. If more than an eighth of a pattern is set, it is also stored as a bitmap,
// and the products of whole words are looked up: on Photo X^T G is 2.3 times as fast as
// with lists. Features most of which are not 0 are an array instead, which takes an
// eighth of the memory.
//
// Features may have a centre c [F]; X then stands for X - 1 c^T, whose zeros are not 0,
// and the products take c into account by themselves. Dropout drops entries of X alone.
typedef struct opn_i_feature_matrix {
    opn_i_csr rows;  // [V,F]; without values if row_scale is set, and only its shape
                     // if `dense` is
    opn_real *array; // with `dense`, unless that is borrowed
    const opn_real *dense; // [V,F padded], or NULL
    int32_t *row;          // [V] of a part: its rows of `dense`; NULL: the same
    opn_real *row_scale;   // [V], or NULL if `rows` has values
    opn_real *centre;      // [F], or NULL: 0; with a centre there is no row_scale
    int32_t n_trained;     // rows that take part in X^T G: these come first
    uint64_t *map;         // the pattern as opn_i_lookup() takes it, or NULL
    int32_t n_blocks; // blocks of rows that are summed separately when X^T G is scattered
    opn_real *partial_arena; // with `partial`
    opn_real *partial;       // [n_blocks - 1] results of one slice
    // Of the current pass.
    const opn_i_feature_strategy *strategy;
    double rate;           // dropout rate of entries; 0: the arrays below are unused
    bool lists_dropped;    // X W is found from the dropped entries
    uint64_t *keep;        // one bit per entry of `rows`
    opn_i_entries kept;    // unset where the bitmap does without
    opn_i_entries dropped; // unset unless passes use it
    opn_off *rank; // [words of keep + 1] bits set before each word; unset with `dense`
    uint64_t *kept_map;        // the kept part of `map`
    uint64_t *kept_transposed; // the same for X^T
    opn_real *scale; // [V] row_scale / (1 - rate): rows of X W, and of G before X^T G
} opn_i_feature_matrix;

// What the passes compute besides X W.
typedef enum opn_i_feature_matrix_use {
    OPN_USE_BACKWARD = 1, // X^T G
    OPN_USE_DROPPED = 2   // X W from the dropped entries instead of the kept ones
} opn_i_feature_matrix_use;

// For any use.
OPN_NODISCARD opn_status opn_i_feature_matrix_init(opn_ctx *ctx,
                                                   const opn_i_features *features,
                                                   opn_i_feature_matrix *out);

// The rows order[0 … V-1] of the features, for passes made for `uses`, a sum of
// opn_i_feature_matrix_use, or for those without BACKWARD or DROPPED among them. The
// centre [F] may be NULL.
OPN_NODISCARD opn_status opn_i_feature_matrix_init_for(opn_ctx *ctx,
                                                       const opn_i_features *features,
                                                       const opn_real *centre,
                                                       const int32_t *order,
                                                       unsigned uses,
                                                       opn_i_feature_matrix *out);

// The rows node[0 … n_rows-1] of another matrix; only the first n_trained take part in
// dropout and X^T G.
OPN_NODISCARD opn_status opn_i_feature_matrix_init_part(opn_ctx *ctx,
                                                        const opn_i_feature_matrix *whole,
                                                        const int32_t *node,
                                                        int32_t n_rows,
                                                        int32_t n_trained,
                                                        opn_i_feature_matrix *out);
void opn_i_feature_matrix_deinit(const opn_alloc *alloc, opn_i_feature_matrix *matrix);

// Whether they are worth an array: many, most of them not 0, and not of one value a row.
bool opn_i_features_are_dense(const opn_i_features *features);

// From such an array, [n_rows,F padded to OPN_LANES] from its first cache line on, with
// OPN_MARGIN numbers of room; owned from success on.
OPN_NODISCARD opn_status opn_i_feature_matrix_init_array(opn_ctx *ctx,
                                                         opn_real *array,
                                                         int32_t n_rows,
                                                         int32_t n_cols,
                                                         const opn_real *centre,
                                                         unsigned uses,
                                                         opn_i_feature_matrix *out);

// Largest number of columns of an array: a row has to fit what passes copy.
enum { OPN_MAX_ARRAY_COLS = 1 << 13 };

// Row i with nothing dropped, as F numbers padded to OPN_LANES; the centre is not taken
// off.
void opn_i_feature_matrix_row(const opn_i_feature_matrix *matrix,
                              int32_t i,
                              opn_real *row);

// Root of the mean squared length of the rows of X, or of X - 1 c^T.
double opn_i_feature_matrix_length(const opn_i_feature_matrix *matrix);

// Bits in matrix->keep, one for each entry of the trained rows.
int64_t opn_i_feature_matrix_n_bits(const opn_i_feature_matrix *matrix);

// Drops the entries whose bit in matrix->keep is 0, and scales the others by
// 1 / (1 - rate), in the trained rows. Rate 0 keeps all entries of all rows and ignores
// the bits. The bits must not be reused. `uses` is a sum of opn_i_feature_matrix_use.
void opn_i_feature_matrix_drop(const opn_i_exec *exec,
                               opn_i_feature_matrix *matrix,
                               double rate,
                               unsigned uses);

// p [V,width] = X w for the rows of the pass, over the kept entries.
void opn_i_feature_matrix_product(const opn_i_exec *exec,
                                  const opn_i_feature_matrix *matrix,
                                  int32_t width,
                                  const opn_real *w,
                                  opn_real *p);

// The same after a drop with OPN_USE_DROPPED at a rate above 0: the product of the
// dropped entries is subtracted from `whole`, X w with nothing dropped, which may be p.
void opn_i_feature_matrix_subtract(const opn_i_exec *exec,
                                   const opn_i_feature_matrix *matrix,
                                   int32_t width,
                                   const opn_real *w,
                                   const opn_real *whole,
                                   opn_real *p);

// d_w [F,width] = X^T G, where the rows of g are already multiplied by matrix->scale.
void opn_i_feature_matrix_product_transposed(const opn_i_exec *exec,
                                             const opn_i_feature_matrix *matrix,
                                             int32_t width,
                                             const opn_real *g,
                                             opn_real *d_w);

#endif // OPN_FEATURE_MATRIX_H
