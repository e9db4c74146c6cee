// ledger_test.c -- the book-keeping of the quality ledger, on tables typed by hand.

#include "support/cmocka_test.h"
#include "support/ledger.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD    "dataset,task,model,seeds,metric,measure,mean,low,high\n"
#define ENTROPY "cora,ood,gcn,5,auroc,entropy"
#define VACUITY "cora,ood,s-gcn,5,auroc,vacuity"

// What a file says, and what it is compared with.
typedef struct desk {
    stage *stage;
    ledger kept, found;
    complaints wrong;
} desk;

static int set_up(void **state)
{
    desk *d = calloc(1, sizeof(*d));
    assert_non_null(d);
    d->stage = support_open_stage("ledger.csv");
    *state = d;
    return 0;
}

static int tear_down(void **state)
{
    desk *d = *state;
    support_close_stage(d->stage);
    free(d);
    return 0;
}

static void read_text(desk *d, const char *text)
{
    d->kept.n = 0;
    d->wrong = (complaints){0};
    support_write_text(d->stage->path, text);
    ledger_read(d->stage->ctx, d->stage->path, &d->kept, &d->wrong);
}

static void add(desk *d, const char *key, double mean)
{
    const opn_estimate estimate = {.n = 5, .mean = mean, .std = 0.0};
    ledger_add(&d->found, key, 5, &estimate, &d->wrong);
}

static void expect_complaint(const desk *d, const char *part)
{
    if (d->wrong.n != 1 || strstr(d->wrong.text, part) == NULL)
        fail_msg("%d complaints, of which one should be \"%s\": %s", d->wrong.n, part,
                 d->wrong.text);
}

// ---- files ---------------------------------------------------------------------------

static void what_is_written_is_read_back_in_hundredths(void **state)
{
    desk *d = *state;
    const opn_estimate wide = {.n = 4, .mean = 80.126, .std = 2.0};
    ledger_add(&d->found, "demo,ood,gcn,4,accuracy,", 4, &wide, &d->wrong);
    add(d, ENTROPY, 90.0);
    ledger_write(d->stage->ctx, d->stage->path, &d->found, &d->wrong);
    static const char text[] = HEAD "demo,ood,gcn,4,accuracy,,80.13,77.13,83.13\n" ENTROPY
                                    ",90.00,89.50,90.50\n";
    support_expect_file(d->stage->path, text, strlen(text));
    ledger_read(d->stage->ctx, d->stage->path, &d->kept, &d->wrong);
    assert_int_equal(d->wrong.n, 0);
    assert_int_equal(d->kept.n, 2);
    assert_string_equal(d->kept.row[0].key, "demo,ood,gcn,4,accuracy,");
    assert_int_equal(d->kept.row[1].line, 3);
    assert_true(d->kept.row[0].low == 77.13 && d->kept.row[1].high == 90.5);
}

static void a_malformed_file_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *complaint;
    } cases[] = {
            {"", "ledger.csv:1: the first line must be dataset,task,"},
            {ENTROPY ",90,89,91\n", "ledger.csv:1: the first line must be"},
            {HEAD ENTROPY ",90,89\n", "ledger.csv:2: a row has nine fields"},
            {HEAD ENTROPY ",90,89,91,\n", "ledger.csv:2: a row has nine fields"},
            {HEAD ENTROPY ",90,89,91\n\n", "ledger.csv:3: a row has nine fields"},
            {HEAD ENTROPY ",90,,91\n", "ledger.csv:2: mean, low and high must be"},
            {HEAD ENTROPY ",90,89,nan\n", "ledger.csv:2: mean, low and high must be"},
            {HEAD ENTROPY ",90,89,9l\n", "ledger.csv:2: mean, low and high must be"},
            {HEAD ENTROPY ",90,91,89\n", "ledger.csv:2: the mean must lie between"},
            {HEAD ENTROPY ",92,89,91\n", "ledger.csv:2: the mean must lie between"},
            {HEAD ENTROPY ENTROPY ENTROPY ENTROPY ",,,,,,,,\n", "nine fields"},
            {HEAD "\"cora,ood\n", "ledger.csv:2"},
            {HEAD "\xff\n", "ledger.csv:2"},
    };
    desk *d = *state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        read_text(d, cases[c].text);
        expect_complaint(d, cases[c].complaint);
    }
}

static void a_long_name_too_many_rows_and_no_file_are_refused(void **state)
{
    desk *d = *state;
    char *text = calloc(LEDGER_ROOM + 3, sizeof(HEAD) + LEDGER_KEY);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, HEAD);
    for (int r = 0; r <= LEDGER_ROOM; r++)
        n += (size_t)sprintf(text + n, ENTROPY ",90,89,91\n");
    read_text(d, text);
    expect_complaint(d, "ledger.csv: more than 1000 rows");
    sprintf(text, HEAD "%0*d" ENTROPY ",90,89,91\n", (int)LEDGER_KEY, 0);
    read_text(d, text);
    expect_complaint(d, "ledger.csv:2: the names are too long");
    free(text);
    d->wrong = (complaints){0};
    assert_int_equal(remove(d->stage->path), 0);
    ledger_read(d->stage->ctx, d->stage->path, &d->kept, &d->wrong);
    expect_complaint(d, "ledger.csv");
}

static void a_file_that_cannot_be_written_is_a_complaint(void **state)
{
    desk *d = *state;
    char path[SUPPORT_PATH];
    support_path(path, d->stage->folder, "nowhere/ledger.csv");
    ledger_write(d->stage->ctx, path, &d->found, &d->wrong);
    expect_complaint(d, "ledger.csv");
}

// ---- rows ----------------------------------------------------------------------------

static void the_interval_is_three_standard_errors_or_half_a_point(void **state)
{
    desk *d = *state;
    const opn_estimate noisy = {.n = 4, .mean = 80.0, .std = 1.0};
    const opn_estimate still = {.n = 4, .mean = 80.0, .std = 0.3};
    ledger_add(&d->found, ENTROPY, 4, &noisy, &d->wrong);
    ledger_add(&d->found, VACUITY, 4, &still, &d->wrong);
    assert_true(d->found.row[0].low == 78.5 && d->found.row[0].high == 81.5);
    assert_true(d->found.row[1].low == 79.5 && d->found.row[1].high == 80.5);
}

static void a_figure_that_some_seeds_lack_is_a_complaint(void **state)
{
    desk *d = *state;
    const opn_estimate part = {.n = 4, .mean = 80.0, .std = 1.0};
    ledger_add(&d->found, ENTROPY, 5, &part, &d->wrong);
    expect_complaint(d, ENTROPY ": only 4 of 5 seeds have a figure");
    assert_int_equal(d->found.n, 0);
}

// ---- comparing -----------------------------------------------------------------------

static void figures_in_their_intervals_pass_in_any_order(void **state)
{
    desk *d = *state;
    read_text(d, HEAD ENTROPY ",90,89,91\n" VACUITY ",80,79,81\n");
    add(d, VACUITY, 79.0);
    add(d, ENTROPY, 91.0);
    ledger_compare(&d->kept, &d->found, "cora,ood,", &d->wrong);
    assert_int_equal(d->wrong.n, 0);
}

static void a_figure_outside_is_named_with_value_and_interval(void **state)
{
    static const double outside[] = {88.99, 91.01, (double)NAN};
    static const char *const said[] = {"is 88.99", "is 91.01", "nan"};
    desk *d = *state;
    for (int c = 0; c < 3; c++) {
        read_text(d, HEAD VACUITY ",80,79,81\n" ENTROPY ",90,89,91\n");
        d->found.n = 0;
        add(d, VACUITY, 80.0);
        add(d, ENTROPY, outside[c]);
        ledger_compare(&d->kept, &d->found, "cora,ood,", &d->wrong);
        expect_complaint(d, "line 3: " ENTROPY " is ");
        expect_complaint(d, said[c]);
        expect_complaint(d, ", outside [89.00, 91.00]");
    }
}

static void a_row_that_the_file_lacks_is_named(void **state)
{
    desk *d = *state;
    read_text(d, HEAD ENTROPY ",90,89,91\n");
    add(d, ENTROPY, 90.0);
    add(d, VACUITY, 80.0);
    ledger_compare(&d->kept, &d->found, "cora,ood,", &d->wrong);
    expect_complaint(d, "the ledger lacks " VACUITY " (80.00)");
}

static void a_row_too_many_or_doubled_is_named_unless_of_another_prefix(void **state)
{
    desk *d = *state;
    add(d, ENTROPY, 90.0);
    read_text(d, HEAD ENTROPY ",90,89,91\n" VACUITY ",80,79,81\n");
    ledger_compare(&d->kept, &d->found, "cora,ood,", &d->wrong);
    expect_complaint(d, "line 3: " VACUITY " is one too many");
    read_text(d, HEAD ENTROPY ",90,89,91\n" ENTROPY ",90,89,91\n");
    ledger_compare(&d->kept, &d->found, "cora,ood,", &d->wrong);
    expect_complaint(d, "line 3: " ENTROPY " is one too many");
    read_text(d, HEAD ENTROPY ",90,89,91\ndemo,ood,gcn,5,accuracy,,80,79,81\n");
    ledger_compare(&d->kept, &d->found, "cora,ood,", &d->wrong);
    assert_int_equal(d->wrong.n, 0);
}

static void complaints_without_room_are_still_counted(void **state)
{
    enum { MANY = 2000 };
    desk *d = *state;
    for (int c = 0; c < MANY; c++)
        complain(&d->wrong, "%s is outside\n", ENTROPY);
    assert_int_equal(d->wrong.n, MANY);
    assert_int_equal(strlen(d->wrong.text), sizeof(d->wrong.text) - 1);
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            AT_DESK(what_is_written_is_read_back_in_hundredths),
            AT_DESK(a_malformed_file_is_refused_with_its_line),
            AT_DESK(a_long_name_too_many_rows_and_no_file_are_refused),
            AT_DESK(a_file_that_cannot_be_written_is_a_complaint),
            AT_DESK(the_interval_is_three_standard_errors_or_half_a_point),
            AT_DESK(a_figure_that_some_seeds_lack_is_a_complaint),
            AT_DESK(figures_in_their_intervals_pass_in_any_order),
            AT_DESK(a_figure_outside_is_named_with_value_and_interval),
            AT_DESK(a_row_that_the_file_lacks_is_named),
            AT_DESK(a_row_too_many_or_doubled_is_named_unless_of_another_prefix),
            AT_DESK(complaints_without_room_are_still_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
