// data_verbs.c -- opine data list, info, convert, shard, generate.

#include "command.h"
#include "json_output.h"
#include "progress_bar.h"
#include "run_output.h"
#include "style.h"
#include "terminal_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *data_dir(const opine_app *app)
{
    const char *folder = opn_params_text(app->params, "data_dir");
    return folder[0] != 0 ? folder : NULL;
}

// ---- list ----------------------------------------------------------------------------

static int list_as_json(opine_app *app)
{
    json_t *list = json_array();
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        int found = 0;
        const opn_status status =
                opn_dataset_find(app->ctx, dataset, data_dir(app), &found);
        if (status != OPN_OK) {
            json_decref(list);
            return complain_status(app, status);
        }
        json_t *one = json_object();
        put_json(one, "name", json_string(dataset->name));
        put_json(one, "available", json_boolean(found));
        put_json(one, "known_classes", json_integer(dataset->n_known));
        put_json(one, "summary", json_string(dataset->summary));
        json_array_append_new(list, one);
    }
    return print_json(list);
}

int run_data_list(opine_app *app)
{
    if (opn_params_flag(app->params, "json"))
        return list_as_json(app);
    printf("%s%-14s%-11s%s%s\n", style(STYLE_HEADING), "name", "available", "description",
           style(STYLE_PLAIN));
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        int found = 0;
        const opn_status status =
                opn_dataset_find(app->ctx, dataset, data_dir(app), &found);
        if (status != OPN_OK)
            return complain_status(app, status);
        printf("%-14s%-11s%s\n", dataset->name,
               dataset->file == NULL ? "built in"
               : found               ? "yes"
                                     : "no",
               dataset->summary);
    }
    return EXIT_DONE;
}

// ---- loading -------------------------------------------------------------------------

// Loads and prepares a graph; `look` is called with the data as they are in the file.
static opn_status load(opine_app *app,
                       const char *data,
                       opn_status (*look)(opine_app *app, const opn_graph *raw, void *to),
                       void *to,
                       opn_graph **out)
{
    opn_graph *raw = NULL;
    uint32_t steps = 0;
    opn_status status = opn_graph_load_params(app->ctx, data, app->params, &raw);
    if (status == OPN_OK)
        status = look(app, raw, to);
    if (status == OPN_OK)
        status = opn_steps_from_params(app->ctx, raw, app->params, &steps);
    if (status == OPN_OK)
        status = opn_graph_prepare(app->ctx, raw, steps, out);
    opn_graph_free(raw);
    return status;
}

static opn_status log_warnings(opine_app *app, const opn_graph *raw, void *to)
{
    (void)to;
    return opn_graph_warnings(app->ctx, raw, app->params, NULL, NULL);
}

opn_status load_checked(opine_app *app, const char *data, opn_graph **out)
{
    return load(app, data, log_warnings, NULL, out);
}

const char *dataset_to_fetch(const opine_app *app, const char *message)
{
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        const size_t n = strlen(dataset->name);
        int found = 1;
        if (strncmp(message, dataset->name, n) == 0 && message[n] == ':' &&
            opn_dataset_find(app->ctx, dataset, data_dir(app), &found) == OPN_OK &&
            !found)
            return dataset->name;
    }
    return NULL;
}

// ---- info ----------------------------------------------------------------------------

typedef struct description {
    opn_graph_info info;
    char hash[65];
    int32_t *class_size; // [K]
    opn_split *split;    // NULL if training could not draw one
    char no_split[1024]; // the reason, then
    json_t *warnings;    // [{kind, count, message}], for the data as they are in the file
} description;

static void keep_warning(void *user, const opn_warning *warning)
{
    json_t *one = json_object();
    char message[1024];
    spell_options(warning->message, message, sizeof(message));
    put_json(one, "kind", json_string(warning->kind));
    put_json(one, "count", json_integer(warning->count));
    put_json(one, "message", json_string(message));
    json_array_append_new(user, one);
}

static opn_status keep_warnings(opine_app *app, const opn_graph *raw, void *to)
{
    return opn_graph_warnings(app->ctx, raw, app->params, keep_warning, to);
}

// How training would split the graph. A graph that cannot be split can still be
// described.
static opn_status draw_split(opine_app *app, const opn_graph *graph, description *out)
{
    const opn_status status =
            opn_split_create(app->ctx, graph, OPN_SPLIT_USUAL, 0, NULL, 0, &out->split);
    if (status != OPN_ERR_INVALID_ARG && status != OPN_ERR_SHAPE)
        return status;
    spell_options(opn_ctx_error(app->ctx), out->no_split, sizeof(out->no_split));
    return OPN_OK;
}

// The caller frees class_size and split, even on failure.
static opn_status describe(opine_app *app, const opn_graph *graph, description *out)
{
    opn_status status = opn_graph_describe(app->ctx, graph, &out->info);
    if (status == OPN_OK)
        status = opn_graph_hash(app->ctx, graph, out->hash);
    if (status == OPN_OK)
        status = draw_split(app, graph, out);
    out->class_size = calloc((size_t)opn_graph_n_classes(graph) + 1, sizeof(int32_t));
    if (out->class_size != NULL)
        opn_graph_class_sizes(graph, out->class_size);
    return out->class_size == NULL ? out_of_memory(app) : status;
}

static json_t *classes_as_json(const opn_graph *graph, const description *found)
{
    json_t *classes = json_array();
    char number[12];
    for (int32_t k = 0; k < opn_graph_n_classes(graph); k++) {
        json_t *one = json_object();
        put_json(one, "name", json_string(opn_graph_class_name(graph, k, number)));
        put_json(one, "size", json_integer(found->class_size[k]));
        json_array_append_new(classes, one);
    }
    return classes;
}

static json_t *degrees_as_json(const opn_graph_info *info)
{
    json_t *degree = json_object();
    put_json(degree, "min", json_integer(info->min_degree));
    put_json(degree, "median", json_integer(info->median_degree));
    put_json(degree, "mean", json_real(info->mean_degree));
    put_json(degree, "max", json_integer(info->max_degree));
    return degree;
}

static json_t *empty_classes_as_json(const opn_graph *graph, const description *found)
{
    json_t *names = json_array();
    char number[12];
    for (int32_t k = 0; k < opn_graph_n_classes(graph); k++)
        if (found->class_size[k] == 0)
            json_array_append_new(names,
                                  json_string(opn_graph_class_name(graph, k, number)));
    return names;
}

static json_t *split_as_json(const opn_split *split)
{
    if (split == NULL)
        return json_null();
    json_t *counts = json_object();
    for (int r = 0; r < OPN_N_ROLES; r++)
        put_json(counts, opn_role_name((opn_role)r),
                 json_integer(opn_split_count(split, (opn_role)r)));
    put_json(counts, "origin", json_string(opn_split_origin(split)));
    return counts;
}

static json_t *notes_as_json(const opn_graph *graph)
{
    json_t *notes = json_array();
    for (int64_t n = 0; n < opn_graph_note_count(graph); n++)
        json_array_append_new(notes, json_string(opn_graph_note(graph, n)));
    return notes;
}

static int show_as_json(const opn_graph *graph, const description *found)
{
    const opn_graph_info *info = &found->info;
    json_t *document = json_object();
    put_json(document, "name", json_string(opn_graph_name(graph)));
    put_json(document, "source", json_string(opn_graph_source(graph)));
    put_json(document, "notes", notes_as_json(graph));
    put_json(document, "nodes", json_integer(info->n_nodes));
    put_json(document, "edges", json_integer(info->n_edges));
    put_json(document, "labelled_edges", json_integer(info->n_labelled_edges));
    put_json(document, "features", json_integer(info->n_features));
    put_json(document, "feature_entries", json_integer(info->n_feature_entries));
    put_json(document, "classes", classes_as_json(graph, found));
    put_json(document, "empty_classes", empty_classes_as_json(graph, found));
    put_json(document, "split", split_as_json(found->split));
    put_json(document, "unlabelled", json_integer(info->n_unlabelled));
    put_json(document, "isolated", json_integer(info->n_isolated));
    put_json(document, "components", json_integer(info->n_components));
    put_json(document, "homophily", json_number(info->homophily));
    put_json(document, "adjusted_homophily", json_number(info->adjusted_homophily));
    put_json(document, "degree", degrees_as_json(info));
    put_json(document, "hash", json_string(found->hash));
    put_json(document, "warnings", json_incref(found->warnings));
    return print_json(document);
}

// The names of the classes without a node, which the list of classes may not get to.
static void show_empty_classes(const opn_graph *graph, const description *found)
{
    enum { MAX_NAMED = 5 };
    const int32_t n_empty = found->info.n_empty_classes;
    int32_t n_named = 0;
    char number[12];
    printf(", of which %d %s no labelled node: ", (int)n_empty,
           n_empty == 1 ? "has" : "have");
    for (int32_t k = 0; n_named < n_empty && n_named < MAX_NAMED; k++) {
        if (found->class_size[k] > 0)
            continue;
        printf("%s", n_named++ == 0 ? "" : ", ");
        print_name(opn_graph_class_name(graph, k, number), 0);
    }
    if (n_empty > MAX_NAMED)
        printf(" and %d more", (int)n_empty - MAX_NAMED);
}

static void show_classes(const opn_graph *graph, const description *found)
{
    enum { MAX_SHOWN = 40, BAR_WIDTH = 32 };
    const int32_t n = opn_graph_n_classes(graph);
    int32_t largest = 1;
    int width = 0;
    char number[12];
    for (int32_t k = 0; k < n; k++) {
        largest = found->class_size[k] > largest ? found->class_size[k] : largest;
        const int n_name = text_columns(opn_graph_class_name(graph, k, number));
        width = n_name > width ? n_name : width;
    }
    width = width > 30 ? 30 : width;
    print_key("classes");
    printf("%d", (int)n);
    if (found->info.n_empty_classes > 0)
        show_empty_classes(graph, found);
    putchar('\n');
    for (int32_t k = 0; k < n && k < MAX_SHOWN; k++) {
        const int n_bar = (int)((int64_t)BAR_WIDTH * found->class_size[k] / largest);
        printf("  ");
        print_name(opn_graph_class_name(graph, k, number), width);
        printf("  %7d  %s%.*s%s\n", (int)found->class_size[k], style(STYLE_SECONDARY),
               n_bar, "################################", style(STYLE_PLAIN));
    }
    if (n > MAX_SHOWN)
        printf("  and %d more\n", (int)n - MAX_SHOWN);
}

static void show_split(const description *found)
{
    const opn_split *split = found->split;
    print_key("split");
    if (split == NULL) {
        printf("none; ");
        print_name(found->no_split, 0);
        putchar('\n');
        return;
    }
    // Few splits have a pool, or nodes for calibration.
    static const opn_role order[] = {OPN_ROLE_TRAIN,       OPN_ROLE_VALIDATION,
                                     OPN_ROLE_CALIBRATION, OPN_ROLE_TEST,
                                     OPN_ROLE_POOL,        OPN_ROLE_UNLABELLED};
    for (size_t r = 0; r < sizeof(order) / sizeof(order[0]); r++) {
        const int n = (int)opn_split_count(split, order[r]);
        const bool is_rare =
                order[r] == OPN_ROLE_POOL || order[r] == OPN_ROLE_CALIBRATION;
        if (n > 0 || !is_rare)
            printf("%s%s %d", r == 0 ? "" : ", ", opn_role_name(order[r]), n);
    }
    putchar('\n');
    print_key("");
    printf("%s\n", opn_split_origin(split));
}

// Where the graph is from, if its name does not say so, and how it was read.
static void show_source(const opn_graph *graph)
{
    const char *source = opn_graph_source(graph);
    if (source[0] != 0 && strcmp(source, opn_graph_name(graph)) != 0) {
        print_key("source");
        print_name(source, 0);
        putchar('\n');
    }
    for (int64_t n = 0; n < opn_graph_note_count(graph); n++) {
        print_key(n == 0 ? "notes" : "");
        print_name(opn_graph_note(graph, n), 0);
        putchar('\n');
    }
}

static void show_warnings(const description *found)
{
    for (size_t w = 0; w < json_array_size(found->warnings); w++) {
        const json_t *one = json_array_get(found->warnings, w);
        const char *message = json_string_value(json_object_get(one, "message"));
        print_key(w == 0 ? "warnings" : "");
        print_name(message != NULL ? message : "?", 0);
        putchar('\n');
    }
}

static void show_edges(const opn_graph_info *info)
{
    print_key("edges");
    printf("%lld %s%s", (long long)info->n_edges,
           info->is_undirected ? "undirected" : "as in the file",
           info->is_weighted ? ", weighted" : "");
    if (!info->is_undirected)
        printf(" (%lld self-loops, %lld repeated)", (long long)info->n_self_loops,
               (long long)info->n_repeated);
    putchar('\n');
    print_key("degree");
    printf("mean %.2f, median %d, from %d to %d\n", info->mean_degree,
           (int)info->median_degree, (int)info->min_degree, (int)info->max_degree);
    print_key("components");
    printf("%d, the largest with %d node%s\n", (int)info->n_components,
           (int)info->largest_component, info->largest_component == 1 ? "" : "s");
    print_key("homophily");
    if (isnan(info->homophily))
        printf("unknown; no edge joins two labelled nodes\n");
    else
        printf("%.3f of the edges join nodes of the same class\n", info->homophily);
    if (isnan(info->adjusted_homophily))
        return;
    print_key("");
    printf("%.3f adjusted for chance, which would give 0\n", info->adjusted_homophily);
}

static void show_as_text(const opn_graph *graph, const description *found)
{
    const opn_graph_info *info = &found->info;
    print_key("name");
    print_name(opn_graph_name(graph), 0);
    putchar('\n');
    show_source(graph);
    print_key("nodes");
    printf("%d, of which %d isolated and %d unlabelled\n", (int)info->n_nodes,
           (int)info->n_isolated, (int)info->n_unlabelled);
    show_edges(info);
    print_key("features");
    printf("%d, with %lld entr%s (%.1f per node)\n", (int)info->n_features,
           (long long)info->n_feature_entries, info->n_feature_entries == 1 ? "y" : "ies",
           info->n_nodes > 0 ? (double)info->n_feature_entries / info->n_nodes : 0.0);
    show_classes(graph, found);
    show_split(found);
    show_warnings(found);
    print_key("hash");
    printf("%s%s%s\n", style(STYLE_SECONDARY), found->hash, style(STYLE_PLAIN));
}

int run_data_info(opine_app *app)
{
    opn_graph *graph = NULL;
    description found = {.warnings = json_array()};
    int code = EXIT_DONE;
    opn_status status =
            load(app, app->argument[0], keep_warnings, found.warnings, &graph);
    if (status == OPN_OK)
        status = describe(app, graph, &found);
    terminal_clear();
    if (status != OPN_OK)
        code = complain_status(app, status);
    else if (opn_params_flag(app->params, "json"))
        code = show_as_json(graph, &found);
    else
        show_as_text(graph, &found);
    free(found.class_size);
    opn_split_free(found.split);
    json_decref(found.warnings);
    opn_graph_free(graph);
    return code;
}

// ---- convert and generate ------------------------------------------------------------

// The output path; NULL, after printing a message, if it cannot be used.
static const char *wanted_output(const opine_app *app, const char *verb)
{
    const char *path = opn_params_text(app->params, "output");
    const bool is_stream = strcmp(path, "-") == 0;
    const size_t n = strlen(path);
    const bool is_npz = n > 4 && strcmp(path + n - 4, ".npz") == 0;
    if (path[0] == 0)
        complain("%s needs -o OUT: a name that ends in .npz, or a new folder", verb);
    else if (!is_npz && looks_like_a_file(path))
        complain("%s: looks like a file, but a graph is written to a name that ends in "
                 ".npz, or to a new folder",
                 path);
    else if (is_stream && isatty(STDOUT_FILENO))
        complain("%s -o - writes .npz, a binary format; redirect it to a file or a pipe",
                 verb);
    else if (is_stream && opn_params_flag(app->params, "json"))
        complain("%s: --json and -o - would both write to standard output", verb);
    else
        return path;
    return NULL;
}

static int print_written(const char *path, const opn_graph_info *info)
{
    json_t *document = json_object();
    put_json(document, "file", json_string(path));
    put_json(document, "nodes", json_integer(info->n_nodes));
    put_json(document, "edges", json_integer(info->n_edges));
    put_json(document, "features", json_integer(info->n_features));
    put_json(document, "classes", json_integer(info->n_classes));
    return print_json(document);
}

// Says what was written, unless writing it had another status than OPN_OK.
static int
tell_written(opine_app *app, opn_status status, const opn_graph *graph, const char *path)
{
    opn_graph_info info;
    if (status == OPN_OK)
        status = opn_graph_describe(app->ctx, graph, &info);
    if (status != OPN_OK)
        return complain_status(app, status);
    if (!opn_params_flag(app->params, "quiet"))
        complain("wrote %s: %d node%s, %lld edge%s, %d feature%s, %d class%s",
                 strcmp(path, "-") == 0 ? "standard output" : path, (int)info.n_nodes,
                 info.n_nodes == 1 ? "" : "s", (long long)info.n_edges,
                 info.n_edges == 1 ? "" : "s", (int)info.n_features,
                 info.n_features == 1 ? "" : "s", (int)info.n_classes,
                 info.n_classes == 1 ? "" : "es");
    terminal_clear();
    return opn_params_flag(app->params, "json") ? print_written(path, &info) : EXIT_DONE;
}

static int save(opine_app *app, const opn_graph *graph, const char *path)
{
    return tell_written(app, opn_graph_save(app->ctx, graph, path), graph, path);
}

// Whether the graph was read from that file or folder, however the path is spelled.
static bool is_source(const opn_graph *graph, const char *path)
{
    const char *source = opn_graph_source(graph);
    struct stat from;
    struct stat to;
    const bool is_path = strchr(source, '/') != NULL; // not the name of a dataset
    return is_path && stat(source, &from) == 0 && stat(path, &to) == 0 &&
           from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

int run_data_convert(opine_app *app)
{
    opn_graph *graph = NULL;
    int code = EXIT_USAGE;
    const char *path = wanted_output(app, "data convert");
    if (path == NULL)
        return EXIT_USAGE;
    const opn_status status =
            opn_graph_load_prepared(app->ctx, app->argument[0], app->params, &graph);
    if (status != OPN_OK)
        code = complain_status(app, status);
    else if (is_source(graph, path))
        complain("data convert: -o %s would overwrite its input; name another file or "
                 "folder",
                 path);
    else
        code = save(app, graph, path);
    opn_graph_free(graph);
    return code;
}

int run_data_shard(opine_app *app)
{
    opn_graph *graph = NULL;
    const char *path = opn_params_text(app->params, "output");
    const int32_t n_blocks = (int32_t)opn_params_int(app->params, "blocks");
    if (path[0] == 0 || strcmp(path, "-") == 0) {
        complain("data shard needs -o FOLDER: a new folder to write the blocks to");
        return EXIT_USAGE;
    }
    opn_status status =
            opn_graph_load_prepared(app->ctx, app->argument[0], app->params, &graph);
    if (status == OPN_OK)
        status = opn_graph_save_shards(app->ctx, graph, n_blocks, path);
    const int code = tell_written(app, status, graph, path);
    opn_graph_free(graph);
    return code;
}

int run_data_generate(opine_app *app)
{
    opn_graph *graph = NULL;
    const char *path = wanted_output(app, "data generate");
    if (path == NULL)
        return EXIT_USAGE;
    const opn_status status = opn_graph_generate(app->ctx, app->params, &graph);
    const int code =
            status == OPN_OK ? save(app, graph, path) : complain_status(app, status);
    opn_graph_free(graph);
    return code;
}
