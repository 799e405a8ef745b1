"""ROC and precision-recall curves: scikit-learn's points, shared ties, bands that cover, refusals in words."""

from __future__ import annotations

import json
import os
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special
from sklearn import metrics

from shiftproof.core import InputError
from shiftproof.measures._curves import precision_recall_curve, roc_curve
from shiftproof.plots import own_figure

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def rows(n: int = 400, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.round(y + rng.normal(size=n), 1), rng.uniform(0, 2, n) * (rng.uniform(size=n) > 0.1)


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_points_are_those_of_scikit_learn(weighted: bool) -> None:
    y, scores, weights = rows()
    used = weights if weighted else None
    curve = roc_curve(y, scores, sample_weight=used)
    fpr, tpr, thresholds = metrics.roc_curve(y, scores, sample_weight=used, drop_intermediate=False)
    np.testing.assert_allclose(curve.fpr, fpr, atol=1e-12)
    np.testing.assert_allclose(curve.tpr, tpr, atol=1e-12)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    assert curve.auc.estimate == pytest.approx(metrics.roc_auc_score(y, scores, sample_weight=used), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_recall_points_are_those_of_scikit_learn(weighted: bool) -> None:
    y, scores, weights = rows()
    used = weights if weighted else None
    curve = precision_recall_curve(y, scores, sample_weight=used)
    precision, recall, thresholds = metrics.precision_recall_curve(y, scores, sample_weight=used)
    np.testing.assert_allclose(curve.precision, precision, atol=1e-12)
    np.testing.assert_allclose(curve.recall, recall, atol=1e-12)
    np.testing.assert_array_equal(curve.thresholds[:-1], thresholds)
    assert curve.thresholds[-1] == np.inf
    expected = metrics.average_precision_score(y, scores, sample_weight=used)
    assert curve.average_precision.estimate == pytest.approx(expected, abs=1e-12)
    assert (curve.low <= curve.precision).all()
    assert (curve.precision <= curve.high).all()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=30))
def test_curves_rise_from_corner_to_corner(pairs: list[tuple[bool, int]]) -> None:
    y, scores = [one for one, _ in pairs], [score for _, score in pairs]
    if len(set(y)) < 2:
        return
    curve = roc_curve(y, scores)
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(curve.fpr) >= 0).all()
    assert (np.diff(curve.tpr) >= 0).all()
    assert (curve.band_low <= curve.at(curve.band_fpr) + 1e-12).all()
    assert (curve.at(curve.band_fpr) <= curve.band_high + 1e-12).all()
    assert curve.auc.estimate == pytest.approx(np.trapezoid(curve.tpr, curve.fpr))


def test_equal_scores_are_chance() -> None:
    curve = roc_curve([0, 1, 0, 1], [0.5] * 4)
    assert curve.fpr.tolist() == curve.tpr.tolist() == [0, 1]
    assert curve.auc.estimate == 0.5
    assert precision_recall_curve([0, 1, 0, 1], [0.5] * 4).precision.tolist() == [0.5, 1.0]


def test_codes_with_a_positive_class() -> None:
    y, scores, _ = rows()
    codes = np.where(y == 1, 2, np.arange(len(y)) % 2)
    assert roc_curve(codes, scores, positive=2).auc.estimate == roc_curve(y, scores).auc.estimate


def test_per_fold_curves_are_averaged_vertically() -> None:
    y, scores, _ = rows()
    folds = np.arange(len(y)) % 4
    curve = roc_curve(y, scores, folds=folds, average="per fold")
    each = [roc_curve(y[folds == fold], scores[folds == fold]) for fold in range(4)]
    np.testing.assert_allclose(curve.tpr[1:], np.mean([one.at(curve.band_fpr) for one in each], axis=0), atol=1e-12)
    assert curve.auc.estimate == pytest.approx(np.mean([one.auc.estimate for one in each]), abs=1e-12)
    assert np.isnan(curve.thresholds).all()
    assert curve.n_folds == 4
    assert curve.summary().startswith("ROC curve, averaged over 4 folds: area 0.7")


def test_folds_of_different_scale_are_put_right_by_averaging() -> None:
    # each fold ranks perfectly, but on a scale of its own
    y, folds = np.tile([0, 1], 20), np.repeat([0, 1], 20)
    scores = y + 10.0 * folds
    assert roc_curve(y, scores, folds=folds, average="per fold").auc.estimate == 1
    assert roc_curve(y, scores, folds=folds).auc.estimate == 0.75


def test_folds_widen_band_and_interval() -> None:
    y, scores, _ = rows()
    folds = np.arange(len(y)) % 5
    alone, shared = roc_curve(y, scores), roc_curve(y, scores, folds=folds)
    assert shared.auc.width > alone.auc.width
    assert (shared.band_high - shared.band_low).mean() > 1.3 * (alone.band_high - alone.band_low).mean()


@pytest.mark.parametrize("n", [200, 2000])
def test_the_band_covers_point_by_point(n: int) -> None:
    rng, times, at = np.random.default_rng(n), 400 * LONGER, np.array([0.05, 0.1, 0.3, 0.6])
    truth = special.ndtr(1.2 + special.ndtri(at))  # binormal
    found = np.zeros(len(at))
    for _ in range(times):
        y = rng.uniform(size=n) < 0.4
        curve = roc_curve(y, rng.normal(size=n) + 1.2 * y)
        low, high = (np.interp(at, curve.band_fpr, band) for band in (curve.band_low, curve.band_high))
        found += (low <= truth) & (truth <= high)
    assert (found / times > 0.92).all(), found / times
    assert (found / times < 0.99).all(), found / times


def test_results_are_frozen_facts() -> None:
    y, scores, _ = rows()
    for curve in (roc_curve(y, scores), precision_recall_curve(y, scores)):
        assert not curve.thresholds.flags.writeable
        assert len(curve.to_frame()) == len(curve.thresholds)
        json.dumps(curve.to_dict(), allow_nan=False)
        assert "<table" in curve._repr_html_()


def test_they_draw_themselves() -> None:
    y, scores, _ = rows()
    ax = own_figure(size=(4, 4)).subplots()
    assert roc_curve(y, scores).plot(ax) is ax
    assert ax.lines[0].get_label() == "chance"
    assert str(ax.lines[1].get_label()).startswith("model (area 0.7")
    ax = precision_recall_curve(y, scores).plot(name="forest")
    assert str(ax.lines[1].get_label()).startswith("forest (average precision 0.8")
    plt.close(plt.gcf())


REFUSALS: list[tuple[dict[str, Any], str]] = [
    (
        {"y": [1, 1], "scores": [0.1, 0.2]},
        "y must hold both classes, got 2 positive and no negative rows; a ROC curve needs positives and negatives.",
    ),
    (
        {"y": [0], "scores": [0.1]},
        "y must hold both classes, got no positive and 1 negative rows; a ROC curve needs positives and negatives.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, np.nan]},
        "scores must be finite, got nan; drop or fill the 1 missing or infinite value first.",
    ),
    (
        {"y": [0, 1], "scores": [np.inf, 0.1]},
        "scores must be finite, got inf; drop or fill the 1 missing or infinite value first.",
    ),
    (
        {"y": [0, 1, 1], "scores": [0.1, 0.2]},
        "scores must have one value per row of y, that is 3, got 2; pass both for the same rows.",
    ),
    (
        {"y": [0, 2], "scores": [0.1, 0.2]},
        "y must hold 0 and 1 only, got 2; give 1 for the positive class, or its code as positive=.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "sample_weight": [1, -1]},
        "sample_weight must be at least 0, got -1.0; leave rows out with weight 0.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "sample_weight": [0, 0]},
        "sample_weight must be above 0 somewhere, got 0.0; leave it out to weight all rows equally.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "sample_weight": [1]},
        "sample_weight must have one value per row of y, that is 2, got 1; pass both for the same rows.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "average": "per fold"},
        "folds must be given for average='per fold'; pass the fold of each row.",
    ),
    (
        {"y": [0, 1, 1], "scores": [0.1, 0.2, 0.3], "average": "per fold", "folds": [0, 0, 1]},
        "every fold must hold both classes, got only positive rows in fold 1; "
        "stratify the folds or use average='pooled'.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "average": "per folds"},
        "average must be one of 'pooled', 'per fold'; got 'per folds'. Did you mean 'per fold'?",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "folds": [0]},
        "folds must have one value per row of y, that is 2, got 1; pass both for the same rows.",
    ),
    (
        {"y": [0, 1], "scores": [0.1, 0.2], "level": 95},
        "level must be a number strictly between 0 and 1, got 95; 0.95 means 95%.",
    ),
]


@pytest.mark.parametrize(("given", "sentence"), REFUSALS)
def test_roc_refuses_in_words(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        roc_curve(**given)
    assert str(caught.value) == sentence


def test_precision_needs_a_positive() -> None:
    with pytest.raises(InputError) as caught:
        precision_recall_curve([0, 0], [0.1, 0.2])
    assert str(caught.value) == "y must hold a positive, got 2 negative rows; without one there is no recall."
    assert precision_recall_curve([1, 1], [0.1, 0.2]).precision.tolist() == [1, 1, 1]
