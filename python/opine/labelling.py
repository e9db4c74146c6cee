"""Labels: which nodes to label next, and which labels look wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import NULL, Hooks, context, lib
from ._progress import shown

if TYPE_CHECKING:
    from ._types import Array, Handle
    from .classifier import NodeClassifier
    from .graph import Graph


def _name_nodes(graph: Graph, numbers: list[int]) -> Array:
    names = graph.names
    return np.array(numbers if names is None else [names[i] for i in numbers],
                    dtype=np.int64 if names is None else object)


def _column(rows: list[Handle], name: str) -> Array:
    return np.array([getattr(row, name) for row in rows], dtype=np.float64)


def suggest_columns(clf: NodeClassifier, graph: Graph, n: int) -> dict[str, Any]:
    """The table of opn_suggestions_save()."""
    with context(clf.n_jobs) as ctx:
        out = ctx.make("suggestions", lib.opn_suggest, clf._require_model(), graph._handle, NULL, n)
        rows = [out.suggestion[i] for i in range(out.n)]
        return {"node": _name_nodes(graph, [row.node for row in rows]),
                "gain": _column(rows, "gain"),
                "predicted": clf.classes_[[row.predicted for row in rows]],
                **{name: _column(rows, name) for name in ("vacuity", "dissonance", "entropy")}}


def suspect_columns(clf: NodeClassifier, graph: Graph) -> dict[str, Any]:
    """The table of opn_suspects_save()."""
    with shown(clf.verbose) as bar, context(clf.n_jobs, Hooks(progress=bar)) as ctx:
        out = ctx.make("suspects", lib.opn_suspects_find, clf._require_model(), graph._handle)
        rows = [out.suspect[i] for i in range(out.n)]
        return {"node": _name_nodes(graph, [row.node for row in rows]),
                "label": graph.classes[[row.label for row in rows]],
                "expected": graph.classes[[row.expected for row in rows]],
                **{name: _column(rows, name) for name in ("p_label", "p_expected", "vacuity")}}
