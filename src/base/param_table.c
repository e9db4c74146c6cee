// param_table.c -- the one table of parameters, and values for it.

#include "base/context.h"
#include "base/number.h"
#include "base/suggest.h"
#include "opine/params.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const opn_param table[] = {
        {.name = "model",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "s-bgcn-t-k",
         .choices = "gcn|drop-gcn|dropedge-gcn|edl-gcn|dpn-gcn|s-gcn|s-bgcn|s-bgcn-t|"
                    "s-bgcn-t-k|gat|drop-gat|s-gat|s-bgat|s-bgat-t|s-bgat-t-k|"
                    "sage|drop-sage|s-sage|s-bsage|s-bsage-t|s-bsage-t-k",
         .affects = OPN_AFFECTS_MODEL,
         .help = "Which model to train, a combination of encoder, head and sampler, with "
                 "teacher (-t) and prior (-k)."},
        {.name = "task",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "misclassification",
         .choices = "misclassification|ood",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "What the uncertainties are to find: misclassified nodes (lambda1 "
                 "0.001), or nodes of classes that are held out (lambda1 0.1)."},
        {.name = "preset",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "paper",
         .choices = "paper|strong",
         .affects = OPN_AFFECTS_DEFAULTS,
         .help = "What options that are not given are set to: the paper's values for "
                 "model and dataset, which every run prints, or those that find more "
                 "out-of-distribution nodes (lambda1 0.3, 500 epochs, 5 steps of "
                 "propagation)."},
        {.name = "ood_classes",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "A,B,...",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Names of the classes to hold out, with commas between; named datasets "
                 "have their own for `task` ood."},
        {.name = "hidden",
         .kind = OPN_PARAM_INT,
         .default_text = "16",
         .min = 1,
         .max = 4096,
         .unit = "units",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Units of the hidden layer, of all heads together."},
        {.name = "heads",
         .kind = OPN_PARAM_INT,
         .default_text = "8",
         .min = 1,
         .max = 8,
         .unit = "heads",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Attention heads of the hidden layer (gat), side by side."},
        {.name = "out_heads",
         .kind = OPN_PARAM_INT,
         .default_text = "1",
         .min = 1,
         .max = 8,
         .unit = "heads",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Attention heads of the last layer (gat), averaged."},
        {.name = "evidence",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "exp",
         .choices = "exp|relu|softplus|elu",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "How logits become evidence; edl-gcn has elu unless told."},
        {.name = "normalise",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "auto",
         .choices = "auto|row|standard|none",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "How features are scaled; auto is row where none is negative, else "
                 "standard."},
        {.name = "epochs",
         .kind = OPN_PARAM_INT,
         .default_text = "200",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Epochs of training; fewer where `patience` ends it."},
        {.name = "teacher_epochs",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Epochs of training of the teacher; 0 for as many as of the model."},
        {.name = "patience",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Epochs without a better validation score after which training stops "
                 "and takes the best weights; 0 for never."},
        {.name = "stop_on",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "loss",
         .choices = "loss|accuracy|both",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "What of the validation nodes must get better within the patience; with "
                 "both, one of the two, and the weights taken are the best in both."},
        {.name = "learning_rate",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.01",
         .min = 1e-9,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Step size of Adam."},
        {.name = "dropout",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.5",
         .min = 0,
         .max = 0.99,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Share of feature entries and hidden units dropped in a pass."},
        {.name = "drop_edge",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.2",
         .min = 0,
         .max = 0.99,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Share of edges (dropedge-gcn) or of attention coefficients (gat) "
                 "dropped in a pass."},
        {.name = "weight_decay",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.0005",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Weight of half the squared norm of the first layer (gcn) or of all "
                 "weights (gat, sage)."},
        {.name = "teacher_ramp",
         .kind = OPN_PARAM_INT,
         .default_text = "200",
         .min = 1,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Epochs over which the weight of the teacher rises to 1."},
        {.name = "lambda1",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.001",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Weight of the divergence from the prior."},
        {.name = "sigma",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0.01,
         .max = 1000,
         .unit = "hops",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Reach of a labelled node in the prior, in hops."},
        {.name = "kernel_constant",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Scale the prior by 1/(sigma sqrt(2 pi)), as the paper writes it."},
        {.name = "resume",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_PROCESS,
         .help = "Go on from the checkpoint that an interrupted run has left."},
        {.name = "checkpoint_every",
         .kind = OPN_PARAM_REAL,
         .default_text = "30",
         .min = 0,
         .max = 86400,
         .unit = "seconds",
         .affects = OPN_AFFECTS_PROCESS,
         .help = "Seconds between two checkpoints, from which a run that was killed can "
                 "go on; 0 for one at an interruption only."},
        {.name = "samples",
         .kind = OPN_PARAM_INT,
         .default_text = "100",
         .min = 1,
         .max = 1e6,
         .unit = "passes",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Passes with dropout over which a Bayesian model is averaged."},
        {.name = "sample_dropout",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Share dropped in these passes; 1 for the same as `dropout`."},
        {.name = "sample_drop_edge",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Share of edges dropped in these passes; 1 for the same as "
                 "`drop_edge`."},
        {.name = "average",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "alpha",
         .choices = "alpha|logits",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "What is averaged over the passes: alpha as in the paper, or logits as "
                 "in its authors' code."},
        {.name = "propagate",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 1000,
         .unit = "steps",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Steps by which each measure is also smoothed over the graph; the "
                 "smoothed one is called vacuity~ and so on."},
        {.name = "abstain_above",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "M=X,...",
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Accept no node of which a measure is above its threshold, as in "
                 "vacuity=0.5,dissonance=0.4; two more columns say what it may be "
                 "instead, and by which measure."},
        {.name = "target_accuracy",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Accept as many nodes as can be for this share of the accepted ones to "
                 "be right, by a threshold picked on the validation nodes."},
        {.name = "decide_by",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "recommended",
         .choices = "recommended|vacuity|dissonance|aleatoric|epistemic|entropy",
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "The measure that `target_accuracy` picks a threshold for; recommended: "
                 "dissonance, or entropy for a model without it."},
        {.name = "seeds",
         .kind = OPN_PARAM_INT,
         .default_text = "10",
         .min = 1,
         .max = 1000,
         .unit = "seeds",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Seeds to average over, each with a split of its own where splits are "
                 "drawn."},
        {.name = "trials",
         .kind = OPN_PARAM_INT,
         .default_text = "30",
         .min = 1,
         .max = 10000,
         .unit = "trials",
         .affects = OPN_AFFECTS_RUNS,
         .help = "How many settings to try; the first is the default."},
        {.name = "protocol",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "paper",
         .choices = "paper|full|reference",
         .affects = OPN_AFFECTS_SCORES,
         .help = "Which nodes are scored: 50 draws of 1000 as in the paper, all of them, "
                 "or those of the authors' code."},
        {.name = "table",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "",
         .choices = "main|main-appendix|ablation-main|ablation-appendix|dropedge|gat|"
                    "beyond|encoders",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Which tables of the paper to measure, or beyond and encoders for what "
                 "it does not have; all unless told."},
        {.name = "figure",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "",
         .choices = "maps|pr|roc|simplex",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Which figures of the paper to draw, as SVG files in `output`; "
                 "tables are then measured only with `table`."},
        {.name = "dataset",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "",
         .choices = "cora|citeseer|pubmed|photo|computers|physics",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Which datasets to measure; all six unless told."},
        {.name = "perplexity",
         .kind = OPN_PARAM_REAL,
         .default_text = "30",
         .min = 2,
         .max = 100,
         .unit = "nodes",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Nodes that a node of a map lies close to, about (t-SNE)."},
        {.name = "nodes",
         .kind = OPN_PARAM_INT,
         .default_text = "2500",
         .min = 1,
         .max = 100e6,
         .unit = "nodes",
         .affects = OPN_AFFECTS_DATA,
         .help = "Nodes to draw."},
        {.name = "classes",
         .kind = OPN_PARAM_INT,
         .default_text = "6",
         .min = 1,
         .max = 10000,
         .unit = "classes",
         .affects = OPN_AFFECTS_DATA,
         .help = "Classes (blocks) that the nodes fall into."},
        {.name = "mean_degree",
         .kind = OPN_PARAM_REAL,
         .default_text = "4",
         .min = 0,
         .max = 10000,
         .unit = "neighbours",
         .affects = OPN_AFFECTS_DATA,
         .help = "Mean number of neighbours; single degrees follow a power law."},
        {.name = "homophily",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.8",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DATA,
         .help = "Share of edges that join two nodes of one class, about."},
        {.name = "features",
         .kind = OPN_PARAM_INT,
         .default_text = "1000",
         .min = 1,
         .max = 10e6,
         .unit = "words",
         .affects = OPN_AFFECTS_DATA,
         .help = "Words of the vocabulary, one binary feature each."},
        {.name = "words",
         .kind = OPN_PARAM_REAL,
         .default_text = "18",
         .min = 0,
         .max = 10000,
         .unit = "words",
         .affects = OPN_AFFECTS_DATA,
         .help = "Mean number of words drawn for a node."},
        {.name = "topic_overlap",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.5",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DATA,
         .help = "Share of words drawn from the language all classes have in common."},
        {.name = "label_noise",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DATA,
         .help = "Share of nodes whose label is replaced by another class."},
        {.name = "steps",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "A,B,...",
         .affects = OPN_AFFECTS_DATA,
         .help = "Preprocessing to apply instead of what training applies: undirected, "
                 "largest-component, binary-features, row-normalise, standardise or "
                 "none."},
        {.name = "raw",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_DATA,
         .help = "Take the data as they are in the file, as `steps` none does."},
        {.name = "data_dir",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "DIR",
         .affects = OPN_AFFECTS_SOURCE,
         .help = "Folder to look for named datasets in, before $OPINE_DATA and the "
                 "user's data folder."},
        {.name = "mirror",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "URL|DIR",
         .affects = OPN_AFFECTS_DATA,
         .help = "Take the files from this address or folder, where they lie below "
                 "planetoid/ and gnn-benchmark/; otherwise $OPINE_DATA_MIRROR, then "
                 "where their authors keep them."},
        {.name = "output",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "OUT",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "File or folder to write the result to."},
        {.name = "json",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Print one JSON document instead of text."},
        {.name = "format",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "text",
         .choices = "text|man|bash|zsh",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "How to print: text to read here, or all verbs as a man page or as "
                 "completions for bash or zsh."},
        {.name = "seed",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 0x1p53 - 1, // beyond, a double skips numbers
         .affects = OPN_AFFECTS_WEIGHTS | OPN_AFFECTS_DATA,
         .help = "Seed of everything random; the same seed gives the same bits."},
        {.name = "threads",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 1024,
         .unit = "threads",
         .affects = OPN_AFFECTS_PROCESS,
         .help = "Threads to use, 0 for one per core; results do not depend on it."},
        {.name = "quiet",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Print no log and no progress, errors only."},
        {.name = "verbose",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Say more about what is being done."},
        {.name = "help",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Show this help."},
};

enum { N_PARAMS = sizeof(table) / sizeof(table[0]) };

typedef struct param_value {
    double number; // FLAG, INT, REAL
    char *text;    // as given; NULL while at the default
} param_value;

struct opn_params {
    opn_alloc alloc;
    param_value value[N_PARAMS];
};

size_t opn_param_count(void)
{
    return N_PARAMS;
}

const opn_param *opn_param_at(size_t i)
{
    return i < N_PARAMS ? &table[i] : NULL;
}

static bool same_name(const char *name, const char *other)
{
    for (; *name != 0 && *other != 0; name++, other++)
        if ((*name == '-' ? '_' : *name) != (*other == '-' ? '_' : *other))
            return false;
    return *name == *other;
}

const opn_param *opn_param_find(const char *name)
{
    for (size_t i = 0; i < N_PARAMS; i++)
        if (same_name(table[i].name, name))
            return &table[i];
    return NULL;
}

static size_t index_of(const char *name)
{
    const opn_param *param = opn_param_find(name);
    assert(param != NULL); // a misspelt name in the source, not in the user's input
    return param == NULL ? 0 : (size_t)(param - table);
}

static bool parse_flag(const char *text, double *out)
{
    *out = strcmp(text, "on") == 0;
    return *out != 0 || strcmp(text, "off") == 0;
}

static bool is_choice(const char *choices, const char *text, size_t n_text)
{
    while (*choices != 0) {
        const size_t n = strcspn(choices, "|");
        if (n == n_text && memcmp(choices, text, n) == 0)
            return true;
        choices += n + (choices[n] == '|');
    }
    return false;
}

// A text of n characters must be a choice. Who mistyped one reads its name; who has none
// in mind reads them all.
static opn_status
check_choice(opn_ctx *ctx, const opn_param *param, const char *text, size_t n)
{
    opn_status status = OPN_OK;
    char guess[OPN_SUGGESTION_ROOM];
    if (is_choice(param->choices, text, n))
        return OPN_OK;
    OPN_FAIL_IF(ctx, opn_i_suggest_choice(param->choices, text, n, guess),
                OPN_ERR_INVALID_ARG, "`%s`: there is no \"%.*s\"; did you mean %s?",
                param->name, (int)n, text, guess);
    OPN_FAIL_IF(ctx, true, OPN_ERR_INVALID_ARG, "`%s`: \"%.*s\" is none of %s",
                param->name, (int)n, text, param->choices);
cleanup:
    return status;
}

// Each of the texts between commas must be a choice; no text at all is an empty list.
static opn_status check_list(opn_ctx *ctx, const opn_param *param, const char *text)
{
    opn_status status = OPN_OK;
    const char *at = text;
    while (*text != 0) {
        const size_t n = strcspn(at, ",");
        OPN_TRY(check_choice(ctx, param, at, n));
        if (at[n] == 0)
            break;
        at += n + 1;
    }
cleanup:
    return status;
}

static opn_status
check_value(opn_ctx *ctx, const opn_param *param, const char *text, double *number)
{
    opn_status status = OPN_OK;
    switch (param->kind) {
    case OPN_PARAM_FLAG:
        OPN_FAIL_IF(ctx, !parse_flag(text, number), OPN_ERR_INVALID_ARG,
                    "`%s`: \"%s\" is neither on nor off", param->name, text);
        break;
    case OPN_PARAM_INT:
    case OPN_PARAM_REAL:
        OPN_FAIL_IF(ctx, !opn_i_parse_real(text, strlen(text), number),
                    OPN_ERR_INVALID_ARG, "`%s`: \"%s\" is not a number", param->name,
                    text);
        OPN_FAIL_IF(ctx, param->kind == OPN_PARAM_INT && *number != floor(*number),
                    OPN_ERR_INVALID_ARG, "`%s`: %s is not a whole number", param->name,
                    text);
        OPN_FAIL_IF(ctx, *number < param->min || *number > param->max,
                    OPN_ERR_INVALID_ARG, "`%s`: %s is outside [%.16g, %.16g]",
                    param->name, text, param->min, param->max);
        break;
    case OPN_PARAM_CHOICE:
        OPN_TRY(check_choice(ctx, param, text, strlen(text)));
        break;
    case OPN_PARAM_CHOICES:
        OPN_TRY(check_list(ctx, param, text));
        break;
    case OPN_PARAM_TEXT:
        break;
    }
cleanup:
    return status;
}

opn_status opn_params_create(opn_ctx *ctx, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY_NEW(ctx, params, 1);
    params->alloc = ctx->alloc;
    for (size_t i = 0; i < N_PARAMS; i++)
        OPN_TRY(check_value(ctx, &table[i], table[i].default_text,
                            &params->value[i].number));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

void opn_params_free(opn_params *params)
{
    if (params == NULL)
        return;
    const opn_alloc alloc = params->alloc;
    for (size_t i = 0; i < N_PARAMS; i++)
        opn_i_release(&alloc, params->value[i].text);
    opn_i_release(&alloc, params);
}

opn_status
opn_params_set(opn_ctx *ctx, opn_params *params, const char *name, const char *text)
{
    opn_status status = OPN_OK;
    const opn_param *param = opn_param_find(name);
    char *copy = NULL;
    double number = 0.0;
    OPN_FAIL_IF(ctx, param == NULL, OPN_ERR_INVALID_ARG, "no parameter is called %s",
                name);
    OPN_TRY(check_value(ctx, param, text, &number));
    const size_t n_text = strlen(text);
    OPN_TRY_NEW(ctx, copy, n_text + 1);
    memcpy(copy, text, n_text);
    param_value *value = &params->value[param - table];
    opn_i_release(&params->alloc, value->text);
    *value = (param_value){number, copy};
cleanup:
    return status;
}

opn_status opn_params_copy(opn_ctx *ctx, const opn_params *params, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *copy = NULL;
    OPN_TRY(opn_params_create(ctx, &copy));
    for (size_t i = 0; i < N_PARAMS; i++)
        if (params->value[i].text != NULL)
            OPN_TRY(opn_params_set(ctx, copy, table[i].name, params->value[i].text));
    *out = copy;
    copy = NULL;
cleanup:
    opn_params_free(copy);
    return status;
}

int opn_params_given(const opn_params *params, const char *name)
{
    return params->value[index_of(name)].text != NULL;
}

double opn_params_real(const opn_params *params, const char *name)
{
    return params->value[index_of(name)].number;
}

int64_t opn_params_int(const opn_params *params, const char *name)
{
    return (int64_t)opn_params_real(params, name);
}

int opn_params_flag(const opn_params *params, const char *name)
{
    return opn_params_real(params, name) != 0.0;
}

const char *opn_params_text(const opn_params *params, const char *name)
{
    const size_t i = index_of(name);
    return params->value[i].text != NULL ? params->value[i].text : table[i].default_text;
}
