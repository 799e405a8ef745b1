"""Whether columns of scores are in the order of the classes: the wrong order makes every estimate wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import (
    Argument,
    Codes,
    Floats,
    InputError,
    Note,
    Phrase,
    ScoresReversed,
    fault,
    listed,
    percent,
    shown,
    warn,
)

if TYPE_CHECKING:
    from shiftproof.monitoring._scores import ScoreColumns

# Rows for another order must outnumber those against it by so many standard deviations: by chance once in 1,000 times.
_CLEARLY = 3.1
# One in a thousand models without any skill looks reversed at this level.
_LEVEL = 0.998
# Names in an error; an order needs more of them than usual.
_NAMED = 12
_SEPARATORS = "_ -.:=/"


def ordered_by_class(names: Sequence[str], classes: Sequence[Any]) -> tuple[str, ...] | None:
    """Put columns that are named after the classes into the order of the classes; None if they are not.

    Examples
    --------
    >>> ordered_by_class(["p_b", "p_c", "p_a"], ["a", "b", "c"]), ordered_by_class(["x", "y"], ["a", "b"])
    (('p_a', 'p_b', 'p_c'), None)
    """
    by_class = [[name for name in names if _is_named_after(name, str(label))] for label in classes]
    ordered = [matches[0] for matches in by_class if len(matches) == 1]
    return tuple(ordered) if len({*ordered}) == len(names) == len(classes) else None


def _is_named_after(name: str, label: str) -> bool:
    if name == label:
        return True
    before, after = name[: -len(label) or None], name[len(label) :]
    return (name.endswith(label) and before[-1:] in {*_SEPARATORS}) or (
        name.startswith(label) and after[:1] in {*_SEPARATORS}
    )


def check_order(columns: ScoreColumns, probabilities: Floats, codes: Codes) -> None:
    """Refuse columns that agree clearly better with the labels in another order, or rank two classes in reverse.

    Columns that are named after the classes are taken at their word: those in reverse get a warning.

    Parameters
    ----------
    columns : ScoreColumns
        The names of the columns and the classes.
    probabilities : ndarray of shape (n, k)
        The scores of the reference.
    codes : ndarray of int, shape (n,)
        The class of each row.
    """
    area = _reversed_area(columns, probabilities, codes)
    if area is not None:
        _refuse_reversed(columns, area)
    better = _better_order(columns, probabilities, codes)
    if better is not None:
        order, agreed, agree = better
        got = f"columns that agree with {percent(agreed)} of the labels; in the order {order} they agree with"
        raise _wrong_order(columns, f"{got} {percent(agree)}")


def _refuse_reversed(columns: ScoreColumns, area: float) -> None:
    if len(columns.names) == 1:
        label, other = columns.classes[columns.positive], columns.classes[1 - columns.positive]
        got = Phrase(f"a column that ranks the classes in reverse (AUC {area:.2f})")
        hint = Phrase(f"if they are those of class {shown(other)}, pass ", Argument("pos_label", other))
        raise fault("scores", f"hold the probabilities of class {shown(label)}", got, hint)
    if ordered_by_class(columns.names, columns.classes) is None:
        raise _wrong_order(columns, f"columns that rank them in reverse (AUC {area:.2f})")
    warn(ScoresReversed(columns.names[-1], area, columns.classes[1], columns.classes[0], fitted=True))


def _wrong_order(columns: ScoreColumns, got: str) -> InputError:
    rule = f"be in the order of the classes {listed(columns.classes, most=_NAMED)}"
    return fault("scores", rule, Phrase(got), "change the order, or name the columns after the classes")


def order_notes(columns: ScoreColumns, probabilities: Floats, codes: Codes) -> tuple[Note, ...]:
    """Say that labels of a batch agree clearly better with its scores in another order.

    Parameters
    ----------
    columns : ScoreColumns
        The names of the columns and the classes.
    probabilities : ndarray of shape (n, k)
        The scores of rows with labels.
    codes : ndarray of int, shape (n,)
        The class of each of these rows.
    """
    area, better = _reversed_area(columns, probabilities, codes), _better_order(columns, probabilities, codes)
    if area is not None:
        return (Note(code="scores reversed", subject=columns.names[-1], detail=f"AUC {area:.2f}"),)
    return () if better is None else (Note(code="scores in another order", detail=better[0]),)


def _reversed_area(columns: ScoreColumns, probabilities: Floats, codes: Codes) -> float | None:
    """Return the AUC of two classes that scores rank in reverse, by more than chance; else None."""
    if len(columns.classes) != 2 or len(np.unique(codes)) < 2:
        return None
    from shiftproof.measures import MEASURES, IntervalPlan, Scores

    area = MEASURES["auc"].function(Scores.of(codes, probabilities), IntervalPlan(level=_LEVEL))
    return area.estimate if area.high < 0.5 else None


def _better_order(columns: ScoreColumns, probabilities: Floats, codes: Codes) -> tuple[str, float, float] | None:
    """Return an order of more than two columns that agrees clearly better with the labels, and both agreements."""
    if len(columns.classes) <= 2 or ordered_by_class(columns.names, columns.classes) is not None:
        return None
    from scipy.optimize import linear_sum_assignment

    k = len(columns.classes)
    highest = probabilities.argmax(axis=1)
    if len(np.unique(highest)) < 2:
        # A model that always answers one class agrees best with the most frequent class, in whatever order.
        return None
    agreement = np.bincount(codes * k + highest, minlength=k * k).reshape(k, k)
    # The column that agrees best with each class, each column used once.
    _, best = linear_sum_assignment(agreement, maximize=True)
    right, better = highest == codes, highest == best[codes]
    gained, lost = int((better & ~right).sum()), int((right & ~better).sum())
    if gained - lost <= _CLEARLY * np.sqrt(gained + lost):
        return None
    return listed([columns.names[place] for place in best], most=_NAMED), right.mean(), better.mean()
