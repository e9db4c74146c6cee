// control.c -- thresholds that are shown to keep a promise.

#include "opine/control.h"

#include "base/sort.h"
#include "opinion/number_array.h"
#include "opinion/proportion.h"

#include <math.h>

// More starts find something more often, and less of it: of 1, 2, 3, 4 and 8 starts, even
// or doubling, four that double did best or nearly so for accuracies that are flat, that
// fall slowly and that fall fast.
enum { N_THRESHOLDS = 100, N_STARTS = 4, MOST_NODES = INT32_MAX };

// What accepting up to a threshold gives among the calibration nodes.
typedef struct tested {
    double threshold;
    int32_t n_accepted, n_right;
    double share; // of the allowed error, that starts here
    double level; // that it passed at; 0 where it did not
} tested;

typedef struct scored {
    double score;
    uint8_t right;
} scored;

static int compare_scored(const void *a, const void *b)
{
    const double x = ((const scored *)a)->score;
    const double y = ((const scored *)b)->score;
    return (x > y) - (x < y);
}

// ---- input ---------------------------------------------------------------------------

static opn_status check_rates(opn_ctx *ctx, double target, double confidence)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, !(target > 0.0 && target < 1.0), OPN_ERR_INVALID_ARG,
                "a target accuracy of %g, which must be between 0 and 1", target);
    OPN_FAIL_IF(ctx, !(confidence > 0.0 && confidence < 1.0), OPN_ERR_INVALID_ARG,
                "a confidence of %g, which must be between 0 and 1", confidence);
cleanup:
    return status;
}

static opn_status
sort_nodes(opn_ctx *ctx, int32_t n, opn_numbers score, const uint8_t *right, scored **out)
{
    opn_status status = OPN_OK;
    scored *node = NULL;
    OPN_FAIL_IF(ctx, n < 1, OPN_ERR_INVALID_ARG,
                "%d calibration nodes: a threshold needs at least one", n);
    OPN_TRY_NEW(ctx, node, n);
    for (int32_t i = 0; i < n; i++) {
        OPN_TRY_GO_ON(ctx, i, "sorting");
        node[i] = (scored){opn_i_number(score, (size_t)i), right[i]};
        OPN_FAIL_IF(ctx, isnan(node[i].score), OPN_ERR_INVALID_ARG,
                    "score of calibration node %d is not a number", i);
        OPN_FAIL_IF(ctx, right[i] > 1, OPN_ERR_INVALID_ARG,
                    "right of calibration node %d is %d, which must be 0 or 1", i,
                    right[i]);
    }
    OPN_TRY(opn_i_sort(ctx, node, (size_t)n, sizeof(*node), compare_scored));
    *out = node;
    node = NULL;
cleanup:
    opn_i_release(&ctx->alloc, node);
    return status;
}

// ---- the sequence --------------------------------------------------------------------

// The fewest accepted nodes that can show anything, if all are right.
static int32_t fewest(double target, double level)
{
    return (int32_t)fmin(ceil(log(level) / log(target)), MOST_NODES);
}

// Shares depend on the number of calibration nodes and on nothing else of them: a
// sequence that looked at the labels would not be fixed.
static void put_starts(int32_t n, double target, double error, tested *test)
{
    const double first =
            (double)fewest(target, error / N_STARTS) / n * N_THRESHOLDS; // 1-based
    for (int s = 0; s < N_STARTS; s++) {
        const double at = fmin(ceil(ldexp(first, s)), N_THRESHOLDS);
        test[(int)at - 1].share += error / N_STARTS;
    }
}

static void put_thresholds(int32_t n_candidates, const double *candidate, tested *test)
{
    for (int64_t t = 0; t < N_THRESHOLDS; t++) {
        const int64_t last = ((t + 1) * n_candidates + N_THRESHOLDS - 1) / N_THRESHOLDS;
        test[t].threshold = candidate[last - 1];
    }
}

static void count_nodes(int32_t n, const scored *node, tested *test)
{
    int32_t i = 0;
    int32_t n_right = 0;
    for (int t = 0; t < N_THRESHOLDS; t++) {
        for (; i < n && node[i].score <= test[t].threshold; i++)
            n_right += node[i].right;
        test[t].n_accepted = i;
        test[t].n_right = n_right;
    }
}

// The last threshold that passes, or NULL.
static const tested *run_tests(double target, tested *test)
{
    // Of few nodes a tail may be exactly its level; it is accurate to 12 digits.
    static const double with_rounding = 1.0 + 1e-12;
    const tested *last = NULL;
    double level = 0.0;
    for (tested *t = test; t < test + N_THRESHOLDS; t++) {
        level += t->share;
        if (level > 0.0 && opn_i_binomial_tail(t->n_accepted, t->n_right, target) <=
                                   level * with_rounding) {
            t->level = level;
            last = t;
        } else {
            level = 0.0;
        }
    }
    return last;
}

// ---- how many would be needed --------------------------------------------------------

// Accepted nodes that are enough if a share `accuracy` of them is right, which is above
// the target: by Chernoff's bound, n of them have a tail of at most exp(-n KL). Exact if
// all are right.
static double needed_at(double accuracy, double target, double level)
{
    const double wrong = 1.0 - accuracy;
    const double kl = accuracy * log(accuracy / target) +
                      (wrong > 0.0 ? wrong * log(wrong / (1.0 - target)) : 0.0);
    return -log(level) / kl;
}

static int32_t count_needed(int32_t n, double target, double error, const tested *test)
{
    double best = 0.0;
    for (const tested *t = test; t < test + N_THRESHOLDS; t++) {
        if (t->n_right <= target * t->n_accepted)
            continue;
        const double accuracy = (double)t->n_right / t->n_accepted;
        const double share = (double)t->n_accepted / n;
        const double needed = needed_at(accuracy, target, error / N_STARTS) / share;
        if (best == 0.0 || needed < best)
            best = needed;
    }
    return (int32_t)fmin(ceil(best), MOST_NODES);
}

opn_status opn_control_accuracy(opn_ctx *ctx,
                                int32_t n,
                                opn_numbers score,
                                const uint8_t *right,
                                int32_t n_candidates,
                                opn_numbers candidate,
                                double target,
                                double confidence,
                                opn_control *out)
{
    OPN_REJECT_NULL(ctx, right, out);
    OPN_REJECT_MISSING(ctx, score);
    OPN_REJECT_MISSING(ctx, candidate);
    opn_status status = OPN_OK;
    scored *node = NULL;
    double *sorted = NULL;
    tested test[N_THRESHOLDS] = {{0}};
    const double error = 1.0 - confidence;
    OPN_TRY(check_rates(ctx, target, confidence));
    OPN_TRY(sort_nodes(ctx, n, score, right, &node));
    OPN_FAIL_IF(ctx, n_candidates < 1, OPN_ERR_INVALID_ARG,
                "%d candidates: there must be at least one node to decide about",
                n_candidates);
    OPN_TRY(opn_i_numbers_sorted(ctx, n_candidates, candidate, "score of candidate",
                                 &sorted));
    put_thresholds(n_candidates, sorted, test);
    put_starts(n, target, error, test);
    count_nodes(n, node, test);
    const tested *shown = run_tests(target, test);
    *out = (opn_control){.target = target,
                         .confidence = confidence,
                         .threshold = -(double)INFINITY,
                         .n = n,
                         .low = (double)NAN};
    if (shown == NULL) {
        out->n_needed = count_needed(n, target, error, test);
    } else {
        out->is_shown = 1;
        out->threshold = shown->threshold;
        out->n_accepted = shown->n_accepted;
        out->n_right = shown->n_right;
        out->low = opn_i_proportion_low(shown->n_right, shown->n_accepted,
                                        fmin(shown->level, 0.5));
    }
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, sorted);
    return status;
}
