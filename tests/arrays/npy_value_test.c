// npy_value_test.c -- npy files that hold Python objects.

#include "arrays/npy_value.h"
#include "golden/pickle_samples.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// The pickle behind the header of an array of objects.
static opn_i_bytes as_npy(const void *pickle, size_t n_bytes)
{
    static const char header[] = "\x93NUMPY\1\0\x36\0"
                                 "{'descr': '|O', 'fortran_order': False, 'shape': (), }";
    const size_t n_header = sizeof(header) - 1;
    opn_i_bytes bytes = {.n = n_header + n_bytes};
    bytes.data = opn_i_calloc(&ctx->alloc, bytes.n + 1, 1);
    assert_non_null(bytes.data);
    memcpy(bytes.data, header, n_header);
    if (n_bytes > 0)
        memcpy(bytes.data + n_header, pickle, n_bytes);
    return bytes;
}

static opn_i_npy_value read_value(const void *pickle, size_t n_bytes)
{
    opn_i_npy_value value = {0};
    opn_i_bytes bytes = as_npy(pickle, n_bytes);
    if (opn_i_npy_value_read(ctx, "a.npy", &bytes, &value) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_null(bytes.data);
    return value;
}

static void expect_refused(const void *pickle, size_t n_bytes, const char *part)
{
    opn_i_npy_value value = {0};
    opn_i_bytes bytes = as_npy(pickle, n_bytes);
    assert_int_not_equal(opn_i_npy_value_read(ctx, "a.npy", &bytes, &value), OPN_OK);
    assert_null(value.bytes.data);
    support_expect_error(ctx, "a.npy: ");
    support_expect_error(ctx, part);
}

static void test_texts_and_numbers_are_read_as_text(void **state)
{
    (void)state;
    static const char *const wanted[] = {"a\xc3\xa9",     "", "3",
                                         "x\xe2\x82\xac", "", "2.5"};
    opn_i_npy_value value = read_value(mixed_p3, sizeof(mixed_p3));
    char text[64];
    size_t room = 0;
    size_t n_chars = 0;
    assert_int_equal(value.n_dims, 2);
    assert_int_equal(value.shape[0], 2);
    assert_int_equal(opn_i_npy_value_n_items(&value), 6);
    assert_int_equal(opn_i_npy_value_text_room(ctx, "a.npy", &value, &room), OPN_OK);
    assert_true(room <= sizeof(text));
    for (int64_t i = 0; i < 6; i++) {
        assert_int_equal(opn_i_npy_value_text(ctx, "a.npy", &value, i, text, &n_chars),
                         OPN_OK);
        assert_string_equal(text, wanted[i]);
        assert_int_equal(n_chars, strlen(wanted[i]));
    }
    opn_i_npy_value_release(ctx, &value);
}

static void test_a_wrapped_matrix_is_unwrapped(void **state)
{
    (void)state;
    opn_i_npy_value value = read_value(wrapped_csr_p3, sizeof(wrapped_csr_p3));
    assert_non_null(value.sparse);
    assert_int_equal(value.sparse->layout, OPN_SPARSE_ROWS);
    assert_int_equal(value.n_dims, 2);
    assert_int_equal(value.shape[1], 3);
    opn_i_npy_value_release(ctx, &value);
}

static void test_a_wrapped_list_and_a_wrapped_array_are_unwrapped(void **state)
{
    (void)state;
    char text[8];
    size_t n_chars = 0;
    opn_i_npy_value value = read_value(wrapped_list_p3, sizeof(wrapped_list_p3));
    assert_int_equal(value.n_dims, 1);
    assert_int_equal(value.shape[0], 2);
    assert_int_equal(opn_i_npy_value_text(ctx, "a.npy", &value, 0, text, &n_chars),
                     OPN_OK);
    assert_string_equal(text, "a");
    assert_int_equal(opn_i_npy_value_text(ctx, "a.npy", &value, 1, text, &n_chars),
                     OPN_OK);
    assert_string_equal(text, "7");
    opn_i_npy_value_release(ctx, &value);

    value = read_value(wrapped_array_p3, sizeof(wrapped_array_p3));
    assert_null(value.objects);
    assert_int_equal(value.n_dims, 2);
    assert_int_equal(value.shape[0], 2);
    assert_int_equal(value.shape[1], 3);
    assert_int_equal(opn_i_npy_value_n_items(&value), 6);
    opn_i_npy_value_release(ctx, &value);
}

static void test_other_objects_are_refused(void **state)
{
    (void)state;
    expect_refused("", 0, "ends before its pickle does");
    expect_refused("N.", 2, "holds None; expected an array of Python objects");
    expect_refused(csr_p2, sizeof(csr_p2), "holds a sparse matrix; expected an array");
    expect_refused(system_p0, sizeof(system_p0), "os.system is refused");
}

// A list that grows after the array was made of it: no Python program writes that.
static void test_a_list_longer_than_its_array_is_refused(void **state)
{
    (void)state;
    static const char grown[] = "\x80\2cnumpy.core.multiarray\n_reconstruct\n"
                                "cnumpy\nndarray\nK\0\x85U\1b\x87R"
                                "(K\1K\1\x85"
                                "cnumpy\ndtype\nU\2O8K\0K\1\x87R"
                                "\x89]q\1Natb"
                                "h\1Na0.";
    expect_refused(grown, sizeof(grown) - 1, "2 objects for 1 places");
}

// An array of 100 times the same text of a million characters.
static opn_i_npy_value read_repeated(size_t n_packed)
{
    enum { N_CHARS = 1000000, N_TIMES = 100 };
    static const char head[] = "\x80\2cnumpy.core.multiarray\n_reconstruct\n"
                               "cnumpy\nndarray\nK\0\x85U\1b\x87R"
                               "(K\1K\x64\x85"
                               "cnumpy\ndtype\nU\2O8K\0K\1\x87R"
                               "\x89](T\x40\x42\x0f\0";
    char *pickle = malloc(sizeof(head) + N_CHARS + 2 * N_TIMES + 8);
    size_t n = sizeof(head) - 1;
    opn_i_npy_value value = {0};
    assert_non_null(pickle);
    memcpy(pickle, head, n);
    memset(pickle + n, 'a', N_CHARS);
    n += N_CHARS;
    memcpy(pickle + n, "q\2", 2);
    n += 2;
    for (int i = 1; i < N_TIMES; i++, n += 2)
        memcpy(pickle + n, "h\2", 2);
    memcpy(pickle + n, "etb.", 4);
    opn_i_bytes bytes = as_npy(pickle, n + 4);
    free(pickle);
    bytes.n_packed = n_packed;
    if (opn_i_npy_value_read(ctx, "a.npy", &bytes, &value) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_int_equal(opn_i_npy_value_n_items(&value), N_TIMES);
    return value;
}

static void test_texts_used_again_count_from_the_bytes_of_the_file(void **state)
{
    (void)state;
    size_t room = 0;
    opn_i_npy_value value = read_repeated(0);
    assert_int_equal(opn_i_npy_value_text_room(ctx, "a.npy", &value, &room), OPN_OK);
    opn_i_npy_value_release(ctx, &value);
    value = read_repeated(1000); // a million characters that are all the same pack well
    assert_int_equal(opn_i_npy_value_text_room(ctx, "a.npy", &value, &room),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "a.npy: the same long texts are used over and over");
    opn_i_npy_value_release(ctx, &value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(test_texts_and_numbers_are_read_as_text),
            WITH_CTX(test_a_wrapped_matrix_is_unwrapped),
            WITH_CTX(test_a_wrapped_list_and_a_wrapped_array_are_unwrapped),
            WITH_CTX(test_other_objects_are_refused),
            WITH_CTX(test_a_list_longer_than_its_array_is_refused),
            WITH_CTX(test_texts_used_again_count_from_the_bytes_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
