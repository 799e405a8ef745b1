"""Replay past batches through the alarms of a monitor, without writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shiftproof.monitoring.alarms import Alarms, BatchFacts, Level, State


@dataclass(frozen=True, kw_only=True)
class PastBatch:
    """A batch of the past.

    Attributes
    ----------
    name : str
        Its name.
    facts : BatchFacts
        Its counts, and the estimated accuracy.
    actual : float or None
        Its actual accuracy, if labels are known.
    """

    name: str
    facts: BatchFacts
    actual: float | None = None


@dataclass(frozen=True, kw_only=True)
class PastAlarm:
    """An alarm that the past would have raised.

    Attributes
    ----------
    level : {"changed", "material", "harm"}
        Which one.
    batch : str
        The batch that raises it.
    columns : tuple of str
        The columns to blame.
    """

    level: Level
    batch: str
    columns: tuple[str, ...] = ()


def replay(alarms: Alarms, past: Sequence[PastBatch], *, salt: str = "") -> tuple[State, list[PastAlarm]]:
    """Step the past through the alarms; each alarm is acknowledged at once, so that a next one can come.

    Parameters
    ----------
    alarms : Alarms
        As the monitor has them.
    past : sequence of PastBatch
        In the order of time.
    salt : str, default ""
        Changes the random numbers that spread ties.

    Returns
    -------
    state : State
        After the last batch.
    raised : list of PastAlarm
        In the order of the batches.
    """
    state, raised = alarms.start(), []
    for batch in past:
        state, reading = alarms.step(state, batch.facts, salt + batch.name)
        for level in [level for level, alarm in reading.alarms.items() if alarm]:
            raised.append(PastAlarm(level=level, batch=batch.name, columns=reading.blamed.get(level, ())))
            # The data as they are now are normal for what follows: nobody would fix the past.
            state = alarms.acknowledge(state, level, "accept" if level == "changed" else "restart")
    return state, raised
