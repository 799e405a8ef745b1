"""The solver against other solvers: all constraints at once, and the usual support vector machine."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import LinearSVC

from shiftproof.quantification.structured._losses import make_loss
from shiftproof.quantification.structured._solver import Planes, mix, solve

Array = np.ndarray[Any, Any]


def task(n: int, d: int, seed: int, share: float = 0.4) -> tuple[Array, int]:
    """Rows with a constant column, positives first, negatives with the sign changed; and the number of positives."""
    rng = np.random.default_rng(seed)
    positives = max(1, round(share * n))
    X = rng.normal(size=(n, d))
    X[:positives, 0] += 1.0
    X = np.column_stack([X, np.ones(n)])
    X[positives:] *= -1
    return np.asfortranarray(X), positives


def objective(signed: Array, positives: int, name: str, C: float, w: Array) -> float:
    """Eq. 6.6 literally: all ways to label all rows."""
    n = len(signed)
    loss = make_loss(name, 2, positives, n - positives)  # type: ignore[arg-type]
    wrong = np.array(list(product([0, 1], repeat=n)))
    values = loss(wrong[:, :positives].sum(axis=1), wrong[:, positives:].sum(axis=1)) - wrong @ signed @ w / n
    return float(w @ w / 2 + C * n * values.max())


@pytest.mark.parametrize("name", ["nas", "q", "arithmetic", "f1", "error"])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_it_is_the_least_over_all_ways_to_label_the_rows(name: str, C: float) -> None:
    for seed in range(2):
        signed, positives = task(8, 2, seed)
        n = len(signed)
        loss = make_loss(name, 2, positives, n - positives)  # type: ignore[arg-type]
        found = solve(signed, loss, C=C, tolerance=1e-10, most_planes=500)
        assert found.converged
        assert found.objective == pytest.approx(objective(signed, positives, name, C, found.weights), rel=1e-12)
        least = by_all_constraints(signed, positives, name, C, found.weights)
        assert found.objective == pytest.approx(least, rel=1e-7)
        assert found.bound <= least * (1 + 1e-7)


def by_all_constraints(signed: Array, positives: int, name: str, C: float, near: Array) -> float:
    """Minimise under one constraint for each way to label all rows, from near some weights."""
    n = len(signed)
    wrong = np.array(list(product([0, 1], repeat=n)))
    loss = make_loss(name, 2, positives, n - positives)  # type: ignore[arg-type]
    offsets = loss(wrong[:, :positives].sum(axis=1), wrong[:, positives:].sum(axis=1))
    slopes = -wrong @ signed / n
    other = minimize(  # type: ignore[call-overload]
        lambda v: v[:-1] @ v[:-1] / 2 + C * n * v[-1],
        np.append(near * 0.9, n),
        jac=lambda v: np.append(v[:-1], C * n),
        constraints=LinearConstraint(np.column_stack([-slopes, np.ones(len(slopes))]), offsets, np.inf),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return objective(signed, positives, name, C, other.x[:-1])


@pytest.mark.parametrize(("n", "d", "C", "seed"), [(200, 5, 0.1, 0), (120, 3, 1.0, 1), (300, 10, 0.02, 2)])
def test_with_the_error_rate_it_is_the_usual_support_vector_machine(n: int, d: int, C: float, seed: int) -> None:
    """C n times the mean hinge loss is C times its sum, which is how LinearSVC counts."""
    signed, positives = task(n, d, seed)
    y = np.arange(n) < positives
    X = np.where(y[:, None], signed, -signed)
    usual = LinearSVC(loss="hinge", dual=True, C=C, tol=1e-11, max_iter=2_000_000, fit_intercept=False).fit(X, y)
    w = usual.coef_[0]
    wanted = w @ w / 2 + C * np.maximum(0, 1 - signed @ w).sum()
    found = solve(signed, make_loss("error", 2, positives, n - positives), C=C, tolerance=1e-11, most_planes=2000)
    assert found.objective == pytest.approx(wanted, rel=1e-8)
    assert found.bound <= wanted
    np.testing.assert_allclose(found.weights, w, atol=1e-4)


@pytest.mark.parametrize("name", ["nas", "q"])
def test_planes_of_another_c_change_the_way_and_not_the_end(name: str) -> None:
    signed, positives = task(400, 4, 3)
    loss = make_loss(name, 2, positives, 400 - positives)  # type: ignore[arg-type]
    how: dict[str, Any] = {"tolerance": 1e-7, "most_planes": 500}
    cold, other = (solve(signed, loss, C=C, **how) for C in (1.0, 1.2))
    from_planes = solve(signed, loss, C=1.2, planes=cold.planes, **how)
    again = solve(signed, loss, C=1.0, planes=cold.planes, **how)
    assert from_planes.objective == pytest.approx(other.objective, rel=2e-7)
    added = [len(solution.planes.offsets) - len(cold.planes.offsets) for solution in (from_planes, again)]
    assert max(added) < len(other.planes.offsets) / 2
    assert solve(signed, loss, C=1.0, **how).weights.tolist() == cold.weights.tolist()


def test_it_says_when_it_gave_up() -> None:
    signed, positives = task(300, 5, 4)
    found = solve(signed, make_loss("nas", 2, positives, 300 - positives), C=1, tolerance=1e-9, most_planes=5)
    assert not found.converged
    assert found.bound < found.objective < found.at_zero


def test_constant_and_large_columns_do_not_stop_the_error_rate() -> None:
    signed, positives = task(300, 4, 5)
    signed[:, 1] *= 1e6
    signed[:, 2] = signed[:, -1]
    found = solve(signed, make_loss("error", 2, positives, 300 - positives), C=1, tolerance=1e-4, most_planes=500)
    assert found.converged


def test_mixtures_of_planes_are_best_also_where_planes_repeat() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        k, d = int(rng.integers(1, 12)), int(rng.integers(1, 6))
        slopes = rng.normal(size=(k, d)) * 10.0 ** rng.integers(-3, 4, size=d)
        slopes[rng.integers(k)] = slopes[0]
        slopes = np.vstack([np.zeros(d), slopes])
        offsets = np.append(0.0, rng.random(k))
        products = slopes @ slopes.T
        shares = mix(products, offsets, np.eye(k + 1)[0])
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
        gradient = products @ shares - offsets
        # Of the best mixture no plane has a smaller gradient than the mean, those that are in it have the same.
        slack = 1e-9 * (1 + np.abs(products) @ shares)
        assert (gradient >= gradient @ shares - slack).all()


def test_planes_hold_everywhere() -> None:
    signed, positives = task(100, 3, 6)
    loss = make_loss("q", 2, positives, 100 - positives)
    planes: Planes = solve(signed, loss, C=1, tolerance=1e-6, most_planes=200).planes
    rng = np.random.default_rng(0)
    for w in rng.normal(size=(50, 4)):
        margins = signed @ w
        risk = loss.worst(margins[:positives], margins[positives:]).value
        assert (planes.offsets + planes.slopes @ w).max() <= risk + 1e-12
