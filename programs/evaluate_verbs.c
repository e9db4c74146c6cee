// evaluate_verbs.c -- opine evaluate and opine reproduce.

#include "command.h"
#include "json_output.h"
#include "run_output.h"
#include "style.h"

#include <stdio.h>
#include <stdlib.h>

// ---- evaluate ------------------------------------------------------------------------

static opn_status keep_evaluation(opine_app *app, const opn_evaluation *found)
{
    static const char *const names[] = {"evaluation.txt", "evaluation.json"};
    opn_status status = OPN_OK;
    for (int n = 0; n < 2 && status == OPN_OK && run_folder(app) != NULL; n++) {
        char *path = path_in(run_folder(app), names[n]);
        status = path == NULL ? out_of_memory(app)
                              : opn_evaluation_save(app->ctx, found, path);
        free(path);
    }
    return status;
}

static int evaluate_shard(opine_app *app, const opn_graph *graph)
{
    opn_shard_summary done;
    const opn_status status =
            opn_evaluate_shard(app->ctx, graph, app->params, run_folder(app), &done);
    terminal_clear();
    return status == OPN_OK ? print_shard(app, &done) : complain_status(app, status);
}

static int evaluate_all(opine_app *app, const opn_graph *graph)
{
    opn_evaluation *found = NULL;
    opn_status status =
            opn_evaluate(app->ctx, graph, app->params, run_folder(app), &found);
    terminal_clear();
    if (status == OPN_OK)
        status = keep_evaluation(app, found);
    if (status == OPN_OK)
        status = opn_evaluation_save(app->ctx, found, standard_output(app));
    opn_evaluation_free(found);
    return status == OPN_OK ? EXIT_DONE : complain_status(app, status);
}

int run_evaluate(opine_app *app)
{
    opn_graph *graph = NULL;
    if (!is_folder_name(app, "evaluate"))
        return EXIT_USAGE;
    opn_status status = opn_params_check_models(app->ctx, app->params, true);
    if (status == OPN_OK)
        status = load_checked(app, app->argument[0], &graph);
    const int code = status != OPN_OK ? complain_status(app, status)
                     : is_shard(app)  ? evaluate_shard(app, graph)
                                      : evaluate_all(app, graph);
    opn_graph_free(graph);
    return code;
}

// ---- reproduce -----------------------------------------------------------------------

static opn_status keep_reproduction(opine_app *app, const opn_reproduction *found)
{
    static const char *const names[] = {"summary.md", "results.md", "results.csv",
                                        "results.json"};
    opn_status status = OPN_OK;
    for (int n = 0; n < 4 && status == OPN_OK && run_folder(app) != NULL; n++) {
        char *path = path_in(run_folder(app), names[n]);
        status = path == NULL ? out_of_memory(app)
                              : opn_reproduction_save(app->ctx, found, path);
        free(path);
    }
    return status;
}

static void tell_figure(void *user, const char *path)
{
    json_t *list = user;
    terminal_clear();
    if (list != NULL) {
        json_array_append_new(list, json_string(path));
        return;
    }
    print_key("figure");
    printf("%s\n", path);
}

// With --json the paths are the result, unless tables are requested too.
static int draw_figures(opine_app *app)
{
    json_t *list = opn_params_flag(app->params, "json") ? json_array() : NULL;
    const opn_status status =
            opn_draw_figures(app->ctx, app->params, run_folder(app), tell_figure, list);
    terminal_clear();
    if (status != OPN_OK || list == NULL || opn_params_given(app->params, "table")) {
        json_decref(list);
        return status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    }
    json_t *document = json_object();
    put_json(document, "figures", list);
    return print_json(document);
}

static int reproduce_shard(opine_app *app)
{
    opn_shard_summary done;
    const opn_status status =
            opn_reproduce_shard(app->ctx, app->params, run_folder(app), &done);
    terminal_clear();
    return status == OPN_OK ? print_shard(app, &done) : complain_status(app, status);
}

int run_reproduce(opine_app *app)
{
    opn_reproduction *found = NULL;
    if (!is_folder_name(app, "reproduce"))
        return EXIT_USAGE;
    if (opn_params_given(app->params, "figure")) {
        const int code = draw_figures(app);
        if (code != EXIT_DONE || !opn_params_given(app->params, "table"))
            return code;
    }
    if (is_shard(app))
        return reproduce_shard(app);
    opn_status status = opn_reproduce(app->ctx, app->params, run_folder(app), &found);
    terminal_clear();
    if (status == OPN_OK)
        status = keep_reproduction(app, found);
    if (status == OPN_OK)
        status = opn_reproduction_save(app->ctx, found, standard_output(app));
    const int code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    opn_reproduction_free(found);
    return code;
}
