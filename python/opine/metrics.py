"""Metrics of detection and of probabilities, in double precision.

Scores rank nodes, higher for more likely positive; ties are treated together, as scikit-learn does.

    >>> from opine import metrics
    >>> metrics.auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._library import context, ffi, lib
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import ArrayLike, Floats


def _ranked(function: Any, flags: ArrayLike, scores: ArrayLike, flag_name: str, score_name: str,
            *more: Any) -> float:
    flags = _arrays.as_flags(flags, 1, flag_name)
    scores = _arrays.as_type(scores, np.float64, 1, score_name)
    if len(flags) != len(scores):
        raise OpineValueError(f"{len(flags)} of {flag_name} and {len(scores)} of {score_name}")
    out = ffi.new("double *")
    with context() as ctx:
        ctx.call(function, len(flags), _arrays.pointer(flags), _arrays.numbers(scores), *more, out)
    return float(out[0])


def auroc(y_true: ArrayLike, y_score: ArrayLike) -> float:
    """Area under the ROC curve; NaN if all are of one kind.

    >>> auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    return _ranked(lib.opn_metric_auroc, y_true, y_score, "y_true", "y_score")


def average_precision(y_true: ArrayLike, y_score: ArrayLike) -> float:
    """Area under the precision-recall curve (AUPR), without interpolation.

    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    return _ranked(lib.opn_metric_average_precision, y_true, y_score, "y_true", "y_score")


def fpr_at_tpr(y_true: ArrayLike, y_score: ArrayLike, tpr: float = 0.95) -> float:
    """Smallest false positive rate with a true positive rate of at least `tpr`.

    >>> fpr_at_tpr([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    return _ranked(lib.opn_metric_fpr_at_tpr, y_true, y_score, "y_true", "y_score", tpr)


def risk_coverage(wrong: ArrayLike, uncertainty: ArrayLike) -> tuple[Floats, float]:
    """Risk [n] among the i + 1 least uncertain, and the area under it (AURC).

    >>> risk, area = risk_coverage([0, 1], [0.1, 0.2])
    >>> risk.tolist(), area
    ([0.0, 0.5], 0.25)
    """
    wrong = _arrays.as_flags(wrong, 1, "wrong")
    risk = np.empty(len(wrong))
    area = _ranked(lib.opn_metric_risk_coverage, wrong, uncertainty, "wrong", "uncertainty",
                   _arrays.pointer(risk))
    return risk, area


def aurc(wrong: ArrayLike, uncertainty: ArrayLike) -> float:
    """Area under the curve of risk over coverage: the mean of risk_coverage().

    >>> aurc([0, 0, 1], [0.1, 0.2, 0.9]) == (0 + 0 + 1 / 3) / 3
    True
    """
    return risk_coverage(wrong, uncertainty)[1]


def _classified(function: Any, y_true: ArrayLike, y_prob: ArrayLike, *more: Any) -> float:
    p = _arrays.as_type(y_prob, np.float64, 2, "y_prob")
    labels = _arrays.as_labels(y_true, p.shape[0], "y_true")
    out = ffi.new("double *")
    with context() as ctx:
        ctx.call(function, p.shape[0], p.shape[1], _arrays.numbers(p), _arrays.pointer(labels), *more,
                 out)
    return float(out[0])


def brier(y_true: ArrayLike, y_prob: ArrayLike) -> float:
    """Mean over nodes of the squared distance to the true class, from 0 to 2.

    >>> brier([0, 1], [[1.0, 0.0], [0.5, 0.5]])
    0.25
    """
    return _classified(lib.opn_metric_brier, y_true, y_prob)


def nll(y_true: ArrayLike, y_prob: ArrayLike) -> float:
    """Mean of -ln p of the true class.

    >>> round(nll([0, 1], [[1.0, 0.0], [0.5, 0.5]]), 4)
    0.3466
    """
    return _classified(lib.opn_metric_nll, y_true, y_prob)


def calibration_error(y_true: ArrayLike, y_prob: ArrayLike, n_bins: int = 15) -> float:
    """Expected calibration error, in bins of equal width.

    >>> calibration_error([0, 1], [[1.0, 0.0], [0.25, 0.75]])
    0.125
    """
    return _classified(lib.opn_metric_calibration_error, y_true, y_prob, n_bins)
