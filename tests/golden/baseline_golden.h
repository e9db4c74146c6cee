// baseline_golden.h -- written by baseline_golden.py, do not edit.

#ifndef OPN_BASELINE_GOLDEN_H
#define OPN_BASELINE_GOLDEN_H

#include <stdint.h>

// clang-format off

// Of each node below(n_classes) is the label, then below(3) > 0 says whether it trains;
// then each feature is there if below(3) is 0, and if so
// (below(9) - 4 + (feature % n_classes == label ? lift : 0)) / 8.
typedef struct golden_baseline {
    uint64_t seed;
    int32_t n, n_features, n_classes, lift;
    double majority, accuracy, nll; // on the nodes that do not train
} golden_baseline;

static const golden_baseline golden_baselines[8] = {
    {1, 12, 2, 2, 1, 1, 1, 0.55853778660122799},
    {2, 200, 5, 2, 1, 0.51351351351351349, 0.54054054054054057, 0.68403511161757513},
    {3, 300, 30, 2, 0, 0.51764705882352946, 0.52941176470588236, 0.73869626468115868},
    {4, 60, 7, 3, 2, 0.2608695652173913, 0.34782608695652173, 1.1886184589301827},
    {5, 500, 12, 5, 1, 0.17318435754189945, 0.25139664804469275, 1.606413903246755},
    {6, 400, 80, 4, 3, 0.22818791946308725, 0.93959731543624159, 0.37921585819373638},
    {17, 900, 40, 12, 4, 0.052287581699346407, 0.36601307189542481, 1.9594268059636208},
    {8, 30, 200, 3, 2, 0.33333333333333331, 0.41666666666666669, 1.0729311681045208},
};

#endif // OPN_BASELINE_GOLDEN_H
