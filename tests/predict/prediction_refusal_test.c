// prediction_refusal_test.c -- files of predictions that are wrong or damaged, and what
// is said about them.

#include "arrays/npz.h"
#include "base/context.h"
#include "opine/opine.h"
#include "predict/prediction_file.h"
#include "support/cmocka_test.h"
#include "support/prediction_sample.h"
#include "support/support.h"
#include "support/trial.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- refusals ------------------------------------------------------------------------

// Reads with a context of its own and fails the test if anything goes wrong: a status
// that does not blame the input, a leak, a block far larger than the input, and after a
// failure an output that was touched or a message that is not one line about the file.
// `message` (may be NULL) receives what was said, or "".
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
        fail_msg("is accepted, without: %s", want);
    // The folder has another name each time.
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
             "out.csv:4: role \"tain\" is not one of train, validation, calibration, test, "
             "pool or unlabelled"},
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
             "out.json: item 1: role \"tain\" is not one of train, validation, "
             "calibration, test, pool or unlabelled"},
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
    RESHAPED_ALPHA,
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
    const int64_t reshaped[] = {1, 4};
    const int64_t narrow[] = {2, 1};
    const int64_t three[] = {3};
    if (wrong != NO_PREDICTED)
        opn_i_npz_writer_add_i32(writer, "predicted",
                                 wrong == BAD_PREDICTED ? bad_predicted : predicted, wide,
                                 1);
    opn_i_npz_writer_add_f32(writer, "p", wrong == BAD_P ? bad_p : p, wide,
                             wrong == FLAT_P ? 1 : 2);
    opn_i_npz_writer_add_f32(writer, "alpha", wrong == INFINITE_ALPHA ? infinite : alpha,
                             wrong == RESHAPED_ALPHA ? reshaped
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
            [RESHAPED_ALPHA] = "out.npz: member alpha.npy: 4 items in 2 dimensions, "
                               "expected 2 nodes by 2 classes",
            [NARROW_ALPHA] = "out.npz: member alpha.npy: 2 items in 2 dimensions, "
                             "expected 2 nodes by 2 classes",
            [LONG_VACUITY] = "out.npz: member vacuity.npy: 3 items in 1 dimensions, "
                             "expected one for each of 2 nodes",
            [BAD_ROLE] = "out.npz: member role.npy: item 1: role \"tain\" is not one of "
                         "train, validation, calibration, "
                         "test, pool or unlabelled",
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
    opn_i_prediction_file file = prediction_read(ctx, s->path);
    two_nodes_expect(&file);
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

// Many classes and many nodes that have none of them: their product would not fit in
// memory.
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

// Jansson blames the text when it runs out of memory inside one.
static void jansson_without_memory_is_an_error_and_nothing_leaks(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.json");
    opn_status status = OPN_ERR_NOMEM;
    support_write_text(s->path, two_nodes_json);
    json_set_alloc_funcs(json_alloc, json_release);
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        opn_i_prediction_file file = {0};
        json_meter = (meter){.fail_at = fail_at};
        status = opn_i_prediction_file_read(s->ctx, s->path, &file);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM ||
                    status == OPN_ERR_FORMAT);
        if (status == OPN_OK)
            two_nodes_expect(&file);
        opn_i_prediction_file_deinit(&s->ctx->alloc, &file);
        assert_int_equal(json_meter.n_live, 0);
    }
    json_set_alloc_funcs(malloc, free);
    support_close_stage(s);
}

// CSV, npz or JSON.
enum { N_FORMS = 3 };

static char *small_file(int form, const char *path, size_t *n_bytes)
{
    if (form == 1)
        write_archive(path, NO_SLIP);
    else
        support_write_text(path, form == 0 ? two_nodes_csv : two_nodes_json);
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
            WITH_CTX(a_table_that_is_wrong_is_refused_by_its_line),
            WITH_CTX(a_list_that_is_wrong_is_refused_by_its_item),
            WITH_CTX(an_archive_that_is_wrong_is_refused_by_its_member),
            WITH_CTX(a_file_of_something_else_is_told_from_predictions),
            WITH_CTX(room_is_not_made_for_nodes_that_lack_classes),
            WITH_CTX(an_item_of_many_values_is_refused_before_it_is_parsed),
            WITH_CTX(jansson_without_memory_is_an_error_and_nothing_leaks),
            WITH_CTX(a_file_cut_anywhere_is_read_or_refused_soundly),
            WITH_CTX(a_file_with_any_byte_changed_is_read_or_refused_soundly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
