// jobs.c -- runs independent jobs on several threads.

#include "train/jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// How often the calling thread checks whether to stop.
enum { NANOSECONDS_A_LOOK = 50000000 };

// Shared by the workers and the calling thread; all but `jobs` is protected by the lock.
typedef struct crew {
    const opn_i_jobs *jobs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int32_t next_job;
    int32_t n_done;
    int n_working;
    bool must_stop;
    opn_status status; // of the first failure
    char error[sizeof(((opn_ctx *)0)->error)];
    int32_t *done;  // [n_done] finished jobs, in order of completion
    int32_t n_told; // reported so far; used by the calling thread only
} crew;

typedef struct worker {
    crew *crew;
    opn_ctx *ctx;
    pthread_t thread;
} worker;

// ---- worker threads ------------------------------------------------------------------

static int is_stopped(void *user)
{
    crew *c = user;
    (void)pthread_mutex_lock(&c->lock);
    const bool must_stop = c->must_stop;
    (void)pthread_mutex_unlock(&c->lock);
    return must_stop;
}

// The next job to do, or -1.
static int32_t take_job(crew *c)
{
    int32_t j = -1;
    (void)pthread_mutex_lock(&c->lock);
    if (!c->must_stop && c->next_job < c->jobs->n)
        j = c->next_job++;
    (void)pthread_mutex_unlock(&c->lock);
    return j;
}

static void finish_job(crew *c, const opn_ctx *ctx, int32_t j, opn_status status)
{
    (void)pthread_mutex_lock(&c->lock);
    if (status == OPN_OK)
        c->done[c->n_done++] = j;
    // A failure while stopping, such as that of a checkpoint, matters more.
    if (status != OPN_OK && status != c->status &&
        (c->status == OPN_OK || c->status == OPN_ERR_INTERRUPTED)) {
        c->status = status;
        c->must_stop = true;
        snprintf(c->error, sizeof(c->error), "%s", ctx->error);
    }
    (void)pthread_cond_signal(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

static void *work(void *arg)
{
    worker *w = arg;
    crew *c = w->crew;
    int32_t j = take_job(c);
    while (j >= 0) {
        finish_job(c, w->ctx, j, c->jobs->run(w->ctx, c->jobs->user, j));
        j = take_job(c);
    }
    (void)pthread_mutex_lock(&c->lock);
    c->n_working--;
    (void)pthread_cond_signal(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

// ---- calling thread ------------------------------------------------------------------

static opn_status tell_progress(opn_ctx *ctx, const opn_i_jobs *jobs, int32_t n_done)
{
    const opn_progress now = {.stage = jobs->stage,
                              .done = n_done,
                              .total = jobs->n,
                              .unit = "runs",
                              .note = jobs->note};
    return opn_i_progress_noted(ctx, &now);
}

static void tell_job(opn_ctx *ctx, const opn_i_jobs *jobs, int32_t j)
{
    if (jobs->tell != NULL)
        jobs->tell(ctx, jobs->user, j);
}

// Runs the jobs one by one, reporting the progress of each job between that of all.
static opn_status run_alone(opn_ctx *ctx, const opn_i_jobs *jobs)
{
    opn_status status = OPN_OK;
    opn_ctx *quiet = NULL;
    opn_hooks hooks = ctx->hooks;
    hooks.log = NULL;
    hooks.epoch = NULL;
    OPN_FAIL_IF(ctx, opn_ctx_create(&ctx->alloc, &quiet) != OPN_OK, OPN_ERR_NOMEM,
                "out of memory for a context");
    quiet->hooks = hooks;
    OPN_TRY(opn_ctx_set_threads(quiet, opn_ctx_threads(ctx)));
    for (int32_t j = 0; j < jobs->n; j++) {
        OPN_TRY(tell_progress(ctx, jobs, j));
        status = jobs->run(quiet, jobs->user, j);
        if (status != OPN_OK)
            opn_i_set_error(ctx, "%s", quiet->error);
        OPN_TRY(status);
        tell_job(ctx, jobs, j);
    }
    (void)!tell_progress(ctx, jobs, jobs->n); // all done, so nothing to stop
cleanup:
    opn_ctx_free(quiet);
    return status;
}

// Waits for a change, or briefly.
static void wait_for_change(crew *c)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NANOSECONDS_A_LOOK;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

// Reports finished jobs and checks for interruption until the last worker is done.
static void oversee(opn_ctx *ctx, crew *c)
{
    bool is_over = false;
    while (!is_over) {
        (void)pthread_mutex_lock(&c->lock);
        if (c->n_working > 0)
            wait_for_change(c);
        is_over = c->n_working == 0;
        const int32_t n_done = c->n_done;
        (void)pthread_mutex_unlock(&c->lock);
        while (c->n_told < n_done)
            tell_job(ctx, c->jobs, c->done[c->n_told++]);
        const opn_status asked = tell_progress(ctx, c->jobs, n_done);
        (void)pthread_mutex_lock(&c->lock);
        if (asked != OPN_OK && n_done < c->jobs->n) {
            c->must_stop = true;
            c->status = c->status == OPN_OK ? asked : c->status;
        }
        (void)pthread_mutex_unlock(&c->lock);
    }
}

static opn_status hire(opn_ctx *ctx, crew *c, int n_threads, worker *w)
{
    opn_status status = OPN_OK;
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .interrupted = is_stopped, .user = c};
    w->crew = c;
    OPN_FAIL_IF(ctx, opn_ctx_create(&ctx->alloc, &w->ctx) != OPN_OK, OPN_ERR_NOMEM,
                "out of memory for a context");
    w->ctx->hooks = hooks;
    OPN_TRY(opn_ctx_set_threads(w->ctx, n_threads));
    (void)pthread_mutex_lock(&c->lock);
    const int code = pthread_create(&w->thread, NULL, work, w);
    c->n_working += code == 0;
    (void)pthread_mutex_unlock(&c->lock);
    OPN_FAIL_IF(ctx, code != 0, OPN_ERR_NOMEM, "no thread can be started: %s",
                strerror(code));
cleanup:
    if (status != OPN_OK) {
        opn_ctx_free(w->ctx);
        w->ctx = NULL;
    }
    return status;
}

static void dismiss(worker *workers, int n)
{
    for (int t = 0; t < n; t++) {
        if (workers[t].ctx == NULL)
            continue;
        (void)pthread_join(workers[t].thread, NULL);
        opn_ctx_free(workers[t].ctx);
    }
}

opn_status opn_i_jobs_run(opn_ctx *ctx, const opn_i_jobs *jobs)
{
    opn_status status = OPN_OK;
    const int n_threads = opn_i_threads(ctx);
    const int n_most = jobs->n_at_once > 0 && jobs->n_at_once < n_threads
                               ? jobs->n_at_once
                               : n_threads;
    const int n_workers = n_most < jobs->n ? n_most : (int)jobs->n;
    worker *workers = NULL;
    crew c = {.jobs = jobs,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .changed = PTHREAD_COND_INITIALIZER};
    if (n_workers <= 1)
        return run_alone(ctx, jobs);
    OPN_TRY_NEW(ctx, workers, n_workers);
    OPN_TRY_NEW(ctx, c.done, jobs->n);
    for (int t = 0; t < n_workers && status == OPN_OK; t++)
        status = hire(ctx, &c, n_threads / n_workers, &workers[t]);
    if (status != OPN_OK) {
        (void)pthread_mutex_lock(&c.lock);
        c.must_stop = true;
        (void)pthread_mutex_unlock(&c.lock);
    }
    oversee(ctx, &c);
    dismiss(workers, n_workers);
    if (status == OPN_OK && c.status != OPN_OK) {
        status = c.status;
        if (c.error[0] != 0)
            opn_i_set_error(ctx, "%s", c.error);
    }
cleanup:
    opn_i_release(&ctx->alloc, workers);
    opn_i_release(&ctx->alloc, c.done);
    return status;
}
