"""Graphs that bench/own draws: each is hard in one way that graphs of the literature are
not. Every one is the same at each call."""
import numpy as np
import scipy.sparse


def affinity(homophily, n_classes):
    """[K,K] how often an edge from class k ends in each class."""
    rest = (1 - homophily) / (n_classes - 1)
    return np.full((n_classes, n_classes), rest) + np.eye(n_classes) * (homophily - rest)


def pairs(share=0.85):
    """[4,4] classes whose edges end mostly in one other class."""
    return np.full((4, 4), (1 - share) / 3) + (share - (1 - share) / 3) * np.eye(4)[
        [1, 0, 3, 2]]


def edges(rng, label, degree, shares):
    """[V,V] a block model: the class of an edge's end is drawn by a row of shares."""
    n = len(label)
    source = rng.integers(0, n, n * degree // 2)
    wanted = (rng.random((len(source), 1)) > shares.cumsum(1)[label[source]]).sum(1)
    members = [np.flatnonzero(label == k) for k in range(len(shares))]
    target = np.array([rng.choice(members[min(k, len(shares) - 1)]) for k in wanted])
    return source, target


def words(rng, label, n_words, mean, signal):
    """[V,F] 0 and 1: words of the topic of the class, and with 1 - signal any word."""
    topic = rng.dirichlet(np.full(n_words, 0.05), label.max() + 1)
    x = np.zeros((len(label), n_words))
    for i, k in enumerate(label):
        shares = signal * topic[k] + (1 - signal) / n_words
        x[i, rng.choice(n_words, max(rng.poisson(mean), 1), p=shares / shares.sum())] = 1
    return x


def measurements(rng, label, n_features, spread):
    """[V,F] normal around the centre of the class; centres have that deviation."""
    centre = spread * rng.normal(size=(label.max() + 1, n_features))
    return centre[label] + rng.normal(size=(len(label), n_features))


def even(rng, n_classes, n=3000):
    return rng.integers(0, n_classes, n)


def heterophilous(rng):
    label = even(rng, 4)
    return edges(rng, label, 8, pairs()), words(rng, label, 300, 10, 0.5), label


def measured(rng):
    label = even(rng, 5)
    return (edges(rng, label, 8, affinity(0.1, 5)), measurements(rng, label, 20, 0.5),
            label)


def imbalanced(rng):
    label = (rng.random(3000) < 0.05).astype(int)
    return (edges(rng, label, 6, affinity(0.8, 2)), measurements(rng, label, 10, 0.4),
            label)


def forty(rng):
    label = even(rng, 40, 6000)
    return edges(rng, label, 8, affinity(0.6, 40)), words(rng, label, 800, 15, 0.4), label


def few(rng):
    label = even(rng, 3, 1500)
    joined, x = edges(rng, label, 6, affinity(0.75, 3)), words(rng, label, 200, 8, 0.5)
    label[rng.permutation(len(label))[200:]] = -1
    return joined, x, label


def scales(rng):
    label = even(rng, 5)
    x = np.abs(measurements(rng, label, 20, 0.6)) * 10 ** rng.uniform(-3, 4, 20)
    return edges(rng, label, 6, affinity(0.7, 5)), x, label


def offset(rng):
    label = even(rng, 5)
    return (edges(rng, label, 6, affinity(0.7, 5)),
            1000 + measurements(rng, label, 20, 0.6), label)


def noise(rng):
    label = even(rng, 5)
    return edges(rng, label, 12, affinity(0.8, 5)), rng.normal(size=(3000, 50)), label


def isolated(rng):
    label = even(rng, 5)
    source, target = edges(rng, label, 16, affinity(0.8, 5))
    kept = (source % 2 == 0) & (target % 2 == 0)
    return (source[kept], target[kept]), words(rng, label, 300, 10, 0.5), label


def loops(rng):
    label = even(rng, 5)
    source, target = edges(rng, label, 6, affinity(0.7, 5))
    node = np.arange(len(label))
    joined = (np.concatenate([source, source, node]),
              np.concatenate([target, target, node]))
    return joined, words(rng, label, 300, 10, 0.4), label


def parity(rng):
    bits = rng.integers(0, 2, (3000, 2))
    label = bits[:, 0] ^ bits[:, 1]
    return (edges(rng, label, 6, affinity(0.5, 2)),
            2 * bits - 1 + 0.5 * rng.normal(size=(3000, 2)), label)


DRAWN = {draw.__name__: draw for draw in (
    heterophilous, measured, imbalanced, forty, few, scales, offset, noise, isolated,
    loops, parity)}


def as_arrays(name):
    """The graph of that name as gnn-benchmark stores it."""
    (source, target), x, label = DRAWN[name](np.random.default_rng(2020))
    arrays = {"labels": label}
    shape = (len(label), len(label))
    joined = scipy.sparse.csr_matrix((np.ones(len(source)), (source, target)), shape)
    joined.data[:] = 1
    for prefix, matrix in (("adj", joined), ("attr", scipy.sparse.csr_matrix(x))):
        arrays |= {f"{prefix}_data": matrix.data.astype(np.float32),
                   f"{prefix}_indices": matrix.indices,
                   f"{prefix}_indptr": matrix.indptr, f"{prefix}_shape": matrix.shape}
    return arrays
