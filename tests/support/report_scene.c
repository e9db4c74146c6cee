// report_scene.c -- a graph, a model of it and the page of its report, read back.

#include "support/report_scene.h"

#include "support/cmocka_test.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

const char scene_drawn[] = "nodes=120 classes=4 features=24 homophily=0.5 mean_degree=5";
const char scene_bayesian[] = "model=s-bgcn-t-k epochs=12 teacher_epochs=7 samples=5 "
                              "hidden=6 learning_rate=0.05";
const char scene_held_out[] = "model=s-bgcn-t-k epochs=12 teacher_epochs=7 samples=5 "
                              "hidden=6 learning_rate=0.05 task=ood ood_classes=1";

opn_graph *scene_graph(opn_ctx *ctx)
{
    opn_graph *graph = trial_draw(ctx, scene_drawn);
    int32_t label[SCENE_NODES];
    uint8_t role[SCENE_NODES];
    memcpy(label, opn_graph_labels(graph), sizeof(label));
    for (int i = 0; i < SCENE_NODES; i++) {
        label[i] = i % 13 == 7 ? -1 : label[i];
        role[i] = label[i] < 0  ? OPN_ROLE_UNLABELLED
                  : i % 5 == 0  ? OPN_ROLE_TRAIN
                  : i % 5 == 1  ? OPN_ROLE_VALIDATION
                  : i % 10 == 4 ? OPN_ROLE_POOL
                                : OPN_ROLE_TEST;
    }
    assert_int_equal(opn_graph_set_labels(ctx, graph, 4, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

void scene_save(opn_ctx *ctx, const opn_report *report, const char *path)
{
    if (opn_report_save(ctx, report, path) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
}

void scene_add_model(opn_ctx *ctx,
                     opn_report *report,
                     const opn_model *model,
                     const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    if (opn_report_add_model(ctx, report, model, params) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
}

page scene_show(opn_ctx *ctx,
                const opn_graph *graph,
                const opn_model *model,
                const char *path)
{
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    scene_add_model(ctx, report, model, "");
    scene_save(ctx, report, path);
    opn_report_free(report);
    return page_read(path);
}

scene scene_open(opn_ctx *ctx, const char *settings)
{
    scene at = {.s = support_open_stage("page.html")};
    at.graph = scene_graph(ctx);
    at.model = trial_train(ctx, at.graph, settings);
    assert_int_equal(opn_model_split(ctx, at.model, at.graph, &at.split), OPN_OK);
    at.said = opinions_ask(ctx, at.model, at.graph, NULL);
    at.read = scene_show(ctx, at.graph, at.model, at.s->path);
    for (int32_t c = 0; c < opn_graph_n_classes(at.graph); c++)
        if (opn_split_known(at.split)[c] >= 0)
            at.known[opn_split_known(at.split)[c]] = c;
    for (int i = 0; i < SCENE_NODES; i++) {
        const int32_t label = opn_graph_labels(at.graph)[i];
        at.target[i] = label < 0 ? -1
                       : opn_split_known(at.split)[label] >= 0
                               ? opn_split_known(at.split)[label]
                               : -2;
    }
    return at;
}

void scene_close(scene *at)
{
    page_free(&at->read);
    opn_prediction_free(at->said);
    opn_split_free(at->split);
    opn_model_free(at->model);
    opn_graph_free(at->graph);
    support_close_stage(at->s);
}

bool scene_is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

void scene_expect_number(const json_t *object, const char *path, double want)
{
    const double got = page_number(object, path);
    if (!scene_is_near(got, want, 2e-5 * fabs(want) + 1e-9))
        fail_msg("%s: %.9g is not %.9g", path, got, want);
}

bool scene_is_right(const scene *at, int i)
{
    return at->target[i] == at->said->predicted[i];
}
