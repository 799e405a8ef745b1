"""Similar votes beside equal ones, and tests with more or fewer prevalences."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import shiftproof as sp
from shiftproof.experiments import _thesis_open
from shiftproof.experiments._thesis_open import power_table, similarity_table


def test_tests_find_more_the_more_methods_differ_and_little_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_thesis_open, "DRAWS", 60)
    rng = np.random.default_rng(0)
    rows = []
    for dataset, prevalence in itertools.product(range(20), range(11)):
        losses = rng.random(4) + np.array([0, 0.3, 0.3, 0.8])
        rows += [(f"s{dataset}", prevalence / 10, f"m{at}", loss) for at, loss in enumerate(losses)]
    table = power_table(sp.compare(pd.DataFrame(rows, columns=["dataset", "prevalence", "method", "loss"])))
    assert table["prevalences"].tolist() == [1, 2, 3, 5, 11]
    assert table["pairs found"].between(0.3, 0.7).all()
    assert table["same method first"].iloc[-1] == 1
    # Friedman's test with the spread of averaged ranks keeps its level; as printed, it hardly ever rejects.
    assert table["false: Friedman"].max() < 0.2
    assert table["false: Friedman as printed"].iloc[-1] == 0
    assert table["false: Nemenyi"].iloc[-1] == 0


def test_similar_votes_are_compared_problem_by_problem() -> None:
    plain = pd.DataFrame({"method": ["KNN"] * 3, "problem": list("aab"), "true": 0.5, "estimated": [0.4, 0.6, 0.5]})
    similar = plain.assign(estimated=[0.5, 0.5, 0.7])
    table = similarity_table(plain, similar)
    assert table["equal"].tolist() == pytest.approx([0.05])
    assert table["similar"].tolist() == pytest.approx([0.1])
    assert table[["equal lower", "similar lower"]].to_numpy().tolist() == [[1, 1]]
