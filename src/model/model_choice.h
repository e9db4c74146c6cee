// model_choice.h -- what a model was compared with before it was chosen.

#ifndef OPN_MODEL_CHOICE_H
#define OPN_MODEL_CHOICE_H

#include "model/model_data.h"

// Adds the results of n more validation nodes: their accuracy and mean -ln p.
void opn_i_candidate_add(opn_i_candidate *candidate,
                         int32_t n,
                         double accuracy,
                         double nll);

// Adds the results of another.
void opn_i_candidate_merge(opn_i_candidate *candidate, const opn_i_candidate *other);

// Accuracy and its standard error; 0 without validation nodes.
double opn_i_candidate_accuracy(const opn_i_candidate *candidate);
double opn_i_candidate_error(const opn_i_candidate *candidate);

// Notes a model or a baseline in a model. Nothing happens once there is no more room.
void opn_i_model_note_candidate(opn_model *model, const opn_i_candidate *candidate);

// The candidates as JSON text, to be freed with free(); NULL without memory.
char *opn_i_candidates_to_text(const opn_model *model);

// Reads such a text. Errors: FORMAT.
OPN_NODISCARD opn_status opn_i_candidates_from_text(opn_ctx *ctx,
                                                    const char *path,
                                                    const char *text,
                                                    opn_model *model);

#endif // OPN_MODEL_CHOICE_H
