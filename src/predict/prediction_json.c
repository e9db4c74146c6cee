// prediction_json.c -- reads predictions from JSON, one node at a time: an object with
// the member "nodes", a list, or the list alone, as older versions wrote it.
//
// A tree of the whole list would take about fifty times the file size. So we find the
// items by their brackets and pass them to jansson one by one.

#include "predict/prediction_reader.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_VALUES = 1 << 18, // per item
    MAX_DEPTH = 8         // per item; ours have two levels
};

// ---- list items ----------------------------------------------------------------------

typedef struct item_list {
    const char *path;
    const char *text; // NUL-terminated
    size_t n;
    size_t at;        // the next byte
    const char *hint; // the end of messages about something else
    bool is_a_member; // of an object
    size_t n_items;   // found so far
} item_list;

typedef struct item {
    const char *text;
    size_t n;
} item;

static void skip_blanks(item_list *list)
{
    list->at += strspn(list->text + list->at, " \t\r\n");
}

// Moves from the opening bracket of an item past its closing one. Every value but the
// first of a list follows a comma, so counting commas and opening brackets outside
// strings counts all values.
static opn_status skip_item(opn_ctx *ctx, item_list *list)
{
    opn_status status = OPN_OK;
    int depth = 0;
    int n_values = 1;
    bool in_text = false;
    do {
        OPN_FAIL_IF(ctx, list->at >= list->n, OPN_ERR_FORMAT,
                    "%s: item %zu never ends; the file is truncated", list->path,
                    list->n_items);
        const char c = list->text[list->at++];
        if (c == '"')
            in_text = !in_text;
        else if (in_text)
            list->at += c == '\\';
        else if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        n_values += !in_text && (c == ',' || c == '{' || c == '[');
        OPN_FAIL_IF(ctx, depth > MAX_DEPTH || n_values > MAX_VALUES, OPN_ERR_FORMAT,
                    "%s: item %zu has more than %d levels or %d values", list->path,
                    list->n_items, MAX_DEPTH, MAX_VALUES);
    } while (depth > 0);
cleanup:
    return status;
}

// Moves past a string.
static void skip_text(item_list *list)
{
    list->at++;
    while (list->at < list->n && list->text[list->at] != '"')
        list->at += list->text[list->at] == '\\' ? 2 : 1;
    list->at = list->at < list->n ? list->at + 1 : list->n;
}

static opn_status skip_value(opn_ctx *ctx, item_list *list)
{
    const char c = list->text[list->at];
    if (c == '{' || c == '[')
        return skip_item(ctx, list);
    if (c == '"')
        skip_text(list);
    else
        list->at += strcspn(list->text + list->at, ",}] \t\r\n");
    return OPN_OK;
}

// Moves past the key of a member of the document, to its value.
static opn_status skip_key(opn_ctx *ctx, item_list *list, bool *is_nodes)
{
    opn_status status = OPN_OK;
    static const char nodes[] = "\"nodes\"";
    skip_blanks(list);
    const char *key = list->text + list->at;
    OPN_FAIL_IF(ctx, *key != '"', OPN_ERR_FORMAT, "%s: has no list of nodes; %s",
                list->path, list->hint);
    skip_text(list);
    *is_nodes = strncmp(key, nodes, strlen(nodes)) == 0;
    skip_blanks(list);
    OPN_FAIL_IF(ctx, list->text[list->at] != ':', OPN_ERR_FORMAT,
                "%s: a member has no value; the file is damaged", list->path);
    list->at++;
    skip_blanks(list);
cleanup:
    return status;
}

// Moves to the list that is the member "nodes" of an object.
static opn_status find_nodes(opn_ctx *ctx, item_list *list)
{
    opn_status status = OPN_OK;
    bool is_nodes = false;
    do {
        list->at++; // { or ,
        OPN_TRY(skip_key(ctx, list, &is_nodes));
        if (is_nodes && list->text[list->at] == '[')
            break;
        OPN_TRY(skip_value(ctx, list));
        skip_blanks(list);
    } while (list->text[list->at] == ',');
    OPN_FAIL_IF(ctx, list->text[list->at] != '[', OPN_ERR_FORMAT,
                "%s: has no list of nodes; %s", list->path, list->hint);
    list->is_a_member = true;
cleanup:
    return status;
}

static opn_status begin_list(opn_ctx *ctx, item_list *list)
{
    opn_status status = OPN_OK;
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (strncmp(list->text, byte_order_mark, strlen(byte_order_mark)) == 0)
        list->at = strlen(byte_order_mark);
    skip_blanks(list);
    if (list->text[list->at] == '{')
        OPN_TRY(find_nodes(ctx, list));
    OPN_FAIL_IF(ctx, list->text[list->at] != '[', OPN_ERR_FORMAT,
                "%s: is not a list of nodes; %s", list->path, list->hint);
    list->at++;
cleanup:
    return status;
}

// Moves past all that follows the list.
static opn_status end_list(opn_ctx *ctx, item_list *list)
{
    opn_status status = OPN_OK;
    bool is_nodes = false;
    list->at++;
    skip_blanks(list);
    while (list->is_a_member && list->text[list->at] == ',') {
        list->at++;
        OPN_TRY(skip_key(ctx, list, &is_nodes));
        OPN_TRY(skip_value(ctx, list));
        skip_blanks(list);
    }
    OPN_FAIL_IF(ctx, list->is_a_member && list->text[list->at] != '}', OPN_ERR_FORMAT,
                "%s: the object never ends; the file is truncated", list->path);
    list->at += list->is_a_member;
    skip_blanks(list);
    OPN_FAIL_IF(ctx, list->at != list->n, OPN_ERR_FORMAT,
                "%s: something follows the list of nodes", list->path);
cleanup:
    return status;
}

// The next item; its text is NULL after the last.
static opn_status next_item(opn_ctx *ctx, item_list *list, item *out)
{
    opn_status status = OPN_OK;
    *out = (item){0};
    skip_blanks(list);
    if (list->text[list->at] == ']') {
        OPN_TRY(end_list(ctx, list));
        goto cleanup;
    }
    if (list->n_items > 0 && list->text[list->at] == ',') {
        list->at++;
        skip_blanks(list);
    } else {
        OPN_FAIL_IF(ctx, list->n_items > 0, OPN_ERR_FORMAT,
                    "%s: item %zu is not followed by , or ]", list->path,
                    list->n_items - 1);
    }
    OPN_FAIL_IF(ctx, list->text[list->at] != '{', OPN_ERR_FORMAT,
                "%s: item %zu is not an object; %s", list->path, list->n_items,
                list->hint);
    const size_t from = list->at;
    OPN_TRY(skip_item(ctx, list));
    *out = (item){list->text + from, list->at - from};
    list->n_items++;
cleanup:
    return status;
}

static opn_status count_items(opn_ctx *ctx, item_list list, size_t *out)
{
    opn_status status = OPN_OK;
    item found;
    do
        OPN_TRY(next_item(ctx, &list, &found));
    while (found.text != NULL);
    *out = list.n_items;
cleanup:
    return status;
}

// ---- nodes ---------------------------------------------------------------------------

static opn_status parse_item(opn_ctx *ctx, const item *found, json_t **out)
{
    opn_status status = OPN_OK;
    json_error_t error;
    json_t *node = json_loadb(found->text, found->n, JSON_REJECT_DUPLICATES, &error);
    // Jansson does not report running out of memory, except inside a string, where it
    // blames the string.
    if (node == NULL && error.text[0] == '\0')
        return opn_i_fail_nomem(ctx, found->n, 1);
    // Jansson would go on to quote the file's bytes, which may be anything.
    const char *quote = node == NULL ? strstr(error.text, " near ") : NULL;
    const int n_reason =
            quote != NULL ? (int)(quote - error.text) : JSON_ERROR_TEXT_LENGTH;
    OPN_FAIL_IF(ctx, node == NULL, OPN_ERR_FORMAT, "byte %d of it: %.*s", error.position,
                n_reason, error.text);
    *out = node;
cleanup:
    return status;
}

// A string member of the node; NULL for null, if that is allowed. Other tools may also
// write an integer, for which there is room in `number`, or nothing at all.
static opn_status get_text(opn_ctx *ctx,
                           const opn_i_prediction_file *file,
                           const json_t *node,
                           const char *key,
                           char number[24],
                           const char **out)
{
    opn_status status = OPN_OK;
    const bool may_be_null =
            strcmp(key, "label") == 0 || (file->is_foreign && strcmp(key, "node") != 0);
    const json_t *value = json_object_get(node, key);
    *out = NULL;
    if (file->is_foreign && may_be_null && value == NULL)
        return OPN_OK;
    if (file->is_foreign && json_is_integer(value)) {
        snprintf(number, 24, "%lld", (long long)json_integer_value(value));
        *out = number;
        return OPN_OK;
    }
    OPN_FAIL_IF(ctx, value == NULL, OPN_ERR_FORMAT, "no \"%s\"; %s", key,
                opn_i_prediction_hint(file));
    OPN_FAIL_IF(ctx, !json_is_string(value) && !(may_be_null && json_is_null(value)),
                OPN_ERR_FORMAT, "\"%s\" is not a string", key);
    *out = json_string_value(value);
cleanup:
    return status;
}

// A number, NaN if null or missing; false for anything else.
static bool get_number(const json_t *value, float *out)
{
    *out = NAN;
    if (value == NULL || json_is_null(value))
        return true;
    if (!json_is_number(value))
        return false;
    const double number = json_number_value(value);
    *out = fabs(number) > (double)FLT_MAX ? INFINITY : (float)number;
    return true;
}

// Numbers by class.
static opn_status get_numbers(opn_ctx *ctx,
                              const json_t *node,
                              const char *key,
                              const opn_i_prediction_file *file,
                              float *out)
{
    opn_status status = OPN_OK;
    const json_t *by_class = json_object_get(node, key);
    OPN_FAIL_IF(ctx,
                !json_is_object(by_class) ||
                        json_object_size(by_class) != (size_t)file->n_known,
                OPN_ERR_FORMAT,
                "\"%s\" is not an object of %d "
                "classes",
                key, file->n_known);
    for (int32_t k = 0; k < file->n_known; k++) {
        const char *name = opn_i_names_at(&file->classes, k);
        const json_t *value = json_object_get(by_class, name);
        OPN_FAIL_IF(ctx, value == NULL, OPN_ERR_FORMAT, "\"%s\" lacks class \"%s\"", key,
                    name);
        OPN_FAIL_IF(ctx, !get_number(value, &out[k]), OPN_ERR_FORMAT,
                    "%s of class \"%s\" is not a number", key, name);
    }
cleanup:
    return status;
}

static opn_status
read_texts(opn_ctx *ctx, const json_t *node, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const int32_t i = file->n_nodes;
    char number[24];
    const char *text = NULL;
    OPN_TRY(get_text(ctx, file, node, "role", number, &text));
    file->has_roles = file->has_roles || text != NULL;
    if (text != NULL)
        OPN_TRY(opn_i_prediction_set_role(ctx, file, i, text));
    OPN_TRY(get_text(ctx, file, node, "predicted", number, &text));
    if (text != NULL)
        OPN_TRY(opn_i_prediction_set_predicted(ctx, file, i, text, strlen(text)));
    OPN_TRY(get_text(ctx, file, node, "node", number, &text));
    OPN_TRY(opn_i_names_add(ctx, &file->nodes, text, strlen(text)));
    OPN_TRY(get_text(ctx, file, node, "label", number, &text));
    OPN_TRY(opn_i_prediction_set_label(ctx, file, i, text == NULL ? "" : text,
                                       text == NULL ? 0 : strlen(text)));
cleanup:
    return status;
}

// The member that has the numbers that classes go by.
static const char *member_of(const opn_i_prediction_file *file)
{
    int n = 0;
    while (opn_i_number_kinds[n].input != file->input)
        n++;
    return opn_i_number_kinds[n].member;
}

static opn_status read_node(opn_ctx *ctx, const json_t *node, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const int32_t i = file->n_nodes;
    const size_t at = (size_t)i * (size_t)file->n_known;
    OPN_TRY(read_texts(ctx, node, file));
    OPN_TRY(get_numbers(ctx, node, member_of(file), file, file->said->probability + at));
    if (file->said->alpha != NULL)
        OPN_TRY(get_numbers(ctx, node, "alpha", file, file->said->alpha + at));
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const char *name = opn_measure_name((opn_measure)m);
        if (file->said->measure[m] != NULL)
            OPN_FAIL_IF(
                    ctx,
                    !get_number(json_object_get(node, name), &file->said->measure[m][i]),
                    OPN_ERR_FORMAT, "%s is not a number", name);
    }
    OPN_TRY(opn_i_prediction_check(ctx, file, i));
    file->n_nodes++;
cleanup:
    return status;
}

// The first node determines the classes and which numbers are present.
static opn_status read_kinds(opn_ctx *ctx,
                             json_t *node,
                             const item_list *list,
                             size_t n_items,
                             opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_prediction_parts parts = {0};
    const char *name;
    json_t *value;
    for (int n = OPN_N_NUMBER_KINDS - 1; n >= 0 && file->is_foreign; n--)
        if (json_object_size(json_object_get(node, opn_i_number_kinds[n].member)) > 0)
            file->input = opn_i_number_kinds[n].input;
    json_t *p = json_object_get(node, member_of(file));
    OPN_FAIL_IF(ctx, json_object_size(p) == 0, OPN_ERR_FORMAT,
                "no \"%s\" of any class; %s", member_of(file),
                opn_i_prediction_hint(file));
    parts.has_alpha =
            file->input != OPN_OPINION_ALPHA && json_object_get(node, "alpha") != NULL;
    json_object_foreach(p, name, value)
    {
        OPN_TRY(opn_i_prediction_add_class(ctx, file, name, strlen(name)));
    }
    for (int m = 0; m < OPN_N_MEASURES; m++)
        parts.has_measure[m] =
                json_object_get(node, opn_measure_name((opn_measure)m)) != NULL;
    OPN_TRY(opn_i_prediction_make_room(
            ctx, file, opn_i_prediction_bound(file, n_items, list->n), &parts));
cleanup:
    return status;
}

static opn_status read_item(opn_ctx *ctx,
                            const item *found,
                            const item_list *list,
                            size_t n_items,
                            opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    json_t *node = NULL;
    OPN_TRY(parse_item(ctx, found, &node));
    if (file->n_known == 0)
        OPN_TRY(read_kinds(ctx, node, list, n_items, file));
    OPN_TRY(read_node(ctx, node, file));
cleanup:
    json_decref(node);
    return status;
}

opn_status opn_i_prediction_read_json(opn_ctx *ctx,
                                      const char *path,
                                      const opn_i_bytes *bytes,
                                      opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    item_list list = {.path = path,
                      .text = (const char *)bytes->data,
                      .n = bytes->n,
                      .hint = opn_i_prediction_hint(file)};
    size_t n_items = 0;
    OPN_TRY(begin_list(ctx, &list));
    OPN_TRY(count_items(ctx, list, &n_items));
    for (;;) {
        item found;
        OPN_TRY(next_item(ctx, &list, &found));
        if (found.text == NULL)
            break;
        OPN_TRY(opn_i_prediction_at(ctx, read_item(ctx, &found, &list, n_items, file),
                                    "%s: item %zu", path, list.n_items - 1));
    }
cleanup:
    return status;
}
