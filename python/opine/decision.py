"""Decisions: which predictions are accepted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import NULL, context, ffi, lib, make_params, text
from ._prediction import measure_names
from .control import Control

if TYPE_CHECKING:
    from ._types import Handle
    from .classifier import NodeClassifier
    from .graph import Graph


class Decisions:
    """What was decided about every node.

    decision    [V] "accept", or why not
    decided_by  [V] the measure that decided, None where the node is accepted
    accepted    [V] whether it is
    control     what was shown about a target accuracy, an opine.control.Control; None without one
    set         [V,K] whether a class is in the set of a node; None without a coverage
    p_known     [V] p-value of "of a known class"; None without ood_fdr
    summary     thresholds, counts and what a target accuracy was reached with
    """

    def __init__(self, said: Handle, made: Handle, n_nodes: int) -> None:
        n_classes = lib.opn_prediction_n_classes(said)
        codes = _arrays.copy_array(lib.opn_prediction_decision(said), (n_nodes,), np.uint8)
        by = _arrays.copy_array(lib.opn_prediction_decided_by(said), (n_nodes,), np.int8)
        names = np.array([text(lib.opn_decision_name(d)) for d in range(lib.OPN_N_DECISIONS)])
        measures = np.array([*measure_names(), None], dtype=object)
        self.decision = names[codes]
        self.decided_by = measures[by]
        self.accepted = codes == lib.OPN_DECISION_ACCEPT
        self.control = Control._of(ffi.addressof(made, "control")) if made.is_promised else None
        held = _arrays.copy_array(lib.opn_prediction_set(said), (n_nodes, n_classes), np.uint8)
        self.set: Any = None if held is None else held.astype(bool)
        self.p_known = _arrays.copy_array(lib.opn_prediction_p_known(said), (n_nodes,), np.float32)
        self.summary = json.loads(text(lib.opn_prediction_summary(said)))

    def __repr__(self) -> str:
        hint = ""
        if self.control is not None and not self.control.is_shown:
            needed = self.control.n_needed
            hint = (f"; {self.control.n} labels do not show an accuracy of {self.control.target:g}, "
                    + (f"about {needed} would" if needed else "and more would not help"))
        return (f"<Decisions about {len(self.decision)} nodes: {self.accepted.mean():.1%} accepted"
                f"{hint}>")


def make_decisions(clf: NodeClassifier, graph: Graph, values: dict[str, Any]) -> Decisions:
    """Decides about the nodes of the graph that a classifier was trained on."""
    split = NULL if clf._split is None else clf._split
    with context(clf.n_jobs) as ctx:
        params = make_params(ctx, values)
        ctx.call(lib.opn_decide_check, clf._model, graph._handle, split, params)
        # Deciding changes a prediction, so it has one of its own.
        said = ctx.make("prediction", lib.opn_model_predict, clf._model, graph._handle, NULL, 0)
        made = ctx.make("decisions", lib.opn_prediction_decide, clf._model, graph._handle, split,
                        params, said)
        return Decisions(said, made, graph.n_nodes)
