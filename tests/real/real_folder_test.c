// real_folder_test.c -- published graphs as folders, against sums that Python took of the
// same files.
//
// Folders are looked for in $OPINE_DATA/own, then in $OPINE_SHARED_DATA/own; where there
// are none the exit code is 77.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

typedef struct folder_facts {
    const char *name;
    const char *label; // the column to name, or NULL
    opn_vid n_nodes;
    opn_off n_edges; // rows of edges.csv
    int32_t n_features;
    opn_off n_entries;
    double edge_sum;    // of 31 source + target
    double feature_sum; // of (node + 1) (feature + 1) value
    struct {
        const char *name;
        int32_t size;
        int64_t node_sum; // of its nodes
    } classes[5];
    const char *hash;  // of the graph as in the file, where it may never change
    const char *notes; // with " | " between
} folder_facts;

static const folder_facts all_facts[] = {
        {"chameleon",
         NULL,
         2277,
         36101,
         3132,
         49057,
         1318037950.0,
         86075660206.0,
         {{"0", 455, 511072},
          {"1", 441, 506918},
          {"2", 469, 519068},
          {"3", 432, 513558},
          {"4", 480, 540610}},
         "cf98c8689c08dabf4606995a064d1c7b3cb1b48a47e4ec7796bb88cbfb7e276c",
         "edges.csv lists some pairs in both directions and others in one; edges are taken "
         "as undirected"},
        {"twitch",
         NULL,
         7126,
         35324,
         2545,
         147683,
         2931449833.0,
         793498646995.0,
         {{"0", 3238, 11525315}, {"1", 3888, 13861060}},
         NULL,
         ""},
        {"PTBR",
         "mature",
         1912,
         31299,
         1449,
         38019,
         659887630.0,
         54906516012.0,
         {{"False", 1251, 1180050}, {"True", 661, 646866}},
         NULL,
         "target.csv: column new_id names the nodes, for it holds those of edges.csv | "
         "target.csv: columns id, days, views and partner are not used | features.json: 113 "
         "nodes list a feature more than once; it counts once"},
};

static opn_ctx *ctx;
static const folder_facts *facts;
static char path[SUPPORT_PATH];
static opn_graph *graph;

static double node_number(opn_vid i)
{
    char number[12];
    return strtod(opn_graph_node_name(graph, i, number), NULL);
}

static void the_graph_has_all_nodes_edges_and_features(void **state)
{
    (void)state;
    assert_int_equal(opn_graph_n_nodes(graph), facts->n_nodes);
    assert_int_equal(opn_graph_n_entries(graph), facts->n_edges);
    assert_int_equal(opn_graph_n_features(graph), facts->n_features);
    assert_int_equal(opn_i_csr_n_entries(&graph->features.lists), facts->n_entries);
}

static void edges_join_the_nodes_that_the_file_names(void **state)
{
    (void)state;
    const opn_i_csr *a = &graph->topology;
    double sum = 0.0;
    for (opn_vid i = 0; i < a->n_rows; i++)
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++)
            sum += 31.0 * node_number(i) + node_number(a->col_idx[e]);
    assert_true(sum == facts->edge_sum);
}

static void features_are_those_of_their_nodes(void **state)
{
    (void)state;
    const opn_i_csr *x = &graph->features.lists;
    char number[12];
    double sum = 0.0;
    for (opn_vid i = 0; i < x->n_rows; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            sum += (node_number(i) + 1.0) *
                   (strtod(opn_graph_feature_name(graph, x->col_idx[e], number), NULL) +
                    1.0) *
                   (x->value == NULL ? 1.0 : (double)x->value[e]);
    assert_true(sum == facts->feature_sum);
}

static void labels_are_those_of_their_nodes(void **state)
{
    (void)state;
    char number[12];
    int32_t k = 0;
    for (; k < 5 && facts->classes[k].name != NULL; k++) {
        int32_t size = 0;
        double sum = 0.0;
        for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++) {
            size += graph->label[i] == k;
            sum += graph->label[i] == k ? node_number(i) : 0.0;
        }
        assert_string_equal(opn_graph_class_name(graph, k, number),
                            facts->classes[k].name);
        assert_int_equal(size, facts->classes[k].size);
        assert_true(sum == (double)facts->classes[k].node_sum);
    }
    assert_int_equal(opn_graph_n_classes(graph), k);
}

static void a_graph_that_was_read_before_keeps_its_hash(void **state)
{
    (void)state;
    char hash[65];
    assert_int_equal(opn_graph_hash(ctx, graph, hash), OPN_OK);
    if (facts->hash != NULL)
        assert_string_equal(hash, facts->hash);
}

static void notes_say_what_was_decided(void **state)
{
    (void)state;
    char all[1024] = "";
    for (int64_t i = 0; i < opn_graph_note_count(graph); i++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i > 0 ? " | " : "",
                 opn_graph_note(graph, i));
    assert_string_equal(all, facts->notes);
}

// Where the user has to choose, the message lists the choices.
static void without_a_label_the_user_is_asked(void **state)
{
    (void)state;
    opn_graph *other = NULL;
    const opn_status status = opn_graph_load(ctx, path, NULL, &other);
    assert_int_equal(status, facts->label == NULL ? OPN_OK : OPN_ERR_FORMAT);
    if (facts->label != NULL)
        support_expect_error(ctx, "name one with `label`: mature or partner");
    opn_graph_free(other);
}

// ---- setting up ----------------------------------------------------------------------

static bool find_folder(const char *root)
{
    if (root == NULL || root[0] == 0)
        return false;
    snprintf(path, sizeof(path), "%s/own/%s", root, facts->name);
    return access(path, R_OK) == 0;
}

static int load(void **state)
{
    (void)state;
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    if (facts->label != NULL)
        assert_int_equal(opn_params_set(ctx, params, "label", facts->label), OPN_OK);
    const opn_status status = opn_graph_load_params(ctx, path, params, &graph);
    opn_params_free(params);
    if (status != OPN_OK)
        fprintf(stderr, "%s\n", opn_ctx_error(ctx));
    return status != OPN_OK;
}

static int unload(void **state)
{
    (void)state;
    opn_graph_free(graph);
    return 0;
}

static int check_folder(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_graph_has_all_nodes_edges_and_features),
            cmocka_unit_test(edges_join_the_nodes_that_the_file_names),
            cmocka_unit_test(features_are_those_of_their_nodes),
            cmocka_unit_test(labels_are_those_of_their_nodes),
            cmocka_unit_test(a_graph_that_was_read_before_keeps_its_hash),
            cmocka_unit_test(notes_say_what_was_decided),
            cmocka_unit_test(without_a_label_the_user_is_asked),
    };
    return cmocka_run_group_tests(tests, load, unload);
}

int main(int argc, char **argv)
{
    for (size_t f = 0; f < sizeof(all_facts) / sizeof(all_facts[0]); f++)
        if (argc == 2 && strcmp(argv[1], all_facts[f].name) == 0)
            facts = &all_facts[f];
    if (facts == NULL) {
        fprintf(stderr, "usage: real_folder_test FOLDER\n");
        return 2;
    }
    if (!find_folder(getenv("OPINE_DATA")) && !find_folder(getenv("OPINE_SHARED_DATA"))) {
        printf("the folder own/%s is not there\n", facts->name);
        return SKIPPED;
    }
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 1;
    const int n_failed = check_folder();
    opn_ctx_free(ctx);
    return n_failed == 0 ? 0 : 1;
}
