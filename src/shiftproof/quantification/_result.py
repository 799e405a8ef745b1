"""The result of `quantify`: class proportions with intervals, and whether to believe them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from scipy import special

from shiftproof._version import __version__
from shiftproof.case import BY_LABELS, ROUTED_POOL, Assume
from shiftproof.core import Interval, Note, Phrase, Sensitive, Text, check_label, fault, plain
from shiftproof.counting import MixtureFit, Unclipped
from shiftproof.data import Every
from shiftproof.quantification import _words
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.shift import ShiftKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.quantification._page import QuantificationSections

#: Whether the new data differ from the labelled data in nothing but the class proportions.
Assumption = Literal["fits", "cannot tell", "broken", "scores fit"]

#: Methods that do not correct for changed class proportions; they are shown for comparison only.
NAIVE = ("training prevalence", "classify and count", "probability average")
# Reject the mixture if p < 0.01 and the KS distance exceeds 0.02: with many rows, tiny distances are significant.
_ODDS, _FAR = 0.01, 0.02
# An interval this wide says next to nothing: the whole range has a width of 1.
_VAGUE = 0.9


def informative(share: Interval) -> bool:
    """Return whether an interval says anything: it is not nearly from 0 to 1."""
    return share.width < _VAGUE


@dataclass(frozen=True, kw_only=True)
class ShareErrors:
    """The standard error of an estimated share in two parts, whose squares add up.

    Attributes
    ----------
    sampling : float
        From the rows at hand; of an interval with two different sides, that of both together.
    drift : float
        What natural drift adds.
    """

    sampling: float
    drift: float = 0.0

    def ends_by_sampling(self, share: Interval) -> tuple[float, float]:
        """Return the ends that the interval of a share would have without natural drift."""
        if not self.drift:
            return share.low, share.high
        reach = float(special.ndtri((1 + share.level) / 2)) * self.sampling
        # Never outside the interval, which may have ended at 0 or 1.
        return max(share.estimate - reach, share.low), min(share.estimate + reach, share.high)


@dataclass(frozen=True, eq=False, kw_only=True)
class PeriodShares:
    """The estimated class proportions of one period's new rows.

    Attributes
    ----------
    name : str
        The name of the period, such as ``2009-03``, or the value that its rows share.
    start, end : date or value
        The first and the last day; if periods are values of a column, that value.
    n_rows : int
        The number of new rows in the period.
    prevalence : mapping of label to Interval
        The estimated shares; empty in a period without rows.
    others : mapping of label to (float, float)
        The lowest and the highest estimate of the other methods.
    errors : mapping of label to ShareErrors
        The standard errors of `prevalence`.
    """

    name: str
    start: Any
    end: Any
    n_rows: int
    prevalence: Mapping[Any, Interval]
    others: Mapping[Any, tuple[float, float]]
    errors: Mapping[Any, ShareErrors] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        # Periods are JSON, too: dates become text.
        moments = {"period": self.name, "start": plain(self.start), "end": plain(self.end), "rows": self.n_rows}
        return {**moments, "prevalence": _share_rows(self, self.others)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantification(PagedResult):
    """The estimated class proportions of the new data, and whether to trust them.

    Attributes
    ----------
    prevalence : mapping of label to Interval
        The estimated shares.
    errors : mapping of label to ShareErrors
        Their standard errors: from sampling, and what natural drift adds.
    training : mapping of label to float
        The shares among the labelled rows.
    others : mapping of str to mapping of label to float
        What the other methods estimate.
    method : str
        The method of the estimate: "routed pool", which combines all models, or a method that counts with one model's
        scores.
    model : str
        The model whose scores counting methods use.
    briers : mapping of str to float
        The Brier scores of all models on rows that they have not seen; `model` has the lowest.
    unclipped : tuple of Unclipped
        Values of adjusted counts before they are clipped to 0 and 1.
    fit : MixtureFit
        How well a mixture of the labelled classes explains the new rows' scores.
    shift : ShiftKind or None
        The type of shift that the features show.
    unchecked : str or Sensitive
        Why `shift` is None; else empty.
    assume : {"natural", "no drift", "prior shift"}
        What the caller assumed to have changed.
    periods : tuple of PeriodShares
        The shares by period, if `by` was given.
    by, every : str or None
        The column with the time, and the length of the periods.
    n_undated : int
        Number of new rows that are in no period.
    positive : label
        The class that is reported first.
    level : float
        The nominal coverage of the intervals.
    n_labelled, n_new, n_labels : int
        Number of labelled rows, of new rows, and of labels of new rows that the estimate uses.
    refusal : tuple of str
        Why nothing is estimated, in sentences; empty if something is. If nothing is estimated, all figures for the new
        data are NaN.
    notes : tuple of Note
        Models that were left out, and where the method or the folds used a fallback.
    """

    prevalence: Mapping[Any, Interval]
    errors: Mapping[Any, ShareErrors]
    training: Mapping[Any, float]
    others: Mapping[str, Mapping[Any, float]]
    method: str
    model: str
    briers: Mapping[str, float]
    unclipped: tuple[Unclipped, ...]
    fit: MixtureFit
    shift: ShiftKind | None
    unchecked: Text
    assume: Assume
    periods: tuple[PeriodShares, ...] = ()
    by: str | None = None
    every: Every | None = None
    n_undated: int = 0
    positive: Any
    level: float
    n_labelled: int
    n_new: int
    n_labels: int = 0
    refusal: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    either: tuple[Mapping[Any, Interval], Mapping[Any, Interval]] | None = None

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels, sorted."""
        return tuple(self.prevalence)

    @property
    def estimate(self) -> dict[Any, float]:
        """The estimated share of each class, without its interval."""
        return {label: interval.estimate for label, interval in self.prevalence.items()}

    @property
    def range(self) -> dict[Any, tuple[float, float]]:
        """The lowest and the highest estimate of the other methods that correct for changed class proportions."""
        # Methods that do not correct would stretch the range without saying anything about it.
        corrected = [shares for name, shares in self.others.items() if name not in NAIVE]
        return {label: (min(s[label] for s in corrected), max(s[label] for s in corrected)) for label in self.classes}

    @property
    def mixture_rejected(self) -> bool:
        """Whether no mixture of the labelled classes explains the new data's scores."""
        return self.fit.p_value < _ODDS and self.fit.distance > _FAR

    @property
    def concerns(self) -> tuple[str, ...]:
        """The signs that more than the class proportions changed, in sentences; empty if no check failed."""
        return tuple(_words.concern_sentences(self))

    @property
    def informative(self) -> bool:
        """Whether the scores are informative: the interval of the class reported first is not nearly from 0 to 1."""
        return informative(self.prevalence[self.positive])

    @property
    def usable(self) -> bool:
        """Whether the figures can be used: they are informative and not refused."""
        return self.informative and not self.refused

    @property
    def assumption(self) -> Assumption:
        """Whether only the class proportions changed, which all counting methods assume."""
        if self.concerns:
            return "broken"
        # A broken assumption shows in the scores, too; they are all there is if features cannot be compared.
        if self.shift is None:
            return "scores fit"
        return "cannot tell" if self.shift.kind == "unclear" else "fits"

    @property
    def refused(self) -> bool:
        """Whether nothing is estimated."""
        return bool(self.refusal)

    @property
    def alone(self) -> bool:
        """Whether the estimates rest on labels of new rows and on nothing else."""
        return self.method == BY_LABELS

    @property
    def pooled(self) -> bool:
        """Whether the estimate is that of all models together, rather than that of one counting method."""
        return self.method.startswith(ROUTED_POOL)

    @property
    def all_labelled(self) -> bool:
        """Whether the label of every new row was given."""
        return self.n_labels == self.n_new

    def without_figures(self, refusal: tuple[str, ...], positive: Any) -> Quantification:
        """Return the result without the estimates for all new rows, because of `refusal`."""
        shares, errors = self._nothing
        return replace(self, prevalence=shares, errors=errors, positive=positive, refusal=refusal, either=None)

    def without_guesses(self, labelled: Sequence[bool]) -> Quantification:
        """Return the result without what rests on no label: counts, and periods (that have rows) without their own."""
        shares, errors = self._nothing
        ranges = dict.fromkeys(self.classes, (math.nan, math.nan))
        own = iter(labelled)
        periods = []
        for period in self.periods:
            one = replace(period, others=ranges) if period.prevalence else period
            kept = not period.prevalence or next(own)
            periods.append(one if kept else replace(one, prevalence=shares, errors=errors))
        return replace(
            self,
            others={name: dict.fromkeys(self.classes, math.nan) for name in self.others},
            # A count that is impossible is a reason, not an estimate.
            unclipped=tuple(count for count in self.unclipped if count.outside),
            periods=tuple(periods),
        )

    @property
    def _nothing(self) -> tuple[dict[Any, Interval], dict[Any, ShareErrors]]:
        nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=self.level, method="refused")
        errors = ShareErrors(sampling=math.nan, drift=math.nan)
        return dict.fromkeys(self.classes, nothing), dict.fromkeys(self.classes, errors)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per class: ``label, estimate, low, high, level, method``, then more.

        ``training`` is the share among the labelled rows; ``others_low`` and ``others_high`` are the range of the other
        methods that correct for changed class proportions; ``sampling`` and ``drift`` make up the standard error.
        """
        import pandas as pd

        # The first six columns are those of every estimate in this library.
        rows = [
            {"label": label, **share.to_dict(), "method": self.method, "model": self.model}
            | {"training": self.training[label], "others_low": lowest, "others_high": highest}
            | plain(self.errors[label])
            for (label, share), (lowest, highest) in zip(self.prevalence.items(), self.range.values(), strict=True)
        ]
        return pd.DataFrame(rows)

    def methods(self) -> pd.DataFrame:
        """Return one row per method and class: ``method, label, estimate``; the chosen method is first."""
        import pandas as pd

        methods = {self.method: self.estimate, **self.others}
        rows = [(name, label, shares[label]) for name, shares in methods.items() for label in self.classes]
        return pd.DataFrame(rows, columns=["method", "label", "estimate"])

    def over_time(self) -> pd.DataFrame:
        """Return one row per period and class.

        The columns are ``period, rows, label, estimate, low, high, others_low, others_high``; the last two are the
        range of the other methods.
        """
        import pandas as pd

        self._need_periods()
        # A period without rows has a line, too, so that a chart shows the gap.
        gap = (math.nan, math.nan)
        absent = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=self.level, method=self.method)
        rows = [
            (period.name, period.n_rows, label, share.estimate, share.low, share.high, *period.others.get(label, gap))
            for period in self.periods
            for label, share in (dict.fromkeys(self.classes, absent) | dict(period.prevalence)).items()
        ]
        names = ["period", "rows", "label", "estimate", "low", "high", "others_low", "others_high"]
        return pd.DataFrame(rows, columns=names)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "assumption": self.assumption,
            "informative": self.informative,
            "concerns": list(self.concerns),
            "refused": self.refused,
            "refusal": list(self.refusal),
            **{name: getattr(self, name) for name in ("method", "model", "assume", "level")},
            **{name: getattr(self, name) for name in ("n_labelled", "n_new", "n_labels")},
            "positive": plain(self.positive),
            "prevalence": _share_rows(self, self.range, training=self.training),
            "either": None if self.either is None else [plain(shares) for shares in self.either],
            "others": {
                name: [{"label": plain(label), "estimate": plain(value)} for label, value in shares.items()]
                for name, shares in self.others.items()
            },
            "briers": dict(self.briers),
            "unclipped": [
                {"label": plain(self.classes[count.code]), "outside": count.outside}
                | {name: getattr(count, name) for name in ("method", "value", "low", "high")}
                for count in self.unclipped
            ],
            "fit": plain(self.fit),
            "shift": None if self.shift is None else self.shift.to_dict(),
            "unchecked": str(self.unchecked),
            **{name: getattr(self, name) for name in ("by", "every", "n_undated")},
            "periods": [period.to_dict() for period in self.periods],
            "notes": [str(_words.note_clause(note)) for note in self.notes],
        }

    def summary(self) -> str:
        """Say what the class proportions are, how certain they are, whether to use them, and what others estimate."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which errors and names of periods are marked as sensitive."""
        return _words.summary(self)

    def period_name(self, period: PeriodShares) -> Sensitive:
        """Return the name of a period, which may be a value from the data; redacted, its number."""
        return Sensitive(period.name, f"{self.every or 'period'} {self.periods.index(period) + 1}")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each class's share with its interval, the training shares, and the estimates of the other methods."""
        from shiftproof import plots

        table = self.to_frame()
        # Labels know better than any count.
        shown = {} if self.n_labels else self.others
        others = {name: list(shares.values()) for name, shares in shown.items() if name not in NAIVE}
        return plots.prevalence_intervals(
            [str(label) for label in self.classes],
            *(table[name].tolist() for name in ("estimate", "low", "high")),
            training=table["training"].tolist(),
            others=others,
            name=_words.legend(self),
            ax=ax,
        )

    def plot_over_time(self, label: object = None, *, redact: bool = False, ax: Axes | None = None) -> Axes:
        """Draw the share of one class, by default the positive one, period by period."""
        from shiftproof import plots

        self._need_periods()
        chosen = self.classes[check_label(self.positive if label is None else label, self.classes, "label")]
        course = self.over_time()
        # Compared one by one: labels of mixed types have no common dtype.
        course = course[[value == chosen for value in course["label"]]]
        return plots.prevalence_over_time(
            [self.period_name(period).instead if redact else period.name for period in self.periods],
            *(course[name].to_numpy() for name in ("estimate", "low", "high")),
            training=self.training[chosen],
            label=str(chosen),
            sizes=course["rows"].to_numpy(),
            others=(course["others_low"].to_numpy(), course["others_high"].to_numpy()),
            name=_words.legend(self),
            ax=ax,
        )

    def sections(self) -> QuantificationSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.quantification._page import quantification_sections

        return quantification_sections(self)

    def to_page(self, *, title: str = "How many of each class?") -> Page:
        """Return the page that `save` writes."""
        from shiftproof.quantification._page import quantification_page

        return quantification_page(self, title)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        if self.n_labels:
            return "good" if self.informative else "unknown"
        tones: dict[Assumption, Tone] = {"fits": "good", "cannot tell": "care", "broken": "care", "scores fit": "care"}
        if self.refused:
            return "bad"
        return tones[self.assumption] if self.informative else "unknown"

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        return _words.headline(self)

    def _need_periods(self) -> None:
        if not self.periods:
            raise fault("by", "be given to show shares over time", hint="quantify(..., by='date') splits the new rows")


def _share_rows(
    shares: Quantification | PeriodShares,
    ranges: Mapping[Any, tuple[float, float]],
    training: Mapping[Any, float] | None = None,
) -> list[dict[str, Any]]:
    """Write shares with their intervals as plain values, one row per class."""
    return [
        {
            "label": plain(label),
            **{name: plain(getattr(interval, name)) for name in ("estimate", "low", "high")},
            **plain(shares.errors[label]),
            **({} if training is None else {"training": training[label]}),
            "range": plain(list(ranges[label])),
        }
        for label, interval in shares.prevalence.items()
    ]
