// ndarray_test.c -- types, shapes, conversions and texts of borrowed NumPy arrays.

#include "arrays/ndarray.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_status set_type(const char *type, opn_i_ndarray *array)
{
    return opn_i_ndarray_set_type(ctx, "x.npy", type, strlen(type), array);
}

// An array of one dimension over `data`.
static opn_i_ndarray make(const char *type, const void *data, int64_t n_items)
{
    opn_i_ndarray array = {0};
    assert_int_equal(set_type(type, &array), OPN_OK);
    const size_t n_bytes = (size_t)n_items * (size_t)array.item_size;
    assert_int_equal(opn_i_ndarray_set_shape(ctx, "x.npy", &n_items, 1, n_bytes, &array),
                     OPN_OK);
    array.data = data;
    return array;
}

// ---- types ---------------------------------------------------------------------------

static void test_ndarray_knows_every_type_of_number_and_text(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        char kind;
        int32_t item_size;
        bool big_endian;
    } cases[] = {
            {"|b1", 'b', 1, false},
            {"|i1", 'i', 1, false},
            {"<i2", 'i', 2, false},
            {">i4", 'i', 4, true},
            {"=i8", 'i', 8, false},
            {"u1", 'u', 1, false},
            {">u2", 'u', 2, true},
            {"<u4", 'u', 4, false},
            {"<u8", 'u', 8, false},
            {"<f2", 'f', 2, false},
            {">f4", 'f', 4, true},
            {"f8", 'f', 8, false},
            {"|S12", 'S', 12, false},
            {"S", 'S', 0, false},
            {"<U3", 'U', 12, false},
            {">U0", 'U', 0, true},
            {"<U536870911", 'U', 2147483644, false},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_i_ndarray array = {0};
        assert_int_equal(set_type(cases[c].type, &array), OPN_OK);
        assert_int_equal(array.kind, cases[c].kind);
        assert_int_equal(array.item_size, cases[c].item_size);
        assert_int_equal(array.big_endian, cases[c].big_endian);
    }
}

static void test_ndarray_refuses_types_it_does_not_read_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *part;
    } cases[] = {
            {"|O", "x.npy: type |O holds Python objects"},
            {"<c16", "type <c16 holds complex numbers"},
            {"<M8[ns]", "dates or times"},
            {"<m8", "dates or times"},
            {"|V8", "records"},
            {"<f16", "long doubles"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_i_ndarray array = {0};
        assert_int_equal(set_type(cases[c].type, &array), OPN_ERR_UNSUPPORTED);
        support_expect_error(ctx, cases[c].part);
        assert_int_equal(array.kind, 0);
    }
}

static void test_ndarray_refuses_what_is_no_type(void **state)
{
    (void)state;
    static const char *const types[] = {
            "",     "<",    "i",    "<i3",          "f1",         "b2",          "<x4",
            "<f8x", "<i-4", "<<i4", "S99999999999", "U536870912", "S2147483648", "<f 8"};
    for (size_t c = 0; c < sizeof(types) / sizeof(types[0]); c++) {
        opn_i_ndarray array = {0};
        assert_int_equal(set_type(types[c], &array), OPN_ERR_FORMAT);
        support_expect_error(ctx, "is not a type");
    }
    opn_i_ndarray array = {0};
    assert_int_equal(set_type("<\x1b[2J", &array), OPN_ERR_FORMAT);
    support_expect_error(ctx, "holds byte 0x1b");
    assert_int_equal(opn_i_ndarray_set_type(ctx, "x.npy", "<f8\0", 4, &array),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "holds byte 0x00");
}

// ---- shapes --------------------------------------------------------------------------

static opn_status
set_shape(const char *type, const int64_t *shape, int n_dims, size_t n_bytes)
{
    opn_i_ndarray array = {0};
    assert_int_equal(set_type(type, &array), OPN_OK);
    return opn_i_ndarray_set_shape(ctx, "x.npy", shape, n_dims, n_bytes, &array);
}

static void test_ndarray_shape_must_fill_the_bytes_exactly(void **state)
{
    (void)state;
    const int64_t shape[] = {2, 3};
    assert_int_equal(set_shape("<f4", shape, 2, 24), OPN_OK);
    assert_int_equal(set_shape("<f4", shape, 0, 4), OPN_OK);
    assert_int_equal(set_shape("<f4", shape, 2, 23), OPN_ERR_FORMAT);
    support_expect_error(ctx,
                         "shape (2, 3) of 4-byte items needs 24 bytes, 23 are there");
    assert_int_equal(set_shape("<f4", shape, 1, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "shape (2,) of 4-byte items needs 8 bytes, 0 are there");
    assert_int_equal(set_shape("<f4", shape, 0, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "shape () ");
}

static void test_ndarray_shape_refuses_lies(void **state)
{
    (void)state;
    const int64_t huge[] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                            INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const int64_t wraps[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    const int64_t hidden[] = {0, INT64_C(1) << 62, 4};
    const int64_t negative[] = {4, -1};
    const int64_t many[] = {65537};
    assert_int_equal(set_shape("<f4", huge, 8, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "beyond any file");
    assert_int_equal(set_shape("|u1", wraps, 2, 0), OPN_ERR_FORMAT);
    assert_int_equal(set_shape("|u1", hidden, 3, 0), OPN_ERR_FORMAT);
    assert_int_equal(set_shape("|u1", negative, 2, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "negative dimension in (4, -1)");
    assert_int_equal(set_shape("|S0", many, 1, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "items without a byte");
    assert_int_equal(set_shape("|u1", many, 9, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "9 dimensions; at most 8");
    assert_int_equal(set_shape("|u1", many, -1, 0), OPN_ERR_FORMAT);
}

// ---- numbers -------------------------------------------------------------------------

static void test_ndarray_converts_at_any_alignment(void **state)
{
    (void)state;
    unsigned char raw[1 + 3 * 4] = {0};
    const int32_t items[] = {-7, 0, 2147483647};
    memcpy(raw + 1, items, sizeof(items));
    const opn_i_ndarray array = make("<i4", raw + 1, 3);
    int64_t wide[3];
    int32_t same[3];
    double real[3];
    float single[3];
    assert_int_equal(opn_i_ndarray_to_i64(ctx, "x", &array, wide), OPN_OK);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, same), OPN_OK);
    assert_int_equal(opn_i_ndarray_to_f64(ctx, "x", &array, real), OPN_OK);
    assert_int_equal(opn_i_ndarray_to_f32(ctx, "x", &array, single), OPN_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(wide[i] == items[i]);
        assert_true(same[i] == items[i]);
        assert_true(real[i] == (double)items[i]);
        assert_true(single[i] == (float)items[i]);
    }
}

// Longer than a block and with a last dimension that does not divide it.
static void test_ndarray_reads_fortran_order_across_blocks(void **state)
{
    (void)state;
    enum { A = 7, B = 11, C = 37, N = A * B * C };
    static int16_t stored[N];
    static int64_t got[N];
    const int64_t shape[] = {A, B, C};
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++)
                stored[a + A * (b + B * c)] = (int16_t)((a * B + b) * C + c);
    opn_i_ndarray array = {.fortran_order = true};
    assert_int_equal(set_type("<i2", &array), OPN_OK);
    assert_int_equal(opn_i_ndarray_set_shape(ctx, "x", shape, 3, sizeof(stored), &array),
                     OPN_OK);
    array.data = (const unsigned char *)stored;
    assert_int_equal(opn_i_ndarray_to_i64(ctx, "x", &array, got), OPN_OK);
    for (int i = 0; i < N; i++)
        assert_true(got[i] == i);
}

static void test_ndarray_converts_halves_exactly(void **state)
{
    (void)state;
    const uint16_t bits[] = {0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x8001,
                             0x0400, 0x3555, 0x7c00, 0xfc00, 0x7e00, 0x8000};
    const double want[] = {0,
                           1,
                           -2,
                           65504,
                           0x1p-24,
                           -0x1p-24,
                           0x1p-14,
                           0x1.554p-2,
                           (double)INFINITY,
                           -(double)INFINITY};
    double got[12];
    const opn_i_ndarray array = make("<f2", bits, 12);
    assert_int_equal(opn_i_ndarray_to_f64(ctx, "x", &array, got), OPN_OK);
    for (int i = 0; i < 10; i++)
        assert_true(got[i] == want[i]);
    assert_true(isnan(got[10]));
    assert_true(got[11] == 0 && signbit(got[11]));
}

static void test_ndarray_takes_integers_from_floats_only_if_whole(void **state)
{
    (void)state;
    const double whole[] = {-3, 0, -9223372036854775808.0, 9007199254740993.0};
    const double bad[] = {2.5, 9223372036854775808.0, -1e300, (double)NAN,
                          (double)INFINITY};
    int64_t got[4];
    opn_i_ndarray array = make("<f8", whole, 4);
    assert_int_equal(opn_i_ndarray_to_i64(ctx, "x", &array, got), OPN_OK);
    assert_true(got[0] == -3 && got[1] == 0 && got[2] == INT64_MIN);
    for (int i = 0; i < 5; i++) {
        array = make("<f8", bad + i, 1);
        assert_int_equal(opn_i_ndarray_to_i64(ctx, "x", &array, got), OPN_ERR_FORMAT);
        support_expect_error(ctx, "not a 64-bit integer");
    }
    const double mixed[] = {1, 2, 2.5};
    array = make("<f8", mixed, 3);
    assert_int_equal(opn_i_ndarray_to_i64(ctx, "cora.npz: member x", &array, got),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "cora.npz: member x: item 2 is 2.5, not");
}

static void test_ndarray_refuses_numbers_that_do_not_fit(void **state)
{
    (void)state;
    const int64_t wide[] = {INT32_MAX, INT32_MIN, INT64_C(2147483648)};
    const uint64_t top[] = {UINT64_MAX};
    const double large[] = {-0x1.fffffep127, 0x1.ffffffp127};
    const double infinite[] = {(double)INFINITY, -(double)INFINITY};
    int32_t narrow[3];
    int64_t same[1];
    float single[2];
    opn_i_ndarray array = make("<i8", wide, 2);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, narrow), OPN_OK);
    assert_true(narrow[0] == INT32_MAX && narrow[1] == INT32_MIN);
    array = make("<i8", wide, 3);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, narrow), OPN_ERR_FORMAT);
    support_expect_error(ctx, "item 2 is 2147483648, beyond 32-bit integers");
    array = make("<u8", top, 1);
    assert_int_equal(opn_i_ndarray_to_i64(ctx, "x", &array, same), OPN_ERR_FORMAT);
    support_expect_error(ctx, "item 0 is 18446744073709551615, beyond 64-bit integers");
    array = make("<f8", large, 1);
    assert_int_equal(opn_i_ndarray_to_f32(ctx, "x", &array, single), OPN_OK);
    array = make("<f8", large, 2);
    assert_int_equal(opn_i_ndarray_to_f32(ctx, "x", &array, single), OPN_ERR_FORMAT);
    support_expect_error(ctx, "item 1 is 3.40282357e+38, beyond 32-bit floats");
    array = make("<f8", infinite, 2);
    assert_int_equal(opn_i_ndarray_to_f32(ctx, "x", &array, single), OPN_OK);
    assert_true(isinf(single[0]) && isinf(single[1]) && single[1] < 0);
}

static void test_ndarray_knows_ones_of_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *bytes; // of three items
        bool are_ones;
    } cases[] = {
            {"|b1", "\1\1\1", true},
            {"|u1", "\1\1\2", false},
            {"|i1", "\1\1\1", true},
            {"<i2", "\1\0\1\0\1\0", true},
            {">i2", "\0\1\0\1\0\1", true},
            {">u2", "\1\0\1\0\1\0", false},
            {"<f2", "\0\x3c\0\x3c\0\x3c", true},
            {"<f4", "\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f", true},
            {"<f4", "\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\xbf", false},
            {">f4", "\x3f\x80\0\0\x3f\x80\0\0\x3f\x80\0\0", true},
            {"<i4", "\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f", false},
            {"|S1", "\1\1\1", false},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_i_ndarray array = make(cases[c].type, cases[c].bytes, 3);
        if (opn_i_ndarray_is_ones(&array) != cases[c].are_ones)
            fail_msg("case %zu, %s", c, cases[c].type);
        array.n_items = 1;
        assert_true(opn_i_ndarray_is_ones(&array) || !cases[c].are_ones);
    }
    const opn_i_ndarray none = make("<f4", NULL, 0);
    assert_false(opn_i_ndarray_is_ones(&none));
}

static void test_ndarray_tells_text_from_numbers(void **state)
{
    (void)state;
    opn_i_ndarray array = make("|S4", "abcd", 1);
    int32_t number;
    char text[16];
    size_t n_chars;
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, &number), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x: holds text, not numbers");
    array = make("<i4", "abcd", 1);
    assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, 0, text, &n_chars),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "x: holds numbers, not text");
}

static void test_ndarray_of_nothing_converts_to_nothing(void **state)
{
    (void)state;
    const opn_i_ndarray native = make("<i4", NULL, 0);
    const opn_i_ndarray swapped = make(">i4", NULL, 0);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &native, NULL), OPN_OK);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &swapped, NULL), OPN_OK);
}

// ---- text ----------------------------------------------------------------------------

static void assert_text(const opn_i_ndarray *array, int64_t i, const char *want)
{
    char *text = malloc(opn_i_ndarray_text_room(array) + 1); // exact, for the sanitiser
    size_t n_chars = 99;
    assert_non_null(text);
    assert_int_equal(opn_i_ndarray_text(ctx, "x", array, i, text, &n_chars), OPN_OK);
    assert_int_equal(n_chars, strlen(want));
    assert_memory_equal(text, want, n_chars);
    free(text);
}

static void test_ndarray_bytes_are_utf8_or_else_latin_1(void **state)
{
    (void)state;
    static const char items[] = "abcd"
                                "\xc3\xa9\0\0"
                                "\xe9\0\0\0"
                                "\xff\xff\xff\xff"
                                "\xed\xa0\x80\0"
                                "\xc0\x80\0\0"
                                "\xf4\x90\x80\x80"
                                "\xf4\x8f\xbf\xbf"
                                "\0\0\0\0";
    const opn_i_ndarray array = make("|S4", items, 9);
    assert_text(&array, 0, "abcd");
    assert_text(&array, 1, "é");
    assert_text(&array, 2, "é");
    assert_text(&array, 3, "ÿÿÿÿ");
    assert_text(&array, 4, "\xc3\xad\xc2\xa0\xc2\x80"); // a surrogate is not UTF-8
    assert_text(&array, 5, "\xc3\x80\xc2\x80");         // nor is a longer form
    assert_text(&array, 6, "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"); // nor U+110000
    assert_text(&array, 7, "\xf4\x8f\xbf\xbf");
    assert_text(&array, 8, "");
}

static void test_ndarray_text_refuses_what_is_no_character(void **state)
{
    (void)state;
    const uint32_t items[] = {0xd800, 0x110000, 0xffffffff};
    char text[16];
    size_t n_chars;
    for (int i = 0; i < 3; i++) {
        const opn_i_ndarray array = make("<U1", items + i, 1);
        assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, 0, text, &n_chars),
                         OPN_ERR_FORMAT);
        support_expect_error(ctx, "which is not a Unicode character");
    }
    const uint32_t holes[] = {'a', 0, 'b'};
    opn_i_ndarray array = make("<U3", holes, 1);
    assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, 0, text, &n_chars),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "item 0 holds a NUL inside its text");
    array = make("|S3", "a\0b", 1);
    assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, 0, text, &n_chars),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "a NUL inside");
}

static void test_ndarray_text_of_no_bytes_is_empty(void **state)
{
    (void)state;
    const opn_i_ndarray array = make("|S0", NULL, 3);
    assert_text(&array, 2, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(test_ndarray_knows_every_type_of_number_and_text),
            WITH_CTX(test_ndarray_refuses_types_it_does_not_read_by_name),
            WITH_CTX(test_ndarray_refuses_what_is_no_type),
            WITH_CTX(test_ndarray_shape_must_fill_the_bytes_exactly),
            WITH_CTX(test_ndarray_shape_refuses_lies),
            WITH_CTX(test_ndarray_converts_at_any_alignment),
            WITH_CTX(test_ndarray_reads_fortran_order_across_blocks),
            WITH_CTX(test_ndarray_converts_halves_exactly),
            WITH_CTX(test_ndarray_takes_integers_from_floats_only_if_whole),
            WITH_CTX(test_ndarray_refuses_numbers_that_do_not_fit),
            WITH_CTX(test_ndarray_knows_ones_of_every_type),
            WITH_CTX(test_ndarray_tells_text_from_numbers),
            WITH_CTX(test_ndarray_of_nothing_converts_to_nothing),
            WITH_CTX(test_ndarray_bytes_are_utf8_or_else_latin_1),
            WITH_CTX(test_ndarray_text_refuses_what_is_no_character),
            WITH_CTX(test_ndarray_text_of_no_bytes_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
