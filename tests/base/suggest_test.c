// suggest_test.c -- what a mistyped word was meant to be.

#include "base/suggest.h"
#include "support/cmocka_test.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CHOICES = 8 };

// Both ways to ask must give `want`; NULL for none.
static void expect_meant(const char *choices, const char *word, const char *want)
{
    char copy[256];
    char longer[256];
    char guess[OPN_SUGGESTION_ROOM] = "untouched";
    const char *candidates[MAX_CHOICES];
    size_t n = 0;
    snprintf(copy, sizeof(copy), "%s", choices);
    for (char *at = strtok(copy, "|"); at != NULL; at = strtok(NULL, "|"))
        candidates[n++] = at;
    assert_true(n <= MAX_CHOICES);
    const char *nearest = opn_text_nearest(word, candidates, n);
    snprintf(longer, sizeof(longer), "%s,and more", word); // behind the end of the word
    const bool is_found = opn_i_suggest_choice(choices, longer, strlen(word), guess);
    if (want == NULL) {
        assert_null(nearest);
        assert_false(is_found);
        assert_string_equal(guess, "untouched");
    } else {
        assert_non_null(nearest);
        assert_string_equal(nearest, want);
        assert_true(is_found);
        assert_string_equal(guess, want);
    }
}

static void test_a_letter_too_few_too_many_or_wrong_is_forgiven(void **state)
{
    (void)state;
    expect_meant("train|predict|report", "tran", "train");
    expect_meant("train|predict|report", "traain", "train");
    expect_meant("train|predict|report", "trxin", "train");
    expect_meant("train|predict|report", "trian", "train");
    expect_meant("train|predict|report", "repoert", "report");
    expect_meant("cora|citeseer|pubmed", "citeseer", "citeseer");
}

static void test_the_nearest_wins_and_of_equals_the_first(void **state)
{
    (void)state;
    expect_meant("gcn|gat", "gxt", "gat");
    expect_meant("gat|gcn", "gc", "gcn");
    expect_meant("aaab|aaac", "aaad", "aaab");
    expect_meant("aaac|aaab", "aaad", "aaac");
}

static void test_a_third_of_the_letters_may_be_wrong(void **state)
{
    (void)state;
    expect_meant("abcdef", "abcxyz", "abcdef");
    expect_meant("abcdef", "abwxyz", NULL);
    expect_meant("ab", "xb", "ab");
    expect_meant("ab", "xy", NULL);
    expect_meant("train|predict", "nonsense", NULL);
}

static void test_parts_of_a_name_may_be_joined_otherwise(void **state)
{
    (void)state;
    expect_meant("s-bgcn|s-bgcn-t|s-bgcn-t-k", "s-bgcn-tk", "s-bgcn-t-k");
    expect_meant("s-bgcn|s-bgcn-t|s-bgcn-t-k", "sbgcntk", "s-bgcn-t-k");
    expect_meant("gcn|s-gcn|s-bgcn", "sgcn", "s-gcn");
    expect_meant("data-dir|dataset", "datadir", "data-dir");
    expect_meant("data-dir|dataset", "data_dir", "data-dir");
    expect_meant("datadir", "data-d-i-r", "datadir");
}

static void test_a_beginning_of_three_letters_says_enough(void **state)
{
    (void)state;
    expect_meant("misclassification|ood", "mis", "misclassification");
    expect_meant("misclassification|ood", "mi", NULL);
    expect_meant("misclassification|ood", "mix", NULL);
    expect_meant("evaluate|explain", "eval", "evaluate");
    expect_meant("evaluations|evals", "evalss", "evals"); // no beginning any more
}

static void test_capitals_do_not_matter(void **state)
{
    (void)state;
    expect_meant("cora|pubmed", "PUBMED", "pubmed");
    expect_meant("Cora|pubmed", "cORA", "Cora");
    expect_meant("misclassification|ood", "MISCL", "misclassification");
}

static void test_nothing_is_near_to_nothing(void **state)
{
    (void)state;
    expect_meant("a|gcn", "", NULL);
    expect_meant("", "gcn", NULL);
    assert_null(opn_text_nearest("gcn", NULL, 0));
}

static void test_words_of_any_length_are_safe(void **state)
{
    (void)state;
    char longest[OPN_SUGGESTION_ROOM];
    char word[200];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = 0;
    for (size_t n = sizeof(longest) - 3; n < sizeof(word); n++) {
        memset(word, 'x', n);
        word[n] = 0;
        expect_meant(longest, word, n < sizeof(longest) ? longest : NULL);
    }
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = 0;
    const char *const far = word;
    assert_null(opn_text_nearest("xyz", &far, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_a_letter_too_few_too_many_or_wrong_is_forgiven),
            cmocka_unit_test(test_the_nearest_wins_and_of_equals_the_first),
            cmocka_unit_test(test_a_third_of_the_letters_may_be_wrong),
            cmocka_unit_test(test_parts_of_a_name_may_be_joined_otherwise),
            cmocka_unit_test(test_a_beginning_of_three_letters_says_enough),
            cmocka_unit_test(test_capitals_do_not_matter),
            cmocka_unit_test(test_nothing_is_near_to_nothing),
            cmocka_unit_test(test_words_of_any_length_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
