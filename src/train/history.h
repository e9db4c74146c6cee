// history.h -- the epochs of a training, kept instead of reported.

#ifndef OPN_HISTORY_H
#define OPN_HISTORY_H

#include "base/context.h"

// Epochs in the order they were reported.
typedef struct opn_i_history {
    opn_epoch *epoch; // [n]
    size_t n, room;
} opn_i_history;

// Receives the epochs instead of the caller, who still gets progress and may interrupt.
// Nothing is logged.
typedef struct opn_i_listener {
    opn_ctx *ctx;
    opn_hooks hooks; // the caller's
    opn_i_history *history;
    opn_status status;
} opn_i_listener;

// From here on what ctx trains is kept in `history`, with terms as opn_hooks.terms_every
// says.
void opn_i_listener_begin(opn_ctx *ctx,
                          int32_t terms_every,
                          opn_i_history *history,
                          opn_i_listener *listener);

// Gives the hooks back; the status of what was done in between, or NOMEM.
OPN_NODISCARD opn_status opn_i_listener_end(opn_i_listener *listener, opn_status status);

// Reports the epochs to the hooks of ctx.
void opn_i_history_tell(const opn_ctx *ctx, const opn_i_history *history);

#endif // OPN_HISTORY_H
