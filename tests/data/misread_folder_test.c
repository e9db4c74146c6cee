// misread_folder_test.c -- folders that were once read otherwise than their owners meant,
// and are now read that way with a note, or refused.

#include "support/cmocka_test.h"
#include "support/own_folder.h"
#include "support/refusal.h"

#define N_OF(cases) (sizeof(cases) / sizeof((cases)[0]))

// ---- labels --------------------------------------------------------------------------

static void test_numbers_are_classes_in_the_order_of_their_values(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"numbers below 0",
             {BY_NUMBER, {"labels.csv", "2\n-1\n-10\n1\n"}},
             NULL,
             BY_NUMBER_TEXT("0:2 1:-1 2:-10 3:1", "-10 -1 1 2"),
             ""},
            {"fractions",
             {BY_NUMBER, {"labels.csv", "node,label\n0,10\n1,2.5\n2,b\n3,-2.5\n"}},
             NULL,
             BY_NUMBER_TEXT("0:10 1:2.5 2:b 3:-2.5", "-2.5 2.5 10 b"),
             ""},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_words_for_nothing_are_no_classes_and_are_counted(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"None",
             {BY_NUMBER, {"labels.csv", "node,label\n0,a\n1,None\n2,NULL\n3,a\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1: 2: 3:a", "a"),
             "labels.csv: 2 nodes whose label is None or NULL count as unlabelled"},
            {"one of them",
             {BY_NUMBER, {"labels.csv", "node,label\n0,a\n1,None\n2,b\n3,a\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1: 2:b 3:a", "a b"),
             "labels.csv: 1 node whose label is None counts as unlabelled"},
            {"none is a word like others",
             {BY_NUMBER, {"labels.csv", "node,label\n0,none\n1,some\n2,none\n3,all\n"}},
             NULL,
             BY_NUMBER_TEXT("0:none 1:some 2:none 3:all", "all none some"),
             ""},
    };
    expect_folders(cases, N_OF(cases));
}

// ---- tables --------------------------------------------------------------------------

static void test_one_field_is_called_so_with_the_separators_that_are_known(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"edges between spaces",
             {{"edges.csv", "0 1\n"}},
             "edges.csv:1: 1 field, expected source,target",
             "commas, semicolons or tabs"},
            {"an edge between bars",
             {{"edges.csv", "0,1\n0|1\n"}, {"features.csv", "1\n1\n"}},
             "edges.csv:2: 1 field, but the first row has 2",
             "commas, semicolons or tabs"},
            {"a role between spaces",
             {BY_NUMBER, {"split.csv", "0 train\n"}},
             "split.csv:1: 1 field, expected node,role",
             "commas, semicolons or tabs"},
    };
    expect_refused_folders(cases, N_OF(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_numbers_are_classes_in_the_order_of_their_values),
            IN_FOLDER(test_words_for_nothing_are_no_classes_and_are_counted),
            IN_FOLDER(test_one_field_is_called_so_with_the_separators_that_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
