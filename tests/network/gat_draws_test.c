// gat_draws_test.c -- what passes of graph attention draw, and that it changes no mean.

#include "network/gat.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// One head per layer, whose coefficients take a bit each, and several, which take a byte.
enum { N_KINDS = 3 };
static const network_kind kinds[N_KINDS] = {{&opn_i_gat_encoder, 1, 1},
                                            {&opn_i_gat_encoder, 3, 2},
                                            {&opn_i_gat_encoder, 8, 1}};
static const network_size size = {70, 12, 24, 3, true};

static const opn_i_gat_layers *gat_layers(const network *net)
{
    return net->gcn.layers;
}

// ---- bits ----------------------------------------------------------------------------

// All that a pass draws: streams, steps as bits are drawn by, how many there are.
enum { N_MASKS = 6 };
typedef struct mask {
    opn_i_stream stream;
    uint32_t step;
    double rate;
    int64_t n;
    const uint64_t *bits;
} mask;

static void
list_masks(const network *net, uint32_t step, opn_i_rates rates, mask list[N_MASKS])
{
    const opn_i_gat_layers *layers = gat_layers(net);
    const opn_i_attention *layer[] = {&layers->first, &layers->second};
    const opn_i_streams *from = &student_streams;
    const opn_off n_entries = opn_i_csr_n_entries(&net->adjacency);
    list[0] = (mask){from->features, step, rates.units,
                     opn_i_csr_n_entries(&net->features.rows), net->features.keep};
    list[1] = (mask){from->hidden, step, rates.units,
                     opn_i_attention_unit_bits(layer[0], size.n_nodes),
                     net->gcn.keep_hidden};
    for (uint32_t l = 0; l < 2; l++) {
        list[2 + l] = (mask){from->projected, 2 * step + l, rates.units,
                             opn_i_attention_unit_bits(layer[l], size.n_nodes),
                             layer[l]->keep_units};
        list[4 + l] = (mask){from->edges, 2 * step + l, rates.edges,
                             opn_i_attention_entry_bits(layer[l], n_entries),
                             layer[l]->keep_entries};
    }
}

static void a_pass_draws_its_masks_from_seed_streams_and_step_alone(void **state)
{
    (void)state;
    enum { MOST_WORDS = 512 };
    const opn_i_rates rates = {0.3, 0.6};
    uint64_t want[MOST_WORDS];
    for (int c = 0; c < 4 * N_KINDS; c++) {
        const uint32_t step = (uint32_t)c % 4;
        mask list[N_MASKS];
        network net;
        network_init_drawn_as(ctx, &kinds[c / 4], &size, 5, &net);
        list_masks(&net, step, rates, list);
        opn_i_network_draw(&net.exec, &net.gcn, 77, &student_streams, step, rates);
        for (int m = 0; m < N_MASKS; m++) {
            const size_t n_words = opn_i_bit_words(list[m].n);
            assert_true(n_words <= MOST_WORDS);
            opn_i_keep_bits(&net.exec, 77, list[m].stream, list[m].step, list[m].rate,
                            list[m].n, want);
            assert_memory_equal(list[m].bits, want, n_words * sizeof(*want));
        }
        network_deinit(&net);
    }
}

// First words, of 64 bits each: two are not expected to be equal by chance.
static void no_mask_of_a_layer_or_a_step_is_a_copy_of_another(void **state)
{
    (void)state;
    enum { N_STEPS = 20 };
    const opn_i_rates rates = {0.5, 0.5};
    for (int c = 0; c < N_KINDS; c++) {
        uint64_t word[N_STEPS * N_MASKS];
        mask list[N_MASKS];
        network net;
        network_init_drawn_as(ctx, &kinds[c], &size, 5, &net);
        for (uint32_t step = 0; step < N_STEPS; step++) {
            list_masks(&net, step, rates, list);
            opn_i_network_draw(&net.exec, &net.gcn, 3, &student_streams, step, rates);
            for (uint32_t m = 0; m < N_MASKS; m++)
                word[step * N_MASKS + m] = list[m].bits[0];
        }
        for (int a = 0; a < N_STEPS * N_MASKS; a++)
            for (int b = 0; b < a; b++)
                assert_true(word[a] != word[b]);
        network_deinit(&net);
    }
}

// ---- means ---------------------------------------------------------------------------

// The mean of many passes up to the bias is the pass without dropout.
static void
dropping_coefficients_leaves_the_mean_of_the_first_layer_as_it_is(void **state)
{
    (void)state;
    enum { PASSES = 2000 };
    const opn_i_rates rates = {0.0, 0.4};
    for (int c = 0; c < N_KINDS; c++) {
        network net;
        network_init_drawn_as(ctx, &kinds[c], &size, 5, &net);
        const opn_i_attention *layer = &gat_layers(&net)->first;
        const size_t n = (size_t)size.n_nodes * (size_t)layer->width;
        double *mean = calloc(2 * n, sizeof(*mean));
        assert_non_null(mean);
        double *square = mean + n;
        for (uint32_t m = 0; m < PASSES; m++) {
            opn_i_network_draw(&net.exec, &net.gcn, 3, &sample_streams, m, rates);
            opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights, rates, false);
            for (size_t j = 0; j < n; j++) {
                mean[j] += (double)layer->o[j] / PASSES;
                square[j] += (double)layer->o[j] * (double)layer->o[j] / PASSES;
            }
        }
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        for (size_t j = 0; j < n; j++) {
            const double spread = sqrt(fmax(0.0, square[j] - mean[j] * mean[j]) / PASSES);
            assert_true(fabs(mean[j] - (double)layer->o[j]) <= 5.0 * spread + 1e-5);
        }
        free(mean);
        network_deinit(&net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_pass_draws_its_masks_from_seed_streams_and_step_alone),
            WITH_CTX(no_mask_of_a_layer_or_a_step_is_a_copy_of_another),
            WITH_CTX(dropping_coefficients_leaves_the_mean_of_the_first_layer_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
