// opinions.c -- a graph from arrays, a model trained on it, and an opinion about each
// node.
//
// Two friendly groups of four and a stranger: nodes 0 and 7 are labelled, node 8 has no
// neighbour at all. Build with: cc opinions.c $(pkg-config --cflags --libs opine)

#include <opine/opine.h>
#include <stdio.h>

enum { NODES = 9, EDGES = 13, FEATURES = 3, CLASSES = 2 };

static const opn_vid source[EDGES] = {0, 0, 0, 1, 1, 2, 4, 4, 4, 5, 5, 6, 3};
static const opn_vid target[EDGES] = {1, 2, 3, 2, 3, 3, 5, 6, 7, 6, 7, 7, 4};
static const float features[NODES * FEATURES] = {1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1,
                                                 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1};
static const int32_t labels[NODES] = {0, -1, -1, -1, -1, -1, -1, 1, -1};

// What went wrong, in the library's words.
static int fail(const opn_ctx *ctx)
{
    fprintf(stderr, "opinions: %s\n", opn_ctx_error(ctx));
    return 1;
}

int main(void)
{
    opn_ctx *ctx = NULL;
    opn_graph *graph = NULL;
    opn_params *params = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_prediction *said = NULL;

    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 1;
    if (opn_graph_create_edges(ctx, NODES, EDGES, source, target, NULL, &graph) !=
                OPN_OK ||
        opn_graph_set_features(ctx, graph, FEATURES, features) != OPN_OK ||
        opn_graph_set_labels(ctx, graph, CLASSES, labels) != OPN_OK ||
        opn_params_create(ctx, &params) != OPN_OK ||
        opn_params_set(ctx, params, "lambda1", "1") != OPN_OK ||
        opn_split_from_params(ctx, graph, params, &split) != OPN_OK ||
        opn_model_train(ctx, graph, split, params, NULL, &model) != OPN_OK ||
        opn_model_predict(ctx, model, graph, NULL, 0, &said) != OPN_OK)
        return fail(ctx);

    const int32_t *predicted = opn_prediction_predicted(said);
    const float *vacuity = opn_prediction_measure(said, OPN_MEASURE_VACUITY);
    const float *dissonance = opn_prediction_measure(said, OPN_MEASURE_DISSONANCE);
    printf("node  class  vacuity  dissonance\n");
    for (int i = 0; i < NODES; i++)
        printf("%4d  %5d  %7.2f  %10.2f\n", i, (int)predicted[i], (double)vacuity[i],
               (double)dissonance[i]);

    opn_prediction_free(said);
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
    return 0;
}
