// load_fuzz.h -- what the fuzz targets of the loaders share: files made of the input, and
// everything that is done with a graph once it is loaded.

#ifndef OPN_LOAD_FUZZ_H
#define OPN_LOAD_FUZZ_H

#include "graph/graph_data.h"
#include "opine/opine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUZZ_PATH = 512 };

// ---- files ---------------------------------------------------------------------------

static char fuzz_folder[FUZZ_PATH]; // in memory where that can be had
static const char *const *fuzz_names;
static size_t fuzz_n_names;

static inline void fuzz_check(bool holds)
{
    if (!holds)
        abort();
}

static inline const char *fuzz_path(char path[FUZZ_PATH], const char *name)
{
    const int n = snprintf(path, FUZZ_PATH, "%.200s/%.200s", fuzz_folder, name);
    fuzz_check(n > 0 && n < FUZZ_PATH);
    return path;
}

static inline void fuzz_remove_folder(void)
{
    char path[FUZZ_PATH];
    for (size_t f = 0; f < fuzz_n_names; f++)
        (void)unlink(fuzz_path(path, fuzz_names[f]));
    (void)unlink(fuzz_path(path, "saved.npz"));
    (void)rmdir(fuzz_folder);
}

// Makes the folder on the first call; it goes away with the process.
static inline void fuzz_open_folder(const char *const *names, size_t n_names)
{
    static const char shared_memory[] = "/dev/shm";
    if (fuzz_folder[0] != 0)
        return;
    const char *root = getenv("TMPDIR");
    if (root == NULL || root[0] == 0)
        root = access(shared_memory, W_OK) == 0 ? shared_memory : "/tmp";
    snprintf(fuzz_folder, sizeof(fuzz_folder), "%.200s/opine_fuzz.XXXXXX", root);
    fuzz_check(mkdtemp(fuzz_folder) != NULL);
    fuzz_names = names;
    fuzz_n_names = n_names;
    fuzz_check(atexit(fuzz_remove_folder) == 0);
}

static inline void fuzz_write_file(const char *name, const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    FILE *file = fopen(fuzz_path(path, name), "wb");
    fuzz_check(file != NULL);
    fuzz_check(size == 0 || fwrite(data, 1, size, file) == size);
    fuzz_check(fclose(file) == 0);
}

// 0xFF is in no text and in few numbers.
static const char fuzz_separator[] = "\xFF--";

// Where the file that begins at `start` ends.
static inline size_t fuzz_file_end(const uint8_t *data, size_t size, size_t start)
{
    const size_t n = strlen(fuzz_separator);
    for (size_t at = start; at + n <= size; at++)
        if (memcmp(data + at, fuzz_separator, n) == 0)
            return at;
    return size;
}

// Cuts the input into the files. A single NUL stands for a file that is not there, as do
// those the input does not reach.
static inline void fuzz_write_files(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    size_t start = 0;
    for (size_t f = 0; f < fuzz_n_names; f++) {
        (void)unlink(fuzz_path(path, fuzz_names[f]));
        if (start > size)
            continue;
        const size_t end = fuzz_file_end(data, size, start);
        if (end - start != 1 || data[start] != '\0')
            fuzz_write_file(fuzz_names[f], data + start, end - start);
        start = end < size ? end + strlen(fuzz_separator) : size + 1;
    }
}

// ---- graphs --------------------------------------------------------------------------

static inline void fuzz_check_csr(const opn_i_csr *csr)
{
    const opn_off n = opn_i_csr_n_entries(csr);
    fuzz_check(csr->row_ptr[0] == 0);
    for (int32_t i = 0; i < csr->n_rows; i++)
        fuzz_check(csr->row_ptr[i] <= csr->row_ptr[i + 1]);
    for (opn_off e = 0; e < n; e++) {
        fuzz_check(csr->col_idx[e] >= 0 && csr->col_idx[e] < csr->n_cols);
        fuzz_check(csr->value == NULL || isfinite((double)csr->value[e]));
    }
}

static inline void fuzz_check_graph(opn_ctx *ctx, const opn_graph *graph)
{
    opn_graph_info info;
    const opn_vid n_nodes = opn_graph_n_nodes(graph);
    fuzz_check(n_nodes > 0 && graph->features.n_rows == n_nodes);
    fuzz_check_csr(&graph->topology);
    if (graph->features.dense == NULL)
        fuzz_check_csr(&graph->features.lists);
    for (opn_vid i = 0; i < n_nodes; i++) {
        fuzz_check(graph->label[i] >= -1 && graph->label[i] < graph->n_classes);
        if (graph->given_role != NULL)
            fuzz_check(graph->given_role[i] < OPN_N_ROLES);
    }
    fuzz_check(opn_graph_describe(ctx, graph, &info) == OPN_OK);
}

static inline void fuzz_prepare(opn_ctx *ctx, const opn_graph *graph, uint32_t steps)
{
    opn_graph *prepared = NULL;
    const opn_status status = opn_graph_prepare(ctx, graph, steps, &prepared);
    fuzz_check(status == OPN_OK || status == OPN_ERR_NONFINITE);
    if (status == OPN_OK)
        fuzz_check_graph(ctx, prepared);
    opn_graph_free(prepared);
}

static inline void fuzz_prepare_all_ways(opn_ctx *ctx, const opn_graph *graph)
{
    const uint32_t steps = OPN_STEP_UNDIRECTED | OPN_STEP_LARGEST_COMPONENT;
    fuzz_prepare(ctx, graph, opn_graph_usual_steps(graph));
    fuzz_prepare(ctx, graph, OPN_STEP_UNDIRECTED | OPN_STEP_ROW_NORMALISE);
    fuzz_prepare(ctx, graph, steps | OPN_STEP_BINARY_FEATURES | OPN_STEP_ROW_NORMALISE);
    if ((int64_t)opn_graph_n_nodes(graph) * opn_graph_n_features(graph) < 1 << 20)
        fuzz_prepare(ctx, graph, steps | OPN_STEP_STANDARDISE); // makes features dense
}

static inline void fuzz_split(opn_ctx *ctx, const opn_graph *graph)
{
    opn_split *split = NULL;
    const opn_status status =
            opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 1, NULL, 0, &split);
    fuzz_check(status == OPN_OK || status == OPN_ERR_INVALID_ARG ||
               status == OPN_ERR_SHAPE);
    for (opn_vid i = 0; split != NULL && i < opn_graph_n_nodes(graph); i++)
        fuzz_check(opn_split_roles(split)[i] > OPN_ROLE_VALIDATION ||
                   graph->label[i] >= 0);
    opn_split_free(split);
}

// What was loaded can be saved, and is the same when it comes back.
static inline void fuzz_save(opn_ctx *ctx, const opn_graph *graph)
{
    char path[FUZZ_PATH];
    char before[65];
    char after[65];
    opn_graph *again = NULL;
    fuzz_check(opn_graph_hash(ctx, graph, before) == OPN_OK);
    fuzz_check(opn_graph_save(ctx, graph, fuzz_path(path, "saved.npz")) == OPN_OK);
    if (opn_graph_load(ctx, path, NULL, &again) != OPN_OK) {
        fprintf(stderr, "%s\n", opn_ctx_error(ctx));
        abort();
    }
    fuzz_check(opn_graph_hash(ctx, again, after) == OPN_OK);
    fuzz_check(strcmp(before, after) == 0);
    opn_graph_free(again);
}

static inline bool fuzz_blames_input(opn_status status)
{
    return status == OPN_ERR_READ || status == OPN_ERR_FORMAT ||
           status == OPN_ERR_UNSUPPORTED || status == OPN_ERR_OVERFLOW ||
           status == OPN_ERR_SHAPE;
}

// Loads what was written: a graph that can be used, or an error that blames the input.
static inline void fuzz_load(const char *data)
{
    opn_ctx *ctx = NULL;
    opn_graph *graph = NULL;
    fuzz_check(opn_ctx_create(NULL, &ctx) == OPN_OK);
    const opn_status status = opn_graph_load(ctx, data, NULL, &graph);
    fuzz_check((status == OPN_OK) == (graph != NULL));
    fuzz_check(status == OPN_OK || fuzz_blames_input(status));
    if (status != OPN_OK) {
        fuzz_check(strncmp(opn_ctx_error(ctx), fuzz_folder, strlen(fuzz_folder)) == 0);
    } else {
        fuzz_check_graph(ctx, graph);
        fuzz_prepare_all_ways(ctx, graph);
        fuzz_split(ctx, graph);
        fuzz_save(ctx, graph);
    }
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

#endif // OPN_LOAD_FUZZ_H
