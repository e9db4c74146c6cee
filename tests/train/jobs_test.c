// jobs_test.c -- independent pieces of work, shared out over threads.

#include "support/cmocka_test.h"
#include "support/support.h"
#include "train/jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static opn_ctx *ctx;

enum { MOST_JOBS = 40 };

// What the jobs do, and what was seen of them; what workers write is under the lock.
typedef struct crowd {
    pthread_mutex_t lock;
    int n_run[MOST_JOBS], n_told[MOST_JOBS];
    int n_started, n_threads_seen;
    int32_t order[MOST_JOBS];         // in which jobs began
    pthread_t caller;                 // who may be told
    int n_strangers;                  // calls from anyone else
    int32_t failing;                  // this job fails; -1 for none
    bool others_wait;                 // until they are told to stop
    bool stops_when_begun;            // whoever listens stops once a job has begun
    bool stops_when_done;             // ... or once all were told
    int n_told_all;                   // jobs that were
    int32_t n;                        // jobs
    int n_workers;                    // that there should be
    int n_at_once;                    // that there may be; 0: any number
    int n_finished;                   // that came to their end
    int n_messages, n_progress, last; // heard on the calling context
    int n_unlike;                     // progress that is not that of all jobs
} crowd;

static crowd new_crowd(void)
{
    return (crowd){
            .lock = PTHREAD_MUTEX_INITIALIZER, .caller = pthread_self(), .failing = -1};
}

static void see_caller(crowd *c)
{
    c->n_strangers += !pthread_equal(pthread_self(), c->caller);
}

// Waits until so many jobs have begun, for a minute at most.
static void wait_for_others(crowd *c, int n_wanted)
{
    int n_started = 0;
    for (int look = 0; look < 60000 && n_started < n_wanted; look++) {
        const struct timespec moment = {.tv_nsec = 1000000};
        (void)pthread_mutex_lock(&c->lock);
        n_started = c->n_started;
        (void)pthread_mutex_unlock(&c->lock);
        (void)nanosleep(&moment, NULL);
    }
}

// Waits until told to stop, for a minute at most.
static opn_status wait_for_stop(opn_ctx *own)
{
    for (int look = 0; look < 60000; look++) {
        const struct timespec moment = {.tv_nsec = 1000000};
        const opn_status status = opn_i_progress(own, "waiting", look, 0, "looks");
        if (status != OPN_OK)
            return status;
        (void)nanosleep(&moment, NULL);
    }
    return OPN_OK;
}

static opn_status run(opn_ctx *own, void *user, int32_t j)
{
    crowd *c = user;
    opn_status status = OPN_OK;
    (void)pthread_mutex_lock(&c->lock);
    c->n_run[j]++;
    c->order[c->n_started++] = j;
    c->n_threads_seen = opn_ctx_threads(own);
    (void)pthread_mutex_unlock(&c->lock);
    opn_i_log(own, OPN_LOG_WARNING, "job %d is noisy", (int)j);
    if (j == c->failing && c->others_wait)
        wait_for_others(c, c->n_workers);
    if (j == c->failing)
        status = opn_i_fail(own, OPN_ERR_FORMAT, "job %d is broken", (int)j);
    else if (c->others_wait)
        status = wait_for_stop(own);
    (void)pthread_mutex_lock(&c->lock);
    c->n_finished += status == OPN_OK;
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

static void tell(opn_ctx *own, void *user, int32_t j)
{
    crowd *c = user;
    see_caller(c);
    c->n_told[j]++;
    c->n_told_all++;
    opn_i_log(own, OPN_LOG_INFO, "job %d is done", (int)j);
}

static void hear_message(void *user, opn_log_level level, const char *message)
{
    crowd *c = user;
    (void)level;
    see_caller(c);
    c->n_messages++;
    assert_non_null(strstr(message, "is done")); // not what the jobs say
}

static void hear_progress(void *user, const opn_progress *progress)
{
    crowd *c = user;
    see_caller(c);
    c->n_progress++;
    c->last = (int)progress->done;
    c->n_unlike += strcmp(progress->stage, "testing") != 0 || progress->total != c->n ||
                   strcmp(progress->unit, "runs") != 0 || progress->note == NULL ||
                   strcmp(progress->note, "a crowd") != 0;
}

static int is_interrupted(void *user)
{
    crowd *c = user;
    see_caller(c);
    (void)pthread_mutex_lock(&c->lock);
    const bool stops = (c->stops_when_begun && c->n_started > 0) ||
                       (c->stops_when_done && c->n_told_all == c->n);
    (void)pthread_mutex_unlock(&c->lock);
    return stops;
}

// Not by opn_ctx_set_threads(), which knows one thread only where there is no OpenMP.
static opn_status run_crowd(opn_ctx *on, crowd *c, int32_t n, int n_threads)
{
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .log = hear_message,
                             .progress = hear_progress,
                             .interrupted = is_interrupted,
                             .user = c};
    const opn_i_jobs jobs = {.stage = "testing",
                             .note = "a crowd",
                             .n = n,
                             .n_at_once = c->n_at_once,
                             .run = run,
                             .tell = tell,
                             .user = c};
    c->n = n;
    c->n_workers = n < n_threads ? n : n_threads;
    on->n_threads = n_threads;
    assert_int_equal(opn_ctx_set_hooks(on, &hooks), OPN_OK);
    const opn_status status = opn_i_jobs_run(on, &jobs);
    assert_int_equal(opn_ctx_set_hooks(on, NULL), OPN_OK);
    assert_int_equal(c->n_strangers, 0);
    return status;
}

static const int thread_counts[] = {1, 2, 5, 64};
enum { N_COUNTS = sizeof(thread_counts) / sizeof(thread_counts[0]) };

// ---- all goes well -------------------------------------------------------------------

static void every_job_is_done_once_and_told_once_on_the_calling_thread(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        for (int32_t n = 0; n <= MOST_JOBS; n += n < 7 ? 1 : 11) {
            crowd c = new_crowd();
            assert_int_equal(run_crowd(ctx, &c, n, thread_counts[t]), OPN_OK);
            assert_int_equal(c.n_started, n);
            assert_int_equal(c.n_messages, n); // what is told is logged, jobs are quiet
            for (int32_t j = 0; j < MOST_JOBS; j++) {
                assert_int_equal(c.n_run[j], j < n);
                assert_int_equal(c.n_told[j], j < n);
            }
        }
    }
}

static void one_thread_does_them_in_order(void **state)
{
    (void)state;
    crowd c = new_crowd();
    assert_int_equal(run_crowd(ctx, &c, MOST_JOBS, 1), OPN_OK);
    for (int32_t j = 0; j < MOST_JOBS; j++)
        assert_int_equal(c.order[j], j);
}

static void progress_ends_with_all_of_them(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        crowd c = new_crowd();
        assert_int_equal(run_crowd(ctx, &c, 9, thread_counts[t]), OPN_OK);
        assert_true(c.n_progress > 0);
        assert_int_equal(c.last, 9);
        assert_int_equal(c.n_unlike, 0);
    }
    crowd alone = new_crowd();
    assert_int_equal(run_crowd(ctx, &alone, 9, 1), OPN_OK);
    assert_int_equal(alone.n_progress, 10); // before each, and after the last
}

static void jobs_fewer_than_threads_share_them(void **state)
{
    (void)state;
    crowd c = new_crowd();
    assert_int_equal(opn_ctx_set_threads(ctx, 12), OPN_OK);
    const bool has_threads = opn_ctx_threads(ctx) == 12; // else there is no OpenMP
    assert_int_equal(run_crowd(ctx, &c, 3, 12), OPN_OK);
    assert_int_equal(c.n_threads_seen, has_threads ? 4 : 1);
    assert_int_equal(run_crowd(ctx, &c, 1, 12), OPN_OK);
    assert_int_equal(c.n_threads_seen, has_threads ? 12 : 1);
    assert_int_equal(run_crowd(ctx, &c, 20, 12), OPN_OK);
    assert_int_equal(c.n_threads_seen, 1);
}

static void no_more_jobs_run_at_once_than_allowed(void **state)
{
    (void)state;
    crowd c = new_crowd();
    c.n_at_once = 1;
    assert_int_equal(opn_ctx_set_threads(ctx, 4), OPN_OK);
    const bool has_threads = opn_ctx_threads(ctx) == 4; // else there is no OpenMP
    assert_int_equal(run_crowd(ctx, &c, MOST_JOBS, 4), OPN_OK);
    assert_int_equal(c.n_threads_seen, has_threads ? 4 : 1); // each has all threads
    for (int32_t j = 0; j < MOST_JOBS; j++)
        assert_int_equal(c.order[j], j);
}

// ---- failures ------------------------------------------------------------------------

static void the_first_failure_comes_through_and_the_rest_stops(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        crowd c = new_crowd();
        c.failing = 0;
        c.others_wait = true; // what they return then must not hide the failure
        assert_int_equal(run_crowd(ctx, &c, MOST_JOBS, thread_counts[t]), OPN_ERR_FORMAT);
        assert_string_equal(opn_ctx_error(ctx), "job 0 is broken");
        assert_int_equal(c.n_started, c.n_workers);
        assert_int_equal(c.n_finished, 0);
        assert_int_equal(c.n_messages, 0);
    }
}

static void jobs_done_before_a_failure_are_told(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        crowd c = new_crowd();
        int n_told = 0;
        c.failing = MOST_JOBS - 1;
        assert_int_equal(run_crowd(ctx, &c, MOST_JOBS, thread_counts[t]), OPN_ERR_FORMAT);
        assert_string_equal(opn_ctx_error(ctx), "job 39 is broken");
        for (int32_t j = 0; j < MOST_JOBS; j++)
            n_told += c.n_told[j];
        assert_int_equal(n_told, c.n_finished);
    }
}

static void an_interruption_stops_all(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        crowd c = new_crowd();
        c.others_wait = true;
        c.stops_when_begun = true;
        assert_int_equal(run_crowd(ctx, &c, MOST_JOBS, thread_counts[t]),
                         OPN_ERR_INTERRUPTED);
        assert_string_not_equal(opn_ctx_error(ctx), "");
        assert_true(c.n_started <= thread_counts[t]);
        assert_int_equal(c.n_finished, 0);
    }
}

static void an_interruption_after_the_last_job_is_none(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        crowd c = new_crowd();
        c.stops_when_done = true;
        assert_int_equal(run_crowd(ctx, &c, 5, thread_counts[t]), OPN_OK);
        assert_int_equal(c.n_finished, 5);
    }
}

// Contexts of workers are made on the calling thread, so that the meter counts right.
static void every_allocation_failure_stops_and_is_reported(void **state)
{
    (void)state;
    for (int t = 0; t < N_COUNTS; t++) {
        opn_status status = OPN_ERR_NOMEM;
        for (long fail_at = 1; status != OPN_OK; fail_at++) {
            meter m = {0};
            opn_ctx *own = support_ctx(&m);
            crowd c = new_crowd();
            m.n_requests = 0;
            m.fail_at = fail_at;
            status = run_crowd(own, &c, 6, thread_counts[t]);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            if (status != OPN_OK)
                support_expect_error(own, "memory");
            for (int32_t j = 0; j < 6; j++)
                assert_int_equal(c.n_run[j], c.n_told[j]);
            support_ctx_free(own, &m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(every_job_is_done_once_and_told_once_on_the_calling_thread),
            WITH_CTX(one_thread_does_them_in_order),
            WITH_CTX(progress_ends_with_all_of_them),
            WITH_CTX(jobs_fewer_than_threads_share_them),
            WITH_CTX(no_more_jobs_run_at_once_than_allowed),
            WITH_CTX(the_first_failure_comes_through_and_the_rest_stops),
            WITH_CTX(jobs_done_before_a_failure_are_told),
            WITH_CTX(an_interruption_stops_all),
            WITH_CTX(an_interruption_after_the_last_job_is_none),
            WITH_CTX(every_allocation_failure_stops_and_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
