"""Graph neural networks that know what they do not know.

    >>> import opine
    >>> graph = opine.datasets.load("demo")
    >>> clf = opine.NodeClassifier(model="s-gcn", epochs=20).fit(graph)
    >>> clf.predict()[:3].shape
    (3,)

Parts are loaded when they are first used, so that importing opine costs nothing.
"""

import importlib

from ._opine import ffi as _ffi, lib as _lib

__version__ = _ffi.string(_lib.opn_version()).decode()

# Where each name is defined; a module stands for itself.
_HOMES = {
    "Graph": "graph",
    "NodeClassifier": "classifier",
    "load": "classifier",
    "evaluate": "experiment",
    "tune": "experiment",
    "report": "experiment",
    "build_info": "_library",
    "OpineError": "errors",
    "OpineValueError": "errors",
    "OpineOSError": "errors",
    "OpineMemoryError": "errors",
    "OpineWarning": "errors",
    "calibration": None,
    "conformal": None,
    "control": None,
    "datasets": None,
    "metrics": None,
    "opinion": None,
    "errors": None,
}

__all__ = sorted(_HOMES) + ["__version__"]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'opine' has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(f".{home or name}", __name__)
    value = module if home is None else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return __all__
