"""Sets of classes and p-values whose error rate is known in advance, from anyone's model.

All of it compares nodes with calibration nodes, whose labels neither trained nor chose the model,
and holds for nodes that are drawn like these.

    >>> import numpy as np
    >>> from opine import conformal
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet(np.ones(3), size=400)
    >>> y = np.array([rng.choice(3, p=row) for row in p])
    >>> sets = conformal.prediction_sets(p[200:], p[:200], y[:200], coverage=0.9)
    >>> conformal.coverage_report(sets, y[200:]).coverage > 0.85
    True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _arrays
from ._library import Context, context, ffi, fields, lib
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import Array, ArrayLike

    from .graph import Graph

# DAPS diffuses the scores of APS.
_KINDS = {"lac": lib.OPN_SET_LAC, "aps": lib.OPN_SET_APS, "raps": lib.OPN_SET_RAPS,
          "daps": lib.OPN_SET_APS}


# ---- sets of classes ---------------------------------------------------------------------


def scores(p: ArrayLike, method: str = "lac", *, graph: Graph | None = None, randomized: bool = True,
           random_state: int = 0, kreg: int = 2, penalty: float = 0.01,
           neigh_coef: float = 0.5) -> Array:
    """How ill each class fits each node [n,K], from probabilities p [n,K].

    method        "lac" (1 - p), "aps" (sums of sorted p), "raps" (these with a penalty), or
                  "daps" (those of aps, mixed with the neighbours'), for which p has the nodes of
                  `graph`
    randomized    whether aps, raps and daps draw a number for each row from random_state; without
                  it sets are somewhat larger
    kreg          classes of raps without a penalty
    penalty       of raps, for each class after these
    neigh_coef    weight of the neighbours' mean in daps

    >>> scores([[0.75, 0.25]]).tolist(), scores([[0.75, 0.25]], "aps", randomized=False).tolist()
    ([[0.25, 0.75]], [[0.75, 1.0]])
    """
    if method not in _KINDS:
        raise OpineValueError(f"method {method!r}; one of {', '.join(_KINDS)} is expected")
    p = _arrays.as_type(p, np.float64, 2, "p")
    made = np.empty(p.shape)
    options = ffi.new("opn_set_options *", {
        "kind": _KINDS[method], "is_randomised": randomized, "seed": random_state, "n_free": kreg,
        "penalty": penalty})
    with context() as ctx:
        ctx.call(lib.opn_set_score, options, *p.shape, _arrays.numbers(p), _arrays.room(made))
        return _diffused(ctx, made, graph, neigh_coef) if method == "daps" else made


def _diffused(ctx: Context, values: Array, graph: Graph | None, neigh_coef: float) -> Array:
    if graph is None:
        raise OpineValueError("daps needs graph=, whose nodes are the rows of p")
    if len(values) != graph.n_nodes:
        raise OpineValueError(
            f"probabilities of {len(values)} nodes for a graph of {graph.n_nodes}; daps needs those "
            "of all, with a y_cal of -1 where a node does not calibrate")
    spread = values.astype(np.float32)
    how = ffi.new("opn_diffusion *", {"n_steps": 1, "teleport": 1 - neigh_coef, "missing": np.nan})
    ctx.call(lib.opn_graph_diffuse, graph._handle, how, values.shape[1], _arrays.pointer(spread))
    return spread.astype(np.float64)


def thresholds(scores_cal: ArrayLike, y_cal: ArrayLike, coverage: float = 0.9, *,
               class_conditional: bool = False) -> Array:
    """The largest score of a class in a set, for each class [K].

    scores_cal         of the calibration nodes [m,K], as scores() makes them
    y_cal              numbers of their classes [m], -1 for rows to leave out
    class_conditional  whether each class is covered on its own, or only all nodes together

    Infinite where there are too few calibration nodes for a promise.

    >>> nine = np.arange(1, 10)[:, None] / 10 * [1, 1]
    >>> thresholds(nine, [0] * 9, 0.8).tolist(), thresholds(nine, [0] * 9, 0.99).tolist()
    ([0.8, 0.8], [inf, inf])
    """
    values = _arrays.as_type(scores_cal, np.float64, 2, "scores_cal")
    labels = _arrays.as_labels(y_cal, len(values), "y_cal")
    found = np.empty(values.shape[1])
    with context() as ctx:
        ctx.call(lib.opn_set_calibrate, *values.shape, _arrays.numbers(values),
                 _arrays.pointer(labels), coverage, class_conditional, _arrays.pointer(found))
    return found


def prediction_sets(p: ArrayLike, p_cal: ArrayLike | None, y_cal: ArrayLike, *, method: str = "lac",
                    coverage: float = 0.9, class_conditional: bool = False,
                    graph: Graph | None = None, **options: Any) -> Array:
    """Sets that hold the true class with a probability of at least `coverage`.

    p        probabilities of the nodes to predict [n,K]
    p_cal    those of the calibration nodes [m,K]; None where these are rows of p
    y_cal    numbers of their classes [m], -1 for rows that do not calibrate
    graph    of daps, for which p, and p_cal if it is given, have all its nodes
    options  of scores(): randomized, random_state, kreg, penalty, neigh_coef

    Returns [n,K], True for the classes in the set of a node. A set may be empty: no class fits
    the node as well as they fit most calibration nodes.

    >>> p_cal = np.array([[0.9, 0.1], [0.1, 0.9]] * 10)
    >>> prediction_sets([[0.95, 0.05], [0.6, 0.4]], p_cal, [0, 1] * 10).tolist()
    [[True, False], [False, False]]
    """
    p = _arrays.as_type(p, np.float64, 2, "p")
    if p_cal is None:
        ours = theirs = scores(p, method, graph=graph, **options)
    else:
        p_cal = _arrays.as_type(p_cal, np.float64, 2, "p_cal")
        if p.shape[1] != p_cal.shape[1]:
            raise OpineValueError(f"p has {p.shape[1]} classes and p_cal {p_cal.shape[1]}")
        ours, theirs = _score_both(p, p_cal, method, graph, options)
    return members(ours, thresholds(theirs, y_cal, coverage, class_conditional=class_conditional))


def _score_both(p: Array, p_cal: Array, method: str, graph: Graph | None,
                options: dict[str, Any]) -> tuple[Array, Array]:
    """Scores of both; what is drawn belongs to a row, so they are scored as one array."""
    if method == "daps":  # whose rows are the same nodes in both
        return (scores(p, method, graph=graph, **options),
                scores(p_cal, method, graph=graph, **options))
    both = scores(np.concatenate([p, p_cal]), method, **options)
    return both[:len(p)], both[len(p):]


def members(values: ArrayLike, most: ArrayLike) -> Array:
    """The sets [n,K] of scores [n,K] by thresholds [K].

    >>> members([[0.1, 0.9]], [0.5, 0.5]).tolist()
    [[True, False]]
    """
    values = _arrays.as_type(values, np.float64, 2, "scores")
    most = _arrays.as_type(most, np.float64, 1, "thresholds")
    if len(most) != values.shape[1]:
        raise OpineValueError(f"{len(most)} thresholds for {values.shape[1]} classes")
    found = np.empty(values.shape, dtype=np.uint8)
    with context() as ctx:
        ctx.call(lib.opn_set_members, *values.shape, _arrays.numbers(values), _arrays.pointer(most),
                 _arrays.pointer(found))
    return found.astype(bool)


@dataclass(frozen=True)
class CoverageReport:
    """Sets against labels; coverage and mean_size are NaN without nodes."""

    n: int                       # nodes with a label
    n_covered: int               # whose set holds it
    n_empty: int                 # whose set is empty
    n_single: int                # whose set is one class
    coverage: float              # n_covered / n
    mean_size: float
    class_coverage: Array   # [K], NaN for classes without nodes


def coverage_report(sets: ArrayLike, y: ArrayLike) -> CoverageReport:
    """How often sets [n,K] hold the class y [n], -1 for nodes to leave out.

    >>> found = coverage_report([[True, False], [True, True]], [1, 1])
    >>> found.coverage, found.mean_size
    (0.5, 1.5)
    """
    held = _arrays.as_flags(sets, 2, "sets")
    labels = _arrays.as_labels(y, len(held), "y")
    covered, of_class = np.zeros((2, held.shape[1]), dtype=np.int32)
    out = ffi.new("opn_set_quality *")
    with context() as ctx:
        ctx.call(lib.opn_set_measure, *held.shape, _arrays.pointer(held), _arrays.pointer(labels),
                 _arrays.pointer(covered), _arrays.pointer(of_class), out)
    share = np.full(held.shape[1], np.nan)
    np.divide(covered, of_class, out=share, where=of_class > 0)
    return CoverageReport(**fields(out), class_coverage=share)


# ---- does it belong here? ----------------------------------------------------------------


def p_values(scores_cal: ArrayLike, score: ArrayLike) -> Array:
    """p-values [n] of "drawn like the calibration nodes", of scores [m] and [n].

    A higher score means stranger.

    >>> p_values([0.1, 0.2, 0.3], [0.25, 0.9]).tolist()
    [0.5, 0.25]
    """
    calibration = _arrays.as_type(scores_cal, np.float64, 1, "scores_cal")
    score = _arrays.as_type(score, np.float64, 1, "score")
    found = np.empty(len(score))
    with context() as ctx:
        ctx.call(lib.opn_conformal_p_values, len(calibration), _arrays.numbers(calibration),
                 len(score), _arrays.numbers(score), _arrays.pointer(found))
    return found


class Discoveries(NamedTuple):
    """What benjamini_hochberg() found."""

    found: Array  # [n] whether a node is marked
    threshold: float   # the largest p-value that is; 0 without one


def benjamini_hochberg(p: ArrayLike, level: float = 0.1) -> Discoveries:
    """Marks p-values [n] so that on average at most `level` of the marked ones are wrong.

    >>> benjamini_hochberg([0.01, 0.9, 0.02], level=0.1)
    Discoveries(found=array([ True, False,  True]), threshold=0.02)
    """
    p = _arrays.as_type(p, np.float64, 1, "p")
    found = np.zeros(len(p), dtype=np.uint8)
    threshold = ffi.new("double *")
    count = ffi.new("int32_t *")
    with context() as ctx:
        ctx.call(lib.opn_discover, len(p), _arrays.pointer(p), level, _arrays.pointer(found),
                 threshold, count)
    return Discoveries(found.astype(bool), threshold[0])
