// kernels.c -- choice of the kernel table.

#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS(name) opn_k_table_##name,
static const opn_k_table *(*const fast_tables[])(void) = {OPN_K_FAST_TABLES(ADDRESS)};
enum { N_FAST = sizeof(fast_tables) / sizeof(fast_tables[0]) };

// The fastest table for this CPU that is called `name`, or any if that is NULL.
static const opn_k_table *find_fast(const char *name)
{
    const opn_k_table *found = NULL;
    for (size_t t = 0; t < N_FAST && found == NULL; t++) {
        found = fast_tables[t]();
        if (found != NULL && name != NULL && strcmp(name, found->name) != 0)
            found = NULL;
    }
    return found;
}

const opn_k_table *opn_k_select(void)
{
    const char *wanted = getenv("OPINE_KERNEL");
    const opn_k_table *found = wanted == NULL ? NULL : find_fast(wanted);
    if (found == NULL && (wanted == NULL || strcmp(wanted, "ref") != 0))
        found = find_fast(NULL);
    return found == NULL ? opn_k_table_ref() : found;
}
