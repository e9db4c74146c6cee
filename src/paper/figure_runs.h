// figure_runs.h -- the trained models that a figure shows.

#ifndef OPN_FIGURE_RUNS_H
#define OPN_FIGURE_RUNS_H

#include "report/report_data.h"

enum { OPN_FIGURE_MODELS = 3 };

// One figure of one dataset: which models of which task it shows.
typedef struct opn_i_figure_plan {
    const char *figure, *dataset, *task;
    const char *models[OPN_FIGURE_MODELS]; // NULL-terminated unless there are three
} opn_i_figure_plan;

// All borrowed but the report, which holds the graph.
typedef struct opn_i_figure_run {
    opn_ctx *ctx;
    const opn_params *params;
    const char *folder; // of models; NULL: none is kept
    const opn_i_figure_plan *plan;
    opn_report *report;
} opn_i_figure_run;

// Loads the graph of the plan. Errors: those of opn_graph_load_prepared().
OPN_NODISCARD opn_status opn_i_figure_run_open(opn_i_figure_run *run);
void opn_i_figure_run_close(opn_i_figure_run *run);

int32_t opn_i_figure_n_models(const opn_i_figure_plan *plan);

// What model m of the plan says, trained with seed s of the run or taken from the folder.
// Errors: those of opn_model_train(), opn_model_predict() and, with a map, opn_embed().
OPN_NODISCARD opn_status opn_i_figure_view(const opn_i_figure_run *run,
                                           int32_t m,
                                           int32_t s,
                                           bool with_map,
                                           opn_i_view *out);

// How many seeds to average over: as many as `seeds` says if it is given; otherwise as
// many, from the first on, as the folder has all models of, and at least one.
OPN_NODISCARD opn_status opn_i_figure_count_seeds(const opn_i_figure_run *run,
                                                  int32_t *out);

#endif // OPN_FIGURE_RUNS_H
