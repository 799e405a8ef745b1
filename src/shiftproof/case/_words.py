"""Sentences about a case: what was left out, what is odd about the data, and what the type of shift rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from shiftproof.case._routes import FEWEST_NEW
from shiftproof.core import Interval, Note, Phrase, counted

# By the code of a note; {name} is its subject in quotes.
_SENTENCES = {
    "model left out": "{name} was left out: {detail}",
    "model cannot score": "{name} was left out because it cannot score the new data: {detail}",
    "copied rows": "{detail} of the labelled rows have an exact copy in another fold, so models look better than they "
    "are",
    "new rows copied": "{detail} of the new rows are exact copies of labelled rows; check that the tables are right",
    "same scores": "the new rows have exactly the scores of the labelled rows; check that these are the new data",
    "label given away": "the column {name} determines every label; exclude it if its values become known only with "
    "the label",
    "label given away by an identifier": "the column {name} looks like an identifier and determines every label; "
    "exclude it",
    ("label nearly given away"): (
        "the column {name} separates the classes almost perfectly (AUC {detail}); exclude it if its values "
        "become known only with the label"
    ),
    "scores reversed": "{name} ranks the classes in reverse; check that its scores are for the right class",
    "held-out rows reversed": "{name} ranks the classes of held-out rows in reverse, which is worse than guessing",
    "type of shift from scores": "the type of shift was determined from the scores alone: {detail}",
    "type of shift without groups": "the type of shift was determined as if rows were independent, ignoring groups",
    ("type of shift without weights"): "the type of shift was determined as if all rows had equal weight",
    "labels of one class": (
        "all {subject} of new rows are {detail}, while a random sample would very likely contain other classes. "
        "Choosing rows by their label biases the estimates: label rows drawn at random, or the rows of a plan"
    ),
    "labels of chosen rows": (
        "the new rows with labels differ from the other new rows in {subject}, by more than chance explains. Rows "
        "that were not drawn at random may bias the estimates: label rows drawn at random, or the rows of a plan"
    ),
    "too few labels": "{subject} of new rows could not be used: provide at least {detail}, of both classes",
}


def too_few_rows(n_new: int) -> str:
    """Return why nothing is estimated for so few new rows.

    Examples
    --------
    >>> too_few_rows(1)
    '1 new row is too few for an estimate; at least 20 are needed.'
    """
    are = "is too few" if n_new == 1 else "are too few"
    return f"{counted(n_new, 'new row')} {are} for an estimate; at least {FEWEST_NEW} are needed."


def note_text(note: Note, more: Mapping[str, str] = _SENTENCES) -> Phrase:
    """Return the sentence of a note, without its full stop.

    Parameters
    ----------
    note : Note
        What to say.
    more : mapping of str to str
        Sentences of an upper layer, by the code of the note, with {name}, {subject} and {detail} to fill in.

    Examples
    --------
    >>> str(note_text(Note(code="model left out", subject="svm", detail="ValueError: no", sensitive=True)))
    "'svm' was left out: ValueError: no"
    """
    sentence = more.get(note.code) or _SENTENCES.get(note.code)
    if sentence is None:
        return Phrase(note.code, ": " if note.detail else "", note.shown_detail)
    # The detail stays a part of its own, because it may hold cells of the data.
    before, detailed, after = sentence.partition("{detail}")
    parts = (part.format(name=repr(note.subject), subject=note.subject) for part in (before, after))
    return Phrase(next(parts), *((note.shown_detail, next(parts)) if detailed else ()))


def either_text(pair: tuple[Interval, Interval], write: Callable[[float], str]) -> str:
    """Return both answers where the data cannot tell if nothing but the class proportions changed.

    Examples
    --------
    >>> one = Interval(estimate=0.82, low=0.76, high=0.88, level=0.9, method="student")
    >>> other = Interval(estimate=0.58, low=0.33, high=0.83, level=0.9, method="student")
    >>> either_text((one, other), "{:.0%}".format).removeprefix("If only the class proportions changed: ")
    '82% (76% to 88%). If more changed: 58% (33% to 83%). The data cannot tell which.'
    """
    one, other = (f"{write(each.estimate)} ({write(each.low)} to {write(each.high)})" for each in pair)
    return f"If only the class proportions changed: {one}. If more changed: {other}. The data cannot tell which."
