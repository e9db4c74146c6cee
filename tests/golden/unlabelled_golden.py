#!/usr/bin/env python3
"""Writes unlabelled_golden.h: the loss terms for unlabelled nodes, from PyTorch.

Usage: python3 unlabelled_golden.py    (from any folder; PyTorch 1.13 and NumPy 1.24 made
the file in git). The graph, weights and masks are those of engine_golden.h. Shifts of the
features are formed as [V,F] matrices here, and gradients come from autograd, so that
nothing shares an algebraic step with the engine, which never forms them.
"""

import pathlib

import numpy as np
import torch

import engine_golden
from engine_golden import EPOCH, H, K, SEED, TRAINING, V, braces, enum, evidence, number

HEADER = pathlib.Path(__file__).resolve().parent / "unlabelled_golden.h"

WEIGHT, RAMP = 0.75, 100
FACTOR = WEIGHT * min(1.0, EPOCH / RAMP)
RADIUS, STEP, THRESHOLD = 0.5, 0.01, 0.5
STREAM_SHIFT = 44
UNLABELLED = [i for i in range(V) if i not in TRAINING]
HEADS = ["softmax", "exp"]


def philox(counter, key):
    """Philox4x32-10 of Salmon et al. 2011, from its definition."""
    c, k, mask = list(counter), list(key), 0xffffffff
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & mask, a >> 32 ^ c[3] ^ k[1], a & mask]
        k = [k[0] + 0x9E3779B9 & mask, k[1] + 0xBB67AE85 & mask]
    return c


def signs(seed):
    """[V,H] as input_shift.c draws them: bit h of the words of node i."""
    out = np.zeros((V, H))
    for i in range(V):
        element = i << 32
        words = philox([element & 0xffffffff, element >> 32, EPOCH, STREAM_SHIFT],
                       [seed & 0xffffffff, seed >> 32])
        out[i] = [1 if words[h // 32] >> h % 32 & 1 else -1 for h in range(H)]
    return torch.tensor(out)


class Network:
    """The engine's graph convolution on features that may be shifted."""

    def __init__(self, case, w0, w1, head):
        self.case, self.head = case, head
        self.w0 = torch.tensor(w0, requires_grad=True)
        self.w1 = torch.tensor(w1, requires_grad=True)

    def logits(self, shift=0, weights=None, is_training=True):
        case = self.case
        w0, w1 = weights or (self.w0, self.w1)
        x = case.x_dropped if is_training else case.x
        hidden = torch.relu(case.a_hat @ ((x + shift) @ w0))
        if is_training:
            hidden = hidden * torch.tensor(case.hidden_mask) / (1 - case.rate)
        return case.a_hat @ hidden @ w1

    def p(self, z):
        if self.head == "softmax":
            return torch.softmax(z, 1)
        alpha = evidence(z, self.head) + 1
        return alpha / alpha.sum(1, keepdim=True)

    def losses_of(self, z, label):
        y = torch.eye(K, dtype=torch.float64)[label]
        if self.head == "softmax":
            return -(y * torch.log_softmax(z, 1)).sum(1)
        return engine_golden.squared(evidence(z, self.head) + 1, y)


def kl(p, q):
    return (p * (torch.log(p) - torch.log(q))).sum(1)[UNLABELLED]


def unit(rows):
    return rows / rows.norm(dim=1, keepdim=True)


def vat(net, seed):
    """The loss, and the shift as the first layer sees it."""
    p = net.p(net.logits()).detach()
    d = (STEP * unit(signs(seed) @ net.w0.detach().T)).requires_grad_()
    (gradient,) = torch.autograd.grad(kl(p, net.p(net.logits(d))).sum(), d)
    length = gradient.norm(dim=1, keepdim=True)
    r = torch.where(length > 0, RADIUS * gradient / length, torch.zeros_like(gradient))
    return kl(p, net.p(net.logits(r))).mean(), r @ net.w0.detach()


def mean_teacher(net):
    """Averaged weights of three quarters; the teacher drops nothing."""
    average = [0.75 * w.detach() for w in (net.w0, net.w1)]
    t = net.p(net.logits(weights=average, is_training=False)).detach()
    return ((net.p(net.logits()) - t) ** 2).sum(1)[UNLABELLED].mean()


def pseudo_label(net, threshold):
    z = net.logits()
    label = z.argmax(1)
    is_sure = net.p(z).max(1).values >= threshold
    losses = net.losses_of(z, label) * is_sure
    return losses[UNLABELLED].mean()


STRUCT = """
// Of each case of engine_golden.h and each head: softmax, then evidence by exp. Values and
// gradients have the weight at that epoch in them.
typedef struct golden_unlabelled {
    double vat_shift[GOLDEN_V * GOLDEN_H]; // [V,H] R W0
    double value[GOLDEN_UNLABELLED_TERMS];
    double d_w0[GOLDEN_UNLABELLED_TERMS][GOLDEN_F * GOLDEN_H];
    double d_w1[GOLDEN_UNLABELLED_TERMS][GOLDEN_H * GOLDEN_K];
} golden_unlabelled;
"""


def entry(case, w0, w1, head):
    net = Network(case, w0, w1, head)
    vat_loss, shift = vat(net, SEED)
    losses = [vat_loss, mean_teacher(net), pseudo_label(net, 0.0),
              pseudo_label(net, THRESHOLD)]
    values, d_w0, d_w1 = [], [], []
    for loss in losses:
        grads = torch.autograd.grad(FACTOR * loss, (net.w0, net.w1))
        values.append(FACTOR * loss.item())
        d_w0.append(grads[0].numpy())
        d_w1.append(grads[1].numpy())
    assert 0 < losses[3] < losses[2]
    text = f"{{\n    .vat_shift = {braces(shift.numpy(), 8)},\n"
    text += f"    .value = {braces(np.array(values), 8)},\n"
    for name, grads in (("d_w0", d_w0), ("d_w1", d_w1)):
        text += f"    .{name} = {{" + ", ".join(braces(g, 8) for g in grads) + "},\n"
    return text + "},\n"


def main():
    torch.set_num_threads(1)
    w0, w1, cases = engine_golden.make_cases(SEED)
    out = ["// unlabelled_golden.h -- written by unlabelled_golden.py, do not edit.\n\n"
           "#ifndef OPN_UNLABELLED_GOLDEN_H\n#define OPN_UNLABELLED_GOLDEN_H\n\n"
           "#include \"engine_golden.h\"\n\n// clang-format off\n"]
    enum(out, "vat, mean-teacher, pseudo-label and that with a threshold; seed of the "
         "signs.", ["UNLABELLED_TERMS = 4", f"UNLABELLED_SEED = {SEED}",
                    f"UNLABELLED_RAMP = {RAMP}"])
    for name, value in (("weight", WEIGHT), ("radius", RADIUS), ("step", STEP),
                        ("threshold", THRESHOLD)):
        out.append(f"static const double golden_unlabelled_{name} = {number(value)};\n")
    out.append(STRUCT + "\nstatic const golden_unlabelled golden_unlabelled_cases[4] = {\n")
    for case in cases:
        for head in HEADS:
            out.append(entry(case, w0, w1, head))
    out.append("};\n\n// clang-format on\n\n#endif // OPN_UNLABELLED_GOLDEN_H\n")
    HEADER.write_text("".join(out))


if __name__ == "__main__":
    main()
