// predict_verb.c -- opine predict.

#include "command.h"
#include "decide_output.h"
#include "run_output.h"

#include <string.h>

// Returns an exit code; on failure a message has been printed.
static int predict(opine_app *app, const opn_model *model, const opn_graph *graph)
{
    opn_prediction *prediction = NULL;
    opn_decisions *decisions = NULL;
    opn_split *split = NULL;
    const bool decides = is_deciding(app);
    opn_status status = opn_model_for_graph(app->ctx, model, graph, &model);
    if (status == OPN_OK)
        status = opn_model_split(app->ctx, model, graph, &split);
    if (status == OPN_OK && decides)
        status = opn_decide_check(app->ctx, model, graph, split, app->params);
    if (status == OPN_OK)
        status = opn_model_predict(app->ctx, model, graph, app->params, 0, &prediction);
    if (status == OPN_OK && decides)
        status = opn_prediction_decide(app->ctx, model, graph, split, app->params,
                                       prediction, &decisions);
    terminal_clear();
    if (status == OPN_OK && decides)
        tell_decisions(app, decisions);
    int code = EXIT_DONE;
    if (status != OPN_OK)
        code = complain_status(app, status);
    else if (app->rank == 0)
        code = save_prediction(app, model, graph, split, prediction);
    opn_decisions_free(decisions);
    opn_prediction_free(prediction);
    opn_split_free(split);
    return code;
}

int run_predict(opine_app *app)
{
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    if (strcmp(app->argument[0], "-") == 0 && strcmp(app->argument[1], "-") == 0) {
        complain("predict reads MODEL or DATA from standard input, not both");
        return EXIT_USAGE;
    }
    const int checked = check_output_file(app, ".csv .graphml .json .npz");
    if (checked != EXIT_DONE)
        return checked;
    opn_status status = opn_model_load(app->ctx, app->argument[0], &model);
    if (status == OPN_OK)
        status = opn_model_load_graph(app->ctx, model, app->argument[1], app->params,
                                      &graph);
    const int code =
            status == OPN_OK ? predict(app, model, graph) : complain_status(app, status);
    opn_graph_free(graph);
    opn_model_free(model);
    return code;
}
