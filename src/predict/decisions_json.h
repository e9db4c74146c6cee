// decisions_json.h -- the decisions about a graph as JSON.

#ifndef OPN_DECISIONS_JSON_H
#define OPN_DECISIONS_JSON_H

#include "base/context.h"
#include "opine/decide.h"

// An object with the members decisions and risk_coverage, which is null without a target
// accuracy; to be freed with opn_i_release(). Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_decisions_to_json(opn_ctx *ctx,
                                                 const opn_alloc *alloc,
                                                 const opn_decisions *decisions,
                                                 double target,
                                                 char **out);

#endif // OPN_DECISIONS_JSON_H
