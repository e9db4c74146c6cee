// unlabelled_test.c -- the terms for unlabelled nodes: golden values and gradients,
// differences with every encoder, threads, memory.

#include "golden/unlabelled_golden.h"
#include "network/unlabelled.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// In the order of the golden values.
static const opn_i_unlabelled_kind kinds[GOLDEN_UNLABELLED_TERMS] = {
        OPN_UNLABELLED_VAT, OPN_UNLABELLED_MEAN_TEACHER, OPN_UNLABELLED_PSEUDO_LABEL,
        OPN_UNLABELLED_PSEUDO_LABEL};

static opn_i_unlabelled_options options_of(int which)
{
    return (opn_i_unlabelled_options){
            .kind = kinds[which],
            .weight = golden_unlabelled_weight,
            .ramp = GOLDEN_UNLABELLED_RAMP,
            .radius = golden_unlabelled_radius,
            .step = golden_unlabelled_step,
            .decay = 0.9,
            .threshold = which == 3 ? golden_unlabelled_threshold : 0.0,
            .seed = GOLDEN_UNLABELLED_SEED,
    };
}

// Runs an epoch of the term alone: its gradient is in net->d_weights. The teacher drops
// nothing.
static void run_term(network *net,
                     opn_i_unlabelled *term,
                     const opn_i_objective *objective,
                     const opn_real *average,
                     opn_i_rates rates)
{
    const opn_i_exec *exec = &net->exec;
    opn_i_network *gcn = &net->gcn;
    opn_i_unlabelled_begin(exec, term, objective, gcn, average, GOLDEN_EPOCH,
                           (opn_i_rates){0});
    opn_i_network_forward_drawn(exec, gcn, net->weights, rates, true);
    memset(gcn->d_z, 0,
           (size_t)gcn->n_nodes * (size_t)gcn->class_width * sizeof(*gcn->d_z));
    opn_i_unlabelled_add(exec, term, objective, gcn, GOLDEN_EPOCH);
    opn_i_network_backward(exec, gcn, net->weights, net->d_weights);
    opn_i_unlabelled_perturb(exec, term, objective, gcn, net->weights, GOLDEN_EPOCH,
                             rates, net->d_weights);
}

static opn_real *scaled(const opn_real *weights, size_t n, double factor)
{
    opn_real *copy = calloc(n, sizeof(*copy));
    assert_non_null(copy);
    for (size_t j = 0; j < n; j++)
        copy[j] = (opn_real)(factor * (double)weights[j]);
    return copy;
}

// ---- golden --------------------------------------------------------------------------

static void
expect_golden(network *net, double rate, const golden_unlabelled *golden, int which)
{
    const opn_i_network *gcn = &net->gcn;
    const bool is_softmax = (golden - golden_unlabelled_cases) % 2 == 0;
    const opn_i_objective objective = network_objective(
            net, is_softmax ? GOLDEN_OBJECTIVE_GCN : GOLDEN_OBJECTIVE_S_GCN);
    const opn_i_unlabelled_options options = options_of(which);
    opn_real *average = scaled(net->weights, gcn->n_weights, 0.75);
    opn_i_unlabelled term;
    assert_int_equal(opn_i_unlabelled_init(ctx, &options, gcn, &objective, &term),
                     OPN_OK);
    assert_int_equal(term.n_unlabelled, GOLDEN_V - GOLDEN_L);
    run_term(net, &term, &objective, average, (opn_i_rates){rate, 0.0});
    expect_close(opn_i_unlabelled_value(&term, &objective, GOLDEN_EPOCH, gcn->z),
                 golden->value[which], by_build(1e-4, 1e-10), 0.05);
    if (which == 0)
        expect_rows(GOLDEN_V, GOLDEN_H, gcn->hidden_width, term.shift.shift,
                    golden->vat_shift, by_build(1e-3, 1e-9), 0.1);
    expect_rows(GOLDEN_F, GOLDEN_H, gcn->hidden_width, net->d_weights,
                golden->d_w0[which], by_build(2e-3, 1e-9), 0.05);
    expect_rows(GOLDEN_H, GOLDEN_K, gcn->class_width, net->d_weights + gcn->n_decayed,
                golden->d_w1[which], by_build(2e-3, 1e-9), 0.05);
    opn_i_unlabelled_deinit(&ctx->alloc, &term);
    free(average);
}

static void each_term_has_the_golden_value_and_gradient(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int c = 0; c < 4; c++) {
        network net;
        network_init_golden(ctx, &golden_cases[c / 2], &net);
        for (int t = 0; t < n_tables; t++) {
            net.exec.kernels = table[t];
            for (int which = 0; which < GOLDEN_UNLABELLED_TERMS; which++)
                expect_golden(&net, golden_cases[c / 2].rate, &golden_unlabelled_cases[c],
                              which);
        }
        network_deinit(&net);
    }
}

// ---- differences ---------------------------------------------------------------------

// Encoders with units that are smooth or far from their kinks.
static const network_kind gat_kind = {&opn_i_gat_encoder, 2, 1};
static const network_kind links_kind = {&opn_i_links_encoder, 1, 1};
static const network_kind *const encoders[] = {&gcn_kind, &gat_kind, &sage_kind,
                                               &mlp_kind, &links_kind};
enum { N_ENCODERS = sizeof(encoders) / sizeof(encoders[0]) };

static const network_size small = {12, 6, 4, 3, true};

// The features R by which rows were shifted, from what is left of them: C S W0^T.
static void shift_of(const network *net, const opn_i_unlabelled *term, opn_real *r)
{
    const opn_i_network *gcn = &net->gcn;
    const int32_t width = gcn->hidden_width;
    for (int32_t i = 0; i < gcn->n_nodes; i++)
        for (int32_t k = 0; k < gcn->sizes.n_features; k++) {
            double sum = 0.0;
            for (int32_t h = 0; h < width; h++) // the way back has divided by the scale
                sum += (double)term->shift.slope[i * width + h] *
                       (double)net->features.scale[i] *
                       (double)net->weights[k * width + h];
            r[i * gcn->sizes.n_features + k] = (opn_real)sum;
        }
}

// R W0 for the weights as they are now.
static void move_shift(const network *net, const opn_real *r, opn_i_unlabelled *term)
{
    const opn_i_network *gcn = &net->gcn;
    const int32_t width = gcn->hidden_width;
    for (int32_t i = 0; i < gcn->n_nodes; i++)
        for (int32_t h = 0; h < width; h++) {
            double sum = 0.0;
            for (int32_t k = 0; k < gcn->sizes.n_features; k++)
                sum += (double)r[i * gcn->sizes.n_features + k] *
                       (double)net->weights[k * width + h];
            term->shift.shift[i * width + h] = (opn_real)sum;
        }
}

// The term for other weights, with beliefs, guesses and shift as they are.
static double value_at(network *net,
                       opn_i_unlabelled *term,
                       const opn_i_objective *objective,
                       const opn_real *r,
                       opn_i_rates rates)
{
    const bool is_vat = term->options.kind == OPN_UNLABELLED_VAT;
    if (is_vat)
        move_shift(net, r, term);
    term->shift.use = OPN_SHIFT_ADDS;
    net->gcn.shift = is_vat ? &term->shift : NULL;
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights, rates, false);
    net->gcn.shift = NULL;
    return opn_i_unlabelled_value(term, objective, GOLDEN_EPOCH, net->gcn.z);
}

static void expect_differences(network *net, int model, int which, opn_i_rates rates)
{
    const opn_i_network *gcn = &net->gcn;
    const opn_i_objective objective = network_objective(net, model);
    const opn_i_unlabelled_options options = options_of(which);
    const double h = by_build(0x1p-9, 1e-6);
    const size_t n = gcn->n_weights;
    opn_real *average = scaled(net->weights, n, 0.75);
    opn_real *r = calloc((size_t)(gcn->n_nodes * gcn->sizes.n_features), sizeof(*r));
    opn_i_unlabelled term;
    assert_non_null(r);
    assert_int_equal(opn_i_unlabelled_init(ctx, &options, gcn, &objective, &term),
                     OPN_OK);
    run_term(net, &term, &objective, average, rates);
    if (which == 0)
        shift_of(net, &term, r);
    for (size_t j = 0; j < n; j++) {
        const opn_real old = net->weights[j];
        if (old == 0) // padding
            continue;
        net->weights[j] = (opn_real)((double)old + h);
        const double up = value_at(net, &term, &objective, r, rates);
        net->weights[j] = (opn_real)((double)old - h);
        const double down = value_at(net, &term, &objective, r, rates);
        net->weights[j] = old;
        expect_close((double)net->d_weights[j], (up - down) / (2.0 * h),
                     by_build(0.2, 1e-6), by_build(0.3, 0.1));
    }
    opn_i_unlabelled_deinit(&ctx->alloc, &term);
    free(average);
    free(r);
}

static void gradients_are_differences_with_every_encoder_and_head(void **state)
{
    (void)state;
    static const int models[] = {GOLDEN_OBJECTIVE_GCN, GOLDEN_OBJECTIVE_EDL_GCN,
                                 GOLDEN_OBJECTIVE_DPN_GCN, GOLDEN_OBJECTIVE_S_BGCN_T_K};
    const opn_i_rates rates = {0.5, 0.25};
    for (int e = 0; e < N_ENCODERS; e++) {
        network net;
        network_init_drawn_as(ctx, encoders[e], &small, 5, &net);
        opn_i_network_draw(&net.exec, &net.gcn, 3, &student_streams, 1, rates);
        for (int m = 0; m < 4; m++)
            for (int which = 0; which < 3; which++)
                expect_differences(&net, models[m], which, rates);
        network_deinit(&net);
    }
}

// ---- passes --------------------------------------------------------------------------

// Without a shift, a pass that replays is the pass that was recorded, whatever the
// encoder keeps for its way back.
static void a_replayed_pass_is_the_recorded_one(void **state)
{
    (void)state;
    const network_size size = {60, 15, 8, 4, false};
    const opn_i_rates rates = {0.3, 0.25};
    for (int e = 0; e < N_ENCODERS; e++) {
        network net;
        opn_i_input_shift shift;
        network_init_drawn_as(ctx, encoders[e], &size, 5, &net);
        opn_i_network *gcn = &net.gcn;
        const size_t n_z = (size_t)gcn->n_nodes * (size_t)gcn->class_width;
        assert_int_equal(opn_i_input_shift_init(ctx, gcn->n_nodes, size.n_features,
                                                gcn->hidden_width, &shift),
                         OPN_OK);
        opn_i_network_follow(
                gcn,
                (opn_i_plan){.trains = true, .has_whole = true, .dropout = rates.units});
        opn_i_network_draw(&net.exec, gcn, 3, &student_streams, 1, rates);
        gcn->shift = &shift;
        opn_i_network_forward_drawn(&net.exec, gcn, net.weights, rates, true);
        opn_real *z = scaled(gcn->z, n_z, 1.0);
        memset(gcn->d_z, 0, n_z * sizeof(*gcn->d_z));
        opn_i_network_backward(&net.exec, gcn, net.weights, net.d_weights);
        shift.use = OPN_SHIFT_REPLAYS;
        opn_i_network_forward_drawn(&net.exec, gcn, net.weights, rates, true);
        assert_memory_equal(gcn->z, z, n_z * sizeof(*z));
        free(z);
        opn_i_input_shift_deinit(&ctx->alloc, &shift);
        network_deinit(&net);
    }
}

static void shifts_have_the_length_asked_for(void **state)
{
    (void)state;
    network net;
    opn_i_input_shift shift;
    network_init_drawn(ctx, &small, 5, &net);
    assert_int_equal(opn_i_input_shift_init(ctx, small.n_nodes, small.n_features,
                                            net.gcn.hidden_width, &shift),
                     OPN_OK);
    opn_i_input_shift_measure(&net.exec, &shift, net.weights);
    opn_i_input_shift_draw(&net.exec, &shift, 1, OPN_STREAM_UNLABELLED_SHIFT, 0);
    opn_i_input_shift_point(&net.exec, &shift, 0.25);
    for (int32_t i = 0; i < small.n_nodes; i++) {
        double square = 0.0;
        for (int32_t k = 0; k < small.n_features; k++) {
            double r = 0.0;
            for (int32_t h = 0; h < net.gcn.hidden_width; h++)
                r += (double)shift.slope[i * net.gcn.hidden_width + h] *
                     (double)net.weights[k * net.gcn.hidden_width + h];
            square += r * r;
        }
        expect_close(sqrt(square), 0.25, by_build(1e-5, 1e-12), 0.25);
    }
    memset(shift.slope, 0,
           (size_t)(small.n_nodes * net.gcn.hidden_width) * sizeof(*shift.slope));
    opn_i_input_shift_point(&net.exec, &shift, 0.25); // a direction of length 0
    assert_true(shift.shift[0] == 0);
    opn_i_input_shift_deinit(&ctx->alloc, &shift);
    network_deinit(&net);
}

// Rows of N W0 for normal N have the covariance W0^T W0, one column of which is here the
// sum of two others.
static void noise_has_the_covariance_of_noise_on_the_features(void **state)
{
    (void)state;
    enum { N = 40000, F = 5, H = 8 };
    static const double deviation = 0.5;
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    opn_i_input_shift shift;
    opn_real w0[F * H];
    uint64_t random = 6;
    draw_rows(&random, F, 4, H, -1.0, 1.0, w0);
    for (int32_t k = 0; k < F; k++)
        w0[k * H + 3] = w0[k * H] + w0[k * H + 1];
    assert_int_equal(opn_i_input_shift_init(ctx, N, F, H, &shift), OPN_OK);
    opn_i_input_shift_measure(&exec, &shift, w0);
    opn_i_input_shift_noise(&exec, &shift, 1, OPN_STREAM_UNLABELLED_SHIFT, 0, deviation);
    for (int32_t a = 0; a < H; a++) {
        for (int32_t b = 0; b < H; b++) {
            double sum = 0.0;
            for (int32_t i = 0; i < N; i++)
                sum += (double)shift.shift[i * H + a] * (double)shift.shift[i * H + b];
            expect_close(sum / N, deviation * deviation * (double)shift.gram[a * H + b],
                         0.03, 1.0);
        }
    }
    opn_i_input_shift_deinit(&ctx->alloc, &shift);
}

static void the_term_of_any_number_of_threads_has_the_same_bits(void **state)
{
    (void)state;
    network net;
    const opn_i_rates rates = {0.5, 0.0};
    network_init_drawn(ctx, &network_for_threads, 5, &net);
    const size_t n = net.gcn.n_weights;
    const opn_i_objective objective = network_objective(&net, GOLDEN_OBJECTIVE_S_GCN);
    opn_real *first = calloc(n, sizeof(*first));
    assert_non_null(first);
    for (int which = 0; which < 4; which++) {
        opn_i_unlabelled_options options = options_of(which);
        options.noise = which == 1 ? 0.1 : 0.0;
        opn_i_unlabelled term;
        assert_int_equal(
                opn_i_unlabelled_init(ctx, &options, &net.gcn, &objective, &term),
                OPN_OK);
        for (int t = 0; t < N_THREAD_COUNTS; t++) {
            net.exec.n_threads = thread_counts[t];
            opn_i_network_draw(&net.exec, &net.gcn, 3, &student_streams, 1, rates);
            run_term(&net, &term, &objective, net.weights, rates);
            if (t == 0)
                memcpy(first, net.d_weights, n * sizeof(*first));
            else
                assert_memory_equal(net.d_weights, first, n * sizeof(*first));
        }
        opn_i_unlabelled_deinit(&ctx->alloc, &term);
    }
    free(first);
    network_deinit(&net);
}

static void an_epoch_allocates_nothing_and_init_survives_failures(void **state)
{
    (void)state;
    meter *m = ctx->alloc.user;
    network net;
    network_init_drawn(ctx, &small, 5, &net);
    const opn_i_objective objective = network_objective(&net, GOLDEN_OBJECTIVE_GCN);
    for (int which = 0; which < 3; which++) {
        const opn_i_unlabelled_options options = options_of(which);
        opn_i_unlabelled term;
        opn_status status = OPN_ERR_NOMEM;
        for (long k = 1; status != OPN_OK; k++) {
            m->fail_at = m->n_requests + k;
            status = opn_i_unlabelled_init(ctx, &options, &net.gcn, &objective, &term);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        }
        m->fail_at = 0;
        const long n_requests = m->n_requests;
        run_term(&net, &term, &objective, net.weights, (opn_i_rates){0.0, 0.0});
        assert_int_equal(m->n_requests, n_requests);
        opn_i_unlabelled_deinit(&ctx->alloc, &term);
    }
    network_deinit(&net);
}

static void the_weight_rises_over_the_ramp(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    const opn_i_objective objective = network_objective(&net, GOLDEN_OBJECTIVE_GCN);
    opn_i_unlabelled_options options = options_of(2);
    opn_i_unlabelled term;
    assert_int_equal(opn_i_unlabelled_init(ctx, &options, &net.gcn, &objective, &term),
                     OPN_OK);
    run_term(&net, &term, &objective, net.weights, (opn_i_rates){0.0, 0.0});
    const double whole = opn_i_unlabelled_value(&term, &objective, 1000, net.gcn.z);
    assert_true(whole > 0.0);
    assert_true(opn_i_unlabelled_value(&term, &objective, 0, net.gcn.z) == 0.0);
    expect_close(opn_i_unlabelled_value(&term, &objective, 25, net.gcn.z), 0.25 * whole,
                 1e-12, 0.0);
    term.options.ramp = 0.0;
    assert_true(opn_i_unlabelled_value(&term, &objective, 0, net.gcn.z) == whole);
    opn_i_unlabelled_deinit(&ctx->alloc, &term);
    network_deinit(&net);
}

static void averages_follow_the_weights_closely_at_first(void **state)
{
    (void)state;
    const opn_i_unlabelled term = {.options = options_of(1)};
    const opn_real weight = 1;
    opn_real average = 0;
    opn_i_unlabelled_average(&term, 0, 1, &weight, &average);
    expect_close((double)average, 0.5, 1e-6, 1.0);
    opn_i_unlabelled_average(&term, 1000, 1, &weight, &average);
    expect_close((double)average, 0.55, 1e-6, 1.0); // decay 0.9
}

static void names_are_parsed(void **state)
{
    (void)state;
    opn_i_unlabelled_kind kind = OPN_UNLABELLED_NONE;
    assert_true(opn_i_unlabelled_parse("mean-teacher", &kind));
    assert_int_equal(kind, OPN_UNLABELLED_MEAN_TEACHER);
    assert_false(opn_i_unlabelled_parse("teacher", &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(each_term_has_the_golden_value_and_gradient),
            WITH_CTX(gradients_are_differences_with_every_encoder_and_head),
            WITH_CTX(a_replayed_pass_is_the_recorded_one),
            WITH_CTX(shifts_have_the_length_asked_for),
            WITH_CTX(noise_has_the_covariance_of_noise_on_the_features),
            WITH_CTX(the_term_of_any_number_of_threads_has_the_same_bits),
            WITH_CTX(an_epoch_allocates_nothing_and_init_survives_failures),
            WITH_CTX(the_weight_rises_over_the_ramp),
            WITH_CTX(averages_follow_the_weights_closely_at_first),
            WITH_CTX(names_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
