// folder_json.c -- reads features.json: the features of each node by its name, or of the
// nodes 0, 1, … in a list. Those of a node are an object of names and values, a list of
// all values, or a list of the numbers of its features, which are then 1.

#include "io/path.h"
#include "tables/folder_reader.h"
#include "tables/json_table.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum json_form { JSON_FORM_OBJECTS, JSON_FORM_ROWS, JSON_FORM_NUMBERS } json_form;

typedef struct json_reader {
    opn_i_folder *folder;
    const char *path;
    json_form form;
    size_t n_values;    // of each list, in rows
    int32_t *last_node; // [features] the node that last had it, in numbers
    size_t n_last, last_room;
    size_t n_repeating; // nodes that list a feature twice
    bool has_other;     // a list holds other values than whole numbers from 0
    double largest;     // value of a list
    opn_i_json_table table;
} json_reader;

// What is done with each node, which is given by name and place.
typedef opn_status each_node(json_reader *r, const char *name, size_t place, json_t *of);

static opn_status for_each_node(json_reader *r, json_t *document, each_node *act)
{
    opn_status status = OPN_OK;
    char number[24];
    char named[OPN_JSON_NAME_ROOM];
    size_t place = 0;
    if (json_is_array(document)) {
        for (; place < json_array_size(document); place++) {
            json_t *item = json_array_get(document, place);
            snprintf(number, sizeof(number), "%zu", place);
            const char *id = opn_i_json_id(&r->table, item, named);
            OPN_TRY(act(r, id != NULL ? id : number, place, item));
        }
        goto cleanup;
    }
    const char *name = NULL;
    json_t *of = NULL;
    json_object_foreach(document, name, of) OPN_TRY(act(r, name, place++, of));
cleanup:
    return status;
}

// ---- form ----------------------------------------------------------------------------

static bool is_whole(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) >= 0 &&
           json_number_value(value) == floor(json_number_value(value));
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Whether the list is hardly one of feature numbers: it has other values, or the same one
// twice. Notes in the reader whether that is sure.
static opn_status is_row(json_reader *r, const json_t *list, bool *out)
{
    opn_status status = OPN_OK;
    const size_t n = json_array_size(list);
    double *value = NULL;
    *out = false;
    OPN_TRY_NEW(r->folder->ctx, value, n);
    for (size_t k = 0; k < n; k++) {
        const json_t *item = json_array_get(list, k);
        r->has_other = r->has_other || !is_whole(item);
        value[k] = json_number_value(item);
        r->largest = value[k] > r->largest ? value[k] : r->largest;
    }
    qsort(value, n, sizeof(*value), compare_numbers);
    for (size_t k = 1; k < n && !*out; k++)
        *out = value[k] == value[k - 1];
    *out = *out || r->has_other;
cleanup:
    opn_i_release(&r->folder->ctx->alloc, value);
    return status;
}

static opn_status look_at_node(json_reader *r, const char *name, size_t place, json_t *of)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = r->folder->ctx;
    const bool is_list = json_is_array(of);
    OPN_FAIL_IF(ctx, !is_list && !json_is_object(of), OPN_ERR_FORMAT,
                "%s: node \"%s\": expected a list of features, or an object of names and "
                "values",
                r->path, name);
    if (place == 0) {
        r->form = is_list ? JSON_FORM_ROWS : JSON_FORM_OBJECTS;
        r->n_values = json_array_size(of);
    }
    OPN_FAIL_IF(ctx, is_list != (r->form != JSON_FORM_OBJECTS), OPN_ERR_FORMAT,
                "%s: node \"%s\": is %s, unlike those before it", r->path, name,
                is_list ? "a list" : "an object");
    if (is_list && json_array_size(of) != r->n_values)
        r->form = JSON_FORM_NUMBERS;
cleanup:
    return status;
}

static opn_status look_for_row(json_reader *r, const char *name, size_t place, json_t *of)
{
    opn_status status = OPN_OK;
    bool is_one = false;
    (void)name;
    (void)place;
    OPN_TRY(is_row(r, of, &is_one));
    if (is_one)
        r->form = JSON_FORM_ROWS;
cleanup:
    return status;
}

// Lists of one length may be rows of values; of different lengths they hold numbers.
static opn_status find_form(json_reader *r, json_t *document)
{
    opn_status status = OPN_OK;
    OPN_TRY(for_each_node(r, document, look_at_node));
    if (r->form != JSON_FORM_ROWS)
        goto cleanup;
    r->form = JSON_FORM_NUMBERS;
    OPN_TRY(for_each_node(r, document, look_for_row));
    if (r->n_values > 1 && r->largest <= 1.0) // as numbers, all nodes would be alike
        r->form = JSON_FORM_ROWS;
    if (!r->has_other)
        OPN_TRY(opn_i_graph_note(
                r->folder->ctx, r->folder->graph, "%s: the lists are %s",
                opn_i_base_name(r->path),
                r->form == JSON_FORM_ROWS
                        ? "taken as a value for each feature"
                        : "taken as the numbers of features that are 1"));
cleanup:
    return status;
}

// ---- values --------------------------------------------------------------------------

static opn_status put_value(json_reader *r,
                            const char *node_name,
                            int32_t node,
                            const char *name,
                            json_t *value)
{
    opn_status status = OPN_OK;
    const bool is_flag = json_is_boolean(value);
    const double number = is_flag ? json_is_true(value) : json_number_value(value);
    int32_t feature = 0;
    OPN_FAIL_IF(r->folder->ctx,
                !(is_flag || json_is_number(value)) || !(fabs(number) <= (double)FLT_MAX),
                OPN_ERR_FORMAT, "%s: node \"%s\": feature \"%s\" is not a finite number",
                r->path, node_name, name);
    OPN_TRY(opn_i_names_intern(r->folder->ctx, &r->folder->features, name, strlen(name),
                               &feature));
    OPN_TRY(opn_i_put_entry(r->folder, node, feature, number)); // 0 only declares it
cleanup:
    return status;
}

static opn_status read_object(json_reader *r, const char *name, int32_t node, json_t *of)
{
    opn_status status = OPN_OK;
    const char *feature = NULL;
    json_t *value = NULL;
    json_object_foreach(of, feature, value)
    {
        if (r->table.id != NULL && strcmp(feature, r->table.id) == 0)
            continue;
        OPN_FAIL_IF(r->folder->ctx, feature[0] == 0, OPN_ERR_FORMAT,
                    "%s: node \"%s\": a feature has no name", r->path, name);
        OPN_TRY(put_value(r, name, node, feature, value));
    }
cleanup:
    return status;
}

static opn_status read_row(json_reader *r, const char *name, int32_t node, json_t *of)
{
    opn_status status = OPN_OK;
    char number[24];
    for (size_t k = 0; k < json_array_size(of); k++) {
        snprintf(number, sizeof(number), "%zu", k);
        OPN_TRY(put_value(r, name, node, number, json_array_get(of, k)));
    }
cleanup:
    return status;
}

static opn_status read_numbers(json_reader *r, const char *name, int32_t node, json_t *of)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = r->folder->ctx;
    bool repeats = false;
    for (size_t k = 0; k < json_array_size(of); k++) {
        const json_t *value = json_array_get(of, k);
        char text[24];
        int32_t feature = 0;
        OPN_FAIL_IF(ctx, !is_whole(value) || json_number_value(value) > (double)INT32_MAX,
                    OPN_ERR_FORMAT,
                    "%s: node \"%s\": item %zu is not the number of a feature, a whole "
                    "number from 0",
                    r->path, name, k);
        const int n = snprintf(text, sizeof(text), "%.0f", json_number_value(value));
        OPN_TRY_RESERVE(ctx, r->last_node, r->last_room, r->n_last, r->n_last + 1);
        r->last_node[r->n_last] = -1;
        OPN_TRY(opn_i_names_intern(ctx, &r->folder->features, text, (size_t)n, &feature));
        if (r->last_node[feature] == node)
            repeats = true;
        else
            OPN_TRY(opn_i_put_entry(r->folder, node, feature, 1.0));
        r->last_node[feature] = node;
        r->n_last = (size_t)r->folder->features.n;
    }
    r->n_repeating += repeats;
cleanup:
    return status;
}

// Reads a feature of all nodes, by their names.
static opn_status
read_column(json_reader *r, const char *feature, size_t place, json_t *of)
{
    opn_status status = OPN_OK;
    const char *name = NULL;
    json_t *value = NULL;
    int32_t node = 0;
    (void)place;
    OPN_FAIL_IF(r->folder->ctx, !json_is_object(of) || feature[0] == 0, OPN_ERR_FORMAT,
                "%s: column \"%s\": expected a name, and an object with a value for each "
                "node",
                r->path, feature);
    json_object_foreach(of, name, value)
    {
        OPN_FAIL_IF(r->folder->ctx, name[0] == 0, OPN_ERR_FORMAT,
                    "%s: a node has no name", r->path);
        OPN_TRY(opn_i_declare_node(r->folder, name, strlen(name), &node));
        r->folder->listed[node] |= OPN_IN_FEATURES;
        OPN_TRY(put_value(r, name, node, feature, value));
    }
cleanup:
    return status;
}

static opn_status read_node(json_reader *r, const char *name, size_t place, json_t *of)
{
    opn_status status = OPN_OK;
    int32_t node = 0;
    (void)place;
    OPN_FAIL_IF(r->folder->ctx, name[0] == 0, OPN_ERR_FORMAT, "%s: a node has no name",
                r->path);
    OPN_TRY(opn_i_declare_node(r->folder, name, strlen(name), &node));
    r->folder->listed[node] |= OPN_IN_FEATURES;
    if (r->form == JSON_FORM_OBJECTS)
        OPN_TRY(read_object(r, name, node, of));
    else if (r->form == JSON_FORM_ROWS)
        OPN_TRY(read_row(r, name, node, of));
    else
        OPN_TRY(read_numbers(r, name, node, of));
    if (node % 4096 == 0)
        OPN_TRY(opn_i_progress(r->folder->ctx, "reading features", node, 0, "nodes"));
cleanup:
    return status;
}

// ---- the file ------------------------------------------------------------------------

static opn_status read_document(json_reader *r, json_t *document)
{
    opn_status status = OPN_OK;
    opn_i_folder *folder = r->folder;
    OPN_FAIL_IF(folder->ctx, !json_is_object(document) && !json_is_array(document),
                OPN_ERR_FORMAT, "%s: expected an object of nodes, or a list of them",
                r->path);
    OPN_TRY(opn_i_json_find_table(folder, r->path, document, &r->table));
    if (r->table.is_by_columns)
        return for_each_node(r, document, read_column);
    OPN_TRY(find_form(r, document));
    OPN_TRY(for_each_node(r, document, read_node));
    OPN_FAIL_IF(folder->ctx,
                json_is_array(document) && r->table.id == NULL &&
                        folder->n_label_rows > 0 &&
                        (folder->nodes.n > (int64_t)json_array_size(document) ||
                         (!folder->has_named_labels &&
                          folder->nodes.n > folder->n_label_rows)),
                OPN_ERR_FORMAT, "%s: %zu nodes without names, but %s has other nodes",
                r->path, json_array_size(document), folder->label_file);
    if (r->n_repeating > 0)
        OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                                 "%s: %zu %s a feature more than once; it counts once",
                                 opn_i_base_name(r->path), r->n_repeating,
                                 r->n_repeating == 1 ? "node lists" : "nodes list"));
cleanup:
    return status;
}

opn_status opn_i_folder_read_json(opn_i_folder *folder, const char *path)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_bytes bytes = {0};
    json_error_t error;
    json_t *document = NULL;
    json_reader reader = {.folder = folder, .path = path};
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    document =
            json_loadb((const char *)bytes.data, bytes.n, JSON_REJECT_DUPLICATES, &error);
    opn_i_bytes_release(ctx, &bytes);
    OPN_FAIL_IF(ctx, document == NULL, OPN_ERR_FORMAT, "%s:%d: is not JSON: %s", path,
                error.line, error.text);
    OPN_TRY(read_document(&reader, document));
cleanup:
    json_decref(document);
    opn_i_release(&ctx->alloc, reader.last_node);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}
