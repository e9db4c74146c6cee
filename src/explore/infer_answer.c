// infer_answer.c -- predictions for other programs, by the Open Inference Protocol v2.

#include "explore/explorer_data.h"

#include "io/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 200, BAD = 400, NOT_FOUND = 404, FAILED = 500, MAX_NODES = 1 << 16 };

static const char this_model[] = "/v2/models/opine";

// ---- tensors -------------------------------------------------------------------------

// An output: numbers of every node, or without them the predicted class.
typedef struct tensor {
    const char *name;
    const float *value; // [V, n_columns]
    int32_t n_columns;
} tensor;
enum { MAX_TENSORS = OPN_N_MEASURES + 4 };

// What the model has to say; returns how many.
static int list_tensors(const opn_prediction *said, tensor out[MAX_TENSORS])
{
    int n = 0;
    out[n++] = (tensor){"label", NULL, 1};
    out[n++] = (tensor){"p", opn_prediction_probability(said), said->n_classes};
    if (opn_prediction_alpha(said) != NULL)
        out[n++] = (tensor){"alpha", opn_prediction_alpha(said), said->n_classes};
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (said->measure[m] != NULL)
            out[n++] = (tensor){opn_measure_name((opn_measure)m), said->measure[m], 1};
    if (said->confidence != NULL)
        out[n++] = (tensor){"confidence", said->confidence, 1};
    return n;
}

static json_t *describe_tensor(const tensor *t)
{
    json_t *shape = json_pack("[i]", -1);
    if (t->n_columns > 1)
        opn_i_json_append(shape, json_integer(t->n_columns));
    return json_pack("{s:s,s:s,s:o}", "name", t->name, "datatype",
                     t->value == NULL ? "BYTES" : "FP32", "shape", shape);
}

static void describe_model(const opn_explorer *x, opn_i_answer *out)
{
    tensor of[MAX_TENSORS];
    const opn_model *model = x->explored[0].model;
    const int n = list_tensors(x->report->view[0].said, of);
    json_t *outputs = json_array();
    json_t *classes = json_array();
    for (int t = 0; t < n; t++)
        opn_i_json_append(outputs, describe_tensor(&of[t]));
    for (int32_t k = 0; k < opn_model_n_classes(model); k++)
        opn_i_json_append(classes, opn_i_json_string(opn_model_class_name(model, k)));
    opn_i_answer_json(out, OK,
                      json_pack("{s:s,s:[s],s:s,s:[{s:s,s:s,s:[i]}],s:o,s:{s:s,s:o}}",
                                "name", "opine", "versions", "1", "platform", "opine",
                                "inputs", "name", "nodes", "datatype", "INT64", "shape",
                                -1, "outputs", outputs, "parameters", "model",
                                opn_model_id(model), "classes", classes));
}

// ---- nodes ---------------------------------------------------------------------------

// Adds the nodes of a list; false if something is none, which has been answered then.
static bool read_nodes(const opn_explorer *x,
                       const json_t *data,
                       bool are_names,
                       opn_vid *node,
                       size_t *n,
                       opn_i_answer *out)
{
    size_t j = 0;
    const json_t *item = NULL;
    json_array_foreach(data, j, item)
    {
        const char *name = json_string_value(item);
        const json_int_t i = json_integer_value(item);
        const int32_t at =
                are_names && name != NULL
                        ? opn_i_names_find(&x->nodes, name, json_string_length(item))
                        : -1;
        if (*n == MAX_NODES) {
            opn_i_answer_error(out, BAD, "nodes: at most %d in one request", MAX_NODES);
            return false;
        }
        if (are_names && at >= 0)
            node[(*n)++] = x->node_of[at];
        else if (!are_names && json_is_integer(item) && i >= 0 &&
                 i < opn_graph_n_nodes(x->graph))
            node[(*n)++] = (opn_vid)i;
        else {
            if (are_names && name != NULL)
                opn_i_answer_error(out, BAD, "nodes: there is no node %.200s", name);
            else
                opn_i_answer_error(out, BAD, "nodes: item %zu is not %s", j,
                                   are_names ? "a name" : "the number of a node");
            return false;
        }
    }
    return true;
}

// The product of the shape, of which all but the first are 1; -1 if it is none.
static json_int_t count_of(const json_t *shape)
{
    size_t j = 0;
    const json_t *item = NULL;
    json_int_t n = json_array_size(shape) > 0 ? 1 : -1;
    json_array_foreach(shape, j, item)
    {
        const json_int_t size = json_integer_value(item);
        if (!json_is_integer(item) || size < 0 || size > INT32_MAX ||
            (j > 0 && size != 1))
            return -1;
        n *= size;
    }
    return n;
}

// Reads the input; false if something is wrong, which has been answered then.
static bool read_input(const opn_explorer *x,
                       const json_t *wanted,
                       opn_vid *node,
                       size_t *n,
                       opn_i_answer *out)
{
    const json_t *inputs = json_object_get(wanted, "inputs");
    const json_t *input = json_array_get(inputs, 0);
    const char *name = json_string_value(json_object_get(input, "name"));
    const char *type = json_string_value(json_object_get(input, "datatype"));
    const json_t *data = json_object_get(input, "data");
    if (json_array_size(inputs) != 1 || name == NULL || strcmp(name, "nodes") != 0) {
        opn_i_answer_error(out, BAD,
                           "inputs is a list of one tensor with the name nodes");
        return false;
    }
    if (type == NULL || (strcmp(type, "INT64") != 0 && strcmp(type, "BYTES") != 0)) {
        opn_i_answer_error(out, BAD,
                           "nodes: datatype is INT64 (numbers) or BYTES (names)");
        return false;
    }
    if (!json_is_array(data)) {
        opn_i_answer_error(out, BAD, "nodes: data is a list");
        return false;
    }
    if (!read_nodes(x, data, strcmp(type, "BYTES") == 0, node, n, out))
        return false;
    if (count_of(json_object_get(input, "shape")) != (json_int_t)*n) {
        opn_i_answer_error(out, BAD, "nodes: shape is [%zu] for this data", *n);
        return false;
    }
    return true;
}

// ---- answers -------------------------------------------------------------------------

// Adds a JSON string with its quotes.
static void put_quoted(opn_i_text *text, const char *chars)
{
    json_t *string = opn_i_json_string(chars);
    char *quoted = opn_i_json_text(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    if (quoted != NULL)
        opn_i_text_add(text, "%s", quoted);
    else if (text->status == OPN_OK)
        text->status = opn_i_fail(text->ctx, OPN_ERR_NOMEM, "out of memory for a text");
    free(quoted);
    json_decref(string);
}

static void put_number(opn_i_text *text, float value)
{
    if (isfinite(value))
        opn_i_text_add(text, "%.9g", (double)value); // nine digits tell floats apart
    else
        opn_i_text_put(text, "null", 4);
}

// Written as text: a document of a million numbers would take fifty times the memory.
static void put_tensor(const opn_explorer *x,
                       const tensor *t,
                       const opn_vid *node,
                       size_t n,
                       opn_i_text *text)
{
    const opn_prediction *said = x->report->view[0].said;
    const size_t width = (size_t)t->n_columns;
    opn_i_text_add(text, "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":[%zu", t->name,
                   t->value == NULL ? "BYTES" : "FP32", n);
    if (t->n_columns > 1)
        opn_i_text_add(text, ",%d", (int)t->n_columns);
    opn_i_text_add(text, "],\"data\":[");
    for (size_t j = 0; j < n; j++) {
        const size_t i = (size_t)node[j];
        if (t->value == NULL) {
            opn_i_text_put(text, ",", j > 0);
            put_quoted(text,
                       opn_model_class_name(x->explored[0].model, said->predicted[i]));
            continue;
        }
        for (size_t c = 0; c < width; c++) {
            opn_i_text_put(text, ",", j + c > 0);
            put_number(text, t->value[i * width + c]);
        }
    }
    opn_i_text_add(text, "]}");
}

// Keeps the tensors that the request names, in its order; all without names. -1 if there
// is no such tensor, which has been answered then.
static int choose_tensors(const json_t *wanted,
                          int n,
                          const tensor of[MAX_TENSORS],
                          tensor chosen[MAX_TENSORS],
                          opn_i_answer *out)
{
    const json_t *outputs = json_object_get(wanted, "outputs");
    const size_t n_wanted = json_array_size(outputs);
    memcpy(chosen, of, (size_t)n * sizeof(*of));
    if (n_wanted == 0)
        return n;
    for (size_t o = 0; o < n_wanted; o++) {
        const json_t *item = json_array_get(outputs, o);
        const char *name = json_string_value(json_object_get(item, "name"));
        int t = 0;
        while (t < n && (name == NULL || strcmp(of[t].name, name) != 0))
            t++;
        if (t == n || o == MAX_TENSORS) {
            opn_i_answer_error(out, BAD, "outputs: the model has no %.100s%s",
                               name != NULL ? name : "output without a name",
                               t < n ? " more than once" : "");
            return -1;
        }
        chosen[o] = of[t];
    }
    return (int)n_wanted;
}

static void put_document(const opn_explorer *x,
                         const json_t *wanted,
                         const opn_vid *node,
                         size_t n,
                         opn_i_answer *out)
{
    tensor of[MAX_TENSORS];
    tensor chosen[MAX_TENSORS];
    const char *id = json_string_value(json_object_get(wanted, "id"));
    const int n_tensors = choose_tensors(
            wanted, list_tensors(x->report->view[0].said, of), of, chosen, out);
    if (n_tensors < 0)
        return;
    opn_i_text_add(&out->body, "{\"model_name\":\"opine\",\"model_version\":\"1\",");
    if (id != NULL) {
        opn_i_text_add(&out->body, "\"id\":");
        put_quoted(&out->body, id);
        opn_i_text_put(&out->body, ",", 1);
    }
    opn_i_text_add(&out->body, "\"outputs\":[");
    for (int t = 0; t < n_tensors; t++) {
        opn_i_text_put(&out->body, ",", t > 0);
        put_tensor(x, &chosen[t], node, n, &out->body);
    }
    opn_i_text_add(&out->body, "]}\n");
}

static void infer(opn_ctx *ctx,
                  const opn_explorer *x,
                  const opn_i_request *request,
                  opn_i_answer *out)
{
    json_t *wanted = opn_i_request_json(request, out);
    opn_vid *node = opn_i_calloc(&ctx->alloc, MAX_NODES, sizeof(*node));
    size_t n = 0;
    if (wanted != NULL && node == NULL)
        opn_i_answer_error(out, FAILED, "out of memory");
    else if (wanted != NULL && read_input(x, wanted, node, &n, out))
        put_document(x, wanted, node, n, out);
    opn_i_release(&ctx->alloc, node);
    json_decref(wanted);
}

void opn_i_answer_inference(opn_ctx *ctx,
                            const opn_explorer *explorer,
                            const opn_i_request *request,
                            opn_i_answer *out)
{
    const char *path = request->path;
    const size_t n = sizeof(this_model) - 1;
    const bool is_model = strncmp(path, this_model, n) == 0;
    const bool is_get = strcmp(request->method, "GET") == 0;
    if (is_model && strcmp(path + n, "/infer") == 0 && !is_get)
        infer(ctx, explorer, request, out);
    else if (is_model && strcmp(path + n, "") == 0 && is_get)
        describe_model(explorer, out);
    else if (is_model && strcmp(path + n, "/ready") == 0 && is_get)
        opn_i_answer_json(out, OK,
                          json_pack("{s:s,s:b}", "name", "opine", "ready", true));
    else if (strcmp(path, "/v2") == 0 && is_get)
        opn_i_answer_json(out, OK,
                          json_pack("{s:s,s:s,s:[]}", "name", "opine", "version",
                                    opn_version(), "extensions"));
    else if (strcmp(path, "/v2/health/live") == 0 && is_get)
        opn_i_answer_json(out, OK, json_pack("{s:b}", "live", true));
    else if (strcmp(path, "/v2/health/ready") == 0 && is_get)
        opn_i_answer_json(out, OK, json_pack("{s:b}", "ready", true));
    else
        opn_i_answer_error(out, NOT_FOUND,
                           "there is no such address; the only model is opine");
}
