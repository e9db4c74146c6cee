// report.h -- HTML reports about the uncertainty of models.

#ifndef OPINE_REPORT_H
#define OPINE_REPORT_H

#include "graph.h"
#include "model.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the page will show: a graph, and what models say about its nodes.
typedef struct opn_report opn_report;

// An empty report about `graph`, which must be undirected (opn_graph_prepare() makes it
// so) and outlive the report. `title` may be NULL for the graph's name. Errors: SHAPE
// (directed graph), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_report_create(opn_ctx *ctx,
                                                   const opn_graph *graph,
                                                   const char *title,
                                                   opn_report **out);

// Adds the predictions and uncertainties of a model for every node, a map of its hidden
// layer, and how well its uncertainties detect misclassified and out-of-distribution
// nodes. A model trained on this graph is trained again, which gives the same weights,
// to record the training history. perplexity of params is used. Errors: those of
// opn_model_predict() and opn_embed(); INVALID_ARG (more than 6 models).
OPN_API OPN_NODISCARD opn_status opn_report_add_model(opn_ctx *ctx,
                                                      opn_report *report,
                                                      const opn_model *model,
                                                      const opn_params *params);

// A report about a run:
//
// run   a model's file, predictions as opine predict writes them (.csv, .npz, .json), or
//       the folder of an evaluation or of a reproduction
// data  the graph, as for opn_graph_load(). NULL for the one that the model was trained
//       on, or the first that the folder has results for: both keep where it was loaded
//       from and its hash. With predictions it adds the edges.
//
// data_dir and perplexity of params are used; for a folder, model, task and dataset
// select what to show, if given. Errors: READ, FORMAT (the run is not what it claims to
// be), SHAPE (run and data do not match, or the data have changed), and those of
// opn_report_add_model().
OPN_API OPN_NODISCARD opn_status opn_report_load(opn_ctx *ctx,
                                                 const char *run,
                                                 const char *data,
                                                 const opn_params *params,
                                                 opn_report **out);
OPN_API void opn_report_free(opn_report *report); // accepts NULL

// Writes a single HTML file that needs no other files and no network. Errors: WRITE,
// NOMEM, OVERFLOW (more than 65,534 classes), UNSUPPORTED (opine was built without the
// parts of the page; the message says what is missing, and `report` may be NULL then).
OPN_API OPN_NODISCARD opn_status opn_report_save(opn_ctx *ctx,
                                                 const opn_report *report,
                                                 const char *path);

// Whether opn_report_save() can write a page.
OPN_API int opn_report_is_supported(void);

#ifdef __cplusplus
}
#endif

#endif // OPINE_REPORT_H
