// http_absent.c -- stands in for http_server.c in builds without libmicrohttpd.

#include "explore/http_server.h"

bool opn_i_http_server_is_supported(void)
{
    return false;
}

opn_status opn_i_http_server_start(opn_ctx *ctx,
                                   opn_i_gate *gate,
                                   opn_i_answer_fn answer,
                                   void *user,
                                   opn_i_http_server **out)
{
    (void)gate;
    (void)answer;
    (void)user;
    (void)out;
    return opn_i_fail(
            ctx, OPN_ERR_UNSUPPORTED,
            "this opine was built without libmicrohttpd, which serves the page; "
            "install it (in Debian: libmicrohttpd-dev) and build again");
}

void opn_i_http_server_sweep(opn_i_http_server *server)
{
    (void)server;
}

void opn_i_http_server_stop(opn_i_http_server *server)
{
    (void)server;
}
