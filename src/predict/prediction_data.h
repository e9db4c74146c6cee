// prediction_data.h -- the implementation of opn_prediction.

#ifndef OPN_PREDICTION_DATA_H
#define OPN_PREDICTION_DATA_H

#include "base/context.h"
#include "opine/prediction.h"
#include "opinion/measure_table.h"

struct opn_prediction {
    opn_alloc alloc;
    int32_t n_nodes, n_classes;
    int32_t *predicted;
    float *probability, *alpha, *belief;
    float *around;                  // [V,K] a second opinion, for a pool
    float *calibrated, *confidence; // [V,K] and [V]
    float *measure[OPN_N_MEASURES], *smoothed[OPN_N_MEASURES];
    float *energy, *smoothed_energy;
    float *p_known;  // [V] p-value of "of a known class"
    uint8_t *member; // [V,K] 1 for the classes in a node's set
    uint8_t *decision;
    int8_t *decided_by;
    char *summary; // of the decisions, as JSON; NULL where there are none
};

// Which optional arrays a prediction has.
typedef struct opn_i_prediction_parts {
    bool has_alpha, has_belief, has_energy, has_around, is_smoothed;
    bool has_measure[OPN_N_MEASURES];
} opn_i_prediction_parts;

// Allocates a prediction. Arrays are zeroed; those for decisions are NULL.
// Errors: OVERFLOW, NOMEM.
OPN_NODISCARD opn_status opn_i_prediction_new(opn_ctx *ctx,
                                              size_t n_nodes,
                                              int32_t n_classes,
                                              const opn_i_prediction_parts *parts,
                                              opn_prediction **out);

// The score that nodes are ranked by, [V]; NULL if the prediction does not have it.
const float *opn_i_prediction_score(const opn_prediction *prediction, int32_t score);

// The name of the class k of a prediction: the model's, or without a model, where the
// first classes of the graph are those of the prediction, the graph's. `number` is room
// for a name that is a number.
const char *opn_i_prediction_class(const opn_model *model,
                                   const opn_graph *graph,
                                   int32_t k,
                                   char number[12]);

// Whether measures were smoothed.
bool opn_i_prediction_is_smoothed(const opn_prediction *prediction);

#endif // OPN_PREDICTION_DATA_H
