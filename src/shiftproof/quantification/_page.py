"""The page of a quantification."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Phrase, Text, percent
from shiftproof.quantification import _words
from shiftproof.reporting import Bar, Figure, Page, Section, Sections, Tone

if TYPE_CHECKING:
    from shiftproof.quantification._result import PeriodShares, Quantification


@dataclass(frozen=True, kw_only=True)
class QuantificationSections(Sections):
    """The parts of the page of class proportions."""

    shares: Section
    course: Section | None
    belief: Section
    methods: Section | None


def quantification_sections(result: Quantification) -> QuantificationSections:
    """Lay out the shares, their course, the other methods and why to believe them or not."""
    return QuantificationSections(
        shares=_shares(result),
        course=_course(result) if result.periods else None,
        belief=_belief(result),
        methods=None if result.refused or result.n_labels else _methods(result),
    )


def quantification_page(result: Quantification, title: str) -> Page:
    """Compose the page of class proportions."""
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=result.words(),
        sections=tuple(quantification_sections(result)),
        facts={
            "labelled rows": f"{result.n_labelled:,}",
            "new rows": f"{result.n_new:,}",
            "method": _words.method_called(result.method),
            _words.model_fact(result): result.model,
            **{f"Brier score of {name}": round(value, 4) for name, value in result.briers.items()},
            "level of the intervals": result.level,
            "assume": result.assume,
            "shiftproof": __version__,
        },
    )


def _shares(result: Quantification) -> Section:
    # Figures are drawn when the page is written, so that nothing imports matplotlib before.
    # As wide as a phone can show without scrolling.
    size = 5.2, plots.prevalence_size(len(result.classes), others=True)[1]
    before = [(str(label), percent(result.training[label])) for label in result.classes]
    if result.refused:
        columns = "class", "labelled data", "new data"
        rows = [(*cells, "refused") for cells in before]
        return Section(title="Class proportions", anchor="shares", columns=columns, rows=rows)
    return Section(
        title="Class proportions",
        anchor="shares",
        text=_words.how_estimated(result),
        figures=[Figure("Share of each class", partial(plots.drawn_svg, result.plot, size, "shares"))],
        beside=True,
        columns=("class", "labelled data", "new data", *_span_columns(result)),
        rows=[
            (*cells, *_share_cells(result, label, tone="good"))
            for cells, label in zip(before, result.classes, strict=True)
        ],
    )


def _course(result: Quantification) -> Section:
    size = plots.timeline_size(len(result.periods), scores=True)
    label, spans = result.positive, _span_columns(result)
    rows = [
        (result.period_name(period), f"{period.n_rows:,}", *_period_cells(result, period)) for period in result.periods
    ]
    every, noun = ("", "group") if result.every is None else (f", {result.every} by {result.every}", "period")
    return Section(
        title=f"The share of {label} " + ("over time" if result.every else f"by {result.by}"),
        anchor="course",
        text=f"New rows are split by {result.by}{every}; each {noun} has an estimate of its own.",
        figures=[]
        if result.refused
        else [
            Figure(
                "Share over time",
                partial(plots.drawn_svg, result.plot_over_time, size, "course"),
                partial(plots.drawn_svg, partial(result.plot_over_time, redact=True), size, "course"),
            )
        ],
        columns=(result.every or str(result.by), "rows", f"share of {label}", *spans),
        rows=rows,
    )


def _period_cells(result: Quantification, period: PeriodShares) -> tuple[object, ...]:
    """Write the share of a period; nothing for one without rows, and no figure where it is refused."""
    blank = ("",) * len(_span_columns(result))
    if not period.prevalence:
        return "", *blank
    refused = math.isnan(period.prevalence[result.positive].estimate)
    return ("refused", *blank) if refused else _share_cells(result, result.positive, period=period)


def _span_columns(result: Quantification) -> tuple[str, ...]:
    """Name the columns of intervals, and of what to compare them with; nothing compares with labels of new rows."""
    interval = f"{result.level:.0%} interval"
    if result.n_labels:
        return (interval,)
    # All three side by side would be too wide for a terminal; other methods have a section of their own.
    return interval, "sampling alone" if result.assume == "natural" else "other methods"


def _share_cells(
    result: Quantification, label: object, *, period: PeriodShares | None = None, tone: Tone = "unknown"
) -> tuple[object, ...]:
    """Write a share of all rows or of a period, its interval, and what to compare it with."""
    shares, ranges = (result, result.range) if period is None else (period, period.others)
    share = shares.prevalence[label]
    spans = [(share.low, share.high)]
    if not result.n_labels:
        spans.append(shares.errors[label].ends_by_sampling(share) if result.assume == "natural" else ranges[label])
    words = (f"{percent(low)} to {percent(high)}" for low, high in spans)
    return Bar(share.estimate, percent(share.estimate), tone), *words


def _belief(result: Quantification) -> Section:
    shift, positive = result.shift, result.classes.index(result.positive)
    kind = Phrase("not checked: ", result.unchecked) if shift is None else shift.kind
    rows: list[tuple[str, Text]] = [
        ("type of shift, judged by the features", kind),
        ("distance between the scores and the best mix of the classes", f"{result.fit.distance:.3f}"),
        ("probability of such a distance by chance alone", _words.mixture_p(result)),
    ]
    rows += [
        (
            f"share of class {result.classes[count.code]} by {count.method}, from the scores that are checked here",
            _words.impossible_share(count.value) if count.value < 0 or count.value > 1 else percent(count.value),
        )
        for count in result.unclipped
        # Of two classes one says it all; of more only the impossible ones are worth a line.
        if (count.value < 0 or count.value > 1 if len(result.classes) > 2 else count.code == positive)
    ]
    return Section(
        title="Checks without labels",
        anchor="belief",
        text=_words.what_is_assumed(result),
        columns=("check", "result"),
        rows=rows,
    )


def _methods(result: Quantification) -> Section:
    assumption = ""
    if result.shift is not None and result.shift.kind in ("covariate", "too different"):
        assumption = " The other methods assume that only the class proportions changed, which is not the case here."
    methods = {_words.method_called(result.method): result.estimate, **result.others}
    return Section(
        title="What other methods say",
        anchor="methods",
        text="'training prevalence', 'classify and count' and 'probability average' do not correct for changed class "
        f"proportions; they are shown for comparison.{assumption}",
        columns=("method", *map(str, result.classes)),
        rows=[(name, *(percent(shares[label]) for label in result.classes)) for name, shares in methods.items()],
        folded=True,
    )
