#!/usr/bin/env python3
"""Writes gat_golden.h: what the attention and GraphSAGE encoders must compute.

Usage: python3 gat_golden.py    (from any folder; PyTorch 1.13 and NumPy 1.24 made the
file in git). The graph, prior and teacher are those of engine_golden.h, the formulas
those at the top of gat_networks.py.
"""

import os
import pathlib

import numpy as np
import torch

import engine_golden
from engine_golden import SEED, TRAINING, V, array, braces, enum, number
from gat_networks import (
    COL, EPOCH, IS_NEIGHBOUR, LAMBDA2, N_STEPS, OBJECTIVES, RAMP, ROW, Gat, GatSizes,
    Sage)

HEADER = pathlib.Path(__file__).resolve().parent / "gat_golden.h"

GATS = [GatSizes(3, 4, 1, 0.5, 0.25, True, False, 1.0),
        GatSizes(8, 8, 1, 0.6, 0.4, False, True, 0.25),
        GatSizes(3, 4, 3, 0.2, 0.6, False, False, 1.0),
        GatSizes(2, 3, 4, 0.5, 0.5, True, True, 0.5)]
SAGES = [(5, 0.5), (16, 0.2)]


# ---- checks ----


def is_telling(network):
    """No kink is near, classes have logits of both signs with dropout, and no two nodes
    the same without. With it several may be left with the biases alone."""
    z, z_eval = network.forward(True)["z"], network.forward(False)["z"]
    n_positive = (z[TRAINING] > 0).sum(0)
    if z.abs().max() > 8 or len(torch.unique(torch.round(z_eval * 1000), dim=0)) < V:
        return False
    if n_positive.min() == 0 or n_positive.max() == len(TRAINING):
        return False
    return network.nearest_kink() > 5e-4


def check_gradients(network, factors, grads):
    """Against differences over every parameter; with four points, since inputs raised by
    dropout make the third derivative large."""
    h = 1e-5
    for layer, d_layer in zip(network.layers, grads):
        for name, p in layer.params.items():
            if not network.is_smooth_in(name):
                continue
            for at in np.ndindex(tuple(p.shape)):
                value, difference = p[at].item(), 0
                for step, factor in ((1, 8), (-1, -8), (2, -1), (-2, 1)):
                    p[at] = value + step * h
                    loss = network.loss(factors, network.forward(True)["z"]).item()
                    difference += factor * loss / (12 * h)
                p[at] = value
                assert abs(difference - d_layer[name][at]) < 1e-8, (name, at)


def check_attention(gat):
    """z with dropout by loops over nodes and neighbours, straight from the docstring."""
    def attend(layer, rows_of_head):
        out = np.zeros((layer.n_heads, V, layer.n_units))
        p = {name: value.numpy() for name, value in layer.params.items()}
        place = {(i, j): e for e, (i, j) in enumerate(zip(ROW, COL))}
        for h in range(layer.n_heads):
            units = slice(h * layer.n_units, (h + 1) * layer.n_units)
            g = [p["w"][:, units].T @ x for x in rows_of_head[h]]
            for i in range(V):
                near = np.flatnonzero(IS_NEIGHBOUR[i])
                s = [p["a_dst"][h] @ g[i] + p["c_dst"][h] + p["a_src"][h] @ g[j]
                     + p["c_src"][h] for j in near]
                weight = np.exp([x if x > 0 else 0.2 * x for x in s])
                weight /= weight.sum()
                for j, w in zip(near, weight):
                    w *= gat.keep(layer, "attention_mask", True)[place[i, j], h]
                    keep = gat.keep(layer, "projected_mask", True)[j, units]
                    out[h, i] += w * keep * g[j]
                out[h, i] += p["b"][units]
        return out

    first, second = gat.layers
    out = attend(first, [gat.entries(keep).numpy()
                         for keep in gat.keep(first, "in_mask", True)])
    hidden = np.concatenate(list(out), axis=1)
    hidden = np.where(hidden > 0, hidden, np.expm1(hidden))
    out = attend(second, [hidden * keep for keep in gat.keep(second, "in_mask", True)])
    assert np.allclose(out.mean(0), gat.forward(True)["z"], rtol=0, atol=1e-12)


# ---- the header ----


STRUCTS = """
// Rows of A + I are those of golden_gat_row_ptr and _col. Of two gradients the first is
// of the cross-entropy over the training nodes, the second of the whole objective with
// squared loss, KL, teacher and decay of all parameters. Unless said, with dropout.
typedef struct golden_gat_layer {
    int32_t n_in, n_heads, n_units;
    const double *w;               // [n_in,n_heads * n_units]
    const double *a_dst;           // [n_heads,n_units] of the node that looks
    const double *a_src;           // [n_heads,n_units] of its neighbour
    const double *c_dst, *c_src;   // [n_heads] added to the scores
    const double *b;               // [n_heads * n_units]
    const uint8_t *in_mask;        // [n_heads,N_ENTRIES] or [n_heads,V,n_in]; 1 = kept
    const uint8_t *projected_mask; // [V,n_heads * n_units]
    const uint8_t *attention_mask; // [GAT_ENTRIES,n_heads]
    const double *projected;       // [V,n_heads * n_units] before its own dropout
    const double *score;           // [GAT_ENTRIES,n_heads] before LeakyReLU
    const double *attention;       // [GAT_ENTRIES,n_heads] before dropout
    const double *dropped;         // [GAT_ENTRIES,n_heads] after dropout
    const double *d_w[2], *d_a_dst[2], *d_a_src[2], *d_c_dst[2], *d_c_src[2], *d_b[2];
} golden_gat_layer;

typedef struct golden_gat_case {
    double rate;             // p of dropout of inputs and projected features
    double attention_rate;   // of coefficients
    int has_shared_mask;     // whether all heads drop the same inputs
    int has_score_bias;      // or else c_dst and c_src are 0, for Adam too
    const double *x_value;   // [N_ENTRIES] before dropout
    golden_gat_layer layer[2];
    const double *hidden;    // [V,n_in of layer 1] after ELU, before dropout
    const double *z;         // [V,K]
    const double *hidden_eval, *z_eval; // without dropout
    double loss[2];
    const double *d_z[2];    // [V,K]
    const double *adam_loss; // [GAT_STEPS] of the second objective before each step
} golden_gat_case;

typedef struct golden_sage_layer {
    int32_t n_in, n_units;
    const double *w_self, *w_neigh; // [n_in,n_units]
    const double *b;                // [n_units]
    const uint8_t *in_mask;         // [N_ENTRIES] or [V,n_in]
    const double *d_w_self[2], *d_w_neigh[2], *d_b[2];
} golden_sage_layer;

typedef struct golden_sage_case {
    double rate;
    const double *x_value; // [N_ENTRIES] before dropout
    golden_sage_layer layer[2];
    const double *pre, *hidden; // [V,n_units] before and after ReLU, before dropout
    const double *z;            // [V,K]
    const double *hidden_eval, *z_eval;
    double loss[2];
    const double *d_z[2];
    const double *adam_loss;
} golden_sage_case;
"""


def literal(values, kind="double"):
    values = engine_golden.flat(values)
    if kind == "double":
        values = [float(x) for x in values]
    return f"(const {kind}[]){braces(values, 8, 60)}"


def literals(rows):
    return "{\n" + "".join(f"    {literal(row)},\n" for row in rows) + "    }"


def put_layer(layer, state, grads, sizes):
    text = "{\n" + "".join(f"    .{name} = {getattr(layer, name)},\n" for name in sizes)
    for name, value in {**layer.params, **state}.items():
        text += f"    .{name} = {literal(value)},\n"
    for name, mask in layer.masks.items():
        text += f"    .{name} = {literal(mask, 'uint8_t')},\n"
    for name in layer.params:
        text += f"    .d_{name} = {literals(grad[name] for grad in grads)},\n"
    return text + "    }, "


def put_network(network, plain, sizes, layer_states, more):
    """One case: its plain fields, its layers, and what came out."""
    training, evaluation = network.forward(True), network.forward(False)
    losses, d_z, grads = zip(*(network.gradients(f) for f in OBJECTIVES.values()))
    for factors, gradient in zip(OBJECTIVES.values(), grads):
        check_gradients(network, factors, gradient)
    text = "{\n" + "".join(f"    .{name} = {number(x)},\n" for name, x in plain.items())
    text += f"    .x_value = {literal(network.x_value)},\n    .layer = {{"
    for n, layer in enumerate(network.layers):
        text += put_layer(layer, layer_states[n], [g[n] for g in grads], sizes)
    text = text.rstrip(", ") + "},\n"
    for name in more + ["hidden", "z"]:
        text += f"    .{name} = {literal(training[name])},\n"
    for name in ("hidden", "z"):
        text += f"    .{name}_eval = {literal(evaluation[name])},\n"
    text += f"    .loss = {{{', '.join(map(number, losses))}}},\n"
    text += f"    .d_z = {literals(d_z)},\n"
    return text + f"    .adam_loss = {literal(network.adam_losses(0.01))},\n}},\n"


def telling(make):
    """The network of the first seed that is telling."""
    return next(n for n in map(make, range(SEED, SEED + 5000)) if is_telling(n))


def put_gats(out, engine_cases):
    out.append(f"\n// {len(GATS)} attention encoders:\n"
               + "".join(f"//   {sizes.title}\n" for sizes in GATS)
               + f"static const golden_gat_case golden_gats[{len(GATS)}] = {{\n")
    for n, sizes in enumerate(GATS):
        case = engine_cases[n % 2]
        gat = telling(lambda seed: Gat(sizes, seed, case.value, case))
        check_attention(gat)
        plain = {name: getattr(sizes, name) for name in (
            "rate", "attention_rate", "has_shared_mask", "has_score_bias")}
        out.append(put_network(gat, plain, ["n_in", "n_heads", "n_units"],
                               gat.forward(True)["states"], []))
    out.append("};\n")


def put_sages(out, engine_cases):
    out.append("\n// GraphSAGE with means, dropout as said.\n"
               f"static const golden_sage_case golden_sages[{len(SAGES)}] = {{\n")
    for n, (n_units, rate) in enumerate(SAGES):
        case = engine_cases[n]
        sage = telling(lambda seed: Sage(n_units, rate, seed, case.value, case))
        out.append(put_network(sage, {"rate": rate}, ["n_in", "n_units"], [{}, {}],
                               ["pre"]))
    out.append("};\n")


def main():
    torch.set_num_threads(1)
    engine_cases = engine_golden.make_cases(SEED)[2]
    out = ["// gat_golden.h -- written by gat_golden.py, do not edit.\n\n"
           "#ifndef OPN_GAT_GOLDEN_H\n#define OPN_GAT_GOLDEN_H\n\n"
           "#include <stdint.h>\n\n#include \"engine_golden.h\"\n\n"
           "// clang-format off\n"]
    enum(out, "Entries of A + I, steps of Adam with masks and epoch fixed, the epoch.",
         [f"GAT_ENTRIES = {len(ROW)}", f"GAT_STEPS = {N_STEPS}", f"GAT_EPOCH = {EPOCH}",
          f"GAT_RAMP = {RAMP}", f"N_GATS = {len(GATS)}", f"N_SAGES = {len(SAGES)}"])
    row_ptr = np.concatenate([[0], np.cumsum(IS_NEIGHBOUR.sum(1))])
    array(out, "gat_row_ptr", row_ptr, "[V + 1] rows of A + I as CSR.", "int64_t")
    array(out, "gat_col", COL, "[GAT_ENTRIES] columns, ascending, i itself among them.",
          "int32_t")
    out.append("\n// Factor of the teacher term; those of KL and of the decay are\n"
               "// golden_lambda1 and golden_weight_decay.\n"
               f"static const double golden_gat_lambda2 = {number(LAMBDA2)};\n")
    out.append(STRUCTS)
    put_gats(out, engine_cases)
    put_sages(out, engine_cases)
    out.append("\n// clang-format on\n\n#endif // OPN_GAT_GOLDEN_H\n")
    new = HEADER.with_suffix(".h.new")
    new.write_text("".join(out), encoding="ascii")
    os.replace(new, HEADER)


if __name__ == "__main__":
    main()
