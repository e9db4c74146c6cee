"""Calls of the C library: contexts, errors, hooks, handles, parameters.

A context belongs to one call, so nothing is shared between threads; objects outlive the
context that they were made with. cffi releases the interpreter lock during a call.
"""

import logging
import os
import warnings
from contextlib import contextmanager

from . import errors
from ._opine import ffi, lib

NULL = ffi.NULL

_log = logging.getLogger("opine")

_BASES = {
    lib.OPN_ERR_NOMEM: errors.OpineMemoryError,
    lib.OPN_ERR_READ: errors.OpineOSError,
    lib.OPN_ERR_WRITE: errors.OpineOSError,
    lib.OPN_ERR_UNSUPPORTED: errors.OpineError,
    lib.OPN_ERR_INTERNAL: errors.OpineError,
}


def text(chars):
    """A string of the library."""
    return "" if chars == NULL else ffi.string(chars).decode("utf-8", "replace")


def encode(value):
    """A string for the library, without NULs inside."""
    data = os.fsencode(value) if isinstance(value, os.PathLike) else str(value).encode("utf-8")
    if b"\0" in data:
        raise errors.OpineValueError(f"{value!r} holds a NUL character")
    return data


class Hooks:
    """What one call tells while it works."""

    def __init__(self, progress=None, epoch=None, terms_every=0):
        self.progress = progress
        self.epoch = epoch
        self.terms_every = terms_every
        self.exception = None  # raised in a hook; ends the call

    def keep(self, kind, exception, traceback):
        """Keeps what was raised in a hook: C cannot pass it on."""
        del kind, traceback
        if self.exception is None:
            self.exception = exception


def _keep_error(kind, exception, traceback):
    user = traceback.tb_frame.f_locals.get("user") if traceback else None
    if user is not None:
        ffi.from_handle(user).keep(kind, exception, traceback)


@ffi.def_extern(error=1, onerror=_keep_error)
def opine_py_interrupted(user):
    # Signals are handled between the instructions of this function: Ctrl-C raises here.
    return 1 if ffi.from_handle(user).exception is not None else 0


@ffi.def_extern(onerror=_keep_error)
def opine_py_log(user, level, message):  # _keep_error() finds `user` here
    if level == lib.OPN_LOG_WARNING:
        # The frames between: this one, call() and the method that called it.
        warnings.warn(text(message), errors.OpineWarning, stacklevel=4)
    else:
        _log.log(logging.INFO if level == lib.OPN_LOG_INFO else logging.DEBUG, "%s", text(message))


@ffi.def_extern(onerror=_keep_error)
def opine_py_progress(user, progress):
    ffi.from_handle(user).progress(text(progress.stage), progress.done, progress.total,
                                   text(progress.unit), text(progress.note))


@ffi.def_extern(onerror=_keep_error)
def opine_py_epoch(user, epoch):
    ffi.from_handle(user).epoch(text(epoch.stage), epoch.number, {
        "loss": epoch.loss, "labels": epoch.labels, "prior": epoch.prior,
        "teacher": epoch.teacher, "decay": epoch.decay, "accuracy": epoch.accuracy})


@ffi.def_extern(onerror=_keep_error)
def opine_py_warning(user, warning):
    warnings.warn(text(warning.message), errors.OpineWarning, stacklevel=4)


class Context:
    """One opn_ctx, with the hooks of one call."""

    def __init__(self, n_jobs=1, hooks=None):
        out = ffi.new("opn_ctx **")
        if lib.opn_ctx_create(NULL, out) != lib.OPN_OK:
            raise errors.OpineMemoryError("out of memory for a context")
        self.ptr = ffi.gc(out[0], lib.opn_ctx_free)
        self.hooks = hooks or Hooks()
        self._handle = ffi.new_handle(self.hooks)
        c_hooks = ffi.new("opn_hooks *", {
            "size": ffi.sizeof("opn_hooks"),
            "log": lib.opine_py_log,
            "progress": lib.opine_py_progress if self.hooks.progress else NULL,
            "interrupted": lib.opine_py_interrupted,
            "epoch": lib.opine_py_epoch if self.hooks.epoch else NULL,
            "user": self._handle,
            "terms_every": self.hooks.terms_every})
        self.check(lib.opn_ctx_set_hooks(self.ptr, c_hooks))
        self.check(lib.opn_ctx_set_threads(self.ptr, 0 if n_jobs in (None, -1) else n_jobs))

    def check(self, status):
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

    def make(self, kind, function, *arguments):
        """Calls function(ctx, …, out) and owns the handle that it makes.

        `kind` names the type without opn_, "graph" for example.
        """
        out = ffi.new(f"opn_{kind} **")
        self.check(function(self.ptr, *arguments, out))
        return ffi.gc(out[0], getattr(lib, f"opn_{kind}_free"))

    def call(self, function, *arguments):
        """Calls function(ctx, …), which returns a status."""
        self.check(function(self.ptr, *arguments))


@contextmanager
def context(n_jobs=1, hooks=None):
    """A context for the calls of one operation."""
    made = Context(n_jobs, hooks)
    try:
        yield made
    finally:
        ffi.release(made.ptr)


# ---- parameters --------------------------------------------------------------------------


def param_rows():
    """The rows of the parameter table."""
    return [lib.opn_param_at(i) for i in range(lib.opn_param_count())]


def param_text(value):
    """A value as the table reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(param_text(part) for part in value)
    if isinstance(value, float):
        return repr(value)
    return str(value)


def make_params(ctx, values):
    """An opn_params with the values that are not None."""
    params = ctx.make("params", lib.opn_params_create)
    for name, value in values.items():
        if value is not None:
            ctx.call(lib.opn_params_set, params, encode(name), encode(param_text(value)))
    return params


def nearest(word, candidates):
    """The candidate that `word` was probably meant to be, or None."""
    kept = [ffi.new("char[]", encode(c)) for c in candidates]
    array = ffi.new("const char *[]", kept)
    found = lib.opn_text_nearest(encode(word), array, len(kept))
    return None if found == NULL else text(found)


def build_info():
    """How the library was built: version, compiler, kernels, linked libraries."""
    out = ffi.new("opn_build *")
    lib.opn_build_info(out)
    info = {name: text(getattr(out, name))
            for name in ("version", "compiler", "build_type", "precision", "kernels", "cpu")}
    info["openmp"] = out.openmp
    info["threads"] = out.n_threads
    info["libraries"] = {text(out.linked[i].name): ffi.string(out.linked[i].version).decode()
                         for i in range(out.n_linked)}
    return info


def fields(struct):
    """The members of a struct by name, given a pointer to it."""
    return {name: getattr(struct, name) for name, _ in ffi.typeof(struct).item.fields}


def take_bytes(handle):
    """The bytes of an opn_bytes, copied."""
    return bytes(ffi.buffer(lib.opn_bytes_data(handle), lib.opn_bytes_size(handle)))
