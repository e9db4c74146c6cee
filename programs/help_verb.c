// help_verb.c -- the verb help, and the answer to words that are no verb.

#include "command.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 64 }; // of verbs and families

// The nearest second word of a verb of the family, or NULL.
static const char *guess_member(const opine_family *family, const char *word)
{
    const char *names[MAX_NAMES] = {0};
    size_t n = 0;
    for (int v = 0; v < n_verbs && n < MAX_NAMES; v++)
        if (verb_in_family(&verbs[v], family) != NULL)
            names[n++] = verb_in_family(&verbs[v], family);
    return opn_text_nearest(word, names, n);
}

// Writes the probable meaning of the words to `guess`; false if nothing is similar.
static bool guess_verb(int n, const char *const *words, char guess[128])
{
    const char *names[MAX_NAMES] = {0};
    size_t n_names = 0;
    for (int f = 0; f < n_families; f++)
        names[n_names++] = families[f].name;
    for (int v = 0; v < n_verbs && n_names < MAX_NAMES; v++)
        if (strchr(verbs[v].name, ' ') == NULL)
            names[n_names++] = verbs[v].name;
    const char *first = opn_text_nearest(words[0], names, n_names);
    const opine_family *family = first == NULL ? NULL : family_find(first);
    const char *second = family == NULL || n < 2 ? NULL : guess_member(family, words[1]);
    for (int f = 0; f < n_families && first == NULL; f++) { // "list" for "data list"
        second = guess_member(&families[f], words[0]);
        first = second != NULL ? families[f].name : NULL;
    }
    if (first == NULL || (strcmp(first, words[0]) == 0 && second == NULL))
        return false;
    snprintf(guess, 128, "%s%s%s", first, second != NULL ? " " : "",
             second != NULL ? second : "");
    return true;
}

int reject_verb(int n, const char *const *words)
{
    char guess[128];
    if (words[0][0] == '-') {
        complain("%s comes before the verb; options follow it, as in opine data info -q",
                 words[0]);
        return EXIT_USAGE;
    }
    // The second word is part of the verb only after the first word of a family.
    const bool is_guessed = guess_verb(n, words, guess);
    const bool has_two = n > 1 && (family_find(words[0]) != NULL ||
                                   (is_guessed && strchr(guess, ' ') != NULL));
    const char *gap = has_two ? " " : "";
    const char *second = has_two ? words[1] : "";
    if (is_guessed)
        complain("there is no verb %s%s%s; did you mean %s?", words[0], gap, second,
                 guess);
    else
        complain("there is no verb %s%s%s; opine help%s%s lists them", words[0], gap,
                 second, gap, has_two ? words[0] : "");
    return EXIT_USAGE;
}
// The man page and the completions cover all verbs.
static int print_format(const opine_app *app, const char *format)
{
    if (app->n_arguments > 0) {
        complain("help --format %s covers all verbs; leave out %s", format,
                 app->argument[0]);
        return EXIT_USAGE;
    }
    if (strcmp(format, "man") == 0)
        print_man_page();
    else if (strcmp(format, "bash") == 0)
        print_bash_completion();
    else
        print_zsh_completion();
    return EXIT_DONE;
}

int run_help(opine_app *app)
{
    char name[64];
    const int n = app->n_arguments;
    const char *format = opn_params_text(app->params, "format");
    if (strcmp(format, "text") != 0)
        return print_format(app, format);
    if (n == 0) {
        help_overview();
        return EXIT_DONE;
    }
    const opine_family *family = n == 1 ? family_find(app->argument[0]) : NULL;
    snprintf(name, sizeof(name), "%s%s%s", app->argument[0], n > 1 ? " " : "",
             n > 1 ? app->argument[1] : "");
    const opine_verb *found = verb_find(name);
    if (found == NULL && n > 1 && verb_find(app->argument[0]) != NULL) {
        complain("%s takes no further word; see opine help %s", app->argument[0],
                 app->argument[0]);
        return EXIT_USAGE;
    }
    if (found == NULL && family == NULL)
        return reject_verb(n, app->argument);
    if (found != NULL)
        help_verb(found);
    else
        help_family(family);
    return EXIT_DONE;
}
