from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.plots import sparkline

COUNTS = st.lists(st.integers(0, 10**12), min_size=1, max_size=40)


def paths(drawn: str) -> list[str]:
    return [path.attrib["d"] for path in ElementTree.fromstring(drawn)]  # noqa: S314 - our own SVG


def corners(path: str) -> list[tuple[float, float]]:
    """Follow the pen."""
    x = y = 0.0
    found = []
    for command, first, second in re.findall(r"([MHV])([\d.]+)(?: ([\d.]+))?", path):
        x = x if command == "V" else float(first)
        y = float(second) if command == "M" else float(first) if command == "V" else y
        found.append((x, y))
    return found


def test_heights_are_shares_of_each_side() -> None:
    old, new = paths(sparkline([1, 3], [50, 50]))
    assert corners(old) == [(0, 23), (0, 15.5), (48, 15.5), (48, 1), (96, 1), (96, 23)]
    assert corners(new) == [(0, 23), (0, 8.5), (96, 8.5), (96, 23)]
    assert old.endswith("z")


def test_colours_are_the_page_s_or_ours() -> None:
    drawn = sparkline([1, 3], [3, 1])
    assert 'fill="var(--reference,#33658a)"' in drawn
    assert 'stroke="var(--current,#c96f12)"' in drawn
    assert 'aria-hidden="true"' in drawn
    assert "style" not in drawn


@pytest.mark.parametrize("counts", [[], [0, 0, 0], [5]])
def test_little_to_draw(counts: list[int]) -> None:
    assert len(paths(sparkline(counts, counts))) == 2


@given(COUNTS, COUNTS)
def test_lines_stay_inside(old: list[int], new: list[int]) -> None:
    drawn = sparkline(old, new)
    assert all(0 <= x <= 96 and 1 <= y <= 23 for path in paths(drawn) for x, y in corners(path))
    assert len(drawn) < 1100


def test_thirty_bins_take_few_bytes() -> None:
    rng = np.random.default_rng(0)
    assert len(sparkline(rng.integers(0, 999, 30), rng.integers(0, 999, 30))) < 800
