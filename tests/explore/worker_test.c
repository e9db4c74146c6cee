// worker_test.c -- one long task at a time, with progress and a way to cancel it.

#include "explore/worker.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdatomic.h>
#include <string.h>

static opn_ctx *ctx;

// A task that counts until it is cancelled or may end.
typedef struct counting {
    atomic_int n_steps, is_free;
    opn_status ends_with;
} counting;

static opn_status count(opn_ctx *own, void *user)
{
    opn_status status = OPN_OK;
    counting *c = user;
    for (int64_t step = 1; !atomic_load(&c->is_free); step++) {
        OPN_TRY(opn_i_progress(own, "counting", step, 1000, "steps"));
        atomic_store(&c->n_steps, (int)step);
    }
    opn_i_log(own, OPN_LOG_WARNING, "it is odd");
    opn_i_log(own, OPN_LOG_INFO, "nobody wants to know");
    opn_i_log(own, OPN_LOG_WARNING, "and even");
    OPN_FAIL_IF(own, c->ends_with != OPN_OK, c->ends_with, "it broke");
cleanup:
    return status;
}

static opn_i_worker *open_worker(void)
{
    opn_i_worker *worker = NULL;
    assert_int_equal(opn_i_worker_create(ctx, 1, &worker), OPN_OK);
    return worker;
}

static opn_i_work_state look(opn_i_worker *worker)
{
    opn_i_work_state state;
    opn_i_worker_look(worker, &state);
    return state;
}

// Starts a task, and waits until it has come somewhere.
static void start(opn_i_worker *worker, counting *c)
{
    assert_true(opn_i_worker_start(worker, "counting", count, c));
    while (atomic_load(&c->n_steps) < 2) {
    }
}

static void progress_can_be_seen(void **state)
{
    (void)state;
    counting c = {0};
    opn_i_worker *worker = open_worker();
    assert_int_equal(look(worker).status, OPN_WORK_NONE);
    start(worker, &c);
    const opn_i_work_state now = look(worker);
    assert_int_equal(now.status, OPN_WORK_RUNNING);
    assert_string_equal(now.what, "counting");
    assert_string_equal(now.stage, "counting");
    assert_int_equal(now.total, 1000);
    assert_true(now.done >= 1 && now.seconds >= 0.0);
    atomic_store(&c.is_free, 1);
    opn_i_worker_wait(worker);
    assert_int_equal(look(worker).status, OPN_WORK_DONE);
    assert_string_equal(look(worker).warnings, "it is odd\nand even");
    opn_i_worker_free(worker);
}

static void a_second_task_must_wait(void **state)
{
    (void)state;
    counting c = {0};
    counting other = {.is_free = 1};
    opn_i_worker *worker = open_worker();
    start(worker, &c);
    assert_false(opn_i_worker_start(worker, "other", count, &other));
    assert_int_equal(look(worker).number, 1);
    atomic_store(&c.is_free, 1);
    opn_i_worker_wait(worker);
    assert_true(opn_i_worker_start(worker, "other", count, &other));
    opn_i_worker_wait(worker);
    assert_int_equal(look(worker).number, 2);
    opn_i_worker_free(worker);
}

static void a_cancelled_task_ends(void **state)
{
    (void)state;
    counting c = {0};
    opn_i_worker *worker = open_worker();
    start(worker, &c);
    opn_i_worker_cancel(worker);
    opn_i_worker_wait(worker);
    assert_int_equal(look(worker).status, OPN_WORK_CANCELLED);
    atomic_store(&c.is_free, 1);
    assert_true(opn_i_worker_start(worker, "again", count, &c));
    opn_i_worker_wait(worker);
    assert_int_equal(look(worker).status, OPN_WORK_DONE);
    opn_i_worker_free(worker);
}

static void a_task_that_fails_says_why(void **state)
{
    (void)state;
    counting c = {.is_free = 1, .ends_with = OPN_ERR_SHAPE};
    opn_i_worker *worker = open_worker();
    assert_true(opn_i_worker_start(worker, "counting", count, &c));
    opn_i_worker_wait(worker);
    assert_int_equal(look(worker).status, OPN_WORK_FAILED);
    assert_string_equal(look(worker).error, "it broke");
    opn_i_worker_free(worker);
}

static void freeing_ends_a_running_task(void **state)
{
    (void)state;
    counting c = {0};
    opn_i_worker *worker = open_worker();
    start(worker, &c);
    opn_i_worker_free(worker);
    opn_i_worker_free(NULL);
}

static opn_status create_and_free(opn_ctx *own)
{
    opn_i_worker *worker = NULL;
    const opn_status status = opn_i_worker_create(own, 1, &worker);
    opn_i_worker_free(worker);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(support_fail_allocations(create_and_free) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(progress_can_be_seen),        WITH_CTX(a_second_task_must_wait),
            WITH_CTX(a_cancelled_task_ends),       WITH_CTX(a_task_that_fails_says_why),
            WITH_CTX(freeing_ends_a_running_task), WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
