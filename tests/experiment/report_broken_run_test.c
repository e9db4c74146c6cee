// report_broken_run_test.c -- reports of folders that are no run, unfinished or damaged.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/run_place.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static opn_ctx *ctx;

static void a_folder_that_is_no_run_is_refused(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_expect_refused(ctx, at.data, NULL, "", OPN_ERR_READ, "has no cells.jsonl");
    assert_int_equal(mkdir(at.run, 0777), 0);
    support_write_text(at.cells, "");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT, "has no results yet");
    support_write_text(at.cells, "{\"model\":\"gcn\"");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT, "has no results yet");
    place_close(&at);
}

static void a_run_of_another_graph_is_refused(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    place_expect_refused(ctx, at.run, at.other, "", OPN_ERR_SHAPE,
                         "the results are for another graph than other");
    place_close(&at);
}

static void append(const char *path, const char *text)
{
    char *was = support_read_file(path, NULL);
    char *all = malloc(strlen(was) + strlen(text) + 1);
    assert_non_null(all);
    strcpy(all, was);
    strcat(all, text);
    support_write_text(path, all);
    free(was);
    free(all);
}

static void a_last_line_that_was_cut_is_passed_over(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    append(at.cells, "{\"model\":\"s-gcn\",\"parameters\":{\"epo");
    page read = place_load(ctx, &at, at.run, at.data, "");
    assert_int_equal(place_n_views(&read), 3);
    page_free(&read);
    place_close(&at);
}

static void a_broken_line_is_named(void **state)
{
    (void)state;
    static const char *const lines[] = {"{\"model\":\"s-gcn\",\"parame\n",
                                        "\n",
                                        "[]\n",
                                        "7\n",
                                        "{}\n",
                                        "{\"parameters\":[]}\n"};
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    char *cells = support_read_file(at.cells, NULL);
    int n = 1;
    for (const char *c = cells; *c != 0; c++)
        n += *c == '\n';
    for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
        char where[64];
        support_write_text(at.cells, cells);
        append(at.cells, lines[j]);
        snprintf(where, sizeof(where), "cells.jsonl:%d: is not a result of an evaluation",
                 n);
        place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT, where);
    }
    free(cells);
    place_close(&at);
}

// Models and parameters of a later version are skipped.
static void results_that_this_version_does_not_know_are_passed_over(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    append(at.cells, "{\"model\":\"s-xyz\",\"task\":\"ood\",\"parameters\":{}}\n");
    page read = place_load(ctx, &at, at.run, at.data, "");
    assert_int_equal(place_n_views(&read), 3);
    page_free(&read);
    support_write_text(at.cells, "{\"model\":\"s-xyz\",\"parameters\":{}}\n");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_INVALID_ARG,
                         "has no results for this");
    place_close(&at);
}

// Every value of every parameter of a result, replaced by what it should not be.
static void parameters_that_make_no_sense_do_no_harm(void **state)
{
    (void)state;
    static const char *const values[] = {
            "null", "true",  "[]",          "{}",
            "-7",   "1e300", "\"\\u0000\"", "\"no such thing\""};
    place at = place_open(ctx);
    opn_evaluation_free(place_evaluate(ctx, &at, "seeds=1 model=gcn epochs=2 hidden=4"));
    char *cells = support_read_file(at.cells, NULL);
    json_t *line = json_loads(cells, JSON_DISABLE_EOF_CHECK, NULL);
    const char *name = NULL;
    json_t *was = NULL;
    json_object_foreach(page_member(line, "parameters"), name, was)
    {
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            json_t *copy = json_deep_copy(line);
            json_t *value = json_loads(values[v], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
            assert_non_null(value);
            json_object_set_new(page_member(copy, "parameters"), name, value);
            char *text = json_dumps(copy, 0);
            support_write_text(at.cells, text);
            append(at.cells, "\n");
            opn_status status = OPN_OK;
            // With so many epochs the model would be trained.
            if (strcmp(values[v], "1e300") != 0 || strcmp(name, "epochs") != 0)
                status = place_try_load(ctx, at.run, at.data, "");
            if (status == OPN_ERR_INTERNAL || status == OPN_ERR_NONFINITE)
                fail_msg("%s: %s: %s", name, values[v], opn_ctx_error(ctx));
            free(text);
            json_decref(copy);
        }
    }
    json_decref(line);
    free(cells);
    place_close(&at);
}

static void an_evaluation_that_is_broken_is_refused(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    support_write_text(at.evaluation, "{\n\"results\": [\n}");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT,
                         "evaluation.json:3: is not JSON");
    support_write_text(at.evaluation, "{}");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT,
                         "has no member \"results\"");
    support_expect_error(ctx, at.evaluation);
    support_write_text(at.evaluation, "[1]");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT,
                         "results of an evaluation");
    // Results without what they should have are rows without it.
    support_write_text(at.evaluation,
                       "{\"results\":[7,{},{\"model\":\"m\",\"auroc\":{\"s\":"
                       "{\"mean\":1}}}]}");
    page read = place_load(ctx, &at, at.run, at.data, "model=gcn");
    assert_int_equal(json_array_size(page_member(read.about, "tables.0.rows")), 1);
    assert_int_equal(json_array_size(page_member(read.about, "tables.1.rows")), 3);
    assert_true(page_number(read.about, "tables.0.rows.0.2.mean") == 1.0);
    assert_true(page_is_null(read.about, "tables.0.rows.0.2.low"));
    assert_true(page_is_null(read.about, "tables.0.rows.0.3"));
    page_free(&read);
    place_close(&at);
}

static void a_run_without_tables_yet_is_warned_of(void **state)
{
    (void)state;
    place at = place_open(ctx);
    listener l = {.n_progress = 0};
    place_make_run(ctx, &at);
    assert_int_equal(unlink(at.evaluation), 0);
    support_listen(ctx, &l);
    page read = place_load(ctx, &at, at.run, at.data, "model=gcn");
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(json_array_size(page_member(read.about, "tables")), 0);
    assert_int_equal(l.n_messages[OPN_LOG_WARNING], 1);
    assert_non_null(strstr(l.log, "is not finished"));
    page_free(&read);
    place_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_folder_that_is_no_run_is_refused),
            WITH_CTX(a_run_of_another_graph_is_refused),
            WITH_CTX(a_last_line_that_was_cut_is_passed_over),
            WITH_CTX(a_broken_line_is_named),
            WITH_CTX(results_that_this_version_does_not_know_are_passed_over),
            WITH_CTX(parameters_that_make_no_sense_do_no_harm),
            WITH_CTX(an_evaluation_that_is_broken_is_refused),
            WITH_CTX(a_run_without_tables_yet_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
