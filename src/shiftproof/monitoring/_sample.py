"""Some random rows of a batch, kept so that labels can be compared with what the model said of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Note, Table, is_missing, shown
from shiftproof.monitoring._cells import level_key
from shiftproof.monitoring._performance import AccuracyGrounds
from shiftproof.monitoring.alarms import uniforms

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline

Ints = NDArray[np.int64]
#: How many rows of a batch are kept at most.
MOST_KEPT = 1_000
# Draws the rows; no column of a table is called so.
_ROWS = "\0rows to label"


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptSample:
    """Rows of a batch in random order, each with its score: any first few of them are a random sample of the batch.

    Attributes
    ----------
    n_rows : int
        Rows of the batch.
    rows : array of int, shape (k,)
        Their numbers, counted from 0.
    keys : tuple of str
        What the key column says of them; empty without one.
    answers : array of int, shape (k,)
        The classes that the model answers.
    scores : array, shape (k, c)
        Its columns of scores, in single precision.
    grounds : AccuracyGrounds
        What the estimate of accuracy of the whole batch rests on.
    """

    n_rows: int
    rows: Ints
    keys: tuple[str, ...]
    answers: Ints
    scores: NDArray[np.float32]
    grounds: AccuracyGrounds

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each row in the random order."""
        return {row: place for place, row in enumerate(self.rows.tolist())}

    @cached_property
    def rows_by_key(self) -> dict[str, int]:
        """The row of each key."""
        return dict(zip(self.keys, self.rows.tolist(), strict=bool(self.keys)))

    def to_bytes(self) -> bytes:
        """Return the sample as bytes, about 8 for each row of two classes without a key."""
        header = {"n_rows": self.n_rows, "shape": self.scores.shape, "keys": self.keys, **asdict(self.grounds)}
        arrays = (self.rows.astype("<u4"), self.answers.astype("<u2"), self.scores.astype("<f4"))
        body = b"".join(array.tobytes() for array in arrays)
        return zlib.compress(json.dumps(header).encode() + b"\n" + body)

    @classmethod
    def from_bytes(cls, stored: bytes) -> KeptSample:
        """Read what `to_bytes` returned."""
        head, _, body = zlib.decompress(stored).partition(b"\n")
        header = json.loads(head)
        n_rows, (k, c), keys = header.pop("n_rows"), header.pop("shape"), header.pop("keys")
        return cls(
            n_rows=n_rows,
            rows=np.frombuffer(body, "<u4", k).astype(np.int64),
            keys=tuple(keys),
            answers=np.frombuffer(body, "<u2", k, 4 * k).astype(np.int64),
            scores=np.frombuffer(body, "<f4", k * c, 6 * k).astype(np.float32).reshape(k, c),
            grounds=AccuracyGrounds(**header),
        )


def draw_sample(
    baseline: Baseline, table: Table, grounds: AccuracyGrounds, *, seed: int, batch_id: str
) -> tuple[KeptSample, tuple[Note, ...]]:
    """Draw the rows of a batch that are kept, and say why keys are not.

    Parameters
    ----------
    baseline : Baseline
        With scores and labels.
    table : Table
        The batch.
    grounds : AccuracyGrounds
        Of its estimate.
    seed, batch_id : int, str
        The same rows are drawn whenever these and the number of rows are the same.
    """
    if baseline.scores is None:
        raise ValueError("a sample needs scores")
    count = min(table.n_rows, MOST_KEPT)
    rows = np.fromiter(random_rows(table.n_rows, uniforms(seed, batch_id, [_ROWS], [count])), np.int64, count)
    probabilities = baseline.scores.read(table, "batch")
    keys, notes = _keys(baseline, table, rows)
    columns = baseline.scores.columns_of(probabilities[rows])
    return KeptSample(
        n_rows=table.n_rows,
        rows=rows,
        keys=keys,
        # Before rounding, so that ties stay as the model broke them.
        answers=probabilities[rows].argmax(axis=1),
        scores=np.column_stack([*columns.values()]).astype(np.float32),
        grounds=grounds,
    ), notes


def random_rows(n_rows: int, numbers: Sequence[float] | Floats) -> Iterator[int]:
    """Yield rows in random order, one for each uniform number (Fisher and Yates, of which only the head is needed).

    Examples
    --------
    >>> list(random_rows(10, [0.5, 0.5, 0.99, 0.0]))
    [5, 0, 9, 3]
    """
    moved: dict[int, int] = {}
    for place, number in enumerate(numbers):
        chosen = place + int(number * (n_rows - place))
        yield moved.get(chosen, chosen)
        moved[chosen] = moved.get(place, place)


def key_text(cell: object) -> str:
    """Write a key so that the cells of a table, a file and a dict are equal: 7, 7.0 and "7" are one key.

    Examples
    --------
    >>> key_text(7), key_text(7.0), key_text("7")
    ('7', '7', '7')
    """
    return level_key(cell)[2:]


def _keys(baseline: Baseline, table: Table, rows: Ints) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Return the keys of some rows; none where they do not identify the rows of the batch."""
    name = baseline.key
    if name is None or baseline.redacted:
        return (), ()
    if name not in table.names:
        return (), (Note(code="no key", subject=name, detail=f"the batch has no column {shown(name)}"),)
    cells = table.column(name).cells()
    texts = ["" if is_missing(cell) else key_text(cell) for cell in cells]
    if "" in texts:
        return (), (Note(code="no key", subject=name, detail=f"{shown(name)} is missing in some rows"),)
    if len({*texts}) < len(texts):
        return (), (Note(code="no key", subject=name, detail=f"several rows have the same {shown(name)}"),)
    return tuple(texts[row] for row in rows.tolist()), ()
