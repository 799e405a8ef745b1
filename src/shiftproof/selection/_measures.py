"""Which measures can be asked for, and which are usual where none is named."""

from __future__ import annotations

from collections.abc import Sequence

from shiftproof.case import SOFT_MEASURES, needs_positive
from shiftproof.core import Argument, InputError, check_choice
from shiftproof.measures import profit_without_benefit


def default_measure(measure: str | None, benefit: object) -> str:
    """Return the measure that ranks: accuracy, or the profit with a benefit; refuse what cannot be computed.

    Examples
    --------
    >>> default_measure(None, None)
    'accuracy'
    """
    chosen = measure if measure is not None else "accuracy" if benefit is None else "profit"
    check_choice(chosen, "measure", list(SOFT_MEASURES))
    if chosen == "profit" and benefit is None:
        raise profit_without_benefit()
    return chosen


def usual_measures(n_classes: int, pos_label: object, benefit: object) -> tuple[str, ...]:
    """Return the measures that make sense where none is named.

    Examples
    --------
    >>> usual_measures(2, None, None)
    ('accuracy', 'f1', 'auc', 'brier')
    >>> usual_measures(3, None, None)
    ('accuracy', 'brier')
    """
    # F1 and AUC are about one class, which has to be named if there are several.
    several = n_classes > 2 and pos_label is None
    usual = ("accuracy", "brier") if several else ("accuracy", "f1", "auc", "brier")
    return usual if benefit is None else (*usual, "profit")


def _check_name(name: str, benefit: object) -> None:
    try:
        default_measure(name, benefit)
    except InputError as error:
        raise error.renamed("measure", "measures") from None


def check_measures(measures: Sequence[str], n_classes: int, pos_label: object, benefit: object) -> tuple[str, ...]:
    """Refuse measures that do not fit the classes or lack what they need; each is kept once."""
    for name in measures:
        _check_name(name, benefit)
        if needs_positive(name) and n_classes > 2 and pos_label is None:
            raise InputError(f"{name} with more than two classes needs ", Argument("pos_label"), "; name the class")
    return tuple(dict.fromkeys(measures))
