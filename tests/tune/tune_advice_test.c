// tune_advice_test.c -- what a search advises: ranks, a recommendation, a command, a
// file.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "support/tuning_scene.h"
#include "tune/tune_command.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

static double mean_objective(const opn_tuning *found, int32_t t)
{
    double sum = 0.0;
    for (int32_t s = 0; s < opn_tuning_n_seeds(found); s++)
        sum += opn_tuning_runs(found, t)[s].objective;
    return sum / opn_tuning_n_seeds(found);
}

static void ranks_follow_the_means_and_finalists_come_first(void **state)
{
    (void)state;
    opn_graph *graph = tuning_graph(ctx);
    opn_tuning *found = tuning_run(ctx, graph, "trials=30 seeds=6 epochs=8 model=s-gcn");
    bool is_seen[30] = {false};
    bool has_default = false;
    int n_finalists = 0;
    for (int32_t r = 0; r < 30; r++) {
        const int32_t t = opn_tuning_ranked(found, r);
        const opn_trial_run *run = opn_tuning_runs(found, t);
        assert_false(is_seen[t]);
        is_seen[t] = true;
        assert_true(run[1].objective >= 0.0); // two of six seeds for everyone
        assert_true(n_finalists == r || isnan(run[2].objective));
        if (isnan(run[2].objective))
            continue;
        n_finalists++;
        has_default = has_default || t == 0;
        if (r > 0)
            assert_true(mean_objective(found, t) <=
                        mean_objective(found, opn_tuning_ranked(found, r - 1)));
    }
    assert_true(has_default);
    assert_in_range(n_finalists, 8, 9);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

// Recommended is the best trial if the interval of the differences is above 0, and only
// then: both happen here.
static void a_default_is_recommended_unless_it_is_beaten_beyond_doubt(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "trials=12 seeds=8 model=s-gcn epochs=40 task=ood hidden=64",
            "trials=2 seeds=2 model=s-gcn epochs=3"};
    opn_graph *graph = tuning_graph(ctx);
    for (int n = 0; n < 2; n++) {
        opn_tuning *found = tuning_run(ctx, graph, settings[n]);
        const int32_t best = opn_tuning_ranked(found, 0);
        const int32_t n_seeds = opn_tuning_n_seeds(found);
        double difference[8];
        opn_estimate e;
        for (int32_t s = 0; s < n_seeds; s++)
            difference[s] = opn_tuning_runs(found, best)[s].objective -
                            opn_tuning_runs(found, 0)[s].objective;
        opn_estimate_mean(n_seeds, difference, &e);
        assert_int_not_equal(best, 0);
        assert_int_equal(e.low > 0.0, n == 0);
        assert_int_equal(opn_tuning_recommended(found), n == 0 ? best : 0);
        opn_tuning_free(found);
    }
    opn_graph_free(graph);
}

static void thin_evidence_asks_for_more_seeds(void **state)
{
    (void)state;
    opn_graph *graph = tuning_graph(ctx);
    int n_asked = 0;
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    for (int n = 0; n < 12; n++) {
        char with[96];
        snprintf(with, sizeof(with),
                 "model=gcn trials=3 seeds=3 epochs=6 samples=2 hidden=4 seed=%d",
                 10 * n);
        opn_tuning *found = tuning_run(ctx, graph, with);
        const int32_t n_needed = opn_tuning_needed_seeds(found);
        const char *command = opn_tuning_command(found);
        assert_int_equal(strncmp(command, "opine tune ", 11) == 0, n_needed > 0);
        if (n_needed > 0) {
            char seeds[32];
            snprintf(seeds, sizeof(seeds), "--seeds %d", (int)n_needed);
            assert_non_null(strstr(command, seeds));
            assert_in_range(n_needed, 4, 50);
            assert_int_equal(opn_tuning_recommended(found), 0);
        }
        n_asked += n_needed > 0;
        opn_tuning_free(found);
    }
    assert_true(n_asked > 0);
    opn_graph_free(graph);
}

// Sets the parameters that a command line of plain words gives.
static opn_params *parse_command(const char *command)
{
    char text[1024];
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    snprintf(text, sizeof(text), "%s", command);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strncmp(word, "--", 2) != 0)
            continue;
        const opn_param *param = opn_param_find(word + 2);
        assert_non_null(param);
        const char *value = param->kind == OPN_PARAM_FLAG ? "on" : strtok(NULL, " ");
        assert_int_equal(opn_params_set(ctx, params, param->name, value), OPN_OK);
    }
    return params;
}

static void the_command_gives_the_parameters_of_its_trial(void **state)
{
    (void)state;
    enum { N = 12 };
    static const char *const settings[] = {
            "model=s-bgcn-t-k",
            "model=s-bgcn-t-k task=ood",
            "model=s-bgcn-t-k task=ood preset=strong seed=3",
            "model=gcn hidden=7",
            "model=gat task=ood",
            "model=s-bgat-t-k kernel_constant=on samples=7",
            "model=s-bgcn-t-k task=ood ood_classes=1 epochs=9"};
    opn_graph *graph = tuning_graph(ctx);
    for (size_t n = 0; n < sizeof(settings) / sizeof(settings[0]); n++) {
        opn_params *trial[N];
        opn_params *given = trial_paper_params(ctx, settings[n]);
        tuning_draw(ctx, graph, settings[n], N, trial);
        for (int t = 0; t < N; t++) {
            char *command = NULL;
            assert_int_equal(
                    opn_i_tune_command(ctx, graph, "demo", given, trial[t], &command),
                    OPN_OK);
            assert_memory_equal(command, "opine train demo --model ", 25);
            assert_non_null(strstr(command, " -o m.safetensors"));
            opn_params *replay = parse_command(command);
            assert_int_equal(opn_params_use_preset(ctx, graph, replay), OPN_OK);
            for (size_t p = 0; p < opn_param_count(); p++)
                if (opn_param_at(p)->affects & OPN_AFFECTS_PREDICTION)
                    assert_string_equal(opn_params_text(replay, opn_param_at(p)->name),
                                        opn_params_text(trial[t], opn_param_at(p)->name));
            opn_params_free(replay);
            opn_i_release(&ctx->alloc, command);
        }
        tuning_free_drawn(N, trial);
        opn_params_free(given);
    }
    opn_graph_free(graph);
}

static void words_that_a_shell_would_change_are_quoted(void **state)
{
    (void)state;
    static const struct {
        const char *data, *want;
    } cases[] = {{"a/b-c.npz", "opine train a/b-c.npz --"},
                 {"my data", "opine train 'my data' --"},
                 {"it's", "opine train 'it'\\''s' --"},
                 {"$(rm)", "opine train '$(rm)' --"},
                 {"'", "opine train ''\\''' --"},
                 {"", "opine train '' --"}};
    opn_graph *graph = tuning_graph(ctx);
    opn_params *params = trial_paper_params(ctx, "");
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char *command = NULL;
        assert_int_equal(
                opn_i_tune_command(ctx, graph, cases[c].data, params, params, &command),
                OPN_OK);
        assert_memory_equal(command, cases[c].want, strlen(cases[c].want));
        opn_i_release(&ctx->alloc, command);
    }
    opn_params_free(params);
    opn_graph_free(graph);
}

static void all_trials_are_in_the_json(void **state)
{
    (void)state;
    stage *s = support_open_stage("tuning.json");
    opn_graph *graph = tuning_graph(ctx);
    json_error_t error;
    opn_tuning *found =
            tuning_run(ctx, graph, "trials=9 seeds=2 epochs=5 task=ood samples=2");
    assert_int_equal(opn_tuning_save(ctx, found, s->path), OPN_OK);
    json_t *document = json_load_file(s->path, JSON_REJECT_DUPLICATES, &error);
    json_t *trials = json_object_get(document, "trials");
    assert_int_equal(json_array_size(trials), 9);
    assert_int_equal(json_array_size(json_object_get(document, "held_out")), 3);
    assert_string_equal(json_string_value(json_object_get(document, "command")),
                        opn_tuning_command(found));
    for (int32_t r = 0; r < 9; r++) {
        json_t *trial = json_array_get(trials, (size_t)r);
        const int32_t t = opn_tuning_ranked(found, r);
        json_t *run = json_array_get(json_object_get(trial, "runs"), 0);
        assert_int_equal(json_integer_value(json_object_get(trial, "trial")), t);
        assert_true(fabs(json_number_value(json_object_get(run, "objective")) -
                         opn_tuning_runs(found, t)->objective) < 1e-6);
        assert_int_equal(json_object_size(json_object_get(trial, "differs")) == 0,
                         t == 0);
    }
    json_decref(document);
    assert_int_equal(opn_tuning_save(ctx, found, "/nowhere/tuning.txt"), OPN_ERR_WRITE);
    opn_tuning_free(found);
    opn_graph_free(graph);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(ranks_follow_the_means_and_finalists_come_first),
            WITH_CTX(a_default_is_recommended_unless_it_is_beaten_beyond_doubt),
            WITH_CTX(thin_evidence_asks_for_more_seeds),
            WITH_CTX(the_command_gives_the_parameters_of_its_trial),
            WITH_CTX(words_that_a_shell_would_change_are_quoted),
            WITH_CTX(all_trials_are_in_the_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
