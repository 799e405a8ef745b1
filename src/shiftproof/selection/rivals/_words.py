"""What ReverseTesting says, and what the methods say about the folds they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiftproof.case import note_text as case_note_text
from shiftproof.core import Note, Phrase, Text, counted, sentence, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shiftproof.panel import Panel
    from shiftproof.selection.rivals._interface import CrossFitPlan
    from shiftproof.selection.rivals._reverse_result import ReverseTest

# So many undecided pairs are named in a sentence.
_NAMED = 3
# By the code of a note.
_SENTENCES = {
    "method": "{detail}",
    "ReverseTesting failed": "{detail}",
    "rows drawn": "{detail} {subject} rows were sampled",
    "one class": "{name} assigns every new row to {detail}, so nothing can be learned from it; its pairs are undecided",
    "same labels": "{subject} give all new rows the same labels, so they cannot be compared",
    "cannot learn": "{name} could not learn from the labels of {detail}",
    (
        "one class in resamples"
    ): "in {detail} resamples, {name} gave all rows the same label; its pairs are undecided there",
}


def note_text(note: Note, more: Mapping[str, str] = _SENTENCES) -> Phrase:
    """Return the sentence of a note, without its full stop; an upper layer may know more of them.

    Examples
    --------
    >>> str(note_text(Note(code="rows drawn", subject="new", detail="100 of 2,000")))
    '100 of 2,000 new rows were sampled'
    """
    return case_note_text(note, {**_SENTENCES, **more})


def reverse_summary(result: ReverseTest) -> Phrase:
    """Return who beats whom, what is undecided, and what it cost."""
    decided = [f"{name} beats {joined(losers)}" for name, losers in result.victories() if losers]
    verdicts = "; ".join([*(decided or ["no pair is decided"]), *(_undecided(result) if decided else [])])
    words: list[Text] = [f"ReverseTesting: {verdicts}."]
    if result.resamples:
        words.append(f"Each verdict is the majority of {counted(result.resamples, 'resample')} of the new rows.")
    words.append(f"{counted(result.fits, 'fit')} in {result.seconds:.1f} s.")
    return Phrase.joined(" ", [*words, *(sentence(note_text(note)) for note in result.notes)])


def _undecided(result: ReverseTest) -> list[str]:
    pairs = [f"{a} and {b}" for a, b in result.undecided]
    if len(pairs) < 2:
        return [f"{pair} are undecided" for pair in pairs]
    more = f"; {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
    return [f"{len(pairs)} pairs are undecided ({'; '.join(pairs[:_NAMED])}{more})"]


def joined(names: Sequence[str]) -> str:
    """Return names as people write them, without quotes.

    Examples
    --------
    >>> joined(["tree"]), joined(["tree", "nb", "svm"])
    ('tree', 'tree, nb and svm')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def plan_text(plan: CrossFitPlan) -> str:
    """Return how models are to be cross-fitted."""
    return _split(plan.held_out) if plan.held_out is not None else _folds(plan.folds, plan.repeats)


def panel_text(panel: Panel) -> str:
    """Return how the models of a panel were fitted."""
    if panel.deployed:
        return "scores only" if panel.origin == "scores" else "deployed models"
    if panel.n_folds == panel.n_repeats == 1:
        return _split(float(panel.tested.mean()))
    return _folds(None if panel.n_folds == len(panel.y) else panel.n_folds, panel.n_repeats)


def _split(held_out: float) -> str:
    return f"one split that holds out {share(held_out)} of the rows"


def _folds(folds: int | None, repeats: int) -> str:
    number = "one fold per row" if folds is None else f"{folds} folds"
    return number if repeats == 1 else f"{number}, {repeats} times"
