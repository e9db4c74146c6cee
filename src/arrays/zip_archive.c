// zip_archive.c -- reading members of an in-memory zip archive: libzip reads the
// directory and finds the bytes of a member, libdeflate unpacks them.

#include "arrays/zip_archive.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

struct opn_i_zip {
    opn_alloc alloc;
    char *name;
    size_t n_bytes;
    zip_t *archive;
    const char **member; // [n_members] in archive order; owned by libzip
    int n_members;
};

// ---- opening -------------------------------------------------------------------------

// libzip's messages are about its internals; these are about the file.
static opn_status fail_zip(opn_ctx *ctx, const char *what, int code)
{
    const char *reason = "is broken";
    switch (code) {
    case ZIP_ER_MEMORY:
        return opn_i_fail(ctx, OPN_ERR_NOMEM, "%s: out of memory while reading it", what);
    case ZIP_ER_NOZIP:
        reason = "is not a zip archive, or its end is missing";
        break;
    case ZIP_ER_INCONS:
        reason = "the directory and the members of the archive disagree";
        break;
    case ZIP_ER_MULTIDISK:
        reason = "is one part of several; join them first";
        break;
    case ZIP_ER_CRC:
        reason = "the checksum is wrong, so the content was damaged";
        break;
    case ZIP_ER_ZLIB:
    case ZIP_ER_COMPRESSED_DATA:
        reason = "the compressed data are broken";
        break;
    case ZIP_ER_EOF:
    case ZIP_ER_READ:
    case ZIP_ER_SEEK:
        reason = "is truncated";
        break;
    default:
        break;
    }
    return opn_i_fail(ctx, OPN_ERR_FORMAT, "%s: %s", what, reason);
}

// libzip tries every end record near the end of the data and reads the directory it
// points to: thousands of them would keep it busy for minutes.
static opn_status
check_ends(opn_ctx *ctx, const char *name, const unsigned char *data, size_t n_bytes)
{
    enum { END = 22, LOCATOR = 20, MAX_COMMENT = 65535, MAX_ENDS = 8 };
    opn_status status = OPN_OK;
    const size_t n_tail = END + LOCATOR + MAX_COMMENT; // the part libzip scans
    int n_ends = 0;
    for (size_t at = n_bytes > n_tail ? n_bytes - n_tail : 0; at + END <= n_bytes; at++)
        n_ends += memcmp(data + at, "PK\5\6", 4) == 0;
    OPN_FAIL_IF(ctx, n_ends == 0, OPN_ERR_FORMAT,
                "%s: is not a zip archive, or its end is missing", name);
    OPN_FAIL_IF(ctx, n_ends > MAX_ENDS, OPN_ERR_FORMAT,
                "%s: %d ends of a zip archive; expected one", name, n_ends);
cleanup:
    return status;
}

static opn_status open_archive(opn_ctx *ctx,
                               const char *name,
                               const unsigned char *data,
                               size_t n_bytes,
                               zip_t **out)
{
    opn_status status = OPN_OK;
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(data, n_bytes, 0, &error);
    zip_t *archive =
            source != NULL ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (archive == NULL) {
        zip_source_free(source); // owned by the archive only on success; accepts NULL
        status = fail_zip(ctx, name, zip_error_code_zip(&error));
    } else {
        *out = archive;
    }
    zip_error_fini(&error);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// With two members of the same name there is no telling which is meant.
static opn_status check_unique(opn_ctx *ctx, const opn_i_zip *zip)
{
    opn_status status = OPN_OK;
    const char **sorted = NULL;
    OPN_TRY_NEW(ctx, sorted, zip->n_members);
    for (int i = 0; i < zip->n_members; i++)
        sorted[i] = zip->member[i];
    qsort(sorted, (size_t)zip->n_members, sizeof(*sorted), compare_names);
    for (int i = 1; i < zip->n_members; i++)
        OPN_FAIL_IF(ctx, strcmp(sorted[i - 1], sorted[i]) == 0, OPN_ERR_FORMAT,
                    "%s: two members are named %.100s", zip->name, sorted[i]);
cleanup:
    opn_i_release(&ctx->alloc, sorted);
    return status;
}

// Members that share their bytes would unpack to many times what the limit of each
// allows. libzip does not say where a member begins, but together they cannot be larger
// than the archive. One that is larger by itself is refused by name, when it is read.
static opn_status check_overlap(opn_ctx *ctx, const opn_i_zip *zip)
{
    opn_status status = OPN_OK;
    uint64_t n_left = zip->n_bytes;
    zip_stat_t info;
    for (int i = 0; i < zip->n_members; i++) {
        zip_stat_init(&info);
        if (zip_stat_index(zip->archive, (zip_uint64_t)i, 0, &info) != 0 ||
            (info.valid & ZIP_STAT_COMP_SIZE) == 0 || info.comp_size > zip->n_bytes)
            continue;
        OPN_FAIL_IF(ctx, info.comp_size > n_left, OPN_ERR_FORMAT,
                    "%s: members that share their bytes: together they claim more than "
                    "the %zu bytes of the archive",
                    zip->name, zip->n_bytes);
        n_left -= info.comp_size;
    }
cleanup:
    return status;
}

// Names appear in messages, and so on terminals: no control characters. (libzip maps most
// of them to code page 437 symbols, but not tabs and newlines.)
static opn_status list_members(opn_ctx *ctx, opn_i_zip *zip)
{
    opn_status status = OPN_OK;
    const zip_int64_t n_members = zip_get_num_entries(zip->archive, 0);
    OPN_FAIL_IF(ctx, n_members < 0 || n_members > OPN_ZIP_MAX_MEMBERS, OPN_ERR_FORMAT,
                "%s: %" PRId64 " members; at most %d are read", zip->name,
                (int64_t)n_members, OPN_ZIP_MAX_MEMBERS);
    OPN_TRY_NEW(ctx, zip->member, n_members);
    zip->n_members = (int)n_members;
    for (int i = 0; i < zip->n_members; i++) {
        const char *name = zip_get_name(zip->archive, (zip_uint64_t)i, 0);
        if (name == NULL) {
            status = fail_zip(ctx, zip->name,
                              zip_error_code_zip(zip_get_error(zip->archive)));
            goto cleanup;
        }
        for (const char *c = name; *c != 0; c++)
            OPN_FAIL_IF(ctx, (unsigned char)*c < 0x20 || *c == 0x7f, OPN_ERR_FORMAT,
                        "%s: the name of member %d holds control character 0x%02x",
                        zip->name, i, (unsigned)(unsigned char)*c);
        zip->member[i] = name;
    }
    OPN_TRY(check_unique(ctx, zip));
cleanup:
    return status;
}

opn_status opn_i_zip_open(opn_ctx *ctx,
                          const char *name,
                          const unsigned char *data,
                          size_t n_bytes,
                          opn_i_zip **out)
{
    opn_status status = OPN_OK;
    opn_i_zip *zip = NULL;
    OPN_TRY(check_ends(ctx, name, data, n_bytes));
    OPN_TRY_NEW(ctx, zip, 1);
    zip->alloc = ctx->alloc;
    zip->n_bytes = n_bytes;
    OPN_TRY_NEW(ctx, zip->name, strlen(name) + 1);
    memcpy(zip->name, name, strlen(name));
    OPN_TRY(open_archive(ctx, name, data, n_bytes, &zip->archive));
    OPN_TRY(list_members(ctx, zip));
    OPN_TRY(check_overlap(ctx, zip));
    *out = zip;
    zip = NULL;
cleanup:
    opn_i_zip_close(zip);
    return status;
}

opn_status opn_i_zip_open_file(opn_ctx *ctx,
                               const char *name,
                               const opn_i_bytes *bytes,
                               opn_i_zip **out)
{
    if (bytes->n_packed > 0)
        return opn_i_fail(ctx, OPN_ERR_FORMAT,
                          "%s: is packed by gzip, and a zip archive is packed already; "
                          "unpack it first",
                          name);
    return opn_i_zip_open(ctx, name, bytes->data, bytes->n, out);
}

void opn_i_zip_close(opn_i_zip *zip)
{
    if (zip == NULL)
        return;
    const opn_alloc alloc = zip->alloc;
    if (zip->archive != NULL)
        zip_discard(zip->archive);
    opn_i_release(&alloc, zip->member);
    opn_i_release(&alloc, zip->name);
    opn_i_release(&alloc, zip);
}

// ---- members -------------------------------------------------------------------------

int opn_i_zip_n_members(const opn_i_zip *zip)
{
    return zip->n_members;
}

const char *opn_i_zip_member_name(const opn_i_zip *zip, int i)
{
    return zip->member[i];
}

// Index of the member, or -1. The archives we read have a dozen members.
static int find_member(const opn_i_zip *zip, const char *member)
{
    for (int i = 0; i < zip->n_members; i++)
        if (strcmp(zip->member[i], member) == 0)
            return i;
    return -1;
}

bool opn_i_zip_has(const opn_i_zip *zip, const char *member)
{
    return find_member(zip, member) >= 0;
}

const char *
opn_i_zip_what(const opn_i_zip *zip, const char *member, char out[OPN_ZIP_WHAT_ROOM])
{
    snprintf(out, OPN_ZIP_WHAT_ROOM, "%s: member %s", zip->name, member);
    return out;
}

// Checks a member's declared properties before anything is allocated.
static opn_status
check_claims(opn_ctx *ctx, const opn_i_zip *zip, const char *what, const zip_stat_t *info)
{
    // Deflate produces at most 258 bytes from two bits.
    enum { MAX_RATIO = 1032 };
    opn_status status = OPN_OK;
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC |
                                ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    OPN_FAIL_IF(ctx, (info->valid & needed) != needed, OPN_ERR_FORMAT,
                "%s: the archive does not state its size and compression", what);
    OPN_FAIL_IF(ctx, info->encryption_method != ZIP_EM_NONE, OPN_ERR_UNSUPPORTED,
                "%s: is encrypted; decrypt the archive first", what);
    OPN_FAIL_IF(ctx,
                info->comp_method != ZIP_CM_STORE && info->comp_method != ZIP_CM_DEFLATE,
                OPN_ERR_UNSUPPORTED,
                "%s: compression method %d; stored (0) and deflated (8) members are read",
                what, (int)info->comp_method);
    OPN_FAIL_IF(ctx, info->comp_size > zip->n_bytes, OPN_ERR_FORMAT,
                "%s: claims %" PRIu64 " packed bytes in an archive of %zu", what,
                (uint64_t)info->comp_size, zip->n_bytes);
    const uint64_t n_most = info->comp_method == ZIP_CM_STORE
                                    ? info->comp_size
                                    : info->comp_size * MAX_RATIO;
    OPN_FAIL_IF(ctx,
                info->size > n_most ||
                        !opn_i_expansion_allowed(info->comp_size, info->size),
                OPN_ERR_FORMAT,
                "%s: claims to unpack from %" PRIu64 " to %" PRIu64
                " bytes, more than is plausible",
                what, (uint64_t)info->comp_size, (uint64_t)info->size);
cleanup:
    return status;
}

// Reads the n bytes of a member as they are in the archive. libzip finds them through the
// local header and checks that they are inside of the archive.
static opn_status read_packed(opn_ctx *ctx,
                              const opn_i_zip *zip,
                              const char *what,
                              const zip_stat_t *info,
                              unsigned char *out)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)info->comp_size;
    zip_file_t *file = zip_fopen_index(zip->archive, info->index, ZIP_FL_COMPRESSED);
    if (file == NULL)
        OPN_TRY(fail_zip(ctx, what, zip_error_code_zip(zip_get_error(zip->archive))));
    for (size_t done = 0; done < n;) {
        const zip_int64_t n_read = zip_fread(file, out + done, n - done);
        if (n_read < 0)
            OPN_TRY(fail_zip(ctx, what, zip_error_code_zip(zip_file_get_error(file))));
        OPN_FAIL_IF(ctx, n_read == 0, OPN_ERR_FORMAT, "%s: is truncated", what);
        done += (size_t)n_read;
    }
cleanup:
    if (file != NULL)
        zip_fclose(file);
    return status;
}

// Unpacks a deflated member into the n bytes at `out`, in one go: libdeflate takes half
// the time of zlib, which has to be able to stop after any byte.
static opn_status unpack(opn_ctx *ctx,
                         const char *what,
                         const unsigned char *packed,
                         size_t n_packed,
                         unsigned char *out,
                         size_t n)
{
    opn_status status = OPN_OK;
    size_t n_used = 0;
    size_t n_out = 0;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    OPN_FAIL_IF(ctx, inflater == NULL, OPN_ERR_NOMEM,
                "%s: out of memory while reading it", what);
    const enum libdeflate_result result = libdeflate_deflate_decompress_ex(
            inflater, packed, n_packed, out, n, &n_used, &n_out);
    OPN_FAIL_IF(ctx, result == LIBDEFLATE_INSUFFICIENT_SPACE, OPN_ERR_FORMAT,
                "%s: unpacks to more than the %zu bytes the archive says", what, n);
    OPN_FAIL_IF(ctx, result != LIBDEFLATE_SUCCESS, OPN_ERR_FORMAT,
                "%s: the compressed data are broken or end early", what);
    OPN_FAIL_IF(ctx, n_out != n, OPN_ERR_FORMAT,
                "%s: unpacks to %zu bytes, but the archive says %zu", what, n_out, n);
cleanup:
    libdeflate_free_decompressor(inflater);
    return status;
}

// Room for n bytes; an archive may declare more than there is memory for, so it is named.
static opn_status make_room(opn_ctx *ctx, const char *what, size_t n, unsigned char **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW_ROOM(ctx, *out, n);
cleanup:
    return status == OPN_OK ? status : opn_i_fail_within(ctx, status, what);
}

static opn_status read_content(opn_ctx *ctx,
                               const opn_i_zip *zip,
                               const char *what,
                               const zip_stat_t *info,
                               unsigned char *out)
{
    opn_status status = OPN_OK;
    unsigned char *packed = NULL;
    const size_t n = (size_t)info->size;
    const size_t n_packed = (size_t)info->comp_size;
    if (info->comp_method == ZIP_CM_STORE) {
        OPN_FAIL_IF(ctx, n_packed != n, OPN_ERR_FORMAT,
                    "%s: unpacks to %zu bytes, but the archive says %zu", what, n_packed,
                    n);
        OPN_TRY(read_packed(ctx, zip, what, info, out));
    } else {
        OPN_TRY(make_room(ctx, what, n_packed, &packed));
        OPN_TRY(read_packed(ctx, zip, what, info, packed));
        OPN_TRY(unpack(ctx, what, packed, n_packed, out, n));
    }
    OPN_FAIL_IF(ctx, libdeflate_crc32(0, out, n) != info->crc, OPN_ERR_FORMAT,
                "%s: the checksum is wrong, so the content was damaged", what);
cleanup:
    opn_i_release(&ctx->alloc, packed);
    return status;
}

opn_status
opn_i_zip_read(opn_ctx *ctx, const opn_i_zip *zip, const char *member, opn_i_bytes *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    zip_stat_t info;
    char what[OPN_ZIP_WHAT_ROOM];
    opn_i_zip_what(zip, member, what);

    const int i = find_member(zip, member);
    OPN_FAIL_IF(ctx, i < 0, OPN_ERR_FORMAT, "%s: has no member %s", zip->name, member);
    zip_stat_init(&info);
    if (zip_stat_index(zip->archive, (zip_uint64_t)i, 0, &info) != 0)
        OPN_TRY(fail_zip(ctx, what, zip_error_code_zip(zip_get_error(zip->archive))));
    OPN_TRY(check_claims(ctx, zip, what, &info));
    bytes.n = info.size;
    bytes.n_packed = info.comp_size;
    OPN_TRY(make_room(ctx, what, bytes.n + 1, &bytes.data));
    OPN_TRY(read_content(ctx, zip, what, &info, bytes.data));
    OPN_TRY(opn_i_go_on(ctx, "unpacking"));
    bytes.data[bytes.n] = 0;
    *out = bytes;
    bytes.data = NULL;
cleanup:
    opn_i_release(&ctx->alloc, bytes.data);
    return status;
}
