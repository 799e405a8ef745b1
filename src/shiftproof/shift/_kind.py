"""The verb: determine the type of shift."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import (
    Column,
    Interval,
    Phrase,
    Seed,
    Table,
    as_table,
    check_jobs,
    check_row_order,
    fault,
    generator,
    lacks_columns,
    one_thread,
)
from shiftproof.data import LEFT_OUT, joint_kinds
from shiftproof.shift._decide import FEWEST, NEW_VALUES, decide
from shiftproof.shift._evidence import Gathered, PartShift, gather, gather_by_part
from shiftproof.shift._features import Feature, nominal_feature, number_feature
from shiftproof.shift._shift_kind import DrawnRows, ShiftKind
from shiftproof.shift._words import copied_rows, drawn_rows, reason_sentences, unseen_values

# Caps time and memory: wide tables are drawn down to 5 million cells of functions, but to no fewer than 500 rows.
_MOST_ROWS, _FEWEST_DRAWN, _MOST_CELLS = 5_000, 500, 5_000_000
_LEVEL = 0.95

Rows = NDArray[np.int64]


def kind_of_shift(
    X: Any,
    y: Any,
    X_new: Any,
    *,
    kinds: Mapping[Any, str] | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> ShiftKind:
    """Determine the type of shift between labelled rows and new rows without labels.

    Under prior shift, one change of the class proportions explains the change of every function of the features. Under
    covariate shift, weights that depend only on a row's features explain it. Both are tested on polynomials of every
    feature's ranks and on the score of a forest.

    Parameters
    ----------
    X : table of any library or 2-D array
        The features of the labelled rows.
    y : sequence of labels
        Their classes, two or more, of any type.
    X_new : table
        The new rows, with the columns of `X`; other columns are ignored.
    kinds : dict from column to kind, optional
        Kinds of columns that override the detected ones: "continuous", "nominal" or "date"; "text" and "identifier"
        columns are not used.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of the folds and the forest.
    n_jobs : int, optional
        Number of trees to grow in parallel; it does not affect the results.

    Returns
    -------
    ShiftKind
        With `kind`, `reasons`, the evidence, `summary()` and `to_frame()`.

    Raises
    ------
    InputError
        If `y` has one class only, columns are missing, or no column can be compared.

    Warns
    -----
    ShiftproofWarning
        If columns that `kinds` does not mention are left out.

    Notes
    -----
    From a table with more than 5,000 rows, 5,000 are drawn, or fewer if there are more than 300 columns; `reasons` says
    so. Concept shift, a change of P(y|x), cannot be detected without labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [800, 400])
    >>> X = rng.normal(size=(1200, 3)) + y[:, None]
    >>> y_new = np.repeat([0, 1], [100, 300])
    >>> result = kind_of_shift(X, y, rng.normal(size=(400, 3)) + y_new[:, None])
    >>> result.kind
    'prior'
    >>> print(result.prevalence[1])
    0.796 [0.717, 0.875]
    """
    sides = _compared(X, y, X_new, kinds, random_state)
    # Small matrices: threads of the linear algebra would only wait for each other.
    with one_thread("blas"):
        gathered = gather(sides.features, sides.codes, sides.rng, check_jobs(n_jobs))
    return _result(gathered, sides)


def shifts_of_parts(
    X: Any,
    y: Any,
    X_new: Any,
    parts: Sequence[NDArray[np.intp]],
    *,
    kinds: Mapping[Any, str] | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> list[PartShift]:
    """Test parts of the new rows, such as months, for any change and for more than changed class proportions.

    Parameters are those of `kind_of_shift`; `parts` has the numbers of the rows of each part. A part of fewer than 20
    rows shows nothing.
    """
    sides = _compared(X, y, X_new, kinds, random_state)
    places = [np.flatnonzero(np.isin(sides.new_rows, rows)) for rows in parts]
    tested = [place for place, rows in enumerate(places) if len(rows) >= FEWEST]
    with one_thread("blas"):
        found = gather_by_part(
            sides.features, sides.codes, [places[place] for place in tested], sides.rng, check_jobs(n_jobs)
        )
    by_place = dict(zip(tested, found, strict=True))
    return [by_place.get(place, PartShift(1.0, 1.0, 1.0)) for place in range(len(parts))]


class _Compared(NamedTuple):
    """Both tables as functions of their columns."""

    features: list[Feature]
    left_out: dict[str, str]
    codes: NDArray[np.int64]
    rows: Rows
    new_rows: Rows
    n_rows: tuple[int, int]
    training: dict[Any, float]
    rng: np.random.Generator


def _compared(X: Any, y: Any, X_new: Any, kinds: Mapping[Any, str] | None, random_state: Seed) -> _Compared:
    """Read both tables, draw rows from large ones, and prepare the features."""
    from shiftproof.panel import check_lengths, encode_labels

    old, new = as_table(X), as_table(X_new, "X_new")
    classes, codes = encode_labels(y)
    _check_tables(old, new)
    check_lengths(old.n_rows, "label", "y", len(codes))
    check_row_order(X, y, "y")
    rng = generator(random_state)
    decided = joint_kinds(old, new, kinds=kinds)
    rows, new_rows = (_drawn(table.n_rows, len(decided), rng) for table in (old, new))
    # Every class stays, however few of its rows are drawn.
    absent = np.setdiff1d(codes, codes[rows])
    rows = np.union1d(rows, [np.flatnonzero(codes == code)[0] for code in absent]).astype(np.int64)
    features, left_out = _features(decided, _Drawn(old, rows), _Drawn(new, new_rows))
    if not features:
        got = ", ".join(f"{name!r} ({reason})" for name, reason in list(left_out.items())[:5])
        raise fault("X", "have a column that varies and can be compared", Phrase(got), "add features")
    training = dict(zip(classes.tolist(), (np.bincount(codes) / len(codes)).tolist(), strict=True))
    return _Compared(features, left_out, codes[rows], rows, new_rows, (old.n_rows, new.n_rows), training, rng)


class _Drawn(NamedTuple):
    """A table, and which of its rows are used."""

    table: Table
    rows: Rows

    def column(self, name: str) -> Column:
        """Return the used rows of a column."""
        column = self.table.column(name)
        if len(self.rows) == len(column):
            return column
        values = column.values
        taken = [values[row] for row in self.rows] if isinstance(values, list) else values[self.rows]
        return Column(column.name, column.family, taken)


def _features(kinds: Mapping[str, str], old: _Drawn, new: _Drawn) -> tuple[list[Feature], dict[str, str]]:
    """Prepare the features; return the columns that take no part too, each with its reason."""
    features: list[Feature] = []
    left_out: dict[str, str] = {}
    for name, kind in kinds.items():
        if kind in LEFT_OUT:
            left_out[name] = kind
            continue
        feature = (nominal_feature if kind == "nominal" else number_feature)(old.column(name), new.column(name))
        if feature.reference.functions.shape[1]:
            features.append(feature)
        else:
            left_out[name] = "the same in every row"
    return features, left_out


def _check_tables(old: Table, new: Table) -> None:
    for table, name in ((old, "X"), (new, "X_new")):
        if not table.names:
            raise fault(name, "have at least one column", Phrase("none"), "pass the features as columns")
        if not table.n_rows:
            raise fault(name, "hold at least one row", table.n_rows, "check the filter or the file it came from")
    missing = [name for name in old.names if name not in new.names]
    if missing:
        raise lacks_columns("X_new", missing, "X", "check its header")


def _drawn(n: int, n_columns: int, rng: np.random.Generator) -> Rows:
    most = min(_MOST_ROWS, max(_FEWEST_DRAWN, _MOST_CELLS // (3 * n_columns + 4)))
    # Sorted, so that columns are read from front to back.
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _result(gathered: Gathered, sides: _Compared) -> ShiftKind:
    features, left_out, training = sides.features, sides.left_out, sides.training
    drawn, new_drawn = (sides.rows, sides.n_rows[0]), (sides.new_rows, sides.n_rows[1])
    kind, codes = decide(gathered.evidence)
    newest = max(features, key=lambda feature: feature.beyond).name
    reasons = reason_sentences(codes, gathered.evidence, newest)
    # The column that the reasons have named already is not named again.
    named = {newest} if "values are new" in codes and gathered.evidence.new_values > NEW_VALUES else set()
    strange = [f.name for f in features if f.unseen.mean() > 0.5 and f.name not in named]
    if kind == "too different" and strange:
        reasons += (unseen_values(strange),)
    if gathered.copied:
        reasons += (copied_rows(gathered.copied),)
    for (rows, n), side in ((drawn, "labelled"), (new_drawn, "new")):
        if len(rows) < n:
            reasons += (drawn_rows(len(rows), n, side),)
    shares = zip(gathered.mixture.shares.tolist(), gathered.mixture.errors.tolist(), strict=True)
    # Shares that explain the new data are no estimate where these are another kind of data, or hardly any.
    refused = kind == "too different" or "few new rows" in codes
    nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=_LEVEL, method="refused")
    return ShiftKind(
        kind=kind,
        reasons=reasons,
        evidence=gathered.evidence,
        prevalence={
            label: nothing if refused else _interval(*pair) for label, pair in zip(training, shares, strict=True)
        },
        training_prevalence=training,
        drawn=DrawnRows(rows=drawn[0], n=drawn[1], scores=gathered.scores.reference, weights=gathered.weights),
        new_drawn=DrawnRows(rows=new_drawn[0], n=new_drawn[1], scores=gathered.scores.current, weights=np.zeros(0)),
        left_out=left_out,
        n_reference=drawn[1],
        n_current=new_drawn[1],
        newest=newest,
    )


def _interval(estimate: float, error: float) -> Interval:
    half = float(special.ndtri((1 + _LEVEL) / 2)) * error
    low, high = max(estimate - half, 0.0), min(estimate + half, 1.0)
    return Interval(estimate=estimate, low=low, high=high, level=_LEVEL, method="moments")
