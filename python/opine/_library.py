"""Calls of the C library: contexts, errors, hooks, handles, parameters.

A context belongs to one call, so nothing is shared between threads; objects outlive the
context that they were made with. cffi releases the interpreter lock during a call.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import errors
from ._opine import ffi as ffi, lib as lib

if TYPE_CHECKING:
    from ._types import Handle

NULL = ffi.NULL

_log = logging.getLogger("opine")

_BASES: dict[int, type[errors.OpineError]] = {
    lib.OPN_ERR_NOMEM: errors.OpineMemoryError,
    lib.OPN_ERR_READ: errors.OpineOSError,
    lib.OPN_ERR_WRITE: errors.OpineOSError,
    lib.OPN_ERR_INTERNAL: errors.OpineError,
}


def text(chars: Handle) -> str:
    """A string of the library."""
    return "" if chars == NULL else str(ffi.string(chars), "utf-8", "replace")


def encode(value: object) -> bytes:
    """A string or a path for the library, without NULs inside."""
    try:
        # Bytes of a file's name that are not UTF-8 are in disguise in a string, and come out again.
        data = value if isinstance(value, bytes) else os.fsencode(value) \
            if isinstance(value, os.PathLike) else str(value).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise errors.OpineValueError(f"{value!r} is not Unicode: {error.reason}") from None
    if b"\0" in data:
        raise errors.OpineValueError(f"{value!r} holds a NUL character")
    return data


class Hooks:
    """What one call tells while it works.

    progress     called with stage, done, total, unit and note
    history      gets a dictionary for each epoch
    terms_every  which epochs have all terms of the loss: the first, every n-th and the last
    """

    def __init__(self, progress: Callable[[str, int, int, str, str], None] | None = None,
                 history: list[dict[str, Any]] | None = None, terms_every: int = 0) -> None:
        self.progress = progress
        self.history = history
        self.terms_every = terms_every
        self.exception: BaseException | None = None  # raised in a hook; ends the call


def _keep_error(kind: Any, exception: BaseException, traceback: Any) -> None:
    """Keeps what was raised in a hook: C cannot pass it on."""
    del kind
    user = traceback.tb_frame.f_locals.get("user") if traceback else None
    if user is not None:
        hooks = ffi.from_handle(user)
        hooks.exception = hooks.exception or exception


@ffi.def_extern(error=1, onerror=_keep_error)  # type: ignore[untyped-decorator]
def opine_py_interrupted(user: Handle) -> int:
    # Signals are handled between the instructions of this function: Ctrl-C raises here.
    return 1 if ffi.from_handle(user).exception is not None else 0


def _frames_inside() -> int:
    """How many frames of the package are above the caller's line, which a warning is about."""
    inside = os.path.dirname(__file__) + os.sep
    n, frame = 0, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        n, frame = n + 1, frame.f_back
    return n


@ffi.def_extern(onerror=_keep_error)  # type: ignore[untyped-decorator]
def opine_py_log(user: Handle, level: int, message: Handle) -> None:  # _keep_error() finds `user`
    if level == lib.OPN_LOG_WARNING:
        warnings.warn(text(message), errors.OpineWarning, stacklevel=_frames_inside() + 1)
    else:
        _log.log(logging.INFO if level == lib.OPN_LOG_INFO else logging.DEBUG, "%s", text(message))


@ffi.def_extern(onerror=_keep_error)  # type: ignore[untyped-decorator]
def opine_py_progress(user: Handle, progress: Handle) -> None:
    ffi.from_handle(user).progress(text(progress.stage), progress.done, progress.total,
                                   text(progress.unit), text(progress.note))


@ffi.def_extern(onerror=_keep_error)  # type: ignore[untyped-decorator]
def opine_py_epoch(user: Handle, epoch: Handle) -> None:
    ffi.from_handle(user).history.append({
        "stage": text(epoch.stage), "epoch": epoch.number, "loss": epoch.loss,
        "labels": epoch.labels, "prior": epoch.prior, "teacher": epoch.teacher,
        "unlabelled": epoch.unlabelled, "decay": epoch.decay, "accuracy": epoch.accuracy})


def _count_threads(n_jobs: int | None) -> int:
    """Threads for the library, 0 for one per core; n_jobs means what it does in scikit-learn."""
    if n_jobs is None:
        return 1
    if n_jobs == -1:
        return 0
    return n_jobs if n_jobs >= 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


class Context:
    """One opn_ctx, with the hooks of one call."""

    def __init__(self, n_jobs: int | None = 1, hooks: Hooks | None = None) -> None:
        out = ffi.new("opn_ctx **")
        if lib.opn_ctx_create(NULL, out) != lib.OPN_OK:
            raise errors.OpineMemoryError("out of memory for a context")
        self.ptr = ffi.gc(out[0], lib.opn_ctx_free)
        self.hooks = hooks or Hooks()
        self._handle = ffi.new_handle(self.hooks)
        c_hooks = ffi.new("opn_hooks *", {
            "size": ffi.sizeof("opn_hooks"),
            "log": lib.opine_py_log,
            "progress": lib.opine_py_progress if self.hooks.progress is not None else NULL,
            "interrupted": ffi.addressof(lib, "opine_look"),
            "epoch": lib.opine_py_epoch if self.hooks.history is not None else NULL,
            "user": self._handle,
            "terms_every": self.hooks.terms_every})
        self.check(lib.opn_ctx_set_hooks(self.ptr, c_hooks))
        self.check(lib.opn_ctx_set_threads(self.ptr, _count_threads(n_jobs)))

    def check(self, status: int) -> None:
        """Raises what a status stands for."""
        if self.hooks.exception is not None:
            exception, self.hooks.exception = self.hooks.exception, None
            raise exception
        if status == lib.OPN_OK:
            return
        if status == lib.OPN_ERR_INTERRUPTED:
            raise KeyboardInterrupt(text(lib.opn_ctx_error(self.ptr)))
        raised = _BASES.get(status, errors.OpineValueError)(
            text(lib.opn_ctx_error(self.ptr)) or text(lib.opn_status_name(status)))
        raised.status = status
        raise raised

    def make(self, kind: str, function: Any, *arguments: Any) -> Handle:
        """Calls function(ctx, …, out) and owns the handle that it makes.

        `kind` names the type without opn_, "graph" for example.
        """
        out = ffi.new(f"opn_{kind} **")
        status = function(self.ptr, *arguments, out)
        # Owned before the check, which raises what a hook has raised although this succeeded.
        made = out[0] if out[0] == NULL else ffi.gc(out[0], getattr(lib, f"opn_{kind}_free"))
        self.check(status)
        return made

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls function(ctx, …), which returns a status."""
        self.check(function(self.ptr, *arguments))


@contextmanager
def context(n_jobs: int | None = 1, hooks: Hooks | None = None) -> Iterator[Context]:
    """A context for the calls of one operation."""
    made = Context(n_jobs, hooks)
    try:
        yield made
    finally:
        ffi.release(made.ptr)


# ---- parameters --------------------------------------------------------------------------


def param_rows() -> list[Handle]:
    """The rows of the parameter table."""
    return [lib.opn_param_at(i) for i in range(lib.opn_param_count())]


def param_text(value: Any) -> str:
    """A value as the table reads it; scalars and lists may be NumPy's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return ",".join(f"{key}={param_text(part)}" for key, part in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(param_text(part) for part in value)
    if isinstance(value, float):
        return repr(value)
    return str(value)


def make_params(ctx: Context, values: dict[str, Any]) -> Handle:
    """An opn_params with the values that are not None."""
    params = ctx.make("params", lib.opn_params_create)
    for name, value in values.items():
        if value is not None:
            ctx.call(lib.opn_params_set, params, encode(name), encode(param_text(value)))
    return params


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` was probably meant to be, or None."""
    kept = [ffi.new("char[]", encode(c)) for c in candidates]
    array = ffi.new("const char *[]", kept)
    found = lib.opn_text_nearest(encode(word), array, len(kept))
    return None if found == NULL else text(found)


def build_info() -> dict[str, Any]:
    """How the library was built: version, compiler, kernels, linked libraries.

    >>> import opine
    >>> opine.build_info()["version"] == opine.__version__
    True
    """
    out = ffi.new("opn_build *")
    lib.opn_build_info(out)
    info: dict[str, Any] = {name: text(getattr(out, name))
                            for name in ("version", "compiler", "build_type", "precision", "kernels", "cpu")}
    info["openmp"] = out.openmp
    info["threads"] = out.n_threads
    info["libraries"] = {text(out.linked[i].name): ffi.string(out.linked[i].version).decode()
                         for i in range(out.n_linked)}
    return info


def fields(struct: Handle) -> dict[str, Any]:
    """The members of a struct by name, given a pointer to it."""
    return {name: getattr(struct, name) for name, _ in ffi.typeof(struct).item.fields}


def take_bytes(handle: Handle) -> bytes:
    """The bytes of an opn_bytes, copied."""
    return bytes(ffi.buffer(lib.opn_bytes_data(handle), lib.opn_bytes_size(handle)))
