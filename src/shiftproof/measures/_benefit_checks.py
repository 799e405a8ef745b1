"""Which benefits can be used: for curves, for several classes, by models that must not have seen the amounts."""

from __future__ import annotations

from collections.abc import Iterable

from shiftproof.core import Argument, InputError, Phrase, fault, listed, shown
from shiftproof.measures._benefit import Benefit, BenefitMatrix


def profit_without_benefit() -> InputError:
    """Make the error for the profit as a measure where nothing says what decisions are worth.

    Examples
    --------
    >>> print(profit_without_benefit())
    measure='profit' needs a benefit; pass benefit=sp.Benefit(...).
    """
    way_out = Argument("benefit", Phrase("sp.Benefit(...)"), instead="a benefit; pass benefit=sp.Benefit(...)")
    return InputError(Argument("measure", "profit"), " needs ", way_out)


def check_benefit(
    benefit: object, *, n_classes: int = 2, pos_label: object = None, features: Iterable[str] = ()
) -> Benefit | BenefitMatrix:
    """Return a benefit that decisions between these classes can be judged by.

    Parameters
    ----------
    benefit : object
        What the caller gave.
    n_classes : int
        The number of classes; with more than two, a `Benefit` needs a positive class.
    pos_label : label, optional
        The positive class.
    features : iterable of str
        What the models learnt from; actual amounts must not be among them.

    Examples
    --------
    >>> check_benefit(Benefit(tp=1), n_classes=3)
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: benefit must say which of several classes it is about, got no pos_label; \
name the class that pays with pos_label, or use Benefit.matrix(...).
    """
    # A matrix has no columns, and its classes are compared with those of y where it is used.
    if isinstance(benefit, BenefitMatrix):
        return benefit
    if not isinstance(benefit, Benefit):
        hint = "write sp.Benefit(tp=9, fp=-1), or Benefit.matrix(...) for several classes"
        raise fault("benefit", "be a Benefit or a BenefitMatrix", benefit, hint)
    if n_classes > 2 and pos_label is None:
        hint = "name the class that pays with pos_label, or use Benefit.matrix(...)"
        raise fault("benefit", "say which of several classes it is about", Phrase("no pos_label"), hint)
    # An actual amount is part of the outcome: a model that sees it knows the label.
    learnt = sorted(benefit.actual_columns & set(features))
    if learnt:
        raise InputError(
            f"models must not be trained on actual amounts, but {listed(learnt)} is a feature; leave it out of X "
            "and pass it with ",
            Argument("table", ...),
        )
    return benefit


def check_open_decision(benefit: Benefit | BenefitMatrix) -> None:
    """Refuse amounts by which one decision is best in every row, whatever its label: no model could change it.

    Amounts that differ from row to row are not looked at.

    Examples
    --------
    >>> check_open_decision(Benefit(fp=-5))
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: with this benefit, it is always best to predict the negative class; set the \
cost of false positives and of false negatives.
    """
    if isinstance(benefit, BenefitMatrix):
        best = (benefit.matrix == benefit.matrix.max(axis=1, keepdims=True)).all(axis=0)
        classes = benefit.classes[best].tolist()
        which = f"it is always best to predict {shown(classes[0])}" if best.any() else ""
    else:
        amounts = benefit.tp, benefit.fp, benefit.fn, benefit.tn
        if not all(isinstance(amount, int | float) for amount in amounts):
            return
        tp, fp, fn, tn = amounts
        always, never = tp >= fn and fp >= tn, tp <= fn and fp <= tn
        side = "positive" if always else "negative"
        which = f"it is always best to predict the {side} class" if always or never else ""
        which = "all decisions are worth the same" if always and never else which
    if which:
        hint = "set the cost of false positives and of false negatives"
        raise InputError("with this ", Argument("benefit"), f", {which}; {hint}")


def check_two_class_benefit(benefit: object) -> Benefit:
    """Return a benefit of acting or not acting, as curves of one list of rows need it."""
    if not isinstance(benefit, Benefit):
        raise fault("benefit", "be a Benefit", benefit, "make one with Benefit(tp=..., fp=..., fn=..., tn=...)")
    return benefit
