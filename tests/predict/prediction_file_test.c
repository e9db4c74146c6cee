// prediction_file_test.c -- predictions, read back from CSV, npz and JSON files.

#include "base/context.h"
#include "io/npz.h"
#include "opine/opine.h"
#include "predict/prediction_file.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static opn_i_prediction_file read_back(const char *path)
{
    opn_i_prediction_file file = {0};
    if (opn_i_prediction_file_read(ctx, path, &file) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return file;
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
        opn_i_prediction_file file = read_back(save(&at, form, path));
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
        opn_i_prediction_file file = read_back(save(&at, form, path));
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
        opn_i_prediction_file file = read_back(other);
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
        opn_i_prediction_file file = read_back(path);
        expect_scene(&file, &at);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    close_scene(&at);
}

// ---- files written by hand -----------------------------------------------------------

static opn_i_prediction_file read_text(const stage *s, const char *text)
{
    support_write_text(s->path, text);
    return read_back(s->path);
}

// Two nodes of classes x and y, of which z is held out.
static void expect_two_nodes(const opn_i_prediction_file *file)
{
    static const float p[] = {0.25f, 0.75f, 1.0f, 0.0f};
    static const float alpha[] = {1.5f, 2.0f, 8.0f, 1.0f};
    static const float vacuity[] = {0.5f, 0.125f};
    assert_int_equal(file->n_nodes, 2);
    assert_int_equal(file->n_known, 2);
    assert_int_equal(file->classes.n, 3);
    assert_string_equal(opn_i_names_at(&file->nodes, 0), "m");
    assert_string_equal(opn_i_names_at(&file->nodes, 1), "n");
    assert_string_equal(opn_i_names_at(&file->classes, 0), "x");
    assert_string_equal(opn_i_names_at(&file->classes, 1), "y");
    assert_string_equal(opn_i_names_at(&file->classes, 2), "z");
    assert_int_equal(file->role[0], OPN_ROLE_POOL);
    assert_int_equal(file->role[1], OPN_ROLE_UNLABELLED);
    assert_int_equal(file->label[0], 2);
    assert_int_equal(file->label[1], -1);
    assert_int_equal(file->said->predicted[0], 1);
    assert_int_equal(file->said->predicted[1], 0);
    assert_memory_equal(file->said->probability, p, sizeof(p));
    assert_memory_equal(file->said->alpha, alpha, sizeof(alpha));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (m != OPN_MEASURE_VACUITY)
            assert_null(file->said->measure[m]);
    assert_memory_equal(file->said->measure[OPN_MEASURE_VACUITY], vacuity,
                        sizeof(vacuity));
}

static const char plain_csv[] = "node,role,label,p_x,p_y,alpha_x,alpha_y,vacuity,"
                                "predicted\n"
                                "m,pool,z,0.25,0.75,1.5,2,0.5,y\n"
                                "n,unlabelled,,1,0,8,1,0.125,x\n";
static const char plain_json[] =
        "[\n{\"node\":\"m\",\"role\":\"pool\",\"label\":\"z\",\"predicted\":\"y\","
        "\"p\":{\"x\":0.25,\"y\":0.75},\"alpha\":{\"x\":1.5,\"y\":2},\"vacuity\":0.5},\n"
        "{\"node\":\"n\",\"role\":\"unlabelled\",\"label\":null,\"predicted\":\"x\","
        "\"p\":{\"x\":1,\"y\":0.0},\"alpha\":{\"x\":8,\"y\":1},\"vacuity\":0.125}\n]\n";

static void columns_may_be_in_any_order_and_of_any_number(void **state)
{
    (void)state;
    static const char *const tables[] = {
            plain_csv,
            // The line ends of old.
            "node,role,label,p_x,p_y,alpha_x,alpha_y,vacuity,predicted\r"
            "m,pool,z,0.25,0.75,1.5,2,0.5,y\rn,unlabelled,,1,0,8,1,0.125,x\r",
            // Blank lines, the line ends of Windows, a byte order mark, no last line end.
            "\xEF\xBB\xBF\r\n predicted , vacuity,note,alpha_y,p_x,label,alpha_x,p_y,"
            "role,node,aleatoric,vacuity~\r\n\r\n"
            "y,0.5,[1],2.0,2.5e-1,z,1.5,0.75,pool,m,,\r\n"
            "\"x\",0.125,\"a\nb\",1,1.0,\"\",8,0,unlabelled,n,,9",
            plain_json,
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
        expect_two_nodes(&file);
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
        snprintf(text, sizeof(text), "%s%s%s", before[t], plain_json, after[t]);
        opn_i_prediction_file file = read_text(s, text);
        expect_two_nodes(&file);
        opn_i_prediction_file_deinit(&ctx->alloc, &file);
    }
    support_close_stage(s);
}

static void a_packed_file_is_read_too(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.csv.gz");
    gzFile packed = gzopen(s->path, "wb");
    const unsigned n_bytes = (unsigned)strlen(plain_csv);
    assert_int_equal(gzwrite(packed, plain_csv, n_bytes), n_bytes);
    assert_int_equal(gzclose(packed), Z_OK);
    opn_i_prediction_file file = read_back(s->path);
    expect_two_nodes(&file);
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

// ---- refusals ------------------------------------------------------------------------

// Reads with a context of its own and tells what is wrong with the way that went: a
// status that does not blame the input, a leak, a block far larger than the input, and
// after a failure an output that was touched or a message that is not one line about the
// file. `message` (may be NULL) receives what was said, or "".
static opn_status read_soundly(const char *path, size_t n_bytes, char message[1024])
{
    meter m = {0};
    opn_ctx *own = support_ctx(&m);
    opn_i_prediction_file file = {.n_nodes = -7};
    const opn_status status = opn_i_prediction_file_read(own, path, &file);
    const char *said = status == OPN_OK ? "" : opn_ctx_error(own);
    if (status == OPN_OK) {
        assert_true(file.n_nodes > 0 && file.n_known > 0);
        opn_i_prediction_file_deinit(&own->alloc, &file);
    } else {
        assert_true(status == OPN_ERR_FORMAT || status == OPN_ERR_UNSUPPORTED ||
                    status == OPN_ERR_OVERFLOW || status == OPN_ERR_READ);
        assert_int_equal(file.n_nodes, -7);
        assert_memory_equal(said, path, strlen(path));
        assert_true(strlen(said) > strlen(path) + 2 && strlen(said) < 1023);
        for (const char *c = said; *c != 0; c++)
            assert_true((unsigned char)*c >= 0x20);
    }
    assert_true(m.largest <= 48 * n_bytes + 16384);
    if (message != NULL)
        snprintf(message, 1024, "%s", said);
    support_ctx_free(own, &m);
    return status;
}

static void expect_refused(const stage *s, const char *want)
{
    size_t n_bytes = 0;
    char message[1024];
    char *bytes = support_read_file(s->path, &n_bytes);
    free(bytes);
    if (read_soundly(s->path, n_bytes, message) == OPN_OK)
        fail_msg("is taken, without: %s", want);
    // The folder goes by another name each time.
    if (strcmp(message + strlen(s->folder) + 1, want) != 0)
        fail_msg("says\n  %s, not\n  %s", message + strlen(s->folder) + 1, want);
}

typedef struct bad_text {
    const char *text;
    const char *message;
} bad_text;

static void expect_all_refused(const char *name, const bad_text *bad, size_t n)
{
    stage *s = support_open_stage(name);
    for (size_t b = 0; b < n; b++) {
        support_write_text(s->path, bad[b].text);
        expect_refused(s, bad[b].message);
    }
    support_close_stage(s);
}

#define HEAD "node,role,label,p_x,p_y,alpha_x,alpha_y,vacuity,predicted\n"
#define GOOD "m,pool,x,0.5,0.5,1,1,1,x\n"

static void a_table_that_is_wrong_is_refused_by_its_line(void **state)
{
    (void)state;
    static const bad_text bad[] = {
            {HEAD GOOD "\n\"a\nb\",tain,x,0.5,0.5,1,1,1,x\n",
             "out.csv:4: role \"tain\" is not one of train, validation, test, pool, "
             "unlabelled"},
            {HEAD GOOD "n,pool,x,0.5,0.5,1,1,1\n",
             "out.csv:3: 8 fields, but the first row has 9"},
            {HEAD GOOD "n,pool,x,0.5,0.5,1,1,1,z\n",
             "out.csv:3: predicted \"z\" is not one of the 2 classes with a p"},
            {HEAD GOOD "n,pool,z,0.5,0.5,1,1,1,z\n",
             "out.csv:3: predicted \"z\" is not one of the 2 classes with a p"},
            {HEAD "m,pool,x,0.5,half,1,1,1,x\n",
             "out.csv:2: p_y is \"half\", expected a finite number"},
            {HEAD "m,pool,x,0.5,nan,1,1,1,x\n",
             "out.csv:2: p_y is \"nan\", expected a finite number"},
            {HEAD "m,pool,x,0.5,0.5,1e39,1,1,x\n",
             "out.csv:2: alpha_x is \"1e39\", expected a finite number"},
            {HEAD "m,pool,x,0.5,,1,1,1,x\n", "out.csv:2: p of class \"y\" is missing"},
            {HEAD "m,pool,x,-0.5,1.5,1,1,1,x\n",
             "out.csv:2: p of class \"x\" is -0.5, outside [0, 1]"},
            {HEAD "m,pool,x,0,1.5,1,1,1,x\n",
             "out.csv:2: p of class \"y\" is 1.5, outside [0, 1]"},
            {HEAD "m,pool,x,0.5,0.25,1,1,1,x\n",
             "out.csv:2: the p of all classes sum to 0.75, not 1"},
            {HEAD GOOD "n,pool,x,0.5,0.5,1,0.5,1,x\n",
             "out.csv:3: alpha of class \"y\" is 0.5, expected a finite number of at "
             "least 1"},
            {HEAD "m,pool,x,0.5,0.5,1,,1,x\n",
             "out.csv:2: alpha of class \"y\" is missing, but those before it are "
             "given"},
            {HEAD "m,pool,x,0.5,0.5,,,1,x\nn,pool,x,0.5,0.5,1,,1,x\n",
             "out.csv:3: alpha of class \"x\" is given, but those before it are "
             "missing"},
            {HEAD GOOD "n,pool,x,0.5,0.5,1,1,,x\n",
             "out.csv:3: vacuity is missing, but those before it are given"},
            {HEAD GOOD "n,pool,x,0.5,0.5,1,1,1.01,x\n",
             "out.csv:3: vacuity is 1.01, outside [0, 1]"},
            {HEAD "m,train,,0.5,0.5,1,1,1,x\n",
             "out.csv:2: the node is used to train but has no label"},
            {HEAD "m,validation,,0.5,0.5,1,1,1,x\n",
             "out.csv:2: the node is used to validate but has no label"},
            {HEAD GOOD "\"n,pool", "out.csv:3: the quote that opens field 1 never ends"},
            {HEAD, "out.csv: has no nodes; expected a file of predictions"},
            {"node,role,label,p_x,p_x,predicted\n",
             "out.csv: column \"p_x\" appears twice"},
            {"node,role,role,label,p_x,predicted\n",
             "out.csv: column \"role\" appears twice"},
            {"node,role,label,p_,predicted\n", "out.csv: a class has no name"},
            {"node,role,label,p_x,alpha_y,predicted\n",
             "out.csv: column \"alpha_y\" without a column \"p_y\""},
            {"node,role,label,p_x,p_y,alpha_y,predicted\n",
             "out.csv: 1 columns \"alpha_CLASS\", but 2 of \"p_CLASS\""},
    };
    expect_all_refused("out.csv", bad, sizeof(bad) / sizeof(bad[0]));
}

#define BEGIN "[{\"node\":\"m\",\"role\":\"pool\",\"label\":\"x\",\"predicted\":\"x\","
#define NODE  BEGIN "\"p\":{\"x\":0.5,\"y\":0.5},\"alpha\":{\"x\":1,\"y\":1}}"

static void a_list_that_is_wrong_is_refused_by_its_item(void **state)
{
    (void)state;
    static const bad_text bad[] = {
            {NODE ",{\"node\":\"n\",\"role\":\"tain\"}]",
             "out.json: item 1: role \"tain\" is not one of train, validation, test, "
             "pool, "
             "unlabelled"},
            {NODE ",{\"node\":\"n\",\"role\":7}]",
             "out.json: item 1: \"role\" is not a string"},
            {NODE ",{\"node\":\"n\",\"role\":\"pool\"}]",
             "out.json: item 1: no \"predicted\"; expected a file of predictions"},
            {NODE ",{\"node\":null,\"role\":\"pool\",\"predicted\":\"x\"}]",
             "out.json: item 1: \"node\" is not a string"},
            {NODE ",{\"role\":\"pool\",\"role\":\"test\"}]",
             "out.json: item 1: byte 21 of it: duplicate object key"},
            {BEGIN "\"p\":{\"x\":0.5,\"y\":\"1\"}}]",
             "out.json: item 0: p of class \"y\" is not a number"},
            {BEGIN "\"p\":{\"x\":0.5,\"y\":1e39}}]",
             "out.json: item 0: p of class \"y\" is inf, outside [0, 1]"},
            {BEGIN "\"p\":{\"x\":1,\"y\":null}}]",
             "out.json: item 0: p of class \"y\" is missing"},
            {BEGIN "\"p\":{\"x\":1},\"entropy\":[]}]",
             "out.json: item 0: entropy is not a number"},
            {BEGIN "\"p\":{\"x\":1},\"entropy\":2}]",
             "out.json: item 0: entropy is 2, outside [0, 1]"},
            {BEGIN "\"p\":{\"x\":1},\"alpha\":{\"y\":1}}]",
             "out.json: item 0: \"alpha\" lacks class \"x\""},
            {BEGIN "\"p\":{\"x\":1},\"alpha\":{\"x\":1,\"y\":1}}]",
             "out.json: item 0: \"alpha\" is not an object of 1 classes"},
            {BEGIN "\"p\":{\"\":1}}]", "out.json: item 0: a class has no name"},
            {BEGIN "\"p\":[0.5,0.5]}]",
             "out.json: item 0: no \"p\" of any class; expected a file of predictions"},
            {NODE ",7]",
             "out.json: item 1 is not an object; expected a file of predictions"},
            {NODE ",]",
             "out.json: item 1 is not an object; expected a file of predictions"},
            {NODE ";]", "out.json: item 0 is not followed by , or ]"},
            {NODE, "out.json: item 0 is not followed by , or ]"},
            {NODE ",{\"node\":\"}", "out.json: item 1 never ends; the file is truncated"},
            {NODE ",{\"\\", "out.json: item 1 never ends; the file is truncated"},
            {NODE "]]", "out.json: something follows the list of nodes"},
            {"{\"nodes\":" NODE "]",
             "out.json: the object never ends; the file is truncated"},
            {"{\"nodes\":" NODE "]}}", "out.json: something follows the list of nodes"},
            {"[[[[[[[[[]]]]]]]]]",
             "out.json: item 0 is not an object; expected a file of predictions"},
            {"[{\"a\":[[[[[[[[[]]]]]]]]]}]",
             "out.json: item 0 has more than 8 levels or 262144 values"},
            {"[]", "out.json: has no nodes; expected a file of predictions"},
    };
    expect_all_refused("out.json", bad, sizeof(bad) / sizeof(bad[0]));
}

// One thing that is wrong with an archive of two nodes.
typedef enum slip {
    NO_SLIP,
    NO_ROLE,
    NO_PREDICTED,
    LONG_LABEL,
    FLAT_P,
    TURNED_ALPHA,
    NARROW_ALPHA,
    LONG_VACUITY,
    BAD_ROLE,
    BAD_PREDICTED,
    BAD_P,
    INFINITE_ALPHA,
    TRAINING_WITHOUT_LABEL,
    TWO_CLASSES_OF_ONE_NAME,
    NO_CLASS,
    NO_NODE,
    NUMBERS_FOR_NAMES,
    N_SLIPS
} slip;

static void add_numbers(opn_i_npz_writer *writer, slip wrong)
{
    static const float p[] = {0.25f, 0.75f, 1.0f, 0.0f};
    static const float bad_p[] = {0.25f, 0.75f, 1.0f, 0.5f};
    static const float alpha[] = {1.5f, 2.0f, 8.0f, 1.0f};
    static const float infinite[] = {1.5f, 2.0f, 8.0f, INFINITY};
    static const float vacuity[] = {0.5f, 0.125f, 0.0f};
    static const float nothing[] = {NAN, NAN};
    static const int32_t predicted[] = {1, 0};
    static const int32_t bad_predicted[] = {1, 2};
    const int64_t wide[] = {wrong == NO_NODE ? 0 : 2, wrong == NO_CLASS ? 0 : 2};
    const int64_t turned[] = {1, 4};
    const int64_t narrow[] = {2, 1};
    const int64_t three[] = {3};
    if (wrong != NO_PREDICTED)
        opn_i_npz_writer_add_i32(writer, "predicted",
                                 wrong == BAD_PREDICTED ? bad_predicted : predicted, wide,
                                 1);
    opn_i_npz_writer_add_f32(writer, "p", wrong == BAD_P ? bad_p : p, wide,
                             wrong == FLAT_P ? 1 : 2);
    opn_i_npz_writer_add_f32(writer, "alpha", wrong == INFINITE_ALPHA ? infinite : alpha,
                             wrong == TURNED_ALPHA   ? turned
                             : wrong == NARROW_ALPHA ? narrow
                                                     : wide,
                             2);
    opn_i_npz_writer_add_f32(writer, "vacuity", vacuity,
                             wrong == LONG_VACUITY ? three : wide, 1);
    opn_i_npz_writer_add_f32(writer, "entropy", nothing, wide, 1);
}

static void write_archive(const char *path, slip wrong)
{
    static const char *const node[] = {"m", "n"};
    static const char *const role[] = {"pool", "unlabelled"};
    static const char *const bad_role[] = {"pool", "tain"};
    static const char *const training[] = {"pool", "train"};
    static const char *const label[] = {"z", "", "x"};
    static const char *const classes[] = {"x", "y"};
    static const char *const twice[] = {"x", "x"};
    static const int32_t numbers[] = {0, 1};
    const int64_t two[] = {2};
    const int64_t three[] = {3};
    const int64_t none[] = {0};
    const int64_t *shape = wrong == NO_NODE ? none : two;
    opn_i_npz_writer *writer = NULL;
    assert_int_equal(opn_i_npz_writer_open(ctx, path, &writer), OPN_OK);
    if (wrong == NUMBERS_FOR_NAMES)
        opn_i_npz_writer_add_i32(writer, "node", numbers, two, 1);
    else
        opn_i_npz_writer_add_text(writer, "node", node, shape, 1);
    if (wrong != NO_ROLE)
        opn_i_npz_writer_add_text(writer, "role",
                                  wrong == BAD_ROLE                 ? bad_role
                                  : wrong == TRAINING_WITHOUT_LABEL ? training
                                                                    : role,
                                  shape, 1);
    opn_i_npz_writer_add_text(writer, "label", label, wrong == LONG_LABEL ? three : shape,
                              1);
    opn_i_npz_writer_add_text(writer, "classes",
                              wrong == TWO_CLASSES_OF_ONE_NAME ? twice : classes,
                              wrong == NO_CLASS ? none : two, 1);
    add_numbers(writer, wrong);
    assert_int_equal(opn_i_npz_writer_commit(writer), OPN_OK);
}

static void an_archive_that_is_wrong_is_refused_by_its_member(void **state)
{
    (void)state;
    static const char *const message[N_SLIPS] = {
            [NO_ROLE] = "out.npz: no member role.npy; expected a file of predictions",
            [NO_PREDICTED] =
                    "out.npz: no member predicted.npy; expected a file of predictions",
            [LONG_LABEL] = "out.npz: member label.npy: 3 items, expected one for each "
                           "of 2 nodes",
            [FLAT_P] = "out.npz: member p.npy: 2 items in 1 dimensions, expected 2 "
                       "nodes by 2 classes",
            [TURNED_ALPHA] = "out.npz: member alpha.npy: 4 items in 2 dimensions, "
                             "expected 2 nodes by 2 classes",
            [NARROW_ALPHA] = "out.npz: member alpha.npy: 2 items in 2 dimensions, "
                             "expected 2 nodes by 2 classes",
            [LONG_VACUITY] = "out.npz: member vacuity.npy: 3 items in 1 dimensions, "
                             "expected one for each of 2 nodes",
            [BAD_ROLE] = "out.npz: member role.npy: item 1: role \"tain\" is not one of "
                         "train, validation, test, pool, unlabelled",
            [BAD_PREDICTED] =
                    "out.npz: member predicted.npy: item 1 is 2, outside [0, 2)",
            [BAD_P] = "out.npz: item 1: the p of all classes sum to 1.5, not 1",
            [INFINITE_ALPHA] = "out.npz: item 1: alpha of class \"y\" is inf, expected "
                               "a finite number of at least 1",
            [TRAINING_WITHOUT_LABEL] =
                    "out.npz: item 1: the node is used to train but has no label",
            [TWO_CLASSES_OF_ONE_NAME] =
                    "out.npz: member classes.npy: class \"x\" appears twice",
            [NO_CLASS] = "out.npz: member classes.npy: names no classes",
            [NO_NODE] = "out.npz: has no nodes; expected a file of predictions",
            [NUMBERS_FOR_NAMES] = "out.npz: member node.npy: holds numbers, not text",
    };
    stage *s = support_open_stage("out.npz");
    write_archive(s->path, NO_SLIP);
    opn_i_prediction_file file = read_back(s->path);
    expect_two_nodes(&file);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    for (int wrong = NO_SLIP + 1; wrong < N_SLIPS; wrong++) {
        write_archive(s->path, (slip)wrong);
        expect_refused(s, message[wrong]);
    }
    support_close_stage(s);
}

static void a_file_of_something_else_is_told_from_predictions(void **state)
{
    (void)state;
    static const bad_text bad[] = {
            {"from,to\na,b\n", "x: no column \"role\"; expected a file of predictions"},
            {"node,role\na,train\n",
             "x: no column \"predicted\"; expected a file of predictions"},
            {"node,role,label,predicted\n",
             "x: no column \"p_CLASS\"; expected a file of predictions"},
            {"", "x: is empty; expected a file of predictions"},
            {"\n\n", "x: is empty; expected a file of predictions"},
            {"{\"dataset\": 1}",
             "x: has no list of nodes; expected a file of predictions"},
            {"{\"decisions\":null,\"risk_coverage\":null,\"nodes\":null}",
             "x: has no list of nodes; expected a file of predictions"},
            {"{}", "x: has no list of nodes; expected a file of predictions"},
            {"{\"nodes\"", "x: a member has no value; the file is damaged"},
            {"{\"a\":\"b", "x: has no list of nodes; expected a file of predictions"},
            {"{\"a\":[1,", "x: item 0 never ends; the file is truncated"},
            {"[{\"id\": 1}]",
             "x: item 0: no \"p\" of any class; expected a file of predictions"},
    };
    expect_all_refused("x", bad, sizeof(bad) / sizeof(bad[0]));
    stage *s = support_open_stage("x");
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=1 samples=2");
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    expect_refused(s, "x: holds tensors like a model; expected a file of predictions");
    char npz[SUPPORT_PATH];
    assert_int_equal(opn_graph_save(ctx, graph, support_path(npz, s->folder, "x.npz")),
                     OPN_OK);
    assert_int_equal(rename(npz, s->path), 0);
    expect_refused(s, "x: no member role.npy; expected a file of predictions");
    assert_int_equal(remove(s->path), 0);
    assert_int_equal(read_soundly(s->path, 0, NULL), OPN_ERR_READ);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- robustness ----------------------------------------------------------------------

// Many classes and many nodes that have none of them: the product fits in no memory.
static void room_is_not_made_for_nodes_that_lack_classes(void **state)
{
    (void)state;
    enum { N = 2000, ROOM = 64 * N };
    char *text = malloc(ROOM);
    stage *s = support_open_stage("out");
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, ROOM, "node,role,label,predicted");
    for (int k = 0; k < N; k++)
        n += (size_t)snprintf(text + n, ROOM - n, ",p_%d,alpha_%d", k, k);
    memset(text + n, '\n', 4 * N);
    for (int i = 0; i < 2 * N; i++)
        text[n + 2 * (size_t)i + 1] = 'a';
    text[n + 4 * N] = 0;
    support_write_text(s->path, text);
    expect_refused(s, "out:2: 1 field, but the first row has 4004");

    n = (size_t)snprintf(text, ROOM, BEGIN "\"p\":{");
    for (int k = 0; k < N; k++)
        n += (size_t)snprintf(text + n, ROOM - n, "\"%d\":0,", k);
    n += (size_t)snprintf(text + n, ROOM - n, "\"x\":1}}");
    for (int i = 0; i < 2 * N; i++)
        n += (size_t)snprintf(text + n, ROOM - n, ",{}");
    snprintf(text + n, ROOM - n, "]");
    support_write_text(s->path, text);
    expect_refused(s, "out: item 1: no \"role\"; expected a file of predictions");
    free(text);
    support_close_stage(s);
}

static meter json_meter;

static void *json_alloc(size_t n_bytes)
{
    const opn_alloc hooks = meter_hooks(&json_meter);
    return hooks.alloc(hooks.user, n_bytes);
}

static void json_release(void *ptr)
{
    const opn_alloc hooks = meter_hooks(&json_meter);
    if (ptr != NULL)
        hooks.release(hooks.user, ptr);
}

static void an_item_of_many_values_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    enum { N = 1 << 20 };
    char *text = malloc(N + 1);
    stage *s = support_open_stage("out.json");
    assert_non_null(text);
    memset(text, ',', N);
    memcpy(text, "[{\"a\":[", 7);
    memcpy(text + N - 3, "]}]", 4);
    support_write_text(s->path, text);
    json_meter = (meter){0};
    json_set_alloc_funcs(json_alloc, json_release);
    expect_refused(s, "out.json: item 0 has more than 8 levels or 262144 values");
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(json_meter.n_requests, 0);
    free(text);
    support_close_stage(s);
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

// Jansson blames the text when it runs out of memory inside one.
static void jansson_without_memory_is_an_error_and_nothing_leaks(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.json");
    opn_status status = OPN_ERR_NOMEM;
    support_write_text(s->path, plain_json);
    json_set_alloc_funcs(json_alloc, json_release);
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        opn_i_prediction_file file = {0};
        json_meter = (meter){.fail_at = fail_at};
        status = opn_i_prediction_file_read(s->ctx, s->path, &file);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM ||
                    status == OPN_ERR_FORMAT);
        if (status == OPN_OK)
            expect_two_nodes(&file);
        opn_i_prediction_file_deinit(&s->ctx->alloc, &file);
        assert_int_equal(json_meter.n_live, 0);
    }
    json_set_alloc_funcs(malloc, free);
    support_close_stage(s);
}

static char *small_file(int form, const char *path, size_t *n_bytes)
{
    if (form == 1)
        write_archive(path, NO_SLIP);
    else
        support_write_text(path, form == 0 ? plain_csv : plain_json);
    return support_read_file(path, n_bytes);
}

static void a_file_cut_anywhere_is_read_or_refused_soundly(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    for (int form = 0; form < N_FORMS; form++) {
        size_t n_bytes = 0;
        char *bytes = small_file(form, s->path, &n_bytes);
        for (size_t n = 0; n < n_bytes; n++) {
            support_write_file(s->path, bytes, n);
            const opn_status status = read_soundly(s->path, n, NULL);
            // A table may end between rows, and the last row in its predicted class.
            assert_true(status != OPN_OK || form == 0 || n + 1 == n_bytes);
        }
        free(bytes);
    }
    support_close_stage(s);
}

static void a_file_with_any_byte_changed_is_read_or_refused_soundly(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    for (int form = 0; form < N_FORMS; form++) {
        size_t n_bytes = 0;
        char *bytes = small_file(form, s->path, &n_bytes);
        for (size_t b = 0; b < n_bytes; b++) {
            const size_t bit = 8 * b + b % 8; // each in its turn
            support_flip_bit(bytes, bit);
            support_write_file(s->path, bytes, n_bytes);
            (void)!read_soundly(s->path, n_bytes, NULL);
            support_flip_bit(bytes, bit);
        }
        free(bytes);
    }
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
            WITH_CTX(columns_may_be_in_any_order_and_of_any_number),
            WITH_CTX(predictions_are_found_in_a_document),
            WITH_CTX(a_packed_file_is_read_too),
            WITH_CTX(what_rounding_has_put_outside_comes_back),
            WITH_CTX(what_no_node_has_is_not_there),
            WITH_CTX(a_table_that_is_wrong_is_refused_by_its_line),
            WITH_CTX(a_list_that_is_wrong_is_refused_by_its_item),
            WITH_CTX(an_archive_that_is_wrong_is_refused_by_its_member),
            WITH_CTX(a_file_of_something_else_is_told_from_predictions),
            WITH_CTX(room_is_not_made_for_nodes_that_lack_classes),
            WITH_CTX(an_item_of_many_values_is_refused_before_it_is_parsed),
            WITH_CTX(every_allocation_failure_is_reported_and_nothing_leaks),
            WITH_CTX(jansson_without_memory_is_an_error_and_nothing_leaks),
            WITH_CTX(a_file_cut_anywhere_is_read_or_refused_soundly),
            WITH_CTX(a_file_with_any_byte_changed_is_read_or_refused_soundly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
