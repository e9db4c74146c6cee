// npz_test.c -- archives of arrays written here come back, whole or not at all.

#include "arrays/npz.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <unistd.h>

// One array of each kind. Returns the status of commit, or of open.
static opn_status write_sample(opn_ctx *ctx, const char *path)
{
    static const int32_t i32[] = {-1, 2147483647, 3, 4, 5, 6};
    static const int64_t i64[] = {INT64_MIN, INT64_MAX};
    static const float f32[] = {0.5f, -1.25f, 3e38f, 0, 1, 2, 3, 4};
    static const double f64[] = {0.1};
    static const char *const text[] = {"train", "日本", ""};
    static const int64_t shape_i32[] = {2, 3};
    static const int64_t shape_i64[] = {2};
    static const int64_t shape_f32[] = {2, 2, 2};
    static const int64_t shape_text[] = {3};
    static const int64_t shape_none[] = {0, 7};
    opn_i_npz_writer *writer = NULL;
    opn_status status = opn_i_npz_writer_open(ctx, path, &writer);
    if (status != OPN_OK)
        return status;
    opn_i_npz_writer_add_i32(writer, "i32", i32, shape_i32, 2);
    opn_i_npz_writer_add_i64(writer, "i64", i64, shape_i64, 1);
    opn_i_npz_writer_add_f32(writer, "f32", f32, shape_f32, 3);
    opn_i_npz_writer_add_f64(writer, "f64", f64, NULL, 0);
    opn_i_npz_writer_add_text(writer, "text", text, shape_text, 1);
    opn_i_npz_writer_add_f32(writer, "none", NULL, shape_none, 2);
    return opn_i_npz_writer_commit(writer);
}

static opn_i_ndarray
read_array(opn_ctx *ctx, const opn_i_zip *zip, const char *name, opn_i_bytes *owner)
{
    opn_i_ndarray array = {0};
    if (opn_i_npz_read(ctx, zip, name, owner, &array) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return array;
}

static void test_npz_arrays_come_back(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    opn_i_bytes file = {0};
    opn_i_bytes owner = {0};
    opn_i_zip *zip = NULL;
    int64_t whole[6];
    double real[8];
    char text[32];
    size_t n_chars;
    assert_int_equal(write_sample(s->ctx, s->path), OPN_OK);
    assert_int_equal(opn_i_file_read(s->ctx, s->path, &file), OPN_OK);
    assert_int_equal(opn_i_zip_open(s->ctx, "out.npz", file.data, file.n, &zip), OPN_OK);
    assert_int_equal(opn_i_zip_n_members(zip), 6);

    opn_i_ndarray array = read_array(s->ctx, zip, "i32", &owner);
    assert_true(array.n_dims == 2 && array.shape[0] == 2 && array.shape[1] == 3);
    assert_int_equal(opn_i_ndarray_to_i64(s->ctx, "x", &array, whole), OPN_OK);
    assert_true(whole[0] == -1 && whole[1] == 2147483647 && whole[5] == 6);
    opn_i_bytes_release(s->ctx, &owner);

    array = read_array(s->ctx, zip, "i64", &owner);
    assert_int_equal(opn_i_ndarray_to_i64(s->ctx, "x", &array, whole), OPN_OK);
    assert_true(whole[0] == INT64_MIN && whole[1] == INT64_MAX);
    opn_i_bytes_release(s->ctx, &owner);

    array = read_array(s->ctx, zip, "f32", &owner);
    assert_int_equal(array.n_dims, 3);
    assert_int_equal(opn_i_ndarray_to_f64(s->ctx, "x", &array, real), OPN_OK);
    assert_true(real[1] == -1.25 && real[2] == (double)3e38f && real[7] == 4);
    opn_i_bytes_release(s->ctx, &owner);

    array = read_array(s->ctx, zip, "f64", &owner);
    assert_int_equal(array.n_dims, 0);
    assert_int_equal(opn_i_ndarray_to_f64(s->ctx, "x", &array, real), OPN_OK);
    assert_true(real[0] == 0.1);
    opn_i_bytes_release(s->ctx, &owner);

    array = read_array(s->ctx, zip, "text", &owner);
    assert_int_equal(opn_i_ndarray_text(s->ctx, "x", &array, 1, text, &n_chars), OPN_OK);
    assert_int_equal(n_chars, 6);
    assert_memory_equal(text, "日本", 6);
    opn_i_bytes_release(s->ctx, &owner);

    array = read_array(s->ctx, zip, "none", &owner);
    assert_true(array.n_items == 0 && array.shape[1] == 7);
    opn_i_bytes_release(s->ctx, &owner);

    opn_i_zip_close(zip);
    opn_i_bytes_release(s->ctx, &file);
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

static void test_npz_same_arrays_give_the_same_bytes_in_any_time_zone(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York"};
    opn_i_bytes first = {0};
    for (size_t z = 0; z < sizeof(zones) / sizeof(zones[0]); z++) {
        opn_i_bytes file = {0};
        setenv("TZ", zones[z], 1);
        assert_int_equal(write_sample(s->ctx, s->path), OPN_OK);
        assert_int_equal(opn_i_file_read(s->ctx, s->path, &file), OPN_OK);
        assert_int_equal(unlink(s->path), 0);
        if (z == 0) {
            first = file;
            continue;
        }
        assert_int_equal(file.n, first.n);
        assert_memory_equal(file.data, first.data, file.n);
        opn_i_bytes_release(s->ctx, &file);
    }
    unsetenv("TZ");
    opn_i_bytes_release(s->ctx, &first);
    support_close_stage(s);
}

static void test_npz_first_failure_is_kept_for_commit(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    static const char *const bad[] = {"fine", "\xff"};
    const int64_t n = 2;
    const int32_t numbers[] = {1, 2};
    opn_i_npz_writer *writer = NULL;
    assert_int_equal(opn_i_npz_writer_open(s->ctx, s->path, &writer), OPN_OK);
    opn_i_npz_writer_add_i32(writer, "a", numbers, &n, 1);
    opn_i_npz_writer_add_text(writer, "b", bad, &n, 1);
    opn_i_npz_writer_add_i32(writer, "a", numbers, &n, 1);
    assert_int_equal(opn_ctx_set_threads(s->ctx, -1), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_i_npz_writer_commit(writer), OPN_ERR_FORMAT);
    support_expect_error(s->ctx, "out.npz: array b: text 1: byte 0 is not UTF-8");
    assert_int_equal(support_count_entries(s->folder), 0);
    support_close_stage(s);
}

static void test_npz_refuses_two_arrays_of_one_name_and_none(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    const int32_t number = 1;
    opn_i_npz_writer *writer = NULL;
    assert_int_equal(opn_i_npz_writer_open(s->ctx, s->path, &writer), OPN_OK);
    opn_i_npz_writer_add_i32(writer, "a", &number, NULL, 0);
    opn_i_npz_writer_add_i32(writer, "a", &number, NULL, 0);
    assert_int_equal(opn_i_npz_writer_commit(writer), OPN_ERR_INVALID_ARG);
    support_expect_error(s->ctx, "out.npz: two arrays are named a");
    assert_int_equal(opn_i_npz_writer_open(s->ctx, s->path, &writer), OPN_OK);
    assert_int_equal(opn_i_npz_writer_commit(writer), OPN_ERR_INVALID_ARG);
    support_expect_error(s->ctx, "no array to be written");
    assert_int_equal(support_count_entries(s->folder), 0);
    support_close_stage(s);
}

static void test_npz_discard_leaves_nothing(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    const int32_t number = 1;
    opn_i_npz_writer *writer = NULL;
    assert_int_equal(opn_i_npz_writer_open(s->ctx, s->path, &writer), OPN_OK);
    opn_i_npz_writer_add_i32(writer, "a", &number, NULL, 0);
    opn_i_npz_writer_discard(writer);
    opn_i_npz_writer_discard(NULL);
    assert_int_equal(support_count_entries(s->folder), 0);
    support_close_stage(s);
}

static void test_npz_needs_a_folder_to_write_to(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    char missing[SUPPORT_PATH];
    opn_i_npz_writer *writer = NULL;
    support_path(missing, s->folder, "none/out.npz");
    assert_int_equal(opn_i_npz_writer_open(s->ctx, missing, &writer), OPN_ERR_WRITE);
    assert_null(writer);
    support_close_stage(s);
}

static void test_npz_writing_survives_any_allocation_failure(void **state)
{
    (void)state;
    stage *s = support_open_stage("out.npz");
    for (long fail_at = 1;; fail_at++) {
        meter m = {.fail_at = fail_at};
        const opn_alloc hooks = meter_hooks(&m);
        opn_ctx *poor = NULL;
        opn_status status = opn_ctx_create(&hooks, &poor);
        if (status == OPN_OK)
            status = write_sample(poor, s->path);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_ctx_free(poor);
        assert_int_equal(m.n_live, 0);
        assert_int_equal(support_count_entries(s->folder), status == OPN_OK);
        if (status == OPN_OK)
            break;
    }
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_npz_arrays_come_back),
            cmocka_unit_test(test_npz_same_arrays_give_the_same_bytes_in_any_time_zone),
            cmocka_unit_test(test_npz_first_failure_is_kept_for_commit),
            cmocka_unit_test(test_npz_refuses_two_arrays_of_one_name_and_none),
            cmocka_unit_test(test_npz_discard_leaves_nothing),
            cmocka_unit_test(test_npz_needs_a_folder_to_write_to),
            cmocka_unit_test(test_npz_writing_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
