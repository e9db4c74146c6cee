// context.h -- the context behind opn_ctx, and error handling inside the library.

#ifndef OPN_CONTEXT_H
#define OPN_CONTEXT_H

#include "opine/base.h"

#include "base/memory.h"

#include <stdbool.h>

struct opn_ctx {
    opn_alloc alloc;
    opn_hooks hooks;
    int n_threads;
    int n_startable; // of n_tried threads, as far as the system allows
    int n_tried;     // 0: none yet
    bool has_told_of_fork;
    const struct opn_i_comm *comm; // of the ranks that work together, NULL: there is one
    bool is_bound;    // to other ranks: stops only together with them, see comm.h
    bool fails_alike; // the last failure is that of all ranks
    char error[1024];
};

// ---- the border ----------------------------------------------------------------------

// The first line of a public function: INVALID_ARG, and a message that says which, if one
// of the arguments listed is NULL. A function without a status returns `otherwise`.
#define OPN_REJECT_NULL(ctx, ...)                                                   \
    do {                                                                            \
        const void *const given_[] = {__VA_ARGS__};                                 \
        if (!opn_i_are_given((ctx), #__VA_ARGS__, sizeof(given_) / sizeof(*given_), \
                             given_))                                               \
            return OPN_ERR_INVALID_ARG;                                             \
    } while (0)
#define OPN_RETURN_IF_NULL(argument, otherwise) \
    do {                                        \
        if ((argument) == NULL)                 \
            return (otherwise);                 \
    } while (0)

// Whether none of n arguments is NULL, nor ctx; else says which, by `names`, "graph,
// out".
bool opn_i_are_given(opn_ctx *ctx, const char *names, size_t n, const void *const *given);

// ---- errors --------------------------------------------------------------------------

// A function that uses these macros declares `opn_status status = OPN_OK;` and ends in
// one `cleanup:` label. With those above they are the only macros in the code base that
// jump.
#define OPN_TRY(call)         \
    do {                      \
        status = (call);      \
        if (status != OPN_OK) \
            goto cleanup;     \
    } while (0)

#define OPN_FAIL_IF(ctx, cond, code, ...)                    \
    do {                                                     \
        if (cond) {                                          \
            status = opn_i_fail((ctx), (code), __VA_ARGS__); \
            goto cleanup;                                    \
        }                                                    \
    } while (0)

// ptr = n zeroed items of its own type.
#define OPN_TRY_NEW(ctx, ptr, n)                                           \
    do {                                                                   \
        (ptr) = opn_i_calloc(&(ctx)->alloc, (size_t)(n), sizeof(*(ptr)));  \
        if ((ptr) == NULL) {                                               \
            status = opn_i_fail_nomem((ctx), (size_t)(n), sizeof(*(ptr))); \
            goto cleanup;                                                  \
        }                                                                  \
    } while (0)

// ptr = n items of its own type that are not cleared, for what is written to at once.
#define OPN_TRY_NEW_ROOM(ctx, ptr, n)                                              \
    do {                                                                           \
        (ptr) = opn_i_resize(&(ctx)->alloc, NULL, 0, (size_t)(n), sizeof(*(ptr))); \
        if ((ptr) == NULL) {                                                       \
            status = opn_i_fail_nomem((ctx), (size_t)(n), sizeof(*(ptr)));         \
            goto cleanup;                                                          \
        }                                                                          \
    } while (0)

// Grows ptr, which has `used` items in use, to hold at least `wanted`.
#define OPN_TRY_RESERVE(ctx, ptr, room, used, wanted)                                  \
    do {                                                                               \
        if ((wanted) > (room)) {                                                       \
            const size_t room_ = opn_i_next_room((room), (wanted));                    \
            void *grown_ =                                                             \
                    opn_i_resize(&(ctx)->alloc, (ptr), (used), room_, sizeof(*(ptr))); \
            if (grown_ == NULL) {                                                      \
                status = opn_i_fail_nomem((ctx), room_, sizeof(*(ptr)));               \
                goto cleanup;                                                          \
            }                                                                          \
            (ptr) = grown_;                                                            \
            (room) = room_;                                                            \
        }                                                                              \
    } while (0)

// Records the message on ctx and yields code. The message is about the user's data: it
// names the file, line, member or parameter, and says what would be valid. A parameter is
// in backquotes, `hidden`: each program spells it the way its users know it. A macro, so
// that compilers and analyzers see in every caller that the result is not OPN_OK.
#define opn_i_fail(ctx, code, ...) (opn_i_set_error((ctx), __VA_ARGS__), (code))
void opn_i_set_error(opn_ctx *ctx, const char *fmt, ...) OPN_PRINTF(2, 3);

// Records that n items of size bytes could not be allocated.
#define opn_i_fail_nomem(ctx, n, size)                                           \
    opn_i_fail((ctx), OPN_ERR_NOMEM, "out of memory for %zu items of %zu bytes", \
               (size_t)(n), (size_t)(size))

// Prepends "<prefix>: " to the message already on ctx and yields code, so that an outer
// function can name the file that the failing part belongs to.
#define opn_i_fail_within(ctx, code, prefix) (opn_i_prefix_error((ctx), (prefix)), (code))
void opn_i_prefix_error(opn_ctx *ctx, const char *prefix);

// Adds lines of our own, such as a recipe, to the message; unlike in what a message
// quotes, their ends are kept.
void opn_i_add_lines(opn_ctx *ctx, const char *lines);

void opn_i_log(opn_ctx *ctx, opn_log_level level, const char *fmt, ...) OPN_PRINTF(3, 4);

// Reports progress; returns INTERRUPTED if the caller asked to stop.
OPN_NODISCARD opn_status opn_i_progress(
        opn_ctx *ctx, const char *stage, int64_t done, int64_t total, const char *unit);

// The same with a note, which may be NULL.
OPN_NODISCARD opn_status opn_i_progress_noted(opn_ctx *ctx, const opn_progress *now);

// Returns INTERRUPTED if the caller asked to stop, for work without progress to report.
OPN_NODISCARD opn_status opn_i_go_on(opn_ctx *ctx, const char *stage);

// Asks once in so many steps of a long loop whether to go on; a step of random access to
// memory takes up to 1 us. Short loops never ask: what is done in no time, such as the
// start of a small training, is better finished.
#define OPN_TRY_GO_ON(ctx, step, stage)                                \
    do {                                                               \
        if (((step) & (OPN_STEPS_A_TICK - 1)) == OPN_STEPS_A_TICK - 1) \
            OPN_TRY(opn_i_go_on((ctx), (stage)));                      \
    } while (0)
enum { OPN_STEPS_A_TICK = 1 << 16 };

// The same in a loop over rows, of which one may be a thousand steps.
#define OPN_TRY_GO_ON_ROWS(ctx, row, stage)                         \
    do {                                                            \
        if (((row) & (OPN_ROWS_A_TICK - 1)) == OPN_ROWS_A_TICK - 1) \
            OPN_TRY(opn_i_go_on((ctx), (stage)));                   \
    } while (0)
enum { OPN_ROWS_A_TICK = 1 << 12 };

// The same in a loop whose rounds are `cost` steps each; `spent`, of the caller, is 0 at
// first.
#define OPN_TRY_SPEND(ctx, spent, cost, stage)    \
    do {                                          \
        (spent) += (cost);                        \
        if ((spent) >= OPN_STEPS_A_TICK) {        \
            (spent) = 0;                          \
            OPN_TRY(opn_i_go_on((ctx), (stage))); \
        }                                         \
    } while (0)

// Threads for the work that begins: those of ctx, or one, with a warning, in a process
// forked from one that has used several. All parallel work asks here first.
int opn_i_threads(opn_ctx *ctx);

// Number of threads worth starting for `work` units if each should get at least `grain`.
int opn_i_threads_for(opn_ctx *ctx, int64_t work, int64_t grain);

#endif // OPN_CONTEXT_H
