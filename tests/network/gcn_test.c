// gcn_test.c -- the graph convolution: golden passes, golden gradients, differences of
// every weight of every model.

#include "graph/normalise.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- golden passes -------------------------------------------------------------------

static void expect_golden_forward(network *net, const golden_case *golden)
{
    const opn_i_network *gcn = &net->gcn;
    const double tolerance = by_build(1e-6, 1e-13);
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights,
                                (opn_i_rates){golden->rate, 0.0}, true);
    expect_rows(GOLDEN_V, GOLDEN_H, gcn->hidden_width, layers_of(gcn)->p, golden->xw,
                tolerance, 1.0);
    expect_rows(GOLDEN_V, GOLDEN_H, gcn->hidden_width, layers_of(gcn)->hidden,
                golden->hidden, tolerance, 1.0);
    expect_rows(GOLDEN_V, GOLDEN_K, gcn->class_width, gcn->z, golden->z, tolerance, 1.0);
    opn_i_network_forward(&net->exec, &net->gcn, net->weights);
    expect_rows(GOLDEN_V, GOLDEN_K, gcn->class_width, gcn->z, golden->z_eval, tolerance,
                1.0);
}

static void with_golden_weights_and_masks_every_layer_is_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < 2; c++) {
        network net;
        network_init_golden(ctx, &golden_cases[c], &net);
        for (int t = 0; t < n_tables; t++) {
            net.exec.kernels = table[t];
            expect_golden_forward(&net, &golden_cases[c]);
        }
        network_deinit(&net);
    }
}

// Gradient of all weights for one model, with the decay of the first layer.
static void
run_backward(network *net, int model, const golden_case *golden, opn_real *d_weights)
{
    const opn_i_objective objective = network_objective(net, model);
    int64_t n_bounded = 0;
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights,
                                (opn_i_rates){golden->rate, 0.0}, true);
    opn_i_objective_gradient(&net->exec, &objective, GOLDEN_EPOCH, net->gcn.z,
                             net->gcn.d_z, &n_bounded);
    opn_i_network_backward(&net->exec, &net->gcn, net->weights, d_weights);
    for (size_t j = 0; j < net->gcn.n_decayed; j++)
        d_weights[j] += (opn_real)golden_weight_decay * net->weights[j];
}

static void with_golden_weights_and_masks_every_gradient_is_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < 2; c++) {
        const golden_case *golden = &golden_cases[c];
        network net;
        network_init_golden(ctx, golden, &net);
        for (int m = 0; m < n_tables * GOLDEN_N_OBJECTIVES; m++) {
            const int model = m / n_tables;
            net.exec.kernels = table[m % n_tables];
            run_backward(&net, model, golden, net.d_weights);
            expect_rows(GOLDEN_F, GOLDEN_H, net.gcn.hidden_width, net.d_weights,
                        golden->objective_d_w0[model], by_build(2e-5, 1e-12), 0.05);
            expect_rows(GOLDEN_H, GOLDEN_K, net.gcn.class_width,
                        net.d_weights + net.gcn.n_decayed, golden->objective_d_w1[model],
                        by_build(2e-5, 1e-12), 0.05);
        }
        network_deinit(&net);
    }
}

// ---- differences ---------------------------------------------------------------------

static double whole_loss(network *net, int model, double rate)
{
    const opn_i_objective objective = network_objective(net, model);
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights,
                                (opn_i_rates){rate, 0.0}, false);
    const opn_i_loss_terms terms =
            opn_i_objective_terms(&objective, GOLDEN_EPOCH, net->gcn.z);
    double norm = 0.0;
    for (size_t j = 0; j < net->gcn.n_decayed; j++)
        norm += (double)net->weights[j] * (double)net->weights[j];
    return terms.supervised + terms.prior + terms.teacher +
           0.5 * golden_weight_decay * norm;
}

// Hidden values and logits keep a distance to the kinks that no step below crosses. In
// the last two rounds a third of the edges is gone.
static void the_gradient_of_every_model_is_its_differences_in_every_weight(void **state)
{
    (void)state;
    const double h = by_build(0x1p-11, 1e-5);
    for (int round = 0; round < 4; round++) {
        const golden_case *golden = &golden_cases[round % 2];
        network net;
        network_init_golden(ctx, golden, &net);
        if (round >= 2) {
            network_add_dropper(&net);
            opn_i_keep_bits(&net.exec, 2, OPN_STREAM_STUDENT_EDGES, 0, 1.0 / 3.0,
                            net.dropper.n_edges, net.dropper.keep);
        }
        for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
            run_backward(&net, model, golden, net.d_weights);
            for (size_t j = 0; j < net.gcn.n_weights; j++) {
                const opn_real old = net.weights[j];
                const size_t n_first = net.gcn.n_decayed;
                const bool is_padding = j < n_first
                                                ? j % OPN_LANES >= GOLDEN_H
                                                : (j - n_first) % OPN_LANES >= GOLDEN_K;
                if (is_padding) {
                    assert_true(net.d_weights[j] == 0);
                    continue;
                }
                net.weights[j] = (opn_real)((double)old + h);
                const double up = whole_loss(&net, model, golden->rate);
                net.weights[j] = (opn_real)((double)old - h);
                const double down = whole_loss(&net, model, golden->rate);
                net.weights[j] = old;
                expect_close((double)net.d_weights[j], (up - down) / (2.0 * h),
                             by_build(1e-1, 1e-7), 0.1);
            }
        }
        network_deinit(&net);
    }
}

// For the loss sum of c.z the backward pass is linear in c, so this is exact: with all
// hidden units active, z is linear in each layer's weights.
static void the_way_back_is_the_transpose_of_the_way_forth(void **state)
{
    (void)state;
    const network_size size = {200, 30, 11, 5, true};
    network net;
    uint64_t random = 8;
    network_init_drawn(ctx, &size, 4, &net);
    network_add_dropper(&net);
    const opn_i_network *gcn = &net.gcn;
    const size_t n_z = (size_t)gcn->n_nodes * (size_t)gcn->class_width;
    opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0,
                       (opn_i_rates){0.4, 0.2});
    opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights, (opn_i_rates){0.4, 0.0},
                                true);
    draw_rows(&random, gcn->n_nodes, gcn->sizes.n_classes, gcn->class_width, -1.0, 1.0,
              gcn->d_z);
    double product = 0.0;
    double size_of_z = 0.0;
    for (size_t j = 0; j < n_z; j++) {
        product += (double)gcn->d_z[j] * (double)gcn->z[j];
        size_of_z += fabs((double)gcn->z[j]);
    }
    opn_i_network_backward(&net.exec, &net.gcn, net.weights, net.d_weights);
    // z is homogeneous of degree 1 in W0 and in W1.
    double by_layer[2] = {0.0, 0.0};
    for (size_t j = 0; j < gcn->n_weights; j++)
        by_layer[j >= gcn->n_decayed] +=
                (double)net.weights[j] * (double)net.d_weights[j];
    expect_close(by_layer[0], product, by_build(1e-5, 1e-13), 0.01 * size_of_z);
    expect_close(by_layer[1], product, by_build(1e-5, 1e-13), 0.01 * size_of_z);
    network_deinit(&net);
}

// ---- dropout -------------------------------------------------------------------------

static void a_pass_draws_its_masks_from_seed_streams_and_step_alone(void **state)
{
    (void)state;
    const network_size size = {100, 20, 9, 3, false};
    static const double rates[] = {0.5, 0.3};
    static const double edge_rates[] = {0.2, 0.5};
    const opn_i_streams streams = {OPN_STREAM_TEACHER_FEATURES, OPN_STREAM_TEACHER_HIDDEN,
                                   OPN_STREAM_SAMPLE_EDGES, OPN_STREAM_SAMPLE_PROJECTED};
    network net;
    network_init_drawn(ctx, &size, 4, &net);
    network_add_dropper(&net);
    const opn_i_network *gcn = &net.gcn;
    const opn_off n_edges = net.dropper.n_edges;
    const opn_off n_x = opn_i_csr_n_entries(&net.features.rows);
    const int64_t n_hidden = (int64_t)gcn->n_nodes * gcn->hidden_width;
    uint64_t *x_bits = calloc(opn_i_bit_words(n_x), sizeof(*x_bits));
    uint64_t *hidden_bits = calloc(opn_i_bit_words(n_hidden), sizeof(*hidden_bits));
    uint64_t *edge_bits = calloc(opn_i_bit_words(n_edges), sizeof(*edge_bits));
    assert_non_null(x_bits);
    assert_non_null(hidden_bits);
    assert_non_null(edge_bits);
    for (int r = 0; r < 2; r++) {
        opn_i_keep_bits(&net.exec, 77, OPN_STREAM_TEACHER_FEATURES, 5, rates[r], n_x,
                        x_bits);
        opn_i_keep_bits(&net.exec, 77, OPN_STREAM_TEACHER_HIDDEN, 5, rates[r], n_hidden,
                        hidden_bits);
        opn_i_keep_bits(&net.exec, 77, OPN_STREAM_SAMPLE_EDGES, 5, edge_rates[r], n_edges,
                        edge_bits);
        opn_i_network_draw(&net.exec, &net.gcn, 77, &streams, 5,
                           (opn_i_rates){rates[r], edge_rates[r]});
        assert_memory_equal(net.features.keep, x_bits,
                            opn_i_bit_words(n_x) * sizeof(*x_bits));
        assert_memory_equal(gcn->keep_hidden, hidden_bits,
                            opn_i_bit_words(n_hidden) * sizeof(*hidden_bits));
        assert_memory_equal(net.dropper.keep, edge_bits,
                            opn_i_bit_words(n_edges) * sizeof(*edge_bits));
    }
    free(x_bits);
    free(hidden_bits);
    free(edge_bits);
    network_deinit(&net);
}

// The mean of many passes up to the kink is the pass without dropout.
static void dropout_leaves_the_mean_of_the_first_layer_as_it_is(void **state)
{
    (void)state;
    enum { PASSES = 4000 };
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    const opn_i_network *gcn = &net.gcn;
    const int32_t n = gcn->n_nodes * gcn->hidden_width;
    double *mean = calloc((size_t)n, sizeof(*mean));
    double *square = calloc((size_t)n, sizeof(*square));
    assert_non_null(mean);
    assert_non_null(square);
    for (uint32_t m = 0; m < PASSES; m++) {
        opn_i_network_draw(&net.exec, &net.gcn, 3, &sample_streams, m,
                           (opn_i_rates){0.3, 0.0});
        opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                    (opn_i_rates){0.3, 0.0}, false);
        for (int32_t j = 0; j < n; j++) {
            mean[j] += (double)layers_of(gcn)->p[j] / PASSES;
            square[j] +=
                    (double)layers_of(gcn)->p[j] * (double)layers_of(gcn)->p[j] / PASSES;
        }
    }
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    for (int32_t j = 0; j < n; j++) {
        const double deviation = sqrt(fmax(0.0, square[j] - mean[j] * mean[j]) / PASSES);
        assert_true(fabs(mean[j] - (double)layers_of(gcn)->p[j]) <=
                    5.0 * deviation + 1e-5);
    }
    free(mean);
    free(square);
    network_deinit(&net);
}

// The golden graph without the edges that a dropper has dropped, in its own network.
static void init_without_dropped(const network *net, network *out)
{
    const opn_i_csr *a = &net->graph->topology;
    int32_t edge[2 * GOLDEN_E];
    opn_real weight[GOLDEN_E];
    int32_t n = 0;
    for (int32_t i = 0; i < GOLDEN_V; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            if (a->col_idx[e] < i || !opn_i_bit(net->dropper.keep, net->dropper.edge[e]))
                continue;
            edge[2 * n] = i;
            edge[2 * n + 1] = a->col_idx[e];
            weight[n++] = a->value == NULL ? 1 : a->value[e];
        }
    }
    *out = (network){.ctx = ctx};
    out->graph = network_graph(ctx, GOLDEN_V, n, edge, weight);
    assert_int_equal(
            opn_i_graph_normalise(ctx, out->graph, OPN_EDGES_NORMALISED, &out->adjacency),
            OPN_OK);
    assert_int_equal(
            opn_i_feature_matrix_init(ctx, &net->graph->features, &out->features),
            OPN_OK);
    const opn_i_reach whole = symmetric_reach(&out->adjacency);
    assert_int_equal(opn_i_network_init(ctx, &opn_i_gcn_encoder,
                                        &(const opn_i_sizes){0, GOLDEN_H, GOLDEN_K, 1, 1},
                                        &whole, NULL, &out->features, &out->gcn),
                     OPN_OK);
}

static void a_drawn_pass_has_the_bits_of_the_graph_without_its_dropped_edges(void **state)
{
    (void)state;
    const size_t n_z = (size_t)GOLDEN_V * OPN_LANES * sizeof(opn_real);
    for (uint32_t step = 0; step < 20; step++) {
        network net, other;
        network_init_golden(ctx, &golden_cases[step % 2], &net);
        network_add_dropper(&net);
        opn_i_network_draw(&net.exec, &net.gcn, 6, &student_streams, step,
                           (opn_i_rates){0.0, 0.4});
        init_without_dropped(&net, &other);
        opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                    (opn_i_rates){0.0, 0.0}, false);
        opn_i_network_forward(&net.exec, &other.gcn, net.weights);
        assert_memory_equal(net.gcn.z, other.gcn.z, n_z);
        network_deinit(&other);
        network_deinit(&net);
    }
}

static void a_pass_that_was_not_drawn_takes_all_edges(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        network net;
        network_init_golden(ctx, &golden_cases[c], &net);
        network_add_dropper(&net);
        opn_i_network_draw(&net.exec, &net.gcn, 6, &student_streams, 1,
                           (opn_i_rates){0.0, 0.4});
        opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                    (opn_i_rates){0.0, 0.0}, false);
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        expect_rows(GOLDEN_V, GOLDEN_K, net.gcn.class_width, net.gcn.z,
                    golden_cases[c].z_eval, by_build(1e-6, 1e-13), 1.0);
        network_deinit(&net);
    }
}

// ---- weights -------------------------------------------------------------------------

static void weights_begin_as_glorot_says_and_padding_is_zero(void **state)
{
    (void)state;
    const network_size size = {20, 500, 30, 11, false};
    network net;
    network_init_drawn(ctx, &size, 4, &net);
    const size_t n_first = net.gcn.n_decayed;
    assert_int_equal(n_first, 500 * 32);
    assert_int_equal(net.gcn.n_weights, 500 * 32 + 30 * 16);
    const opn_real *layer[] = {net.weights, net.weights + n_first};
    const int32_t n_rows[] = {500, 30}, n_cols[] = {30, 11}, width[] = {32, 16};
    for (int l = 0; l < 2; l++) {
        const double limit = sqrt(6.0 / (n_rows[l] + n_cols[l]));
        const double n = (double)n_rows[l] * n_cols[l];
        double sum = 0.0, square = 0.0, largest = 0.0;
        for (int32_t j = 0; j < n_rows[l] * width[l]; j++) {
            const double w = (double)layer[l][j];
            if (j % width[l] >= n_cols[l])
                assert_true(w == 0.0);
            sum += w / n;
            square += w * w / n;
            largest = fmax(largest, fabs(w));
        }
        assert_true(largest <= limit && largest > 0.97 * limit);
        assert_true(fabs(sum) < 5.0 * limit / sqrt(3.0 * n));
        assert_true(fabs(square - limit * limit / 3.0) <
                    5.0 * limit * limit * 0.3 / sqrt(n));
    }
    network_deinit(&net);
}

static void weights_depend_on_seed_and_stream_and_each_is_another(void **state)
{
    (void)state;
    const network_size size = {20, 50, 16, 8, false};
    network net;
    network_init_drawn(ctx, &size, 4, &net);
    const size_t n = net.gcn.n_weights;
    const size_t n_bytes = n * sizeof(opn_real);
    opn_real *other = net.d_weights;
    opn_i_network_init_weights(&net.gcn, 4, OPN_STREAM_STUDENT_WEIGHTS, other);
    assert_memory_equal(net.weights, other, n_bytes);
    opn_i_network_init_weights(&net.gcn, 4, OPN_STREAM_TEACHER_WEIGHTS, other);
    for (size_t j = 0; j < n; j++)
        assert_true(net.weights[j] != other[j]);
    opn_i_network_init_weights(&net.gcn, 5, OPN_STREAM_STUDENT_WEIGHTS, other);
    for (size_t j = 0; j < n; j++)
        assert_true(net.weights[j] != other[j]);
    // The two layers, scaled alike, are not each other's copy.
    const double up = sqrt((50.0 + 16.0) / (16.0 + 8.0));
    const opn_real *w1 = net.weights + net.gcn.n_decayed;
    int n_alike = 0;
    for (int j = 0; j < 16 * 8; j++)
        n_alike += fabs((double)net.weights[j] * up - (double)w1[j]) < 1e-6;
    assert_true(n_alike < 4);
    network_deinit(&net);
}

// ---- invariants ----------------------------------------------------------------------

// Relabels the nodes of a golden network: node i becomes node to[i].
static void init_permuted(const network *net, const int32_t *to, network *out)
{
    const opn_i_csr *x = &net->graph->features.lists;
    int32_t edge[2 * GOLDEN_E];
    int32_t row[GOLDEN_N_ENTRIES];
    opn_real weight[GOLDEN_E];
    for (int32_t e = 0; e < GOLDEN_E; e++) {
        edge[2 * e] = to[golden_edge[2 * e]];
        edge[2 * e + 1] = to[golden_edge[2 * e + 1]];
        weight[e] = (opn_real)golden_cases[1].edge_weight[e];
    }
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            row[e] = to[i];
    *out = (network){.ctx = ctx};
    out->graph = network_graph(ctx, GOLDEN_V, GOLDEN_E, edge, weight);
    assert_int_equal(opn_i_csr_from_triples(ctx, GOLDEN_V, GOLDEN_F, GOLDEN_N_ENTRIES,
                                            row, x->col_idx, x->value,
                                            &out->graph->features.lists),
                     OPN_OK);
    assert_int_equal(
            opn_i_graph_normalise(ctx, out->graph, OPN_EDGES_NORMALISED, &out->adjacency),
            OPN_OK);
    assert_int_equal(
            opn_i_feature_matrix_init(ctx, &out->graph->features, &out->features),
            OPN_OK);
    const opn_i_reach whole = symmetric_reach(&out->adjacency);
    assert_int_equal(opn_i_network_init(ctx, &opn_i_gcn_encoder,
                                        &(const opn_i_sizes){0, GOLDEN_H, GOLDEN_K, 1, 1},
                                        &whole, NULL, &out->features, &out->gcn),
                     OPN_OK);
}

static void permuting_the_nodes_permutes_the_logits(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    uint64_t random = 2;
    for (int round = 0; round < 10; round++) {
        int32_t to[GOLDEN_V];
        network other;
        for (int32_t i = 0; i < GOLDEN_V; i++) { // Fisher-Yates from inside out
            const int32_t j = (int32_t)below(&random, (uint32_t)i + 1);
            to[i] = to[j];
            to[j] = i;
        }
        init_permuted(&net, to, &other);
        opn_i_network_forward(&net.exec, &other.gcn, net.weights);
        for (int32_t i = 0; i < GOLDEN_V; i++)
            for (int32_t k = 0; k < GOLDEN_K; k++)
                expect_close((double)other.gcn.z[to[i] * other.gcn.class_width + k],
                             (double)net.gcn.z[i * net.gcn.class_width + k],
                             by_build(1e-6, 1e-14), 1.0);
        network_deinit(&other);
    }
    network_deinit(&net);
}

static void a_node_without_neighbours_sees_itself_alone(void **state)
{
    (void)state;
    enum { ALONE = 12 };
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    const opn_i_network *gcn = &net.gcn;
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    for (int32_t k = 0; k < GOLDEN_K; k++) {
        double z = 0.0;
        for (int32_t h = 0; h < GOLDEN_H; h++)
            z += fmax(0.0, (double)layers_of(gcn)->p[ALONE * gcn->hidden_width + h]) *
                 golden_w1[h * GOLDEN_K + k];
        expect_close((double)gcn->z[ALONE * gcn->class_width + k], z,
                     by_build(1e-6, 1e-14), 1.0);
    }
    network_deinit(&net);
}

// ---- threads and memory --------------------------------------------------------------

static void both_ways_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    static const double rates[] = {0.5, 0.2};
    for (int s = 0; s < 2; s++) {
        network net;
        network_size size = network_for_threads;
        size.has_values = s == 1;
        network_init_drawn(ctx, &size, 6, &net);
        if (s == 1)
            network_add_dropper(&net);
        const opn_i_network *gcn = &net.gcn;
        const size_t n_z = (size_t)gcn->n_nodes * (size_t)gcn->class_width;
        const size_t n_weights = gcn->n_weights;
        opn_real *z = calloc(n_z, sizeof(*z));
        opn_real *d_weights = calloc(n_weights, sizeof(*d_weights));
        assert_non_null(z);
        assert_non_null(d_weights);
        uint64_t random = 7;
        draw_rows(&random, gcn->n_nodes, gcn->sizes.n_classes, gcn->class_width, -1.0,
                  1.0, gcn->d_z);
        for (int t = 0; t < N_THREAD_COUNTS; t++) {
            net.exec.n_threads = thread_counts[t];
            opn_i_network_draw(&net.exec, &net.gcn, 9, &student_streams, 1,
                               (opn_i_rates){rates[s], 0.3});
            opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                        (opn_i_rates){rates[s], 0.0}, true);
            opn_i_network_backward(&net.exec, &net.gcn, net.weights, net.d_weights);
            if (t == 0) {
                memcpy(z, gcn->z, n_z * sizeof(*z));
                memcpy(d_weights, net.d_weights, n_weights * sizeof(*d_weights));
            }
            assert_memory_equal(gcn->z, z, n_z * sizeof(*z));
            assert_memory_equal(net.d_weights, d_weights, n_weights * sizeof(*d_weights));
        }
        free(z);
        free(d_weights);
        network_deinit(&net);
    }
}

static void passes_allocate_nothing(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    network_add_dropper(&net);
    const meter *m = ctx->alloc.user;
    const long n_before = m->n_requests;
    opn_i_network_draw(&net.exec, &net.gcn, 9, &student_streams, 1,
                       (opn_i_rates){0.5, 0.2});
    opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights, (opn_i_rates){0.5, 0.0},
                                true);
    opn_i_network_backward(&net.exec, &net.gcn, net.weights, net.d_weights);
    assert_int_equal(m->n_requests, n_before);
    network_deinit(&net);
}

static void every_allocation_of_a_network_may_fail(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    int n_failed = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {.fail_at = 0};
        opn_ctx *other = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        opn_i_network gcn = {0};
        const opn_status status =
                opn_i_network_init(other, &opn_i_gcn_encoder,
                                   &(const opn_i_sizes){0, GOLDEN_H, GOLDEN_K, 1, 1},
                                   &net.gcn.reach, NULL, &net.features, &gcn);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((status == OPN_OK) == (gcn.layers != NULL));
        opn_i_network_deinit(&other->alloc, &gcn);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_true(n_failed >= 2);
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(with_golden_weights_and_masks_every_layer_is_golden),
            WITH_CTX(with_golden_weights_and_masks_every_gradient_is_golden),
            WITH_CTX(the_gradient_of_every_model_is_its_differences_in_every_weight),
            WITH_CTX(the_way_back_is_the_transpose_of_the_way_forth),
            WITH_CTX(a_pass_draws_its_masks_from_seed_streams_and_step_alone),
            WITH_CTX(dropout_leaves_the_mean_of_the_first_layer_as_it_is),
            WITH_CTX(a_drawn_pass_has_the_bits_of_the_graph_without_its_dropped_edges),
            WITH_CTX(a_pass_that_was_not_drawn_takes_all_edges),
            WITH_CTX(weights_begin_as_glorot_says_and_padding_is_zero),
            WITH_CTX(weights_depend_on_seed_and_stream_and_each_is_another),
            WITH_CTX(permuting_the_nodes_permutes_the_logits),
            WITH_CTX(a_node_without_neighbours_sees_itself_alone),
            WITH_CTX(both_ways_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(passes_allocate_nothing),
            WITH_CTX(every_allocation_of_a_network_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
