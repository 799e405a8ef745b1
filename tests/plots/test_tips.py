from __future__ import annotations

import math
import pickle
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.axes import Axes

from shiftproof import plots
from shiftproof.plots import own_figure, svg, tip
from shiftproof.plots._tips import named_values

_SVG = "{http://www.w3.org/2000/svg}"


def places(ax: Axes) -> list[tuple[str, list[float]]]:
    """Return the words of a chart with their places: x, y, width and height in points."""
    root = ElementTree.fromstring(svg(ax, name="a"))  # noqa: S314 - our own SVG
    return [
        (title.text or "", [float(rect.attrib[key]) for key in ("x", "y", "width", "height")])
        for rect in root.iter(f"{_SVG}rect")
        for title in rect.iter(f"{_SVG}title")
    ]


def words(ax: Axes) -> list[str]:
    return [said for said, _ in places(ax)]


def empty() -> Axes:
    """Return axes over the whole of a figure of 200 by 100 points, from 0 to 10."""
    figure = own_figure(size=(200 / 72, 100 / 72))
    figure.set_layout_engine("none")
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0, 10), ylim=(0, 10))
    return ax


def test_the_place_is_where_the_data_are() -> None:
    ax = empty()
    tip(ax, "a corner", x=(0, 1), y=(9, 10))
    tip(ax, "a row", y=(0, 5))
    tip(ax, "a column", x=(5, 10))
    tip(ax, "all")
    assert places(ax) == [
        ("a corner", [0, 0, 20, 10]),
        ("a row", [0, 50, 200, 50]),
        ("a column", [100, 0, 100, 100]),
        ("all", [0, 0, 200, 100]),
    ]


def test_axes_that_run_the_other_way() -> None:
    ax = empty()
    ax.invert_yaxis()
    tip(ax, "the first row", y=(0, 1))
    assert places(ax) == [("the first row", [0, 0, 200, 10])]


def test_places_end_where_the_axes_do() -> None:
    ax = empty()
    tip(ax, "half outside", x=(-5, 5))
    tip(ax, "outside", x=(11, 12))
    tip(ax, "nowhere", x=(3, 3))
    tip(ax, "no number", x=(math.nan, 3))
    assert places(ax) == [("half outside", [0, 0, 100, 100])]


def test_any_words_are_text(hostile: str) -> None:
    ax = empty()
    tip(ax, hostile)
    (said,) = words(ax)
    assert "<script" not in svg(ax, name="a")
    assert said == " ".join(hostile.split()) or "\N{REPLACEMENT CHARACTER}" in said


def test_long_words_lose_their_middle() -> None:
    ax = empty()
    tip(ax, f"{'x' * 100_000}: 3 of 4")
    (text,) = words(ax)
    assert (len(text), text[-9:]) == (500, "x: 3 of 4")


def test_tip_changes_nothing_but_the_svg() -> None:
    ax, other = empty(), empty()
    tip(ax, "words")
    assert len(ax.get_children()) == len(other.get_children())
    assert svg(ax, name="a") == svg(ax, name="a")
    start = svg(other, name="a").removesuffix("</svg>\n")
    assert svg(ax, name="a").startswith(start)
    copy = pickle.loads(pickle.dumps(ax))  # noqa: S301 - just made
    assert words(copy) == ["words"]


def test_hidden_axes_say_nothing() -> None:
    ax = empty()
    tip(ax, "words")
    ax.set_visible(False)
    assert words(ax) == []


def test_named_values_leaves_nan_out() -> None:
    assert named_values("lr", {"a": 0.12345, "b": math.nan, "c": 12345.6}) == "lr: a 0.123, c 12,346"
    assert named_values("lr", {"a": math.nan}) == "lr"


MODELS = ["lr", "<b>"]
BEATS = np.array([[0.5, 0.8], [0.2, 0.5]])


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (
            lambda ax: plots.interval_rows(MODELS, [0.8, 0.7], [0.7, 0.6], [0.9, 0.8], truths=[0.75, math.nan], ax=ax),
            ["lr: estimate 0.8, from 0.7, to 0.9, actual 0.75", "<b>: estimate 0.7, from 0.6, to 0.8"],
        ),
        (
            lambda ax: plots.expected_intervals(
                MODELS, [0.8, math.nan], [0.7, math.nan], [0.9, math.nan], [0.85, 0.8], ax=ax
            ),
            ["lr: estimate 0.8, from 0.7, to 0.9, validated 0.85", "<b>: validated 0.8; no estimate"],
        ),
        (
            lambda ax: plots.margins(MODELS, [0.8, 0.7], [0.9, 0.8], [0.97, math.nan], ax=ax),
            [
                "lr: on the new data 0.8, validated 0.9; best with a probability of 97%",
                "<b>: on the new data 0.7, validated 0.8",
            ],
        ),
        (
            lambda ax: plots.order_matrix(MODELS, BEATS, ax=ax),
            ["lr is better than <b>: 80%", "<b> is better than lr: 20%"],
        ),
        (
            lambda ax: plots.reverse_matrix(MODELS, np.array([[0.8, math.nan], [0.6, 0.7]]), ax=ax),
            [
                "lr, trained on the labels of lr: 0.800",
                "lr, trained on the labels of <b>: 0.600",
                "<b>, trained on the labels of <b>: 0.700",
            ],
        ),
        (
            lambda ax: plots.effect_bars(MODELS, [0.31, math.nan], ["material", "none"], thresholds=[0.1, 0.05], ax=ax),
            [
                "lr: size 0.310, mark at 0.1; changed enough to matter",
                "<b>: could not be compared",
            ],
        ),
        (
            lambda ax: plots.category_pair(["no", "x" * 40], np.array([1, 3]), np.array([2, 2]), ax=ax),
            [f"{'x' * 40}: 75.0% before, 50.0% now", "no: 25.0% before, 50.0% now"],
        ),
        (
            lambda ax: plots.histogram_pair(
                np.array([0.0, 0.5, 1.0, 2.0]), np.array([1, 0, 1]), np.array([4, 0, 0]), ax=ax
            ),
            ["0 to 0.5: 50.0% before, 100.0% now", "1 to 2: 50.0% before, 0.0% now"],
        ),
        (
            lambda ax: plots.histogram_pair(
                np.array([0.0, 3600e6, 7200e6]), np.array([1, 1]), np.array([4, 4]), scale="duration", ax=ax
            ),
            ["0 to 1 h: 50.0% before, 50.0% now", "1 to 2 h: 50.0% before, 50.0% now"],
        ),
        (
            lambda ax: plots.histogram_pair(
                np.array([0.0, 86400e6]), np.array([1]), np.array([4]), scale="date", ax=ax
            ),
            ["1970-01-01 to 1970-01-02: 100.0% before, 100.0% now"],
        ),
        (
            lambda ax: plots.histogram_pair(
                np.array([0.0, 86400e6]), np.array([1]), np.array([4]), scale="date", redact=True, ax=ax
            ),
            ["100.0% before, 100.0% now"],
        ),
    ],
)
def test_charts_say_their_numbers(ax: Axes, draw: Any, expected: list[str]) -> None:
    draw(ax)
    assert words(ax) == expected


def test_dates_beyond_the_calendar(ax: Axes) -> None:
    plots.histogram_pair(np.array([0.0, 9e18]), np.array([1]), np.array([4]), scale="date", ax=ax)
    assert words(ax) == ["outside the calendar: 100.0% before, 100.0% now"]
