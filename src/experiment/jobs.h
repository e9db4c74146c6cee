// jobs.h -- independent pieces of work, shared out over threads.

#ifndef OPN_JOBS_H
#define OPN_JOBS_H

#include "base/context.h"

typedef struct opn_i_jobs {
    const char *stage; // for progress: "evaluating"
    const char *note;  // for progress: what of; or NULL
    int32_t n;
    // Does job j on a context of its own. Called from several threads at once.
    opn_status (*run)(opn_ctx *ctx, void *user, int32_t j);
    // Called on the calling thread, with its context, for each job that is done.
    void (*tell)(opn_ctx *ctx, void *user, int32_t j);
    void *user;
} opn_i_jobs;

// Runs all jobs, in order, on as many threads as ctx may use; when there are fewer jobs
// than threads, each job gets its share of them. The contexts of the jobs log nothing;
// progress and interruption are those of ctx, on the calling thread. Progress is that of
// all jobs; of one thread that of each job comes between. The first failure stops the
// rest, and is what is returned.
OPN_NODISCARD opn_status opn_i_jobs_run(opn_ctx *ctx, const opn_i_jobs *jobs);

#endif // OPN_JOBS_H
