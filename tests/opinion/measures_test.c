// measures_test.c -- opinions: golden values, the paper's theorem, and what follows from
// the definitions.

#include "opinion/measures.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>

enum { MOST_CLASSES = 300, ROUNDS = 2000 };

typedef struct opinion {
    double vacuity, dissonance, aleatoric, epistemic, entropy;
} opinion;

static double strength_of(int32_t n, const double *alpha)
{
    double strength = 0.0;
    for (int32_t k = 0; k < n; k++)
        strength += alpha[k];
    return strength;
}

static opinion opinion_of(int32_t n, const double *alpha)
{
    double p[MOST_CLASSES];
    for (int32_t k = 0; k < n; k++)
        p[k] = alpha[k] / strength_of(n, alpha);
    return (opinion){opn_i_vacuity(n, alpha), opn_i_dissonance(n, alpha),
                     opn_i_expected_entropy(n, alpha), opn_i_mutual_information(n, alpha),
                     opn_i_entropy(n, p)};
}

// Evidence of every size, some of it none at all; returns K.
static int32_t draw_alpha(uint64_t *random, double *alpha)
{
    const int32_t n = 2 + (int32_t)below(random, 12);
    for (int32_t k = 0; k < n; k++)
        alpha[k] = below(random, 4) == 0 ? 1.0 : 1.0 + exp(draw(random, -10.0, 12.0));
    return n;
}

// ---- golden --------------------------------------------------------------------------

static void opinions_are_golden(void **state)
{
    (void)state;
    for (int n = 0; n < GOLDEN_N_OPINIONS; n++) {
        const double *want = golden_opinion + 5 * n;
        const opinion got =
                opinion_of(golden_opinion_k[n], golden_opinion_alpha + GOLDEN_MAX_K * n);
        expect_close(got.vacuity, want[0], 1e-13, 0.0);
        expect_close(got.dissonance, want[1], 1e-13, 1e-3);
        expect_close(got.aleatoric, want[2], 1e-13, 1e-2);
        expect_close(got.epistemic, want[3], 1e-13, 1e-1);
        expect_close(got.entropy, want[4], 1e-13, 1e-2);
    }
}

static void opinions_of_sampled_alphas_are_golden(void **state)
{
    (void)state;
    for (int i = 0; i < GOLDEN_SAMPLED_NODES; i++) {
        const double *alpha = golden_sampled_alpha + GOLDEN_K * i;
        const double *by_logits = golden_sampled_alpha_logits + GOLDEN_K * i;
        expect_close(opn_i_vacuity(GOLDEN_K, alpha), golden_sampled_vacuity[i], 1e-13,
                     0.0);
        expect_close(opn_i_dissonance(GOLDEN_K, alpha), golden_sampled_dissonance[i],
                     1e-13, 1e-2);
        expect_close(opn_i_vacuity(GOLDEN_K, by_logits), golden_sampled_vacuity_logits[i],
                     1e-13, 0.0);
        expect_close(opn_i_dissonance(GOLDEN_K, by_logits),
                     golden_sampled_dissonance_logits[i], 1e-13, 1e-2);
        expect_close(opn_i_entropy(GOLDEN_K, golden_sampled_p_mean + GOLDEN_K * i),
                     golden_sampled_entropy[i], 1e-13, 1e-2);
        expect_close(
                opn_i_entropy(GOLDEN_K, golden_sampled_softmax_p_mean + GOLDEN_K * i),
                golden_sampled_softmax_entropy[i], 1e-13, 1e-2);
    }
}

// ---- theorem 1 -----------------------------------------------------------------------

static void theorem_1_1a_vacuity_and_dissonance_are_at_most_one_together(void **state)
{
    (void)state;
    uint64_t random = 1;
    double alpha[MOST_CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = draw_alpha(&random, alpha);
        assert_true(opn_i_vacuity(n, alpha) + opn_i_dissonance(n, alpha) <= 1.0 + 1e-14);
    }
}

static void theorem_1_1b_vacuity_is_above_epistemic_uncertainty(void **state)
{
    (void)state;
    uint64_t random = 2;
    double alpha[MOST_CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = draw_alpha(&random, alpha);
        assert_true(opn_i_vacuity(n, alpha) > opn_i_mutual_information(n, alpha));
    }
}

static void theorem_1_2a_no_evidence_orders_the_five(void **state)
{
    (void)state;
    double alpha[MOST_CLASSES];
    for (int32_t n = 2; n <= MOST_CLASSES; n++) {
        for (int32_t k = 0; k < n; k++)
            alpha[k] = 1.0;
        const opinion o = opinion_of(n, alpha);
        assert_true(o.vacuity == 1.0);
        expect_close(o.entropy, 1.0, 1e-14, 1.0);
        assert_true(o.entropy > o.aleatoric && o.aleatoric > o.epistemic);
        assert_true(o.epistemic > o.dissonance);
        assert_true(o.dissonance == 0.0);
        double harmonic = 0.0; // E[H] = 1/2 + … + 1/K
        for (int32_t k = 2; k <= n; k++)
            harmonic += 1.0 / k;
        expect_close(o.aleatoric, harmonic / log(n), 1e-13, 1.0);
    }
}

// Strong, equal evidence. The order holds from alpha_k > 2 on, the rest is a limit.
static void theorem_1_2b_conflicting_evidence_orders_the_five(void **state)
{
    (void)state;
    static const double equal[] = {2.01, 2.5, 4.0, 10.0, 1e3, 1e6, 1e9};
    double alpha[MOST_CLASSES];
    for (int32_t n = 2; n <= 20; n++) {
        for (size_t e = 0; e < sizeof(equal) / sizeof(equal[0]); e++) {
            for (int32_t k = 0; k < n; k++)
                alpha[k] = equal[e];
            const opinion o = opinion_of(n, alpha);
            expect_close(o.entropy, 1.0, 1e-14, 1.0);
            assert_true(o.entropy > o.aleatoric && o.aleatoric > o.dissonance);
            assert_true(o.dissonance > o.vacuity && o.vacuity > o.epistemic);
            expect_close(o.dissonance, 1.0, 1.001 / equal[e], 1.0);
            expect_close(o.aleatoric, 1.0, 1.001 / equal[e], 1.0);
            expect_close(o.vacuity, 0.0, 1.001 / equal[e], 1.0);
            expect_close(o.epistemic, 0.0, 1.001 / equal[e], 1.0);
        }
    }
}

static void theorem_1_2b_is_a_limit_and_fails_for_weak_evidence(void **state)
{
    (void)state;
    const double weak[] = {1.5, 1.5, 1.5};
    const double even[] = {2.0, 2.0, 2.0};
    assert_true(opn_i_dissonance(3, weak) < opn_i_vacuity(3, weak));
    expect_close(opn_i_dissonance(3, even), opn_i_vacuity(3, even), 1e-14, 1.0);
}

// ---- definitions ---------------------------------------------------------------------

static void beliefs_and_vacuity_sum_to_one(void **state)
{
    (void)state;
    uint64_t random = 3;
    double alpha[MOST_CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = draw_alpha(&random, alpha);
        double sum = opn_i_vacuity(n, alpha);
        for (int32_t k = 0; k < n; k++)
            sum += (alpha[k] - 1.0) / strength_of(n, alpha);
        expect_close(sum, 1.0, 1e-14, 1.0);
    }
}

static void all_five_lie_between_zero_and_one(void **state)
{
    (void)state;
    uint64_t random = 4;
    double alpha[MOST_CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = draw_alpha(&random, alpha);
        const opinion o = opinion_of(n, alpha);
        const double all[] = {o.vacuity, o.dissonance, o.aleatoric, o.epistemic,
                              o.entropy};
        for (int m = 0; m < 5; m++)
            assert_true(all[m] >= 0.0 && all[m] <= 1.0 + 1e-14);
        expect_close(o.aleatoric + o.epistemic, o.entropy, 1e-12, 1.0);
    }
}

static void one_positive_belief_has_no_dissonance(void **state)
{
    (void)state;
    uint64_t random = 5;
    double alpha[MOST_CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = 2 + (int32_t)below(&random, 10);
        for (int32_t k = 0; k < n; k++)
            alpha[k] = 1.0;
        alpha[below(&random, (uint32_t)n)] += exp(draw(&random, -20.0, 20.0));
        assert_true(opn_i_dissonance(n, alpha) == 0.0);
    }
}

// The paper's equation, with its own balance, where no sum in it is 0.
static void dissonance_is_the_paper_s_equation(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = 2 + (int32_t)below(&random, 8);
        double alpha[10], belief[10];
        for (int32_t k = 0; k < n; k++)
            alpha[k] = 1.0 + exp(draw(&random, -3.0, 5.0));
        for (int32_t k = 0; k < n; k++)
            belief[k] = (alpha[k] - 1.0) / strength_of(n, alpha);
        double dissonance = 0.0;
        for (int32_t k = 0; k < n; k++) {
            double above = 0.0, below_it = 0.0;
            for (int32_t j = 0; j < n; j++) {
                if (j == k)
                    continue;
                above += belief[j] *
                         (1.0 - fabs(belief[j] - belief[k]) / (belief[j] + belief[k]));
                below_it += belief[j];
            }
            dissonance += belief[k] * above / below_it;
        }
        expect_close(opn_i_dissonance(n, alpha), dissonance, 1e-12, 1.0);
    }
}

static void the_order_of_classes_does_not_matter(void **state)
{
    (void)state;
    uint64_t random = 7;
    double alpha[MOST_CLASSES], turned[MOST_CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t n = draw_alpha(&random, alpha);
        const int32_t by = (int32_t)below(&random, (uint32_t)n);
        for (int32_t k = 0; k < n; k++)
            turned[k] = alpha[(k + by) % n];
        const opinion o = opinion_of(n, alpha);
        const opinion t = opinion_of(n, turned);
        expect_close(t.vacuity, o.vacuity, 1e-13, 0.0);
        expect_close(t.dissonance, o.dissonance, 1e-13, 1.0);
        expect_close(t.aleatoric, o.aleatoric, 1e-13, 1.0);
        expect_close(t.epistemic, o.epistemic, 1e-13, 1.0);
        expect_close(t.entropy, o.entropy, 1e-13, 1.0);
    }
}

static void certain_and_even_probabilities_have_entropy_zero_and_one(void **state)
{
    (void)state;
    const double certain[] = {0.0, 1.0, 0.0};
    const double even[] = {0.25, 0.25, 0.25, 0.25};
    assert_true(opn_i_entropy(3, certain) == 0.0);
    expect_close(opn_i_entropy(4, even), 1.0, 1e-15, 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(opinions_are_golden),
            cmocka_unit_test(opinions_of_sampled_alphas_are_golden),
            cmocka_unit_test(
                    theorem_1_1a_vacuity_and_dissonance_are_at_most_one_together),
            cmocka_unit_test(theorem_1_1b_vacuity_is_above_epistemic_uncertainty),
            cmocka_unit_test(theorem_1_2a_no_evidence_orders_the_five),
            cmocka_unit_test(theorem_1_2b_conflicting_evidence_orders_the_five),
            cmocka_unit_test(theorem_1_2b_is_a_limit_and_fails_for_weak_evidence),
            cmocka_unit_test(beliefs_and_vacuity_sum_to_one),
            cmocka_unit_test(all_five_lie_between_zero_and_one),
            cmocka_unit_test(one_positive_belief_has_no_dissonance),
            cmocka_unit_test(dissonance_is_the_paper_s_equation),
            cmocka_unit_test(the_order_of_classes_does_not_matter),
            cmocka_unit_test(certain_and_even_probabilities_have_entropy_zero_and_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
