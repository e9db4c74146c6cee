// http_gate.h -- who may talk to the server: where it listens, the token of its address,
// and the checks of every request. Knows no sockets.

#ifndef OPN_HTTP_GATE_H
#define OPN_HTTP_GATE_H

#include "base/context.h"

// 128 bits in hexadecimal digits.
enum { OPN_TOKEN_CHARS = 32, OPN_HOST_ROOM = 256 };

typedef struct opn_i_gate {
    char host[OPN_HOST_ROOM]; // to listen on, without brackets: "127.0.0.1", "::1"
    int port;                 // 0: any that is free, until the server says which
    bool is_open;             // to all addresses of the machine: 0.0.0.0 or ::
    char token[OPN_TOKEN_CHARS + 1];
} opn_i_gate;

// What a request says about itself; NULL for what it does not.
typedef struct opn_i_visitor {
    const char *path;                          // decoded, from "/" on
    const char *host, *origin, *authorization; // of the headers of these names
} opn_i_visitor;

// Reads where to listen, "HOST", "HOST:PORT", ":PORT" or "[::1]:PORT", of which the rest
// is 127.0.0.1 and any free port, and draws a token. Errors: INVALID_ARG (`listen` is
// none of these), INTERNAL (the system has no random numbers).
OPN_NODISCARD opn_status opn_i_gate_init(opn_ctx *ctx,
                                         const char *listen,
                                         opn_i_gate *out);

// Whether others than this machine can reach it.
bool opn_i_gate_is_public(const opn_i_gate *gate);

// The address to open, with the token and a final slash; false if it does not fit.
bool opn_i_gate_address(const opn_i_gate *gate, char *out, size_t room);

// 0 if the visitor may come in, and *path is then what follows the token, from "/" on;
// else the HTTP status to refuse with, and *why in words. Names that an attacker can
// point at this machine are refused as Host, so that no other site's script gets in; the
// token, first in the path or in "Authorization: Bearer", is compared in constant time
// and needed for all but /healthz.
int opn_i_gate_check(const opn_i_gate *gate,
                     const opn_i_visitor *visitor,
                     const char **path,
                     const char **why);

#endif // OPN_HTTP_GATE_H
