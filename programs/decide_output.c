// decide_output.c -- prints the decisions of opine predict.

#include "decide_output.h"

#include "json_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static json_t *json_coverage(const opn_coverage *c)
{
    json_t *object = json_object();
    put_json(object, "threshold", json_number(c->threshold));
    put_json(object, "nodes", json_integer(c->n));
    put_json(object, "accepted", json_integer(c->n_accepted));
    put_json(object, "right", json_integer(c->n_right));
    put_json(object, "coverage", json_number(c->coverage));
    put_json(object, "accuracy", json_number(c->accuracy));
    put_json(object, "ci95",
             json_pack("[oo]", json_number(c->low), json_number(c->high)));
    put_json(object, "interval", json_string("clopper-pearson"));
    return object;
}

static json_t *json_decisions(const opine_app *app, const opn_decisions *d)
{
    json_t *object = json_object();
    json_t *thresholds = json_object();
    for (int32_t m = 0; m < opn_measure_count(); m++) {
        const double most = opn_thresholds_most(d->thresholds, (opn_measure)m);
        if (!isnan(most))
            put_json(thresholds, opn_measure_name((opn_measure)m), json_number(most));
    }
    put_json(object, "thresholds", thresholds);
    for (int k = 0; k < OPN_N_DECISIONS; k++)
        put_json(object, opn_decision_name((opn_decision)k),
                 json_integer(d->n_decided[k]));
    if (d->has_target) {
        put_json(object, "target_accuracy",
                 json_number(opn_params_real(app->params, "target_accuracy")));
        put_json(object, "decide_by", json_string(opn_measure_name(d->measure)));
        put_json(object, "validation", json_coverage(&d->picked));
    }
    json_t *test = json_object();
    put_json(test, "nodes", json_integer(d->n_test));
    put_json(test, "accepted", json_integer(d->n_accepted_test));
    put_json(test, "right", json_integer(d->n_right_test));
    put_json(object, "test", test);
    return object;
}

int print_decisions(const opine_app *app, const opn_decisions *decisions, bool is_whole)
{
    json_t *document = json_object();
    put_json(document, "decisions", json_decisions(app, decisions));
    if (decisions->has_target) {
        json_t *curve = json_array();
        for (int c = 0; c < OPN_N_COVERAGES; c++)
            json_array_append_new(curve, json_coverage(&decisions->curve[c]));
        put_json(document, "risk_coverage", curve);
    }
    if (is_whole)
        return print_json(document);
    // There are many nodes, printed one by one, so the document is left open for them.
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(document);
    if (text == NULL) {
        complain("the result cannot be written as JSON");
        return EXIT_FAILED;
    }
    printf("%.*s,\n \"nodes\": ", (int)strlen(text) - 2, text); // without "\n}"
    free(text);
    (void)fflush(stdout); // the library writes after it, bypassing stdio
    return EXIT_DONE;
}
