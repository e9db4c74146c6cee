// fault_shim.c -- one call of the C library fails, for tests/soak/faults.py.
//
// Loaded before a program (LD_PRELOAD). OPINE_FAULT=KIND:K lets call number K of a kind
// fail, once; with K = 0 none fails, and the file OPINE_FAULT_MARK gets their number:
//
//   alloc  malloc, calloc, realloc, posix_memalign, strdup     ENOMEM
//   open   open, fopen, opendir, mkdir                         EMFILE
//   read   read, fread, fstat, lseek                           EIO
//   write  write, fwrite, fflush, fclose, ftruncate            ENOSPC
//   sync   fsync, fdatasync                                    EIO
//   name   rename, unlink                                      EIO
//   thread pthread_create                                      EAGAIN
//
// Only calls that opine and the libraries that it reads and writes files with make are
// counted: what the OpenMP runtime, the loader and the C library do for themselves is not
// theirs to survive. When the call has failed, the file OPINE_FAULT_MARK is made.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ALLOC, OPEN, READ, WRITE, SYNC, NAME, THREAD, N_KINDS };

static const char *const kind_names[N_KINDS] = {"alloc", "open", "read",  "write",
                                                "sync",  "name", "thread"};

static atomic_long n_calls;
static int wanted_kind = -1;
static long wanted_call;
static _Thread_local int is_inside; // dladdr() and dlsym() may allocate

__attribute__((constructor)) static void read_wish(void)
{
    const char *wish = getenv("OPINE_FAULT");
    for (int k = 0; wish != NULL && k < N_KINDS; k++) {
        const size_t n = strlen(kind_names[k]);
        if (strncmp(wish, kind_names[k], n) == 0 && wish[n] == ':') {
            wanted_call = strtol(wish + n + 1, NULL, 10);
            wanted_kind = k;
        }
    }
}

static int is_counted(const void *caller)
{
    static const char *const others[] = {"libgomp", "ld-linux", "libc.so", "fault_shim",
                                         "libcurl", "libstdc",  "libm.so"};
    Dl_info about;
    if (dladdr(caller, &about) == 0 || about.dli_fname == NULL)
        return 0;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strstr(about.dli_fname, others[i]) != NULL)
            return 0;
    return 1;
}

static void leave_mark(const char *text)
{
    const char *mark = getenv("OPINE_FAULT_MARK");
    if (mark == NULL)
        return;
    const long to =
            syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)syscall(SYS_write, to, text, strlen(text));
    (void)syscall(SYS_close, to);
}

__attribute__((destructor)) static void leave_count(void)
{
    char text[32];
    snprintf(text, sizeof(text), "%ld", atomic_load(&n_calls));
    if (wanted_kind >= 0 && wanted_call == 0)
        leave_mark(text);
}

static int fails(enum kind kind, int error, const void *caller)
{
    if (wanted_kind != (int)kind || is_inside)
        return 0;
    is_inside = 1;
    const int is_one =
            is_counted(caller) && atomic_fetch_add(&n_calls, 1) + 1 == wanted_call;
    if (is_one) {
        leave_mark("");
        errno = error;
    }
    is_inside = 0;
    return is_one;
}

#define CALLER __builtin_return_address(0)

// The next definition of a function of this type and name.
#define NEXT(name)                                 \
    static __typeof__(&name) next;                 \
    if (next == NULL) {                            \
        is_inside++;                               \
        *(void **)&next = dlsym(RTLD_NEXT, #name); \
        is_inside--;                               \
    }

// ---- memory --------------------------------------------------------------------------

// The C library's own names, so that dlsym() is not needed, which allocates itself.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t n)
{
    return fails(ALLOC, ENOMEM, CALLER) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails(ALLOC, ENOMEM, CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
    return fails(ALLOC, ENOMEM, CALLER) ? NULL : __libc_realloc(old, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    void *memory = fails(ALLOC, ENOMEM, CALLER) ? NULL : __libc_memalign(alignment, n);
    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}

char *strdup(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = fails(ALLOC, ENOMEM, CALLER) ? NULL : __libc_malloc(n);
    return copy == NULL ? NULL : memcpy(copy, text, n);
}

// ---- files ---------------------------------------------------------------------------

int open(const char *path, int flags, ...)
{
    NEXT(open);
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    return fails(OPEN, EMFILE, CALLER) ? -1 : next(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    return fails(OPEN, EMFILE, CALLER) ? NULL : next(path, mode);
}

DIR *opendir(const char *path)
{
    NEXT(opendir);
    return fails(OPEN, EMFILE, CALLER) ? NULL : next(path);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    return fails(OPEN, ENOSPC, CALLER) ? -1 : next(path, mode);
}

// As the C library does: who looks at the stream later sees it too.
static int stream_fails(enum kind kind, int error, const void *caller, FILE *file)
{
    if (!fails(kind, error, caller))
        return 0;
    file->_flags |= 0x20; // _IO_ERR_SEEN
    return 1;
}

ssize_t read(int file, void *to, size_t n)
{
    NEXT(read);
    return fails(READ, EIO, CALLER) ? -1 : next(file, to, n);
}

size_t fread(void *to, size_t size, size_t n, FILE *file)
{
    NEXT(fread);
    return stream_fails(READ, EIO, CALLER, file) ? 0 : next(to, size, n, file);
}

int fstat(int file, struct stat *about)
{
    NEXT(fstat);
    return fails(READ, EIO, CALLER) ? -1 : next(file, about);
}

off_t lseek(int file, off_t offset, int whence)
{
    NEXT(lseek);
    return fails(READ, EIO, CALLER) ? -1 : next(file, offset, whence);
}

ssize_t write(int file, const void *from, size_t n)
{
    NEXT(write);
    return fails(WRITE, ENOSPC, CALLER) ? -1 : next(file, from, n);
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *file)
{
    NEXT(fwrite);
    return stream_fails(WRITE, ENOSPC, CALLER, file) ? 0 : next(from, size, n, file);
}

int fflush(FILE *file)
{
    NEXT(fflush);
    return file != NULL && stream_fails(WRITE, ENOSPC, CALLER, file) ? EOF : next(file);
}

// The file is closed all the same, as close() does that reports what a late write met.
int fclose(FILE *file)
{
    NEXT(fclose);
    const int is_failure = fails(WRITE, ENOSPC, CALLER);
    const int result = next(file);
    if (is_failure)
        errno = ENOSPC;
    return is_failure ? EOF : result;
}

int ftruncate(int file, off_t n)
{
    NEXT(ftruncate);
    return fails(WRITE, EIO, CALLER) ? -1 : next(file, n);
}

int fsync(int file)
{
    NEXT(fsync);
    return fails(SYNC, EIO, CALLER) ? -1 : next(file);
}

int fdatasync(int file)
{
    NEXT(fdatasync);
    return fails(SYNC, EIO, CALLER) ? -1 : next(file);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return fails(NAME, EIO, CALLER) ? -1 : next(from, to);
}

int unlink(const char *path)
{
    NEXT(unlink);
    return fails(NAME, EIO, CALLER) ? -1 : next(path);
}

int pthread_create(pthread_t *thread,
                   const pthread_attr_t *attributes,
                   void *(*body)(void *),
                   void *about)
{
    NEXT(pthread_create);
    return fails(THREAD, EAGAIN, CALLER) ? EAGAIN : next(thread, attributes, body, about);
}
