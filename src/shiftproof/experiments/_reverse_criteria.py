"""Section 3.2 of Fan and Davidson (2006): AIC stands for leave-one-out validation, and BIC for k folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict

from shiftproof.core import Floats
from shiftproof.experiments._cells import cell_seed
from shiftproof.experiments._reverse_runs import load_split
from shiftproof.panel import TablePreparer

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

#: The sets with two classes.
TWO_CLASSES = ("Breast", "Pima", "Vote")
CRITERIA = ("AIC", "leave-one-out", "BIC", "10 folds")


def criteria(sources: DataSources, dataset: str, seed: int) -> pd.DataFrame:
    """Return AIC and BIC of logistic regressions on the first columns of a set, beside their log loss on rows left out.

    AIC and BIC are divided by twice the number of rows, so that all four estimate the log loss of a row.
    """
    X, y, _, _ = load_split(sources, dataset, seed)
    columns = np.asarray(TablePreparer().fit_transform(X))
    codes, n = (y == np.unique(y)[1]).astype(int), len(y)
    folds = StratifiedKFold(10, shuffle=True, random_state=cell_seed(dataset, seed) % 2**31)
    rows = []
    for width in range(1, columns.shape[1] + 1):
        # Hardly any penalty: without one, separable rows have no largest likelihood.
        model, used = LogisticRegression(C=1e3, max_iter=1000), columns[:, :width]
        loss = _log_loss(model.fit(used, codes).predict_proba(used), codes)
        left_out = _log_loss(cross_val_predict(model, used, codes, cv=LeaveOneOut(), method="predict_proba"), codes)
        by_fold = _log_loss(cross_val_predict(model, used, codes, cv=folds, method="predict_proba"), codes)
        parameters = width + 1
        aic, bic = loss + parameters / n, loss + parameters * np.log(n) / (2 * n)
        rows.append((width, loss, aic, bic, left_out, by_fold))
    names = ["columns", "training", "AIC", "BIC", "leave-one-out", "10 folds"]
    return pd.DataFrame(rows, columns=names)


def criteria_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how far AIC and BIC are from what they stand for, and how many columns each would choose."""
    gaps = {
        "AIC from leave-one-out": (rows["AIC"] - rows["leave-one-out"]).abs(),
        "BIC from 10 folds": (rows["BIC"] - rows["10 folds"]).abs(),
        "training from leave-one-out": (rows["training"] - rows["leave-one-out"]).abs(),
    }
    by_set = pd.DataFrame(gaps).groupby(rows["dataset"], sort=False).mean()
    chosen = []
    for (dataset, _), models in rows.groupby(["dataset", "seed"], sort=False):
        widths = models["columns"].to_numpy()
        best = {f"columns by {name}": float(widths[models[name].to_numpy().argmin()]) for name in CRITERIA}
        chosen.append({"dataset": dataset, **best})
    return by_set.join(pd.DataFrame(chosen).groupby("dataset", sort=False).mean()).reset_index()


def _log_loss(probabilities: Floats, codes: NDArray[np.int_]) -> float:
    own = probabilities[np.arange(len(codes)), codes]
    return float(-np.log(np.clip(own, 1e-12, 1)).mean())
