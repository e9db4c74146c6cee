#!/usr/bin/python3
"""Times how NumPy and SciPy load the graph files that opine loads.

    bench/peer/load_scipy.py RUNS DATA     one line per run: CPU seconds

DATA is an .npz of the gnn-benchmark form or a Planetoid prefix. The result is what
opine's loaders give: neighbours and features as CSR matrices, and labels. A first
load is not counted.
"""
import pickle
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp

warnings.filterwarnings("ignore")  # old names of SciPy's modules in the pickles


def load_npz(path):
    with np.load(path, allow_pickle=True) as file:
        adj, attr = (
            sp.csr_matrix((file[f"{name}_data"], file[f"{name}_indices"],
                           file[f"{name}_indptr"]), file[f"{name}_shape"])
            for name in ("adj", "attr"))
        return adj, attr, file["labels"]


def load_planetoid(prefix):
    part = {}
    for name in ("allx", "tx", "ally", "ty", "y", "graph"):
        with open(f"{prefix}.{name}", "rb") as file:
            part[name] = pickle.load(file, encoding="latin1")
    test = np.loadtxt(f"{prefix}.test.index", dtype=np.int64)
    n_nodes, n_first = len(part["graph"]), part["allx"].shape[0]
    neighbours = [part["graph"][i] for i in range(n_nodes)]
    row_ptr = np.concatenate([[0], np.cumsum([len(row) for row in neighbours])])
    col_idx = np.fromiter((j for row in neighbours for j in row), np.int32, row_ptr[-1])
    adj = sp.csr_matrix((np.ones(len(col_idx), np.float32), col_idx, row_ptr),
                        (n_nodes, n_nodes))
    # Row i of the result is row source[i] of allx over tx; a node in neither has none.
    place = sp.csr_matrix(
        (np.ones(n_first + len(test), np.float32),
         (np.concatenate([np.arange(n_first), test]), np.arange(n_first + len(test)))),
        (n_nodes, n_first + len(test)))
    attr = place @ sp.vstack([part["allx"], part["tx"]]).tocsr()
    labels = np.full(n_nodes, -1)
    labels[:n_first] = part["ally"].argmax(1)
    labels[test] = part["ty"].argmax(1)
    return adj, attr, labels


def main():
    n_runs, data = int(sys.argv[1]), sys.argv[2]
    load = load_npz if data.endswith(".npz") else load_planetoid
    for run in range(n_runs + 1):
        start = time.process_time()
        load(data)
        if run > 0:
            print(f"{time.process_time() - start:.6f}")


if __name__ == "__main__":
    main()
