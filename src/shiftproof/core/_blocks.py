"""Rows in blocks, whose temporary arrays are small."""

from __future__ import annotations

from collections.abc import Iterator

# The temporary arrays of so many rows stay in a processor's cache.
_ROWS = 1 << 14


def blocks(n: int) -> Iterator[slice]:
    """Cut n rows into blocks.

    Examples
    --------
    >>> [(block.start, block.stop) for block in blocks(20_000)]
    [(0, 16384), (16384, 20000)]
    """
    return (slice(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS))
