// ranking.h -- nodes in the order of a score, and what can be read off it.

#ifndef OPN_RANKING_H
#define OPN_RANKING_H

#include "base/context.h"

// Nodes of one score. Their order among themselves would be chance, so that all that is
// known of them, and all that a metric may use, is how many there are.
typedef struct opn_i_tie {
    int32_t n, n_positive, n_wrong;
} opn_i_tie;

typedef struct opn_i_ranking {
    int32_t room;
    uint64_t *item; // [2, room], the second half to sort with
    opn_i_tie *tie; // [n_ties] from the least score up
    int32_t n_ties, n, n_positive;
} opn_i_ranking;

// Room for as many nodes. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_ranking_init(opn_ctx *ctx,
                                            int32_t room,
                                            opn_i_ranking *out);
void opn_i_ranking_deinit(const opn_alloc *alloc, opn_i_ranking *ranking);

// Ranks n nodes, at most `room`. `positive` and `wrong` hold 0 or 1, `wrong` may be NULL;
// no score is NaN. Cost: O(n).
void opn_i_rank(int32_t n,
                const float *score,
                const uint8_t *positive,
                const uint8_t *wrong,
                opn_i_ranking *ranking);

// Whether more of the score speaks for a positive, or less.
typedef enum opn_i_order { OPN_BY_MORE, OPN_BY_LESS } opn_i_order;

// The tie that comes so many steps after the one that should hold the positives.
const opn_i_tie *
opn_i_ranking_tie(const opn_i_ranking *ranking, opn_i_order order, int32_t step);

// Whether all nodes are positive, or none.
bool opn_i_ranking_is_of_one_kind(const opn_i_ranking *ranking);

// Share of the pairs of a positive and another node that are in the right order, ties
// counted half; NaN if all nodes are of one kind.
double opn_i_ranking_auroc(const opn_i_ranking *ranking, opn_i_order order);

// Average precision; 0 if there is no positive.
double opn_i_ranking_precision(const opn_i_ranking *ranking, opn_i_order order);

// The same with the other nodes as positives, in the opposite order.
double opn_i_ranking_precision_of_others(const opn_i_ranking *ranking, opn_i_order order);

// Least share of false positives at which that share of the positives is found; NaN if
// all nodes are of one kind.
double opn_i_ranking_fpr(const opn_i_ranking *ranking, opn_i_order order, double tpr);

// Mean share of wrong nodes among the i + 1 of the least score, over all i; that share
// goes to risk [n], which may be NULL. Within a tie it is the mean over all orders.
double opn_i_ranking_risk(const opn_i_ranking *ranking, double *risk);

#endif // OPN_RANKING_H
