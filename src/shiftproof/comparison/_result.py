"""The result of `compare`: ranks, tests, every pair, and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof._version import __version__
from shiftproof.comparison._pairs import FoldPair, MethodPair, PostHoc, groups_of
from shiftproof.comparison._ranks import Ranking, Tally, tally
from shiftproof.comparison._words import headline, sentences
from shiftproof.core import Argument, Floats, Interval, Phrase, check_choice, fault, listed, plain
from shiftproof.reporting import PagedResult
from shiftproof.stats import Spread, TestResult, critical_difference, rank_rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from shiftproof.comparison._page import ComparisonSections
    from shiftproof.plots import Duel
    from shiftproof.reporting import Page


_TITLE = "Which method is best on these data sets?"
# Losses without an upper limit, as columns of results are called.
_ON_A_LOG_SCALE = ("kld", "nkld")
# Bars for each data set in the figure of data sets; figure 5.5 of the thesis has four methods.
_BARS = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison(PagedResult):
    """Which of several methods is best across data sets, and which differences are more than chance.

    Attributes
    ----------
    methods : tuple of str
        The methods, the lowest average rank first.
    datasets : tuple of str
        The data sets, which are the independent evidence.
    prevalences : tuple
        The prevalence of each cell; empty without prevalences.
    places : ndarray of int of shape (n_cells,)
        The data set of each cell.
    losses : ndarray of shape (n_cells, n_methods)
        The losses as given, averaged over folds; columns in the order of `methods`.
    dataset_ranks : ndarray of shape (n_datasets, n_methods)
        The ranks that are averaged and tested.
    tally : Tally
        Wins and ties of every pair of methods.
    friedman, iman_davenport : TestResult or None
        Tests of whether the methods differ; the second test decides. None with a single data set.
    critical_difference, control_difference : float
        The difference of average ranks that Nemenyi's and Bonferroni-Dunn's test can show.
    compared : tuple of MethodPair
        Every pair of methods.
    compared_by_folds : tuple of FoldPair
        Every pair of methods on each data set, by the corrected resampled t test; empty without folds.
    control, posthoc, ranking, spread, alpha, rope, lower_is_better
        As given, or as chosen.
    measure : str
        The name of the losses.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    prevalences: tuple[Any, ...]
    places: NDArray[np.intp]
    losses: Floats
    dataset_ranks: Floats
    tally: Tally
    friedman: TestResult | None
    iman_davenport: TestResult | None
    critical_difference: float
    control_difference: float
    compared: tuple[MethodPair, ...]
    compared_by_folds: tuple[FoldPair, ...]
    control: str | None
    posthoc: PostHoc
    ranking: Ranking
    spread: Spread
    alpha: float
    rope: float
    lower_is_better: bool
    measure: str

    @property
    def ranks(self) -> dict[str, float]:
        """The average rank of every method, the best first."""
        return dict(zip(self.methods, self.dataset_ranks.mean(axis=0).tolist(), strict=True))

    @property
    def rejected(self) -> bool:
        """Whether the Friedman test, in Iman and Davenport's form, shows that the methods differ."""
        return self.iman_davenport is not None and self.iman_davenport.p_value <= self.alpha

    @cached_property
    def differ(self) -> NDArray[np.bool_]:
        """Whether each pair of methods differs; by Nemenyi's test if the post-hoc test only compares with a control."""
        place = {name: number for number, name in enumerate(self.methods)}
        # NaN marks pairs that the deciding test leaves out.
        all_pairs = all(pair.p_value == pair.p_value for pair in self.compared)
        differ = np.zeros((len(self.methods), len(self.methods)), dtype=bool)
        for pair in self.compared:
            shown = pair.differ if all_pairs else self.rejected and pair.adjusted["nemenyi"] <= self.alpha
            one, other = place[pair.first], place[pair.second]
            differ[one, other] = differ[other, one] = shown
        return differ

    @property
    def best(self) -> tuple[str, ...]:
        """The method that ranks first, and those that do not differ significantly from it.

        One data set allows no test: then only the methods with the lowest rank.
        """
        if self.friedman is None:
            return tuple(name for name, rank in self.ranks.items() if rank == min(self.ranks.values()))
        return tuple(name for name, differs in zip(self.methods, self.differ[0], strict=True) if not differs)

    @property
    def decisive_difference(self) -> float:
        """The difference of average ranks that the post-hoc test can show."""
        if not self.posthoc.startswith("ranks"):
            return self.control_difference if self.posthoc == "bonferroni-dunn" else self.critical_difference
        # The smallest p-value is multiplied by the number of comparisons at most.
        comparisons = sum(pair.p_value == pair.p_value for pair in self.compared)
        k, n = len(self.methods), len(self.datasets)
        return critical_difference(k, n, alpha=self.alpha / comparisons, test="single")

    @property
    def by_losses(self) -> bool:
        """Whether the post-hoc test compares the size of losses (Wilcoxon) instead of ranks."""
        return self.posthoc.startswith("wilcoxon")

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return str(headline(self))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per method, the best first.

        The columns are ``method, average_rank, wins, losses, ties`` (over all cells and all others), then ``dwl``,
        ``mean_loss``, ``median_loss`` and ``best``, whether it is one of `best`; with a control also its p-value,
        ``p_control``.
        """
        import pandas as pd

        wins, ties = self.tally.wins, self.tally.ties
        frame = pd.DataFrame(
            {
                "method": self.methods,
                "average_rank": list(self.ranks.values()),
                "wins": wins.sum(axis=1),
                "losses": wins.sum(axis=0),
                # Every method ties with itself.
                "ties": ties.sum(axis=1) - np.diag(ties),
                "dwl": wins.sum(axis=1) - wins.sum(axis=0),
                "mean_loss": self.losses.mean(axis=0),
                "median_loss": np.median(self.losses, axis=0),
                "best": [name in self.best for name in self.methods],
            }
        )
        if self.control is not None:
            chance = {pair.second: pair.p_value for pair in self.compared if pair.first == self.control}
            frame["p_control"] = [chance.get(name, float("nan")) for name in self.methods]
        return frame

    def pairs(self) -> pd.DataFrame:
        """Return one row per pair of methods: wins, differences, all p-values and probabilities.

        ``dwl`` is wins minus losses, ``mdae`` the mean difference over the cells, ``difference`` (with ``low`` and
        ``high``) that of a data set, all positive where ``first`` is better; ``p_value`` is that of the test which
        decides, and ``differ`` its decision.
        """
        import pandas as pd

        return pd.DataFrame([self._pair_row(pair) for pair in self.compared])

    def per_prevalence(self, *, pivot: str | None = None) -> pd.DataFrame:
        """Return one row per prevalence and method.

        Parameters
        ----------
        pivot : str, optional
            The method whose wins, losses and ties against each other method are counted; by default the control, or
            the one that ranks first.

        Returns
        -------
        DataFrame
            ``prevalence, method, n_datasets, average_rank, mean_loss``, then how the pivot compares with the method:
            ``pivot_wins, pivot_losses, ties``, wins minus losses (``pivot_dwl``), and by how much its loss is lower on
            average (``pivot_mdae``).
        """
        import pandas as pd

        pivot = self._pivot(pivot)
        rows = []
        for prevalence, cells in self._by_prevalence().items():
            losses, own = self._oriented()[cells], self.methods.index(pivot)
            # At one prevalence each cell is a data set.
            counts, ranks = tally(losses, np.arange(len(losses))), rank_rows(losses).mean(axis=0)
            for place, name in enumerate(self.methods):
                won, lost = int(counts.wins[own, place]), int(counts.wins[place, own])
                rows.append(
                    {
                        "prevalence": prevalence,
                        "method": name,
                        "n_datasets": len(losses),
                        "average_rank": float(ranks[place]),
                        "mean_loss": float(self.losses[cells, place].mean()),
                        "pivot_wins": won,
                        "pivot_losses": lost,
                        "ties": int(counts.ties[own, place]),
                        "pivot_dwl": won - lost,
                        "pivot_mdae": float(counts.mean_difference[own, place]),
                    }
                )
        return pd.DataFrame(rows)

    def per_dataset(self) -> pd.DataFrame:
        """Return one row per data set and pair of methods, compared by the folds; empty without folds."""
        import pandas as pd

        columns = ["dataset", "first", "second", "n_folds", "difference", "low", "high", "p_value", "p_holm"]
        rows = [
            {
                "dataset": pair.dataset,
                "first": pair.first,
                "second": pair.second,
                "n_folds": pair.n_folds,
                **_ends(pair.difference),
                "p_value": pair.p_value,
                "p_holm": pair.p_holm,
            }
            for pair in self.compared_by_folds
        ]
        return pd.DataFrame(rows, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "best": list(self.best),
            "methods": plain(self.to_frame().to_dict("records")),
            "datasets": list(self.datasets),
            "dataset_ranks": plain(self.dataset_ranks),
            "friedman": plain(self.friedman),
            "iman_davenport": plain(self.iman_davenport),
            "rejected": self.rejected,
            "critical_difference": plain(self.critical_difference),
            "control_difference": plain(self.control_difference),
            "pairs": plain(self.pairs().to_dict("records")),
            "per_prevalence": plain(self.per_prevalence().to_dict("records")) if self.prevalences else [],
            "per_dataset": plain(self.per_dataset().to_dict("records")),
            "n_cells": len(self.places),
            "control": self.control,
            "posthoc": self.posthoc,
            "ranking": self.ranking,
            "spread": self.spread,
            "alpha": self.alpha,
            "rope": self.rope,
            "lower_is_better": self.lower_is_better,
            "measure": self.measure,
        }

    def summary(self) -> str:
        """Say which methods are best, the smallest difference that can be shown, and the probability of a lead."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which names of data sets are marked as sensitive."""
        return Phrase.joined(" ", sentences(self))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the average ranks with the critical difference (figure 5.1b of the thesis), or with the control."""
        from shiftproof import plots

        by_control = self.posthoc == "bonferroni-dunn" and self.control is not None
        # No one difference of ranks decides where p-values are adjusted in steps, or losses are compared.
        by_ranks = self.friedman is not None and self.posthoc in ("nemenyi", "bonferroni-dunn")
        return plots.rank_diagram(
            self.methods,
            list(self.ranks.values()),
            difference=self.decisive_difference if by_ranks else None,
            groups=self.groups,
            control=self.methods.index(self.control) if by_control and self.control is not None else None,
            # If all methods are best, none stands out.
            best=0 if by_control or self.friedman is None else len(self.best) % len(self.methods),
            ax=ax,
        )

    @property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """Groups of adjacent methods in which no two differ, each as its first and last place; none without a test."""
        return tuple(groups_of(self.differ)) if self.friedman is not None else ()

    def plot_losses(self, *, log: bool | None = None, ax: Axes | None = None) -> Axes:
        """Draw the losses of every method in all cells as boxes (figure 5.1a).

        Parameters
        ----------
        log : bool, optional
            Whether the axis is logarithmic; by default for losses called KLD or NKLD (figure 5.2a), whose outliers
            would hide the rest.
        ax : Axes, optional
            The axes to draw on.
        """
        from shiftproof import plots

        if log is None:
            log = self.measure.strip().casefold() in _ON_A_LOG_SCALE
        return plots.loss_boxes(self.methods, self.losses, xlabel=self.measure, log=log, ax=ax)

    def plot_matrix(self, *, ax: Axes | None = None) -> Axes:
        """Draw every method against every other: mean difference, wins, ties and losses, p-value."""
        from shiftproof import plots

        place = {name: number for number, name in enumerate(self.methods)}
        p_values = np.full(self.differ.shape, np.nan)
        decided = np.zeros(self.differ.shape, dtype=bool)
        for pair in self.compared:
            for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
                p_values[place[one], place[other]] = pair.p_value
                decided[place[one], place[other]] = pair.differ
        counts = self.tally
        return plots.comparison_matrix(
            self.methods, counts.mean_difference, counts.wins, counts.ties, p_values, differ=decided, ax=ax
        )

    def plot_pairs(self, *, pivot: str | None = None) -> Figure:
        """Draw the losses of every method against those of one, by default the control or the first (figure 5.3)."""
        from shiftproof import plots

        # All cells of all prevalences in one figure.
        pivot = self._pivot(pivot)
        return plots.duel_scatters(pivot, self._duels(pivot, np.arange(len(self.places))))

    def plot_prevalences(self, *, pivot: str | None = None) -> Figure:
        """Draw `plot_pairs` for every prevalence (figure 5.4); an orange frame marks where the pivot mostly loses."""
        from shiftproof import plots

        pivot = self._pivot(pivot)
        rows = {_format_mark(mark): self._duels(pivot, cells) for mark, cells in self._by_prevalence().items()}
        return plots.duel_grid(pivot, rows)

    def plot_datasets(
        self,
        *,
        methods: Sequence[str] | None = None,
        training: Mapping[str, float] | None = None,
        highest: float | None = None,
        redact: bool = False,
    ) -> Figure:
        """Draw the losses on every data set, at every prevalence (figure 5.5).

        Parameters
        ----------
        methods : sequence of str, optional
            The methods to draw; by default the four that rank first.
        training : mapping of data set to float, optional
            The share of positives among the training rows: charts are then sorted by it, and titled with it.
        highest : float, optional
            Where the axis of losses ends, such as 0.5; by default at the largest loss.
        redact : bool, default False
            Whether to number the data sets instead of naming them.
        """
        from shiftproof import plots

        wanted = list(methods) if methods is not None else list(self.methods[:_BARS])
        for name in wanted:
            check_choice(name, "methods", self.methods)
        columns = [self.methods.index(name) for name in wanted]
        marks = list(self._by_prevalence()) if self.prevalences else [""]
        bars = {}
        for number, title in self._titles(training, redact=redact):
            # A data set may lack a prevalence; NaN draws no bar.
            values = np.full((len(marks), len(columns)), np.nan)
            for cell in np.flatnonzero(self.places == number).tolist():
                row = marks.index(self.prevalences[cell]) if self.prevalences else 0
                values[row] = self.losses[cell, columns]
            bars[title] = values
        places = [_format_mark(mark) for mark in marks]
        return plots.loss_bars(wanted, places, bars, ylabel=self.measure, highest=highest)

    def _titles(self, training: Mapping[str, float] | None, *, redact: bool) -> list[tuple[int, str]]:
        """Return the number and the title of each data set, in the order of the charts."""
        titles = [f"data set {number + 1}" if redact else name for number, name in enumerate(self.datasets)]
        if training is None:
            return list(enumerate(titles))
        missing = [name for name in self.datasets if name not in training]
        if missing:
            raise fault("training", "name every data set", Phrase(f"none of {listed(missing)}"), "give its share")
        order = sorted(range(len(titles)), key=lambda number: training[self.datasets[number]])
        return [(number, f"{titles[number]} ({training[self.datasets[number]]:.0%})") for number in order]

    def sections(self) -> ComparisonSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.comparison._page import comparison_sections

        return comparison_sections(self)

    def to_page(self, *, title: str = _TITLE) -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.comparison._page import comparison_page

        return comparison_page(self, title)

    def save_figures(self, folder: str | Path, *, ending: str = "svg") -> dict[str, Path]:
        """Write every figure into a folder.

        Parameters
        ----------
        folder : str or Path
            The folder to write to; created if it does not exist.
        ending : str
            "svg", "png" or "pdf".

        Returns
        -------
        dict of str to Path
            The figures by name: ``ranks``, ``losses``, ``matrix``, ``pairs``, ``datasets`` and, with prevalences,
            ``prevalences``.
        """
        from shiftproof import plots
        from shiftproof.comparison._page import figures_of

        return {
            name: plots.save_figure(draw(), Path(folder) / f"{name}.{ending}")
            for name, draw in figures_of(self).items()
        }

    def _oriented(self) -> Floats:
        return self.losses if self.lower_is_better else -self.losses

    def _pivot(self, pivot: str | None) -> str:
        return self.control or self.methods[0] if pivot is None else check_choice(pivot, "pivot", self.methods)

    def _by_prevalence(self) -> Mapping[Any, NDArray[np.intp]]:
        """Return the cells of each prevalence."""
        if not self.prevalences:
            raise fault(
                "results",
                "have a column of prevalences",
                Phrase("none"),
                Phrase("name it with ", Argument("prevalence_column", ...)),
            )
        marks = sorted({*self.prevalences}, key=lambda mark: (not isinstance(mark, (int, float)), mark))
        return {mark: np.flatnonzero([cell == mark for cell in self.prevalences]) for mark in marks}

    def _duels(self, pivot: str, cells: NDArray[np.intp]) -> list[Duel]:
        from shiftproof.plots import Duel

        counts, own = tally(self._oriented()[cells], np.arange(len(cells))), self.methods.index(pivot)
        return [
            Duel(
                name=name,
                pivot=self.losses[cells, own],
                other=self.losses[cells, place],
                wins=int(counts.wins[own, place]),
                losses=int(counts.wins[place, own]),
                ties=int(counts.ties[own, place]),
                mean_difference=float(counts.mean_difference[own, place]),
            )
            for place, name in enumerate(self.methods)
            if name != pivot
        ]

    @staticmethod
    def _pair_row(pair: MethodPair) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for field in fields(pair):
            value = getattr(pair, field.name)
            if isinstance(value, Interval):
                row |= _ends(value)
            elif field.name == "mean_difference":
                row |= {"dwl": pair.dwl, "mdae": value}
            elif field.name == "adjusted":
                row |= {name.replace("-", "_"): p for name, p in pair.adjusted.items()}
            else:
                row[field.name] = value
        return row


def _ends(interval: Interval) -> dict[str, float]:
    return {"difference": interval.estimate, "low": interval.low, "high": interval.high}


def _format_mark(mark: object) -> str:
    """Write a prevalence.

    Examples
    --------
    >>> _format_mark(0.30000000000000004), _format_mark("rare"), _format_mark(10)
    ('0.3', 'rare', '10')
    """
    return f"{mark:g}" if isinstance(mark, float) else str(mark)
