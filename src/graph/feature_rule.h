// feature_rule.h -- which scaling suits the features of a graph.

#ifndef OPN_FEATURE_RULE_H
#define OPN_FEATURE_RULE_H

#include "graph/feature_store.h"

// Whether a value is below 0.
bool opn_i_features_are_signed(const opn_i_features *x);

// "standard" if a feature is negative, if features have unequal scales, so that fewer
// of them decide the direction of rows than would on one scale, or if all rows have
// nearly the same direction though they differ. Else "l2". Cost: O(entries + F).
OPN_NODISCARD opn_status opn_i_features_suit(opn_ctx *ctx,
                                             const opn_i_features *x,
                                             const char **normalise);

#endif // OPN_FEATURE_RULE_H
