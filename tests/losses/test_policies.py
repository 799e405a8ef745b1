"""Forman's threshold policies over all distinct scores, ties to the lowest."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.core import InputError
from shiftproof.losses import threshold_policies
from shiftproof.plots import own_figure

rows = st.lists(st.tuples(st.integers(0, 1), st.integers(-5, 5)), min_size=2, max_size=30).filter(
    lambda pairs: len({label for label, _ in pairs}) == 2
)


@given(rows)
def test_brute_force_agrees(pairs: list[tuple[int, int]]) -> None:
    y, scores = (np.array(side) for side in zip(*pairs, strict=True))
    found = threshold_policies(y, scores, default=0)
    best: dict[str, tuple[float, float]] = {}
    for at, cut in enumerate(sorted({*scores.tolist()})):
        tpr, fpr = (float((scores[y == label] >= cut).mean()) for label in (1, 0))
        assert (found.thresholds[at], found.tpr[at], found.fpr[at]) == pytest.approx((cut, tpr, fpr))
        for name, miss in (("X", abs(fpr - 1 + tpr)), ("T50", abs(tpr - 0.5)), ("Max", fpr - tpr)):
            # only what is clearly better moves the choice up from the lowest threshold
            if name not in best or miss < best[name][0] - 1e-9:
                best[name] = miss, cut
    assert {name: found.thresholds[at] for name, at in found.chosen.items()} == {n: cut for n, (_, cut) in best.items()}


def test_the_default_is_shown_as_it_classifies() -> None:
    y, scores = [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8]
    for cut, tpr, fpr in ((0.5, 0.5, 0.5), (0.0, 1.0, 1.0), (0.9, 0.0, 0.0), (0.6, 0.5, 0.5)):
        last = threshold_policies(y, scores, default=cut).to_frame().iloc[-1]
        assert last.tolist() == ["default", cut, tpr, fpr]


def test_threshold_policies_summary_and_to_dict() -> None:
    found = threshold_policies([0, 1], [0.25, 0.75])
    assert found.summary() == (
        "X cuts at 0.75 (tpr 1.000, fpr 0.000); T50 cuts at 0.25 (tpr 1.000, fpr 1.000); "
        "Max cuts at 0.75 (tpr 1.000, fpr 0.000); default cuts at 0.5 (tpr 1.000, fpr 0.000)."
    )
    json.dumps(found.to_dict(), allow_nan=False)


def test_threshold_policies_plot_draws_on_the_given_axes() -> None:
    ax = own_figure(size=(5, 4)).subplots()
    assert threshold_policies([0, 1], [0.25, 0.75]).plot(ax) is ax
    assert sorted(text.get_text() for text in ax.texts) == ["Max", "T50", "X", "default"]


@pytest.mark.parametrize(
    ("arguments", "default", "sentence"),
    [
        (([0, 1], [0.1]), 0.5, "scores must have as many values as y, 2, got 1; give one score per row."),
        (
            ([1, 1], [0.1, 0.2]),
            0.5,
            "y must hold 0 and 1, got 1.0; mark the positive rows with y == label.",
        ),
        (
            ([0, 1], [0.1, 0.2]),
            "half",
            "default must be a number, got 'half'; 0.5 is usual for probabilities, 0 for margins.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(arguments: Any, default: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        threshold_policies(*arguments, default=default)
