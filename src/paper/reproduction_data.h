// reproduction_data.h -- the implementation of opn_reproduction.

#ifndef OPN_REPRODUCTION_DATA_H
#define OPN_REPRODUCTION_DATA_H

#include "base/context.h"
#include "opine/evaluate.h"

enum { OPN_AUROC_AUPR = 2 };

// A row of a table; all strings are static.
typedef struct opn_i_result_row {
    const char *table, *task, *dataset, *model;
    const char *measure; // or "accuracy", which has one figure only
    const char *setting; // "paper", "10,000 epochs", "strong"
    double paper[OPN_AUROC_AUPR];
    opn_estimate ours[OPN_AUROC_AUPR];
} opn_i_result_row;

// Whether one of the paper's three answers, or of our two, holds on a dataset: the mean
// difference, paired by seed, between what should be best and the best of the rest.
typedef struct opn_i_answer {
    int number; // 1 … 3 of the paper, 4 and 5 of ours
    const char *dataset;
    const char *rival; // the measure or model it is compared with
    opn_comparison difference[OPN_AUROC_AUPR];
} opn_i_answer;

// The cost of a run.
typedef struct opn_i_cost {
    const char *dataset, *task, *model, *setting;
    int32_t n_seeds;
    double n_epochs, seconds; // means over the seeds; NaN if not measured
    double n_pool, prevalence;
} opn_i_cost;

// A row of the tables of other papers' protocols: a score of ours, or a published method,
// of which most figures are not known (n is 0). All strings are static.
enum { OPN_N_RIVAL_FIGURES = 5 }; // those of opn_i_rival_figure_name()
typedef struct opn_i_rival_row {
    const char *dataset, *protocol, *shift;
    const char *method, *score; // "gcn", "gnnsafe"; "GNNSafe", "published"
    const char *isolated;       // how nodes without neighbours count, or ""
    opn_estimate figure[OPN_N_RIVAL_FIGURES];
} opn_i_rival_row;

// One run on images: means of each opn_measure over the unlabelled images that are like
// the labelled ones and over the others, entropies in nats; the AUROC by which it tells
// them apart and the accuracy on test images, in percent. NaN: not measured.
enum { OPN_IMAGE_MODELS = 2, OPN_IMAGE_TERMS = 4, OPN_IMAGE_MEASURES = 5 };
typedef struct opn_i_image_cell {
    double accuracy, seconds;
    double inside[OPN_IMAGE_MEASURES], outside[OPN_IMAGE_MEASURES];
    double auroc[OPN_IMAGE_MEASURES];
} opn_i_image_cell;

struct opn_reproduction {
    opn_alloc alloc;
    opn_i_result_row *row;
    int32_t n_rows;
    size_t row_room;
    opn_i_answer *answer;
    int32_t n_answers;
    size_t answer_room;
    opn_i_cost *cost;
    int32_t n_costs;
    size_t cost_room;
    opn_i_rival_row *rival;
    int32_t n_rivals;
    size_t rival_room;
    opn_i_image_cell *image_cell; // [n_image_seeds,MODELS,TERMS], see image_runs.h
    int32_t n_image_seeds;
};

// "supported" if the whole interval is above 0, "not supported" if it is below, otherwise
// "undecided".
const char *opn_i_verdict(const opn_comparison *difference);

// The question that an answer belongs to, in words.
const char *opn_i_question(int number);

OPN_NODISCARD opn_status opn_i_reproduction_export(opn_ctx *ctx,
                                                   const opn_reproduction *found,
                                                   const char *path,
                                                   bool as_json);

#endif // OPN_REPRODUCTION_DATA_H
