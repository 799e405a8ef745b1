"""The tables of `real_shifts.py`: what audits said beside what was true, with standard errors by data set."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

#: Models whose accuracies differ by less are not worth ordering.
GAP = 0.01
TRUSTED_BELOW, DISTRUSTED_ABOVE = 0.1, 0.5
KINDS = ("natural", "natural2", "both", "textbook", "natural + prior", "halves")
#: The ends of the bins of chances.
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
#: A model that beats the majority by less should not be called trustworthy.
SKILL = 0.05
WORST = 10


class Frames(NamedTuple):
    """What was said and true: a row per model and measure, per class, and per pair of models."""

    estimates: pd.DataFrame
    shares: pd.DataFrame
    orders: pd.DataFrame


def error_of(values: pd.Series, sets: pd.Series) -> float:
    """Return the standard error of a mean whose cases depend on each other within a data set."""
    off = (values - values.mean()).groupby(sets).sum()
    return float(np.sqrt((off**2).sum()) / len(values)) if len(values) else float("nan")


def _mean(name: str, values: pd.Series, sets: pd.Series) -> dict[str, float]:
    known = values.dropna().astype(float)
    return {name: known.mean(), f"{name} se": error_of(known, sets[known.index])}


def _covered(frame: pd.DataFrame) -> pd.Series:
    # Numbers that were rounded on their way are still inside.
    return (frame["low"] - 1e-9 <= frame["actual"]) & (frame["actual"] <= frame["high"] + 1e-9)


def _off(frame: pd.DataFrame, name: str) -> pd.Series:
    return (frame[name] - frame["actual"]).abs()


def _by_kind(frame: pd.DataFrame, row: Callable[[pd.DataFrame], dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame([{"data": kind} | row(part) for kind, part in _kinds(frame)])


def _kinds(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for kind in KINDS:
        part = frame[frame["kind"].str.fullmatch("natural2?")] if kind == "both" else frame[frame["kind"] == kind]
        if len(part):
            yield kind, part


def _accuracy_row(frame: pd.DataFrame) -> dict[str, Any]:
    known = frame[frame["estimate"].notna()]
    names = {"error": "estimate", "cross-validation": "validated"}
    names |= {name: name for name in ("calibrated confidence", "average thresholded confidence")}
    row: dict[str, Any] = {"sets": known["set"].nunique(), "cases": len(known), "answered": len(known) / len(frame)}
    for name, column in names.items():
        row |= _mean(name, _off(known, column), known["set"])
    covered = _covered(known)
    row |= _mean("covered", covered, known["set"]) | {"width": (known["high"] - known["low"]).mean()}
    return row | {"covered by set": covered.groupby(known["set"]).mean().mean()}


def _type_rows(frame: pd.DataFrame) -> pd.DataFrame:
    known = frame[frame["estimate"].notna() & frame["kind"].str.fullmatch("natural2?")]
    return pd.DataFrame([{"type": kind} | _accuracy_row(part) for kind, part in known.groupby("type")])


def _measure_rows(estimates: pd.DataFrame) -> pd.DataFrame:
    known, rows = estimates[estimates["estimate"].notna() & estimates["actual"].notna()], []
    for measure, frame in known.groupby("measure", sort=False):
        for kind, part in _kinds(frame[frame["kind"].str.fullmatch("natural2?")]):
            row = {"measure": measure, "data": kind, "cases": len(part)}
            row |= _mean("error", _off(part, "estimate"), part["set"])
            row |= _mean("validated", _off(part, "validated"), part["set"])
            row |= _mean("covered", _covered(part), part["set"]) | {"width": (part["high"] - part["low"]).mean()}
            rows.append(row | _brier(part))
    return pd.DataFrame(rows)


def _brier(frame: pd.DataFrame) -> dict[str, float]:
    frame = frame[frame["chance"].notna()]
    happens = frame["lost"].mean()
    score, base = ((frame["chance"] - frame["lost"]) ** 2).mean(), happens * (1 - happens)
    return {"brier": score, "base rate": base, "ratio": score / base if base else float("nan")} | {
        "says": frame["chance"].mean(),
        "happens": happens,
    }


def _share_row(frame: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {"sets": frame["set"].nunique(), "cases": len(frame)}
    names = {"error": "estimate", "mean probability": "mean probability", "left as it was": "left as it was"}
    for name, column in names.items():
        row |= _mean(name, _off(frame, column), frame["set"])
    row |= _mean("covered", _covered(frame), frame["set"])
    return row | {"width": (frame["high"] - frame["low"]).mean()}


def _order_row(frame: pd.DataFrame) -> dict[str, Any]:
    pairs, choices = frame[frame["right"].notna()], frame[frame["regret"].notna()]
    row: dict[str, Any] = {"pairs": len(pairs), "choices": len(choices)}
    for name in ("right", "right by cross-validation"):
        row |= _mean(name, pairs[name], pairs["set"])
    row |= _mean("right, difference", pairs["right"] - pairs["right by cross-validation"], pairs["set"])
    for name in ("regret", "regret by cross-validation"):
        row |= _mean(name, choices[name], choices["set"])
    return row


def _bins(frame: pd.DataFrame) -> pd.DataFrame:
    """Say for each bin of chances how often the loss happened; the standard errors are by data set."""
    rows = []
    for low, high in itertools.pairwise(BINS):
        part = frame[(frame["chance"] >= low) & (frame["chance"] < high if high < 1 else frame["chance"] <= 1)]
        if len(part):
            error = error_of(part["lost"], part["set"])
            rows.append(
                {"from": low, "to": high, "cases": len(part), "says": part["chance"].mean()}
                | {"happens": part["lost"].mean(), "happens se": error}
            )
    return pd.DataFrame(rows)


def _verdicts(best: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for kind, part in _kinds(best):
        for verdict in ("trust", "check first", "do not trust", "cannot tell"):
            of_it = part[part["verdict"] == verdict]
            row = {"data": kind, "verdict": verdict, "pairs": len(of_it), "lost": int(of_it["lost"].sum())}
            rows.append(row | {"part": len(of_it) / len(part)})
    return pd.DataFrame(rows)


def _skilled(best: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for kind, part in _kinds(best):
        useful = part[part["validated"] - part["majority"] >= SKILL]
        rows.append({"data": kind, "pairs": len(useful), "trust": float((useful["verdict"] == "trust").mean())})
    return pd.DataFrame(rows)


def _worst(best: pd.DataFrame) -> pd.DataFrame:
    known = best[best["estimate"].notna()].assign(off=_off(best, "estimate"))
    parts = [part.nlargest(WORST, "off") for kind, part in _kinds(known) if kind in ("natural", "natural2")]
    names = [
        "kind",
        "set",
        "pair",
        "type",
        "model",
        "majority",
        "validated",
        "estimate",
        "low",
        "high",
        "actual",
        "chance",
        "verdict",
        "off",
    ]
    return pd.concat(parts)[names]


def all_tables(frames: Frames) -> dict[str, pd.DataFrame]:
    """Return every table by name."""
    estimates = frames.estimates
    accuracy = estimates[estimates["measure"] == "accuracy"]
    known, best = accuracy[accuracy["estimate"].notna()], accuracy[accuracy["model"] == accuracy["recommended"]]
    orders = frames.orders[~frames.orders["refused"].astype(bool)]
    natural = known[known["kind"].str.fullmatch("natural2?")]
    return {
        "accuracy": _by_kind(accuracy, _accuracy_row),
        "types": _type_rows(accuracy),
        "sets": pd.DataFrame([{"data": d} | _accuracy_row(p) for d, p in natural.groupby("set", sort=False)]),
        "measures": _measure_rows(estimates),
        "shares": _by_kind(frames.shares, _share_row),
        "share types": pd.DataFrame(
            [
                {"type": kind} | _share_row(part)
                for kind, part in dict(list(_kinds(frames.shares))).get("both", frames.shares).groupby("type")
            ]
        ),
        "orders": _by_kind(orders, _order_row),
        "chance": _by_kind(known, lambda part: {"cases": len(part)} | _brier(part)),
        "bins": _bins(natural),
        "verdicts": _verdicts(best),
        "skilled": _skilled(best),
        "worst": _worst(best),
    }


def as_json(tables: dict[str, pd.DataFrame]) -> str:
    """Write the tables as JSON with six digits, a line for each row."""
    parts = []
    for name, table in tables.items():
        rows = ({key: _plain(value) for key, value in row.items()} for row in table.to_dict("records"))
        parts.append(f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, rows)) + "\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return None if np.isnan(value) else round(value, 6)
    return value.item() if isinstance(value, np.generic) else value
