// reproduce_test.c -- the figures of the paper, and how results are printed: text
// that lines up, Markdown, CSV and JSON that parse, and nothing where there is nothing.

#include "base/context.h"
#include "experiment/evaluation_data.h"
#include "opine/opine.h"
#include "paper/reproduction_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static const double nothing = (double)NAN;

// ---- the figures of the paper --------------------------------------------------------

static void every_figure_of_the_paper_is_there_once(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        int n;
    } tables[] = {{"main", 285},         {"main-appendix", 105},
                  {"ablation-main", 76}, {"ablation-appendix", 442},
                  {"dropedge", 32},      {"gat", 18}};
    size_t n_all = 0;
    for (int t = 0; t < 6; t++) {
        int n = 0;
        for (size_t f = 0; f < opn_figure_count(); f++)
            n += strcmp(opn_figure_at(f)->table, tables[t].table) == 0;
        assert_int_equal(n, tables[t].n);
        n_all += (size_t)n;
    }
    assert_int_equal(opn_figure_count(), n_all);
    assert_null(opn_figure_at(opn_figure_count()));
    for (size_t f = 0; f < opn_figure_count(); f++)
        for (size_t other = 0; other < f; other++) {
            const opn_figure *a = opn_figure_at(f);
            const opn_figure *b = opn_figure_at(other);
            assert_false(strcmp(a->table, b->table) == 0 &&
                         strcmp(a->task, b->task) == 0 &&
                         strcmp(a->dataset, b->dataset) == 0 &&
                         strcmp(a->model, b->model) == 0 &&
                         strcmp(a->metric, b->metric) == 0 &&
                         strcmp(a->measure, b->measure) == 0);
        }
}

static bool is_known_dataset(const char *name)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, name) == 0)
            return true;
    return false;
}

static bool is_known_model(const char *name)
{
    for (int m = 0; m < TRIAL_N_MODELS; m++)
        if (strcmp(trial_models[m], name) == 0)
            return true;
    return false;
}

static bool is_known_measure(const char *name)
{
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (strcmp(opn_measure_name((opn_measure)m), name) == 0)
            return true;
    return false;
}

static void every_figure_is_of_something_known_and_a_percentage(void **state)
{
    (void)state;
    for (size_t f = 0; f < opn_figure_count(); f++) {
        const opn_figure *figure = opn_figure_at(f);
        const bool is_accuracy = strcmp(figure->metric, "accuracy") == 0;
        const bool is_ours = strcmp(figure->table, "gat") != 0;
        assert_true(is_known_dataset(figure->dataset));
        assert_int_equal(is_known_model(figure->model), is_ours);
        assert_true(is_accuracy || strcmp(figure->metric, "auroc") == 0 ||
                    strcmp(figure->metric, "aupr") == 0);
        assert_true(is_accuracy ? figure->measure[0] == 0
                                : is_known_measure(figure->measure));
        assert_true(!is_ours || strcmp(figure->task, "ood") == 0 ||
                    strcmp(figure->task, "misclassification") == 0);
        assert_true(figure->value > 0.0 && figure->value <= 100.0);
        assert_int_equal(!isnan(figure->std), !is_ours);
    }
}

static void figures_have_the_values_of_the_paper(void **state)
{
    (void)state;
    static const opn_figure wanted[] = {
            {"main", "misclassification", "cora", "s-bgcn-t-k", "auroc", "vacuity", 70.6,
             0},
            {"main", "misclassification", "citeseer", "dpn-gcn", "aupr", "entropy", 78.1,
             0},
            {"main", "ood", "citeseer", "edl-gcn", "aupr", "vacuity", 79.8, 0},
            {"main", "ood", "physics", "gcn", "auroc", "entropy", 89.1, 0},
            {"ablation-main", "ood", "photo", "s-bgcn-t-k", "auroc", "epistemic", 32.2,
             0},
            {"ablation-appendix", "misclassification", "cora", "s-bgcn", "aupr",
             "dissonance", 94.3, 0},
            {"ablation-appendix", "misclassification", "citeseer", "s-gcn", "aupr",
             "dissonance", 84.2, 0},
            {"ablation-appendix", "misclassification", "pubmed", "s-bgcn", "auroc",
             "entropy", 68.0, 0},
            {"main-appendix", "misclassification", "physics", "gcn", "aupr", "entropy",
             99.0, 0},
            {"dropedge", "misclassification", "cora", "s-bgcn-t-k", "auroc", "dissonance",
             82.4, 0},
            {"dropedge", "misclassification", "citeseer", "dropedge-gcn", "aupr",
             "entropy", 84.0, 0},
            {"gat", "classification", "cora", "gat", "accuracy", "", 83.0, 0.7},
            {"gat", "classification", "pubmed", "s-bgat-t-k", "accuracy", "", 79.1, 0.2}};
    for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
        const opn_figure *want = &wanted[w];
        int n_found = 0;
        for (size_t f = 0; f < opn_figure_count(); f++) {
            const opn_figure *got = opn_figure_at(f);
            if (strcmp(got->table, want->table) != 0 ||
                strcmp(got->task, want->task) != 0 ||
                strcmp(got->dataset, want->dataset) != 0 ||
                strcmp(got->model, want->model) != 0 ||
                strcmp(got->metric, want->metric) != 0 ||
                strcmp(got->measure, want->measure) != 0)
                continue;
            assert_true(got->value == want->value);
            assert_true(want->std == 0 ? isnan(got->std) : got->std == want->std);
            n_found++;
        }
        assert_int_equal(n_found, 1);
    }
}

static void a_dataset_of_no_table_or_without_data_is_refused(void **state)
{
    (void)state;
    opn_reproduction *found = NULL;
    opn_params *params = trial_params(ctx, "dataset=cora");
    assert_int_equal(opn_params_set(ctx, params, "dataset", "cora,karate"),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "\"karate\" is not one of cora|citeseer|");
    assert_int_equal(opn_params_set(ctx, params, "dataset", "demo"), OPN_ERR_INVALID_ARG);
    assert_int_equal(setenv("OPINE_DATA", "/no/such", 1), 0);
    assert_int_equal(setenv("XDG_DATA_HOME", "/no/such", 1), 0);
    assert_int_equal(opn_reproduce(ctx, params, NULL, &found), OPN_ERR_READ);
    support_expect_error(ctx, "cora");
    assert_null(found);
    opn_params_free(params);
}

// ---- pages ---------------------------------------------------------------------------

enum { MOST_LINES = 400, MOST_CHARS = 400 };

// The lines of a text, with one character for each of UTF-8, padded with blanks.
typedef struct page {
    int n_lines;
    char line[MOST_LINES][MOST_CHARS + 1];
} page;

static page *read_page(const char *text)
{
    page *p = malloc(sizeof(*p));
    assert_non_null(p);
    memset(p->line, ' ', sizeof(p->line));
    p->n_lines = 0;
    int n = 0;
    for (; *text != 0; text++) {
        if (*text == '\n') {
            assert_true(n == 0 || text[-1] != ' '); // no blanks at the end of a line
            n = 0;
            assert_true(++p->n_lines < MOST_LINES);
        } else if (((unsigned char)*text & 0xc0) != 0x80) { // begins a character
            assert_true(n < MOST_CHARS);
            p->line[p->n_lines][n++] = (unsigned char)*text < 0x80 ? *text : '#';
        }
    }
    assert_int_equal(n, 0); // the last line has its end
    return p;
}

static bool is_empty(const page *p, int l)
{
    return strspn(p->line[l], " ") >= MOST_CHARS;
}

// Whether the lines first … last all have a blank there.
static bool is_gap(const page *p, int first, int last, int at)
{
    for (int l = first; l <= last; l++)
        if (p->line[l][at] != ' ')
            return false;
    return true;
}

static void fail_at(const page *p, int l, const char *what)
{
    fail_msg("line %d %s: %.140s", l + 1, what, p->line[l]);
}

// Asserts that the points of the numbers between two gaps are below one another.
static void expect_points_aligned(const page *p, int head, int last, int begin, int end)
{
    int point = -1;
    for (int l = head + 1; l <= last; l++) {
        const char *found = memchr(p->line[l] + begin, '.', (size_t)(end - begin));
        if (found == NULL)
            continue;
        if (point >= 0 && found - p->line[l] != point)
            fail_at(p, l, "has a number out of line");
        point = (int)(found - p->line[l]);
    }
}

// Asserts that where two blanks or more part two heads, a gap parts the columns below
// them, in which numbers stand in line. Returns how many rows the table has.
static int expect_table_aligned(const page *p, int head)
{
    const char *heads = p->line[head];
    int last = head;
    int begin = 0;
    while (last + 1 < p->n_lines && !is_empty(p, last + 1))
        last++;
    for (int at = 2; at < MOST_CHARS; at++) {
        if (heads[at] == ' ' || heads[at - 1] != ' ' || heads[at - 2] != ' ')
            continue; // no head begins
        int gap = at - 1;
        while (heads[gap] == ' ' && !is_gap(p, head, last, gap))
            gap--;
        if (heads[gap] != ' ')
            fail_at(p, head, "has heads without a gap below");
        expect_points_aligned(p, head, last, begin, gap);
        begin = gap;
    }
    expect_points_aligned(p, head, last, begin, MOST_CHARS);
    return last - head;
}

// Every table of the page, and returns how many lines they have.
static int expect_aligned(const char *text)
{
    int n_rows = 0;
    page *p = read_page(text);
    for (int l = 0; l < p->n_lines; l++)
        if (strncmp(p->line[l], "dataset  ", 9) == 0 ||
            strncmp(p->line[l], "score  ", 7) == 0 ||
            strncmp(p->line[l], "model  ", 7) == 0)
            n_rows += expect_table_aligned(p, l);
    free(p);
    return n_rows;
}

// Whether "nan" or "inf" is there as a word; dissonance contains one.
static void expect_no_nan(const char *text)
{
    for (const char *at = text; *at != 0; at++) {
        const bool is_word = at == text || !isalpha((unsigned char)at[-1]);
        if (is_word && (strncmp(at, "nan", 3) == 0 || strncmp(at, "inf", 3) == 0) &&
            !isalpha((unsigned char)at[3]))
            fail_msg("there is not a number: %.40s", at > text + 10 ? at - 10 : text);
    }
}

static int count_char(const char *text, size_t n, char c)
{
    int found = 0;
    for (size_t i = 0; i < n; i++)
        found += text[i] == c;
    return found;
}

// Asserts that the rows of each Markdown table have as many fields as its head.
static int expect_markdown(const char *text)
{
    int n_rows = 0;
    int n_pipes = 0;
    for (const char *line = text; *line != 0;) {
        const size_t n = strcspn(line, "\n");
        const int n_here = count_char(line, n, '|');
        assert_true(n_here == 0 || (line[0] == '|' && line[n - 1] == '|'));
        assert_true(n_pipes == 0 || n_here == 0 || n_here == n_pipes);
        n_pipes = n_here;
        n_rows += n_here > 0;
        line += n + 1;
    }
    return n_rows;
}

// ---- evaluations ---------------------------------------------------------------------

static double between(uint64_t *random, double low, double high)
{
    return low + (high - low) * below(random, 10001) / 10000.0;
}

// Wide intervals, perfect scores, scores no seed or one seed has.
static void draw_cell(uint64_t *random, int32_t m, int32_t s, opn_cell *cell)
{
    cell->seed = (uint64_t)s;
    cell->n_pool = 1000.0;
    cell->prevalence = between(random, 0.0, 100.0);
    cell->n_epochs = m == 1 ? 100000.0 : 200.0;
    cell->seconds = (opn_seconds){0.0, 0.0, m == 0 ? nothing : 12.3, 0.5};
    cell->quality[OPN_QUALITY_ACCURACY] = m == 2 ? 100.0 : between(random, 3.0, 99.0);
    cell->quality[OPN_QUALITY_BRIER] = between(random, 0.0, 1.4);
    cell->quality[OPN_QUALITY_NLL] = between(random, 0.2, 1.6);
    cell->quality[OPN_QUALITY_ECE] = m == 1 && s > 0 ? nothing : between(random, 0, 9);
    for (int k = 0; k < OPN_N_METRICS; k++)
        for (int32_t score = 0; score < OPN_N_SCORES; score++) {
            const bool is_there = score != OPN_MEASURE_EPISTEMIC &&
                                  (score != OPN_MEASURE_ALEATORIC || s == 0) &&
                                  (m != 2 || k == OPN_METRIC_AURC || k == 1);
            cell->metric[k][score] = !is_there        ? nothing
                                     : score % 4 == 1 ? between(random, 99.0, 100.0)
                                                      : between(random, 0.0, 100.0);
        }
}

static opn_evaluation *make_evaluation(int32_t n_seeds, const char *task)
{
    static const char *const names[] = {"s-bgcn-t-k", "dropedge-gcn", "gcn"};
    char settings[64];
    uint64_t random = (uint64_t)n_seeds;
    opn_evaluation *made = opn_i_calloc(&ctx->alloc, 1, sizeof(*made));
    assert_non_null(made);
    snprintf(settings, sizeof(settings), "task=%s seeds=%d", task, (int)n_seeds);
    made->alloc = ctx->alloc;
    made->params = trial_params(ctx, settings);
    made->n_seeds = n_seeds;
    made->dataset = opn_i_calloc(&ctx->alloc, 8, 1);
    memcpy(made->dataset, "\"d\\e,f\"", 7);
    for (int m = 0; m < 3; m++)
        assert_int_equal(opn_i_names_add(ctx, &made->models, names[m], strlen(names[m])),
                         OPN_OK);
    made->cell = opn_i_calloc(&ctx->alloc, 3 * (size_t)n_seeds, sizeof(opn_cell));
    for (int32_t m = 0; m < 3; m++)
        for (int32_t s = 0; s < n_seeds; s++)
            draw_cell(&random, m, s, &made->cell[m * n_seeds + s]);
    return made;
}

static const char *const tasks[] = {"misclassification", "ood"};
static const int32_t seed_counts[] = {1, 2, 3, 1000};

static char *save_evaluation(const stage *s, const opn_evaluation *e, const char *name)
{
    char path[SUPPORT_PATH];
    support_path(path, s->folder, name);
    if (opn_evaluation_save(ctx, e, path) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return support_read_file(path, NULL);
}

static void text_of_an_evaluation_lines_up_and_leaves_out_what_is_not_there(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    for (int c = 0; c < 8; c++) {
        const int32_t n_seeds = seed_counts[c / 2];
        opn_evaluation *e = make_evaluation(n_seeds, tasks[c % 2]);
        char *text = save_evaluation(s, e, "e.txt");
        expect_no_nan(text);
        assert_int_equal(expect_aligned(text), 3 * OPN_N_SCORES + 3);
        assert_true((strstr(text, "±") == NULL) == (n_seeds == 1));
        assert_true((strstr(text, "minus each other model") == NULL) == (n_seeds == 1));
        free(text);
        opn_evaluation_free(e);
    }
    support_close_stage(s);
}

static void json_of_an_evaluation_holds_its_estimates(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    for (int c = 0; c < 8; c++) {
        const int32_t n_seeds = seed_counts[c / 2];
        json_error_t error;
        opn_evaluation *e = make_evaluation(n_seeds, tasks[c % 2]);
        char *text = save_evaluation(s, e, "e.json");
        json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
        const json_t *results = json_object_get(document, "results");
        assert_string_equal(json_string_value(json_object_get(document, "dataset")),
                            "\"d\\e,f\"");
        assert_int_equal(json_array_size(results), 3);
        assert_int_equal(json_array_size(json_object_get(document, "comparisons")), 2);
        for (int32_t m = 0; m < 3; m++) {
            const json_t *model = json_array_get(results, (size_t)m);
            for (int32_t score = 0; score < OPN_N_SCORES; score++) {
                const opn_estimate want = opn_evaluation_metric(e, m, 0, score);
                const json_t *got = json_object_get(json_object_get(model, "auroc"),
                                                    opn_score_name(score));
                assert_int_equal(got != NULL, want.n > 0);
                if (want.n == 0)
                    continue;
                assert_true(fabs(json_number_value(json_object_get(got, "mean")) -
                                 want.mean) < 1e-6);
                assert_int_equal(
                        json_is_null(json_array_get(json_object_get(got, "ci95"), 0)),
                        want.n == 1);
            }
        }
        json_decref(document);
        free(text);
        opn_evaluation_free(e);
    }
    support_close_stage(s);
}

// ---- reproductions -------------------------------------------------------------------

// How many values, and what they might be.
static opn_estimate draw_estimate(uint64_t *random, int32_t n)
{
    const double mean = below(random, 5) == 0 ? 100.0 : between(random, 0.0, 100.0);
    const double reach = between(random, 0.0, 640.0); // of two seeds that are at odds
    return (opn_estimate){.n = n,
                          .mean = n > 0 ? mean : nothing,
                          .std = n > 1 ? reach / 9.0 : nothing,
                          .low = n > 1 ? mean - reach : nothing,
                          .high = n > 1 ? mean + reach : nothing};
}

static opn_comparison draw_comparison(uint64_t *random, int32_t n)
{
    const double difference = between(random, -50.0, 50.0);
    const double reach = n > 1 ? between(random, 0.0, 49.9) : 0.0;
    return (opn_comparison){.n = n,
                            .difference = n > 0 ? difference : nothing,
                            .low = n > 0 ? difference - reach : nothing,
                            .high = n > 0 ? difference + reach : nothing,
                            .p_value = n > 1 ? between(random, 0.0, 1.0) : 1.0};
}

enum { N_ROWS = 8 * 2 * 9, N_ANSWERS = 9, N_COSTS = 7 };

static opn_i_result_row draw_row(uint64_t *random, int r, int32_t n_seeds)
{
    static const char *const tables[] = {
            "main",     "main-appendix", "ablation-main", "ablation-appendix",
            "dropedge", "gat",           "beyond",        "encoders"};
    static const char *const datasets[] = {"cora", "citeseer", "computers"};
    static const char *const measures[] = {"dissonance~", "vacuity", "accuracy"};
    static const char *const settings[] = {"paper", "10,000 epochs", "strong"};
    opn_i_result_row row = {.table = tables[r / 18],
                            .task = tasks[r / 9 % 2],
                            .dataset = datasets[r % 3],
                            .model = trial_models[r % TRIAL_N_MODELS],
                            .measure = measures[r / 3 % 3],
                            .setting = settings[r % 3]};
    const bool is_accuracy = strcmp(row.measure, "accuracy") == 0;
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        const bool is_there = k == 0 || !is_accuracy;
        row.paper[k] = is_there && r % 4 != 0 ? between(random, 0, 100) : nothing;
        row.ours[k] = draw_estimate(random, !is_there || r % 7 == 0 ? 0 : n_seeds);
    }
    return row;
}

static opn_reproduction *make_reproduction(int32_t n_seeds)
{
    static const char *const datasets[] = {"cora", "citeseer", "computers"};
    uint64_t random = (uint64_t)n_seeds;
    opn_reproduction *made = opn_i_calloc(&ctx->alloc, 1, sizeof(*made));
    assert_non_null(made);
    made->alloc = ctx->alloc;
    made->row = opn_i_calloc(&ctx->alloc, N_ROWS, sizeof(*made->row));
    made->answer = opn_i_calloc(&ctx->alloc, N_ANSWERS, sizeof(*made->answer));
    made->cost = opn_i_calloc(&ctx->alloc, N_COSTS, sizeof(*made->cost));
    for (; made->n_rows < N_ROWS; made->n_rows++)
        made->row[made->n_rows] = draw_row(&random, made->n_rows, n_seeds);
    for (int a = 0; a < N_ANSWERS; a++, made->n_answers++) {
        made->answer[a] = (opn_i_answer){.number = 1 + a / 3,
                                         .dataset = datasets[a % 3],
                                         .rival = a < 6 ? "dissonance~" : "s-bgcn-t"};
        for (int k = 0; k < OPN_AUROC_AUPR; k++)
            made->answer[a].difference[k] =
                    draw_comparison(&random, a == 4 ? 0 : n_seeds);
    }
    for (int c = 0; c < N_COSTS; c++, made->n_costs++)
        made->cost[c] = (opn_i_cost){.dataset = datasets[c % 3],
                                     .task = tasks[c % 2],
                                     .model = trial_models[c],
                                     .setting = c % 2 == 0 ? "paper" : "10,000 epochs",
                                     .n_seeds = n_seeds,
                                     .n_epochs = c == 1 ? 100000.0 : 200.0,
                                     .seconds = c == 2 ? nothing : 1234.5 / (1 + c),
                                     .n_pool = c == 3 ? 34493.0 : 1000.0,
                                     .prevalence = c == 4 ? 100.0 : 7.0 * c};
    return made;
}

static char *save(const stage *s, const opn_reproduction *found, const char *name)
{
    char path[SUPPORT_PATH];
    support_path(path, s->folder, name);
    if (opn_reproduction_save(ctx, found, path) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return support_read_file(path, NULL);
}

static void text_of_a_reproduction_lines_up(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    for (int c = 0; c < 4; c++) {
        opn_reproduction *found = make_reproduction(seed_counts[c]);
        char *text = save(s, found, "results.txt");
        expect_no_nan(text);
        assert_int_equal(expect_aligned(text), N_ROWS + N_ANSWERS + N_COSTS);
        free(text);
        opn_reproduction_free(found);
    }
    support_close_stage(s);
}

static void markdown_rows_have_as_many_fields_as_their_heads(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    for (int c = 0; c < 4; c++) {
        opn_reproduction *found = make_reproduction(seed_counts[c]);
        char *text = save(s, found, "results.md");
        expect_no_nan(text);
        // Each of the 16 + 3 + 1 tables has a head and a line below it.
        assert_int_equal(expect_markdown(text),
                         N_ROWS + N_ANSWERS + N_COSTS + 2 * (16 + 3 + 1));
        free(text);
        opn_reproduction_free(found);
    }
    support_close_stage(s);
}

static void
a_summary_has_the_answers_and_the_main_rows_and_links_to_the_rest(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    opn_reproduction *found = make_reproduction(5);
    for (int r = 0; r < N_ROWS; r++)
        found->row[r].model = "gcn";
    found->row[0].model = "s-bgcn-t-k"; // of misclassification, by a smoothed measure
    for (int r = 12; r < 15; r++)       // of ood, by vacuity
        found->row[r].model = "s-bgcn-t-k";
    char *text = save(s, found, "summary.md");
    assert_int_equal(expect_markdown(text), 3 + N_ANSWERS + 2 * (1 + 3));
    assert_non_null(strstr(text, "[results.md](results.md)"));
    assert_non_null(strstr(text, "opine reproduce"));
    free(text);
    opn_reproduction_free(found);
    support_close_stage(s);
}

static void one_seed_has_no_interval(void **state)
{
    (void)state;
    static const char *const names[] = {"r.txt", "r.md"};
    stage *s = support_open_stage("");
    opn_reproduction *found = make_reproduction(1);
    for (int n = 0; n < 2; n++) {
        char *text = save(s, found, names[n]);
        const char *first = strstr(text, "±"); // of what explains the tables
        assert_non_null(first);
        assert_null(strstr(first + 1, "±"));
        for (const char *at = strchr(text, '['); at != NULL; at = strchr(at + 1, '['))
            assert_memory_equal(at, "[95 %]", 6); // of a head
        free(text);
    }
    opn_reproduction_free(found);
    support_close_stage(s);
}

// Commas that are not between quotation marks.
static int count_fields(const char *line, size_t n)
{
    int n_fields = 1;
    bool is_quoted = false;
    for (size_t i = 0; i < n; i++) {
        is_quoted = is_quoted != (line[i] == '"');
        n_fields += !is_quoted && line[i] == ',';
    }
    return n_fields;
}

static void csv_has_a_row_for_each_figure_and_the_same_fields_in_each(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    for (int c = 0; c < 4; c++) {
        opn_reproduction *found = make_reproduction(seed_counts[c]);
        char *text = save(s, found, "results.csv");
        int n_lines = 0;
        int n_want = 1;
        for (int r = 0; r < N_ROWS; r++)
            for (int k = 0; k < OPN_AUROC_AUPR; k++)
                n_want += found->row[r].ours[k].n > 0;
        expect_no_nan(text);
        for (const char *line = text; *line != 0; n_lines++) {
            const size_t n = strcspn(line, "\n");
            assert_int_equal(count_fields(line, n), 14);
            line += n + 1;
        }
        assert_int_equal(n_lines, n_want);
        free(text);
        opn_reproduction_free(found);
    }
    support_close_stage(s);
}

static void json_holds_what_csv_holds_and_the_answers(void **state)
{
    (void)state;
    stage *s = support_open_stage("");
    for (int c = 0; c < 4; c++) {
        json_error_t error;
        opn_reproduction *found = make_reproduction(seed_counts[c]);
        char *text = save(s, found, "results.json");
        char *csv = save(s, found, "results.csv");
        json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
        const json_t *answers = json_object_get(document, "answers");
        assert_int_equal(json_array_size(json_object_get(document, "results")),
                         count_char(csv, strlen(csv), '\n') - 1);
        assert_int_equal(json_array_size(answers), N_ANSWERS);
        assert_int_equal(json_array_size(json_object_get(document, "runs")), N_COSTS);
        for (int a = 0; a < N_ANSWERS; a++) {
            const json_t *answer = json_array_get(answers, (size_t)a);
            assert_string_equal(json_string_value(json_object_get(answer, "verdict")),
                                opn_i_verdict(&found->answer[a].difference[0]));
            assert_int_equal(json_string_value(json_object_get(answer, "answer"))[1],
                             '1' + a / 3);
        }
        json_decref(document);
        free(csv);
        free(text);
        opn_reproduction_free(found);
    }
    support_close_stage(s);
}

static void an_answer_is_supported_when_the_whole_interval_is_on_its_side(void **state)
{
    (void)state;
    static const struct {
        opn_comparison difference;
        const char *verdict;
    } cases[] = {{{5, 2.0, 0.1, 3.0, 0.06}, "supported"},
                 {{5, -2.0, -3.0, -0.1, 0.06}, "not supported"},
                 {{5, 2.0, -0.1, 3.0, 0.06}, "undecided"},
                 {{5, 2.0, 0.0, 3.0, 0.06}, "undecided"},
                 {{5, -2.0, -3.0, 0.0, 0.06}, "undecided"},
                 {{1, 2.0, 2.0, 2.0, 1.0}, "undecided"},
                 {{0, (double)NAN, (double)NAN, (double)NAN, 1.0}, "undecided"}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        assert_string_equal(opn_i_verdict(&cases[c].difference), cases[c].verdict);
}

// ---- failures ------------------------------------------------------------------------

static void nothing_measured_is_still_a_page(void **state)
{
    (void)state;
    static const char *const names[] = {"r.txt", "r.md", "r.csv", "r.json"};
    stage *s = support_open_stage("");
    opn_reproduction *found = opn_i_calloc(&ctx->alloc, 1, sizeof(*found));
    found->alloc = ctx->alloc;
    for (int n = 0; n < 4; n++) {
        char *text = save(s, found, names[n]);
        assert_true(strlen(text) > 10);
        expect_no_nan(text);
        free(text);
    }
    opn_reproduction_free(found);
    opn_reproduction_free(NULL);
    opn_evaluation_free(NULL);
    support_close_stage(s);
}

static void an_output_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"no/r.txt", "no/r.md", "no/r.csv", "no/r.json"};
    stage *s = support_open_stage("");
    opn_reproduction *found = make_reproduction(2);
    opn_evaluation *e = make_evaluation(2, "ood");
    for (int n = 0; n < 4; n++) {
        char path[SUPPORT_PATH];
        support_path(path, s->folder, names[n]);
        assert_int_equal(opn_reproduction_save(ctx, found, path), OPN_ERR_WRITE);
        support_expect_error(ctx, path);
        assert_int_equal(opn_evaluation_save(ctx, e, path), OPN_ERR_WRITE);
        support_expect_error(ctx, path);
    }
    opn_evaluation_free(e);
    opn_reproduction_free(found);
    support_close_stage(s);
}

static void every_allocation_failure_is_reported_and_the_old_page_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"r.txt", "r.md", "r.csv", "r.json"};
    stage *s = support_open_stage("");
    opn_reproduction *found = make_reproduction(2);
    opn_evaluation *e = make_evaluation(2, "ood");
    for (int n = 0; n < 8; n++) {
        char path[SUPPORT_PATH];
        opn_status status = OPN_ERR_NOMEM;
        support_write_text(support_path(path, s->folder, names[n / 2]), "old");
        for (long at = 1; status != OPN_OK; at++) {
            meter m = {0};
            opn_ctx *own = support_ctx(&m);
            m.n_requests = 0;
            m.fail_at = at;
            status = n % 2 == 0 ? opn_reproduction_save(own, found, path)
                                : opn_evaluation_save(own, e, path);
            support_ctx_free(own, &m);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            if (status != OPN_OK)
                support_expect_file(path, "old", 3);
        }
    }
    opn_evaluation_free(e);
    opn_reproduction_free(found);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(every_figure_of_the_paper_is_there_once),
            WITH_CTX(every_figure_is_of_something_known_and_a_percentage),
            WITH_CTX(figures_have_the_values_of_the_paper),
            WITH_CTX(a_dataset_of_no_table_or_without_data_is_refused),
            WITH_CTX(text_of_an_evaluation_lines_up_and_leaves_out_what_is_not_there),
            WITH_CTX(json_of_an_evaluation_holds_its_estimates),
            WITH_CTX(text_of_a_reproduction_lines_up),
            WITH_CTX(markdown_rows_have_as_many_fields_as_their_heads),
            WITH_CTX(a_summary_has_the_answers_and_the_main_rows_and_links_to_the_rest),
            WITH_CTX(one_seed_has_no_interval),
            WITH_CTX(csv_has_a_row_for_each_figure_and_the_same_fields_in_each),
            WITH_CTX(json_holds_what_csv_holds_and_the_answers),
            WITH_CTX(an_answer_is_supported_when_the_whole_interval_is_on_its_side),
            WITH_CTX(nothing_measured_is_still_a_page),
            WITH_CTX(an_output_that_cannot_be_written_is_told),
            WITH_CTX(every_allocation_failure_is_reported_and_the_old_page_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
