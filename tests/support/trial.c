// trial.c -- models for tests, made in one call.

#include "support/trial.h"

#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Nothing here has to survive a crash, so nothing is really synced: that would take most
// of the time.
int fsync(int file)
{
    (void)file;
    return 0;
}

int fdatasync(int file)
{
    (void)file;
    return 0;
}

// ---- graphs --------------------------------------------------------------------------

opn_params *trial_params(opn_ctx *ctx, const char *settings)
{
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    for (settings += strspn(settings, " "); *settings != 0;) {
        char name[64];
        char value[64];
        int n = 0;
        assert_int_equal(sscanf(settings, "%63[^=]=%63s%n", name, value, &n), 2);
        assert_int_equal(opn_params_set(ctx, params, name, value), OPN_OK);
        settings += n;
        settings += strspn(settings, " ");
    }
    return params;
}

opn_params *trial_paper_params(opn_ctx *ctx, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    if (!opn_params_given(params, "preset"))
        assert_int_equal(opn_params_set(ctx, params, "preset", "paper"), OPN_OK);
    return params;
}

opn_graph *trial_draw(opn_ctx *ctx, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_generate(ctx, params, &graph), OPN_OK);
    opn_params_free(params);
    return graph;
}

opn_graph *trial_draw_split(opn_ctx *ctx, const char *settings, size_t period)
{
    opn_graph *graph = trial_draw(ctx, settings);
    const size_t n_nodes = (size_t)opn_graph_n_nodes(graph);
    uint8_t *role = malloc(n_nodes);
    assert_non_null(role);
    for (size_t i = 0; i < n_nodes; i++)
        role[i] = i % period == 0   ? OPN_ROLE_TRAIN
                  : i % period == 1 ? OPN_ROLE_VALIDATION
                                    : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    free(role);
    return graph;
}

const float trial_features[TRIAL_NODES * TRIAL_FEATURES] = {
        1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1};
const int32_t trial_labels[TRIAL_NODES] = {0, 0, 0, -1, -1, 1, 1, 1, -1};

opn_graph *trial_groups_of(opn_ctx *ctx,
                           int n_edges,
                           int32_t n_features,
                           const float *value,
                           const int32_t *label)
{
    static const opn_vid source[TRIAL_EDGES] = {0, 0, 0, 1, 1, 2, 4, 4, 4, 5, 5, 6, 3};
    static const opn_vid target[TRIAL_EDGES] = {1, 2, 3, 2, 3, 3, 5, 6, 7, 6, 7, 7, 4};
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, TRIAL_NODES, n_edges, source, target,
                                            NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, n_features, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 2, label), OPN_OK);
    return graph;
}

opn_graph *trial_groups(opn_ctx *ctx)
{
    return trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, trial_features,
                           trial_labels);
}

// ---- models --------------------------------------------------------------------------

const char *const trial_models[TRIAL_N_ALL_MODELS] = {
        "gcn",        "drop-gcn",    "dropedge-gcn", "edl-gcn",     "dpn-gcn",
        "s-gcn",      "s-bgcn",      "s-bgcn-t",     "s-bgcn-t-k",  "gat",
        "s-bgat-t-k", "s-bsage-t-k", "s-bmlp-t-k",   "s-blinks-t-k"};

opn_status trial_try_train(opn_ctx *ctx,
                           const opn_graph *graph,
                           const char *settings,
                           const char *checkpoint,
                           opn_model **out)
{
    opn_params *params = trial_params(ctx, settings);
    opn_split *split = NULL;
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    opn_checkpoint *place = NULL;
    if (checkpoint != NULL)
        assert_int_equal(opn_checkpoint_open(ctx, checkpoint, 1, &place), OPN_OK);
    const opn_status status = opn_model_train(ctx, graph, split, params, place, out);
    opn_checkpoint_close(place, status == OPN_OK);
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

opn_model *trial_train(opn_ctx *ctx, const opn_graph *graph, const char *settings)
{
    opn_model *model = NULL;
    if (trial_try_train(ctx, graph, settings, NULL, &model) != OPN_OK)
        fail_msg("%s: %s", settings, opn_ctx_error(ctx));
    return model;
}

char *trial_bytes(opn_ctx *ctx, const opn_model *model, size_t *n_bytes)
{
    stage *s = support_open_stage("bytes.safetensors");
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    char *bytes = support_read_file(s->path, n_bytes);
    support_close_stage(s);
    return bytes;
}

void trial_expect_same(opn_ctx *ctx, const opn_model *model, const opn_model *other)
{
    size_t n_bytes = 0;
    size_t n_other = 0;
    char *bytes = trial_bytes(ctx, model, &n_bytes);
    char *other_bytes = trial_bytes(ctx, other, &n_other);
    assert_int_equal(n_bytes, n_other);
    assert_memory_equal(bytes, other_bytes, n_bytes);
    free(bytes);
    free(other_bytes);
}

// ---- opinions ------------------------------------------------------------------------

opn_prediction *opinions_ask(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             const char *settings)
{
    opn_params *params = settings == NULL ? NULL : trial_params(ctx, settings);
    opn_prediction *said = NULL;
    if (opn_model_predict(ctx, model, graph, params, OPN_KEEP_BELIEF, &said) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return said;
}

static void expect_same_floats(const float *said, const float *other, size_t n)
{
    assert_int_equal(said == NULL, other == NULL);
    if (said != NULL)
        assert_memory_equal(said, other, n * sizeof(*said));
}

void opinions_expect_same(const opn_prediction *said, const opn_prediction *other)
{
    const size_t n = (size_t)said->n_nodes;
    const size_t n_wide = n * (size_t)said->n_classes;
    assert_int_equal(said->n_nodes, other->n_nodes);
    assert_int_equal(said->n_classes, other->n_classes);
    assert_memory_equal(said->predicted, other->predicted, n * sizeof(*said->predicted));
    expect_same_floats(said->probability, other->probability, n_wide);
    expect_same_floats(said->alpha, other->alpha, n_wide);
    expect_same_floats(said->belief, other->belief, n_wide);
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        expect_same_floats(opn_i_prediction_score(said, s),
                           opn_i_prediction_score(other, s), n);
}

void opinions_expect_other(const opn_prediction *said, const opn_prediction *other)
{
    const size_t n_wide = (size_t)said->n_nodes * (size_t)said->n_classes;
    assert_memory_not_equal(said->probability, other->probability,
                            n_wide * sizeof(*said->probability));
}

static void
expect_sound_evidence(const opn_model *model, const opn_prediction *said, opn_vid i)
{
    const int32_t n = said->n_classes;
    const size_t at = (size_t)i * (size_t)n;
    double strength = 0.0;
    double belief = 0.0;
    for (int32_t k = 0; k < n; k++) {
        const float alpha = said->alpha[at + (size_t)k];
        assert_true(alpha >= 1.0f && isfinite(alpha));
        strength += (double)alpha;
        belief += said->belief == NULL ? 0.0 : (double)said->belief[at + (size_t)k];
    }
    if (!opn_model_measures(model, OPN_MEASURE_VACUITY))
        return;
    const float vacuity = said->measure[OPN_MEASURE_VACUITY][i];
    assert_float_equal(vacuity, (float)(n / strength), 2e-6f);
    assert_float_equal((float)belief + vacuity, 1.0f, 2e-6f);
}

static void
expect_sound_node(const opn_model *model, const opn_prediction *said, opn_vid i)
{
    const int32_t n = said->n_classes;
    const float *p = said->probability + (size_t)i * (size_t)n;
    float *const *measure = said->measure;
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++) {
        assert_true(p[k] >= 0.0f && p[k] <= 1.0f);
        assert_true(p[k] <= p[said->predicted[i]]);
        sum += (double)p[k];
    }
    assert_float_equal((float)sum, 1.0f, 2e-6f);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        assert_int_equal(measure[m] != NULL, opn_model_measures(model, (opn_measure)m));
        if (measure[m] != NULL)
            assert_true((double)measure[m][i] >= opn_i_measure_at(m)->low &&
                        (double)measure[m][i] <= opn_i_measure_at(m)->high);
    }
    if (said->alpha != NULL)
        expect_sound_evidence(model, said, i);
    if (measure[OPN_MEASURE_EPISTEMIC] != NULL)
        assert_float_equal(measure[OPN_MEASURE_ENTROPY][i],
                           measure[OPN_MEASURE_ALEATORIC][i] +
                                   measure[OPN_MEASURE_EPISTEMIC][i],
                           4e-6f);
}

void opinions_expect_sound(const opn_model *model, const opn_prediction *said)
{
    for (opn_vid i = 0; i < said->n_nodes; i++)
        expect_sound_node(model, said, i);
}

void trial_expect_sound(opn_ctx *ctx, const opn_graph *graph, const char *settings)
{
    opn_model *model = trial_train(ctx, graph, settings);
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opinions_expect_sound(model, said);
    opn_prediction_free(said);
    opn_model_free(model);
}
