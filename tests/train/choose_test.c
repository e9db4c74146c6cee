// choose_test.c -- how a model is chosen on validation nodes, and what it is compared
// with.

#include "train/choose.h"

#include "model/model_choice.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "train/folds.h"
#include "train/training_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

// ---- the rule ------------------------------------------------------------------------

static opn_i_candidate candidate(int32_t n, double n_right, double nll)
{
    return (opn_i_candidate){.n = n, .n_right = n_right, .nll = nll};
}

static void the_lowest_nll_within_one_standard_error_wins(void **state)
{
    (void)state;
    static const bool none[4] = {false};
    // 90 % of 100 nodes: one standard error is 3 points.
    const opn_i_candidate near[] = {candidate(100, 90, 50), candidate(100, 87, 30),
                                    candidate(100, 86, 10)};
    assert_int_equal(opn_i_choose_best(3, near, none), 1);
    const opn_i_candidate equal[] = {candidate(100, 90, 40), candidate(100, 90, 40)};
    assert_int_equal(opn_i_choose_best(2, equal, none), 0);
    const opn_i_candidate far[] = {candidate(400, 300, 10), candidate(400, 360, 90)};
    assert_int_equal(opn_i_choose_best(2, far, none), 1);
}

static void what_did_not_train_is_never_chosen(void **state)
{
    (void)state;
    const opn_i_candidate list[] = {candidate(100, 99, 1), candidate(100, 50, 90)};
    static const bool first[] = {true, false};
    static const bool both[] = {true, true};
    assert_int_equal(opn_i_choose_best(2, list, first), 1);
    assert_int_equal(opn_i_choose_best(2, list, both), -1);
}

static void without_validation_nodes_the_first_is_chosen(void **state)
{
    (void)state;
    static const bool none[2] = {false};
    const opn_i_candidate list[] = {candidate(0, 0, 0), candidate(0, 0, 0)};
    assert_int_equal(opn_i_choose_best(2, list, none), 0);
}

// ---- folds ---------------------------------------------------------------------------

static void folds_are_made_only_where_validation_nodes_are_few(void **state)
{
    (void)state;
    assert_int_equal(opn_i_n_folds(1000, 300), 1);
    assert_int_equal(opn_i_n_folds(1000, 299), 2);
    assert_int_equal(opn_i_n_folds(455, 228), 2);
    assert_int_equal(opn_i_n_folds(140, 100), 2); // there are no more parts of that size
    assert_int_equal(opn_i_n_folds(80, 20), 5);
    assert_int_equal(opn_i_n_folds(10, 40), 2);
    assert_int_equal(opn_i_n_folds(50, 0), 5);
    assert_int_equal(opn_i_n_folds(1, 1), 2);
}

// ---- models --------------------------------------------------------------------------

static const char settings[] = "model=auto epochs=20 patience=5 hidden=8 samples=3 "
                               "normalise=l2";

static const opn_i_candidate *chosen_of(const opn_model *model)
{
    const opn_i_candidate *found = NULL;
    for (int c = 0; c < model->n_candidates; c++)
        if (model->candidate[c].is_chosen) {
            assert_null(found);
            found = &model->candidate[c];
        }
    assert_non_null(found);
    return found;
}

static void auto_trains_the_model_that_it_names(void **state)
{
    (void)state;
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, settings);
    char alone[160];
    assert_int_equal(model->n_candidates, OPN_N_CANDIDATES);
    assert_string_equal(chosen_of(model)->name, opn_model_id(model));
    assert_string_equal(opn_model_param(model, "model"), opn_model_id(model));
    snprintf(alone, sizeof(alone),
             "model=%s epochs=20 patience=5 hidden=8 samples=3 normalise=l2",
             opn_model_id(model));
    opn_model *same = trial_train(ctx, graph, alone);
    model->n_candidates = 0; // all else is the same
    opn_model_free(model->elsewhere);
    model->elsewhere = NULL;
    trial_expect_same(ctx, same, model);
    opn_model_free(same);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void the_choice_does_not_depend_on_threads(void **state)
{
    (void)state;
    opn_ctx *own = support_ctx(NULL); // a meter does not count several threads
    opn_graph *graph = trial_groups(own);
    assert_int_equal(opn_ctx_set_threads(own, 1), OPN_OK);
    opn_model *one = trial_train(own, graph, settings);
    assert_int_equal(opn_ctx_set_threads(own, 4), OPN_OK);
    opn_model *four = trial_train(own, graph, settings);
    assert_string_equal(opn_model_id(one), opn_model_id(four));
    trial_expect_same(own, one, four);
    opn_model_free(one);
    opn_model_free(four);
    opn_graph_free(graph);
    support_ctx_free(own, NULL);
}

// The model of links, as if it had been chosen.
static opn_model *train_links(const opn_graph *graph)
{
    opn_model *model = trial_train(ctx, graph, "model=s-blinks-t-k epochs=5 hidden=4");
    model->elsewhere = trial_train(ctx, graph, "model=s-bgcn-t-k epochs=5 hidden=4");
    return model;
}

static opn_prediction *predict(const opn_model *model, const opn_graph *graph)
{
    opn_params *params = trial_params(ctx, "samples=2");
    opn_prediction *prediction = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, params, 0, &prediction),
                     OPN_OK);
    opn_params_free(params);
    return prediction;
}

static void expect_same_p(const opn_prediction *a, const opn_prediction *b, size_t n)
{
    // A file holds single precision.
    const float most = sizeof(opn_real) == sizeof(float) ? 0.0F : 1e-5F;
    for (size_t j = 0; j < n; j++)
        assert_true(fabsf(opn_prediction_probability(a)[j] -
                          opn_prediction_probability(b)[j]) <= most);
}

static void on_another_graph_the_model_for_other_graphs_predicts(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *home = trial_draw(ctx, "nodes=50 classes=3 features=12 seed=8");
    opn_graph *other = trial_draw(ctx, "nodes=60 classes=3 features=12 seed=9");
    opn_model *model = train_links(home);
    opn_model *loaded = NULL;
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    assert_int_equal(opn_model_load(ctx, s->path, &loaded), OPN_OK);
    assert_non_null(loaded->elsewhere);
    opn_prediction *own = predict(loaded, home);
    opn_prediction *own_again = predict(model, home);
    opn_prediction *elsewhere = predict(loaded, other);
    opn_prediction *direct = predict(model->elsewhere, other);
    expect_same_p(own, own_again, (size_t)50 * 3);
    expect_same_p(elsewhere, direct, (size_t)60 * 3);
    opn_prediction_free(own);
    opn_prediction_free(own_again);
    opn_prediction_free(elsewhere);
    opn_prediction_free(direct);
    opn_model_free(model);
    opn_model_free(loaded);
    opn_graph_free(home);
    opn_graph_free(other);
    assert_int_equal(remove(s->path), 0);
    support_close_stage(s);
}

// Labels are no part of what the model sees of a graph.
static void the_own_graph_with_changed_labels_is_no_other_graph(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = trial_draw(ctx, "nodes=50 classes=3 features=12 seed=8");
    opn_model *model = train_links(graph);
    opn_model *loaded = NULL;
    int32_t label[50];
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    assert_int_equal(opn_model_load(ctx, s->path, &loaded), OPN_OK);
    opn_prediction *before = predict(loaded, graph);
    for (int32_t i = 0; i < 50; i++)
        label[i] = i % 4 == 0 ? -1 : (opn_graph_labels(graph)[i] + 1) % 3;
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    opn_prediction *after = predict(loaded, graph);
    expect_same_p(after, before, (size_t)50 * 3);
    opn_prediction_free(before);
    opn_prediction_free(after);
    opn_model_free(model);
    opn_model_free(loaded);
    opn_graph_free(graph);
    assert_int_equal(remove(s->path), 0);
    support_close_stage(s);
}

static void candidates_survive_the_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, settings);
    opn_model *loaded = NULL;
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    assert_int_equal(opn_model_load(ctx, s->path, &loaded), OPN_OK);
    assert_int_equal(opn_model_candidate_count(loaded), opn_model_candidate_count(model));
    for (int32_t c = 0; c < opn_model_candidate_count(model); c++) {
        opn_candidate want;
        opn_candidate got;
        opn_model_candidate(model, c, &want);
        opn_model_candidate(loaded, c, &got);
        assert_string_equal(got.name, want.name);
        assert_int_equal(got.is_chosen, want.is_chosen);
        assert_int_equal(got.is_baseline, want.is_baseline);
        assert_int_equal(got.n_validation, want.n_validation);
        assert_true(fabs(got.accuracy - want.accuracy) < 1e-12);
        assert_true(got.nll == want.nll);
    }
    opn_model_free(model);
    opn_model_free(loaded);
    opn_graph_free(graph);
    assert_int_equal(remove(s->path), 0);
    support_close_stage(s);
}

// ---- cost ----------------------------------------------------------------------------

static void a_larger_graph_costs_more_and_some_training_always_fits(void **state)
{
    (void)state;
    opn_params *params = trial_params(ctx, "hidden=64 epochs=500 patience=50");
    opn_graph *small = trial_draw(ctx, "nodes=100 seed=1");
    opn_graph *large = trial_draw(ctx, "nodes=400 seed=1");
    const opn_i_training_cost one = opn_i_training_cost_of(small, params);
    const opn_i_training_cost four = opn_i_training_cost_of(large, params);
    const opn_i_training_cost huge = {.n_bytes = 1e18};
    assert_true(one.seconds > 0.0 && one.n_bytes > 0.0);
    assert_true(four.seconds > 3.0 * one.seconds && four.seconds < 5.0 * one.seconds);
    assert_true(four.n_bytes > 3.0 * one.n_bytes && four.n_bytes < 5.0 * one.n_bytes);
    assert_int_equal(opn_i_trainings_that_fit(&huge), 1);
    assert_true(opn_i_trainings_that_fit(&one) > 3);
    opn_graph_free(small);
    opn_graph_free(large);
    opn_params_free(params);
}

// ---- interruption --------------------------------------------------------------------

static void leave_checkpoint(const opn_graph *graph, const char *path)
{
    opn_model *model = NULL;
    int n_left = 60;
    const opn_hooks hooks = {.size = sizeof(hooks),
                             .interrupted = support_stop_after_calls,
                             .user = &n_left};
    const opn_hooks none = {.size = sizeof(none)};
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(trial_try_train(ctx, graph, settings, path, &model),
                     OPN_ERR_INTERRUPTED);
    support_expect_error(ctx, "m.checkpoint; continue it with `resume`");
    assert_int_equal(opn_ctx_set_hooks(ctx, &none), OPN_OK);
}

// To remove a part would not help.
static void a_checkpoint_of_another_choice_is_named_as_a_whole(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = NULL;
    leave_checkpoint(graph, s->path);
    assert_int_equal(trial_try_train(ctx, graph, "model=auto epochs=9", s->path, &model),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "m.checkpoint: is the checkpoint of other data");
    assert_int_equal(trial_try_train(ctx, graph, settings, s->path, &model), OPN_OK);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_checkpoint_of_a_choice_is_not_that_of_one_model(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = NULL;
    leave_checkpoint(graph, s->path);
    assert_int_equal(trial_try_train(ctx, graph, "model=gcn epochs=2", s->path, &model),
                     OPN_ERR_FORMAT);
    assert_non_null(strstr(opn_ctx_error(ctx), "other data or parameters"));
    assert_int_equal(trial_try_train(ctx, graph, settings, s->path, &model), OPN_OK);
    assert_int_equal(support_count_entries(s->folder), 0);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void an_interrupted_choice_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_model *whole = trial_train(ctx, graph, settings);
    opn_model *model = NULL;
    opn_status status = OPN_ERR_INTERRUPTED;
    int n_stops = 0;
    while (status == OPN_ERR_INTERRUPTED) {
        int n_left = 20 + 20 * n_stops;
        const opn_hooks hooks = {.size = sizeof(hooks),
                                 .interrupted = support_stop_after_calls,
                                 .user = &n_left};
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        status = trial_try_train(ctx, graph, settings, s->path, &model);
        n_stops += status == OPN_ERR_INTERRUPTED;
        assert_in_range(n_stops, 0, 200);
    }
    const opn_hooks none = {.size = sizeof(none)};
    assert_int_equal(opn_ctx_set_hooks(ctx, &none), OPN_OK);
    assert_int_equal(status, OPN_OK);
    assert_true(n_stops > 2);
    assert_string_equal(opn_model_id(whole), opn_model_id(model));
    trial_expect_same(ctx, whole, model);
    assert_int_equal(support_count_entries(s->folder), 0);
    opn_model_free(whole);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- review --------------------------------------------------------------------------

typedef struct heard {
    char text[4096];
} heard;

static void hear(void *user, opn_log_level level, const char *message)
{
    heard *h = user;
    if (level != OPN_LOG_WARNING)
        return;
    const size_t n = strlen(h->text);
    snprintf(h->text + n, sizeof(h->text) - n, "%s\n", message);
}

// Trains and reviews; returns the model, and the warnings in *h.
static opn_model *review(const opn_graph *graph, const char *with, heard *h)
{
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_params *params = trial_params(ctx, with);
    opn_split *split = NULL;
    opn_model *model = NULL;
    const opn_hooks hooks = {.size = sizeof(hooks), .log = hear, .user = h};
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, split, params, NULL, &model), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(opn_model_review(ctx, graph, split, params, model), OPN_OK);
    const opn_hooks none = {.size = sizeof(none)};
    assert_int_equal(opn_ctx_set_hooks(ctx, &none), OPN_OK);
    opn_split_free(split);
    opn_params_free(params);
    return model;
}

static void a_review_adds_the_baselines(void **state)
{
    (void)state;
    heard h = {""};
    opn_graph *graph = trial_draw(ctx, "nodes=400 classes=3 features=60 seed=2");
    opn_model *model = review(graph, "model=s-bgcn epochs=60 normalise=l2", &h);
    static const char *const names[] = {"s-bgcn", "mlp", "logistic regression",
                                        "majority class"};
    assert_int_equal(opn_model_candidate_count(model), 4);
    for (int32_t c = 0; c < 4; c++) {
        opn_candidate one;
        opn_model_candidate(model, c, &one);
        assert_string_equal(one.name, names[c]);
        assert_int_equal(one.is_baseline, c > 0);
        assert_int_equal(one.is_chosen, c == 0);
        assert_int_equal(one.n_validation, 40); // and 39 calibrate
        assert_true(one.accuracy > (c < 3 ? 0.5 : 0.2));
        assert_int_equal(isfinite(one.nll), c < 3);
    }
    opn_model_free(model);
    opn_graph_free(graph);
}

// Features reveal the class; edges join any two nodes.
static opn_graph *random_edges(void)
{
    enum { V = 600, F = 30, E = 12 * V };
    static opn_vid source[E];
    static opn_vid target[E];
    static float x[V][F];
    static int32_t label[V];
    uint64_t rng = 7;
    opn_graph *graph = NULL;
    memset(x, 0, sizeof(x));
    for (int i = 0; i < V; i++) {
        label[i] = i % 3;
        x[i][10 * label[i] + (int)below(&rng, 10)] = 1;
        x[i][below(&rng, F)] += 1;
    }
    for (int e = 0; e < E; e++) {
        source[e] = (opn_vid)below(&rng, V);
        target[e] = (opn_vid)below(&rng, V);
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, E, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, F, x[0]), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    return graph;
}

// An MLP has a softmax, and no evidence.
static void evidence_that_was_given_does_not_stop_the_review(void **state)
{
    (void)state;
    heard h = {""};
    opn_graph *graph = trial_draw(ctx, "nodes=200 classes=3 features=30 seed=2");
    opn_model *model = review(graph, "model=s-gcn evidence=elu epochs=5 patience=0", &h);
    assert_int_equal(opn_model_candidate_count(model), 4);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void a_graph_without_features_is_compared_with_the_majority_alone(void **state)
{
    (void)state;
    heard h = {""};
    opn_graph *graph = random_edges();
    opn_graph *bare = NULL;
    opn_candidate last;
    assert_int_equal(opn_graph_create_csr(ctx, opn_graph_n_nodes(graph),
                                          opn_graph_row_ptr(graph),
                                          opn_graph_col_idx(graph), NULL, &bare),
                     OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, bare, 3, opn_graph_labels(graph)), OPN_OK);
    opn_model *model = review(bare, "model=s-bgcn epochs=5", &h);
    assert_int_equal(opn_model_candidate_count(model), 2);
    opn_model_candidate(model, 1, &last);
    assert_string_equal(last.name, "majority class");
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(bare);
}

static void a_model_no_better_than_the_majority_is_told(void **state)
{
    (void)state;
    heard h = {""};
    opn_graph *graph = trial_draw(
            ctx, "nodes=200 classes=2 features=20 label_noise=1 homophily=0.5 seed=2");
    opn_model *model = review(graph, "model=s-bgcn epochs=30 normalise=l2", &h);
    assert_non_null(strstr(h.text, "always predicting the commonest class"));
    opn_model_free(model);
    opn_graph_free(graph);
}

static void a_training_cut_short_is_told(void **state)
{
    (void)state;
    heard h = {""};
    opn_graph *graph = trial_draw(ctx, "nodes=400 classes=3 features=60 seed=2");
    opn_model_free(review(graph, "model=s-bgcn epochs=6 patience=50 normalise=l2", &h));
    assert_non_null(strstr(h.text, "ended at the limit of 6 epochs"));
    h.text[0] = 0;
    opn_model_free(review(graph, "model=s-bgcn epochs=3000 patience=5 normalise=l2", &h));
    assert_null(strstr(h.text, "ended at the limit"));
    opn_graph_free(graph);
}

// Where some members end before the limit, the summary has a mean below it.
static void the_limit_told_of_an_ensemble_is_that_of_each_member(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=400 classes=3 features=60 seed=4");
    int n_between = 0;
    for (int limit = 60; limit <= 140 && n_between == 0; limit += 10) {
        heard h = {""};
        opn_train_summary s;
        char with[96];
        char told[48];
        snprintf(with, sizeof(with),
                 "model=s-bgcn members=3 epochs=%d patience=5 normalise=l2", limit);
        snprintf(told, sizeof(told), "ended at the limit of %d epochs", limit);
        opn_model *model = review(graph, with, &h);
        opn_model_summary(model, &s);
        n_between += !s.ended_early && s.epochs < limit;
        assert_int_equal(strstr(h.text, told) != NULL, !s.ended_early);
        opn_model_free(model);
    }
    assert_int_equal(n_between, 1);
    opn_graph_free(graph);
}

static void a_gcn_among_unlike_neighbours_is_told(void **state)
{
    (void)state;
    heard h = {""};
    opn_graph *graph = random_edges();
    opn_model_free(review(graph, "model=s-bgcn epochs=100 normalise=l2", &h));
    assert_non_null(strstr(h.text, "adjusted homophily"));
    assert_non_null(strstr(h.text, "with an MLP on the features alone"));
    h.text[0] = 0;
    opn_model_free(review(graph, "model=s-bsage epochs=100 normalise=l2", &h));
    assert_null(strstr(h.text, "adjusted homophily"));
    opn_graph_free(graph);
}

static void edges_are_not_blamed_where_the_model_sees_none(void **state)
{
    (void)state;
    static const char with[] = "epochs=100 normalise=l2 lambda1=1000000";
    heard h = {""};
    char settings_of[96];
    opn_graph *graph = random_edges();
    for (int e = 0; e < 2; e++) {
        h.text[0] = 0;
        snprintf(settings_of, sizeof(settings_of), "model=%s %s",
                 e == 0 ? "s-bmlp-t-k" : "s-blinks-t-k", with);
        opn_model_free(review(graph, settings_of, &h));
        assert_non_null(strstr(h.text, "with an MLP on the features alone"));
        assert_int_equal(strstr(h.text, "the edges mislead") != NULL, e == 1);
    }
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_lowest_nll_within_one_standard_error_wins),
            WITH_CTX(what_did_not_train_is_never_chosen),
            WITH_CTX(without_validation_nodes_the_first_is_chosen),
            WITH_CTX(folds_are_made_only_where_validation_nodes_are_few),
            WITH_CTX(auto_trains_the_model_that_it_names),
            WITH_CTX(the_choice_does_not_depend_on_threads),
            WITH_CTX(on_another_graph_the_model_for_other_graphs_predicts),
            WITH_CTX(the_own_graph_with_changed_labels_is_no_other_graph),
            WITH_CTX(candidates_survive_the_file),
            WITH_CTX(a_larger_graph_costs_more_and_some_training_always_fits),
            WITH_CTX(a_checkpoint_of_another_choice_is_named_as_a_whole),
            WITH_CTX(a_checkpoint_of_a_choice_is_not_that_of_one_model),
            WITH_CTX(an_interrupted_choice_goes_on_with_the_same_bits),
            WITH_CTX(a_review_adds_the_baselines),
            WITH_CTX(evidence_that_was_given_does_not_stop_the_review),
            WITH_CTX(a_graph_without_features_is_compared_with_the_majority_alone),
            WITH_CTX(a_model_no_better_than_the_majority_is_told),
            WITH_CTX(a_training_cut_short_is_told),
            WITH_CTX(the_limit_told_of_an_ensemble_is_that_of_each_member),
            WITH_CTX(a_gcn_among_unlike_neighbours_is_told),
            WITH_CTX(edges_are_not_blamed_where_the_model_sees_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
