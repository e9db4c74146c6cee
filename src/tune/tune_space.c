// tune_space.c -- the search space, and how trials are drawn from it.

#include "tune/tune_space.h"

#include "base/random.h"
#include "train/choose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum scale {
    SCALE_LOG,   // log-uniform, two significant digits
    SCALE_UNITS, // log-uniform, integer multiples of a number that suits every encoder
    SCALE_STEPS, // uniform, in steps of 0.05
    SCALE_CHOICE // one of the words
} scale;

typedef struct dimension {
    const char *name;
    double low, high;
    const char *const *words; // of a choice
    int n_words;
    scale scale;
} dimension;

static const char *const scalings[] = {"l2", "row", "standard"};

// The search space; docs/tuning.md shows the same table.
static const dimension space[] = {
        {.name = "learning_rate", .scale = SCALE_LOG, .low = 0.001, .high = 0.1},
        {.name = "hidden", .scale = SCALE_UNITS, .low = 8, .high = 128},
        {.name = "dropout", .scale = SCALE_STEPS, .low = 0, .high = 0.8},
        {.name = "weight_decay", .scale = SCALE_LOG, .low = 0.00001, .high = 0.01},
        {.name = "epochs", .scale = SCALE_LOG, .low = 50, .high = 1000},
        {.name = "lambda1", .scale = SCALE_LOG, .low = 0.0001, .high = 1},
        {.name = "sigma", .scale = SCALE_LOG, .low = 0.5, .high = 4},
        {.name = "normalise", .scale = SCALE_CHOICE, .words = scalings, .n_words = 3},
        {.name = "model",
         .scale = SCALE_CHOICE,
         .words = opn_i_candidate_models,
         .n_words = OPN_N_CANDIDATES},
};
enum { N_DIMENSIONS = sizeof(space) / sizeof(space[0]), UNITS = 8 };

static bool is_searched(const dimension *d, const opn_i_space *from)
{
    const opn_params *usual = from->usual;
    if (opn_params_given(from->given, d->name))
        return false;
    if (strcmp(d->name, "lambda1") == 0 || strcmp(d->name, "sigma") == 0)
        return from->kind->has_prior;
    if (strcmp(d->name, "normalise") == 0 && !from->has_features)
        return false;
    if (d->scale == SCALE_CHOICE) // the paper's are part of its method
        return strcmp(opn_params_text(usual, "preset"), "auto") == 0;
    if (strcmp(d->name, "epochs") == 0) // with patience, the validation nodes decide
        return opn_params_int(usual, "patience") == 0;
    return true;
}

bool opn_i_space_is_empty(const opn_i_space *from)
{
    for (size_t d = 0; d < N_DIMENSIONS; d++)
        if (is_searched(&space[d], from))
            return false;
    return true;
}

// digits 10^exponent in decimal notation, independent of the locale: 0.023, 1.5, 120.
static void write_number(int digits, int exponent, char text[32])
{
    int one = 1;
    for (int e = exponent; e < 0; e++)
        one *= 10;
    for (int e = exponent; e > 0; e--)
        digits *= 10;
    int n = snprintf(text, 16, "%d", digits / one);
    int rest = digits % one;
    for (text[n++] = '.'; rest > 0; rest %= one) {
        one /= 10;
        text[n++] = (char)('0' + rest / one);
    }
    text[text[n - 1] == '.' ? n - 1 : n] = 0;
}

// Hidden units are a multiple of the attention heads.
static int unit_of(const opn_params *usual, const opn_i_model_kind *kind)
{
    const int n_heads =
            kind->encoder->has_heads ? (int)opn_params_int(usual, "heads") : 1;
    return UNITS % n_heads == 0 ? UNITS : n_heads;
}

static void draw_text(opn_i_rng *rng, const dimension *d, int unit, char text[32])
{
    const double share = opn_i_rng_unit(rng);
    if (d->scale == SCALE_CHOICE) {
        snprintf(text, 32, "%s", d->words[(int)(share * d->n_words)]);
        return;
    }
    if (d->scale == SCALE_STEPS) {
        const int n_steps = (int)lround((d->high - d->low) / 0.05) + 1;
        write_number((int)lround(100.0 * d->low) + 5 * (int)(share * n_steps), -2, text);
        return;
    }
    const double value = d->low * pow(d->high / d->low, share);
    if (d->scale == SCALE_UNITS) {
        const int n_units = (int)lround(value / unit);
        write_number(unit * (n_units > 1 ? n_units : 1), 0, text);
        return;
    }
    const int exponent = (int)floor(log10(value)) - 1;
    write_number((int)lround(value * pow(10.0, -exponent)), exponent, text);
}

opn_status
opn_i_space_draw(opn_ctx *ctx, const opn_i_space *from, int32_t t, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_i_rng rng = opn_i_rng_start((uint64_t)opn_params_int(from->given, "seed"),
                                    OPN_STREAM_TUNE_TRIAL, (uint32_t)t);
    OPN_TRY(opn_params_copy(ctx, from->usual, &params));
    for (size_t d = 0; d < N_DIMENSIONS && t > 0; d++) {
        char text[32];
        // Draw even if the value is not used, so that fixing one leaves the others
        // unchanged.
        draw_text(&rng, &space[d], unit_of(from->usual, from->kind), text);
        if (is_searched(&space[d], from))
            OPN_TRY(opn_params_set(ctx, params, space[d].name, text));
    }
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}
