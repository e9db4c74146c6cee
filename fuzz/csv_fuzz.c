// csv_fuzz.c -- any bytes as a CSV and as a TSV file; numbers against the C library's.

#include "fuzz_target.h"
#include "io/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The C library also takes blanks, hexadecimal, infinities and NaN; no text of these
// characters holds any of them.
static bool is_decimal_text(const opn_i_csv_field *field)
{
    return field->n_chars > 0 && strspn(field->text, "0123456789+-.eE") == field->n_chars;
}

static void check_numbers(const opn_i_csv_field *field)
{
    char *end;
    errno = 0;
    const long long whole = strtoll(field->text, &end, 10);
    const bool is_whole = is_decimal_text(field) && *end == '\0' && errno == 0;
    int64_t integer = 0;
    fuzz_check(opn_i_csv_int(field, INT64_MIN, INT64_MAX, &integer) == is_whole);
    fuzz_check(!is_whole || integer == whole);

    const double number = strtod(field->text, &end);
    const bool is_number = is_decimal_text(field) && *end == '\0' && isfinite(number);
    double real = 0.0;
    fuzz_check(opn_i_csv_real(field, &real) == is_number);
    fuzz_check(!is_number || memcmp(&real, &number, sizeof(real)) == 0);
}

static void read_all(opn_ctx *ctx, const uint8_t *data, size_t size, char delimiter)
{
    opn_i_bytes bytes = {.data = opn_i_calloc(&ctx->alloc, size + 1, 1), .n = size};
    if (size > 0)
        memcpy(bytes.data, data, size);
    opn_i_csv csv;
    if (opn_i_csv_open(ctx, "fuzz.csv", &bytes, delimiter, &csv) != OPN_OK)
        return;
    csv.has_comments = delimiter == OPN_CSV_BLANKS;
    const char *begin = (const char *)csv.bytes.data;
    const char *end = begin + size;
    bool has_row = true;
    size_t line = 0;
    while (opn_i_csv_next(ctx, &csv, &has_row) == OPN_OK && has_row) {
        fuzz_check(csv.n_fields > 0 && csv.line > line);
        line = csv.line;
        for (size_t k = 0; k < csv.n_fields; k++) {
            const opn_i_csv_field *field = &csv.field[k];
            fuzz_check(field->text >= begin && field->text + field->n_chars <= end);
            fuzz_check(strlen(field->text) == field->n_chars);
            check_numbers(field);
        }
    }
    opn_i_csv_close(ctx, &csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    read_all(ctx, data, size, ',');
    read_all(ctx, data, size, '\t');
    read_all(ctx, data, size, OPN_CSV_BLANKS);
    opn_ctx_free(ctx);
    return 0;
}
