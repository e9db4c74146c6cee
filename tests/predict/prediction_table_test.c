// prediction_table_test.c -- predictions as CSV, npz and JSON files.

#include "arrays/npz.h"
#include "base/context.h"
#include "io/csv.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static opn_ctx *ctx;

// ---- the scene -----------------------------------------------------------------------

enum { N_NODES = 6, N_CLASSES = 2 };

// Names that a careless writer breaks on; the owl's class is a tab, and the one in blanks
// has none.
static const char *const node_names[N_NODES] = {
        "a,b", "say \"hi\"", "two\nlines", "\xf0\x9f\xa6\x89 owl", " blank ", "=1+1"};

// A folder of data with these names, as CSV.
static opn_graph *hostile_graph(const stage *s)
{
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    assert_int_equal(mkdir(support_path(folder, s->folder, "hostile"), 0777), 0);
    support_write_text(support_path(path, folder, "features.csv"),
                       "node,u,v\n\"a,b\",1,0\n\"say \"\"hi\"\"\",0,1\n\"two\nlines\",1,1"
                       "\n\xf0\x9f\xa6\x89 owl,2,0\n\" blank \",0,3\n=1+1,1,2\n");
    support_write_text(support_path(path, folder, "labels.csv"),
                       "node,label\n\"a,b\",\"caf\xc3\xa9, \"\"noir\"\"\"\n\"say "
                       "\"\"hi\"\"\",\"x\ty\"\n\"two\nlines\",\"caf\xc3\xa9, "
                       "\"\"noir\"\"\"\n\xf0\x9f\xa6\x89 owl,\"x\ty\"\n\" blank "
                       "\",\n=1+1,\"x\ty\"\n");
    support_write_text(support_path(path, folder, "edges.csv"),
                       "from,to\n\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",=1+1\n");
    support_write_text(support_path(path, folder, "split.csv"),
                       "node,role\n\"a,b\",train\n\"say \"\"hi\"\"\",train\n"
                       "\"two\nlines\",validation\n\xf0\x9f\xa6\x89 owl,test\n");
    if (opn_graph_load(ctx, folder, NULL, &raw) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_int_equal(opn_graph_prepare(ctx, raw, OPN_STEP_UNDIRECTED, &graph), OPN_OK);
    opn_graph_free(raw);
    return graph;
}

typedef struct scene {
    stage *s;
    opn_graph *graph;
    opn_model *model;
    opn_split *split;
    opn_prediction *said;
} scene;

static scene open_scene(const char *settings)
{
    scene at = {.s = support_open_stage("out.csv")};
    at.graph = hostile_graph(at.s);
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
    support_close_stage(at->s);
}

static void save(const scene *at, const char *name, char path[SUPPORT_PATH])
{
    support_path(path, at->s->folder, name);
    if (opn_prediction_save(ctx, at->model, at->graph, at->split, at->said, path) !=
        OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
}

// NaN where there is no array.
static float float_at(const float *value, int j)
{
    return value == NULL ? NAN : value[j];
}

// What the table must say of node i, by column: p, alpha, measures; NaN where nothing.
enum { N_NUMBERS = 2 * N_CLASSES + OPN_N_MEASURES };
static float number_at(const scene *at, int i, int column)
{
    if (column < N_CLASSES)
        return at->said->probability[i * N_CLASSES + column];
    if (column < 2 * N_CLASSES)
        return float_at(at->said->alpha, i * N_CLASSES + column - N_CLASSES);
    return float_at(at->said->measure[column - 2 * N_CLASSES], i);
}

static const char *const roles[N_NODES] = {"train", "train",      "validation",
                                           "test",  "unlabelled", "pool"};

// Node of that name; the order of the graph's nodes is its own.
static int node_called(const scene *at, const char *name)
{
    char number[12];
    for (int i = 0; i < N_NODES; i++)
        if (strcmp(opn_graph_node_name(at->graph, i, number), name) == 0)
            return i;
    fail_msg("no node is called %s", name);
    return -1;
}

static const char *role_of(const char *name)
{
    for (int i = 0; i < N_NODES; i++)
        if (strcmp(node_names[i], name) == 0)
            return roles[i];
    return "";
}

static const char *label_of(const scene *at, int i)
{
    char number[12];
    const int32_t label = opn_graph_labels(at->graph)[i];
    return label < 0 ? "" : opn_graph_class_name(at->graph, label, number);
}

// ---- CSV -----------------------------------------------------------------------------

static opn_i_csv open_csv(const char *path)
{
    opn_i_bytes bytes = {0};
    opn_i_csv csv = {0};
    assert_int_equal(opn_i_file_read(ctx, path, &bytes), OPN_OK);
    assert_int_equal(opn_i_csv_open(ctx, "table", &bytes, ',', &csv), OPN_OK);
    return csv;
}

static bool next_row(opn_i_csv *csv)
{
    bool has_row = false;
    assert_int_equal(opn_i_csv_next(ctx, csv, &has_row), OPN_OK);
    return has_row;
}

static void expect_head(const scene *at, const opn_i_csv *csv)
{
    static const char *const prefix[] = {"p", "alpha"};
    assert_int_equal(csv->n_fields, 3 + N_NUMBERS + 1);
    assert_string_equal(csv->field[0].text, "node");
    assert_string_equal(csv->field[1].text, "role");
    assert_string_equal(csv->field[2].text, "label");
    for (int c = 0; c < 2 * N_CLASSES; c++) {
        char head[64];
        snprintf(head, sizeof(head), "%s_%s", prefix[c / N_CLASSES],
                 opn_model_class_name(at->model, c % N_CLASSES));
        assert_string_equal(csv->field[3 + c].text, head);
    }
    for (int m = 0; m < OPN_N_MEASURES; m++)
        assert_string_equal(csv->field[3 + 2 * N_CLASSES + m].text,
                            opn_measure_name((opn_measure)m));
    assert_string_equal(csv->field[3 + N_NUMBERS].text, "predicted");
}

static void expect_csv(const scene *at, const char *path)
{
    opn_i_csv csv = open_csv(path);
    assert_true(next_row(&csv));
    expect_head(at, &csv);
    int n_rows = 0;
    for (; next_row(&csv); n_rows++) {
        const int i = node_called(at, csv.field[0].text);
        assert_int_equal(i, n_rows);
        assert_string_equal(csv.field[1].text, role_of(csv.field[0].text));
        assert_string_equal(csv.field[2].text, label_of(at, i));
        for (int c = 0; c < N_NUMBERS; c++) {
            const float want = number_at(at, i, c);
            double got = 0.0;
            if (isnan(want)) {
                assert_int_equal(csv.field[3 + c].n_chars, 0);
                continue;
            }
            assert_true(opn_i_csv_real(&csv.field[3 + c], &got));
            assert_true((float)got == want);
        }
        assert_string_equal(csv.field[3 + N_NUMBERS].text,
                            opn_model_class_name(at->model, at->said->predicted[i]));
    }
    assert_int_equal(n_rows, N_NODES);
    opn_i_csv_close(ctx, &csv);
}

static void csv_holds_the_numbers_and_names_of_every_model(void **state)
{
    (void)state;
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char settings[64];
        char path[SUPPORT_PATH];
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=3",
                 trial_models[m]);
        scene at = open_scene(settings);
        save(&at, "out.csv", path);
        expect_csv(&at, path);
        close_scene(&at);
    }
}

static void csv_has_decimal_points_in_every_locale(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    scene at = open_scene("epochs=2 samples=2");
    support_set_comma_locale(at.s->folder);
    save(&at, "out.csv", path);
    setlocale(LC_ALL, "C");
    expect_csv(&at, path);
    close_scene(&at);
}

static void a_name_without_an_ending_is_csv(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    scene at = open_scene("epochs=1 samples=2");
    save(&at, "table", path);
    expect_csv(&at, path);
    close_scene(&at);
}

// ---- npz -----------------------------------------------------------------------------

static void expect_texts(const opn_i_zip *zip,
                         const char *array,
                         int n,
                         const char *(*want)(const scene *at, int i),
                         const scene *at)
{
    opn_i_bytes owner = {0};
    opn_i_ndarray items = {0};
    assert_int_equal(opn_i_npz_read(ctx, zip, array, &owner, &items), OPN_OK);
    assert_int_equal(items.n_items, n);
    char *text = malloc(opn_i_ndarray_text_room(&items) + 1);
    assert_non_null(text);
    for (int i = 0; i < n; i++) {
        size_t n_chars = 0;
        assert_int_equal(opn_i_ndarray_text(ctx, array, &items, i, text, &n_chars),
                         OPN_OK);
        text[n_chars] = 0;
        assert_string_equal(text, want(at, i));
    }
    free(text);
    opn_i_bytes_release(ctx, &owner);
}

static void
expect_floats(const opn_i_zip *zip, const char *array, int n, const float *want)
{
    opn_i_bytes owner = {0};
    opn_i_ndarray items = {0};
    float got[N_NODES * N_CLASSES];
    assert_int_equal(opn_i_npz_read(ctx, zip, array, &owner, &items), OPN_OK);
    assert_int_equal(items.n_items, n);
    assert_int_equal(opn_i_ndarray_to_f32(ctx, array, &items, got), OPN_OK);
    for (int j = 0; j < n; j++)
        assert_true(want == NULL ? isnan(got[j]) : got[j] == want[j]);
    opn_i_bytes_release(ctx, &owner);
}

static const char *node_text(const scene *at, int i)
{
    static char number[12];
    return opn_graph_node_name(at->graph, i, number);
}

static const char *role_text(const scene *at, int i)
{
    return role_of(node_text(at, i));
}

static const char *class_text(const scene *at, int k)
{
    return opn_model_class_name(at->model, k);
}

static void npz_holds_the_numbers_and_names_of_every_model(void **state)
{
    (void)state;
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char settings[64];
        char path[SUPPORT_PATH];
        size_t n_bytes = 0;
        opn_i_zip *zip = NULL;
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=3",
                 trial_models[m]);
        scene at = open_scene(settings);
        save(&at, "out.npz", path);
        char *bytes = support_read_file(path, &n_bytes);
        assert_int_equal(
                opn_i_zip_open(ctx, path, (const unsigned char *)bytes, n_bytes, &zip),
                OPN_OK);
        expect_texts(zip, "node", N_NODES, node_text, &at);
        expect_texts(zip, "role", N_NODES, role_text, &at);
        expect_texts(zip, "label", N_NODES, label_of, &at);
        expect_texts(zip, "classes", N_CLASSES, class_text, &at);
        expect_floats(zip, "p", N_NODES * N_CLASSES, at.said->probability);
        expect_floats(zip, "alpha", N_NODES * N_CLASSES, at.said->alpha);
        for (int u = 0; u < OPN_N_MEASURES; u++)
            expect_floats(zip, opn_measure_name((opn_measure)u), N_NODES,
                          at.said->measure[u]);
        opn_i_zip_close(zip);
        free(bytes);
        close_scene(&at);
    }
}

// ---- JSON ----------------------------------------------------------------------------

static void expect_json_number(const json_t *got, float want)
{
    if (isnan(want))
        assert_true(json_is_null(got));
    else
        assert_true((float)json_number_value(got) == want);
}

static void expect_json_node(const scene *at, const json_t *node, int i)
{
    const char *name = json_string_value(json_object_get(node, "node"));
    const json_t *label = json_object_get(node, "label");
    assert_int_equal(node_called(at, name), i);
    assert_string_equal(json_string_value(json_object_get(node, "role")), role_of(name));
    if (opn_graph_labels(at->graph)[i] < 0)
        assert_true(json_is_null(label));
    else
        assert_string_equal(json_string_value(label), label_of(at, i));
    assert_string_equal(json_string_value(json_object_get(node, "predicted")),
                        opn_model_class_name(at->model, at->said->predicted[i]));
    for (int k = 0; k < N_CLASSES; k++) {
        expect_json_number(json_object_get(json_object_get(node, "p"), class_text(at, k)),
                           number_at(at, i, k));
        expect_json_number(
                json_object_get(json_object_get(node, "alpha"), class_text(at, k)),
                number_at(at, i, N_CLASSES + k));
    }
    for (int m = 0; m < OPN_N_MEASURES; m++)
        expect_json_number(json_object_get(node, opn_measure_name((opn_measure)m)),
                           number_at(at, i, 2 * N_CLASSES + m));
}

static void json_holds_the_numbers_and_names_of_every_model(void **state)
{
    (void)state;
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char settings[64];
        char path[SUPPORT_PATH];
        json_error_t error;
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=3",
                 trial_models[m]);
        scene at = open_scene(settings);
        save(&at, "out.json", path);
        json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
        const json_t *nodes = json_object_get(document, "nodes");
        assert_true(json_is_null(json_object_get(document, "decisions")));
        assert_true(json_is_null(json_object_get(document, "risk_coverage")));
        assert_int_equal(json_array_size(nodes), N_NODES);
        for (int i = 0; i < N_NODES; i++)
            expect_json_node(&at, json_array_get(nodes, (size_t)i), i);
        json_decref(document);
        close_scene(&at);
    }
}

// ---- smoothed measures and energy ----------------------------------------------------

// What the model says with three steps of propagation, and the energy.
static opn_prediction *ask_smoothed(const scene *at)
{
    opn_params *params = trial_params(ctx, "propagate=3");
    opn_prediction *said = NULL;
    assert_int_equal(
            opn_model_predict(ctx, at->model, at->graph, params, OPN_KEEP_ENERGY, &said),
            OPN_OK);
    opn_params_free(params);
    return said;
}

static void a_smoothed_measure_is_the_measure_diffused(void **state)
{
    (void)state;
    const opn_diffusion how = {.n_steps = 3, .teleport = 0.1, .missing = (double)NAN};
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=3",
                 trial_models[m]);
        scene at = open_scene(settings);
        opn_prediction *said = ask_smoothed(&at);
        for (int u = 0; u < OPN_N_MEASURES; u++) {
            float want[N_NODES];
            const float *smoothed = opn_prediction_smoothed(said, (opn_measure)u);
            const bool has = u < OPN_N_PAPER_MEASURES &&
                             opn_model_measures(at.model, (opn_measure)u) != 0;
            assert_int_equal(smoothed != NULL, has);
            if (!has)
                continue;
            memcpy(want, at.said->measure[u], sizeof(want));
            assert_int_equal(opn_graph_diffuse(ctx, at.graph, &how, 1, want), OPN_OK);
            assert_memory_equal(smoothed, want, sizeof(want));
        }
        opn_prediction_free(said);
        close_scene(&at);
    }
}

// The evidence of s-gcn is exp(z), and it makes one pass: -ln sum exp(z) = -ln(S - K).
static void energy_is_minus_the_logarithm_of_all_evidence(void **state)
{
    (void)state;
    scene at = open_scene("model=s-gcn epochs=3");
    opn_prediction *said = ask_smoothed(&at);
    for (int i = 0; i < N_NODES; i++) {
        double evidence = 0.0;
        for (int k = 0; k < N_CLASSES; k++)
            evidence += (double)at.said->alpha[i * N_CLASSES + k] - 1.0;
        assert_float_equal(opn_prediction_energy(said)[i], (float)-log(evidence), 1e-5f);
    }
    opn_prediction_free(said);
    close_scene(&at);
}

static void
every_format_names_smoothed_measures_with_a_tilde_and_has_the_energy(void **state)
{
    (void)state;
    static const char head[] =
            ",entropy,fused,margin,vacuity~,dissonance~,aleatoric~,epistemic~,"
            "entropy~,energy,predicted\n";
    char path[SUPPORT_PATH];
    json_error_t error;
    size_t n_bytes = 0;
    opn_i_zip *zip = NULL;
    scene at = open_scene("model=gcn epochs=3"); // which has entropy alone
    opn_prediction_free(at.said);
    at.said = ask_smoothed(&at);
    save(&at, "out.csv", path);
    char *text = support_read_file(path, NULL);
    assert_non_null(strstr(text, head));
    assert_null(strstr(text, ",nan"));
    assert_non_null(strstr(text, ",,,,,")); // nothing stands for what is not there
    free(text);
    save(&at, "out.npz", path);
    char *bytes = support_read_file(path, &n_bytes);
    assert_int_equal(
            opn_i_zip_open(ctx, path, (const unsigned char *)bytes, n_bytes, &zip),
            OPN_OK);
    expect_floats(zip, "entropy~", N_NODES, at.said->smoothed[OPN_MEASURE_ENTROPY]);
    expect_floats(zip, "vacuity~", N_NODES, NULL);
    expect_floats(zip, "energy", N_NODES, at.said->energy);
    opn_i_zip_close(zip);
    free(bytes);
    save(&at, "out.json", path);
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    for (int i = 0; i < N_NODES; i++) {
        const json_t *node =
                json_array_get(json_object_get(document, "nodes"), (size_t)i);
        for (int m = 0; m < OPN_N_PAPER_MEASURES; m++) {
            char name[32];
            snprintf(name, sizeof(name), "%s~", opn_measure_name((opn_measure)m));
            expect_json_number(json_object_get(node, name),
                               float_at(at.said->smoothed[m], i));
        }
        expect_json_number(json_object_get(node, "energy"), at.said->energy[i]);
    }
    json_decref(document);
    close_scene(&at);
}

// ---- what is left out ----------------------------------------------------------------

static void what_nobody_asked_for_is_left_out(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    scene at = open_scene("epochs=1 samples=2");
    save(&at, "some.csv", path);
    char *text = support_read_file(path, NULL);
    assert_non_null(strstr(text, ",entropy,fused,margin,predicted\n"));
    free(text);
    close_scene(&at);
}

static void without_a_split_labelled_nodes_are_the_pool(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    scene at = open_scene("epochs=1 samples=2");
    support_path(path, at.s->folder, "pool.csv");
    assert_int_equal(opn_prediction_save(ctx, at.model, at.graph, NULL, at.said, path),
                     OPN_OK);
    opn_i_csv csv = open_csv(path);
    assert_true(next_row(&csv));
    for (int i = 0; next_row(&csv); i++)
        assert_string_equal(csv.field[1].text,
                            opn_graph_labels(at.graph)[i] < 0 ? "unlabelled" : "pool");
    opn_i_csv_close(ctx, &csv);
    close_scene(&at);
}

static void a_class_with_a_name_without_end_keeps_it(void **state)
{
    (void)state;
    enum { LONG = 2000 };
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    char text[2 * LONG + 64];
    char name[LONG + 1];
    stage *s = support_open_stage("out.csv");
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    memset(name, 'n', LONG);
    name[LONG] = 0;
    assert_int_equal(mkdir(support_path(folder, s->folder, "long"), 0777), 0);
    support_write_text(support_path(path, folder, "features.csv"), "node,u\na,1\nb,2\n");
    support_write_text(support_path(path, folder, "edges.csv"), "from,to\na,b\n");
    snprintf(text, sizeof(text), "node,label\na,%s1\nb,%s2\n", name, name);
    support_write_text(support_path(path, folder, "labels.csv"), text);
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &raw), OPN_OK);
    assert_int_equal(opn_graph_prepare(ctx, raw, OPN_STEP_UNDIRECTED, &graph), OPN_OK);
    opn_model *model = trial_train(ctx, graph, "epochs=1 samples=2");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    assert_int_equal(opn_prediction_save(ctx, model, graph, NULL, said, s->path), OPN_OK);
    opn_i_csv csv = open_csv(s->path);
    assert_true(next_row(&csv));
    assert_int_equal(csv.field[3].n_chars, LONG + 3); // p_, the name, 1
    assert_int_equal(csv.field[4].text[LONG + 2], '2');
    opn_i_csv_close(ctx, &csv);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(raw);
    support_close_stage(s);
}

// ---- failures ------------------------------------------------------------------------

static const char *const endings[] = {"csv", "npz", "json"};

static void an_output_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    scene at = open_scene("epochs=1 samples=2");
    for (int e = 0; e < 3; e++) {
        char name[64];
        char path[SUPPORT_PATH];
        snprintf(name, sizeof(name), "no/such/out.%s", endings[e]);
        support_path(path, at.s->folder, name);
        assert_int_equal(
                opn_prediction_save(ctx, at.model, at.graph, at.split, at.said, path),
                OPN_ERR_WRITE);
        support_expect_error(ctx, path);
    }
    close_scene(&at);
}

static void a_full_disk_keeps_the_old_table(void **state)
{
    (void)state;
    scene at = open_scene("epochs=1 samples=2");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (int e = 0; e < 3; e++) {
        char name[64];
        char path[SUPPORT_PATH];
        struct rlimit limit = before;
        snprintf(name, sizeof(name), "out.%s", endings[e]);
        support_path(path, at.s->folder, name);
        support_write_text(path, "old");
        const int n_entries = support_count_entries(at.s->folder);
        limit.rlim_cur = 40;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const opn_status status =
                opn_prediction_save(ctx, at.model, at.graph, at.split, at.said, path);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, OPN_ERR_WRITE);
        support_expect_file(path, "old", 3);
        assert_int_equal(support_count_entries(at.s->folder), n_entries);
    }
    signal(SIGXFSZ, SIG_DFL);
    close_scene(&at);
}

static void every_allocation_failure_is_reported_and_the_old_table_kept(void **state)
{
    (void)state;
    scene at = open_scene("epochs=1 samples=2");
    for (int e = 0; e < 3; e++) {
        char name[64];
        char path[SUPPORT_PATH];
        opn_status status = OPN_ERR_NOMEM;
        snprintf(name, sizeof(name), "out.%s", endings[e]);
        support_path(path, at.s->folder, name);
        support_write_text(path, "old");
        for (long fail_at = 1; status != OPN_OK; fail_at++) {
            meter m = {0};
            opn_ctx *own = support_ctx(&m);
            m.n_requests = 0;
            m.fail_at = fail_at;
            status =
                    opn_prediction_save(own, at.model, at.graph, at.split, at.said, path);
            support_ctx_free(own, &m);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            if (status != OPN_OK)
                support_expect_file(path, "old", 3);
        }
    }
    close_scene(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(csv_holds_the_numbers_and_names_of_every_model),
            WITH_CTX(csv_has_decimal_points_in_every_locale),
            WITH_CTX(a_name_without_an_ending_is_csv),
            WITH_CTX(npz_holds_the_numbers_and_names_of_every_model),
            WITH_CTX(json_holds_the_numbers_and_names_of_every_model),
            WITH_CTX(a_smoothed_measure_is_the_measure_diffused),
            WITH_CTX(energy_is_minus_the_logarithm_of_all_evidence),
            WITH_CTX(
                    every_format_names_smoothed_measures_with_a_tilde_and_has_the_energy),
            WITH_CTX(what_nobody_asked_for_is_left_out),
            WITH_CTX(without_a_split_labelled_nodes_are_the_pool),
            WITH_CTX(a_class_with_a_name_without_end_keeps_it),
            WITH_CTX(an_output_that_cannot_be_written_is_told),
            WITH_CTX(a_full_disk_keeps_the_old_table),
            WITH_CTX(every_allocation_failure_is_reported_and_the_old_table_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
