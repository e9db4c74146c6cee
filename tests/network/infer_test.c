// infer_test.c -- stochastic passes and the moments they are streamed into.

#include "network/infer.h"
#include "opinion/measures.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_i_infer_options usual_options(void)
{
    return (opn_i_infer_options){.head = &opn_i_squared_head,
                                 .evidence = OPN_EVIDENCE_EXP,
                                 .n_samples = 7,
                                 .rates.units = 0.5,
                                 .seed = 5,
                                 .rates.edges = 0.2,
                                 .streams = sample_streams,
                                 .has_logits = true};
}

static opn_i_moments infer(network *net, const opn_i_infer_options *options)
{
    opn_i_moments moments = {0};
    if (opn_i_infer(net->ctx, &net->exec, &net->gcn, net->weights, options, &moments) !=
        OPN_OK)
        fail_msg("%s", opn_ctx_error(net->ctx));
    return moments;
}

// ---- moments by hand -----------------------------------------------------------------

// One node of one pass, in double.
static void add_by_hand(const opn_i_infer_options *options,
                        const opn_real *z,
                        double *alpha_sum,
                        double *p_sum,
                        double *entropy)
{
    double e[GOLDEN_K], total = 0.0;
    for (int k = 0; k < GOLDEN_K; k++) {
        const double logit = (double)z[k];
        const double elu = logit > 0.0 ? logit : expm1(logit);
        e[k] = options->head == &opn_i_softmax_head         ? exp(logit)
               : options->evidence == OPN_EVIDENCE_RELU     ? fmax(logit, 0.0) + 1.0
               : options->evidence == OPN_EVIDENCE_SOFTPLUS ? log1p(exp(logit)) + 1.0
               : options->evidence == OPN_EVIDENCE_ELU      ? exp(elu) + 1.0
                                                            : exp(logit) + 1.0;
        total += e[k];
    }
    for (int k = 0; k < GOLDEN_K; k++) {
        alpha_sum[k] += e[k];
        p_sum[k] += e[k] / total;
        *entropy -= e[k] / total * log(e[k] / total);
    }
}

static void expect_moments(network *net, const opn_i_infer_options *options)
{
    double alpha[GOLDEN_V * GOLDEN_K] = {0.0}, p[GOLDEN_V * GOLDEN_K] = {0.0};
    double entropy[GOLDEN_V] = {0.0};
    const int32_t n_passes = options->n_samples > 0 ? options->n_samples : 1;
    const double rate = options->n_samples > 0 ? options->rates.units : 0.0;
    const int32_t width = net->gcn.class_width;
    for (int32_t m = 0; m < n_passes; m++) {
        opn_i_network_draw(&net->exec, &net->gcn, options->seed, &options->streams,
                           (uint32_t)m, (opn_i_rates){rate, options->rates.edges});
        if (options->n_samples > 0)
            opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights,
                                        (opn_i_rates){rate, 0.0}, false);
        else
            opn_i_network_forward(&net->exec, &net->gcn, net->weights);
        for (int32_t i = 0; i < GOLDEN_V; i++)
            add_by_hand(options, net->gcn.z + i * width, alpha + i * GOLDEN_K,
                        p + i * GOLDEN_K, entropy + i);
    }
    opn_i_moments got = infer(net, options);
    assert_int_equal(got.alpha == NULL, options->head == &opn_i_softmax_head);
    for (int32_t i = 0; i < GOLDEN_V; i++) {
        expect_close(got.entropy[i], entropy[i] / n_passes, by_build(1e-5, 1e-12), 0.1);
        for (int32_t k = 0; k < width; k++) {
            const bool is_class = k < GOLDEN_K;
            if (got.alpha != NULL)
                expect_close(got.alpha[i * width + k],
                             is_class ? alpha[i * GOLDEN_K + k] / n_passes : 0.0,
                             by_build(1e-5, 1e-12), is_class);
            expect_close(got.p[i * width + k],
                         is_class ? p[i * GOLDEN_K + k] / n_passes : 0.0,
                         by_build(1e-5, 1e-12), is_class);
        }
    }
    opn_i_moments_deinit(&ctx->alloc, &got);
}

static void moments_are_the_means_over_passes_for_every_head(void **state)
{
    (void)state;
    static const int32_t n_samples[] = {0, 1, 2, 13};
    static const double rates[] = {0.5, 0.2};
    for (int c = 0; c < 2; c++) {
        network net;
        network_init_golden(ctx, &golden_cases[c], &net);
        for (int round = 0; round < 4 * 5; round++) {
            if (round == 4 * 4)
                network_add_dropper(&net); // for the softmax, whose model has one
            opn_i_infer_options options = usual_options();
            options.n_samples = n_samples[round % 4];
            options.rates.units = rates[c];
            if (round / 4 == 4)
                options.head = &opn_i_softmax_head;
            else
                options.evidence = (opn_i_evidence_kind)(round / 4);
            expect_moments(&net, &options);
        }
        network_deinit(&net);
    }
}

static void mean_logits_are_those_of_the_passes(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    const opn_i_infer_options options = usual_options();
    const int32_t width = net.gcn.class_width;
    double mean[GOLDEN_V * OPN_LANES] = {0.0};
    for (int32_t m = 0; m < options.n_samples; m++) {
        opn_i_network_draw(&net.exec, &net.gcn, options.seed, &options.streams,
                           (uint32_t)m,
                           (opn_i_rates){options.rates.units, options.rates.edges});
        opn_i_network_forward_drawn(&net.exec, &net.gcn, net.weights,
                                    (opn_i_rates){options.rates.units, 0.0}, false);
        for (int32_t j = 0; j < GOLDEN_V * width; j++)
            mean[j] += (double)net.gcn.z[j] / options.n_samples;
    }
    opn_i_moments got = infer(&net, &options);
    for (int32_t j = 0; j < GOLDEN_V * width; j++)
        expect_close(got.z[j], mean[j], 1e-12, 1.0);
    opn_i_moments_deinit(&ctx->alloc, &got);
    network_deinit(&net);
}

static void one_pass_without_dropout_has_the_golden_logits(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        network net;
        network_init_golden(ctx, &golden_cases[c], &net);
        network_add_dropper(&net);
        opn_i_infer_options options = usual_options();
        options.n_samples = 0;
        opn_i_moments got = infer(&net, &options);
        for (int32_t j = 0; j < GOLDEN_V * GOLDEN_K; j++) {
            const int32_t at = j / GOLDEN_K * got.width + j % GOLDEN_K;
            expect_close(got.z[at], golden_cases[c].z_eval[j], by_build(1e-6, 1e-13),
                         1.0);
            expect_close(got.alpha[at], exp(golden_cases[c].z_eval[j]) + 1.0,
                         by_build(1e-5, 1e-12), 1.0);
        }
        opn_i_moments_deinit(&ctx->alloc, &got);
        network_deinit(&net);
    }
}

// The disagreement of passes is not negative, and 0 for a single pass.
static void the_entropy_of_the_mean_is_at_least_the_mean_entropy(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    opn_i_infer_options options = usual_options();
    options.n_samples = 50;
    for (int one = 0; one < 2; one++) {
        options.n_samples = one ? 1 : 50;
        opn_i_moments got = infer(&net, &options);
        for (int32_t i = 0; i < GOLDEN_V; i++) {
            const double total =
                    opn_i_entropy(GOLDEN_K, got.p + i * got.width) * log(GOLDEN_K);
            const double epistemic = total - got.entropy[i];
            assert_true(epistemic >= -1e-6);
            if (one)
                assert_true(epistemic <= 1e-6);
        }
        opn_i_moments_deinit(&ctx->alloc, &got);
    }
    network_deinit(&net);
}

// ---- determinism and memory ----------------------------------------------------------

static void moments_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    network net;
    network_init_drawn(ctx, &network_for_threads, 6, &net);
    for (int kind = 0; kind < 3; kind++) {
        opn_i_infer_options options = usual_options();
        options.n_samples = 1;
        options.rates.units = 0.3;
        options.head = kind == 0 ? &opn_i_softmax_head : &opn_i_squared_head;
        options.evidence = kind == 2 ? OPN_EVIDENCE_ELU : OPN_EVIDENCE_EXP;
        opn_i_moments first = {0};
        for (int t = 0; t < N_THREAD_COUNTS; t++) {
            net.exec.n_threads = thread_counts[t];
            opn_i_moments other = infer(&net, &options);
            if (t == 0)
                first = other;
            assert_memory_equal(other.arena, first.arena, first.length * sizeof(double));
            if (t > 0)
                opn_i_moments_deinit(&ctx->alloc, &other);
        }
        opn_i_moments_deinit(&ctx->alloc, &first);
    }
    network_deinit(&net);
}

// Nothing but the edges is dropped, and the passes still disagree.
static void edges_alone_make_passes_differ(void **state)
{
    (void)state;
    static const double rates[] = {0.0, 0.2};
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    network_add_dropper(&net);
    for (int r = 0; r < 2; r++) {
        opn_i_infer_options options = usual_options();
        options.head = &opn_i_softmax_head;
        options.rates.units = 0.0;
        options.rates.edges = rates[r];
        double epistemic = 0.0;
        opn_i_moments got = infer(&net, &options);
        for (int32_t i = 0; i < GOLDEN_V; i++)
            epistemic += opn_i_entropy(GOLDEN_K, got.p + i * got.width) * log(GOLDEN_K) -
                         got.entropy[i];
        assert_true(r == 0 ? fabs(epistemic) < 1e-5 : epistemic > 1e-3);
        opn_i_moments_deinit(&ctx->alloc, &got);
    }
    network_deinit(&net);
}

static void the_same_seed_gives_the_same_bits_and_another_seed_others(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_infer_options options = usual_options();
    opn_i_moments first = infer(&net, &options);
    opn_i_moments again = infer(&net, &options);
    options.seed++;
    opn_i_moments other = infer(&net, &options);
    assert_memory_equal(again.arena, first.arena, first.length * sizeof(double));
    assert_memory_not_equal(other.arena, first.arena, first.length * sizeof(double));
    opn_i_moments_deinit(&ctx->alloc, &first);
    opn_i_moments_deinit(&ctx->alloc, &again);
    opn_i_moments_deinit(&ctx->alloc, &other);
    network_deinit(&net);
}

static void without_the_logits_the_other_moments_have_the_same_bits(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_infer_options options = usual_options();
    opn_i_moments whole = infer(&net, &options);
    options.has_logits = false;
    opn_i_moments part = infer(&net, &options);
    assert_null(part.z);
    assert_true(part.length < whole.length);
    assert_memory_equal(part.arena, whole.arena, part.length * sizeof(double));
    opn_i_moments_deinit(&ctx->alloc, &whole);
    opn_i_moments_deinit(&ctx->alloc, &part);
    network_deinit(&net);
}

static void memory_does_not_depend_on_the_number_of_passes(void **state)
{
    (void)state;
    static const int32_t n_samples[] = {1, 50};
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    const meter *m = ctx->alloc.user;
    long n_requests[2];
    size_t n_bytes[2];
    for (int s = 0; s < 2; s++) {
        opn_i_infer_options options = usual_options();
        options.n_samples = n_samples[s];
        const long requests_before = m->n_requests;
        const size_t bytes_before = m->n_bytes;
        opn_i_moments got = infer(&net, &options);
        n_requests[s] = m->n_requests - requests_before;
        n_bytes[s] = m->n_bytes - bytes_before;
        opn_i_moments_deinit(&ctx->alloc, &got);
    }
    assert_int_equal(n_requests[0], n_requests[1]);
    assert_int_equal(n_bytes[0], n_bytes[1]);
    network_deinit(&net);
}

// ---- failures ------------------------------------------------------------------------

static void predictions_that_are_not_finite_are_an_error(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    static const double bad[] = {(double)NAN, (double)INFINITY};
    int n_silent = 0;
    for (int round = 0; round < n_tables * 2 * 2 * 2; round++) {
        network net;
        network_init_golden(ctx, &golden_cases[0], &net);
        net.exec.kernels = table[round / 8];
        opn_i_infer_options options = usual_options();
        options.n_samples = 0;
        options.head = round % 2 == 0 ? &opn_i_squared_head : &opn_i_softmax_head;
        const bool is_second = round / 2 % 2 == 0;
        net.weights[is_second ? net.gcn.n_decayed : 0] = (opn_real)bad[round / 4 % 2];
        opn_i_moments got = {0};
        const opn_status status =
                opn_i_infer(ctx, &net.exec, &net.gcn, net.weights, &options, &got);
        if (status != OPN_ERR_NONFINITE) {
            print_error("%s: a %s of %g in layer %d went unnoticed\n",
                        net.exec.kernels->name,
                        round % 2 == 0 ? "weight (evidence)" : "weight (softmax)",
                        bad[round / 4 % 2], is_second ? 2 : 1);
            n_silent++;
        }
        opn_i_moments_deinit(&ctx->alloc, &got);
        network_deinit(&net);
    }
    assert_int_equal(n_silent, 0);
}

static void logits_that_are_not_finite_name_the_pass(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    net.features.rows.value[0] = (opn_real)INFINITY; // the weights are as they should be
    opn_i_infer_options options = usual_options();
    uint32_t first = 0; // pass that keeps the entry
    for (;; first++) {
        opn_i_network_draw(&net.exec, &net.gcn, options.seed, &options.streams, first,
                           (opn_i_rates){options.rates.units, options.rates.edges});
        if (opn_i_bit(net.features.keep, 0))
            break;
    }
    opn_i_moments got = {0};
    options.n_samples = (int32_t)first + 1;
    assert_int_equal(opn_i_infer(ctx, &net.exec, &net.gcn, net.weights, &options, &got),
                     OPN_ERR_NONFINITE);
    char part[32];
    snprintf(part, sizeof(part), "pass %u", first);
    support_expect_error(ctx, part);
    assert_null(got.arena);
    network_deinit(&net);
}

static void sampling_can_be_interrupted(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    const opn_i_infer_options options = usual_options();
    for (long at = 1; at <= options.n_samples + 1; at++) {
        listener ear = {.interrupt_at = at};
        opn_i_moments got = {0};
        support_listen(ctx, &ear);
        assert_int_equal(
                opn_i_infer(ctx, &net.exec, &net.gcn, net.weights, &options, &got),
                OPN_ERR_INTERRUPTED);
        assert_null(got.arena);
    }
    network_deinit(&net);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    const opn_i_infer_options options = usual_options();
    int n_failed = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        opn_i_moments got = {0};
        m.fail_at = m.n_requests + fail_at;
        const opn_status status =
                opn_i_infer(other, &net.exec, &net.gcn, net.weights, &options, &got);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((status == OPN_OK) == (got.arena != NULL));
        opn_i_moments_deinit(&other->alloc, &got);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_true(n_failed >= 1);
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(moments_are_the_means_over_passes_for_every_head),
            WITH_CTX(mean_logits_are_those_of_the_passes),
            WITH_CTX(one_pass_without_dropout_has_the_golden_logits),
            WITH_CTX(the_entropy_of_the_mean_is_at_least_the_mean_entropy),
            WITH_CTX(moments_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(edges_alone_make_passes_differ),
            WITH_CTX(the_same_seed_gives_the_same_bits_and_another_seed_others),
            WITH_CTX(without_the_logits_the_other_moments_have_the_same_bits),
            WITH_CTX(memory_does_not_depend_on_the_number_of_passes),
            WITH_CTX(predictions_that_are_not_finite_are_an_error),
            WITH_CTX(logits_that_are_not_finite_name_the_pass),
            WITH_CTX(sampling_can_be_interrupted),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
