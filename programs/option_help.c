// option_help.c -- what there is to say about an option, for the help, the man page and
// the completions alike. It comes from the parameter table; what differs from verb to
// verb is added here.

#include "command.h"

#include <stdio.h>
#include <string.h>

// Where an option means something else for a verb than for others.
typedef struct option_note {
    const char *verbs; // with '|' between
    const char *name;  // of the parameter
    bool has_default;  // the one of the table holds
    const char *help;  // one sentence
} option_note;

static const option_note notes[] = {
        {"evaluate", "model", true,
         "Which models to train, with commas between; each is a combination of encoder, "
         "head and sampler, with teacher (-t) and prior (-k)."},
        {"report", "model", false,
         "Which models of a folder to show, with commas between; all unless told."},
        {"report", "task", false,
         "Which task of a folder of reproduce to show; both unless told."},
        {"report", "dataset", false,
         "Which dataset of a folder of reproduce to show; the first unless told."},
        {"predict|explain", "samples", false,
         "Passes with dropout over which a Bayesian model is averaged; as many as in "
         "training unless told."},
        {"predict|explain", "sample_dropout", false,
         "Share dropped in these passes; as in training unless told."},
        {"predict|explain", "sample_drop_edge", false,
         "Share of edges dropped in these passes; as in training unless told."},
        {"predict|explain", "average", false,
         "What is averaged over the passes: alpha as in the paper, or logits as in its "
         "authors' code; as in training unless told."},
        {"predict", "propagate", false,
         "Steps by which each measure is also smoothed over the graph; as in training "
         "unless told."},
        {"demo", "output", true, "Page to write; opine-demo.html unless told."},
        {"train", "output", true,
         "File to write the model to, m.safetensors for example; required."},
        {"predict", "output", true,
         "File to write to, as its name ends: .csv, .npz or .json; CSV on standard "
         "output unless told."},
        {"evaluate", "output", true,
         "Folder to keep results, manifest and models in, from which a second run goes "
         "on; none unless told."},
        {"reproduce", "output", true,
         "Folder to keep results, manifest and models in, from which a second run goes "
         "on; none unless told."},
        {"tune", "output", true,
         "Folder to keep each run in, from which the same command goes on; none unless "
         "told."},
        {"report", "output", true, "Page to write, page.html for example; required."},
        {"data convert", "output", true,
         "What to write the graph to, a name that ends in .npz or a new folder of CSV "
         "files; required."},
        {"data generate", "output", true,
         "What to write the graph to, a name that ends in .npz or a new folder of CSV "
         "files; required."},
        {"version", "verbose", true, "Say also how the program was built."},
};

// Whether the verb is one of those named, "data info|data convert".
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

// "a|b|c" as "a, b, c", which can be broken into lines.
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
    const char *value =
            has_default && param->kind != OPN_PARAM_FLAG ? param->default_text : "";
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
