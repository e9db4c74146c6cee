"""The classifier: fit a graph, then ask for classes, probabilities and opinions."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._estimator import Estimator, describe_parameters, make_signature
from ._library import (NULL, Context, Hooks, context, encode, ffi, fields, lib, make_params,
                       param_rows, take_bytes, text)
from ._nodes import as_graph, is_graph, model_classes, node_numbers
from ._prediction import Prediction
from ._progress import shown
from ._tables import as_table
from .errors import OpineNotFittedError, OpineValueError
from .graph import ROLES, Graph
from .labels import encode_labels

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, Flags, Floats, Handle
    from .decision import Decisions
    from .explanation import Explanation
    from .opinion import Opinion

# The terms of the loss over all nodes cost as much as three epochs, so history_ has them of
# one epoch in so many.
TERMS_EVERY = 50


class NodeClassifier(Estimator):
    """Classifies the nodes of a graph and says how sure it is.

    model         "auto" compares several on validation nodes; or an id, "s-bgcn-t-k"
    graph         for scikit-learn's tools: X is then a list of nodes of this graph
    random_state  seed of everything that is drawn
    n_jobs        threads; -1 for all cores, None for 1. Results never depend on it
    verbose       1 shows progress, with tqdm where it is installed
    params        any parameter of the table, hidden=64 for example; None is the default

    After fit():

    classes_      the classes, in the order of all columns [K]
    model_id_     the model that was trained
    history_      one dictionary for each epoch; of models that were compared, those of the chosen one
    summary_      epochs, nodes, validation accuracy and seconds of training
    candidates_   what the model was compared with
    params_       every parameter that it was trained with
    roles_        role of each node in training
    graph_        the graph that it was trained on

    >>> import opine
    >>> clf = opine.NodeClassifier(model="s-gcn", epochs=20)
    >>> clf.fit(opine.datasets.load("demo")).classes_
    array([0, 1, 2, 3, 4, 5])
    """

    def __init__(self, model: str = "auto", *, graph: Any = None, random_state: Any = 0,
                 n_jobs: int | None = 1, verbose: int = 0, **params: Any) -> None:
        self._set_own(params, model=model, graph=graph, random_state=random_state, n_jobs=n_jobs,
                      verbose=verbose)

    # ---- training ----

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> NodeClassifier:
        """Trains on a graph; or, where the constructor was given one, on nodes X of it.

        X  a Graph, a Data of PyG, a graph of DGL; or nodes, by number, by name or by a mask [V]
        y  their labels; without it those of the graph

        Returns self.

        >>> import opine
        >>> graph = opine.datasets.load("demo")
        >>> clf = opine.NodeClassifier("s-gcn", graph=graph, epochs=20)
        >>> clf.fit(range(0, 2500, 5)).roles_[:6].tolist()[1:5]
        ['unlabelled', 'unlabelled', 'unlabelled', 'unlabelled']
        """
        graph = self._training_graph(X, y)
        history: list[dict[str, Any]] = []
        with shown(self.verbose) as bar, \
                context(self.n_jobs, Hooks(bar, history, TERMS_EVERY)) as ctx:
            params = make_params(ctx, self._table_values())
            ctx.call(lib.opn_params_check_models, params, 0)
            ctx.call(lib.opn_graph_warnings, graph._handle, params, NULL, NULL)
            ctx.call(lib.opn_params_use_preset, graph._handle, params)
            split = ctx.make("split", lib.opn_split_from_params, graph._handle, params)
            model = ctx.make("model", lib.opn_model_train, graph._handle, split, params, NULL)
            if text(lib.opn_params_text(params, b"preset")) == "auto":
                ctx.call(lib.opn_model_review, graph._handle, split, params, model)
            ctx.call(lib.opn_model_calibrate, graph._handle, split, params, model)
        self._take(model, graph, split)
        self.history_ = history
        return self

    def _training_graph(self, X: Any, y: ArrayLike | None) -> Graph:
        if X is None or is_graph(X):
            given = self.graph if X is None else X
            if given is None:
                raise OpineValueError("fit() needs a graph, here or in the constructor")
            graph = as_graph(given)
            return graph if y is None else graph.relabelled(y)
        if self.graph is None:
            raise OpineValueError(
                f"fit() was given a {type(X).__name__}; it takes a Graph, or the nodes of the "
                "graph= of the constructor")
        graph = as_graph(self.graph)
        nodes = node_numbers(X, graph)
        labels = graph.y[nodes] if y is None else _arrays.as_array(y)
        if len(labels) != len(nodes):
            raise OpineValueError(f"{len(labels)} labels for {len(nodes)} nodes")
        classes, numbers = (graph.classes, graph.y_index[nodes]) if y is None else \
            encode_labels(labels)
        known = numbers >= 0
        spread = np.full(graph.n_nodes, None, dtype=object)
        spread[nodes[known]] = classes[numbers[known]]
        return graph.relabelled(spread, classes=None if y is None else classes)

    def _take(self, model: Handle, graph: Graph | None, split: Handle | None) -> None:
        """Becomes the classifier of a model of the library."""
        self._model = model
        self._split = split
        self._said: Handle | None = None  # about graph_, once it was asked for
        self.graph_ = graph
        self.class_names_ = [text(lib.opn_model_class_name(model, k))
                             for k in range(lib.opn_model_n_classes(model))]
        self.classes_ = model_classes(self.class_names_, graph)
        self.model_id_ = text(lib.opn_model_id(model))
        self.n_features_in_ = int(lib.opn_model_n_features(model))
        self.history_ = []

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _require_model(self) -> Handle:
        if not self.__sklearn_is_fitted__():
            raise OpineNotFittedError("this NodeClassifier is not fitted yet; call fit() first")
        return self._model

    def _require_graph(self, graph: Any = None) -> Graph:
        """`graph`, or that of training."""
        self._require_model()
        if graph is not None:
            return as_graph(graph)
        if self.graph_ is None:
            raise OpineValueError("a loaded model knows no graph; give one: load(path, graph), "
                                  "or predict(graph)")
        return self.graph_

    # ---- what it says ----

    def _ask(self, X: Any) -> Prediction:
        """What it says about the nodes X, or about those of a graph X."""
        graph = self._require_graph(X if is_graph(X) else None)
        rows = None if X is None or is_graph(X) else node_numbers(X, graph)
        said = self._said if graph is self.graph_ else None
        if said is None:
            with context(self.n_jobs) as ctx:
                said = ctx.make("prediction", lib.opn_model_predict, self._model, graph._handle,
                                NULL, lib.OPN_KEEP_BELIEF)
        if graph is self.graph_:
            self._said = said
        return Prediction(said, graph, rows)

    def predict(self, X: Any = None) -> Array:
        """Class of every node, of the nodes X, or of the nodes of another graph X.

        Nodes are given by number, by name or by a mask [V], here and below.

        >>> import opine
        >>> graph = opine.datasets.load("demo")
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(graph)
        >>> clf.predict([3, 7]).shape, clf.predict(graph.y_index == 0).shape == (sum(graph.y_index == 0),)
        ((2,), True)
        """
        said = self._ask(X)
        return self.classes_[said.predicted()]

    def predict_proba(self, X: Any = None) -> Floats:
        """Probabilities [n,K] in the order of classes_.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> clf.predict_proba([3, 7]).sum(axis=1).round(5).tolist()
        [1.0, 1.0]
        """
        return self._ask(X).probability()

    def calibrated_proba(self, X: Any = None) -> Floats:
        """Calibrated probabilities [n,K] in the order of classes_.

        They mean what they say: of the nodes with 0.9 for a class, about 90 % are of it. The most
        probable class may differ from predict(), whose confidence() is that of its class.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> clf.calibrated_proba([3, 7]).shape
        (2, 6)
        """
        return self._ask(X).calibrated()

    def confidence(self, X: Any = None) -> Floats:
        """Calibrated probability [n] of the class that predict() gives.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> bool((clf.confidence() <= clf.calibrated_proba().max(axis=1)).all())
        True
        """
        return self._ask(X).confidence()

    def opinion(self, X: Any = None) -> Opinion:
        """The opinion about every node, as arrays: opine.opinion.Opinion.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> said = clf.opinion([3, 7])
        >>> said.vacuity.shape, said.belief.shape
        ((2,), (2, 6))
        """
        return self._ask(X).opinion()

    def opinions(self, X: Any = None, *, as_frame: bool | None = None) -> Any:
        """The table of predictions and opinions, as `opine predict` writes it.

        A DataFrame where pandas is installed, else a dictionary of arrays.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> list(clf.opinions())[:5], len(clf.opinions([3, 7])["vacuity"])
        (['node', 'role', 'label', 'p_0', 'p_1'], 2)
        """
        said = self._ask(X)
        return as_table(said.columns(self._roles_on(said.graph), self.classes_, self.class_names_),
                        as_frame)

    def score(self, X: Any = None, y: ArrayLike | None = None) -> float:
        """Share of nodes classified correctly: of X, else of the test nodes of the graph.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> clf.score([3, 7], clf.predict([3, 7]))
        1.0
        """
        said = self._ask(X)
        truth = said.graph.y[said.nodes()] if y is None else _arrays.as_array(y)
        right = self.classes_[said.predicted()] == truth
        if y is None:
            known = said.graph.y_index[said.nodes()] >= 0
            if not known.any():
                raise OpineValueError("none of these nodes had a label in training; give score() theirs, "
                                      "score(X, y)")
            tested = known & (self._roles_on(said.graph)[said.nodes()] == "test")
            right = right[tested if tested.any() else known]
        return float(np.mean(right))

    def explain(self, node: Any, X: Any = None) -> Explanation:
        """Why it says what it says about a node: a sentence and its figures.

        node  its name or number
        X     another graph that it is a node of

        >>> import opine
        >>> clf = opine.NodeClassifier(model="s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> clf.explain(7).node
        7
        """
        from .explanation import Explanation
        said = self._ask(X)
        split = self._split if said.graph is self.graph_ else None
        with context(self.n_jobs) as ctx:
            out = ctx.make("explanation", lib.opn_explain_predicted, self._model,
                           said.graph._handle, NULL if split is None else split, said.handle,
                           said.graph.find(node))
        return Explanation(out, self, said.graph)

    # ---- what to do about it ----

    def decide(self, target_accuracy: float | None = None, *, confidence: float | None = None,
               pick: str | None = None, abstain_above: dict[str, float] | str | None = None,
               decide_by: str | None = None, ood_fdr: float | None = None) -> Decisions:
        """Which predictions to accept, and which to leave to a person.

        target_accuracy  of what is accepted: as much as labels show can be, and nothing where
                         they show nothing
        confidence       how sure it is to be kept, over draws of the labels; 0.9 by default
        pick             "best-looking" takes the threshold that looks best on validation nodes
                         instead, and promises nothing
        abstain_above    thresholds of measures, {"vacuity": 0.5} for example
        decide_by        the measure for the target; the recommended one by default
        ood_fdr          marks nodes of an unknown class; at most this share of the marks is wrong
                         on average

        What is not given here is as the constructor was told. Returns a Decisions: decision and
        decided_by [V], and the figures behind them.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> sure = clf.decide(abstain_above={"vacuity": 0.5}).accepted
        >>> bool((clf.opinion().vacuity[sure] <= 0.5).all())
        True
        """
        from .decision import make_decisions
        told = self._told(target_accuracy=target_accuracy, confidence=confidence, pick=pick,
                          abstain_above=abstain_above, decide_by=decide_by, ood_fdr=ood_fdr)
        if all(told[name] is None for name in ("target_accuracy", "abstain_above", "ood_fdr")):
            raise OpineValueError("decide() needs target_accuracy=, abstain_above= or ood_fdr=")
        return make_decisions(self, self._require_graph(), told)

    def predict_set(self, X: Any = None, coverage: float | None = None, *,
                    method: str | None = None, class_conditional: bool | None = None) -> Flags:
        """Sets of classes that hold the true one with a probability of at least `coverage`.

        X                  nodes of the graph trained on; all of them by default
        coverage           0.9 by default
        method             "lac" makes the smallest sets and is the default; "aps", "raps", "daps"
        class_conditional  whether each class is covered on its own

        Returns [n,K], True for the classes in the set of a node, in the order of classes_. The
        promise rests on the calibration nodes, and on the validation nodes where they are few.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> few, many = (clf.predict_set(coverage=coverage) for coverage in (0.5, 0.9))
        >>> few.shape, bool((few <= many).all())
        ((2500, 6), True)
        """
        from .decision import make_decisions
        graph = self._require_graph()
        by = {None: None, False: "all", True: "class"}[class_conditional]
        told = self._told(coverage=coverage, set_score=method, coverage_by=by)
        if told["coverage"] is None:
            told["coverage"] = 0.9
        sets: Flags = make_decisions(self, graph, told).set
        return sets if X is None else sets[node_numbers(X, graph)]

    def _told(self, **values: Any) -> dict[str, Any]:
        """Parameters of decisions: those of a call, else those of the constructor."""
        return {name: self._params[name] if value is None else value
                for name, value in values.items()}

    def suggest(self, n: int = 20, *, as_frame: bool | None = None) -> Any:
        """At most n nodes to label next, the most useful first. Experimental.

        Nodes without a label are suggested; where all have one, those that training did not use.
        A DataFrame where pandas is installed, else a dictionary of arrays: node, gain, predicted,
        vacuity, dissonance, entropy.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> len(clf.suggest(5)["node"])
        5
        """
        from .labelling import suggest_columns
        return as_table(suggest_columns(self, self._require_graph(), n), as_frame)

    def suspects(self, *, as_frame: bool | None = None) -> Any:
        """Labels that models which did not see them contradict, the clearest first. Experimental.

        Trains five times. A DataFrame where pandas is installed, else a dictionary of arrays:
        node, label, expected, p_label, p_expected, vacuity.

        >>> import opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> found = clf.suspects()
        >>> bool((found["label"] != found["expected"]).all())
        True
        """
        from .labelling import suspect_columns
        return as_table(suspect_columns(self, self._require_graph()), as_frame)

    # ---- how it was trained ----

    @property
    def roles_(self) -> Array:
        """Role of each node of graph_ in training [V]."""
        return self._roles_on(self._require_graph())

    def _roles_on(self, graph: Graph) -> Array:
        if graph is self.graph_ and self._split is not None:
            roles: Array = _arrays.copy_array(lib.opn_split_roles(self._split), (graph.n_nodes,),
                                              np.uint8)
            return np.array(ROLES)[roles]
        return np.where(graph.y_index < 0, "unlabelled", "pool")

    @property
    def summary_(self) -> dict[str, Any]:
        """What training did: epochs, nodes, validation accuracy, seconds."""
        out = ffi.new("opn_train_summary *")
        lib.opn_model_summary(self._require_model(), out)
        return fields(out)

    @property
    def candidates_(self) -> list[dict[str, Any]]:
        """What the model was compared with on validation nodes, and which was chosen."""
        model = self._require_model()
        out = ffi.new("opn_candidate *")
        found = []
        for i in range(lib.opn_model_candidate_count(model)):
            lib.opn_model_candidate(model, i, out)
            found.append({"name": text(out.name), "is_chosen": bool(out.is_chosen),
                          "is_baseline": bool(out.is_baseline), "n_validation": out.n_validation,
                          "accuracy": out.accuracy, "error": out.error, "nll": out.nll})
        return found

    @property
    def params_(self) -> dict[str, str]:
        """Every parameter that the model was trained with, as text."""
        model = self._require_model()
        values = {text(row.name): text(lib.opn_model_param(model, row.name)) for row in param_rows()}
        return {name: value for name, value in values.items() if value}

    # ---- files, other processes, notebooks ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model, m.safetensors for example; opine.load() reads it.

        >>> import os, tempfile, opine
        >>> graph = opine.datasets.load("demo")
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(graph)
        >>> path = os.path.join(tempfile.mkdtemp(), "m.safetensors")
        >>> clf.save(path)
        >>> bool((opine.load(path, graph).predict() == clf.predict()).all())
        True
        """
        with context() as ctx:
            ctx.call(lib.opn_model_save, self._require_model(), encode(path))

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Writes a page about the uncertainty of the model, a single HTML file.

        >>> import os, tempfile, opine
        >>> clf = opine.NodeClassifier("s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> path = os.path.join(tempfile.mkdtemp(), "mine.html")
        >>> clf.report(path, title="mine")
        >>> os.path.getsize(path) > 100000
        True
        """
        graph = self._require_graph()
        with shown(self.verbose) as bar, context(self.n_jobs, Hooks(bar)) as ctx:
            params = make_params(ctx, {})
            made = ctx.make("report", lib.opn_report_create, graph._handle,
                            NULL if title is None else encode(title))
            ctx.call(lib.opn_report_add_model, made, self._model, params)
            ctx.call(lib.opn_report_save, made, encode(path))

    def __getstate__(self) -> dict[str, Any]:
        state = {key: value for key, value in self.__dict__.items()
                 if key not in ("_model", "_split", "_said")}
        if self.__sklearn_is_fitted__():
            with context() as ctx:
                state["_bytes"] = take_bytes(ctx.make("bytes", lib.opn_model_write, self._model))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("_bytes", None)
        self.__dict__.update(state)
        if data is None:
            return
        with context() as ctx:
            self._model = ctx.make("model", lib.opn_model_read, ffi.from_buffer(data), len(data))
            self._split = _split_of(ctx, self._model, self.graph_)
        self._said = None

    def _repr_html_(self) -> str:
        from .explanation import summary_html
        return summary_html(self)


NodeClassifier.__signature__ = make_signature()  # type: ignore[attr-defined]
if NodeClassifier.__doc__ is not None:  # it is None under python -OO
    NodeClassifier.__doc__ = inspect.cleandoc(NodeClassifier.__doc__) + describe_parameters()


def load(path: str | os.PathLike[str], graph: Any = None) -> NodeClassifier:
    """A classifier from a model file; with `graph` it speaks of that one by default.

    >>> import os, tempfile, opine
    >>> graph = opine.datasets.load("demo")
    >>> path = os.path.join(tempfile.mkdtemp(), "m.safetensors")
    >>> opine.NodeClassifier("s-gcn", epochs=20).fit(graph).save(path)
    >>> opine.load(path, graph).model_id_
    's-gcn'
    """
    clf = NodeClassifier()
    with context() as ctx:
        model = ctx.make("model", lib.opn_model_load, encode(path))
        known = None if graph is None else as_graph(graph)
        split = _split_of(ctx, model, known)
    clf._take(model, known, split)
    clf.model = clf.model_id_
    return clf


def _split_of(ctx: Context, model: Handle, graph: Graph | None) -> Handle | None:
    """The split that a model was trained with, if the graph is that of training."""
    if graph is None:
        return None
    out = ffi.new("opn_split **")
    ctx.call(lib.opn_model_split, model, graph._handle, out)
    return None if out[0] == NULL else ffi.gc(out[0], lib.opn_split_free)
