"""Stage two: every feature tested on its own, false discoveries controlled, effects first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shiftproof.core import Column, Interval, is_missing, listed
from shiftproof.shift import DomainCheck
from shiftproof.stats import (
    ContinuousRecord,
    NominalRecord,
    Record,
    TestResult,
    benjamini_hochberg,
    chi_square,
    detectable_hellinger,
    detectable_ks,
    detectable_share,
    hellinger,
    hellinger_interval,
    holm,
    kolmogorov_smirnov,
    ks_interval,
    missingness,
    newcombe,
    psi,
    wasserstein,
)

Test = Literal["ks", "chi-square", "missing", "infinite", "presence"]
Verdict = Literal["shifted", "negligible", "no shift", "cannot tell"]

#: A significant change of at least this size is material: with many rows every change is significant.
MATERIAL: Mapping[Test, float] = {"ks": 0.1, "chi-square": 0.1, "missing": 0.05, "infinite": 0.05, "presence": 0.5}
#: A classifier of old against new rows shows a material change from this area under its ROC curve on.
MATERIAL_AUC = 0.6
#: Names of the sizes; the Hellinger distance is corrected for its bias.
EFFECT: dict[Test, str] = {
    "ks": "KS distance",
    "chi-square": "Hellinger distance",
    "missing": "change in the share of missing values",
    "infinite": "change in the share of infinite values",
    "presence": "column absent",
}
#: The same in a column of a table, where there is little room.
SHORT_EFFECT: Mapping[Test, str] = EFFECT | {"ks": "KS", "chi-square": "Hellinger"}
#: A test that could only have detected a change larger than this cannot rule out a shift.
SPEAKS = 0.5
# If so many values occur only once, a test of categories cannot show that nothing shifted either.
_MOST_ONCE = 0.5


@dataclass(frozen=True, kw_only=True)
class FeatureShift:
    """One test of one feature: a row of `Detection.to_frame`.

    A feature has a row for its values (``ks`` or ``chi-square``), one more where values are missing on either side
    (``missing``), one where some are infinite (``infinite``), and only ``presence`` where the column is absent.

    `effect` is the size of the change: a KS distance or a change of a share, from 0 to 1, or for categories a
    Hellinger distance, from 0 to 1.41.
    """

    feature: str
    kind: str
    test: Test
    statistic: float
    p_value: float
    q_value: float = math.nan
    ks: float = math.nan
    hellinger: float = math.nan
    wasserstein: float = math.nan
    missing_reference: float = 0.0
    missing_current: float = 0.0
    shifted: bool = False
    material: bool = False
    verdict: Verdict = "no shift"
    effect: float = math.nan
    effect_low: float = math.nan
    effect_high: float = math.nan
    detectable: float = math.nan
    p_holm: float = math.nan
    wasserstein_sd: float = math.nan
    psi: float = math.nan
    note: str = ""

    @property
    def grade(self) -> str:
        """How a chart colours the row."""
        return "material" if self.material else "negligible" if self.shifted else "none"

    @property
    def label(self) -> str:
        """The feature's name, with the test where it is not of the values."""
        return f"{self.feature} ({self.test})" if self.test in ("missing", "infinite", "presence") else self.feature


def feature_rows(name: str, kind: str, record: Record) -> list[FeatureShift]:
    """Make the untested rows of one feature: values, missing values, infinities."""
    if isinstance(record, ContinuousRecord):
        rows = [_continuous_row(name, kind, record)]
        if record.infinite_reference or record.infinite_current:
            rows.append(_infinite_row(name, kind, record))
    else:
        rows = [_nominal_row(name, kind, record)]
    if record.missing_reference or record.missing_current:
        rows.append(_missing_row(name, kind, record))
    before, now = _share(record.missing_reference, record.n), _share(record.missing_current, record.m)
    return [replace(row, missing_reference=before, missing_current=now) for row in rows]


def absent_row(name: str, kind: str, column: Column) -> FeatureShift:
    """Make the row of a column that the current table lost; `column` holds its reference values."""
    # Not all cells can be counted: a lost column may hold anything.
    missing = sum(map(is_missing, column.cells()))
    return FeatureShift(
        feature=name,
        kind=kind,
        test="presence",
        statistic=math.nan,
        p_value=math.nan,
        missing_reference=missing / max(len(column), 1),
        missing_current=1.0,
        shifted=True,
        material=True,
        verdict="shifted",
        effect=1.0,
        note="absent from the new data",
    )


@dataclass(frozen=True, kw_only=True)
class MultivariateShift:
    """Whether all features together changed: how well a classifier can tell new rows from reference rows.

    Attributes
    ----------
    auc : Interval
        Its out-of-fold area under the ROC curve: 0.5 if the rows look alike, 1 if the tables do not overlap.
    p_value, q_value : float
        Of the hypothesis that they are alike; adjusted together with the features' tests.
    shifted, material : bool
        Whether it is significant, and whether the area is also at least 0.6.
    note : str
        On which rows it was measured, or why it was not.
    """

    auc: Interval
    p_value: float
    q_value: float
    shifted: bool
    material: bool
    note: str = ""


def judge(
    rows: Sequence[FeatureShift], alpha: float, records: Mapping[str, Record], check: DomainCheck | None = None
) -> tuple[list[FeatureShift], MultivariateShift | None]:
    """Correct for the number of tests, decide each, and put the feature most to blame first."""
    # One family of tests: the classifier costs the features little, as one more test.
    p = [row.p_value for row in rows] + ([] if check is None else [check.p_value])
    q, adjusted = benjamini_hochberg(p), holm(p)
    together = None if check is None else _together(check, float(q[-1]), alpha)
    tests = max(sum(not math.isnan(value) for value in p), 1)
    judged = []
    for row, q_value, p_holm in zip(rows, q[: len(rows)], adjusted[: len(rows)], strict=True):
        if row.test == "presence":
            judged.append(row)
        else:
            # The level that Benjamini-Hochberg asks for if only one feature changed.
            detectable = _detectable(row, records[row.feature], alpha / tests)
            adjusted_row = replace(row, q_value=float(q_value), p_holm=float(p_holm), detectable=detectable)
            judged.append(_with_verdict(adjusted_row, alpha))
    return sorted(judged, key=_blame), together


def _with_verdict(row: FeatureShift, alpha: float) -> FeatureShift:
    shifted = row.q_value <= alpha
    material = shifted and row.effect >= MATERIAL[row.test]
    # A test with little power cannot show that nothing shifted.
    silent = math.isnan(row.p_value) or math.isnan(row.detectable) or row.detectable > SPEAKS
    verdict: Verdict = "shifted" if material else "negligible" if shifted else "cannot tell" if silent else "no shift"
    return replace(row, shifted=shifted, material=material, verdict=verdict)


def _together(check: DomainCheck, q_value: float, alpha: float) -> MultivariateShift:
    shifted = q_value <= alpha
    return MultivariateShift(
        auc=check.auc,
        p_value=check.p_value,
        q_value=q_value,
        shifted=shifted,
        material=shifted and check.auc.estimate >= MATERIAL_AUC,
        note=check.note,
    )


def _blame(row: FeatureShift) -> tuple[bool, bool, bool, float]:
    size = 0.0 if math.isnan(row.effect) else row.effect / MATERIAL[row.test]
    # A lost column comes first: nothing is worse for a model.
    return row.test != "presence", not row.material, not row.shifted, -size


def _share(missing: int, present: int) -> float:
    return missing / (missing + present) if missing + present else math.nan


def _continuous_row(name: str, kind: str, record: ContinuousRecord) -> FeatureShift:
    result = kolmogorov_smirnov(record)
    interval = ks_interval(record)
    return FeatureShift(
        feature=name,
        kind=kind,
        test="ks",
        statistic=result.statistic,
        p_value=result.p_value,
        ks=record.d,
        hellinger=hellinger(record),
        wasserstein=record.w1,
        wasserstein_sd=wasserstein(record, standardized=True),
        psi=psi(record),
        effect=record.d,
        effect_low=interval.low,
        effect_high=interval.high,
        note="; ".join(filter(None, [result.note, record.note])),
    )


def _nominal_row(name: str, kind: str, record: NominalRecord) -> FeatureShift:
    joined = _once_joined(record)
    # If no value is repeated, all are one category after joining, and 0.00 would look like evidence.
    silent = not record.n or not record.m or _share_once(record) == 1.0
    result = chi_square(joined)
    interval = hellinger_interval(joined)
    return FeatureShift(
        feature=name,
        kind=kind,
        test="chi-square",
        statistic=math.nan if silent else result.statistic,
        p_value=math.nan if silent else result.p_value,
        hellinger=hellinger(record),
        psi=psi(record),
        effect=math.nan if silent else interval.estimate,
        effect_low=interval.low,
        effect_high=interval.high,
        note="; ".join(filter(None, [_silence(record) if silent else result.note, _unseen(record)])),
    )


def _once_joined(record: NominalRecord) -> NominalRecord:
    """Join the values that occur once in both tables together into one category.

    Alone, such a value says nothing: it must be on one of the two sides. Together they show whether the new rows have
    more unseen values than the reference has rare ones. Chance puts each on either side, so that joining them adds no
    false alarms.
    """
    before, after = record.counts_reference, record.counts_current
    once = before + after == 1
    if once.sum() < 2:
        return record
    sides = [np.append(side[~once], side[once].sum()) for side in (before, after)]
    kept = [value for value, single in zip(record.categories, once.tolist(), strict=True) if not single]
    return replace(
        record, categories=(*kept, "values that occur once"), counts_reference=sides[0], counts_current=sides[1]
    )


def _share_once(record: NominalRecord) -> float:
    """Return the share of all values that occur once in both tables together."""
    both = record.counts_reference + record.counts_current
    return float((both == 1).sum() / max(int(both.sum()), 1))


def _silence(record: NominalRecord) -> str:
    if not record.n or not record.m:
        return "no values in one table"
    return "every value occurs only once across both tables, so they cannot be compared"


def _unseen(record: NominalRecord) -> str:
    if not record.n or not record.m:
        return ""
    pairs = zip(record.categories, record.counts_reference, record.counts_current, strict=True)
    new = [(value, int(m)) for value, n, m in pairs if not n]
    if not new:
        return ""
    rows = sum(times for _, times in new)
    names = listed([value for value, _ in new], most=3)
    return f"new values: {names} ({rows:,} row{'s' * (rows != 1)})"


def _missing_row(name: str, kind: str, record: Record) -> FeatureShift:
    counts = (record.missing_reference, record.n, record.missing_current, record.m)
    return _share_row(name, kind, "missing", missingness(record), counts)


def _infinite_row(name: str, kind: str, record: ContinuousRecord) -> FeatureShift:
    odd, even = record.infinite_reference, record.infinite_current
    table = [[record.n - odd, odd], [record.m - even, even]]
    counts = (odd, record.n - odd, even, record.m - even)
    row = _share_row(name, kind, "infinite", chi_square(table), counts)
    return replace(row, note=f"{odd:,} infinite in the reference, {even:,} in the current rows")


def _share_row(name: str, kind: str, test: Test, result: TestResult, counts: tuple[int, int, int, int]) -> FeatureShift:
    marked, rest, marked_now, rest_now = counts
    low = high = effect = math.nan
    if marked + rest and marked_now + rest_now:
        interval = newcombe(marked_now, marked_now + rest_now, marked, marked + rest)
        effect = abs(interval.estimate)
        # The size of a change has no sign; an interval around 0 starts at 0.
        ends = sorted((abs(interval.low), abs(interval.high)))
        low, high = (0.0 if 0.0 in interval else ends[0]), ends[1]
    return FeatureShift(
        feature=name,
        kind=kind,
        test=test,
        statistic=result.statistic,
        p_value=result.p_value if not math.isnan(effect) else math.nan,
        effect=effect,
        effect_low=low,
        effect_high=high,
        note=result.note,
    )


def _detectable(row: FeatureShift, record: Record, alpha: float) -> float:
    """Return the smallest change that the test detects with 80% power, in the unit of the row's effect."""
    n, m = record.n, record.m
    if row.test == "missing":
        missing = record.missing_reference + record.missing_current
        n, m = n + record.missing_reference, m + record.missing_current
        return detectable_share(n, m, missing / (n + m), alpha=alpha) if n and m else math.nan
    if not n or not m:
        return math.nan
    if isinstance(record, NominalRecord):
        # A change among values that occur once cannot be seen, however large it is.
        if _share_once(record) >= _MOST_ONCE:
            return math.nan
        return detectable_hellinger(n, m, len(_once_joined(record).categories), alpha=alpha)
    if row.test == "infinite":
        infinite = record.infinite_reference + record.infinite_current
        return detectable_share(n, m, infinite / (n + m), alpha=alpha)
    return detectable_ks(n, m, alpha=alpha)
