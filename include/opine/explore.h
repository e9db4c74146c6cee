// explore.h -- a report that is served: the same page, with what a file cannot do.
//
// What-ifs (label a node, train again, see opinions move), training of further models,
// search by feature, and predictions for other programs by the Open Inference Protocol.
// docs/explore.md has the addresses.

#ifndef OPINE_EXPLORE_H
#define OPINE_EXPLORE_H

#include "base.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

// A model, its graph and the page about them, which can be served.
typedef struct opn_explorer opn_explorer;

// Loads a model and a graph for it, and makes the page as opn_report_load() would.
//
// model  a model's file
// data   the graph, as for opn_graph_load(); NULL for the one that the model was trained
// on
//
// data_dir, label, perplexity and confidence of params are used. Errors: those of
// opn_report_load(), and UNSUPPORTED (opine was built without what draws or serves the
// page).
OPN_API OPN_NODISCARD opn_status opn_explorer_load(opn_ctx *ctx,
                                                   const char *model,
                                                   const char *data,
                                                   const opn_params *params,
                                                   opn_explorer **out);

// Serves it on threads of its own, at `listen` ("HOST:PORT", "HOST", ":PORT"; "" for
// 127.0.0.1 and any free port). Only who knows the token in the address gets an answer.
// Errors: INVALID_ARG (that cannot be listened on, or it is served already), UNSUPPORTED
// (libmicrohttpd is not installed), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_explorer_serve(opn_ctx *ctx,
                                                    opn_explorer *explorer,
                                                    const char *listen);

// The address to open in a browser, with its token; "" before it is served.
OPN_API const char *opn_explorer_address(const opn_explorer *explorer);

// Waits until the hook `interrupted` of ctx asks to stop; then the server and what it is
// doing are stopped. Always INTERRUPTED, unless it is not served (INVALID_ARG).
OPN_API OPN_NODISCARD opn_status opn_explorer_wait(opn_ctx *ctx, opn_explorer *explorer);

OPN_API void opn_explorer_free(opn_explorer *explorer); // stops serving; accepts NULL

#ifdef __cplusplus
}
#endif

#endif // OPINE_EXPLORE_H
