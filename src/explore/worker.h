// worker.h -- one long task at a time, on a thread of its own, with progress to look at
// and a way to cancel it.

#ifndef OPN_WORKER_H
#define OPN_WORKER_H

#include "base/context.h"

typedef enum opn_i_work_status {
    OPN_WORK_NONE = 0, // nothing was started yet
    OPN_WORK_RUNNING = 1,
    OPN_WORK_DONE = 2,
    OPN_WORK_FAILED = 3,
    OPN_WORK_CANCELLED = 4
} opn_i_work_status;

const char *opn_i_work_status_name(opn_i_work_status status); // "running"

typedef struct opn_i_work_state {
    int64_t number; // 1, 2, … of the task; 0 before the first
    opn_i_work_status status;
    char what[32];       // "what-if"
    char stage[64];      // "training the model"; "" before the first
    int64_t done, total; // of the stage
    char error[1024];    // of one that failed
    char warnings[1024]; // of its log, one per line, as far as there is room
    double seconds;      // so far, or that it took
} opn_i_work_state;

// Does the work with a context of its own, whose hooks report progress and cancellation.
typedef opn_status (*opn_i_work_fn)(opn_ctx *ctx, void *user);

typedef struct opn_i_worker opn_i_worker;

// n_threads: that each task may use. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_worker_create(opn_ctx *ctx,
                                             int n_threads,
                                             opn_i_worker **out);

// Starts a task; `user` must live until it ends. False if one is running already, or if
// there is no thread for it.
bool opn_i_worker_start(opn_i_worker *worker,
                        const char *what,
                        opn_i_work_fn run,
                        void *user);

// Asks the running task, if there is one, to stop soon.
void opn_i_worker_cancel(opn_i_worker *worker);

void opn_i_worker_look(opn_i_worker *worker, opn_i_work_state *out);

void opn_i_worker_wait(opn_i_worker *worker); // until no task runs
void opn_i_worker_free(opn_i_worker *worker); // cancels and waits first; accepts NULL

#endif // OPN_WORKER_H
