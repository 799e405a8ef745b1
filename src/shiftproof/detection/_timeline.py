"""The result of `detect_by`: one detection per period."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import Phrase, Sensitive, check_count, plain, shortened
from shiftproof.data import Every
from shiftproof.detection._features import MATERIAL, FeatureShift, Verdict
from shiftproof.detection._result import Detection
from shiftproof.detection._words import timeline_headline, timeline_words
from shiftproof.reporting import PagedResult

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.detection._timeline_page import TimelineSections
    from shiftproof.reporting import Page

# Within a sentence; a period may be any text of the data.
_LONGEST_NAME = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class Period:
    """The new rows of one period, and the changes in them.

    Attributes
    ----------
    name : str
        Such as ``2009-03``, or the value that the rows share.
    start, end : date or value
        The first and the last day; where the periods are values, the value.
    n_rows : int
        New rows in it.
    detection : Detection or None
        What `detect` found; None in a period of the calendar without a row.
    """

    name: str
    start: Any
    end: Any
    n_rows: int
    detection: Detection | None

    @property
    def verdict(self) -> Verdict:
        """The answer; "cannot tell" without a row."""
        return "cannot tell" if self.detection is None else self.detection.verdict

    @property
    def worst(self) -> FeatureShift | None:
        """The test most to blame, if any feature changed significantly."""
        rows = () if self.detection is None else self.detection.rows
        # Rows are sorted by blame.
        return rows[0] if rows and rows[0].shifted else None

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the table, start and end as plain values."""
        return {**plain(self.row()), "start": plain(self.start), "end": plain(self.end)}

    def row(self) -> dict[str, Any]:
        """Return the row of `Timeline.to_frame`."""
        detection, worst = self.detection, self.worst
        baseline = None if detection is None else detection.baseline
        return {
            "period": self.name,
            "rows": self.n_rows,
            "verdict": self.verdict,
            "shifted": detection is not None and detection.shifted,
            "material": detection is not None and detection.material,
            "p_value": math.nan if detection is None else detection.p_value,
            "features_shifted": 0 if detection is None else len(detection.features),
            "worst_feature": None if worst is None else worst.feature,
            "worst_effect": math.nan if worst is None else worst.effect,
            "failing_share": math.nan if detection is None else detection.failing_share,
            "hellinger_mean": math.nan if detection is None else detection.hellinger_mean,
            "hellinger_expected": math.nan if baseline is None else baseline.mean,
            "shift_kind": "unclear" if detection is None else detection.shift_kind,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Timeline(PagedResult):
    """What changed in each period compared with one reference.

    Attributes
    ----------
    periods : tuple of Period
        The periods in order, including periods of the calendar without rows.
    by : str
        The column with the time.
    every : str or None
        The length of the periods; None if each value is a period.
    n_reference : int
        Number of reference rows.
    n_undated : int
        Number of new rows without a value in `by`, which are in no period.
    alpha : float
        The significance level of the tests in each period.
    """

    periods: tuple[Period, ...]
    by: str
    every: Every | None
    n_reference: int
    n_undated: int
    alpha: float

    @property
    def latest(self) -> Period:
        """The last period that has rows."""
        # A period of the calendar without rows has nothing to decide by.
        return next(period for period in reversed(self.periods) if period.detection is not None)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of any period: "shifted", "negligible", "no shift", or "cannot tell" if all periods are."""
        # "cannot tell" is last: one period with enough rows answers the question.
        order: tuple[Verdict, ...] = ("shifted", "negligible", "no shift")
        verdicts = {period.verdict for period in self.periods}
        return next((verdict for verdict in order if verdict in verdicts), "cannot tell")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per period.

        `features_shifted` counts features that shifted enough to matter; `worst_feature` is the one that changed most,
        if any changed significantly; `p_value` is that of stage one.
        """
        import pandas as pd

        return pd.DataFrame([period.row() for period in self.periods])

    def features_frame(self) -> pd.DataFrame:
        """Return every test of every period, as in `Detection.to_frame`, with a first column `period`."""
        import pandas as pd

        frames = []
        for period in self.periods:
            if period.detection is not None:
                frame = period.detection.to_frame()
                frame.insert(0, "period", period.name)
                frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the periods, each with its whole detection, as plain values."""
        return {
            "shiftproof": __version__,
            "verdict": self.verdict,
            "summary": self.summary(),
            "by": self.by,
            "every": self.every,
            "n_reference": self.n_reference,
            "n_undated": self.n_undated,
            "alpha": self.alpha,
            "latest": self.latest.name,
            "periods": [
                {**period.to_dict(), "detection": None if period.detection is None else period.detection.to_dict()}
                for period in self.periods
            ],
        }

    def summary(self) -> str:
        """Say how many periods shifted, since when, what changed most, and how many false alarms to expect."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which names of periods are marked as sensitive."""
        return timeline_words(self)

    def plot(self, *, redact: bool = False, ax: Axes | None = None) -> Axes:
        """Draw the mean Hellinger distance of each period and what chance gives; with scores, also their p-values."""
        from shiftproof import plots

        rows = [period.row() for period in self.periods]
        baselines = [None if period.detection is None else period.detection.baseline for period in self.periods]
        return plots.timeline(
            self._names(redact=redact),
            [row["hellinger_mean"] for row in rows],
            [row["verdict"] for row in rows],
            expected=[row["hellinger_expected"] for row in rows],
            high=[math.nan if baseline is None else baseline.high for baseline in baselines],
            p_values=[row["p_value"] for row in rows] if self.scored else None,
            alpha=self.alpha,
            ax=ax,
        )

    def plot_features(self, *, most: int = 12, redact: bool = False, ax: Axes | None = None) -> Axes:
        """Draw features by periods: the size of each change relative to the limit from which it matters."""
        from shiftproof import plots

        most = check_count(most, "most", least=1)
        tests = [_by_feature(period) for period in self.periods]
        names = self._blamed(tests)
        return plots.effect_grid(
            names[:most],
            self._names(redact=redact),
            [[_effect(test.get(name)) for test in tests] for name in names[:most]],
            [[_relative(test.get(name)) for test in tests] for name in names[:most]],
            [[_grade(test.get(name)) for test in tests] for name in names[:most]],
            hidden=max(len(names) - most, 0),
            ax=ax,
        )

    def sections(self) -> TimelineSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.detection._timeline_page import timeline_sections

        return timeline_sections(self)

    def to_page(self, *, title: str | None = None) -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.detection._timeline_page import timeline_page

        return timeline_page(self, title or f"What changed over time, by {self.by}")

    def name(self, period: Period) -> Sensitive:
        """Return the name of a period, which may be a value from the data; redacted, its number."""
        return Sensitive(shortened(period.name, _LONGEST_NAME), f"{self.noun} {self.periods.index(period) + 1}")

    @property
    def noun(self) -> str:
        """The word for a period, such as "month"."""
        return self.every or "period"

    def _names(self, *, redact: bool) -> list[str]:
        """Return what charts call the periods."""
        names = map(self.name, self.periods)
        return [name.instead if redact else name.text for name in names]

    @property
    def scored(self) -> bool:
        """Whether scores were compared in any period."""
        return any(period.detection is not None and period.detection.scores for period in self.periods)

    @property
    def features(self) -> list[str]:
        """The features, ordered by the number of periods in which they shifted."""
        return self._blamed([_by_feature(period) for period in self.periods])

    @staticmethod
    def _blamed(tests: Sequence[Mapping[str, FeatureShift]]) -> list[str]:
        """Return the features, by the number of periods in which they shifted, then by the sizes of their changes."""
        names = dict.fromkeys(name for test in tests for name in test)
        blame = {}
        for name in names:
            # Only significant changes: sizes of small periods are large by chance.
            rows = [test[name] for test in tests if name in test and test[name].shifted]
            blame[name] = (-sum(row.material for row in rows), -sum(row.effect / MATERIAL[row.test] for row in rows))
        return sorted(names, key=blame.__getitem__)

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        return timeline_headline(self)


def _by_feature(period: Period) -> dict[str, FeatureShift]:
    """Return the test of each feature that is most to blame."""
    tests: dict[str, FeatureShift] = {}
    # Rows come with the most to blame first, so the first of a feature stays.
    for row in () if period.detection is None else period.detection.rows:
        tests.setdefault(row.feature, row)
    return tests


def _effect(row: FeatureShift | None) -> float:
    return math.nan if row is None else row.effect


def _relative(row: FeatureShift | None) -> float:
    return math.nan if row is None else row.effect / MATERIAL[row.test]


def _grade(row: FeatureShift | None) -> str:
    return "" if row is None else row.grade
