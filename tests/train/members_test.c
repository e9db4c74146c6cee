// members_test.c -- ensembles: what their members are, and what they say together.

#include "model/model_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

#define THREE "model=s-bgcn-t-k epochs=6 samples=4 hidden=4 seed=7 members=3"

// ---- members -------------------------------------------------------------------------

static void seeds_of_members_are_the_given_one_and_others_far_from_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_true(opn_i_member_seed(seed, 0) == seed);
        for (int32_t m = 1; m < OPN_MAX_MEMBERS; m++) {
            const uint64_t own = opn_i_member_seed(seed, m);
            assert_true(own > 1000 && own < (UINT64_C(1) << 53));
            for (int32_t other = 1; other < m; other++)
                assert_true(opn_i_member_seed(seed, other) != own);
        }
    }
}

// Trained on the split of seed 7, whatever the seed of the weights.
static opn_model *train_member(const opn_graph *graph, int32_t m)
{
    opn_params *params =
            trial_params(ctx, "model=s-bgcn-t-k epochs=6 samples=4 hidden=4 seed=7");
    opn_split *split = NULL;
    opn_model *model = NULL;
    char seed[24];
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)opn_i_member_seed(7, m));
    assert_int_equal(opn_params_set(ctx, params, "seed", seed), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, split, params, NULL, &model), OPN_OK);
    opn_split_free(split);
    opn_params_free(params);
    return model;
}

static void an_ensemble_says_the_mean_of_what_its_members_say(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=60 classes=3 features=20");
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_model *all = trial_train(ctx, graph, THREE);
    opn_prediction *said = opinions_ask(ctx, all, graph, NULL);
    opn_prediction *alone[3];
    double accuracy = 0.0;
    opn_train_summary s;
    assert_int_equal(opn_model_n_members(all), 3);
    for (int m = 0; m < 3; m++) {
        opn_model *one = train_member(graph, m);
        opn_model_summary(one, &s);
        accuracy += s.validation_accuracy / 3.0;
        alone[m] = opinions_ask(ctx, one, graph, NULL);
        opn_model_free(one);
    }
    opn_model_summary(all, &s);
    assert_true(fabs(s.validation_accuracy - accuracy) < 1e-9);
    opinions_expect_other(alone[0], alone[1]);
    for (int j = 0; j < 60 * 3; j++) {
        const double mean = ((double)alone[0]->alpha[j] + (double)alone[1]->alpha[j] +
                             (double)alone[2]->alpha[j]) /
                            3.0;
        assert_float_equal(said->alpha[j], (float)mean, 1e-5f * (float)mean);
    }
    opinions_expect_sound(all, said);
    for (int m = 0; m < 3; m++)
        opn_prediction_free(alone[m]);
    opn_prediction_free(said);
    opn_model_free(all);
    opn_graph_free(graph);
}

// It was that of the members' mean probabilities, aleatoric and epistemic those of the
// mean Dirichlet.
static void entropy_of_an_ensemble_of_dpn_gcn_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=60 classes=3 features=20");
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_model *model =
            trial_train(ctx, graph, "model=dpn-gcn epochs=6 hidden=4 seed=7 members=3");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    for (int i = 0; i < 60; i++)
        assert_float_equal(said->measure[OPN_MEASURE_ALEATORIC][i] +
                                   said->measure[OPN_MEASURE_EPISTEMIC][i],
                           said->measure[OPN_MEASURE_ENTROPY][i], 1e-6f);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void members_at_once_are_those_one_after_the_other(void **state)
{
    (void)state;
    static const char *const settings[] = {
            THREE, "model=auto epochs=6 samples=3 hidden=4 members=3",
            "model=drop-gcn epochs=6 samples=3 members=5"};
    opn_ctx *own = support_ctx(NULL); // a meter does not count several threads
    opn_graph *graph = trial_draw(own, "nodes=60 classes=3 features=20");
    for (int c = 0; c < 3; c++) {
        assert_int_equal(opn_ctx_set_threads(own, 1), OPN_OK);
        opn_model *serial = trial_train(own, graph, settings[c]);
        for (int n_threads = 2; n_threads <= 4; n_threads++) {
            assert_int_equal(opn_ctx_set_threads(own, n_threads), OPN_OK);
            opn_model *model = trial_train(own, graph, settings[c]);
            trial_expect_same(own, serial, model);
            opn_model_free(model);
        }
        opn_model_free(serial);
    }
    opn_graph_free(graph);
    support_ctx_free(own, NULL);
}

// ---- files ---------------------------------------------------------------------------

static void an_ensemble_says_the_same_after_its_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = trial_draw(ctx, "nodes=60 classes=3 features=20");
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_model *model = trial_train(ctx, graph, THREE);
    opn_model *again = NULL;
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_OK);
    assert_int_equal(opn_model_n_members(again), 3);
    trial_expect_same(ctx, model, again);
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *said_again = opinions_ask(ctx, again, graph, NULL);
    if (sizeof(opn_real) == sizeof(float)) // the file holds floats
        opinions_expect_same(said, said_again);
    opn_prediction_free(said);
    opn_prediction_free(said_again);
    opn_model_free(model);
    opn_model_free(again);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void an_interrupted_ensemble_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_model *whole = trial_train(ctx, graph, THREE);
    opn_model *model = NULL;
    opn_status status = OPN_ERR_INTERRUPTED;
    int n_stops = 0;
    for (; status == OPN_ERR_INTERRUPTED; n_stops++) {
        int n_left = 25;
        const opn_hooks hooks = {.size = sizeof(hooks),
                                 .interrupted = support_stop_after_calls,
                                 .user = &n_left};
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        status = trial_try_train(ctx, graph, THREE, s->path, &model);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_stops > 2);
    trial_expect_same(ctx, whole, model);
    assert_int_equal(support_count_entries(s->folder), 0);
    opn_model_free(whole);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void every_allocation_failure_of_an_ensemble_is_told(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at += 7) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_model *model = NULL;
        assert_int_equal(opn_ctx_set_threads(own, 1), OPN_OK);
        opn_params *params = trial_params(own, "epochs=1 hidden=2 members=2");
        opn_split *split = NULL;
        assert_int_equal(opn_split_from_params(own, graph, params, &split), OPN_OK);
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_model_train(own, graph, split, params, NULL, &model);
        assert_int_equal(status == OPN_OK, model != NULL);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        m.fail_at = 0;
        opn_model_free(model);
        opn_split_free(split);
        opn_params_free(params);
        support_ctx_free(own, &m);
    }
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(seeds_of_members_are_the_given_one_and_others_far_from_it),
            WITH_CTX(an_ensemble_says_the_mean_of_what_its_members_say),
            WITH_CTX(entropy_of_an_ensemble_of_dpn_gcn_is_the_sum_of_its_parts),
            WITH_CTX(members_at_once_are_those_one_after_the_other),
            WITH_CTX(an_ensemble_says_the_same_after_its_file),
            WITH_CTX(an_interrupted_ensemble_goes_on_with_the_same_bits),
            WITH_CTX(every_allocation_failure_of_an_ensemble_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
