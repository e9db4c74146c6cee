// vector_bits_test.c -- the kernels with eight numbers to a vector give the same bits on
// x86 and ARM. On one CPU a hash can only be compared with what another computed: those
// here are of both. Attention has its own in attention_kernels_test.c.

#include "math/kernels.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

enum { ROWS = 29, WIDTH = OPN_SLICE, ENTRIES = 200 };

static opn_real x[ROWS * WIDTH], y[ROWS * WIDTH], w[ROWS * WIDTH];

static void draw_all(uint64_t *random)
{
    draw_rows(random, ROWS, WIDTH, WIDTH, -1.0, 1.0, x);
    draw_rows(random, ROWS, WIDTH, WIDTH, -1.0, 1.0, y);
    draw_rows(random, ROWS, WIDTH, WIDTH, -1.0, 1.0, w);
}

static uint64_t draw_word(uint64_t *random)
{
    return (uint64_t)below(random, UINT32_MAX) << 32 | below(random, UINT32_MAX);
}

// ---- products ------------------------------------------------------------------------

// Rows of 0 to 12 entries, of which the last has one more behind it.
typedef struct sparse {
    opn_off ptr[ROWS + 1];
    int32_t col[ENTRIES];
    opn_real value[ENTRIES], scale[ROWS];
} sparse;

static void draw_sparse(uint64_t *random, sparse *a)
{
    opn_off n = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        a->ptr[i] = n;
        n += (opn_off)(i == 0 ? 0 : below(random, 7));
    }
    a->ptr[ROWS] = n;
    for (int32_t e = 0; e < ENTRIES; e++)
        a->col[e] = (int32_t)below(random, ROWS);
    draw_rows(random, 1, ENTRIES, ENTRIES, -1.0, 1.0, a->value);
    draw_rows(random, 1, ROWS, ROWS, 0.5, 1.5, a->scale);
}

static void sparse_products_are_the_same(void **state)
{
    (void)state;
    const opn_k_table *k = table_of_eights();
    if (k == NULL)
        skip();
    uint64_t random = 21, hash = 0;
    for (int round = 0; round < 64; round++) {
        const int32_t width = 8 << round % 4;
        sparse a;
        draw_all(&random);
        draw_sparse(&random, &a);
        const opn_k_sparse matrix = {.begin = a.ptr,
                                     .end = a.ptr + 1,
                                     .col = a.col,
                                     .value = round / 4 % 2 == 0 ? NULL : a.value,
                                     .scale = round / 8 % 2 == 0 ? NULL : a.scale};
        uint64_t bits[ROWS * WIDTH / 64];
        for (int b = 0; b < ROWS * WIDTH / 64; b++)
            bits[b] = draw_word(&random);
        const opn_k_finish finish = {.base = w,
                                     .base_factor = (opn_real)1.25,
                                     .rectifies = round / 32 % 2 == 1,
                                     .factor = (opn_real)1.7,
                                     .bits = bits};
        const opn_k_in in = {x, WIDTH, round / 2 % 2 == 1};
        const opn_k_out out = {y, WIDTH};
        k->spmm(&matrix, 0, ROWS, width, in, out, round / 16 % 2 == 0 ? NULL : &finish);
        k->scatter(&matrix, 0, ROWS, width, in, out);
        hash = hash_reals(hash, ROWS * WIDTH, y);
    }
    assert_int_equal(hash, UINT64_C(0x107ceefdfe2bbb92));
}

static void dense_and_binary_products_are_the_same(void **state)
{
    (void)state;
    const opn_k_table *k = table_of_eights();
    if (k == NULL)
        skip();
    uint64_t random = 22, hash = 0;
    for (int round = 0; round < 32; round++) {
        const int32_t width = 8 << round % 4;
        const bool adds = round / 4 % 2 == 0;
        const opn_k_in in = {x, WIDTH, false}, weights = {w, WIDTH, false};
        const opn_k_out out = {y, WIDTH};
        uint64_t bits[ROWS];
        draw_all(&random);
        for (int32_t i = 0; i < ROWS; i++)
            bits[i] = draw_word(&random);
        k->matmul(0, ROWS, 19, width, in, weights, out, adds ? NULL : w, (opn_real)0.7);
        hash = hash_reals(hash, ROWS * WIDTH, y);
        k->matmul_tn(0, ROWS, 21, width, in, weights, adds, out);
        k->mask(WIDTH * (ROWS - 1), y, bits, 8, (opn_real)1.3, y);
        hash = hash_reals(hash, ROWS * WIDTH, y);
        k->lookup(ROWS, bits, ROWS, round % 2 == 0 ? 8 : OPN_LOOKUP, in, adds, out);
        hash = hash_reals(hash, ROWS * WIDTH, y);
    }
    assert_int_equal(hash, UINT64_C(0xa08b35e30c123664));
}

// ---- losses --------------------------------------------------------------------------

static void steps_of_adam_are_the_same(void **state)
{
    (void)state;
    const opn_k_table *k = table_of_eights();
    if (k == NULL)
        skip();
    opn_real square[ROWS * WIDTH] = {0};
    uint64_t random = 23, hash = 0;
    draw_all(&random);
    for (int round = 0; round < 20; round++) {
        k->adam(ROWS * WIDTH, (opn_real)0.01, (opn_real)1e-8, (opn_real)5e-4, w, y,
                square, x);
        hash = hash_reals(hash, ROWS * WIDTH, w);
        draw_rows(&random, ROWS, WIDTH, WIDTH, -1.0, 1.0, x);
    }
    assert_int_equal(hash, UINT64_C(0x783b813d21fc727a));
}

static void gradients_and_moments_of_evidence_are_the_same(void **state)
{
    (void)state;
    const opn_k_table *k = table_of_eights();
    if (k == NULL)
        skip();
    static opn_real teacher[ROWS * WIDTH];
    static double alpha[ROWS * WIDTH], p[ROWS * WIDTH], z[ROWS * WIDTH], entropy[ROWS];
    uint64_t random = 24, hash = 0;
    for (int32_t n = 1; n <= WIDTH; n++) {
        const int32_t width = opn_i_width(n);
        opn_real prior_sum[ROWS];
        int32_t target[ROWS];
        draw_rows(&random, ROWS, n, width, -9.0, 9.0, x);
        draw_rows(&random, ROWS, n, width, 1.0, 4.0, w);
        draw_rows(&random, ROWS, n, width, -9.0, -0.1, teacher);
        draw_rows(&random, 1, ROWS, ROWS, (double)n, 4.0 * n, prior_sum);
        for (int32_t i = 0; i < ROWS; i++)
            target[i] = (int32_t)below(&random, (uint32_t)n + 1) - 1;
        const opn_k_evidence loss = {.n_classes = n,
                                     .width = width,
                                     .prior = n % 2 == 0 ? NULL : w,
                                     .prior_sum = prior_sum,
                                     .log_teacher = n % 3 == 0 ? NULL : teacher,
                                     .target = target,
                                     .target_weight = (opn_real)0.25,
                                     .prior_weight = (opn_real)0.5,
                                     .teacher_weight = (opn_real)0.125,
                                     .max_logit = 8};
        const opn_k_moments sums = {.n_classes = n,
                                    .width = width,
                                    .is_softmax = n % 2 == 0,
                                    .max_logit = 8,
                                    .alpha = n % 2 == 0 ? NULL : alpha,
                                    .z = z,
                                    .p = p,
                                    .entropy = entropy};
        (void)k->exp_evidence_gradient(&loss, 0, ROWS, x, y);
        k->add_moments(&sums, 0, ROWS, x);
        hash = hash_reals(hash, (size_t)(ROWS * width), y);
        hash = hash_doubles(hash, ROWS * WIDTH, alpha);
        hash = hash_doubles(hash, ROWS * WIDTH, p);
        hash = hash_doubles(hash, ROWS * WIDTH, z);
        hash = hash_doubles(hash, ROWS, entropy);
    }
    assert_int_equal(hash, UINT64_C(0xa065a16071f972e3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(sparse_products_are_the_same),
            cmocka_unit_test(dense_and_binary_products_are_the_same),
            cmocka_unit_test(steps_of_adam_are_the_same),
            cmocka_unit_test(gradients_and_moments_of_evidence_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
