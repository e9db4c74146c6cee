// page.c -- makes a report one HTML page.

#include "report/page.h"

#include "io/base64.h"
#include "io/file_write.h"
#include "io/json_write.h"
#include "io/sha256.h"

#include <stdlib.h>
#include <string.h>

static const opn_i_page_part *find_part(const char *name, size_t n_name)
{
    for (int p = 0; p < opn_i_n_page_parts; p++)
        if (strlen(opn_i_page_parts[p].name) == n_name &&
            memcmp(opn_i_page_parts[p].name, name, n_name) == 0)
            return &opn_i_page_parts[p];
    return NULL;
}

int opn_report_is_supported(void)
{
    return opn_i_n_page_parts > 0;
}

// ---- variable parts ------------------------------------------------------------------

// Encodes pieces of whole groups, so that only the last is padded.
static void put_base64(opn_i_text *page, const unsigned char *bytes, size_t n)
{
    enum { PIECE = 3 * 1024 };
    char text[PIECE / 3 * 4];
    for (size_t at = 0; at < n; at += PIECE) {
        const size_t n_bytes = n - at < PIECE ? n - at : PIECE;
        opn_i_text_put(page, text, opn_i_base64(bytes + at, n_bytes, text));
    }
}

// Writes 'sha256-…' of a part of the page, which allows it in the content security
// policy.
static opn_status put_hash(opn_ctx *ctx, opn_i_text *page, const char *name)
{
    opn_status status = OPN_OK;
    const opn_i_page_part *part = find_part(name, strlen(name));
    unsigned char digest[OPN_SHA256_BYTES];
    opn_i_sha256 *sha = NULL;
    OPN_TRY(opn_i_sha256_start(ctx, &sha));
    opn_i_sha256_add(sha, part->bytes, part->n);
    OPN_TRY(opn_i_sha256_finish_bytes(sha, digest));
    opn_i_text_add(page, " 'sha256-");
    put_base64(page, digest, sizeof(digest));
    opn_i_text_add(page, "'");
cleanup:
    return status;
}

// The page runs only our own code in this file, and loads nothing; one that is served may
// talk to what serves it.
static opn_status put_policy(opn_ctx *ctx, opn_i_text *page, const opn_report *report)
{
    opn_status status = OPN_OK;
    opn_i_text_add(page,
                   "default-src 'none'; %simg-src data:; base-uri 'none'; "
                   "form-action 'none'; style-src",
                   report->live != NULL ? "connect-src 'self'; " : "");
    OPN_TRY(put_hash(ctx, page, "STYLE"));
    opn_i_text_add(page, "; script-src");
    OPN_TRY(put_hash(ctx, page, "LIBRARY"));
    OPN_TRY(put_hash(ctx, page, "SCRIPT"));
cleanup:
    return status;
}

// Escapes JSON so that no character can end the enclosing element. Those characters occur
// only in strings, where an escape means the same.
static void put_json_text(opn_i_text *page, const char *text)
{
    while (*text != 0) {
        const size_t n = strcspn(text, "<>&");
        opn_i_text_put(page, text, n);
        text += n;
        if (*text != 0)
            opn_i_text_add(page, "\\u%04x", (unsigned)*text++);
    }
}

// Writes both parts of the data, each between the texts around it.
static opn_status put_data(opn_ctx *ctx,
                           opn_i_text *page,
                           const opn_report *report,
                           const char *const around[3])
{
    opn_status status = OPN_OK;
    json_t *about = NULL;
    unsigned char *block = NULL;
    size_t n_block = 0;
    char *text = NULL;
    OPN_TRY(opn_i_page_data(ctx, report, &about, &block, &n_block));
    text = opn_i_json_text(about,
                           JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "out of memory for the page");
    opn_i_text_put(page, around[0], strlen(around[0]));
    put_json_text(page, text);
    opn_i_text_put(page, around[1], strlen(around[1]));
    put_base64(page, block, n_block);
    opn_i_text_put(page, around[2], strlen(around[2]));
cleanup:
    free(text);
    json_decref(about);
    opn_i_release(&ctx->alloc, block);
    return status;
}

static opn_status put_elements(opn_ctx *ctx, opn_i_text *page, const opn_report *report)
{
    static const char *const around[3] = {
            "<script type=\"application/json\" id=\"about\">",
            "</script>\n<script type=\"text/plain\" id=\"numbers\">", "</script>"};
    return put_data(ctx, page, report, around);
}

opn_status opn_i_report_data_text(opn_ctx *ctx, const opn_report *report, opn_i_text *out)
{
    static const char *const around[3] = {"{\"about\":", ",\"numbers\":\"", "\"}"};
    const opn_status status = put_data(ctx, out, report, around);
    return status != OPN_OK ? status : out->status;
}

// ---- frame ---------------------------------------------------------------------------

// Writes what replaces @NAME@ in the frame.
static opn_status put_marker(opn_ctx *ctx,
                             opn_i_text *page,
                             const opn_report *report,
                             const char *name,
                             size_t n_name)
{
    const opn_i_page_part *part = find_part(name, n_name);
    if (part != NULL)
        opn_i_text_put(page, (const char *)part->bytes, part->n);
    else if (n_name == 4 && memcmp(name, "DATA", n_name) == 0)
        return put_elements(ctx, page, report);
    else
        return put_policy(ctx, page, report);
    return OPN_OK;
}

opn_status opn_i_report_text(opn_ctx *ctx, const opn_report *report, opn_i_text *out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, !opn_report_is_supported(), OPN_ERR_UNSUPPORTED,
                "this opine was built without Chart.js, which draws the report; install "
                "it (in Debian: libjs-chart.js) and build again");
    const opn_i_page_part *frame = find_part("FRAME", 5);
    const char *at = (const char *)frame->bytes;
    const char *end = at + frame->n;
    while (at < end) {
        const char *mark = memchr(at, '@', (size_t)(end - at));
        const char *close =
                mark == NULL ? NULL : memchr(mark + 1, '@', (size_t)(end - mark) - 1);
        opn_i_text_put(out, at, (size_t)((close == NULL ? end : mark) - at));
        if (close == NULL)
            break;
        OPN_TRY(put_marker(ctx, out, report, mark + 1, (size_t)(close - mark) - 1));
        at = close + 1;
    }
    status = out->status;
cleanup:
    return status;
}

opn_status opn_report_save(opn_ctx *ctx, const opn_report *report, const char *path)
{
    OPN_REJECT_NULL(ctx, path);
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    opn_i_text page = {.ctx = ctx};
    OPN_TRY(opn_i_report_text(ctx, report, &page));
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    opn_i_file_writer_put(file, page.chars, page.n);
    status = opn_i_file_writer_commit(file);
cleanup:
    opn_i_text_free(&page);
    return status;
}
