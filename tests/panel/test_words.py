"""What a panel says of itself."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import GaussianNB
from tests.panel.cases import task

from shiftproof.panel import cross_fit


def test_panel_repr_and_summary() -> None:
    X, y = task(60, 3)
    panel = cross_fit({"nb": GaussianNB()}, X, y, cv=3, repeats=2)
    assert repr(panel) == "Panel(nb; 60 rows, 3 classes, 3 folds, 2 times)"
    assert panel.summary() == (
        "1 model (nb) on 60 rows: 0 20, 1 20, 2 20. Each row was scored by models fitted without it (3 folds, 2 times)."
    )
    late = cross_fit({"nb": GaussianNB()}, X, y, cv=2, time=np.arange(60))
    assert late.summary().endswith("20 rows were never tested.")
