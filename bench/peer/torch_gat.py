#!/usr/bin/python3
"""Trains s-bgat-t-k in PyTorch, without a line of opine, and prints how long it takes.

    bench/peer/torch_gat.py THREADS EPOCHS SAMPLES MODE DATA [--validate] [--teacher-only]
                            [--compile] [--seeds N]

Arguments, the lines it reads and those it prints are as with torch_gcn.py.

The network is the GAT authors': 8 heads of 8 units with ELU, then 1 of the classes (8,
averaged, for Pubmed), dropout of inputs, projected features and coefficients. As in the
usual PyTorch versions all heads see the same dropped input; the authors' TensorFlow code
drops anew for each. Edges are two lists, as those versions have them.

MODE says how the first projection is made and how the edges of a node are added up:
    scatter  features as a dense tensor; index_add()
    sparse   features by torch.sparse, COO or CSR, whichever is faster; index_add()
    bag      both by embedding_bag(), the fastest way in PyTorch 1.13 on a CPU
    pyg      attention by GATConv of PyG, features by the fastest of the above
    dgl      attention by GATConv of DGL, features likewise

    --validate      as the authors: training ends when 100 epochs bring neither a lower
                    loss nor a higher accuracy on the validation nodes, and the last
                    weights are kept that brought both
"""
import functools
import math
from dataclasses import dataclass

import torch_gcn  # first, because it says how many threads NumPy may have

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn.functional as F

import library_layers
import torch_data
from torch_data import sparse_matrix
from torch_gcn import DenseFeatures, SparseFeatures, now

N_HEADS, N_UNITS = 8, 8
DROPOUT = 0.6, 0.6  # of units and of coefficients
SAMPLED_DROPOUT = 0, 0.4
SLOPE, PATIENCE = 0.2, 100
TEACHER_RAMP = 50


@dataclass
class Params:
    n_out_heads: int = 1
    rate: float = 0.01
    decay: float = 5e-4


def params_of(path):
    return Params(n_out_heads=8, decay=1e-3) if "pubmed" in path else Params()


# ---- network -------------------------------------------------------------------------

def with_loops(pattern):
    matrix = (pattern + sp.identity(pattern.shape[0], np.float32)).tocsr()
    matrix.sort_indices()
    return matrix


class Edges:
    """Both directions and self-loops, sorted by the node that looks at its neighbours."""

    def __init__(self, pattern):
        matrix = with_loops(pattern)
        coo = matrix.tocoo()
        self.shape = matrix.shape
        self.target, self.source = (torch.from_numpy(index.astype(np.int64))
                                    for index in (coo.row, coo.col))
        self.start = torch.from_numpy(matrix.indptr[:-1].astype(np.int64))

    def of_source(self, rows):
        return rows.index_select(0, self.source)

    def of_target(self, rows):
        return rows.index_select(0, self.target)

    def sum(self, values):
        """Of each target. values [E,width]"""
        out = torch.zeros(self.shape[0], values.shape[1])
        return out.index_add(0, self.target, values)

    def softmax(self, scores):
        """Over the neighbours of each target. scores [E,heads]"""
        top = scores.detach().amax(0)  # one for all: the quotient is the same
        weights = (scores - top).exp()
        return weights / self.of_target(self.sum(weights))


class BagEdges(Edges):
    """Sums by embedding_bag(), in the order of sources too: the pattern is symmetric."""

    def __init__(self, pattern):
        super().__init__(pattern)
        self.in_order = torch.arange(len(self.target))
        self.by_source = torch.argsort(self.source, stable=True)

    def of_source(self, rows):
        return Gather.apply(rows, self.source, self.by_source, self.start)

    def of_target(self, rows):
        return Gather.apply(rows, self.target, self.in_order, self.start)

    def sum(self, values):
        return Sum.apply(values, self.target, self.in_order, self.start)


class Gather(torch.autograd.Function):
    """rows[index]; order and start say where the edges of each row are."""

    @staticmethod
    def forward(ctx, rows, index, order, start):
        ctx.order, ctx.start = order, start
        return rows.index_select(0, index)

    @staticmethod
    def backward(ctx, d_out):
        d_out = d_out.contiguous()
        return F.embedding_bag(ctx.order, d_out, ctx.start, mode="sum"), None, None, None


class Sum(torch.autograd.Function):
    """The reverse of Gather."""

    @staticmethod
    def forward(ctx, values, index, order, start):
        ctx.index = index
        return F.embedding_bag(order, values.contiguous(), start, mode="sum")

    @staticmethod
    def backward(ctx, d_out):
        return d_out.index_select(0, ctx.index), None, None, None


def drop(x, rate):
    """F.dropout() draws its mask three times slower."""
    return x * torch.rand_like(x).ge_(rate).div_(1 - rate) if rate > 0 else x


class Layer:
    def __init__(self, n_in, n_heads, n_units):
        self.n_heads, self.n_units = n_heads, n_units
        self.w = torch.empty(n_in, n_heads * n_units)
        self.a_target, self.a_source = (torch.empty(n_heads, n_units) for _ in range(2))
        self.bias = torch.empty(n_heads * n_units)
        for weights, fans in ((self.w, n_in + n_units), (self.a_target, n_units + 1),
                              (self.a_source, n_units + 1)):  # Glorot's, of one head
            bound = math.sqrt(6 / fans)
            weights.uniform_(-bound, bound).requires_grad_()
        self.bias.zero_().requires_grad_()

    def parameters(self):
        return [self.w, self.a_target, self.a_source, self.bias]

    def attend(self, projected, edges, drop_rate, attention_rate):
        """[V,heads,units] from projected features [V,heads * units]."""
        shape = -1, self.n_heads, self.n_units
        g = projected.view(shape)
        to = edges.of_target((g * self.a_target).sum(2))
        of = edges.of_source((g * self.a_source).sum(2))
        weights = drop(edges.softmax(F.leaky_relu(to + of, SLOPE)), attention_rate)
        seen = edges.of_source(drop(projected, drop_rate)).view(shape)
        out = edges.sum((seen * weights[:, :, None]).flatten(1))
        return (out + self.bias).view(shape)


class LibraryLayer:
    """The same by a library."""

    def __init__(self, attention, n_in, n_heads, n_units):
        self.attention = attention
        self.w = torch.empty(n_in, n_heads * n_units)
        bound = math.sqrt(6 / (n_in + n_units))
        self.w.uniform_(-bound, bound).requires_grad_()
        self.conv = attention.layer(n_heads, n_units)

    def parameters(self):
        return [self.w, *self.conv.parameters()]

    def attend(self, projected, edges, drop_rate, attention_rate):
        return self.attention.attend(self.conv, projected, attention_rate)


class Network:
    """z = mean of heads of layer 2 of drop(ELU(layer 1 of drop(X)))"""

    def __init__(self, graph, params, mode, compiles):
        self.edges = (Edges if mode in ("scatter", "sparse") else BagEdges)(graph.pattern)
        self.new_layer = Layer
        if mode in library_layers.ATTENTION:
            attention = library_layers.ATTENTION[mode](with_loops(graph.pattern))
            self.new_layer = functools.partial(LibraryLayer, attention)
        n_hidden = N_HEADS * N_UNITS
        if mode == "scatter":
            self.features = DenseFeatures(graph.features, DROPOUT[0])
        else:
            self.features = SparseFeatures(
                sparse_matrix(graph.features, "bag" if compiles else mode, n_hidden),
                DROPOUT[0])
        self.n_nodes = len(graph.label)
        self.shapes = [(graph.features.shape[1], n_hidden), (n_hidden, graph.n_classes)]
        self.n_out_heads = params.n_out_heads
        self.dropout = DROPOUT  # of the next passes; another for sampling
        self.start()

    def start(self):
        (n_in, n_hidden), (_, n_classes) = self.shapes
        self.layers = [self.new_layer(n_in, N_HEADS, N_UNITS),
                       self.new_layer(n_hidden, self.n_out_heads, n_classes)]

    def parameters(self):
        return [weights for layer in self.layers for weights in layer.parameters()]

    def neighbours(self, rows):
        return self.edges.sum(self.edges.of_source(rows))

    def logits(self, is_dropping):
        first, second = self.layers
        rates = self.dropout if is_dropping else (0, 0)
        projected = self.features.times(first.w, rates[0] > 0)
        hidden = F.elu(first.attend(projected, self.edges, *rates).flatten(1))
        projected = drop(hidden, rates[0]) @ second.w
        return second.attend(projected, self.edges, *rates).mean(1)


# ---- training ------------------------------------------------------------------------

class Stopping:
    """As the authors have it: equal counts as better."""

    def __init__(self):
        self.lowest, self.highest = math.inf, 0
        self.n_waited, self.kept = 0, None

    def is_over(self, loss, accuracy, parameters):
        is_lower, is_higher = loss <= self.lowest, accuracy >= self.highest
        if is_lower and is_higher:
            self.kept = [weights.detach().clone() for weights in parameters]
        self.lowest, self.highest = min(loss, self.lowest), max(accuracy, self.highest)
        self.n_waited = 0 if is_lower or is_higher else self.n_waited + 1
        return self.n_waited == PATIENCE


def train_network(network, params, n_epochs, loss_of, check=None):
    """loss_of(z, epoch), check(z) for validation loss and accuracy. Returns the seconds
    of each epoch."""
    network.start()
    parameters = network.parameters()
    optimizer = torch.optim.Adam(parameters, lr=params.rate, weight_decay=params.decay)
    stopping, seconds, is_over = Stopping(), [], False
    while len(seconds) < n_epochs and not is_over:
        start = now()
        optimizer.zero_grad(set_to_none=True)
        loss_of(network.logits(True), len(seconds)).backward()
        optimizer.step()
        if check is not None:
            with torch.no_grad():
                is_over = stopping.is_over(*check(network.logits(False)), parameters)
        seconds.append(now() - start)
    if stopping.kept is not None:
        with torch.no_grad():
            for weights, kept in zip(parameters, stopping.kept):
                weights.copy_(kept)
    return seconds


class Peer(torch_gcn.Peer):
    def network_of(self, options):
        self.params = params_of(options.data)
        return Network(self.graph, self.params, options.mode, options.compile)

    def train(self, n_epochs, loss_of, check):
        self.network.dropout = DROPOUT
        seconds = train_network(self.network, self.params, n_epochs, loss_of,
                                check if self.options.validate else None)
        self.network.dropout = SAMPLED_DROPOUT
        return seconds

    @staticmethod
    def check_with(loss_of, validation):
        def check(z):
            is_right = z[validation.node].argmax(1) == validation.target
            return loss_of(z).item(), is_right.float().mean().item()
        return check

    def train_teacher(self, labels, validation, n_epochs):
        seconds = self.train(
            n_epochs, lambda z, epoch: torch_gcn.cross_entropy(z, labels),
            self.check_with(lambda z: torch_gcn.cross_entropy(z, validation), validation))
        with torch.no_grad():
            return seconds, self.network.logits(False).log_softmax(1)

    def train_student(self, labels, validation, log_teacher, alpha, n_epochs):
        prior = torch_gcn.Prior(alpha)

        def loss_of(z, epoch):
            return self.student_loss(z, epoch, labels, prior, log_teacher, TEACHER_RAMP)

        def validation_loss_of(z):
            return torch_gcn.squared_error(torch_gcn.alpha_of(z), validation)

        return self.train(n_epochs, loss_of,
                          self.check_with(validation_loss_of, validation))


if __name__ == "__main__":
    torch_gcn.serve(__doc__, ["scatter", "sparse", "bag", *library_layers.ATTENTION],
                    Peer)
