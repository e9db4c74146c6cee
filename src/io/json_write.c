// json_write.c -- building and writing JSON documents.

#include "io/json_write.h"

#include "io/file_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *opn_i_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *opn_i_json_numbers(int32_t n, const double *number)
{
    json_t *list = json_array();
    for (int32_t j = 0; j < n; j++)
        json_array_append_new(list, opn_i_json_number(number[j]));
    return list;
}

json_t *opn_i_json_interval(double low, double high)
{
    json_t *interval = json_array();
    json_array_append_new(interval, opn_i_json_number(low));
    json_array_append_new(interval, opn_i_json_number(high));
    return interval;
}

opn_status
opn_i_json_save(opn_ctx *ctx, const char *path, json_t *document, size_t n_digits)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(n_digits));
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
