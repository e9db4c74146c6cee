// page_data.c -- the data of a page: text as JSON, and numbers in one binary block.

#include "base/number.h"
#include "io/byte_order.h"
#include "report/image_tiles.h"
#include "report/page.h"
#include "report/view_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Per-node numbers have 16 bits: a map of 65,536 positions, measures to 0.00002, alpha to
// 0.04 %, in a third of the bytes of decimal text.
static const double unit_scale = 65535.0;
static const double log_alpha_scale = 1424.0; // alpha up to e^46, as exp(z) is bounded

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
    json_array_append_new(b->list,
                          json_pack("{s:s,s:s,s:I,s:I}", "name", name, "kind", kind,
                                    "offset", (json_int_t)at, "length", (json_int_t)n));
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

// Numbers scaled by `scale` and rounded to 16 bits; NaN is 0.
static opn_status add_scaled(block *b,
                             const char *name,
                             size_t n,
                             const float *value,
                             size_t stride,
                             double (*scale)(double value))
{
    opn_status status = OPN_OK;
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, name, "u16", n, 2, &to));
    for (size_t j = 0; j < n; j++) {
        const double scaled = scale((double)value[j * stride]);
        const double held = scaled > 0.0 ? fmin(scaled, unit_scale) : 0.0;
        opn_i_put_le16(to + 2 * j, (uint16_t)(held + 0.5));
    }
cleanup:
    return status;
}

// A measure, from the lower end of its range on the page to the upper one.
static opn_status
add_measure(block *b, const char *name, const opn_i_view *view, opn_measure m)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)view->n_nodes;
    const float *value = view->said->measure[m];
    double low = 0.0;
    double high = 0.0;
    unsigned char *to = NULL;
    opn_i_view_range(view, m, &low, &high);
    OPN_TRY(begin_array(b, name, "u16", n, 2, &to));
    for (size_t j = 0; j < n; j++) {
        const double scaled = unit_scale * ((double)value[j] - low) / (high - low);
        const double held = scaled > 0.0 ? scaled : 0.0; // NaN is 0
        opn_i_put_le16(to + 2 * j, (uint16_t)(held + 0.5));
    }
cleanup:
    return status;
}

static double scale_unit(double value)
{
    return unit_scale * value;
}

static double scale_alpha(double alpha)
{
    return log_alpha_scale * log(alpha);
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
    OPN_TRY(add_u32(b, "ends", n, end));
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

static opn_status add_view_arrays(block *b, int32_t v, const opn_i_view *view)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)view->n_nodes;
    const size_t n_all = n * (size_t)view->n_known;
    char name[32];
    unsigned char *to = NULL;
    OPN_TRY(begin_array(b, array_name(name, v, "role"), "u8", n, 1, &to));
    memcpy(to, view->role, n);
    OPN_TRY(add_classes(b, array_name(name, v, "predicted"), n, view->said->predicted,
                        view->known));
    if (view->place != NULL) {
        OPN_TRY(add_scaled(b, array_name(name, v, "x"), n, view->place, 2, scale_unit));
        OPN_TRY(add_scaled(b, array_name(name, v, "y"), n, view->place + 1, 2,
                           scale_unit));
    }
    if (view->said->alpha != NULL)
        OPN_TRY(add_scaled(b, array_name(name, v, "alpha"), n_all, view->said->alpha, 1,
                           scale_alpha));
    else
        OPN_TRY(add_scaled(b, array_name(name, v, "p"), n_all, view->said->probability, 1,
                           scale_unit));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (view->said->measure[m] != NULL)
            OPN_TRY(add_measure(b, array_name(name, v, opn_measure_name((opn_measure)m)),
                                view, (opn_measure)m));
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

// Text that may not be UTF-8, such as the path of a folder.
static json_t *json_text(const char *text)
{
    json_t *object = json_string(text);
    return object != NULL ? object : json_string("?");
}

static json_t *json_names(const opn_i_names *names)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < names->n; i++)
        json_array_append_new(list, json_text(opn_i_names_at(names, i)));
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
    json_object_set_new(object, "name", json_text(graph->name));
    json_object_set_new(object, "nodes", json_integer(opn_i_graph_n_nodes(graph)));
    json_object_set_new(object, "edges",
                        json_integer(opn_i_csr_n_entries(&graph->topology) / 2));
    json_object_set_new(object, "features", json_integer(graph->features.n_cols));
    json_object_set_new(object, "hash", json_string(hash));
    json_object_set_new(object, "classes", json_names(&report->classes));
    json_object_set_new(object, "names",
                        graph->node_names.n > 0 ? json_names(&graph->node_names)
                                                : json_null());
    *out = object;
cleanup:
    return status;
}

// Describes the best measure for a task; false if nothing was ranked.
static bool tell_best(const json_t *view, const char *task, char text[64])
{
    const json_t *detection = json_object_get(json_object_get(view, "detection"), task);
    double best = -1.0;
    const json_t *measures = json_object_get(detection, "measures");
    for (size_t m = 0; m < json_array_size(measures); m++) {
        const json_t *one = json_array_get(measures, m);
        const double auroc = json_number_value(json_object_get(one, "auroc"));
        const char *name = json_string_value(json_object_get(one, "measure"));
        if (auroc <= best || name == NULL) // NULL: out of memory
            continue;
        best = auroc;
        opn_i_format(text, 64, "%s (AUROC %.1f %%)", name, auroc);
    }
    return best >= 0.0;
}

// A sentence or two about each view.
static void add_sentences(const opn_i_view *view, const json_t *about, json_t *list)
{
    const json_t *quality = json_object_get(about, "quality");
    const json_int_t n = json_integer_value(json_object_get(quality, "nodes"));
    const bool is_ood = opn_i_view_is_ood(view);
    char text[256];
    char best[64];
    if (n > 0) {
        const bool is_elsewhere = view->is_elsewhere;
        opn_i_format(text, sizeof(text),
                     "%s%s classifies %.1f %% of %lld %s nodes correctly%s.", view->model,
                     is_ood ? ", trained without some classes," : "",
                     json_number_value(json_object_get(quality, "accuracy")),
                     (long long)n, is_elsewhere ? "labelled" : "test",
                     is_elsewhere ? ", some of which may have been used to train it"
                                  : "");
        json_array_append_new(list, json_text(text));
    } else {
        snprintf(text, sizeof(text), "There are no test nodes to score %s on.",
                 view->model);
        json_array_append_new(list, json_text(text));
    }
    if (tell_best(about, view->task, best)) {
        snprintf(text, sizeof(text), "Best measure for detecting %s nodes: %s.",
                 is_ood ? "out-of-distribution" : "misclassified", best);
        json_array_append_new(list, json_text(text));
    }
}

static json_t *summarise(const opn_report *report, const json_t *views)
{
    json_t *list = json_array();
    for (int32_t v = 0; v < report->n_views; v++)
        add_sentences(&report->view[v], json_array_get(views, (size_t)v), list);
    return list;
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
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "opine", json_string(opn_version()));
    json_object_set_new(document, "title", json_text(report->title));
    json_object_set_new(document, "views", views);
    for (int32_t v = 0; v < report->n_views; v++) {
        json_t *view = NULL;
        json_t *images = NULL;
        OPN_TRY(opn_i_view_json(ctx, &report->view[v], &view));
        json_array_append_new(views, view);
        OPN_TRY(opn_i_image_tiles(ctx, report->graph, &report->view[v], &images));
        json_object_set_new(view, "images", images);
    }
    if (report->graph != NULL)
        OPN_TRY(describe_graph(ctx, report, &graph));
    OPN_TRY(add_arrays(&b, report));
    json_object_set_new(document, "summary", summarise(report, views));
    json_object_set(document, "graph", graph != NULL ? graph : json_null());
    json_object_set(document, "tables", report->tables);
    json_object_set(document, "manifest", report->manifest);
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
