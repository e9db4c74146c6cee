// evaluate.h -- how well uncertainties detect misclassified and out-of-distribution
// nodes, over several seeds, and compared with the paper.

#ifndef OPINE_EVALUATE_H
#define OPINE_EVALUATE_H

#include "metrics.h"
#include "prediction.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- what is measured ----------------------------------------------------------------

// How well a score ranks, in percent. For misclassification the positives are the
// correctly classified nodes, ranked by low uncertainty; for ood they are the
// out-of-distribution nodes, ranked by high uncertainty.
typedef enum opn_metric {
    OPN_METRIC_AUROC = 0,
    OPN_METRIC_AUPR = 1,        // average precision
    OPN_METRIC_AUPR_ERRORS = 2, // with the other nodes as positives, ranked in reverse
    OPN_METRIC_FPR95 = 3,       // false positives when 95 % of the positives are found
    OPN_METRIC_AURC = 4, // area under risk over coverage: mean share of wrong nodes
    OPN_METRIC_FPR95_ERRORS = 5 // positives missed when 95 % of the others are found
} opn_metric;
enum { OPN_N_METRICS = 6 };
OPN_API const char *opn_metric_name(opn_metric metric); // "auroc"

// Quality on the test nodes of known classes; percent except brier and nll.
typedef enum opn_quality {
    OPN_QUALITY_ACCURACY = 0,
    OPN_QUALITY_BRIER = 1,
    OPN_QUALITY_NLL = 2,
    OPN_QUALITY_ECE = 3,          // expected calibration error, 15 bins
    OPN_QUALITY_ADAPTIVE_ECE = 4, // likewise, in bins of as many nodes each
    // The same of calibrated probabilities; NaN if nothing was calibrated.
    OPN_QUALITY_CALIBRATED_BRIER = 5,
    OPN_QUALITY_CALIBRATED_NLL = 6,
    OPN_QUALITY_CALIBRATED_ECE = 7,
    OPN_QUALITY_CALIBRATED_ADAPTIVE_ECE = 8
} opn_quality;
enum { OPN_N_QUALITIES = 9 };
OPN_API const char *opn_quality_name(opn_quality quality); // "accuracy"

// Wall-clock seconds.
typedef struct opn_seconds {
    double teacher, prior, train, infer;
} opn_seconds;

// Scores of one trained model. NaN for measures the model does not have, and for times if
// a stored model was used.
typedef struct opn_cell opn_cell;

OPN_API uint64_t opn_cell_seed(const opn_cell *cell);
OPN_API const char *opn_cell_split_hash(const opn_cell *cell); // of every node's role

// The model that `model` auto chose for this seed; "" if a model was named, and for a
// result of an earlier version.
OPN_API const char *opn_cell_chosen(const opn_cell *cell);

// Figures of the cell; `score` is a number as of opn_score_name().
OPN_API double opn_cell_n_pool(const opn_cell *cell);     // nodes that can be drawn
OPN_API double opn_cell_prevalence(const opn_cell *cell); // percent that are positive
OPN_API double opn_cell_n_epochs(const opn_cell *cell);
OPN_API opn_seconds opn_cell_seconds(const opn_cell *cell);
OPN_API double opn_cell_quality(const opn_cell *cell, opn_quality quality);
OPN_API double opn_cell_metric(const opn_cell *cell, opn_metric metric, int32_t score);

// ---- shards --------------------------------------------------------------------------

// A part of an experiment, done by one of several processes that share a folder, on one
// machine or many. The parameter shard, "I/N", says which.
typedef struct opn_shard_summary {
    int32_t part, n_parts;
    int64_t n_runs;    // trainings of this part
    int64_t n_results; // saved by this process; the others were there
    int has_more;      // its last runs are known only when the other shards are done
} opn_shard_summary;

// ---- evaluation ----------------------------------------------------------------------

// Results of several models on one graph and task, over the same seeds and splits.
typedef struct opn_evaluation opn_evaluation;

// Trains and scores every model that the parameter model names, on `seeds` seeds
// starting from `seed`, with the given task, preset, protocol and shift; the graph should
// be prepared as opn_graph_load_prepared() does with these. Runs are distributed over the
// threads of ctx; results do not depend on their number. Models that differ only in
// inference are trained once.
//
// folder  where each result is kept as soon as it is there, with the trained model and a
//         manifest, and where results that are there already are taken from; or NULL
//
// Errors: those of opn_model_train() and opn_model_predict(); INVALID_ARG (a protocol
// with a task or a shift that it does not have, or `shard`); SHAPE (no nodes are left to
// score); READ, FORMAT and WRITE of the folder; INTERRUPTED (the results so far are in
// the folder).
OPN_API OPN_NODISCARD opn_status opn_evaluate(opn_ctx *ctx,
                                              const opn_graph *graph,
                                              const opn_params *params,
                                              const char *folder,
                                              opn_evaluation **out);
// Does part `shard` of the runs of opn_evaluate() and keeps them in the folder, which
// several processes may write to at once, also over a network; opn_evaluate() without
// `shard` then takes them from there, and does what is missing. Errors: those of
// opn_evaluate(); INVALID_ARG (no `shard`, or no folder).
OPN_API OPN_NODISCARD opn_status opn_evaluate_shard(opn_ctx *ctx,
                                                    const opn_graph *graph,
                                                    const opn_params *params,
                                                    const char *folder,
                                                    opn_shard_summary *out);
OPN_API void opn_evaluation_free(opn_evaluation *evaluation); // accepts NULL

OPN_API int32_t opn_evaluation_n_models(const opn_evaluation *evaluation);
OPN_API int32_t opn_evaluation_n_seeds(const opn_evaluation *evaluation);
OPN_API const char *opn_evaluation_model(const opn_evaluation *evaluation, int32_t m);

// Of model m and the s-th seed.
OPN_API const opn_cell *
opn_evaluation_cell(const opn_evaluation *evaluation, int32_t m, int32_t s);

// Mean and interval over the seeds.
OPN_API opn_estimate opn_evaluation_metric(const opn_evaluation *evaluation,
                                           int32_t m,
                                           opn_metric metric,
                                           int32_t score);
OPN_API opn_estimate opn_evaluation_quality(const opn_evaluation *evaluation,
                                            int32_t m,
                                            opn_quality quality);

// Writes the results as a table of text, or as JSON to a path that ends in .json; "-" is
// standard output, and "-.json" JSON there.
OPN_API OPN_NODISCARD opn_status opn_evaluation_save(opn_ctx *ctx,
                                                     const opn_evaluation *evaluation,
                                                     const char *path);

// ---- the paper -----------------------------------------------------------------------

// One figure of a table of the paper, in percent; all texts are static.
typedef struct opn_figure {
    const char *table, *task, *dataset, *model;
    const char *metric;  // "auroc", "aupr", "accuracy"
    const char *measure; // "" for accuracy
    double value;
    double std; // NaN where the paper gives none
} opn_figure;

OPN_API size_t opn_figure_count(void);
OPN_API const opn_figure *opn_figure_at(size_t i); // i < opn_figure_count()

// The figures of the paper beside ours.
typedef struct opn_reproduction opn_reproduction;

// Measures the tables that the parameter table names (all: ""; rivals are the protocols
// of other papers), on the datasets that `dataset` names (all: ""), over `seeds` seeds,
// by default 10, and 5 on the three large graphs; at most 3 for the row with 10,000
// epochs. `folder` is as for opn_evaluate(). Errors: those of opn_evaluate() and
// opn_graph_load().
OPN_API OPN_NODISCARD opn_status opn_reproduce(opn_ctx *ctx,
                                               const opn_params *params,
                                               const char *folder,
                                               opn_reproduction **out);

// Part `shard` of its runs, as opn_evaluate_shard().
OPN_API OPN_NODISCARD opn_status opn_reproduce_shard(opn_ctx *ctx,
                                                     const opn_params *params,
                                                     const char *folder,
                                                     opn_shard_summary *out);
OPN_API void opn_reproduction_free(opn_reproduction *reproduction); // accepts NULL

// Writes the paper's and our figures as text, or as .csv, .json or .md; a file called
// summary.md has only the main figures. "-" is text on standard output, "-.json" JSON
// there.
OPN_API OPN_NODISCARD opn_status opn_reproduction_save(opn_ctx *ctx,
                                                       const opn_reproduction *found,
                                                       const char *path);

// Draws the figures of the paper that the parameter figure names (all: "") of the
// datasets that `dataset` names (all: "") as folder/FIGURE-DATASET.svg and .pdf, from the
// whole pool; without a folder into the current directory. Maps show the first seed.
// Curves are means over as many seeds as `seeds` says if it is set; otherwise over those,
// from the first on, that the folder has models of, and at least the first. Models are
// stored in and taken from the folder as by opn_evaluate(). `drawn`, which may be NULL,
// is called for each file. Errors: those of opn_model_train(), opn_embed() and
// opn_graph_load(); INVALID_ARG (the paper has no such figure; a pool in which all nodes
// are of one kind); WRITE.
OPN_API OPN_NODISCARD opn_status opn_draw_figures(opn_ctx *ctx,
                                                  const opn_params *params,
                                                  const char *folder,
                                                  void (*drawn)(void *user,
                                                                const char *path),
                                                  void *user);

#ifdef __cplusplus
}
#endif

#endif // OPINE_EVALUATE_H
