// mhd_library.h -- libmicrohttpd, loaded when something is served: no other verb needs it
// and what it brings along.

#ifndef OPN_MHD_LIBRARY_H
#define OPN_MHD_LIBRARY_H

#include "base/context.h"

#include <microhttpd.h>

// The functions of libmicrohttpd that are called, each named without its MHD_.
typedef struct opn_i_mhd {
    void *handle; // of the loaded library
    struct MHD_Daemon *(*start_daemon)(unsigned flags,
                                       uint16_t port,
                                       MHD_AcceptPolicyCallback admit,
                                       void *admit_user,
                                       MHD_AccessHandlerCallback answer,
                                       void *answer_user,
                                       ...);
    void (*stop_daemon)(struct MHD_Daemon *daemon);
    struct MHD_Response *(*create_response_from_buffer)(size_t n_bytes,
                                                        void *bytes,
                                                        enum MHD_ResponseMemoryMode mode);
    enum MHD_Result (*add_response_header)(struct MHD_Response *response,
                                           const char *name,
                                           const char *value);
    enum MHD_Result (*queue_response)(struct MHD_Connection *connection,
                                      unsigned code,
                                      struct MHD_Response *response);
    void (*destroy_response)(struct MHD_Response *response);
    const char *(*lookup_connection_value)(struct MHD_Connection *connection,
                                           enum MHD_ValueKind kind,
                                           const char *name);
    const union MHD_ConnectionInfo *(*get_connection_info)(
            struct MHD_Connection *connection, enum MHD_ConnectionInfoType what, ...);
} opn_i_mhd;

// Loads the library, or finds it loaded already; it stays in memory until the program
// ends. Errors: UNSUPPORTED (not installed).
OPN_NODISCARD opn_status opn_i_mhd_open(opn_ctx *ctx, opn_i_mhd *out);

void opn_i_mhd_close(opn_i_mhd *mhd); // accepts one that is all zero

#endif // OPN_MHD_LIBRARY_H
