"""Arrays of callers as the library reads them, and its arrays as NumPy's."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import NULL, encode, ffi
from .errors import OpineValueError

if TYPE_CHECKING:
    from ._types import Array, Handle

_C_NAMES = {"float32": "float", "float64": "double", "int32": "int32_t", "int64": "int64_t",
            "uint8": "uint8_t", "int8": "int8_t"}


def as_array(value: Any) -> Array:
    """Whatever has __array__ or __dlpack__, as an array; tensors lose their gradients."""
    if isinstance(value, np.ndarray):
        return value
    for step in ("detach", "cpu"):
        if hasattr(value, step):
            value = getattr(value, step)()
    if hasattr(value, "__dlpack__") and hasattr(np, "from_dlpack"):
        try:
            return np.from_dlpack(value)
        except (RuntimeError, TypeError, ValueError, BufferError):
            pass  # a type or a device that DLPack does not share
    try:
        return np.asarray(value)
    except TypeError:
        if not hasattr(value, "float"):
            raise
        return np.asarray(value.float())  # bfloat16, which NumPy does not have


def as_type(value: Any, dtype: Any, n_dims: int, what: str) -> Array:
    """An array of that type and number of dimensions, in C order.

    The caller's own memory if it is so already.
    """
    array = as_array(value)
    if array.ndim != n_dims:
        raise OpineValueError(
            f"{what} has the shape {array.shape}, and {n_dims} dimension"
            f"{'s are' if n_dims > 1 else ' is'} expected")
    if array.dtype.kind not in "biuf":
        raise OpineValueError(f"{what} is of type {array.dtype}, and numbers are expected")
    return np.ascontiguousarray(array, dtype=dtype)


def as_index(value: Any, what: str) -> Array:
    """A list of whole numbers that fit 32 bits, as int32."""
    array = as_array(value)
    if array.dtype.kind not in "biu":
        if array.size and array.dtype.kind != "f":
            raise OpineValueError(f"{what} is of type {array.dtype}, and whole numbers are expected")
        if array.size and not np.array_equal(array, np.trunc(array)):
            raise OpineValueError(f"{what} has numbers that are not whole")
    if array.size and (array.min() < -2**31 or array.max() >= 2**31):
        raise OpineValueError(f"{what} has numbers beyond 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def as_labels(value: Any, n_nodes: int, what: str) -> Array:
    """Numbers of classes [n_nodes] as int32."""
    labels = as_index(value, what)
    if labels.shape != (n_nodes,):
        raise OpineValueError(f"{what} has the shape {labels.shape}; the class of each of {n_nodes} "
                              "nodes is expected")
    return labels


def as_flags(value: Any, n_dims: int, what: str) -> Array:
    """Zeros and ones as uint8."""
    flags = as_type(value, None, n_dims, what)
    if flags.dtype != bool and not np.isin(flags, (0, 1)).all():
        raise OpineValueError(f"{what} has values other than 0 and 1")
    return flags.astype(np.uint8)


def pointer(array: Array | None) -> Handle:
    """The memory of an array for the library, which borrows it during a call."""
    if array is None:
        return NULL
    return ffi.from_buffer(f"{_C_NAMES[array.dtype.name]}[]", array) if array.size else ffi.new(
        f"{_C_NAMES[array.dtype.name]}[1]")


# Arrays that graphs of the library refer to, by the number that release() is given.
_lent: dict[int, Array] = {}
_keys = count(1)  # never used again, so that none is released in the place of another


def lend(array: Array) -> int:
    """Keeps an array alive until the library releases it; returns what to call it by."""
    key = next(_keys)
    _lent[key] = array
    return key


def release(key: int) -> None:
    """Forgets an array that was lent."""
    _lent.pop(key, None)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def opine_py_release(user: Handle) -> None:
    release(int(ffi.cast("uintptr_t", user)))


def numbers(array: Array | None) -> Handle:
    """An array of float or double as opn_numbers; the caller keeps it alive."""
    return _numbers("opn_numbers *", array)


def room(array: Array | None) -> Handle:
    """An array of float or double to write to, as opn_number_room; None for none."""
    return _numbers("opn_number_room *", array)


def _numbers(kind: str, array: Array | None) -> Handle:
    made = ffi.new(kind)
    if array is not None:
        setattr(made, "f32" if array.dtype == np.float32 else "f64", pointer(array))
    return made[0]


def copy_array(chars: Handle, shape: tuple[int, ...], dtype: Any, rows: Array | None = None) -> Any:
    """A copy of an array of the library, or of some of its rows; None for NULL."""
    if chars == NULL:
        return None
    n_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    seen = np.frombuffer(ffi.buffer(chars, n_bytes), dtype=dtype) if n_bytes else \
        np.empty(0, dtype=dtype)
    return seen.reshape(shape).copy() if rows is None else seen.reshape(shape)[rows]


def string_list(values: Iterable[object]) -> tuple[Handle, list[Handle]]:
    """Strings for the library, and what keeps them alive."""
    kept = [ffi.new("char[]", encode(value)) for value in values]
    return ffi.new("const char *[]", kept) if kept else ffi.new("const char *[1]"), kept
