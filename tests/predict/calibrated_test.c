// calibrated_test.c -- a model's calibration: fitted after training, kept in its file and
// applied to what it predicts.

#include "predict/calibrated.h"

#include "graph/graph_data.h"
#include "model/model_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static const char drawn[] = "nodes=900 classes=4 features=80 homophily=0.7 seed=4";

// A trained and calibrated model of a drawn graph, every third node of which is for
// training, validation and testing.
typedef struct scene {
    opn_graph *graph;
    opn_split *split;
    opn_model *model;
} scene;

static scene open_scene(const char *settings, const char *calibrate)
{
    scene at = {.graph = trial_draw_split(ctx, drawn, 3)};
    char whole[200];
    snprintf(whole, sizeof(whole), "%s calibrate=%s", settings, calibrate);
    opn_params *params = trial_paper_params(ctx, whole);
    at.model = trial_train(ctx, at.graph, whole);
    assert_int_equal(opn_split_from_params(ctx, at.graph, params, &at.split), OPN_OK);
    assert_int_equal(opn_model_calibrate(ctx, at.graph, at.split, params, at.model),
                     OPN_OK);
    opn_params_free(params);
    return at;
}

static void close_scene(scene *at)
{
    opn_model_free(at->model);
    opn_split_free(at->split);
    opn_graph_free(at->graph);
}

// The quality of probabilities [V,K] on the test nodes.
static opn_probability_quality quality_of(const scene *at, const float *p)
{
    opn_probability_quality q = {0};
    const opn_vid n = opn_i_graph_n_nodes(at->graph);
    int32_t *label = malloc((size_t)n * sizeof(*label));
    assert_non_null(label);
    for (opn_vid i = 0; i < n; i++)
        label[i] =
                opn_split_roles(at->split)[i] == OPN_ROLE_TEST ? at->graph->label[i] : -1;
    assert_int_equal(opn_probability_measure(ctx, n, at->graph->n_classes, opn_f32(p),
                                             label, 15, &q),
                     OPN_OK);
    free(label);
    return q;
}

static void calibrated_probabilities_are_better_on_test_nodes(void **state)
{
    (void)state;
    static const char *const kinds[] = {"temperature", "pool"};
    for (int k = 0; k < 2; k++) {
        scene at = open_scene("model=s-bgcn-t-k epochs=60 samples=10", kinds[k]);
        opn_prediction *said = opinions_ask(ctx, at.model, at.graph, NULL);
        const opn_calibrator *c = opn_model_calibrator(at.model);
        assert_string_equal(opn_calibration_name(c->kind), kinds[k]);
        assert_int_equal(c->n, opn_split_count(at.split, OPN_ROLE_VALIDATION));
        assert_true(c->nll_after < c->nll_before);
        const opn_probability_quality before = quality_of(&at, said->probability);
        const opn_probability_quality after = quality_of(&at, said->calibrated);
        assert_true(after.nll < before.nll && after.ece < 0.6 * before.ece);
        for (int32_t i = 0; i < said->n_nodes; i++)
            assert_true(said->confidence[i] ==
                        said->calibrated[i * said->n_classes + said->predicted[i]]);
        opn_prediction_free(said);
        close_scene(&at);
    }
}

static void a_file_keeps_the_calibration(void **state)
{
    (void)state;
    scene at = open_scene("model=s-bgcn-t-k epochs=20 samples=5", "pool");
    stage *s = support_open_stage("m.safetensors");
    opn_model *read = NULL;
    assert_int_equal(opn_model_save(ctx, at.model, s->path), OPN_OK);
    assert_int_equal(opn_model_load(ctx, s->path, &read), OPN_OK);
    assert_memory_equal(opn_model_calibrator(read), opn_model_calibrator(at.model),
                        sizeof(opn_calibrator));
    opn_prediction *before = opinions_ask(ctx, at.model, at.graph, NULL);
    opn_prediction *after = opinions_ask(ctx, read, at.graph, NULL);
    for (int32_t i = 0; i < before->n_nodes; i++) // a file holds weights as floats
        assert_float_equal(before->confidence[i], after->confidence[i], 1e-5f);
    opn_prediction_free(before);
    opn_prediction_free(after);
    opn_model_free(read);
    support_close_stage(s);
    close_scene(&at);
}

static void a_calibration_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } lies[] = {{"\"calibration\":\"[2,", "\"calibration\":\"[7,"},
                {"\"calibration\":\"[2,", "\"calibration\":\"[1,"},
                {"\"calibration\":\"[2,3", "\"calibration\":\"[2,-"},
                {"\"calibration\":\"[2,", "\"calibration\":\" 2,"}};
    scene at = open_scene("model=s-bgcn-t-k epochs=5 samples=2 hidden=2", "pool");
    stage *s = support_open_stage("m.safetensors");
    assert_int_equal(opn_model_save(ctx, at.model, s->path), OPN_OK);
    size_t n_bytes = 0;
    char *bytes = support_read_file(s->path, &n_bytes);
    for (size_t l = 0; l < sizeof(lies) / sizeof(lies[0]); l++) {
        opn_model *read = NULL;
        char *copy = malloc(n_bytes);
        assert_non_null(copy);
        memcpy(copy, bytes, n_bytes);
        // The header begins with its length, whose high bytes are 0.
        char *found = strstr(copy + sizeof(uint64_t), lies[l].from);
        assert_non_null(found);
        memcpy(found, lies[l].to, strlen(lies[l].to));
        support_write_file(s->path, copy, n_bytes);
        assert_int_equal(opn_model_load(ctx, s->path, &read), OPN_ERR_FORMAT);
        support_expect_error(ctx, "calibration");
        free(copy);
    }
    free(bytes);
    support_close_stage(s);
    close_scene(&at);
}

static void a_model_without_a_teacher_has_a_temperature(void **state)
{
    (void)state;
    scene at = open_scene("model=gcn epochs=30", "pool");
    assert_int_equal(opn_model_calibrator(at.model)->kind, OPN_CALIBRATION_TEMPERATURE);
    opn_prediction *said = opinions_ask(ctx, at.model, at.graph, NULL);
    assert_non_null(said->calibrated);
    assert_null(said->around);
    opn_prediction_free(said);
    close_scene(&at);
}

static void too_few_labels_leave_the_model_as_it_is(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_params *params = trial_paper_params(ctx, "epochs=3 samples=2");
    opn_model *model = trial_train(ctx, graph, "epochs=3 samples=2");
    opn_split *split = NULL;
    listener heard = {0};
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    support_listen(ctx, &heard);
    assert_int_equal(opn_model_calibrate(ctx, graph, split, params, model), OPN_OK);
    assert_non_null(strstr(heard.log, "too few to calibrate"));
    assert_int_equal(opn_model_calibrator(model)->kind, OPN_CALIBRATION_NONE);
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    assert_null(opn_prediction_calibrated(said));
    assert_null(opn_prediction_confidence(said));
    opn_prediction_free(said);
    opn_split_free(split);
    opn_model_free(model);
    opn_params_free(params);
    opn_graph_free(graph);
}

static void nodes_for_calibration_come_before_those_for_validation(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw_split(ctx, drawn, 3);
    const opn_vid n = opn_i_graph_n_nodes(graph);
    opn_i_guarantee g = {0};
    opn_split *split = NULL;
    // Of the test nodes 49 calibrate, which are too few alone, then one more.
    int32_t n_given = 0;
    for (opn_vid i = 0; i < n && n_given < 50; i++) {
        if (graph->given_role[i] != OPN_ROLE_TEST)
            continue;
        graph->given_role[i] = OPN_ROLE_CALIBRATION;
        if (++n_given < 49)
            continue;
        assert_int_equal(
                opn_split_create(ctx, graph, OPN_SPLIT_GIVEN, 1, NULL, 0, &split),
                OPN_OK);
        assert_int_equal(opn_i_guarantee_init(ctx, graph, split, &g), OPN_OK);
        const int32_t n_validation = opn_split_count(split, OPN_ROLE_VALIDATION);
        assert_int_equal(g.n_validation, n_given < 50 ? n_validation : 0);
        assert_int_equal(g.n, n_given + g.n_validation);
        opn_i_guarantee_deinit(&ctx->alloc, &g);
        opn_split_free(split);
    }
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(calibrated_probabilities_are_better_on_test_nodes),
            WITH_CTX(a_file_keeps_the_calibration),
            WITH_CTX(a_calibration_that_cannot_be_is_refused),
            WITH_CTX(a_model_without_a_teacher_has_a_temperature),
            WITH_CTX(too_few_labels_leave_the_model_as_it_is),
            WITH_CTX(nodes_for_calibration_come_before_those_for_validation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
