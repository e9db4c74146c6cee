// labels_verbs.c -- opine suggest, suspects.

#include "command.h"
#include "run_output.h"

#include <string.h>

// Where a list goes: a file, or standard output as CSV or JSON.
static const char *list_path(const opine_app *app)
{
    const char *path = opn_params_text(app->params, "output");
    return path[0] != 0 && strcmp(path, "-") != 0 ? path : standard_output(app);
}

// Loads MODEL and DATA. Returns an exit code; on failure a message has been printed. The
// caller frees both in any case.
static int load_both(opine_app *app, opn_model **model, opn_graph **graph)
{
    if (strcmp(app->argument[0], "-") == 0 && strcmp(app->argument[1], "-") == 0) {
        complain("%s reads MODEL or DATA from standard input, not both", app->verb->name);
        return EXIT_USAGE;
    }
    const int checked = check_output_file(app, ".csv .json");
    if (checked != EXIT_DONE)
        return checked;
    opn_status status = opn_model_load(app->ctx, app->argument[0], model);
    if (status == OPN_OK)
        status = opn_model_load_graph(app->ctx, *model, app->argument[1], app->params,
                                      graph);
    return status == OPN_OK ? EXIT_DONE : complain_status(app, status);
}

int run_suggest(opine_app *app)
{
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    const opn_model *used = NULL;
    opn_suggestions *found = NULL;
    const int32_t n = (int32_t)opn_params_int(app->params, "count");
    int code = load_both(app, &model, &graph);
    if (code == EXIT_DONE) {
        opn_status status = opn_model_for_graph(app->ctx, model, graph, &used);
        if (status == OPN_OK)
            status = opn_suggest(app->ctx, used, graph, app->params, n, &found);
        terminal_clear();
        if (status == OPN_OK)
            status = opn_suggestions_save(app->ctx, used, graph, found, list_path(app));
        code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    }
    opn_suggestions_free(found);
    opn_graph_free(graph);
    opn_model_free(model);
    return code;
}

int run_suspects(opine_app *app)
{
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    opn_suspects *found = NULL;
    int code = load_both(app, &model, &graph);
    if (code == EXIT_DONE) {
        opn_status status = opn_suspects_find(app->ctx, model, graph, &found);
        terminal_clear();
        if (status == OPN_OK && !opn_params_flag(app->params, "quiet"))
            complain("%d of %d labels are contradicted by models that did not see them",
                     (int)found->n, (int)found->n_judged);
        if (status == OPN_OK)
            status = opn_suspects_save(app->ctx, graph, found, list_path(app));
        code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    }
    opn_suspects_free(found);
    opn_graph_free(graph);
    opn_model_free(model);
    return code;
}
