"""How far each shifted table is from the training rows, feature by feature, without labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Table, as_table
from shiftproof.data import LEFT_OUT, Kind, feature_kinds
from shiftproof.robustness._subject import Subject
from shiftproof.simulation import Shifted
from shiftproof.stats import (
    ContinuousRecord,
    Record,
    Reference,
    Scale,
    chi_square,
    hellinger,
    kolmogorov_smirnov,
    skewness,
)

# An approximate p-value this many times above or below alpha decides; nearer ones are computed exactly.
_CLEARLY = 10.0
_FEW = 100


@dataclass(frozen=True, kw_only=True)
class TableDistance:
    """How far the features of one shifted table are from the training rows.

    Parameters
    ----------
    failing : float
        The share of features that fail the KS (nominal: chi-square) test.
    hellinger : float
        The mean Hellinger distance over the features.
    skew : float
        The skewness of these distances; NaN for fewer than three features.
    """

    failing: float
    hellinger: float
    skew: float


class FeatureShifts:
    """The training rows, sorted once, with which all shifted tables are compared; of all classes, or of one.

    A table with the rows of an earlier one is not compared again: an offset changes one feature, a mask removes one.
    """

    def __init__(self, subject: Subject, alpha: float, *, code: int | None = None) -> None:
        learnt = subject.reference
        if code is not None:
            learnt = learnt[subject.panel.y[learnt] == code]
        table = as_table(subject.table(learnt))
        kinds = feature_kinds(table, warn=False)
        self.left_out = {name: kind for name, kind in kinds.items() if kind in LEFT_OUT}
        self._subject = subject
        self._alpha = alpha
        self._code = code
        self._references = {
            # One reference per feature: an offset compares its own column only.
            name: Reference(table.only([name]), scales={name: _scale(kind)}, n_jobs=1)
            for name, kind in kinds.items()
            if kind not in LEFT_OUT
        }
        self._known: dict[bytes, dict[str, tuple[bool, float]]] = {}

    def of(self, shifted: Shifted) -> TableDistance:
        """Compare one shifted table."""
        own = np.arange(len(shifted.rows))
        if self._code is not None:
            own = np.flatnonzero(self._subject.codes[shifted.rows] == self._code)
        if not len(own):
            return _distance({})
        compared = self._by_rows(shifted.rows[own])
        if shifted.changed in self._references:
            compared = {name: feature for name, feature in compared.items() if name != shifted.changed}
            # A masked feature (MNAR) has no values to compare.
            if shifted.family == "offset":
                moved = as_table(shifted.table).only([shifted.changed])
                compared[shifted.changed] = self._compare(shifted.changed, moved.take(own))
        return _distance(compared)

    def _by_rows(self, rows: NDArray[np.intp]) -> dict[str, tuple[bool, float]]:
        # MAR and MNAR by one feature keep the same rows.
        key = rows.tobytes()
        if key not in self._known:
            table = as_table(self._subject.table(self._subject.test[rows]))
            self._known[key] = {name: self._compare(name, table) for name in self._references}
        return self._known[key]

    def _compare(self, name: str, table: Table) -> tuple[bool, float]:
        """Return whether a feature fails, and its Hellinger distance."""
        record = self._references[name].compare(table.only([name]))[name]
        return fails(record, self._alpha), hellinger(record)


def _scale(kind: Kind) -> Scale:
    # Dates are compared by their order, like numbers.
    return "nominal" if kind == "nominal" else "continuous"


def fails(record: Record, alpha: float) -> bool:
    """Return whether a test at this level finds a difference; compute exact p-values only if it is close."""
    # A column without values on one side cannot fail.
    if not record.n or not record.m:
        return False
    test: Any = kolmogorov_smirnov if isinstance(record, ContinuousRecord) else chi_square
    p = test(record, method="asymptotic").p_value
    if min(record.n, record.m) < _FEW or alpha / _CLEARLY < p < alpha * _CLEARLY:
        p = test(record).p_value
    return bool(p <= alpha)


def _distance(compared: dict[str, tuple[bool, float]]) -> TableDistance:
    if not compared:
        return TableDistance(failing=math.nan, hellinger=math.nan, skew=math.nan)
    distances = np.array([distance for _, distance in compared.values()])
    # A feature without values in the shifted rows has no distance.
    distances = distances[~np.isnan(distances)]
    return TableDistance(
        failing=float(np.mean([failed for failed, _ in compared.values()])),
        hellinger=float(distances.mean()) if len(distances) else math.nan,
        skew=float(skewness(distances)),
    )
