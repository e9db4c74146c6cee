// decide_output.c -- prints the decisions of opine predict.

#include "decide_output.h"

#include "json_output.h"

#include <stdio.h>

bool is_deciding(const opine_app *app)
{
    return opn_params_given(app->params, "abstain_above") ||
           opn_params_given(app->params, "target_accuracy") ||
           opn_params_given(app->params, "decide_by");
}

// ---- text ----------------------------------------------------------------------------

static void tell_pick(const opn_decisions *d)
{
    const opn_coverage *p = &d->picked;
    const char *name = opn_measure_name(d->measure);
    complain("accuracy when validation nodes are accepted in order of increasing "
             "%s:",
             name);
    complain("  %8s  %11s  %8s", "coverage", name, "accuracy");
    for (int c = 0; c < OPN_N_COVERAGES; c++)
        complain("  %6.1f %%  %11.4f  %6.1f %%", 100.0 * d->curve[c].coverage,
                 d->curve[c].threshold, 100.0 * d->curve[c].accuracy);
    complain("%s=%.9g accepts %d of %d validation nodes, %d of them correct: %.1f %%, "
             "95 %% "
             "interval %.1f to %.1f (Clopper-Pearson)",
             name, p->threshold, (int)p->n_accepted, (int)p->n, (int)p->n_right,
             100.0 * p->accuracy, 100.0 * p->low, 100.0 * p->high);
}

void tell_decisions(const opine_app *app, const opn_decisions *decisions)
{
    const int32_t *n = decisions->n_decided;
    char test[128] = "";
    if (opn_params_flag(app->params, "quiet"))
        return;
    if (decisions->has_target)
        tell_pick(decisions);
    if (decisions->n_accepted_test > 0)
        snprintf(test, sizeof(test),
                 "; %d of %d accepted test nodes are correct (%.1f %%)",
                 (int)decisions->n_right_test, (int)decisions->n_accepted_test,
                 100.0 * decisions->n_right_test / decisions->n_accepted_test);
    complain("%d of %d nodes are accepted, %d may be misclassified, %d out of "
             "distribution%s",
             (int)n[OPN_DECISION_ACCEPT],
             (int)(n[OPN_DECISION_ACCEPT] + n[OPN_DECISION_MISCLASSIFIED] +
                   n[OPN_DECISION_OOD]),
             (int)n[OPN_DECISION_MISCLASSIFIED], (int)n[OPN_DECISION_OOD], test);
}

// ---- JSON ----------------------------------------------------------------------------

int print_decisions(const opn_prediction *prediction)
{
    json_t *document = json_loads(opn_prediction_summary(prediction), 0, NULL);
    put_json(document, "nodes", json_null());
    return print_json(document);
}
