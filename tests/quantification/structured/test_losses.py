"""Losses of contingency tables: their values by other formulas, the worst table by looking at all."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.losses import nas, q_measure
from shiftproof.quantification.structured import _losses as _structured_losses
from shiftproof.quantification.structured._losses import TableLoss, check_loss, make_loss

Array = np.ndarray[Any, Any]
SIZES = [(1, 1), (1, 8), (8, 1), (2, 3), (3, 2), (5, 5), (2, 14), (14, 2), (7, 10), (10, 7)]
SEARCH = {
    "nas": "two separable sides, O(n)",
    "arithmetic": "two separable sides, O(n)",
    "error": "two separable sides, O(n)",
    "q": "divide and conquer, O(n log n)",
    "f1": "divide and conquer, O(n log n)",
}


def by_definition(name: str, beta: float, P: int, N: int) -> Array:
    """The losses of all tables, by our scores where there are some."""
    fn, fp = (cell.ravel() for cell in np.meshgrid(np.arange(P + 1.0), np.arange(N + 1.0), indexing="ij"))
    tp, tn = P - fn, N - fp
    n = P + N
    quantified = np.asarray(nas(np.full(len(fn), P / n), (tp + fp) / n))
    values = {
        "nas": 1 - quantified,
        "q": 1 - np.asarray(q_measure(tp, fp, fn, tn, beta)),
        "arithmetic": 1 - (tp / P + beta**2 * quantified) / (1 + beta**2),
        "f1": 1 - 2 * tp / (2 * tp + fp + fn),
        "error": (fp + fn) / n,
    }
    return np.asarray(values[name]).reshape(P + 1, N + 1)


def draws(rng: np.random.Generator, size: int, n: int) -> Array:
    """Margins of many kinds: small and large, tied, all equal, far apart."""
    margins = rng.normal(size=(size, n)) + rng.choice([0.0, 1.0, -1.0], (size, 1))
    margins *= 10.0 ** rng.choice([-3, -1, 0, 0, 1, 6], (size, 1))
    tied = rng.random(size) < 0.3
    margins[tied] = np.round(margins[tied])
    margins[rng.random(size) < 0.02] = 0.0
    far = rng.random((size, n)) < 0.01
    return np.where(far, rng.choice([-1e12, 1e12], (size, n)), margins)


def looked_up(losses: Array, *cells: Array) -> Array:
    """A loss that is a list of all its values."""
    return np.asarray(losses[cells[2].astype(int), cells[1].astype(int)])


def gains(margins: Array, n: int) -> Array:
    return np.pad(np.cumsum(-np.sort(margins, axis=1), axis=1), ((0, 0), (1, 0))) / n


def check_against_all_tables(loss: TableLoss, losses: Array, positive: Array, negative: Array) -> None:
    """Compare the worst tables with the largest of all sums, for many margins at once."""
    of_positive, of_negative = gains(positive, loss.n), gains(negative, loss.n)
    sums = losses + of_positive[:, :, None] + of_negative[:, None, :]
    largest = sums.max(axis=(1, 2))
    scale = 1e-13 * (1 + np.abs(positive).sum(axis=1) + np.abs(negative).sum(axis=1))
    found = [loss.worst(*pair) for pair in zip(positive, negative, strict=True)]
    assert (np.abs(np.array([each.value for each in found]) - largest) <= scale).all()
    p, q = np.array([(each.missed[0], each.false[0]) for each in found]).T
    assert (np.abs(sums[np.arange(len(p)), p, q] - largest) <= scale).all()
    assert (np.abs(np.array([each.loss for each in found]) - losses[p, q]) <= scale).all()


@pytest.mark.parametrize("name", SEARCH)
def test_the_worst_table_is_the_worst_of_all_in_20_000_cases(name: str) -> None:
    rng = np.random.default_rng(0)
    for at, (P, N) in enumerate(SIZES * 4):
        beta = (2.0, 0.5, 1.0, 7.0)[at // len(SIZES)]
        loss = make_loss(name, beta, P, N)  # type: ignore[arg-type]
        assert loss.search == SEARCH[name]
        losses = by_definition(name, beta, P, N)
        p, q = np.meshgrid(np.arange(P + 1), np.arange(N + 1), indexing="ij")
        np.testing.assert_allclose(loss(p, q), losses, atol=1e-14)
        check_against_all_tables(loss, losses, draws(rng, 500, P), draws(rng, 500, N))


@pytest.mark.parametrize("block", [3, 2**16])
def test_a_loss_of_ones_own_is_looked_for_in_all_tables(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_structured_losses, "_BLOCK", block)
    monkeypatch.setattr(_structured_losses, "_KEPT", 2**22 if block > 3 else 0)
    rng = np.random.default_rng(1)
    for P, N in SIZES:
        weird = np.abs(rng.normal(size=(P + 1, N + 1)))
        weird[0, 0] = 0.0
        loss = make_loss(partial(looked_up, weird), 2, P, N)
        assert loss.search == "all tables, O(P N)"
        check_against_all_tables(loss, weird, draws(rng, 200, P), draws(rng, 200, N))


def test_both_ends_of_beta_are_recall_and_nas() -> None:
    p, q = np.meshgrid(np.arange(4), np.arange(6), indexing="ij")
    for name in ("q", "arithmetic"):
        np.testing.assert_allclose(make_loss(name, 0, 3, 5)(p, q), p / 3)
        for beta in (math.inf, 1e200):
            np.testing.assert_allclose(make_loss(name, beta, 3, 5)(p, q), abs(p - q) / 5)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda *cells: cells[1] / cells[2],
            "loss must be finite and at least 0, got nan at tp=3, fp=0, fn=0, tn=4; define it for every table.",
        ),
        (
            lambda *cells: (cells[1] - cells[2]) / 9,
            "loss must be finite and at least 0, got -0.1111111111111111 at tp=2, fp=0, fn=1, tn=4; "
            "define it for every table.",
        ),
        (
            lambda *_: 1.0,
            "loss must give one value per table, got shape () for 1 tables; write loss(tp, fp, fn, tn) for arrays.",
        ),
        (lambda *cells: cells[1] + 1, "loss must be 0 for a table without errors, got 1; subtract that value."),
        (lambda *_: "much", "loss must give numbers, got 'much'; return one loss per table."),
    ],
)
def test_losses_that_are_none_get_one_sentence(function: Any, message: str) -> None:
    with np.errstate(invalid="ignore", divide="ignore"), pytest.raises(InputError) as caught:
        make_loss(function, 2, 3, 4)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("loss", "beta", "message"),
    [
        (
            "nass",
            2,
            "loss must be one of 'arithmetic', 'error', 'f1', 'nas', 'q'; got 'nass'. Did you mean 'nas'?",
        ),
        (3, 2, "loss must be the name of a loss or a function of tp, fp, fn and tn, got 3; 'arithmetic' is usual."),
        ("q", -1, "beta must be a number of at least 0, got -1; 2 favours quantification, 0.5 favours classification."),
        (
            "q",
            math.nan,
            "beta must be a number of at least 0, got nan; 2 favours quantification, 0.5 favours classification.",
        ),
        (
            "q",
            True,
            "beta must be a number of at least 0, got True; 2 favours quantification, 0.5 favours classification.",
        ),
    ],
)
def test_unknown_losses_and_betas_get_one_sentence(loss: Any, beta: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_loss(loss, beta)
    assert str(caught.value) == message
