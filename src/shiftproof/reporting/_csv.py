"""CSV that any program for tables can open: no cell or header of it is taken for a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from shiftproof.core import is_missing
from shiftproof.reporting._files import write_whole

if TYPE_CHECKING:
    import pandas as pd

# What programs run, whatever the quotation marks around it: also in full width or small, and after blanks. With
# apostrophes in front it is text, but needs one more, because `written_cell` takes one away.
_FORMULA = re.compile(r"'*(?:[\t\r\n]|[\s\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def inert_cell(value: object) -> object:
    """Return a cell or a header that no program for tables takes for a formula.

    Examples
    --------
    >>> inert_cell("=1+1"), inert_cell(" @SUM(1)"), inert_cell(-0.5), inert_cell("-0.5"), inert_cell("age")
    ("'=1+1", "' @SUM(1)", -0.5, '-0.5', 'age')
    """
    if is_missing(value):
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    return f"'{value}" if _is_formula(value) else value


def written_cell(value: Any) -> Any:
    """Return what `inert_cell` was given; other cells stay as they are.

    Examples
    --------
    >>> written_cell("'=1+1"), written_cell(inert_cell("'=1+1")), written_cell("'age'")
    ('=1+1', "'=1+1", "'age'")
    """
    return value[1:] if isinstance(value, str) and value.startswith("'") and _is_formula(value[1:]) else value


def _is_formula(value: object) -> bool:
    return isinstance(value, str) and _FORMULA.match(value) is not None and not _NUMBER.fullmatch(value)


def write_csv(path: str | Path, frame: pd.DataFrame) -> Path:
    """Write a table for people, whole or not at all."""
    # With this end, all that other programs take for the end of a line is in quotation marks.
    end = "\r\n"
    echo: Any = SimpleNamespace(write=str)
    write = csv.writer(echo, lineterminator=end).writerow
    rows: Iterable[Iterable[object]] = (frame.columns, *frame.itertuples(index=False, name=None))
    return write_whole(path, "".join(f"{write(map(inert_cell, row)).removesuffix(end)}\n" for row in rows))


def written_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table that `write_csv` was given, as far as its texts go."""
    texts = {name: frame[name].map(written_cell) for name in frame.columns if frame[name].dtype.kind == "O"}
    return frame.assign(**texts).rename(columns=written_cell)
