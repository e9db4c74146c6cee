// scored_nodes.h -- nodes with labels and two opinions about them, drawn.

#ifndef OPN_SCORED_NODES_H
#define OPN_SCORED_NODES_H

#include <stdint.h>

enum { SCORED_MOST = 1000, SCORED_MOST_CLASSES = 10 };

typedef struct scored_rule {
    uint64_t seed;
    int32_t n, n_classes;
    int32_t levels;  // of a class's weight, 1 … levels
    int32_t lift;    // what the favoured class has on top
    int32_t percent; // how often that is the true class; else any
} scored_rule;

typedef struct scored_nodes {
    int32_t n, n_classes;
    int32_t label[SCORED_MOST];
    double p[SCORED_MOST * SCORED_MOST_CLASSES]; // [n,K] weight / sum of the weights
    double q[SCORED_MOST * SCORED_MOST_CLASSES]; // [n,K] likewise, drawn on its own
} scored_nodes;

// Of each node below(n_classes) is the label. Then for p, and after it for q, below(100)
// < percent says whether the label is favoured or else below(n_classes), and 1 +
// below(levels) is the weight of each class. tests/golden/decisions_golden.py draws the
// same.
void scored_draw(const scored_rule *rule, scored_nodes *out);

// The most probable class of node i by p, the first of equal ones.
int32_t scored_top(const scored_nodes *nodes, int32_t i);

#endif // OPN_SCORED_NODES_H
