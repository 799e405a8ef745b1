"""The base of every result: frozen values as a frame, a dict and words."""

from __future__ import annotations

import html
import math
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__

if TYPE_CHECKING:
    import pandas as pd

# Characters of the summary in a repr, which a notebook or a list prints on one line.
_WIDTH = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(ABC):
    """What a verb returns: computed once, never changed, shown in several ways.

    Subclasses are frozen dataclasses; their arrays, dicts and lists are copied here and made read-only, so a result
    never changes, also after it was pickled or copied.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # A dataclass writes its own `__repr__`, of every field, unless the class has one.
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _frozen(getattr(self, field.name)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        Result.__post_init__(self)  # NumPy forgets that an array was read-only

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {textwrap.shorten(self.summary(), _WIDTH, placeholder=' …')}>"

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as one tidy table."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values that ``json.dumps`` accepts."""

    def _plain_fields(self, *without: str) -> dict[str, Any]:
        """Return the version, the summary and all fields but some as plain values, to begin `to_dict` with."""
        names = [field.name for field in fields(self) if field.name not in without]
        return {"shiftproof": __version__, "summary": self.summary()} | {n: plain(getattr(self, n)) for n in names}

    @abstractmethod
    def summary(self) -> str:
        """Summarise the result and its uncertainty in a few sentences."""

    def _repr_html_(self) -> str:
        words = html.escape(self.summary()).replace("\n", "<br>")
        table = self.to_frame().to_html(index=False, max_rows=30, na_rep="", float_format=lambda x: f"{x:.4g}")
        return f"<div class='shiftproof-result'><p>{words}</p>{table}</div>"


class FrozenDict(dict[Any, Any]):
    """A dict that cannot be changed; it is read, copied, pickled and written as JSON like any other."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("a result cannot be changed; make a copy with dict(...) and change the copy")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class EstimateTable(FrozenDict):
    """Intervals, or what has one, by model and measure; printed as a table.

    Examples
    --------
    >>> from shiftproof.core import Interval
    >>> EstimateTable({"nb": {"auc": Interval(estimate=0.75, low=0.7, high=0.8, level=0.9, method="delong")}})
    model measure   estimate        low       high
    nb    auc         0.7500     0.7000     0.8000
    """

    def __repr__(self) -> str:
        cells = [("model", "measure", "estimate", "low", "high")]
        for model, measures in self.items():
            for measure, one in measures.items():
                interval = getattr(one, "interval", one)
                figures = (f"{getattr(interval, name):.4f}" for name in cells[0][2:])
                cells.append((model, measure, *figures))
        first, second = (max(len(row[place]) for row in cells) for place in (0, 1))
        return "\n".join(
            f"{model:{first}} {measure:{second}}" + "".join(f"{figure:>11}" for figure in figures)
            for model, measure, *figures in cells
        )


def _frozen(value: object) -> Any:
    if isinstance(value, np.ndarray):
        kept = value.copy()
        kept.flags.writeable = False
        return kept
    if isinstance(value, dict):
        kind = type(value) if isinstance(value, FrozenDict) else FrozenDict
        return kind({key: _frozen(item) for key, item in value.items()})
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return value


def plain(value: object) -> Any:
    """Turn a value into plain JSON values; numbers that are not finite become null.

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
    if isinstance(value, Result):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value)
    return str(value)


def plain_fields(value: Any) -> dict[str, Any]:
    """Turn the fields of a dataclass into plain JSON values."""
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
