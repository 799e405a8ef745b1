"""After how many batches a drop of accuracy would be known, with and without labels.

Streams go through the bets of the monitor itself. What it sees of a batch is drawn as it was in the past: the estimated
accuracy with its errors, and how many of the labelled rows are predicted correctly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from shiftproof.monitoring.alarms import (
    CORRECTED,
    LABEL_STEPS,
    Alarms,
    BatchFacts,
    HarmBets,
    LabelFacts,
    effect_of_batch,
)
from shiftproof.monitoring.rehearsal._result import Delay

Rng = np.random.Generator

HARM: Final = "harm"
#: A drop that takes more batches is called not found.
HORIZON = 200
# Streams of each drop and number of labels.
_STREAMS = 60
# A longer quiet past hardly changes the evidence that it leaves.
_LONGEST_PAST = 60


@dataclass(frozen=True, kw_only=True)
class Quiet:
    """What batches of the past looked like while nothing was wrong.

    Attributes
    ----------
    accuracy : float
        The mean actual accuracy; without labels, the estimated one.
    spread : float
        The standard deviation of the actual accuracy between batches, less what chance makes.
    estimate, estimate_spread : float
        Mean and standard deviation of the estimated accuracy.
    error : float
        The standard error of an estimate by sampling.
    rows : int
        Rows of a batch.
    batches : int
        How many there were.
    labelled : bool
        Whether the actual accuracy is known.
    """

    accuracy: float
    spread: float
    estimate: float
    estimate_spread: float
    error: float
    rows: int
    batches: int
    labelled: bool

    @classmethod
    def of(cls, facts: Sequence[BatchFacts], actual: Sequence[float | None]) -> Quiet | None:
        """Describe past batches; None if their accuracy was not estimated."""
        known = [one for one in facts if one.accuracy is not None and one.accuracy_error is not None]
        if not known:
            return None
        rows = np.array([one.n for one in known])
        estimates = np.array([one.accuracy for one in known], dtype=np.float64)
        seen = np.array([one for one in actual if one is not None], dtype=np.float64)
        labelled = len(seen) == len(known)
        accuracy = float(np.average(seen if labelled else estimates, weights=rows))
        # Batches differ by chance as well, which the draws below add again.
        by_chance = accuracy * (1 - accuracy) * float(np.mean(1 / rows))
        return cls(
            accuracy=accuracy,
            spread=math.sqrt(max(float(seen.var()) - by_chance, 0.0)) if labelled else 0.0,
            estimate=float(np.average(estimates, weights=rows)),
            estimate_spread=float(estimates.std()),
            error=float(np.mean([one.accuracy_error for one in known])),
            rows=int(np.median(rows)),
            batches=len(known),
            labelled=labelled,
        )


@dataclass(eq=False)
class HarmStream:
    """The evidence of *harm* alone, stepped by the bets of a monitor's alarms.

    Attributes
    ----------
    alarms : Alarms
        Of the monitor.
    bets : HarmBets
        Its bets on accuracy.
    """

    alarms: Alarms
    bets: HarmBets

    def __post_init__(self) -> None:
        self._arrays, self._batches = self.bets.begin(), 0

    def add(self, accuracy: float, error: float, n: int, labels: LabelFacts | None) -> bool:
        """Add the estimate of a batch of n rows, and labels if there are any; return whether there is an alarm."""
        experts, mode = self.bets.experts, self.alarms.mode
        effect = effect_of_batch(self.alarms.effect, self.alarms.mean_period, n).max()
        on_estimate = {
            HARM: self.bets.log_e(accuracy, error),
            CORRECTED: self.bets.log_e_corrected(self._arrays, accuracy, error),
        }
        self._batches += 1
        for name, log_e in on_estimate.items():
            self._arrays[name] = experts.grow(self._arrays[name], log_e / effect, self._batches, mode)
        if labels is not None:
            self.bets.learn(self._arrays, labels, mode)
        return self.bets.evidence(self._arrays, self._batches, mode).larger >= self.alarms.log_limits[HARM]

    def restart(self) -> None:
        """Begin again, as after an acknowledgement."""
        self._arrays |= self.bets.restarted(self._arrays[LABEL_STEPS])
        self._batches = 0


def harm_delay(quiet: Quiet, alarms: Alarms, bets: HarmBets, *, drop: float, labels: int, rng: Rng) -> Delay:
    """Return the delay of *harm* if accuracy falls to a drop below the floor after a quiet past.

    Parameters
    ----------
    quiet : Quiet
        The past.
    alarms, bets : Alarms, HarmBets
        Of the monitor.
    drop : float
        How far below the floor.
    labels : int
        Labelled rows of each batch, drawn at random. With labels, the scores do not show the drop. Without, they show
        all of it, since otherwise nothing could.
    rng : Generator
        Draws the streams.
    """
    low = replace(quiet, accuracy=max(bets.floor - drop, 0.0))
    if not labels:
        low = replace(low, estimate=quiet.estimate + low.accuracy - quiet.accuracy)
    firsts = [_first_alarm(HarmStream(alarms, bets), quiet, low, labels, rng) for _ in range(_STREAMS)]
    return Delay.of("drop", drop, "harm", firsts, horizon=HORIZON, labels=labels)


def _first_alarm(stream: HarmStream, quiet: Quiet, low: Quiet, labels: int, rng: Rng) -> int:
    """Return with which batch after the drop the alarm comes; 0 if not within the horizon."""
    # Whether estimates are too high or too low is known only where labels of the past are.
    off = 0.0 if quiet.labelled else float(rng.normal(0.0, stream.bets.bias_sd))
    n_quiet = min(quiet.batches, _LONGEST_PAST)
    for batch in range(1, n_quiet + HORIZON + 1):
        now = quiet if batch <= n_quiet else low
        estimate = now.estimate + off + now.estimate_spread * float(rng.normal())
        drawn = _labelled(now, estimate, labels, rng) if labels else None
        if not stream.add(estimate, now.error, now.rows, drawn):
            continue
        if batch > n_quiet:
            return batch - n_quiet
        # A false alarm in the quiet past is acknowledged.
        stream.restart()
    return 0


def _labelled(now: Quiet, estimate: float, labels: int, rng: Rng) -> LabelFacts:
    """Draw labels of a batch: how many rows are right, and by how much the estimate is off on them."""
    accuracy = min(max(now.accuracy + now.spread * float(rng.normal()), 0.0), 1.0)
    right = int(rng.binomial(labels, accuracy))
    variance = accuracy * (1 - accuracy)
    return LabelFacts(right=right, labelled=labels, residual=estimate - right / labels, row_variance=variance)
