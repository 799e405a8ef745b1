"""Strategies for hypothesis that mix the oddities: of labels, of every column, of the library, of models and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from tests.hostile._call import Call, plain
from tests.hostile._inputs import ALL, LABELS, MODELS, SCORES, SETTINGS, TABLES, Odd


def _harmless(inputs: dict[str, Odd], *, parts: tuple[str, ...]) -> st.SearchStrategy[Odd]:
    return st.sampled_from([odd for odd in inputs.values() if odd.harmless and odd.parts == parts])


#: What a column's cells can be without another value: by column.
TYPES: dict[str, list[Any]] = {
    "a": [float, object, "Float64", "double[pyarrow]"],
    "b": [float, object, "Int64", np.int8, np.uint64, "int64[pyarrow]"],
    "c": [object, "str", "category", "string[pyarrow]"],
}
#: What a table can be, once its columns are typed.
LIBRARIES: list[Callable[[pd.DataFrame], Any]] = [
    lambda table: table,
    lambda table: table.to_dict("list"),
    lambda table: table.to_dict("records"),
    lambda table: {name: table[name] for name in table},
]


@st.composite
def tables(draw: st.DrawFn) -> Callable[[Call], Call]:
    """Type every column of both tables on its own, and choose a library for each table."""
    types = [{name: draw(st.sampled_from(kinds)) for name, kinds in TYPES.items()} for _ in range(2)]
    makes = [draw(st.sampled_from(LIBRARIES)) for _ in range(2)]

    def change(call: Call) -> Call:
        X, new = (
            make(table.astype(kinds)) for make, table, kinds in zip(makes, (call.X, call.new), types, strict=True)
        )
        return replace(call, X=X, new=new)

    return change


def labels() -> st.SearchStrategy[Odd]:
    """Write the labels in another way."""
    return _harmless(LABELS, parts=("y",))


def models() -> st.SearchStrategy[Odd]:
    """Replace a model by an odd one that is as good; tables of scores are left out, as in `scores`."""
    return _harmless(
        {name: odd for name, odd in MODELS.items() if name != "scores as a polars table (model)"}, parts=("models",)
    )


def scores() -> st.SearchStrategy[Odd]:
    """Write scores of labelled rows in another way; tables are left out, whose columns may name other classes."""
    return _harmless(
        {name: odd for name, odd in SCORES.items() if "table" not in name and "classes" not in name}, parts=("scores",)
    )


def weights() -> st.SearchStrategy[Odd]:
    """Give every row the weight one."""
    return _harmless(SETTINGS, parts=("sample_weight",))


def faults(*parts: str) -> st.SearchStrategy[str]:
    """Name an input that must be refused, of one of these parts."""
    groups = (LABELS, TABLES, SETTINGS)
    names = [name for group in groups for name, odd in group.items() if not odd.harmless and odd.parts[0] in parts]
    return st.sampled_from([name for name in names if name in ALL])


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Mix harmless oddities of all parts of a call; its figures are those of the plain one."""
    call = draw(tables())(plain())
    for strategy in (labels(), models(), weights()):
        call = draw(strategy).change(call)
    return call
