// curves.c -- the data behind figures of rankings, probabilities and scores.

#include "opinion/curves.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- curves of a ranking -------------------------------------------------------------

void opn_i_curve_deinit(const opn_alloc *alloc, opn_i_curve *curve)
{
    opn_i_release(alloc, curve->x);
    *curve = (opn_i_curve){0};
}

static opn_status new_curve(opn_ctx *ctx, int32_t n, opn_i_curve *out)
{
    opn_status status = OPN_OK;
    double *block = NULL;
    OPN_TRY_NEW(ctx, block, 2 * (size_t)n);
    *out = (opn_i_curve){.n = n, .x = block, .y = block + n};
cleanup:
    return status;
}

opn_status opn_i_curve_roc(opn_ctx *ctx,
                           const opn_i_ranking *ranking,
                           opn_i_order order,
                           opn_i_curve *out)
{
    opn_status status = OPN_OK;
    opn_i_curve curve = {0};
    const int32_t n_positive = ranking->n_positive;
    const int32_t n_negative = ranking->n - n_positive;
    int32_t n_found = 0;
    int32_t n_false = 0;
    if (!opn_i_ranking_is_of_one_kind(ranking))
        OPN_TRY(new_curve(ctx, ranking->n_ties + 1, &curve));
    for (int32_t step = 0; step + 1 < curve.n; step++) {
        const opn_i_tie *tie = opn_i_ranking_tie(ranking, order, step);
        n_found += tie->n_positive;
        n_false += tie->n - tie->n_positive;
        curve.x[step + 1] = (double)n_false / n_negative;
        curve.y[step + 1] = (double)n_found / n_positive;
    }
    *out = curve;
cleanup:
    return status;
}

opn_status opn_i_curve_precision(opn_ctx *ctx,
                                 const opn_i_ranking *ranking,
                                 opn_i_order order,
                                 opn_i_curve *out)
{
    opn_status status = OPN_OK;
    opn_i_curve curve = {0};
    int32_t n_seen = 0;
    int32_t n_found = 0;
    if (!opn_i_ranking_is_of_one_kind(ranking))
        OPN_TRY(new_curve(ctx, ranking->n_ties + 1, &curve));
    for (int32_t step = 0; step + 1 < curve.n; step++) {
        const opn_i_tie *tie = opn_i_ranking_tie(ranking, order, step);
        n_seen += tie->n;
        n_found += tie->n_positive;
        curve.x[step + 1] = (double)n_found / ranking->n_positive;
        curve.y[step + 1] = (double)n_found / n_seen;
    }
    if (curve.n > 0)
        curve.y[0] = curve.y[1];
    *out = curve;
cleanup:
    return status;
}

opn_status opn_i_curve_risk(opn_ctx *ctx, const opn_i_ranking *ranking, opn_i_curve *out)
{
    opn_status status = OPN_OK;
    opn_i_curve curve = {0};
    OPN_TRY(new_curve(ctx, ranking->n, &curve));
    for (int32_t i = 0; i < curve.n; i++)
        curve.x[i] = (i + 1.0) / curve.n;
    opn_i_ranking_risk(ranking, curve.y);
    *out = curve;
cleanup:
    return status;
}

// ---- fewer points --------------------------------------------------------------------

// A dropped point may lie a little to the side of the new line, and a little beyond its
// end where the curve turns back; together they stay within the tolerance, since 3, 4 and
// 5 are the sides of a right triangle.
static const double share_aside = 0.8;
static const double share_beyond = 0.6;

typedef struct vector {
    double x, y;
} vector;

// Where the next point may be, seen from the last one kept: in a direction that leaves no
// dropped point in between too far to the side.
typedef struct cone {
    bool is_narrowed; // else any direction is allowed
    double reach;     // distance of the farthest point that narrowed it
    vector tip;
    vector right, left;
} cone;

// Above 0 if b is to the left of a.
static double cross(vector a, vector b)
{
    return a.x * b.y - a.y * b.x;
}

static double length(vector a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

static vector between(const cone *c, const opn_i_curve *curve, int32_t i)
{
    return (vector){curve->x[i] - c->tip.x, curve->y[i] - c->tip.y};
}

// Narrows the cone to the lines from the tip that pass the point within `aside`. Only
// called with a point that the cone admits, which is less than half a turn from both
// sides: so the sign of a cross product tells which of two sides is inside.
static void narrow(cone *c, vector to, double aside)
{
    const double distance = length(to);
    if (distance <= aside) // close to the tip, whatever the direction
        return;
    const double sine = aside / distance;
    const double cosine = sqrt(1.0 - sine * sine);
    const vector right = {to.x * cosine + to.y * sine, to.y * cosine - to.x * sine};
    const vector left = {to.x * cosine - to.y * sine, to.y * cosine + to.x * sine};
    if (!c->is_narrowed || cross(c->right, right) > 0.0)
        c->right = right;
    if (!c->is_narrowed || cross(left, c->left) > 0.0)
        c->left = left;
    c->reach = fmax(c->reach, distance);
    c->is_narrowed = true;
}

static bool admits(const cone *c, vector to, double beyond)
{
    return !c->is_narrowed || (cross(c->right, to) >= 0.0 && cross(to, c->left) >= 0.0 &&
                               length(to) >= c->reach - beyond);
}

// Number of points kept; they are written to the front of `kept`, which may be the curve
// itself, or NULL.
static int32_t keep(const opn_i_curve *curve, double tolerance, const opn_i_curve *kept)
{
    const double aside = share_aside * tolerance;
    const double beyond = share_beyond * tolerance;
    cone c = {0};
    int32_t n_kept = 0;
    for (int32_t i = 0; i < curve->n; i++) {
        if (i > 0 && i < curve->n - 1) {
            narrow(&c, between(&c, curve, i), aside);
            if (admits(&c, between(&c, curve, i + 1), beyond))
                continue;
        }
        c = (cone){.tip = {curve->x[i], curve->y[i]}};
        if (kept != NULL) {
            kept->x[n_kept] = c.tip.x;
            kept->y[n_kept] = c.tip.y;
        }
        n_kept++;
    }
    return n_kept;
}

void opn_i_curve_thin(opn_i_curve *curve, double tolerance)
{
    curve->n = keep(curve, tolerance, curve);
}

// ---- reliability ---------------------------------------------------------------------

// The bin (b / n_bins, (b + 1) / n_bins] that contains p. The product is exact, so that a
// p on an edge falls on the correct side.
static int32_t bin_of(double p, int32_t n_bins)
{
    const double above = ceil(p * n_bins) - 1.0;
    return (int32_t)fmax(0.0, fmin(above, n_bins - 1.0));
}

void opn_i_reliability(int32_t n,
                       int32_t n_classes,
                       opn_i_values probability,
                       const int32_t *label,
                       int32_t n_bins,
                       opn_i_bin *bin)
{
    for (int32_t b = 0; b < n_bins; b++)
        bin[b] = (opn_i_bin){0};
    for (int32_t i = 0; i < n; i++) {
        const int64_t at = (int64_t)i * n_classes;
        double most = opn_i_value_at(probability, at);
        int32_t top = 0;
        for (int32_t k = 1; k < n_classes; k++) {
            const double p = opn_i_value_at(probability, at + k);
            top = p > most ? k : top;
            most = p > most ? p : most;
        }
        opn_i_bin *b = &bin[bin_of(most, n_bins)];
        b->n++;
        b->n_right += top == label[i];
        opn_i_sum_add(&b->sum, most);
    }
    for (opn_i_bin *b = bin; b < bin + n_bins; b++) {
        b->confidence = b->n > 0 ? opn_i_sum_total(&b->sum) / b->n : 0.0;
        b->accuracy = b->n > 0 ? (double)b->n_right / b->n : 0.0;
    }
}

// ---- histograms ----------------------------------------------------------------------

// Multiplies before dividing, which is exact on the scale from 0 to 1.
static int32_t step_of(const opn_i_scale *scale, double value)
{
    const double step =
            floor((value - scale->low) * scale->n_bins / (scale->high - scale->low));
    return (int32_t)fmax(0.0, fmin(step, scale->n_bins - 1.0));
}

void opn_i_histogram(const opn_i_scale *scale,
                     int32_t n,
                     const float *value,
                     int32_t n_groups,
                     const uint8_t *group,
                     int32_t *count)
{
    const size_t width = (size_t)scale->n_bins;
    memset(count, 0, (size_t)n_groups * width * sizeof(*count));
    for (int32_t i = 0; i < n; i++) {
        if (isnan(value[i]))
            continue;
        const size_t row = group != NULL ? group[i] : 0;
        count[row * width + (size_t)step_of(scale, (double)value[i])]++;
    }
}
