// style.c -- bold and dim text on standard output, if it is a terminal that supports
// them.

#include "style.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_styled(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no_color == NULL || no_color[0] == 0) && term != NULL && term[0] != 0 &&
           strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

const char *style(style_kind kind)
{
    static const char *const begin[] = {"\033[0m", "\033[1m", "\033[2m"};
    return is_styled() ? begin[kind] : "";
}

void print_key(const char *key)
{
    enum { KEY_COLUMNS = 13 };
    printf("%s%s%s%*s", style(STYLE_HEADING), key, style(STYLE_PLAIN),
           KEY_COLUMNS - (int)strlen(key), "");
}
