from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes

from shiftproof.core import InputError
from shiftproof.plots import category_pair, drawn_svg, effect_bars, own_figure, save_figure, svg
from shiftproof.plots._export import _attributes
from shiftproof.plots._style import label


def bars(name: str = "age") -> Axes:
    """Return a chart with text, clip paths and markers, so with every kind of id."""
    ax = own_figure(size=(4.0, 2.0)).subplots()
    return effect_bars([name, "job"], [0.3, 0.1], ["material", "none"], thresholds=[0.1, 0.1], ax=ax)


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314 - our own SVG


def ids(text: str) -> list[str]:
    return [element.attrib["id"] for element in parsed(text).iter() if "id" in element.attrib]


def words(text: str) -> list[str]:
    return ["".join(element.itertext()) for element in parsed(text).iter("{http://www.w3.org/2000/svg}text")]


def test_drawn_svg_lays_out_as_savefig_does() -> None:
    def paint(ax: Axes) -> Axes:
        return effect_bars(["age", "job"], [0.3, 0.1], ["material", "none"], thresholds=[0.1, 0.1], ax=ax)

    assert drawn_svg(paint, (4.0, 2.0), "a") == svg(bars(), name="a")


def test_the_same_figure_gives_the_same_bytes() -> None:
    ax = bars()
    assert svg(ax, name="a") == svg(ax, name="a") == svg(bars(), name="a")


def test_axes_stand_for_their_figure() -> None:
    figure = own_figure(size=(8.0, 3.0))  # in a smaller one the layout settles only with the second drawing
    for part in figure.subfigures(1, 2, squeeze=False).ravel():
        effect_bars(["age"], [0.3], ["material"], thresholds=[0.1], ax=part.subplots())
    assert [svg(ax, name="a") for ax in figure.axes] == [svg(figure, name="a")] * 2


def test_it_is_one_element_without_a_date() -> None:
    text = svg(bars(), name="a")
    assert text.startswith("<svg ")
    assert parsed(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "date" not in text.lower()
    assert not re.search(r"\b20\d\d-", text)
    assert "Matplotlib" not in text


def test_ids_are_unique_between_figures_of_one_page() -> None:
    first, second = ids(svg(bars(), name="a")), ids(svg(bars(), name="b"))
    assert len(first) == len(set(first)) > 5
    assert not set(first) & set(second)
    assert all(found.startswith("a-") for found in first)


def test_references_find_their_ids() -> None:
    text = svg(bars(), name="a")
    used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text)
    assert used
    assert {one or other for one, other in used} <= set(ids(text))


def test_text_stays_text(hostile: str) -> None:
    drawn = label(hostile).replace(r"\$", "$").strip()
    text = svg(bars(hostile), name="a")
    assert drawn in [word.strip() for word in words(text)] or drawn == ""
    assert "<script" not in text


def test_categories_that_look_like_ids_stay_as_they_are() -> None:
    ax = own_figure(size=(4.0, 2.0)).subplots()
    category_pair(["url(#a)", 'id="a'], np.array([1, 2]), np.array([3, 4]), ax=ax)
    assert {"url(#a)", 'id="a'} <= set(words(svg(ax, name="figure")))


def test_the_settings_of_the_user_do_not_make_ids_or_text_differ() -> None:
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "other"}):
        assert svg(bars(), name="a") == svg(bars(), name="a")
        assert "age" in words(svg(bars(), name="a"))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "SVG"])
def test_files_have_the_same_bytes_twice(tmp_path: Path, ending: str) -> None:
    first = save_figure(bars(), tmp_path / f"first.{ending}")
    second = save_figure(bars(), tmp_path / f"second.{ending}")
    assert first == tmp_path / f"first.{ending}"
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_save_figure_writes_the_format_of_the_ending(tmp_path: Path, ending: str, start: bytes) -> None:
    assert save_figure(bars(), str(tmp_path / f"figure.{ending}")).read_bytes().startswith(start)


def test_missing_folders_are_made(tmp_path: Path) -> None:
    assert save_figure(bars(), tmp_path / "a" / "b" / "figure.svg").is_file()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_every_name_can_be_saved(tmp_path: Path, ax: Axes, all_hostile: list[str], ending: str) -> None:
    count = len(all_hostile)
    effect_bars(all_hostile, [0.3] * count, ["none"] * count, thresholds=[0.1] * count, ax=ax)
    assert save_figure(ax, tmp_path / f"figure.{ending}").stat().st_size > 1000


@pytest.mark.parametrize("name", ["figure", "figure.txt", ".png"])
def test_other_endings_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        save_figure(bars(), name)
    assert str(caught.value) == f"path must have a picture's extension, got {name!r}; write .svg, .png or .pdf."
    assert list(tmp_path.iterdir()) == []


def test_axes_without_a_figure_are_refused(ax: Axes) -> None:
    ax.remove()
    with pytest.raises(InputError) as caught:
        svg(ax, name="a")
    assert str(caught.value) == f"figure must be a figure, or axes that belong to one, got {ax!r}; draw it again."


def test_what_is_no_figure_is_refused(tmp_path: Path) -> None:
    thing: Any = "figure.svg"
    with pytest.raises(InputError) as caught:
        save_figure(thing, tmp_path / "a.svg")
    assert str(caught.value) == "figure must be a figure, or axes that belong to one, got 'figure.svg'; draw it again."


def test_a_part_of_a_figure_stands_for_the_whole() -> None:
    figure = own_figure(size=(4.0, 2.0))
    part: Any = figure.subfigures(1, 2, squeeze=False).ravel()[0]
    assert svg(part, name="a") == svg(figure, name="a")


def test_it_has_attributes_and_no_styles() -> None:
    text = svg(bars(), name="a")
    assert "style" not in text
    assert "font-family" not in text.split(">", 1)[1]
    assert "<metadata" not in text
    assert 'stroke-linejoin="round"' in text.split(">", 1)[0]
    assert re.search(r'<text font-size="8px" text-anchor="end" fill="#1f2a33"', text)


@pytest.mark.parametrize(
    ("style", "attributes"),
    [
        ("fill: none; stroke: #9aa5ad", ' fill="none" stroke="#9aa5ad"'),
        ("font-size: 8px; font-family: 'DejaVu Sans', sans-serif", ' font-size="8px"'),
        ("font: 9.5px 'DejaVu Sans', sans-serif; text-anchor: middle", ' font-size="9.5px" text-anchor="middle"'),
        ("font: bold 8px sans-serif", ' font-size="8px" font-weight="bold"'),
        ("font: italic 700 8px sans-serif", ' font-size="8px" font-weight="700"'),
        ("clip-path: url(#a)", ' clip-path="url(#a)"'),
        ("", ""),
    ],
)
def test_styles_as_attributes(style: str, attributes: str) -> None:
    assert "".join(_attributes(style)) == attributes


def test_numbers_are_short() -> None:
    tags = re.findall("<[^<>]*>", svg(bars(), name="a"))
    assert not [tag for tag in tags if re.search(r"\.\d{3}", tag)]
