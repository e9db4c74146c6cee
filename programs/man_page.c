// man_page.c -- opine(1) for man, from the same tables as the help. It has no date, so
// that the page of a version does not depend on when it is built.

#include "command.h"

#include <stdio.h>
#include <string.h>

typedef struct man_item {
    const char *name;
    const char *text;
} man_item;

static const man_item exit_codes[] = {
        {"0", "Success."},
        {"1",
         "Failure: out of memory, an output that cannot be written, or a loss that is "
         "not a number."},
        {"2",
         "Usage error: a verb, option or value that does not exist; the nearest one is "
         "suggested."},
        {"3",
         "Bad or missing input; the message names the file and, if there is one, the "
         "line."},
        {"130", "Interrupted by Ctrl-C (SIGINT), SIGTERM or SIGHUP."},
};

static const man_item variables[] = {
        {"OPINE_DATA", "Folder to search for named datasets, after --data-dir."},
        {"OPINE_DATA_MIRROR",
         "Address or folder from which `opine data fetch` downloads, unless --mirror "
         "is given."},
        {"XDG_DATA_HOME",
         "The user's data folder is opine in this folder, which defaults to "
         "~/.local/share."},
        {"OPINE_KERNEL",
         "Set to ref, avx2, avx512 or neon to use those kernels instead of the fastest "
         "ones that the CPU has; ref are plain loops."},
        {"NO_COLOR", "If set and not empty, terminal output is never bold or dim."},
};

static const man_item files[] = {
        {"~/.local/share/opine",
         "The user's data folder, the last place searched for named datasets."},
        {"OUT.checkpoint",
         "Left by `opine train -o OUT` for --resume when it is interrupted, or killed "
         "after a checkpoint of --checkpoint-every."},
        {"opine-demo.html", "The page written by `opine demo`."},
};

// ---- roff ----------------------------------------------------------------------------

// Prints a character escaped for roff.
static void put_plain(char c)
{
    static const struct {
        char c;
        const char *escape;
    } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'"', "\\(dq"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
    for (size_t e = 0; e < sizeof(escapes) / sizeof(escapes[0]); e++)
        if (escapes[e].c == c) {
            fputs(escapes[e].escape, stdout);
            return;
        }
    putchar(c);
}

// Prints text on one line. Text between backquotes is bold; is_bold says whether the line
// starts inside them, and the result whether it ends inside.
static bool put_line(const char *text, bool is_bold)
{
    if (*text == '.')
        fputs("\\&", stdout); // otherwise the line would be a request
    for (; *text != 0; text++)
        if (*text == '`') {
            is_bold = !is_bold;
            fputs(is_bold ? "\\fB" : "\\fR", stdout);
        } else {
            put_plain(*text);
        }
    return is_bold;
}

// Prints text that roff fills to any width; the source lines are kept short.
static void put_text(const char *text)
{
    enum { LINE = 66 };
    char line[LINE + 1];
    bool is_bold = false;
    while (strlen(text) > LINE) {
        int n = LINE;
        while (n > 0 && text[n] != ' ')
            n--;
        if (n == 0)
            break;
        snprintf(line, sizeof(line), "%.*s", n, text);
        is_bold = put_line(line, is_bold);
        putchar('\n');
        text += n + 1;
    }
    (void)put_line(text, is_bold);
    putchar('\n');
}

static void put_paragraph(const char *text)
{
    puts(".PP");
    put_text(text);
}

static void put_bold(const char *text)
{
    fputs("\\fB", stdout);
    (void)put_line(text, false);
    fputs("\\fR", stdout);
}

// Prints `gap` only if text follows it.
static void put_italic(const char *gap, const char *text)
{
    if (text[0] == 0)
        return;
    printf("%s\\fI", gap);
    (void)put_line(text, false);
    fputs("\\fR", stdout);
}

static void put_items(const char *section, const man_item *items, size_t n)
{
    printf(".SH %s\n", section);
    for (size_t i = 0; i < n; i++) {
        puts(".TP");
        put_bold(items[i].name);
        putchar('\n');
        put_text(items[i].text);
    }
}

#define PUT_ITEMS(section, items) \
    put_items(section, items, sizeof(items) / sizeof((items)[0]))

// ---- verbs ---------------------------------------------------------------------------

static void put_option(const opine_verb *verb, const opn_param *param)
{
    char option[72] = "--";
    const char letter[] = {'-', option_letter(param), 0};
    char bounds[1024];
    bool has_default = true;
    char help[HELP_ROOM];
    option_help(verb, param, help, &has_default);
    option_bounds(param, has_default, bounds, sizeof(bounds));
    option_name(param, option + 2);
    puts(".TP");
    if (letter[1] != 0) {
        put_bold(letter);
        fputs(", ", stdout);
    }
    put_bold(option);
    put_italic(" ", option_value(param));
    putchar('\n');
    put_text(help);
    if (bounds[0] != 0)
        put_text(bounds);
}

static void put_verb(const opine_verb *verb)
{
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    fputs(".SS \"opine ", stdout);
    (void)put_line(verb->name, false);
    put_italic(" ", verb->arguments);
    puts("\"");
    put_text(verb->summary);
    if (verb->details != NULL)
        put_paragraph(verb->details);
    for (int i = 0; i < n; i++)
        if (!option_is_common(options[i]))
            put_option(verb, options[i]);
}

static void put_common_options(void)
{
    const opine_verb *verb = verb_find("help");
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    puts(".SH OPTIONS");
    puts("Every verb takes these options; its own are listed with the verb.");
    for (int i = 0; i < n; i++)
        if (option_is_common(options[i]))
            put_option(verb, options[i]);
}

static void put_arguments(void)
{
    puts(".SH ARGUMENTS");
    for (int a = 0; a < n_arguments; a++) {
        puts(".TP");
        put_italic("", arguments[a].name);
        putchar('\n');
        put_text(arguments[a].help);
    }
}

static void put_examples(void)
{
    bool is_first = true;
    puts(".SH EXAMPLES");
    for (int g = 0; g < N_VERB_GROUPS; g++)
        for (int v = 0; v < n_verbs; v++)
            if ((int)verbs[v].group == g) {
                if (!is_first)
                    puts(".PP");
                is_first = false;
                put_text(verbs[v].summary);
                puts(".RS 4\n.nf");
                put_bold(verbs[v].example);
                puts("\n.fi\n.RE");
            }
}

void print_man_page(void)
{
    printf(".\\\" Printed by: opine help --format man\n"
           ".TH OPINE 1 \"\" \"opine %s\" \"User Commands\"\n"
           ".nh\n" // names are not hyphenated
           ".ad l\n"
           ".SH NAME\n"
           "opine \\- graph neural networks that know what they do not know\n"
           ".SH SYNOPSIS\n"
           "\\fBopine\\fR \\fIVERB\\fR [\\fIARGUMENT\\fR ...] [\\fIOPTION\\fR ...]\n"
           ".SH DESCRIPTION\n",
           opn_version());
    put_text("opine trains graph neural networks that know what they do not know. From "
             "a graph, features of its nodes and a few labels it gives every node a "
             "class and an opinion on it: how little evidence there is (vacuity), how "
             "much of it conflicts (dissonance), how noisy the data are (aleatoric), "
             "how uncertain the model is (epistemic), and the total (entropy).");
    put_paragraph("Results go to standard output, messages and progress to standard "
                  "error. The same seed gives the same bits for any number of threads.");
    puts(".SH VERBS");
    for (int g = 0; g < N_VERB_GROUPS; g++)
        for (int v = 0; v < n_verbs; v++)
            if ((int)verbs[v].group == g)
                put_verb(&verbs[v]);
    put_arguments();
    put_common_options();
    PUT_ITEMS("\"EXIT STATUS\"", exit_codes);
    PUT_ITEMS("ENVIRONMENT", variables);
    PUT_ITEMS("FILES", files);
    put_examples();
}
