// params.h -- the one table of parameters. The options of the command and their help,
// JSON keys and the metadata of a model file all come from it.

#ifndef OPINE_PARAMS_H
#define OPINE_PARAMS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a value may be; all are written as text.
typedef enum opn_param_kind {
    OPN_PARAM_FLAG = 0,   // "on" or "off"
    OPN_PARAM_INT = 1,    // within [min, max]
    OPN_PARAM_REAL = 2,   // within [min, max]
    OPN_PARAM_CHOICE = 3, // one of `choices`
    OPN_PARAM_TEXT = 4,
    OPN_PARAM_CHOICES = 5, // some of `choices`, with commas between
    OPN_PARAM_PART = 6     // "I/N": part I of N, 1 <= I <= N <= 10000
} opn_param_kind;

// What the value of a parameter changes; a row has one or more of these. The hashes that
// tell one training or score from another, the metadata of a model file and the manifest
// of a run choose their parameters by it, so a changed flag makes other hashes.
enum {
    OPN_AFFECTS_MODEL = 1 << 0,     // which model is trained
    OPN_AFFECTS_DEFAULTS = 1 << 1,  // the values of parameters that are not given
    OPN_AFFECTS_WEIGHTS = 1 << 2,   // what training learns
    OPN_AFFECTS_SAMPLING = 1 << 3,  // what a trained model predicts
    OPN_AFFECTS_DECISIONS = 1 << 4, // which predictions are accepted
    OPN_AFFECTS_SCORES = 1 << 5,    // which nodes are scored
    OPN_AFFECTS_RUNS = 1 << 6,      // which trainings an experiment consists of
    OPN_AFFECTS_SOURCE = 1 << 7,    // where named datasets are found
    OPN_AFFECTS_DATA = 1 << 8,      // the data that a verb makes or decides about
    OPN_AFFECTS_OUTPUT = 1 << 9,    // what is written, where and how
    OPN_AFFECTS_PROCESS = 1 << 10,  // how the work is done, never its result
    OPN_AFFECTS_LABELS = 1 << 11,   // what the data say; hashes include it as data

    // All that a trained model depends on, and what it predicts.
    OPN_AFFECTS_PREDICTION = OPN_AFFECTS_MODEL | OPN_AFFECTS_DEFAULTS |
                             OPN_AFFECTS_WEIGHTS | OPN_AFFECTS_SAMPLING |
                             OPN_AFFECTS_LABELS
};

// One row of the table; all texts are static.
typedef struct opn_param {
    const char *name; // snake_case
    opn_param_kind kind;
    unsigned affects;         // OPN_AFFECTS_...
    const char *default_text; // as the user would write it; "" for none
    double min, max;          // INT and REAL
    const char *choices;      // CHOICE and CHOICES: "row|standard|none"
    const char *unit; // what a value counts, or its form: "nodes", "FILE"; or NULL
    const char *help; // one sentence; other parameters are named in `backquotes`
} opn_param;

// The rows; `opine help VERB` describes those that a verb takes.
OPN_API size_t opn_param_count(void);
OPN_API const opn_param *opn_param_at(size_t i); // i < opn_param_count()

// Row of that name (snake_case or kebab-case), or NULL.
OPN_API const opn_param *opn_param_find(const char *name);

// A value for every parameter, at first the default.
typedef struct opn_params opn_params;

OPN_API OPN_NODISCARD opn_status opn_params_create(opn_ctx *ctx, opn_params **out);
OPN_API void opn_params_free(opn_params *params); // accepts NULL

// A copy, in which the same parameters count as given.
OPN_API OPN_NODISCARD opn_status opn_params_copy(opn_ctx *ctx,
                                                 const opn_params *params,
                                                 opn_params **out);

// Sets a parameter from text after checking it against the table.
// Errors: INVALID_ARG (no such parameter, not a value of its kind, or out of bounds).
OPN_API OPN_NODISCARD opn_status opn_params_set(opn_ctx *ctx,
                                                opn_params *params,
                                                const char *name,
                                                const char *text);

// Whether opn_params_set() was called for it.
OPN_API int opn_params_given(const opn_params *params, const char *name);

// Values. The name must be in the table and of a fitting kind; a CHOICE is a text.
OPN_API int64_t opn_params_int(const opn_params *params, const char *name);
OPN_API double opn_params_real(const opn_params *params, const char *name);
OPN_API int opn_params_flag(const opn_params *params, const char *name);
OPN_API const char *opn_params_text(const opn_params *params, const char *name);

#ifdef __cplusplus
}
#endif

#endif // OPINE_PARAMS_H
