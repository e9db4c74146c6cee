// turns_test.c -- labels that take turns to validate calibrate the model.

#include "train/turns.h"

#include "model/model_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "train/folds.h"
#include "train/train.h"

#include <stdio.h>

static opn_ctx *ctx;

#define SETTINGS "epochs=10 patience=5 hidden=8 samples=3 normalise=l2 seed=4 model="

// 60 nodes train and 60 validate, in two folds.
enum { N_TURNS = 2, N_TURNED = 120, N_VALIDATION = 60 };

static opn_graph *draw(opn_ctx *of)
{
    return trial_draw_split(of, "nodes=240 classes=3 features=12 homophily=0.7", 4);
}

static opn_split *split_of(const opn_graph *graph, const opn_params *params)
{
    opn_split *split = NULL;
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    return split;
}

// By models of each fold that are trained one by one.
static opn_calibrator
calibrate_by_hand(const opn_graph *graph, const opn_split *split, const char *id)
{
    char settings[128];
    opn_i_folds folds = {0};
    opn_i_turn turn[OPN_MAX_FOLDS] = {0};
    opn_calibrator fitted = {0};
    snprintf(settings, sizeof(settings), SETTINGS "%s", id);
    opn_params *params = trial_paper_params(ctx, settings);
    assert_int_equal(opn_i_folds_init(ctx, graph, split, 4, &folds), OPN_OK);
    assert_int_equal(folds.n, N_TURNS);
    for (int f = 0; f < folds.n; f++) {
        opn_model *model = NULL;
        assert_int_equal(
                opn_i_train_one(ctx, graph, folds.split[f], params, NULL, &model),
                OPN_OK);
        assert_int_equal(opn_i_turn_init(ctx, graph, folds.split[f], model, &turn[f]),
                         OPN_OK);
        assert_int_equal(turn[f].n, N_VALIDATION);
        opn_model_free(model);
    }
    assert_int_equal(
            opn_i_turns_calibrate(ctx, OPN_CALIBRATION_POOL, folds.n, turn, &fitted),
            OPN_OK);
    for (int f = 0; f < folds.n; f++)
        opn_i_turn_deinit(&ctx->alloc, &turn[f]);
    opn_i_folds_deinit(&folds);
    opn_params_free(params);
    return fitted;
}

static void labels_that_take_turns_calibrate_the_chosen_model(void **state)
{
    (void)state;
    opn_graph *graph = draw(ctx);
    opn_params *params = trial_paper_params(ctx, SETTINGS "auto");
    opn_split *split = split_of(graph, params);
    opn_model *model = trial_train(ctx, graph, SETTINGS "auto");
    const opn_calibrator *c = opn_model_calibrator(model);
    const opn_calibrator by_hand = calibrate_by_hand(graph, split, opn_model_id(model));
    assert_int_equal(c->kind, OPN_CALIBRATION_POOL);
    assert_int_equal(c->n, N_TURNED);
    assert_true(c->a == by_hand.a && c->b == by_hand.b);
    const opn_calibrator before = *c;
    assert_int_equal(opn_model_calibrate(ctx, graph, split, params, model), OPN_OK);
    assert_memory_equal(&before, c, sizeof(before));
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
}

static void another_calibration_than_that_of_the_turns_can_be_asked_for(void **state)
{
    (void)state;
    opn_graph *graph = draw(ctx);
    opn_params *params = trial_paper_params(ctx, SETTINGS "auto");
    opn_split *split = split_of(graph, params);
    opn_model *model = trial_train(ctx, graph, SETTINGS "auto");
    assert_int_equal(opn_params_set(ctx, params, "calibrate", "temperature"), OPN_OK);
    assert_int_equal(opn_model_calibrate(ctx, graph, split, params, model), OPN_OK);
    assert_int_equal(opn_model_calibrator(model)->kind, OPN_CALIBRATION_TEMPERATURE);
    assert_int_equal(opn_model_calibrator(model)->n, N_VALIDATION);
    assert_int_equal(opn_params_set(ctx, params, "calibrate", "none"), OPN_OK);
    assert_int_equal(opn_model_calibrate(ctx, graph, split, params, model), OPN_OK);
    assert_int_equal(opn_model_calibrator(model)->kind, OPN_CALIBRATION_NONE);
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
}

static void turns_do_not_calibrate_what_they_did_not_judge(void **state)
{
    (void)state;
    static const char *const settings[] = {SETTINGS "auto members=2",
                                           SETTINGS "auto calibrate=none",
                                           SETTINGS "s-bgcn-t-k"};
    opn_graph *graph = draw(ctx);
    for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++) {
        opn_model *model = trial_train(ctx, graph, settings[s]);
        assert_int_equal(opn_model_calibrator(model)->kind, OPN_CALIBRATION_NONE);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

static void every_allocation_failure_of_a_turn_is_told(void **state)
{
    (void)state;
    opn_graph *graph = draw(ctx);
    opn_params *params = trial_paper_params(ctx, SETTINGS "s-bgcn-t-k");
    opn_split *split = split_of(graph, params);
    opn_model *model = trial_train(ctx, graph, SETTINGS "s-bgcn-t-k");
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_i_turn turn = {0};
        opn_calibrator fitted = {0};
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_i_turn_init(own, graph, split, model, &turn);
        if (status == OPN_OK)
            status = opn_i_turns_calibrate(own, OPN_CALIBRATION_POOL, 1, &turn, &fitted);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        m.fail_at = 0;
        opn_i_turn_deinit(&own->alloc, &turn);
        support_ctx_free(own, &m);
    }
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(labels_that_take_turns_calibrate_the_chosen_model),
            WITH_CTX(another_calibration_than_that_of_the_turns_can_be_asked_for),
            WITH_CTX(turns_do_not_calibrate_what_they_did_not_judge),
            WITH_CTX(every_allocation_failure_of_a_turn_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
