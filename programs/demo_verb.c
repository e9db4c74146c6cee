// demo_verb.c -- opine demo: trains on the embedded graph and shows what the opinions
// say.

#include "command.h"
#include "json_output.h"
#include "run_output.h"
#include "style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SHOWN = 5 }; // nodes of each kind

// A trained model and its predictions for every node.
typedef struct trial {
    const opn_graph *graph;
    opn_params *params;
    opn_split *split;
    opn_model *model;
    opn_prediction *said;
} trial;

static void release_trial(trial *t)
{
    opn_prediction_free(t->said);
    opn_model_free(t->model);
    opn_split_free(t->split);
    opn_params_free(t->params);
}

static opn_status try_out(opine_app *app, const char *task, trial *t)
{
    opn_status status = opn_params_create(app->ctx, &t->params);
    if (status == OPN_OK)
        status = opn_params_set(app->ctx, t->params, "task", task);
    if (status == OPN_OK)
        status = opn_params_use_preset(app->ctx, t->graph, t->params);
    if (status == OPN_OK)
        status = opn_split_from_params(app->ctx, t->graph, t->params, &t->split);
    if (status == OPN_OK)
        status =
                opn_model_train(app->ctx, t->graph, t->split, t->params, NULL, &t->model);
    if (status == OPN_OK)
        status = opn_model_predict(app->ctx, t->model, t->graph, NULL, 0, &t->said);
    return status;
}

// ---- correctness ---------------------------------------------------------------------

static int is_ood(const trial *t, opn_vid i)
{
    return opn_split_known(t->split)[opn_graph_labels(t->graph)[i]] < 0;
}

static int is_wrong(const trial *t, opn_vid i)
{
    const int32_t label = opn_graph_labels(t->graph)[i];
    return opn_split_known(t->split)[label] != opn_prediction_predicted(t->said)[i];
}

static bool is_test(const trial *t, opn_vid i)
{
    return opn_split_roles(t->split)[i] == OPN_ROLE_TEST;
}

// Accuracy over the test nodes of known classes, in percent.
static double test_accuracy(const trial *t)
{
    int n = 0;
    int n_right = 0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(t->graph); i++) {
        if (!is_test(t, i) || is_ood(t, i))
            continue;
        n++;
        n_right += !is_wrong(t, i);
    }
    return n > 0 ? 100.0 * n_right / n : 0.0;
}

// ---- detection quality of each measure -----------------------------------------------

// For one measure, in percent, over the whole pool.
typedef struct found {
    double auroc, aupr;
} found;

// The results of both trials, and the path of the page.
typedef struct outcome {
    trial whole, held_out;
    found *wrong, *ood; // by measure
    const char *page;
} outcome;

// As in docs/method.md: for ood, more of the measure indicates a node of an unknown
// class; otherwise, less of it indicates a correctly classified node.
static opn_status
measure(opine_app *app, const trial *t, bool finds_ood, opn_measure m, found *out)
{
    const opn_vid n_nodes = opn_graph_n_nodes(t->graph);
    const uint8_t *in_pool = opn_split_pool(t->split);
    uint8_t *positive = calloc((size_t)n_nodes, sizeof(*positive));
    float *score = calloc((size_t)n_nodes, sizeof(*score));
    const float *value = opn_prediction_measure(t->said, m);
    int32_t n = 0;
    if (positive == NULL || score == NULL) {
        free(positive);
        free(score);
        return out_of_memory(app);
    }
    for (opn_vid i = 0; i < n_nodes; i++) {
        if (!in_pool[i])
            continue;
        positive[n] = (uint8_t)(finds_ood ? is_ood(t, i) : !is_wrong(t, i));
        score[n++] = finds_ood ? value[i] : -value[i];
    }
    opn_status status =
            opn_metric_auroc(app->ctx, n, positive, opn_f32(score), &out->auroc);
    if (status == OPN_OK)
        status = opn_metric_average_precision(app->ctx, n, positive, opn_f32(score),
                                              &out->aupr);
    out->auroc *= 100.0;
    out->aupr *= 100.0;
    free(positive);
    free(score);
    return status;
}

// For every measure; the caller frees *out.
static opn_status measure_all(opine_app *app, const trial *t, bool finds_ood, found **out)
{
    opn_status status = OPN_OK;
    found *made = calloc((size_t)opn_measure_count(), sizeof(*made));
    if (made == NULL)
        return out_of_memory(app);
    for (int32_t m = 0; m < opn_measure_count() && status == OPN_OK; m++)
        if (opn_model_measures(t->model, (opn_measure)m))
            status = measure(app, t, finds_ood, (opn_measure)m, &made[m]);
    *out = made;
    return status;
}

static void print_table(const outcome *o)
{
    printf("%s%-12s %20s %21s\n", style(STYLE_HEADING), "", "misclassified",
           "unknown classes");
    printf("%-12s %10s %9s %11s %9s%s\n", "measure", "AUROC", "AUPR", "AUROC", "AUPR",
           style(STYLE_PLAIN));
    for (int32_t m = 0; m < opn_measure_count(); m++)
        if (opn_model_measures(o->whole.model, (opn_measure)m))
            printf("%-12s %10.1f %9.1f %11.1f %9.1f\n", opn_measure_name((opn_measure)m),
                   o->wrong[m].auroc, o->wrong[m].aupr, o->ood[m].auroc, o->ood[m].aupr);
}

static json_t *json_found(const trial *t, const found *f)
{
    json_t *object = json_object();
    json_t *measures = json_object();
    put_json(object, "accuracy", json_real(test_accuracy(t)));
    for (int32_t m = 0; m < opn_measure_count(); m++)
        if (opn_model_measures(t->model, (opn_measure)m))
            put_json(measures, opn_measure_name((opn_measure)m),
                     json_pack("{s:f,s:f}", "auroc", f[m].auroc, "aupr", f[m].aupr));
    put_json(object, "measures", measures);
    return object;
}

// ---- individual nodes ----------------------------------------------------------------

// Finds the test nodes of a kind with the largest values of a measure; returns how many.
static int find_nodes(const trial *t,
                      int (*is_kind)(const trial *t, opn_vid i),
                      opn_measure m,
                      opn_vid node[N_SHOWN])
{
    const float *value = opn_prediction_measure(t->said, m);
    int n = 0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(t->graph); i++) {
        if (!is_test(t, i) || !is_kind(t, i))
            continue;
        int at = n;
        while (at > 0 && value[node[at - 1]] < value[i])
            at--;
        if (at == N_SHOWN)
            continue;
        n += n < N_SHOWN;
        memmove(node + at + 1, node + at, (size_t)(n - 1 - at) * sizeof(*node));
        node[at] = i;
    }
    return n;
}

static opn_status print_node(opine_app *app, const trial *t, opn_vid i)
{
    opn_explanation *why = NULL;
    char name[12];
    char label[12];
    const opn_status status = opn_explain_predicted(app->ctx, t->model, t->graph,
                                                    t->split, t->said, i, &why);
    if (status == OPN_OK) {
        printf("  Node %s, class %s, predicted %s\n",
               opn_graph_node_name(t->graph, i, name),
               opn_graph_class_name(t->graph, opn_graph_labels(t->graph)[i], label),
               opn_model_class_name(t->model, opn_prediction_predicted(t->said)[i]));
        print_paragraph(opn_explanation_sentence(why), 6);
    }
    opn_explanation_free(why);
    return status;
}

static opn_status print_nodes(opine_app *app,
                              const char *heading,
                              const trial *t,
                              int (*is_kind)(const trial *t, opn_vid i),
                              opn_measure m)
{
    opn_status status = OPN_OK;
    opn_vid node[N_SHOWN];
    const int n = find_nodes(t, is_kind, m, node);
    printf("\n%s%s%s\n", style(STYLE_HEADING), heading, style(STYLE_PLAIN));
    for (int k = 0; k < n && status == OPN_OK; k++)
        status = print_node(app, t, node[k]);
    return status;
}

// ---- whole demo ----------------------------------------------------------------------

static opn_status print_story(opine_app *app, const outcome *o)
{
    const opn_graph *graph = o->whole.graph;
    char text[256];
    printf("The built-in graph has %d nodes, %lld edges, %d features and %d classes.\n",
           (int)opn_graph_n_nodes(graph), (long long)opn_graph_n_entries(graph) / 2,
           (int)opn_graph_n_features(graph), (int)opn_graph_n_classes(graph));
    snprintf(text, sizeof(text),
             "S-BGCN-T-K, trained on %d labelled nodes, classifies %.1f %% of the test "
             "nodes correctly; trained on only %d of the %d classes, %.1f %% of the test "
             "nodes of those.",
             (int)opn_split_count(o->whole.split, OPN_ROLE_TRAIN),
             test_accuracy(&o->whole), (int)opn_split_n_known(o->held_out.split),
             (int)opn_graph_n_classes(graph), test_accuracy(&o->held_out));
    print_paragraph(text, 0);
    printf("\n");
    print_paragraph(
            "How well each measure detects misclassified nodes, and nodes of "
            "classes left out of training, in percent (an AUROC of 50 is chance):",
            0);
    printf("\n");
    print_table(o);
    opn_status status =
            print_nodes(app, "Misclassified nodes with conflicting evidence:", &o->whole,
                        is_wrong, OPN_MEASURE_DISSONANCE);
    if (status == OPN_OK)
        status = print_nodes(app, "Nodes of unknown classes with little evidence:",
                             &o->held_out, is_ood, OPN_MEASURE_VACUITY);
    (void)fflush(stdout); // can be read while the page is being drawn
    return status;
}

static void print_end(const outcome *o)
{
    if (o->page != NULL)
        printf("\nOpen %s in a browser to see the opinion about every node.\n", o->page);
    else
        printf("\nNo report was written: this opine was built without Chart.js.\n");
    printf("For your own graph:\n"
           "  opine train DATA -o m.safetensors\n"
           "  opine report m.safetensors DATA -o page.html\n");
}

static int print_document(const outcome *o)
{
    json_t *document = json_object();
    put_json(document, "nodes", json_integer(opn_graph_n_nodes(o->whole.graph)));
    put_json(document, "misclassification", json_found(&o->whole, o->wrong));
    put_json(document, "ood", json_found(&o->held_out, o->ood));
    put_json(document, "report", o->page != NULL ? json_string(o->page) : json_null());
    return print_json(document);
}

// Writes a page with both models, to the current folder unless -o says otherwise.
static opn_status write_page(opine_app *app, outcome *o)
{
    const char *wanted = opn_params_text(app->params, "output");
    const char *path = wanted[0] != 0 ? wanted : "opine-demo.html";
    opn_report *report = NULL;
    if (!opn_report_is_supported())
        return OPN_OK;
    opn_status status =
            opn_report_create(app->ctx, o->whole.graph, "The built-in graph", &report);
    if (status == OPN_OK)
        status = opn_report_add_model(app->ctx, report, o->held_out.model, app->params);
    if (status == OPN_OK)
        status = opn_report_add_model(app->ctx, report, o->whole.model, app->params);
    if (status == OPN_OK)
        status = opn_report_save(app->ctx, report, path);
    if (status == OPN_OK)
        o->page = path;
    terminal_clear();
    opn_report_free(report);
    return status;
}

static opn_status run_trials(opine_app *app, outcome *o)
{
    opn_status status = try_out(app, "misclassification", &o->whole);
    if (status == OPN_OK)
        status = measure_all(app, &o->whole, false, &o->wrong);
    if (status == OPN_OK)
        status = try_out(app, "ood", &o->held_out);
    if (status == OPN_OK)
        status = measure_all(app, &o->held_out, true, &o->ood);
    terminal_clear();
    return status;
}

int run_demo(opine_app *app)
{
    const bool as_json = opn_params_flag(app->params, "json") != 0;
    opn_graph *graph = NULL;
    if (strcmp(opn_params_text(app->params, "output"), "-") == 0) {
        complain(
                "demo writes its page to a file, not to standard output; -o names the file");
        return EXIT_USAGE;
    }
    const int checked = check_output_file(app, ".html .htm");
    if (checked != EXIT_DONE)
        return checked;
    opn_status status = opn_graph_load(app->ctx, "demo", NULL, &graph);
    outcome o = {.whole.graph = graph, .held_out.graph = graph};
    int code = EXIT_DONE;
    if (status == OPN_OK)
        status = run_trials(app, &o);
    if (status == OPN_OK && !as_json)
        status = print_story(app, &o);
    if (status == OPN_OK)
        status = write_page(app, &o);
    if (status != OPN_OK)
        code = complain_status(app, status);
    else if (as_json)
        code = print_document(&o);
    else
        print_end(&o);
    release_trial(&o.whole);
    release_trial(&o.held_out);
    free(o.wrong);
    free(o.ood);
    opn_graph_free(graph);
    return code;
}
