// report.h -- a page that shows what models do not know, to be opened in a browser.

#ifndef OPINE_REPORT_H
#define OPINE_REPORT_H

#include "graph.h"
#include "model.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opn_report opn_report;

// An empty report about `graph`, which must be undirected (opn_graph_prepare() makes it
// so) and outlive the report. `title` may be NULL for the graph's name. Errors: SHAPE
// (directed graph), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_report_create(opn_ctx *ctx,
                                                   const opn_graph *graph,
                                                   const char *title,
                                                   opn_report **out);

// Adds what a model says about every node: predictions, uncertainties, a map of its
// hidden layer, and how well its uncertainties find wrong and unknown nodes. A model that
// was trained on this very graph is trained once more, which gives the same weights, to
// show how. perplexity of params is used.
// Errors: those of opn_model_predict() and opn_embed(); INVALID_ARG (more than 6 models).
OPN_API OPN_NODISCARD opn_status opn_report_add_model(opn_ctx *ctx,
                                                      opn_report *report,
                                                      const opn_model *model,
                                                      const opn_params *params);

// A report of what a run has left behind:
//
// run   a model's file, predictions as opine predict writes them (.csv, .npz, .json), or
//       the folder of an evaluation or of a reproduction
// data  the graph, as for opn_graph_load(); NULL for the one that the folder names. A
//       model's file needs it; with predictions it adds the edges.
//
// data_dir and perplexity of params are used, and of a folder those models that model,
// task and dataset name, where they are given.
// Errors: READ, FORMAT (what the run is said to be it is not), SHAPE (run and data do not
// fit), and those of opn_report_add_model().
OPN_API OPN_NODISCARD opn_status opn_report_load(opn_ctx *ctx,
                                                 const char *run,
                                                 const char *data,
                                                 const opn_params *params,
                                                 opn_report **out);
OPN_API void opn_report_free(opn_report *report); // accepts NULL

// Writes one HTML file that needs nothing else, neither beside it nor from the network.
// Errors: WRITE, NOMEM, OVERFLOW (more than 65,534 classes), UNSUPPORTED (opine was built
// without the parts of the page; the message says what is missing, and `report` may be
// NULL then).
OPN_API OPN_NODISCARD opn_status opn_report_save(opn_ctx *ctx,
                                                 const opn_report *report,
                                                 const char *path);

// Whether opn_report_save() can write a page.
OPN_API int opn_report_is_supported(void);

#ifdef __cplusplus
}
#endif

#endif // OPINE_REPORT_H
