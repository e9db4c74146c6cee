// ranking.c -- nodes ranked by a score, and the metrics of the ranking.

#include "opinion/ranking.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { DIGIT_BITS = 8, N_DIGITS = 4, DIGIT_VALUES = 1 << DIGIT_BITS };
enum { POSITIVE_BIT = 1, WRONG_BIT = 2 };

// ---- sorting -------------------------------------------------------------------------

void opn_i_ranking_deinit(const opn_alloc *alloc, opn_i_ranking *ranking)
{
    opn_i_release(alloc, ranking->item);
    opn_i_release(alloc, ranking->tie);
    *ranking = (opn_i_ranking){0};
}

opn_status opn_i_ranking_init(opn_ctx *ctx, int32_t room, opn_i_ranking *out)
{
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {.room = room};
    OPN_TRY_NEW(ctx, ranking.item, 2 * (size_t)room);
    OPN_TRY_NEW(ctx, ranking.tie, room);
    *out = ranking;
    ranking = (opn_i_ranking){0};
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

// An integer with the same order as the score, also for infinities.
static uint32_t order_of(float score)
{
    const float plain = score + 0.0f; // -0 becomes 0 and ties with it
    uint32_t bits;
    memcpy(&bits, &plain, sizeof(bits));
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

// Radix sort by the high half, which holds the order of a score: digit by digit from the
// lowest, in an even number of passes, so that the items end where they began. The low
// half holds the flags.
static void sort_items(int32_t n, uint64_t *item, uint64_t *spare)
{
    uint32_t begin[N_DIGITS][DIGIT_VALUES] = {{0}};
    for (int32_t i = 0; i < n; i++)
        for (int d = 0; d < N_DIGITS; d++)
            begin[d][(item[i] >> (32 + d * DIGIT_BITS)) % DIGIT_VALUES]++;
    for (int d = 0; d < N_DIGITS; d++) {
        uint32_t n_before = 0;
        for (int v = 0; v < DIGIT_VALUES; v++) {
            const uint32_t count = begin[d][v];
            begin[d][v] = n_before;
            n_before += count;
        }
        for (int32_t i = 0; i < n; i++)
            spare[begin[d][(item[i] >> (32 + d * DIGIT_BITS)) % DIGIT_VALUES]++] =
                    item[i];
        uint64_t *const sorted = spare;
        spare = item;
        item = sorted;
    }
}

static uint64_t
make_item(uint32_t order, int32_t i, const uint8_t *positive, const uint8_t *wrong)
{
    return (uint64_t)order << 32 | (positive[i] ? POSITIVE_BIT : 0) |
           (wrong != NULL && wrong[i] ? WRONG_BIT : 0);
}

// Counts the ties of items that are sorted.
static void find_ties(int32_t n, opn_i_ranking *ranking)
{
    const uint64_t *item = ranking->item;
    ranking->n = n;
    ranking->n_ties = 0;
    ranking->n_positive = 0;
    for (int32_t i = 0; i < n; i++) {
        if (i == 0 || item[i] >> 32 != item[i - 1] >> 32)
            ranking->tie[ranking->n_ties++] = (opn_i_tie){0};
        opn_i_tie *last = &ranking->tie[ranking->n_ties - 1];
        last->n++;
        last->n_positive += (item[i] & POSITIVE_BIT) != 0;
        last->n_wrong += (item[i] & WRONG_BIT) != 0;
        ranking->n_positive += (item[i] & POSITIVE_BIT) != 0;
    }
}

void opn_i_rank(int32_t n,
                const float *score,
                const uint8_t *positive,
                const uint8_t *wrong,
                opn_i_ranking *ranking)
{
    for (int32_t i = 0; i < n; i++)
        ranking->item[i] = make_item(order_of(score[i]), i, positive, wrong);
    sort_items(n, ranking->item, ranking->item + ranking->room);
    find_ties(n, ranking);
}

typedef struct placed {
    double score;
    int32_t i;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const double x = ((const placed *)a)->score;
    const double y = ((const placed *)b)->score;
    return (x > y) - (x < y);
}

// A double does not fit the high half of an item, but its place among the others does.
opn_status opn_i_rank_doubles(opn_ctx *ctx,
                              int32_t n,
                              const double *score,
                              const uint8_t *positive,
                              const uint8_t *wrong,
                              opn_i_ranking *ranking)
{
    opn_status status = OPN_OK;
    placed *list = NULL;
    uint32_t order = 0;
    OPN_TRY_NEW_ROOM(ctx, list, n);
    for (int32_t i = 0; i < n; i++)
        list[i] = (placed){score[i], i};
    OPN_TRY(opn_i_sort(ctx, list, (size_t)n, sizeof(*list), compare_placed));
    for (int32_t j = 0; j < n; j++) {
        order += j > 0 && list[j].score > list[j - 1].score;
        ranking->item[j] = make_item(order, list[j].i, positive, wrong);
    }
    find_ties(n, ranking);
cleanup:
    opn_i_release(&ctx->alloc, list);
    return status;
}

// ---- metrics -------------------------------------------------------------------------

const opn_i_tie *
opn_i_ranking_tie(const opn_i_ranking *ranking, opn_i_order order, int32_t step)
{
    return &ranking->tie[order == OPN_BY_LESS ? step : ranking->n_ties - 1 - step];
}

bool opn_i_ranking_is_of_one_kind(const opn_i_ranking *ranking)
{
    return ranking->n_positive == 0 || ranking->n_positive == ranking->n;
}

double opn_i_ranking_auroc(const opn_i_ranking *ranking, opn_i_order order)
{
    // Counts half pairs, so that ties stay integers and the sum is exact.
    int64_t n_halves = 0;
    int64_t n_found = 0;
    if (opn_i_ranking_is_of_one_kind(ranking))
        return (double)NAN;
    for (int32_t step = 0; step < ranking->n_ties; step++) {
        const opn_i_tie *tie = opn_i_ranking_tie(ranking, order, step);
        n_halves += (tie->n - tie->n_positive) * (2 * n_found + tie->n_positive);
        n_found += tie->n_positive;
    }
    return 0.5 * (double)n_halves /
           ((double)ranking->n_positive * (ranking->n - ranking->n_positive));
}

static double
precision_of(const opn_i_ranking *ranking, opn_i_order order, bool of_others)
{
    const int32_t n_wanted =
            of_others ? ranking->n - ranking->n_positive : ranking->n_positive;
    double sum = 0.0;
    int32_t n_seen = 0;
    int32_t n_found = 0;
    for (int32_t step = 0; step < ranking->n_ties; step++) {
        const opn_i_tie *tie = opn_i_ranking_tie(ranking, order, step);
        const int32_t n_new = of_others ? tie->n - tie->n_positive : tie->n_positive;
        n_seen += tie->n;
        n_found += n_new;
        sum += n_new * ((double)n_found / n_seen);
    }
    return n_wanted > 0 ? sum / n_wanted : 0.0;
}

double opn_i_ranking_precision(const opn_i_ranking *ranking, opn_i_order order)
{
    return precision_of(ranking, order, false);
}

static opn_i_order opposite(opn_i_order order)
{
    return order == OPN_BY_MORE ? OPN_BY_LESS : OPN_BY_MORE;
}

double opn_i_ranking_precision_of_others(const opn_i_ranking *ranking, opn_i_order order)
{
    return precision_of(ranking, opposite(order), true);
}

static double
fpr_of(const opn_i_ranking *ranking, opn_i_order order, bool of_others, double tpr)
{
    // Both rates only increase from one threshold to the next: the first one that is
    // enough is the best. It exists, because the last finds all.
    const int32_t n_others = ranking->n - ranking->n_positive;
    const int32_t n_wanted = of_others ? n_others : ranking->n_positive;
    int32_t n_found = 0;
    int32_t n_false = 0;
    if (opn_i_ranking_is_of_one_kind(ranking))
        return (double)NAN;
    for (int32_t step = 0; (double)n_found / n_wanted < tpr; step++) {
        const opn_i_tie *tie = opn_i_ranking_tie(ranking, order, step);
        const int32_t n_new = of_others ? tie->n - tie->n_positive : tie->n_positive;
        n_found += n_new;
        n_false += tie->n - n_new;
    }
    return (double)n_false / (ranking->n - n_wanted);
}

double opn_i_ranking_fpr(const opn_i_ranking *ranking, opn_i_order order, double tpr)
{
    return fpr_of(ranking, order, false, tpr);
}

double
opn_i_ranking_fpr_of_others(const opn_i_ranking *ranking, opn_i_order order, double tpr)
{
    return fpr_of(ranking, opposite(order), true, tpr);
}

double opn_i_ranking_risk(const opn_i_ranking *ranking, double *risk)
{
    double sum = 0.0;
    int32_t i = 0;
    int32_t n_wrong = 0;
    for (int32_t t = 0; t < ranking->n_ties; t++) {
        const opn_i_tie *tie = &ranking->tie[t];
        const double share = (double)tie->n_wrong / tie->n;
        for (int32_t j = 0; j < tie->n; j++, i++) {
            const double expected = (n_wrong + (j + 1) * share) / (i + 1.0);
            sum += expected;
            if (risk != NULL)
                risk[i] = expected;
        }
        n_wrong += tie->n_wrong;
    }
    return sum / ranking->n;
}
