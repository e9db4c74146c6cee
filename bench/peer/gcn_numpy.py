#!/usr/bin/python3
"""How hard is a graph? A plain GCN in NumPy and SciPy, without a line of opine.

    bench/peer/gcn_numpy.py --npz FILE [--model gcn|mlp|propagation] [--ood N]
                            [--splits N] [--planetoid]

FILE is of the gnn-benchmark form, undirected and labelled, as `opine data convert demo -o
demo.npz` writes it. Prints the mean accuracy on test nodes over seeded splits (20 nodes
of each class train, 500 validate, the rest test) with its 95 % interval.

    --model mlp          the same network without edges: what the words alone tell
    --model propagation  label propagation: what the edges alone tell
    --ood N              the last N classes never train: accuracy over the others, and the
                         AUROC with which the entropy of the softmax finds the N classes
    --planetoid          the split of Cora and Pubmed: the first 20 K nodes train, the
                         last 1000 test; the runs differ in their initial weights
"""
import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata, t as student

HIDDEN, DROPOUT, EPOCHS, RATE, DECAY = 16, 0.5, 200, 0.01, 5e-4


def load(path):
    """Undirected pattern A, row-normalised X and labels, all as the GCN wants them."""
    file = np.load(path, allow_pickle=False)

    def matrix(name):
        data, indices, indptr, shape = (
            file[f"{name}_{part}"] for part in ("data", "indices", "indptr", "shape"))
        return sp.csr_matrix((data.astype(np.float32), indices, indptr), shape)

    a, x = matrix("adj"), matrix("attr")
    a = a.maximum(a.T).tolil()
    a.setdiag(0)
    a = a.tocsr()
    a.eliminate_zeros()
    a.data[:] = 1
    row_sum = np.maximum(np.asarray(x.sum(1)).ravel(), 1e-12)
    return a, sp.diags(1 / row_sum).dot(x).tocsr(), file["labels"].astype(int)


def normalise(a):
    """D^-1/2 (A + I) D^-1/2"""
    a = a + sp.identity(a.shape[0], np.float32, "csr")
    scale = sp.diags(1 / np.sqrt(np.asarray(a.sum(1)).ravel()))
    return scale.dot(a).dot(scale).tocsr().astype(np.float32)


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def glorot(rng, n_in, n_out):
    bound = np.sqrt(6 / (n_in + n_out))
    return rng.uniform(-bound, bound, (n_in, n_out)).astype(np.float32)


def gcn(rng, a, x, label, train, n_classes):
    """Softmax of z = A drop(relu(A drop(X) W0)) W1 after training by Adam. [V,K]"""
    weights = [glorot(rng, x.shape[1], HIDDEN), glorot(rng, HIDDEN, n_classes)]
    mean = [np.zeros_like(w) for w in weights]
    square = [np.zeros_like(w) for w in weights]
    keep = np.float32(1 - DROPOUT)
    target = np.eye(n_classes, dtype=np.float32)[label[train]]
    for epoch in range(1, EPOCHS + 1):
        mask = (rng.random(x.nnz, np.float32) < keep) / keep
        x_drop = sp.csr_matrix((x.data * mask, x.indices, x.indptr), x.shape)
        hidden = a @ (x_drop @ weights[0])
        mask = (rng.random(hidden.shape, np.float32) < keep) / keep
        h_drop = np.maximum(hidden, 0) * mask
        d_z = np.zeros((len(label), n_classes), np.float32)
        d_z[train] = (softmax((a @ (h_drop @ weights[1]))[train]) - target) / len(train)
        d_z = a @ d_z  # A is its own transpose
        d_hidden = d_z @ weights[1].T * mask * (hidden > 0)
        gradients = [x_drop.T @ (a @ d_hidden) + DECAY * weights[0], h_drop.T @ d_z]
        for w, g, m, v in zip(weights, gradients, mean, square):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= RATE * (m / (1 - 0.9**epoch)) / (np.sqrt(v / (1 - 0.999**epoch)) + 1e-8)
    return softmax(a @ (np.maximum(a @ (x @ weights[0]), 0) @ weights[1]))


def propagation(a, label, train, n_classes):
    """Labels that walk along edges and come home with probability 0.1. [V,K]"""
    home = np.zeros((len(label), n_classes), np.float32)
    home[train, label[train]] = 1
    p = home
    for _ in range(50):
        p = 0.9 * (a @ p) + 0.1 * home
    return p / np.maximum(p.sum(1, keepdims=True), 1e-12)


def split(rng, label, planetoid):
    """Training nodes, and those that neither train nor validate."""
    n_classes = label.max() + 1
    if planetoid:
        return np.arange(20 * n_classes), np.arange(len(label) - 1000, len(label))
    order = rng.permutation(np.flatnonzero(label >= 0))
    train = np.concatenate([order[label[order] == k][:20] for k in range(n_classes)])
    return train, np.setdiff1d(order, train, assume_unique=True)[500:]


def auroc(score, positive):
    rank, n = rankdata(score), positive.sum()
    return (rank[positive].sum() - n * (n + 1) / 2) / (n * (len(score) - n))


def interval(values):
    values = 100 * np.array(values)
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.1f} +- {half:.1f} %"


def main():
    parser = argparse.ArgumentParser(description="See the head of this file.")
    parser.add_argument("--npz", required=True)
    parser.add_argument("--model", choices=["gcn", "mlp", "propagation"], default="gcn")
    parser.add_argument("--ood", type=int, default=0)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--planetoid", action="store_true")
    options = parser.parse_args()

    a, x, label = load(options.npz)
    alone = sp.identity(len(label), np.float32, "csr")
    a = alone if options.model == "mlp" else normalise(a)
    n_known = label.max() + 1 - options.ood
    accuracy, detection = [], []
    for seed in range(options.splits):
        rng = np.random.default_rng(seed)
        train, pool = split(rng, label, options.planetoid)
        train, test = train[label[train] < n_known], pool[label[pool] < n_known]
        if options.model == "propagation":
            p = propagation(a, label, train, n_known)
        else:
            p = gcn(rng, a, x, label, train, n_known)
        accuracy.append((p[test].argmax(1) == label[test]).mean())
        if options.ood > 0:
            entropy = -(p * np.log(np.maximum(p, 1e-30))).sum(1)
            detection.append(auroc(entropy[pool], label[pool] >= n_known))
    print(f"{options.model}: accuracy {interval(accuracy)} over {options.splits} splits")
    if options.ood > 0:
        print(f"{options.model}: AUROC of entropy {interval(detection)}")


if __name__ == "__main__":
    main()
