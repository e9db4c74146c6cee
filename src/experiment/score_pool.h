// score_pool.h -- the nodes that a model is scored on, and draws from them.

#ifndef OPN_SCORE_POOL_H
#define OPN_SCORE_POOL_H

#include "graph/graph_data.h"
#include "opinion/detection.h"

// What is scored: some nodes of the graph, and all nodes of a shifted one, if there is
// one. Zero-initialise; owned by the holder.
typedef struct opn_i_score_pool {
    int32_t n;
    int32_t *node;             // [n]
    uint8_t *is_shifted;       // [n] whether the node is one of the shifted graph
    uint8_t *positive, *wrong; // [n]
    int32_t *draw;             // [n_draws, n_drawn]
    opn_i_pool view;           // of the above, for opn_i_detect()
} opn_i_score_pool;

void opn_i_score_pool_deinit(const opn_alloc *alloc, opn_i_score_pool *pool);

// Collects the pool for the parameters task, protocol, shift and seed. predicted [V] is
// the class of each node, as the split numbers known ones; nodes of a shifted graph count
// as wrong, whatever class they get. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_score_pool_init(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               const opn_split *split,
                                               const opn_params *params,
                                               const int32_t *predicted,
                                               opn_i_score_pool *out);

// The class that node i should get; -1 if it is unlabelled or of a held-out class.
int32_t opn_i_score_target(const opn_graph *graph, const opn_split *split, int32_t i);

#endif // OPN_SCORE_POOL_H
