from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError, as_table
from shiftproof.simulation import FAMILIES, Cell, Grid, mar, mnar, offset, shift_label


def table(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(100, size=n),
            "job": rng.choice(["x", "y", "z"], size=n),
            "same": np.ones(n),
        }
    )


Y = np.repeat(["no", "yes"], 30)


def test_the_papers_grid_has_all_its_cells() -> None:
    grid = Grid(np.random.default_rng(0).normal(size=(2000, 5)), np.repeat([0, 1], 1000))
    count = {family: sum(cell.family == family for cell in grid.cells) for family in FAMILIES}
    assert count == {"base": 1, "mcar": 10, "mar": 10, "mnar": 10, "offset": 20, "prior": 9, "soft": 0}
    assert len(grid) == 60
    assert grid.skipped == ()
    assert repr(grid) == "Grid(60 shifted tables of 2,000 rows)"


def test_the_tables_are_those_of_the_functions() -> None:
    X = table()
    for shifted in Grid(X, Y, families=("base", "mar", "mnar", "offset")):
        if shifted.family == "base":
            expected, rows, changed = X, np.arange(60), None
        elif shifted.family == "mar":
            (expected, rows), changed = mar(X, shifted.feature, shifted.strength), None
        elif shifted.family == "mnar":
            (expected, rows), changed = mnar(X, shifted.feature, shifted.strength), shifted.feature
        else:
            (expected, rows), changed = offset(X, shifted.feature, shifted.strength), shifted.feature
        np.testing.assert_array_equal(shifted.rows, rows)
        pd.testing.assert_frame_equal(shifted.table, expected)
        assert shifted.changed == changed


def test_random_drops_and_priors_have_their_sizes() -> None:
    for shifted in Grid(table(), Y, families=("mcar", "prior", "soft")):
        assert len(shifted.table) == len(shifted.rows)
        if shifted.family == "mcar":
            assert len(shifted.rows) == 60 - round(60 * shifted.strength)
        elif shifted.family == "prior":
            achieved = (Y[shifted.rows] == "yes").mean()
            assert abs(achieved - shifted.strength) < 0.5 / 30 + 1e-9


def test_random_drops_are_repeated_as_often_as_there_are_features() -> None:
    drawn = list(Grid(table(), families=["mcar"], shares=[0.5]))
    assert [shifted.repeat for shifted in drawn] == [0, 1, 2, 3]
    assert len({tuple(shifted.rows) for shifted in drawn}) == 4
    assert {shifted.feature for shifted in drawn} == {None}


def test_a_table_depends_on_its_own_place_only() -> None:
    everything = {
        cell: Grid(table(), Y, families=FAMILIES).make(cell) for cell in Grid(table(), Y, families=FAMILIES).cells
    }
    for families in (("prior",), ("soft", "mcar")):
        part = Grid(table(), Y, families=families, features=["job", "a"], prevalences=[0.3, 0.1], shares=[0.5])
        for cell, shifted in zip(part.cells, part, strict=True):
            np.testing.assert_array_equal(shifted.rows, everything[cell].rows)
    first, again = Grid(table(), Y, random_state=1), Grid(table(), Y, random_state=1)
    other = Grid(table(), Y, random_state=2)
    rows, same, differ = ([tuple(s.rows) for s in grid if s.family == "mcar"] for grid in (first, again, other))
    assert rows == same != differ


def test_what_cannot_be_made_is_named_with_its_reason() -> None:
    grid = Grid(table(), families=FAMILIES, shares=[0.5], strengths=[1], prevalences=[0.2])
    assert [str(each) for each in grid.skipped] == [
        "MAR 50 by 'same': all its values are the same",
        "MNAR 50 by 'same': all its values are the same",
        "offset 1 sd by 'job': only numbers and dates can be offset",
        "offset 1 sd by 'same': all its values are the same",
        "P(+) 0.20: no labels were given",
        "soft selection by 'same': all its values are the same",
    ]
    assert repr(grid).endswith(", 6 skipped)")
    rare = Grid(table(), ["no"] * 59 + ["yes"], families=["prior"], prevalences=[0.001, 0.5])
    assert [str(each) for each in rare.skipped] == ["P(+) 0.001: not possible with 1 positive of 60 rows"]
    several = Grid(table(), ["a", "b", "c"] * 20, families=["prior"], prevalences=[0.5])
    assert [each.reason for each in several.skipped] == ["with 3 classes, the positive class must be named"]
    assert len(Grid(table(), ["a", "b", "c"] * 20, families=["prior"], prevalences=[0.5], pos_label="b")) == 1
    odd = Grid({"a": [[1], [2, 3]], "b": [np.inf, 1.0]}, families=["mar", "offset"], shares=[0.5], strengths=[1])
    assert [each.reason for each in odd.skipped] == [
        "its cells are not single values",
        "its cells are not single values",
        "all its finite values are the same",
    ]


def test_tables_of_any_type_can_be_iterated_and_are_not_changed() -> None:
    frame = table(20)
    for X in (frame, frame.to_dict("list"), frame.to_dict("records"), frame[["a", "b"]].to_numpy()):
        before = {name: as_table(X).column(name).cells() for name in as_table(X).names}
        for shifted in Grid(X, Y[20:40], families=FAMILIES):
            assert type(shifted.table) is type(X)
            assert as_table(shifted.table).n_rows == len(shifted.rows)
            assert shifted.table is shifted.table
        assert {name: as_table(X).column(name).cells() for name in as_table(X).names} == before


def test_shifted_tables_are_frozen_and_labelled() -> None:
    shifted = next(iter(Grid(table(), families=["mar"])))
    assert shifted.label == "MAR 25"
    with pytest.raises(FrozenInstanceError):
        shifted.family = "mnar"  # type: ignore[misc]
    assert Cell("mar", 0.25, "a").label == "MAR 25"
    labels = [shift_label("prior", 0.02), shift_label("prior", 0.125), shift_label("offset", 0.25)]
    assert labels == ["P(+) 0.02", "P(+) 0.125", "offset 0.25 sd"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"families": "mar"}, "families must be a list of names, got 'mar'; write families=['mar']."),
        ({"families": None}, "families must be a list of names, got None; write families=[None]."),
        ({"features": 3}, "features must be a list of columns, got 3; write features=[3]."),
        ({"shares": None}, "shares must be a list of numbers, got None; leave it out to use those of the papers."),
        ({"strengths": "1"}, "strengths must be a list of numbers, got '1'; leave it out to use those of the papers."),
        ({"families": []}, "families must name at least one kind of shift, got []; available: "),
        ({"families": ["mra"]}, "families must be one of "),
        ({"features": "a"}, "features must be a list of columns, got 'a'; write features=['a']."),
        ({"features": ["c"]}, "feature must be a column of X, got 'c'; available: "),
        ({"shares": [1.0]}, "shares must hold numbers strictly between 0 and 1, got 1.0; 0.25 means 25%."),
        ({"shares": 0}, "shares must hold numbers strictly between 0 and 1, got 0; 0.25 means 25%."),
        ({"prevalences": [0]}, "prevalences must hold numbers strictly between 0 and 1, got 0; 0.25 means 25%."),
        ({"strengths": [0]}, "strengths must hold finite numbers above 0, got 0; 1 means one standard "),
        ({"strengths": [float("inf")]}, "strengths must hold finite numbers above 0, got inf; 1 means one "),
        ({"pos_label": "maybe"}, "pos_label must be one of 'no' and 'yes', got 'maybe'; labels must match exactly"),
        ({"random_state": -1}, "random_state must be None, a whole number of at least 0, or a NumPy generator"),
    ],
)
def test_bad_input_gets_one_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Grid(table(), Y, **options)
    assert str(caught.value).startswith(message)
