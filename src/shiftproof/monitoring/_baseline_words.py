"""The sentences of baselines and of batches compared with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from shiftproof.core import Argument, Note, Phrase, counted, effect, listed, p_words, percent, sentence, shown
from shiftproof.monitoring._class_names import class_name
from shiftproof.monitoring._performance import FEWEST_ROWS
from shiftproof.monitoring._periods import independent_rows
from shiftproof.monitoring._seasons import FEWEST_OF_SEASON

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.monitoring._seasons import Seasons
    from shiftproof.monitoring._summary import BatchSummary, ColumnChange

#: What a batch shows about the type of shift.
SHIFTS = {
    "none": "No shift is visible between the baseline and this batch.",
    "prior": "Prior shift: only the class proportions changed. The estimates correct for this.",
    "unclear": "The type of shift is unclear; an audit, which uses the rows themselves, can say more.",
}


# The options of `shiftproof monitor init`, by the argument of a baseline.
_OPTIONS = {"exclude": "--exclude", "labels": "--target", "scores": "--score-column", "time": "--time"}
# Columns that are named; the rest is counted.
_NAMED = 8
# The same where each has its figures.
_WITH_SHARES = 3


def note_text(note: Note) -> Phrase:
    """Turn a note of a baseline or of a batch into a sentence."""
    subject = shown(note.subject)
    texts: dict[str, Phrase] = {
        "columns absent": Phrase(f"Not in the batch, so all values count as missing: {note.detail}."),
        "new columns": Phrase(f"Not in the baseline, so not compared: {note.detail}."),
        "values never seen": Phrase(
            f"Column {subject} has new values, which the baseline never had: ", note.shown_detail, "."
        ),
        "one answer": Phrase(
            f"The model answers {class_name(note.subject)} for every row, so its accuracy is the share of this class."
        ),
        "dates change": Phrase(
            f"Dates always change ({note.detail}); pass ",
            Argument("exclude", [note.subject]),
            " unless they should be compared.",
        ),
        "no scores": Phrase(
            "Without scores, accuracy and class proportions cannot be estimated; pass ", Argument("scores"), "."
        ),
        "no labels": Phrase(
            "Without labels, accuracy and class proportions cannot be estimated, and there is no harm alarm; pass ",
            Argument("labels"),
            ".",
        ),
        "independent rows": Phrase(
            "The alarms assume independent rows; pass ", Argument("time"), " to measure how far periods differ."
        ),
        "cross-fitted scores": Phrase(
            f"The scores of {subject} come from cross-validation. A refitted model's scores differ a little even "
            "without a shift. For exact alarms on scores, score held-out rows with the deployed model."
        ),
        "no key": Phrase(f"Rows to label are identified by row number, because {note.detail}."),
        "labels in batch": Phrase(
            f"Column {subject} has labels, which are not used when a batch is added; pass them to ",
            Argument("monitor label", instead="Monitor.label"),
            ".",
        ),
        "scores reversed": Phrase(
            f"{subject} ranks the classes of this batch in reverse ({note.detail}): check which class its scores are "
            "the probabilities of."
        ),
        "scores in another order": Phrase(
            f"The labels of this batch agree better with the columns of scores in the order {note.detail}: check the "
            "order of the classes."
        ),
        "few periods": Phrase(f"Column {subject} has {note.detail} are needed to measure how far periods differ."),
        "seasons joined": Phrase(
            f"Fewer than {FEWEST_OF_SEASON} baseline rows in some seasons: {note.detail} are compared together."
        ),
        "small seasons": Phrase(
            f"{note.subject} has only {note.detail}: for this season, a material alarm needs a large change or many "
            "batches."
        ),
        "estimates of all seasons": Phrase(
            f"Seasons with fewer than {note.detail} labelled rows are estimated from the rows of all seasons."
        ),
        "other values": Phrase(f"{note.detail} of {subject} are monitored together, as one segment."),
        "unwatched values": Phrase(
            f"{note.detail} of {subject} are too few for a segment; they are monitored only as part of all rows."
        ),
        "new segments": Phrase(
            f"{subject} has new values, which the baseline never had: ",
            note.shown_detail,
            "; these are monitored only as part of all rows.",
        ),
        "season": Phrase(f"Compared with the baseline rows of {note.detail}."),
    }
    return texts[note.code]


def with_init_options(phrase: Phrase) -> Phrase:
    """Write the arguments of a baseline as options of `shiftproof monitor init`, for readers without Python.

    Examples
    --------
    >>> print(with_init_options(Phrase("pass ", Argument("time"), ".")))
    pass --time to shiftproof monitor init.
    """
    return Phrase(*(_init_option(part) if isinstance(part, Argument) else part for part in phrase.parts))


def _init_option(argument: Argument) -> str:
    if argument.name not in _OPTIONS:
        return str(argument)
    values = argument.value if isinstance(argument.value, list) else []
    option = " ".join([_OPTIONS[argument.name], *(shlex.quote(str(value)) for value in values)])
    return f"{option} to shiftproof monitor init"


def missing_words(columns: Iterable[ColumnChange]) -> list[str]:
    """Name the columns whose missing share changed enough to matter, those that changed most first."""
    moved = sorted((one for one in columns if one.missing_matters), key=lambda one: -one.missing_change)
    texts = [
        f"{shown(one.column)} is missing in {percent(one.missing)} of the rows, compared with "
        f"{percent(one.missing_reference)} before"
        for one in moved[:_WITH_SHARES]
    ]
    n_more = len(moved) - len(texts)
    more = f"; in {counted(n_more, 'more column')} the missing share changed too" if n_more else ""
    return [f"{'; '.join(texts)}{more}."] if texts else []


def too_few_words(n_rows: int) -> str:
    """Say that a batch is too small for an estimate.

    Examples
    --------
    >>> too_few_words(2), too_few_words(1)
    ('2 rows are too few to estimate accuracy.', '1 row is too few to estimate accuracy.')
    """
    return f"{counted(n_rows, 'row')} {'is' if n_rows == 1 else 'are'} too few to estimate accuracy."


def summary_text(batch: BatchSummary) -> Phrase:
    """Summarise a batch: what changed most, the estimates, the notes."""
    known = [change for change in batch.columns.values() if change.distance == change.distance]
    parts: list[str | Phrase] = []
    if known:
        most = max(known, key=lambda change: change.distance)
        measure = "KS" if most.measure == "ks" else "Hellinger"
        parts.append(
            f"{counted(batch.n_rows, 'row')}; {shown(most.column)} changed most "
            f"({measure} distance {effect(most.distance)}, {p_words(most.p_value)})."
        )
    else:
        parts.append(f"{counted(batch.n_rows, 'row')}; no column can be compared.")
    missing = missing_words(batch.columns.values())
    parts += [*missing, *_estimates(batch, shifted=bool(missing))]
    return Phrase.joined(" ", [*parts, *map(note_text, batch.notes)])


def _estimates(batch: BatchSummary, *, shifted: bool) -> list[str | Phrase]:
    """Say what is estimated, and which type of shift it is; not that there is none beside a column that shifted."""
    parts: list[str | Phrase] = []
    if batch.n_rows < FEWEST_ROWS:
        return [] if batch.accuracy is None else [too_few_words(batch.n_rows)]
    if batch.accuracy is not None:
        low, high = (percent(end) for end in (batch.accuracy.low, batch.accuracy.high))
        parts.append(f"Estimated accuracy {percent(batch.accuracy.estimate)} ({low} to {high}).")
    if batch.shift is not None and not (shifted and batch.shift.kind == "none"):
        parts += [SHIFTS[batch.shift.kind], *batch.shift.reasons]
    return parts


def _periods_words(effects: Mapping[str, float], mean_period: float) -> str:
    """Say how much a batch can tell if rows of one period resemble each other."""
    column = max(effects, key=lambda name: effects[name])
    rows = independent_rows(effects, mean_period)
    if rows is None:
        return "Periods do not differ by more than chance."
    return (
        f"Periods differ, most in {shown(column)}: for this column a batch is worth at most "
        f"{counted(rows, 'independent row')}, however large it is, so an alarm may need several batches."
    )


def _seasons_words(seasons: Seasons) -> str:
    """Say which rows are compared with which."""
    every = seasons.every.replace("-", " ")
    return (
        f"Rows are compared with baseline rows of the same {every}, according to {shown(seasons.column)} in "
        f"{seasons.zone}."
    )


def baseline_text(baseline: Baseline) -> Phrase:
    """Summarise a baseline: rows, columns, what it can answer."""
    first = (
        f"Baseline of {counted(baseline.n_rows, 'row')} and {counted(len(baseline.columns), 'column')}; no rows are "
        f"stored. Compared: {listed(baseline.reference, most=_NAMED)}."
    )
    if baseline.seasons is not None:
        first += f" {_seasons_words(baseline.seasons)}"
    if baseline.by is not None:
        names = [*baseline.segments]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        first += f" Monitored separately: {', '.join(names[:_NAMED])}{more}."
    if baseline.left_out:
        reasons = [f"{shown(name)} ({reason})" for name, reason in baseline.left_out.items()]
        more = f" and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else ""
        first += f" Not compared: {', '.join(reasons[:_NAMED])}{more}."
    if baseline.validated is not None and baseline.majority is not None:
        share = f"always answering the most frequent class: {percent(baseline.majority)}"
        first += f" Validated accuracy {percent(baseline.validated)} ({share})."
    if baseline.design_effect and baseline.mean_period:
        first += f" {_periods_words(baseline.design_effect, baseline.mean_period)}"
    limits = [] if baseline.envelope is None else [sentence(baseline.envelope.summary())]
    return Phrase.joined(" ", [first, *limits, *map(note_text, baseline.notes)])
