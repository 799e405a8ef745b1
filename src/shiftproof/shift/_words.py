"""Sentences about the type of shift."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import chance, counted, listed, p_words, share, shown
from shiftproof.shift._decide import (
    CORRELATION,
    ENTROPY,
    MEAN_NEW_VALUES,
    NEW_VALUES,
    OUTSIDE,
    QUIET,
    Evidence,
    Kind,
    Reason,
)

if TYPE_CHECKING:
    from shiftproof.shift._shift_kind import ShiftKind

_FINDINGS: dict[Kind, str] = {
    "none": "No shift",
    "prior": "Prior shift: only the class proportions changed",
    "covariate": "Covariate shift: the mix of inputs changed; the rules linking them to the label apparently did not",
    "unclear": "The type of shift is unclear",
    "too different": "Too different: the labelled data hardly cover the new data",
}
_MIXED = "A mix of covariate and prior shift can look like this."
_INVISIBLE = "If the link between features and label changed (concept shift), only labels can show it."


def _differ(evidence: Evidence) -> str:
    return f"The tables differ ({p_words(evidence.p_none)})"


def _unexplained(evidence: Evidence) -> str:
    return f"{_differ(evidence)}. Different class proportions alone do not explain that ({p_words(evidence.p_prior)})"


def _explains(p_value: float) -> str:
    """Say that something explains a difference: clearly, or as far as a low p-value allows."""
    return "explains the difference" if p_value >= QUIET else "explains most of the difference, but not clearly all"


def _hardly_changed(evidence: Evidence) -> str:
    explained = f"different class proportions could explain that ({p_words(evidence.p_prior)})"
    sizes = f"{p_words(evidence.p_prevalence)}, largest change {evidence.moved:.2f}"
    return f"{_differ(evidence)}, and {explained}, but the proportions hardly changed ({sizes})."


# Functions of the evidence, because most sentences quote the figure that decided.
_REASONS: dict[Reason, Callable[[Evidence], str]] = {
    "few rows resemble": lambda e: (
        f"Only {share(e.resembling)} of the labelled rows resemble the new data (at least "
        f"{math.exp(-ENTROPY):.0%} are needed)."
    ),
    "rows outside": lambda e: f"{share(e.outside)} of new rows have no similar labelled row (limit {OUTSIDE:.0%}).",
    "correlations changed": lambda e: (
        f"The features are correlated differently (change {e.correlation_change:.2f}, limit {CORRELATION})."
    ),
    "values are new": lambda e: _values_are_new(e, "one column"),
    "few new rows": lambda e: f"With only {counted(e.n_current, 'new row')}, the type of shift cannot be determined.",
    "rare class": lambda e: (
        f"A class has only {counted(e.rarest, 'labelled row')}; merge it with another class, or label more."
    ),
    "no difference": lambda e: f"No difference was detected ({p_words(e.p_none)}).",
    "shares same": lambda e: (
        f"A change in class proportions of more than {e.reach_of_shares:.2f} would have been detected."
    ),
    "shares invisible": lambda e: (
        f"The features say too little about the classes to rule out that class proportions changed by up to "
        f"{e.reach_of_shares:.2f}."
    ),
    "shares unsure": lambda e: (
        f"No difference was detected ({p_words(e.p_none)}), but class proportions could have changed by up to "
        f"{e.reach_of_shares:.2f}."
    ),
    "weak signs": lambda e: f"The signs of a shift are weak ({p_words(e.p_none)}).",
    "tables differ": lambda e: f"{_differ(e)}.",
    "shares explain": lambda e: f"Different class proportions explain that ({p_words(e.p_prior)}).",
    "shares hardly changed": _hardly_changed,
    "shares explain badly": lambda e: (
        f"{_differ(e)}, and different class proportions explain that poorly ({p_words(e.p_prior)})."
    ),
    "shares cannot explain": lambda e: f"{_unexplained(e)}.",
    "weights explain": lambda e: f"Weighting the labelled rows {_explains(e.p_covariate)} ({p_words(e.p_covariate)}).",
    "nothing explains": lambda e: (
        f"{_unexplained(e)}. Weighting the labelled rows does not explain the difference either "
        f"({p_words(e.p_covariate)})."
    ),
    "shares add to weights": lambda e: (
        f"{_unexplained(e)}. Weighting combined with different class proportions fits better than weighting alone "
        f"(log-likelihood +{e.gain:.1f})."
    ),
}


def reason_sentences(reasons: Iterable[Reason], evidence: Evidence, newest: str = "") -> tuple[str, ...]:
    """Return the sentences for the reasons of an answer; `newest` is the column with most new values, if known."""
    special = {"values are new": _values_are_new(evidence, shown(newest))} if newest else {}
    return tuple(special.get(reason) or _REASONS[reason](evidence) for reason in reasons)


def _values_are_new(evidence: Evidence, column: str) -> str:
    """Name the column that is nearly all new; if there is none, say how many values of all columns are new."""
    if evidence.new_values > NEW_VALUES:
        return (
            f"In {share(evidence.new_values)} of new rows, {column} has a value that the labelled data do not "
            f"cover (limit {NEW_VALUES:.0%})."
        )
    return (
        f"{share(evidence.mean_new_values)} of all values in the new data are not covered by the labelled data "
        f"(limit {MEAN_NEW_VALUES:.0%})."
    )


def unseen_values(features: list[str]) -> str:
    """Name the features in which most new rows have values that no labelled row has."""
    return f"Most new rows have values in {listed(features)} that no labelled row has."


def copied_rows(copied: float) -> str:
    """Say that new rows are copies of labelled ones."""
    return f"{share(copied)} of new rows are copies of labelled rows."


def drawn_rows(drawn: int, total: int, side: str) -> str:
    """Say that only some rows of a table were used."""
    return f"Based on {drawn:,} of {total:,} {side} rows, sampled at random."


def kind_finding(result: ShiftKind) -> str:
    """Say which type of shift it is, and why."""
    sizes = f"{counted(result.n_reference, 'labelled row')}, {counted(result.n_current, 'new row')}"
    more = _MIXED if result.kind == "covariate" else ""
    return " ".join(filter(None, [f"{_FINDINGS[result.kind]} ({sizes}).", *result.reasons, more]))


def kind_summary(result: ShiftKind) -> str:
    """Say which type of shift it is, why, which share changed, and what cannot be known without labels."""
    share_text = _changed_share(result) if result.kind == "prior" else ""
    return " ".join(filter(None, [kind_finding(result), share_text, _INVISIBLE]))


def _changed_share(result: ShiftKind) -> str:
    """Name the class that changed most: of two the second, which is usually the positive one."""
    labels = list(result.prevalence)
    changes = np.abs(result.evidence.shares - result.evidence.training)
    label = labels[1 if len(labels) == 2 else int(changes.argmax())]
    interval = result.prevalence[label]
    now = f"{share(interval.estimate)} ({share(interval.low)} to {share(interval.high)})"
    return f"The share of class {shown(label)} went from {share(result.training_prevalence[label])} to about {now}."


def evidence_rows(shift: ShiftKind) -> list[tuple[str, str, str, str]]:
    """Return the evidence as cells of a table: question, answer, value and limit, p-values as everywhere else."""
    rows = shift.to_frame().to_dict("records")
    return [(row["question"], row["answer"], *_evidence_cells(row)) for row in rows]


def _evidence_cells(row: dict[Hashable, Any]) -> tuple[str, str]:
    """Write a figure and its limit: p-values, changes of shares in points, shares, and numbers."""
    value, limit = row["value"], row["limit"]
    if row["figure"] == "largest_change":
        return f"{100 * value:.0f} points", f"{100 * limit:.0f} points"
    if row["figure"] == "outside":
        return share(value), share(limit)
    if row["figure"] == "entropy":  # weights of this entropy are worth so many rows of equal weight
        return share(math.exp(-value)), share(math.exp(-limit))
    return chance(value) if row["figure"].startswith("p_") else f"{value:.3f}", f"{limit:.3g}"
