// json_write.c -- building and writing JSON documents.

#include "io/json_write.h"

#include "io/file_write.h"
#include "io/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool is_short;

int opn_i_json_set(json_t *object, const char *name, json_t *value)
{
    const int result = json_object_set_new(object, name, value);
    is_short = is_short || result != 0;
    return result;
}

int opn_i_json_append(json_t *array, json_t *value)
{
    const int result = json_array_append_new(array, value);
    is_short = is_short || result != 0;
    return result;
}

bool opn_i_json_is_short(void)
{
    const bool was_short = is_short;
    is_short = false;
    return was_short;
}

typedef struct dumped {
    char *text;
    size_t n, room;
    bool is_cut; // Jansson itself does not see it when the name of a member is cut off
} dumped;

static int put_part(const char *part, size_t n, void *about)
{
    dumped *out = about;
    if (out->room - out->n <= n) {
        const size_t room = 2 * out->room + n + 1;
        char *text = out->is_cut ? NULL : realloc(out->text, room);
        out->is_cut = text == NULL;
        if (out->is_cut)
            return -1;
        out->text = text;
        out->room = room;
    }
    memcpy(out->text + out->n, part, n);
    out->n += n;
    out->text[out->n] = 0;
    return 0;
}

char *opn_i_json_text(const json_t *document, size_t flags)
{
    dumped out = {0};
    if (!opn_i_json_is_short() &&
        json_dump_callback(document, put_part, &out, flags) == 0 && !out.is_cut)
        return out.text;
    free(out.text);
    return NULL;
}

json_t *opn_i_json_string(const char *text)
{
    const size_t n = text == NULL ? 0 : strlen(text);
    if (text == NULL || opn_i_utf8_is_valid((const unsigned char *)text, n))
        return text == NULL ? json_null() : json_string(text);
    char *mended = malloc(n + 1);
    if (mended == NULL)
        return NULL;
    memcpy(mended, text, n + 1);
    for (size_t i = 0, length = 0; i < n; i += length) {
        uint32_t code = 0;
        length = opn_i_utf8_get((const unsigned char *)text + i, n - i, &code);
        if (length == 0) {
            mended[i] = '?';
            length = 1;
        }
    }
    json_t *string = json_string(mended);
    free(mended);
    return string;
}

json_t *opn_i_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *opn_i_json_numbers(int32_t n, const double *number)
{
    json_t *list = json_array();
    for (int32_t j = 0; j < n; j++)
        opn_i_json_append(list, opn_i_json_number(number[j]));
    return list;
}

json_t *opn_i_json_interval(double low, double high)
{
    json_t *interval = json_array();
    opn_i_json_append(interval, opn_i_json_number(low));
    opn_i_json_append(interval, opn_i_json_number(high));
    return interval;
}

opn_status
opn_i_json_save(opn_ctx *ctx, const char *path, json_t *document, size_t n_digits)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    char *text =
            opn_i_json_text(document, JSON_INDENT(1) | JSON_REAL_PRECISION(n_digits));
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "%s: out of memory", path);
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    opn_i_file_writer_put(file, text, strlen(text));
    opn_i_file_writer_put(file, "\n", 1);
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_file_writer_discard(file);
    free(text);
    json_decref(document);
    return status;
}
