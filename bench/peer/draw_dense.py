#!/usr/bin/python3
"""Draws a graph with dense features, which `opine data generate` does not.

    bench/peer/draw_dense.py OUT.npz NODES EDGES FEATURES CLASSES TRAIN VALIDATION

Two of three edges join nodes of the same class; features are those of the class with
noise. A share TRAIN of the nodes trains, a share VALIDATION validates and the others test.
"""
import sys

import numpy as np

HOMOPHILY = 0.66


def main():
    out, (n_nodes, n_edges, n_features, n_classes) = sys.argv[1], map(int, sys.argv[2:6])
    train, validation = map(float, sys.argv[6:])
    rng = np.random.default_rng(0)
    label = rng.integers(n_classes, size=n_nodes)
    source, target = rng.integers(n_nodes, size=(2, n_edges))
    by_class = np.argsort(label, kind="stable")
    first = np.searchsorted(label[by_class], np.arange(n_classes + 1))
    k = label[source]
    same = by_class[first[k] + rng.integers(2**40, size=n_edges) % np.diff(first)[k]]
    target = np.where(rng.random(n_edges) < HOMOPHILY, same, target)
    x = rng.standard_normal((n_classes, n_features), np.float32)[label]
    x += 2 * rng.standard_normal(x.shape, np.float32)
    place = rng.random(n_nodes)
    last = train + validation
    np.savez(out, x=x, edge_index=np.stack([source, target]), y=label,
             train_mask=place < train,
             val_mask=(place >= train) & (place < last), test_mask=place >= last)


if __name__ == "__main__":
    main()
