"""What a model says about the nodes of a graph, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import NULL, lib, text
from .errors import OpineValueError
from .opinion import Opinion

if TYPE_CHECKING:
    from ._types import Array, Handle
    from .graph import Graph


def measure_names() -> list[str]:
    """Names of the measures."""
    return [text(lib.opn_measure_name(m)) for m in range(lib.opn_measure_count())]


class Prediction:
    """An opn_prediction about a whole graph, and which of its nodes were asked for.

    rows  numbers of these nodes, None for all
    """

    def __init__(self, handle: Handle, graph: Graph, rows: Array | None) -> None:
        self.handle = handle
        self.graph = graph
        self.rows = rows
        self.n_classes = int(lib.opn_prediction_n_classes(handle))

    def _take(self, values: Handle, dtype: Any, by_class: bool = False) -> Any:
        """A copy of the rows asked for; None for NULL."""
        shape = (self.graph.n_nodes, self.n_classes) if by_class else (self.graph.n_nodes,)
        return _arrays.copy_array(values, shape, dtype, self.rows)

    def nodes(self) -> Array:
        """Numbers of the nodes."""
        return np.arange(self.graph.n_nodes) if self.rows is None else self.rows

    def predicted(self) -> Array:
        """Numbers of the classes."""
        found: Array = self._take(lib.opn_prediction_predicted(self.handle), np.int32)
        return found

    def probability(self) -> Array:
        """Probabilities [n,K]."""
        found: Array = self._take(lib.opn_prediction_probability(self.handle), np.float32, True)
        return found

    def is_calibrated(self) -> bool:
        """Whether it has calibrated() and confidence()."""
        return bool(lib.opn_prediction_calibrated(self.handle) != NULL)

    def calibrated(self) -> Array:
        """Calibrated probabilities [n,K]."""
        return self._require(lib.opn_prediction_calibrated(self.handle), True)

    def confidence(self) -> Array:
        """Calibrated probability of the predicted class."""
        return self._require(lib.opn_prediction_confidence(self.handle))

    def _require(self, values: Handle, by_class: bool = False) -> Array:
        found: Array | None = self._take(values, np.float32, by_class)
        if found is None:
            raise OpineValueError(
                "the model is not calibrated: calibrate is none, or there are too few labels for it")
        return found

    def opinion(self) -> Opinion:
        """Probabilities, evidence and measures."""
        measures = {name: self._take(lib.opn_prediction_measure(self.handle, m), np.float32)
                    for m, name in enumerate(measure_names())}
        return Opinion(self.probability(),
                       self._take(lib.opn_prediction_alpha(self.handle), np.float32, True), measures)

    def columns(self, roles: Array, classes: Array, names: list[str]) -> dict[str, Any]:
        """The table that `opine predict` writes; docs/file-formats.md has its columns."""
        keep = self.nodes()
        given = self.graph.names
        said = self.opinion()
        columns = {"node": keep if given is None else np.array(given, dtype=object)[keep],
                   "role": roles[keep], "label": self.graph.y[keep],
                   **_by_class("p", names, said.probability)}
        if said.alpha is not None:
            columns.update(_by_class("alpha", names, said.alpha))
        columns.update({name: values for name, values in said.measures.items()
                        if values is not None})
        columns["predicted"] = classes[self.predicted()]
        if self.is_calibrated():
            columns["confidence"] = self.confidence()
            columns.update(_by_class("calibrated", names, self.calibrated()))
        return columns


def _by_class(what: str, names: list[str], values: Array) -> dict[str, Array]:
    return {f"{what}_{name}": values[:, k] for k, name in enumerate(names)}
