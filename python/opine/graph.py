"""Graphs: nodes, edges, features and labels, as the library holds them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import NULL, Context, context, encode, ffi, fields, lib, make_params, take_bytes, text
from .errors import OpineValueError
from .labels import class_values, encode_labels

if TYPE_CHECKING:
    from ._types import Array, Floats, Handle

ROLES = tuple(text(lib.opn_role_name(role)) for role in range(lib.OPN_N_ROLES))


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def _csr_arrays(matrix: Any) -> tuple[Array, Array, Array]:
    """Offsets, columns and values of a SciPy matrix."""
    matrix = matrix.tocsr()
    return (np.ascontiguousarray(matrix.indptr, dtype=np.int64),
            np.ascontiguousarray(matrix.indices, dtype=np.int32),
            np.ascontiguousarray(matrix.data, dtype=np.float32))


class Graph:
    """An undirected graph with node features and labels.

    edge_index   2×E node numbers, each edge in one direction or both, or a SciPy
                 adjacency matrix
    x            features [V,F], dense or scipy.sparse; None for none. A dense array of float32
                 in C order is not copied and must not change as long as the graph lives
    y            labels [V]: numbers or strings; -1, None, NaN and "" mean unlabelled
    names        of the nodes [V]
    edge_weight  [E] above 0
    masks        train_mask, val_mask and test_mask [V] say which nodes are for what; without
                 them a part of the labelled nodes is set aside for validation

    >>> import opine
    >>> g = opine.Graph([[0, 1, 2], [1, 2, 0]], x=[[1.0], [2.0], [3.0]], y=["a", None, "b"])
    >>> g.n_nodes, g.n_edges, g.classes.tolist()
    (3, 3, ['a', 'b'])
    """

    def __init__(self, edge_index: Any, x: Any = None, y: Any = None, names: Any = None, *,
                 edge_weight: Any = None, class_names: Any = None, feature_names: Any = None,
                 train_mask: Any = None, val_mask: Any = None, test_mask: Any = None,
                 n_nodes: int | None = None, name: str | None = None) -> None:
        n_nodes = _count_nodes(n_nodes, edge_index, x, y, names)
        with context() as ctx:
            self._handle = _make_topology(ctx, edge_index, edge_weight, n_nodes)
            self._classes: Array = np.array([], dtype=np.int64)
            if x is not None:
                _set_features(ctx, self._handle, x)
            if y is not None:
                self._set_labels(ctx, y, class_names)
            self._set_names(ctx, names, feature_names, name)
            if any(mask is not None for mask in (train_mask, val_mask, test_mask)):
                self._set_masks(ctx, train_mask, val_mask, test_mask)

    @classmethod
    def _of(cls, handle: Handle, classes: Array | None = None) -> Graph:
        """The graph behind a handle of the library."""
        graph = cls.__new__(cls)
        graph._handle = handle
        graph._classes = class_values(graph._names("class", lib.opn_graph_n_classes(handle))) \
            if classes is None else classes
        return graph

    # ---- setting parts, before anyone sees the graph ----

    def _set_labels(self, ctx: Context, labels: Any, class_names: Any = None,
                    classes: Any = None) -> None:
        self._classes, numbers = encode_labels(labels, classes)
        if len(numbers) != self.n_nodes:
            raise OpineValueError(f"{len(numbers)} labels for {self.n_nodes} nodes")
        names = [str(c) for c in self._classes] if class_names is None else list(class_names)
        if len(names) < len(self._classes):
            raise OpineValueError(f"{len(names)} names for {len(self._classes)} classes")
        if class_names is not None:
            if self._classes.dtype.kind in "biu" and self._classes.size:
                numbers[numbers >= 0] = self._classes[numbers[numbers >= 0]]
                if numbers.max(initial=0) >= len(names):
                    raise OpineValueError(f"label {numbers.max()} has no name in class_names")
            self._classes = np.array(names)
        ctx.call(lib.opn_graph_set_labels, self._handle, len(names), _arrays.pointer(numbers))
        array, kept = _arrays.string_list(names)
        ctx.call(lib.opn_graph_set_class_names, self._handle, array)
        del kept

    def _set_names(self, ctx: Context, names: Any, feature_names: Any, name: str | None) -> None:
        for values, count, function, what in (
                (names, self.n_nodes, lib.opn_graph_set_node_names, "nodes"),
                (feature_names, self.n_features, lib.opn_graph_set_feature_names, "features")):
            if values is None:
                continue
            values = list(values)
            if len(values) != count:
                raise OpineValueError(f"{len(values)} names for {count} {what}")
            array, kept = _arrays.string_list(values)
            ctx.call(function, self._handle, array)
            del kept
        if name is not None:
            ctx.call(lib.opn_graph_set_name, self._handle, encode(name))

    def _set_masks(self, ctx: Context, train: Any, validation: Any, test: Any) -> None:
        roles = np.where(self.y_index < 0, ROLES.index("unlabelled"),
                         ROLES.index("pool")).astype(np.uint8)
        for what, mask, role in (("test_mask", test, 2), ("val_mask", validation, 1),
                                 ("train_mask", train, 0)):
            if mask is not None:
                roles[_chosen(mask, self.n_nodes, what) & (self.y_index >= 0)] = role
        ctx.call(lib.opn_graph_set_roles, self._handle, _arrays.pointer(roles))

    # ---- looking ----

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(lib.opn_graph_n_nodes(self._handle))

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return int(self.info["edges"])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(lib.opn_graph_n_features(self._handle))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(lib.opn_graph_n_classes(self._handle))

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return text(lib.opn_graph_name(self._handle))

    @property
    def classes(self) -> Array:
        """The classes, in the order of all columns [K]."""
        return self._classes

    @property
    def names(self) -> list[str] | None:
        """Names of the nodes, or None where they are only numbered."""
        if not lib.opn_graph_has_node_names(self._handle):
            return None
        return self._names("node", self.n_nodes)

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the features, or None where they are only numbered."""
        if not lib.opn_graph_has_feature_names(self._handle):
            return None
        return self._names("feature", self.n_features)

    def _names(self, kind: str, count: int) -> list[str]:
        number = ffi.new("char[12]")
        get = getattr(lib, f"opn_graph_{kind}_name")
        return [text(get(self._handle, i, number)) for i in range(count)]

    @property
    def y_index(self) -> Array:
        """Number of each node's class [V], -1 where unlabelled."""
        numbers: Array = _arrays.copy_array(lib.opn_graph_labels(self._handle), (self.n_nodes,),
                                            np.int32)
        return numbers

    @property
    def y(self) -> Array:
        """Label of each node [V] as it was given; None where there is none."""
        numbers = self.y_index
        labels = np.full(self.n_nodes, None, dtype=object)
        known = numbers >= 0
        labels[known] = self._classes[numbers[known]]
        return labels

    @property
    def roles(self) -> Array | None:
        """Role of each node in the split that came with the graph, or None."""
        roles = _arrays.copy_array(lib.opn_graph_roles(self._handle), (self.n_nodes,), np.uint8)
        return None if roles is None else np.array(ROLES)[roles]

    def _topology(self) -> tuple[Array, Array, Array]:
        n_entries = lib.opn_graph_n_entries(self._handle)
        row_ptr = _arrays.copy_array(lib.opn_graph_row_ptr(self._handle), (self.n_nodes + 1,),
                                     np.int64)
        col_idx = _arrays.copy_array(lib.opn_graph_col_idx(self._handle), (n_entries,), np.int32)
        weight = np.empty(n_entries, dtype=np.float32)
        lib.opn_graph_weights(self._handle, _arrays.pointer(weight))
        return row_ptr, col_idx, weight

    @property
    def edge_index(self) -> Array:
        """2×E node numbers, each edge in both directions."""
        row_ptr, col_idx, _ = self._topology()
        rows = np.repeat(np.arange(self.n_nodes), np.diff(row_ptr))
        return np.stack([rows, col_idx.astype(np.int64)])

    @property
    def edge_weight(self) -> Floats:
        """Weights in the order of edge_index, 1 where edges have none."""
        return self._topology()[2]

    def _feature_parts(self) -> tuple[Array, Array, Array]:
        n_entries = lib.opn_graph_n_feature_entries(self._handle)
        row_ptr = np.empty(self.n_nodes + 1, dtype=np.int64)
        col_idx = np.empty(n_entries, dtype=np.int32)
        value = np.empty(n_entries, dtype=np.float32)
        lib.opn_graph_features_csr(self._handle, _arrays.pointer(row_ptr), _arrays.pointer(col_idx),
                                   _arrays.pointer(value))
        return value, col_idx, row_ptr

    @property
    def x(self) -> Floats:
        """Features [V,F] as a dense array; to_scipy() gives them sparse."""
        dense = np.empty((self.n_nodes, self.n_features), dtype=np.float32)
        lib.opn_graph_features(self._handle, _arrays.pointer(dense))
        return dense

    def to_scipy(self) -> tuple[Any, Any]:
        """Adjacency [V,V] and features [V,F] as SciPy's CSR matrices.

        >>> import opine, scipy
        >>> adjacency, features = opine.datasets.load("demo").to_scipy()
        >>> adjacency.shape, features.shape
        ((2500, 2500), (2500, 1000))
        """
        from scipy import sparse
        row_ptr, col_idx, weight = self._topology()
        return (sparse.csr_matrix((weight, col_idx, row_ptr), shape=(self.n_nodes,) * 2),
                sparse.csr_matrix(self._feature_parts(), shape=(self.n_nodes, self.n_features)))

    @property
    def info(self) -> dict[str, Any]:
        """Counts, degrees, components and homophily."""
        out = ffi.new("opn_graph_info *")
        with context() as ctx:
            ctx.call(lib.opn_graph_describe, self._handle, out)
        return {name.removeprefix("n_"): value for name, value in fields(out).items()}

    @property
    def hash(self) -> str:
        """SHA-256 of nodes, edges, features and labels."""
        out = ffi.new("char[65]")
        with context() as ctx:
            ctx.call(lib.opn_graph_hash, self._handle, out)
        return text(out)

    @property
    def notes(self) -> list[str]:
        """How its files were read, where that is not obvious."""
        return [text(lib.opn_graph_note(self._handle, i))
                for i in range(lib.opn_graph_note_count(self._handle))]

    def find(self, node: Any) -> int:
        """Number of a node, given by name or number.

        A number is the place of the node among the others, also where names are numbers: of these
        "7" is the node of that name, and 7 the eighth.

        >>> import opine
        >>> g = opine.Graph([[0], [1]], names=["ada", "ben"])
        >>> g.find("ben"), g.find(1)
        (1, 1)
        """
        if isinstance(node, (int, np.integer)) and not isinstance(node, bool):
            if not 0 <= node < self.n_nodes:
                raise OpineValueError(f"node {node} is outside [0, {self.n_nodes})")
            return int(node)
        found = lib.opn_graph_find_node(self._handle, encode(node))
        if found < 0:
            raise OpineValueError(f"there is no node {node!r}")
        return int(found)

    def __len__(self) -> int:
        return self.n_nodes

    def __repr__(self) -> str:
        return (f"<opine.Graph {self.name}: {self.n_nodes} nodes, {self.n_edges} edges, "
                f"{self.n_features} features, {self.n_classes} classes>")

    # ---- files and other processes ----

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, label: str | None = None,
             data_dir: str | os.PathLike[str] | None = None, steps: str | None = None) -> Graph:
        """Loads files or a dataset, prepared as training wants it.

        path   what `opine train` takes: a dataset's name, an .npz file, a folder of tables, …
        label  the column of the labels in a folder
        steps  of preprocessing, "undirected" for example, instead of the usual

        >>> import os, tempfile, opine
        >>> path = os.path.join(tempfile.mkdtemp(), "friends.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("# who knows whom\\nada ben\\nben cy\\n")
        >>> opine.Graph.load(path).names
        ['ada', 'ben', 'cy']
        """
        with context() as ctx:
            params = make_params(ctx, {"label": label, "data_dir": data_dir, "steps": steps})
            return cls._of(ctx.make("graph", lib.opn_graph_load_prepared, encode(path), params))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .npz file, or a new folder of CSV files.

        >>> import os, tempfile, opine
        >>> g = opine.Graph([[0, 1], [1, 2]], y=["a", "b", None])
        >>> path = os.path.join(tempfile.mkdtemp(), "g.npz")
        >>> g.save(path)
        >>> opine.Graph.load(path).hash == g.hash
        True
        """
        with context() as ctx:
            ctx.call(lib.opn_graph_save, self._handle, encode(path))

    def relabelled(self, labels: Any, *, classes: Any = None) -> Graph:
        """A copy with other labels [V], and without a split.

        >>> import opine
        >>> opine.Graph([[0, 1], [1, 2]]).relabelled(["a", None, "b"]).y.tolist()
        ['a', None, 'b']
        """
        with context() as ctx:
            copy = Graph._of(ctx.make("graph", lib.opn_graph_copy, self._handle), self._classes)
            copy._set_labels(ctx, labels, classes=classes)
        return copy

    # A graph never changes, so it is its own copy: scikit-learn's clone() asks for one with every
    # setting that it tries.
    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        del memo
        return self

    def __getstate__(self) -> dict[str, Any]:
        with context() as ctx:
            return {"bytes": take_bytes(ctx.make("bytes", lib.opn_graph_write, self._handle)),
                    "classes": self._classes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state["bytes"]
        with context() as ctx:
            self._handle = ctx.make("graph", lib.opn_graph_read, ffi.from_buffer(data), len(data))
        self._classes = state["classes"]

    # ---- what others have ----

    @classmethod
    def from_scipy(cls, adjacency: Any, features: Any = None, y: Any = None,
                   **more: Any) -> Graph:
        """From SciPy matrices: adjacency [V,V], features [V,F].

        >>> import opine
        >>> from scipy import sparse
        >>> path = sparse.csr_matrix([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        >>> opine.Graph.from_scipy(path, sparse.eye(3), y=[0, 1, -1])
        <opine.Graph graph: 3 nodes, 2 edges, 3 features, 2 classes>
        """
        return cls(adjacency, features, y, **more)

    @classmethod
    def from_networkx(cls, graph: Any, features: Any = None, label: str | None = None,
                      weight: str | None = None, **more: Any) -> Graph:
        """From a NetworkX graph.

        features  names of node attributes, a number or as many numbers each; None for none
        label     the attribute of the labels
        weight    the attribute of the edges' weights

        >>> import networkx, opine
        >>> g = opine.Graph.from_networkx(networkx.karate_club_graph(), label="club")
        >>> g.n_nodes, g.classes.tolist()
        (34, ['Mr. Hi', 'Officer'])
        """
        from .convert import from_networkx
        return from_networkx(cls, graph, features, label, weight, more)

    @classmethod
    def from_pandas(cls, edges: Any, nodes: Any = None, *, label: str | None = None,
                    features: Any = None, source: Any = None, target: Any = None,
                    weight: Any = None, node: Any = None, **more: Any) -> Graph:
        """From DataFrames of edges and of nodes, whose index has the names of the nodes.

        Columns are found by their usual names (source, target, node), or given. Without features=
        all columns of numbers are features.

        >>> import opine, pandas
        >>> edges = pandas.DataFrame({"source": ["ada", "ben"], "target": ["ben", "cy"]})
        >>> nodes = pandas.DataFrame({"age": [36, 41, 29], "team": ["red", "blue", ""]},
        ...                          index=["ada", "ben", "cy"])
        >>> g = opine.Graph.from_pandas(edges, nodes, label="team")
        >>> g.names, g.x[:, 0].tolist(), g.y.tolist()
        (['ada', 'ben', 'cy'], [36.0, 41.0, 29.0], ['red', 'blue', None])
        """
        from .convert import from_pandas
        return from_pandas(cls, edges, nodes, label, features, source, target, weight, node, more)

    @classmethod
    def from_pyg(cls, data: Any, **more: Any) -> Graph:
        """From a Data of PyTorch Geometric, with its masks.

        >>> import opine, torch
        >>> from torch_geometric.data import Data
        >>> data = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]),
        ...             y=torch.tensor([0, 1, -1]), train_mask=torch.tensor([True, False, False]))
        >>> opine.Graph.from_pyg(data).roles.tolist()
        ['train', 'pool', 'unlabelled']
        """
        from .convert import from_pyg
        return from_pyg(cls, data, more)

    @classmethod
    def from_dgl(cls, graph: Any, features: str = "feat", label: str = "label",
                 **more: Any) -> Graph:
        """From a graph of DGL, with its masks; features and label name node data.

        >>> import dgl, opine, torch
        >>> g = dgl.graph(([0, 1], [1, 2]))
        >>> g.ndata["feat"], g.ndata["label"] = torch.eye(3), torch.tensor([0, 1, 1])
        >>> opine.Graph.from_dgl(g)
        <opine.Graph graph: 3 nodes, 2 edges, 3 features, 2 classes>
        """
        from .convert import from_dgl
        return from_dgl(cls, graph, features, label, more)


# ---- making one --------------------------------------------------------------------------


def _count_nodes(given: int | None, edge_index: Any, x: Any, y: Any, names: Any) -> int:
    if given is not None:
        return int(given)
    if _is_sparse(edge_index):
        return int(edge_index.shape[0])
    for part in (x, y, names):
        if part is not None:
            return int(part.shape[0]) if hasattr(part, "shape") else len(part)
    edges = _arrays.as_array(edge_index)
    return int(edges.max()) + 1 if edges.size else 0


def _chosen(mask: Any, n_nodes: int, what: str) -> Array:
    """Whether each node is chosen, by a mask of bools or of zeros and ones, or by numbers of nodes."""
    mask = _arrays.as_array(mask)
    if mask.ndim == 2 and mask.shape[1] > 0:
        mask = mask[:, 0]  # several splits, of which the first
    # A list of node numbers as long as this would name some of them twice.
    if mask.dtype == bool or (mask.shape == (n_nodes,) and np.isin(mask, (0, 1)).all()):
        if mask.shape != (n_nodes,):
            raise OpineValueError(f"{what}: a mask of {mask.shape} for {n_nodes} nodes")
        flags: Array = mask.astype(bool)
        return flags
    numbers = _arrays.as_index(mask, what)
    if numbers.ndim != 1 or (numbers.size and (numbers.min() < 0 or numbers.max() >= n_nodes)):
        raise OpineValueError(f"{what} is neither a mask of {n_nodes} nodes nor a list of their numbers")
    chosen = np.zeros(n_nodes, dtype=bool)
    chosen[numbers] = True
    return chosen


def _make_topology(ctx: Context, edge_index: Any, edge_weight: Any, n_nodes: int) -> Handle:
    if _is_sparse(edge_index):
        if edge_index.shape != (n_nodes, n_nodes):
            raise OpineValueError(f"an adjacency matrix of {edge_index.shape} for {n_nodes} nodes")
        row_ptr, col_idx, value = _csr_arrays(edge_index)
        weight = NULL if (value == 1).all() else _arrays.pointer(value)
        return ctx.make("graph", lib.opn_graph_create_csr, n_nodes, _arrays.pointer(row_ptr),
                        _arrays.pointer(col_idx), weight)
    edges = _arrays.as_index(edge_index, "edge_index")
    if edges.size == 0:
        edges = edges.reshape(2, 0)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise OpineValueError(
            f"edge_index has the shape {edges.shape}; 2 rows, sources and targets, are expected"
            + (" (transpose it)" if edges.ndim == 2 and edges.shape[1] == 2 else ""))
    weight = None
    if edge_weight is not None:
        weight = _arrays.as_type(edge_weight, np.float32, 1, "edge_weight")
        if len(weight) != edges.shape[1]:
            raise OpineValueError(f"{len(weight)} weights for {edges.shape[1]} edges")
    return ctx.make("graph", lib.opn_graph_create_edges, n_nodes, edges.shape[1],
                    _arrays.pointer(edges[0]), _arrays.pointer(edges[1]), _arrays.pointer(weight))


def _set_features(ctx: Context, handle: Handle, x: Any) -> None:
    n_nodes = lib.opn_graph_n_nodes(handle)
    if _is_sparse(x):
        row_ptr, col_idx, value = _csr_arrays(x)
        shape = x.shape
    else:
        x = _arrays.as_type(x, np.float32, 2, "x")
        shape = x.shape
    if shape[0] != n_nodes:
        raise OpineValueError(f"features of {shape[0]} nodes for {n_nodes}")
    if _is_sparse(x):
        ctx.call(lib.opn_graph_set_features_csr, handle, shape[1], _arrays.pointer(row_ptr),
                 _arrays.pointer(col_idx), _arrays.pointer(value))
    else:
        _lend_features(ctx, handle, x)


def _lend_features(ctx: Context, handle: Handle, x: Array) -> None:
    """Gives the graph features without a copy."""
    key = _arrays.lend(x)
    try:
        ctx.call(lib.opn_graph_lend_features, handle, x.shape[1], _arrays.pointer(x),
                 lib.opine_py_release, ffi.cast("void *", key))
    except BaseException:
        _arrays.release(key)
        raise
