// tune_space_test.c -- the settings that a search draws.

#include "base/names.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "support/tuning_scene.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static opn_ctx *ctx;

static void expect_same_params(const opn_params *a, const opn_params *b)
{
    for (size_t p = 0; p < opn_param_count(); p++)
        assert_string_equal(opn_params_text(a, opn_param_at(p)->name),
                            opn_params_text(b, opn_param_at(p)->name));
}

static void trial_0_is_the_default(void **state)
{
    (void)state;
    static const char *const settings[] = {"trials=3 seeds=2 hidden=4",
                                           "trials=3 seeds=2 hidden=4 task=ood "
                                           "preset=strong epochs=5 samples=2"};
    opn_graph *graph = tuning_graph(ctx);
    for (size_t n = 0; n < 2; n++) {
        opn_params *usual = trial_paper_params(ctx, settings[n]);
        assert_int_equal(opn_params_use_preset(ctx, graph, usual), OPN_OK);
        opn_tuning *found = tuning_run(ctx, graph, settings[n]);
        expect_same_params(opn_tuning_params(found, 0), usual);
        assert_true(opn_tuning_runs(found, 0)[1].objective >= 0.0); // a finalist
        opn_tuning_free(found);
        opn_params_free(usual);
    }
    opn_graph_free(graph);
}

static bool is_one_of(const char *text, const char *list)
{
    return opn_i_is_listed(list, text);
}

static void own_graphs_start_from_the_choice_and_try_other_models(void **state)
{
    (void)state;
    static const char models[] = "s-bsage-t-k,s-bgcn-t-k,s-blinks-t-k";
    opn_graph *graph = tuning_graph(ctx);
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_tuning *found = tuning_run(
            ctx, graph, "preset=auto trials=12 seeds=2 hidden=4 epochs=4 samples=2");
    bool differs[2] = {false, false};
    for (int32_t t = 0; t < 12; t++) {
        const char *model = opn_params_text(opn_tuning_params(found, t), "model");
        const char *scaling = opn_params_text(opn_tuning_params(found, t), "normalise");
        assert_true(is_one_of(model, models));
        assert_true(is_one_of(scaling, "l2,row,standard"));
        differs[0] = differs[0] || strcmp(model, "s-bgcn-t-k") != 0;
        differs[1] = differs[1] || strcmp(scaling, "l2") != 0;
    }
    assert_true(differs[0] && differs[1]);
    assert_string_equal(opn_params_text(opn_tuning_params(found, 0), "normalise"), "l2");
    opn_tuning_free(found);
    opn_graph_free(graph);
}

static void without_features_their_scale_is_not_searched(void **state)
{
    (void)state;
    opn_graph *graph = tuning_graph(ctx);
    assert_int_equal(opn_graph_set_features(ctx, graph, 0, NULL), OPN_OK);
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_tuning *found = tuning_run(
            ctx, graph, "preset=auto trials=6 seeds=2 hidden=4 epochs=4 samples=2");
    const char *usual = opn_params_text(opn_tuning_params(found, 0), "normalise");
    for (int32_t t = 1; t < 6; t++)
        assert_string_equal(opn_params_text(opn_tuning_params(found, t), "normalise"),
                            usual);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

static void trials_stay_within_the_table_and_spread_over_it(void **state)
{
    (void)state;
    enum { N = 300 };
    static const struct {
        const char *name;
        double low, high;
    } bounds[] = {{"learning_rate", 0.001, 0.1},
                  {"hidden", 8, 128},
                  {"dropout", 0, 0.8},
                  {"weight_decay", 1e-5, 1e-2},
                  {"epochs", 50, 1000},
                  {"lambda1", 1e-4, 1},
                  {"sigma", 0.5, 4}};
    opn_graph *graph = tuning_graph(ctx);
    opn_params *trial[N];
    tuning_draw(ctx, graph, "model=s-bgcn-t-k", N, trial);
    for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
        double least = (double)INFINITY;
        double most = -(double)INFINITY;
        for (int t = 1; t < N; t++) {
            const double value = opn_params_real(trial[t], bounds[b].name);
            least = fmin(least, value);
            most = fmax(most, value);
        }
        assert_true(least >= bounds[b].low * (1 - 1e-12));
        assert_true(most <= bounds[b].high * (1 + 1e-12));
        assert_true(least <= bounds[b].low * 1.1 && most >= bounds[b].high * 0.9);
    }
    tuning_free_drawn(N, trial);
    opn_graph_free(graph);
}

static void numbers_have_two_digits_that_count_and_no_more(void **state)
{
    (void)state;
    enum { N = 100 };
    opn_graph *graph = tuning_graph(ctx);
    opn_params *trial[N];
    char folder[SUPPORT_PATH];
    support_temp_folder(folder);
    support_set_comma_locale(folder);
    tuning_draw(ctx, graph, "model=s-bgcn-t-k", N, trial);
    for (int t = 1; t < N; t++) {
        const char *text = opn_params_text(trial[t], "learning_rate");
        const char *digits = text + strspn(text, "0.");
        assert_true(strncmp(text, "0.", 2) == 0);
        assert_in_range(strlen(digits), 1, 2);
        assert_true(digits[strlen(digits) - 1] != '0');
        assert_int_equal(opn_params_int(trial[t], "hidden") % 8, 0);
        assert_null(strchr(opn_params_text(trial[t], "epochs"), '.'));
        assert_float_equal(fmod(100 * opn_params_real(trial[t], "dropout") + 1e-9, 5), 0,
                           1e-6);
    }
    tuning_free_drawn(N, trial);
    setlocale(LC_ALL, "C");
    support_remove_folder(folder);
    opn_graph_free(graph);
}

static void what_is_given_or_has_no_say_is_not_searched(void **state)
{
    (void)state;
    enum { N = 6 };
    opn_graph *graph = tuning_graph(ctx);
    opn_params *all[N];
    opn_params *some[N];
    opn_params *softmax[N];
    opn_params *patient[N];
    tuning_draw(ctx, graph, "model=s-bgcn-t-k", N, all);
    tuning_draw(ctx, graph, "model=s-bgcn-t-k dropout=0.33", N, some);
    tuning_draw(ctx, graph, "model=gcn", N, softmax);
    tuning_draw(ctx, graph, "model=gcn patience=10 epochs=77", N, patient);
    for (int t = 1; t < N; t++) {
        assert_string_equal(opn_params_text(some[t], "dropout"), "0.33");
        assert_string_equal(opn_params_text(some[t], "sigma"),
                            opn_params_text(all[t], "sigma")); // which comes after it
        assert_string_equal(opn_params_text(softmax[t], "lambda1"), "0.001");
        assert_string_equal(opn_params_text(softmax[t], "sigma"), "1");
        assert_string_equal(opn_params_text(patient[t], "epochs"), "77");
        assert_string_not_equal(opn_params_text(all[t], "learning_rate"),
                                opn_params_text(all[t - 1], "learning_rate"));
    }
    tuning_free_drawn(N, all);
    tuning_free_drawn(N, some);
    tuning_free_drawn(N, softmax);
    tuning_free_drawn(N, patient);
    opn_graph_free(graph);
}

static void attention_gets_whole_heads(void **state)
{
    (void)state;
    enum { N = 40 };
    opn_graph *graph = tuning_graph(ctx);
    opn_params *trial[N];
    tuning_draw(ctx, graph, "model=gat heads=3 patience=0", N, trial);
    for (int t = 1; t < N; t++)
        assert_int_equal(opn_params_int(trial[t], "hidden") % 3, 0);
    tuning_free_drawn(N, trial);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(trial_0_is_the_default),
            WITH_CTX(own_graphs_start_from_the_choice_and_try_other_models),
            WITH_CTX(without_features_their_scale_is_not_searched),
            WITH_CTX(trials_stay_within_the_table_and_spread_over_it),
            WITH_CTX(numbers_have_two_digits_that_count_and_no_more),
            WITH_CTX(what_is_given_or_has_no_say_is_not_searched),
            WITH_CTX(attention_gets_whole_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
