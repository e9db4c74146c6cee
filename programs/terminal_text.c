// terminal_text.c -- text on a terminal: its width, what it can show, and what must not
// reach it.

#include "terminal_text.h"

#include "progress_bar.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#ifdef OPN_HAS_XLOCALE_H
#    include <xlocale.h>
#endif

// ---- terminal ------------------------------------------------------------------------

int terminal_columns(int stream)
{
    enum { USUAL_COLUMNS = 80 };
    struct winsize size;
    if (!isatty(stream) || ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col;
}

// Queries a separate locale, so that reading and writing files does not depend on it.
bool is_utf8_locale(void)
{
    const locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (users == (locale_t)0)
        return false;
    const bool is_utf8 = strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;
    freelocale(users);
    return is_utf8;
}

// ---- text ----------------------------------------------------------------------------

void clean_text(char *text)
{
    char *to = text;
    while (*text != 0) {
        const text_character c = text_character_at(text);
        if (c.is_plain)
            memmove(to, text, (size_t)c.n_bytes);
        else
            *to = '?';
        to += c.is_plain ? c.n_bytes : 1;
        text += c.n_bytes;
    }
    *to = 0;
}

// Prints the characters that begin within n_bytes and fit in n_columns. Returns the
// columns used.
static int put_clean(const char *text, size_t n_bytes, int n_columns)
{
    const char *end = text + n_bytes;
    int n_used = 0;
    while (text < end) {
        const text_character c = text_character_at(text);
        if (n_used + c.n_columns > n_columns)
            break;
        if (c.is_plain)
            (void)fwrite(text, 1, (size_t)c.n_bytes, stdout);
        else
            putchar('?');
        n_used += c.n_columns;
        text += c.n_bytes;
    }
    return n_used;
}

void print_name(const char *name, int width)
{
    const int n_columns = text_columns(name);
    (void)put_clean(name, strlen(name), n_columns);
    printf("%*s", n_columns < width ? width - n_columns : 0, "");
}

void print_cell(const char *name, int width)
{
    if (text_columns(name) <= width) {
        print_name(name, width);
        return;
    }
    const int n_used = put_clean(name, strlen(name), width - 1);
    printf("~%*s", width - 1 - n_used, "");
}

// Columns of the first n_bytes, which must end at a character boundary.
static int columns_within(const char *text, size_t n_bytes)
{
    int n_columns = 0;
    for (const char *end = text + n_bytes; text < end;) {
        const text_character c = text_character_at(text);
        n_columns += c.n_columns;
        text += c.n_bytes;
    }
    return n_columns;
}

void print_wrapped(const char *text, int n_columns, int indent, int column)
{
    int n_blanks = 0; // before the word
    while (*text != 0) {
        const size_t n_bytes = strcspn(text, " ");
        const int n = columns_within(text, n_bytes);
        const bool is_bounds = text[0] == '[' && text[strlen(text) - 1] == ']';
        const int n_together = is_bounds ? text_columns(text) : n;
        if (column + n_blanks + n_together > n_columns && column > indent) {
            printf("\n%*s", indent, "");
            column = indent;
            n_blanks = 0;
        }
        printf("%*s", n_blanks, "");
        column += n_blanks + put_clean(text, n_bytes, n);
        text += n_bytes;
        n_blanks = *text == ' ';
        text += strspn(text, " ");
    }
    putchar('\n');
}
