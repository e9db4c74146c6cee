"""Opinions about nodes from anyone's model: logits, probabilities, alpha, samples.

    >>> from opine import opinion
    >>> o = opinion.from_alpha([[1.0, 1.0], [9.0, 1.0]])
    >>> o.vacuity.tolist()
    [1.0, 0.2]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import context, ffi, lib, text
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import Array, Floats

_EVIDENCE = {"exp": lib.OPN_OPINION_LOGITS, "softmax": lib.OPN_OPINION_SOFTMAX}


class Opinion:
    """Arrays about n nodes and K classes.

    probability [n,K]; alpha [n,K], None without evidence; vacuity, dissonance, aleatoric,
    epistemic and entropy [n], None for what the input does not tell.
    """

    # Floats or None; a hint that says so would ask for a check before each use.
    vacuity: Any
    dissonance: Any
    aleatoric: Any
    epistemic: Any
    entropy: Any

    def __init__(self, probability: Floats, alpha: Floats | None,
                 measures: dict[str, Floats | None]) -> None:
        self.probability = probability
        self.alpha = alpha
        self.measures = measures
        for name, values in measures.items():
            setattr(self, name, values)

    @property
    def belief(self) -> Floats | None:
        """(alpha - 1) / S [n,K], which with vacuity sums to 1; None without evidence."""
        if self.alpha is None:
            return None
        belief: Floats = (self.alpha - 1) / self.alpha.sum(axis=-1, keepdims=True)
        return belief

    @property
    def predicted(self) -> Array:
        """Number of the most probable class [n]."""
        predicted: Array = self.probability.argmax(axis=-1)
        return predicted

    def __len__(self) -> int:
        return len(self.probability)

    def __repr__(self) -> str:
        there = [name for name, values in self.measures.items() if values is not None]
        return (f"<Opinion about {self.probability.shape[0]} nodes and "
                f"{self.probability.shape[1]} classes: {', '.join(there)}>")


def _form(value: Any, kind: int, what: str) -> Opinion:
    value = _arrays.as_array(value)
    if value.ndim == 2:
        value = value[None]
    value = _arrays.as_type(value, np.float64, 3, what)
    n_samples, n, n_classes = value.shape
    alpha = np.empty((n, n_classes))
    probability = np.empty((n, n_classes))
    n_measures = lib.opn_measure_count()
    measures = np.empty((n_measures, max(n, 1)))
    rooms = ffi.new("opn_number_room[]", [_arrays.room(row) for row in measures])
    with context() as ctx:
        ctx.call(lib.opn_opinion_from, kind, n_samples, n, n_classes, _arrays.numbers(value), n_measures,
                 rooms, _arrays.room(alpha), _arrays.room(probability))
    named = {text(lib.opn_measure_name(m)): None if np.isnan(row[:n]).all() and n else row[:n].copy()
             for m, row in enumerate(measures)}
    return Opinion(probability, None if n and np.isnan(alpha).all() else alpha, named)


def from_logits(z: Any, evidence: str = "exp") -> Opinion:
    """From logits [n,K], or samples of them [S,n,K].

    evidence  "exp" makes Dirichlets with alpha = exp(z) + 1; "softmax" makes probabilities, as of
              a model without evidence. Of other evidence give alpha to from_alpha().

    >>> from_logits([[0.0, 0.0]]).vacuity.tolist()
    [0.5]
    """
    if evidence not in _EVIDENCE:
        raise OpineValueError(f"evidence {evidence!r}; one of {', '.join(_EVIDENCE)} is expected")
    return _form(z, _EVIDENCE[evidence], "z")


def from_alpha(alpha: Any) -> Opinion:
    """From Dirichlets alpha [n,K], 1 or more, or samples of them [S,n,K].

    >>> from_alpha([[3.0, 1.0, 1.0]]).vacuity.tolist()
    [0.6]
    """
    return _form(alpha, lib.OPN_OPINION_ALPHA, "alpha")


def from_probabilities(p: Any) -> Opinion:
    """From probabilities [n,K], or samples of them [S,n,K], of an ensemble for example.

    >>> torn = from_probabilities([[[1.0, 0.0]], [[0.0, 1.0]]])  # two members that disagree
    >>> torn.epistemic.tolist(), torn.aleatoric.tolist()
    ([1.0], [0.0])
    """
    return _form(p, lib.OPN_OPINION_PROBABILITY, "p")
