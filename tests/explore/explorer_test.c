// explorer_test.c -- a session: what is answered to requests that have passed the gate.

#include "explore/explorer_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

typedef struct session {
    char folder[SUPPORT_PATH], model[SUPPORT_PATH], data[SUPPORT_PATH];
    opn_graph *graph;
    opn_params *params;
    opn_explorer *explorer;
    opn_i_answer answer; // the last one
    json_t *document;    // of it
} session;

static session open_session(const char *settings)
{
    session s = {.answer = {.body = {.ctx = ctx}}};
    support_temp_folder(s.folder);
    support_path(s.model, s.folder, "m.safetensors");
    support_path(s.data, s.folder, "g.npz");
    opn_graph *drawn = trial_draw_split(ctx, "nodes=60 classes=3 features=20 seed=3", 5);
    assert_int_equal(opn_graph_save(ctx, drawn, s.data), OPN_OK);
    s.params = trial_params(ctx, "perplexity=5");
    assert_int_equal(opn_graph_load_prepared(ctx, s.data, s.params, &s.graph), OPN_OK);
    opn_model *model = trial_train(ctx, s.graph, settings);
    assert_int_equal(opn_model_save(ctx, model, s.model), OPN_OK);
    opn_model_free(model);
    opn_graph_free(drawn);
    assert_int_equal(opn_explorer_load(ctx, s.model, s.data, s.params, &s.explorer),
                     OPN_OK);
    return s;
}

static void close_session(session *s)
{
    json_decref(s->document);
    opn_i_text_free(&s->answer.body);
    opn_explorer_free(s->explorer);
    opn_params_free(s->params);
    opn_graph_free(s->graph);
    support_remove_folder(s->folder);
}

// Asks, and returns the status.
static int ask(session *s, const char *method, const char *path, const char *body)
{
    const opn_i_request request = {method, path, body, strlen(body)};
    json_decref(s->document);
    opn_i_text_free(&s->answer.body);
    s->answer =
            (opn_i_answer){.code = 200, .type = "application/json", .body = {.ctx = ctx}};
    opn_i_explorer_answer(ctx, s->explorer, &request, &s->answer);
    assert_int_equal(s->answer.body.status, OPN_OK);
    s->document =
            json_loadb(opn_i_text_chars(&s->answer.body), s->answer.body.n, 0, NULL);
    return s->answer.code;
}

static const char *text_at(const session *s, const char *member)
{
    return json_string_value(json_object_get(s->document, member));
}

static void
expect_refused(session *s, const char *path, const char *body, const char *why)
{
    assert_int_equal(ask(s, "POST", path, body), 400);
    assert_non_null(text_at(s, "error"));
    assert_non_null(strstr(text_at(s, "error"), why));
}

static const char bayesian[] = "model=s-bgcn-t-k epochs=5 hidden=4 samples=5";

static void a_what_if_is_a_training_on_these_labels(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    const opn_i_edit edit[] = {{7, 2}, {0, -1}, {2, 0}};
    assert_int_equal(ask(&s, "POST", "/what-if",
                         "{\"model\":0,\"labels\":[{\"node\":7,\"class\":2},"
                         "{\"node\":0,\"class\":null},{\"node\":2,\"class\":0}]}"),
                     202);
    opn_i_worker_wait(s.explorer->worker);
    assert_int_equal(ask(&s, "GET", "/what-if/model", ""), 200);
    opn_model *served = NULL;
    assert_int_equal(opn_model_read(ctx, s.answer.body.chars, s.answer.body.n, &served),
                     OPN_OK);
    // By hand: another graph with these labels and roles, trained from scratch.
    opn_graph *edited = NULL;
    int32_t label[60];
    uint8_t role[60];
    memcpy(label, opn_graph_labels(s.graph), sizeof(label));
    memcpy(role, opn_graph_roles(s.graph), sizeof(role));
    for (size_t e = 0; e < 3; e++) {
        label[edit[e].node] = edit[e].label;
        role[edit[e].node] = edit[e].label < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_TRAIN;
    }
    assert_int_equal(opn_graph_copy(ctx, s.graph, &edited), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, edited, 3, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, edited, role), OPN_OK);
    opn_model *fresh = trial_train(ctx, edited, bayesian);
    opn_prediction *said = opinions_ask(ctx, served, edited, NULL);
    opn_prediction *wanted = opinions_ask(ctx, fresh, edited, NULL);
    opinions_expect_same(said, wanted);
    opn_prediction_free(wanted);
    opn_prediction_free(said);
    opn_model_free(fresh);
    opn_model_free(served);
    opn_graph_free(edited);
    close_session(&s);
}

static void no_labels_forget_a_what_if(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    assert_int_equal(ask(&s, "GET", "/what-if", ""), 404);
    assert_int_equal(ask(&s, "POST", "/what-if",
                         "{\"model\":0,\"labels\":[{\"node\":7,\"class\":2}]}"),
                     202);
    opn_i_worker_wait(s.explorer->worker);
    assert_int_equal(ask(&s, "GET", "/what-if", ""), 200);
    assert_non_null(json_object_get(s.document, "numbers"));
    assert_int_equal(ask(&s, "POST", "/what-if", "{\"model\":0,\"labels\":[]}"), 200);
    assert_true(json_is_null(json_object_get(s.document, "what_if")));
    assert_int_equal(ask(&s, "GET", "/what-if", ""), 404);
    close_session(&s);
}

static void labels_of_classes_that_are_held_out_are_refused(void **state)
{
    (void)state;
    session s = open_session("model=s-gcn epochs=3 hidden=4 ood_classes=1 task=ood");
    expect_refused(&s, "/what-if", "{\"model\":0,\"labels\":[{\"node\":7,\"class\":1}]}",
                   "learns");
    assert_int_equal(ask(&s, "POST", "/what-if",
                         "{\"model\":0,\"labels\":[{\"node\":7,\"class\":2}]}"),
                     202);
    opn_i_worker_wait(s.explorer->worker);
    assert_int_equal(ask(&s, "GET", "/state", ""), 200);
    assert_string_equal(json_string_value(json_object_get(
                                json_object_get(s.document, "work"), "status")),
                        "done");
    close_session(&s);
}

static void what_is_wrong_with_a_request_is_said(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    expect_refused(&s, "/what-if", "[", "JSON");
    expect_refused(&s, "/what-if", "[]", "object");
    expect_refused(&s, "/what-if", "{\"model\":1,\"labels\":[]}", "model");
    expect_refused(&s, "/what-if", "{\"model\":0,\"labels\":[{\"node\":60}]}", "node");
    expect_refused(&s, "/models", "{\"model\":\"GCN\"}", "one of");
    expect_refused(&s, "/features", "{\"feature\":20}", "20 features");
    expect_refused(&s, "/v2/models/opine/infer", "{\"inputs\":[]}", "inputs");
    assert_int_equal(ask(&s, "GET", "/nowhere", ""), 404);
    assert_int_equal(ask(&s, "POST", "/state", ""), 404);
    assert_int_equal(ask(&s, "GET", "/v2/models/other", ""), 404);
    close_session(&s);
}

static void an_inference_is_what_the_model_predicts(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    const opn_prediction *said = s.explorer->report->view[0].said;
    assert_int_equal(ask(&s, "POST", "/v2/models/opine/infer",
                         "{\"inputs\":[{\"name\":\"nodes\",\"datatype\":\"BYTES\","
                         "\"shape\":[2,1],\"data\":[\"59\",\"0\"]}],"
                         "\"outputs\":[{\"name\":\"p\"},{\"name\":\"vacuity\"}]}"),
                     200);
    const json_t *outputs = json_object_get(s.document, "outputs");
    const json_t *p = json_object_get(json_array_get(outputs, 0), "data");
    const json_t *vacuity = json_object_get(json_array_get(outputs, 1), "data");
    for (size_t k = 0; k < 3; k++) {
        assert_true((float)json_real_value(json_array_get(p, k)) ==
                    said->probability[(size_t)59 * 3 + k]);
        assert_true((float)json_real_value(json_array_get(p, 3 + k)) ==
                    said->probability[k]);
    }
    assert_true((float)json_real_value(json_array_get(vacuity, 0)) ==
                said->measure[OPN_MEASURE_VACUITY][59]);
    close_session(&s);
}

static void the_nodes_with_most_of_a_feature_come_first(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    assert_int_equal(ask(&s, "POST", "/features", "{\"find\":\"1\"}"), 200);
    const json_t *first = json_array_get(json_object_get(s.document, "features"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "1");
    assert_int_equal(ask(&s, "POST", "/features", "{\"feature\":1}"), 200);
    const json_t *nodes = json_object_get(s.document, "nodes");
    assert_int_equal(json_array_size(nodes),
                     json_integer_value(json_object_get(s.document, "total")));
    for (size_t j = 0; j < json_array_size(nodes); j++) {
        const json_int_t i = json_integer_value(json_array_get(nodes, j));
        bool has_it = false;
        opn_i_feature_cursor at = opn_i_features_row(&s.graph->features, (int32_t)i);
        while (opn_i_feature_next(&at))
            has_it = has_it || at.col == 1;
        assert_true(has_it);
    }
    close_session(&s);
}

static void a_model_that_was_trained_joins_the_page(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    assert_int_equal(ask(&s, "POST", "/models", "{\"model\":\"gcn\",\"seed\":2}"), 202);
    opn_i_worker_wait(s.explorer->worker);
    assert_int_equal(ask(&s, "GET", "/state", ""), 200);
    assert_int_equal(json_integer_value(json_object_get(s.document, "models")), 2);
    assert_int_equal(ask(&s, "GET", "/", ""), 200);
    assert_string_equal(s.answer.type, "text/html; charset=utf-8");
    assert_non_null(strstr(s.answer.body.chars, "\"model\":\"gcn\""));
    assert_int_equal(ask(&s, "GET", "/models/1", ""), 200);
    assert_int_equal(ask(&s, "GET", "/models/2", ""), 404);
    close_session(&s);
}

static void serving_needs_a_place_and_ends_when_asked(void **state)
{
    (void)state;
    session s = open_session(bayesian);
    int n_calls = 1;
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .interrupted = support_stop_after_calls,
                             .user = &n_calls};
    assert_string_equal(opn_explorer_address(s.explorer), "");
    assert_int_equal(opn_explorer_wait(ctx, s.explorer), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_explorer_serve(ctx, s.explorer, "no port:x"),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_explorer_serve(ctx, s.explorer, ""), OPN_OK);
    assert_int_equal(opn_explorer_serve(ctx, s.explorer, ""), OPN_ERR_INVALID_ARG);
    assert_memory_equal(opn_explorer_address(s.explorer), "http://127.0.0.1:", 17);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(opn_explorer_wait(ctx, s.explorer), OPN_ERR_INTERRUPTED);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    close_session(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_what_if_is_a_training_on_these_labels),
            WITH_CTX(no_labels_forget_a_what_if),
            WITH_CTX(labels_of_classes_that_are_held_out_are_refused),
            WITH_CTX(what_is_wrong_with_a_request_is_said),
            WITH_CTX(an_inference_is_what_the_model_predicts),
            WITH_CTX(the_nodes_with_most_of_a_feature_come_first),
            WITH_CTX(a_model_that_was_trained_joins_the_page),
            WITH_CTX(serving_needs_a_place_and_ends_when_asked),
    };
    if (!opn_report_is_supported() || !opn_i_http_server_is_supported())
        return 0; // there is no explorer in this build
    return cmocka_run_group_tests(tests, NULL, NULL);
}
