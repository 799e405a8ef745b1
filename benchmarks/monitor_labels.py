"""What 20 labels a batch bring on real streams: how right intervals are, and how soon a loss of accuracy is known.

python benchmarks/monitor_labels.py DATA [--labels 20] [--rows 300] [--only NAME ...]

The streams are the natural sequences of `natural_pairs.json` and the three drift files of `drift_files.py`. A model is
fitted to two thirds of the first period, the rest of it is the reference, and all later rows come in batches, in the
order of their periods. Batches go through a `Monitor`; after each, rows that it plans get their labels.

Printed are, with and without labels, how many intervals contain the actual accuracy of all rows, how many the track
record says did, and after how many batches below the floor *harm* came: by labels alone, and as the monitor has it.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import drift_files
import real_runs
import shiftproof as sp
from shiftproof.monitoring.alarms._evidence import Experts
from shiftproof.monitoring.alarms._harm import bet_on_labels

MODELS = ("lr", "forest", "nb")
#: What *harm* may spend: half of alpha.
PAGING = 0.025


def sequences(folder: Path, rows: int) -> Iterator[drift_files.Stream]:
    """Yield the natural sequences: the first period, and batches of all later ones."""
    chains: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for pair in real_runs.read_pairs(folder):
        if pair.get("sequence"):
            chains[pair["sequence"]].append(pair)
    for name, pairs in chains.items():
        pairs.sort(key=lambda pair: pair["step"])
        first = real_runs.read_rows(folder, pairs[0], 0, "natural")
        periods = []
        for pair in pairs:
            new = real_runs.read_rows(folder, pair, 0, "natural")
            table = new.X_new.assign(label=new.y_new)
            periods.append((pair["name"], table.iloc[np.random.default_rng(1).permutation(len(table))]))
        yield drift_files.Stream(name, first.X.assign(label=first.y), in_batches(periods, rows))


def in_batches(periods: list[tuple[str, pd.DataFrame]], rows: int) -> list[tuple[str, pd.DataFrame]]:
    """Cut periods into batches of about so many rows."""
    batches = []
    for name, table in periods:
        parts = np.array_split(np.arange(len(table)), max(round(len(table) / rows), 1))
        batches += [(f"{name} {place}", table.iloc[part].reset_index(drop=True)) for place, part in enumerate(parts, 1)]
    return batches


def all_streams(folder: Path, rows: int) -> Iterator[tuple[str, drift_files.Stream]]:
    """Yield every stream with the kind that it is of; the tenths of the drift files have batches of 1,000 rows."""
    for stream in sequences(folder, rows):
        yield "natural", stream
    for stream in drift_files.streams(folder):
        batches = stream.batches if stream.name == "bank calls" else in_batches(stream.batches, 1_000)
        yield "drift", drift_files.Stream(stream.name, stream.first, batches)


def watch(stream: drift_files.Stream, model_name: str, n_labels: int, place: Path) -> list[dict[str, Any]]:
    """Return what a monitor with and one without labels say of every batch, and what is true."""
    order = np.random.default_rng(0).permutation(len(stream.first))
    past = stream.first.iloc[order].reset_index(drop=True)
    cut = 2 * len(past) // 3
    model = sp.default_models(only=[model_name])[model_name]
    model.fit(past[:cut].drop(columns="label"), past["label"][:cut])

    def scored(rows: pd.DataFrame) -> pd.DataFrame:
        features = rows.drop(columns="label")
        return features.assign(p=model.predict_proba(features)[:, 1])

    reference = past[cut:].reset_index(drop=True)
    baseline = sp.Baseline.of(scored(reference), scores="p", labels=reference["label"])
    monitor, blind = (sp.Monitor(place / f"{stream.name} {model_name} {kind}.db", baseline) for kind in "ab")
    floor = monitor.terms.floor or 0.0
    experts, steps = Experts.of([np.full(5, 0.2)]), 0
    wealth, lines = experts.none(), []
    for name, rows in stream.batches:
        new, labels = scored(rows), rows["label"].to_numpy()
        update, without = monitor.add(new, id=name, allow_copy=True), blind.add(new, id=name, allow_copy=True)
        given = monitor.label(name, {row: labels[row] for row in monitor.plan(name, n_labels).rows})
        known, steps = given.labels, steps + 1
        wealth = experts.grow(wealth, bet_on_labels(floor, known.n_right, known.n_used), steps, "ever")
        alone = float(experts.evidence(wealth, steps, "ever")[0])
        lines.append(
            {
                "stream": stream.name,
                "model": model_name,
                "batch": name,
                "actual": float(np.mean((new["p"] > 0.5) == labels)),
                "floor": floor,
                "contained": known.contained,
                **{f"{end} with": getattr(update.accuracy, end) for end in ("estimate", "low", "high")},
                **{f"{end} without": getattr(without.accuracy, end) for end in ("estimate", "low", "high")},
                **{f"{end} labelled": getattr(known.accuracy, end) for end in ("low", "high")},
                **{f"{end} alone": getattr(known.alone, end) for end in ("low", "high")},
                "by labels": alone >= np.log(1 / PAGING),
                "by both": any(one.level == "harm" for one in given.open_incidents),
                "by scores": any(one.level == "harm" for one in without.open_incidents),
            }
        )
    return lines


def delays(lines: pd.DataFrame, drop: float) -> pd.DataFrame:
    """Return, of every stream whose accuracy falls that far below the floor for good, how long each way took.

    The loss begins with the first batch of a period from which on accuracy averages at least `drop` below the floor.
    Streams with an alarm before that are left out.
    """
    rows = []
    for (name, model), part in lines.groupby(["stream", "model"], sort=False):
        below = (part["floor"] - part["actual"]).to_numpy()
        later = np.cumsum(below[::-1])[::-1] / np.arange(len(below), 0, -1)
        lost = np.flatnonzero((later >= drop) & (below >= drop))
        if not len(lost):
            continue
        row = {"stream": name, "model": model, "begin": lost[0] + 1, "left": len(below) - lost[0]}
        for way in ("by scores", "by labels", "by both"):
            found = np.flatnonzero(part[way].to_numpy())
            row[way] = np.inf if not len(found) else found[0] - lost[0] + 1
        rows.append(row)
    return pd.DataFrame(rows)


def show(lines: pd.DataFrame) -> None:
    """Print coverage, widths and errors, all batches counting once and each stream once."""
    inside = {
        kind: (lines[f"low {kind}"] - 1e-9 <= lines["actual"]) & (lines["actual"] <= lines[f"high {kind}"] + 1e-9)
        for kind in ("without", "with", "labelled", "alone")
    }
    figures = pd.DataFrame(
        {
            **{f"covers, {kind}": covered for kind, covered in inside.items()},
            "track record": lines["contained"].astype(float),
            **{f"width, {kind}": lines[f"high {kind}"] - lines[f"low {kind}"] for kind in inside},
            **{f"error, {kind}": (lines[f"estimate {kind}"] - lines["actual"]).abs() for kind in ("without", "with")},
        }
    )
    # The first batch of a stream has nothing to learn from.
    later = lines.groupby(["stream", "model"]).cumcount() > 0
    chosen = figures[later].assign(kind=lines["kind"], stream=lines["stream"])
    columns = figures.columns
    table = {f"{kind}, batches": part[columns].mean() for kind, part in chosen.groupby("kind")}
    table |= {
        f"{kind}, each stream once": part.groupby("stream")[columns].mean().mean()
        for kind, part in chosen.groupby("kind")
    }
    print(pd.DataFrame(table).round(3).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with natural_pairs.json and drift_*.csv.gz")
    parser.add_argument("--labels", type=int, default=20, help="labelled rows of each batch")
    parser.add_argument("--rows", type=int, default=300, help="rows of a batch of the natural sequences")
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--only", nargs="+", help="names of streams, such as sba_year")
    parser.add_argument("--save", type=Path, help="write all batches to this CSV file")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, stream in all_streams(arguments.data, arguments.rows):
            if arguments.only is not None and stream.name not in arguments.only:
                continue
            for model in arguments.models:
                try:
                    watched = watch(stream, model, arguments.labels, Path(folder))
                except sp.InputError as error:  # a benchmark over other people's tables goes on
                    print(f"{stream.name} {model}: {error}", flush=True)
                    continue
                lines += [line | {"kind": kind} for line in watched]
    table = pd.DataFrame(lines)
    if arguments.save is not None:
        table.to_csv(arguments.save, index=False)
    show(table)
    for drop in (0.02, 0.05):
        print(f"\nAccuracy at least {drop:.2f} below the floor from a batch on: batches until harm came (inf: never)")
        print(delays(table, drop).to_string(index=False))


if __name__ == "__main__":
    main()
