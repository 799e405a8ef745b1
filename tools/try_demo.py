"""Find all splits of the demo's calls that show something, try the demo with other draws, and write docs/demo.md.

Usage::

    python tools/try_demo.py [--seeds 10]

It takes about ten minutes. Run it when estimates or verdicts change, and copy the counts of the page to
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
from shiftproof.cli._demo_acts import LABELS, MODELS, by_balance, halves

PAGE = Path(__file__).resolve().parents[1] / "docs" / "demo.md"
#: Attributes of a customer; the other columns are about the call.
ATTRIBUTES = ("age", "job", "marital", "education", "default", "balance", "housing", "loan")
#: Periods of so many months are labelled, and followed by others.
MONTHS = {12: "year", 6: "half-year", 3: "quarter"}
FEWEST, SKILL, LOSS = 500, 0.10, 0.05
#: Where more than four of five calls end the same way, no model of these calls is ten points better than that answer.
MOST = 0.8
TEXT = """# How the demo was chosen

This page has the evidence behind `shiftproof demo`; for the how-to, see the [tutorial](tutorial.md). A demo can be
chosen to flatter a tool, so here is everything that we tried. `tools/try_demo.py` runs it again and writes this page.
The figures are from {date}. Intervals are 90% intervals of accuracy.

## Which calls are in act one
Act one should show a model that has skill and then loses some. The data alone choose it, by a rule that was fixed
before we looked at any of our intervals:

1. *Splits*. The labelled calls are those of a year, half-year or quarter, and the new calls those of the year,
   half-year or quarter that follows. Or the calls of one such period are split by one attribute of the customer: age,
   job, marital status, education, credit in default, balance, mortgage or other loan. For age and balance, the median
   splits them. Otherwise, the new calls are those to customers with one value of the attribute. Each side has at least
   {fewest} calls. At most {most} of the labelled calls have the same answer; others were not tried, because a model can
   hardly be {skill} points better there.
2. *Skill*. Cross-validation puts the best of the three models at least {skill} points above the constant answer.
3. *Loss*. On the new calls, this model is at least {loss} points less accurate than cross-validation estimates.
4. *Choice*. The split with the largest skill in whole points; if several have it, the one with the most new calls.

The attribute that splits the calls is not used as a feature, as in [our other natural shifts](how-right.md). At first
we kept it. Then "2010: housing no" came first, and its new values alone led to a refusal. So we left the attribute out,
applied the same rule again, and took the first split of the new order.

Of {tried} splits, {skilled} have skill, and {meeting} of these have a loss as well. They are all listed, in the order
of the rule; the first one is act one of the demo. The labelled calls are those of the first period, or those to all
other customers. *Constant* is the accuracy of always giving the most frequent answer of the labelled calls.

{head}
{lines}

{right} intervals contain the actual accuracy ("right"), {wrong} miss it ("wrong"), and {refused} estimates are refused.
The intervals are wide because they allow for [drift](concepts.md#drift): the rules linking features and label may
differ between groups of customers.

## Other folds in act one
We drew the folds {seeds} times (seeds 0 to {last}). The interval for the recommended model contains the actual accuracy
in {first_right} of {seeds} draws.

## Other labels in act three
We drew {labels} calls from 2010 to label, {seeds} times (seeds 0 to {last}). The interval for {model} contains the
actual accuracy, {third_actual}, in {third_right} of {seeds} draws. Across the draws, the intervals reach down to
{lowest} and up to {highest}.

## Other halves with `--no-shift`
We compared one random half of the calls from 2009 with the other half, {seeds} times (seeds 0 to {last}). The
verdict is {verdicts}.
The interval contains the actual accuracy in {same_right} of {seeds} draws.
"""
COLUMNS = (
    *("new calls are", "labelled calls", "new calls", "model", "constant", "cross-validation"),
    *("estimate", "actual", "constant, new calls", "verdict", "result"),
)


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
    """Yield all splits with enough calls on both sides, and enough of both answers in the labelled ones."""
    for split in _all_splits(calls):
        most = split.labelled["label"].value_counts(normalize=True).max()
        if min(len(split.labelled), len(split.new)) >= FEWEST and most <= MOST:
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
                # Each side has its own values of the column, so no model can use it.
                rest = part.drop(columns=column)
                yield Split(f"{named(start, length)}: {name}", rest[~chosen], rest[chosen])


class Fitted(NamedTuple):
    """Labelled calls, and the demo's models of them."""

    panel: sp.Panel
    X: pd.DataFrame
    y: pd.Series


def fitted(labelled: pd.DataFrame, seed: int = 0) -> Fitted:
    """Return the demo's models on labelled calls."""
    X, y = labelled.drop(columns="label"), labelled["label"]
    return Fitted(sp.cross_fit(sp.default_models(only=MODELS), X, y, cv=5, random_state=seed), X, y)


class Tried(NamedTuple):
    """A split, the model that cross-validation puts first, and its accuracies."""

    split: Split
    old: Fitted
    model: str
    validated: float
    actual: float

    @property
    def baselines(self) -> tuple[float, float]:
        """How often the most frequent answer of the labelled calls is right for them, and for the new calls."""
        answer = self.split.labelled["label"].mode()[0]
        return tuple(float((side["label"] == answer).mean()) for side in self.split[1:])

    @property
    def skill(self) -> float:
        """How far the model beats the constant answer on the labelled calls."""
        return self.validated - self.baselines[0]

    @property
    def meets_rule(self) -> bool:
        """Whether the model has skill, and then loses."""
        return self.skill >= SKILL and self.validated - self.actual >= LOSS

    @property
    def row(self) -> tuple[str, str]:
        """The row of the table, and how the estimate ended; only here is anything estimated."""
        audit = sp.audit(*self.old, self.split.new.drop(columns="label"), quick=True)
        interval = audit.performance.interval(self.model)
        end = "refused" if interval.low != interval.low else "right" if covers(interval, self.actual) else "wrong"
        said = "–" if end == "refused" else f"{interval.low:.1%} to {interval.high:.1%}"
        calls, (old, new) = [f"{len(side):,}" for side in self.split[1:]], self.baselines
        cells = (self.split.name, *calls, self.model, f"{old:.1%}", f"{self.validated:.1%}", said)
        cells += (f"{self.actual:.1%}", f"{new:.1%}", audit.verdict, end)
        return f"| {' | '.join(cells)} |", end


def tried(split: Split, seed: int = 0) -> Tried:
    """Cross-validate the models on the labelled calls, and measure the best on the new ones; estimate nothing."""
    old = fitted(split.labelled, seed)
    codes = old.panel.classes_
    right = {name: float((codes[old.panel.predictions(name)] == old.y).mean()) for name in old.panel.names}
    model = max(right, key=lambda name: right[name])
    answers = codes[old.panel.apply(split.new.drop(columns="label"))[model].argmax(axis=1)]
    return Tried(split, old, model, right[model], float((answers == split.new["label"]).mean()))


def order(one: Tried) -> tuple[int, int]:
    """Return by what the split of the demo is chosen: the skill in whole points, then the number of new calls."""
    return round(100 * one.skill), len(one.split.new)


def covers(interval: sp.Interval, actual: float) -> bool:
    """Say whether an interval contains a value; one that was refused does not."""
    return interval.low <= actual <= interval.high


def act_one(seeds: int) -> dict[str, object]:
    """Try all splits, and the chosen one with other folds."""
    every = [tried(split) for split in splits(sp.load_demo())]
    meeting = sorted((one for one in every if one.meets_rule), key=order, reverse=True)
    lines, ends = zip(*(one.row for one in meeting), strict=True)
    print(f"{len(every)} splits, {len(meeting)} meet the rule", flush=True)
    first, right = meeting[0], 0
    for seed in range(seeds):
        old = fitted(first.split.labelled, seed)
        audit = sp.audit(*old, first.split.new.drop(columns="label"), quick=True, random_state=seed)
        truth = audit.performance.truth(first.split.new["label"])[audit.best]["accuracy"]
        right += covers(audit.performance.interval(audit.best), truth)
    tally = Counter(ends)
    facts = {"tried": len(every), "meeting": len(meeting), "skilled": sum(one.skill >= SKILL for one in every)}
    facts["head"] = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"
    facts |= {"lines": "\n".join(lines), "first": first.split.name, "first_right": right}
    return facts | {name: tally[name] for name in ("right", "wrong", "refused")}


def act_three(seeds: int) -> dict[str, object]:
    """Label other calls of the next year."""
    old, new = fitted(sp.load_demo(year=2009)), sp.load_demo(year=2010)
    X_new = new.drop(columns="label")
    blind = sp.estimate_performance(*old, X_new)
    model = tried(demo_split()).model
    actual = blind.truth(new["label"])[model]["accuracy"]
    drawn = []
    for seed in range(seeds):
        rows = blind.plan(LABELS, model=model, random_state=seed).rows.tolist()
        labels = {row: new["label"][row] for row in rows}
        drawn.append(sp.estimate_performance(*old, X_new, labels=labels).interval(model))
    return {
        "third_right": sum(covers(interval, actual) for interval in drawn),
        "third_actual": f"{actual:.1%}",
        "model": model,
        "lowest": f"{min(interval.low for interval in drawn):.1%}",
        "highest": f"{max(interval.high for interval in drawn):.1%}",
    }


def demo_split() -> Split:
    """Return the split of act one as the demo plays it."""
    return Split("the demo", *by_balance())


def no_shift(seeds: int) -> dict[str, object]:
    """Compare halves in which nothing changed."""
    verdicts: Counter[str] = Counter()
    right = 0
    for seed in range(seeds):
        labelled, rest = halves(seed)
        same = sp.audit(*fitted(labelled), rest.drop(columns="label"), quick=True)
        verdicts[same.verdict] += 1
        actual = same.performance.truth(rest["label"])[same.best]["accuracy"]
        right += covers(same.performance.interval(same.best), actual)
        print(f"seed {seed}: {verdicts}", flush=True)
    words = ", ".join(f"{verdict!r} in {count} of {seeds}" for verdict, count in verdicts.most_common())
    return {"verdicts": words, "same_right": right}


def main() -> None:
    """Try everything and write the page."""
    parser = argparse.ArgumentParser(description="Find splits for the demo, and try other folds, halves and labels.")
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore", sp.ShiftproofWarning)
    facts = {"seeds": seeds, "last": seeds - 1, "labels": LABELS, "date": f"{datetime.now(UTC):%d %B %Y}"}
    facts |= {"fewest": FEWEST, "most": f"{MOST:.0%}"}
    facts |= {"skill": f"{100 * SKILL:.0f}", "loss": f"{100 * LOSS:.0f}"}
    facts |= act_one(seeds) | act_three(seeds) | no_shift(seeds)
    PAGE.write_text(TEXT.format(**facts), encoding="utf-8")
    print(f"page: {PAGE}")


if __name__ == "__main__":
    main()
