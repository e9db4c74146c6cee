// thread_choice.c -- whether to use several threads or one.

#include "math/thread_choice.h"

#include "base/clock.h"

enum { FIRST_INTERVAL = 16, LAST_INTERVAL = 1024 };

// Choice for the next step, from the timings of both.
static int choose(opn_i_thread_choice *choice)
{
    for (int way = 0; way < 2; way++)
        if (choice->seconds[way] <= 0.0)
            return way;
    const int faster = choice->seconds[1] < choice->seconds[0];
    if (faster != choice->favoured || choice->interval == 0) {
        choice->favoured = faster;
        choice->n_until_trial = choice->interval = FIRST_INTERVAL;
    }
    if (choice->n_until_trial-- > 0)
        return choice->favoured;
    if (choice->interval < LAST_INTERVAL)
        choice->interval *= 2;
    choice->n_until_trial = choice->interval;
    return !choice->favoured;
}

opn_i_exec opn_i_thread_choice_begin(opn_i_thread_choice *choice, const opn_i_exec *exec)
{
    opn_i_exec chosen = *exec;
    if (exec->n_threads == 1)
        return chosen;
    choice->way = choose(choice);
    choice->start = opn_i_clock();
    chosen.n_threads = choice->way == 0 ? exec->n_threads : 1;
    return chosen;
}

void opn_i_thread_choice_end(opn_i_thread_choice *choice)
{
    if (choice->start > 0.0 && choice->n_steps++ > 0) // the first step has cold caches
        choice->seconds[choice->way] = opn_i_clock() - choice->start;
}
