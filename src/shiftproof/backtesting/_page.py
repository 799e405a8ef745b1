"""The page of a backtest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.backtesting._words import baseline_words, compared_words, loss_words, note_text, points
from shiftproof.core import Phrase, Text, counted, percent
from shiftproof.reporting import Detail, Figure, Page, Section, Sections
from shiftproof.selection import called, written

if TYPE_CHECKING:
    from shiftproof.backtesting._result import Backtest, PastEstimate

_COURSE = (
    "For each {noun}: the estimate without its labels, with its interval; the actual value; and the figure of "
    "{validated} on the earlier rows. Red: the interval does not contain the actual value."
)
_AGES = (
    "How much worse older models are than models that were just refitted, on the same rows, with {level:.0%} intervals "
    "over the {noun}s."
)


@dataclass(frozen=True, kw_only=True)
class BacktestSections(Sections):
    """The parts of a backtest's page."""

    course: Section
    models: Section
    ages: Section | None
    periods: Section


def backtest_sections(result: Backtest) -> BacktestSections:
    """Lay out the course over time, the models, their ages and every period."""
    return BacktestSections(
        course=_course(result),
        models=_models(result),
        ages=_ages(result) if result.ages else None,
        periods=_table(result),
    )


def backtest_page(result: Backtest, title: str, *, source: Text = "") -> Page:
    """Compose the page of a backtest."""
    window = "all earlier rows" if result.window == "expanding" else f"the last {result.window} {result.noun}s"
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=result.details,
        sections=tuple(backtest_sections(result)),
        head=_head(result, source),
        facts={
            "fitted on": window,
            "models fitted": f"{result.fits:,}",
            "positive class": result.positive,
            "level of the intervals": f"{result.level:.0%}",
            "rows without a time": f"{result.n_undated:,}",
            "shiftproof": __version__,
        },
    )


def _head(result: Backtest, source: Text) -> dict[str, object]:
    """Return what the page is about: the table, its periods, the models, and when the page was made."""
    replayed = result.replayed
    rows = f"{counted(sum(period.n_rows for period in replayed), 'row')} replayed"
    span = Phrase(result.name(replayed[0]), " to ", result.name(replayed[-1]))
    return {
        "Labelled data": Phrase.joined(", ", filter(None, (source, rows))),
        "Periods": Phrase(f"{counted(len(replayed), result.noun)} by {result.time}, ", span),
        "Models": f"{', '.join(result.names)}; judged by {called(result.measures[0])}",
        "Made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, shiftproof {__version__}",
    }


def _course(result: Backtest) -> Section:
    size = plots.past_size(len(result.periods))
    measure = called(result.measures[0])
    figure = Figure(
        f"Estimated and actual {measure} of {result.best} over time",
        partial(plots.drawn_svg, result.plot, size, "past"),
        partial(plots.drawn_svg, partial(result.plot, redact=True), size, "past"),
        over_time=True,
    )
    words = _COURSE.format(noun=result.noun, validated="cross-validation" if result.fits else "the model")
    return Section(title="Estimated and actual", anchor="course", text=words, figures=[figure])


def _models(result: Backtest) -> Section:
    """One line per model and measure."""
    rows = []
    for measure in result.measures:
        for model in result.names:
            covered, total = result.counts(model, measure)
            validated, estimated = result.errors(model, measure)
            width = result.width(model, measure)
            rows.append(
                (
                    model,
                    called(measure),
                    f"{covered} of {total}",
                    *("" if size != size else points(size, measure) for size in (width, validated, estimated)),
                )
            )
    heads = ("model", "measure", "covered", "mean width", "validated off by", "estimate off by")
    text = "How often the interval contained the actual value, and how far figures were off on average. "
    return Section(
        title="How far to trust the figures",
        anchor="models",
        text=text + baseline_words(result),
        columns=heads,
        rows=rows,
    )


def _ages(result: Backtest) -> Section:
    oldest = max(one.age for one in result.ages)
    figure = Figure(
        "What models lose as they get older",
        partial(plots.drawn_svg, result.plot_ages, plots.ages_size(len(result.names)), "ages"),
    )
    by_model = {(one.model, one.age): one for one in result.ages}
    rows = [
        (
            model,
            *(
                "" if (one := by_model.get((model, age))) is None else loss_words(one.loss, result.aged_by)
                for age in range(1, oldest + 1)
            ),
        )
        for model in result.names
    ]
    heads = [f"{age} {result.noun}{'s' * (age != 1)} old" for age in range(1, oldest + 1)]
    text = f"{_AGES.format(noun=result.noun, level=result.level)} {compared_words(result)}"
    return Section(
        title="When to refit", anchor="ages", text=text, figures=[figure], columns=("model", *heads), rows=rows
    )


def _table(result: Backtest) -> Section:
    """Every period of the best model by the first measure, and why some were not replayed."""
    measure, model = result.measures[0], result.best
    # It is an accuracy, which says nothing beside another measure.
    with_baseline = measure == "accuracy"
    rows = []
    for period in result.periods:
        one = period.of(model, measure)
        head = (result.name(period), f"{period.n_rows:,}", f"{period.n_before:,}")
        if one is None:
            reason = Phrase("not replayed: ", note_text(period.skipped)) if period.skipped else "not scored"
            rows.append((*head, *[""] * with_baseline, "", reason, "", ""))
        else:
            validated, actual = (written(value, measure) for value in (one.validated, one.actual))
            baseline = [percent(period.baseline)] * with_baseline
            rows.append((*head, *baseline, validated, _interval(one, measure), actual, _answer(one)))
    heads: tuple[str | Detail, ...] = (
        "period",
        "rows",
        Detail("earlier rows"),
        *["baseline"] * with_baseline,
        "validated",
        "estimate",
        "actual",
        "covered",
    )
    return Section(
        title=f"Every {result.noun}: {called(measure)} of {model}",
        anchor="periods",
        columns=heads,
        rows=rows,
        folded=True,
    )


def _interval(one: PastEstimate, measure: str) -> str:
    if one.refused:
        return "no estimate"
    interval = one.interval
    low, value, high = (written(x, measure) for x in (interval.low, interval.estimate, interval.high))
    return f"{value} [{low}, {high}]" if value else ""


def _answer(one: PastEstimate) -> str:
    return {True: "yes", False: "no", None: ""}[one.covered]
