// csv.h -- rows of a CSV or TSV file in memory (RFC 4180), and numbers in their fields.

#ifndef OPN_CSV_H
#define OPN_CSV_H

#include "base/context.h"
#include "io/bytes.h"
#include "io/file_write.h"

// A row with more fields is refused: it is no table, but a file with the wrong endings.
enum { OPN_CSV_MAX_FIELDS = 1 << 20 };

// Valid until the next row is read. `text` is UTF-8 without NUL and ends in NUL, without
// its quotes; outside quotes it is trimmed of blanks.
typedef struct opn_i_csv_field {
    const char *text;
    size_t n_chars;
    bool quoted; // tells "" from nothing
} opn_i_csv_field;

typedef struct opn_i_csv {
    const char *name;       // of the file, for messages
    size_t line;            // on which the current row begins, counted from 1
    opn_i_csv_field *field; // [n_fields] the current row
    size_t n_fields;

    opn_i_bytes bytes; // fields are unquoted in place
    unsigned char *at; // the next byte; at - bytes.data have been read
    size_t next_line;  // the line of that byte
    size_t field_room;
    char delimiter;
    bool stops[256]; // by byte: whether it ends a field without quotes
} opn_i_csv;

// Begins to read; `name` is borrowed, the bytes are consumed, also on failure, and *take
// is left empty. A UTF-8 byte order mark is skipped.
//
// delimiter  ',' or '\t'
//
// Errors: FORMAT (UTF-16, invalid UTF-8, a NUL; the message names the line).
OPN_NODISCARD opn_status opn_i_csv_open(opn_ctx *ctx,
                                        const char *name,
                                        opn_i_bytes *take,
                                        char delimiter,
                                        opn_i_csv *out);

// Reads the next row into csv->field. A row ends with LF, CRLF or CR, the last one also
// with the file; an empty line is a row of one empty field. Quotes may hold delimiters,
// line ends and doubled quotes; a quote that does not begin its field stands for itself.
// After a failure only close may follow. No memory is asked for unless the row has more
// fields than any before.
// Errors: FORMAT (a quote that never ends, text behind a closing quote, more than
// OPN_CSV_MAX_FIELDS fields), NOMEM.
OPN_NODISCARD opn_status opn_i_csv_next(opn_ctx *ctx, opn_i_csv *csv, bool *has_row);

void opn_i_csv_close(opn_ctx *ctx, opn_i_csv *csv); // accepts one already closed

// A decimal integer in [min, max], with or without sign; else false, and *out is as it
// was.
bool opn_i_csv_int(const opn_i_csv_field *field, int64_t min, int64_t max, int64_t *out);

// The double nearest to a decimal number such as -1.25e-3, whatever the locale. False for
// anything else, also for hexadecimal, infinite, too large and missing numbers.
bool opn_i_csv_real(const opn_i_csv_field *field, double *out);

// Writes one field that opn_i_csv_next() reads back as `text` (UTF-8), in quotes only
// where it must be.
void opn_i_csv_put_text(opn_i_file_writer *writer, const char *text, char delimiter);

#endif // OPN_CSV_H
