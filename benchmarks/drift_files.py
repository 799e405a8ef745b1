"""What the monitor would have said about three real streams, and what turned out.

python benchmarks/drift_files.py DATA

The first part of each stream is divided at random: a model is trained on two thirds, and the rest is the reference. The
bank's calls then come by month, electricity and accidents by tenth of their rows. Alarms never see a label; the actual
accuracy is revealed afterwards.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import shiftproof as sp
from shiftproof.monitoring.alarms import LEVELS, Alarms

# As the monitor's own default: the accuracy may fall by so much.
TOLERANCE = 0.05


@dataclass(frozen=True, eq=False)
class Stream:
    """One file: the rows before the first batch, and the batches in order."""

    name: str
    first: pd.DataFrame
    batches: list[tuple[str, pd.DataFrame]]


def bank(folder: Path) -> Stream:
    """Read the bank's calls by month; how long a call took is known only after it."""
    table = pd.read_csv(folder / "drift_bank.csv.gz").drop(columns=["duration", "day", "month"])
    months = [(f"{t // 100}-{t % 100:02}", rows.drop(columns="t")) for t, rows in table.groupby("t")]
    # The first three months have half of all calls.
    return Stream("bank calls", pd.concat([rows for _, rows in months[:3]]), months[3:])


def by_tenth(path: Path, name: str, drop: list[str]) -> Stream:
    """Cut a file in the order of its rows into tenths, of which the first two are the labelled past."""
    table = pd.read_csv(path).sort_values("t", kind="stable").drop(columns=drop)
    one, two, *rest = np.array_split(np.arange(len(table)), 10)
    tenths = [(f"tenth {place}", table.iloc[rows]) for place, rows in enumerate(rest, 3)]
    return Stream(name, table.iloc[np.concatenate([one, two])], tenths)


def streams(folder: Path) -> Iterator[Stream]:
    """Read all three."""
    yield bank(folder)
    yield by_tenth(folder / "drift_elec2.csv.gz", "electricity", ["t"])
    yield by_tenth(folder / "drift_us_accidents.csv.gz", "accidents", ["t", "target_multi"])


def watch(stream: Stream, seed: int = 0) -> tuple[pd.DataFrame, float, float]:
    """Return what is said of every batch and what is true, the validated accuracy, and the floor."""
    order = np.random.default_rng(seed).permutation(len(stream.first))
    past = stream.first.iloc[order].reset_index(drop=True)
    cut = 2 * len(past) // 3
    model = sp.default_models(only=["forest"])["forest"].fit(past[:cut].drop(columns="label"), past["label"][:cut])

    def scored(rows: pd.DataFrame) -> pd.DataFrame:
        features = rows.drop(columns="label")
        return features.assign(p=model.predict_proba(features)[:, 1])

    reference = past[cut:].reset_index(drop=True)
    baseline = sp.Baseline.of(scored(reference), scores="p", labels=reference["label"])
    validated = baseline.validated or 0.0  # never None: there are labels
    floor = validated - TOLERANCE
    alarms = Alarms.of(baseline.columns, floor=floor, bias_sd=baseline.bias_sd)
    state, lines = alarms.start(), []
    for name, rows in stream.batches:
        new = scored(rows)
        summary = baseline.summarise(new)
        state, reading = alarms.step(state, summary.facts, name)
        estimate = summary.to_dict()["accuracy"]
        lines.append(
            {
                "batch": name,
                "rows": len(rows),
                **{end: estimate[end] for end in ("estimate", "low", "high")},
                "actual": float(np.mean((new["p"] > 0.5) == rows["label"].to_numpy())),
                "shift": summary.shift_kind,
                **{level: reading.alarms[level] for level in LEVELS},
            }
        )
    return pd.DataFrame(lines), validated, floor


def first_of(lines: pd.DataFrame, chosen: pd.Series) -> str:
    """Name the first batch of those chosen."""
    places = np.flatnonzero(chosen.to_numpy())
    return f"{lines['batch'][places[0]]} (batch {places[0] + 1})" if len(places) else "never"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with drift_*.csv.gz")
    parser.add_argument("--batches", action="store_true", help="also print every batch")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", sp.ShiftproofWarning)
    print(
        "| stream | batches | validated, floor | changed | material | harm | actual accuracy below the floor "
        "| largest drop | intervals with the actual accuracy | mean error |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for stream in streams(arguments.data):
        lines, validated, floor = watch(stream)
        below = lines["actual"] < floor
        covered = (lines["low"] <= lines["actual"]) & (lines["actual"] <= lines["high"])
        error = (lines["estimate"] - lines["actual"]).abs().mean()
        print(
            f"| {stream.name} | {len(lines)} | {validated:.1%}, {floor:.1%} "
            + "".join(f"| {first_of(lines, lines[level])} " for level in LEVELS)
            + f"| {first_of(lines, below)}, {int(below.sum())} of {len(lines)} "
            + f"| {100 * (validated - lines['actual'].min()):.1f} points "
            + f"| {int(covered.sum())} of {len(lines)} | {100 * error:.1f} points |"
        )
        if arguments.batches:
            print(lines.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
