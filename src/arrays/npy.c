// npy.c -- NumPy's file of a single array: a Python dictionary as header, then the items.

#include "arrays/npy.h"

#include "io/byte_order.h"
#include "io/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

// ---- header dictionary ---------------------------------------------------------------

typedef struct parser {
    opn_ctx *ctx;
    const char *what;
    const unsigned char *text;
    size_t n;
    size_t at;
} parser;

// Contents of the dictionary; each key occurs once.
typedef struct header {
    const char *type; // borrowed; NULL until seen
    size_t n_type;
    bool has_order;
    bool fortran_order;
    bool has_shape;
    int n_dims;
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
} header;

static opn_status fail_expected(const parser *p, const char *expected)
{
    return opn_i_fail(p->ctx, OPN_ERR_FORMAT, "%s: npy header, byte %zu: %s expected",
                      p->what, p->at, expected);
}

static void skip_space(parser *p)
{
    while (p->at < p->n && p->text[p->at] != 0 && strchr(" \t\r\n", p->text[p->at]))
        p->at++;
}

// Skips the next token if it starts with c.
static bool skip_char(parser *p, char c)
{
    skip_space(p);
    if (p->at >= p->n || p->text[p->at] != (unsigned char)c)
        return false;
    p->at++;
    return true;
}

static bool skip_word(parser *p, const char *word)
{
    const size_t n_word = strlen(word);
    skip_space(p);
    if (p->n - p->at < n_word || memcmp(p->text + p->at, word, n_word) != 0)
        return false;
    p->at += n_word;
    return true;
}

// A quoted string without escapes: no key or type that is read needs any.
static opn_status parse_text(parser *p, const char **text, size_t *n_chars)
{
    skip_space(p);
    const unsigned char quote = p->at < p->n ? p->text[p->at] : 0;
    if (quote != '\'' && quote != '"')
        return fail_expected(p, "a quoted text");
    const unsigned char *first = p->text + p->at + 1;
    const unsigned char *last = memchr(first, quote, p->n - p->at - 1);
    if (last == NULL)
        return fail_expected(p, "a text that ends");
    *text = (const char *)first;
    *n_chars = (size_t)(last - first);
    p->at = (size_t)(last + 1 - p->text);
    return OPN_OK;
}

static opn_status parse_dimension(parser *p, int64_t *out)
{
    int64_t dimension = 0;
    skip_space(p);
    const size_t first = p->at;
    while (p->at < p->n && p->text[p->at] >= '0' && p->text[p->at] <= '9') {
        const int digit = p->text[p->at] - '0';
        if (dimension > (INT64_MAX - digit) / 10)
            return fail_expected(p, "a dimension below 2^63");
        dimension = dimension * 10 + digit;
        p->at++;
    }
    if (p->at == first)
        return fail_expected(p, "a dimension");
    skip_char(p, 'L'); // suffix of Python 2's long integers
    *out = dimension;
    return OPN_OK;
}

// (), (3,) or (3, 4): one dimension needs the comma, or it would be a number.
static opn_status parse_shape(parser *p, header *found)
{
    opn_status status = OPN_OK;
    bool has_comma = true;
    if (!skip_char(p, '('))
        OPN_TRY(fail_expected(p, "a shape such as (3, 4)"));
    while (!skip_char(p, ')')) {
        if (!has_comma)
            OPN_TRY(fail_expected(p, "',' or ')'"));
        OPN_FAIL_IF(p->ctx, found->n_dims == OPN_NDARRAY_MAX_DIMS, OPN_ERR_FORMAT,
                    "%s: more than %d dimensions", p->what, OPN_NDARRAY_MAX_DIMS);
        OPN_TRY(parse_dimension(p, &found->shape[found->n_dims]));
        found->n_dims++;
        has_comma = skip_char(p, ',');
    }
    if (found->n_dims == 1 && !has_comma)
        OPN_TRY(fail_expected(p, "',' in a shape of one dimension"));
    found->has_shape = true;
cleanup:
    return status;
}

static opn_status parse_type(parser *p, header *found)
{
    if (skip_char(p, '[') || skip_char(p, '('))
        return opn_i_fail(p->ctx, OPN_ERR_UNSUPPORTED,
                          "%s: holds records; only arrays of booleans, integers, floats "
                          "and text are read",
                          p->what);
    return parse_text(p, &found->type, &found->n_type);
}

static opn_status parse_order(parser *p, header *found)
{
    found->fortran_order = skip_word(p, "True");
    if (!found->fortran_order && !skip_word(p, "False"))
        return fail_expected(p, "True or False");
    found->has_order = true;
    return OPN_OK;
}

static bool is_key(const char *text, size_t n_chars, const char *key)
{
    return n_chars == strlen(key) && memcmp(text, key, n_chars) == 0;
}

static opn_status parse_entry(parser *p, header *found)
{
    opn_status status = OPN_OK;
    const char *key;
    size_t n_key;
    skip_space(p);
    const size_t first = p->at;
    OPN_TRY(parse_text(p, &key, &n_key));
    if (!skip_char(p, ':'))
        OPN_TRY(fail_expected(p, "':'"));
    if (is_key(key, n_key, "descr") && found->type == NULL) {
        OPN_TRY(parse_type(p, found));
    } else if (is_key(key, n_key, "fortran_order") && !found->has_order) {
        OPN_TRY(parse_order(p, found));
    } else if (is_key(key, n_key, "shape") && !found->has_shape) {
        OPN_TRY(parse_shape(p, found));
    } else {
        p->at = first;
        OPN_TRY(fail_expected(p, "'descr', 'fortran_order' and 'shape', each once,"));
    }
cleanup:
    return status;
}

static opn_status parse_header(parser *p, header *found)
{
    opn_status status = OPN_OK;
    bool has_comma = true;
    if (!skip_char(p, '{'))
        OPN_TRY(fail_expected(p, "'{'"));
    while (!skip_char(p, '}')) {
        if (!has_comma)
            OPN_TRY(fail_expected(p, "',' or '}'"));
        OPN_TRY(parse_entry(p, found));
        has_comma = skip_char(p, ',');
    }
    skip_space(p);
    if (p->at != p->n)
        OPN_TRY(fail_expected(p, "nothing but spaces after '}'"));
    OPN_FAIL_IF(p->ctx, found->type == NULL || !found->has_order || !found->has_shape,
                OPN_ERR_FORMAT, "%s: npy header has no %s", p->what,
                found->type == NULL ? "'descr'"
                : !found->has_order ? "'fortran_order'"
                                    : "'shape'");
cleanup:
    return status;
}

// ---- reading -------------------------------------------------------------------------

// Finds the start and length of the dictionary.
static opn_status find_header(opn_ctx *ctx,
                              const char *what,
                              const unsigned char *data,
                              size_t n_bytes,
                              size_t *first,
                              size_t *n_header)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, n_bytes < 10 || memcmp(data, magic, sizeof(magic)) != 0,
                OPN_ERR_FORMAT,
                "%s: is not an npy file, which begins with "
                "\\x93NUMPY",
                what);
    const int major = data[6];
    const int minor = data[7];
    OPN_FAIL_IF(ctx, major < 1 || major > 3 || minor != 0, OPN_ERR_UNSUPPORTED,
                "%s: npy version %d.%d; versions 1.0, 2.0 and 3.0 are read", what, major,
                minor);
    const size_t start = major == 1 ? 10 : 12;
    OPN_FAIL_IF(ctx, n_bytes < start, OPN_ERR_FORMAT, "%s: ends inside its npy header",
                what);
    const size_t length =
            major == 1 ? opn_i_get_le16(data + 8) : opn_i_get_le32(data + 8);
    OPN_FAIL_IF(ctx, length > n_bytes - start, OPN_ERR_FORMAT,
                "%s: npy header of %zu bytes, %zu are there", what, length,
                n_bytes - start);
    *first = start;
    *n_header = length;
cleanup:
    return status;
}

// Parses the header; *n_header is the number of bytes before the items.
static opn_status read_header(opn_ctx *ctx,
                              const char *what,
                              const unsigned char *data,
                              size_t n_bytes,
                              header *found,
                              size_t *n_header)
{
    opn_status status = OPN_OK;
    size_t first = 0;
    size_t n_text = 0;
    OPN_TRY(find_header(ctx, what, data, n_bytes, &first, &n_text));
    parser p = {ctx, what, data + first, n_text, 0};
    OPN_TRY(parse_header(&p, found));
    *n_header = first + n_text;
cleanup:
    return status;
}

opn_status opn_i_npy_look(opn_ctx *ctx,
                          const char *what,
                          const unsigned char *data,
                          size_t n_bytes,
                          opn_i_npy_about *out)
{
    opn_status status = OPN_OK;
    header found = {0};
    opn_i_npy_about about = {0};
    OPN_TRY(read_header(ctx, what, data, n_bytes, &found, &about.n_header));
    const size_t n_kept =
            found.n_type < sizeof(about.type) ? found.n_type : sizeof(about.type) - 1;
    memcpy(about.type, found.type, n_kept);
    about.n_dims = found.n_dims;
    memcpy(about.shape, found.shape, sizeof(about.shape));
    *out = about;
cleanup:
    return status;
}

opn_status opn_i_npy_read(opn_ctx *ctx,
                          const char *what,
                          const unsigned char *data,
                          size_t n_bytes,
                          opn_i_ndarray *out)
{
    opn_status status = OPN_OK;
    opn_i_ndarray array = {0};
    header found = {0};
    size_t n_header = 0;
    OPN_TRY(read_header(ctx, what, data, n_bytes, &found, &n_header));
    OPN_TRY(opn_i_ndarray_set_type(ctx, what, found.type, found.n_type, &array));
    OPN_TRY(opn_i_ndarray_set_shape(ctx, what, found.shape, found.n_dims,
                                    n_bytes - n_header, &array));
    array.fortran_order = found.fortran_order;
    array.data = data + n_header;
    *out = array;
cleanup:
    return status;
}

// ---- writing -------------------------------------------------------------------------

size_t opn_i_npy_header(const opn_i_ndarray *array,
                        unsigned char out[OPN_NPY_HEADER_ROOM])
{
    enum { START = 10, ALIGN = 64, TEXT_ROOM = OPN_NPY_HEADER_ROOM - START };
    char *text = (char *)out + START;
    const int32_t size = array->kind == 'U' ? array->item_size / 4 : array->item_size;
    const char order = array->item_size == 1 || array->kind == 'S' ? '|'
                       : array->big_endian                         ? '>'
                                                                   : '<';
    int n = snprintf(text, TEXT_ROOM,
                     "{'descr': '%c%c%" PRId32 "', 'fortran_order': %s, 'shape': (",
                     order, array->kind, size, array->fortran_order ? "True" : "False");
    for (int d = 0; d < array->n_dims; d++)
        n += snprintf(text + n, (size_t)(TEXT_ROOM - n), "%s%" PRId64, d > 0 ? ", " : "",
                      array->shape[d]);
    n += snprintf(text + n, (size_t)(TEXT_ROOM - n),
                  array->n_dims == 1 ? ",), }" : "), }");

    // Spaces and the final newline align the first item to a multiple of ALIGN.
    const size_t total = ((size_t)n + START + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(text + n, ' ', total - START - (size_t)n);
    out[total - 1] = '\n';
    memcpy(out, magic, sizeof(magic));
    out[6] = 1;
    out[7] = 0;
    out[8] = (unsigned char)(total - START);
    out[9] = (unsigned char)((total - START) >> 8);
    return total;
}

// Length of the longest text in characters, at least 1 because NumPy has no empty type.
static opn_status longest(opn_ctx *ctx,
                          const char *what,
                          const char *const *text,
                          size_t n_texts,
                          size_t *n_longest)
{
    opn_status status = OPN_OK;
    *n_longest = 1;
    for (size_t i = 0; i < n_texts; i++) {
        const unsigned char *from = (const unsigned char *)text[i];
        const size_t n_bytes = strlen(text[i]);
        size_t n_chars = 0;
        for (size_t at = 0; at < n_bytes; n_chars++) {
            uint32_t code;
            const size_t n_char = opn_i_utf8_get(from + at, n_bytes - at, &code);
            OPN_FAIL_IF(ctx, n_char == 0, OPN_ERR_FORMAT,
                        "%s: text %zu: byte %zu is not UTF-8", what, i, at);
            at += n_char;
        }
        if (n_chars > *n_longest)
            *n_longest = n_chars;
    }
    OPN_FAIL_IF(ctx, *n_longest > INT32_MAX / 4, OPN_ERR_OVERFLOW,
                "%s: a text of %zu characters; at most %d are written", what, *n_longest,
                INT32_MAX / 4);
cleanup:
    return status;
}

opn_status opn_i_npy_text(opn_ctx *ctx,
                          const char *what,
                          const char *const *text,
                          const int64_t *shape,
                          int n_dims,
                          opn_i_bytes *owner,
                          opn_i_ndarray *out)
{
    opn_status status = OPN_OK;
    opn_i_ndarray array = {.kind = 'U', .n_dims = n_dims, .n_items = 1};
    opn_i_bytes items = {0};
    size_t n_longest = 0;
    for (int d = 0; d < n_dims; d++) {
        array.shape[d] = shape[d];
        array.n_items *= shape[d];
    }
    const size_t n_texts = (size_t)array.n_items;
    OPN_TRY(longest(ctx, what, text, n_texts, &n_longest));
    array.item_size = (int32_t)(4 * n_longest);
    OPN_FAIL_IF(ctx, !opn_i_mul(n_texts, (size_t)array.item_size, &items.n),
                OPN_ERR_OVERFLOW, "%s: %zu texts of %zu characters", what, n_texts,
                n_longest);
    OPN_TRY_NEW(ctx, items.data, items.n + 1); // room for the NUL after the bytes
    for (size_t i = 0; i < n_texts; i++) {
        const unsigned char *from = (const unsigned char *)text[i];
        unsigned char *to = items.data + i * (size_t)array.item_size;
        while (*from != 0) {
            uint32_t code = 0; // longest() has validated the text
            from += opn_i_utf8_get(from, OPN_UTF8_MAX, &code);
            opn_i_put_le32(to, code);
            to += 4;
        }
    }
    array.data = items.data;
    *out = array;
    *owner = items;
cleanup:
    return status;
}
