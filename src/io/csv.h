// csv.h -- rows of a CSV or TSV file (RFC 4180) or of a list between blanks in memory,
// and parsing of numeric fields.

#ifndef OPN_CSV_H
#define OPN_CSV_H

#include "base/context.h"
#include "io/bytes.h"
#include "io/file_write.h"

// A row with more fields is rejected: the file is not a table, but has wrong line ends.
enum { OPN_CSV_MAX_FIELDS = 1 << 20 };

// The delimiter of lists as SNAP and NetworkX write them: any number of spaces and tabs.
// A field that opens with a brace there runs to the end of its line.
#define OPN_CSV_BLANKS ' '

// A line that begins with one of these is no row, if has_comments.
#define OPN_CSV_COMMENT '#'
#define OPN_CSV_REMARK  '%'

// Valid until the next row is read. `text` is NUL-terminated UTF-8 without embedded NULs
// and without its quotes; an unquoted field is trimmed of blanks.
typedef struct opn_i_csv_field {
    const char *text;
    size_t n_chars;
    bool quoted; // distinguishes "" from an empty field
} opn_i_csv_field;

typedef struct opn_i_csv {
    const char *name;       // file name, for messages
    size_t line;            // first line of the current row, from 1
    opn_i_csv_field *field; // [n_fields] the current row
    size_t n_fields;

    opn_i_bytes bytes; // fields are unquoted in place
    unsigned char *at; // next byte to read
    size_t next_line;  // line of that byte
    size_t field_room;
    char delimiter;
    bool has_comments; // set by the caller, before the first row
    bool stops[256];   // by byte: whether it ends an unquoted field
} opn_i_csv;

// The word for that many fields, and the separators that are known, for messages.
static inline const char *opn_i_fields_word(size_t n)
{
    return n == 1 ? "field" : "fields";
}
#define OPN_CSV_SEPARATORS                                      \
    "commas, semicolons or tabs separate the fields of a row, " \
    "and in a .txt also blanks"

// What separates the fields of the first lines: ',', ';' or a tab, whichever is the most
// frequent outside quotes in the first line and is in the second too; `otherwise` if none
// is. If that is OPN_CSV_BLANKS, comments do not count as lines.
char opn_i_csv_delimiter(const opn_i_bytes *bytes, char otherwise);

// Opens `take` for reading. `name` is borrowed; the bytes are consumed even on failure,
// and *take is left empty. A UTF-8 byte order mark is skipped.
//
// delimiter  ',', ';', '\t' or OPN_CSV_BLANKS
//
// Errors: FORMAT (UTF-16, invalid UTF-8, a NUL; the message names the line).
OPN_NODISCARD opn_status opn_i_csv_open(opn_ctx *ctx,
                                        const char *name,
                                        opn_i_bytes *take,
                                        char delimiter,
                                        opn_i_csv *out);

// Reads the next row into csv->field. A row ends with LF, CRLF, CR or the end of the
// file; an empty line is a row of one empty field. Quoted fields may contain delimiters,
// line ends and doubled quotes; a quote that is not at the start of its field is literal.
// After a failure only close may be called. Allocates only if the row has more fields
// than any before.
// Errors: FORMAT (an unterminated quote, text after a closing quote, more than
// OPN_CSV_MAX_FIELDS fields), NOMEM.
OPN_NODISCARD opn_status opn_i_csv_next(opn_ctx *ctx, opn_i_csv *csv, bool *has_row);

void opn_i_csv_close(opn_ctx *ctx, opn_i_csv *csv); // accepts one already closed

// Parses a decimal integer in [min, max], with optional sign; otherwise returns false and
// leaves *out unchanged.
bool opn_i_csv_int(const opn_i_csv_field *field, int64_t min, int64_t max, int64_t *out);

// Parses a decimal number such as -1.25e-3 to the nearest double, in any locale. False
// for anything else, including hexadecimal, infinite, too large and missing numbers.
bool opn_i_csv_real(const opn_i_csv_field *field, double *out);

// Writes one field that opn_i_csv_next() reads back as `text` (UTF-8), quoted only if
// necessary.
void opn_i_csv_put_text(opn_i_file_writer *writer, const char *text, char delimiter);

#endif // OPN_CSV_H
