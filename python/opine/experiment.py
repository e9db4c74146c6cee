"""Research: evaluation over seeds, tuning, and reports about runs or anyone's predictions."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np

from . import _arrays
from ._library import NULL, Hooks, context, encode, lib, make_params, text
from .classifier import as_graph, make_progress
from .errors import OpineValueError
from .opinion import Opinion


class Table(dict):
    """A JSON document of the library; printing it shows the table of the command."""

    def __init__(self, document, shown):
        super().__init__(document)
        self._shown = shown

    def __str__(self):
        return self._shown


def _saved(ctx, function, handle):
    """What a function writes to a file, as JSON and as text."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("table.json", "table.txt"):
            ctx.call(function, handle, encode(os.path.join(folder, name)))
        document = json.loads(Path(folder, "table.json").read_text(encoding="utf-8"))
        return Table(document, Path(folder, "table.txt").read_text(encoding="utf-8"))


def _prepare(graph, params):
    unknown = params.get("seed")
    del unknown
    return as_graph(graph), params


def evaluate(graph, model="s-bgcn-t-k", *, task="misclassification", seeds=None, folder=None, n_jobs=1,
             verbose=0, **params):
    """How well the uncertainties of models detect errors or unknown classes, over seeds.

    graph   a Graph, or the name or path of data
    model   one id or several
    folder  where results are kept, and taken from

    Returns the document of `opine evaluate --json`.
    """
    graph, params = _prepare(graph, params)
    with context(n_jobs, Hooks(progress=make_progress(verbose))) as ctx:
        c_params = make_params(ctx, {"model": model, "task": task, "seeds": seeds, **params})
        made = ctx.make("evaluation", lib.opn_evaluate, graph._handle, c_params,
                        NULL if folder is None else encode(folder))
        return _saved(ctx, lib.opn_evaluation_save, made)


def tune(graph, model="s-bgcn-t-k", *, task="misclassification", trials=None, seeds=None, folder=None,
         n_jobs=1, verbose=0, **params):
    """Searches for better parameters on validation nodes, never on test nodes.

    Returns the document of `opine tune --json`.
    """
    graph, params = _prepare(graph, params)
    with context(n_jobs, Hooks(progress=make_progress(verbose))) as ctx:
        c_params = make_params(ctx, {"model": model, "task": task, "trials": trials, "seeds": seeds,
                                     **params})
        made = ctx.make("tuning", lib.opn_tune, graph._handle, c_params, NULL,
                        NULL if folder is None else encode(folder))
        return _saved(ctx, lib.opn_tuning_save, made)


def report(run=None, path="report.html", *, graph=None, p=None, y=None, opinion=None, data_dir=None,
           n_jobs=1):
    """Writes a page about a run, or about anyone's predictions.

    run      a model's file, predictions as `opine predict` writes them, or the folder of an
             evaluation
    p        probabilities [V,K] of another model, with y [V] and the graph they are about
    opinion  an Opinion instead of p
    """
    with tempfile.TemporaryDirectory() as folder, context(n_jobs) as ctx:
        data = graph
        if run is None:
            run, data = _write_predictions(folder, p, y, opinion, graph)
        params = make_params(ctx, {"data_dir": data_dir})
        made = ctx.make("report", lib.opn_report_load, encode(run),
                        NULL if data is None else encode(data), params)
        ctx.call(lib.opn_report_save, made, encode(path))
    return Path(path)


def _write_predictions(folder, p, y, opinion, graph):
    """Predictions and their graph as files that the report reads."""
    if graph is None or (p is None and opinion is None):
        raise OpineValueError("report() needs a run, or a graph and p= or opinion=")
    graph = as_graph(graph)
    if opinion is None:
        p = _arrays.as_type(p, np.float64, 2, "p")
        from .opinion import from_probabilities
        opinion = from_probabilities(p)
    if not isinstance(opinion, Opinion):
        raise OpineValueError("opinion= is what opine.opinion.from_…() returns")
    if len(opinion) != graph.n_nodes:
        raise OpineValueError(f"predictions of {len(opinion)} nodes for a graph of {graph.n_nodes}")
    if y is not None:
        graph = graph.relabelled(y)
    data = os.path.join(folder, f"{graph.name or 'graph'}.npz")
    graph.save(data)
    run = os.path.join(folder, "predictions.csv")
    _write_table(run, opinion, graph)
    return run, data


def _write_table(path, opinion, graph):
    """The table of `opine predict`; docs/file-formats.md has its columns."""
    import csv
    n_classes = opinion.probability.shape[1]
    names = [str(c) for c in graph.classes] if len(graph.classes) == n_classes else \
        [str(k) for k in range(n_classes)]
    alpha = opinion.alpha
    nodes = graph.names or range(graph.n_nodes)
    labels = graph.y
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        measures = [text(lib.opn_measure_name(m)) for m in range(lib.opn_measure_count())]
        out.writerow(["node", "role", "label", *(f"p_{n}" for n in names),
                      *(f"alpha_{n}" for n in names), *measures, "predicted"])
        for i, node in enumerate(nodes):
            row = [node, "unlabelled" if labels[i] is None else "pool",
                   "" if labels[i] is None else labels[i]]
            row += [repr(float(v)) for v in opinion.probability[i]]
            row += ["" if alpha is None else repr(float(v)) for v in
                    (opinion.probability[i] if alpha is None else alpha[i])]
            row += ["" if opinion.measures.get(m) is None else repr(float(opinion.measures[m][i]))
                    for m in measures]
            out.writerow([*row, names[int(opinion.predicted[i])]])
