"""What `quantify` found: the shares of the classes, how sure they are, and whether to believe them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shiftproof._version import __version__
from shiftproof.core import Interval, counted, fault, listed, percent, plain, shown
from shiftproof.counting._assumption import MixtureFit, Unclipped
from shiftproof.data import Every
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.shift import ShiftKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.quantification._page import QuantificationSections

#: Whether the new rows differ from the labelled ones in nothing but the classes' shares.
Assumption = Literal["fits", "cannot tell", "broken", "not checked"]

#: Methods that do not correct for changed class proportions; they are shown for comparison only.
NAIVE = ("training prevalence", "classify and count", "probability average")
# Reject the mixture if p < 0.01 and the KS distance exceeds 0.02: with many rows, tiny distances are significant.
_ODDS, _FAR = 0.01, 0.02
# An interval this wide says nothing.
_VAGUE = 0.9


@dataclass(frozen=True, eq=False, kw_only=True)
class PeriodShares:
    """The shares in the new rows of one period.

    Attributes
    ----------
    name : str
        Such as ``2009-03``, or the value that the rows share.
    start, end : date or value
        The first and the last day; where the periods are values, the value.
    n_rows : int
        New rows in it.
    prevalence : mapping of label to Interval
        Empty in a period without rows.
    others : mapping of label to (float, float)
        The lowest and the highest estimate of the other methods.
    """

    name: str
    start: Any
    end: Any
    n_rows: int
    prevalence: Mapping[Any, Interval]
    others: Mapping[Any, tuple[float, float]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantification(PagedResult):
    """How many rows of each class there are among rows that nobody has labelled.

    Attributes
    ----------
    prevalence : mapping of label to Interval
        The estimated shares.
    training : mapping of label to float
        The shares among the labelled rows.
    others : mapping of str to mapping of label to float
        What the other methods estimate.
    method, model : str
        What made the estimate, from whose scores.
    briers : mapping of str to float
        The Brier scores of all models on rows that they never saw; the lowest was chosen.
    unclipped : tuple of Unclipped
        Values of adjusted counts before they are clipped to 0 and 1.
    fit : MixtureFit
        How well a mixture of the classes gives the new rows' scores.
    shift : ShiftKind or None
        The kind of shift that the features show.
    unchecked : str
        Why `shift` is None; else empty.
    periods : tuple of PeriodShares
        The shares over time, where a column of dates was given.
    by, every : str or None
        That column, and how long the periods are.
    n_undated : int
        New rows in no period.
    positive : label
        The class that is told first.
    level : float
        The nominal coverage of the intervals.
    n_labelled, n_new : int
        Rows on both sides.
    notes : tuple of str
        What was not as the method would have it.
    """

    prevalence: Mapping[Any, Interval]
    training: Mapping[Any, float]
    others: Mapping[str, Mapping[Any, float]]
    method: str
    model: str
    briers: Mapping[str, float]
    unclipped: tuple[Unclipped, ...]
    fit: MixtureFit
    shift: ShiftKind | None
    unchecked: str
    periods: tuple[PeriodShares, ...] = ()
    by: str | None = None
    every: Every | None = None
    n_undated: int = 0
    positive: Any
    level: float
    n_labelled: int
    n_new: int
    notes: tuple[str, ...] = ()

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
        """The lowest and the highest share that the other methods give which allow for another prevalence."""
        telling = [shares for name, shares in self.others.items() if name not in NAIVE]
        return {label: (min(s[label] for s in telling), max(s[label] for s in telling)) for label in self.classes}

    @property
    def concerns(self) -> tuple[str, ...]:
        """Why the estimate should not be believed, in plain sentences; none where nothing speaks against it."""
        told = self._outside()
        if self.fit.p_value < _ODDS and self.fit.distance > _FAR:
            told.append(
                f"no mixture of the labelled classes gives the scores of the new rows (KS distance "
                f"{self.fit.distance:.2f}, p {_at_most(self.fit.p_value)})"
            )
        if self.shift is not None and self.shift.kind == "out of reach":
            told.append(
                "the new rows are too unlike the labelled ones to say anything of them: "
                + " ".join(self.shift.reasons).removesuffix(".")
            )
        elif self.shift is not None and self.shift.kind == "covariate":
            told.append("the features changed in a way that other class shares do not explain (covariate shift)")
        return tuple(f"{words[0].upper()}{words[1:]}." for words in told)

    @property
    def informative(self) -> bool:
        """Whether the scores say anything: the interval of the class that is told first is not nearly from 0 to 1."""
        return self.prevalence[self.positive].width < _VAGUE

    @property
    def assumption(self) -> Assumption:
        """Whether the new rows differ in nothing but the classes' shares, which every method takes for granted."""
        if self.concerns:
            return "broken"
        if self.shift is None:
            return "not checked"
        return "cannot tell" if self.shift.kind == "cannot tell" else "fits"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per class: ``label, estimate, low, high, level, method``, then model, training, others.

        ``method`` is the way of counting, ``others_low`` and ``others_high`` the range of the other methods that allow
        for another prevalence. The ends are the prevalences that could have given the estimate, by resampling.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "label": label,
                    "estimate": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "level": interval.level,
                    "method": self.method,
                    "model": self.model,
                    "training": self.training[label],
                    "others_low": self.range[label][0],
                    "others_high": self.range[label][1],
                }
                for label, interval in self.prevalence.items()
            ]
        )

    def methods(self) -> pd.DataFrame:
        """Return one row per method and class: ``method, label, estimate``; the chosen one is first."""
        import pandas as pd

        every = {self.method: self.estimate, **self.others}
        rows = [(name, label, shares[label]) for name, shares in every.items() for label in self.classes]
        return pd.DataFrame(rows, columns=["method", "label", "estimate"])

    def over_time(self) -> pd.DataFrame:
        """Return one row per period and class: ``period, rows, label, estimate, low, high``, and the others' range."""
        import pandas as pd

        self._need_periods()
        nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=self.level, method="")
        rows = []
        for period in self.periods:
            for label in self.classes:
                interval = period.prevalence.get(label, nothing)
                others = period.others.get(label, (math.nan, math.nan))
                rows.append(
                    (period.name, period.n_rows, label, interval.estimate, interval.low, interval.high, *others)
                )
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
            "method": self.method,
            "model": self.model,
            "level": self.level,
            "n_labelled": self.n_labelled,
            "n_new": self.n_new,
            "positive": plain(self.positive),
            "prevalence": [
                {
                    "label": plain(label),
                    "estimate": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "training": self.training[label],
                    "range": list(self.range[label]),
                }
                for label, interval in self.prevalence.items()
            ],
            "others": {
                name: [{"label": plain(label), "estimate": value} for label, value in shares.items()]
                for name, shares in self.others.items()
            },
            "briers": dict(self.briers),
            "unclipped": [
                {
                    "method": each.method,
                    "label": plain(self.classes[each.code]),
                    "value": each.value,
                    "low": each.low,
                    "high": each.high,
                    "outside": each.outside,
                }
                for each in self.unclipped
            ],
            "fit": plain(self.fit),
            "shift": None if self.shift is None else self.shift.to_dict(),
            "unchecked": self.unchecked,
            "by": self.by,
            "every": self.every,
            "n_undated": self.n_undated,
            "periods": [
                {
                    "period": period.name,
                    "start": plain(period.start),
                    "end": plain(period.end),
                    "rows": period.n_rows,
                    "prevalence": [
                        {
                            "label": plain(label),
                            "estimate": each.estimate,
                            "low": each.low,
                            "high": each.high,
                            "range": list(period.others[label]),
                        }
                        for label, each in period.prevalence.items()
                    ],
                }
                for period in self.periods
            ],
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """Say how many there are, how sure that is, what the others say, and whether to believe it."""
        words = [self._first(), *self._most_moved(), self._belief(), self._others()]
        if self.periods:
            words.append(self._course())
        words += [f"{note[0].upper()}{note[1:]}." for note in self.notes]
        return " ".join(words)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each class's share with its interval, the training shares and what the other methods say."""
        from shiftproof import plots

        values = list(self.prevalence.values())
        return plots.prevalence_intervals(
            [str(label) for label in self.classes],
            [each.estimate for each in values],
            [each.low for each in values],
            [each.high for each in values],
            training=[self.training[label] for label in self.classes],
            others={
                name: [shares[label] for label in self.classes]
                for name, shares in self.others.items()
                if name not in NAIVE
            },
            name=self._legend(),
            ax=ax,
        )

    def plot_over_time(self, label: Any = None, ax: Axes | None = None) -> Axes:
        """Draw the share of one class, by default the positive one, period by period."""
        from shiftproof import plots

        self._need_periods()
        chosen = self.positive if label is None else label
        if chosen not in self.prevalence:
            raise fault("label", f"be one of {listed(self.classes)}", chosen, "labels are compared as they are")
        held = self.over_time()
        held = held[[value == chosen for value in held["label"]]]
        return plots.prevalence_over_time(
            held["period"].tolist(),
            held["estimate"].to_numpy(),
            held["low"].to_numpy(),
            held["high"].to_numpy(),
            training=self.training[chosen],
            label=str(chosen),
            sizes=held["rows"].to_numpy(),
            others=(held["others_low"].to_numpy(), held["others_high"].to_numpy()),
            name=self._legend(),
            ax=ax,
        )

    def sections(self) -> QuantificationSections:
        """Return the parts of the page, to be shown elsewhere."""
        from shiftproof.quantification._page import quantification_sections

        return quantification_sections(self)

    def to_page(self, *, title: str = "How many of each class?") -> Page:
        """Return the page that `save` writes."""
        from shiftproof.quantification._page import quantification_page

        return quantification_page(self, title)

    @property
    def tone(self) -> Tone:
        """The colour of the answer on a page."""
        tones: dict[Assumption, Tone] = {"fits": "good", "cannot tell": "care", "broken": "bad", "not checked": "care"}
        return tones[self.assumption] if self.informative or self.assumption == "broken" else "unknown"

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        interval = self.prevalence[self.positive]
        if self.assumption == "broken":
            return f"do not believe {percent(interval.estimate)} of class {shown(self.positive)}"
        if not self.informative:
            return f"the scores cannot tell how many are in class {shown(self.positive)}"
        return f"{self.told(interval)} of the new rows are in class {shown(self.positive)}"

    def told(self, interval: Interval) -> str:
        """Write a share with its interval."""
        return f"{percent(interval.estimate)} ({percent(interval.low)} to {percent(interval.high)})"

    def _first(self) -> str:
        interval = self.prevalence[self.positive]
        rows, verb = counted(self.n_new, "new row"), "is" if self.n_new == 1 else "are"
        what = f"{percent(interval.estimate)} of {rows} {verb} in class {shown(self.positive)}"
        before = f"{percent(self.training[self.positive])} of the labelled ones"
        if self.assumption == "broken":
            return (
                f"Do not believe that {what} (against {before}): every method takes for granted that nothing but the "
                "classes' shares has changed, and something else has."
            )
        span = f"{self.level:.0%} interval {percent(interval.low)} to {percent(interval.high)}"
        if not self.informative:
            return f"The scores cannot tell how many of {rows} are in class {shown(self.positive)} ({span})."
        return f"About {what} ({span}), against {before}."

    def _most_moved(self) -> list[str]:
        """Name the other classes that changed most, where there are more than two."""
        if len(self.classes) == 2:
            return []
        others = [label for label in self.classes if label != self.positive]
        others.sort(key=lambda label: -abs(self.prevalence[label].estimate - self.training[label]))
        told = [
            f"class {shown(label)} went from {percent(self.training[label])} to {self.told(self.prevalence[label])}"
            for label in others[:3]
        ]
        words = "; ".join(told)
        return [f"{words[0].upper()}{words[1:]}."]

    def _others(self) -> str:
        low, high = self.range[self.positive]
        plain_count = self.others.get("classify and count", {}).get(self.positive)
        counting = "" if plain_count is None else f"; plain counting, which is biased, says {percent(plain_count)}"
        return f"Other methods that allow for a change say {percent(low)} to {percent(high)}{counting}."

    def _belief(self) -> str:
        if self.assumption == "broken":
            return " ".join(self.concerns)
        if self.shift is None:
            return (
                "Whether nothing but the classes' shares has changed could be checked on the scores only, where "
                f"nothing speaks against it ({self.unchecked})."
            )
        if self.assumption == "cannot tell":
            why = " ".join(self.shift.reasons)
            return f"Take care: it cannot be told whether nothing but the classes' shares has changed. {why}"
        if self.shift.kind == "none":
            return "No shift was found at all, and nothing speaks against the figures."
        return "The change fits: nothing but the classes' shares needs to have changed (prior shift)."

    def _outside(self) -> list[str]:
        """Name the adjusted counts that leave 0 to 1 by more than chance, the farthest first."""
        telling = [self.classes.index(self.positive)] if len(self.classes) == 2 else range(len(self.classes))
        gone = [each for each in self.unclipped if each.outside and each.code in telling]
        if not gone:
            return []
        worst = max(gone, key=lambda each: max(-each.value, each.value - 1))
        label = shown(self.classes[worst.code])
        end = "less than none" if worst.value < 0 else "more than all"
        also = [each.method for each in gone if each is not worst and each.code == worst.code]
        leaves = "leave" if len(also) > 1 else "leaves"
        too = f"; {' and '.join(also)} {leaves} the unit interval, too" if also else ""
        return [
            f"{worst.method} comes to {worst.value:.0%} of the rows in class {label} before it is clipped, which is "
            f"{end} by more than chance explains{too}"
        ]

    def _course(self) -> str:
        held = [period for period in self.periods if period.prevalence]
        first, last = held[0], held[-1]
        shares = [self.told(period.prevalence[self.positive]) for period in (first, last)]
        label = shown(self.positive)
        if first is last:
            told = f"All rows with a value of {shown(self.by)} are of {first.name}."
        else:
            told = f"The share of class {label} is {shares[0]} in {first.name} and {shares[1]} in {last.name}."
        verb = "is" if self.n_undated == 1 else "are"
        missing = f" {counted(self.n_undated, 'row')} without a value of {shown(self.by)} {verb} in no period."
        return told + (missing if self.n_undated else "")

    def _legend(self) -> str:
        return f"{self.method}, {self.level:.0%} interval"

    def _need_periods(self) -> None:
        if not self.periods:
            raise fault("by", "be given to see shares over time", None, "quantify(..., by='date') cuts the new rows")


def _at_most(p: float) -> str:
    """Write a simulated p-value, which has a smallest value.

    Examples
    --------
    >>> _at_most(1 / 201), _at_most(0.34)
    ('< 0.005', '0.34')
    """
    return "< 0.005" if p <= 0.005 else f"{p:.2g}"
