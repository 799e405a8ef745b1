from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from shiftproof.plots import CURRENT, INK, QUIET, REFERENCE, own_axes, own_figure
from shiftproof.plots._style import clean, label


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
        ("x" * 29, "x" * 27 + "…"),
        ("$" * 29, r"\$" * 27 + "…"),
        ("a\x00b\x1b[31mc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}[31mc"),
        ("\ud800\uffff", "\N{REPLACEMENT CHARACTER}" * 2),
        ("年齢 🙂", "年齢 🙂"),
    ],
)
def test_labels(name: object, expected: str) -> None:
    assert label(name) == expected


def test_the_width_of_a_label() -> None:
    assert label("feature", width=4) == "fea…"


@given(st.text(alphabet=st.characters(), max_size=60))
def test_labels_are_short_and_can_be_written(name: str) -> None:
    text = label(name).replace(r"\$", "$")
    assert len(text) <= 28
    assert text.encode("utf-8").decode("utf-8") == text
    assert not any(ord(character) < 32 for character in text)
