// opinion.c -- opinions from what any model puts out.

#include "opinion/measure_table.h"
#include "opinion/measures.h"
#include "opinion/number_array.h"

#include <math.h>

static const char forming[] = "forming opinions";

// As in the heads of our own models: more evidence than exp(60) is no more certain.
static const double most_logit = 60.0;

// The output of a model.
typedef struct output {
    opn_opinion_input input;
    int32_t n_samples;
    int64_t n;
    int32_t n_classes;
    opn_numbers x; // [n_samples, n, K]
} output;

// The opinion about one node on its way.
typedef struct node {
    double *alpha, *p; // [K] means over the samples; alpha is NaN without evidence
    double *row;       // [K] of one sample
    double entropy;    // mean over the samples, over ln K
} node;

static bool has_evidence(opn_opinion_input input)
{
    return input == OPN_OPINION_ALPHA || input == OPN_OPINION_LOGITS;
}

// ---- input ---------------------------------------------------------------------------

typedef struct demand {
    const char *name, *must; // of a number
    double least;
} demand;

static const demand *demand_of(opn_opinion_input input)
{
    static const demand demands[] = {
            [OPN_OPINION_ALPHA] = {"alpha", "1 or more", 1.0},
            [OPN_OPINION_LOGITS] = {"logit", "a finite number", -(double)INFINITY},
            [OPN_OPINION_SOFTMAX] = {"logit", "a finite number", -(double)INFINITY},
            [OPN_OPINION_PROBABILITY] = {"probability", "0 or more", 0.0},
    };
    return &demands[input];
}

// A row of probabilities without a positive one says nothing.
static opn_status check_sums(opn_ctx *ctx, const output *in)
{
    opn_status status = OPN_OK;
    const int64_t width = in->n_classes;
    for (int64_t r = 0; r < in->n_samples * in->n; r++) {
        OPN_TRY_GO_ON_ROWS(ctx, r, forming);
        double sum = 0.0;
        for (int64_t k = 0; k < width; k++)
            sum += opn_i_number(in->x, (size_t)(r * width + k));
        OPN_FAIL_IF(ctx, !(sum > 0.0), OPN_ERR_INVALID_ARG,
                    "all probabilities of node %lld are 0", (long long)(r % in->n));
    }
cleanup:
    return status;
}

static opn_status check_output(opn_ctx *ctx, const output *in)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, (unsigned)in->input > OPN_OPINION_PROBABILITY, OPN_ERR_INVALID_ARG,
                "%d is not a kind of output", (int)in->input);
    const demand *wanted = demand_of(in->input);
    const int64_t width = in->n_classes;
    OPN_FAIL_IF(ctx, width < 2, OPN_ERR_INVALID_ARG,
                "%d classes: an opinion needs at least two", in->n_classes);
    OPN_FAIL_IF(ctx, in->n_samples < 1, OPN_ERR_INVALID_ARG,
                "%d samples: an opinion needs at least one", in->n_samples);
    for (int64_t j = 0; j < in->n_samples * in->n * width; j++) {
        OPN_TRY_GO_ON(ctx, j, forming);
        const double x = opn_i_number(in->x, (size_t)j);
        OPN_FAIL_IF(ctx, !(x >= wanted->least) || !isfinite(x), OPN_ERR_INVALID_ARG,
                    "%s of node %lld and class %lld is %g, which must be %s",
                    wanted->name, (long long)(j / width % in->n), (long long)(j % width),
                    x, wanted->must);
    }
    if (in->input == OPN_OPINION_PROBABILITY)
        OPN_TRY(check_sums(ctx, in));
cleanup:
    return status;
}

// ---- one node ------------------------------------------------------------------------

// row [K] = alpha, or exp(z - max z), or p: in proportion to the sample's p.
static void read_sample(const output *in, int32_t s, int64_t i, double *row)
{
    const size_t at = (size_t)((s * in->n + i) * in->n_classes);
    double top = -(double)INFINITY;
    for (int32_t k = 0; k < in->n_classes; k++) {
        row[k] = opn_i_number(in->x, at + (size_t)k);
        top = fmax(top, row[k]);
    }
    for (int32_t k = 0; k < in->n_classes; k++)
        if (in->input == OPN_OPINION_LOGITS)
            row[k] = exp(fmin(row[k], most_logit)) + 1.0;
        else if (in->input == OPN_OPINION_SOFTMAX)
            row[k] = exp(row[k] - top);
}

static void read_node(const output *in, int64_t i, node *to)
{
    const int32_t n_classes = in->n_classes;
    to->entropy = 0.0;
    for (int32_t k = 0; k < n_classes; k++) {
        to->alpha[k] = has_evidence(in->input) ? 0.0 : (double)NAN;
        to->p[k] = 0.0;
    }
    for (int32_t s = 0; s < in->n_samples; s++) {
        double sum = 0.0;
        read_sample(in, s, i, to->row);
        for (int32_t k = 0; k < n_classes; k++)
            sum += to->row[k];
        for (int32_t k = 0; k < n_classes; k++) {
            to->alpha[k] += to->row[k] / in->n_samples;
            to->row[k] /= sum;
            to->p[k] += to->row[k] / in->n_samples;
        }
        to->entropy += opn_i_entropy(n_classes, to->row) / in->n_samples;
    }
}

static bool is_known(const output *in, int m)
{
    const unsigned needs = opn_i_measure_at(m)->needs;
    return m < OPN_N_PAPER_MEASURES &&
           ((needs & OPN_NEEDS_BELIEF) == 0 || has_evidence(in->input)) &&
           ((needs & OPN_NEEDS_SPREAD) == 0 || has_evidence(in->input) ||
            in->n_samples > 1);
}

// Writes what is wanted of alpha and of p, which is alpha / S where there is evidence.
static void put_rows(const output *in,
                     int64_t i,
                     const node *of,
                     opn_number_room alpha,
                     opn_number_room probability)
{
    const size_t at = (size_t)(i * in->n_classes);
    double strength = 0.0;
    for (int32_t k = 0; k < in->n_classes; k++)
        strength += of->alpha[k];
    for (int32_t k = 0; k < in->n_classes; k++) {
        if (!opn_i_room_missing(alpha))
            opn_i_number_put(alpha, at + (size_t)k, of->alpha[k]);
        if (!opn_i_room_missing(probability))
            opn_i_number_put(probability, at + (size_t)k,
                             has_evidence(in->input) ? of->alpha[k] / strength
                                                     : of->p[k]);
    }
}

opn_status opn_opinion_from(opn_ctx *ctx,
                            opn_opinion_input input,
                            int32_t n_samples,
                            int64_t n,
                            int32_t n_classes,
                            opn_numbers x,
                            int32_t n_measures,
                            const opn_number_room *measure,
                            opn_number_room alpha,
                            opn_number_room probability)
{
    OPN_RETURN_IF_NULL(ctx, OPN_ERR_INVALID_ARG);
    if (n > 0)
        OPN_REJECT_MISSING(ctx, x);
    if (n_measures > 0)
        OPN_REJECT_NULL(ctx, measure);
    opn_status status = OPN_OK;
    const output in = {input, n_samples, n, n_classes, x};
    node of = {0};
    int64_t spent = 0;
    OPN_TRY(check_output(ctx, &in)); // all before writing any output
    OPN_TRY_NEW(ctx, of.alpha, n_classes);
    OPN_TRY_NEW(ctx, of.p, n_classes);
    OPN_TRY_NEW(ctx, of.row, n_classes);
    for (int64_t i = 0; i < n; i++) {
        OPN_TRY_SPEND(ctx, spent, (n_samples + (int64_t)n_classes) * n_classes, forming);
        read_node(&in, i, &of);
        const opn_i_opinion opinion = {.n_classes = n_classes,
                                       .alpha = of.alpha,
                                       .p = of.p,
                                       .expected_entropy = of.entropy,
                                       .is_closed = n_samples == 1};
        for (int m = 0; m < OPN_N_MEASURES && m < n_measures; m++)
            if (!opn_i_room_missing(measure[m]))
                opn_i_number_put(measure[m], (size_t)i,
                                 is_known(&in, m) ? opn_i_measure_at(m)->of(&opinion)
                                                  : (double)NAN);
        put_rows(&in, i, &of, alpha, probability);
    }
cleanup:
    opn_i_release(&ctx->alloc, of.alpha);
    opn_i_release(&ctx->alloc, of.p);
    opn_i_release(&ctx->alloc, of.row);
    return status;
}

opn_status opn_opinion(opn_ctx *ctx,
                       int64_t n,
                       int32_t n_classes,
                       const float *alpha,
                       int32_t n_measures,
                       float *const *measure)
{
    OPN_RETURN_IF_NULL(ctx, OPN_ERR_INVALID_ARG);
    if (n > 0)
        OPN_REJECT_NULL(ctx, alpha);
    if (n_measures > 0)
        OPN_REJECT_NULL(ctx, measure);
    static const opn_number_room unwanted = {NULL, NULL};
    opn_number_room room[OPN_N_MEASURES] = {{NULL, NULL}};
    for (int m = 0; m < OPN_N_MEASURES && m < n_measures; m++)
        room[m] = opn_into_f32(measure[m]);
    return opn_opinion_from(ctx, OPN_OPINION_ALPHA, 1, n, n_classes, opn_f32(alpha),
                            n_measures, room, unwanted, unwanted);
}
