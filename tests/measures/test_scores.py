from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError
from shiftproof.measures._scores import IntervalPlan, Scores, kish

Y = [0, 1, 1]
P = [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"probabilities": [0.1, 0.2, 0.3]},
            "probabilities must have one row per case and one column per class, got one dimension; "
            "give one column per class, as np.column_stack([1 - p, p]).",
        ),
        (
            {"probabilities": [[0.5, math.nan]] * 3},
            "probabilities must be finite, got nan; drop or fill the 3 missing or infinite values first.",
        ),
        (
            {"probabilities": [[-0.5, 1.5]] * 3},
            "probabilities must lie between 0 and 1, got -0.5; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            {"probabilities": [[0.5, 0.5], [0.5, 0.25], [0.5, 0.5]]},
            "probabilities must have rows that sum to 1, got 0.75; divide each row by its sum.",
        ),
        (
            {"probabilities": [[1.0]] * 3},
            "probabilities must have at least 1 row and 2 columns, got shape (3, 1); give one column per class.",
        ),
        (
            {"y": [0, 1]},
            "y must have one value per row of probabilities, 3, got 2; give one label per row.",
        ),
        (
            {"y": [0, 1, 2]},
            "y must hold class codes from 0 to 1, got 2.0; code the labels by their column of probabilities.",
        ),
        ({"y": ["a", "b", "b"]}, "y must be numbers, got ['a', 'b', 'b']; convert text to numbers first."),
        ({"sample_weight": [1, -1, 1]}, "sample_weight must not be negative, got -1.0; use 0 to leave a row out."),
        ({"sample_weight": [0, 0, 0]}, "sample_weight must hold a positive weight, got 0.0; some row must count."),
        ({"sample_weight": [1, 1]}, "sample_weight must have one value per row, 3, got 2; give one weight per row."),
        ({"folds": [1, 2]}, "folds must have one fold per row, 3, got shape (2,); give the fold that scored each."),
        ({"positive": 2}, "positive must be 0 or 1, got 2; give the column of the positive class."),
        ({"threshold": 1.5}, "threshold must lie between 0 and 1, got 1.5; 0.5 is usual."),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(change: dict[str, Any], sentence: str) -> None:
    given: dict[str, Any] = {"y": Y, "probabilities": P} | change
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        Scores.of(given.pop("y"), given.pop("probabilities"), **given)


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"n_resamples": 10}])
def test_plans_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        IntervalPlan(**wrong)


def test_a_row_at_the_threshold_is_positive_whichever_class_that_is() -> None:
    assert Scores.of(Y, P, threshold=0.5).decisions.tolist() == [0, 1, 1]
    assert Scores.of(Y, P, positive=0, threshold=0.5).decisions.tolist() == [0, 0, 1]
    assert Scores.of(Y, P, threshold=0.6).decisions.tolist() == [0, 0, 1]


def test_without_a_threshold_a_tie_goes_to_the_first_class_whichever_is_positive() -> None:
    tied = [[0.5, 0.5], [0.4, 0.6]]
    for positive in (0, 1):
        assert Scores.of([0, 1], tied, positive=positive).decisions.tolist() == [0, 1]


def test_a_group_counts_as_one_row() -> None:
    scores = Scores.of([0, 1, 0, 1], [[0.9, 0.1], [0.2, 0.8]] * 2, groups=[7, 7, 7, 9])
    # three rows have a group of three, one is alone
    assert scores.per_group == scores.inflation == (9 + 1) / 4
    assert scores.remarks == ("a group counts as one row",)


def test_several_classes_take_the_most_probable() -> None:
    scores = Scores.of([0, 1, 2], [[0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])
    assert scores.decisions.tolist() == [0, 2, 1]
    assert scores.targets == (0, 1, 2)


def test_rows_of_weight_zero_are_left_out() -> None:
    scores = Scores.of(Y, P, sample_weight=[2, 0, 2], folds=[0, 1, 0])
    assert scores.y.tolist() == [0, 1]
    assert scores.n_folds == 1
    assert not scores.weighted
    assert scores.weights.tolist() == [1, 1]


def test_weights_of_any_scale_add_up_to_the_effective_size() -> None:
    for scale in (1e-300, 1.0, 1e300):
        scores = Scores.of(Y, P, sample_weight=np.array([1, 2, 3]) * scale)
        assert scores.weights.sum() == pytest.approx(kish(np.array([1.0, 2, 3])), rel=1e-12)
        assert scores.remarks == ("kish effective size",)


def test_folds_inflate_as_nadeau_and_bengio_say() -> None:
    scores = Scores.of([0, 1] * 10, [[0.5, 0.5]] * 20, folds=np.arange(20) % 10)
    assert scores.inflation == pytest.approx(10 * (1 / 10 + (1 / 10) / (9 / 10)))
    assert scores.remarks == ("nadeau-bengio over 10 folds",)
    assert scores.size(np.ones(20, dtype=bool)) == pytest.approx(20 / scores.inflation)
    assert kish(np.array([])) == 0


def test_scores_match_named_columns_and_refuse_groups_that_do_not_fit() -> None:
    right = np.array([[0.9, 0.1], [0.2, 0.8]])
    named = pd.DataFrame(right[:, ::-1], columns=[1, 0])
    assert Scores.of([0, 1], named).probabilities.tolist() == right.tolist()
    groups: Any
    for groups, words in (
        ([1], "groups must have one group per row, 2, got shape (1,); give the group of each row."),
        ([1, np.nan], "groups must be known for every row, got 1 missing value; drop these rows first."),
    ):
        with pytest.raises(InputError) as error:
            Scores.of([0, 1], right, groups=groups)
        assert str(error.value) == words
