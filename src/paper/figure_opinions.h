// figure_opinions.h -- maps of what models of a run say about each node.

#ifndef OPN_FIGURE_OPINIONS_H
#define OPN_FIGURE_OPINIONS_H

#include "paper/figure_runs.h"

// Adds the views with maps that the plan shows to the report of the run. Errors: those of
// opn_i_figure_view().
OPN_NODISCARD opn_status opn_i_opinions_make(const opn_i_figure_run *run);

// Of one model classes, predictions and four uncertainties; of two models vacuity on one
// scale, with the nodes of unknown classes marked. Errors: those of opn_i_figure_maps().
OPN_NODISCARD opn_status opn_i_opinions_draw(const opn_i_figure_run *run,
                                             const char *path);

#endif // OPN_FIGURE_OPINIONS_H
