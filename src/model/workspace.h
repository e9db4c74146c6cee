// workspace.h -- the setup that training and prediction share: kernels, matrices,
// network.

#ifndef OPN_WORKSPACE_H
#define OPN_WORKSPACE_H

#include "model/features.h"
#include "network/subgraph.h"

// Within a workspace the nodes are reordered, for the reasons in order.h.
typedef struct opn_i_workspace {
    opn_i_exec exec;
    int32_t *order;                // [V] the graph's number of each node of this process
    opn_i_hop_store hop;           // the matrix of the edges
    opn_i_csr topology;            // for a model that drops edges
    opn_i_edge_dropper dropper;    // likewise
    opn_i_feature_matrix features; // unset with blocks
    opn_i_blocks blocks;           // of a divided graph whose model works by blocks
    opn_i_network network;
} opn_i_workspace;

// Whether passes of the plan work block by block. Errors: UNSUPPORTED (they do not, and
// several ranks have parts of the graph).
OPN_NODISCARD opn_status opn_i_workspace_divides(opn_ctx *ctx,
                                                 const opn_model *model,
                                                 const opn_graph *graph,
                                                 opn_i_plan plan,
                                                 bool *out);

// For passes of this plan, or passes that share less. Errors: SHAPE (directed graph,
// features that do not fit the model), NOMEM.
OPN_NODISCARD opn_status opn_i_workspace_init(opn_ctx *ctx,
                                              const opn_model *model,
                                              const opn_graph *graph,
                                              opn_i_plan plan,
                                              opn_i_workspace *workspace);
void opn_i_workspace_deinit(const opn_alloc *alloc, opn_i_workspace *workspace);

// A network in training: that of the workspace, or one on the subgraph that the loss
// depends on.
typedef struct opn_i_trainee {
    opn_i_subgraph subgraph;
    opn_i_feature_matrix features; // of the subgraph
    opn_i_network part;            // likewise
    opn_i_network *network;        // &part, or that of the workspace
} opn_i_trainee;

// target and validation are in the order of the workspace. Contains pointers into itself
// and the workspace.
OPN_NODISCARD opn_status opn_i_trainee_init(opn_ctx *ctx,
                                            opn_i_workspace *workspace,
                                            const int32_t *target,
                                            const int32_t *validation,
                                            bool is_whole,
                                            opn_i_trainee *trainee);
void opn_i_trainee_deinit(const opn_alloc *alloc, opn_i_trainee *trainee);

#endif // OPN_WORKSPACE_H
