#!/usr/bin/env python3
"""package_fuzz.py -- calls the Python package with arguments made from bytes.

    fuzz/python/package_fuzz.py [OPTIONS OF libFuzzer] [CORPUS...]     by atheris, guided by coverage
    fuzz/python/package_fuzz.py --random SECONDS [SEED]                by random bytes, without atheris

A call returns, or raises one of the errors that Python programs expect: of opine, TypeError,
ValueError or OverflowError. Anything else, and a crash of the library, is a failure.
"""

import pickle
import random
import sys
import time
import warnings

import numpy as np
import scipy.sparse

import opine

EXPECTED = (opine.OpineError, TypeError, ValueError, OverflowError)
NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.0, 1e-30, 1e30, float("nan"), float("inf"), -float("inf"))
TYPES = ("f8", "f4", "f2", "i8", "i4", "u1", "?", "O", ">f4", "c8")
LABELS = (0, 1, 2, -1, None, "", "a", "b", 1.5, float("nan"), 2**40, b"c", True, "\ud800")
MODELS = ("gcn", "s-gcn", "s-bgcn-t-k", "drop-gcn", "edl-gcn", "gat", "s-sage", "mlp", "auto", "x")
SETTINGS = {
    "hidden": (1, 4, 0, "4", 2.5), "dropout": (0.0, 0.5, 1.0, "none"), "sigma": (1.0, 0.0, -1),
    "learning_rate": (0.01, 1e9, float("nan")), "samples": (1, 3, 0), "members": (1, 2),
    "task": ("ood", "misclassification"), "ood_classes": ("0", "a", "0,1,2", 0),
    "preset": ("paper", "auto", "strong", None), "normalise": ("row", "none", 1),
    "no_such": (1,), "unlabelled": ("vat", "mean-teacher"), "lambda1": (0.1, -1),
    "random_state": (0, 1, -1, 2**60, None, "x"), "n_jobs": (1, 2, None, 0, -1), "batch": (0, 2),
    "evidence": ("exp", "softplus", "relu")}
QUESTIONS = {
    "target_accuracy": (0.5, 0.9, 1.0, 2.0, "x"), "coverage": (0.5, 0.9, 1, 0, None),
    "ood_fdr": (0.1, 1.0), "set_score": ("aps", "lac", "daps", "raps", "x"), "confidence": (0.9, 0, 1),
    "abstain_above": ({"vacuity": 0.5}, {"entropy": "x"}, {"x": 1}, "vacuity=0.1", 3),
    "calibrate": ("none", "temperature", "pool"), "random_state": (1, -1)}


class Draw:
    """Values that bytes stand for; zeros when they are used up.

    The first says whether any of them are odd: with one thing wrong in each call nothing behind the
    checks of arguments would be reached.
    """

    def __init__(self, data):
        self.data, self.at = data, 0
        self.is_odd = self.below(2) == 1

    def is_rarely(self, n):
        return self.is_odd and self.below(n) == 0

    def below(self, n):
        byte = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        return byte % n

    def one_of(self, values):
        return values[self.below(len(values))]

    def number(self):
        return self.one_of(NUMBERS) if self.is_rarely(4) else self.below(256) / 64

    def array(self, *shape):
        """Of about this shape, of some type."""
        if self.is_rarely(16):
            shape = shape[:-1] + (shape[-1] + 1,) if self.below(2) else shape + (2,)
        values = np.array([self.number() for _ in range(int(np.prod(shape)))]).reshape(shape)
        with np.errstate(all="ignore"):
            values = values.astype(self.one_of(TYPES if self.is_odd else TYPES[:6]))
        form = self.below(8)
        if form == 0:
            return values.tolist()
        if form == 1:
            return values[::-1]
        return np.asfortranarray(values) if form == 2 else values

    def probabilities(self, n, k):
        p = np.array([1 + self.below(16) for _ in range(n * k)], dtype=float).reshape(n, k)
        p /= p.sum(axis=1, keepdims=True)
        if self.is_rarely(4):
            p[self.below(n), self.below(k)] = self.number()
        return p.astype(self.one_of(("f8", "f4")))

    def labels(self, n, k):
        if self.is_rarely(4):
            return [self.one_of(LABELS) for _ in range(n)]
        return np.array([self.below(k) for _ in range(n)]) - self.is_rarely(4)

    def some(self, table):
        chosen = {}
        for _ in range(self.below(4)):
            name = self.one_of(sorted(table))
            chosen[name] = self.one_of(table[name] if self.is_odd else table[name][:1])
        return chosen


def draw_graph(draw):
    n, n_edges, n_features = 6 + draw.below(16), draw.below(24), 1 + draw.below(4)
    if draw.is_rarely(4):
        n = draw.below(3)
    most = n + draw.is_rarely(16)
    edges = np.array([[draw.below(max(most, 1)) for _ in range(n_edges)] for _ in range(2)],
                     dtype=draw.one_of(("i8", "i4", "u8", "i2")))
    if draw.is_rarely(16):
        edges = edges.astype("i8") - 1
    if n > 0 and draw.below(8) == 0:
        edges = scipy.sparse.csr_matrix((np.ones(edges.shape[1]), (edges[0] % n, edges[1] % n)),
                                        shape=(n, n + draw.is_rarely(8)))
    x = None if draw.below(8) == 0 else draw.array(n, n_features)
    if x is not None and draw.below(8) == 0:
        x = draw.one_of((scipy.sparse.csr_matrix, scipy.sparse.coo_matrix, scipy.sparse.csc_matrix))(
            np.asarray(x, dtype=float))
    more = {}
    if draw.is_rarely(4):
        more["names"] = [draw.one_of(("a", "b", "é", "", "7", 7, None)) for _ in range(n)]
    if draw.is_rarely(8):
        more["edge_weight"] = draw.array(max(n_edges, 1))
    if draw.is_rarely(8):
        more["train_mask"] = draw.array(n)
    if draw.is_rarely(8):
        more["n_nodes"] = draw.one_of((n, n + 3, 0, -1, 2**31, 2**40, "3", 2.0))
    if draw.is_rarely(8):
        more["class_names"] = draw.one_of((["a", "b", "c"], ["a", "a"], "ab", [1, 2, 3]))
    y = None if draw.is_rarely(8) else draw.labels(n, 3)
    return opine.Graph(edges, x, y, **more)


def attempt(call):
    try:
        return call()
    except EXPECTED:
        return None


def use_graph(draw):
    graph = draw_graph(draw)
    again = pickle.loads(pickle.dumps(graph))
    assert again.hash == graph.hash and len(again) == len(graph)
    assert graph.edge_index.shape[0] == 2 and len(graph.y_index) == len(graph)
    assert graph.x.shape == (graph.n_nodes, graph.n_features)
    graph.to_scipy(), graph.info, repr(graph), graph.notes, graph.names, graph.roles
    attempt(lambda: graph.relabelled(draw.labels(len(graph), 2)))
    attempt(lambda: graph.find(draw.one_of((0, -1, "a", len(graph), None, 2**40, 1.5))))


def use_classifier(draw):
    models, epochs = (MODELS, (1, 2, 3, 0, -1, "2")) if draw.is_odd else (MODELS[:-1], (1, 2))
    clf = opine.NodeClassifier(draw.one_of(models), epochs=draw.one_of(epochs), **draw.some(SETTINGS))
    graph = draw_graph(draw)
    clf.fit(graph)
    nodes = draw.one_of((None, [0], [], [-1], [len(graph)], "a", np.array([0.5]), [True]))
    p = attempt(lambda: clf.predict_proba(nodes))
    if p is not None:
        assert np.all((p >= 0) & (p <= 1)) and len(clf.predict(nodes)) == len(p)
    attempt(lambda: clf.opinion(nodes))
    attempt(lambda: clf.explain(draw.one_of((0, -1, "a", len(graph)))))
    attempt(lambda: clf.decide(**draw.some(QUESTIONS)))
    attempt(lambda: clf.predict_set(nodes, 0.5))
    attempt(clf.suggest), attempt(clf.suspects)
    pickle.loads(pickle.dumps(clf)).predict()


def use_decide(draw):
    n, k = 1 + draw.below(40), 2 + draw.below(3) - 2 * draw.is_rarely(8)
    k = max(k, 1)
    scores = draw.array(n, k) if draw.is_rarely(4) else draw.probabilities(n, k)
    form = draw.below(3) if not draw.is_odd else draw.below(4)
    given = {"scores": scores} if form < 2 else {"logits": scores} if form == 2 else {"alpha": scores}
    more = {}
    if draw.is_rarely(8):
        more["roles"] = [draw.one_of(("calibration", "test", "x", "", 1)) for _ in range(n)]
    if draw.is_rarely(8):
        more["classes"] = [draw.one_of(("a", "b", 1, None)) for _ in range(k)]
    made = opine.decide(labels=draw.labels(n, k), **given, **more, **draw.some(QUESTIONS))
    assert len(made.accepted) == n
    repr(made)


def use_arrays(draw):
    n, k = 1 + draw.below(20), 1 + draw.below(4)
    p = draw.array(n, k) if draw.is_rarely(4) else draw.probabilities(n, k)
    y = draw.labels(n, k)
    s = draw.array(n)
    calls = (
        lambda: opine.opinion.from_logits(p, draw.one_of(("exp", "softplus", "x", 1))),
        lambda: opine.opinion.from_alpha(p), lambda: opine.opinion.from_probabilities(p),
        lambda: opine.metrics.auroc(y, s), lambda: opine.metrics.average_precision(y, s),
        lambda: opine.metrics.fpr_at_tpr(y, s, draw.number()), lambda: opine.metrics.aurc(y, s),
        lambda: opine.metrics.brier(y, p), lambda: opine.metrics.nll(y, p),
        lambda: opine.metrics.calibration_error(y, p, draw.below(20)),
        lambda: opine.conformal.scores(p, draw.one_of(("lac", "aps", "raps", "daps", "x"))),
        lambda: opine.conformal.prediction_sets(p, p, y, coverage=draw.number()),
        lambda: opine.conformal.p_values(s, draw.array(n)),
        lambda: opine.conformal.benjamini_hochberg(s, draw.number()),
        lambda: opine.calibration.temperature(p, y), lambda: opine.calibration.pool(p, p, y),
        lambda: opine.calibration.measure(p, y, draw.below(20)),
        lambda: opine.control.target_accuracy(s, y))
    draw.one_of(calls)()


def try_input(data):
    draw = Draw(data)
    use = draw.one_of((use_graph, use_classifier, use_decide, use_arrays))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            use(draw)
        except EXPECTED:
            pass


def run_random(seconds, seed):
    """Inputs of random length; of one that fails, which."""
    end, n = time.monotonic() + seconds, 0
    while n == 0 or time.monotonic() < end:
        drawn = random.Random(f"{seed}-{n}")
        data = drawn.randbytes(drawn.randrange(400))
        try:
            try_input(data)
        except BaseException:
            print(f"input {n} of seed {seed}: {data.hex()}", file=sys.stderr)
            raise
        n += 1
    print(f"{n} inputs")


def main():
    if sys.argv[1:2] == ["--random"]:
        run_random(float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
        return
    import atheris
    # The package itself is instrumented, not what it uses.
    for module in [m for name, m in sys.modules.items() if name.split(".")[0] == "opine"]:
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", None) == module.__name__ and \
                    hasattr(value, "__code__"):
                setattr(module, name, atheris.instrument_func(value))
    atheris.Setup(sys.argv, try_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
