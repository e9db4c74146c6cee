// gcn.h -- the two-layer graph convolution, forward and backward.
//
//   z = A^ . drop(ReLU(A^ . drop(X) . W0)) . W1,  A^ = D^-1/2 (A + I) D^-1/2

#ifndef OPN_GCN_H
#define OPN_GCN_H

#include "model/design.h"
#include "model/drop_edge.h"

// The rows of A^ that a pass multiplies with: logits of n_outputs nodes depend on the
// hidden units of n_middle nodes, and those on the features of the first n_inputs rows of
// X. Of the whole graph all are V, and all matrices are A^, its own transpose.
typedef struct opn_i_reach {
    int32_t n_outputs, n_middle, n_inputs;
    opn_k_sparse outer, inner;               // [n_outputs,n_middle] [n_middle,n_inputs]
    opn_k_sparse outer_turned, inner_turned; // unset where nothing is taken back
} opn_i_reach;

typedef struct opn_i_gcn {
    int32_t n_nodes, n_features, n_hidden, n_classes; // rows of X, F H K
    int32_t hidden_width, class_width;                // H and K rounded up to OPN_LANES
    opn_i_reach reach;                                // of its passes
    opn_i_edge_dropper *dropper; // of the edges of A^, borrowed; NULL: all are kept
    opn_i_design *design;        // X, borrowed
    bool subtracts; // a pass that drops subtracts what it drops from X W0, which pays
                    // where X W0 is known anyway and the rate is below 1/2
    // Of the pass in flight; matrices of hidden units are in panels.
    opn_i_reach in_use;
    const opn_real *whole_of; // weights of which d_hidden holds X W0; NULL: of none
    uint64_t *keep_hidden;    // one bit for each element of hidden, as it is stored
    opn_real *arena;          // the activations below
    opn_real *p;              // [V,H] X W0, and on the way back its gradient
    opn_real *hidden;         // [V,H]
    opn_real *d_hidden;       // [V,H]; until the way back X W0 with nothing dropped
    opn_real *q;              // [V,K] hidden W1, and on the way back its gradient
    opn_real *z;              // [V,K] logits
    opn_real *d_z;            // [V,K] set by the caller before backward
    opn_real *w1_turned;      // [K,H] W1 transposed
    opn_real *partial;        // OPN_SUM_BLOCKS times [H,K]
} opn_i_gcn;

// The whole of a graph.
opn_i_reach opn_i_reach_whole(const opn_i_csr *adjacency);

// What its passes use of X, for opn_i_design_init_for().
unsigned opn_i_gcn_uses(int32_t n_hidden, bool with_backward, bool subtracts);

// `dropper` may be NULL, and must be where `reach` is not of the whole graph. Errors:
// NOMEM, OVERFLOW.
OPN_NODISCARD opn_status opn_i_gcn_init(opn_ctx *ctx,
                                        const opn_i_reach *reach,
                                        opn_i_edge_dropper *dropper,
                                        opn_i_design *design,
                                        int32_t n_hidden,
                                        int32_t n_classes,
                                        opn_i_gcn *out);
void opn_i_gcn_deinit(const opn_alloc *alloc, opn_i_gcn *gcn);

// All weights are one block: W0 [F, hidden_width] in panels, then W1 [H, class_width] in
// rows.
size_t opn_i_gcn_n_weights(const opn_i_gcn *gcn);
size_t opn_i_gcn_n_decayed(const opn_i_gcn *gcn); // those of W0, which come first

// Glorot: uniform within sqrt(6 / (rows + columns)).
void opn_i_gcn_init_weights(const opn_i_gcn *gcn,
                            uint64_t seed,
                            opn_i_stream stream,
                            opn_real *weights);

// What the passes of one purpose draw from.
typedef struct opn_i_streams {
    opn_i_stream features;
    opn_i_stream hidden;
    opn_i_stream edges; // of a network with a dropper only
} opn_i_streams;

// Draws which entries of X, which hidden units and which edges a pass keeps. drop_edge
// has no say where there is no dropper.
void opn_i_gcn_draw(const opn_i_exec *exec,
                    opn_i_gcn *gcn,
                    uint64_t seed,
                    const opn_i_streams *streams,
                    uint32_t step,
                    double dropout,
                    double drop_edge);

// gcn->z from weights, on all edges. Rate 0 drops nothing. `with_backward` prepares for
// the way back.
void opn_i_gcn_forward(const opn_i_exec *exec,
                       opn_i_gcn *gcn,
                       const opn_real *weights,
                       double rate,
                       bool with_backward);

// The same on the edges that opn_i_gcn_draw() kept; without a dropper, on all.
void opn_i_gcn_forward_drawn(const opn_i_exec *exec,
                             opn_i_gcn *gcn,
                             const opn_real *weights,
                             double rate,
                             bool with_backward);

// gcn->z of the nodes of another reach of the same X, with nothing dropped.
void opn_i_gcn_forward_on(const opn_i_exec *exec,
                          opn_i_gcn *gcn,
                          const opn_i_reach *reach,
                          const opn_real *weights);

// Gradient of all weights from gcn->d_z, after a forward pass of the same rate; on the
// edges of that pass.
void opn_i_gcn_backward(const opn_i_exec *exec,
                        opn_i_gcn *gcn,
                        const opn_real *weights,
                        double rate,
                        opn_real *d_weights);

#endif // OPN_GCN_H
