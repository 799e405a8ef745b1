"""The result of `evaluate`: measures with intervals, the ranking, what of it is noise, and the curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from shiftproof._version import __version__
from shiftproof.core import InputError, Interval, Phrase, plain, unknown_name
from shiftproof.evaluation._learning_result import LearningCurve
from shiftproof.evaluation._setup import take_rows
from shiftproof.evaluation._words import evaluation_words
from shiftproof.measures import (
    Benefit,
    BenefitMatrix,
    BestCut,
    CalibrationCurve,
    LiftCurve,
    NetBenefitCurve,
    PrecisionRecallCurve,
    ProfitCurve,
    RocCurve,
    RocHull,
    best_list_size,
    best_threshold,
    calibration_curve,
    lift_curve,
    measure_name,
    net_benefit_curve,
    precision_recall_curve,
    profit_curve,
    roc_curve,
    roc_hull,
)
from shiftproof.panel import Panel
from shiftproof.reporting import PagedResult
from shiftproof.stats import SchemeComparison, holm

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.evaluation._page import EvaluationSections
    from shiftproof.reporting import Page


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation(PagedResult):
    """How good each model is on rows that it has not seen.

    Attributes
    ----------
    panel : Panel
        The models and their out-of-fold scores.
    estimates : mapping of model to mapping of measure to Interval
        Every measure of every model.
    ranking : tuple of str
        The models, best first.
    comparisons : mapping of model to SchemeComparison or None
        The best model compared with each other model; None if there is no test.
    measure : str
        The measure that ranks the models.
    level : float
        The coverage of the intervals.
    alpha : float
        The significance level at which a model counts as worse than the best one.
    positive : int
        The index of the positive class in the panel's `classes_`.
    threshold : float or None
        The positive class is predicted at this probability or above; None if the more likely class is predicted.
    benefit : Benefit, BenefitMatrix or None
        What decisions are worth.
    table : table or None
        The table with the columns that the benefit needs.
    learning : LearningCurve or None
        The same models with fewer training rows; None if these were not fitted.
    """

    panel: Panel
    estimates: Mapping[str, Mapping[str, Interval]]
    ranking: tuple[str, ...]
    comparisons: Mapping[str, SchemeComparison | None]
    measure: str
    level: float
    alpha: float
    positive: int
    threshold: float | None
    benefit: Benefit | BenefitMatrix | None = None
    table: Any = None
    learning: LearningCurve | None = None

    @property
    def best(self) -> str:
        """The model that ranks first."""
        return self.ranking[0]

    @cached_property
    def shares(self) -> dict[Any, float]:
        """The share of each class among the tested rows, with their weights."""
        # The baseline must be about the rows that accuracy is measured on.
        panel, tested = self.panel, self.panel.tested
        weight = None if panel.sample_weight is None else panel.sample_weight[tested]
        counts = np.bincount(panel.y[tested], weights=weight, minlength=len(panel.classes_))
        return dict(zip(panel.classes_.tolist(), (counts / counts.sum()).tolist(), strict=True))

    @property
    def majority(self) -> Any:
        """The most frequent class."""
        return max(self.shares, key=lambda label: self.shares[label])

    @property
    def baseline(self) -> float:
        """The accuracy of always answering the most frequent class."""
        return self.shares[self.majority]

    @property
    def within_noise(self) -> tuple[str, ...]:
        """The models whose difference from the best may be noise, including the best."""
        # Models that could not be tested have no p-value and stay: nothing shows that they are worse.
        worse = {name for name, p in self.adjusted_p_values.items() if p <= self.alpha}
        return tuple(name for name in self.ranking if name not in worse)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and measure, the best model first."""
        import pandas as pd

        columns = ["model", "measure", "estimate", "low", "high", "level", "method"]
        rows = [
            {"model": name, "measure": measure, **interval.to_dict()}
            for name in self.ranking
            for measure, interval in self.estimates[name].items()
        ]
        return pd.DataFrame(rows, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return ranking, estimates, comparisons and settings as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "measure": self.measure,
            "ranking": list(self.ranking),
            "within_noise": list(self.within_noise),
            "baseline": self.baseline,
            "n_rows": len(self.panel.y),
            "n_tested": int(self.panel.tested.sum()),
            "classes": plain(self.panel.classes_),
            "positive": plain(self.panel.classes_[self.positive]) if self._binary else None,
            "threshold": self.threshold,
            "level": self.level,
            "alpha": self.alpha,
            "failures": {name: str(why) for name, why in self.panel.failures.items()},
            "estimates": plain(self.estimates),
            "comparisons": {name: None if test is None else plain(test) for name, test in self.comparisons.items()},
            # An audit never has one, so its JSON has no such key.
            **({} if self.learning is None else {"learning": self.learning.to_dict()}),
        }

    def summary(self) -> str:
        """Say which model is best, which differences are noise, and what these figures do not guarantee."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which errors of models are marked as sensitive."""
        return evaluation_words(self)

    def plot(self, *, measure: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw one measure of every model with its interval; models within noise of the best are highlighted."""
        from shiftproof import plots

        chosen = self._chosen(measure)
        intervals = [self.estimates[name][chosen] for name in self.ranking]
        return plots.interval_rows(
            self.ranking,
            [interval.estimate for interval in intervals],
            [interval.low for interval in intervals],
            [interval.high for interval in intervals],
            marked=[name in self.within_noise for name in self.ranking],
            xlabel=f"{measure_name(chosen)}, {self.level:.0%} intervals",
            ax=ax,
        )

    def roc(self, model: str | None = None, *, average: Literal["pooled", "per fold"] = "pooled") -> RocCurve:
        """Return the ROC curve of one model, pooled over the folds or averaged (``"per fold"``)."""
        y, scores, weight, folds = self._scored(model)
        return roc_curve(y, scores, folds=folds, average=average, level=self.level, sample_weight=weight)

    def roc_hull(self) -> RocHull:
        """Return the convex hull of all models' ROC curves: the best of each, and their mixtures."""
        return roc_hull({name: self.roc(name) for name in self.ranking})

    def precision_recall(self, model: str | None = None) -> PrecisionRecallCurve:
        """Return the precision-recall curve of one model."""
        y, scores, weight, _ = self._scored(model)
        return precision_recall_curve(y, scores, level=self.level, sample_weight=weight)

    def lift(self, model: str | None = None) -> LiftCurve:
        """Return cumulative hits, lift and gains of one model's ranked list."""
        y, scores, weight, _ = self._scored(model)
        return lift_curve(y, scores, sample_weight=weight)

    def calibration(self, model: str | None = None) -> CalibrationCurve:
        """Return how one model's probabilities compare with the actual rates."""
        y, scores, weight, _ = self._scored(model)
        return calibration_curve(y, scores, level=self.level, sample_weight=weight)

    def net_benefit(self, model: str | None = None) -> NetBenefitCurve:
        """Return the decision curve of one model."""
        y, scores, weight, _ = self._scored(model)
        return net_benefit_curve(y, scores, level=self.level, sample_weight=weight)

    def profit(self, model: str | None = None) -> ProfitCurve:
        """Return the total benefit of one model over the length of its list, sorted by expected gain."""
        benefit, table = self._two_class_benefit()
        y, scores, weight, _ = self._scored(model)
        gain = benefit.expected_gain(scores, table)
        return profit_curve(y, gain, benefit, table=table, level=self.level, sample_weight=weight)

    def total_profit(self, model: str | None = None) -> Interval:
        """Return the total profit of all tested rows, by which Fan and Davidson (2006) compare models.

        The mean benefit per row and its interval, times the number of rows or their total weight.
        """
        name = self.best if model is None else model
        if name not in self.estimates:
            raise unknown_name("model", "be a model that was evaluated", name, self.ranking)
        if "profit" not in self.estimates[name]:
            raise _no_benefit()
        tested, weight = self.panel.tested, self.panel.sample_weight
        rows = float(tested.sum() if weight is None else weight[tested].sum())
        mean = self.estimates[name]["profit"]
        ends = {end: rows * getattr(mean, end) for end in ("estimate", "low", "high")}
        return Interval(**ends, level=mean.level, method=f"{mean.method}, total of {tested.sum():,} rows")

    def best_threshold(self, model: str | None = None) -> BestCut:
        """Return the expected gain from which to act, and its profit, corrected for choosing it on the same rows."""
        benefit, table = self._two_class_benefit()
        y, scores, _, _ = self._scored(model)
        # A fixed seed: the same result gives the same cut each time.
        return best_threshold(y, benefit.expected_gain(scores, table), benefit, table=table, random_state=0)

    def best_list_size(self, model: str | None = None) -> BestCut:
        """Return the share of the list to act on, and its profit, corrected for choosing it on the same rows."""
        benefit, table = self._two_class_benefit()
        y, scores, _, _ = self._scored(model)
        return best_list_size(y, benefit.expected_gain(scores, table), benefit, table=table, random_state=0)

    def _two_class_benefit(self) -> tuple[Benefit, Any]:
        if not isinstance(self.benefit, Benefit):
            raise _no_benefit()
        return self.benefit, take_rows(self.table, self.panel.folds[0] >= 0)

    def sections(self) -> EvaluationSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.evaluation._page import evaluation_sections

        return evaluation_sections(self)

    def to_page(self, *, title: str = "How good the models are on rows they have not seen") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.evaluation._page import evaluation_page

        return evaluation_page(self, title)

    @property
    def _binary(self) -> bool:
        return len(self.panel.classes_) == 2

    @cached_property
    def adjusted_p_values(self) -> dict[str, float]:
        """The p-values of the comparisons with the best model, adjusted for multiple testing (Holm)."""
        tested = {name: test.p_value for name, test in self.comparisons.items() if test is not None}
        # Holm (1979): no more false alarms over all models than alpha.
        return dict(zip(tested, holm(list(tested.values())).tolist(), strict=True))

    def _chosen(self, measure: str | None) -> str:
        chosen = measure or self.measure
        if chosen not in self.estimates[self.best]:
            raise unknown_name("measure", "be a measure that was computed", chosen, self.estimates[self.best])
        return chosen

    def _scored(self, model: str | None) -> tuple[NDArray[Any], NDArray[np.float64], Any, NDArray[np.int64]]:
        """Return truth, scores, weights and folds of the rows that were tested (first repeat), for two classes."""
        name = self.best if model is None else model
        if name not in self.estimates:
            raise unknown_name("model", "be a model that was evaluated", name, self.ranking)
        if not self._binary:
            got = f"{len(self.panel.classes_)} classes"
            raise InputError(f"curves need two classes, got {got}; evaluate one class against the rest")
        # One repeat: the mean over repeats would be the curve of an ensemble.
        folds = self.panel.folds[0]
        rows = folds >= 0
        weight = None if self.panel.sample_weight is None else self.panel.sample_weight[rows]
        scores = self.panel.fold_probabilities[name][0][rows, self.positive]
        return (self.panel.y[rows] == self.positive).astype(int), scores, weight, folds[rows]


def _no_benefit() -> InputError:
    return InputError("profit needs a Benefit; pass evaluate(..., benefit=Benefit(tp=..., fp=...))")


def _draw(result: Evaluation, kind: str, model: str, ax: Axes) -> Axes:
    return cast("Axes", getattr(result, kind)(model).plot(ax=ax, name=model))


def panels_of(result: Evaluation, model: str) -> dict[str, Any]:
    """Return painters of a model's curves by what they show."""
    kinds = {
        "ROC curve": "roc",
        "Precision and recall": "precision_recall",
        "Ranked list": "lift",
        "Calibration": "calibration",
        "Net benefit": "net_benefit",
    }
    # A matrix of several classes has no list to act on from the top.
    if isinstance(result.benefit, Benefit):
        kinds["Profit"] = "profit"
    return {name: partial(_draw, result, kind, model) for name, kind in kinds.items()}
