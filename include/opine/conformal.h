// conformal.h -- sets of classes and p-values whose error rate is known in advance.
//
// Arrays in, arrays out. Everything here compares nodes with calibration nodes, and holds
// for nodes that are drawn like these: that are exchangeable with them. It does not need
// the model to be right, but the calibration labels must not have been used to train or
// choose it. docs/decisions.md has the reasons and the formulas.

#ifndef OPINE_CONFORMAL_H
#define OPINE_CONFORMAL_H

#include "numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- sets of classes -----------------------------------------------------------------

// How ill a class fits a node. With the classes of a node by decreasing p, the first of
// equal ones first:
typedef enum opn_set_kind {
    OPN_SET_LAC = 0, // 1 - p_k: the smallest sets on average
    OPN_SET_APS = 1, // p of the classes before k, and u p_k: sets that adapt to the node
    OPN_SET_RAPS = 2 // that, and `penalty` for each place of k after `n_free`
} opn_set_kind;
#define OPN_SET_NAMES "lac|aps|raps"
OPN_API const char *opn_set_name(opn_set_kind kind); // "lac"

// Which score, and what it needs.
typedef struct opn_set_options {
    opn_set_kind kind;
    // u of APS and RAPS: 0 for 1, which gives somewhat larger sets, the same in every
    // run; else a random number in [0, 1) for each node, from `seed` and its row.
    int is_randomised;
    uint64_t seed;
    int32_t n_free; // of RAPS, 0 or more
    double penalty; // of RAPS, 0 or more
} opn_set_options;

// score [n,K], higher for a class that fits worse; it may be p. For DAPS, replace it by
// (1 - t) score + t times the mean of the neighbours' scores, of all nodes alike
// (opn_graph_diffuse() of graph.h). Errors: INVALID_ARG (n < 0, K < 1, no such kind, a
// probability outside [0, 1], `n_free` or `penalty` below 0), NOMEM, INTERRUPTED (some
// rows are written). Cost: O(n K log K).
OPN_API OPN_NODISCARD opn_status opn_set_score(opn_ctx *ctx,
                                               const opn_set_options *options,
                                               int32_t n,
                                               int32_t n_classes,
                                               opn_numbers p,
                                               opn_number_room score);

// threshold [K], the same for all classes, or with `is_per_class` one for each: the
// ceil((m + 1) coverage)-th smallest score of the true class among the m calibration
// nodes (of that class). A class belongs to the set of a node if its score is at most
// the threshold. The set then holds the true class of a new node (of each class) with a
// probability of at least `coverage`. Where there are too few calibration nodes for a
// promise, the threshold is infinite. label [n] is -1 for nodes that are not for
// calibration. Errors: INVALID_ARG (a coverage outside (0, 1), no calibration node, a
// label outside [-1, K), a score that is NaN), NOMEM, INTERRUPTED. Cost: O(n log n).
OPN_API OPN_NODISCARD opn_status opn_set_calibrate(opn_ctx *ctx,
                                                   int32_t n,
                                                   int32_t n_classes,
                                                   opn_numbers score,
                                                   const int32_t *label,
                                                   double coverage,
                                                   int is_per_class,
                                                   double *threshold);

// member [n,K] 1 for the classes in the set of each node. A set may be empty: none of the
// known classes fits the node as well as they fit most calibration nodes. Errors:
// INVALID_ARG (a score or threshold that is NaN), INTERRUPTED.
OPN_API OPN_NODISCARD opn_status opn_set_members(opn_ctx *ctx,
                                                 int32_t n,
                                                 int32_t n_classes,
                                                 opn_numbers score,
                                                 const double *threshold,
                                                 uint8_t *member);

// How sets do on nodes whose class is known.
typedef struct opn_set_quality {
    int32_t n;         // nodes with a label
    int32_t n_covered; // whose set holds it
    int32_t n_empty;   // whose set is empty
    int32_t n_single;  // whose set is one class
    double coverage;   // n_covered / n; NaN without nodes
    double mean_size;  // NaN without nodes
} opn_set_quality;

// The sets member [n,K] against label [n], -1 for nodes to leave out. covered [K] and
// of_class [K], which may be NULL, count the covered nodes of each class and all of them.
// Errors: INVALID_ARG (a label outside [-1, K)).
OPN_API OPN_NODISCARD opn_status opn_set_measure(opn_ctx *ctx,
                                                 int32_t n,
                                                 int32_t n_classes,
                                                 const uint8_t *member,
                                                 const int32_t *label,
                                                 int32_t *covered,
                                                 int32_t *of_class,
                                                 opn_set_quality *out);

// ---- does it belong here? ------------------------------------------------------------

// p_value [n] of "this node is drawn like the calibration nodes": (1 + number of the m
// calibration nodes with a score of at least its own) / (m + 1). A higher score means
// stranger. For a node that is drawn like them, a p-value of at most x has a probability
// of at most x. Errors: INVALID_ARG (no calibration node, a score that is NaN), NOMEM,
// INTERRUPTED (some are written). Cost: O((m + n) log m).
OPN_API OPN_NODISCARD opn_status opn_conformal_p_values(opn_ctx *ctx,
                                                        int32_t n_calibration,
                                                        opn_numbers calibration,
                                                        int32_t n,
                                                        opn_numbers score,
                                                        double *p_value);

// Benjamini and Hochberg: marks the nodes found [n] whose p-value is at most *threshold,
// the largest p for which p n <= level times the number of p-values up to p (0 if there
// is none, and then no node is marked). Of the marked nodes a share of at most `level`
// is marked wrongly, on average over draws of the data; conformal p-values with common
// calibration nodes keep this. Returns the number of marked nodes in *n_found. Errors:
// INVALID_ARG (a level outside (0, 1), a p-value outside [0, 1]), NOMEM, INTERRUPTED.
// Cost: O(n log n).
OPN_API OPN_NODISCARD opn_status opn_discover(opn_ctx *ctx,
                                              int32_t n,
                                              const double *p_value,
                                              double level,
                                              uint8_t *found,
                                              double *threshold,
                                              int32_t *n_found);

#ifdef __cplusplus
}
#endif

#endif // OPINE_CONFORMAL_H
