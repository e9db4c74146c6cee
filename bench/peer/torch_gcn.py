#!/usr/bin/python3
"""Trains s-bgcn-t-k in PyTorch, without a line of opine, and prints how long it takes.

    bench/peer/torch_gcn.py THREADS EPOCHS SAMPLES MODE DATA [--validate] [--teacher-only]
                            [--compile] [--seeds N]

DATA is an .npz of the gnn-benchmark form or a Planetoid prefix. Teacher and student train
EPOCHS each. Loads, runs once to warm up and prints "ready"; then makes one run for each
line it reads and prints one line: seconds of teacher, prior, student, samples and all of
it, of the median epoch of teacher and student; the same seven in CPU time; and accuracy
on test nodes in percent. So a script can alternate it with other programs. Run r has seed
r.

MODE says how the products with sparse matrices are made:
    sparse   by torch.sparse, COO or CSR, whichever is faster for the matrix
    bag      by embedding_bag(), the fastest way in PyTorch 1.13 on a CPU
    dense    features as a dense tensor, the edges as in `sparse`
    pyg      the edges by GCNConv of PyG, features by the fastest of the above
    dgl      the edges by GraphConv of DGL, features likewise

    --validate      a pass over the validation nodes after each epoch; training ends when
                    50 bring nothing better, and the best weights are kept
    --teacher-only  no prior, student and samples: zeros in their place
    --compile       passes and losses by torch.compile(), which knows no sparse tensors:
                    features by embedding_bag(), edges as two lists
    --seeds N       prints mean and deviation of the accuracy of seeds 0 to N-1 instead
"""
import argparse
import ctypes
import importlib
import math
import os
import sys
import time
import warnings
from dataclasses import dataclass, field
from statistics import mean, stdev

os.environ["OPENBLAS_NUM_THREADS"] = sys.argv[1] if len(sys.argv) > 1 else "1"

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse.csgraph import dijkstra

import library_layers
import torch_data
from torch_data import Multiply, sparse_matrix

RATE, PATIENCE = 0.01, 50
LAMBDA1, TEACHER_RAMP = 0.001, 200
MAX_LOGIT = 60
SIGMA, MAX_HOPS = 1, 6  # farther nodes add less than a float next to 1 can hold

warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")


def now():
    """Of the clock, and in CPU time of all threads."""
    return np.array((time.perf_counter(), time.process_time()))


# ---- network -------------------------------------------------------------------------

class SparseFeatures:
    """Dropout strikes the stored values; F.dropout() draws them three times slower."""

    def __init__(self, matrix, rate):
        self.matrix = matrix
        self.kept_share = 1 - rate
        self.raised = matrix.values / self.kept_share

    def times(self, weights, is_dropping):
        values = self.matrix.values
        if is_dropping:
            values = torch.rand_like(values).lt_(self.kept_share).mul_(self.raised)
        return Multiply.apply(self.matrix, values, weights)


class DenseFeatures:
    def __init__(self, features, rate):
        self.x = torch.from_numpy(features.toarray())
        self.rate = rate

    def times(self, weights, is_dropping):
        return F.dropout(self.x, self.rate, is_dropping) @ weights


def hop_of(graph, mode, width, compiles):
    """The function A rows."""
    a = torch_data.normalised(graph.pattern)
    if mode in library_layers.HOPS:
        return library_layers.HOPS[mode](a, width, compiles)
    matrix = sparse_matrix(a, mode, width, is_symmetric=True)
    return lambda rows: Multiply.apply(matrix, matrix.values, rows)


class Network:
    """z = A drop(relu(A drop(X) W0)) W1"""

    def __init__(self, graph, params, mode, compiles):
        n_classes, self.kept_share = graph.n_classes, 1 - params.dropout
        self.n_nodes, self.decay = len(graph.label), params.decay
        self.neighbours = hop_of(graph, mode, params.n_hidden, compiles)
        if mode == "dense":
            self.features = DenseFeatures(graph.features, params.dropout)
        else:
            self.features = SparseFeatures(
                sparse_matrix(graph.features, "bag" if compiles else mode,
                              params.n_hidden), params.dropout)
        self.shapes = [(graph.features.shape[1], params.n_hidden),
                       (params.n_hidden, n_classes)]
        self.start()

    def start(self):
        self.weights = [torch.nn.init.xavier_uniform_(torch.empty(shape)).requires_grad_()
                        for shape in self.shapes]

    def logits(self, is_dropping):
        hidden = self.neighbours(self.features.times(self.weights[0], is_dropping))
        hidden = hidden.relu()
        if is_dropping:
            kept = torch.rand_like(hidden).lt_(self.kept_share).div_(self.kept_share)
            hidden = hidden * kept
        return self.neighbours(hidden @ self.weights[1])


# ---- losses --------------------------------------------------------------------------

def alpha_of(z):
    return z.clamp(max=MAX_LOGIT).exp() + 1


@dataclass
class Labels:
    node: torch.Tensor
    target: torch.Tensor
    one_hot: torch.Tensor

    @classmethod
    def of(cls, graph, node):
        target = torch.from_numpy(graph.label[node])
        return cls(torch.from_numpy(node), target,
                   F.one_hot(target, graph.n_classes).float())


def cross_entropy(z, labels):
    return F.cross_entropy(z[labels.node], labels.target)


def squared_error(alpha, labels):
    """Expected under the Dirichlet distribution."""
    alpha = alpha[labels.node]
    strength = alpha.sum(1, keepdim=True)
    p = alpha / strength
    return ((labels.one_hot - p).square() + p * (1 - p) / (strength + 1)).sum(1).mean()


class Prior:
    """KL[Dir(alpha) || Dir(prior)], mean over all nodes."""

    def __init__(self, alpha):
        self.alpha = alpha
        self.log_beta = (torch.lgamma(alpha).sum(1) - torch.lgamma(alpha.sum(1))).mean()

    def divergence(self, alpha, strength):
        log_beta = torch.lgamma(alpha).sum() - torch.lgamma(strength).sum()
        away = (alpha - self.alpha) * (torch.digamma(alpha) - torch.digamma(strength))
        return (away.sum() - log_beta) / len(alpha) + self.log_beta


def student_loss(z, epoch, labels, prior, log_teacher, ramp=TEACHER_RAMP):
    """ramp: epochs until the teacher counts in full."""
    alpha = alpha_of(z)
    strength = alpha.sum(1, keepdim=True)
    p = alpha / strength
    from_teacher = (p * (p.log() - log_teacher)).mean()
    return (squared_error(alpha, labels) + LAMBDA1 * prior.divergence(alpha, strength)
            + min(1, epoch / ramp) * from_teacher)


def spread_by_dijkstra(pattern, train, of_class):
    hops = dijkstra(pattern, unweighted=True, indices=train, limit=MAX_HOPS)
    kernel = np.exp(-np.square(hops) / (2 * SIGMA**2)).astype(np.float32)
    return torch.from_numpy(kernel).T @ of_class


def spread_by_products(network, train, of_class):
    """All training nodes at once, a column each: a step reaches who was not reached."""
    reached = torch.zeros(network.n_nodes, len(train))
    reached[torch.from_numpy(train), torch.arange(len(train))] = 1
    is_new, evidence = reached.clone(), reached @ of_class
    for n_hops in range(1, MAX_HOPS + 1):
        is_new = network.neighbours(is_new).gt_(0).sub_(reached).clamp_(min=0)
        reached += is_new
        evidence.add_(is_new @ of_class, alpha=math.exp(-n_hops**2 / (2 * SIGMA**2)))
    return evidence


def prior_of(graph, train, network, mode):
    """1 + what the training nodes of each class tell their surroundings. [V,K]"""
    of_class = Labels.of(graph, train).one_hot
    if mode not in ("sparse", "dense"):
        return spread_by_products(network, train, of_class) + 1
    return spread_by_dijkstra(graph.pattern, train, of_class) + 1


# ---- training and sampling -----------------------------------------------------------

def train_network(network, n_epochs, loss_of, validation_loss_of=None):
    """loss_of(z, epoch) and validation_loss_of(z). Returns the seconds of each epoch."""
    network.start()
    optimizer = torch.optim.Adam(  # its decay is the gradient of decay/2 |W0|^2
        [{"params": network.weights[:1], "weight_decay": network.decay},
         {"params": network.weights[1:]}], lr=RATE)
    best_loss, best_epoch, best_weights = math.inf, 0, None
    seconds = []
    for epoch in range(n_epochs):
        start = now()
        optimizer.zero_grad(set_to_none=True)
        loss_of(network.logits(True), epoch).backward()
        optimizer.step()
        if validation_loss_of is not None:
            with torch.no_grad():
                loss = validation_loss_of(network.logits(False)).item()
            if loss < best_loss:
                best_loss, best_epoch = loss, epoch
                best_weights = [weights.detach().clone() for weights in network.weights]
        seconds.append(now() - start)
        if validation_loss_of is not None and epoch - best_epoch >= PATIENCE:
            break
    if best_weights is not None:
        network.weights = best_weights
    return seconds


@torch.no_grad()
def sample(network, n_samples):
    """Means over passes with dropout: alpha, logits, probabilities, entropy."""
    n_nodes, n_classes = network.n_nodes, network.shapes[1][1]
    alpha_sum, z_sum, p_sum = (torch.zeros(n_nodes, n_classes) for _ in range(3))
    entropy_sum = torch.zeros(n_nodes)
    for _ in range(n_samples):
        z = network.logits(True)
        alpha = alpha_of(z)
        p = alpha / alpha.sum(1, keepdim=True)
        alpha_sum += alpha
        z_sum += z
        p_sum += p
        entropy_sum -= (p * p.log()).sum(1)
    return [total / n_samples for total in (alpha_sum, z_sum, p_sum, entropy_sum)]


def dissonance(alpha):
    """sum over k of b_k sum_j b_j Bal(b_j, b_k) / sum_j b_j, with j not k"""
    strength = alpha.sum(1, keepdim=True)
    belief = (alpha - 1) / strength
    one, other = belief[:, :, None], belief[:, None, :]
    tiny = torch.finfo(belief.dtype).tiny
    balance = 2 * torch.minimum(one, other) / (one + other).clamp(min=tiny)
    balance.diagonal(dim1=1, dim2=2).zero_()
    others = (belief.sum(1, keepdim=True) - belief).clamp(min=tiny)
    return (belief * (balance @ belief[:, :, None])[:, :, 0] / others).sum(1)


def measures_of(alpha, p, entropy):
    n_classes = alpha.shape[1]
    whole = -(p * p.log()).sum(1) / math.log(n_classes)
    aleatoric = entropy / math.log(n_classes)
    return {"vacuity": n_classes / alpha.sum(1), "dissonance": dissonance(alpha),
            "aleatoric": aleatoric, "epistemic": whole - aleatoric, "entropy": whole}


# ---- runs ----------------------------------------------------------------------------

@dataclass
class Run:
    """Seconds are those of now()."""

    stages: list = field(default_factory=list)  # seconds of teacher, prior, ...
    teacher_epoch: np.ndarray = field(default_factory=lambda: np.zeros(2))
    student_epoch: np.ndarray = field(default_factory=lambda: np.zeros(2))
    whole: np.ndarray = field(default_factory=lambda: np.zeros(2))
    accuracy: float = 0  # percent
    measures: dict = None

    def stage(self, function, *arguments):
        start = now()
        result = function(*arguments)
        self.stages.append(now() - start)
        return result

    def line(self):
        stages = self.stages + [np.zeros(2)] * (4 - len(self.stages))
        seconds = np.stack([*stages, self.whole, self.teacher_epoch, self.student_epoch])
        return " ".join(f"{x:.6f}" for x in (*seconds.T.ravel(), self.accuracy))


class Peer:
    def __init__(self, options):
        self.options = options
        self.graph = torch_data.load(options.data)
        self.network = self.network_of(options)
        self.student_loss = student_loss
        if options.compile:
            # Its own random numbers take longer to draw.
            importlib.import_module("torch._inductor.config").fallback_random = True
            self.network.logits = torch.compile(self.network.logits)
            self.student_loss = torch.compile(student_loss)

    def network_of(self, options):
        return Network(self.graph, torch_data.params_of(options.data), options.mode,
                       options.compile)

    def accuracy(self, score, test):
        right = score.argmax(1).numpy()[test] == self.graph.label[test]
        return 100 * right.mean()

    def train(self, n_epochs, loss_of, validation_loss_of):
        return train_network(self.network, n_epochs, loss_of,
                             validation_loss_of if self.options.validate else None)

    def train_teacher(self, labels, validation, n_epochs):
        """Seconds of each epoch, and the teacher's log-probabilities."""
        seconds = self.train(n_epochs, lambda z, epoch: cross_entropy(z, labels),
                             lambda z: cross_entropy(z, validation))
        with torch.no_grad():
            return seconds, self.network.logits(False).log_softmax(1)

    def train_student(self, labels, validation, log_teacher, alpha, n_epochs):
        prior = Prior(alpha)
        return self.train(
            n_epochs,
            lambda z, epoch: self.student_loss(z, epoch, labels, prior, log_teacher),
            lambda z: squared_error(alpha_of(z), validation))

    def run(self, seed, n_epochs, n_samples):
        start = now()
        torch.manual_seed(seed)
        run = Run()
        train, validation, test = torch_data.split_of(self.graph, seed)
        labels, checked = (Labels.of(self.graph, node) for node in (train, validation))
        seconds, log_teacher = run.stage(self.train_teacher, labels, checked, n_epochs)
        run.teacher_epoch = np.median(seconds, axis=0)
        score = log_teacher
        if not self.options.teacher_only:
            prior = run.stage(prior_of, self.graph, train, self.network,
                              self.options.mode)
            seconds = run.stage(self.train_student, labels, checked, log_teacher, prior,
                                n_epochs)
            run.student_epoch = np.median(seconds, axis=0)
            score, _, p, entropy = run.stage(sample, self.network, n_samples)
            run.measures = measures_of(score, p, entropy)
        run.whole = now() - start
        run.accuracy = self.accuracy(score, test)
        return run


def keep_freed_memory():
    """Large blocks that one pass frees are wanted by the next: without this the C library
    gives them back, and the system clears them again, a fifth of the time on physics."""
    trim_threshold, mmap_threshold = -1, -3  # as malloc.h numbers them
    library = ctypes.CDLL(None)
    library.mallopt(mmap_threshold, 2**30)
    library.mallopt(trim_threshold, 2**31 - 1)


def serve(description, modes, peer_of):
    """Does what the command line asks of peer_of(options)."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("threads", type=int, metavar="THREADS")
    parser.add_argument("epochs", type=int, metavar="EPOCHS")
    parser.add_argument("samples", type=int, metavar="SAMPLES")
    parser.add_argument("mode", choices=modes, metavar="MODE")
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--teacher-only", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--seeds", type=int, metavar="N")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    peer = peer_of(options)
    if options.seeds:
        runs = [peer.run(seed, options.epochs, options.samples)
                for seed in range(options.seeds)]
        accuracy = [run.accuracy for run in runs]
        print(f"{mean(accuracy):.2f} {stdev(accuracy):.2f}")
        return
    peer.run(0, 3, 3)
    print("ready", flush=True)
    for number, _ in enumerate(sys.stdin):
        print(peer.run(number, options.epochs, options.samples).line(), flush=True)


if __name__ == "__main__":
    serve(__doc__, ["sparse", "bag", "dense", *library_layers.HOPS], Peer)
