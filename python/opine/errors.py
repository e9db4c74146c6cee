"""What opine raises and warns with; each error has the sentence of the library."""


class OpineError(Exception):
    """Base of all errors of the library; `status` is the library's code."""

    status: int = 0


class OpineValueError(OpineError, ValueError):
    """An argument, a parameter or the content of a file cannot be used."""


class OpineNotFittedError(OpineValueError, AttributeError):
    """A classifier was asked before fit(), as scikit-learn's error of that name."""


class OpineOSError(OpineError, OSError):
    """A file cannot be read or written."""


class OpineMemoryError(OpineError, MemoryError):
    """There is not enough memory."""


class OpineWarning(UserWarning):
    """Something in the data or the result looks wrong; work went on."""
