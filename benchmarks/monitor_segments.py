"""Streams with segments, on the monitor's own alarms: false alarms in any segment, and delays if one of them changes.

All rows have half of alpha, and the segments share the other half. `monitor_tables.py` prints the tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.monitor_seasons import LEVELS, LIMITS, SeasonStreams
from benchmarks.monitor_streams import Ints, delay

from shiftproof.monitoring.alarms import Level

#: Into how many parts the rows are cut.
PARTS = 20


def alarms_by_segment(
    segments: int,
    *,
    streams: int,
    batches: int,
    n: int = 50,
    m: int = 500,
    shift: float = 0.0,
    start: int = 0,
) -> dict[Level, tuple[Ints, Ints]]:
    """Return the first batch at which all rows, and at which any segment, alarm in each stream; 0 for none.

    Parameters
    ----------
    segments : int
        How many of 20 equal parts of the rows are watched on their own; 0 watches all rows alone, with the whole alpha.
    streams, batches : int
        How many streams of how many batches.
    n, m : int
        Rows of a batch, and of the reference, in each part.
    shift, start : float, int
        By how much the mean of the first part changes with which batch.
    """
    rng = np.random.default_rng((segments, start))
    # The share of alpha of all rows, then of each segment.
    shares = [0.5, *[0.5 / segments] * segments] if segments else [1.0]
    one = np.zeros(1)
    size: dict[str, Any] = {"streams": streams, "rng": rng, "seasonal": False}
    watched = [SeasonStreams.of(one, m=m * PARTS, share=shares[0], **size)]
    watched += [SeasonStreams.of(one, m=m, share=share, **size) for share in shares[1:]]
    states = [made.alarms.start() for made in watched]
    limits = {level: [limit - np.log(share) for share in shares] for level, limit in LIMITS.items()}
    first = {level: np.zeros((len(shares), streams), np.int64) for level in LEVELS}
    for number in range(1, batches + 1):
        values = rng.normal(size=(PARTS, streams, n))
        values[0] += shift if number > start else 0.0
        parts = [values.transpose(1, 0, 2).reshape(streams, -1), *values[:segments]]
        for place, (made, part) in enumerate(zip(watched, parts, strict=True)):
            states[place], evidence = made.add(states[place], number, part, np.array([part.shape[1]]))
            for level in LEVELS:
                above = evidence[level] >= limits[level][place]
                first[level][place, above & (first[level][place] == 0)] = number
    return {level: (alarms[0], _earliest(alarms[1:], streams)) for level, alarms in first.items()}


def _earliest(alarms: Ints, streams: int) -> Ints:
    late = np.where(alarms > 0, alarms, np.iinfo(np.int64).max).min(axis=0, initial=np.iinfo(np.int64).max)
    return np.where(late < np.iinfo(np.int64).max, late, 0) if len(alarms) else np.zeros(streams, np.int64)


def false_by_segment(segments: int, *, streams: int, batches: int) -> dict[Level, float]:
    """Return the share of quiet streams with an alarm of all rows or of any segment, ever."""
    first = alarms_by_segment(segments, streams=streams, batches=batches)
    return {level: float(np.mean((whole > 0) | (parts > 0))) for level, (whole, parts) in first.items()}


def delay_by_segment(segments: int, *, streams: int, start: int, shift: float, n: int = 50) -> tuple[float, float]:
    """Return median and 90% point of the batches from a change of one segment to the first alarm of *changed*."""
    whole, parts = alarms_by_segment(segments, streams=streams, batches=start + 60, n=n, shift=shift, start=start)[
        "changed"
    ]
    either = _earliest(np.stack([whole, parts]), streams)
    return delay(np.where(either > start, either - start, 0), (either == 0) | (either > start))
