"""Decisions: which predictions are accepted."""

import json

import numpy as np

from . import _arrays
from ._library import NULL, context, lib, make_params, text
from .errors import OpineValueError


class Decisions:
    """What was decided about every node.

    decision    [V] "accept", or why not
    decided_by  [V] the measure that decided, None where the node is accepted
    accepted    [V] whether it is
    summary     thresholds, counts and what a target accuracy was reached with
    """

    def __init__(self, said, n_nodes):
        codes = _arrays.copy_array(lib.opn_prediction_decision(said), (n_nodes,), np.uint8)
        by = _arrays.copy_array(lib.opn_prediction_decided_by(said), (n_nodes,), np.int8)
        names = np.array([text(lib.opn_decision_name(d)) for d in range(lib.OPN_N_DECISIONS)])
        measures = np.array([text(lib.opn_measure_name(m)) for m in range(lib.opn_measure_count())]
                            + [None], dtype=object)
        self.decision = names[codes]
        self.decided_by = measures[by]
        self.accepted = codes == lib.OPN_DECISION_ACCEPT
        self.summary = json.loads(text(lib.opn_prediction_summary(said)))

    def __repr__(self):
        return f"<Decisions about {len(self.decision)} nodes: {self.accepted.mean():.1%} accepted>"


def make_decisions(clf, values):
    """Decides about the nodes of the graph that a classifier was trained on."""
    graph = clf.graph_
    if graph is None:
        raise OpineValueError("a loaded model knows no graph to decide about")
    if values["target_accuracy"] is None and values["abstain_above"] is None:
        raise OpineValueError("decide() needs target_accuracy= or abstain_above=")
    split = NULL if clf._split is None else clf._split
    with context(clf.n_jobs) as ctx:
        params = make_params(ctx, values)
        ctx.call(lib.opn_decide_check, clf._require_model(), graph._handle, split, params)
        # Deciding changes a prediction, so it has one of its own.
        said = ctx.make("prediction", lib.opn_model_predict, clf._model, graph._handle, NULL, 0)
        ctx.make("decisions", lib.opn_prediction_decide, clf._model, graph._handle, split, params,
                 said)
        return Decisions(said, graph.n_nodes)
