"""Measure what univariate drift detection costs in one library: a peer by its defaults, or ours.

Usage::

    python detectors.py NAME DATA_DIR

with NAME one of ``alibi-detect``, ``evidently``, ``frouros``, ``nannyml``, ``shiftproof`` and DATA_DIR a folder holding
``reference.parquet`` and ``current.parquet``: number columns and string columns, the same in both. One line of JSON is
printed last on standard output::

    {"name": ..., "version": ..., "prepare_seconds": ..., "cpu_seconds": ..., "wall_seconds": ..., "extra_mib": ...,
     "n_features_flagged": ...}

``prepare_seconds`` is the CPU time of what can be done with the reference alone (for alibi-detect and Evidently also
the conversion of both tables), ``cpu_seconds`` the smallest of three runs, ``wall_seconds`` belongs to that run,
``extra_mib`` is measured in a fresh process.
"""

from __future__ import annotations

import os

# Set before anything imports NumPy or a peer: a spinning BLAS thread would be billed to the peer as CPU time, Arrow's
# own memory pool would give memory back during the measurement, and usage reports are sent over the network.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"
os.environ["DO_NOT_TRACK"] = "1"

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measure import measure_extra_mib, measure_time

N_RUNS = 3
# So many rows that the warm-up takes the branches of the real run: Evidently chooses other tests up to 1,000 rows,
# scipy's KS test is exact up to 10,000, and our kernel for long columns is compiled from 65,536 on.
WARM_UP_ROWS = 70_000
# For the peer that returns p-values and leaves the decision to its user.
ALPHA = 0.05


@dataclass(frozen=True, kw_only=True)
class Detector:
    """A peer that has seen the reference and is about to look at the current rows.

    Attributes
    ----------
    detect : callable
        The measured part: compares the current rows with the reference and returns the peer's own result.
    count_flagged : callable
        Takes that result, returns how many features are called drifted.
    """

    detect: Callable[[], Any]
    count_flagged: Callable[[Any], int]


def _columns(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the names of the number columns and of the string columns."""
    numbers = list(frame.select_dtypes("number").columns)
    return numbers, [name for name in frame.columns if name not in set(numbers)]


def prepare_alibi_detect(reference: pd.DataFrame, current: pd.DataFrame) -> Detector:
    """Prepare ``TabularDrift``: KS for numbers, chi-squared for categories, Bonferroni at 0.05.

    It reads one numeric matrix, so the categories are coded here, outside the measured part, and the matrices are
    column-major, which is what it reads fastest.
    """
    from alibi_detect.cd import TabularDrift

    numbers, categories = _columns(reference)
    levels = {name: pd.Index(pd.concat([reference[name], current[name]]).unique()) for name in categories}

    def matrix(frame: pd.DataFrame) -> np.ndarray:
        columns = [frame[name].to_numpy(np.float64) for name in numbers]
        columns += [levels[name].get_indexer(frame[name]).astype(np.float64) for name in categories]
        return np.asfortranarray(np.column_stack(columns))

    positions = range(len(numbers), len(numbers) + len(categories))
    detector = TabularDrift(matrix(reference), categories_per_feature=dict.fromkeys(positions))
    x = matrix(current)

    def count_flagged(result: dict[str, Any]) -> int:
        return int((result["data"]["p_val"] < result["data"]["threshold"]).sum())

    return Detector(detect=lambda: detector.predict(x), count_flagged=count_flagged)


def prepare_frouros(reference: pd.DataFrame, current: pd.DataFrame) -> Detector:
    """Prepare one ``KSTest`` for each number and one ``ChiSquareTest`` for each category."""
    from frouros.detectors.data_drift import ChiSquareTest, KSTest

    numbers, categories = _columns(reference)
    detectors = {name: KSTest() for name in numbers} | {name: ChiSquareTest() for name in categories}
    for name, detector in detectors.items():
        detector.fit(X=reference[name].to_numpy())
    x = {name: current[name].to_numpy() for name in detectors}

    def detect() -> list[Any]:
        return [detector.compare(X=x[name])[0] for name, detector in detectors.items()]

    def count_flagged(results: list[Any]) -> int:
        return sum(bool(result.p_value < ALPHA) for result in results)

    return Detector(detect=detect, count_flagged=count_flagged)


def prepare_nannyml(reference: pd.DataFrame, current: pd.DataFrame) -> Detector:
    """Prepare ``UnivariateDriftCalculator`` with its defaults: Jensen-Shannon distances, ten chunks."""
    from nannyml import UnivariateDriftCalculator

    calculator = UnivariateDriftCalculator(column_names=list(reference.columns)).fit(reference)

    def count_flagged(result: Any) -> int:
        alerts = result.filter(period="analysis").to_df().xs("alert", axis=1, level=-1)
        return int(alerts.any(axis=0).sum())

    return Detector(detect=lambda: calculator.calculate(current), count_flagged=count_flagged)


def prepare_evidently(reference: pd.DataFrame, current: pd.DataFrame) -> Detector:
    """Prepare a report of ``DataDriftPreset``: normed Wasserstein for numbers, Jensen-Shannon for categories, at 0.1.

    The roles of the columns are declared, so that no string column is taken for text.
    """
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    numbers, categories = _columns(reference)
    definition = DataDefinition(numerical_columns=numbers, categorical_columns=categories)
    reference_data = Dataset.from_pandas(reference, data_definition=definition)
    current_data = Dataset.from_pandas(current, data_definition=definition)

    def count_flagged(snapshot: Any) -> int:
        metrics = snapshot.dict()["metrics"]
        (count,) = [m["value"]["count"] for m in metrics if m["metric_name"].startswith("DriftedColumnsCount")]
        return int(count)

    return Detector(
        detect=lambda: Report([DataDriftPreset()]).run(current_data, reference_data), count_flagged=count_flagged
    )


def prepare_shiftproof(reference: pd.DataFrame, current: pd.DataFrame) -> Detector:
    """Prepare a `Reference`; the full record of every feature and five statistics with p-values are measured."""
    from shiftproof import stats

    prepared = stats.Reference(reference)

    def detect() -> list[tuple[Any, ...]]:
        return [_statistics(record) for record in prepared.compare(current).values()]

    def _statistics(record: Any) -> tuple[Any, ...]:
        shared = stats.hellinger(record), stats.missingness(record)
        if isinstance(record, stats.NominalRecord):
            return (stats.chi_square(record), *shared)
        tests = stats.kolmogorov_smirnov(record), stats.kruskal_wallis(record), stats.cramer_von_mises(record)
        return (*tests, stats.wasserstein(record), *shared)

    def count_flagged(results: list[tuple[Any, ...]]) -> int:
        return int((stats.benjamini_hochberg([result[0].p_value for result in results]) <= ALPHA).sum())

    return Detector(detect=detect, count_flagged=count_flagged)


# The keys are the names on the package index.
LIBRARIES: dict[str, Callable[[pd.DataFrame, pd.DataFrame], Detector]] = {
    "alibi-detect": prepare_alibi_detect,
    "evidently": prepare_evidently,
    "frouros": prepare_frouros,
    "nannyml": prepare_nannyml,
    "shiftproof": prepare_shiftproof,
}


def load(name: str, data_dir: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read both frames; for the peers strings become Python objects, the dtype that all of them document."""

    def read(file: str) -> pd.DataFrame:
        frame = pd.read_parquet(data_dir / f"{file}.parquet")
        return frame if name == "shiftproof" else frame.astype(dict.fromkeys(_columns(frame)[1], object))

    return read("reference"), read("current")


def warm_up(name: str, reference: pd.DataFrame, current: pd.DataFrame) -> None:
    """Run the peer once on the first rows, so that imports and caches are not billed to it."""
    LIBRARIES[name](reference.head(WARM_UP_ROWS), current.head(WARM_UP_ROWS)).detect()


def run_memory(name: str, data_dir: Path) -> float:
    """Measure the memory of one run in this process."""
    reference, current = load(name, data_dir)
    warm_up(name, reference, current)
    return measure_extra_mib(LIBRARIES[name](reference, current).detect)


def run_memory_in_fresh_process(name: str, data_dir: Path) -> float:
    """Measure the memory of one run in a process that has done nothing else."""
    command = [sys.executable, __file__, name, str(data_dir), "--memory-only"]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(finished.stdout.splitlines()[-1])


def run(name: str, data_dir: Path) -> dict[str, Any]:
    """Measure one peer and return the line to print."""
    reference, current = load(name, data_dir)
    warm_up(name, reference, current)
    prepare_seconds, _, detector = measure_time(lambda: LIBRARIES[name](reference, current))
    best = (float("inf"), float("inf"))
    for _ in range(N_RUNS):
        cpu_seconds, wall_seconds, result = measure_time(detector.detect)
        best = min(best, (cpu_seconds, wall_seconds))
        n_flagged = detector.count_flagged(result)
        del result  # the next run starts from the same memory
    return {
        "name": name,
        "version": version(name),
        "prepare_seconds": round(prepare_seconds, 4),
        "cpu_seconds": round(best[0], 4),
        "wall_seconds": round(best[1], 4),
        "extra_mib": round(run_memory_in_fresh_process(name, data_dir), 1),
        "n_features_flagged": n_flagged,
    }


def main() -> None:
    """Read the command line and print the measurement as one line."""
    parser = argparse.ArgumentParser(description="Measure univariate drift detection in one library.")
    parser.add_argument("name", choices=sorted(LIBRARIES))
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--memory-only", action="store_true", help="print only the extra MiB of one run")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' deprecation notices are not what is measured
    if arguments.memory_only:
        print(run_memory(arguments.name, arguments.data_dir))
    else:
        print(json.dumps(run(arguments.name, arguments.data_dir)))


if __name__ == "__main__":
    main()
