// figure_simplex.h -- Dirichlet distributions over three classes, in triangles.

#ifndef OPN_FIGURE_SIMPLEX_H
#define OPN_FIGURE_SIMPLEX_H

#include "base/context.h"

typedef struct opn_i_simplex_panel {
    const char *title;     // each text may be NULL
    double alpha[3];       // >= 1, as evidence plus one is
    const char *corner[3]; // names of the classes: left, right, top
    const char *caption;   // stands beneath, in up to three lines
} opn_i_simplex_panel;

// Writes an SVG of the panels, at most three a row, with one bar for all. Colour is the
// density by that of the uniform distribution, on a logarithmic scale: grey where both
// are the same, red where there is more, blue where there is less.
//
// Errors: INVALID_ARG (an alpha below 1, above 1e9 or not a number), WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_figure_simplex(opn_ctx *ctx,
                                              const char *path,
                                              const char *title,
                                              int32_t n_panels,
                                              const opn_i_simplex_panel *panels);

#endif // OPN_FIGURE_SIMPLEX_H
