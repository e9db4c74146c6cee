// arguments_fuzz.c -- any bytes as a command line, a word in each line: it is understood,
// or refused with a message. No verb is run.

#include "../programs/command.h"
#include "fuzz_target.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 64 };

// Cuts the text into words, in place, each of which a NUL ends.
static int cut_words(char *text, size_t size, char *word[MOST_WORDS])
{
    int n = 0;
    char *end = text + size;
    for (char *at = text; n < MOST_WORDS && at < end; at += strlen(at) + 1) {
        at[strcspn(at, "\n")] = 0;
        word[n++] = at;
    }
    return n;
}

// What the command does before a verb runs. Returns its exit code.
static int understand(int n, char **words, opine_app *app)
{
    int n_used = 0;
    int code = EXIT_DONE;
    const opine_verb *verb = command_find(n, words, &n_used, &code);
    if (verb == NULL)
        return code;
    fuzz_check(opn_ctx_create(NULL, &app->ctx) == OPN_OK);
    fuzz_check(opn_params_create(app->ctx, &app->params) == OPN_OK);
    code = options_parse(app, verb, n - n_used, words + n_used);
    if (code != EXIT_DONE)
        return code;
    if (opn_params_flag(app->params, "help")) {
        help_verb(verb);
        return code;
    }
    fuzz_check(app->n_arguments >= verb->min_arguments &&
               app->n_arguments <= verb->max_arguments);
    // No word is dropped silently: it is the verb's, an option, perhaps the value of one,
    // or an argument.
    for (int i = n_used; i < n; i++) {
        bool is_used = words[i][0] == '-' || (i > n_used && words[i - 1][0] == '-');
        for (int a = 0; a < app->n_arguments; a++)
            is_used = is_used || app->argument[a] == words[i];
        fuzz_check(is_used);
    }
    return code;
}

// A terminal must not be controlled by what was typed or pasted.
static void check_message(int code, const char *said, size_t n)
{
    static const char start[] = "opine: ";
    fuzz_check(code == EXIT_DONE || code == EXIT_USAGE);
    fuzz_check(n == 0 || strncmp(said, start, sizeof(start) - 1) == 0);
    for (size_t i = 0; i < n; i++)
        fuzz_check((unsigned char)said[i] >= 0x20 || said[i] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    char *word[MOST_WORDS];
    opine_app app = {0};
    char *said[2] = {NULL, NULL};
    size_t n_said[2] = {0, 0};
    FILE *const streams[2] = {stdout, stderr};
    fuzz_check(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    stdout = open_memstream(&said[0], &n_said[0]);
    stderr = open_memstream(&said[1], &n_said[1]);
    const int code = understand(cut_words(text, size, word), word, &app);
    fclose(stdout);
    fclose(stderr);
    stdout = streams[0];
    stderr = streams[1];
    check_message(code, said[1], n_said[1]);
    fuzz_check(code == EXIT_DONE || n_said[0] + n_said[1] > 0);
    free(said[0]);
    free(said[1]);
    opn_params_free(app.params);
    opn_ctx_free(app.ctx);
    free(text);
    return 0;
}
