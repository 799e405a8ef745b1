"""Where values lie on the axes of a chart, and where its ticks are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# Room at both ends of the time axis, as a part of it, so that no mark is cut off.
_MARGIN = 0.015
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
# Axes end here: the calendar must have room for their margins.
_FIRST, _LAST = datetime(200, 1, 1, tzinfo=UTC), datetime(9800, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: its place and its label."""

    place: float
    label: str


@dataclass(frozen=True)
class TimeScale:
    """From times to places between 0 and 1.

    Parameters
    ----------
    first, last : datetime
        What the axis shows.

    Examples
    --------
    >>> scale = TimeScale(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 12, 31, tzinfo=UTC))
    >>> round(scale.place(datetime(2024, 7, 1, tzinfo=UTC)), 2), [tick.label for tick in scale.ticks()]
    (0.5, ['2024', 'Mar', 'May', 'Jul', 'Sep', 'Nov'])
    """

    first: datetime
    last: datetime

    @classmethod
    def around(cls, moments: Iterable[datetime]) -> TimeScale:
        """Return an axis on which all of these lie; a single one is in the middle of a day."""
        known = sorted(min(max(moment, _FIRST), _LAST) for moment in moments)
        first, last = known[0], known[-1]
        return cls(first - _DAY / 2, last + _DAY / 2) if first == last else cls(first, last)

    def place(self, moment: datetime) -> float:
        """Return where a time lies; times outside lie at the ends."""
        part = (moment - self.first) / max(self.last - self.first, _SECOND)
        return min(max(_MARGIN + (1 - 2 * _MARGIN) * part, 0.0), 1.0)

    def moment(self, place: float) -> datetime:
        """Return the time at a place."""
        return self.first + (self.last - self.first) * ((place - _MARGIN) / (1 - 2 * _MARGIN))

    def ticks(self, most: int = 6) -> list[Tick]:
        """Return at most so many round times with short labels."""
        length = self.last - self.first
        # The finest steps first: the first that give few enough ticks are the best.
        for step, label in _STEPS:
            moments = [*self._round(step, most)]
            if moments and len(moments) <= most and step * (most + 1) >= length:
                return [Tick(self.place(one), label(one)) for one in moments]
        return self._years(most)

    def _round(self, step: timedelta, most: int) -> Iterable[datetime]:
        """Yield the multiples of a step, months by the calendar; no more than one too many."""
        if step >= 28 * _DAY:
            yield from self._months(round(step / (30 * _DAY)), most)
            return
        midnight = self.first.replace(hour=0, minute=0, second=0, microsecond=0)
        place = math.ceil((self.first - midnight) / step)
        for number in range(place, place + most + 1):
            moment = midnight + number * step
            if moment > self.last:
                return
            yield moment

    def _months(self, step: int, most: int) -> Iterable[datetime]:
        number = self.first.year * 12 + self.first.month - 1
        number += -number % step
        for place in range(most + 2):
            # By the calendar, because months have no fixed length.
            year, month = divmod(number + place * step, 12)
            if year > 9999:
                return
            moment = datetime(year, month + 1, 1, tzinfo=UTC)
            if moment > self.last:
                return
            if moment >= self.first:
                yield moment

    def _years(self, most: int) -> list[Tick]:
        step = max(1, math.ceil((self.last.year - self.first.year + 1) / most))
        years = range(self.first.year + -self.first.year % step, self.last.year + 1, step)
        moments = (datetime(year, 1, 1, tzinfo=UTC) for year in years)
        return [Tick(self.place(one), str(one.year)) for one in moments if self.first <= one <= self.last][:most]


def _hour(moment: datetime) -> str:
    return f"{moment:%H:%M}" if moment.hour or moment.minute else _day(moment)


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b}"


def _month(moment: datetime) -> str:
    return f"{moment:%b}" if moment.month > 1 else f"{moment:%Y}"


_Label = Callable[[datetime], str]
_STEPS: list[tuple[timedelta, _Label]] = [
    *((timedelta(minutes=step), _hour) for step in (1, 5, 15, 30)),
    *((timedelta(hours=step), _hour) for step in (1, 3, 6, 12)),
    *((timedelta(days=step), _day) for step in (1, 2, 7, 14)),
    *((timedelta(days=30 * step), _month) for step in (1, 2, 3, 6)),
]


@dataclass(frozen=True)
class ValueScale:
    """From values to heights in pixels from the top.

    Parameters
    ----------
    low, high : float
        What the axis shows.
    height : int
        Of the chart.

    Examples
    --------
    >>> scale = ValueScale.around([0.71, 0.93], 100)
    >>> [tick.label for tick in scale.ticks(lambda value: f"{value:.0%}")]
    ['70%', '80%', '90%']
    """

    low: float
    high: float
    height: int

    @classmethod
    def around(
        cls, values: Iterable[float | None], height: int, *, least: float | None = None, most: float | None = None
    ) -> ValueScale:
        """Return an axis on which all values lie, with some room; never beyond what values can be."""
        known = [value for value in values if value is not None and math.isfinite(value)] or [0.0, 1.0]
        room = max(0.06 * (max(known) - min(known)), 0.01)
        low, high = min(known) - room, max(known) + room
        return cls(low if least is None else max(low, least), high if most is None else min(high, most), height)

    def place(self, value: float) -> float:
        """Return how far from the top a value lies; values outside lie at the border."""
        part = (self.high - value) / ((self.high - self.low) or 1.0)
        # Comparisons and not min and max, which take longer than all the rest; a page has thousands of places.
        return round(self.height * (0.0 if part < 0.0 else 1.0 if part > 1.0 else part), 1)

    def ticks(self, label: Callable[[float], str], most: int = 4) -> list[Tick]:
        """Return at most so many round values."""
        # Steps that people count in: 1, 2, 2.5 and 5 times a power of ten.
        raw = ((self.high - self.low) or 1.0) / most
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        values = [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]
        return [Tick(self.place(value), label(value)) for value in values]
