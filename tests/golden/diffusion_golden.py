#!/usr/bin/env python3
"""Writes diffusion_golden.h: diffused values, fused vacuity and margin by NumPy.

Usage: python3 diffusion_golden.py    (from any folder; NumPy 1.24 made the file in git).

The graph, the logits and the alphas are drawn here and stand in the header, exact in
their type. Diffusion is written as products with a dense matrix.
"""

import pathlib

import numpy as np

HEADER = pathlib.Path(__file__).resolve().parent / "diffusion_golden.h"
NODES, CLASSES, EDGES = 23, 4, 40
ISOLATED = (5, 16)  # nodes without neighbours


def draw_edges(rng):
    """Distinct edges between nodes that are not to be isolated, with weights in eighths."""
    edges = {}
    while len(edges) < EDGES:
        i, j = sorted(int(v) for v in rng.integers(0, NODES, 2))
        if i != j and i not in ISOLATED and j not in ISOLATED:
            edges[i, j] = int(rng.integers(1, 33)) / 8
    return [(i, j, w) for (i, j), w in sorted(edges.items())]


def mean_matrix(edges, missing):
    """D^-1 A with one more column, which stands for what isolated nodes see.

    missing None: an isolated node sees itself.
    """
    around = np.zeros((NODES, NODES + 1))
    for i, j, w in edges:
        around[i, j] = around[j, i] = w
    for i in np.flatnonzero(around.sum(axis=1) == 0):
        around[i, i if missing is None else NODES] = 1
    return around / around.sum(axis=1, keepdims=True)


def diffuse(edges, x, steps, teleport, missing=None, lazy=False):
    around = mean_matrix(edges, missing)
    x0 = np.asarray(x, float)
    now = x0
    for _ in range(steps):
        fill = np.full((1,) + x0.shape[1:], 0.0 if missing is None else missing)
        seen = around @ np.concatenate([now, fill])
        now = teleport * (now if lazy else x0) + (1 - teleport) * seen
    return now


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def fused(edges, z, alpha, missing):
    teacher = CLASSES / (CLASSES + np.exp(z).sum(axis=1))
    student = CLASSES / alpha.sum(axis=1)
    return (np.log(diffuse(edges, teacher, 10, 0.1, missing)) +
            3 * np.log(diffuse(edges, student, 10, 0.1, missing)))


def margin(edges, z, alpha, missing):
    p = (softmax(z) + alpha / alpha.sum(axis=1, keepdims=True)) / 2
    around = diffuse(edges, p, 4, 0.5, missing)
    y = alpha.argmax(axis=1)
    own = around[np.arange(NODES), y]
    around[np.arange(NODES), y] = -np.inf
    return -(own - around.max(axis=1))


def array(name, values, kind="float"):
    suffix = "f" if kind == "float" else ""
    flat = np.asarray(values).ravel()
    if kind == "int32_t":
        items = [str(int(v)) for v in flat]
    else:
        items = [repr(float(np.float32(v))) + suffix for v in flat]
    lines, line = [], "       "
    for item in items:
        if len(line) + len(item) + 2 > 88:
            lines.append(line)
            line = "       "
        line += f" {item},"
    lines.append(line)
    return f"static const {kind} {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


def main():
    rng = np.random.default_rng(20)
    edges = draw_edges(rng)
    z = rng.integers(-40, 80, (NODES, CLASSES)) / 8
    alpha = 1 + rng.integers(1, 400, (NODES, CLASSES)) / 16
    value = rng.integers(0, 1025, NODES) / 1024
    parts = [
        "// diffusion_golden.h -- diffused values, fused vacuity and margin by NumPy.\n"
        "// Written by diffusion_golden.py; do not edit.\n\n"
        "#ifndef OPN_DIFFUSION_GOLDEN_H\n#define OPN_DIFFUSION_GOLDEN_H\n\n"
        "#include <stdint.h>\n\n"
        f"enum {{ GOLDEN_NODES = {NODES}, GOLDEN_CLASSES = {CLASSES}, "
        f"GOLDEN_EDGES = {EDGES} }};\n"]
    for name, values, kind in [
            ("golden_source", [e[0] for e in edges], "int32_t"),
            ("golden_target", [e[1] for e in edges], "int32_t"),
            ("golden_weight", [e[2] for e in edges], "float"),
            ("golden_value", value, "float"),
            ("golden_kept", diffuse(edges, value, 10, 0.1), "float"),
            ("golden_filled", diffuse(edges, value, 10, 0.1, 1.0), "float"),
            ("golden_lazy", diffuse(edges, value, 2, 0.5, 0.0, True), "float"),
            ("golden_z", z, "float"),
            ("golden_alpha", alpha, "float"),
            ("golden_fused_kept", fused(edges, z, alpha, None), "float"),
            ("golden_fused_filled", fused(edges, z, alpha, 1.0), "float"),
            ("golden_margin_kept", margin(edges, z, alpha, None), "float"),
            ("golden_margin_filled", margin(edges, z, alpha, 1 / CLASSES), "float")]:
        parts.append("\n" + array(name, values, kind))
    parts.append("\n#endif // OPN_DIFFUSION_GOLDEN_H\n")
    HEADER.write_text("".join(parts))


if __name__ == "__main__":
    main()
