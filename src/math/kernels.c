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
    const opn_k_table *fastest = NULL;
    if (wanted != NULL && strcmp(wanted, opn_k_table_ref()->name) == 0)
        return opn_k_table_ref();
    for (size_t t = 0; t < N_FAST; t++) {
        const opn_k_table *table = fast_tables[t]();
        if (table != NULL && wanted != NULL && strcmp(wanted, table->name) == 0)
            return table;
        if (fastest == NULL)
            fastest = table;
    }
    return fastest == NULL ? opn_k_table_ref() : fastest;
}
