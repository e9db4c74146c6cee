// run_output.c -- where the verbs that keep a run in a folder write.

#include "run_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *run_folder(const opine_app *app)
{
    const char *folder = opn_params_text(app->params, "output");
    return folder[0] != 0 ? folder : NULL;
}

bool is_folder_name(const opine_app *app, const char *verb)
{
    const char *folder = run_folder(app);
    if (folder == NULL || strcmp(folder, "-") != 0)
        return true;
    complain("%s -o names a folder to keep results in, not standard output", verb);
    return false;
}

char *path_in(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

const char *standard_output(const opine_app *app)
{
    return opn_params_flag(app->params, "json") ? "-.json" : "-";
}
