// kept_model.c -- gets a trained model from the folder of a run, or trains it.

#include "experiment/kept_model.h"

#include "experiment/run_folder.h"
#include "io/bytes.h"
#include "io/path.h"
#include "train/checkpoint_file.h"

#include <stdio.h>

opn_status opn_i_kept_model_path(opn_ctx *ctx,
                                 const opn_i_training *training,
                                 const char *folder,
                                 char **out)
{
    const opn_i_training *t = training;
    char name[160];
    snprintf(name, sizeof(name), "%.40s-%s-%s-%s-%.16s", t->dataset,
             opn_params_text(t->params, "task"), opn_i_model_kind_trained_as(t->kind)->id,
             opn_params_text(t->params, "seed"), t->key);
    return opn_i_run_folder_model(ctx, folder, name, out);
}

// Another process may train the same model at the same time, if its runs overlap: it does
// so without a checkpoint. The file that comes first stays: it may be being read.
static opn_status
train_and_keep(opn_ctx *ctx, const opn_i_training *t, const char *path, opn_model **out)
{
    opn_status status = OPN_OK;
    opn_checkpoint *checkpoint = NULL;
    char *beside = NULL;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, ".checkpoint", &beside));
    OPN_TRY(opn_i_checkpoint_claim(ctx, beside, &checkpoint));
    OPN_TRY(opn_model_train(ctx, t->graph, t->split, t->params, checkpoint, out));
    if (!opn_i_file_exists(path))
        OPN_TRY(opn_model_save(ctx, *out, path));
cleanup:
    opn_checkpoint_close(checkpoint, status == OPN_OK);
    opn_i_release(&ctx->alloc, beside);
    return status;
}

opn_status opn_i_kept_model(opn_ctx *ctx,
                            const opn_i_training *training,
                            const char *folder,
                            bool keeps,
                            bool *was_there,
                            opn_model **out)
{
    opn_status status = OPN_OK;
    const opn_i_training *t = training;
    char *path = NULL;
    *was_there = false;
    if (folder == NULL)
        return opn_model_train(ctx, t->graph, t->split, t->params, NULL, out);
    OPN_TRY(opn_i_kept_model_path(ctx, t, folder, &path));
    *was_there = opn_i_file_exists(path);
    if (*was_there)
        OPN_TRY(opn_model_load(ctx, path, out));
    else if (keeps) {
        // An undivided run that began before a shard may have removed it as its own.
        OPN_TRY(opn_i_run_folder_make_models(ctx, folder));
        OPN_TRY(train_and_keep(ctx, t, path, out));
    } else
        OPN_TRY(opn_model_train(ctx, t->graph, t->split, t->params, NULL, out));
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

opn_status opn_i_is_model_kept(opn_ctx *ctx,
                               const opn_i_training *training,
                               const char *folder,
                               bool *out)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    OPN_TRY(opn_i_kept_model_path(ctx, training, folder, &path));
    *out = opn_i_file_exists(path);
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}
