// real_gkde_test.c -- the prior of Cora against SciPy's shortest paths.
//
// Data are looked for as the library does, then in $OPINE_SHARED_DATA; where there are
// none the exit code is 77.

#include "graph/gkde.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, CLASSES = 7, LABELLED = 140 };

// What the tests look at; set up once.
static opn_ctx *ctx;
static opn_graph *cora;
static int32_t *target; // [V] of the Planetoid training nodes
static opn_real *prior; // [V, OPN_LANES]

static void the_nodes_looked_at_have_the_golden_prior(void **state)
{
    (void)state;
    for (int n = 0; n < GOLDEN_N_CORA_NODES; n++)
        expect_rows(1, CLASSES, OPN_LANES, prior + OPN_LANES * golden_cora_node[n],
                    golden_cora_prior + CLASSES * n, by_build(1e-6, 1e-13), 1.0);
}

static void the_evidence_adds_up_to_the_golden_sums(void **state)
{
    (void)state;
    double sum[CLASSES] = {0.0};
    double total = 0.0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(cora); i++)
        for (int k = 0; k < CLASSES; k++)
            sum[k] += (double)prior[OPN_LANES * i + k] - 1.0;
    for (int k = 0; k < CLASSES; k++) {
        expect_close(sum[k], golden_cora_evidence[k], by_build(1e-5, 1e-12), 1.0);
        total += sum[k];
    }
    expect_close(total, golden_cora_total, by_build(1e-6, 1e-12), 1.0);
}

// Typed from what the project promises, not from any program's output.
static void the_promised_figures_come_out(void **state)
{
    (void)state;
    static const double first[CLASSES] = {1.000015, 1.001033, 1.000671, 2.023236,
                                          1.000354, 1.000004, 1.000008};
    double total = 0.0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(cora); i++)
        for (int k = 0; k < CLASSES; k++)
            total += (double)prior[OPN_LANES * i + k] - 1.0;
    assert_true(fabs(total - 1348.747) < 1.5e-3);
    for (int k = 0; k < CLASSES; k++)
        assert_true(fabs((double)prior[k] - first[k]) < 1e-6);
}

// ---- setting up ----------------------------------------------------------------------

static const opn_dataset *cora_dataset(void)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, "cora") == 0)
            return opn_dataset_at(d);
    return NULL;
}

static bool find_data(const char *data_dir)
{
    int found = 0;
    return opn_dataset_find(ctx, cora_dataset(), data_dir, &found) == OPN_OK && found;
}

static int load(void **state)
{
    (void)state;
    const char *data_dir = find_data(NULL) ? NULL : getenv("OPINE_SHARED_DATA");
    opn_graph *raw = NULL;
    opn_split *split = NULL;
    if (opn_graph_load(ctx, "cora", data_dir, &raw) != OPN_OK ||
        opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), &cora) != OPN_OK ||
        opn_split_create(ctx, cora, OPN_SPLIT_USUAL, 0, NULL, 0, &split) != OPN_OK) {
        fprintf(stderr, "%s\n", opn_ctx_error(ctx));
        return 1;
    }
    const size_t n_nodes = (size_t)opn_graph_n_nodes(cora);
    target = calloc(n_nodes, sizeof(*target));
    prior = calloc(n_nodes * OPN_LANES, sizeof(*prior));
    assert_non_null(target);
    assert_non_null(prior);
    int n_labelled = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        const bool is_train = opn_split_roles(split)[i] == OPN_ROLE_TRAIN;
        target[i] = is_train ? cora->label[i] : -1;
        n_labelled += is_train;
    }
    assert_int_equal(n_labelled, LABELLED);
    assert_int_equal(opn_i_gkde(ctx, cora, target, CLASSES, 1.0, false, OPN_LANES, prior),
                     OPN_OK);
    opn_split_free(split);
    opn_graph_free(raw);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    free(target);
    free(prior);
    opn_graph_free(cora);
    return 0;
}

static int check_cora(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_nodes_looked_at_have_the_golden_prior),
            cmocka_unit_test(the_evidence_adds_up_to_the_golden_sums),
            cmocka_unit_test(the_promised_figures_come_out),
    };
    return cmocka_run_group_tests(tests, load, unload);
}

int main(void)
{
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return EXIT_FAILURE;
    int result = SKIPPED;
    if (find_data(NULL) || find_data(getenv("OPINE_SHARED_DATA")))
        result = check_cora();
    else
        printf("skipped: cora: no data in $OPINE_DATA, the user's data folder or "
               "$OPINE_SHARED_DATA\n");
    opn_ctx_free(ctx);
    return result;
}
