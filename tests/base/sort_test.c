// sort_test.c -- sorting that can be interrupted.

#include "base/random.h"
#include "base/sort.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// Around the sizes where runs begin to be merged, and where one has no partner.
enum { A_RUN = 1 << 16, MOST = 5 * A_RUN + 7 };
static const size_t sizes[] = {0,         1,         2,         1000,
                               A_RUN - 1, A_RUN,     A_RUN + 1, 2 * A_RUN,
                               3 * A_RUN, 4 * A_RUN, MOST};
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

// Larger than a number, and all of it follows from the key.
typedef struct item {
    int32_t key;
    uint8_t of_key[5];
} item;

static item list[MOST], wanted[MOST];

static int compare_items(const void *a, const void *b)
{
    const int32_t x = ((const item *)a)->key;
    const int32_t y = ((const item *)b)->key;
    return (x > y) - (x < y);
}

// Items that are equal where their keys are, so that any right order has the same bytes.
static void draw(size_t n, uint32_t n_keys)
{
    opn_i_rng rng = opn_i_rng_start_at(1, OPN_STREAM_SETS, 0, n);
    memset(list, 0, sizeof(list));
    for (size_t i = 0; i < n; i++) {
        list[i].key = (int32_t)(opn_i_rng_unit(&rng) * n_keys);
        memset(list[i].of_key, list[i].key % 251, sizeof(list[i].of_key));
    }
    memcpy(wanted, list, sizeof(list));
    qsort(wanted, n, sizeof(*wanted), compare_items);
}

static void items_come_out_as_qsort_has_them(void **state)
{
    (void)state;
    static const uint32_t n_keys[] = {1, 7, 1000000};
    for (size_t s = 0; s < N_OF(sizes); s++)
        for (size_t k = 0; k < N_OF(n_keys); k++) {
            draw(sizes[s], n_keys[k]);
            assert_int_equal(
                    opn_i_sort(ctx, list, sizes[s], sizeof(*list), compare_items),
                    OPN_OK);
            assert_memory_equal(list, wanted, sizeof(list));
        }
}

static void an_interruption_at_every_question_ends_it(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_INTERRUPTED;
    int n_questions = 0;
    while (status == OPN_ERR_INTERRUPTED) {
        int left = n_questions;
        const opn_hooks hooks = {.size = sizeof(hooks),
                                 .interrupted = support_stop_after_calls,
                                 .user = &left};
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        draw(MOST, 1000000);
        status = opn_i_sort(ctx, list, MOST, sizeof(*list), compare_items);
        n_questions += status == OPN_ERR_INTERRUPTED;
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_questions > 10);
}

static opn_status sort_many(opn_ctx *own)
{
    return opn_i_sort(own, list, MOST, sizeof(*list), compare_items);
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    draw(MOST, 1000);
    assert_int_equal(support_fail_allocations(sort_many), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(items_come_out_as_qsort_has_them),
            WITH_CTX(an_interruption_at_every_question_ends_it),
            cmocka_unit_test(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
