"""Try the demo with other customers, other halves and other labels, and write docs/demo.md.

Usage::

    python tools/try_demo.py [--seeds 10]

It takes about five minutes. Run it when estimates or verdicts change, and copy the counts at the end of the page to
`shiftproof.cli._demo_words`; a test compares the two.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import shiftproof as sp
from shiftproof.cli._demo_acts import LABELS, MODELS, halves

PAGE = Path(__file__).resolve().parents[1] / "docs" / "demo.md"
SELECTIONS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "no mortgage (the demo)": lambda calls: calls["housing"] == "no",
    "no mortgage and no other loan": lambda calls: (calls["housing"] == "no") & (calls["loan"] == "no"),
    "called in an earlier campaign": lambda calls: calls["poutcome"] != "unknown",
    "students and retired": lambda calls: calls["job"].isin(["student", "retired"]),
    "55 and older": lambda calls: calls["age"] >= 55,
    "June to December": lambda calls: ~calls["month"].isin(["jan", "feb", "mar", "apr", "may"]),
    "under 30": lambda calls: calls["age"] < 30,
    "university degree": lambda calls: calls["education"] == "tertiary",
    "balance below zero": lambda calls: calls["balance"] < 0,
    "single": lambda calls: calls["marital"] == "single",
    "on a mobile phone": lambda calls: calls["contact"] == "cellular",
    "first call of the campaign": lambda calls: calls["campaign"] == 1,
}
MODEL = MODELS[0]
TEXT = """# How the demo was chosen

This page has the evidence behind `shiftproof demo`; for the how-to, see the [tutorial](tutorial.md). A demo can be
chosen to flatter a tool, so here is everything that we tried. `tools/try_demo.py` runs it again and writes this page.
The figures are from {date}. All accuracies are those of {model}, with 90% intervals.

## Other customers in act one
The models are trained on a random half of the calls from 2009 (seed 0). The new data are the calls in the other half
to one group of customers. Cross-validation estimates {validated} in each row.

| new data | calls | always "no" | estimate | actual | result |
|---|---|---|---|---|---|
{selections}

For the {others} other groups, {right} intervals contain the actual accuracy ("right"), {wrong} miss it ("wrong"), and
{refused} estimates are refused. The intervals are wide because they allow for [drift](concepts.md#drift): the rules
linking features and label may differ between groups of customers.

## Other halves in act one
We drew the halves {seeds} times (seeds 0 to {last}). The interval for customers without a mortgage contains the actual
accuracy in {first_right} of {seeds} draws.

## Other labels in act three
We drew {labels} calls from 2010 to label, {seeds} times (seeds 0 to {last}). The interval contains the actual accuracy,
{third_actual}, in {third_right} of {seeds} draws. Across the draws, the intervals reach down to {lowest} and
up to {highest}.

## Other halves with `--no-shift`
We compared one random half of the calls from 2009 with the other half, {seeds} times (seeds 0 to {last}). The
verdict is {verdicts}.
The interval contains the actual accuracy in {same_right} of {seeds} draws.
"""


class Fitted(NamedTuple):
    """Labelled calls, and the demo's models of them."""

    panel: sp.Panel
    X: pd.DataFrame
    y: pd.Series


def fitted(labelled: pd.DataFrame) -> Fitted:
    """Return the demo's models on labelled calls."""
    X, y = labelled.drop(columns="label"), labelled["label"]
    return Fitted(sp.cross_fit(sp.default_models(only=MODELS), X, y, cv=5), X, y)


def estimated(old: Fitted, new: pd.DataFrame, **more: object) -> tuple[sp.Interval, float]:
    """Return the interval for the first model's accuracy, and the actual value."""
    result = sp.estimate_performance(*old, new.drop(columns="label"), **more)
    return result.interval(MODEL), result.truth(new["label"])[MODEL]["accuracy"]


def covers(interval: sp.Interval, actual: float) -> bool:
    """Say whether an interval contains a value; one that was refused does not."""
    return interval.low <= actual <= interval.high


def line(name: str, new: pd.DataFrame, interval: sp.Interval, actual: float) -> tuple[str, str]:
    """Return a row of the table, and how the estimate ended."""
    result = "refused" if interval.low != interval.low else "right" if covers(interval, actual) else "wrong"
    said = "–" if result == "refused" else f"{interval.low:.1%} to {interval.high:.1%}"
    baseline = (new["label"] == 0).mean()
    return f"| {name} | {len(new):,} | {baseline:.1%} | {said} | {actual:.1%} | {result} |", result


def main() -> None:
    """Try everything and write the page."""
    parser = argparse.ArgumentParser(description="Try the demo with other customers, halves and labels.")
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore", sp.ShiftproofWarning)
    facts: dict[str, object] = {"seeds": seeds, "last": seeds - 1, "labels": LABELS, "model": MODEL}
    first_right = same_right = 0
    verdicts: Counter[str] = Counter()
    for seed in range(seeds):
        labelled, rest = halves(seed)
        old = fitted(labelled)
        tried = {
            name: rest[chosen(rest)].reset_index(drop=True)
            for name, chosen in list(SELECTIONS.items())[: None if seed == 0 else 1]
        }
        ends = {name: estimated(old, new) for name, new in tried.items()}
        first_right += covers(*next(iter(ends.values())))
        if seed == 0:
            lines, results = zip(*(line(name, tried[name], *end) for name, end in ends.items()), strict=True)
            tally = Counter(results[1:])
            facts |= {name: tally[name] for name in ("right", "wrong", "refused")}
            facts |= {"selections": "\n".join(lines), "others": len(results) - 1}
            facts["validated"] = f"{sp.evaluate(*old).estimates[MODEL]['accuracy'].estimate:.1%}"
        same = sp.audit(*old, rest.drop(columns="label"), quick=True)
        verdicts[same.verdict] += 1
        same_right += covers(same.performance.interval(MODEL), same.performance.truth(rest["label"])[MODEL]["accuracy"])
        print(f"seed {seed}: {verdicts}", flush=True)
    old, new = fitted(sp.load_demo(year=2009)), sp.load_demo(year=2010)
    blind = sp.estimate_performance(*old, new.drop(columns="label"))
    plans = [blind.plan(LABELS, model=MODEL, random_state=seed).rows.tolist() for seed in range(seeds)]
    drawn = [estimated(old, new, labels={row: new["label"][row] for row in rows}) for rows in plans]
    facts |= {"first_right": first_right, "third_right": sum(covers(*end) for end in drawn), "same_right": same_right}
    facts |= {
        "lowest": f"{min(end.low for end, _ in drawn):.1%}",
        "highest": f"{max(end.high for end, _ in drawn):.1%}",
    }
    facts |= {"third_actual": f"{drawn[0][1]:.1%}", "date": f"{datetime.now(UTC):%d %B %Y}"}
    facts["verdicts"] = ", ".join(f"{verdict!r} in {count} of {seeds}" for verdict, count in verdicts.most_common())
    PAGE.write_text(TEXT.format(**facts), encoding="utf-8")
    print(f"page: {PAGE}")


if __name__ == "__main__":
    main()
