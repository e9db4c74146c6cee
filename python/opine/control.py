"""Thresholds that keep a target accuracy, from anyone's scores.

    >>> import numpy as np
    >>> from opine import control
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(1000)
    >>> right = rng.random(1000) > score / 2
    >>> found = control.target_accuracy(score[:500], right[:500], score[500:], target=0.8)
    >>> found.is_shown, bool(right[500:][score[500:] <= found.threshold].mean() > 0.8)
    (True, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._library import context, ffi, fields, lib
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import ArrayLike, Handle


@dataclass(frozen=True)
class Control:
    """A promise: what has at most the score `threshold` is right at the target accuracy."""

    target: float      # as asked for
    confidence: float
    is_shown: bool     # the labels show that a threshold keeps the promise
    threshold: float   # accept the nodes with at most this score; -inf for none
    n: int             # calibration nodes
    n_accepted: int    # accepted among these
    n_right: int       # right among the accepted
    low: float         # the accuracy is at least this; NaN where nothing is shown
    n_needed: int      # labels that would be enough; 0 where more would not help

    @classmethod
    def _of(cls, out: Handle) -> Control:
        return cls(**{**fields(out), "is_shown": bool(out.is_shown)})


def target_accuracy(score: ArrayLike, right: ArrayLike, candidates: ArrayLike | None = None, *,
                    target: float = 0.95, confidence: float = 0.9) -> Control:
    """The largest threshold that is shown to keep the target, with that confidence.

    score       of the calibration nodes [n], higher for less sure
    right       whether each is predicted correctly [n]
    candidates  scores of the nodes to decide about; without them those of the calibration nodes,
                and then accuracy must not increase with the score

    >>> found = target_accuracy(np.arange(100.0), np.arange(100) < 60, target=0.9)
    >>> found.is_shown, found.low >= 0.9
    (True, True)
    """
    score = _arrays.as_type(score, np.float64, 1, "score")
    flags = _arrays.as_flags(right, 1, "right")
    if len(flags) != len(score):
        raise OpineValueError(f"{len(flags)} of right and {len(score)} of score")
    asked = score if candidates is None else _arrays.as_type(candidates, np.float64, 1, "candidates")
    out = ffi.new("opn_control *")
    with context() as ctx:
        ctx.call(lib.opn_control_accuracy, len(score), _arrays.numbers(score), _arrays.pointer(flags),
                 len(asked), _arrays.numbers(asked), target, confidence, out)
    return Control._of(out)
