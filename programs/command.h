// command.h -- the opine command: what its files share. Only the public API is used.

#ifndef OPINE_COMMAND_H
#define OPINE_COMMAND_H

#include <opine/opine.h>

#include <stdbool.h>

// Exit codes; stable, scripts rely on them.
enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_INTERRUPTED = 130 // 128 + SIGINT, as shells have it
};

enum { MAX_ARGUMENTS = 8 };

typedef struct opine_app {
    opn_ctx *ctx;
    opn_params *params;
    const char *argument[MAX_ARGUMENTS]; // what is not an option, in order
    int n_arguments;
} opine_app;

typedef struct opine_verb {
    const char *name;      // "data info"
    const char *arguments; // "DATA"
    int min_arguments, max_arguments;
    const char *summary; // one line
    const char *details; // a paragraph, or NULL
    const char *example; // a command to copy
    int (*run)(opine_app *app);
} opine_verb;

// ---- verbs ---------------------------------------------------------------------------

extern const opine_verb verbs[];
extern const int n_verbs;

const opine_verb *verb_find(const char *name); // NULL when there is none
bool verb_uses(const opine_verb *verb, const opn_param *param);

int run_demo(opine_app *app);
int run_train(opine_app *app);
int run_predict(opine_app *app);
int run_evaluate(opine_app *app);
int run_reproduce(opine_app *app);
int run_report(opine_app *app);
int run_data_list(opine_app *app);
int run_data_info(opine_app *app);
int run_data_fetch(opine_app *app);
int run_data_convert(opine_app *app);
int run_data_generate(opine_app *app);
int run_help(opine_app *app);
int run_version(opine_app *app);

// The graph a DATA argument names, after the preprocessing that is asked for.
opn_status load_prepared(opine_app *app, const char *data, opn_graph **out);

// The same, and what looks wrong in the data is told on the log.
opn_status load_checked(opine_app *app, const char *data, opn_graph **out);

// ---- options -------------------------------------------------------------------------

// Reads the options and arguments of a verb. Exit code; a message has been printed.
int options_parse(opine_app *app, const opine_verb *verb, int n, char **words);

void help_overview(void);
void help_verb(const opine_verb *verb);

// The option of a parameter without its dashes: "mean-degree".
const char *option_name(const opn_param *param, char text[64]);

// ---- terminal ------------------------------------------------------------------------

// Hooks that log to stderr and draw a progress bar there when it is a terminal.
opn_hooks terminal_hooks(void);
void terminal_set_quiet(bool quiet, bool verbose);
void terminal_catch_signals(void);
void terminal_clear(void); // removes a bar that is being shown

// Prints "opine: ..." to stderr.
void complain(const char *fmt, ...) OPN_PRINTF(1, 2);

// Prints the context's message and returns the exit code for the status.
int complain_status(const opine_app *app, opn_status status);

// The candidate nearest to `word`, or NULL when none is near.
const char *nearest(const char *word, const char *const *candidates, int n);

// Prints a name from a file in at least `width` columns; control characters show as '?'.
void print_name(const char *name, int width);

#endif // OPINE_COMMAND_H
