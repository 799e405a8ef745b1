"""A small labelled past, and its backtest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from shiftproof.backtesting import Backtest, backtest


@pytest.fixture(scope="session")
def past() -> pd.DataFrame:
    """Return five months of 80 rows: the link between `a` and the label gets weaker, `b` takes over."""
    rng = np.random.default_rng(0)
    months = pd.date_range("2020-01-01", periods=5, freq="MS")
    day = np.concatenate([pd.date_range(month, periods=80, freq="6h") for month in months])
    n = len(day)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    weight = np.linspace(0, 1, n)
    y = (X["a"] * (1 - weight) + X["b"] * weight + 0.5 * rng.normal(size=n) > 0).astype(int)
    return X.assign(day=day, y=y)


@pytest.fixture(scope="session")
def result(past: pd.DataFrame) -> Backtest:
    """Return the backtest of two models, of accuracy and AUC."""
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    return backtest(models, past.drop(columns="y"), past["y"], "day", every="month", cv=3, measures=["accuracy", "auc"])
