"""Turn a table with gaps, text and dates into model input."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shiftproof.core import Column, Floats, Table, as_table, check_choice, fault, is_missing

_NUMBERS = ("number", "boolean", "date", "duration", "empty")
_REAL = (Real, Decimal, np.bool_)
# In brackets, so that they are not mistaken for values of the table.
_RARE, _GAP = "(rare)", "(missing)"

# A column whose range is below this share of its largest value is measured from one of its values.
_FAR = 1e-6

Output = Literal["onehot", "codes", "categories"]


@dataclass(frozen=True, eq=False)
class _Nominal:
    """A learnt column of categories: a place for each value that is kept."""

    name: str
    places: dict[str, int]
    # Places of values that are rare or unknown, and of missing ones; -1 where training had none.
    rare: int
    gap: int

    @property
    def labels(self) -> list[str]:
        extra = [_RARE] * (self.rare >= 0) + [_GAP] * (self.gap >= 0)
        return [*self.places, *extra]

    def codes(self, column: Column) -> NDArray[np.intp]:
        """Return each row's place; -1 for values that training never had."""
        codes, values = _factorized(column)
        # A gap that training never had is one more unknown value.
        gap = self.gap if self.gap >= 0 else self.rare
        places = np.array([*(self.places.get(value, self.rare) for value in values), gap], dtype=np.intp)
        return places[codes]


class TablePreparer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table of any column types, with missing cells, into numbers.

    Numbers, booleans, dates and durations are scaled to mean 0 and standard deviation 1. Of text and categories the
    most frequent values are kept, the others joined as rare; values not seen in training count as rare, too. A column
    of mixed types is one of numbers if at least half of its cells are; its other cells, such as "n/a", are missing.
    Columns without information (constant, empty, or each value once) are left out.

    Parameters
    ----------
    output : {"onehot", "codes", "categories"}
        How categories come out: as one column per value; as one column of numbers, the most frequent value first;
        or as pandas categories, in a frame.
    impute : bool
        Whether missing numbers are replaced by the median, with one more column that says so where training had any.
    max_categories : int
        At most this many values of a column are kept.
    min_frequency : int
        Values in fewer rows are rare.

    Attributes
    ----------
    dropped_ : dict of str to str
        The columns left out, each with its reason.

    Examples
    --------
    >>> table = {"age": [20, 40, None, 60], "job": ["a", "b", "a", "b"], "id": ["p", "q", "r", "s"]}
    >>> preparer = TablePreparer().fit(table)
    >>> preparer.transform(table).round(2).tolist()
    [[-1.22, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.22, 0.0, 0.0, 1.0]]
    >>> preparer.get_feature_names_out().tolist()
    ['age', 'age (missing)', 'job=a', 'job=b']
    >>> preparer.dropped_
    {'id': 'no value occurs twice'}
    """

    def __init__(
        self, *, output: Output = "onehot", impute: bool = True, max_categories: int = 30, min_frequency: int = 2
    ) -> None:
        self.output = output
        self.impute = impute
        self.max_categories = max_categories
        self.min_frequency = min_frequency

    def fit(self, X: object, y: object = None) -> TablePreparer:  # noqa: ARG002 - scikit-learn passes y
        """Learn scales and categories."""
        check_choice(self.output, "output", ("onehot", "codes", "categories"))
        table = as_table(X)
        self.n_features_in_ = len(table.names)
        self.feature_names_in_ = np.array(table.names, dtype=object)
        self.dropped_: dict[str, str] = {}
        self.numeric_: list[str] = []
        self._with_text: set[str] = set()
        self.nominal_: list[_Nominal] = []
        for name in table.names:
            column = table.column(name)
            if column.family == "unsupported":
                self.dropped_[name] = "cells are not single values"
            elif column.family in _NUMBERS:
                self.numeric_.append(name)
            elif _mostly_numbers(column):
                self.numeric_.append(name)
                self._with_text.add(name)
            else:
                self._learn_values(column)
        self._learn_scales(table)
        return self

    def _learn_values(self, column: Column) -> None:
        codes, values = _factorized(column)
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        order = np.argsort(-counts, kind="stable")  # ties in order of appearance, on every machine
        kept = [value for value in order[: self.max_categories].tolist() if counts[value] >= self.min_frequency]
        places = {values[value]: place for place, value in enumerate(kept)}
        rare = len(places) if counts.sum() > counts[kept].sum() else -1
        gap = len(places) + (rare >= 0) if (codes < 0).any() else -1
        nominal = _Nominal(column.name, places, rare, gap)
        if len(nominal.labels) < 2:
            self.dropped_[column.name] = "constant" if places or gap >= 0 else "no value occurs twice"
        else:
            self.nominal_.append(nominal)

    def _learn_scales(self, table: Table) -> None:
        """Learn column by column: whole tables of intermediate values would take several times the data."""
        learnt = {}
        self._origins: dict[str, float] = {}
        for name in self.numeric_:
            column = table.column(name)
            origin = _origin(column)
            scale = _Scale.of(_column_floats(column, origin))
            if scale.varies or (scale.gaps and scale.known and self.impute):
                learnt[name] = scale
                self._origins[name] = origin
            else:
                self.dropped_[name] = "constant" if scale.known else "all cells are missing"
        self.numeric_ = list(learnt)
        self._largest, self._mean, self._spread, self._median, self._low, self._high = (
            np.array([scale.numbers for scale in learnt.values()], dtype=np.float64).reshape(len(learnt), 6).T
        )
        self._gaps = np.array([scale.gaps and self.impute for scale in learnt.values()], dtype=np.bool_)

    def _standard(self, table: Table) -> tuple[Floats, NDArray[np.bool_]]:
        """Return standard numbers, and which cells were missing in the columns that had gaps when fitted."""
        standard = np.empty((table.n_rows, len(self.numeric_)))
        missing = np.empty((table.n_rows, int(self._gaps.sum())), dtype=np.bool_)
        gap_place = 0
        for place, name in enumerate(self.numeric_):
            column = table.column(name)
            if column.family == "text" and name in self._with_text:  # a few rows may have nothing but "n/a"
                column = Column(name, "empty", column.values)
            numbers = _column_floats(column, self._origins[name])
            infinite = np.isinf(numbers)
            scaled = (numbers / self._largest[place] - self._mean[place]) / self._spread[place]
            if infinite.any():
                scaled = np.where(infinite, np.where(numbers > 0, self._high[place], self._low[place]), scaled)
            gaps = np.isnan(scaled)
            if self.impute and gaps.any():
                scaled[gaps] = self._median[place]
            standard[:, place] = scaled
            if self._gaps[place]:
                missing[:, gap_place] = gaps
                gap_place += 1
        return standard, missing

    def transform(self, X: object) -> Any:
        """Return an array of shape (n, columns), or a frame with categories."""
        check_is_fitted(self)
        table = as_table(X)
        # An array has no names: its columns are those of training, in their order.
        if isinstance(X, np.ndarray) and len(table.names) == self.n_features_in_:
            table = Table(tuple(self.feature_names_in_.tolist()), table.n_rows, X if X.ndim == 2 else X[:, None])
        standard, missing = self._standard(table)
        parts = [standard, missing.astype(np.float64)]
        codes = [nominal.codes(table.column(nominal.name)) for nominal in self.nominal_]
        if self.output == "onehot":
            parts += [
                _one_hot(of_column, len(nominal.labels))
                for of_column, nominal in zip(codes, self.nominal_, strict=True)
            ]
        elif self.output == "codes":
            parts += [of_column[:, None].astype(np.float64) for of_column in codes]
        if sum(part.shape[1] for part in parts) + len(codes) == 0:  # nothing is useful; models want a column
            parts.append(np.zeros((table.n_rows, 1)))
        parts = [part for part in parts if part.shape[1]] or parts[:1]
        values = parts[0] if len(parts) == 1 else np.hstack(parts)
        return self._frame(values, codes) if self.output == "categories" else values

    def _frame(self, values: Floats, codes: list[NDArray[np.intp]]) -> pd.DataFrame:
        names = self.get_feature_names_out().tolist()
        frame = pd.DataFrame(values, columns=names[: values.shape[1]])
        nominal = {
            name: pd.Categorical.from_codes(of_column, categories=pd.RangeIndex(len(column.labels)))
            for name, of_column, column in zip(names[values.shape[1] :], codes, self.nominal_, strict=True)
        }
        return pd.concat([frame, pd.DataFrame(nominal, index=frame.index)], axis=1)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:  # noqa: ARG002 - scikit-learn's
        """Return the names of the columns that come out."""
        check_is_fitted(self)
        names = [*self.numeric_]
        names += [f"{name} (missing)" for name, gap in zip(self.numeric_, self._gaps, strict=True) if gap]
        for nominal in self.nominal_:
            if self.output == "onehot":
                names += [f"{nominal.name}={label}" for label in nominal.labels]
            else:
                names.append(nominal.name)
        return np.array(names or ["nothing"], dtype=object)


@dataclass(frozen=True)
class _Scale:
    """The learnt scale of one column of numbers, in units of its largest value."""

    largest: float
    mean: float
    spread: float
    median: float
    low: float
    high: float
    varies: bool
    gaps: bool
    known: bool

    @property
    def numbers(self) -> tuple[float, ...]:
        return self.largest, self.mean, self.spread, self.median, self.low, self.high

    @classmethod
    def of(cls, numbers: Floats) -> _Scale:
        """Scale by the largest value first: squares of large numbers would overflow."""
        finite = np.isfinite(numbers)
        cleaned = numbers[finite]
        largest = float(np.abs(cleaned).max(initial=0.0)) or 1.0
        scaled = cleaned / largest
        mean = float(scaled.mean()) if len(scaled) else 0.0
        spread = float(np.sqrt(((scaled - mean) ** 2).mean())) if len(scaled) else 0.0
        # A constant column's spread is rounding alone.
        varies = spread > 1e-12 * max(abs(mean), 1e-300)
        spread = spread if varies else 1.0
        standard = (scaled - mean) / spread
        return cls(
            largest=largest,
            mean=mean,
            spread=spread,
            median=float(np.median(standard)) if len(standard) else 0.0,
            # Infinities become the outermost values of training.
            low=float(standard.min(initial=0.0)),
            high=float(standard.max(initial=0.0)),
            varies=varies,
            gaps=len(cleaned) < len(numbers),
            known=bool(len(cleaned)),
        )


def _mostly_numbers(column: Column) -> bool:
    """Return whether at least half of the cells of a column of mixed types, as spreadsheets have them, are numbers."""
    if column.family != "mixed":
        return False
    present = [cell for cell in column.values if not is_missing(cell)]
    return 2 * sum(isinstance(cell, _REAL) for cell in present) >= len(present)


def _origin(column: Column) -> float:
    """Return a value of a column that is far from zero compared with its range, where squares would cancel; else 0."""
    if column.family in ("boolean", "empty", "mixed") or column.family not in _NUMBERS:
        return 0
    numbers = column.numbers()[0]
    numbers = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
    if not len(numbers):
        return 0
    first, low, high = numbers[0].item(), numbers.min().item(), numbers.max().item()
    largest = max(abs(low), abs(high))
    # Values that differ in their last bits only are one number, computed in several ways.
    rounding = 4 * np.finfo(np.float64).eps * largest if isinstance(first, float) else 0
    return first if rounding < high - low < _FAR * largest else 0


def _column_floats(column: Column, origin: float = 0) -> Floats:
    """Return one float per row, the distance from an origin; NaN where the cell is missing or text among numbers."""
    if column.family == "mixed":
        return np.array([float(cell) - origin if isinstance(cell, _REAL) else np.nan for cell in column.values])
    if column.family not in _NUMBERS and column.counts()[0]:
        hint = "give it the type that it had during fitting"
        raise fault(f"column {column.name!r}", "hold numbers, as it did during fitting", column.contents, hint)
    return column.floats(origin=origin)


def _factorized(column: Column) -> tuple[NDArray[np.intp], list[str]]:
    """Return each row's place among the column's values, -1 where missing, and these values as text."""
    values = column.values
    if isinstance(values, nw.Series):
        values = values.to_pandas()
    series = pd.Series(values, dtype=object) if isinstance(values, list) else pd.Series(values)
    codes, unique = pd.factorize(series)
    # Values that are written alike are one: a missing cell turns the categories 1 and 2 into 1.0 and 2.0.
    keys = [_category_text(value) for value in unique]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    merged = np.array([*(places[key] for key in keys), -1], dtype=np.intp)
    return merged[codes], list(places)


def _category_text(value: object) -> str:
    """Write a category as text that does not depend on its column's dtype.

    Examples
    --------
    >>> _category_text(1), _category_text(1.0), _category_text(True), _category_text("1"), _category_text(1.5)
    ('1', '1', 'True', '1', '1.5')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _one_hot(codes: NDArray[np.intp], size: int) -> Floats:
    # Code -1 takes the last row, which is all zeros.
    return np.vstack([np.eye(size), np.zeros((1, size))])[codes]
