// reproduce_rows_test.c -- which rows an evaluation adds to the tables, next to the
// paper's.

#include "experiment/evaluation_data.h"
#include "paper/reproduce_rows.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_MODELS = 5, N_SEEDS = 2 };
static const char *const models[N_MODELS] = {"s-bgcn-t-k", "gat", "drop-gat",
                                             "s-bgat-t-k", "s-bsage-t-k"};

// Accuracy of model m is 10 m + 1 on the first seed and 10 m + 3 on the second; its AUROC
// by measure s is 50 + m + s / 10.
static opn_evaluation *make_evaluation(void)
{
    opn_evaluation *made = opn_i_calloc(&ctx->alloc, 1, sizeof(*made));
    assert_non_null(made);
    made->alloc = ctx->alloc;
    made->n_seeds = N_SEEDS;
    made->params = trial_params(ctx, "seeds=2");
    made->cell =
            opn_i_calloc(&ctx->alloc, (size_t)N_MODELS * N_SEEDS, sizeof(*made->cell));
    for (int m = 0; m < N_MODELS; m++) {
        assert_int_equal(
                opn_i_names_add(ctx, &made->models, models[m], strlen(models[m])),
                OPN_OK);
        for (int s = 0; s < N_SEEDS; s++) {
            opn_cell *cell = &made->cell[m * N_SEEDS + s];
            cell->quality[OPN_QUALITY_ACCURACY] = 10.0 * m + 1.0 + 2.0 * s;
            for (int score = 0; score < OPN_N_SCORES; score++)
                cell->metric[OPN_METRIC_AUROC][score] = 50.0 + m + score / 10.0;
        }
    }
    return made;
}

static opn_reproduction *start(void)
{
    opn_reproduction *found = opn_i_calloc(&ctx->alloc, 1, sizeof(*found));
    assert_non_null(found);
    found->alloc = ctx->alloc;
    return found;
}

static const opn_i_result_row *
find(const opn_reproduction *found, const char *model, const char *measure)
{
    for (int32_t r = 0; r < found->n_rows; r++)
        if (strcmp(found->row[r].model, model) == 0 &&
            strcmp(found->row[r].measure, measure) == 0)
            return &found->row[r];
    fail_msg("no row of %s by %s", model, measure);
    return NULL;
}

static void the_table_of_attention_has_the_accuracies_of_its_models(void **state)
{
    (void)state;
    opn_evaluation *evaluation = make_evaluation();
    opn_reproduction *found = start();
    const opn_i_measured measured = {"cora", "misclassification", "paper", evaluation};
    assert_int_equal(opn_i_add_table_rows(ctx, &measured, "gat", NULL, found), OPN_OK);
    assert_int_equal(found->n_rows, 3); // models that were not evaluated have none
    const opn_i_result_row *gat = find(found, "gat", "accuracy");
    const opn_i_result_row *full = find(found, "s-bgat-t-k", "accuracy");
    assert_true(gat->paper[0] == 83.0 && full->paper[0] == 83.8);
    assert_true(fabs(gat->ours[0].mean - 12.0) < 1e-12);
    assert_true(fabs(full->ours[0].mean - 32.0) < 1e-12);
    assert_int_equal(gat->ours[1].n, 0);
    opn_reproduction_free(found);
    opn_evaluation_free(evaluation);
}

static void the_paper_has_no_accuracy_of_attention_with_held_out_classes(void **state)
{
    (void)state;
    opn_evaluation *evaluation = make_evaluation();
    opn_reproduction *found = start();
    const opn_i_measured measured = {"cora", "ood", "paper", evaluation};
    assert_int_equal(opn_i_add_table_rows(ctx, &measured, "gat", NULL, found), OPN_OK);
    assert_int_equal(found->n_rows, 0);
    opn_reproduction_free(found);
    opn_evaluation_free(evaluation);
}

static void encoders_stand_side_by_side_with_the_best_cell_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        const char *task, *measure;
        double paper;
        int32_t n_rows;
    } cases[] = {{"misclassification", "dissonance", 82.4, 9},
                 {"ood", "vacuity", 87.6, 6}};
    opn_evaluation *evaluation = make_evaluation();
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_reproduction *found = start();
        const opn_i_measured measured = {"cora", cases[c].task, "paper", evaluation};
        const bool is_ood = c == 1;
        assert_int_equal(opn_i_add_own_rows(ctx, &measured, "encoders", found), OPN_OK);
        assert_int_equal(found->n_rows, cases[c].n_rows);
        const int at[] = {0, 3, 4};
        for (int e = 0; e < 3; e++) {
            const opn_i_result_row *row = find(found, models[at[e]], cases[c].measure);
            const double want =
                    50.0 + at[e] +
                    (is_ood ? OPN_MEASURE_VACUITY : OPN_MEASURE_DISSONANCE) / 10.0;
            assert_true(row->paper[0] == cases[c].paper);
            assert_true(fabs(row->ours[0].mean - want) < 1e-12);
            if (!is_ood) // beside an accuracy stands none of the paper's AUROCs
                assert_true(isnan(find(found, models[at[e]], "accuracy")->paper[0]));
        }
        opn_reproduction_free(found);
    }
    opn_evaluation_free(evaluation);
}

// Measures that the library does not have are left out, with their answer.
static void the_rule_stands_beside_what_it_is_to_replace(void **state)
{
    (void)state;
    static const struct {
        const char *task, *measures[3], *better;
        double paper;
        int answer;
    } cases[] = {
            {"misclassification", {"dissonance", "1-max-p", "margin"}, "margin", 82.4, 4},
            {"ood", {"vacuity", "vacuity~", "fused"}, "fused", 87.6, 5}};
    opn_evaluation *evaluation = make_evaluation();
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_reproduction *found = start();
        const opn_i_measured measured = {"cora", cases[c].task, "strong", evaluation};
        const bool has_rule = opn_score_find(cases[c].better) >= 0;
        assert_int_equal(opn_i_add_own_rows(ctx, &measured, "rule", found), OPN_OK);
        assert_int_equal(found->n_rows, has_rule ? 3 : 2);
        for (int m = 0; m < (has_rule ? 3 : 2); m++)
            assert_true(find(found, "s-bgcn-t-k", cases[c].measures[m])->paper[0] ==
                        cases[c].paper);
        assert_int_equal(opn_i_add_rule_answer(ctx, &measured, found), OPN_OK);
        assert_int_equal(found->n_answers, has_rule);
        if (has_rule) {
            assert_int_equal(found->answer[0].number, cases[c].answer);
            assert_string_equal(found->answer[0].rival,
                                c == 0 ? "dissonance" : "vacuity~");
        }
        opn_reproduction_free(found);
    }
    opn_evaluation_free(evaluation);
}

static int set_up(void **state)
{
    (void)state;
    ctx = support_ctx(NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    opn_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_table_of_attention_has_the_accuracies_of_its_models),
            cmocka_unit_test(
                    the_paper_has_no_accuracy_of_attention_with_held_out_classes),
            cmocka_unit_test(encoders_stand_side_by_side_with_the_best_cell_of_the_paper),
            cmocka_unit_test(the_rule_stands_beside_what_it_is_to_replace),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
