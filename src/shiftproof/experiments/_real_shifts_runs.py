"""Audits of natural pairs: labelled and new rows of one table that time, place or group have made different."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from shiftproof.auditing import audit
from shiftproof.core import InputError
from shiftproof.experiments._cells import cell_seed
from shiftproof.experiments._natural_pairs import chosen_rows
from shiftproof.panel import default_models

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

#: The list of pairs: each is a rule for the labelled rows and one for the new rows of a table.
PAIRS = "natural_pairs"
#: The tables in the order of the list, and how many pairs it has of each.
TABLES = {
    "rain_aus": 14,
    "hotel": 12,
    "diabetes130": 7,
    "heart": 6,
    "wine": 3,
    "compas": 8,
    "adult": 8,
    "bike": 9,
    "student": 3,
    "shoppers": 6,
    "nhanes": 5,
    "mpls_stops": 9,
    "hflights": 8,
    "credit_taiwan": 4,
    "spam": 8,
    "gss_vocab": 9,
    "beijing_pm25": 7,
    "portal_rats": 4,
    "f1": 8,
    "sba_california": 5,
}
MODELS = ("lr", "forest", "nb")
MOST_ROWS, FOLDS, LEVEL = 1500, 5, 0.9


class NaturalRows(NamedTuple):
    """Features and labels of both sides."""

    X: pd.DataFrame
    y: Any
    X_new: pd.DataFrame
    y_new: Any


def read_pairs(sources: DataSources) -> list[dict[str, Any]]:
    """Read the list of pairs."""
    path = sources.path(PAIRS)
    if path is None:
        raise InputError(f"real-shifts needs the file {PAIRS}.json; name the folder that holds it with --data")
    pairs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    if [pair["set"] for pair in pairs] != [name for name, count in TABLES.items() for _ in range(count)]:
        raise InputError(
            f"{path} has other pairs than this version knows; get the list of {sum(TABLES.values())} pairs"
        )
    return pairs


@lru_cache(maxsize=2)
def _table(sources: DataSources, name: str) -> pd.DataFrame:
    return sources.read(name)


def read_rows(sources: DataSources, pair: dict[str, Any], seed: int) -> NaturalRows:
    """Read both sides of a pair, at most 1,500 rows each."""
    table = _table(sources, f"natural_{pair['set']}")
    rng = np.random.default_rng(cell_seed(pair["set"], pair["name"], seed))
    sides = []
    for side in ("old", "new"):
        rows = np.sort(rng.permutation(chosen_rows(table, pair[side]))[:MOST_ROWS])
        sides.append(table.iloc[rows].reset_index(drop=True))
    hidden = ["label", *pair["drop"]]
    (X, y), (X_new, y_new) = ((part.drop(columns=hidden), part["label"].to_numpy()) for part in sides)
    return NaturalRows(X, y, X_new, y_new)


def audited_pair(sources: DataSources, dataset: str, pair: int, seed: int) -> pd.DataFrame:  # noqa: ARG001 - a name
    """Audit a pair without the labels of its new rows, then verify the audit by them: one row per claim.

    Parameters
    ----------
    dataset : str
        The table; part of the name of the cell alone.
    pair : int
        The number of the pair in the list.
    """
    chosen = read_pairs(sources)[pair]
    rows = read_rows(sources, chosen, seed)
    names = ["verdict", "type", "best", "about", "measure", "validated", "estimate", "low", "high", "actual"]
    # With fewer rows of a class there is nothing to fold.
    if np.unique(rows.y, return_counts=True)[1].min() < 2 * FOLDS:
        return pd.DataFrame([], columns=names)
    result = audit(
        default_models(only=list(MODELS)),
        rows.X,
        rows.y,
        rows.X_new,
        quick=True,
        reverse=False,
        level=LEVEL,
        cv=FOLDS,
        random_state=seed,
        n_jobs=1,
        progress=False,
    )
    found = [
        (result.verdict, result.shift.kind, result.best, claim.about, claim.measure, claim.validated, claim.estimate,
         claim.low, claim.high, claim.actual)
        for claim in result.verify(rows.y_new).claims
    ]  # fmt: skip
    frame = pd.DataFrame(found, columns=names)
    numbers = names[5:]
    return frame.assign(**{name: frame[name].astype(float) for name in numbers}, about=frame["about"].astype(str))
