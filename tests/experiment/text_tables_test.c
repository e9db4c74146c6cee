// text_tables_test.c -- tables for people fit a terminal of 80 columns, whatever is in
// them.

#include "base/context.h"
#include "experiment/evaluation_data.h"
#include "opine/opine.h"
#include "report/estimate_output.h"
#include "report/text_wrap.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "tune/tuning_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static const char *const long_names[] = {
        "short", "a name of several words that goes on for longer than a line of a table",
        "one/word/that/is/much/longer/than/a/line/and/has/no/blank/where/it/could/be/broken/"
        "graph.npz",
        "Gr\xc3\xb6\xc3\x9f"
        "e-und-L\xc3\xa4nge-und-H\xc3\xb6he-und-Tiefe-und-noch-mehr-davon-ohne-Ende-und-ohne-Ziel"};
enum { N_NAMES = sizeof(long_names) / sizeof(long_names[0]) };

static void expect_narrow(const char *text)
{
    int n_columns = 0;
    for (const char *c = text; *c != 0; c++) {
        const bool is_character = ((unsigned char)*c & 0xc0) != 0x80;
        n_columns = *c == '\n' ? 0 : n_columns + is_character;
        if (n_columns > OPN_TEXT_COLUMNS)
            fail_msg("wider than %d columns, around \"%.30s\"", OPN_TEXT_COLUMNS, c - 20);
        if (*c == '\n' && c > text && c[-1] == ' ')
            fail_msg("a blank at the end of the line, around \"%.30s\"", c - 20);
    }
}

static char *copy_text(const char *text)
{
    char *copy = opn_i_calloc(&ctx->alloc, strlen(text) + 1, 1);
    assert_non_null(copy);
    memcpy(copy, text, strlen(text));
    return copy;
}

// ---- evaluate ------------------------------------------------------------------------

// Values as wide as they get: means of 100, intervals from a tenth to hundreds.
static void fill_cell(opn_cell *cell, int32_t m, int32_t s, double spread)
{
    memset(cell, 0, sizeof(*cell));
    cell->seed = (uint64_t)s;
    cell->n_pool = 1234567.0;
    cell->prevalence = 100.0;
    cell->n_epochs = 100000.0;
    cell->seconds.train = 12345.6 + m;
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        cell->quality[q] = 100.0 + spread * (s % 2 == 0 ? 1.0 : -1.0);
    for (int k = 0; k < OPN_N_METRICS; k++)
        for (int32_t n = 0; n < OPN_N_SCORES; n++)
            cell->metric[k][n] = 100.0 + spread * (s % 2 == 0 ? 1.0 : -1.0);
}

static opn_evaluation *
make_evaluation(int32_t n_seeds, double spread, const char *dataset)
{
    static const char *const models[] = {"gcn",        "drop-gcn",  "dropedge-gcn",
                                         "edl-gcn",    "dpn-gcn",   "s-gcn",
                                         "s-bgcn",     "s-bgcn-t",  "s-bgcn-t-k",
                                         "s-bgat-t-k", "drop-sage", "s-bsage-t-k"};
    enum { N_MODELS = sizeof(models) / sizeof(models[0]) };
    opn_evaluation *made = opn_i_calloc(&ctx->alloc, 1, sizeof(*made));
    assert_non_null(made);
    made->alloc = ctx->alloc;
    made->params = trial_params(ctx, "task=misclassification protocol=reference");
    made->n_seeds = n_seeds;
    made->dataset = copy_text(dataset);
    for (int m = 0; m < N_MODELS; m++)
        assert_int_equal(
                opn_i_names_add(ctx, &made->models, models[m], strlen(models[m])),
                OPN_OK);
    made->cell = opn_i_calloc(&ctx->alloc, N_MODELS * (size_t)n_seeds, sizeof(opn_cell));
    for (int32_t m = 0; m < N_MODELS; m++)
        for (int32_t s = 0; s < n_seeds; s++)
            fill_cell(&made->cell[m * n_seeds + s], m, s, spread);
    return made;
}

static void an_evaluation_fits_80_columns(void **state)
{
    (void)state;
    static const double spreads[] = {0.0, 0.05, 1.1, 7.0, 49.0, 80.0};
    stage *at = support_open_stage("evaluation.txt");
    for (int n = 0; n < N_NAMES; n++)
        for (size_t d = 0; d < sizeof(spreads) / sizeof(spreads[0]); d++)
            for (int32_t n_seeds = 1; n_seeds <= 4; n_seeds++) {
                opn_evaluation *e = make_evaluation(n_seeds, spreads[d], long_names[n]);
                assert_int_equal(opn_evaluation_save(ctx, e, at->path), OPN_OK);
                char *text = support_read_file(at->path, NULL);
                expect_narrow(text);
                assert_non_null(strstr(text, "s-bsage-t-k\n  vacuity "));
                free(text);
                opn_evaluation_free(e);
            }
    support_close_stage(at);
}

// A model that is sure and wrong may have any NLL.
static void a_huge_nll_stays_in_its_column(void **state)
{
    (void)state;
    static const double huge[] = {123456.7, 1e12, 9.96e99, 1e300};
    static const char *const shown[] = {"123457 ±", "1.0e12 ±", " 1e100 ±", " 1e300 ±"};
    stage *at = support_open_stage("evaluation.txt");
    for (size_t h = 0; h < sizeof(huge) / sizeof(huge[0]); h++) {
        opn_evaluation *e = make_evaluation(3, 1.0, "own");
        for (int s = 0; s < 3; s++)
            e->cell[s].quality[OPN_QUALITY_NLL] = huge[h] * (1.0 + 1e-6 * (s - 1));
        assert_int_equal(opn_evaluation_save(ctx, e, at->path), OPN_OK);
        char *text = support_read_file(at->path, NULL);
        expect_narrow(text);
        if (strstr(text, shown[h]) == NULL)
            fail_msg("no %s in %s", shown[h], text);
        free(text);
        opn_evaluation_free(e);
    }
    support_close_stage(at);
}

static void what_auto_chose_is_counted_the_most_frequent_first(void **state)
{
    (void)state;
    static const char *const chosen[] = {"s-bsage-t-k", "s-bgcn-t-k", "s-bgcn-t-k", ""};
    stage *at = support_open_stage("evaluation.txt");
    opn_evaluation *e = make_evaluation(4, 1.0, "own");
    for (int s = 0; s < 4; s++)
        snprintf(e->cell[s].chosen, sizeof(e->cell[s].chosen), "%s", chosen[s]);
    assert_int_equal(opn_evaluation_save(ctx, e, at->path), OPN_OK);
    char *text = support_read_file(at->path, NULL);
    assert_non_null(strstr(text, "\nauto chose s-bgcn-t-k 2 times, s-bsage-t-k once\n"));
    assert_string_equal(opn_cell_chosen(opn_evaluation_cell(e, 0, 1)), "s-bgcn-t-k");
    free(text);
    opn_evaluation_free(e);
    support_close_stage(at);
}

// ---- tune ----------------------------------------------------------------------------

static opn_tuning *make_tuning(const char *name)
{
    enum { N_TRIALS = 4, N_SEEDS = 3 };
    static const char long_one[] =
            "task=ood model=s-bsage-t-k hidden=128 learning_rate=0.00123 dropout=0.55 "
            "weight_decay=0.000011 epochs=1000 lambda1=0.00012 sigma=0.51";
    static const char *const settings[N_TRIALS] = {
            "task=ood model=s-bsage-t-k", long_one,
            "task=ood model=s-bsage-t-k hidden=128",
            "task=ood model=s-bsage-t-k weight_decay=0.000011"};
    opn_tuning *made = opn_i_calloc(&ctx->alloc, 1, sizeof(*made));
    assert_non_null(made);
    made->alloc = ctx->alloc;
    made->dataset = copy_text(name);
    made->n_trials = N_TRIALS;
    made->n_seeds = N_SEEDS;
    made->n_first_seeds = 1;
    made->n_finalists = N_TRIALS;
    made->n_validation = 1234567;
    made->is_halved = true;
    made->setting = opn_i_calloc(&ctx->alloc, N_TRIALS, sizeof(*made->setting));
    made->run = opn_i_calloc(&ctx->alloc, (size_t)N_TRIALS * N_SEEDS, sizeof(*made->run));
    made->ranked = opn_i_calloc(&ctx->alloc, N_TRIALS, sizeof(*made->ranked));
    for (int t = 0; t < N_TRIALS; t++) {
        made->setting[t].params = trial_params(ctx, settings[t]);
        made->ranked[t] = (t + 1) % N_TRIALS;
        for (int s = 0; s < N_SEEDS; s++)
            made->run[t * N_SEEDS + s] = (opn_trial_run){.objective = 100.0 + s,
                                                         .accuracy = 100.0 - 9.0 * s,
                                                         .detection = 100.0 + 0.1 * s,
                                                         .seconds = 1.0};
    }
    for (int n = 0; n < N_NAMES; n++)
        assert_int_equal(opn_i_names_add(ctx, &made->held_out, long_names[n],
                                         strlen(long_names[n])),
                         OPN_OK);
    made->difference = made->low = made->high = -100.0;
    made->command = copy_text(
            "opine train 'it'\\''s -my- data' --model s-bsage-t-k --task ood --hidden 128 "
            "--learning-rate 0.00123 --ood-classes 'a --b,c' --dropout 0.55 "
            "--weight-decay 0.000011 --epochs 1000 -o m.safetensors");
    return made;
}

static void a_tuning_fits_80_columns(void **state)
{
    (void)state;
    stage *at = support_open_stage("tuning.txt");
    for (int n = 0; n < N_NAMES; n++) {
        opn_tuning *t = make_tuning(long_names[n]);
        assert_int_equal(opn_tuning_save(ctx, t, at->path), OPN_OK);
        char *text = support_read_file(at->path, NULL);
        expect_narrow(text);
        free(text);
        opn_tuning_free(t);
    }
    support_close_stage(at);
}

// A shell ignores a backslash at the end of a line.
static void a_wrapped_command_is_the_command(void **state)
{
    (void)state;
    stage *at = support_open_stage("tuning.txt");
    opn_tuning *t = make_tuning("demo");
    assert_int_equal(opn_tuning_save(ctx, t, at->path), OPN_OK);
    char *text = support_read_file(at->path, NULL);
    const char *from = strstr(text, "opine train");
    char joined[512];
    size_t n = 0;
    assert_non_null(from);
    for (; *from != '\n'; from++) {
        if (strncmp(from, " \\\n   ", 6) == 0)
            from += 6;
        assert_in_range(n, 0, sizeof(joined) - 2);
        joined[n++] = *from;
    }
    joined[n] = 0;
    assert_string_equal(joined, t->command);
    free(text);
    opn_tuning_free(t);
    support_close_stage(at);
}

// ---- pieces --------------------------------------------------------------------------

static void numbers_give_up_digits_before_they_leave_their_column(void **state)
{
    (void)state;
    static const struct {
        opn_estimate of;
        int n_digits;
        const char *text;
    } cases[] = {
            {{.n = 3, .mean = 86.5, .low = 83.5, .high = 89.5}, 1, " 86.5 ±3.0 "},
            {{.n = 3, .mean = 100, .low = 85.8, .high = 114.2}, 1, "100.0 ±14.2"},
            {{.n = 2, .mean = 50, .low = -77, .high = 177}, 1, " 50.0 ±127 "},
            {{.n = 1, .mean = 86.5, .low = (double)NAN, .high = (double)NAN},
             1,
             " 86.5      "},
            {{.n = 0, .mean = (double)NAN}, 1, "           "},
            {{.n = 3, .mean = 0.25, .low = 0.24, .high = 0.26}, 3, " 0.250 ±0.010"},
            {{.n = 3, .mean = 1234.5, .low = 1200, .high = 1269}, 3, "1234.5 ±34.50"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_i_text line = {.ctx = ctx};
        opn_i_text_add_short(&line, &cases[c].of, cases[c].n_digits);
        assert_string_equal(opn_i_text_chars(&line), cases[c].text);
        opn_i_text_free(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(an_evaluation_fits_80_columns),
            WITH_CTX(a_huge_nll_stays_in_its_column),
            WITH_CTX(what_auto_chose_is_counted_the_most_frequent_first),
            WITH_CTX(a_tuning_fits_80_columns),
            WITH_CTX(a_wrapped_command_is_the_command),
            WITH_CTX(numbers_give_up_digits_before_they_leave_their_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
