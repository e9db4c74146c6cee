// http_get.h -- a file of known size over HTTP (libcurl).

#ifndef OPN_HTTP_GET_H
#define OPN_HTTP_GET_H

#include "io/part_file.h"

// How long to wait for what does not come.
typedef struct opn_i_http_limits {
    long connect_seconds; // until the server has answered the connection
    long stall_seconds;   // with next to nothing coming in
} opn_i_http_limits;

// Whether the text is an address, and not a path.
bool opn_i_is_address(const char *text);

// Refuses what is no plain http or https address: other schemes, names and passwords (no
// message must show them), and queries and fragments, behind which no file name fits.
// Errors: INVALID_ARG (the message begins with `what`), NOMEM.
OPN_NODISCARD opn_status opn_i_http_check(opn_ctx *ctx,
                                          const char *what,
                                          const char *address);

// Brings what `part` lacks: the rest if the server can send only that, else all of it
// again. Follows at most 5 redirects, never from https to anything else. No more than
// part->n_bytes are written, whatever the server sends. `stage` is that of the progress.
//
// Errors: READ (not found, no connection, stalled, ended early: what has come is kept),
// FORMAT (the server's file has another size), WRITE, NOMEM, INTERRUPTED, within a tenth
// of a second. The message names the address.
OPN_NODISCARD opn_status opn_i_http_get(opn_ctx *ctx,
                                        const char *address,
                                        const char *stage,
                                        const opn_i_http_limits *limits,
                                        opn_i_part *part);

#endif // OPN_HTTP_GET_H
