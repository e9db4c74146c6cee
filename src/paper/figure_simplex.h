// figure_simplex.h -- Dirichlet distributions over three classes, drawn as triangles.

#ifndef OPN_FIGURE_SIMPLEX_H
#define OPN_FIGURE_SIMPLEX_H

#include "base/context.h"

typedef struct opn_i_simplex_panel {
    const char *title;     // any text may be NULL
    double alpha[3];       // >= 1, since it is evidence plus one
    const char *corner[3]; // class names: left, right, top
    const char *caption;   // below the triangle, in up to three lines
} opn_i_simplex_panel;

// Writes the panels as SVG or PDF, at most three per row, with one colour bar. Colour is
// the density relative to the uniform distribution, on a logarithmic scale: the middle of
// the ramp where they are equal, darker where it is higher, lighter where it is lower.
//
// Errors: INVALID_ARG (an alpha below 1, above 1e9 or not a number), WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_figure_simplex(opn_ctx *ctx,
                                              const char *path,
                                              const char *title,
                                              int32_t n_panels,
                                              const opn_i_simplex_panel *panels);

#endif // OPN_FIGURE_SIMPLEX_H
