// verb_table.c -- the verbs, their arguments and options, and the headings and letters of
// the options. New verbs and new parameters must be listed here.

#include "command.h"

#include <string.h>

// Options of every verb that trains.
#define MODEL                                                                  \
    "model task preset ood_classes hidden heads out_heads evidence normalise " \
    "members "
#define TRAINING                                                                \
    "epochs teacher_epochs patience stop_on learning_rate dropout drop_edge "   \
    "weight_decay teacher_ramp lambda1 sigma kernel_constant unlabelled "       \
    "unlabelled_weight unlabelled_ramp vat_radius vat_step mean_teacher_decay " \
    "mean_teacher_noise pseudo_label_threshold batch "
// Options of every verb that predicts.
#define SAMPLING "samples sample_dropout sample_drop_edge average isolated "

#define DECISIONS                                                                 \
    "abstain_above target_accuracy confidence pick decide_by coverage set_score " \
    "coverage_by ood_fdr "
#define GENERATOR \
    "nodes classes mean_degree homophily features words topic_overlap label_noise "
#define EVERY_VERB "threads quiet verbose help "

// In help order: first what to do, then where the result goes, then what is rarely
// changed.
const option_list option_headings[] = {
        {"Model", MODEL},
        {"Decisions", "calibrate " DECISIONS},
        {"Evaluation", "seeds trials shard protocol shift table figure dataset"},
        {"Suggestions", "count"},
        {"Report", "perplexity listen"},
        {"Generator", GENERATOR},
        {"Output", "output json format"},
        {"Data", "labels graph label steps raw blocks data_dir mirror"},
        {"Training", TRAINING "resume checkpoint_every"},
        {"Sampling", SAMPLING "propagate teleport"},
        {"General", "seed " EVERY_VERB},
};
const int n_option_headings = sizeof(option_headings) / sizeof(option_headings[0]);

static const struct {
    const char *name;
    char letter;
} letters[] = {
        {"output", 'o'}, {"count", 'n'}, {"quiet", 'q'}, {"verbose", 'v'}, {"help", 'h'}};

// ---- verbs ----------------------------------------------------------------------------

const opine_verb verbs[] = {
        {"demo", "", 0, 0, "Train on the built-in graph and show the results.", NULL,
         "opine demo", run_demo, VERB_FIRST_STEPS, "output json"},
        {"train", "DATA", 1, 1, "Train a model and write it to a file.",
         "All labels are used; unless the data come with a split, one fifth is used "
         "for validation. Ctrl-C leaves a checkpoint next to the model file, and a long "
         "training writes one from time to time; --resume continues from it.",
         "opine train demo -o demo.safetensors", run_train, VERB_FIRST_STEPS,
         MODEL TRAINING SAMPLING
         "calibrate propagate teleport resume checkpoint_every label data_dir output json seed"},
        {"predict", "MODEL DATA", 2, 2,
         "Predict the class of every node, and how certain it is.",
         "The graph need not be the one the model was trained on, but it must have the "
         "same features.",
         "opine predict demo.safetensors demo -o demo.csv", run_predict, VERB_FIRST_STEPS,
         SAMPLING DECISIONS "propagate teleport label data_dir output json"},
        {"decide", "SCORES", 1, 1,
         "Decide about nodes by the predictions of another tool.",
         "Gives opinions, calibrated probabilities, sets and decisions as predict does, for "
         "p, logits or alpha of a model of your own. Labelled nodes with the role "
         "calibration, and validation if these are few, fit and give the guarantees; "
         "without roles a half of each class, drawn by --seed, does, and the others test.",
         "opine decide demo.csv --coverage 0.9 -o decided.csv", run_decide,
         VERB_FIRST_STEPS,
         "labels graph calibrate " DECISIONS "label data_dir output json seed"},
        {"explain", "MODEL DATA NODE", 3, 3, "Explain a prediction.",
         "NODE is a name, or a number if nodes have no names. Shows the opinion, the "
         "labelled nodes behind its prior, the classes that conflict and the "
         "neighbours that disagree.",
         "opine explain demo.safetensors demo 17", run_explain, VERB_FIRST_STEPS,
         SAMPLING "label data_dir json"},
        {"suggest", "MODEL DATA", 2, 2, "List nodes that are worth labelling next.",
         "Chooses among the nodes without a label or, if all have one, those whose label "
         "MODEL has not used: where evidence is scarce or conflicting, at the node and "
         "up to two hops around it, and where the nodes chosen before do not help. "
         "Experimental.",
         "opine suggest demo.safetensors demo -n 20 -o next.csv", run_suggest,
         VERB_FIRST_STEPS, "count " SAMPLING "label data_dir output json"},
        {"suspects", "MODEL DATA", 2, 2, "List labels that look wrong.",
         "Judges every label by a model that did not see it, trained like MODEL on the "
         "other labels, and lists those that it contradicts, the most suspect first. "
         "DATA is the graph that MODEL was trained on. Experimental.",
         "opine suspects demo.safetensors demo -o suspects.csv", run_suspects,
         VERB_FIRST_STEPS, "label data_dir output json"},
        {"evaluate", "DATA", 1, 1,
         "Measure how well models' uncertainties detect misclassified and unknown "
         "nodes.",
         "Trains every model on every seed and scores the nodes used neither for "
         "training nor for validation: AUROC, AUPR and more for each uncertainty, with "
         "95 % confidence intervals over the seeds. With -o RUN each result is kept as "
         "soon as it is available, and the same command resumes from RUN. With --shard "
         "I/N several processes or machines share the work.",
         "opine evaluate demo --task ood --model s-bgcn-t-k,gcn --seeds 5", run_evaluate,
         VERB_RESEARCH,
         MODEL TRAINING SAMPLING
         "calibrate propagate teleport seeds shard protocol shift label data_dir output "
         "json "
         "seed"},
        {"reproduce", "", 0, 0,
         "Measure the tables of the paper, and compare with its values.",
         "For each table, dataset, model and uncertainty: the paper's value, ours, the "
         "difference and its interval. With -o RUN each result is kept as soon as it is "
         "available, results.md, .csv and .json are written at the end, and the same "
         "command resumes from RUN. With --shard I/N several processes or machines "
         "share the work.",
         "opine reproduce --table main --dataset cora --seeds 3 -o run", run_reproduce,
         VERB_RESEARCH,
         "seeds shard table figure dataset perplexity data_dir output json seed"},
        {"tune", "DATA", 1, 1, "Search for better settings, on validation nodes only.",
         "Draws settings for the parameters not given (learning_rate, hidden, dropout, "
         "weight_decay, epochs, lambda1, sigma; on your own graphs also model and "
         "normalise), the default first, and prints the "
         "best as a command to copy, or the default if nothing is clearly better. Test "
         "nodes are never used. With -o RUN each run is kept as soon as it is done, "
         "and the same command resumes from RUN. With --shard I/N several processes or "
         "machines share the work.",
         "opine tune demo --task ood --trials 20 -o run", run_tune, VERB_RESEARCH,
         MODEL TRAINING SAMPLING
         "propagate teleport seeds trials shard label data_dir output json seed"},
        {"report", "RUN [DATA]", 1, 2, "Write an HTML report.",
         "The report has maps of the nodes by class and by each uncertainty, the "
         "opinion on every node, curves and tables, in one HTML file that needs no "
         "network. DATA defaults to the graph that the model or the folder was made "
         "from.",
         "opine report demo.safetensors -o demo.html", run_report, VERB_FIRST_STEPS,
         "model task dataset perplexity label data_dir output json"},
        {"explore", "MODEL [DATA]", 1, 2, "Serve the report, to ask what-if.",
         "The page of `opine report`, served to this machine until Ctrl-C, with what a file "
         "cannot do: label a node or change a label, train again and see opinions move; "
         "train another model; find nodes by feature. Other programs get predictions by the "
         "Open Inference Protocol, at /v2/models/opine/infer. DATA defaults to the graph "
         "that the model was trained on.",
         "opine explore demo.safetensors demo", run_explore, VERB_FIRST_STEPS,
         "perplexity listen label data_dir json"},
        {"data list", "", 0, 0, "List the named datasets.", NULL, "opine data list",
         run_data_list, VERB_DATA, "data_dir json"},
        {"data info", "DATA", 1, 1,
         "Describe a graph: size, classes, degrees, components.",
         "Shows the graph after the preprocessing that training applies; --raw shows "
         "it exactly as in the file.",
         "opine data info demo", run_data_info, VERB_DATA,
         "steps raw label data_dir json"},
        {"data fetch", "NAME...", 1, 9, "Download datasets into the data folder.",
         "The files come from their authors' servers, or from --mirror, and are "
         "checked by size and SHA-256. Ctrl-C keeps what has arrived, and the same "
         "command resumes from there.",
         "opine data fetch cora", run_data_fetch, VERB_DATA, "data_dir mirror json"},
        {"data convert", "DATA", 1, 1, "Write a graph as an .npz file or a CSV folder.",
         "Writes the graph after the preprocessing that training applies; --raw writes "
         "it exactly as in the file. With -o - the .npz file goes to standard output.",
         "opine data convert demo -o demo.npz", run_data_convert, VERB_DATA,
         "steps raw label data_dir output json"},
        {"data shard", "DATA", 1, 1, "Cut a graph into blocks for several processes.",
         "Writes a new folder with blocks of nodes that few edges join, which every verb "
         "reads as the graph it was made from. Cutting needs METIS.",
         "opine data shard demo --blocks 8 -o demo.shards", run_data_shard, VERB_DATA,
         "blocks steps label data_dir output json"},
        {"data generate", "", 0, 0, "Generate a random graph with classes and features.",
         "The graph is drawn from a degree-corrected block model with bag-of-words "
         "features: nodes of the same class are joined more often and share more words.",
         "opine data generate --nodes 5000 --classes 4 --seed 7 -o drawn.npz",
         run_data_generate, VERB_DATA, GENERATOR "output json seed"},
        {"help", "[VERB]", 0, 2, "Show an overview, or the help for a verb.",
         "`opine help data` lists the data verbs.", "opine help data info", run_help,
         VERB_OTHER, "format"},
        {"version", "", 0, 0, "Print the version.",
         "With -v also how the program was built and with which libraries; --json "
         "always includes that.",
         "opine version -v", run_version, VERB_OTHER, "json"},
};
const int n_verbs = sizeof(verbs) / sizeof(verbs[0]);

// One row per name used in the arguments of verbs.
const opine_argument arguments[] = {
        {"DATA", ARGUMENT_DATA,
         "A graph: a name from `opine data list`, an .npz file, a folder with edges.csv "
         "and perhaps features.csv (or .json) and labels.csv (or target.csv), a list of "
         "edges (.txt, .csv) with such files beside it, a .graphml file, a Planetoid prefix, images in IDX files (train-images-idx3-ubyte.gz, or their folder), a folder of shards, or - "
         "for an .npz file on standard input."},
        {"NAME", ARGUMENT_DATASET, "A dataset from `opine data list`, or all."},
        {"MODEL", ARGUMENT_FILE,
         "A model file written by `opine train`, or - for standard input."},
        {"NODE", ARGUMENT_TEXT, "A node by name, or by number if nodes have no names."},
        {"RUN", ARGUMENT_FILE,
         "A model file; predictions written by `opine predict` or `decide`; or a folder written by "
         "`opine evaluate` or `opine reproduce`."},
        {"SCORES", ARGUMENT_FILE,
         "A CSV, .npz or JSON file with p, logits or alpha of every class for each node "
         "(columns p_CLASS, logit_CLASS or alpha_CLASS beside node, and perhaps role and "
         "label; arrays p, logits or alpha), or predictions written by `opine predict`."},
        {"VERB", ARGUMENT_VERB,
         "The verb to show help for, such as `train` or `data info`."},
};
const int n_arguments = sizeof(arguments) / sizeof(arguments[0]);

const opine_family families[] = {
        {"data", "List, download, describe, convert, shard and generate graphs."},
};
const int n_families = sizeof(families) / sizeof(families[0]);

// ---- lookup of verbs ------------------------------------------------------------------

const opine_verb *verb_find(const char *name)
{
    for (int v = 0; v < n_verbs; v++)
        if (strcmp(verbs[v].name, name) == 0)
            return &verbs[v];
    return NULL;
}

const opine_family *family_find(const char *name)
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

// ---- lookup of options ----------------------------------------------------------------

bool has_name(const char *names, const char *name)
{
    const size_t n_name = strlen(name);
    while (*names != 0) {
        const size_t n = strcspn(names, " ");
        if (n == n_name && memcmp(names, name, n) == 0)
            return true;
        names += n + strspn(names + n, " ");
    }
    return false;
}

bool option_is_common(const opn_param *param)
{
    return has_name(EVERY_VERB, param->name);
}

bool verb_uses(const opine_verb *verb, const opn_param *param)
{
    return has_name(verb->options, param->name) || option_is_common(param);
}

char option_letter(const opn_param *param)
{
    for (size_t l = 0; l < sizeof(letters) / sizeof(letters[0]); l++)
        if (strcmp(letters[l].name, param->name) == 0)
            return letters[l].letter;
    return 0;
}

const char *option_heading(const opn_param *param)
{
    for (int h = 0; h < n_option_headings; h++)
        if (has_name(option_headings[h].names, param->name))
            return option_headings[h].title;
    return "";
}

int verb_options(const opine_verb *verb, const opn_param *out[MAX_OPTIONS])
{
    int n = 0;
    for (int h = 0; h < n_option_headings; h++)
        for (size_t i = 0; i < opn_param_count() && n < MAX_OPTIONS; i++)
            if (verb_uses(verb, opn_param_at(i)) &&
                has_name(option_headings[h].names, opn_param_at(i)->name))
                out[n++] = opn_param_at(i);
    return n;
}
