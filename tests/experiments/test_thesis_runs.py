"""The problems and the machines of the thesis."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

from shiftproof.experiments import DataSources, _thesis_runs
from shiftproof.experiments._cells import GridCell, run_cell
from shiftproof.experiments._thesis_runs import (
    COSTS,
    PROBLEMS,
    SCALED,
    Margin,
    cost_of_equation_6_6,
    g_mean,
    libsvm_agreement,
    libsvm_line,
    load_problem,
    reversed_estimates,
    structured_estimates,
)
from shiftproof.quantification import StructuredClassifier


def test_problems_have_the_positives_of_table_5_2(shared_data: Path) -> None:
    sources = DataSources(shared_data)
    for problem, (size, attributes, positives) in PROBLEMS.items():
        X, y = load_problem(sources, problem)
        # The column CLASS of ctg, which gives away the label, is left out.
        assert X.shape == (size, attributes - problem.startswith("ctg"))
        assert y.sum() == positives
        if problem in SCALED:
            np.testing.assert_allclose(
                (X.mean(axis=0), X.std(axis=0)), ([0] * attributes, [0.5] * attributes), atol=1e-9
            )


def test_the_tuned_machine_is_that_of_a_grid_search() -> None:
    X, y = load_problem(DataSources(), "iris.2")
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    search = GridSearchCV(SVC(kernel="linear"), {"C": COSTS}, scoring=make_scorer(g_mean), cv=folds).fit(X, y)
    ours = Margin(tune=True, random_state=3).fit(X, y)
    assert search.best_params_["C"] == ours.C_
    assert (ours.predict(X) == search.predict(X)).all()


def test_scores_are_half_where_the_decision_turns() -> None:
    X, y = load_problem(DataSources(), "iris.2")
    ours = Margin().fit(X, y)
    assert (ours.predict(X) == SVC(kernel="linear").fit(X, y).predict(X)).all()
    scores = ours.predict_proba(X)
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    assert g_mean(y, np.zeros_like(y)) == g_mean(np.zeros_like(y), np.zeros_like(y)) == 0


def test_the_machine_is_libsvm_for_every_c() -> None:
    rows = libsvm_agreement(DataSources(), "wine.3")
    assert rows["C"].tolist() == list(COSTS)
    assert rows["agree"].min() > 0.99


def test_where_libsvm_does_not_end_the_hinge_loss_is_minimised_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_problem(DataSources(), "wine.3")
    libsvm = Margin().fit(X, y)
    monkeypatch.setattr(_thesis_runs, "LIBSVM_STEPS", 1)
    assert libsvm_line(X, y, 1.0) is None
    ours = Margin().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), libsvm.predict_proba(X), atol=0.01)


def solve_directly(X: NDArray[np.float64], y: NDArray[np.int_], beta: float) -> tuple[NDArray[np.float64], float]:
    """Solve equation 6.6 with C = 1 as it is printed: one constraint for each labelling of the rows."""
    rows, signs = np.column_stack([X, np.ones(len(X))]), 2 * y - 1
    others = np.array(list(itertools.product((-1, 1), repeat=len(y))))
    missed, false = (((signs == sign) & (others == -sign)).sum(axis=1) for sign in (1, -1))
    positives, negatives = (y == 1).sum(), (y == 0).sum()
    recall, nas = 1 - missed / positives, 1 - abs(missed - false) / max(positives, negatives)
    with np.errstate(divide="ignore"):
        # As one harmonic mean, so that a score of 0 gives 0.
        losses = 1 - (1 + beta**2) / (1 / recall + beta**2 / nas)
    slopes = (signs - others) @ rows
    constraint = {
        "type": "ineq",
        "fun": lambda w: slopes @ w[:-1] + w[-1] - losses,
        "jac": lambda _: np.column_stack([slopes, np.ones(len(slopes))]),
    }
    solved: Any = minimize(  # type: ignore[call-overload]
        lambda w: w[:-1] @ w[:-1] / 2 + w[-1],
        np.append(np.zeros(rows.shape[1]), 1.0),
        jac=lambda w: np.append(w[:-1], 1.0),
        constraints=[constraint],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    return solved.x[:-1], float(solved.fun)


@pytest.mark.parametrize(("seed", "n", "beta"), [(0, 9, 0.5), (1, 10, 2.0), (2, 10, 1e4)])
def test_the_c_of_eq_6_6_gives_its_direct_solution(seed: int, n: int, beta: float) -> None:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < 2 * n // 5).astype(int)
    X = rng.normal(size=(n, 2)) + y[:, None]
    weights, objective = solve_directly(X, y, beta)
    ours = StructuredClassifier("q", beta=beta, C=cost_of_equation_6_6(n), tolerance=1e-10).fit(X, y)
    assert ours.objective_[0] / (4 * n**2) == pytest.approx(objective, abs=1e-6)
    np.testing.assert_allclose(np.append(ours.coef_, ours.intercept_) / (2 * n), weights, atol=1e-6)


def test_each_c_is_tried_on_the_same_samples() -> None:
    frames = [
        run_cell(GridCell(structured_estimates, {"problem": "wine.3", "seed": 0, "cost": cost}), DataSources())[0]
        for cost in ("equation 6.6", "per row")
    ]
    assert (frames[0]["true"] == frames[1]["true"]).all()
    assert not np.allclose(frames[0]["estimated"], frames[1]["estimated"])


def test_reversed_labels_are_estimated_beside_the_others() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = reversed_estimates(DataSources(), problem="iris.1", seed=0)
    assert rows["method"].value_counts().to_dict() == {"T50": 110, "T50, reversed": 110}
