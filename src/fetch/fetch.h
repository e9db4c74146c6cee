// fetch.h -- fetching a file of known size and SHA-256 from an address or another folder.

#ifndef OPN_FETCH_H
#define OPN_FETCH_H

#include "fetch/http_get.h"

typedef struct opn_i_fetch_job {
    const char *from;   // an http or https address, or a file path
    const char *to;     // destination path; its folder exists
    const char *name;   // for progress messages
    const char *sha256; // 64 hexadecimal digits
    int64_t n_bytes;
    opn_i_http_limits limits;
} opn_i_fetch_job;

// Makes sure that job->to is the file the job describes; *fetched tells whether it had to
// be fetched. Size and hash are checked before the file gets its name; until then it is
// "<to>.part", from which the next call resumes after a failure. A .part that turns out
// to belong to another file is discarded, once. A wrong file at job->to is left alone.
//
// Errors: READ and FORMAT (the file at job->from, or the one already at job->to, is
// missing or wrong), WRITE, NOMEM, INTERRUPTED. Cost: the fetched file is read once more.
OPN_NODISCARD opn_status opn_i_fetch(opn_ctx *ctx,
                                     const opn_i_fetch_job *job,
                                     bool *fetched);

#endif // OPN_FETCH_H
