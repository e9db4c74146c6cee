#!/usr/bin/python3
"""scikit-learn's t-SNE, rows to embed, and how good an embedding is.

    bench/peer/tsne_sklearn.py rows DATA COLUMNS ROWS.npy
    bench/peer/tsne_sklearn.py embed THREADS PERPLEXITY ROWS.npy PLACES.npy
    bench/peer/tsne_sklearn.py score ROWS.npy PLACES.npy...

rows    writes what the hidden layer of a network might hold: the row-normalised features
        of a dataset, averaged twice over neighbours and reduced to the COLUMNS leading
        singular directions. DATA is an npz file of the gnn-benchmark form, or a
        Planetoid prefix.
embed   prints "ready"; then, for each line it reads, embeds the rows, prints the seconds
        this took and writes the places, as `engine embed` does
score   prints one line per embedding: its trustworthiness among the 12 nearest
"""
import os
import sys
import time

NEIGHBOURS, N_STEPS = 12, 1000
SPARE_DIRECTIONS, N_ROUNDS, SEED = 10, 3, 1  # of the randomised decomposition


def write_rows(data, n_columns, path):
    import numpy as np

    from torch_data import load, normalised

    graph = load(data)
    average = normalised(graph.pattern)
    x = average @ (average @ graph.features)
    start = np.random.default_rng(SEED).normal(
        size=(x.shape[1], int(n_columns) + SPARE_DIRECTIONS))
    left = np.linalg.qr(x @ start)[0]
    for _ in range(N_ROUNDS):
        right = np.linalg.qr(x.T @ left)[0]
        left = np.linalg.qr(x @ right)[0]
    turn, length, _ = np.linalg.svd((x.T @ left).T, full_matrices=False)
    kept = slice(int(n_columns))
    np.save(path, (left @ turn[:, kept] * length[kept]).astype(np.float32))


def embed(n_threads, perplexity, rows, places):
    # Read by the libraries when they are loaded, so these are loaded later.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = n_threads
    import numpy as np
    from sklearn.manifold import TSNE

    x = np.load(rows)
    print("ready", flush=True)
    for seed, _ in enumerate(sys.stdin):
        start = time.perf_counter()
        tsne = TSNE(perplexity=float(perplexity), init="pca", learning_rate="auto",
                    n_iter=N_STEPS, n_jobs=int(n_threads), random_state=seed)
        place = tsne.fit_transform(x)
        seconds = time.perf_counter() - start
        np.save(places, place)
        print(f"{seconds:.6f}", flush=True)


def score(rows, *places):
    import numpy as np
    from sklearn.manifold import trustworthiness

    x = np.load(rows)
    for path in places:
        print(f"{trustworthiness(x, np.load(path), n_neighbors=NEIGHBOURS):.6f}")


if __name__ == "__main__":
    {"rows": write_rows, "embed": embed, "score": score}[sys.argv[1]](*sys.argv[2:])
