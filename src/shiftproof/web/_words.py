"""The words of the dashboard: one sentence that explains each chart, states, and keys."""

from __future__ import annotations

from shiftproof.core import Interval, percent
from shiftproof.monitoring import Incident, TrackRecord, tone_of_open, written_time
from shiftproof.reporting import Tone

#: What each chart shows and how to read it, in one sentence.
HELP = {
    "accuracy": (
        "The line is the estimated accuracy with its interval. Dots are the actual accuracy where there are "
        "labels; if a dot's whole bar is below the dashed floor, there is harm."
    ),
    "incidents": (
        "Each bar is an incident, from its most likely start until the data recovered or someone acknowledged "
        "it. The thin line below it shows the range in which it began."
    ),
    "evidence": (
        "How close the evidence is to each alarm. At 100% the alarm is raised; acknowledging an incident "
        "restarts it. Lines at the top are beyond the chart."
    ),
    "shares": (
        "The estimated share of each class with its interval, and the actual share where there are labels. A "
        "model whose answers stay the same loses accuracy when the shares change."
    ),
    "scores": "How far the model's scores are from those in the baseline. A distance of 0.1 or more matters.",
    "columns": (
        "How far each column of the last batch is from the baseline. The small line shows earlier batches. A "
        "distance of 0.1 or more matters."
    ),
    "distance": (
        "How far this column is from the baseline (KS distance for numbers, Hellinger distance for categories). "
        "A distance of 0.1 or more matters."
    ),
    "missing": "The share of missing values, and of new values, which the baseline never had.",
    (
        "column evidence"
    ): "How close this column's own evidence is to an alarm: at 100% the column becomes part of an incident.",
    ("baseline and batch"): (
        "How the rows are spread over the values: the upper, blue bar is the baseline; the lower, orange bar is "
        "this batch."
    ),
    "spark": "How the rows are spread over the values: the filled shape is the baseline, and the line is this batch.",
    "segments": "Each segment is monitored on its own, with its own share of the false-alarm probability.",
    "track record": "How many of the intervals estimated before the labels contained the actual accuracy.",
    "labels": "Label these rows. They were drawn at random, so their labels show the accuracy of the whole batch.",
    "said": "What the monitor knew after each batch, from when the incident most likely began.",
}
#: A mark, and what it says, so that colour is never the only sign.
STATES: dict[Tone, tuple[str, str]] = {
    "good": ("✓", "Fine"),
    "care": ("!", "Needs care"),
    "bad": ("▲", "Needs attention"),
    "unknown": ("○", "No batches yet"),
}
#: Keys that the script listens to.
KEYS = {
    "g": "all monitors",
    "u": "up: from a batch, a column or an incident to its monitor",
    "← →": "on a batch: the previous or next batch; on a chart: the previous or next range",
    "+ −": "a range half or twice as long",
    "a": "all batches",
    "/": "find a column",
    "r": "reload the page",
    "?": "show or hide this list",
}


def interval_words(interval: Interval | None) -> str:
    """Write an interval for a tile or a table."""
    if interval is None:
        return ""
    # What all rows show has no error.
    return "all rows" if interval.low == interval.high else f"{percent(interval.low)} to {percent(interval.high)}"


def track_words(record: TrackRecord) -> str:
    """Write a track record for a tile."""
    return f"{record.n_contained:,} of {record.n_batches:,}" if record.n_batches else "no labels yet"


def incident_tone(incident: Incident) -> Tone:
    """Return the colour of an incident: closed ones are over, open ones have that of the verdict that they lead to."""
    return tone_of_open([incident]) if incident.open else "unknown"


def fate_words(incident: Incident) -> str:
    """Say what became of an incident, in a few words.

    Labels are named if they settled it.
    """
    settled = "" if incident.labels is None or incident.labels.settled == "open" else incident.labels.settled
    by_labels = f", {settled} by labels" if settled else ""
    if incident.acknowledged is not None:
        return f"acknowledged on {written_time(incident.acknowledged)}{by_labels}"
    return f"{'open' if incident.recovered is None else 'recovered, not acknowledged'}{by_labels}"
