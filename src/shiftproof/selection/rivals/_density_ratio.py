"""Weights that make labelled data look like new data: the ratio of the two densities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import (
    Codes,
    Column,
    Floats,
    Phrase,
    Seed,
    Table,
    as_table,
    fault,
    generator,
    is_missing,
    lacks_columns,
    listed,
)
from shiftproof.data import LEFT_OUT, joint_kinds
from shiftproof.panel import TablePreparer, cross_fit

# Two rows of each table in every fold, at the least.
_FOLDS, _FEWEST_ROWS = 5, 10
# No row counts more than this many times the mean: a few rows would decide everything.
_MOST = 10.0
# Probabilities are kept this far off 0 and 1.
_SUREST = 1e-6
# The boosting is kept small: noise that it learns becomes noise in the weights.
_ROUNDS, _LEAVES = 50, 8


@dataclass(frozen=True, eq=False)
class DensityRatio:
    """Weights that make labelled rows look like the new ones.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        What each labelled row counts; they add up to 1.
    effective_rows : float
        How many rows of equal weight would tell as much, (sum w)^2 / sum w^2.
    clipped : float
        The share of rows whose weight was cut to the most that is allowed.
    """

    weights: Floats
    effective_rows: float
    clipped: float


def density_ratio(
    X: Any, X_new: Any, *, random_state: Seed = 0, n_jobs: int | None = None, most: float = _MOST
) -> DensityRatio:
    r"""Weigh labelled rows by how likely a classifier takes them for new ones.

    .. math:: w(x) = \frac{P(\text{new} \mid x)}{P(\text{old} \mid x)} \cdot \frac{n}{m}

    Parameters
    ----------
    X, X_new : tables of n and m rows
        Of any column types, with missing cells; categories that only one of them has are allowed.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and boosting.
    n_jobs : int, optional
        Number of fits to run in parallel.
    most : float
        Weights are cut at so many times their mean.

    Returns
    -------
    DensityRatio
        The weights, and how many rows they leave.

    Raises
    ------
    InputError
        If columns are missing or cannot be compared, or a table has fewer than ten rows.

    Notes
    -----
    A logistic regression and a small boosting of trees score each row out of fold. Both are calibrated by a logistic
    curve that never falls, and the one with the smaller log loss is taken. If neither tells anything, all rows weigh
    the same.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> old, new = rng.normal(0, 1, size=(800, 1)), rng.normal(1, 1, size=(800, 1))
    >>> result = density_ratio(old, new)
    >>> round(float(result.weights @ old[:, 0]), 1)
    1.0
    >>> result.effective_rows < 500
    True
    """
    if not most > 1:
        raise fault("most", "be above 1", most, "10 is usual")
    old, new = as_table(X), as_table(X_new, "X_new")
    table = _stacked(old, new)
    domain = np.repeat([0, 1], [old.n_rows, new.n_rows])
    odds = _log_odds(table, domain, generator(random_state), n_jobs)[: old.n_rows]
    # The factor n / m, and any other, falls out when the weights are made to add up to 1.
    return clipped_weights(np.exp(odds - odds.max()), most)


def clipped_weights(raw: Floats, most: float = _MOST) -> DensityRatio:
    """Cut weights at so many times their mean, and make them add up to 1.

    Examples
    --------
    >>> result = clipped_weights(np.array([1.0, 1.0, 10.0]), most=2)
    >>> result.weights.tolist(), result.clipped
    ([0.1, 0.1, 0.8], 0.3333333333333333)
    """
    limit = most * raw.mean()
    cut = np.minimum(raw, limit)
    weights = cut / cut.sum()
    return DensityRatio(weights, effective_rows(weights), float((raw > limit).mean()))


def effective_rows(weights: Floats) -> float:
    """Return the number of equally weighted rows with as much information as these.

    Examples
    --------
    >>> effective_rows(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def _stacked(old: Table, new: Table) -> dict[str, Any]:
    """Put one table below the other: numbers as floats, anything else as text."""
    for table, name in ((old, "X"), (new, "X_new")):
        if table.n_rows < _FEWEST_ROWS:
            hint = "a classifier cannot learn from fewer rows"
            raise fault(name, f"hold at least {_FEWEST_ROWS} rows", table.n_rows, hint)
    missing = [name for name in old.names if name not in new.names]
    if missing:
        raise lacks_columns("X_new", missing, "X", "check its header")
    kinds = {name: kind for name, kind in joint_kinds(old, new, warn=False).items() if kind not in LEFT_OUT}
    if not kinds:
        raise fault(
            "X",
            "have a column that can be compared",
            Phrase(f"only {listed(old.names)}"),
            "text and identifiers cannot be compared",
        )
    found: dict[str, Any] = {}
    for name, kind in kinds.items():
        pair = old.column(name), new.column(name)
        if kind == "nominal":
            found[name] = [cell for column in pair for cell in _texts(column)]
        else:
            found[name] = np.concatenate([column.floats() for column in pair])
    return found


def _texts(column: Column) -> list[str | None]:
    return [None if is_missing(cell) else str(cell) for cell in column.cells()]


def _log_odds(table: dict[str, Any], domain: NDArray[np.int64], rng: np.random.Generator, n_jobs: int | None) -> Floats:
    """Return each row's log odds of being new, by the better of two classifiers that never saw it."""
    panel = cross_fit(
        _classifiers(int(rng.integers(2**31))),
        table,
        domain,
        cv=_FOLDS,
        random_state=int(rng.integers(2**31)),
        n_jobs=n_jobs,
        # Only out-of-fold scores are used: a model is too sure of rows that it has seen.
        refit=False,
        progress=False,
    )
    calibrated = [_calibrated(scores[:, 1], domain) for scores in panel.out_of_fold.values()]
    return min(calibrated, key=lambda odds: _log_loss(odds, domain))


def _classifiers(seed: int) -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    boosting = HistGradientBoostingClassifier(
        max_iter=_ROUNDS, max_leaf_nodes=_LEAVES, early_stopping=False, random_state=seed
    )
    return {
        "logistic regression": make_pipeline(TablePreparer(), LogisticRegression(max_iter=2000)),
        "boosting": make_pipeline(TablePreparer(output="codes", impute=False), boosting),
    }


def _calibrated(scores: Floats, domain: Codes) -> Floats:
    """Fit a logistic curve to the scores' log odds; level where it would fall, as it does if the tables are alike."""
    from sklearn.linear_model import LogisticRegression

    odds = special.logit(np.clip(scores, _SUREST, 1 - _SUREST))
    # Platt's scaling: ratios of densities need probabilities, not only an order.
    curve = LogisticRegression(max_iter=200).fit(odds[:, None], domain)
    if curve.coef_[0, 0] <= 0:
        return np.full(len(odds), special.logit(domain.mean()))
    limit = special.logit(1 - _SUREST)
    return np.asarray(np.clip(curve.decision_function(odds[:, None]), -limit, limit))


def _log_loss(odds: Floats, domain: Codes) -> float:
    return float(np.mean(np.logaddexp(0, odds) - domain * odds))
