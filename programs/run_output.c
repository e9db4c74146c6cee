// run_output.c -- where verbs write: a run folder, or a file.

#include "run_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    complain("%s -o names a folder for the results, not standard output", verb);
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

static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

// Whether the output is an argument, or a file in a folder that is an argument.
static bool is_read(const opine_app *app, const struct stat *output)
{
    static const char *const names[] = {"edges.csv", "features.csv", "labels.csv",
                                        "split.csv"};
    for (int a = 0; a < app->n_arguments; a++) {
        if (is_same_file(output, app->argument[a]))
            return true;
        for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
            char *path = path_in(app->argument[a], names[n]);
            const bool is_same = path != NULL && is_same_file(output, path);
            free(path);
            if (is_same)
                return true;
        }
    }
    return false;
}

int check_output_file(const opine_app *app)
{
    const char *path = opn_params_text(app->params, "output");
    struct stat output;
    if (path[0] == 0 || stat(path, &output) != 0)
        return EXIT_DONE;
    if (S_ISDIR(output.st_mode)) {
        complain("%s: is a folder; expected a file to write", path);
        return EXIT_FAILED;
    }
    if (S_ISREG(output.st_mode) && is_read(app, &output)) {
        complain("%s: is an input, so it cannot be written to; name another file with "
                 "-o",
                 path);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
