// feature_scale.h -- scaling of features.

#ifndef OPN_FEATURE_SCALE_H
#define OPN_FEATURE_SCALE_H

#include "graph/feature_store.h"

// Divides each row by the sum of its absolute values; a zero row is unchanged.
OPN_NODISCARD opn_status opn_i_features_row_normalise(opn_ctx *ctx, opn_i_features *x);

// Divides each row by its Euclidean length, likewise.
OPN_NODISCARD opn_status opn_i_features_l2_normalise(opn_ctx *ctx, opn_i_features *x);

// Computes the mean [F] and scale [F], the standard deviation, of the columns; both must
// be 0 on entry. A constant column has scale 1.
OPN_NODISCARD opn_status opn_i_features_moments(opn_ctx *ctx,
                                                const opn_i_features *x,
                                                double *mean,
                                                double *scale);

// The centre [F] of columns that are to stay sparse: mean / scale where few rows have a
// value, and 0 for other columns.
OPN_NODISCARD opn_status opn_i_features_centre(opn_ctx *ctx,
                                               const opn_i_features *x,
                                               const double *mean,
                                               const double *scale,
                                               double *centre);

// x = (x - mean) / scale, which leaves hardly any zeros, but x / scale in columns whose
// centre is not 0, which leaves all of them. The centre may be NULL: all 0.
// Errors: NONFINITE (the range of a feature is too large), NOMEM.
OPN_NODISCARD opn_status opn_i_features_standardise(opn_ctx *ctx,
                                                    opn_i_features *x,
                                                    const double *mean,
                                                    const double *scale,
                                                    const double *centre);

// ---- rows of dense features ----------------------------------------------------------

// Row i of x, whose entries are not all 1, as the functions above would make it, in an
// array of its columns: divided by its norm, where `row` is 0 before, or standardised.
// Errors: NONFINITE.
void opn_i_features_row_of_norm_1(const opn_i_features *x,
                                  int32_t i,
                                  bool is_euclidean,
                                  opn_real *row);
OPN_NODISCARD opn_status opn_i_features_standard_row(opn_ctx *ctx,
                                                     const opn_i_features *x,
                                                     int32_t i,
                                                     const double *mean,
                                                     const double *scale,
                                                     const double *centre,
                                                     opn_real *row);

#endif // OPN_FEATURE_SCALE_H
