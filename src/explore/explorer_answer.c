// explorer_answer.c -- what is answered to each request.

#include "explore/explorer_data.h"

#include "io/json_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 200, ACCEPTED = 202, BAD = 400, NOT_FOUND = 404, BUSY = 409, FAILED = 500 };
enum { MAX_EDITS = 10000 };

// ---- documents -----------------------------------------------------------------------

void opn_i_answer_json(opn_i_answer *out, int code, json_t *document)
{
    char *text = opn_i_json_text(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(document);
    out->code = text != NULL ? code : FAILED;
    opn_i_text_empty(&out->body);
    opn_i_text_add(&out->body, "%s\n",
                   text != NULL ? text : "{\"error\":\"out of memory\"}");
    free(text);
}

void opn_i_answer_error(opn_i_answer *out, int code, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    opn_i_answer_json(out, code, json_pack("{s:o}", "error", opn_i_json_string(text)));
}

json_t *opn_i_request_json(const opn_i_request *request, opn_i_answer *out)
{
    json_error_t error;
    json_t *document =
            json_loadb(request->body, request->n_body, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(document))
        return document;
    if (document == NULL)
        opn_i_answer_error(out, BAD, "the body is not JSON: line %d: %s", error.line,
                           error.text);
    else
        opn_i_answer_error(out, BAD, "the body is not a JSON object");
    json_decref(document);
    return NULL;
}

// ---- state ---------------------------------------------------------------------------

static json_t *describe_edits(const opn_i_what_if *what_if)
{
    json_t *list = json_array();
    for (size_t e = 0; e < what_if->n_edits; e++)
        opn_i_json_append(
                list, json_pack("{s:i,s:o}", "node", (int)what_if->edit[e].node, "class",
                                what_if->edit[e].label < 0
                                        ? json_null()
                                        : json_integer(what_if->edit[e].label)));
    return list;
}

static json_t *describe_work(opn_explorer *x)
{
    opn_i_work_state state;
    opn_i_worker_look(x->worker, &state);
    json_t *work = json_pack(
            "{s:I,s:o,s:s,s:o,s:I,s:I,s:o,s:o}", "number", (json_int_t)state.number,
            "what", opn_i_json_string(state.what), "status",
            opn_i_work_status_name(state.status), "stage", opn_i_json_string(state.stage),
            "done", (json_int_t)state.done, "total", (json_int_t)state.total, "error",
            opn_i_json_string(state.error), "warnings",
            opn_i_json_string(state.warnings));
    opn_i_json_set(work, "seconds", opn_i_json_number(state.seconds));
    return work;
}

static void answer_state(opn_explorer *x, opn_i_answer *out)
{
    json_t *state = json_object();
    opn_i_json_set(state, "work", describe_work(x));
    (void)pthread_mutex_lock(&x->lock);
    opn_i_json_set(state, "models", json_integer(x->n_explored));
    opn_i_json_set(state, "what_if",
                   x->done.edit == NULL
                           ? json_null()
                           : json_pack("{s:i,s:o}", "model", (int)x->done.view, "labels",
                                       describe_edits(&x->done)));
    (void)pthread_mutex_unlock(&x->lock);
    opn_i_answer_json(out, OK, state);
}

// ---- what-if -------------------------------------------------------------------------

// Whether the member is an integer in [0, n).
static bool read_index(const json_t *value, json_int_t n, json_int_t *out)
{
    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= 0 && *out < n;
}

static bool is_repeated(const opn_i_what_if *what_if, opn_vid node)
{
    for (size_t e = 0; e < what_if->n_edits; e++)
        if (what_if->edit[e].node == node)
            return true;
    return false;
}

// One label; false if it is wrong, which has been answered then.
static bool read_edit(const opn_explorer *x,
                      const json_t *object,
                      opn_i_what_if *into,
                      opn_i_answer *out)
{
    const json_t *label = json_object_get(object, "class");
    const opn_split *split = x->explored[into->view].split;
    json_int_t node = 0;
    json_int_t k = -1;
    char number[12];
    if (!read_index(json_object_get(object, "node"), opn_graph_n_nodes(x->graph),
                    &node)) {
        opn_i_answer_error(out, BAD, "a label is of no node from 0 to %d",
                           (int)opn_graph_n_nodes(x->graph) - 1);
        return false;
    }
    if (json_is_null(label))
        k = -1;
    else if (!read_index(label, opn_graph_n_classes(x->graph), &k)) {
        opn_i_answer_error(out, BAD, "a class is null or from 0 to %d",
                           (int)opn_graph_n_classes(x->graph) - 1);
        return false;
    }
    if (k >= 0 && opn_split_known(split)[k] < 0) {
        opn_i_answer_error(out, BAD, "%s is not a class that this model learns",
                           opn_graph_class_name(x->graph, (int32_t)k, number));
        return false;
    }
    if (is_repeated(into, (opn_vid)node)) {
        opn_i_answer_error(out, BAD, "node %d has two labels", (int)node);
        return false;
    }
    into->edit[into->n_edits++] = (opn_i_edit){(opn_vid)node, (int32_t)k};
    return true;
}

// Forgets what was tried.
static void reset_what_if(opn_ctx *ctx, opn_explorer *x)
{
    (void)pthread_mutex_lock(&x->lock);
    opn_i_what_if old = x->done;
    x->done = (opn_i_what_if){0};
    (void)pthread_mutex_unlock(&x->lock);
    opn_i_what_if_deinit(&ctx->alloc, &old);
}

static void
start_work(opn_explorer *x, const char *what, opn_i_work_fn run, opn_i_answer *out)
{
    if (opn_i_worker_start(x->worker, what, run, x))
        opn_i_answer_json(out, ACCEPTED, json_pack("{s:o}", "work", describe_work(x)));
    else
        opn_i_answer_error(out, FAILED, "there is no thread for it");
}

static bool is_busy(opn_explorer *x, opn_i_answer *out)
{
    opn_i_work_state state;
    opn_i_worker_look(x->worker, &state);
    if (state.status == OPN_WORK_RUNNING)
        opn_i_answer_error(out, BUSY, "something is being trained; wait or cancel it");
    return state.status == OPN_WORK_RUNNING;
}

// Reads the labels to train with; false if something is wrong, which has been answered.
static bool read_what_if(opn_ctx *ctx,
                         opn_explorer *x,
                         const json_t *wanted,
                         opn_i_what_if *into,
                         opn_i_answer *out)
{
    const json_t *labels = json_object_get(wanted, "labels");
    const size_t n = json_array_size(labels);
    json_int_t view = 0;
    if (!read_index(json_object_get(wanted, "model"), x->n_explored, &view)) {
        opn_i_answer_error(out, BAD, "model is a number from 0 to %d",
                           (int)x->n_explored - 1);
        return false;
    }
    if (!json_is_array(labels) || n > MAX_EDITS) {
        opn_i_answer_error(out, BAD, "labels is a list of at most %d", MAX_EDITS);
        return false;
    }
    if (x->explored[view].split == NULL) {
        opn_i_answer_error(out, BAD,
                           "it is not known which nodes trained this model: it was "
                           "trained on another graph, or on another split of it");
        return false;
    }
    into->view = (int32_t)view;
    into->edit = opn_i_calloc(&ctx->alloc, n, sizeof(*into->edit));
    if (into->edit == NULL) {
        opn_i_answer_error(out, FAILED, "out of memory");
        return false;
    }
    for (size_t e = 0; e < n; e++)
        if (!read_edit(x, json_array_get(labels, e), into, out))
            return false;
    return true;
}

static void post_what_if(opn_ctx *ctx,
                         opn_explorer *x,
                         const opn_i_request *request,
                         opn_i_answer *out)
{
    opn_i_what_if read = {0};
    json_t *wanted = opn_i_request_json(request, out);
    if (wanted != NULL && !is_busy(x, out) && read_what_if(ctx, x, wanted, &read, out)) {
        if (read.n_edits == 0) {
            reset_what_if(ctx, x);
            answer_state(x, out);
        } else {
            opn_i_what_if_deinit(&ctx->alloc, &x->wanted);
            x->wanted = read;
            read = (opn_i_what_if){0};
            start_work(x, "what-if", opn_i_explorer_what_if, out);
        }
    }
    opn_i_what_if_deinit(&ctx->alloc, &read);
    json_decref(wanted);
}

static void answer_what_if(opn_explorer *x, opn_i_answer *out)
{
    (void)pthread_mutex_lock(&x->lock);
    if (x->done.text != NULL)
        opn_i_text_put(&out->body, x->done.text, x->done.n_text);
    else
        opn_i_answer_error(out, NOT_FOUND, "no label was changed");
    (void)pthread_mutex_unlock(&x->lock);
}

// ---- models --------------------------------------------------------------------------

static bool is_model_name(const char *name)
{
    const char *choices = opn_param_find("model")->choices;
    const size_t n = strlen(name);
    for (const char *at = choices; *at != 0;) {
        const size_t n_choice = strcspn(at, "|");
        if (n_choice == n && memcmp(at, name, n) == 0)
            return true;
        at += n_choice + (at[n_choice] == '|');
    }
    return false;
}

static void post_model(opn_explorer *x, const opn_i_request *request, opn_i_answer *out)
{
    json_t *wanted = opn_i_request_json(request, out);
    const char *name = json_string_value(json_object_get(wanted, "model"));
    const json_t *seed = json_object_get(wanted, "seed");
    const opn_param *bounds = opn_param_find("seed");
    if (wanted == NULL || is_busy(x, out)) {
        json_decref(wanted);
        return;
    }
    if (name == NULL || !is_model_name(name))
        opn_i_answer_error(out, BAD, "model is one of %s",
                           opn_param_find("model")->choices);
    else if (seed != NULL && (!json_is_integer(seed) || json_integer_value(seed) < 0 ||
                              (double)json_integer_value(seed) > bounds->max))
        opn_i_answer_error(out, BAD, "seed is a number from 0 to %.0f", bounds->max);
    else if (x->n_explored == OPN_MAX_VIEWS)
        opn_i_answer_error(out, BAD, "a page shows at most %d models", OPN_MAX_VIEWS);
    else {
        snprintf(x->wanted_model, sizeof(x->wanted_model), "%s", name);
        x->wanted_seed = json_integer_value(seed);
        start_work(x, "model", opn_i_explorer_train, out);
    }
    json_decref(wanted);
}

// The bytes of a model's file; `model` is NULL if there is none.
static void answer_model(opn_ctx *ctx, const opn_model *model, opn_i_answer *out)
{
    opn_bytes *bytes = NULL;
    if (model == NULL) {
        opn_i_answer_error(out, NOT_FOUND, "there is no such model");
        return;
    }
    if (opn_model_write(ctx, model, &bytes) != OPN_OK) {
        opn_i_answer_error(out, FAILED, "%s", opn_ctx_error(ctx));
        return;
    }
    out->type = "application/octet-stream";
    opn_i_text_put(&out->body, opn_bytes_data(bytes), opn_bytes_size(bytes));
    opn_bytes_free(bytes);
}

// "/models/N" or "/what-if/model".
static void get_model(opn_ctx *ctx, opn_explorer *x, const char *path, opn_i_answer *out)
{
    const opn_model *model = NULL;
    (void)pthread_mutex_lock(&x->lock);
    if (strcmp(path, "/what-if/model") == 0)
        model = x->done.model;
    else if (strlen(path) == 9 && path[8] >= '0' && path[8] - '0' < x->n_explored)
        model = x->explored[path[8] - '0'].model;
    answer_model(ctx, model, out); // under the lock: a what-if may be replaced
    (void)pthread_mutex_unlock(&x->lock);
}

// ---- routes --------------------------------------------------------------------------

static void answer_get(opn_ctx *ctx, opn_explorer *x, const char *path, opn_i_answer *out)
{
    if (strcmp(path, "/") == 0) {
        out->type = "text/html; charset=utf-8";
        (void)pthread_mutex_lock(&x->lock);
        opn_i_text_put(&out->body, x->page, x->n_page);
        (void)pthread_mutex_unlock(&x->lock);
    } else if (strcmp(path, "/healthz") == 0)
        opn_i_answer_json(out, OK, json_pack("{s:s}", "status", "ok"));
    else if (strcmp(path, "/state") == 0)
        answer_state(x, out);
    else if (strcmp(path, "/what-if") == 0)
        answer_what_if(x, out);
    else if (strncmp(path, "/models/", 8) == 0 || strcmp(path, "/what-if/model") == 0)
        get_model(ctx, x, path, out);
    else
        opn_i_answer_error(out, NOT_FOUND, "there is nothing to get here");
}

static void answer_post(opn_ctx *ctx,
                        opn_explorer *x,
                        const opn_i_request *request,
                        opn_i_answer *out)
{
    json_t *wanted = NULL;
    if (strcmp(request->path, "/what-if") == 0)
        post_what_if(ctx, x, request, out);
    else if (strcmp(request->path, "/models") == 0)
        post_model(x, request, out);
    else if (strcmp(request->path, "/cancel") == 0) {
        opn_i_worker_cancel(x->worker);
        answer_state(x, out);
    } else if (strcmp(request->path, "/features") == 0) {
        wanted = opn_i_request_json(request, out);
        if (wanted != NULL)
            opn_i_answer_features(ctx, x, wanted, out);
    } else
        opn_i_answer_error(out, NOT_FOUND, "there is nothing to post to here");
    json_decref(wanted);
}

void opn_i_explorer_answer(opn_ctx *ctx,
                           void *explorer,
                           const opn_i_request *request,
                           opn_i_answer *out)
{
    const bool is_v2 = strncmp(request->path, "/v2", 3) == 0 &&
                       strchr("/", request->path[3]) != NULL;
    if (is_v2)
        opn_i_answer_inference(ctx, explorer, request, out);
    else if (strcmp(request->method, "POST") == 0)
        answer_post(ctx, explorer, request, out);
    else
        answer_get(ctx, explorer, request->path, out);
}
