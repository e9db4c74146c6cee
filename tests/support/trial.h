// trial.h -- models for tests, made in one call from settings such as "epochs=5 seed=2".
//
// Anything that fails also fails the calling test.

#ifndef OPN_TEST_TRIAL_H
#define OPN_TEST_TRIAL_H

#include "opine/opine.h"
#include "predict/prediction_data.h"

#include <stdbool.h>

// ---- graphs --------------------------------------------------------------------------

opn_params *trial_params(opn_ctx *ctx, const char *settings);

// The same with the paper's preset, unless the settings name one: a graph of the tests
// counts as own data, whose model would be chosen.
opn_params *trial_paper_params(opn_ctx *ctx, const char *settings);

// A generated graph.
opn_graph *trial_draw(opn_ctx *ctx, const char *settings);

// The same with a split: of every `period` nodes the first is for training, the second
// for validation and the others for testing.
opn_graph *trial_draw_split(opn_ctx *ctx, const char *settings, size_t period);

// Two connected groups of four and an isolated node; three nodes of each group have
// labels.
enum { TRIAL_NODES = 9, TRIAL_EDGES = 13, TRIAL_FEATURES = 3 };
extern const float trial_features[TRIAL_NODES * TRIAL_FEATURES];
extern const int32_t trial_labels[TRIAL_NODES];

opn_graph *trial_groups(opn_ctx *ctx);

// The same with the first n_edges edges only, and with the given features [V, n_features]
// and labels.
opn_graph *trial_groups_of(opn_ctx *ctx,
                           int n_edges,
                           int32_t n_features,
                           const float *value,
                           const int32_t *label);

// ---- models --------------------------------------------------------------------------

// The first TRIAL_N_MODELS are those of the graph convolution; after them come five of
// other encoders.
enum { TRIAL_N_MODELS = 9, TRIAL_N_ALL_MODELS = 14 };
extern const char *const trial_models[TRIAL_N_ALL_MODELS];

// Trains on the split that the settings specify; checkpoint may be NULL.
opn_status trial_try_train(opn_ctx *ctx,
                           const opn_graph *graph,
                           const char *settings,
                           const char *checkpoint,
                           opn_model **out);
opn_model *trial_train(opn_ctx *ctx, const opn_graph *graph, const char *settings);

// The bytes of the model file, to be freed.
char *trial_bytes(opn_ctx *ctx, const opn_model *model, size_t *n_bytes);
void trial_expect_same(opn_ctx *ctx, const opn_model *model, const opn_model *other);

// ---- opinions ------------------------------------------------------------------------

// The model's prediction for every node, with beliefs; settings may be NULL.
opn_prediction *opinions_ask(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             const char *settings);

// Asserts that they are bitwise identical.
void opinions_expect_same(const opn_prediction *said, const opn_prediction *other);
void opinions_expect_other(const opn_prediction *said, const opn_prediction *other);

// Asserts what must hold for any model: probabilities sum to 1, alpha is at least 1,
// measures lie in [0, 1] and add up.
void opinions_expect_sound(const opn_model *model, const opn_prediction *said);

// Trains a model, and asserts this of what it says about the same graph.
void trial_expect_sound(opn_ctx *ctx, const opn_graph *graph, const char *settings);

#endif // OPN_TEST_TRIAL_H
