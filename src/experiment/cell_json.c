// cell_json.c -- converts a cell to and from JSON.

#include "experiment/cell_json.h"

#include "io/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool put_number(json_t *object, const char *key, double number)
{
    return json_object_set_new(object, key, opn_i_json_number(number)) == 0;
}

static bool get_number(const json_t *object, const char *key, double *number)
{
    const json_t *value = json_object_get(object, key);
    *number = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return json_is_number(value) || json_is_null(value);
}

static bool put_seconds(json_t *object, const opn_seconds *seconds)
{
    json_t *to = json_object();
    const bool is_whole = put_number(to, "teacher", seconds->teacher) &&
                          put_number(to, "prior", seconds->prior) &&
                          put_number(to, "train", seconds->train) &&
                          put_number(to, "infer", seconds->infer);
    return json_object_set_new(object, "seconds", to) == 0 && is_whole;
}

static bool put_scores(json_t *object, const char *key, const double *metric)
{
    json_t *scores = json_object();
    bool is_whole = true;
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        if (!isnan(metric[s]))
            is_whole = put_number(scores, opn_score_name(s), metric[s]) && is_whole;
    return json_object_set_new(object, key, scores) == 0 && is_whole;
}

bool opn_i_cell_to_json(const opn_cell *cell, json_t *object)
{
    bool is_whole = json_object_set_new(object, "seed",
                                        json_integer((json_int_t)cell->seed)) == 0 &&
                    json_object_set_new(object, "split_hash",
                                        opn_i_json_string(cell->split_hash)) == 0 &&
                    put_number(object, "pool", cell->n_pool) &&
                    put_number(object, "prevalence", cell->prevalence) &&
                    put_number(object, "epochs", cell->n_epochs) &&
                    put_seconds(object, &cell->seconds);
    if (cell->chosen[0] != 0 && is_whole)
        is_whole = json_object_set_new(object, "chosen",
                                       opn_i_json_string(cell->chosen)) == 0;
    for (int q = 0; q < OPN_N_QUALITIES && is_whole; q++)
        is_whole = put_number(object, opn_quality_name((opn_quality)q), cell->quality[q]);
    for (int m = 0; m < OPN_N_METRICS && is_whole; m++)
        is_whole = put_scores(object, opn_metric_name((opn_metric)m), cell->metric[m]);
    return is_whole;
}

static bool get_seconds(const json_t *object, opn_seconds *seconds)
{
    const json_t *from = json_object_get(object, "seconds");
    return get_number(from, "teacher", &seconds->teacher) &&
           get_number(from, "prior", &seconds->prior) &&
           get_number(from, "train", &seconds->train) &&
           get_number(from, "infer", &seconds->infer);
}

static bool get_split_hash(const json_t *object, opn_cell *cell)
{
    const char *hash = json_string_value(json_object_get(object, "split_hash"));
    if (hash == NULL || strlen(hash) != sizeof(cell->split_hash) - 1)
        return false;
    memcpy(cell->split_hash, hash, sizeof(cell->split_hash));
    return true;
}

// A result of an earlier version does not tell.
static void get_chosen(const json_t *object, opn_cell *cell)
{
    const char *model = json_string_value(json_object_get(object, "chosen"));
    if (model != NULL && opn_i_model_kind_find(model) != NULL)
        snprintf(cell->chosen, sizeof(cell->chosen), "%s", model);
}

bool opn_i_cell_from_json(const json_t *object, opn_cell *cell)
{
    const json_t *seed = json_object_get(object, "seed");
    if (!json_is_integer(seed) || json_integer_value(seed) < 0)
        return false;
    cell->seed = (uint64_t)json_integer_value(seed);
    get_chosen(object, cell);
    if (!get_split_hash(object, cell) || !get_number(object, "pool", &cell->n_pool) ||
        !get_number(object, "prevalence", &cell->prevalence) ||
        !get_number(object, "epochs", &cell->n_epochs) ||
        !get_seconds(object, &cell->seconds))
        return false;
    // A result of an earlier version lacks the qualities and metrics that came later.
    for (int q = 0; q < OPN_N_QUALITIES; q++) {
        const char *name = opn_quality_name((opn_quality)q);
        if (!get_number(object, name, &cell->quality[q]) &&
            (json_object_get(object, name) != NULL || q <= OPN_QUALITY_ECE))
            return false;
    }
    for (int m = 0; m < OPN_N_METRICS; m++) {
        const json_t *scores = json_object_get(object, opn_metric_name((opn_metric)m));
        if (!json_is_object(scores) && (scores != NULL || m <= OPN_METRIC_AURC))
            return false;
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            if (!get_number(scores, opn_score_name(s), &cell->metric[m][s]) &&
                json_object_get(scores, opn_score_name(s)) != NULL)
                return false;
    }
    return true;
}
