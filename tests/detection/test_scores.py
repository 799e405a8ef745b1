"""Stage one: whether the scores of the models changed."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.detection.cases import MOVED, NEW, OLD, Y, scores, task

import shiftproof as sp
from shiftproof.core import Note
from shiftproof.detection._scores import ScorePair, compare_scores


def test_compare_scores_is_kruskal_wallis_of_one_score() -> None:
    result = sp.detect(OLD, MOVED, scores(OLD), scores(MOVED))
    (row,) = result.scores
    expected = stats.kruskal(scores(OLD), scores(MOVED))
    assert (row.statistic, row.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.p_value == row.p_value
    assert row.higher == pytest.approx(
        stats.mannwhitneyu(scores(MOVED), scores(OLD)).statistic / (len(OLD) * len(MOVED))
    )
    assert row.material
    assert "The scores shifted (KS distance 0." in result.summary()


def test_scores_alone_can_show_a_shift() -> None:
    old, new = np.random.default_rng(0).random((2, 400))
    result = sp.detect({"a": old}, {"a": new}, old, new**3)
    assert result.shifted
    assert not any(row.shifted for row in result.rows)
    assert result.summary().startswith("The scores shifted (KS distance 0.42) but no single feature changed enough to")


def test_quiet_scores_are_named_beside_shifted_features() -> None:
    rng = np.random.default_rng(0)
    result = sp.detect(OLD, MOVED, rng.random(len(OLD)), rng.random(len(MOVED)))
    assert "1 of 3 features shifted enough to matter, the scores did not (p = 0." in result.summary()


def test_compare_scores_corrects_for_several_models() -> None:
    given = {"x": scores(OLD), "y": scores(OLD) ** 2, "z": np.random.default_rng(0).random(len(OLD))}
    new = {"x": scores(MOVED), "y": scores(MOVED) ** 2, "z": np.random.default_rng(1).random(len(MOVED))}
    result = sp.detect(OLD, MOVED, given, new)
    p = [row.p_value for row in result.scores]
    assert result.p_value == pytest.approx(stats.false_discovery_control(p).min())
    assert [row.shifted for row in result.scores] == [True, True, False]
    assert "The scores of 2 of 3 models shifted ('" in result.summary()
    assert list(result.scores_frame().columns[:5]) == ["model", "label", "statistic", "p_value", "q_value"]


def test_compare_scores_ranks_all_rows_together_where_blocks_are_small() -> None:
    panel = sp.cross_fit(GaussianNB(), OLD, Y, cv=10)
    (row,) = sp.detect(OLD, NEW[:20], panel=panel).scores
    assert row.method == "Kruskal-Wallis"


def test_compare_scores_of_a_panel_of_trees_keeps_its_level() -> None:
    alarms, runs = 0, 12 * int(os.environ.get("SIMULATIONS", "1"))
    for seed in range(runs):
        X, y = task(360, 100 + seed)
        panel = sp.cross_fit(DecisionTreeClassifier(random_state=0), X[:160], y[:160], cv=5, refit=False)
        alarms += sp.detect(X[:160], X[160:], panel=panel, multivariate=False).p_value <= 0.05
    # Three standard deviations above 5%; pooled against refitted scores alarm in most runs.
    assert alarms <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


def pair(model: str, before: np.ndarray, after: np.ndarray) -> ScorePair:
    return ScorePair(model=model, labels=("",), reference=before[:, None], current=after[:, None])


def test_compare_scores_puts_the_most_changed_first_and_failures_last() -> None:
    even = np.linspace(0, 1, 200)
    failure = Note(code="model cannot score", subject="lost", detail="Input X contains NaN.")
    rows, records = compare_scores([pair("same", even, even), pair("low", even, even**3)], 0.05, [failure])
    assert [(row.model, row.verdict) for row in rows] == [
        ("low", "shifted"),
        ("same", "no shift"),
        ("lost", "cannot tell"),
    ]
    assert rows[0].higher < 0.5 == rows[1].higher
    assert rows[2].failed
    assert rows[2].note == "Input X contains NaN."
    assert list(records) == ["same", "low"]


@pytest.mark.parametrize("n", [2, 3, 10])
def test_compare_scores_cannot_say_of_few_rows(n: int) -> None:
    even = np.linspace(0, 1, n)
    ((row,), _) = compare_scores([pair("few", even, even)], 0.05)
    assert row.verdict == "cannot tell"
