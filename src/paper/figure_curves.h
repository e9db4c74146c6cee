// figure_curves.h -- panels of lines: ROC and precision-recall curves, training.

#ifndef OPN_FIGURE_CURVES_H
#define OPN_FIGURE_CURVES_H

#include "report/svg.h"

// Lines of one name have one colour in all panels. All arrays are borrowed.
typedef struct opn_i_line {
    const char *name; // NULL: not in the legend
    int32_t n;
    const double *x, *y; // [n] the line is broken at what is not finite
    bool is_chance;      // what a guess gives: dashed grey
} opn_i_line;

typedef struct opn_i_curve_panel {
    const char *title, *x_name, *y_name; // each may be NULL
    int32_t n_lines;
    const opn_i_line *line;
    opn_i_range x, y; // what is shown; {0} is 0 to 1
} opn_i_curve_panel;

// Writes an SVG of the panels with one legend for all. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_figure_curves(opn_ctx *ctx,
                                             const char *path,
                                             const char *title,
                                             int32_t n_panels,
                                             const opn_i_curve_panel *panels,
                                             int32_t n_columns);

#endif // OPN_FIGURE_CURVES_H
