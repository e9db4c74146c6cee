"""What opine must compute, in PyTorch and float64, from the formulas of docs/method.md alone.

A module of differential.py. Networks are dense, gradients come from autograd, and nothing is shared
with the engine but the counter-based generator that initial weights come from: Philox 4x32-10, with
the counter (element, 0, matrix, stream) and the seed as the key.

A graph is a dict: "a" [V,V] the undirected weights without self-loops, "x" [V,F] the features as they
were given or None, "label" [V], "train" and "validation" lists of nodes. Settings are those of the
command by name.
"""

import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))

# pylint: disable=wrong-import-position
from engine_golden import dirichlet_kl, gkde, squared  # noqa: E402
from engine_golden import evidence as plain_evidence  # noqa: E402
from scipy.sparse import csgraph  # noqa: E402
from scipy.special import digamma  # noqa: E402

TEACHER_WEIGHTS, STUDENT_WEIGHTS, MEMBERS, SHIFT = 6, 9, 26, 44  # streams of the generator
# Where the engine keeps columns, which says which bits of the generator are theirs: room for 8 heads,
# and halves of multiples of 16.
LANES, LINE = 8, 16


# ---- the generator ----


def philox(seed, stream, step, element):
    """Four words [n,4] for each element [n]; Salmon et al. 2011, from the definition."""
    element = np.asarray(element, np.uint64)
    low = np.uint64(0xffffffff)
    half = np.uint64(32)
    c = [element & low, element >> half, np.full_like(element, step), np.full_like(element, stream)]
    k = [seed & 0xffffffff, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> half) ^ c[1] ^ np.uint64(k[0]), b & low,
             (a >> half) ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [k[0] + 0x9E3779B9 & 0xffffffff, k[1] + 0xBB67AE85 & 0xffffffff]
    return np.stack(c, axis=1)


def units(seed, stream, step, n):
    """n numbers in [0, 1) of 53 bits, two words each."""
    words = philox(seed, stream, step, np.arange((2 * n + 3) // 4)).reshape(-1, 2)[:n]
    high, low = words[:, 0] >> np.uint64(5), words[:, 1] >> np.uint64(6)
    return (high << np.uint64(26) | low).astype(float) * 2.0 ** -53


def glorot(seed, stream, step, shape, fan):
    draws = units(seed, stream, step, shape[0] * shape[1]).reshape(shape)
    return torch.tensor(np.sqrt(6 / fan) * (2 * draws - 1))


def member_seed(seed, member):
    if member == 0:
        return seed
    words = philox(seed, MEMBERS, member, [0])[0]
    return int(words[0]) >> 11 << 32 | int(words[1])  # 21 and 32 bits


# ---- inputs ----


def scaled(x, rule, of):
    """X by --normalise, with the moments of the training features `of`."""
    if rule == "auto":
        rule = "standard" if (of < 0).any() else "row"
    if rule == "standard":
        spread = of.std(axis=0)
        spread[(of == of[0]).all(axis=0)] = 1
        return (x - of.mean(axis=0)) / spread
    if rule == "none":
        return x
    length = np.abs(x).sum(axis=1) if rule == "row" else np.sqrt((x ** 2).sum(axis=1))
    return x / np.where(length > 0, length, 1)[:, None]


class Inputs:
    """The matrices that networks multiply with, of one graph."""

    def __init__(self, graph, settings, training_graph):
        a, n = graph["a"], len(graph["a"])
        with_self = a + np.eye(n)
        scale = 1 / np.sqrt(with_self.sum(axis=1))
        degree = a.sum(axis=1)
        self.hop = torch.tensor(scale[:, None] * with_self * scale)
        self.mean = torch.tensor(a / np.where(degree > 0, degree, 1)[:, None])
        self.identity = torch.eye(n, dtype=torch.float64)
        self.is_far = torch.tensor(with_self == 0)
        parts = []
        if graph["x"] is not None:
            parts = [scaled(graph["x"], settings["normalise"], training_graph["x"])]
        if settings["encoder"] == "links":
            parts.append(with_self / np.sqrt((with_self ** 2).sum(axis=1, keepdims=True)))
        self.x = torch.tensor(np.concatenate(parts, axis=1) if parts else np.eye(n))


def row_of(a):
    """The row that the engine keeps each node in: those with more neighbours first, then in the order
    of a search by breadth from the node with most neighbours of each component."""
    degree = (a > 0).sum(axis=1)
    order = []
    for start in np.argsort(-degree, kind="stable"):
        found = [start] if start not in order else []
        for i in found:
            found += [j for j in np.flatnonzero(a[i]) if j not in found]
        order += found
    order = np.array(order)[np.argsort(-degree[order], kind="stable")]
    return np.argsort(order).astype(np.uint64)


# ---- networks ----


def weight_list(settings, n_features, n_classes):
    """Names, shapes, fans (0: starts at 0) and the order that matrices are numbered in."""
    h, k = settings["hidden"], n_classes
    if settings["encoder"] == "sage":
        return [("w0", (n_features, 2 * h), n_features + h), ("b0", (1, h), 0),
                ("w1", (h, 2 * k), h + k), ("b1", (1, k), 0)]
    if settings["encoder"] == "gat":
        heads, out = settings["heads"], settings["out_heads"]
        u = h // heads
        return [("w0", (n_features, h), n_features + u), ("a0", (2, h), u + 1),
                ("c0", (2, heads), 0), ("b0", (1, h), 0),
                ("w1", (h, out * k), h + k), ("a1", (2, out * k), k + 1),
                ("c1", (2, out), 0), ("b1", (1, out * k), 0)]
    return [("w0", (n_features, h), n_features + h), ("w1", (h, k), h + k)]


def initial(settings, n_features, n_classes, seed, stream):
    return {name: glorot(seed, stream, m, shape, fan) if fan else
            torch.zeros(shape, dtype=torch.float64)
            for m, (name, shape, fan) in enumerate(weight_list(settings, n_features, n_classes))}


def attend(g, a, c, b, n_heads, is_far):
    """Sums over the neighbours and oneself, [V,heads,units], of g [V,heads * units]."""
    g = g.reshape(len(g), n_heads, -1)
    target, source = ((g * row.reshape(n_heads, -1)).sum(2) + bias for row, bias in zip(a, c))
    score = torch.nn.functional.leaky_relu(target[:, None] + source[None], 0.2)  # [V,V,heads]
    share = score.masked_fill(is_far[:, :, None], -torch.inf).softmax(1)
    return torch.einsum("ijh,jhu->ihu", share, g) + b.reshape(n_heads, -1)


def logits(settings, inputs, w, shift=0):
    """z [V,K]"""
    x = inputs.x + shift
    if settings["encoder"] == "gat":
        out = attend(x @ w["w0"], w["a0"], w["c0"], w["b0"], settings["heads"], inputs.is_far)
        hidden = torch.nn.functional.elu(out.reshape(len(x), -1))
        out = attend(hidden @ w["w1"], w["a1"], w["c1"], w["b1"], settings["out_heads"],
                     inputs.is_far)
        return out.mean(1)
    if settings["encoder"] == "sage":
        def layer(rows, both, bias):
            own, near = (rows @ both).chunk(2, dim=1)
            return own + inputs.mean @ near + bias
        return layer(torch.relu(layer(x, w["w0"], w["b0"])), w["w1"], w["b1"])
    hop = inputs.hop if settings["encoder"] == "gcn" else inputs.identity
    return hop @ (torch.relu(hop @ (x @ w["w0"])) @ w["w1"])


def evidence(z, kind):
    return plain_evidence(torch.clamp(z, max=60) if kind == "exp" else z, kind)


def probabilities(z, settings):
    """p as the loss has it."""
    if settings["head"] == "softmax":
        return torch.softmax(z, 1)
    alpha = evidence(z, settings["evidence"]) + 1
    return alpha / alpha.sum(1, keepdim=True)


# ---- the loss ----


def losses(z, y, settings):
    """Of each row, with the rows y as labels."""
    if settings["head"] == "softmax":
        return -(y * torch.log_softmax(z, 1)).sum(1)
    alpha = evidence(z, settings["evidence"]) + 1
    if settings["head"] == "sharp":
        return dirichlet_kl(alpha, 50 * y + 1.1)
    return squared(alpha, y)


def divergence(p, q):
    return (p * (torch.log(p) - torch.log(q))).sum(1)


class Objective:
    """The loss of one network on one graph, teacher or student."""

    def __init__(self, graph, settings, inputs, seed, log_teacher=None):
        self.graph, self.settings, self.inputs, self.seed = graph, settings, inputs, seed
        self.log_teacher, self.prior = log_teacher, None
        n_classes = graph["n_classes"]
        self.y = torch.eye(n_classes, dtype=torch.float64)[np.maximum(graph["label"], 0)]
        self.others = np.setdiff1d(np.arange(len(graph["a"])), graph["train"])
        if settings["has_prior"]:
            distance = csgraph.shortest_path(graph["a"], unweighted=True, indices=graph["train"])
            self.prior = torch.tensor(gkde(distance, graph["label"][graph["train"]], n_classes,
                                           settings["sigma"], settings["kernel_constant"]))

    def supervised(self, z, nodes):
        return losses(z, self.y, self.settings)[nodes].mean()

    def value(self, w, average, epoch):
        s = self.settings
        z = logits(s, self.inputs, w)
        total = self.supervised(z, self.graph["train"])
        if self.prior is not None:
            alpha = evidence(z, s["evidence"]) + 1
            total = total + s["lambda1"] * dirichlet_kl(alpha, self.prior).mean()
        if self.log_teacher is not None:
            p = probabilities(z, s)
            total = total + min(1, epoch / s["teacher_ramp"]) * (
                p * (torch.log(p) - self.log_teacher)).mean()
        decayed = w.values() if s["encoder"] in ("gat", "sage") else [w["w0"]]
        total = total + s["weight_decay"] / 2 * sum((v ** 2).sum() for v in decayed)
        if s["unlabelled"] != "none" and len(self.others):
            ramp = min(1, epoch / s["unlabelled_ramp"]) if s["unlabelled_ramp"] else 1
            total = total + s["unlabelled_weight"] * ramp * self.unlabelled(z, w, average, epoch)
        return total

    def unlabelled(self, z, w, average, epoch):
        s, kind = self.settings, self.settings["unlabelled"]
        if kind == "vat":
            return self.worst_shift(z, w, epoch)
        p = probabilities(z, s)
        if kind == "mean-teacher":
            t = probabilities(logits(s, self.inputs, average), s).detach()
            return ((p - t) ** 2).sum(1)[self.others].mean()
        guess = torch.eye(z.shape[1], dtype=torch.float64)[z.argmax(1)]
        is_sure = (p * guess).sum(1) >= s["pseudo_label_threshold"]
        return (losses(z, guess, s) * is_sure)[self.others].mean()

    def worst_shift(self, z, w, epoch):
        """The divergence at the shift in the direction in which it grows most."""
        s, x = self.settings, self.inputs.x
        scale = torch.sqrt((x ** 2).sum() / len(x))
        p = probabilities(z, s).detach()

        def distance(shift):
            return divergence(p, probabilities(logits(s, self.inputs, w, shift), s))[self.others]

        def of_length(rows, length):
            size = rows.norm(dim=1, keepdim=True)
            return torch.where(size > 0, length * scale * rows / size, torch.zeros_like(rows))

        start = of_length(self.signs(w["w0"].shape[1], epoch) @ w["w0"].detach().T, s["vat_step"])
        start.requires_grad_()
        (slope,) = torch.autograd.grad(distance(start).sum(), start)
        return distance(of_length(slope, s["vat_radius"])).mean()

    def signs(self, n_columns, epoch):
        """A sign for each node and column of W0: bit c of the words of row i, where row and column
        are where the engine keeps them. Halves of sage are padded, and heads stand side by side."""
        s, places = self.settings, np.arange(n_columns)
        if s["encoder"] == "sage":
            half = n_columns // 2
            places = np.where(places < half, places,
                              places - half + -(-half // LINE) * LINE)
        if s["encoder"] == "gat" and s["heads"] > 1:
            n_units = n_columns // s["heads"]
            places = places % n_units * LANES + places // n_units
        rows = row_of(self.graph["a"])
        out = np.empty((len(rows), n_columns))
        for c, place in enumerate(places):
            words = philox(self.seed, SHIFT, epoch,
                           rows << np.uint64(32) | np.uint64(place // 128 * 128))
            out[:, c] = words[:, place % 128 // 32] >> np.uint64(place % 32) & np.uint64(1)
        return torch.tensor(2 * out - 1)


# ---- training ----


class Watch:
    """Early stopping: whether the weights of an epoch are the best so far, and when it is over."""

    def __init__(self, settings):
        self.kind, self.patience = settings["stop_on"], settings["patience"]
        self.loss, self.accuracy, self.best_epoch = np.inf, -1.0, 0

    def is_best(self, epoch, loss, accuracy):
        if self.kind == "both":
            as_good = loss <= self.loss, accuracy >= self.accuracy
            if any(as_good):
                self.best_epoch = epoch
            self.loss, self.accuracy = min(loss, self.loss), max(accuracy, self.accuracy)
            return all(as_good)
        is_best = loss < self.loss if self.kind == "loss" else accuracy > self.accuracy
        if is_best:
            self.loss, self.accuracy, self.best_epoch = loss, accuracy, epoch
        return is_best

    def is_over(self, epoch):
        return self.patience > 0 and epoch - self.best_epoch >= self.patience


def adam_step(w, gradients, first, second, epoch, rate):
    for name, g in gradients.items():
        first[name] = 0.9 * first[name] + 0.1 * g
        second[name] = 0.999 * second[name] + 0.001 * g * g
        m = first[name] / (1 - 0.9 ** (epoch + 1))
        v = second[name] / (1 - 0.999 ** (epoch + 1))
        w[name] = (w[name].detach() - rate * m / (torch.sqrt(v) + 1e-8)).requires_grad_()


def train(objective, w, epochs):
    """The weights that training keeps; w are the initial ones."""
    s, graph = objective.settings, objective.graph
    w = {name: value.clone().requires_grad_() for name, value in w.items()}
    first, second = ({name: torch.zeros_like(value) for name, value in w.items()} for _ in range(2))
    average = {name: value.detach().clone() for name, value in w.items()}
    kept, watch = None, Watch(s)
    for epoch in range(epochs):
        loss = objective.value(w, average, epoch)
        found = torch.autograd.grad(loss, list(w.values()), allow_unused=True)
        gradients = {name: torch.zeros_like(w[name]) if g is None else g
                     for name, g in zip(w, found)}
        adam_step(w, gradients, first, second, epoch, s["learning_rate"])
        keep = min(s["mean_teacher_decay"], 1 - 1 / (epoch + 2))
        average = {name: keep * average[name] + (1 - keep) * w[name].detach() for name in w}
        if s["patience"] > 0:
            with torch.no_grad():
                z = logits(s, objective.inputs, w)
                nodes = graph["validation"]
                right = z.argmax(1).numpy()[nodes] == graph["label"][nodes]
                if watch.is_best(epoch, objective.supervised(z, nodes).item(), right.mean()):
                    kept = {name: value.detach().clone() for name, value in w.items()}
            if watch.is_over(epoch):
                break
    return {name: value.detach() for name, value in (kept or w).items()}


def nudged(w, rng):
    """The same weights but for a unit in the last place."""
    return w if rng is None else {name: v * torch.tensor(1 + 2.0 ** -52 * rng.choice([-1, 1], v.shape))
                                  for name, v in w.items()}


def train_member(graph, settings, seed, rng=None):
    """Weights of the student, and of the teacher or None."""
    inputs = Inputs(graph, settings, graph)
    sizes = inputs.x.shape[1], graph["n_classes"]
    log_teacher = teacher = None
    if settings["has_teacher"]:
        plain = {**settings, "head": "softmax", "has_prior": False, "unlabelled": "none"}
        begin = nudged(initial(settings, *sizes, seed, TEACHER_WEIGHTS), rng)
        teacher = train(Objective(graph, plain, inputs, seed), begin,
                        settings["teacher_epochs"] or settings["epochs"])
        log_teacher = torch.log_softmax(logits(settings, inputs, teacher), 1)
    begin = nudged(initial(settings, *sizes, seed, STUDENT_WEIGHTS), rng)
    objective = Objective(graph, settings, inputs, seed, log_teacher)
    return train(objective, begin, settings["epochs"]), teacher


# ---- opinions ----


def entropy(p):
    return -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=1) / np.log(p.shape[1])


def dissonance(alpha):
    belief = (alpha - 1) / alpha.sum(axis=1, keepdims=True)
    total = np.zeros(len(belief))
    for i, b in enumerate(belief):
        if (b > 0).sum() < 2:
            continue
        for k in range(len(b)):
            other = np.delete(b, k)
            if b[k] > 0 and other.sum() > 0:
                balance = np.where(other + b[k] > 0, 1 - np.abs(other - b[k]) / (other + b[k]), 0)
                total[i] += b[k] * (other * balance).sum() / other.sum()
    return total


def diffuse(a, u, n_steps, teleport, missing):
    """missing: what isolated nodes see around them; None: themselves."""
    degree = a.sum(axis=1)
    is_isolated = degree == 0
    around = a / np.where(is_isolated, 1, degree)[:, None]
    now = u
    for _ in range(n_steps):
        seen = around @ now
        seen[is_isolated] = now[is_isolated] if missing is None else missing
        now = teleport * u + (1 - teleport) * seen
    return now


def evidence_of(z, kind):
    """At inference, where it is never negative."""
    e = evidence(torch.tensor(z), kind).numpy()
    return np.exp(e) if kind == "elu" else e


def log_evidence(e):
    """What counts as z for evidence other than exp."""
    return np.where(e > 0, np.log(np.where(e > 0, e, 1)), -87)


def predict(graph, settings, members, training_graph):
    """A dict of arrays by the names of the prediction file."""
    inputs = Inputs(graph, settings, training_graph)
    z = [logits(settings, inputs, student).numpy() for student, _ in members]
    n_classes = training_graph["n_classes"]
    made = {}
    if settings["head"] == "softmax":
        each = [torch.softmax(torch.tensor(row), 1).numpy() for row in z]
        made["p"] = np.mean(each, axis=0)
    else:
        e = [evidence_of(row, settings["evidence"]) for row in z]
        each = [(x + 1) / (x + 1).sum(axis=1, keepdims=True) for x in e]
        alpha = np.mean(e, axis=0) + 1
        if settings["average"] == "logits":
            alpha = np.exp(np.mean([log_evidence(x) for x in e], axis=0)) + 1
        made["alpha"], made["p"] = alpha, alpha / alpha.sum(axis=1, keepdims=True)
        made["vacuity"] = n_classes / alpha.sum(axis=1)
        made["dissonance"] = dissonance(alpha)
    made["entropy"] = entropy(np.mean(each, axis=0))
    made["aleatoric"] = np.mean([entropy(p) for p in each], axis=0)
    if settings["head"] == "sharp":
        alpha, p = made["alpha"], made["p"]
        made["entropy"] = entropy(p)
        mean_log = digamma(alpha + 1) - digamma(alpha.sum(axis=1) + 1)[:, None]
        made["aleatoric"] = -(p * mean_log).sum(axis=1) / np.log(n_classes)
    made["epistemic"] = made["entropy"] - made["aleatoric"]
    add_surroundings(graph, settings, training_graph, inputs, members, made)
    return made


def add_surroundings(graph, settings, training_graph, inputs, members, made):
    """Smoothed measures, fused vacuity and margin."""
    n_classes, a = training_graph["n_classes"], graph["a"]
    keeps = settings["isolated"] == "keep" or (
        settings["isolated"] == "auto" and (training_graph["a"].sum(axis=1) == 0).any())
    if settings["propagate"]:
        for name in ("vacuity", "dissonance", "entropy", "aleatoric", "epistemic"):
            if name in made:
                made[name + "~"] = diffuse(a, made[name], settings["propagate"],
                                           settings["teleport"], None if keeps else 1)
    if not settings["has_teacher"]:
        return
    z = [logits(settings, inputs, teacher) for _, teacher in members]
    seen = np.mean([torch.exp(row).sum(1).numpy() for row in z], axis=0)
    teacher, student = (diffuse(a, v, 10, 0.1, None if keeps else 1)
                        for v in (n_classes / (n_classes + seen), made["vacuity"]))
    made["fused"] = np.log(teacher) + 3 * np.log(student)
    p = np.mean([torch.softmax(row, 1).numpy() for row in z], axis=0)
    around = diffuse(a, (p + made["p"]) / 2, 4, 0.5, None if keeps else 1 / n_classes)
    predicted = np.eye(n_classes, dtype=bool)[made["p"].argmax(axis=1)]
    made["margin"] = np.where(predicted, -np.inf, around).max(axis=1) - around[predicted]
