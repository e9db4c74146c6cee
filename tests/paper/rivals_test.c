// rivals_test.c -- the protocols of other papers: rows for every task, published figures
// beside them, and tables as text, Markdown, CSV and JSON.

#include "base/context.h"
#include "io/bytes.h"
#include "opine/opine.h"
#include "paper/rivals.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static bool is_choice(const char *param, const char *value)
{
    const char *choices = opn_param_find(param)->choices;
    const char *at = strstr(choices, value);
    const size_t n = strlen(value);
    return at != NULL && (at == choices || at[-1] == '|') && (at[n] == 0 || at[n] == '|');
}

static void published_figures_are_of_known_tasks_and_each_there_once(void **state)
{
    (void)state;
    assert_true(opn_i_rival_figure_count() > 0);
    for (size_t f = 0; f < opn_i_rival_figure_count(); f++) {
        const opn_i_rival_figure *a = opn_i_rival_figure_at(f);
        assert_true(is_choice("protocol", a->protocol) && is_choice("shift", a->shift));
        assert_true(is_choice("dataset", a->dataset));
        assert_int_equal(strcmp(a->protocol, "gnnsafe") == 0,
                         strcmp(a->shift, "none") != 0);
        assert_string_equal(a->metric, "auroc");
        assert_true(a->value > 50.0 && a->value <= 100.0);
        assert_true(a->source[0] != 0 && a->difference[0] != 0);
        for (size_t other = 0; other < f; other++) {
            const opn_i_rival_figure *b = opn_i_rival_figure_at(other);
            assert_false(strcmp(a->protocol, b->protocol) == 0 &&
                         strcmp(a->shift, b->shift) == 0 &&
                         strcmp(a->dataset, b->dataset) == 0 &&
                         strcmp(a->method, b->method) == 0);
        }
    }
}

// ---- what is measured ----------------------------------------------------------------

static opn_reproduction *new_found(void)
{
    opn_reproduction *found = ctx->alloc.alloc(ctx->alloc.user, sizeof(*found));
    assert_non_null(found);
    *found = (opn_reproduction){.alloc = ctx->alloc};
    return found;
}

static opn_reproduction *measure_demo(void)
{
    opn_params *params =
            trial_params(ctx, "seeds=2 epochs=3 teacher_epochs=2 hidden=4 samples=2");
    opn_reproduction *found = new_found();
    assert_int_equal(opn_i_add_rivals(ctx, params, "demo", NULL, found), OPN_OK);
    opn_params_free(params);
    return found;
}

static const opn_i_rival_row *find_row(const opn_reproduction *found,
                                       const char *shift,
                                       const char *method,
                                       const char *score)
{
    for (int32_t r = 0; r < found->n_rivals; r++)
        if (strcmp(found->rival[r].shift, shift) == 0 &&
            strcmp(found->rival[r].method, method) == 0 &&
            strcmp(found->rival[r].score, score) == 0)
            return &found->rival[r];
    return NULL;
}

static void every_task_has_our_scores_and_the_energy_of_gcn(void **state)
{
    (void)state;
    static const char *const shifts[] = {"structure", "feature", "label", "none"};
    opn_reproduction *found = measure_demo();
    for (int t = 0; t < 4; t++) {
        assert_non_null(find_row(found, shifts[t], "s-bgcn-t-k", "vacuity"));
        assert_non_null(find_row(found, shifts[t], "s-bgcn-t-k", "vacuity~"));
        const opn_i_rival_row *row = find_row(found, shifts[t], "gcn", "gnnsafe");
        assert_non_null(row);
        assert_string_equal(row->protocol, t < 3 ? "gnnsafe" : "gpn");
        for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++)
            assert_int_equal(row->figure[f].n, 2);
        // Two of a kind are told once, whatever the convention for isolated nodes.
        for (const opn_i_rival_row *r = found->rival; r < row; r++)
            assert_false(strcmp(r->shift, shifts[t]) == 0 &&
                         strcmp(r->score, "gnnsafe") == 0);
    }
    assert_int_equal(found->n_costs, 8); // two models in each of four tasks
    opn_reproduction_free(found);
}

// ---- tables --------------------------------------------------------------------------

// Two rows of one task and one of another; one is published.
static opn_reproduction *make_rows(void)
{
    opn_reproduction *found = new_found();
    opn_i_rival_row *row = ctx->alloc.alloc(ctx->alloc.user, 3 * sizeof(opn_i_rival_row));
    assert_non_null(row);
    memset(row, 0, 3 * sizeof(*row));
    row[0] = (opn_i_rival_row){"cora",    "gnnsafe", "structure", "gcn",
                               "gnnsafe", "",        {{0}}};
    row[1] = (opn_i_rival_row){"photo", "gpn",  "none", "s-bgcn-t-k",
                               "fused", "keep", {{0}}};
    row[2] = (opn_i_rival_row){"cora",      "gnnsafe", "structure", "GNNSafe",
                               "published", "",        {{0}}};
    for (int r = 0; r < 2; r++)
        for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++)
            row[r].figure[f] = (opn_estimate){
                    .n = 3, .mean = 10.0 * f + 1.0, .std = 1.0, .low = 0.0, .high = 20.0};
    row[2].figure[0] = (opn_estimate){.n = 1,
                                      .mean = 87.5,
                                      .std = (double)NAN,
                                      .low = (double)NAN,
                                      .high = (double)NAN};
    found->rival = row;
    found->n_rivals = 3;
    found->rival_room = 3;
    return found;
}

// What is written to that file, to be freed.
static char *save(const opn_reproduction *found, const char *name)
{
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_i_bytes bytes = {0};
    support_temp_folder(folder);
    support_path(path, folder, name);
    assert_int_equal(opn_reproduction_save(ctx, found, path), OPN_OK);
    assert_int_equal(opn_i_regular_file_read(ctx, path, &bytes), OPN_OK);
    char *text = calloc(bytes.n + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.n);
    opn_i_bytes_release(ctx, &bytes);
    support_remove_folder(folder);
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        n++;
    return n;
}

static void tables_have_published_figures_beside_ours_and_their_sources(void **state)
{
    (void)state;
    static const char *const names[] = {"tables.txt", "results.md", "summary.md"};
    opn_reproduction *found = make_rows();
    for (int n = 0; n < 3; n++) {
        char *text = save(found, names[n]);
        assert_int_equal(count(text, "Table rivals: "), 2);
        assert_non_null(strstr(text, "Table rivals: protocol gnnsafe, shift structure"));
        assert_non_null(strstr(text, "Table rivals: protocol gpn\n"));
        assert_non_null(strstr(text, "fused, keep"));
        assert_non_null(strstr(text, "87.5"));
        assert_non_null(strstr(text, "- GNNSafe: Wu et al. ICLR 2023; "));
        assert_null(strstr(text, "- GPN: ")); // of no row
        assert_int_equal(count(text, "| cora |"), n == 0 ? 0 : 2);
        free(text);
    }
    opn_reproduction_free(found);
}

static void without_rows_there_is_no_table(void **state)
{
    (void)state;
    opn_reproduction *found = new_found();
    char *text = save(found, "results.md");
    assert_null(strstr(text, "rivals"));
    free(text);
    opn_reproduction_free(found);
}

static void csv_and_json_have_every_figure_that_is_known(void **state)
{
    (void)state;
    opn_reproduction *found = make_rows();
    char *csv = save(found, "results.csv");
    char *text = save(found, "results.json");
    assert_int_equal(count(csv, "\nrivals,"), 2 * OPN_N_RIVAL_FIGURES + 1);
    for (const char *line = strchr(csv, '\n') + 1; *line != 0;
         line = strchr(line, '\n') + 1) {
        int n_commas = 0;
        for (const char *at = line; *at != '\n'; at++)
            n_commas += *at == ',';
        assert_int_equal(n_commas, 13);
    }
    assert_non_null(strstr(csv, ",auroc,published,87.5,,"));
    json_t *document = json_loads(text, 0, NULL);
    const json_t *rivals = json_object_get(document, "rivals");
    assert_int_equal(json_array_size(rivals), 3);
    const json_t *row = json_array_get(rivals, 0);
    for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++)
        assert_true(json_number_value(json_object_get(
                            json_object_get(row, opn_i_rival_figure_name(f)), "mean")) ==
                    10.0 * f + 1.0);
    row = json_array_get(rivals, 2);
    assert_null(json_object_get(row, "accuracy"));
    assert_string_equal(json_string_value(json_object_get(row, "method")), "GNNSafe");
    json_decref(document);
    free(csv);
    free(text);
    opn_reproduction_free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(published_figures_are_of_known_tasks_and_each_there_once),
            WITH_CTX(every_task_has_our_scores_and_the_energy_of_gcn),
            WITH_CTX(tables_have_published_figures_beside_ours_and_their_sources),
            WITH_CTX(without_rows_there_is_no_table),
            WITH_CTX(csv_and_json_have_every_figure_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
