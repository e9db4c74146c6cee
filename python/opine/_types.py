"""Types that several modules name in their hints."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike as ArrayLike, NDArray

# An array of whatever type its documentation says.
Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.floating[Any]]
Flags: TypeAlias = NDArray[np.bool_]

# Handles and structs of the library, whose types cffi makes when it is compiled.
Handle: TypeAlias = Any
