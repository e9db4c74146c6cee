// fetch.h -- a file whose size and SHA-256 are known, from an address or another folder.

#ifndef OPN_FETCH_H
#define OPN_FETCH_H

#include "io/http_get.h"

typedef struct opn_i_fetch_job {
    const char *from;   // an http or https address, or the path of a file
    const char *to;     // path of the file to be; its folder is there
    const char *name;   // for the progress
    const char *sha256; // 64 hexadecimal digits
    int64_t n_bytes;
    opn_i_http_limits limits;
} opn_i_fetch_job;

// Sees to it that job->to is the file that the job describes; *fetched tells whether it
// had to be brought. Size and hash are checked before the file gets its name; until then
// it is "<to>.part", from which the next call goes on after a failure. A .part that turns
// out to be of another file is thrown away, once. A wrong file at job->to is left alone.
//
// Errors: READ and FORMAT (what is at job->from, or already at job->to, is missing or
// wrong), WRITE, NOMEM, INTERRUPTED. Cost: the file is read once after it has come.
OPN_NODISCARD opn_status opn_i_fetch(opn_ctx *ctx,
                                     const opn_i_fetch_job *job,
                                     bool *fetched);

#endif // OPN_FETCH_H
