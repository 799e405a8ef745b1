from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from shiftproof.plots import CURRENT, INK, QUIET, REFERENCE, own_axes, own_figure
from shiftproof.plots._style import RAMP, RAMP_FROM_EVEN, RAMP_OF_CHANCES, clean, colour_map, label, labels


def test_the_axes_given_are_used(ax: Axes) -> None:
    assert own_axes(ax, size=(1.0, 1.0)) is ax
    assert plt.get_fignums() == []


def test_axes_of_our_own_are_shown_by_a_notebook() -> None:
    ax = own_axes(None, size=(3.0, 2.0))
    figure = plt.gcf()
    assert ax.figure is figure
    assert figure.get_size_inches().tolist() == [3.0, 2.0]
    plt.close(figure)


def test_a_figure_of_our_own_is_known_to_nobody() -> None:
    figure = own_figure(size=(3.0, 2.0))
    assert plt.get_fignums() == []
    assert figure.get_size_inches().tolist() == [3.0, 2.0]
    assert figure.axes == []


def test_only_ink_that_carries_data_stays(ax: Axes) -> None:
    ax.set(xlabel="x", ylabel="y", title="title")
    assert clean(ax) is ax
    assert [side for side, spine in ax.spines.items() if spine.get_visible()] == ["left", "bottom"]
    assert to_hex(ax.spines["left"].get_edgecolor()) == QUIET
    assert ax.xaxis.label.get_color() == ax.yaxis.label.get_color() == ax.title.get_color() == INK


def test_the_colours_of_both_sides_differ() -> None:
    assert len({REFERENCE, CURRENT, QUIET, INK}) == 4


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("age", "age"),
        (3, "3"),
        (None, "None"),
        ("", ""),
        ("  two\n words\t", "two words"),
        ("price in $", r"price in \$"),
        ("$x^2$", r"\$x^2\$"),
        ("x" * 28, "x" * 28),
        ("x" * 29, "x" * 14 + "…" + "x" * 13),
        ("a" * 20 + "b" * 20, "a" * 14 + "…" + "b" * 13),
        ("$" * 29, r"\$" * 14 + "…" + r"\$" * 13),
        ("a\x00b\x1b[31mc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}[31mc"),
        ("\ud800\uffff", "\N{REPLACEMENT CHARACTER}" * 2),
        ("年齢 🙂", "年齢 🙂"),
    ],
)
def test_labels(name: object, expected: str) -> None:
    assert label(name) == expected


def test_the_width_of_a_label() -> None:
    assert label("feature", width=4) == "fe…e"


@given(st.text(alphabet=st.characters(), max_size=60))
def test_labels_are_short_and_can_be_written(name: str) -> None:
    text = label(name).replace(r"\$", "$")
    assert len(text) <= 28
    assert text.encode("utf-8").decode("utf-8") == text
    assert not any(ord(character) < 32 for character in text)


CITIES = [f"a very long city name {city}" for city in ("Oslo", "Rome", "Bern")]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], []),
        (["age", "job"], ["age", "job"]),
        (CITIES, ["a very l…me Oslo", "a very l…me Rome", "a very l…me Bern"]),
        # the ends are the same: shown is where the names begin to differ
        (
            [f"the northern city of {city} in the north" for city in ("Oslo", "Rome")],
            ["…of Oslo…e north", "…of Rome…e north"],
        ),
        # one is the beginning of the others
        (["x" * 30, "x" * 40, "x" * 50], ["…xxx", "…" + "x" * 13, "…xxxxxxx…xxxxxxx"]),
        # different in two places, neither of which fits: numbered
        (
            [f"{'x' * 30}{one}{'y' * 30}{two}{'z' * 30}" for one in "ab" for two in "cd"],
            [f"xxxxxx…zzzzz ({number})" for number in (1, 2, 3, 4)],
        ),
        # the same name twice stays the same
        (["x" * 20, "x" * 20], ["x" * 8 + "…" + "x" * 7] * 2),
    ],
)
def test_different_names_stay_different(names: list[str], expected: list[str]) -> None:
    assert labels(names, width=16) == expected


@given(st.lists(st.text(alphabet="ab", min_size=10, max_size=40), unique=True, max_size=12))
def test_labels_of_different_names_are_different_and_short(names: list[str]) -> None:
    told = labels(names, width=12)
    assert len(set(told)) == len(names)
    assert max(map(len, told), default=0) <= 12


@pytest.mark.parametrize("ramp", [RAMP, RAMP_FROM_EVEN, RAMP_OF_CHANCES])
def test_colour_map_has_no_colour_that_a_theme_changes(ramp: tuple[str, ...]) -> None:
    cells = colour_map(ramp)(np.linspace(0.0, 1.0, 256))
    assert not {to_hex(cell) for cell in cells} & {REFERENCE, CURRENT, QUIET, INK}
