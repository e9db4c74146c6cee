// tune_space.h -- the search space, and how trials are drawn from it.

#ifndef OPN_TUNE_SPACE_H
#define OPN_TUNE_SPACE_H

#include "model/model_data.h"

// Whether there is nothing to search: parameters that are `given` or do not affect the
// model are fixed. `usual` are the same parameters completed by the preset.
bool opn_i_space_is_empty(const opn_params *given,
                          const opn_params *usual,
                          const opn_i_model_kind *kind);

// The parameters of trial t: the usual ones for t = 0, otherwise drawn from (seed, t)
// only, so that asking for more trials later extends the same sequence.
OPN_NODISCARD opn_status opn_i_space_draw(opn_ctx *ctx,
                                          const opn_params *given,
                                          const opn_params *usual,
                                          const opn_i_model_kind *kind,
                                          int32_t t,
                                          opn_params **out);

#endif // OPN_TUNE_SPACE_H
