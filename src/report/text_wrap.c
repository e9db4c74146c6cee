// text_wrap.c -- wraps text to fit a terminal.

#include "report/text_wrap.h"

#include <string.h>

static void begin_line(opn_i_wrapper *wrapper)
{
    opn_i_file_writer_printf(wrapper->file, "\n%*s", wrapper->indent, "");
    wrapper->column = wrapper->indent;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static void put_word(opn_i_wrapper *wrapper, const char *word, size_t n)
{
    int n_columns = 0;
    for (size_t c = 0; c < n; c++)
        n_columns += begins_character(word[c]);
    const int n_before = wrapper->column + wrapper->has_blank;
    if (n_before + n_columns > OPN_TEXT_COLUMNS && wrapper->column > wrapper->indent)
        begin_line(wrapper);
    else if (wrapper->has_blank) {
        opn_i_file_writer_put(wrapper->file, " ", 1);
        wrapper->column++;
    }
    wrapper->has_blank = false;
    for (size_t c = 0; c < n; c++) {
        if (begins_character(word[c]) && wrapper->column++ == OPN_TEXT_COLUMNS) {
            begin_line(wrapper);
            wrapper->column++;
        }
        opn_i_file_writer_put(wrapper->file, word + c, 1);
    }
}

void opn_i_wrap(opn_i_wrapper *wrapper, const char *text)
{
    while (*text != 0) {
        const size_t n_blanks = strspn(text, " ");
        const size_t n = strcspn(text + n_blanks, " ");
        wrapper->has_blank = wrapper->has_blank || n_blanks > 0;
        if (n > 0)
            put_word(wrapper, text + n_blanks, n);
        text += n_blanks + n;
    }
}

void opn_i_wrap_line(opn_i_wrapper *wrapper)
{
    opn_i_text *line = opn_i_file_writer_line(wrapper->file);
    opn_i_wrap(wrapper, opn_i_text_chars(line));
    opn_i_text_empty(line);
}

void opn_i_wrap_end(opn_i_wrapper *wrapper)
{
    opn_i_file_writer_put(wrapper->file, "\n", 1);
    wrapper->column = 0;
    wrapper->has_blank = false;
}
