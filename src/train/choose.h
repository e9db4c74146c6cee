// choose.h -- trains several models on one graph and chooses one, by validation nodes
// alone.

#ifndef OPN_CHOOSE_H
#define OPN_CHOOSE_H

#include "model/model_data.h"

// The models that `model` auto trains: neighbours apart from the node itself, neighbours
// averaged with it, and who is linked to whom.
enum { OPN_N_CANDIDATES = 3 };
extern const char *const opn_i_candidate_models[OPN_N_CANDIDATES];

// Among those whose accuracy is within one standard error of the best, the one with the
// lowest NLL; -1 if all are excluded. The first of equals wins.
int opn_i_choose_best(int n, const opn_i_candidate *candidate, const bool *is_excluded);

#endif // OPN_CHOOSE_H
