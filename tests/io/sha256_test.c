// sha256_test.c -- SHA-256 against the examples of FIPS 180-2.

#include "io/base64.h"
#include "io/sha256.h"
#include "io/sha256_plain.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

// The same of what builds without libcrypto use.
static void expect_plain_hash(const void *data, size_t n, size_t n_step, const char *want)
{
    opn_i_sha256_state state;
    unsigned char digest[OPN_SHA256_BYTES];
    char text[OPN_SHA256_TEXT];
    opn_i_sha256_plain_start(&state);
    for (size_t at = 0; at < n; at += n_step)
        opn_i_sha256_plain_add(&state, (const char *)data + at,
                               n - at < n_step ? n - at : n_step);
    opn_i_sha256_plain_finish(&state, digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, want);
}

static void expect_hash(const void *data, size_t n, size_t n_step, const char *want)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_sha256 *hash = NULL;
    char text[OPN_SHA256_TEXT];
    memset(text, '?', sizeof(text));
    assert_int_equal(opn_i_sha256_start(ctx, &hash), OPN_OK);
    for (size_t at = 0; at < n; at += n_step)
        opn_i_sha256_add(hash, (const char *)data + at,
                         n - at < n_step ? n - at : n_step);
    assert_int_equal(opn_i_sha256_finish(hash, text), OPN_OK);
    assert_string_equal(text, want);
    support_ctx_free(ctx, &m);
    expect_plain_hash(data, n, n_step, want);
}

static void test_sha256_gives_the_published_answers(void **state)
{
    (void)state;
    static const char two_blocks[] =
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static char million[1000000];
    memset(million, 'a', sizeof(million));
    expect_hash("", 0, 1,
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", 3, 3,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash(two_blocks, 56, 56,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_hash(million, sizeof(million), sizeof(million),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_sha256_does_not_depend_on_the_pieces(void **state)
{
    (void)state;
    static const char two_blocks[] =
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t n_step = 1; n_step <= 56; n_step++)
        expect_hash(two_blocks, 56, n_step,
                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_sha256_takes_an_empty_piece_from_nowhere(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_sha256 *hash = NULL;
    char text[OPN_SHA256_TEXT];
    assert_int_equal(opn_i_sha256_start(ctx, &hash), OPN_OK);
    opn_i_sha256_add(hash, NULL, 0);
    assert_int_equal(opn_i_sha256_finish(hash, text), OPN_OK);
    assert_string_equal(
            text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    opn_ctx_free(ctx);
}

static void test_sha256_may_be_given_up(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_sha256 *hash = NULL;
    assert_int_equal(opn_i_sha256_start(ctx, &hash), OPN_OK);
    opn_i_sha256_add(hash, "abc", 3);
    opn_i_sha256_discard(hash);
    opn_i_sha256_discard(NULL);
    support_ctx_free(ctx, &m);
}

static void test_sha256_survives_exhaustion(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_sha256 *hash = NULL;
    m.fail_at = m.n_requests + 1;
    assert_int_equal(opn_i_sha256_start(ctx, &hash), OPN_ERR_NOMEM);
    assert_null(hash);
    support_ctx_free(ctx, &m);
}

static void test_both_sources_agree_at_every_length_of_the_last_block(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    unsigned char bytes[200];
    for (size_t n = 0; n < sizeof(bytes); n++) {
        opn_i_sha256 *hash = NULL;
        char text[OPN_SHA256_TEXT];
        bytes[n] = (unsigned char)(n * 7 + 1);
        assert_int_equal(opn_i_sha256_start(ctx, &hash), OPN_OK);
        opn_i_sha256_add(hash, bytes, n);
        assert_int_equal(opn_i_sha256_finish(hash, text), OPN_OK);
        expect_plain_hash(bytes, n, 13, text);
    }
    support_ctx_free(ctx, NULL);
}

static void test_base64_gives_the_examples_of_its_standard(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xfe\xfd", "//79"}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char text[16] = "";
        const size_t n = opn_i_base64((const unsigned char *)cases[c][0],
                                      strlen(cases[c][0]), text);
        assert_int_equal(n, strlen(cases[c][1]));
        assert_string_equal(text, cases[c][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_both_sources_agree_at_every_length_of_the_last_block),
            cmocka_unit_test(test_base64_gives_the_examples_of_its_standard),
            cmocka_unit_test(test_sha256_gives_the_published_answers),
            cmocka_unit_test(test_sha256_does_not_depend_on_the_pieces),
            cmocka_unit_test(test_sha256_takes_an_empty_piece_from_nowhere),
            cmocka_unit_test(test_sha256_may_be_given_up),
            cmocka_unit_test(test_sha256_survives_exhaustion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
