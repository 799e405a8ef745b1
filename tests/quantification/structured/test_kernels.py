"""The kernels of the structural SVM against plain formulas, compiled and as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shiftproof.quantification.structured import _kernels as kernels

Array = np.ndarray[Any, Any]
BOTH = [lambda function: function, lambda function: function.py_func]


@pytest.mark.parametrize("form", BOTH)
def test_values_below_a_threshold_are_counted_and_added(form: Callable[[Any], Any]) -> None:
    assert form(kernels.below)(np.array([1.0, -2.0, 0.5, 3.0]), 1.0) == (2, -1.5)
    assert form(kernels.below)(np.array([1.0]), -np.inf) == (0, 0.0)


@pytest.mark.parametrize("form", BOTH)
@pytest.mark.parametrize("count", range(6))
def test_the_lowest_are_marked_and_the_first_of_ties(form: Callable[[Any], Any], count: int) -> None:
    margins = np.array([2.0, 1.0, 2.0, 0.0, 2.0])
    ordered = np.sort(margins)
    marks = np.full(5, 9.0)
    form(kernels.mark)(margins, count, ordered[count - 1] if count else -np.inf, marks)
    wanted = np.zeros(5)
    wanted[np.argsort(margins, kind="stable")[:count]] = 1.0
    np.testing.assert_array_equal(marks, wanted)


def table(kind: int, P: int, N: int, share: float) -> Array:
    """The losses of all tables, straight from their definitions."""
    p, q = np.meshgrid(np.arange(P + 1.0), np.arange(N + 1.0), indexing="ij")
    if kind == kernels.F1:
        return np.asarray(1 - 2 * (P - p) / (2 * (P - p) + p + q))
    recall, nas = 1 - p / P, 1 - (q - p if kind == kernels.OVER else p - q) / max(P, N)
    with np.errstate(invalid="ignore"):
        return np.asarray(1 - np.nan_to_num(recall * nas / (share * recall + (1 - share) * nas)))


@pytest.mark.parametrize("kind", [kernels.F1, kernels.OVER, kernels.UNDER])
def test_second_differences_have_one_sign(kind: int) -> None:
    """What divide and conquer stands on, for classes of all sizes."""
    for P in range(1, 12):
        for N in range(1, 12):
            for share in (0.2, 0.5, 0.8, 0.99):
                losses = table(kind, P, N, share)
                second = np.diff(np.diff(losses, axis=0), axis=1)
                assert (second if kind == kernels.UNDER else -second).min() >= -1e-12


@pytest.mark.parametrize("form", BOTH)
@pytest.mark.parametrize("kind", [kernels.F1, kernels.OVER, kernels.UNDER])
def test_divide_and_conquer_and_the_scan_find_the_largest_sum(form: Callable[[Any], Any], kind: int) -> None:
    rng = np.random.default_rng(kind)
    for P, N in [(1, 1), (1, 9), (9, 1), (4, 7), (7, 4), (12, 12)]:
        losses = table(kind, P, N, 0.8)
        positive, negative = rng.normal(size=P + 1) / 3, rng.normal(size=N + 1) / 3
        sums = losses + positive[:, None] + negative
        for value, p, q in (
            form(kernels.steepest)(kind, positive, negative, float(max(P, N)), 0.8),
            form(kernels.scan)(losses, positive, negative),
        ):
            assert value == pytest.approx(sums.max(), abs=1e-12)
            assert sums[p, q] == pytest.approx(sums.max(), abs=1e-12)
