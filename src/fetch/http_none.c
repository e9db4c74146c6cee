// http_none.c -- stands in for http_get.c in builds that cannot download.

#include "fetch/http_get.h"

static opn_status fail_without(opn_ctx *ctx)
{
    return opn_i_fail(ctx, OPN_ERR_UNSUPPORTED,
                      "this build of opine cannot download, because it was configured "
                      "with -DOPINE_FETCH=OFF; name a folder that holds the files as "
                      "`mirror`");
}

opn_status opn_i_http_check(opn_ctx *ctx, const char *what, const char *address)
{
    (void)what;
    (void)address;
    return fail_without(ctx);
}

opn_status opn_i_http_get(opn_ctx *ctx,
                          const char *address,
                          const char *stage,
                          const opn_i_http_limits *limits,
                          opn_i_part *part)
{
    (void)address;
    (void)stage;
    (void)limits;
    (void)part;
    return fail_without(ctx);
}
