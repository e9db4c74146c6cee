// load_planetoid.c -- Planetoid pickles: ind.NAME.{y,tx,ty,allx,ally,graph,test.index}.
//
// allx, ally and the graph cover all nodes except those of test.index, whose rows in tx
// and ty are in the order of that file. A node in neither (Citeseer has 15) is isolated
// and has no features and no label. y has one row for each training node; these come
// first.

#include "arrays/pickle.h"
#include "data/loaders.h"
#include "graph/sparse_input.h"
#include "io/bytes.h"
#include "io/csv.h"
#include "io/path.h"

#include <string.h>

enum { N_VALIDATION = 500 };

// A pickle and the bytes it points into.
typedef struct pickle_file {
    char *path;
    opn_i_bytes bytes;
    opn_i_pickle *pickle;
} pickle_file;

typedef struct planetoid {
    pickle_file allx, tx, ally, ty, y, graph;
    opn_vid n_nodes;
    int32_t *test; // [n_test] nodes of test.index, in file order
    int32_t n_test;
    size_t test_room;
} planetoid;

static void close_file(opn_ctx *ctx, pickle_file *file)
{
    opn_i_pickle_free(file->pickle);
    opn_i_bytes_release(ctx, &file->bytes);
    opn_i_release(&ctx->alloc, file->path);
}

static void release_parts(opn_ctx *ctx, planetoid *parts)
{
    close_file(ctx, &parts->allx);
    close_file(ctx, &parts->tx);
    close_file(ctx, &parts->ally);
    close_file(ctx, &parts->ty);
    close_file(ctx, &parts->y);
    close_file(ctx, &parts->graph);
    opn_i_release(&ctx->alloc, parts->test);
}

static opn_status open_file(opn_ctx *ctx,
                            const char *prefix,
                            const char *suffix,
                            opn_i_pickle_kind kind,
                            const char *kind_name,
                            pickle_file *file)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_join_path(ctx, NULL, prefix, suffix, &file->path));
    OPN_TRY(opn_i_regular_file_read(ctx, file->path, &file->bytes));
    OPN_TRY(opn_i_pickle_load(ctx, file->path, file->bytes.data, file->bytes.n,
                              &file->pickle));
    const opn_i_pickle_kind found = opn_i_pickle_root(file->pickle)->kind;
    OPN_FAIL_IF(ctx, found != kind, OPN_ERR_FORMAT, "%s: holds %s, expected %s",
                file->path, opn_i_pickle_kind_name(found), kind_name);
cleanup:
    return status;
}

// ---- features ------------------------------------------------------------------------

static opn_status read_matrix(opn_ctx *ctx, const pickle_file *file, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_i_pickle_sparse *sparse = opn_i_pickle_root(file->pickle)->as.sparse;
    OPN_FAIL_IF(ctx, sparse->layout != OPN_SPARSE_ROWS, OPN_ERR_FORMAT,
                "%s: the matrix is not stored by rows; save it as csr_matrix",
                file->path);
    const opn_i_sparse_input input = {
            .n_rows = sparse->shape[0],
            .n_cols = sparse->shape[1],
            .indptr = sparse->indptr,
            .indices = sparse->indices,
            .data = sparse->data,
            .indptr_name = file->path,
            .indices_name = file->path,
            .data_name = file->path,
    };
    OPN_TRY(opn_i_sparse_input_read(ctx, &input, out));
cleanup:
    return status;
}

// For each node, its row in `all`, which is allx, tx and one empty row stacked.
static opn_status
source_rows(opn_ctx *ctx, const planetoid *parts, int32_t n_allx, int32_t **out)
{
    opn_status status = OPN_OK;
    int32_t *source = NULL;
    OPN_TRY_NEW(ctx, source, parts->n_nodes);
    for (opn_vid i = 0; i < parts->n_nodes; i++)
        source[i] = i < n_allx ? i : n_allx + parts->n_test;
    for (int32_t t = 0; t < parts->n_test; t++)
        source[parts->test[t]] = n_allx + t;
    *out = source;
cleanup:
    return status;
}

static opn_status read_features(opn_ctx *ctx, const planetoid *parts, opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_i_csr allx = {0};
    opn_i_csr tx = {0};
    opn_i_csr all = {0};
    int32_t *source = NULL;
    OPN_TRY(read_matrix(ctx, &parts->allx, &allx));
    OPN_TRY(read_matrix(ctx, &parts->tx, &tx));
    OPN_FAIL_IF(ctx, tx.n_cols != allx.n_cols, OPN_ERR_FORMAT,
                "%s: %d features, but %s has %d", parts->tx.path, tx.n_cols,
                parts->allx.path, allx.n_cols);
    OPN_TRY(opn_i_csr_stack(ctx, &allx, &tx, 1, &all));
    OPN_TRY(source_rows(ctx, parts, allx.n_rows, &source));
    OPN_TRY(opn_i_csr_take_rows(ctx, &all, source, parts->n_nodes, &out->lists));
    OPN_TRY(opn_i_features_tidy(ctx, parts->allx.path, out));
cleanup:
    opn_i_release(&ctx->alloc, source);
    opn_i_csr_deinit(&ctx->alloc, &allx);
    opn_i_csr_deinit(&ctx->alloc, &tx);
    opn_i_csr_deinit(&ctx->alloc, &all);
    return status;
}

// ---- labels --------------------------------------------------------------------------

static const opn_i_ndarray *array_of(const pickle_file *file)
{
    return opn_i_pickle_root(file->pickle)->as.array;
}

// The class whose column is 1 in each row of a one-hot matrix; -1 where all are 0.
static opn_status read_one_hot(opn_ctx *ctx, const pickle_file *file, int32_t *label)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray *array = array_of(file);
    int32_t *dense = NULL;
    OPN_TRY_NEW(ctx, dense, array->n_items);
    OPN_TRY(opn_i_ndarray_to_i32(ctx, file->path, array, dense));
    for (int64_t i = 0; i < array->shape[0]; i++) {
        const int32_t *row = dense + i * array->shape[1];
        label[i] = -1;
        for (int32_t k = 0; k < array->shape[1]; k++) {
            OPN_FAIL_IF(ctx, row[k] != 0 && (row[k] != 1 || label[i] >= 0),
                        OPN_ERR_FORMAT,
                        "%s: row %lld is not one-hot: expected a single 1", file->path,
                        (long long)i);
            if (row[k] == 1)
                label[i] = k;
        }
    }
cleanup:
    opn_i_release(&ctx->alloc, dense);
    return status;
}

static opn_status
check_label_shape(opn_ctx *ctx, const pickle_file *file, int64_t n_rows, int64_t n_cols)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray *array = array_of(file);
    OPN_FAIL_IF(ctx, array->n_dims != 2, OPN_ERR_FORMAT,
                "%s: %d dimensions, expected a row per node and a column per class",
                file->path, array->n_dims);
    OPN_FAIL_IF(ctx, n_rows >= 0 && array->shape[0] != n_rows, OPN_ERR_FORMAT,
                "%s: %lld rows, but there are %lld nodes", file->path,
                (long long)array->shape[0], (long long)n_rows);
    OPN_FAIL_IF(ctx, n_cols >= 0 && array->shape[1] != n_cols, OPN_ERR_FORMAT,
                "%s: %lld class%s, but the other label files have %lld", file->path,
                (long long)array->shape[1], array->shape[1] == 1 ? "" : "es",
                (long long)n_cols);
    OPN_FAIL_IF(ctx, array->shape[1] >= INT32_MAX, OPN_ERR_OVERFLOW,
                "%s: %lld classes are too many", file->path, (long long)array->shape[1]);
cleanup:
    return status;
}

static opn_status
read_labels(opn_ctx *ctx, const planetoid *parts, int32_t n_allx, opn_graph *graph)
{
    opn_status status = OPN_OK;
    int32_t *test_label = NULL;
    OPN_TRY(check_label_shape(ctx, &parts->ally, n_allx, -1));
    const int64_t n_classes = array_of(&parts->ally)->shape[1];
    OPN_TRY(check_label_shape(ctx, &parts->ty, parts->n_test, n_classes));
    OPN_TRY(check_label_shape(ctx, &parts->y, -1, n_classes));
    OPN_TRY_NEW(ctx, graph->label, parts->n_nodes);
    OPN_TRY_NEW(ctx, test_label, parts->n_test);
    for (opn_vid i = n_allx; i < parts->n_nodes; i++)
        graph->label[i] = -1;
    OPN_TRY(read_one_hot(ctx, &parts->ally, graph->label));
    OPN_TRY(read_one_hot(ctx, &parts->ty, test_label));
    for (int32_t t = 0; t < parts->n_test; t++)
        graph->label[parts->test[t]] = test_label[t];
    graph->n_classes = (int32_t)n_classes;
cleanup:
    opn_i_release(&ctx->alloc, test_label);
    return status;
}

// ---- topology ------------------------------------------------------------------------

static opn_status check_neighbours(opn_ctx *ctx,
                                   const pickle_file *file,
                                   const opn_i_pickle_value *key,
                                   const opn_i_pickle_value *list,
                                   opn_vid n_nodes)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, key->kind != OPN_PICKLE_INT || list->kind != OPN_PICKLE_LIST,
                OPN_ERR_FORMAT, "%s: maps %s to %s, expected numbers to lists",
                file->path, opn_i_pickle_kind_name(key->kind),
                opn_i_pickle_kind_name(list->kind));
    OPN_FAIL_IF(ctx, key->as.integer < 0 || key->as.integer >= n_nodes, OPN_ERR_FORMAT,
                "%s: node %lld: outside [0, %d)", file->path, (long long)key->as.integer,
                n_nodes);
    for (size_t e = 0; e < list->as.list->n; e++) {
        const opn_i_pickle_value *to = &list->as.list->item[e];
        OPN_FAIL_IF(ctx,
                    to->kind != OPN_PICKLE_INT || to->as.integer < 0 ||
                            to->as.integer >= n_nodes,
                    OPN_ERR_FORMAT,
                    "%s: node %lld: neighbour %zu is not a node id in [0, %d)",
                    file->path, (long long)key->as.integer, e, n_nodes);
    }
cleanup:
    return status;
}

static opn_status read_topology(opn_ctx *ctx, const planetoid *parts, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const pickle_file *file = &parts->graph;
    const opn_i_pickle_list *pairs = opn_i_pickle_root(file->pickle)->as.list;
    int32_t *source = NULL;
    int32_t *target = NULL;
    size_t n = 0;
    for (size_t p = 0; p < pairs->n; p += 2) {
        OPN_TRY(check_neighbours(ctx, file, &pairs->item[p], &pairs->item[p + 1],
                                 parts->n_nodes));
        n += pairs->item[p + 1].as.list->n;
        // Shared lists could otherwise expand to far more than the file holds.
        OPN_FAIL_IF(ctx, n > file->bytes.n, OPN_ERR_FORMAT,
                    "%s: more neighbours than bytes; the same list is used over and over",
                    file->path);
    }
    OPN_TRY_NEW(ctx, source, n);
    OPN_TRY_NEW(ctx, target, n);
    size_t at = 0;
    for (size_t p = 0; p < pairs->n; p += 2) {
        const opn_i_pickle_list *list = pairs->item[p + 1].as.list;
        for (size_t e = 0; e < list->n; e++) {
            source[at] = (int32_t)pairs->item[p].as.integer;
            target[at++] = (int32_t)list->item[e].as.integer;
        }
    }
    OPN_TRY(opn_i_csr_from_triples(ctx, parts->n_nodes, parts->n_nodes, (opn_off)n,
                                   source, target, NULL, out));
cleanup:
    opn_i_release(&ctx->alloc, source);
    opn_i_release(&ctx->alloc, target);
    return status;
}

// ---- split ---------------------------------------------------------------------------

static opn_status
read_test_index(opn_ctx *ctx, const char *prefix, int32_t n_allx, planetoid *parts)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    opn_i_bytes bytes = {0};
    opn_i_csv rows = {0};
    uint8_t *seen = NULL;
    bool has_row = false;
    OPN_TRY(opn_i_join_path(ctx, NULL, prefix, ".test.index", &path));
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_csv_open(ctx, path, &bytes, ',', &rows));
    OPN_TRY_NEW(ctx, seen, parts->n_nodes);
    for (;;) {
        int64_t node = 0;
        OPN_TRY(opn_i_csv_next(ctx, &rows, &has_row));
        if (!has_row)
            break;
        OPN_FAIL_IF(ctx,
                    rows.n_fields != 1 ||
                            !opn_i_csv_int(rows.field, n_allx, parts->n_nodes - 1, &node),
                    OPN_ERR_FORMAT, "%s:%zu: \"%s\" is not a node id in [%d, %d)",
                    rows.name, rows.line, rows.field[0].text, n_allx, parts->n_nodes);
        OPN_FAIL_IF(ctx, seen[node], OPN_ERR_FORMAT, "%s:%zu: node %lld appears twice",
                    rows.name, rows.line, (long long)node);
        seen[node] = 1;
        OPN_TRY_RESERVE(ctx, parts->test, parts->test_room, (size_t)parts->n_test,
                        (size_t)parts->n_test + 1);
        parts->test[parts->n_test++] = (int32_t)node;
    }
cleanup:
    opn_i_release(&ctx->alloc, seen);
    opn_i_release(&ctx->alloc, path);
    opn_i_bytes_release(ctx, &bytes);
    opn_i_csv_close(ctx, &rows);
    return status;
}

// The first nodes train, the next 500 validate, those of test.index test.
static opn_status
set_roles(opn_ctx *ctx, const planetoid *parts, int32_t n_allx, opn_graph *graph)
{
    opn_status status = OPN_OK;
    const int64_t n_train = array_of(&parts->y)->shape[0];
    OPN_FAIL_IF(
            ctx, n_train > n_allx - N_VALIDATION, OPN_ERR_FORMAT,
            "%s: %lld training and %d validation nodes do not fit in the %d rows of %s",
            parts->y.path, (long long)n_train, N_VALIDATION, n_allx, parts->allx.path);
    OPN_TRY_NEW(ctx, graph->given_role, parts->n_nodes);
    for (opn_vid i = 0; i < parts->n_nodes; i++) {
        const opn_role role = i < n_train                  ? OPN_ROLE_TRAIN
                              : i < n_train + N_VALIDATION ? OPN_ROLE_VALIDATION
                                                           : OPN_ROLE_POOL;
        graph->given_role[i] = (uint8_t)role;
    }
    for (int64_t i = 0; i < n_train + N_VALIDATION; i++)
        OPN_FAIL_IF(ctx, graph->label[i] < 0, OPN_ERR_FORMAT,
                    "%s: row %lld is used to %s but has no label", parts->ally.path,
                    (long long)i, i < n_train ? "train" : "validate");
    for (int32_t t = 0; t < parts->n_test; t++)
        graph->given_role[parts->test[t]] = OPN_ROLE_TEST;
cleanup:
    return status;
}

// ---- the files -----------------------------------------------------------------------

static opn_status open_parts(opn_ctx *ctx, const char *prefix, planetoid *parts)
{
    opn_status status = OPN_OK;
    const struct {
        const char *suffix;
        pickle_file *file;
        opn_i_pickle_kind kind;
        const char *kind_name;
    } wanted[] = {
            {".graph", &parts->graph, OPN_PICKLE_DICT, "a dict of neighbour lists"},
            {".allx", &parts->allx, OPN_PICKLE_SPARSE, "a SciPy matrix"},
            {".tx", &parts->tx, OPN_PICKLE_SPARSE, "a SciPy matrix"},
            {".ally", &parts->ally, OPN_PICKLE_NDARRAY, "a NumPy array"},
            {".ty", &parts->ty, OPN_PICKLE_NDARRAY, "a NumPy array"},
            {".y", &parts->y, OPN_PICKLE_NDARRAY, "a NumPy array"},
    };
    for (size_t f = 0; f < sizeof(wanted) / sizeof(wanted[0]); f++)
        OPN_TRY(open_file(ctx, prefix, wanted[f].suffix, wanted[f].kind,
                          wanted[f].kind_name, wanted[f].file));
    const size_t n_keys = opn_i_pickle_root(parts->graph.pickle)->as.list->n / 2;
    OPN_FAIL_IF(ctx, n_keys == 0 || n_keys >= INT32_MAX, OPN_ERR_FORMAT,
                "%s: %zu nodes, expected 1 to 2^31 - 2", parts->graph.path, n_keys);
    parts->n_nodes = (opn_vid)n_keys;
cleanup:
    return status;
}

static opn_status check_counts(opn_ctx *ctx, const planetoid *parts)
{
    opn_status status = OPN_OK;
    const opn_i_pickle_sparse *allx = opn_i_pickle_root(parts->allx.pickle)->as.sparse;
    const opn_i_pickle_sparse *tx = opn_i_pickle_root(parts->tx.pickle)->as.sparse;
    OPN_FAIL_IF(ctx, tx->shape[0] != parts->n_test, OPN_ERR_FORMAT,
                "%s: %lld rows, but test.index names %d nodes", parts->tx.path,
                (long long)tx->shape[0], parts->n_test);
    OPN_FAIL_IF(ctx, allx->shape[0] + tx->shape[0] > parts->n_nodes, OPN_ERR_FORMAT,
                "%s: %lld rows and %lld of tx, but the graph has only %d nodes",
                parts->allx.path, (long long)allx->shape[0], (long long)tx->shape[0],
                parts->n_nodes);
cleanup:
    return status;
}

opn_status opn_i_load_planetoid(opn_ctx *ctx, const char *prefix, opn_graph **out)
{
    opn_status status = OPN_OK;
    planetoid parts = {0};
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(prefix), &graph));
    OPN_TRY(open_parts(ctx, prefix, &parts));
    const int64_t n_rows = opn_i_pickle_root(parts.allx.pickle)->as.sparse->shape[0];
    OPN_FAIL_IF(ctx, n_rows > parts.n_nodes, OPN_ERR_FORMAT,
                "%s: %lld rows, but the graph has only %d nodes", parts.allx.path,
                (long long)n_rows, parts.n_nodes);
    const int32_t n_allx = (int32_t)n_rows;
    OPN_TRY(read_test_index(ctx, prefix, n_allx, &parts));
    OPN_TRY(check_counts(ctx, &parts));
    OPN_TRY(read_features(ctx, &parts, &graph->features));
    OPN_TRY(read_labels(ctx, &parts, n_allx, graph));
    OPN_TRY(read_topology(ctx, &parts, &graph->topology));
    OPN_TRY(set_roles(ctx, &parts, n_allx, graph));
    *out = graph;
    graph = NULL;
cleanup:
    release_parts(ctx, &parts);
    opn_graph_free(graph);
    return status;
}
