// view.h -- one model's predictions for every node, as shown in reports and figures.

#ifndef OPN_VIEW_H
#define OPN_VIEW_H

#include "base/names.h"
#include "opine/control.h"
#include "opine/evaluate.h"
#include "opine/labels.h"
#include "opinion/ranking.h"
#include "predict/prediction_data.h"
#include "train/history.h"

// How the prediction compares with the node's label.
typedef enum opn_i_outcome {
    OPN_OUTCOME_CORRECT = 0,
    OPN_OUTCOME_WRONG = 1,
    OPN_OUTCOME_OOD = 2, // a class that the model does not know
    OPN_OUTCOME_UNLABELLED = 3
} opn_i_outcome;
enum { OPN_N_OUTCOMES = 4 };

// Whose labels judge the model.
typedef enum opn_i_basis {
    OPN_BASIS_TEST = 0,       // the test nodes, and for detection the rest of the pool
    OPN_BASIS_VALIDATION = 1, // the validation nodes, for want of others
    OPN_BASIS_LABELLED = 2    // all labelled nodes: which of them trained is not known
} opn_i_basis;

// Accuracies that the page can promise, and what the labels show of each.
enum { OPN_N_PROMISED = 9 };
extern const double opn_i_promised[OPN_N_PROMISED];

typedef struct opn_i_promises {
    int32_t n, n_validation; // labels behind them; validation nodes among these
    double confidence;
    opn_control of[OPN_N_MEASURES][OPN_N_PROMISED]; // zero for a measure that is missing
} opn_i_promises;

// Classes are numbered as in the report, which has more of them than the model, unless
// stated otherwise.
typedef struct opn_i_view {
    char model[32], task[24]; // "s-bgcn-t-k", "ood"
    int64_t seed;
    int32_t n_nodes, n_known; // V and K
    int32_t *known;           // [K] report class of each model class
    const int32_t *label;     // [V] borrowed; -1 unlabelled
    uint8_t *role;            // [V] opn_role
    uint8_t *in_pool;         // [V] 1: used to measure detection
    opn_i_basis basis;
    opn_prediction *said; // in classes of the model
    float *place;         // [V,2] position on a map, within [0,1]; NULL without one
    int32_t n_hidden;     // hidden units the map is drawn from; 0: opinions
    double perplexity;
    double sigma; // of the prior; 0 without one
    bool has_constant;
    int32_t radius; // of the prior: hops from which on labelled nodes no longer count
    opn_i_promises promises;
    opn_suggestions *suggestions; // nodes to label next; NULL if there are none
    char *file;                   // of the model; NULL if it is not known
    opn_i_history training;
    char training_note[160];
    opn_i_names param_names, param_values;
} opn_i_view;

void opn_i_view_deinit(const opn_alloc *alloc, opn_i_view *view);

opn_i_outcome opn_i_view_outcome(const opn_i_view *view, int32_t i);
const char *opn_i_outcome_name(opn_i_outcome outcome); // "correct"
const char *opn_i_basis_name(opn_i_basis basis);       // "validation"

// The measure that the paper recommends for the task, or entropy if the model lacks it.
opn_measure opn_i_view_recommended(const opn_i_view *view);

// Ranks the nodes of the pool by a measure. For ood the positives are the nodes of
// unknown classes, which should have more of it; otherwise those of known classes
// classified correctly, which should have less. Freed by the caller. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_view_rank(opn_ctx *ctx,
                                         const opn_i_view *view,
                                         bool is_ood,
                                         opn_measure measure,
                                         opn_i_ranking *out);

// All nodes of the pool; `wrong` includes those of unknown classes.
OPN_NODISCARD opn_status opn_i_view_rank_risk(opn_ctx *ctx,
                                              const opn_i_view *view,
                                              opn_measure measure,
                                              opn_i_ranking *out);

// Makes the validation nodes the basis, and the pool, if no node of the pool has a label.
void opn_i_view_find_basis(opn_i_view *view);

// The model's class of each node of the basis with a known class, -1 for all others; to
// be freed.
OPN_NODISCARD opn_status opn_i_view_targets(opn_ctx *ctx,
                                            const opn_i_view *view,
                                            int32_t **out);

#endif // OPN_VIEW_H
