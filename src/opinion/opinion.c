// opinion.c -- the measures of arrays, without a model.

#include "base/context.h"
#include "opinion/measure_table.h"
#include "opinion/values.h"

#include <math.h>
#include <string.h>

// Logits above this count as this, as in training: far above any of a healthy model, far
// below overflow.
static const double most_logit = 60.0;

// ---- one row of the input ------------------------------------------------------------

static bool is_logit(opn_opinion_input input)
{
    return input != OPN_OPINION_ALPHA && input != OPN_OPINION_PROBABILITY;
}

static bool has_alpha(opn_opinion_input input)
{
    return input != OPN_OPINION_PROBABILITY && input != OPN_OPINION_SOFTMAX;
}

// Whether a number may stand there, and in words what may.
static bool is_valid(opn_opinion_input input, double x, const char **valid)
{
    static const double most = 1.0001; // 1 with rounding error
    *valid = is_logit(input)              ? "finite"
             : input == OPN_OPINION_ALPHA ? "1 or more"
                                          : "in [0, 1]";
    if (!isfinite(x))
        return false;
    return is_logit(input) ||
           (input == OPN_OPINION_ALPHA ? x >= 1.0 : x >= 0.0 && x <= most);
}

static double evidence_of(opn_opinion_input input, double z)
{
    if (input == OPN_OPINION_EXP)
        return exp(fmin(z, most_logit));
    if (input == OPN_OPINION_SOFTPLUS)
        return fmax(z, 0.0) + log1p(exp(-fabs(z)));
    return fmax(z, 0.0);
}

static void softmax(int32_t n, opn_i_values z, int64_t at, double *p)
{
    double largest = opn_i_value_at(z, at);
    double sum = 0.0;
    for (int32_t k = 1; k < n; k++)
        largest = fmax(largest, opn_i_value_at(z, at + k));
    for (int32_t k = 0; k < n; k++) {
        p[k] = exp(opn_i_value_at(z, at + k) - largest);
        sum += p[k];
    }
    for (int32_t k = 0; k < n; k++)
        p[k] /= sum;
}

// alpha and p of one row that starts at `at`; alpha stays where there is no evidence.
static void read_row(opn_opinion_input input,
                     int32_t n,
                     opn_i_values value,
                     int64_t at,
                     double *alpha,
                     double *p)
{
    double strength = 0.0;
    if (input == OPN_OPINION_SOFTMAX) {
        softmax(n, value, at, p);
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        const double x = opn_i_value_at(value, at + k);
        p[k] = input == OPN_OPINION_ALPHA || input == OPN_OPINION_PROBABILITY
                       ? x
                       : evidence_of(input, x) + 1.0;
        strength += p[k];
    }
    for (int32_t k = 0; k < n && has_alpha(input); k++) {
        alpha[k] = p[k];
        p[k] /= strength;
    }
}

// ---- all rows ------------------------------------------------------------------------

typedef struct question {
    opn_opinion_input input;
    int64_t n_samples, n;
    int32_t n_classes;
    opn_i_values value; // [n_samples, n, n_classes]
} question;

// What was said about one node, over the samples.
typedef struct answer {
    double *alpha, *p;         // [K] means
    double *row_alpha, *row_p; // [K] of one sample
    double entropy;            // mean over ln K
} answer;

static opn_status check_question(opn_ctx *ctx, const question *q)
{
    opn_status status = OPN_OK;
    static const char *const names[] = {"alpha", "logit", "logit",
                                        "logit", "logit", "probability"};
    const char *valid = "";
    OPN_FAIL_IF(ctx, (unsigned)q->input > OPN_OPINION_PROBABILITY, OPN_ERR_INVALID_ARG,
                "%d is no input of an opinion", (int)q->input);
    OPN_FAIL_IF(ctx, q->n_classes < 2, OPN_ERR_INVALID_ARG,
                "%d classes: an opinion needs at least two", q->n_classes);
    OPN_FAIL_IF(ctx, q->n < 0 || q->n_samples < 1, OPN_ERR_INVALID_ARG,
                "%lld samples of %lld nodes: an opinion needs at least one sample",
                (long long)q->n_samples, (long long)q->n);
    const int64_t width = q->n_classes;
    const int64_t n_values = q->n_samples * q->n * width;
    OPN_FAIL_IF(ctx, n_values > 0 && q->value.f32 == NULL && q->value.f64 == NULL,
                OPN_ERR_INVALID_ARG, "argument value is NULL");
    for (int64_t j = 0; j < n_values; j++) {
        OPN_TRY_GO_ON(ctx, j, "checking opinions");
        OPN_FAIL_IF(ctx, !is_valid(q->input, opn_i_value_at(q->value, j), &valid),
                    OPN_ERR_INVALID_ARG,
                    "%s of node %lld and class %lld is %g, which must be %s",
                    names[q->input], (long long)(j / width % q->n),
                    (long long)(j % width), opn_i_value_at(q->value, j), valid);
    }
cleanup:
    return status;
}

// Fills in the means over all samples of node i.
static void listen(const question *q, int64_t i, answer *a)
{
    const int32_t n = q->n_classes;
    a->entropy = 0.0;
    memset(a->p, 0, (size_t)n * sizeof(*a->p));
    for (int32_t k = 0; k < n; k++)
        a->alpha[k] = has_alpha(q->input) ? 0.0 : (double)NAN;
    for (int64_t s = 0; s < q->n_samples; s++) {
        read_row(q->input, n, q->value, (s * q->n + i) * n, a->row_alpha, a->row_p);
        for (int32_t k = 0; k < n; k++) {
            a->p[k] += a->row_p[k] / (double)q->n_samples;
            if (has_alpha(q->input))
                a->alpha[k] += a->row_alpha[k] / (double)q->n_samples;
        }
        const opn_i_opinion row = {.n_classes = n, .p = a->row_p};
        a->entropy +=
                opn_i_measure_at(OPN_MEASURE_ENTROPY)->of(&row) / (double)q->n_samples;
    }
}

// Measure m of a node, NaN where the input does not tell.
static double measure_of(const question *q, const answer *a, int m)
{
    const opn_i_measure *measure = opn_i_measure_at(m);
    const bool has_spread = q->n_samples > 1 || has_alpha(q->input);
    const opn_i_opinion opinion = {.n_classes = q->n_classes,
                                   .alpha = a->alpha,
                                   .p = a->p,
                                   .expected_entropy = a->entropy,
                                   .is_closed = q->n_samples == 1};
    if (((measure->needs & OPN_NEEDS_BELIEF) != 0 && !has_alpha(q->input)) ||
        ((measure->needs & OPN_NEEDS_SPREAD) != 0 && !has_spread))
        return (double)NAN;
    return measure->of(&opinion);
}

// Where the results go; any pointer may be NULL, and of the measures one of the two is.
typedef struct results {
    double *alpha, *probability; // [n,K]
    int32_t n_measures;
    float *const *f32;
    double *const *f64;
} results;

static void put_row(const question *q, const answer *a, int64_t i, const results *out)
{
    const int32_t n = q->n_classes;
    double strength = 0.0;
    for (int32_t k = 0; k < n; k++)
        strength += a->alpha[k];
    for (int32_t k = 0; k < n; k++) {
        if (out->alpha != NULL)
            out->alpha[i * n + k] = a->alpha[k];
        if (out->probability != NULL)
            out->probability[i * n + k] =
                    has_alpha(q->input) ? a->alpha[k] / strength : a->p[k];
    }
    for (int m = 0; m < OPN_N_MEASURES && m < out->n_measures; m++) {
        if (out->f32 != NULL && out->f32[m] != NULL)
            out->f32[m][i] = (float)measure_of(q, a, m);
        if (out->f64 != NULL && out->f64[m] != NULL)
            out->f64[m][i] = measure_of(q, a, m);
    }
}

static opn_status ask(opn_ctx *ctx, const question *q, const results *out)
{
    opn_status status = OPN_OK;
    double *block = NULL;
    OPN_TRY(check_question(ctx, q)); // all of it, before any output is written
    const size_t n = (size_t)q->n_classes;
    OPN_TRY_NEW(ctx, block, 4 * n);
    answer a = {block, block + n, block + 2 * n, block + 3 * n, 0.0};
    for (int64_t i = 0; i < q->n; i++) {
        OPN_TRY_GO_ON(ctx, i, "forming opinions");
        listen(q, i, &a);
        put_row(q, &a, i, out);
    }
cleanup:
    opn_i_release(&ctx->alloc, block);
    return status;
}

opn_status opn_opinion(opn_ctx *ctx,
                       int64_t n,
                       int32_t n_classes,
                       const float *alpha,
                       int32_t n_measures,
                       float *const *measure)
{
    OPN_REJECT_NULL(ctx, ctx);
    const question q = {OPN_OPINION_ALPHA, 1, n, n_classes, opn_i_floats(alpha)};
    const results out = {.n_measures = n_measures, .f32 = measure};
    return ask(ctx, &q, &out);
}

opn_status opn_opinion_from(opn_ctx *ctx,
                            opn_opinion_input input,
                            int64_t n_samples,
                            int64_t n,
                            int32_t n_classes,
                            const double *value,
                            double *alpha,
                            double *probability,
                            int32_t n_measures,
                            double *const *measure)
{
    OPN_REJECT_NULL(ctx, ctx);
    const question q = {input, n_samples, n, n_classes, opn_i_doubles(value)};
    results out = {.n_measures = n_measures, .f64 = measure};
    out.alpha = alpha;
    out.probability = probability;
    return ask(ctx, &q, &out);
}
