// support.h -- what the tests share: an allocator that fails on demand, a listener on the
// hooks of a context, files in a folder of their own, inputs drawn or damaged.
//
// A helper that cannot do its work fails the test that called it.

#ifndef OPN_SUPPORT_H
#define OPN_SUPPORT_H

#include "opine/base.h"

// ---- contexts ------------------------------------------------------------------------

// A counting allocator that refuses the k-th request. Zero-initialise.
typedef struct meter {
    long n_live;
    long n_requests;
    long fail_at;   // 1-based; 0 never fails
    size_t largest; // bytes of the largest request
    size_t n_bytes; // of all requests
} meter;

opn_alloc meter_hooks(meter *m);

// A context that allocates through `m`, which may be NULL for malloc and free.
opn_ctx *support_ctx(meter *m);

// Frees the context and asserts that nothing made with it is left in `m` (may be NULL).
void support_ctx_free(opn_ctx *ctx, const meter *m);

// A test in a file with a `static opn_ctx *ctx`, which is a new context for each test.
// Fails if anything made with it is left at the end; its meter is ctx->alloc.user. Not
// one context for all tests: cmocka passes a group whose tear-down fails.
#define WITH_CTX(test)                                                 \
    cmocka_unit_test_prestate_setup_teardown(test, support_ctx_set_up, \
                                             support_ctx_tear_down, (void *)&ctx)

int support_ctx_set_up(void **state);
int support_ctx_tear_down(void **state);

// Keeps what a context tells its caller, and interrupts the k-th time it is asked.
// Zero-initialise, then hand to support_listen().
typedef struct listener {
    int n_messages[4]; // by opn_log_level
    char log[4096];    // the messages, one a line, as far as there is room
    long n_progress;
    opn_progress last; // the latest progress; its texts are the library's
    char note[64];     // of it, copied; "" for none
    long n_asked;
    long interrupt_at; // 1-based; 0 never
} listener;

void support_listen(opn_ctx *ctx, listener *to);

// Asserts that the last message on ctx holds `part`.
void support_expect_error(const opn_ctx *ctx, const char *part);

// ---- files ---------------------------------------------------------------------------

enum { SUPPORT_PATH = 512 }; // bytes that a path needs at most, NUL included

// Makes an empty folder below $TMPDIR or /tmp and writes its path to `folder`.
void support_temp_folder(char folder[SUPPORT_PATH]);

// Removes a folder and all below it.
void support_remove_folder(const char *folder);

// path = folder/name; returns path. `path` may not be `folder`.
char *support_path(char path[SUPPORT_PATH], const char *folder, const char *name);

void support_write_file(const char *path, const void *data, size_t n_bytes);
void support_write_text(const char *path, const char *text);

// The bytes of a file with a NUL behind them, to be freed; n_bytes may be NULL.
char *support_read_file(const char *path, size_t *n_bytes);

// Asserts that the file holds exactly these bytes.
void support_expect_file(const char *path, const void *data, size_t n_bytes);

// Number of entries in a folder, hidden ones included.
int support_count_entries(const char *folder);

// An empty folder, the path of a file in it, and a context.
typedef struct stage {
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH]; // folder/name
    meter m;
    opn_ctx *ctx;
} stage;

stage *support_open_stage(const char *name);

// Removes the folder and frees the rest, as support_ctx_free() does.
void support_close_stage(stage *s);

// ---- inputs --------------------------------------------------------------------------

// One of 0 … n - 1, the same on every machine; any *state will do to begin with.
uint32_t below(uint64_t *state, uint32_t n);

// A block of just these bytes, so that ASan sees any step beyond, also beyond none.
unsigned char *support_copy(const void *data, size_t n_bytes);
void support_copy_free(unsigned char *copy);

void support_flip_bit(void *data, size_t bit);

// ---- locales -------------------------------------------------------------------------

// Sets a locale whose numbers have a decimal comma, which need not be installed: its file
// is written to `folder`. Undone by setlocale(LC_ALL, "C").
void support_set_comma_locale(const char *folder);

#endif // OPN_SUPPORT_H
