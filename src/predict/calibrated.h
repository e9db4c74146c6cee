// calibrated.h -- calibrated probabilities in a prediction.

#ifndef OPN_CALIBRATED_H
#define OPN_CALIBRATED_H

#include "opine/calibrate.h"
#include "predict/prediction_data.h"

// The labels that promises rest on, and whether they also chose the model.
typedef struct opn_i_guarantee {
    int32_t n, n_validation; // nodes; validation nodes among them
    int32_t *target;         // [V] known class, -1 for other nodes
} opn_i_guarantee;

// The calibration nodes of the split, and if these are too few to promise anything the
// validation nodes as well. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_guarantee_init(opn_ctx *ctx,
                                              const opn_graph *graph,
                                              const opn_split *split,
                                              opn_i_guarantee *out);
void opn_i_guarantee_deinit(const opn_alloc *alloc, opn_i_guarantee *guarantee);

// The value of the parameter calibrate.
opn_calibration opn_i_calibration_wanted(const opn_params *params);

// Fits what the labels and the prediction allow, at most `wanted`: a pool needs `around`
// in the prediction. *out is of the kind NONE if there are too few labels, or all are of
// one class. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_calibration_fit(opn_ctx *ctx,
                                               opn_calibration wanted,
                                               const opn_prediction *prediction,
                                               const opn_i_guarantee *guarantee,
                                               opn_calibrator *out);

// Adds `calibrated` and `confidence` to the prediction; nothing if the calibrator is of
// the kind NONE. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_calibration_apply(opn_ctx *ctx,
                                                 const opn_calibrator *calibrator,
                                                 opn_prediction *prediction);

// Fits what the parameter calibrate asks for on the nodes of a guarantee and applies it;
// nothing if the prediction is calibrated already. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_calibration_add(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               const opn_split *split,
                                               const opn_params *params,
                                               opn_prediction *prediction);

#endif // OPN_CALIBRATED_H
