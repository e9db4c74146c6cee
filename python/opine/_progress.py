"""What a long call shows while it works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Bar:
    """Progress as tqdm shows it, or as lines where it is not installed."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm: Any = tqdm
        self._bar: Any = None
        self._stage: str | None = None

    def __call__(self, stage: str, done: int, total: int, unit: str, note: str) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._begin(stage, total, unit)
        if self._bar is not None:
            self._bar.n = done
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(0)

    def _begin(self, stage: str, total: int, unit: str) -> None:
        if self._tqdm is None:
            print(f"{stage} …", flush=True)
        else:
            self._bar = self._tqdm(total=total or None, desc=stage, unit=f" {unit}", leave=False)

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()
        self._bar = None


@contextmanager
def shown(verbose: int) -> Iterator[Bar | None]:
    """A hook that shows progress for as long as a call takes, or None."""
    bar = Bar() if verbose else None
    try:
        yield bar
    finally:
        if bar is not None:
            bar.close()
