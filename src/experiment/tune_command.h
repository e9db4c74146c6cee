// tune_command.h -- a setting as a command to copy.

#ifndef OPN_TUNE_COMMAND_H
#define OPN_TUNE_COMMAND_H

#include "opine/model.h"

// "opine train DATA --task … -o m.safetensors": what trains a model with `params` on the
// graph, given that the user wrote `given`. To be freed. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_tune_command(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const char *data,
                                            const opn_params *given,
                                            const opn_params *params,
                                            char **out);

#endif // OPN_TUNE_COMMAND_H
