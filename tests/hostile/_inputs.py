"""Hostile inputs by name: each changes one part of the plain call, and says what is odd about it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse
from tests.hostile import _models as m
from tests.hostile._call import COLOURS, Call, Tiny
from tests.hostile._models import giving

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Odd:
    """A hostile input.

    Parameters
    ----------
    area : str
        As in the table of what was tried.
    parts : tuple of str
        The parts of the call that it changes; a verb that takes the first of them is attacked with it.
    change : callable
        Makes the hostile call of the plain one.
    harmless : bool
        Whether the verb must give the figures of the plain call, or of its twin.
    twin : str
        The input whose figures a harmless one must give.
    """

    area: str
    parts: tuple[str, ...]
    change: Callable[[Call], Call]
    harmless: bool = False
    twin: str = "plain"


def _changed(area: str, parts: tuple[str, ...], change: Change, **facts: Any) -> Odd:
    def changed(call: Call) -> Call:
        return replace(call, **{part: change(getattr(call, part)) for part in parts})

    return Odd(area, parts, changed, **facts)


# --- labels ---------------------------------------------------------------------------------------------------------


def _words(no: Any, yes: Any, kind: Any = object) -> Change:
    def change(y: Any) -> Any:
        labels = np.empty(len(y), dtype=kind)
        labels[:] = [yes if label else no for label in y]
        return labels

    return change


def _with(value: Any, *places: int, kind: Any = object) -> Change:
    def change(y: Any) -> Any:
        labels = np.array(y.tolist(), dtype=kind)
        for place in places:
            labels[place] = value
        return labels

    return change


def _masked(y: Any) -> Any:
    return np.ma.array(y, mask=np.arange(len(y)) % 7 == 0)


_SAME_LABELS: dict[str, Change] = {
    "list of labels": list,
    "list of Python ints": lambda y: y.tolist(),
    "tuple of labels": lambda y: tuple(y.tolist()),
    "labels of int8": lambda y: y.astype(np.int8),
    "labels of uint64": lambda y: y.astype(np.uint64),
    "labels of float": lambda y: y.astype(float),
    "labels of float16": lambda y: y.astype(np.float16),
    "boolean labels": lambda y: y.astype(bool),
    "list of bools": lambda y: y.astype(bool).tolist(),
    "labels of object ints": lambda y: y.astype(object),
    "labels of 0 and -0.0": lambda y: np.where(y == 1, 1.0, np.where(np.arange(len(y)) % 2, 0.0, -0.0)),
    "big-endian labels": lambda y: y.astype(">i8"),
    "read-only labels": lambda y: _read_only(y),
    "labels as every second of an array": lambda y: np.repeat(y, 2)[::2],
    "Series of labels": pd.Series,
    "Series of labels with an index of its own": lambda y: pd.Series(y, index=[f"row {i}" for i in range(len(y))]),
    "nullable Int64 labels": lambda y: pd.Series(y, dtype="Int64"),
    "nullable boolean labels": lambda y: pd.Series(y.astype(bool), dtype="boolean"),
    "Arrow-backed labels": lambda y: pd.Series(y, dtype="int64[pyarrow]"),
    "pandas extension array of labels": lambda y: pd.array(y, dtype="Int64"),
    "Index of labels": pd.Index,
    "categorical labels": lambda y: pd.Series(pd.Categorical(y)),
    "Categorical without a Series": pd.Categorical,
    "categories in reverse": lambda y: pd.Series(pd.Categorical(y, categories=[1, 0])),
    "a category that no row has": lambda y: pd.Series(pd.Categorical(y, categories=[0, 1, 2])),
    "ordered categories in reverse": lambda y: pd.Series(pd.Categorical(y, categories=[1, 0], ordered=True)),
    "polars labels": pl.Series,
    "polars categorical labels": lambda y: pl.Series(_words("no", "yes")(y).tolist(), dtype=pl.Categorical),
    "polars enum labels": lambda y: pl.Series(_words("no", "yes")(y).tolist(), dtype=pl.Enum(["yes", "no"])),
    "Arrow array of labels": pa.array,
    "chunked Arrow labels": lambda y: pa.chunked_array([y[:7], y[7:]]),
    "Arrow dictionary of labels": lambda y: pa.array(_words("no", "yes")(y).tolist()).dictionary_encode(),
    "masked array without a mask": np.ma.array,
    "text labels": _words("no", "yes", "U3"),
    "labels of StringDType": lambda y: _words("no", "yes")(y).astype(np.dtypes.StringDType()),
    "object text labels": _words("no", "yes"),
    "pandas text labels": lambda y: pd.Series(_words("no", "yes")(y), dtype="str"),
    "pyarrow text labels": lambda y: pd.Series(_words("no", "yes")(y), dtype="string[pyarrow]"),
    "labels 'None' and 'nan'": _words("None", "nan"),
    "an empty text as label": _words("", "yes"),
    "labels that look like numbers": _words("0", "1"),
    "labels of emoji": _words("🙂", "🙃"),
    "labels of markup": _words("<b>no</b>", "<script>"),
    "labels of control characters": _words("\x1b[31mno", "\x1b[31myes"),
    "labels of 5,000 characters": _words("n" * 5000, "y" * 5000),
    "labels of one letter in two cases": _words("Y", "y"),
    "labels beyond 2^53": _words(2**53, 2**53 + 1, np.int64),
    "negative labels": _words(-1, 1, np.int64),
    "labels of Decimal": _words(Decimal(0), Decimal(1)),
    "labels of Fraction": _words(Fraction(0), Fraction(1)),
    "labels of dates": _words(dt.date(2024, 1, 1), dt.date(2024, 1, 2)),
    "labels of datetime64": _words(np.datetime64("2024-01-01"), np.datetime64("2024-01-02"), "M8[D]"),
}
_BAD_LABELS: dict[str, Change] = {
    "labels of tuples": _words((0, "a"), (1, "b")),
    "no labels at all": lambda y: None,
    "one label too few": lambda y: y[:-1],
    "one label too many": lambda y: np.append(y, 1),
    "an empty list of labels": lambda y: [],
    "labels of one class": np.zeros_like,
    "labels in two columns": lambda y: np.c_[y, y],
    "labels as a column": lambda y: y[:, None],
    "labels as a table of one column": lambda y: pd.DataFrame({"y": y}),
    "labels of three dimensions": lambda y: y[:, None, None],
    "a dict of labels": lambda y: dict(enumerate(y.tolist())),
    "a set of labels": lambda y: {0, 1},
    "a generator of labels": lambda y: iter(y.tolist()),
    "one text for all labels": lambda y: "01" * (len(y) // 2),
    "a number for all labels": lambda y: 1,
    "an array of no dimension": lambda y: np.array(1),
    "a label that is None": _with(None, 3),
    "a label that is NaN": _with(np.nan, 3, kind=float),
    "a label that is pandas.NA": lambda y: pd.Series(_with(pd.NA, 3)(y), dtype="Int64"),
    "a label that is NaT": _with(pd.NaT, 3),
    "a null among polars labels": lambda y: pl.Series([None, *y[1:].tolist()]),
    "a null among Arrow labels": lambda y: pa.array([None, *y[1:].tolist()]),
    "a category that is missing": lambda y: pd.Series(pd.Categorical([None, *y[1:].tolist()])),
    "masked labels": _masked,
    "masked text labels": lambda y: np.ma.array(_words("no", "yes", "U3")(y), mask=np.arange(len(y)) < 9),
    "an infinite label": _with(np.inf, 3, kind=float),
    "amounts as labels": lambda y: y + np.linspace(0.01, 0.02, len(y)),
    "complex labels": lambda y: y + 0j,
    "text among numbers": _with("1", 3),
    "True among ints": lambda y: [bool(label) if row % 2 else int(label) for row, label in enumerate(y)],
    "bytes as labels": _words(b"no", b"yes"),
    "lists as labels": lambda y: [[label] for label in y.tolist()],
    "dicts as labels": lambda y: [{"label": label} for label in y.tolist()],
    "structured labels": lambda y: np.array([(label,) for label in y], dtype=[("y", int)]),
    "one label of its own in every row": lambda y: np.arange(len(y)),
}


def _read_only(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


# --- tables ---------------------------------------------------------------------------------------------------------


def _column(name: str, change: Change) -> Change:
    return lambda table: table.assign(**{name: change(table[name])})


def _categories(order: tuple[str, ...]) -> Change:
    return lambda cells: pd.Categorical(cells, categories=order)


_SAME_TABLES: dict[str, Change] = {
    "whole numbers as float": _column("b", lambda b: b.astype(float)),
    "whole numbers as int8": _column("b", lambda b: b.astype(np.int8)),
    "whole numbers as uint64": _column("b", lambda b: b.astype(np.uint64)),
    "whole numbers as object": _column("b", lambda b: b.astype(object)),
    "whole numbers as Decimal": _column("b", lambda b: [Decimal(int(cell)) for cell in b]),
    "numbers as object": _column("a", lambda a: a.astype(object)),
    "nullable whole numbers": _column("b", lambda b: b.astype("Int64")),
    "nullable numbers": _column("a", lambda a: a.astype("Float64")),
    "Arrow-backed numbers": _column("a", lambda a: a.astype("double[pyarrow]")),
    "big-endian numbers": _column("a", lambda a: a.to_numpy().astype(">f8")),
    "text as category": _column("c", _categories(COLOURS)),
    "text as category in reverse": _column("c", _categories(COLOURS[::-1])),
    "a category that no cell has": _column("c", _categories((*COLOURS, "white"))),
    "text as object": _column("c", lambda c: c.astype(object)),
    "text as str": _column("c", lambda c: c.astype("str")),
    "text as Arrow string": _column("c", lambda c: c.astype("string[pyarrow]")),
    "a table that pandas made nullable": lambda table: table.convert_dtypes(),
    "an index of text": lambda table: table.set_axis([f"row {row}" for row in range(len(table))]),
    "an index that repeats itself": lambda table: table.set_axis([0] * len(table)),
    "an index in reverse": lambda table: table.set_axis(range(len(table))[::-1]),
    "an index of dates": lambda table: table.set_axis(pd.date_range("2024", periods=len(table))),
    "an index of two levels": lambda table: table.set_axis(pd.MultiIndex.from_product([[0], range(len(table))])),
    "a name for the columns": lambda table: table.rename_axis(columns="feature"),
    "attributes of the table": lambda table: _with_attributes(table),
    "a subclass of DataFrame": lambda table: _Subclass(table),
    "a slice of a larger table": lambda table: pd.concat([table, table]).iloc[: len(table)],
    "every second row of a larger table": lambda table: table.loc[table.index.repeat(2)].iloc[::2],
    "a polars table": lambda table: _polars(table),
    "a lazy polars table": lambda table: _polars(table).lazy(),
    "a polars table with categories": lambda table: _polars(table).with_columns(pl.col("c").cast(pl.Categorical)),
    "an Arrow table": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "an Arrow table in pieces": lambda table: pa.concat_tables(
        [pa.Table.from_pandas(part, preserve_index=False) for part in (table[:7], table[7:])]
    ),
    "an Arrow table with a dictionary": lambda table: _dictionary(table),
    "a dict of arrays": lambda table: {name: table[name].to_numpy() for name in table},
    "a dict of lists": lambda table: table.to_dict("list"),
    "a dict of Series": lambda table: dict(table.items()),
    "a list of dicts": lambda table: table.to_dict("records"),
    "a structured array": lambda table: table.to_records(index=False),
}

_ODD_TABLES: dict[str, Change] = {
    "no table at all": lambda table: None,
    "a table without rows": lambda table: table.iloc[:0],
    "a table without columns": lambda table: table[[]],
    "two columns of one name": lambda table: pd.concat([table, table[["a"]]], axis=1),
    "columns 1 and '1'": lambda table: table.set_axis([1, "1", "c"], axis=1),
    "an array of three dimensions": lambda table: np.zeros((len(table), 2, 2)),
    "a text for a table": lambda table: "table",
    "a number for a table": lambda table: 3.5,
    "a set for a table": lambda table: {1, 2},
    "rows of several lengths": lambda table: [[1.0, 2.0]] * (len(table) - 1) + [[1.0]],
    "a dict with a short column": lambda table: {"a": table["a"].tolist(), "b": table["b"].tolist()[:-1]},
    "a dict of numbers": lambda table: {"a": 1, "b": 2},
    "an empty list": lambda table: [],
}


class _Subclass(pd.DataFrame):
    """A table of a class that other libraries derive from pandas' own."""

    @property
    def _constructor(self) -> type[_Subclass]:
        return _Subclass


def _with_attributes(table: pd.DataFrame) -> pd.DataFrame:
    table.attrs["source"] = object()
    return table


def _polars(table: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({name: table[name].to_list() for name in table})


def _dictionary(table: pd.DataFrame) -> pa.Table:
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    return arrow.set_column(2, "c", arrow.column("c").dictionary_encode())


_SAME_NEW: dict[str, Change] = {
    "new rows in other columns' order": lambda table: table[["c", "a", "b"]],
    "new rows with a column more": lambda table: table.assign(z=0.0),
    "new rows of polars": lambda table: _polars(table),
    "new rows of Arrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "new rows as dicts": lambda table: table.to_dict("records"),
    "new rows with an index in reverse": lambda table: table.set_axis(range(len(table))[::-1]),
    "new rows with b as float": _column("b", lambda b: b.astype(float)),
    "new rows with c as category": _column("c", _categories(COLOURS[::-1])),
}
_BAD_NEW: dict[str, Change] = {
    "new rows without a column": lambda table: table[["a", "c"]],
    "new rows with two columns of one name": lambda table: pd.concat([table, table[["a"]]], axis=1),
    "no new rows": lambda table: table.iloc[:0],
    "new rows as a text": lambda table: "table",
    "new rows as an array of three dimensions": lambda table: np.zeros((4, 3, 2)),
    "new rows without names": lambda table: table[["a", "b"]].to_numpy(),
    "new rows with text for numbers": _column("a", lambda a: [f"{cell:.3f} m" for cell in a]),
    "new rows with booleans for numbers": _column("a", lambda a: a > 0),
    "new rows with dates for numbers": _column("a", lambda a: pd.date_range("2024", periods=len(a)).to_numpy()),
}

# Tables of numbers alone, whose plain twin has no text.
_NUMBERS: dict[str, Change] = {
    "an array": lambda table: table.to_numpy(),
    "an array in Fortran's order": lambda table: np.asfortranarray(table.to_numpy()),
    "a read-only array": lambda table: _read_only(table.to_numpy()),
    "every second column of an array": lambda table: np.repeat(table.to_numpy(), 2, axis=1)[:, ::2],
    "an array of objects": lambda table: table.to_numpy().astype(object),
    "a masked array without a mask": lambda table: np.ma.array(table.to_numpy()),
    "a list of lists": lambda table: table.to_numpy().tolist(),
    "a list of tuples": lambda table: list(map(tuple, table.to_numpy().tolist())),
    "a list of arrays": lambda table: list(table.to_numpy()),
    "a big-endian array": lambda table: table.to_numpy().astype(">f8"),
    "names of whole numbers": lambda table: table.set_axis(range(2), axis=1),
    "a sparse matrix": lambda table: sparse.csr_matrix(table.to_numpy()),
    "a sparse matrix by columns": lambda table: sparse.csc_array(table.to_numpy()),
}


def _group(
    area: str, parts: tuple[str, ...], changes: dict[str, Change], suffix: str = "", **facts: Any
) -> dict[str, Odd]:
    return {f"{name}{suffix}": _changed(area, parts, change, **facts) for name, change in changes.items()}


LABELS = _group("labels", ("y",), _SAME_LABELS, harmless=True) | _group("labels", ("y",), _BAD_LABELS)


def _is_plain(change: Change) -> bool:
    labels = change(np.arange(20) % 2)
    return list(labels.to_pylist() if hasattr(labels, "to_pylist") else labels) == [0, 1] * 10


# An audit of the classes 0 and 1 knows these, whatever their type; others are unknown to it.
_KNOWN = {name: change for name, change in _SAME_LABELS.items() if _is_plain(change)}
_UNKNOWN = {name: change for name, change in _SAME_LABELS.items() if name not in _KNOWN}
VERIFIED = _group("labels", ("y_new",), _KNOWN, " (y_new)", harmless=True)
VERIFIED |= _group("labels", ("y_new",), _UNKNOWN, " (y_new)")
VERIFIED |= _group("labels", ("y_new",), _BAD_LABELS, " (y_new)")
TABLES = _group("tables", ("X", "new"), _SAME_TABLES, harmless=True) | _group("tables", ("X",), _ODD_TABLES)
TABLES |= _group("tables", ("new",), _SAME_NEW, harmless=True) | _group("tables", ("new",), _BAD_NEW)


def _numbers_only(call: Call) -> Call:
    return replace(call, X=call.X[["a", "b"]].astype(float), new=call.new[["a", "b"]].astype(float))


def _of_numbers(change: Change) -> Callable[[Call], Call]:
    def changed(call: Call) -> Call:
        call = _numbers_only(call)
        return replace(call, X=change(call.X), new=change(call.new))

    return changed


#: Plain calls that are not the plain one, by the name of the twin.
TWINS: dict[str, Callable[[Call], Call]] = {"plain": lambda call: call, "numbers": _numbers_only}
NUMBERS = {
    name: Odd("tables", ("X", "new"), _of_numbers(change), harmless=True, twin="numbers")
    for name, change in _NUMBERS.items()
}

# --- models ---------------------------------------------------------------------------------------------------------


def _instead(kind: Callable[[], Any]) -> Change:
    """Put a model in the place of 'm', which it must be as good as."""
    return lambda models: {**models, "m": kind()}


def _beside(kind: Callable[[], Any]) -> Change:
    """Put a faulty model beside the good ones."""
    return lambda models: {**models, "bad": kind()}


def _alone(kind: Callable[[], Any]) -> Change:
    return lambda models: {"bad": kind()}


def _masked_scores(scores: Any) -> Any:
    return np.ma.array(scores, mask=np.zeros_like(scores, dtype=bool) | (np.arange(len(scores)) == 2)[:, None])


_SAME_MODELS: dict[str, Callable[[], Any]] = {
    "scores as a list": giving(lambda scores: scores.tolist()),
    "scores as a table": giving(pd.DataFrame),
    "scores as a polars table": giving(lambda scores: pl.DataFrame(scores, schema=["0", "1"])),
    "scores in Fortran's order": giving(np.asfortranarray),
    "read-only scores": giving(_read_only),
    "scores as objects": giving(lambda scores: scores.astype(object)),
    "scores without a mask": giving(np.ma.array),
    "classes in reverse": m.Reversed,
    "one array for all scores": m.Buffered,
    "a model that overwrites its rows": m.ChangesItsInput,
    "a model that seeds the world": m.SeedsTheWorld,
    "a model whose fit returns nothing": m.ReturnsNothing,
    "a model without classes_": m.WithoutClasses,
}
_BAD_MODELS: dict[str, Callable[[], Any]] = {
    "scores that are NaN": giving(lambda scores: np.where(np.arange(len(scores))[:, None] == 3, np.nan, scores)),
    "scores that are infinite": giving(lambda scores: np.where(scores > 0.5, np.inf, scores)),
    "masked scores": giving(_masked_scores),
    "percentages for scores": giving(lambda scores: 100 * scores),
    "halves of scores": giving(lambda scores: scores / 2),
    "negative scores": giving(lambda scores: np.c_[1.5 + scores[:, 0], -0.5 - scores[:, 0]]),
    "logarithms of scores": giving(np.log),
    "odds for scores": giving(lambda scores: scores / scores[:, :1]),
    "text for scores": giving(lambda scores: np.full(scores.shape, "high")),
    "complex scores": giving(lambda scores: scores + 1j),
    "None for scores": giving(lambda scores: None),
    "scores of one class": giving(lambda scores: scores[:, :1]),
    "flat scores": giving(lambda scores: scores[:, 1]),
    "scores of three classes": giving(lambda scores: np.c_[scores / 2, np.full(len(scores), 0.5)]),
    "scores of one row": giving(lambda scores: scores[:1]),
    "scores of a row too few": giving(lambda scores: scores[:-1]),
    "scores of a row too many": giving(lambda scores: np.r_[scores, scores[:1]]),
    "scores of no row": giving(lambda scores: scores[:0]),
    "scores lying on their side": giving(np.transpose),
    "scores of three dimensions": giving(lambda scores: scores[:, :, None]),
    "a list of scores per class": giving(lambda scores: [scores, scores]),
    "classes that nobody knows": m.OfUnknownClass,
    "a model that fails to fit": m.FailsToFit,
    "a model that runs out of memory": m.RunsOutOfMemory,
    "a model that fails to score": m.FailsToScore,
    "a model that only predicts": m.OnlyPredicts,
    "decisions that are NaN": m.deciding(lambda values: np.where(np.arange(len(values)) == 3, np.nan, values)),
    "decisions of three columns": m.deciding(lambda values: np.c_[values, values, values]),
    "decisions of a row too few": m.deciding(lambda values: values[:-1]),
    "decisions of one row": m.deciding(lambda values: values[:1]),
    "text for decisions": m.deciding(lambda values: np.full(values.shape, "high")),
}
_NO_MODELS: dict[str, Change] = {
    "no model at all": lambda models: None,
    "an empty dict of models": lambda models: {},
    "an empty list of models": lambda models: [],
    "a class for a model": lambda models: {"m": Tiny},
    "a function for a model": lambda models: {"m": len},
    "a text for a model": lambda models: {"m": "lr"},
    "None among models": lambda models: {**models, "none": None},
    "a number for models": lambda models: 3,
    "a text for models": lambda models: "lr",
    "a dict of dicts of models": lambda models: {"all": models},
    "an object that has no fit": lambda models: {"m": object()},
}

MODELS = _group(
    "models",
    ("models",),
    {name: _instead(kind) for name, kind in _SAME_MODELS.items()},
    " (model)",
    harmless=True,
)
MODELS |= _group("models", ("models",), _NO_MODELS)
MODELS["names that are no text"] = _changed(
    "models", ("models",), lambda models: {1: models["m"], 2: models["n"]}, harmless=True
)
BESIDE = _group("models", ("models",), {name: _beside(kind) for name, kind in _BAD_MODELS.items()})
ALONE = _group("models", ("models",), {name: _alone(kind) for name, kind in _BAD_MODELS.items()}, ", alone")

# --- scores without a model -----------------------------------------------------------------------------------------

_SAME_SCORES: dict[str, Change] = {
    "given scores as a list": lambda scores: scores.tolist(),
    "given scores as a table": pd.DataFrame,
    "given scores as a table that names its classes": lambda scores: pd.DataFrame(scores, columns=[0, 1]),
    "given scores with classes in reverse": lambda scores: pd.DataFrame(scores[:, ::-1], columns=[1, 0]),
    "given scores of the second class": lambda scores: scores[:, 1],
    "given scores of the second class as Series": lambda scores: pd.Series(scores[:, 1]),
    "given scores of polars": lambda scores: pl.Series(scores[:, 1]),
    "given scores of Arrow": lambda scores: pa.array(scores[:, 1]),
    "given scores of nullable type": lambda scores: pd.Series(scores[:, 1], dtype="Float64"),
    "given scores as objects": lambda scores: scores[:, 1].astype(object),
    "given scores as Decimal": lambda scores: [Decimal(float(score)) for score in scores[:, 1]],
}
_BAD_SCORES: dict[str, Change] = {
    "given scores that are NaN": lambda scores: np.where(np.arange(len(scores)) == 3, np.nan, scores[:, 1]),
    "given scores that are missing": lambda scores: [None, *scores[1:, 1].tolist()],
    "given scores that are infinite": lambda scores: np.where(scores[:, 1] > 0.5, np.inf, scores[:, 1]),
    "given scores that are masked": lambda scores: np.ma.array(scores[:, 1], mask=np.arange(len(scores)) < 3),
    "given percentages": lambda scores: 100 * scores,
    "given scores of text": lambda scores: ["high"] * len(scores),
    "given complex scores": lambda scores: scores[:, 1] + 1j,
    "given scores of a row too few": lambda scores: scores[:-1],
    "given scores of no row": lambda scores: scores[:0],
    "given scores of three columns": lambda scores: np.c_[scores / 2, np.full(len(scores), 0.5)],
    "given scores of three dimensions": lambda scores: scores[:, :, None],
    "a number for scores": lambda scores: 0.5,
    "no scores": lambda scores: None,
}
SCORES: dict[str, Odd] = {}
for _part, _suffix in (("scores", ""), ("new_scores", " (new)")):
    SCORES |= _group("scores", (_part,), _SAME_SCORES, _suffix, harmless=True)
    SCORES |= _group("scores", (_part,), _BAD_SCORES, _suffix)

# --- settings -------------------------------------------------------------------------------------------------------

_SETTINGS: dict[str, dict[str, Any]] = {
    "sample_weight": {
        "negative": lambda y: np.where(np.arange(len(y)) == 3, -1.0, 1.0),
        "NaN": lambda y: np.where(np.arange(len(y)) == 3, np.nan, 1.0),
        "infinite": lambda y: np.where(np.arange(len(y)) == 3, np.inf, 1.0),
        "all zero": lambda y: np.zeros(len(y)),
        "zero for a class": lambda y: np.where(y == 1, 0.0, 1.0),
        "text": lambda y: ["heavy"] * len(y),
        "one too few": lambda y: np.ones(len(y) - 1),
        "a column": lambda y: np.ones((len(y), 1)),
        "a number": lambda y: 2.0,
        "missing": lambda y: [None, *[1.0] * (len(y) - 1)],
        "masked": lambda y: np.ma.array(np.ones(len(y)), mask=np.arange(len(y)) < 3),
        "complex": lambda y: np.ones(len(y)) + 1j,
        "a dict": lambda y: dict.fromkeys(range(len(y)), 1.0),
        "another order of the index": lambda y: pd.Series(np.ones(len(y)), index=range(len(y))[::-1]),
        "ones": lambda y: np.ones(len(y)),
        "ones in a list": lambda y: [1] * len(y),
        "ones of polars": lambda y: pl.Series([1.0] * len(y)),
        "ones of Arrow": lambda y: pa.array([1.0] * len(y)),
        "nullable ones": lambda y: pd.Series([1.0] * len(y), dtype="Float64"),
        "True in every row": lambda y: np.ones(len(y), dtype=bool),
    },
    "groups": {
        "one too few": lambda y: list(range(len(y) - 1)),
        "one group": lambda y: [0] * len(y),
        "missing": lambda y: [None, *range(len(y) - 1)],
        "NaN": lambda y: [np.nan, *range(len(y) - 1)],
        "masked": lambda y: np.ma.array(np.arange(len(y)), mask=np.arange(len(y)) < 3),
        "an unknown column": "d",
        "a number": 3,
        "two columns": lambda y: np.zeros((len(y), 2)),
    },
    "time": {
        "one too few": lambda y: list(range(len(y) - 1)),
        "missing": lambda y: [None, *range(len(y) - 1)],
        "an unknown column": "d",
        "a number": 3,
        "one moment": lambda y: [0] * len(y),
    },
    "cv": {
        "zero": 0,
        "one": 1,
        "minus three": -3,
        "more folds than rows": 1000,
        "a half": 2.5,
        "NaN": float("nan"),
        "text": "five",
        "True": True,
        "an empty list": [],
        "a list of one number": [1],
        "rows that do not exist": [([0, 1, 2], [1000])],
        "training rows among the test rows": [(list(range(60)), list(range(60)))],
        "a pair of texts": [("a", "b")],
        "an object": object(),
    },
    "random_state": {
        "negative": -1,
        "a fraction": 0.5,
        "NaN": float("nan"),
        "text": "0",
        "True": True,
        "a list": [0],
        "np.int64(0)": np.int64(0),
        "np.uint8(0)": np.uint8(0),
    },
    "n_jobs": {
        "zero": 0,
        "text": "two",
        "a fraction": 1.5,
        "True": True,
        "NaN": float("nan"),
        "a list": [1],
        "one job": 1,
    },
    "threshold": {
        "negative": -0.1,
        "above one": 1.1,
        "NaN": float("nan"),
        "infinite": float("inf"),
        "text": "half",
        "True": True,
        "a list": [0.5],
    },
    "level": {
        "zero": 0,
        "one": 1,
        "a percentage": 90,
        "negative": -0.5,
        "NaN": float("nan"),
        "text": "high",
        "None": None,
        "True": True,
        "a list": [0.9],
    },
    "pos_label": {
        "unknown": "maybe",
        "unknown number": 7,
        "NaN": float("nan"),
        "a list": [1],
        "np.int64(1)": np.int64(1),
    },
    "measure": {"unknown": "acuracy", "a number": 3, "a list": ["accuracy"], "empty": ""},
    "measures": {"unknown": ["acuracy"], "a number": 3, "empty": [], "NaN": [float("nan")]},
    "method": {"unknown": "combind", "a number": 3, "empty": "", "a list": ["combined"]},
    "tolerance": {"negative": -0.1, "zero": 0, "one": 1, "NaN": float("nan"), "text": "some", "True": True},
    "repeats": {"zero": 0, "negative": -1, "a fraction": 1.5, "text": "two", "True": True, "NaN": float("nan")},
    "resamples": {"negative": -1, "a fraction": 20.5, "text": "many", "True": True, "NaN": float("nan")},
    "n_resamples": {"zero": 0, "negative": -1, "a fraction": 20.5, "text": "many", "True": True},
    "bootstraps": {"zero": 0, "nineteen": 19, "a fraction": 20.5, "text": "many", "True": True},
    "benefit": {"text": "much", "a number": 3, "a dict": {"tp": 1}, "a list": [1, 2, 3, 4]},
    "labels": {
        "an unknown label": {0: "maybe"},
        "an unknown row": {1000: 1},
        "a text": "all",
        "a number": 3,
        "one too few": lambda y: [1] * 47,
        "NaN": {0: float("inf")},
    },
    "exclude": {"an unknown column": ["d"], "a text": "a", "a number": 3, "all columns": ["a", "b", "c"]},
    "kinds": {
        "an unknown column": {"d": "nominal"},
        "an unknown kind": {"a": "nominl"},
        "a text": "nominal",
        "a list": ["a"],
    },
    "by": {"an unknown column": "d", "a number": 3, "None": None, "a list": ["a"]},
    "every": {"unknown": "fortnight", "a number": 7, "a list": ["day"]},
    "split": {
        "two parts": (0.5, 0.5),
        "more than all": (0.5, 0.5, 0.5),
        "a negative part": (1.2, -0.4, 0.2),
        "NaN": (0.5, 0.2, float("nan")),
        "text": "half",
        "a number": 0.5,
    },
    "families": {"unknown": ("mcarr",), "a text": "mcar", "a number": 3, "empty": ()},
    "features": {"an unknown column": ["d"], "a text": "a", "a number": 3},
    "shares": {"above one": (1.5,), "negative": (-0.5,), "NaN": (float("nan"),), "text": ("half",)},
    "strengths": {"NaN": (float("nan"),), "text": ("strong",), "infinite": (float("inf"),)},
    "prevalences": {"above one": (1.5,), "NaN": (float("nan"),), "text": ("half",)},
    "protocol": {"unknown": "thesys", "a number": 3, "None": None},
    "test": {"a share above one": 1.5, "zero": 0.0, "text": "half", "a pair of numbers": (1, 2)},
    "control": {"unknown": "Z", "a number": 3},
    "ranking": {"unknown": "mean", "a number": 3, "None": None},
    "posthoc": {"unknown": "nemeny", "a number": 3},
    "rope": {"negative": -1, "NaN": float("nan"), "text": "small", "infinite": float("inf")},
    "method_column": {"unknown": "zz"},
    "loss_column": {"unknown": "zz"},
    "dataset_column": {"unknown": "data", "a number": 3},
    "fold_column": {"unknown": "fould", "a number": 3},
    "test_share": {"above one": 1.5, "zero": 0, "NaN": float("nan"), "text": "half"},
    "judges": {"unknown": "pairs", "a number": 3, "None": None},
    "most_rows": {"zero": 0, "negative": -1, "a fraction": 20.5, "text": "many", "True": True},
    "reverse_rows": {"zero": 0, "negative": -1, "a fraction": 20.5, "text": "many"},
    "rivals": {"unknown": "holdoud", "a number": 3, "an empty list": []},
    "count": {"zero": 0, "negative": -1, "a fraction": 2.5, "text": "ten", "True": True, "NaN": float("nan")},
    "share": {"zero": 0, "one": 1, "negative": -1, "NaN": float("nan"), "text": "narrow", "True": True},
    "model": {"unknown": "lr", "a number": 3, "a list": ["m"]},
    "tail": {"unknown": "hgh", "a number": 3, "None": None},
    "floor": {"negative": -0.1, "above one": 1.5, "NaN": float("nan"), "text": "low"},
    "size": {"zero": 0, "negative": -1, "a fraction": 10.5, "text": "many", "True": True},
}
_SETTINGS["alpha"] = _SETTINGS["level"]


# Settings that change nothing.
_HARMLESS = {"ones", "ones in a list", "ones of polars", "ones of Arrow", "nullable ones", "True in every row"}
_HARMLESS |= {"np.int64(0)", "np.uint8(0)", "np.int64(1)", "one job"}


def _setting(name: str, what: str, value: Any) -> Odd:
    def change(call: Call) -> Call:
        made = callable(value) and not isinstance(value, type)
        return call.with_option(**{name: value(np.asarray(call.y)) if made else value})

    return Odd("settings", (name,), change, harmless=what in _HARMLESS)


# --- losses to compare ----------------------------------------------------------------------------------------------


def _long(table: pd.DataFrame) -> pd.DataFrame:
    # By data set: methods come in the order in which they are met.
    return table.melt("dataset", var_name="method", value_name="loss").sort_values("dataset", kind="stable")


def _cell(value: Any) -> Change:
    return lambda table: table.astype({"A": object}).assign(A=[value, *table["A"][1:]])


_SAME_RESULTS: dict[str, Change] = {
    "losses as a long table": _long,
    "losses as a dict of dicts": lambda table: table.set_index("dataset").to_dict("index"),
    "losses as polars": lambda table: _polars(table),
    "losses as Arrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "losses as dicts": lambda table: table.to_dict("records"),
    "losses as objects": lambda table: table.astype(object),
    "losses as Decimal": lambda table: table.assign(A=[Decimal(float(loss)) for loss in table["A"]]),
    "nullable losses": lambda table: table.convert_dtypes(),
    "losses with the data sets as index": lambda table: table.set_index("dataset"),
    "losses with an index in reverse": lambda table: table.set_axis(range(len(table))[::-1]),
}
_BAD_RESULTS: dict[str, Change] = {
    "no losses": lambda table: None,
    "losses without rows": lambda table: table.iloc[:0],
    "losses of one method": lambda table: table[["dataset", "A"]],
    "losses of no method": lambda table: table[["dataset"]],
    "losses as text": lambda table: table.astype({"A": str}).assign(A="low"),
    "a text for losses": lambda table: "losses",
    "a number for losses": lambda table: 3.5,
    "a loss that is NaN": _cell(float("nan")),
    "a loss that is None": _cell(None),
    "an infinite loss": _cell(float("inf")),
    "a loss beyond 1e100": _cell(1e200),
    "a complex loss": _cell(1j),
    "a loss that is a list": _cell([0.1]),
    "a loss given twice": lambda table: pd.concat([_long(table), _long(table)[:1]]),
    "a loss too few": lambda table: _long(table)[1:],
    "a method without a name": lambda table: (
        _long(table).assign(method=["", *_long(table)["method"][1:]]).replace("", None)
    ),
    "two methods of one name": lambda table: table.set_axis(["dataset", "A", "A", "C"], axis=1),
    "masked losses": lambda table: np.ma.array(table[["A", "B"]].to_numpy(), mask=table[["A", "B"]] < 0.3),
}
RESULTS = _group("compare", ("results",), _SAME_RESULTS, harmless=True) | _group("compare", ("results",), _BAD_RESULTS)

SETTINGS = {
    f"{name}: {what}": _setting(name, what, value)
    for name, values in _SETTINGS.items()
    for what, value in values.items()
}
ALL: dict[str, Odd] = {
    **LABELS,
    **VERIFIED,
    **TABLES,
    **NUMBERS,
    **MODELS,
    **BESIDE,
    **ALONE,
    **SCORES,
    **RESULTS,
    **SETTINGS,
}
