// kernels.c -- which table of kernels to use.

#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>

const opn_k_table *opn_k_select(void)
{
    const char *wanted = getenv("OPINE_KERNEL");
    const opn_k_table *fast = opn_k_table_avx2();
    const bool is_forced = wanted != NULL && strcmp(wanted, "ref") == 0;
    return is_forced || fast == NULL ? opn_k_table_ref() : fast;
}
