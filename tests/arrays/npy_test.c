// npy_test.c -- .npy files as NumPy writes them, and broken ones.

#include "arrays/npy.h"
#include "golden/npy_samples.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// What a caller does with an array, whatever is in it; true when it could be read.
static bool use(opn_ctx *on, const unsigned char *data, size_t n_bytes)
{
    opn_i_ndarray array;
    if (opn_i_npy_read(on, "x.npy", data, n_bytes, &array) != OPN_OK)
        return false;
    double *real = malloc((size_t)array.n_items * sizeof(*real) + 1);
    char *text = malloc(opn_i_ndarray_text_room(&array) + 1);
    size_t n_chars;
    assert_true(real != NULL && text != NULL);
    opn_status status = opn_i_ndarray_to_f64(on, "x.npy", &array, real);
    for (int64_t i = 0; i < array.n_items; i++)
        status = opn_i_ndarray_text(on, "x.npy", &array, i, text, &n_chars);
    (void)status;
    free(real);
    free(text);
    return true;
}

// ---- reading -------------------------------------------------------------------------

static void test_npy_reads_every_number_type_order_and_version(void **state)
{
    (void)state;
    static const int32_t want[] = {0, 1, 2, 3, 100, 127};
    for (size_t c = 0; c < sizeof(npy_numbers) / sizeof(npy_numbers[0]); c++) {
        const npy_sample *sample = &npy_numbers[c];
        opn_i_ndarray array;
        int64_t i64[6];
        int32_t i32[6];
        double f64[6];
        float f32[6];
        if (opn_i_npy_read(ctx, sample->name, sample->data, sample->n_bytes, &array) !=
            OPN_OK)
            fail_msg("%s", opn_ctx_error(ctx));
        assert_int_equal(array.n_dims, 2);
        assert_true(array.shape[0] == 2 && array.shape[1] == 3);
        assert_int_equal(opn_i_ndarray_to_i64(ctx, "x", &array, i64), OPN_OK);
        assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, i32), OPN_OK);
        assert_int_equal(opn_i_ndarray_to_f64(ctx, "x", &array, f64), OPN_OK);
        assert_int_equal(opn_i_ndarray_to_f32(ctx, "x", &array, f32), OPN_OK);
        for (int i = 0; i < 6; i++)
            if (i64[i] != want[i] || i32[i] != want[i] || f64[i] != want[i] ||
                f32[i] != (float)want[i])
                fail_msg("%s: item %d", sample->name, i);
    }
}

static void test_npy_reads_booleans_scalars_and_empty_arrays(void **state)
{
    (void)state;
    opn_i_ndarray array;
    int32_t got[3];
    assert_int_equal(opn_i_npy_read(ctx, "x", npy_bool, sizeof(npy_bool), &array),
                     OPN_OK);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, got), OPN_OK);
    assert_true(got[0] == 1 && got[1] == 0 && got[2] == 1);
    assert_int_equal(opn_i_npy_read(ctx, "x", npy_scalar, sizeof(npy_scalar), &array),
                     OPN_OK);
    assert_int_equal(array.n_dims, 0);
    assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, got), OPN_OK);
    assert_int_equal(got[0], 7);
    assert_int_equal(opn_i_npy_read(ctx, "x", npy_empty, sizeof(npy_empty), &array),
                     OPN_OK);
    assert_true(array.n_items == 0 && array.shape[1] == 4);
}

static void test_npy_reads_three_dimensions_in_both_orders(void **state)
{
    (void)state;
    const npy_sample cubes[] = {{"c", npy_cube_c, sizeof(npy_cube_c)},
                                {"fortran", npy_cube_fortran, sizeof(npy_cube_fortran)}};
    for (int c = 0; c < 2; c++) {
        opn_i_ndarray array;
        int32_t got[24];
        assert_int_equal(
                opn_i_npy_read(ctx, "x", cubes[c].data, cubes[c].n_bytes, &array),
                OPN_OK);
        assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, got), OPN_OK);
        for (int i = 0; i < 24; i++)
            assert_int_equal(got[i], i);
    }
}

static void assert_texts(const unsigned char *data,
                         size_t n_bytes,
                         const char *const *want,
                         int64_t n_texts)
{
    opn_i_ndarray array;
    char text[64];
    size_t n_chars;
    assert_int_equal(opn_i_npy_read(ctx, "x", data, n_bytes, &array), OPN_OK);
    assert_true(array.n_items == n_texts);
    assert_true(opn_i_ndarray_text_room(&array) <= sizeof(text));
    for (int64_t i = 0; i < n_texts; i++) {
        assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, i, text, &n_chars), OPN_OK);
        assert_int_equal(n_chars, strlen(want[i]));
        assert_memory_equal(text, want[i], n_chars);
    }
}

static void test_npy_reads_text_in_both_byte_orders(void **state)
{
    (void)state;
    static const char *const want[] = {"a", "ünï", "", "日本", "😀", "z"};
    static const char *const bytes[] = {"abc", "é", "ét", ""};
    assert_texts(npy_text_little, sizeof(npy_text_little), want, 6);
    assert_texts(npy_text_big, sizeof(npy_text_big), want, 6);
    assert_texts(npy_text_fortran, sizeof(npy_text_fortran), want, 6);
    assert_texts(npy_bytes, sizeof(npy_bytes), bytes, 4);
}

static void test_npy_refuses_what_is_neither_number_nor_text(void **state)
{
    (void)state;
    const struct {
        const unsigned char *data;
        size_t n_bytes;
        const char *part;
    } cases[] = {
            {npy_complex, sizeof(npy_complex), "x.npy: type <c8 holds complex numbers"},
            {npy_long_double, sizeof(npy_long_double), "long doubles"},
            {npy_date, sizeof(npy_date), "dates or times"},
            {npy_record, sizeof(npy_record), "x.npy: holds records; only arrays of"},
            {npy_object, sizeof(npy_object), "Python objects"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_i_ndarray array;
        assert_int_equal(
                opn_i_npy_read(ctx, "x.npy", cases[c].data, cases[c].n_bytes, &array),
                OPN_ERR_UNSUPPORTED);
        support_expect_error(ctx, cases[c].part);
    }
}

// A version 1.0 file of that header, with four bytes of items.
static opn_status read_header(const char *text)
{
    unsigned char file[512] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const size_t n = strlen(text);
    opn_i_ndarray array;
    assert_true(n < sizeof(file) - 14);
    file[8] = (unsigned char)n;
    file[9] = (unsigned char)(n >> 8);
    memcpy(file + 10, text, n);
    return opn_i_npy_read(ctx, "x.npy", file, n + 14, &array);
}

static void test_npy_header_is_read_as_python_would(void **state)
{
    (void)state;
    static const char *const headers[] = {
            "{'descr':'<i4','fortran_order':False,'shape':(1,)}",
            "{ \"shape\" : ( 1 , ) , 'fortran_order' : True, 'descr': '<i4' , } \n",
            "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 2L), }",
            "\t{'descr': '<i4', 'fortran_order': False, 'shape': ()}\r\n",
            "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2,)}",
            "{'descr': '|S1', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 2, 2)}",
    };
    for (size_t c = 0; c < sizeof(headers) / sizeof(headers[0]); c++)
        if (read_header(headers[c]) != OPN_OK)
            fail_msg("%s: %s", headers[c], opn_ctx_error(ctx));
}

static void test_npy_broken_headers_say_where(void **state)
{
    (void)state;
#define START "{'descr': '<i4', 'fortran_order': False, "
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
            {"", "x.npy: npy header, byte 0: '{' expected"},
            {"{", "byte 1: a quoted text expected"},
            {"{}", "npy header has no 'descr'"},
            {"{'descr': '<i4'}", "has no 'fortran_order'"},
            {"{'descr': '<i4', 'fortran_order': True}", "has no 'shape'"},
            {"{'descr' '<i4'}", "byte 9: ':' expected"},
            {"{'descr: 3}", "a text that ends expected"},
            {"{descr: 3}", "byte 1: a quoted text expected"},
            {"{'descr': 3}", "byte 10: a quoted text expected"},
            {"{'descr': '<i4', 'descr': '<i4'}", "byte 17: 'descr', 'fortran_order' and"},
            {"{'colour': 3}", "byte 1: 'descr', 'fortran_order' and 'shape', each once,"},
            {"{'fortran_order': 1}", "byte 18: True or False expected"},
            {START "'shape': 1}", "a shape such as (3, 4) expected"},
            {START "'shape': (1)}", "',' in a shape of one dimension expected"},
            {START "'shape': (1 1)}", "',' or ')' expected"},
            {START "'shape': (-1,)}", "a dimension expected"},
            {START "'shape': (,)}", "a dimension expected"},
            {START "'shape': (1,,)}", "a dimension expected"},
            {START "'shape': (9223372036854775808,)}", "a dimension below 2^63"},
            {START "'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8 dimensions"},
            {START "'shape': (1,) 3}", "',' or '}' expected"},
            {START "'shape': (1,)} 3", "nothing but spaces after '}'"},
            {START "'shape': (2,)}", "needs 8 bytes, 4 are there"},
            {START "'shape': (9223372036854775807, 2)}", "beyond any file"},
    };
#undef START
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        if (read_header(cases[c].text) != OPN_ERR_FORMAT)
            fail_msg("%s", cases[c].text);
        support_expect_error(ctx, cases[c].part);
    }
}

static void test_npy_refuses_other_files_and_versions(void **state)
{
    (void)state;
    unsigned char file[sizeof(npy_scalar)];
    opn_i_ndarray array;
    memcpy(file, npy_scalar, sizeof(file));
    file[6] = 4;
    assert_int_equal(opn_i_npy_read(ctx, "x.npy", file, sizeof(file), &array),
                     OPN_ERR_UNSUPPORTED);
    support_expect_error(ctx,
                         "x.npy: npy version 4.0; versions 1.0, 2.0 and 3.0 are read");
    file[0] = 'P';
    assert_int_equal(opn_i_npy_read(ctx, "x.npy", file, sizeof(file), &array),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npy: is not an npy file");
    memcpy(file, npy_scalar, sizeof(file));
    file[8] = file[9] = 0xff;
    assert_int_equal(opn_i_npy_read(ctx, "x.npy", file, sizeof(file), &array),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "npy header of 65535 bytes, 126 are there");
    memcpy(file, npy_scalar, sizeof(file));
    file[6] = 2;
    assert_int_equal(opn_i_npy_read(ctx, "x.npy", file, 11, &array), OPN_ERR_FORMAT);
    support_expect_error(ctx, "ends inside its npy header");
}

static void test_npy_cut_anywhere_is_refused(void **state)
{
    (void)state;
    const npy_sample samples[] = {
            {"f4", npy_number_f4_big_fortran, sizeof(npy_number_f4_big_fortran)},
            {"text", npy_text_little, sizeof(npy_text_little)},
            {"version 3", npy_number_version_3, sizeof(npy_number_version_3)}};
    for (int c = 0; c < 3; c++)
        for (size_t n = 0; n < samples[c].n_bytes; n++) {
            unsigned char *cut = support_copy(samples[c].data, n);
            assert_false(use(ctx, cut, n));
            support_copy_free(cut);
        }
}

static void test_npy_survives_any_flipped_bit(void **state)
{
    (void)state;
    const npy_sample samples[] = {
            {"f2", npy_number_f2_big_fortran, sizeof(npy_number_f2_big_fortran)},
            {"text", npy_text_fortran, sizeof(npy_text_fortran)},
            {"python 2", npy_number_python_2, sizeof(npy_number_python_2)}};
    for (int c = 0; c < 3; c++) {
        unsigned char *flipped = support_copy(samples[c].data, samples[c].n_bytes);
        for (size_t bit = 0; bit < 8 * samples[c].n_bytes; bit++) {
            support_flip_bit(flipped, bit);
            (void)use(ctx, flipped, samples[c].n_bytes);
            support_flip_bit(flipped, bit);
        }
        support_copy_free(flipped);
    }
}

// ---- writing -------------------------------------------------------------------------

// Our header for the array of a NumPy file is NumPy's, byte by byte.
static void test_npy_header_is_written_as_numpy_does(void **state)
{
    (void)state;
    const npy_sample samples[] = {
            {"f4", npy_number_f4_little_c, sizeof(npy_number_f4_little_c)},
            {"i1", npy_number_i1_little_c, sizeof(npy_number_i1_little_c)},
            {"f8", npy_number_f8_big_fortran, sizeof(npy_number_f8_big_fortran)},
            {"scalar", npy_scalar, sizeof(npy_scalar)},
            {"bool", npy_bool, sizeof(npy_bool)},
            {"text", npy_text_little, sizeof(npy_text_little)},
            {"bytes", npy_bytes, sizeof(npy_bytes)}};
    for (int c = 0; c < 7; c++) {
        opn_i_ndarray array;
        unsigned char header[OPN_NPY_HEADER_ROOM];
        assert_int_equal(
                opn_i_npy_read(ctx, "x", samples[c].data, samples[c].n_bytes, &array),
                OPN_OK);
        const size_t n = opn_i_npy_header(&array, header);
        assert_ptr_equal(samples[c].data + n, array.data);
        assert_memory_equal(header, samples[c].data, n);
    }
}

static void test_npy_longest_header_fits(void **state)
{
    (void)state;
    unsigned char header[OPN_NPY_HEADER_ROOM];
    opn_i_ndarray array = {.kind = 'S', .item_size = INT32_MAX, .n_dims = 8};
    for (int d = 0; d < 8; d++)
        array.shape[d] = INT64_MAX;
    const size_t n = opn_i_npy_header(&array, header);
    assert_int_equal(n, 256);
    assert_int_equal(header[n - 1], '\n');
    assert_non_null(memchr(header, '}', n));
}

static void test_npy_text_comes_back(void **state)
{
    (void)state;
    static const char *const text[] = {"", "a", "日本", "😀😀😀", "é", "z"};
    const int64_t shape[] = {2, 3};
    opn_i_bytes owner = {0};
    opn_i_ndarray array;
    assert_int_equal(opn_i_npy_text(ctx, "x", text, shape, 2, &owner, &array), OPN_OK);
    assert_int_equal(array.item_size, 12);
    assert_true(array.n_items == 6);
    for (int64_t i = 0; i < 6; i++) {
        char got[12];
        size_t n_chars;
        assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, i, got, &n_chars), OPN_OK);
        assert_int_equal(n_chars, strlen(text[i]));
        assert_memory_equal(got, text[i], n_chars);
    }
    opn_i_bytes_release(ctx, &owner);
}

static void test_npy_text_must_be_utf8(void **state)
{
    (void)state;
    static const char *const text[] = {"fine", "ab\xc3"};
    const int64_t n = 2;
    opn_i_bytes owner = {0};
    opn_i_ndarray array;
    assert_int_equal(opn_i_npy_text(ctx, "x", text, &n, 1, &owner, &array),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "x: text 1: byte 2 is not UTF-8");
    assert_null(owner.data);
}

static void test_npy_reading_needs_no_memory_and_text_says_when_it_has_none(void **state)
{
    (void)state;
    static const char *const text[] = {"a"};
    const int64_t n = 1;
    meter *m = ctx->alloc.user;
    m->fail_at = m->n_requests + 1;
    opn_i_bytes owner = {0};
    opn_i_ndarray array;
    assert_true(use(ctx, npy_text_little, sizeof(npy_text_little)));
    assert_int_equal(opn_i_npy_text(ctx, "x", text, &n, 1, &owner, &array),
                     OPN_ERR_NOMEM);
    assert_null(owner.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(test_npy_reads_every_number_type_order_and_version),
            WITH_CTX(test_npy_reads_booleans_scalars_and_empty_arrays),
            WITH_CTX(test_npy_reads_three_dimensions_in_both_orders),
            WITH_CTX(test_npy_reads_text_in_both_byte_orders),
            WITH_CTX(test_npy_refuses_what_is_neither_number_nor_text),
            WITH_CTX(test_npy_header_is_read_as_python_would),
            WITH_CTX(test_npy_broken_headers_say_where),
            WITH_CTX(test_npy_refuses_other_files_and_versions),
            WITH_CTX(test_npy_cut_anywhere_is_refused),
            WITH_CTX(test_npy_survives_any_flipped_bit),
            WITH_CTX(test_npy_header_is_written_as_numpy_does),
            WITH_CTX(test_npy_longest_header_fits),
            WITH_CTX(test_npy_text_comes_back),
            WITH_CTX(test_npy_text_must_be_utf8),
            WITH_CTX(test_npy_reading_needs_no_memory_and_text_says_when_it_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
