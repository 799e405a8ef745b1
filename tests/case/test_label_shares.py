"""Class proportions of new rows of which some have labels."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.case import Known, SpreadShares, always, sampled_shares, shares_with_labels, strata_of
from shiftproof.case._labels import SampledAll
from shiftproof.core import Interval

LONGER = int(os.environ.get("SIMULATIONS", "1"))
#: Rates of positives, and the judge's chance of being right on positives and negatives.
RATES = (0.1, 0.3, 0.5, 0.8)
JUDGES = ((0.7, 0.7), (0.7, 0.95), (0.95, 0.7), (0.85, 0.85), (0.95, 0.95))


def judged(
    rng: np.random.Generator, count: int, rate: float, right: tuple[float, float]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Give verdicts of a judge about items, and the actual labels."""
    actual = (rng.random(count) < rate).astype(int)
    agrees = rng.random(count) < np.where(actual == 1, *right)
    return pd.DataFrame({"item": np.arange(count), "verdict": np.where(agrees, actual, 1 - actual)}), actual


def by_labels_alone(verdict: np.ndarray, actual: np.ndarray, rows: np.ndarray) -> Interval:
    """Return the interval that labels of these items give, without the time that a whole verb takes."""
    known = [actual[rows][verdict[rows] == value] for value in (0, 1)]
    rates = np.array([(of_value.sum() + 0.3) / (len(of_value) + 0.6) for of_value in known])[verdict]
    posterior = np.column_stack([1 - rates, rates])
    routes, candidates = SimpleNamespace(posterior=posterior), SimpleNamespace(k=2)
    case: Any = SimpleNamespace(
        prospect=SimpleNamespace(routes=routes, candidates=candidates), strata=strata_of(posterior), verdicts=verdict
    )
    sample = sampled_shares(case, np.arange(len(actual)), Known(rows, actual[rows].astype(np.int64)))
    assert sample is not None
    nothing = SpreadShares.without_errors(np.full(2, 0.5))
    return shares_with_labels(nothing, sample, level=0.9, alone=True)[1][1]


def test_intervals_of_judged_items_cover_and_are_narrower_than_those_of_people_alone() -> None:
    rng = np.random.default_rng(1)
    covered, widths, alone = [], [], []
    for _ in range(5 * LONGER):
        for rate in RATES:
            for right in JUDGES:
                for count in (50, 100, 200, 500):
                    items, actual = judged(rng, 1000, rate, right)
                    rows, share = np.sort(rng.choice(1000, count, replace=False)), actual.mean()
                    interval = by_labels_alone(items["verdict"].to_numpy(), actual, rows)
                    covered.append(share in interval)
                    widths.append(interval.width)
                    of_people = actual[rows].mean()
                    alone.append(2 * 1.645 * np.sqrt(of_people * (1 - of_people) / count * (1 - count / 1000)))
    chance = 2 * np.sqrt(0.9 * 0.1 / len(covered))
    assert 0.88 - chance < np.mean(covered) < 0.92 + chance
    assert np.mean(widths) < 0.1 < np.mean(alone)


def test_the_accuracy_of_one_answer_is_the_share_of_its_class() -> None:
    answer = always(1, 5, 3)
    assert answer.decisions.tolist() == [1] * 5
    assert answer.probabilities.tolist() == [[0, 1, 0]] * 5


def test_labels_count_the_more_the_less_they_scatter_and_shares_add_up() -> None:
    errors = np.full(3, 0.05)
    believed = SpreadShares.of(np.array([0.5, 0.3, 0.2]), errors, errors, errors, heavy=True)
    seen = np.array([0.2, 0.3, 0.5])
    estimates = []
    for error in (0.2, 0.05, 0.01, 0.0):
        sample = SampledAll(seen, np.eye(3) * error**2, 50.0)
        shares, intervals = shares_with_labels(believed, sample, level=0.9, alone=False)
        assert shares.values.sum() == pytest.approx(1)
        assert all(value in interval for value, interval in zip(shares.values.tolist(), intervals, strict=True))
        assert shares.sampling == pytest.approx(np.full(3, error))
        estimates.append(shares.values[0])
    assert 0.5 > estimates[0] > estimates[1] > estimates[2] > estimates[3] == pytest.approx(0.2)
