// run_output.c -- where verbs write: a run folder, or a file.

#include "run_output.h"

#include "json_output.h"
#include "style.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *run_folder(const opine_app *app)
{
    const char *folder = opn_params_text(app->params, "output");
    return folder[0] != 0 ? folder : NULL;
}

// The end of a name that says what kind of file it is, ".csv"; "" if nothing does, as in
// "run" and "cora-0.5".
static const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name || !isalpha((unsigned char)dot[1]) ? "" : dot;
}

bool looks_like_a_file(const char *path)
{
    static const char files[] = ".csv .tsv .txt .md .json .jsonl .npy .npz .html .pdf "
                                ".xlsx .safetensors .zip .gz";
    struct stat info;
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return !is_folder && has_name(files, suffix_of(path));
}

static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

bool is_folder_name(const opine_app *app, const char *verb)
{
    const char *folder = run_folder(app);
    struct stat output;
    if (folder != NULL && strcmp(folder, "-") == 0)
        complain("%s -o names a folder for the results, not standard output", verb);
    else if (folder != NULL && looks_like_a_file(folder))
        complain("%s: looks like a file, but %s -o names a folder for the results",
                 folder, verb);
    else if (folder != NULL && app->n_arguments > 0 && stat(folder, &output) == 0 &&
             is_same_file(&output, app->argument[0]))
        complain("%s: is an input, so no results are written there; name another folder "
                 "with -o",
                 folder);
    else
        return true;
    return false;
}

bool is_shard(const opine_app *app)
{
    return opn_params_given(app->params, "shard");
}

static int print_shard_json(const opine_app *app, const opn_shard_summary *done)
{
    json_t *document = json_object();
    put_json(document, "shard", json_integer(done->part));
    put_json(document, "shards", json_integer(done->n_parts));
    put_json(document, "runs", json_integer(done->n_runs));
    put_json(document, "results", json_integer(done->n_results));
    put_json(document, "more", json_boolean(done->has_more));
    put_json(document, "folder", json_string(run_folder(app)));
    return print_json(document);
}

int print_shard(const opine_app *app, const opn_shard_summary *done)
{
    if (opn_params_flag(app->params, "json"))
        return print_shard_json(app, done);
    print_key("shard");
    printf("%d of %d\n", (int)done->part, (int)done->n_parts);
    print_key("runs");
    printf("%lld\n", (long long)done->n_runs);
    print_key("results");
    printf("%lld new, in %s\n", (long long)done->n_results, run_folder(app));
    if (done->has_more) {
        print_key("more");
        puts("the finalists, which the first round of all shards decides");
    }
    return EXIT_DONE;
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

// Whether the output is this input, or a file in it if it is a folder.
static bool is_part_of(const struct stat *output, const char *input)
{
    static const char *const names[] = {"edges.csv", "features.csv", "labels.csv",
                                        "split.csv"};
    if (is_same_file(output, input))
        return true;
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        char *path = path_in(input, names[n]);
        const bool is_same = path != NULL && is_same_file(output, path);
        free(path);
        if (is_same)
            return true;
    }
    return false;
}

// Whether the output is what an argument or an option names as input.
static bool is_read(const opine_app *app, const struct stat *output)
{
    static const char *const options[] = {"labels", "graph"};
    for (int a = 0; a < app->n_arguments; a++)
        if (is_part_of(output, app->argument[a]))
            return true;
    for (size_t o = 0; o < sizeof(options) / sizeof(options[0]); o++)
        if (opn_params_given(app->params, options[o]) &&
            is_part_of(output, opn_params_text(app->params, options[o])))
            return true;
    return false;
}

// Prints "x.xlsx: ends in .xlsx, but only .csv, .json or .npz can be written".
static void reject_suffix(const char *path, const char *suffixes)
{
    char list[128] = "";
    size_t n = 0;
    for (const char *at = suffixes; *at != 0 && n < sizeof(list);) {
        const int n_suffix = (int)strcspn(at, " ");
        const char *after = at + n_suffix + strspn(at + n_suffix, " ");
        const bool is_last = strchr(after, ' ') == NULL;
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%.*s%s", n_suffix, at,
                              *after == 0 ? ""
                              : is_last   ? " or "
                                          : ", ");
        at = after;
    }
    complain("%s: ends in %s, but only %s can be written", path, suffix_of(path), list);
}

int check_output_file(const opine_app *app, const char *suffixes)
{
    const char *path = opn_params_text(app->params, "output");
    struct stat output;
    const bool is_there = path[0] != 0 && stat(path, &output) == 0;
    if (is_there && S_ISDIR(output.st_mode)) {
        complain("%s: is a folder; expected a file to write", path);
        return EXIT_FAILED;
    }
    const size_t n = strlen(path);
    if (n > 1 && path[n - 1] == '/') {
        complain(
                "%s: ends in /, as only folders do; expected a file to write, -o %.*s for "
                "example",
                path, (int)(n - 1), path);
        return EXIT_USAGE;
    }
    if (is_there && S_ISREG(output.st_mode) && is_read(app, &output)) {
        complain("%s: is an input, so it cannot be written to; name another file with "
                 "-o",
                 path);
        return EXIT_USAGE;
    }
    const char *suffix = suffix_of(path);
    if (suffix[0] != 0 && !has_name(suffixes, suffix)) {
        reject_suffix(path, suffixes);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
