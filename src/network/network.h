// network.h -- two layers from features to logits, and their possible encoders.
//
// docs/encoders.md says how to add one.

#ifndef OPN_NETWORK_H
#define OPN_NETWORK_H

#include "graph/normalise.h"
#include "network/blocks.h"
#include "network/drop_edge.h"
#include "network/feature_matrix.h"
#include "network/hop.h"
#include "network/input_shift.h"

// ---- inputs of passes ----------------------------------------------------------------

// Dropout rates of a pass: of the entries of X and of units, and of edges, either those
// of the graph (DropEdge) or each head's coefficients of them (attention).
typedef struct opn_i_rates {
    double units, edges;
} opn_i_rates;

// Properties of the following passes that decide how X W0 is computed.
typedef struct opn_i_plan {
    bool trains;      // they have a backward pass, after which the weights change
    bool has_whole;   // X W0 with nothing dropped is needed anyway, or by several passes
    double dropout;   // of the entries of X
    bool needs_whole; // graph: they cannot work block by block
} opn_i_plan;

// Random streams of the passes of one purpose.
typedef struct opn_i_streams {
    opn_i_stream features;
    opn_i_stream hidden;
    opn_i_stream edges;
    opn_i_stream projected; // units of attention
} opn_i_streams;

// ---- encoders ------------------------------------------------------------------------

typedef struct opn_i_sizes {
    int32_t n_features, n_hidden, n_classes; // F H K
    int32_t n_heads, n_out_heads; // of attention, H counts all heads; others: 1
} opn_i_sizes;

// A weight matrix. All are in one block, in the order of the encoder's list. In the file,
// rows and columns of several heads are concatenated; memory has unit 0 of all heads
// first, then unit 1, with room for OPN_LANES heads, as attend.h says.
typedef struct opn_i_weight {
    const char *name; // in the model file
    int32_t n_rows, n_cols;
    int32_t n_row_heads, n_heads; // heads in the rows and in the columns; 1: one head
    int32_t n_parts; // concatenated matrices, each padded to its share of `width`
    int32_t width;   // of a row in memory
    bool is_decayed; // subject to weight decay; these come first
    int32_t fan;     // initial values uniform within sqrt(6 / fan) (Glorot); 0: all 0
    size_t at;       // offset in the block, set by the network
} opn_i_weight;
enum { OPN_MAX_WEIGHTS = 8 };

typedef struct opn_i_network opn_i_network;

typedef struct opn_i_encoder {
    opn_i_edge_rule edges;
    int second; // index of W1, the weights of the second layer; W0 is the first
    bool has_heads;
    bool uses_links;    // the rows of A + I are features too, see features.h
    bool needs_entries; // hop.entry is set if there is a backward pass
    // Lists the weights, without `at`; returns how many.
    int (*list_weights)(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS]);
    // Creates network->layers, with its matrices in network->arena. All else is set.
    opn_status (*init)(opn_ctx *ctx, opn_i_network *network);
    // Frees what else the layers own; NULL: nothing.
    void (*deinit)(const opn_alloc *alloc, opn_i_network *network);
    // Draws the dropout masks other than those of X, of hidden units and, with a dropper,
    // of edges; NULL: there are none.
    void (*draw)(const opn_i_exec *exec,
                 opn_i_network *network,
                 uint64_t seed,
                 const opn_i_streams *streams,
                 uint32_t step,
                 opn_i_rates rates);
    // Computes network->z and hidden on the hops of network->in_use, with dropout at
    // network->rates.
    void (*forward)(const opn_i_exec *exec,
                    opn_i_network *network,
                    const opn_real *weights,
                    bool with_backward);
    // Computes the gradient of all weights from network->d_z, after a forward pass.
    void (*backward)(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_real *weights,
                     opn_real *d_weights);
} opn_i_encoder;

// Whether edges matter to its logits.
static inline bool opn_i_encoder_sees_edges(const opn_i_encoder *encoder)
{
    return encoder->edges != OPN_EDGES_NONE || encoder->uses_links;
}

extern const opn_i_encoder opn_i_gcn_encoder, opn_i_gat_encoder, opn_i_sage_encoder,
        opn_i_mlp_encoder, opn_i_links_encoder;

// ---- networks ------------------------------------------------------------------------

struct opn_i_network {
    const opn_i_encoder *encoder;
    opn_i_sizes sizes;
    int32_t n_nodes;      // rows of X
    int32_t n_room;       // rows of the matrices that a hop reads: those of others too
    int32_t hidden_width; // of W0, the weights that X is multiplied by
    int32_t class_width;  // K rounded up to OPN_LANES
    opn_i_weight weight[OPN_MAX_WEIGHTS];
    int n_matrices; // number of weight matrices
    size_t n_weights, n_decayed;
    opn_i_reach reach;              // of its passes
    opn_i_edge_dropper *dropper;    // of the edges of A^, borrowed; NULL: all are kept
    opn_i_feature_matrix *features; // X, borrowed; NULL with blocks
    opn_i_blocks *blocks;           // of a divided graph, with their X, borrowed; or NULL
    bool subtracts;   // subtract the dropped part from the whole X W0, which pays if that
                      // is known anyway and the rate is below 1/2
    bool is_frozen;   // the weights, and so X W0, are the same in all passes
    opn_real *logits; // z, d_z, w1_transposed and partial
    opn_real *z;      // [V,K]
    opn_real *d_z;    // [V,K] set by the caller before backward
    uint64_t *keep_hidden;    // one bit per hidden unit, in storage order
    int64_t first_bit;        // that of the first one
    opn_real *w1_transposed;  // W1 transposed
    opn_real *partial;        // OPN_SUM_BLOCKS times W1
    void *layers;             // private to the encoder
    opn_real *arena;          // their matrices
    opn_i_input_shift *shift; // of the features in the passes that follow, borrowed;
                              // NULL: none
    // Of the current pass.
    opn_i_reach in_use;
    opn_i_dense_const hidden; // set by the encoder
    opn_i_rates rates;
    const opn_real *whole_of; // weights for which X W0 is known; NULL: none
};

// The products with X that the passes of a plan need, for
// opn_i_feature_matrix_init_for().
unsigned opn_i_plan_uses(opn_i_plan plan);

// `dropper` may be NULL, and must be if `reach` is not the whole graph. sizes->n_features
// is that of the feature matrix. Errors: NOMEM, OVERFLOW.
OPN_NODISCARD opn_status opn_i_network_init(opn_ctx *ctx,
                                            const opn_i_encoder *encoder,
                                            const opn_i_sizes *sizes,
                                            const opn_i_reach *reach,
                                            opn_i_edge_dropper *dropper,
                                            opn_i_feature_matrix *features,
                                            opn_i_network *out);

// The same on the nodes of blocks, which have the features. Both hops of the reach have
// all of their rows.
OPN_NODISCARD opn_status opn_i_network_init_blocks(opn_ctx *ctx,
                                                   const opn_i_encoder *encoder,
                                                   const opn_i_sizes *sizes,
                                                   const opn_i_reach *reach,
                                                   opn_i_blocks *blocks,
                                                   opn_i_network *out);
void opn_i_network_deinit(const opn_alloc *alloc, opn_i_network *network);

// Lays out the weights of an encoder in their block; returns the number of matrices, and
// in *n_weights the length of the block.
int opn_i_place_weights(const opn_i_encoder *encoder,
                        const opn_i_sizes *sizes,
                        opn_i_weight list[OPN_MAX_WEIGHTS],
                        size_t *n_weights);

// Rows in memory.
int32_t opn_i_weight_rows(const opn_i_weight *weight);

// Offset of an element in the block, by its row and column in the file.
size_t opn_i_weight_place(const opn_i_weight *weight, int32_t i, int32_t k);

void opn_i_network_init_weights(const opn_i_network *network,
                                uint64_t seed,
                                opn_i_stream stream,
                                opn_real *weights);

// Passes follow the plan from now on; without a plan they share nothing.
void opn_i_network_follow(opn_i_network *network, opn_i_plan plan);

// Draws the dropout masks of a pass. rates.edges is ignored if no edges or coefficients
// are dropped.
void opn_i_network_draw(const opn_i_exec *exec,
                        opn_i_network *network,
                        uint64_t seed,
                        const opn_i_streams *streams,
                        uint32_t step,
                        opn_i_rates rates);

// Computes network->z with nothing dropped.
void opn_i_network_forward(const opn_i_exec *exec,
                           opn_i_network *network,
                           const opn_real *weights);

// The same, and returns INTERRUPTED if the caller asked to stop meanwhile; `stage` is
// what the message says was done, "training the teacher".
OPN_NODISCARD opn_status opn_i_network_pass(opn_ctx *ctx,
                                            const opn_i_exec *exec,
                                            opn_i_network *network,
                                            const opn_real *weights,
                                            const char *stage);

// opn_i_network_forward() for the nodes of another reach of the same X.
void opn_i_network_forward_on(const opn_i_exec *exec,
                              opn_i_network *network,
                              const opn_i_reach *reach,
                              const opn_real *weights);

// The same with the masks that opn_i_network_draw() drew at these rates. `with_backward`
// prepares for a backward pass.
void opn_i_network_forward_drawn(const opn_i_exec *exec,
                                 opn_i_network *network,
                                 const opn_real *weights,
                                 opn_i_rates rates,
                                 bool with_backward);

// Hidden unit h of row i, after a pass.
opn_real opn_i_network_hidden(const opn_i_network *network, int32_t i, int32_t h);

// Computes the gradient of all weights from network->d_z, after
// opn_i_network_forward_drawn(). Only here is d_weights complete: the sum over all nodes.
void opn_i_network_backward(const opn_i_exec *exec,
                            opn_i_network *network,
                            const opn_real *weights,
                            opn_real *d_weights);

// ---- for encoders --------------------------------------------------------------------

// X W0 of a pass.
typedef struct opn_i_first_product {
    opn_real *at;
    bool is_known; // the same as in the last pass, with the same weights
} opn_i_first_product;

// The result is in p or `whole`, which is room to keep X W0 with nothing dropped until
// the backward pass.
opn_i_first_product opn_i_network_multiply(const opn_i_exec *exec,
                                           opn_i_network *network,
                                           const opn_real *w0,
                                           bool with_backward,
                                           opn_real *whole,
                                           opn_real *p);

// [V] factors for the rows of the gradient of X W0, to apply before its backward pass.
const opn_real *opn_i_network_row_scale(const opn_i_network *network);

// Backward pass of X W0: the gradient of W0 from that of the product, whose rows
// are already multiplied by opn_i_network_row_scale().
void opn_i_network_multiply_back(const opn_i_exec *exec,
                                 opn_i_network *network,
                                 const opn_real *d_p,
                                 opn_real *d_weights);

// The gradient of weight matrix m, of n numbers, as a sum over n_rows rows.
void opn_i_network_sum(const opn_i_exec *exec,
                       opn_i_network *network,
                       int m,
                       size_t n,
                       int32_t n_rows,
                       opn_i_block_sum *sum,
                       void *user,
                       opn_real *d_weights);

// Backward pass of q = hidden W1: the gradient of W1, and d_hidden from d_q. With
// `active`, which has the layout of hidden, d_hidden is multiplied by factor where
// `active` is above 0, else set to 0.
void opn_i_network_project_back(const opn_i_exec *exec,
                                opn_i_network *network,
                                const opn_real *weights,
                                opn_i_dense_const hidden,
                                opn_i_dense_const d_q,
                                const opn_real *active,
                                opn_real factor,
                                opn_i_dense d_hidden,
                                opn_real *d_weights);

#endif // OPN_NETWORK_H
