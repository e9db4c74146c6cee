#!/usr/bin/python3
"""threads.py -- random models, graphs and options on 1 to 16 threads: the same bits.

    tests/soak/threads.py OPINE [--configurations N] [--first N] [--threads N,N,...]

Each configuration is a graph and the options of a training and of a prediction, drawn from its own
number; number N is of model N modulo the number of models. Graphs have up to 30,000 nodes, so that all
that is shared out over threads is. Each is drawn, trained on and predicted with every number of
threads; graph, model file and predictions must have the same SHA-256 each time, but for the seconds that
a model file tells. Printed is a table in Markdown; exit code 1 if anything differs.

Threads that wait sleep (OMP_WAIT_POLICY=passive), because there may be more of them than cores. A step runs
on all threads or on one, whichever was faster by the clock (src/math/thread_choice.h): runs mix the two as
it happens.
"""

import argparse
import collections
import hashlib
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from timeless import without_times

ENCODERS = ("gcn", "gat", "sage", "mlp", "links")
FAMILY = ("s-b{}-t-k", "drop-{}", "s-{}", "{}")
MODELS = [form.format(name) for form in FAMILY for name in ENCODERS] + [
    "dropedge-gcn", "edl-gcn", "dpn-gcn", "auto", "auto"]
SECONDS = 1800


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--configurations", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--threads", default=",".join(map(str, range(1, 17))),
                        type=lambda text: [int(n) for n in text.split(",")])
    return parser.parse_args()


class Configuration:
    def __init__(self, number):
        draw = random.Random(number)
        self.number, self.model = number, MODELS[number % len(MODELS)]
        self.n_nodes = draw.choice([300, 2000, 9000, 30000])
        self.kind = draw.choice(["drawn", "drawn", "dense", "weighted", "none"])
        self.n_classes = draw.choice([2, 3, 7, 20])
        self.n_features = draw.choice([1, 9, 64, 300])
        self.degree = draw.choice([0, 2, 5, 20])
        self.words = self.options(draw)
        self.asks = ["--samples", str(draw.choice([1, 3, 8])), "--propagate",
                     str(draw.choice([0, 1, 10])), "--average", draw.choice(["alpha", "logits"]),
                     *draw.choice([[], ["--coverage", "0.9", "--set-score", "daps"],
                                   ["--target-accuracy", "0.8"]])]

    def options(self, draw):
        heads = draw.choice([1, 2, 8])
        words = ["--model", self.model, "--epochs", str(draw.choice([2, 5, 9])),
                 "--hidden", str(heads * draw.choice([1, 3, 8])), "--heads", str(heads),
                 "--out-heads", str(draw.choice([1, 2])), "--dropout", str(draw.choice([0, 0.3, 0.5])),
                 "--drop-edge", str(draw.choice([0, 0.2, 0.6])), "--patience",
                 str(draw.choice([0, 0, 2])), "--normalise",
                 draw.choice(["auto", "row", "l2", "standard", "none"]), "--members",
                 str(draw.choice([1, 1, 1, 2])), "--seed", str(draw.randrange(2 ** 40)),
                 "--calibrate", draw.choice(["pool", "temperature", "none"])]
        if self.model not in ("auto", "edl-gcn", "dpn-gcn"):
            words += ["--unlabelled", draw.choice(["none"] * 3 + ["vat", "mean-teacher", "pseudo-label"])]
        return words

    def __str__(self):
        return (f"number {self.number}: {self.kind}, {self.n_nodes} nodes, {self.n_classes} classes, "
                f"{self.n_features} features, degree {self.degree}: train {' '.join(self.words)}: "
                f"predict {' '.join(self.asks)}")

    def draw_graph(self, opine, path, n_threads):
        """Writes the graph, by the command or by NumPy."""
        if self.kind == "drawn":
            opine("data", "generate", "--nodes", self.n_nodes, "--classes", self.n_classes,
                  "--features", self.n_features, "--mean-degree", self.degree, "--words",
                  min(9, self.n_features), "--seed", self.number, "--threads", n_threads, "-o", path)
            return
        if path.exists():
            return  # as NumPy has drawn it
        rng, n = np.random.default_rng(self.number), self.n_nodes
        arrays = {"edge_index": rng.integers(0, n, (2, n * self.degree // 2)),
                  "y": np.where(rng.random(n) < 0.3, rng.integers(0, self.n_classes, n), -1)}
        if self.kind == "weighted":
            arrays["edge_weight"] = rng.integers(1, 9, arrays["edge_index"].shape[1]) / 4
        if self.kind != "none":
            arrays["x"] = rng.normal(size=(n, self.n_features)).astype(np.float32)
        np.savez(path, **arrays)


class Failure(Exception):
    pass


class Command:
    def __init__(self, path):
        self.path, self.n_run = path, 0

    def __call__(self, *words):
        self.n_run += 1
        done = subprocess.run([self.path, *map(str, words), "-q"], capture_output=True, text=True,
                              timeout=SECONDS, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


def hashes(configuration, opine, folder, n_threads):
    """SHA-256 of all that a configuration comes to on so many threads."""
    c, graph = configuration, folder / "g.npz"
    c.draw_graph(opine, graph, n_threads)
    opine("train", graph, *c.words, "--threads", n_threads, "-o", folder / "m.safetensors")
    opine("predict", folder / "m.safetensors", graph, *c.asks, "--threads", n_threads, "-o",
          folder / "p.npz")
    return {name: hashlib.sha256(without_times((folder / name).read_bytes())).hexdigest()
            for name in ("g.npz", "m.safetensors", "p.npz")}


def try_configuration(configuration, opine, folder, counts):
    """What differs, as text."""
    wanted, complaints = None, []
    for n_threads in counts:
        found = hashes(configuration, opine, folder, n_threads)
        wanted = wanted or found
        complaints += [f"{name} differs on {n_threads} threads from {counts[0]}"
                       for name in found if found[name] != wanted[name]]
    return complaints


def main():
    options = arguments()
    opine, rows, n_broken = Command(str(Path(options.opine).resolve())), {}, 0
    for number in range(options.first, options.first + options.configurations):
        configuration = Configuration(number)
        row = rows.setdefault(configuration.model, collections.Counter())
        before = opine.n_run
        with tempfile.TemporaryDirectory() as folder:
            try:
                complaints = try_configuration(configuration, opine, Path(folder), options.threads)
            except (Failure, subprocess.TimeoutExpired) as error:
                complaints = [str(error)]
        if complaints:
            print(f"{configuration}: {'; '.join(complaints)}", file=sys.stderr, flush=True)
        row.update(configurations=1, commands=opine.n_run - before, differ=int(bool(complaints)))
        n_broken += bool(complaints)
    print(f"Threads: {', '.join(map(str, options.threads))}\n")
    print("| Model | Configurations | Commands | Differ |\n|---|--:|--:|--:|")
    for model, row in rows.items():
        print(f"| {model} | {row['configurations']} | {row['commands']} | {row['differ']} |")
    total = sum(rows.values(), collections.Counter())
    print(f"| all | {total['configurations']} | {total['commands']} | {total['differ']} |")
    return 1 if n_broken else 0


sys.exit(main())
