// text.c -- a growing text buffer.

#include "base/text.h"

#include "base/number.h"

#include <string.h>

// Makes room for n_more characters and the NUL; false if out of memory.
static bool reserve(opn_i_text *text, size_t n_more)
{
    opn_status status = text->status;
    OPN_TRY(status);
    OPN_TRY_RESERVE(text->ctx, text->chars, text->room, text->n, text->n + n_more + 1);
cleanup:
    text->status = status;
    return status == OPN_OK;
}

void opn_i_text_put(opn_i_text *text, const char *chars, size_t n)
{
    if (!reserve(text, n))
        return;
    memcpy(text->chars + text->n, chars, n);
    text->n += n;
    text->chars[text->n] = 0;
}

void opn_i_text_add_list(opn_i_text *text, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = opn_i_format_list(NULL, 0, fmt, args);
    if (n >= 0 && reserve(text, (size_t)n)) {
        (void)opn_i_format_list(text->chars + text->n, text->room - text->n, fmt, again);
        text->n += (size_t)n;
    }
    va_end(again);
}

void opn_i_text_add(opn_i_text *text, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    opn_i_text_add_list(text, fmt, args);
    va_end(args);
}

const char *opn_i_text_chars(const opn_i_text *text)
{
    return text->chars != NULL ? text->chars : "";
}

opn_status opn_i_text_take(opn_i_text *text, char **out)
{
    opn_i_text_put(text, "", 0); // even empty text gets its NUL
    const opn_status status = text->status;
    if (status == OPN_OK) {
        *out = text->chars;
        *text = (opn_i_text){.ctx = text->ctx};
    }
    return status;
}

void opn_i_text_empty(opn_i_text *text)
{
    text->n = 0;
    if (text->chars != NULL)
        text->chars[0] = 0;
}

void opn_i_text_free(opn_i_text *text)
{
    opn_i_release(&text->ctx->alloc, text->chars);
    *text = (opn_i_text){.ctx = text->ctx, .status = text->status};
}
