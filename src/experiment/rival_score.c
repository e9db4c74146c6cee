// rival_score.c -- scores that others rank nodes by.

#include "experiment/rival_score.h"

#include <string.h>

// GNNSafe's propagation: e/2 + D^-1 A e/2, twice. A node without neighbours gets nothing
// from them, so that it is halved.
static const opn_diffusion gnnsafe = {
        .n_steps = 2, .teleport = 0.5, .missing = 0.0, .is_lazy = 1};

static float unconfidence(const opn_prediction *said, int32_t i)
{
    const float *p = said->probability + (size_t)i * (size_t)said->n_classes;
    return 1.0f - p[said->predicted[i]];
}

opn_status opn_i_rival_score(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_prediction *said,
                             int32_t score,
                             float *value)
{
    if (score == OPN_SCORE_GNNSAFE) {
        memcpy(value, said->energy, (size_t)said->n_nodes * sizeof(*value));
        return opn_graph_diffuse(ctx, graph, &gnnsafe, 1, value);
    }
    for (int32_t i = 0; i < said->n_nodes; i++)
        value[i] = unconfidence(said, i);
    return OPN_OK;
}
