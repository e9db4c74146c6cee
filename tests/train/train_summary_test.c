// train_summary_test.c -- what training says it did: how likely the validation nodes are,
// and why it ended.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_train_summary summary_of(const opn_model *model)
{
    opn_train_summary summary;
    opn_model_summary(model, &summary);
    return summary;
}

// ---- likelihood ----------------------------------------------------------------------

// Of the validation nodes, from what the model predicts.
static double nll_of(const opn_model *model, const opn_graph *graph)
{
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_split *split = NULL;
    assert_int_equal(opn_model_split(ctx, model, graph, &split), OPN_OK);
    assert_non_null(split);
    const int32_t *label = opn_graph_labels(graph);
    const size_t n_classes = (size_t)opn_model_n_classes(model);
    double sum = 0.0;
    int n = 0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++) {
        if (opn_split_roles(split)[i] != OPN_ROLE_VALIDATION)
            continue;
        sum -= log((double)said->probability[(size_t)i * n_classes + (size_t)label[i]]);
        n++;
    }
    opn_split_free(split);
    opn_prediction_free(said);
    return sum / n;
}

// Models that predict without dropout; evidence of every kind, and none.
static void the_likelihood_is_that_of_predictions_without_dropout(void **state)
{
    (void)state;
    static const char *const models[] = {"gcn",
                                         "s-gcn",
                                         "s-gcn evidence=relu",
                                         "s-gcn evidence=softplus",
                                         "edl-gcn",
                                         "dpn-gcn",
                                         "gat",
                                         "s-links"};
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=3 features=20");
    for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
        char settings[128];
        snprintf(settings, sizeof(settings), "epochs=20 model=%s", models[m]);
        opn_model *model = trial_train(ctx, graph, settings);
        const opn_train_summary summary = summary_of(model);
        assert_true(summary.n_validation > 0);
        assert_true(fabs(summary.validation_nll - nll_of(model, graph)) < 1e-5);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

static void without_validation_nodes_there_is_none(void **state)
{
    (void)state;
    const int32_t few[TRIAL_NODES] = {0, -1, -1, -1, -1, -1, -1, 1, -1};
    opn_graph *graph =
            trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, trial_features, few);
    opn_model *model = trial_train(ctx, graph, "epochs=5 patience=2");
    assert_true(isnan(summary_of(model).validation_nll));
    assert_int_equal(summary_of(model).ended_early, 0);
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- the end -------------------------------------------------------------------------

static void patience_or_the_last_epoch_ends_training(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=3 features=20");
    opn_model *early = trial_train(ctx, graph, "model=gcn epochs=5000 patience=3");
    opn_model *late = trial_train(ctx, graph, "model=gcn epochs=10 patience=50");
    opn_model *whole = trial_train(ctx, graph, "model=gcn epochs=10");
    assert_true(summary_of(early).epochs < 5000);
    assert_int_equal(summary_of(early).ended_early, 1);
    assert_int_equal(summary_of(late).ended_early, 0);
    assert_int_equal(summary_of(whole).ended_early, 0);
    opn_model_free(early);
    opn_model_free(late);
    opn_model_free(whole);
    opn_graph_free(graph);
}

// ---- files ---------------------------------------------------------------------------

// Writes the file again with `from` replaced by `to` of the same length.
static void replace(const char *path, const char *from, const char *to)
{
    size_t n_bytes = 0;
    char *bytes = support_read_file(path, &n_bytes);
    size_t at = 0;
    assert_int_equal(strlen(from), strlen(to));
    while (at + strlen(from) <= n_bytes && memcmp(bytes + at, from, strlen(from)) != 0)
        at++;
    assert_true(at + strlen(from) <= n_bytes);
    memcpy(bytes + at, to, strlen(to));
    support_write_file(path, bytes, n_bytes);
    free(bytes);
}

static void a_file_keeps_every_digit_and_may_lack_it(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=2 features=20");
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5000 patience=3");
    opn_model *again = NULL;
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_OK);
    assert_true(summary_of(again).validation_nll == summary_of(model).validation_nll);
    assert_int_equal(summary_of(again).ended_early, 1);
    opn_model_free(again);
    replace(s->path, "\"ended_early\":\"1\"", "\"ended_early\":\"2\"");
    assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_ERR_FORMAT);
    support_expect_error(ctx, "ended_early");
    replace(s->path, "\"ended_early\"", "\"ended-early\"");
    replace(s->path, "\"validation_nll\":\"0.", "\"validation_nll\":\"x.");
    assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_ERR_FORMAT);
    support_expect_error(ctx, "\"validation_nll\" is not a number");
    replace(s->path, "\"validation_nll\"", "\"validation-nll\"");
    assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_OK);
    assert_true(isnan(summary_of(again).validation_nll));
    assert_int_equal(summary_of(again).ended_early, 0);
    opn_model_free(again);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_likelihood_is_that_of_predictions_without_dropout),
            WITH_CTX(without_validation_nodes_there_is_none),
            WITH_CTX(patience_or_the_last_epoch_ends_training),
            WITH_CTX(a_file_keeps_every_digit_and_may_lack_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
