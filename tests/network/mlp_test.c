// mlp_test.c -- two layers without edges: against a dense computation, differences of
// every weight, and what training needs of the graph.

#include "support/cmocka_test.h"
#include "support/encoder_claims.h"
#include "support/support.h"

#include <math.h>

static opn_ctx *ctx;

// One unit, several of less than a slice, and more than one; features as lists with
// values, with one factor per row, and as bits.
enum { N_SIZES = 3 };
static const network_size sizes[N_SIZES] = {
        {30, 13, 1, 3, true}, {30, 10, 7, 9, false}, {60, 11, 35, 4, false}};

// ---- a dense computation -------------------------------------------------------------

static double weight_at(const network *net, int m, int32_t i, int32_t k)
{
    return (double)net->weights[opn_i_weight_place(&net->gcn.weight[m], i, k)];
}

// Hidden unit h of node i, from the entries that are kept.
static double hidden_at(const network *net, int32_t i, int32_t h, double rate)
{
    const opn_i_csr *x = &net->graph->features.lists;
    const int64_t bit = (int64_t)row_place(net->gcn.hidden_width, i, h);
    double sum = 0.0;
    for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
        if (rate == 0.0 || opn_i_bit(net->features.keep, e))
            sum += (x->value == NULL ? 1.0 : (double)x->value[e]) / (1.0 - rate) *
                   weight_at(net, 0, x->col_idx[e], h);
    const bool is_kept = rate == 0.0 || opn_i_bit(net->gcn.keep_hidden, bit);
    return is_kept ? fmax(0.0, sum) / (1.0 - rate) : 0.0;
}

static void a_node_has_the_logits_of_its_own_features(void **state)
{
    (void)state;
    for (int c = 0; c < 2 * N_SIZES; c++) {
        const double rate = c % 2 == 0 ? 0.0 : 0.4;
        network net;
        network_init_drawn_as(ctx, &mlp_kind, &sizes[c / 2], 4, &net);
        const opn_i_network *mlp = &net.gcn;
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0,
                           (opn_i_rates){rate, 0.0});
        opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                    (opn_i_rates){rate, 0.0}, true);
        for (int32_t i = 0; i < mlp->n_nodes; i++) {
            for (int32_t k = 0; k < mlp->sizes.n_classes; k++) {
                double z = 0.0;
                for (int32_t h = 0; h < mlp->sizes.n_hidden; h++)
                    z += hidden_at(&net, i, h, rate) * weight_at(&net, 1, h, k);
                expect_close((double)mlp->z[i * mlp->class_width + k], z,
                             by_build(2e-6, 1e-13), 1.0);
            }
        }
        network_deinit(&net);
    }
}

static void the_gradient_is_its_differences_in_every_weight(void **state)
{
    (void)state;
    for (int c = 0; c < 2 * N_SIZES; c++) {
        const opn_i_rates some = {c % 2 == 0 ? 0.0 : 0.5, 0.0};
        network net;
        network_init_drawn_as(ctx, &mlp_kind, &sizes[c / 2], 4, &net);
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0, some);
        claim_differences(&net, some);
        network_deinit(&net);
    }
}

// ---- the graph -----------------------------------------------------------------------

static void training_needs_the_labelled_nodes_alone(void **state)
{
    (void)state;
    network net;
    network_init_drawn_as(ctx, &mlp_kind, &sizes[1], 4, &net);
    opn_i_subgraph subgraph = {0};
    assert_int_equal(opn_i_subgraph_init(ctx, &net.adjacency, &net.gcn.reach, net.target,
                                         net.validation, false, false, &subgraph),
                     OPN_OK);
    assert_int_equal(subgraph.train.inner.n_cols, net.n_train);
    for (int32_t r = 0; r < subgraph.n_nodes; r++)
        assert_true(net.target[subgraph.node[r]] >= 0 ||
                    net.validation[subgraph.node[r]] >= 0);
    opn_i_subgraph_deinit(&ctx->alloc, &subgraph);
    network_deinit(&net);
}

// ---- invariants ----------------------------------------------------------------------

static void permuting_the_nodes_permutes_the_logits(void **state)
{
    (void)state;
    network net;
    network_init_drawn_as(ctx, &mlp_kind, &sizes[1], 5, &net);
    claim_permutation(&net);
    network_deinit(&net);
}

static void both_ways_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const network_size size = {30000, 100, 16, 7, true};
    network net;
    network_init_drawn_as(ctx, &mlp_kind, &size, 6, &net);
    claim_bits(&net, (opn_i_rates){0.4, 0.0});
    network_deinit(&net);
}

static void both_tables_of_kernels_agree(void **state)
{
    (void)state;
    network net;
    network_init_drawn_as(ctx, &mlp_kind, &sizes[2], 6, &net);
    claim_tables(&net);
    network_deinit(&net);
}

static void every_allocation_of_a_network_may_fail_and_passes_have_none(void **state)
{
    (void)state;
    network net;
    network_init_drawn_as(ctx, &mlp_kind, &sizes[1], 6, &net);
    claim_memory(&net);
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_node_has_the_logits_of_its_own_features),
            WITH_CTX(the_gradient_is_its_differences_in_every_weight),
            WITH_CTX(training_needs_the_labelled_nodes_alone),
            WITH_CTX(permuting_the_nodes_permutes_the_logits),
            WITH_CTX(both_ways_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(both_tables_of_kernels_agree),
            WITH_CTX(every_allocation_of_a_network_may_fail_and_passes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
