// fused_test.c -- fused vacuity and margin: against NumPy, and in what models say.

#include "predict/fused.h"

#include "golden/diffusion_golden.h"
#include "graph/graph_data.h"
#include "model/model_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

// ---- the rule on arrays --------------------------------------------------------------

// What teacher and student say in the golden values.
typedef struct opinions {
    opn_graph *graph;
    float teacher_vacuity[GOLDEN_NODES], student_vacuity[GOLDEN_NODES];
    float teacher_p[GOLDEN_NODES * GOLDEN_CLASSES];
    float student_p[GOLDEN_NODES * GOLDEN_CLASSES];
    int32_t predicted[GOLDEN_NODES];
} opinions;

static void put_opinions(opinions *o, int i)
{
    const float *z = golden_z + (ptrdiff_t)i * GOLDEN_CLASSES;
    const float *alpha = golden_alpha + (ptrdiff_t)i * GOLDEN_CLASSES;
    double evidence = 0.0;
    double strength = 0.0;
    for (int k = 0; k < GOLDEN_CLASSES; k++) {
        evidence += exp((double)z[k]);
        strength += (double)alpha[k];
        if (alpha[k] > alpha[o->predicted[i]])
            o->predicted[i] = k;
    }
    for (int k = 0; k < GOLDEN_CLASSES; k++) {
        o->teacher_p[i * GOLDEN_CLASSES + k] = (float)(exp((double)z[k]) / evidence);
        o->student_p[i * GOLDEN_CLASSES + k] = (float)((double)alpha[k] / strength);
    }
    o->teacher_vacuity[i] = (float)(GOLDEN_CLASSES / (GOLDEN_CLASSES + evidence));
    o->student_vacuity[i] = (float)(GOLDEN_CLASSES / strength);
}

static opinions golden_opinions(void)
{
    opinions o = {.graph = NULL};
    assert_int_equal(opn_graph_create_edges(ctx, GOLDEN_NODES, GOLDEN_EDGES,
                                            golden_source, golden_target, golden_weight,
                                            &o.graph),
                     OPN_OK);
    for (int i = 0; i < GOLDEN_NODES; i++)
        put_opinions(&o, i);
    return o;
}

static void expect_floats(const float *got, const float *want)
{
    for (int i = 0; i < GOLDEN_NODES; i++)
        if (!(fabsf(got[i] - want[i]) <= 2e-6f * fmaxf(1.0f, fabsf(want[i]))))
            fail_msg("node %d: %.9g, should be %.9g", i, (double)got[i], (double)want[i]);
}

static void fused_vacuity_is_that_of_numpy(void **state)
{
    (void)state;
    opinions o = golden_opinions();
    float got[GOLDEN_NODES];
    for (int keeps = 0; keeps < 2; keeps++) {
        assert_int_equal(opn_i_fused(ctx, o.graph, keeps != 0, o.teacher_vacuity,
                                     o.student_vacuity, got),
                         OPN_OK);
        expect_floats(got, keeps ? golden_fused_kept : golden_fused_filled);
    }
    opn_graph_free(o.graph);
}

static void margin_is_that_of_numpy(void **state)
{
    (void)state;
    opinions o = golden_opinions();
    float got[GOLDEN_NODES];
    for (int keeps = 0; keeps < 2; keeps++) {
        assert_int_equal(opn_i_margin(ctx, o.graph, keeps != 0, GOLDEN_CLASSES,
                                      o.teacher_p, o.student_p, o.predicted, got),
                         OPN_OK);
        expect_floats(got, keeps ? golden_margin_kept : golden_margin_filled);
    }
    opn_graph_free(o.graph);
}

static void every_allocation_failure_is_told(void **state)
{
    (void)state;
    opinions o = golden_opinions();
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        float got[GOLDEN_NODES];
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_i_fused(own, o.graph, true, o.teacher_vacuity, o.student_vacuity,
                             got);
        if (status == OPN_OK)
            status = opn_i_margin(own, o.graph, true, GOLDEN_CLASSES, o.teacher_p,
                                  o.student_p, o.predicted, got);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        support_ctx_free(own, &m);
    }
    opn_graph_free(o.graph);
}

// ---- in what models say --------------------------------------------------------------

static opn_prediction *ask(const opn_model *model, const opn_graph *graph, const char *of)
{
    opn_params *params = trial_params(ctx, of);
    opn_prediction *said = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, params, 0, &said), OPN_OK);
    opn_params_free(params);
    return said;
}

// A teacher of zeros gives every class the evidence 1, so that its vacuity is 1/2.
static void the_teacher_adds_its_vacuity_and_the_student_three_times_its_own(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=70 classes=3 features=20");
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn-t epochs=8 samples=4");
    opn_i_weight list[OPN_MAX_WEIGHTS];
    size_t n_weights = 0;
    (void)opn_i_place_weights(model->kind->encoder, &model->sizes, list, &n_weights);
    memset(model->member[0].teacher, 0, n_weights * sizeof(*model->member[0].teacher));
    opn_prediction *said = ask(model, graph, "propagate=10 teleport=0.1");
    for (int i = 0; i < 70; i++)
        assert_float_equal(
                said->measure[OPN_MEASURE_FUSED][i],
                (float)(log(0.5) +
                        3.0 * log((double)said->smoothed[OPN_MEASURE_VACUITY][i])),
                1e-5f);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
}

// A ring, on which a model is trained, and the same nodes without edges.
static void draw_ring(opn_graph **ring, opn_graph **dust)
{
    enum { N = 40 };
    opn_vid source[N];
    opn_vid target[N];
    int32_t label[N];
    float feature[N][2];
    for (int i = 0; i < N; i++) {
        source[i] = i;
        target[i] = (i + 1) % N;
        label[i] = i / (N / 2);
        feature[i][0] = label[i] == 0 ? 1.0f : 0.25f;
        feature[i][1] = label[i] == 1 ? 1.0f : 0.25f;
    }
    assert_int_equal(opn_graph_create_edges(ctx, N, N, source, target, NULL, ring),
                     OPN_OK);
    assert_int_equal(opn_graph_create_edges(ctx, N, 0, source, target, NULL, dust),
                     OPN_OK);
    opn_graph *const both[] = {*ring, *dust};
    for (int g = 0; g < 2; g++) {
        assert_int_equal(opn_graph_set_features(ctx, both[g], 2, feature[0]), OPN_OK);
        assert_int_equal(opn_graph_set_labels(ctx, both[g], 2, label), OPN_OK);
    }
}

// The convention follows from the training graph unless it is given.
static void isolated_nodes_are_uncertain_where_training_had_none(void **state)
{
    (void)state;
    opn_graph *graph[2];
    draw_ring(&graph[0], &graph[1]);
    for (int g = 0; g < 2; g++) {
        opn_model *model =
                trial_train(ctx, graph[g], "model=s-bgcn-t-k epochs=20 samples=3");
        assert_int_equal(model->may_be_isolated, g == 1);
        opn_prediction *chosen = ask(model, graph[1], "propagate=2");
        opn_prediction *kept = ask(model, graph[1], "propagate=2 isolated=keep");
        opn_prediction *filled = ask(model, graph[1], "propagate=2 isolated=uncertain");
        opinions_expect_same(chosen, g == 0 ? filled : kept);
        for (int i = 0; i < chosen->n_nodes; i++) {
            const float vacuity = kept->measure[OPN_MEASURE_VACUITY][i];
            assert_true(kept->smoothed[OPN_MEASURE_VACUITY][i] == vacuity);
            assert_float_equal(filled->smoothed[OPN_MEASURE_VACUITY][i],
                               0.1f * vacuity + 0.9f, 1e-6f);
            assert_true(filled->measure[OPN_MEASURE_FUSED][i] >
                        kept->measure[OPN_MEASURE_FUSED][i]);
        }
        opn_prediction_free(chosen);
        opn_prediction_free(kept);
        opn_prediction_free(filled);
        opn_model_free(model);
    }
    opn_graph_free(graph[0]);
    opn_graph_free(graph[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(fused_vacuity_is_that_of_numpy),
            WITH_CTX(margin_is_that_of_numpy),
            WITH_CTX(every_allocation_failure_is_told),
            WITH_CTX(the_teacher_adds_its_vacuity_and_the_student_three_times_its_own),
            WITH_CTX(isolated_nodes_are_uncertain_where_training_had_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
