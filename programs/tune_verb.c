// tune_verb.c -- opine tune.

#include "command.h"
#include "run_output.h"

#include <stdlib.h>

static opn_status keep_tuning(opine_app *app, const opn_tuning *found)
{
    static const char *const names[] = {"tuning.txt", "tuning.json"};
    opn_status status = OPN_OK;
    for (int n = 0; n < 2 && status == OPN_OK && run_folder(app) != NULL; n++) {
        char *path = path_in(run_folder(app), names[n]);
        status = path == NULL ? out_of_memory(app)
                              : opn_tuning_save(app->ctx, found, path);
        free(path);
    }
    return status;
}

int run_tune(opine_app *app)
{
    const char *data = app->argument[0];
    opn_graph *graph = NULL;
    opn_tuning *found = NULL;
    if (!is_folder_name(app, "tune"))
        return EXIT_USAGE;
    opn_status status = opn_params_check_models(app->ctx, app->params, false);
    if (status == OPN_OK)
        status = load_checked(app, data, &graph);
    if (status == OPN_OK)
        status = opn_tune(app->ctx, graph, app->params, data, run_folder(app), &found);
    terminal_clear();
    if (status == OPN_OK)
        status = keep_tuning(app, found);
    if (status == OPN_OK)
        status = opn_tuning_save(app->ctx, found, standard_output(app));
    const int code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    opn_tuning_free(found);
    opn_graph_free(graph);
    return code;
}
