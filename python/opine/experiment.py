"""Research: evaluation over seeds, tuning, and reports about runs or anyone's predictions."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import NULL, Context, Hooks, context, encode, lib, make_params
from ._nodes import as_graph, is_graph
from ._prediction import measure_names
from ._progress import shown
from .errors import OpineValueError
from .labels import encode_labels
from .opinion import Opinion, from_probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import ArrayLike, Handle
    from .graph import Graph

    StrPath = str | os.PathLike[str]


class Table(dict[str, Any]):
    """A JSON document of the library; printing it shows the table of the command."""

    def __init__(self, document: dict[str, Any], page: str) -> None:
        super().__init__(document)
        self._page = page

    def __str__(self) -> str:
        return self._page


def _saved(ctx: Context, function: Any, handle: Handle) -> Table:
    """What a function writes to a file, as JSON and as text."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("table.json", "table.txt"):
            ctx.call(function, handle, encode(os.path.join(folder, name)))
        document = json.loads(Path(folder, "table.json").read_text(encoding="utf-8"))
        return Table(document, Path(folder, "table.txt").read_text(encoding="utf-8"))


def evaluate(graph: Any, model: str | Sequence[str] = "s-bgcn-t-k", *,
             task: str = "misclassification", seeds: int | None = None,
             folder: StrPath | None = None, n_jobs: int | None = 1, verbose: int = 0,
             **params: Any) -> Table:
    """How well the uncertainties of models detect errors or unknown classes, over seeds.

    graph   a Graph, or the name or path of data
    model   one id or several
    folder  where results are kept, and taken from

    Returns the document of `opine evaluate --json`.

    >>> import opine
    >>> found = opine.evaluate("demo", "s-gcn", seeds=2, epochs=10)
    >>> sorted(found["results"][0]["auroc"])[:2]
    ['1-max-p', 'dissonance']
    """
    graph = as_graph(graph)
    with shown(verbose) as bar, context(n_jobs, Hooks(bar)) as ctx:
        c_params = make_params(ctx, {"model": model, "task": task, "seeds": seeds, **params})
        made = ctx.make("evaluation", lib.opn_evaluate, graph._handle, c_params,
                        NULL if folder is None else encode(folder))
        return _saved(ctx, lib.opn_evaluation_save, made)


def tune(graph: Any, model: str = "s-bgcn-t-k", *, task: str = "misclassification",
         trials: int | None = None, seeds: int | None = None, folder: StrPath | None = None,
         n_jobs: int | None = 1, verbose: int = 0, **params: Any) -> Table:
    """Searches for better parameters on validation nodes, never on test nodes.

    Returns the document of `opine tune --json`.

    >>> import opine
    >>> found = opine.tune("demo", "s-gcn", trials=2, seeds=2, epochs=5)
    >>> len(found["trials"]) > 0
    True
    """
    graph = as_graph(graph)
    with shown(verbose) as bar, context(n_jobs, Hooks(bar)) as ctx:
        c_params = make_params(ctx, {"model": model, "task": task, "trials": trials, "seeds": seeds,
                                     **params})
        made = ctx.make("tuning", lib.opn_tune, graph._handle, c_params, NULL,
                        NULL if folder is None else encode(folder))
        return _saved(ctx, lib.opn_tuning_save, made)


def report(run: StrPath | None = None, path: StrPath = "report.html", *, graph: Any = None,
           p: ArrayLike | None = None, y: ArrayLike | None = None, opinion: Opinion | None = None,
           data_dir: StrPath | None = None, n_jobs: int | None = 1, verbose: int = 0) -> Path:
    """Writes a page about a run, or about anyone's predictions.

    run      a model's file, predictions as `opine predict` writes them, or the folder of an
             evaluation
    graph    that it is about: a Graph, or the name or path of data
    p        probabilities [V,K] of another model, or samples of them [S,V,K], with the graph they
             are about
    y        labels [V], where the graph has none or others
    opinion  an Opinion instead of p

    Returns the path of the page.

    >>> import os, tempfile, numpy, opine
    >>> graph = opine.datasets.load("demo")
    >>> p = numpy.random.default_rng(0).dirichlet(numpy.ones(6), size=graph.n_nodes)
    >>> path = os.path.join(tempfile.mkdtemp(), "mine.html")
    >>> opine.report(p=p, y=graph.y, graph=graph, path=path).name
    'mine.html'
    """
    with tempfile.TemporaryDirectory() as folder, shown(verbose) as bar, \
            context(n_jobs, Hooks(bar)) as ctx:
        data = graph
        if run is None:
            data = _labelled(graph, y)
            run = _write_predictions(folder, p, opinion, data)
        if is_graph(data):
            data = _write_graph(folder, as_graph(data))
        params = make_params(ctx, {"data_dir": data_dir})
        made = ctx.make("report", lib.opn_report_load, encode(run),
                        NULL if data is None else encode(data), params)
        ctx.call(lib.opn_report_save, made, encode(path))
    return Path(path)


def _labelled(graph: Any, y: ArrayLike | None) -> Graph:
    if graph is None:
        raise OpineValueError("report() needs a run, or a graph and p= or opinion=")
    known = as_graph(graph)
    if y is None:
        return known
    # A class that y happens to lack is a column of p all the same.
    is_known = set(encode_labels(y)[0].tolist()) <= set(known.classes.tolist())
    return known.relabelled(y, classes=known.classes if is_known else None)


def _write_graph(folder: str, graph: Graph) -> str:
    path = os.path.join(folder, f"{graph.name or 'graph'}.npz")
    graph.save(path)
    return path


def _write_predictions(folder: str, p: ArrayLike | None, opinion: Opinion | None,
                       graph: Graph) -> str:
    """Predictions as a file that the report reads."""
    if p is None and opinion is None:
        raise OpineValueError("report() about a graph needs p= or opinion=")
    if opinion is None:
        opinion = from_probabilities(p)
    if not isinstance(opinion, Opinion):
        raise OpineValueError("opinion= is what opine.opinion.from_…() returns")
    if len(opinion) != graph.n_nodes:
        raise OpineValueError(f"predictions of {len(opinion)} nodes for a graph of {graph.n_nodes}")
    path = os.path.join(folder, "predictions.csv")
    _write_table(path, opinion, graph)
    return path


def _name_columns(graph: Graph, n_classes: int) -> list[str]:
    """Which class of the graph each column of the probabilities is."""
    if len(graph.classes) >= n_classes:
        return [str(c) for c in graph.classes[:n_classes]]
    if len(graph.classes) and graph.classes.dtype.kind not in "iu":
        raise OpineValueError(f"probabilities of {n_classes} classes, and labels of {len(graph.classes)}; "
                              "Graph(…, class_names=[…]) names all in the order of the columns")
    return [str(k) for k in range(n_classes)]


def _write_table(path: str, opinion: Opinion, graph: Graph) -> None:
    """The table of `opine predict`; docs/file-formats.md has its columns."""
    n_nodes, n_classes = opinion.probability.shape
    names = _name_columns(graph, n_classes)
    empty = np.full(n_nodes, "", dtype=object)
    columns: dict[str, Any] = {"node": graph.names or range(n_nodes),
                               "role": np.where(graph.y_index < 0, "unlabelled", "pool"),
                               "label": ["" if label is None else label for label in graph.y]}
    for what, values in (("p", opinion.probability), ("alpha", opinion.alpha)):
        for k, name in enumerate(names):
            columns[f"{what}_{name}"] = empty if values is None else values[:, k].tolist()
    for name in measure_names():
        values = opinion.measures.get(name)
        columns[name] = empty if values is None else values.tolist()
    columns["predicted"] = [names[k] for k in opinion.predicted]
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows(zip(*columns.values()))
