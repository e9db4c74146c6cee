// model_file_test.c -- models in files: what comes back, what is refused, what survives.

#include "base/context.h"
#include "graph/graph_data.h"
#include "math/real.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static opn_ctx *ctx;

// ---- there and back ------------------------------------------------------------------

static opn_model *load(const char *path)
{
    opn_model *model = NULL;
    if (opn_model_load(ctx, path, &model) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return model;
}

static void expect_near_floats(const float *said, const float *other, size_t n)
{
    assert_int_equal(said == NULL, other == NULL);
    for (size_t j = 0; said != NULL && j < n; j++)
        assert_float_equal(said[j], other[j], 1e-3f * fmaxf(1.0f, said[j]));
}

static void expect_nearly(const opn_prediction *said, const opn_prediction *other)
{
    const size_t n = (size_t)said->n_nodes;
    const size_t n_wide = n * (size_t)said->n_classes;
    expect_near_floats(said->probability, other->probability, n_wide);
    expect_near_floats(said->alpha, other->alpha, n_wide);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        expect_near_floats(said->measure[m], other->measure[m], n);
}

static void a_model_says_the_same_before_and_after_its_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=3 features=20");
    static const char *const others[] = {
            "gat", "s-bgat-t-k heads=3 out_heads=2 hidden=15", "s-bsage-t-k hidden=5",
            "s-bmlp-t-k", "s-blinks-t-k"};
    for (int m = 0; m < TRIAL_N_MODELS + 5; m++) {
        char settings[128];
        snprintf(settings, sizeof(settings),
                 "epochs=4 samples=3 seed=9 normalise=%s model=%s",
                 m % 2 == 0 ? "standard" : "row",
                 m < TRIAL_N_MODELS ? trial_models[m] : others[m - TRIAL_N_MODELS]);
        opn_model *model = trial_train(ctx, graph, settings);
        assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
        opn_model *again = load(s->path);
        opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
        opn_prediction *said_again = opinions_ask(ctx, again, graph, NULL);
        if (sizeof(opn_real) == sizeof(float))
            opinions_expect_same(said, said_again);
        else
            expect_nearly(said, said_again); // the file holds floats
        trial_expect_same(ctx, model, again);
        trial_expect_same(ctx, model, model);
        opn_prediction_free(said);
        opn_prediction_free(said_again);
        opn_model_free(model);
        opn_model_free(again);
    }
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_file_tells_how_its_model_came_about(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=3 features=20");
    opn_model *model =
            trial_train(ctx, graph, "model=s-bgcn-t epochs=4 seed=9 sigma=2.5");
    opn_train_summary summary;
    opn_train_summary again_summary;
    char hash[65];
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    opn_model *again = load(s->path);
    assert_int_equal(opn_graph_hash(ctx, graph, hash), OPN_OK);
    assert_string_equal(opn_model_data_hash(again), hash);
    assert_string_equal(opn_model_id(again), "s-bgcn-t");
    assert_string_equal(opn_model_param(again, "epochs"), "4");
    assert_string_equal(opn_model_param(again, "seed"), "9");
    assert_string_equal(opn_model_param(again, "sigma"), "2.5");
    assert_string_equal(opn_model_param(again, "hidden"), "16");
    assert_string_equal(opn_model_param(again, "no_such_parameter"), "");
    assert_int_equal(opn_model_n_features(again), 20);
    assert_int_equal(opn_model_n_classes(again), 3);
    opn_model_summary(model, &summary);
    opn_model_summary(again, &again_summary);
    assert_int_equal(summary.epochs, 4);
    assert_int_equal(summary.teacher_epochs, 4);
    assert_int_equal(summary.n_train + summary.n_validation, 80);
    assert_int_equal(again_summary.epochs, summary.epochs);
    assert_int_equal(again_summary.n_train, summary.n_train);
    assert_true(again_summary.validation_accuracy == summary.validation_accuracy);
    opn_model_free(model);
    opn_model_free(again);
    opn_graph_free(graph);
    support_close_stage(s);
}

// A graph that says it was read from this path, with this note.
static opn_graph *draw_from(const char *source, const char *note)
{
    opn_graph *graph = trial_draw(ctx, "nodes=60 classes=3 features=20");
    assert_int_equal(opn_i_graph_set_source(ctx, graph, source), OPN_OK);
    if (note != NULL)
        assert_int_equal(opn_i_graph_note(ctx, graph, "%s", note), OPN_OK);
    return graph;
}

static void a_file_says_from_which_files_and_how_read_its_graph_came(void **state)
{
    (void)state;
    static const struct {
        const char *source, *note;
        const char *want; // as the source
        int64_t n_notes;
    } cases[] = {
            {"/data/own \"graph\"", "Column 1 holds names", "/data/own \"graph\"", 1},
            {"/data/own", NULL, "/data/own", 0},
            {"", NULL, "", 0},
            {"/data/\xff", "Column \xff", "", 0}}; // not UTF-8
    stage *s = support_open_stage("m.safetensors");
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_graph *graph = draw_from(cases[c].source, cases[c].note);
        opn_model *model = trial_train(ctx, graph, "model=gcn epochs=1");
        assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
        opn_model *again = load(s->path);
        assert_string_equal(opn_model_source(again), cases[c].want);
        assert_int_equal(opn_model_note_count(again), cases[c].n_notes);
        if (cases[c].n_notes > 0)
            assert_string_equal(opn_model_note(again, 0), cases[c].note);
        trial_expect_same(ctx, model, again);
        opn_model_free(again);
        opn_model_free(model);
        opn_graph_free(graph);
    }
    support_close_stage(s);
}

static void where_a_graph_came_from_changes_no_weight(void **state)
{
    (void)state;
    opn_graph *graph = draw_from("/here/own", "Column 1 holds names");
    opn_graph *moved = draw_from("/there/own", NULL);
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn-t-k epochs=3");
    opn_model *other = trial_train(ctx, moved, "model=s-bgcn-t-k epochs=3");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *said_other = opinions_ask(ctx, other, moved, NULL);
    opinions_expect_same(said, said_other);
    assert_string_equal(opn_model_data_hash(model), opn_model_data_hash(other));
    opn_prediction_free(said);
    opn_prediction_free(said_other);
    opn_model_free(model);
    opn_model_free(other);
    opn_graph_free(graph);
    opn_graph_free(moved);
}

// Neither the path of a model nor what was printed meanwhile is part of it.
static void a_model_does_not_depend_on_where_it_goes(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=2 output=/here/m data_dir=/there");
    opn_model *other =
            trial_train(ctx, graph, "epochs=2 output=elsewhere json=on resume=on");
    trial_expect_same(ctx, model, other);
    opn_model_free(model);
    opn_model_free(other);
    opn_graph_free(graph);
}

// A model of a few hundred bytes, its bytes and room to spoil them.
typedef struct small_file {
    stage *s;
    opn_graph *graph;
    char *bytes;
    size_t n_bytes;
} small_file;

static small_file open_small_file(const char *settings)
{
    small_file small = {.s = support_open_stage("m.safetensors"),
                        .graph = trial_groups(ctx)};
    opn_model *model = trial_train(ctx, small.graph, settings);
    assert_int_equal(opn_model_save(ctx, model, small.s->path), OPN_OK);
    small.bytes = support_read_file(small.s->path, &small.n_bytes);
    opn_model_free(model);
    return small;
}

static void close_small_file(small_file *small)
{
    free(small->bytes);
    opn_graph_free(small->graph);
    support_close_stage(small->s);
}

// Loads the file. A model must predict; an error must name the file.
static opn_status load_spoilt(const small_file *small)
{
    opn_model *model = NULL;
    const opn_status status = opn_model_load(ctx, small->s->path, &model);
    assert_int_equal(status == OPN_OK, model != NULL);
    if (status != OPN_OK) {
        assert_true(status == OPN_ERR_FORMAT || status == OPN_ERR_UNSUPPORTED);
        support_expect_error(ctx, small->s->path);
        return status;
    }
    opn_prediction *said = NULL;
    const opn_status asked = opn_model_predict(ctx, model, small->graph, NULL, 0, &said);
    if (asked != OPN_OK && asked != OPN_ERR_SHAPE && asked != OPN_ERR_NONFINITE)
        fail_msg("status %d: %s", (int)asked, opn_ctx_error(ctx));
    opn_prediction_free(said);
    opn_model_free(model);
    return status;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    small_file small = open_small_file("epochs=1 hidden=2 samples=2");
    for (size_t n = 0; n < small.n_bytes; n++) {
        support_write_file(small.s->path, small.bytes, n);
        assert_int_equal(load_spoilt(&small), OPN_ERR_FORMAT);
    }
    close_small_file(&small);
}

static void a_file_with_a_bit_flipped_is_refused_or_asked(void **state)
{
    (void)state;
    small_file small = open_small_file("epochs=1 hidden=2 samples=2 normalise=standard");
    int n_refused = 0;
    for (size_t n = 0; n < small.n_bytes; n++) {
        const size_t bit = 8 * n + n % 7; // all kinds of bit, none the last of a byte
        support_flip_bit(small.bytes, bit);
        support_write_file(small.s->path, small.bytes, small.n_bytes);
        n_refused += load_spoilt(&small) != OPN_OK;
        support_flip_bit(small.bytes, bit);
    }
    assert_true(n_refused > 0);
    close_small_file(&small);
}

// Replaces the first `from` by `to` of the same length.
static void spoil(const small_file *small, const char *from, const char *to)
{
    const size_t n = strlen(from);
    char *copy = malloc(small->n_bytes);
    assert_non_null(copy);
    memcpy(copy, small->bytes, small->n_bytes);
    assert_int_equal(strlen(to), n);
    size_t at = 0;
    while (at + n <= small->n_bytes && memcmp(copy + at, from, n) != 0)
        at++;
    assert_true(at + n <= small->n_bytes);
    memcpy(copy + at, to, n);
    support_write_file(small->s->path, copy, small->n_bytes);
    free(copy);
}

static void metadata_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } lies[] = {
            {"opine model 1", "opine model 2"},
            {"\"model\":\"s-bgcn\"", "\"model\":\"q-bgcn\""},
            {"[\\\"0\\\",\\\"1\\\"]", "[\\\"0\\\",  1  ]"},
            {"[\\\"0\\\",\\\"1\\\"]", "[\\\"0,   \\\"  ]"},
            {"\"classes\"", "\"glasses\""},
            {"\"features\":\"[]\"", "\"features\":\"[7\""},
            {"\"epochs\"", "\"Epochs\""},
            {"\"data_hash\"", "\"data-hash\""},
            {"\"param.dropout\":\"0.5\"", "\"param.dropout\":\"1.5\""},
            {"\"param.dropout\":\"0.5\"", "\"param.dropout\":\"nan\""},
            {"\"param.samples\":\"2\"", "\"param.samples\":\"0\""},
            {"\"param.average\":\"alpha\"", "\"param.average\":\"aleph\""},
    };
    small_file small = open_small_file("model=s-bgcn epochs=1 hidden=2 samples=2");
    for (size_t l = 0; l < sizeof(lies) / sizeof(lies[0]); l++) {
        opn_model *model = NULL;
        spoil(&small, lies[l].from, lies[l].to);
        if (opn_model_load(ctx, small.s->path, &model) == OPN_OK)
            fail_msg("%s was taken", lies[l].to);
        assert_null(model);
        support_expect_error(ctx, small.s->path);
    }
    close_small_file(&small);
}

typedef struct lie {
    const char *from, *to, *error;
} lie;

static void expect_lies_refused(const char *settings, const lie *lies, size_t n)
{
    small_file small = open_small_file(settings);
    for (size_t l = 0; l < n; l++) {
        opn_model *model = NULL;
        spoil(&small, lies[l].from, lies[l].to);
        assert_int_equal(opn_model_load(ctx, small.s->path, &model), OPN_ERR_FORMAT);
        support_expect_error(ctx, lies[l].error);
    }
    close_small_file(&small);
}

static void features_of_nodes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const lie lies[] = {
            {"\"node_features\":\"9\"", "\"node-features\":\"9\"", "is missing"},
            {"\"node_features\":\"9\"", "\"node_features\":\"x\"", "node_features"},
            {"\"node_features\":\"9\"", "\"node_features\":\"0\"", "is missing"},
            {"\"model\":\"links\"", "\"model\":\"xinks\"", "no model"},
    };
    expect_lies_refused("model=links epochs=1 hidden=2", lies,
                        sizeof(lies) / sizeof(lies[0]));
}

static void a_file_without_a_teacher_is_read_as_ever(void **state)
{
    (void)state;
    small_file small = open_small_file("epochs=3 hidden=2 samples=2");
    opn_model *whole = load(small.s->path);
    opn_prediction *said = opinions_ask(ctx, whole, small.graph, NULL);
    assert_non_null(said->measure[OPN_MEASURE_FUSED]);
    assert_non_null(said->measure[OPN_MEASURE_MARGIN]);
    spoil(&small, "\"teacher.w0\"", "\"nothing.w0\"");
    opn_model *older = load(small.s->path);
    opn_prediction *less = opinions_ask(ctx, older, small.graph, NULL);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const bool has = m < OPN_N_PAPER_MEASURES;
        assert_int_equal(opn_model_measures(older, (opn_measure)m), has);
        assert_int_equal(less->measure[m] != NULL, has);
        if (has)
            assert_memory_equal(less->measure[m], said->measure[m],
                                (size_t)said->n_nodes * sizeof(float));
    }
    opn_prediction_free(said);
    opn_prediction_free(less);
    opn_model_free(whole);
    opn_model_free(older);
    close_small_file(&small);
}

static void a_teacher_that_cannot_be_is_refused_by_name(void **state)
{
    (void)state;
    static const lie lies[] = {
            {"\"teacher.w1\"", "\"teacher.w2\"", "no matrix \"teacher.w1\""},
            {"\"isolated\":\"1\"", "\"members\" :\"0\"", "members"},
            {"\"isolated\":\"1\"", "\"members\":\"65\"", "members"},
            {"\"isolated\":\"1\"", "\"members\" :\"2\"", "no matrix \"member1.w0\""},
            {"\"isolated\":\"1\"", "\"isolated\":\"2\"", "isolated"},
            {"\"isolated\":\"1\"", "\"isolated\":\"-\"", "isolated"},
    };
    expect_lies_refused("epochs=1 hidden=2 samples=2", lies,
                        sizeof(lies) / sizeof(lies[0]));
}

static void weights_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    static const uint32_t bits[] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 0x7f800001u};
    small_file small = open_small_file("epochs=1 hidden=2 samples=2");
    for (size_t b = 0; b < sizeof(bits) / sizeof(bits[0]); b++) {
        char *copy = (char *)support_copy(small.bytes, small.n_bytes);
        memcpy(copy + small.n_bytes - sizeof(bits[b]), &bits[b], sizeof(bits[b]));
        support_write_file(small.s->path, copy, small.n_bytes);
        support_copy_free((unsigned char *)copy);
        assert_int_equal(load_spoilt(&small), OPN_ERR_FORMAT);
        support_expect_error(ctx, "not finite");
    }
    close_small_file(&small);
}

// Where a tensor's data begin, by its entry in the header.
static size_t data_of(const small_file *small, const char *name)
{
    uint64_t n_header = 0;
    char key[16];
    memcpy(&n_header, small->bytes, sizeof(n_header));
    snprintf(key, sizeof(key), "\"%s\":{", name);
    const char *at = strstr(small->bytes + sizeof(n_header), key);
    assert_non_null(at);
    at = strstr(at, "\"data_offsets\":[");
    assert_non_null(at);
    return sizeof(n_header) + n_header +
           strtoul(at + strlen("\"data_offsets\":["), NULL, 10);
}

static void a_weight_of_attention_that_is_not_finite_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"w0", "a0", "c0", "b0", "w1", "a1", "c1", "b1"};
    const uint32_t nan_bits = 0x7fc00000u;
    small_file small = open_small_file("model=gat epochs=1 hidden=4 heads=2");
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        char part[64];
        char *copy = (char *)support_copy(small.bytes, small.n_bytes);
        memcpy(copy + data_of(&small, names[n]) + sizeof(nan_bits), &nan_bits,
               sizeof(nan_bits));
        support_write_file(small.s->path, copy, small.n_bytes);
        support_copy_free((unsigned char *)copy);
        assert_int_equal(load_spoilt(&small), OPN_ERR_FORMAT);
        snprintf(part, sizeof(part), "tensor \"%s\": item 1 is not finite", names[n]);
        support_expect_error(ctx, part);
    }
    close_small_file(&small);
}

// Shapes that hold as many numbers, and names that are not there.
static void weights_of_attention_of_another_shape_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *part;
    } lies[] = {
            {"\"shape\":[2,4]", "\"shape\":[4,2]", "a0 is 4 by 2, but 2 by 4 would fit"},
            {"\"shape\":[2,2]", "\"shape\":[1,4]", "c0 is 1 by 4, but 2 by 2 would fit"},
            {"\"shape\":[1,4]", "\"shape\":[2,2]", "b0 is 2 by 2, but 1 by 4 would fit"},
            {"\"shape\":[4,6]", "\"shape\":[6,4]", "w1 is 6 by 4, but 4 by 6 would fit"},
            {"\"param.hidden\":\"4\"", "\"param.hidden\":\"5\"",
             "`hidden` 5: gat has 2 heads"},
            {"\"a0\":{", "\"q0\":{", "holds no matrix \"a0\""},
            {"\"c1\":{", "\"q1\":{", "holds no matrix \"c1\""},
            {"\"model\":\"gat\"", "\"model\":\"gcn\"", "w1 is 4 by 6"},
            {"\"param.out_heads\":\"3\"", "\"param.out_heads\":\"1\"", "w1 is 4 by 6"},
    };
    small_file small = open_small_file("model=gat epochs=1 hidden=4 heads=2 out_heads=3");
    for (size_t l = 0; l < sizeof(lies) / sizeof(lies[0]); l++) {
        spoil(&small, lies[l].from, lies[l].to);
        assert_int_equal(load_spoilt(&small), OPN_ERR_FORMAT);
        support_expect_error(ctx, lies[l].part);
    }
    close_small_file(&small);
}

static void weights_beyond_all_bounds_are_an_error_and_not_a_guess(void **state)
{
    (void)state;
    const float huge = 3e38f;
    small_file small = open_small_file("model=gcn epochs=1 hidden=2 normalise=none");
    opn_model *model = NULL;
    for (int w = 1; w <= (TRIAL_FEATURES + 2) * 2; w++)
        memcpy(small.bytes + small.n_bytes - (size_t)w * sizeof(huge), &huge,
               sizeof(huge));
    support_write_file(small.s->path, small.bytes, small.n_bytes);
    assert_int_equal(opn_model_load(ctx, small.s->path, &model), OPN_OK);
    opn_prediction *said = NULL;
    const opn_status status = opn_model_predict(ctx, model, small.graph, NULL, 0, &said);
    if (sizeof(opn_real) == sizeof(float))
        assert_int_equal(status, OPN_ERR_NONFINITE);
    opn_prediction_free(said);
    opn_model_free(model);
    close_small_file(&small);
}

static void files_that_are_no_models_are_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_model *model = NULL;
    assert_int_equal(opn_model_load(ctx, s->path, &model), OPN_ERR_READ);
    support_expect_error(ctx, s->path);
    support_write_text(s->path, "");
    assert_int_equal(opn_model_load(ctx, s->path, &model), OPN_ERR_FORMAT);
    support_write_text(s->path, "node,label\n0,1\n");
    assert_int_equal(opn_model_load(ctx, s->path, &model), OPN_ERR_FORMAT);
    // A safetensors file that another program wrote.
    support_write_file(s->path, "\x02\0\0\0\0\0\0\0{}", 10);
    assert_int_equal(opn_model_load(ctx, s->path, &model), OPN_ERR_FORMAT);
    support_expect_error(ctx, "is no model of opine");
    assert_int_equal(opn_model_load(ctx, s->folder, &model), OPN_ERR_READ);
    assert_null(model);
    support_close_stage(s);
}

static void a_full_disk_keeps_the_old_model(void **state)
{
    (void)state;
    static const rlim_t room[] = {0, 1, 100, 1000};
    small_file small = open_small_file("epochs=1 hidden=2 samples=2");
    opn_model *model = trial_train(ctx, small.graph, "epochs=2 hidden=64");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t r = 0; r < sizeof(room) / sizeof(room[0]); r++) {
        struct rlimit limit = before;
        limit.rlim_cur = room[r];
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const opn_status status = opn_model_save(ctx, model, small.s->path);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, OPN_ERR_WRITE);
        support_expect_error(ctx, small.s->path);
        support_expect_file(small.s->path, small.bytes, small.n_bytes);
        assert_int_equal(support_count_entries(small.s->folder), 1);
    }
    signal(SIGXFSZ, SIG_DFL);
    opn_model_free(model);
    close_small_file(&small);
}

static void a_model_goes_through_memory_as_the_bytes_of_its_file(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=60 classes=3 features=12");
    opn_model *model = trial_train(ctx, graph, "model=s-blinks-t-k epochs=2");
    opn_model *again = NULL;
    opn_bytes *bytes = NULL;
    size_t n_file = 0;
    char *file = trial_bytes(ctx, model, &n_file);
    assert_int_equal(opn_model_write(ctx, model, &bytes), OPN_OK);
    assert_int_equal(opn_bytes_size(bytes), n_file);
    assert_memory_equal(opn_bytes_data(bytes), file, n_file);
    assert_int_equal(opn_model_read(ctx, opn_bytes_data(bytes), n_file, &again), OPN_OK);
    trial_expect_same(ctx, model, again);
    assert_int_equal(opn_model_read(ctx, file, n_file - 1, &again), OPN_ERR_FORMAT);
    support_expect_error(ctx, "the bytes of the model");
    free(file);
    opn_bytes_free(bytes);
    opn_model_free(again);
    opn_model_free(model);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_model_says_the_same_before_and_after_its_file),
            WITH_CTX(a_model_goes_through_memory_as_the_bytes_of_its_file),
            WITH_CTX(a_file_tells_how_its_model_came_about),
            WITH_CTX(a_file_says_from_which_files_and_how_read_its_graph_came),
            WITH_CTX(where_a_graph_came_from_changes_no_weight),
            WITH_CTX(a_model_does_not_depend_on_where_it_goes),
            WITH_CTX(a_file_cut_anywhere_is_refused),
            WITH_CTX(a_file_with_a_bit_flipped_is_refused_or_asked),
            WITH_CTX(metadata_that_cannot_be_are_refused),
            WITH_CTX(features_of_nodes_that_cannot_be_are_refused),
            WITH_CTX(a_file_without_a_teacher_is_read_as_ever),
            WITH_CTX(a_teacher_that_cannot_be_is_refused_by_name),
            WITH_CTX(weights_that_are_not_finite_are_refused),
            WITH_CTX(a_weight_of_attention_that_is_not_finite_is_refused_by_name),
            WITH_CTX(weights_of_attention_of_another_shape_are_refused_by_name),
            WITH_CTX(weights_beyond_all_bounds_are_an_error_and_not_a_guess),
            WITH_CTX(files_that_are_no_models_are_refused),
            WITH_CTX(a_full_disk_keeps_the_old_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
