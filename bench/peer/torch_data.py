"""Graphs, splits and sparse products for torch_gcn.py."""
import functools
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn.functional as F
from scipy.sparse.csgraph import connected_components

from load_scipy import load_npz, load_planetoid

TRAIN_PER_CLASS, N_VALIDATION = 20, 500


@dataclass
class Params:
    n_hidden: int = 16
    dropout: float = 0.5
    decay: float = 5e-4


# By a part of the file's name; all others have the defaults.
PARAMS = {
    "photo": Params(64, 0.2, 1e-4),
    "computers": Params(64, 0.2, 1e-4),
    "academic_phy": Params(64, 0.1, 1e-3),
}


def params_of(path):
    return next((params for part, params in PARAMS.items() if part in path), Params())


# ---- graphs --------------------------------------------------------------------------

@dataclass
class Graph:
    pattern: sp.csr_matrix  # [V,V] 1 where two nodes are neighbours
    features: sp.csr_matrix  # [V,F] rows of sum 1
    label: np.ndarray  # [V] -1 for none
    split: tuple = None  # training, validation and test nodes, when given with the data

    @property
    def n_classes(self):
        return int(self.label.max()) + 1


def undirected(adj):
    """A or A' without self-loops; a neighbour named twice is one neighbour."""
    adj = adj.maximum(adj.T).tocsr()
    adj = (adj - sp.diags(adj.diagonal())).tocsr()
    adj.eliminate_zeros()
    adj.data = np.ones(adj.nnz, np.float32)
    adj.sort_indices()
    return adj


def row_normalised(x):
    x = sp.csr_matrix(x, dtype=np.float32)
    x.eliminate_zeros()
    row_sum = np.maximum(np.asarray(x.sum(1)).ravel(), 1e-12)
    x = sp.diags((1 / row_sum).astype(np.float32)).dot(x).tocsr()
    x.sort_indices()
    return x


def load_citations(prefix):
    """As Planetoid has it: the first nodes train, the next validate."""
    adj, x, label = load_planetoid(prefix)
    test = np.loadtxt(f"{prefix}.test.index", dtype=np.int64)
    n_train = TRAIN_PER_CLASS * (label.max() + 1)
    split = (np.arange(n_train), np.arange(n_train, n_train + N_VALIDATION), test)
    return Graph(undirected(adj), row_normalised(x), label, split)


def load_benchmark(path):
    """The largest component, with words that are there or not."""
    adj, x, label = load_npz(path)
    adj = undirected(adj)
    component = connected_components(adj, directed=False)[1]
    kept = np.flatnonzero(component == np.bincount(component).argmax())
    x = x[kept]
    x.data = np.ones(x.nnz, np.float32)
    return Graph(adj[kept][:, kept], row_normalised(x), label[kept].astype(np.int64))


def load(path):
    return load_benchmark(path) if path.endswith(".npz") else load_citations(path)


def split_of(graph, seed):
    """Training, validation and test nodes: those given, else 20 of each class train."""
    if graph.split is not None:
        return graph.split
    label = graph.label
    order = np.random.default_rng(seed).permutation(np.flatnonzero(label >= 0))
    train = np.concatenate([order[label[order] == k][:TRAIN_PER_CLASS]
                            for k in range(graph.n_classes)])
    rest = order[~np.isin(order, train)]
    return train, rest[:N_VALIDATION], rest[N_VALIDATION:]


def normalised(pattern):
    """D^-1/2 (A + I) D^-1/2"""
    a = (pattern + sp.identity(pattern.shape[0], np.float32)).tocsr()
    scale = sp.diags(1 / np.sqrt(np.asarray(a.sum(1)).ravel()))
    a = (scale @ a @ scale).tocsr().astype(np.float32)
    a.sort_indices()
    return a


# ---- sparse products -----------------------------------------------------------------
#
# A matrix here is a pattern; its values are given with each product, because dropout
# changes those of the features in every pass.

def unchecked(layout):
    """The constructor of a sparse tensor that does not check each index in every pass."""
    old = getattr(torch, f"_sparse_{layout}_tensor_unsafe", None)  # before PyTorch 2
    return old or functools.partial(getattr(torch, f"sparse_{layout}_tensor"),
                                    check_invariants=False)


coo_tensor, csr_tensor = unchecked("coo"), unchecked("csr")


class CooMatrix:
    def __init__(self, matrix, is_symmetric):
        coo = matrix.tocoo()
        self.shape = matrix.shape
        self.values = torch.from_numpy(coo.data)
        self.index = torch.from_numpy(np.stack([coo.row, coo.col]).astype(np.int64))
        self.back_index = self.index if is_symmetric else self.index.flip(0)

    def multiply(self, values, dense):
        return torch.sparse.mm(coo_tensor(self.index, values, self.shape), dense)

    def multiply_transposed(self, values, dense):
        return torch.sparse.mm(coo_tensor(self.back_index, values, self.shape[::-1]),
                               dense)


class CompressedMatrix:
    """Rows one after the other, and the same of the transposed matrix."""

    def __init__(self, matrix, is_symmetric):
        self.shape = matrix.shape
        self.values = torch.from_numpy(matrix.data)
        self.rows = self.columns = self.indices(matrix)
        self.order = None
        if not is_symmetric:
            place = sp.csr_matrix(
                (np.arange(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
            place = place.T.tocsr()
            self.columns = self.indices(place)
            self.order = torch.from_numpy(place.data.astype(np.int64))

    def multiply(self, values, dense):
        return self.product(self.rows, values, self.shape, dense)

    def multiply_transposed(self, values, dense):
        if self.order is not None:
            values = values.index_select(0, self.order)
        return self.product(self.columns, values, self.shape[::-1], dense)


class CsrMatrix(CompressedMatrix):
    @staticmethod
    def indices(matrix):
        return (torch.from_numpy(matrix.indptr.astype(np.int64)),
                torch.from_numpy(matrix.indices.astype(np.int64)))

    @staticmethod
    def product(indices, values, shape, dense):
        return csr_tensor(*indices, values, shape) @ dense


class BagMatrix(CompressedMatrix):
    """A row of the product is a bag of rows of the dense matrix, weighted and added up.

    Not what embedding_bag() is meant for, but several times faster here than the two
    formats of torch.sparse: it alone has a vector kernel.
    """

    LANES = 8  # its kernel is slow with a part of a vector

    @staticmethod
    def indices(matrix):
        return (torch.from_numpy(matrix.indptr[:-1].astype(np.int64)),
                torch.from_numpy(matrix.indices.astype(np.int64)))

    @classmethod
    def product(cls, indices, values, shape, dense):
        start, column = indices
        width = dense.shape[1]
        if width % cls.LANES:
            dense = F.pad(dense, (0, -width % cls.LANES))
        out = F.embedding_bag(column, dense, start, mode="sum", per_sample_weights=values)
        return out if out.shape[1] == width else out[:, :width].contiguous()


class Multiply(torch.autograd.Function):
    """matrix @ dense with the gradient of `dense` alone."""

    @staticmethod
    def forward(ctx, matrix, values, dense):
        ctx.matrix, ctx.values = matrix, values
        return matrix.multiply(values, dense)

    @staticmethod
    def backward(ctx, d_out):
        return None, None, ctx.matrix.multiply_transposed(ctx.values, d_out)


def seconds_of(matrix, width, n_times=5):
    """The best time of a product and of that with the transposed matrix."""
    right, left = (torch.rand(n, width) for n in matrix.shape[::-1])
    best = float("inf")
    for _ in range(n_times):
        start = time.perf_counter()
        matrix.multiply(matrix.values, right)
        matrix.multiply_transposed(matrix.values, left)
        best = min(best, time.perf_counter() - start)
    return best


def sparse_matrix(matrix, mode, width, is_symmetric=False):
    """By embedding_bag() in mode bag, in the format of torch.sparse that is faster here
    in modes sparse and dense, and else by the fastest of them."""
    kinds = {"bag": [BagMatrix], "sparse": [CooMatrix, CsrMatrix],
             "dense": [CooMatrix, CsrMatrix]}.get(mode, [CooMatrix, CsrMatrix, BagMatrix])
    made = [kind(matrix, is_symmetric) for kind in kinds]
    return min(made, key=lambda one: seconds_of(one, width))
