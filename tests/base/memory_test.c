// memory_test.c -- allocation through hooks, with checked sizes.

#include "base/context.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

// Hands out blocks full of rubbish, as malloc may.
static void *dirty_alloc(void *user, size_t n_bytes)
{
    (void)user;
    void *ptr = malloc(n_bytes);
    if (ptr != NULL)
        memset(ptr, 0xa5, n_bytes);
    return ptr;
}

static void dirty_release(void *user, void *ptr)
{
    (void)user;
    free(ptr);
}

static const opn_alloc dirty = {dirty_alloc, dirty_release, NULL};
static const opn_alloc plain = {0};

// ---- sizes ---------------------------------------------------------------------------

static void test_mul_says_when_a_product_does_not_fit(void **state)
{
    (void)state;
    size_t out = 7;
    assert_true(opn_i_mul(0, SIZE_MAX, &out) && out == 0);
    assert_true(opn_i_mul(SIZE_MAX, 0, &out) && out == 0);
    assert_true(opn_i_mul(SIZE_MAX, 1, &out) && out == SIZE_MAX);
    assert_true(opn_i_mul(SIZE_MAX / 3, 3, &out) && out == SIZE_MAX / 3 * 3);
    out = 7;
    assert_false(opn_i_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(opn_i_mul(2, SIZE_MAX / 2 + 1, &out));
    assert_false(opn_i_mul(SIZE_MAX, SIZE_MAX, &out));
    assert_int_equal(out, 7);
}

static void test_add_says_when_a_sum_does_not_fit(void **state)
{
    (void)state;
    size_t out = 7;
    assert_true(opn_i_add(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
    assert_true(opn_i_add(0, SIZE_MAX, &out) && out == SIZE_MAX);
    out = 7;
    assert_false(opn_i_add(SIZE_MAX, 1, &out));
    assert_false(opn_i_add(1, SIZE_MAX, &out));
    assert_int_equal(out, 7);
}

static void test_next_room_fits_and_grows_by_half(void **state)
{
    (void)state;
    assert_true(opn_i_next_room(0, 1) >= 1);
    assert_true(opn_i_next_room(0, 1000000) >= 1000000);
    assert_true(opn_i_next_room(1000000, 1000001) >= 1500000);
    int n_steps = 0;
    for (size_t room = 0; room < 100000000; n_steps++)
        room = opn_i_next_room(room, room + 1);
    assert_true(n_steps < 40);
}

// ---- blocks --------------------------------------------------------------------------

static void test_calloc_clears_what_the_hooks_return(void **state)
{
    (void)state;
    const opn_alloc *const both[] = {&dirty, &plain};
    for (size_t a = 0; a < 2; a++) {
        unsigned char *block = opn_i_calloc(both[a], 33, 3);
        assert_non_null(block);
        for (size_t i = 0; i < 99; i++)
            assert_int_equal(block[i], 0);
        opn_i_release(both[a], block);
    }
}

static void test_calloc_of_nothing_yields_a_block(void **state)
{
    (void)state;
    meter m = {0};
    const opn_alloc hooks = meter_hooks(&m);
    void *none = opn_i_calloc(&hooks, 0, 8);
    void *empty = opn_i_calloc(&hooks, 8, 0);
    assert_non_null(none);
    assert_non_null(empty);
    assert_ptr_not_equal(none, empty);
    assert_int_equal(m.n_live, 2);
    opn_i_release(&hooks, none);
    opn_i_release(&hooks, empty);
    assert_int_equal(m.n_live, 0);
    void *with_malloc = opn_i_calloc(&plain, 0, 0);
    assert_non_null(with_malloc);
    opn_i_release(&plain, with_malloc);
}

static void test_a_size_that_does_not_fit_is_never_asked_for(void **state)
{
    (void)state;
    meter m = {0};
    const opn_alloc hooks = meter_hooks(&m);
    assert_null(opn_i_calloc(&hooks, SIZE_MAX / 2 + 1, 2)); // the product wraps to 0
    assert_null(opn_i_calloc(&hooks, SIZE_MAX, SIZE_MAX));
    assert_null(opn_i_calloc(&hooks, (size_t)PTRDIFF_MAX + 1, 1));
    assert_null(opn_i_calloc(&plain, SIZE_MAX / 2 + 1, 2));
    assert_null(opn_i_resize(&hooks, NULL, 0, SIZE_MAX / 2 + 1, 2));
    assert_null(opn_i_resize(&hooks, NULL, 0, (size_t)PTRDIFF_MAX + 1, 1));
    assert_int_equal(m.n_requests, 0);
}

static void test_resize_keeps_the_items(void **state)
{
    (void)state;
    meter m = {0};
    const opn_alloc metered = meter_hooks(&m);
    const opn_alloc *const both[] = {&metered, &plain};
    for (size_t a = 0; a < 2; a++) {
        int *item = opn_i_resize(both[a], NULL, 0, 10, sizeof(*item));
        assert_non_null(item);
        for (int i = 0; i < 10; i++)
            item[i] = i * i;
        item = opn_i_resize(both[a], item, 10, 1000, sizeof(*item));
        assert_non_null(item);
        for (int i = 0; i < 10; i++)
            assert_int_equal(item[i], i * i);
        item = opn_i_resize(both[a], item, 1000, 3, sizeof(*item));
        assert_non_null(item);
        for (int i = 0; i < 3; i++)
            assert_int_equal(item[i], i * i);
        opn_i_release(both[a], item);
    }
    assert_int_equal(m.n_live, 0);
}

// Around the size from which blocks ask for huge pages.
static void test_large_blocks_are_clear_and_keep_their_items(void **state)
{
    (void)state;
    static const size_t sizes[] = {((size_t)2 << 20) - 1,   (size_t)2 << 20,
                                   ((size_t)2 << 20) + 1,   ((size_t)5 << 20) + 77,
                                   ((size_t)40 << 20) - 13, ((size_t)70 << 20) + 5};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        const size_t n = sizes[s];
        for (int round = 0; round < 2; round++) { // the second time memory is not fresh
            unsigned char *block = opn_i_calloc(&plain, n, 1);
            assert_non_null(block);
            assert_int_equal(block[0], 0);
            assert_memory_equal(block, block + 1, n - 1);
            memset(block, 0xa5, n);
            block = opn_i_resize(&plain, block, n, n + n / 2, 1);
            assert_non_null(block);
            assert_int_equal(block[0], 0xa5);
            assert_memory_equal(block, block + 1, n - 1);
            block[n + n / 2 - 1] = 1;
            block = opn_i_resize(&plain, block, n + n / 2, 100, 1);
            assert_non_null(block);
            assert_int_equal(block[99], 0xa5);
            opn_i_release(&plain, block);
        }
        unsigned char *rough = opn_i_resize(&plain, NULL, 0, n, 1);
        assert_non_null(rough);
        memset(rough, 1, n);
        opn_i_release(&plain, rough);
    }
}

static void test_resize_that_fails_leaves_the_block(void **state)
{
    (void)state;
    meter m = {.fail_at = 2};
    const opn_alloc hooks = meter_hooks(&m);
    int *item = opn_i_calloc(&hooks, 2, sizeof(*item));
    assert_non_null(item);
    item[1] = 42;
    assert_null(opn_i_resize(&hooks, item, 2, 100, sizeof(*item)));
    assert_int_equal(item[1], 42);
    assert_int_equal(m.n_live, 1);
    opn_i_release(&hooks, item);
}

static void test_release_accepts_null(void **state)
{
    (void)state;
    meter m = {0};
    const opn_alloc hooks = meter_hooks(&m);
    opn_i_release(&hooks, NULL); // does not reach the hook, which would object
    opn_i_release(&plain, NULL);
    assert_int_equal(m.n_live, 0);
}

// ---- growing -------------------------------------------------------------------------

static opn_status append(opn_ctx *ctx, int **item, size_t *room, size_t n, int value)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, *item, *room, n, n + 1);
    (*item)[n] = value;
cleanup:
    return status;
}

static void test_reserve_appends_in_few_requests(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    int *item = NULL;
    size_t room = 0;
    for (int i = 0; i < 1000000; i++)
        assert_int_equal(append(ctx, &item, &room, (size_t)i, i), OPN_OK);
    for (int i = 0; i < 1000000; i++)
        assert_int_equal(item[i], i);
    assert_true(m.n_requests < 40);
    assert_int_equal(m.n_live, 2);
    opn_i_release(&ctx->alloc, item);
    support_ctx_free(ctx, &m);
}

static void test_reserve_that_fails_says_how_much_and_keeps_the_items(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    int *item = NULL;
    size_t room = 0;
    size_t n = 0;
    assert_int_equal(append(ctx, &item, &room, n++, 5), OPN_OK);
    while (n < room)
        assert_int_equal(append(ctx, &item, &room, n++, 5), OPN_OK);
    const size_t room_before = room;
    m.fail_at = m.n_requests + 1;
    assert_int_equal(append(ctx, &item, &room, n, 6), OPN_ERR_NOMEM);
    support_expect_error(ctx, "out of memory for ");
    support_expect_error(ctx, " items of 4 bytes");
    assert_int_equal(room, room_before);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(item[i], 5);
    assert_int_equal(append(ctx, &item, &room, n, 6), OPN_OK);
    opn_i_release(&ctx->alloc, item);
    support_ctx_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_mul_says_when_a_product_does_not_fit),
            cmocka_unit_test(test_add_says_when_a_sum_does_not_fit),
            cmocka_unit_test(test_next_room_fits_and_grows_by_half),
            cmocka_unit_test(test_calloc_clears_what_the_hooks_return),
            cmocka_unit_test(test_calloc_of_nothing_yields_a_block),
            cmocka_unit_test(test_a_size_that_does_not_fit_is_never_asked_for),
            cmocka_unit_test(test_resize_keeps_the_items),
            cmocka_unit_test(test_large_blocks_are_clear_and_keep_their_items),
            cmocka_unit_test(test_resize_that_fails_leaves_the_block),
            cmocka_unit_test(test_release_accepts_null),
            cmocka_unit_test(test_reserve_appends_in_few_requests),
            cmocka_unit_test(test_reserve_that_fails_says_how_much_and_keeps_the_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
