// mean_curve.c -- the mean of curves over seeds.

#include "paper/mean_curve.h"

#include <math.h>

// x of point p. The first two are both 0: there an ROC curve rises.
static double x_of(int32_t p)
{
    return p == 0 ? 0 : (p - 1.0) / (OPN_MEAN_POINTS - 2);
}

// The value at x on the segment that ends at point i.
static double between(const opn_i_curve *curve, int32_t i, double x)
{
    const double run = curve->x[i] - curve->x[i - 1];
    const double part = run > 0 ? (x - curve->x[i - 1]) / run : 1;
    return curve->y[i - 1] + part * (curve->y[i] - curve->y[i - 1]);
}

// Moves *at to the segment that holds x, which never decreases, and reads the curve.
static double
read_curve(const opn_i_curve *curve, opn_i_curve_kind kind, double x, int32_t *at)
{
    const int32_t last = curve->n - 1;
    if (kind == OPN_CURVE_PRECISION) {
        while (*at < last && curve->x[*at] < x)
            (*at)++;
        return curve->y[*at];
    }
    while (*at < last && curve->x[*at + 1] <= x) // past steps straight up
        (*at)++;
    return *at < last ? between(curve, *at + 1, x) : curve->y[last];
}

static void add_number(int32_t n, double number, double *mean, double *squares)
{
    const double apart = number - *mean;
    *mean += apart / n;
    *squares += apart * (number - *mean);
}

void opn_i_mean_curve_add(opn_i_mean_curve *mean,
                          opn_i_curve_kind kind,
                          const opn_i_curve *curve,
                          double area)
{
    int32_t at = 0;
    const int32_t n = ++mean->n_curves;
    add_number(n, area, &mean->area, &mean->area_squares);
    for (int32_t p = 0; p < OPN_MEAN_POINTS; p++) {
        const double y = p == 0 ? curve->y[0] : read_curve(curve, kind, x_of(p), &at);
        mean->x[p] = x_of(p);
        add_number(n, y, &mean->y[p], &mean->squares[p]);
    }
}

double opn_i_mean_curve_deviation(const opn_i_mean_curve *mean, double squares)
{
    return mean->n_curves > 1 ? sqrt(squares / (mean->n_curves - 1)) : 0;
}

void opn_i_mean_curve_band(const opn_i_mean_curve *mean,
                           double low[OPN_MEAN_POINTS],
                           double high[OPN_MEAN_POINTS])
{
    for (int32_t p = 0; p < OPN_MEAN_POINTS; p++) {
        const double wide = opn_i_mean_curve_deviation(mean, mean->squares[p]);
        low[p] = fmax(mean->y[p] - wide, 0);
        high[p] = fmin(mean->y[p] + wide, 1);
    }
}
