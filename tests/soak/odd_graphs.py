"""odd_graphs.py -- graphs at the limits of sizes and names: cases for limits.py."""

import json
import os
import shutil
import struct
import zipfile

import numpy as np

from promises import MB, at_most, case
from scene import TINY

MOST_ID = 2 ** 31 - 1

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
