"""Shifts to inject: rows dropped at random, by a feature or by class, and features masked or moved."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from shiftproof.core import (
    Column,
    Floats,
    InputError,
    Phrase,
    Rows,
    Seed,
    check_choice,
    check_row_order,
    check_share,
    fault,
    generator,
    is_number,
    shown,
)
from shiftproof.simulation._moves import move_values, standard_deviation
from shiftproof.simulation._order import Ranks, stable_order, value_ranks
from shiftproof.simulation._prevalence import draw, largest_sizes, read_labels
from shiftproof.simulation._tables import change_column, checked_table, find_feature, mask_values, take_rows

#: The end of a feature that loses rows.
Tail = Literal["high", "low"]
#: What happens to the classes that a joint selection is not about.
Rest = Literal["opposite", "kept"]


def mcar(X: object, share: float, *, random_state: Seed = 0) -> tuple[Any, Rows]:
    """Drop rows completely at random: the distribution stays the same, with fewer rows.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    share : float
        The share of the rows to drop, at least 0 and below 1; the number of rows is rounded.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The remaining rows, in their order, and their numbers in X.

    Examples
    --------
    >>> table, rows = mcar({"a": [10, 20, 30, 40]}, 0.5)
    >>> len(rows), table["a"] == [10 * (row + 1) for row in rows]
    (2, True)
    """
    rows = random_rows(checked_table(X).n_rows, share, generator(random_state))
    return take_rows(X, rows), rows


def mar(X: object, feature: object, share: float, *, tail: Tail = "high") -> tuple[Any, Rows]:
    """Drop the rows with the highest values of one feature (missing at random, given that feature).

    The distributions of the feature and of features correlated with it change; the link between features and label
    does not.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    feature : column name, or position in an array
        Of any kind: numbers and dates in their order, False before True, categories in their own order if they have
        one, other categories and text by name. Missing values count as the lowest.
    share : float
        The share of the rows to drop, at least 0 and below 1; the number of rows is rounded.
    tail : {"high", "low"}
        Which end is dropped. Ties are broken by the order of the rows.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The remaining rows, in their order, and their numbers in X.

    Examples
    --------
    >>> table, rows = mar({"a": [5, 1, None, 9]}, "a", 0.25)
    >>> table, rows.tolist()
    ({'a': [5, 1, None]}, [0, 1, 2])
    """
    _, column = _column(X, feature)
    rows = tail_rows(value_ranks(column), share, tail)
    return take_rows(X, rows), rows


def mnar(X: object, feature: object, share: float, *, tail: Tail = "high") -> tuple[Any, Rows]:
    """Drop rows by one feature, as `mar`, and mask that feature: all its cells are missing in the remaining rows.

    The feature that decides which rows remain can no longer be seen (missing not at random).

    Parameters
    ----------
    X, feature, share, tail
        As in `mar`.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The remaining rows, in their order, and their numbers in X. A column that cannot hold missing values (integers,
        booleans) becomes a column of floats; in an array, all columns do.

    Examples
    --------
    >>> table, rows = mnar({"a": [5, 1, 9, 7], "b": [0, 0, 1, 1]}, "a", 0.5)
    >>> table
    {'a': [None, None], 'b': [0, 0]}
    """
    place, column = _column(X, feature)
    rows = tail_rows(value_ranks(column), share, tail)
    return change_column(take_rows(X, rows), place, mask_values), rows


def offset(X: object, feature: object, strength: float) -> tuple[Any, Rows]:
    """Add a multiple of its standard deviation to one feature, in every row.

    The 2009 paper (Definition 5) calls this covariate shift. In the literature and in shiftproof, covariate shift means
    a change of P(x) with the same P(y|x); an offset changes both.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    feature : column name, or position in an array
        Numbers, dates or durations; missing and infinite values do not change.
    strength : float
        The number of standard deviations (n - 1) of the feature's finite values in X; 0.25 is "25%" in the papers.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The changed table, and the numbers of all its rows. Integers become floats, except that integers beyond 2^53 are
        moved by a whole number and remain integers. Dates move by whole steps of their unit.

    Examples
    --------
    >>> offset({"a": [1, 2, 3]}, "a", 0.5)[0]
    {'a': [1.5, 2.5, 3.5]}
    """
    strength = _check_strength(strength)
    place, column = _column(X, feature)
    amount = strength * spread(column)
    rows = np.arange(len(column), dtype=np.intp)
    return change_column(take_rows(X, rows), place, lambda values: move_values(values, column, amount)), rows


def soft_selection(
    X: object, feature: object, *, floor: float = 0.05, tail: Tail = "low", random_state: Seed = 0
) -> tuple[Any, Rows]:
    r"""Keep each row with a probability that rises with its rank in one feature.

    The probability is :math:`f + (1 - f) r`, where f is the floor and r the rank from 0 (lowest) to 1 (highest); equal
    values share their mean rank. Unlike `mar`, every row has a chance to stay.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    feature : column name, or position in an array
        A feature of any kind, ordered as in `mar`.
    floor : float
        The lowest probability of keeping a row, from 0 to 1.
    tail : {"low", "high"}
        Which end loses more rows.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The remaining rows, in their order, and their numbers in X.

    Examples
    --------
    >>> table, rows = soft_selection(np.arange(1000.0), 0)
    >>> 500 < len(rows) < 560, round(table.mean(), -2)
    (True, np.float64(700.0))
    """
    _, column = _column(X, feature)
    rows = soft_rows(value_ranks(column), floor, tail, generator(random_state))
    return take_rows(X, rows), rows


def joint_selection(
    X: object,
    y: object,
    feature: object,
    label: object,
    *,
    floor: float = 0.05,
    tail: Tail = "low",
    rest: Rest = "opposite",
    random_state: Seed = 0,
) -> tuple[Any, Rows]:
    r"""Keep each row with a probability that depends on its class and on one feature together.

    Rows of the class are kept as in `soft_selection`; for rows of all other classes, the ends are swapped. This is the
    complete dependent case of Fan and Davidson (2006, section 2): P(s|x, y) reduces to neither P(s|x) nor P(s|y). Among
    the remaining rows, the link between feature and label has changed, and no weights by features can undo this.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    y : sequence of labels
        One label per row of X.
    feature : column name, or position in an array
        A feature of any kind, ordered as in `mar`.
    label : label
        The class that loses rows at the end `tail`; all others together are the rest.
    floor : float
        The lowest probability of keeping a row, from 0 to 1.
    tail : {"low", "high"}
        Which end of the feature loses more rows of the class.
    rest : {"opposite", "kept"}
        Whether the other classes lose more rows at the other end, or none at all.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The remaining rows, in their order, and their numbers in X.

    Examples
    --------
    Feature and label were independent, but among the remaining rows they are not:

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=2000), rng.integers(2, size=2000)
    >>> table, rows = joint_selection(x, y, 0, 1)
    >>> round(x[y == 1].mean() - x[y == 0].mean(), 1)
    np.float64(-0.0)
    >>> round(table[y[rows] == 1].mean() - table[y[rows] == 0].mean(), 1)
    np.float64(1.0)
    """
    check_choice(rest, "rest", ("opposite", "kept"))
    _, column = _column(X, feature)
    labels = read_labels(y, len(column))
    check_row_order(X, y, "y")
    own = labels.codes == labels.place(label)
    if own.all():
        got = Phrase(f"one class, {shown(labels.classes[0])}")
        raise fault("y", "contain at least two classes", got, "use soft_selection for rows of one class")
    ranks = value_ranks(column)
    chance = _soft_chances(ranks, floor, tail)
    other: Tail = "low" if tail == "high" else "high"
    others = _soft_chances(ranks, floor, other) if rest == "opposite" else np.ones(len(ranks))
    rows = _kept(np.where(own, chance, others), generator(random_state))
    return take_rows(X, rows), rows


def prior_shift(X: object, y: object, label: object, prevalence: float, *, random_state: Seed = 0) -> tuple[Any, Rows]:
    """Drop rows of one class, or of the rest, until that class has a given share.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    y : sequence of labels
        One label per row of X.
    label : label
        The class whose share is to change; all others together are the rest.
    prevalence : float
        Its share afterwards, from 0 to 1.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    table, rows : table of the type of X, ndarray of intp
        The remaining rows, in their order, and their numbers in X. Either every row of the class is kept, or every
        row of the rest.

    Examples
    --------
    >>> y = ["no"] * 6 + ["yes"] * 4
    >>> table, rows = prior_shift(np.arange(10), y, "yes", 0.25)
    >>> [y[row] for row in rows].count("yes"), len(rows)
    (2, 8)
    """
    labels = read_labels(y, checked_table(X).n_rows)
    check_row_order(X, y, "y")
    share = check_share(prevalence, "prevalence", hint="0.2 means 20%")
    pair = labels.against_rest(labels.place(label))
    rows = draw(pair, largest_sizes(pair, np.array([1 - share, share])), generator(random_state))
    return take_rows(X, rows), rows


def random_rows(n: int, share: object, rng: np.random.Generator) -> Rows:
    """Return the rows that stay when a share is dropped at random."""
    dropped = _dropped(n, share)
    return np.sort(rng.permutation(n)[dropped:]).astype(np.intp, copy=False)


def tail_rows(ranks: Ranks, share: object, tail: Tail) -> Rows:
    """Return the rows that stay when one end of a feature is dropped."""
    check_choice(tail, "tail", ("high", "low"))
    n = len(ranks)
    dropped = _dropped(n, share)
    order = stable_order(ranks)
    # Missing values rank lowest, so the low end loses them first.
    return np.sort(order[: n - dropped] if tail == "high" else order[dropped:])


def soft_rows(ranks: Ranks, floor: object, tail: Tail, rng: np.random.Generator) -> Rows:
    """Return the rows that stay in a soft selection."""
    return _kept(_soft_chances(ranks, floor, tail), rng)


def _soft_chances(ranks: Ranks, floor: object, tail: Tail) -> Floats:
    """Return the probability of each row to stay, by its rank."""
    check_choice(tail, "tail", ("low", "high"))
    least = check_share(floor, "floor", hint="0.05 is usual")
    # Missing values have rank -1.
    counts = np.bincount(ranks + 1)
    # The mean place of equal values, from 0 to n - 1.
    place = (np.cumsum(counts) - (counts + 1) / 2)[ranks + 1]
    rank = place / max(len(ranks) - 1, 1)
    return np.asarray(least + (1 - least) * (rank if tail == "low" else 1 - rank))


def _kept(chance: Floats, rng: np.random.Generator) -> Rows:
    excess = rng.random(len(chance)) - chance
    # With very few rows none may be drawn: then the row nearest to being drawn stays.
    return np.flatnonzero(excess < max(0.0, np.nextafter(excess.min(), np.inf)))


def spread(column: Column) -> float:
    """Return the standard deviation in which an offset is counted; refuse a feature without one."""
    if not column.ordered:
        hint = "an offset needs amounts; use mar or mnar"
        raise fault(f"feature {column.name!r}", "hold numbers or dates", column.contents, hint)
    deviation = standard_deviation(column)
    if deviation == 0:
        hint = "a constant column has no standard deviation to move by"
        raise InputError(f"feature {column.name!r} must have two different finite values, got fewer; {hint}")
    return deviation


def _column(X: object, feature: object) -> tuple[int, Column]:
    """Return the place of a feature in X, and the feature."""
    table = checked_table(X)
    name = find_feature(X, table, feature)
    return table.names.index(name), table.column(name)


def _check_strength(value: object) -> float:
    """Return a finite number, which may be negative."""
    if not is_number(value) or not math.isfinite(value):
        raise fault("strength", "be a finite number", value, "1 moves by one standard deviation")
    return float(value)


def _dropped(n: int, share: object) -> int:
    if not is_number(share) or not 0 <= share < 1:
        raise fault("share", "be at least 0 and below 1", share, "0.25 drops a quarter of the rows")
    dropped = round(share * n)
    if dropped >= n:
        raise fault("share", f"leave at least one of {n:,} row{'s' * (n != 1)}", share, "give a smaller one")
    return dropped
