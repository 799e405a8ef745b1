"""The page of one batch: its audit without labels, what changed in words, and old against new for every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from shiftproof.core import listed
from shiftproof.monitoring import ColumnChange, Incident, MonitorReader, OldAndNew, Update, with_init_options
from shiftproof.plots import sparkline
from shiftproof.web._answer import PageAnswer
from shiftproof.web._site import Site
from shiftproof.web._words import interval_words

# Columns on the page; the CSV has all.
_SHOWN = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangeRow:
    """A column of a batch beside the reference."""

    change: ColumnChange
    blamed: str
    picture: Markup
    href: str


def batch_page(site: Site, reader: MonitorReader, update: Update) -> PageAnswer:
    """Return what a batch was like."""
    number = update.batch.number
    raised = tuple(one for one in reader.monitor.incidents if one.raised.number == number)
    frame = update.to_frame()
    before, after = reader.neighbours(number)
    return PageAnswer(
        template="batch.html.j2",
        title=str(update.batch.shown),
        values={
            "reader": reader,
            "update": update,
            "details": with_init_options(update.details),
            "raised": raised,
            "headline": headline(update, raised, reader.monitor.incidents),
            "tone": "bad" if any(one.level != "changed" for one in raised) else "care" if raised else "good",
            "rows": change_rows(site, reader, update, reader.old_and_new(number)),
            "before": before and site.monitor_url(reader, f"/batches/{before}"),
            "after": after and site.monitor_url(reader, f"/batches/{after}"),
            "interval_words": interval_words,
        },
        data=lambda: update.to_dict() | {"raised": [one.number for one in raised]},
        columns=tuple(frame.columns),
        rows=frame.itertuples(index=False),
        crumbs=[(site.url("/"), "Monitors"), (site.monitor_url(reader), reader.name)],
    )


def headline(update: Update, raised: tuple[Incident, ...], incidents: Sequence[Incident]) -> str:
    """Say whether this batch raised an alarm, or an incident began with it that was noticed later.

    Unlike `Update.headline`, whatever happened to incidents since.
    """
    if not update.columns:
        return "The figures of this batch were deleted."
    if raised:
        return f"This batch raised an alarm: {listed([str(one.where) for one in raised])}."
    began = [one for one in incidents if one.likeliest.number == update.batch.number]
    if began:
        names = " and ".join(f"incident {one.number} ({one.where})" for one in began)
        return f"This batch raised no alarm, but {names} most likely began here."
    return "This batch raised no alarm."


def change_rows(
    site: Site, reader: MonitorReader, update: Update, pictures: Mapping[str, OldAndNew]
) -> list[ChangeRow]:
    """Return the columns, those furthest from the reference first."""
    number = update.batch.number
    return [
        ChangeRow(
            change=change,
            blamed=", ".join(level for level, names in update.blamed.items() if change.column in names),
            picture=_picture(pictures.get(change.column)),
            href=site.monitor_url(reader, "/feature", {"feature": change.column, "batch": number}),
        )
        for change in update.ranking[:_SHOWN]
    ]


def _picture(pair: OldAndNew | None) -> Markup:
    """Draw old against new as small as a word; only of recent batches the counts are kept."""
    return Markup("") if pair is None else Markup(sparkline(pair.old[1:], pair.new[1:]))  # noqa: S704 - numbers alone
