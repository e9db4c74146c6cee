// explain_verb.c -- opine explain: explains a model's prediction for one node.

#include "command.h"
#include "explain_text.h"
#include "json_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- node ----------------------------------------------------------------------------

// The nearest name, or NULL; borrowed from the graph.
static const char *nearest_node(const opn_graph *graph, const char *word)
{
    const opn_vid n = opn_graph_n_nodes(graph);
    const char **names = calloc((size_t)n + 1, sizeof(*names));
    char number[12];
    if (names == NULL)
        return NULL;
    for (opn_vid i = 0; i < n; i++)
        names[i] = opn_graph_node_name(graph, i, number);
    const char *found = opn_text_nearest(word, names, (size_t)n);
    free(names);
    return found;
}

static int reject_node(const opn_graph *graph, const char *word)
{
    char number[12];
    const opn_vid n = opn_graph_n_nodes(graph);
    const bool has_names = n > 0 && opn_graph_node_name(graph, 0, number) != number;
    const char *guess = has_names ? nearest_node(graph, word) : NULL;
    if (guess != NULL)
        complain("%s: there is no node %s; did you mean %s?", opn_graph_name(graph), word,
                 guess);
    else if (has_names)
        complain("%s: there is no node %s among the %d nodes", opn_graph_name(graph),
                 word, (int)n);
    else
        complain("%s: there is no node %s; nodes are numbered from 0 to %d",
                 opn_graph_name(graph), word, (int)n - 1);
    return EXIT_INPUT;
}

// ---- JSON ----------------------------------------------------------------------------

static json_t *json_node_name(const explained *x, opn_vid i)
{
    char number[12];
    return json_string(opn_graph_node_name(x->graph, i, number));
}

static json_t *json_class_name(const explained *x, int32_t k)
{
    return json_string(opn_model_class_name(x->model, k));
}

static json_t *json_classes(const explained *x)
{
    const opn_explanation *e = x->e;
    json_t *list = json_array();
    for (int32_t k = 0; k < e->n_classes; k++) {
        json_t *row = json_object();
        put_json(row, "class", json_class_name(x, k));
        put_json(row, "p", json_number((double)e->probability[k]));
        put_json(row, "alpha",
                 e->alpha != NULL ? json_number((double)e->alpha[k]) : NULL);
        put_json(row, "belief",
                 e->belief != NULL ? json_number((double)e->belief[k]) : NULL);
        put_json(row, "prior", e->prior != NULL ? json_number(e->prior[k]) : NULL);
        put_json(row, "hops",
                 e->hops != NULL && e->hops[k] >= 0 ? json_integer(e->hops[k]) : NULL);
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *json_measures(const float *measure, bool with_phrases)
{
    json_t *object = json_object();
    for (int32_t m = 0; m < opn_measure_count(); m++) {
        const double value = (double)measure[m];
        json_t *shown = json_number(value);
        if (with_phrases && !isnan(value))
            shown = json_pack("{soss}", "value", shown, "means",
                              opn_measure_phrase((opn_measure)m, value));
        put_json(object, opn_measure_name((opn_measure)m), shown);
    }
    return object;
}

static json_t *json_sources(const explained *x)
{
    const opn_explanation *e = x->e;
    if (e->prior == NULL)
        return NULL;
    json_t *list = json_array();
    for (int32_t l = 0; l < e->n_sources; l++) {
        json_t *row = json_object();
        put_json(row, "node", json_node_name(x, e->source[l].node));
        put_json(row, "class", json_class_name(x, e->source[l].k));
        put_json(row, "hops", json_integer(e->source[l].hops));
        put_json(row, "weight", json_number(e->source[l].weight));
        put_json(row, "share", json_number(e->source[l].share));
        json_array_append_new(list, row);
    }
    json_t *prior = json_object();
    put_json(prior, "evidence", json_number(e->prior_sum));
    put_json(prior, "labelled", list);
    return prior;
}

static json_t *json_conflicts(const explained *x)
{
    const opn_explanation *e = x->e;
    if (!opn_model_measures(x->model, OPN_MEASURE_DISSONANCE))
        return NULL;
    json_t *list = json_array();
    for (int32_t c = 0; c < e->n_conflicts; c++) {
        json_t *row = json_object();
        put_json(row, "classes",
                 json_pack("[oo]", json_class_name(x, e->conflict[c].a),
                           json_class_name(x, e->conflict[c].b)));
        put_json(row, "dissonance", json_number(e->conflict[c].dissonance));
        put_json(row, "share", json_number(e->conflict[c].share));
        json_array_append_new(list, row);
    }
    json_t *conflict = json_object();
    put_json(conflict, "pairs", list);
    put_json(conflict, "other_pairs", json_integer(e->n_conflicts_left));
    put_json(conflict, "other_dissonance", json_number(e->conflict_left));
    return conflict;
}

static json_t *json_neighbours(const explained *x)
{
    const opn_explanation *e = x->e;
    json_t *list = json_array();
    for (int32_t j = 0; j < e->n_neighbours; j++) {
        const opn_neighbour *other = &e->neighbour[j];
        json_t *row = json_object();
        put_json(row, "node", json_node_name(x, other->node));
        put_json(row, "predicted", json_class_name(x, other->predicted));
        put_json(row, "agrees", json_boolean(other->predicted == e->predicted));
        put_json(row, "p", json_number((double)other->probability));
        put_json(row, "measures", json_measures(other->measure, false));
        json_array_append_new(list, row);
    }
    return list;
}

static int print_as_json(const explained *x)
{
    const opn_explanation *e = x->e;
    char number[12];
    json_t *document = json_object();
    put_json(document, "model", json_string(opn_model_id(x->model)));
    put_json(document, "node", json_node_name(x, e->node));
    put_json(document, "role", json_string(opn_role_name(e->role)));
    put_json(document, "label",
             e->label < 0
                     ? NULL
                     : json_string(opn_graph_class_name(x->graph, e->label, number)));
    put_json(document, "predicted", json_class_name(x, e->predicted));
    put_json(document, "sentence", json_string(opn_explanation_sentence(e)));
    put_json(document, "reason", json_string(opn_reason_name(e->reason)));
    put_json(document, "classes", json_classes(x));
    put_json(document, "measures", json_measures(e->measure, true));
    put_json(document, "graph_of_training", json_boolean(e->is_of_training));
    put_json(document, "nearest_labelled_hops",
             e->nearest_hops < 0 ? NULL : json_integer(e->nearest_hops));
    put_json(document, "prior", json_sources(x));
    put_json(document, "conflict", json_conflicts(x));
    put_json(document, "neighbours", json_neighbours(x));
    return print_json(document);
}

// ---- verb ----------------------------------------------------------------------------

static int explain(opine_app *app, const opn_model *model, const opn_graph *graph)
{
    const opn_vid node = opn_graph_find_node(graph, app->argument[2]);
    opn_explanation *explanation = NULL;
    int code = EXIT_DONE;
    if (node < 0)
        return reject_node(graph, app->argument[2]);
    opn_status status = opn_model_for_graph(app->ctx, model, graph, &model);
    if (status == OPN_OK)
        status = opn_explain(app->ctx, model, graph, node, app->params, &explanation);
    terminal_clear();
    if (status != OPN_OK)
        return complain_status(app, status);
    const explained x = {model, graph, explanation};
    if (opn_params_flag(app->params, "json"))
        code = print_as_json(&x);
    else
        print_explanation(&x);
    opn_explanation_free(explanation);
    return code;
}

int run_explain(opine_app *app)
{
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    if (strcmp(app->argument[0], "-") == 0 && strcmp(app->argument[1], "-") == 0) {
        complain("explain reads MODEL or DATA from standard input, not both");
        return EXIT_USAGE;
    }
    opn_status status = opn_model_load(app->ctx, app->argument[0], &model);
    if (status == OPN_OK)
        status = opn_model_load_graph(app->ctx, model, app->argument[1], app->params,
                                      &graph);
    const int code =
            status == OPN_OK ? explain(app, model, graph) : complain_status(app, status);
    opn_graph_free(graph);
    opn_model_free(model);
    return code;
}
