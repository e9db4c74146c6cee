// image_runs.c -- trains and scores on images of MNIST and FashionMNIST.

#include "paper/image_runs.h"

#include "base/clock.h"
#include "experiment/journal.h"
#include "graph/graph_data.h"
#include "io/json_write.h"
#include "io/sha256.h"
#include "model/model_data.h"
#include "opine/prediction.h"
#include "paper/image_sets.h"
#include "train/jobs.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_SEEDS = 5 };

const char *const opn_i_image_terms[OPN_IMAGE_TERMS] = {"none", "vat", "mean-teacher",
                                                        "pseudo-label"};
const char *const opn_i_image_titles[OPN_IMAGE_TERMS] = {"supervised", "VAT",
                                                         "Mean Teacher", "pseudo-label"};
const char *const opn_i_image_models[OPN_IMAGE_MODELS] = {"drop-mlp", "s-bmlp"};

// The paper names no network and no settings. These were written down before the first
// run and are the same for all columns; the rest is at its default.
static const opn_i_image_setting settings[] = {
        {"preset", "paper"},        {"normalise", "none"}, {"hidden", "256"},
        {"learning_rate", "0.001"}, {"epochs", "1500"},    {"batch", "256"},
};

size_t opn_i_image_setting_count(void)
{
    return sizeof(settings) / sizeof(settings[0]);
}

const opn_i_image_setting *opn_i_image_setting_at(size_t n)
{
    return &settings[n];
}

// ---- one run -------------------------------------------------------------------------

// What the runs of a seed share.
typedef struct image_run {
    const opn_i_image_data *data;
    opn_i_image_draw draw;
    opn_i_journal *journal; // or NULL
    int64_t seed;
    opn_i_image_cell *cell; // [MODELS,TERMS]
    opn_i_share share;      // of these
} image_run;

static opn_status set_params(
        opn_ctx *ctx, int64_t seed, const char *model, const char *term, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)seed);
    OPN_TRY(opn_params_create(ctx, &params));
    for (size_t n = 0; n < opn_i_image_setting_count(); n++)
        OPN_TRY(opn_params_set(ctx, params, settings[n].name, settings[n].value));
    OPN_TRY(opn_params_set(ctx, params, "seed", text));
    OPN_TRY(opn_params_set(ctx, params, "model", model));
    OPN_TRY(opn_params_set(ctx, params, "unlabelled", term));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

// Entropies are divided by ln K as measures; the paper's figures are in nats.
static double unit_of(int32_t measure, int32_t n_classes)
{
    return measure == OPN_MEASURE_VACUITY || measure == OPN_MEASURE_DISSONANCE
                   ? 1.0
                   : log((double)n_classes);
}

static double mean_of(const float *value, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++)
        sum += (double)value[i];
    return n > 0 ? sum / n : (double)NAN;
}

// How sure the model is of the unlabelled images, and how well that tells them apart.
static opn_status score_images(opn_ctx *ctx,
                               const opn_i_image_draw *draw,
                               const opn_prediction *said,
                               opn_i_image_cell *cell)
{
    opn_status status = OPN_OK;
    const int32_t n = draw->n_inside + draw->n_outside;
    uint8_t *is_outside = NULL;
    OPN_TRY_NEW(ctx, is_outside, n);
    memset(is_outside + draw->n_inside, 1, (size_t)draw->n_outside);
    for (int32_t m = 0; m < OPN_IMAGE_MEASURES; m++) {
        const float *value = opn_prediction_measure(said, (opn_measure)m);
        const double unit = unit_of(m, opn_prediction_n_classes(said));
        cell->inside[m] = cell->outside[m] = cell->auroc[m] = (double)NAN;
        if (value == NULL)
            continue;
        value += draw->n_labelled;
        cell->inside[m] = unit * mean_of(value, draw->n_inside);
        cell->outside[m] = unit * mean_of(value + draw->n_inside, draw->n_outside);
        OPN_TRY(opn_metric_auroc(ctx, n, is_outside, opn_f32(value), &cell->auroc[m]));
        cell->auroc[m] *= 100.0;
    }
cleanup:
    opn_i_release(&ctx->alloc, is_outside);
    return status;
}

static double accuracy_of(const opn_graph *test, const opn_prediction *said)
{
    const int32_t n = opn_i_graph_n_nodes(test);
    const int32_t *predicted = opn_prediction_predicted(said);
    int32_t n_right = 0;
    for (int32_t i = 0; i < n; i++)
        n_right += predicted[i] == test->label[i];
    return 100.0 * n_right / n;
}

static opn_status run_cell(opn_ctx *ctx,
                           const image_run *run,
                           const char *model,
                           const char *term,
                           opn_i_image_cell *cell)
{
    opn_status status = OPN_OK;
    const double start = opn_i_clock();
    opn_params *params = NULL;
    opn_model *trained = NULL;
    opn_prediction *said = NULL;
    opn_prediction *of_test = NULL;
    OPN_TRY(set_params(ctx, run->seed, model, term, &params));
    OPN_TRY(opn_i_train_one(ctx, run->draw.graph, run->draw.split, params, NULL,
                            &trained));
    OPN_TRY(opn_model_predict(ctx, trained, run->draw.graph, NULL, 0, &said));
    OPN_TRY(opn_model_predict(ctx, trained, run->data->test, NULL, 0, &of_test));
    OPN_TRY(score_images(ctx, &run->draw, said, cell));
    cell->accuracy = accuracy_of(run->data->test, of_test);
    cell->seconds = opn_i_clock() - start;
cleanup:
    opn_prediction_free(said);
    opn_prediction_free(of_test);
    opn_model_free(trained);
    opn_params_free(params);
    return status;
}

// ---- what was run before -------------------------------------------------------------

static void name_number(char name[48], const char *kind, int32_t measure)
{
    snprintf(name, 48, "%s.%s", opn_measure_name((opn_measure)measure), kind);
}

static bool cell_to_json(const void *record, json_t *object)
{
    const opn_i_image_cell *cell = record;
    bool fits =
            json_object_set_new(object, "accuracy", opn_i_json_number(cell->accuracy)) ==
                    0 &&
            json_object_set_new(object, "seconds", opn_i_json_number(cell->seconds)) == 0;
    char name[48];
    for (int32_t m = 0; m < OPN_IMAGE_MEASURES && fits; m++) {
        const double number[] = {cell->inside[m], cell->outside[m], cell->auroc[m]};
        for (int k = 0; k < 3 && fits; k++) {
            name_number(name, k == 0 ? "inside" : k == 1 ? "outside" : "auroc", m);
            fits = json_object_set_new(object, name, opn_i_json_number(number[k])) == 0;
        }
    }
    return fits;
}

static bool get_number(const json_t *object, const char *name, double *out)
{
    const json_t *value = json_object_get(object, name);
    *out = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return json_is_null(value) || (json_is_number(value) && *out >= 0.0 && *out <= 1e9);
}

static bool cell_from_json(const json_t *object, void *record)
{
    opn_i_image_cell *cell = record;
    bool fits = get_number(object, "accuracy", &cell->accuracy) &&
                get_number(object, "seconds", &cell->seconds);
    char name[48];
    for (int32_t m = 0; m < OPN_IMAGE_MEASURES && fits; m++) {
        double *const to[] = {&cell->inside[m], &cell->outside[m], &cell->auroc[m]};
        for (int k = 0; k < 3 && fits; k++) {
            name_number(name, k == 0 ? "inside" : k == 1 ? "outside" : "auroc", m);
            fits = get_number(object, name, to[k]);
        }
    }
    return fits;
}

static const opn_i_journal_kind journal_kind = {.file = "images.jsonl",
                                                .shards = "images.d",
                                                .what = "result of a run on images",
                                                .n_bytes = sizeof(opn_i_image_cell),
                                                .to_json = cell_to_json,
                                                .from_json = cell_from_json};

// Identifies a run: data, settings and all that the seed draws.
static opn_status key_of(opn_ctx *ctx,
                         const image_run *run,
                         const char *model,
                         const char *term,
                         char key[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *sha = NULL;
    char hash[65];
    OPN_TRY(opn_graph_hash(ctx, run->draw.graph, hash));
    OPN_TRY(opn_i_sha256_start(ctx, &sha));
    opn_i_sha256_add(sha, opn_version(), strlen(opn_version()) + 1);
    opn_i_sha256_add(sha, hash, sizeof(hash));
    opn_i_sha256_add(sha, model, strlen(model) + 1);
    opn_i_sha256_add(sha, term, strlen(term) + 1);
    opn_i_sha256_add(sha, &run->seed, sizeof(run->seed));
    for (size_t n = 0; n < opn_i_image_setting_count(); n++)
        opn_i_sha256_add(sha, settings[n].value, strlen(settings[n].value) + 1);
    status = opn_i_sha256_finish(sha, key);
cleanup:
    return status;
}

static int32_t cell_at(const image_run *run, int32_t job)
{
    return run->share.first + job * run->share.step;
}

static opn_status run_job(opn_ctx *ctx, void *user, int32_t number)
{
    opn_status status = OPN_OK;
    const image_run *run = user;
    const int32_t j = cell_at(run, number);
    const char *model = opn_i_image_models[j / OPN_IMAGE_TERMS];
    const char *term = opn_i_image_terms[j % OPN_IMAGE_TERMS];
    opn_i_image_cell *cell = &run->cell[j];
    char key[OPN_SHA256_TEXT];
    OPN_TRY(key_of(ctx, run, model, term, key));
    if (run->journal != NULL && opn_i_journal_find(run->journal, key, cell))
        return OPN_OK;
    OPN_TRY(run_cell(ctx, run, model, term, cell));
    if (run->journal != NULL) {
        json_t *about = json_object();
        opn_i_json_set(about, "model", opn_i_json_string(model));
        opn_i_json_set(about, "unlabelled", opn_i_json_string(term));
        opn_i_json_set(about, "seed", json_integer(run->seed));
        OPN_TRY(opn_i_journal_add(ctx, run->journal, key, about, cell));
    }
cleanup:
    return status;
}

static void tell_job(opn_ctx *ctx, void *user, int32_t number)
{
    const image_run *run = user;
    const int32_t j = cell_at(run, number);
    opn_i_log(ctx, OPN_LOG_INFO, "%s, %s, seed %lld: accuracy %.1f %%, %.1f s",
              opn_i_image_models[j / OPN_IMAGE_TERMS],
              opn_i_image_titles[j % OPN_IMAGE_TERMS], (long long)run->seed,
              run->cell[j].accuracy, run->cell[j].seconds);
}

static opn_status run_seed(opn_ctx *ctx, const opn_i_image_data *data, image_run *run)
{
    opn_status status = OPN_OK;
    char note[32];
    OPN_TRY(opn_i_image_draw_init(ctx, data, (uint64_t)run->seed, &run->draw));
    run->data = data;
    snprintf(note, sizeof(note), "images, seed %lld", (long long)run->seed);
    // Each takes about half a gigabyte.
    const opn_i_jobs jobs = {.stage = "evaluating",
                             .note = note,
                             .n = run->share.n,
                             .n_at_once = 2,
                             .run = run_job,
                             .tell = tell_job,
                             .user = run};
    OPN_TRY(opn_i_jobs_run(ctx, &jobs));
cleanup:
    opn_i_image_draw_deinit(&run->draw);
    return status;
}

opn_status opn_i_run_images(opn_ctx *ctx,
                            const opn_params *params,
                            const char *folder,
                            opn_i_shard *shard,
                            opn_reproduction *found)
{
    opn_status status = OPN_OK;
    const int32_t n_seeds = opn_params_given(params, "seeds")
                                    ? (int32_t)opn_params_int(params, "seeds")
                                    : N_SEEDS;
    const size_t n_cells = (size_t)OPN_IMAGE_MODELS * OPN_IMAGE_TERMS;
    opn_i_image_data data = {0};
    opn_i_journal *journal = NULL;
    OPN_TRY(opn_i_image_data_load(ctx, params, &data));
    if (folder != NULL)
        OPN_TRY(opn_i_journal_open(ctx, folder, &journal_kind, shard, &journal));
    OPN_TRY_NEW(ctx, found->image_cell, (size_t)n_seeds * n_cells);
    for (int32_t s = 0; s < n_seeds; s++) {
        image_run run = {.journal = journal,
                         .seed = opn_params_int(params, "seed") + s,
                         .cell = found->image_cell + (size_t)s * n_cells,
                         .share = opn_i_shard_deal(shard, (int32_t)n_cells)};
        OPN_TRY(run_seed(ctx, &data, &run));
        found->n_image_seeds = s + 1;
    }
cleanup:
    opn_i_journal_close(journal);
    opn_i_image_data_deinit(&data);
    return status;
}
