"""The page of a comparison, and its figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.comparison._pairs import POSTHOC, PostHoc
from shiftproof.comparison._words import TESTS, headline, probable, sentences
from shiftproof.core import Phrase, Sensitive, chance, p_words
from shiftproof.reporting import Detail, Figure, Page, Section, Sections

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from shiftproof.comparison._pairs import MethodPair
    from shiftproof.comparison._result import Comparison

# With more data sets or methods, small charts are too many to read, and take minutes to draw.
_MOST_DATASETS, _MOST_METHODS = 48, 16

Drawers = dict[str, Callable[[], "MatplotlibFigure"]]


def figures_of(comparison: Comparison, *, redact: bool = False) -> Drawers:
    """Return a function that draws each figure, by its name; figures that would be too large are left out."""
    k = len(comparison.methods)
    draw: Drawers = {
        "ranks": lambda: _own_figure(comparison.plot, plots.rank_diagram_size(k, len(comparison.groups))),
        "losses": lambda: _own_figure(comparison.plot_losses, (7.0, 0.9 + 0.32 * k)),
    }
    if k <= _MOST_METHODS:
        draw["matrix"] = lambda: _own_figure(comparison.plot_matrix, plots.comparison_size(k))
        draw["pairs"] = comparison.plot_pairs
        if comparison.prevalences:
            draw["prevalences"] = comparison.plot_prevalences
    if len(comparison.datasets) <= _MOST_DATASETS:
        draw["datasets"] = partial(comparison.plot_datasets, redact=redact)
    return draw


@dataclass(frozen=True, kw_only=True)
class ComparisonSections(Sections):
    """The parts of a comparison's page."""

    ranks: Section
    losses: Section
    pairs: Section
    beside: Section
    prevalences: Section | None
    datasets: Section
    folds: Section | None


def comparison_sections(comparison: Comparison) -> ComparisonSections:
    """Lay out the ranks, the losses, the pairs, the prevalences and the data sets."""
    draw = figures_of(comparison)
    return ComparisonSections(
        ranks=_ranks_section(comparison, draw),
        losses=_losses_section(comparison, draw),
        pairs=_pairs_section(comparison, draw),
        beside=_pivot_section(comparison, draw),
        prevalences=_prevalences_section(comparison, draw) if comparison.prevalences else None,
        datasets=_datasets_section(comparison, draw),
        folds=_folds_section(comparison) if comparison.compared_by_folds else None,
    )


def comparison_page(comparison: Comparison, title: str) -> Page:
    """Compose the page of a comparison."""
    return Page(
        title=title,
        verdict=headline(comparison),
        tone="unknown",
        summary=Phrase.joined(" ", sentences(comparison)[1:]),
        sections=tuple(comparison_sections(comparison)),
        facts={
            "data sets": f"{len(comparison.datasets):,}",
            **({"data sets and prevalences": f"{len(comparison.places):,}"} if comparison.prevalences else {}),
            "methods": f"{len(comparison.methods):,}",
            "control": comparison.control or "none",
            "post-hoc test": TESTS[comparison.posthoc],
            "significance level": comparison.alpha,
            "region of practical equivalence": comparison.rope,
            "ranks": "averaged per data set" if comparison.ranking == "average" else "averaged, then ranked again",
            "better is": "lower" if comparison.lower_is_better else "higher",
            "shiftproof": __version__,
        },
    )


def _own_figure(draw: Callable[..., object], size: tuple[float, float]) -> MatplotlibFigure:
    figure = plots.own_figure(size=size)
    draw(ax=figure.subplots())
    return figure


def _figures(draw: Drawers, name: str, words: str) -> list[Figure]:
    return [Figure(words, lambda: plots.svg(draw[name](), name=name))] if name in draw else []


def _dataset_name(comparison: Comparison, name: str) -> Sensitive:
    """Return the name of a data set, often a file's; redacted, its number."""
    return Sensitive(name, f"data set {comparison.datasets.index(name) + 1}")


def _ranks_section(comparison: Comparison, draw: Drawers) -> Section:
    control = comparison.control
    p_values = {pair.second: pair.p_value for pair in comparison.compared if pair.first == control}
    columns: dict[str | Detail, Callable[[Any], str]] = {
        "method": lambda row: row.method,
        "average rank": lambda row: f"{row.average_rank:.2f}",
        "wins": lambda row: f"{row.wins:,}",
        "losses": lambda row: f"{row.losses:,}",
        "ties": lambda row: f"{row.ties:,}",
        f"mean {comparison.measure}": lambda row: f"{row.mean_loss:.4g}",
        Detail(f"median {comparison.measure}"): lambda row: f"{row.median_loss:.4g}",
    }
    if control is not None:
        # The control itself has no p-value: its cell is empty.
        columns["p-value against the control"] = lambda row: chance(p_values.get(str(row.method), math.nan))
    return Section(
        title="Average ranks",
        anchor="ranks",
        text=_ranks_text(comparison),
        figures=_figures(draw, "ranks", "Average ranks, and which methods do not differ significantly"),
        columns=tuple(columns),
        rows=[tuple(write(row) for write in columns.values()) for row in comparison.to_frame().itertuples()],
        faint=[number for number, name in enumerate(comparison.methods) if name not in comparison.best],
        sortable=True,
    )


def _ranks_text(comparison: Comparison) -> str:
    """Write the tests of all methods, and what the bars of the figure mean."""
    friedman, iman_davenport = comparison.friedman, comparison.iman_davenport
    if friedman is None or iman_davenport is None:
        folds = " Its folds show which methods differ on this data set." if comparison.compared_by_folds else ""
        return f"Ranks on one data set cannot be tested.{folds}"
    alpha = f"{comparison.alpha:g}"
    test = f"({TESTS[comparison.posthoc]}, at {alpha})"
    bars = f"In the figure, a bar joins methods that do not differ significantly {test}."
    if comparison.posthoc == "bonferroni-dunn":
        bars = f"In the figure, methods outside the bar differ significantly from the control {test}."
    return (
        f"Friedman: chi-square {friedman.statistic:.2f}, {p_words(friedman.p_value)}; Iman-Davenport: "
        f"F {iman_davenport.statistic:.2f}, {p_words(iman_davenport.p_value)}. {bars}"
    )


def _place(comparison: Comparison) -> str:
    """Write what each loss is of."""
    return "data set at one prevalence" if comparison.prevalences else "data set"


def _losses_section(comparison: Comparison, draw: Drawers) -> Section:
    return Section(
        title="Losses",
        anchor="losses",
        text=(
            f"One loss for each {_place(comparison)}. The box contains the middle half of the losses, the line in it "
            "is the median, and points are outliers."
        ),
        figures=_figures(draw, "losses", "The losses of every method as boxes"),
    )


def _pairs_section(comparison: Comparison, draw: Drawers) -> Section:
    several = bool(comparison.prevalences)
    counts = "over all data sets and prevalences, and over data sets" if several else "over data sets"
    columns: dict[str, Callable[[MethodPair], object]] = {
        "first": lambda pair: pair.first,
        "second": lambda pair: pair.second,
        **({"all prevalences": lambda pair: f"{pair.wins} / {pair.losses} / {pair.ties}"} if several else {}),
        "data sets": lambda pair: f"{pair.dataset_wins} / {pair.dataset_losses} / {pair.dataset_ties}",
        "mean difference": lambda pair: pair.mean_difference,
        "difference on one data set": lambda pair: (
            str(pair.difference) if pair.difference.low == pair.difference.low else pair.difference.estimate
        ),
        **{f"{TESTS[name]} p": partial(_adjusted_p, name) for name in _shown_tests(comparison)},
        "better / same / worse": lambda pair: " / ".join(
            filter(None, map(probable, (pair.better, pair.equivalent, pair.worse)))
        ),
        "differ": lambda pair: "" if pair.p_value != pair.p_value else "yes" if pair.differ else "no",
    }
    return Section(
        title="All pairs of methods",
        anchor="pairs",
        text=(
            f"Wins, losses and ties of the first method, {counts}. Differences are positive where the first method is "
            f"better. {TESTS[comparison.posthoc]} decides whether two methods differ; other tests may disagree. The "
            "probabilities (Bayesian signed-rank test) are that the first method is better by more than "
            f"{comparison.rope:g}, that the difference is smaller, and that it is worse by more than that."
        ),
        figures=_figures(draw, "matrix", "Mean difference, wins, losses and ties, and p-value of all pairs of methods"),
        columns=tuple(columns),
        rows=[tuple(write(pair) for write in columns.values()) for pair in comparison.compared],
        sortable=True,
    )


def _shown_tests(comparison: Comparison) -> list[PostHoc]:
    """Return the tests whose p-values the page has: the usual ones, and the one that decides."""
    usual: list[PostHoc] = ["nemenyi", "wilcoxon-holm", comparison.posthoc]
    if comparison.control is not None:
        usual.append("bonferroni-dunn")
    return [name for name in POSTHOC if name in usual]


def _adjusted_p(name: PostHoc, pair: MethodPair) -> str:
    return chance(pair.adjusted[name])


def _pivot_section(comparison: Comparison, draw: Drawers) -> Section:
    pivot = comparison.control or comparison.methods[0]
    return Section(
        title="Losses against one method",
        anchor="beside",
        text=(
            f"Each point is a {_place(comparison)}: the loss of {pivot} on the horizontal axis, and the loss of the "
            "other method on the vertical axis. In the chart: wins, losses and ties. Below it: wins minus losses (mean "
            "difference)."
        ),
        figures=_figures(draw, "pairs", f"Losses of every method plotted against those of {pivot}"),
        folded=True,
    )


def _prevalences_section(comparison: Comparison, draw: Drawers) -> Section:
    frame, pivot = comparison.per_prevalence(), comparison.control or comparison.methods[0]
    columns = ("prevalence", "method", "average rank", "mean loss", "wins", "losses", "ties", "DWL", "MDAE")
    # The pivot is not compared with itself.
    blank = ("",) * 5
    rows = [
        (row.prevalence, row.method, row.average_rank, row.mean_loss)
        + (
            (row.pivot_wins, row.pivot_losses, row.ties, row.pivot_dwl, row.pivot_mdae)
            if row.method != pivot
            else blank
        )
        for row in frame.itertuples()
    ]
    return Section(
        title="By prevalence",
        anchor="prevalences",
        text=f"Wins, losses and ties of {pivot} against each method; wins minus losses (DWL) and the mean difference "
        "(MDAE) are positive where it is better. Single prevalences are not tested.",
        figures=_figures(draw, "prevalences", f"Losses over those of {pivot}, one row of charts per prevalence"),
        columns=columns,
        rows=rows,
        sortable=True,
        folded=True,
    )


def _datasets_section(comparison: Comparison, draw: Drawers) -> Section:
    words, redacted = "Losses of the methods that rank first, on each data set", figures_of(comparison, redact=True)
    figures = [
        replace(figure, draw_redacted=lambda: plots.svg(redacted["datasets"](), name="datasets"))
        for figure in _figures(draw, "datasets", words)
    ]
    rows = [
        (_dataset_name(comparison, name), *(f"{rank:g}" for rank in ranks))
        for name, ranks in zip(comparison.datasets, comparison.dataset_ranks.tolist(), strict=True)
    ]
    return Section(
        title="By data set",
        anchor="data-sets",
        text="These are the ranks that are averaged and tested.",
        figures=figures,
        columns=("data set", *comparison.methods),
        rows=rows,
        sortable=True,
        folded=True,
    )


def _folds_section(comparison: Comparison) -> Section:
    rows = [
        (
            _dataset_name(comparison, one.dataset),
            one.first,
            one.second,
            one.n_folds,
            str(one.difference),
            chance(one.p_value),
            chance(one.p_holm),
        )
        for one in comparison.compared_by_folds
    ]
    return Section(
        title="On single data sets",
        anchor="folds",
        text=(
            "Based on the folds: the corrected resampled t test (Nadeau and Bengio), with p-values adjusted "
            "within each data set (Holm). Differences are positive where the first method is better."
        ),
        columns=("data set", "first", "second", "folds", "difference", "p", "p (Holm)"),
        rows=rows,
        sortable=True,
        folded=True,
    )
