"""The program of chapter 6, against our own losses and solver."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from shiftproof.experiments import DataSources, _thesis_program
from shiftproof.experiments._thesis_program import COST, SvmPerf, program_estimates, table_losses
from shiftproof.losses import q_measure
from shiftproof.quantification import StructuredClassifier


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, np.inf])
@pytest.mark.parametrize(("positives", "negatives"), [(3, 7), (5, 2)])
def test_losses_of_tables(beta: float, positives: int, negatives: int) -> None:
    tp, tn = np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1), indexing="ij")
    expected = 1 - np.asarray(q_measure(tp, negatives - tn, positives - tp, tn, beta=min(beta, 1e9)))
    if np.isinf(beta):
        # A harmonic mean with a score of 0 is 0, however little the score weighs.
        np.testing.assert_allclose(table_losses(positives, negatives, beta)[1:], expected[1:], atol=1e-12)
    else:
        np.testing.assert_allclose(table_losses(positives, negatives, beta), expected, atol=1e-12)


@pytest.mark.parametrize("beta", [0.5, 2.0, np.inf])
def test_with_more_precision_it_finds_our_weights(beta: float, monkeypatch: pytest.MonkeyPatch) -> None:
    X, labels = load_iris(return_X_y=True)
    y = (labels == 2).astype(int)
    monkeypatch.setattr(_thesis_program, "PRECISION", 1e-9)
    ours = StructuredClassifier("q", beta=beta, C=100 * COST / len(y), tolerance=1e-10).fit(X, y)
    program = SvmPerf(beta).fit(X, y)
    np.testing.assert_allclose(program.weights_, np.append(ours.coef_, ours.intercept_), atol=1e-4)


def test_where_no_weights_are_best_it_stops_before() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 240])
    X = rng.normal(size=(300, 3)) + 0.5 * y[:, None]
    with pytest.warns(Warning, match="no weights are better than none"):
        ours = StructuredClassifier("q", C=100 * COST / len(y)).fit(X, y)
    assert not ours.coef_.any()
    right = SvmPerf().fit(X, y).predict(X) == y
    assert right[y == 1].mean() > 0.5
    assert right[y == 0].mean() > 0.5


def test_estimates_have_all_four_losses() -> None:
    rows = program_estimates(DataSources(), problem="iris.3", seed=0)
    assert rows["method"].value_counts().to_dict() == {"Q0.5": 110, "Q1": 110, "Q2": 110, "NAS": 110}
