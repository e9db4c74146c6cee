// explorer_scene.h -- a small model and its graph, opened to be explored.

#ifndef OPN_EXPLORER_SCENE_H
#define OPN_EXPLORER_SCENE_H

#include "load_fuzz.h"

#include "explore/explorer_data.h"

enum { SCENE_NODES = 12 };

// Two groups in which every node is joined to the next, as a file.
static inline void scene_write_graph(opn_ctx *ctx, const char *path)
{
    opn_vid source[SCENE_NODES];
    opn_vid target[SCENE_NODES];
    float feature[SCENE_NODES * 2];
    int32_t label[SCENE_NODES];
    opn_graph *graph = NULL;
    for (int i = 0; i < SCENE_NODES; i++) {
        source[i] = i;
        target[i] = (i + 1) % SCENE_NODES;
        label[i] = i < SCENE_NODES / 2 ? 0 : 1;
        feature[2 * i] = (float)label[i];
        feature[2 * i + 1] = 1.0f;
    }
    fuzz_check(opn_graph_create_edges(ctx, SCENE_NODES, SCENE_NODES, source, target, NULL,
                                      &graph) == OPN_OK);
    fuzz_check(opn_graph_set_features(ctx, graph, 2, feature) == OPN_OK);
    fuzz_check(opn_graph_set_labels(ctx, graph, 2, label) == OPN_OK);
    fuzz_check(opn_graph_save(ctx, graph, path) == OPN_OK);
    opn_graph_free(graph);
}

// NULL where nothing can be explored in this build. It goes away with the process.
static inline opn_explorer *scene_open(opn_ctx *ctx)
{
    static const char *const settings[][2] = {{"model", "s-gcn"},
                                              {"epochs", "2"},
                                              {"hidden", "2"},
                                              {"preset", "paper"},
                                              {"perplexity", "3"}};
    static const char *const names[] = {"g.npz", "m.safetensors"};
    char data[FUZZ_PATH];
    char file[FUZZ_PATH];
    opn_params *params = NULL;
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_explorer *explorer = NULL;
    if (!opn_report_is_supported() || opn_i_http_server_check(ctx) != OPN_OK)
        return NULL;
    fuzz_open_folder(names, 2);
    scene_write_graph(ctx, fuzz_path(data, names[0]));
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

#endif // OPN_EXPLORER_SCENE_H
