// pickle_test.c -- values, arrays and matrices of pickles, and what is refused.

#include "arrays/pickle.h"
#include "golden/pickle_samples.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One load; the meter lies in the fixture, so a fixture stays where it is.
typedef struct fixture {
    meter meter;
    opn_ctx *ctx;
    unsigned char *input; // by support_copy()
    opn_i_pickle *pickle;
    opn_status status;
} fixture;

static void load(fixture *f, const void *data, size_t n, long fail_at)
{
    memset(f, 0, sizeof(*f));
    f->ctx = support_ctx(&f->meter);
    f->input = support_copy(data, n);
    f->meter = (meter){.n_live = f->meter.n_live, .fail_at = fail_at};
    f->status = opn_i_pickle_load(f->ctx, "file", f->input, n, &f->pickle);
    assert_int_equal(f->status == OPN_OK, f->pickle != NULL);
}

static void unload(fixture *f)
{
    opn_i_pickle_free(f->pickle);
    support_copy_free(f->input);
    support_ctx_free(f->ctx, &f->meter);
}

static const opn_i_pickle_value *load_root(fixture *f, const void *data, size_t n)
{
    load(f, data, n, 0);
    if (f->status != OPN_OK)
        fail_msg("%s", opn_ctx_error(f->ctx));
    return opn_i_pickle_root(f->pickle);
}

static void
check_refused(const void *data, size_t n, opn_status code, const char *message)
{
    fixture f;
    load(&f, data, n, 0);
    assert_int_equal(f.status, code);
    support_expect_error(f.ctx, message);
    assert_memory_equal(opn_ctx_error(f.ctx), "file: byte ", 11);
    unload(&f);
}

// For string literals, whose last NUL is not part of the pickle.
#define CHECK_REFUSED(text, code, message) \
    check_refused(text, sizeof(text) - 1, code, message)

typedef struct sample {
    const unsigned char *data;
    size_t n;
} sample;

#define SAMPLE(name)       \
    {                      \
        name, sizeof(name) \
    }
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLES_OF_ALL(name)                                                        \
    {                                                                               \
        SAMPLE(name##_p0), SAMPLE(name##_p1), SAMPLE(name##_p2), SAMPLE(name##_p3), \
                SAMPLE(name##_p4), SAMPLE(name##_p5)                                \
    }

static const opn_i_pickle_value *item_of(const opn_i_pickle_value *dict, const char *key)
{
    assert_int_equal(dict->kind, OPN_PICKLE_DICT);
    for (size_t i = 0; i < dict->as.list->n; i += 2) {
        const opn_i_pickle_value *found = &dict->as.list->item[i];
        if (found->as.text->n == strlen(key) &&
            memcmp(found->as.text->chars, key, strlen(key)) == 0)
            return found + 1;
    }
    fail_msg("no key '%s'", key);
    return NULL;
}

static void check_int(const opn_i_pickle_value *value, int64_t want)
{
    assert_int_equal(value->kind, OPN_PICKLE_INT);
    assert_true(value->as.integer == want);
}

static void check_text(const opn_i_pickle_value *value,
                       opn_i_pickle_kind kind,
                       const char *want,
                       size_t n)
{
    assert_int_equal(value->kind, kind);
    assert_int_equal(value->as.text->n, n);
    assert_memory_equal(value->as.text->chars, want, n);
}

static void check_empty(const opn_i_pickle_value *value, opn_i_pickle_kind kind)
{
    assert_int_equal(value->kind, kind);
    assert_int_equal(value->as.list->n, 0);
}

static void check_f64(opn_ctx *ctx, const opn_i_ndarray *array, const double *want, int n)
{
    double got[16];
    assert_int_equal(array->n_items, n);
    assert_int_equal(opn_i_ndarray_to_f64(ctx, "array", array, got), OPN_OK);
    for (int i = 0; i < n; i++)
        assert_true(got[i] == want[i]);
}

// ---- what is read --------------------------------------------------------------------

static void test_pickle_reads_plain_values_of_every_protocol(void **state)
{
    (void)state;
    const sample samples[] = SAMPLES_OF_ALL(basic);
    for (size_t p = 0; p < N_OF(samples); p++) {
        fixture f;
        const opn_i_pickle_value *root = load_root(&f, samples[p].data, samples[p].n);
        assert_int_equal(item_of(root, "none")->kind, OPN_PICKLE_NONE);
        assert_int_equal(item_of(root, "yes")->kind, OPN_PICKLE_BOOL);
        assert_int_equal(item_of(root, "yes")->as.integer, 1);
        assert_int_equal(item_of(root, "no")->kind, OPN_PICKLE_BOOL);
        assert_int_equal(item_of(root, "no")->as.integer, 0);
        check_int(item_of(root, "int"), -5);
        check_int(item_of(root, "large"), (int64_t)1 << 40);
        check_int(item_of(root, "least"), INT64_MIN);
        assert_int_equal(item_of(root, "real")->kind, OPN_PICKLE_REAL);
        assert_true(item_of(root, "real")->as.real == -1.5e-7);
        check_text(item_of(root, "text"), OPN_PICKLE_TEXT, "n\xc3\xa9 \\ \xe2\x82\xac",
                   9);
        check_text(item_of(root, "bytes"), OPN_PICKLE_BYTES, "\0\xff\303a", 4);
        check_text(item_of(root, "void"), OPN_PICKLE_BYTES, "", 0);
        const opn_i_pickle_value *tuple = item_of(root, "tuple");
        assert_int_equal(tuple->kind, OPN_PICKLE_TUPLE);
        assert_int_equal(tuple->as.list->n, 4);
        check_int(&tuple->as.list->item[3], 70000);
        const opn_i_pickle_value *list = item_of(root, "list");
        assert_int_equal(list->kind, OPN_PICKLE_LIST);
        assert_int_equal(list->as.list->n, 3);
        check_empty(&list->as.list->item[0], OPN_PICKLE_LIST);
        check_empty(&list->as.list->item[1], OPN_PICKLE_TUPLE);
        check_empty(&list->as.list->item[2], OPN_PICKLE_DICT);
        unload(&f);
    }
}

static void check_graph(const opn_i_pickle_value *root)
{
    static const int64_t key[4] = {0, 1, 2, 300};
    static const size_t degree[4] = {2, 1, 2, 0};
    static const int64_t neighbour[4][2] = {{1, 2}, {0, 0}, {0, 300}, {0, 0}};
    assert_int_equal(root->kind, OPN_PICKLE_DICT);
    assert_int_equal(root->as.list->n, 8);
    for (size_t i = 0; i < 4; i++) {
        const opn_i_pickle_value *pair = &root->as.list->item[2 * i];
        check_int(&pair[0], key[i]);
        assert_int_equal(pair[1].kind, OPN_PICKLE_LIST);
        assert_int_equal(pair[1].as.list->n, degree[i]);
        for (size_t e = 0; e < degree[i]; e++)
            check_int(&pair[1].as.list->item[e], neighbour[i][e]);
    }
}

static void test_pickle_reads_defaultdicts_of_every_protocol_and_of_python_2(void **state)
{
    (void)state;
    const sample samples[] = SAMPLES_OF_ALL(graph);
    fixture f;
    for (size_t p = 0; p < N_OF(samples); p++) {
        check_graph(load_root(&f, samples[p].data, samples[p].n));
        unload(&f);
    }
    check_graph(load_root(&f, python2_graph, sizeof(python2_graph)));
    unload(&f);
}

static void check_matrix(const sample *from, opn_i_sparse_layout layout)
{
    static const double indptr[3][4] = {{0, 1, 3}, {0, 1, 2, 3}, {0, 1, 1}};
    static const double indices[3][3] = {{1, 0, 2}, {1, 0, 1}, {1, 0, 2}};
    static const double data[3][3] = {{1.5, -2, 0.25}, {-2, 1.5, 0.25}, {1.5, -2, 0.25}};
    fixture f;
    const opn_i_pickle_value *root = load_root(&f, from->data, from->n);
    assert_int_equal(root->kind, OPN_PICKLE_SPARSE);
    const opn_i_pickle_sparse *sparse = root->as.sparse;
    assert_int_equal(sparse->layout, layout);
    assert_int_equal(sparse->shape[0], 2);
    assert_int_equal(sparse->shape[1], 3);
    check_f64(f.ctx, sparse->indptr, indptr[layout],
              layout == OPN_SPARSE_COLUMNS ? 4 : 3);
    check_f64(f.ctx, sparse->indices, indices[layout], 3);
    check_f64(f.ctx, sparse->data, data[layout], 3);
    unload(&f);
}

static void test_pickle_reads_matrices_of_every_protocol_and_release(void **state)
{
    (void)state;
    const sample by_rows[] = SAMPLES_OF_ALL(csr);
    const sample others[] = {SAMPLE(csr_numpy2), SAMPLE(csr_array_p4),
                             SAMPLE(python2_matrix)};
    const sample by_columns = SAMPLE(csc_p2);
    const sample triples[] = {SAMPLE(coo_p4), SAMPLE(coo_coords)};
    for (size_t p = 0; p < N_OF(by_rows); p++)
        check_matrix(&by_rows[p], OPN_SPARSE_ROWS);
    for (size_t p = 0; p < N_OF(others); p++)
        check_matrix(&others[p], OPN_SPARSE_ROWS);
    check_matrix(&by_columns, OPN_SPARSE_COLUMNS);
    for (size_t p = 0; p < N_OF(triples); p++)
        check_matrix(&triples[p], OPN_SPARSE_TRIPLES);
}

static void test_pickle_reads_arrays_of_objects(void **state)
{
    (void)state;
    fixture f;
    const opn_i_pickle_value *root = load_root(&f, mixed_p3, sizeof(mixed_p3));
    const opn_i_pickle_list *objects = opn_i_pickle_objects(root);
    assert_non_null(objects);
    assert_int_equal(root->as.array->kind, 'O');
    assert_int_equal(root->as.array->n_dims, 2);
    assert_int_equal(root->as.array->shape[1], 3);
    assert_int_equal(objects->n, 6);
    check_text(&objects->item[0], OPN_PICKLE_TEXT, "a\xc3\xa9", 3);
    assert_int_equal(objects->item[1].kind, OPN_PICKLE_NONE);
    check_int(&objects->item[2], 3);
    check_text(&objects->item[3], OPN_PICKLE_TEXT, "x\xe2\x82\xac", 4);
    assert_true(isnan(objects->item[4].as.real));
    assert_true(objects->item[5].as.real == 2.5);
    double number;
    assert_int_equal(opn_i_ndarray_to_f64(f.ctx, "array", root->as.array, &number),
                     OPN_ERR_FORMAT);
    support_expect_error(f.ctx, "holds Python objects, not numbers");
    unload(&f);
    root = load_root(&f, wrapped_csr_p3, sizeof(wrapped_csr_p3));
    assert_int_equal(root->as.array->n_dims, 0);
    assert_int_equal(opn_i_pickle_objects(root)->item[0].kind, OPN_PICKLE_SPARSE);
    assert_null(opn_i_pickle_objects(&opn_i_pickle_objects(root)->item[0]));
    unload(&f);
}

static void test_pickle_reads_arrays_of_any_type_and_order(void **state)
{
    (void)state;
    const sample samples[] = {SAMPLE(arrays_p2), SAMPLE(arrays_p5)};
    for (size_t p = 0; p < N_OF(samples); p++) {
        fixture f;
        const opn_i_pickle_value *root = load_root(&f, samples[p].data, samples[p].n);
        const opn_i_ndarray *array[4];
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(root->as.list->item[i].kind, OPN_PICKLE_NDARRAY);
            array[i] = root->as.list->item[i].as.array;
        }
        assert_true(array[0]->big_endian && array[0]->fortran_order);
        check_f64(f.ctx, array[0], (const double[]){1, 2, 3, 4, 5, 6}, 6);
        assert_int_equal(array[1]->kind, 'b');
        check_f64(f.ctx, array[1], (const double[]){1, 0}, 2);
        char text[8];
        size_t n = 0;
        assert_int_equal(opn_i_ndarray_text(f.ctx, "array", array[2], 0, text, &n),
                         OPN_OK);
        assert_int_equal(n, 2);
        assert_memory_equal(text, "ab", 2);
        assert_int_equal(array[3]->n_items, 0);
        assert_int_equal(array[3]->shape[1], 2);
        unload(&f);
    }
}

static void test_pickle_reads_scalars_as_their_numbers(void **state)
{
    (void)state;
    const sample samples[] = {SAMPLE(scalars_p2), SAMPLE(scalars_p5)};
    for (size_t p = 0; p < N_OF(samples); p++) {
        fixture f;
        const opn_i_pickle_value *item =
                load_root(&f, samples[p].data, samples[p].n)->as.list->item;
        check_int(&item[0], -7);
        assert_int_equal(item[1].kind, OPN_PICKLE_REAL);
        assert_true(item[1].as.real == 2.5);
        assert_int_equal(item[2].kind, OPN_PICKLE_BOOL);
        assert_int_equal(item[2].as.integer, 1);
        check_text(&item[3], OPN_PICKLE_BYTES, "ab", 2);
        unload(&f);
    }
}

static void test_pickle_reads_strings_and_numbers_of_python_2(void **state)
{
    (void)state;
    fixture f;
    const opn_i_pickle_list *list =
            load_root(&f, python2_strings, sizeof(python2_strings))->as.list;
    assert_int_equal(list->n, 5);
    check_text(&list->item[0], OPN_PICKLE_BYTES, "a\0\\'\n\"", 6);
    check_text(&list->item[1], OPN_PICKLE_BYTES, "it's", 4);
    assert_int_equal(list->item[2].kind, OPN_PICKLE_BOOL);
    check_int(&list->item[3], -12);
    assert_int_equal(list->item[4].kind, OPN_PICKLE_REAL);
    assert_true(isinf(list->item[4].as.real));
    unload(&f);
}

static void test_pickle_reads_ordered_dicts_in_their_order(void **state)
{
    (void)state;
    fixture f;
    const opn_i_pickle_value *root = load_root(&f, ordered_p2, sizeof(ordered_p2));
    assert_int_equal(root->kind, OPN_PICKLE_DICT);
    check_int(&root->as.list->item[0], 2);
    check_int(&root->as.list->item[2], 1);
    unload(&f);
    root = load_root(&f, python2_ordered, sizeof(python2_ordered));
    assert_int_equal(root->kind, OPN_PICKLE_DICT);
    check_int(&root->as.list->item[0], 1);
    check_text(&root->as.list->item[3], OPN_PICKLE_BYTES, "b", 1);
    unload(&f);
}

static void test_pickle_reads_integers_of_every_width(void **state)
{
    (void)state;
    static const char text[] = "(J\xfe\xff\xff\xffM\xff\xffK\xff\x8a\x00\x8a\x01\x80"
                               "\x8b\x02\x00\x00\x00\x00\x80I-3\nI+4\nt.";
    static const int64_t want[] = {-2, 65535, 255, 0, -128, -32768, -3, 4};
    fixture f;
    const opn_i_pickle_list *tuple = load_root(&f, text, sizeof(text) - 1)->as.list;
    assert_int_equal(tuple->n, N_OF(want));
    for (size_t i = 0; i < N_OF(want); i++)
        check_int(&tuple->item[i], want[i]);
    unload(&f);
}

static void test_pickle_reads_what_is_no_number_as_such(void **state)
{
    (void)state;
    static const char text[] = "(Fnan\nF-inf\nFinf\nt.";
    fixture f;
    const opn_i_pickle_list *tuple = load_root(&f, text, sizeof(text) - 1)->as.list;
    assert_int_equal(tuple->n, 3);
    assert_true(isnan(tuple->item[0].as.real));
    assert_true(isinf(tuple->item[1].as.real) && tuple->item[1].as.real < 0.0);
    assert_true(isinf(tuple->item[2].as.real) && tuple->item[2].as.real > 0.0);
    unload(&f);
}

static void test_pickle_pops_values_and_marks(void **state)
{
    (void)state;
    static const char text[] = "K\x01K\0020(K\0031(02\x86."; // (1, 1)
    fixture f;
    const opn_i_pickle_value *root = load_root(&f, text, sizeof(text) - 1);
    assert_int_equal(root->kind, OPN_PICKLE_TUPLE);
    check_int(&root->as.list->item[0], 1);
    check_int(&root->as.list->item[1], 1);
    unload(&f);
}

static void test_pickle_shares_what_the_memo_shares(void **state)
{
    (void)state;
    static const char text[] = "]q\x00h\000ah\000a."; // a list of itself, twice
    fixture f;
    const opn_i_pickle_value *root = load_root(&f, text, sizeof(text) - 1);
    assert_int_equal(root->as.list->n, 2);
    assert_ptr_equal(root->as.list->item[0].as.list, root->as.list);
    assert_ptr_equal(root->as.list->item[1].as.list, root->as.list);
    unload(&f);
}

static void test_pickle_ignores_bytes_behind_it(void **state)
{
    (void)state;
    fixture f;
    check_int(load_root(&f, "K\x07.rest", 7), 7);
    unload(&f);
}

// ---- what is refused -----------------------------------------------------------------

static void test_pickle_refuses_other_classes_by_name(void **state)
{
    (void)state;
    check_refused(system_p0, sizeof(system_p0), OPN_ERR_UNSUPPORTED,
                  "byte 0: opcode 0x63 (GLOBAL): os.system is refused");
    check_refused(lil_p4, sizeof(lil_p4), OPN_ERR_UNSUPPORTED,
                  "(STACK_GLOBAL): scipy.sparse._lil.lil_matrix is refused");
    CHECK_REFUSED("c__builtin__\neval\n.", OPN_ERR_UNSUPPORTED, "__builtin__.eval");
    CHECK_REFUSED("ca\x1b[2J\nb\xff\n.", OPN_ERR_UNSUPPORTED, "a?[2J.b? is refused");
    CHECK_REFUSED("c__builtin__\nlist\n)R.", OPN_ERR_UNSUPPORTED,
                  "a call of __builtin__.list is refused");
    CHECK_REFUSED("cnumpy\nndarray\n)\x81.", OPN_ERR_UNSUPPORTED,
                  "neither csr_matrix, "
                  "csc_matrix nor coo_matrix");
    CHECK_REFUSED("K\x01)R.", OPN_ERR_FORMAT, "calls an int");
}

static void test_pickle_refuses_opcodes_by_name(void **state)
{
    (void)state;
    CHECK_REFUSED("N(ios\nsystem\n.", OPN_ERR_UNSUPPORTED, "byte 2: opcode 0x69 (INST)");
    CHECK_REFUSED("P1\n.", OPN_ERR_UNSUPPORTED, "opcode 0x50 (PERSID): refused");
    CHECK_REFUSED("\x82\x01.", OPN_ERR_UNSUPPORTED, "opcode 0x82 (EXT1)");
    CHECK_REFUSED("\x97.", OPN_ERR_UNSUPPORTED, "opcode 0x97 (NEXT_BUFFER)");
    CHECK_REFUSED("\x8f.", OPN_ERR_UNSUPPORTED, "opcode 0x8f (EMPTY_SET)");
    CHECK_REFUSED("\xff.", OPN_ERR_FORMAT,
                  "opcode 0xff (unknown): pickle has no such opcode");
    CHECK_REFUSED("\x80\x06N.", OPN_ERR_UNSUPPORTED, "protocol 6; protocols 0 to 5");
}

static void test_pickle_refuses_arrays_of_records(void **state)
{
    (void)state;
    check_refused(records_p4, sizeof(records_p4), OPN_ERR_UNSUPPORTED, "records");
}

static void test_pickle_refuses_integers_beyond_64_bits(void **state)
{
    (void)state;
    static const char most[] = "L9223372036854775807L\n.";
    fixture f;
    check_int(load_root(&f, most, sizeof(most) - 1), INT64_MAX);
    unload(&f);
    CHECK_REFUSED("L9223372036854775808L\n.", OPN_ERR_OVERFLOW, "more than 64 bits");
    CHECK_REFUSED("I-9223372036854775809\n.", OPN_ERR_OVERFLOW, "more than 64 bits");
    CHECK_REFUSED("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", OPN_ERR_OVERFLOW,
                  "more than 64 bits");
}

static void test_pickle_refuses_broken_numbers_and_strings(void **state)
{
    (void)state;
    CHECK_REFUSED("I\n.", OPN_ERR_FORMAT, "an integer without digits");
    CHECK_REFUSED("I1x\n.", OPN_ERR_FORMAT, "byte 0x78 in an integer");
    CHECK_REFUSED("F0x1p3\n.", OPN_ERR_FORMAT, "not a decimal number");
    CHECK_REFUSED("Sabc\n.", OPN_ERR_FORMAT, "not in quotes");
    CHECK_REFUSED("S'a\\q'\n.", OPN_ERR_FORMAT, "an escape that Python does not write");
    CHECK_REFUSED("S'a\\x1'\n.", OPN_ERR_FORMAT, "an escape that Python does not write");
    CHECK_REFUSED("S'\\xzz'\n.", OPN_ERR_FORMAT, "an escape that Python does not write");
    CHECK_REFUSED("V\\u12\n.", OPN_ERR_FORMAT, "a broken \\u escape");
    CHECK_REFUSED("V\\U00110000\n.", OPN_ERR_FORMAT, "a broken \\U escape");
    CHECK_REFUSED("c_codecs\nencode\n(X\x03\x00\x00\x00\xe2\x82\xacVlatin1\ntR.",
                  OPN_ERR_FORMAT, "beyond Latin-1");
    CHECK_REFUSED("c_codecs\nencode\n(VaVutf8\ntR.", OPN_ERR_FORMAT, "'latin1'");
}

static void test_pickle_refuses_a_stack_out_of_order(void **state)
{
    (void)state;
    CHECK_REFUSED("", OPN_ERR_FORMAT, "byte 0: the file ends before its pickle does");
    CHECK_REFUSED("N", OPN_ERR_FORMAT, "byte 1: the file ends before its pickle does");
    CHECK_REFUSED(".", OPN_ERR_FORMAT, "needs 1 values, but 0 are on the stack");
    CHECK_REFUSED("N(\x85.", OPN_ERR_FORMAT, "needs 1 values, but 0 are on the stack");
    CHECK_REFUSED("t.", OPN_ERR_FORMAT, "there is no mark");
    CHECK_REFUSED("(2.", OPN_ERR_FORMAT, "the stack is empty");
    CHECK_REFUSED("]N(a.", OPN_ERR_FORMAT, "needs 1 values");
    CHECK_REFUSED(")Na.", OPN_ERR_FORMAT, "adds to a tuple; expected a list");
    CHECK_REFUSED("}(Nu.", OPN_ERR_FORMAT, "a key without a value");
    CHECK_REFUSED("(Nd.", OPN_ERR_FORMAT, "a key without a value");
    CHECK_REFUSED("h\x05.", OPN_ERR_FORMAT, "memo index 5 was never put");
    CHECK_REFUSED("Np-1\n.", OPN_ERR_FORMAT, "a negative memo index");
    CHECK_REFUSED("]Nb.", OPN_ERR_FORMAT, "gives a state to a list");
    CHECK_REFUSED("NN\x93.", OPN_ERR_FORMAT, "not both strings");
}

#define CSR "cscipy.sparse\ncsr_matrix\n"
#define ARRAY                                                              \
    "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01" \
    "btR"
#define DTYPE "cnumpy\ndtype\n(U\x02i1K\x00K\x01tR"
// Arrays of one and of two bytes.
#define BYTES_1 ARRAY "(K\x01K\x01\x85" DTYPE "\x89U\x01\x01tb"
#define BYTES_2 ARRAY "(K\x01K\x02\x85" DTYPE "\x89U\x02\x01\x02tb"

static void test_pickle_refuses_inconsistent_arrays(void **state)
{
    (void)state;
    CHECK_REFUSED(ARRAY ".", OPN_ERR_FORMAT, "created but never filled");
    CHECK_REFUSED(ARRAY "Nb.", OPN_ERR_FORMAT, "not a tuple of 5");
    CHECK_REFUSED(ARRAY "(K\x01K\x03\x85" DTYPE "\x89U\x02\x01\x02tb.", OPN_ERR_FORMAT,
                  "needs 3 bytes, 2 are there");
    CHECK_REFUSED(ARRAY "(K\x01N" DTYPE "\x89U\x02\x01\x02tb.", OPN_ERR_FORMAT,
                  "the shape is None");
    CHECK_REFUSED(ARRAY "(K\x01N\x85" DTYPE "\x89U\x02\x01\x02tb.", OPN_ERR_FORMAT,
                  "the shape holds None");
    CHECK_REFUSED(ARRAY "(K\x01(NNNNNNNNNt" DTYPE "\x89U\x02\x01\x02tb.", OPN_ERR_FORMAT,
                  "9 dimensions");
    CHECK_REFUSED(ARRAY "(K\x01K\x02\x85N\x89U\x02\x01\x02tb.", OPN_ERR_FORMAT,
                  "the type of an array is None");
    CHECK_REFUSED(ARRAY "(K\x01K\x02\x85" DTYPE "NU\x02\x01\x02tb.", OPN_ERR_FORMAT,
                  "the order of an array is None");
    CHECK_REFUSED(ARRAY "(K\x01K\x02\x85" DTYPE "\x89Vab\ntb.", OPN_ERR_FORMAT,
                  "the content of an array is a string");
    CHECK_REFUSED(BYTES_1 "Nb.", OPN_ERR_FORMAT, "an array is filled twice");
    CHECK_REFUSED(DTYPE "(K\x03U\x01!NNNK\x00K\x00K\x00tb.", OPN_ERR_FORMAT,
                  "byte order 0x21");
    CHECK_REFUSED("cnumpy\ndtype\n(U\0200123456789abcdeftR.", OPN_ERR_FORMAT,
                  "a type name of 16 characters");
    CHECK_REFUSED("cnumpy.core.numeric\n_frombuffer\n(C\001a" DTYPE "K\x01\x85VK\ntR.",
                  OPN_ERR_FORMAT, "neither 'C' nor 'F'");
    CHECK_REFUSED("cnumpy.core.multiarray\n_reconstruct\n(NNNtR.", OPN_ERR_FORMAT,
                  "_reconstruct: wrong arguments; expected numpy.ndarray");
}

static void test_pickle_refuses_other_arguments(void **state)
{
    (void)state;
    CHECK_REFUSED("cbuiltins\nbytes\nN\x85R.", OPN_ERR_FORMAT, "expected none");
    CHECK_REFUSED("cbuiltins\nbytes\nNR.", OPN_ERR_FORMAT, "gets None; expected a tuple");
    CHECK_REFUSED("ccollections\ndefaultdict\n]\x85R.", OPN_ERR_FORMAT,
                  "expected a built-in class such as list");
    CHECK_REFUSED("ccollections\nOrderedDict\nN\x85R.", OPN_ERR_FORMAT,
                  "expected a list of pairs");
    CHECK_REFUSED("ccollections\nOrderedDict\n]Na\x85R.", OPN_ERR_FORMAT,
                  "expected a list of pairs");
    CHECK_REFUSED("ccopy_reg\n_reconstructor\n(NNNtR.", OPN_ERR_FORMAT,
                  "expected a class, object and None");
    CHECK_REFUSED("cnumpy.core.multiarray\nscalar\n)R.", OPN_ERR_FORMAT, "0 arguments");
    CHECK_REFUSED("cnumpy.core.numeric\n_frombuffer\n)R.", OPN_ERR_FORMAT, "0 arguments");
    CHECK_REFUSED("cnumpy\ndtype\n)R.", OPN_ERR_FORMAT, "the name of a type");
}

static void test_pickle_refuses_inconsistent_matrices(void **state)
{
    (void)state;
    CHECK_REFUSED(CSR ")\x81.", OPN_ERR_FORMAT, "created but never filled");
    CHECK_REFUSED(CSR "N\x85\x81.", OPN_ERR_FORMAT, "made with arguments");
    CHECK_REFUSED(CSR ")\x81Nb.", OPN_ERR_FORMAT, "the state of a matrix is None");
    CHECK_REFUSED(CSR ")\x81}b.", OPN_ERR_FORMAT, "the matrix has no '_shape'");
    CHECK_REFUSED(CSR ")\x81(V_shape\nK\x01\205db.", OPN_ERR_FORMAT, "1 dimensions");
    CHECK_REFUSED(CSR ")\x81(V_shape\nI-1\nK\x01\206db.", OPN_ERR_FORMAT,
                  "shape (-1, 1)");
    CHECK_REFUSED(CSR ")\x81(V_shape\nK\x01K\x01\206db.", OPN_ERR_FORMAT, "no 'indptr'");
    CHECK_REFUSED(CSR ")\x81(V_shape\nK\x01K\x01\x86Vindptr\nNdb.", OPN_ERR_FORMAT,
                  "'indptr' of the matrix is not a filled array");
    CHECK_REFUSED(CSR ")\x81(V_shape\nK\x01K\x01\x86Vindptr\n" ARRAY "db.",
                  OPN_ERR_FORMAT, "'indptr' of the matrix is not a filled array");
    CHECK_REFUSED(CSR ")\x81(V_shape\nK\x01K\x01\x86Vindptr\n" BYTES_2
                      "Vindices\n" BYTES_1 "Vdata\n" BYTES_2 "db.",
                  OPN_ERR_FORMAT, "1 indices for 2 values");
    CHECK_REFUSED(CSR ")\x81(V_shape\nK\x02K\x01\x86Vindptr\n" BYTES_2
                      "Vindices\n" BYTES_1 "Vdata\n" BYTES_1 "db.",
                  OPN_ERR_FORMAT, "2 offsets for 2 rows");
    CHECK_REFUSED(CSR ")\x81q\x00(V_shape\nK\x01K\x01\x86Vindptr\n" BYTES_2
                      "Vindices\n" BYTES_1 "Vdata\n" BYTES_1 "dq\001bh\001b.",
                  OPN_ERR_FORMAT, "a matrix is filled twice");
}

// ---- hostile input -------------------------------------------------------------------

static const sample hostile[] = {
        SAMPLE(basic_p0),        SAMPLE(basic_p4),       SAMPLE(graph_p2),
        SAMPLE(csr_p0),          SAMPLE(csr_p2),         SAMPLE(csr_p5),
        SAMPLE(arrays_p5),       SAMPLE(scalars_p2),     SAMPLE(python2_matrix),
        SAMPLE(python2_ordered), SAMPLE(coo_p4),         SAMPLE(coo_coords),
        SAMPLE(mixed_p3),        SAMPLE(wrapped_csr_p3), SAMPLE(wrapped_list_p3),
        SAMPLE(wrapped_array_p3)};

static void test_pickle_survives_truncation_at_every_byte(void **state)
{
    (void)state;
    for (size_t s = 0; s < N_OF(hostile); s++) {
        for (size_t n = 0; n < hostile[s].n; n++) {
            fixture f;
            load(&f, hostile[s].data, n, 0);
            assert_int_equal(f.status, OPN_ERR_FORMAT);
            unload(&f);
        }
    }
}

static void test_pickle_survives_every_flipped_bit(void **state)
{
    (void)state;
    for (size_t s = 0; s < N_OF(hostile); s++) {
        unsigned char *broken = support_copy(hostile[s].data, hostile[s].n);
        for (size_t bit = 0; bit < 8 * hostile[s].n; bit++) {
            fixture f;
            support_flip_bit(broken, bit);
            load(&f, broken, hostile[s].n, 0);
            assert_true(f.status == OPN_OK || f.status == OPN_ERR_FORMAT ||
                        f.status == OPN_ERR_UNSUPPORTED || f.status == OPN_ERR_OVERFLOW);
            unload(&f);
            support_flip_bit(broken, bit);
        }
        support_copy_free(broken);
    }
}

static void test_pickle_survives_any_allocation_failure(void **state)
{
    (void)state;
    for (size_t s = 0; s < N_OF(hostile); s++) {
        opn_status status = OPN_ERR_NOMEM;
        long n_failed = 0;
        while (status != OPN_OK) {
            fixture f;
            load(&f, hostile[s].data, hostile[s].n, n_failed + 1);
            status = f.status;
            if (status != OPN_OK) {
                assert_int_equal(status, OPN_ERR_NOMEM);
                n_failed++;
            }
            unload(&f);
        }
        assert_true(n_failed >= 3); // the result, its stack, the first values
    }
}

static void check_cheap_failure(const char *data, size_t n)
{
    fixture f;
    load(&f, data, n, 0);
    assert_int_equal(f.status, OPN_ERR_FORMAT);
    assert_true(f.meter.largest <= 2048);
    unload(&f);
}

#define CHECK_CHEAP_FAILURE(text) check_cheap_failure(text, sizeof(text) - 1)

static void test_pickle_asks_for_no_memory_that_the_file_does_not_back(void **state)
{
    (void)state;
    CHECK_CHEAP_FAILURE("T\xff\xff\xff\177a.");
    CHECK_CHEAP_FAILURE("X\xff\xff\xff\377a.");
    CHECK_CHEAP_FAILURE("\x8e\xff\xff\xff\xff\xff\xff\xff\377a.");
    CHECK_CHEAP_FAILURE("\x95\xff\xff\xff\xff\xff\xff\xff\x7fN.");
    CHECK_CHEAP_FAILURE("\x8b\xff\xff\xff\x7f\x01.");
    CHECK_CHEAP_FAILURE("Nr\xff\xff\xff\xff.");
    CHECK_CHEAP_FAILURE("Np9223372036854775807\n.");
    CHECK_CHEAP_FAILURE(ARRAY "(K\x01I9223372036854775807\n\x85" DTYPE
                              "\x89U\x01\x01tb.");
}

// `head`, then `body` over and over, then STOP.
static void load_repeated(fixture *f,
                          const char *head,
                          size_t n_head,
                          const char *body,
                          size_t n_body,
                          int n)
{
    const size_t n_bytes = n_head + n_body * (size_t)n + 1;
    char *data = malloc(n_bytes);
    assert_non_null(data);
    memcpy(data, head, n_head);
    for (int i = 0; i < n; i++)
        memcpy(data + n_head + n_body * (size_t)i, body, n_body);
    data[n_bytes - 1] = '.';
    load(f, data, n_bytes, 0);
    free(data);
}

#define LOAD_REPEATED(f, head, body, n) \
    load_repeated(f, head, sizeof(head) - 1, body, sizeof(body) - 1, n)

static void test_pickle_keeps_memory_and_depth_within_bounds(void **state)
{
    (void)state;
    enum { N = 100000 };
    fixture f;
    LOAD_REPEATED(&f, "]", "K\001a",
                  N); // one long list
    assert_int_equal(f.status, OPN_OK);
    assert_int_equal(opn_i_pickle_root(f.pickle)->as.list->n, N);
    assert_true(f.meter.n_bytes < (size_t)N * 3 * 32);
    unload(&f);
    LOAD_REPEATED(&f, "N", "\x85", N); // one deep tuple
    assert_int_equal(f.status, OPN_OK);
    assert_true(f.meter.n_bytes < (size_t)N * 64);
    unload(&f);
    LOAD_REPEATED(&f, "N", "(", N); // marks without end
    assert_int_equal(f.status, OPN_ERR_FORMAT);
    unload(&f);
    LOAD_REPEATED(&f, "]\x94",
                  "h\x00\x86\x94"
                  "h\x00",
                  N); // one list everywhere
    assert_int_equal(f.status, OPN_OK);
    assert_true(f.meter.n_bytes < (size_t)N * 6 * 40);
    unload(&f);
}

static void check_quadratic(const char *head, size_t n_head, const char *body, size_t n)
{
    enum { N = 5000 };
    fixture f;
    load_repeated(&f, head, n_head, body, n, N);
    assert_int_equal(f.status, OPN_ERR_FORMAT);
    support_expect_error(f.ctx, "used over and over");
    assert_true(f.meter.n_bytes < 64 * (n_head + n * N));
    unload(&f);
}

// Each call costs the file six bytes, and Python the length of the first value.
static void test_pickle_refuses_quadratic_work(void **state)
{
    (void)state;
    enum { N = 8192 };
    static const char encode[] = "c_codecs\nencode\nq\000V";
    static const char latin1[] = "\nVlatin1\n\206q\001";
    static const char ordered[] = "\200\002ccollections\nOrderedDict\nq\000](";
    static const char end[] = "e\205q\001";
    static const char body[] = "h\000h\001R0";
    static char head[N];
    memset(head, 'a', N);
    memcpy(head, encode, sizeof(encode) - 1);
    memcpy(head + N - (sizeof(latin1) - 1), latin1, sizeof(latin1) - 1);
    check_quadratic(head, N, body, sizeof(body) - 1);

    memset(head, ')', N);
    memcpy(head, ordered, sizeof(ordered) - 1);
    for (size_t i = sizeof(ordered) + 1; i < N - 4; i += 3)
        head[i] = '\206'; // a pair is two empty tuples, then TUPLE2
    memcpy(head + N - (sizeof(end) - 1), end, sizeof(end) - 1);
    check_quadratic(head, N, body, sizeof(body) - 1);
}

static void test_pickle_names_every_kind(void **state)
{
    (void)state;
    for (int kind = OPN_PICKLE_UNSET; kind <= OPN_PICKLE_DTYPE; kind++)
        assert_true(strlen(opn_i_pickle_kind_name((opn_i_pickle_kind)kind)) > 3);
    assert_string_equal(opn_i_pickle_kind_name(OPN_PICKLE_DICT), "a dict");
    opn_i_pickle_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_pickle_reads_plain_values_of_every_protocol),
            cmocka_unit_test(
                    test_pickle_reads_defaultdicts_of_every_protocol_and_of_python_2),
            cmocka_unit_test(test_pickle_reads_matrices_of_every_protocol_and_release),
            cmocka_unit_test(test_pickle_reads_arrays_of_objects),
            cmocka_unit_test(test_pickle_reads_arrays_of_any_type_and_order),
            cmocka_unit_test(test_pickle_reads_scalars_as_their_numbers),
            cmocka_unit_test(test_pickle_reads_strings_and_numbers_of_python_2),
            cmocka_unit_test(test_pickle_reads_ordered_dicts_in_their_order),
            cmocka_unit_test(test_pickle_reads_integers_of_every_width),
            cmocka_unit_test(test_pickle_reads_what_is_no_number_as_such),
            cmocka_unit_test(test_pickle_pops_values_and_marks),
            cmocka_unit_test(test_pickle_shares_what_the_memo_shares),
            cmocka_unit_test(test_pickle_ignores_bytes_behind_it),
            cmocka_unit_test(test_pickle_refuses_other_classes_by_name),
            cmocka_unit_test(test_pickle_refuses_opcodes_by_name),
            cmocka_unit_test(test_pickle_refuses_arrays_of_records),
            cmocka_unit_test(test_pickle_refuses_integers_beyond_64_bits),
            cmocka_unit_test(test_pickle_refuses_broken_numbers_and_strings),
            cmocka_unit_test(test_pickle_refuses_a_stack_out_of_order),
            cmocka_unit_test(test_pickle_refuses_inconsistent_arrays),
            cmocka_unit_test(test_pickle_refuses_other_arguments),
            cmocka_unit_test(test_pickle_refuses_inconsistent_matrices),
            cmocka_unit_test(test_pickle_survives_truncation_at_every_byte),
            cmocka_unit_test(test_pickle_survives_every_flipped_bit),
            cmocka_unit_test(test_pickle_survives_any_allocation_failure),
            cmocka_unit_test(test_pickle_asks_for_no_memory_that_the_file_does_not_back),
            cmocka_unit_test(test_pickle_keeps_memory_and_depth_within_bounds),
            cmocka_unit_test(test_pickle_refuses_quadratic_work),
            cmocka_unit_test(test_pickle_names_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
