// decisions_json.c -- the decisions about a graph as JSON.

#include "predict/decisions_json.h"

#include "io/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_coverage(const opn_coverage *c)
{
    json_t *object = json_object();
    json_object_set_new(object, "threshold", opn_i_json_number(c->threshold));
    json_object_set_new(object, "nodes", json_integer(c->n));
    json_object_set_new(object, "accepted", json_integer(c->n_accepted));
    json_object_set_new(object, "right", json_integer(c->n_right));
    json_object_set_new(object, "coverage", opn_i_json_number(c->coverage));
    json_object_set_new(object, "accuracy", opn_i_json_number(c->accuracy));
    json_object_set_new(object, "ci95", opn_i_json_interval(c->low, c->high));
    json_object_set_new(object, "interval", json_string("clopper-pearson"));
    return object;
}

static json_t *json_thresholds(const opn_thresholds *thresholds)
{
    json_t *object = json_object();
    for (int32_t m = 0; m < opn_measure_count(); m++) {
        const double most = opn_thresholds_most(thresholds, (opn_measure)m);
        if (!isnan(most))
            json_object_set_new(object, opn_measure_name((opn_measure)m),
                                opn_i_json_number(most));
    }
    return object;
}

static json_t *json_test(const opn_decisions *d)
{
    json_t *test = json_object();
    json_object_set_new(test, "nodes", json_integer(d->n_test));
    json_object_set_new(test, "accepted", json_integer(d->n_accepted_test));
    json_object_set_new(test, "right", json_integer(d->n_right_test));
    return test;
}

static json_t *json_promise(const opn_control *c)
{
    json_t *object = json_object();
    json_object_set_new(object, "confidence", opn_i_json_number(c->confidence));
    json_object_set_new(object, "shown", json_boolean(c->is_shown));
    json_object_set_new(object, "low", opn_i_json_number(c->low));
    json_object_set_new(object, "needed", json_integer(c->n_needed));
    return object;
}

// Of the test nodes.
static json_t *json_sets(const opn_set_quality *q)
{
    json_t *object = json_object();
    json_object_set_new(object, "nodes", json_integer(q->n));
    json_object_set_new(object, "covered", json_integer(q->n_covered));
    json_object_set_new(object, "empty", json_integer(q->n_empty));
    json_object_set_new(object, "mean_size", opn_i_json_number(q->mean_size));
    return object;
}

// The labels that promises rest on.
static json_t *json_guarantee(const opn_decisions *d)
{
    json_t *object = json_object();
    json_object_set_new(object, "calibration",
                        json_integer(d->n_guarantee - d->n_guarantee_validation));
    json_object_set_new(object, "validation", json_integer(d->n_guarantee_validation));
    return object;
}

// The members are the same for all decisions; those about a target are null without one.
static json_t *json_decisions(const opn_decisions *d, double target)
{
    json_t *object = json_object();
    const bool has_target = d->has_target != 0;
    json_object_set_new(object, "thresholds", json_thresholds(d->thresholds));
    for (int k = 0; k < OPN_N_DECISIONS; k++)
        json_object_set_new(object, opn_decision_name((opn_decision)k),
                            json_integer(d->n_decided[k]));
    json_object_set_new(object, "target_accuracy",
                        has_target ? opn_i_json_number(target) : json_null());
    json_object_set_new(object, "decide_by",
                        has_target ? json_string(opn_measure_name(d->measure))
                                   : json_null());
    json_object_set_new(object, "validation",
                        has_target ? json_coverage(&d->picked) : json_null());
    json_object_set_new(object, "test", json_test(d));
    json_object_set_new(object, "promise",
                        d->is_promised ? json_promise(&d->control) : json_null());
    json_object_set_new(object, "sets", d->has_sets ? json_sets(&d->sets) : json_null());
    json_object_set_new(object, "guarantee", json_guarantee(d));
    return object;
}

static json_t *json_curve(const opn_decisions *d)
{
    json_t *curve = json_array();
    for (int c = 0; c < OPN_N_COVERAGES; c++)
        json_array_append_new(curve, json_coverage(&d->curve[c]));
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
    json_object_set_new(document, "decisions", json_decisions(decisions, target));
    json_object_set_new(document, "risk_coverage",
                        decisions->has_target ? json_curve(decisions) : json_null());
    text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
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
