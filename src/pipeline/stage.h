// stage.h -- what training and prediction set up alike: kernels, matrices, the network.

#ifndef OPN_STAGE_H
#define OPN_STAGE_H

#include "model/gcn.h"
#include "pipeline/features.h"

typedef struct opn_i_stage {
    opn_i_exec exec;
    opn_i_csr adjacency;
    opn_i_edge_dropper dropper; // of a model that drops edges
    opn_i_design design;
    opn_i_gcn gcn;
} opn_i_stage;

// Errors: SHAPE (directed graph, features that do not fit the model), NOMEM.
OPN_NODISCARD opn_status opn_i_stage_init(opn_ctx *ctx,
                                          const opn_model *model,
                                          const opn_graph *graph,
                                          opn_i_stage *stage);
void opn_i_stage_deinit(const opn_alloc *alloc, opn_i_stage *stage);

#endif // OPN_STAGE_H
