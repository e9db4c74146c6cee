// tune_space.h -- what a search may change, and how a trial is drawn from it.

#ifndef OPN_TUNE_SPACE_H
#define OPN_TUNE_SPACE_H

#include "model/model_data.h"

// Whether there is anything to search: what is `given` stays as it is, and so does what
// has no say in the model. `usual` are the same parameters with what the preset fills in.
bool opn_i_space_is_empty(const opn_params *given,
                          const opn_params *usual,
                          const opn_i_model_kind *kind);

// The parameters of trial t: the usual ones for t = 0, and for every other some that
// depend on (seed, t) and on nothing else, so that more trials later are more of the
// same.
OPN_NODISCARD opn_status opn_i_space_draw(opn_ctx *ctx,
                                          const opn_params *given,
                                          const opn_params *usual,
                                          const opn_i_model_kind *kind,
                                          int32_t t,
                                          opn_params **out);

#endif // OPN_TUNE_SPACE_H
