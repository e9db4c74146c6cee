// text.h -- text put together piece by piece.

#ifndef OPN_TEXT_H
#define OPN_TEXT_H

#include "base/context.h"

#include <stdarg.h>

// A text that grows; begin with {.ctx = ctx}. Once memory is short nothing more is added,
// and `status` tells, so that callers check once, at the end.
typedef struct opn_i_text {
    opn_ctx *ctx;
    char *chars; // ends in NUL; NULL before anything is added
    size_t n, room;
    opn_status status;
} opn_i_text;

// Adds what printf() would print, with a decimal point in every locale.
void opn_i_text_add(opn_i_text *text, const char *fmt, ...) OPN_PRINTF(2, 3);
void opn_i_text_add_list(opn_i_text *text, const char *fmt, va_list args)
        OPN_PRINTF(2, 0);

// Adds n bytes as they are.
void opn_i_text_put(opn_i_text *text, const char *chars, size_t n);

// What is there so far, "" for nothing; borrowed until something is added.
const char *opn_i_text_chars(const opn_i_text *text);

// Hands the text over to the caller, who frees it, and empties this one. Errors: that of
// the first addition that failed.
OPN_NODISCARD opn_status opn_i_text_take(opn_i_text *text, char **out);

// Begins anew, in the room that is there.
void opn_i_text_empty(opn_i_text *text);

void opn_i_text_free(opn_i_text *text);

#endif // OPN_TEXT_H
