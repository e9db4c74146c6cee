// load_prepared.h -- the graph that a word on the command line names, as training sees
// it.

#ifndef OPN_LOAD_PREPARED_H
#define OPN_LOAD_PREPARED_H

#include "base/context.h"
#include "opine/graph.h"
#include "opine/params.h"

// Loads `data`, as opn_graph_load() takes it, from the parameter data_dir, and prepares
// it by its usual steps. Errors: those of opn_graph_load() and opn_graph_prepare().
OPN_NODISCARD opn_status opn_i_load_prepared(opn_ctx *ctx,
                                             const char *data,
                                             const opn_params *params,
                                             opn_graph **out);

#endif // OPN_LOAD_PREPARED_H
