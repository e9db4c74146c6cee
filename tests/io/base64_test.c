// base64_test.c -- bytes as text of the usual 64 characters.

#include "io/base64.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

// The text of n bytes, as it stands in a file, to be freed.
static char *encode(const unsigned char *bytes, size_t n, size_t *n_text)
{
    stage *s = support_open_stage("text");
    opn_i_file_writer *file = NULL;
    unsigned char *copy = support_copy(bytes, n);
    assert_int_equal(opn_i_file_writer_open(s->ctx, s->path, &file), OPN_OK);
    opn_i_base64_put(file, copy, n);
    assert_int_equal(opn_i_file_writer_commit(file), OPN_OK);
    char *text = support_read_file(s->path, n_text);
    support_copy_free(copy);
    support_close_stage(s);
    return text;
}

static unsigned char *draw_bytes(size_t n)
{
    uint64_t state = n;
    unsigned char *bytes = malloc(n + 1);
    assert_non_null(bytes);
    for (size_t j = 0; j < n; j++)
        bytes[j] = (unsigned char)below(&state, 256);
    return bytes;
}

static void expect_round_trip(const unsigned char *bytes, size_t n)
{
    size_t n_text = 0;
    size_t n_back = 0;
    char *text = encode(bytes, n, &n_text);
    assert_int_equal(n_text, (n + 2) / 3 * 4);
    unsigned char *back = base64_decode(text, n_text, &n_back);
    assert_int_equal(n_back, n);
    if (n > 0)
        assert_memory_equal(back, bytes, n);
    free(back);
    free(text);
}

static void texts_are_those_of_rfc_4648(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"},
                                             {"\xfb\xff\xbf", "+/+/"},
                                             {"\xff", "/w=="}};
    for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
        size_t n_text = 0;
        char *text = encode((const unsigned char *)vectors[v][0], strlen(vectors[v][0]),
                            &n_text);
        assert_string_equal(text, vectors[v][1]);
        free(text);
    }
}

// Each of the 64 characters, at each of the four places of a group.
static void every_six_bits_have_their_character(void **state)
{
    (void)state;
    static const char digits[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (unsigned place = 0; place < 4; place++) {
        for (unsigned d = 0; d < 64; d++) {
            const uint32_t group = (uint32_t)d << (18 - 6 * place);
            const unsigned char bytes[3] = {(unsigned char)(group >> 16),
                                            (unsigned char)(group >> 8),
                                            (unsigned char)group};
            char want[5] = "AAAA";
            size_t n_text = 0;
            want[place] = digits[d];
            char *text = encode(bytes, 3, &n_text);
            assert_string_equal(text, want);
            free(text);
        }
    }
}

static void bytes_of_any_number_come_back(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 100; n++) {
        unsigned char *bytes = draw_bytes(n);
        expect_round_trip(bytes, n);
        free(bytes);
    }
}

// Text is put together in pieces of 4096 characters, 3072 bytes.
static void bytes_of_several_pieces_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {3069, 3070, 3071, 3072, 3073, 3074,  3075,
                                   6143, 6144, 6145, 9215, 9217, 100000};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        unsigned char *bytes = draw_bytes(sizes[s]);
        expect_round_trip(bytes, sizes[s]);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(texts_are_those_of_rfc_4648),
            cmocka_unit_test(every_six_bits_have_their_character),
            cmocka_unit_test(bytes_of_any_number_come_back),
            cmocka_unit_test(bytes_of_several_pieces_come_back),
    };
    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
