"""Tables of a case: hidden columns, kinds, records, and why features cannot be compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from shiftproof import InputError, ShiftproofWarning
from shiftproof.case._tables import Tables, check_excluded, column_of, hide, is_table
from shiftproof.core import Table

OLD = pd.DataFrame({"a": [1.0, 2.0, 3.0], "job": ["x", "y", "x"], "id": ["p1", "p2", "p3"]})
NEW = pd.DataFrame({"a": [2.0, 9.0], "job": ["y", "z"], "id": ["p4", "p5"]})


def test_hidden_columns_are_seen_by_nobody() -> None:
    tables = Tables(labelled=OLD, new=NEW, hidden=frozenset(["id"]), kinds_given={"id": "identifier"})
    assert list(tables.kinds) == ["a", "job"]
    assert isinstance(tables.X, pd.DataFrame)
    assert list(tables.X.columns) == list(tables.old.names) == ["a", "job"]
    assert list(tables.records) == ["a", "job"]


def test_columns_that_no_test_can_use_are_not_tested() -> None:
    tables = Tables(labelled=OLD, new=NEW, kinds_given={"id": "identifier"})
    assert tables.kinds["id"] == "identifier"
    assert list(tables.tested) == ["a", "job"]


@pytest.mark.parametrize(
    ("labelled", "new", "why"),
    [
        (None, None, "only scores were given, no features to compare"),
        (OLD, None, "only scores of the new data were given, no features to compare"),
        (["some text", "more"], ["text"], "texts and sparse matrices are not compared feature by feature"),
        (sparse.csr_matrix((2, 2)), sparse.csr_matrix((1, 2)), "texts and sparse matrices are not compared feature"),
        (OLD, NEW, ""),
    ],
)
def test_not_compared_names_the_reason(labelled: object, new: object, why: str) -> None:
    found = Tables(labelled=labelled, new=new).not_compared
    assert found.startswith(why)
    assert bool(found) == bool(why)


def test_excluded_columns_must_exist() -> None:
    assert check_excluded(["id"], (OLD, None)) == {"id"}
    assert check_excluded(None, (OLD, NEW)) == frozenset()
    with pytest.raises(InputError, match=r"^exclude must be a list of column names, got 'id'; write exclude=\['id'\]"):
        check_excluded("id", (OLD,))
    with pytest.raises(InputError, match=r"^exclude must name columns of the tables; got 'jobs'\. Did you mean 'job'"):
        check_excluded(["jobs"], (OLD,))


def test_column_of_resolves_a_name_and_passes_values_on() -> None:
    values, hidden = column_of(OLD, "job", "groups")
    assert values == ["x", "y", "x"]
    assert hidden == {"job"}
    given = np.arange(3)
    assert column_of(OLD, given, "groups") == (given, frozenset())
    with pytest.raises(InputError, match=r"^groups must name a column of X, or have one entry per row, got 'shop'"):
        column_of(OLD, "shop", "groups")


def test_hide_keeps_the_library_of_the_table() -> None:
    kept = hide({"a": [1], "b": [2]}, frozenset(["b"]))
    assert kept == {"a": [1]}
    assert hide(None, frozenset(["b"])) is None
    assert hide(OLD, frozenset()) is OLD
    assert is_table(OLD)
    assert not is_table(None)


def test_columns_left_out_are_explained_without_an_argument_that_the_verb_lacks() -> None:
    table = {"code": [f"k{number}" for number in range(40)], "x": [0.5, 1.5] * 20}
    with pytest.warns(ShiftproofWarning) as caught:
        _ = Tables(labelled=table, new=table).kinds
    assert str(caught[0].message) == (
        "left out of tests: 'code' (identifier); drop such columns from the tables unless models should use them."
    )


def test_columns_left_out_of_tests_are_still_features_of_models() -> None:
    table = {"code": [f"k{number}" for number in range(40)], "x": [0.5, 1.5] * 20}
    still = "left out of tests: 'code' (identifier); models still get it. To hide it from models too: "
    with pytest.warns(ShiftproofWarning) as caught:
        _ = Tables(labelled=table, new=table, modelled=True).kinds
    first = caught[0].message
    with pytest.warns(ShiftproofWarning) as caught:
        _ = Tables(labelled=table, new=table, modelled=True, kinds_given={}).kinds
    second = caught[0].message
    assert str(first) == f"{still}drop it from both tables."
    # The command has the option that its verb lacks.
    assert isinstance(first, ShiftproofWarning)
    assert first.phrase.written(lambda argument: argument.name) == f"{still}exclude."
    assert str(second) == f"{still}exclude=['code']; or pass kinds={{'code': 'nominal'}} to test it anyway."


def test_columns_with_infinite_values_in_either_table_are_named() -> None:
    old = {"a": [1.0, np.inf], "b": [1, 2], "c": ["inf", "x"], "d": [0.0, np.nan]}
    tables = Tables(labelled=old, new={"a": [0.0], "b": [-np.inf], "c": ["y"], "d": [0.5]})
    assert tables.infinite == ("a", "b")
    assert Tables(labelled=["a text", "another"]).infinite == ()


def test_fewer_columns_of_longer_tables_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    threads = {}
    for rows in (0, 1_000, 5_000_000, 10_000_000, 10**9):
        whole = Table(("a",), rows, None), Table(("a",), 10, None)
        threads[rows] = Tables(whole=whole)._threads
        assert Tables(whole=whole, n_jobs=3)._threads == 3
    assert threads == {0: 8, 1_000: 8, 5_000_000: 2, 10_000_000: 1, 10**9: 1}
