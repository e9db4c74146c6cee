// mean_curve.h -- the mean of curves over seeds, and how far single seeds are from it.

#ifndef OPN_MEAN_CURVE_H
#define OPN_MEAN_CURVE_H

#include "opinion/curves.h"

enum { OPN_MEAN_POINTS = 252 };

// Averaged at fixed x, which a curve reaches at 0 and passes in equal steps to 1; zero-
// initialise. A curve that starts at (0, 0) keeps that point, whatever it rises to at 0.
typedef struct opn_i_mean_curve {
    int32_t n_curves;
    double x[OPN_MEAN_POINTS], y[OPN_MEAN_POINTS]; // mean so far
    double squares[OPN_MEAN_POINTS];               // of deviations from the mean
    double area, area_squares;                     // the same of the areas below
} opn_i_mean_curve;

// How a curve is read between its points: ROC curves are line segments, precision is as
// high as at the right end of its step, which is how their areas are computed.
typedef enum opn_i_curve_kind { OPN_CURVE_ROC, OPN_CURVE_PRECISION } opn_i_curve_kind;

// Adds a curve of at least one point from left to right, and the area below it.
void opn_i_mean_curve_add(opn_i_mean_curve *mean,
                          opn_i_curve_kind kind,
                          const opn_i_curve *curve,
                          double area);

// The standard deviation over curves, 0 of a single one.
double opn_i_mean_curve_deviation(const opn_i_mean_curve *mean, double squares);

// Bounds of the band one standard deviation wide to either side, within [0, 1].
void opn_i_mean_curve_band(const opn_i_mean_curve *mean,
                           double low[OPN_MEAN_POINTS],
                           double high[OPN_MEAN_POINTS]);

#endif // OPN_MEAN_CURVE_H
