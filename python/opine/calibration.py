"""Probabilities that mean what they say, from anyone's model.

    >>> import numpy as np
    >>> from opine import calibration
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet(np.ones(3), size=500)
    >>> y = np.array([rng.choice(3, p=row) for row in p])
    >>> too_sure = p**3 / (p**3).sum(axis=1, keepdims=True)
    >>> found = calibration.temperature(too_sure, y)
    >>> 2 < found.temperature < 4
    True
    >>> bool(calibration.measure(found.apply(too_sure), y).ece < calibration.measure(too_sure, y).ece)
    True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._library import context, ffi, fields, lib, text
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import Array, ArrayLike


@dataclass(frozen=True)
class Calibrator:
    """softmax(a ln p), or with another opinion q about the same nodes softmax(a ln p + b ln q)."""

    kind: str          # "temperature" or "pool"
    n: int             # nodes it was fitted on
    a: float
    b: float           # 0 for a temperature
    nll_before: float  # mean -ln p of the true class on these nodes
    nll_after: float

    @property
    def temperature(self) -> float:
        """1 / a."""
        return 1 / self.a

    def apply(self, p: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Calibrated probabilities [n,K] of p [n,K], and for a pool q [n,K].

        >>> half = Calibrator("temperature", n=100, a=0.5, b=0.0, nll_before=1.0, nll_after=0.9)
        >>> half.apply([[0.8, 0.2]]).round(6).tolist()
        [[0.666667, 0.333333]]
        """
        if (q is None) != (self.kind != "pool"):
            raise OpineValueError(f"apply() of a {self.kind} takes "
                                  + ("p and q" if self.kind == "pool" else "p alone"))
        ours, other = _opinions(p, q)
        made = np.empty(ours.shape)
        how = ffi.new("opn_calibrator *", {"kind": _number_of(self.kind), "n": self.n, "a": self.a,
                                           "b": self.b})
        with context() as ctx:
            ctx.call(lib.opn_calibrator_apply, how, *ours.shape, _arrays.numbers(ours),
                     _arrays.numbers(other), _arrays.room(made))
        return made


def _number_of(kind: str) -> int:
    numbers: dict[str, int] = {"temperature": lib.OPN_CALIBRATION_TEMPERATURE, "pool": lib.OPN_CALIBRATION_POOL}
    return numbers[kind]


def _opinions(p: ArrayLike, q: ArrayLike | None) -> tuple[Array, Array | None]:
    ours = _arrays.as_type(p, np.float64, 2, "p")
    if q is None:
        return ours, None
    other = _arrays.as_type(q, np.float64, 2, "q")
    if ours.shape != other.shape:
        raise OpineValueError(f"p has the shape {ours.shape} and q {other.shape}")
    return ours, other


def _fit(kind: str, p: ArrayLike, q: ArrayLike | None, y: ArrayLike) -> Calibrator:
    ours, other = _opinions(p, q)
    labels = _arrays.as_labels(y, len(ours), "y")
    out = ffi.new("opn_calibrator *")
    with context() as ctx:
        ctx.call(lib.opn_calibrator_fit, _number_of(kind), *ours.shape, _arrays.numbers(ours),
                 _arrays.numbers(other), _arrays.pointer(labels), out)
    return Calibrator(**{**fields(out), "kind": text(lib.opn_calibration_name(out.kind))})


def temperature(p: ArrayLike, y: ArrayLike) -> Calibrator:
    """Fits a temperature to p [n,K] and the classes y [n], -1 for nodes to leave out.

    The labels must not have trained the model; 20 are needed.

    >>> p = [[0.9, 0.1]] * 30  # of whose nodes 6 are of the other class
    >>> bool(abs(temperature(p, [0] * 24 + [1] * 6).apply(p)[0, 0] - 24 / 30) < 0.02)
    True
    """
    return _fit("temperature", p, None, y)


def pool(p: ArrayLike, q: ArrayLike, y: ArrayLike) -> Calibrator:
    """Fits a pool of p [n,K] and another opinion q [n,K], the mean of the neighbours' for example.

    y [n] as for temperature(); 100 labels are needed.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, size=200)
    >>> sure = np.where(rng.random(200) < 0.9, y, 1 - y)[:, None] == [0, 1]
    >>> guess = np.full((200, 2), 0.5)
    >>> found = pool(guess, np.where(sure, 0.9, 0.1), y)
    >>> found.nll_after < found.nll_before
    True
    """
    return _fit("pool", p, q, y)


@dataclass(frozen=True)
class ProbabilityQuality:
    """How well probabilities mean what they say."""

    n: int
    accuracy: float
    nll: float
    brier: float
    ece: float           # in bins of equal width
    adaptive_ece: float  # in bins of as many nodes each


def measure(p: ArrayLike, y: ArrayLike, n_bins: int = 15) -> ProbabilityQuality:
    """p [n,K] against the classes y [n], -1 for nodes to leave out.

    >>> measure([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]], [0, 1, -1]).brier
    0.25
    """
    ours, _ = _opinions(p, None)
    labels = _arrays.as_labels(y, len(ours), "y")
    out = ffi.new("opn_probability_quality *")
    with context() as ctx:
        ctx.call(lib.opn_probability_measure, *ours.shape, _arrays.numbers(ours), _arrays.pointer(labels),
                 n_bins, out)
    return ProbabilityQuality(**fields(out))
