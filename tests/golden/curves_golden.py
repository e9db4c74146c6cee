#!/usr/bin/env python3
"""Writes curves_golden.h: curves and bins by scikit-learn, histograms by NumPy.

Usage: python3 curves_golden.py    (from any folder; scikit-learn 1.2 and NumPy 1.24 made
the file in git).

Inputs are drawn here as the tests draw them, by below() of tests/support, so that the
header need not hold them; all are exact in their type.
"""

import pathlib
import warnings

import numpy as np
from sklearn import calibration, metrics

from metrics_golden import Draw, draw_detection, put_array, put_table

HEADER = pathlib.Path(__file__).resolve().parent / "curves_golden.h"

# seed, nodes, levels of score, percent of positive nodes, lift of their level
RANKINGS = [
    (1, 1, 4, 0, 0), (2, 1, 4, 100, 0), (3, 2, 1, 50, 0), (6, 2, 8, 50, 8),
    (5, 3, 4, 50, 0), (6, 10, 3, 50, 1), (7, 17, 1 << 22, 30, 0), (8, 100, 2, 20, 0),
    (10, 100, 64, 0, 0), (11, 100, 64, 100, 0), (12, 255, 24, 40, 24),
    (13, 256, 24, 40, -24), (14, 120, 1 << 22, 10, 1 << 20), (15, 500, 5, 50, 1),
    (16, 1000, 50, 3, 12),
]

# seed, nodes, classes, levels of probability, bins
CALIBRATIONS = [
    (1, 1, 2, 5, 15), (2, 1, 1, 5, 1), (3, 7, 4, 2, 4), (4, 60, 1, 8, 4),
    (5, 100, 2, 3, 10), (6, 500, 2, 1000, 15), (7, 1000, 3, 64, 16),
    (8, 1000, 2, 100, 10),
]

# seed, values, groups, levels, percent that are NaN, low, high, bins
HISTOGRAMS = [
    (1, 0, 1, 8, 0, 0.0, 1.0, 3), (2, 1, 1, 8, 0, 0.0, 1.0, 1),
    (3, 200, 2, 9, 0, 0.0, 1.0, 8), (4, 200, 2, 9, 20, 0.0, 1.0, 10),
    (5, 500, 3, 40, 10, 0.5, 4.0, 7), (6, 300, 4, 64, 0, -1.0, 2.0, 24),
    (7, 300, 2, 64, 100, 0.0, 1.0, 4),
]


# ---- curves ----


def roc(positive, score):
    x, y, _ = metrics.roc_curve(positive, score, drop_intermediate=False)
    return x, y


def precision_recall(positive, score):
    """From the first threshold on: before it is the point (0, 1) by definition."""
    precision, recall, _ = metrics.precision_recall_curve(positive, score)
    assert precision[-1] == 1 and recall[-1] == 0
    return recall[-2::-1], precision[-2::-1]


def curves(cases):
    """Rows of the table, and the coordinates of all points one after the other."""
    rows, points = [], [[], [], [], []]
    for case in cases:
        positive, score = draw_detection(*case)
        if not 0 < positive.sum() < len(positive):
            rows.append([*case, 0])
            continue
        parts = [*roc(positive, score), *precision_recall(positive, score)]
        n = len(np.unique(score))  # thresholds
        assert [len(part) for part in parts] == [n + 1, n + 1, n, n]
        rows.append([*case, n])
        for part, known in zip(parts, points):
            known.extend(part)
    return rows, points


# ---- reliability ----


def draw_probabilities(seed, n, n_classes, levels):
    draw, label, rows = Draw(seed), [], []
    for _ in range(n):
        label.append(draw.below(n_classes))
        rows.append([np.float32(draw.below(levels + 1)) / np.float32(levels)
                     for _ in range(n_classes)])
    return np.array(label), np.array(rows, np.float32)


def reliability(cases):
    """Rows of the table, and count, confidence and accuracy of all bins, empty ones 0."""
    counts, confidences, accuracies = [], [], []
    for case in cases:
        label, p = draw_probabilities(*case[:-1])
        n_bins, top = case[-1], p.max(1).astype(float)
        right = (p.argmax(1) == label).astype(int)
        inside = [(top <= 1 / n_bins) if b == 0 else
                  (top > b / n_bins) & (top <= (b + 1) / n_bins) for b in range(n_bins)]
        count = np.array([part.sum() for part in inside])
        accuracy, confidence = np.zeros(n_bins), np.zeros(n_bins)
        accuracy[count > 0], confidence[count > 0] = calibration.calibration_curve(
            right, top, n_bins=n_bins, pos_label=1)
        counts.extend(count)
        confidences.extend(confidence)
        accuracies.extend(accuracy)
    return cases, counts, confidences, accuracies


# ---- histograms ----


def histograms(cases):
    counts = []
    for seed, n, n_groups, levels, percent, low, high, n_bins in cases:
        draw, group, value = Draw(seed), [], []
        for _ in range(n):
            group.append(draw.below(n_groups))
            is_nan = draw.below(100) < percent
            level = (draw.below(levels) - levels // 4) / 8
            value.append(np.nan if is_nan else level)
        group, value = np.array(group), np.array(value)
        for g in range(n_groups):
            chosen = np.clip(value[(group == g) & ~np.isnan(value)], low, high)
            counts.extend(np.histogram(chosen, n_bins, (low, high))[0])
    return cases, counts


# ---- the header ----

HEAD = """\
// curves_golden.h -- written by curves_golden.py, do not edit.

#ifndef OPN_CURVES_GOLDEN_H
#define OPN_CURVES_GOLDEN_H

#include <stdint.h>

// clang-format off
"""

RANKING = """\
// Of each node below(100) < percent says whether it is positive, then below(levels) its
// level; score = (level - levels / 2 + (positive ? lift : 0)) / 8.
typedef struct golden_ranking {
    uint64_t seed;
    int32_t n, levels, percent, lift;
    int32_t n_thresholds; // 0 if all nodes are of one kind
} golden_ranking;
"""

CALIBRATION = """\
// Of each node below(n_classes) is the label, then below(levels + 1) / levels the
// probability of each class.
typedef struct golden_calibration {
    uint64_t seed;
    int32_t n, n_classes, levels, n_bins;
} golden_calibration;
"""

HISTOGRAM = """\
// Of each value below(n_groups) is the group, then below(100) < percent says whether it
// is NaN, then it is (below(levels) - levels / 4) / 8, which is drawn in any case.
typedef struct golden_histogram {
    uint64_t seed;
    int32_t n, n_groups, levels, percent;
    double low, high;
    int32_t n_bins;
} golden_histogram;
"""


def main():
    warnings.simplefilter("ignore")  # on a bin that holds no positive
    out = [HEAD]
    rows, points = curves(RANKINGS)
    put_table(out, RANKING, "golden_rankings", rows)
    put_array(out, "golden_roc_x", points[0],
              "False positive rates from (0, 0) on, n_thresholds + 1 of each ranking.")
    put_array(out, "golden_roc_y", points[1], "True positive rates.")
    put_array(out, "golden_recall", points[2],
              "Recall from the first threshold on, n_thresholds of each ranking.")
    put_array(out, "golden_precision", points[3], "Precision.")
    rows, counts, confidences, accuracies = reliability(CALIBRATIONS)
    put_table(out, CALIBRATION, "golden_calibrations", rows)
    put_array(out, "golden_bin_n", counts, "n_bins of each calibration.", "int32_t")
    put_array(out, "golden_bin_confidence", confidences, "Means, 0 of an empty bin.")
    put_array(out, "golden_bin_accuracy", accuracies, "Means, 0 of an empty bin.")
    rows, counts = histograms(HISTOGRAMS)
    put_table(out, HISTOGRAM, "golden_histograms", rows)
    put_array(out, "golden_counts", counts, "n_groups n_bins of each histogram.",
              "int32_t")
    out.append("\n#endif // OPN_CURVES_GOLDEN_H\n")
    HEADER.write_text("".join(out))


if __name__ == "__main__":
    main()
