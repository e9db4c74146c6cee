// decide_output.c -- prints and saves the decisions of opine predict and decide.

#include "decide_output.h"

#include "json_output.h"
#include "run_output.h"

#include <stdio.h>
#include <string.h>

bool is_deciding(const opine_app *app)
{
    return opn_params_given(app->params, "abstain_above") ||
           opn_params_given(app->params, "target_accuracy") ||
           opn_params_given(app->params, "decide_by") ||
           opn_params_given(app->params, "coverage") ||
           opn_params_given(app->params, "ood_fdr");
}

// ---- text ----------------------------------------------------------------------------

// "227 calibration nodes"
static const char *guarantee_text(const opn_decisions *d, char text[96])
{
    const int n_validation = (int)d->n_guarantee_validation;
    const int n_calibration = (int)d->n_guarantee - n_validation;
    if (n_validation == 0)
        snprintf(text, 96, "%d calibration nodes", n_calibration);
    else if (n_calibration == 0)
        snprintf(text, 96, "%d validation nodes", n_validation);
    else
        snprintf(text, 96, "%d calibration and %d validation nodes", n_calibration,
                 n_validation);
    return text;
}

// Which labels a promise rests on, and whether they are free of what they promise about.
static void tell_guarantee(const opn_decisions *d)
{
    char text[96];
    complain("promises rest on %s%s", guarantee_text(d, text),
             d->n_guarantee_validation > 0
                     ? ", which may also have stopped training or chosen the model; "
                       "labels with the role calibration would not"
                     : "");
}

static void tell_promise(const opn_decisions *d)
{
    const opn_control *c = &d->control;
    const char *name = opn_measure_name(d->measure);
    char needed[96] = "; no threshold looks good enough, so more labels may not help";
    if (c->is_shown) {
        complain("%s=%.9g accepts %d of %d labelled nodes, %d of them correct: at least "
                 "%.4g %% of what it accepts is right, with confidence %.4g %%",
                 name, c->threshold, (int)c->n_accepted, (int)c->n, (int)c->n_right,
                 100.0 * c->target, 100.0 * c->confidence);
        return;
    }
    if (c->n_needed > 0)
        snprintf(needed, sizeof(needed), "; about %d labelled nodes would be needed",
                 (int)c->n_needed);
    complain("no threshold on %s is shown to keep an accuracy of %.4g %% with confidence "
             "%.4g %%, so no node is accepted%s",
             name, 100.0 * c->target, 100.0 * c->confidence, needed);
}

static void tell_sets(const opine_app *app, const opn_decisions *d)
{
    const double coverage = opn_params_real(app->params, "coverage");
    char test[128] = "";
    if (d->sets.n > 0)
        snprintf(test, sizeof(test),
                 "; of %d test nodes %.1f %% are covered, by %.2f classes on average, %d "
                 "sets are empty",
                 (int)d->sets.n, 100.0 * d->sets.coverage, d->sets.mean_size,
                 (int)d->sets.n_empty);
    complain("sets hold the class of a node with probability %.4g%s; an empty set means "
             "that none of the known classes fits",
             coverage, test);
}

static void tell_pick(const opn_decisions *d)
{
    const opn_coverage *p = &d->picked;
    const char *name = opn_measure_name(d->measure);
    complain("accuracy when labelled nodes are accepted in order of increasing "
             "%s:",
             name);
    complain("  %8s  %11s  %8s", "coverage", name, "accuracy");
    for (int c = 0; c < OPN_N_COVERAGES; c++)
        complain("  %6.1f %%  %11.4f  %6.1f %%", 100.0 * d->curve[c].coverage,
                 d->curve[c].threshold, 100.0 * d->curve[c].accuracy);
    if (d->is_promised)
        return;
    complain("%s=%.9g accepts %d of %d labelled nodes, %d of them correct: %.1f %%, "
             "95 %% "
             "interval %.1f to %.1f (Clopper-Pearson); this was picked for its looks and "
             "promises nothing",
             name, p->threshold, (int)p->n_accepted, (int)p->n, (int)p->n_right,
             100.0 * p->accuracy, 100.0 * p->low, 100.0 * p->high);
}

void tell_decisions(const opine_app *app, const opn_decisions *decisions)
{
    const int32_t *n = decisions->n_decided;
    char test[128] = "";
    char unknown[80] = "";
    if (opn_params_flag(app->params, "quiet"))
        return;
    if (decisions->is_promised || decisions->has_sets || decisions->has_fdr)
        tell_guarantee(decisions);
    if (decisions->has_target)
        tell_pick(decisions);
    if (decisions->is_promised)
        tell_promise(decisions);
    if (decisions->has_sets)
        tell_sets(app, decisions);
    if (decisions->n_accepted_test > 0)
        snprintf(test, sizeof(test),
                 "; %d of %d accepted test nodes are correct (%.1f %%)",
                 (int)decisions->n_right_test, (int)decisions->n_accepted_test,
                 100.0 * decisions->n_right_test / decisions->n_accepted_test);
    int n_all = 0;
    for (int k = 0; k < OPN_N_DECISIONS; k++)
        n_all += (int)n[k];
    if (decisions->has_fdr)
        snprintf(unknown, sizeof(unknown), ", %d are of an unknown class by %s",
                 (int)n[OPN_DECISION_UNKNOWN], opn_measure_name(decisions->known_by));
    complain("%d of %d nodes are accepted, %d abstained for conflict, %d for little "
             "evidence%s%s",
             (int)n[OPN_DECISION_ACCEPT], n_all, (int)n[OPN_DECISION_MISCLASSIFIED],
             (int)n[OPN_DECISION_OOD], unknown, test);
}

// ---- files ---------------------------------------------------------------------------

// Prints the JSON document of predictions that went to a file: its members are those of a
// document with the nodes, which are null here. Returns an exit code.
static int print_decisions(const opn_prediction *prediction)
{
    json_t *document = json_loads(opn_prediction_summary(prediction), 0, NULL);
    put_json(document, "nodes", json_null());
    return print_json(document);
}

// Where predictions go: a file, or standard output as CSV or JSON.
static const char *prediction_path(const opine_app *app)
{
    const char *path = opn_params_text(app->params, "output");
    if (path[0] != 0 && strcmp(path, "-") != 0)
        return path;
    return standard_output(app);
}

int save_prediction(opine_app *app,
                    const opn_model *model,
                    const opn_graph *graph,
                    const opn_split *split,
                    const opn_prediction *prediction)
{
    const char *path = prediction_path(app);
    const opn_status status =
            opn_prediction_save(app->ctx, model, graph, split, prediction, path);
    if (status != OPN_OK)
        return complain_status(app, status);
    const bool is_file = strcmp(path, "-") != 0 && strcmp(path, "-.json") != 0;
    return is_file && opn_params_flag(app->params, "json") ? print_decisions(prediction)
                                                           : EXIT_DONE;
}
