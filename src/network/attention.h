// attention.h -- an attention layer, forward and backward; attend.h has the formulas.

#ifndef OPN_ATTENTION_H
#define OPN_ATTENTION_H

#include "network/network.h"

typedef struct opn_i_attention {
    int32_t n_heads, n_units; // units per head
    int32_t width;            // of a node's row in memory
    int32_t n_nodes;          // capacity
    opn_k_attention pass;     // the current pass
    opn_off n_entries;        // of its pattern
    uint64_t *keep_units;     // dropout masks of units and coefficients, for a network
    uint64_t *keep_entries;   // with a backward pass or samples
    opn_real *arena;          // the other buffers
    opn_real *g, *dropped;    // [V,width] units before and after dropout
    opn_real *o, *d_o;        // [V,width] output of the attention, and its gradient
    opn_real *sums;           // OPN_SUM_BLOCKS times the sums of a kernel
} opn_i_attention;

// Row width of a node's units in memory.
int32_t opn_i_attention_width(int32_t n_heads, int32_t n_units);

// Lists the weights of a layer other than the projection: a [2,units] of the attending
// and the attended node, c [2,heads] and b [1,units].
int opn_i_attention_list(int32_t n_heads,
                         int32_t n_units,
                         const char *const name[3],
                         opn_i_weight *list);

// For up to n_nodes inputs and outputs of a hop. Errors: NOMEM, OVERFLOW.
OPN_NODISCARD opn_status opn_i_attention_init(opn_ctx *ctx,
                                              int32_t n_heads,
                                              int32_t n_units,
                                              int32_t n_nodes,
                                              const opn_i_hop *hop,
                                              opn_i_attention *out);
void opn_i_attention_deinit(const opn_alloc *alloc, opn_i_attention *layer);

// Bits in the dropout masks of the units of n inputs and the coefficients of n entries.
int64_t opn_i_attention_unit_bits(const opn_i_attention *layer, int64_t n);
int64_t opn_i_attention_entry_bits(const opn_i_attention *layer, int64_t n);

// Computes layer->o from the units g of the inputs; weight points to the three listed
// weights. knows_scores: g and the weights are the same as in the last pass.
void opn_i_attention_forward(const opn_i_exec *exec,
                             opn_i_attention *layer,
                             const opn_i_hop *hop,
                             opn_real *g,
                             const opn_i_weight *weight,
                             const opn_real *weights,
                             opn_i_rates rates,
                             bool knows_scores,
                             bool with_backward);

// Computes, from layer->pass.d_o, the gradient of g in layer->dropped, each row times its
// scale if that is not NULL, and the gradients of the listed weights.
void opn_i_attention_backward(const opn_i_exec *exec,
                              opn_i_attention *layer,
                              const opn_i_hop *hop,
                              const opn_real *scale,
                              const opn_i_weight *weight,
                              opn_real *d_weights);

// Runs a kernel over the first n rows.
void opn_i_attention_run(const opn_i_exec *exec,
                         const opn_i_attention *layer,
                         opn_k_attention_rows *kernel,
                         int32_t n);

// A matrix of the layer in the form the kernels use.
opn_k_wide opn_i_attention_wide(const opn_i_attention *layer, opn_real *at);

#endif // OPN_ATTENTION_H
