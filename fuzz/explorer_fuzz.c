// explorer_fuzz.c -- any bytes as the body of a request to a served page; the first
// chooses the address.

#include "load_fuzz.h"

#include "explore/explorer_data.h"

static const char *const names[] = {"g.npz", "m.safetensors"};

static const char *const paths[] = {"/what-if", "/models", "/features", "/cancel",
                                    "/v2/models/opine/infer"};
enum { N_PATHS = sizeof(paths) / sizeof(paths[0]), NODES = 12 };

// Two groups in which every node is joined to the next, as a file.
static void write_graph(opn_ctx *ctx, const char *path)
{
    opn_vid source[NODES];
    opn_vid target[NODES];
    float feature[NODES * 2];
    int32_t label[NODES];
    opn_graph *graph = NULL;
    for (int i = 0; i < NODES; i++) {
        source[i] = i;
        target[i] = (i + 1) % NODES;
        label[i] = i < NODES / 2 ? 0 : 1;
        feature[2 * i] = (float)label[i];
        feature[2 * i + 1] = 1.0f;
    }
    fuzz_check(opn_graph_create_edges(ctx, NODES, NODES, source, target, NULL, &graph) ==
               OPN_OK);
    fuzz_check(opn_graph_set_features(ctx, graph, 2, feature) == OPN_OK);
    fuzz_check(opn_graph_set_labels(ctx, graph, 2, label) == OPN_OK);
    fuzz_check(opn_graph_save(ctx, graph, path) == OPN_OK);
    opn_graph_free(graph);
}

static opn_explorer *open_explorer(opn_ctx *ctx)
{
    static const char *const settings[][2] = {{"model", "s-gcn"},
                                              {"epochs", "2"},
                                              {"hidden", "2"},
                                              {"preset", "paper"},
                                              {"perplexity", "3"}};
    char data[FUZZ_PATH];
    char file[FUZZ_PATH];
    opn_params *params = NULL;
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_explorer *explorer = NULL;
    fuzz_open_folder(names, 2);
    write_graph(ctx, fuzz_path(data, names[0]));
    fuzz_check(opn_params_create(ctx, &params) == OPN_OK);
    for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++)
        fuzz_check(opn_params_set(ctx, params, settings[s][0], settings[s][1]) == OPN_OK);
    fuzz_check(opn_graph_load_prepared(ctx, data, params, &graph) == OPN_OK);
    fuzz_check(opn_split_from_params(ctx, graph, params, &split) == OPN_OK);
    fuzz_check(opn_model_train(ctx, graph, split, params, NULL, &model) == OPN_OK);
    fuzz_check(opn_model_save(ctx, model, fuzz_path(file, names[1])) == OPN_OK);
    fuzz_check(opn_explorer_load(ctx, file, data, params, &explorer) == OPN_OK);
    opn_model_free(model);
    opn_split_free(split);
    opn_graph_free(graph);
    opn_params_free(params);
    return explorer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static opn_ctx *ctx;
    static opn_explorer *explorer; // made once; it goes away with the process
    if (size == 0 || !opn_report_is_supported() || !opn_i_http_server_is_supported())
        return 0;
    if (ctx == NULL) {
        fuzz_check(opn_ctx_create(NULL, &ctx) == OPN_OK);
        explorer = open_explorer(ctx);
    }
    const opn_i_request request = {"POST", paths[data[0] % N_PATHS],
                                   (const char *)data + 1, size - 1};
    opn_i_answer answer = {.code = 200, .type = "application/json", .body = {.ctx = ctx}};
    opn_i_explorer_answer(ctx, explorer, &request, &answer);
    json_t *document = json_loadb(opn_i_text_chars(&answer.body), answer.body.n, 0, NULL);
    fuzz_check(json_is_object(document));
    fuzz_check((answer.code >= 400) == (json_object_get(document, "error") != NULL));
    json_decref(document);
    opn_i_text_free(&answer.body);
    opn_i_worker_cancel(explorer->worker); // what was started, before the next input
    opn_i_worker_wait(explorer->worker);
    return 0;
}
