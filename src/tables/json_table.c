// json_table.c -- tables of features that pandas writes as JSON: a list of rows, or an
// object of columns.

#include "tables/json_table.h"
#include "io/path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// Text of a value that may name a node: a word, or a whole number. NULL for others.
static const char *name_of(const json_t *value, char room[OPN_JSON_NAME_ROOM])
{
    if (json_is_string(value))
        return json_string_length(value) > 0 ? json_string_value(value) : NULL;
    if (!json_is_integer(value))
        return NULL;
    snprintf(room, OPN_JSON_NAME_ROOM, "%lld", (long long)json_integer_value(value));
    return room;
}

const char *opn_i_json_id(const opn_i_json_table *table,
                          const json_t *row,
                          char room[OPN_JSON_NAME_ROOM])
{
    return table->id == NULL ? NULL : name_of(json_object_get(row, table->id), room);
}

// ---- a list of rows ------------------------------------------------------------------

// Whether each row has a value of its own there. Interns them in `values`.
static opn_status
are_names(opn_ctx *ctx, json_t *rows, const char *key, opn_i_names *values, bool *out)
{
    opn_status status = OPN_OK;
    char room[OPN_JSON_NAME_ROOM];
    *out = true;
    for (size_t i = 0; i < json_array_size(rows) && *out; i++) {
        const char *name = name_of(json_object_get(json_array_get(rows, i), key), room);
        int32_t number = -1;
        if (name != NULL)
            OPN_TRY(opn_i_names_intern(ctx, values, name, strlen(name), &number));
        *out = number == (int32_t)i;
    }
cleanup:
    return status;
}

// The member that is called node or the like, or else one that holds all nodes.
static opn_status find_id(opn_i_folder *folder, json_t *rows, opn_i_json_table *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_names values = {0};
    int best = INT_MAX;
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(json_array_get(rows, 0), key, value)
    {
        const int rank = opn_i_node_rank(key, false);
        bool fits = false;
        OPN_TRY(are_names(ctx, rows, key, &values, &fits));
        if (fits && rank >= OPN_PERHAPS_NODE)
            OPN_TRY(opn_i_holds_nodes(folder, &values, &fits));
        opn_i_names_deinit(&ctx->alloc, &values);
        if (fits && (out->id == NULL || rank < best)) {
            out->id = key;
            best = rank;
        }
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &values);
    return status;
}

static opn_status
find_rows(opn_i_folder *folder, const char *path, json_t *rows, opn_i_json_table *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(find_id(folder, rows, out));
    if (out->id != NULL)
        OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                                 "%s: %.40s names the node of each item",
                                 opn_i_base_name(path), out->id));
    else
        OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                                 "%s: nothing names the nodes, so its items are the "
                                 "nodes 0, 1, 2, … in order",
                                 opn_i_base_name(path)));
cleanup:
    return status;
}

// ---- an object -----------------------------------------------------------------------

// Whether the names of the members are those of all nodes.
static opn_status holds_nodes(opn_i_folder *folder, json_t *object, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_names keys = {0};
    const char *key = NULL;
    json_t *value = NULL;
    int32_t number = 0;
    json_object_foreach(object, key, value)
            OPN_TRY(opn_i_names_intern(folder->ctx, &keys, key, strlen(key), &number));
    OPN_TRY(opn_i_holds_nodes(folder, &keys, out));
cleanup:
    opn_i_names_deinit(&folder->ctx->alloc, &keys);
    return status;
}

// Whether a member is called like a column of nodes, as in a table by columns.
static bool has_node_column(json_t *document)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(document, key, value)
    {
        if (opn_i_word_means(key, OPN_MEANS_NODE))
            return true;
    }
    return false;
}

// Members may be nodes or columns; where both could be, there are as many nodes as known.
static opn_status find_columns(opn_i_folder *folder,
                               const char *path,
                               json_t *document,
                               json_t *first,
                               opn_i_json_table *out)
{
    opn_status status = OPN_OK;
    bool has_nodes = false;
    bool has_columns = false;
    OPN_TRY(holds_nodes(folder, document, &has_nodes));
    OPN_TRY(holds_nodes(folder, first, &has_columns));
    const int64_t n_known = folder->nodes.n > 0 ? folder->nodes.n : folder->edge_nodes.n;
    if (has_nodes && has_columns)
        has_nodes = (int64_t)json_object_size(document) == n_known ||
                    (int64_t)json_object_size(first) != n_known;
    out->is_by_columns = has_columns && !has_nodes;
    OPN_FAIL_IF(
            folder->ctx, !has_nodes && !has_columns && has_node_column(document),
            OPN_ERR_FORMAT,
            "%s: a table by columns, in which the names of the nodes are values; write "
            "a list of rows instead, in pandas to_json(orient=\"records\")",
            path);
    if (out->is_by_columns)
        OPN_TRY(opn_i_graph_note(
                folder->ctx, folder->graph,
                "%s: its members are taken as features, with a value for "
                "each node",
                opn_i_base_name(path)));
cleanup:
    return status;
}

opn_status opn_i_json_find_table(opn_i_folder *folder,
                                 const char *path,
                                 json_t *document,
                                 opn_i_json_table *out)
{
    opn_status status = OPN_OK;
    *out = (opn_i_json_table){0};
    OPN_FAIL_IF(folder->ctx,
                json_is_array(json_object_get(document, "data")) &&
                        (json_is_array(json_object_get(document, "columns")) ||
                         json_is_object(json_object_get(document, "schema"))),
                OPN_ERR_FORMAT,
                "%s: a table with its columns and its data apart; write a list of rows "
                "instead, in pandas to_json(orient=\"records\")",
                path);
    if (json_is_object(json_array_get(document, 0)))
        OPN_TRY(find_rows(folder, path, document, out));
    void *first = json_object_iter(document);
    json_t *value = first == NULL ? NULL : json_object_iter_value(first);
    if (json_is_object(value))
        OPN_TRY(find_columns(folder, path, document, value, out));
cleanup:
    return status;
}
