// kernels.c -- choice of the kernel table.

#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS(name) opn_k_table_##name,
static const opn_k_table *(*const fast_tables[])(void) = {OPN_K_FAST_TABLES(ADDRESS)};
enum { N_FAST = sizeof(fast_tables) / sizeof(fast_tables[0]) };

const opn_k_table *opn_k_select(void)
{
    const char *wanted = getenv("OPINE_KERNEL");
    const opn_k_table *found = NULL;
    const bool is_forced = wanted != NULL && strcmp(wanted, "ref") == 0;
    for (size_t t = 0; t < N_FAST && found == NULL && !is_forced; t++)
        found = fast_tables[t]();
    return found == NULL ? opn_k_table_ref() : found;
}
