"""Shared by the tests of the Python package."""

import contextlib
import functools
import importlib
import importlib.util
import unittest
import warnings

import opine


def needs(module):
    """Skips a test, by name, where a module is not installed."""
    found = importlib.util.find_spec(module) is not None
    return unittest.skipUnless(found, f"{module} is not installed")


def imports(module):
    """Skips a test, by name, where a module cannot be imported, for whatever it needs itself."""
    def wrap(test):
        @functools.wraps(test)
        def tried(self):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    importlib.import_module(module)
                except ImportError as error:
                    self.skipTest(f"{module} cannot be imported: {error}")
                test(self)
        return tried
    return wrap


@functools.lru_cache(maxsize=None)
def demo():
    return opine.datasets.load("demo")


@functools.lru_cache(maxsize=None)
def fitted(model="s-bgcn-t-k", epochs=20):
    return opine.NodeClassifier(model, epochs=epochs, teacher_epochs=epochs, samples=10).fit(demo())


@contextlib.contextmanager
def quiet():
    """Without the warnings of short trainings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", opine.OpineWarning)
        yield
