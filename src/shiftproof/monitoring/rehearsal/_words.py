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
    raised = " and ".join(f"{count} of {level}" for level, count in levels.items())
    return f"The past would have raised {counted(len(rehearsal.paging), 'alarm')} in {n_batches}: {raised}."


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
    names = [Phrase(f"{alarm.level} with ", Sensitive(repr(alarm.batch), "a batch")) for alarm in first]
    more = [f"{len(alarms) - _NAMED} more"] if len(alarms) > _NAMED else []
    hint = " If these changes were real, the alarms were right; otherwise make a baseline of newer data."
    return Phrase("They are ", Phrase.joined(", ", [*names, *more]), ".", hint)


def drop_words(rehearsal: MonitorRehearsal) -> list[str]:
    """Say how soon a drop of accuracy would have been detected, by the number of labels."""
    sentences = []
    for size in sorted({delay.size for delay in rehearsal.drops}):
        delays = [delay for delay in rehearsal.drops if delay.size == size]
        # Without labels nothing but the scores can show a drop, which is said last.
        delays.sort(key=lambda one: (not one.labels, one.labels))
        known = ", ".join(f"{known_after(one)} {_labels_words(one)}" for one in delays if one.batches is not None)
        missed = [_labels_words(one) for one in delays if one.batches is None]
        level = "" if rehearsal.terms.floor is None else f" ({percent(max(rehearsal.terms.floor - size, 0.0))})"
        detected = f"have been detected {known}" if known else "not have been detected"
        but = ", but not" if known and missed else ""
        within = f" within {batches_text(delays[0].horizon)} {' or '.join(missed)}" if missed else ""
        sentences.append(f"An accuracy {100 * size:g} points below the floor{level} would {detected}{but}{within}.")
    return sentences


def _labels_words(delay: Delay) -> str:
    if delay.labels:
        return f"with {counted(delay.labels, 'label')} each"
    return f"without labels{', even' * (delay.batches is None)} if the scores show it"


def shift_words(rehearsal: MonitorRehearsal) -> list[str]:
    """Say how soon a shift of one column would have raised *material*."""
    delays = [delay for delay in rehearsal.shifts if delay.level == "material"]
    known = [f"{known_after(one)} at a distance of {one.size:g}" for one in delays if one.batches is not None]
    missed = [f"{one.size:g}" for one in delays if one.batches is None]
    raised = f"is raised {', '.join(known)}" if known else "is not raised"
    if missed:
        but = ", but not" if known else ""
        raised += f"{but} within {batches_text(delays[0].horizon)} at a distance of {' or '.join(missed)}"
    return [f"If one column moves away from the baseline, the material alarm {raised}."]


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
