from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp


@pytest.fixture(scope="package")
def stress_result() -> sp.Stress:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=400) > 0.3, "yes", "no")
    models = {"lr": LogisticRegression(), "nb": GaussianNB(), "<b>$x$</b>": GaussianNB(var_smoothing=0.1)}
    return sp.stress(models, X, y, families=sp.simulation.FAMILIES, by_class=True)
