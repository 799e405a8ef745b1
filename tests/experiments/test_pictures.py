"""The pictures show what the sources say of each change."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.experiments._pictures import PicturedShift, draw_shifts, pictured_shifts, shares_by_bin

EDGES = np.linspace(-5.0, 6.0, 12)


@pytest.fixture(scope="module")
def shifts() -> dict[str, PicturedShift]:
    return {shift.name.split(":")[0]: shift for shift in pictured_shifts()}


def largest_change(one: PicturedShift, other: PicturedShift) -> float:
    return float(np.nanmax(np.abs(shares_by_bin(one, EDGES) - shares_by_bin(other, EDGES))))


def test_feature_bias_alone_keeps_the_link_to_the_label(shifts: dict[str, PicturedShift]) -> None:
    before, after = shifts["as it was"], shifts["feature bias"]
    below_the_cut = EDGES[after.X[:, 0].max() > EDGES]
    np.testing.assert_array_equal(shares_by_bin(before, below_the_cut), shares_by_bin(after, below_the_cut))
    for name in ("class bias", "bias by feature and class", "first feature moved by 1 sd"):
        assert largest_change(before, shifts[name]) > 0.15


def test_class_bias_keeps_each_class_as_it_was(shifts: dict[str, PicturedShift]) -> None:
    before, after = shifts["as it was"], shifts["class bias"]
    assert after.y.mean() == pytest.approx(0.8, abs=1e-3)
    for code in (0, 1):
        np.testing.assert_allclose(
            after.X[after.y == code].mean(axis=0), before.X[before.y == code].mean(axis=0), atol=0.1
        )


def test_bins_with_few_rows_have_no_share() -> None:
    few = PicturedShift("few", np.zeros((19, 2)), np.ones(19, dtype=np.int64))
    assert np.isnan(shares_by_bin(few, np.array([-1.0, 1.0]))).all()


def test_every_change_has_rows_counts_and_shares() -> None:
    figure = draw_shifts()
    assert len(figure.axes) == 3 * len(pictured_shifts())
    assert figure.axes[0].get_title() == "as it was"
