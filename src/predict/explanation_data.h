// explanation_data.h -- the implementation of opn_explanation.

#ifndef OPN_EXPLANATION_DATA_H
#define OPN_EXPLANATION_DATA_H

#include "graph/graph_data.h"
#include "model/model_data.h"
#include "opine/explain.h"

// Writable versions of the arrays in `shown`, which are const there, and the sentence.
typedef struct opn_i_explanation {
    opn_explanation shown; // first, so that a pointer to it is one to the struct
    opn_alloc alloc;
    float *probability, *alpha, *belief;
    float *measure; // [1 + n_neighbours, n_measures]
    int32_t *hops;
    double *prior;
    opn_source *source;
    opn_conflict *conflict;
    opn_neighbour *neighbour;
    char *sentence;
} opn_i_explanation;

// Writes the sentence; everything else must already be set.
OPN_NODISCARD opn_status opn_i_explanation_say(opn_ctx *ctx,
                                               const opn_model *model,
                                               const opn_graph *graph,
                                               opn_i_explanation *e);

#endif // OPN_EXPLANATION_DATA_H
