// sage_test.c -- GraphSAGE: golden passes and gradients, differences of every weight, and
// what a node does not see.

#include "golden/gat_golden.h"
#include "network/sage.h"
#include "support/cmocka_test.h"
#include "support/encoder_claims.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

// ---- golden values -------------------------------------------------------------------

// The list of weights: two parts side by side and a bias, for each layer.
typedef struct golden_pair {
    const double *self, *near, *bias;
} golden_pair;

static golden_pair weights_of(const golden_sage_layer *layer)
{
    return (golden_pair){layer->w_self, layer->w_neigh, layer->b};
}

static golden_pair gradients_of(const golden_sage_layer *layer, int objective)
{
    return (golden_pair){layer->d_w_self[objective], layer->d_w_neigh[objective],
                         layer->d_b[objective]};
}

static double
golden_at(const golden_pair *of, bool is_bias, int32_t n, int32_t i, int32_t k)
{
    if (is_bias)
        return of->bias[k];
    return k < n ? of->self[i * n + k] : of->near[i * n + k - n];
}

static opn_i_sage_layers *sage_layers(const network *net)
{
    return net->gcn.layers;
}

static void set_weights(network *net, const golden_sage_case *golden)
{
    for (int m = 0; m < net->gcn.n_matrices; m++) {
        const opn_i_weight *w = &net->gcn.weight[m];
        const golden_pair of = weights_of(&golden->layer[m / 2]);
        for (int32_t i = 0; i < w->n_rows; i++)
            for (int32_t k = 0; k < w->n_cols; k++)
                net->weights[opn_i_weight_place(w, i, k)] = (opn_real)golden_at(
                        &of, m % 2 == 1, golden->layer[m / 2].n_units, i, k);
    }
}

static void expect_gradients(network *net, const golden_sage_case *golden, int objective)
{
    for (int m = 0; m < net->gcn.n_matrices; m++) {
        const opn_i_weight *w = &net->gcn.weight[m];
        const golden_pair of = gradients_of(&golden->layer[m / 2], objective);
        for (int32_t i = 0; i < w->n_rows; i++)
            for (int32_t k = 0; k < w->n_cols; k++)
                expect_close(
                        (double)net->d_weights[opn_i_weight_place(w, i, k)],
                        golden_at(&of, m % 2 == 1, golden->layer[m / 2].n_units, i, k),
                        by_build(2e-5, 1e-12), 0.05);
    }
}

static void set_masks(network *net, const golden_sage_case *golden)
{
    const int32_t n_hidden = net->gcn.sizes.n_hidden;
    const int32_t half = sage_layers(net)->half;
    for (int32_t e = 0; e < GOLDEN_N_ENTRIES; e++)
        put_bit(net->features.keep, e, golden->layer[0].in_mask[e] == 1);
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int32_t h = 0; h < n_hidden; h++)
            put_bit(net->gcn.keep_hidden, (int64_t)row_place(half, i, h),
                    golden->layer[1].in_mask[i * n_hidden + h] == 1);
}

// The golden means count every edge alike.
static void init_golden(int c, network *out)
{
    const golden_sage_case *golden = &golden_sages[c];
    golden_case plain = golden_cases[c];
    for (int e = 0; e < GOLDEN_E; e++)
        plain.edge_weight[e] = 1.0;
    assert_memory_equal(plain.x_value, golden->x_value, sizeof(plain.x_value));
    network_init_golden_as(ctx, &plain, &sage_kind, golden->layer[0].n_units, out);
    set_weights(out, golden);
    set_masks(out, golden);
}

// Hidden units, of which a pass keeps some.
static void
expect_hidden(const network *net, const double *hidden, const uint8_t *mask, double rate)
{
    const int32_t n_hidden = net->gcn.sizes.n_hidden;
    const opn_i_dense got =
            opn_i_rows(sage_layers(net)->hidden, GOLDEN_V, sage_layers(net)->half);
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int32_t h = 0; h < n_hidden; h++) {
            const size_t at = (size_t)i * (size_t)n_hidden + (size_t)h;
            const double kept = mask == NULL || mask[at] == 1 ? 1.0 / (1.0 - rate) : 0.0;
            expect_close((double)*opn_i_element(got, i, h), hidden[at] * kept,
                         by_build(1e-6, 1e-13), 1.0);
        }
}

static void with_golden_weights_and_masks_every_layer_is_golden(void **state)
{
    (void)state;
    const double tolerance = by_build(1e-6, 1e-13);
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < GOLDEN_N_SAGES * n_tables; c++) {
        const golden_sage_case *golden = &golden_sages[c / n_tables];
        network net;
        init_golden(c / n_tables, &net);
        net.exec.kernels = table[c % n_tables];
        opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                    (opn_i_rates){golden->rate, 0.0}, true);
        expect_hidden(&net, golden->hidden, golden->layer[1].in_mask, golden->rate);
        expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.z, golden->z,
                    tolerance, 1.0);
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        expect_hidden(&net, golden->hidden_eval, NULL, 0.0);
        expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.z, golden->z_eval,
                    tolerance, 1.0);
        network_deinit(&net);
    }
}

static void with_golden_weights_and_masks_every_gradient_is_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < 2 * GOLDEN_N_SAGES * n_tables; c++) {
        const golden_sage_case *golden = &golden_sages[c / 2 / n_tables];
        network net;
        init_golden(c / 2 / n_tables, &net);
        net.exec.kernels = table[c / 2 % n_tables];
        const opn_i_objective objective = encoder_objective(&net, c % 2);
        const double decay = encoder_decay(c % 2);
        encoder_gradient(&net, &objective, GOLDEN_GAT_EPOCH,
                         (opn_i_rates){golden->rate, 0.0}, decay);
        expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.d_z,
                    golden->d_z[c % 2], by_build(1e-5, 1e-12), 0.05);
        expect_close(encoder_loss(&net, &objective, GOLDEN_GAT_EPOCH, decay),
                     golden->loss[c % 2], by_build(1e-5, 1e-12), 1.0);
        expect_gradients(&net, golden, c % 2);
        network_deinit(&net);
    }
}

static void steps_of_adam_are_golden(void **state)
{
    (void)state;
    for (int c = 0; c < GOLDEN_N_SAGES; c++) {
        network net;
        init_golden(c, &net);
        claim_adam(&net, GOLDEN_GAT_EPOCH, (opn_i_rates){golden_sages[c].rate, 0.0},
                   GOLDEN_GAT_STEPS, golden_sages[c].adam_loss);
        network_deinit(&net);
    }
}

// ---- differences ---------------------------------------------------------------------

// One unit, several of less than a slice, and more than one; features as lists with
// values, with one factor per row, and as bits.
enum { N_SIZES = 3 };
static const network_size sizes[N_SIZES] = {
        {30, 12, 1, 3, true}, {30, 9, 7, 9, false}, {60, 8, 35, 4, false}};

static void the_gradient_is_its_differences_in_every_weight(void **state)
{
    (void)state;
    static const double rates[] = {0.0, 0.5};
    for (int c = 0; c < 2 * N_SIZES; c++) {
        network net;
        network_init_drawn_as(ctx, &sage_kind, &sizes[c / 2], 4, &net);
        const opn_i_rates some = {rates[c % 2], 0.0};
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0, some);
        claim_differences(&net, some);
        network_deinit(&net);
    }
}

// ---- invariants ----------------------------------------------------------------------

static void permuting_the_nodes_permutes_the_logits(void **state)
{
    (void)state;
    for (int c = 0; c < N_SIZES; c++) {
        network net;
        network_init_drawn_as(ctx, &sage_kind, &sizes[c], 5, &net);
        claim_permutation(&net);
        network_deinit(&net);
    }
}

// x_i w for column h of a golden part of W0.
static double product_of(int32_t i, const double *w, int32_t n_hidden, int32_t h)
{
    double sum = 0.0;
    for (int64_t e = golden_x_row_ptr[i]; e < golden_x_row_ptr[i + 1]; e++)
        sum += golden_sages[1].x_value[e] * w[golden_x_col[e] * n_hidden + h];
    return sum;
}

// The mean of its neighbours is 0.
static void a_node_without_neighbours_sees_itself_alone(void **state)
{
    (void)state;
    enum { ALONE = 12 };
    const golden_sage_layer *layer = golden_sages[1].layer;
    const int32_t n_hidden = layer[0].n_units;
    double z[GOLDEN_K];
    network net;
    init_golden(1, &net);
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    memcpy(z, layer[1].b, sizeof(z));
    for (int32_t h = 0; h < n_hidden; h++) {
        const double x = product_of(ALONE, layer[0].w_self, n_hidden, h) + layer[0].b[h];
        for (int32_t k = 0; k < GOLDEN_K; k++)
            z[k] += fmax(0.0, x) * layer[1].w_self[h * GOLDEN_K + k];
    }
    for (int32_t k = 0; k < GOLDEN_K; k++)
        expect_close((double)net.gcn.z[ALONE * net.gcn.class_width + k], z[k],
                     by_build(1e-6, 1e-13), 1.0);
    network_deinit(&net);
}

static void weights_of_edges_weigh_the_mean(void **state)
{
    (void)state;
    const golden_sage_layer *layer = golden_sages[1].layer;
    const int32_t n_hidden = layer[0].n_units;
    network net;
    network_init_golden_as(ctx, &golden_cases[1], &sage_kind, n_hidden, &net);
    set_weights(&net, &golden_sages[1]);
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    const opn_i_dense hidden =
            opn_i_rows(sage_layers(&net)->hidden, GOLDEN_V, sage_layers(&net)->half);
    for (int32_t i = 0; i < GOLDEN_V; i++) {
        for (int32_t h = 0; h < n_hidden; h++) {
            double sum = 0.0;
            double weight = 0.0;
            for (int e = 0; e < 2 * GOLDEN_E; e++) {
                if (golden_edge[e] != i)
                    continue;
                const double share = golden_cases[1].edge_weight[e / 2];
                weight += share;
                sum += share *
                       product_of(golden_edge[e ^ 1], layer[0].w_neigh, n_hidden, h);
            }
            const double x = product_of(i, layer[0].w_self, n_hidden, h) +
                             (weight > 0.0 ? sum / weight : 0.0) + layer[0].b[h];
            expect_close((double)*opn_i_element(hidden, i, h), fmax(0.0, x),
                         by_build(1e-6, 1e-13), 1.0);
        }
    }
    network_deinit(&net);
}

// ---- draws ---------------------------------------------------------------------------

static void a_pass_draws_its_masks_from_seed_streams_and_step_alone(void **state)
{
    (void)state;
    const network_size size = {100, 20, 9, 3, false};
    network net;
    network_init_drawn_as(ctx, &sage_kind, &size, 4, &net);
    const int64_t n = (int64_t)size.n_nodes * sage_layers(&net)->half;
    uint64_t want[64] = {0};
    assert_true(opn_i_bit_words(n) <= 64);
    for (uint32_t step = 0; step < 5; step++) {
        opn_i_network_draw(&net.exec, &net.gcn, 77, &sample_streams, step,
                           (opn_i_rates){0.3, 0.0});
        opn_i_keep_bits(&net.exec, 77, OPN_STREAM_SAMPLE_HIDDEN, step, 0.3, n, want);
        assert_memory_equal(net.gcn.keep_hidden, want,
                            opn_i_bit_words(n) * sizeof(*want));
    }
    network_deinit(&net);
}

// ---- threads and memory --------------------------------------------------------------

static void both_ways_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const network_size size = {30000, 100, 16, 7, true};
    network net;
    network_init_drawn_as(ctx, &sage_kind, &size, 6, &net);
    claim_bits(&net, (opn_i_rates){0.4, 0.0});
    network_deinit(&net);
}

static void both_tables_of_kernels_agree(void **state)
{
    (void)state;
    for (int c = 0; c < N_SIZES; c++) {
        network net;
        network_init_drawn_as(ctx, &sage_kind, &sizes[c], 6, &net);
        claim_tables(&net);
        network_deinit(&net);
    }
}

static void every_allocation_of_a_network_may_fail_and_passes_have_none(void **state)
{
    (void)state;
    network net;
    network_init_drawn_as(ctx, &sage_kind, &sizes[1], 6, &net);
    claim_memory(&net);
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(with_golden_weights_and_masks_every_layer_is_golden),
            WITH_CTX(with_golden_weights_and_masks_every_gradient_is_golden),
            WITH_CTX(steps_of_adam_are_golden),
            WITH_CTX(the_gradient_is_its_differences_in_every_weight),
            WITH_CTX(permuting_the_nodes_permutes_the_logits),
            WITH_CTX(a_node_without_neighbours_sees_itself_alone),
            WITH_CTX(weights_of_edges_weigh_the_mean),
            WITH_CTX(a_pass_draws_its_masks_from_seed_streams_and_step_alone),
            WITH_CTX(both_ways_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(both_tables_of_kernels_agree),
            WITH_CTX(every_allocation_of_a_network_may_fail_and_passes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
