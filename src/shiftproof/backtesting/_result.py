"""The result of `backtest`: for each past period what was validated, estimated and true."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shiftproof.backtesting._ages import ModelAge
from shiftproof.backtesting._plan import Window
from shiftproof.backtesting._words import backtest_headline, backtest_words, note_text, tone_of
from shiftproof.case import SOFT_MEASURES, DriftRecord
from shiftproof.core import Interval, Note, Phrase, Sensitive, Text, plain, plain_fields, shortened, unknown_name
from shiftproof.data import Every
from shiftproof.reporting import PagedResult, Tone
from shiftproof.selection import NUMBERS, called
from shiftproof.stats import wilson

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.backtesting._page import BacktestSections
    from shiftproof.reporting import Page

# Within a sentence; a period may be any text of the data.
_LONGEST_NAME = 60


@dataclass(frozen=True, kw_only=True)
class PastEstimate:
    """One measure of one model in one past period.

    Attributes
    ----------
    validated : float
        What cross-validation had on the rows before the period; a deployed model's value on them.
    interval : Interval
        What was estimated without the period's labels; NaN where it was refused.
    actual : float
        The value on the labels of the period; NaN where the measure is not defined, such as the AUC of one class.
    refused : bool
        Whether the estimate was refused.
    uncorrected : float
        The estimate before errors of earlier periods were carried on.
    sampling, allowance : float
        Standard errors of the estimate: from the rows at hand, and what natural drift adds.
    """

    validated: float
    interval: Interval
    actual: float
    refused: bool
    uncorrected: float = math.nan
    sampling: float = math.nan
    allowance: float = math.nan

    @property
    def covered(self) -> bool | None:
        """Whether the interval contains the actual value; None if one of them is missing."""
        if self.refused or math.isnan(self.actual) or math.isnan(self.interval.low):
            return None
        # Limits of 1 and shares of rows are floats: one unit in the last place does not count as a miss.
        slack = 1e-12
        return self.interval.low - slack <= self.actual <= self.interval.high + slack

    @property
    def error(self) -> float:
        """The estimate minus the actual value."""
        return self.interval.estimate - self.actual


@dataclass(frozen=True, kw_only=True)
class PastPeriod:
    """One period of the past.

    Attributes
    ----------
    name : str
        Such as ``2009-03``.
    start, end : date or value
        Its first and last day, or the values that it holds.
    n_before, n_rows : int
        Rows that the models were fitted on, and rows of the period.
    estimates : mapping of str to mapping of str to PastEstimate
        By model and measure; empty if the period was skipped.
    baseline : float
        The accuracy of always answering the class that was most frequent before.
    shift_kind : str
        The type of shift between the two.
    reach : mapping of str to float
        How far the period is from the rows before it, by what may make it another kind of data.
    skipped : Note or None
        Why the period could not be replayed.
    """

    name: str
    start: Any
    end: Any
    n_before: int
    n_rows: int
    estimates: Mapping[str, Mapping[str, PastEstimate]]
    baseline: float = math.nan
    shift_kind: str = ""
    reach: Mapping[str, float] = field(default_factory=dict)
    skipped: Note | None = None

    def of(self, model: str, measure: str) -> PastEstimate | None:
        """Return one comparison; None if the period has none."""
        return self.estimates.get(model, {}).get(measure)


@dataclass(frozen=True, eq=False, kw_only=True)
class Backtest(PagedResult):
    """What would have been estimated in the past, and what the actual values were.

    Attributes
    ----------
    periods : tuple of PastPeriod
        The periods in order, without the first ones, which were used only for fitting.
    record : DriftRecord
        How far estimates were off, for `estimate_performance` and `audit`.
    ages : tuple of ModelAge
        How much worse models get as they age; empty if nothing was fitted.
    aged_by : str
        The measure of `ages`.
    every : str or None
        The length of the periods; None if each value is a period, or if periods have equal numbers of rows.
    time : str
        The column of the time.
    window : "expanding" or int
        Which rows before a period models were fitted on: all, or those of this many periods.
    hidden : tuple of str
        Columns of X that no model learnt from: the time, copies of it, and groups.
    n_undated : int
        Rows without a time, which are left out.
    level : float
        The nominal coverage of the intervals.
    positive : label
        The positive class.
    fits : int
        How many models were fitted.
    notes : tuple of Note
        Cautions.
    """

    periods: tuple[PastPeriod, ...]
    record: DriftRecord
    ages: tuple[ModelAge, ...]
    aged_by: str
    every: Every | None
    time: str
    window: Window
    hidden: tuple[str, ...]
    n_undated: int
    level: float
    positive: Any
    fits: int
    notes: tuple[Note, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(dict.fromkeys(name for period in self.replayed for name in period.estimates))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return tuple(next(iter(self.replayed[0].estimates.values())))

    @cached_property
    def replayed(self) -> tuple[PastPeriod, ...]:
        """The periods that could be replayed."""
        return tuple(period for period in self.periods if period.estimates)

    @property
    def best(self) -> str:
        """The model with the best actual values over all periods, by the first measure."""
        measure = self.measures[0]
        sign = 1 if SOFT_MEASURES[measure].higher_is_better else -1

        def value(name: str) -> float:
            mean = sign * _mean(one.actual for one in self._of(name, measure))
            # NaN compares false with everything, and would win if it came first.
            return -math.inf if math.isnan(mean) else mean

        return max(self.names, key=value)

    def coverage(self, measure: str | None = None, model: str | None = None) -> Interval:
        """Return how often the interval contained the actual value, with a Wilson interval over the periods.

        Parameters
        ----------
        measure : str, optional
            The measure; by default the first.
        model : str, optional
            The model; by default the mean over all models, because models in the same period are not independent.

        Examples
        --------
        See `backtest`.
        """
        names = self.names if model is None else (self._check("model", model, self.names),)
        chosen = self._measure(measure)
        shares = []
        for period in self.replayed:
            answers = [one.covered for name in names if (one := period.of(name, chosen)) and one.covered is not None]
            if answers:
                shares.append(sum(answers) / len(answers))
        if not shares:
            return Interval(estimate=math.nan, low=math.nan, high=math.nan, level=self.level, method="wilson")
        return wilson(sum(shares), len(shares), level=self.level)

    def errors(self, model: str, measure: str | None = None) -> tuple[float, float]:
        """Return the mean absolute error of cross-validation and of our estimate, in the periods that have both."""
        pairs = [one for one in self._of(model, self._measure(measure)) if one.covered is not None]
        return (
            _mean(abs(one.validated - one.actual) for one in pairs),
            _mean(abs(one.interval.estimate - one.actual) for one in pairs),
        )

    def width(self, model: str, measure: str | None = None) -> float:
        """Return the mean width of a model's intervals."""
        return _mean(one.interval.width for one in self._of(model, self._measure(measure)) if one.covered is not None)

    def refit_after(self, model: str) -> ModelAge | None:
        """Return the age at which a model first loses more than half a point, and more than chance explains."""
        return next((age for age in self.ages if age.model == model and age.worth_a_refit), None)

    @property
    def noun(self) -> str:
        """The word for a period, such as "month"."""
        return self.every or "period"

    def name(self, period: PastPeriod) -> Sensitive:
        """Return the name of a period, which may be a value from the data; redacted, its number."""
        return Sensitive(shortened(period.name, _LONGEST_NAME), f"{self.noun} {self.periods.index(period) + 1}")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per period, model and measure.

        Columns are ``period, model, measure, n, validated, estimate, low, high, level, actual, covered, refused``, then
        ``n_before`` (rows fitted on), ``baseline`` and ``shift_kind``. `covered` is missing where the estimate was
        refused, or where the measure is not defined in the period.
        """
        import pandas as pd

        rows = [
            {
                "period": period.name,
                "model": model,
                "measure": measure,
                "n": period.n_rows,
                "validated": one.validated,
                "estimate": one.interval.estimate,
                "low": one.interval.low,
                "high": one.interval.high,
                "level": self.level,
                "actual": one.actual,
                "covered": one.covered,
                "refused": one.refused,
                "n_before": period.n_before,
                "baseline": period.baseline,
                "shift_kind": period.shift_kind,
            }
            for period in self.replayed
            for model, measures in period.estimates.items()
            for measure, one in measures.items()
        ]
        return pd.DataFrame(rows).astype({"covered": "boolean"})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields("periods", "notes") | {
            "best": self.best,
            "coverage": {
                measure: {model: plain(self.coverage(measure, model)) for model in self.names}
                for measure in self.measures
            },
            "drift": {measure: self.record.factor(measure) for measure in self.measures},
            "periods": [
                plain_fields(period) | {"skipped": "" if period.skipped is None else str(note_text(period.skipped))}
                for period in self.periods
            ],
            "notes": [str(note_text(note)) for note in self.notes],
        }

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return backtest_headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        return tone_of(self)

    def summary(self) -> str:
        """Say how often the intervals were right, how far estimates were off, and when models should be refitted."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which names of periods are marked as sensitive."""
        return backtest_words(self)

    @property
    def details(self) -> Phrase:
        """The sentences of `summary` after the headline."""
        return backtest_words(self, below_headline=True)

    def plot(
        self, model: str | None = None, measure: str | None = None, *, redact: bool = False, ax: Axes | None = None
    ) -> Axes:
        """Draw the estimate for each period with its interval, the actual value, and the figure of cross-validation."""
        from shiftproof import plots

        name = self.best if model is None else self._check("model", model, self.names)
        chosen = self._measure(measure)
        ones = [period.of(name, chosen) for period in self.periods]
        names = map(self.name, self.periods)
        return plots.past_estimates(
            [each.instead if redact else each.text for each in names],
            [math.nan if one is None else one.interval.estimate for one in ones],
            (
                [math.nan if one is None else one.interval.low for one in ones],
                [math.nan if one is None else one.interval.high for one in ones],
            ),
            [math.nan if one is None else one.actual for one in ones],
            [math.nan if one is None else one.validated for one in ones],
            percent=chosen not in NUMBERS,
            ylabel=f"{called(chosen)} of {name}",
            ax=ax,
        )

    def plot_ages(self, *, ax: Axes | None = None) -> Axes:
        """Draw how much worse each model gets as it ages."""
        from shiftproof import plots

        losses = {
            name: [(one.age, one.loss.estimate, one.loss.low, one.loss.high) for one in self.ages if one.model == name]
            for name in self.names
        }
        shares = self.aged_by not in NUMBERS
        ylabel = f"loss ({'points of ' * shares}{called(self.aged_by)})"
        return plots.losses_by_age(losses, percent=shares, xlabel=f"age in {self.noun}s", ylabel=ylabel, ax=ax)

    def sections(self) -> BacktestSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.backtesting._page import backtest_sections

        return backtest_sections(self)

    def to_page(
        self, *, title: str = "How accurate the estimates would have been in the past", source: Text = ""
    ) -> Page:
        """Return the result as a page for `shiftproof.reporting`; `source` is the name of the file."""
        from shiftproof.backtesting._page import backtest_page

        return backtest_page(self, title, source=source)

    def counts(self, model: str, measure: str | None = None) -> tuple[int, int]:
        """Return in how many periods a model's interval contained the actual value, and the number of periods."""
        answers = [one.covered for one in self._of(model, self._measure(measure)) if one.covered is not None]
        return sum(answers), len(answers)

    def _of(self, model: str, measure: str) -> Iterator[PastEstimate]:
        return (one for period in self.replayed if (one := period.of(model, measure)) is not None)

    def _measure(self, measure: str | None) -> str:
        return self.measures[0] if measure is None else self._check("measure", measure, self.measures)

    @staticmethod
    def _check(argument: str, name: str, available: tuple[str, ...]) -> str:
        if name not in available:
            raise unknown_name(argument, "be a model of the backtest", name, available)
        return name


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
