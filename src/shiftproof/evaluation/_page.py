"""The page of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import chance, percent
from shiftproof.evaluation._words import IN_PERCENT, method_text, value_text
from shiftproof.measures import MEASURES, measure_name
from shiftproof.reporting import Figure, Page, Section, Sections

if TYPE_CHECKING:
    from shiftproof.evaluation._result import Evaluation
    from shiftproof.stats import SchemeComparison

# How the names of methods begin to say what they correct for.
_CORRECTED = "(corrected for "


@dataclass(frozen=True, kw_only=True)
class EvaluationSections(Sections):
    """The parts of an evaluation's page."""

    ranking: Section
    learning: Section | None
    curves: Section | None
    measures: Section


def evaluation_sections(result: Evaluation) -> EvaluationSections:
    """Lay out the ranking, the curves of the best model if there are two classes, and the full table."""
    return EvaluationSections(
        ranking=_ranking(result),
        learning=None if result.learning is None else result.learning.section(),
        # Curves are of one class against another.
        curves=_curves(result) if len(result.panel.classes_) == 2 else None,
        measures=_table(result),
    )


def evaluation_page(result: Evaluation, title: str) -> Page:
    """Compose the page of an evaluation."""
    best = result.estimates[result.best][result.measure]
    return Page(
        title=title,
        verdict=f"{result.best}: {measure_name(result.measure)} {value_text(best, result.measure)}",
        tone="unknown",
        summary=result.words(),
        sections=tuple(evaluation_sections(result)),
        facts={
            "rows": f"{len(result.panel.y):,}",
            # A page has room for about a dozen labels.
            "classes": ", ".join(map(str, result.panel.classes_.tolist()[:12])),
            "share of the most frequent class": f"{result.baseline:.1%}",
            "threshold": result.threshold,
            "level of the intervals": result.level,
            **{f"left out: {name}": why.phrase for name, why in result.panel.failures.items()},
            "shiftproof": __version__,
        },
    )


def _ranking(result: Evaluation) -> Section:
    # One row of text per model.
    size = (8.0, 1.0 + 0.34 * len(result.ranking))
    rows = [
        (name, *(_test_cells(comparison) if comparison is not None else ("no test for this measure", "", "")))
        for name, comparison in result.comparisons.items()
    ]
    return Section(
        title="Which model",
        anchor="ranking",
        text=" ".join(_about_ranking(result)),
        figures=[
            Figure(
                f"{result.measure} of every model with its interval",
                partial(plots.drawn_svg, result.plot, size, "ranking"),
            )
        ],
        columns=(f"{result.best} against", "difference", "p-value", "test"),
        rows=rows,
    )


def _about_ranking(result: Evaluation) -> Iterator[str]:
    if len(result.ranking) > 1:
        yield "For models drawn in a dark colour, the difference from the best model may be noise."
    if not result.panel.deployed:
        yield "The intervals correct for the overlap of training sets between folds."


def _test_cells(comparison: SchemeComparison) -> tuple[str, str, str]:
    return str(comparison.difference), chance(comparison.p_value), comparison.method


def _curves(result: Evaluation) -> Section:
    from shiftproof.evaluation._result import panels_of

    drawn = [
        Figure(f"{name} of {result.best}", partial(plots.drawn_svg, paint, (4.2, 3.6), f"curve-{number}"))
        for number, (name, paint) in enumerate(panels_of(result, result.best).items())
    ]
    return Section(
        title=f"Curves of {result.best}",
        anchor="curves",
        text=" ".join(_about_curves(result)),
        figures=drawn,
        grid=True,
    )


def _about_curves(result: Evaluation) -> Iterator[str]:
    if len(result.ranking) > 1:
        yield f"{result.best} has the best {measure_name(result.measure)} on the labelled data."
    scores = "the scores of the labelled rows" if result.panel.deployed else "out-of-fold probabilities"
    yield f"The curves are made from {scores}."


def _table(result: Evaluation) -> Section:
    rows = [
        (
            name,
            measure_name(measure),
            *(_written(value, measure) for value in (interval.estimate, interval.low, interval.high)),
            method_text(interval.method).partition(_CORRECTED)[0].rstrip(),
            _meaning(measure),
        )
        for name in result.ranking
        for measure, interval in result.estimates[name].items()
    ]
    # Said once above the table, not in every row of it.
    methods = {method_text(one.method) for of_model in result.estimates.values() for one in of_model.values()}
    corrected = sorted({method.partition(_CORRECTED)[2].rstrip(")") for method in methods if _CORRECTED in method})
    text = f"Intervals are corrected for {' and '.join(corrected)}." if corrected else ""
    ends = (f"{end} ({result.level:.0%})" for end in ("low", "high"))
    columns = ("model", "measure", "estimate", *ends, "method", "meaning")
    return Section(
        title="Every measure", anchor="measures", text=text, columns=columns, rows=rows, sortable=True, folded=True
    )


def _written(value: float, measure: str) -> float | str:
    # As estimates of the new data are written, beside which these figures stand in a report.
    return percent(value) if measure in IN_PERCENT else value


def _meaning(name: str) -> str:
    return MEASURES[name].description if name in MEASURES else "mean benefit per row, deciding by expected benefit"
