// jobs.h -- runs independent jobs on several threads.

#ifndef OPN_JOBS_H
#define OPN_JOBS_H

#include "base/context.h"

typedef struct opn_i_jobs {
    const char *stage; // for progress: "evaluating"
    const char *note;  // for progress: of what; or NULL
    int32_t n;
    int n_at_once; // at most, whatever the number of threads; 0: no limit
    // Runs job j on its own context. Called from several threads at once.
    opn_status (*run)(opn_ctx *ctx, void *user, int32_t j);
    // Called on the calling thread, with its context, for each finished job; or NULL.
    void (*tell)(opn_ctx *ctx, void *user, int32_t j);
    void *user;
} opn_i_jobs;

// Runs all jobs, in order, on as many threads as ctx may use; with fewer jobs than
// threads, the threads are divided among the jobs. The contexts of the jobs log nothing;
// progress and interruption go through ctx, on the calling thread. Progress is that of
// all jobs; on one thread the progress of each job is reported in between. The first
// failure stops the remaining jobs and is returned.
OPN_NODISCARD opn_status opn_i_jobs_run(opn_ctx *ctx, const opn_i_jobs *jobs);

#endif // OPN_JOBS_H
