// evaluate_parts.h -- keys and descriptions of results.

#ifndef OPN_EVALUATE_PARTS_H
#define OPN_EVALUATE_PARTS_H

#include "experiment/evaluation_data.h"
#include "experiment/run_folder.h"
#include "io/path.h"
#include "io/sha256.h"

// opn_evaluate() with a folder that is already open, or NULL. For that of a shard it does
// the next runs that fall to it, and *out is NULL.
OPN_NODISCARD opn_status opn_i_evaluate(opn_ctx *ctx,
                                        const opn_graph *graph,
                                        const opn_params *params,
                                        opn_i_run_folder *folder,
                                        opn_evaluation **out);

// What results call the graph: the dataset, or the last part of its path.
const char *opn_i_result_name(const opn_graph *graph);

// Moves the seed by s, to that of run s.
OPN_NODISCARD opn_status opn_i_params_move_seed(opn_ctx *ctx,
                                                opn_params *params,
                                                int32_t s);

// A hash of the training and everything used to score it: cells with equal keys are
// equal.
OPN_NODISCARD opn_status opn_i_cell_key(opn_ctx *ctx,
                                        const char *training_key,
                                        const opn_params *params,
                                        const char *model,
                                        char key[OPN_SHA256_TEXT]);

// Every parameter that affects a result.
json_t *opn_i_describe_params(const opn_params *params);

// What a result line records besides the figures: data, task, model, every parameter.
json_t *opn_i_describe_cell(const opn_evaluation *evaluation,
                            const opn_params *params,
                            const char *model);

// A manifest entry: what was evaluated, with the seeds and their splits.
json_t *opn_i_describe_evaluation(const opn_evaluation *evaluation);

#endif // OPN_EVALUATE_PARTS_H
