// narrow.h -- narrows a split, for callers that may only use validation nodes.

#ifndef OPN_NARROW_H
#define OPN_NARROW_H

#include "opine/split.h"

// Copies the split, with one more class removed from training and validation unless
// held_out is -1, and without the validation nodes where spared [V] is 1, unless it is
// NULL. Removed nodes get the role POOL. `graph` is the graph of the split.
// Errors: INVALID_ARG (no class or no training node is left), NOMEM. Cost: O(V + K).
OPN_NODISCARD opn_status opn_i_split_narrow(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const opn_split *split,
                                            int32_t held_out,
                                            const uint8_t *spared,
                                            opn_split **out);

#endif // OPN_NARROW_H
