// explain.c -- why a model doubts a node, and a page to look at.
//
// Trains on the built-in graph, and explains the opinions about the node with the most
// and that with the least conflicting evidence. With a file name, writes the report of
// the model there. Build with: cc explain.c $(pkg-config --cflags --libs opine)

#include <opine/opine.h>
#include <stdio.h>

// The nodes with the largest and the smallest value.
static void find_ends(const float *value, opn_vid n, opn_vid *most, opn_vid *least)
{
    *most = *least = 0;
    for (opn_vid i = 1; i < n; i++) {
        *most = value[i] > value[*most] ? i : *most;
        *least = value[i] < value[*least] ? i : *least;
    }
}

static opn_status say_why(opn_ctx *ctx,
                          const opn_model *model,
                          const opn_graph *graph,
                          const opn_split *split,
                          const opn_prediction *said,
                          opn_vid node)
{
    opn_explanation *why = NULL;
    const opn_status status =
            opn_explain_predicted(ctx, model, graph, split, said, node, &why);
    if (status == OPN_OK)
        printf("%s\n", opn_explanation_sentence(why));
    opn_explanation_free(why);
    return status;
}

static opn_status explain_ends(opn_ctx *ctx,
                               const opn_model *model,
                               const opn_graph *graph,
                               const opn_split *split,
                               const opn_prediction *said)
{
    opn_vid most, least;
    find_ends(opn_prediction_measure(said, OPN_MEASURE_DISSONANCE),
              opn_prediction_n_nodes(said), &most, &least);
    const opn_status status = say_why(ctx, model, graph, split, said, most);
    return status != OPN_OK ? status : say_why(ctx, model, graph, split, said, least);
}

static opn_status write_page(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             const opn_params *params,
                             const char *path)
{
    opn_report *report = NULL;
    opn_status status = opn_report_create(ctx, graph, NULL, &report);
    if (status == OPN_OK)
        status = opn_report_add_model(ctx, report, model, params);
    if (status == OPN_OK)
        status = opn_report_save(ctx, report, path);
    opn_report_free(report);
    return status;
}

int main(int argc, char **argv)
{
    opn_ctx *ctx = NULL;
    opn_graph *graph = NULL;
    opn_params *params = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_prediction *said = NULL;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 1;
    const int has_failed =
            opn_params_create(ctx, &params) != OPN_OK ||
            opn_params_set(ctx, params, "model", "s-bgcn-t-k") != OPN_OK ||
            opn_graph_load_prepared(ctx, "demo", params, &graph) != OPN_OK ||
            opn_split_from_params(ctx, graph, params, &split) != OPN_OK ||
            opn_model_train(ctx, graph, split, params, NULL, &model) != OPN_OK ||
            opn_model_predict(ctx, model, graph, NULL, 0, &said) != OPN_OK ||
            explain_ends(ctx, model, graph, split, said) != OPN_OK ||
            (argc > 1 && write_page(ctx, model, graph, params, argv[1]) != OPN_OK);
    if (has_failed)
        fprintf(stderr, "explain: %s\n", opn_ctx_error(ctx));
    opn_prediction_free(said);
    opn_model_free(model);
    opn_split_free(split);
    opn_graph_free(graph);
    opn_params_free(params);
    opn_ctx_free(ctx);
    return has_failed;
}
