"""Losses and scores of contingency tables, by name or by function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from shiftproof.core import Floats, InputError, Phrase, check_choice, fault, shown
from shiftproof.losses import _prevalence as prevalence
from shiftproof.losses._inputs import ContingencyTables

ClassificationScore = Literal["accuracy", "f1", "g_mean", "precision", "recall", "specificity"]
QuantificationScore = Literal["nas", "nss"]
Function = Callable[..., Any]


def accuracy(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
    """Return the share of rows decided right."""
    return (tp + tn) / (tp + fp + fn + tn)


def f1(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:  # noqa: ARG001 - of four cells, as all are
    """Return the harmonic mean of precision and recall (eq. 6.1 with beta 1)."""
    _need(tp + fn, "positives", "f1")
    return 2 * tp / (2 * tp + fp + fn)


def g_mean(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:
    """Return the geometric mean of recall and specificity (eq. 6.3)."""
    return np.sqrt(recall(tp, fp, fn, tn) * specificity(tp, fp, fn, tn))


def precision(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:  # noqa: ARG001
    """Return the share of true positives among those called; 0, the worst, where none is called."""
    _need(tp + fn, "positives", "precision")
    called = tp + fp
    return np.divide(tp, called, out=np.zeros_like(called), where=called > 0)


def recall(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:  # noqa: ARG001
    """Return the share of the positives that are called."""
    _need(tp + fn, "positives", "recall")
    return tp / (tp + fn)


def specificity(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> Floats:  # noqa: ARG001
    """Return the share of the negatives that are not called."""
    _need(fp + tn, "negatives", "specificity")
    return tn / (fp + tn)


CLASSIFICATION: Mapping[str, Function] = {
    score.__name__: score for score in (accuracy, f1, g_mean, precision, recall, specificity)
}
QUANTIFICATION: Mapping[str, Function] = {score.__name__: score for score in (prevalence.nas, prevalence.nss)}
LOSSES: Mapping[str, Function] = {
    loss.__name__: loss
    for loss in (
        prevalence.absolute_error,
        prevalence.bias,
        prevalence.kld,
        prevalence.nkld,
        prevalence.relative_absolute_error,
        prevalence.squared_error,
    )
}


def chosen(what: str | Function, name: str, known: Mapping[str, Function]) -> Function:
    """Return a function that is given itself, or by its name."""
    return what if callable(what) else known[check_choice(what, name, tuple(known))]


def evaluate(function: Function, tables: ContingencyTables, name: str) -> Floats:
    """Return one finite value per table.

    A function of two arguments gets the true and the estimated prevalence, one of four the counts TP, FP, FN and TN,
    each as a flat array. One with an optional ``sample_size`` also gets the number of rows of the tables.
    """
    parameters = _parameters(function, name)
    # Arguments with defaults are options, such as beta of `q_measure`.
    needed = sum(
        part.default is part.empty and part.kind in (part.POSITIONAL_ONLY, part.POSITIONAL_OR_KEYWORD)
        for part in parameters.values()
    )
    given = {2: (tables.true, tables.estimated), 4: (tables.tp, tables.fp, tables.fn, tables.tn)}.get(needed)
    if given is None:
        hint = "two arguments are the true and estimated prevalence; four are TP, FP, FN and TN"
        raise fault(name, "be a function of two or four arguments", function, hint)
    # A default of None marks the half-count rule of our own losses (Algorithm 1); other defaults are left alone.
    takes_size = "sample_size" in parameters and parameters["sample_size"].default is None
    values = np.asarray(function(*given, **({"sample_size": tables.rows} if takes_size else {})), dtype=np.float64)
    if values.shape != tables.tp.shape:
        rule, got = "give one value per table", Phrase(f"shape {values.shape} for {len(tables.tp)} tables")
        raise fault(name, rule, got, "write it for arrays")
    return values


def _parameters(function: Function, name: str) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        hint = "wrap it in a function of true and estimated, or of tp, fp, fn and tn"
        raise fault(name, "say what its arguments are", function, hint) from None


def _need(counts: Floats, what: str, score: str) -> None:
    if not counts.all():
        table = int(np.flatnonzero(counts == 0)[0])
        raise InputError(f"every table must hold {what}, got none in table {shown(table)}; {score} needs them")
