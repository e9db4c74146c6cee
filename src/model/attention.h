// attention.h -- a layer in which each node attends to its neighbours, forward and
// backward; attend.h has the formulas.

#ifndef OPN_ATTENTION_H
#define OPN_ATTENTION_H

#include "model/network.h"

typedef struct opn_i_attention {
    int32_t n_heads, n_units; // units of a head
    int32_t width;            // of a node in memory
    bool has_panels;          // matrices of units are in panels, else row-major
    int32_t n_nodes;          // there is room for
    opn_k_attention pass;     // in flight
    opn_off n_entries;        // of its pattern
    uint64_t *keep_units;     // which units and coefficients a pass keeps, of a network
    uint64_t *keep_entries;   // with a way back or samples
    opn_real *arena;          // the rest
    opn_real *g, *dropped;    // [V,width] units and what is left of them
    opn_real *o, *d_o;        // [V,width] what a node sees, and its gradient
    opn_real *sums;           // OPN_SUM_BLOCKS times those of a kernel
} opn_i_attention;

// Numbers that a node's units take in memory.
int32_t opn_i_attention_width(int32_t n_heads, int32_t n_units, bool has_panels);

// Lists the weights of a layer beside those that project: a [2,units] of what looks and
// what is seen, c [2,heads] and b [1,units].
int opn_i_attention_list(int32_t n_heads,
                         int32_t n_units,
                         const char *const name[3],
                         opn_i_weight *list);

// For up to n_nodes inputs and outputs of a hop. Errors: NOMEM, OVERFLOW.
OPN_NODISCARD opn_status opn_i_attention_init(opn_ctx *ctx,
                                              int32_t n_heads,
                                              int32_t n_units,
                                              bool has_panels,
                                              int32_t n_nodes,
                                              const opn_i_hop *hop,
                                              opn_i_attention *out);
void opn_i_attention_deinit(const opn_alloc *alloc, opn_i_attention *layer);

// Bits that dropping units of n inputs takes, and coefficients of n entries.
int64_t opn_i_attention_unit_bits(const opn_i_attention *layer, int64_t n);
int64_t opn_i_attention_entry_bits(const opn_i_attention *layer, int64_t n);

// layer->o from the units g of the inputs; weight points to the three of the list.
// knows_scores: g and the weights are those of the pass before.
void opn_i_attention_forward(const opn_i_exec *exec,
                             opn_i_attention *layer,
                             const opn_i_hop *hop,
                             opn_real *g,
                             const opn_i_weight *weight,
                             const opn_real *weights,
                             opn_i_rates rates,
                             bool knows_scores,
                             bool with_backward);

// The gradient of g in layer->dropped, each row times its scale if that is not NULL, and
// those of the weights of the list, from layer->pass.d_o.
void opn_i_attention_backward(const opn_i_exec *exec,
                              opn_i_attention *layer,
                              const opn_i_hop *hop,
                              const opn_real *scale,
                              const opn_i_weight *weight,
                              opn_real *d_weights);

// A kernel over the first n rows.
void opn_i_attention_run(const opn_i_exec *exec,
                         const opn_i_attention *layer,
                         opn_k_attention_rows *kernel,
                         int32_t n);

// A matrix of the layer as the kernels take it.
opn_k_wide
opn_i_attention_wide(const opn_i_attention *layer, opn_real *at, int32_t n_rows);

#endif // OPN_ATTENTION_H
