// optimiser_test.c -- Adam against its formula.

#include "model/optimiser.h"
#include "support/cmocka_test.h"

#include <math.h>
#include <string.h>

enum { N = 5 * OPN_LANES, N_DECAYED = 3 * OPN_LANES, N_STEPS = 25 };

static const opn_i_optimiser_options options = {.learning_rate = 0.03,
                                                .weight_decay = 0.2};

static double gradient_at(int t, size_t j)
{
    return sin(1.0 + 0.7 * t + 1.3 * (double)j);
}

// Steps t = 1 … N_STEPS of weight j, in double.
static double weight_by_formula(size_t j, double w)
{
    double mean = 0.0;
    double square = 0.0;
    for (int t = 1; t <= N_STEPS; t++) {
        const double g = gradient_at(t, j) + (j < N_DECAYED ? 0.2 * w : 0.0);
        mean = 0.9 * mean + 0.1 * g;
        square = 0.999 * square + 0.001 * g * g;
        w -= 0.03 * (mean / (1.0 - pow(0.9, t))) /
             (sqrt(square / (1.0 - pow(0.999, t))) + 1e-8);
    }
    return w;
}

static void steps_follow_the_formula_and_only_the_first_weights_decay(void **state)
{
    (void)state;
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    opn_real room[OPN_OPTIMISER_BLOCKS * N] = {0};
    opn_real weights[N];
    opn_real d_weights[N];
    const opn_i_optimiser optimiser = opn_i_optimiser_view(N, N_DECAYED, room);
    for (size_t j = 0; j < N; j++)
        weights[j] = (opn_real)cos((double)j);
    for (int t = 1; t <= N_STEPS; t++) {
        for (size_t j = 0; j < N; j++)
            d_weights[j] = (opn_real)gradient_at(t, j);
        opn_i_optimiser_step(&exec, &optimiser, &options, t - 1, d_weights, weights);
    }
    for (size_t j = 0; j < N; j++) {
        const double want = weight_by_formula(j, (double)(opn_real)cos((double)j));
        assert_true(fabs((double)weights[j] - want) < 1e-5);
    }
}

// What a checkpoint has to hold: the room alone.
static void a_copy_of_the_room_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    opn_real room[2][OPN_OPTIMISER_BLOCKS * N] = {{0}};
    opn_real weights[2][N] = {{0}};
    opn_real d_weights[N];
    for (int t = 0; t < N_STEPS; t++) {
        const bool has_copy = t > N_STEPS / 2;
        for (size_t j = 0; j < N; j++)
            d_weights[j] = (opn_real)gradient_at(t, j);
        for (int c = 0; c <= has_copy; c++) {
            const opn_i_optimiser optimiser = opn_i_optimiser_view(N, N_DECAYED, room[c]);
            opn_i_optimiser_step(&exec, &optimiser, &options, t, d_weights, weights[c]);
        }
        if (!has_copy) {
            memcpy(room[1], room[0], sizeof(room[0]));
            memcpy(weights[1], weights[0], sizeof(weights[0]));
        }
    }
    assert_memory_equal(weights[0], weights[1], sizeof(weights[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(steps_follow_the_formula_and_only_the_first_weights_decay),
            cmocka_unit_test(a_copy_of_the_room_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
