// feature_rule_test.c -- which scaling suits which features.

#include "graph/feature_rule.h"

#include "support/cmocka_test.h"
#include "support/support.h"

static opn_ctx *ctx;

enum { N_ROWS = 8, N_COLS = 3 };

static const char *suited(const opn_real value[N_ROWS][N_COLS])
{
    int32_t row[N_ROWS * N_COLS];
    int32_t col[N_ROWS * N_COLS];
    opn_real stored[N_ROWS * N_COLS];
    opn_off n = 0;
    opn_i_features x = {0};
    const char *normalise = NULL;
    for (int32_t i = 0; i < N_ROWS; i++)
        for (int32_t k = 0; k < N_COLS; k++) {
            if (value[i][k] == 0)
                continue;
            row[n] = i;
            col[n] = k;
            stored[n++] = value[i][k];
        }
    assert_int_equal(
            opn_i_csr_from_triples(ctx, N_ROWS, N_COLS, n, row, col, stored, &x.lists),
            OPN_OK);
    assert_int_equal(opn_i_features_suit(ctx, &x, &normalise), OPN_OK);
    opn_i_features_deinit(&ctx->alloc, &x);
    return normalise;
}

static void words_and_counts_keep_their_direction(void **state)
{
    (void)state;
    static const opn_real words[N_ROWS][N_COLS] = {{1, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    static const opn_real counts[N_ROWS][N_COLS] = {{3, 0, 1}, {0, 2, 1}, {1, 1, 3}};
    static const opn_real rare[N_ROWS][N_COLS] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 2}, {1}};
    assert_string_equal(suited(words), "l2");
    assert_string_equal(suited(counts), "l2");
    assert_string_equal(suited(rare), "l2"); // a frequent feature is no larger
}

static void negative_features_are_standardised(void **state)
{
    (void)state;
    static const opn_real signs[N_ROWS][N_COLS] = {{1, -1, 1}, {0, 1, 0}};
    assert_string_equal(suited(signs), "standard");
}

static void a_feature_of_another_scale_does_not_decide_alone(void **state)
{
    (void)state;
    static const opn_real table[N_ROWS][N_COLS] = {
            {1, 0, 52000}, {0, 1, 31000}, {1, 1, 0}, {0, 1, 78000}};
    assert_string_equal(suited(table), "standard");
}

static void values_far_from_0_are_told_apart(void **state)
{
    (void)state;
    static const opn_real years[N_ROWS][N_COLS] = {
            {1990, 2001, 2004}, {1985, 2010, 1999}, {2020, 1979, 2003},
            {2001, 2002, 1988}, {1999, 1984, 2015}, {1970, 2000, 1990},
            {2011, 1995, 1981}, {1987, 2005, 2018}};
    static const opn_real one[N_ROWS][N_COLS] = {{3}, {7}, {1}, {4}, {2}, {9}, {1}, {5}};
    assert_string_equal(suited(years), "standard");
    assert_string_equal(suited(one), "standard"); // of length 1 they would be equal
}

static void features_without_information_keep_their_values(void **state)
{
    (void)state;
    static const opn_real same[N_ROWS][N_COLS] = {{2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}};
    assert_string_equal(suited(same), "l2"); // standardised they would be 0
}

// A word that is repeated hundreds of times in one row changes no other row.
static void a_rare_outlier_does_not_change_the_rule(void **state)
{
    (void)state;
    static const opn_real words[N_ROWS][N_COLS] = {{1, 1, 1}, {1, 2, 1},  {1, 1, 0},
                                                   {2, 1, 1}, {1, 0, 1},  {0, 1, 2},
                                                   {1, 1, 1}, {1, 0, 700}};
    assert_string_equal(suited(words), "l2");
}

static void no_features_at_all_are_no_problem(void **state)
{
    (void)state;
    static const opn_real none[N_ROWS][N_COLS] = {{0}};
    assert_string_equal(suited(none), "l2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(words_and_counts_keep_their_direction),
            WITH_CTX(negative_features_are_standardised),
            WITH_CTX(a_feature_of_another_scale_does_not_decide_alone),
            WITH_CTX(values_far_from_0_are_told_apart),
            WITH_CTX(features_without_information_keep_their_values),
            WITH_CTX(a_rare_outlier_does_not_change_the_rule),
            WITH_CTX(no_features_at_all_are_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
