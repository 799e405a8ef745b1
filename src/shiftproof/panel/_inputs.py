"""Turn tables and labels into model input: features as pandas or NumPy, labels as codes, a fingerprint of both."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.core import (
    Column,
    InputError,
    Phrase,
    Sensitive,
    Table,
    as_floats,
    as_table,
    check_row_order,
    fault,
    is_missing,
    is_texts,
    lacks_columns,
    listed,
    native_order,
    shown,
    unmasked,
)
from shiftproof.panel._fingerprint import dtypes_of, fingerprint_table


@dataclass(frozen=True, eq=False)
class Features:
    """Features in a form that scikit-learn accepts.

    Parameters
    ----------
    data : DataFrame, ndarray or sparse matrix
        Arrays and sparse matrices stay as they are; tables of every library become pandas; texts on their own (the
        input of a vectorizer) become an array of one dimension.
    names : tuple of str
        The columns' names; ``x0``, ``x1`` … for arrays.
    """

    data: Any
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.data.shape[0])

    @property
    def named(self) -> bool:
        """Whether the columns have names of their own."""
        return isinstance(self.data, pd.DataFrame)

    def without(self, columns: list[str]) -> Features:
        """Leave columns out; only a table has columns to name."""
        kept = [place for place, name in enumerate(self.names) if name not in columns]
        if len(kept) == len(self.names):
            return self
        if not kept:
            raise fault(
                "X",
                "have a column to learn from",
                Phrase(f"only {listed(self.names)}"),
                "time and groups are not features",
            )
        return Features(self.data.iloc[:, kept], tuple(self.names[place] for place in kept))


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Rows that a panel converted and hashed once; see `Panel.prepare`.

    Parameters
    ----------
    data : DataFrame, ndarray or sparse matrix
        The rows in the form that the panel's models were fitted on.
    names : tuple of str
        The columns of `data`.
    fingerprint : str
        The hash of `data`.
    table : Features
        All columns that were given, also those that the models do not know.
    """

    data: Any
    names: tuple[str, ...]
    fingerprint: str
    table: Features

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    @cached_property
    def cache_key(self) -> str:
        """What scores are cached by: equal values in other dtypes may have other scores."""
        return f"{self.fingerprint} {dtypes_of(self.data)}"

    @cached_property
    def table_fingerprint(self) -> str:
        """The hash of the table as it was given."""
        return self.fingerprint if self.data is self.table.data else fingerprint_features(self.table)


def take(data: Any, rows: NDArray[np.intp] | slice) -> Any:
    """Take rows of a frame, an array or a sparse matrix."""
    return data.iloc[rows] if isinstance(data, pd.DataFrame) else data[rows]


def as_features(X: object, name: str = "X") -> Features:
    """Turn any table into a form that scikit-learn's estimators accept.

    Examples
    --------
    >>> as_features({"a": [1, 2], "b": ["x", "y"]}).data
       a  b
    0  1  x
    1  2  y
    """
    if sparse.issparse(X):
        matrix: Any = X
        features = Features(matrix.tocsr(), _array_names(matrix.shape[1]))
    elif is_texts(X):
        features = Features(np.asarray(X, dtype=object), ("text",))
    # Structured and masked arrays have names or gaps, which only the way through a table keeps.
    elif isinstance(X, np.ndarray) and not X.dtype.names and not isinstance(X, np.ma.MaskedArray):
        array = native_order(X.reshape(-1, 1) if X.ndim == 1 else X)
        as_table(array, name)  # refuses three dimensions
        features = Features(array, _array_names(array.shape[1]))
    else:
        table = as_table(X, name)
        features = Features(native_order(_to_pandas(X, table)), table.names)
    if not features.n_rows:
        raise fault(name, "hold at least one row", 0, "check the filter or the file it came from")
    if not features.names:
        raise fault(name, "have at least one column", Phrase("none"), "pass the features as columns")
    return features


def match_columns(features_names: tuple[str, ...], named: bool, new: Features, name: str = "X_new") -> Any:
    """Bring new rows into the form of those that the models were fitted on.

    Columns are taken by name where both have names; columns that the models do not know are left out.
    """
    if named and new.named:
        if new.names == features_names:
            return new.data
        missing = [column for column in features_names if column not in new.names]
        if missing:
            them = "it" if len(missing) == 1 else "them"
            hint = f"add {them}, or leave {them} out of both tables"
            raise lacks_columns(name, missing, "X", hint)
        return new.data.iloc[:, [new.names.index(column) for column in features_names]]
    if len(new.names) != len(features_names):
        hint = "give the columns of X, in the same order"
        raise fault(name, f"have {len(features_names)} columns", len(new.names), hint)
    if named:
        hint = f"pass a table with {listed(features_names)}"
        raise fault(name, "have named columns, as X had", Phrase("an array without names"), hint)
    return new.data.to_numpy() if new.named else new.data


def _array_names(n: int) -> tuple[str, ...]:
    return tuple(f"x{place}" for place in range(n))


def _to_pandas(X: Any, table: Table) -> pd.DataFrame:
    if isinstance(X, pd.DataFrame):
        return X
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    # narwhals would turn Arrow's dates into Python objects, which are slow and no longer dates to pandas.
    if type(X).__module__.split(".")[0] == "pyarrow":
        converted: pd.DataFrame = X.to_pandas(date_as_object=False)
    elif isinstance(frame, nw.DataFrame):
        converted = frame.to_pandas()
    else:
        converted = pd.DataFrame({name: _pandas_values(table.column(name)) for name in table.names})
    for name, dtype in zip(table.names, converted.dtypes, strict=True):
        if dtype == np.float64:
            exact = _exact_integers(table.column(name))
            converted = converted if exact is None else converted.assign(**{name: exact})
    return converted


def _pandas_values(column: Column) -> Any:
    """Return the values without an index, by which pandas would align the columns anew."""
    if not isinstance(column.values, nw.Series):
        return column.values
    native = column.values.to_native()
    # narwhals loses the time zone of Arrow's moments.
    return (native if isinstance(native, pd.Series) else column.values.to_arrow().to_pandas(date_as_object=False)).array


def _exact_integers(column: Column) -> Any:
    """Return integers with gaps as ``Int64`` where the floats that pandas makes of them lose digits, else None."""
    if not isinstance(column.values, nw.Series) or not column.values.dtype.is_integer():
        return None
    integers, missing = column.numbers()
    if not missing or not len(integers) or max(-int(integers.min()), int(integers.max())) <= 2**53:
        return None
    gaps = np.asarray(column.values.is_null().to_numpy(), dtype=bool)
    full = np.zeros(len(column), dtype=integers.dtype)
    full[~gaps] = integers
    return pd.arrays.IntegerArray(full, gaps)


def encode_labels(y: object, name: str = "y") -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes, and for each label its place among them.

    Examples
    --------
    >>> classes, codes = encode_labels(["no", "yes", "no"])
    >>> classes.tolist(), codes.tolist()
    (['no', 'yes'], [0, 1, 0])
    """
    labels = label_array(y, name)
    # A regression target passed by mistake would become one class per value.
    if labels.dtype.kind == "f":
        broken = labels[~np.isfinite(labels) | (labels != np.floor(labels))]
        if len(broken):
            hint = "bin the numbers into classes first"
            raise fault(name, "contain class labels", float(broken[0]), hint)
    # Python sorts True among whole numbers; scikit-learn knows no such labels, nor bytes, nor pairs.
    kinds = {type(label).__name__ for label in labels.tolist()} if labels.dtype.kind in "OS" else set()
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise _wrong_labels(kinds, name) from None
    if ("bool" in kinds and len(kinds) > 1) or kinds & {"bytes", "tuple", "list"}:
        raise _wrong_labels(kinds, name)
    if len(classes) < 2:
        hint = "add rows of another class, or use another column"
        got = Phrase(f"one class, {shown(classes.tolist()[0])}" if len(classes) else "none")
        raise fault(name, "contain at least two classes", got, hint)
    return classes, codes.astype(np.int64)


def _wrong_labels(kinds: set[str], name: str) -> InputError:
    rule = "hold labels of one type" if len(kinds) > 1 else "hold text, numbers, booleans or dates"
    return fault(name, rule, Phrase(" and ".join(sorted(kinds))), "convert all of them to text")


def label_array(y: Any, name: str = "y") -> NDArray[Any]:
    """Return labels of any kind as a NumPy array of one dimension, none of them missing."""
    array = _label_cells(y, name)
    _refuse_missing(int(_gaps(array).sum()), name)
    return _checked_labels(array, name)


def known_label_array(y: Any, name: str = "y") -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Return which rows have a label, and the labels of these rows, of which there must be one.

    Examples
    --------
    >>> known_label_array(["yes", None, "no"])
    (array([ True, False,  True]), array(['yes', 'no'], dtype='<U3'))
    """
    array = _label_cells(y, name)
    known = ~_gaps(array)
    if not known.any():
        raise fault(name, "hold at least one label", Phrase("only missing values"), "wait until labels have arrived")
    return known, _checked_labels(array[known], name)


def _label_cells(y: Any, name: str) -> NDArray[Any]:
    """Return labels of any kind, some of which may be missing, as an array of one dimension."""
    wrapped = nw.from_native(y, pass_through=True, series_only=True)
    if isinstance(wrapped, nw.Series):
        raw = wrapped.to_list() if not wrapped.dtype.is_numeric() or wrapped.null_count() else wrapped.to_numpy()
    elif isinstance(y, (str, bytes, Mapping, Set)) or not hasattr(y, "__len__"):
        raise fault(name, "be labels, one per row", y, "pass a list, an array or a series")
    elif hasattr(y, "columns"):
        raise fault(name, "have one dimension", y, "pass one of its columns")
    else:
        raw = y.to_pylist() if hasattr(y, "to_pylist") else unmasked(y)
    array = raw if isinstance(raw, np.ndarray) else _exact_array(list(raw))
    if array.ndim != 1:
        raise fault(name, "have one dimension", Phrase(f"shape {array.shape}"), "pass one column or a flat list")
    if not len(array):
        raise fault(name, "hold at least one label", 0, "check the filter or the file it came from")
    return array


def _gaps(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which labels are missing."""
    if array.dtype.kind == "O":
        return np.fromiter(map(is_missing, array), dtype=bool, count=len(array))
    # NaN and NaT differ from themselves; text and integers cannot be missing.
    missing: NDArray[np.bool_] = array != array
    return missing


def _checked_labels(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Refuse values that cannot be labels; give equal types the array that they fit into."""
    if array.dtype.kind in "OcV":
        _refuse_compound(array, name)
    return _exact_array(array.tolist()) if array.dtype.kind == "O" else array


def _exact_array(values: list[Any]) -> NDArray[Any]:
    """Make an array without changing a value: [1, 'a'] is not ['1', 'a']."""
    kinds = {type(value) for value in values}
    alike = kinds <= {str} or kinds <= {bool, np.bool_}
    if kinds and (alike or (bool not in kinds and all(issubclass(kind, numbers.Real) for kind in kinds))):
        exact = np.asarray(values)
        # As floats, integers beyond 2^53 would become one label.
        if exact.dtype.kind != "f" or not any(isinstance(v, numbers.Integral) and abs(int(v)) > 2**53 for v in values):
            return exact
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _refuse_compound(array: NDArray[Any], name: str) -> None:
    """Refuse labels that NumPy would take apart, or cannot put in order."""
    compound = [label for label in array.tolist() if isinstance(label, (complex, tuple, list, set, dict, np.ndarray))]
    if compound:
        raise fault(name, "hold single labels", compound[0], "make each of them a text or a number", sensitive=True)


def _refuse_missing(count: int, name: str) -> None:
    if count:
        raise fault(name, "have no missing labels", count, "drop those rows first")


def check_different(names: Collection[object], argument: str) -> None:
    """Refuse names that are the same once written as text: 1 and "1" are two keys of a dict and one name in a table."""
    if len(set(map(str, names))) < len(names):
        raise fault(argument, "have names that differ as text", Phrase(listed(names)), "rename one of them")


def check_lengths(n_rows: int, what: str, name: str, length: int) -> None:
    """Refuse a vector that does not have one entry per row of X."""
    if length != n_rows:
        several = "entries" if what == "entry" else f"{what}s"
        got = Phrase(f"{length:,} for {n_rows:,} rows")
        raise fault(name, f"have one {what} per row of X", got, f"pass the {several} of the same rows")


def check_order(X: object, **vectors: object) -> None:
    """Refuse vectors whose pandas index contradicts that of X; their names are those of the arguments."""
    for name, values in vectors.items():
        check_row_order(X, values, name)


def check_weights(sample_weight: object, classes: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Return the weights as floats: none negative, and each class with two rows of some weight."""
    if sample_weight is None:
        return None
    weights = as_floats(sample_weight, "sample_weight", hint="pass one weight per row")
    if weights.ndim != 1:
        raise fault("sample_weight", "have one dimension", Phrase(f"shape {weights.shape}"), "pass one weight per row")
    check_lengths(len(codes), "weight", "sample_weight", len(weights))
    bad = ~((weights >= 0) & np.isfinite(weights))
    if bad.any():
        raise fault("sample_weight", "be finite and not negative", float(weights[bad][0]), "0 leaves a row out")
    if not weights.any():
        raise fault("sample_weight", "not be zero for every row", 0, "leave it out to weight all rows equally")
    for code in np.unique(codes):
        weighted = int((weights[codes == code] > 0).sum())
        # Nothing can be learnt about a class, or measured on it, from rows that do not count.
        if weighted < min(2, int((codes == code).sum())):
            rule = f"be above 0 for at least two rows of class {shown(classes.tolist()[code])}"
            raise fault("sample_weight", rule, Phrase(f"{weighted}"), "drop the class if it must not count")
    return weights


def fingerprint_features(features: Features) -> str:
    """Hash the columns, their names and the order of the rows, whichever library holds them."""
    return fingerprint_table(features.data, features.names)


def encode_known(y: object, classes: NDArray[Any], name: str = "y") -> NDArray[np.int64]:
    """Return each label's place among classes that are already known."""
    places = {label: code for code, label in enumerate(classes.tolist())}
    labels = label_array(y, name).tolist()
    unknown = [label for label in labels if label not in places]
    # Labels of another coding, such as 0 and 1 for "no" and "yes": no row is wrong.
    if unknown and len(unknown) == len(labels):
        got = Phrase(Sensitive(listed(dict.fromkeys(unknown), most=3)))
        raise fault(name, f"hold only the classes {listed(classes.tolist())}", got, "recode the labels")
    if unknown:
        raise fault(
            name,
            f"hold only the classes {listed(classes.tolist())}",
            unknown[0],
            "drop those rows, or add rows of that class to the labelled data",
        )
    return np.array([places[label] for label in labels], dtype=np.int64)
