// mhd_stand_in.h -- a stand-in for libmicrohttpd, without sockets and threads: requests
// go to the server as MHD would hand them over, and answers are kept to be looked at.
//
// To be included by one file of a program. It defines opn_i_mhd_open(), so that the one
// of the library, which loads libmicrohttpd, is not linked.

#ifndef OPN_TEST_MHD_STAND_IN_H
#define OPN_TEST_MHD_STAND_IN_H

#include "explore/mhd_library.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { STAND_IN_HEADERS = 16 };

typedef struct stand_in_header {
    const char *name, *value;
} stand_in_header;

typedef struct stand_in_request {
    const char *method, *url; // decoded, as MHD passes it
    const stand_in_header *header;
    size_t n_headers;
    const char *body; // arrives in two halves
    size_t n_body;
} stand_in_request;

struct MHD_Response {
    char *body; // [n_body] and a NUL
    size_t n_body;
    char header[STAND_IN_HEADERS][2][64];
    size_t n_headers;
    int n_owners;
};

struct MHD_Daemon {
    MHD_AccessHandlerCallback answer;
    void *answer_user;
    MHD_RequestCompletedCallback completed;
    void *completed_user;
    MHD_NotifyConnectionCallback connected;
    void *connected_user;
    int socket;
};

// What came of a request. It was answered, or else the connection was closed.
typedef struct MHD_Connection {
    const stand_in_request *request;
    void *guest;
    union MHD_ConnectionInfo info;
    bool is_answered;
    unsigned code;
    struct MHD_Response *response;
} stand_in_answer;

static struct {
    struct MHD_Daemon daemon;
    bool is_started;
    // Of the calls that may fail, the one that does; 0: none.
    long fail_at, n_calls;
} stand_in;

static inline bool stand_in_fails(void)
{
    return ++stand_in.n_calls == stand_in.fail_at;
}

// ---- what the server calls ------------------------------------------------------------

static inline struct MHD_Daemon *stand_in_start(unsigned flags,
                                                uint16_t port,
                                                MHD_AcceptPolicyCallback admit,
                                                void *admit_user,
                                                MHD_AccessHandlerCallback answer,
                                                void *answer_user,
                                                ...)
{
    (void)flags;
    (void)port;
    (void)admit;
    (void)admit_user;
    struct MHD_Daemon *daemon = &stand_in.daemon;
    va_list options;
    if (stand_in.is_started || stand_in_fails())
        return NULL;
    *daemon = (struct MHD_Daemon){answer, answer_user, NULL, NULL, NULL, NULL, -1};
    va_start(options, answer_user);
    for (int what = va_arg(options, int); what != MHD_OPTION_END;
         what = va_arg(options, int)) {
        if (what == MHD_OPTION_NOTIFY_COMPLETED) {
            daemon->completed = va_arg(options, MHD_RequestCompletedCallback);
            daemon->completed_user = va_arg(options, void *);
        } else if (what == MHD_OPTION_NOTIFY_CONNECTION) {
            daemon->connected = va_arg(options, MHD_NotifyConnectionCallback);
            daemon->connected_user = va_arg(options, void *);
        } else if (what == MHD_OPTION_LISTEN_SOCKET)
            daemon->socket = va_arg(options, int);
        else if (what == MHD_OPTION_CONNECTION_MEMORY_LIMIT)
            (void)va_arg(options, size_t);
        else if (what == MHD_OPTION_CONNECTION_LIMIT ||
                 what == MHD_OPTION_CONNECTION_TIMEOUT ||
                 what == MHD_OPTION_STRICT_FOR_CLIENT)
            (void)va_arg(options, unsigned);
        else
            abort(); // of which nobody knows what follows it
    }
    va_end(options);
    stand_in.is_started = true;
    return daemon;
}

static inline void stand_in_stop(struct MHD_Daemon *daemon)
{
    close(daemon->socket);
    stand_in.is_started = false;
}

static inline struct MHD_Response *
stand_in_create(size_t n_bytes, void *bytes, enum MHD_ResponseMemoryMode mode)
{
    (void)mode; // copied in any case
    struct MHD_Response *response =
            stand_in_fails() ? NULL : calloc(1, sizeof(*response));
    if (response == NULL)
        return NULL;
    response->body = calloc(n_bytes + 1, 1);
    if (response->body == NULL) {
        free(response);
        return NULL;
    }
    memcpy(response->body, bytes, n_bytes);
    response->n_body = n_bytes;
    response->n_owners = 1;
    return response;
}

static inline enum MHD_Result
stand_in_add(struct MHD_Response *response, const char *name, const char *value)
{
    if (stand_in_fails())
        return MHD_NO;
    if (response->n_headers == STAND_IN_HEADERS)
        abort();
    char(*header)[64] = response->header[response->n_headers++];
    snprintf(header[0], 64, "%s", name);
    snprintf(header[1], 64, "%s", value);
    return MHD_YES;
}

static inline enum MHD_Result stand_in_queue(struct MHD_Connection *connection,
                                             unsigned code,
                                             struct MHD_Response *response)
{
    if (stand_in_fails())
        return MHD_NO;
    if (connection->is_answered)
        abort(); // MHD allows one
    connection->is_answered = true;
    connection->code = code;
    connection->response = response;
    response->n_owners++;
    return MHD_YES;
}

static inline void stand_in_destroy(struct MHD_Response *response)
{
    if (response == NULL || --response->n_owners > 0)
        return;
    free(response->body);
    free(response);
}

static inline const char *stand_in_lookup(struct MHD_Connection *connection,
                                          enum MHD_ValueKind kind,
                                          const char *name)
{
    if (kind != MHD_HEADER_KIND)
        abort();
    for (size_t h = 0; h < connection->request->n_headers; h++)
        if (strcasecmp(connection->request->header[h].name, name) == 0)
            return connection->request->header[h].value;
    return NULL;
}

static inline const union MHD_ConnectionInfo *
stand_in_info(struct MHD_Connection *connection, enum MHD_ConnectionInfoType what, ...)
{
    if (what == MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        connection->info.socket_context = connection->guest;
    else
        connection->info.connect_fd = stand_in.daemon.socket;
    return &connection->info;
}

opn_status opn_i_mhd_open(opn_ctx *ctx, opn_i_mhd *out)
{
    (void)ctx;
    *out = (opn_i_mhd){NULL,         stand_in_start, stand_in_stop,    stand_in_create,
                       stand_in_add, stand_in_queue, stand_in_destroy, stand_in_lookup,
                       stand_in_info};
    return OPN_OK;
}

void opn_i_mhd_close(opn_i_mhd *mhd)
{
    *mhd = (opn_i_mhd){0};
}

// ---- what a visitor does
// ---------------------------------------------------------------

static inline enum MHD_Result
stand_in_hand_over(stand_in_answer *answer, const char *part, size_t n_part, void **state)
{
    const struct MHD_Daemon *daemon = &stand_in.daemon;
    size_t n_left = n_part;
    const enum MHD_Result result =
            daemon->answer(daemon->answer_user, answer, answer->request->url,
                           answer->request->method, "HTTP/1.1", part, &n_left, state);
    if (result == MHD_YES && n_left != 0)
        abort(); // the server takes a part at once, or none
    return result;
}

// Makes a request on a connection of its own. The answer is to be freed.
static inline stand_in_answer stand_in_ask(const stand_in_request *request)
{
    const struct MHD_Daemon *daemon = &stand_in.daemon;
    stand_in_answer answer = {.request = request};
    const size_t half = request->n_body / 2;
    void *state = NULL;
    daemon->connected(daemon->connected_user, &answer, &answer.guest,
                      MHD_CONNECTION_NOTIFY_STARTED);
    enum MHD_Result result = stand_in_hand_over(&answer, NULL, 0, &state);
    // What is answered before its body has come sends none.
    if (result == MHD_YES && !answer.is_answered && half > 0)
        result = stand_in_hand_over(&answer, request->body, half, &state);
    if (result == MHD_YES && !answer.is_answered && request->n_body > half)
        result = stand_in_hand_over(&answer, request->body + half, request->n_body - half,
                                    &state);
    if (result == MHD_YES && !answer.is_answered)
        result = stand_in_hand_over(&answer, NULL, 0, &state);
    if (result == MHD_YES && !answer.is_answered)
        abort(); // nobody would ever hear of it
    daemon->completed(daemon->completed_user, &answer, &state,
                      result == MHD_YES ? MHD_REQUEST_TERMINATED_COMPLETED_OK
                                        : MHD_REQUEST_TERMINATED_WITH_ERROR);
    daemon->connected(daemon->connected_user, &answer, &answer.guest,
                      MHD_CONNECTION_NOTIFY_CLOSED);
    return answer;
}

// NULL if the answer has no such header.
static inline const char *stand_in_answer_header(const stand_in_answer *answer,
                                                 const char *name)
{
    for (size_t h = 0; answer->is_answered && h < answer->response->n_headers; h++)
        if (strcasecmp(answer->response->header[h][0], name) == 0)
            return answer->response->header[h][1];
    return NULL;
}

static inline void stand_in_answer_free(stand_in_answer *answer)
{
    stand_in_destroy(answer->response);
    *answer = (stand_in_answer){0};
}

#endif // OPN_TEST_MHD_STAND_IN_H
