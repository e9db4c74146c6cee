// prediction_file_test.c -- predictions, read back from CSV, npz and JSON files.

#include "base/context.h"
#include "opine/opine.h"
#include "predict/prediction_file.h"
#include "support/cmocka_test.h"
#include "support/prediction_sample.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

static opn_ctx *ctx;

enum { N_FORMS = 3 };
static const char *const form_names[N_FORMS] = {"out.csv", "out.npz", "out.json"};

// ---- predictions of a model ----------------------------------------------------------

// Names that a careless reader breaks on, of nodes and of classes; "=1+1" has no label.
static opn_graph *hostile_graph(const char *root)
{
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    assert_int_equal(mkdir(support_path(folder, root, "hostile"), 0777), 0);
    support_write_text(support_path(path, folder, "features.csv"),
                       "node,u,v\n\"a,b\",1,0\n\"say \"\"hi\"\"\",0,1\n\"two\nlines\",1,1"
                       "\n\xf0\x9f\xa6\x89 owl,2,0\n\" blank \",0,3\n=1+1,1,2\n");
    support_write_text(
            support_path(path, folder, "labels.csv"),
            "node,label\n\"a,b\",\"caf\xc3\xa9, \"\"noir\"\"\"\n\"say "
            "\"\"hi\"\"\",\"x\ty\"\n\"two\nlines\",\"caf\xc3\xa9, "
            "\"\"noir\"\"\"\n\xf0\x9f\xa6\x89 owl,\"p_\\u0041\"\"{[\"\n\" blank "
            "\",\"p_\\u0041\"\"{[\"\n=1+1,\n");
    support_write_text(support_path(path, folder, "edges.csv"),
                       "from,to\n\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",=1+1\n");
    support_write_text(support_path(path, folder, "split.csv"),
                       "node,role\n\"a,b\",train\n\"say \"\"hi\"\"\",train\n"
                       "\"two\nlines\",validation\n\xf0\x9f\xa6\x89 owl,train\n"
                       "\" blank \",test\n");
    if (opn_graph_load(ctx, folder, NULL, &raw) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_int_equal(opn_graph_prepare(ctx, raw, OPN_STEP_UNDIRECTED, &graph), OPN_OK);
    opn_graph_free(raw);
    return graph;
}

typedef struct scene {
    char folder[SUPPORT_PATH];
    opn_graph *graph;
    opn_model *model;
    opn_split *split;
    opn_prediction *said;
} scene;

static scene open_scene(const char *settings)
{
    scene at = {.graph = NULL};
    support_temp_folder(at.folder);
    at.graph = hostile_graph(at.folder);
    at.model = trial_train(ctx, at.graph, settings);
    assert_int_equal(opn_model_split(ctx, at.model, at.graph, &at.split), OPN_OK);
    at.said = opinions_ask(ctx, at.model, at.graph, NULL);
    return at;
}

static void close_scene(scene *at)
{
    opn_prediction_free(at->said);
    opn_split_free(at->split);
    opn_model_free(at->model);
    opn_graph_free(at->graph);
    support_remove_folder(at->folder);
}

static char *save(const scene *at, int form, char path[SUPPORT_PATH])
{
    support_path(path, at->folder, form_names[form]);
    if (opn_prediction_save(ctx, at->model, at->graph, at->split, at->said, path) !=
        OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return path;
}

// The same bits, or nothing in both.
static void expect_numbers(const float *got, const float *want, size_t n)
{
    assert_int_equal(got == NULL, want == NULL);
    if (want != NULL)
        assert_memory_equal(got, want, n * sizeof(*got));
}

static void expect_node(const opn_i_prediction_file *file, const scene *at, opn_vid i)
{
    char number[12];
    const int32_t label = opn_graph_labels(at->graph)[i];
    assert_string_equal(opn_i_names_at(&file->nodes, i),
                        opn_graph_node_name(at->graph, i, number));
    assert_int_equal(file->role[i], opn_split_roles(at->split)[i]);
    assert_int_equal(file->said->predicted[i], at->said->predicted[i]);
    assert_int_equal(file->label[i] < 0, label < 0);
    if (label < 0)
        return;
    assert_string_equal(opn_i_names_at(&file->classes, file->label[i]),
                        opn_graph_class_name(at->graph, label, number));
    assert_int_equal(file->label[i] < file->n_known,
                     opn_split_known(at->split)[label] >= 0);
}

static void expect_scene(const opn_i_prediction_file *file, const scene *at)
{
    const size_t n = (size_t)opn_graph_n_nodes(at->graph);
    const size_t n_wide = n * (size_t)opn_model_n_classes(at->model);
    assert_int_equal(file->n_nodes, n);
    assert_int_equal(file->nodes.n, n);
    assert_int_equal(file->n_known, opn_model_n_classes(at->model));
    assert_int_equal(file->classes.n, opn_graph_n_classes(at->graph));
    for (int32_t k = 0; k < file->n_known; k++)
        assert_string_equal(opn_i_names_at(&file->classes, k),
                            opn_model_class_name(at->model, k));
    for (opn_vid i = 0; i < file->n_nodes; i++)
        expect_node(file, at, i);
    expect_numbers(file->said->probability, at->said->probability, n_wide);
    expect_numbers(file->said->alpha, at->said->alpha, n_wide);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        expect_numbers(file->said->measure[m], at->said->measure[m], n);
}

static void expect_forms_give_back(const char *settings)
{
    scene at = open_scene(settings);
    for (int form = 0; form < N_FORMS; form++) {
        char path[SUPPORT_PATH];
        opn_i_prediction_file file = prediction_read(ctx, save(&at, form, path));
        expect_scene(&file, &at);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
        assert_int_equal(file.n_nodes, 0);
    }
    close_scene(&at);
}

static void every_form_gives_back_what_every_model_said(void **state)
{
    (void)state;
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=3",
                 trial_models[m]);
        expect_forms_give_back(settings);
    }
}

// A class is held out by its name, or by its number where it has none.
static const char held_out[] = "task=ood ood_classes=p_\\u0041\"{[ epochs=2 samples=2";

static void held_out_classes_come_after_those_of_the_model(void **state)
{
    (void)state;
    char settings[128];
    expect_forms_give_back(held_out);
    snprintf(settings, sizeof(settings), "model=gcn %s", held_out);
    expect_forms_give_back(settings);
}

static void numbers_for_names_are_texts(void **state)
{
    (void)state;
    static const char draw[] = "nodes=60 classes=4 features=20";
    char path[SUPPORT_PATH];
    scene at = {.graph = NULL};
    support_temp_folder(at.folder);
    at.graph = trial_draw(ctx, draw);
    at.model = trial_train(ctx, at.graph, "task=ood ood_classes=1,2 epochs=2 samples=2");
    assert_int_equal(opn_model_split(ctx, at.model, at.graph, &at.split), OPN_OK);
    at.said = opinions_ask(ctx, at.model, at.graph, NULL);
    for (int form = 0; form < N_FORMS; form++) {
        opn_i_prediction_file file = prediction_read(ctx, save(&at, form, path));
        expect_scene(&file, &at);
        assert_string_equal(opn_i_names_at(&file.nodes, 59), "59");
        assert_string_equal(opn_i_names_at(&file.classes, 1), "3");
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    close_scene(&at);
}

static void the_form_is_told_by_the_content_not_the_name(void **state)
{
    (void)state;
    scene at = open_scene("epochs=1 samples=2");
    for (int form = 0; form < N_FORMS; form++) {
        char path[SUPPORT_PATH];
        char other[SUPPORT_PATH];
        assert_int_equal(
                rename(save(&at, form, path),
                       support_path(other, at.folder, form_names[(form + 1) % N_FORMS])),
                0);
        opn_i_prediction_file file = prediction_read(ctx, other);
        expect_scene(&file, &at);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    close_scene(&at);
}

// What opine predict writes with --propagate.
static void smoothed_measures_and_the_energy_are_skipped(void **state)
{
    (void)state;
    scene at = open_scene("epochs=1 samples=2");
    opn_prediction all = *at.said;
    memcpy(all.smoothed, all.measure, sizeof(all.smoothed));
    all.energy = all.measure[OPN_MEASURE_ENTROPY];
    for (int form = 0; form < N_FORMS; form++) {
        char path[SUPPORT_PATH];
        support_path(path, at.folder, form_names[form]);
        assert_int_equal(
                opn_prediction_save(ctx, at.model, at.graph, at.split, &all, path),
                OPN_OK);
        opn_i_prediction_file file = prediction_read(ctx, path);
        expect_scene(&file, &at);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    close_scene(&at);
}

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    scene at = open_scene(held_out);
    for (int form = 0; form < N_FORMS; form++) {
        char path[SUPPORT_PATH];
        opn_status status = OPN_ERR_NOMEM;
        save(&at, form, path);
        for (long fail_at = 1; status != OPN_OK; fail_at++) {
            meter m = {0};
            opn_ctx *own = support_ctx(&m);
            opn_i_prediction_file file = {.n_nodes = -7};
            m.n_requests = 0;
            m.fail_at = fail_at;
            status = opn_i_prediction_file_read(own, path, &file);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            assert_true(status == OPN_OK || file.n_nodes == -7);
            if (status == OPN_OK)
                opn_i_prediction_file_deinit(&own->alloc, &file);
            support_ctx_free(own, &m);
        }
    }
    close_scene(&at);
}

// ---- files written by hand -----------------------------------------------------------

static opn_i_prediction_file read_text(const stage *s, const char *text)
{
    support_write_text(s->path, text);
    return prediction_read(ctx, s->path);
}

static void columns_may_be_in_any_order_and_of_any_number(void **state)
{
    (void)state;
    static const char *const tables[] = {
            two_nodes_csv,
            // Line ends of old Macs.
            "node,role,label,p_x,p_y,alpha_x,alpha_y,vacuity,predicted\r"
            "m,pool,z,0.25,0.75,1.5,2,0.5,y\rn,unlabelled,,1,0,8,1,0.125,x\r",
            // Blank lines, Windows line ends, a byte order mark, no line end at the end.
            "\xEF\xBB\xBF\r\n predicted , vacuity,note,alpha_y,p_x,label,alpha_x,p_y,"
            "role,node,aleatoric,vacuity~\r\n\r\n"
            "y,0.5,[1],2.0,2.5e-1,z,1.5,0.75,pool,m,,\r\n"
            "\"x\",0.125,\"a\nb\",1,1.0,\"\",8,0,unlabelled,n,,9",
            two_nodes_json,
            "\xEF\xBB\xBF [ "
            "{\"p\":{\"x\":0.25,\"y\":0.75},\"more\":[{\"a\":[\"]}\\\"\"]}]"
            ",\"vacuity\":5e-1,\"alpha\":{\"y\":2,\"x\":1.5},\"label\":\"z\",\"node\":"
            "\"m\",\"predicted\":\"y\",\"role\":\"pool\",\"energy\":7,\"entropy\":null}"
            "\t,"
            "{\"p\":{\"y\":0,\"x\":1},\"alpha\":{\"y\":1,\"x\":8},\"role\":\"unlabelled\""
            ",\"predicted\":\"x\",\"node\":\"n\",\"label\":\"\",\"vacuity\":0.125} ]",
    };
    stage *s = support_open_stage("some");
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        opn_i_prediction_file file = read_text(s, tables[t]);
        two_nodes_expect(&file);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    support_close_stage(s);
}

// Members may be in any order, and there may be others; older files are the list alone.
static void predictions_are_found_in_a_document(void **state)
{
    (void)state;
    static const char *const before[] = {
            "{\"decisions\":null,\"risk_coverage\":null,\n\"nodes\":", "{\"nodes\" : ",
            "\xEF\xBB\xBF { \"a\\\"nodes\" : \"[{\", \"b\":[{\"nodes\":[1]}],\"c\":-1.5e3 ,\"nodes\":"};
    static const char *const after[] = {"}\n", ",\"decisions\":{\"nodes\":[]} } ",
                                        ", \"z\":true}"};
    stage *s = support_open_stage("out.json");
    for (size_t t = 0; t < sizeof(before) / sizeof(before[0]); t++) {
        char text[1024];
        snprintf(text, sizeof(text), "%s%s%s", before[t], two_nodes_json, after[t]);
        opn_i_prediction_file file = read_text(s, text);
        two_nodes_expect(&file);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    support_close_stage(s);
}

static void a_packed_file_is_read_too(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.csv.gz");
    gzFile packed = gzopen(s->path, "wb");
    const unsigned n_bytes = (unsigned)strlen(two_nodes_csv);
    assert_int_equal(gzwrite(packed, two_nodes_csv, n_bytes), n_bytes);
    assert_int_equal(gzclose(packed), Z_OK);
    opn_i_prediction_file file = prediction_read(ctx, s->path);
    two_nodes_expect(&file);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    support_close_stage(s);
}

static void what_rounding_has_put_outside_comes_back(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.csv");
    opn_i_prediction_file file =
            read_text(s, "node,role,label,predicted,p_x,p_y,alpha_x,alpha_y,vacuity\n"
                         "m,val,x,x,1.000001,-1e-6,0.999999,3,1.000001\n"
                         "n,test,,x,0.333,0.666,1,3.4028e38,-0.000001\n");
    assert_int_equal(file.role[0], OPN_ROLE_VALIDATION);
    assert_true(file.said->probability[0] == 1.0f && file.said->probability[1] == 0.0f);
    assert_true(file.said->probability[2] == 0.333f &&
                file.said->probability[3] == 0.666f);
    assert_true(file.said->alpha[0] == 1.0f && file.said->alpha[1] == 3.0f);
    assert_true(file.said->measure[OPN_MEASURE_VACUITY][0] == 1.0f);
    assert_true(file.said->measure[OPN_MEASURE_VACUITY][1] == 0.0f);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    support_close_stage(s);
}

static void what_no_node_has_is_not_there(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.csv");
    opn_i_prediction_file file =
            read_text(s, "node,role,label,predicted,p_x,alpha_x,vacuity,entropy\n"
                         "m,pool,x,x,1,,,0\nn,pool,x,x,1,,,0.5\n");
    assert_null(file.said->alpha);
    assert_null(file.said->measure[OPN_MEASURE_VACUITY]);
    assert_true(file.said->measure[OPN_MEASURE_ENTROPY][1] == 0.5f);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(every_form_gives_back_what_every_model_said),
            WITH_CTX(held_out_classes_come_after_those_of_the_model),
            WITH_CTX(numbers_for_names_are_texts),
            WITH_CTX(the_form_is_told_by_the_content_not_the_name),
            WITH_CTX(smoothed_measures_and_the_energy_are_skipped),
            WITH_CTX(every_allocation_failure_is_reported_and_nothing_leaks),
            WITH_CTX(columns_may_be_in_any_order_and_of_any_number),
            WITH_CTX(predictions_are_found_in_a_document),
            WITH_CTX(a_packed_file_is_read_too),
            WITH_CTX(what_rounding_has_put_outside_comes_back),
            WITH_CTX(what_no_node_has_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
