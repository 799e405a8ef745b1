"""Numbers of measures as people read them."""

from __future__ import annotations

import numpy as np

from shiftproof.case import note_text as case_note_text
from shiftproof.core import Note, Phrase, percent, share

# What is written as a number; all others are shares.
_NUMBERS = ("auc", "brier", "profit")
_CALLED = {"auc": "AUC", "brier": "Brier score", "f1": "F1"}


def written(value: float, measure: str) -> str:
    """Write a measure: shares in per cent, areas, losses and profits as numbers; nothing where it is not defined.

    Examples
    --------
    >>> written(0.8768, "accuracy"), written(0.8768, "auc"), written(-12.345, "profit"), written(float("nan"), "f1")
    ('87.7%', '0.877', '-12.3', '')
    """
    if value != value:
        return ""
    if measure in _NUMBERS:
        # What rounding leaves of nothing is nothing.
        return f"{0.0 if abs(value) < 1e-9 else value:.3g}" if measure == "profit" else f"{value:.3f}"
    return percent(value)


def believed(probability: float) -> str:
    """Write a probability in per cent; nothing is ever sure, and NaN is nothing.

    Examples
    --------
    >>> believed(0.624), believed(1.0), believed(0.0), believed(float("nan"))
    ('62%', '>99.9%', '<0.1%', '')
    """
    return share(float(np.clip(probability, 4e-4, 1 - 4e-4)))


def called(measure: str) -> str:
    """Give the name of a measure in a sentence.

    Examples
    --------
    >>> called("brier"), called("accuracy")
    ('Brier score', 'accuracy')
    """
    return _CALLED.get(measure, measure)


# Why ReverseTesting was skipped, by the code of its note.
_SKIPPED = {
    "quick": "skipped because quick=True",
    "not requested": "not requested",
    "deployed models": "it would refit deployed models",
    "one model": "there is only one model",
    "threshold": "it does not support thresholds",
    "no models or features": "it needs models to fit, and the features of both tables",
}


def note_text(note: Note) -> Phrase:
    """Return the sentence of a note, without its full stop.

    Examples
    --------
    >>> str(note_text(Note(code="measure undefined", subject="'nb'", detail="precision")))
    "the precision of 'nb' is not defined: it divides by zero"
    """
    detail = note.shown_detail
    match note.code:
        case "too few labels":
            return Phrase(note.subject, " of new rows could not be used: give at least ", detail, ", of both classes")
        case "measure undefined":
            return Phrase("the ", detail, " of ", note.subject, " is not defined: it divides by zero")
        case "method":
            return Phrase(detail)
        case "ReverseTesting failed":
            return Phrase(detail)
        case "ReverseTesting skipped":
            return Phrase(_SKIPPED[note.detail])
        case "rows drawn":
            return Phrase(detail, " ", note.subject, " rows were drawn")
        case "cannot label":
            return Phrase(f"{note.subject!r} could not label the new rows: ", detail)
        case "one class":
            return Phrase(
                f"{note.subject!r} calls every new row ", detail, ", which teaches nothing; its pairs are undecided"
            )
        case "same labels":
            return Phrase(note.subject, " label all new rows alike, so no learner can tell them apart")
        case "cannot learn":
            return Phrase(f"{note.subject!r} could not learn from the labels of ", detail)
        case "one class in resamples":
            return Phrase(
                "in ", detail, f" resamples all rows had one label of {note.subject!r}; its pairs are undecided there"
            )
        case _:
            return case_note_text(note)
