"""One rule for probabilities, wherever they come from."""

from __future__ import annotations

import numpy as np
import pytest

import shiftproof as sp
from shiftproof.core import Floats, InputError, check_probabilities


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([-0.1, 0.5]), "p must lie between 0 and 1, got -0.1; "),
        (np.array([[0.5, 0.5], [0.5, 0.25]]), "p must have rows that sum to 1, got 0.75; divide each row by its sum."),
    ],
)
def test_check_probabilities_refuses_by_name(values: Floats, words: str) -> None:
    with pytest.raises(InputError) as error:
        check_probabilities(values, "p")
    assert str(error.value).startswith(words)


def test_one_column_need_not_sum_to_one() -> None:
    values = np.array([[0.2], [0.7]])
    assert check_probabilities(values, "p") is values


def test_rounded_scores_that_a_panel_accepts_can_be_evaluated() -> None:
    # Three thirds rounded down; measures used to be stricter than panels.
    thirds = np.full((30, 3), 0.3332)
    panel = sp.Panel.from_scores(np.arange(30) % 3, {"m": thirds})
    assert sp.evaluate(panel, measures=["accuracy"]).best == "m"
