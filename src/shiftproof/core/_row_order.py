"""Whether labels, weights and scores belong to the rows of a table: a pandas index may say that they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from shiftproof.core._checks import fault
from shiftproof.core._errors import InputError
from shiftproof.core._phrases import Argument, Phrase


def check_row_order(rows: object, values: object, name: str | Argument, *, of: str = "X") -> None:
    """Refuse values whose pandas index holds the labels of the rows' index in another order.

    Values belong to rows by position. Indexes with other labels are fine: a filtered table keeps its labels while a
    series made anew counts from 0. Only two indexes with the same labels can contradict the positions.

    Parameters
    ----------
    rows : table or series
        What has the rows; without a pandas index nothing is checked.
    values : object
        Labels, weights, groups or scores, one per row.
    name : str or Argument
        What errors call the values.
    of : str
        What errors call the rows.

    Raises
    ------
    InputError
        If both have an index, with the same labels in another order.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": [1, 2, 3]})
    >>> check_row_order(X, pd.Series([0, 1, 1], index=[7, 8, 9]), "y")
    >>> check_row_order(X, pd.Series([0, 1, 1], index=[2, 0, 1]), "y")
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: y must have its rows in the same order as X, got the same index in a different \
order; pass y.loc[X.index], or y.to_numpy() if the rows already correspond by position.
    """
    own, other = row_index(rows), row_index(values)
    if own is None or other is None or len(own) != len(other) or own.equals(other):
        return
    if _same_labels(own, other):
        raise _contradiction(name, of, unique=own.is_unique)


def check_row_orders(vectors: Iterable[tuple[str | Argument, object]]) -> None:
    """Refuse vectors of the same rows whose indexes contradict that of the first which has one.

    Parameters
    ----------
    vectors : iterable of (str or Argument, object)
        Names and values.
    """
    indexed = [(name, values) for name, values in vectors if row_index(values) is not None]
    for name, values in indexed[1:]:
        check_row_order(indexed[0][1], values, name, of=str(indexed[0][0]))


def row_index(values: Any) -> Any:
    """Return the pandas index of a table or series; None for anything else."""
    # Lists have an `index` too, a method; subclasses of DataFrame live in modules of any name.
    index = getattr(values, "index", None)
    return index if type(index).__module__.partition(".")[0] == "pandas" else None


def _same_labels(own: Any, other: Any) -> bool:
    """Compare two indexes of one length as sets with repeats."""
    if own.nlevels != other.nlevels or not own.isin(other).all():
        return False
    # Different labels that are all in an index of the same length are its labels.
    return bool(own.is_unique) or Counter(own) == Counter(other)


def _contradiction(name: str | Argument, of: str, *, unique: bool) -> InputError:
    by_label = (
        f"pass {name}.loc[{of}.index], or" if unique else "sort both the same way and reset both indexes, or pass"
    )
    hint = f"{by_label} {name}.to_numpy() if the rows already correspond by position"
    return fault(name, f"have its rows in the same order as {of}", Phrase("the same index in a different order"), hint)
