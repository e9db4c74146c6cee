// shared_library.h -- shared libraries that are loaded when they are needed, because they
// would make every start of a program slower.

#ifndef OPN_SHARED_LIBRARY_H
#define OPN_SHARED_LIBRARY_H

#include "base/context.h"

// A function of a library, and where in a table of pointers it goes.
typedef struct opn_i_library_function {
    const char *name;
    size_t offset;
} opn_i_library_function;

typedef struct opn_i_library {
    const char *const *files; // names to look for, the first is best; the last is NULL
    const char *need;         // what messages begin with: "downloading needs libcurl"
    const char *package;      // what to install: "libcurl4 in Debian"
    const opn_i_library_function *functions;
    size_t n_functions;
} opn_i_library;

// Loads the library, or finds it loaded already, and fills the table. It stays in memory
// until the program ends, because libraries that come along register functions to call
// then. *handle is for opn_i_library_close().
// Errors: UNSUPPORTED (not installed, or without one of the functions).
OPN_NODISCARD opn_status opn_i_library_open(opn_ctx *ctx,
                                            const opn_i_library *library,
                                            void *table,
                                            void **handle);

void opn_i_library_close(void *handle); // accepts NULL

#endif // OPN_SHARED_LIBRARY_H
