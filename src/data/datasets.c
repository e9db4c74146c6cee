// datasets.c -- the datasets known by name, where they are stored, and which reader a
// path needs.

#include "data/data_folder.h"
#include "data/loaders.h"
#include "graph/generate.h"
#include "io/bytes.h"
#include "io/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The embedded graph is one sample of the generator with its default parameters, about as
// hard as a citation graph: docs/file-formats.md gives the figures.
static const opn_i_block_params demo_params = {
        .n_nodes = 2500,
        .n_classes = 6,
        .n_features = 1000,
        .mean_degree = 4.0,
        .homophily = 0.8,
        .mean_words = 18.0,
        .topic_overlap = 0.5,
        .label_noise = 0.0,
        .seed = 2020,
};

static const uint32_t benchmark_steps =
        OPN_STEP_UNDIRECTED | OPN_STEP_LARGEST_COMPONENT | OPN_STEP_BINARY_FEATURES;

typedef opn_status load_fn(opn_ctx *ctx, const char *path, opn_graph **out);

static const opn_dataset datasets[] = {
        {"demo", NULL, "built-in block model with bag-of-words features", 4},
        {"cora", "planetoid/ind.cora", "citations between papers on machine learning", 4},
        {"citeseer", "planetoid/ind.citeseer", "citations in computer science", 3},
        {"pubmed", "planetoid/ind.pubmed", "citations between papers on diabetes", 2},
        {"photo", "gnn-benchmark/amazon_electronics_photo.npz", "cameras bought together",
         4},
        {"computers", "gnn-benchmark/amazon_electronics_computers.npz",
         "computers bought together", 5},
        {"physics", "gnn-benchmark/ms_academic_phy.npz", "co-authors in physics", 3},
        {"mnist", "images/mnist/train-images-idx3-ubyte.gz", "images of written digits",
         5},
        {"fashion-mnist", "images/fashion-mnist/train-images-idx3-ubyte.gz",
         "images of clothes", 5},
};

enum { N_DATASETS = sizeof(datasets) / sizeof(datasets[0]) };

size_t opn_dataset_count(void)
{
    return N_DATASETS;
}

const opn_dataset *opn_dataset_at(size_t i)
{
    return i < N_DATASETS ? &datasets[i] : NULL;
}

// Whether there is data at that path: a file, or for Planetoid a prefix of file names.
static opn_status exists(opn_ctx *ctx, const char *path, bool *found)
{
    opn_status status = OPN_OK;
    char *graph_path = NULL;
    char *allx_path = NULL;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, ".graph", &graph_path));
    OPN_TRY(opn_i_join_path(ctx, NULL, path, ".allx", &allx_path));
    // Either is enough: the loader then names any missing file.
    *found = opn_i_file_exists(path) || opn_i_file_exists(graph_path) ||
             opn_i_file_exists(allx_path);
cleanup:
    opn_i_release(&ctx->alloc, graph_path);
    opn_i_release(&ctx->alloc, allx_path);
    return status;
}

// Path of the dataset's file in the first folder that has it; NULL if none does.
static opn_status
find_file(opn_ctx *ctx, const opn_dataset *dataset, const char *data_dir, char **out)
{
    opn_status status = OPN_OK;
    char *home = NULL;
    char *path = NULL;
    bool found = false;
    OPN_TRY(opn_i_user_data_folder(ctx, &home));
    const char *const folders[] = {data_dir, getenv("OPINE_DATA"), home};
    for (size_t f = 0; f < 3 && !found; f++) {
        if (folders[f] == NULL || folders[f][0] == 0)
            continue;
        opn_i_release(&ctx->alloc, path);
        path = NULL;
        OPN_TRY(opn_i_join_path(ctx, folders[f], dataset->file, "", &path));
        OPN_TRY(exists(ctx, path, &found));
    }
    *out = found ? path : NULL;
    path = found ? NULL : path;
cleanup:
    opn_i_release(&ctx->alloc, home);
    opn_i_release(&ctx->alloc, path);
    return status;
}

opn_status opn_dataset_find(opn_ctx *ctx,
                            const opn_dataset *dataset,
                            const char *data_dir,
                            int *found)
{
    OPN_REJECT_NULL(ctx, dataset, found);
    opn_status status = OPN_OK;
    char *path = NULL;
    if (dataset->file != NULL)
        OPN_TRY(find_file(ctx, dataset, data_dir, &path));
    *found = dataset->file == NULL || path != NULL;
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

const opn_dataset *opn_i_dataset_called(const char *name)
{
    for (size_t d = 0; d < N_DATASETS; d++)
        if (strcmp(datasets[d].name, name) == 0)
            return &datasets[d];
    return NULL;
}

// The dataset that a misspelt name probably means, or NULL; a path means none.
static const char *dataset_near(const char *name)
{
    const char *names[N_DATASETS];
    for (size_t d = 0; d < N_DATASETS; d++)
        names[d] = datasets[d].name;
    return strpbrk(name, "/.") != NULL ? NULL : opn_text_nearest(name, names, N_DATASETS);
}

static opn_status load_named(opn_ctx *ctx,
                             const opn_dataset *dataset,
                             const char *data_dir,
                             opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    char *path = NULL;
    if (dataset->file == NULL) {
        OPN_TRY(opn_i_generate(ctx, dataset->name, &demo_params, &graph));
        graph->usual_split = OPN_SPLIT_SAMPLED;
    } else {
        const bool is_npz = opn_i_path_ends_in(dataset->file, ".npz");
        load_fn *load = is_npz                             ? opn_i_load_npz
                        : opn_i_path_is_idx(dataset->file) ? opn_i_load_idx
                                                           : opn_i_load_planetoid;
        OPN_TRY(find_file(ctx, dataset, data_dir, &path));
        OPN_FAIL_IF(
                ctx, path == NULL, OPN_ERR_READ,
                "%s: %s is not in the data folder; name the folder with `data_dir` or "
                "$OPINE_DATA, or fetch the dataset",
                dataset->name, dataset->file);
        OPN_TRY(load(ctx, path, &graph));
        OPN_TRY(opn_i_graph_rename(ctx, graph, dataset->name, strlen(dataset->name)));
        if (is_npz) {
            graph->usual_steps = benchmark_steps;
            graph->usual_split = OPN_SPLIT_SAMPLED;
        }
    }
    // The paper has no settings for images, which are treated like a user's own data.
    graph->dataset = graph->image_width > 0 ? NULL : dataset;
    graph->is_loaded = true;
    OPN_TRY(opn_i_graph_set_source(ctx, graph, dataset->name));
    *out = graph;
    graph = NULL;
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_graph_free(graph);
    return status;
}

// A user's own data is named after the last part of its path, without .npz, .txt.gz and
// the like, and trailing slashes.
static opn_status name_by_path(opn_ctx *ctx, opn_graph *graph, const char *path)
{
    static const char *const endings[] = {".gz",  ".npz",     ".txt",   ".csv",
                                          ".tsv", ".graphml", ".shards"};
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    for (size_t e = 0; e < sizeof(endings) / sizeof(endings[0]); e++) {
        const size_t n = strlen(endings[e]);
        if (end - start > n && memcmp(path + end - n, endings[e], n) == 0)
            end -= n;
    }
    return opn_i_graph_rename(ctx, graph, path + start, end - start);
}

// Remembers where the files are, wherever the program is started next time.
static opn_status keep_path(opn_ctx *ctx, opn_graph *graph, const char *path)
{
    opn_status status = OPN_OK;
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *absolute = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, path, "", &absolute));
    OPN_TRY(opn_i_graph_set_source(ctx, graph, absolute));
cleanup:
    opn_i_release(&ctx->alloc, absolute);
    free(folder);
    return status;
}

static const char *list_datasets(char *out, size_t room)
{
    size_t n = 0;
    for (size_t d = 0; d < opn_dataset_count() && n < room; d++)
        n += (size_t)snprintf(out + n, room - n, "%s%s", d > 0 ? ", " : "",
                              opn_dataset_at(d)->name);
    return out;
}

// Says why nothing can be loaded from a path that is neither file nor folder.
static opn_status fail_to_find(opn_ctx *ctx, const char *data)
{
    opn_status status = OPN_OK;
    char names[128];
    struct stat info;
    const char *guess = dataset_near(data);
    // A link that leads to itself, or a path through a closed folder.
    OPN_FAIL_IF(ctx, stat(data, &info) != 0 && errno != ENOENT && errno != ENOTDIR,
                OPN_ERR_READ, "%s: cannot be opened: %s", data, strerror(errno));
    OPN_FAIL_IF(ctx, guess != NULL, OPN_ERR_READ,
                "%s: no such data; did you mean the dataset %s?", data, guess);
    OPN_FAIL_IF(
            ctx, true, OPN_ERR_READ,
            "%s: no such data; name a dataset (%s), an .npz file, a folder of CSV "
            "files, a list of edges, a GraphML file, a Planetoid prefix or IDX images",
            data, list_datasets(names, sizeof(names)));
cleanup:
    return status;
}

// Whether the file says by name what it holds of each node.
static bool has_columns(const char *path)
{
    return opn_i_path_is_edge_list(path) || opn_i_path_has_suffix(path, ".graphml");
}

// Files of graphs and tables in forms that other programs can change.
static opn_status refuse_other_forms(opn_ctx *ctx, const char *path)
{
    static const struct {
        const char *ending;
        const char *what;
        const char *advice;
    } forms[] = {
            {".gexf", "GEXF", "Gephi exports GraphML too, as NetworkX does"},
            {".gml", "GML",
             "networkx.write_graphml(networkx.read_gml(file), name) makes a GraphML file "
             "of it"},
            {".mtx", "Matrix Market",
             "scipy.sparse.save_npz(name, scipy.io.mmread(file)) makes an .npz file of it"},
            {".mat", "MATLAB",
             "scipy.io.loadmat() reads its arrays, which numpy.savez() writes"},
            {".parquet", "Parquet", "pandas writes its tables as CSV files"},
            {".xlsx", "a workbook", "save each sheet as a CSV file"},
    };
    opn_status status = OPN_OK;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
        OPN_FAIL_IF(ctx, opn_i_path_has_suffix(path, forms[f].ending),
                    OPN_ERR_UNSUPPORTED, "%s: is %s, which is not read; %s", path,
                    forms[f].what, forms[f].advice);
cleanup:
    return status;
}

// Files that are programs: reading them in the tool they are from runs what they hold.
static bool holds_code(const char *path)
{
    static const char *const endings[] = {".pt", ".pth", ".pkl", ".pickle"};
    for (size_t e = 0; e < sizeof(endings) / sizeof(endings[0]); e++)
        if (opn_i_path_ends_in(path, endings[e]))
            return true;
    return false;
}

// Loads a file, or the files of a Planetoid prefix.
static opn_status load_files(opn_ctx *ctx,
                             const char *data,
                             const opn_i_load_options *options,
                             opn_graph **out)
{
    opn_status status = OPN_OK;
    bool found = strcmp(data, "-") == 0;
    if (found)
        return opn_i_load_npz(ctx, data, out);
    OPN_TRY(exists(ctx, data, &found));
    if (!found)
        OPN_TRY(fail_to_find(ctx, data));
    OPN_FAIL_IF(ctx, holds_code(data), OPN_ERR_UNSUPPORTED,
                "%s: such files hold code that runs when they are read, and are refused; "
                "save the arrays as an .npz file, or hand them to the Python package",
                data);
    OPN_TRY(refuse_other_forms(ctx, data));
    if (opn_i_path_has_suffix(data, ".graphml"))
        return opn_i_load_graphml(ctx, data, options, out);
    if (opn_i_path_is_edge_list(data))
        return opn_i_load_edge_list(ctx, data, options, out);
    load_fn *load = !opn_i_file_exists(data)  ? opn_i_load_planetoid
                    : opn_i_path_is_idx(data) ? opn_i_load_idx
                                              : opn_i_load_npz;
    OPN_TRY(load(ctx, data, out));
cleanup:
    return status;
}

opn_status opn_i_graph_load(opn_ctx *ctx,
                            const char *data,
                            const opn_i_load_options *options,
                            opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    char *images = NULL;
    const opn_dataset *dataset = opn_i_dataset_called(data);
    bool is_folder = dataset == NULL && opn_i_folder_exists(data);
    bool is_ogb = false;
    bool is_sharded = false;
    if (is_folder) {
        OPN_TRY(opn_i_is_shards(ctx, data, &is_sharded));
        OPN_TRY(opn_i_is_ogb(ctx, data, &is_ogb));
        OPN_TRY(opn_i_folder_images(ctx, data, &images));
    }
    is_folder = is_folder && !is_ogb && !is_sharded && images == NULL;
    OPN_FAIL_IF(
            ctx,
            options->requires_label && !is_folder &&
                    (dataset != NULL || !has_columns(data)),
            OPN_ERR_INVALID_ARG,
            "`label` names a column of tables, and %s has only one label for each node",
            opn_i_input_name(data));
    OPN_FAIL_IF(ctx, ctx->is_bound && !is_sharded, OPN_ERR_UNSUPPORTED,
                "%s: several ranks share a graph that was cut into blocks, which this "
                "one is not",
                opn_i_input_name(data));
    if (dataset != NULL)
        return load_named(ctx, dataset, options->data_dir, out);
    if (is_sharded)
        OPN_TRY(opn_i_load_shards(ctx, data, &graph));
    else if (is_ogb)
        OPN_TRY(opn_i_load_ogb(ctx, data, &graph));
    else if (is_folder)
        OPN_TRY(opn_i_load_folder(ctx, data, options, &graph));
    else if (images != NULL)
        OPN_TRY(opn_i_load_idx(ctx, images, &graph));
    else
        OPN_TRY(load_files(ctx, data, options, &graph));
    OPN_TRY(name_by_path(ctx, graph, opn_i_input_name(data)));
    if (strcmp(data, "-") != 0)
        OPN_TRY(keep_path(ctx, graph, data));
    graph->is_loaded = true;
    *out = graph;
    graph = NULL;
cleanup:
    opn_i_release(&ctx->alloc, images);
    opn_graph_free(graph);
    return status;
}

opn_status
opn_graph_load(opn_ctx *ctx, const char *data, const char *data_dir, opn_graph **out)
{
    OPN_REJECT_NULL(ctx, data, out);
    const opn_i_load_options options = {.data_dir = data_dir, .label = ""};
    return opn_i_graph_load(ctx, data, &options, out);
}
