// npz_beside.c -- labels, and features beside a matrix that scipy.sparse.save_npz()
// wrote.
//
// Such a file holds nothing but the matrix. For NAME.npz the labels are in NAME_labels,
// NAME.labels or labels in the same folder, as .npy, .csv or .txt, and the features, if
// there are any, in NAME_features, NAME.features or features as .npy or .npz.

#include "data/npz_reader.h"
#include "graph/sparse_input.h"
#include "io/csv.h"
#include "io/path.h"

#include <stdio.h>
#include <string.h>

static const char *const label_endings[] = {".npy", ".csv", ".txt", NULL};
static const char *const feature_endings[] = {".npy", ".npz", NULL};

// ---- finding files -------------------------------------------------------------------

// Length of the path without .npz, and of its folder with the final slash.
static size_t stem_length(const char *path)
{
    const size_t n = strlen(path);
    return opn_i_path_ends_in(path, ".npz") ? n - 4 : n;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

// The path of the first file beside the archive that is called so; NULL if there is none.
static opn_status find_beside(const opn_i_npz_reader *reader,
                              const char *word,
                              const char *const *endings,
                              char **out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const char *path = reader->path;
    const struct {
        size_t n_kept; // characters of the path
        const char *between;
    } starts[] = {{stem_length(path), "_"},
                  {stem_length(path), "."},
                  {folder_length(path), ""}};
    const size_t room = strlen(path) + strlen(word) + 8;
    char *made = NULL;
    OPN_TRY_NEW(ctx, made, room);
    for (size_t s = 0; s < sizeof(starts) / sizeof(starts[0]); s++) {
        for (const char *const *ending = endings; *ending != NULL; ending++) {
            snprintf(made, room, "%.*s%s%s%s", (int)starts[s].n_kept, path,
                     starts[s].between, word, *ending);
            if (opn_i_file_exists(made)) {
                *out = made;
                return OPN_OK;
            }
        }
    }
    *out = NULL;
cleanup:
    opn_i_release(&ctx->alloc, made);
    return status;
}

static void set_what(opn_i_npz_input *input, const char *path)
{
    snprintf(input->what, sizeof(input->what), "%s", path);
}

static opn_status open_npy(opn_ctx *ctx, const char *path, opn_i_npz_input *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    set_what(out, path);
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_npy_value_read(ctx, path, &bytes, &out->value));
cleanup:
    return status;
}

// ---- labels --------------------------------------------------------------------------

static bool is_header(const opn_i_csv_field *field)
{
    static const char *const words[] = {"label", "labels", "class", "y"};
    for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
        if (strcmp(field->text, words[w]) == 0)
            return true;
    return false;
}

// One label on each line, in the order of the nodes; an empty line means unlabelled.
static opn_status read_lines(opn_ctx *ctx, const char *path, opn_i_npz_input *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_csv rows = {0};
    bool has_row = false;
    set_what(out, path);
    out->is_lines = true;
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_csv_open(ctx, path, &bytes, ',', &rows));
    OPN_TRY(opn_i_csv_next(ctx, &rows, &has_row));
    if (has_row && rows.n_fields == 1 && is_header(&rows.field[0]))
        OPN_TRY(opn_i_csv_next(ctx, &rows, &has_row));
    while (has_row) {
        OPN_FAIL_IF(
                ctx, rows.n_fields != 1, OPN_ERR_FORMAT,
                "%s:%zu: %zu fields, expected one label on each line, in the order of "
                "the nodes",
                path, rows.line, rows.n_fields);
        OPN_TRY(opn_i_names_add(ctx, &out->lines, rows.field[0].text,
                                rows.field[0].n_chars));
        OPN_TRY(opn_i_csv_next(ctx, &rows, &has_row));
    }
cleanup:
    opn_i_csv_close(ctx, &rows);
    return status;
}

static opn_status open_labels_beside(opn_i_npz_reader *reader, opn_i_npz_input *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const char *base = opn_i_base_name(reader->path);
    const int n_stem = (int)stem_length(base);
    char *path = NULL;
    if (reader->has_folder)
        OPN_TRY(find_beside(reader, "labels", label_endings, &path));
    out->is_none = path == NULL;
    if (reader->has_folder && path == NULL)
        OPN_TRY(opn_i_graph_note(
                ctx, reader->graph,
                "there is neither %.*s_labels.npy, %.*s.labels.npy nor labels.npy, nor one "
                "of them as .csv or .txt",
                n_stem, base, n_stem, base));
    if (path == NULL)
        goto cleanup;
    status = opn_i_path_ends_in(path, ".npy") ? open_npy(ctx, path, out)
                                              : read_lines(ctx, path, out);
    OPN_TRY(status);
    OPN_TRY(opn_i_graph_note(ctx, reader->graph, "the labels are read from %s",
                             opn_i_base_name(path)));
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

// The number of labels is the number of nodes, so it must not exceed the bytes there are.
static opn_status check_labels(opn_ctx *ctx, const opn_i_npz_input *labels)
{
    opn_status status = OPN_OK;
    const opn_i_npy_value *value = &labels->value;
    OPN_FAIL_IF(ctx, value->sparse != NULL && value->sparse->layout != OPN_SPARSE_ROWS,
                OPN_ERR_FORMAT,
                "%s: a matrix that is not stored by rows; save one-hot labels as "
                "csr_matrix",
                labels->what);
    OPN_FAIL_IF(ctx, value->n_dims == 2 && value->shape[1] == 0, OPN_ERR_FORMAT,
                "%s: one-hot labels without a column", labels->what);
cleanup:
    return status;
}

opn_status opn_i_npz_open_labels(opn_i_npz_reader *reader, opn_i_npz_input *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const opn_i_npz_name *adjacency = reader->found[OPN_NPZ_ADJACENCY];
    const opn_i_npz_name *name = reader->found[OPN_NPZ_LABELS];
    char names[256];
    if (name != NULL)
        OPN_TRY(opn_i_npz_open(reader, name->name, out));
    else if (opn_i_npz_is_lone(adjacency))
        OPN_TRY(open_labels_beside(reader, out));
    else
        out->is_none = true;
    if (out->is_none)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: no node has a label; labels are known by the names %s",
                  reader->path, opn_i_npz_list_names(OPN_NPZ_LABELS, names));
    else
        OPN_TRY(check_labels(ctx, out));
cleanup:
    return status;
}

// ---- features ------------------------------------------------------------------------

// Reads the features of an archive that holds only them.
static opn_status read_archive(opn_i_npz_reader *reader,
                               const char *path,
                               const opn_i_npz_rows *rows,
                               char what[OPN_ZIP_WHAT_ROOM])
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_i_bytes bytes = {0};
    opn_i_zip *zip = NULL;
    static const opn_i_npz_name lone = {.name = "", .flags = OPN_NPZ_SPARSE};
    opn_i_npz_reader inner = {.ctx = ctx, .path = path};
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_zip_open_file(ctx, path, &bytes, &zip));
    inner.zip = zip;
    OPN_TRY(opn_i_npz_read_features(&inner, &lone, rows, what, &reader->graph->features));
cleanup:
    opn_i_zip_close(zip);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

opn_status opn_i_npz_read_features_beside(opn_i_npz_reader *reader, bool *found)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_graph *graph = reader->graph;
    const opn_i_npz_rows rows = {.n_nodes = opn_i_graph_n_nodes(graph)};
    opn_i_npz_input input = {0};
    char *path = NULL;
    OPN_TRY(find_beside(reader, "features", feature_endings, &path));
    *found = path != NULL;
    if (!*found)
        goto cleanup;
    if (opn_i_path_ends_in(path, ".npz")) {
        OPN_TRY(read_archive(reader, path, &rows, input.what));
    } else {
        OPN_TRY(open_npy(ctx, path, &input));
        OPN_TRY(opn_i_npz_input_features(ctx, &input, &rows, &graph->features));
    }
    OPN_TRY(opn_i_features_tidy(ctx, input.what, &graph->features));
    OPN_TRY(opn_i_graph_note(ctx, graph, "the features are read from %s",
                             opn_i_base_name(path)));
cleanup:
    opn_i_npz_input_release(ctx, &input);
    opn_i_release(&ctx->alloc, path);
    return status;
}
