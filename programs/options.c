// options.c -- options from the parameter table, and the help made from it.

#include "command.h"

#include <stdio.h>
#include <string.h>

enum { HELP_INDENT = 28, HELP_WIDTH = 80 };

const char *option_name(const opn_param *param, char text[64])
{
    snprintf(text, 64, "%s", param->name);
    for (char *c = text; *c != 0; c++)
        if (*c == '_')
            *c = '-';
    return text;
}

// Whether the verb is one of those the parameter is used by, "data info|data convert".
bool verb_uses(const opine_verb *verb, const opn_param *param)
{
    const size_t n_name = strlen(verb->name);
    const char *at = param->used_by;
    if (strcmp(at, "*") == 0)
        return true;
    while (*at != 0) {
        const size_t n = strcspn(at, "|");
        if (n == n_name && memcmp(at, verb->name, n) == 0)
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

static int reject_option(const opine_verb *verb, const char *word)
{
    const char *candidates[64];
    char text[64][64];
    int n = 0;
    for (size_t i = 0; i < opn_param_count() && n < 64; i++)
        if (verb_uses(verb, opn_param_at(i))) {
            candidates[n] = option_name(opn_param_at(i), text[n]);
            n++;
        }
    const char *guess = nearest(word, candidates, n);
    if (guess != NULL)
        complain("%s has no option --%s; did you mean --%s?", verb->name, word, guess);
    else
        complain("%s has no option --%s; see opine help %s", verb->name, word,
                 verb->name);
    return EXIT_USAGE;
}

static const opn_param *find_letter(const opine_verb *verb, char letter)
{
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        if (param->letter != NULL && param->letter[0] == letter && verb_uses(verb, param))
            return param;
    }
    return NULL;
}

// Sets one option. `value` is what stands behind "=", or NULL; *next is the word after
// the option, taken when a value is needed and moved on then.
static int set_option(opine_app *app,
                      const opn_param *param,
                      const char *value,
                      char ***next,
                      char **end)
{
    char name[64];
    option_name(param, name);
    if (param->kind == OPN_PARAM_FLAG && value == NULL)
        value = "on";
    if (value == NULL) {
        if (*next == end) {
            complain("--%s needs a value%s%s", name, param->unit != NULL ? ", " : "",
                     param->unit != NULL ? param->unit : "");
            return EXIT_USAGE;
        }
        value = *(*next)++;
    }
    const opn_status status = opn_params_set(app->ctx, app->params, param->name, value);
    return status == OPN_OK ? EXIT_DONE : complain_status(app, status);
}

static int parse_long(opine_app *app,
                      const opine_verb *verb,
                      const char *word,
                      char ***next,
                      char **end)
{
    char name[64];
    const size_t n = strcspn(word, "=");
    snprintf(name, sizeof(name), "%.*s", (int)n, word);
    const opn_param *param = opn_param_find(name);
    // Options are written in kebab-case only: one way to spell a thing.
    if (param == NULL || strchr(name, '_') != NULL || !verb_uses(verb, param))
        return reject_option(verb, name);
    return set_option(app, param, word[n] == '=' ? word + n + 1 : NULL, next, end);
}

static int parse_letter(opine_app *app,
                        const opine_verb *verb,
                        const char *word,
                        char ***next,
                        char **end)
{
    const opn_param *param = find_letter(verb, word[0]);
    if (param == NULL) {
        complain("%s has no option -%c; see opine help %s", verb->name, word[0],
                 verb->name);
        return EXIT_USAGE;
    }
    return set_option(app, param, word[1] != 0 ? word + 1 : NULL, next, end);
}

static int check_arguments(const opine_app *app, const opine_verb *verb)
{
    if (app->n_arguments >= verb->min_arguments &&
        app->n_arguments <= verb->max_arguments)
        return EXIT_DONE;
    complain("%s takes %s; see opine help %s", verb->name,
             verb->arguments[0] != 0 ? verb->arguments : "no argument", verb->name);
    return EXIT_USAGE;
}

int options_parse(opine_app *app, const opine_verb *verb, int n, char **words)
{
    char **next = words;
    char **end = words + n;
    bool only_arguments = false;
    while (next < end) {
        const char *word = *next++;
        int code = EXIT_DONE;
        if (!only_arguments && strcmp(word, "--") == 0)
            only_arguments = true;
        else if (!only_arguments && strncmp(word, "--", 2) == 0)
            code = parse_long(app, verb, word + 2, &next, end);
        else if (!only_arguments && word[0] == '-' && word[1] != 0)
            code = parse_letter(app, verb, word + 1, &next, end);
        else if (app->n_arguments < MAX_ARGUMENTS)
            app->argument[app->n_arguments++] = word;
        if (code != EXIT_DONE)
            return code;
    }
    return opn_params_flag(app->params, "help") ? EXIT_DONE : check_arguments(app, verb);
}

// ---- help ----------------------------------------------------------------------------

// Prints words wrapped to HELP_WIDTH, every line but the first after `indent` blanks.
// Lists of choices are broken too, after a bar.
static void print_wrapped(const char *text, int indent, int column)
{
    int n_blanks = 0; // before the word
    while (*text != 0) {
        int n = (int)strcspn(text, " |");
        n += text[n] == '|';
        if (column + n_blanks + n > HELP_WIDTH && column > indent) {
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

static void print_bounds(const opn_param *param, char *out, size_t room)
{
    const bool is_number = param->kind == OPN_PARAM_INT || param->kind == OPN_PARAM_REAL;
    const char *value = param->default_text;
    out[0] = 0;
    if (param->choices != NULL)
        snprintf(out, room, value[0] != 0 ? "[%s; default %s]" : "[%s]", param->choices,
                 value);
    else if (is_number)
        snprintf(out, room, "[%.10g to %.10g; default %s]", param->min, param->max,
                 value);
    else if (param->kind == OPN_PARAM_TEXT && value[0] != 0)
        snprintf(out, room, "[default %s]", value);
}

static void print_option(const opn_param *param)
{
    char name[64];
    char left[128];
    char text[1024];
    char bounds[256];
    char letter[8] = "    ";
    if (param->letter != NULL)
        snprintf(letter, sizeof(letter), "-%s, ", param->letter);
    const char *value = param->kind == OPN_PARAM_FLAG   ? ""
                        : param->kind == OPN_PARAM_INT  ? " N"
                        : param->kind == OPN_PARAM_REAL ? " X"
                                                        : " ";
    snprintf(left, sizeof(left), "  %s--%s%s%s", letter, option_name(param, name), value,
             value[0] == ' ' && value[1] == 0 && param->unit != NULL ? param->unit : "");
    print_bounds(param, bounds, sizeof(bounds));
    snprintf(text, sizeof(text), "%s %s", param->help, bounds);
    printf("%-*s", HELP_INDENT, left);
    if ((int)strlen(left) >= HELP_INDENT)
        printf("\n%*s", HELP_INDENT, "");
    print_wrapped(text, HELP_INDENT, HELP_INDENT);
}

static void print_group(const opine_verb *verb, const char *group)
{
    bool has_heading = false;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        if (!verb_uses(verb, param) || strcmp(param->group, group) != 0)
            continue;
        if (!has_heading)
            printf("\n%s\n", group);
        has_heading = true;
        print_option(param);
    }
}

void help_verb(const opine_verb *verb)
{
    const char *last_group = "";
    printf("opine %s%s%s%s\n\n", verb->name, verb->arguments[0] != 0 ? " " : "",
           verb->arguments, " [options]");
    print_wrapped(verb->summary, 0, 0);
    if (verb->details != NULL) {
        putchar('\n');
        print_wrapped(verb->details, 0, 0);
    }
    printf("\nExample\n  %s\n", verb->example);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        if (strcmp(param->group, last_group) != 0)
            print_group(verb, param->group);
        last_group = param->group;
    }
}

void help_overview(void)
{
    printf("opine: graph neural networks that know what they do not know\n\n"
           "Usage: opine VERB [options]\n\n");
    for (int v = 0; v < n_verbs; v++) {
        char left[64];
        snprintf(left, sizeof(left), "  %s %s", verbs[v].name, verbs[v].arguments);
        printf("%-*s", HELP_INDENT, left);
        print_wrapped(verbs[v].summary, HELP_INDENT, HELP_INDENT);
    }
    printf("\nopine help VERB tells more about a verb and its options.\n");
}
