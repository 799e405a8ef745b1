"""Sentences of a rehearsal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shiftproof.core import Phrase, Sensitive, Text, counted, percent
from shiftproof.monitoring._words import batches_text

if TYPE_CHECKING:
    from shiftproof.monitoring.rehearsal._replay import PastAlarm
    from shiftproof.monitoring.rehearsal._result import Delay, MonitorRehearsal

# Alarms of the past that are named one by one.
_NAMED = 3


def headline(rehearsal: MonitorRehearsal) -> str:
    """Say whether the past would have been quiet."""
    n_batches = batches_text(len(rehearsal.batches))
    if not rehearsal.paging:
        return f"False alarms in the past: none in {n_batches}."
    levels = Counter(alarm.level for alarm in rehearsal.paging)
    raised = " and ".join(counted(count, f"{level} alarm") for level, count in levels.items())
    return f"The past would have raised {raised} in {n_batches}."


def detail_words(rehearsal: MonitorRehearsal) -> Phrase:
    """Say how soon changes would have been detected, and what is recommended."""
    parts: list[Text] = []
    if rehearsal.paging:
        parts.append(_named(rehearsal.paging))
    if rehearsal.below_floor:
        below = batches_text(rehearsal.below_floor)
        parts.append(f"The actual accuracy was below the floor in {below}, by more than chance explains.")
    parts += [*drop_words(rehearsal), *shift_words(rehearsal)]
    if len(rehearsal.terms.shares) > 1:
        parts.append("This covers all rows together; segments are monitored too, but not rehearsed.")
    parts.append(advice_words(rehearsal))
    return Phrase.joined(" ", parts)


def _named(alarms: tuple[PastAlarm, ...]) -> Phrase:
    first = alarms[:_NAMED]
    names = [Phrase(Sensitive(repr(alarm.batch), "a batch"), f" ({alarm.level})") for alarm in first]
    more = f" and {len(alarms) - _NAMED} more" if len(alarms) > _NAMED else ""
    hint = " If these changes were real, the alarms were right; otherwise make a baseline of newer data."
    return Phrase("Raised by ", Phrase.joined(", ", names), f"{more}.", hint)


def drop_words(rehearsal: MonitorRehearsal) -> list[str]:
    """Say how soon drops of accuracy would be detected with the recommended labels; tables have all other cases."""
    labels = rehearsal.advice.labels or 0
    head = f"With {counted(labels, 'label')} for each batch" if labels else "Without labels"
    sentences: list[str] = []
    for delay in sorted((one for one in rehearsal.drops if one.labels == labels), key=lambda one: one.size):
        floor = rehearsal.terms.floor
        level = "" if floor is None else f" ({percent(max(floor - delay.size, 0.0))})"
        subject = f"{'An' if sentences else f'{head}, an'} accuracy {100 * delay.size:g} points below the floor{level}"
        sentences.append(f"{subject} would {'not ' * (delay.batches is None)}be detected {_when(delay)}.")
    missed = sorted(
        (one for one in rehearsal.drops if not one.labels and one.batches is None), key=lambda one: one.size
    )
    if labels and missed:
        sizes = " or ".join(f"{100 * one.size:g}" for one in missed)
        sentences.append(
            f"Without labels, an accuracy {sizes} points below the floor would not be detected {_when(missed[0])}, "
            "even if the scores show it."
        )
    return sentences


def shift_words(rehearsal: MonitorRehearsal) -> list[str]:
    """Say how soon the smallest shift of one column that raises *material* would raise it."""
    delays = sorted((one for one in rehearsal.shifts if one.level == "material"), key=lambda one: one.size)
    if not delays:
        return []
    first = next((one for one in delays if one.batches is not None), delays[-1])
    negated = "not " * (first.batches is None)
    return [
        f"If one column moves by a distance of {first.size:g} from the baseline, the material alarm is {negated}raised "
        f"{_when(first)}."
    ]


def _when(delay: Delay) -> str:
    return known_after(delay).removeprefix("not ")


def advice_words(rehearsal: MonitorRehearsal) -> str:
    """Recommend batch size, labels and floor."""
    advice = rehearsal.advice
    # Another size is recommended only if it detects a shift clearly sooner.
    why = "" if advice.rows == rehearsal.rows else f" (a shift is detected sooner than with {rehearsal.rows:,})"
    parts = [f"batches of about {counted(advice.rows, 'row')}{why}"]
    if advice.labels is not None:
        parts.append(f"{advice.labels} labels for each batch")
    if advice.floor is not None:
        parts.append(f"a floor of {percent(advice.floor)}")
    *most, last = parts
    return f"Recommended: {', '.join(most)} and {last}." if most else f"Recommended: {last}."


def known_after(delay: Delay) -> str:
    """Say after how many batches a change is known.

    Examples
    --------
    >>> from shiftproof.monitoring.rehearsal._result import Delay
    >>> known_after(Delay.of("shift", 0.2, "material", [2, 2, 5], horizon=40))
    'after 2 batches'
    >>> known_after(Delay.of("drop", 0.1, "harm", [0], horizon=40))
    'not within 40 batches'
    """
    if delay.batches is None:
        return f"not within {batches_text(delay.horizon)}"
    return f"after {batches_text(round(delay.batches))}"
