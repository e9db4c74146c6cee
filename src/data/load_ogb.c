// load_ogb.c -- loads an untouched folder of the Open Graph Benchmark for nodes: tables
// of plain numbers without a heading, gzipped or not.
//
//   raw/edge.csv         source,target
//   raw/node-feat.csv    one row of numbers for each node; may be missing
//   raw/node-label.csv   a class for each node; "nan" where there is none
//   raw/num-node-list.csv   how many nodes there are
//   split/NAME/{train,valid,test}.csv   numbers of nodes; may be missing

#include "base/number.h"
#include "data/loaders.h"
#include "io/bytes.h"
#include "io/path.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

// A table of numbers, by rows.
typedef struct table {
    char *path; // for messages
    double *value;
    size_t n, room;
    int64_t n_rows;
    int32_t n_cols;
} table;

static void release_table(opn_ctx *ctx, table *t)
{
    opn_i_release(&ctx->alloc, t->path);
    opn_i_release(&ctx->alloc, t->value);
    *t = (table){0};
}

// The path of folder/name.csv.gz, else of folder/name.csv; NULL if there is neither.
static opn_status
find_table(opn_ctx *ctx, const char *folder, const char *name, char **out)
{
    static const char *const endings[] = {".csv.gz", ".csv"};
    opn_status status = OPN_OK;
    *out = NULL;
    for (size_t e = 0; e < 2 && *out == NULL; e++) {
        char *path = NULL;
        OPN_TRY(opn_i_join_path(ctx, folder, name, endings[e], &path));
        if (opn_i_file_exists(path))
            *out = path;
        else
            opn_i_release(&ctx->alloc, path);
    }
cleanup:
    return status;
}

// One row, from `text` to `end`, whose separators become NULs; "nan" and an empty field
// are NaN.
static opn_status read_row(opn_ctx *ctx, char *text, char *end, table *t)
{
    opn_status status = OPN_OK;
    int32_t n_fields = 0;
    while (text <= end) {
        char *comma = memchr(text, ',', (size_t)(end - text));
        const size_t n = (size_t)((comma == NULL ? end : comma) - text);
        text[n] = 0; // at the end of the file there is one already
        const bool is_missing = n == 0 || (n == 3 && memcmp(text, "nan", 3) == 0);
        double value = (double)NAN;
        OPN_FAIL_IF(ctx, !is_missing && !opn_i_parse_real(text, n, &value),
                    OPN_ERR_FORMAT, "%s:%lld: \"%.*s\" is not a number", t->path,
                    (long long)t->n_rows + 1, n > 40 ? 40 : (int)n, text);
        OPN_TRY_RESERVE(ctx, t->value, t->room, t->n, t->n + 1);
        t->value[t->n++] = value;
        n_fields++;
        text += n + 1;
    }
    OPN_FAIL_IF(ctx, t->n_rows > 0 && n_fields != t->n_cols, OPN_ERR_FORMAT,
                "%s:%lld: %d numbers, where the rows before have %d", t->path,
                (long long)t->n_rows + 1, n_fields, t->n_cols);
    t->n_cols = n_fields;
    t->n_rows++;
cleanup:
    return status;
}

// Reads a table that must have n_cols columns and n_rows rows, -1 for any number. Takes
// the path.
static opn_status
read_table(opn_ctx *ctx, char *path, int64_t n_rows, int32_t n_cols, table *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    table t = {.path = path};
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    char *text = (char *)bytes.data;
    char *const end = text + bytes.n;
    while (text < end) {
        char *line_end = memchr(text, '\n', (size_t)(end - text));
        char *next = line_end == NULL ? end : line_end + 1;
        if (line_end == NULL)
            line_end = end;
        if (line_end > text && line_end[-1] == '\r')
            line_end--;
        if (line_end > text)
            OPN_TRY(read_row(ctx, text, line_end, &t));
        OPN_TRY_GO_ON_ROWS(ctx, t.n_rows, path);
        text = next;
    }
    OPN_FAIL_IF(ctx, n_cols >= 0 && t.n_rows > 0 && t.n_cols != n_cols, OPN_ERR_FORMAT,
                "%s: %d columns, where %d would be right", path, t.n_cols, n_cols);
    OPN_FAIL_IF(ctx, n_rows >= 0 && t.n_rows != n_rows, OPN_ERR_FORMAT,
                "%s: %lld rows, where %lld would be right", path, (long long)t.n_rows,
                (long long)n_rows);
    *out = t;
    t = (table){0};
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    release_table(ctx, &t);
    return status;
}

// The same of a table that must be there.
static opn_status need_table(opn_ctx *ctx,
                             const char *folder,
                             const char *name,
                             int64_t n_rows,
                             int32_t n_cols,
                             table *out)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    OPN_TRY(find_table(ctx, folder, name, &path));
    OPN_FAIL_IF(ctx, path == NULL, OPN_ERR_READ,
                "%s: has no %s.csv.gz, as folders of the Open Graph Benchmark for nodes "
                "have",
                folder, name);
    OPN_TRY(read_table(ctx, path, n_rows, n_cols, out));
cleanup:
    return status;
}

// A whole number in [0, most); fails with the row.
static opn_status
take_index(opn_ctx *ctx, const table *t, size_t at, int64_t most, int32_t *out)
{
    opn_status status = OPN_OK;
    const double value = t->value[at];
    OPN_FAIL_IF(ctx, !(value >= 0.0 && value < (double)most) || value != floor(value),
                OPN_ERR_FORMAT, "%s:%lld: %g is no whole number in [0, %lld)", t->path,
                (long long)(at / (size_t)t->n_cols) + 1, value, (long long)most);
    *out = (int32_t)value;
cleanup:
    return status;
}

// ---- parts ---------------------------------------------------------------------------

static opn_status count_nodes(opn_ctx *ctx, const char *raw, int32_t *n_nodes)
{
    opn_status status = OPN_OK;
    table t = {0};
    OPN_TRY(need_table(ctx, raw, "num-node-list", -1, 1, &t));
    OPN_FAIL_IF(ctx, t.n_rows != 1, OPN_ERR_UNSUPPORTED,
                "%s: %lld graphs; opine classifies the nodes of one", t.path,
                (long long)t.n_rows);
    OPN_TRY(take_index(ctx, &t, 0, INT32_MAX, n_nodes));
    OPN_FAIL_IF(ctx, *n_nodes < 1, OPN_ERR_FORMAT, "%s: no nodes", t.path);
cleanup:
    release_table(ctx, &t);
    return status;
}

static opn_status
read_edges(opn_ctx *ctx, const char *raw, int32_t n_nodes, opn_graph *graph)
{
    opn_status status = OPN_OK;
    table t = {0};
    int32_t *end[2] = {NULL, NULL};
    OPN_TRY(need_table(ctx, raw, "edge", -1, 2, &t));
    for (int k = 0; k < 2; k++) {
        OPN_TRY_NEW(ctx, end[k], t.n_rows);
        for (int64_t e = 0; e < t.n_rows; e++)
            OPN_TRY(take_index(ctx, &t, 2 * (size_t)e + (size_t)k, n_nodes, &end[k][e]));
    }
    OPN_TRY(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, t.n_rows, end[0], end[1], NULL,
                                   &graph->topology));
cleanup:
    release_table(ctx, &t);
    opn_i_release(&ctx->alloc, end[0]);
    opn_i_release(&ctx->alloc, end[1]);
    return status;
}

static opn_status read_features(opn_ctx *ctx, const char *raw, opn_graph *graph)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    table t = {0};
    float *value = NULL;
    char *path = NULL;
    OPN_TRY(find_table(ctx, raw, "node-feat", &path));
    if (path == NULL) {
        OPN_TRY(opn_i_csr_init(ctx, n_nodes, 0, 0, false, &graph->features.lists));
        return OPN_OK;
    }
    OPN_TRY(read_table(ctx, path, n_nodes, -1, &t));
    OPN_TRY_NEW_ROOM(ctx, value, t.n);
    for (size_t j = 0; j < t.n; j++)
        value[j] = (float)t.value[j];
    opn_i_release(&ctx->alloc, t.value); // as large as all that follows
    t.value = NULL;
    status = opn_graph_set_features(ctx, graph, t.n_cols, value);
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, t.path);
cleanup:
    release_table(ctx, &t);
    opn_i_release(&ctx->alloc, value);
    return status;
}

// Read before anything is allocated for n_nodes, which the file of labels proves.
static opn_status
read_labels(opn_ctx *ctx, const char *raw, int32_t n_nodes, opn_graph *graph)
{
    opn_status status = OPN_OK;
    table t = {0};
    OPN_TRY(need_table(ctx, raw, "node-label", n_nodes, -1, &t));
    OPN_TRY_NEW(ctx, graph->label, n_nodes);
    OPN_FAIL_IF(ctx, t.n_cols != 1, OPN_ERR_UNSUPPORTED,
                "%s: %d labels for each node; opine predicts one class", t.path,
                t.n_cols);
    for (int32_t i = 0; i < n_nodes; i++) {
        graph->label[i] = -1;
        if (!isnan(t.value[i]))
            OPN_TRY(take_index(ctx, &t, (size_t)i, n_nodes, &graph->label[i]));
        if (graph->label[i] >= graph->n_classes)
            graph->n_classes = graph->label[i] + 1;
    }
cleanup:
    release_table(ctx, &t);
    return status;
}

// ---- split ---------------------------------------------------------------------------

// The path of the only folder in `folder`; NULL if there is none.
static opn_status only_folder(opn_ctx *ctx, const char *folder, char **out)
{
    opn_status status = OPN_OK;
    DIR *listing = opendir(folder);
    char *path = NULL;
    *out = NULL;
    if (listing == NULL)
        return OPN_OK;
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        OPN_TRY(opn_i_join_path(ctx, folder, entry->d_name, "", &path));
        if (opn_i_folder_exists(path)) {
            OPN_FAIL_IF(ctx, *out != NULL, OPN_ERR_FORMAT,
                        "%s: has several splits; keep the one to use", folder);
            *out = path;
            path = NULL;
        }
        opn_i_release(&ctx->alloc, path);
        path = NULL;
    }
cleanup:
    closedir(listing);
    opn_i_release(&ctx->alloc, path);
    if (status != OPN_OK) {
        opn_i_release(&ctx->alloc, *out);
        *out = NULL;
    }
    return status;
}

static opn_status give_role(opn_ctx *ctx,
                            const char *folder,
                            const char *name,
                            uint8_t role,
                            const opn_graph *graph,
                            uint8_t *roles)
{
    opn_status status = OPN_OK;
    table t = {0};
    int32_t i = 0;
    OPN_TRY(need_table(ctx, folder, name, -1, 1, &t));
    for (size_t j = 0; j < t.n; j++) {
        OPN_TRY(take_index(ctx, &t, j, opn_i_graph_n_nodes(graph), &i));
        roles[i] = graph->label[i] < 0 ? OPN_ROLE_UNLABELLED : role;
    }
cleanup:
    release_table(ctx, &t);
    return status;
}

static opn_status read_split(opn_ctx *ctx, const char *path, opn_graph *graph)
{
    opn_status status = OPN_OK;
    static const char *const names[] = {"train", "valid", "test"};
    static const uint8_t given[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION, OPN_ROLE_TEST};
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    char *splits = NULL;
    char *folder = NULL;
    uint8_t *roles = NULL;
    OPN_TRY(opn_i_join_path(ctx, path, "split", "", &splits));
    OPN_TRY(only_folder(ctx, splits, &folder));
    if (folder != NULL) {
        OPN_TRY_NEW(ctx, roles, n_nodes);
        for (int32_t i = 0; i < n_nodes; i++)
            roles[i] = graph->label[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_POOL;
        for (int r = 0; r < 3; r++)
            OPN_TRY(give_role(ctx, folder, names[r], given[r], graph, roles));
        OPN_TRY(opn_i_graph_note(ctx, graph, "the split is that of %s", folder));
        graph->given_role = roles;
        roles = NULL;
    }
cleanup:
    opn_i_release(&ctx->alloc, splits);
    opn_i_release(&ctx->alloc, folder);
    opn_i_release(&ctx->alloc, roles);
    return status;
}

// ---- the folder ----------------------------------------------------------------------

opn_status opn_i_is_ogb(opn_ctx *ctx, const char *path, bool *found)
{
    opn_status status = OPN_OK;
    char *raw = NULL;
    char *edges = NULL;
    OPN_TRY(opn_i_join_path(ctx, path, "raw", "", &raw));
    OPN_TRY(find_table(ctx, raw, "edge", &edges));
    *found = edges != NULL;
cleanup:
    opn_i_release(&ctx->alloc, raw);
    opn_i_release(&ctx->alloc, edges);
    return status;
}

opn_status opn_i_load_ogb(opn_ctx *ctx, const char *path, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    char *raw = NULL;
    int32_t n_nodes = 0;
    OPN_TRY(opn_i_join_path(ctx, path, "raw", "", &raw));
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(path), &graph));
    OPN_TRY(count_nodes(ctx, raw, &n_nodes));
    OPN_TRY(read_labels(ctx, raw, n_nodes, graph));
    OPN_TRY(read_edges(ctx, raw, n_nodes, graph));
    OPN_TRY(read_features(ctx, raw, graph));
    OPN_TRY(read_split(ctx, path, graph));
    *out = graph;
    graph = NULL;
cleanup:
    opn_i_release(&ctx->alloc, raw);
    opn_graph_free(graph);
    return status;
}
