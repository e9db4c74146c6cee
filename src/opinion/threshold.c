// threshold.c -- parsing, applying and choosing thresholds on measures.

#include "opinion/threshold.h"

#include "base/number.h"
#include "base/sort.h"
#include "opinion/proportion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *opn_decision_name(opn_decision decision)
{
    switch (decision) {
    case OPN_DECISION_ACCEPT:
        return "accept";
    case OPN_DECISION_MISCLASSIFIED:
        return "abstain (conflict)";
    case OPN_DECISION_OOD:
        return "abstain (little evidence)";
    case OPN_DECISION_UNKNOWN:
        return "unknown class";
    }
    return "?";
}

// ---- thresholds ----------------------------------------------------------------------

// The measure of that name, or -1.
static int find_measure(const char *text, size_t n_chars)
{
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const char *name = opn_measure_name((opn_measure)m);
        if (strlen(name) == n_chars && memcmp(name, text, n_chars) == 0)
            return m;
    }
    return -1;
}

// "vacuity, dissonance, …"
static void list_measures(char *text, size_t room)
{
    size_t n = 0;
    for (int m = 0; m < OPN_N_MEASURES && n < room; m++)
        n += (size_t)snprintf(text + n, room - n, "%s%s", m > 0 ? ", " : "",
                              opn_measure_name((opn_measure)m));
}

static opn_status refuse_name(opn_ctx *ctx, const char *text, size_t n_chars)
{
    char known[256];
    list_measures(known, sizeof(known));
    return opn_i_fail(ctx, OPN_ERR_INVALID_ARG,
                      "`abstain_above`: \"%.*s\" is not one of %s", (int)n_chars, text,
                      known);
}

// Parses one "vacuity=0.5" of n_chars.
static opn_status
read_threshold(opn_ctx *ctx, const char *text, size_t n_chars, opn_thresholds *to)
{
    opn_status status = OPN_OK;
    char number[64] = "";
    const size_t n_name = strcspn(text, "=,");
    const size_t n_number = n_name < n_chars ? n_chars - n_name - 1 : 0;
    double value = 0.0;
    OPN_FAIL_IF(ctx, n_name >= n_chars, OPN_ERR_INVALID_ARG,
                "`abstain_above`: \"%.*s\" is not of the form vacuity=0.5", (int)n_chars,
                text);
    const int m = find_measure(text, n_name);
    if (m < 0)
        return refuse_name(ctx, text, n_name);
    const opn_i_measure *measure = opn_i_measure_at(m);
    OPN_FAIL_IF(ctx, !isnan(to->most[m]), OPN_ERR_INVALID_ARG,
                "`abstain_above`: %s is given twice", measure->name);
    if (n_number < sizeof(number))
        memcpy(number, text + n_name + 1, n_number); // NUL-terminated, as it was all NUL
    OPN_FAIL_IF(
            ctx,
            n_number >= sizeof(number) || !opn_i_parse_real(number, n_number, &value) ||
                    value < measure->low || value > measure->high,
            OPN_ERR_INVALID_ARG,
            "`abstain_above`: the threshold of %s is \"%.*s\", it must be a number "
            "from %g to %g",
            measure->name, (int)n_number, text + n_name + 1, measure->low, measure->high);
    to->most[m] = value;
cleanup:
    return status;
}

opn_status opn_thresholds_parse(opn_ctx *ctx, const char *text, opn_thresholds **out)
{
    OPN_REJECT_NULL(ctx, text, out);
    opn_status status = OPN_OK;
    opn_thresholds *read = NULL;
    const char *at = text;
    OPN_TRY_NEW(ctx, read, 1);
    read->alloc = ctx->alloc;
    for (int m = 0; m < OPN_N_MEASURES; m++)
        read->most[m] = (double)NAN;
    while (*text != 0) {
        const size_t n = strcspn(at, ",");
        OPN_TRY(read_threshold(ctx, at, n, read));
        if (at[n] == 0)
            break;
        at += n + 1;
    }
    *out = read;
    read = NULL;
cleanup:
    opn_thresholds_free(read);
    return status;
}

void opn_thresholds_free(opn_thresholds *thresholds)
{
    if (thresholds == NULL)
        return;
    const opn_alloc alloc = thresholds->alloc;
    opn_i_release(&alloc, thresholds);
}

double opn_thresholds_most(const opn_thresholds *thresholds, opn_measure measure)
{
    OPN_RETURN_IF_NULL(thresholds, (double)NAN);
    return thresholds->most[measure];
}

// Checks everything before the first decision is written.
static opn_status check_measures(opn_ctx *ctx,
                                 int32_t n,
                                 int32_t n_measures,
                                 const float *const *measure,
                                 const opn_thresholds *thresholds)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const char *name = opn_measure_name((opn_measure)m);
        if (isnan(thresholds->most[m]))
            continue;
        OPN_FAIL_IF(ctx, m >= n_measures || measure[m] == NULL, OPN_ERR_INVALID_ARG,
                    "a threshold on %s, which is missing", name);
        for (int32_t i = 0; i < n; i++)
            OPN_FAIL_IF(ctx, isnan(measure[m][i]), OPN_ERR_INVALID_ARG,
                        "%s of node %d is not a number", name, i);
    }
cleanup:
    return status;
}

// The measure that exceeds its threshold most at node i, or -1 if none does.
static int
decide_node(const float *const *measure, const float most[OPN_N_MEASURES], int32_t i)
{
    double greatest = 0.0;
    int decides = -1;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        if (isnan(most[m]) || !(measure[m][i] > most[m]))
            continue;
        // From the least value possible; that as a threshold is exceeded by an infinite
        // factor.
        const double low = opn_i_measure_at(m)->low;
        const double room = (double)most[m] - low;
        const double factor =
                room > 0.0 ? ((double)measure[m][i] - low) / room : (double)INFINITY;
        if (decides < 0 || factor > greatest) {
            greatest = factor;
            decides = m;
        }
    }
    return decides;
}

opn_status opn_decide(opn_ctx *ctx,
                      int32_t n,
                      int32_t n_measures,
                      const float *const *measure,
                      const opn_thresholds *thresholds,
                      uint8_t *decision,
                      int8_t *decided_by)
{
    OPN_REJECT_NULL(ctx, measure, thresholds, decision);
    opn_status status = OPN_OK;
    float most[OPN_N_MEASURES];
    for (int m = 0; m < OPN_N_MEASURES; m++)
        most[m] = (float)thresholds->most[m];
    OPN_TRY(check_measures(ctx, n, n_measures, measure, thresholds));
    for (int32_t i = 0; i < n; i++) {
        const int m = decide_node(measure, most, i);
        decision[i] =
                (uint8_t)(m < 0 ? OPN_DECISION_ACCEPT : opn_decision_for((opn_measure)m));
        if (decided_by != NULL)
            decided_by[i] = (int8_t)m;
    }
cleanup:
    return status;
}

// ---- choosing a threshold ------------------------------------------------------------

typedef struct scored_node {
    float measure;
    uint8_t right;
} scored_node;

static int compare_nodes(const void *a, const void *b)
{
    const float x = ((const scored_node *)a)->measure;
    const float y = ((const scored_node *)b)->measure;
    return (x > y) - (x < y);
}

// The nodes by increasing measure; the caller frees *out.
static opn_status sort_nodes(opn_ctx *ctx,
                             int32_t n,
                             const float *measure,
                             const uint8_t *right,
                             scored_node **out)
{
    opn_status status = OPN_OK;
    scored_node *node = NULL;
    OPN_FAIL_IF(ctx, n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: choosing a threshold needs at least one", n);
    OPN_TRY_NEW(ctx, node, n);
    for (int32_t i = 0; i < n; i++) {
        OPN_FAIL_IF(ctx, isnan(measure[i]), OPN_ERR_INVALID_ARG,
                    "measure of node %d is not a number", i);
        OPN_FAIL_IF(ctx, right[i] > 1, OPN_ERR_INVALID_ARG,
                    "right of node %d is %d, which must be 0 or 1", i, right[i]);
        node[i] = (scored_node){measure[i], right[i]};
    }
    OPN_TRY(opn_i_sort(ctx, node, (size_t)n, sizeof(*node), compare_nodes));
    *out = node;
    node = NULL;
cleanup:
    opn_i_release(&ctx->alloc, node);
    return status;
}

// Accepts all nodes with the next value; false if there is none. Start with only n set in
// *c. The caller adds the interval to the results it keeps.
static bool accept_next(const scored_node *node, opn_coverage *c)
{
    int32_t i = c->n_accepted;
    if (i == c->n)
        return false;
    c->threshold = (double)node[i].measure;
    for (; i < c->n && (double)node[i].measure == c->threshold; i++)
        c->n_right += node[i].right;
    c->n_accepted = i;
    c->coverage = (double)c->n_accepted / c->n;
    c->accuracy = (double)c->n_right / c->n_accepted;
    return true;
}

static void add_interval(opn_coverage *c)
{
    opn_i_proportion_interval(c->n_right, c->n_accepted, &c->low, &c->high);
}

opn_status opn_pick_threshold(opn_ctx *ctx,
                              int32_t n,
                              const float *measure,
                              const uint8_t *right,
                              double target,
                              int *is_reached,
                              opn_coverage *out)
{
    OPN_REJECT_NULL(ctx, measure, right, is_reached, out);
    opn_status status = OPN_OK;
    scored_node *node = NULL;
    opn_coverage at = {.n = n};
    opn_coverage largest = {0}; // of those that reach the target
    opn_coverage best = {0};
    OPN_FAIL_IF(ctx, !(target >= 0.0 && target <= 1.0), OPN_ERR_INVALID_ARG,
                "a target accuracy of %g, which must be from 0 to 1", target);
    OPN_TRY(sort_nodes(ctx, n, measure, right, &node));
    while (accept_next(node, &at)) {
        // A quotient is rounded like the number that a user types: 19 of 20 is 0.95.
        if (at.accuracy >= target)
            largest = at;
        if (best.n == 0 || at.accuracy >= best.accuracy)
            best = at;
    }
    *is_reached = largest.n > 0;
    *out = *is_reached ? largest : best;
    add_interval(out);
cleanup:
    opn_i_release(&ctx->alloc, node);
    return status;
}

opn_status opn_risk_coverage(opn_ctx *ctx,
                             int32_t n,
                             const float *measure,
                             const uint8_t *right,
                             opn_coverage curve[OPN_N_COVERAGES])
{
    OPN_REJECT_NULL(ctx, measure, right, curve);
    opn_status status = OPN_OK;
    scored_node *node = NULL;
    opn_coverage at = {.n = n};
    OPN_TRY(sort_nodes(ctx, n, measure, right, &node));
    for (int c = 0; c < OPN_N_COVERAGES; c++) {
        // In integers, so that 3 of 10 nodes are exactly 30 %.
        const int64_t wanted = (int64_t)n * (c + 1);
        while ((int64_t)at.n_accepted * OPN_N_COVERAGES < wanted &&
               accept_next(node, &at)) {
        }
        curve[c] = at;
        add_interval(&curve[c]);
    }
cleanup:
    opn_i_release(&ctx->alloc, node);
    return status;
}
