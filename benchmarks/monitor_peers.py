"""Run one library's drift detection over stored streams of batches, with its defaults.

Usage::

    python monitor_peers.py NAME FOLDER [--streams 20]

with NAME one of ``nannyml``, ``evidently``, ``adwin``, ``kswin``, ``shiftproof``, in the interpreter that has it. The
driver (`monitor.py`) has written ``streams.npz`` into FOLDER: references of shape (S, m) and batches of shape
(S, B, n) by scenario. One line of JSON is printed last on standard output: the batches at which each stream alarmed,
by scenario and alarm, and the CPU seconds per batch.
"""

from __future__ import annotations

import os

# Set before anything imports NumPy or a peer: spinning BLAS threads would count as CPU time, and usage reports go out
# over the network.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"
os.environ["DO_NOT_TRACK"] = "1"

import argparse
import json
import logging
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Array = np.ndarray[Any, Any]
#: For each alarm, whether it came with each batch.
Alarmed = dict[str, list[bool]]


def nannyml(reference: Array, batches: Array) -> Alarmed:
    """Take each batch as a chunk: Jensen-Shannon, and three standard deviations of the reference's own chunks."""
    from nannyml import UnivariateDriftCalculator

    calculator = UnivariateDriftCalculator(column_names=["score"], chunk_size=batches.shape[1])
    calculator.fit(pd.DataFrame({"score": reference}))
    result = calculator.calculate(pd.DataFrame({"score": batches.ravel()}))
    alerts = result.filter(period="analysis").to_df().xs("alert", axis=1, level=-1)
    return {"": alerts.any(axis=1).tolist()}


def evidently(reference: Array, batches: Array) -> Alarmed:
    """Make a report of `DataDriftPreset` for each batch: the KS test at 0.05, which it chooses up to 1,000 rows."""
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    definition = DataDefinition(numerical_columns=["score"])
    known = Dataset.from_pandas(pd.DataFrame({"score": reference}), data_definition=definition)

    def drifted(batch: Array) -> bool:
        current = Dataset.from_pandas(pd.DataFrame({"score": batch}), data_definition=definition)
        metrics = Report([DataDriftPreset()]).run(current, known).dict()["metrics"]
        (count,) = [m["value"]["count"] for m in metrics if m["metric_name"].startswith("DriftedColumnsCount")]
        return bool(count)

    return {"": [drifted(batch) for batch in batches]}


def _row_by_row(detector: Any, reference: Array, batches: Array) -> Alarmed:
    """Feed all rows one by one; a batch alarms if any of its rows does."""
    for value in reference:
        detector.update(float(value))

    def drifted(batch: Array) -> bool:
        alarmed = False
        for value in batch:
            detector.update(float(value))
            alarmed |= detector.drift_detected
        return alarmed

    return {"": [drifted(batch) for batch in batches]}


def adwin(reference: Array, batches: Array) -> Alarmed:
    """Feed rows to river's ADWIN, delta 0.002."""
    from river.drift import ADWIN

    return _row_by_row(ADWIN(), reference, batches)


def kswin(reference: Array, batches: Array) -> Alarmed:
    """Feed rows to river's KSWIN, alpha 0.005, windows of 100 and 30 rows."""
    from river.drift import KSWIN

    return _row_by_row(KSWIN(seed=0), reference, batches)


def shiftproof(reference: Array, batches: Array) -> Alarmed:
    """Step our own alarms at their defaults: *changed* and *material*."""
    from monitor_streams import Streams
    from shiftproof.monitoring.alarms import Alarms, BatchFacts

    streams = Streams.of(reference[None, :], np.random.default_rng(0))
    alarms = Alarms.of({"score": streams.plans[0]})
    state, alarmed = alarms.start(), {"changed": [], "material": []}
    for number, batch in enumerate(batches):
        below = np.searchsorted(np.sort(batch), streams.cuts[0], side="right")
        facts = BatchFacts(n=len(batch), counts=(streams.count(batch[None, :]),), below=(below,))
        state, reading = alarms.step(state, facts, str(number))
        for level, levels in alarmed.items():
            levels.append(bool(reading.alarms[level]))
    return alarmed


LIBRARIES: dict[str, tuple[str, Callable[[Array, Array], Alarmed]]] = {
    "nannyml": ("nannyml", nannyml),
    "evidently": ("evidently", evidently),
    "adwin": ("river", adwin),
    "kswin": ("river", kswin),
    "shiftproof": ("shiftproof", shiftproof),
}


def main() -> None:
    """Run one library over all stored streams."""
    parser = argparse.ArgumentParser(description="One library's drift detection over stored streams.")
    parser.add_argument("name", choices=LIBRARIES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--streams", type=int, default=20)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    package, watch = LIBRARIES[arguments.name]
    stored = np.load(arguments.folder / "streams.npz")
    scenarios = sorted({name.rpartition("/")[0] for name in stored.files})
    watch(stored[f"{scenarios[0]}/reference"][0], stored[f"{scenarios[0]}/batches"][0][:3])  # imports and compiles
    first: dict[str, dict[str, list[list[int]]]] = {}
    begin, count = time.process_time(), 0
    for scenario in scenarios:
        streams = zip(stored[f"{scenario}/reference"], stored[f"{scenario}/batches"], strict=True)
        for reference, batches in list(streams)[: arguments.streams]:
            count += len(batches)
            for alarm, alarmed in watch(reference, batches).items():
                first.setdefault(alarm, {}).setdefault(scenario, []).append(np.flatnonzero(alarmed).tolist())
    seconds = (time.process_time() - begin) / count
    print(json.dumps({"package": package, "version": version(package), "seconds": seconds, "alarms": first}))


if __name__ == "__main__":
    main()
