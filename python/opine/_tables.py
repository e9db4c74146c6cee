"""Columns as the table that the caller wants."""

from __future__ import annotations

from typing import Any


def as_table(columns: dict[str, Any], as_frame: bool | None) -> Any:
    """A DataFrame, or a dictionary of arrays; None for the first where pandas is installed."""
    if as_frame is False:
        return columns
    try:
        import pandas
    except ImportError:
        if as_frame:
            raise
        return columns
    return pandas.DataFrame(columns)
