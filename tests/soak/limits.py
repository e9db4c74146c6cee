#!/usr/bin/python3
"""limits.py -- commands at the limits of sizes, names, files, memory and surroundings.

    tests/soak/limits.py OPINE [--quick] [--most N] [CASE...]

Each case below has a claim, and runs commands that have to keep the promises of promises.py: the exit
code that is expected, a message that names the file or the option, no crash, no half-written file. Where
a limit is swept over, --most N tries N values of it instead of all. --quick leaves out the large graphs and
what runs a hundred commands.
Printed is a table in Markdown: how many commands were run and how many of them were refused, the most
memory that one of them had, and how many promises were broken. Exit code 1 if one was.

Read-only and full file systems are mounted in a name space of this process, which ends with it; where
that is not allowed these cases are left out by name, as is the locale where localedef cannot make it.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

import numpy as np

from promises import MB, LeftOut, Place, run, shown
from scene import TINY, prepare
from timeless import contents, lines_sorted, without_times

MOST_ID = 2 ** 31 - 1
IS_INSIDE = "OPINE_LIMITS_INSIDE"  # set once this runs in a name space of its own
CASES = {}


def case(name, claim, is_long=False):
    def keep(function):
        CASES[name] = (claim, is_long, function)
        return function
    return keep


def at_most(megabytes):
    return {resource.RLIMIT_AS: megabytes * MB}


# ---- sizes ----


def save_short(path, **members):
    """An npz file whose arrays have the type and shape that are named, and few bytes of them."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (kind, shape, data) in members.items():
            header = repr({"descr": kind, "fortran_order": False, "shape": shape}) + "\n"
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                             + header.encode() + np.asarray(data, kind).tobytes())


@case("edges declared", "2^31-1 edges, entries, rows or images in the header of a short file are refused, in 256 MB")
def edges_declared(place):
    few, labels = ("<i4", (4,), [1, 0, 3, 2]), ("<i4", (4,), [0, 1, 0, 1])
    offsets, shape = ("<i8", (5,), [0, 1, 2, 3, 4]), ("<i8", (2,), [4, 4])
    longest = ("<i4", (MOST_ID,), [0, 1, 2, 3])
    files = {
        "edges.npz": {"edge_index": ("<i4", (2, MOST_ID), [0, 1, 2, 3]), "y": labels},
        "wide.npz": {"edge_index": ("<i8", (MOST_ID, 2), [0, 1, 2, 3]), "y": labels},
        "entries.npz": {"adj_data": few, "adj_indices": longest, "adj_indptr": offsets,
                        "adj_shape": shape, "labels": labels},
        "last.npz": {"adj_data": few, "adj_indices": few, "adj_shape": shape, "labels": labels,
                     "adj_indptr": ("<i8", (5,), [0, 1, 2, 3, MOST_ID])},
        "nodes.npz": {"adj_data": few, "adj_indices": few, "adj_indptr": offsets,
                      "adj_shape": ("<i8", (2,), [MOST_ID, MOST_ID]), "labels": labels},
        "weights.npz": {"edge_index": ("<i4", (2, 2), [0, 1, 2, 3]), "y": labels,
                        "edge_weight": ("<f4", (MOST_ID,), [1, 1])},
        "features.npz": {"edge_index": ("<i4", (2, 2), [0, 1, 2, 3]), "y": labels,
                         "x": ("<f4", (4, MOST_ID), [1, 2])},
        "labels.npz": {"edge_index": ("<i4", (2, 2), [0, 1, 2, 3]),
                       "y": ("<i4", (MOST_ID,), [0, 1])},
    }
    for name, members in files.items():
        save_short(place.folder / name, **members)
        place.expect(f"data info {name}", 3, name, limits=at_most(256))
    images = place.folder / "many-images-idx3-ubyte"
    images.write_bytes(struct.pack(">IIII", 0x803, MOST_ID, 28, 28) + bytes(784))
    place.expect(f"data info {images.name}", 3, images.name, limits=at_most(256))
    manifest = place.folder / "g.shards" / "manifest.json"
    about = json.loads(manifest.read_text())
    for edited in ({"entries": MOST_ID}, {"nodes": MOST_ID}, {"feature_entries": MOST_ID}):
        manifest.write_text(json.dumps(about | edited))
        place.expect("data info g.shards", 3, "g.shards", limits=at_most(256))
    header = json.dumps({"w0": {"dtype": "F32", "shape": [MOST_ID, 16],
                                "data_offsets": [0, MOST_ID * 64]}}).encode()
    (place.folder / "w.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(64))
    place.expect("predict w.safetensors g.npz", 3, "w.safetensors", limits=at_most(256))


def train_and_predict(place, graph, megabytes, options, ending="npz"):
    """Both really run, within so much address space."""
    limits = at_most(megabytes)
    place.expect(f"train {graph} {options} --threads 2 -o large.safetensors", limits=limits,
                 writes=["large.safetensors"])
    place.expect(f"predict large.safetensors {graph} --samples 2 --threads 2 -o large.{ending}",
                 limits=limits, writes=[f"large.{ending}"])


def expect_finite(place, n_nodes, n_classes):
    with np.load(place.folder / "large.npz") as file:
        p = file["p"]
        place.check(p.shape == (n_nodes, n_classes), f"p has the shape {p.shape}")
        place.check(bool(np.isfinite(p).all()), "p has values that are not finite")


@case("10^7 nodes", "a graph of 10^7 nodes and 2 * 10^7 edges is trained on and predicted within 12 GB of"
      " address space", is_long=True)
def ten_million_nodes(place):
    n, place.seconds = 10 ** 7, 7200
    rng = np.random.default_rng(0)
    y = np.full(n, -1, np.int32)
    y[rng.integers(0, n, 1000)] = rng.integers(0, 4, 1000)
    np.savez(place.folder / "large_graph.npz", edge_index=rng.integers(0, n, (2, 2 * n), np.int32),
             attr_data=np.ones(2 * n, np.float32), attr_indices=rng.integers(0, 50, 2 * n, np.int32),
             attr_indptr=np.arange(0, 2 * n + 1, 2), attr_shape=np.array([n, 50]), labels=y)
    del y
    place.expect("data info large_graph.npz", limits=at_most(12 << 10))
    train_and_predict(place, "large_graph.npz", 12 << 10, "--model s-gcn --hidden 8 --epochs 3")
    expect_finite(place, n, 4)


@case("10^5 features", "graphs of 10^5 features, sparse, dense and in a table, are trained on within 2 GB",
      is_long=True)
def many_features(place):
    rng, n_features = np.random.default_rng(0), 10 ** 5
    place.expect(f"data generate --nodes 2000 --classes 4 --features {n_features} -o sparse.npz",
                 writes=["sparse.npz"], limits=at_most(2048))
    train_and_predict(place, "sparse.npz", 2048, "--model s-bgcn-t-k --epochs 3")
    expect_finite(place, 2000, 4)
    edges, y = rng.integers(0, 100, (2, 300)), np.arange(100) % 3
    x = rng.normal(size=(100, n_features)).astype(np.float32)
    np.savez(place.folder / "dense.npz", edge_index=edges, x=x, y=y)
    train_and_predict(place, "dense.npz", 2048, "--model s-bsage-t-k --epochs 3")
    expect_finite(place, 100, 3)
    table = place.folder / "table"
    table.mkdir()
    np.savetxt(table / "edges.csv", edges.T, "%d", ",")
    np.savetxt(table / "labels.csv", y, "%d")
    np.savetxt(table / "features.csv", x[:, :n_features], "%.3g", ",")
    train_and_predict(place, "table", 2048, "--model gcn --epochs 3")
    expect_finite(place, 100, 3)


@case("1,000 classes", "1,000 classes are learnt, predicted, explained and reported within 4 GB; 4,097 are refused",
      is_long=True)
def many_classes(place):
    place.seconds = 7200
    place.expect("data generate --nodes 3000 --classes 1000 --features 200 -o many.npz",
                 writes=["many.npz"])
    train_and_predict(place, "many.npz", 4096, "--model s-bgcn-t-k --epochs 3")
    expect_finite(place, 3000, 1000)
    for ending in ("csv", "json"):
        place.expect(f"predict large.safetensors many.npz --samples 2 -o out.{ending}",
                     writes=[f"out.{ending}"], limits=at_most(4096))
    place.expect("explain large.safetensors many.npz 17 --samples 2", limits=at_most(4096))
    place.expect("predict large.safetensors many.npz --samples 2 --coverage 0.9 -o sets.csv",
                 writes=["sets.csv"], limits=at_most(4096))
    place.expect("report large.safetensors many.npz -o large.html", writes=["large.html"],
                 limits=at_most(4096))
    place.expect("data generate --nodes 9000 --classes 4097 --features 20 -o more.npz",
                 writes=["more.npz"])
    place.expect("train more.npz --model gcn --epochs 1 -o more.safetensors", (2, 3),
                 ("more.npz", "4096"))


@case("10^5 labels", "a graph of 10^5 labels is trained on, prior included, within 4 GB", is_long=True)
def many_labels(place):
    n, place.seconds = 2 * 10 ** 5, 7200
    place.expect(f"data generate --nodes {n} --classes 5 --features 300 -o drawn.npz -q",
                 writes=["drawn.npz"])
    with np.load(place.folder / "drawn.npz") as file:
        arrays = dict(file)
    arrays.pop("split", None)
    arrays["labels"] = np.where(np.arange(n) % 2, -1, arrays["labels"])
    np.savez(place.folder / "half.npz", **arrays)
    del arrays
    train_and_predict(place, "half.npz", 4096, "--model s-bgcn-t-k --epochs 5")
    expect_finite(place, n, 5)
    place.expect("train half.npz --epochs 5 --threads 2 -o auto.safetensors", limits=at_most(4096),
                 writes=["auto.safetensors"])


@case("ids", "numbers at the edges of their types are taken or refused by name")
def ids_at_the_edge(place):
    y = np.array([0, 1, 0, 1])
    for kind, ids in (("int64", (-1, 4, MOST_ID, MOST_ID + 1, 2 ** 63 - 1, -2 ** 63)),
                      ("uint64", (2 ** 64 - 1, 2 ** 63)), ("uint32", (2 ** 32 - 1, 2 ** 31)),
                      ("int32", (MOST_ID, -2 ** 31)), ("float64", (1e300, np.inf, np.nan, 0.5))):
        for number in ids:
            np.savez(place.folder / "id.npz", edge_index=np.array([[0, 1], [1, number]], kind), y=y)
            place.expect("data info id.npz", 3, "id.npz")
            np.savez(place.folder / "alone.npz", edge_index=np.array([[0, 1], [1, number]], kind))
            place.expect("data info alone.npz", 0 if number == 4 else 3, "alone.npz")
    # Labels are names of classes, however large.
    np.savez(place.folder / "below.npz", edge_index=np.array([[0, 1], [1, 2]]),
             y=np.array([-2 ** 63, 0, 1, 2]))
    place.expect("data info below.npz", 3, ("below.npz", str(-2 ** 63)))
    numbers = np.array([0, 2 ** 63 - 1, 2 ** 31, 2 ** 53 + 1])
    np.savez(place.folder / "names.npz", edge_index=np.array([[0, 1], [1, 2]]), y=numbers)
    said = json.loads(place.expect("data info names.npz --json").stdout)
    place.check([c["name"] for c in said["classes"]] == [str(k) for k in sorted(numbers.tolist())],
                f"classes {said['classes']} of labels {numbers}")
    edges = place.folder / "folder" / "edges.csv"
    for number in (MOST_ID, MOST_ID + 1, 2 ** 63, 10 ** 30, -1):
        edges.write_text(f"source,target\n0,1\n1,{number}\n")
        place.expect("data info folder", 3, ("folder/edges.csv:3", str(number)))
    for name, value in (("seed", 2 ** 53), ("seed", -1), ("threads", 1025), ("epochs", 10 ** 7 + 1),
                        ("epochs", 2 ** 64), ("hidden", 4097), ("hidden", 0), ("samples", 10 ** 9),
                        ("learning-rate", "1e309"), ("dropout", 1), ("sigma", "nan")):
        place.expect(f"train g.npz --{name} {value} -o new.safetensors", 2, f"--{name}")
    place.expect(f"train g.npz --model gcn --epochs 1 --seed {2 ** 53 - 1} -o new.safetensors",
                 writes=["new.safetensors"])
    for node in (60, MOST_ID, MOST_ID + 1, 2 ** 64, -1):
        place.expect(["explain", "m.safetensors", "g.npz", "--", str(node)], (2, 3), str(node))
    for value, is_fine in ((3.4e38, True), (-3.4e38, True), (1e-45, True), (1e39, False),
                           (np.inf, False), (np.nan, False)):
        x = np.array([[1, value], [2, 0], [3, 1], [4, 1]])
        np.savez(place.folder / "x.npz", edge_index=np.array([[0, 1], [1, 2]]), x=x, y=y)
        place.expect("data info x.npz", 0 if is_fine else 3, "x.npz")
        place.expect(f"train x.npz --model gcn {TINY} -o new.safetensors", 0 if is_fine else 3,
                     "x.npz", writes=["new.safetensors"])


MODELS = ("gcn", "s-bgcn-t-k", "dropedge-gcn", "edl-gcn", "dpn-gcn", "s-bgat-t-k", "s-bsage-t-k",
          "s-bmlp-t-k", "s-blinks-t-k")


def all_verbs(place, graph, model, node="0"):
    """What is done with a model once there is one."""
    for ending in ("csv", "json", "npz", "graphml"):
        place.expect(f"predict {model} {graph} --samples 2 -o odd.{ending}", writes=[f"odd.{ending}"])
    place.expect(f"explain {model} {graph} {node} --samples 2")
    place.expect(f"report {model} {graph} -o odd.html", writes=["odd.html"])
    place.expect(f"suggest {model} {graph} -n 3")


@case("one node", "a graph of one node is described, converted and predicted, and refused for training")
def one_node(place):
    np.savez(place.folder / "one.npz", edge_index=np.zeros((2, 0), np.int32), x=np.ones((1, 12)),
             y=np.array([0]))
    place.expect("data info one.npz")
    place.expect("data convert one.npz -o one", writes=["one"])
    place.expect("data convert one -o again.npz", writes=["again.npz"])
    place.expect("data shard one.npz --blocks 2 -o one.shards", (0, 2, 3), "one.npz",
                 writes=["one.shards"])
    for model in (*MODELS, "auto"):
        place.expect(f"train one.npz --model {model} {TINY} -o new.safetensors", 3, "one")
    place.expect("evaluate one.npz --model gcn --seeds 1 -o run", 3, "one")
    place.expect("tune one.npz --model gcn --trials 2 --seeds 2", 3, "one")
    np.savez(place.folder / "other.npz", edge_index=np.zeros((2, 0), np.int32), x=np.ones((1, 12)))
    place.expect(f"train g.npz --model s-bgcn-t-k {TINY} -o own.safetensors",
                 writes=["own.safetensors"])
    for ending in ("csv", "json", "npz", "graphml"):
        place.expect(f"predict own.safetensors other.npz -o odd.{ending}", writes=[f"odd.{ending}"])
    place.expect("explain own.safetensors other.npz 0")
    np.savez(place.folder / "none.npz", edge_index=np.zeros((2, 0), np.int32), x=np.ones((0, 12)),
             y=np.zeros(0, np.int32))
    place.expect("data info none.npz", 3, "none.npz")


@case("no edges", "a graph without edges goes through every model and verb", is_long=True)
def no_edges(place):
    rng = np.random.default_rng(0)
    np.savez(place.folder / "bare.npz", edge_index=np.zeros((2, 0), np.int32),
             x=rng.random((40, 5)), y=np.arange(40) % 2,
             split=np.array(["train", "train", "validation", "validation", "test"] * 8))
    place.expect("data info bare.npz")
    place.expect("data convert bare.npz -o bare", writes=["bare"])
    place.expect("data shard bare.npz --blocks 2 -o bare.shards", writes=["bare.shards"])
    for model in (*MODELS, "auto"):
        place.expect(f"train bare.npz --model {model} {TINY} -o bare.safetensors",
                     writes=["bare.safetensors"])
        all_verbs(place, "bare.npz", "bare.safetensors")
    place.expect("suspects bare.safetensors bare.npz")
    place.expect("evaluate bare.npz --model gcn,s-bgcn-t-k --seeds 1 --epochs 3 --samples 2")
    place.expect("tune bare.npz --model gcn --trials 2 --seeds 2 --epochs 3")


# ---- names ----


def path_of(folder, n_bytes, name):
    """A path of exactly so many bytes that ends in `name`, in folders that are made."""
    at = str(folder)
    while n_bytes - len(at) - len(name) - 1 > 202:
        at += "/" + "d" * 200
    rest = n_bytes - len(at) - len(name) - 2
    at += "/" + "d" * rest if rest > 0 else ""
    os.makedirs(at, exist_ok=True)
    return f"{at}/{name}" if rest >= 0 else f"{at}/{'n' * (rest + 1)}{name}"


@case("long paths", "paths of 4,095 bytes and names of 255 work; longer ones are refused with the reason")
def long_paths(place):
    deep = place.folder / "deep"
    longest = path_of(deep, 4095, "g" * 180 + ".npz")
    place.check(len(longest) == 4095, f"a path of {len(longest)} bytes")
    relative = os.path.relpath(longest, place.folder)
    place.expect(["data", "convert", "g.npz", "-o", longest], writes=[relative])
    place.expect(["data", "info", longest])
    # Beside a model there has to be room for NAME.checkpoint.lock.
    model, said = longest[:-16], longest[:-4] + ".csv"
    place.expect(["train", longest, "--model", "gcn", *TINY.split(), "-o", model],
                 writes=[os.path.relpath(model, place.folder)])
    place.expect(["train", longest, "--model", "gcn", *TINY.split(), "-o", model + "m"], 1,
                 "File name too long")
    place.expect(["predict", model, longest, "-o", said],
                 writes=[os.path.relpath(said, place.folder)])
    page = longest[:-4] + "htm"
    place.expect(["report", model, longest, "-o", page],
                 writes=[os.path.relpath(page, place.folder)])
    too_long = longest[:-4] + "x"  # once it has an ending
    for words, code in ((["data", "info", too_long + ".npz"], 3),
                        (["predict", too_long + ".npz", "g.npz"], 3),
                        (["predict", "m.safetensors", "g.npz", "-o", too_long + ".csv"], 1),
                        (["train", "g.npz", *TINY.split(), "-o", too_long + ".safetensors"], 1),
                        (["data", "convert", "g.npz", "-o", too_long + ".npz"], 1),
                        (["data", "convert", "g.npz", "-o", too_long + "d" * 200], 1),
                        (["report", "m.safetensors", "g.npz", "-o", too_long + ".html"], 1),
                        (["evaluate", "demo", "--model", "gcn", "--seeds", "1", *TINY.split(), "-o",
                          too_long + "nnnn"], 1)):
        place.expect(words, code, "File name too long")
    place.expect(["predict", "m.safetensors", "g.npz", "-o", too_long + ".xlsx"], 2,
                 "ends in .xlsx, but only")
    place.expect(["data", "fetch", "cora", "--data-dir", too_long + "nnnn"], 2,
                 "the path of the data folder is longer than 4095 bytes")
    for n, code in ((255, 0), (256, 1)):
        name = "n" * (n - 4) + ".csv"
        place.expect(["predict", "m.safetensors", "g.npz", "-o", name], code, "File name too long",
                     writes=[name])
    # Where the folder leaves room for files but not for the longest names in it.
    for n in (4060, 4070, 4080, 4090):
        run_folder = path_of(deep, n, "run")
        place.expect(["evaluate", "demo", "--model", "gcn", "--seeds", "1", *TINY.split(), "-o",
                      run_folder], (0, 1), "File name too long", keeps=["deep"], writes=["deep"])


def save_folder(folder, node, label, feature):
    folder.mkdir()
    nodes = [node, *"bcdefghijklmnopqrst"]
    (folder / "edges.csv").write_bytes(b"source,target\n" + b"".join(
        f"{a},{b}\n".encode() for a, b in zip(nodes, nodes[1:])))
    (folder / "labels.csv").write_bytes(b"node,label\n" + b"".join(
        f"{a},{label if i % 2 else 'other'}\n".encode() for i, a in enumerate(nodes)))
    (folder / "features.csv").write_bytes(f"node,{feature},f2\n".encode() + b"".join(
        f"{a},{i % 3},{i % 2}\n".encode() for i, a in enumerate(nodes)))


@case("long names", "names of 1 MB of nodes, classes and features come through every file; a message that quotes"
      " one keeps its reason")
def long_names(place):
    long = "x" * MB
    for which in range(3):
        names = ["a", "one", "f1"]
        names[which] = long
        graph, model = f"long{which}", f"long{which}.safetensors"
        save_folder(place.folder / graph, *names)
        place.expect(f"data info {graph} --json")
        place.expect(f"train {graph} --model s-bgcn-t-k {TINY} -o {model}", writes=[model])
        for ending in ("csv", "json", "graphml", "npz"):
            out = f"out{which}.{ending}"
            place.expect(f"predict {model} {graph} --samples 2 -o {out}", writes=[out])
            if which < 2 and ending != "npz":  # features are no part of predictions
                place.check(long.encode() in (place.folder / out).read_bytes(), f"{out}: no long name")
        place.expect(f"explain {model} {graph} b --samples 2 --json")
        place.expect(f"explain {model} {graph} b --samples 2")
        place.expect(f"report {model} {graph} -o out.html", writes=["out.html"])
        place.expect(f"data convert {graph} -o back{which}.npz", writes=[f"back{which}.npz"])
        place.expect(f"data convert back{which}.npz -o back{which}", writes=[f"back{which}"])
        hashes = {json.loads(place.expect(f"data info {g} --json").stdout)["hash"]
                  for g in (graph, f"back{which}", f"back{which}.npz")}
        place.check(len(hashes) == 1, f"{graph}: not the same graph once it is converted")
    edges = place.folder / "long0" / "edges.csv"
    for text, reason in ((f"source,target\nb,{long}y\n", "is in neither"),
                         (f"source,target,weight\nb,c,{long}\n", "long0/edges.csv:2"),
                         (f"source,target\nb,\"{long}\n", "never ends")):
        edges.write_text(text)
        place.expect("data info long0", 3, ("long0/edges.csv", reason))
    (place.folder / "long1" / "classes.csv").write_text("class\none\nother\n")
    place.expect("data info long1", 3, ("long1/labels.csv", "is not in classes.csv"))
    (place.folder / "long2" / "split.csv").write_text(f"node,role\na,{long}\n")
    place.expect("data info long2", 3, ("long2/split.csv", "is needed"))
    np.savez(place.folder / "n.npz", edge_index=np.zeros((2, 0), int), y=np.array([long, "b", "c"]),
             class_names=np.array(["b", "c"]))
    place.expect("data info n.npz", 3, ("n.npz", "is not in class_names"))


@case("not UTF-8", "names in files that are not UTF-8 are refused with the line; paths and options that are not work"
      " or are refused by name, and JSON stays valid")
def not_utf8(place):
    bad = b"caf\xe9"
    for name, text, where in (("edges.csv", b"source,target\n0,1\n1," + bad + b"\n", "edges.csv:3"),
                              ("labels.csv", b"node,label\n0," + bad + b"\n", "labels.csv:2"),
                              ("features.csv", b"node," + bad + b"\n0,1\n", "features.csv:1"),
                              ("split.csv", b"node,role\n0," + bad + b"\n", "split.csv:2")):
        folder = place.folder / f"bad_{name[:-4]}"
        shutil.copytree(place.folder / "folder", folder)
        (folder / name).write_bytes(text)
        place.expect(f"data info {folder.name}", 3, f"{folder.name}/{where}")
    shutil.copytree(place.folder / "folder", place.folder / "bad_json")
    (place.folder / "bad_json" / "features.csv").unlink()
    (place.folder / "bad_json" / "features.json").write_bytes(b'{"0": {"' + bad + b'": 1}}')
    place.expect("data info bad_json", 3, "bad_json/features.json")
    (place.folder / "bad.graphml").write_bytes(
        (place.folder / "g.graphml").read_bytes().replace(b"one", bad))
    place.expect("data info bad.graphml", 3, "bad.graphml")
    (place.folder / "bad.csv").write_bytes(
        (place.folder / "p.csv").read_bytes().replace(b"p_0", b"p_" + bad))
    place.expect("decide bad.csv -o new.csv", 3, "bad.csv")
    data = (place.folder / "m.safetensors").read_bytes()
    (place.folder / "bad.safetensors").write_bytes(data.replace(b'"s-bgcn-t-k"', b'"s-bgcn-t-\xff"', 1))
    place.expect("predict bad.safetensors g.npz", 3, "bad.safetensors")

    odd = os.fsdecode(b"\xff\xfe-caf\xe9")
    (place.folder / odd).mkdir()
    for name in ("g.npz", "m.safetensors", "p.csv"):
        shutil.copy(place.folder / name, place.folder / odd / name)
    shutil.copytree(place.folder / "folder", place.folder / odd / "folder")
    documents = [place.expect(["data", "info", f"{odd}/{name}", "--json"])
                 for name in ("g.npz", "folder")]
    for words, written in (
            (["train", f"{odd}/folder", "--model", "gcn", *TINY.split(), "--json"], "new.safetensors"),
            (["predict", f"{odd}/m.safetensors", f"{odd}/g.npz"], "p.json"),
            (["report", f"{odd}/m.safetensors", f"{odd}/g.npz", "--json"], "r.html"),
            (["data", "convert", f"{odd}/g.npz", "--json"], "copy.npz"),
            (["data", "convert", f"{odd}/g.npz", "--json"], "copy"),
            (["data", "shard", f"{odd}/g.npz", "--blocks", "2", "--json"], "copy.shards"),
            (["evaluate", "demo", "--model", "gcn", "--seeds", "1", "--json", *TINY.split()], "run")):
        ended = place.expect([*words, "-o", f"{odd}/{written}"], writes=[f"{odd}/{written}"])
        documents += [ended] if "--json" in words else []
    documents.append(place.expect(["explain", f"{odd}/new.safetensors", f"{odd}/folder", "3", "--json"]))
    for ended in documents:
        expect_json(place, ended.stdout)
    for path in (place.folder / odd).rglob("*.json"):
        expect_json(place, path.read_bytes())
    place.expect(["predict", f"{odd}/new.safetensors", f"{odd}/folder"])
    place.expect(["data", "info", f"{odd}/none"], 3, "none")
    place.expect(["data", "info", "folder", "--label", odd], 2, "--label")
    place.expect(["train", "g.npz", "--ood-classes", odd, "-o", "new.safetensors"], (2, 3), "opine: ")
    place.expect(["train", "g.npz", "--model", odd, "-o", "new.safetensors"], 2, "--model")
    place.expect(["explain", "m.safetensors", "g.npz", odd], 3, "opine: ")
    place.expect([odd], 2)


def expect_json(place, data):
    try:
        json.loads(data.decode("utf-8"))
    except ValueError as error:
        place.complain(f"no JSON: {error}: {data[:200]!r}")


# ---- surroundings ----

# Commands that write, and what of theirs is told.
WRITERS = {
    "data generate --nodes 60 -o {}.npz": "{}.npz",
    "data convert g.npz -o {}.npz": "{}.npz",
    "data convert g.npz -o {}": "{}",
    "data shard g.npz --blocks 4 -o {}.shards": "{}.shards",
    f"train g.npz --model s-bgcn-t-k {TINY} -o {{}}.safetensors": "{}.safetensors",
    f"train g.npz {TINY} -o {{}}.safetensors": "{}.safetensors",
    "predict m.safetensors g.npz --samples 2 -o {}.csv": "{}.csv",
    "predict m.safetensors g.npz --samples 2 -o {}.json": "{}.json",
    "predict m.safetensors g.npz --samples 2 -o {}.npz": "{}.npz",
    "predict m.safetensors g.npz --samples 2 -o {}.graphml": "{}.graphml",
    "decide p.csv -o {}.csv": "{}.csv",
    "suggest few.safetensors few -n 3 -o {}.csv": "{}.csv",
    "suspects m.safetensors g.npz -o {}.csv": "{}.csv",
    "report m.safetensors g.npz -o {}.html": "{}.html",
    f"evaluate demo --model gcn --seeds 1 --samples 2 {TINY} -o {{}}": "{}",
    "tune demo --model gcn --trials 2 --seeds 2 --epochs 2 -o {}": "{}",
}


class Mounted:
    """A tmpfs of `room` in the folder of a place, until the end of the block."""

    def __init__(self, place, room):
        self.path, self.room = place.folder / "mounted", room

    def __enter__(self):
        if not os.environ.get(IS_INSIDE):
            raise LeftOut("no file system may be mounted here")
        self.path.mkdir()
        self.mount("-t", "tmpfs", "-o", f"size={self.room}", "tmpfs", str(self.path))
        return self

    def mount(self, *words):
        done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LeftOut(f"no file system may be mounted here: {done.stderr.strip()}")

    def __exit__(self, *_):
        subprocess.run(["umount", str(self.path)], check=False, capture_output=True)


@case("read-only", "a file system that cannot be written to is told, and can be read from")
def read_only(place):
    with Mounted(place, "64m") as mounted:
        for name in ("g.npz", "m.safetensors", "p.csv"):
            shutil.copy(place.folder / name, mounted.path / name)
        shutil.copytree(place.folder / "folder", mounted.path / "folder")
        (mounted.path / "old.csv").write_bytes(b"as it was\n")
        mounted.mount("-o", "remount,ro", str(mounted.path))
        for line, told in WRITERS.items():
            place.expect(line.format("mounted/new"), 1,
                         (told.format("mounted/new"), "Read-only file system"))
        place.expect("demo -o mounted/new.html", 1, "mounted/new.html")
        place.expect("predict m.safetensors g.npz -o mounted/old.csv", 1, "mounted/old.csv")
        place.expect("data fetch cora --data-dir mounted/data", 1, "mounted/data")
        for line in ("data info mounted/g.npz", "data info mounted/folder",
                     "predict mounted/m.safetensors mounted/g.npz", "decide mounted/p.csv",
                     "explain mounted/m.safetensors mounted/folder 3"):
            place.expect(line)


@case("full disk", "a file system without room is told, and leaves the old file and nothing else")
def full_disk(place):
    with Mounted(place, "64k") as mounted:
        (mounted.path / "old.csv").write_bytes(b"as it was\n")
        with open(mounted.path / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                pass
        for line, told in WRITERS.items():
            place.expect(line.format("mounted/new"), 1, (told.format("mounted/new"),
                                                         "No space left on device"),
                         keeps=["mounted/new"])
            shutil.rmtree(mounted.path / "new", ignore_errors=True)
        place.expect("predict m.safetensors g.npz -o mounted/old.csv", 1, "mounted/old.csv")
        place.check((mounted.path / "old.csv").read_bytes() == b"as it was\n", "old.csv is not as it was")


def spread(values, most):
    values = list(values)
    return values if not most or len(values) <= most else [
        values[i * (len(values) - 1) // (most - 1)] for i in range(most)]


@case("RLIMIT_FSIZE", "a limit on the size of files is told, whatever it is, and leaves nothing")
def file_size(place):
    for line, told in WRITERS.items():
        name = told.format("new")
        place.expect(line.format("new"), writes=[name])
        written = place.folder / name
        sizes = [p.stat().st_size for p in written.rglob("*") if p.is_file()] \
            if written.is_dir() else [written.stat().st_size]
        remove(written)
        for limit in spread(range(0, max(sizes)), min(place.most or 12, 12)):
            place.expect(line.format("new"), (0, 1), ("File too large", "new"), writes=[name],
                         keeps=["new"] if name == "new" else (),
                         limits={resource.RLIMIT_FSIZE: limit})
            remove(written)
    place.expect("predict m.safetensors g.npz -o old.csv", 1, "old.csv",
                 limits={resource.RLIMIT_FSIZE: 100})


def remove(path):
    """What a command has written, and what a training may have left beside it."""
    for each in (path, *path.parent.glob(path.name + ".checkpoint*")):
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink(missing_ok=True)


@case("RLIMIT_AS", "with any limit on memory from a start upwards a command does its work, the same as without, or"
      " says that there is too little")
def address_space(place):
    lines = ("data info folder --json", "data info g.graphml", "data convert g.npz -o new.npz",
             f"train g.npz --model s-bgcn-t-k {TINY} -o new.safetensors",
             "train g.npz --epochs 3 --threads 2 -o new.safetensors",
             "predict m.safetensors g.npz --samples 2 --threads 2 -o new.json",
             "report m.safetensors g.npz --threads 2 -o new.html",
             "explain m.safetensors g.npz 3 --threads 1 --json",
             "evaluate demo --model gcn --seeds 2 --epochs 3 --samples 2 --threads 2 -o new.run",
             "data generate --nodes 20000 --threads 2 -o new.npz")
    least = next(n for n in range(4, 512) if run([place.opine, "version"], place.folder, 60,
                                                  at_most(n)).code == 0)
    for line in lines:
        name = next((word for word in line.split() if word.startswith("new.")), None)
        writes = [name] if name else []
        wanted = place.expect(line, writes=writes)
        files = written_files(place, name)
        enough = next(n for n in range(least, 4096, 16) if fits(place, line, name, n))
        for megabytes in spread(range(least, enough + 2), place.most):
            # 3: libxml2, which is loaded when it is needed, does not fit.
            ended = place.expect(line, (0, 1, 3) if "graphml" in line else (0, 1), writes=writes,
                                 keeps=["new.run"], limits=at_most(megabytes))
            if ended.code == 0:
                place.check(printed(line, ended) == printed(line, wanted)
                            and written_files(place, name) == files,
                            f"opine {line}: something else in {megabytes} MB")
            if name:
                remove(place.folder / name)


def fits(place, line, name, megabytes):
    ended = run([place.opine, *line.split()], place.folder, 60, at_most(megabytes))
    if name:
        remove(place.folder / name)
    return ended.code == 0


def printed(line, ended):
    """What a command has printed, unless it is a table with times."""
    has_times = line.startswith(("evaluate", "tune")) and "--json" not in line
    return b"" if has_times else without_times(ended.stdout)


def written_files(place, name):
    """Bytes of what a command has written, but for times and tables of them."""
    path = place.folder / (name or "")
    if not name:
        return None
    if path.is_dir():
        return lines_sorted({n: data for n, data in contents(path).items()
                             if not n.endswith((".txt", ".md"))})
    return without_times(path.read_bytes())


@case("HOME", "without HOME, with an empty one and with one that is no folder, all but downloads works")
def no_home(place):
    keep = {k: v for k, v in os.environ.items()
            if k not in ("HOME", "OPINE_DATA", "OPINE_DATA_MIRROR") and not k.startswith("XDG_")}
    (place.folder / "file").write_text("no folder\n")
    mirror = place.folder / "mirror"
    mirror.mkdir()
    for more in ({}, {"HOME": ""}, {"HOME": "/nonexistent"}, {"HOME": str(place.folder / "file")},
                 {"HOME": "", "XDG_DATA_HOME": ""}, {"XDG_DATA_HOME": "relative"},
                 {"XDG_DATA_HOME": str(place.folder / "file")}):
        env = {**keep, **more}
        place.expect("data list", env=env)
        place.expect("data info demo", env=env)
        place.expect("data info cora", 3, "cora", env=env)
        place.expect(f"data fetch cora --mirror {mirror}", (1, 2, 3), "opine: ", env=env)
        place.expect(f"train g.npz --model gcn {TINY} -o new.safetensors", env=env,
                     writes=["new.safetensors"])
        place.expect("report m.safetensors g.npz -o new.html", env=env, writes=["new.html"])
        place.expect("version -v", env=env)


@case("closed streams", "closed standard streams lose no file, and what could not be printed is a failure",
      is_long=True)
def closed_streams(place):
    prints = ("data info g.npz", "data list", "version", "help train", "data info g.npz --json",
              "predict m.safetensors g.npz --samples 2", "explain m.safetensors g.npz 3",
              "decide p.csv", "data convert g.npz -o -",
              f"train g.npz --model gcn {TINY} -o new.safetensors")
    for line in prints:
        written = ["new.safetensors"] if " -o new" in line else []
        for closed in ((0,), (2,), (0, 2)):
            place.expect(line, closed=closed, writes=written)
        for closed in ((1,), (0, 1), (1, 2), (0, 1, 2)):
            # The model is written before anything is said about it.
            place.expect(line, 1, "standard output", closed=closed, keeps=written)
        with open("/dev/full", "wb") as full:
            place.expect(line, 1, "standard output", keeps=written, stdout=full)
    for line, told in WRITERS.items():
        name = told.format("new")
        wanted = written_once(place, line, name, ())
        for closed in ((0,), (0, 1), (0, 1, 2)):
            place.check(written_once(place, line, name, closed) == wanted,
                        f"opine {line}: writes something else without streams {closed}")
    for line in ("data info -", "predict - g.npz", "train - -o new.safetensors"):
        place.expect(line, 3, "standard input", closed=(0,))


def written_once(place, line, name, closed):
    place.expect(line.format("new"), (0, 1), "standard output", closed=closed, writes=[name],
                 keeps=[name])
    files = written_files(place, name)
    remove(place.folder / name)
    return files


@case("FIFOs", "pipes that have names are read and written as files are; one in a folder is refused")
def fifos(place):
    data, model, out = (place.folder / name for name in ("data.fifo", "model.fifo", "out.csv"))
    for path in (data, model, out):
        os.mkfifo(path)
    wanted = place.expect("predict m.safetensors g.npz --samples 2").stdout

    def feed(path, source, n_bytes=None):
        def work():
            try:
                with open(path, "wb") as pipe:
                    pipe.write((place.folder / source).read_bytes()[:n_bytes])
            except BrokenPipeError:
                pass
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    feeders = [feed(data, "g.npz"), feed(model, "m.safetensors")]
    said = place.expect("predict model.fifo data.fifo --samples 2").stdout
    place.check(said == wanted, "predictions from pipes are others than from files")
    for thread in feeders:
        thread.join(60)
    for source, n in (("g.npz", 100), ("g.npz", 0), ("m.safetensors", 10)):
        path, line = (model, "predict model.fifo g.npz") if n == 10 else (data, "data info data.fifo")
        thread = feed(path, source, n)
        place.expect(line, 3, path.name)
        thread.join(60)
    read = []
    reader = threading.Thread(target=lambda: read.append(out.read_bytes()), daemon=True)
    reader.start()
    place.expect("predict m.safetensors g.npz --samples 2 -o out.csv")
    reader.join(60)
    place.check(read == [wanted], "what comes out of a pipe is not what a file would hold")
    place.check(out.is_fifo(), "out.csv was replaced by a file")
    (place.folder / "folder" / "labels.csv").unlink()
    os.mkfifo(place.folder / "folder" / "labels.csv")
    place.expect("data info folder", 3, "folder/labels.csv")
    # Nobody at the other end: it waits, and a signal ends the wait.
    for line in ("data info data.fifo", "predict m.safetensors g.npz --samples 2 -o out.csv"):
        place.expect(line, 130, "interrupted", before=lambda: end_soon(1.0))


def end_soon(seconds):
    """In the child: SIGTERM to itself after a while, from another process, which ends with that."""
    parent = os.getpid()
    if os.fork() == 0:
        try:
            os.setsid()
            threading.Event().wait(seconds)
            os.kill(parent, signal.SIGTERM)
        finally:
            os._exit(0)


LOCALE_SHIM = r"""
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
// As a program would that embeds the library and shows numbers as its user writes them.
__attribute__((constructor)) static void settle(void)
{
    setlocale(LC_ALL, "");
    FILE *mark = fopen(getenv("OPINE_LOCALE_MARK"), "w");
    if (mark != NULL) {
        fprintf(mark, "%.1f", 1.5);
        fclose(mark);
    }
}
"""


@case("decimal comma", "in a locale with a decimal comma every output has the same bytes")
def decimal_comma(place):
    tools = place.folder.parent / "locale"
    (tools / "made").mkdir(parents=True)
    (tools / "shim.c").write_text(LOCALE_SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tools / "shim.so", tools / "shim.c"], check=True)
    try:
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tools / "made" / "comma"],
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise LeftOut("there is no localedef") from None
    if not (tools / "made" / "comma").is_dir():
        raise LeftOut(f"localedef: {made.stderr.strip()}")
    mark = tools / "mark"
    plain = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    comma = {**plain, "LOCPATH": str(tools / "made"), "LC_ALL": "comma",
             "OPINE_LOCALE_MARK": str(mark)}
    embedded = {**comma, "LD_PRELOAD": str(tools / "shim.so")}
    lines = [*((line.format("new"), told.format("new")) for line, told in WRITERS.items()),
             *((line, None) for line in (
                 "data info folder --json", "data info g.npz", "data info g.graphml --json",
                 "explain m.safetensors g.npz 3", "explain m.safetensors g.npz 3 --json",
                 "predict m.safetensors g.npz --abstain-above vacuity=0.5 --coverage 0.9",
                 "decide p.csv --target-accuracy 0.8", "decide p.csv --json",
                 "evaluate demo --model gcn --seeds 2 --samples 2 --epochs 3 --json",
                 "train g.npz --model gcn --learning-rate 0.02 --dropout 0.25 --epochs 3 --json"
                 " -o new.safetensors"))]
    for line, name in lines:
        name = name or ("new.safetensors" if " -o " in line else None)
        said = []
        for env in ({**plain, "LC_ALL": "C"}, comma, embedded):
            ended = place.expect(line, env=env, writes=[name] if name else [])
            said.append((printed(line, ended), written_files(place, name)))
            if name:
                remove(place.folder / name)
        place.check(said[0] == said[1], f"opine {line}: other bytes with a decimal comma")
        # What the command prints for people is none of the library's.
        is_document = "--json" in line or line.startswith("predict")
        place.check(said[0][1] == said[2][1] and (said[0][0] == said[2][0] or not is_document),
                    f"opine {line}: other bytes where the program has a decimal comma")
        place.check(mark.exists() and mark.read_text() == "1,5", "the locale was not in force")
        mark.unlink(missing_ok=True)
    for value in ("0,5", "0.5"):
        place.expect(f"train g.npz --model gcn --dropout {value} {TINY} -o new.safetensors",
                     2 if "," in value else 0, "--dropout", env=embedded, writes=["new.safetensors"])


# ---- the table ----


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_intermixed_args()


def go_inside():
    """Goes on in a name space of mounts of its own, if there may be one."""
    command = ["unshare", "--map-root-user", "--mount"]
    if os.environ.get(IS_INSIDE) or not shutil.which(command[0]):
        return
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[IS_INSIDE] = "yes"
        os.execvp(command[0], [*command, sys.executable, *sys.argv])


def try_case(name, opine, base, folder, most):
    """What a case broke, in a copy of the base, and its row of the table."""
    claim, _, function = CASES[name]
    shutil.copytree(base, folder)
    place = Place(opine, folder, most=most)
    try:
        function(place)
    except LeftOut as why:
        return [], f"| {name} | {claim} | left out: {why} | | | |"
    except (OSError, ValueError, KeyError) as error:
        place.complain(f"the case itself fails: {error!r}")
    finally:
        shutil.rmtree(folder.parent)
    return place.broken, (f"| {name} | {claim} | {place.n_run} | {place.n_refused} | "
                          f"{place.peak_mb:.0f} | {len(place.broken)} |")


def main():
    options = arguments()
    go_inside()
    opine, n_broken = str(Path(options.opine).resolve()), 0
    chosen = options.cases or [name for name, (_, is_long, _) in CASES.items()
                               if not (options.quick and is_long)]
    with tempfile.TemporaryDirectory() as root:
        base = Path(root) / "base"
        base.mkdir()
        prepare(opine, base)
        print("| Limit | Claim | Commands | Refused | Peak memory, MB | Promises broken |")
        print("|---|---|--:|--:|--:|--:|")
        for name in chosen:
            broken, row = try_case(name, opine, base, Path(root) / "case" / "work", options.most)
            for complaint in broken:
                print(f"{name}: {shown(complaint, 1000)}", file=sys.stderr)
            n_broken += len(broken)
            print(row, flush=True)
    return 1 if n_broken else 0


sys.exit(main())
