// csr_test.c -- sparse matrices against dense ones computed the slow way.

#include "math/csr.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <string.h>

enum { MAX_SIDE = 40, MAX_TRIPLES = 200, N_CASES = 400 };

// A matrix as a list, which may hold an entry more than once.
typedef struct triples {
    int32_t n_rows, n_cols, n;
    int32_t row[MAX_TRIPLES], col[MAX_TRIPLES];
    opn_real value[MAX_TRIPLES];
} triples;

// Values are small multiples of 1/4, so that sums are exact in any order.
static triples random_triples(uint64_t *state)
{
    triples t = {.n_rows = (int32_t)below(state, MAX_SIDE + 1),
                 .n_cols = (int32_t)below(state, MAX_SIDE + 1)};
    if (t.n_rows == 0 || t.n_cols == 0)
        return t;
    t.n = (int32_t)below(state, MAX_TRIPLES + 1);
    const uint32_t crowd =
            below(state, 3) == 0 ? 3 : MAX_SIDE; // few places: many repeats
    for (int32_t e = 0; e < t.n; e++) {
        t.row[e] = (int32_t)(below(state, crowd) % (uint32_t)t.n_rows);
        t.col[e] = (int32_t)(below(state, crowd) % (uint32_t)t.n_cols);
        t.value[e] = (opn_real)((int)below(state, 17) - 8) / 4;
    }
    return t;
}

static void swap_triples(triples *t, int32_t a, int32_t b)
{
    const int32_t row = t->row[a];
    const int32_t col = t->col[a];
    const opn_real value = t->value[a];
    t->row[a] = t->row[b];
    t->col[a] = t->col[b];
    t->value[a] = t->value[b];
    t->row[b] = row;
    t->col[b] = col;
    t->value[b] = value;
}

// Insertion sort by row and, if asked for, column: slow, stable and plain.
static triples sorted(const triples *from, bool by_column)
{
    triples t = *from;
    for (int32_t e = 1; e < t.n; e++)
        for (int32_t f = e; f > 0; f--) {
            const bool later =
                    t.row[f - 1] > t.row[f] ||
                    (by_column && t.row[f - 1] == t.row[f] && t.col[f - 1] > t.col[f]);
            if (!later)
                break;
            swap_triples(&t, f - 1, f);
        }
    return t;
}

static triples flipped(const triples *from)
{
    triples t = *from;
    t.n_rows = from->n_cols;
    t.n_cols = from->n_rows;
    memcpy(t.row, from->col, sizeof(t.row));
    memcpy(t.col, from->row, sizeof(t.col));
    return t;
}

// The matrix of exactly these entries, in exactly this order; rows must not decrease.
static opn_i_csr as_csr(opn_ctx *ctx, const triples *t, bool with_value)
{
    opn_i_csr csr = {0};
    assert_int_equal(opn_i_csr_init(ctx, t->n_rows, t->n_cols, t->n, with_value, &csr),
                     OPN_OK);
    for (int32_t e = 0; e < t->n; e++) {
        csr.row_ptr[t->row[e] + 1]++;
        csr.col_idx[e] = t->col[e];
        if (with_value)
            csr.value[e] = t->value[e];
    }
    for (int32_t i = 0; i < t->n_rows; i++)
        csr.row_ptr[i + 1] += csr.row_ptr[i];
    return csr;
}

static void expect_equal(const opn_i_csr *got, const opn_i_csr *want)
{
    const size_t n = (size_t)opn_i_csr_n_entries(want);
    assert_int_equal(got->n_rows, want->n_rows);
    assert_int_equal(got->n_cols, want->n_cols);
    assert_memory_equal(got->row_ptr, want->row_ptr,
                        ((size_t)want->n_rows + 1) * sizeof(*want->row_ptr));
    if (n > 0)
        assert_memory_equal(got->col_idx, want->col_idx, n * sizeof(*want->col_idx));
    assert_int_equal(got->value == NULL, want->value == NULL);
    if (want->value != NULL && n > 0)
        assert_memory_equal(got->value, want->value, n * sizeof(*want->value));
}

static void triples_come_out_by_row_and_column_and_equal_ones_in_order(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 1;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const triples in_order = sorted(&t, true);
        const bool with_value = c % 3 != 0;
        opn_i_csr want = as_csr(ctx, &in_order, with_value);
        opn_i_csr got = {0};
        assert_int_equal(opn_i_csr_from_triples(ctx, t.n_rows, t.n_cols, t.n, t.row,
                                                t.col, with_value ? t.value : NULL, &got),
                         OPN_OK);
        expect_equal(&got, &want);
        opn_i_csr_deinit(&ctx->alloc, &want);
        opn_i_csr_deinit(&ctx->alloc, &got);
    }
    support_ctx_free(ctx, &m);
}

static void transposing_swaps_rows_and_columns_and_sorts(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 2;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const bool with_value = c % 3 != 0;
        const triples by_row = sorted(&t, false);
        const triples transposed = flipped(&by_row);
        const triples transposed_in_order = sorted(&transposed, true);
        opn_i_csr from = as_csr(ctx, &by_row, with_value);
        opn_i_csr want = as_csr(ctx, &transposed_in_order, with_value);
        opn_i_csr got = {0};
        assert_int_equal(opn_i_csr_transpose(ctx, &from, &got), OPN_OK);
        expect_equal(&got, &want);
        opn_i_csr_deinit(&ctx->alloc, &from);
        opn_i_csr_deinit(&ctx->alloc, &want);
        opn_i_csr_deinit(&ctx->alloc, &got);
    }
    support_ctx_free(ctx, &m);
}

static void entries_of_a_transpose_are_found_in_the_matrix(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 3;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const triples by_row = sorted(&t, c % 2 == 0);
        opn_i_csr from = as_csr(ctx, &by_row, true);
        opn_i_csr transposed = {0};
        uint32_t *entry = NULL;
        bool is_taken[MAX_TRIPLES] = {false};
        assert_int_equal(opn_i_csr_transpose(ctx, &from, &transposed), OPN_OK);
        assert_int_equal(opn_i_csr_transposed_entries(ctx, &from, &transposed, &entry),
                         OPN_OK);
        for (int32_t j = 0; j < transposed.n_rows; j++)
            for (opn_off e = transposed.row_ptr[j]; e < transposed.row_ptr[j + 1]; e++) {
                assert_in_range(entry[e], 0, t.n - 1);
                assert_int_equal(by_row.col[entry[e]], j);
                assert_int_equal(by_row.row[entry[e]], transposed.col_idx[e]);
                assert_true(by_row.value[entry[e]] == transposed.value[e]);
                assert_false(is_taken[entry[e]]);
                is_taken[entry[e]] = true;
            }
        opn_i_release(&ctx->alloc, entry);
        opn_i_csr_deinit(&ctx->alloc, &from);
        opn_i_csr_deinit(&ctx->alloc, &transposed);
    }
    support_ctx_free(ctx, &m);
}

static void sorting_keeps_equal_columns_in_their_order(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 3;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const bool with_value = c % 3 != 0;
        const triples by_row = sorted(&t, false);
        const triples in_order = sorted(&t, true);
        opn_i_csr got = as_csr(ctx, &by_row, with_value);
        opn_i_csr want = as_csr(ctx, &in_order, with_value);
        assert_int_equal(opn_i_csr_sort(ctx, &got), OPN_OK);
        expect_equal(&got, &want);
        opn_i_csr_deinit(&ctx->alloc, &got);
        opn_i_csr_deinit(&ctx->alloc, &want);
    }
    support_ctx_free(ctx, &m);
}

// Everything tidy promises, from the sums of a dense matrix.
static void expect_tidy(const opn_i_csr *got, const triples *t, bool with_value)
{
    static double dense[MAX_SIDE][MAX_SIDE];
    memset(dense, 0, sizeof(dense));
    for (int32_t e = 0; e < t->n; e++)
        dense[t->row[e]][t->col[e]] += with_value ? (double)t->value[e] : 1.0;
    opn_off e = 0;
    bool all_ones = true;
    for (int32_t i = 0; i < t->n_rows; i++) {
        assert_int_equal(got->row_ptr[i], e);
        for (int32_t k = 0; k < t->n_cols; k++) {
            if (dense[i][k] == 0.0)
                continue;
            assert_true(e < opn_i_csr_n_entries(got));
            assert_int_equal(got->col_idx[e], k);
            const double value = got->value == NULL ? 1.0 : (double)got->value[e];
            assert_true(value == dense[i][k]);
            all_ones = all_ones && dense[i][k] == 1.0;
            e++;
        }
    }
    assert_int_equal(opn_i_csr_n_entries(got), e);
    assert_int_equal(got->value == NULL, all_ones);
}

static void tidying_adds_equal_columns_up_and_drops_zeros(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 4;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const bool with_value = c % 3 != 0;
        const triples by_row = sorted(&t, false);
        opn_i_csr got = as_csr(ctx, &by_row, with_value);
        assert_int_equal(opn_i_csr_tidy(ctx, &got), OPN_OK);
        expect_tidy(&got, &t, with_value);
        opn_i_csr_deinit(&ctx->alloc, &got);
    }
    support_ctx_free(ctx, &m);
}

static void the_same_matrix_is_tidied_to_the_same_arrays(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 5;
    for (int c = 0; c < N_CASES; c++) {
        triples t = random_triples(&rng);
        opn_i_csr one = {0};
        opn_i_csr other = {0};
        assert_int_equal(opn_i_csr_from_triples(ctx, t.n_rows, t.n_cols, t.n, t.row,
                                                t.col, t.value, &one),
                         OPN_OK);
        for (int32_t e = t.n - 1; e > 0; e--)
            swap_triples(&t, e, (int32_t)below(&rng, (uint32_t)e + 1));
        assert_int_equal(opn_i_csr_from_triples(ctx, t.n_rows, t.n_cols, t.n, t.row,
                                                t.col, t.value, &other),
                         OPN_OK);
        assert_int_equal(opn_i_csr_tidy(ctx, &one), OPN_OK);
        assert_int_equal(opn_i_csr_tidy(ctx, &other), OPN_OK);
        expect_equal(&one, &other);
        assert_int_equal(opn_i_csr_tidy(ctx, &one), OPN_OK); // tidy already
        expect_equal(&one, &other);
        opn_i_csr_deinit(&ctx->alloc, &one);
        opn_i_csr_deinit(&ctx->alloc, &other);
    }
    support_ctx_free(ctx, &m);
}

static void rows_can_be_taken_in_any_order_and_again(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 6;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const bool with_value = c % 3 != 0;
        const triples by_row = sorted(&t, false);
        opn_i_csr from = as_csr(ctx, &by_row, with_value);
        int32_t row[2 * MAX_SIDE];
        const int32_t n_rows = t.n_rows == 0 ? 0 : (int32_t)below(&rng, 2 * MAX_SIDE);
        for (int32_t r = 0; r < n_rows; r++)
            row[r] = (int32_t)below(&rng, (uint32_t)t.n_rows);
        opn_i_csr got = {0};
        assert_int_equal(opn_i_csr_take_rows(ctx, &from, row, n_rows, &got), OPN_OK);
        assert_int_equal(got.n_rows, n_rows);
        assert_int_equal(got.n_cols, t.n_cols);
        opn_off e = 0;
        for (int32_t r = 0; r < n_rows; r++) {
            assert_int_equal(got.row_ptr[r], e);
            for (int32_t f = 0; f < by_row.n; f++) {
                if (by_row.row[f] != row[r])
                    continue;
                assert_int_equal(got.col_idx[e], by_row.col[f]);
                if (with_value)
                    assert_true(got.value[e] == by_row.value[f]);
                e++;
            }
        }
        assert_int_equal(got.row_ptr[n_rows], e);
        assert_int_equal(got.value != NULL, with_value);
        opn_i_csr_deinit(&ctx->alloc, &from);
        opn_i_csr_deinit(&ctx->alloc, &got);
    }
    support_ctx_free(ctx, &m);
}

// Columns may get any number, two of them the same one, and those without an entry none.
static void renaming_columns_keeps_the_entries_of_each_row_and_sorts(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 8;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const bool with_value = c % 3 != 0;
        const triples by_row = sorted(&t, false);
        triples renamed = by_row;
        int32_t number[MAX_SIDE] = {0};
        bool is_used[MAX_SIDE] = {false};
        renamed.n_cols = c % 5 == 0 ? INT32_MAX : 1 + (int32_t)below(&rng, 2 * MAX_SIDE);
        for (int32_t e = 0; e < t.n; e++)
            is_used[t.col[e]] = true;
        for (int32_t k = 0; k < t.n_cols; k++)
            number[k] = is_used[k] ? (int32_t)below(&rng, (uint32_t)renamed.n_cols) : -1;
        for (int32_t e = 0; e < t.n; e++)
            renamed.col[e] = number[by_row.col[e]];
        const triples in_order = sorted(&renamed, true);
        opn_i_csr got = as_csr(ctx, &by_row, with_value);
        opn_i_csr want = as_csr(ctx, &in_order, with_value);
        assert_int_equal(opn_i_csr_rename_cols(ctx, number, renamed.n_cols, &got),
                         OPN_OK);
        expect_equal(&got, &want);
        opn_i_csr_deinit(&ctx->alloc, &got);
        opn_i_csr_deinit(&ctx->alloc, &want);
    }
    support_ctx_free(ctx, &m);
}

static void a_copy_is_equal_and_its_own(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 7;
    for (int c = 0; c < N_CASES; c++) {
        const triples t = random_triples(&rng);
        const triples by_row = sorted(&t, false);
        opn_i_csr from = as_csr(ctx, &by_row, c % 2 == 0);
        opn_i_csr copy = {0};
        assert_int_equal(opn_i_csr_copy(ctx, &from, &copy), OPN_OK);
        expect_equal(&copy, &from);
        assert_ptr_not_equal(copy.row_ptr, from.row_ptr);
        assert_ptr_not_equal(copy.col_idx, from.col_idx);
        if (from.value != NULL)
            assert_ptr_not_equal(copy.value, from.value);
        opn_i_csr_deinit(&ctx->alloc, &from);
        opn_i_csr_deinit(&ctx->alloc, &copy);
    }
    support_ctx_free(ctx, &m);
}

static void a_matrix_of_nothing_has_no_entries(void **state)
{
    (void)state;
    const opn_i_csr none = {0};
    assert_int_equal(opn_i_csr_n_entries(&none), 0);
}

static opn_status do_all(opn_ctx *ctx, const triples *t)
{
    opn_status status = OPN_OK;
    opn_i_csr one = {0};
    opn_i_csr flipped_one = {0};
    opn_i_csr copy = {0};
    opn_i_csr rows = {0};
    opn_i_csr unsorted = {0};
    uint32_t *entry = NULL;
    static const int32_t wanted[] = {1, 0, 1};
    static const int32_t number[] = {2, 1, 0};
    OPN_TRY(opn_i_csr_from_triples(ctx, t->n_rows, t->n_cols, t->n, t->row, t->col,
                                   t->value, &one));
    OPN_TRY(opn_i_csr_transpose(ctx, &one, &flipped_one));
    OPN_TRY(opn_i_csr_transposed_entries(ctx, &one, &flipped_one, &entry));
    OPN_TRY(opn_i_csr_copy(ctx, &one, &copy));
    OPN_TRY(opn_i_csr_take_rows(ctx, &one, wanted, 3, &rows));
    OPN_TRY(opn_i_csr_rename_cols(ctx, number, 3, &rows));
    OPN_TRY(opn_i_csr_init(ctx, 1, 3, 3, false, &unsorted));
    memcpy(unsorted.col_idx, (const int32_t[]){2, 0, 2}, 3 * sizeof(int32_t));
    unsorted.row_ptr[1] = 3;
    OPN_TRY(opn_i_csr_sort(ctx, &unsorted));
    OPN_TRY(opn_i_csr_tidy(ctx, &unsorted));
cleanup:
    opn_i_release(&ctx->alloc, entry);
    opn_i_csr_deinit(&ctx->alloc, &one);
    opn_i_csr_deinit(&ctx->alloc, &flipped_one);
    opn_i_csr_deinit(&ctx->alloc, &copy);
    opn_i_csr_deinit(&ctx->alloc, &rows);
    opn_i_csr_deinit(&ctx->alloc, &unsorted);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    const triples t = {.n_rows = 2,
                       .n_cols = 3,
                       .n = 3,
                       .row = {1, 0, 1},
                       .col = {2, 1, 0},
                       .value = {1, 2, 3}};
    opn_status status = OPN_ERR_NOMEM;
    long fail_at = 1;
    for (; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        status = do_all(ctx, &t);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        support_ctx_free(ctx, &m);
    }
    assert_true(fail_at > 21); // row_ptr, col_idx and value, at least, of seven matrices
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(triples_come_out_by_row_and_column_and_equal_ones_in_order),
            cmocka_unit_test(transposing_swaps_rows_and_columns_and_sorts),
            cmocka_unit_test(entries_of_a_transpose_are_found_in_the_matrix),
            cmocka_unit_test(sorting_keeps_equal_columns_in_their_order),
            cmocka_unit_test(tidying_adds_equal_columns_up_and_drops_zeros),
            cmocka_unit_test(the_same_matrix_is_tidied_to_the_same_arrays),
            cmocka_unit_test(rows_can_be_taken_in_any_order_and_again),
            cmocka_unit_test(renaming_columns_keeps_the_entries_of_each_row_and_sorts),
            cmocka_unit_test(a_copy_is_equal_and_its_own),
            cmocka_unit_test(a_matrix_of_nothing_has_no_entries),
            cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
