#!/usr/bin/env python3
"""Writes engine_golden.h: what the engine must compute, from PyTorch, mpmath and SciPy.

Usage: python3 engine_golden.py [DATA]    (from any folder; PyTorch 1.13, mpmath 1.2,
NumPy 1.24 and SciPy 1.10 made the file in git). DATA is as for graphs.py; without it the
values for Cora stay as they are in the file.

Formulas are written as the design states them, and derivatives come from autograd or
from high precision, so that nothing here shares an algebraic step with the engine. All
in float64; inputs are exact in float32 where a test may feed them to the float build.
"""

import os
import pathlib
import sys
import warnings

import mpmath
import numpy as np
import scipy.special
import scipy.stats
import torch
from mpmath import mpf
from scipy.sparse import csgraph

from engine_precise import (
    ALPHAS, K, SAMPLES, check_opinions, mp_cross_entropy, mp_derivative, mp_kl,
    mp_kl_gradient, mp_squared, mp_teacher, sampled_opinions, special_functions,
    wide_grids)
from graphs import BESIDE, TRAIN, read_planetoid, undirect

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE / "engine_golden.h"

V, F, H = 13, 11, 5
EPOCH, LAMBDA1, WEIGHT_DECAY, N_STEPS = 57, 0.1, 5e-4, 10
LAMBDA2 = min(1.0, EPOCH / 200)
SEED = 21563  # the first for which both cases are telling

# Nodes 0-7 and 8-11 are components, 7 is a leaf, 12 is isolated, 4 has no feature and
# feature 7 no node. No two nodes have the same neighbours, themselves included.
EDGES = [(0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 4), (2, 5), (3, 4), (3, 5), (3, 6),
         (4, 5), (4, 6), (5, 6), (6, 7), (8, 9), (8, 11), (9, 10), (10, 11)]
EDGE_WEIGHT = [0.5, 1.25, 2, 0.125, 1, 3.5, 0.75, 1, 2.25, 0.375, 1.5, 0.25, 4, 1, 0.625,
               2.5, 1.125, 0.875]
LABEL = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 1, 2]
TRAINING, VALIDATION = [0, 2, 5, 6, 9], [1, 4, 10]
FEATURES = [[0, 3, 8], [1, 3], [0, 2, 5, 9, 10], [4], [], [1, 4, 6, 8], [2, 5],
            [3, 6, 10], [0, 1, 9], [5, 8], [2, 3, 4, 6, 9], [10], [0, 6, 9]]
N_ENTRIES = sum(len(row) for row in FEATURES)
EVIDENCES = ["exp", "relu", "softplus", "elu"]
TERMS = ["cross_entropy", "squared_exp", "squared_relu", "squared_softplus",
         "squared_elu", "kl", "teacher", "dpn", "weight_decay"]
OTHER_TERMS = ["kl_relu", "kl_softplus", "kl_elu", "teacher_elu"]
OBJECTIVES = {
    "gcn": {"cross_entropy": 1.0, "weight_decay": 1.0},
    "edl_gcn": {"squared_elu": 1.0, "weight_decay": 1.0},
    "dpn_gcn": {"dpn": 1.0, "weight_decay": 1.0},
    "s_gcn": {"squared_exp": 1.0, "weight_decay": 1.0},
    "s_bgcn_t": {"squared_exp": 1.0, "teacher": LAMBDA2, "weight_decay": 1.0},
    "s_bgcn_t_k": {"squared_exp": 1.0, "kl": LAMBDA1, "teacher": LAMBDA2,
                   "weight_decay": 1.0},
}
# sigma, and whether the kernel has its constant 1 / (sigma sqrt(2 pi))
KERNELS = [(1.0, 0), (0.5, 0), (3.0, 0), (1.0, 1), (3.0, 1)]
CORA_NODES = [0, 1, 633, 1862, 2707]


# ---- the graph, its prior and the network ----


def normalise(weight):
    """D^-1/2 (A + I) D^-1/2, dense."""
    a = np.eye(V)
    for (i, j), w in zip(EDGES, weight):
        a[i, j] = a[j, i] = w
    scale = 1 / np.sqrt(a.sum(axis=1))
    return scale[:, None] * a * scale[None, :]


def gkde(distance, training_label, n_classes, sigma, has_constant):
    """The prior from distances [L,V]; those of unreachable nodes are infinite."""
    kernel = np.exp(-distance ** 2 / (2 * sigma ** 2))
    if has_constant:
        kernel /= sigma * np.sqrt(2 * np.pi)
    one_hot = np.eye(n_classes)[training_label]
    return 1 + kernel.T @ one_hot


def hops(source, target, n, from_nodes):
    a = np.zeros((n, n))
    a[source, target] = a[target, source] = 1
    return csgraph.shortest_path(a, unweighted=True, indices=from_nodes)


class Digamma(torch.autograd.Function):
    """PyTorch's own derivative of digamma is good to nine digits only."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(scipy.special.digamma(x.numpy()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.from_numpy(scipy.special.polygamma(1, x.numpy()))


def dirichlet_kl(alpha, alpha_hat):
    """KL[Dir(alpha) || Dir(alpha_hat)] of each row."""
    s, s_hat = alpha.sum(1), alpha_hat.sum(1)
    log_norm = torch.lgamma(s) - torch.lgamma(alpha).sum(1)
    log_norm_hat = torch.lgamma(s_hat) - torch.lgamma(alpha_hat).sum(1)
    mean_log = Digamma.apply(alpha) - Digamma.apply(s)[:, None]
    return log_norm - log_norm_hat + ((alpha - alpha_hat) * mean_log).sum(1)


def evidence(z, kind):
    if kind == "exp":
        return torch.exp(z)
    if kind == "relu":
        return torch.relu(z)
    if kind == "softplus":
        return torch.log1p(torch.exp(z))
    return torch.nn.functional.elu(z)


def squared(alpha, y):
    s = alpha.sum(1, keepdim=True)
    p = alpha / s
    return ((y - p) ** 2 + p * (1 - p) / (s + 1)).sum(1)


class Case:
    """One way to weigh edges, fill in features and drop units; its network and loss."""

    def __init__(self, weight, value, rate, entry_mask, hidden_mask, prior, log_teacher):
        self.edge_weight, self.value, self.rate = weight, value, rate
        self.entry_mask, self.hidden_mask = entry_mask, hidden_mask
        self.prior, self.log_teacher = torch.tensor(prior), torch.tensor(log_teacher)
        self.a_hat = torch.tensor(normalise(weight))
        self.x = self.features(value)
        self.x_dropped = self.features(value * entry_mask / (1 - rate))
        self.y = torch.eye(K, dtype=torch.float64)[LABEL]

    @staticmethod
    def features(value):
        x, at = torch.zeros(V, F, dtype=torch.float64), iter(value)
        for i, row in enumerate(FEATURES):
            for k in row:
                x[i, k] = float(next(at))
        return x

    def forward(self, w0, w1, is_training=True):
        p = (self.x_dropped if is_training else self.x) @ w0
        pre = self.a_hat @ p
        hidden = torch.relu(pre)
        if is_training:
            hidden = hidden * torch.tensor(self.hidden_mask) / (1 - self.rate)
        return p, pre, hidden, self.a_hat @ hidden @ w1

    def supervised(self, z, nodes, kind):
        """Mean over nodes of cross-entropy or, given an evidence, of the squared loss."""
        if kind == "cross_entropy":
            return -(self.y * torch.log_softmax(z, 1))[nodes].sum(1).mean()
        return squared(evidence(z, kind) + 1, self.y)[nodes].mean()

    def term(self, name, z, w0):
        if name == "cross_entropy":
            return self.supervised(z, TRAINING, name)
        if name == "weight_decay":
            return WEIGHT_DECAY / 2 * (w0 ** 2).sum()
        family, _, kind = name.partition("_")
        if family == "squared":
            return self.supervised(z, TRAINING, kind)
        alpha = evidence(z, kind or "exp") + 1
        if family == "kl":
            return dirichlet_kl(alpha, self.prior).mean()
        if family == "dpn":
            return dirichlet_kl(alpha, 50 * self.y + 1.1)[TRAINING].mean()
        assert family == "teacher"
        p = alpha / alpha.sum(1, keepdim=True)
        return (p * (torch.log(p) - self.log_teacher)).mean()

    def objective(self, factors, z, w0):
        return sum(factor * self.term(name, z, w0) for name, factor in factors.items())

    def gradients(self, loss, w0, w1):
        """The loss (a function of z and W0) and its gradients to z, W0 and W1."""
        w0, w1 = (torch.tensor(w, requires_grad=True) for w in (w0, w1))
        z = self.forward(w0, w1)[-1]
        value = loss(z, w0)
        grads = torch.autograd.grad(value, (z, w0, w1), allow_unused=True)
        return value.item(), *(
            np.zeros(tuple(at.shape)) if g is None else g.numpy()
            for g, at in zip(grads, (z, w0, w1)))

    def adam(self, w0, w1):
        """Loss before each step, weights after each, and the distance kept to a kink."""
        w0, w1 = (torch.tensor(w, requires_grad=True) for w in (w0, w1))
        optimiser = torch.optim.Adam([w0, w1], lr=0.01, betas=(0.9, 0.999), eps=1e-8)
        losses, weights, nearest = [], [], np.inf
        for _ in range(N_STEPS):
            optimiser.zero_grad()
            _, pre, _, z = self.forward(w0, w1)
            loss = self.objective(OBJECTIVES["s_bgcn_t_k"], z, w0)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            weights.append([w.detach().numpy().copy() for w in (w0, w1)])
            nearest = min(nearest, pre[pre != 0].abs().min().item())
        return losses, weights, nearest


def make_cases(seed):
    """Weights and the two cases."""
    distance = hops(*np.array(EDGES).T, V, TRAINING)
    prior = gkde(distance, np.array(LABEL)[TRAINING], K, 1.0, 0)
    row_value = np.array([1 / len(row) for row in FEATURES for _ in row])
    random = np.random.RandomState(seed)
    w0 = np.round(random.uniform(-2, 2, (F, H)) * 1024) / 1024
    w1 = np.round(random.uniform(-2, 2, (H, K)) * 1024) / 1024
    log_teacher = torch.log_softmax(torch.tensor(random.normal(0, 2, (V, K))), 1).numpy()
    free_value = random.randint(1, 33, N_ENTRIES) / 16
    masks = [((random.uniform(size=N_ENTRIES) >= rate) * 1.0,
              (random.uniform(size=(V, H)) >= rate) * 1.0) for rate in (0.5, 0.2)]
    return w0, w1, [
        Case(np.ones(len(EDGES)), row_value, 0.5, *masks[0], prior, log_teacher),
        Case(EDGE_WEIGHT, free_value, 0.2, *masks[1], prior, log_teacher),
    ]


def is_telling(case, w0, w1):
    """Whether no kink is near, in either pass and over the steps of Adam, while in the
    training nodes each class has logits of both signs, and no two nodes have the same."""
    for is_training in (True, False):
        _, pre, _, z = case.forward(*map(torch.tensor, (w0, w1)), is_training)
        pre = pre[pre != 0].abs()  # an exact 0 has no input that is not 0
        n_positive = (z[TRAINING] > 0).sum(0)
        if pre.min() < 0.002 or z.abs().min() < 0.01 or z.abs().max() > 6:
            return False
        if n_positive.min() == 0 or n_positive.max() == len(TRAINING):
            return False
        if len(torch.unique(torch.round(z * 1000), dim=0)) < V:
            return False
    return case.adam(w0, w1)[2] > 5e-4


# ---- what the checks say ----


def check_case(case, w0, w1, results):
    """Central differences of every term over every weight, and values exactly."""
    for name, (_, d_z, d_w0, d_w1) in results.items():
        for which, gradient in ((0, d_w0), (1, d_w1)):
            for at in np.ndindex(gradient.shape):
                values = []
                for step in (1e-5, -1e-5):
                    w = [torch.tensor(w0), torch.tensor(w1)]
                    w[which][at] += step
                    values.append(case.term(name, case.forward(*w)[-1], w[0]).item())
                difference = (values[0] - values[1]) / 2e-5
                assert abs(difference - gradient[at]) < 1e-7, (name, which, at)
    z = case.forward(torch.tensor(w0), torch.tensor(w1))[-1].tolist()
    z = [[mpf(x) for x in row] for row in z]
    prior = [[mpf(x) for x in row] for row in case.prior.tolist()]
    alpha = [[mpmath.exp(x) + 1 for x in row] for row in z]
    for i in range(V):
        for ours, theirs in zip(mp_kl_gradient(z[i], prior[i]), results["kl"][1][i]):
            assert abs(ours / V - theirs) < 1e-14
    assert np.allclose(results["weight_decay"][2], WEIGHT_DECAY * w0, rtol=1e-14, atol=0)
    target = [[mpf(50.0 * (k == label) + 1.1) for k in range(K)] for label in LABEL]
    log_teacher = case.log_teacher.tolist()
    for name, values in {
        "kl": [mp_kl(alpha[i], prior[i]) for i in range(V)],
        "dpn": [mp_kl(alpha[i], target[i]) for i in TRAINING],
        "squared_exp": [mp_squared(z[i], LABEL[i]) for i in TRAINING],
        "cross_entropy": [mp_cross_entropy(z[i], LABEL[i]) for i in TRAINING],
        "teacher": [mp_teacher(z[i], log_teacher[i]) / K for i in range(V)],
    }.items():
        value = results[name][0]
        assert abs(mpmath.fsum(values) / len(values) - value) < 1e-14 * max(1, 10 * value)


def check_definitions():
    """The squared loss and KL against the integrals they stand for, by sampling."""
    alpha, alpha_hat = np.array([3.5, 1.25, 2.0]), np.array([1.5, 2.0, 1.0])
    p = np.random.RandomState(2).dirichlet(alpha, 400000)
    z = [mpmath.log(mpf(a) - 1) for a in alpha]
    risk = ((np.eye(3)[0] - p) ** 2).sum(1).mean()
    assert abs(mp_squared(z, 0) - risk) < 2e-3
    density, density_hat = (scipy.stats.dirichlet(a).logpdf(p.T)
                            for a in (alpha, alpha_hat))
    kl = mp_kl([mpf(a) for a in alpha], [mpf(a) for a in alpha_hat])
    assert abs(kl - (density - density_hat).mean()) < 5e-3


def check_adam(case, w0, w1, weights):
    """The same steps written out from the formula of Adam."""
    w, m, v = [w0.copy(), w1.copy()], [0.0, 0.0], [0.0, 0.0]
    factors = OBJECTIVES["s_bgcn_t_k"]
    for t in range(1, N_STEPS + 1):
        grads = case.gradients(lambda z, w: case.objective(factors, z, w), *w)[2:]
        for n, g in enumerate(grads):
            m[n] = 0.9 * m[n] + 0.1 * g
            v[n] = 0.999 * v[n] + 0.001 * g * g
            m_hat, v_hat = m[n] / (1 - 0.9 ** t), v[n] / (1 - 0.999 ** t)
            w[n] = w[n] - 0.01 * m_hat / (np.sqrt(v_hat) + 1e-8)
    assert all(np.allclose(x, y, rtol=0, atol=1e-12) for x, y in zip(w, weights[-1]))


# ---- the header ----


def number(x):
    if isinstance(x, (bool, int, np.integer)):
        return str(int(x))
    return f"{float(x):.17g}"


def flat(values):
    if isinstance(values, torch.Tensor):
        values = values.detach().numpy()
    if isinstance(values, np.ndarray):
        return [x.item() for x in values.ravel()]
    return [y for x in values for y in (flat(x) if hasattr(x, "__len__") else [x])]


def braces(values, indent, taken=30):
    """Values in lines of at most 90 columns; one line if it fits after those taken."""
    lines, line = [], ""
    for text in (number(x) + "," for x in flat(values)):
        if line and indent + len(line) + 1 + len(text) > 90:
            lines.append(line)
            line = ""
        line += (" " if line else "") + text
    lines.append(line)
    if len(lines) == 1 and taken + len(line) < 88:
        return "{" + line.rstrip(",") + "}"
    body = "".join(" " * indent + x + "\n" for x in lines)
    return "{\n" + body + " " * (indent - 4) + "}"


def array(out, name, values, comment, kind="double"):
    values = flat(values)
    if kind == "double":
        values = [float(x) for x in values]
    head = f"static const {kind} golden_{name}[{len(values)}] = "
    out.append(f"\n// {comment}\n{head}{braces(values, 4, len(head))};\n")


def enum(out, comment, names):
    text = f"\n// {comment}\nenum {{\n"
    for name in names:
        text += f"    GOLDEN_{name},\n"
    out.append(text + "};\n")


def put_graph(out, w0, w1, cases):
    enum(out, "Sizes of the small graph: nodes, edges, features and their entries, "
         "hidden units,\n// classes, training and validation nodes.",
         [f"V = {V}", f"E = {len(EDGES)}", f"F = {F}", f"N_ENTRIES = {N_ENTRIES}",
          f"H = {H}", f"K = {K}", f"L = {len(TRAINING)}", f"N_VALID = {len(VALIDATION)}"])
    array(out, "edge", EDGES, "[E,2] edges, each once.", "int32_t")
    array(out, "label", LABEL, "[V] classes.", "int32_t")
    array(out, "training", TRAINING, "[L] training nodes.", "int32_t")
    array(out, "validation", VALIDATION, "[N_VALID] validation nodes.", "int32_t")
    row_ptr = np.concatenate([[0], np.cumsum([len(row) for row in FEATURES])])
    array(out, "x_row_ptr", row_ptr, "[V + 1] rows of X as CSR.", "int64_t")
    array(out, "x_col", FEATURES, "[N_ENTRIES] columns of X as CSR.", "int32_t")
    array(out, "w0", w0, "[F,H] first weights.")
    array(out, "w1", w1, "[H,K] second weights.")
    array(out, "log_teacher", cases[0].log_teacher, "[V,K] ln of the teacher's softmax.")
    distance = hops(*np.array(EDGES).T, V, TRAINING)
    enum(out, "Kernels of the prior.", [f"N_KERNELS = {len(KERNELS)}"])
    array(out, "kernel_sigma", [s for s, _ in KERNELS], "Bandwidth of each kernel.")
    array(out, "kernel_constant", [c for _, c in KERNELS],
          "Whether it is multiplied by 1 / (sigma sqrt(2 pi)).", "int")
    priors = [gkde(distance, np.array(LABEL)[TRAINING], K, *kernel) for kernel in KERNELS]
    assert (priors[0][12] == 1).all() and (priors[0][8:12, :2] == 1).all()
    array(out, "prior", priors, "[N_KERNELS,V,K] the prior alpha of each kernel; the "
          "terms take the first.")


STRUCT = """
// The small graph once with plain edges, features 1 / n and dropout 0.5, once with edge
// weights, free values and dropout 0.2. Terms are not yet multiplied by their lambda.
typedef struct golden_case {
    double edge_weight[GOLDEN_E];
    double x_value[GOLDEN_N_ENTRIES];         // before dropout
    double a_hat[GOLDEN_V * GOLDEN_V];        // [V,V] D^-1/2 (A + I) D^-1/2
    double rate;                              // p of dropout
    uint8_t x_mask[GOLDEN_N_ENTRIES];         // 1 = kept
    uint8_t hidden_mask[GOLDEN_V * GOLDEN_H]; // [V,H]
    double xw[GOLDEN_V * GOLDEN_H];           // [V,H] drop(X) W0
    double axw[GOLDEN_V * GOLDEN_H];          // [V,H] before ReLU
    double hidden[GOLDEN_V * GOLDEN_H];       // [V,H] after ReLU and dropout
    double z[GOLDEN_V * GOLDEN_K];            // [V,K] logits
    double z_eval[GOLDEN_V * GOLDEN_K];       // [V,K] logits without dropout
    double valid_eval[5];                     // terms 0 to 4 of z_eval, validation nodes
    double term[GOLDEN_N_TERMS];              // value of each term
    double term_d_z[GOLDEN_N_TERMS][GOLDEN_V * GOLDEN_K];
    double term_d_w0[GOLDEN_N_TERMS][GOLDEN_F * GOLDEN_H];
    double term_d_w1[GOLDEN_N_TERMS][GOLDEN_H * GOLDEN_K];
    double other[GOLDEN_N_OTHERS];            // the same terms with other evidences
    double other_d_z[GOLDEN_N_OTHERS][GOLDEN_V * GOLDEN_K];
    double objective[GOLDEN_N_OBJECTIVES];    // the whole loss of each model
    double objective_d_w0[GOLDEN_N_OBJECTIVES][GOLDEN_F * GOLDEN_H];
    double objective_d_w1[GOLDEN_N_OBJECTIVES][GOLDEN_H * GOLDEN_K];
    double adam_loss[GOLDEN_N_STEPS];         // s-bgcn-t-k before each step
    double adam_w0[2][GOLDEN_F * GOLDEN_H];   // after one step and after all
    double adam_w1[2][GOLDEN_H * GOLDEN_K];
} golden_case;

static const golden_case golden_cases[2] = {
"""


def case_fields(case, w0, w1):
    p, pre, hidden, z = case.forward(torch.tensor(w0), torch.tensor(w1))
    z_eval = case.forward(torch.tensor(w0), torch.tensor(w1), False)[-1]
    terms = {name: case.gradients(lambda z, w, name=name: case.term(name, z, w), w0, w1)
             for name in TERMS + OTHER_TERMS}
    check_case(case, w0, w1, terms)
    wholes = [case.gradients(lambda z, w, f=f: case.objective(f, z, w), w0, w1)
              for f in OBJECTIVES.values()]
    for factors, (value, _, d_w0, _) in zip(OBJECTIVES.values(), wholes):
        assert abs(sum(f * terms[n][0] for n, f in factors.items()) - value) < 1e-13
        total = sum(f * terms[n][2] for n, f in factors.items())
        assert np.allclose(total, d_w0, rtol=0, atol=1e-13)
    losses, weights, _ = case.adam(w0, w1)
    check_adam(case, w0, w1, weights)
    own, other = [terms[n] for n in TERMS], [terms[n] for n in OTHER_TERMS]
    ends = weights[0], weights[-1]
    return {
        "edge_weight": [[float(x) for x in case.edge_weight]], "x_value": [case.value],
        "a_hat": [case.a_hat], "rate": case.rate,
        "x_mask": [[int(x) for x in case.entry_mask]],
        "hidden_mask": [[int(x) for x in case.hidden_mask.ravel()]],
        "xw": [p], "axw": [pre], "hidden": [hidden], "z": [z], "z_eval": [z_eval],
        "valid_eval": [[case.supervised(z_eval, VALIDATION, kind).item()
                        for kind in ["cross_entropy"] + EVIDENCES]],
        "term": [[t[0] for t in own]], "term_d_z": [t[1] for t in own],
        "term_d_w0": [t[2] for t in own], "term_d_w1": [t[3] for t in own],
        "other": [[t[0] for t in other]], "other_d_z": [t[1] for t in other],
        "objective": [[t[0] for t in wholes]], "objective_d_w0": [t[2] for t in wholes],
        "objective_d_w1": [t[3] for t in wholes],
        "adam_loss": [losses],
        "adam_w0": [w[0] for w in ends], "adam_w1": [w[1] for w in ends],
    }


def put_cases(out, w0, w1, cases):
    enum(out, "Terms of the losses.",
         [f"TERM_{name.upper()}" for name in TERMS] + ["N_TERMS"])
    enum(out, "KL and teacher terms with evidences other than exp.",
         [f"OTHER_{name.upper()}" for name in OTHER_TERMS] + ["N_OTHERS"])
    enum(out, "Objectives, by model.",
         [f"OBJECTIVE_{name.upper()}" for name in OBJECTIVES] + ["N_OBJECTIVES"])
    enum(out, "Steps of Adam, with the masks and the epoch fixed.",
         [f"N_STEPS = {N_STEPS}", f"EPOCH = {EPOCH}"])
    out.append("\n// Factors of the KL and teacher terms, and the decay of W0.\n")
    for name, value in (("lambda1", LAMBDA1), ("lambda2", LAMBDA2),
                        ("weight_decay", WEIGHT_DECAY)):
        out.append(f"static const double golden_{name} = {number(value)};\n")
    out.append(STRUCT)
    nested = {"term_d_z", "term_d_w0", "term_d_w1", "other_d_z", "objective_d_w0",
              "objective_d_w1", "adam_w0", "adam_w1"}
    for case in cases:
        text = "{\n"
        for name, rows in case_fields(case, w0, w1).items():
            text += f"    .{name} = "
            if name == "rate":
                text += number(rows)
            elif name in nested:
                text += "{\n"
                text += "".join("    " + braces(row, 8) + ",\n" for row in rows)
                text += "    }"
            else:
                text += braces(rows[0], 8)
            text += ",\n"
        out.append(text + "},\n")
    out.append("};\n")


def put_evidence(out):
    z = [-30, -7, -1, -0.125, 0.125, 1, 3, 17, 45]
    functions = [lambda x: mpmath.exp(x), lambda x: max(x, mpf(0)),
                 lambda x: mpmath.log(1 + mpmath.exp(x)),
                 lambda x: x if x > 0 else mpmath.exp(x) - 1]
    edl = [mpmath.exp(functions[3](mpf(x))) for x in z]
    values = [[f(mpf(x)) for x in z] for f in functions] + [edl]
    slopes = [[mp_derivative(lambda at, f=f: f(at[0]), [mpf(x)]) for x in z]
              for f in functions]
    enum(out, "Points at which evidence is given.", [f"N_EVIDENCE = {len(z)}"])
    array(out, "evidence_z", z, "Logits.")
    array(out, "evidence", values, "[5,N_EVIDENCE] exp, relu, softplus, elu and, for the "
          "evaluation of EDL, exp(elu).")
    array(out, "evidence_slope", slopes, "[4,N_EVIDENCE] derivatives of the first four.")


def put_special(out):
    x, x_hat, functions, half = special_functions()
    enum(out, "Points of the special functions.",
         [f"N_SPECIAL = {len(x)}", f"N_SPECIAL_HAT = {len(x_hat)}"])
    array(out, "special_x", x, "Arguments, exact in float.")
    array(out, "digamma", functions[0], "psi(x)")
    array(out, "trigamma", functions[1], "psi'(x)")
    array(out, "lgamma", functions[2], "ln Gamma(x)")
    array(out, "special_x_hat", x_hat, "Second arguments of the halves, exact in float.")
    array(out, "kl_half", half, "[N_SPECIAL_HAT,N_SPECIAL] (x - x_hat) psi'(x) - 1")


def put_grids(out):
    alpha_hat, log_hat, kl, kl_value, others = wide_grids()
    enum(out, "Logits z = (a, b, 0), a slowest: a and b from -30 to 45 in steps of 5, or "
         "of 15.", ["GRID = 16", "COARSE = 6"])
    array(out, "grid_alpha_hat", alpha_hat, "[3] prior, exact in float.")
    array(out, "grid_kl_d_z", kl, "[GRID,GRID,3] gradient of KL, evidence exp.")
    array(out, "coarse_kl", kl_value, "[COARSE,COARSE] value of KL.")
    array(out, "coarse_log_teacher", log_hat, "[3] ln of a teacher, exact in float.")
    array(out, "coarse_cross_entropy_d_z", others[0],
          "[COARSE,COARSE,3] gradient of cross-entropy, class 0.")
    array(out, "coarse_squared_d_z", others[1],
          "[COARSE,COARSE,3] gradient of the squared loss, evidence exp, class 0.")
    array(out, "coarse_teacher_d_z", others[2],
          "[COARSE,COARSE,3] gradient of the teacher term summed over classes.")


def put_opinions(out):
    rows = check_opinions()
    enum(out, "Opinions, rows of at most so many classes.",
         [f"N_OPINIONS = {len(ALPHAS)}", "MAX_K = 5"])
    array(out, "opinion_k", [len(a) for a in ALPHAS], "Classes of each.", "int32_t")
    array(out, "opinion_alpha", [a + [0] * (5 - len(a)) for a in ALPHAS],
          "[N_OPINIONS,MAX_K] alpha, then zeros.")
    array(out, "opinion", rows, "[N_OPINIONS,5] vacuity, dissonance; in closed form "
          "aleatoric, epistemic; entropy.")
    out_samples = sampled_opinions()
    enum(out, "Passes and nodes of a sampled opinion of GOLDEN_K classes.",
         [f"SAMPLES = {len(SAMPLES)}", "SAMPLED_NODES = 3"])
    array(out, "samples", SAMPLES, "[SAMPLES,SAMPLED_NODES,K] logits.")
    comments = {
        "alpha": "[3,K] mean of alpha, evidence exp.",
        "p_alpha": "[3,K] alpha / S of it.",
        "predicted": "Class of it.", "vacuity": "K / S of it.", "dissonance": "Of it.",
        "alpha_logits": "[3,K] exp(mean of z) + 1.", "p_logits": "[3,K] alpha / S of it.",
        "predicted_logits": "Class of it.", "vacuity_logits": "K / S of it.",
        "dissonance_logits": "Of it.",
        "p_mean": "[3,K] mean of alpha / S, whichever is averaged for vacuity.",
        "entropy": "H(p_mean) / ln K.", "aleatoric": "Mean of H(p) / ln K.",
        "epistemic": "Their difference.", "softmax_p_mean": "[3,K] mean of softmax(z).",
        "softmax_entropy": "H of it / ln K.", "softmax_aleatoric": "Mean of H(p) / ln K.",
        "softmax_epistemic": "Their difference.",
    }
    for name, values in out_samples.items():
        kind = "int32_t" if name.startswith("predicted") else "double"
        array(out, "sampled_" + name, values, comments[name], kind)


def put_formula_graph(out):
    """A graph with more labelled nodes than two machine words have bits."""
    n, joined, n_classes = 400, 390, 5
    edges = {(i, i + 1) for i in range(joined - 1) if i % 37 != 0}
    edges |= {tuple(sorted((i, (7 * i + 3) % joined))) for i in range(0, joined, 5)}
    edges = sorted((i, j) for i, j in edges if i != j)
    training = np.array([i for i in range(n) if i % 3 == 1])
    distance = hops(*np.array(edges).T, n, training)
    nodes = [0, 1, 38, 100, 255, 389, 390, 391]
    enum(out, "A graph by formula: i - i + 1 for i < JOINED - 1 unless 37 divides i, "
         "and\n// i - (7 i + 3) mod JOINED for each i < JOINED that 5 divides, once, "
         "loops left out.\n// Nodes with i mod 3 = 1 are labelled, with class "
         "i mod CLASSES.",
         [f"FORMULA_V = {n}", f"FORMULA_JOINED = {joined}",
          f"FORMULA_CLASSES = {n_classes}", f"FORMULA_E = {len(edges)}",
          f"N_FORMULA_NODES = {len(nodes)}"])
    array(out, "formula_node", nodes, "Nodes of which the prior is given.", "int32_t")
    for name, sigma in (("prior", 1.0), ("prior_wide", 3.0)):
        prior = gkde(distance, training % n_classes, n_classes, sigma, 0)
        array(out, f"formula_{name}", prior[nodes],
              f"[N_FORMULA_NODES,CLASSES] alpha, sigma {sigma:g}.")
        array(out, f"formula_{name}_sum", (prior - 1).sum(0),
              "[CLASSES] evidence in all.")
    assert np.isinf(distance).any() and distance[np.isfinite(distance)].max() > 6


def cora_text(data):
    """The part on Cora; from the old header where there is no data."""
    begin, end = "\n// ---- Cora ----\n", "\n// ---- end of Cora ----\n"
    if not os.path.isdir(os.path.join(data, "planetoid")):
        if not HEADER.exists() or begin not in HEADER.read_text():
            sys.exit(f"engine_golden.py: no data in {os.path.normpath(data)}")
        print(f"values for Cora stay as they are: no data in {os.path.normpath(data)}")
        old = HEADER.read_text()
        return old[old.index(begin) : old.index(end) + len(end)]
    source, target, _, label, role = read_planetoid(data, "cora")
    training = np.flatnonzero(role == TRAIN)
    a = undirect(source, target, len(label))
    distance = csgraph.shortest_path(a, unweighted=True, indices=training)
    prior = gkde(distance, label[training], 7, 1.0, 0)
    total = (prior - 1).sum()
    assert len(training) == 140 and abs(total - 1348.747) < 5e-4
    first = [1.000015, 1.001033, 1.000671, 2.023236, 1.000354, 1.000004, 1.000008]
    assert np.allclose(prior[0], first, rtol=0, atol=6e-7)
    out = [begin]
    enum(out, "Nodes of Cora with its Planetoid training nodes, sigma 1.",
         [f"N_CORA_NODES = {len(CORA_NODES)}"])
    array(out, "cora_node", CORA_NODES, "Nodes of which the prior is given.", "int32_t")
    array(out, "cora_prior", prior[CORA_NODES], "[N_CORA_NODES,7] alpha.")
    array(out, "cora_evidence", (prior - 1).sum(0), "[7] evidence in all, by class.")
    out.append("\n// Their sum.\n"
               f"static const double golden_cora_total = {number(total)};\n")
    out.append(end)
    return "".join(out)


def main():
    data = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("OPINE_DATA", BESIDE)
    warnings.simplefilter("ignore", DeprecationWarning)  # SciPy's old names in pickles
    torch.set_num_threads(1)
    mpmath.mp.dps = 120
    check_definitions()
    w0, w1, cases = make_cases(SEED)
    assert all(is_telling(case, w0, w1) for case in cases)
    out = ["// engine_golden.h -- written by engine_golden.py, do not edit.\n\n"
           "#ifndef OPN_ENGINE_GOLDEN_H\n#define OPN_ENGINE_GOLDEN_H\n\n"
           "#include <stdint.h>\n\n// clang-format off\n"]
    put_graph(out, w0, w1, cases)
    put_cases(out, w0, w1, cases)
    put_evidence(out)
    put_special(out)
    put_grids(out)
    put_opinions(out)
    put_formula_graph(out)
    out.append(cora_text(data))
    out.append("\n// clang-format on\n\n#endif // OPN_ENGINE_GOLDEN_H\n")
    new = HEADER.with_suffix(".h.new")
    new.write_text("".join(out), encoding="ascii")
    os.replace(new, HEADER)


if __name__ == "__main__":
    main()
