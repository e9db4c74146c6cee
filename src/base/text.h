// text.h -- a growing text buffer.

#ifndef OPN_TEXT_H
#define OPN_TEXT_H

#include "base/context.h"

#include <stdarg.h>

// A growing text; initialise with {.ctx = ctx}. Once out of memory nothing more is added
// and `status` is set, so that callers need to check only once, at the end.
typedef struct opn_i_text {
    opn_ctx *ctx;
    char *chars; // NUL-terminated; NULL until something is added
    size_t n, room;
    opn_status status;
} opn_i_text;

// Appends printf() output, with a decimal point in every locale.
void opn_i_text_add(opn_i_text *text, const char *fmt, ...) OPN_PRINTF(2, 3);
void opn_i_text_add_list(opn_i_text *text, const char *fmt, va_list args)
        OPN_PRINTF(2, 0);

// Appends n bytes verbatim.
void opn_i_text_put(opn_i_text *text, const char *chars, size_t n);

// The text so far, "" if empty; borrowed until something is added.
const char *opn_i_text_chars(const opn_i_text *text);

// Moves the text to the caller, who frees it, and leaves this one empty. Errors: that of
// the first addition that failed.
OPN_NODISCARD opn_status opn_i_text_take(opn_i_text *text, char **out);

// Clears the text but keeps the buffer.
void opn_i_text_empty(opn_i_text *text);

void opn_i_text_free(opn_i_text *text);

#endif // OPN_TEXT_H
