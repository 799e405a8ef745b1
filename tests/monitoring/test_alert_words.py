from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.monitoring._made import TERMS, incident, named, update

from shiftproof.monitoring import NextStep, WaitingAlert
from shiftproof.monitoring._alert_channels import Event
from shiftproof.monitoring._alert_words import alert_details, alert_headline, next_steps
from shiftproof.monitoring._words import waiting_reasons, waiting_words


@pytest.mark.parametrize(
    ("event", "headline"),
    [
        ("opened", "The data changed enough to matter."),
        ("returned", "Back again: the data changed enough to matter."),
        ("recovered", "Recovered: the columns that changed are within the limits."),
        ("acknowledged", "Acknowledged: incident 4 (material)."),
    ],
)
def test_headline_says_what_happened(event: Event, headline: str) -> None:
    assert alert_headline(event, incident()) == headline


def test_details_say_since_when_which_columns_and_what_is_estimated() -> None:
    began, estimated = map(str, alert_details(incident(), update(open_incidents=(incident(),))))
    assert began == (
        "Incident 4 (material), raised by batch 'day 7' of 2024-03-07, most likely began with batch 'day 6' "
        "(between 'day 5' and 'day 7'). Columns that changed: 'age' and 'p'."
    )
    assert estimated == (
        "Estimated accuracy: 81.2% (90% interval: 78.2% to 84.2%). For comparison: validated 83.0%; floor 78.0%; "
        "always answering 'no': 70.0%. The estimate rests on scores alone and can miss a loss of accuracy that "
        "only labels show. Label some rows."
    )
    assert len(alert_details(incident(), update(accuracy=None))) == 1
    assert len(alert_details(incident(recovered=named(8)), None)) == 1


def test_next_steps_can_be_copied_into_a_shell() -> None:
    look, close = next_steps("recovered", incident(), replace(TERMS, name="it's"), "my calls.db", None)
    assert look == """shiftproof monitor status 'my calls.db' --name 'it'"'"'s' --out page.html"""
    assert close.startswith("""shiftproof monitor ack 'my calls.db' --name 'it'"'"'s' 4 --reason""")
    assert next_steps("acknowledged", incident(), TERMS, "calls.db", None) == []


def test_new_incident_asks_for_labels_unless_they_say_nothing_of_it() -> None:
    look = "shiftproof monitor status calls.db --out page.html"
    step = NextStep(verb="plan", batch="day 7", count=50)
    plan = "shiftproof monitor plan calls.db --id 'day 7' --out rows.csv"
    assert next_steps("opened", incident(), TERMS, "calls.db", step) == [look, plan]
    assert next_steps("returned", incident(), TERMS, "calls.db", step) == [look, plan]
    for other in (incident(level="changed"), incident(segment="country = 'DE'")):
        assert next_steps("opened", other, TERMS, "calls.db", step) == [look]
    assert next_steps("opened", incident(), TERMS, "calls.db", NextStep(verb="ack", incident=4)) == [look]
    assert next_steps("opened", incident(), TERMS, "calls.db", None) == [look]


def test_headline_names_the_segment() -> None:
    own = incident(segment="country = 'DE'")
    assert alert_headline("opened", own) == "country = 'DE': the data changed enough to matter."
    assert alert_headline("returned", own) == "Back again: country = 'DE': the data changed enough to matter."
    assert alert_headline("acknowledged", own) == "Acknowledged: incident 4 (material in country = 'DE')."


def waiting(channel: str, error: str, day: int) -> WaitingAlert:
    since = datetime(2024, 3, day, 6, tzinfo=UTC)
    return WaitingAlert(id="7", channel=channel, incident=1, event="opened", since=since, attempts=1, error=error)


def test_waiting_alerts_are_counted_with_the_first_reason_of_each_channel() -> None:
    alerts = [waiting("ops", "the server answered 500", 2), waiting("ops", "", 3), waiting("mail", "", 1)]
    assert waiting_words(alerts) == [
        "3 alerts have been waiting to be sent since 2024-03-01 06:00: channel 'ops', the server answered 500; "
        "channel 'mail', not "
        "tried yet."
    ]
    assert waiting_words(alerts[:1])[0].startswith("1 alert has been waiting to be sent since 2024-03-02 06:00: ")
    assert waiting_words([]) == []
    assert waiting_reasons(alerts[1:2]) == "channel 'ops', not tried yet"
