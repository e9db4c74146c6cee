"""Graphs of NetworkX, pandas, PyG and DGL as arrays; only what the caller brings is used."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from .errors import OpineValueError, OpineWarning

if TYPE_CHECKING:
    from ._types import Array
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
        x, names = _attributes(graph, nodes, [features] if isinstance(features, str) else features)
        more.setdefault("feature_names", names)
    y = None if label is None else np.array([graph.nodes[node].get(label) for node in nodes],
                                            dtype=object)
    if weight is not None:
        more["edge_weight"] = [data.get(weight, 1.0) for _, _, data in graph.edges(data=True)]
    more.setdefault("name", graph.name or None)
    more.setdefault("names", _names_of(nodes))
    return cls(edges, x, y, n_nodes=len(nodes), **more)


def _attributes(graph: Any, nodes: list[Any], features: Any) -> tuple[Array, list[str]]:
    """Features [V,F] from attributes of nodes, a number or a list of them each; and their names."""
    columns, names = [np.empty((len(nodes), 0), dtype=np.float32)], []
    for name in features:
        for node in nodes:
            if name not in graph.nodes[node]:
                raise OpineValueError(f"node {node!r} has no attribute {name!r}")
        part = _numbers([graph.nodes[node][name] for node in nodes], f"attribute {name!r}")
        part = part.reshape(len(nodes), -1 if part.size else 1)
        columns.append(part)
        names += [str(name)] if part.shape[1] == 1 else [f"{name}_{k}" for k in range(part.shape[1])]
    return np.hstack(columns), names


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise OpineValueError(f"{what} is no feature, which takes as many numbers for every node: "
                              f"{error}") from None


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
        features = _feature_columns(nodes, (node, label)) if features is None else list(features)
        if features:
            for column in features:
                _pick(nodes, column, (), "nodes")
            # All at once where they are numbers, which is fast; else the one that is not is named.
            x = nodes[features].to_numpy(dtype=np.float32, na_value=np.nan) \
                if all(nodes[c].dtype.kind in "biuf" for c in features) else \
                np.stack([_numbers(nodes[c].to_numpy(), f"column {c!r}") for c in features], axis=1)
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


def _feature_columns(nodes: Any, others: tuple[Any, ...]) -> list[Any]:
    """Columns of numbers, and a warning about those that are none."""
    rest = [c for c in nodes.columns if c not in others]
    words = [c for c in rest if nodes[c].dtype.kind not in "biuf"]
    if words:
        several = len(words) > 1
        warnings.warn(
            f"column{'s' if several else ''} {', '.join(map(repr, words))} of the nodes "
            f"hold{'' if several else 's'} no numbers and {'are' if several else 'is'} not used; "
            "features= says which to use, and pandas.get_dummies() makes numbers of words",
            OpineWarning, stacklevel=4)
    return [c for c in rest if c not in words]


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
    # After ToSparseTensor() a Data has adj_t in the place of edge_index.
    edges = data.edge_index if data.edge_index is not None else getattr(data, "adj_t", None)
    if edges is None:
        raise OpineValueError("a Data without edge_index; give it an empty one, 2×0, for no edges")
    return cls(_dense_or_sparse(edges), None if x is None else _dense_or_sparse(x),
               None if y is None else _arrays.as_array(y), n_nodes=data.num_nodes, **more)


def _dense_or_sparse(x: Any) -> Any:
    """A tensor as an array; a sparse one of PyTorch or PyG as a SciPy matrix."""
    if hasattr(x, "to_torch_sparse_coo_tensor"):  # a SparseTensor of torch_sparse
        x = x.to_torch_sparse_coo_tensor()
    if "sparse" not in str(getattr(x, "layout", "")):
        return _arrays.as_array(x)
    from scipy import sparse
    x = x.to_sparse_coo().coalesce()
    rows, columns = _arrays.as_array(x.indices())
    return sparse.coo_matrix((_arrays.as_array(x.values()), (rows, columns)), shape=tuple(x.shape))


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
