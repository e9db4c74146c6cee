// choose.c -- trains the model that the parameters name.

#include "experiment/checkpoint_file.h"
#include "experiment/train.h"

opn_status opn_model_train(opn_ctx *ctx,
                           const opn_graph *graph,
                           const opn_split *split,
                           const opn_params *params,
                           const opn_checkpoint *checkpoint,
                           opn_model **out)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    if (checkpoint != NULL)
        OPN_TRY(opn_i_checkpoint_part(ctx, checkpoint, NULL, &path));
    status = opn_i_train_one(ctx, graph, split, params, path, out);
    if (status == OPN_ERR_INTERRUPTED && checkpoint != NULL)
        status = opn_i_checkpoint_interrupted(ctx, checkpoint);
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}
