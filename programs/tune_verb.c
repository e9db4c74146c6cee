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

static int tune_shard(opine_app *app, const opn_graph *graph)
{
    opn_shard_summary done;
    const opn_status status =
            opn_tune_shard(app->ctx, graph, app->params, run_folder(app), &done);
    terminal_clear();
    return status == OPN_OK ? print_shard(app, &done) : complain_status(app, status);
}

static int tune_all(opine_app *app, const opn_graph *graph)
{
    opn_tuning *found = NULL;
    opn_status status = opn_tune(app->ctx, graph, app->params, app->argument[0],
                                 run_folder(app), &found);
    terminal_clear();
    if (status == OPN_OK)
        status = keep_tuning(app, found);
    if (status == OPN_OK)
        status = opn_tuning_save(app->ctx, found, standard_output(app));
    opn_tuning_free(found);
    return status == OPN_OK ? EXIT_DONE : complain_status(app, status);
}

int run_tune(opine_app *app)
{
    opn_graph *graph = NULL;
    if (!is_folder_name(app, "tune"))
        return EXIT_USAGE;
    opn_status status = opn_params_check_models(app->ctx, app->params, false);
    if (status == OPN_OK)
        status = load_checked(app, app->argument[0], &graph);
    const int code = status != OPN_OK ? complain_status(app, status)
                     : is_shard(app)  ? tune_shard(app, graph)
                                      : tune_all(app, graph);
    opn_graph_free(graph);
    return code;
}
