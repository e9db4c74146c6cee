// figure_gkde.h -- how labelled nodes give evidence to others, on a small real graph.

#ifndef OPN_FIGURE_GKDE_H
#define OPN_FIGURE_GKDE_H

#include "base/context.h"

// Writes the figure as SVG or PDF: the karate club with four labelled nodes, the evidence
// that they give one node, and the vacuity that follows for all. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_figure_gkde(opn_ctx *ctx, const char *path);

#endif // OPN_FIGURE_GKDE_H
