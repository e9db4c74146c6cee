// training_key.h -- identifies a training.

#ifndef OPN_TRAINING_KEY_H
#define OPN_TRAINING_KEY_H

#include "io/sha256.h"
#include "model/model_data.h"

// A hash of all node roles and of the known classes.
OPN_NODISCARD opn_status opn_i_split_hash(opn_ctx *ctx,
                                          const opn_split *split,
                                          char hash[OPN_SHA256_TEXT]);

// The canonical text of a parameter's value: the same for "0.01" and "1e-2".
const char *
opn_i_param_key(const opn_params *params, const opn_param *param, char number[24]);

// A hash of version, data, split and parameters: trainings with equal keys give equal
// weights. Models that are trained alike share it.
OPN_NODISCARD opn_status opn_i_training_key(opn_ctx *ctx,
                                            const char *data_hash,
                                            const opn_split *split,
                                            const opn_params *params,
                                            const opn_i_model_kind *kind,
                                            char key[OPN_SHA256_TEXT]);

#endif // OPN_TRAINING_KEY_H
