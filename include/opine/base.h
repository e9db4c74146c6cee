// base.h -- status, context and hooks, used by every other part of the library.

#ifndef OPINE_BASE_H
#define OPINE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#    define OPN_API          __attribute__((visibility("default")))
#    define OPN_PRINTF(f, a) __attribute__((__format__(__printf__, f, a)))
#    define OPN_NODISCARD    __attribute__((__warn_unused_result__))
#else
#    define OPN_API
#    define OPN_PRINTF(f, a)
#    define OPN_NODISCARD
#endif

// Result of every call that can fail. Values are ABI: append only, never renumber.
typedef enum opn_status {
    OPN_OK = 0,
    OPN_ERR_NOMEM = 1,        // out of memory
    OPN_ERR_INVALID_ARG = 2,  // the caller's argument or parameter
    OPN_ERR_SHAPE = 3,        // two inputs that do not fit together
    OPN_ERR_OVERFLOW = 4,     // larger than the library supports
    OPN_ERR_FORMAT = 5,       // an input file's content
    OPN_ERR_READ = 6,         // an input that is missing or cannot be read
    OPN_ERR_WRITE = 7,        // an output that cannot be written
    OPN_ERR_NONFINITE = 8,    // NaN or infinite where numbers are computed
    OPN_ERR_INTERRUPTED = 9,  // the hook `interrupted` asked to stop
    OPN_ERR_UNSUPPORTED = 10, // not possible in this build or with this input
    OPN_ERR_INTERNAL = 11     // a mistake of the library: please report it
} opn_status;

// Numbers of nodes, from 0; and of edges, of which there may be more than 32 bits count.
typedef int32_t opn_vid;
typedef int64_t opn_off;

// Allocation hooks; these members are all there will be. `user` is passed back untouched.
// Zero-initialise for malloc/free. Both must be safe to call from several threads if
// contexts are used on several, or if a context may use several threads for an
// evaluation.
typedef struct opn_alloc {
    void *(*alloc)(void *user, size_t n_bytes);
    void (*release)(void *user, void *ptr);
    void *user;
} opn_alloc;

// What a message of the hook `log` is for.
typedef enum opn_log_level {
    OPN_LOG_WARNING = 0, // something in the input looks wrong; work continues
    OPN_LOG_INFO = 1,    // what is being done
    OPN_LOG_DETAIL = 2,  // for someone who asked
    OPN_LOG_STEP = 3     // training progress, as also given to `progress`
} opn_log_level;

// Progress of a long operation. `total` is 0 while it is unknown. While something is
// counted in "runs", each run may report stages of its own in between. The strings are
// valid during the call of the hook.
typedef struct opn_progress {
    const char *stage; // for example "reading edges.csv"
    int64_t done;
    int64_t total;
    const char *unit; // of done and total: "MB", "nodes", "epochs"
    const char *note; // the state so far, "loss 0.5231, validation 78.8 %"; or NULL
} opn_progress;

// Result of one training epoch. Terms that the loss does not have are NaN, and so are
// those that `terms_every` of the hooks leaves out.
typedef struct opn_epoch {
    const char *stage; // "teacher" or "model"
    int32_t number;    // 1, 2, …
    double loss;       // sum of the terms that follow
    double labels, prior, teacher, decay;
    double accuracy;   // share of validation nodes classified correctly; NaN without any
    double unlabelled; // of `loss`; NaN if `unlabelled` is none
} opn_epoch;

// Callbacks of the library while it works. Any member may be NULL; all are called on
// the thread that called the library, never from inside a parallel region.
typedef struct opn_hooks {
    size_t size; // sizeof(opn_hooks), by which a later library knows what it was given
    void (*log)(void *user, opn_log_level level, const char *message);
    void (*progress)(void *user, const opn_progress *progress);
    int (*interrupted)(void *user); // non-zero: stop soon with OPN_ERR_INTERRUPTED
    // After each; where models are compared, those of the chosen one at the end.
    void (*epoch)(void *user, const opn_epoch *epoch);
    void *user;
    // Terms over all nodes cost as much as three epochs. All terms of every epoch are
    // given for 0; for n those of the first, of every n-th and of the last, and of the
    // others what costs next to nothing: `labels`, and `accuracy` where `patience` needs
    // it anyway.
    int32_t terms_every;
} opn_hooks;

// What every call that can fail or takes long is made with: memory, hooks, threads, and
// the text of the last failure. One per calling thread, never shared.
typedef struct opn_ctx opn_ctx;

// Text for a status, for example "malformed input". Never NULL.
OPN_API const char *opn_status_name(opn_status status);

// Version of the library, for example "0.2.0".
OPN_API const char *opn_version(void);

// The candidate, of n, that `word` was probably meant to be: the closest one, if few
// letters differ or the word is a prefix of it; NULL if none is close.
OPN_API const char *
opn_text_nearest(const char *word, const char *const *candidates, size_t n);

// Creates a context with one thread and no hooks. `alloc` may be NULL for malloc/free; it
// is copied and must outlive every object made with this context.
// Errors: INVALID_ARG (out is NULL, or only one of the two functions given), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_ctx_create(const opn_alloc *alloc, opn_ctx **out);
OPN_API void opn_ctx_free(opn_ctx *ctx); // accepts NULL

// Text of the last failure on `ctx`, one sentence without control characters; "" before
// the first. Parameters are named in backquotes, here and in messages of the log:
// "`hidden` 10: gat has 8 heads, …". Valid until the next call on ctx.
OPN_API const char *opn_ctx_error(const opn_ctx *ctx);

// `hooks` is copied; NULL removes them.
// Errors: INVALID_ARG (a size that is not that of an opn_hooks; the hooks stay as they
// were).
OPN_API OPN_NODISCARD opn_status opn_ctx_set_hooks(opn_ctx *ctx, const opn_hooks *hooks);

// Threads a call on `ctx` may use; results never depend on it. 0 asks for one per core. A
// process forked from one that has worked with several works with one, and warns; so does
// one that may not start as many, with those it may.
// Errors: INVALID_ARG (outside [0, 1024]).
OPN_API OPN_NODISCARD opn_status opn_ctx_set_threads(opn_ctx *ctx, int n_threads);
OPN_API int opn_ctx_threads(const opn_ctx *ctx);

// ---- ranks ---------------------------------------------------------------------------

// Makes the context one of the ranks of an MPI program, which share graphs that were
// written by opn_graph_save_shards(): each loads, trains and predicts with its part of
// them, and all have the same result, which one of them should write. All ranks make the
// same calls in the same order. In a library without MPI, and in a program that was not
// started by a launcher, there is one rank.
OPN_API OPN_NODISCARD opn_status opn_ctx_join_ranks(opn_ctx *ctx,
                                                    int *rank,
                                                    int *n_ranks);

// The last call of a rank. With another code than 0, which it will end with, it ends the
// others too.
OPN_API void opn_ctx_leave_ranks(opn_ctx *ctx, int code);

// ---- bytes in memory -----------------------------------------------------------------

// What a function writes to memory instead of a file, opn_model_write() for example.
typedef struct opn_bytes opn_bytes;

OPN_API const void *opn_bytes_data(const opn_bytes *bytes); // lives as long as the bytes
OPN_API size_t opn_bytes_size(const opn_bytes *bytes);
OPN_API void opn_bytes_free(opn_bytes *bytes); // accepts NULL

#ifdef __cplusplus
}
#endif

#endif // OPINE_BASE_H
