"""Sentences of a monitor: what an update, an incident and the status say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shiftproof.core import Interval, Phrase, Text, chance_percent, counted, effect, listed, percent, sentence, shown
from shiftproof.core import share as share_text
from shiftproof.monitoring._baseline_words import SHIFTS, missing_words, note_text, too_few_words
from shiftproof.monitoring._budget_words import spending_words
from shiftproof.monitoring._class_names import class_name
from shiftproof.monitoring._label_words import described, labels_words, track_text, verdict_words
from shiftproof.monitoring._performance import FEWEST_ROWS
from shiftproof.monitoring._times import written_time
from shiftproof.monitoring.alarms import LEVELS, Level, lowered_floor
from shiftproof.monitoring.imports import imported_words
from shiftproof.reporting import Tone

if TYPE_CHECKING:
    from shiftproof.monitoring._alert_channels import WaitingAlert
    from shiftproof.monitoring._result import Incident, MonitorTerms, Update
    from shiftproof.monitoring._status import MonitorStatus

#: What an alarm says.
ALARMS: dict[Level, str] = {
    "changed": "The data changed, but this may not matter.",
    "material": "The data changed enough to matter.",
    "harm": "Accuracy is probably below the floor.",
}
#: The same once labels have confirmed an incident or cleared it.
SETTLED: dict[tuple[Level, str], str] = {
    ("material", "confirmed"): "The data changed, and labels show that accuracy is below the floor.",
    ("material", "cleared"): "The data changed, but labels show that accuracy is at the floor or above.",
    ("harm", "confirmed"): "Labels show that accuracy is below the floor.",
    ("harm", "cleared"): "Estimated accuracy fell below the floor, but labels show that it is at the floor or above.",
}
#: What the alarms say of a column, by the grade of its bar in a chart.
BLAME = {
    "material": "changed enough to matter",
    "negligible": "changed, without enough evidence that it matters",
    "none": "not enough evidence of a change",
}
#: What each alarm asks, for tables.
QUESTIONS: dict[Level, str] = {
    "changed": "do the data differ from the baseline and earlier batches?",
    "material": "is a column more than 0.1 away from the baseline?",
    "harm": "is accuracy below the floor?",
}
# On two of three real streams accuracy fell by more than 20 points and the estimate stayed or rose.
_DOUBT = "The estimate rests on scores alone and can miss a loss of accuracy that only labels show. Label some rows."
_QUIET_DOUBT = "The estimate rests on scores alone; only labels can confirm it."
_BELOW = (
    "The estimate is below the floor, but by less than the {:.1f} points that a harm alarm needs without labels. "
    "Label some rows."
)
_LEARNT = "The estimate is corrected with the labels of {}; a new loss shows only once this batch has labels too."
# Below so many independent rows, an alarm needs a very large change or very many batches.
_FEW_ROWS = 30
_RECOVERED = "The data have recovered; acknowledge the open incidents."
#: What the batches since an incident are like if it recovered.
RECOVERED: dict[Level, str] = {
    "changed": "the data are like those before the incident",
    "material": "the columns that changed are within the limits",
    "harm": "estimated accuracy is at the floor or above",
}
# The columns that are named; the rest is counted.
_NAMED = 5


def worst(levels: Sequence[Level]) -> Level | None:
    """Return the level that matters most; None if there is none."""
    return next((level for level in ("harm", "material", "changed") if level in levels), None)


def alarm_text(incidents: Sequence[Incident]) -> str:
    """Say what the incident that matters most is about, and what labels say of it."""
    level = worst([incident.level for incident in incidents])
    incident = next(incident for incident in incidents if incident.level == level)
    settled = "open" if incident.labels is None else incident.labels.settled
    return SETTLED.get((incident.level, settled), ALARMS[incident.level])


def tone_of(levels: Sequence[Level]) -> Tone:
    """Return the colour of alarms: *material* and *harm* are bad, *changed* needs care."""
    level = worst(levels)
    return "good" if level is None else "care" if level == "changed" else "bad"


def tone_of_open(incidents: Sequence[Incident]) -> Tone:
    """Return the colour of open incidents; those that have recovered, or that labels cleared, still need care."""
    cleared = [one for one in incidents if one.labels is not None and one.labels.settled == "cleared"]
    going_on = [incident for incident in incidents if incident.recovered is None and incident not in cleared]
    tone = tone_of([incident.level for incident in going_on])
    return "care" if tone == "good" and incidents else tone


def update_headline(update: Update) -> str:
    """Say whether there is an alarm."""
    # Incidents that this batch opened name their columns themselves.
    listed_below = {name for incident in update.opened for name in incident.columns}
    names = listed([name for name in update.newly_blamed if name not in listed_below], most=_NAMED)
    new = f" Also changed now: {names}." if names else ""
    if update.opened:
        return f"Alarm: {lower(alarm_text(update.opened))}{new}"
    if not update.open_incidents:
        return "No alarm."
    going_on = [incident for incident in update.open_incidents if incident.recovered is None]
    return f"No new alarm. {f'Still open: {lower(alarm_text(going_on))}' if going_on else _RECOVERED}{new}"


def update_line(update: Update) -> Phrase:
    """Say which batch it is, and whether there is an alarm."""
    again = " It was added before and counts only once." if update.repeated else ""
    # Every batch has columns, until it is pruned.
    again += "" if update.columns else " Its figures were deleted."
    return Phrase("Batch ", update.batch.shown, f" ({counted(update.n_rows, 'row')}).{again} {update.headline}")


def update_details(update: Update) -> Phrase:
    """Say which incidents the batch raised, the estimates, what changed most, and notes."""
    labelled = described(update.batch, update.labels)
    parts: list[Text] = [*_incidents_words(update.opened, labelled)]
    parts += accuracy_words(update)
    parts += [] if update.labels is None else labels_words(update.labels, update.shown_accuracy)
    parts += [*doubt_words(update), *shares_words(update.shown_shares)]
    missing = missing_words(update.columns.values())
    # That no shift is visible must not stand beside a column that changed.
    shifted = bool(missing) or any(update.blamed.values())
    # In a few rows everything looks far away, and the shift cannot be judged.
    enough = update.n_rows >= FEWEST_ROWS
    if enough and update.shift_kind and not (shifted and update.shift_kind == "none"):
        parts.append(SHIFTS[update.shift_kind])
    parts += [*missing, *(_largest(update) if enough else []), *periods_words(update.terms)]
    return Phrase.joined(" ", [*parts, *map(note_text, update.notes)])


def accuracy_words(update: Update) -> list[str]:
    """Give the estimated accuracy beside that of the most frequent class, the validated one and the floor."""
    accuracy, terms = update.accuracy, update.terms
    if accuracy is None:
        return []
    if update.shown_accuracy is None:
        return [too_few_words(update.n_rows)]
    # The share in this batch, not in the baseline: with other class proportions it is another baseline.
    always = [
        f"always answering {class_name(label)}: {percent(one.estimate)}"
        for label, one in sorted(update.shares.items(), key=lambda share: -share[1].estimate)[:1]
    ]
    ends = f"{accuracy.level:.0%} interval: {percent(accuracy.low)} to {percent(accuracy.high)}"
    known = [("validated", terms.validated), ("floor", terms.floor)]
    beside = [*(f"{what} {percent(value)}" for what, value in known if value is not None), *always]
    compared = f" For comparison: {'; '.join(beside)}." if beside else ""
    chance = ""
    # Labels of the batch know better.
    if update.loss_chance is not None and update.labels is None:
        chance = (
            f" The chance that it is over 5 points below the validated one is {chance_percent(update.loss_chance)}."
        )
    return [f"Estimated accuracy: {percent(accuracy.estimate)} ({ends}).{compared}{chance}"]


def doubt_words(update: Update) -> list[str]:
    """Warn that the estimate may miss a loss; at more length while the data are changed enough to matter."""
    known = update.labels
    if update.shown_accuracy is None or (known is not None and known.alone is not None):
        return []
    if update.n_learnt:
        return [_LEARNT.format(batches_text(update.n_learnt))]
    if update.terms.floor is not None and _is_hidden(update.shown_accuracy.estimate, update.terms):
        return [_BELOW.format(100 * harm_reach(update.terms))]
    matters = any(one.level != "changed" and one.recovered is None for one in update.open_incidents)
    return [_DOUBT if matters else _QUIET_DOUBT]


def _is_hidden(accuracy: float, terms: MonitorTerms) -> bool:
    """Return whether an estimate is below the floor, but by less than what raises an alarm without labels."""
    if terms.floor is None or terms.bias is None:
        return False
    return terms.floor - harm_reach(terms) < accuracy < terms.floor


def harm_reach(terms: MonitorTerms) -> float:
    """Return how far below the floor an estimate without labels must be to raise an alarm."""
    if terms.floor is None or terms.bias is None:
        return 0.0
    # Half of alpha is for *material*.
    return terms.floor - lowered_floor(terms.floor, terms.bias, terms.alpha * terms.shares[""] / 2)


def periods_words(terms: MonitorTerms) -> list[str]:
    """Warn of alarms that come late because the periods of the baseline differ so much."""
    rows = terms.independent_rows
    if rows is None or rows >= _FEW_ROWS:
        return []
    return [
        "Periods of the baseline differ so much that a batch counts as at most "
        f'{counted(rows, "independent row")}. Alarms will be late or never raised; see "Days that differ" in the '
        "monitoring guide."
    ]


def shares_words(shares: Mapping[str, Interval]) -> list[str]:
    """Give the class proportions; of two classes only the second."""
    shown_shares = [*shares.items()][1:] if len(shares) == 2 else [*shares.items()]
    one_class = len(shown_shares) == 1
    texts = [
        f"{class_name(label)}{':' * one_class} {percent(one.estimate)} ({percent(one.low)} to {percent(one.high)})"
        for label, one in shown_shares
    ]
    noun = "share of class" if one_class else "class proportions:"
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return [f"Estimated {noun} {', '.join(texts[:_NAMED])}{more}."] if texts else []


def _largest(update: Update) -> list[str]:
    known = [change for change in update.columns.values() if change.distance == change.distance]
    if not known:
        return []
    most = max(known, key=lambda change: change.distance)
    measure = "KS" if most.measure == "ks" else "Hellinger"
    # A column that is often missing is further away than these values are.
    by_values = " in its values" if missing_words(update.columns.values()) else ""
    return [
        f"Furthest from the baseline{by_values}: {shown(most.column)} ({measure} distance {effect(most.distance)})."
    ]


def _incidents_words(incidents: Sequence[Incident], described: int | None) -> list[Phrase]:
    """Describe several incidents, the most urgent first; those of *changed* only name columns not named before."""
    words, named = [], {incident.segment: frozenset[str]() for incident in incidents}
    for incident in sorted(incidents, key=lambda one: -LEVELS.index(one.level)):
        words.append(incident_words(incident, verdict=False, named=named[incident.segment]))
        named[incident.segment] |= frozenset(incident.columns)
    return [*words, *verdict_words(incidents, described)]


def incident_words(incident: Incident, *, verdict: bool = True, named: frozenset[str] = frozenset()) -> Phrase:
    """Say since when, which columns changed, and what became of it.

    Parameters
    ----------
    incident : Incident
        The incident.
    verdict : bool, default True
        Whether to say what labels say of it.
    named : frozenset of str
        Columns that changed and are named beside this.
    """
    parts: list[Text] = [_began(incident)]
    columns = [name for name in incident.columns if name not in named]
    if columns:
        also = "Also changed" if named else "Columns that changed"
        parts.append(f"{also}: {listed(columns, most=_NAMED)}.")
    if incident.recovered is not None:
        parts.append(Phrase("Recovered with batch ", incident.recovered.shown, f": {RECOVERED[incident.level]}."))
    parts += verdict_words([incident]) if verdict else []
    if incident.acknowledged is not None:
        parts.append(f"Acknowledged on {written_time(incident.acknowledged)}: {sentence(incident.reason)}")
    return Phrase.joined(" ", parts)


def _began(incident: Incident) -> Phrase:
    """Say which batch raised an incident, and with which it began."""
    labels = "labels of " * incident.by_labels
    when = f" of {written_time(incident.raised.at)}"
    head = Phrase(f"Incident {incident.number} (", *incident.where.parts, ")")
    if incident.first.number == incident.last.number == incident.raised.number:
        raised = ", whose labels raised the alarm." if incident.by_labels else ", which raised the alarm."
        return Phrase(head, " began with batch ", incident.raised.shown, when, raised)
    began = "began" if incident.first.number == incident.last.number else "most likely began"
    raised_by = Phrase(f", raised by {labels}batch ", incident.raised.shown, f"{when}, {began} with batch ")
    return Phrase(head, raised_by, incident.likeliest.shown, *_range(incident), ".")


def _range(incident: Incident) -> tuple[Text, ...]:
    """Say with which batches an incident may have begun instead; nothing if there is no other."""
    first, last, likeliest = incident.first, incident.last, incident.likeliest.number
    if first.number == last.number:
        return ()
    if likeliest == first.number:
        return (" (at the latest with ", last.shown, ")")
    if likeliest == last.number:
        return (" (at the earliest with ", first.shown, ")")
    return (" (between ", first.shown, " and ", last.shown, ")")


def status_tone(status: MonitorStatus) -> Tone:
    """Return the colour of the status."""
    return tone_of_open(status.open_incidents) if status.n_batches else "unknown"


def status_headline(status: MonitorStatus) -> str:
    """Say what is open."""
    if not status.n_batches:
        return "No batches have been added yet."
    if not status.open_incidents:
        return "No open incidents."
    going_on = [incident for incident in status.open_incidents if incident.recovered is None]
    return alarm_text(going_on) if going_on else _RECOVERED


def status_details(status: MonitorStatus, *, incidents: bool, track_record: bool = True) -> list[Text]:
    """Say how many batches there are, what is estimated now and, unless a table does, what is open and how right."""
    parts: list[Text] = []
    if status.n_batches:
        so_far = f"{batches_text(status.n_batches)} with {counted(status.n_rows, 'row')} so far"
        parts.append(
            so_far + "." if status.last is None else Phrase(so_far, "; added last: ", status.last.batch.shown, ".")
        )
    if incidents:
        labelled = None if status.last is None else described(status.last.batch, status.last.labels)
        parts += _incidents_words(status.open_incidents, labelled)
    parts += waiting_words(status.waiting_alerts)
    parts += imported_words([line.tool for line in status.imported])
    if any(one.recovered for one in status.open_incidents):
        parts.append("Acknowledge incidents that are over, so that their alarms restart.")
    if status.last is not None:
        parts += accuracy_words(status.last)
        parts += [] if status.last.labels is None else labels_words(status.last.labels, status.last.shown_accuracy)
        parts += doubt_words(status.last)
    if status.track_record.n_batches and track_record:
        parts.append(track_text(status.track_record))
    spending = spending_words(status.terms, status.incidents, status.batches_per_year)
    return [*parts, *spending, *periods_words(status.terms)]


def waiting_words(waiting: Sequence[WaitingAlert]) -> list[str]:
    """Say how many alerts wait, since when and why; nothing if none does."""
    if not waiting:
        return []
    verb = "has" if len(waiting) == 1 else "have"
    since = written_time(min(one.since for one in waiting))
    return [
        f"{counted(len(waiting), 'alert')} {verb} been waiting to be sent since {since}: {waiting_reasons(waiting)}."
    ]


def waiting_reasons(waiting: Sequence[WaitingAlert]) -> str:
    """Say by channel why alerts wait."""
    by_channel = {one.channel: one.error for one in reversed(waiting)}
    return "; ".join(
        f"channel {shown(name)}, {error or 'not tried yet'}" for name, error in reversed(by_channel.items())
    )


def batches_text(number: int) -> str:
    """Write a number of batches.

    Examples
    --------
    >>> batches_text(1), batches_text(1200)
    ('1 batch', '1,200 batches')
    """
    return f"{number:,} batch{'es' * (number != 1)}"


def floor_words(terms: MonitorTerms) -> list[str]:
    """Warn of a floor above the validated accuracy."""
    if terms.floor is None or terms.validated is None or terms.floor <= terms.validated:
        return []
    return [
        f"The floor is above the validated accuracy of {percent(terms.validated)}: expect a harm alarm even if "
        "nothing changes."
    ]


def harm_limits(terms: MonitorTerms) -> str:
    """Say what the alarm for harm can and cannot see without labels."""
    if terms.floor is None or terms.bias is None:
        return "Harm is not monitored: that needs scores and labels in the baseline."
    return (
        "Without labels, harm is judged from scores alone, and the estimate may be biased. Accuracy can then be up to "
        f"{100 * harm_reach(terms):.1f} points below the floor without an alarm; only labels reveal it."
    )


def evidence_words(share: float) -> str:
    """Write how far evidence is on its way to an alarm.

    Examples
    --------
    >>> evidence_words(0.0), evidence_words(0.314), evidence_words(1.2)
    ('none', '31% of an alarm', 'alarm')
    """
    return "alarm" if share >= 1 else "none" if share < 0.005 else f"{share_text(share)} of an alarm"


def lower(text: str) -> str:
    """Return a sentence to stand within another one.

    Examples
    --------
    >>> lower("The data changed.")
    'the data changed.'
    """
    return text[0].lower() + text[1:]
