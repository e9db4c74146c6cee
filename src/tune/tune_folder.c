// tune_folder.c -- saves trials to a folder as they finish.

#include "tune/tune_folder.h"

#include "experiment/evaluate_parts.h"
#include "graph/graph_data.h"
#include "io/json_write.h"
#include "train/training_key.h"

#include <math.h>
#include <string.h>

static bool run_to_json(const void *record, json_t *object)
{
    const opn_trial_run *run = record;
    return json_object_set_new(object, "objective", opn_i_json_number(run->objective)) ==
                   0 &&
           json_object_set_new(object, "accuracy", opn_i_json_number(run->accuracy)) ==
                   0 &&
           json_object_set_new(object, "detection", opn_i_json_number(run->detection)) ==
                   0 &&
           json_object_set_new(object, "seconds", opn_i_json_number(run->seconds)) == 0;
}

// A number in [0, most], or NaN for null if may_miss.
static bool
get_number(const json_t *object, const char *key, double most, bool may_miss, double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return json_is_number(value) ? *out >= 0.0 && *out <= most
                                 : json_is_null(value) && may_miss;
}

static bool run_from_json(const json_t *object, void *record)
{
    opn_trial_run *run = record;
    return get_number(object, "objective", 100.0, false, &run->objective) &&
           get_number(object, "accuracy", 100.0, true, &run->accuracy) &&
           get_number(object, "detection", 100.0, true, &run->detection) &&
           get_number(object, "seconds", (double)INFINITY, true, &run->seconds) &&
           run->objective == opn_i_trial_objective(run->accuracy, run->detection);
}

static const opn_i_journal_kind trials = {.file = "trials.jsonl",
                                          .shards = "trials.d",
                                          .what = "run of a trial",
                                          .n_bytes = sizeof(opn_trial_run),
                                          .to_json = run_to_json,
                                          .from_json = run_from_json};

opn_status opn_i_tune_folder_open(opn_ctx *ctx,
                                  const char *folder,
                                  opn_i_shard *shard,
                                  opn_i_journal **out)
{
    return opn_i_journal_open(ctx, folder, &trials, shard, out);
}

// Increase with every change to how trials are scored.
static const char scoring[] = "tune 1";

opn_status opn_i_tune_key(opn_ctx *ctx,
                          const char *data_hash,
                          const opn_i_model_kind *kind,
                          const opn_i_trial *trial,
                          char key[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *sha = NULL;
    char training[OPN_SHA256_TEXT];
    char cell[OPN_SHA256_TEXT];
    OPN_TRY(opn_i_training_key(ctx, data_hash, trial->split, trial->params, kind,
                               training));
    OPN_TRY(opn_i_cell_key(ctx, training, trial->params, kind->id, cell));
    OPN_TRY(opn_i_sha256_start(ctx, &sha));
    opn_i_sha256_add(sha, scoring, sizeof(scoring));
    opn_i_sha256_add(sha, cell, sizeof(cell));
    opn_i_sha256_add(sha, trial->held_out,
                     (size_t)trial->n_folds * sizeof(trial->held_out[0]));
    status = opn_i_sha256_finish(sha, key);
cleanup:
    return status;
}

opn_status opn_i_tune_folder_add(opn_ctx *ctx,
                                 opn_i_journal *journal,
                                 const char *key,
                                 const opn_i_trial *trial,
                                 int32_t t,
                                 const opn_trial_run *run)
{
    json_t *about = json_object();
    opn_i_json_set(about, "version", opn_i_json_string(opn_version()));
    opn_i_json_set(about, "dataset", opn_i_json_string(trial->graph->name));
    opn_i_json_set(about, "model",
                   opn_i_json_string(opn_params_text(trial->params, "model")));
    opn_i_json_set(about, "trial", json_integer(t));
    opn_i_json_set(about, "parameters", opn_i_describe_params(trial->params));
    return opn_i_journal_add(ctx, journal, key, about, run);
}
