// ranking.h -- nodes ranked by a score, and the metrics of the ranking.

#ifndef OPN_RANKING_H
#define OPN_RANKING_H

#include "base/context.h"

// Nodes with equal scores. Their order would be arbitrary, so a metric may only use how
// many there are.
typedef struct opn_i_tie {
    int32_t n, n_positive, n_wrong;
} opn_i_tie;

typedef struct opn_i_ranking {
    int32_t room;
    uint64_t *item; // [2, room], the second half is scratch space for sorting
    opn_i_tie *tie; // [n_ties] by increasing score
    int32_t n_ties, n, n_positive;
} opn_i_ranking;

// Allocates for that many nodes. Errors: NOMEM.
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

// The same of scores that floats could not tell apart. Errors: NOMEM, INTERRUPTED. Cost:
// O(n log n).
OPN_NODISCARD opn_status opn_i_rank_doubles(opn_ctx *ctx,
                                            int32_t n,
                                            const double *score,
                                            const uint8_t *positive,
                                            const uint8_t *wrong,
                                            opn_i_ranking *ranking);

// Whether a higher or a lower score indicates a positive.
typedef enum opn_i_order { OPN_BY_MORE, OPN_BY_LESS } opn_i_order;

// The tie at that step, counted from the end where the positives should be.
const opn_i_tie *
opn_i_ranking_tie(const opn_i_ranking *ranking, opn_i_order order, int32_t step);

// Whether all nodes are positive, or none.
bool opn_i_ranking_is_of_one_kind(const opn_i_ranking *ranking);

// Fraction of the pairs of a positive and another node that are in the right order, ties
// counted half; NaN if all nodes are of one kind.
double opn_i_ranking_auroc(const opn_i_ranking *ranking, opn_i_order order);

// Average precision; 0 if there is no positive.
double opn_i_ranking_precision(const opn_i_ranking *ranking, opn_i_order order);

// The same with the other nodes as positives, in the opposite order.
double opn_i_ranking_precision_of_others(const opn_i_ranking *ranking, opn_i_order order);

// Lowest false positive rate at which that fraction of the positives is found; NaN if all
// nodes are of one kind.
double opn_i_ranking_fpr(const opn_i_ranking *ranking, opn_i_order order, double tpr);

// The same for the other nodes, in the opposite order: the fraction of the positives that
// is taken for others when `tpr` of the others is found.
double
opn_i_ranking_fpr_of_others(const opn_i_ranking *ranking, opn_i_order order, double tpr);

// Mean over all i of the fraction of wrong nodes among the i + 1 with the lowest scores;
// the fractions are written to risk [n], which may be NULL. Within a tie they are the
// mean over all orders.
double opn_i_ranking_risk(const opn_i_ranking *ranking, double *risk);

#endif // OPN_RANKING_H
