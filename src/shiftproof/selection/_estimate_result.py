"""What `estimate_performance` returns: how good each model is on the new data, or why that cannot be estimated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import special

from shiftproof.case import (
    FEWEST_LABELS,
    NO_RECORD,
    SOFT_MEASURES,
    Assume,
    Decided,
    DriftRecord,
    NormalMixture,
    OpenLabels,
    prior_weight,
)
from shiftproof.core import (
    Codes,
    InputError,
    Interval,
    Note,
    Phrase,
    Seed,
    check_count,
    check_fraction,
    check_row_order,
    check_share,
    counted,
    fault,
    generator,
    plain,
    unknown_name,
)
from shiftproof.panel import encode_known, known_label_array
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.selection._baseline import MajorityBaseline
from shiftproof.selection._plan import LabelPlan, OpenRows
from shiftproof.selection._range import OutsideRange
from shiftproof.selection._words import (
    ALL_LABELLED,
    NUMBERS,
    called,
    note_text,
    performance_headline,
    performance_summary,
    refusal,
    shown_width,
)
from shiftproof.shift import ShiftKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.selection._page import PerformanceSections

#: How much the estimates can be trusted.
Confidence = Literal["high", "medium", "low", "none"]

#: The method of an estimate that was refused.
REFUSED = "refused"
# On natural pairs, of the cases with a chance below 0.1 every third was worse by more than five points.
_CHANCE_UNKNOWN = ("precision",)


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimated:
    """One measure of one model on the new rows.

    Attributes
    ----------
    interval : Interval
        The estimate with its interval; NaN if it was refused.
    validated : float
        The measure on the labelled rows, estimated by cross-validation.
    ways : mapping of str to float
        The estimate of the route for each type of shift.
    spread : float
        The standard error, over all types of shift.
    sampling, drift : float
        The parts of `spread`: from the limited number of rows, and from natural drift (0 if labels of new rows measure
        it). Their squares add up only roughly to that of `spread`, which also includes the differences between the
        types of shift.
    carried : float
        How much the estimate was lowered because past estimates were too high by this amount; negative if they were too
        low.
    open_labels : OpenLabels
        The new rows, and how uncertain the label of each row still is.
    unit : float
        How much the measure of one row differs between a right and a wrong decision.
    belief : NormalMixture or None
        The distribution that the interval is computed from; None if there is none.
    prior : NormalMixture or None
        The same without labels of new rows; None if only these can tell.
    without_past : Interval or None
        The interval computed without the user's own past data; None if it is the same.
    either : pair of Interval or None
        The interval if only the class proportions changed, and if more changed; None unless the data leave both open.
    """

    interval: Interval
    validated: float
    ways: Mapping[str, float]
    spread: float
    open_labels: OpenLabels
    sampling: float = math.nan
    drift: float = math.nan
    carried: float = 0.0
    unit: float = 1.0
    belief: NormalMixture | None = None
    prior: NormalMixture | None = None
    without_past: Interval | None = None
    either: tuple[Interval, Interval] | None = None

    def __repr__(self) -> str:
        # The rows behind an estimate would fill many screens.
        ends = f"{self.interval.low:.4f} to {self.interval.high:.4f}"
        return f"<Estimated: {self.interval.estimate:.4f} ({ends}), validated {self.validated:.4f}>"

    @property
    def sampling_width(self) -> float:
        """How wide the interval would be if it did not account for drift."""
        width = self.interval.width
        usual = 2 * special.ndtri((1 + self.interval.level) / 2) * self.sampling
        return min(float(usual), width) if self.drift else width

    @property
    def drift_width(self) -> float:
        """How much wider the interval is because it accounts for drift."""
        return self.interval.width - self.sampling_width

    def loss_chance(self, more_than: float, *, higher_is_better: bool) -> float:
        """Return the probability that the value is worse than the validated one by more than this; NaN if unknown."""
        if self.belief is None or not math.isfinite(self.validated):
            return math.nan
        worse = self.validated + (-more_than if higher_is_better else more_than)
        below = self.belief.chance_below(worse)
        return below if higher_is_better else 1 - below

    @property
    def refused(self) -> bool:
        """Whether the estimate was refused; an undefined estimate does not count as refused."""
        return self.interval.method == REFUSED

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the rows as plain values; a refused estimate has no figures for the new rows."""
        ways = dict.fromkeys(self.ways) if self.refused else self.ways
        figures = ("interval", "validated", "spread", "sampling_width", "drift_width", "carried", "either")
        return {name: plain(getattr(self, name)) for name in figures} | {"ways": plain(ways)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Performance(PagedResult):
    """How good each model is on unlabelled data.

    Attributes
    ----------
    estimates : mapping of str to mapping of str to Estimated
        The estimates by model and measure.
    shift : ShiftKind
        The type of shift between labelled and new rows.
    assume : {"natural", "no drift", "prior shift"}
        What the caller assumed to have changed.
    history : DriftRecord
        How far estimates were off in the user's own past, if known.
    likely : mapping of str to float
        The probability of each type of shift.
    confidence : {"high", "medium", "low", "none"}
        How far the estimates can be trusted.
    outside_range : OutsideRange or None
        The new rows with a feature outside the range of the labelled rows, if the new data are too different.
    others : mapping of str to mapping of str to float
        The accuracy of each model as estimated by other methods.
    shares : mapping of label to float
        The class proportions among the new rows, if nothing else changed.
    training : mapping of label to float
        The class proportions among the labelled rows.
    baseline : MajorityBaseline
        The baseline that always answers the most frequent class of the new data: the accuracy that every model has to
        beat.
    decided : mapping of str to mapping of str to Decided
        The decisions on the new rows, by model and measure.
    strata : ndarray of shape (m,)
        Strata of the new rows by how certain the models are, for drawing rows to label.
    labelled : ndarray of row numbers
        New rows whose labels were used.
    positive : label
        The positive class.
    level : float
        The nominal coverage of the intervals.
    n_labelled, n_new : int
        Number of labelled rows and of new rows.
    fits : int
        How many models were fitted.
    notes : tuple of Note
        Cautions.
    index : pandas.Index or None
        The index of the new rows, used to check labels that arrive later.
    stake : float
        The difference in benefit between the best and the worst decision, averaged over the labelled rows: the scale
        for losses of profit. NaN without a benefit.
    """

    estimates: Mapping[str, Mapping[str, Estimated]]
    shift: ShiftKind
    assume: Assume
    history: DriftRecord = NO_RECORD
    likely: Mapping[str, float]
    confidence: Confidence
    outside_range: OutsideRange | None
    others: Mapping[str, Mapping[str, float]]
    shares: Mapping[Any, float]
    training: Mapping[Any, float]
    baseline: MajorityBaseline
    decided: Mapping[str, Mapping[str, Decided]]
    strata: Codes
    labelled: Any
    positive: Any
    level: float
    n_labelled: int
    n_new: int
    fits: int
    notes: tuple[Note, ...] = ()
    index: Any = None
    stake: float = math.nan

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.estimates)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return tuple(next(iter(self.estimates.values())))

    @property
    def refused(self) -> bool:
        """Whether nothing is estimated."""
        return all(one.refused for measures in self.estimates.values() for one in measures.values())

    @property
    def any_refused(self) -> bool:
        """Whether some measure of some model is not estimated."""
        return any(one.refused for measures in self.estimates.values() for one in measures.values())

    @property
    def refusal(self) -> tuple[str, ...]:
        """The reasons why nothing is estimated; else empty."""
        return refusal(self)

    @property
    def all_labelled(self) -> bool:
        """Whether the label of every new row was given."""
        return len(self.labelled) == self.n_new

    @property
    def refusal_text(self) -> str:
        """Why nothing is estimated, in sentences; else empty."""
        return " ".join(self.refusal)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The models by the first measure, the best first; in the given order if nothing is estimated."""
        first = self.measures[0]
        sign = -1 if SOFT_MEASURES[first].higher_is_better else 1
        known = {name: self.estimates[name][first].interval.estimate for name in self.names}
        # NaN compares false with everything, and would leave the order to chance.
        return tuple(sorted(self.names, key=lambda name: math.inf if math.isnan(known[name]) else sign * known[name]))

    def interval(self, model: str, measure: str = "accuracy") -> Interval:
        """Return one estimate with its interval; NaN if it was refused."""
        return self._at(model, measure).interval

    def loss_chance(self, model: str | None = None, *, more_than: float = 0.05, measure: str | None = None) -> float:
        """Return the probability that a model is worse on the new data than validated, by more than this.

        It is NaN if nothing is estimated, and for precision, whose chances were wrong on real data
        (docs/how-right.md).

        Parameters
        ----------
        model : str, optional
            By default the best by the first measure.
        more_than : float
            The loss in the unit of the measure: 0.05 means five points of accuracy. For the profit, a share of `stake`.
        measure : str, optional
            By default the first.
        """
        chosen = self.measures[0] if measure is None else measure
        estimated = self._at(self.ranking[0] if model is None else model, chosen)
        check_share(more_than, "more_than", hint="0.05 means five points of accuracy")
        if chosen in _CHANCE_UNKNOWN:
            return math.nan
        return estimated.loss_chance(
            float(more_than) * (self.stake if chosen == "profit" else 1.0),
            higher_is_better=SOFT_MEASURES[chosen].higher_is_better,
        )

    def truth(self, y_new: Any) -> dict[str, dict[str, float]]:
        """Measure every model on the new rows whose labels are known.

        Parameters
        ----------
        y_new : sequence of labels
            One per new row; rows whose label is missing (None, NaN, NaT, NA) are left out.

        Returns
        -------
        dict of str to dict of str to float
            The actual values by model and measure, computed with the same decisions as the estimates.
        """
        known, labels = known_label_array(y_new, "y_new")
        # As objects: NumPy would turn labels of mixed types into text.
        codes = encode_known(labels, np.array([*self.training], dtype=object), "y_new")
        if len(known) != self.n_new:
            raise InputError(
                f"y_new has {counted(len(known), 'label')} for {counted(self.n_new, 'new row')}; pass one per row, "
                "in row order, and None where a label is unknown"
            )
        check_row_order(self, y_new, "y_new", of="X_new")
        rows, shares = np.flatnonzero(known), np.eye(len(self.training))[codes]
        equal = np.full(len(rows), 1 / len(rows))
        return {
            model: {
                name: float(SOFT_MEASURES[name].function(decided.take(rows), shares, equal).value)
                for name, decided in measures.items()
            }
            for model, measures in self.decided.items()
        }

    def _at(self, model: str, measure: str) -> Estimated:
        for argument, name, available in (("model", model, self.names), ("measure", measure, self.measures)):
            if name not in available:
                rule = "name a model" if argument == "model" else "be a measure that was estimated"
                raise unknown_name(argument, rule, name, available)
        return self.estimates[model][measure]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and measure: ``model, measure, estimate, low, high, level, method, refused``.

        Then ``sampling_width`` and ``drift_width`` (how much of the interval's width comes from the rows at hand, and
        how much allows for drift), ``loss_chance`` (of a value worse than validated by more than 0.05),
        ``validated`` (cross-validation's value), ``baseline`` (what always answering the
        most frequent class of the new data has there) and ``baseline_validated`` (what it has on the labelled data),
        both NaN for measures other than accuracy and error; ``confidence`` and ``reason`` (of a refusal).
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {"model": model, "measure": measure}
                | asdict(one.interval)
                | {"refused": one.refused, "sampling_width": one.sampling_width, "drift_width": one.drift_width}
                | {"loss_chance": self.loss_chance(model, measure=measure), "validated": one.validated}
                | self._baseline_of(measure, refused=one.refused)
                | {"confidence": self.confidence, "reason": self.refusal_text}
                for model, of_model in self.estimates.items()
                for measure, one in of_model.items()
            ]
        )

    def _baseline_of(self, measure: str, *, refused: bool) -> dict[str, float]:
        new = math.nan if refused else self.baseline.interval.estimate
        shares = {"baseline": new, "baseline_validated": self.baseline.validated}
        # The error of a baseline is what its accuracy lacks to 1; other measures have no baseline.
        error = {"accuracy": False, "error": True}.get(measure)
        return {name: math.nan if error is None else 1 - share if error else share for name, share in shares.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain values."""
        of_rows = ("decided", "strata", "labelled")
        return self._plain_fields(*of_rows, "estimates", "outside_range", "baseline", "notes", "index") | {
            "baseline": self.baseline.to_dict(),
            # What other methods say is refused together with our own estimate.
            "others": {} if self.refused else plain(self.others),
            "shares": plain(dict.fromkeys(self.shares) if self.refused else self.shares),
            "prior_weight": prior_weight(self.shift),
            "refused": self.refused,
            "refusal": self.refusal_text,
            "models": {
                model: {
                    measure: one.to_dict() | {"loss_chance": plain(self.loss_chance(model, measure=measure))}
                    for measure, one in of_model.items()
                }
                for model, of_model in self.estimates.items()
            },
            "labels_used": len(self.labelled),
            "notes": [str(note_text(note)) for note in self.notes],
        }

    @property
    def headline(self) -> str:
        """What to expect, in one sentence."""
        return performance_headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        tones: dict[Confidence, Tone] = {"high": "good", "medium": "care", "low": "care", "none": "bad"}
        return tones[self.confidence]

    def summary(self) -> str:
        """Return what to expect, the validated figures, how certain the estimates are, and why."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which notes are marked as sensitive."""
        return performance_summary(self)

    def plan(
        self,
        count: int | None = None,
        *,
        model: str | None = None,
        measure: str | None = None,
        tolerance: float = 0.05,
        random_state: Seed = 0,
    ) -> LabelPlan:
        """Return how many new rows to label, and which, so that the interval is narrow enough.

        Rows are drawn at random within strata of how sure the models are, more where more is open. Pass their labels
        to `estimate_performance` as ``labels``.

        Parameters
        ----------
        count : int, optional
            Number of rows; by default, enough to bring half the width of the interval down to the tolerance.
        model, measure : str, optional
            The model and the measure whose interval should shrink; by default the best model and the first measure.
        tolerance : float
            Half the width that the interval should have, if no count is given: 0.05 means five points of accuracy. For
            the profit, a share of `stake`.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of the draw.

        Returns
        -------
        LabelPlan
            With `rows`, `expected_width` and `summary()`.
        """
        name = self.ranking[0] if model is None else model
        chosen = self.measures[0] if measure is None else measure
        estimated = self._at(name, chosen)
        if self.all_labelled:
            raise InputError(ALL_LABELLED)
        if not math.isfinite(estimated.unit):
            raise InputError(f"the {called(chosen)} of {name} is not defined, so labels cannot be planned for it")
        # A row that has its label already brings nothing more.
        rest = np.setdiff1d(np.arange(self.n_new), np.asarray(self.labelled, dtype=np.intp))
        # New labels are used together with those that are known.
        open_rows, known = self._open(estimated, chosen), len(self.labelled)
        half = check_fraction(tolerance, "tolerance", hint="0.05 means five points of accuracy")
        if chosen == "profit":
            half *= self.stake  # it has the unit of its benefit
        planned = count is None
        if count is None:
            least = min(FEWEST_LABELS, len(rest))
            count = min(max(open_rows.rows_to_reach(2 * half) - known, least), len(rest))
        # `estimate_performance` would not use fewer labels.
        count = check_count(count, "count", least=min(FEWEST_LABELS, len(rest)), hint="100 is a good start")
        if count > len(rest):
            got = Phrase(f"{count:,}")
            raise fault(
                "count", f"be at most {len(rest):,}, the number of new rows without a label", got, "ask for fewer"
            )
        drawn = rest[open_rows.take(rest).draw(count, generator(random_state))]
        return LabelPlan(
            rows=drawn,
            strata=self.strata[drawn],
            model=name,
            measure=chosen,
            width=shown_width(estimated.interval, chosen),
            expected_width=open_rows.expected_width(len(drawn) + known),
            tolerance=half if planned else None,
            labelled=known,
        )

    def _open(self, estimated: Estimated, measure: str) -> OpenRows:
        return OpenRows(
            noise=estimated.open_labels.noise,
            strata=self.strata,
            belief=estimated.prior,
            unit=estimated.unit,
            level=self.level,
            limits=SOFT_MEASURES[measure].limits,
        )

    def plot(self, measure: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw every model's estimate with its interval, next to its validated figure."""
        chosen = measure or self.measures[0]
        return draw_estimates({name: self._at(name, chosen) for name in self.names}, chosen, ax)

    def sections(self, *, models: Sequence[str] | None = None, plan: LabelPlan | None = None) -> PerformanceSections:
        """Return the parts of the page, for use in another page: models in this order, with this plan of labels."""
        from shiftproof.selection._page import performance_sections

        return performance_sections(self, models=models, plan=plan)

    def to_page(self, *, title: str = "What to expect on the new data") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.selection._page import performance_page

        return performance_page(self, title)


def draw_estimates(estimates: Mapping[str, Estimated], measure: str, ax: Axes | None) -> Axes:
    """Draw models' estimates of one measure with their intervals, beside the validated figures."""
    from shiftproof import plots

    values = list(estimates.values())
    return plots.expected_intervals(
        list(estimates),
        [one.interval.estimate for one in values],
        [one.interval.low for one in values],
        [one.interval.high for one in values],
        [one.validated for one in values],
        percent=measure not in NUMBERS,
        xlabel=called(measure),
        ax=ax,
    )
