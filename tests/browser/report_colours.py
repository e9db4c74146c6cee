"""The colours of a report page, as readers with and without colour blindness see them."""

import math

from checks import expect

# What deuteranopia makes of linear red, green and blue (Machado, Oliveira and Fernandes 2009).
DEUTERANOPIA = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881]]
XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def linear(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def times(matrix, vector):
    return [sum(m * v for m, v in zip(row, vector)) for row in matrix]


def lab(colour, blind=False):
    light = linear(colour)
    if blind:
        light = [min(1, max(0, v)) for v in times(DEUTERANOPIA, light)]
    x, y, z = (v / white for v, white in zip(times(XYZ, light), (0.9505, 1, 1.089)))
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def apart(a, b):
    """How far two colours are from each other, to the eye that sees them worse."""
    return min(math.dist(lab(a, blind), lab(b, blind)) for blind in (False, True))


def check_ramp(checks, report, theme):
    with checks.claim(f"the scale of a measure is even and monotone in lightness, {theme}"):
        steps = report.evaluate("Array.from({length: 33}, (_, i) => colours.ramp(i / 32))")
        light = [lab(colour)[0] for colour in steps]
        rises = [b - a for a, b in zip(light, light[1:])]
        expect(all(r > 0 for r in rises) or all(r < 0 for r in rises), f"lightness {light}")
        gaps = [math.dist(lab(a), lab(b)) for a, b in zip(steps, steps[1:])]
        expect(max(gaps) < 1.4 * min(gaps), f"steps from {min(gaps):.1f} to {max(gaps):.1f}")
        expect(abs(light[-1] - light[0]) > 50, "the ends are alike")


def check_groups(checks, report, theme):
    kinds, measures, classes = (report.evaluate(e) for e in (
        "colours.kind", "colours.measure", "okabeIto"))
    with checks.claim(f"what became of a node is told apart by deuteranopes, {theme}"):
        pairs = [("correct", "ood"), ("correct", "wrong"), ("wrong", "ood")]
        for a, b in pairs:
            expect(apart(kinds[a], kinds[b]) > 25, f"{a} and {b}: {apart(kinds[a], kinds[b]):.0f}")
        reasons = measures["vacuity"], measures["dissonance"]
        expect(apart(*reasons) > 20, f"the reasons: {apart(*reasons):.0f}")
    with checks.claim(f"no colour of a class means anything else, {theme}"):
        for name, colour in {**measures, **kinds}.items():
            least = min(apart(colour, k) for k in classes)
            expect(least > 12 or name == "unlabelled", f"{name} is near a class: {least:.0f}")


def check_colours(checks, report):
    for theme in ("light", "dark"):
        check_ramp(checks, report, theme)
        check_groups(checks, report, theme)
        report.act(report.click, "#theme")
