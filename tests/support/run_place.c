// run_place.c -- a folder with two graphs and room for a run, and reports of what a run
// leaves there.

#include "support/run_place.h"

#include "math/real.h"
#include "support/cmocka_test.h"
#include "support/trial.h"

#include <string.h>

void place_save_graph(opn_ctx *ctx, const char *drawn, const char *path)
{
    opn_graph *graph = trial_draw_split(ctx, drawn, 5);
    assert_int_equal(opn_graph_save(ctx, graph, path), OPN_OK);
    opn_graph_free(graph);
}

opn_graph *place_load_graph(opn_ctx *ctx, const char *data)
{
    opn_graph *graph = NULL;
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    assert_int_equal(opn_graph_load_prepared(ctx, data, params, &graph), OPN_OK);
    opn_params_free(params);
    return graph;
}

place place_open(opn_ctx *ctx)
{
    static const char drawn[] = "nodes=60 classes=3 features=12 homophily=0.5";
    place at = {.graph = NULL};
    support_temp_folder(at.folder);
    support_path(at.data, at.folder, "data");
    support_path(at.other, at.folder, "other");
    support_path(at.run, at.folder, "run");
    support_path(at.cells, at.run, "cells.jsonl");
    support_path(at.models, at.run, "models");
    support_path(at.evaluation, at.run, "evaluation.json");
    support_path(at.results, at.run, "results.json");
    support_path(at.model, at.folder, "model.safetensors");
    support_path(at.page, at.folder, "page.html");
    place_save_graph(ctx, drawn, at.data);
    place_save_graph(ctx, "nodes=60 classes=3 features=12 homophily=0.5 seed=9",
                     at.other);
    at.graph = place_load_graph(ctx, at.data);
    return at;
}

void place_close(place *at)
{
    opn_graph_free(at->graph);
    support_remove_folder(at->folder);
}

// ---- runs ----------------------------------------------------------------------------

opn_evaluation *place_evaluate(opn_ctx *ctx, const place *at, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_evaluation *found = NULL;
    if (opn_evaluate(ctx, at->graph, params, at->run, &found) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return found;
}

// Numbers are written as no program would.
const char place_settings[] = "seeds=2 model=gcn,s-bgcn-t,drop-gcn epochs=04 samples=2 "
                              "hidden=4 protocol=full weight_decay=0.000022 "
                              "learning_rate=0.010";

void place_make_run(opn_ctx *ctx, const place *at)
{
    opn_evaluation *found = place_evaluate(ctx, at, place_settings);
    assert_int_equal(opn_evaluation_save(ctx, found, at->evaluation), OPN_OK);
    opn_evaluation_free(found);
}

// ---- reports -------------------------------------------------------------------------

opn_status
place_try_load(opn_ctx *ctx, const char *run, const char *data, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_report *report = NULL;
    const opn_status status = opn_report_load(ctx, run, data, params, &report);
    assert_int_equal(report != NULL, status == OPN_OK);
    opn_report_free(report);
    opn_params_free(params);
    return status;
}

void place_expect_refused(opn_ctx *ctx,
                          const char *run,
                          const char *data,
                          const char *settings,
                          opn_status want,
                          const char *part)
{
    const opn_status status = place_try_load(ctx, run, data, settings);
    if (status != want)
        fail_msg("%s: %s", opn_status_name(status), opn_ctx_error(ctx));
    support_expect_error(ctx, part);
}

page place_load(opn_ctx *ctx,
                const place *at,
                const char *run,
                const char *data,
                const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_report *report = NULL;
    if (opn_report_load(ctx, run, data, params, &report) != OPN_OK)
        fail_msg("%s: %s", run, opn_ctx_error(ctx));
    assert_int_equal(opn_report_save(ctx, report, at->page), OPN_OK);
    opn_report_free(report);
    opn_params_free(params);
    return page_read(at->page);
}

int place_n_views(const page *read)
{
    return (int)json_array_size(page_member(read->about, "views"));
}

void place_expect_same_weights(const json_t *view)
{
    assert_int_equal(strstr(page_string(view, "training_note"), "same weights") != NULL,
                     sizeof(opn_real) == sizeof(float));
}
