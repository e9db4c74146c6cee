// fetch_verb.c -- opine data fetch.

#include "command.h"
#include "json_output.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 16, MAX_FOLDER = 4096 };

// ---- names ---------------------------------------------------------------------------

static const opn_dataset *dataset_called(const char *name)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, name) == 0)
            return opn_dataset_at(d);
    return NULL;
}

static int reject_name(const char *name)
{
    const char *names[MAX_NAMES] = {"all"};
    int n = 1;
    for (size_t d = 0; d < opn_dataset_count() && n < MAX_NAMES; d++)
        names[n++] = opn_dataset_at(d)->name;
    const char *guess = opn_text_nearest(name, names, (size_t)n);
    if (guess != NULL)
        complain("there is no dataset %s; did you mean %s?", name, guess);
    else
        complain("there is no dataset %s; opine data list shows all", name);
    return EXIT_USAGE;
}

// Selects the datasets asked for, each once and in table order. Returns an exit code.
static int choose(const opine_app *app, bool wanted[MAX_NAMES])
{
    for (int a = 0; a < app->n_arguments; a++) {
        const char *name = app->argument[a];
        const bool is_all = strcmp(name, "all") == 0;
        if (!is_all && dataset_called(name) == NULL)
            return reject_name(name);
        for (size_t d = 0; d < opn_dataset_count() && d < MAX_NAMES; d++) {
            const opn_dataset *dataset = opn_dataset_at(d);
            wanted[d] = wanted[d] || (is_all ? dataset->file != NULL
                                             : strcmp(dataset->name, name) == 0);
        }
    }
    return EXIT_DONE;
}

// ---- results -------------------------------------------------------------------------

static const char *outcome(opn_status status, const opn_fetch_info *info)
{
    if (status != OPN_OK)
        return status == OPN_ERR_INTERRUPTED ? "interrupted" : "failed";
    if (info->n_files == 0)
        return "built in";
    return info->n_fetched > 0 ? "fetched" : "already there";
}

static void
show(const opn_dataset *dataset, opn_status status, const opn_fetch_info *info)
{
    const bool is_part = info->n_fetched > 0 && info->n_fetched < info->n_files;
    const int64_t n_bytes = info->n_fetched > 0 ? info->n_bytes_fetched : info->n_bytes;
    printf("%-14s", dataset->name);
    if (status != OPN_OK || info->n_files == 0) {
        printf("%s\n", outcome(status, info));
    } else {
        printf("%-15s", outcome(status, info));
        if (is_part)
            printf("%d of ", (int)info->n_fetched);
        printf("%d file%s, %.2f MB\n", (int)info->n_files, info->n_files == 1 ? "" : "s",
               (double)n_bytes / 1e6);
    }
    fflush(stdout); // the next one may take minutes
}

static json_t *as_json(const opine_app *app,
                       const opn_dataset *dataset,
                       opn_status status,
                       const opn_fetch_info *info)
{
    json_t *one = json_object();
    put_json(one, "name", json_string(dataset->name));
    put_json(one, "result", json_string(outcome(status, info)));
    if (status != OPN_OK) {
        put_json(one, "error", json_string(opn_ctx_error(app->ctx)));
        return one;
    }
    put_json(one, "files", json_integer(info->n_files));
    put_json(one, "bytes", json_integer(info->n_bytes));
    put_json(one, "fetched_files", json_integer(info->n_fetched));
    put_json(one, "fetched_bytes", json_integer(info->n_bytes_fetched));
    return one;
}

// ---- verb ----------------------------------------------------------------------------

// Whether the next dataset would fail too.
static bool is_hopeless(opn_status status)
{
    return status == OPN_ERR_INTERRUPTED || status == OPN_ERR_INVALID_ARG;
}

// Fetches the wanted datasets one by one; a failure does not stop the others. Results go
// to `list`, or to standard output if it is NULL. Returns the exit code of the first
// failure.
static int fetch_wanted(opine_app *app, const bool *wanted, json_t *list)
{
    const char *data_dir = opn_params_text(app->params, "data_dir");
    const char *mirror = opn_params_text(app->params, "mirror");
    int code = EXIT_DONE;
    opn_status status = OPN_OK;
    for (size_t d = 0; d < opn_dataset_count() && d < MAX_NAMES && !is_hopeless(status);
         d++) {
        if (!wanted[d])
            continue;
        opn_fetch_info info = {0};
        const opn_dataset *dataset = opn_dataset_at(d);
        status = opn_data_fetch(app->ctx, dataset, data_dir, mirror, &info);
        terminal_clear();
        if (status != OPN_OK) {
            const int failure = complain_status(app, status);
            code = code == EXIT_DONE || failure == EXIT_INTERRUPTED ? failure : code;
        }
        if (list != NULL)
            json_array_append_new(list, as_json(app, dataset, status, &info));
        else
            show(dataset, status, &info);
    }
    return code;
}

int run_data_fetch(opine_app *app)
{
    bool wanted[MAX_NAMES] = {false};
    char folder[MAX_FOLDER];
    int code = choose(app, wanted);
    if (code != EXIT_DONE)
        return code;
    const char *data_dir = opn_params_text(app->params, "data_dir");
    const opn_status status = opn_data_folder(app->ctx, data_dir, folder, sizeof(folder));
    if (status != OPN_OK)
        return complain_status(app, status);
    if (!opn_params_flag(app->params, "json")) {
        if (!opn_params_flag(app->params, "quiet"))
            complain("the data folder is %s", folder);
        return fetch_wanted(app, wanted, NULL);
    }
    json_t *document = json_object();
    json_t *list = json_array();
    code = fetch_wanted(app, wanted, list);
    put_json(document, "folder", json_string(folder));
    put_json(document, "datasets", list);
    const int printed = print_json(document);
    return code != EXIT_DONE ? code : printed;
}
