// calibrate.c -- fits and applies what makes probabilities mean what they say.

#include "opine/calibrate.h"

#include "opinion/number_array.h"

#include <assert.h>
#include <math.h>

enum { LEAST_FOR_TEMPERATURE = 20, LEAST_FOR_POOL = 100 };

static const char calibrating[] = "calibrating";

const char *opn_calibration_name(opn_calibration calibration)
{
    switch (calibration) {
    case OPN_CALIBRATION_NONE:
        return "none";
    case OPN_CALIBRATION_TEMPERATURE:
        return "temperature";
    case OPN_CALIBRATION_POOL:
        return "pool";
    }
    return "?";
}

opn_calibration opn_calibration_affordable(opn_calibration wanted, int32_t n)
{
    if (wanted == OPN_CALIBRATION_POOL && n < LEAST_FOR_POOL)
        wanted = OPN_CALIBRATION_TEMPERATURE;
    if (wanted == OPN_CALIBRATION_TEMPERATURE && n < LEAST_FOR_TEMPERATURE)
        wanted = OPN_CALIBRATION_NONE;
    return wanted;
}

// ---- input ---------------------------------------------------------------------------

// Below this a probability says no more than that the class is out of the question, and
// its logarithm would outweigh all other nodes.
static const double least_probability = 1e-30;

// Rows of the two opinions.
typedef struct opinions {
    int32_t n, n_classes;
    opn_numbers p, q;
    bool has_q;
} opinions;

static opn_status
check_row(opn_ctx *ctx, const opinions *in, opn_numbers of, const char *name, int32_t i)
{
    opn_status status = OPN_OK;
    for (int32_t k = 0; k < in->n_classes; k++) {
        const double x = opn_i_number(of, (size_t)i * (size_t)in->n_classes + (size_t)k);
        OPN_FAIL_IF(ctx, !(x >= 0.0) || !isfinite(x), OPN_ERR_INVALID_ARG,
                    "%s of node %d and class %d is %g, which must be a probability", name,
                    i, k, x);
    }
cleanup:
    return status;
}

static opn_status check_kind(opn_ctx *ctx, opn_calibration kind)
{
    return kind == OPN_CALIBRATION_NONE || kind == OPN_CALIBRATION_TEMPERATURE ||
                           kind == OPN_CALIBRATION_POOL
                   ? OPN_OK
                   : opn_i_fail(ctx, OPN_ERR_INVALID_ARG, "%d is not a way to calibrate",
                                (int)kind);
}

static opn_status check_rows(opn_ctx *ctx, const opinions *in, const int32_t *label)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, in->has_q && opn_i_numbers_missing(in->q), OPN_ERR_INVALID_ARG,
                "a pool needs a second opinion about each node");
    int64_t spent = 0;
    for (int32_t i = 0; i < in->n; i++) {
        OPN_TRY_SPEND(ctx, spent, in->n_classes, calibrating);
        if (label != NULL && label[i] < 0)
            continue;
        OPN_TRY(check_row(ctx, in, in->p, "p", i));
        if (in->has_q)
            OPN_TRY(check_row(ctx, in, in->q, "q", i));
    }
cleanup:
    return status;
}

// Counts the labels and checks that there are enough of them, of two classes or more.
static opn_status check_labels(opn_ctx *ctx,
                               opn_calibration kind,
                               const opinions *in,
                               const int32_t *label,
                               int32_t *n_labels)
{
    opn_status status = OPN_OK;
    int32_t n = 0;
    int32_t first = -1;
    bool differ = false;
    for (int32_t i = 0; i < in->n; i++) {
        OPN_FAIL_IF(ctx, label[i] < -1 || label[i] >= in->n_classes, OPN_ERR_INVALID_ARG,
                    "label of node %d is %d, outside [0, %d)", i, label[i],
                    in->n_classes);
        if (label[i] < 0)
            continue;
        differ |= first >= 0 && label[i] != first;
        first = label[i];
        n++;
    }
    OPN_FAIL_IF(ctx, opn_calibration_affordable(kind, n) != kind, OPN_ERR_INVALID_ARG,
                "%d labelled nodes: a %s needs at least %d", n,
                opn_calibration_name(kind),
                kind == OPN_CALIBRATION_POOL ? LEAST_FOR_POOL : LEAST_FOR_TEMPERATURE);
    OPN_FAIL_IF(ctx, kind != OPN_CALIBRATION_NONE && !differ, OPN_ERR_INVALID_ARG,
                "all %d labelled nodes are of class %d: calibration needs two classes", n,
                first);
    *n_labels = n;
cleanup:
    return status;
}

static double log_of(opn_numbers x, size_t at)
{
    return log(fmax(opn_i_number(x, at), least_probability));
}

// ---- the fit -------------------------------------------------------------------------

enum { N_PARTS = 2 }; // exponents a and b

static const double least_exponent = 0.01;
static const double most_exponent = 100.0;

// The logarithms of the labelled rows, and their classes.
typedef struct sample {
    int32_t n, n_classes;
    double *x[N_PARTS]; // [n,K]; the second is 0 without a second opinion
    bool has_q;
    int32_t *label;         // [n]
    double *given[N_PARTS]; // [n] the mean of each row of x by its label
    double *weight;         // [K] room for one row
} sample;

// Mean -ln of the probability of the labels at the exponents, with its gradient and the
// upper half of its Hessian: means and covariances of the logarithms under the calibrated
// probabilities. The function is convex.
typedef struct slope {
    double value;
    double first[N_PARTS];
    double second[N_PARTS][N_PARTS];
} slope;

// weight [K] = softmax of the row at these exponents; returns ln of what it was divided
// by.
static double weigh_row(const sample *s, const double *exponent, int32_t i)
{
    const int32_t n = s->n_classes;
    const size_t at = (size_t)i * (size_t)n;
    double top = -(double)INFINITY;
    double sum = 0.0;
    assert(n > 0);
    for (int32_t k = 0; k < n; k++) {
        double z = 0.0;
        for (int j = 0; j < N_PARTS; j++)
            z += exponent[j] * s->x[j][at + (size_t)k];
        s->weight[k] = z;
        top = fmax(top, z);
    }
    for (int32_t k = 0; k < n; k++) {
        s->weight[k] = exp(s->weight[k] - top);
        sum += s->weight[k];
    }
    for (int32_t k = 0; k < n; k++)
        s->weight[k] /= sum;
    return log(sum) + top;
}

static void add_row(const sample *s, int32_t i, slope *to)
{
    const size_t at = (size_t)i * (size_t)s->n_classes;
    double mean[N_PARTS] = {0.0};
    for (int j = 0; j < N_PARTS; j++) {
        for (int32_t k = 0; k < s->n_classes; k++)
            mean[j] += s->weight[k] * s->x[j][at + (size_t)k];
        to->first[j] += mean[j] - s->given[j][i];
    }
    for (int j = 0; j < N_PARTS; j++)
        for (int l = j; l < N_PARTS; l++)
            for (int32_t k = 0; k < s->n_classes; k++)
                to->second[j][l] += s->weight[k] * (s->x[j][at + (size_t)k] - mean[j]) *
                                    (s->x[l][at + (size_t)k] - mean[l]);
}

// What the label of row i has before it is normalised.
static double given_at(const sample *s, const double *exponent, int32_t i)
{
    double sum = 0.0;
    for (int j = 0; j < N_PARTS; j++)
        sum += exponent[j] * s->given[j][i];
    return sum;
}

static opn_status
slope_at(opn_ctx *ctx, const sample *s, const double *exponent, slope *out)
{
    opn_status status = OPN_OK;
    slope sum = {0};
    int64_t spent = 0;
    for (int32_t i = 0; i < s->n; i++) {
        OPN_TRY_SPEND(ctx, spent, s->n_classes, calibrating);
        sum.value += (weigh_row(s, exponent, i) - given_at(s, exponent, i)) / s->n;
        add_row(s, i, &sum);
    }
    for (int j = 0; j < N_PARTS; j++) {
        sum.first[j] /= s->n;
        for (int l = j; l < N_PARTS; l++)
            sum.second[j][l] /= s->n;
    }
    *out = sum;
cleanup:
    return status;
}

static opn_status
value_at(opn_ctx *ctx, const sample *s, const double *exponent, double *out)
{
    opn_status status = OPN_OK;
    int64_t spent = 0;
    *out = 0.0;
    for (int32_t i = 0; i < s->n; i++) {
        OPN_TRY_SPEND(ctx, spent, s->n_classes, calibrating);
        *out += (weigh_row(s, exponent, i) - given_at(s, exponent, i)) / s->n;
    }
cleanup:
    return status;
}

// Mean -ln of the true class's probability, of the labels without doubt; NaN without any.
static opn_status
nll_at(opn_ctx *ctx, const sample *s, const double *exponent, double *out)
{
    opn_status status = OPN_OK;
    double sum = s->n > 0 ? 0.0 : (double)NAN;
    int64_t spent = 0;
    for (int32_t i = 0; i < s->n; i++) {
        OPN_TRY_SPEND(ctx, spent, s->n_classes, calibrating);
        const size_t at = (size_t)i * (size_t)s->n_classes + (size_t)s->label[i];
        sum += weigh_row(s, exponent, i) / s->n;
        for (int j = 0; j < N_PARTS; j++)
            sum -= exponent[j] * s->x[j][at] / s->n;
    }
    *out = sum;
cleanup:
    return status;
}

// Whether an exponent is not in use, or at a bound and would go on beyond it.
static bool is_held(const sample *s, int j, double exponent, double first)
{
    return (j > 0 && !s->has_q) || (exponent <= least_exponent && first > 0.0) ||
           (exponent >= most_exponent && first < 0.0);
}

// Newton's step for the exponents that are not held. A little is added to the curvature,
// since two opinions that say the same have a Hessian without an inverse.
static void newton_step(const slope *f, const bool *held, double *step)
{
    static const double ridge = 1e-9;
    const double across = f->second[0][1];
    double own[N_PARTS];
    for (int j = 0; j < N_PARTS; j++) {
        own[j] = f->second[j][j] * (1.0 + ridge) + ridge;
        step[j] = held[j] ? 0.0 : -f->first[j] / own[j];
    }
    if (held[0] || held[1])
        return;
    const double det = own[0] * own[1] - across * across;
    step[0] = (across * f->first[1] - own[1] * f->first[0]) / det;
    step[1] = (across * f->first[0] - own[0] * f->first[1]) / det;
}

// Goes along the step, or half of it, and so on, to a lower value; *found is false if
// there is none that rounding would let us see.
static opn_status descend(opn_ctx *ctx,
                          const sample *s,
                          const double *step,
                          double from,
                          double *exponent,
                          bool *found)
{
    enum { MOST_HALVINGS = 40 };
    opn_status status = OPN_OK;
    *found = false;
    for (int h = 0; h < MOST_HALVINGS && !*found; h++) {
        double next[N_PARTS];
        double value = 0.0;
        for (int j = 0; j < N_PARTS; j++) {
            next[j] = exponent[j] + ldexp(step[j], -h);
            if (step[j] != 0.0)
                next[j] = fmin(fmax(next[j], least_exponent), most_exponent);
        }
        OPN_TRY(value_at(ctx, s, next, &value));
        *found = value < from;
        for (int j = 0; j < N_PARTS && *found; j++)
            exponent[j] = next[j];
    }
cleanup:
    return status;
}

// Projected Newton: the function is convex and the bounds are a box, so that it comes to
// the least value in the box from any start.
static opn_status minimise(opn_ctx *ctx, const sample *s, double *exponent)
{
    enum { MOST_STEPS = 100 };
    static const double tolerance = 1e-10;
    opn_status status = OPN_OK;
    for (int n = 0; n < MOST_STEPS; n++) {
        slope f = {0};
        OPN_TRY(opn_i_go_on(ctx, calibrating));
        OPN_TRY(slope_at(ctx, s, exponent, &f));
        bool is_lower = false;
        bool held[N_PARTS];
        double step[N_PARTS];
        double steepest = 0.0;
        for (int j = 0; j < N_PARTS; j++) {
            held[j] = is_held(s, j, exponent[j], f.first[j]);
            steepest = held[j] ? steepest : fmax(steepest, fabs(f.first[j]));
        }
        newton_step(&f, held, step);
        if (steepest > tolerance)
            OPN_TRY(descend(ctx, s, step, f.value, exponent, &is_lower));
        if (!is_lower)
            break;
    }
cleanup:
    return status;
}

static void sample_deinit(const opn_alloc *alloc, sample *s)
{
    for (int j = 0; j < N_PARTS; j++) {
        opn_i_release(alloc, s->x[j]);
        opn_i_release(alloc, s->given[j]);
    }
    opn_i_release(alloc, s->label);
    opn_i_release(alloc, s->weight);
}

// As if one more node had a label that says nothing (Platt, 1999): where every node is
// right, probabilities would otherwise become certainties, however few the nodes.
static void give_labels(sample *s)
{
    const double doubt = 1.0 / ((double)s->n + 1.0);
    for (int j = 0; j < N_PARTS; j++)
        for (int32_t i = 0; i < s->n; i++) {
            const double *x = s->x[j] + (size_t)i * (size_t)s->n_classes;
            double sum = 0.0;
            for (int32_t k = 0; k < s->n_classes; k++)
                sum += x[k];
            s->given[j][i] = (1.0 - doubt) * x[s->label[i]] + doubt * sum / s->n_classes;
        }
}

static opn_status sample_init(
        opn_ctx *ctx, const opinions *in, const int32_t *label, int32_t n, sample *out)
{
    opn_status status = OPN_OK;
    const size_t width = (size_t)in->n_classes;
    const opn_numbers of[N_PARTS] = {in->p, in->q};
    sample s = {.n_classes = in->n_classes, .has_q = in->has_q};
    int64_t spent = 0;
    for (int j = 0; j < N_PARTS; j++) {
        OPN_TRY_NEW(ctx, s.x[j], (size_t)n * width);
        OPN_TRY_NEW(ctx, s.given[j], n);
    }
    OPN_TRY_NEW(ctx, s.label, n);
    OPN_TRY_NEW(ctx, s.weight, width);
    for (int32_t i = 0; i < in->n; i++) {
        OPN_TRY_SPEND(ctx, spent, in->n_classes, calibrating);
        if (label[i] < 0)
            continue;
        for (int j = 0; j < (s.has_q ? N_PARTS : 1); j++)
            for (size_t k = 0; k < width; k++)
                s.x[j][(size_t)s.n * width + k] = log_of(of[j], (size_t)i * width + k);
        s.label[s.n++] = label[i];
    }
    give_labels(&s);
    *out = s;
    s = (sample){0};
cleanup:
    sample_deinit(&ctx->alloc, &s);
    return status;
}

opn_status opn_calibrator_fit(opn_ctx *ctx,
                              opn_calibration kind,
                              int32_t n,
                              int32_t n_classes,
                              opn_numbers p,
                              opn_numbers q,
                              const int32_t *label,
                              opn_calibrator *out)
{
    OPN_REJECT_NULL(ctx, label, out);
    OPN_REJECT_MISSING(ctx, p);
    opn_status status = OPN_OK;
    const opinions in = {n, n_classes, p, q, kind == OPN_CALIBRATION_POOL};
    static const double as_given[N_PARTS] = {1.0, 0.0};
    double exponent[N_PARTS] = {1.0, 0.0};
    sample s = {0};
    int32_t n_labels = 0;
    double before = (double)NAN;
    double after = (double)NAN;
    OPN_TRY(check_kind(ctx, kind));
    OPN_FAIL_IF(ctx, n_classes < 2, OPN_ERR_INVALID_ARG,
                "%d classes: calibration needs at least two", n_classes);
    OPN_TRY(check_labels(ctx, kind, &in, label, &n_labels));
    OPN_TRY(check_rows(ctx, &in, label));
    OPN_TRY(sample_init(ctx, &in, label, n_labels, &s));
    if (in.has_q)
        exponent[0] = exponent[1] = 0.5;
    if (kind != OPN_CALIBRATION_NONE)
        OPN_TRY(minimise(ctx, &s, exponent));
    OPN_TRY(nll_at(ctx, &s, as_given, &before));
    OPN_TRY(nll_at(ctx, &s, exponent, &after));
    *out = (opn_calibrator){.kind = kind,
                            .n = n_labels,
                            .a = kind == OPN_CALIBRATION_NONE ? 0.0 : exponent[0],
                            .b = in.has_q ? exponent[1] : 0.0,
                            .nll_before = before,
                            .nll_after = after};
cleanup:
    sample_deinit(&ctx->alloc, &s);
    return status;
}

// ---- the use -------------------------------------------------------------------------

// z [K] of node i becomes the calibrated row.
static void calibrate_row(const opinions *in, double a, double b, size_t at, double *z)
{
    double top = -(double)INFINITY;
    double sum = 0.0;
    for (int32_t k = 0; k < in->n_classes; k++) {
        z[k] = a * log_of(in->p, at + (size_t)k);
        if (in->has_q)
            z[k] += b * log_of(in->q, at + (size_t)k);
        top = fmax(top, z[k]);
    }
    for (int32_t k = 0; k < in->n_classes; k++)
        sum += z[k] = exp(z[k] - top);
    for (int32_t k = 0; k < in->n_classes; k++)
        z[k] /= sum;
}

opn_status opn_calibrator_apply(opn_ctx *ctx,
                                const opn_calibrator *calibrator,
                                int32_t n,
                                int32_t n_classes,
                                opn_numbers p,
                                opn_numbers q,
                                opn_number_room calibrated)
{
    OPN_REJECT_NULL(ctx, calibrator);
    OPN_REJECT_MISSING(ctx, p);
    OPN_REJECT_NO_ROOM(ctx, calibrated);
    opn_status status = OPN_OK;
    const opn_calibration kind = calibrator->kind;
    const double a = kind == OPN_CALIBRATION_NONE ? 1.0 : calibrator->a;
    const double b = calibrator->b;
    const opinions in = {n, n_classes, p, q, kind == OPN_CALIBRATION_POOL};
    double *row = NULL;
    int64_t spent = 0;
    OPN_TRY(check_kind(ctx, kind));
    OPN_FAIL_IF(ctx, n_classes < 1, OPN_ERR_INVALID_ARG,
                "%d classes: calibration needs at least one", n_classes);
    OPN_FAIL_IF(ctx,
                !(a > 0.0) || !isfinite(a) || (in.has_q && !(b > 0.0 && isfinite(b))),
                OPN_ERR_INVALID_ARG,
                "a calibrator with the exponents %g and %g, which must be above 0", a, b);
    OPN_TRY(check_rows(ctx, &in, NULL));
    OPN_TRY_NEW(ctx, row, n_classes);
    for (int32_t i = 0; i < n; i++) {
        OPN_TRY_SPEND(ctx, spent, n_classes, calibrating);
        const size_t at = (size_t)i * (size_t)n_classes;
        calibrate_row(&in, a, b, at, row);
        for (int32_t k = 0; k < n_classes; k++)
            opn_i_number_put(calibrated, at + (size_t)k, row[k]);
    }
cleanup:
    opn_i_release(&ctx->alloc, row);
    return status;
}
