"""Charts as SVG: they fill the width that there is without a script, and their words stay as large as they are.

A chart has two pictures. The left one holds the labels of the values. In the right one, places across are percentages,
and lines lie in a picture within it that is stretched; its strokes are not. Colours are classes of the style sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup

from shiftproof.web._scale import Tick, TimeScale, ValueScale

# Below the values: the labels of the times.
_FOOT = 22
_WIDE = 1000
_SVG = Markup


# A tuple: a page has thousands, and a dataclass takes four times as long to make.
class LinePoint(NamedTuple):
    """One value of a line, with its interval where it has one; x is a part of the width."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChartLine:
    """A line of a chart.

    Parameters
    ----------
    name : str
        What the legend calls it.
    kind : str
        The class of the style sheet, which sets its colour and its dashes.
    points : sequence of LinePoint
        From left to right; a point without a value is a gap.
    marks : bool
        Whether its points are drawn, too.
    """

    name: str
    kind: str
    points: Sequence[LinePoint]
    marks: bool = False


@dataclass(frozen=True, kw_only=True)
class ChartLevel:
    """A value that lines are compared with, such as the floor."""

    name: str
    kind: str
    value: float


@dataclass(frozen=True, kw_only=True)
class ChartHit:
    """A part of the width that leads to a page and says what is there."""

    start: float
    end: float
    href: str
    words: str


@dataclass(frozen=True, kw_only=True)
class ChartBar:
    """An incident: from where to where, in which row, and where the change probably began."""

    start: float
    end: float
    row: int
    kind: str
    href: str
    label: str
    words: str
    doubt: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Everything that is drawn over one axis of time.

    Parameters
    ----------
    title, words : str
        What it shows, and the same for those who cannot see it, with figures.
    help_text : str
        One sentence that explains it.
    times : TimeScale
        The axis.
    values : ValueScale
        The other one.
    label : callable
        Writes a value.
    """

    title: str
    words: str
    help_text: str
    times: TimeScale
    values: ValueScale
    label: Callable[[float], str]
    lines: Sequence[ChartLine] = ()
    points: Sequence[ChartLine] = ()
    levels: Sequence[ChartLevel] = ()
    hits: Sequence[ChartHit] = ()
    moments: Sequence[tuple[float, str]] = field(default=())

    @property
    def key(self) -> list[tuple[str, str, str]]:
        """The names of lines, points and levels, with their classes and what they look like."""
        named = [(line.kind, line.name, "line") for line in self.lines]
        named += [(line.kind, line.name, "dot") for line in self.points]
        return named + [(level.kind, level.name, "level") for level in self.levels]

    @property
    def axis(self) -> Markup:
        """The labels of the values."""
        height = self.values.height
        return _SVG('<svg class="axis" width="52" height="{}" aria-hidden="true">{}</svg>').format(
            height + _FOOT,
            _joined(
                _SVG('<text x="46" y="{}" text-anchor="end">{}</text>').format(min(tick.place + 4, height), tick.label)
                for tick in self.values.ticks(self.label)
            ),
        )

    @property
    def plot(self) -> Markup:
        """The chart itself."""
        # Painted in this order: what can be pointed at must lie on top.
        height = self.values.height
        inner = _SVG(
            '<svg width="100%" height="{0}" viewBox="0 0 {1} {0}" preserveAspectRatio="none">{2}</svg>'
        ).format(height, _WIDE, _joined(self._drawn(line) for line in self.lines))
        parts = [
            *(_grid(tick.place) for tick in self.values.ticks(self.label)),
            *(_time(tick, height) for tick in self.times.ticks()),
            *(_moment(place, kind, height) for place, kind in self.moments),
            *(self._level(level) for level in self.levels),
            inner,
            *(self._marked(line) for line in self.lines if line.marks),
            *(self._marked(line) for line in self.points),
            *(_hit(hit, height) for hit in self.hits),
        ]
        return _SVG('<svg class="plot" width="100%" height="{}" role="{}" aria-label="{}">{}</svg>').format(
            height + _FOOT, "group" if self.hits else "img", self.words, _joined(parts)
        )

    def _drawn(self, line: ChartLine) -> Markup:
        """Draw the interval of a line as an area, and the line."""
        # A line over a gap would show values that nobody measured.
        runs = _runs(line.points)
        areas = [self._area(run) for run in runs if all(point.low is not None for point in run)]
        area = _SVG('<path class="area {}" d="{}"/>').format(line.kind, "".join(areas)) if any(areas) else _SVG("")
        path = "".join("M" + _path(((point.x, point.y) for point in run), _WIDE, self.values) for run in runs)
        return area + _SVG('<path class="line {}" d="{}"/>').format(line.kind, path)

    def _area(self, run: Sequence[LinePoint]) -> str:
        # All points of a span have one interval: its corners draw the same area with half as many numbers.
        ends = [point[2:] for point in run]
        kept = [
            point
            for place, point in enumerate(run)
            if not 0 < place < len(run) - 1 or not ends[place - 1] == ends[place] == ends[place + 1]
        ]
        upper = _path(((point.x, point.high) for point in kept), _WIDE, self.values)
        lower = _path(((point.x, point.low) for point in reversed(kept)), _WIDE, self.values)
        return f"M{upper}L{lower}z"

    def _marked(self, line: ChartLine) -> Markup:
        """Draw the points of a line, with their intervals unless an area shows them."""
        parts = []
        for point in line.points:
            if point.y is None:
                continue
            x, y = f"{100 * point.x:.2f}%", self.values.place(point.y)
            if not line.marks and point.low is not None and point.high is not None:
                ends = self.values.place(point.low), self.values.place(point.high)
                parts.append(
                    _SVG('<line class="whisker {}" x1="{}" x2="{}" y1="{:g}" y2="{:g}"/>').format(
                        line.kind, x, x, *ends
                    )
                )
            parts.append(
                _SVG('<circle class="mark {}" cx="{}" cy="{:g}" r="{}"/>').format(
                    line.kind, x, y, 2.5 if line.marks else 4
                )
            )
        return _joined(parts)

    def _level(self, level: ChartLevel) -> Markup:
        y = self.values.place(level.value)
        return _SVG('<line class="level {0}" x1="0" x2="100%" y1="{1:g}" y2="{1:g}"/>').format(level.kind, y)


def incident_lanes(
    title: str, rows: Sequence[str], bars: Sequence[ChartBar], times: TimeScale
) -> tuple[Markup, Markup]:
    """Draw incidents as bars in a row for each level; return the labels of the rows, and the rows."""
    height = 26 * len(rows)
    names = _joined(
        _SVG('<text x="46" y="{}" text-anchor="end">{}</text>').format(26 * place + 17, name)
        for place, name in enumerate(rows)
    )
    # Levels are rows with names, so that colour is not the only mark.
    axis = _SVG('<svg class="axis" width="52" height="{}" aria-hidden="true">{}</svg>').format(height + _FOOT, names)
    parts = [
        *(_grid(26 * place + 13) for place in range(len(rows))),
        *(_time(tick, height) for tick in times.ticks()),
        *map(_bar, bars),
    ]
    plot = _SVG('<svg class="plot" width="100%" height="{}" role="group" aria-label="{}">{}</svg>').format(
        height + _FOOT, title, _joined(parts)
    )
    return axis, plot


def trend(
    values: Sequence[float | None], *, level: float | None = None, kinds: tuple[str, str] = ("estimate", "floor")
) -> Markup:
    """Draw a line as small as a word, with a level that it is compared with; nothing without two values.

    Parameters
    ----------
    values : sequence of float or None
        In the order of time; None is a gap.
    level : float, optional
        What they are compared with.
    kinds : pair of str
        The classes of the line and of the level in the style sheet.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return _SVG("")
    scale = ValueScale.around([*known, level], 28)
    step = 115.2 / (len(values) - 1)
    points = [LinePoint(2.4 + step * place, value) for place, value in enumerate(values)]
    path = "".join("M" + _path(((point.x, point.y) for point in run), 1, scale) for run in _runs(points))
    compared = _SVG("")
    if level is not None:
        y = scale.place(level)
        compared = _SVG('<path class="level {}" d="M0 {:g}H120"/>').format(kinds[1], y)
    return _SVG(
        '<svg class="trend" width="120" height="28" viewBox="0 0 120 28" aria-hidden="true">{}'
        '<path class="line {}" d="{}"/></svg>'
    ).format(compared, kinds[0], path)


def pair_of_bars(old: float, new: float, most: float) -> Markup:
    """Draw two shares as bars, the old one above the new one."""
    widths = [f"{100 * share / (most or 1.0):.1f}%" for share in (old, new)]
    return _SVG(
        '<svg class="pair" width="100%" height="18" aria-hidden="true"><rect class="old" x="0" y="1" width="{}" '
        'height="7"/><rect class="new" x="0" y="10" width="{}" height="7"/></svg>'
    ).format(*widths)


def _runs(points: Sequence[LinePoint]) -> list[list[LinePoint]]:
    """Return the points between gaps."""
    runs: list[list[LinePoint]] = [[]]
    for point in points:
        if point.y is None:
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if run]


def _path(points: Iterable[tuple[float, float | None]], width: int, values: ValueScale) -> str:
    """Write points as those of a path, but for the letter that begins it."""
    place = values.place
    return "L".join([f"{width * x:.1f} {place(0.0 if y is None else y):g}" for x, y in points])


def _grid(y: float) -> Markup:
    return _SVG('<line class="grid" x1="0" x2="100%" y1="{0:g}" y2="{0:g}"/>').format(y)


def _time(tick: Tick, height: int) -> Markup:
    """Draw the mark of a time; its label begins at the mark, so that the last one must not be near the end."""
    x = f"{100 * tick.place:.2f}%"
    mark = _SVG('<line class="grid" x1="{0}" x2="{0}" y1="0" y2="{1}"/>').format(x, height + 4)
    anchor = "start" if tick.place < 0.06 else "end" if tick.place > 0.94 else "middle"
    label = _SVG('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, height + 17, anchor, tick.label)
    return mark + label


def _moment(place: float, kind: str, height: int) -> Markup:
    x = f"{100 * place:.2f}%"
    return _SVG('<line class="moment {0}" x1="{1}" x2="{1}" y1="0" y2="{2}"/>').format(kind, x, height)


def _hit(hit: ChartHit, height: int) -> Markup:
    # The percent sign escapes as `format` does, in a third of the time; this is the part that a chart has most of.
    return _SVG('<a href="%s"><title>%s</title><rect class="hit" x="%.2f%%" width="%.2f%%" y="0" height="%d"/></a>') % (
        hit.href,
        hit.words,
        100 * hit.start,
        100 * max(hit.end - hit.start, 0.001),
        height,
    )


def _bar(bar: ChartBar) -> Markup:
    # An incident of one batch has no length, and must be seen all the same.
    y, width = 26 * bar.row + 5, max(bar.end - bar.start, 0.012)
    doubt = _SVG("")
    if bar.doubt is not None:
        first, last = bar.doubt
        doubt = _SVG('<rect class="doubt" x="{:.2f}%" width="{:.2f}%" y="{}" height="3"/>').format(
            100 * first, 100 * max(last - first, 0.004), y + 17
        )
    # A label that would not fit into its bar stands before it.
    inside = width > 0.12 or bar.start < 0.1
    label = _SVG('<text aria-hidden="true" class="{}" x="{:.2f}%" dx="{}" y="{}" text-anchor="{}">{}</text>').format(
        "inside" if width > 0.12 else "",
        100 * bar.start,
        5 if inside else -4,
        y + 12,
        "start" if inside else "end",
        bar.label,
    )
    return _SVG(
        '<a href="{}"><title>{}</title><rect class="bar {}" x="{:.2f}%" width="{:.2f}%" y="{}" height="16" rx="3"/>'
        "{}{}</a>"
    ).format(bar.href, bar.words, bar.kind, 100 * bar.start, 100 * width, y, label, doubt)


def _joined(parts: object) -> Markup:
    return Markup("").join(parts)  # type: ignore[arg-type]
