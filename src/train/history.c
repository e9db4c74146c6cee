// history.c -- the epochs of a training, kept instead of reported.

#include "train/history.h"

static opn_status remember(opn_ctx *ctx, opn_i_history *history, const opn_epoch *epoch)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, history->epoch, history->room, history->n, history->n + 1);
    history->epoch[history->n++] = *epoch;
cleanup:
    return status;
}

static void on_epoch(void *user, const opn_epoch *epoch)
{
    opn_i_listener *l = user;
    if (l->status == OPN_OK)
        l->status = remember(l->ctx, l->history, epoch);
}

static void on_progress(void *user, const opn_progress *progress)
{
    const opn_i_listener *l = user;
    if (l->hooks.progress != NULL)
        l->hooks.progress(l->hooks.user, progress);
}

static int on_interrupted(void *user)
{
    const opn_i_listener *l = user;
    return l->status != OPN_OK ||
           (l->hooks.interrupted != NULL && l->hooks.interrupted(l->hooks.user));
}

void opn_i_listener_begin(opn_ctx *ctx,
                          int32_t terms_every,
                          opn_i_history *history,
                          opn_i_listener *listener)
{
    *listener = (opn_i_listener){.ctx = ctx, .hooks = ctx->hooks, .history = history};
    ctx->hooks = (opn_hooks){.size = sizeof(opn_hooks),
                             .progress = on_progress,
                             .interrupted = on_interrupted,
                             .epoch = on_epoch,
                             .user = listener,
                             .terms_every = terms_every};
}

opn_status opn_i_listener_end(opn_i_listener *listener, opn_status status)
{
    opn_ctx *ctx = listener->ctx;
    ctx->hooks = listener->hooks;
    // What was done only reports an interruption.
    OPN_FAIL_IF(ctx, listener->status != OPN_OK, listener->status,
                "out of memory for the training history");
cleanup:
    return status;
}

void opn_i_history_tell(const opn_ctx *ctx, const opn_i_history *history)
{
    for (size_t e = 0; ctx->hooks.epoch != NULL && e < history->n; e++)
        ctx->hooks.epoch(ctx->hooks.user, &history->epoch[e]);
}
