// decide_verb.c -- opine decide.

#include "command.h"
#include "decide_output.h"
#include "run_output.h"

int run_decide(opine_app *app)
{
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_prediction *prediction = NULL;
    opn_decisions *decisions = NULL;
    const bool decides = is_deciding(app);
    const int checked = check_output_file(app, ".csv .graphml .json .npz");
    if (checked != EXIT_DONE)
        return checked;
    opn_status status = opn_scores_load(app->ctx, app->argument[0], app->params, &graph,
                                        &split, &prediction);
    if (status == OPN_OK && decides)
        status = opn_prediction_decide(app->ctx, NULL, graph, split, app->params,
                                       prediction, &decisions);
    terminal_clear();
    if (status == OPN_OK && decides)
        tell_decisions(app, decisions);
    const int code = status == OPN_OK
                             ? save_prediction(app, NULL, graph, split, prediction)
                             : complain_status(app, status);
    opn_decisions_free(decisions);
    opn_prediction_free(prediction);
    opn_split_free(split);
    opn_graph_free(graph);
    return code;
}
