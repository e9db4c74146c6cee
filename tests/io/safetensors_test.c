// safetensors_test.c -- reading and writing tensors, and refusing what is no such file.

#include "golden/safetensors_samples.h"
#include "io/bytes.h"
#include "io/safetensors.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Jansson's memory is metered too; its hooks take no user pointer.
static meter json_meter;

static void *json_alloc(size_t n_bytes)
{
    return meter_hooks(&json_meter).alloc(&json_meter, n_bytes);
}

static void json_release(void *ptr)
{
    if (ptr != NULL)
        meter_hooks(&json_meter).release(&json_meter, ptr);
}

// Opens a copy of exactly these bytes and closes it.
static opn_status try_open(opn_ctx *ctx, const unsigned char *data, size_t n_bytes)
{
    unsigned char *copy = support_copy(data, n_bytes);
    opn_i_safetensors *file = NULL;
    const opn_status status =
            opn_i_safetensors_open(ctx, "m.safetensors", copy, n_bytes, &file);
    assert_int_equal(status == OPN_OK, file != NULL);
    opn_i_safetensors_free(file);
    support_copy_free(copy);
    return status;
}

// Puts a file together from a header and n_data zero bytes.
static size_t assemble(const char *header, size_t n_data, unsigned char *out)
{
    const size_t n_header = strlen(header);
    for (size_t b = 0; b < 8; b++)
        out[b] = (unsigned char)((uint64_t)n_header >> (8 * b));
    memcpy(out + 8, header, n_header);
    memset(out + 8 + n_header, 0, n_data);
    return 8 + n_header + n_data;
}

static void
expect_error(const char *header, size_t n_data, opn_status code, const char *want)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    unsigned char data[2048];
    const size_t n_bytes = assemble(header, n_data, data);
    assert_int_equal(try_open(ctx, data, n_bytes), code);
    support_expect_error(ctx, want);
    support_ctx_free(ctx, &m);
}

static void expect_opens(const char *header, size_t n_data)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    unsigned char data[2048];
    const size_t n_bytes = assemble(header, n_data, data);
    if (try_open(ctx, data, n_bytes) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    support_ctx_free(ctx, &m);
}

// ---- reading -------------------------------------------------------------------------

static const float sample_w0[6] = {0.0f, 1.0f, -2.5f, 3.40282347e38f, 1e-45f, 0.1f};
static const int64_t sample_ids[2] = {-1, INT64_C(1) << 40};
static const unsigned char sample_flag[3] = {1, 0, 1};
static const int32_t sample_labels[2] = {INT32_MIN, 2708};
static const uint16_t sample_scalar = 65535;

static opn_i_safetensors *open_sample(opn_ctx *ctx)
{
    opn_i_safetensors *file = NULL;
    assert_int_equal(opn_i_safetensors_open(ctx, "m.safetensors", safetensors_sample,
                                            sizeof(safetensors_sample), &file),
                     OPN_OK);
    return file;
}

static void test_safetensors_reads_the_golden_sample(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_safetensors *file = open_sample(ctx);
    assert_int_equal(opn_i_safetensors_n_tensors(file), 6);

    const opn_i_tensor_view *w0 = opn_i_safetensors_find(file, "w0");
    float values[6];
    assert_non_null(w0);
    assert_int_equal(w0->n_dims, 2);
    assert_int_equal(w0->shape[0], 2);
    assert_int_equal(w0->shape[1], 3);
    assert_int_equal(opn_i_tensor_to_f32(ctx, "m.safetensors", w0, values), OPN_OK);
    assert_memory_equal(values, sample_w0, sizeof(sample_w0));

    int64_t ids[2];
    assert_int_equal(
            opn_i_tensor_to_i64(ctx, "m", opn_i_safetensors_find(file, "ids"), ids),
            OPN_OK);
    assert_memory_equal(ids, sample_ids, sizeof(ids));
    int32_t labels[2]; // at an odd address in the file
    assert_int_equal(
            opn_i_tensor_to_i32(ctx, "m", opn_i_safetensors_find(file, "labels"), labels),
            OPN_OK);
    assert_memory_equal(labels, sample_labels, sizeof(labels));

    const opn_i_tensor_view *scalar = opn_i_safetensors_find(file, "scalar");
    assert_int_equal(scalar->n_dims, 0);
    assert_int_equal(scalar->n_items, 1);
    assert_int_equal(scalar->type, OPN_TENSOR_U16);
    assert_int_equal(opn_i_safetensors_find(file, "empty")->n_items, 0);
    assert_null(opn_i_safetensors_find(file, "w1"));
    assert_null(opn_i_safetensors_find(file, "__metadata__"));
    opn_i_safetensors_free(file);
    support_ctx_free(ctx, &m);
}

static void test_safetensors_lists_names_and_keys_sorted(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_safetensors *file = open_sample(ctx);
    static const char *const names[] = {"empty", "flag", "ids", "labels", "scalar", "w0"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(opn_i_safetensors_tensor(file, i)->name, names[i]);
    static const char *const keys[] = {"model", "seed", "t\xC3\xADtle"};
    static const char *const values[] = {"s-bgcn-t-k", "7", "a \"b\"\n\\"};
    assert_int_equal(opn_i_safetensors_n_metadata(file), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(opn_i_safetensors_key(file, i), keys[i]);
        assert_string_equal(opn_i_safetensors_value(file, i), values[i]);
        assert_string_equal(opn_i_safetensors_metadata(file, keys[i]), values[i]);
    }
    assert_null(opn_i_safetensors_metadata(file, "absent"));
    opn_i_safetensors_free(file);
    support_ctx_free(ctx, &m);
}

static void test_safetensors_converts_from_the_very_type_only(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_safetensors *file = open_sample(ctx);
    float values[6] = {0};
    int32_t small[6] = {0};
    int64_t wide[6] = {0};
    const opn_i_tensor_view *ids = opn_i_safetensors_find(file, "ids");
    const opn_i_tensor_view *w0 = opn_i_safetensors_find(file, "w0");
    assert_int_equal(opn_i_tensor_to_f32(ctx, "m.safetensors", ids, values),
                     OPN_ERR_FORMAT);
    assert_string_equal(opn_ctx_error(ctx),
                        "m.safetensors: tensor \"ids\": dtype is I64, should be F32");
    assert_int_equal(opn_i_tensor_to_i32(ctx, "m", ids, small), OPN_ERR_FORMAT);
    assert_int_equal(opn_i_tensor_to_i64(ctx, "m", w0, wide), OPN_ERR_FORMAT);
    opn_i_safetensors_free(file);
    support_ctx_free(ctx, &m);
}

static void test_safetensors_knows_every_dtype_and_its_size(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                 {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U64", 8},  {"U32", 4},
                 {"U16", 2}, {"U8", 1},  {"BOOL", 1}};
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        char header[256];
        const size_t n_data = 3 * types[t].size;
        sprintf(header,
                "{\"w\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}",
                types[t].name, n_data);
        expect_opens(header, n_data);
    }
}

static void test_safetensors_takes_empty_files_and_unknown_members(void **state)
{
    (void)state;
    expect_opens("{}", 0);
    expect_opens("{}      ", 0);
    expect_opens("{\"__metadata__\":{}}", 0);
    expect_opens("{\"w\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0);
    expect_opens("{\"w\":{\"dtype\":\"U8\",\"shape\":[2,1,1,1,1,1,1,1],"
                 "\"data_offsets\":[0,2],\"note\":\"x\"}}",
                 2);
    // Two empty tensors between two others, in no order.
    expect_opens("{\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[3,5]},"
                 "\"y\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[3,3]},"
                 "\"x\":{\"dtype\":\"F32\",\"shape\":[7,0],\"data_offsets\":[3,3]},"
                 "\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}",
                 5);
}

// Brackets inside texts, also behind escaped quotes, are no nesting.
static void test_safetensors_counts_brackets_outside_texts_only(void **state)
{
    (void)state;
    expect_opens("{\"__metadata__\":{\"a\":\"[[[[\\\"[[[[\",\"b\":\"\\\\\"}}", 0);
    expect_error("{\"a\":\"\\\\\",\"b\":[[[1]]]}", 0, OPN_ERR_FORMAT,
                 "header nested deeper than 3 levels");
}

// ---- errors --------------------------------------------------------------------------

static void test_safetensors_refuses_a_header_that_is_no_header(void **state)
{
    (void)state;
    expect_error("", 0, OPN_ERR_FORMAT, "m.safetensors: header does not begin with '{'");
    expect_error(" {}", 0, OPN_ERR_FORMAT, "does not begin with '{'");
    expect_error("[]", 0, OPN_ERR_FORMAT, "does not begin with '{'");
    expect_error("{\"a\" 1}", 0, OPN_ERR_FORMAT,
                 "m.safetensors: header: byte 6: ':' expected");
    expect_error("{\"a\":{},\"a\":{}}", 0, OPN_ERR_FORMAT, "duplicate object key");
    expect_error("{}x", 0, OPN_ERR_FORMAT, "end of file expected");
    expect_error("{\"\\u0000\":{}}", 0, OPN_ERR_FORMAT, "NUL byte in object key");
    expect_error("{\"\xFF\":{}}", 0, OPN_ERR_FORMAT, "unable to decode byte 0xff");
    expect_error("{\"a\":{\"b\":[[1]]}}", 0, OPN_ERR_FORMAT,
                 "m.safetensors: header nested deeper than 3 levels at its byte 11");
}

static void test_safetensors_keeps_the_files_bytes_out_of_messages(void **state)
{
    (void)state;
    expect_error(
            "{\"w\x7f\":{}}", 0, OPN_ERR_FORMAT,
            "m.safetensors: name 1 of the header is not 1 to 255 bytes of printable");
    expect_error("{\"\\u001b[2J\":{}}", 0, OPN_ERR_FORMAT, "name 1 of the header");
    expect_error("{\"\":{}}", 0, OPN_ERR_FORMAT, "name 1 of the header");
    expect_error("{\"__metadata__\":{\"a\\n\":\"\"}}", 0, OPN_ERR_FORMAT,
                 "m.safetensors: __metadata__: key 1 is not");
    expect_error("{\"w\":{\"dtype\":\"\\u001b\"}}", 0, OPN_ERR_UNSUPPORTED,
                 "dtype (unprintable) is not supported");
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    unsigned char data[64];
    const size_t n_bytes = assemble("{\x1b[2J}", 0, data);
    assert_int_equal(try_open(ctx, data, n_bytes), OPN_ERR_FORMAT);
    assert_null(strchr(opn_ctx_error(ctx), '\x1b'));
    support_ctx_free(ctx, &m);
}

static void test_safetensors_names_the_tensor_and_its_fault(void **state)
{
    (void)state;
    static const struct {
        const char *info;
        opn_status code;
        const char *want;
    } cases[] = {
            {"7", OPN_ERR_FORMAT, "not an object of dtype, shape and data_offsets"},
            {"{}", OPN_ERR_FORMAT, "dtype is missing or not a string"},
            {"{\"dtype\":4}", OPN_ERR_FORMAT, "dtype is missing or not a string"},
            {"{\"dtype\":\"F8_E5M2\"}", OPN_ERR_UNSUPPORTED,
             "dtype F8_E5M2 is not supported; F64, F32"},
            {"{\"dtype\":\"U8\"}", OPN_ERR_FORMAT, "shape is missing or not a list"},
            {"{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1]}", OPN_ERR_UNSUPPORTED,
             "shape has 9 dimensions, more than 8"},
            {"{\"dtype\":\"U8\",\"shape\":[1,-2]}", OPN_ERR_FORMAT,
             "dimension 1 of its shape is not an integer of at least 0"},
            {"{\"dtype\":\"U8\",\"shape\":[2.0]}", OPN_ERR_FORMAT,
             "dimension 0 of its shape is not an integer of at least 0"},
            {"{\"dtype\":\"U8\",\"shape\":[]}", OPN_ERR_FORMAT,
             "data_offsets is not a list of two integers"},
            {"{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1,2]}", OPN_ERR_FORMAT,
             "data_offsets is not a list of two integers"},
            {"{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[-1,0]}", OPN_ERR_FORMAT,
             "data_offsets is not a list of two integers"},
            {"{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[2,1]}", OPN_ERR_FORMAT,
             "data_offsets is not a list of two integers"},
            {"{\"dtype\":\"U8\",\"shape\":[512],\"data_offsets\":[0,512]}",
             OPN_ERR_FORMAT, "data_offsets end at 512, beyond the 384 bytes of data"},
            {"{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,20]}",
             OPN_ERR_FORMAT, "its shape needs 24 bytes, its data_offsets span 20"},
            {"{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],"
             "\"data_offsets\":[0,0]}",
             OPN_ERR_FORMAT, "its shape overflows"},
            {"{\"dtype\":\"F64\",\"shape\":[2305843009213693952],"
             "\"data_offsets\":[0,0]}",
             OPN_ERR_FORMAT, "its shape overflows"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char header[512];
        char want[256];
        sprintf(header, "{\"w0\":%s}", cases[i].info);
        sprintf(want, "m.safetensors: tensor \"w0\": %s", cases[i].want);
        expect_error(header, 384, cases[i].code, want);
    }
}

static void test_safetensors_refuses_overlaps_and_holes(void **state)
{
    (void)state;
    static const char two[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[%d],"
                              "\"data_offsets\":[%d,%d]},"
                              "\"b\":{\"dtype\":\"U8\",\"shape\":[%d],"
                              "\"data_offsets\":[%d,%d]}}";
    char header[256];
    snprintf(header, sizeof(header), two, 4, 0, 4, 4, 4, 8);
    expect_opens(header, 8);
    expect_error(header, 9, OPN_ERR_FORMAT,
                 "m.safetensors: bytes 8 to 9 of the data belong to no tensor");
    snprintf(header, sizeof(header), two, 4, 0, 4, 4, 3, 7);
    expect_error(header, 7, OPN_ERR_FORMAT,
                 "m.safetensors: tensor \"b\": data_offsets begin at 3, inside tensor "
                 "\"a\", which ends at 4");
    snprintf(header, sizeof(header), two, 3, 5, 8, 4, 0, 4);
    expect_error(header, 8, OPN_ERR_FORMAT,
                 "m.safetensors: bytes 4 to 5 of the data belong to no tensor");
    snprintf(header, sizeof(header), two, 4, 1, 5, 3, 5, 8);
    expect_error(header, 8, OPN_ERR_FORMAT, "bytes 0 to 1 of the data");
    snprintf(header, sizeof(header), two, 0, 2, 2, 4, 0, 4);
    expect_error(header, 4, OPN_ERR_FORMAT, "tensor \"a\": data_offsets begin at 2");
    expect_error("{}", 1, OPN_ERR_FORMAT, "bytes 0 to 1 of the data");
}

static void test_safetensors_refuses_metadata_that_is_no_text(void **state)
{
    (void)state;
    expect_error("{\"__metadata__\":[]}", 0, OPN_ERR_FORMAT,
                 "m.safetensors: __metadata__ is not an object of strings");
    expect_error("{\"__metadata__\":{\"seed\":7}}", 0, OPN_ERR_FORMAT,
                 "m.safetensors: __metadata__: the value of \"seed\" is not a string");
}

// ---- robustness ----------------------------------------------------------------------

static void test_safetensors_refuses_huge_lengths_without_allocating(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {3,         1u << 20,   UINT64_C(1) << 40,
                                       INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        unsigned char data[64];
        const size_t n_bytes = assemble("{}", 0, data);
        for (size_t b = 0; b < 8; b++)
            data[b] = (unsigned char)(lengths[i] >> (8 * b));
        const long n_before = m.n_requests;
        assert_int_equal(try_open(ctx, data, n_bytes), OPN_ERR_FORMAT);
        support_expect_error(ctx, "beyond the 2 that follow its length");
        assert_int_equal(m.n_requests, n_before);
        support_ctx_free(ctx, &m);
    }
}

// A header of many small values is refused before Jansson spends memory on them.
static void test_safetensors_caps_what_jansson_may_spend(void **state)
{
    (void)state;
    enum { N = 1 << 22 };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    char *header = malloc(N + 1);
    unsigned char *data = malloc(N + 9);
    memset(header, ',', N);
    memcpy(header, "{\"a\":[1", 7);
    header[N] = '\0';
    size_t n_bytes = assemble(header, 0, data);
    json_meter = (meter){0};
    json_set_alloc_funcs(json_alloc, json_release);
    const opn_status many = try_open(ctx, data, n_bytes);
    support_expect_error(ctx, "header of more than 262144 values");
    memset(header + 7, '[', N - 7);
    n_bytes = assemble(header, 0, data);
    const opn_status deep = try_open(ctx, data, n_bytes);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(many, OPN_ERR_FORMAT);
    assert_int_equal(deep, OPN_ERR_FORMAT);
    assert_int_equal(json_meter.n_requests, 0);
    assert_true(m.largest < 4096);
    free(header);
    free(data);
    support_ctx_free(ctx, &m);
}

static void test_safetensors_refuses_headers_beyond_the_references_cap(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    const size_t n_header = 100000001;
    unsigned char *data = calloc(8 + n_header, 1); // mostly never touched
    assert_non_null(data);
    assemble("{}", 0, data);
    for (size_t b = 0; b < 8; b++)
        data[b] = (unsigned char)((uint64_t)n_header >> (8 * b));
    opn_i_safetensors *file = NULL;
    assert_int_equal(
            opn_i_safetensors_open(ctx, "m.safetensors", data, 8 + n_header, &file),
            OPN_ERR_FORMAT);
    support_expect_error(ctx,
                         "header of 100000001 bytes, more than the 100000000 allowed");
    support_ctx_free(ctx, &m);
    free(data);
}

static void test_safetensors_refuses_truncation_at_every_byte(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t n = 0; n < sizeof(safetensors_sample); n++) {
        assert_int_equal(try_open(ctx, safetensors_sample, n), OPN_ERR_FORMAT);
        assert_int_equal(m.n_live, 1); // the context
    }
    assert_int_equal(try_open(ctx, safetensors_sample, 0), OPN_ERR_FORMAT);
    support_expect_error(ctx, "0 bytes are too few");
    support_ctx_free(ctx, &m);
}

static void test_safetensors_survives_every_single_bit_flip(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t bit = 0; bit < 8 * sizeof(safetensors_sample); bit++) {
        unsigned char data[sizeof(safetensors_sample)];
        memcpy(data, safetensors_sample, sizeof(data));
        support_flip_bit(data, bit);
        const opn_status status = try_open(ctx, data, sizeof(data));
        assert_true(status == OPN_OK || status == OPN_ERR_FORMAT ||
                    status == OPN_ERR_UNSUPPORTED);
        assert_int_equal(m.n_live, 1);
    }
    support_ctx_free(ctx, &m);
}

static void test_safetensors_open_survives_any_allocation_failure(void **state)
{
    (void)state;
    for (int in_json = 0; in_json < 2; in_json++) {
        opn_status status = OPN_ERR_NOMEM;
        long n_rounds = 0;
        while (status != OPN_OK) {
            n_rounds++;
            meter m = {0};
            opn_ctx *ctx = support_ctx(&m);
            json_meter = (meter){.fail_at = in_json ? n_rounds : 0};
            m.fail_at = in_json ? 0 : m.n_requests + n_rounds;
            json_set_alloc_funcs(json_alloc, json_release);
            status = try_open(ctx, safetensors_sample, sizeof(safetensors_sample));
            json_set_alloc_funcs(malloc, free);
            support_ctx_free(ctx, &m);
            // Jansson takes a text it has no memory for as malformed.
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM ||
                        (in_json && status == OPN_ERR_FORMAT));
            assert_int_equal(json_meter.n_live, 0);
        }
        assert_true(n_rounds >= 4);
    }
}

// ---- writing -------------------------------------------------------------------------

// The golden sample, by our own writer; metadata added out of order.
static opn_status write_sample(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    const int64_t w0_shape[] = {2, 3};
    const int64_t ids_shape[] = {2};
    const int64_t flag_shape[] = {3};
    const int64_t empty_shape[] = {0, 4};
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "t\xC3\xADtle", "a \"b\"\n\\"));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "seed", "7"));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "model", "s-bgcn-t-k"));
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "w0", OPN_TENSOR_F32, w0_shape, 2,
                                                sample_w0));
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "ids", OPN_TENSOR_I64, ids_shape,
                                                1, sample_ids));
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "flag", OPN_TENSOR_BOOL,
                                                flag_shape, 1, sample_flag));
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "empty", OPN_TENSOR_F64,
                                                empty_shape, 2, NULL));
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "labels", OPN_TENSOR_I32,
                                                ids_shape, 1, sample_labels));
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "scalar", OPN_TENSOR_U16, NULL, 0,
                                                &sample_scalar));
    status = opn_i_safetensors_writer_commit(writer, path);
    writer = NULL; // consumed, also on failure
cleanup:
    opn_i_safetensors_writer_discard(writer);
    return status;
}

static void test_safetensors_writes_the_golden_sample_byte_for_byte(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    assert_int_equal(write_sample(s->ctx, s->path), OPN_OK);
    support_expect_file(s->path, safetensors_sample, sizeof(safetensors_sample));
    support_close_stage(s);
}

static void test_safetensors_write_survives_any_allocation_failure(void **state)
{
    (void)state;
    for (int in_json = 0; in_json < 2; in_json++) {
        opn_status status = OPN_ERR_NOMEM;
        long n_rounds = 0;
        for (long fail_at = 1; status == OPN_ERR_NOMEM; fail_at++) {
            stage *s = support_open_stage("m.safetensors");
            json_meter = (meter){.fail_at = in_json ? fail_at : 0};
            s->m.fail_at = in_json ? 0 : s->m.n_requests + fail_at;
            json_set_alloc_funcs(json_alloc, json_release);
            status = write_sample(s->ctx, s->path);
            json_set_alloc_funcs(malloc, free);
            assert_int_equal(support_count_entries(s->folder), status == OPN_OK);
            support_close_stage(s);
            assert_int_equal(json_meter.n_live, 0);
            n_rounds++;
        }
        assert_int_equal(status, OPN_OK);
        assert_true(n_rounds >= 5);
    }
}

// Writes `n_floats` floats and nothing else, and reads them back.
static void expect_floats_survive(size_t n_floats)
{
    stage *s = support_open_stage("m.safetensors");
    opn_i_safetensors_writer *writer = NULL;
    opn_i_safetensors *file = NULL;
    opn_i_bytes bytes = {0};
    float *values = calloc(n_floats + 1, sizeof(*values));
    float *got = calloc(n_floats + 1, sizeof(*got));
    for (size_t i = 0; i < n_floats; i++)
        values[i] = (float)i * 0.37f - 5.0f;
    const int64_t shape[] = {(int64_t)n_floats};
    assert_int_equal(opn_i_safetensors_writer_create(s->ctx, &writer), OPN_OK);
    assert_int_equal(opn_i_safetensors_writer_add_tensor(writer, "w", OPN_TENSOR_F32,
                                                         shape, 1, values),
                     OPN_OK);
    assert_int_equal(opn_i_safetensors_writer_commit(writer, s->path), OPN_OK);
    assert_int_equal(opn_i_file_read(s->ctx, s->path, &bytes), OPN_OK);
    assert_int_equal((bytes.n - n_floats * sizeof(float)) % 8, 0);
    assert_int_equal(opn_i_safetensors_open(s->ctx, s->path, bytes.data, bytes.n, &file),
                     OPN_OK);
    assert_int_equal(opn_i_safetensors_n_metadata(file), 0);
    assert_null(opn_i_safetensors_metadata(file, "model"));
    assert_int_equal(
            opn_i_tensor_to_f32(s->ctx, s->path, opn_i_safetensors_find(file, "w"), got),
            OPN_OK);
    assert_memory_equal(got, values, n_floats * sizeof(*values));
    opn_i_safetensors_free(file);
    opn_i_bytes_release(s->ctx, &bytes);
    free(values);
    free(got);
    support_close_stage(s);
}

static void test_safetensors_reads_back_tensors_of_any_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 1023, 1024, 1025, 50000};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        expect_floats_survive(lengths[i]);
}

static void test_safetensors_writes_files_without_tensors(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_i_safetensors_writer *writer = NULL;
    opn_i_bytes bytes = {0};
    static const char *const want[] = {"{}      ",
                                       "{\"__metadata__\":{\"a\":\"b\"}}      "};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(opn_i_safetensors_writer_create(s->ctx, &writer), OPN_OK);
        if (i == 1)
            assert_int_equal(opn_i_safetensors_writer_add_metadata(writer, "a", "b"),
                             OPN_OK);
        assert_int_equal(opn_i_safetensors_writer_commit(writer, s->path), OPN_OK);
        assert_int_equal(opn_i_file_read(s->ctx, s->path, &bytes), OPN_OK);
        assert_int_equal(bytes.n, 8 + strlen(want[i]));
        assert_string_equal((const char *)bytes.data + 8, want[i]);
        assert_int_equal(try_open(s->ctx, bytes.data, bytes.n), OPN_OK);
        opn_i_bytes_release(s->ctx, &bytes);
    }
    support_close_stage(s);
}

static void test_safetensors_writer_refuses_what_could_not_be_read_back(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_safetensors_writer *writer = NULL;
    const int64_t huge[] = {INT64_MAX, 8};
    assert_int_equal(opn_i_safetensors_writer_create(ctx, &writer), OPN_OK);
    static const char *const bad[] = {"", "a\n", "\xFF", "__metadata__"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(opn_i_safetensors_writer_add_tensor(
                                 writer, bad[i], OPN_TENSOR_F32, NULL, 0, sample_w0),
                         OPN_ERR_INVALID_ARG);
    for (int i = 0; i < 2; i++)
        assert_int_equal(opn_i_safetensors_writer_add_tensor(writer, "w", OPN_TENSOR_F32,
                                                             NULL, 0, sample_w0),
                         i == 0 ? OPN_OK : OPN_ERR_INVALID_ARG);
    assert_string_equal(opn_ctx_error(ctx), "tensor \"w\" is given twice");
    assert_int_equal(opn_i_safetensors_writer_add_tensor(writer, "h", OPN_TENSOR_F32,
                                                         huge, 2, sample_w0),
                     OPN_ERR_OVERFLOW);
    assert_int_equal(opn_i_safetensors_writer_add_metadata(writer, "\x1b", ""),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_i_safetensors_writer_add_metadata(writer, "k", "\xC3"),
                     OPN_ERR_INVALID_ARG);
    assert_string_equal(opn_ctx_error(ctx), "metadata \"k\" is not valid UTF-8");
    assert_int_equal(opn_i_safetensors_writer_add_metadata(writer, "k", ""), OPN_OK);
    assert_int_equal(opn_i_safetensors_writer_add_metadata(writer, "k", ""),
                     OPN_ERR_INVALID_ARG);
    opn_i_safetensors_writer_discard(writer);
    support_ctx_free(ctx, &m);
}

static void test_safetensors_commit_reports_a_path_it_cannot_write(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    assert_int_equal(write_sample(ctx, "no/such/folder/m.safetensors"), OPN_ERR_WRITE);
    support_ctx_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_safetensors_reads_the_golden_sample),
            cmocka_unit_test(test_safetensors_lists_names_and_keys_sorted),
            cmocka_unit_test(test_safetensors_converts_from_the_very_type_only),
            cmocka_unit_test(test_safetensors_knows_every_dtype_and_its_size),
            cmocka_unit_test(test_safetensors_takes_empty_files_and_unknown_members),
            cmocka_unit_test(test_safetensors_counts_brackets_outside_texts_only),
            cmocka_unit_test(test_safetensors_refuses_a_header_that_is_no_header),
            cmocka_unit_test(test_safetensors_keeps_the_files_bytes_out_of_messages),
            cmocka_unit_test(test_safetensors_names_the_tensor_and_its_fault),
            cmocka_unit_test(test_safetensors_refuses_overlaps_and_holes),
            cmocka_unit_test(test_safetensors_refuses_metadata_that_is_no_text),
            cmocka_unit_test(test_safetensors_refuses_huge_lengths_without_allocating),
            cmocka_unit_test(test_safetensors_caps_what_jansson_may_spend),
            cmocka_unit_test(test_safetensors_refuses_headers_beyond_the_references_cap),
            cmocka_unit_test(test_safetensors_refuses_truncation_at_every_byte),
            cmocka_unit_test(test_safetensors_survives_every_single_bit_flip),
            cmocka_unit_test(test_safetensors_open_survives_any_allocation_failure),
            cmocka_unit_test(test_safetensors_writes_the_golden_sample_byte_for_byte),
            cmocka_unit_test(test_safetensors_write_survives_any_allocation_failure),
            cmocka_unit_test(test_safetensors_reads_back_tensors_of_any_length),
            cmocka_unit_test(test_safetensors_writes_files_without_tensors),
            cmocka_unit_test(test_safetensors_writer_refuses_what_could_not_be_read_back),
            cmocka_unit_test(test_safetensors_commit_reports_a_path_it_cannot_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
