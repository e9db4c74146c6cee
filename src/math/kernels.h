// kernels.h -- the hot loops. Each has a plain reference and versions for instruction
// sets; each version has a table, which is chosen once by CPU features.
//
// Kernels never allocate, fail or do I/O. Those over rows work on rows [first, last),
// each row independently, so that any split of the rows between threads gives the same
// bits.
//
// Dense matrices are row-major. A product works on a slice of 8, 16, 32 or 64 columns at
// a time: the sums of a row then fit in registers, and gathering a row of 64 floats asks
// for four cache lines at once, which the processor fetches together. Widths are
// multiples of OPN_LANES; padding columns are 0 and stay 0.

#ifndef OPN_KERNELS_H
#define OPN_KERNELS_H

#include "math/attend.h"
#include "math/embedding.h"
#include "math/real.h"
#include "opine/base.h"

#include <stdbool.h>

enum { OPN_LANES = 8, OPN_SLICE = 64, OPN_LOOKUP = 16 };

static inline int32_t opn_i_width(int32_t n_cols)
{
    return (n_cols + OPN_LANES - 1) / OPN_LANES * OPN_LANES;
}

// Columns of the slice that starts at column `at`: the widest that fits, and no wider
// than `most`.
static inline int32_t opn_i_slice_of(int32_t width, int32_t at, int32_t most)
{
    int32_t n = most;
    while (n > width - at)
        n /= 2;
    return n;
}

static inline int32_t opn_i_slice(int32_t width, int32_t at)
{
    return opn_i_slice_of(width, at, OPN_SLICE);
}

// A sparse matrix; row i has the entries begin[i] … end[i] - 1, multiplied by scale[i].
typedef struct opn_k_sparse {
    const opn_off *begin;
    const opn_off *end;
    const int32_t *col;
    const opn_real *value; // NULL: all 1
    const opn_real *scale; // NULL: all 1
} opn_k_sparse;

// A slice of a dense matrix: its first element and its row stride.
typedef struct opn_k_in {
    const opn_real *at;
    int32_t stride;
    bool is_far; // too large for the L2 cache: gathered rows are prefetched
} opn_k_in;

typedef struct opn_k_out {
    opn_real *at;
    int32_t stride;
} opn_k_out;

// Operations on the sum of a row before it is stored, in this order.
typedef struct opn_k_finish {
    const opn_real *base; // in the place of the result; sum = base_factor * base - sum
    opn_real base_factor;
    bool rectifies; // sum = max(sum, 0) * factor where its bit is set, else 0
    opn_real factor;
    const uint64_t *bits; // NULL: all are set
    int64_t first_bit;    // bit of the first element of the result
} opn_k_finish;

// Inputs of the gradient of the evidence loss per node; see opn_k_evidence_row(). Arrays
// are [V, width] unless noted.
typedef struct opn_k_evidence {
    int32_t n_classes; // K
    int32_t width;
    const opn_real *prior;       // alpha_hat, with 0 beyond K; NULL: no KL term
    const opn_real *prior_sum;   // [V] S_hat
    const opn_real *log_teacher; // ln p_hat; NULL: no teacher term
    const int32_t *target;       // [V] class of a training node, -1 for others
    opn_real target_weight;      // weight of the squared term, per training node
    opn_real prior_weight;       // weight of the KL term, per node
    opn_real teacher_weight;     // weight of the teacher term, per node and class
    opn_real max_logit;          // exp(z) is exp(min(z, max_logit))
} opn_k_evidence;

// Sums that inference accumulates over passes; [V, width] unless noted.
typedef struct opn_k_moments {
    int32_t n_classes;
    int32_t width;
    bool is_softmax; // p = softmax(z), and no alpha; else alpha = exp(min(z, max_logit))
                     // + 1
    opn_real max_logit;
    double *alpha; // or NULL: not asked for
    double *z;     // or NULL
    double *p;
    double *entropy; // [V] of p, in nats
} opn_k_moments;

// d_z of node i from its evidence e [K] and the slope de/dz [K]; d_z may alias either.
// With alpha = e + 1, p = alpha / S and u = dL/dp of the terms in p,
//   dL/dz_k = slope_k ((u_k - u.p - v) / S + w (half(alpha_k) - half(S))),
// where v is the variance term's contribution through its 1 / (S + 1), w the weight of
// the KL term and half that of special.h. Any evidence; with a prior, e >= 0.
void opn_k_evidence_row(const opn_k_evidence *loss,
                        int32_t i,
                        const opn_real *e,
                        const opn_real *slope,
                        opn_real *d_z);

// ---- the kernels ---------------------------------------------------------------------

// Random words: four for each element first … first + n_blocks - 1, the same as those
// of opn_i_random().
typedef void opn_k_philox(uint64_t seed,
                          uint32_t stream,
                          uint32_t step,
                          uint64_t first,
                          size_t n_blocks,
                          uint32_t *out);

// Bit b of bits[w] = whether element 64 w + b is kept: its byte of `random` is at
// least `threshold`. `random` holds 64 n_words bytes.
typedef void
opn_k_keep(size_t n_words, uint32_t threshold, const uint8_t *random, uint64_t *bits);

// Copies the entries whose bit is set in words [first, last) of bits, 64 per word, to
// consecutive places from `at` on. `value` and `to_value` may be NULL.
typedef void opn_k_compact(size_t first,
                           size_t last,
                           const uint64_t *bits,
                           const int32_t *col,
                           const opn_real *value,
                           opn_off at,
                           int32_t *to_col,
                           opn_real *to_value);

// rank[w] = bits set in the words before w, for w <= n_words; to_ptr[i] = bits set
// before bit ptr[i] <= 64 n_words, for i < n_ptr. One more word may be read.
typedef void opn_k_count(size_t n_words,
                         const uint64_t *bits,
                         opn_off *rank,
                         int32_t n_ptr,
                         const opn_off *ptr,
                         opn_off *to_ptr);

// kept = map without the bits that are clear in `bits`, which has one bit for each
// set bit of map, row by row; row i has n_words words at map[i + w n_rows], and its
// first bit is bit row_ptr[i]. One more word of bits may be read.
typedef void opn_k_spread(int32_t first,
                          int32_t last,
                          int32_t n_rows,
                          int32_t n_words,
                          const opn_off *row_ptr,
                          const uint64_t *bits,
                          const uint64_t *map,
                          uint64_t *kept);

// Bit c of to[r] = bit r of from[c], for 64 by 64 bits.
typedef void opn_k_transpose(const uint64_t *from, uint64_t *to);

// y[i,:] = scale[i] * sum over entries e of row i of value[e] * x[col[e],:], finished
// if `finish` is not NULL; `width` is that of a slice. col and value may be read one
// entry past the last, where col must be a valid row of x, which is read too.
typedef void opn_k_spmm(const opn_k_sparse *a,
                        int32_t first,
                        int32_t last,
                        int32_t width,
                        opn_k_in x,
                        opn_k_out y,
                        const opn_k_finish *finish);

// y[col[e],:] += scale[i] * value[e] * x[i,:] over the entries e of rows i.
typedef void opn_k_scatter(const opn_k_sparse *a,
                           int32_t first,
                           int32_t last,
                           int32_t width,
                           opn_k_in x,
                           opn_k_out y);

// y[i,:] = sum over the bits b of map[i] of x[b,:], for i < n_rows and b < n_bits <=
// 64, added to y if `adds`; slices have at most OPN_LOOKUP columns.
typedef void opn_k_lookup(int32_t n_rows,
                          const uint64_t *map,
                          int32_t n_bits,
                          int32_t width,
                          opn_k_in x,
                          bool adds,
                          opn_k_out y);

// y[i,:] = sum over h < n_inner of x[i,h] * w[h,:] on a slice. If `active`, in the
// place of y, is given, the result is multiplied by factor where active > 0, else set
// to 0.
typedef void opn_k_matmul(int32_t first,
                          int32_t last,
                          int32_t n_inner,
                          int32_t width,
                          opn_k_in x,
                          opn_k_in w,
                          opn_k_out y,
                          const opn_real *active,
                          opn_real factor);

// sum[h,:] = sum over rows i of x[i,h] * g[i,:], for h < n_outer, added to sum if
// `adds`; x is padded to OPN_LANES columns.
typedef void opn_k_matmul_tn(int32_t first,
                             int32_t last,
                             int32_t n_outer,
                             int32_t width,
                             opn_k_in x,
                             opn_k_in g,
                             bool adds,
                             opn_k_out sum);

// to[j] = factor * from[j] where bit first_bit + j, a multiple of 8, is set, else 0, for
// j < n, a multiple of OPN_LANES. Without bits all are set.
typedef void opn_k_mask(size_t n,
                        const opn_real *from,
                        const uint64_t *bits,
                        int64_t first_bit,
                        opn_real factor,
                        opn_real *to);

// One step of Adam with gradient g + decay * w; `rate` has the bias correction of both
// moments.
typedef void opn_k_adam(size_t n,
                        opn_real rate,
                        opn_real epsilon,
                        opn_real decay,
                        opn_real *w,
                        opn_real *mean,
                        opn_real *square,
                        const opn_real *g);

// d_z from z for evidence exp(z); returns the number of logits above max_logit.
typedef int64_t opn_k_exp_evidence_gradient(const opn_k_evidence *loss,
                                            int32_t first,
                                            int32_t last,
                                            const opn_real *z,
                                            opn_real *d_z);

// Adds one pass to the sums.
typedef void opn_k_add_moments(const opn_k_moments *sums,
                               int32_t first,
                               int32_t last,
                               const opn_real *z);

typedef struct opn_k_table {
    const char *name; // "ref", "avx2", "avx512" or "neon"
    opn_k_philox *philox;
    opn_k_keep *keep;
    opn_k_compact *compact;
    opn_k_count *count;
    opn_k_spread *spread;
    opn_k_transpose *transpose;
    opn_k_spmm *spmm;
    opn_k_scatter *scatter;
    opn_k_lookup *lookup;
    opn_k_matmul *matmul;
    opn_k_matmul_tn *matmul_tn;
    opn_k_mask *mask;
    opn_k_adam *adam;
    opn_k_exp_evidence_gradient *exp_evidence_gradient;
    opn_k_add_moments *add_moments;
    const opn_k_attention_table *attention;
    const opn_k_embedding_table *embedding;
} opn_k_table;

// The fastest table for this CPU, or the one that $OPINE_KERNEL names if the CPU has it.
const opn_k_table *opn_k_select(void);

// The other tables, fastest first: one function each, which returns NULL if the CPU or
// the build does not support it (the double build uses only the reference).
#define OPN_K_FAST_TABLES(_) \
    _(avx512)                \
    _(avx2)                  \
    _(neon)

#define OPN_K_DECLARE_TABLE(name) const opn_k_table *opn_k_table_##name(void);
OPN_K_DECLARE_TABLE(ref)
OPN_K_FAST_TABLES(OPN_K_DECLARE_TABLE)

#endif // OPN_KERNELS_H
