// option_table.c -- which parameters are options of which verb, their headings in the
// help, and their letters. New parameters must be listed here.

#include "command.h"

#include <string.h>

// Options of every verb that trains.
#define MODEL "model task preset ood_classes hidden heads out_heads evidence normalise "
#define TRAINING                                                              \
    "epochs teacher_epochs patience stop_on learning_rate dropout drop_edge " \
    "weight_decay teacher_ramp lambda1 sigma kernel_constant "
// Options of every verb that predicts.
#define SAMPLING "samples sample_dropout sample_drop_edge average "

#define DECISIONS "abstain_above target_accuracy decide_by "
#define GENERATOR \
    "nodes classes mean_degree homophily features words topic_overlap label_noise "
#define EVERY_VERB "threads quiet verbose help "

// In help order: first what to do, then where the result goes, then what is rarely
// changed.
const option_list option_headings[] = {
        {"Model", MODEL},
        {"Decisions", DECISIONS},
        {"Evaluation", "seeds trials protocol table figure dataset"},
        {"Report", "perplexity"},
        {"Generator", GENERATOR},
        {"Output", "output json format"},
        {"Data", "steps raw data_dir mirror"},
        {"Training", TRAINING "resume checkpoint_every"},
        {"Sampling", SAMPLING "propagate"},
        {"General", "seed " EVERY_VERB},
};
const int n_option_headings = sizeof(option_headings) / sizeof(option_headings[0]);

const option_list verb_option_lists[] = {
        {"demo", "output json"},
        {"train", MODEL TRAINING SAMPLING
         "propagate resume checkpoint_every data_dir output json seed"},
        {"predict", SAMPLING DECISIONS "propagate data_dir output json"},
        {"explain", SAMPLING "data_dir json"},
        {"evaluate",
         MODEL TRAINING SAMPLING "propagate seeds protocol data_dir output json seed"},
        {"reproduce", "seeds table figure dataset perplexity data_dir output json seed"},
        {"tune",
         MODEL TRAINING SAMPLING "propagate seeds trials data_dir output json seed"},
        {"report", "model task dataset perplexity data_dir output json"},
        {"data list", "data_dir json"},
        {"data info", "steps raw data_dir json"},
        {"data fetch", "data_dir mirror json"},
        {"data convert", "steps raw data_dir output json"},
        {"data generate", GENERATOR "output json seed"},
        {"help", "format"},
        {"version", "json"},
};
const int n_verb_option_lists = sizeof(verb_option_lists) / sizeof(verb_option_lists[0]);

static const struct {
    const char *name;
    char letter;
} letters[] = {{"output", 'o'}, {"quiet", 'q'}, {"verbose", 'v'}, {"help", 'h'}};

static bool has_name(const char *names, const char *name)
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
    for (int v = 0; v < n_verb_option_lists; v++)
        if (strcmp(verb_option_lists[v].title, verb->name) == 0 &&
            has_name(verb_option_lists[v].names, param->name))
            return true;
    return option_is_common(param);
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
