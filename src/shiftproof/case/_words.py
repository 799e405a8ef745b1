"""Sentences about a case: what was left out, and what the type of shift rests on."""

from __future__ import annotations

from shiftproof.core import Argument, Note, Phrase


def note_text(note: Note) -> Phrase:
    """Return the sentence of a note, without its full stop.

    Examples
    --------
    >>> str(note_text(Note(code="model left out", subject="svm", detail="ValueError: no", sensitive=True)))
    "'svm' was left out: ValueError: no"
    """
    name, detail = f"{note.subject!r}", note.shown_detail
    match note.code:
        case "model left out":
            return Phrase(name, " was left out: ", detail)
        case "model cannot score":
            return Phrase(name, " was left out because it cannot score the new data: ", detail)
        case "copied rows":
            return Phrase(
                detail, " of the labelled rows have an exact copy in another fold, so the figures are too good"
            )
        case "new rows copied":
            return Phrase(detail, " of the new rows are exact copies of labelled rows; check that the tables are right")
        case "label given away":
            left_out = Argument("exclude", [note.subject])
            return Phrase(
                f"the column {name} determines every label; if it is known only once the label is, leave it out (",
                left_out,
                " in audit)",
            )
        case "type of shift from scores":
            return Phrase("the type of shift was determined from the scores alone: ", detail)
        case "type of shift without groups":
            return Phrase("the type of shift was determined as if rows were independent, ignoring groups")
        case _:
            return Phrase(note.code, ": " if note.detail else "", detail)
