"""Metrics of detection and of probabilities, in double precision.

Scores rank nodes, higher for more likely positive; ties are treated together, as scikit-learn does.

    >>> from opine import metrics
    >>> metrics.auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
"""

import numpy as np

from . import _arrays
from ._library import context, ffi, lib
from .errors import OpineValueError


def _ranked(function, flags, scores, flag_name, score_name, *more):
    flags = _arrays.as_flags(flags, 1, flag_name)
    scores = _arrays.as_type(scores, np.float64, 1, score_name)
    if len(flags) != len(scores):
        raise OpineValueError(f"{len(flags)} of {flag_name} and {len(scores)} of {score_name}")
    out = ffi.new("double *")
    with context() as ctx:
        ctx.call(function, len(flags), _arrays.pointer(flags), _arrays.numbers(scores), *more, out)
    return out[0]


def auroc(y_true, y_score):
    """Area under the ROC curve; NaN if all are of one kind."""
    return _ranked(lib.opn_metric_auroc, y_true, y_score, "y_true", "y_score")


def average_precision(y_true, y_score):
    """Area under the precision-recall curve (AUPR), without interpolation."""
    return _ranked(lib.opn_metric_average_precision, y_true, y_score, "y_true", "y_score")


def fpr_at_tpr(y_true, y_score, tpr=0.95):
    """Smallest false positive rate with a true positive rate of at least `tpr`."""
    return _ranked(lib.opn_metric_fpr_at_tpr, y_true, y_score, "y_true", "y_score", tpr)


def risk_coverage(wrong, uncertainty):
    """Risk [n] among the i + 1 least uncertain, and the area under it (AURC)."""
    risk = np.empty(len(wrong))
    area = _ranked(lib.opn_metric_risk_coverage, wrong, uncertainty, "wrong", "uncertainty",
                   _arrays.pointer(risk))
    return risk, area


def aurc(wrong, uncertainty):
    """Area under the curve of risk over coverage."""
    return risk_coverage(wrong, uncertainty)[1]


def _classified(function, y_true, y_prob, *more):
    p = _arrays.as_type(y_prob, np.float64, 2, "y_prob")
    labels = _arrays.as_labels(y_true, p.shape[0], "y_true")
    out = ffi.new("double *")
    with context() as ctx:
        ctx.call(function, p.shape[0], p.shape[1], _arrays.numbers(p), _arrays.pointer(labels), *more,
                 out)
    return out[0]


def brier(y_true, y_prob):
    """Mean over nodes of the squared distance to the true class, from 0 to 2."""
    return _classified(lib.opn_metric_brier, y_true, y_prob)


def nll(y_true, y_prob):
    """Mean of -ln p of the true class."""
    return _classified(lib.opn_metric_nll, y_true, y_prob)


def calibration_error(y_true, y_prob, n_bins=15):
    """Expected calibration error, in bins of equal width."""
    return _classified(lib.opn_metric_calibration_error, y_true, y_prob, n_bins)
