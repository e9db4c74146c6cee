// model_choice.c -- what a model was compared with before it was chosen.

#include "model/model_choice.h"

#include "io/json_write.h"
#include "model/features.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void opn_i_candidate_add(opn_i_candidate *candidate,
                         int32_t n,
                         double accuracy,
                         double nll)
{
    if (n == 0)
        return;
    candidate->n += n;
    candidate->n_right += accuracy * n;
    candidate->nll += nll * n;
}

void opn_i_candidate_merge(opn_i_candidate *candidate, const opn_i_candidate *other)
{
    candidate->n += other->n;
    candidate->n_right += other->n_right;
    candidate->nll += other->nll;
}

double opn_i_candidate_accuracy(const opn_i_candidate *candidate)
{
    return candidate->n > 0 ? candidate->n_right / candidate->n : 0.0;
}

double opn_i_candidate_error(const opn_i_candidate *candidate)
{
    // As if one more node were right and one more wrong: no accuracy is without error.
    const double a = (candidate->n_right + 1.0) / (candidate->n + 2.0);
    return candidate->n > 0 ? sqrt(a * (1.0 - a) / candidate->n) : 0.0;
}

void opn_i_model_note_candidate(opn_model *model, const opn_i_candidate *candidate)
{
    if (model->n_candidates < OPN_MAX_CANDIDATES)
        model->candidate[model->n_candidates++] = *candidate;
}

int32_t opn_model_candidate_count(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, 0);
    return model->n_candidates;
}

void opn_model_candidate(const opn_model *model, int32_t i, opn_candidate *out)
{
    if (model == NULL)
        return;
    if (out == NULL)
        return;
    const opn_i_candidate *c = &model->candidate[i];
    *out = (opn_candidate){
            .name = c->name,
            .is_chosen = c->is_chosen,
            .is_baseline = c->is_baseline,
            .n_validation = c->n,
            .accuracy = c->n > 0 ? c->n_right / c->n : (double)NAN,
            .error = c->n > 0 ? opn_i_candidate_error(c) : (double)NAN,
            .nll = c->n > 0 ? c->nll / c->n : (double)NAN,
    };
}

opn_status opn_model_for_graph(opn_ctx *ctx,
                               const opn_model *model,
                               const opn_graph *graph,
                               const opn_model **out)
{
    OPN_REJECT_NULL(ctx, model, graph, out);
    opn_status status = OPN_OK;
    bool is_known = true;
    *out = model;
    if (model->elsewhere == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_features_know_nodes(ctx, model, graph, &is_known));
    if (is_known)
        return OPN_OK;
    *out = model->elsewhere;
    opn_i_log(ctx, OPN_LOG_INFO,
              "%s: has other nodes or edges than the graph that %s was trained on, the "
              "only one it knows; %s, which the model file holds too, is used instead",
              opn_graph_name(graph), model->kind->id, model->elsewhere->kind->id);
cleanup:
    return status;
}

// ---- text ----------------------------------------------------------------------------

char *opn_i_candidates_to_text(const opn_model *model)
{
    json_t *list = json_array();
    for (int c = 0; c < model->n_candidates; c++) {
        const opn_i_candidate *from = &model->candidate[c];
        json_t *one = json_object();
        opn_i_json_set(one, "name", opn_i_json_string(from->name));
        opn_i_json_set(one, "chosen", json_boolean(from->is_chosen));
        opn_i_json_set(one, "baseline", json_boolean(from->is_baseline));
        opn_i_json_set(one, "nodes", json_integer(from->n));
        opn_i_json_set(one, "right", json_integer(llround(from->n_right)));
        if (isfinite(from->nll))
            opn_i_json_set(one, "nll", json_real(from->nll));
        opn_i_json_append(list, one);
    }
    char *text = opn_i_json_text(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(list);
    return text;
}

// Whether the object describes a candidate, which is then in *out.
static bool read_candidate(const json_t *object, opn_i_candidate *out)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    const json_t *nll = json_object_get(object, "nll");
    const json_int_t n = json_integer_value(json_object_get(object, "nodes"));
    const json_int_t n_right = json_integer_value(json_object_get(object, "right"));
    if (name == NULL || strlen(name) >= sizeof(out->name) || n < 0 || n > INT32_MAX ||
        n_right < 0 || n_right > n)
        return false;
    *out = (opn_i_candidate){
            .is_chosen = json_is_true(json_object_get(object, "chosen")),
            .is_baseline = json_is_true(json_object_get(object, "baseline")),
            .n = (int32_t)n,
            .n_right = (double)n_right,
            .nll = json_is_number(nll) ? json_number_value(nll) : (double)NAN,
    };
    snprintf(out->name, sizeof(out->name), "%s", name);
    return true;
}

opn_status opn_i_candidates_from_text(opn_ctx *ctx,
                                      const char *path,
                                      const char *text,
                                      opn_model *model)
{
    opn_status status = OPN_OK;
    json_t *list = json_loads(text, 0, NULL);
    OPN_FAIL_IF(ctx, !json_is_array(list) || json_array_size(list) > OPN_MAX_CANDIDATES,
                OPN_ERR_FORMAT, "%s: metadata \"candidates\" is no list of at most %d",
                path, OPN_MAX_CANDIDATES);
    for (size_t c = 0; c < json_array_size(list); c++) {
        OPN_FAIL_IF(ctx, !read_candidate(json_array_get(list, c), &model->candidate[c]),
                    OPN_ERR_FORMAT, "%s: metadata \"candidates\": item %zu is damaged",
                    path, c);
        model->n_candidates++;
    }
cleanup:
    json_decref(list);
    return status;
}
