// narrow.h -- a split made from another, for those who may look at validation nodes only.

#ifndef OPN_NARROW_H
#define OPN_NARROW_H

#include "opine/split.h"

// The same split with one more class taken out of training and validation, unless
// held_out is -1, and without the validation nodes that spared [V] has 1 for, unless it
// is NULL. What is taken out gets the role POOL. `graph` is that of the split.
// Errors: INVALID_ARG (no class or no training node is left), NOMEM. Cost: O(V + K).
OPN_NODISCARD opn_status opn_i_split_narrow(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const opn_split *split,
                                            int32_t held_out,
                                            const uint8_t *spared,
                                            opn_split **out);

#endif // OPN_NARROW_H
