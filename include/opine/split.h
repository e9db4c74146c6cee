// split.h -- training, validation and test nodes.

#ifndef OPINE_SPLIT_H
#define OPINE_SPLIT_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the label of a node is used for.
typedef enum opn_role {
    OPN_ROLE_TRAIN = 0,
    OPN_ROLE_VALIDATION = 1,
    OPN_ROLE_TEST = 2,
    OPN_ROLE_POOL = 3, // labelled, none of the above; not the same as opn_split_pool()
    OPN_ROLE_UNLABELLED = 4,
    OPN_ROLE_CALIBRATION = 5 // labels for probabilities and promises, which neither train
                             // the model nor choose it
} opn_role;
enum { OPN_N_ROLES = 6 };

OPN_API const char *opn_role_name(opn_role role); // "train"

// How roles are given.
typedef enum opn_split_rule {
    OPN_SPLIT_USUAL = 0, // what the data call for: GIVEN where there is one, SAMPLED for
                         // the other datasets known by name, OWN for own data
    OPN_SPLIT_GIVEN = 1, // Planetoid's split, or split.csv
    OPN_SPLIT_SAMPLED = 2, // 20 nodes of each class, 500 for validation, the rest test
    OPN_SPLIT_OWN = 3, // all labels; a stratified fifth of them for validation, half of
                       // which is for calibration if there are 200 labels or more
    OPN_SPLIT_REFERENCE = 4, // as the paper's authors' code: GIVEN where there is one,
                             // else 20 K training and 30 K validation nodes of whatever
                             // class; the pool holds validation nodes too
    OPN_SPLIT_GNNSAFE = 5, // as Wu et al. 2023: GIVEN where there is one, else 10, 10 and
                           // 80 % of the nodes of known classes; the pool holds their
                           // test nodes and all nodes of other classes
    OPN_SPLIT_GPN = 6 // as Stadler et al. 2021: 5, 14.25 and 64.6 % of each class; the
                      // pool holds the test nodes
} opn_split_rule;

// A role for every node of a graph; immutable once created.
typedef struct opn_split opn_split;

// Gives every node its role. Nodes of the classes in ood_classes [n_ood] are removed
// from training, validation and calibration after the draw and become POOL (with GNNSAFE
// from testing, too). Unlabelled nodes always have the role UNLABELLED. Errors:
// INVALID_ARG (a class number outside the graph or named twice, no known class left,
// GIVEN without one), SHAPE (data that cannot be split: no labels, no training node left,
// SAMPLED with a class of fewer than 20), NOMEM. Cost: O(V + K).
OPN_API OPN_NODISCARD opn_status opn_split_create(opn_ctx *ctx,
                                                  const opn_graph *graph,
                                                  opn_split_rule rule,
                                                  uint64_t seed,
                                                  const int32_t *ood_classes,
                                                  int32_t n_ood,
                                                  opn_split **out);
OPN_API void opn_split_free(opn_split *split); // accepts NULL

OPN_API opn_vid opn_split_n_nodes(const opn_split *split);
OPN_API int32_t opn_split_n_classes(const opn_split *split); // of the graph, known or not

OPN_API const uint8_t *opn_split_roles(const opn_split *split); // [V] opn_role
OPN_API opn_vid opn_split_count(const opn_split *split, opn_role role);

// Where it came from, as a phrase: "given with the data".
OPN_API const char *opn_split_origin(const opn_split *split);

// The pool of detection scores, [V] 1 for the nodes that are scored: labelled nodes of
// all classes that neither train, validate nor calibrate before the OOD classes were
// removed, unless the rule says otherwise.
OPN_API const uint8_t *opn_split_pool(const opn_split *split);
OPN_API opn_vid opn_split_pool_size(const opn_split *split);

// [K] number of each class among the known ones, -1 for an OOD class.
OPN_API const int32_t *opn_split_known(const opn_split *split);
OPN_API int32_t opn_split_n_known(const opn_split *split);

#ifdef __cplusplus
}
#endif

#endif // OPINE_SPLIT_H
