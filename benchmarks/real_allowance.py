"""The constants of the allowance for drift, fitted to natural pairs; `real_shifts.py` fits and tests them.

For every measure two numbers are fitted by maximum likelihood, each data set counting once: what every shift adds to
the standard error of an estimate, and what a difference between the estimate and the validated figure adds. The same
two are fitted for class proportions. They are the constants of ``shiftproof.case._drift.ALLOWANCES`` and of
``shiftproof.case._share_drift``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from scipy import optimize, stats

import real_runs
from shiftproof.case import ALLOWANCES, BREAK_CHANCE, BREAK_SIZE, SOFT_MEASURES, Case, drifted, one_hot, unknowable
from shiftproof.case._drift import Allowance, ShareShift, prior_weight
from shiftproof.case._share_drift import ShareAllowance, SpreadShares, drifted_shares
from shiftproof.case._shares import mean_shares, pooled_shares
from shiftproof.core import Floats

STUDENT = stats.t(4)
MEASURES = ("accuracy", "precision", "recall", "f1", "auc", "brier", "profit")
SHARE = "share"
#: By measure, and for class proportions: what every shift adds, and what a difference from the validated figure adds.
Constants = dict[str, tuple[float, float]]


def measured(case: Case, run: real_runs.RealRun) -> Iterator[dict[str, Any]]:
    """Yield every estimate of a pair before drift is added: its value, its error, and what is true."""
    prospect, k = case.prospect, case.prospect.candidates.k
    labels, equal = one_hot(run.y_new, k), np.full(len(run.y_new), 1 / len(run.y_new))
    about = {"set": run.data_set, "type": run.shift.kind, "refused": unknowable(run.shift, "natural")}
    about["prior"] = prior_weight(run.shift)
    for name in MEASURES if k == 2 else [name for name in MEASURES if name != "profit"]:
        soft = SOFT_MEASURES[name]
        validated = np.array(list(prospect.validated(name).values()))
        units = prospect.units(name) if name == "profit" else np.ones(len(validated))
        moved = drifted(
            prospect.estimate(name),
            prospect.by_calibration(name),
            measure=name,
            validated=validated,
            units=units,
            higher_is_better=soft.higher_is_better,
        )
        for at, side in enumerate(prospect.sides_for(name).values()):
            yield about | {
                "measure": name,
                "better": 1 if soft.higher_is_better else -1,
                "actual": soft.function(side.new, labels, equal).value,
                "value": moved.values[at],
                "moved": abs(moved.values[at] - validated[at]),
                "unit": units[at],
                "error": moved.covariance[at, at] ** 0.5,
            }
    yield from (about | row for row in _shares(case, run))


def _shares(case: Case, run: real_runs.RealRun) -> Iterator[dict[str, Any]]:
    """Yield the class proportions before drift is added, where more than they may have changed."""
    data, rows = case.prospect.candidates, np.arange(len(run.y_new))
    pooled, variances = pooled_shares(data, case.prospect.routes, rows)
    pooled = (pooled + mean_shares(case.prospect.calibrated, rows)) / 2
    old = data.prevalence
    chance = old * (1 - old) * ((data.base**2).sum() + 1 / len(rows))
    nothing = SpreadShares.without_errors(old)
    shares = drifted_shares(pooled, variances, nothing, old, chance, shift=ShareShift(prior=0.0))
    for code, actual in enumerate(np.bincount(run.y_new, minlength=data.k) / len(rows)):
        value, spread = shares.values[code], (old[code] * (1 - old[code])) ** 0.5
        yield {"measure": SHARE, "better": 1, "actual": actual, "value": value, "error": shares.sampling[code]} | {
            "moved": abs(value - old[code]),
            "unit": spread,
        }


def fit_all(frame: pd.DataFrame, without: str | None = None) -> Constants:
    """Fit all constants, by default to every data set."""
    # Where nothing is visible another, smaller allowance holds; other kinds of data get no estimate.
    known = frame[(frame["type"] != "none") & ~frame["refused"].astype(bool) & (frame["set"] != without)].dropna()
    return {str(name): _fit(part) for name, part in known.groupby("measure", sort=False)}


def _fit(frame: pd.DataFrame) -> tuple[float, float]:
    """Return the two constants that make what happened likeliest."""
    # Each data set counts once, and a case as far as it is not a change of the class proportions alone.
    weights = ((1 - frame["prior"]) / frame.groupby("set")["value"].transform("size")).to_numpy()
    off = (frame["better"] * (frame["actual"] - frame["value"])).to_numpy()
    unit, moved, error = (frame[name].to_numpy() for name in ("unit", "moved", "error"))
    broken = 0.0 if frame["measure"].iloc[0] == SHARE else BREAK_CHANCE

    def unlikely(logs: Floats) -> float:
        constant, by_move = np.exp(logs)
        scale = np.hypot(error, constant * unit + by_move * moved)
        calm, loss = (STUDENT.pdf((off + lost) / scale) / scale for lost in (0.0, BREAK_SIZE * constant * unit))
        return -float((weights * np.log((1 - broken) * calm + broken * loss)).sum())

    constant, by_move = np.exp(optimize.minimize(unlikely, np.log([0.03, 0.2]), method="Nelder-Mead").x)
    return float(constant), float(by_move)


@contextmanager
def using(constants: Constants) -> Iterator[None]:
    """Let the library allow for drift by these constants."""
    rules = {name: Allowance(constant=c, by_move=m) for name, (c, m) in constants.items() if name != SHARE}
    if "accuracy" in rules:
        rules["error"] = rules["accuracy"]
    share = dict(zip(("constant", "by_move"), constants[SHARE], strict=True)) if SHARE in constants else None
    with mock.patch.dict(ALLOWANCES, rules):  # type: ignore[arg-type]
        if share is None:
            yield
            return
        with mock.patch("shiftproof.case._share_drift._OF_POOL", ShareAllowance(**share)):
            yield
