"""Graph neural networks that know what they do not know.

    >>> import opine
    >>> graph = opine.datasets.load("demo")
    >>> clf = opine.NodeClassifier(model="s-gcn", epochs=20).fit(graph)
    >>> clf.predict()[:3].shape
    (3,)

Parts are loaded when they are first used, so that importing opine costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._opine import ffi as _ffi, lib as _lib

if TYPE_CHECKING:
    from . import calibration, conformal, control, datasets, errors, metrics, opinion
    from ._library import build_info
    from .classifier import NodeClassifier, load
    from .decision import decide
    from .errors import (OpineError, OpineMemoryError, OpineNotFittedError, OpineOSError,
                         OpineValueError, OpineWarning)
    from .experiment import evaluate, report, tune
    from .graph import Graph

__version__: str = _ffi.string(_lib.opn_version()).decode()

# Where each name is defined; what is not here is a module.
_HOMES = {
    "Graph": "graph",
    "NodeClassifier": "classifier",
    "load": "classifier",
    "decide": "decision",
    "evaluate": "experiment",
    "tune": "experiment",
    "report": "experiment",
    "build_info": "_library",
    "OpineError": "errors",
    "OpineValueError": "errors",
    "OpineNotFittedError": "errors",
    "OpineOSError": "errors",
    "OpineMemoryError": "errors",
    "OpineWarning": "errors",
}

__all__ = [
    "Graph", "NodeClassifier", "OpineError", "OpineMemoryError", "OpineNotFittedError",
    "OpineOSError", "OpineValueError", "OpineWarning", "__version__", "build_info", "calibration",
    "conformal", "control", "datasets", "decide", "errors", "evaluate", "load", "metrics", "opinion", "report",
    "tune"]


def _load(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'opine' has no attribute {name!r}")
    module = importlib.import_module(f".{_HOMES.get(name, name)}", __name__)
    value = getattr(module, name) if name in _HOMES else module
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # or it would seem to have every attribute
    __getattr__ = _load


def __dir__() -> list[str]:
    return __all__
