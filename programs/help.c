// help.c -- prints the help: the overview, families of verbs, single verbs.

#include "command.h"
#include "style.h"
#include "terminal_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COLUMN = 28,       // where the text next to a name begins
    NARROW = 70,       // below this width it goes under the name
    NARROW_INDENT = 6, // and is indented by this
    MIN_WIDTH = 40,
    MAX_WIDTH = 100 // longer lines are hard to read
};

const char *const verb_headings[N_VERB_GROUPS] = {"First steps", "Data", "Research",
                                                  "Other"};

static int page_width(void)
{
    const int n_columns = terminal_columns(STDOUT_FILENO);
    return n_columns < MIN_WIDTH   ? MIN_WIDTH
           : n_columns > MAX_WIDTH ? MAX_WIDTH
                                   : n_columns;
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

void print_paragraph(const char *text, int indent)
{
    printf("%*s", indent, "");
    print_wrapped(text, page_width(), indent, indent);
}

// Prints a name with its value, "--epochs" and "N", and its text next to it or, if there
// is no room, below.
static void print_item(int width,
                       const char *before,
                       const char *name,
                       const char *after,
                       const char *text)
{
    const char *gap = after[0] != 0 ? " " : "";
    const bool is_narrow = width < NARROW;
    const int indent = is_narrow ? NARROW_INDENT : COLUMN;
    const int n_used = (int)(strlen(before) + strlen(name) + strlen(gap) + strlen(after));
    printf("%s", before);
    print_bold(name);
    printf("%s%s", gap, after);
    if (is_narrow || n_used >= COLUMN)
        printf("\n%*s", indent, "");
    else
        printf("%*s", indent - n_used, "");
    print_wrapped(text, width, indent, indent);
}

// ---- one verb ------------------------------------------------------------------------

static void print_option(int width, const opine_verb *verb, const opn_param *param)
{
    char name[64];
    char spelt[80];
    char bounds[1024];
    char text[2048];
    bool has_default = true;
    char help[HELP_ROOM];
    option_help(verb, param, help, &has_default);
    option_bounds(param, has_default, bounds, sizeof(bounds));
    snprintf(text, sizeof(text), "%s %s", help, bounds);
    const char letter[] = {'-', option_letter(param), ',', ' ', 0};
    snprintf(spelt, sizeof(spelt), "%s--%s", letter[1] != 0 ? letter : "",
             option_name(param, name));
    // In two columns, names without a letter are aligned with those that have one.
    const bool is_lined_up = letter[1] == 0 && width >= NARROW;
    print_item(width, is_lined_up ? "      " : "  ", spelt, option_value(param), text);
}

static void print_arguments(int width, const opine_verb *verb)
{
    bool has_heading = false;
    for (int i = 0; i < verb->max_arguments; i++) {
        const opine_argument *argument = verb_argument(verb, i);
        if (argument == NULL || (i > 0 && argument == verb_argument(verb, i - 1)))
            continue;
        if (!has_heading)
            print_heading("Arguments");
        has_heading = true;
        print_item(width, "  ", argument->name, "", argument->help);
    }
}

void help_verb(const opine_verb *verb)
{
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    const int width = page_width();
    printf("Usage: ");
    print_bold("opine ");
    print_bold(verb->name);
    printf("%s%s [options]\n\n", verb->arguments[0] != 0 ? " " : "", verb->arguments);
    print_wrapped(verb->summary, width, 0, 0);
    if (verb->details != NULL) {
        putchar('\n');
        print_wrapped(verb->details, width, 0, 0);
    }
    print_heading("Example");
    printf("  %s\n", verb->example);
    print_arguments(width, verb);
    for (int i = 0; i < n; i++) {
        const char *heading = option_heading(options[i]);
        if (i == 0 || strcmp(heading, option_heading(options[i - 1])) != 0)
            print_heading(heading);
        print_option(width, verb, options[i]);
    }
}

// ---- many verbs ----------------------------------------------------------------------

void help_family(const opine_family *family)
{
    const int width = page_width();
    printf("Usage: ");
    print_bold("opine ");
    print_bold(family->name);
    printf(" VERB [options]\n\n");
    print_wrapped(family->summary, width, 0, 0);
    print_heading("Verbs");
    for (int v = 0; v < n_verbs; v++)
        if (verb_in_family(&verbs[v], family) != NULL)
            print_item(width, "  ", verb_in_family(&verbs[v], family), verbs[v].arguments,
                       verbs[v].summary);
    printf("\nRun opine help %s VERB for help on one of them.\n", family->name);
}

void help_overview(void)
{
    const int width = page_width();
    print_bold("opine");
    print_wrapped(": graph neural networks that know what they do not know", width, 0, 5);
    printf("\nUsage: opine VERB [options]\n");
    for (int g = 0; g < N_VERB_GROUPS; g++) {
        print_heading(verb_headings[g]);
        for (int v = 0; v < n_verbs; v++)
            if ((int)verbs[v].group == g)
                print_item(width, "  ", verbs[v].name, verbs[v].arguments,
                           verbs[v].summary);
    }
    putchar('\n');
    print_wrapped("Run opine help VERB for help on a verb and its options.", width, 0, 0);
}
