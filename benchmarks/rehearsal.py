"""Compare the delays that a rehearsal promises with those that then happen.

Usage::

    python -m benchmarks.rehearsal [--quick] [--streams 40]

Every setting has rows, a model, a past and a monitor of its own. The rehearsal sees the past only. Then new rows are
drawn in which something really changed: a column has another mean or other shares, or labels no longer follow the
scores. Printed are the promised and the actual median delay of every setting, and how many agree within a third, or
within one batch.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from benchmarks.monitor_paging import levels_at, shift_of

import shiftproof as sp
from shiftproof.monitoring.alarms import LabelFacts
from shiftproof.monitoring.rehearsal import Delay
from shiftproof.monitoring.rehearsal._past import past_batches
from shiftproof.monitoring.rehearsal._replay import replay

PAST, REFERENCE, HORIZON = 30, 2000, 200
Rows = dict[str, np.ndarray]


@dataclass(frozen=True)
class Setting:
    """One kind of stream.

    Attributes
    ----------
    rows : int
        Rows of a batch.
    change : {"number", "category", "drop"}
        What changes.
    size : float
        The distance from the reference, or how far accuracy falls below the floor.
    labels : int
        Labelled rows of each batch.
    mode : {"ever", "run length"}
        What the alarms promise.
    """

    rows: int
    change: str
    size: float
    labels: int = 0
    mode: str = "ever"


def settings() -> Iterator[Setting]:
    """Yield fifty settings."""
    for rows, change, size in product((200, 500, 2000), ("number", "category"), (0.2, 0.25, 0.3, 0.4)):
        yield Setting(rows, change, size)
    for rows, size, labels in product((200, 1000), (0.05, 0.1, 0.2), (10, 20, 50)):
        yield Setting(rows, "drop", size, labels)
    for rows, size, labels in product((300,), (0.1, 0.2), (10, 20, 50, 100)):
        yield Setting(rows, "drop", size, labels, "run length")


def draw(rng: np.random.Generator, n: int, setting: Setting | None = None, accuracy: float | None = None) -> Rows:
    """Draw rows; with a setting, changed ones; with an accuracy, labels that the model predicts so well."""
    changed = setting.change if setting is not None else ""
    shift = shift_of(setting.size) if setting is not None and changed == "number" else 0.0
    shares = levels_at(setting.size).shares if setting is not None and changed == "category" else (0.2,) * 5
    z = rng.normal(size=n)
    p = 1 / (1 + np.exp(-2.5 * z))
    label = rng.uniform(size=n) < p
    if accuracy is not None:
        right = rng.uniform(size=n) < accuracy
        label = np.where(right, p > 0.5, p <= 0.5)
    return {
        "z": z,
        "age": rng.normal(shift, 1, n),
        "income": rng.exponential(size=n),
        "job": np.array(list("abcde"))[rng.choice(5, n, p=np.array(shares) / sum(shares))],
        "p": p,
        "label": label.astype(np.int64),
    }


def judge(setting: Setting, seed: int, streams: int) -> tuple[float, float]:
    """Return the promised and the actual median delay."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        baseline = sp.Baseline.of(draw(rng, REFERENCE), scores="p", labels="label")
        monitor = sp.Monitor(f"{folder}/monitor.db", baseline, mode=setting.mode)  # type: ignore[arg-type]
        past = draw(rng, PAST * setting.rows)
        drop = setting.change == "drop"
        rehearsal = monitor.rehearse(
            past,
            size=setting.rows,
            labels="label",
            drops=(setting.size,) if drop else (),
            shifts=(0.2,) if drop else (setting.size,),
            label_counts=(setting.labels,),
        )
        firsts = [_actual(monitor, past, setting, np.random.default_rng((seed, stream))) for stream in range(streams)]
    promised = next(one for one in _promises(rehearsal, setting))
    actual = Delay.of("drop", setting.size, "harm", firsts, horizon=HORIZON)
    return promised.batches or math.inf, actual.batches or math.inf


def _promises(rehearsal: sp.MonitorRehearsal, setting: Setting) -> list[Delay]:
    if setting.change == "drop":
        return list(rehearsal.drops)
    return [one for one in rehearsal.shifts if one.level == "material" and one.size == setting.size]


def _actual(monitor: sp.Monitor, past: Rows, setting: Setting, rng: np.random.Generator) -> int:
    """Return with which changed batch the alarm comes."""
    baseline, alarms = monitor.baseline, monitor._alarms
    fallen = (monitor.terms.floor or 0.0) - setting.size if setting.change == "drop" else None
    level = "material" if fallen is None else "harm"
    batches = past_batches(baseline, past, size=setting.rows) if fallen is None else []
    state, _ = replay(alarms, batches)
    n_quiet = 0 if fallen is None else PAST
    for batch in range(1, n_quiet + HORIZON + 1):
        quiet = batch <= n_quiet
        rows = draw(rng, setting.rows, None if quiet else setting, None if quiet else fallen)
        facts = baseline.summarise(rows).facts
        state, reading = alarms.step(state, facts, f"{rng.integers(2**40)}")
        if setting.labels:
            state, reading = alarms.learn(state, _labelled(rows, setting.labels, rng))
        if reading.alarms[level] and not quiet:
            return batch - n_quiet
        if reading.alarms[level]:
            state = alarms.acknowledge(state, level)
    return 0


def _labelled(rows: Rows, labels: int, rng: np.random.Generator) -> LabelFacts:
    chosen = rng.choice(len(rows["p"]), labels, replace=False)
    p = rows["p"][chosen]
    right = (p > 0.5) == rows["label"][chosen].astype(bool)
    residual = np.maximum(p, 1 - p) - right
    return LabelFacts(
        right=int(right.sum()), labelled=labels, residual=float(residual.mean()), row_variance=float(residual.var())
    )


def agree(promised: float, actual: float) -> bool:
    """Return whether two delays agree within a third, or within one batch."""
    if math.isinf(promised) or math.isinf(actual):
        return promised == actual
    return abs(promised - actual) <= max(1.0, actual / 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="every fifth setting, 15 streams: a minute")
    parser.add_argument("--streams", type=int, default=40)
    options = parser.parse_args()
    chosen = list(settings())[:: 5 if options.quick else 1]
    streams = 15 if options.quick else options.streams
    print(f"{'rows':>6} {'change':10} {'size':>5} {'labels':>6} {'mode':11} {'promised':>8} {'actual':>7}")
    n_agree, start = 0, time.process_time()
    for seed, setting in enumerate(chosen):
        promised, actual = judge(setting, seed, streams)
        n_agree += agree(promised, actual)
        what = f"{setting.rows:6} {setting.change:10} {setting.size:5} {setting.labels:6} {setting.mode:11}"
        print(f"{what} {promised:8.1f} {actual:7.1f} {'' if agree(promised, actual) else ' differ'}", flush=True)
    seconds = time.process_time() - start
    print(f"\n{n_agree} of {len(chosen)} agree within a third or one batch ({seconds:.0f} s of CPU)")


if __name__ == "__main__":
    main()
