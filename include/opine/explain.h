// explain.h -- why a model predicts what it does for a node.

#ifndef OPINE_EXPLAIN_H
#define OPINE_EXPLAIN_H

#include "prediction.h"

#ifdef __cplusplus
extern "C" {
#endif

// A training node that contributes to the prior of the node.
typedef struct opn_source {
    opn_vid node;
    int32_t k;     // its class, of the model
    int32_t hops;  // between the two
    double weight; // g(d) of the kernel
    double share;  // of the evidence from all of them
} opn_source;

// Two classes between which the evidence conflicts, the one with the larger belief
// first.
typedef struct opn_conflict {
    int32_t a, b;      // of the model
    double dissonance; // the part of the node's dissonance that comes from the two
    double share;      // of all of it
} opn_conflict;

// A neighbour of the node, and what the model says about it.
typedef struct opn_neighbour {
    opn_vid node;
    int32_t predicted;
    float probability;    // of the predicted class
    const float *measure; // [n_measures] as in the explanation
} opn_neighbour;

// What characterises an opinion. For models with beliefs this is the largest of
// vacuity, dissonance and the belief in the predicted class; for others the larger of
// entropy and the probability of that class.
typedef enum opn_reason {
    OPN_REASON_SURE = 0,
    OPN_REASON_LITTLE_EVIDENCE = 1,
    OPN_REASON_CONFLICT = 2,
    OPN_REASON_UNDECIDED = 3 // of a model without beliefs
} opn_reason;

OPN_API const char *opn_reason_name(opn_reason reason); // "little-evidence"

enum { OPN_MAX_CONFLICTS = 64 };

// Everything about one node; arrays belong to the explanation. Classes are those of the
// model, K of them.
typedef struct opn_explanation {
    opn_vid node;
    opn_role role; // POOL or UNLABELLED on a graph other than the training graph
    int32_t label; // class of the graph, -1 without one
    int32_t n_classes;
    int32_t predicted;
    const float *probability; // [K]
    const float *alpha;       // [K] NULL for a model without evidence
    const float *belief;      // [K] NULL for a model without vacuity
    int32_t n_measures;       // opn_measure_count()
    const float *measure;     // [n_measures] NaN what the model does not measure
    opn_reason reason;

    // About labelled nodes, which are known for the training graph only.
    int is_of_training;   // whether the graph is the training graph
    const int32_t *hops;  // [K] to the nearest training node of each class, -1 where none
                          // can be reached; NULL on another graph
    int32_t nearest_hops; // the smallest of them, -1 if none can be reached
    int has_prior;        // whether the model learnt from their evidence
    const double *prior;  // [K] the evidence of the prior, alpha-hat - 1; NULL without
                          // prior and on another graph
    double prior_sum;     // over the classes
    int32_t n_sources;
    const opn_source *source; // nearest first; all whose evidence counts

    // Conflict; empty for models without dissonance.
    int32_t n_conflicts;
    const opn_conflict *conflict; // the largest first
    int32_t n_conflicts_left;     // pairs beyond OPN_MAX_CONFLICTS
    double conflict_left;         // the dissonance of these

    int32_t n_neighbours;
    int32_t n_agreeing;             // of the same predicted class
    const opn_neighbour *neighbour; // those that do not agree first, the surest of them
                                    // at the very beginning
} opn_explanation;

// Explains the opinion of one node: predicts the graph, then explains as below.
// samples, average and the rest are taken from params as in opn_model_predict(); NULL
// for those of training. Errors: INVALID_ARG (no such node), those of
// opn_model_predict() and opn_model_split().
OPN_API OPN_NODISCARD opn_status opn_explain(opn_ctx *ctx,
                                             const opn_model *model,
                                             const opn_graph *graph,
                                             opn_vid node,
                                             const opn_params *params,
                                             opn_explanation **out);

// The same from existing predictions, to explain several nodes.
//
// split  that of training (opn_model_split()), or NULL if the graph is another
//
// Errors: INVALID_ARG, SHAPE (the graph is directed, or the split of another one),
// NOMEM. Cost: O(V + E + K^2) at most; the search stops early if it can.
OPN_API OPN_NODISCARD opn_status opn_explain_predicted(opn_ctx *ctx,
                                                       const opn_model *model,
                                                       const opn_graph *graph,
                                                       const opn_split *split,
                                                       const opn_prediction *prediction,
                                                       opn_vid node,
                                                       opn_explanation **out);
OPN_API void opn_explanation_free(opn_explanation *explanation); // accepts NULL

// One sentence that explains the opinion. Valid as long as the explanation; names are
// as in the data, unescaped.
OPN_API const char *opn_explanation_sentence(const opn_explanation *explanation);

// The node of that name, or of that number where nodes have no names; -1 when there is
// none. Cost: O(V).
OPN_API opn_vid opn_graph_find_node(const opn_graph *graph, const char *name);

#ifdef __cplusplus
}
#endif

#endif // OPINE_EXPLAIN_H
