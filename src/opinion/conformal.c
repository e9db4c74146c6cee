// conformal.c -- sets of classes and p-values whose error rate is known in advance.

#include "opine/conformal.h"

#include "base/random.h"
#include "base/sort.h"
#include "opinion/number_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char making[] = "making sets of classes";

// What one costs in a sort of all, about.
enum { STEPS_A_CLASS = 16 };

const char *opn_set_name(opn_set_kind kind)
{
    switch (kind) {
    case OPN_SET_LAC:
        return "lac";
    case OPN_SET_APS:
        return "aps";
    case OPN_SET_RAPS:
        return "raps";
    }
    return "?";
}

// ---- scores --------------------------------------------------------------------------

typedef struct ranked_class {
    double p;
    int32_t k;
} ranked_class;

// The most probable first, of equal ones the first class.
static int compare_classes(const void *a, const void *b)
{
    const ranked_class *x = a;
    const ranked_class *y = b;
    return x->p != y->p ? (x->p < y->p) - (x->p > y->p) : (x->k > y->k) - (x->k < y->k);
}

static opn_status check_sizes(opn_ctx *ctx, int32_t n, int32_t n_classes)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, n < 0, OPN_ERR_INVALID_ARG, "%d nodes, which must be 0 or more", n);
    OPN_FAIL_IF(ctx, n_classes < 1, OPN_ERR_INVALID_ARG,
                "%d classes: a set needs at least one", n_classes);
cleanup:
    return status;
}

static opn_status
check_probabilities(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers p)
{
    static const double most = 1.0001; // 1 with rounding error
    opn_status status = OPN_OK;
    const size_t width = (size_t)n_classes;
    for (size_t j = 0; j < (size_t)n * width; j++) {
        OPN_TRY_GO_ON(ctx, j, making);
        const double x = opn_i_number(p, j);
        OPN_FAIL_IF(ctx, !(x >= 0.0 && x <= most), OPN_ERR_INVALID_ARG,
                    "probability of node %zu and class %zu is %g, which must be in "
                    "[0, 1]",
                    j / width, j % width, x);
    }
cleanup:
    return status;
}

static opn_status check_options(opn_ctx *ctx, const opn_set_options *options)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, strcmp(opn_set_name(options->kind), "?") == 0, OPN_ERR_INVALID_ARG,
                "%d is not a kind of set", (int)options->kind);
    if (options->kind != OPN_SET_RAPS)
        return OPN_OK;
    OPN_FAIL_IF(ctx, options->n_free < 0, OPN_ERR_INVALID_ARG,
                "%d classes without penalty, which must be 0 or more", options->n_free);
    OPN_FAIL_IF(ctx, !(options->penalty >= 0.0 && isfinite(options->penalty)),
                OPN_ERR_INVALID_ARG, "a penalty of %g, which must be 0 or more",
                options->penalty);
cleanup:
    return status;
}

// The part of its own probability that counts towards a class.
static double own_part(const opn_set_options *options, int32_t i)
{
    if (!options->is_randomised)
        return 1.0;
    opn_i_rng rng = opn_i_rng_start_at(options->seed, OPN_STREAM_SETS, 0, (uint64_t)i);
    return opn_i_rng_unit(&rng);
}

// Of RAPS, for the class at place `rank`, counted from 1.
static double penalty_at(const opn_set_options *options, int32_t rank)
{
    return options->kind == OPN_SET_RAPS && rank > options->n_free
                   ? options->penalty * (rank - options->n_free)
                   : 0.0;
}

// Writes the scores of node i; `ranked` holds its classes by decreasing p.
static void put_adaptive(const opn_set_options *options,
                         int32_t i,
                         int32_t n_classes,
                         const ranked_class *ranked,
                         opn_number_room score)
{
    const double own = own_part(options, i);
    const size_t at = (size_t)i * (size_t)n_classes;
    double before = 0.0;
    for (int32_t r = 0; r < n_classes; r++) {
        opn_i_number_put(score, at + (size_t)ranked[r].k,
                         before + own * ranked[r].p + penalty_at(options, r + 1));
        before += ranked[r].p;
    }
}

opn_status opn_set_score(opn_ctx *ctx,
                         const opn_set_options *options,
                         int32_t n,
                         int32_t n_classes,
                         opn_numbers p,
                         opn_number_room score)
{
    OPN_REJECT_NULL(ctx, options);
    OPN_REJECT_MISSING(ctx, p);
    OPN_REJECT_NO_ROOM(ctx, score);
    opn_status status = OPN_OK;
    ranked_class *ranked = NULL;
    int64_t spent = 0;
    const size_t width = (size_t)n_classes;
    OPN_TRY(check_sizes(ctx, n, n_classes));
    OPN_TRY(check_options(ctx, options));
    OPN_TRY(check_probabilities(ctx, n, n_classes, p));
    OPN_TRY_NEW(ctx, ranked, n_classes);
    for (int32_t i = 0; i < n; i++) {
        OPN_TRY_SPEND(ctx, spent, STEPS_A_CLASS * (int64_t)n_classes, making);
        const size_t at = (size_t)i * width;
        if (options->kind == OPN_SET_LAC) {
            for (size_t k = 0; k < width; k++)
                opn_i_number_put(score, at + k, 1.0 - opn_i_number(p, at + k));
            continue;
        }
        for (int32_t k = 0; k < n_classes; k++)
            ranked[k] = (ranked_class){opn_i_number(p, at + (size_t)k), k};
        qsort(ranked, width, sizeof(*ranked), compare_classes);
        put_adaptive(options, i, n_classes, ranked, score);
    }
cleanup:
    opn_i_release(&ctx->alloc, ranked);
    return status;
}

// ---- thresholds ----------------------------------------------------------------------

static opn_status
check_labels(opn_ctx *ctx, int32_t n, int32_t n_classes, const int32_t *label)
{
    opn_status status = OPN_OK;
    for (int32_t i = 0; i < n; i++)
        OPN_FAIL_IF(ctx, label[i] < -1 || label[i] >= n_classes, OPN_ERR_INVALID_ARG,
                    "label of node %d is %d, outside [0, %d)", i, label[i], n_classes);
cleanup:
    return status;
}

// The scores of the true class of those calibration nodes whose class is `only`, or of
// all if it is -1; returns their number.
static int32_t collect_scores(int32_t n,
                              int32_t n_classes,
                              opn_numbers score,
                              const int32_t *label,
                              int32_t only,
                              double *out)
{
    int32_t n_found = 0;
    for (int32_t i = 0; i < n; i++)
        if (label[i] >= 0 && (only < 0 || label[i] == only))
            out[n_found++] =
                    opn_i_number(score, (size_t)i * (size_t)n_classes + (size_t)label[i]);
    return n_found;
}

// The ceil((n + 1) coverage)-th smallest of n scores, which are sorted here. A product
// that is off by rounding counts as the number that a user would have computed.
static opn_status
quantile_of(opn_ctx *ctx, int32_t n, double *score, double coverage, double *out)
{
    static const double rounding = 1e-9;
    opn_status status = OPN_OK;
    const double rank = ceil((n + 1.0) * coverage - rounding);
    *out = (double)INFINITY;
    if (rank > n)
        return OPN_OK;
    OPN_TRY(opn_i_sort(ctx, score, (size_t)n, sizeof(*score), opn_i_compare_numbers));
    *out = score[(int32_t)fmax(rank, 1.0) - 1];
cleanup:
    return status;
}

opn_status opn_set_calibrate(opn_ctx *ctx,
                             int32_t n,
                             int32_t n_classes,
                             opn_numbers score,
                             const int32_t *label,
                             double coverage,
                             int is_per_class,
                             double *threshold)
{
    OPN_REJECT_NULL(ctx, label, threshold);
    OPN_REJECT_MISSING(ctx, score);
    opn_status status = OPN_OK;
    double *of_true = NULL;
    OPN_FAIL_IF(ctx, !(coverage > 0.0 && coverage < 1.0), OPN_ERR_INVALID_ARG,
                "a coverage of %g, which must be between 0 and 1", coverage);
    OPN_TRY(check_sizes(ctx, n, n_classes));
    OPN_TRY(check_labels(ctx, n, n_classes, label));
    OPN_TRY_NEW(ctx, of_true, n);
    const int32_t n_all = collect_scores(n, n_classes, score, label, -1, of_true);
    OPN_FAIL_IF(ctx, n_all == 0, OPN_ERR_INVALID_ARG,
                "no calibration nodes: a coverage needs labelled nodes that the model "
                "was not trained on");
    for (int32_t i = 0; i < n_all; i++)
        OPN_FAIL_IF(ctx, isnan(of_true[i]), OPN_ERR_INVALID_ARG,
                    "score of the true class of a calibration node is not a number");
    double of_all = 0.0;
    OPN_TRY(quantile_of(ctx, n_all, of_true, coverage, &of_all));
    for (int32_t k = 0; k < n_classes; k++) {
        threshold[k] = of_all;
        if (is_per_class) {
            const int32_t n_of = collect_scores(n, n_classes, score, label, k, of_true);
            OPN_TRY(quantile_of(ctx, n_of, of_true, coverage, &threshold[k]));
            OPN_TRY(opn_i_go_on(ctx, making));
        }
    }
cleanup:
    opn_i_release(&ctx->alloc, of_true);
    return status;
}

opn_status opn_set_members(opn_ctx *ctx,
                           int32_t n,
                           int32_t n_classes,
                           opn_numbers score,
                           const double *threshold,
                           uint8_t *member)
{
    OPN_REJECT_NULL(ctx, threshold, member);
    OPN_REJECT_MISSING(ctx, score);
    opn_status status = OPN_OK;
    const size_t width = (size_t)n_classes;
    OPN_TRY(check_sizes(ctx, n, n_classes));
    for (size_t k = 0; k < width; k++)
        OPN_FAIL_IF(ctx, isnan(threshold[k]), OPN_ERR_INVALID_ARG,
                    "threshold of class %zu is not a number", k);
    for (size_t j = 0; j < (size_t)n * width; j++) {
        OPN_TRY_GO_ON(ctx, j, making);
        OPN_FAIL_IF(ctx, isnan(opn_i_number(score, j)), OPN_ERR_INVALID_ARG,
                    "score of node %zu and class %zu is not a number", j / width,
                    j % width);
    }
    for (size_t j = 0; j < (size_t)n * width; j++)
        member[j] = opn_i_number(score, j) <= threshold[j % width];
cleanup:
    return status;
}

// ---- quality -------------------------------------------------------------------------

static int32_t size_of(int32_t n_classes, const uint8_t *member)
{
    int32_t size = 0;
    for (int32_t k = 0; k < n_classes; k++)
        size += member[k] != 0;
    return size;
}

opn_status opn_set_measure(opn_ctx *ctx,
                           int32_t n,
                           int32_t n_classes,
                           const uint8_t *member,
                           const int32_t *label,
                           int32_t *covered,
                           int32_t *of_class,
                           opn_set_quality *out)
{
    OPN_REJECT_NULL(ctx, member, label, out);
    opn_status status = OPN_OK;
    opn_set_quality q = {.coverage = (double)NAN, .mean_size = (double)NAN};
    int64_t n_members = 0;
    OPN_TRY(check_labels(ctx, n, n_classes, label));
    for (int32_t k = 0; k < n_classes; k++) {
        if (covered != NULL)
            covered[k] = 0;
        if (of_class != NULL)
            of_class[k] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        const uint8_t *set = member + (size_t)i * (size_t)n_classes;
        if (label[i] < 0)
            continue;
        const int32_t size = size_of(n_classes, set);
        const bool holds = set[label[i]] != 0;
        q.n++;
        q.n_covered += holds;
        q.n_empty += size == 0;
        q.n_single += size == 1;
        n_members += size;
        if (covered != NULL)
            covered[label[i]] += holds;
        if (of_class != NULL)
            of_class[label[i]]++;
    }
    if (q.n > 0) {
        q.coverage = (double)q.n_covered / q.n;
        q.mean_size = (double)n_members / q.n;
    }
    *out = q;
cleanup:
    return status;
}
