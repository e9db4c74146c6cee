// report_page_test.c -- reports of other graphs, hostile names, and the file of a page.

#include "graph/graph_data.h"
#include "io/sha256.h"
#include "opine/report.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/report_scene.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- other graphs --------------------------------------------------------------------

static void name_classes(opn_graph *graph, int n, const char *const *name)
{
    opn_i_names_deinit(&ctx->alloc, &graph->class_names);
    for (int k = 0; k < n; k++)
        assert_int_equal(
                opn_i_names_add(ctx, &graph->class_names, name[k], strlen(name[k])),
                OPN_OK);
}

// The nine nodes of trial_groups with other labels.
static opn_graph *groups_of(const int32_t *label, int n_classes, const char *const *name)
{
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_set_labels(ctx, graph, n_classes, label), OPN_OK);
    name_classes(graph, n_classes, name);
    return graph;
}

static void on_another_graph_labelled_nodes_are_the_pool_and_judge_the_model(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const char *const others[] = {"b", "new", "a"};
    static const int32_t labels[TRIAL_NODES] = {2, 2, -1, 0, 1, 0, 1, -1, 2};
    stage *s = support_open_stage("page.html");
    opn_graph *graph = groups_of(trial_labels, 2, names);
    opn_graph *other = groups_of(labels, 3, others);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5 task=ood");
    opn_prediction *said = opinions_ask(ctx, model, other, NULL);
    page read = scene_show(ctx, other, model, s->path);
    const json_t *view = page_view(&read, 0);
    uint32_t *role = page_array(&read, 0, "role", "u8", TRIAL_NODES);
    uint32_t *predicted = page_array(&read, 0, "predicted", "u16", TRIAL_NODES);
    assert_int_equal(page_number(view, "known.0"), 2);
    assert_int_equal(page_number(view, "known.1"), 0);
    assert_int_equal(json_array_size(page_member(read.about, "graph.classes")), 3);
    for (int i = 0; i < TRIAL_NODES; i++) {
        assert_int_equal(role[i], labels[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_POOL);
        assert_int_equal(predicted[i], said->predicted[i] == 0 ? 2 : 0);
    }
    assert_int_equal(page_number(view, "pool.nodes"), 7);
    assert_int_equal(page_number(view, "pool.ood"), 2);
    assert_int_equal(page_number(view, "quality.nodes"), 5);
    assert_true(page_is_null(view, "training"));
    assert_string_equal(page_string(view, "training_note"),
                        "Not available: the model was trained on another graph, or on "
                        "another split of it.");
    assert_string_equal(page_string(view, "basis"), "labelled");
    free(role);
    free(predicted);
    page_free(&read);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

// Training nodes must never be shown as test nodes.
static void a_split_that_has_changed_is_not_taken_for_that_of_training(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = scene_graph(ctx);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    uint8_t swapped[SCENE_NODES];
    opn_split *split = NULL;
    listener l = {.interrupt_at = 0};
    assert_int_equal(opn_model_split(ctx, model, graph, &split), OPN_OK);
    for (int i = 0; i < SCENE_NODES; i++) {
        const uint8_t role = opn_split_roles(split)[i];
        swapped[i] = role == OPN_ROLE_TRAIN  ? OPN_ROLE_TEST
                     : role == OPN_ROLE_TEST ? OPN_ROLE_TRAIN
                                             : role;
    }
    opn_split_free(split);
    assert_int_equal(opn_graph_set_roles(ctx, graph, swapped), OPN_OK);
    support_listen(ctx, &l);
    assert_int_equal(opn_model_split(ctx, model, graph, &split), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_null(split);
    assert_non_null(strstr(l.log, "the split differs from the one used in training"));
    page read = scene_show(ctx, graph, model, s->path);
    uint32_t *role = page_array(&read, 0, "role", "u8", SCENE_NODES);
    for (int i = 0; i < SCENE_NODES; i++)
        assert_true(role[i] == OPN_ROLE_POOL || role[i] == OPN_ROLE_UNLABELLED);
    free(role);
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void classes_that_the_graph_does_not_have_come_after_its_own(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const char *const others[] = {"x", "b"};
    stage *s = support_open_stage("page.html");
    static const int32_t labels[TRIAL_NODES] = {1, 0, -1, 0, 1, 0, 1, -1, 1};
    opn_graph *graph = groups_of(trial_labels, 2, names);
    opn_graph *other = groups_of(labels, 2, others);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    page read = scene_show(ctx, other, model, s->path);
    assert_int_equal(json_array_size(page_member(read.about, "graph.classes")), 3);
    assert_string_equal(page_string(read.about, "graph.classes.2"), "a");
    assert_int_equal(page_number(page_view(&read, 0), "known.0"), 2);
    assert_int_equal(page_number(page_view(&read, 0), "known.1"), 1);
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void nothing_labelled_is_nothing_to_judge(void **state)
{
    (void)state;
    static const int32_t labels[TRIAL_NODES] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
    static const char *const names[] = {"0", "1"};
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = groups_of(labels, 2, names);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    page read = scene_show(ctx, other, model, s->path);
    const json_t *view = page_view(&read, 0);
    assert_int_equal(page_number(view, "pool.nodes"), 0);
    assert_int_equal(page_number(view, "quality.nodes"), 0);
    assert_true(page_is_null(view, "quality.accuracy"));
    assert_true(page_is_null(view, "detection.misclassification"));
    assert_true(page_is_null(view, "detection.ood"));
    assert_int_equal(json_array_size(page_member(view, "risk")), 0);
    assert_true(page_is_null(view, "reliability"));
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- names ---------------------------------------------------------------------------

static size_t count(const char *text, size_t n, const char *part)
{
    size_t found = 0;
    const size_t n_part = strlen(part);
    for (size_t at = 0; at + n_part <= n; at++)
        found += memcmp(text + at, part, n_part) == 0;
    return found;
}

static const char *const hostile[] = {
        "</script><script>alert(1)</script>",
        "</SCRIPT\n>",
        "<!-- <script>",
        "-->",
        "]]>",
        "a & b &lt; &#60;",
        "\"double\" and 'single' and \\back\\",
        "line\xe2\x80\xa8 and paragraph\xe2\x80\xa9 ends",
        "\xe2\x80\xae tfel-ot-thgir \xd7\x90",
        "\xf0\x9f\xa6\x89 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac",
        "tab\tnewline\nreturn\rbell\adelete\x7f",
        "\x01\x02\x1f",
        "@DATA@ @SCRIPT@ %s %n",
        "",
        "\\u003c/script\\u003e"};
enum { N_HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

static void add_name(opn_i_names *names, const char *name)
{
    assert_int_equal(opn_i_names_add(ctx, names, name, strlen(name)), OPN_OK);
}

static void expect_harmless(const page *read, const page *plain)
{
    static const char *const parts[] = {"</script", "<script", "<!--", "-->", "]]>"};
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
        assert_int_equal(count(read->text, read->n_text, parts[p]),
                         count(plain->text, plain->n_text, parts[p]));
    for (size_t j = 0; j < read->n_about; j++) {
        const unsigned char c = (unsigned char)read->about_text[j];
        if (c < 0x20 || c > 0x7f || c == '<' || c == '>' || c == '&')
            fail_msg("byte %d stands in the text", c);
    }
}

static void names_come_back_whole_and_do_no_harm(void **state)
{
    (void)state;
    static char longest[5001];
    stage *s = support_open_stage("page.html");
    opn_graph *graph = scene_graph(ctx);
    opn_model *gcn = trial_train(ctx, graph, "model=gcn epochs=1");
    page plain = scene_show(ctx, graph, gcn, s->path);
    opn_report *report = NULL;
    memset(longest, '<', 5000);
    for (int i = 0; i < SCENE_NODES; i++)
        add_name(&graph->node_names, i < N_HOSTILE ? hostile[i] : longest);
    for (int k = 0; k < 4; k++)
        add_name(&graph->class_names, k == 3 ? longest : hostile[4 * k]);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=1");
    assert_int_equal(opn_report_create(ctx, graph, hostile[0], &report), OPN_OK);
    scene_add_model(ctx, report, model, "");
    scene_save(ctx, report, s->path);
    page read = page_read(s->path);
    expect_harmless(&read, &plain);
    assert_string_equal(page_string(read.about, "title"), hostile[0]);
    for (int i = 0; i < SCENE_NODES; i++)
        assert_string_equal(json_string_value(json_array_get(
                                    page_member(read.about, "graph.names"), (size_t)i)),
                            i < N_HOSTILE ? hostile[i] : longest);
    assert_int_equal(json_array_size(page_member(read.about, "graph.classes")), 4);
    for (int k = 0; k < 4; k++)
        assert_string_equal(json_string_value(json_array_get(
                                    page_member(read.about, "graph.classes"), (size_t)k)),
                            k == 3 ? longest : hostile[4 * k]);
    page_free(&read);
    page_free(&plain);
    opn_report_free(report);
    opn_model_free(model);
    opn_model_free(gcn);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_byte_of_a_title_that_is_no_text_is_a_question_mark(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, "caf\xe9", &report), OPN_OK);
    scene_save(ctx, report, s->path);
    page read = page_read(s->path);
    assert_string_equal(page_string(read.about, "title"), "caf?");
    page_free(&read);
    opn_report_free(report);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- the file ------------------------------------------------------------------------

static void page_has_the_same_bytes_on_any_number_of_threads(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_held_out);
    for (int t = 1; t <= 4; t++) {
        assert_int_equal(opn_ctx_set_threads(ctx, t), OPN_OK);
        page read = scene_show(ctx, at.graph, at.model, at.s->path);
        assert_int_equal(read.n_text, at.read.n_text);
        assert_memory_equal(read.text, at.read.text, read.n_text);
        page_free(&read);
    }
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    scene_close(&at);
}

// No marker of the frame is left, and nothing is fetched.
static void page_is_one_whole_file(void **state)
{
    (void)state;
    static const char *const markers[] = {"@POLICY@", "@STYLE@",   "@LICENCE@",
                                          "@DATA@",   "@LIBRARY@", "@SCRIPT@"};
    scene at = scene_open(ctx, "model=gcn epochs=1");
    assert_true(opn_report_is_supported());
    for (size_t m = 0; m < 6; m++)
        assert_null(strstr(at.read.text, markers[m]));
    assert_non_null(strstr(at.read.text, "default-src 'none'"));
    assert_int_equal(count(at.read.text, at.read.n_text, " 'sha256-"), 3);
    assert_null(strstr(at.read.text, "rel=\"stylesheet\""));
    assert_null(strstr(at.read.text, "src=\"http"));
    assert_int_equal(at.read.n_text, strlen(at.read.text));
    assert_int_equal(support_count_entries(at.s->folder), 1);
    scene_close(&at);
}

// The next 'sha256-…' from *at on is of what stands between the next such tag from *from
// on and the one that closes it.
static void
expect_allowed(const char **at, const char **from, const char *tag, const char *end)
{
    unsigned char digest[OPN_SHA256_BYTES];
    opn_i_sha256 *sha = NULL;
    size_t n_told = 0;
    *from = strstr(*from, tag);
    assert_non_null(*from);
    *from += strlen(tag);
    assert_int_equal(opn_i_sha256_start(ctx, &sha), OPN_OK);
    opn_i_sha256_add(sha, *from, (size_t)(strstr(*from, end) - *from));
    assert_int_equal(opn_i_sha256_finish_bytes(sha, digest), OPN_OK);
    *at = strstr(*at, " 'sha256-");
    assert_non_null(*at);
    *at += strlen(" 'sha256-");
    unsigned char *told = base64_decode(*at, strcspn(*at, "'"), &n_told);
    assert_int_equal(n_told, sizeof(digest));
    assert_memory_equal(told, digest, sizeof(digest));
    free(told);
}

static void policy_allows_what_stands_in_the_page_and_nothing_else(void **state)
{
    (void)state;
    scene at = scene_open(ctx, "model=gcn epochs=1");
    const char *hash = at.read.text;
    const char *element = at.read.text;
    expect_allowed(&hash, &element, "<style>", "</style>");
    expect_allowed(&hash, &element, "\n<script>", "</script>");
    expect_allowed(&hash, &element, "\n<script>", "</script>");
    assert_null(strstr(hash, " 'sha256-"));
    scene_close(&at);
}

static void a_report_shows_six_models_and_no_seventh(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_report *report = NULL;
    opn_params *params = trial_params(ctx, "");
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    for (int v = 0; v < 7; v++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=1 samples=2",
                 trial_models[v]);
        opn_model *model = trial_train(ctx, graph, settings);
        assert_int_equal(opn_report_add_model(ctx, report, model, params),
                         v < 6 ? OPN_OK : OPN_ERR_INVALID_ARG);
        opn_model_free(model);
    }
    support_expect_error(ctx, "at most 6 models");
    scene_save(ctx, report, s->path);
    page read = page_read(s->path);
    assert_int_equal(json_array_size(page_member(read.about, "views")), 6);
    for (int v = 0; v < 6; v++)
        assert_string_equal(page_string(page_view(&read, v), "model"), trial_models[v]);
    page_free(&read);
    opn_params_free(params);
    opn_report_free(report);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_report_without_models_shows_the_graph(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    scene_save(ctx, report, s->path);
    page read = page_read(s->path);
    assert_int_equal(json_array_size(page_member(read.about, "views")), 0);
    free(page_array(&read, -1, "ends", "u16", TRIAL_EDGES));
    page_free(&read);
    opn_report_free(report);
    opn_report_free(NULL);
    opn_graph_free(graph);
    support_close_stage(s);
}

// A page could not show which way an edge goes.
static void a_directed_graph_is_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("graph");
    char path[SUPPORT_PATH];
    opn_graph *graph = NULL;
    opn_report *report = NULL;
    opn_graph *groups = trial_groups(ctx);
    assert_int_equal(opn_graph_save(ctx, groups, s->path), OPN_OK);
    support_write_text(support_path(path, s->path, "edges.csv"),
                       "source,target\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n1,2\n");
    assert_int_equal(opn_graph_load(ctx, s->path, NULL, &graph), OPN_OK);
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_ERR_SHAPE);
    support_expect_error(ctx, "directed");
    assert_null(report);
    opn_graph_free(graph);
    opn_graph_free(groups);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(on_another_graph_labelled_nodes_are_the_pool_and_judge_the_model),
            WITH_CTX(a_split_that_has_changed_is_not_taken_for_that_of_training),
            WITH_CTX(classes_that_the_graph_does_not_have_come_after_its_own),
            WITH_CTX(nothing_labelled_is_nothing_to_judge),
            WITH_CTX(names_come_back_whole_and_do_no_harm),
            WITH_CTX(a_byte_of_a_title_that_is_no_text_is_a_question_mark),
            WITH_CTX(page_has_the_same_bytes_on_any_number_of_threads),
            WITH_CTX(page_is_one_whole_file),
            WITH_CTX(policy_allows_what_stands_in_the_page_and_nothing_else),
            WITH_CTX(a_report_shows_six_models_and_no_seventh),
            WITH_CTX(a_report_without_models_shows_the_graph),
            WITH_CTX(a_directed_graph_is_refused),
    };
    return cmocka_run_group_tests_name("report_page", tests, NULL, NULL);
}
