// measure_table_test.c -- the table of measures, and the scores that follow from it.

#include "opinion/measure_table.h"

#include "support/cmocka_test.h"

#include <string.h>

static void every_measure_is_found_by_its_name_alone(void **state)
{
    (void)state;
    assert_int_equal(opn_measure_count(), OPN_N_MEASURES);
    for (int32_t m = 0; m < opn_measure_count(); m++)
        assert_int_equal(opn_measure_find(opn_measure_name((opn_measure)m)), m);
    assert_int_equal(opn_measure_find("vacuit"), -1);
    assert_int_equal(opn_measure_find("energy"), -1);
    assert_int_equal(opn_measure_find(""), -1);
}

static void the_list_of_names_has_every_measure_in_order(void **state)
{
    (void)state;
    char names[256] = "";
    for (int32_t m = 0; m < opn_measure_count(); m++) {
        strcat(names, m > 0 ? "|" : "");
        strcat(names, opn_measure_name((opn_measure)m));
    }
    assert_string_equal(OPN_MEASURE_NAMES, names);
}

static void scores_are_the_measures_and_the_energy_then_all_smoothed(void **state)
{
    (void)state;
    assert_int_equal(opn_score_count(), 2 * (opn_measure_count() + 1) + 2);
    assert_string_equal(opn_score_name(opn_score_count() - 2), "gnnsafe");
    assert_string_equal(opn_score_name(opn_score_count() - 1), "1-max-p");
    for (int32_t m = 0; m < opn_measure_count(); m++)
        assert_string_equal(opn_score_name(m), opn_measure_name((opn_measure)m));
    assert_string_equal(opn_score_name(opn_measure_count()), "energy");
    for (int32_t s = 0; s < OPN_SCORE_SMOOTHED; s++) {
        const char *smoothed = opn_score_name(OPN_SCORE_SMOOTHED + s);
        const size_t n = strlen(opn_score_name(s));
        assert_memory_equal(smoothed, opn_score_name(s), n);
        assert_string_equal(smoothed + n, "~");
    }
    for (int32_t s = 0; s < opn_score_count(); s++)
        assert_int_equal(opn_score_find(opn_score_name(s)), s);
    assert_int_equal(opn_score_find("~"), -1);
}

static void every_row_is_whole(void **state)
{
    (void)state;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const opn_i_measure *row = opn_i_measure_at(m);
        assert_int_equal(row->of != NULL, (row->needs & OPN_NEEDS_TEACHER) == 0);
        assert_int_equal(row->of != NULL, m < OPN_N_PAPER_MEASURES);
        assert_true(row->low < row->some && row->some < row->much &&
                    row->much < row->high);
        for (int l = 0; l < OPN_N_LEVELS; l++)
            assert_true(strlen(row->phrase[l]) > 0);
        assert_int_not_equal(row->decision, OPN_DECISION_ACCEPT);
    }
}

static void only_lack_of_evidence_speaks_for_an_unknown_class(void **state)
{
    (void)state;
    for (int m = 0; m < OPN_N_MEASURES; m++)
        assert_int_equal(opn_decision_for((opn_measure)m) == OPN_DECISION_OOD,
                         m == OPN_MEASURE_VACUITY || m == OPN_MEASURE_FUSED);
    assert_int_equal(opn_i_recommended_measure("ood"), OPN_MEASURE_VACUITY);
    assert_int_equal(opn_i_recommended_measure("misclassification"),
                     OPN_MEASURE_DISSONANCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_measure_is_found_by_its_name_alone),
            cmocka_unit_test(the_list_of_names_has_every_measure_in_order),
            cmocka_unit_test(scores_are_the_measures_and_the_energy_then_all_smoothed),
            cmocka_unit_test(every_row_is_whole),
            cmocka_unit_test(only_lack_of_evidence_speaks_for_an_unknown_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
