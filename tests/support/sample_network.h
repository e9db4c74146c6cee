// sample_network.h -- shared by the tests of the engine: comparisons within a tolerance,
// both kernel tables, and networks to run, from golden values or random.

#ifndef OPN_TEST_SAMPLE_NETWORK_H
#define OPN_TEST_SAMPLE_NETWORK_H

#include "golden/engine_golden.h"
#include "graph/graph_data.h"
#include "network/gcn.h"
#include "network/head.h"
#include "network/subgraph.h"

// ---- comparisons ---------------------------------------------------------------------

enum { IS_DOUBLE = sizeof(opn_real) == 8 };

// A tolerance for the float build, or for the double build.
static inline double by_build(double in_float, double in_double)
{
    return IS_DOUBLE ? in_double : in_float;
}

// Asserts |got - want| <= tolerance * max(|want|, floor), which fails for NaN.
void expect_close(double got, double want, double tolerance, double floor);

// The same for rows of `width` reals and of n_cols doubles. The padding after n_cols is
// 0.
void expect_rows(int32_t n_rows,
                 int32_t n_cols,
                 int32_t width,
                 const opn_real *got,
                 const double *want,
                 double tolerance,
                 double floor);

// Uniform in [low, high), the same on every machine.
double draw(uint64_t *state, double low, double high);

// n reals; the first n_cols of every `width` are random and the others are 0.
void draw_rows(uint64_t *state,
               int32_t n_rows,
               int32_t n_cols,
               int32_t width,
               double low,
               double high,
               opn_real *out);

// The kernel tables that this CPU supports; returns how many.
enum { MOST_TABLES = 4 };
int all_tables(const opn_k_table *table[MOST_TABLES]);

// The table with eight numbers to a vector, avx2 or neon, whose bits are the same; NULL
// if this CPU has neither.
const opn_k_table *table_of_eights(void);

// Goes on with a hash of bits, which begins with 0.
uint64_t hash_reals(uint64_t hash, size_t n, const opn_real *x);
uint64_t hash_doubles(uint64_t hash, size_t n, const double *x);

// Offset of an element of a matrix of rows of that width.
static inline size_t row_place(int32_t width, int32_t i, int32_t k)
{
    return (size_t)i * (size_t)width + (size_t)k;
}

// Thread counts that must not change the result.
enum { N_THREAD_COUNTS = 4 };
extern const int thread_counts[N_THREAD_COUNTS];

static inline void put_bit(uint64_t *bits, int64_t at, bool is_set)
{
    const uint64_t bit = UINT64_C(1) << (at % 64);
    bits[at / 64] = is_set ? bits[at / 64] | bit : bits[at / 64] & ~bit;
}

// ---- networks ------------------------------------------------------------------------

// Random streams of each kind of pass.
extern const opn_i_streams student_streams, sample_streams;

// An encoder and its heads; one per layer if it has none.
typedef struct network_kind {
    const opn_i_encoder *encoder;
    int32_t n_heads, n_out_heads;
} network_kind;

extern const network_kind gcn_kind, sage_kind, mlp_kind;

// A whole graph with a symmetric matrix.
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

// A graph, training targets, and a network; all on one context.
typedef struct network {
    opn_ctx *ctx;
    opn_graph *graph;
    opn_i_csr adjacency;
    opn_i_csr transposed;       // if it is different
    uint32_t *entry;            // for encoders that need it
    opn_i_edge_dropper dropper; // used after network_add_dropper()
    opn_i_feature_matrix features;
    opn_i_network gcn;
    opn_i_exec exec;       // the fastest kernels, one thread
    opn_real *weights;     // in the layout of opn_i_network
    opn_real *d_weights;   // room for their gradient
    int32_t *target;       // [V] for the training nodes
    int32_t *validation;   // [V]
    int32_t n_train;       // training nodes
    opn_real *prior;       // [V,K]
    opn_real *prior_sum;   // [V]
    opn_real *log_teacher; // [V,K]
} network;

// The network of the golden values, with the weights and masks of a case.
void network_init_golden(opn_ctx *ctx, const golden_case *golden, network *out);

// Another kind, on the graph of a golden case; weights are 0 and masks are not set.
void network_init_golden_as(opn_ctx *ctx,
                            const golden_case *golden,
                            const network_kind *kind,
                            int32_t n_hidden,
                            network *out);

// A random one. Every seventh node is isolated, every fifth has no features, and at most
// about 500 are training nodes.
typedef struct network_size {
    int32_t n_nodes, n_features, n_hidden, n_classes;
    bool has_values; // features are not constant along a row
} network_size;

// Large enough that every loop over it uses more than one thread.
extern const network_size network_for_threads;

void network_init_drawn(opn_ctx *ctx,
                        const network_size *size,
                        uint64_t seed,
                        network *out);

// Another kind. All its weights are random, so that none starts at 0.
void network_init_drawn_as(opn_ctx *ctx,
                           const network_kind *kind,
                           const network_size *size,
                           uint64_t seed,
                           network *out);

// The same graph and features with node i renamed to[i]; without labels.
void network_init_permuted(const network *net, const int32_t *to, network *out);

// Gives its features a random centre from now on, one of 0 among them.
void network_centre(network *net, uint64_t seed);

void network_deinit(network *net);

network_kind network_kind_of(const network *net);

// Makes the network drop edges from now on.
void network_add_dropper(network *net);

// Masks in the format of the golden values: 1 means kept.
void network_set_masks(network *net, const uint8_t *x_mask, const uint8_t *hidden_mask);

// An undirected graph without features from n_edges pairs; weight may be NULL.
opn_graph *network_graph(opn_ctx *ctx,
                         int32_t n_nodes,
                         int32_t n_edges,
                         const int32_t *edge,
                         const opn_real *weight);

// About 2 n_nodes random edges; nodes that are multiples of `skipped` stay isolated (0:
// none).
opn_graph *
network_drawn_graph(opn_ctx *ctx, int32_t n_nodes, int32_t skipped, uint64_t *random);

// The objective of a model, numbered as in the golden objectives.
opn_i_objective network_objective(const network *net, int model);
extern const char *const model_names[GOLDEN_N_OBJECTIVES];

#endif // OPN_TEST_SAMPLE_NETWORK_H
