// explorer_faults_test.c -- a served page while each allocation fails once: it refuses to
// start, or answers 500 with a message, or the work that was started fails with one.
// Nothing is leaked, and the next request is answered as if nothing had happened.

#include "explore/explorer_data.h"
#include "support/cmocka_test.h"
#include "support/fault.h"
#include "support/mhd_stand_in.h"
#include "support/support.h"
#include "support/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- the scene -----------------------------------------------------------------------

static struct {
    char folder[SUPPORT_PATH], data[SUPPORT_PATH], model[SUPPORT_PATH];
    opn_ctx *ctx;
    opn_params *params;
} scene;

static int open_scene(void **state)
{
    (void)state;
    static const uint8_t role[TRIAL_NODES] = {
            OPN_ROLE_TRAIN,      OPN_ROLE_VALIDATION, OPN_ROLE_TEST,
            OPN_ROLE_UNLABELLED, OPN_ROLE_UNLABELLED, OPN_ROLE_TRAIN,
            OPN_ROLE_TEST,       OPN_ROLE_TEST,       OPN_ROLE_UNLABELLED};
    support_temp_folder(scene.folder);
    support_path(scene.data, scene.folder, "g.npz");
    support_path(scene.model, scene.folder, "m.safetensors");
    scene.ctx = support_ctx(NULL);
    scene.params = trial_params(scene.ctx, "perplexity=2");
    opn_graph *drawn = trial_groups(scene.ctx);
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_set_roles(scene.ctx, drawn, role), OPN_OK);
    assert_int_equal(opn_graph_save(scene.ctx, drawn, scene.data), OPN_OK);
    assert_int_equal(opn_graph_load_prepared(scene.ctx, scene.data, scene.params, &graph),
                     OPN_OK);
    opn_model *model =
            trial_train(scene.ctx, graph, "model=s-bgcn-t-k epochs=3 hidden=2 samples=2");
    assert_int_equal(opn_model_save(scene.ctx, model, scene.model), OPN_OK);
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(drawn);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    opn_params_free(scene.params);
    opn_ctx_free(scene.ctx);
    support_remove_folder(scene.folder);
    return 0;
}

// A page that is served.
typedef struct session {
    meter m;
    opn_ctx *ctx;
    opn_explorer *explorer;
} session;

static void open_session(session *s)
{
    *s = (session){0};
    s->ctx = support_ctx(&s->m);
    assert_int_equal(opn_explorer_load(s->ctx, scene.model, scene.data, scene.params,
                                       &s->explorer),
                     OPN_OK);
    assert_int_equal(opn_explorer_serve(s->ctx, s->explorer, ""), OPN_OK);
}

static void close_session(session *s)
{
    opn_explorer_free(s->explorer);
    support_ctx_free(s->ctx, &s->m);
}

// ---- requests ------------------------------------------------------------------------

// One of each kind, and the status that it gets where nothing fails.
static const struct {
    const char *method, *path, *body;
    unsigned code;
} kinds[] = {
        {"GET", "/", "", 200},
        {"GET", "/state", "", 200},
        {"GET", "/what-if", "", 404},
        {"GET", "/models/0", "", 200},
        {"GET", "/nowhere", "", 404},
        {"PUT", "/", "", 405},
        {"POST", "/cancel", "", 200},
        {"POST", "/features", "{\"find\":\"1\"}", 200},
        {"POST", "/features", "{\"feature\":1}", 200},
        {"POST", "/features", "{", 400},
        {"GET", "/v2", "", 200},
        {"GET", "/v2/models/opine", "", 200},
        {"POST", "/v2/models/opine/infer",
         "{\"id\":\"a\",\"inputs\":[{\"name\":\"nodes\",\"datatype\":\"INT64\","
         "\"shape\":[2],\"data\":[0,8]}]}",
         200},
        {"POST", "/what-if", "{\"model\":0,\"labels\":[]}", 200},
        {"POST", "/what-if", "{\"model\":0,\"labels\":[{\"node\":3,\"class\":1}]}", 202},
        {"POST", "/models", "{\"model\":\"mlp\"}", 202},
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static stand_in_answer ask(const session *s, size_t kind)
{
    char host[64];
    char url[128];
    snprintf(host, sizeof(host), "127.0.0.1:%d", s->explorer->gate.port);
    snprintf(url, sizeof(url), "/%s%s", s->explorer->gate.token, kinds[kind].path);
    const stand_in_header header[] = {{"Host", host}};
    const stand_in_request request = {
            kinds[kind].method,      url, header, 1, kinds[kind].body,
            strlen(kinds[kind].body)};
    stand_in_answer answer = stand_in_ask(&request);
    answer.request = NULL; // it is gone
    return answer;
}

static json_t *document_of(const stand_in_answer *answer)
{
    json_t *document =
            json_loadb(answer->response->body, answer->response->n_body, 0, NULL);
    assert_true(json_is_object(document));
    return document;
}

static void expect_failure(const stand_in_answer *answer)
{
    json_t *document = document_of(answer);
    const char *why = json_string_value(json_object_get(document, "error"));
    assert_int_equal(answer->code, 500);
    assert_string_equal(stand_in_answer_header(answer, "Content-Type"),
                        "application/json");
    if (why == NULL || strstr(why, "memory") == NULL)
        fail_msg("it is said: %s", why);
    json_decref(document);
}

// What was started ends, and says why if it failed. Returns whether it did not.
static bool ends_well(const session *s)
{
    opn_i_work_state work;
    opn_i_worker_wait(s->explorer->worker);
    opn_i_worker_look(s->explorer->worker, &work);
    if (work.status == OPN_WORK_FAILED)
        assert_non_null(strstr(work.error, "out of memory"));
    else
        assert_true(work.status == OPN_WORK_DONE || work.status == OPN_WORK_NONE);
    return work.status != OPN_WORK_FAILED;
}

// Everything that only reads is answered as before.
static void expect_whole(const session *s)
{
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        if (kinds[kind].code == 202)
            continue;
        stand_in_answer answer = ask(s, kind);
        assert_true(answer.is_answered);
        if (strcmp(kinds[kind].path, "/what-if") != 0) // which there may be by now
            assert_int_equal(answer.code, kinds[kind].code);
        stand_in_answer_free(&answer);
    }
}

// ---- claims --------------------------------------------------------------------------

static opn_status load(opn_ctx *ctx)
{
    opn_explorer *explorer = NULL;
    const opn_status status =
            opn_explorer_load(ctx, scene.model, scene.data, scene.params, &explorer);
    assert_int_equal(explorer == NULL, status != OPN_OK);
    opn_explorer_free(explorer);
    return status;
}

static void every_allocation_of_loading_may_fail(void **state)
{
    (void)state;
    assert_true(support_fail_allocations(load) > 200);
}

static void every_allocation_of_starting_may_fail(void **state)
{
    (void)state;
    bool is_reached = true;
    session s = {0};
    s.ctx = support_ctx(&s.m);
    assert_int_equal(
            opn_explorer_load(s.ctx, scene.model, scene.data, scene.params, &s.explorer),
            OPN_OK);
    for (long k = 1; is_reached; k++) {
        s.m.fail_at = s.m.n_requests + k;
        const opn_status status = opn_explorer_serve(s.ctx, s.explorer, "");
        is_reached = s.m.n_requests >= s.m.fail_at;
        s.m.fail_at = 0;
        assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
        if (is_reached) {
            support_expect_error(s.ctx, "out of memory");
            assert_string_equal(opn_explorer_address(s.explorer), "");
        }
        assert_true(is_reached || k > 2);
    }
    expect_whole(&s);
    close_session(&s);
}

static void every_allocation_of_an_answer_may_fail(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        bool is_reached = true;
        session s;
        open_session(&s);
        // A training allocates a thousand times: of the later ones every tenth fails.
        for (long k = 1; is_reached; k += k < 200 ? 1 : 10) {
            s.m.fail_at = s.m.n_requests + k;
            stand_in_answer answer = ask(&s, kind);
            const bool is_well = ends_well(&s);
            is_reached = s.m.n_requests >= s.m.fail_at;
            s.m.fail_at = 0;
            assert_true(answer.is_answered);
            if (answer.code != kinds[kind].code)
                expect_failure(&answer);
            if (!is_reached)
                assert_true(is_well && answer.code == kinds[kind].code);
            stand_in_answer_free(&answer);
            if (s.explorer->n_explored > 1 || !is_well) { // the page has no room for all
                expect_whole(&s);
                close_session(&s);
                open_session(&s);
            }
        }
        expect_whole(&s);
        close_session(&s);
    }
}

// libmicrohttpd has allocations of its own.
static void every_call_of_the_library_that_serves_may_fail(void **state)
{
    (void)state;
    session s = {0};
    s.ctx = support_ctx(&s.m);
    assert_int_equal(
            opn_explorer_load(s.ctx, scene.model, scene.data, scene.params, &s.explorer),
            OPN_OK);
    stand_in.n_calls = 0;
    stand_in.fail_at = 1;
    assert_int_equal(opn_explorer_serve(s.ctx, s.explorer, ""), OPN_ERR_NOMEM);
    assert_int_equal(opn_explorer_serve(s.ctx, s.explorer, ""), OPN_OK);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        bool is_reached = kinds[kind].code != 202;
        for (long k = 1; is_reached; k++) {
            stand_in.n_calls = 0;
            stand_in.fail_at = k;
            stand_in_answer answer = ask(&s, kind);
            is_reached = stand_in.n_calls >= k;
            stand_in.fail_at = 0;
            assert_int_equal(answer.is_answered, !is_reached);
            stand_in_answer_free(&answer);
            assert_true(is_reached || k > 8); // a response, seven headers, the queue
        }
    }
    expect_whole(&s);
    close_session(&s);
}

#if HEAP_IS_OURS
// Jansson too, which writes the documents and leaves out what it has no memory for. It
// may crash when it has none to read with, so nothing is posted here.
static void every_request_of_an_answer_to_the_heap_may_fail(void **state)
{
    (void)state;
    session s;
    open_session(&s);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        bool is_reached = strcmp(kinds[kind].method, "GET") == 0;
        for (long k = 1; is_reached; k++) {
            stand_in_answer wanted = ask(&s, kind);
            fault_arm(&fault_heap, k, ENOMEM);
            stand_in_answer answer = ask(&s, kind);
            fault_disarm(&fault_heap);
            is_reached = fault_heap.n_calls >= k;
            assert_true(answer.is_answered || is_reached);
            if (answer.is_answered && answer.code == kinds[kind].code) {
                assert_int_equal(answer.response->n_body, wanted.response->n_body);
                assert_memory_equal(answer.response->body, wanted.response->body,
                                    wanted.response->n_body);
            } else if (answer.is_answered)
                expect_failure(&answer);
            stand_in_answer_free(&answer);
            stand_in_answer_free(&wanted);
        }
    }
    close_session(&s);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_loading_may_fail),
        cmocka_unit_test(every_allocation_of_starting_may_fail),
        cmocka_unit_test(every_allocation_of_an_answer_may_fail),
        cmocka_unit_test(every_call_of_the_library_that_serves_may_fail),
#if HEAP_IS_OURS
        cmocka_unit_test(every_request_of_an_answer_to_the_heap_may_fail),
#endif
    };
    if (!opn_report_is_supported())
        return 0; // there is no explorer in this build
    return cmocka_run_group_tests_name("explorer_faults", tests, open_scene, close_scene);
}
