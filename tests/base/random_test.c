// random_test.c -- counter-based random numbers: known answers, independence, uniformity.
//
// Seeds are fixed, so that a statistical claim holds always or never; its bound is the
// 0.999 quantile of the statistic.

#include "base/random.h"
#include "support/cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- known answers -------------------------------------------------------------------

// philox4x32-10 in the vectors published with Random123 (kat_vectors).
static void test_random_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4];
        uint32_t key[2];
        uint32_t answer[4];
    } known[] = {
            {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
            {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
             {0xffffffff, 0xffffffff},
             {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
            {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
             {0xa4093822, 0x299f31d0},
             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t t = 0; t < sizeof(known) / sizeof(known[0]); t++) {
        const uint32_t *counter = known[t].counter;
        const uint64_t element = counter[0] | (uint64_t)counter[1] << 32;
        const uint64_t seed = known[t].key[0] | (uint64_t)known[t].key[1] << 32;
        const opn_i_random4 drawn =
                opn_i_random(seed, (opn_i_stream)counter[3], counter[2], element);
        assert_memory_equal(drawn.word, known[t].answer, sizeof(drawn.word));
    }
}

static void test_streams_keep_their_numbers(void **state)
{
    (void)state;
    assert_int_equal(OPN_STREAM_SPLIT, 1);
    assert_int_equal(OPN_STREAM_GENERATE_NODES, 2);
    assert_int_equal(OPN_STREAM_GENERATE_EDGES, 3);
    assert_int_equal(OPN_STREAM_GENERATE_WORDS, 4);
    assert_int_equal(OPN_STREAM_GENERATE_TOPICS, 5);
}

// ---- independence --------------------------------------------------------------------

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(opn_i_random4));
}

static void test_seeds_streams_steps_and_elements_never_collide(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 2, 65535, 65536, 0xffffffff, 0x100000000};
    enum { N_VALUES = 7, N_STREAMS = 5 };
    static opn_i_random4 block[N_VALUES * N_VALUES * N_VALUES * N_STREAMS];
    size_t n = 0;
    for (int seed = 0; seed < N_VALUES; seed++)
        for (uint32_t stream = 1; stream <= N_STREAMS; stream++)
            for (uint32_t step = 0; step < N_VALUES; step++)
                for (int element = 0; element < N_VALUES; element++)
                    block[n++] = opn_i_random(values[seed], (opn_i_stream)stream, step,
                                              values[element]);
    qsort(block, n, sizeof(block[0]), compare_blocks);
    for (size_t i = 1; i < n; i++)
        assert_memory_not_equal(&block[i - 1], &block[i], sizeof(block[0]));
}

static void test_rng_draws_the_blocks_of_its_elements_in_order(void **state)
{
    (void)state;
    opn_i_rng rng = opn_i_rng_start(42, OPN_STREAM_SPLIT, 3);
    for (uint64_t element = 0; element < 10; element++) {
        const opn_i_random4 want = opn_i_random(42, OPN_STREAM_SPLIT, 3, element);
        for (int w = 0; w < 4; w++)
            assert_int_equal(opn_i_rng_word(&rng), want.word[w]);
    }
}

static void test_rng_of_an_element_ends_where_the_next_begins(void **state)
{
    (void)state;
    opn_i_rng rng = opn_i_rng_start_at(42, OPN_STREAM_SPLIT, 0, 7);
    opn_i_rng next = opn_i_rng_start_at(42, OPN_STREAM_SPLIT, 0, 8);
    const uint32_t first = opn_i_rng_word(&next);
    const opn_i_random4 want = opn_i_random(42, OPN_STREAM_SPLIT, 0, 7u << 16);
    assert_int_equal(opn_i_rng_word(&rng), want.word[0]);
    for (long w = 1; w < 1L << 18; w++)
        (void)opn_i_rng_word(&rng);
    assert_int_equal(opn_i_rng_word(&rng), first);
}

// ---- units ---------------------------------------------------------------------------

static void test_unit_reaches_zero_but_never_one(void **state)
{
    (void)state;
    opn_i_rng rng = {.block = {{0, 0, UINT32_MAX, UINT32_MAX}}, .n_left = 4};
    assert_true(opn_i_rng_unit(&rng) == 0.0);
    assert_true(opn_i_rng_unit(&rng) == 1.0 - 0x1p-53);
}

static void test_unit_has_53_bits(void **state)
{
    (void)state;
    opn_i_rng rng = {.block = {{1u << 5, 0, 0, 1u << 6}}, .n_left = 4};
    assert_true(opn_i_rng_unit(&rng) == 0x1p-27);
    assert_true(opn_i_rng_unit(&rng) == 0x1p-53);
}

static void test_unit_is_uniform(void **state)
{
    (void)state;
    enum { N = 1000000, N_BINS = 100 };
    static int count[N_BINS];
    opn_i_rng rng = opn_i_rng_start(1, OPN_STREAM_GENERATE_NODES, 0);
    double sum = 0.0;
    double sum_squares = 0.0;
    double sum_products = 0.0; // of neighbours in the sequence
    double last = 0.5;
    for (int i = 0; i < N; i++) {
        const double u = opn_i_rng_unit(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        sum += u;
        sum_squares += (u - 0.5) * (u - 0.5);
        sum_products += (u - 0.5) * (last - 0.5);
        last = u;
        count[(int)(u * N_BINS)]++;
    }
    // 3.29 standard deviations of each mean.
    assert_true(fabs(sum / N - 0.5) < 3.29 * sqrt(1.0 / 12 / N));
    assert_true(fabs(sum_squares / N - 1.0 / 12) < 3.29 * sqrt(1.0 / 180 / N));
    assert_true(fabs(sum_products / N) < 3.29 / 12 / sqrt(N));
    double chi2 = 0.0;
    for (int b = 0; b < N_BINS; b++)
        chi2 += pow(count[b] - (double)N / N_BINS, 2) / ((double)N / N_BINS);
    assert_true(chi2 < 148.2); // 99 degrees of freedom
}

// ---- whole numbers -------------------------------------------------------------------

static void test_below_is_uniform_for_small_n(void **state)
{
    (void)state;
    enum { MAX = 12, N_EACH = 10000 };
    // Of 1 … 11 degrees of freedom.
    static const double bound[MAX] = {0,     10.83, 13.82, 16.27, 18.47, 20.52,
                                      22.46, 24.32, 26.12, 27.88, 29.59, 31.26};
    opn_i_rng rng = opn_i_rng_start(2, OPN_STREAM_SPLIT, 0);
    for (uint32_t n = 1; n <= MAX; n++) {
        int count[MAX] = {0};
        for (uint32_t i = 0; i < n * N_EACH; i++) {
            const uint32_t drawn = opn_i_rng_below(&rng, n);
            assert_true(drawn < n);
            count[drawn]++;
        }
        double chi2 = 0.0;
        for (uint32_t v = 0; v < n; v++)
            chi2 += pow(count[v] - (double)N_EACH, 2) / N_EACH;
        assert_true(n == 1 ? count[0] == N_EACH : chi2 < bound[n - 1]);
    }
}

// 2^32 words over 3 * 2^30 values: without drawing again, each third would come twice as
// often as the others.
static void test_below_is_exact_where_words_do_not_divide(void **state)
{
    (void)state;
    enum { N = 30000 };
    const uint32_t n = 3u << 30;
    int count[3] = {0};
    opn_i_rng rng = opn_i_rng_start(3, OPN_STREAM_SPLIT, 0);
    for (int i = 0; i < N; i++) {
        const uint32_t drawn = opn_i_rng_below(&rng, n);
        assert_true(drawn < n);
        count[drawn % 3]++;
    }
    double chi2 = 0.0;
    for (int v = 0; v < 3; v++)
        chi2 += pow(count[v] - N / 3.0, 2) / (N / 3.0);
    assert_true(chi2 < 13.82);
}

static void test_below_reaches_both_ends_of_the_widest_range(void **state)
{
    (void)state;
    opn_i_rng rng = {.block = {{1, UINT32_MAX, 0, UINT32_MAX}}, .n_left = 4};
    assert_int_equal(opn_i_rng_below(&rng, UINT32_MAX), 0);
    assert_int_equal(opn_i_rng_below(&rng, UINT32_MAX), UINT32_MAX - 1);
    // The word 0 is the one too many, and drawn again.
    assert_int_equal(opn_i_rng_below(&rng, UINT32_MAX), UINT32_MAX - 1);
}

// ---- order ---------------------------------------------------------------------------

static void test_shuffle_loses_and_doubles_nothing(void **state)
{
    (void)state;
    enum { MAX = 1000 };
    static const int32_t sizes[] = {0, 1, 2, 3, 17, MAX};
    opn_i_rng rng = opn_i_rng_start(4, OPN_STREAM_SPLIT, 0);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        int32_t item[MAX + 1];
        int n_seen[MAX] = {0};
        for (int32_t i = 0; i <= MAX; i++)
            item[i] = i;
        opn_i_rng_shuffle(&rng, item, sizes[s]);
        for (int32_t i = 0; i < sizes[s]; i++) {
            assert_in_range(item[i], 0, sizes[s] - 1);
            n_seen[item[i]]++;
        }
        for (int32_t i = 0; i < sizes[s]; i++)
            assert_int_equal(n_seen[i], 1);
        for (int32_t i = sizes[s]; i <= MAX; i++)
            assert_int_equal(item[i], i);
    }
}

static void test_shuffle_gives_every_order_alike(void **state)
{
    (void)state;
    enum { N_ORDERS = 24, N_EACH = 1000 };
    int count[256] = {0}; // by the order as four digits of two bits
    opn_i_rng rng = opn_i_rng_start(5, OPN_STREAM_SPLIT, 0);
    for (int r = 0; r < N_ORDERS * N_EACH; r++) {
        int32_t item[] = {0, 1, 2, 3};
        opn_i_rng_shuffle(&rng, item, 4);
        count[item[0] * 64 + item[1] * 16 + item[2] * 4 + item[3]]++;
    }
    int n_orders = 0;
    double chi2 = 0.0;
    for (int o = 0; o < 256; o++) {
        n_orders += count[o] > 0;
        if (count[o] > 0)
            chi2 += pow(count[o] - (double)N_EACH, 2) / N_EACH;
    }
    assert_int_equal(n_orders, N_ORDERS);
    assert_true(chi2 < 49.73); // 23 degrees of freedom
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_random_gives_the_published_answers),
            cmocka_unit_test(test_streams_keep_their_numbers),
            cmocka_unit_test(test_seeds_streams_steps_and_elements_never_collide),
            cmocka_unit_test(test_rng_draws_the_blocks_of_its_elements_in_order),
            cmocka_unit_test(test_rng_of_an_element_ends_where_the_next_begins),
            cmocka_unit_test(test_unit_reaches_zero_but_never_one),
            cmocka_unit_test(test_unit_has_53_bits),
            cmocka_unit_test(test_unit_is_uniform),
            cmocka_unit_test(test_below_is_uniform_for_small_n),
            cmocka_unit_test(test_below_is_exact_where_words_do_not_divide),
            cmocka_unit_test(test_below_reaches_both_ends_of_the_widest_range),
            cmocka_unit_test(test_shuffle_loses_and_doubles_nothing),
            cmocka_unit_test(test_shuffle_gives_every_order_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
