// report_run.h -- the report of the folder of an evaluation or a reproduction.

#ifndef OPN_REPORT_RUN_H
#define OPN_REPORT_RUN_H

#include "opine/report.h"

// `data` and `params` are as for opn_report_load().
OPN_NODISCARD opn_status opn_i_report_of_run(opn_ctx *ctx,
                                             const char *folder,
                                             const char *data,
                                             const opn_params *params,
                                             opn_report **out);

// Loads the graph that a model or a run was made from, by the source they keep. `path` is
// the model or the run.
// Errors: INVALID_ARG (there is no source), READ (nothing is there any more), and those
// of opn_graph_load_prepared().
OPN_NODISCARD opn_status opn_i_report_source(opn_ctx *ctx,
                                             const char *path,
                                             const char *source,
                                             const opn_params *params,
                                             const char *label,
                                             opn_graph **out);

// The graph to show the model in the file `path` on: `data`, or if that is NULL the one
// that it was trained on, which must still be the same. Errors: also SHAPE.
OPN_NODISCARD opn_status opn_i_report_graph(opn_ctx *ctx,
                                            const char *path,
                                            const opn_model *model,
                                            const char *data,
                                            const opn_params *params,
                                            opn_graph **out);

#endif // OPN_REPORT_RUN_H
