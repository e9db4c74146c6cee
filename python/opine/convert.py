"""Graphs of NetworkX, pandas, PyG and DGL as arrays; only what the caller brings is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from .errors import OpineValueError

if TYPE_CHECKING:
    from .graph import Graph

_MASKS = ("train_mask", "val_mask", "test_mask")


def _number_nodes(names: list[Any]) -> dict[Any, int]:
    return {name: i for i, name in enumerate(names)}


def _names_of(nodes: list[Any]) -> list[str] | None:
    """Names for the library, or None where nodes are numbered 0 … V-1 anyway."""
    plain = all(isinstance(node, (int, np.integer)) and node == i for i, node in enumerate(nodes))
    return None if plain else [str(node) for node in nodes]


def _lookup(number: dict[Any, int], node: Any, what: str) -> int:
    try:
        return number[node]
    except KeyError:
        raise OpineValueError(f"{what} has the node {node!r}, which is not among the nodes") from None


def from_networkx(cls: type[Graph], graph: Any, features: Any, label: str | None,
                  weight: str | None, more: dict[str, Any]) -> Graph:
    nodes = list(graph.nodes)
    number = _number_nodes(nodes)
    edges = np.array([(number[a], number[b]) for a, b in graph.edges()],
                     dtype=np.int32).reshape(-1, 2).T
    x = None
    if features is not None:
        features = [features] if isinstance(features, str) else list(features)
        for name in features:
            for node in nodes:
                if name not in graph.nodes[node]:
                    raise OpineValueError(f"node {node!r} has no attribute {name!r}")
        x = np.array([[graph.nodes[node][name] for name in features] for node in nodes],
                     dtype=np.float32)
        more.setdefault("feature_names", features)
    y = None if label is None else np.array([graph.nodes[node].get(label) for node in nodes],
                                            dtype=object)
    if weight is not None:
        more["edge_weight"] = [data.get(weight, 1.0) for _, _, data in graph.edges(data=True)]
    more.setdefault("name", graph.name or None)
    more.setdefault("names", _names_of(nodes))
    return cls(edges, x, y, n_nodes=len(nodes), **more)


def _pick(frame: Any, given: Any, usual: tuple[str, ...], what: str) -> Any:
    if given is not None:
        if given not in frame.columns:
            raise OpineValueError(f"{what} has no column {given!r}; it has {list(frame.columns)}")
        return given
    for name in usual:
        if name in frame.columns:
            return name
    return None


def from_pandas(cls: type[Graph], edges: Any, nodes: Any, label: Any, features: Any, source: Any,
                target: Any, weight: Any, node: Any, more: dict[str, Any]) -> Graph:
    source = _pick(edges, source, ("source", "src", "from", "u"), "edges") or edges.columns[0]
    target = _pick(edges, target, ("target", "dst", "to", "v"), "edges") or edges.columns[1]
    weight = _pick(edges, weight, ("weight",), "edges")
    x = y = None
    if nodes is None:
        ids = list(dict.fromkeys([*edges[source], *edges[target]]))
    else:
        node = _pick(nodes, node, ("node", "id", "node_id", "name"), "nodes")
        ids = list(nodes.index if node is None else nodes[node])
        label = _pick(nodes, label, (), "nodes") if label else None
        if features is None:
            features = [c for c in nodes.columns if c not in (node, label)
                        and nodes[c].dtype.kind in "biuf"]
        if len(features):
            x = nodes[list(features)].to_numpy(dtype=np.float32)
            more.setdefault("feature_names", [str(f) for f in features])
        y = None if label is None else nodes[label].to_numpy(dtype=object)
    number = _number_nodes(ids)
    if len(number) != len(ids):
        raise OpineValueError("a node stands in the table of nodes twice")
    pairs = np.array([[_lookup(number, a, "edges") for a in edges[source]],
                      [_lookup(number, b, "edges") for b in edges[target]]], dtype=np.int32)
    if weight is not None:
        more.setdefault("edge_weight", edges[weight].to_numpy(dtype=np.float32))
    more.setdefault("names", _names_of(ids))
    return cls(pairs.reshape(2, -1), x, y, n_nodes=len(ids), **more)


def from_pyg(cls: type[Graph], data: Any, more: dict[str, Any]) -> Graph:
    for name in _MASKS:
        mask = getattr(data, name, None)
        if mask is not None:
            more.setdefault(name, _arrays.as_array(mask))
    weight = getattr(data, "edge_weight", None)
    if weight is not None:
        more.setdefault("edge_weight", _arrays.as_array(weight))
    y = getattr(data, "y", None)
    x = getattr(data, "x", None)
    return cls(_arrays.as_array(data.edge_index), None if x is None else _dense_or_sparse(x),
               None if y is None else _arrays.as_array(y), n_nodes=data.num_nodes, **more)


def _dense_or_sparse(x: Any) -> Any:
    """A tensor as an array; a sparse one as a SciPy matrix."""
    if getattr(x, "is_sparse", False):
        from scipy import sparse
        x = x.coalesce()
        return sparse.csr_matrix((_arrays.as_array(x.values()), _arrays.as_array(x.indices())),
                                 shape=tuple(x.shape))
    return x


def from_dgl(cls: type[Graph], graph: Any, features: str, label: str,
             more: dict[str, Any]) -> Graph:
    source, target = graph.edges()
    for name in _MASKS:
        if name in graph.ndata:
            more.setdefault(name, _arrays.as_array(graph.ndata[name]))
    x = graph.ndata[features] if features in graph.ndata else None
    y = graph.ndata[label] if label in graph.ndata else None
    edges = np.stack([_arrays.as_array(source), _arrays.as_array(target)])
    return cls(edges, x, None if y is None else _arrays.as_array(y), n_nodes=graph.num_nodes(),
               **more)
