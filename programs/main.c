// main.c -- finds the verb, reads its options and runs it.

#include "command.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

const opine_verb verbs[] = {
        {"demo", "", 0, 0, "Train on the built-in graph and show the results.", NULL,
         "opine demo", run_demo, VERB_FIRST_STEPS},
        {"train", "DATA", 1, 1, "Train a model and write it to a file.",
         "All labels are used; unless the data come with a split, one fifth is used "
         "for validation. Ctrl-C leaves a checkpoint next to the model file, as does a "
         "long training now and then; --resume continues from it.",
         "opine train demo -o demo.safetensors", run_train, VERB_FIRST_STEPS},
        {"predict", "MODEL DATA", 2, 2,
         "Predict the class of every node, and how certain it is.",
         "The graph need not be the one the model was trained on, but it must have the "
         "same features.",
         "opine predict demo.safetensors demo -o demo.csv", run_predict,
         VERB_FIRST_STEPS},
        {"explain", "MODEL DATA NODE", 3, 3, "Explain a prediction.",
         "NODE is a name, or a number if nodes have no names. Shows the opinion, the "
         "labelled nodes behind its prior, the classes that conflict and the "
         "neighbours that disagree.",
         "opine explain demo.safetensors demo 17", run_explain, VERB_FIRST_STEPS},
        {"evaluate", "DATA", 1, 1,
         "Measure how well models' uncertainties detect misclassified and unknown "
         "nodes.",
         "Trains every model on every seed and scores the nodes used neither for "
         "training nor for validation: AUROC, AUPR and more for each uncertainty, with "
         "95 % confidence intervals over the seeds. With -o RUN each result is kept as "
         "soon as it is available, and the same command resumes from RUN.",
         "opine evaluate demo --task ood --model s-bgcn-t-k,gcn --seeds 5", run_evaluate,
         VERB_RESEARCH},
        {"reproduce", "", 0, 0,
         "Measure the tables of the paper, and compare with its values.",
         "For each table, dataset, model and uncertainty: the paper's value, ours, the "
         "difference and its interval. With -o RUN each result is kept as soon as it is "
         "available, results.md, .csv and .json are written at the end, and the same "
         "command resumes from RUN.",
         "opine reproduce --table main --dataset cora --seeds 3 -o run", run_reproduce,
         VERB_RESEARCH},
        {"tune", "DATA", 1, 1, "Search for better settings, on validation nodes only.",
         "Draws settings for the parameters not given (learning_rate, hidden, dropout, "
         "weight_decay, epochs, lambda1, sigma), the default first, and prints the "
         "best as a command to copy, or the default if nothing is clearly better. Test "
         "nodes are never used. With -o RUN each run is kept as soon as it is done, "
         "and the same command resumes from RUN.",
         "opine tune demo --task ood --trials 20 -o run", run_tune, VERB_RESEARCH},
        {"report", "RUN [DATA]", 1, 2, "Write an HTML report.",
         "The report has maps of the nodes by class and by each uncertainty, the "
         "opinion on every node, curves and tables, in one HTML file that needs no "
         "network.",
         "opine report demo.safetensors demo -o demo.html", run_report, VERB_FIRST_STEPS},
        {"data list", "", 0, 0, "List the named datasets.", NULL, "opine data list",
         run_data_list, VERB_DATA},
        {"data info", "DATA", 1, 1,
         "Describe a graph: size, classes, degrees, components.",
         "Shows the graph after the preprocessing that training applies; --raw shows "
         "it exactly as in the file.",
         "opine data info demo", run_data_info, VERB_DATA},
        {"data fetch", "NAME...", 1, 7, "Download datasets into the data folder.",
         "The files come from their authors' servers, or from --mirror, and are "
         "checked by size and SHA-256. Ctrl-C keeps what has arrived, and the same "
         "command resumes from there.",
         "opine data fetch cora", run_data_fetch, VERB_DATA},
        {"data convert", "DATA", 1, 1, "Write a graph as an .npz file or a CSV folder.",
         "Writes the graph after the preprocessing that training applies; --raw writes "
         "it exactly as in the file. With -o - the .npz file goes to standard output.",
         "opine data convert demo -o demo.npz", run_data_convert, VERB_DATA},
        {"data generate", "", 0, 0, "Generate a random graph with classes and features.",
         "The graph is drawn from a degree-corrected block model with bag-of-words "
         "features: nodes of the same class are joined more often and share more words.",
         "opine data generate --nodes 5000 --classes 4 --seed 7 -o drawn.npz",
         run_data_generate, VERB_DATA},
        {"help", "[VERB]", 0, 2, "Show an overview, or the help for a verb.",
         "`opine help data` lists the data verbs.", "opine help data info", run_help,
         VERB_OTHER},
        {"version", "", 0, 0, "Print the version.",
         "With -v also how the program was built and with which libraries; --json "
         "always includes that.",
         "opine version -v", run_version, VERB_OTHER},
};
const int n_verbs = sizeof(verbs) / sizeof(verbs[0]);

// One row per name used in the arguments of verbs.
const opine_argument arguments[] = {
        {"DATA", ARGUMENT_DATA,
         "A graph: a name from `opine data list`, an .npz file, a folder with edges.csv, "
         "features.csv and labels.csv, a Planetoid prefix, or - for an .npz file on "
         "standard input."},
        {"NAME", ARGUMENT_DATASET, "A dataset from `opine data list`, or all."},
        {"MODEL", ARGUMENT_FILE,
         "A model file written by `opine train`, or - for standard input."},
        {"NODE", ARGUMENT_TEXT, "A node by name, or by number if nodes have no names."},
        {"RUN", ARGUMENT_FILE,
         "A model file, which needs DATA; predictions written by `opine predict`; or a "
         "folder written by `opine evaluate` or `opine reproduce`."},
        {"VERB", ARGUMENT_VERB,
         "The verb to show help for, such as `train` or `data info`."},
};
const int n_arguments = sizeof(arguments) / sizeof(arguments[0]);

const opine_family families[] = {
        {"data", "List, download, describe, convert and generate graphs."},
};
const int n_families = sizeof(families) / sizeof(families[0]);

// ---- finding a verb ------------------------------------------------------------------

const opine_verb *verb_find(const char *name)
{
    for (int v = 0; v < n_verbs; v++)
        if (strcmp(verbs[v].name, name) == 0)
            return &verbs[v];
    return NULL;
}

static const opine_family *family_find(const char *name)
{
    for (int f = 0; f < n_families; f++)
        if (strcmp(families[f].name, name) == 0)
            return &families[f];
    return NULL;
}

const char *verb_in_family(const opine_verb *verb, const opine_family *family)
{
    const size_t n = strlen(family->name);
    if (strncmp(verb->name, family->name, n) != 0 || verb->name[n] != ' ')
        return NULL;
    return verb->name + n + 1;
}

const opine_argument *verb_argument(const opine_verb *verb, int i)
{
    const char *at = verb->arguments;
    size_t n = 0;
    for (int a = 0; a <= i && *at != 0; a++) {
        const char *name = at + (*at == '[');
        n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        const bool is_repeated = strncmp(name + n, "...", 3) == 0;
        if (a == i || is_repeated)
            for (int t = 0; t < n_arguments; t++)
                if (strlen(arguments[t].name) == n &&
                    memcmp(arguments[t].name, name, n) == 0)
                    return &arguments[t];
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return NULL;
}

enum { MAX_NAMES = 64 };

// The nearest second word of a verb of the family, or NULL.
static const char *guess_member(const opine_family *family, const char *word)
{
    const char *names[MAX_NAMES];
    size_t n = 0;
    for (int v = 0; v < n_verbs && n < MAX_NAMES; v++)
        if (verb_in_family(&verbs[v], family) != NULL)
            names[n++] = verb_in_family(&verbs[v], family);
    return opn_text_nearest(word, names, n);
}

// Writes the probable meaning of the words to `guess`; false if nothing is similar.
static bool guess_verb(int n, const char *const *words, char guess[128])
{
    const char *names[MAX_NAMES];
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

static int reject_verb(int n, const char *const *words)
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
    if (found == NULL && family == NULL)
        return reject_verb(n, app->argument);
    if (found != NULL)
        help_verb(found);
    else
        help_family(family);
    return EXIT_DONE;
}

static int run_verb(opine_app *app, const opine_verb *verb, int n, char **words)
{
    const int code = options_parse(app, verb, n, words);
    if (code != EXIT_DONE)
        return code;
    if (opn_params_flag(app->params, "help")) {
        help_verb(verb);
        return EXIT_DONE;
    }
    terminal_set_quiet(opn_params_flag(app->params, "quiet"),
                       opn_params_flag(app->params, "verbose"));
    const opn_hooks hooks = terminal_hooks();
    opn_status status = opn_ctx_set_hooks(app->ctx, &hooks);
    if (status == OPN_OK)
        status = opn_ctx_set_threads(app->ctx,
                                     (int)opn_params_int(app->params, "threads"));
    if (status != OPN_OK)
        return complain_status(app, status);
    return verb->run(app);
}

// Output that could not be written is a failure, whatever the verb returned.
static int close_output(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        complain("standard output cannot be written");
        return EXIT_FAILED;
    }
    return code;
}

// Fills closed standard streams, so that no file is opened in their place and gets
// messages written into it. The replacement is not writable.
static void hold_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    opine_app app = {0};
    int n_used = 0;
    hold_streams();
    if (argc < 2 || asks_for_help(argv[1])) {
        help_overview();
        return close_output(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0)
        argv[1] += 2;
    const opine_verb *verb = match_verb(argc - 1, argv + 1, &n_used);
    if (verb == NULL)
        return close_output(answer_without_verb(argc - 1, argv + 1));
    terminal_catch_signals();
    int code = EXIT_FAILED;
    if (opn_ctx_create(NULL, &app.ctx) != OPN_OK) {
        complain("out of memory");
        return code;
    }
    const opn_status status = opn_params_create(app.ctx, &app.params);
    code = status != OPN_OK ? complain_status(&app, status)
                            : run_verb(&app, verb, argc - 1 - n_used, argv + 1 + n_used);
    terminal_clear();
    opn_params_free(app.params);
    opn_ctx_free(app.ctx);
    return close_output(code);
}
