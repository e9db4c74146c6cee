// shared_library.c -- shared libraries that are loaded when they are needed.

#include "base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

static opn_status load(opn_ctx *ctx, const opn_i_library *library, void **out)
{
    void *handle = NULL;
    for (const char *const *file = library->files; *file != NULL && handle == NULL;
         file++) {
        handle = dlopen(*file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (handle != NULL || file > library->files)
            continue; // the first is the one to install
        const char *why = dlerror();
        opn_i_set_error(ctx, "%s (%s): %s", library->need, library->package,
                        why != NULL ? why : "it cannot be loaded");
    }
    if (handle == NULL)
        return OPN_ERR_UNSUPPORTED;
    *out = handle;
    return OPN_OK;
}

opn_status
opn_i_library_open(opn_ctx *ctx, const opn_i_library *library, void *table, void **out)
{
    opn_status status = OPN_OK;
    void *handle = NULL;
    const char *missing = NULL;
    OPN_TRY(load(ctx, library, &handle));
    for (size_t f = 0; f < library->n_functions; f++) {
        const opn_i_library_function *function = &library->functions[f];
        void *found = dlsym(handle, function->name);
        // ISO C has no conversion between pointers to objects and functions.
        memcpy((char *)table + function->offset, &found, sizeof(found));
        missing = found == NULL ? function->name : missing;
    }
    OPN_FAIL_IF(ctx, missing != NULL, OPN_ERR_UNSUPPORTED,
                "%s; the installed one is too old and has no %s", library->need, missing);
    *out = handle;
    handle = NULL;
cleanup:
    opn_i_library_close(handle);
    return status;
}

void opn_i_library_close(void *handle)
{
    if (handle != NULL)
        dlclose(handle);
}
