"""The result of `learning_curve`: a measure over the number of training rows, and what the last step gained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import Interval, counted, listed, percent, plain, shown
from shiftproof.evaluation._words import cell_text, difference_text, value_text
from shiftproof.measures import measure_name
from shiftproof.reporting import Figure, Page, PagedResult, Section

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.stats import SchemeComparison

_MISSING = float("nan")


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningCurve(PagedResult):
    """How good each model is after learning from fewer rows.

    Attributes
    ----------
    names : tuple of str
        The models, ordered by the measure at the largest size, best first.
    sizes : tuple of int
        The numbers of training rows, ascending.
    estimates : mapping of model to mapping of size to Interval
        The measure of every model; a size at which a model failed is missing.
    gains : mapping of model to SchemeComparison or None
        The largest size compared with the size before it, by the folds; None if this cannot be tested.
    measure : str
        The measure.
    level : float
        The coverage of the intervals.
    higher_is_better : bool
        Whether a higher value is better.
    n_tested : int
        Number of rows that every size was tested on.
    n_fits : int
        How many models were fitted.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    estimates: Mapping[str, Mapping[int, Interval]]
    gains: Mapping[str, SchemeComparison | None]
    measure: str
    level: float
    higher_is_better: bool
    n_tested: int
    n_fits: int

    @property
    def improving(self) -> tuple[str, ...]:
        """The models that the last step improved by more than chance explains, so more rows would probably help."""
        return tuple(name for name in self.names if (gain := self.gains[name]) is not None and self._better(gain))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and number of training rows."""
        import pandas as pd

        rows = [
            {"model": name, "size": size, "measure": self.measure, **interval.to_dict()}
            for name in self.names
            for size, interval in self.estimates[name].items()
        ]
        return pd.DataFrame(rows, columns=["model", "size", "measure", "estimate", "low", "high", "level", "method"])

    def to_dict(self) -> dict[str, Any]:
        """Return the curve, the gains and the settings as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "measure": self.measure,
            "sizes": list(self.sizes),
            "improving": list(self.improving),
            "estimates": plain(self.estimates),
            "gains": {name: None if gain is None else plain(gain) for name, gain in self.gains.items()},
            "level": self.level,
            "n_tested": self.n_tested,
            "n_fits": self.n_fits,
        }

    def summary(self) -> str:
        """Say which models more rows would help, how good the best is, and what the last step gained."""
        return " ".join(filter(None, [self._answer(), self._best(), self._tested()]))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the measure of every model over the number of training rows, with its intervals."""
        from shiftproof import plots

        lines = {
            name: tuple([getattr(own[size], end) if size in own else _MISSING for size in self.sizes] for end in _ENDS)
            for name, own in self.estimates.items()
        }
        ylabel = f"{self.measure.replace('_', ' ')}, {self.level:.0%} intervals"
        return plots.learning_lines(self.sizes, lines, ylabel=ylabel, ax=ax)  # type: ignore[arg-type]

    def section(self) -> Section:
        """Return the part of a page with the curve."""
        from shiftproof import plots

        before, last = self.sizes[-2:]
        draw = partial(plots.drawn_svg, self.plot, (7.0, 4.0), "learning")
        return Section(
            title="Would more labelled rows help?",
            anchor="learning",
            text=self.summary(),
            figures=[Figure(f"{self.measure} over the number of training rows", draw)],
            columns=("model", *(f"{size:,} rows" for size in self.sizes), f"gain from {before:,} to {last:,}"),
            rows=[(name, *self._cells(name)) for name in self.names],
        )

    def to_page(self, *, title: str = "Would more labelled rows help?") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        return Page(
            title=title,
            verdict=self._answer(),
            tone="unknown",
            summary=" ".join(filter(None, [self._best(), self._tested()])),
            sections=(self.section(),),
            facts={"rows tested": f"{self.n_tested:,}", "fits": f"{self.n_fits:,}", "shiftproof": __version__},
        )

    def _better(self, gain: SchemeComparison) -> bool:
        return gain.difference.low > 0 if self.higher_is_better else gain.difference.high < 0

    def _cells(self, name: str) -> list[str]:
        own, gain = self.estimates[name], self.gains[name]
        cells = [cell_text(own[size], self.measure) if size in own else "" for size in self.sizes]
        return [*cells, "" if gain is None else difference_text(gain.difference, self.measure)]

    def _answer(self) -> str:
        others = [name for name in self.names if name not in self.improving]
        words = f"More labelled rows would probably help {listed(self.improving)}" if self.improving else ""
        if not others:
            return f"{words}."
        no_gain = f"o gain from more labelled rows is visible for {listed(others)}"
        return f"{words}; n{no_gain}." if words else f"N{no_gain}."

    def _best(self) -> str:
        name, (before, last) = self.names[0], self.sizes[-2:]
        gain, value = self.gains[name], self.estimates[name][last]
        measure, text = measure_name(self.measure), value_text(value, self.measure)
        best = f"{shown(name)} has the best {measure}: {text}"
        if len(self.names) == 1:
            best = f"the {measure} of {shown(name)} is {text}"
        with_rows = f"With {last:,} training rows, {best}"
        if gain is None:
            return f"{with_rows}."
        difference = difference_text(gain.difference, self.measure)
        return f"{with_rows}. The difference from {before:,} rows is {difference}."

    def _tested(self) -> str:
        smallest = percent(self.sizes[0] / self.sizes[-1])
        sizes = f"{counted(len(self.sizes), 'size')} from {self.sizes[0]:,} ({smallest}) to {self.sizes[-1]:,}"
        return f"{sizes} training rows, all tested on the same {self.n_tested:,} rows."


_ENDS = ("low", "estimate", "high")
