// figure_detection.h -- ROC and precision-recall curves of a run, averaged over seeds.

#ifndef OPN_FIGURE_DETECTION_H
#define OPN_FIGURE_DETECTION_H

#include "paper/figure_runs.h"

typedef struct opn_i_detection opn_i_detection;

// Ranks the whole pool by the paper's measures of the first model of the plan and by
// entropy of the others, for each seed. Errors: those of opn_i_figure_view().
OPN_NODISCARD opn_status opn_i_detection_make(const opn_i_figure_run *run,
                                              opn_i_detection **out);
void opn_i_detection_free(opn_i_detection *found);

// Errors: those of opn_i_figure_curves().
OPN_NODISCARD opn_status opn_i_detection_draw(const opn_i_figure_run *run,
                                              const opn_i_detection *found,
                                              const char *path);

#endif // OPN_FIGURE_DETECTION_H
