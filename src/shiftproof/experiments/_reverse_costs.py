"""Stand-ins for Tables 15 to 18 of Fan and Davidson (2006), whose data we do not have: gifts, and a bank's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from shiftproof.experiments._cells import cell_seed
from shiftproof.experiments._reverse_printed import COST_LEARNERS
from shiftproof.measures import Amount, Benefit, fit_expected
from shiftproof.panel import cross_fit
from shiftproof.selection import cost_sensitive_models, reverse_test

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

#: The stand-ins: people who may give after a letter, as in KDD Cup 98; and people who may subscribe after a call.
STAND_INS = ("gifts", "calls")
LETTER = 0.68
#: A call costs 1; a subscription is worth 10. Both are ours: the data have no amounts.
CALL, SUBSCRIPTION = 1.0, 10.0
ROWS = 8000
#: Larger gifts are not learnt from, as in the paper.
LARGEST_GIFT = 50.0
_OURS = {
    "bNB": "binned naive Bayes",
    "uDT": "unpruned tree",
    "cDT": "curtailed tree",
    "RDT": "random trees",
}


class Market(NamedTuple):
    """Labelled and new rows, and what decisions about them are worth."""

    X: pd.DataFrame
    y: Any
    X_new: pd.DataFrame
    y_new: Any
    benefit: Benefit
    table: pd.DataFrame
    new_table: pd.DataFrame


def cost_learners() -> dict[str, Any]:
    """Return the paper's four learners under its names."""
    models = cost_sensitive_models()
    return {name: models[_OURS[name]] for name in COST_LEARNERS}


def load_market(sources: DataSources, dataset: str, seed: int) -> Market:
    """Return a stand-in."""
    return _gifts(seed) if dataset == "gifts" else _calls(sources, seed)


def _gifts(seed: int) -> Market:
    """Draw people with seven features; those who gave before are more often among the labelled ones (feature bias)."""
    rng = np.random.default_rng(cell_seed("gifts", seed))
    x = rng.normal(size=(4 * ROWS, 7))
    # P(s = 1 | x): the labelled people were chosen by the first two features.
    chosen = rng.random(len(x)) < 1 / (1 + np.exp(-1.5 * x[:, 0] - x[:, 1]))
    rows = np.flatnonzero(chosen)[:ROWS], rng.permutation(len(x))[:ROWS]
    odds = -3.4 + 0.7 * x[:, 0] - 0.5 * x[:, 2] + 0.6 * x[:, 3] * x[:, 1] + 0.4 * np.abs(x[:, 4])
    y = (rng.random(len(x)) < 1 / (1 + np.exp(-odds))).astype(int)
    gift = np.where(y == 1, np.exp(2.3 - 0.5 * x[:, 0] + 0.4 * x[:, 5] + 0.5 * rng.normal(size=len(x))), 0.0)
    X, X_new = (pd.DataFrame(x[part], columns=[f"x{at}" for at in range(7)]) for part in rows)
    expected = fit_expected(LinearRegression(), X, gift[rows[0]], y[rows[0]], most_amount=LARGEST_GIFT, random_state=0)
    # The expected amount is a feature, because decisions rest on it.
    X, X_new = X.assign(expected=expected.labelled), X_new.assign(expected=expected.predict(X_new))
    benefit = Benefit(tp=Amount(expected="expected", actual="gift", less=LETTER), fp=-LETTER)
    tables = (X.assign(gift=gift[rows[0]]), X_new.assign(gift=gift[rows[1]]))
    return Market(X, y[rows[0]], X_new, y[rows[1]], benefit, *tables)


def _calls(sources: DataSources, seed: int) -> Market:
    """Draw labelled calls from the first half of a bank's campaign, and new ones from the second."""
    rng = np.random.default_rng(cell_seed("calls", seed))
    # The duration is known only after the call.
    table = sources.read("drift_bank").sort_values("t", kind="stable").drop(columns=["t", "duration"])
    half = len(table) // 2
    rows = rng.choice(half, ROWS, replace=False), half + rng.choice(len(table) - half, ROWS, replace=False)
    parts = [table.iloc[np.sort(part)].reset_index(drop=True) for part in rows]
    (X, y), (X_new, y_new) = ((part.drop(columns="label"), part["label"].to_numpy()) for part in parts)
    benefit = Benefit(tp=SUBSCRIPTION - CALL, fp=-CALL)
    return Market(X, y, X_new, y_new, benefit, X, X_new)


def cost_totals(sources: DataSources, dataset: str, seed: int) -> pd.DataFrame:
    """Return what each learner's decisions about the new rows bring, and which learners ReverseTesting lets it beat."""
    market = load_market(sources, dataset, seed)
    totals = {}
    for name, learner in cost_learners().items():
        model = clone(learner).fit(market.X, market.y)
        decided = market.benefit.decide(model.predict_proba(market.X_new)[:, 1], market.new_table)
        totals[name] = float(market.benefit.total(market.y_new, decided, market.new_table).estimate)
    found = reverse_test(
        cost_learners(),
        market.X,
        market.y,
        market.X_new,
        benefit=market.benefit,
        table=market.table,
        new_table=market.new_table,
        n_jobs=1,
        progress=False,
    )
    beaten = {
        name: " ".join(other for other in COST_LEARNERS if other != name and found.verdict(name, other) == name)
        for name in COST_LEARNERS
    }
    rows = [(name, totals[name], beaten[name]) for name in COST_LEARNERS]
    return pd.DataFrame(rows, columns=["learner", "total", "beats"])


def cost_validated(sources: DataSources, dataset: str, seed: int, repeat: int) -> pd.DataFrame:
    """Return what each learner's decisions about the labelled rows bring, by ten-fold cross-validation."""
    market = load_market(sources, dataset, seed)
    panel = cross_fit(
        cost_learners(), market.X, market.y, cv=10, refit=False, random_state=repeat, n_jobs=1, progress=False
    )
    rows = []
    for name in COST_LEARNERS:
        decided = market.benefit.decide(panel.out_of_fold[name][:, 1], market.table)
        rows.append((name, float(market.benefit.total(market.y, decided, market.table).estimate)))
    return pd.DataFrame(rows, columns=["learner", "total"])
