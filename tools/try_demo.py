"""Find all splits of the demo's calls that show something, try the demo with other draws, and write docs/demo.md.

Usage::

    python tools/try_demo.py [--seeds 10]

It takes about twenty minutes. Run it when estimates or verdicts change, and copy the counts of the page to
`shiftproof.cli._demo_words`; a test compares the two.

Act one of the demo is chosen by the data alone, by a rule that was fixed before any of our intervals was seen. A split
parts the calls of a year, half-year or quarter from those that come next, or customers of one kind from the others.
It *meets the rule* if cross-validation puts the best model at least ten points above the constant answer, and the model
then loses at least five points. Of these, the demo has the one with the largest skill in whole points; if several have
it, the one with the most new calls.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import shiftproof as sp
from shiftproof.cli._demo_acts import LABELS, MODELS, halves

PAGE = Path(__file__).resolve().parents[1] / "docs" / "demo.md"
#: Attributes of a customer; the other columns are about the call.
ATTRIBUTES = ("age", "job", "marital", "education", "default", "balance", "housing", "loan")
#: Periods of so many months are labelled, and followed by others.
MONTHS = {12: "year", 6: "half-year", 3: "quarter"}
FEWEST, SKILL, LOSS = 500, 0.10, 0.05


class Split(NamedTuple):
    """Labelled and new calls, and what parts them."""

    name: str
    labelled: pd.DataFrame
    new: pd.DataFrame


def periods(calls: pd.DataFrame) -> dict[tuple[pd.Timestamp, int], pd.DataFrame]:
    """Return the calls of every year, half-year and quarter, by its first day and its number of months."""
    number = 12 * calls["t"].dt.year + calls["t"].dt.month - 1
    return {
        (pd.Timestamp(year=month // 12, month=month % 12 + 1, day=1), length): part
        for length in MONTHS
        for month, part in calls.groupby(number // length * length)
    }


def named(start: pd.Timestamp, length: int) -> str:
    """Return a period in words, such as "July to December 2009"."""
    end = start + pd.DateOffset(months=length - 1)
    return f"{start.year}" if length == 12 else f"{start:%B} to {end:%B} {end.year}"


def splits(calls: pd.DataFrame) -> Iterator[Split]:
    """Yield all splits with enough calls on both sides, and more than one in ten of each class in the labelled ones."""
    for split in _all_splits(calls):
        most = split.labelled["label"].value_counts(normalize=True).max()
        # Above 90%, no model can be ten points better.
        if min(len(split.labelled), len(split.new)) >= FEWEST and most <= 1 - SKILL:
            sides = (side.drop(columns="t").reset_index(drop=True) for side in split[1:])
            yield Split(split.name, *sides)


def _all_splits(calls: pd.DataFrame) -> Iterator[Split]:
    every = periods(calls)
    for (start, length), labelled in every.items():
        after = start + pd.DateOffset(months=length)
        for longer in MONTHS:
            if (after, longer) in every:
                yield Split(f"{named(start, length)}, then {named(after, longer)}", labelled, every[after, longer])
    for (start, length), part in every.items():
        for column in ATTRIBUTES:
            values = part[column]
            if pd.api.types.is_numeric_dtype(values):
                middle = values.median()
                sides = {f"{column} above {middle:g}": values > middle, f"{column} up to {middle:g}": values <= middle}
            else:
                sides = {f"{column} {value}": values == value for value in sorted(values.unique())}
            for name, chosen in sides.items():
                yield Split(f"{named(start, length)}: {name}", part[~chosen], part[chosen])


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


class Tried(NamedTuple):
    """A split, the model that cross-validation puts first, and its accuracies."""

    split: Split
    old: Fitted
    model: str
    validated: float
    baseline: float
    actual: float

    @property
    def skill(self) -> float:
        """How far the model beats the constant answer on the labelled calls."""
        return self.validated - self.baseline

    @property
    def meets_rule(self) -> bool:
        """Whether the model has skill, and then loses."""
        return self.skill >= SKILL and self.validated - self.actual >= LOSS


def tried(split: Split) -> Tried:
    """Cross-validate the models on the labelled calls, and measure the best on the new ones; estimate nothing."""
    old = fitted(split.labelled)
    codes = old.panel.classes_
    right = {name: float((codes[old.panel.predictions(name)] == old.y).mean()) for name in old.panel.names}
    model = max(right, key=lambda name: right[name])
    answers = codes[old.panel.apply(split.new.drop(columns="label"))[model].argmax(axis=1)]
    actual = float((answers == split.new["label"]).mean())
    return Tried(
        split, old, model, right[model], float(split.labelled["label"].value_counts(normalize=True).max()), actual
    )


def chosen(every: list[Tried]) -> Tried:
    """Return the split of the demo: the largest skill in whole points, then the most new calls."""
    return max(every, key=lambda one: (one.meets_rule, round(100 * one.skill), len(one.split.new)))


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
