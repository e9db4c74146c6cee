// verb_table_test.c -- the options of verbs fit the parameters of the library.

#include "../programs/command.h"
#include "support/cmocka_test.h"

#include <stdio.h>
#include <string.h>

// How often a name is in a list. Each name of the list must be that of a parameter.
static int count(const char *title, const char *list, const char *name)
{
    int n_found = 0;
    char names[1024];
    snprintf(names, sizeof(names), "%s", list);
    for (char *at = strtok(names, " "); at != NULL; at = strtok(NULL, " ")) {
        const opn_param *param = opn_param_find(at);
        if (param == NULL || strcmp(param->name, at) != 0)
            fail_msg("%s: %s is no parameter", title, at);
        n_found += strcmp(at, name) == 0;
    }
    return n_found;
}

static void every_parameter_stands_under_one_heading(void **state)
{
    (void)state;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const char *name = opn_param_at(i)->name;
        int n = 0;
        for (int h = 0; h < n_option_headings; h++)
            n += count(option_headings[h].title, option_headings[h].names, name);
        if (n != 1)
            fail_msg("%s is not under one heading", name);
    }
}

static void every_parameter_is_an_option_of_a_verb(void **state)
{
    (void)state;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        int n = 0;
        for (int v = 0; v < n_verbs; v++)
            n += count(verbs[v].name, verbs[v].options, param->name);
        if ((n > 0) == option_is_common(param))
            fail_msg("%s is an option of %d verbs", param->name, n);
    }
}

static void no_verb_lists_an_option_twice(void **state)
{
    (void)state;
    for (int v = 0; v < n_verbs; v++)
        for (size_t i = 0; i < opn_param_count(); i++)
            assert_in_range(count(verbs[v].name, verbs[v].options, opn_param_at(i)->name),
                            0, 1);
}

// The command that opn_tuning_command() recommends gives such parameters.
static void train_takes_all_that_a_model_depends_on(void **state)
{
    (void)state;
    const opine_verb *train = verb_find("train");
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        if ((param->affects & (OPN_AFFECTS_PREDICTION | OPN_AFFECTS_SOURCE)) != 0 &&
            !verb_uses(train, param))
            fail_msg("train does not take %s", param->name);
    }
}

// Otherwise the last ones would be dropped without a word.
static void there_is_room_for_one_argument_too_many(void **state)
{
    (void)state;
    for (int v = 0; v < n_verbs; v++)
        if (verbs[v].max_arguments >= MAX_ARGUMENTS)
            fail_msg("%s takes %d arguments", verbs[v].name, verbs[v].max_arguments);
}

static void every_letter_means_one_option(void **state)
{
    (void)state;
    for (size_t i = 0; i < opn_param_count(); i++)
        for (size_t j = 0; j < i; j++) {
            const char letter = option_letter(opn_param_at(i));
            if (letter != 0 && letter == option_letter(opn_param_at(j)))
                fail_msg("-%c is %s and %s", letter, opn_param_at(i)->name,
                         opn_param_at(j)->name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_parameter_stands_under_one_heading),
            cmocka_unit_test(every_parameter_is_an_option_of_a_verb),
            cmocka_unit_test(no_verb_lists_an_option_twice),
            cmocka_unit_test(train_takes_all_that_a_model_depends_on),
            cmocka_unit_test(there_is_room_for_one_argument_too_many),
            cmocka_unit_test(every_letter_means_one_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
