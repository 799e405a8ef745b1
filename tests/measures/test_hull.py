"""The hull: its corners and owners, and mixtures that reach every point on it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from shiftproof.core import InputError
from shiftproof.measures._curves import RocCurve, roc_curve
from shiftproof.measures._hull import RocHull, iso_slope, roc_hull
from shiftproof.plots import own_figure


def two_models(n: int, seed: int = 0) -> tuple[NDArray[Any], dict[str, NDArray[np.float64]]]:
    """Make one model that is sure of a few positives, and one that is sure of many negatives."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < 0.4
    first = rng.normal(size=n) + y * (rng.uniform(size=n) < 0.4) * 4
    second = rng.normal(size=n) - ~y * (rng.uniform(size=n) < 0.6) * 4
    return y, {"A": first, "B": second}


def hull_of(n: int = 3000, seed: int = 0) -> tuple[RocHull, dict[str, RocCurve]]:
    y, scores = two_models(n, seed)
    curves = {name: roc_curve(y, values) for name, values in scores.items()}
    return roc_hull(curves), curves


@pytest.mark.parametrize("seed", range(5))
def test_corners_are_those_of_qhull(seed: int) -> None:
    hull, curves = hull_of(200, seed)
    points = np.concatenate([[[1.0, 0.0]], *[np.column_stack([c.fpr, c.tpr]) for c in curves.values()]])
    upper = points[ConvexHull(points).vertices]
    upper = np.unique(upper[~((upper == [1, 0]).all(axis=1))], axis=0)
    np.testing.assert_allclose(np.column_stack([hull.fpr, hull.tpr]), upper, atol=1e-12)


def test_no_curve_is_above_the_hull_and_both_models_own_a_part() -> None:
    hull, curves = hull_of()
    for curve in curves.values():
        assert (np.interp(curve.fpr, hull.fpr, hull.tpr) >= curve.tpr - 1e-12).all()
        assert hull.area >= curve.auc.estimate
    slopes = np.diff(hull.tpr[1:]) / np.diff(hull.fpr[1:])
    assert (np.diff(slopes) < 1e-12).all()
    # a focused list by A, a larger one by B
    assert hull.owners[1] == "A"
    assert hull.owners[-2] == "B"
    assert set(hull.owners) == {"A", "B"}


def test_the_formula_of_the_mixture() -> None:
    # scheme 1 with t1, f1 for a share q of the cases, scheme 2 with t2, f2 for the rest
    hull, _ = hull_of()
    for wanted in (0.03, 0.2, 0.45):
        mixed = hull.mix(fpr=wanted)
        q, one, two = mixed.share, mixed.first, mixed.second
        assert mixed.fpr == wanted == pytest.approx(q * one.fpr + (1 - q) * two.fpr)
        assert mixed.tpr == pytest.approx(q * one.tpr + (1 - q) * two.tpr)
        assert mixed.tpr == pytest.approx(np.interp(wanted, hull.fpr, hull.tpr))
        assert hull.mix(tpr=mixed.tpr).fpr == pytest.approx(wanted)


@pytest.mark.parametrize("wanted", [0.02, 0.1, 0.5])
def test_mixing_at_random_reaches_the_point(wanted: float) -> None:
    hull, _ = hull_of()
    y, scores = two_models(3000)
    mixed = hull.mix(fpr=wanted)
    called = np.mean([mixed.decide(scores, random_state=seed) for seed in range(200)], axis=0)
    # 200 draws of each row: a standard error of at most 0.5/sqrt(200 n)
    assert called[y].mean() == pytest.approx(mixed.tpr, abs=0.005)
    assert called[~y].mean() == pytest.approx(wanted, abs=0.005)


def test_a_mixture_of_two_models_lies_above_both() -> None:
    hull, curves = hull_of()
    at = next(i for i in range(1, len(hull.owners) - 2) if hull.owners[i] != hull.owners[i + 1])
    mixed = hull.mix(fpr=float(hull.fpr[at : at + 2].mean()))
    assert {mixed.first.model, mixed.second.model} == {"A", "B"}
    assert mixed.share == pytest.approx(0.5)
    assert all(mixed.tpr > curve.at(mixed.fpr) for curve in curves.values())
    assert "for 50.0% of the rows, drawn at random, and" in mixed.summary()


def test_the_slope_finds_the_cheapest_corner() -> None:
    hull, _ = hull_of()
    slope = iso_slope(prevalence=0.1, fp=1, fn=5)
    assert slope == pytest.approx(0.9 / 0.5)
    best = hull.mix(slope=slope)
    costs = 0.9 * hull.fpr + 0.5 * (1 - hull.tpr)
    assert 0.9 * best.fpr + 0.5 * (1 - best.tpr) == pytest.approx(costs.min())
    assert best.first == best.second
    assert hull.mix(slope=1e9).tpr == hull.tpr[hull.fpr == 0].max()
    assert hull.mix(slope=0).fpr == hull.fpr[hull.tpr == 1].min()


def test_the_ends_call_nobody_and_everybody() -> None:
    hull, _ = hull_of()
    assert hull.mix(tpr=0.0).decide({"A": [5.0], "B": [5.0]}).tolist() == [0]
    assert hull.mix(fpr=1.0).decide({"A": [-9.0], "B": [-9.0]}).tolist() == [1]
    assert hull.mix(fpr=1.0).summary() == (
        "calling everything positive reaches 100.0% of the positives at 100.0% of the negatives."
    )


def test_models_worse_than_chance_leave_the_diagonal() -> None:
    hull = roc_hull({"bad": roc_curve([0, 1, 0, 1], [4, 3, 2, 1])})
    assert hull.fpr.tolist() == hull.tpr.tolist() == [0, 1]
    assert hull.owners == ("bad", "bad")
    assert hull.mix(fpr=0.25).tpr == 0.25


def test_where_models_meet_the_first_owns_the_corner() -> None:
    y, scores = two_models(300)
    hull = roc_hull({"one": roc_curve(y, scores["A"]), "two": roc_curve(y, scores["A"])})
    assert set(hull.owners) == {"one"}
    assert hull.summary() == f"The hull has {len(hull.fpr)} corners, from 'one'; 'two' is nowhere best."


def test_shown_as_table_dict_and_chart() -> None:
    hull, _ = hull_of(300)
    assert list(hull.to_frame().columns) == ["model", "threshold", "fpr", "tpr"]
    json.dumps(hull.to_dict(), allow_nan=False)
    ax = hull.plot(own_figure(size=(4, 4)).subplots())
    assert ax.lines[-1].get_label() == "convex hull"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "exactly one of fpr, tpr and slope must be given, got none; a point of the hull has one coordinate."),
        (
            {"fpr": 0.1, "tpr": 0.2},
            "exactly one of fpr, tpr and slope must be given, got 'fpr' and 'tpr'; "
            "a point of the hull has one coordinate.",
        ),
        ({"fpr": 1.5}, "fpr must lie between 0 and 1, got 1.5; 0.1 means 10%."),
        (
            {"slope": -1},
            "slope must be a number of at least 0, got -1; iso_slope gives it for costs and a prevalence.",
        ),
    ],
)
def test_mixing_refuses_in_words(given: dict[str, float], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        hull_of(100)[0].mix(**given)
    assert str(caught.value) == sentence


def test_making_refuses_in_words() -> None:
    curves: Any
    for curves, sentence in (
        ({}, "curves must map names to ROC curves, got {}; pass {'model': roc_curve(y, scores)}."),
        ({"A": 1}, "the curve of 'A' must be a RocCurve, got 1; make it with roc_curve(y, scores)."),
    ):
        with pytest.raises(InputError) as caught:
            roc_hull(curves)
        assert str(caught.value) == sentence
    with pytest.raises(InputError, match=r"^fn must be a positive cost, got 0; give what one such error costs.$"):
        iso_slope(prevalence=0.5, fn=0)


def test_deciding_refuses_in_words() -> None:
    hull, _ = hull_of(100)
    mixed = hull.mix(fpr=0.5)
    name = mixed.first.model
    with pytest.raises(InputError) as caught:
        mixed.decide({"C": [1.0]})
    assert str(caught.value) == f"scores must hold the model {name!r}, got 'C'; pass the scores of all models."
    y, scores = two_models(100)
    averaged = roc_hull({"A": roc_curve(y, scores["A"], folds=np.arange(100) % 3, average="per fold")})
    with pytest.raises(InputError) as caught:
        averaged.mix(fpr=0.5).decide(scores)
    assert str(caught.value) == (
        "the curve of 'A' must have thresholds, got an average over folds; "
        "make the hull of pooled curves to decide by it."
    )
    with pytest.raises(InputError, match=r"^the scores of both models must have the same length, got 1 and 2"):
        _mixed_owner(hull).decide({"A": [1.0], "B": [1.0, 2.0]})


def _mixed_owner(hull: RocHull) -> Any:
    at = next(i for i in range(len(hull.owners) - 1) if hull.owners[i : i + 2] == ("A", "B"))
    return hull.mix(fpr=float(hull.fpr[at : at + 2].mean()))
