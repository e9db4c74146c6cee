// class_order.h -- the order of classes that files know by name.

#ifndef OPN_CLASS_ORDER_H
#define OPN_CLASS_ORDER_H

#include "base/names.h"

// The number if the text is one in plain form, without sign or leading zeros and below
// 10^9; else -1.
int64_t opn_i_plain_number(const char *text);

// Numbers distinct classes: numbers by value, negative ones first, then words by byte
// order, so that the order does not depend on that of the nodes; or as they are if they
// are `listed` in order. rank[k] receives the number of found[k]. *names receives the
// names in their order, and stays empty if they are just 0, 1, 2, … Errors: NOMEM. Cost:
// O(K log K).
OPN_NODISCARD opn_status opn_i_classes_rank(opn_ctx *ctx,
                                            const opn_i_names *found,
                                            bool listed,
                                            int32_t *rank,
                                            opn_i_names *names);

#endif // OPN_CLASS_ORDER_H
