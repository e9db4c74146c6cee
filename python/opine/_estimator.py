"""The parameters of an estimator as scikit-learn expects them, from the table of the library."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import NULL, lib, nearest, param_rows, text
from .errors import OpineNotFittedError

if TYPE_CHECKING:
    from ._types import Handle

# Parameters of the table that have a scikit-learn name of their own here.
_RENAMED = {"model", "seed", "threads"}

# Those that are not in the table, and their defaults.
_OWN = {"model": "auto", "graph": None, "random_state": 0, "n_jobs": 1, "verbose": 0}


def _table_rows() -> list[Handle]:
    wanted = lib.OPN_AFFECTS_PREDICTION | lib.OPN_AFFECTS_DECISIONS
    return [row for row in param_rows() if row.affects & wanted and text(row.name) not in _RENAMED]


def table_names() -> list[str]:
    """Names of the parameters that a classifier has, as in the table."""
    return [text(row.name) for row in _table_rows()]


def describe_parameters() -> str:
    """A paragraph about each parameter of the table, for help()."""
    lines = ["", "", "Parameters of the table:", ""]
    for row in _table_rows():
        told = [text(row.help).rstrip(".")]
        if row.choices != NULL:
            told.append(text(row.choices).replace("|", ", "))
        if text(row.default_text):
            told.append(f"{text(row.default_text)} by default")
        lines += textwrap.wrap("; ".join(told), 96, initial_indent=f"{text(row.name)}  ",
                               subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def make_signature() -> inspect.Signature:
    """All parameters by name, which editors and scikit-learn read."""
    first, *others = _OWN.items()
    made = [inspect.Parameter(first[0], inspect.Parameter.POSITIONAL_OR_KEYWORD, default=first[1])]
    made += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
             for name, default in [*others, *((name, None) for name in table_names())]]
    return inspect.Signature(made)


class Estimator:
    """Holds parameters: five of its own, and those of the table, None for the default."""

    _estimator_type = "classifier"  # for scikit-learn before 1.6

    model: str
    graph: Any
    random_state: Any
    n_jobs: int | None
    verbose: int

    def _set_own(self, params: dict[str, Any], **own: Any) -> None:
        known = table_names()
        for name in params:
            if name not in known:
                raise TypeError(self._unknown(name, known))
        self._params: dict[str, Any] = {**dict.fromkeys(known), **params}
        self.__dict__.update(own)

    def _unknown(self, name: str, known: list[str]) -> str:
        guess = nearest(name, known)
        return (f"{type(self).__name__} has no parameter {name!r}"
                + (f"; did you mean {guess!r}?" if guess else ""))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name.

        >>> import opine
        >>> opine.NodeClassifier(hidden=64).get_params()["hidden"]
        64
        """
        del deep
        return {**{name: getattr(self, name) for name in _OWN}, **self._params}

    def set_params(self, **params: Any) -> Any:
        """Sets parameters; returns self.

        >>> import opine
        >>> opine.NodeClassifier().set_params(model="gat", hidden=64)
        NodeClassifier(model='gat', hidden=64)
        """
        known = list(self.get_params())
        for name in params:
            if name not in known:
                raise ValueError(self._unknown(name, known))
        for name, value in params.items():
            if name in _OWN:
                setattr(self, name, value)
            else:
                self._params[name] = value
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        # clf.hidden = 64 sets the parameter, as it does with estimators of scikit-learn.
        if name in self.__dict__.get("_params", {}):
            self._params[name] = value
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        params = self.__dict__.get("_params", {})
        if name in params:
            return params[name]
        if name.endswith("_") and not name.startswith("_"):
            raise OpineNotFittedError(f"{name} is there after fit()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags
        return Tags(estimator_type="classifier", target_tags=TargetTags(required=False),
                    classifier_tags=ClassifierTags(),
                    input_tags=InputTags(one_d_array=True, two_d_array=True, string=True))

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items()
                 if value is not None and not (name in _OWN and value is _OWN[name])}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    def _table_values(self) -> dict[str, Any]:
        """Values of the table, with those that have another name here."""
        seed = self.random_state
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        elif hasattr(seed, "randint"):
            seed = int(seed.randint(2**31 - 1))
        return {**self._params, "model": self.model, "seed": seed}
