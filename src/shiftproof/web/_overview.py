"""The first page: all monitors of a store, those that need somebody first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from shiftproof.core import percent, plain
from shiftproof.monitoring import MonitorReader, MonitorStatus, batches_text
from shiftproof.reporting import Tone
from shiftproof.web._answer import PageAnswer
from shiftproof.web._chart import trend
from shiftproof.web._courses import LEVELS
from shiftproof.web._site import Site
from shiftproof.web._words import track_words

_ORDER: dict[Tone, int] = {"bad": 0, "care": 1, "unknown": 2, "good": 3}
# How many batches the small line of a monitor shows.
_TREND = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class MonitorCard:
    """A monitor in the list."""

    reader: MonitorReader
    status: MonitorStatus
    trend: Markup

    @property
    def urgency(self) -> tuple[int, int, str]:
        """What the list is sorted by: how it stands, then how many incidents are open, then its name."""
        return _ORDER[self.status.tone], -len(self.status.open_incidents), self.reader.name

    @property
    def levels(self) -> str:
        """The levels of open incidents in words, the most urgent first."""
        ordered = sorted(self.status.open_incidents, key=lambda one: LEVELS.index(one.level))
        return ", ".join(dict.fromkeys(str(one.where) for one in ordered))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        status = self.status
        last = status.last
        return {
            "monitor": self.reader.key,
            "name": self.reader.name,
            "state": status.tone,
            "headline": status.headline,
            "n_batches": status.n_batches,
            "n_rows": status.n_rows,
            "last_batch": None if last is None else last.id,
            "at": None if last is None else plain(last.at),
            "accuracy": None if last is None or last.accuracy is None else last.accuracy.estimate,
            "low": None if last is None or last.accuracy is None else last.accuracy.low,
            "high": None if last is None or last.accuracy is None else last.accuracy.high,
            "floor": status.terms.floor,
            "open_incidents": len(status.open_incidents),
            "open_levels": self.levels,
            "intervals_compared": status.track_record.n_batches,
            "intervals_contained": status.track_record.n_contained,
        }


def overview(site: Site) -> PageAnswer:
    """Return all monitors, the worst first."""
    cards = sorted((_card(reader) for reader in site.source.monitors()), key=lambda card: card.urgency)
    data = [card.to_dict() for card in cards]
    columns = tuple(data[0]) if data else ("monitor", "name", "state")
    return PageAnswer(
        template="overview.html.j2",
        title="Monitors",
        values={"cards": cards, "summary": summary(cards), "percent": percent, "track_words": track_words},
        data=lambda: {"store": site.store_name, "monitors": data},
        columns=columns,
        rows=[tuple(one.values()) for one in data],
    )


def summary(cards: list[MonitorCard]) -> str:
    """Say how many monitors need somebody.

    Examples
    --------
    >>> summary([])
    'The store has no monitor yet.'
    """
    if not cards:
        return "The store has no monitor yet."
    urgent = sum(card.status.tone == "bad" for card in cards)
    n_batches = sum(card.status.n_batches for card in cards)
    noun = "1 monitor" if len(cards) == 1 else f"{len(cards):,} monitors"
    verb = "needs" if urgent == 1 else "need"
    return f"{noun}, {batches_text(n_batches)}. {f'{urgent:,} {verb} attention now.' if urgent else 'None needs attention now.'}"  # noqa: E501


def _card(reader: MonitorReader) -> MonitorCard:
    # Recent batches are in the order of their times, which is that of a chart.
    status = reader.status()
    estimates = [
        None if line.shown_accuracy is None else line.shown_accuracy.estimate for line in status.recent[-_TREND:]
    ]
    return MonitorCard(reader=reader, status=status, trend=trend(estimates, level=status.terms.floor))
