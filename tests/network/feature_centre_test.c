// feature_centre_test.c -- features with a centre, in the networks of all encoders.

#include "support/cmocka_test.h"
#include "support/encoder_claims.h"
#include "support/support.h"

#include <stdlib.h>

static opn_ctx *ctx;

enum { N_ENCODERS = 5 };
static const network_kind kinds[N_ENCODERS] = {{&opn_i_gcn_encoder, 1, 1},
                                               {&opn_i_sage_encoder, 1, 1},
                                               {&opn_i_mlp_encoder, 1, 1},
                                               {&opn_i_gat_encoder, 1, 1},
                                               {&opn_i_gat_encoder, 3, 2}};

// Less than a slice of hidden units, and more than one; rows of one value, and of
// several.
enum { N_SIZES = 2 };
static const network_size sizes[N_SIZES] = {{30, 12, 6, 3, false}, {60, 9, 36, 4, true}};

// With this seed no unit is so close to its kink that a difference in floats, whose steps
// are long, would cross it.
static void init_centred(int encoder, int size, network *out)
{
    network_init_drawn_as(ctx, &kinds[encoder], &sizes[size], 7, out);
    network_centre(out, 5);
}

static void the_gradient_is_its_differences_in_every_weight(void **state)
{
    (void)state;
    static const opn_i_rates rates[] = {{0.0, 0.0}, {0.3, 0.4}};
    for (int c = 0; c < 2 * N_SIZES * N_ENCODERS; c++) {
        const opn_i_rates some = rates[c % 2];
        network net;
        init_centred(c / 2 / N_SIZES, c / 2 % N_SIZES, &net);
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0, some);
        claim_differences(&net, some);
        network_deinit(&net);
    }
}

// The same when the dropped part is subtracted from the product that validation needs.
static void the_gradient_is_the_same_where_products_are_shared(void **state)
{
    (void)state;
    const opn_i_rates rates = {0.3, 0.4};
    for (int c = 0; c < N_SIZES * N_ENCODERS; c++) {
        network net;
        init_centred(c / N_SIZES, c % N_SIZES, &net);
        opn_i_network_follow(&net.gcn, (opn_i_plan){true, true, rates.units, false});
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0, rates);
        const opn_i_objective objective = encoder_objective(&net, 0);
        const size_t n = net.gcn.n_weights;
        opn_real *shared = calloc(n, sizeof(*shared));
        assert_non_null(shared);
        encoder_gradient(&net, &objective, 3, rates, 0.0);
        for (size_t j = 0; j < n; j++)
            shared[j] = net.d_weights[j];
        opn_i_network_follow(&net.gcn, (opn_i_plan){true, false, rates.units, false});
        opn_i_network_draw(&net.exec, &net.gcn, 1, &student_streams, 0, rates);
        encoder_gradient(&net, &objective, 3, rates, 0.0);
        for (size_t j = 0; j < n; j++)
            expect_close((double)shared[j], (double)net.d_weights[j],
                         by_build(1e-4, 1e-12), 0.1);
        free(shared);
        network_deinit(&net);
    }
}

// Replaces the features of the graph by all V times F values of X - 1 c^T.
static void fill_features(network *net)
{
    const opn_i_csr *x = &net->graph->features.lists;
    const size_t n_cols = (size_t)x->n_cols;
    opn_i_features filled = {0};
    opn_i_csr dense = {0};
    assert_int_equal(opn_i_csr_init(ctx, x->n_rows, x->n_cols,
                                    (opn_off)x->n_rows * x->n_cols, true, &dense),
                     OPN_OK);
    for (int32_t i = 0; i < x->n_rows; i++) {
        const size_t first = (size_t)i * n_cols;
        for (size_t k = 0; k < n_cols; k++) {
            dense.col_idx[first + k] = (int32_t)k;
            dense.value[first + k] = -net->features.centre[k];
        }
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            dense.value[first + (size_t)x->col_idx[e]] +=
                    x->value == NULL ? 1 : x->value[e];
        dense.row_ptr[i + 1] = (opn_off)(first + n_cols);
    }
    opn_i_feature_matrix_deinit(&ctx->alloc, &net->features);
    filled.lists = dense;
    assert_int_equal(opn_i_feature_matrix_init(ctx, &filled, &net->features), OPN_OK);
    opn_i_features_deinit(&ctx->alloc, &filled);
}

static void logits_are_those_of_the_filled_matrix(void **state)
{
    (void)state;
    for (int c = 0; c < N_SIZES * N_ENCODERS; c++) {
        network net;
        network filled;
        init_centred(c / N_SIZES, c % N_SIZES, &net);
        init_centred(c / N_SIZES, c % N_SIZES, &filled);
        fill_features(&filled);
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        opn_i_network_forward(&net.exec, &filled.gcn, net.weights);
        for (int32_t j = 0; j < net.gcn.n_nodes * net.gcn.class_width; j++)
            expect_close((double)net.gcn.z[j], (double)filled.gcn.z[j],
                         by_build(1e-5, 1e-13), 1.0);
        network_deinit(&filled);
        network_deinit(&net);
    }
}

static void both_ways_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const network_size size = {30000, 100, 16, 7, true};
    for (int e = 0; e < N_ENCODERS - 1; e++) {
        network net;
        network_init_drawn_as(ctx, &kinds[e], &size, 6, &net);
        network_centre(&net, 5);
        claim_bits(&net, (opn_i_rates){0.4, 0.3});
        network_deinit(&net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_gradient_is_its_differences_in_every_weight),
            WITH_CTX(the_gradient_is_the_same_where_products_are_shared),
            WITH_CTX(logits_are_those_of_the_filled_matrix),
            WITH_CTX(both_ways_have_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
