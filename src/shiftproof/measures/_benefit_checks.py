"""Which benefits can be used: for curves, for several classes, by models that must not have seen the amounts."""

from __future__ import annotations

from collections.abc import Iterable

from shiftproof.core import Argument, InputError, Phrase, fault, listed
from shiftproof.measures._benefit import Benefit, BenefitMatrix


def profit_without_benefit() -> InputError:
    """Make the error for the profit as a measure where nothing says what decisions are worth.

    Examples
    --------
    >>> print(profit_without_benefit())
    measure='profit' needs a benefit; pass benefit=sp.Benefit(...).
    """
    return InputError(
        Argument("measure", "profit"), " needs a benefit; pass ", Argument("benefit", Phrase("sp.Benefit(...)"))
    )


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
    shiftproof.core._errors.InputError: benefit must say which of several classes it is about, got 'no pos_label'; \
name the class that pays by pos_label, or use Benefit.matrix(...).
    """
    # A matrix has no columns, and its classes are compared with those of y where it is used.
    if isinstance(benefit, BenefitMatrix):
        return benefit
    if not isinstance(benefit, Benefit):
        hint = "write sp.Benefit(tp=9, fp=-1), or Benefit.matrix(...) for several classes"
        raise fault("benefit", "be a Benefit or a BenefitMatrix", benefit, hint)
    if n_classes > 2 and pos_label is None:
        hint = "name the class that pays by pos_label, or use Benefit.matrix(...)"
        raise fault("benefit", "say which of several classes it is about", "no pos_label", hint)
    # An actual amount is part of the outcome: a model that sees it knows the label.
    learnt = sorted(benefit.actual_columns & set(features))
    if learnt:
        raise InputError(
            f"the models must not have learnt from actual amounts, got the feature {listed(learnt)}; "
            "leave it out of X and pass it by ",
            Argument("table", ...),
        )
    return benefit


def check_two_class_benefit(benefit: object) -> Benefit:
    """Return a benefit of acting or not acting, as curves of one list of rows need it."""
    if not isinstance(benefit, Benefit):
        raise fault("benefit", "be a Benefit", benefit, "make one with Benefit(tp=..., fp=..., fn=..., tn=...)")
    return benefit
