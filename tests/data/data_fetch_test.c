// data_fetch_test.c -- fetching where other files are in the way, the disk fails or
// memory runs out; and the datasets that can be fetched by name.

#include "fetch/fetch.h"
#include "support/cmocka_test.h"
#include "support/fault.h"
#include "support/fetch_scene.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- calls that fail on demand -------------------------------------------------------

static fault disk; // fsync, rename, mkdir

// Nothing here has to survive a crash, so nothing is really synced; syncing a folder
// never fails.
int fsync(int file)
{
    struct stat about;
    const bool is_file = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    return is_file && fault_fails(&disk, "fsync") ? -1 : 0;
}

int rename(const char *from, const char *to)
{
    return fault_fails(&disk, "rename") ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int mkdir(const char *path, mode_t mode)
{
    return fault_fails(&disk, "mkdir") ? -1 : mkdirat(AT_FDCWD, path, mode);
}

// What a .part is renamed to as soon as it is open, with another one in its place.
static const char *stolen_name;

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list args;
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    const int file = openat(AT_FDCWD, path, flags, mode);
    if (stolen_name != NULL && strstr(path, ".part") != NULL) {
        assert_int_equal(renameat(AT_FDCWD, path, AT_FDCWD, stolen_name), 0);
        close(openat(AT_FDCWD, path, O_WRONLY | O_CREAT, 0666));
    }
    return file;
}

// ---- what is there already -----------------------------------------------------------

static void test_a_wrong_file_is_left_alone(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    fetch_make_folder(scn);
    support_write_file(scn->path, fetch_server.data, SMALL - 1);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_FORMAT);
    support_expect_error(scn->s->ctx, scn->path);
    support_expect_error(scn->s->ctx, "exists with 4999 bytes, expected 5000; move it");
    support_expect_file(scn->path, fetch_server.data, SMALL - 1);
    support_write_file(scn->path, fetch_server.data + 1, SMALL);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_FORMAT);
    support_expect_error(scn->s->ctx, scn->sha256);
    support_expect_file(scn->path, fetch_server.data + 1, SMALL);
    assert_false(fetch_exists(scn->part));
    fetch_expect_requests("");
    fetch_close(scn);
}

static void test_what_is_no_file_is_left_alone(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    fetch_make_folder(scn);
    assert_int_equal(mkdir(scn->path, 0777), 0);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_READ);
    support_expect_error(scn->s->ctx, "is not a regular file");
    assert_int_equal(rmdir(scn->path), 0);
    assert_int_equal(mkfifo(scn->path, 0666), 0);
    assert_int_equal(fetch_as(scn, "whole"),
                     OPN_ERR_READ); // and does not wait for a writer
    support_expect_error(scn->s->ctx, "is not a regular file");
    fetch_expect_requests("");
    fetch_close(scn);
}

static void test_two_programs_never_write_to_one_part(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    opn_i_part other;
    fetch_make_folder(scn);
    assert_int_equal(opn_i_part_open(scn->s->ctx, scn->path, SMALL, &other), OPN_OK);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, "another program is writing to it");
    assert_int_equal(opn_i_part_put(&other, fetch_server.data, SMALL), OPN_OK);
    assert_int_equal(opn_i_part_commit(&other), OPN_OK);
    opn_i_part_close(&other);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("");
    fetch_close(scn);
}

static void test_a_part_that_another_program_finished_is_not_written_to(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    fetch_leave_part(scn, SMALL - 1);
    stolen_name = scn->path;
    const opn_status status = fetch_as(scn, "whole");
    stolen_name = NULL;
    assert_int_equal(status, OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, "another program is writing to it");
    support_expect_file(scn->path, fetch_server.data, SMALL - 1);
    fetch_expect_requests("");
    fetch_close(scn);
}

// ---- failures of the disk ------------------------------------------------------------

static void test_a_part_that_is_no_file_is_not_written_to(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    char folder[SUPPORT_PATH];
    fetch_make_folder(scn);
    assert_int_equal(mkdir(scn->part, 0777), 0);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, scn->part);
    assert_int_equal(rmdir(scn->part), 0);
    assert_int_equal(mkfifo(scn->part, 0666), 0);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, "is not a regular file");
    assert_int_equal(unlink(scn->part), 0);
    assert_int_equal(symlink("elsewhere", scn->part), 0);
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, scn->part);
    support_path(folder, scn->folder, "planetoid");
    assert_int_equal(support_count_entries(folder), 1); // the link alone
    fetch_expect_requests("");
    fetch_close(scn);
}

static void test_a_folder_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    support_write_text(scn->folder, "a file where the folder should be");
    assert_int_equal(fetch_as(scn, "whole"), OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, scn->folder);
    support_expect_error(scn->s->ctx, "is not a folder");
    fetch_close(scn);
}

static void test_a_folder_without_permission_is_named(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    fetch_scene *scn = fetch_open(SMALL);
    char path[SUPPORT_PATH];
    fetch_make_folder(scn);
    support_path(path, scn->folder, "planetoid");
    assert_int_equal(chmod(scn->s->folder, 0755), 0);
    assert_int_equal(chmod(scn->folder, 0755), 0);
    assert_int_equal(chmod(path, 0555), 0);
    const bool is_root = geteuid() == 0; // who may write everywhere
    if (is_root)
        assert_int_equal(seteuid(NOBODY), 0);
    const opn_status status = fetch_as(scn, "whole");
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(status, OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, scn->part);
    support_expect_error(scn->s->ctx, strerror(EACCES));
    assert_int_equal(support_count_entries(path), 0);
    fetch_close(scn);
}

static void test_a_full_disk_keeps_what_fits(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(LARGE);
    fetch_limit_files(70000);
    const opn_status status = fetch_as(scn, "whole");
    fetch_limit_files(RLIM_INFINITY);
    assert_int_equal(status, OPN_ERR_WRITE);
    support_expect_error(scn->s->ctx, scn->part);
    support_expect_error(scn->s->ctx, strerror(EFBIG));
    assert_false(fetch_exists(scn->path));
    support_expect_file(scn->part, fetch_server.data, 70000);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_close(scn);
}

static void test_every_step_on_the_disk_may_fail(void **state)
{
    (void)state;
    bool is_reached = true;
    for (long k = 1; is_reached; k++) {
        fetch_scene *scn = fetch_open(SMALL);
        fetch_make_mirror(scn, SMALL);
        fault_refused[0] = 0;
        fault_arm(&disk, k, ENOSPC);
        opn_status status = fetch_from(scn, scn->mirror);
        disk.is_armed = false;
        is_reached = disk.n_calls >= k;
        // A folder that cannot be made does no harm where it is there already.
        assert_true(status != OPN_OK || !is_reached ||
                    strcmp(fault_refused, "mkdir") == 0);
        if (status != OPN_OK) {
            assert_true(is_reached);
            assert_int_equal(status, OPN_ERR_WRITE);
            support_expect_error(scn->s->ctx, strerror(ENOSPC));
            assert_false(fetch_exists(scn->path));
            status = fetch_from(scn, scn->mirror);
        }
        assert_int_equal(status, OPN_OK);
        fetch_expect_whole(scn);
        fetch_close(scn);
        assert_true(is_reached || k > 4);
    }
}

// ---- memory --------------------------------------------------------------------------

static void test_every_request_to_the_hooks_may_fail(void **state)
{
    (void)state;
    bool is_reached = true;
    for (long k = 1; is_reached; k++) {
        fetch_scene *scn = fetch_open(SMALL);
        const long n_live = scn->s->m.n_live;
        scn->s->m.fail_at = scn->s->m.n_requests + k;
        const opn_status status = fetch_as(scn, "whole");
        is_reached = scn->s->m.n_requests >= scn->s->m.fail_at;
        assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
        assert_int_equal(fetch_exists(scn->path), !is_reached);
        assert_int_equal(scn->s->m.n_live, n_live);
        fetch_close(scn);
        assert_true(is_reached || k > 4);
    }
}

#if HEAP_IS_OURS
// libcurl and OpenSSL too; they do not always report that memory ran out.
static void test_every_request_to_the_heap_may_fail(void **state)
{
    (void)state;
    bool is_reached = true;
    fetch_scene *scn = fetch_open(SMALL);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK); // what is made once is made
    for (long k = 1; is_reached; k++) {
        unlink(scn->path);
        unlink(scn->part);
        fault_arm(&fault_heap, k, ENOMEM);
        const opn_status status = fetch_as(scn, "whole");
        fault_disarm(&fault_heap);
        is_reached = fault_heap.n_calls >= k;
        if (status != OPN_OK) {
            assert_true(is_reached);
            if (status != OPN_ERR_NOMEM && status != OPN_ERR_READ)
                fail_msg("request %ld: %s: %s", k, opn_status_name(status),
                         opn_ctx_error(scn->s->ctx));
            assert_false(fetch_exists(scn->path));
        } else {
            fetch_expect_whole(scn);
        }
    }
    fetch_close(scn);
}
#endif

// ---- the public functions ------------------------------------------------------------

static const opn_dataset *dataset_called(const char *name)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, name) == 0)
            return opn_dataset_at(d);
    fail_msg("no dataset %s", name);
    return NULL;
}

static void test_every_dataset_has_a_source_but_the_embedded_one(void **state)
{
    (void)state;
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        const opn_i_data_source *source = opn_i_data_source_of(dataset->name);
        assert_int_equal(source == NULL, dataset->file == NULL);
        for (size_t f = 0; source != NULL && f < source->n_files; f++) {
            const opn_i_data_file *file = &source->file[f];
            if (source->repacked == NULL)
                assert_memory_equal(file->path, dataset->file, strlen(dataset->file));
            else
                assert_string_equal(file->path, source->repacked[f].path);
            assert_int_equal(strspn(file->sha256, "0123456789abcdef"), 64);
            assert_int_equal(strlen(file->sha256), 64);
            assert_true(file->n_bytes > 0);
        }
        // By the last two a dataset is found, so they come when all others are there.
        if (source != NULL && source->n_files == 4)
            assert_string_equal(source->file[3].path, dataset->file);
        if (source != NULL && source->n_files > 4) {
            assert_int_equal(source->n_files, 8);
            assert_non_null(strstr(source->file[6].path, ".allx"));
            assert_non_null(strstr(source->file[7].path, ".graph"));
        }
    }
}

static void test_the_embedded_dataset_needs_nothing(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    assert_int_equal(opn_data_fetch(scn->s->ctx, dataset_called("demo"), scn->folder,
                                    "no:such://mirror", &scn->info),
                     OPN_OK);
    assert_int_equal(scn->info.n_files, 0);
    assert_false(fetch_exists(scn->folder));
    fetch_close(scn);
}

static void test_the_mirror_may_stand_in_the_environment(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    char path[SUPPORT_PATH];
    support_path(path, scn->s->folder, "nowhere");
    assert_int_equal(setenv("OPINE_DATA_MIRROR", path, 1), 0);
    const opn_status status = opn_data_fetch(scn->s->ctx, dataset_called("cora"),
                                             scn->folder, NULL, &scn->info);
    assert_int_equal(unsetenv("OPINE_DATA_MIRROR"), 0);
    assert_int_equal(status, OPN_ERR_READ);
    support_expect_error(scn->s->ctx, path);
    fetch_close(scn);
}

static void test_the_data_folder_is_the_first_that_is_named(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    opn_ctx *ctx = scn->s->ctx;
    char path[64];
    assert_int_equal(setenv("OPINE_DATA", "/environment", 1), 0);
    assert_int_equal(setenv("XDG_DATA_HOME", "/xdg", 1), 0);
    assert_int_equal(setenv("HOME", "/home", 1), 0);
    assert_int_equal(opn_data_folder(ctx, "given", path, sizeof(path)), OPN_OK);
    assert_string_equal(path, "given");
    assert_int_equal(opn_data_folder(ctx, "", path, sizeof(path)), OPN_OK);
    assert_string_equal(path, "/environment");
    assert_int_equal(setenv("OPINE_DATA", "", 1), 0);
    assert_int_equal(opn_data_folder(ctx, NULL, path, sizeof(path)), OPN_OK);
    assert_string_equal(path, "/xdg/opine");
    assert_int_equal(opn_data_folder(ctx, NULL, path, 10), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_data_folder(ctx, NULL, path, 11), OPN_OK);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
    assert_int_equal(opn_data_folder(ctx, NULL, path, sizeof(path)), OPN_OK);
    assert_string_equal(path, "/home/.local/share/opine");
    fetch_close(scn);
}

static void test_an_empty_home_is_none(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    opn_ctx *ctx = scn->s->ctx;
    char path[64];
    assert_int_equal(unsetenv("OPINE_DATA"), 0);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
    assert_int_equal(setenv("HOME", "", 1), 0);
    for (int t = 0; t < 2; t++) {
        assert_int_equal(opn_data_folder(ctx, NULL, path, sizeof(path)),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx,
                             "$HOME is empty or not set; name a folder with `data_dir`");
        assert_int_equal(unsetenv("HOME"), 0);
    }
    fetch_close(scn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wrong_file_is_left_alone),
        cmocka_unit_test(test_what_is_no_file_is_left_alone),
        cmocka_unit_test(test_two_programs_never_write_to_one_part),
        cmocka_unit_test(test_a_part_that_another_program_finished_is_not_written_to),
        cmocka_unit_test(test_a_part_that_is_no_file_is_not_written_to),
        cmocka_unit_test(test_a_folder_that_cannot_be_made_is_named),
        cmocka_unit_test(test_a_folder_without_permission_is_named),
        cmocka_unit_test(test_a_full_disk_keeps_what_fits),
        cmocka_unit_test(test_every_step_on_the_disk_may_fail),
        cmocka_unit_test(test_every_request_to_the_hooks_may_fail),
#if HEAP_IS_OURS
        cmocka_unit_test(test_every_request_to_the_heap_may_fail),
#endif
        cmocka_unit_test(test_every_dataset_has_a_source_but_the_embedded_one),
        cmocka_unit_test(test_the_embedded_dataset_needs_nothing),
        cmocka_unit_test(test_the_mirror_may_stand_in_the_environment),
        cmocka_unit_test(test_the_data_folder_is_the_first_that_is_named),
        cmocka_unit_test(test_an_empty_home_is_none),
    };
    return cmocka_run_group_tests(tests, fetch_start_server, fetch_stop_server);
}
