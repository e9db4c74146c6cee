// support.h -- shared by the tests: an allocator that fails on demand, a listener on the
// hooks of a context, files in temporary folders, random or damaged inputs.
//
// A helper that cannot do its work fails the calling test.

#ifndef OPN_SUPPORT_H
#define OPN_SUPPORT_H

#include "opine/base.h"

#include <stdbool.h>

// ---- contexts ------------------------------------------------------------------------

// A counting allocator whose k-th request fails. Zero-initialise.
typedef struct meter {
    long n_live;
    long n_requests;
    long fail_at;   // 1-based; 0 never fails
    size_t largest; // bytes of the largest request
    size_t n_bytes; // of all requests
    size_t n_held;  // bytes of what is live
    size_t peak;    // most of these at a time
} meter;

opn_alloc meter_hooks(meter *m);

// A context that allocates through `m`, which may be NULL for malloc and free.
opn_ctx *support_ctx(meter *m);

// Frees the context and asserts that nothing allocated with it is left in `m` (may be
// NULL).
void support_ctx_free(opn_ctx *ctx, const meter *m);

// A test in a file with a `static opn_ctx *ctx`, which is a new context for each test.
// Fails if anything allocated with it is left at the end; its meter is ctx->alloc.user.
// There is not one context for all tests, because cmocka passes a group whose tear-down
// fails.
#define WITH_CTX(test)                                                 \
    cmocka_unit_test_prestate_setup_teardown(test, support_ctx_set_up, \
                                             support_ctx_tear_down, (void *)&ctx)

int support_ctx_set_up(void **state);
int support_ctx_tear_down(void **state);

// For hooks.interrupted: asks to stop once `user`, an int, has been counted down to 0.
int support_stop_after_calls(void *user);

// Runs `run` with a context whose first allocation fails, then whose second does, and so
// on until it succeeds. Asserts that every failure is reported as NOMEM and leaves
// nothing behind; returns their number.
int support_fail_allocations(opn_status (*run)(opn_ctx *own));

// Records what a context reports, and interrupts on the k-th check. Zero-initialise, then
// pass to support_listen().
typedef struct listener {
    int n_messages[4]; // by opn_log_level
    char log[4096];    // the messages, one per line, as far as there is room
    long n_progress;
    opn_progress last; // the latest progress; its strings belong to the library
    char note[64];     // its note, copied; "" for none
    long n_asked;
    long interrupt_at; // 1-based; 0 never
} listener;

void support_listen(opn_ctx *ctx, listener *to);

// Asserts that the last message on ctx contains `part`.
void support_expect_error(const opn_ctx *ctx, const char *part);

// ---- files ---------------------------------------------------------------------------

enum { SUPPORT_PATH = 512 }; // maximum length of a path, including the NUL

// Creates an empty folder in $TMPDIR or /tmp and writes its path to `folder`.
void support_temp_folder(char folder[SUPPORT_PATH]);

// Removes a folder and everything in it.
void support_remove_folder(const char *folder);

// A test in a file with a `static char folder[SUPPORT_PATH]`, which is a new folder for
// each test and removed after it.
#define WITH_FOLDER(test)                                                 \
    cmocka_unit_test_prestate_setup_teardown(test, support_folder_set_up, \
                                             support_folder_tear_down, folder)

int support_folder_set_up(void **state);
int support_folder_tear_down(void **state);

// path = folder/name; returns path. `path` may not be `folder`.
char *support_path(char path[SUPPORT_PATH], const char *folder, const char *name);

void support_write_file(const char *path, const void *data, size_t n_bytes);
void support_write_text(const char *path, const char *text);

// The bytes of a file followed by a NUL, to be freed; n_bytes may be NULL.
char *support_read_file(const char *path, size_t *n_bytes);

// Asserts that the file holds exactly these bytes.
void support_expect_file(const char *path, const void *data, size_t n_bytes);

// Number of entries in a folder, including hidden ones.
int support_count_entries(const char *folder);

// An empty folder, the path of a file in it, and a context.
typedef struct stage {
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH]; // folder/name
    meter m;
    opn_ctx *ctx;
} stage;

stage *support_open_stage(const char *name);

// Removes the folder and frees the rest, like support_ctx_free().
void support_close_stage(stage *s);

// Whether two figures of a model are the same, where a file may lie in between: it holds
// weights as floats, so in the double build they are only close.
bool support_is_same_figure(double a, double b);

// ---- inputs --------------------------------------------------------------------------

// A number in 0 … n - 1, the same on every machine; *state may start with any value.
uint32_t below(uint64_t *state, uint32_t n);

// A block of exactly these bytes, so that ASan detects any access beyond it, even if
// empty.
unsigned char *support_copy(const void *data, size_t n_bytes);
void support_copy_free(unsigned char *copy);

void support_flip_bit(void *data, size_t bit);

// ---- locales -------------------------------------------------------------------------

// Sets a locale with a decimal comma, which need not be installed: its file is written to
// `folder`. Undo with setlocale(LC_ALL, "C").
void support_set_comma_locale(const char *folder);

#endif // OPN_SUPPORT_H
