// gat_test.c -- graph attention: golden passes and gradients, differences of every
// weight, what a node attends to.

#include "golden/gat_golden.h"
#include "network/gat.h"
#include "support/cmocka_test.h"
#include "support/encoder_claims.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

static opn_i_gat_layers *gat_layers(const network *net)
{
    return net->gcn.layers;
}

static opn_i_attention *layer_of(const network *net, int l)
{
    return l == 0 ? &gat_layers(net)->first : &gat_layers(net)->second;
}

// ---- golden networks -----------------------------------------------------------------

// What is asked of a layer's weights: their values, or the gradient of an objective.
enum { VALUES = -1 };

static const double *pick(const double *value, const double *const *gradient, int which)
{
    return which == VALUES ? value : gradient[which];
}

// Row i of the m-th matrix.
static const double *
golden_row(const golden_gat_case *golden, int m, int32_t i, int32_t n_cols, int which)
{
    const golden_gat_layer *of = &golden->layer[m / 4];
    switch (m % 4) {
    case 0:
        return pick(of->w, of->d_w, which) + (size_t)i * (size_t)n_cols;
    case 1:
        return i == 0 ? pick(of->a_dst, of->d_a_dst, which)
                      : pick(of->a_src, of->d_a_src, which);
    case 2:
        return i == 0 ? pick(of->c_dst, of->d_c_dst, which)
                      : pick(of->c_src, of->d_c_src, which);
    default:
        return pick(of->b, of->d_b, which);
    }
}

static void set_weights(network *net, const golden_gat_case *golden)
{
    for (int m = 0; m < net->gcn.n_matrices; m++) {
        const opn_i_weight *w = &net->gcn.weight[m];
        for (int32_t j = 0; j < w->n_rows * w->n_cols; j++)
            net->weights[opn_i_weight_place(w, j / w->n_cols, j % w->n_cols)] =
                    (opn_real)golden_row(golden, m, j / w->n_cols, w->n_cols,
                                         VALUES)[j % w->n_cols];
    }
}

static void expect_gradients(network *net, const golden_gat_case *golden, int objective)
{
    for (int m = 0; m < net->gcn.n_matrices; m++) {
        const opn_i_weight *w = &net->gcn.weight[m];
        for (int32_t j = 0; j < w->n_rows * w->n_cols; j++)
            expect_close((double)net->d_weights[opn_i_weight_place(w, j / w->n_cols,
                                                                   j % w->n_cols)],
                         golden_row(golden, m, j / w->n_cols, w->n_cols,
                                    objective)[j % w->n_cols],
                         by_build(2e-5, 1e-12), 0.05);
    }
}

// Where unit u of all heads is in a row of a layer.
static int32_t place_of(const opn_i_attention *layer, int32_t u)
{
    return layer->n_heads == 1 ? u : u % layer->n_units * OPN_LANES + u / layer->n_units;
}

static int64_t unit_bit(const opn_i_attention *layer, int32_t i, int32_t u)
{
    return opn_i_attention_unit_bits(layer, i) + place_of(layer, u);
}

static int64_t entry_bit(const opn_i_attention *layer, int64_t e, int32_t head)
{
    return layer->n_heads == 1 ? e : e * OPN_LANES + head;
}

// Units of n nodes by a golden mask [V,units].
static void set_units(const opn_i_attention *layer, const uint8_t *mask, uint64_t *bits)
{
    const int32_t n = layer->n_heads * layer->n_units;
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int32_t u = 0; u < n; u++)
            put_bit(bits, unit_bit(layer, i, u), mask[i * n + u] == 1);
}

static void set_masks(network *net, const golden_gat_case *golden)
{
    for (int32_t e = 0; e < GOLDEN_N_ENTRIES; e++)
        put_bit(net->features.keep, e, golden->layer[0].in_mask[e] == 1);
    set_units(layer_of(net, 0), golden->layer[1].in_mask, net->gcn.keep_hidden);
    for (int l = 0; l < 2; l++) {
        opn_i_attention *layer = layer_of(net, l);
        set_units(layer, golden->layer[l].projected_mask, layer->keep_units);
        for (int32_t e = 0; e < GOLDEN_GAT_ENTRIES; e++)
            for (int32_t h = 0; h < layer->n_heads; h++)
                put_bit(layer->keep_entries, entry_bit(layer, e, h),
                        golden->layer[l].attention_mask[e * layer->n_heads + h] == 1);
    }
}

static void init_golden(int c, network *out)
{
    const golden_gat_case *golden = &golden_gats[c];
    const golden_gat_layer *layer = golden->layer;
    const network_kind kind = {&opn_i_gat_encoder, layer[0].n_heads, layer[1].n_heads};
    network_init_golden_as(ctx, &golden_cases[c % 2], &kind,
                           layer[0].n_heads * layer[0].n_units, out);
    assert_memory_equal(golden->x_value, golden_cases[c % 2].x_value,
                        sizeof(golden_cases[0].x_value));
    assert_memory_equal(out->adjacency.row_ptr, golden_gat_row_ptr,
                        sizeof(golden_gat_row_ptr));
    assert_memory_equal(out->adjacency.col_idx, golden_gat_col, sizeof(golden_gat_col));
    set_weights(out, golden);
    set_masks(out, golden);
}

static opn_i_rates rates_of(const golden_gat_case *golden)
{
    return (opn_i_rates){golden->rate, golden->attention_rate};
}

// ---- golden values -------------------------------------------------------------------

static double pass_tolerance(void)
{
    return by_build(2e-6, 1e-13);
}

static void expect_projected(const opn_i_attention *layer, const double *want)
{
    const int32_t n = layer->n_heads * layer->n_units;
    const opn_i_dense g = opn_i_rows(layer->g, GOLDEN_V, layer->width);
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int32_t u = 0; u < n; u++)
            expect_close((double)*opn_i_element(g, i, place_of(layer, u)),
                         want[i * n + u], pass_tolerance(), 1.0);
}

// Coefficient e of a head before dropout, from what a pass leaves of it.
static double coefficient(const opn_k_attention *pass, int32_t i, int64_t e, int32_t head)
{
    const size_t from = (size_t)i * OPN_LANES + (size_t)head;
    const double s =
            (double)pass->dst[from] + (double)pass->src[pass->col[e] * OPN_LANES + head];
    return exp((s > 0.0 ? s : 0.2 * s) - (double)pass->top[from]) *
           (double)pass->inverse[from];
}

static void expect_attention(const opn_i_attention *layer, const golden_gat_layer *want)
{
    const opn_k_attention *pass = &layer->pass;
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int64_t e = golden_gat_row_ptr[i]; e < golden_gat_row_ptr[i + 1]; e++)
            for (int32_t h = 0; h < layer->n_heads; h++) {
                const size_t at = (size_t)(e * layer->n_heads + h);
                const double w = coefficient(pass, i, e, h);
                const bool is_kept =
                        opn_i_bit(layer->keep_entries, entry_bit(layer, e, h));
                expect_close((double)pass->dst[i * OPN_LANES + h] +
                                     (double)pass->src[golden_gat_col[e] * OPN_LANES + h],
                             want->score[at], pass_tolerance(), 1.0);
                expect_close(w, want->attention[at], pass_tolerance(), 1.0);
                expect_close(is_kept ? w * (double)pass->entry_factor : 0.0,
                             want->dropped[at], pass_tolerance(), 1.0);
            }
}

// Hidden units, of which a pass keeps some.
static void
expect_hidden(const network *net, const double *want, const uint8_t *mask, double rate)
{
    const int32_t n = net->gcn.sizes.n_hidden;
    const opn_i_dense hidden =
            opn_i_rows(gat_layers(net)->hidden, GOLDEN_V, net->gcn.hidden_width);
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int32_t u = 0; u < n; u++) {
            const double keep =
                    mask == NULL || mask[i * n + u] == 1 ? 1.0 / (1.0 - rate) : 0.0;
            expect_close((double)*opn_i_element(hidden, i, place_of(layer_of(net, 0), u)),
                         want[i * n + u] * keep, pass_tolerance(), 1.0);
        }
}

// Both tables of kernels in turn. The masks of X fit where they are those of all heads.
static void with_golden_weights_and_masks_every_layer_is_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < GOLDEN_N_GATS * n_tables; c++) {
        const golden_gat_case *golden = &golden_gats[c / n_tables];
        network net;
        init_golden(c / n_tables, &net);
        net.exec.kernels = table[c % n_tables];
        if (golden->has_shared_mask) {
            opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                        rates_of(golden), true);
            for (int l = 0; l < 2; l++) {
                expect_projected(layer_of(&net, l), golden->layer[l].projected);
                expect_attention(layer_of(&net, l), &golden->layer[l]);
            }
            expect_hidden(&net, golden->hidden, golden->layer[1].in_mask, golden->rate);
            expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.z, golden->z,
                        pass_tolerance(), 1.0);
        }
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        expect_hidden(&net, golden->hidden_eval, NULL, 0.0);
        expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.z, golden->z_eval,
                    pass_tolerance(), 1.0);
        network_deinit(&net);
    }
}

static void with_golden_weights_and_masks_every_gradient_is_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < 2 * GOLDEN_N_GATS * n_tables; c++) {
        const golden_gat_case *golden = &golden_gats[c / 2 / n_tables];
        if (!golden->has_shared_mask)
            continue;
        network net;
        init_golden(c / 2 / n_tables, &net);
        net.exec.kernels = table[c / 2 % n_tables];
        const opn_i_objective objective = encoder_objective(&net, c % 2);
        const double decay = encoder_decay(c % 2);
        encoder_gradient(&net, &objective, GOLDEN_GAT_EPOCH, rates_of(golden), decay);
        expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.d_z,
                    golden->d_z[c % 2], by_build(1e-5, 1e-12), 0.05);
        expect_close(encoder_loss(&net, &objective, GOLDEN_GAT_EPOCH, decay),
                     golden->loss[c % 2], by_build(1e-5, 1e-12), 1.0);
        assert_int_equal(net.gcn.n_decayed, net.gcn.n_weights);
        expect_gradients(&net, golden, c % 2);
        network_deinit(&net);
    }
}

// Where scores have biases: without them those of rows without features are at the kink.
static void steps_of_adam_are_golden(void **state)
{
    (void)state;
    enum { WITH_BIASES = 3 };
    const golden_gat_case *golden = &golden_gats[WITH_BIASES];
    network net;
    assert_true(golden->has_shared_mask && golden->has_score_bias);
    init_golden(WITH_BIASES, &net);
    claim_adam(&net, GOLDEN_GAT_EPOCH, rates_of(golden), GOLDEN_GAT_STEPS,
               golden->adam_loss);
    network_deinit(&net);
}

// ---- differences ---------------------------------------------------------------------

// One head and eight, odd numbers of heads and units, one unit per head; features as
// lists with values, with one factor per row, and as bits.
enum { N_SIZES = 5 };
static const network_kind kinds[N_SIZES] = {{&opn_i_gat_encoder, 1, 1},
                                            {&opn_i_gat_encoder, 3, 2},
                                            {&opn_i_gat_encoder, 8, 1},
                                            {&opn_i_gat_encoder, 5, 8},
                                            {&opn_i_gat_encoder, 1, 3}};
static const network_size sizes[N_SIZES] = {{30, 12, 11, 3, true},
                                            {30, 9, 15, 4, false},
                                            {60, 8, 64, 3, false},
                                            {30, 7, 5, 9, true},
                                            {30, 9, 27, 2, false}};

static void init_drawn(int c, uint64_t seed, network *out)
{
    network_init_drawn_as(ctx, &kinds[c], &sizes[c], seed, out);
}

static void expect_of_all(void (*claim)(network *net))
{
    for (int c = 0; c < N_SIZES; c++) {
        network net;
        init_drawn(c, 5, &net);
        claim(&net);
        network_deinit(&net);
    }
}

static void the_gradient_is_its_differences_in_every_weight(void **state)
{
    (void)state;
    enum { N_RATES = 2 };
    static const opn_i_rates rates[N_RATES] = {{0.0, 0.0}, {0.3, 0.4}};
    for (int c = 0; c < N_RATES * N_SIZES; c++) {
        const opn_i_rates some = rates[c % N_RATES];
        network net;
        init_drawn(c / N_RATES, 4, &net);
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0, some);
        claim_differences(&net, some);
        network_deinit(&net);
    }
}

// ---- invariants ----------------------------------------------------------------------

static void permuting_the_nodes_permutes_the_logits(void **state)
{
    (void)state;
    expect_of_all(claim_permutation);
}

// Its only coefficient is 1, so each layer is a product and a bias.
static void a_node_without_neighbours_attends_to_itself_alone(void **state)
{
    (void)state;
    enum { ALONE = 12 };
    for (int c = 0; c < GOLDEN_N_GATS; c++) {
        const golden_gat_layer *layer = golden_gats[c].layer;
        const int32_t n = layer[1].n_in;
        double z[GOLDEN_K] = {0.0};
        network net;
        init_golden(c, &net);
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        for (int l = 0; l < 2; l++)
            for (int32_t h = 0; h < layer[l].n_heads; h++)
                assert_true(layer_of(&net, l)->pass.inverse[ALONE * OPN_LANES + h] == 1);
        for (int32_t v = 0; v < layer[1].n_heads * GOLDEN_K; v++) {
            double sum = layer[1].b[v];
            for (int32_t u = 0; u < n; u++) {
                double x = layer[0].b[u];
                for (int64_t e = golden_x_row_ptr[ALONE]; e < golden_x_row_ptr[ALONE + 1];
                     e++)
                    x += golden_gats[c].x_value[e] * layer[0].w[golden_x_col[e] * n + u];
                sum += (x > 0.0 ? x : expm1(x)) *
                       layer[1].w[u * layer[1].n_heads * GOLDEN_K + v];
            }
            z[v % GOLDEN_K] += sum / layer[1].n_heads;
        }
        for (int32_t k = 0; k < GOLDEN_K; k++)
            expect_close((double)net.gcn.z[ALONE * net.gcn.class_width + k], z[k],
                         pass_tolerance(), 1.0);
        network_deinit(&net);
    }
}

// Nodes 8 to 11 of the golden graph are on their own.
static void attention_never_sees_other_components(void **state)
{
    (void)state;
    enum { FIRST = 8, LAST = 12 };
    golden_case other_case = golden_cases[1];
    for (int64_t e = golden_x_row_ptr[FIRST]; e < golden_x_row_ptr[LAST]; e++)
        other_case.x_value[e] *= -3.0;
    const network_kind kind = {&opn_i_gat_encoder, 2, 4};
    network net, other;
    init_golden(3, &net);
    network_init_golden_as(ctx, &other_case, &kind, 6, &other);
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    opn_i_network_forward(&net.exec, &other.gcn, net.weights);
    for (int32_t i = 0; i < GOLDEN_V; i++) {
        const size_t at = (size_t)i * (size_t)net.gcn.class_width;
        const bool is_same = memcmp(net.gcn.z + at, other.gcn.z + at,
                                    GOLDEN_K * sizeof(opn_real)) == 0;
        assert_true(is_same == (i < FIRST || i >= LAST));
    }
    network_deinit(&net);
    network_deinit(&other);
}

// ---- threads and memory --------------------------------------------------------------

static void both_ways_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        const network_size size = {30000, 100, 12, 7, c == 0};
        const network_kind kind = {&opn_i_gat_encoder, c == 0 ? 1 : 3, c == 0 ? 2 : 1};
        network net;
        network_init_drawn_as(ctx, &kind, &size, 6, &net);
        claim_bits(&net, (opn_i_rates){0.4, 0.3});
        network_deinit(&net);
    }
}

static void both_tables_of_kernels_agree(void **state)
{
    (void)state;
    expect_of_all(claim_tables);
}

// Beside twice what a graph convolution takes, a network has at most LANES_AN_ENTRY
// numbers for each of eight heads and each entry of A + I: nothing grows with V V.
static void memory_grows_with_nodes_and_edges(void **state)
{
    (void)state;
    enum { LANES_AN_ENTRY = 4 };
    size_t before = 0;
    for (int32_t n_nodes = 1000; n_nodes <= 16000; n_nodes *= 2) {
        const network_size size = {n_nodes, 50, 64, 7, false};
        network net;
        network_init_drawn_as(ctx, &kinds[2], &size, 6, &net);
        const size_t n_entries = (size_t)opn_i_csr_n_entries(&net.adjacency);
        const size_t n_bytes = encoder_bytes(&net, &kinds[2]);
        const size_t of_gcn = encoder_bytes(&net, &gcn_kind);
        assert_true(n_bytes <= 2 * of_gcn + (size_t)LANES_AN_ENTRY * OPN_LANES *
                                                    n_entries * sizeof(opn_real));
        assert_true(before == 0 || n_bytes < 2 * before + before / 20);
        before = n_bytes;
        network_deinit(&net);
    }
}

static void every_allocation_of_a_network_may_fail_and_passes_have_none(void **state)
{
    (void)state;
    expect_of_all(claim_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(with_golden_weights_and_masks_every_layer_is_golden),
            WITH_CTX(with_golden_weights_and_masks_every_gradient_is_golden),
            WITH_CTX(steps_of_adam_are_golden),
            WITH_CTX(the_gradient_is_its_differences_in_every_weight),
            WITH_CTX(permuting_the_nodes_permutes_the_logits),
            WITH_CTX(a_node_without_neighbours_attends_to_itself_alone),
            WITH_CTX(attention_never_sees_other_components),
            WITH_CTX(both_ways_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(both_tables_of_kernels_agree),
            WITH_CTX(memory_grows_with_nodes_and_edges),
            WITH_CTX(every_allocation_of_a_network_may_fail_and_passes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
