// context.c -- the context: errors, hooks, threads.

#include "base/context.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#ifdef _OPENMP
#    include <omp.h>
#endif

enum { MAX_THREADS = 1024 };

const char *opn_version(void)
{
    return OPN_VERSION_TEXT;
}

const char *opn_status_name(opn_status status)
{
    switch (status) {
    case OPN_OK:
        return "ok";
    case OPN_ERR_NOMEM:
        return "out of memory";
    case OPN_ERR_INVALID_ARG:
        return "invalid argument";
    case OPN_ERR_SHAPE:
        return "shape mismatch";
    case OPN_ERR_OVERFLOW:
        return "size overflow";
    case OPN_ERR_FORMAT:
        return "malformed input";
    case OPN_ERR_READ:
        return "unreadable input";
    case OPN_ERR_WRITE:
        return "unwritable output";
    case OPN_ERR_NONFINITE:
        return "infinity or NaN";
    case OPN_ERR_INTERRUPTED:
        return "interrupted";
    case OPN_ERR_UNSUPPORTED:
        return "unsupported";
    case OPN_ERR_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

opn_status opn_ctx_create(const opn_alloc *alloc, opn_ctx **out)
{
    if (out == NULL)
        return OPN_ERR_INVALID_ARG;
    *out = NULL;
    opn_alloc hooks = {0};
    if (alloc != NULL)
        hooks = *alloc;
    if ((hooks.alloc == NULL) != (hooks.release == NULL))
        return OPN_ERR_INVALID_ARG;
    opn_ctx *ctx = opn_i_calloc(&hooks, 1, sizeof(*ctx));
    if (ctx == NULL)
        return OPN_ERR_NOMEM;
    ctx->alloc = hooks;
    ctx->n_threads = 1;
    *out = ctx;
    return OPN_OK;
}

void opn_ctx_free(opn_ctx *ctx)
{
    if (ctx == NULL)
        return;
    const opn_alloc hooks = ctx->alloc; // ctx itself lives in this allocator
    opn_i_release(&hooks, ctx);
}

const char *opn_ctx_error(const opn_ctx *ctx)
{
    OPN_RETURN_IF_NULL(ctx, "");
    return ctx->error;
}

opn_status opn_ctx_set_hooks(opn_ctx *ctx, const opn_hooks *hooks)
{
    OPN_REJECT_NULL(ctx, ctx);
    const opn_hooks none = {.size = sizeof(opn_hooks)};
    const opn_hooks *wanted = hooks != NULL ? hooks : &none;
    if (wanted->size != sizeof(*wanted))
        return opn_i_fail(ctx, OPN_ERR_INVALID_ARG,
                          "opn_hooks of %zu bytes: set size to sizeof(opn_hooks), %zu",
                          wanted->size, sizeof(*wanted));
    ctx->hooks = *wanted;
    return OPN_OK;
}

opn_status opn_ctx_set_threads(opn_ctx *ctx, int n_threads)
{
    OPN_REJECT_NULL(ctx, ctx);
    if (n_threads < 0 || n_threads > MAX_THREADS)
        return opn_i_fail(ctx, OPN_ERR_INVALID_ARG, "%d threads: outside [0, %d]",
                          n_threads, MAX_THREADS);
#ifdef _OPENMP
    ctx->n_threads = n_threads > 0 ? n_threads : omp_get_num_procs();
#else
    ctx->n_threads = 1;
#endif
    ctx->n_tried = 0; // what was refused may not be any more
    return OPN_OK;
}

int opn_ctx_threads(const opn_ctx *ctx)
{
    OPN_RETURN_IF_NULL(ctx, 0);
    return ctx->n_threads;
}

// Messages quote files, so control characters must not reach the terminal.
static void defuse(char *text)
{
    for (; *text != 0; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

// A message that is too long loses its middle: it begins with a file, whose path may be
// long, may quote a name, which may be longer, and ends in what is wrong with it.
static void
put_message(const opn_alloc *alloc, char *to, size_t room, const char *fmt, va_list args)
        OPN_PRINTF(4, 0);
static void
put_message(const opn_alloc *alloc, char *to, size_t room, const char *fmt, va_list args)
{
    enum { USUAL = 8192 }; // two paths of 4096 bytes
    static const char gap[] = " ... ";
    char usual[USUAL];
    va_list again;
    va_copy(again, args);
    const int n_all = vsnprintf(usual, sizeof(usual), fmt, args);
    char *all = n_all >= USUAL ? opn_i_calloc(alloc, (size_t)n_all + 1, 1) : NULL;
    if (all != NULL)
        vsnprintf(all, (size_t)n_all + 1, fmt, again);
    va_end(again);
    const char *text =
            all != NULL ? all : usual; // without memory, what there is room for
    const size_t n = strlen(text);
    size_t n_head = n < room ? n : room / 2 - sizeof(gap);
    size_t tail = n < room ? n : n - room / 2;
    while (n_head < n && n_head > 0 && is_inside_character(text[n_head]))
        n_head--;
    while (is_inside_character(text[tail]))
        tail++;
    memcpy(to, text, n_head);
    to[n_head] = 0;
    if (n_head < n)
        snprintf(to + n_head, room - n_head, "%s%s", gap, text + tail);
    opn_i_release(alloc, all);
    defuse(to);
}

bool opn_i_are_given(opn_ctx *ctx, const char *names, size_t n, const void *const *given)
{
    for (size_t i = 0; ctx != NULL && i < n; i++) {
        const size_t length = strcspn(names, ",");
        if (given[i] == NULL) {
            opn_i_set_error(ctx, "argument %.*s is NULL", (int)length, names);
            return false;
        }
        names += length;
        names += strspn(names, ", ");
    }
    return ctx != NULL;
}

void opn_i_set_error(opn_ctx *ctx, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put_message(&ctx->alloc, ctx->error, sizeof(ctx->error), fmt, args);
    va_end(args);
}

void opn_i_add_lines(opn_ctx *ctx, const char *lines)
{
    const size_t n = strlen(ctx->error);
    snprintf(ctx->error + n, sizeof(ctx->error) - n, "%s", lines);
}

void opn_i_prefix_error(opn_ctx *ctx, const char *prefix)
{
    char inner[sizeof(ctx->error)];
    memcpy(inner, ctx->error, sizeof(inner));
    opn_i_set_error(ctx, "%s: %s", prefix, inner);
}

void opn_i_log(opn_ctx *ctx, opn_log_level level, const char *fmt, ...)
{
    if (ctx->hooks.log == NULL)
        return;
    char message[sizeof(ctx->error)];
    va_list args;
    va_start(args, fmt);
    put_message(&ctx->alloc, message, sizeof(message), fmt, args);
    va_end(args);
    ctx->hooks.log(ctx->hooks.user, level, message);
}

static opn_status go_on(opn_ctx *ctx, const char *verb, const char *stage)
{
    if (ctx->is_bound || ctx->hooks.interrupted == NULL ||
        !ctx->hooks.interrupted(ctx->hooks.user))
        return OPN_OK;
    return opn_i_fail(ctx, OPN_ERR_INTERRUPTED, "interrupted while %s%s", verb, stage);
}

opn_status opn_i_progress(
        opn_ctx *ctx, const char *stage, int64_t done, int64_t total, const char *unit)
{
    const opn_progress now = {stage, done, total, unit, NULL};
    return opn_i_progress_noted(ctx, &now);
}

opn_status opn_i_progress_noted(opn_ctx *ctx, const opn_progress *now)
{
    if (ctx->hooks.progress != NULL)
        ctx->hooks.progress(ctx->hooks.user, now);
    // Stages counted in epochs are called by what is trained: "teacher", "model".
    return go_on(ctx, strcmp(now->unit, "epochs") == 0 ? "training the " : "",
                 now->stage);
}

opn_status opn_i_go_on(opn_ctx *ctx, const char *stage)
{
    return go_on(ctx, "", stage);
}

// ---- threads and fork() --------------------------------------------------------------

// OpenMP keeps its threads for the next parallel region. A child has none of them but
// still counts on them, and would wait for ever. Only the process can know this, so it is
// the one thing that does not belong to a context.
static atomic_bool has_used_threads;
static atomic_bool is_orphaned; // forked from a process that had
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void note_fork(void)
{
    if (atomic_load(&has_used_threads))
        atomic_store(&is_orphaned, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
}

static void *wait_for_all(void *gate)
{
    (void)pthread_mutex_lock(gate);
    (void)pthread_mutex_unlock(gate);
    return NULL;
}

// How many of n threads there can be at once, the calling one included. OpenMP ends the
// process if it is refused one, so as many are started beforehand, which takes about 20
// microseconds each.
static int count_startable(int n, int *error)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread[MAX_THREADS];
    int n_started = 0;
    *error = 0;
    (void)pthread_mutex_lock(&gate);
    while (n_started < n - 1 && *error == 0) {
        *error = pthread_create(&thread[n_started], NULL, wait_for_all, &gate);
        n_started += *error == 0;
    }
    (void)pthread_mutex_unlock(&gate);
    for (int t = 0; t < n_started; t++)
        (void)pthread_join(thread[t], NULL);
    return n_started + 1;
}

// Tried once for a number of threads, or when it is set again.
static int startable_threads(opn_ctx *ctx)
{
    int error = 0;
    if (ctx->n_tried != ctx->n_threads) {
        ctx->n_startable = count_startable(ctx->n_threads, &error);
        ctx->n_tried = ctx->n_threads;
    }
    if (error != 0)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "only %d of %d threads can be started: %s; limits on processes or "
                  "memory refuse more",
                  ctx->n_startable, ctx->n_threads, strerror(error));
    return ctx->n_startable;
}

int opn_i_threads(opn_ctx *ctx)
{
    if (ctx->n_threads == 1)
        return 1;
    (void)pthread_once(&watch_once, watch_forks);
    if (!atomic_load(&is_orphaned)) {
        atomic_store(&has_used_threads, true);
        return startable_threads(ctx);
    }
    if (!ctx->has_told_of_fork)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "this process was forked from one that had used several threads, so it "
                  "works with one; start it anew (spawn, not fork) to use %d",
                  ctx->n_threads);
    ctx->has_told_of_fork = true;
    return 1;
}

int opn_i_threads_for(opn_ctx *ctx, int64_t work, int64_t grain)
{
    const int64_t n = work / grain;
    if (n <= 1)
        return 1;
    const int n_threads = opn_i_threads(ctx);
    return n > n_threads ? n_threads : (int)n;
}
