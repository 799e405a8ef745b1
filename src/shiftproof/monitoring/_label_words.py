"""Sentences about labels: which rows to label, what the labels say, and how right estimates were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shiftproof.core import Interval, Phrase, Text, counted, listed, percent
from shiftproof.monitoring._baseline_words import note_text
from shiftproof.monitoring._class_names import class_name

if TYPE_CHECKING:
    from shiftproof.monitoring._label_result import (
        BatchLabels,
        BatchPlan,
        LabelUpdate,
        LabelVerdict,
        NextStep,
        TrackRecord,
    )
    from shiftproof.monitoring._result import BatchName, Incident

# The rows that are named; the rest is counted.
_NAMED = 5
# The classes that are named.
_CLASSES = 3
_RANDOM = "rows chosen in any other way are not a random sample"


def span(interval: Interval) -> str:
    """Write an interval within a sentence."""
    return f"{percent(interval.low)} to {percent(interval.high)}"


def plan_text(plan: BatchPlan) -> Phrase:
    """Say which rows to label, and why these."""
    if not len(plan.rows):
        kept = f"all {plan.n_kept:,} stored rows of batch "
        return Phrase(kept[0].upper() + kept[1:], plan.batch.shown, " have labels; there is nothing left to label.")
    few = ", ".join(map(str, plan.rows[:_NAMED].tolist()))
    more = f" and {len(plan.rows) - _NAMED:,} more" if len(plan.rows) > _NAMED else ""
    rows = f"{'row' if len(plan.rows) == 1 else 'rows'} {few}{more}, counted from 0"
    parts: list[Text] = [
        Phrase(f"Label {counted(len(plan.rows), 'row')} of batch ", plan.batch.shown, f": {rows}."),
        "The rows were drawn at random, so their labels show the accuracy of the whole batch.",
    ]
    if plan.n_labels > plan.n_used:
        parts.append(
            f"{counted(plan.n_labels - plan.n_used, 'label')} of other rows will count once these rows have labels."
        )
    return Phrase.joined(" ", parts)


def next_words(step: NextStep | None) -> list[str]:
    """Name the next call."""
    return [] if step is None else [f"Next: {step.python}."]


def label_text(update: LabelUpdate) -> Phrase:
    """Say how many labels are new, what counts, what it shows, and what it means for incidents."""
    from shiftproof.monitoring._words import incident_words

    labels = update.labels
    parts: list[Text] = [_received(update), *_waiting(update)]
    parts += [*labels_words(labels, update.before), *map(note_text, update.notes)]
    if update.closed_by is not None:
        parts.append(
            f"The batch arrived before incident {update.closed_by} was acknowledged, so its labels do not count for "
            "a new alarm."
        )
    opened = {incident.number for incident in update.opened}
    for one in update.opened:
        parts.append("Alarm: labels show that accuracy is below the floor.")
        parts.append(incident_words(one, verdict=False))
    # The alarm says what labels of this batch mean; those of several batches have a figure of their own.
    judged = [
        one
        for one in update.open_incidents
        if one.number not in opened or (one.labels is not None and one.labels.n_batches > 1)
    ]
    parts += verdict_words(judged, described(update.batch, labels))
    if update.track_record.n_batches:
        parts.append(track_text(update.track_record))
    return Phrase.joined(" ", parts)


def _received(update: LabelUpdate) -> Phrase:
    repeated = f" {counted(update.n_repeated, 'label')} had already been given." if update.n_repeated else ""
    kept = ""
    if update.n_not_kept:
        rest = "is for a row whose score is" if update.n_not_kept == 1 else "are for rows whose scores are"
        kept = f" {counted(update.n_not_kept, 'label')} {rest} not kept, and will not be used."
    return Phrase(f"{counted(update.n_new, 'new label')} for batch ", update.batch.shown, f".{repeated}{kept}")


def _waiting(update: LabelUpdate) -> list[str]:
    """Say which labels do not count yet, and why."""
    labels, row = update.labels, update.missing
    if row is None:
        return []
    used = f"{labels.n_used:,} of {labels.n_labels:,} labels count so far"
    count = used if labels.n_used else "None of its labels count yet"
    return [f"{count}: row {row} comes next in the random order of the plan and has no label; {_RANDOM}."]


def labels_words(labels: BatchLabels, before: Interval | None) -> list[str]:
    """Give the accuracy by labels alone and with the estimate, and say whether the interval given before was right."""
    if labels.alone is None or labels.accuracy is None:
        return []
    used = counted(labels.n_used, "label")
    if labels.alone.low == labels.alone.high:
        words = [f"Actual accuracy, from the labels of all {labels.n_used:,} rows: {percent(labels.alone.estimate)}."]
    else:
        words = [
            f"Actual accuracy, from {used}: {percent(labels.alone.estimate)} ({span(labels.alone)}, "
            f"{labels.alone.level:.0%} interval).",
        ]
        # Two figures for one accuracy confuse, unless few labels say little by themselves.
        if _width(labels.accuracy) < _width(labels.alone):
            words.append(f"Together with the scores: {percent(labels.accuracy.estimate)} ({span(labels.accuracy)}).")
    if before is not None and labels.contained is not None:
        right = "agrees with them" if labels.contained else "was wrong"
        words.append(f"The interval estimated before the labels, {span(before)}, {right}.")
    return [*words, *class_words(labels)]


def class_words(labels: BatchLabels) -> list[str]:
    """Give the class proportions by the labels beside those of the baseline; of two classes only the second."""
    shares = [*labels.shares.items()]
    shares = (
        shares[1:] if len(shares) == 2 else [one for one in shares if labels.reference_shares[one[0]] not in one[1]]
    )
    # Of many classes those are named that have changed.
    shares = sorted(shares, key=lambda one: -abs(one[1].estimate - labels.reference_shares[one[0]]))[:_CLASSES]
    texts = [
        f"class {class_name(name)} makes up {percent(share.estimate)} ({_ends(share)}baseline "
        f"{percent(labels.reference_shares[name])})"
        for name, share in shares
    ]
    return [f"According to {counted(labels.n_used, 'label')}, {', '.join(texts)}."] if texts else []


def _ends(interval: Interval) -> str:
    """Write an interval before other words in brackets; nothing if all rows have labels, so that it has no width."""
    return f"{span(interval)}; " if _width(interval) else ""


def _width(interval: Interval) -> float:
    return interval.high - interval.low


def described(batch: BatchName, labels: BatchLabels | None) -> int | None:
    """Return the number of a batch if its labels are described, so that their figures need not be given again."""
    return None if labels is None or labels.alone is None else batch.number


def verdict_words(incidents: Sequence[Incident], described: int | None = None) -> list[Phrase]:
    """Say which incidents labels confirm or clear; those with the same labels share a sentence.

    Parameters
    ----------
    incidents : sequence of Incident
        The incidents.
    described : int or None
        The number of the batch whose labels are described beside this; their figures are not repeated.
    """
    numbers: dict[tuple[LabelVerdict, float], list[int]] = {}
    for one in incidents:
        if one.labels is not None and one.floor is not None:
            numbers.setdefault((one.labels, one.floor), []).append(one.number)
    return [_verdict(known, floor, sorted(same), described) for (known, floor), same in numbers.items()]


def _verdict(known: LabelVerdict, floor: float, numbers: list[int], described: int | None) -> Phrase:
    noun = f"incident{'s' * (len(numbers) > 1)} {listed(numbers)}"
    repeated = known.n_batches == 1 and known.last.number == described
    batches = labelled_batches(known)
    if known.settled == "open":
        few = f"{counted(known.n_labels, 'label')} {'is' if known.n_labels == 1 else 'are'} too few to say whether "
        head = f"{noun[0].upper()}{noun[1:]}: {few}accuracy is below the floor of {percent(floor)}."
        ends = f" ({span(known.accuracy)})" if _width(known.accuracy) else ""
        so_far = f" It is {percent(known.accuracy.estimate)}{ends} so far, in ", *batches, "."
        return Phrase(head, *(() if repeated else so_far))
    verb, side = {
        "confirmed": ("confirm", f"is below the floor of {percent(floor)}"),
        "cleared": ("clear", f"is at the floor of {percent(floor)} or above"),
    }[known.settled]
    figures = f"{percent(known.accuracy.estimate)} ({_ends(known.accuracy)}{counted(known.n_labels, 'label')} of "
    return Phrase(
        f"Labels {verb} {noun}: accuracy ", *(() if repeated else (Phrase(figures, *batches, ") "),)), f"{side}."
    )


def labelled_batches(known: LabelVerdict) -> tuple[Text, ...]:
    """Name the batches that labels of an incident are of."""
    if known.n_batches == 1:
        return ("batch ", known.last.shown)
    return (f"{known.n_batches:,} batches from ", known.first.shown, " to ", known.last.shown)


def track_text(record: TrackRecord) -> str:
    """Say how many intervals contained the actual accuracy, as far as the labels can say."""
    if not record.n_batches:
        return "Track record: no batch has 10 labels yet."
    text = (
        f"Track record: {record.n_contained:,} of {record.n_batches:,} intervals ({record.level:.0%}) contained "
        f"the actual accuracy, according to {counted(record.n_labels, 'label')}"
    )
    return f"{text}, which is fewer than there should be." if record.too_few else f"{text}."
