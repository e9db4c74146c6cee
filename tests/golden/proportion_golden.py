#!/usr/bin/env python3
"""Writes proportion_golden.h: intervals of Clopper and Pearson in fifty digits.

Usage: python3 proportion_golden.py    (from any folder; needs nothing but Python 3.8).

An end of an interval is bisected, with the tail of the binomial summed term by term.
"""

import decimal
import math
import pathlib

HEADER = pathlib.Path(__file__).resolve().parent / "proportion_golden.h"
decimal.getcontext().prec = 50
STEPS = 80

# right, all
CASES = [
    (0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (1, 3), (0, 10), (5, 10), (9, 10), (10, 10),
    (19, 20), (49, 50), (3, 60), (95, 100), (99, 100), (100, 100), (142, 150), (250, 500),
    (475, 500), (499, 500), (500, 500), (1, 1000), (950, 1000), (1999, 2000),
]


def tail(n, k, p):
    """P(X >= k) of n draws with chance p."""
    term = decimal.Decimal(math.comb(n, k)) * p**k * (1 - p)**(n - k)
    total = term
    for i in range(k, n):
        term *= (n - i) * p / ((i + 1) * (1 - p))
        total += term
    return total


def lower(k, n):
    if k == 0:
        return decimal.Decimal(0)
    low, high = decimal.Decimal(0), decimal.Decimal(1)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if 40 * tail(n, k, middle) < 1:
            low = middle
        else:
            high = middle
    return low


def main():
    rows = []
    for k, n in CASES:
        low = lower(k, n)
        high = 1 - lower(n - k, n)
        rows.append("        {%d, %d, %r, %r},\n" % (k, n, float(low), float(high)))
    HEADER.write_text("""\
// proportion_golden.h -- written by proportion_golden.py.

#ifndef OPN_PROPORTION_GOLDEN_H
#define OPN_PROPORTION_GOLDEN_H

#include <stdint.h>

typedef struct golden_proportion {
    int32_t n_right, n;
    double low, high;
} golden_proportion;

// clang-format off
static const golden_proportion golden_proportions[%d] = {
%s};
// clang-format on

#endif // OPN_PROPORTION_GOLDEN_H
""" % (len(rows), "".join(rows)))


if __name__ == "__main__":
    main()
