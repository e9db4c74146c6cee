// attend.h -- attention as the kernels see it: heads that attend to the neighbours of a
// node.
//
// For head h, node i and its neighbours j, including i itself, with g the units of a
// node:
//   s_ij = dst_i + src_j,  dst_i = a_dst . g_i + c_dst,  src_j = a_src . g_j + c_src
//   w_ij = exp(l_ij) / sum over j of exp(l_ij),  l_ij = LeakyReLU(s_ij)
//   o_i = sum over j of drop(w_ij) drop(g_j)
//
// A vector is eight consecutive numbers, one per head: unit 0 of all heads, then unit 1
// of all heads, and so on, so that nothing is ever summed across a vector. A layer with
// one head stores its units consecutively instead, and repeats each per-head number eight
// times. Heads and units that a layer does not have are 0 and stay 0.
//
// A node is an output of a layer (a row of the pattern) or an input (a column of it).

#ifndef OPN_ATTEND_H
#define OPN_ATTEND_H

#include "math/real.h"
#include "opine/base.h"

#include <stdbool.h>

enum { OPN_MAX_VECTORS = 512 }; // per node: rows of that length go on the stack

// Slope of LeakyReLU for scores <= 0.
#define OPN_ATTENTION_SLOPE ((opn_real)0.2)

// A matrix of vectors.
typedef struct opn_k_wide {
    opn_real *at;
    size_t stride; // from row to row
} opn_k_wide;

static inline opn_real *opn_k_vector(const opn_k_wide *x, int32_t i, int32_t v)
{
    return x->at + (size_t)i * x->stride + (size_t)v * 8;
}

// One layer. Arrays per node and head are [nodes,8].
typedef struct opn_k_attention {
    int32_t n_vectors; // vectors per node
    bool is_single;    // has one head
    bool is_far;       // its inputs exceed the L2 cache: gathered rows are prefetched
    // The pattern: the neighbours of each output; its transpose by inputs, and the index
    // in `col` of each entry of `transposed_col`.
    const opn_off *begin, *end;
    const int32_t *col;
    const opn_off *transposed_begin, *transposed_end;
    const int32_t *transposed_col;
    const uint32_t *transposed_entry;
    const int32_t *own; // [outputs] input of each output; NULL: the same
    // Dropout masks; NULL: nothing is dropped. One byte per vector of an input; one byte
    // per entry, or one bit per entry for a single head.
    const uint64_t *keep_units, *keep_entries;
    opn_real unit_factor, entry_factor; // scale of what is kept
    const opn_real *a_dst, *a_src;      // [n_vectors,8]
    const opn_real *c_dst, *c_src;      // [8]; [1] for one head
    const opn_real *b;                  // [n_vectors,8]
    opn_k_wide g;                       // [inputs]
    opn_k_wide dropped;      // [inputs] drop(g), or g itself if nothing is dropped and
                             // there is no backward pass; there, the gradient of g
    opn_real *dst, *src;     // [inputs,8]
    opn_k_wide o;            // [outputs]
    opn_real *top, *inverse; // [outputs,8] max of l_ij, 1 / sum of exp(l_ij - top)
    opn_k_wide hidden;       // [outputs] drop(ELU(o + b)), first layer only
    const uint64_t *keep_hidden;
    opn_real hidden_factor;
    // Backward pass.
    opn_k_wide d_o;          // [outputs]; in the first layer initially that of `hidden`
    opn_real *o_d_o;         // [outputs,8] o . d_o
    opn_real *d_score;       // [entries,8]
    opn_real *d_dst, *d_src; // [inputs,8]
    const opn_real *scale;   // [inputs] factor of the gradient of g, or NULL
} opn_k_attention;

// A kernel over rows [first, last), and one that also sums over them.
typedef void
opn_k_attention_rows(const opn_k_attention *layer, int32_t first, int32_t last);
typedef void opn_k_attention_sums(const opn_k_attention *layer,
                                  int32_t first,
                                  int32_t last,
                                  opn_real *sums);

// Vectors in the sums of `settle` and `unscore`.
static inline size_t opn_k_attention_n_sums(const opn_k_attention *layer)
{
    return 2 * (size_t)layer->n_vectors + 2;
}

typedef struct opn_k_attention_table {
    // dst, src and `dropped` of inputs, the last unless it is g itself.
    opn_k_attention_rows *score;
    // o, top and inverse of outputs.
    opn_k_attention_rows *attend;
    // hidden of outputs.
    opn_k_attention_rows *activate;
    // d_o of outputs, in place of that of `hidden`.
    opn_k_attention_rows *inactivate;
    // o_d_o of outputs; sums[0 … n_vectors - 1] = sum of d_o.
    opn_k_attention_sums *settle;
    // By inputs: the gradient of `dropped` in place, d_src, and d_score of the entries.
    opn_k_attention_rows *look_back;
    // Replaces the gradient of `dropped` by that of g for inputs, from d_dst and d_src.
    // sums[0 …] = those of a_dst and a_src, n_vectors each, then of c_dst and c_src.
    opn_k_attention_sums *unscore;
} opn_k_attention_table;

extern const opn_k_attention_table opn_k_attention_ref;

#endif // OPN_ATTEND_H
