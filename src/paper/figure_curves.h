// figure_curves.h -- figures with panels of lines: ROC, precision-recall, training
// curves.

#ifndef OPN_FIGURE_CURVES_H
#define OPN_FIGURE_CURVES_H

#include "report/plot.h"

// Lines of the same name look the same in all panels. All arrays are borrowed.
typedef struct opn_i_line {
    const char *name; // NULL: not in the legend
    int32_t n;
    const double *x, *y;      // [n] the line is broken at non-finite points
    const double *low, *high; // [n] a band around the line, all finite; or NULL
    uint32_t colour;          // 0: one for each name
    bool is_chance;           // result of random guessing: dotted grey
} opn_i_line;

typedef struct opn_i_curve_panel {
    const char *title, *x_name, *y_name; // each may be NULL
    const char *band_name;               // what the bands are, in the legend; or NULL
    int32_t n_lines;
    const opn_i_line *line;
    opn_i_range x, y; // visible range; {0} means 0 to 1
} opn_i_curve_panel;

// Writes the panels as SVG or PDF with one legend for all. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_figure_curves(opn_ctx *ctx,
                                             const char *path,
                                             const char *title,
                                             int32_t n_panels,
                                             const opn_i_curve_panel *panels,
                                             int32_t n_columns);

#endif // OPN_FIGURE_CURVES_H
