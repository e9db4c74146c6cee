// network.h -- two layers from features to logits, and the encoders they may be of.
//
// docs/encoders.md says how to add one.

#ifndef OPN_NETWORK_H
#define OPN_NETWORK_H

#include "graph/normalise.h"
#include "model/drop_edge.h"
#include "model/feature_matrix.h"
#include "model/hop.h"

// ---- what passes work on -------------------------------------------------------------

// Shares that a pass drops: of the entries of X and of units, and of edges, which are
// those of the graph (DropEdge) or each head's coefficients of them (attention).
typedef struct opn_i_rates {
    double units, edges;
} opn_i_rates;

// What the passes to come are like, so far as it decides how X W0 is made.
typedef struct opn_i_plan {
    bool trains;    // they have a way back, after which the weights change
    bool has_whole; // X W0 with nothing dropped is needed anyway, or by several of them
    double dropout; // of the entries of X
} opn_i_plan;

// What the passes of one purpose draw from.
typedef struct opn_i_streams {
    opn_i_stream features;
    opn_i_stream hidden;
    opn_i_stream edges;
    opn_i_stream projected; // units of attention
} opn_i_streams;

// ---- encoders ------------------------------------------------------------------------

typedef struct opn_i_sizes {
    int32_t n_features, n_hidden, n_classes; // F H K
    int32_t n_heads, n_out_heads; // of attention: H is of all heads together; others: 1
} opn_i_sizes;

// A matrix of weights. All are one block, in the order of the encoder's list. Rows and
// columns of several heads are side by side in the file; memory has unit 0 of all heads
// first, then unit 1, with room for OPN_LANES heads, as attend.h says.
typedef struct opn_i_weight {
    const char *name; // in the model file
    int32_t n_rows, n_cols;
    int32_t n_row_heads, n_heads; // of which rows and columns are units; 1: of one
    int32_t n_parts; // matrices side by side, each padded to its share of `width`
    int32_t width;   // of a row in memory
    bool has_panels; // else row-major
    bool is_decayed; // these come first
    int32_t fan;     // starts uniform within sqrt(6 / fan) (Glorot); 0: starts at 0
    size_t at;       // where it begins in the block; found by the network
} opn_i_weight;
enum { OPN_MAX_WEIGHTS = 8 };

typedef struct opn_i_network opn_i_network;

typedef struct opn_i_encoder {
    opn_i_edge_rule edges;
    int second; // which of the weights is W1, that of the second layer; the first is W0
    bool has_heads;
    bool needs_entries; // hop.entry is set where something is taken back
    // Lists the weights, all but `at`; returns how many.
    int (*list_weights)(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS]);
    // Makes network->layers, with its matrices in network->arena. All else is set.
    opn_status (*init)(opn_ctx *ctx, opn_i_network *network);
    // Frees what the layers have beside that; NULL: nothing.
    void (*deinit)(const opn_alloc *alloc, opn_i_network *network);
    // Draws what a pass drops beside entries of X, hidden units and, with a dropper,
    // edges; NULL: nothing.
    void (*draw)(const opn_i_exec *exec,
                 opn_i_network *network,
                 uint64_t seed,
                 const opn_i_streams *streams,
                 uint32_t step,
                 opn_i_rates rates);
    // network->z and hidden on the hops of network->in_use, with what network->rates
    // drop.
    void (*forward)(const opn_i_exec *exec,
                    opn_i_network *network,
                    const opn_real *weights,
                    bool with_backward);
    // The gradient of all weights from network->d_z, after a forward pass.
    void (*backward)(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_real *weights,
                     opn_real *d_weights);
} opn_i_encoder;

extern const opn_i_encoder opn_i_gcn_encoder, opn_i_gat_encoder, opn_i_sage_encoder;

// ---- networks ------------------------------------------------------------------------

struct opn_i_network {
    const opn_i_encoder *encoder;
    opn_i_sizes sizes;
    int32_t n_nodes;      // rows of X
    int32_t hidden_width; // of the first weight, which X is multiplied with
    int32_t class_width;  // K rounded up to OPN_LANES
    opn_i_weight weight[OPN_MAX_WEIGHTS];
    int n_matrices; // of weights
    size_t n_weights, n_decayed;
    opn_i_reach reach;              // of its passes
    opn_i_edge_dropper *dropper;    // of the edges of A^, borrowed; NULL: all are kept
    opn_i_feature_matrix *features; // X, borrowed
    bool subtracts;   // a pass that drops subtracts what it drops from X W0, which pays
                      // where X W0 is known anyway and the rate is below 1/2
    bool is_frozen;   // weights stay the same from pass to pass, and so does X W0
    opn_real *logits; // z, d_z, w1_transposed and partial
    opn_real *z;      // [V,K]
    opn_real *d_z;    // [V,K] set by the caller before backward
    uint64_t *keep_hidden;   // one bit for each hidden unit, as they are stored
    opn_real *w1_transposed; // W1 transposed
    opn_real *partial;       // OPN_SUM_BLOCKS times W1
    void *layers;            // the encoder's own
    opn_real *arena;         // and their matrices
    // Of the pass in flight.
    opn_i_reach in_use;
    opn_i_dense_const hidden; // set by the encoder
    opn_i_rates rates;
    const opn_real *whole_of; // weights of which X W0 is known; NULL: of none
};

// What the passes of a plan use of X, for opn_i_feature_matrix_init_for().
unsigned
opn_i_plan_uses(opn_i_plan plan, const opn_i_encoder *encoder, const opn_i_sizes *sizes);

// `dropper` may be NULL, and must be where `reach` is not of the whole graph. sizes->
// n_features is that of the feature matrix. Errors: NOMEM, OVERFLOW.
OPN_NODISCARD opn_status opn_i_network_init(opn_ctx *ctx,
                                            const opn_i_encoder *encoder,
                                            const opn_i_sizes *sizes,
                                            const opn_i_reach *reach,
                                            opn_i_edge_dropper *dropper,
                                            opn_i_feature_matrix *features,
                                            opn_i_network *out);
void opn_i_network_deinit(const opn_alloc *alloc, opn_i_network *network);

// Places the weights of an encoder in their block; returns how many matrices there are,
// and in *n_weights how long it is.
int opn_i_place_weights(const opn_i_encoder *encoder,
                        const opn_i_sizes *sizes,
                        opn_i_weight list[OPN_MAX_WEIGHTS],
                        size_t *n_weights);

// Rows in memory.
int32_t opn_i_weight_rows(const opn_i_weight *weight);

// Where an element is in the block, by its row and its column in the file.
size_t opn_i_weight_place(const opn_i_weight *weight, int32_t i, int32_t k);

void opn_i_network_init_weights(const opn_i_network *network,
                                uint64_t seed,
                                opn_i_stream stream,
                                opn_real *weights);

// From now on passes are those of the plan; without one they share nothing.
void opn_i_network_follow(opn_i_network *network, opn_i_plan plan);

// Draws what a pass keeps. rates.edges has no say where nothing about edges is dropped.
void opn_i_network_draw(const opn_i_exec *exec,
                        opn_i_network *network,
                        uint64_t seed,
                        const opn_i_streams *streams,
                        uint32_t step,
                        opn_i_rates rates);

// network->z with nothing dropped.
void opn_i_network_forward(const opn_i_exec *exec,
                           opn_i_network *network,
                           const opn_real *weights);

// The same of the nodes of another reach of the same X.
void opn_i_network_forward_on(const opn_i_exec *exec,
                              opn_i_network *network,
                              const opn_i_reach *reach,
                              const opn_real *weights);

// The same without what opn_i_network_draw() dropped at these rates. `with_backward`
// prepares for the way back.
void opn_i_network_forward_drawn(const opn_i_exec *exec,
                                 opn_i_network *network,
                                 const opn_real *weights,
                                 opn_i_rates rates,
                                 bool with_backward);

// Unit h of the hidden layer of row i, after a pass.
opn_real opn_i_network_hidden(const opn_i_network *network, int32_t i, int32_t h);

// Gradient of all weights from network->d_z, after opn_i_network_forward_drawn(). Here,
// and nowhere else, d_weights is complete: the sum over all nodes.
void opn_i_network_backward(const opn_i_exec *exec,
                            opn_i_network *network,
                            const opn_real *weights,
                            opn_real *d_weights);

// ---- for encoders --------------------------------------------------------------------

// X W0 of a pass, in panels.
typedef struct opn_i_first_product {
    opn_real *at;
    bool is_known; // it is that of the pass before, with the same weights
} opn_i_first_product;

// It is at p or `whole`, which is room to keep X W0 with nothing dropped until the way
// back.
opn_i_first_product opn_i_network_multiply(const opn_i_exec *exec,
                                           opn_i_network *network,
                                           const opn_real *w0,
                                           bool with_backward,
                                           opn_real *whole,
                                           opn_real *p);

// What the rows of the gradient of X W0 are multiplied by before the way back of it, [V].
const opn_real *opn_i_network_row_scale(const opn_i_network *network);

// The way back of X W0: the gradient of W0 from that of the product, in panels, whose
// rows were multiplied by opn_i_network_row_scale().
void opn_i_network_multiply_back(const opn_i_exec *exec,
                                 opn_i_network *network,
                                 const opn_real *d_p,
                                 opn_real *d_weights);

// The way back of q = hidden W1: the gradient of W1, and d_hidden from d_q. With
// `active`, which has the layout of hidden, then times factor where it is above 0, else
// 0.
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
