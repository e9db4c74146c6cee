// stage.c -- what training and prediction set up alike.

#include "pipeline/stage.h"

#include "graph/normalise.h"

void opn_i_stage_deinit(const opn_alloc *alloc, opn_i_stage *stage)
{
    opn_i_gcn_deinit(alloc, &stage->gcn);
    opn_i_design_deinit(alloc, &stage->design);
    opn_i_edge_dropper_deinit(alloc, &stage->dropper);
    opn_i_csr_deinit(alloc, &stage->adjacency);
}

// The stage is where it was put when it is done: the network points into it.
opn_status opn_i_stage_init(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            opn_i_stage *stage)
{
    opn_status status = OPN_OK;
    opn_i_csr features = {0};
    *stage = (opn_i_stage){.exec = {opn_k_select(), opn_ctx_threads(ctx)}};
    OPN_TRY(opn_i_graph_normalise(ctx, graph, &stage->adjacency));
    OPN_TRY(opn_i_features_ready(ctx, model, graph, &features));
    OPN_TRY(opn_i_design_init(ctx, &features, &stage->design));
    if (model->kind->drops_edges)
        OPN_TRY(opn_i_edge_dropper_init(ctx, &graph->topology, &stage->dropper));
    OPN_TRY(opn_i_gcn_init(
            ctx, &stage->adjacency, model->kind->drops_edges ? &stage->dropper : NULL,
            &stage->design, model->n_hidden, model->n_classes, &stage->gcn));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &features);
    if (status != OPN_OK)
        opn_i_stage_deinit(&ctx->alloc, stage);
    return status;
}
