// products_test.c -- the entries that bits keep, and products on slices, of every table
// against a plain oracle in double.

#include "base/random.h"
#include "math/kernels.h"
#include "math/special.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 23, INNER = 19, MOST_ENTRIES = 400 };

// ---- the entries that bits keep ------------------------------------------------------

// Words of all kinds: none, all and some of their bits set.
static uint64_t draw_word(uint64_t *random)
{
    const uint64_t high = below(random, 1u << 31), middle = below(random, 1u << 31);
    const uint32_t kind = below(random, 5);
    return kind == 0 ? 0 : kind == 1 ? UINT64_MAX : high << 33 | middle << 2 | kind % 4;
}

static bool bit_of(const uint64_t *bits, opn_off at)
{
    return (bits[at / 64] >> (at % 64) & 1) != 0;
}

static void *new_items(size_t n, size_t size)
{
    void *items = malloc(n * size + 1); // no more, so that ASan sees any step beyond
    assert_non_null(items);
    return items;
}

static void count_counts_the_bits_before_every_word_and_every_place(void **state)
{
    (void)state;
    enum { MOST = 6 };
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 10;
    for (int round = 0; round < n_tables * (MOST + 1) * 10; round++) {
        const size_t n_words = (size_t)(round / n_tables % (MOST + 1));
        const int32_t n_ptr = (int32_t)(round % 5 == 0 ? 0 : 64 * n_words + 1);
        uint64_t bits[MOST + 1];
        opn_off ptr[64 * MOST + 1], to_ptr[64 * MOST + 2], rank[MOST + 2];
        for (size_t w = 0; w <= n_words; w++) // the last is not to be counted
            bits[w] = w < n_words ? draw_word(&random) : UINT64_MAX;
        for (int32_t i = 0; i < n_ptr; i++)
            ptr[i] = round % 2 == 0 ? i : (opn_off)below(&random, (uint32_t)n_ptr);
        to_ptr[n_ptr] = rank[n_words + 1] = -7;
        table[round % n_tables]->count(n_words, bits, rank, n_ptr, ptr, to_ptr);
        opn_off before[64 * MOST + 1] = {0};
        for (opn_off e = 0; e < (opn_off)(64 * n_words); e++)
            before[e + 1] = before[e] + bit_of(bits, e);
        for (size_t w = 0; w <= n_words; w++)
            assert_int_equal(rank[w], before[64 * w]);
        for (int32_t i = 0; i < n_ptr; i++)
            assert_int_equal(to_ptr[i], before[ptr[i]]);
        assert_true(to_ptr[n_ptr] == -7 && rank[n_words + 1] == -7);
    }
}

// Bits that belong to a word of the map often lie in two words of `bits`.
static void spread_keeps_of_every_set_bit_what_its_own_bit_says(void **state)
{
    (void)state;
    enum { MOST = 3, OF_MAP = ROWS * MOST };
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 11;
    for (int round = 0; round < n_tables * 130; round++) {
        const int32_t n_words = 1 + (int32_t)below(&random, MOST);
        const int32_t first = (int32_t)below(&random, 4);
        const int32_t last = ROWS - (int32_t)below(&random, 4);
        uint64_t map[OF_MAP], kept[OF_MAP], want[OF_MAP];
        opn_off row_ptr[ROWS], e = round / n_tables;
        for (int32_t i = 0; i < ROWS; i++) {
            row_ptr[i] = e;
            for (int32_t w = 0; w < n_words; w++) {
                const uint64_t word = draw_word(&random);
                map[i + w * ROWS] = word;
                e += __builtin_popcountll(word);
            }
        }
        const size_t n_read = (size_t)e / 64 + 2; // a word more than there are bits
        uint64_t *bits = new_items(n_read, sizeof(*bits));
        for (size_t w = 0; w < n_read; w++)
            bits[w] = draw_word(&random);
        for (int32_t i = 0; i < ROWS; i++) {
            e = row_ptr[i];
            for (int32_t b = 0; b < 64 * n_words; b++) {
                const int32_t at = i + b / 64 * ROWS;
                const uint64_t bit = UINT64_C(1) << (b % 64);
                want[at] = b % 64 == 0 ? 0 : want[at];
                if ((map[at] & bit) != 0 && bit_of(bits, e++))
                    want[at] |= bit;
            }
        }
        for (int32_t j = 0; j < ROWS * n_words; j++) {
            kept[j] = 42; // rows beyond are left alone
            if (j % ROWS < first || j % ROWS >= last)
                want[j] = 42;
        }
        const opn_k_table *kernels = table[round % n_tables];
        kernels->spread(first, 9, ROWS, n_words, row_ptr, bits, map, kept);
        kernels->spread(9, last, ROWS, n_words, row_ptr, bits, map, kept);
        kernels->spread(7, 7, ROWS, n_words, row_ptr, bits, map, kept);
        assert_memory_equal(kept, want, (size_t)(ROWS * n_words) * sizeof(*kept));
        free(bits);
    }
}

static void
transpose_makes_rows_columns_and_transposed_again_all_is_as_before(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 12;
    for (int round = 0; round < n_tables * 80; round++) {
        const int alone = round / n_tables; // the only row at first, then all are drawn
        uint64_t from[64], to[65], again[65];
        for (int r = 0; r < 64; r++)
            from[r] = alone < 64 && r != alone ? 0 : draw_word(&random);
        to[64] = again[64] = 42;
        table[round % n_tables]->transpose(from, to);
        table[round % n_tables]->transpose(to, again);
        for (int r = 0; r < 64; r++)
            for (int c = 0; c < 64; c++)
                assert_true(bit_of(to + r, c) == bit_of(from + c, r));
        assert_memory_equal(again, from, sizeof(from));
        assert_true(to[64] == 42 && again[64] == 42);
    }
}

// ---- slices --------------------------------------------------------------------------

// Slices as whole rows and as the last columns of wider ones.
typedef struct shape {
    int32_t width, x_stride, y_stride;
} shape;

static const shape shapes[] = {{8, 8, 8},    {16, 16, 16}, {8, 24, 24},  {16, 24, 40},
                               {16, 64, 16}, {8, 8, 40},   {16, 16, 64}, {32, 32, 32},
                               {32, 48, 40}, {64, 64, 64}, {64, 72, 80}, {64, 64, 128}};
enum { MOST_STRIDE = 128 };

enum { N_SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

// What no kernel may read where it counts, nor overwrite.
static const opn_real untouched = 77;

// The last `width` columns of a matrix that ends with the last of its rows.
typedef struct slice {
    opn_real *data, *at;
    int32_t n_rows, width, stride;
} slice;

static slice new_slice(int32_t n_rows, int32_t width, int32_t stride)
{
    const size_t n = (size_t)n_rows * (size_t)stride;
    opn_real *data = new_items(n, sizeof(*data));
    for (size_t j = 0; j < n; j++)
        data[j] = untouched;
    return (slice){data, data + (stride - width), n_rows, width, stride};
}

static slice
new_drawn_slice(uint64_t *random, int32_t n_rows, int32_t width, int32_t stride)
{
    slice s = new_slice(n_rows, width, stride);
    for (int32_t i = 0; i < n_rows; i++)
        draw_rows(random, 1, width, width, -1.0, 1.0, s.at + i * stride);
    return s;
}

static opn_k_in in_of(slice s)
{
    return (opn_k_in){s.at, s.stride, false};
}

static opn_k_out out_of(slice s)
{
    return (opn_k_out){s.at, s.stride};
}

// Asserts that rows first … last - 1 hold those of want [n_rows,width], and that nothing
// was written beside them. What is 0 must be so.
static void
expect_slice(slice s, int32_t first, int32_t last, const double *want, double floor)
{
    for (int32_t j = 0; j < s.n_rows * s.stride; j++) {
        const int32_t i = j / s.stride, k = j % s.stride - (s.stride - s.width);
        if (k < 0 || i < first || i >= last) {
            assert_true(s.data[j] == untouched);
            continue;
        }
        const double right = want[i * s.width + k];
        expect_close((double)s.data[j], right, by_build(1e-6, 1e-14),
                     right == 0.0 ? 0.0 : floor);
    }
}

// ---- sparse products -----------------------------------------------------------------

// A sparse matrix with empty rows, rows of one entry and long rows, of which only the
// first entries count.
typedef struct sparse {
    opn_off begin[ROWS + 1], end[ROWS];
    int32_t col[MOST_ENTRIES];
    opn_real value[MOST_ENTRIES];
    opn_real scale[ROWS];
} sparse;

static void draw_sparse(uint64_t *random, sparse *a)
{
    for (int32_t i = 0; i < ROWS; i++) {
        const int32_t n = i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : (int32_t)below(random, 30);
        a->begin[i + 1] = a->begin[i] + n;
        a->end[i] = a->begin[i] + (n > 3 ? n - 2 : n);
        a->scale[i] = (opn_real)draw(random, 0.5, 2.0);
    }
    assert_true(a->begin[ROWS] < MOST_ENTRIES);
    for (opn_off e = 0; e < a->begin[ROWS]; e++) {
        a->col[e] = (int32_t)below(random, INNER);
        a->value[e] = (opn_real)draw(random, -1.0, 1.0);
    }
}

// Kinds of finish: 0 none, 1 a base, 2 rectified, 3 rectified where a bit is set, and
// both of these with a base.
enum { N_FINISHES = 6 };

static opn_k_finish finish_of(int kind, const opn_real *base, const uint64_t *bits)
{
    static const int64_t first_bits[] = {8, 24, 72, 1000};
    return (opn_k_finish){.base = kind % 2 == 1 && kind != 3 ? base : NULL,
                          .base_factor = (opn_real)1.75,
                          .rectifies = kind >= 2,
                          .factor = (opn_real)1.25,
                          .bits = kind == 3 || kind == 4 ? bits : NULL,
                          .first_bit = first_bits[kind % 4]};
}

static void spmm_oracle(const opn_k_sparse *a,
                        slice x,
                        const opn_k_finish *finish,
                        int32_t y_stride,
                        double *y)
{
    for (int32_t j = 0; j < ROWS * x.width; j++) {
        const int32_t i = j / x.width, k = j % x.width, place = i * y_stride + k;
        double sum = 0.0;
        for (opn_off e = a->begin[i]; e < a->end[i]; e++)
            sum += (a->value == NULL ? 1.0 : (double)a->value[e]) *
                   (double)x.at[a->col[e] * x.stride + k];
        sum *= a->scale == NULL ? 1.0 : (double)a->scale[i];
        if (finish->base != NULL)
            sum = (double)finish->base_factor * (double)finish->base[place] - sum;
        if (finish->rectifies)
            sum = fmax(sum, 0.0) * (double)finish->factor;
        if (finish->bits != NULL && !bit_of(finish->bits, finish->first_bit + place))
            sum = 0.0;
        y[j] = sum;
    }
}

static void spmm_is_the_dense_product_finished_as_told_on_every_slice(void **state)
{
    (void)state;
    enum { BITS = 1000 + ROWS * MOST_STRIDE };
    static double want[ROWS * OPN_SLICE];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 1, bits[BITS / 64 + 1];
    for (int round = 0; round < N_SHAPES * N_FINISHES * 8 * n_tables; round++) {
        const shape is = shapes[round / (N_FINISHES * 8 * n_tables)];
        const int kind = round / (8 * n_tables) % N_FINISHES, parts = round / n_tables;
        const opn_k_table *kernels = table[round % n_tables];
        sparse s = {.begin = {0}};
        draw_sparse(&random, &s);
        for (int w = 0; w < BITS / 64 + 1; w++)
            bits[w] = draw_word(&random);
        const slice x = new_drawn_slice(&random, INNER, is.width, is.x_stride);
        const slice base = new_drawn_slice(&random, ROWS, is.width, is.y_stride);
        const slice y = new_slice(ROWS, is.width, is.y_stride);
        const opn_k_finish finish = finish_of(kind, base.at, bits);
        const opn_k_finish *told = kind == 0 ? NULL : &finish;
        const opn_k_sparse a = {.begin = s.begin,
                                .end = s.end,
                                .col = s.col,
                                .value = parts % 2 == 0 ? NULL : s.value,
                                .scale = parts / 2 % 2 == 0 ? NULL : s.scale};
        opn_k_in from = in_of(x);
        from.is_far = parts / 4 % 2 == 1;
        spmm_oracle(&a, x, &finish, is.y_stride, want);
        kernels->spmm(&a, 2, 9, is.width, from, out_of(y), told);
        expect_slice(y, 2, 9, want, 10.0);
        kernels->spmm(&a, 9, ROWS, is.width, from, out_of(y), told);
        kernels->spmm(&a, 1, 1, is.width, from, out_of(y), told);
        expect_slice(y, 2, ROWS, want, 10.0);
        free(x.data);
        free(base.data);
        free(y.data);
    }
}

static void the_base_of_a_sparse_product_may_be_where_the_result_goes(void **state)
{
    (void)state;
    static double want[ROWS * OPN_SLICE];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 2;
    for (int round = 0; round < N_SHAPES * n_tables; round++) {
        const shape is = shapes[round / n_tables];
        sparse s = {.begin = {0}};
        draw_sparse(&random, &s);
        const slice x = new_drawn_slice(&random, INNER, is.width, is.x_stride);
        const slice y = new_drawn_slice(&random, ROWS, is.width, is.y_stride);
        const opn_k_finish finish = finish_of(1, y.at, NULL);
        const opn_k_sparse a = {s.begin, s.end, s.col, s.value, s.scale};
        spmm_oracle(&a, x, &finish, is.y_stride, want);
        table[round % n_tables]->spmm(&a, 0, ROWS, is.width, in_of(x), out_of(y),
                                      &finish);
        expect_slice(y, 0, ROWS, want, 10.0);
        free(x.data);
        free(y.data);
    }
}

// The entry beyond the last may be read, and rows of an even number of entries read one
// that is not theirs: neither may count, even if it is infinite.
static void what_belongs_to_other_rows_does_not_leak_into_a_row(void **state)
{
    (void)state;
    enum { LINES = 8, ENTRIES = 11, BAD = 2 };
    static const opn_off ptr[LINES + 1] = {0, 0, 1, 1, 3, 6, 10, 11, ENTRIES};
    static const int32_t cols[ENTRIES + 1] = {BAD, 0, 1, BAD, 0, 1, 3, 1, 0, 3, BAD, BAD};
    static const bool is_bad[LINES] = {false, true, false, false, true, false, true};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int round = 0; round < N_SHAPES * 6 * n_tables; round++) {
        const shape is = shapes[round / (6 * n_tables)];
        const int parts = round / n_tables % 6; // values or none, of three kinds
        const opn_real bad = (opn_real)(parts / 2 == 0   ? NAN
                                        : parts / 2 == 1 ? INFINITY
                                                         : -INFINITY);
        int32_t *col = new_items(ENTRIES + 1, sizeof(*col));
        opn_real *value = new_items(ENTRIES + 1, sizeof(*value));
        const slice x = new_slice(4, is.width, is.x_stride);
        const slice y = new_slice(LINES, is.width, is.y_stride);
        memcpy(col, cols, sizeof(cols));
        for (int e = 0; e <= ENTRIES; e++)
            value[e] = cols[e] == BAD ? bad : 3;
        for (int32_t k = 0; k < is.width; k++) {
            for (int32_t i = 0; i < 4; i++)
                x.at[i * is.x_stride + k] = i == BAD ? bad : (opn_real)(i + k);
        }
        const opn_k_sparse a = {.begin = ptr,
                                .end = ptr + 1,
                                .col = col,
                                .value = parts % 2 == 0 ? NULL : value};
        table[round % n_tables]->spmm(&a, 0, LINES, is.width, in_of(x), out_of(y), NULL);
        for (int32_t j = 0; j < LINES * is.width; j++) {
            const int32_t i = j / is.width, k = j % is.width;
            const opn_real got = y.at[i * is.y_stride + k];
            opn_real sum = 0;
            for (opn_off e = ptr[i]; e < ptr[i + 1]; e++)
                sum += (opn_real)(cols[e] + k) * (a.value == NULL ? 1 : 3);
            assert_true(is_bad[i] ? !isfinite((double)got) : got == sum);
        }
        free(col);
        free(value);
        free(x.data);
        free(y.data);
    }
}

static void scatter_adds_every_row_to_those_its_entries_name(void **state)
{
    (void)state;
    static double want[INNER * OPN_SLICE];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 16;
    for (int round = 0; round < N_SHAPES * 4 * n_tables; round++) {
        const shape is = shapes[round / (4 * n_tables)];
        const int parts = round / n_tables % 4;
        sparse s = {.begin = {0}};
        draw_sparse(&random, &s);
        const opn_k_sparse a = {.begin = s.begin,
                                .end = s.end,
                                .col = s.col,
                                .value = parts % 2 == 0 ? NULL : s.value,
                                .scale = parts / 2 == 0 ? NULL : s.scale};
        const slice x = new_drawn_slice(&random, ROWS, is.width, is.x_stride);
        const slice y = new_drawn_slice(&random, INNER, is.width, is.y_stride);
        for (int32_t j = 0; j < INNER * is.width; j++)
            want[j] = (double)y.at[j / is.width * is.y_stride + j % is.width];
        for (int32_t j = 2 * is.width; j < ROWS * is.width; j++) {
            const int32_t i = j / is.width, k = j % is.width;
            for (opn_off e = s.begin[i]; e < s.end[i]; e++)
                want[s.col[e] * is.width + k] +=
                        (a.scale == NULL ? 1.0 : (double)s.scale[i]) *
                        (a.value == NULL ? 1.0 : (double)s.value[e]) *
                        (double)x.at[i * is.x_stride + k];
        }
        const opn_k_table *kernels = table[round % n_tables];
        kernels->scatter(&a, 2, 9, is.width, in_of(x), out_of(y));
        kernels->scatter(&a, 9, ROWS, is.width, in_of(x), out_of(y));
        kernels->scatter(&a, 3, 3, is.width, in_of(x), out_of(y));
        expect_slice(y, 0, INNER, want, 10.0);
        free(x.data);
        free(y.data);
    }
}

// ---- rectified products --------------------------------------------------------------

// Element (i, k) is x[i,k] alone, so that the result is known to the last bit.
static void rectifying_keeps_what_is_positive_and_kept(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 4;
    opn_off ptr[ROWS + 1];
    int32_t col[ROWS + 1] = {0};
    for (int32_t i = 0; i <= ROWS; i++) {
        ptr[i] = i;
        col[i] = i % ROWS;
    }
    const opn_k_sparse a = {.begin = ptr, .end = ptr + 1, .col = col};
    for (int round = 0; round < N_SHAPES * 2 * n_tables; round++) {
        const shape is = shapes[round / (2 * n_tables)];
        const slice x = new_drawn_slice(&random, ROWS, is.width, is.x_stride);
        const slice y = new_slice(ROWS, is.width, is.y_stride);
        uint64_t bits[ROWS * MOST_STRIDE / 64 + 2];
        for (int w = 0; w < ROWS * MOST_STRIDE / 64 + 2; w++)
            bits[w] = draw_word(&random);
        x.at[3] = 0;
        x.at[5] = (opn_real)-0.0;
        x.at[6] = (opn_real)NAN; // which no one would find if it became 0
        const bool has_bits = round % 2 == 0;
        const opn_k_finish finish = {.rectifies = true,
                                     .factor = (opn_real)1.6,
                                     .bits = has_bits ? bits : NULL,
                                     .first_bit = 56};
        table[round / 2 % n_tables]->spmm(&a, 0, ROWS, is.width, in_of(x), out_of(y),
                                          &finish);
        for (int32_t j = 0; j < ROWS * is.width; j++) {
            const int32_t i = j / is.width, k = j % is.width;
            const opn_real was = x.at[i * is.x_stride + k];
            const bool is_kept = !has_bits || bit_of(bits, 56 + i * is.y_stride + k);
            const opn_real want = is_kept && was > 0 ? was * (opn_real)1.6 : 0;
            const opn_real got = y.at[i * is.y_stride + k];
            assert_true(is_kept && isnan((double)was) ? isnan((double)got) : got == want);
        }
        free(x.data);
        free(y.data);
    }
}

// One product per sum, so that the result is known to the last bit.
static void an_active_product_is_the_slope_of_rectifying(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 5;
    for (int round = 0; round < N_SHAPES * 2 * n_tables; round++) {
        const shape is = shapes[round / (2 * n_tables)];
        const slice x = new_drawn_slice(&random, ROWS, 1, is.x_stride);
        const slice w = new_drawn_slice(&random, 1, is.width, is.x_stride);
        const slice active = new_drawn_slice(&random, ROWS, is.width, is.y_stride);
        const slice y = new_slice(ROWS, is.width, is.y_stride);
        active.at[1] = 0;
        active.at[3] = (opn_real)-0.0;
        active.at[5] = (opn_real)1e-30;
        for (int32_t i = 0; i < ROWS; i++)
            for (int32_t k = 0; k < is.width; k++)
                y.at[i * is.y_stride + k] = 0;
        x.at[is.x_stride] = (opn_real)INFINITY; // nothing of row 1 where it is not active
        table[round / 2 % n_tables]->matmul(0, ROWS, 1, is.width, in_of(x), in_of(w),
                                            out_of(y), active.at, (opn_real)1.6);
        for (int32_t j = 0; j < ROWS * is.width; j++) {
            const int32_t i = j / is.width, k = j % is.width, place = i * is.y_stride + k;
            const opn_real product = x.at[i * is.x_stride] * w.at[k];
            const opn_real want = active.at[place] > 0 ? product * (opn_real)1.6 : 0;
            assert_true(y.at[place] == want);
        }
        free(x.data);
        free(w.data);
        free(active.data);
        free(y.data);
    }
}

static void a_mask_keeps_what_its_bits_say_times_a_factor(void **state)
{
    (void)state;
    enum { MOST = 136, BITS = MOST + 128 };
    static const size_t n_all[] = {8, 16, 24, MOST};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 21, bits[BITS / 64 + 1];
    opn_real from[MOST], to[MOST + 1];
    for (int round = 0; round < 4 * 2 * 8 * n_tables; round++) {
        const size_t n = n_all[round / (16 * n_tables)];
        const int64_t first = 8 * (round / (2 * n_tables) % 8);
        const bool has_bits = round / n_tables % 2 == 0;
        for (int w = 0; w <= BITS / 64; w++)
            bits[w] = draw_word(&random);
        draw_rows(&random, 1, MOST, MOST, -1.0, 1.0, from);
        to[n] = untouched;
        table[round % n_tables]->mask(n, from, has_bits ? bits : NULL, first,
                                      (opn_real)1.25, to);
        for (size_t j = 0; j < n; j++)
            assert_true(to[j] == (!has_bits || bit_of(bits, first + (opn_off)j)
                                          ? (opn_real)1.25 * from[j]
                                          : 0));
        assert_true(to[n] == untouched);
    }
}

// ---- binary products -----------------------------------------------------------------

static void lookup_adds_up_the_rows_whose_bit_is_set(void **state)
{
    (void)state;
    static const int32_t n_rows[] = {0, 1, 2, ROWS};
    static double want[ROWS * OPN_SLICE];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 13;
    for (int round = 0; round < 64 * 4 * 4 * n_tables; round++) {
        const int32_t n_bits = 1 + round / (16 * n_tables);
        const int32_t n = n_rows[round / (4 * n_tables) % 4];
        const int32_t width = round / (2 * n_tables) % 2 == 0 ? 8 : 16;
        const bool adds = round / n_tables % 2 == 0;
        const int32_t stride = n_bits % 2 == 0 ? width : 64;
        const slice x = new_drawn_slice(&random, n_bits, width, stride);
        const slice y = new_slice(n + 1, width, stride);
        uint64_t *map = new_items((size_t)n, sizeof(*map));
        for (int32_t i = 0; i < n; i++)
            map[i] = draw_word(&random); // also bits from n_bits on
        for (int32_t i = 0; i < n && adds; i++)
            draw_rows(&random, 1, width, width, -1.0, 1.0, y.at + i * stride);
        for (int32_t j = 0; j < n * width; j++) {
            want[j] = adds ? (double)y.at[j / width * stride + j % width] : 0.0;
            for (int32_t b = 0; b < n_bits; b++)
                if (bit_of(map + j / width, b))
                    want[j] += (double)x.at[b * stride + j % width];
        }
        table[round % n_tables]->lookup(n, map, n_bits, width, in_of(x), adds, out_of(y));
        expect_slice(y, 0, n, want, 20.0);
        free(x.data);
        free(y.data);
        free(map);
    }
}

static void an_infinite_row_reaches_only_the_rows_that_have_its_bit(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 14;
    for (int round = 0; round < 64 * 2 * n_tables; round++) {
        const int32_t bad = round / (2 * n_tables);
        const int32_t width = round / n_tables % 2 == 0 ? 8 : 16;
        const slice x = new_drawn_slice(&random, 64, width, width);
        const slice y = new_slice(ROWS, width, width);
        uint64_t map[ROWS];
        for (int32_t i = 0; i < ROWS; i++)
            map[i] = draw_word(&random) ^ (uint64_t)(i % 2) << bad;
        for (int32_t k = 0; k < width; k++)
            x.at[bad * width + k] = (opn_real)INFINITY;
        table[round % n_tables]->lookup(ROWS, map, 64, width, in_of(x), false, out_of(y));
        for (int32_t j = 0; j < ROWS * width; j++)
            assert_true(isfinite((double)y.at[j]) != bit_of(map + j / width, bad));
        free(x.data);
        free(y.data);
    }
}

// ---- dense products ------------------------------------------------------------------

static void matmul_is_the_dense_product_on_every_slice(void **state)
{
    (void)state;
    static const int32_t n_inners[] = {0, 1, 2, 8, 15, 16, INNER};
    static double want[ROWS * OPN_SLICE];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 15;
    for (int round = 0; round < N_SHAPES * 7 * 10 * 4 * n_tables; round++) {
        const shape is = shapes[round / (280 * n_tables)];
        const int32_t n_inner = n_inners[round / (40 * n_tables) % 7];
        const int32_t at_most = 1 + round / (4 * n_tables) % 10;
        const int32_t n_rows = at_most == 10 ? ROWS : at_most;
        const bool has_active = round / 2 % 2 == 0;
        const opn_k_table *kernels = table[round / 4 % n_tables];
        // Not a column more than is used, as rows of 24 end.
        const slice x = new_drawn_slice(&random, n_rows, n_inner, 24);
        const slice w = new_drawn_slice(&random, n_inner, is.width, is.x_stride);
        const slice active = new_drawn_slice(&random, n_rows, is.width, is.y_stride);
        const slice y = new_slice(n_rows + 1, is.width, is.y_stride);
        for (int32_t i = 0; i < n_rows; i++)
            draw_rows(&random, 1, is.width, is.width, -1.0, 1.0, y.at + i * is.y_stride);
        for (int32_t j = 0; j < n_rows * is.width; j++) {
            const int32_t i = j / is.width, k = j % is.width, place = i * is.y_stride + k;
            want[j] = 0.0;
            for (int32_t h = 0; h < n_inner; h++)
                want[j] +=
                        (double)x.at[i * x.stride + h] * (double)w.at[h * w.stride + k];
            if (has_active)
                want[j] *= active.at[place] > 0 ? (double)(opn_real)1.6 : 0.0;
        }
        kernels->matmul(0, n_rows / 2, n_inner, is.width, in_of(x), in_of(w), out_of(y),
                        has_active ? active.at : NULL, (opn_real)1.6);
        kernels->matmul(n_rows / 2, n_rows, n_inner, is.width, in_of(x), in_of(w),
                        out_of(y), has_active ? active.at : NULL, (opn_real)1.6);
        expect_slice(y, 0, n_rows, want, 5.0);
        free(x.data);
        free(w.data);
        free(active.data);
        free(y.data);
    }
}

static void matmul_tn_is_the_dense_product_on_every_slice(void **state)
{
    (void)state;
    static double want[OPN_SLICE * OPN_SLICE];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 3;
    for (int round = 0; round < N_SHAPES * OPN_SLICE * 2 * n_tables; round++) {
        const shape is = shapes[round / (OPN_SLICE * 2 * n_tables)];
        const int32_t n_outer = 1 + round / (2 * n_tables) % OPN_SLICE;
        const int32_t x_width = opn_i_width(n_outer);
        const int32_t first = n_outer % 3, last = n_outer == 5 ? first : ROWS - first;
        const slice x = new_drawn_slice(&random, ROWS - first, x_width,
                                        round % 2 == 0 ? x_width : 72);
        const slice g = new_drawn_slice(&random, ROWS - first, is.width, is.x_stride);
        const slice sum = new_slice(n_outer + 1, is.width, is.y_stride);
        for (int32_t j = 0; j < n_outer * is.width; j++) {
            want[j] = 0.0;
            for (int32_t i = first; i < last; i++)
                want[j] += (double)x.at[i * x.stride + j / is.width] *
                           (double)g.at[i * g.stride + j % is.width];
        }
        table[round / 2 % n_tables]->matmul_tn(first, last, n_outer, is.width, in_of(x),
                                               in_of(g), false, out_of(sum));
        expect_slice(sum, 0, n_outer, want, 5.0);
        table[round / 2 % n_tables]->matmul_tn(first, last, n_outer, is.width, in_of(x),
                                               in_of(g), true, out_of(sum));
        for (int32_t j = 0; j < n_outer * is.width; j++)
            want[j] *= 2.0;
        expect_slice(sum, 0, n_outer, want, 10.0);
        free(x.data);
        free(g.data);
        free(sum.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(count_counts_the_bits_before_every_word_and_every_place),
            cmocka_unit_test(spread_keeps_of_every_set_bit_what_its_own_bit_says),
            cmocka_unit_test(
                    transpose_makes_rows_columns_and_transposed_again_all_is_as_before),
            cmocka_unit_test(spmm_is_the_dense_product_finished_as_told_on_every_slice),
            cmocka_unit_test(the_base_of_a_sparse_product_may_be_where_the_result_goes),
            cmocka_unit_test(what_belongs_to_other_rows_does_not_leak_into_a_row),
            cmocka_unit_test(scatter_adds_every_row_to_those_its_entries_name),
            cmocka_unit_test(rectifying_keeps_what_is_positive_and_kept),
            cmocka_unit_test(an_active_product_is_the_slope_of_rectifying),
            cmocka_unit_test(a_mask_keeps_what_its_bits_say_times_a_factor),
            cmocka_unit_test(lookup_adds_up_the_rows_whose_bit_is_set),
            cmocka_unit_test(an_infinite_row_reaches_only_the_rows_that_have_its_bit),
            cmocka_unit_test(matmul_is_the_dense_product_on_every_slice),
            cmocka_unit_test(matmul_tn_is_the_dense_product_on_every_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
