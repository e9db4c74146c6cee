// report_data.h -- the implementation of opn_report.

#ifndef OPN_REPORT_DATA_H
#define OPN_REPORT_DATA_H

#include "graph/graph_data.h"
#include "opine/report.h"
#include "report/view.h"

#include <jansson.h>

// More would make the page slow to write and to open.
enum { OPN_MAX_VIEWS = 6 };

struct opn_report {
    opn_alloc alloc;
    char *title;
    char *source; // what a command calls the graph by; NULL if it was made in memory
    const opn_graph *graph; // NULL: tables only
    opn_graph *own_graph;   // the same, if the report owns it
    opn_i_names classes;    // the graph's, then others that models know
    opn_i_view view[OPN_MAX_VIEWS];
    int32_t n_views;
    json_t *tables;   // array, in the format of web/data.js
    json_t *manifest; // array of [name, value]
    json_t *live;     // what the page may ask of its server; NULL for a file
};

// An empty report. The graph is borrowed and may be NULL. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_report_new(opn_ctx *ctx,
                                          const char *title,
                                          const opn_graph *graph,
                                          opn_report **out);

// Index of a class by name; unknown names are added.
OPN_NODISCARD opn_status opn_i_report_class(opn_ctx *ctx,
                                            opn_report *report,
                                            const char *name,
                                            int32_t *out);

// Takes over a view, leaving it empty. Errors: INVALID_ARG (too many views).
OPN_NODISCARD opn_status opn_i_report_take_view(opn_ctx *ctx,
                                                opn_report *report,
                                                opn_i_view *view);

// Keeps how a command names the graph and the last view's model. `file` may be NULL.
// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_report_tell_source(opn_ctx *ctx,
                                                  opn_report *report,
                                                  const char *source);
OPN_NODISCARD opn_status opn_i_report_tell_file(opn_ctx *ctx,
                                                opn_report *report,
                                                const char *file);

void opn_i_report_note(opn_report *report, const char *name, const char *value);

// Add the tables of evaluation.json and results.json, as written by opine.
// Errors: FORMAT (something is missing; the message names the file).
OPN_NODISCARD opn_status opn_i_report_add_evaluation(opn_ctx *ctx,
                                                     opn_report *report,
                                                     const char *path,
                                                     const json_t *evaluation);
OPN_NODISCARD opn_status opn_i_report_add_results(opn_ctx *ctx,
                                                  opn_report *report,
                                                  const char *path,
                                                  const json_t *results);

#endif // OPN_REPORT_DATA_H
