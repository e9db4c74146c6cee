#!/usr/bin/env python3
"""Writes load_samples.h (and the fuzzers' first inputs): small graphs in every form.

Usage: python3 load_samples.py    (from any folder; NumPy 1.24, SciPy 1.10 made the file)
"""

import collections
import gzip
import io
import os
import pickle
import pickletools
import struct
import zipfile
import zlib

import numpy as np
import scipy.sparse as sp

from c_arrays import CORPUS, HERE, c_array, write

# ---- npz: 4 nodes, 5 stored edges with a loop and weights, 3 features, 2 classes

EDGES = sp.csr_matrix(([1.0, 2.0, 0.5, 1.0, 1.0], ([0, 0, 1, 2, 3], [1, 2, 0, 3, 3])),
                      shape=(4, 4), dtype=np.float32)
WORDS = sp.csr_matrix(([1.0, 1.0, 3.0, 1.0], ([0, 1, 1, 3], [0, 1, 2, 2])),
                      shape=(4, 3), dtype=np.float32)
NAMES = {
    "node_names": np.array(["ann", "bob", "cid", "dot"]),
    "class_names": np.array(["no", "yes"]),
    "attr_names": np.array(["red", "green", "blue"]),
    "split": np.array(["train", "validation", "unlabelled", "test"]),
}


def sparse_arrays(prefix, matrix):
    return {f"{prefix}_data": matrix.data, f"{prefix}_indices": matrix.indices,
            f"{prefix}_indptr": matrix.indptr,
            f"{prefix}_shape": np.array(matrix.shape, dtype=np.int64)}


def npz_bytes(arrays, method=zipfile.ZIP_STORED):
    """As numpy.savez writes it, but always with the same date."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, np.asarray(array), allow_pickle=True)
            info = zipfile.ZipInfo(name + ".npy")
            info.compress_type = method
            archive.writestr(info, data.getvalue())
    return out.getvalue()


def npz_graph(**changes):
    arrays = {**sparse_arrays("adj", EDGES), **sparse_arrays("attr", WORDS),
              "labels": np.array([0, 1, -1, 1], dtype=np.int64)}
    arrays.update(changes)
    return {name: array for name, array in arrays.items() if array is not None}


def repaired(data):
    """The archive with the checksums its members need after a change."""
    old = zipfile.ZipFile(io.BytesIO(data))
    for info in old.infolist():
        start = info.header_offset + 30 + len(info.filename)
        crc = zlib.crc32(data[start:start + info.file_size])
        data = data.replace(struct.pack("<I", info.CRC), struct.pack("<I", crc))
    return data


def npz_samples():
    sparse = {f"attr_{part}": None for part in ("data", "indices", "indptr", "shape")}
    yield "npz_plain", npz_bytes(npz_graph())
    yield "npz_names", npz_bytes(npz_graph(**NAMES))
    yield "npz_deflated", npz_bytes(npz_graph(**NAMES), zipfile.ZIP_DEFLATED)
    yield "npz_dense", npz_bytes(npz_graph(attr_matrix=WORDS.toarray(), **sparse))
    yield "npz_object_names", npz_bytes(
        npz_graph(**{name: text.astype(object) for name, text in NAMES.items()}))
    yield "npz_dict_names", npz_bytes(npz_graph(node_names=np.array({0: "ann"}, object)))
    yield "npz_small_types", npz_bytes(npz_graph(
        adj_indices=EDGES.indices.astype(np.uint8), adj_data=EDGES.data.astype(">f8"),
        adj_indptr=EDGES.indptr.astype(">i2"), labels=np.array([0, 1, -1, 1], np.int8)))
    yield "npz_bytes_names", npz_bytes(
        npz_graph(**{name: text.astype("S") for name, text in NAMES.items()}))
    for name, arrays in npz_forms():
        yield name, npz_bytes(arrays)


def wrapped(matrix):
    """As numpy.savez wraps an object that is no array."""
    return np.array(matrix, dtype=object)


def saved(matrix):
    """The members that scipy.sparse.save_npz writes."""
    names = ("row", "col") if matrix.format == "coo" else ("indices", "indptr")
    return {**{name: getattr(matrix, name) for name in names},
            "format": np.array(matrix.format.encode()), "shape": np.array(matrix.shape),
            "data": matrix.data}


def npz_forms():
    """The same graph as other collections and libraries write it."""
    coo, labels = EDGES.tocoo(), np.array([0, 1, -1, 1])
    edges = np.stack([coo.row, coo.col]).astype(np.int64)
    masks = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=bool)
    others = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]], dtype=bool)
    mask_names = ("train_mask", "val_mask", "test_mask")
    geometric = {"edge_index": edges, "edge_weight": coo.data, "x": WORDS.toarray(),
                 "y": labels}
    yield "form_gallery", {"adj_matrix": wrapped(EDGES), "node_attr": wrapped(WORDS),
                           "node_label": labels.astype(np.int32)}
    yield "form_gallery_csc_coo", {"adj_matrix": wrapped(EDGES.tocsc()),
                                   "node_attr": wrapped(WORDS.tocoo()),
                                   "node_label": labels.astype(np.int8)}
    yield "form_dense", {"adj": EDGES.toarray(), "features": WORDS.toarray(order="F"),
                         "label": labels.astype(np.float32).reshape(4, 1)}
    yield "form_geometric", {**geometric, **dict(zip(mask_names, masks))}
    yield "form_geometric_splits", {**geometric, "x": wrapped(WORDS), **{
        name: np.stack([masks[i], others[i]], axis=1).astype(np.uint8)
        for i, name in enumerate(mask_names)}}
    yield "form_platonov", {
        "edges": edges.T, "edge_weights": coo.data.astype(np.float16),
        "node_features": WORDS.toarray().astype(np.int16),
        "node_labels": np.array([0, 1, np.nan, 1]),
        **{f"{name}s": np.stack([masks[i], others[i], others[i]])
           for i, name in enumerate(mask_names)}}
    yield "form_one_hot", {**geometric, "y": one_hot(labels, 2).astype(bool)}
    yield "form_sparse_one_hot", {**geometric,
                                  "y": wrapped(sp.csr_matrix(one_hot(labels, 2)))}
    words = ["no", "yes", "", "yes"]
    yield "form_words", {**geometric, "y": np.array(words)}
    yield "form_object_words", {**geometric,
                                "y": np.array(["no", "yes", None, "yes"], object)}
    for layout in ("csr", "csc", "coo"):
        yield f"form_saved_{layout}", saved(EDGES.asformat(layout))
    yield "form_saved_features", saved(WORDS)
    yield "form_code", {**geometric, "y": np.array(collections.Counter("ab"), object)}


# ---- Planetoid: 506 nodes, because its split needs 500 to validate. Two train, 502 and
# 504 test, and 503 and 505 are in no file but the graph.

N_ALLX, N_NODES, TEST = 502, 506, [504, 502]


def pickled(value, protocol=3):
    """Without frames, so that a change of one value is a change of a few bytes."""
    return pickletools.optimize(pickle.dumps(value, protocol))


def small_csr(matrix, index=np.int8):
    matrix = sp.csr_matrix(matrix, dtype=np.float32)
    matrix.data = matrix.data.astype(np.int8)
    matrix.indices = matrix.indices.astype(index)
    matrix.indptr = matrix.indptr.astype(index)
    for cached in ("_has_sorted_indices", "_has_canonical_format"):
        matrix.__dict__.pop(cached, None)
    return matrix


def neighbours(changes=()):
    lists = collections.defaultdict(list)
    for i in range(N_NODES):
        lists[i] = []
    lists[0] = [1, 2, 504]
    lists[1] = [0, 0]
    lists[2] = [0, 2]
    lists[504] = [0]
    lists.update(changes)
    return lists


def one_hot(classes, n_classes, dtype=np.int8):
    rows = np.zeros((len(classes), n_classes), dtype)
    for i, k in enumerate(classes):
        if k >= 0:
            rows[i, k] = 1
    return rows


def planetoid(n_classes=2):
    """The files by their suffix."""
    classes = [i % n_classes for i in range(N_ALLX)]
    allx = sp.lil_matrix((N_ALLX, 3))
    allx[0, 0] = allx[1, 1] = allx[501, 2] = 1
    allx[1, 2] = 5
    tx = np.array([[0, 1, 0], [2, 0, 0]])
    return {
        "graph": pickled(neighbours()),
        "allx": pickled(small_csr(allx)),
        "tx": pickled(small_csr(tx), 2),
        "ally": pickled(one_hot(classes, n_classes)),
        "ty": pickled(one_hot([n_classes - 1, 0], n_classes), 2),
        "y": pickled(one_hot(classes[:2], n_classes), 2),
        "test.index": "".join(f"{i}\n" for i in TEST).encode(),
    }


UNLABELLED = "a training node has no label"


ENDLESS = ("ally", "ty", "y")


def endless(suffix):
    """Labels of no class; in y for 2^63 - 1 nodes, which takes no byte."""
    if suffix != "y":
        return pickled(np.zeros((N_ALLX if suffix == "ally" else 2, 0), np.int8))
    return pickled(np.zeros((3, 0), np.int8)).replace(
        b"K\x03K\x00", b"\x8a\x08" + b"\xff" * 7 + b"\x7fK\x00")


def planetoid_changes():
    """What is wrong, the file it is in, and the file."""
    yield "graph is a list", "graph", pickled([1, 2])
    yield "graph is empty", "graph", pickled({})
    yield "neighbour too large", "graph", pickled(neighbours({3: [506]}))
    yield "neighbour negative", "graph", pickled(neighbours({3: [-1]}))
    yield "neighbour is text", "graph", pickled(neighbours({3: ["1"]}))
    yield "node is text", "graph", pickled(neighbours({"x": []}))
    yield "neighbours are a tuple", "graph", pickled(neighbours({3: (1, 2)}))
    shared = [1] * 10
    yield "shared lists", "graph", pickled(neighbours({i: shared for i in range(N_NODES)}))
    few = neighbours()
    few.pop(503), few.pop(505)
    few[0] = [1]
    yield "fewer nodes than rows", "graph", pickled(few)
    lone = neighbours()
    lone.pop(505)
    lone[700] = []
    yield "node too large", "graph", pickled(lone)
    yield "allx is an array", "allx", pickled(np.zeros((2, 3)))
    yield "allx is by columns", "allx", pickled(sp.csc_matrix(np.eye(3)))
    yield "allx has NaN", "allx", pickled(bent(data=np.array([1, np.nan, 1, 1], "<f4")))
    yield "allx has infinity", "allx", pickled(bent(data=np.array([1, 1, np.inf, 1], "<f4")))
    yield "allx has text", "allx", pickled(bent(data=np.array(["a"] * 4)))
    yield "column too large", "allx", pickled(bent(indices=np.array([0, 1, 3, 2], np.int8)))
    yield "column negative", "allx", pickled(bent(indices=np.array([0, 1, -1, 2], np.int8)))
    falling = np.array([0, 1, 3, 2] + [3] * 498 + [4], np.int8)
    yield "offsets fall", "allx", pickled(bent(indptr=falling))
    beyond = np.array([0, 1] + [3] * 500 + [9], np.int8)
    yield "offsets past the end", "allx", pickled(bent(indptr=beyond))
    yield "fewer values", "allx", pickled(bent(data=np.array([1, 1], np.int8)))
    yield "huge shape", "allx", pickled(bent(_shape=(502, 1 << 40)))
    yield "many columns", "allx", pickled(
        bent(_shape=(502, 2**31 - 2), indices=np.array([2, 2, 1, 2], np.int8)))
    wide = small_csr(np.array([[0, 1, 0], [2, 0, 0]]))
    wide._shape = (2, 2**31 - 2)
    yield "many columns of tx", "tx", pickled(wide, 2)
    yield "negative shape", "allx", pickled(bent(_shape=(-502, 3)))
    yield "rows that wrap", "allx", pickled(bent(_shape=((1 << 32) + 502, 3)))
    yield "tx has other columns", "tx", pickled(small_csr(np.ones((2, 2))))
    yield "tx has more rows", "tx", pickled(small_csr(np.ones((3, 3))))
    classes = [i % 2 for i in range(N_ALLX)]
    for what, row in (("ally has two ones", [1, 1]), ("ally has a 2", [0, 2]),
                      ("ally has a -1", [-1, 0])):
        labels = one_hot(classes, 2)
        labels[7] = row
        yield what, "ally", pickled(labels)
    yield "ty has halves", "ty", pickled(np.full((2, 2), 0.5, "<f2"))
    yield "ally is flat", "ally", pickled(np.zeros(N_ALLX, np.int8))
    yield "ally has fewer rows", "ally", pickled(one_hot([0] * 10, 2))
    yield "ty is text", "ty", pickled(np.full((2, 2), "1"))
    yield "ally is a list", "ally", pickled([[0, 1]])
    yield "ty has other classes", "ty", pickled(one_hot([0, 0], 3))
    yield "ty has more rows", "ty", pickled(one_hot([0, 0, 0], 2))
    yield "y has other classes", "y", pickled(one_hot([0], 1))
    yield "y trains too many", "y", pickled(one_hot([0] * 3, 2))
    yield "index too small", "test.index", b"501\n502\n"
    yield "index too large", "test.index", b"504\n506\n"
    yield "index negative", "test.index", b"504\n-502\n"
    yield "index is text", "test.index", b"504\nnode\n"
    yield "index twice", "test.index", b"504\n504\n"
    yield "index in two columns", "test.index", b"504,502\n"
    yield "index too short", "test.index", b"504\n"
    labels = one_hot(classes, 2)
    labels[0] = 0
    yield UNLABELLED, "ally", pickled(labels)
    yield "code", "y", b"cos\nsystem\n(S'true'\ntR."


def bent(**changes):
    """allx with some of its insides replaced."""
    allx = sp.lil_matrix((N_ALLX, 3))
    allx[0, 0] = allx[1, 1] = allx[501, 2] = 1
    allx[1, 2] = 5
    matrix = small_csr(allx)
    matrix.__dict__.update(changes)
    return matrix


# ---- a folder of CSV files

FOLDER = {
    "edges": b"source,target,weight\nann,bob,1\nann,cid,2\nbob,ann,0.5\ncid,dot,1\n"
             b"dot,dot,1\n",
    "features": b"node,feature,value\nann,red,1\nbob,green,1\nbob,blue,3\ndot,blue,1\n",
    "labels": b"node,label\nann,no\nbob,yes\ncid,\ndot,yes\n",
    "split": b"node,role\nann,train\nbob,validation\ndot,test\n",
    "classes": b"class\nyes\nno\nmaybe\n",
}

FOLDERS = {
    "sparse": FOLDER,
    "dense": {"edges": b"0,1\n1,2\n", "features": b"1,0.5\n-2,1e-3\n0,0\n",
              "labels": b"a\n\nb\n"},
    "named_dense": {**FOLDER, "features": b"node,red,blue\nann,1,0\nbob,2,3\ncid,0,0\n"
                                          b"dot,1,1\n"},
    "database_ids": {"edges": b"10023,20017\r\n", "features": b"id,x\r\n10023,1\r\n20017,2\r\n",
                     "labels": b"id,class\r\n20017,7\r\n10023,3\r\n"},
    "quotes": {"edges": b'"a,b","c ""d"""\n', "labels": b'\xef\xbb\xbfnode,label\n"a,b",x\n'
                                                        b'"c ""d""",y\n',
               "features": b'node,"x,y"\n"a,b",1\n"c ""d""",0\n'},
    "no_labels": {"edges": b"0,1\n", "features": b"1\n2\n"},
    "no_edges": {"edges": b"", "features": b"1\n2\n", "labels": b"0\n1\n"},
    "gzip": {**FOLDER, "labels": gzip.compress(FOLDER["labels"], mtime=0)},
    "overflow": {**FOLDER, "features": FOLDER["features"] + b"dot,red,3e38\ndot,red,3e38\n"},
    "index_column": {"edges": b",source,target\n0,0,1\n", "features": b",x\n0,1\n1,2\n",
                     "labels": b",label\n0,a\n1,b\n"},
}

SEPARATOR = b"\xff--"


# ---- writing

def middle(whole, changed):
    """How many bytes both begin with, those of `changed` between, how many both end in."""
    n_head = len(os.path.commonprefix([whole, changed[:-1]]))
    n_tail = len(os.path.commonprefix([whole[n_head:][::-1], changed[n_head + 1:][::-1]]))
    return n_head, changed[n_head:len(changed) - n_tail], n_tail


def header():
    npz = dict(npz_samples())
    files = planetoid()
    changes = list(planetoid_changes())
    arrays = [c_array("load_" + name, data) for name, data in npz.items()]
    arrays += [c_array("load_planetoid_" + suffix.replace(".", "_"), data)
               for suffix, data in files.items()]
    arrays += [c_array("load_endless_" + suffix, endless(suffix)) for suffix in ENDLESS]
    arrays += [c_array(f"load_change_{i}", middle(files[suffix], data)[1])
               for i, (_, suffix, data) in enumerate(changes)]
    text = ("// load_samples.h -- small graphs as NumPy and SciPy write them; made by\n"
            "// load_samples.py.\n\n"
            "#ifndef OPN_LOAD_SAMPLES_H\n#define OPN_LOAD_SAMPLES_H\n\n"
            "#include <stddef.h>\n\n// clang-format off\n")
    text += "\n".join(arrays) + "// clang-format on\n\n"
    text += ("typedef struct load_sample {\n    const char *name;\n"
             "    const unsigned char *data;\n    size_t n_bytes;\n} load_sample;\n\n"
             "// One graph, in every way NumPy may have written it.\n"
             "static const load_sample load_npz_samples[] = {\n")
    for name, data in npz.items():
        text += f'        {{"{name}", load_{name}, {len(data)}}},\n'
    text += "};\n\n// By suffix; all seven are one graph.\n"
    text += "static const load_sample load_planetoid_files[] = {\n"
    for suffix, data in files.items():
        name = suffix.replace(".", "_")
        text += f'        {{".{suffix}", load_planetoid_{name}, {len(data)}}},\n'
    text += "};\n\n// Label files of no class, which claim 2^63 - 1 training nodes.\n"
    text += "static const load_sample load_endless_files[] = {\n"
    for suffix in ENDLESS:
        n_bytes = len(endless(suffix))
        text += f'        {{".{suffix}", load_endless_{suffix}, {n_bytes}}},\n'
    text += ("};\n\n// A change that spoils that graph: bytes that the file of that suffix "
             "holds between\n// its first n_head and its last n_tail, and what is then wrong.\n"
             "typedef struct load_change {\n    const char *what;\n"
             "    const char *suffix;\n    const unsigned char *data;\n"
             "    size_t n_bytes;\n    size_t n_head;\n    size_t n_tail;\n"
             "} load_change;\n\n"
             "static const load_change load_planetoid_changes[] = {\n")
    for i, (what, suffix, data) in enumerate(changes):
        n_head, data, n_tail = middle(files[suffix], data)
        text += (f'        {{"{what}", ".{suffix}", load_change_{i}, {len(data)}, '
                 f"{n_head}, {n_tail}}},\n")
    text += "};\n\n#endif // OPN_LOAD_SAMPLES_H\n"
    return text


def main():
    write(os.path.join(HERE, "load_samples.h"), header().encode())
    for name, data in npz_samples():
        write(os.path.join(CORPUS, "load_npz", name.removeprefix("npz_") + ".npz"), data)
    empty_rows = np.zeros((1, 0), np.float32)
    data = npz_bytes(npz_graph(attr_matrix=empty_rows))
    # As many digits as the blanks that stand behind the header.
    assert data.count(b"(1, 0), }         ") == 1
    data = repaired(data.replace(b"(1, 0), }         ", b"(2147483646, 0), }"))
    write(os.path.join(CORPUS, "load_npz", "empty_rows.npz"), data)
    for name, tables in FOLDERS.items():
        parts = [tables.get(part, b"\0") for part in FOLDER]
        write(os.path.join(CORPUS, "load_folder", name), SEPARATOR.join(parts))
    small = planetoid(1)
    seeds = {"whole": small, "no_test": {**small, "test.index": b""},
             "endless": {**small, **{suffix: endless(suffix) for suffix in ENDLESS}}}
    for what, suffix, data in planetoid_changes():
        if what in ("shared lists", "many columns", "tx has other columns", "code",
                    "neighbour negative", UNLABELLED):
            seeds[what.replace(" ", "_")] = {**small, suffix: data}
    for name, files in seeds.items():
        write(os.path.join(CORPUS, "load_planetoid", name), SEPARATOR.join(files.values()))


if __name__ == "__main__":
    main()
