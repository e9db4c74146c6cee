#!/usr/bin/env python3
"""Writes decisions_golden.h: calibration, conformal sets, p-values and risk control.

Usage: python3 decisions_golden.py    (from any folder; SciPy 1.10, scikit-learn 1.2 and
NumPy 1.24 made the file in git).

Inputs are drawn here as tests/support/scored_nodes.c draws them, so that the header need
not hold them. Calibrators are found by SciPy's minimiser, binomial tails by SciPy's
distributions, sets by whole-array NumPy: none of it as in the library.
"""

import math
import pathlib

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats
from sklearn import metrics

from metrics_golden import Draw, calibration_error, philox, put_table

HEADER = pathlib.Path(__file__).resolve().parent / "decisions_golden.h"
STREAM = 30
N_BINS = 15

# seed, nodes, classes, levels of weight, lift of the favoured class, percent favoured
NODES = [
    (1, 100, 2, 8, 8, 80), (2, 200, 3, 100, 300, 85), (3, 400, 7, 1000, 3000, 90),
    (4, 1000, 5, 4, 4, 70), (5, 1000, 10, 1, 1, 60), (6, 120, 2, 2, 50, 100),
    (7, 1000, 4, 100, 1000, 97), (8, 300, 3, 2, 0, 0),
]
KINDS = ["lac", "aps", "raps"]
N_FREE, PENALTY = 2, 0.01
COVERAGES = [0.5, 0.9, 0.95]
PROMISES = [(0.5, 0.9), (0.8, 0.9), (0.9, 0.9), (0.95, 0.8), (0.99, 0.95)]
LEVELS = [0.05, 0.1, 0.3]


def draw_nodes(seed, n, n_classes, levels, lift, percent):
    draw, label, rows = Draw(seed), [], ([], [])
    for _ in range(n):
        label.append(draw.below(n_classes))
        for of in rows:
            favoured = label[-1] if draw.below(100) < percent else draw.below(n_classes)
            weight = [1.0 + draw.below(levels) for _ in range(n_classes)]
            weight[favoured] += lift
            of.append(np.array(weight) / sum(weight))
    return np.array(label), np.array(rows[0]), np.array(rows[1])


# ---- calibration ----


def fit(label, logs, starts=(0.1, 1.0, 10.0)):
    """Exponents of the logs [parts, n, K] with the least cross-entropy, and the NLL there.

    The targets are the labels and one more, spread evenly over nodes and classes.
    """
    n, n_classes = logs.shape[1:]
    true = logs[:, np.arange(n), label]
    target = (n * np.eye(n_classes)[label] + 1 / n_classes) / (n + 1)

    def loss(exponent):
        z = np.tensordot(exponent, logs, 1)
        log_p = z - scipy.special.logsumexp(z, 1, keepdims=True)
        slope = ((np.exp(log_p) - target) * logs).sum(2).mean(1)
        return -(target * log_p).sum(1).mean(), slope

    def nll(exponent):
        z = np.tensordot(exponent, logs, 1)
        return (scipy.special.logsumexp(z, 1) - exponent @ true).mean()

    best = None
    for start in starts:
        found = scipy.optimize.minimize(
            loss, np.full(len(logs), start), jac=True, method="L-BFGS-B",
            bounds=[(0.01, 100.0)] * len(logs),
            options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10000, "maxcor": 20})
        if best is None or found.fun < best.fun:
            best = found
    return best.x, nll(best.x)


def adaptive_error(label, p):
    """Bins of as many nodes each; equal confidences are where the first of them is."""
    top, right = p.max(1), p.argmax(1) == label
    first = np.searchsorted(np.sort(top), top, side="left")
    bins = first * N_BINS // len(top)
    return sum(abs((right[bins == b] - top[bins == b]).sum())
               for b in np.unique(bins)) / len(top)


def calibrated(case):
    label, p, q = draw_nodes(*case)
    (a,), cool = fit(label, np.log(p)[None])
    (pool_a, pool_b), pooled = fit(label, np.log([p, q]))
    brier = ((p - np.eye(p.shape[1])[label]) ** 2).sum(1).mean()
    return [*case, metrics.log_loss(label, p, labels=range(p.shape[1])), brier,
            metrics.accuracy_score(label, p.argmax(1)),
            calibration_error(label, p, N_BINS), adaptive_error(label, p),
            a, cool, pool_a, pool_b, pooled]


# ---- sets ----


def units(seed, n):
    """What opn_i_rng_start_at() draws first for the elements 0 … n - 1."""
    element = np.arange(n, dtype=np.uint64) << np.uint64(16)
    words = philox(seed, STREAM, np.zeros(n, np.uint64), element)
    high, low = words[:, 0] >> np.uint64(5), words[:, 1] >> np.uint64(6)
    return ((high << np.uint64(26)) | low).astype(float) * 2.0 ** -53


def scores(kind, p, own):
    if kind == "lac":
        return 1 - p
    order = np.argsort(-p, axis=1, kind="stable")
    rank = np.argsort(order, axis=1)  # 0-based
    sorted_p = np.take_along_axis(p, order, 1)
    before = np.take_along_axis(np.cumsum(sorted_p, 1) - sorted_p, rank, 1)
    score = before + own[:, None] * p
    return score + (PENALTY * np.maximum(rank + 1 - N_FREE, 0) if kind == "raps" else 0)


def threshold_of(values, coverage):
    rank = math.ceil(round((len(values) + 1) * coverage, 6))
    return np.sort(values)[rank - 1] if rank <= len(values) else np.inf


def sets(case, kind, is_randomised, is_per_class, coverage):
    """Calibrated on the first half of the nodes, measured on the others."""
    label, p, _ = draw_nodes(*case)
    n, n_classes = p.shape
    half = n // 2
    score = scores(kind, p, units(case[0], n) if is_randomised else np.ones(n))
    own = score[np.arange(n), label][:half]
    at = [threshold_of(own[label[:half] == k] if is_per_class else own, coverage)
          for k in range(n_classes)]
    # Sums of probabilities may differ in the last bits: not near a threshold.
    gap = np.abs(score - np.array(at))
    member = score[half:] <= np.array(at) + 1e-12
    assert ((gap < 1e-12) | (gap > 1e-11) | np.isnan(gap)).all()
    size = member.sum(1)
    covered = member[np.arange(n - half), label[half:]]
    return [NODES.index(case), KINDS.index(kind), int(is_randomised), int(is_per_class),
            coverage, min(at[0], 9.0), covered.sum(), (size == 0).sum(),
            (size == 1).sum(), size.mean()]


# ---- belonging ----


def discoveries(case, level):
    """Strangeness of the second half against the first; Benjamini-Hochberg by ranks."""
    label, p, _ = draw_nodes(*case)
    strange = 1 - p.max(1) + 0.3 * (label == 0)
    half = len(p) // 2
    known = strange[:half][label[:half] > 0]
    p_value = (1 + (known[None] >= strange[half:, None]).sum(1)) / (1 + len(known))
    order = np.argsort(p_value, kind="stable")
    n = len(p_value)
    adjusted = p_value[order] * n / np.arange(1, n + 1)
    adjusted = np.minimum.accumulate(adjusted[::-1])[::-1]
    return [NODES.index(case), level, p_value.sum(), (adjusted <= level + 1e-12).sum()]


# ---- promises ----


def fallback(score, right, candidates, target, confidence):
    """The fallback procedure, threshold by threshold: what the last one that passes accepts."""
    candidates, n = np.sort(candidates), len(score)
    grid = [candidates[math.ceil(round(t * len(candidates) / 100, 6)) - 1]
            for t in range(1, 101)]
    error = 1 - confidence
    fewest = math.ceil(math.log(error / 4) / math.log(target))
    share = np.zeros(100)
    for s in range(4):
        share[min(math.ceil(fewest / n * 100 * 2 ** s), 100) - 1] += error / 4
    n_accepted = np.array([(score <= at).sum() for at in grid])
    n_right = np.array([right[score <= at].sum() for at in grid])
    tail = scipy.stats.binom.sf(n_right - 1, n_accepted, target)
    level, kept = 0.0, None
    for t, at in enumerate(grid):
        level += share[t]
        if level > 0 and tail[t] <= level:
            kept = (at, n_accepted[t], n_right[t], level)
        else:
            level = 0.0
    if kept is None:
        return None
    at, n, k, level = kept
    return at, n, k, scipy.stats.beta.ppf(min(level, 0.5), k, n - k + 1)


def promise(case, target, confidence):
    label, p, _ = draw_nodes(*case)
    score, right = 1 - p.max(1), p.argmax(1) == label
    half = len(p) // 2
    kept = fallback(score[:half], right[:half], score[half:], target, confidence)
    shown = kept or (0.0, 0, 0, np.nan)
    return [NODES.index(case), target, confidence, int(kept is not None), *shown]


# ---- the header ----

HEAD = """\
// decisions_golden.h -- written by decisions_golden.py, do not edit.

#ifndef OPN_DECISIONS_GOLDEN_H
#define OPN_DECISIONS_GOLDEN_H

#include <math.h>
#include <stdint.h>

// clang-format off
"""

CALIBRATED = """\
// Nodes as scored_nodes.h draws them; the quality of p as it is, then the exponent of a
// temperature and its NLL, then those of a pool.
typedef struct golden_calibrated {
    uint64_t seed;
    int32_t n, n_classes, levels, lift, percent;
    double nll, brier, accuracy, ece, adaptive_ece;
    double a, cool_nll;
    double pool_a, pool_b, pool_nll;
} golden_calibrated;
"""

SETS = """\
// Of the nodes of one of the above: the first half gives the threshold of the first class
// (at most 9), the others are counted. RAPS has 2 free places and a penalty of 0.01; the
// seed of the draws is that of the nodes.
typedef struct golden_set {
    int32_t nodes, kind, is_randomised, is_per_class;
    double coverage, threshold;
    int32_t n_covered, n_empty, n_single;
    double mean_size;
} golden_set;
"""

DISCOVERIES = """\
// The score is 1 - max p, and 0.3 more for the first class, which is left out of the
// calibration nodes in the first half; p-values of the second half, summed, and how many
// are marked.
typedef struct golden_discovery {
    int32_t nodes;
    double level, sum;
    int32_t n_found;
} golden_discovery;
"""

PROMISES_STRUCT = """\
// The score is 1 - max p; the first half calibrates, the second has the candidates.
typedef struct golden_promise {
    int32_t nodes;
    double target, confidence;
    int32_t is_shown;
    double threshold;
    int32_t n_accepted, n_right;
    double low;
} golden_promise;
"""


def main():
    out = [HEAD]
    put_table(out, CALIBRATED, "golden_calibrateds", [calibrated(c) for c in NODES])
    put_table(out, SETS, "golden_sets",
              [sets(c, kind, is_randomised, is_per_class, coverage)
               for c in NODES for kind in KINDS for is_randomised in (False, True)
               for is_per_class in (False, True) for coverage in COVERAGES
               if not (kind == "lac" and is_randomised)])
    put_table(out, DISCOVERIES, "golden_discoveries",
              [discoveries(c, level) for c in NODES for level in LEVELS])
    put_table(out, PROMISES_STRUCT, "golden_promises",
              [promise(c, *asked) for c in NODES for asked in PROMISES])
    out.append("\n#endif // OPN_DECISIONS_GOLDEN_H\n")
    HEADER.write_text("".join(out))


if __name__ == "__main__":
    main()
