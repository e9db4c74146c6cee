#!/usr/bin/env python3
"""Writes scores_golden.h: what decisions from the scores of another tool must be.

Usage: python3 scores_golden.py    (from any folder; SciPy 1.10 and NumPy 1.24 made the file
in git).

The table of scores is drawn here and stands in the header as text. From its numbers follow
the entropies, a temperature (SciPy's scalar minimiser), sets of classes, p-values and which
nodes Benjamini and Hochberg's rule marks, by whole-array NumPy: none of it as in the library.
"""

import math
import pathlib

import numpy as np
import scipy.optimize

HEADER = pathlib.Path(__file__).resolve().parent / "scores_golden.h"
CLASSES = ["cat", "dog", "emu"]
N_CALIBRATION, N_TEST, N_UNLABELLED, N_STRANGE = 30, 8, 4, 3
COVERAGE, LEVEL = 0.8, 0.3


def draw_scores():
    draw = np.random.default_rng(18)
    n = N_CALIBRATION + N_TEST + N_UNLABELLED
    label = draw.integers(len(CLASSES), size=n)
    z = draw.normal(size=(n, len(CLASSES)))
    z[np.arange(n), label] += 2.0
    z[-N_STRANGE:] *= 0.01  # as good as no opinion
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    return label, np.round(p, 6)


def role_of(i):
    return ("calibration" if i < N_CALIBRATION else
            "test" if i < N_CALIBRATION + N_TEST else "unlabelled")


def temperature(p, label):
    """With one more label, spread evenly over nodes and classes."""
    n, n_classes = p.shape
    target = (n * np.eye(n_classes)[label] + 1 / n_classes) / (n + 1)

    def loss(a):
        z = a * np.log(p)
        return (np.log(np.exp(z).sum(1)) - (target * z).sum(1)).mean()

    return scipy.optimize.minimize_scalar(loss, bounds=(0.01, 100), method="bounded",
                                          options={"xatol": 1e-12}).x


def expected(label, p):
    fit = slice(0, N_CALIBRATION)
    entropy = -(p * np.log(p)).sum(1) / math.log(len(CLASSES))
    z = temperature(p[fit], label[fit]) * np.log(p)
    calibrated = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    score = 1 - calibrated
    own = np.sort(score[np.arange(N_CALIBRATION), label[fit]])
    at = own[math.ceil((N_CALIBRATION + 1) * COVERAGE) - 1]
    gap = np.sort(np.abs(score - at).ravel())
    assert gap[1] > 1e-4  # no other class is near the threshold
    p_value = (1 + (entropy[fit] >= entropy[:, None]).sum(1)) / (1 + N_CALIBRATION)
    asked = np.sort(p_value[N_CALIBRATION:])
    passing = asked * len(asked) <= LEVEL * np.arange(1, len(asked) + 1) + 1e-12
    most = asked[passing].max() if passing.any() else 0.0
    unknown = (p_value <= most) & (np.arange(len(p)) >= N_CALIBRATION)
    assert 0 < unknown.sum() < len(asked)
    return entropy, calibrated, score <= at + 1e-9, p_value, unknown


def main():
    label, p = draw_scores()
    entropy, calibrated, member, p_value, unknown = expected(label, p)
    lines = ["// scores_golden.h -- written by scores_golden.py, do not edit.", "",
             "#ifndef OPN_SCORES_GOLDEN_H", "#define OPN_SCORES_GOLDEN_H", "",
             "#include <stdint.h>", "", "// clang-format off",
             "// A table of scores, and what follows for each of its nodes with `coverage` %g"
             % COVERAGE, "// and `ood_fdr` %g." % LEVEL,
             "enum { GOLDEN_SCORES = %d };" % len(p),
             "static const char golden_scores[] =",
             '        "node,role,label,%s\\n"' % ",".join("p_" + name for name in CLASSES)]
    for i, row in enumerate(p):
        role = role_of(i)
        name = "" if role == "unlabelled" else CLASSES[label[i]]
        lines.append('        "n%d,%s,%s,%s\\n"%s'
                     % (i, role, name, ",".join("%.6f" % x for x in row),
                        ";" if i == len(p) - 1 else ""))
    lines += ["", "typedef struct golden_score {", "    double entropy;",
              "    double calibrated[%d];" % len(CLASSES), "    const char *set;",
              "    double p_known;", "    int is_unknown;", "} golden_score;",
              "static const golden_score golden_decided[GOLDEN_SCORES] = {"]
    for i in range(len(p)):
        names = "|".join(name for name, is_in in zip(CLASSES, member[i]) if is_in)
        lines.append('        {%.12g, {%s}, "%s", %.12g, %d},'
                     % (entropy[i], ", ".join("%.9g" % x for x in calibrated[i]), names,
                        p_value[i], unknown[i]))
    lines += ["};", "// clang-format on", "", "#endif // OPN_SCORES_GOLDEN_H", ""]
    HEADER.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
