// members.h -- trains the members of an ensemble.

#ifndef OPN_MEMBERS_H
#define OPN_MEMBERS_H

#include "base/context.h"
#include "opine/model.h"

// Where and how members are trained.
typedef struct opn_i_ensemble {
    const opn_graph *graph;
    const opn_split *split;
    const opn_params *params; // `members` says how many; `model` names one, or is auto
    const opn_checkpoint *checkpoint; // or NULL
    const char *part; // begins the name of each member's part of the checkpoint
} opn_i_ensemble;

// Trains as many models as `members` says, each with a seed of its own, several at once,
// and makes one of them: bits do not depend on how many run at once. Member 0 is *model
// if that is not NULL, and the model that one training would give.
// Errors: those of opn_model_train(); *model stays what it was.
OPN_NODISCARD opn_status opn_i_train_members(opn_ctx *ctx,
                                             const opn_i_ensemble *ensemble,
                                             opn_model **model);

#endif // OPN_MEMBERS_H
