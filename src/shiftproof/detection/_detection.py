"""What `detect` found: the rows, the verdict, the words, the pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.core import Result, check_count, fault, listed, plain, shown
from shiftproof.detection._features import EFFECT, MATERIAL, FeatureShift, Verdict
from shiftproof.reporting import counted, share
from shiftproof.stats import ContinuousRecord, Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from shiftproof.reporting import Page

#: The papers' own rule (2007, sec. 5): a data set is biased when this share of its features fails at .05.
PAPER_SHARE, PAPER_ALPHA = 0.30, 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Detection(Result):
    """What changed between two tables, the most to blame first.

    Attributes
    ----------
    rows : tuple of FeatureShift
        One per test; `to_frame` shows them as a table.
    records : mapping of str to Record
        The sufficient record of every feature compared.
    left_out : mapping of str to str
        Columns that were not tested, each with its reason.
    n_reference, n_current : int
        Rows on both sides.
    alpha : float
        The level at which false discoveries are held.
    """

    rows: tuple[FeatureShift, ...]
    records: Mapping[str, Record]
    left_out: Mapping[str, str]
    n_reference: int
    n_current: int
    alpha: float

    @property
    def shifted(self) -> bool:
        """Whether any feature changed, after correction for the number of tests."""
        return any(row.shifted for row in self.rows)

    @property
    def material(self) -> bool:
        """Whether any change is also large enough to be worth a look."""
        return any(row.material for row in self.rows)

    @property
    def verdict(self) -> Verdict:
        """The answer: "shifted", "negligible", "no shift" or "cannot say"."""
        if self.material:
            return "shifted"
        if self.shifted:
            return "negligible"
        return "no shift" if any(row.verdict == "no shift" for row in self._value_rows) else "cannot say"

    @property
    def features(self) -> tuple[str, ...]:
        """The materially shifted features, the most to blame first."""
        return tuple(dict.fromkeys(row.feature for row in self.rows if row.material))

    @property
    def failing_share(self) -> float:
        """The share of features whose values fail at .05 uncorrected: the papers' own measure."""
        tested = [row for row in self._value_rows if not math.isnan(row.p_value)]
        return sum(row.p_value < PAPER_ALPHA for row in tested) / len(tested) if tested else math.nan

    @cached_property
    def hellinger_mean(self) -> float:
        """The mean Hellinger distance over the features."""
        distances = self._distances
        return float(distances.mean()) if len(distances) else math.nan

    @cached_property
    def hellinger_skew(self) -> float:
        """The skewness of the Hellinger distances: large where few features carry the change (2007, Table 5)."""
        centred = self._distances - self.hellinger_mean
        spread = float(np.sqrt((centred**2).mean())) if len(centred) else 0.0
        return float((centred**3).mean() / spread**3) if spread > 0 else math.nan

    def to_frame(self) -> pd.DataFrame:
        """Return one row per test, the most to blame first."""
        import pandas as pd

        names = list(FeatureShift.__dataclass_fields__)
        return pd.DataFrame([asdict(row) for row in self.rows], columns=names)

    def to_dict(self) -> dict[str, Any]:
        """Return verdict, sizes, settings and rows as plain values; numbers that do not exist are null."""
        return {
            "shiftproof": __version__,
            "verdict": self.verdict,
            "shifted": self.shifted,
            "material": self.material,
            "summary": self.summary(),
            "n_reference": self.n_reference,
            "n_current": self.n_current,
            "alpha": self.alpha,
            "failing_share": plain(self.failing_share),
            "fails_paper_rule": bool(self.failing_share >= PAPER_SHARE),
            "hellinger_mean": plain(self.hellinger_mean),
            "hellinger_skew": plain(self.hellinger_skew),
            "left_out": dict(self.left_out),
            "rows": [plain(row) for row in self.rows],
        }

    def summary(self) -> str:
        """Say what changed and how sure that is."""
        return " ".join(filter(None, [self._finding(), self._assurance(), self._omissions()]))

    def plot(self, *, most: int = 30, ax: Axes | None = None) -> Axes:
        """Draw the sizes of all changes, by size relative to where each is worth a look."""
        from shiftproof import plots

        return plots.effect_bars(
            [row.label for row in self.rows],
            [row.effect for row in self.rows],
            [row.grade for row in self.rows],
            thresholds=[MATERIAL[row.test] for row in self.rows],
            most=check_count(most, "most", least=1),
            ax=ax,
        )

    def plot_feature(self, feature: str, *, ax: Axes | None = None) -> Axes:
        """Draw one feature, old against new."""
        from shiftproof import plots

        if feature not in self.records:
            hint = f"choose one of {listed(self.records)}"
            raise fault("feature", "be a feature that was compared", feature, hint)
        record = self.records[feature]
        row = next(row for row in self._value_rows if row.feature == feature)
        size = "" if math.isnan(row.effect) else f" · {EFFECT[row.test].split()[0]} {row.effect:.2f}"
        if any(other.feature == feature and other.test == "missing" and other.shifted for other in self.rows):
            size += f" · missing {share(row.missing_reference)} → {share(row.missing_current)}"
        if isinstance(record, ContinuousRecord):
            edges = _edges(record)
            counts = record.view_reference, record.view_current
            return plots.histogram_pair(edges, *counts, title=f"{feature}{size}", scale=record.family, ax=ax)
        counts = record.counts_reference, record.counts_current
        return plots.category_pair(record.categories, *counts, title=f"{feature}{size}", ax=ax)

    def plot_features(self, *, most: int = 9) -> Figure:
        """Draw the features that changed most as small multiples, old against new."""
        from shiftproof import plots

        most = check_count(most, "most", least=1)
        names = list(dict.fromkeys(row.feature for row in self.rows if row.feature in self.records))[:most]
        return plots.small_multiples([partial(_paint, self, name) for name in names])

    def to_page(self, *, title: str = "What changed between the two tables") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.detection._page import detection_page

        return detection_page(self, title)

    def save(self, path: str | Path) -> Path:
        """Write the result as one self-contained HTML page and return its path."""
        from shiftproof import reporting

        return reporting.save(self.to_page(), path)

    @property
    def _value_rows(self) -> list[FeatureShift]:
        return [row for row in self.rows if row.test in ("ks", "chi-square")]

    @property
    def _distances(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        distances = np.array([row.hellinger for row in self._value_rows], dtype=np.float64)
        return distances[~np.isnan(distances)]

    def _finding(self) -> str:
        total = len({row.feature for row in self.rows})
        if not self.rows:
            return "Nothing could be tested."
        if self.verdict == "cannot say":
            fewest = counted(min(self.n_reference, self.n_current), "row")
            return f"Cannot say with {fewest}; {self._smallest_visible()}."
        if self.verdict == "no shift":
            return f"{self._quiet(total)}; {self._smallest_visible()}."
        worst = self.rows[0]
        named = f"{shown(worst.feature)} changed most ({_described(worst)})"
        if self.verdict == "negligible":
            count = len({row.feature for row in self.rows if row.shifted})
            part = f"{count} of {counted(total, 'feature')} shifted, none by enough to matter"
            return f"Significant but negligible: {part}; {named}."
        return f"{len(self.features)} of {counted(total, 'feature')} shifted by enough to matter; {named}."

    def _quiet(self, total: int) -> str:
        unsure = len({row.feature for row in self._value_rows if row.verdict == "cannot say"})
        if not unsure:
            return f"No shift seen in {counted(total, 'feature')}"
        return f"No shift seen in {total - unsure} of {counted(total, 'feature')}, and for {unsure} we cannot say"

    def _smallest_visible(self) -> str:
        """Name the change that would have been seen in every feature that is called quiet, or in the best one."""
        quiet = [row for row in self._value_rows if row.verdict == "no shift"]
        visible = quiet or [row for row in self._value_rows if not math.isnan(row.detectable)]
        if not visible:
            return "even a complete change could not be seen"
        chosen = (max if quiet else min)(visible, key=lambda row: row.detectable)
        return f"the smallest shift we could see is a {EFFECT[chosen.test]} of {chosen.detectable:.2f} (80 % power)"

    def _assurance(self) -> str:
        tests = sum(not math.isnan(row.p_value) for row in self.rows)
        sizes = f"{counted(self.n_reference, 'reference row')} against {self.n_current:,}, {counted(tests, 'test')}"
        return f"{sizes}, false discoveries held at {100 * self.alpha:g} % (Benjamini-Hochberg)."

    def _omissions(self) -> str:
        if not self.left_out:
            return ""
        reasons = ", ".join(f"{shown(name)} ({reason})" for name, reason in list(self.left_out.items())[:5])
        more = f" and {len(self.left_out) - 5} more" if len(self.left_out) > 5 else ""
        return f"Not tested: {reasons}{more}."


def _paint(result: Detection, name: str, ax: Axes) -> None:
    result.plot_feature(name, ax=ax)


def _described(row: FeatureShift) -> str:
    if row.test == "presence":
        return row.note
    if row.test == "missing":
        return f"missing {share(row.missing_reference)} before, {share(row.missing_current)} now"
    return f"{EFFECT[row.test]} {row.effect:.2f}"


def _edges(record: ContinuousRecord) -> np.ndarray[Any, np.dtype[np.float64]]:
    low, high = record.view_low, record.view_high
    if math.isnan(low):
        low, high = 0.0, 1.0
    elif low == high:  # a constant: one bar of some width
        low, high = low - 0.5, high + 0.5
    share = np.linspace(0.0, 1.0, len(record.view_reference) + 1)
    return low * (1 - share) + high * share  # no difference, which can overflow
