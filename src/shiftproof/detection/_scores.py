"""Stage one: whether the distributions of the models' scores changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Note
from shiftproof.detection._features import Verdict
from shiftproof.stats import (
    ContinuousRecord,
    benjamini_hochberg,
    blocked_kruskal_wallis,
    compare,
    detectable_ks,
    hellinger,
    ks_interval,
)

#: From which KS distance of its scores a significant change is worth a look, as for features.
MATERIAL_SCORES = 0.1
#: A test that could only have detected a change larger than this cannot rule out a shift.
_SPEAKS = 0.5
# Ranks within smaller blocks carry little; all rows are ranked together instead.
_SMALLEST_BLOCK = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class ScorePair:
    """One model's scores of both tables, by models that never saw the rows.

    Parameters
    ----------
    model : str
        Its name.
    labels : tuple
        The class of each column; of two classes only the positive one has a column.
    reference, current : ndarray of shape (n, k) and (m, k)
        The scores.
    blocks : pair of ndarray of shape (n,) and (m,), optional
        Which of several models scored the row.
    inflation : float
        By how much the variance of the reference's part exceeds that of independent rows.
    """

    model: str
    labels: tuple[Any, ...]
    reference: Floats
    current: Floats
    blocks: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    inflation: float = 1.0


@dataclass(frozen=True, kw_only=True)
class ScoreShift:
    """The comparison of one model's scores: a row of `Detection.scores_frame`.

    `higher` is the probability that a new row scores above an old one: 0.5 if nothing changed. With more than two
    classes, `label`, `ks` and the columns after it are of the class whose scores changed most. If the model `failed`,
    it could not score the new rows, and `note` is its error message, which may quote cells of the data.
    """

    model: str
    label: Any
    statistic: float
    p_value: float
    q_value: float = math.nan
    ks: float = math.nan
    ks_low: float = math.nan
    ks_high: float = math.nan
    hellinger: float = math.nan
    higher: float = math.nan
    mean_reference: float = math.nan
    mean_current: float = math.nan
    shifted: bool = False
    material: bool = False
    verdict: Verdict = "no shift"
    detectable: float = math.nan
    method: str = ""
    note: str = ""
    failed: bool = False


def compare_scores(
    pairs: Sequence[ScorePair], alpha: float, failures: Sequence[Note] = ()
) -> tuple[tuple[ScoreShift, ...], dict[str, dict[Any, ContinuousRecord]]]:
    """Test every model's scores; return the rows, the most changed first, and the records per model and class.

    Models that could not score the new rows come last, with their error message as the note.
    """
    records = {pair.model: _records(pair) for pair in pairs}
    rows = [_row(pair, records[pair.model]) for pair in pairs]
    adjusted = benjamini_hochberg([row.p_value for row in rows])
    judged = [_judged(row, float(q), alpha) for row, q in zip(rows, adjusted, strict=True)]
    # A model that failed has no p-value, and takes no part in the correction for several models.
    return (
        *sorted(judged, key=lambda row: (not row.material, not row.shifted, -row.ks)),
        *map(_failed, failures),
    ), records


def _failed(failure: Note) -> ScoreShift:
    return ScoreShift(
        model=failure.subject,
        label="",
        statistic=math.nan,
        p_value=math.nan,
        verdict="cannot tell",
        note=failure.detail,
        failed=True,
    )


def _records(pair: ScorePair) -> dict[Any, ContinuousRecord]:
    records = {}
    for column, label in enumerate(pair.labels):
        record = compare(pair.reference[:, column], pair.current[:, column])
        assert isinstance(record, ContinuousRecord)  # noqa: S101 - floats are continuous
        records[label] = record
    return records


def _row(pair: ScorePair, records: Mapping[Any, ContinuousRecord]) -> ScoreShift:
    blocks: dict[str, Any] = {}
    if pair.blocks is not None and _large_enough(pair.blocks):
        blocks = {"blocks_reference": pair.blocks[0], "blocks_current": pair.blocks[1]}
    test = blocked_kruskal_wallis(pair.reference, pair.current, inflation=pair.inflation, **blocks)
    # The class whose scores moved most speaks for the model.
    label, record = max(records.items(), key=lambda item: item[1].d)
    interval = ks_interval(record)
    return ScoreShift(
        model=pair.model,
        label=label,
        statistic=test.statistic,
        p_value=test.p_value,
        ks=record.d,
        ks_low=interval.low,
        ks_high=interval.high,
        hellinger=hellinger(record),
        higher=0.5 + record.rank_sum / (2 * record.n * record.m),
        mean_reference=record.mean_reference,
        mean_current=record.mean_current,
        detectable=detectable_ks(record.n, record.m),
        method=test.method,
        note=test.note,
    )


def _large_enough(blocks: tuple[NDArray[np.int64], NDArray[np.int64]]) -> bool:
    # Ranks within blocks of a few rows take few values, too few for the limit of the test.
    n_blocks = max(int(side.max()) for side in blocks) + 1
    return min(int(np.bincount(side, minlength=n_blocks).min()) for side in blocks) >= _SMALLEST_BLOCK


def _judged(row: ScoreShift, q_value: float, alpha: float) -> ScoreShift:
    shifted = q_value <= alpha
    material = shifted and row.ks >= MATERIAL_SCORES
    # NaN where even complete separation would not be significant: such a test says nothing either.
    silent = not row.detectable <= _SPEAKS
    verdict: Verdict = "shifted" if material else "negligible" if shifted else "cannot tell" if silent else "no shift"
    return replace(row, q_value=q_value, shifted=shifted, material=material, verdict=verdict)
