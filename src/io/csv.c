// csv.c -- rows of a CSV or TSV file in memory, and parsing of numeric fields.

#include "io/csv.h"

#include "base/number.h"
#include "io/utf8.h"

#include <assert.h>
#include <string.h>

// ---- encoding ------------------------------------------------------------------------

static const char byte_order_mark[] = "\xEF\xBB\xBF";
enum { N_BYTE_ORDER_MARK = 3 };

// Offset of the first byte that is NUL or not UTF-8, or n.
static size_t find_bad_byte(const unsigned char *data, size_t n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t high_bits = ones << 7;
    size_t at = 0;
    while (at < n) {
        uint64_t word = high_bits;
        if (n - at >= sizeof(word))
            memcpy(&word, data + at, sizeof(word));
        // In an ASCII word only a NUL byte borrows into a high bit.
        if ((((word - ones) | word) & high_bits) == 0) {
            at += sizeof(word);
            continue;
        }
        if (data[at] == '\0')
            return at;
        uint32_t code;
        const size_t n_char = opn_i_utf8_get(data + at, n - at, &code);
        if (n_char == 0)
            return at;
        at += n_char;
    }
    return n;
}

// A CR before an LF is part of that line end. Reads one byte past `at`.
static bool ends_line(const unsigned char *at)
{
    return at[0] == '\n' || (at[0] == '\r' && at[1] != '\n');
}

static size_t line_of(const unsigned char *data, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += ends_line(data + i);
    return line;
}

static opn_status check_encoding(opn_ctx *ctx, const char *name, const opn_i_bytes *bytes)
{
    opn_status status = OPN_OK;
    const unsigned char *data = bytes->data;
    OPN_FAIL_IF(ctx,
                bytes->n >= 2 && (memcmp(data, "\xFF\xFE", 2) == 0 ||
                                  memcmp(data, "\xFE\xFF", 2) == 0),
                OPN_ERR_FORMAT, "%s:1: the file is in UTF-16; save it as UTF-8", name);

    const size_t bad = find_bad_byte(data, bytes->n);
    if (bad == bytes->n)
        return OPN_OK;
    const size_t line = line_of(data, bad);
    OPN_FAIL_IF(ctx, data[bad] == '\0', OPN_ERR_FORMAT,
                "%s:%zu: byte %zu of the file is NUL, which no text holds; save the file "
                "as UTF-8 text",
                name, line, bad);
    OPN_FAIL_IF(ctx, true, OPN_ERR_FORMAT,
                "%s:%zu: byte %zu of the file, 0x%02x, is not valid UTF-8; save the file "
                "as UTF-8",
                name, line, bad, (unsigned)data[bad]);
cleanup:
    return status;
}

static size_t mark_length(const opn_i_bytes *bytes)
{
    return bytes->n >= N_BYTE_ORDER_MARK &&
                           memcmp(bytes->data, byte_order_mark, N_BYTE_ORDER_MARK) == 0
                   ? N_BYTE_ORDER_MARK
                   : 0;
}

// ---- delimiter -----------------------------------------------------------------------

enum { N_DELIMITERS = 3 };
static const char delimiters[N_DELIMITERS] = {',', ';', '\t'};

static bool is_line_end(unsigned char byte)
{
    return byte == '\n' || byte == '\r' || byte == '\0';
}

// Moves on to a line that is neither empty nor, between blanks, a comment. The NUL behind
// the last byte ends every loop.
static const unsigned char *find_line(const unsigned char *at, bool has_comments)
{
    while (*at == '\n' || *at == '\r' ||
           (has_comments && (*at == OPN_CSV_COMMENT || *at == OPN_CSV_REMARK))) {
        while (!is_line_end(*at))
            at++;
        at += *at != '\0';
    }
    return at;
}

// How often each delimiter is in the line at `at`, outside quotes and before a brace,
// which opens attributes as NetworkX writes them. Returns the end of the line.
static const unsigned char *count_delimiters(const unsigned char *at,
                                             size_t count[N_DELIMITERS])
{
    bool is_quoted = false;
    bool is_behind = false;
    for (; *at != '\0' && (is_quoted || !is_line_end(*at)); at++) {
        is_quoted ^= *at == '"';
        is_behind = is_behind || *at == '{';
        for (size_t d = 0; d < N_DELIMITERS && !is_quoted && !is_behind; d++)
            count[d] += *at == (unsigned char)delimiters[d];
    }
    return at;
}

// What a first line "sep=;" names, with which Excel begins files for itself, and its
// length; 0 if there is none.
static size_t find_declaration(const opn_i_bytes *bytes, char *delimiter)
{
    static const char start[] = "sep=";
    const size_t n_start = sizeof(start) - 1;
    const size_t n_mark = mark_length(bytes);
    const unsigned char *at = bytes->data + n_mark;
    if (bytes->n - n_mark < n_start + 2 || memcmp(at, start, n_start) != 0 ||
        memchr(delimiters, at[n_start], N_DELIMITERS) == NULL ||
        !is_line_end(at[n_start + 1]))
        return 0;
    *delimiter = (char)at[n_start];
    return n_start + 1;
}

char opn_i_csv_delimiter(const opn_i_bytes *bytes, char otherwise)
{
    char declared = otherwise;
    if (find_declaration(bytes, &declared) > 0)
        return declared;
    const bool has_comments = otherwise == OPN_CSV_BLANKS;
    size_t first[N_DELIMITERS] = {0};
    size_t second[N_DELIMITERS] = {0};
    size_t most = 0;
    char best = otherwise;
    const unsigned char *line = bytes->data + mark_length(bytes);
    line = find_line(count_delimiters(find_line(line, has_comments), first),
                     has_comments);
    if (*line == '\0')
        memcpy(second, first, sizeof(second));
    else
        (void)count_delimiters(line, second);
    for (size_t d = 0; d < N_DELIMITERS; d++)
        most = delimiters[d] == otherwise ? first[d] : most;
    for (size_t d = 0; d < N_DELIMITERS; d++)
        if (second[d] > 0 && first[d] > most) {
            most = first[d];
            best = delimiters[d];
        }
    return best;
}

// ---- rows ----------------------------------------------------------------------------

opn_status opn_i_csv_open(
        opn_ctx *ctx, const char *name, opn_i_bytes *take, char delimiter, opn_i_csv *out)
{
    assert(delimiter == ',' || delimiter == ';' || delimiter == '\t' ||
           delimiter == OPN_CSV_BLANKS);
    opn_status status = OPN_OK;
    opn_i_csv csv = {
            .name = name, .bytes = *take, .next_line = 1, .delimiter = delimiter};
    *take = (opn_i_bytes){0};

    OPN_TRY(check_encoding(ctx, name, &csv.bytes));
    char declared = delimiter;
    csv.at = csv.bytes.data + mark_length(&csv.bytes);
    const size_t n_declared = find_declaration(&csv.bytes, &declared);
    csv.at += n_declared;
    if (n_declared > 0) {
        csv.at += csv.at[0] == '\r' && csv.at[1] == '\n' ? 2 : csv.at[0] != '\0';
        csv.next_line++;
    }
    csv.stops[(unsigned char)delimiter] = true;
    csv.stops['\t'] = delimiter == '\t' || delimiter == OPN_CSV_BLANKS;
    csv.stops['\n'] = true;
    csv.stops['\r'] = true;
    csv.stops['\0'] = true; // only found after the last byte

    *out = csv;
    csv.bytes = (opn_i_bytes){0}; // ownership moved
cleanup:
    opn_i_bytes_release(ctx, &csv.bytes);
    return status;
}

void opn_i_csv_close(opn_ctx *ctx, opn_i_csv *csv)
{
    opn_i_release(&ctx->alloc, csv->field);
    opn_i_bytes_release(ctx, &csv->bytes);
    *csv = (opn_i_csv){0};
}

static bool is_blank(char delimiter, unsigned char byte)
{
    return byte == ' ' || (byte == '\t' && delimiter != '\t');
}

static unsigned char *skip_blanks(char delimiter, unsigned char *at)
{
    while (is_blank(delimiter, *at))
        at++;
    return at;
}

static opn_status grow_fields(opn_ctx *ctx, opn_i_csv *csv)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, csv->n_fields == OPN_CSV_MAX_FIELDS, OPN_ERR_FORMAT,
                "%s:%zu: more than %d fields in one row", csv->name, csv->next_line,
                OPN_CSV_MAX_FIELDS);
    OPN_TRY_RESERVE(ctx, csv->field, csv->field_room, csv->n_fields, csv->n_fields + 1);
    if (csv->field_room > OPN_CSV_MAX_FIELDS)
        csv->field_room = OPN_CSV_MAX_FIELDS; // so that one more field gets here again
cleanup:
    return status;
}

// Reads an unquoted field and returns the byte that ended it, at which csv->at is left.
// The NUL that terminates the text may overwrite that byte.
static unsigned char
read_plain(opn_i_csv *csv, unsigned char *text, opn_i_csv_field *field)
{
    const bool *stops = csv->stops;
    unsigned char *at = text;
    if (csv->delimiter == OPN_CSV_BLANKS && *text == '{')
        while (!is_line_end(*at))
            at++;
    while (!stops[*at])
        at++;
    unsigned char *end = at;
    while (end > text && is_blank(csv->delimiter, end[-1]))
        end--;

    const unsigned char stop = *at;
    *end = '\0';
    csv->at = at;
    *field = (opn_i_csv_field){(const char *)text, (size_t)(end - text), false};
    return stop;
}

// The same for a field whose opening quote is at `quote`.
static opn_status read_quoted(opn_ctx *ctx,
                              opn_i_csv *csv,
                              unsigned char *quote,
                              opn_i_csv_field *field,
                              unsigned char *stop)
{
    opn_status status = OPN_OK;
    const size_t first_line = csv->next_line;
    unsigned char *text = quote + 1;
    unsigned char *end = text;
    unsigned char *at = text;
    for (; at[0] != '"' || at[1] == '"'; at++) {
        OPN_FAIL_IF(ctx, at[0] == '\0', OPN_ERR_FORMAT,
                    "%s:%zu: the quote that opens field %zu never ends", csv->name,
                    first_line, csv->n_fields + 1);
        csv->next_line += ends_line(at);
        *end++ = *at;
        at += at[0] == '"'; // a doubled quote is one quote
    }

    at++;
    if (csv->delimiter != OPN_CSV_BLANKS)
        at = skip_blanks(csv->delimiter, at);
    OPN_FAIL_IF(
            ctx, !csv->stops[*at], OPN_ERR_FORMAT,
            "%s:%zu: text after the closing quote of field %zu; a quote inside quotes "
            "is written twice",
            csv->name, csv->next_line, csv->n_fields + 1);
    *stop = *at;
    *end = '\0';
    csv->at = at;
    *field = (opn_i_csv_field){(const char *)text, (size_t)(end - text), true};
cleanup:
    return status;
}

// Moves behind the byte that ended a field, and behind all blanks if these separate
// fields. Returns what follows the field: its delimiter or the end of the line.
static unsigned char step_over(opn_i_csv *csv, unsigned char stop)
{
    csv->at += stop != '\0';
    if (csv->delimiter != OPN_CSV_BLANKS || is_line_end(stop))
        return stop;
    csv->at = skip_blanks(csv->delimiter, csv->at);
    if (!is_line_end(*csv->at))
        return (unsigned char)csv->delimiter;
    stop = *csv->at;
    csv->at += stop != '\0';
    return stop;
}

// Only whole lines are comments: names may hold either character.
static void skip_comments(opn_i_csv *csv)
{
    while (*csv->at == OPN_CSV_COMMENT || *csv->at == OPN_CSV_REMARK) {
        while (!is_line_end(*csv->at))
            csv->at++;
        const unsigned char stop = *csv->at;
        csv->at += stop != '\0';
        csv->at += stop == '\r' && *csv->at == '\n';
        csv->next_line += stop != '\0';
    }
}

opn_status opn_i_csv_next(opn_ctx *ctx, opn_i_csv *csv, bool *has_row)
{
    opn_status status = OPN_OK;
    if (csv->has_comments)
        skip_comments(csv);
    csv->line = csv->next_line;
    csv->n_fields = 0;
    if (csv->at == csv->bytes.data + csv->bytes.n) {
        *has_row = false;
        return OPN_OK;
    }

    const unsigned char delimiter = (unsigned char)csv->delimiter;
    unsigned char stop = delimiter;
    while (stop == delimiter) {
        if (csv->n_fields == csv->field_room)
            OPN_TRY(grow_fields(ctx, csv));
        opn_i_csv_field *field = &csv->field[csv->n_fields];
        unsigned char *text = skip_blanks(csv->delimiter, csv->at);
        if (*text == '"')
            OPN_TRY(read_quoted(ctx, csv, text, field, &stop));
        else
            stop = read_plain(csv, text, field);
        csv->n_fields++;
        stop = step_over(csv, stop);
    }
    csv->at += stop == '\r' && *csv->at == '\n';
    csv->next_line++;
    *has_row = true;
cleanup:
    return status;
}

// ---- numbers -------------------------------------------------------------------------

bool opn_i_csv_int(const opn_i_csv_field *field, int64_t min, int64_t max, int64_t *out)
{
    return opn_i_parse_int(field->text, field->n_chars, min, max, out);
}

bool opn_i_csv_real(const opn_i_csv_field *field, double *out)
{
    return opn_i_parse_real(field->text, field->n_chars, out);
}

// ---- writing -------------------------------------------------------------------------

// Whether the text would change when read back: by splitting, trimming or unquoting it,
// or by skipping it as a byte order mark.
static bool needs_quotes(const char *text, size_t n_chars, char delimiter)
{
    const char special[] = {delimiter, '"', '\n', '\r', '\0'};
    if (n_chars == 0)
        return false;
    return strcspn(text, special) < n_chars ||
           is_blank(delimiter, (unsigned char)text[0]) ||
           is_blank(delimiter, (unsigned char)text[n_chars - 1]) ||
           strncmp(text, byte_order_mark, N_BYTE_ORDER_MARK) == 0;
}

void opn_i_csv_put_text(opn_i_file_writer *writer, const char *text, char delimiter)
{
    const size_t n_chars = strlen(text);
    if (!needs_quotes(text, n_chars, delimiter)) {
        opn_i_file_writer_put(writer, text, n_chars);
        return;
    }
    opn_i_file_writer_put(writer, "\"", 1);
    for (const char *part = text; *part != '\0';) {
        const size_t n_plain = strcspn(part, "\"");
        opn_i_file_writer_put(writer, part, n_plain);
        part += n_plain;
        if (*part == '"') {
            opn_i_file_writer_put(writer, "\"\"", 2);
            part++;
        }
    }
    opn_i_file_writer_put(writer, "\"", 1);
}
