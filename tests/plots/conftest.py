"""What every chart must leave alone, and the names it must bear."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

from shiftproof import plots

HOSTILE = {
    "formula": "$x^2$",
    "broken formula": r"$\frac{1}$ $",
    "escaped formula": r"\$x^2\$",
    "markup": "<script>alert('1')</script> & \"quoted\" ]]>",
    "reference": 'url(#clip) id="a" href="#b"',
    "emoji": "🙂👨‍👩‍👧",
    "Arabic": "مرحبا بالعالم",
    "Hebrew": "שלום עולם",
    "Japanese": "年齢",
    "long": "x" * 300,
    "control characters": "a\x00b\x07c\x1b[31m",
    "half a pair": "\ud800",
    "no character": "\uffff",
    "overridden direction": "\u202eabc",
    "lines": "a\nb\r\n\tc",
    "template": "%s {x} {{ x }} \\n",
    "nothing": "",
}


@pytest.fixture(params=HOSTILE)
def hostile(request: pytest.FixtureRequest) -> str:
    return HOSTILE[request.param]


@pytest.fixture
def all_hostile() -> list[str]:
    return list(HOSTILE.values())


@pytest.fixture
def ax() -> Axes:
    return plots.own_figure(size=(4.0, 2.5)).subplots()


@pytest.fixture(autouse=True)
def _nothing_global_changes() -> Iterator[None]:
    settings, filters, figures = mpl.rcParams.copy(), list(warnings.filters), plt.get_fignums()
    yield
    assert mpl.rcParams.copy() == settings
    assert list(warnings.filters) == filters
    assert plt.get_fignums() == figures
