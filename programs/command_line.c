// command_line.c -- finds the verb that the words of a command line start with.

#include "command.h"

#include <stdio.h>
#include <string.h>

// Finds the verb that the words start with; *n_used is how many words it has, one or two.
static const opine_verb *match_verb(int n, char **words, int *n_used)
{
    char name[64];
    const opine_verb *found = verb_find(words[0]);
    *n_used = 1;
    if (found == NULL && n > 1) {
        snprintf(name, sizeof(name), "%s %s", words[0], words[1]);
        *n_used = 2;
        found = verb_find(name);
    }
    return found;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

// Handles words that are not a verb. A family alone is half a command: print its help.
static int answer_without_verb(int n, char **words)
{
    const opine_family *family = family_find(words[0]);
    if (family == NULL || (n > 1 && !asks_for_help(words[1])))
        return reject_verb(n, (const char *const *)words);
    help_family(family);
    return n > 1 ? EXIT_DONE : EXIT_USAGE;
}

const opine_verb *command_find(int n, char **words, int *n_used, int *code)
{
    *n_used = 0;
    *code = EXIT_DONE;
    if (n < 1 || asks_for_help(words[0])) {
        help_overview();
        return NULL;
    }
    if (strcmp(words[0], "--version") == 0)
        words[0] += 2;
    const opine_verb *verb = match_verb(n, words, n_used);
    if (verb == NULL)
        *code = answer_without_verb(n, words);
    return verb;
}
