// model_file_fuzz.c -- any bytes as the file of a model, which is asked and saved again.

#include "load_fuzz.h"

static const char *const names[] = {"m.safetensors"};

enum { NODES = 3, MOST_FEATURES = 64 };

// A path of three nodes, whose features the model will do with.
static opn_graph *path_graph(opn_ctx *ctx, int32_t n_features)
{
    static const opn_vid source[] = {0, 1};
    static const opn_vid target[] = {1, 2};
    static float features[NODES * MOST_FEATURES];
    opn_graph *graph = NULL;
    for (int j = 0; j < NODES * MOST_FEATURES; j++)
        features[j] = (float)(j % 5);
    fuzz_check(opn_graph_create_edges(ctx, NODES, 2, source, target, NULL, &graph) ==
               OPN_OK);
    fuzz_check(opn_graph_set_features(ctx, graph, n_features, features) == OPN_OK);
    return graph;
}

// A prediction is sound, or refused for a reason that lies in the weights or because the
// model knows only the nodes of another graph.
static void ask_model(opn_ctx *ctx, const opn_model *model)
{
    const int32_t n_classes = opn_model_n_classes(model);
    opn_params *params = NULL;
    fuzz_check(opn_params_create(ctx, &params) == OPN_OK);
    fuzz_check(opn_params_set(ctx, params, "samples", "2") == OPN_OK);
    opn_graph *graph = path_graph(ctx, opn_model_n_features(model));
    opn_prediction *said = NULL;
    const opn_status status = opn_model_predict(ctx, model, graph, params, 0, &said);
    const bool is_other = status == OPN_ERR_SHAPE &&
                          strstr(opn_ctx_error(ctx), "knows only the nodes") != NULL;
    fuzz_check(status == OPN_OK || status == OPN_ERR_NONFINITE || is_other);
    fuzz_check((status == OPN_OK) == (said != NULL));
    const float *p = said == NULL ? NULL : opn_prediction_probability(said);
    for (int32_t j = 0; p != NULL && j < NODES * n_classes; j++)
        fuzz_check(p[j] >= 0.0f && p[j] <= 1.0f);
    opn_prediction_free(said);
    opn_graph_free(graph);
    opn_params_free(params);
}

static void save_again(opn_ctx *ctx, const opn_model *model, const char *path)
{
    opn_model *again = NULL;
    fuzz_check(opn_model_save(ctx, model, path) == OPN_OK);
    fuzz_check(opn_model_load(ctx, path, &again) == OPN_OK);
    fuzz_check(strcmp(opn_model_id(again), opn_model_id(model)) == 0);
    fuzz_check(opn_model_n_features(again) == opn_model_n_features(model));
    fuzz_check(opn_model_n_classes(again) == opn_model_n_classes(model));
    opn_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    opn_ctx *ctx = NULL;
    opn_model *model = NULL;
    fuzz_open_folder(names, 1);
    fuzz_write_file(names[0], data, size);
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    const opn_status status = opn_model_load(ctx, fuzz_path(path, names[0]), &model);
    fuzz_check((status == OPN_OK) == (model != NULL));
    if (status == OPN_OK) {
        // With names of features the graph, which has none, may only be as wide.
        if (opn_model_n_features(model) <= MOST_FEATURES)
            ask_model(ctx, model);
        save_again(ctx, model, path);
    } else {
        fuzz_check(opn_ctx_error(ctx)[0] != 0);
    }
    opn_model_free(model);
    opn_ctx_free(ctx);
    return 0;
}
