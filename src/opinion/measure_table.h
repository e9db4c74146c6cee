// measure_table.h -- the table of uncertainty measures and all their properties.

#ifndef OPN_MEASURE_TABLE_H
#define OPN_MEASURE_TABLE_H

#include "opine/decide.h"

#include <stdbool.h>

enum {
    OPN_N_MEASURES = OPN_MEASURE_MARGIN + 1,
    // The paper's come first: they need no more than the opinion about one node.
    OPN_N_PAPER_MEASURES = OPN_MEASURE_ENTROPY + 1,
    // Scores, numbered as in opn_score_name().
    OPN_SCORE_ENERGY = OPN_N_MEASURES,
    OPN_SCORE_SMOOTHED = OPN_N_MEASURES + 1, // the first smoothed score
    // Scores of others, which only an evaluation has.
    OPN_SCORE_RIVALS = 2 * OPN_SCORE_SMOOTHED, // the first of them
    OPN_SCORE_GNNSAFE = OPN_SCORE_RIVALS,
    OPN_SCORE_UNCONFIDENCE,
    OPN_N_SCORES
};

// Inputs of one node's measures.
typedef struct opn_i_opinion {
    int32_t n_classes;   // K, 2 or more
    const double *alpha; // [K] of the mean Dirichlet; NaN for a model without evidence
    const double *p;     // [K] mean probabilities of the samples, or of the Dirichlet
    double expected_entropy; // mean entropy of the samples over ln K, if any
    bool is_closed;          // one Dirichlet replaces all samples
} opn_i_opinion;

// What a measure needs from a model.
enum {
    OPN_NEEDS_BELIEF = 1 << 0, // evidence that represents belief
    OPN_NEEDS_SPREAD = 1 << 1, // a distribution of p: samples, or one Dirichlet
    OPN_NEEDS_TEACHER = 1 << 2 // the teacher's logits
};

enum { OPN_N_LEVELS = 3 }; // levels of a measure in words

typedef struct opn_i_measure {
    const char *name, *smoothed_name; // "vacuity", "vacuity~"
    const char *phrase[OPN_N_LEVELS]; // what little, some and much of it mean
    double some, much;                // where "some" and "much" begin
    double low, high;                 // its range
    unsigned needs;                   // bits OPN_NEEDS_...
    opn_decision decision;            // what a node with too much of it is classified as
    double (*of)(const opn_i_opinion *opinion); // NULL if it needs a graph
} opn_i_measure;

const opn_i_measure *opn_i_measure_at(int m); // 0 <= m < OPN_N_MEASURES

// The measure the paper recommends for a task: vacuity for ood, else dissonance.
opn_measure opn_i_recommended_measure(const char *task);

#endif // OPN_MEASURE_TABLE_H
