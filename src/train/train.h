// train.h -- trains one model.

#ifndef OPN_TRAIN_H
#define OPN_TRAIN_H

#include "base/context.h"
#include "opine/model.h"

// opn_model_train() for the one model that the parameters name, with the checkpoint in
// the file `checkpoint`, or NULL. The file stays, whatever the result.
OPN_NODISCARD opn_status opn_i_train_one(opn_ctx *ctx,
                                         const opn_graph *graph,
                                         const opn_split *split,
                                         const opn_params *params,
                                         const char *checkpoint,
                                         opn_model **out);

// What a model with these parameters is scored on: "ood", also with `task` both if it
// holds classes out, or "misclassification".
const char *opn_i_task_scored(const opn_params *params, bool holds_out);

// The hidden units of models with heads, in every preset.
extern const char opn_i_attention_hidden[];

#endif // OPN_TRAIN_H
