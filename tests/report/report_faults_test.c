// report_faults_test.c -- reports in which each allocation and each write fails once: the
// right status, nothing leaked, nothing left behind.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/fault.h"
#include "support/page_reader.h"
#include "support/support.h"
#include "support/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// ---- calls that fail on demand -------------------------------------------------------

static fault writes;

ssize_t write(int file, const void *data, size_t n_bytes)
{
    // writev() does not write to its parts, but has no type to say so.
    struct iovec part = {NULL, n_bytes};
    memcpy(&part.iov_base, &data, sizeof(data));
    return fault_fails(&writes, "write") ? -1 : writev(file, &part, 1);
}

int rename(const char *from, const char *to)
{
    return fault_fails(&writes, "rename") ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

// ---- the scene -----------------------------------------------------------------------

static struct {
    char folder[SUPPORT_PATH];
    char data[SUPPORT_PATH];        // the graph
    char model[SUPPORT_PATH];       // a model's file
    char predictions[SUPPORT_PATH]; // what it says
    char run[SUPPORT_PATH];         // an evaluation
    char out[SUPPORT_PATH];         // where pages go
    char page[SUPPORT_PATH];        // out/page.html
    opn_ctx *ctx;
    opn_graph *graph;
    opn_model *trained;
    opn_params *params;
} scene;

static void save_predictions(void)
{
    opn_prediction *said = opinions_ask(scene.ctx, scene.trained, scene.graph, NULL);
    assert_int_equal(opn_prediction_save(scene.ctx, scene.trained, scene.graph, NULL,
                                         said, scene.predictions),
                     OPN_OK);
    opn_prediction_free(said);
}

static void evaluate(void)
{
    char path[SUPPORT_PATH];
    opn_evaluation *found = NULL;
    opn_params *params =
            trial_params(scene.ctx, "seeds=1 model=gcn epochs=1 hidden=2 protocol=full");
    assert_int_equal(opn_evaluate(scene.ctx, scene.graph, params, scene.run, &found),
                     OPN_OK);
    assert_int_equal(
            opn_evaluation_save(scene.ctx, found,
                                support_path(path, scene.run, "evaluation.json")),
            OPN_OK);
    opn_evaluation_free(found);
    opn_params_free(params);
}

static int open_scene(void **state)
{
    (void)state;
    static const uint8_t role[TRIAL_NODES] = {
            OPN_ROLE_TRAIN,      OPN_ROLE_VALIDATION, OPN_ROLE_TEST,
            OPN_ROLE_UNLABELLED, OPN_ROLE_UNLABELLED, OPN_ROLE_TRAIN,
            OPN_ROLE_TEST,       OPN_ROLE_TEST,       OPN_ROLE_UNLABELLED};
    support_temp_folder(scene.folder);
    support_path(scene.data, scene.folder, "data");
    support_path(scene.model, scene.folder, "model.safetensors");
    support_path(scene.predictions, scene.folder, "predictions.csv");
    support_path(scene.run, scene.folder, "run");
    support_path(scene.out, scene.folder, "out");
    support_path(scene.page, scene.out, "page.html");
    assert_int_equal(mkdir(scene.out, 0777), 0);
    scene.ctx = support_ctx(NULL);
    scene.graph = trial_groups(scene.ctx);
    assert_int_equal(opn_graph_set_roles(scene.ctx, scene.graph, role), OPN_OK);
    assert_int_equal(opn_graph_save(scene.ctx, scene.graph, scene.data), OPN_OK);
    scene.trained = trial_train(scene.ctx, scene.graph,
                                "model=s-bgcn-t-k epochs=20 hidden=2 samples=2");
    scene.params = trial_params(scene.ctx, "perplexity=2");
    assert_int_equal(opn_model_save(scene.ctx, scene.trained, scene.model), OPN_OK);
    save_predictions();
    evaluate();
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    opn_params_free(scene.params);
    opn_model_free(scene.trained);
    opn_graph_free(scene.graph);
    opn_ctx_free(scene.ctx);
    support_remove_folder(scene.folder);
    return 0;
}

// ---- flows ---------------------------------------------------------------------------

// Makes a report and writes its page.
typedef opn_status flow(opn_ctx *ctx, const char *path);

static opn_status finish(opn_ctx *ctx, opn_report *report, const char *path)
{
    const opn_status status = opn_report_save(ctx, report, path);
    opn_report_free(report);
    return status;
}

static opn_status show_model(opn_ctx *ctx, const char *path)
{
    opn_report *report = NULL;
    opn_status status = opn_report_create(ctx, scene.graph, "title", &report);
    assert_int_equal(report == NULL, status != OPN_OK);
    if (status == OPN_OK)
        status = opn_report_add_model(ctx, report, scene.trained, scene.params);
    if (status == OPN_OK)
        return finish(ctx, report, path);
    opn_report_free(report);
    return status;
}

static opn_status load(opn_ctx *ctx, const char *run, const char *data, const char *path)
{
    opn_report *report = NULL;
    const opn_status status = opn_report_load(ctx, run, data, scene.params, &report);
    assert_int_equal(report == NULL, status != OPN_OK);
    return status == OPN_OK ? finish(ctx, report, path) : status;
}

static opn_status load_model(opn_ctx *ctx, const char *path)
{
    return load(ctx, scene.model, scene.data, path);
}

static opn_status load_predictions(opn_ctx *ctx, const char *path)
{
    return load(ctx, scene.predictions, NULL, path);
}

static opn_status load_run(opn_ctx *ctx, const char *path)
{
    return load(ctx, scene.run, scene.data, path);
}

static flow *const flows[] = {show_model, load_model, load_predictions, load_run};
enum { N_FLOWS = sizeof(flows) / sizeof(flows[0]) };

// ---- claims --------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FLOWS; f++) {
        bool is_reached = true;
        size_t n_want = 0;
        assert_int_equal(flows[f](scene.ctx, scene.page), OPN_OK);
        char *want = support_read_file(scene.page, &n_want);
        for (long k = 1; is_reached; k++) {
            meter m = {0};
            opn_ctx *ctx = support_ctx(&m);
            assert_int_equal(unlink(scene.page), 0);
            m.fail_at = m.n_requests + k;
            const opn_status status = flows[f](ctx, scene.page);
            is_reached = m.n_requests >= m.fail_at;
            if (status != (is_reached ? OPN_ERR_NOMEM : OPN_OK))
                fail_msg("flow %zu, request %ld: %s: %s", f, k, opn_status_name(status),
                         opn_ctx_error(ctx));
            if (is_reached) {
                support_expect_error(ctx, "out of memory");
                assert_int_equal(support_count_entries(scene.out), 0);
                support_write_text(scene.page, "");
            }
            support_ctx_free(ctx, &m);
            assert_true(is_reached || k > 50);
        }
        support_expect_file(scene.page, want, n_want);
        assert_int_equal(unlink(scene.page), 0);
        free(want);
    }
}

#if HEAP_IS_OURS
// Jansson too, which leaves out what it has no memory for: a page may lack something, but
// nothing breaks, and nothing is left behind where saving fails.
static void every_request_to_the_heap_may_fail(void **state)
{
    (void)state;
    opn_report *report = NULL;
    bool is_reached = true;
    assert_int_equal(opn_report_create(scene.ctx, scene.graph, "title", &report), OPN_OK);
    assert_int_equal(opn_report_add_model(scene.ctx, report, scene.trained, scene.params),
                     OPN_OK);
    for (long k = 1; is_reached; k++) {
        opn_ctx *ctx = support_ctx(NULL);
        fault_arm(&fault_heap, k, ENOMEM);
        const opn_status status = opn_report_save(ctx, report, scene.page);
        fault_disarm(&fault_heap);
        is_reached = fault_heap.n_calls >= k;
        if (status != OPN_OK && !(is_reached && status == OPN_ERR_NOMEM))
            fail_msg("request %ld: %s: %s", k, opn_status_name(status),
                     opn_ctx_error(ctx));
        assert_int_equal(support_count_entries(scene.out), status == OPN_OK);
        if (status == OPN_OK)
            assert_int_equal(unlink(scene.page), 0);
        opn_ctx_free(ctx);
    }
    opn_report_free(report);
}
#endif

static void every_write_may_fail(void **state)
{
    (void)state;
    opn_report *report = NULL;
    bool is_reached = true;
    assert_int_equal(opn_report_create(scene.ctx, scene.graph, "title", &report), OPN_OK);
    assert_int_equal(opn_report_add_model(scene.ctx, report, scene.trained, scene.params),
                     OPN_OK);
    for (long k = 1; is_reached; k++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        fault_arm(&writes, k, ENOSPC);
        const opn_status status = opn_report_save(ctx, report, scene.page);
        writes.is_armed = false;
        is_reached = writes.n_calls >= k;
        assert_int_equal(status, is_reached ? OPN_ERR_WRITE : OPN_OK);
        assert_int_equal(support_count_entries(scene.out), is_reached ? 0 : 1);
        if (is_reached) {
            support_expect_error(ctx, scene.page);
            support_expect_error(ctx, strerror(ENOSPC));
        }
        support_ctx_free(ctx, &m);
        assert_true(is_reached || k > 2);
    }
    page read = page_read(scene.page);
    page_free(&read);
    assert_int_equal(unlink(scene.page), 0);
    opn_report_free(report);
}

// An older page is still there when a new one cannot be written.
static void an_older_page_stays_when_a_new_one_fails(void **state)
{
    (void)state;
    support_write_text(scene.page, "old");
    fault_arm(&writes, 2, ENOSPC);
    const opn_status status = load_predictions(scene.ctx, scene.page);
    writes.is_armed = false;
    assert_int_equal(status, OPN_ERR_WRITE);
    support_expect_file(scene.page, "old", 3);
    assert_int_equal(unlink(scene.page), 0);
}

static void a_folder_that_is_not_there_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    support_path(path, scene.folder, "nowhere/page.html");
    assert_int_equal(load_predictions(scene.ctx, path), OPN_ERR_WRITE);
    support_expect_error(scene.ctx, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
#if HEAP_IS_OURS
        cmocka_unit_test(every_request_to_the_heap_may_fail),
#endif
        cmocka_unit_test(every_write_may_fail),
        cmocka_unit_test(an_older_page_stays_when_a_new_one_fails),
        cmocka_unit_test(a_folder_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests_name("report_faults", tests, open_scene, close_scene);
}
