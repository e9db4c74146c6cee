// worker.c -- one long task at a time, on a thread of its own.

#include "explore/worker.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct opn_i_worker {
    opn_alloc alloc;
    opn_ctx *ctx; // of the task's thread
    pthread_mutex_t lock;
    opn_i_work_state state; // under the lock, like all that follows
    double start;
    bool is_cancelled;
    bool has_thread; // to be joined
    pthread_t thread;
    opn_i_work_fn run;
    void *user;
};

const char *opn_i_work_status_name(opn_i_work_status status)
{
    static const char *const names[] = {"none", "running", "done", "failed", "cancelled"};
    return names[status];
}

// ---- the task's thread ---------------------------------------------------------------

static void on_log(void *user, opn_log_level level, const char *message)
{
    opn_i_worker *worker = user;
    if (level != OPN_LOG_WARNING)
        return;
    (void)pthread_mutex_lock(&worker->lock);
    char *text = worker->state.warnings;
    const size_t n = strlen(text);
    if (n + strlen(message) + 2 <= sizeof(worker->state.warnings))
        snprintf(text + n, sizeof(worker->state.warnings) - n, "%s%s", n > 0 ? "\n" : "",
                 message);
    (void)pthread_mutex_unlock(&worker->lock);
}

static void on_progress(void *user, const opn_progress *progress)
{
    opn_i_worker *worker = user;
    (void)pthread_mutex_lock(&worker->lock);
    snprintf(worker->state.stage, sizeof(worker->state.stage), "%s", progress->stage);
    worker->state.done = progress->done;
    worker->state.total = progress->total;
    (void)pthread_mutex_unlock(&worker->lock);
}

static int on_interrupted(void *user)
{
    opn_i_worker *worker = user;
    (void)pthread_mutex_lock(&worker->lock);
    const bool is_cancelled = worker->is_cancelled;
    (void)pthread_mutex_unlock(&worker->lock);
    return is_cancelled;
}

static void *work(void *arg)
{
    opn_i_worker *worker = arg;
    const opn_status status = worker->run(worker->ctx, worker->user);
    (void)pthread_mutex_lock(&worker->lock);
    worker->state.status = status == OPN_OK                ? OPN_WORK_DONE
                           : status == OPN_ERR_INTERRUPTED ? OPN_WORK_CANCELLED
                                                           : OPN_WORK_FAILED;
    worker->state.seconds = opn_i_clock() - worker->start;
    if (worker->state.status == OPN_WORK_FAILED)
        snprintf(worker->state.error, sizeof(worker->state.error), "%s",
                 opn_ctx_error(worker->ctx));
    (void)pthread_mutex_unlock(&worker->lock);
    return NULL;
}

// ---- other threads -------------------------------------------------------------------

opn_status opn_i_worker_create(opn_ctx *ctx, int n_threads, opn_i_worker **out)
{
    opn_status status = OPN_OK;
    opn_i_worker *worker = NULL;
    OPN_TRY_NEW(ctx, worker, 1);
    worker->alloc = ctx->alloc;
    (void)pthread_mutex_init(&worker->lock, NULL);
    OPN_FAIL_IF(ctx, opn_ctx_create(&ctx->alloc, &worker->ctx) != OPN_OK, OPN_ERR_NOMEM,
                "out of memory for a context");
    OPN_TRY(opn_ctx_set_threads(worker->ctx, n_threads));
    worker->ctx->hooks = (opn_hooks){.size = sizeof(opn_hooks),
                                     .log = on_log,
                                     .progress = on_progress,
                                     .interrupted = on_interrupted,
                                     .user = worker};
    *out = worker;
    worker = NULL;
cleanup:
    opn_i_worker_free(worker);
    return status;
}

bool opn_i_worker_start(opn_i_worker *worker,
                        const char *what,
                        opn_i_work_fn run,
                        void *user)
{
    opn_i_work_state state;
    opn_i_worker_look(worker, &state);
    if (state.status == OPN_WORK_RUNNING)
        return false;
    opn_i_worker_wait(worker);
    (void)pthread_mutex_lock(&worker->lock);
    worker->run = run;
    worker->user = user;
    worker->is_cancelled = false;
    worker->start = opn_i_clock();
    worker->state =
            (opn_i_work_state){.number = state.number + 1, .status = OPN_WORK_RUNNING};
    snprintf(worker->state.what, sizeof(worker->state.what), "%s", what);
    worker->has_thread = pthread_create(&worker->thread, NULL, work, worker) == 0;
    if (!worker->has_thread)
        worker->state.status = OPN_WORK_NONE;
    const bool is_started = worker->has_thread;
    (void)pthread_mutex_unlock(&worker->lock);
    return is_started;
}

void opn_i_worker_cancel(opn_i_worker *worker)
{
    (void)pthread_mutex_lock(&worker->lock);
    worker->is_cancelled = true;
    (void)pthread_mutex_unlock(&worker->lock);
}

void opn_i_worker_look(opn_i_worker *worker, opn_i_work_state *out)
{
    (void)pthread_mutex_lock(&worker->lock);
    *out = worker->state;
    if (out->status == OPN_WORK_RUNNING)
        out->seconds = opn_i_clock() - worker->start;
    (void)pthread_mutex_unlock(&worker->lock);
}

void opn_i_worker_wait(opn_i_worker *worker)
{
    (void)pthread_mutex_lock(&worker->lock);
    const bool has_thread = worker->has_thread;
    worker->has_thread = false;
    (void)pthread_mutex_unlock(&worker->lock);
    if (has_thread)
        (void)pthread_join(worker->thread, NULL);
}

void opn_i_worker_free(opn_i_worker *worker)
{
    if (worker == NULL)
        return;
    opn_i_worker_cancel(worker);
    opn_i_worker_wait(worker);
    opn_ctx_free(worker->ctx);
    (void)pthread_mutex_destroy(&worker->lock);
    const opn_alloc alloc = worker->alloc;
    opn_i_release(&alloc, worker);
}
