"""The page of a rehearsal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Sensitive, percent
from shiftproof.monitoring._words import batches_text
from shiftproof.monitoring.rehearsal._words import advice_words, known_after
from shiftproof.reporting import Detail, Figure, Page, Section

if TYPE_CHECKING:
    from shiftproof.monitoring.rehearsal._result import Delay, MonitorRehearsal

_DROPS = (
    "Accuracy is normal at first, as in your past data, then falls below the floor. With labels, the scores do not "
    "show the drop; without labels, they show all of it. The table says after how many batches the alarm is raised: in "
    "half of the simulated runs (median), and in 90% of them."
)
_SHIFTS = "Each column in turn moves to a given distance from the baseline. The first changed batch is number 1."
_SIZES = (
    "The same shift with batches of other sizes, made from your past batches. To compare them, the last column counts "
    "in batches of the current size."
)
# After how many batches a change is detected, and in how many of the simulated runs it is detected at all.
_DELAYS = ("detected (median)", "in 90% of runs", Detail("runs that detect it"))


def rehearsal_page(rehearsal: MonitorRehearsal, title: str) -> Page:
    """Compose the page."""
    sections = [_drops(rehearsal)] if rehearsal.drops else []
    sections += [_shifts(rehearsal), _sizes(rehearsal)]
    if rehearsal.alarms:
        sections.append(_alarms(rehearsal))
    return Page(
        title=title,
        verdict=rehearsal.headline,
        tone=rehearsal.tone,
        summary=rehearsal.details,
        sections=sections,
        head={
            "monitor": rehearsal.terms.name,
            "batches": f"{len(rehearsal.batches):,}",
            "rows per batch": f"{rehearsal.rows:,}",
        },
        facts={"recommended": advice_words(rehearsal), "shiftproof": __version__},
    )


def _drops(rehearsal: MonitorRehearsal) -> Section:
    size = (7.0, 3.0)
    figure = Figure("Delay by the number of labels", partial(plots.drawn_svg, rehearsal.plot, size, "delays"))
    rows = [
        (f"{100 * one.size:g} points", one.labels or "none", known_after(one), _late(one), percent(one.found))
        for one in rehearsal.drops
    ]
    return Section(
        title="A drop in accuracy",
        anchor="drops",
        text=_DROPS,
        figures=[figure],
        columns=("below the floor", "labels per batch", *_DELAYS),
        rows=rows,
    )


def _shifts(rehearsal: MonitorRehearsal) -> Section:
    rows = [(f"{one.size:g}", one.level, known_after(one), _late(one), percent(one.found)) for one in rehearsal.shifts]
    heads = ("distance", "alarm", *_DELAYS)
    return Section(title="A shift in one column", anchor="shifts", text=_SHIFTS, columns=heads, rows=rows)


def _sizes(rehearsal: MonitorRehearsal) -> Section:
    rows = [
        (f"{one.rows:,}", known_after(one.delay), "–" if one.delay.batches is None else f"after {one.wait:g}")
        for one in rehearsal.sizes
    ]
    heads = ("rows per batch", "detected (median)", "in batches of the current size")
    return Section(title="Batches of other sizes", anchor="sizes", text=_SIZES, columns=heads, rows=rows, folded=True)


def _alarms(rehearsal: MonitorRehearsal) -> Section:
    rows = [(one.level, Sensitive(repr(one.batch), "a batch"), ", ".join(one.columns[:5])) for one in rehearsal.alarms]
    heads = ("alarm", "raised by", "columns")
    return Section(title="Alarms in the past", anchor="alarms", columns=heads, rows=rows, folded=True)


def _late(delay: Delay) -> str:
    return "–" if delay.late is None else f"after {batches_text(round(delay.late))}"
