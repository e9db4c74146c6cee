// thread_choice_test.c -- steps on all threads or on one, whichever is faster.

#include "math/thread_choice.h"
#include "support/cmocka_test.h"
#include "support/support.h"

static const opn_i_exec four = {.kernels = NULL, .n_threads = 4};

static void one_thread_is_never_timed(void **state)
{
    (void)state;
    const opn_i_exec one = {.kernels = NULL, .n_threads = 1};
    opn_i_thread_choice choice = {0};
    for (int step = 0; step < 100; step++) {
        assert_int_equal(opn_i_thread_choice_begin(&choice, &one).n_threads, 1);
        opn_i_thread_choice_end(&choice);
    }
    assert_true(choice.seconds[0] == 0.0 && choice.seconds[1] == 0.0);
}

static void both_ways_are_timed_before_one_is_favoured(void **state)
{
    (void)state;
    static const int want[] = {4, 4, 1}; // the first is not counted
    opn_i_thread_choice choice = {0};
    for (int step = 0; step < 3; step++) {
        assert_int_equal(opn_i_thread_choice_begin(&choice, &four).n_threads, want[step]);
        opn_i_thread_choice_end(&choice);
    }
    assert_true(choice.seconds[0] > 0.0 && choice.seconds[1] > 0.0);
}

// Steps of made-up lengths: n of each way, once both are known.
static void count_ways(double on_four, double on_one, int n_steps, int n[2])
{
    opn_i_thread_choice choice = {.seconds = {on_four, on_one}};
    n[0] = n[1] = 0;
    for (int step = 0; step < n_steps; step++)
        n[opn_i_thread_choice_begin(&choice, &four).n_threads == 1]++;
}

static void the_slower_way_is_tried_ever_more_seldom(void **state)
{
    (void)state;
    int n[2];
    count_ways(1.0, 2.0, 16, n);
    assert_int_equal(n[1], 0);
    count_ways(1.0, 2.0, 17, n);
    assert_int_equal(n[1], 1);
    count_ways(1.0, 2.0, 10000, n);
    assert_in_range(n[1], 8, 16); // 16, 32, 64 … 1024 steps apart
    count_ways(2.0, 1.0, 10000, n);
    assert_in_range(n[0], 8, 16);
}

static void a_way_that_becomes_slow_is_left_at_once(void **state)
{
    (void)state;
    opn_i_thread_choice choice = {.seconds = {1.0, 2.0}};
    for (int step = 0; step < 5; step++)
        assert_int_equal(opn_i_thread_choice_begin(&choice, &four).n_threads, 4);
    choice.seconds[0] = 30.0; // another program has come
    for (int step = 0; step < 16; step++)
        assert_int_equal(opn_i_thread_choice_begin(&choice, &four).n_threads, 1);
    assert_int_equal(opn_i_thread_choice_begin(&choice, &four).n_threads,
                     4);     // is it still there?
    choice.seconds[0] = 1.0; // no
    for (int step = 0; step < 16; step++)
        assert_int_equal(opn_i_thread_choice_begin(&choice, &four).n_threads, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(one_thread_is_never_timed),
            cmocka_unit_test(both_ways_are_timed_before_one_is_favoured),
            cmocka_unit_test(the_slower_way_is_tried_ever_more_seldom),
            cmocka_unit_test(a_way_that_becomes_slow_is_left_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
