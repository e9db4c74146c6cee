// faults_test.c -- whole flows in which each allocation, each read and each write fails
// once: the right status, nothing half done, nothing leaked, nothing left behind.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/fault.h"
#include "support/planetoid_writer.h"
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// ---- calls that fail on demand -------------------------------------------------------

static fault reads;        // open to read, read
static fault writes;       // open to write, write, fsync, close, rename, mkdir
static fault folder_syncs; // open, fsync and close of a folder

int __close(int file);

static bool is_folder(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_written(int file)
{
    const int flags = fcntl(file, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list args;
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    fault *f = flags & O_DIRECTORY               ? &folder_syncs
               : (flags & O_ACCMODE) != O_RDONLY ? &writes
                                                 : &reads;
    return f->error != 0 && fault_fails(f, "open") ? -1
                                                   : openat(AT_FDCWD, path, flags, mode);
}

ssize_t read(int file, void *data, size_t n_bytes)
{
    struct iovec part = {data, n_bytes};
    if (n_bytes > 1 && fault_fails(&reads, "read")) {
        if (reads.error != 0)
            return -1;
        part.iov_len = 1;
    }
    return readv(file, &part, 1);
}

ssize_t write(int file, const void *data, size_t n_bytes)
{
    // writev() does not write to its parts, but has no type to say so.
    struct iovec part = {NULL, n_bytes};
    memcpy(&part.iov_base, &data, sizeof(data));
    if (n_bytes > 1 && fault_fails(&writes, "write")) {
        if (writes.error != 0)
            return -1;
        part.iov_len = 1;
    }
    return writev(file, &part, 1);
}

// Nothing here has to survive a crash, so nothing is really synced.
int fsync(int file)
{
    fault *f = is_folder(file) ? &folder_syncs : &writes;
    return f->error != 0 && f->error != EINTR && fault_fails(f, "fsync") ? -1 : 0;
}

// The descriptor is gone after close() even where it reports that data were lost.
int close(int file)
{
    fault *f = is_folder(file) ? &folder_syncs : is_written(file) ? &writes : NULL;
    const bool is_refused =
            f != NULL && f->error != 0 && f->error != EINTR && fault_fails(f, "close");
    const int error = errno;
    const int result = __close(file);
    if (!is_refused)
        return result;
    errno = error;
    return -1;
}

int rename(const char *from, const char *to)
{
    if (writes.error != 0 && writes.error != EINTR && fault_fails(&writes, "rename"))
        return -1;
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int mkdir(const char *path, mode_t mode)
{
    if (writes.error != 0 && writes.error != EINTR && fault_fails(&writes, "mkdir"))
        return -1;
    return mkdirat(AT_FDCWD, path, mode);
}

// The descriptor that comes next; a higher one later means that some were leaked.
static int next_descriptor(void)
{
    const int file = dup(STDERR_FILENO);
    assert_true(file >= 0);
    close(file);
    return file;
}

// ---- the scene -----------------------------------------------------------------------

static struct {
    char folder[SUPPORT_PATH];
    char data[SUPPORT_PATH];      // folder/data: where the inputs lie
    char npz[SUPPORT_PATH];       // data/small.npz
    char csv[SUPPORT_PATH];       // data/small
    char planetoid[SUPPORT_PATH]; // data/ind.small.graph and so on
    char out[SUPPORT_PATH];       // folder/out: where results go
    char out_npz[SUPPORT_PATH];   // out/graph.npz
    char out_csv[SUPPORT_PATH];   // out/graph
    opn_ctx *ctx;
    opn_graph *graph; // of data/small
    opn_params *params;
} scene;

static void write_folder(void)
{
    char path[SUPPORT_PATH];
    assert_int_equal(mkdir(scene.csv, 0777), 0);
    support_write_text(support_path(path, scene.csv, "labels.csv"),
                       "node,label\nanna,red\nben,blue\nchris,red\ndora,\nemil,blue\n"
                       "fee,red\ngina,blue\nhans,red\n");
    support_write_text(support_path(path, scene.csv, "features.csv"),
                       "node,feature,value\nanna,age,0.5\nanna,size,2\nben,age,0.25\n"
                       "chris,size,1.5\ndora,far,3\nemil,age,1\nhans,far,0.125\n");
    support_write_text(support_path(path, scene.csv, "edges.csv"),
                       "source,target,weight\nanna,ben,0.5\nben,anna,2\nben,chris,1\n"
                       "chris,chris,4\ndora,emil,0.75\nemil,anna,1\nfee,gina,3\n");
    support_write_text(support_path(path, scene.csv, "split.csv"),
                       "node,role\nanna,train\nben,train\nchris,validation\nemil,test\n");
}

static void set_param(const char *name, const char *text)
{
    assert_int_equal(opn_params_set(scene.ctx, scene.params, name, text), OPN_OK);
}

static int open_scene(void **state)
{
    (void)state;
    support_temp_folder(scene.folder);
    support_path(scene.data, scene.folder, "data");
    support_path(scene.npz, scene.data, "small.npz");
    support_path(scene.csv, scene.data, "small");
    support_path(scene.planetoid, scene.data, "ind.small");
    support_path(scene.out, scene.folder, "out");
    support_path(scene.out_npz, scene.out, "graph.npz");
    support_path(scene.out_csv, scene.out, "graph");
    assert_int_equal(mkdir(scene.data, 0777), 0);
    assert_int_equal(mkdir(scene.out, 0777), 0);
    write_folder();
    support_write_planetoid(scene.planetoid);
    scene.ctx = support_ctx(NULL);
    assert_int_equal(opn_graph_load(scene.ctx, scene.csv, NULL, &scene.graph), OPN_OK);
    assert_int_equal(opn_graph_save(scene.ctx, scene.graph, scene.npz), OPN_OK);
    assert_int_equal(opn_params_create(scene.ctx, &scene.params), OPN_OK);
    set_param("nodes", "60");
    set_param("classes", "3");
    set_param("features", "20");
    set_param("words", "4");
    set_param("label_noise", "0.1");
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    opn_params_free(scene.params);
    opn_graph_free(scene.graph);
    opn_ctx_free(scene.ctx);
    support_remove_folder(scene.folder);
    return 0;
}

static void empty_out(void)
{
    support_remove_folder(scene.out);
    assert_int_equal(mkdir(scene.out, 0777), 0);
}

// ---- flows ---------------------------------------------------------------------------

// One call of the library. A flow that makes a graph hands it to *out; the others see to
// their own results. *out and they are as before when the call fails.
typedef opn_status flow(opn_ctx *ctx, opn_graph **out);

static opn_status load_npz(opn_ctx *ctx, opn_graph **out)
{
    return opn_graph_load(ctx, scene.npz, NULL, out);
}

static opn_status load_folder(opn_ctx *ctx, opn_graph **out)
{
    return opn_graph_load(ctx, scene.csv, NULL, out);
}

static opn_status load_planetoid(opn_ctx *ctx, opn_graph **out)
{
    return opn_graph_load(ctx, scene.planetoid, NULL, out);
}

static opn_status generate(opn_ctx *ctx, opn_graph **out)
{
    return opn_graph_generate(ctx, scene.params, out);
}

static opn_status prepare(opn_ctx *ctx, opn_graph **out)
{
    return opn_graph_prepare(ctx, scene.graph,
                             OPN_STEP_UNDIRECTED | OPN_STEP_LARGEST_COMPONENT |
                                     OPN_STEP_BINARY_FEATURES | OPN_STEP_ROW_NORMALISE |
                                     OPN_STEP_STANDARDISE,
                             out);
}

static opn_status describe(opn_ctx *ctx, opn_graph **out)
{
    (void)out;
    opn_graph_info info;
    opn_graph_info before;
    memset(&info, 0xa5, sizeof(info));
    memcpy(&before, &info, sizeof(info));
    const opn_status status = opn_graph_describe(ctx, scene.graph, &info);
    if (status == OPN_OK)
        assert_int_equal(info.n_nodes, 8);
    else
        assert_memory_equal(&info, &before, sizeof(info));
    return status;
}

static opn_status hash(opn_ctx *ctx, opn_graph **out)
{
    (void)out;
    char text[65] = "as before";
    const opn_status status = opn_graph_hash(ctx, scene.graph, text);
    assert_int_equal(strlen(text), status == OPN_OK ? 64 : 9);
    return status;
}

static opn_status split(opn_ctx *ctx, opn_graph **out)
{
    (void)out;
    static const opn_split_rule rules[] = {OPN_SPLIT_GIVEN, OPN_SPLIT_OWN};
    opn_status status = OPN_OK;
    for (size_t r = 0; r < 2 && status == OPN_OK; r++) {
        const int32_t blue = 0;
        opn_split *made = NULL;
        status = opn_split_create(ctx, scene.graph, rules[r], 1, &blue, 1, &made);
        assert_true((made == NULL) == (status != OPN_OK));
        opn_split_free(made);
    }
    return status;
}

static opn_status make_params(opn_ctx *ctx, opn_graph **out)
{
    (void)out;
    opn_params *params = NULL;
    opn_status status = opn_params_create(ctx, &params);
    assert_true((params == NULL) == (status != OPN_OK));
    if (status == OPN_OK)
        status = opn_params_set(ctx, params, "output", scene.out);
    opn_params_free(params);
    return status;
}

static opn_status save_npz(opn_ctx *ctx, opn_graph **out)
{
    (void)out;
    return opn_graph_save(ctx, scene.graph, scene.out_npz);
}

static opn_status save_folder(opn_ctx *ctx, opn_graph **out)
{
    (void)out;
    return opn_graph_save(ctx, scene.graph, scene.out_csv);
}

static flow *const flows[] = {load_npz,    load_folder, load_planetoid, generate,
                              prepare,     describe,    hash,           split,
                              make_params, save_npz,    save_folder};

enum { N_FLOWS = sizeof(flows) / sizeof(flows[0]) };

static bool is_save(flow *run)
{
    return run == save_npz || run == save_folder;
}

static void hash_of(const opn_graph *graph, char text[65])
{
    assert_int_equal(opn_graph_hash(scene.ctx, graph, text), OPN_OK);
}

// Asserts that what was saved is the scene's graph, and nothing lies beside it.
static void expect_saved(const char *path)
{
    opn_graph *graph = NULL;
    char got[65];
    char want[65];
    assert_int_equal(support_count_entries(scene.out), 1);
    assert_int_equal(opn_graph_load(scene.ctx, path, NULL, &graph), OPN_OK);
    hash_of(graph, got);
    hash_of(scene.graph, want);
    assert_string_equal(got, want);
    opn_graph_free(graph);
}

// What a flow comes to when nothing fails: the hash of its graph, or "".
static void outcome(flow *run, char text[65])
{
    opn_graph *graph = NULL;
    text[0] = 0;
    assert_int_equal(run(scene.ctx, &graph), OPN_OK);
    if (graph != NULL)
        hash_of(graph, text);
    opn_graph_free(graph);
}

// Where no graph is.
static opn_graph *untouched(void)
{
    static char place;
    return (opn_graph *)(void *)&place;
}

// Asserts that a flow which failed left nothing, and one that did not is right.
static void
check_outcome(flow *run, opn_status status, opn_graph *graph, const char *want)
{
    if (status != OPN_OK) {
        assert_ptr_equal(graph, untouched());
        assert_int_equal(support_count_entries(scene.out), 0);
        return;
    }
    if (graph != untouched()) {
        char got[65];
        hash_of(graph, got);
        assert_string_equal(got, want);
        opn_graph_free(graph);
    }
    if (is_save(run)) {
        expect_saved(run == save_npz ? scene.out_npz : scene.out_csv);
        empty_out();
    }
}

// ---- allocations ---------------------------------------------------------------------

static void test_every_request_to_the_hooks_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FLOWS; f++) {
        char want[65];
        bool is_reached = true;
        outcome(flows[f], want);
        empty_out();
        for (long k = 1; is_reached; k++) {
            meter m = {0};
            opn_ctx *ctx = support_ctx(&m);
            opn_graph *graph = untouched();
            m.fail_at = m.n_requests + k;
            const opn_status status = flows[f](ctx, &graph);
            is_reached = m.n_requests >= m.fail_at;
            assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
            if (is_reached)
                support_expect_error(ctx, "out of memory");
            check_outcome(flows[f], status, graph, want);
            support_ctx_free(ctx, &m);
            assert_true(is_reached || k > 1); // there was something to refuse
        }
    }
}

#if HEAP_IS_OURS
// libzip does not always report that memory ran out.
static bool is_out_of_memory(flow *run, opn_status status)
{
    return status == OPN_ERR_NOMEM || (run == load_npz && status == OPN_ERR_FORMAT) ||
           (run == save_npz && status == OPN_ERR_INTERNAL);
}

// All of the process: libzip, zlib, OpenSSL and the C library too, which may do without.
static void test_every_request_to_the_heap_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FLOWS; f++) {
        char want[65];
        bool is_reached = true;
        outcome(flows[f], want);
        empty_out();
        for (long k = 1; is_reached; k += k < 2000 ? 1 : 7) {
            opn_graph *graph = untouched();
            opn_ctx *ctx = support_ctx(NULL);
            const int descriptor = next_descriptor();
            fault_arm(&fault_heap, k, ENOMEM);
            const opn_status status = flows[f](ctx, &graph);
            fault_disarm(&fault_heap);
            is_reached = fault_heap.n_calls >= k;
            if (status != OPN_OK && !(is_reached && is_out_of_memory(flows[f], status)))
                fail_msg("flow %zu, request %ld: %s: %s", f, k, opn_status_name(status),
                         opn_ctx_error(ctx));
            check_outcome(flows[f], status, graph, want);
            opn_ctx_free(ctx);
            assert_int_equal(next_descriptor(), descriptor);
        }
    }
}
#endif

// ---- reads ---------------------------------------------------------------------------

static void test_every_read_may_fail(void **state)
{
    (void)state;
    static flow *const loads[] = {load_npz, load_folder, load_planetoid};
    for (size_t f = 0; f < 3; f++) {
        char want[65];
        bool is_reached = true;
        outcome(loads[f], want);
        for (long k = 1; is_reached; k++) {
            meter m = {0};
            opn_ctx *ctx = support_ctx(&m);
            opn_graph *graph = untouched();
            const int descriptor = next_descriptor();
            fault_arm(&reads, k, EIO);
            const opn_status status = loads[f](ctx, &graph);
            fault_disarm(&reads);
            is_reached = reads.n_calls >= k;
            assert_int_equal(status, is_reached ? OPN_ERR_READ : OPN_OK);
            if (is_reached)
                support_expect_error(ctx, scene.data);
            check_outcome(loads[f], status, graph, want);
            support_ctx_free(ctx, &m);
            assert_int_equal(next_descriptor(), descriptor);
        }
    }
}

// A signal, or a device that gives little at a time.
static void test_reads_go_on_where_they_were_stopped(void **state)
{
    (void)state;
    static flow *const loads[] = {load_npz, load_folder, load_planetoid};
    static const int errors[] = {EINTR, 0};
    for (size_t f = 0; f < 3; f++) {
        for (size_t e = 0; e < 2; e++) {
            char want[65];
            bool is_reached = true;
            outcome(loads[f], want);
            for (long k = 1; is_reached; k++) {
                opn_graph *graph = untouched();
                fault_refused[0] = 0;
                fault_arm(&reads, k, errors[e]);
                const opn_status status = loads[f](scene.ctx, &graph);
                fault_disarm(&reads);
                is_reached = reads.n_calls >= k;
                if (strcmp(fault_refused, "open") == 0)
                    continue; // of a file on a disk, which is never interrupted
                assert_int_equal(status, OPN_OK);
                check_outcome(loads[f], status, graph, want);
            }
        }
    }
}

// ---- writes --------------------------------------------------------------------------

// Saves to path with each call failing in turn. Before each round `reset` makes the place
// as it is to be, and `expect_kept` asserts that it still is.
static void refuse_each_write(const char *path, void reset(void), void expect_kept(void))
{
    static const char *const calls[] = {"open", "write", "fsync", "close", "rename"};
    bool is_seen[5] = {false};
    bool is_reached = true;
    for (long k = 1; is_reached; k++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        const int descriptor = next_descriptor();
        empty_out();
        reset();
        fault_arm(&writes, k, ENOSPC);
        const opn_status status = opn_graph_save(ctx, scene.graph, path);
        fault_disarm(&writes);
        is_reached = writes.n_calls >= k;
        assert_int_equal(status, is_reached ? OPN_ERR_WRITE : OPN_OK);
        if (is_reached) {
            support_expect_error(ctx, path);
            support_expect_error(ctx, strerror(ENOSPC));
            expect_kept();
        } else {
            expect_saved(path);
        }
        for (size_t c = 0; c < 5; c++)
            is_seen[c] = is_seen[c] || strcmp(fault_refused, calls[c]) == 0;
        support_ctx_free(ctx, &m);
        assert_int_equal(next_descriptor(), descriptor);
    }
    for (size_t c = 0; c < 5; c++)
        if (!is_seen[c])
            fail_msg("%s was never fault_refused", calls[c]);
    empty_out();
}

static void nothing(void)
{
}

static void expect_nothing(void)
{
    assert_int_equal(support_count_entries(scene.out), 0);
}

static void make_old_file(void)
{
    support_write_text(scene.out_npz, "old");
}

static void expect_old_file(void)
{
    assert_int_equal(support_count_entries(scene.out), 1);
    support_expect_file(scene.out_npz, "old", 3);
}

static void make_empty_folder(void)
{
    assert_int_equal(mkdir(scene.out_csv, 0777), 0);
}

static void expect_empty_folder(void)
{
    assert_int_equal(support_count_entries(scene.out), 1);
    assert_int_equal(support_count_entries(scene.out_csv), 0);
}

static void test_every_write_of_a_new_file_may_fail(void **state)
{
    (void)state;
    refuse_each_write(scene.out_npz, nothing, expect_nothing);
}

static void test_every_write_over_a_file_may_fail(void **state)
{
    (void)state;
    refuse_each_write(scene.out_npz, make_old_file, expect_old_file);
}

static void test_every_write_of_a_new_folder_may_fail(void **state)
{
    (void)state;
    refuse_each_write(scene.out_csv, nothing, expect_nothing);
}

static void test_every_write_into_an_empty_folder_may_fail(void **state)
{
    (void)state;
    refuse_each_write(scene.out_csv, make_empty_folder, expect_empty_folder);
}

static void test_a_folder_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    fault_refused[0] = 0;
    fault_arm(&writes, 1, EACCES);
    const opn_status status = opn_graph_save(scene.ctx, scene.graph, scene.out_csv);
    fault_disarm(&writes);
    assert_string_equal(fault_refused, "mkdir");
    assert_int_equal(status, OPN_ERR_WRITE);
    support_expect_error(scene.ctx, scene.out_csv);
    support_expect_error(scene.ctx, strerror(EACCES));
    assert_int_equal(support_count_entries(scene.out), 0);
}

// A signal, or a pipe that takes little at a time.
static void test_writes_go_on_where_they_were_stopped(void **state)
{
    (void)state;
    static const int errors[] = {EINTR, 0};
    for (size_t p = 0; p < 2; p++) {
        const char *path = p == 0 ? scene.out_npz : scene.out_csv;
        for (size_t e = 0; e < 2; e++) {
            bool is_reached = true;
            for (long k = 1; is_reached; k++) {
                fault_refused[0] = 0;
                fault_arm(&writes, k, errors[e]);
                const opn_status status = opn_graph_save(scene.ctx, scene.graph, path);
                fault_disarm(&writes);
                is_reached = writes.n_calls >= k;
                if (strcmp(fault_refused, "open") != 0) { // as above
                    assert_int_equal(status, OPN_OK);
                    expect_saved(path);
                }
                empty_out();
            }
        }
    }
}

// Some file systems cannot do it; the file is whole there all the same.
static void test_a_folder_that_cannot_be_synced_is_no_failure(void **state)
{
    (void)state;
    for (size_t p = 0; p < 2; p++) {
        const char *path = p == 0 ? scene.out_npz : scene.out_csv;
        bool is_reached = true;
        for (long k = 1; is_reached; k++) {
            const int descriptor = next_descriptor();
            fault_arm(&folder_syncs, k, EINVAL);
            const opn_status status = opn_graph_save(scene.ctx, scene.graph, path);
            fault_disarm(&folder_syncs);
            is_reached = folder_syncs.n_calls >= k;
            assert_int_equal(status, OPN_OK);
            expect_saved(path);
            empty_out();
            assert_int_equal(next_descriptor(), descriptor);
            assert_true(is_reached || k > 3); // open, fsync and close were tried
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_request_to_the_hooks_may_fail),
#if HEAP_IS_OURS
        cmocka_unit_test(test_every_request_to_the_heap_may_fail),
#endif
        cmocka_unit_test(test_every_read_may_fail),
        cmocka_unit_test(test_reads_go_on_where_they_were_stopped),
        cmocka_unit_test(test_every_write_of_a_new_file_may_fail),
        cmocka_unit_test(test_every_write_over_a_file_may_fail),
        cmocka_unit_test(test_every_write_of_a_new_folder_may_fail),
        cmocka_unit_test(test_every_write_into_an_empty_folder_may_fail),
        cmocka_unit_test(test_a_folder_that_cannot_be_made_is_named),
        cmocka_unit_test(test_writes_go_on_where_they_were_stopped),
        cmocka_unit_test(test_a_folder_that_cannot_be_synced_is_no_failure),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
