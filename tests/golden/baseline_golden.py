#!/usr/bin/env python3
"""Writes baseline_golden.h: logistic regressions by scikit-learn.

Usage: python3 baseline_golden.py    (from any folder; scikit-learn 1.9 made the file in
git).

Inputs are drawn here as the tests draw them, by below() of tests/support, so that the
header need not hold them; all are exact in their type.
"""

import pathlib

import numpy as np
from sklearn.linear_model import LogisticRegression

from metrics_golden import Draw, put_table

HEADER = pathlib.Path(__file__).resolve().parent / "baseline_golden.h"

# seed, nodes, features, classes, lift of a class's features
CASES = [
    (1, 12, 2, 2, 1), (2, 200, 5, 2, 1), (3, 300, 30, 2, 0), (4, 60, 7, 3, 2),
    (5, 500, 12, 5, 1), (6, 400, 80, 4, 3), (17, 900, 40, 12, 4), (8, 30, 200, 3, 2),
]


def draw_nodes(seed, n, n_features, n_classes, lift):
    draw = Draw(seed)
    x, label, trains = np.zeros((n, n_features)), [], []
    for i in range(n):
        label.append(draw.below(n_classes))
        trains.append(draw.below(3) > 0)
        for f in range(n_features):
            if draw.below(3) == 0:
                x[i, f] = (draw.below(9) - 4 + lift * (f % n_classes == label[i])) / 8
    return x, np.array(label), np.array(trains)


def score(case):
    x, label, trains = draw_nodes(*case)
    assert len(set(label[trains])) == case[3]
    model = LogisticRegression(C=1, tol=1e-12, max_iter=100000)
    model.fit(x[trains], label[trains])
    p, truth = model.predict_proba(x[~trains]), label[~trains]
    top = np.sort(p, 1)
    assert (top[:, -1] - top[:, -2]).min() > 1e-4  # else a rounding may flip the accuracy
    majority = np.bincount(label[trains]).argmax()
    return [*case, (truth == majority).mean(), (p.argmax(1) == truth).mean(),
            -np.log(p[np.arange(len(truth)), truth]).mean()]


HEAD = """\
// baseline_golden.h -- written by baseline_golden.py, do not edit.

#ifndef OPN_BASELINE_GOLDEN_H
#define OPN_BASELINE_GOLDEN_H

#include <stdint.h>

// clang-format off
"""

CASE = """\
// Of each node below(n_classes) is the label, then below(3) > 0 says whether it trains;
// then each feature is there if below(3) is 0, and if so
// (below(9) - 4 + (feature % n_classes == label ? lift : 0)) / 8.
typedef struct golden_baseline {
    uint64_t seed;
    int32_t n, n_features, n_classes, lift;
    double majority, accuracy, nll; // on the nodes that do not train
} golden_baseline;
"""


def main():
    out = [HEAD]
    put_table(out, CASE, "golden_baselines", [score(case) for case in CASES])
    out.append("\n#endif // OPN_BASELINE_GOLDEN_H\n")
    HEADER.write_text("".join(out))


if __name__ == "__main__":
    main()
