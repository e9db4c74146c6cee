// help.c -- the help as people read it: the overview, families of verbs, single verbs.

#include "command.h"
#include "style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    COLUMN = 28,       // where texts begin that stand beside a name
    NARROW = 70,       // below that width they stand under the name
    NARROW_INDENT = 6, // and begin here
    MIN_WIDTH = 40,
    MAX_WIDTH = 100, // longer lines are hard to read
    USUAL_WIDTH = 80
};

const char *const verb_headings[N_VERB_GROUPS] = {"First steps", "Data", "Research",
                                                  "Other"};

// Columns of what the reader looks at, if it is a terminal.
static int page_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0)
        return USUAL_WIDTH;
    return size.ws_col < MIN_WIDTH   ? MIN_WIDTH
           : size.ws_col > MAX_WIDTH ? MAX_WIDTH
                                     : size.ws_col;
}

static void print_bold(const char *text)
{
    printf("%s%s%s", style(STYLE_HEADING), text, style(STYLE_PLAIN));
}

static void print_heading(const char *text)
{
    putchar('\n');
    print_bold(text);
    putchar('\n');
}

// Prints words, every line but the first after `indent` blanks; `column` is where the
// first begins. A word longer than a line stands alone and sticks out; bounds, which end
// a text in brackets, are kept together where a line has room for them.
static void print_wrapped(const char *text, int indent, int column)
{
    int n_blanks = 0; // before the word
    while (*text != 0) {
        const int n = (int)strcspn(text, " ");
        const int n_together = text[0] == '[' ? (int)strlen(text) : n;
        if (column + n_blanks + n_together > page_width() && column > indent) {
            printf("\n%*s", indent, "");
            column = indent;
            n_blanks = 0;
        }
        printf("%*s%.*s", n_blanks, "", n, text);
        column += n_blanks + n;
        text += n;
        n_blanks = *text == ' ';
        text += strspn(text, " ");
    }
    putchar('\n');
}

void print_paragraph(const char *text, int indent)
{
    printf("%*s", indent, "");
    print_wrapped(text, indent, indent);
}

// A name with what belongs to it, "--epochs" and "N", and the text about it beside or,
// where there is no room, below.
static void
print_item(const char *before, const char *name, const char *after, const char *text)
{
    const char *gap = after[0] != 0 ? " " : "";
    const bool is_narrow = page_width() < NARROW;
    const int indent = is_narrow ? NARROW_INDENT : COLUMN;
    const int n_used = (int)(strlen(before) + strlen(name) + strlen(gap) + strlen(after));
    printf("%s", before);
    print_bold(name);
    printf("%s%s", gap, after);
    if (is_narrow || n_used >= COLUMN)
        printf("\n%*s", indent, "");
    else
        printf("%*s", indent - n_used, "");
    print_wrapped(text, indent, indent);
}

// ---- a verb --------------------------------------------------------------------------

static void print_option(const opine_verb *verb, const opn_param *param)
{
    char name[64];
    char spelt[80];
    char bounds[1024];
    char text[2048];
    bool has_default = true;
    const char *help = option_help(verb, param, &has_default);
    option_bounds(param, has_default, bounds, sizeof(bounds));
    snprintf(text, sizeof(text), "%s %s", help, bounds);
    snprintf(spelt, sizeof(spelt), "%s%s%s--%s", param->letter != NULL ? "-" : "",
             param->letter != NULL ? param->letter : "",
             param->letter != NULL ? ", " : "", option_name(param, name));
    // Beside each other, names are lined up where letters come before some of them.
    const bool is_lined_up = param->letter == NULL && page_width() >= NARROW;
    print_item(is_lined_up ? "      " : "  ", spelt, option_value(param), text);
}

static void print_arguments(const opine_verb *verb)
{
    bool has_heading = false;
    for (int i = 0; i < verb->max_arguments; i++) {
        const opine_argument *argument = verb_argument(verb, i);
        if (argument == NULL || (i > 0 && argument == verb_argument(verb, i - 1)))
            continue;
        if (!has_heading)
            print_heading("Arguments");
        has_heading = true;
        print_item("  ", argument->name, "", argument->help);
    }
}

void help_verb(const opine_verb *verb)
{
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    printf("Usage: ");
    print_bold("opine ");
    print_bold(verb->name);
    printf("%s%s [options]\n\n", verb->arguments[0] != 0 ? " " : "", verb->arguments);
    print_wrapped(verb->summary, 0, 0);
    if (verb->details != NULL) {
        putchar('\n');
        print_wrapped(verb->details, 0, 0);
    }
    print_heading("Example");
    printf("  %s\n", verb->example);
    print_arguments(verb);
    for (int i = 0; i < n; i++) {
        if (i == 0 || strcmp(options[i]->group, options[i - 1]->group) != 0)
            print_heading(options[i]->group);
        print_option(verb, options[i]);
    }
}

// ---- many verbs ----------------------------------------------------------------------

void help_family(const opine_family *family)
{
    printf("Usage: ");
    print_bold("opine ");
    print_bold(family->name);
    printf(" VERB [options]\n\n");
    print_wrapped(family->summary, 0, 0);
    print_heading("Verbs");
    for (int v = 0; v < n_verbs; v++)
        if (verb_in_family(&verbs[v], family) != NULL)
            print_item("  ", verb_in_family(&verbs[v], family), verbs[v].arguments,
                       verbs[v].summary);
    printf("\nopine help %s VERB tells more about one of them.\n", family->name);
}

void help_overview(void)
{
    print_bold("opine");
    print_wrapped(": graph neural networks that know what they do not know", 0, 5);
    printf("\nUsage: opine VERB [options]\n");
    for (int g = 0; g < N_VERB_GROUPS; g++) {
        print_heading(verb_headings[g]);
        for (int v = 0; v < n_verbs; v++)
            if ((int)verbs[v].group == g)
                print_item("  ", verbs[v].name, verbs[v].arguments, verbs[v].summary);
    }
    putchar('\n');
    print_wrapped("opine help VERB tells more about a verb and its options.", 0, 0);
}
