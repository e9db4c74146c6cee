"""Layers of today's graph libraries, for torch_gcn.py and torch_gat.py.

The libraries' layers first multiply their input by weights, for which it has to be dense.
With features that are nearly all zeros this would take most of the time, so the product
is made outside of the layer, by the fastest way there is, and the layer's own does
nothing.
"""
import sys
import time
import types

import numpy as np
import torch


def edge_lists(matrix):
    """Source and target of each entry, in the order of targets."""
    coo = matrix.tocoo()
    return tuple(torch.from_numpy(index.astype(np.int64)) for index in (coo.col, coo.row))


def fastest(candidates, n_rows, width, n_times=3):
    """Of functions of rows, in a pass and its gradient."""
    def seconds_of(hop):
        rows = torch.rand(n_rows, width, requires_grad=True)
        best = float("inf")
        for _ in range(n_times):
            start = time.process_time()
            hop(rows).sum().backward()
            best = min(best, time.process_time() - start)
        return best
    return min(candidates, key=seconds_of)


# ---- PyG -----------------------------------------------------------------------------

def pyg_hop(matrix, width, compiles):
    """A rows by GCNConv, from lists of edges or a sparse tensor, whichever is faster."""
    from torch_geometric import EdgeIndex
    from torch_geometric.nn import GCNConv

    conv = GCNConv(width, width, normalize=False, add_self_loops=False, bias=False)
    conv.lin = torch.nn.Identity()
    edges, values = torch.stack(edge_lists(matrix)), torch.from_numpy(matrix.data)
    cached = EdgeIndex(edges, sparse_size=matrix.shape, sort_order="col",
                       is_undirected=True).fill_cache_()
    csr = torch.sparse_csr_tensor(
        *(torch.from_numpy(index.astype(np.int64))
          for index in (matrix.indptr, matrix.indices)), values, matrix.shape)
    if compiles:  # which it does not with the other two
        return lambda rows: conv(rows, edges, values)
    return fastest([lambda rows: conv(rows, edges, values),
                    lambda rows: conv(rows, cached, values),
                    lambda rows: conv(rows, csr)], matrix.shape[0], width)


class PygAttention:
    """Unlike the authors' layer it does not drop projected features."""

    def __init__(self, matrix):
        self.edges = torch.stack(edge_lists(matrix))

    @staticmethod
    def layer(n_heads, n_units):
        from torch_geometric.nn import GATConv

        conv = GATConv(1, n_units, n_heads, add_self_loops=False)
        conv.lin = torch.nn.Identity()
        return conv

    def attend(self, conv, projected, rate):
        conv.dropout = rate
        return conv(projected, self.edges).view(-1, conv.heads, conv.out_channels)


# ---- DGL -----------------------------------------------------------------------------

def import_dgl():
    """Its last release asks setuptools for a module that newer ones have no more."""
    import packaging.version

    outer = types.ModuleType("setuptools.extern")
    outer.packaging = packaging
    sys.modules.setdefault("setuptools.extern", outer)
    sys.modules.setdefault("setuptools.extern.packaging", packaging)
    import dgl

    return dgl


def dgl_graph(matrix):
    graph = import_dgl().graph(edge_lists(matrix), num_nodes=matrix.shape[0])
    graph.create_formats_()
    return graph


def dgl_hop(matrix, width, _):
    graph, values = dgl_graph(matrix), torch.from_numpy(matrix.data)
    from dgl.nn import GraphConv

    conv = GraphConv(width, width, norm="none", weight=False, bias=False)
    return lambda rows: conv(graph, rows, edge_weight=values)


class DglAttention:
    """Likewise."""

    def __init__(self, matrix):
        self.graph = dgl_graph(matrix)

    @staticmethod
    def layer(n_heads, n_units):
        from dgl.nn import GATConv

        conv = GATConv(1, n_units, n_heads)
        conv.fc = torch.nn.Identity()
        return conv

    def attend(self, conv, projected, rate):
        conv.attn_drop.p = rate
        return conv(self.graph, projected)


HOPS = {"pyg": pyg_hop, "dgl": dgl_hop}
ATTENTION = {"pyg": PygAttention, "dgl": DglAttention}
