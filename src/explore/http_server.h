// http_server.h -- an HTTP server: sockets, limits and headers. What requests mean is up
// to whoever answers them.

#ifndef OPN_HTTP_SERVER_H
#define OPN_HTTP_SERVER_H

#include "base/text.h"
#include "explore/http_gate.h"

// Bounds on what one visitor can take up: bytes of a body, of all headers, connections at
// once, seconds without a byte, and seconds for one request with its answer.
enum {
    OPN_HTTP_BODY = 1 << 20,
    OPN_HTTP_HEADERS = 1 << 15,
    OPN_HTTP_CONNECTIONS = 64,
    OPN_HTTP_IDLE_SECONDS = 10,
    OPN_HTTP_SECONDS = 30
};

typedef struct opn_i_request {
    const char *method; // "GET" (also for HEAD) or "POST"
    const char *path;   // after the token
    const char *body;   // [n_body]; "" if there is none
    size_t n_body;
} opn_i_request;

typedef struct opn_i_answer {
    int code;         // 200
    const char *type; // a static text, "application/json"
    opn_i_text body;
} opn_i_answer;

// Fills the answer, for which code and type are set to those of a JSON document. Called
// on the thread of the server, one request at a time.
typedef void (*opn_i_answer_fn)(opn_ctx *ctx,
                                void *user,
                                const opn_i_request *request,
                                opn_i_answer *out);

typedef struct opn_i_http_server opn_i_http_server;

// Listens where the gate says and answers on a thread of its own; gate->port becomes the
// port that was free. The gate must outlive the server. Errors: UNSUPPORTED (without
// libmicrohttpd), INVALID_ARG (no such address, or it is in use), NOMEM.
OPN_NODISCARD opn_status opn_i_http_server_start(opn_ctx *ctx,
                                                 opn_i_gate *gate,
                                                 opn_i_answer_fn answer,
                                                 void *user,
                                                 opn_i_http_server **out);

// Closes connections whose request has taken OPN_HTTP_SECONDS; to be called every second
// or so, from any thread.
void opn_i_http_server_sweep(opn_i_http_server *server);

void opn_i_http_server_stop(opn_i_http_server *server); // accepts NULL

// Whether this build can serve.
bool opn_i_http_server_is_supported(void);

#endif // OPN_HTTP_SERVER_H
