// main.c -- finds the verb, reads its options, runs it.

#include "command.h"
#include "json_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

const opine_verb verbs[] = {
        {"demo", "", 0, 0,
         "Train on the graph built into the program, and show what it says.", NULL,
         "opine demo", run_demo},
        {"train", "DATA", 1, 1, "Train a model and write it to a file.",
         "All labels are used: a fifth of them validates, unless the data come with a "
         "split. Ctrl-C keeps a checkpoint beside the model's file; --resume goes on "
         "from "
         "it.",
         "opine train demo -o demo.safetensors", run_train},
        {"predict", "MODEL DATA", 2, 2,
         "Predict every node's class, and how sure that is.",
         "Writes CSV to standard output, or to the file -o names: .csv, .npz or .json. "
         "The "
         "graph need not be the one the model was trained on, but must have its "
         "features.",
         "opine predict demo.safetensors demo -o demo.csv", run_predict},
        {"evaluate", "DATA", 1, 1,
         "Measure how well models' uncertainties find wrong and unknown nodes.",
         "Trains every model on every seed and scores the nodes that neither train nor "
         "validate: AUROC, AUPR and more for each uncertainty, with 95 % intervals over "
         "the seeds. With -o RUN each result is kept as soon as it is there, and the "
         "same command goes on from what RUN has.",
         "opine evaluate demo --task ood --model s-bgcn-t-k,gcn --seeds 5", run_evaluate},
        {"reproduce", "", 0, 0, "Measure the tables of the paper, beside its figures.",
         "Paper's figure, ours, the difference and its interval, for each table, "
         "dataset, model and uncertainty. With -o RUN each result is kept as soon as it "
         "is there, with results.md, .csv and .json at the end, and the same command "
         "goes on from what RUN has.",
         "opine reproduce --table main --dataset cora --seeds 3 -o run", run_reproduce},
        {"report", "RUN [DATA]", 1, 2, "Show what a run has found on a page to look at.",
         "RUN is a model, which needs DATA; predictions that opine predict has written; "
         "or "
         "the folder of evaluate or reproduce. The page has maps of the nodes by class "
         "and "
         "by each uncertainty, every node's opinion, curves and tables, in one HTML file "
         "that asks the network for nothing.",
         "opine report demo.safetensors demo -o demo.html", run_report},
        {"data list", "", 0, 0, "List the datasets known by name.", NULL,
         "opine data list", run_data_list},
        {"data info", "DATA", 1, 1,
         "Describe a graph: size, classes, degrees, components.",
         "DATA is a name from `opine data list`, an .npz file, a folder with edges.csv, "
         "features.csv and labels.csv, or a Planetoid prefix. What is shown is the graph "
         "after the preprocessing that training applies.",
         "opine data info demo", run_data_info},
        {"data fetch", "NAME...", 1, 7, "Download datasets into the data folder.",
         "NAME is one from `opine data list`, or all. The files come from where their "
         "authors keep them, or from --mirror, and are checked by size and SHA-256. "
         "Ctrl-C "
         "keeps what has come, and the same command goes on from there.",
         "opine data fetch cora", run_data_fetch},
        {"data convert", "DATA", 1, 1, "Write a graph as an .npz file or a CSV folder.",
         NULL, "opine data convert demo -o demo.npz", run_data_convert},
        {"data generate", "", 0, 0, "Draw a random graph with classes and features.",
         "The model is a degree-corrected block model with bag-of-words features: nodes "
         "of "
         "one class are joined more often and share more words.",
         "opine data generate --nodes 5000 --classes 4 --seed 7 -o drawn.npz",
         run_data_generate},
        {"help", "[VERB]", 0, 2, "Show this overview, or the help of a verb.", NULL,
         "opine help data info", run_help},
        {"version", "", 0, 0, "Print the version.", NULL, "opine version", run_version},
};
const int n_verbs = sizeof(verbs) / sizeof(verbs[0]);

const opine_verb *verb_find(const char *name)
{
    for (int v = 0; v < n_verbs; v++)
        if (strcmp(verbs[v].name, name) == 0)
            return &verbs[v];
    return NULL;
}

int run_version(opine_app *app)
{
    if (!opn_params_flag(app->params, "json")) {
        printf("opine %s\n", opn_version());
        return EXIT_DONE;
    }
    json_t *document = json_object();
    put_json(document, "version", json_string(opn_version()));
    return print_json(document);
}

static int reject_verb(const char *name)
{
    if (name[0] == '-') {
        complain("%s comes before the verb; options follow it, as in opine data info -q",
                 name);
        return EXIT_USAGE;
    }
    const char *names[32];
    for (int v = 0; v < n_verbs; v++)
        names[v] = verbs[v].name;
    const char *guess = nearest(name, names, n_verbs);
    if (guess != NULL)
        complain("there is no verb %s; did you mean %s?", name, guess);
    else
        complain("there is no verb %s; opine help lists them", name);
    return EXIT_USAGE;
}

// The verb at the beginning of the words, of one word or two; *n_used receives which.
static const opine_verb *match_verb(int n, char **words, char name[64], int *n_used)
{
    const opine_verb *found = NULL;
    snprintf(name, 64, "%s", words[0]);
    *n_used = 1;
    found = verb_find(name);
    if (found == NULL && n > 1 && words[0][0] != '-' && words[1][0] != '-') {
        snprintf(name, 64, "%s %s", words[0], words[1]);
        *n_used = 2;
        found = verb_find(name);
    }
    return found;
}

int run_help(opine_app *app)
{
    char name[64];
    if (app->n_arguments == 0) {
        help_overview();
        return EXIT_DONE;
    }
    snprintf(name, sizeof(name), "%s%s%s", app->argument[0],
             app->n_arguments > 1 ? " " : "",
             app->n_arguments > 1 ? app->argument[1] : "");
    const opine_verb *found = verb_find(name);
    if (found == NULL)
        return reject_verb(name);
    help_verb(found);
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
    opn_ctx_set_hooks(app->ctx, &hooks);
    const opn_status status =
            opn_ctx_set_threads(app->ctx, (int)opn_params_int(app->params, "threads"));
    if (status != OPN_OK)
        return complain_status(app, status);
    return verb->run(app);
}

// A result that did not reach its reader is a failure, whatever the verb said.
static int close_output(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        complain("standard output cannot be written");
        return EXIT_FAILED;
    }
    return code;
}

// A file must not be opened in the place of a closed standard stream, where messages
// would be written into it. What stands there cannot be written to either.
static void hold_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    opine_app app = {0};
    char name[64];
    int n_used = 0;
    hold_streams();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview();
        return close_output(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0)
        argv[1] += 2;
    const opine_verb *verb = match_verb(argc - 1, argv + 1, name, &n_used);
    if (verb == NULL)
        return reject_verb(name);
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
