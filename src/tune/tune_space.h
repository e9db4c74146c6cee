// tune_space.h -- the search space, and how trials are drawn from it.

#ifndef OPN_TUNE_SPACE_H
#define OPN_TUNE_SPACE_H

#include "model/model_data.h"

// What decides which parameters are searched.
typedef struct opn_i_space {
    const opn_params *given; // fixed
    const opn_params *usual; // the same, completed by the preset
    const opn_i_model_kind *kind;
    bool has_features; // of the graph: without, there is nothing to normalise
} opn_i_space;

// Whether there is nothing to search: parameters that are given or do not affect the
// model are fixed.
bool opn_i_space_is_empty(const opn_i_space *from);

// The parameters of trial t: the usual ones for t = 0, otherwise drawn from (seed, t)
// only, so that asking for more trials later extends the same sequence.
OPN_NODISCARD opn_status opn_i_space_draw(opn_ctx *ctx,
                                          const opn_i_space *from,
                                          int32_t t,
                                          opn_params **out);

#endif // OPN_TUNE_SPACE_H
