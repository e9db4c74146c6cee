#!/usr/bin/env python3
"""Writes shift_golden.h: a small graph after GNNSafe's shifts, worked out with NumPy.

Usage: python3 shift_golden.py    (from any folder; NumPy 1.24 made the file in git). The
definitions are those of docs/protocols.md, on dense matrices.
"""

import pathlib

import numpy as np

from metrics_golden import philox

HEADER = pathlib.Path(__file__).resolve().parent / "shift_golden.h"
V, F, K = 11, 6, 3
STREAM_EDGES, STREAM_FEATURES = 31, 32
SEEDS = [0, 1, 7, 2 ** 40 + 3]


def edges():
    """A ring with chords: (i, i + 1) and (i, i + 4)."""
    a = np.zeros((V, V), int)
    for i in range(V):
        for j in ((i + 1) % V, (i + 4) % V):
            a[i, j] = a[j, i] = 1
    return a


def features():
    """Counts; node 4 has none."""
    x = np.array([[(3 * i + 2 * k) % 5 for k in range(F)] for i in range(V)], float)
    x[x > 3] = 0
    x[4] = 0
    return x


class Sequence:
    """Numbers of one stream in order, four words for an element."""

    def __init__(self, seed, stream, element=0):
        self.seed, self.stream, self.element, self.words = seed, stream, element, []

    def word(self):
        if not self.words:
            block = philox(self.seed, self.stream, np.zeros(1, np.uint64),
                           np.array([self.element], np.uint64))
            self.words = [int(w) for w in block[0]]
            self.element += 1
        return self.words.pop(0)

    def unit(self):
        high, low = self.word() >> 5, self.word() >> 6
        return (high * 2 ** 26 + low) / 2 ** 53

    def below(self, n):
        while True:
            product = self.word() * n
            if product % 2 ** 32 >= 2 ** 32 % n:
                return product >> 32


def block_of(i):
    """K blocks of V // K nodes; the last has the V mod (V // K) that are left as well."""
    return min(i // (V // K), K - 1)


def structure(seed):
    """Each pair is an edge with 1.5 or 0.5 times the density, by runs of non-edges."""
    density = edges().sum() / (V * (V - 1))
    draw, a = Sequence(seed, STREAM_EDGES), np.zeros((V, V), int)
    for i in range(V):
        others = np.arange(i + 1, V)
        same = np.array([block_of(j) == block_of(i) for j in others], bool)
        for part, factor in ((others[same], 1.5), (others[~same], 0.5)):
            at = 0
            while True:
                at += int(np.log1p(-draw.unit()) // np.log1p(-factor * density))
                if at >= len(part):
                    break
                a[i, part[at]] = a[part[at], i] = 1
                at += 1
    return a


def feature(seed):
    """Convex mixes of the rows, each of which has the sum 1 or 0."""
    x = features()
    total = x.sum(1, keepdims=True)
    x = np.divide(x, total, out=np.zeros_like(x), where=total > 0)
    mixed = np.zeros_like(x)
    for i in range(V):
        draw = Sequence(seed, STREAM_FEATURES, i << 16)
        a, b, w = draw.below(V), draw.below(V), draw.unit()
        mixed[i] = w * x[a] + (1 - w) * x[b]
    return mixed


def c_rows(values):
    return "".join("        {%s},\n" % ", ".join(repr(v) for v in row)
                   for row in values)


def main():
    assert [sum(block_of(i) == b for i in range(V)) for b in range(K)] == [3, 3, 5]
    parts = ["// shift_golden.h -- written by shift_golden.py.\n\n"
             "#ifndef OPN_SHIFT_GOLDEN_H\n#define OPN_SHIFT_GOLDEN_H\n\n"
             "#include <stdint.h>\n\n"
             f"enum {{ GOLDEN_V = {V}, GOLDEN_F = {F}, GOLDEN_K = {K}, "
             f"GOLDEN_N_SHIFTS = {len(SEEDS)} }};\n\n// clang-format off\n"
             "// Adjacency matrix and features before any shift.\n"
             "static const int golden_adjacency[GOLDEN_V][GOLDEN_V] = {\n"
             + c_rows(edges().tolist()) + "};\n"
             "static const float golden_features[GOLDEN_V][GOLDEN_F] = {\n"
             + c_rows(features().tolist()) + "};\n\n"
             "typedef struct golden_shift {\n    uint64_t seed;\n"
             "    int adjacency[GOLDEN_V][GOLDEN_V];\n"
             "    double features[GOLDEN_V][GOLDEN_F];\n} golden_shift;\n\n"
             "static const golden_shift golden_shifts[GOLDEN_N_SHIFTS] = {\n"]
    for seed in SEEDS:
        parts.append("        {UINT64_C(%d),\n        {\n%s        },\n        {\n%s"
                     "        }},\n" % (seed, c_rows(structure(seed).tolist()),
                                        c_rows(feature(seed).tolist())))
    parts.append("};\n// clang-format on\n\n#endif // OPN_SHIFT_GOLDEN_H\n")
    HEADER.write_text("".join(parts))


if __name__ == "__main__":
    main()
