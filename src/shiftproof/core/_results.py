"""The base of every result: frozen facts with one frame, one dict, words and a page."""

from __future__ import annotations

import html
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(ABC):
    """What a verb returns: computed once, never changed, shown in several ways.

    Subclasses are frozen dataclasses; their arrays are copied and made read-only here, so a result that was
    printed yesterday still says the same today.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                kept = value.copy()
                kept.flags.writeable = False
                object.__setattr__(self, field.name, kept)

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as one tidy table."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values that ``json.dumps`` accepts."""

    @abstractmethod
    def summary(self) -> str:
        """Say in a few sentences what was found and how sure that is."""

    def _repr_html_(self) -> str:
        words = html.escape(self.summary()).replace("\n", "<br>")
        table = self.to_frame().to_html(index=False, max_rows=30, na_rep="", float_format=lambda x: f"{x:.4g}")
        return f"<div class='shiftproof-result'><p>{words}</p>{table}</div>"


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold; numbers that are not finite become null.

    Examples
    --------
    >>> plain({"a": np.float64("nan"), "b": np.arange(2), "c": (1, None)})
    {'a': None, 'b': [0, 1], 'c': [1, None]}
    """
    if type(value).__name__ in ("NaTType", "NAType"):  # pandas' own, without importing pandas for them
        return None
    if value is None or (isinstance(value, (str, bool, int)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)
