// params_fuzz.c -- any bytes as parameters, name=value in each line, and all that is done
// with them on a small graph: checks, preset, split, training, prediction, decisions.

#include "explore/http_gate.h"
#include "fuzz_target.h"
#include "graph/protocol.h"
#include "opine/opine.h"

#include <math.h>
#include <string.h>

enum { NODES = 24, CLASSES = 3, FEATURES = 4 };

// What makes a training long, and how far it may go here.
static const struct {
    const char *name, *most;
} limits[] = {{"epochs", "2"},    {"teacher_epochs", "2"}, {"hidden", "8"},
              {"members", "2"},   {"samples", "3"},        {"heads", "2"},
              {"out_heads", "2"}, {"propagate", "3"},      {"threads", "1"}};

// Three groups of a ring, in which one node in two is labelled.
static opn_graph *ring(opn_ctx *ctx)
{
    opn_vid source[NODES];
    opn_vid target[NODES];
    float feature[NODES * FEATURES];
    int32_t label[NODES];
    opn_graph *graph = NULL;
    opn_graph *prepared = NULL;
    for (int i = 0; i < NODES; i++) {
        source[i] = i;
        target[i] = (i + 1) % NODES;
        label[i] = i % 2 == 0 ? i * CLASSES / NODES : -1;
        for (int j = 0; j < FEATURES; j++)
            feature[FEATURES * i + j] = (float)((i * CLASSES / NODES + j * i) % 5);
    }
    fuzz_check(opn_graph_create_edges(ctx, NODES, NODES, source, target, NULL, &graph) ==
               OPN_OK);
    fuzz_check(opn_graph_set_features(ctx, graph, FEATURES, feature) == OPN_OK);
    fuzz_check(opn_graph_set_labels(ctx, graph, CLASSES, label) == OPN_OK);
    fuzz_check(opn_graph_prepare(ctx, graph, opn_graph_usual_steps(graph), &prepared) ==
               OPN_OK);
    opn_graph_free(graph);
    return prepared;
}

// ---- setting -------------------------------------------------------------------------

// A value that was taken is what the table allows.
static void check_value(const opn_params *params, const opn_param *param)
{
    const double number = opn_params_real(params, param->name);
    if (param->kind == OPN_PARAM_INT || param->kind == OPN_PARAM_REAL)
        fuzz_check(number >= param->min && number <= param->max);
    if (param->kind == OPN_PARAM_INT)
        fuzz_check((double)opn_params_int(params, param->name) == number);
    fuzz_check(opn_params_given(params, param->name));
}

static void set_all(opn_ctx *ctx, char *text, size_t size, opn_params *params)
{
    char *end = text + size;
    for (char *at = text; at < end;) {
        char *name = at;
        at[strcspn(at, "\n")] = 0;
        at += strlen(at) + 1;
        char *value = strchr(name, '=');
        if (value == NULL)
            continue;
        *value++ = 0;
        const opn_param *param = opn_param_find(name);
        const opn_status status = opn_params_set(ctx, params, name, value);
        fuzz_check(status == OPN_OK || status == OPN_ERR_INVALID_ARG);
        fuzz_check(status == OPN_OK || opn_ctx_error(ctx)[0] != 0);
        fuzz_check(param != NULL || status != OPN_OK);
        if (status == OPN_OK)
            check_value(params, param);
    }
}

static void check_copy(opn_ctx *ctx, const opn_params *params)
{
    opn_params *copy = NULL;
    fuzz_check(opn_params_copy(ctx, params, &copy) == OPN_OK);
    for (size_t p = 0; p < opn_param_count(); p++) {
        const char *name = opn_param_at(p)->name;
        fuzz_check(opn_params_given(copy, name) == opn_params_given(params, name));
        fuzz_check(strcmp(opn_params_text(copy, name), opn_params_text(params, name)) ==
                   0);
    }
    opn_params_free(copy);
}

// ---- using ---------------------------------------------------------------------------

// Whether it went on; otherwise the parameters were blamed, or what they come to.
static bool is_done(opn_ctx *ctx, opn_status status)
{
    fuzz_check(status == OPN_OK || status == OPN_ERR_INVALID_ARG ||
               status == OPN_ERR_SHAPE || status == OPN_ERR_UNSUPPORTED ||
               status == OPN_ERR_NONFINITE);
    fuzz_check(status == OPN_OK || opn_ctx_error(ctx)[0] != 0);
    return status == OPN_OK;
}

static void limit(opn_ctx *ctx, opn_params *params)
{
    for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++)
        if (opn_params_int(params, limits[l].name) > strtol(limits[l].most, NULL, 10) ||
            strcmp(limits[l].name, "threads") == 0)
            fuzz_check(opn_params_set(ctx, params, limits[l].name, limits[l].most) ==
                       OPN_OK);
}

static void check_prediction(const opn_prediction *said)
{
    const float *p = opn_prediction_probability(said);
    for (int32_t j = 0; j < NODES * opn_prediction_n_classes(said); j++)
        fuzz_check(p[j] >= 0.0f && p[j] <= 1.0f);
}

static void use(opn_ctx *ctx, const opn_graph *graph, opn_params *params)
{
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_prediction *said = NULL;
    opn_decisions *made = NULL;
    opn_i_gate gate;
    if (!opn_params_given(params, "model")) // auto would train three, several times
        fuzz_check(opn_params_set(ctx, params, "model", "s-gcn") == OPN_OK);
    (void)is_done(ctx, opn_i_gate_init(ctx, opn_params_text(params, "listen"), &gate));
    if (is_done(ctx, opn_params_check_models(ctx, params, 0)) &&
        is_done(ctx, opn_i_protocol_check(ctx, params)) &&
        is_done(ctx, opn_params_use_preset(ctx, graph, params))) {
        limit(ctx, params);
        if (is_done(ctx, opn_split_from_params(ctx, graph, params, &split)) &&
            is_done(ctx, opn_model_train(ctx, graph, split, params, NULL, &model)) &&
            is_done(ctx, opn_model_calibrate(ctx, graph, split, params, model)) &&
            is_done(ctx, opn_decide_check(ctx, model, graph, split, params)) &&
            is_done(ctx, opn_model_predict(ctx, model, graph, params, 0, &said))) {
            check_prediction(said);
            (void)is_done(ctx, opn_prediction_decide(ctx, model, graph, split, params,
                                                     said, &made));
        }
    }
    opn_decisions_free(made);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_split_free(split);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_params *params = NULL;
    char *text = malloc(size + 1);
    fuzz_check(text != NULL && opn_ctx_create(NULL, &ctx) == OPN_OK);
    fuzz_check(opn_params_create(ctx, &params) == OPN_OK);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    set_all(ctx, text, size, params);
    check_copy(ctx, params);
    opn_graph *graph = ring(ctx);
    use(ctx, graph, params);
    opn_graph_free(graph);
    opn_params_free(params);
    opn_ctx_free(ctx);
    free(text);
    return 0;
}
