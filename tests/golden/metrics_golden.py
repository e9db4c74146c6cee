#!/usr/bin/env python3
"""Writes metrics_golden.h: metrics by scikit-learn, statistics by SciPy and mpmath.

Usage: python3 metrics_golden.py    (from any folder; scikit-learn 1.2, SciPy 1.10,
mpmath 1.2 and NumPy 1.24 made the file in git).

Inputs are drawn here as the tests draw them, by below() of tests/support, so that the
header need not hold them; all are exact in their type. What neither package offers is
written with NumPy in another form than in the library.
"""

import pathlib
import warnings

import mpmath
import numpy as np
import scipy.stats
from sklearn import metrics

HEADER = pathlib.Path(__file__).resolve().parent / "metrics_golden.h"

# seed, nodes, levels of score, percent of positive nodes, lift of their level
DETECTIONS = [
    (1, 1, 4, 0, 0), (2, 1, 4, 100, 0), (3, 2, 1, 50, 0), (6, 2, 8, 50, 8),
    (5, 3, 4, 50, 0), (6, 10, 3, 50, 1), (7, 17, 1 << 22, 30, 0), (8, 100, 2, 20, 0),
    (9, 100, 1, 20, 0), (10, 100, 64, 0, 0), (11, 100, 64, 100, 0),
    (12, 255, 64, 40, 64), (13, 256, 64, 40, -64), (14, 257, 1 << 22, 10, 1 << 20),
    (15, 500, 5, 50, 1), (16, 1000, 1 << 22, 50, 1 << 19), (17, 1000, 20, 3, 6),
    (18, 1000, 1000, 85, -100), (19, 1000, 1 << 22, 50, 1 << 22),
    (20, 1000, 1 << 22, 50, -(1 << 22)),
]
TPRS = [0.0, 0.5, 0.8, 0.95, 1.0]

# seed, nodes, classes, levels of weight, lift of the true class, bins
CLASSIFICATIONS = [
    (1, 1, 2, 5, 0, 15), (2, 1, 1, 5, 0, 1), (3, 7, 4, 2, 0, 4), (4, 60, 4, 2, 1, 4),
    (5, 100, 2, 3, 0, 10), (6, 100, 2, 100, 40, 15), (7, 333, 7, 1000, 800, 15),
    (8, 1000, 5, 3, 2, 15), (9, 1000, 3, 1, 1, 15), (10, 1000, 10, 1000, 3000, 100),
]

QUANTILES = [0.6, 0.9, 0.975, 0.995, 0.9995]
FREES = [1, 2, 3, 4, 5, 6, 9, 10, 29, 30, 49, 100, 499, 1000, 9999, 100000]

# seed, values, levels, percent that are NaN
ESTIMATES = [
    (1, 0, 8, 0), (2, 1, 8, 0), (3, 1, 8, 100), (4, 2, 8, 0), (5, 5, 1000, 0),
    (6, 10, 1000, 0), (7, 10, 1, 0), (8, 40, 1000, 30), (9, 40, 1000, 97),
    (10, 500, 1 << 20, 0),
]

# seed, pairs, levels, lift of the first
COMPARISONS = [
    (1, 1, 1 << 30, 0), (2, 2, 1 << 30, 0), (3, 5, 1 << 30, 1 << 30),
    (4, 5, 1 << 30, -(1 << 30)), (5, 10, 1 << 30, 1 << 28), (6, 10, 1000, 300),
    (7, 10, 4, 8), (8, 11, 4, 0), (9, 10, 1, 0), (10, 10, 1, 1),
    (11, 49, 1 << 30, 1 << 27), (12, 50, 1 << 30, 0), (13, 51, 1 << 30, 1 << 28),
    (14, 51, 8, 1), (15, 50, 16, 16), (16, 300, 100, 4),
    (93, 9, 64, 16),  # one difference of 0, and no tie
]
STREAM, N_RESAMPLES = 17, 10000


class Draw:
    """below() of tests/support."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) % n


# ---- detection ----


def draw_detection(seed, n, levels, percent, lift):
    draw, positive, score = Draw(seed), [], []
    for _ in range(n):
        positive.append(draw.below(100) < percent)
        level = draw.below(levels) - levels // 2 + lift * positive[-1]
        score.append(np.float32(level * 0.125))
        assert score[-1] == level * 0.125
    return np.array(positive, int), np.array(score, np.float32)


def fpr_at(positive, score, tpr):
    fprs, tprs, _ = metrics.roc_curve(positive, score, drop_intermediate=False)
    return min(fprs[tprs >= tpr])


def risk_curve(wrong, uncertainty):
    """Errors expected among the first i grow evenly from one end of a tie to the next."""
    values, sizes = np.unique(uncertainty, return_counts=True)
    errors = [wrong[uncertainty == x].sum() for x in values]
    seen, n_wrong = np.cumsum([0, *sizes]), np.cumsum([0, *errors])
    count = np.arange(1, len(wrong) + 1)
    return np.interp(count, seen, n_wrong) / count


def detection(case):
    positive, score = draw_detection(*case)
    n, is_mixed = len(positive), 0 < positive.sum() < len(positive)
    auroc = metrics.roc_auc_score(positive, score) if is_mixed else np.nan
    precision = metrics.average_precision_score(positive, score) + 0.0  # not -0
    fprs = [fpr_at(positive, score, x) if is_mixed else np.nan for x in TPRS]
    risk = risk_curve(positive, score)
    placed = (risk * np.arange(1, n + 1)).sum() / n
    return [*case, auroc, precision, fprs, risk.mean(), placed]


# ---- probabilities ----


def draw_classification(seed, n, n_classes, levels, lift):
    draw, label, rows = Draw(seed), [], []
    for _ in range(n):
        label.append(draw.below(n_classes))
        weight = [draw.below(levels) for _ in range(n_classes)]
        weight[label[-1]] += lift
        if sum(weight) == 0:
            weight[0] = 1
        rows.append(np.array(weight, np.float32) / np.float32(sum(weight)))
    return np.array(label), np.array(rows, np.float32)


def calibration_error(label, rows, n_bins):
    top, is_right = rows.max(1).astype(float), rows.argmax(1) == label
    edges = [b / n_bins for b in range(n_bins + 1)]
    error = 0.0
    for low, high in zip(edges, edges[1:]):
        inside = (top > low) & (top <= high)
        if inside.any():
            error += inside.mean() * abs(is_right[inside].mean() - top[inside].mean())
    return error


def classification(case):
    *drawn, n_bins = case
    label, rows = draw_classification(*drawn)
    n, n_classes = rows.shape
    p = rows.astype(float)
    brier = ((p - np.eye(n_classes)[label]) ** 2).sum(1).mean()
    nll = -np.log(np.maximum(p[np.arange(n), label], np.finfo(np.float32).eps)).mean()
    nll += 0.0  # not -0
    if n_classes == 2:
        of_one = metrics.brier_score_loss(label, p[:, 1], pos_label=1)
        assert abs(brier - 2 * of_one) < 1e-6
    if n_classes > 1:  # scikit-learn also bounds p from above, and then sums to 1
        assert abs(nll - metrics.log_loss(label, rows, labels=range(n_classes))) < 2e-6
    return [*case, brier, nll, calibration_error(label, rows, n_bins)]


# ---- statistics ----


def student_quantile(p, n_free):
    """By the incomplete beta function to 30 digits: SciPy's has nine to eleven."""
    mpmath.mp.dps = 30
    p, n_free = mpmath.mpf(p), mpmath.mpf(n_free)
    near = scipy.stats.t.ppf(float(p), float(n_free))
    exact = mpmath.findroot(
        lambda t: 2 * (1 - p) - mpmath.betainc(n_free / 2, 0.5, 0,
                                               n_free / (n_free + t * t), True), near)
    assert abs(exact / near - 1) < 1e-8
    return float(exact)


def estimate(case):
    seed, n, levels, percent = case
    draw, values = Draw(seed), []
    for _ in range(n):
        is_nan = draw.below(100) < percent
        value = draw.below(levels) / levels
        values += [] if is_nan else [value]
    mean = np.mean(values) if values else np.nan
    if len(values) < 2:
        return [*case, len(values), mean, np.nan, np.nan, np.nan]
    std = np.std(values, ddof=1)
    reach = student_quantile(0.975, len(values) - 1) * std / np.sqrt(len(values))
    return [*case, len(values), mean, std, mean - reach, mean + reach]


def philox(seed, stream, step, element):
    """Philox4x32-10 over arrays of steps and elements: [..., 4] words."""
    mask = np.uint64(0xFFFFFFFF)
    c = [element & mask, element >> np.uint64(32), step,
         np.full_like(element, stream)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), b & mask,
             (a >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), a & mask]
        key = [(key[0] + 0x9E3779B9) % 2 ** 32, (key[1] + 0xBB67AE85) % 2 ** 32]
    return np.stack(c, axis=-1)


def bootstrap(difference, seed):
    """Percentiles of the means of resamples, one step of the generator each."""
    n = len(difference)
    step, element = np.meshgrid(np.arange(N_RESAMPLES, dtype=np.uint64),
                                np.arange((n + 3) // 4, dtype=np.uint64), indexing="ij")
    words = philox(seed, STREAM, step, element).reshape(N_RESAMPLES, -1)[:, :n]
    product = words * np.uint64(n)
    assert ((product & np.uint64(0xFFFFFFFF)) >= 2 ** 32 % n).all()  # none drawn again
    means = difference[(product >> np.uint64(32)).astype(int)].mean(1)
    return np.percentile(means, [2.5, 97.5])


def wilcoxon(a, b):
    difference = a - b
    if not difference.any():
        return 1.0
    sizes = np.abs(difference[difference != 0])
    # SciPy 1.10 would cut the sum of ranks and go on as if there were no ties.
    has_ties = len(np.unique(sizes)) < len(sizes)
    return scipy.stats.wilcoxon(a, b, method="approx" if has_ties else "auto").pvalue


def comparison(case):
    seed, n, levels, lift = case
    draw, pairs = Draw(seed), []
    for _ in range(n):
        first = (draw.below(levels) + lift) / levels
        pairs.append((first, draw.below(levels) / levels))
    a, b = np.array(pairs).T
    return [*case, (a - b).mean(), *bootstrap(a - b, seed), wilcoxon(a, b)]


# ---- the header ----


def number(x):
    if isinstance(x, (list, tuple, np.ndarray)):
        return "{" + ", ".join(number(y) for y in x) + "}"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    return "(double)NAN" if np.isnan(x) else f"{float(x):.17g}"


def wrapped(texts, indent):
    """Texts with a comma behind each, in lines of at most 90 columns with a brace."""
    lines = [" " * indent]
    for text in " ".join(text + "," for text in texts).split(" "):
        if len(lines[-1]) + 1 + len(text) > 89:
            lines.append(" " * indent)
        lines[-1] += (" " if lines[-1].strip() else "") + text
    return "\n".join(lines) + "\n"


def put_table(out, struct, name, rows):
    kind = struct[struct.rindex("}") + 2:].rstrip(";\n")
    out.append(f"\n{struct}\nstatic const {kind} {name}[{len(rows)}] = {{\n")
    for row in rows:
        body = wrapped([number(x) for x in row], 5).rstrip(",\n")
        out.append("    {" + body[5:] + "},\n")
    out.append("};\n")


def put_array(out, name, values, comment, kind="double"):
    out.append(f"\n// {comment}\nstatic const {kind} {name}[{np.size(values)}] = {{\n")
    out.append(wrapped([number(x) for x in np.ravel(values)], 4) + "};\n")


HEAD = """\
// metrics_golden.h -- written by metrics_golden.py, do not edit.

#ifndef OPN_METRICS_GOLDEN_H
#define OPN_METRICS_GOLDEN_H

#include <math.h>
#include <stdint.h>

// clang-format off
"""

DETECTION = """\
enum { GOLDEN_N_TPRS = %d };

// Of each node below(100) < percent says whether it is positive, then below(levels) its
// level; score = (level - levels / 2 + (positive ? lift : 0)) / 8. For the risk these are
// wrong and uncertainty.
typedef struct golden_detection {
    uint64_t seed;
    int32_t n, levels, percent, lift;
    double auroc, average_precision;
    double fpr[GOLDEN_N_TPRS]; // at golden_tpr
    double area;               // mean of the risk
    double placed_risk;        // sum of (i + 1) / n times the risk
} golden_detection;
""" % len(TPRS)

CLASSIFICATION = """\
// Of each node below(n_classes) is the label, then below(levels) the weight of each
// class, to which the label's adds lift; if all are 0 the first is 1. p = weight / their
// sum.
typedef struct golden_classification {
    uint64_t seed;
    int32_t n, n_classes, levels, lift, n_bins;
    double brier, nll, calibration_error;
} golden_classification;
"""

ESTIMATE = """\
// Of each value below(100) < percent says whether it is NaN; else it is below(levels) /
// levels, which is drawn in any case.
typedef struct golden_estimate {
    uint64_t seed;
    int32_t n, levels, percent;
    int32_t n_known;
    double mean, std, low, high;
} golden_estimate;
"""

COMPARISON = """\
// Of each pair a = (below(levels) + lift) / levels, then b = below(levels) / levels. The
// seed is also that of the bootstrap.
typedef struct golden_comparison {
    uint64_t seed;
    int32_t n, levels, lift;
    double difference, low, high, p_value;
} golden_comparison;
"""


def main():
    warnings.simplefilter("ignore")  # on inputs without a positive node, and small ones
    zero = np.zeros(1, np.uint64)
    assert philox(0, 0, zero, zero).tolist() == [[0x6627E8D5, 0xE169C58D, 0xBC57AC4C,
                                                  0x9B00DBD8]]
    out = [HEAD]
    put_array(out, "golden_tpr", TPRS, "True positive rates asked for.")
    put_table(out, DETECTION, "golden_detections", [detection(c) for c in DETECTIONS])
    put_table(out, CLASSIFICATION, "golden_classifications",
              [classification(c) for c in CLASSIFICATIONS])
    out.append(f"\nenum {{ GOLDEN_N_QUANTILES = {len(QUANTILES)}, "
               f"GOLDEN_N_FREES = {len(FREES)} }};\n")
    put_array(out, "golden_quantile_p", QUANTILES, "[N_QUANTILES] p of quantiles.")
    put_array(out, "golden_n_free", FREES, "[N_FREES] degrees of freedom.",
              "int32_t")
    put_array(out, "golden_student",
              [[student_quantile(p, n) for n in FREES] for p in QUANTILES],
              "[N_QUANTILES,N_FREES] quantiles of Student's t.")
    put_table(out, ESTIMATE, "golden_estimates", [estimate(c) for c in ESTIMATES])
    put_table(out, COMPARISON, "golden_comparisons", [comparison(c) for c in COMPARISONS])
    out.append("\n#endif // OPN_METRICS_GOLDEN_H\n")
    HEADER.write_text("".join(out))


if __name__ == "__main__":
    main()
