"""What a backtest says of real data over time, and whether its intervals contain the actual values.

python benchmarks/backtest.py DATA --keep FOLDER

The natural sequences are chains of pairs in ``natural_pairs.json``: models of one period, tested on the next. The
three tables over time are replayed by `sp.backtest` itself: the bank's calls by month, electricity by tenth, accidents
by tenth and by year. Each period has at most 1,500 rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import real_runs
from shiftproof.backtesting import backtest
from shiftproof.backtesting._history import estimates_after, record_of
from shiftproof.backtesting._replay import compared
from shiftproof.backtesting._result import PastPeriod
from shiftproof.case import DecisionOptions, DriftRecord
from shiftproof.panel import default_models
from shiftproof.selection import estimate_case

LEVEL, MEASURES = 0.9, ("accuracy", "f1", "auc", "brier")
# An interval with so many past periods rests on a record.
ENOUGH = 3


def replay_sequence(folder: Path, keep: Path, pairs: list[dict[str, object]]) -> list[PastPeriod]:
    """Replay one chain of pairs in order."""
    made: list[PastPeriod] = []
    record = DriftRecord(squares={})
    for pair in pairs:
        run = real_runs.load(folder, keep, pair, 0)
        if run is None:
            continue
        rows = real_runs.read_rows(folder, pair, 0, "natural")
        case = real_runs.case_of(run, rows, DecisionOptions())
        performance = estimate_case(case, measures=MEASURES, level=LEVEL)
        comparisons = compared(case, performance, performance.truth(run.panel.classes_[run.y_new]))
        made.append(
            PastPeriod(
                name=str(pair["name"]),
                start=None,
                end=None,
                n_before=len(rows.y),
                n_rows=len(rows.y_new),
                estimates=estimates_after(comparisons, record, LEVEL, performance.shift.evidence.foreign_by),
                reach=performance.shift.evidence.reach,
                shift_kind=performance.shift.kind,
            )
        )
        record = record_of(made, "period")
    return made


def rows_of(name: str, periods: list[PastPeriod] | tuple[PastPeriod, ...]) -> Iterator[dict[str, object]]:
    """Yield one row per period, model and measure."""
    for place, period in enumerate(periods):
        for model, measures in period.estimates.items():
            for measure, one in measures.items():
                yield {
                    "series": name,
                    "past": place,
                    "period": period.name,
                    "model": model,
                    "measure": measure,
                    "kind": period.shift_kind,
                    "estimate": one.interval.estimate,
                    "actual": one.actual,
                    "validated": one.validated,
                    "width": one.interval.width,
                    "covered": one.covered,
                    "sampling": one.sampling,
                    "allowance": one.allowance,
                }


def sampled(table: pd.DataFrame, periods: np.ndarray, most: int = 1_500) -> pd.DataFrame:
    """Take at most so many rows of each period, in their order."""
    rng = np.random.default_rng(0)
    places = [
        np.sort(rng.permutation(np.flatnonzero(periods == period))[:most]) for period in dict.fromkeys(periods.tolist())
    ]
    return table.iloc[np.concatenate(places)].reset_index(drop=True)


def series_over_time(folder: Path) -> Iterator[tuple[str, pd.DataFrame, pd.Series, list[object]]]:
    """Yield name, features, labels and periods of the three tables over time."""
    bank = pd.read_csv(folder / "drift_bank.csv.gz")
    bank = sampled(bank, bank["t"].to_numpy())
    yield "bank by month", bank.drop(columns=["t", "label", "duration", "month"]), bank["label"], bank["t"].tolist()
    for name, file, extra in (
        ("elec2 by tenth", "drift_elec2", []),
        ("accidents by tenth", "drift_us_accidents", ["target_multi"]),
        ("accidents by year", "drift_us_accidents", ["target_multi"]),
    ):
        table = pd.read_csv(folder / f"{file}.csv.gz")
        table["part"] = table["t"] if name.endswith("year") else np.arange(len(table)) * 10 // len(table)
        table = sampled(table, table["part"].to_numpy())
        yield name, table.drop(columns=["t", "label", "part", *extra]), table["label"], table["part"].tolist()


def shown(frame: pd.DataFrame, title: str) -> None:
    """Print coverage, width and errors."""
    known = frame[frame["covered"].notna()]
    answered = len(known) / len(frame)
    print(
        f"{title:34} {len(frame):5} {answered:8.3f} {known['covered'].astype(float).mean():8.3f} "
        f"{known['width'].mean():8.3f} {(known['estimate'] - known['actual']).abs().mean():8.4f} "
        f"{(known['validated'] - known['actual']).abs().mean():8.4f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path, default=Path(".bench-backtest"))
    parser.add_argument("--fits", type=Path, help="where real_shifts.py has kept its fits")
    parser.add_argument("--sequences-only", action="store_true")
    arguments = parser.parse_args()
    arguments.keep.mkdir(exist_ok=True)
    fits = arguments.fits or arguments.keep
    warnings.simplefilter("ignore")
    pairs = [pair for pair in real_runs.read_pairs(arguments.data) if pair.get("sequence")]
    rows: list[dict[str, object]] = []
    for name in dict.fromkeys(str(pair["sequence"]) for pair in pairs):
        chain = sorted((pair for pair in pairs if pair["sequence"] == name), key=lambda pair: pair["step"])
        rows += rows_of(name, replay_sequence(arguments.data, fits, chain))
    sequences = pd.DataFrame(rows)
    sequences.to_csv(arguments.keep / "sequences.csv", index=False)
    print(f"{'':34} {'cases':>5} {'answered':>8} {'covered':>8} {'width':>8} {'error':>8} {'cv error':>8}")
    for measure in MEASURES:
        of_measure = sequences[sequences["measure"] == measure]
        shown(of_measure, f"14 sequences, {measure}")
        shown(of_measure[of_measure["past"] < ENOUGH], f"  fewer than {ENOUGH} past periods")
        shown(of_measure[of_measure["past"] >= ENOUGH], f"  {ENOUGH} or more past periods")
    if arguments.sequences_only:
        return
    for name, X, y, periods in series_over_time(arguments.data):
        began = time.process_time()
        models = default_models(only=real_runs.MODELS)
        result = backtest(models, X, y, periods, keep=arguments.keep, measures=MEASURES, start=1)
        frame = pd.DataFrame(rows_of(name, result.replayed))
        for measure in MEASURES[:1]:
            of_measure = frame[frame["measure"] == measure]
            shown(of_measure, f"{name}, {measure}")
            shown(of_measure[of_measure["past"] >= ENOUGH], f"  {ENOUGH} or more past periods")
        print(f"  {result.summary()} ({time.process_time() - began:.0f} s CPU)")


if __name__ == "__main__":
    main()
