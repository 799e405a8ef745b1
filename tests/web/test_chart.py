from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest

from shiftproof.web._chart import (
    Chart,
    ChartBar,
    ChartHit,
    ChartLevel,
    ChartLine,
    LinePoint,
    incident_lanes,
    pair_of_bars,
    trend,
)
from shiftproof.web._scale import TimeScale, ValueScale

TIMES = TimeScale(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 12, 31, tzinfo=UTC))
EVIL = "</svg><script>alert(1)</script>"


def chart(**fields: object) -> Chart:
    points = [LinePoint(x=0.1, y=0.5, low=0.4, high=0.6), LinePoint(x=0.5, y=None), LinePoint(x=0.9, y=0.7)]
    known = {
        "title": "Accuracy", "words": "What it shows", "help_text": "", "times": TIMES,
        "values": ValueScale(0.0, 1.0, 100), "label": "{:.0%}".format,
        "lines": [ChartLine(name="estimated", kind="estimate", points=points, marks=True)],
    }  # fmt: skip
    return Chart(**(known | fields))  # type: ignore[arg-type]


def test_a_line_has_gaps_and_its_interval_is_an_area() -> None:
    drawn = str(chart().plot)
    line = re.search(r'class="line estimate" d="([^"]*)"', drawn)
    area = re.search(r'class="area estimate" d="([^"]*)"', drawn)
    assert line is not None
    assert area is not None
    assert line[1] == "M100.0 50M900.0 30"
    assert area[1] == "M100.0 40L100.0 60z"
    assert drawn.count("<circle") == 2


def test_the_area_of_a_span_has_four_corners() -> None:
    span = [LinePoint(x, y, 0.4, 0.8) for x, y in [(0.1, 0.5), (0.2, 0.4), (0.2, 0.8), (0.3, 0.6)]]
    after = [LinePoint(0.5, 0.6, 0.5, 0.7)]
    drawn = str(chart(lines=[ChartLine(name="estimated", kind="estimate", points=[*span, *after])]).plot)
    area = re.search(r'class="area estimate" d="([^"]*)"', drawn)
    assert area is not None
    assert area[1] == "M100.0 20L300.0 20L500.0 30L500.0 50L300.0 60L100.0 60z"


def test_points_have_whiskers_and_levels_a_line() -> None:
    dots = [LinePoint(x=0.25, y=0.5, low=0.25, high=0.75), LinePoint(x=0.5, y=None)]
    drawn = chart(
        points=[ChartLine(name="actual", kind="actual", points=dots)],
        levels=[ChartLevel(name="floor 90%", kind="floor", value=0.9)],
    )
    assert '<line class="whisker actual" x1="25.00%" x2="25.00%" y1="75" y2="25"/>' in drawn.plot
    assert '<line class="level floor" x1="0" x2="100%" y1="10" y2="10"/>' in drawn.plot
    assert drawn.key == [
        ("estimate", "estimated", "line"), ("actual", "actual", "dot"), ("floor", "floor 90%", "level"),
    ]  # fmt: skip


def test_hits_lead_to_pages_and_say_what_is_there() -> None:
    hit = ChartHit(start=0.0, end=0.5, href="/monitors/1", words=EVIL)
    drawn = str(chart(hits=[hit]).plot)
    assert 'role="group"' in drawn
    assert 'href="/monitors/1"' in drawn
    assert "<script" not in drawn


@pytest.mark.parametrize("name", [EVIL, '" onload="alert(1)', "a & b"])
def test_pictures_are_well_formed_whatever_names_there_are(name: str) -> None:
    bar = ChartBar(start=0.1, end=0.2, row=0, kind="harm open", href=f"/{name}", label=name, words=name, doubt=(0, 0.1))
    pictures = [
        *incident_lanes(name, [name], [bar], TIMES), chart(words=name).plot, chart(label=lambda _: name).axis,
    ]  # fmt: skip
    for picture in pictures:
        root = ET.fromstring(str(picture))  # noqa: S314 - our own
        assert not any(node.tag.endswith("script") or "onload" in node.attrib for node in root.iter())


def test_no_picture_has_a_style_of_its_own() -> None:
    pictures = [chart().plot, chart().axis, trend([0.1, 0.2], level=0.1), pair_of_bars(0.2, 0.4, 0.4)]
    assert not any("style=" in picture for picture in pictures)


def test_a_trend_needs_two_values() -> None:
    assert trend([None, 0.5]) == ""
    assert str(trend([0.1, None, 0.5, 0.6], level=0.3)).count("M") == 3


def test_bars_are_shares_of_the_largest() -> None:
    assert re.findall(r'width="([\d.]+%)"', str(pair_of_bars(0.1, 0.4, 0.4)))[1:] == ["25.0%", "100.0%"]
