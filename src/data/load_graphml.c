// load_graphml.c -- loads GraphML files: what they say of nodes and edges becomes two
// tables, which are read as those of a folder are.

#include "data/loaders.h"
#include "io/path.h"
#include "io/xml_read.h"
#include "tables/folder_reader.h"

#include <limits.h>
#include <string.h>

// An attribute that nodes, edges or both may have, and its column in their tables.
typedef struct key {
    size_t node, edge; // or OPN_NO_COLUMN
    bool has_default;
} key;

// A row that is being read: value[column] is the number of a text, -1 for none.
typedef struct row {
    opn_i_names texts;
    int64_t *value; // [columns]
    opn_i_csv fields;
} row;

typedef struct document {
    opn_ctx *ctx;
    const char *path;
    opn_i_xml *xml;
    opn_i_names ids;      // of keys, with
    opn_i_names titles;   // what they are called and
    opn_i_names defaults; // what is meant where they are missing
    key *keys;
    size_t n_keys, key_room;
    opn_i_grid nodes, edges;
    row row;
    bool has_graph;
} document;

static void release_document(document *d)
{
    const opn_alloc *alloc = &d->ctx->alloc;
    opn_i_xml_close(d->ctx, d->xml);
    opn_i_names_deinit(alloc, &d->ids);
    opn_i_names_deinit(alloc, &d->titles);
    opn_i_names_deinit(alloc, &d->defaults);
    opn_i_release(alloc, d->keys);
    opn_i_grid_deinit(d->ctx, &d->nodes);
    opn_i_grid_deinit(d->ctx, &d->edges);
    opn_i_names_deinit(alloc, &d->row.texts);
    opn_i_release(alloc, d->row.value);
    opn_i_release(alloc, d->row.fields.field);
}

// ---- elements ------------------------------------------------------------------------

// Moves to the next element within the one at `depth`; false at its end. Elements of
// other namespaces, such as those that only yEd reads, are skipped.
static opn_status next_child(document *d, int depth, bool *found)
{
    static const char name_space[] = "http://graphml.graphdrawing.org/";
    opn_status status = OPN_OK;
    for (;;) {
        opn_i_xml_event event = OPN_XML_DONE;
        OPN_TRY(opn_i_xml_next(d->ctx, d->xml, &event));
        *found = false;
        if (event == OPN_XML_DONE ||
            (event == OPN_XML_END && opn_i_xml_depth(d->xml) == depth))
            break;
        const char *of = opn_i_xml_namespace(d->xml);
        *found = event == OPN_XML_START && opn_i_xml_depth(d->xml) == depth + 1 &&
                 (of[0] == 0 || strncmp(of, name_space, strlen(name_space)) == 0);
        if (*found)
            break;
    }
cleanup:
    return status;
}

static bool is_called(const document *d, const char *name)
{
    return strcmp(opn_i_xml_name(d->xml), name) == 0;
}

// The text of the current element, without blanks at its ends. *is_plain is false if
// there are elements in it.
static opn_status read_text(document *d, opn_i_text *text, bool *is_plain)
{
    static const char blanks[] = " \t\r\n";
    opn_status status = OPN_OK;
    const int depth = opn_i_xml_depth(d->xml);
    opn_i_xml_event event = OPN_XML_START;
    *is_plain = true;
    opn_i_text_empty(text);
    for (;;) {
        OPN_TRY(opn_i_xml_next(d->ctx, d->xml, &event));
        if (event == OPN_XML_DONE ||
            (event == OPN_XML_END && opn_i_xml_depth(d->xml) == depth))
            break;
        *is_plain = *is_plain && event != OPN_XML_START;
        if (event != OPN_XML_TEXT)
            continue;
        const char *part = opn_i_xml_text(d->xml);
        part += text->n == 0 ? strspn(part, blanks) : 0;
        opn_i_text_put(text, part, strlen(part));
    }
    while (text->n > 0 && strchr(blanks, text->chars[text->n - 1]) != NULL)
        text->chars[--text->n] = 0;
    OPN_TRY(text->status);
cleanup:
    return status;
}

// ---- keys ----------------------------------------------------------------------------

static opn_status
read_default(document *d, int depth, opn_i_text *text, bool *has_default)
{
    opn_status status = OPN_OK;
    bool found = false;
    *has_default = false;
    for (;;) {
        OPN_TRY(next_child(d, depth, &found));
        if (!found)
            break;
        if (is_called(d, "default"))
            OPN_TRY(read_text(d, text, has_default));
    }
cleanup:
    return status;
}

static opn_status read_key(document *d)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = d->ctx;
    const opn_i_xml *xml = d->xml;
    opn_i_text text = {.ctx = ctx};
    const size_t line = opn_i_xml_line(xml);
    const char *id = opn_i_xml_attribute(xml, "id");
    const char *of = opn_i_xml_attribute(xml, "for");
    const char *title = opn_i_xml_attribute(xml, "attr.name");
    const bool is_all = of == NULL || strcmp(of, "all") == 0;
    // What has no name, such as the shapes of yEd, is for programs that draw.
    key made = {OPN_NO_COLUMN, OPN_NO_COLUMN, false};
    made.node = title != NULL && (is_all || strcmp(of, "node") == 0) ? 0 : made.node;
    made.edge = title != NULL && (is_all || strcmp(of, "edge") == 0) ? 0 : made.edge;
    int32_t number = 0;
    OPN_FAIL_IF(ctx, id == NULL, OPN_ERR_FORMAT, "%s:%zu: a key without an id", d->path,
                line);
    OPN_TRY(opn_i_names_intern(ctx, &d->ids, id, strlen(id), &number));
    OPN_FAIL_IF(ctx, (size_t)number < d->n_keys, OPN_ERR_FORMAT,
                "%s:%zu: a second key with the id \"%s\"", d->path, line, id);
    title = title == NULL ? "" : title;
    OPN_TRY(opn_i_names_add(ctx, &d->titles, title, strlen(title)));
    OPN_TRY_RESERVE(ctx, d->keys, d->key_room, d->n_keys, d->n_keys + 1);
    OPN_TRY(read_default(d, 1, &text, &made.has_default));
    OPN_TRY(opn_i_names_add(ctx, &d->defaults, opn_i_text_chars(&text), text.n));
    d->keys[d->n_keys++] = made;
cleanup:
    opn_i_text_free(&text);
    return status;
}

// ---- rows ----------------------------------------------------------------------------

static void start_row(document *d, size_t n_columns)
{
    d->row.texts.n = 0;
    d->row.texts.n_text = 0;
    d->row.fields.n_fields = n_columns;
    d->row.fields.line = opn_i_xml_line(d->xml);
    for (size_t f = 0; f < n_columns; f++)
        d->row.value[f] = -1;
}

static opn_status put_value(document *d, size_t column, const char *text, size_t n)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_names_add(d->ctx, &d->row.texts, text, n));
    d->row.value[column] = d->row.texts.n - 1;
cleanup:
    return status;
}

static opn_status end_row(document *d, opn_i_grid *grid)
{
    opn_i_csv *fields = &d->row.fields;
    for (size_t f = 0; f < fields->n_fields; f++) {
        const int64_t value = d->row.value[f];
        const char *text = value < 0 ? "" : opn_i_names_at(&d->row.texts, value);
        fields->field[f] = (opn_i_csv_field){text, strlen(text), false};
    }
    return opn_i_grid_add_row(d->ctx, fields, grid);
}

// The header of a table: names of its own, then those of the keys.
static opn_status
start_table(document *d, opn_i_grid *grid, const char *const *names, bool is_of_nodes)
{
    opn_status status = OPN_OK;
    for (; *names != NULL; names++)
        OPN_TRY(put_value(d, grid->n_columns++, *names, strlen(*names)));
    for (size_t k = 0; k < d->n_keys; k++) {
        size_t *column = is_of_nodes ? &d->keys[k].node : &d->keys[k].edge;
        const char *title = opn_i_names_at(&d->titles, (int64_t)k);
        if (*column == OPN_NO_COLUMN)
            continue;
        *column = grid->n_columns++;
        OPN_TRY(put_value(d, *column, title, strlen(title)));
    }
    d->row.fields.n_fields = grid->n_columns;
    OPN_TRY(end_row(d, grid));
cleanup:
    return status;
}

static opn_status start_tables(document *d)
{
    static const char *const node_names[] = {"node", NULL};
    static const char *const edge_names[] = {"source", "target", NULL};
    opn_status status = OPN_OK;
    OPN_TRY_NEW(d->ctx, d->row.value, d->n_keys + 2);
    OPN_TRY_NEW(d->ctx, d->row.fields.field, d->n_keys + 2);
    start_row(d, 0);
    OPN_TRY(start_table(d, &d->nodes, node_names, true));
    start_row(d, 0);
    OPN_TRY(start_table(d, &d->edges, edge_names, false));
cleanup:
    return status;
}

// ---- nodes and edges -----------------------------------------------------------------

static opn_status read_datum(document *d, bool is_of_node, opn_i_text *text)
{
    opn_status status = OPN_OK;
    bool is_plain = false;
    const char *id = opn_i_xml_attribute(d->xml, "key");
    const int32_t k = id == NULL ? -1 : opn_i_names_find(&d->ids, id, strlen(id));
    OPN_FAIL_IF(
            d->ctx, k < 0, OPN_ERR_FORMAT,
            "%s:%zu: data with the key \"%s\", which is not declared before the graph",
            d->path, opn_i_xml_line(d->xml), id == NULL ? "" : id);
    const size_t column = is_of_node ? d->keys[k].node : d->keys[k].edge;
    OPN_TRY(read_text(d, text, &is_plain));
    if (is_plain && column != OPN_NO_COLUMN)
        OPN_TRY(put_value(d, column, opn_i_text_chars(text), text->n));
cleanup:
    return status;
}

// Reads the data of a node or edge into its row.
static opn_status read_data(document *d, bool is_of_node)
{
    opn_status status = OPN_OK;
    opn_i_text text = {.ctx = d->ctx};
    bool found = false;
    for (size_t k = 0; k < d->n_keys; k++) {
        const size_t column = is_of_node ? d->keys[k].node : d->keys[k].edge;
        const char *value = opn_i_names_at(&d->defaults, (int64_t)k);
        if (column != OPN_NO_COLUMN && d->keys[k].has_default)
            OPN_TRY(put_value(d, column, value, strlen(value)));
    }
    for (;;) {
        OPN_TRY(next_child(d, 2, &found));
        if (!found)
            break;
        OPN_FAIL_IF(d->ctx, is_called(d, "graph"), OPN_ERR_UNSUPPORTED,
                    "%s:%zu: a graph within a node; only graphs without levels are read",
                    d->path, opn_i_xml_line(d->xml));
        if (is_called(d, "data"))
            OPN_TRY(read_datum(d, is_of_node, &text));
    }
cleanup:
    opn_i_text_free(&text);
    return status;
}

static opn_status put_attribute(document *d, size_t column, const char *name)
{
    opn_status status = OPN_OK;
    const char *value = opn_i_xml_attribute(d->xml, name);
    OPN_FAIL_IF(d->ctx, value == NULL || value[0] == 0, OPN_ERR_FORMAT,
                "%s:%zu: <%s> without %s", d->path, opn_i_xml_line(d->xml),
                opn_i_xml_name(d->xml), name);
    OPN_TRY(put_value(d, column, value, strlen(value)));
cleanup:
    return status;
}

static opn_status read_node(document *d)
{
    opn_status status = OPN_OK;
    start_row(d, d->nodes.n_columns);
    OPN_TRY(put_attribute(d, 0, "id"));
    OPN_TRY(read_data(d, true));
    OPN_TRY(end_row(d, &d->nodes));
cleanup:
    return status;
}

static opn_status read_edge(document *d)
{
    opn_status status = OPN_OK;
    start_row(d, d->edges.n_columns);
    OPN_TRY(put_attribute(d, 0, "source"));
    OPN_TRY(put_attribute(d, 1, "target"));
    OPN_TRY(read_data(d, false));
    OPN_TRY(end_row(d, &d->edges));
cleanup:
    return status;
}

static opn_status read_graph(document *d)
{
    opn_status status = OPN_OK;
    bool found = false;
    OPN_FAIL_IF(d->ctx, d->has_graph, OPN_ERR_UNSUPPORTED,
                "%s:%zu: a second graph; a file has to hold only one", d->path,
                opn_i_xml_line(d->xml));
    d->has_graph = true;
    OPN_TRY(start_tables(d));
    for (;;) {
        OPN_TRY(next_child(d, 1, &found));
        if (!found)
            break;
        OPN_FAIL_IF(d->ctx, is_called(d, "hyperedge"), OPN_ERR_UNSUPPORTED,
                    "%s:%zu: a hyperedge; only edges between two nodes are read", d->path,
                    opn_i_xml_line(d->xml));
        if (is_called(d, "node"))
            OPN_TRY(read_node(d));
        else if (is_called(d, "edge"))
            OPN_TRY(read_edge(d));
    }
cleanup:
    return status;
}

static opn_status read_document(document *d)
{
    opn_status status = OPN_OK;
    bool found = false;
    OPN_TRY(next_child(d, -1, &found));
    OPN_FAIL_IF(d->ctx, !found || !is_called(d, "graphml"), OPN_ERR_FORMAT,
                "%s: is XML, but not GraphML; Gephi and NetworkX write GraphML", d->path);
    for (;;) {
        OPN_TRY(next_child(d, 0, &found));
        if (!found)
            break;
        if (is_called(d, "key") && !d->has_graph)
            OPN_TRY(read_key(d));
        else if (is_called(d, "graph"))
            OPN_TRY(read_graph(d));
    }
    OPN_FAIL_IF(d->ctx, !d->has_graph, OPN_ERR_FORMAT, "%s: has no graph", d->path);
cleanup:
    return status;
}

// ---- names of the nodes --------------------------------------------------------------

// Whether all ids are n0, n1 and so on, as programs write them that keep the name of a
// node apart.
static bool has_made_ids(const document *d)
{
    for (size_t r = 1; r < d->nodes.n_rows; r++) {
        const char *id = opn_i_grid_cell(&d->nodes, r, 0);
        if (id[0] != 'n' || id[1] == 0 || strspn(id + 1, "0123456789") < strlen(id + 1))
            return false;
    }
    return true;
}

// The column that is called name and has another value for every node, interned in
// `names`; OPN_NO_COLUMN if there is none.
static opn_status find_names(const document *d, opn_i_names *names, size_t *out)
{
    opn_status status = OPN_OK;
    const opn_i_grid *nodes = &d->nodes;
    *out = OPN_NO_COLUMN;
    for (size_t f = 1; f < nodes->n_columns && *out == OPN_NO_COLUMN; f++)
        if (strcmp(opn_i_grid_cell(nodes, 0, f), "name") == 0)
            *out = f;
    for (size_t r = 1; r < nodes->n_rows && *out != OPN_NO_COLUMN; r++) {
        const char *name = opn_i_grid_cell(nodes, r, *out);
        int32_t number = 0;
        OPN_TRY(opn_i_names_intern(d->ctx, names, name, strlen(name), &number));
        if (name[0] == 0 || (size_t)names->n < r)
            *out = OPN_NO_COLUMN;
    }
cleanup:
    return status;
}

// Copies a table with names in place of ids: those in its first n_ends columns. The
// column `without` is left out.
static opn_status rename_table(document *d,
                               const opn_i_names *ids,
                               const opn_i_names *names,
                               size_t n_ends,
                               size_t without,
                               opn_i_grid *grid)
{
    opn_status status = OPN_OK;
    opn_i_grid renamed = {0};
    opn_i_csv *fields = &d->row.fields;
    for (size_t r = 0; r < grid->n_rows; r++) {
        fields->n_fields = 0;
        fields->line = grid->line[r];
        for (size_t f = 0; f < grid->n_columns; f++) {
            const char *text = opn_i_grid_cell(grid, r, f);
            const int32_t node =
                    f < n_ends && r > 0 ? opn_i_names_find(ids, text, strlen(text)) : -1;
            text = node >= 0 ? opn_i_names_at(names, node) : text;
            if (f != without)
                fields->field[fields->n_fields++] =
                        (opn_i_csv_field){text, strlen(text), false};
        }
        renamed.n_columns = fields->n_fields;
        OPN_TRY(opn_i_grid_add_row(d->ctx, fields, &renamed));
    }
    opn_i_grid_deinit(d->ctx, grid);
    *grid = renamed;
    renamed = (opn_i_grid){0};
cleanup:
    opn_i_grid_deinit(d->ctx, &renamed);
    return status;
}

// Calls the nodes by their names where their ids say nothing.
static opn_status rename_nodes(document *d)
{
    opn_status status = OPN_OK;
    opn_i_names ids = {0};
    opn_i_names names = {0};
    size_t column = OPN_NO_COLUMN;
    if (has_made_ids(d))
        OPN_TRY(find_names(d, &names, &column));
    if (column == OPN_NO_COLUMN)
        goto cleanup;
    for (size_t r = 1; r < d->nodes.n_rows; r++) {
        const char *id = opn_i_grid_cell(&d->nodes, r, 0);
        int32_t number = 0;
        OPN_TRY(opn_i_names_intern(d->ctx, &ids, id, strlen(id), &number));
        OPN_FAIL_IF(d->ctx, (size_t)ids.n < r, OPN_ERR_FORMAT,
                    "%s:%zu: node \"%s\" is listed twice", d->path, d->nodes.line[r], id);
    }
    OPN_TRY(rename_table(d, &ids, &names, 1, column, &d->nodes));
    OPN_TRY(rename_table(d, &ids, &names, 2, OPN_NO_COLUMN, &d->edges));
cleanup:
    opn_i_names_deinit(&d->ctx->alloc, &ids);
    opn_i_names_deinit(&d->ctx->alloc, &names);
    return status;
}

opn_status opn_i_load_graphml(opn_ctx *ctx,
                              const char *path,
                              const opn_i_load_options *options,
                              opn_graph **out)
{
    opn_status status = OPN_OK;
    document d = {.ctx = ctx, .path = path};
    opn_i_bytes bytes = {0};
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_xml_open(ctx, path, &bytes, &d.xml));
    OPN_TRY(read_document(&d));
    OPN_TRY(rename_nodes(&d));
    const opn_i_given_table tables[] = {
            {"nodes", &d.nodes}, {"edges", &d.edges}, {NULL, NULL}};
    OPN_TRY(opn_i_load_tables(ctx, path, tables, options, out));
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    release_document(&d);
    return status;
}
