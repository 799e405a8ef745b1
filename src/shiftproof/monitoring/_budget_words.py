"""Sentences about how often alarms are false."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shiftproof.core import counted, percent
from shiftproof.monitoring._budget import budget_of

if TYPE_CHECKING:
    from shiftproof.monitoring._result import Incident, MonitorTerms

# How many of each unit a year has, from the longest on.
_UNITS = {"year": 1.0, "month": 12.0, "week": 52.18, "day": 365.24}


def promise(terms: MonitorTerms) -> str:
    """Say how often alarms are false."""
    if terms.mode == "run length":
        return (
            f"If nothing changes, at least {terms.run_length:,} batches pass on average before a false alarm of "
            "each level. This assumes independent rows, or a baseline with periods. For several columns together, it "
            "is measured, not proved. Acknowledging an incident restarts its alarm."
        )
    together = ", in all rows and all segments together" if len(terms.shares) > 1 else ""
    urgent = "material" if terms.floor is None else "material or harm"
    restart = (
        "This covers all alarms that the monitor ever raises: after each acknowledged incident, the next alarm of "
        "its level needs more evidence."
        if terms.lifetime
        else "After you acknowledge an incident, the limit starts again for its alarm."
    )
    return (
        f"If nothing changes, the probability of ever raising a false alarm is at most {percent(terms.alpha)} for "
        f"changed, and at most {percent(terms.alpha)} for {urgent}, however many batches are added{together}. This "
        "assumes independent rows, or a baseline with periods. For several columns together, the limit is measured, "
        f"not proved; after a resolved incident, it is approximate. {restart}"
    )


def spending_words(terms: MonitorTerms, incidents: Sequence[Incident], pace: float | None = None) -> list[str]:
    """Say what acknowledged incidents have spent, and how often alarms are false by the calendar.

    Parameters
    ----------
    terms : MonitorTerms
        What the monitor promises.
    incidents : sequence of Incident
        All of them.
    pace : float or None
        How many batches come in a year, if it is known.
    """
    if terms.mode == "run length":
        if pace is None:
            return []
        often = f"{duration(terms.run_length / pace)} on average, or less often"
        return [f"At the current {pace:,.0f} batches a year, each level has a false alarm {often}."]
    budgets = budget_of(terms, incidents)
    spent = {level: budget for level, budget in budgets.items() if budget.acknowledged}
    if not spent:
        return []
    n_closed = sum(budget.acknowledged for budget in spent.values())
    closed = f"{counted(n_closed, 'incident')} {'has' if n_closed == 1 else 'have'} been acknowledged so far"
    if terms.lifetime:
        chances = [f"{percent(budget.next_alpha)} for {level}" for level, budget in spent.items()]
        if_quiet = "If nothing changes, the probability of another alarm is at most"
        return [f"{closed}. {if_quiet} {', '.join(chances)}."]
    expected = sum(budget.expected_false for budget in budgets.values())
    restarted = "its alarm" if n_closed == 1 else "their alarms"
    return [f"{closed}; {restarted} restarted. On average, expect at most {expected:.1f} false alarms in total."]


def duration(years: float) -> str:
    """Write how often something happens, as people do.

    Examples
    --------
    >>> duration(2.74), duration(0.5), duration(0.08), duration(0.0001)
    ('every 2.7 years', 'every 6 months', 'every 4 weeks', 'every day')
    """
    unit = next((unit for unit, per_year in _UNITS.items() if years * per_year >= 1.5), "day")
    number = years * _UNITS[unit]
    written = f"{number:.1f}" if unit == "year" and number < 10 else f"{max(number, 1):.0f}"
    return f"every {unit}" if written == "1" else f"every {written} {unit}s"
