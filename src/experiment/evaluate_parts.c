// evaluate_parts.c -- keys and descriptions of results.

#include "experiment/evaluate_parts.h"

#include "io/json_write.h"
#include "train/training_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *opn_i_result_name(const opn_graph *graph)
{
    return graph->dataset != NULL ? graph->dataset->name : opn_i_base_name(graph->name);
}

opn_status opn_i_params_move_seed(opn_ctx *ctx, opn_params *params, int32_t s)
{
    char seed[24];
    snprintf(seed, sizeof(seed), "%" PRId64, opn_params_int(params, "seed") + s);
    return opn_params_set(ctx, params, "seed", seed);
}

opn_status opn_i_cell_key(opn_ctx *ctx,
                          const char *training_key,
                          const opn_params *params,
                          const char *model,
                          char key[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *sha = NULL;
    OPN_TRY(opn_i_sha256_start(ctx, &sha));
    opn_i_sha256_add(sha, training_key, strlen(training_key) + 1);
    opn_i_sha256_add(sha, model, strlen(model) + 1);
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        char number[24];
        const char *value = opn_i_param_key(params, param, number);
        if (param->affects & (OPN_AFFECTS_SAMPLING | OPN_AFFECTS_SCORES))
            opn_i_sha256_add(sha, value, strlen(value) + 1);
    }
    status = opn_i_sha256_finish(sha, key);
cleanup:
    return status;
}

static json_t *describe_param(const opn_params *params, const opn_param *param)
{
    if (param->kind == OPN_PARAM_INT)
        return json_integer(opn_params_int(params, param->name));
    if (param->kind == OPN_PARAM_REAL)
        return json_real(opn_params_real(params, param->name));
    return opn_i_json_string(opn_params_text(params, param->name));
}

json_t *opn_i_describe_params(const opn_params *params)
{
    // The model is described separately.
    const unsigned wanted = OPN_AFFECTS_DEFAULTS | OPN_AFFECTS_WEIGHTS |
                            OPN_AFFECTS_SAMPLING | OPN_AFFECTS_SCORES |
                            OPN_AFFECTS_LABELS;
    json_t *object = json_object();
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        if (param->affects & wanted)
            opn_i_json_set(object, param->name, describe_param(params, param));
    }
    return object;
}

static void put_origin(json_t *object, const opn_evaluation *evaluation)
{
    opn_i_json_set(object, "version", opn_i_json_string(opn_version()));
    opn_i_json_set(object, "dataset", opn_i_json_string(evaluation->dataset));
    opn_i_json_set(object, "data_hash", opn_i_json_string(evaluation->data_hash));
    opn_i_json_set(object, "task",
                   opn_i_json_string(opn_params_text(evaluation->params, "task")));
    opn_i_json_set(object, "protocol",
                   opn_i_json_string(opn_params_text(evaluation->params, "protocol")));
    opn_i_json_set(object, "shift",
                   opn_i_json_string(opn_params_text(evaluation->params, "shift")));
}

// Apart from the origin: the same data may lie elsewhere. A path that is not UTF-8 cannot
// be in JSON and is left out.
static void put_source(json_t *object, const opn_evaluation *evaluation)
{
    opn_i_json_set(object, "source", opn_i_json_string(evaluation->source));
}

json_t *opn_i_describe_cell(const opn_evaluation *evaluation,
                            const opn_params *params,
                            const char *model)
{
    json_t *about = json_object();
    put_origin(about, evaluation);
    put_source(about, evaluation);
    opn_i_json_set(about, "model", opn_i_json_string(model));
    opn_i_json_set(about, "parameters", opn_i_describe_params(params));
    return about;
}

json_t *opn_i_describe_evaluation(const opn_evaluation *evaluation)
{
    json_t *entry = json_object();
    json_t *id = json_object();
    json_t *models = json_array();
    json_t *seeds = json_array();
    put_origin(id, evaluation);
    opn_i_json_set(id, "parameters", opn_i_describe_params(evaluation->params));
    for (int64_t m = 0; m < evaluation->models.n; m++)
        opn_i_json_append(models,
                          opn_i_json_string(opn_i_names_at(&evaluation->models, m)));
    for (int32_t s = 0; s < evaluation->n_seeds; s++) {
        json_t *one = json_object();
        opn_i_json_set(one, "seed", json_integer((json_int_t)evaluation->cell[s].seed));
        opn_i_json_set(one, "split", opn_i_json_string(evaluation->cell[s].split_hash));
        opn_i_json_append(seeds, one);
    }
    opn_i_json_set(id, "models", models);
    opn_i_json_set(entry, "id", id);
    put_source(entry, evaluation);
    opn_i_json_set(entry, "seeds", seeds);
    return entry;
}
