"""What can be expected on new data: estimates and validated measures, each computed once."""

from __future__ import annotations

import numpy as np
import pytest
from tests.selection.cases import two_models

from shiftproof.case import Prospect, Rule
from shiftproof.core import _blocks
from shiftproof.measures import measure

HALVES = np.array([0.5, 0.5])


@pytest.fixture
def prospect() -> Prospect:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    return Prospect(candidates, Rule(classes=np.arange(2), positive=1))


@pytest.mark.parametrize("name", ["accuracy", "brier", "auc"])
def test_validated_is_the_measure_on_labelled_rows(prospect: Prospect, name: str) -> None:
    candidates = prospect.candidates
    by_hand = {model: measure(name, candidates.codes, candidates.old[model]).estimate for model in candidates.names}
    assert prospect.validated(name) == pytest.approx(by_hand)
    assert prospect.validated(name) is prospect.validated(name)


def test_units_of_accuracy_are_one_and_follow_the_names(prospect: Prospect) -> None:
    assert prospect.units("accuracy") == pytest.approx([1, 1])
    one = prospect.units("brier", ["blurred"])
    assert one == pytest.approx(prospect.units("brier")[[1]])


def test_open_labels_are_those_of_all_rows_in_any_blocks(prospect: Prospect, monkeypatch: pytest.MonkeyPatch) -> None:
    decided, posterior = prospect.sides["sharp"].new.decisions, prospect.routes.posterior[:]
    right = np.eye(2)[decided]
    by_hand = np.sqrt((posterior * right).sum(axis=1) * (1 - (posterior * right).sum(axis=1)))
    assert prospect.open_labels("accuracy", "sharp").noise == pytest.approx(by_hand)
    monkeypatch.setattr(_blocks, "_ROWS", 7)
    assert prospect.open_labels("accuracy", "sharp").noise == pytest.approx(by_hand)


def test_few_new_rows_are_unknowable() -> None:
    candidates, _ = two_models(np.random.default_rng(0), 300, 19, HALVES)
    assert Prospect(candidates, Rule(classes=np.arange(2), positive=1)).unknowable
