// demo_verb.c -- opine demo: train on the embedded graph and show what the opinions tell.

#include "command.h"

#include <stdio.h>
#include <stdlib.h>

// One trained model and what it says about every node.
typedef struct trial {
    opn_params *params;
    opn_split *split;
    opn_model *model;
    int32_t *predicted;
    float *measure[OPN_N_MEASURES];
} trial;

static void release_trial(trial *t)
{
    free(t->predicted);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        free(t->measure[m]);
    opn_model_free(t->model);
    opn_split_free(t->split);
    opn_params_free(t->params);
}

static opn_status
run_trial(opine_app *app, const opn_graph *graph, const char *task, trial *t)
{
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    opn_prediction out = {0};
    opn_status status = opn_params_create(app->ctx, &t->params);
    t->predicted = calloc(n, sizeof(*t->predicted));
    out.predicted = t->predicted;
    bool has_memory = t->predicted != NULL;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        t->measure[m] = calloc(n, sizeof(**t->measure));
        out.measure[m] = t->measure[m];
        has_memory = has_memory && t->measure[m] != NULL;
    }
    if (status == OPN_OK && !has_memory)
        status = OPN_ERR_NOMEM;
    if (status == OPN_OK)
        status = opn_params_set(app->ctx, t->params, "task", task);
    if (status == OPN_OK)
        status = opn_params_use_preset(app->ctx, graph, t->params);
    if (status == OPN_OK)
        status = opn_split_from_params(app->ctx, graph, t->params, &t->split);
    if (status == OPN_OK)
        status = opn_model_train(app->ctx, graph, t->split, t->params, NULL, &t->model);
    if (status == OPN_OK)
        status = opn_model_predict(app->ctx, t->model, graph, NULL, &out);
    return status;
}

// Which of the two columns a test node counts in, 0 or 1.
typedef int side_fn(const trial *t, const opn_graph *graph, opn_vid i);

static int is_wrong(const trial *t, const opn_graph *graph, opn_vid i)
{
    const int32_t label = opn_graph_labels(graph)[i];
    return opn_split_known(t->split)[label] != t->predicted[i];
}

static int is_ood(const trial *t, const opn_graph *graph, opn_vid i)
{
    return opn_split_known(t->split)[opn_graph_labels(graph)[i]] < 0;
}

// Mean of each measure over the test nodes of both sides.
static void print_means(const trial *t,
                        const opn_graph *graph,
                        side_fn *side_of,
                        const char *one,
                        const char *other)
{
    const uint8_t *role = opn_split_roles(t->split);
    double sum[OPN_N_MEASURES][2] = {{0.0}};
    int n[2] = {0, 0};
    for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++) {
        if (role[i] != OPN_ROLE_TEST)
            continue;
        const int side = side_of(t, graph, i);
        n[side]++;
        for (int m = 0; m < OPN_N_MEASURES; m++)
            sum[m][side] += (double)t->measure[m][i];
    }
    printf("\n%-12s %14s %14s\n", "mean of", one, other);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        printf("%-12s %14.3f %14.3f\n", opn_measure_name((opn_measure)m),
               n[0] > 0 ? sum[m][0] / n[0] : 0.0, n[1] > 0 ? sum[m][1] / n[1] : 0.0);
    printf("%-12s %14d %14d\n", "nodes", n[0], n[1]);
}

// Accuracy over the test nodes of known classes, in percent.
static double test_accuracy(const trial *t, const opn_graph *graph)
{
    const uint8_t *role = opn_split_roles(t->split);
    int n = 0;
    int n_right = 0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++) {
        if (role[i] != OPN_ROLE_TEST || is_ood(t, graph, i))
            continue;
        n++;
        n_right += !is_wrong(t, graph, i);
    }
    return n > 0 ? 100.0 * n_right / n : 0.0;
}

static void print_story(const opn_graph *graph, const trial *whole, const trial *held_out)
{
    printf("The embedded graph: %d nodes, %lld edges, %d features, %d classes.\n\n",
           (int)opn_graph_n_nodes(graph), (long long)opn_graph_n_entries(graph) / 2,
           (int)opn_graph_n_features(graph), (int)opn_graph_n_classes(graph));
    printf("S-BGCN-T-K, trained on %d labelled nodes, is right about %.1f %% of the "
           "test\n"
           "nodes. Where it is wrong, its evidence conflicts:\n",
           (int)opn_split_count(whole->split, OPN_ROLE_TRAIN),
           test_accuracy(whole, graph));
    print_means(whole, graph, is_wrong, "right", "wrong");
    printf("\nTrained on %d of the %d classes (%.1f %% right), it has little evidence "
           "about\n"
           "nodes of the others:\n",
           (int)opn_split_n_known(held_out->split), (int)opn_graph_n_classes(graph),
           test_accuracy(held_out, graph));
    print_means(held_out, graph, is_ood, "known class", "unknown class");
}

// A page with both models, beside the caller unless -o says where.
static opn_status
write_page(opine_app *app, const opn_graph *graph, const trial *whole, const trial *other)
{
    const char *wanted = opn_params_text(app->params, "output");
    const char *path = wanted[0] != 0 ? wanted : "opine-demo.html";
    opn_report *report = NULL;
    if (!opn_report_is_supported()) {
        printf("\nThis opine was built without Chart.js and draws no page of it.\n");
        return OPN_OK;
    }
    opn_status status = opn_report_create(app->ctx, graph, "The embedded graph", &report);
    if (status == OPN_OK)
        status = opn_report_add_model(app->ctx, report, other->model, app->params);
    if (status == OPN_OK)
        status = opn_report_add_model(app->ctx, report, whole->model, app->params);
    if (status == OPN_OK)
        status = opn_report_save(app->ctx, report, path);
    terminal_clear();
    if (status == OPN_OK)
        printf("\nTo see every node and its opinion, open %s in a browser.\n", path);
    opn_report_free(report);
    return status;
}

int run_demo(opine_app *app)
{
    opn_graph *graph = NULL;
    trial whole = {0};
    trial held_out = {0};
    opn_status status = opn_graph_load(app->ctx, "demo", NULL, &graph);
    if (status == OPN_OK)
        status = run_trial(app, graph, "misclassification", &whole);
    if (status == OPN_OK)
        status = run_trial(app, graph, "ood", &held_out);
    terminal_clear();
    if (status == OPN_OK) {
        print_story(graph, &whole, &held_out);
        (void)fflush(stdout); // it can be read while the page is drawn
        status = write_page(app, graph, &whole, &held_out);
    }
    if (status == OPN_OK)
        printf("Next: opine train DATA -o m.safetensors; opine report m.safetensors DATA "
               "-o page.html\n");
    const int code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    release_trial(&whole);
    release_trial(&held_out);
    opn_graph_free(graph);
    return code;
}
