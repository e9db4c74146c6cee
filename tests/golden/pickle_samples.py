#!/usr/bin/env python3
"""Writes pickle_samples.h (and the fuzzer's first inputs): pickles as Python writes them.

Usage: python3 pickle_samples.py    (from any folder; NumPy 1.24 and SciPy 1.10 made the
file in git)
"""

import collections
import os
import pickle
import struct

import numpy as np
import scipy.sparse

from c_arrays import CORPUS, HERE, write

SEEDS = [
    "basic_p0", "basic_p4", "graph_p2", "graph_p4", "csr_p0", "csr_p2", "csr_p5",
    "arrays_p2", "arrays_p5", "scalars_p5", "python2_matrix", "python2_strings",
    "coo_p4", "coo_coords", "mixed_p3", "wrapped_csr_p3", "wrapped_list_p3", "wrapped_array_p3",
]

BASIC = {
    "none": None, "yes": True, "no": False, "int": -5, "large": 2**40, "least": -2**63,
    "real": -1.5e-7, "text": "n\u00e9 \\ \u20ac", "bytes": b"\x00\xff\xc3a", "void": b"",
    "tuple": (1, 2, 3, 70000), "list": [[], (), {}],
}


def graph():
    neighbours = collections.defaultdict(list)
    neighbours.update({0: [1, 2], 1: [0], 2: [0, 300], 300: []})
    return neighbours


def matrix():
    return np.array([[0, 1.5, 0], [-2, 0, 0.25]])


# ---- Python 2, by hand: this is what its cPickle writes -------------------------------

def string(value):
    return b"U" + bytes([len(value)]) + value


def put(index):
    return b"q" + bytes([index])


def python2_array(values, dtype):
    content = values.tobytes()
    shape = b"".join(b"K" + bytes([n]) for n in values.shape)
    shape += {1: b"\x85", 2: b"\x86"}[values.ndim]
    state = struct.pack("<i", -1)
    return (b"cnumpy.core.multiarray\n_reconstruct\n" + put(6)
            + b"cnumpy\nndarray\n" + put(7) + b"K\x00\x85" + string(b"b")
            + b"\x87R" + put(8) + b"(K\x01" + shape
            + b"cnumpy\ndtype\n" + put(9) + string(dtype.encode()) + b"K\x00K\x01\x87R"
            + put(10) + b"(K\x03" + string(b"<") + b"NNNJ" + state + b"J" + state
            + b"K\x00tb\x89T" + struct.pack("<I", len(content)) + content + b"tb")


def python2_matrix():
    m = scipy.sparse.csr_matrix(matrix())
    return (b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n" + put(1) + b")\x81" + put(2) + b"}"
            + put(3) + b"(" + string(b"format") + string(b"csr") + string(b"_shape")
            + b"K\x02K\x03\x86" + string(b"indptr") + python2_array(m.indptr, "i4")
            + string(b"indices") + python2_array(m.indices, "i4") + string(b"maxprint")
            + b"K2" + string(b"data") + python2_array(m.data, "f8") + b"ub.")


def coo_coords():
    """As SciPy writes since release 1.13: one member for rows and columns."""
    m = scipy.sparse.coo_matrix(matrix())
    return (b"\x80\x02cscipy.sparse._coo\ncoo_matrix\n)\x81}(" + string(b"_shape")
            + b"K\x02K\x03\x86" + string(b"coords") + python2_array(m.row, "i4")
            + python2_array(m.col, "i4") + b"\x86" + string(b"data")
            + python2_array(m.data, "f8") + b"ub.")


def python2_graph():
    return (b"\x80\x02ccollections\ndefaultdict\nq\x01"
            b"c__builtin__\nlist\nq\x02\x85Rq\x03(K\x00]q\x04(K\x01K\x02e"
            b"K\x01]q\x05K\x00aK\x02]q\x06(K\x00M\x2c\x01e"
            b"M\x2c\x01]r\x07\x00\x00\x00u.")


def samples():
    found = {}
    for p in range(6):
        found["basic_p%d" % p] = pickle.dumps(BASIC, p)
        found["graph_p%d" % p] = pickle.dumps(graph(), p)
        found["csr_p%d" % p] = pickle.dumps(scipy.sparse.csr_matrix(matrix()), p)
    for p in (2, 5):
        arrays = [np.array([[1, 2, 3], [4, 5, 6]], dtype=">i2", order="F"),
                  np.array([True, False]), np.array(["ab", "c"]), np.zeros((0, 2))]
        found["arrays_p%d" % p] = pickle.dumps(arrays, p)
        scalars = [np.int64(-7), np.float32(2.5), np.bool_(True), np.bytes_(b"ab")]
        found["scalars_p%d" % p] = pickle.dumps(scalars, p)
    found["csc_p2"] = pickle.dumps(scipy.sparse.csc_matrix(matrix()), 2)
    found["csr_array_p4"] = pickle.dumps(scipy.sparse.csr_array(matrix()), 4)
    found["csr_numpy2"] = found["csr_p2"].replace(b"numpy.core", b"numpy._core")
    found["ordered_p2"] = pickle.dumps(collections.OrderedDict([(2, "b"), (1, "a")]), 2)
    found["python2_graph"] = python2_graph()
    found["python2_matrix"] = python2_matrix()
    found["python2_strings"] = (b"(lp1\nS'a\\x00\\\\\\'\\n\"'\np2\naS\"it's\"\np3\n"
                                b"aI01\naL-12L\naFinf\na.")
    found["python2_ordered"] = (b"\x80\x02ccollections\nOrderedDict\nq\x01]q\x02("
                                b"]q\x03(K\x01U\x01ae]q\x04(K\x02U\x01bee\x85Rq\x05.")
    found["records_p4"] = pickle.dumps(np.zeros(1, dtype=[("a", "i4")]), 4)
    found["coo_p4"] = pickle.dumps(scipy.sparse.coo_matrix(matrix()), 4)
    found["coo_coords"] = coo_coords()
    found["lil_p4"] = pickle.dumps(scipy.sparse.lil_matrix(matrix()), 4)
    mixed = np.array(["a\u00e9", None, 3, np.str_("x\u20ac"), float("nan"), 2.5],
                     dtype=object)
    found["mixed_p3"] = pickle.dumps(mixed.reshape(2, 3), 3)
    found["wrapped_csr_p3"] = pickle.dumps(
        np.array(scipy.sparse.csr_matrix(matrix()), dtype=object), 3)
    wrapped = np.empty((), dtype=object)
    wrapped[()] = ["a", 7]
    found["wrapped_list_p3"] = pickle.dumps(wrapped, 3)
    wrapped[()] = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int16)
    found["wrapped_array_p3"] = pickle.dumps(wrapped, 3)
    found["system_p0"] = b"cos\nsystem\n(S'true'\ntR."
    return found


def as_c(name, data):
    lines = ["static const unsigned char %s[%d] = {" % (name, len(data))]
    line = "       "
    for byte in data:
        item = " %d," % byte
        if len(line) + len(item) > 90:
            lines.append(line)
            line = "       "
        line += item
    return "\n".join(lines + [line, "};"])


def main():
    found = samples()
    with open(os.path.join(HERE, "pickle_samples.h"), "w", encoding="utf-8") as out:
        out.write("// pickle_samples.h -- written by pickle_samples.py; do not edit.\n\n"
                  "#ifndef OPN_PICKLE_SAMPLES_H\n#define OPN_PICKLE_SAMPLES_H\n\n"
                  "// clang-format off\n")
        for name, data in found.items():
            out.write("\n%s\n" % as_c(name, data))
        out.write("\n// clang-format on\n\n#endif // OPN_PICKLE_SAMPLES_H\n")
    for name in SEEDS:
        write(os.path.join(CORPUS, "pickle", name + ".pickle"), found[name])


if __name__ == "__main__":
    main()
