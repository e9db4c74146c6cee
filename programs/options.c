// options.c -- reads the options of a command line.

#include "command.h"

#include <stdio.h>
#include <string.h>

const char *option_name(const opn_param *param, char text[64])
{
    snprintf(text, 64, "%s", param->name);
    for (char *c = text; *c != 0; c++)
        if (*c == '_')
            *c = '-';
    return text;
}

// The parameter quoted in backquotes at the start of a text, or NULL; *n_chars is the
// length with quotes.
static const opn_param *quoted_param(const char *text, size_t *n_chars)
{
    char name[64];
    const size_t n = *text == '`' ? strcspn(text + 1, "`") : 0;
    if (n == 0 || n >= sizeof(name) || text[n + 1] != '`')
        return NULL;
    memcpy(name, text + 1, n);
    name[n] = 0;
    *n_chars = n + 2;
    return opn_param_find(name);
}

void spell_options(const char *text, char *out, size_t room)
{
    size_t n = 0;
    while (*text != 0 && n + 1 < room) {
        char name[64];
        size_t n_chars = 1;
        const opn_param *param = quoted_param(text, &n_chars);
        if (param == NULL) {
            out[n++] = *text++;
            continue;
        }
        const int n_put = snprintf(out + n, room - n, "--%s", option_name(param, name));
        n = n_put > 0 && (size_t)n_put < room - n ? n + (size_t)n_put : room - 1;
        text += n_chars;
    }
    out[n] = 0;
}

static int reject_option(const opine_verb *verb, const char *word)
{
    const char *candidates[MAX_OPTIONS];
    char text[MAX_OPTIONS][64];
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    for (int i = 0; i < n; i++)
        candidates[i] = option_name(options[i], text[i]);
    const char *guess = opn_text_nearest(word, candidates, (size_t)n);
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
        if (option_letter(param) == letter && verb_uses(verb, param))
            return param;
    }
    return NULL;
}

// Sets one option. `value` is what follows "=", or NULL; *next is the word after the
// option, which is consumed if a value is needed.
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
    // Giving a text, a list or a part twice would silently drop one.
    if ((param->kind == OPN_PARAM_TEXT || param->kind == OPN_PARAM_CHOICES ||
         param->kind == OPN_PARAM_PART) &&
        opn_params_given(app->params, param->name)) {
        complain("--%s is given twice", name);
        return EXIT_USAGE;
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
    // Only kebab-case is accepted, so that there is one spelling.
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
