// support.c -- what the tests share.

#include "support/support.h"
#include "base/context.h"
#include "math/real.h"
#include "support/cmocka_test.h"

#include <dirent.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- contexts ------------------------------------------------------------------------

// Jobs on several threads share the meter of their context.
static pthread_mutex_t meter_lock = PTHREAD_MUTEX_INITIALIZER;

static void *meter_alloc(void *user, size_t n_bytes)
{
    meter *m = user;
    void *ptr = NULL;
    pthread_mutex_lock(&meter_lock);
    m->largest = n_bytes > m->largest ? n_bytes : m->largest;
    m->n_bytes += n_bytes;
    if (++m->n_requests != m->fail_at)
        ptr = malloc(n_bytes);
    m->n_live += ptr != NULL;
    m->n_held += malloc_usable_size(ptr);
    m->peak = m->n_held > m->peak ? m->n_held : m->peak;
    pthread_mutex_unlock(&meter_lock);
    return ptr;
}

static void meter_release(void *user, void *ptr)
{
    meter *m = user;
    assert_non_null(ptr); // the contract of opn_alloc: release is never given NULL
    pthread_mutex_lock(&meter_lock);
    m->n_live--;
    m->n_held -= malloc_usable_size(ptr);
    pthread_mutex_unlock(&meter_lock);
    free(ptr);
}

opn_alloc meter_hooks(meter *m)
{
    return (opn_alloc){meter_alloc, meter_release, m};
}

opn_ctx *support_ctx(meter *m)
{
    opn_ctx *ctx = NULL;
    opn_alloc hooks = {0};
    if (m != NULL)
        hooks = meter_hooks(m);
    assert_int_equal(opn_ctx_create(&hooks, &ctx), OPN_OK);
    return ctx;
}

void support_ctx_free(opn_ctx *ctx, const meter *m)
{
    opn_ctx_free(ctx);
    if (m != NULL)
        assert_int_equal(m->n_live, 0);
}

int support_stop_after_calls(void *user)
{
    int *n_left = user;
    return (*n_left)-- <= 0;
}

int support_fail_allocations(opn_status (*run)(opn_ctx *own))
{
    for (int n_refused = 0;; n_refused++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        m.fail_at = m.n_requests + n_refused + 1;
        const opn_status status = run(own);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            return n_refused;
        assert_int_equal(status, OPN_ERR_NOMEM);
    }
}

int support_ctx_set_up(void **state)
{
    static meter m;
    opn_ctx **ctx = *state;
    m = (meter){0};
    *ctx = support_ctx(&m);
    return 0;
}

int support_ctx_tear_down(void **state)
{
    opn_ctx **ctx = *state;
    support_ctx_free(*ctx, (*ctx)->alloc.user);
    return 0;
}

static void keep_message(void *user, opn_log_level level, const char *message)
{
    listener *to = user;
    to->n_messages[level]++;
    const size_t n = strlen(to->log);
    snprintf(to->log + n, sizeof(to->log) - n, "%s\n", message);
}

static void keep_progress(void *user, const opn_progress *progress)
{
    listener *to = user;
    to->n_progress++;
    to->last = *progress;
    snprintf(to->note, sizeof(to->note), "%s",
             progress->note != NULL ? progress->note : "");
}

static int answer_interrupted(void *user)
{
    listener *to = user;
    return ++to->n_asked == to->interrupt_at;
}

void support_listen(opn_ctx *ctx, listener *to)
{
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .log = keep_message,
                             .progress = keep_progress,
                             .interrupted = answer_interrupted,
                             .user = to};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
}

void support_expect_error(const opn_ctx *ctx, const char *part)
{
    if (strstr(opn_ctx_error(ctx), part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, opn_ctx_error(ctx));
}

// ---- files ---------------------------------------------------------------------------

void support_temp_folder(char folder[SUPPORT_PATH])
{
    const char *root = getenv("TMPDIR");
    if (root == NULL || root[0] == 0)
        root = "/tmp";
    support_path(folder, root, "opine_test.XXXXXX");
    if (mkdtemp(folder) == NULL)
        fail_msg("%s: the folder cannot be created", folder);
}

void support_remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char path[SUPPORT_PATH];
        struct stat info;
        support_path(path, folder, entry->d_name);
        // Not stat: a link is removed, never followed.
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
            support_remove_folder(path);
        else
            assert_int_equal(unlink(path), 0);
    }
    closedir(entries);
    assert_int_equal(rmdir(folder), 0);
}

int support_folder_set_up(void **state)
{
    support_temp_folder(*state);
    return 0;
}

int support_folder_tear_down(void **state)
{
    support_remove_folder(*state);
    return 0;
}

char *support_path(char path[SUPPORT_PATH], const char *folder, const char *name)
{
    const int n = snprintf(path, SUPPORT_PATH, "%s/%s", folder, name);
    assert_in_range(n, 1, SUPPORT_PATH - 1);
    return path;
}

void support_write_file(const char *path, const void *data, size_t n_bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        fail_msg("%s: cannot be written", path);
    if (n_bytes > 0)
        assert_int_equal(fwrite(data, 1, n_bytes, file), n_bytes);
    assert_int_equal(fclose(file), 0);
}

void support_write_text(const char *path, const char *text)
{
    support_write_file(path, text, strlen(text));
}

char *support_read_file(const char *path, size_t *n_bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s: cannot be read", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, file), size);
    data[size] = 0;
    fclose(file);
    if (n_bytes != NULL)
        *n_bytes = (size_t)size;
    return data;
}

void support_expect_file(const char *path, const void *data, size_t n_bytes)
{
    size_t n = 0;
    char *held = support_read_file(path, &n);
    assert_int_equal(n, n_bytes);
    if (n_bytes > 0)
        assert_memory_equal(held, data, n_bytes);
    free(held);
}

int support_count_entries(const char *folder)
{
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    int n = 0;
    while (readdir(entries) != NULL)
        n++;
    closedir(entries);
    return n - 2; // "." and ".."
}

stage *support_open_stage(const char *name)
{
    stage *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    support_temp_folder(s->folder);
    support_path(s->path, s->folder, name);
    s->ctx = support_ctx(&s->m);
    return s;
}

void support_close_stage(stage *s)
{
    support_ctx_free(s->ctx, &s->m);
    support_remove_folder(s->folder);
    free(s);
}

bool support_is_same_figure(double a, double b)
{
    if (memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b)))
        return true;
    return sizeof(opn_real) > sizeof(float) && fabs(a - b) <= 1e-5 * fmax(1.0, fabs(a));
}

// ---- inputs --------------------------------------------------------------------------

uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

// The bytes lie at the end of a block that is one byte longer, because ASan gives a block
// of none a byte.
unsigned char *support_copy(const void *data, size_t n_bytes)
{
    unsigned char *block = malloc(n_bytes + 1);
    assert_non_null(block);
    if (n_bytes > 0)
        memcpy(block + 1, data, n_bytes);
    return block + 1;
}

void support_copy_free(unsigned char *copy)
{
    free(copy - 1);
}

void support_flip_bit(void *data, size_t bit)
{
    unsigned char *bytes = data;
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

// ---- locales -------------------------------------------------------------------------

// glibc's compiled LC_NUMERIC: a magic number, a count, the offsets of six fields, then
// the fields: decimal point, separator, grouping, both again as wide characters, codeset.
void support_set_comma_locale(const char *folder)
{
    static const struct {
        uint32_t magic, n_fields, offset[6];
        char decimal_point[2], separator[1], grouping[1];
        uint32_t wide_decimal_point, wide_separator;
        char codeset[8];
    } numeric = {.magic = 0x20031114,
                 .n_fields = 6,
                 .offset = {32, 34, 35, 36, 40, 44},
                 .decimal_point = ",",
                 .wide_decimal_point = ',',
                 .codeset = "UTF-8"};
    char path[SUPPORT_PATH];
    char text[16];
    assert_int_equal(mkdir(support_path(path, folder, "comma"), 0777), 0);
    support_write_file(support_path(path, folder, "comma/LC_NUMERIC"), &numeric,
                       sizeof(numeric));
    assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    const bool is_set = setlocale(LC_NUMERIC, "comma") != NULL;
    unsetenv("LOCPATH");
    assert_true(is_set);
    snprintf(text, sizeof(text), "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}
