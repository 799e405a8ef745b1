from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from shiftproof.core import EstimateTable, Interval, Result, plain


class Colour(Enum):
    RED = 1


class Level(IntEnum):
    HIGH = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Result):
    values: NDArray[np.float64]
    name: str

    def to_frame(self) -> pd.DataFrame:
        return pd.DataFrame({"name": [self.name] * len(self.values), "score": self.values})

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "values": plain(self.values)}

    def summary(self) -> str:
        return f"{self.name} < 1\nand no more"


def test_a_result_is_frozen_with_its_arrays_but_not_the_callers() -> None:
    values = np.array([0.25, 0.5])
    result = Scores(values=values, name="nb")
    with pytest.raises(FrozenInstanceError):
        result.name = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        result.values[0] = 1.0
    assert values.flags.writeable
    values[0] = 0.75  # the caller's own array still belongs to the caller


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree(Scores):
    parts: Any
    names: Any = ()


def test_a_result_is_frozen_with_its_dicts_and_lists_but_not_the_callers() -> None:
    parts: dict[str, Any] = {"a": {"b": np.zeros(2)}, "c": [1, [2]]}
    names = ["x"]
    tree = Tree(values=np.ones(1), name="t", parts=parts, names=names)
    changes: list[Callable[[], Any]] = [
        lambda: tree.parts.update(a=1),
        lambda: tree.parts.pop("a"),
        lambda: tree.parts.__setitem__("a", 1),
        tree.parts["a"].clear,
        lambda: tree.parts["a"].__delitem__("b"),
        lambda: tree.parts.setdefault("z", 1),
        tree.parts.popitem,
        lambda: tree.parts.__ior__({"z": 1}),
    ]
    for change in changes:
        with pytest.raises(TypeError) as error:
            change()
        assert str(error.value) == "a result cannot be changed; make a copy with dict(...) and change the copy"
    with pytest.raises(ValueError, match="read-only"):
        tree.parts["a"]["b"][0] = 1.0
    assert tree.parts["c"] == (1, (2,))
    assert tree.names == ("x",)
    parts["d"] = 1  # the caller's own
    names.append("y")
    assert list(tree.parts) == ["a", "c"]
    assert tree.names == ("x",)
    assert plain(tree.parts) == {"a": {"b": [0.0, 0.0]}, "c": [1, [2]]}
    assert json.dumps(Tree(values=np.ones(1), name="t", parts={"a": {"b": 1}}).parts) == '{"a": {"b": 1}}'


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])  # noqa: S301
def test_a_copy_of_a_result_is_as_frozen(again: Any) -> None:
    tree = again(Tree(values=np.array([0.5]), name="t", parts={"a": {"b": np.zeros(1)}}, names=["x"]))
    assert (tree.name, tree.names, tree.values.tolist()) == ("t", ("x",), [0.5])
    assert plain(tree.parts) == {"a": {"b": [0.0]}}
    with pytest.raises(TypeError, match="cannot be changed"):
        tree.parts["a"]["b"] = 1
    for array in (tree.values, tree.parts["a"]["b"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])  # noqa: S301
def test_estimates_print_as_a_table_of_one_line_each(again: Any) -> None:
    one = Interval(estimate=0.75, low=0.5, high=0.9, level=0.9, method="any")
    parts = EstimateTable({name: {"auc": one, "f1": SimpleNamespace(interval=one)} for name in ("lr", "forest")})
    shown = again(Tree(values=np.zeros(1), name="t", parts=parts)).parts
    assert shown == parts
    header, *lines = [line.split() for line in repr(shown).splitlines()]
    assert header == ["model", "measure", "estimate", "low", "high"]
    assert [line[:2] for line in lines] == [["lr", "auc"], ["lr", "f1"], ["forest", "auc"], ["forest", "f1"]]
    assert {float(figure) for line in lines for figure in line[2:]} == {0.75, 0.5, 0.9}


def test_a_result_shows_its_summary_in_one_line() -> None:
    assert repr(Scores(values=np.zeros(10_000), name="nb")) == "<Scores: nb < 1 and no more>"
    assert repr(Tree(values=np.zeros(1), name="t", parts={})) == "<Tree: t < 1 and no more>"
    long = repr(Scores(values=np.zeros(1), name="many words " * 50))
    assert long == "<Scores: " + "many words " * 9 + "…>"


def test_a_result_needs_all_four_faces() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Result()  # type: ignore[abstract]


def test_the_page_escapes_words_and_shows_the_table() -> None:
    page = Scores(values=np.array([1 / 3, math.nan]), name="<b>nb</b>")._repr_html_()
    assert page.startswith("<div class='shiftproof-result'><p>&lt;b&gt;nb&lt;/b&gt; &lt; 1<br>and no more</p><table")
    assert "0.3333" in page
    assert "<b>nb</b>" not in page
    assert "NaN" not in page


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (2**70, 2**70),
        ("text", "text"),
        (1.5, 1.5),
        (math.inf, None),
        (np.float32(0.5), 0.5),
        (np.float64("nan"), None),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.datetime64("2024-05-01"), "2024-05-01"),
        (np.datetime64("NaT"), None),
        (np.array([[1.0, np.nan], [np.inf, 2.0]]), [[1.0, None], [None, 2.0]]),
        (np.array([None, "a", 2], dtype=object), [None, "a", 2]),
        ({1: {"a": (1, 2)}}, {"1": {"a": [1, 2]}}),
        (frozenset({1}), [1]),
        (date(2024, 5, 1), "2024-05-01"),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), "2024-05-01T12:00:00+00:00"),
        (pd.Timestamp("2024-05-01"), "2024-05-01T00:00:00"),
        (pd.NaT, None),
        (pd.NA, None),
        (
            Interval(estimate=0.5, low=math.nan, high=1, level=0.9, method="m"),
            {"estimate": 0.5, "low": None, "high": 1, "level": 0.9, "method": "m"},
        ),
        (Colour.RED, "Colour.RED"),
        (Level.HIGH, "3"),
        (Decimal("1.5"), "1.5"),
        (Interval, "<class 'shiftproof.core._interval.Interval'>"),
    ],
)
def test_plain_values_are_json(value: Any, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, str)
    assert json.loads(json.dumps(found, allow_nan=False)) == expected
