// feature_search.c -- features by name, and the nodes that have one.

#include "explore/explorer_data.h"
#include "graph/graph_data.h"
#include "io/json_write.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { OK = 200, BAD = 400, FAILED = 500, MOST_FEATURES = 20, MOST_NODES = 10000 };

// Whether the name holds the words, in either case of ASCII letters; at its start if so.
static bool holds(const char *name, const char *words, bool *at_start)
{
    const size_t n = strlen(words);
    *at_start = strncasecmp(name, words, n) == 0;
    for (; *name != 0; name++)
        if (strncasecmp(name, words, n) == 0)
            return true;
    return n == 0;
}

// Features whose name holds the words, those that start with them first; returns how
// many.
static int find_features(const opn_graph *graph, const char *words, int32_t *found)
{
    char number[12];
    int n = 0;
    for (int round = 0; round < 2; round++)
        for (int32_t k = 0; k < graph->features.n_cols && n < MOST_FEATURES; k++) {
            bool at_start = false;
            if (holds(opn_graph_feature_name(graph, k, number), words, &at_start) &&
                at_start == (round == 0))
                found[n++] = k;
        }
    return n;
}

static void list_features(const opn_graph *graph, const char *words, opn_i_answer *out)
{
    int32_t found[MOST_FEATURES];
    int64_t n_nodes[MOST_FEATURES] = {0};
    char number[12];
    const opn_i_features *x = &graph->features;
    const int n = find_features(graph, words, found);
    json_t *list = json_array();
    for (opn_vid i = 0; n > 0 && i < x->n_rows; i++)
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            for (int f = 0; f < n; f++)
                n_nodes[f] += at.col == found[f];
    for (int f = 0; f < n; f++)
        opn_i_json_append(list,
                          json_pack("{s:i,s:s,s:I}", "feature", (int)found[f], "name",
                                    opn_graph_feature_name(graph, found[f], number),
                                    "nodes", (json_int_t)n_nodes[f]));
    opn_i_answer_json(out, OK, json_pack("{s:o}", "features", list));
}

typedef struct bearer {
    opn_vid node;
    double value;
} bearer;

// The most of the feature first; of equals the first node.
static int compare_bearers(const void *left, const void *right)
{
    const bearer *a = left;
    const bearer *b = right;
    if (a->value < b->value || a->value > b->value)
        return a->value < b->value ? 1 : -1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void
list_nodes(opn_ctx *ctx, const opn_graph *graph, int32_t feature, opn_i_answer *out)
{
    const opn_i_features *x = &graph->features;
    char number[12];
    size_t n = 0;
    bearer *found = opn_i_calloc(&ctx->alloc, (size_t)x->n_rows, sizeof(*found));
    json_t *list = json_array();
    for (opn_vid i = 0; found != NULL && i < x->n_rows; i++)
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            if (at.col == feature)
                found[n++] = (bearer){i, (double)at.value};
    if (found != NULL)
        qsort(found, n, sizeof(*found), compare_bearers);
    for (size_t f = 0; f < n && f < MOST_NODES; f++)
        opn_i_json_append(list, json_integer(found[f].node));
    if (found == NULL) {
        json_decref(list);
        opn_i_answer_error(out, FAILED, "out of memory");
    } else
        opn_i_answer_json(out, OK,
                          json_pack("{s:i,s:s,s:I,s:o}", "feature", (int)feature, "name",
                                    opn_graph_feature_name(graph, feature, number),
                                    "total", (json_int_t)n, "nodes", list));
    opn_i_release(&ctx->alloc, found);
}

void opn_i_answer_features(opn_ctx *ctx,
                           const opn_explorer *explorer,
                           const json_t *wanted,
                           opn_i_answer *out)
{
    const opn_graph *graph = explorer->graph;
    const char *words = json_string_value(json_object_get(wanted, "find"));
    const json_t *feature = json_object_get(wanted, "feature");
    const json_int_t k = json_integer_value(feature);
    if (words != NULL)
        list_features(graph, words, out);
    else if (!json_is_integer(feature))
        opn_i_answer_error(out, BAD,
                           "either find, a text, or feature, a number, is needed");
    else if (k < 0 || k >= graph->features.n_cols)
        opn_i_answer_error(out, BAD, "the graph has %d features",
                           (int)graph->features.n_cols);
    else
        list_nodes(ctx, graph, (int32_t)k, out);
}
