// thread_choice.h -- whether several threads are of use just now.

#ifndef OPN_THREAD_CHOICE_H
#define OPN_THREAD_CHOICE_H

#include "math/exec.h"

// Threads that work on one row after the other wait for each other dozens of times an
// epoch. Where other programs want the processors too, each of these may be a wait for
// the scheduler: with two processors and one other program an epoch of Pubmed took 8 to
// 80 ms on two threads and 4 on one. So steps of equal work are timed, and those that
// follow go on all threads or on one, whichever was faster; the other way is tried again
// now and then, the more seldom the more often it has lost. The bits are the same either
// way.
typedef struct opn_i_thread_choice {
    double seconds[2]; // of the last step on all threads, and on one; 0: none yet
    double start;      // of the step under way
    int favoured;      // 0: all threads, 1: one
    int way;           // of the step under way
    int32_t n_steps;
    int32_t n_until_trial; // steps before the other way is tried
    int32_t interval;      // between two trials
} opn_i_thread_choice;

// What the next step is to run on; zero-initialise the choice before the first.
opn_i_exec opn_i_thread_choice_begin(opn_i_thread_choice *choice, const opn_i_exec *exec);
void opn_i_thread_choice_end(opn_i_thread_choice *choice);

#endif // OPN_THREAD_CHOICE_H
