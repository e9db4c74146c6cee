// blocks_test.c -- sums over the blocks of a divided graph.

#include "network/blocks.h"

#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { BLOCKS = 8, ROWS = 100, WIDTH = 5 };

// Of uneven sizes; the third is empty.
static const int32_t start[BLOCKS + 1] = {0, 7, 20, 20, 33, 34, 60, 81, ROWS};

static opn_real row[ROWS][WIDTH];

// Numbers whose sum depends on the order of additions.
static void fill_rows(void)
{
    uint64_t rng = 5;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < WIDTH; k++)
            row[i][k] = (opn_real)((below(&rng, 2000001) - 1e6) / 3.0) /
                        (opn_real)(1 + below(&rng, 1000));
}

static void add_rows(const opn_i_exec *exec,
                     void *user,
                     int32_t b,
                     int32_t first,
                     int32_t last,
                     opn_real *sum)
{
    int *n_called = user;
    (void)exec, (void)b;
    (*n_called)++;
    memset(sum, 0, WIDTH * sizeof(*sum));
    for (int32_t i = first; i < last; i++)
        for (int k = 0; k < WIDTH; k++)
            sum[k] += row[i][k];
}

// The sum of blocks [first, first + size), half by half.
static opn_real
add_halves(int32_t first, int32_t size, int k) // NOLINT(misc-no-recursion)
{
    opn_real sum = 0;
    if (size > 1)
        return add_halves(first, size / 2, k) + add_halves(first + size / 2, size / 2, k);
    for (int32_t i = start[first]; i < start[first + 1]; i++)
        sum += row[i][k];
    return sum;
}

static void sums_are_those_of_a_binary_tree(void **state)
{
    (void)state;
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    opn_i_blocks blocks = {0};
    opn_real total[2 * WIDTH];
    int n_called = 0;
    fill_rows();
    assert_int_equal(opn_i_blocks_init(ctx, BLOCKS, start, &blocks), OPN_OK);
    assert_int_equal(opn_i_blocks_make_room(ctx, 2 * WIDTH, &blocks), OPN_OK);
    opn_i_blocks_sum(&exec, &blocks, 0, WIDTH, add_rows, &n_called);
    opn_i_blocks_sum(&exec, &blocks, WIDTH, WIDTH, add_rows, &n_called);
    opn_i_blocks_total(&blocks, total);
    assert_int_equal(n_called, 2 * (BLOCKS - 1)); // not for the empty block
    for (int k = 0; k < WIDTH; k++) {
        const opn_real expected = add_halves(0, BLOCKS, k);
        assert_memory_equal(&total[k], &expected, sizeof(expected));
        assert_memory_equal(&total[WIDTH + k], &expected, sizeof(expected));
    }
    opn_i_blocks_deinit(&ctx->alloc, &blocks);
}

static void doubles_are_summed_over_the_same_tree(void **state)
{
    (void)state;
    opn_i_blocks blocks = {0};
    double sum[BLOCKS][2];
    double total[2];
    for (int b = 0; b < BLOCKS; b++) {
        sum[b][0] = 1.0 / (3 + b);
        sum[b][1] = b;
    }
    assert_int_equal(opn_i_blocks_init(ctx, BLOCKS, start, &blocks), OPN_OK);
    opn_i_blocks_add(&blocks, 2, &sum[0][0], total);
    const double left = (sum[0][0] + sum[1][0]) + (sum[2][0] + sum[3][0]);
    const double right = (sum[4][0] + sum[5][0]) + (sum[6][0] + sum[7][0]);
    assert_true(total[0] == left + right);
    assert_true(total[1] == 28.0);
    opn_i_blocks_deinit(&ctx->alloc, &blocks);
}

// What a rank draws for its units is what one process draws for them.
static void masks_begin_anywhere(void **state)
{
    enum { WORDS = 700, FIRST = 42, LEFT = WORDS - FIRST };
    static const double rates[] = {0.5, 0.3};
    (void)state;
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    uint64_t *whole = calloc(WORDS + 2, sizeof(*whole));
    uint64_t *part = calloc(WORDS + 2, sizeof(*part));
    for (int r = 0; r < 2; r++) {
        opn_i_keep_bits(&exec, 7, OPN_STREAM_STUDENT_HIDDEN, 3, rates[r], 64 * WORDS,
                        whole);
        opn_i_keep_bits_from(&exec, 7, OPN_STREAM_STUDENT_HIDDEN, 3, rates[r], FIRST,
                             64 * LEFT, part);
        assert_memory_equal(part, whole + FIRST, LEFT * sizeof(*part));
    }
    free(whole);
    free(part);
}

static void one_process_agrees_with_itself(void **state)
{
    (void)state;
    int rank = -1, n_ranks = -1;
    assert_int_equal(opn_i_comm_agree(ctx, OPN_ERR_READ), OPN_ERR_READ);
    assert_int_equal(opn_i_comm_agree(ctx, OPN_OK), OPN_OK);
    assert_true(opn_i_comm_is_same(ctx, "abc", 3));
    assert_int_equal(opn_ctx_join_ranks(ctx, &rank, &n_ranks), OPN_OK);
    assert_int_equal(rank, 0);
    assert_int_equal(n_ranks, 1);
    opn_ctx_leave_ranks(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(sums_are_those_of_a_binary_tree),
            WITH_CTX(doubles_are_summed_over_the_same_tree),
            WITH_CTX(masks_begin_anywhere),
            WITH_CTX(one_process_agrees_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
