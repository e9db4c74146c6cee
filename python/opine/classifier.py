"""The classifier: fit a graph, then ask for classes, probabilities and opinions."""

import inspect

import numpy as np

from . import _arrays
from ._library import (NULL, Hooks, context, encode, ffi, fields, lib, make_params, nearest,
                       param_rows, take_bytes, text)
from .errors import OpineValueError
from .graph import ROLES, Graph
from .labels import class_values, encode_labels

# Parameters of the table that have a scikit-learn name of their own here.
_OWN_NAMES = {"model", "seed", "threads"}

# The terms of the loss over all nodes cost as much as three epochs, so history_ has them of
# one epoch in so many.
TERMS_EVERY = 50


def table_names():
    """Names of the parameters that a classifier has, as in the table."""
    wanted = lib.OPN_AFFECTS_PREDICTION | lib.OPN_AFFECTS_DECISIONS
    return [text(row.name) for row in param_rows()
            if row.affects & wanted and text(row.name) not in _OWN_NAMES]


def measure_names():
    """Names of the measures."""
    return [text(lib.opn_measure_name(m)) for m in range(lib.opn_measure_count())]


class NodeClassifier:
    """Classifies the nodes of a graph and says how sure it is.

    model         "auto" compares several on validation nodes; or an id, "s-bgcn-t-k"
    graph         for scikit-learn's tools: X is then a list of nodes of this graph
    random_state  seed of everything that is drawn
    n_jobs        threads; -1 for all cores. Results never depend on it
    verbose       1 shows progress, with tqdm where it is installed
    params        any parameter of the table, hidden=64 for example; None is the default

    After fit(): classes_, model_id_, history_, summary_, candidates_, roles_, graph_.

    >>> import opine
    >>> clf = opine.NodeClassifier(model="s-gcn", epochs=20)
    >>> clf.fit(opine.datasets.load("demo")).classes_
    array([0, 1, 2, 3, 4, 5])
    """

    _estimator_type = "classifier"  # for scikit-learn

    def __init__(self, model="auto", *, graph=None, random_state=0, n_jobs=1, verbose=0, **params):
        known = table_names()
        for name in params:
            if name not in known:
                guess = nearest(name, known)
                raise TypeError(f"NodeClassifier has no parameter {name!r}"
                                + (f"; did you mean {guess!r}?" if guess else ""))
        self.model = model
        self.graph = graph
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._params = dict.fromkeys(known)
        self._params.update(params)

    # ---- as scikit-learn expects ----

    def get_params(self, deep=True):
        """All parameters by name."""
        del deep
        own = {name: getattr(self, name)
               for name in ("model", "graph", "random_state", "n_jobs", "verbose")}
        return {**own, **self._params}

    def set_params(self, **params):
        """Sets parameters; returns self."""
        for name, value in params.items():
            if name in self._params:
                self._params[name] = value
            elif name in self.get_params():
                setattr(self, name, value)
            else:
                raise ValueError(f"NodeClassifier has no parameter {name!r}")
        return self

    def __getattr__(self, name):
        params = self.__dict__.get("_params", {})
        if name in params:
            return params[name]
        if name.endswith("_") and not name.startswith("_"):
            raise AttributeError(f"{name} is there after fit()")
        raise AttributeError(f"'NodeClassifier' object has no attribute {name!r}")

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags
        return Tags(estimator_type="classifier", target_tags=TargetTags(required=False),
                    classifier_tags=ClassifierTags(),
                    input_tags=InputTags(one_d_array=True, two_d_array=True, string=True))

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def _table_values(self):
        seed = self.random_state
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        elif hasattr(seed, "randint"):
            seed = int(seed.randint(2**31 - 1))
        return {**self._params, "model": self.model, "seed": seed}

    # ---- training ----

    def fit(self, X=None, y=None):
        """Trains on a graph; or, where the constructor was given one, on nodes X of it.

        X  a Graph, or what Graph.of() takes; or nodes, by number or name
        y  their labels; without it those of the graph

        Returns self.
        """
        graph = self._training_graph(X, y)
        history = []
        hooks = Hooks(progress=make_progress(self.verbose), epoch=make_epoch(history),
                      terms_every=TERMS_EVERY)
        with context(self.n_jobs, hooks) as ctx:
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
        if hooks.progress:
            hooks.progress.close()
        return self

    def _training_graph(self, X, y):
        if X is None or isinstance(X, Graph) or _is_graph_like(X):
            graph = as_graph(X) if X is not None else self.graph
            if graph is None:
                raise OpineValueError("fit() needs a graph, here or in the constructor")
            return graph if y is None else graph.relabelled(y)
        if self.graph is None:
            raise OpineValueError(
                f"fit() was given a {type(X).__name__}; it takes a Graph, or the nodes of the "
                "graph= of the constructor")
        graph = as_graph(self.graph)
        nodes = self._node_numbers(X, graph)
        if y is None:
            labels = np.full(graph.n_nodes, None, dtype=object)
            labels[nodes] = graph.y[nodes]
            return graph.relabelled(labels)
        y = _arrays.as_array(y)
        if len(y) != len(nodes):
            raise OpineValueError(f"{len(y)} labels for {len(nodes)} nodes")
        classes, numbers = encode_labels(y)
        labels = np.full(graph.n_nodes, None, dtype=object)
        known = numbers >= 0
        labels[nodes[known]] = classes[numbers[known]]
        return graph.relabelled(labels, classes=classes)

    @staticmethod
    def _node_numbers(X, graph):
        """Numbers of nodes given by number or name, in one column at most."""
        nodes = _arrays.as_array(X)
        if nodes.ndim == 2 and nodes.shape[1] == 1:
            nodes = nodes[:, 0]
        if nodes.ndim != 1:
            raise OpineValueError(
                f"X has the shape {nodes.shape}; nodes of the graph, by number or name, are expected")
        if nodes.dtype.kind in "biuf":
            numbers = _arrays.as_index(nodes, "X")
            if numbers.size and (numbers.min() < 0 or numbers.max() >= graph.n_nodes):
                raise OpineValueError(
                    f"X has the node {numbers.max() if numbers.max() >= graph.n_nodes else numbers.min()}"
                    f", outside [0, {graph.n_nodes})")
            return numbers.astype(np.int64)
        known = {name: i for i, name in enumerate(graph.names or [])}
        return np.array([known[str(n)] if str(n) in known else graph.find(n) for n in nodes],
                        dtype=np.int64)

    def _take(self, model, graph, split):
        """Becomes the classifier of a model of the library."""
        self._model = model
        self._split = split
        self._predicted = None
        self.graph_ = graph
        names = [text(lib.opn_model_class_name(model, k))
                 for k in range(lib.opn_model_n_classes(model))]
        self.class_names_ = names
        self.classes_ = _model_classes(names, graph)
        self.model_id_ = text(lib.opn_model_id(model))
        self.n_features_in_ = lib.opn_model_n_features(model)
        self.history_ = []

    # ---- what it says ----

    def _require_model(self):
        if "_model" not in self.__dict__:
            raise AttributeError("this NodeClassifier is not fitted yet; call fit() first")
        return self._model

    def _ask(self, X, params=None):
        """Predictions of a whole graph, and which of its nodes are asked for."""
        model = self._require_model()
        is_graph = isinstance(X, Graph) or (X is not None and _is_graph_like(X))
        graph = as_graph(X) if is_graph else self.graph_
        if graph is None:
            raise OpineValueError("a loaded model knows no graph; give one: predict(graph)")
        rows = None if X is None or is_graph else self._node_numbers(X, graph)
        if graph is self.graph_ and self._predicted is not None and not params:
            return graph, self._predicted, rows
        with context(self.n_jobs) as ctx:
            c_params = make_params(ctx, params) if params else NULL
            said = ctx.make("prediction", lib.opn_model_predict, model, graph._handle, c_params,
                            lib.OPN_KEEP_BELIEF)
        if graph is self.graph_ and not params:
            self._predicted = said
        return graph, said, rows

    @staticmethod
    def _rows(array, rows):
        return array if rows is None or array is None else array[rows]

    def predict(self, X=None):
        """Class of every node, of the nodes X, or of the nodes of another graph X."""
        graph, said, rows = self._ask(X)
        numbers = _arrays.copy_array(lib.opn_prediction_predicted(said), (graph.n_nodes,), np.int32)
        return self.classes_[self._rows(numbers, rows)]

    def predict_proba(self, X=None):
        """Probabilities [n,K] in the order of classes_."""
        graph, said, rows = self._ask(X)
        return self._rows(_arrays.copy_array(lib.opn_prediction_probability(said),
                                             (graph.n_nodes, len(self.classes_)), np.float32), rows)

    def calibrated_proba(self, X=None):
        """Calibrated probabilities [n,K] in the order of classes_.

        They mean what they say: of the nodes with 0.9 for a class, about 90 % are of it. The most
        probable class may differ from predict(), whose confidence() is that of its class.
        """
        graph, said, rows = self._ask(X)
        return self._calibrated(lib.opn_prediction_calibrated(said),
                                (graph.n_nodes, len(self.classes_)), rows)

    def confidence(self, X=None):
        """Calibrated probability [n] of the class that predict() gives."""
        graph, said, rows = self._ask(X)
        return self._calibrated(lib.opn_prediction_confidence(said), (graph.n_nodes,), rows)

    def _calibrated(self, values, shape, rows):
        if values == NULL:
            raise OpineValueError(
                "the model is not calibrated: calibrate is none, or there are too few labels for it")
        return self._rows(_arrays.copy_array(values, shape, np.float32), rows)

    def opinion(self, X=None):
        """The opinion about every node, as arrays: opine.opinion.Opinion."""
        from .opinion import Opinion
        graph, said, rows = self._ask(X)
        shape = (graph.n_nodes, len(self.classes_))

        def take(chars, size=shape):
            return self._rows(_arrays.copy_array(chars, size, np.float32), rows)

        measures = {name: take(lib.opn_prediction_measure(said, m), shape[:1])
                    for m, name in enumerate(measure_names())}
        return Opinion(take(lib.opn_prediction_probability(said)),
                       take(lib.opn_prediction_alpha(said)), measures)

    def opinions(self, X=None, *, as_frame=None):
        """The table of predictions and opinions, as `opine predict` writes it.

        A DataFrame where pandas is installed, else a dictionary of arrays.
        """
        graph, said, rows = self._ask(X)
        opinion = self.opinion(X)
        keep = np.arange(graph.n_nodes) if rows is None else rows
        names = graph.names
        columns = {"node": keep if names is None else np.array(names, dtype=object)[keep],
                   "role": self._roles_on(graph)[keep],
                   "label": graph.y[keep]}
        for k, name in enumerate(self.class_names_):
            columns[f"p_{name}"] = opinion.probability[:, k]
        for k, name in enumerate(self.class_names_):
            if opinion.alpha is not None:
                columns[f"alpha_{name}"] = opinion.alpha[:, k]
        columns.update({name: values for name, values in opinion.measures.items()
                        if values is not None})
        columns["predicted"] = self.predict(X)
        if lib.opn_prediction_calibrated(said) != NULL:
            columns["confidence"] = self.confidence(X)
            for name, values in zip(self.class_names_, self.calibrated_proba(X).T):
                columns[f"calibrated_{name}"] = values
        if as_frame is False:
            return columns
        try:
            import pandas
        except ImportError:
            if as_frame:
                raise
            return columns
        return pandas.DataFrame(columns)

    def _roles_on(self, graph):
        if graph is self.graph_ and self._split is not None:
            roles = _arrays.copy_array(lib.opn_split_roles(self._split), (graph.n_nodes,), np.uint8)
            return np.array(ROLES)[roles]
        return np.where(graph.y_index < 0, "unlabelled", "pool")

    def score(self, X=None, y=None):
        """Share of nodes classified correctly: of X, else of the test nodes of the graph."""
        predicted = self.predict(X)
        if y is None:
            graph = as_graph(X) if X is not None and _is_graph_like(X) else self.graph_
            y = graph.y
            known = graph.y_index >= 0
            tested = known & (self._roles_on(graph) == "test")
            known = tested if tested.any() else known
            return float(np.mean(predicted[known] == y[known]))
        return float(np.mean(predicted == _arrays.as_array(y)))

    def decide(self, target_accuracy=None, *, confidence=None, pick=None, abstain_above=None,
               decide_by=None, ood_fdr=None):
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
        """
        from .decision import make_decisions
        told = self._told(target_accuracy=target_accuracy, confidence=confidence, pick=pick,
                          abstain_above=abstain_above, decide_by=decide_by, ood_fdr=ood_fdr)
        above = told["abstain_above"]
        if told["target_accuracy"] is None and above is None and told["ood_fdr"] is None:
            raise OpineValueError("decide() needs target_accuracy=, abstain_above= or ood_fdr=")
        if above is not None and not isinstance(above, str):
            told["abstain_above"] = ",".join(f"{name}={value!r}" for name, value in above.items())
        return make_decisions(self, told)

    def predict_set(self, X=None, coverage=None, *, method=None, class_conditional=None):
        """Sets of classes that hold the true one with a probability of at least `coverage`.

        X                  nodes of the graph trained on; all of them by default
        coverage           0.9 by default
        method             "lac" makes the smallest sets and is the default; "aps", "raps", "daps"
        class_conditional  whether each class is covered on its own

        Returns [n,K], True for the classes in the set of a node, in the order of classes_. The
        promise rests on the calibration nodes, and on the validation nodes where they are few.
        """
        from .decision import make_decisions
        by = {None: None, False: "all", True: "class"}[class_conditional]
        told = self._told(coverage=coverage, set_score=method, coverage_by=by)
        if told["coverage"] is None:
            told["coverage"] = 0.9
        found = make_decisions(self, told)
        return self._rows(found.set, None if X is None else self._node_numbers(X, self.graph_))

    def _told(self, **values):
        """Parameters of decisions: those of a call, else those of the constructor."""
        return {name: self._params[name] if value is None else value
                for name, value in values.items()}

    def explain(self, node, X=None):
        """Why it says what it says about a node: a sentence and its figures.

        >>> import opine
        >>> clf = opine.NodeClassifier(model="s-gcn", epochs=20).fit(opine.datasets.load("demo"))
        >>> clf.explain(7).node
        7
        """
        from .explanation import Explanation
        graph = self.graph_ if X is None else as_graph(X)
        graph, said, _ = self._ask(None if graph is self.graph_ else graph)
        with context(self.n_jobs) as ctx:
            out = ctx.make("explanation", lib.opn_explain_predicted, self._model, graph._handle,
                           self._split if graph is self.graph_ and self._split is not None else NULL,
                           said, graph.find(node))
        return Explanation(out, self, graph)

    @property
    def roles_(self):
        """Role of each node of graph_ in training."""
        self._require_model()
        return self._roles_on(self.graph_)

    @property
    def summary_(self):
        """What training did: epochs, nodes, validation accuracy, seconds."""
        out = ffi.new("opn_train_summary *")
        lib.opn_model_summary(self._require_model(), out)
        return fields(out)

    @property
    def candidates_(self):
        """What the model was compared with on validation nodes, best chosen."""
        out = ffi.new("opn_candidate *")
        found = []
        for i in range(lib.opn_model_candidate_count(self._require_model())):
            lib.opn_model_candidate(self._model, i, out)
            found.append({"name": text(out.name), "is_chosen": bool(out.is_chosen),
                          "is_baseline": bool(out.is_baseline), "n_validation": out.n_validation,
                          "accuracy": out.accuracy, "error": out.error, "nll": out.nll})
        return found

    def params_of_training(self):
        """Every parameter that the model was trained with, as text."""
        model = self._require_model()
        return {text(row.name): text(lib.opn_model_param(model, row.name)) for row in param_rows()
                if text(lib.opn_model_param(model, row.name))}

    # ---- files, other processes, notebooks ----

    def save(self, path):
        """Writes the model, m.safetensors for example; opine.load() reads it."""
        with context() as ctx:
            ctx.call(lib.opn_model_save, self._require_model(), encode(path))

    def report(self, path, *, title=None):
        """Writes a page about the uncertainty of the model, a single HTML file."""
        if self.graph_ is None:
            raise OpineValueError("a loaded model knows no graph to report about")
        with context(self.n_jobs) as ctx:
            params = make_params(ctx, {})
            made = ctx.make("report", lib.opn_report_create, self.graph_._handle,
                            NULL if title is None else encode(title))
            ctx.call(lib.opn_report_add_model, made, self._require_model(), params)
            ctx.call(lib.opn_report_save, made, encode(path))

    def __getstate__(self):
        state = {key: value for key, value in self.__dict__.items()
                 if key not in ("_model", "_split", "_predicted")}
        if "_model" in self.__dict__:
            with context() as ctx:
                state["_bytes"] = take_bytes(ctx.make("bytes", lib.opn_model_write, self._model))
        return state

    def __setstate__(self, state):
        data = state.pop("_bytes", None)
        self.__dict__.update(state)
        if data is None:
            return
        with context() as ctx:
            self._model = ctx.make("model", lib.opn_model_read, ffi.from_buffer(data), len(data))
            self._split = split_of(ctx, self._model, self.graph_)
        self._predicted = None

    def __repr__(self):
        given = {name: value for name, value in self.get_params().items()
                 if value is not None and (name, value) not in
                 (("random_state", 0), ("n_jobs", 1), ("verbose", 0), ("model", "auto"))}
        return f"NodeClassifier({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    def _repr_html_(self):
        from .explanation import summary_html
        return summary_html(self)


def load(path, graph=None):
    """A classifier from a model file; with `graph` it speaks of that one by default."""
    clf = NodeClassifier()
    with context() as ctx:
        model = ctx.make("model", lib.opn_model_load, encode(path))
        graph = None if graph is None else as_graph(graph)
        split = None if graph is None else split_of(ctx, model, graph)
    clf._take(model, graph, split)
    clf.model = clf.model_id_
    return clf


def split_of(ctx, model, graph):
    """The split that a model was trained with, if the graph is that of training."""
    if graph is None:
        return None
    out = ffi.new("opn_split **")
    ctx.call(lib.opn_model_split, model, graph._handle, out)
    return None if out[0] == NULL else ffi.gc(out[0], lib.opn_split_free)


def _model_classes(names, graph):
    """The classes as the caller gave them, in the order of the model."""
    if graph is None or not len(graph.classes):
        return class_values(names)
    given = {str(value): value for value in graph.classes}
    if not all(name in given for name in names):
        return class_values(names)
    return np.array([given[name] for name in names], dtype=graph.classes.dtype)


def _is_graph_like(value):
    return (hasattr(value, "edge_index") or hasattr(value, "ndata")
            or type(value).__module__.startswith("networkx"))


def as_graph(value):
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


# ---- while training ----------------------------------------------------------------------


def make_epoch(history):
    """Keeps one row for each epoch."""
    def keep(stage, number, terms):
        history.append({"stage": stage, "epoch": number, **terms})
    return keep


class _Bar:
    """Progress as tqdm shows it, or as lines where it is not installed."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm
        self._bar = None
        self._stage = None

    def __call__(self, stage, done, total, unit, note):
        if self._tqdm is None:
            if stage != self._stage:
                print(f"{stage} …", flush=True)
            self._stage = stage
            return
        if stage != self._stage:
            self.close()
            self._bar = self._tqdm(total=total or None, desc=stage, unit=f" {unit}", leave=False)
            self._stage = stage
        self._bar.n = done
        self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(0)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = None


def make_progress(verbose):
    """A hook that shows progress, or None."""
    return _Bar() if verbose else None


def _make_signature():
    own = [inspect.Parameter("model", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="auto")]
    named = {"graph": None, "random_state": 0, "n_jobs": 1, "verbose": 0,
             **dict.fromkeys(table_names())}
    own += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in named.items()]
    return inspect.Signature(own)


NodeClassifier.__signature__ = _make_signature()
