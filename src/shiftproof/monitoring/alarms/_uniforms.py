"""Random numbers that depend on nothing but a seed, a batch and a column, in every engine."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

_PER_BLOCK = 4  # 32 bytes of SHA-256 are four numbers of 64 bits


def uniforms(seed: int, batch_id: str, columns: Sequence[str], counts: Sequence[int]) -> NDArray[np.float64]:
    """Draw numbers between 0 and 1 for every column, one column after another.

    The k-th block of a column is SHA-256 of the digests of seed, batch and column, followed by k. Adding the same
    batch again, on any machine, draws the same numbers.

    Parameters
    ----------
    seed : int
        The monitor's seed.
    batch_id : str
        What names the batch.
    columns : sequence of str
        Names of the columns.
    counts : sequence of int
        How many numbers each column needs.
    """
    batch = sha256(str(seed).encode()).digest() + sha256(batch_id.encode("utf-8", "surrogatepass")).digest()
    drawn = []
    for column, count in zip(columns, counts, strict=True):
        begin = sha256(batch + sha256(column.encode("utf-8", "surrogatepass")).digest())
        blocks = []
        for block in range(-(-count // _PER_BLOCK)):
            further = begin.copy()
            further.update(block.to_bytes(4, "big"))
            blocks.append(further.digest())
        drawn.append(np.frombuffer(b"".join(blocks), ">u8")[:count])
    # 53 bits and half a step: never 0, never 1.
    return ((np.concatenate(drawn) >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
