// thread_choice.c -- whether several threads are of use just now.

#include "math/thread_choice.h"

#include "base/clock.h"

enum { FIRST_INTERVAL = 16, LAST_INTERVAL = 1024 };

// The way of the next step, from what is known of both.
static int choose(opn_i_pace *pace)
{
    for (int way = 0; way < 2; way++)
        if (pace->seconds[way] <= 0.0)
            return way;
    const int faster = pace->seconds[1] < pace->seconds[0];
    if (faster != pace->favoured || pace->interval == 0) {
        pace->favoured = faster;
        pace->n_until_trial = pace->interval = FIRST_INTERVAL;
    }
    if (pace->n_until_trial-- > 0)
        return pace->favoured;
    if (pace->interval < LAST_INTERVAL)
        pace->interval *= 2;
    pace->n_until_trial = pace->interval;
    return !pace->favoured;
}

opn_i_exec opn_i_pace_begin(opn_i_pace *pace, const opn_i_exec *exec)
{
    opn_i_exec chosen = *exec;
    if (exec->n_threads == 1)
        return chosen;
    pace->way = choose(pace);
    pace->start = opn_i_clock();
    chosen.n_threads = pace->way == 0 ? exec->n_threads : 1;
    return chosen;
}

void opn_i_pace_end(opn_i_pace *pace)
{
    if (pace->start > 0.0 && pace->n_steps++ > 0) // the first finds its memory cold
        pace->seconds[pace->way] = opn_i_clock() - pace->start;
}
