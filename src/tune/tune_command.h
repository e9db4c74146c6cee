// tune_command.h -- turns a setting into a command line to copy.

#ifndef OPN_TUNE_COMMAND_H
#define OPN_TUNE_COMMAND_H

#include "opine/model.h"

// "opine train DATA --task … -o m.safetensors": the command that trains a model with
// `params` on the graph, if the user's options were `given`. To be freed. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_tune_command(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const char *data,
                                            const opn_params *given,
                                            const opn_params *params,
                                            char **out);

// "opine tune DATA … --seeds N": the command that goes on with more seeds, in the folder
// if there is one. To be freed. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_tune_more_command(opn_ctx *ctx,
                                                 const char *data,
                                                 const opn_params *given,
                                                 int32_t n_seeds,
                                                 const char *folder,
                                                 char **out);

#endif // OPN_TUNE_COMMAND_H
