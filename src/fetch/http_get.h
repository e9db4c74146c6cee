// http_get.h -- downloading a file of known size over HTTP (libcurl).

#ifndef OPN_HTTP_GET_H
#define OPN_HTTP_GET_H

#include "fetch/part_file.h"

// Timeouts, and whom to trust.
typedef struct opn_i_http_limits {
    long connect_seconds;     // to connect to the server
    long stall_seconds;       // with almost no data received
    const char *certificates; // file of the trusted ones; NULL: those of the system
} opn_i_http_limits;

// Accepts only plain http and https addresses. Rejects other schemes, names and passwords
// (which no message must show), and queries and fragments, which cannot be followed by a
// file name.
// Errors: INVALID_ARG (the message begins with `what`), UNSUPPORTED (no libcurl), NOMEM.
OPN_NODISCARD opn_status opn_i_http_check(opn_ctx *ctx,
                                          const char *what,
                                          const char *address);

// Fetches the missing bytes of `part`: only the rest if the server supports ranges, else
// the whole file again. Follows at most 5 redirects, never from https to anything else.
// Never writes more than part->n_bytes, whatever the server sends. `stage` is for the
// progress.
//
// Errors: READ (not found, no connection, stalled, ended early: received data is kept),
// FORMAT (the server's file has another size), UNSUPPORTED (no libcurl), WRITE, NOMEM,
// INTERRUPTED, within a tenth of a second. The message names the address.
OPN_NODISCARD opn_status opn_i_http_get(opn_ctx *ctx,
                                        const char *address,
                                        const char *stage,
                                        const opn_i_http_limits *limits,
                                        opn_i_part *part);

#endif // OPN_HTTP_GET_H
