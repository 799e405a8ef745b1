"""The page of a timeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Phrase, chance
from shiftproof.detection._page import TONES
from shiftproof.detection._words import detection_words
from shiftproof.reporting import Figure, Page, Section, Sections

if TYPE_CHECKING:
    from shiftproof.detection._timeline import Timeline

# The grid shows so many features, which fit a screen.
_MOST_FEATURES = 12
_HEADS = {
    "period": "period",
    "rows": "rows",
    "verdict": "verdict",
    "p_value": "p-value of the scores",
    "features_shifted": "features shifted",
    "worst_feature": "changed most",
    "worst_effect": "size",
    "failing_share": "share with p below 0.05",
    "hellinger_mean": "mean Hellinger",
    "hellinger_expected": "by chance",
    "shift_kind": "type of shift",
}
_OVER_TIME = (
    "How far each period is from the reference: the mean Hellinger distance over all features. Small periods are "
    "farther away by chance alone. The dashed line is the average by chance. About one in twenty unchanged periods "
    "lies above the shaded area."
)
_WHICH = (
    "How large each change is, in multiples of the size at which a change matters. Features that shifted in most "
    "periods "
    "come first. Grey: no significant change, or too few rows. Blank: no rows, or not compared."
)


@dataclass(frozen=True, kw_only=True)
class TimelineSections(Sections):
    """The parts of a timeline's page."""

    course: Section
    grid: Section
    latest: Section
    periods: Section


def timeline_sections(result: Timeline) -> TimelineSections:
    """Lay out the course, the features by periods, the latest period and the full table."""
    latest = result.latest
    assert latest.detection is not None  # noqa: S101 - it has rows
    return TimelineSections(
        course=_course(result),
        grid=_grid(result),
        latest=Section(
            title=Phrase("The latest period, ", result.name(latest)),
            anchor="latest",
            text=detection_words(latest.detection),
        ),
        periods=_table(result),
    )


def timeline_page(result: Timeline, title: str) -> Page:
    """Compose the page of a timeline."""
    return Page(
        title=title,
        verdict=result.headline,
        tone=TONES[result.verdict],
        summary=result.words(),
        sections=tuple(timeline_sections(result)),
        facts={
            "reference rows": f"{result.n_reference:,}",
            "current rows": f"{sum(period.n_rows for period in result.periods):,}",
            f"rows without {result.by}": f"{result.n_undated:,}",
            "false discovery rate in each period": result.alpha,
            "shiftproof": __version__,
        },
    )


def _course(result: Timeline) -> Section:
    size = plots.timeline_size(len(result.periods), scores=result.scored)
    figure = Figure(
        "Mean Hellinger distance of each period, compared with chance alone",
        partial(plots.drawn_svg, result.plot, size, "timeline"),
        partial(plots.drawn_svg, partial(result.plot, redact=True), size, "timeline"),
        over_time=True,
    )
    return Section(title="Over time", anchor="course", text=_OVER_TIME, figures=[figure])


def _grid(result: Timeline) -> Section:
    size = plots.grid_size(min(len(result.features), _MOST_FEATURES), len(result.periods))
    figure = Figure(
        "Sizes of the changes, features by periods",
        partial(plots.drawn_svg, partial(result.plot_features, most=_MOST_FEATURES), size, "grid"),
        partial(plots.drawn_svg, partial(result.plot_features, most=_MOST_FEATURES, redact=True), size, "grid"),
    )
    return Section(title="Which features, and when", anchor="grid", text=_WHICH, figures=[figure])


def _table(result: Timeline) -> Section:
    """Write the periods for people, without the columns that nothing was given for."""
    labelled = any(period.detection is not None and period.detection.kind is not None for period in result.periods)
    heads = {
        name: head
        for name, head in _HEADS.items()
        # Without scores or labels a whole column would be empty.
        if (name != "p_value" or result.scored) and (name != "shift_kind" or labelled)
    }
    rows = [period.row() | {"period": result.name(period)} for period in result.periods]
    cells = [tuple(_WRITTEN.get(name, _unbroken)(row[name]) for name in heads) for row in rows]
    return Section(title="Every period", anchor="periods", columns=tuple(heads.values()), rows=cells, folded=True)


def _unbroken(value: object) -> object:
    """Keep words of a narrow column on one line."""
    return value.replace(" ", "\N{NO-BREAK SPACE}") if isinstance(value, str) else value


_WRITTEN: dict[str, Callable[[Any], object]] = {"p_value": chance, "rows": "{:,}".format}
