// prediction_data.h -- what stands behind opn_prediction.

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
    float *measure[OPN_N_MEASURES], *smoothed[OPN_N_MEASURES];
    float *energy, *smoothed_energy;
    uint8_t *decision;
    int8_t *decided_by;
};

// What an array holds that not every prediction has.
typedef struct opn_i_prediction_parts {
    bool has_alpha, has_belief, has_energy, is_smoothed;
    bool has_measure[OPN_N_MEASURES];
} opn_i_prediction_parts;

// Makes room; arrays are zeroed, and those of decisions not there.
// Errors: OVERFLOW, NOMEM.
OPN_NODISCARD opn_status opn_i_prediction_new(opn_ctx *ctx,
                                              size_t n_nodes,
                                              int32_t n_classes,
                                              const opn_i_prediction_parts *parts,
                                              opn_prediction **out);

// What nodes are ranked by, [V]; NULL when it is not there.
const float *opn_i_prediction_score(const opn_prediction *prediction, int32_t score);

// Whether measures were smoothed.
bool opn_i_prediction_is_smoothed(const opn_prediction *prediction);

#endif // OPN_PREDICTION_DATA_H
