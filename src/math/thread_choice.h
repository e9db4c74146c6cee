// thread_choice.h -- whether to use several threads or one.

#ifndef OPN_THREAD_CHOICE_H
#define OPN_THREAD_CHOICE_H

#include "math/exec.h"

// Threads that share the rows of a matrix synchronise dozens of times per epoch. If other
// programs compete for the processors, each time may be a wait for the scheduler: with
// two processors and one other program an epoch of Pubmed took 8 to 80 ms on two threads
// and 4 on one. So steps of equal work are timed, and later ones run on all threads or on
// one, whichever was faster; the other choice is retried occasionally, less often the
// more it has lost. The bits are the same either way.
typedef struct opn_i_thread_choice {
    double seconds[2]; // last step on all threads, and on one; 0: none yet
    double start;      // of the current step
    int favoured;      // 0: all threads, 1: one
    int way;           // of the current step
    int32_t n_steps;
    int32_t n_until_trial; // steps until the other choice is tried
    int32_t interval;      // steps between two trials
} opn_i_thread_choice;

// Threads to use for the next step; zero-initialise the choice before the first.
opn_i_exec opn_i_thread_choice_begin(opn_i_thread_choice *choice, const opn_i_exec *exec);
void opn_i_thread_choice_end(opn_i_thread_choice *choice);

#endif // OPN_THREAD_CHOICE_H
