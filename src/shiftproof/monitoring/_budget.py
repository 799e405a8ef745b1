"""How many false alarms a monitor may raise, and what acknowledged incidents have spent of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from shiftproof.monitoring.alarms import Level, level_alphas, next_share

if TYPE_CHECKING:
    from shiftproof.monitoring._result import Incident, MonitorTerms

_YEAR = timedelta(days=365.2425)
# With fewer batches their pace is a guess.
_FEWEST_BATCHES = 10


@dataclass(frozen=True, kw_only=True)
class LevelBudget:
    """What one alarm may spend, and what it has spent.

    Attributes
    ----------
    alpha : float
        The probability of a false alarm: of the next one or, with ``lifetime=True``, of any that the level ever raises.
    acknowledged : int
        Incidents that were acknowledged, each of which restarted the alarm.
    next_alpha : float
        The probability that the next quiet period has a false alarm, at most.
    expected_false : float
        How many false alarms to expect so far, at most.
    """

    alpha: float
    acknowledged: int
    next_alpha: float
    expected_false: float


def budget_of(terms: MonitorTerms, incidents: Sequence[Incident]) -> dict[Level, LevelBudget]:
    """Return the budget of each level; empty with ``mode="run length"``, which has none.

    Between two real incidents every quiet period has a false alarm with a probability of at most alpha, and so has the
    one after it: expected are at most (incidents + 1) alpha / (1 - alpha).
    """
    if terms.mode != "ever":
        return {}
    budgets = {}
    for level, alpha in level_alphas(terms.alpha, harm=terms.floor is not None).items():
        closed = Counter(one.segment for one in incidents if one.level == level and not one.open)
        # Each segment restarts on its own, with its part of alpha.
        parts = {segment: alpha * share for segment, share in terms.shares.items()}
        nexts = {name: part * (next_share(closed[name]) if terms.lifetime else 1.0) for name, part in parts.items()}
        renewed = sum((closed[name] + 1) * part / (1 - part) for name, part in parts.items())
        expected = alpha if terms.lifetime else renewed
        times, share = closed.total(), sum(nexts.values()) / alpha
        budgets[level] = LevelBudget(alpha=alpha, acknowledged=times, next_alpha=alpha * share, expected_false=expected)
    return budgets


def batches_per_year(times: Sequence[datetime]) -> float | None:
    """Return how many batches come in a year, by the times of some; None if there are too few to say.

    Examples
    --------
    >>> days = [datetime(2024, 3, day) for day in range(1, 16)]
    >>> round(batches_per_year(days)), batches_per_year(days[:5])
    (365, None)
    """
    if len(times) < _FEWEST_BATCHES or max(times) == min(times):
        return None
    return (len(times) - 1) * (_YEAR / (max(times) - min(times)))
