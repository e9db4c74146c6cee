"""Graphs and nodes in the ways that callers give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from .errors import OpineValueError
from .graph import Graph

if TYPE_CHECKING:
    from ._types import Array


def is_graph(value: Any) -> bool:
    """Whether it is a graph and not a list of nodes."""
    return (isinstance(value, Graph) or hasattr(value, "edge_index") or hasattr(value, "ndata")
            or type(value).__module__.startswith("networkx"))


def as_graph(value: Any) -> Graph:
    """A Graph from a Graph, a Data of PyG, a graph of DGL, or the name or path of data."""
    if isinstance(value, Graph):
        return value
    if hasattr(value, "edge_index"):
        return Graph.from_pyg(value)
    if hasattr(value, "ndata"):
        return Graph.from_dgl(value)
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return Graph.load(value)
    raise OpineValueError(f"a {type(value).__name__} is no graph; opine.Graph and its from_…() make one")


def node_numbers(nodes: Any, graph: Graph) -> Array:
    """Numbers of nodes given by number, by name or by a mask, in one column at most."""
    given = _arrays.as_array(nodes)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1:
        raise OpineValueError(
            f"X has the shape {given.shape}; nodes of the graph, by number or name, are expected")
    if given.dtype.kind == "b":  # which is no list of the nodes 0 and 1
        if len(given) != graph.n_nodes:
            raise OpineValueError(f"X is a mask of {len(given)} nodes for a graph of {graph.n_nodes}")
        return np.flatnonzero(given)
    if given.dtype.kind in "iuf":
        numbers = _arrays.as_index(given, "X")
        beyond = numbers[(numbers < 0) | (numbers >= graph.n_nodes)]
        if beyond.size:
            raise OpineValueError(f"X has the node {beyond[0]}, outside [0, {graph.n_nodes})")
        return numbers.astype(np.int64)
    known = {name: i for i, name in enumerate(graph.names or [])}
    return np.array([known[str(n)] if str(n) in known else graph.find(n) for n in given],
                    dtype=np.int64)


def model_classes(names: list[str], graph: Graph | None) -> Array:
    """The classes of a model as the caller gave them, in the order of the model."""
    from .labels import class_values
    if graph is None or not len(graph.classes):
        return class_values(names)
    given = {str(value): value for value in graph.classes}
    if not all(name in given for name in names):
        return class_values(names)
    return np.array([given[name] for name in names], dtype=graph.classes.dtype)
