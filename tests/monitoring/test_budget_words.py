from __future__ import annotations

from dataclasses import replace

import pytest
from tests.monitoring import _made as made

from shiftproof.monitoring._budget_words import duration, promise, spending_words

CLOSED = made.incident("material", acknowledged=made.START, reason="seen")
RUN = replace(made.TERMS, mode="run length")
LIFETIME = replace(made.TERMS, lifetime=True)


def test_promise_of_ever() -> None:
    assert promise(made.TERMS) == (
        "If nothing changes, the probability of ever raising a false alarm is at most 5.0% for changed, and at "
        "most 5.0% for material or harm, however many batches are added. This assumes independent rows, or a "
        "baseline with periods. For several columns together, the limit is measured, not proved; after a resolved "
        "incident, it is approximate. After you acknowledge an incident, the limit starts again for its alarm."
    )


def test_promise_of_a_lifetime() -> None:
    assert promise(LIFETIME).endswith(
        "This covers all alarms that the monitor ever raises: after each acknowledged incident, the next alarm of "
        "its level needs more evidence."
    )


def test_promise_of_run_length() -> None:
    assert promise(replace(RUN, run_length=500)) == (
        "If nothing changes, at least 500 batches pass on average before a false alarm of each level. This assumes "
        "independent rows, or a baseline with periods. For several columns together, it is measured, not proved. "
        "Acknowledging an incident restarts its alarm."
    )


def test_run_length_is_given_by_the_calendar_once_the_pace_is_known() -> None:
    assert spending_words(RUN, []) == []
    assert spending_words(RUN, [], 333.4) == [
        "At the current 333 batches a year, each level has a false alarm every 3.0 years on average, or less often."
    ]


@pytest.mark.parametrize(
    ("years", "text"), [(14.0, "every 14 years"), (0.25, "every 3 months"), (1.2 / 52, "every 8 days")]
)
def test_duration_in_the_longest_unit_that_fits(years: float, text: str) -> None:
    assert duration(years) == text


def test_acknowledged_incidents_say_what_they_spent() -> None:
    assert spending_words(made.TERMS, [made.incident()]) == []
    assert spending_words(made.TERMS, [CLOSED, CLOSED, CLOSED, made.incident()]) == [
        "3 incidents have been acknowledged so far; their alarms restarted. On average, expect at most 0.2 false "
        "alarms in total."
    ]
    assert spending_words(made.TERMS, [CLOSED]) == [
        "1 incident has been acknowledged so far; its alarm restarted. On average, expect at most 0.1 false alarms in "
        "total."
    ]
    assert spending_words(LIFETIME, [CLOSED]) == [
        "1 incident has been acknowledged so far. If nothing changes, the probability of another alarm is at most 0.4% "
        "for material."
    ]
