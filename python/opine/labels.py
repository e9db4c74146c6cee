"""Labels as people have them, as the numbers of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import as_array
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import Array, Flags


def is_missing(values: Array) -> Flags:
    """Which of an array of labels mean that there is none: None, NaN, "" and -1."""
    missing: Flags
    if values.dtype.kind == "f":
        missing = np.isnan(values) | (values == -1)
    elif values.dtype.kind in "biu":
        missing = values.astype(np.int64) == -1
    elif values.dtype.kind in "US":
        missing = values == values.dtype.type("")
    else:
        missing = np.array([_is_none(value) for value in values], dtype=bool)
    return missing


def _is_none(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas, not to be compared
        return True
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return bool(value != value or value == "" or (is_number and value == -1))


def _plain(values: Array) -> Array:
    """Labels of one type: whole floats as integers, objects as what they hold."""
    if values.dtype.kind == "f" and np.array_equal(values, np.trunc(values)):
        return values.astype(np.int64)
    if values.dtype.kind == "O":
        kinds = {type(v) for v in values}
        if not all(issubclass(kind, (int, np.integer)) for kind in kinds) and \
                not all(issubclass(kind, (float, int, np.number)) for kind in kinds):
            return np.array([str(v) for v in values])
        return _plain(np.array(list(values)))
    return values


def encode_labels(labels: Any, classes: Any = None) -> tuple[Array, Array]:
    """Classes in order, and the number of each label among them, -1 where there is none.

    >>> classes, numbers = encode_labels(["b", None, "a", "b"])
    >>> classes.tolist(), numbers.tolist()
    (['a', 'b'], [1, -1, 0, 1])
    """
    values = as_array(labels)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise OpineValueError(f"labels have the shape {values.shape}; one for each node is expected")
    missing = is_missing(values)
    known = _plain(values[~missing])
    if classes is None:
        classes, found = np.unique(known, return_inverse=True)
    else:
        classes = np.asarray(classes)
        order = np.argsort(classes, kind="stable")
        place = np.searchsorted(classes, known, sorter=order)
        place[place == len(classes)] = 0
        found = order[place]
        if len(known) and not np.array_equal(classes[found], known):
            stranger = known[classes[found] != known].tolist()[0]
            raise OpineValueError(f"label {stranger!r} is not one of the classes {classes.tolist()}")
    numbers = np.full(len(values), -1, dtype=np.int32)
    numbers[~missing] = found
    return classes, numbers


def class_values(names: list[str]) -> Array:
    """Classes from their names: integers where all of them are."""
    if names and all(name.lstrip("-").isdigit() and str(int(name)) == name for name in names):
        return np.array([int(name) for name in names])
    return np.array(names, dtype=object if not names else None)
