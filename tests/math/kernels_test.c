// kernels_test.c -- every kernel of every table against a plain oracle in double, at
// sizes around the vector width; products_test.c has the products.

#include "base/random.h"
#include "math/kernels.h"
#include "math/special.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 136 };

// ---- the tables ----------------------------------------------------------------------

static void the_tables_are_named_and_chosen_by_cpu_and_environment(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES]; // the reference, then the fastest first
    const int n_tables = all_tables(table);
#if defined(__aarch64__)
    static const char *const names[] = {"ref", "neon"};
    assert_int_equal(n_tables, IS_DOUBLE ? 1 : 2);
#else
    static const char *const names[] = {"ref", "avx2", "avx512"};
#endif
    const char *old = getenv("OPINE_KERNEL");
    char kept[64] = "";
    strncpy(kept, old == NULL ? "" : old, sizeof(kept) - 1);
    assert_ptr_equal(table[0], opn_k_table_ref());
    if (IS_DOUBLE)
        assert_int_equal(n_tables, 1);
    for (int t = 0; t < n_tables; t++) {
        assert_string_equal(table[t]->name, names[t == 0 ? 0 : n_tables - t]);
        assert_int_equal(setenv("OPINE_KERNEL", table[t]->name, 1), 0);
        assert_ptr_equal(opn_k_select(), table[t]);
    }
    assert_int_equal(setenv("OPINE_KERNEL", "unheard-of", 1), 0);
    assert_ptr_equal(opn_k_select(), table[n_tables > 1 ? 1 : 0]);
    assert_int_equal(unsetenv("OPINE_KERNEL"), 0);
    assert_ptr_equal(opn_k_select(), table[n_tables > 1 ? 1 : 0]);
    if (old != NULL)
        assert_int_equal(setenv("OPINE_KERNEL", kept, 1), 0);
}

// ---- random bits ---------------------------------------------------------------------

static void philox_gives_the_words_of_the_generator(void **state)
{
    (void)state;
    static const uint64_t firsts[] = {
            0, 1, 5, UINT32_MAX - 9, UINT32_MAX, UINT64_C(0x7fffffffffff)};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int round = 0; round < n_tables * 6; round++) {
        const uint64_t first = firsts[round / n_tables];
        for (size_t n = 0; n <= 19; n++) {
            uint32_t out[4 * 20];
            memset(out, 0xaa, sizeof(out));
            table[round % n_tables]->philox(UINT64_C(0x123456789abcdef0), 12, 99, first,
                                            n, out);
            for (size_t b = 0; b < n; b++) {
                const opn_i_random4 want = opn_i_random(UINT64_C(0x123456789abcdef0),
                                                        (opn_i_stream)12, 99, first + b);
                assert_memory_equal(out + 4 * b, want.word, sizeof(want.word));
            }
            assert_int_equal(out[4 * n], 0xaaaaaaaa);
        }
    }
}

static void keep_compares_bytes_with_the_threshold(void **state)
{
    (void)state;
    enum { WORDS = 5 };
    static const uint32_t thresholds[] = {0, 1, 2, 127, 128, 129, 254, 255};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint8_t random[64 * WORDS];
    uint64_t draws = 1;
    for (int j = 0; j < 64 * WORDS; j++) // the border cases come often
        random[j] = below(&draws, 3) == 0 ? (uint8_t)below(&draws, 256)
                                          : (uint8_t)thresholds[below(&draws, 8)];
    for (int round = 0; round < n_tables * 8; round++) {
        const uint32_t threshold = thresholds[round / n_tables];
        uint64_t bits[WORDS + 1] = {0, 0, 0, 0, 0, 42};
        table[round % n_tables]->keep(WORDS, threshold, random, bits);
        for (int j = 0; j < 64 * WORDS; j++)
            assert_int_equal(bits[j / 64] >> (j % 64) & 1, random[j] >= threshold);
        assert_int_equal(bits[WORDS], 42);
    }
}

// Blocks of words go to places side by side, perhaps on two threads: no block may touch a
// place that another fills.
static void compact_moves_the_kept_entries_and_touches_no_other_place(void **state)
{
    (void)state;
    enum { WORDS = 9, N = 64 * WORDS };
    static const uint32_t one_in[] = {1, 2, 10, 40, 1000};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 9;
    for (int round = 0; round < n_tables * 5 * 40; round++) {
        const opn_k_table *kernels = table[round % n_tables];
        const size_t first = below(&random, 4), last = first + below(&random, 6);
        uint64_t bits[WORDS] = {0};
        int32_t col[N], to_col[N + 8], want_col[N + 8];
        opn_real value[N], to_value[N + 8], want_value[N + 8];
        const opn_off at = (opn_off)below(&random, 5);
        opn_off n = at;
        for (int j = 0; j < N + 8; j++) {
            to_col[j] = want_col[j] = -7;
            to_value[j] = want_value[j] = -7;
        }
        for (int j = 0; j < N; j++) {
            const bool is_kept = below(&random, one_in[round / n_tables % 5]) == 0;
            bits[j / 64] |= (uint64_t)is_kept << (j % 64);
            col[j] = j + 1000;
            value[j] = (opn_real)(j + 0.5);
            if (!is_kept || (size_t)j < 64 * first || (size_t)j >= 64 * last)
                continue;
            want_col[n] = col[j];
            want_value[n++] = value[j];
        }
        kernels->compact(first, last, bits, col, value, at, to_col, to_value);
        assert_memory_equal(to_col, want_col, sizeof(to_col));
        assert_memory_equal(to_value, want_value, sizeof(to_value));
        memset(to_col, 0xf9, sizeof(to_col)); // -7 need not be there again
        kernels->compact(first, last, bits, col, NULL, at, to_col, NULL);
        assert_memory_equal(to_col + at, want_col + at, (size_t)(n - at) * sizeof(*col));
    }
}

// ---- single elements -----------------------------------------------------------------

static void adam_is_the_textbook_s_step(void **state)
{
    (void)state;
    enum { N = 40 };
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 6;
    for (int t = 0; t < n_tables; t++) {
        opn_real w[N + 8], mean[N], square[N], g[N];
        double want_w[N], want_mean[N], want_square[N];
        draw_rows(&random, 1, N + 8, N + 8, -1.0, 1.0, w);
        draw_rows(&random, 1, N, N, -0.1, 0.1, mean);
        draw_rows(&random, 1, N, N, 0.001, 0.01, square);
        draw_rows(&random, 1, N, N, -1.0, 1.0, g);
        const opn_real beyond = w[N];
        g[0] = mean[0] = square[0] = w[0] = 0; // as padding is
        for (int j = 0; j < N; j++) {
            const double slope = (double)g[j] + 0.25 * (double)w[j];
            want_mean[j] = 0.9 * (double)mean[j] + 0.1 * slope;
            want_square[j] = 0.999 * (double)square[j] + 0.001 * slope * slope;
            want_w[j] =
                    (double)w[j] - 0.5 * want_mean[j] / (sqrt(want_square[j]) + 0.125);
        }
        table[t]->adam(N, (opn_real)0.5, (opn_real)0.125, (opn_real)0.25, w, mean, square,
                       g);
        // 1 - 0.999 has four digits fewer in float than the rest.
        expect_rows(1, N, N, mean, want_mean, by_build(1e-6, 1e-14), 0.1);
        expect_rows(1, N, N, square, want_square, by_build(1e-5, 1e-14), 1e-4);
        expect_rows(1, N, N, w, want_w, by_build(1e-5, 1e-14), 1.0);
        assert_true(w[0] == 0 && w[N] == beyond);
    }
}

// ---- evidence ------------------------------------------------------------------------

static double trigamma(double x)
{
    double sum = 0.0;
    for (; x < 20.0; x += 1.0)
        sum += 1.0 / (x * x);
    const double t = 1.0 / (x * x);
    return sum + 1.0 / x + 0.5 * t +
           t / x *
                   (1.0 / 6 -
                    t * (1.0 / 30 - t * (1.0 / 42 - t * (1.0 / 30 - t * 5 / 66))));
}

// The gradient from dL/dalpha as in the paper, in double.
static void
evidence_oracle(const opn_k_evidence *loss, int32_t i, const opn_real *z, double *d_z)
{
    const int32_t n = loss->n_classes;
    double alpha[WIDEST], slope_p[WIDEST];
    double strength = 0.0, level = 0.0, spread = 0.0;
    for (int32_t k = 0; k < n; k++) {
        alpha[k] = exp(fmin((double)z[k], (double)loss->max_logit)) + 1.0;
        strength += alpha[k];
    }
    for (int32_t k = 0; k < n; k++) {
        const double p = alpha[k] / strength;
        slope_p[k] = 0.0;
        if (loss->target[i] >= 0)
            slope_p[k] =
                    (double)loss->target_weight * (-2.0 * ((k == loss->target[i]) - p) +
                                                   (1.0 - 2.0 * p) / (strength + 1.0));
        if (loss->log_teacher != NULL)
            slope_p[k] += (double)loss->teacher_weight *
                          (log(p) + 1.0 - (double)loss->log_teacher[i * loss->width + k]);
        level += slope_p[k] * p;
        spread += p * (1.0 - p);
    }
    const double d_variance = loss->target[i] < 0
                                      ? 0.0
                                      : (double)loss->target_weight * spread /
                                                ((strength + 1.0) * (strength + 1.0));
    for (int32_t k = 0; k < n; k++) {
        double d_alpha = (slope_p[k] - level) / strength - d_variance;
        if (loss->prior != NULL)
            d_alpha += (double)loss->prior_weight *
                       ((alpha[k] - (double)loss->prior[i * loss->width + k]) *
                                trigamma(alpha[k]) -
                        (strength - (double)loss->prior_sum[i]) * trigamma(strength));
        d_z[k] = (alpha[k] - 1.0) * d_alpha;
    }
}

static void evidence_gradients_are_right_for_any_number_of_classes(void **state)
{
    (void)state;
    enum { NODES = 6 };
    static const int32_t n_classes[] = {1,  2,  3,  7,  8,  9,  15,
                                        16, 17, 63, 64, 65, 80, 130};
    static opn_real z[NODES * WIDEST], d_z[NODES * WIDEST], prior[NODES * WIDEST];
    static opn_real log_teacher[NODES * WIDEST];
    static double want[NODES * WIDEST];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 7;
    for (int round = 0; round < 14 * 4 * n_tables; round++) {
        const int32_t n = n_classes[round / (4 * n_tables)];
        const int32_t width = opn_i_width(n);
        const int parts = round % 4;
        const int32_t target[NODES] = {0, -1, n - 1, -1, n / 2, -1};
        opn_real prior_sum[NODES] = {0};
        draw_rows(&random, NODES, n, width, -5.0, 5.0, z);
        draw_rows(&random, NODES, n, width, 1.0, 4.0, prior);
        draw_rows(&random, NODES, n, width, -9.0, -0.1, log_teacher);
        for (int32_t j = 0; j < NODES * width; j++) {
            prior_sum[j / width] += prior[j];
            d_z[j] = j % width < n ? 77 : 0;
        }
        const opn_k_evidence loss = {.n_classes = n,
                                     .width = width,
                                     .prior = parts % 2 == 0 ? NULL : prior,
                                     .prior_sum = prior_sum,
                                     .log_teacher = parts < 2 ? NULL : log_teacher,
                                     .target = target,
                                     .target_weight = (opn_real)0.25,
                                     .prior_weight = (opn_real)0.5,
                                     .teacher_weight = (opn_real)0.125,
                                     .max_logit = 4};
        int64_t n_above = 0;
        for (int32_t i = 0; i < NODES; i++) {
            evidence_oracle(&loss, i, z + i * width, want + i * n);
            for (int32_t k = 0; k < n; k++)
                n_above += z[i * width + k] > 4;
        }
        const opn_k_table *kernels = table[round / 4 % n_tables];
        const int64_t n_bounded = kernels->exp_evidence_gradient(&loss, 0, 2, z, d_z) +
                                  kernels->exp_evidence_gradient(&loss, 2, NODES, z, d_z);
        assert_int_equal(n_bounded, n_above);
        expect_rows(NODES, n, width, d_z, want, by_build(1e-5, 1e-12), 0.1);
    }
}

// ---- moments -------------------------------------------------------------------------

typedef struct sums {
    double alpha[8 * WIDEST], z[8 * WIDEST], p[8 * WIDEST], entropy[8];
} sums;

static opn_k_moments moments_into(sums *s, int32_t n_classes, bool is_softmax)
{
    return (opn_k_moments){.n_classes = n_classes,
                           .width = opn_i_width(n_classes),
                           .is_softmax = is_softmax,
                           .max_logit = 60,
                           .alpha = is_softmax ? NULL : s->alpha,
                           .z = s->z,
                           .p = s->p,
                           .entropy = s->entropy};
}

static void moments_of_the_sampled_opinions_are_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    const double within = by_build(2e-6, 1e-13);
    for (int round = 0; round < 2 * n_tables; round++) {
        const bool is_softmax = round % 2 == 1;
        sums s = {.alpha = {0.0}};
        const opn_k_moments into = moments_into(&s, GOLDEN_K, is_softmax);
        for (int m = 0; m < GOLDEN_SAMPLES; m++) {
            opn_real z[GOLDEN_SAMPLED_NODES * OPN_LANES] = {0};
            for (int j = 0; j < GOLDEN_SAMPLED_NODES * GOLDEN_K; j++)
                z[j / GOLDEN_K * OPN_LANES + j % GOLDEN_K] =
                        (opn_real)golden_samples[m * GOLDEN_SAMPLED_NODES * GOLDEN_K + j];
            table[round / 2]->add_moments(&into, 0, GOLDEN_SAMPLED_NODES, z);
        }
        for (int i = 0; i < GOLDEN_SAMPLED_NODES; i++) {
            const double *aleatoric = is_softmax ? golden_sampled_softmax_aleatoric
                                                 : golden_sampled_aleatoric;
            expect_close(s.entropy[i] / GOLDEN_SAMPLES / log(GOLDEN_K), aleatoric[i],
                         within, 0.1);
            for (int k = 0; k < GOLDEN_K; k++) {
                const int at = i * OPN_LANES + k, golden_at = i * GOLDEN_K + k;
                expect_close(s.p[at] / GOLDEN_SAMPLES,
                             is_softmax ? golden_sampled_softmax_p_mean[golden_at]
                                        : golden_sampled_p_mean[golden_at],
                             within, 0.1);
                expect_close(exp(s.z[at] / GOLDEN_SAMPLES) + 1.0,
                             golden_sampled_alpha_logits[golden_at], within, 1.0);
                expect_close(s.alpha[at] / GOLDEN_SAMPLES,
                             is_softmax ? 0.0 : golden_sampled_alpha[golden_at], within,
                             1.0);
            }
        }
    }
}

static void moments_are_right_for_any_number_of_classes(void **state)
{
    (void)state;
    enum { NODES = 5 };
    static const int32_t n_classes[] = {1, 2, 7, 8, 9, 17, 40, 63, 64, 65, 80, 130};
    static opn_real z[NODES * WIDEST];
    static sums s;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 8;
    for (int round = 0; round < 12 * 2 * n_tables; round++) {
        const int32_t n = n_classes[round / (2 * n_tables)];
        const int32_t width = opn_i_width(n);
        const bool is_softmax = round % 2 == 0;
        const opn_k_table *kernels = table[round / 2 % n_tables];
        memset(&s, 0, sizeof(s));
        draw_rows(&random, NODES, n, width, -40.0, 30.0, z);
        z[0] = 80; // beyond the bound; a softmax has none
        const opn_k_moments into = moments_into(&s, n, is_softmax);
        kernels->add_moments(&into, 0, 2, z);
        kernels->add_moments(&into, 2, NODES, z);
        for (int32_t i = 0; i < NODES; i++) {
            double e[WIDEST], total = 0.0, entropy = 0.0;
            for (int32_t k = 0; k < n; k++) {
                const double logit = (double)z[i * width + k];
                e[k] = is_softmax ? exp(logit - 80.0) : exp(fmin(logit, 60.0)) + 1.0;
                total += e[k];
            }
            for (int32_t k = 0; k < width; k++) {
                const size_t at = (size_t)(i * width + k);
                const double p = k < n ? e[k] / total : 0.0;
                entropy -= p > 0.0 ? p * log(p) : 0.0;
                expect_close(s.p[at], p, by_build(1e-6, 1e-13), by_build(1e-6, 1e-9));
                expect_close(s.z[at], (double)z[at], 0.0, 0.0);
                expect_close(s.alpha[at], is_softmax || k >= n ? 0.0 : e[k],
                             by_build(1e-6, 1e-14), 0.0);
            }
            // Near 1 a rounding of p moves its logarithm by 6e-8.
            expect_close(s.entropy[i], entropy, by_build(1e-5, 1e-12), 0.03);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_tables_are_named_and_chosen_by_cpu_and_environment),
            cmocka_unit_test(philox_gives_the_words_of_the_generator),
            cmocka_unit_test(keep_compares_bytes_with_the_threshold),
            cmocka_unit_test(compact_moves_the_kept_entries_and_touches_no_other_place),
            cmocka_unit_test(adam_is_the_textbook_s_step),
            cmocka_unit_test(evidence_gradients_are_right_for_any_number_of_classes),
            cmocka_unit_test(moments_of_the_sampled_opinions_are_golden),
            cmocka_unit_test(moments_are_right_for_any_number_of_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
