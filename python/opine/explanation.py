"""Explanations of single nodes, and the summary of a classifier in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import NULL, lib, text
from ._prediction import measure_names

if TYPE_CHECKING:
    from ._types import Handle
    from .classifier import NodeClassifier
    from .graph import Graph


MOST_CLASSES = 12  # that a summary names


class Explanation:
    """Why a classifier says what it says about one node.

    sentence      in words
    node          its number; name, label, role
    predicted     its class; probability, alpha, belief by class
    measures      by name
    conflicts     pairs of classes between which the evidence conflicts
    sources       labelled nodes that its prior comes from
    neighbours    what is said about them
    """

    def __init__(self, out: Handle, clf: NodeClassifier, graph: Graph) -> None:
        self.sentence = text(lib.opn_explanation_sentence(out))
        names = graph.names
        classes = clf.classes_

        def name_of(node: int) -> int | str:
            return node if names is None else names[node]

        def by_class(values: Handle) -> dict[Any, float] | None:
            return None if values == NULL else dict(zip(classes.tolist(), _arrays.copy_array(
                values, (out.n_classes,), np.float32).tolist()))

        measures = _arrays.copy_array(out.measure, (out.n_measures,), np.float32)
        self.node = out.node
        self.name = name_of(out.node)
        self.role = text(lib.opn_role_name(out.role))
        self.label = None if out.label < 0 else graph.classes[out.label]
        self.predicted = classes[out.predicted]
        self.reason = text(lib.opn_reason_name(out.reason))
        self.probability = by_class(out.probability)
        self.alpha = by_class(out.alpha)
        self.belief = by_class(out.belief)
        self.measures = {name: float(value) for name, value in zip(measure_names(), measures)
                         if not np.isnan(value)}
        self.conflicts = [{"classes": (classes[c.a], classes[c.b]), "dissonance": c.dissonance,
                           "share": c.share}
                          for c in (out.conflict[i] for i in range(out.n_conflicts))]
        self.sources = [{"node": name_of(s.node), "class": classes[s.k], "hops": s.hops,
                         "share": s.share}
                        for s in (out.source[i] for i in range(out.n_sources))]
        self.neighbours = [{"node": name_of(n.node), "predicted": classes[n.predicted],
                            "probability": n.probability}
                           for n in (out.neighbour[i] for i in range(out.n_neighbours))]

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Explanation of {self.name!r}: {self.sentence}>"


def summary_html(clf: NodeClassifier) -> str:
    """A few lines about a classifier."""
    if not clf.__sklearn_is_fitted__():
        return f"<code>{html.escape(repr(clf))}</code>"
    summary = clf.summary_
    classes = [str(c) for c in clf.classes_[:MOST_CLASSES]]
    if len(clf.classes_) > MOST_CLASSES:
        classes.append(f"… ({len(clf.classes_)} in all)")
    rows = [("model", clf.model_id_), ("classes", ", ".join(classes)),
            ("trained on", f"{summary['n_train']} nodes, {summary['epochs']} epochs")]
    if summary["n_validation"] > 0:
        rows.append(("validation accuracy",
                     f"{100 * summary['validation_accuracy']:.1f} % of {summary['n_validation']} nodes"))
    if clf.graph_ is not None:
        rows.append(("graph", repr(clf.graph_).strip("<>")))
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th>"
                    f"<td>{html.escape(v)}</td></tr>" for k, v in rows)
    return f"<table><caption>opine.NodeClassifier</caption>{cells}</table>"
