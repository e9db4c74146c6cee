// zip_archive_test.c -- zip archives as NumPy writes them, and broken or hostile ones.

#include "arrays/npz.h"
#include "golden/npy_samples.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// The status of opening the archive and reading every member.
static opn_status read_all(opn_ctx *on, const unsigned char *data, size_t n_bytes)
{
    opn_i_zip *zip = NULL;
    opn_status status = opn_i_zip_open(on, "x.npz", data, n_bytes, &zip);
    for (int i = 0; status == OPN_OK && i < opn_i_zip_n_members(zip); i++) {
        opn_i_bytes bytes = {0};
        status = opn_i_zip_read(on, zip, opn_i_zip_member_name(zip, i), &bytes);
        opn_i_bytes_release(on, &bytes);
    }
    opn_i_zip_close(zip);
    return status;
}

static const npy_sample stored = {"stored", npy_npz_stored, sizeof(npy_npz_stored)};
static const npy_sample deflated = {"deflated", npy_npz_deflated,
                                    sizeof(npy_npz_deflated)};

static void put_le(unsigned char *to, int n_bytes, uint64_t value)
{
    for (int c = 0; c < n_bytes; c++)
        to[c] = (unsigned char)(value >> (8 * c));
}

// A sample, with `value` in a field of the first member's central header.
enum {
    CENTRAL_FLAGS = 8,
    CENTRAL_METHOD = 10,
    CENTRAL_CRC = 16,
    CENTRAL_PACKED = 20,
    CENTRAL_SIZE = 24
};

static opn_status
read_sample(const npy_sample *sample, int field, int n_bytes, uint32_t value)
{
    unsigned char *file = support_copy(sample->data, sample->n_bytes);
    size_t at = 0;
    while (memcmp(file + at, "PK\1\2", 4) != 0)
        at++;
    put_le(file + at + field, n_bytes, value);
    const opn_status status = read_all(ctx, file, sample->n_bytes);
    support_copy_free(file);
    return status;
}

static opn_status read_patched(int field, int n_bytes, uint32_t value)
{
    return read_sample(&deflated, field, n_bytes, value);
}

// ---- reading -------------------------------------------------------------------------

static void test_zip_reads_stored_and_deflated_members(void **state)
{
    (void)state;
    const npy_sample samples[] = {stored, deflated};
    for (int c = 0; c < 2; c++) {
        opn_i_zip *zip = NULL;
        opn_i_bytes owner = {0};
        opn_i_ndarray array;
        int32_t got[5];
        char text[8];
        size_t n_chars;
        assert_int_equal(
                opn_i_zip_open(ctx, "x.npz", samples[c].data, samples[c].n_bytes, &zip),
                OPN_OK);
        assert_int_equal(opn_i_zip_n_members(zip), 2);
        assert_string_equal(opn_i_zip_member_name(zip, 0), "counts.npy");
        assert_true(opn_i_zip_has(zip, "names.npy"));
        assert_false(opn_i_zip_has(zip, "names"));
        assert_true(opn_i_npz_has(zip, "names"));
        assert_int_equal(opn_i_npz_read(ctx, zip, "counts", &owner, &array), OPN_OK);
        assert_int_equal(owner.data[owner.n], 0);
        assert_int_equal(opn_i_ndarray_to_i32(ctx, "x", &array, got), OPN_OK);
        for (int i = 0; i < 5; i++)
            assert_int_equal(got[i], i);
        opn_i_bytes_release(ctx, &owner);
        assert_int_equal(opn_i_npz_read(ctx, zip, "names", &owner, &array), OPN_OK);
        assert_int_equal(opn_i_ndarray_text(ctx, "x", &array, 1, text, &n_chars), OPN_OK);
        assert_int_equal(n_chars, 2);
        assert_memory_equal(text, "yz", 2);
        opn_i_bytes_release(ctx, &owner);
        opn_i_zip_close(zip);
    }
}

static void test_zip_without_members_is_empty(void **state)
{
    (void)state;
    assert_int_equal(read_all(ctx, npy_zip_empty, sizeof(npy_zip_empty)), OPN_OK);
}

static void test_zip_says_which_member_is_missing(void **state)
{
    (void)state;
    opn_i_zip *zip = NULL;
    opn_i_bytes bytes = {0};
    opn_i_ndarray array;
    char what[OPN_ZIP_WHAT_ROOM];
    assert_int_equal(
            opn_i_zip_open(ctx, "x.npz", npy_npz_stored, sizeof(npy_npz_stored), &zip),
            OPN_OK);
    assert_int_equal(opn_i_zip_read(ctx, zip, "adj.npy", &bytes), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: has no member adj.npy");
    assert_int_equal(opn_i_npz_read(ctx, zip, "adj", &bytes, &array), OPN_ERR_FORMAT);
    assert_null(bytes.data);
    assert_string_equal(opn_i_npz_what(zip, "adj", what), "x.npz: member adj.npy");
    opn_i_zip_close(zip);
}

static void test_npz_says_which_member_is_no_array(void **state)
{
    (void)state;
    opn_i_zip *zip = NULL;
    opn_i_bytes bytes = {0};
    opn_i_ndarray array;
    assert_int_equal(opn_i_zip_open(ctx, "x.npz", npy_zip_no_array,
                                    sizeof(npy_zip_no_array), &zip),
                     OPN_OK);
    assert_int_equal(opn_i_npz_read(ctx, zip, "a", &bytes, &array), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member a.npy: is not an npy file");
    assert_null(bytes.data);
    opn_i_zip_close(zip);
}

// ---- refusals ------------------------------------------------------------------------

static void test_zip_refuses_what_is_no_archive(void **state)
{
    (void)state;
    static const unsigned char text[] = "node,label\n0,1\n1,0\n2,1\n3,1\n";
    assert_int_equal(read_all(ctx, text, sizeof(text)), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: is not a zip archive, or its end is missing");
    assert_int_equal(read_all(ctx, text, 0), OPN_ERR_FORMAT);
    assert_int_equal(read_all(ctx, npy_npz_stored, sizeof(npy_npz_stored) - 30),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "its end is missing");
}

static void test_zip_refuses_two_members_of_one_name(void **state)
{
    (void)state;
    assert_int_equal(read_all(ctx, npy_zip_twice, sizeof(npy_zip_twice)), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: two members are named a");
}

static void test_zip_refuses_control_characters_in_names(void **state)
{
    (void)state;
    assert_int_equal(read_all(ctx, npy_zip_control, sizeof(npy_zip_control)),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: the name of member 0 holds control character 0x0a");
}

static void test_zip_refuses_encryption(void **state)
{
    (void)state;
    assert_int_equal(read_patched(CENTRAL_FLAGS, 2, 1), OPN_ERR_UNSUPPORTED);
    support_expect_error(ctx, "x.npz: member counts.npy: is encrypted");
}

static void test_zip_refuses_other_compressions(void **state)
{
    (void)state;
    assert_int_equal(read_all(ctx, npy_zip_bzip2, sizeof(npy_zip_bzip2)),
                     OPN_ERR_UNSUPPORTED);
    support_expect_error(
            ctx, "x.npz: member a: compression method 12; stored (0) and deflated (8)");
    assert_int_equal(read_patched(CENTRAL_METHOD, 2, 93), OPN_ERR_UNSUPPORTED);
    support_expect_error(ctx,
                         "x.npz: member counts.npy: compression method 93; stored (0)");
}

static void test_zip_refuses_sizes_that_lie_without_asking_for_memory(void **state)
{
    (void)state;
    const meter *m = ctx->alloc.user;
    assert_int_equal(read_patched(CENTRAL_SIZE, 4, 0x7fffffff), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: claims to unpack from ");
    assert_int_equal(read_patched(CENTRAL_PACKED, 4, 0x7fffffff), OPN_ERR_FORMAT);
    support_expect_error(ctx, "packed bytes in an archive of ");
    assert_true(m->largest < 16384);
}

static void test_zip_compares_the_declared_size_with_the_content(void **state)
{
    (void)state;
    assert_int_equal(read_patched(CENTRAL_SIZE, 4, 149), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: unpacks to 148 bytes, but the "
                              "archive says 149");
    assert_int_equal(read_patched(CENTRAL_SIZE, 4, 147), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: unpacks to more than the 147 "
                              "bytes the archive says");
    assert_int_equal(read_patched(CENTRAL_SIZE, 4, 0), OPN_ERR_FORMAT);
    // libzip 1.11 gives no bytes of a member that is said to be empty, 1.7 all of them.
    support_expect_error(ctx, "x.npz: member counts.npy: ");
    assert_int_equal(read_sample(&stored, CENTRAL_SIZE, 4, 147), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: unpacks to 148 bytes, but the "
                              "archive says 147");
    assert_int_equal(read_sample(&stored, CENTRAL_PACKED, 4, 147), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: claims to unpack from 147 to "
                              "148 bytes");
}

static void test_zip_sees_that_packed_data_end_early(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 8; n++) {
        assert_int_equal(read_patched(CENTRAL_PACKED, 4, n), OPN_ERR_FORMAT);
        support_expect_error(ctx, "x.npz: member counts.npy: the compressed data are "
                                  "broken or end early");
    }
    assert_int_equal(read_patched(CENTRAL_PACKED, 4, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: claims to unpack from 0 to 148");
}

// ---- ZIP64 ---------------------------------------------------------------------------

// One stored member "a" of four bytes whose sizes are in the extra field of ZIP64, as
// they are where 32 bits would not do, with these sizes in the directory. Returns the
// length.
enum { ZIP64_ROOM = 256 };

static size_t make_zip64(uint64_t size, uint64_t n_packed, unsigned char out[ZIP64_ROOM])
{
    const uint32_t crc = 0xed82cd11; // of the content
    static const unsigned char content[4] = {'a', 'b', 'c', 'd'};
    enum { LOCAL = 30 + 1 + 20, CENTRAL = 46 + 1 + 20 };
    memset(out, 0, ZIP64_ROOM);
    unsigned char *local = out;
    unsigned char *central = out + LOCAL + sizeof(content);
    unsigned char *end = central + CENTRAL;
    memcpy(local, "PK\3\4", 4);
    memcpy(central, "PK\1\2", 4);
    memcpy(end, "PK\5\6", 4);
    memcpy(local + LOCAL, content, sizeof(content));
    const struct {
        unsigned char *fields; // checksum, sizes and lengths
        unsigned char *name;
        uint64_t size;
        uint64_t n_packed;
    } headers[] = {{local + 14, local + 30, 4, 4},
                   {central + 16, central + 46, size, n_packed}};
    for (int h = 0; h < 2; h++) {
        unsigned char *extra = headers[h].name + 1;
        put_le(headers[h].fields, 4, crc);
        put_le(headers[h].fields + 4, 8, UINT64_MAX);
        put_le(headers[h].fields + 12, 2, 1);
        put_le(headers[h].fields + 14, 2, 20);
        headers[h].name[0] = 'a';
        put_le(extra, 2, 1);
        put_le(extra + 2, 2, 16);
        put_le(extra + 4, 8, headers[h].size);
        put_le(extra + 12, 8, headers[h].n_packed);
    }
    put_le(local + 4, 2, 45); // version that reads ZIP64
    put_le(central + 6, 2, 45);
    put_le(end + 8, 2, 1);
    put_le(end + 10, 2, 1);
    put_le(end + 12, 4, CENTRAL);
    put_le(end + 16, 4, LOCAL + sizeof(content));
    return (size_t)(end - out) + 22;
}

static void test_zip_reads_sizes_of_64_bits(void **state)
{
    (void)state;
    unsigned char file[ZIP64_ROOM];
    opn_i_zip *zip = NULL;
    opn_i_bytes bytes = {0};
    const size_t n = make_zip64(4, 4, file);
    assert_int_equal(opn_i_zip_open(ctx, "x.npz", file, n, &zip), OPN_OK);
    assert_int_equal(opn_i_zip_read(ctx, zip, "a", &bytes), OPN_OK);
    assert_int_equal(bytes.n, 4);
    assert_memory_equal(bytes.data, "abcd", 5);
    opn_i_bytes_release(ctx, &bytes);
    opn_i_zip_close(zip);
}

static void test_zip_refuses_sizes_of_64_bits_that_lie(void **state)
{
    (void)state;
    static const struct {
        uint64_t size;
        uint64_t n_packed;
        const char *part;
    } cases[] = {
            {(uint64_t)1 << 40, 4, "a: claims to unpack from 4 to 1099511627776 bytes"},
            {4, (uint64_t)1 << 40, "a: claims 1099511627776 packed bytes in an archive"},
            {INT64_MAX, INT64_MAX, "packed bytes in an archive of "},
            {3, 4, "a: unpacks to 4 bytes, but the archive says 3"},
            {5, 4, "a: claims to unpack from 4 to 5 bytes"},
    };
    const meter *m = ctx->alloc.user;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        unsigned char file[ZIP64_ROOM];
        const size_t n = make_zip64(cases[c].size, cases[c].n_packed, file);
        assert_int_equal(read_all(ctx, file, n), OPN_ERR_FORMAT);
        support_expect_error(ctx, cases[c].part);
    }
    assert_true(m->largest < 16384);
}

// ---- counts --------------------------------------------------------------------------

static void test_zip_refuses_a_count_of_members_that_lies(void **state)
{
    (void)state;
    assert_int_equal(read_all(ctx, npy_zip_many_members, sizeof(npy_zip_many_members)),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx,
                         "x.npz: the directory and the members of the archive disagree");
}

// A directory of n empty members, and its end, n_ends times.
static size_t make_directory(unsigned n_members, int n_ends, unsigned char *out)
{
    enum { ENTRY = 50 };
    size_t n = 0;
    for (unsigned i = 0; i < n_members; i++, n += ENTRY) {
        unsigned char *entry = out + n;
        memset(entry, 0, ENTRY);
        memcpy(entry, "PK\1\2", 4);
        entry[28] = 4; // length of the name
        for (int c = 0; c < 4; c++)
            entry[46 + c] = (unsigned char)('a' + (i >> (4 * c)) % 16);
    }
    const size_t n_directory = n;
    for (int e = 0; e < n_ends; e++, n += 22) {
        unsigned char *end = out + n;
        memset(end, 0, 22);
        memcpy(end, "PK\5\6", 4);
        end[8] = end[10] = (unsigned char)n_members;
        end[9] = end[11] = (unsigned char)(n_members >> 8);
        for (int c = 0; c < 4; c++)
            end[12 + c] = (unsigned char)(n_directory >> (8 * c));
    }
    return n;
}

static void test_zip_refuses_too_many_members_and_ends(void **state)
{
    (void)state;
    unsigned char *file = malloc(50 * 4097 + 22 * 9);
    opn_i_zip *zip = NULL;
    assert_non_null(file);
    size_t n = make_directory(4096, 1, file);
    assert_int_equal(opn_i_zip_open(ctx, "x.npz", file, n, &zip), OPN_OK);
    assert_int_equal(opn_i_zip_n_members(zip), 4096);
    opn_i_zip_close(zip);
    n = make_directory(4097, 1, file);
    assert_int_equal(read_all(ctx, file, n), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: 4097 members; at most 4096 are read");
    n = make_directory(1, 9, file);
    assert_int_equal(read_all(ctx, file, n), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: 9 ends of a zip archive; expected one");
    free(file);
}

// ---- sharing -------------------------------------------------------------------------

// Members that are all the same stored bytes: one local header, and n entries of the
// directory that point to it. Returns the length.
enum { N_SHARED = 1000, SHARED_ROOM = 30 + 1 + N_SHARED + 8 * 47 + 22 };

static size_t make_shared(unsigned n_members, unsigned char out[SHARED_ROOM])
{
    enum { LOCAL = 30 + 1, CENTRAL = 46 + 1 };
    memset(out, 0, SHARED_ROOM);
    const uint32_t crc = libdeflate_crc32(0, out + LOCAL, N_SHARED);
    unsigned char *end = out + LOCAL + N_SHARED + (size_t)n_members * CENTRAL;
    memcpy(out, "PK\3\4", 4);
    for (unsigned h = 0; h <= n_members; h++) {
        unsigned char *header = h == 0 ? out : end - (size_t)h * CENTRAL;
        unsigned char *fields = header + (h == 0 ? 14 : 16);
        if (h > 0)
            memcpy(header, "PK\1\2", 4);
        put_le(fields, 4, crc);
        put_le(fields + 4, 4, N_SHARED);
        put_le(fields + 8, 4, N_SHARED);
        put_le(fields + 12, 2, 1);
        header[h == 0 ? 30 : 46] = (unsigned char)('a' + h);
    }
    memcpy(end, "PK\5\6", 4);
    put_le(end + 8, 2, n_members);
    put_le(end + 10, 2, n_members);
    put_le(end + 12, 4, (uint64_t)n_members * CENTRAL);
    put_le(end + 16, 4, LOCAL + N_SHARED);
    return (size_t)(end - out) + 22;
}

static void test_zip_refuses_members_that_share_their_bytes(void **state)
{
    (void)state;
    unsigned char file[SHARED_ROOM];
    assert_int_equal(read_all(ctx, file, make_shared(1, file)), OPN_OK);
    for (unsigned n_members = 2; n_members <= 8; n_members++) {
        assert_int_equal(read_all(ctx, file, make_shared(n_members, file)),
                         OPN_ERR_FORMAT);
        support_expect_error(ctx, "x.npz: members that share their bytes: together they "
                                  "claim more than the ");
    }
}

static void test_zip_inside_of_gzip_is_refused(void **state)
{
    (void)state;
    unsigned char file[SHARED_ROOM];
    opn_i_bytes bytes = {.data = file, .n = make_shared(1, file)};
    opn_i_zip *zip = NULL;
    assert_int_equal(opn_i_zip_open_file(ctx, "x.npz", &bytes, &zip), OPN_OK);
    opn_i_zip_close(zip);
    zip = NULL;
    bytes.n_packed = 100;
    assert_int_equal(opn_i_zip_open_file(ctx, "x.npz", &bytes, &zip), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: is packed by gzip, and a zip archive is packed "
                              "already; unpack it first");
    assert_null(zip);
}

// ---- damage --------------------------------------------------------------------------

static void test_zip_sees_damaged_content(void **state)
{
    (void)state;
    unsigned char file[sizeof(npy_npz_stored)];
    memcpy(file, npy_npz_stored, sizeof(file));
    size_t at = 0;
    while (memcmp(file + at, "\x93NUMPY", 6) != 0)
        at++;
    file[at + 6] ^= 1;
    assert_int_equal(read_all(ctx, file, sizeof(file)), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: the checksum is wrong");
    assert_int_equal(read_sample(&stored, CENTRAL_CRC, 4, 0x12345678), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: the checksum is wrong");
    assert_int_equal(read_patched(CENTRAL_CRC, 4, 0x12345678), OPN_ERR_FORMAT);
    support_expect_error(ctx, "x.npz: member counts.npy: the checksum is wrong");
}

static void test_zip_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(npy_npz_deflated); n++) {
        unsigned char *cut = support_copy(npy_npz_deflated, n);
        assert_int_not_equal(read_all(ctx, cut, n), OPN_OK);
        support_copy_free(cut);
    }
}

static void test_zip_survives_any_flipped_bit(void **state)
{
    (void)state;
    const npy_sample samples[] = {stored, deflated};
    const meter *m = ctx->alloc.user;
    for (int c = 0; c < 2; c++) {
        unsigned char *flipped = support_copy(samples[c].data, samples[c].n_bytes);
        for (size_t bit = 0; bit < 8 * samples[c].n_bytes; bit++) {
            support_flip_bit(flipped, bit);
            const opn_status status = read_all(ctx, flipped, samples[c].n_bytes);
            assert_int_not_equal(status, OPN_ERR_NOMEM);
            support_flip_bit(flipped, bit);
        }
        support_copy_free(flipped);
    }
    assert_true(m->largest < (size_t)1 << 20);
}

enum { N_BEFORE_MEMBERS = 5 }; // allocations: ctx, zip, name, list, sorted list

static int count_rounds_until_memory_suffices(const npy_sample *sample)
{
    int n_rounds = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {.fail_at = fail_at};
        const opn_alloc hooks = meter_hooks(&m);
        opn_ctx *poor = NULL;
        opn_status status = opn_ctx_create(&hooks, &poor);
        if (status == OPN_OK)
            status = read_all(poor, sample->data, sample->n_bytes);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        if (status == OPN_ERR_NOMEM && fail_at > N_BEFORE_MEMBERS) // which may be huge
            support_expect_error(poor, "x.npz: member ");
        opn_ctx_free(poor);
        assert_int_equal(m.n_live, 0);
        n_rounds++;
        if (status == OPN_OK)
            return n_rounds;
    }
}

static void test_zip_survives_any_allocation_failure(void **state)
{
    (void)state;
    // two members; ok
    assert_int_equal(count_rounds_until_memory_suffices(&stored), N_BEFORE_MEMBERS + 3);
    // of each member the packed bytes too
    assert_int_equal(count_rounds_until_memory_suffices(&deflated), N_BEFORE_MEMBERS + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(test_zip_reads_stored_and_deflated_members),
            WITH_CTX(test_zip_without_members_is_empty),
            WITH_CTX(test_zip_says_which_member_is_missing),
            WITH_CTX(test_npz_says_which_member_is_no_array),
            WITH_CTX(test_zip_refuses_what_is_no_archive),
            WITH_CTX(test_zip_refuses_two_members_of_one_name),
            WITH_CTX(test_zip_refuses_control_characters_in_names),
            WITH_CTX(test_zip_refuses_encryption),
            WITH_CTX(test_zip_refuses_other_compressions),
            WITH_CTX(test_zip_refuses_sizes_that_lie_without_asking_for_memory),
            WITH_CTX(test_zip_compares_the_declared_size_with_the_content),
            WITH_CTX(test_zip_sees_that_packed_data_end_early),
            WITH_CTX(test_zip_reads_sizes_of_64_bits),
            WITH_CTX(test_zip_refuses_sizes_of_64_bits_that_lie),
            WITH_CTX(test_zip_refuses_a_count_of_members_that_lies),
            WITH_CTX(test_zip_refuses_too_many_members_and_ends),
            WITH_CTX(test_zip_refuses_members_that_share_their_bytes),
            WITH_CTX(test_zip_inside_of_gzip_is_refused),
            WITH_CTX(test_zip_sees_damaged_content),
            WITH_CTX(test_zip_cut_anywhere_is_refused),
            WITH_CTX(test_zip_survives_any_flipped_bit),
            WITH_CTX(test_zip_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
