// http_server.c -- an HTTP server on top of libmicrohttpd.

#include "explore/http_server.h"

#include "base/clock.h"
#include "explore/mhd_library.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// A connection, and since when it has been waiting for its next request to be answered.
typedef struct guest {
    int socket; // -1: free
    double since;
} guest;

struct opn_i_http_server {
    opn_alloc alloc;
    opn_ctx *ctx; // of the server's thread
    opn_i_mhd mhd;
    struct MHD_Daemon *daemon;
    int socket; // that it listens on, until the daemon has taken it over
    const opn_i_gate *gate;
    opn_i_answer_fn answer;
    void *user;
    pthread_mutex_t lock; // of the guests
    guest guest[OPN_HTTP_CONNECTIONS];
};

// One request while it arrives.
typedef struct visit {
    const char *path;  // after the token; within MHD's copy of the URL
    size_t n_received; // bytes of the body, also of one that there was no memory for
    opn_i_text body;
} visit;

opn_status opn_i_http_server_check(opn_ctx *ctx)
{
    opn_i_mhd mhd = {0};
    const opn_status status = opn_i_mhd_open(ctx, &mhd);
    opn_i_mhd_close(&mhd);
    return status;
}

// ---- answers -------------------------------------------------------------------------

// Nothing is kept by the browser, shown in a frame of another site or told to it.
static const struct {
    const char *name, *value;
} headers[] = {
        {"Cache-Control", "no-store"},
        {"Content-Security-Policy", "frame-ancestors 'none'"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
};

// Sends an answer, with a further header if `name` is not NULL.
static enum MHD_Result send_answer(opn_i_http_server *server,
                                   struct MHD_Connection *connection,
                                   const opn_i_answer *answer,
                                   const char *name,
                                   const char *value)
{
    const opn_i_mhd *mhd = &server->mhd;
    static char nothing[1]; // MHD copies, but takes no const
    char *bytes = answer->body.chars != NULL ? answer->body.chars : nothing;
    struct MHD_Response *response = mhd->create_response_from_buffer(
            answer->body.n, bytes, MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result =
            mhd->add_response_header(response, "Content-Type", answer->type);
    for (size_t h = 0; h < sizeof(headers) / sizeof(headers[0]); h++)
        if (result == MHD_YES)
            result =
                    mhd->add_response_header(response, headers[h].name, headers[h].value);
    if (result == MHD_YES && name != NULL)
        result = mhd->add_response_header(response, name, value);
    if (result == MHD_YES)
        result = mhd->queue_response(connection, (unsigned)answer->code, response);
    mhd->destroy_response(response);
    return result;
}

// Refuses a request, in words of ours that need no escapes, and no memory: there may be
// none.
static enum MHD_Result refuse(opn_i_http_server *server,
                              struct MHD_Connection *connection,
                              int code,
                              const char *why)
{
    char text[512];
    const char *name = code == MHD_HTTP_METHOD_NOT_ALLOWED ? "Allow"
                       : code == MHD_HTTP_UNAUTHORIZED     ? "WWW-Authenticate"
                                                           : NULL;
    const int n = snprintf(text, sizeof(text), "{\"error\":\"%s\"}\n", why);
    const opn_i_answer answer = {.code = code,
                                 .type = "application/json",
                                 .body = {.chars = text, .n = n > 0 ? (size_t)n : 0}};
    return send_answer(server, connection, &answer, name,
                       code == MHD_HTTP_UNAUTHORIZED ? "Bearer" : "GET, HEAD, POST");
}

static enum MHD_Result refuse_without_memory(opn_i_http_server *server,
                                             struct MHD_Connection *connection)
{
    return refuse(server, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
}

static enum MHD_Result answer_visit(opn_i_http_server *server,
                                    struct MHD_Connection *connection,
                                    const char *method,
                                    const visit *v)
{
    const opn_i_request request = {.method = strcmp(method, "POST") == 0 ? "POST" : "GET",
                                   .path = v->path,
                                   .body = opn_i_text_chars(&v->body),
                                   .n_body = v->body.n};
    opn_i_answer answer = {.code = MHD_HTTP_OK,
                           .type = "application/json",
                           .body = {.ctx = server->ctx}};
    if (v->body.status != OPN_OK)
        return refuse_without_memory(server, connection);
    server->answer(server->ctx, server->user, &request, &answer);
    const enum MHD_Result result =
            answer.body.status == OPN_OK
                    ? send_answer(server, connection, &answer, NULL, NULL)
                    : refuse_without_memory(server, connection);
    opn_i_text_free(&answer.body);
    return result;
}

// ---- requests ------------------------------------------------------------------------

static const char *header_of(const opn_i_http_server *server,
                             struct MHD_Connection *connection,
                             const char *name)
{
    return server->mhd.lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

// Whether the header announces a body that is too long.
static bool is_too_long(const char *length)
{
    return length != NULL &&
           (strlen(length) > 9 || strtol(length, NULL, 10) > OPN_HTTP_BODY);
}

// Decides about a request as soon as its headers are there: what is refused sends no
// body.
static enum MHD_Result begin_visit(opn_i_http_server *server,
                                   struct MHD_Connection *connection,
                                   const char *url,
                                   const char *method,
                                   void **state)
{
    const opn_i_visitor visitor = {
            .path = url,
            .host = header_of(server, connection, "Host"),
            .origin = header_of(server, connection, "Origin"),
            .authorization = header_of(server, connection, "Authorization")};
    const char *path = NULL;
    const char *why = NULL;
    const int code = opn_i_gate_check(server->gate, &visitor, &path, &why);
    if (code != 0)
        return refuse(server, connection, code, why);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 &&
        strcmp(method, "POST") != 0)
        return refuse(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                      "only GET, HEAD and POST are answered");
    if (is_too_long(header_of(server, connection, "Content-Length")))
        return refuse(server, connection, MHD_HTTP_CONTENT_TOO_LARGE,
                      "the body is longer than 1 MiB");
    visit *v = opn_i_calloc(&server->alloc, 1, sizeof(*v));
    if (v == NULL)
        return refuse_without_memory(server, connection);
    *v = (visit){.path = path, .body = {.ctx = server->ctx}};
    *state = v;
    return MHD_YES;
}

// A refused connection is closed: MHD cannot answer while a body arrives, and one that
// was not announced may never end.
static enum MHD_Result on_request(void *user,
                                  struct MHD_Connection *connection,
                                  const char *url,
                                  const char *method,
                                  const char *version,
                                  const char *upload,
                                  size_t *n_upload,
                                  void **state)
{
    (void)version;
    opn_i_http_server *server = user;
    visit *v = *state;
    if (v == NULL)
        return begin_visit(server, connection, url, method, state);
    if (*n_upload == 0)
        return answer_visit(server, connection, method, v);
    v->n_received += *n_upload;
    if (v->n_received > OPN_HTTP_BODY)
        return MHD_NO;
    opn_i_text_put(&v->body, upload, *n_upload);
    *n_upload = 0;
    return MHD_YES;
}

// ---- connections ---------------------------------------------------------------------

static guest *guest_of(const opn_i_http_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = server->mhd.get_connection_info(
            connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

static void on_completed(void *user,
                         struct MHD_Connection *connection,
                         void **state,
                         enum MHD_RequestTerminationCode how)
{
    (void)how;
    opn_i_http_server *server = user;
    guest *g = guest_of(server, connection);
    visit *v = *state;
    if (v != NULL)
        opn_i_text_free(&v->body);
    opn_i_release(&server->alloc, v);
    *state = NULL;
    (void)pthread_mutex_lock(&server->lock);
    if (g != NULL)
        g->since = opn_i_clock();
    (void)pthread_mutex_unlock(&server->lock);
}

static void on_connection(void *user,
                          struct MHD_Connection *connection,
                          void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    opn_i_http_server *server = user;
    const union MHD_ConnectionInfo *info = server->mhd.get_connection_info(
            connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    (void)pthread_mutex_lock(&server->lock);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED && *context != NULL) {
        ((guest *)*context)->socket = -1;
        *context = NULL;
    }
    for (int g = 0; what == MHD_CONNECTION_NOTIFY_STARTED && info != NULL &&
                    *context == NULL && g < OPN_HTTP_CONNECTIONS;
         g++)
        if (server->guest[g].socket < 0) {
            server->guest[g] = (guest){info->connect_fd, opn_i_clock()};
            *context = &server->guest[g];
        }
    (void)pthread_mutex_unlock(&server->lock);
}

// A byte now and then keeps a connection from being idle, but not from this. The server's
// thread notices that nothing more comes, and closes it.
void opn_i_http_server_sweep(opn_i_http_server *server)
{
    const double now = opn_i_clock();
    (void)pthread_mutex_lock(&server->lock);
    for (int g = 0; g < OPN_HTTP_CONNECTIONS; g++)
        if (server->guest[g].socket >= 0 &&
            now - server->guest[g].since > OPN_HTTP_SECONDS)
            (void)shutdown(server->guest[g].socket, SHUT_RDWR);
    (void)pthread_mutex_unlock(&server->lock);
}

// ---- start and stop ------------------------------------------------------------------

// A socket that no program started from here inherits; macOS cannot say so at once.
static int new_socket(const struct addrinfo *at)
{
#ifdef SOCK_CLOEXEC
    return socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
#else
    const int s = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (s >= 0)
        (void)fcntl(s, F_SETFD, FD_CLOEXEC);
    return s;
#endif
}

// A socket that listens at one of the addresses of the host; -1, and errno, if none can.
static int open_socket(const struct addrinfo *found, int *port)
{
    int s = -1;
    const int on = 1;
    for (const struct addrinfo *at = found; at != NULL && s < 0; at = at->ai_next) {
        s = new_socket(at);
        if (s < 0)
            continue;
        (void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (bind(s, at->ai_addr, at->ai_addrlen) == 0 &&
            listen(s, OPN_HTTP_CONNECTIONS) == 0)
            break;
        const int why = errno;
        close(s);
        errno = why;
        s = -1;
    }
    struct sockaddr_storage at = {0};
    socklen_t n = sizeof(at);
    if (s >= 0 && getsockname(s, (struct sockaddr *)&at, &n) == 0)
        *port = ntohs(at.ss_family == AF_INET6
                              ? ((const struct sockaddr_in6 *)&at)->sin6_port
                              : ((const struct sockaddr_in *)&at)->sin_port);
    return s;
}

static opn_status listen_at(opn_ctx *ctx, opn_i_gate *gate, int *out)
{
    opn_status status = OPN_OK;
    struct addrinfo *found = NULL;
    char port[16];
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    snprintf(port, sizeof(port), "%d", gate->port);
    const int failed = getaddrinfo(gate->host, port, &hints, &found);
    OPN_FAIL_IF(ctx, failed != 0, OPN_ERR_INVALID_ARG, "`listen` %s: %s", gate->host,
                gai_strerror(failed));
    *out = open_socket(found, &gate->port);
    OPN_FAIL_IF(ctx, *out < 0, OPN_ERR_INVALID_ARG,
                "`listen` %s:%d: cannot be listened on: %s", gate->host, gate->port,
                strerror(errno));
cleanup:
    if (found != NULL)
        freeaddrinfo(found);
    return status;
}

static opn_status start_daemon(opn_ctx *ctx, opn_i_http_server *server)
{
    opn_status status = OPN_OK;
    server->daemon = server->mhd.start_daemon(
            MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request,
            server, MHD_OPTION_LISTEN_SOCKET, server->socket, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)OPN_HTTP_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)OPN_HTTP_IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)OPN_HTTP_HEADERS, MHD_OPTION_STRICT_FOR_CLIENT, 1,
            MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
            MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
    OPN_FAIL_IF(ctx, server->daemon == NULL, OPN_ERR_NOMEM,
                "out of memory or threads for a server");
    server->socket = -1;
cleanup:
    return status;
}

opn_status opn_i_http_server_start(opn_ctx *ctx,
                                   opn_i_gate *gate,
                                   opn_i_answer_fn answer,
                                   void *user,
                                   opn_i_http_server **out)
{
    opn_status status = OPN_OK;
    opn_i_http_server *server = NULL;
    OPN_TRY_NEW(ctx, server, 1);
    server->alloc = ctx->alloc;
    server->socket = -1;
    server->gate = gate;
    server->answer = answer;
    server->user = user;
    (void)pthread_mutex_init(&server->lock, NULL);
    for (int g = 0; g < OPN_HTTP_CONNECTIONS; g++)
        server->guest[g].socket = -1;
    OPN_TRY(opn_i_mhd_open(ctx, &server->mhd));
    OPN_TRY(opn_ctx_create(&ctx->alloc, &server->ctx));
    OPN_TRY(listen_at(ctx, gate, &server->socket));
    OPN_TRY(start_daemon(ctx, server));
    *out = server;
    server = NULL;
cleanup:
    opn_i_http_server_stop(server);
    return status;
}

void opn_i_http_server_stop(opn_i_http_server *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        server->mhd.stop_daemon(server->daemon);
    if (server->socket >= 0)
        close(server->socket);
    opn_i_mhd_close(&server->mhd);
    opn_ctx_free(server->ctx);
    (void)pthread_mutex_destroy(&server->lock);
    opn_i_release(&server->alloc, server);
}
