"""What `audit` returns: the verdict, its reasons, and everything behind them."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.auditing import _words
from shiftproof.auditing._changes import changed_features, described_changes
from shiftproof.auditing._verdict import TONES, AuditReason, Verdict, decide, reasons
from shiftproof.auditing._verification import Verification, verify
from shiftproof.auditing._without import MOSTLY, NewValues, Without
from shiftproof.backtesting import Backtest
from shiftproof.core import Interval, Note, Phrase, Result, Text, plain
from shiftproof.detection import Detection
from shiftproof.evaluation import Evaluation
from shiftproof.panel import columns_used
from shiftproof.quantification import Quantification
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.selection import SOFT_MEASURES, LabelPlan, Performance, Selection
from shiftproof.shift import QUIET, ShiftKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: The form of `Audit.to_dict`, which docs/audit.schema.json describes; it changes when a key goes or changes meaning.
SCHEMA = 1
# The validated figure stands beside the estimate, because readers compare the two.
_COLUMNS = ("model", "measure", "validated", "estimate", "low", "high", "refused", "loss_chance", "probability_best")
# From this probability on a model is clearly better than the baseline.
_CLEARLY = 0.9
# Estimates that differ by less are equal.
_ROUNDING = 1e-9
# Libraries whose version can change a figure.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One part of the work, and how long it took."""

    name: str
    seconds: float

    @property
    def worth_showing(self) -> bool:
        """Whether it is more than the 0.0 seconds of a stage with nothing to do."""
        return self.seconds >= 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(PagedResult):
    """Whether classifiers can be trusted on unlabelled data.

    Attributes
    ----------
    evaluation : Evaluation
        How good the models are on data like the labelled rows.
    detection : Detection or None
        What changed between the tables; None without features.
    selection : Selection
        Which model to use on the new data.
    performance : Performance
        How good the models are on the new data, or why that cannot be estimated.
    quantification : Quantification
        The class proportions of the new data.
    measure : str
        The measure that models are ranked and judged by.
    tolerance : float
        The loss compared with the validated figure that counts as harm.
    left_out : mapping of str to Phrase
        What was skipped, and why.
    stages : tuple of Stage
        How long each part took.
    fits : int
        How many models were fitted.
    seed : int
        The random seed, with which the audit can be repeated.
    fingerprints : mapping of str to str
        Hashes of the data.
    made : datetime
        When the audit was finished, in UTC.
    importance : mapping of str to float
        How much the recommended model relies on the features that changed most: the mean change of its probabilities,
        from 0 to 1, if the values of the feature are shuffled. Empty for scores alone.
    cautions : tuple of Note
        What is odd about the data: reversed scores, rows that are copies of others, features that give the label away,
        and labels of new rows that are all of one class.
    new_values : tuple of NewValues
        If nothing is estimated, the columns with many values that no labelled row has, the worst first.
    without : Without or None
        What would be estimated without the columns that make the new data too different. None if something is estimated
        with them, and if models are not refitted: in a quick audit and for deployed models.
    untried : tuple of str
        The columns that a full audit would try to leave out; empty unless the audit is quick.
    past : Backtest or None
        What would have been estimated in the labelled past; None without the time of the labelled rows.
    panel_given : bool
        Whether a panel was given. Its models need the columns that they were fitted with.
    """

    evaluation: Evaluation
    detection: Detection | None
    selection: Selection
    performance: Performance
    quantification: Quantification
    measure: str
    tolerance: float
    left_out: Mapping[str, Phrase]
    stages: tuple[Stage, ...]
    fits: int
    seed: int
    fingerprints: Mapping[str, str]
    made: datetime
    importance: Mapping[str, float] = field(default_factory=dict)
    cautions: tuple[Note, ...] = ()
    new_values: tuple[NewValues, ...] = ()
    without: Without | None = None
    untried: tuple[str, ...] = ()
    past: Backtest | None = None
    panel_given: bool = False

    @property
    def deployed(self) -> bool:
        """Whether the models were fitted elsewhere, so nothing was cross-validated."""
        return self.evaluation.panel.deployed

    @property
    def shift(self) -> ShiftKind:
        """The type of shift between labelled and new data."""
        return self.selection.shift

    @property
    def interval(self) -> Interval:
        """The estimate for the recommended model on the new data; NaN if it was refused."""
        return self.performance.interval(self.best, self.measure)

    @property
    def refused(self) -> bool:
        """Whether nothing is estimated for the new data."""
        return self.performance.refused

    @property
    def baseline(self) -> float:
        """The share of the baseline's class among the labelled rows: the accuracy of always answering that class.

        This class is the most frequent one of the new data, or of the labelled data if `new_baseline` is None.
        """
        return self.performance.baseline.validated

    @property
    def new_baseline(self) -> Interval | None:
        """The share of the baseline's class on the new data, as in `quantification`; None if it cannot be estimated.

        It is corrected with labels of new rows, if they were given.
        """
        interval = self.performance.baseline.interval
        return None if self.refused or math.isnan(interval.estimate) else interval

    @property
    def judged_by_accuracy(self) -> bool:
        """Whether the measure is accuracy or error, which the baseline has too."""
        return self.measure in ("accuracy", "error")

    @property
    def beats_baseline(self) -> float:
        """The probability that the recommended model is more accurate than the baseline.

        On the new data; if the baseline of the new data is not estimated, on the labelled data.
        """
        baseline = self.performance.baseline
        return (baseline.validated_beaten_by if self.new_baseline is None else baseline.beaten_by)[self.best]

    @property
    def errors_cost_the_same(self) -> bool:
        """Whether models are judged by a profit in which all errors cost the same, so it ranks as accuracy does."""
        if self.measure != "profit":
            return False
        decided = self.performance.decided[self.best][self.measure]
        right = np.eye(len(self.performance.training), dtype=bool)[decided.decisions]
        worth = np.asarray(decided.worth)
        # What a right decision brings more than any wrong one, row by row.
        gaps = (worth[right][:, None] - worth)[~right]
        return bool(np.ptp(gaps) <= _ROUNDING * np.abs(gaps).max())

    @property
    def seems_better(self) -> bool:
        """Whether the recommended model's estimate is better than the baseline's, as far as they can be compared."""
        new = self.new_baseline
        if self.judged_by_accuracy and new is not None:
            sign = 1 if self.measure == "accuracy" else -1
            apart = self.interval.estimate - self.performance.baseline.interval_of(self.measure).estimate
            return sign * apart > _ROUNDING
        return self.beats_baseline > 0.5

    @property
    def only_copies(self) -> bool:
        """Whether all new rows are exact copies of labelled rows, for example if a file is audited against itself."""
        return any(note.code == "new rows copied" and note.detail == "100%" for note in self.cautions)

    @property
    def no_better(self) -> bool:
        """Whether the recommended model is judged by its errors, and not clearly better than the baseline."""
        comparable = self.judged_by_accuracy or self.errors_cost_the_same
        return comparable and (self.beats_baseline < _CLEARLY or not self.seems_better)

    @property
    def second_measure(self) -> str | None:
        """The measure to show next to accuracy if one class is so frequent that accuracy says little; else None."""
        if not self.judged_by_accuracy or not self.performance.baseline.unbalanced:
            return None
        # AUC is about one class, so several classes without a positive one have none.
        return "auc" if "auc" in self.performance.measures else "brier"

    @property
    def validated(self) -> float:
        """The recommended model's figure on the labelled data."""
        return self.performance.estimates[self.best][self.measure].validated

    @property
    def loss(self) -> float:
        """How much worse than validated the recommended model is estimated to be; NaN if nothing is estimated."""
        return self._loss_at(self.interval.estimate)

    @property
    def losses(self) -> tuple[float, float]:
        """The smallest and the largest loss within the interval."""
        # For errors the high end of the interval is the greater loss, so the ends trade places.
        least, most = sorted([self._loss_at(self.interval.low), self._loss_at(self.interval.high)])
        return least, most

    @property
    def loss_chance(self) -> float:
        """The chance that the recommended model is worse than validated by more than the tolerance; NaN if unknown."""
        return self.loss_chance_of(self.best)

    def loss_chance_of(self, model: str) -> float:
        """Return the same for any model."""
        return self.performance.loss_chance(model, more_than=self.tolerance, measure=self.measure)

    @property
    def harmful_loss(self) -> float:
        """The loss that counts as harm. Profits have no fixed scale, so their limit is relative to what is at stake."""
        return self.tolerance * (self.performance.stake if self.measure == "profit" else 1.0)

    @property
    def changed(self) -> bool:
        """Whether the tables differ enough to matter."""
        if self.detection is not None:
            return self.detection.material
        # Scores alone: there are no features to compare, only the type of shift that they show.
        return self.shift.refused or self.shift.p_none < QUIET or self.shift.kind in ("prior", "covariate")

    @property
    def impossible_count(self) -> float | None:
        """The corrected count of the positive class if it is impossible, which shows a broken assumption; else None."""
        counts = self.quantification
        impossible = (count for count in counts.unclipped if count.outside)
        return next((count.value for count in impossible if counts.classes[count.code] == counts.positive), None)

    @cached_property
    def verdict(self) -> Verdict:
        """The answer: "trust", "check first", "do not trust" or "cannot tell"."""
        return decide(self)

    @cached_property
    def reasons(self) -> tuple[AuditReason, ...]:
        """The reasons for the verdict, at most five sentences, the most important first."""
        return reasons(self)

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return _words.headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        return TONES[self.verdict]

    @property
    def reversed(self) -> bool:
        """Whether the scores of the recommended model seem to be for the other class."""
        return any(note.code == "scores reversed" and note.subject == self.best for note in self.cautions)

    @property
    def emptied(self) -> tuple[str, ...]:
        """The features that have values in the labelled data and none in the new data."""
        rows = () if self.detection is None else self.detection.rows
        return tuple(dict.fromkeys(row.feature for row in rows if row.missing_current == 1 > row.missing_reference))

    @property
    def labels_biased(self) -> bool:
        """Whether the labels of new rows were probably not drawn at random, so that the estimates are biased."""
        return any(note.code == "labels of one class" for note in self.cautions)

    @property
    def growing(self) -> tuple[NewValues, ...]:
        """The columns to leave out because their values only grow, such as dates; empty if this may not help.

        It may not help if other columns have mostly new values too, if an audit without these columns was refused as
        well, if deployed models need them, or if there are no other columns.
        """
        mostly = self._mostly_new
        in_vain = self.without is not None and self.without.refused
        helps = not in_vain and not self._fitted_before and all(one.growing for one in mostly)
        return mostly if helps else ()

    @property
    def perhaps_unused(self) -> tuple[str, ...]:
        """Columns with mostly new values that the deployed model does not use, or of which only you can know."""
        if not self.deployed:
            return ()
        used = self.columns_used or ()
        known = {*used, *self.emptied}  # an empty column has no new values
        return tuple(one.column for one in self._mostly_new if one.column not in known)

    @property
    def columns_used(self) -> frozenset[str] | None:
        """The columns that the recommended model uses if it was fitted elsewhere; None if that is unknown."""
        scorer = self.evaluation.panel.scorers.get(self.best) if self.deployed else None
        return None if scorer is None else columns_used(scorer.estimator)

    @property
    def _mostly_new(self) -> tuple[NewValues, ...]:
        """The columns with mostly new values, if there are others to compare."""
        mostly = tuple(one for one in self.new_values if one.share > MOSTLY)
        compared = set() if self.detection is None else {row.feature for row in self.detection.rows}
        return mostly if len(compared) > len(mostly) else ()

    @property
    def _fitted_before(self) -> bool:
        """Whether the models are fitted ones, which score the tables' columns themselves."""
        return self.deployed and bool(self.evaluation.panel.scorers)

    @property
    def suspects(self) -> tuple[str, ...]:
        """The columns of the new data that look swapped, in another unit, or coded differently."""
        return () if self.detection is None else self.detection.suspects

    @property
    def best(self) -> str:
        """The model to use, if any."""
        return self.selection.best

    @cached_property
    def changes(self) -> tuple[str, ...]:
        """The features, ordered by their change and by how much the recommended model relies on them; may be empty."""
        return () if self.detection is None else changed_features(self.detection, self.importance)

    def plan(self, count: int | None = None) -> LabelPlan | None:
        """Return the new rows to label in order to measure the recommended model; None if all have labels.

        Parameters
        ----------
        count : int, optional
            Number of rows; by default, enough to bring half the width of the interval down to the tolerance.
        """
        performance = self.performance
        if performance.all_labelled:
            return None
        return performance.plan(
            count, model=self.best, measure=self.measure, tolerance=self.tolerance, random_state=self.seed
        )

    @property
    def seconds(self) -> float:
        """How many seconds the whole audit took."""
        return sum(stage.seconds for stage in self.stages)

    def _loss_at(self, value: float) -> float:
        # A loss is positive if the model gets worse, whichever way the measure goes.
        higher = SOFT_MEASURES[self.measure].higher_is_better
        return self.validated - value if higher else value - self.validated

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, the best first.

        The columns are ``model, measure, validated, estimate, low, high, refused, loss_chance, probability_best``: the
        figure on the labelled data, the estimate for the new data, how likely the model loses more than the tolerance,
        and how likely it is the best one on the new data.
        """
        frame = self.performance.to_frame()
        # One row per model; the other measures are in `performance.to_frame()`.
        frame = frame[frame["measure"] == self.measure].set_index("model").loc[list(self.selection.ranking)]
        frame["loss_chance"] = [self.loss_chance_of(model) for model in frame.index]
        frame["probability_best"] = [self.selection.probabilities[model] for model in frame.index]
        return frame.reset_index()[[*_COLUMNS]]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, in the form of schema version `SCHEMA`."""
        return {
            "schema": SCHEMA,
            "shiftproof": __version__,
            "verdict": self.verdict,
            "headline": self.headline,
            "best": self.best,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "measure": self.measure,
            "tolerance": self.tolerance,
            "loss": plain(self.loss),
            "loss_chance": plain(self.loss_chance),
            "baseline": self.baseline,
            "new_baseline": plain(self.new_baseline),
            "second_measure": self.second_measure,
            "new_values": [one.to_dict() for one in self.new_values],
            "without": None if self.without is None else self.without.to_dict(),
            "models": plain(self.to_frame().to_dict("records")),
            "shift": _part(self.shift),
            "evaluation": _part(self.evaluation),
            "detection": _part(self.detection),
            # A result inside a result repeats the version, so it is taken out there as well.
            "selection": _part(self.selection) | {"reverse_testing": _part(self.selection.reverse)},
            "performance": _part(self.performance),
            "quantification": _part(self.quantification),
            "changes": described_changes(self.detection, self.changes, self.importance),
            "plan": _part(self.plan()),
            "emptied": list(self.emptied),
            "untried": list(self.untried),
            "past": _part(self.past),
            "left_out": {name: str(why) for name, why in self.left_out.items()},
            "stages": [plain(stage) for stage in self.stages],
            "seconds": self.seconds,
            "fits": self.fits,
            "seed": self.seed,
            "made": self.made.isoformat(),
            "fingerprints": dict(self.fingerprints),
            "versions": self.versions,
        }

    @property
    def versions(self) -> dict[str, str]:
        """The versions of Python and of the libraries that computed the result."""
        return {"Python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}

    def summary(self) -> str:
        """Return the verdict, the reasons, what was left out, and what cannot be seen without labels."""
        return _words.summary(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw every model's estimate next to its validated figure."""
        from shiftproof.auditing._chart import draw_chart

        return draw_chart(self, None, ax)

    def verify(self, y_new: object) -> Verification:
        """Compare the estimates with the actual values, once labels of new rows have arrived.

        Parameters
        ----------
        y_new : sequence of labels
            One entry per new row. Rows whose label is missing (None, NaN, NaT, NA) are left out and counted.

        Returns
        -------
        Verification
            With `claims`, `covered`, `to_frame()`, `summary()` and `plot()`.
        """
        return verify(self, y_new)

    def to_page(
        self,
        *,
        title: str = _words.TITLE,
        verification: Verification | None = None,
        sources: tuple[Text, Text] = ("", ""),
        plan: LabelPlan | None = None,
    ) -> Page:
        """Return the result as a page for `shiftproof.reporting`.

        Parameters
        ----------
        title : str
            The heading.
        verification : Verification, optional
            The comparison with actual values, to be shown as well.
        sources : pair of text
            Where the labelled and the new data come from, such as names of files and dates.
        plan : LabelPlan, optional
            Which rows to label; by default `plan()`.
        """
        from shiftproof.auditing._page import audit_page

        return audit_page(self, title, verification=verification, sources=sources, plan=plan or self.plan())

    def save(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        redact: bool = False,
        verification: Verification | None = None,
        sources: tuple[Text, Text] = ("", ""),
        plan: LabelPlan | None = None,
    ) -> Path:
        """Write the report as one self-contained HTML page; see `to_page` and `PagedResult.save`."""
        from shiftproof import reporting

        # `PagedResult.save` knows no verification, so the page is made here.
        page = self.to_page(title=title or _words.TITLE, verification=verification, sources=sources, plan=plan)
        return reporting.save(page, path, redact=redact)


def _part(result: Result | None) -> Any:
    """Return a part as plain values, without what the whole has once: the version and the type of shift."""
    if result is None:
        return None
    # The type of shift is a plain `Result` and keeps its own kind.
    shared = ("shiftproof", "shift", "kind") if isinstance(result, PagedResult) else ("shiftproof",)
    return {name: value for name, value in result.to_dict().items() if name not in shared}
