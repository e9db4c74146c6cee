// training_key.h -- what tells one training from another.

#ifndef OPN_TRAINING_KEY_H
#define OPN_TRAINING_KEY_H

#include "io/sha256.h"
#include "model/model_data.h"

// A hash of every node's role and of the known classes.
OPN_NODISCARD opn_status opn_i_split_hash(opn_ctx *ctx,
                                          const opn_split *split,
                                          char hash[OPN_SHA256_TEXT]);

// A parameter's value, the same text however it was written: "0.01" and "1e-2" alike.
const char *
opn_i_param_key(const opn_params *params, const opn_param *param, char number[24]);

// A hash of version, data, split and parameters: two trainings with one key give the same
// weights. Models that are trained alike share it.
OPN_NODISCARD opn_status opn_i_training_key(opn_ctx *ctx,
                                            const char *data_hash,
                                            const opn_split *split,
                                            const opn_params *params,
                                            const opn_i_model_kind *kind,
                                            char key[OPN_SHA256_TEXT]);

#endif // OPN_TRAINING_KEY_H
