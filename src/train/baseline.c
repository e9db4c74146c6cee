// baseline.c -- majority and logistic regression as baselines.

#include "train/baseline.h"

#include "math/lbfgs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Accuracies settle within some tens of steps; more only sharpen the probabilities. The
// tolerance is per training node: that of scikit-learn is ten times as large.
enum { MAX_STEPS = 300 };
static const double TOLERANCE = 1e-5;

// logit [K] of a node, less their largest; returns the sum of their exponentials.
static double node_logits(const opn_i_logistic *l, opn_vid i, const double *w)
{
    const opn_i_features *x = l->features;
    const int32_t n = l->n_classes;
    memcpy(l->logit, w + (size_t)x->n_cols * (size_t)n, (size_t)n * sizeof(*w));
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);) {
        const double *row = w + (size_t)at.col * (size_t)n;
        const double value = (double)at.value;
        for (int32_t k = 0; k < n; k++)
            l->logit[k] += value * row[k];
    }
    double most = l->logit[0];
    double sum = 0;
    for (int32_t k = 1; k < n; k++)
        most = l->logit[k] > most ? l->logit[k] : most;
    for (int32_t k = 0; k < n; k++) {
        l->logit[k] -= most;
        sum += exp(l->logit[k]);
    }
    return sum;
}

// Adds the gradient of one node's loss; d_logit = p - y.
static double node_loss(const opn_i_logistic *l, opn_vid i, const double *w, double *d_w)
{
    const opn_i_features *x = l->features;
    const int32_t n = l->n_classes;
    const double sum = node_logits(l, i, w);
    const double loss = log(sum) - l->logit[l->target[i]];
    double *d_logit = l->logit;
    for (int32_t k = 0; k < n; k++)
        d_logit[k] = exp(l->logit[k]) / sum - (k == l->target[i]);
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);) {
        double *d_row = d_w + (size_t)at.col * (size_t)n;
        const double value = (double)at.value;
        for (int32_t k = 0; k < n; k++)
            d_row[k] += value * d_logit[k];
    }
    double *d_intercept = d_w + (size_t)x->n_cols * (size_t)n;
    for (int32_t k = 0; k < n; k++)
        d_intercept[k] += d_logit[k];
    return loss;
}

double opn_i_logistic_loss(const void *logistic, const double *w, double *d_w)
{
    const opn_i_logistic *l = logistic;
    const size_t n_weights = (size_t)l->features->n_cols * (size_t)l->n_classes;
    // At the minimum the columns of two classes are u and -u; scikit-learn has the one
    // column 2 u instead, whose penalty is twice that of both.
    const double penalty = l->n_classes == 2 ? 2 : 1;
    double loss = 0;
    for (size_t c = 0; c < n_weights; c++) {
        loss += penalty / 2 * w[c] * w[c];
        d_w[c] = penalty * w[c];
    }
    memset(d_w + n_weights, 0, (size_t)l->n_classes * sizeof(*d_w));
    for (opn_vid i = 0; i < l->features->n_rows; i++)
        if (l->target[i] >= 0)
            loss += node_loss(l, i, w, d_w);
    return loss;
}

// Numbers the classes that occur in training; the others get -1. Returns how many nodes
// train.
static int64_t number_present(opn_vid n_nodes,
                              int32_t n_classes,
                              const int32_t *train,
                              int32_t *size,
                              int32_t *number,
                              int32_t *n_present)
{
    int64_t n_train = 0;
    for (opn_vid i = 0; i < n_nodes; i++) {
        if (train[i] < 0)
            continue;
        size[train[i]]++;
        n_train++;
    }
    for (int32_t k = 0; k < n_classes; k++)
        number[k] = size[k] > 0 ? (*n_present)++ : -1;
    return n_train;
}

static double share(int64_t n, int64_t n_all)
{
    return n_all > 0 ? (double)n / (double)n_all : (double)NAN;
}

opn_status opn_i_majority_share(opn_ctx *ctx,
                                opn_vid n_nodes,
                                int32_t n_classes,
                                const int32_t *train,
                                const int32_t *check,
                                double *out)
{
    opn_status status = OPN_OK;
    int32_t *size = NULL; // [K] training nodes of each class
    int32_t most = 0;
    int64_t n_checked = 0;
    int64_t n_right = 0;
    OPN_TRY_NEW(ctx, size, n_classes);
    for (opn_vid i = 0; i < n_nodes; i++)
        if (train[i] >= 0)
            size[train[i]]++;
    for (int32_t k = 1; k < n_classes; k++)
        most = size[k] > size[most] ? k : most;
    for (opn_vid i = 0; i < n_nodes; i++) {
        n_checked += check[i] >= 0;
        n_right += check[i] == most;
    }
    *out = share(n_right, n_checked);
cleanup:
    opn_i_release(&ctx->alloc, size);
    return status;
}

// Accuracy and NLL of the fitted weights; number [K] is -1 for classes they do not know.
static void score_weights(const opn_i_logistic *l,
                          const double *w,
                          const int32_t *check,
                          const int32_t *number,
                          opn_i_baseline_score *out)
{
    int64_t n_checked = 0;
    int64_t n_right = 0;
    double loss = 0;
    for (opn_vid i = 0; i < l->features->n_rows; i++) {
        if (check[i] < 0)
            continue;
        const int32_t truth = number[check[i]];
        const double sum = node_logits(l, i, w);
        int32_t best = 0;
        for (int32_t k = 1; k < l->n_classes; k++)
            best = l->logit[k] > l->logit[best] ? k : best;
        n_checked++;
        n_right += best == truth;
        loss += truth < 0 ? (double)INFINITY : log(sum) - l->logit[truth];
    }
    out->accuracy = share(n_right, n_checked);
    out->nll = n_checked > 0 ? loss / (double)n_checked : (double)NAN;
}

opn_status opn_i_baseline(opn_ctx *ctx,
                          const opn_i_features *features,
                          int32_t n_classes,
                          const int32_t *train,
                          const int32_t *check,
                          opn_i_baseline_score *out)
{
    opn_status status = OPN_OK;
    opn_i_logistic l = {.features = features};
    opn_i_baseline_score score = {0};
    int32_t *size = NULL;   // [K] training nodes of each class
    int32_t *number = NULL; // [K]
    int32_t *target = NULL; // [V] numbers of the present classes
    double *w = NULL;
    size_t n_weights = 0;
    const opn_vid n_nodes = features->n_rows;
    OPN_TRY_NEW(ctx, size, n_classes);
    OPN_TRY_NEW(ctx, number, n_classes);
    const int64_t n_train =
            number_present(n_nodes, n_classes, train, size, number, &l.n_classes);
    assert(n_train > 0);
    OPN_TRY_NEW(ctx, target, n_nodes);
    for (opn_vid i = 0; i < n_nodes; i++)
        target[i] = train[i] < 0 ? -1 : number[train[i]];
    l.target = target;
    OPN_TRY_NEW(ctx, l.logit, l.n_classes);
    OPN_FAIL_IF(ctx,
                !opn_i_mul((size_t)features->n_cols + 1, (size_t)l.n_classes, &n_weights),
                OPN_ERR_OVERFLOW, "%d features and %d classes are too many to fit",
                features->n_cols, l.n_classes);
    OPN_TRY_NEW(ctx, w, n_weights);
    const opn_i_lbfgs_options options = {.stage = "baseline",
                                         .max_steps = MAX_STEPS,
                                         .tolerance = TOLERANCE * (double)n_train};
    OPN_TRY(opn_i_lbfgs(ctx, n_weights, opn_i_logistic_loss, &l, &options, w));
    OPN_TRY(opn_i_majority_share(ctx, n_nodes, n_classes, train, check, &score.majority));
    score_weights(&l, w, check, number, &score);
    *out = score;
cleanup:
    opn_i_release(&ctx->alloc, size);
    opn_i_release(&ctx->alloc, number);
    opn_i_release(&ctx->alloc, target);
    opn_i_release(&ctx->alloc, l.logit);
    opn_i_release(&ctx->alloc, w);
    return status;
}
