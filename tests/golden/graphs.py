#!/usr/bin/env python3
"""Writes graphs_golden.h: what the real graphs are like, worked out with NumPy and SciPy.

Usage: python3 graphs.py [DATA]    (from any folder; NumPy 1.24 and SciPy 1.10 made the
file in git). DATA is laid out as $OPINE_DATA, which is the default; without either the
folder shared/data beside the repository is taken.
"""

import hashlib
import os
import pickle
import sys
import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

HERE = os.path.dirname(os.path.abspath(__file__))
BESIDE = os.path.join(HERE, "..", "..", "..", "shared", "data")
TRAIN, VALIDATION, TEST, POOL, UNLABELLED = range(5)

PLANETOID = {"cora": 4, "citeseer": 3, "pubmed": 2}
BENCHMARK = {
    "photo": ("amazon_electronics_photo", 4),
    "computers": ("amazon_electronics_computers", 5),
    "physics": ("ms_academic_phy", 3),
}


def read_planetoid(data, name):
    """Edges as (sources, targets), features, labels and roles, as the files have them."""

    def part(suffix):
        path = os.path.join(data, "planetoid", f"ind.{name}.{suffix}")
        with open(path, "rb") as file:
            return pickle.load(file, encoding="latin1")

    allx, tx, ally, ty, y = (part(s) for s in ("allx", "tx", "ally", "ty", "y"))
    neighbours = part("graph")
    test_index = os.path.join(data, "planetoid", f"ind.{name}.test.index")
    test = np.loadtxt(test_index, dtype=int)
    n = len(neighbours)
    x = sp.lil_matrix((n, allx.shape[1]))
    x[: allx.shape[0]] = allx
    x[test] = tx
    one_hot = np.zeros((n, y.shape[1]), dtype=int)
    one_hot[: len(ally)] = ally
    one_hot[test] = ty
    label = np.where(one_hot.sum(axis=1) == 1, one_hot.argmax(axis=1), -1)
    role = np.full(n, POOL)
    role[: len(y)] = TRAIN
    role[len(y) : len(y) + 500] = VALIDATION
    role[test] = TEST
    role[label < 0] = UNLABELLED
    source = np.concatenate([np.full(len(v), i) for i, v in neighbours.items()])
    target = np.concatenate([np.array(v) for v in neighbours.values()])
    return source.astype(int), target.astype(int), x.tocsr(), label, role


def read_benchmark(data, file):
    with np.load(os.path.join(data, "gnn-benchmark", file + ".npz")) as z:
        a, x = (sp.csr_matrix((z[p + "_data"], z[p + "_indices"], z[p + "_indptr"]),
                              z[p + "_shape"]) for p in ("adj", "attr"))
        label = z["labels"].astype(int)
    assert (a.data == 1).all()
    a = a.tocoo()
    return a.row.astype(int), a.col.astype(int), x, label, None


def wrapped_sum(weights, terms):
    """Sum of products modulo 2^64."""
    products = weights.astype(np.uint64) * terms.astype(np.uint64)
    return int(products.sum(dtype=np.uint64))


def hash_matrix(digest, n_rows, n_cols, row, col, value):
    row_ptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])
    digest.update(np.array([n_rows, n_cols, len(row)], dtype="<i8").tobytes())
    digest.update(row_ptr.astype("<i8").tobytes())
    digest.update(col.astype("<i4").tobytes())
    digest.update(value.astype("<f4").tobytes())


def hash_graph(n, row, col, weight, x, n_classes, label):
    """The hash opn_graph_hash() documents, from sorted edges and sorted features."""
    digest = hashlib.sha256(b"opine graph 1\n")
    hash_matrix(digest, n, n, row, col, weight)
    x = x.tocoo()
    hash_matrix(digest, x.shape[0], x.shape[1], x.row, x.col, x.data)
    digest.update(np.array([n_classes], dtype="<i8").tobytes())
    digest.update(label.astype("<i4").tobytes())
    return digest.hexdigest()


def tidy(x):
    x = x.astype(np.float64).tocsr()
    x.sum_duplicates()
    x.eliminate_zeros()
    x.sort_indices()
    return x


def describe(source, target, x, label, n_classes, undirected):
    n = len(label)
    order = np.lexsort((target, source))
    row, col = source[order], target[order]
    matrix = sp.csr_matrix((np.ones(len(row)), (row, col)), (n, n))
    n_components, component = csgraph.connected_components(matrix, directed=False)
    proper = row != col
    judged = proper & (label[row] >= 0) & (label[col] >= 0)
    same = (row[1:] == row[:-1]) & (col[1:] == col[:-1])
    degree = np.bincount(row, minlength=n)
    joined = np.zeros(n, dtype=bool)
    joined[row[proper]] = True
    joined[col[proper]] = True
    x = tidy(x)
    entries = x.tocoo()
    at = np.arange(1, x.nnz + 1)
    return {
        "n_nodes": n,
        "n_edges": len(row) // 2 if undirected else len(row),
        "n_features": x.shape[1],
        "n_feature_entries": x.nnz,
        "n_classes": n_classes,
        "n_unlabelled": int((label < 0).sum()),
        "n_isolated": int((~joined).sum()),
        "n_components": n_components,
        "largest_component": int(np.bincount(component).max()),
        "n_self_loops": int((~proper).sum()),
        "n_repeated": int(same.sum()),
        "max_degree": int(degree.max()),
        "homophily": repr(float((label[row] == label[col])[judged].mean())),
        "class_size": [int((label == k).sum()) for k in range(n_classes)],
        "neighbour_sum": wrapped_sum(np.arange(1, len(row) + 1), row * 1000003 + col),
        "feature_sum": wrapped_sum(at, entries.row.astype(int) * 1000003 + entries.col),
        "label_sum": wrapped_sum(np.arange(1, n + 1), label + 2),
        "value_sum": repr(float(x.data.sum())),
        "placed_value_sum": repr(float((x.data * at).sum())),
        "hash": hash_graph(n, row, col, np.ones(len(row)), x, n_classes, label),
    }


def undirect(source, target, n):
    a = sp.csr_matrix((np.ones(len(source)), (source, target)), (n, n))
    a = ((a + a.T) > 0).astype(int).tolil()
    a.setdiag(0)
    a = a.tocsr()
    a.eliminate_zeros()
    return a


def keep_largest(a, x, label):
    _, component = csgraph.connected_components(a, directed=False)
    kept = np.flatnonzero(component == np.bincount(component).argmax())
    return a[kept][:, kept], x.tocsr()[kept], label[kept]


def c_value(key, value):
    if key == "hash":
        return f'"{value}"'
    if isinstance(value, list):
        return "{" + ", ".join(str(v) for v in value) + "}"
    if key.endswith("_sum") and isinstance(value, int):
        return f"UINT64_C({value})"
    return str(value)


def write_form(out, key, form):
    out.write(f"         .{key} = {{\n")
    for field, value in form.items():
        out.write(f"             .{field} = {c_value(field, value)},\n")
    out.write("         },\n")


STRUCT = """\
// graphs_golden.h -- written by graphs.py, do not edit.

#ifndef OPN_GRAPHS_GOLDEN_H
#define OPN_GRAPHS_GOLDEN_H

#include <stdint.h>

// clang-format off

// What opn_graph_describe() finds, and sums in which every entry counts by its place.
typedef struct golden_form {
    int32_t n_nodes;
    int64_t n_edges;
    int32_t n_features;
    int64_t n_feature_entries;
    int32_t n_classes, n_unlabelled, n_isolated, n_components, largest_component;
    int64_t n_self_loops, n_repeated;
    int32_t max_degree;
    double homophily;
    int32_t class_size[10];
    uint64_t neighbour_sum; // of (e + 1) (1000003 i + j) over the entries e = (i, j)
    uint64_t feature_sum;   // likewise over the features
    uint64_t label_sum;     // of (i + 1) (label + 2)
    double value_sum, placed_value_sum; // of the values, and of (e + 1) value
    const char *hash;
} golden_form;

typedef struct golden_graph {
    const char *name;
    int32_t n_known;
    golden_form raw, prepared;
    int32_t role_size[5];   // of the split that came with the data; 0 where none did
    uint64_t role_sum;      // of (i + 1) (role + 1)
    int32_t n_pool;         // labelled, neither training nor validation
    int32_t n_pool_ood;     // of the classes from n_known on
    double ood_share_raw;   // of these classes among all labelled nodes
    double ood_share;       // the same after preparation
} golden_graph;

static const golden_graph golden_graphs[] = {
"""

TINY = """
// A graph typed by hand in describe_test.c, and its hash.
"""


def tiny_hash():
    """Edges 0>1 (weight 2.5), 0>1 again, 2>2; features (0,1) = 0.5 and (2,0) = -3."""
    x = sp.csr_matrix(([0.5, -3.0], ([0, 2], [1, 0])), (4, 3))
    return hash_graph(4, np.array([0, 0, 2]), np.array([1, 1, 2]),
                      np.array([2.5, 1.0, 1.0]), x, 2, np.array([1, -1, 0, 0]))


def write_graph(out, name, n_known, parts, is_benchmark):
    source, target, x, label, role = parts
    n_classes = int(label.max()) + 1
    raw = describe(source, target, x, label, n_classes, False)
    share_raw = float((label >= n_known).sum() / (label >= 0).sum())
    a = undirect(source, target, len(label))
    if is_benchmark:
        a, x, label = keep_largest(a, x, label)
        x = tidy(x)
        x.data[:] = 1
    a = a.tocoo()
    prepared = describe(a.row.astype(int), a.col.astype(int), x, label, n_classes, True)
    if name == "pubmed":  # copies of the file differ in the seventh digit of the values
        raw["hash"] = prepared["hash"] = ""
    out.write(f'        {{.name = "{name}",\n         .n_known = {n_known},\n')
    write_form(out, "raw", raw)
    write_form(out, "prepared", prepared)
    if role is not None:
        pool = (label >= 0) & (role != TRAIN) & (role != VALIDATION)
        sizes = [int((role == r).sum()) for r in range(5)]
        role_sum = wrapped_sum(np.arange(1, len(role) + 1), role + 1)
        out.write(f"         .role_size = {c_value('', sizes)},\n"
                  f"         .role_sum = UINT64_C({role_sum}),\n"
                  f"         .n_pool = {int(pool.sum())},\n"
                  f"         .n_pool_ood = {int((pool & (label >= n_known)).sum())},\n")
    share = float((label >= n_known).sum() / (label >= 0).sum())
    out.write(f"         .ood_share_raw = {share_raw!r},\n"
              f"         .ood_share = {share!r}}},\n")


def main():
    data = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("OPINE_DATA", BESIDE)
    path = os.path.join(HERE, "graphs_golden.h")
    if not os.path.isdir(os.path.join(data, "planetoid")):
        print(f"graphs_golden.h stays as it is: no data in {os.path.normpath(data)}")
        return
    warnings.simplefilter("ignore", DeprecationWarning)  # SciPy's old names in pickles
    with open(path + ".new", "w", encoding="ascii") as out:
        out.write(STRUCT)
        for name, n_known in PLANETOID.items():
            write_graph(out, name, n_known, read_planetoid(data, name), False)
        for name, (file, n_known) in BENCHMARK.items():
            write_graph(out, name, n_known, read_benchmark(data, file), True)
        out.write("};\n" + TINY)
        out.write(f'#define GOLDEN_TINY_HASH "{tiny_hash()}"\n')
        out.write("\n// clang-format on\n\n#endif // OPN_GRAPHS_GOLDEN_H\n")
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
