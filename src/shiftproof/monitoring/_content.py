"""One hash for the content of a table, the same in every process and library; and uniform numbers from keys."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Column, Floats, Table, as_table, is_missing, nature
from shiftproof.monitoring._cells import coded_levels, level_key
from shiftproof.monitoring.alarms import BatchFacts

# Above this, floats no longer hold every integer.
_EXACT_FLOAT = 2**53
_KEYS_AT_A_TIME = 500_000


def content_hash(table: Table) -> str:
    """Hash names and cells of a table; the order of its columns makes no difference, that of its rows does.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> one, other = as_table({"a": [1, 2], "b": ["x", None]}), as_table({"b": ["x", None], "a": [1.0, 2.0]})
    >>> content_hash(one) == content_hash(other), len(content_hash(one))
    (True, 64)
    """
    total = sha256(str(table.n_rows).encode())
    for name in sorted(table.names):
        # Lengths first, so that no two tables write the same bytes.
        total.update(f"\0{len(name)}:{name}\0".encode("utf-8", "surrogatepass"))
        for part in _bytes_of(table.column(name)):
            total.update(part)
    return total.hexdigest()


def counts_hash(facts: BatchFacts) -> str:
    """Hash what was counted of a batch whose rows have no order.

    Examples
    --------
    >>> one, other = (BatchFacts(n=3, counts=(np.array([0, count, 3 - count]),), below=(None,)) for count in (1, 2))
    >>> counts_hash(one) == counts_hash(one), counts_hash(one) == counts_hash(other)
    (True, False)
    """
    total = sha256(f"counts {facts.n}".encode())
    for counts, below in zip(facts.counts, facts.below, strict=True):
        total.update(counts.astype("<i8").tobytes())
        total.update(b"" if below is None else np.asarray(below).astype("<i8").tobytes())
    return total.hexdigest()


def default_id(content: str, at: datetime | None) -> str:
    """Name a batch by its content, and by its time if that is given: equal rows on two days are two batches.

    Examples
    --------
    >>> days = [datetime(2024, 3, day, tzinfo=UTC) for day in (1, 2)]
    >>> len({default_id("0f", None), *(default_id("0f", day) for day in days)}), default_id("0f", None)
    (3, '0f')
    """
    return content if at is None else sha256(f"{content} {at.astimezone(UTC).isoformat()}".encode()).hexdigest()


def uniform_of_keys(column: Column) -> Floats:
    """Draw a number from 0 to 1 for each row by SHA-256 of its key, so that every engine draws the same.

    Whole numbers are hashed as written without a decimal point, missing keys as an empty text.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> uniform_of_keys(as_table({"id": [7, 8]}).column("id")).round(3)
    array([0.473, 0.173])
    """
    draws = np.empty(len(column))
    # Some rows at a time: all keys as objects of Python would need more memory than the table.
    for start in range(0, len(column), _KEYS_AT_A_TIME):
        piece = replace(column, values=column.values[start : start + _KEYS_AT_A_TIME])
        texts = ("" if is_missing(cell) else level_key(cell)[2:] for cell in piece.cells())
        heads = (int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") for text in texts)
        # The upper 53 bits: a float holds no more.
        draws[start : start + len(piece)] = np.fromiter((head >> 11 for head in heads), np.float64, len(piece))
    return draws / _EXACT_FLOAT


def _bytes_of(column: Column) -> tuple[bytes, ...]:
    made_of = nature(column).made_of
    # Libraries and files give a column without values different types.
    if made_of == "empty":
        return (b"empty",)
    if column.family == "category" and made_of in ("number", "boolean"):
        column = as_table({column.name: column.cells()}).column(column.name)
    if column.ordered or column.family == "boolean":
        values = None if column.family == "boolean" else column.numbers()[0]
        if values is None or values.dtype.kind == "f" or not len(values) or _fits_float(values):
            floats = column.floats() + 0.0  # -0.0 becomes 0.0
            floats[np.isnan(floats)] = np.nan
            return (b"number", floats.astype("<f8").tobytes())
        missing = np.isnan(column.floats())
        return (b"whole", missing.tobytes(), values.astype(f"<{values.dtype.str[1:]}").tobytes())
    levels, codes = coded_levels(column)
    texts = [f"{len(level)}:{level}" for level in levels]
    return (b"level", "".join(texts).encode("utf-8", "surrogatepass"), codes.astype("<i8").tobytes())


def _fits_float(values: NDArray[Any]) -> bool:
    return max(abs(int(values.min())), abs(int(values.max()))) <= _EXACT_FLOAT
