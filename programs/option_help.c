// option_help.c -- option texts for the help, the man page and the completions. They come
// from the parameter table; what differs between verbs is added here.

#include "command.h"

#include <stdio.h>
#include <string.h>

// An option whose meaning differs for some verbs.
typedef struct option_note {
    const char *verbs; // separated by '|'
    const char *name;  // of the parameter
    bool has_default;  // whether the table's default applies
    const char *help;  // one sentence
} option_note;

static const option_note notes[] = {
        {"evaluate", "model", true,
         "Which models to train, separated by commas; each is a combination of "
         "encoder, head and sampler, with a teacher (-t) and a prior (-k)."},
        {"report", "model", false,
         "Which models of a folder to show, separated by commas; defaults to all."},
        {"report", "task", false,
         "Which task of a reproduce folder to show; defaults to both."},
        {"report", "dataset", false,
         "Which dataset of a reproduce folder to show; defaults to the first."},
        {"predict|explain|suggest", "samples", false,
         "Number of passes with dropout that a Bayesian model averages over; defaults "
         "to that of training."},
        {"predict|explain|suggest", "sample_dropout", false,
         "Fraction dropped in these passes; defaults to that of training."},
        {"predict|explain|suggest", "sample_drop_edge", false,
         "Fraction of edges dropped in these passes; defaults to that of training."},
        {"predict|explain|suggest", "average", false,
         "What to average over the passes: alpha as in the paper, or logits as in the "
         "authors' code; defaults to that of training."},
        {"predict|explain|suggest", "isolated", false,
         "Whether nodes without neighbours keep their own value in smoothed measures, "
         "fused and margin, or count as uncertain around them; auto means keep if the "
         "training graph has such nodes; defaults to that of training."},
        {"predict", "propagate", false,
         "Number of steps by which to diffuse each measure over the graph as well; "
         "defaults to that of training."},
        {"predict", "teleport", false,
         "How much of a node's own value every step keeps; defaults to that of "
         "training."},
        {"decide", "calibrate", false,
         "How probabilities are calibrated: not at all, by a temperature, or with the "
         "neighbourhood as a second opinion, which needs --graph and 100 labels; defaults "
         "to pool with --graph, and else to temperature."},
        {"decide", "seed", true, "Seed of the draw where no roles are given."},
        {"demo", "output", true, "Page to write; defaults to opine-demo.html."},
        {"train", "output", true,
         "File to write the model to, such as m.safetensors; required."},
        {"predict|decide", "output", true,
         "File to write to, whose name ends in .csv, .npz or .json; defaults to CSV on "
         "standard output."},
        {"suggest|suspects", "output", true,
         "File to write to, whose name ends in .csv or .json; defaults to CSV on "
         "standard output."},
        {"evaluate|reproduce", "output", true,
         "Folder for results, manifest and models, from which the same command "
         "resumes; by default nothing is kept."},
        {"tune", "output", true,
         "Folder to keep each run in, from which the same command resumes; by default "
         "nothing is kept."},
        {"report", "output", true, "Page to write, such as page.html; required."},
        {"data convert|data generate", "output", true,
         "Where to write the graph: a name that ends in .npz, or a new folder for CSV "
         "files; required."},
        {"data shard", "output", true, "New folder to write the blocks to; required."},
        {"version", "verbose", true, "Also show how the program was built."},
};

// Whether the verb is in a list such as "data info|data convert".
static bool verb_is_named(const opine_verb *verb, const char *names)
{
    const size_t n_name = strlen(verb->name);
    const char *at = names;
    while (*at != 0) {
        const size_t n = strcspn(at, "|");
        if (n == n_name && memcmp(at, verb->name, n) == 0)
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

void option_help(const opine_verb *verb,
                 const opn_param *param,
                 char out[HELP_ROOM],
                 bool *has_default)
{
    const char *help = param->help;
    *has_default = true;
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
        if (verb_is_named(verb, notes[i].verbs) &&
            strcmp(notes[i].name, param->name) == 0) {
            *has_default = notes[i].has_default;
            help = notes[i].help;
        }
    spell_options(help, out, HELP_ROOM);
}

const char *option_value(const opn_param *param)
{
    switch (param->kind) {
    case OPN_PARAM_FLAG:
        return "";
    case OPN_PARAM_INT:
        return "N";
    case OPN_PARAM_REAL:
        return "X";
    case OPN_PARAM_CHOICE:
    case OPN_PARAM_CHOICES:
        return "NAME";
    case OPN_PARAM_PART:
    case OPN_PARAM_TEXT:
        break;
    }
    return param->unit != NULL ? param->unit : "TEXT";
}

// A bound as people write it: 10000000, 0.99, 1e-9.
static void format_bound(double bound, char out[32])
{
    snprintf(out, 32, "%.16g", bound);
    char *exponent = strstr(out, "e-0");
    if (exponent != NULL)
        memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
}

// "a|b|c" as "a, b, c", which can be wrapped.
static void format_choices(const char *choices, char *out, size_t room)
{
    size_t n = 0;
    for (; *choices != 0 && n + 3 < room; choices++) {
        out[n++] = (char)(*choices == '|' ? ',' : *choices);
        if (*choices == '|')
            out[n++] = ' ';
    }
    out[n] = 0;
}

void option_bounds(const opn_param *param, bool has_default, char *out, size_t room)
{
    char range[768] = "";
    char lower[32];
    char upper[32];
    const bool shows_default = has_default && param->kind != OPN_PARAM_FLAG &&
                               param->kind != OPN_PARAM_PART; // which is the whole
    const char *value = shows_default ? param->default_text : "";
    if (param->choices != NULL)
        format_choices(param->choices, range, sizeof(range));
    if (param->kind == OPN_PARAM_INT || param->kind == OPN_PARAM_REAL) {
        format_bound(param->min, lower);
        format_bound(param->max, upper);
        snprintf(range, sizeof(range), "%s to %s", lower, upper);
    }
    const bool has_both = range[0] != 0 && value[0] != 0;
    out[0] = 0;
    if (range[0] != 0 || value[0] != 0)
        snprintf(out, room, "[%s%s%s%s]", range, has_both ? "; " : "",
                 value[0] != 0 ? "default " : "", value);
}
