// report_data.c -- builds reports from views and tables.

#include "report/report_data.h"

#include "io/json_write.h"
#include "io/path.h"

#include <string.h>

void opn_report_free(opn_report *report)
{
    if (report == NULL)
        return;
    const opn_alloc alloc = report->alloc;
    for (int32_t v = 0; v < report->n_views; v++)
        opn_i_view_deinit(&alloc, &report->view[v]);
    json_decref(report->tables);
    json_decref(report->manifest);
    json_decref(report->live);
    opn_i_names_deinit(&alloc, &report->classes);
    opn_graph_free(report->own_graph);
    opn_i_release(&alloc, report->title);
    opn_i_release(&alloc, report->source);
    opn_i_release(&alloc, report);
}

static opn_status list_classes(opn_ctx *ctx, opn_report *report)
{
    opn_status status = OPN_OK;
    char number[12];
    for (int32_t k = 0; k < report->graph->n_classes; k++) {
        int32_t at = -1;
        OPN_TRY(opn_i_report_class(ctx, report,
                                   opn_graph_class_name(report->graph, k, number), &at));
    }
cleanup:
    return status;
}

opn_status opn_i_report_new(opn_ctx *ctx,
                            const char *title,
                            const opn_graph *graph,
                            opn_report **out)
{
    opn_status status = OPN_OK;
    opn_report *report = NULL;
    OPN_TRY_NEW(ctx, report, 1);
    report->alloc = ctx->alloc;
    report->graph = graph;
    report->tables = json_array();
    report->manifest = json_array();
    OPN_FAIL_IF(ctx, report->tables == NULL || report->manifest == NULL, OPN_ERR_NOMEM,
                "out of memory for a report");
    OPN_TRY(opn_i_join_path(ctx, NULL, title, "", &report->title));
    if (graph != NULL)
        OPN_TRY(list_classes(ctx, report));
    opn_i_report_note(report, "opine", opn_version());
    *out = report;
    report = NULL;
cleanup:
    opn_report_free(report);
    return status;
}

opn_status opn_report_create(opn_ctx *ctx,
                             const opn_graph *graph,
                             const char *title,
                             opn_report **out)
{
    OPN_REJECT_NULL(ctx, graph, out);
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_graph_check_undirected(ctx, graph));
    OPN_TRY(opn_i_report_new(ctx, title != NULL ? title : graph->name, graph, out));
cleanup:
    return status;
}

opn_status
opn_i_report_class(opn_ctx *ctx, opn_report *report, const char *name, int32_t *out)
{
    return opn_i_names_intern(ctx, &report->classes, name, strlen(name), out);
}

opn_status opn_i_report_take_view(opn_ctx *ctx, opn_report *report, opn_i_view *view)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, report->n_views == OPN_MAX_VIEWS, OPN_ERR_INVALID_ARG,
                "a report shows at most %d models", OPN_MAX_VIEWS);
    report->view[report->n_views++] = *view;
    *view = (opn_i_view){0};
cleanup:
    return status;
}

opn_status opn_i_report_tell_source(opn_ctx *ctx, opn_report *report, const char *source)
{
    return opn_i_join_path(ctx, NULL, source, "", &report->source);
}

opn_status opn_i_report_tell_file(opn_ctx *ctx, opn_report *report, const char *file)
{
    return opn_i_join_path(ctx, NULL, file, "", &report->view[report->n_views - 1].file);
}

void opn_i_report_note(opn_report *report, const char *name, const char *value)
{
    opn_i_json_append(report->manifest, json_pack("[o,o]", opn_i_json_string(name),
                                                  opn_i_json_string(value)));
}
