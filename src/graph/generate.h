// generate.h -- the block model behind `data generate` and the embedded graph.

#ifndef OPN_GENERATE_H
#define OPN_GENERATE_H

#include "graph/graph_data.h"

// The parameters of the same names in the parameter table, within its bounds.
typedef struct opn_i_block_params {
    int32_t n_nodes;
    int32_t n_classes;
    int32_t n_features;
    double mean_degree;
    double homophily;
    double mean_words;
    double topic_overlap;
    double label_noise;
    uint64_t seed;
} opn_i_block_params;

OPN_NODISCARD opn_status opn_i_generate(opn_ctx *ctx,
                                        const char *name,
                                        const opn_i_block_params *params,
                                        opn_graph **out);

#endif // OPN_GENERATE_H
