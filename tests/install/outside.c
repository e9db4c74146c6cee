// outside.c -- a program of someone else, built against the installed library.

#include <opine/base.h>

#include <stdio.h>

int main(void)
{
    opn_ctx *ctx = NULL;
    const opn_status status = opn_ctx_create(NULL, &ctx);
    if (status != OPN_OK) {
        fprintf(stderr, "no context: %s\n", opn_status_name(status));
        return 1;
    }
    printf("opine %s, %d thread\n", opn_version(), opn_ctx_threads(ctx));
    opn_ctx_free(ctx);
    return 0;
}
