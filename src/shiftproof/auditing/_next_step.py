"""What to do after an audit: the next step of each verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shiftproof.auditing._figures import amount_text, interval_text, majority_text, worst_case_text
from shiftproof.case import unknowable
from shiftproof.core import Argument, Phrase, listed, sentence
from shiftproof.selection import called, note_text, written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._without import Without

#: Below the first chance of a loss a model can be trusted, above the second it cannot.
TRUSTED_BELOW, DISTRUSTED_ABOVE = 0.1, 0.5
_HOW_TO_PLAN = "plan() lists them; on the command line, use --plan FILE"


def what_to_do(audit: Audit, *, labels_known: bool = False, which_rows: str = _HOW_TO_PLAN) -> Phrase:
    """Return the next step after a verdict.

    Parameters
    ----------
    audit : Audit
        What was found.
    labels_known : bool
        Whether labels of the new rows have arrived since.
    which_rows : str
        Where to read which rows to label; empty if labels would hardly narrow the interval.
    """
    step = _next_step(audit, labels_known=labels_known, which_rows=which_rows)
    unused = (sentence(note_text(note)) for note in audit.performance.notes if note.code == "too few labels")
    return Phrase.joined(" ", filter(None, [_columns_to_check(audit), _oddities_to_check(audit), step, *unused]))


def _oddities_to_check(audit: Audit) -> str:
    """Return that the data look odd, where this alone keeps a model from being trusted."""
    odd = audit.cautions and audit.verdict == "check first" and audit.loss_chance < TRUSTED_BELOW
    return "First check what looks odd in the data; the first reason says it." if odd else ""


def _columns_to_check(audit: Audit) -> str:
    """Return which columns to check before anything else: labels cannot repair an error in the data."""
    emptied, suspects = audit.emptied, [name for name in audit.suspects if name not in audit.emptied]
    if not emptied and not suspects:
        return ""
    is_empty = "is empty" if len(emptied) == 1 else "are empty"
    columns = f"{listed(emptied)}, which {is_empty} in the new data" if emptied else ""
    if suspects:
        columns = f"{columns}, and {listed(suspects)}" if columns else f"{listed(suspects)} in the new data"
    return f"First check {columns}. If there is a mistake, correct it and audit again. If not, go on as follows."


def _next_step(audit: Audit, *, labels_known: bool, which_rows: str) -> Phrase:
    label_some = f"label some new rows ({which_rows})"
    every_label = audit.performance.all_labelled
    if audit.verdict in ("check first", "cannot tell") and labels_known and not every_label:
        actual = f"The labels are known now: judge {audit.best} by its actual {called(audit.measure)}."
        return Phrase(f"{actual} If that is not good enough, train again with these labels.")
    # NaN, of a measure without a value, compares false.
    likely_harm = audit.loss > audit.harmful_loss
    if audit.verdict in ("trust", "check first") and audit.no_better and not likely_harm:
        # The figures can be believed, but they speak against the model.
        name, others = ("Accuracy", "AUC or cost") if audit.judged_by_accuracy else ("The profit", "AUC")
        return Phrase(
            f"{name} gives no reason to use {audit.best}: compare models by {others}, or improve {audit.best}."
        )
    if audit.verdict == "trust":
        return Phrase(f"You can use {audit.best} on the new data.")
    if audit.verdict == "check first" and audit.no_better:
        # A loss is likely, so that improving the model is not enough.
        return _not_yet(audit, label_some)
    if audit.verdict == "check first":
        more = "" if every_label or not which_rows else f" If not, {label_some}."
        return Phrase(f"If {worst_case_text(audit)} would still be good enough, use {audit.best}.{more}")
    if audit.reversed:
        check = Phrase("Check which class the scores belong to; ", Argument("pos_label"), " names the positive class.")
        return check if labels_known or every_label else Phrase(check, f" To be sure, {label_some}.")
    if audit.verdict == "do not trust":
        train = f"{label_some} and train again"
        if labels_known or every_label:
            train = "train again with the labels of the new rows"
        if audit.no_better and not audit.seems_better:
            return Phrase(f"{_useless(audit)} {train[0].upper()}{train[1:]}.")
        return Phrase(f"If {interval_text(audit)} is not good enough, {train}.")
    if audit.labels_biased:
        return Phrase("Audit again without ", Argument("labels"), ", then label the rows that the audit suggests.")
    if every_label:
        return Phrase(f"Judge {audit.best} by another measure: its {called(audit.measure)} cannot be determined.")
    return _way_out(audit, f"{label_some} before using {audit.best}.")


def _useless(audit: Audit) -> str:
    return f"Don't use {audit.best}: it is no better than {_always(audit)}."


def _not_yet(audit: Audit, label_some: str) -> Phrase:
    """Return what to do with a model that probably loses accuracy and may be no better than the baseline."""
    if not audit.seems_better:
        return Phrase(f"{_useless(audit)} L{label_some[1:]} and train again.")
    return Phrase(f"L{label_some[1:]} before using {audit.best}: it may be no better than {_always(audit)}.")


def _always(audit: Audit) -> str:
    return f"always answering {majority_text(audit)}"


def _way_out(audit: Audit, label: str) -> Phrase:
    """Return what to try where nothing can be said; columns with mostly new values are often new by nature."""
    if audit.refused and not unknowable(audit.shift, "natural") and audit.performance.assume != "natural":
        given = Argument("assume", audit.performance.assume)
        return Phrase("Leave out ", given, f" for an estimate that allows for drift, or {label}")
    if audit.growing:
        return Phrase(_leave_out_growing(audit), f" Otherwise {label}")
    if audit.perhaps_unused:
        one = len(audit.perhaps_unused) == 1
        have, them = ("has", "it") if one else ("have", "them")
        exclude = Argument("exclude", list(audit.perhaps_unused))
        new = f"{listed(audit.perhaps_unused)} {have} new values"
        again = Phrase("audit again with ", exclude)
        if audit.panel_given:
            again = Phrase(f"make the panel again without {them}")
        if audit.columns_used is not None:
            return Phrase(f"{new}, but {audit.best} does not use {them}: ", again, f", or {label}")
        return Phrase(f"{new}. If {audit.best} does not use {them}, ", again, f". Otherwise {label}")
    if audit.untried:
        leave = _again_without(audit, "Leave out", audit.untried)
        quick = Phrase(", or audit without ", Argument("quick", True), ", which tries that by itself.")
        return Phrase(leave, quick, f" Or {label}")
    if audit.without is None or audit.without.refused:
        return sentence(label)
    return Phrase(_again_without(audit, "Audit without", audit.without.columns), f", or {label}")


def _again_without(audit: Audit, leave_out: str, columns: Sequence[str]) -> Phrase:
    """Return how to audit without columns; the models of a panel need all that they were fitted with."""
    if audit.panel_given:
        return Phrase(f"Make the panel again without {listed(columns)}")
    return Phrase(f"{leave_out} {listed(columns)} (", Argument("exclude", list(columns)), ")")


def _leave_out_growing(audit: Audit) -> Phrase:
    """Return how to leave out columns whose values only grow, or use one of them as the time."""
    names = [one.column for one in audit.growing]
    one = len(names) == 1
    dates = all(column.growing == "dates" for column in audit.growing)
    grow = f"hold{'s' * one} dates that only increase" if dates else f"only increase{'s' * one}"
    if audit.panel_given:
        return Phrase(f"{listed(names)} {grow}: make the panel again without {'it' if one else 'them'}.")
    # The past has one time, which may be another column.
    as_time = (
        Phrase(f", or give {'it' if one else 'one'} as ", Argument("time", names[0])) if audit.past is None else ""
    )
    leave = f"{listed(names)} {grow}: leave {'it' if one else 'them'} out with "
    return Phrase(leave, Argument("exclude", names), as_time, ".")


def without_text(without: Without, *, panel_given: bool = False) -> Phrase:
    """Return what would be estimated without the columns that have mostly new values, and how to leave them out."""
    columns, name = listed(without.columns), called(without.measure)
    if without.refused:
        return Phrase(f"Without {columns} the {name} of {without.model} cannot be estimated either.")
    ends = f"{written(without.interval.low, without.measure)} to {written(without.interval.high, without.measure)}"
    if_no_effect = f"{columns} has" if len(without.columns) == 1 else "these columns have"
    expect = f"expect {amount_text(ends, without.measure)} from {without.model}"
    offer = f"Without {columns}, {expect}, if {if_no_effect} no effect on the label"
    if panel_given:
        return Phrase(f"{offer}: make the panel again without {'it' if len(without.columns) == 1 else 'them'}.")
    return Phrase(f"{offer}: pass ", Argument("exclude", list(without.columns)), ".")
