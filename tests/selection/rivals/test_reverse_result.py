"""Which model beats which, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.selection.rivals._reverse_result import ReverseTest, beaten


def reverse(matrix: list[list[float]], **changed: Any) -> ReverseTest:
    usual: dict[str, Any] = {
        "names": tuple("abc"[: len(matrix)]),
        "matrix": np.array(matrix),
        "judges": "pair",
        "score": "accuracy",
        "confidence": None,
        "fits": 9,
        "seconds": 0.1,
        "n_labelled": 10,
        "n_new": 10,
    }
    return ReverseTest(**(usual | changed))


# The first beats both others; nobody can learn from the labels of the third.
THREE = [[0.9, 0.8, 0.7], [0.7, 0.6, 0.5], [np.nan] * 3]


def test_beaten_needs_both_judges_of_a_pair() -> None:
    assert beaten(np.array(THREE), "pair").tolist() == [[False, True, False], [False] * 3, [False] * 3]


def test_beaten_by_all_judges_ignores_the_order_of_equal_sums() -> None:
    # 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in floating point.
    assert not beaten(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3]]), "all").any()


def test_order_groups_models_by_net_wins() -> None:
    result = reverse(THREE)
    assert result.order == (("a",), ("c",), ("b",))
    assert result.wins == {"a": 1, "b": 0, "c": 0}
    assert result.undecided == (("a", "c"), ("b", "c"))
    assert result.victories() == [("a", ["b"]), ("c", []), ("b", [])]


def test_verdict_by_majority_of_resamples() -> None:
    confidence = np.array([[0.0, 0.2], [0.6, 0.0]])
    result = reverse([[0.9, 0.8], [0.7, 0.6]], confidence=confidence, resamples=10)
    # The matrix of means says a; more resamples say b.
    assert result.verdict("a", "b") == result.verdict("b", "a") == "b"
    assert result.to_frame()["confidence"].tolist() == [0.6]


def test_verdict_refuses_an_unknown_model() -> None:
    with pytest.raises(InputError, match="be one of the models"):
        reverse(THREE).verdict("a", "z")
