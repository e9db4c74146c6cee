// fork_test.c -- training in a process forked from one that has used several threads.

#include "base/context.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Large enough that every epoch starts threads.
static const char graph_settings[] = "nodes=3000 features=200 seed=3";
static const char model_settings[] = "model=s-bgcn-t-k epochs=4";

enum { SECONDS_OF_CHILD = 60 };

static void count_warnings(void *user, opn_log_level level, const char *message)
{
    if (level == OPN_LOG_WARNING && strstr(message, "forked") != NULL)
        ++*(int *)user;
}

static opn_ctx *new_context(int *n_warnings)
{
    opn_ctx *ctx = NULL;
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .log = count_warnings, .user = n_warnings};
    if (opn_ctx_create(NULL, &ctx) != OPN_OK || opn_ctx_set_threads(ctx, 2) != OPN_OK ||
        opn_ctx_set_hooks(ctx, &hooks) != OPN_OK)
        abort();
    return ctx;
}

typedef struct trained {
    char *bytes;
    size_t n;
} trained;

static trained train_on(opn_ctx *ctx, const opn_graph *graph)
{
    trained result = {0};
    opn_model *model = trial_train(ctx, graph, model_settings);
    result.bytes = trial_bytes(ctx, model, &result.n);
    opn_model_free(model);
    return result;
}

// What the child is asked to do; its result is the exit code.
typedef int child_fn(opn_ctx *ctx, const opn_graph *graph, const trained *expected);

static int train_again(opn_ctx *ctx, const opn_graph *graph, const trained *expected)
{
    const trained got = train_on(ctx, graph);
    const bool is_same =
            got.n == expected->n && memcmp(got.bytes, expected->bytes, got.n) == 0;
    free(got.bytes);
    return is_same ? 0 : 1;
}

static int
train_with_a_new_context(opn_ctx *ctx, const opn_graph *graph, const trained *expected)
{
    int n_warnings = 0;
    (void)ctx;
    opn_ctx *own = new_context(&n_warnings);
    const int code =
            train_again(own, graph, expected) + 2 * train_again(own, graph, expected);
    const int n_expected = opn_ctx_threads(own) > 1; // else there is no OpenMP
    opn_ctx_free(own);
    return n_warnings == n_expected ? code : 10 + n_warnings;
}

static void expect_child(child_fn *act)
{
    int n_warnings = 0;
    int result = -1;
    opn_ctx *ctx = new_context(&n_warnings);
    opn_graph *graph = trial_draw(ctx, graph_settings);
    const trained expected = train_on(ctx, graph);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(SECONDS_OF_CHILD); // what hangs is killed
        _exit(act(ctx, graph, &expected));
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_int_equal(n_warnings, 0); // the parent has its threads still
    assert_int_equal(train_again(ctx, graph, &expected), 0);
    free(expected.bytes);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void a_child_trains_with_the_context_it_was_born_with(void **state)
{
    (void)state;
    expect_child(train_again);
}

static void a_child_warns_once_for_each_context_that_asks_for_threads(void **state)
{
    (void)state;
    expect_child(train_with_a_new_context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_child_trains_with_the_context_it_was_born_with),
            cmocka_unit_test(a_child_warns_once_for_each_context_that_asks_for_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
