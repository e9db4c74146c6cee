// decisions_json.c -- the decisions about a graph as JSON.

#include "predict/decisions_json.h"

#include "io/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_coverage(const opn_coverage *c)
{
    json_t *object = json_object();
    opn_i_json_set(object, "threshold", opn_i_json_number(c->threshold));
    opn_i_json_set(object, "nodes", json_integer(c->n));
    opn_i_json_set(object, "accepted", json_integer(c->n_accepted));
    opn_i_json_set(object, "right", json_integer(c->n_right));
    opn_i_json_set(object, "coverage", opn_i_json_number(c->coverage));
    opn_i_json_set(object, "accuracy", opn_i_json_number(c->accuracy));
    opn_i_json_set(object, "ci95", opn_i_json_interval(c->low, c->high));
    opn_i_json_set(object, "interval", opn_i_json_string("clopper-pearson"));
    return object;
}

static json_t *json_thresholds(const opn_thresholds *thresholds)
{
    json_t *object = json_object();
    for (int32_t m = 0; m < opn_measure_count(); m++) {
        const double most = opn_thresholds_most(thresholds, (opn_measure)m);
        if (!isnan(most))
            opn_i_json_set(object, opn_measure_name((opn_measure)m),
                           opn_i_json_number(most));
    }
    return object;
}

static json_t *json_test(const opn_decisions *d)
{
    json_t *test = json_object();
    opn_i_json_set(test, "nodes", json_integer(d->n_test));
    opn_i_json_set(test, "accepted", json_integer(d->n_accepted_test));
    opn_i_json_set(test, "right", json_integer(d->n_right_test));
    return test;
}

static json_t *json_promise(const opn_control *c)
{
    json_t *object = json_object();
    opn_i_json_set(object, "confidence", opn_i_json_number(c->confidence));
    opn_i_json_set(object, "shown", json_boolean(c->is_shown));
    opn_i_json_set(object, "low", opn_i_json_number(c->low));
    opn_i_json_set(object, "needed", json_integer(c->n_needed));
    return object;
}

// Of the test nodes.
static json_t *json_sets(const opn_set_quality *q)
{
    json_t *object = json_object();
    opn_i_json_set(object, "nodes", json_integer(q->n));
    opn_i_json_set(object, "covered", json_integer(q->n_covered));
    opn_i_json_set(object, "empty", json_integer(q->n_empty));
    opn_i_json_set(object, "mean_size", opn_i_json_number(q->mean_size));
    return object;
}

// The labels that promises rest on.
static json_t *json_guarantee(const opn_decisions *d)
{
    json_t *object = json_object();
    opn_i_json_set(object, "calibration",
                   json_integer(d->n_guarantee - d->n_guarantee_validation));
    opn_i_json_set(object, "validation", json_integer(d->n_guarantee_validation));
    return object;
}

// The members are the same for all decisions; those about a target are null without one.
static json_t *json_decisions(const opn_decisions *d, double target)
{
    json_t *object = json_object();
    const bool has_target = d->has_target != 0;
    opn_i_json_set(object, "thresholds", json_thresholds(d->thresholds));
    for (int k = 0; k < OPN_N_DECISIONS; k++)
        opn_i_json_set(object, opn_decision_name((opn_decision)k),
                       json_integer(d->n_decided[k]));
    opn_i_json_set(object, "target_accuracy",
                   has_target ? opn_i_json_number(target) : json_null());
    opn_i_json_set(object, "decide_by",
                   has_target ? opn_i_json_string(opn_measure_name(d->measure))
                              : json_null());
    opn_i_json_set(object, "validation",
                   has_target ? json_coverage(&d->picked) : json_null());
    opn_i_json_set(object, "test", json_test(d));
    opn_i_json_set(object, "promise",
                   d->is_promised ? json_promise(&d->control) : json_null());
    opn_i_json_set(object, "sets", d->has_sets ? json_sets(&d->sets) : json_null());
    opn_i_json_set(object, "guarantee", json_guarantee(d));
    return object;
}

static json_t *json_curve(const opn_decisions *d)
{
    json_t *curve = json_array();
    for (int c = 0; c < OPN_N_COVERAGES; c++)
        opn_i_json_append(curve, json_coverage(&d->curve[c]));
    return curve;
}

opn_status opn_i_decisions_to_json(opn_ctx *ctx,
                                   const opn_alloc *alloc,
                                   const opn_decisions *decisions,
                                   double target,
                                   char **out)
{
    opn_status status = OPN_OK;
    json_t *document = json_object();
    char *text = NULL;
    opn_i_json_set(document, "decisions", json_decisions(decisions, target));
    opn_i_json_set(document, "risk_coverage",
                   decisions->has_target ? json_curve(decisions) : json_null());
    text = opn_i_json_text(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "out of memory for the decisions");
    *out = opn_i_calloc(alloc, strlen(text) + 1, 1);
    if (*out == NULL)
        OPN_TRY(opn_i_fail_nomem(ctx, strlen(text) + 1, 1));
    memcpy(*out, text, strlen(text));
cleanup:
    free(text);
    json_decref(document);
    return status;
}
