"""Decisions: which predictions are accepted, of opine's models and of anyone's."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import NULL, Context, context, encode, ffi, lib, make_params, text
from ._nodes import as_graph
from ._prediction import Prediction, measure_names
from .control import Control
from .errors import OpineValueError
from .graph import ROLES, Graph
from .labels import encode_labels

if TYPE_CHECKING:
    from ._types import Array, Handle
    from .classifier import NodeClassifier
    from .opinion import Opinion


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


# ---- anyone's scores ---------------------------------------------------------------------


class ScoreDecisions(Decisions):
    """What was decided about the nodes that another tool has scored.

    Beside what Decisions has:

    classes      the classes, in the order of all columns [K]
    predicted    [V] the most probable class
    probability  [V,K] as the scores say
    calibrated   [V,K] calibrated on the labels; None where these are too few, or with calibrate="none"
    opinion      the measures that follow from the scores, an opine.opinion.Opinion
    role         [V] which nodes calibrate and which test
    """

    opinion: Opinion

    def __init__(self, said: Handle, made: Handle, graph: Graph, classes: Array | None) -> None:
        super().__init__(said, made, graph.n_nodes)
        prediction = Prediction(said, graph, None)
        self.classes = graph.classes[:prediction.n_classes] if classes is None else classes
        self.predicted = self.classes[prediction.predicted()]
        self.probability = prediction.probability()
        self.calibrated = prediction.calibrated() if prediction.is_calibrated() else None
        self.opinion = prediction.opinion()
        self.role = graph.roles


def decide(scores: Any = None, labels: Any = None, *, logits: Any = None, alpha: Any = None,
           graph: Any = None, roles: Any = None, classes: Any = None, n_jobs: int | None = 1,
           **params: Any) -> ScoreDecisions:
    """Calibrates and decides about what another tool says, as `opine decide` does.

    scores   probabilities [V,K], or samples of them [S,V,K]; or the path of a CSV, JSON or npz file
    labels   [V], -1 or None for none, of nodes that did not train the model; or the path of a table
             of them. Without any, those of the file or of the graph
    logits   of a softmax, or
    alpha    of Dirichlets, in the place of probabilities
    graph    of these nodes, in their order, for a pool and for sets by DAPS
    roles    [V] "calibration", "test", …; without them half of the labelled nodes calibrate
    classes  [K] what the columns are, where they are not 0, 1, … or the classes of the graph
    params   target_accuracy, confidence, coverage, set_score, ood_fdr, abstain_above, calibrate,
             random_state and others of `opine help decide`

    >>> import numpy as np, opine
    >>> y = np.arange(400) % 2
    >>> p = np.where(y[:, None] == [0, 1], 0.9, 0.1)   # right about every node
    >>> made = opine.decide(p, y, target_accuracy=0.9)
    >>> made.control.is_shown, bool(made.accepted.all())
    (True, True)
    """
    is_file = isinstance(scores, (str, os.PathLike))
    values = dict(params)
    if "random_state" in values:
        values["seed"] = values.pop("random_state")
    with context(n_jobs) as ctx:
        if is_file:
            _refuse_arrays(logits=logits, alpha=alpha, roles=roles, classes=classes)
            values.update(labels=_path_of(labels, "labels"), graph=_path_of(graph, "graph"))
            found = _Scored(ctx, make_params(ctx, values), lib.opn_scores_load, encode(scores))
        else:
            arrays = _ScoreArrays(scores, logits, alpha, labels, graph, roles, classes)
            classes = arrays.classes
            found = _Scored(ctx, make_params(ctx, values), lib.opn_scores_create, arrays.struct)
        made = ctx.make("decisions", lib.opn_prediction_decide, NULL, found.graph, found.split,
                        found.params, found.said)
        return ScoreDecisions(found.said, made, Graph._of(found.graph),
                              None if is_file else classes)


def _refuse_arrays(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise OpineValueError(f"{name}= goes with scores in arrays, and a file was given")


def _path_of(value: Any, what: str) -> Any:
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise OpineValueError(
            f"{what}= is a {type(value).__name__}; with scores in a file it is the path of another")
    return None if value is None else os.fspath(value)


class _Scored:
    """What the library makes of scores."""

    def __init__(self, ctx: Context, params: Handle, function: Any, scores: Handle) -> None:
        graph, split, said = (ffi.new(f"opn_{kind} **") for kind in ("graph", "split", "prediction"))
        ctx.call(function, scores, params, graph, split, said)
        self.params = params
        self.graph = ffi.gc(graph[0], lib.opn_graph_free)
        self.split = ffi.gc(split[0], lib.opn_split_free)
        self.said = ffi.gc(said[0], lib.opn_prediction_free)


class _ScoreArrays:
    """Arrays as an opn_scores, and what keeps them alive.

    classes  [K] what the columns are
    """

    def __init__(self, p: Any, logits: Any, alpha: Any, labels: Any, graph: Any, roles: Any,
                 classes: Any) -> None:
        given = [(value, kind, what) for value, kind, what in (
            (p, lib.OPN_OPINION_PROBABILITY, "scores"), (logits, lib.OPN_OPINION_SOFTMAX, "logits"),
            (alpha, lib.OPN_OPINION_ALPHA, "alpha")) if value is not None]
        if len(given) != 1:
            raise OpineValueError("decide() takes either scores, a file or probabilities, or logits= "
                                  "or alpha=")
        value, kind, what = given[0]
        x = _arrays.as_array(value)
        x = _arrays.as_type(x[None] if x.ndim == 2 else x, np.float64, 3, what)
        n_samples, n_nodes, n_classes = x.shape
        self._graph = None if graph is None else as_graph(graph)
        self.classes, names = self._name_classes(classes, n_classes, labels)
        number = None if labels is None else self._number_labels(labels, names, n_nodes)
        role = None if roles is None else _role_numbers(roles, n_nodes)
        array, kept = _arrays.string_list(names)
        self._kept = (x, number, role, array, kept)
        self.struct = ffi.new("opn_scores *", {
            "input": kind, "n_samples": n_samples, "n_nodes": n_nodes, "n_classes": n_classes,
            "n_names": len(names), "class_name": array,
            "graph": NULL if self._graph is None else self._graph._handle})
        self.struct.x = _arrays.numbers(x)
        self._pointers = [_arrays.pointer(number), _arrays.pointer(role)]
        self.struct.label, self.struct.role = self._pointers

    def _name_classes(self, classes: Any, n_classes: int, labels: Any) -> tuple[Array, Array]:
        """The classes of the columns, and these followed by others that labels have."""
        if classes is not None:
            known = _arrays.as_array(classes)
        elif self._graph is not None and len(self._graph.classes) >= n_classes:
            known = self._graph.classes[:n_classes]
        else:
            known = np.arange(n_classes)
        if len(known) != n_classes:
            raise OpineValueError(f"{len(known)} classes for scores of {n_classes}")
        if labels is None:
            return known, known
        found = encode_labels(labels)[0]
        others = [c for c in found if str(c) not in {str(k) for k in known}]
        return known, np.array([*known, *others], dtype=object)

    @staticmethod
    def _number_labels(labels: Any, names: Array, n_nodes: int) -> Array:
        found, place = encode_labels(labels)
        if len(place) != n_nodes:
            raise OpineValueError(f"{len(place)} labels for scores of {n_nodes} nodes")
        at = {str(name): k for k, name in enumerate(names)}
        number = np.array([at[str(c)] for c in found] + [-1], dtype=np.int32)
        return np.ascontiguousarray(number[place])


def _role_numbers(roles: Any, n_nodes: int) -> Array:
    names = [str(role) for role in _arrays.as_array(roles)]
    if len(names) != n_nodes:
        raise OpineValueError(f"{len(names)} roles for scores of {n_nodes} nodes")
    strangers = sorted(set(names) - set(ROLES))
    if strangers:
        raise OpineValueError(f"role {strangers[0]!r} is not one of {', '.join(ROLES)}")
    return np.array([ROLES.index(name) for name in names], dtype=np.uint8)
