// page_data.c -- the data of a page: text as JSON, and numbers in one binary block.

#include "base/number.h"
#include "io/byte_order.h"
#include "io/json_write.h"
#include "report/image_tiles.h"
#include "report/page.h"
#include "report/view_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Places on a map need no more than 16 bits. What the model says is kept as it is: the
// page shows the digits that the command prints, and a threshold accepts the same nodes.
static const double unit_scale = 65535.0;

// ---- arrays --------------------------------------------------------------------------

typedef struct block {
    opn_ctx *ctx;
    unsigned char *bytes;
    size_t n, room;
    json_t *list; // of the arrays
} block;

// Makes room for an array of n items of `width` bytes, aligned to 4. *out points to its
// first byte until the next array begins.
static opn_status begin_array(block *b,
                              const char *name,
                              const char *kind,
                              size_t n,
                              size_t width,
                              unsigned char **out)
{
    opn_status status = OPN_OK;
    const size_t at = (b->n + 3) / 4 * 4;
    OPN_TRY_RESERVE(b->ctx, b->bytes, b->room, b->n, at + n * width + 1);
    if (b->bytes != NULL) // there is room for at least one more byte
        memset(b->bytes + b->n, 0, at - b->n);
    b->n = at + n * width;
    opn_i_json_append(b->list,
                      json_pack("{s:s,s:s,s:I,s:I}", "name", name, "kind", kind, "offset",
                                (json_int_t)at, "length", (json_int_t)n));
    *out = b->bytes + at;
cleanup:
    return status;
}

static opn_status add_u32(block *b, const char *name, size_t n, const uint32_t *value)
{
    opn_status status = OPN_OK;
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, name, "u32", n, 4, &to));
    for (size_t j = 0; j < n; j++)
        opn_i_put_le32(to + 4 * j, value[j]);
cleanup:
    return status;
}

static opn_status add_u16(block *b, const char *name, size_t n, const uint32_t *value)
{
    opn_status status = OPN_OK;
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, name, "u16", n, 2, &to));
    for (size_t j = 0; j < n; j++)
        opn_i_put_le16(to + 2 * j, (uint16_t)value[j]);
cleanup:
    return status;
}

static opn_status add_f32(block *b, const char *name, size_t n, const float *value)
{
    opn_status status = OPN_OK;
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, name, "f32", n, 4, &to));
    for (size_t j = 0; j < n; j++) {
        uint32_t bits = 0;
        memcpy(&bits, &value[j], sizeof(bits));
        opn_i_put_le32(to + 4 * j, bits);
    }
cleanup:
    return status;
}

// One coordinate, at 0 or 1, of places [n,2] within [0,1].
static opn_status
add_places(block *b, const char *name, size_t n, const float *place, int axis)
{
    opn_status status = OPN_OK;
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, name, "u16", n, 2, &to));
    for (size_t j = 0; j < n; j++) {
        const double scaled = unit_scale * (double)place[2 * j + (size_t)axis];
        const double held = scaled > 0.0 ? fmin(scaled, unit_scale) : 0.0; // NaN is 0
        opn_i_put_le16(to + 2 * j, (uint16_t)(held + 0.5));
    }
cleanup:
    return status;
}

// Classes; 65,535 means none.
static opn_status add_classes(block *b,
                              const char *name,
                              size_t n,
                              const int32_t *value,
                              const int32_t *name_of)
{
    opn_status status = OPN_OK;
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, name, "u16", n, 2, &to));
    for (size_t j = 0; j < n; j++) {
        const int32_t k = name_of == NULL ? value[j] : name_of[value[j]];
        opn_i_put_le16(to + 2 * j, k < 0 ? UINT16_MAX : (uint16_t)k);
    }
cleanup:
    return status;
}

// Lists each edge once, at its lower-numbered end.
static opn_status add_edges(block *b, const opn_i_csr *topology)
{
    opn_status status = OPN_OK;
    const size_t n_nodes = (size_t)topology->n_rows;
    uint32_t *start = NULL;
    uint32_t *end = NULL;
    size_t n = 0;
    OPN_TRY_NEW(b->ctx, start, n_nodes + 1);
    OPN_TRY_NEW(b->ctx, end, (size_t)opn_i_csr_n_entries(topology) / 2 + 1);
    for (int32_t i = 0; i < topology->n_rows; i++) {
        for (opn_off e = topology->row_ptr[i]; e < topology->row_ptr[i + 1]; e++)
            if (topology->col_idx[e] > i)
                end[n++] = (uint32_t)topology->col_idx[e];
        start[i + 1] = (uint32_t)n;
    }
    OPN_TRY(add_u32(b, "starts", n_nodes + 1, start));
    // Most graphs have few enough nodes to halve the greatest array of the page.
    OPN_TRY((n_nodes <= UINT16_MAX ? add_u16 : add_u32)(b, "ends", n, end));
cleanup:
    opn_i_release(&b->ctx->alloc, start);
    opn_i_release(&b->ctx->alloc, end);
    return status;
}

static const char *array_name(char text[32], int32_t view, const char *name)
{
    snprintf(text, 32, "%d.%s", view, name);
    return text;
}

// The thresholds behind the promises, [measures of the view, OPN_N_PROMISED].
static opn_status add_thresholds(block *b, const char *name, const opn_i_view *view)
{
    opn_status status = OPN_OK;
    float threshold[OPN_N_MEASURES * OPN_N_PROMISED];
    size_t n = 0;
    for (int m = 0; m < OPN_N_MEASURES && view->promises.n > 0; m++)
        for (int t = 0; t < OPN_N_PROMISED && view->said->measure[m] != NULL; t++)
            threshold[n++] = (float)view->promises.of[m][t].threshold;
    OPN_TRY(add_f32(b, name, n, threshold));
cleanup:
    return status;
}

// Bits of each node: 1 in the pool, 2 one that the accuracy is of.
static opn_status add_judges(block *b, const char *name, const opn_i_view *view)
{
    opn_status status = OPN_OK;
    int32_t *target = NULL;
    unsigned char *to = NULL;
    OPN_TRY(opn_i_view_targets(b->ctx, view, &target));
    OPN_TRY(begin_array(b, name, "u8", (size_t)view->n_nodes, 1, &to));
    for (int32_t i = 0; i < view->n_nodes; i++)
        to[i] = (unsigned char)((view->in_pool[i] && view->label[i] >= 0) |
                                (target[i] >= 0) << 1);
cleanup:
    opn_i_release(&b->ctx->alloc, target);
    return status;
}

static opn_status add_view_arrays(block *b, int32_t v, const opn_i_view *view)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)view->n_nodes;
    const size_t n_all = n * (size_t)view->n_known;
    char name[32];
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, array_name(name, v, "role"), "u8", n, 1, &to));
    memcpy(to, view->role, n);
    OPN_TRY(add_judges(b, array_name(name, v, "judges"), view));
    OPN_TRY(add_classes(b, array_name(name, v, "predicted"), n, view->said->predicted,
                        view->known));
    if (view->place != NULL) {
        OPN_TRY(add_places(b, array_name(name, v, "x"), n, view->place, 0));
        OPN_TRY(add_places(b, array_name(name, v, "y"), n, view->place, 1));
    }
    if (view->said->alpha != NULL)
        OPN_TRY(add_f32(b, array_name(name, v, "alpha"), n_all, view->said->alpha));
    else
        OPN_TRY(add_f32(b, array_name(name, v, "p"), n_all, view->said->probability));
    OPN_TRY(add_thresholds(b, array_name(name, v, "thresholds"), view));
    if (view->said->confidence != NULL)
        OPN_TRY(add_f32(b, array_name(name, v, "confidence"), n, view->said->confidence));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (view->said->measure[m] != NULL)
            OPN_TRY(add_f32(b, array_name(name, v, opn_measure_name((opn_measure)m)), n,
                            view->said->measure[m]));
cleanup:
    return status;
}

static opn_status add_arrays(block *b, const opn_report *report)
{
    opn_status status = OPN_OK;
    if (report->graph == NULL)
        return OPN_OK;
    OPN_TRY(add_edges(b, &report->graph->topology));
    OPN_TRY(add_classes(b, "label", (size_t)opn_i_graph_n_nodes(report->graph),
                        report->graph->label, NULL));
    for (int32_t v = 0; v < report->n_views; v++)
        OPN_TRY(add_view_arrays(b, v, &report->view[v]));
cleanup:
    return status;
}

// ---- text ----------------------------------------------------------------------------

static json_t *json_names(const opn_i_names *names)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < names->n; i++)
        opn_i_json_append(list, opn_i_json_string(opn_i_names_at(names, i)));
    return list;
}

static opn_status describe_graph(opn_ctx *ctx, const opn_report *report, json_t **out)
{
    opn_status status = OPN_OK;
    const opn_graph *graph = report->graph;
    char hash[65];
    json_t *object = NULL;
    OPN_TRY(opn_graph_hash(ctx, graph, hash));
    object = json_object();
    opn_i_json_set(object, "name", opn_i_json_string(graph->name));
    opn_i_json_set(object, "source", opn_i_json_string(report->source));
    opn_i_json_set(object, "nodes", json_integer(opn_i_graph_n_nodes(graph)));
    opn_i_json_set(object, "edges",
                   json_integer(opn_i_csr_n_entries(&graph->topology) / 2));
    opn_i_json_set(object, "features", json_integer(graph->features.n_cols));
    opn_i_json_set(object, "hash", opn_i_json_string(hash));
    opn_i_json_set(object, "classes", json_names(&report->classes));
    opn_i_json_set(object, "names",
                   graph->node_names.n > 0 ? json_names(&graph->node_names)
                                           : json_null());
    *out = object;
cleanup:
    return status;
}

opn_status opn_i_page_data(opn_ctx *ctx,
                           const opn_report *report,
                           json_t **about,
                           unsigned char **out,
                           size_t *n_out)
{
    opn_status status = OPN_OK;
    block b = {.ctx = ctx, .list = json_array()};
    json_t *document = json_object();
    json_t *views = json_array();
    json_t *graph = NULL;
    OPN_FAIL_IF(ctx, report->classes.n >= UINT16_MAX, OPN_ERR_OVERFLOW,
                "%s: has %lld classes, more than a page can show", report->title,
                (long long)report->classes.n);
    opn_i_json_set(document, "format", json_integer(2));
    opn_i_json_set(document, "opine", opn_i_json_string(opn_version()));
    opn_i_json_set(document, "title", opn_i_json_string(report->title));
    opn_i_json_set(document, "views", views);
    for (int32_t v = 0; v < report->n_views; v++) {
        json_t *view = NULL;
        json_t *images = NULL;
        OPN_TRY(opn_i_view_json(ctx, &report->view[v], &view));
        opn_i_json_append(views, view);
        OPN_TRY(opn_i_image_tiles(ctx, report->graph, &report->view[v], &images));
        opn_i_json_set(view, "images", images);
    }
    if (report->graph != NULL)
        OPN_TRY(describe_graph(ctx, report, &graph));
    OPN_TRY(add_arrays(&b, report));
    json_object_set(document, "graph", graph != NULL ? graph : json_null());
    json_object_set(document, "tables", report->tables);
    json_object_set(document, "manifest", report->manifest);
    if (report->live != NULL)
        json_object_set(document, "live", report->live);
    json_object_set(document, "arrays", b.list);
    *about = json_incref(document);
    *out = b.bytes;
    *n_out = b.n;
    b.bytes = NULL;
cleanup:
    opn_i_release(&ctx->alloc, b.bytes);
    json_decref(graph);
    json_decref(b.list);
    json_decref(document);
    return status;
}
