// sample_network.h -- what the tests of the engine share: comparisons within a tolerance,
// both tables of kernels, and networks to run, that of the golden values and drawn ones.

#ifndef OPN_TEST_SAMPLE_NETWORK_H
#define OPN_TEST_SAMPLE_NETWORK_H

#include "golden/engine_golden.h"
#include "graph/graph_data.h"
#include "model/gcn.h"
#include "model/head.h"
#include "model/subgraph.h"

// ---- comparisons ---------------------------------------------------------------------

enum { IS_DOUBLE = sizeof(opn_real) == 8 };

// A tolerance of the float build, or of the double build.
static inline double by_build(double in_float, double in_double)
{
    return IS_DOUBLE ? in_double : in_float;
}

// Asserts |got - want| <= tolerance * max(|want|, floor), which no NaN fulfils.
void expect_close(double got, double want, double tolerance, double floor);

// The same for rows of `width` reals and of n_cols doubles. What lies beyond n_cols is 0.
void expect_rows(int32_t n_rows,
                 int32_t n_cols,
                 int32_t width,
                 const opn_real *got,
                 const double *want,
                 double tolerance,
                 double floor);

// Uniform within [low, high), the same on every machine.
double draw(uint64_t *state, double low, double high);

// n reals, of which the first n_cols of every `width` are drawn and the others are 0.
void draw_rows(uint64_t *state,
               int32_t n_rows,
               int32_t n_cols,
               int32_t width,
               double low,
               double high,
               opn_real *out);

// The tables of kernels this CPU runs; returns how many.
int all_tables(const opn_k_table *table[2]);

// Numbers of threads that must not matter.
enum { N_THREAD_COUNTS = 4 };
extern const int thread_counts[N_THREAD_COUNTS];

static inline void put_bit(uint64_t *bits, int64_t at, bool is_set)
{
    const uint64_t bit = UINT64_C(1) << (at % 64);
    bits[at / 64] = is_set ? bits[at / 64] | bit : bits[at / 64] & ~bit;
}

// ---- networks ------------------------------------------------------------------------

// What passes of each purpose draw from.
extern const opn_i_streams student_streams, sample_streams;

// An encoder and its heads; one of each layer where it has none.
typedef struct network_kind {
    const opn_i_encoder *encoder;
    int32_t n_heads, n_out_heads;
} network_kind;

extern const network_kind gcn_kind, sage_kind;

// The whole of a graph, whose matrix is its own transpose.
static inline opn_i_reach symmetric_reach(const opn_i_csr *adjacency)
{
    const opn_k_sparse view = opn_i_csr_view(adjacency);
    const opn_i_hop hop = {.n_rows = adjacency->n_rows,
                           .n_cols = adjacency->n_cols,
                           .rows = view,
                           .transposed = view};
    return (opn_i_reach){hop, hop};
}

static inline opn_i_gcn_layers *layers_of(const opn_i_network *gcn)
{
    return gcn->layers;
}

// A graph, what is to be learnt on it, and a network; all on one context.
typedef struct network {
    opn_ctx *ctx;
    opn_graph *graph;
    opn_i_csr adjacency;
    opn_i_csr transposed;       // where that is not the same
    uint32_t *entry;            // of an encoder that needs it
    opn_i_edge_dropper dropper; // in use once network_add_dropper() was called
    opn_i_feature_matrix features;
    opn_i_network gcn;
    opn_i_exec exec;       // the fastest kernels, one thread
    opn_real *weights;     // as opn_i_network keeps them
    opn_real *d_weights;   // room for their gradient
    int32_t *target;       // [V] of the training nodes
    int32_t *validation;   // [V]
    int32_t n_train;       // training nodes
    opn_real *prior;       // [V,K]
    opn_real *prior_sum;   // [V]
    opn_real *log_teacher; // [V,K]
} network;

// That of the golden values, with the weights and the masks of a case.
void network_init_golden(opn_ctx *ctx, const golden_case *golden, network *out);

// Of another kind, on the graph of a golden case: weights are 0, and masks are not set.
void network_init_golden_as(opn_ctx *ctx,
                            const golden_case *golden,
                            const network_kind *kind,
                            int32_t n_hidden,
                            network *out);

// A drawn one. Every seventh node is isolated, every fifth has no feature, and some 500
// at most are there to train.
typedef struct network_size {
    int32_t n_nodes, n_features, n_hidden, n_classes;
    bool has_values; // of features that are not constant along a row
} network_size;

// Large enough for every loop over it to be worth more than one thread.
extern const network_size network_for_threads;

void network_init_drawn(opn_ctx *ctx,
                        const network_size *size,
                        uint64_t seed,
                        network *out);

// Of another kind. All its weights are drawn, so that none of them begins at 0.
void network_init_drawn_as(opn_ctx *ctx,
                           const network_kind *kind,
                           const network_size *size,
                           uint64_t seed,
                           network *out);

// The same graph with the same features where node i is node to[i]; without labels.
void network_init_permuted(const network *net, const int32_t *to, network *out);

void network_deinit(network *net);

network_kind network_kind_of(const network *net);

// From now on the network drops edges.
void network_add_dropper(network *net);

// Masks as golden values give them: 1 is kept.
void network_set_masks(network *net, const uint8_t *x_mask, const uint8_t *hidden_mask);

// An undirected graph without features from n_edges pairs; weight may be NULL.
opn_graph *network_graph(opn_ctx *ctx,
                         int32_t n_nodes,
                         int32_t n_edges,
                         const int32_t *edge,
                         const opn_real *weight);

// About 2 n_nodes drawn edges; nodes that `skipped` divides stay alone (0: none).
opn_graph *
network_drawn_graph(opn_ctx *ctx, int32_t n_nodes, int32_t skipped, uint64_t *random);

// What the models minimise, by the numbers of the golden objectives.
opn_i_objective network_objective(const network *net, int model);
extern const char *const model_names[GOLDEN_N_OBJECTIVES];

#endif // OPN_TEST_SAMPLE_NETWORK_H
