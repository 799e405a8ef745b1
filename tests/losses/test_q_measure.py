"""Q-measure: equation 6.2, its two ends, Table 6.1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof import InputError
from shiftproof.losses import absolute_error, nas, nss, q_measure

counts = st.integers(0, 1000)
tables = st.tuples(counts, counts, counts, counts).filter(lambda cells: cells[0] + cells[2] > 0)
betas = st.one_of(st.floats(0, 1e6), st.just(math.inf))


def parts(tp: float, fp: float, fn: float, tn: float) -> tuple[float, float]:
    positives, negatives = tp + fn, fp + tn
    return tp / positives, 1 - abs(fn - fp) / max(positives, negatives)


@given(cells=tables, beta=st.floats(0.01, 100))
def test_equation_6_2(cells: tuple[int, int, int, int], beta: float) -> None:
    c, q = parts(*cells)
    below = beta**2 * c + q
    expected = (1 + beta**2) * c * q / below if below > 0 else 0.0
    assert q_measure(*cells, beta=beta) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(cells=tables)
def test_the_ends_are_recall_and_nas(cells: tuple[int, int, int, int]) -> None:
    c, q = parts(*cells)
    assert q_measure(*cells, beta=0) == pytest.approx(c)
    assert q_measure(*cells, beta=math.inf) == pytest.approx(q, abs=1e-12)
    assert q_measure(*cells) == q_measure(*cells, beta=2)
    assert q_measure(*cells, 1) == q_measure(*cells, beta=1)


@given(cells=tables, beta=betas)
def test_it_lies_between_its_parts(cells: tuple[int, int, int, int], beta: float) -> None:
    c, q = parts(*cells)
    assert min(c, q) - 1e-9 <= q_measure(*cells, beta=beta) <= max(c, q) + 1e-9


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, 1e6, 1e200])
def test_a_perfect_quantifier_without_recall_is_worth_nothing(beta: float) -> None:
    # Table 6.1: TP = 0, FP = P, FN = P, TN = N - P
    assert nas(50 / 150, 50 / 150) == 1
    assert q_measure(0, 50, 50, 50, beta) == 0
    assert q_measure(0, 50, 50, 50, math.inf) == 1


def test_both_parts_may_be_nothing() -> None:
    assert q_measure(0, 0, 50, 0, 1) == 0  # no recall, and NAS 0


def test_q_measure_is_1_without_errors() -> None:
    for beta in (0, 0.5, 1, 2, math.inf):
        assert q_measure(10, 0, 0, 90, beta) == pytest.approx(1)


def test_many_tables_at_once_in_any_shape() -> None:
    rng = np.random.default_rng(0)
    tp, fp, fn, tn = rng.integers(1, 100, size=(4, 3, 5))
    found = q_measure(tp, fp, fn, tn, 0.5)
    assert found.shape == (3, 5)
    assert found[2, 3] == q_measure(tp[2, 3], fp[2, 3], fn[2, 3], tn[2, 3], 0.5)
    np.testing.assert_array_equal(q_measure(tp, 3, fn, 4)[0], q_measure(tp[0], [3] * 5, fn[0], 4))
    assert type(q_measure(1, 2, 3, 4)) is float


def test_other_scores_by_name_and_by_function() -> None:
    cells = 30, 10, 20, 40
    assert q_measure(*cells, 0, classification="specificity") == pytest.approx(0.8)
    assert q_measure(*cells, 0, classification=lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn)) == pytest.approx(
        0.7
    )
    assert (
        q_measure(*cells, math.inf, quantification="nss")
        == nss(0.5, 0.4)
        == q_measure(*cells, math.inf, quantification=nss)
    )
    assert q_measure(*cells, math.inf, quantification=lambda p, q: 1 - absolute_error(p, q)) == pytest.approx(0.9)


@pytest.mark.parametrize("beta", [-1, math.nan, "2", True, None])
def test_beta(beta: Any) -> None:
    with pytest.raises(InputError) as caught:
        q_measure(1, 2, 3, 4, beta)
    hint = "2 favours quantification, 0.5 favours classification"
    assert str(caught.value) == f"beta must be a number of at least 0, got {beta!r}; {hint}."


def test_an_unknown_name() -> None:
    with pytest.raises(InputError) as caught:
        q_measure(1, 2, 3, 4, quantification="NAS")  # type: ignore[arg-type]
    assert str(caught.value) == "quantification must be one of 'nas', 'nss'; got 'NAS'. Did you mean 'nas'?"


def test_a_loss_is_no_score() -> None:
    with pytest.raises(InputError) as caught:
        q_measure(1, 2, 3, 4, quantification=absolute_error)
    assert str(caught.value) == "quantification must be 1 for a table without errors, got 0; subtract a loss from 1."


@pytest.mark.parametrize("value", [1.5, -0.5, math.nan])
def test_a_score_outside_of_0_to_1(value: float) -> None:
    with pytest.raises(InputError) as caught:
        q_measure(1, 2, 3, 4, classification=lambda true, estimated: 0 * (true + estimated) + value)
    assert str(caught.value) == f"classification must give scores from 0 to 1, got {value}; rescale it, 1 being best."
