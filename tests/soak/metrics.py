#!/usr/bin/python3
"""metrics.py -- metrics, calibration and conformal sets against scikit-learn, SciPy and NumPy.

    tests/soak/metrics.py BUILD [--vectors N] [--first N]

BUILD is the folder with the Python package, as tests/python/wheel installs it there. Each of N vectors
is drawn from its own number: 1 to 400 scores with and without ties, some infinite, some of one kind
alone; probabilities of 2 to 6 classes, many of them equal, 0 or 1. Everything that works on arrays
sees it in double precision, metrics in single precision too (the C functions by themselves, because
the package widens its arrays). What is not a number, or outside what is allowed, must be refused.

What scikit-learn and SciPy do not have is written out here, or comes from tests/golden. Ranks are exact
there, as fractions, and so are the rules of conformal sets and of Benjamini and Hochberg, whose
values lie on a grid and often exactly on the threshold.

Printed is a table in Markdown: values compared and the worst disagreement, which is absolute, or for
values above 1 relative. Exit code 1 if one is above its limit, 77 without the package.
"""

import argparse
import collections
import math
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy.special
import scipy.stats
import sklearn.metrics

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))

# pylint: disable=wrong-import-position
from decisions_golden import adaptive_error, fallback, fit, scores, units  # noqa: E402
from metrics_golden import calibration_error  # noqa: E402

# Sums of some hundred doubles; what a minimiser stops at; what a float of the diffusion holds.
SUM, MINIMUM, FLOAT = 1e-12, 1e-9, 1e-6


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--vectors", type=int, default=10000)
    parser.add_argument("--first", type=int, default=0)
    return parser.parse_args()


def find_package(build):
    for folder in (build / "python" / "venv" / "lib").glob("python3*/site-packages"):
        sys.path.insert(0, str(folder))
    try:
        import opine
    except ImportError:
        print("skipped: no package opine in", build, "- tests/python/wheel makes it")
        sys.exit(77)
    return opine


# ---- the table ----


class Table:
    def __init__(self):
        self.n, self.worst, self.limit = collections.Counter(), collections.Counter(), {}
        self.broken, self.number = [], 0

    def compare(self, name, theirs, ours, limit):
        """opine's value or values, and ours."""
        theirs, ours = np.asarray(theirs, float), np.asarray(ours, float)
        with np.errstate(invalid="ignore"):
            gap = np.abs(theirs - ours) / np.maximum(1, np.abs(ours))
        gap = np.where((theirs == ours) | (np.isnan(theirs) & np.isnan(ours)), 0, gap)
        worst = float(gap.max()) if gap.size else 0.0
        self.n[name] += gap.size
        self.limit[name] = limit
        self.worst[name] = max(self.worst[name], worst if worst == worst else np.inf)
        if not worst <= limit:
            self.complain(f"{name}: {theirs} for {ours}")

    def complain(self, what):
        self.broken.append(f"vector {self.number}: {what}")
        print(self.broken[-1], file=sys.stderr)

    def __str__(self):
        rows = [f"| {name} | {self.n[name]:,} | {self.worst[name]:.1e} | {limit:.0e} |"
                for name, limit in self.limit.items()]
        return "\n".join(["| What | Values | Worst disagreement | Limit |", "|---|--:|--:|--:|", *rows])


# ---- detection ----


def draw_scores(rng):
    """Flags and scores, with ties and infinities."""
    n = int(rng.choice([rng.integers(1, 6), rng.integers(6, 61), rng.integers(61, 401)]))
    flags = rng.random(n) < rng.choice([0, 0.02, 0.3, 0.5, 0.9, 1], p=[.04, .1, .3, .4, .1, .06])
    levels = rng.choice([0, 0, 1, 2, 5, 20])
    values = rng.normal(size=n) * rng.choice([1e-310, 1e-3, 1, 1e30]) + flags * rng.choice([0, 1])
    if levels:
        values = np.round((rng.normal(size=n) + flags) * levels) / levels
    if rng.random() < 0.2:
        values[rng.random(n) < 0.1] = np.inf
        values[rng.random(n) < 0.1] = -np.inf
    return flags, values


def finite(values):
    """Finite numbers of the same order, which is all that ranks know."""
    return values if np.isfinite(values).all() else np.unique(values, return_inverse=True)[1]


def detection(flags, values, tpr):
    """AUROC, average precision and the least false positive rate, by scikit-learn."""
    values, n_positive = finite(values), flags.sum()
    precision = sklearn.metrics.average_precision_score(flags, values) if n_positive else 0.0
    if n_positive in (0, len(flags)):
        return np.nan, precision, np.nan
    fpr, reached, _ = sklearn.metrics.roc_curve(flags, values, drop_intermediate=False)
    return sklearn.metrics.roc_auc_score(flags, values), precision, fpr[reached >= tpr].min()


def risk_coverage(wrong, values):
    """Risk among the i least uncertain, the mean over all orders of equal ones."""
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    n_wrong = np.bincount(group, weights=wrong)
    before = np.cumsum(n_wrong) - n_wrong
    expected = np.concatenate([first + w * np.arange(1, n + 1) / n
                               for first, w, n in zip(before, n_wrong, size)])
    return expected / np.arange(1, len(wrong) + 1)


class Vector:
    """One number's draws, held against everything."""

    def __init__(self, opine, table, number):
        self.opine, self.table = opine, table
        self.rng = np.random.default_rng([1, number])
        table.number = number

    def ranked(self, function, flags, values, *more):
        """A function of the library on floats, which the package would widen."""
        arrays, library = self.opine._arrays, self.opine._library  # pylint: disable=protected-access
        flags = flags.astype(np.uint8)
        out = library.ffi.new("double *")
        with library.context() as ctx:
            ctx.call(function, len(flags), arrays.pointer(flags), arrays.numbers(values), *more, out)
        return out[0]

    def classified(self, function, y, p, *more):
        arrays, library = self.opine._arrays, self.opine._library  # pylint: disable=protected-access
        labels = y.astype(np.int32)
        out = library.ffi.new("double *")
        with library.context() as ctx:
            ctx.call(function, *p.shape, arrays.numbers(p), arrays.pointer(labels), *more, out)
        return out[0]

    def refuses(self, what, function, *values, **options):
        self.table.n["refused"] += 1
        self.table.limit["refused"] = 0
        try:
            function(*values, **options)
        except ValueError:
            return
        self.table.complain(f"{what} is not refused")
        self.table.worst["refused"] = 1

    # ---- detection

    def check_detection(self):
        metrics, lib, table = self.opine.metrics, self.opine._library.lib, self.table
        flags, values = draw_scores(self.rng)
        tpr = float(self.rng.choice([0, 0.5, 0.8, 0.9, 0.95, 1]))
        names = "AUROC", "average precision", "FPR at a TPR"
        found = (metrics.auroc(flags, values), metrics.average_precision(flags, values),
                 metrics.fpr_at_tpr(flags, values, tpr))
        for name, theirs, ours in zip(names, found, detection(flags, values, tpr)):
            table.compare(name, theirs, ours, SUM)
        risk, area = metrics.risk_coverage(flags, values)
        ours = risk_coverage(flags, values)
        table.compare("risk by coverage, AURC", np.append(risk, area), np.append(ours, ours.mean()), SUM)
        floats = values.astype(np.float32)
        found = (self.ranked(lib.opn_metric_auroc, flags, floats),
                 self.ranked(lib.opn_metric_average_precision, flags, floats),
                 self.ranked(lib.opn_metric_fpr_at_tpr, flags, floats, tpr))
        for name, theirs, ours in zip(names, found, detection(flags, floats, tpr)):
            table.compare(name + ", float", theirs, ours, SUM)
        broken = values.copy()
        broken[self.rng.integers(len(values))] = np.nan
        function = self.rng.choice([metrics.auroc, metrics.average_precision, metrics.fpr_at_tpr,
                                    metrics.aurc])
        self.refuses("a score that is NaN", function, flags, broken)

    # ---- probabilities

    def draw_probabilities(self, n, n_classes):
        """Rows that sum to 1, as they come, on a grid, or nearly certain; and classes."""
        rng = self.rng
        p = rng.dirichlet(np.full(n_classes, rng.choice([0.05, 0.5, 3])), size=n)
        if rng.random() < 0.5:
            parts = int(rng.choice([2, 4, 10, 15, 20, 30]))
            p = np.array([rng.multinomial(parts, row) for row in p]) / parts
        sure = rng.random() * 0.9
        return p, np.where(rng.random(n) < sure, p.argmax(axis=1), rng.integers(0, n_classes, n))

    def check_probabilities(self):
        metrics, lib, table, rng = self.opine.metrics, self.opine._library.lib, self.table, self.rng
        n, n_classes = int(rng.integers(1, 301)), int(rng.integers(2, 7))
        p, y = self.draw_probabilities(n, n_classes)
        n_bins = int(rng.choice([1, 10, 15, 20]))
        least = np.finfo(float).eps
        # scikit-learn also keeps p below 1 - eps and divides rows by their sums.
        table.compare("NLL", metrics.nll(y, p), sklearn.metrics.log_loss(
            y, p, labels=range(n_classes), eps=least), SUM)
        one_hot = np.eye(n_classes)[y]
        table.compare("Brier", metrics.brier(y, p), ((p - one_hot) ** 2).sum(axis=1).mean(), SUM)
        if n_classes == 2:
            table.compare("Brier", metrics.brier(y, p),
                          2 * sklearn.metrics.brier_score_loss(y, p[:, 1], pos_label=1), SUM)
        table.compare("ECE", metrics.calibration_error(y, p, n_bins),
                      calibration_error(y, p, n_bins), SUM)
        some = np.where(rng.random(n) < 0.3, -1, y)
        kept = some >= 0
        if kept.any():
            found = self.opine.calibration.measure(p, some)
            table.compare("accuracy", found.accuracy,
                          sklearn.metrics.accuracy_score(y[kept], p[kept].argmax(axis=1)), SUM)
            table.compare("adaptive ECE", found.adaptive_ece, adaptive_error(y[kept], p[kept]), SUM)
            table.compare("ECE", found.ece, calibration_error(y[kept], p[kept], 15), SUM)
        floats = p.astype(np.float32)
        wide = floats.astype(float)
        own = np.maximum(wide[np.arange(n), y], np.finfo(np.float32).eps)
        table.compare("NLL, float", self.classified(lib.opn_metric_nll, y, floats),
                      -np.log(own).mean(), SUM)
        table.compare("Brier, float", self.classified(lib.opn_metric_brier, y, floats),
                      ((wide - one_hot) ** 2).sum(axis=1).mean(), SUM)
        table.compare("ECE, float",
                      self.classified(lib.opn_metric_calibration_error, y, floats, n_bins),
                      exact_error(y, floats, n_bins), SUM)
        self.refuse_probabilities(p, y)

    def refuse_probabilities(self, p, y):
        metrics, rng, (n, n_classes) = self.opine.metrics, self.rng, p.shape
        broken, wrong = p.copy(), y.copy()
        broken[rng.integers(n), rng.integers(n_classes)] = rng.choice([-0.1, 1.1, np.nan, np.inf])
        wrong[rng.integers(n)] = rng.choice([-1, n_classes])
        function = rng.choice([metrics.nll, metrics.brier, metrics.calibration_error])
        self.refuses("a probability outside [0, 1]", function, y, broken)
        self.refuses("a label outside the classes", function, wrong, p)
        self.refuses("a set of such probabilities", self.opine.conformal.scores, broken)

    # ---- calibration

    def check_calibration(self):
        rng, n_classes = self.rng, int(self.rng.integers(2, 7))
        n = int(rng.integers(15, 401))
        p, y = self.draw_probabilities(n, n_classes)
        q, _ = self.draw_probabilities(n, n_classes)
        q = (q + p) / 2 if rng.random() < 0.5 else q
        y = np.where(rng.random(n) < rng.choice([0, 0.3]), -1, y)
        if rng.random() < 0.05:
            y = np.where(y >= 0, 0, -1)
        logs = np.log(np.maximum([p, q], 1e-30))
        for kind, fewest, parts in (("temperature", 20, 1), ("pool", 100, 2)):
            opinions = (p, q)[:parts]
            fitter = getattr(self.opine.calibration, kind)
            if (y >= 0).sum() < fewest or len(np.unique(y[y >= 0])) < 2:
                self.refuses(f"a {kind} of {(y >= 0).sum()} labels", fitter, *opinions, y)
                continue
            found = fitter(*opinions, y)
            self.compare_calibrator(kind, found, logs[:parts], y)
            made = np.exp(log_calibrated([found.a, found.b][:parts], logs[:parts]))
            self.table.compare(f"{kind}, applied", found.apply(*opinions), made, SUM)

    def compare_calibrator(self, kind, found, logs, y):
        kept = y >= 0
        logs, y = logs[:, kept], y[kept]
        ours, _ = fit(y, logs, [1.0])  # the loss is convex
        theirs = np.array([found.a, found.b][:len(logs)])
        # The loss is what is to be least; where it is flat the exponents say little.
        excess = loss_of(theirs, logs, y) - loss_of(ours, logs, y)
        self.table.compare(f"{kind}, loss above the least by SciPy", max(excess, 0), 0, MINIMUM)
        self.table.compare(f"{kind}, NLL after", found.nll_after, nll_of(theirs, logs, y), SUM)
        inside = (theirs >= 0.01) & (theirs <= 100)
        self.table.compare(f"{kind}, exponents in 0.01 … 100", inside, np.ones_like(inside), 0)

    # ---- conformal

    def check_sets(self):
        conformal, table, rng = self.opine.conformal, self.table, self.rng
        n, n_classes = int(rng.integers(2, 201)), int(rng.integers(2, 7))
        p, y = self.draw_probabilities(n, n_classes)
        y = np.where(rng.random(n) < 0.5, y, -1)
        y[0] = max(y[0], 0)
        seed, kreg, penalty = int(rng.integers(0, 2 ** 40)), int(rng.integers(0, 4)), 0.125
        own = units(seed, n) if rng.random() < 0.5 else np.ones(n)
        rank = np.argsort(np.argsort(-p, axis=1, kind="stable"), axis=1) + 1
        coverage = float(rng.choice([0.5, 0.7, 0.8, 0.9, 0.95, 0.99]))
        by_class = bool(rng.random() < 0.5)
        for kind in ("lac", "aps", "raps"):
            found = conformal.scores(p, kind, randomized=bool((own < 1).any()), random_state=seed,
                                     kreg=kreg, penalty=penalty)
            wanted = scores("lac" if kind == "lac" else "aps", p, own)
            if kind == "raps":
                wanted = wanted + penalty * np.maximum(rank - kreg, 0)
            table.compare(f"{kind.upper()} scores", found, wanted, SUM)
            # What follows is exact, given the scores.
            limits = conformal.thresholds(found, y, coverage, class_conditional=by_class)
            table.compare(f"{kind.upper()} thresholds", limits,
                          thresholds(found, y, coverage, by_class), 0)
            sets = conformal.members(found, limits)
            table.compare(f"{kind.upper()} sets", sets, found <= limits, 0)
            self.check_report(sets, y)
        self.check_neighbours(p, seed)
        self.refuses("a coverage of 1", conformal.thresholds, found, y, 1.0)
        self.refuses("no calibration node", conformal.thresholds, found, np.full(n, -1), 0.9)

    def check_report(self, sets, y):
        found, kept = self.opine.conformal.coverage_report(sets, y), y >= 0
        covered = sets[kept, y[kept]]
        size = sets[kept].sum(axis=1)
        self.table.compare("coverage of sets", [
            found.n, found.n_covered, found.n_empty, found.n_single, found.coverage, found.mean_size], [
            kept.sum(), covered.sum(), (size == 0).sum(), (size == 1).sum(), covered.mean(),
            size.mean()], SUM)
        by_class = [covered[y[kept] == k].mean() if (y[kept] == k).any() else np.nan
                    for k in range(sets.shape[1])]
        self.table.compare("coverage of classes", found.class_coverage, by_class, SUM)

    def check_neighbours(self, p, seed):
        """DAPS, on a graph with isolated nodes."""
        n, rng = len(p), self.rng
        a = np.triu(rng.random((n, n)) < 1 / n, 1)
        a = a | a.T
        if not a.any():
            return
        own, share = scores("aps", p, units(seed, n)), float(rng.choice([0.1, 0.5, 0.9]))
        degree = a.sum(axis=1, keepdims=True)
        around = np.where(degree > 0, a @ own / np.maximum(degree, 1), own)
        found = self.opine.conformal.scores(
            p, "daps", graph=self.opine.Graph(np.array(a.nonzero()), n_nodes=n), random_state=seed,
            neigh_coef=share)
        self.table.compare("DAPS scores", found, (1 - share) * own + share * around, FLOAT)

    def check_strangers(self):
        conformal, rng = self.opine.conformal, self.rng
        _, known = draw_scores(rng)
        _, asked = draw_scores(rng)
        found = conformal.p_values(known, asked)
        counts = (known[None] >= asked[:, None]).sum(axis=1)
        self.table.compare("p-values", found, (counts + 1) / (len(known) + 1), 0)
        level = float(rng.choice([0.05, 0.1, 0.25, 0.5]))
        exact = [Fraction(int(k) + 1, len(known) + 1) for k in counts]
        marked, threshold = conformal.benjamini_hochberg(found, level)
        wanted = discovered(exact, level)
        self.table.compare("Benjamini-Hochberg", marked, wanted, 0)
        self.table.compare("Benjamini-Hochberg", threshold, found[wanted].max(initial=0), 0)
        if hasattr(scipy.stats, "false_discovery_control"):  # SciPy 1.11; rounds on the line
            adjusted = scipy.stats.false_discovery_control(found)
            off_line = np.abs(adjusted - level) > SUM
            self.table.compare("Benjamini-Hochberg, SciPy", marked[off_line],
                               adjusted[off_line] <= level, 0)
        self.refuses("a level of 0", conformal.benjamini_hochberg, found, 0.0)
        self.refuses("a p-value above 1", conformal.benjamini_hochberg, [0.5, 1.5], 0.1)

    def check_control(self):
        rng = self.rng
        right, score = draw_scores(rng)
        if rng.random() < 0.5:  # mostly right where the score is low, so that something is shown
            right = rng.random(len(score)) < np.where(score <= np.median(score), 0.97, 0.6)
        _, candidates = draw_scores(rng)
        target = float(rng.choice([0.3, 0.5, 0.8, 0.9, 0.95]))
        confidence = float(rng.choice([0.5, 0.8, 0.9, 0.95]))
        found = self.opine.control.target_accuracy(score, right, candidates, target=target,
                                                   confidence=confidence)
        at, n_accepted, n_right, low = fallback(score, right, candidates, target, confidence) or (
            -np.inf, 0, 0, np.nan)
        self.table.compare("target accuracy: threshold, counts",
                           [found.threshold, found.n_accepted, found.n_right],
                           [at, n_accepted, n_right], 0)
        self.table.compare("exact binomial bound", found.low, low, 1e-10)

    def check(self):
        self.check_detection()
        self.check_probabilities()
        self.check_calibration()
        self.check_sets()
        self.check_strangers()
        self.check_control()


# ---- what others do not have ----


def exact_error(y, p, n_bins):
    """ECE of floats, whose product with the number of bins a double holds exactly."""
    top, right = p.max(axis=1).astype(float), p.argmax(axis=1) == y
    bins = np.maximum(np.ceil(top * n_bins), 1)
    return sum(abs((right[bins == b] - top[bins == b]).sum()) for b in np.unique(bins)) / len(y)


def log_calibrated(exponents, logs):
    z = np.tensordot(exponents, logs, 1)
    return z - scipy.special.logsumexp(z, axis=1, keepdims=True)


def loss_of(exponents, logs, y):
    """With one more label, spread evenly over nodes and classes."""
    log_p = log_calibrated(exponents, logs)
    n, n_classes = log_p.shape
    target = (n * np.eye(n_classes)[y] + 1 / n_classes) / (n + 1)
    return -(target * log_p).sum(axis=1).mean()


def nll_of(exponents, logs, y):
    return -log_calibrated(exponents, logs)[np.arange(len(y)), y].mean()


def thresholds(values, y, coverage, by_class):
    def of(some):
        rank = math.ceil((len(some) + 1) * Fraction(str(coverage)))
        return np.sort(some)[rank - 1] if rank <= len(some) else np.inf

    own = values[np.arange(len(y)), np.maximum(y, 0)]
    return [of(own[y == k] if by_class else own[y >= 0]) for k in range(values.shape[1])]


def discovered(exact, level):
    """Which p-values are marked: those up to the largest p with p n <= level times its rank."""
    level, n = Fraction(str(level)), len(exact)
    below = [p for r, p in enumerate(sorted(exact), 1) if p * n <= level * r]
    return np.array([bool(below) and p <= max(below) for p in exact])


def main():
    options = arguments()
    opine, table = find_package(options.build), Table()
    warnings.simplefilter("ignore")  # of scikit-learn, about vectors of one kind
    for number in range(options.first, options.first + options.vectors):
        Vector(opine, table, number).check()
    print(table)
    return 1 if table.broken else 0


sys.exit(main())
