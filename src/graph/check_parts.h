// check_parts.h -- what the checks of a graph share.

#ifndef OPN_CHECK_PARTS_H
#define OPN_CHECK_PARTS_H

#include "graph/graph_data.h"
#include "opine/check.h"

// The graph being checked, and the callback for warnings.
typedef struct opn_i_check {
    opn_ctx *ctx;
    const opn_graph *graph;
    opn_warning_fn *tell; // NULL: write to the log
    void *user;
} opn_i_check;

enum { OPN_SHOWN_NAME = 64 };

// Quotes a name from a file so that it fits on one line: control characters become '?',
// and a long name is cut short. Returns `out`.
const char *opn_i_shown_name(const char *name, char out[OPN_SHOWN_NAME]);

const char *
opn_i_shown_node(const opn_i_check *check, opn_vid i, char out[OPN_SHOWN_NAME]);
const char *
opn_i_shown_class(const opn_i_check *check, int32_t k, char out[OPN_SHOWN_NAME]);
const char *
opn_i_shown_feature(const opn_i_check *check, int32_t k, char out[OPN_SHOWN_NAME]);

void opn_i_warn(const opn_i_check *check,
                const char *kind,
                int64_t count,
                const char *fmt,
                ...) OPN_PRINTF(4, 5);

// Warns about suspicious features. `is_scaled`: training standardises them.
OPN_NODISCARD opn_status opn_i_check_features(const opn_i_check *check, bool is_scaled);

#endif // OPN_CHECK_PARTS_H
