"""The page of a comparison, and its figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.comparison._words import TESTS, headline, power, probable, sentences
from shiftproof.core import Phrase, Sensitive, chance, p_words
from shiftproof.reporting import Detail, Figure, Page, Section, Sections

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from shiftproof.comparison._pairs import MethodPair
    from shiftproof.comparison._result import Comparison

# So many data sets have a chart of their own, and so many methods one in the matrix.
_MOST_DATASETS, _MOST_METHODS = 48, 16

Drawers = dict[str, Callable[[], "MatplotlibFigure"]]


def figures_of(found: Comparison, *, redact: bool = False) -> Drawers:
    """Give what draws each figure, by its name; those that would be too large are left out."""
    k = len(found.methods)
    draw: Drawers = {
        "ranks": lambda: _on_own(found.plot, plots.rank_diagram_size(k, len(found.groups))),
        "losses": lambda: _on_own(found.plot_losses, (7.0, 0.9 + 0.32 * k)),
    }
    if k <= _MOST_METHODS:
        draw["matrix"] = lambda: _on_own(found.plot_matrix, plots.comparison_size(k))
        draw["pairs"] = found.plot_pairs
        if found.prevalences:
            draw["prevalences"] = found.plot_prevalences
    if len(found.datasets) <= _MOST_DATASETS:
        draw["datasets"] = partial(found.plot_datasets, redact=redact)
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


def comparison_sections(found: Comparison) -> ComparisonSections:
    """Lay out the ranks, the losses, the pairs, the prevalences and the data sets."""
    draw = figures_of(found)
    return ComparisonSections(
        ranks=_ranks(found, draw),
        losses=_losses(draw),
        pairs=_pairs(found, draw),
        beside=_beside(found, draw),
        prevalences=_prevalences(found, draw) if found.prevalences else None,
        datasets=_datasets(found, draw),
        folds=_folds(found) if found.compared_by_folds else None,
    )


def comparison_page(found: Comparison, title: str) -> Page:
    """Compose the page of a comparison."""
    return Page(
        title=title,
        verdict=headline(found),
        tone="unknown",
        summary=Phrase.joined(" ", sentences(found)[1:]),
        sections=tuple(comparison_sections(found)),
        facts={
            "data sets": f"{len(found.datasets):,}",
            "cells": f"{len(found.places):,}",
            "methods": f"{len(found.methods):,}",
            "control": found.control or "none",
            "post-hoc test": TESTS[found.posthoc],
            "level": found.alpha,
            "region of practical equivalence": found.rope,
            "ranks": "averaged per data set" if found.ranking == "average" else "averaged, then ranked again",
            "better is": "lower" if found.lower_is_better else "higher",
            "shiftproof": __version__,
        },
    )


def _on_own(draw: Callable[..., object], size: tuple[float, float]) -> MatplotlibFigure:
    figure = plots.own_figure(size=size)
    draw(ax=figure.subplots())
    return figure


def _figures(draw: Drawers, name: str, words: str) -> list[Figure]:
    return [Figure(words, lambda: plots.svg(draw[name](), name=name))] if name in draw else []


def _dataset(found: Comparison, name: str) -> Sensitive:
    """Return the name of a data set, often a file's; redacted, its number."""
    return Sensitive(name, f"data set {found.datasets.index(name) + 1}")


def _ranks(found: Comparison, draw: Drawers) -> Section:
    told = "One data set is no sample of data sets: nothing is tested."
    if found.friedman is not None and found.iman_davenport is not None:
        bars = {
            "nemenyi": f"A bar joins methods that cannot be told apart (Nemenyi, at {found.alpha:g}): {power(found)}.",
            "wilcoxon-holm": f"A bar joins methods that cannot be told apart (Wilcoxon-Holm, at {found.alpha:g}).",
            "bonferroni-dunn": f"The bar is about the control (Bonferroni-Dunn, at {found.alpha:g}): {power(found)}.",
        }
        told = (
            f"Friedman: chi-square {found.friedman.statistic:.2f}, {p_words(found.friedman.p_value)}; Iman-Davenport: "
            f"F {found.iman_davenport.statistic:.2f}, {p_words(found.iman_davenport.p_value)}. {bars[found.posthoc]}"
        )
    p_values = {pair.second: pair.p_value for pair in found.compared if pair.first == found.control}
    rows = [
        (
            row.method,
            f"{row.average_rank:.2f}",
            f"{row.wins:,}",
            f"{row.losses:,}",
            f"{row.ties:,}",
            f"{row.mean_loss:.4g}",
            f"{row.median_loss:.4g}",
            *([] if found.control is None else [chance(p_values.get(str(row.method), math.nan))]),
        )
        for row in found.to_frame().itertuples()
    ]
    against = [] if found.control is None else ["p against the control"]
    return Section(
        title="Average ranks",
        anchor="ranks",
        text=told,
        figures=_figures(draw, "ranks", "Average ranks, and which methods cannot be told apart"),
        columns=(
            "method",
            "average rank",
            "wins",
            "losses",
            "ties",
            f"mean {found.measure}",
            Detail(f"median {found.measure}"),
            *against,
        ),
        rows=rows,
        faint=[number for number, name in enumerate(found.methods) if name not in found.best],
        sortable=True,
    )


def _losses(draw: Drawers) -> Section:
    return Section(
        title="Losses",
        anchor="losses",
        text="Over all cells. The box holds the middle half of the losses, the line in it is the median, a point is an "
        "outlier.",
        figures=_figures(draw, "losses", "The losses of every method as boxes"),
    )


def _pairs(found: Comparison, draw: Drawers) -> Section:
    columns: dict[str, Callable[[MethodPair], Any]] = {
        "first": lambda pair: pair.first,
        "second": lambda pair: pair.second,
        "cells": lambda pair: f"{pair.wins} / {pair.losses} / {pair.ties}",
        "data sets": lambda pair: f"{pair.dataset_wins} / {pair.dataset_losses} / {pair.dataset_ties}",
        "mean difference": lambda pair: pair.mean_difference,
        "difference of a data set": lambda pair: (
            str(pair.difference) if pair.difference.low == pair.difference.low else pair.difference.estimate
        ),
        "Nemenyi p": lambda pair: chance(pair.nemenyi),
        "Bonferroni-Dunn p": lambda pair: chance(pair.bonferroni_dunn),
        "Wilcoxon-Holm p": lambda pair: chance(pair.wilcoxon_holm),
        "better / same / worse": lambda pair: " / ".join(
            filter(None, map(probable, (pair.better, pair.equivalent, pair.worse)))
        ),
        "differ": lambda pair: "" if pair.p_value != pair.p_value else "yes" if pair.differ else "no",
    }
    if found.control is None:
        del columns["Bonferroni-Dunn p"]
    return Section(
        title="Every two methods",
        anchor="pairs",
        text="Wins, losses and ties are those of the first, over cells and over data sets; differences are positive "
        f"where it is better. The last column is what {TESTS[found.posthoc]} shows. Probabilities (Bayesian signed "
        f"ranks): that the first is better by more than {found.rope:g}, within that, or worse by more.",
        figures=_figures(draw, "matrix", "Mean difference, wins, losses and ties, and p-value of every two methods"),
        columns=tuple(columns),
        rows=[tuple(tell(pair) for tell in columns.values()) for pair in found.compared],
        sortable=True,
    )


def _beside(found: Comparison, draw: Drawers) -> Section:
    pivot = found.control or found.methods[0]
    return Section(
        title="Beside one of them",
        anchor="beside",
        text=f"Each point is a cell: the loss of {pivot} along the axis, that of the other upwards. Within: its wins, "
        "losses and ties; below: wins minus losses (mean difference).",
        figures=_figures(draw, "pairs", f"Losses of every method over those of {pivot}"),
        folded=True,
    )


def _prevalences(found: Comparison, draw: Drawers) -> Section:
    frame = found.per_prevalence()
    columns = (
        "prevalence",
        "method",
        "average rank",
        "mean loss",
        "wins",
        "losses",
        "ties",
        "DWL",
        "MDAE",
    )
    rows = [
        (row.prevalence, row.method, row.average_rank, row.mean_loss, row.wins, row.losses, row.ties, row.dwl, row.mdae)
        for row in frame.itertuples()
    ]
    pivot = found.control or found.methods[0]
    return Section(
        title="By prevalence",
        anchor="prevalences",
        text=f"Wins, losses and ties of {pivot} against each method; wins minus losses (DWL) and the mean difference "
        "(MDAE) are positive where it is better. No test is made at single prevalences.",
        figures=_figures(draw, "prevalences", f"Losses over those of {pivot}, one row of charts per prevalence"),
        columns=columns,
        rows=rows,
        sortable=True,
        folded=True,
    )


def _datasets(found: Comparison, draw: Drawers) -> Section:
    words, redacted = "Losses of the methods that rank first, on each data set", figures_of(found, redact=True)
    figures = [
        replace(figure, draw_redacted=lambda: plots.svg(redacted["datasets"](), name="datasets"))
        for figure in _figures(draw, "datasets", words)
    ]
    rows = [
        (_dataset(found, name), *ranks)
        for name, ranks in zip(found.datasets, found.dataset_ranks.tolist(), strict=True)
    ]
    return Section(
        title="By data set",
        anchor="data-sets",
        text="The ranks that are averaged and tested.",
        figures=figures,
        columns=("data set", *found.methods),
        rows=rows,
        sortable=True,
        folded=True,
    )


def _folds(found: Comparison) -> Section:
    rows = [
        (
            _dataset(found, one.dataset),
            one.first,
            one.second,
            one.n_folds,
            str(one.difference),
            chance(one.p_value),
            chance(one.p_holm),
        )
        for one in found.compared_by_folds
    ]
    return Section(
        title="On single data sets",
        anchor="folds",
        text="By the folds: the corrected resampled t test (Nadeau and Bengio), and its p-values adjusted within each "
        "data set (Holm). Differences are positive where the first is better.",
        columns=("data set", "first", "second", "folds", "difference", "p", "p (Holm)"),
        rows=rows,
        sortable=True,
        folded=True,
    )
