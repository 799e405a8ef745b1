from __future__ import annotations

import math
from functools import partial

import numpy as np

from shiftproof.plots import ActRow, acts_chart, acts_size, acts_words, drawn_svg, own_figure

ANSWERED = ActRow(
    title="1. It answers", about="new calls", validated=0.832, low=0.713, high=0.757, actual=0.74, baseline=0.721
)
REFUSED = ActRow(
    title="2. It refuses", about="2010", validated=0.835, low=math.nan, high=math.nan, actual=0.582, baseline=0.516
)


def test_acts_chart_draws_the_marks_of_each_row() -> None:
    axes = own_figure(size=acts_size(2)).subplots()
    assert acts_chart([ANSWERED, REFUSED], ax=axes) is axes
    bars, _, majorities, diamonds, crosses = axes.collections
    assert bars.get_segments()[0][:, 0].tolist() == [0.713, 0.757]  # type: ignore[attr-defined]
    assert [segment[0, 0] for segment in majorities.get_segments()] == [0.721, 0.516]  # type: ignore[attr-defined]
    assert np.asarray(diamonds.get_offsets())[:, 0].tolist() == [0.832, 0.835]
    assert np.asarray(crosses.get_offsets())[:, 0].tolist() == [0.74, 0.582]
    bottom, top = axes.get_ylim()
    assert bottom > top


def test_acts_chart_writes_every_figure_and_says_where_there_is_no_estimate() -> None:
    svg = drawn_svg(partial(acts_chart, [ANSWERED, REFUSED]), acts_size(2), "acts")
    for text in ("71.3% to 75.7%", "no estimate", "83.2%", "83.5%", "74.0%", "58.2%", 'always "no": 51.6%'):
        assert f">{text}</text>" in svg
    assert f"<title>{ANSWERED.words}</title>" in svg


def test_acts_words_describe_the_chart() -> None:
    assert acts_words([ANSWERED, REFUSED]) == (
        "1. It answers (new calls): cross-validation estimates 83.2%, estimate for the new data 71.3% to 75.7%, actual "
        'accuracy 74.0%, always answering "no" 72.1%. 2. It refuses (2010): cross-validation estimates 83.5%, no '
        'estimate for the new data, actual accuracy 58.2%, always answering "no" 51.6%.'
    )
