// command.h -- declarations shared by the opine command, which uses only the public API.

#ifndef OPINE_COMMAND_H
#define OPINE_COMMAND_H

#include <opine/opine.h>

#include <stdbool.h>

// Exit codes; scripts rely on them, so they are stable.
enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_INTERRUPTED = 130 // 128 + SIGINT, as in shells
};

// One argument more than any verb takes, so that one too many is noticed.
enum { MAX_ARGUMENTS = 10, MAX_OPTIONS = 128, HELP_ROOM = 1024 };

typedef struct opine_verb opine_verb;

typedef struct opine_app {
    opn_ctx *ctx;
    opn_params *params;
    const opine_verb *verb;              // that runs, or NULL
    const char *argument[MAX_ARGUMENTS]; // positional arguments, in order
    int n_arguments;
    int rank, n_ranks;     // of the processes that share the work
    bool is_out_of_memory; // of the command itself; the context's message is an older one
} opine_app;

// Section of the overview that a verb is listed in.
typedef enum verb_group {
    VERB_FIRST_STEPS = 0,
    VERB_DATA = 1,
    VERB_RESEARCH = 2,
    VERB_OTHER = 3,
    N_VERB_GROUPS = 4
} verb_group;

struct opine_verb {
    const char *name;      // "data info"
    const char *arguments; // "DATA"; "RUN [DATA]" if the second is optional
    int min_arguments, max_arguments;
    const char *summary; // one line
    const char *details; // a paragraph, or NULL
    const char *example; // a command to copy
    int (*run)(opine_app *app);
    verb_group group;
    const char *options; // besides those of all verbs; names of parameters
};

// What an argument is, for the help and for shell completion.
typedef enum argument_kind {
    ARGUMENT_FILE = 0,
    ARGUMENT_DATA = 1, // the name of a dataset, or a file
    ARGUMENT_DATASET = 2,
    ARGUMENT_VERB = 3,
    ARGUMENT_TEXT = 4 // no completion
} argument_kind;

typedef struct opine_argument {
    const char *name; // as in the arguments of verbs, "DATA"
    argument_kind kind;
    const char *help; // one sentence
} opine_argument;

// The first word of two-word verbs.
typedef struct opine_family {
    const char *name; // "data"
    const char *summary;
} opine_family;

// ---- verbs ---------------------------------------------------------------------------

extern const opine_verb verbs[];
extern const int n_verbs;

extern const opine_argument arguments[];
extern const int n_arguments;
extern const opine_family families[];
extern const int n_families;

const opine_verb *verb_find(const char *name); // NULL if there is none
const opine_family *family_find(const char *name);

// The verb that the n words of a command line start with; its options and arguments
// follow after *n_used words. NULL if there is nothing to run: help or a message has been
// printed then, and *code is the exit code.
const opine_verb *command_find(int n, char **words, int *n_used, int *code);

// Says that the words are no verb, and which is the nearest. Returns an exit code.
int reject_verb(int n, const char *const *words);

// The second word of a verb of the family, "info" of "data info"; NULL for other verbs.
const char *verb_in_family(const opine_verb *verb, const opine_family *family);

// Argument i of a verb; NULL if it has none, or if the table has no such name. A last
// argument whose name ends in "..." repeats.
const opine_argument *verb_argument(const opine_verb *verb, int i);

int run_demo(opine_app *app);
int run_train(opine_app *app);
int run_predict(opine_app *app);
int run_decide(opine_app *app);
int run_explain(opine_app *app);
int run_suggest(opine_app *app);
int run_suspects(opine_app *app);
int run_evaluate(opine_app *app);
int run_reproduce(opine_app *app);
int run_tune(opine_app *app);
int run_report(opine_app *app);
int run_explore(opine_app *app);
int run_data_list(opine_app *app);
int run_data_info(opine_app *app);
int run_data_fetch(opine_app *app);
int run_data_convert(opine_app *app);
int run_data_shard(opine_app *app);
int run_data_generate(opine_app *app);
int run_help(opine_app *app);
int run_version(opine_app *app);

// Loads a graph with opn_graph_load_prepared() and logs whatever looks wrong in its data.
opn_status load_checked(opine_app *app, const char *data, opn_graph **out);

// Whether the verb may run: not if it was started as one of several processes that would
// all do the same, as under mpirun. If not, a message has been printed.
bool is_launched_well(const opine_app *app, const opine_verb *verb);

// The dataset that a message about missing data refers to; NULL if there is none.
const char *dataset_to_fetch(const opine_app *app, const char *message);

// If a message is about an argument that is something else than the verb takes there, a
// model in the place of DATA for example, says so instead and returns true.
bool complain_of_argument(const opine_app *app, const char *message);

// ---- options -------------------------------------------------------------------------

// The parameters under a heading of the help.
typedef struct option_list {
    const char *title; // "Training"
    const char *names; // separated by blanks
} option_list;

extern const option_list option_headings[];
extern const int n_option_headings;

// Whether a name is in a list with blanks between.
bool has_name(const char *names, const char *name);

bool verb_uses(const opine_verb *verb, const opn_param *param);
bool option_is_common(const opn_param *param); // to all verbs
const char *option_heading(const opn_param *param);
char option_letter(const opn_param *param); // 0 if there is none

// Reads the options and arguments of a verb. Returns an exit code; on failure a message
// has been printed.
int options_parse(opine_app *app, const opine_verb *verb, int n, char **words);

// The options of a verb in help order. Returns how many.
int verb_options(const opine_verb *verb, const opn_param *out[MAX_OPTIONS]);

// The help text of an option of a verb, and whether the default in the table applies.
void option_help(const opine_verb *verb,
                 const opn_param *param,
                 char out[HELP_ROOM],
                 bool *has_default);

// The placeholder for the value of an option, "N" or "OUT"; "" for a flag.
const char *option_value(const opn_param *param);

// Choices or bounds, and the default: "[1 to 8; default 1]"; "" if there are none.
void option_bounds(const opn_param *param, bool has_default, char *out, size_t room);

// The option of a parameter without its dashes: "mean-degree".
const char *option_name(const opn_param *param, char text[64]);

// Replaces the parameter names in backquotes in a message of the library by options:
// "`hidden` 10: ..." becomes "--hidden 10: ...".
void spell_options(const char *text, char *out, size_t room);

// ---- help ----------------------------------------------------------------------------

void help_overview(void);
void help_family(const opine_family *family);
// Prints text indented by so many blanks, wrapped to the terminal.
void print_paragraph(const char *text, int indent);

void help_verb(const opine_verb *verb);

extern const char *const verb_headings[N_VERB_GROUPS];

// Print all verbs in another format to standard output.
void print_man_page(void);
void print_bash_completion(void);
void print_zsh_completion(void);

// ---- terminal ------------------------------------------------------------------------

// Hooks that log to stderr, and draw a progress bar there if it is a terminal.
opn_hooks terminal_hooks(void);
void terminal_set_quiet(bool quiet, bool verbose);
void terminal_catch_signals(void);
void terminal_clear(void); // removes the bar if one is shown

// Prints "opine: ..." to stderr, without terminal control characters.
void complain(const char *fmt, ...) OPN_PRINTF(1, 2);

// The status for the command itself running out of memory. The context has no message
// about that, but complain_status() prints one anyway.
opn_status out_of_memory(opine_app *app);

// Prints the context's message, or the name of the status if there is none, and returns
// the exit code for the status.
int complain_status(const opine_app *app, opn_status status);

#endif // OPINE_COMMAND_H
