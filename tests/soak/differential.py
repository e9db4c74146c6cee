#!/usr/bin/python3
"""differential.py -- random small graphs and settings against an oracle in PyTorch.

    tests/soak/differential.py OPINE [--configurations N] [--first N] [--verbose] [MODEL...]

Each configuration is a graph of 5 to 60 nodes and settings of a model, drawn from its own number; number
N is of model N modulo the number of models. OPINE, which should be the command of the double build,
trains it and predicts on its graph and, where the model can, on another one; oracle.py does the same
from the formulas. Nothing is dropped, so that no mask takes part. Compared are

- weights: what training came to, of student and teacher and of all members, relative to the largest
  weight of the network;
- p, alpha: what inference makes of the weights in the file; alpha relative to itself;
- measures: vacuity, dissonance, aleatoric, epistemic and entropy;
- around: fused, margin, and the measures smoothed over the graph.

A measure that only one side has is a failure.

Model and prediction files hold 32-bit floats. Of each disagreement half a unit in the last place of
such a float is therefore taken off, which is what rounding may do: what is left is the engine's own.

A disagreement above its limit fails. Where training itself is unstable (a number that is 0 but for
rounding, at the kink of a ReLU or in the denominator of Adam), the oracle disagrees with itself when a
unit in the last place of its initial weights changes. Each matrix of weights is then judged by that:
its disagreement may be ten times as large as the oracle's own, and no larger. Such configurations
are counted in a column of their own, named on standard error, and part of the worst figures.

Printed is a table in Markdown; exit code 1 if a limit was broken.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch

import oracle

ENCODERS = ("gcn", "gat", "sage", "mlp", "links")
FAMILY = ("{}", "drop-{}", "s-{}", "s-b{}", "s-b{}-t", "s-b{}-t-k")
MODELS = [form.format(name) for name in ENCODERS for form in FAMILY] + [
    "dropedge-gcn", "edl-gcn", "dpn-gcn"]

# What the double build may differ by. A gradient that should be 0 may be a few 1e-17 by rounding, and
# Adam, which divides by 1e-8 then, makes 1e-9 of it; beliefs are small differences of alpha; what is
# diffused over the graph is kept in floats between the steps.
LIMITS = {"weights": 1e-8, "p": 1e-12, "alpha": 1e-12, "measures": 1e-11, "around": 1e-6}
SECONDS = 120


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--configurations", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    return parser.parse_intermixed_args()


# ---- graphs ----


def draw_edges(rng, n):
    """Rows (source, target, weight): perhaps in components, with isolated nodes, loops and repeats."""
    group = rng.integers(0, rng.integers(1, 5), n)
    group[rng.random(n) < rng.choice([0, 0.1, 0.3])] = -1  # isolated
    n_edges = int(n * rng.choice([0.5, 1, 2, 4]))
    pairs = rng.integers(0, n, (n_edges, 2))
    pairs = pairs[(group[pairs[:, 0]] == group[pairs[:, 1]]) & (group[pairs[:, 0]] >= 0)]
    weight = rng.integers(1, 33, len(pairs)) / 8 if rng.random() < 0.5 else np.ones(len(pairs))
    return pairs, weight


def adjacency(pairs, weight, n):
    """Undirected, the largest of several weights, no self-loops."""
    a = np.zeros((n, n))
    for (i, j), w in zip(pairs, weight):
        if i != j:
            a[i, j] = a[j, i] = max(a[i, j], w)
    return a


def draw_features(rng, n, n_features, kind):
    """Values that floats hold exactly."""
    if kind == "none":
        return None
    x = np.round(rng.normal(size=(n, n_features)) * 64) / 64
    if kind == "binary":
        x = np.ones((n, n_features))
    if kind in ("binary", "sparse", "sparse positive"):
        x = x * (rng.random((n, n_features)) < 0.2)
    if kind in ("sparse positive", "positive"):
        x = np.abs(x)
    if kind == "dense" and rng.random() < 0.3:
        x[:, 0] = rng.integers(-2, 3)  # a constant feature
    return x.astype(np.float32).astype(float)


def draw_split(rng, n, n_classes):
    """Labels, of which each class has one at least, and roles."""
    label = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    rng.shuffle(label)
    role = rng.choice(["train", "validation", "test", "pool", "unlabelled"], n,
                      p=[0.4, 0.2, 0.1, 0.2, 0.1])
    firsts = [np.flatnonzero(label == k)[0] for k in range(n_classes)]
    role[firsts] = rng.choice(["train", "train", "test"], n_classes)
    role[firsts[0]] = "train"
    label = np.where(role == "unlabelled", -1, label)
    return label, role


def draw_graph(rng, kind, n_features, n_classes):
    n = int(rng.integers(max(5, 2 * n_classes), 61))
    pairs, weight = draw_edges(rng, n)
    label, role = draw_split(rng, n, n_classes)
    return {"pairs": pairs, "weight": weight, "a": adjacency(pairs, weight, n), "role": role,
            "x": draw_features(rng, n, n_features, kind), "label": label, "n_classes": n_classes,
            "train": np.flatnonzero(role == "train"),
            "validation": np.flatnonzero(role == "validation")}


def save_graph(path, graph, is_sparse):
    arrays = {"edge_index": graph["pairs"].T.reshape(2, -1).astype(np.int32),
              "edge_weight": graph["weight"].astype(np.float32), "labels": graph["label"],
              "split": graph["role"]}
    x = graph["x"]
    if x is not None and is_sparse:
        row, col = np.nonzero(x)
        arrays.update(attr_data=x[row, col].astype(np.float32), attr_indices=col.astype(np.int32),
                      attr_indptr=np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))]),
                      attr_shape=np.array(x.shape))
    elif x is not None:
        arrays["x"] = x.astype(np.float32)
    np.savez(path, **arrays)


# ---- settings ----


def parts_of(model):
    """What the table of models in docs/method.md says."""
    encoder = next(name for name in ENCODERS if name in model)
    has_evidence = model.startswith(("s-", "edl-"))
    head = "sharp" if model == "dpn-gcn" else "squared" if has_evidence else "softmax"
    samples = "-b" in model or model.startswith("drop")
    measures = {"entropy"}
    if head == "squared":
        measures |= {"vacuity", "dissonance"}
    if samples or head == "sharp":
        measures |= {"aleatoric", "epistemic"}
    if "-t" in model:
        measures |= {"fused", "margin"}
    return {"encoder": encoder, "head": head, "measures": measures, "has_teacher": "-t" in model,
            "has_prior": model.endswith("-k")}


def draw_evidence(rng, model, parts):
    if model == "edl-gcn":
        return "elu"
    if parts["head"] == "sharp":
        return "exp"
    kinds = ["exp", "exp", "relu", "softplus"]
    if not parts["has_teacher"]:
        kinds.append("elu")
    return str(rng.choice(kinds))


def draw_settings(rng, model, has_validation):
    parts = parts_of(model)
    heads = int(rng.choice([1, 2, 3, 8]))
    kind = str(rng.choice(["none"] * 6 + ["vat", "mean-teacher", "pseudo-label"]))
    evidence = draw_evidence(rng, model, parts)
    if kind == "vat" and evidence in ("relu", "elu"):
        kind = "none"  # p with a kink or below 0 has no direction of growth to agree on
    return {**parts, "model": model, "evidence": evidence, "unlabelled": kind,
            "hidden": heads * int(rng.integers(1, 9)) if parts["encoder"] == "gat"
            else int(rng.integers(1, 41)),
            "heads": heads, "out_heads": int(rng.choice([1, 2, 8])),
            "normalise": str(rng.choice(["auto", "row", "l2", "standard", "none"])),
            "members": int(rng.choice([1] * 7 + [3])), "epochs": int(rng.integers(1, 61)),
            "teacher_epochs": int(rng.choice([0, 0, 25])),
            "patience": int(rng.choice([0, 0, 3, 10])) if has_validation else 0,
            "stop_on": str(rng.choice(["loss", "accuracy", "both"])),
            "learning_rate": float(rng.choice([0.001, 0.01, 0.05])),
            "weight_decay": float(rng.choice([0, 0.0005, 0.05])),
            "teacher_ramp": int(rng.choice([1, 20, 200])),
            "lambda1": float(rng.choice([0, 0.001, 0.1, 1])),
            "sigma": float(rng.choice([0.5, 1, 1, 2.5])), "kernel_constant": bool(rng.random() < 0.3),
            "unlabelled_weight": float(rng.choice([0.3, 1])),
            "unlabelled_ramp": int(rng.choice([0, 10, 100])), "vat_radius": 0.5, "vat_step": 0.01,
            "mean_teacher_decay": float(rng.choice([0.6, 0.99])), "pseudo_label_threshold":
            float(rng.choice([0, 0.4])), "seed": int(rng.integers(0, 2 ** 40)),
            "average": str(rng.choice(["alpha", "alpha", "logits"])),
            "propagate": int(rng.choice([0, 1, 10])), "teleport": float(rng.choice([0.1, 0.5])),
            "isolated": str(rng.choice(["auto", "keep", "uncertain"]))}


class Configuration:
    def __init__(self, number):
        rng = np.random.default_rng([2020, number])
        self.number, self.model = number, MODELS[number % len(MODELS)]
        n_classes, n_features = int(rng.integers(2, 7)), int(rng.integers(1, 41))
        self.kind = str(rng.choice(["none", "binary", "binary", "sparse", "sparse positive", "dense",
                                    "dense", "positive"]))
        self.graph = draw_graph(rng, self.kind, n_features, n_classes)
        self.other = draw_graph(rng, self.kind, n_features, n_classes)
        self.is_sparse = rng.random() < 0.5 or "sparse" in self.kind
        self.settings = draw_settings(rng, self.model, len(self.graph["validation"]) > 0)
        # Rows of node numbers, in place of features, mean nothing on another graph.
        self.knows_nodes = self.kind == "none" or self.settings["encoder"] == "links"

    def members(self, rng=None):
        seed = self.settings["seed"]
        return [oracle.train_member(self.graph, self.settings, oracle.member_seed(seed, m), rng)
                for m in range(self.settings["members"])]


# ---- the command ----


def options_of(settings):
    words = ["--preset", "paper", "--task", "misclassification", "--dropout", "0", "--drop-edge", "0",
             "--calibrate", "none", "--threads", "1"]
    if settings["kernel_constant"]:
        words.append("--kernel-constant")
    if settings["head"] != "softmax":
        words += ["--evidence", settings["evidence"]]
    for name in ("model", "hidden", "heads", "out_heads", "normalise", "members", "epochs",
                 "teacher_epochs", "patience", "stop_on", "learning_rate", "weight_decay",
                 "teacher_ramp", "lambda1", "sigma", "unlabelled", "unlabelled_weight",
                 "unlabelled_ramp", "vat_radius", "vat_step", "mean_teacher_decay",
                 "pseudo_label_threshold", "seed"):
        words += ["--" + name.replace("_", "-"), str(settings[name])]
    return words


def run(opine, *words):
    done = subprocess.run([opine, *words, "-q"], capture_output=True, text=True, timeout=SECONDS,
                          check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"opine {' '.join(words)}: {done.stderr.strip()}")


class Failure(Exception):
    pass


def read_tensors(path):
    """Of a safetensors file of floats, by name."""
    data = Path(path).read_bytes()
    n = int.from_bytes(data[:8], "little")
    kinds = {"F32": "<f4", "F64": "<f8"}
    return {name: np.frombuffer(data[8 + n + tensor["data_offsets"][0]:
                                     8 + n + tensor["data_offsets"][1]],
                                kinds[tensor["dtype"]]).reshape(tensor["shape"])
            for name, tensor in json.loads(data[8:8 + n]).items() if name != "__metadata__"}


# ---- comparing ----


def beyond_rounding(theirs, ours):
    """How far floats are from what was to be rounded to them, apart from that rounding."""
    ours = np.asarray(ours, float)
    if theirs.shape != ours.shape:
        raise Failure(f"shape {theirs.shape}, expected {ours.shape}")
    if not np.isfinite(theirs).all():
        raise Failure("numbers that are not finite")
    nearest = ours.astype(np.float32)
    half_unit = np.spacing(np.abs(nearest)).astype(float) / 2
    return np.maximum(np.abs(theirs.astype(float) - ours) - half_unit, 0)


def each_matrix(members):
    """File name, value and scale of every matrix. The scale is the largest weight of its network: some
    biases of gat only ever get what rounding leaves."""
    for m, pair in enumerate(members):
        for prefix, weights in zip(("", "teacher."), pair):
            scale = max((value.abs().max().item() for value in (weights or {}).values()), default=0)
            for name, value in (weights or {}).items():
                yield (f"member{m}." if m else "") + prefix + name, value.numpy(), scale


def compare_weights(tensors, members):
    """Disagreement of each matrix."""
    return {name: beyond_rounding(tensors[name], value).max() / scale
            for name, value, scale in each_matrix(members)}


def stored_members(tensors, members):
    """The weights of the file, in the form of the oracle's."""
    def of(prefix, weights):
        return weights and {name: torch.tensor(tensors[prefix + name].astype(float))
                            for name in weights}
    return [tuple(of((f"member{m}." if m else "") + prefix, weights)
                  for prefix, weights in zip(("", "teacher."), pair))
            for m, pair in enumerate(members)]


def compare_prediction(path, wanted, settings, worst):
    with np.load(path) as file:
        found = {name: file[name] for name in file.files}
    found = {name: array for name, array in found.items()
             if array.dtype.kind == "f" and not np.isnan(array).all()}  # a measure it lacks is NaN
    measures = set(settings["measures"])
    if settings["propagate"]:
        measures |= {name + "~" for name in measures - {"fused", "margin"}}
    if settings["members"] > 1:  # members disagree, which is epistemic
        measures |= {name for name in found if name.rstrip("~") in ("aleatoric", "epistemic")}
    expected = measures | {"p"} | ({"alpha"} if settings["head"] != "softmax" else set())
    if set(found) != expected:
        raise Failure(f"{path.name} has {sorted(found)}, expected {sorted(expected)}")
    for name in sorted(expected):
        gap = beyond_rounding(found[name], wanted[name])
        if name == "alpha":
            gap = gap / wanted["alpha"]
        if name == "fused":
            gap = gap / np.maximum(1, np.abs(wanted["fused"]))
        kind = (name if name in ("p", "alpha") else
                "around" if name in ("fused", "margin") or name.endswith("~") else "measures")
        worst[kind] = max(worst[kind], gap.max())


def try_configuration(configuration, opine, folder):
    """Disagreements by kind, those of each matrix, and what the oracle trained."""
    c, worst = configuration, collections.defaultdict(float)
    save_graph(folder / "g.npz", c.graph, c.is_sparse)
    save_graph(folder / "other.npz", c.other, c.is_sparse)
    run(opine, "train", f"{folder}/g.npz", *options_of(c.settings), "-o", f"{folder}/m.safetensors")
    members = c.members()
    tensors = read_tensors(folder / "m.safetensors")
    matrices = compare_weights(tensors, members)
    worst["weights"] = max(matrices.values())
    s, stored = c.settings, stored_members(tensors, members)
    for name, graph in (("g", c.graph), ("other", c.other))[:1 if c.knows_nodes else 2]:
        run(opine, "predict", f"{folder}/m.safetensors", f"{folder}/{name}.npz", "--average",
            s["average"], "--propagate", str(s["propagate"]), "--teleport", str(s["teleport"]),
            "--isolated", s["isolated"], "--samples", "3", "--sample-dropout", "0",
            "--sample-drop-edge", "0", "--threads", "1", "-o", f"{folder}/p.npz")
        compare_prediction(folder / "p.npz", oracle.predict(graph, s, stored, c.graph), s, worst)
    return worst, matrices, members


def own_disagreement(configuration, members):
    """How far each of the oracle's matrices moves with the last bits of the initial ones."""
    worst = collections.defaultdict(float)
    for n in range(4):
        again = configuration.members(np.random.default_rng(n))
        for (name, value, scale), (_, moved, _) in zip(each_matrix(members), each_matrix(again)):
            worst[name] = max(worst[name], np.abs(moved - value).max() / scale)
    return worst


# ---- the table ----


class Row:
    def __init__(self):
        self.n = self.n_unstable = 0
        self.worst = collections.defaultdict(float)

    def add(self, worst, is_unstable):
        self.n += 1
        self.n_unstable += is_unstable
        for kind, value in worst.items():
            self.worst[kind] = max(self.worst[kind], value)

    def __str__(self):
        figures = " | ".join(f"{self.worst[kind]:.1e}" for kind in LIMITS)
        return f"{self.n} | {figures} | {self.n_unstable}"


def judge(configuration, opine, folder):
    """Disagreements, whether training was unstable, and complaints."""
    worst, matrices, members = try_configuration(configuration, opine, folder)
    complaints = [f"{kind} differ by {worst[kind]:.1e}" for kind, limit in LIMITS.items()
                  if kind != "weights" and not worst[kind] <= limit]
    if worst["weights"] <= LIMITS["weights"]:
        return worst, False, complaints
    own = own_disagreement(configuration, members)
    print(f"number {configuration.number} ({configuration.model}): weights differ by "
          f"{worst['weights']:.1e}, the oracle's own by {max(own.values()):.1e} after a change of its "
          "last bits", file=sys.stderr)
    complaints += [f"{name} differs by {gap:.1e}" for name, gap in matrices.items()
                   if not gap <= max(LIMITS["weights"], 10 * own[name])]
    return worst, True, complaints


def main():
    options = arguments()
    torch.set_num_threads(1)
    warnings.simplefilter("error", RuntimeWarning)
    opine, rows, n_broken = str(Path(options.opine).resolve()), {}, 0
    with tempfile.TemporaryDirectory() as place:
        for number in range(options.first, options.first + options.configurations):
            configuration = Configuration(number)
            if options.models and configuration.model not in options.models:
                continue
            row = rows.setdefault(configuration.model, Row())
            try:
                worst, is_unstable, complaints = judge(configuration, opine, Path(place))
                row.add(worst, is_unstable)
            except (Failure, KeyError, subprocess.TimeoutExpired) as error:
                worst, complaints = {}, [repr(error)]
            if complaints or options.verbose:
                print(f"number {number}: {'; '.join(complaints) or 'agrees'}: "
                      f"{ {k: float(f'{v:.1e}') for k, v in worst.items()} }: {configuration.kind}, "
                      f"{configuration.settings}", file=sys.stderr)
            n_broken += bool(complaints)
    print("| Model | Configurations | Weights | p | alpha | Measures | Around | Unstable |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    total = Row()
    for model in sorted(rows, key=MODELS.index):
        print(f"| {model} | {rows[model]} |")
        total.n += rows[model].n - 1
        total.n_unstable += rows[model].n_unstable
        total.add(rows[model].worst, False)
    print(f"| all | {total} |")
    return 1 if n_broken else 0


sys.exit(main())
