// tune_verb.c -- opine tune.

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FOLDER/tuning.txt and .json beside the runs.
static opn_status keep_tuning(opine_app *app, const opn_tuning *found, const char *folder)
{
    static const char *const names[] = {"tuning.txt", "tuning.json"};
    opn_status status = OPN_OK;
    const size_t room = strlen(folder) + 16;
    char *path = malloc(room);
    if (path == NULL)
        return OPN_ERR_NOMEM;
    for (int n = 0; n < 2 && status == OPN_OK; n++) {
        snprintf(path, room, "%s/%s", folder, names[n]);
        status = opn_tuning_save(app->ctx, found, path);
    }
    free(path);
    return status;
}

int run_tune(opine_app *app)
{
    const char *folder = opn_params_text(app->params, "output");
    const char *data = app->argument[0];
    const bool is_kept = folder[0] != 0;
    opn_graph *graph = NULL;
    opn_tuning *found = NULL;
    if (strcmp(folder, "-") == 0) {
        complain("tune -o names a folder to keep results in, not standard output");
        return EXIT_USAGE;
    }
    opn_status status = load_checked(app, data, &graph);
    if (status == OPN_OK)
        status = opn_tune(app->ctx, graph, app->params, data, is_kept ? folder : NULL,
                          &found);
    terminal_clear();
    if (status == OPN_OK && is_kept)
        status = keep_tuning(app, found, folder);
    if (status == OPN_OK)
        status = opn_tuning_save(app->ctx, found,
                                 opn_params_flag(app->params, "json") ? "-.json" : "-");
    const int code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    opn_tuning_free(found);
    opn_graph_free(graph);
    return code;
}
