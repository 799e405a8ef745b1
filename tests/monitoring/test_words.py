from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.monitoring import _made as made

from shiftproof.core import Note
from shiftproof.monitoring import _words as words
from shiftproof.monitoring.alarms import LEVELS


def test_update_says_estimates_and_what_changed_most() -> None:
    assert made.update().summary() == (
        "Batch 'day 7' (1,000 rows). No alarm. Estimated accuracy: 81.2% (90% interval: 78.2% to 84.2%). For "
        "comparison: validated 83.0%; floor 78.0%; always answering 'no': 70.0%. The estimate rests on scores "
        "alone; only labels can confirm it. Estimated share of class 'yes': 30.0% (27.0% to 33.0%). Furthest from the "
        "baseline: 'age' (KS distance 0.15). Column 'job' has new values, which the baseline never had: 'SECRET' (3 "
        "rows)."
    )


def test_update_says_that_no_shift_is_visible_only_if_no_column_is_to_blame() -> None:
    sentence = "No shift is visible between the baseline and this batch."
    assert sentence in made.update(blamed={"changed": (), "material": ()}).summary()
    assert sentence not in made.update(blamed={"changed": (), "material": ("age",)}).summary()


def test_update_names_a_column_that_is_missing() -> None:
    columns = made.update().columns
    gone = replace(columns["gone"], missing=1.0, p_missing=0.0)
    update = made.update(columns=dict(columns) | {"gone": gone}, blamed={"material": ("gone",)})
    assert update.summary().endswith(
        "(27.0% to 33.0%). 'gone' is missing in 100% of the rows, compared with 0% before. Furthest from the "
        "baseline in its values: 'age' (KS distance 0.15). Column 'job' has new values, which the baseline never had: "
        "'SECRET' (3 rows)."
    )
    assert update.ranking[0] is gone


def test_update_names_columns_that_join_an_open_incident() -> None:
    update = made.update(open_incidents=(made.incident(),), newly_blamed=("age",))
    assert update.headline == ("No new alarm. Still open: the data changed enough to matter. Also changed now: 'age'.")


def test_update_and_status_warn_of_periods_that_make_alarms_late() -> None:
    terms = replace(made.TERMS, independent_rows=3)
    sentence = (
        "Periods of the baseline differ so much that a batch counts as at most 3 independent rows. Alarms will be "
        "late or "
        'never raised; see "Days that differ" in the monitoring guide.'
    )
    assert sentence in made.update(terms=terms).summary()
    assert sentence in made.status(terms=terms).summary()
    assert words.periods_words(replace(terms, independent_rows=30)) == words.periods_words(made.TERMS) == []


def test_update_that_raises_an_alarm_says_since_when() -> None:
    raised = made.incident()
    update = made.update(opened=(raised,), open_incidents=(raised,), accuracy=None, shares={}, shift_kind="", notes=())
    assert update.headline == "Alarm: the data changed enough to matter."
    assert update.tone == "bad"
    assert update.summary() == (
        "Batch 'day 7' (1,000 rows). Alarm: the data changed enough to matter. Incident 4 (material), raised by batch "
        "'day 7' of 2024-03-07, most likely began with batch 'day 6' (between 'day 5' and 'day 7'). Columns that "
        "changed: 'age' and 'p'. Furthest from the baseline: 'age' (KS distance 0.15)."
    )


@pytest.mark.parametrize(
    ("levels", "headline", "tone"),
    [
        ((), "No alarm.", "good"),
        (("changed",), "No new alarm. Still open: the data changed, but this may not matter.", "care"),
        (("changed", "harm"), "No new alarm. Still open: accuracy is probably below the floor.", "bad"),
    ],
)
def test_update_without_a_new_alarm_says_what_is_open(levels: tuple[str, ...], headline: str, tone: str) -> None:
    update = made.update(open_incidents=tuple(made.incident(level) for level in levels))  # type: ignore[arg-type]
    assert (update.headline, update.tone) == (headline, tone)


def test_update_and_status_say_alike_which_incidents_have_recovered() -> None:
    over, going_on = made.incident(recovered=made.named(6)), made.incident("changed")
    for incidents, headline, tone in (
        ((over,), "The data have recovered; acknowledge the open incidents.", "care"),
        ((over, going_on), "The data changed, but this may not matter.", "care"),
    ):
        update, status = made.update(open_incidents=incidents), made.status(incidents=incidents)
        assert (status.headline, status.tone) == (headline, tone)
        assert update.headline.removeprefix("No new alarm. ").removeprefix("Still open: ").lower() == headline.lower()
        assert update.tone == tone


def test_an_estimate_beside_a_change_that_matters_comes_with_a_warning() -> None:
    update = made.update(open_incidents=(made.incident(),))
    assert words.doubt_words(update) == [
        "The estimate rests on scores alone and can miss a loss of accuracy that only labels show. Label some rows."
    ]
    assert words.doubt_words(update)[0] in update.summary()
    assert words.doubt_words(update)[0] in made.status(last=update).summary()
    quiet = [
        made.update(open_incidents=(one,)) for one in (made.incident("changed"), made.incident(recovered=made.named(6)))
    ]
    short = ["The estimate rests on scores alone; only labels can confirm it."]
    assert [words.doubt_words(one) for one in (*quiet, made.update())] == [short] * 3
    assert short[0] in made.status().summary()
    assert words.doubt_words(made.update(open_incidents=(made.incident(),), accuracy=None)) == []


def test_an_estimate_just_below_the_floor_says_why_it_raises_no_alarm() -> None:
    floor, reach = 0.78, words.harm_reach(made.TERMS)
    below = made.update(accuracy=made.interval(floor - 0.01))
    assert words.doubt_words(below) == [
        f"The estimate is below the floor, but by less than the {100 * reach:.1f} points that a harm alarm needs "
        "without labels. Label some rows."
    ]
    far = made.update(accuracy=made.interval(floor - reach - 0.01))
    assert words.doubt_words(far) == ["The estimate rests on scores alone; only labels can confirm it."]


def test_a_batch_of_a_few_rows_has_no_estimates() -> None:
    few = made.update(n_rows=19, blamed={"changed": (), "material": ()}, notes=())
    assert few.summary() == "Batch 'day 7' (19 rows). No alarm. 19 rows are too few to estimate accuracy."
    assert (few.shown_accuracy, few.shown_shares) == (None, {})
    assert few.accuracy == made.update().accuracy
    assert made.update(n_rows=20).shown_accuracy == made.update().accuracy
    status = made.status(last=few)
    assert "19 rows are too few to estimate accuracy." in status.summary()
    assert "scores alone" not in status.summary()


def test_a_column_is_named_once_if_a_batch_raises_two_alarms() -> None:
    changed = made.incident("changed", number=3, columns=("age", "p", "job"))
    both = made.update(
        opened=(changed, made.incident()), accuracy=None, shares={}, shift_kind="", notes=(), newly_blamed=("p", "gap")
    )
    text = both.summary()
    assert "Columns that changed: 'age' and 'p'. Incident 3 (changed), raised by" in text
    assert "Also changed: 'job'." in text
    assert both.headline == "Alarm: the data changed enough to matter. Also changed now: 'gap'."


def test_an_incident_that_began_with_its_alarm_names_the_batch_once() -> None:
    at_once: dict[str, Any] = {"first": made.named(7), "last": made.named(7), "likeliest": made.named(7), "columns": ()}
    words_of = [str(words.incident_words(made.incident(**at_once, by_labels=by))) for by in (False, True)]
    began = "Incident 4 (material) began with batch 'day 7' of 2024-03-07, "
    assert words_of == [f"{began}which raised the alarm.", f"{began}whose labels raised the alarm."]


@pytest.mark.parametrize(
    ("likeliest", "ending"),
    [
        (5, "began with batch 'day 5' (at the latest with 'day 7')."),
        (6, "began with batch 'day 6' (between 'day 5' and 'day 7')."),
        (7, "began with batch 'day 7' (at the earliest with 'day 5')."),
    ],
)
def test_an_incident_says_with_which_other_batches_it_may_have_begun(likeliest: int, ending: str) -> None:
    one = made.incident(likeliest=made.named(likeliest), columns=())
    assert str(words.incident_words(one)).endswith(f"of 2024-03-07, most likely {ending}")


def test_shares_of_more_than_two_classes_are_all_given() -> None:
    shares = {name: made.interval(0.3) for name in ("a", "b", "c")}
    assert words.shares_words(shares) == [
        "Estimated class proportions: 'a' 30.0% (27.0% to 33.0%), 'b' 30.0% (27.0% to 33.0%), 'c' 30.0% (27.0% to "
        "33.0%)."
    ]


def test_shares_of_many_classes_say_how_many_are_left_out() -> None:
    shares = {name: made.interval(0.1) for name in "abcdefg"}
    assert words.shares_words(shares)[0].endswith("'e' 10.0% (7.0% to 13.0%) and 2 more.")


def test_incident_says_what_became_of_it() -> None:
    one = made.incident(
        first=made.named(6),
        last=made.named(6),
        columns=(),
        recovered=made.named(9),
        acknowledged=made.START,
        reason="seen",
    )
    assert str(words.incident_words(one)) == (
        "Incident 4 (material), raised by batch 'day 7' of 2024-03-07, began with batch 'day 6'. Recovered with batch "
        "'day 9': the columns that changed are within the limits. Acknowledged on 2024-03-01: Seen."
    )
    assert "'day" not in words.incident_words(one).redacted()


def test_incident_that_recovered_says_what_the_data_are_like() -> None:
    recovered = {level: str(words.incident_words(made.incident(level, recovered=made.named(9)))) for level in LEVELS}
    assert {level: text[text.index("Recovered") :] for level, text in recovered.items()} == {
        "changed": "Recovered with batch 'day 9': the data are like those before the incident.",
        "material": "Recovered with batch 'day 9': the columns that changed are within the limits.",
        "harm": "Recovered with batch 'day 9': estimated accuracy is at the floor or above.",
    }


def test_status_says_what_is_open_and_what_is_estimated() -> None:
    status = made.status(incidents=(made.incident("harm"),))
    assert (status.headline, status.tone) == ("Accuracy is probably below the floor.", "bad")
    assert status.summary() == (
        "Accuracy is probably below the floor. 1,200 batches with 50,000 rows so far; added last: 'day 7'. Incident "
        "4 (harm), raised by batch 'day 7' of 2024-03-07, most likely began with batch 'day 6' (between 'day 5' and "
        "'day 7'). Columns that changed: 'age' and 'p'. Estimated accuracy: 80.0% (90% interval: 77.0% to 83.0%). For "
        "comparison: validated 83.0%; floor 78.0%; always answering 'no': 70.0%. The estimate rests on scores "
        "alone; only labels can confirm it."
    )
    # Pages and terminals show incidents in a table.
    assert "Incident" not in str(status.details)


def test_status_of_incidents_that_are_over_asks_for_acknowledgement() -> None:
    status = made.status(incidents=(made.incident(recovered=made.named(8)),), last=None)
    assert (status.headline, status.tone) == ("The data have recovered; acknowledge the open incidents.", "care")
    assert status.summary().endswith("Acknowledge incidents that are over, so that their alarms restart.")


def test_status_without_batches_or_incidents() -> None:
    empty = made.status(n_batches=0, n_rows=0, recent=(), last=None, notes=(Note(code="no labels"),))
    assert (empty.headline, empty.tone) == ("No batches have been added yet.", "unknown")
    assert empty.summary().startswith("No batches have been added yet. Without labels, accuracy")
    quiet = made.status()
    assert (quiet.headline, quiet.tone) == ("No open incidents.", "good")


def test_limits_of_harm() -> None:
    assert words.harm_limits(made.TERMS) == (
        "Without labels, harm is judged from scores alone, and the estimate may be biased. Accuracy can then be up to "
        "9.0 points below the floor without an alarm; only labels reveal it."
    )
    assert "up to 11.2 points" in words.harm_limits(replace(made.TERMS, alpha=0.01))
    assert words.harm_limits(replace(made.TERMS, floor=None)) == (
        "Harm is not monitored: that needs scores and labels in the baseline."
    )
