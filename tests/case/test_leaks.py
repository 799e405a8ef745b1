"""New rows that are labelled ones, and columns that give the label away, in tables of every library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from shiftproof.case import Case, Tables
from shiftproof.case._leaks import (
    copied_share,
    label_revealing_columns,
    nearly_revealing_columns,
    repeats_as_often,
    same_scores,
)
from shiftproof.case._words import note_text
from shiftproof.core import as_table
from shiftproof.panel import Panel

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(60, 2))
FRESH = RNG.normal(size=(40, 2))
CODES = np.arange(60) % 2


def frame(values: Any) -> pd.DataFrame:
    """Give a table with numbers, whole numbers, text and gaps."""
    table = pd.DataFrame(values, columns=["a", "b"])
    table["whole"] = np.arange(len(table))
    table["text"] = ["up" if up else None for up in table["a"] > 0]
    return table


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, lambda table: table.to_dict("list")])
def test_copied_share_counts_rows_in_any_library_order_and_type(library: Callable[[pd.DataFrame], Any]) -> None:
    labelled = frame(NUMBERS)
    new = pd.concat([labelled.iloc[10:18], frame(FRESH)])[["text", "whole", "b", "a"]]
    # Whole numbers become floats where a cell is missing.
    new["whole"] = new["whole"].astype(float)
    assert copied_share(Tables(labelled=labelled, new=library(new))) == pytest.approx(8 / 48)


def test_copied_share_is_zero_of_a_few_rows_which_may_agree_by_chance() -> None:
    new = np.concatenate([NUMBERS[:7], FRESH])
    assert copied_share(Tables(labelled=NUMBERS, new=new)) == 0.0


@pytest.mark.parametrize("same", [NUMBERS, sparse.csr_matrix(NUMBERS), ["one text", "another"]])
def test_copied_share_of_the_same_object_is_one(same: Any) -> None:
    assert copied_share(Tables(labelled=same, new=same)) == 1.0


def test_copied_share_of_an_equal_table_is_one_even_if_rows_repeat() -> None:
    few = np.tile([[0.0], [1.0]], (30, 1))
    assert copied_share(Tables(labelled=few, new=few.copy())) == 1.0


@pytest.mark.parametrize(
    ("labelled", "new"),
    [
        (NUMBERS, FRESH),
        # Eight combinations of values: rows agree by chance.
        (RNG.integers(0, 2, size=(60, 3)), RNG.integers(0, 2, size=(40, 3))),
        (pd.DataFrame({"a": [1.5, 2.5]}), pd.DataFrame({"b": [1.5, 2.5]})),
        (sparse.csr_matrix(NUMBERS), sparse.csr_matrix(NUMBERS)),
        (NUMBERS, None),
        (None, None),
    ],
)
def test_copied_share_is_zero_of_fresh_rows_and_of_equality_by_chance(labelled: Any, new: Any) -> None:
    assert copied_share(Tables(labelled=labelled, new=new)) == 0.0


@pytest.mark.parametrize(
    ("labelled", "new", "share", "expected"),
    [
        # Half of the labelled rows have a copy, and so have half of the new ones, or none of them.
        (np.tile(NUMBERS[:30], (2, 1)), np.vstack([NUMBERS[:20], FRESH[:20]]), 0.5, True),
        (np.tile(NUMBERS[:30], (2, 1)), FRESH, 0.5, False),
        (NUMBERS, FRESH, 0.02, True),
        (NUMBERS, None, 0.5, False),
    ],
)
def test_repeats_as_often_compares_copies_in_new_and_labelled_rows(
    labelled: Any, new: Any, share: float, expected: bool
) -> None:
    assert repeats_as_often(Tables(labelled=labelled, new=new), share) is expected


def test_cautions_leave_out_copies_that_new_rows_have_as_often() -> None:
    scores = {"m": np.linspace(0.1, 0.9, 60)}
    panel = replace(Panel.from_scores(CODES, scores, new={"m": scores["m"][:40]}), n_copied=30)
    repeated, alike = np.tile(NUMBERS[:30], (2, 1)), np.vstack([NUMBERS[:20], FRESH[:20]])
    codes = [
        [note.code for note in Case.of(panel, repeated, CODES, new, purpose="x").cautions] for new in (alike, FRESH)
    ]
    assert codes == [[], ["copied rows"]]


@pytest.mark.parametrize(
    ("cells", "tells"),
    [
        (CODES, True),
        (1.0 - CODES, True),
        (np.where(CODES, "no", "yes"), True),
        # Several values of one class, and cells that are missing in the other.
        (np.where(CODES, "paid", np.where(np.arange(60) < 30, "late", "never")), True),
        (np.where(CODES, NUMBERS[:, 0], np.nan), True),
        (["left" if code else None for code in CODES.tolist()], True),
        # One range of numbers for each class, as in identifiers that were given by class; but for one row; with a gap.
        (np.where(CODES, 900_000, 100_000) + np.arange(60), True),
        (NUMBERS[:, 0] + np.where(CODES, 50, 0), True),
        (np.where(np.arange(60) == 7, 1, np.where(CODES, 900, 100)) + np.arange(60), False),
        (np.where(np.arange(60) == 7, np.nan, np.where(CODES, 900, 100) + np.arange(60)), False),
        # Distinct in every row, constant, and right but for one row.
        (NUMBERS[:, 0], False),
        (np.arange(60), False),
        (np.zeros(60), False),
        (np.where(np.arange(60) == 7, 1 - CODES, CODES), False),
    ],
)
def test_label_revealing_columns_by_values_and_by_gaps(cells: Any, tells: bool) -> None:
    table = as_table(pd.DataFrame({"other": NUMBERS[:, 1], "cells": cells}))
    assert label_revealing_columns(table, table.names, CODES) == (("cells",) if tells else ())
    assert label_revealing_columns(table, ["other"], CODES) == ()


def test_cautions_name_features_of_the_models_only() -> None:
    scores = {"m": np.linspace(0.1, 0.9, 60)}
    X = pd.DataFrame({"a": NUMBERS[:, 0], "copy": CODES})
    case = Case.of(Panel.from_scores(CODES, scores, new=scores), X, CODES, X, purpose="testing")
    # Scores alone do not say which columns a model has seen.
    assert [(note.code, note.detail) for note in case.cautions] == [("new rows copied", "100%")]


@pytest.mark.parametrize(
    ("scores", "same"),
    [
        (np.linspace(0.1, 0.9, 60), True),
        # Decisions alone: 60 of them are not equal by chance, 20 with few positives may be.
        (CODES.astype(float), True),
        ((np.arange(20) == 3).astype(float), False),
        (np.full(60, 0.3), False),
    ],
)
def test_same_scores_unless_they_may_be_equal_by_chance(scores: Any, same: bool) -> None:
    given = {"m": np.column_stack([1 - scores, scores])}
    assert same_scores(given, given) is same
    assert not same_scores(given, {"m": given["m"][1:]})


def test_cautions_name_new_scores_that_are_those_of_the_labelled_rows() -> None:
    scores = {"m": np.linspace(0.1, 0.9, 60)}
    same = Case.of(Panel.from_scores(CODES, scores, new=scores), purpose="testing")
    assert [note.code for note in same.cautions] == ["same scores"]
    assert str(note_text(same.cautions[0])) == (
        "the new rows have exactly the scores of the labelled rows; check that these are the new data"
    )
    other = Case.of(Panel.from_scores(CODES, scores, new={"m": scores["m"] / 2}), purpose="testing")
    assert other.cautions == ()


def test_label_revealing_columns_needs_more_than_a_few_rows_of_a_class_in_a_range() -> None:
    few = (np.arange(60) >= 53).astype(int)
    table = as_table(pd.DataFrame({"a": np.arange(60) / 7}))
    assert label_revealing_columns(table, ["a"], few) == ()
    assert label_revealing_columns(table, ["a"], (np.arange(60) // 20)) == ("a",)


def test_cautions_call_an_identifier_one() -> None:
    scores = {"m": np.linspace(0.1, 0.9, 60)}
    panel = Panel.from_scores(CODES, scores, new={"m": scores["m"][:40]})
    table = pd.DataFrame({"id": np.where(CODES, 900_000, 100_000) + np.arange(60), "a": NUMBERS[:, 0]})
    panel = replace(panel, feature_names=("id", "a"))
    (note,) = Case.of(panel, table, CODES, table[:40] + 0.5, kinds={"id": "continuous"}, purpose="x").cautions
    assert str(note_text(note)) == ("the column 'id' looks like an identifier and determines every label; exclude it")


MANY = np.arange(400) % 2
FLIPPED = np.where(np.arange(400) % 100 == 0, 1 - MANY, MANY)  # right in 99 of 100 rows


@pytest.mark.parametrize(
    ("cells", "area"),
    [
        (FLIPPED, 0.99),
        (-FLIPPED * 1.0, 0.99),
        (np.where(FLIPPED, "yes", "no"), 0.99),
        (np.where(FLIPPED, np.nan, 1.0), 0.99),
        ([None if cell else "2020" for cell in FLIPPED], 0.99),
        # Perfect columns have a note of their own, here they are only 1; noise and half of the labels are nothing.
        (MANY, 1.0),
        (np.where(np.arange(400) % 8 < 2, 1 - MANY, MANY), None),
        (np.arange(400), None),
        ([f"k{row}" for row in range(400)], None),
    ],
)
def test_nearly_revealing_columns_are_right_in_nearly_every_row(cells: Any, area: float | None) -> None:
    table = as_table(pd.DataFrame({"cells": cells, "other": np.cos(np.arange(400))}))
    found = nearly_revealing_columns(table, table.names, MANY)
    assert found == ({} if area is None else {"cells": pytest.approx(area, abs=0.006)})
    assert nearly_revealing_columns(table, ["other"], MANY) == {}
    # Few rows of a class may be apart by chance, and of three classes one may be easy.
    assert nearly_revealing_columns(table, ["cells"], (np.arange(400) < 99).astype(int)) == {}
    assert nearly_revealing_columns(table, ["cells"], np.arange(400) % 3) == {}


def test_nearly_revealing_columns_of_sorted_labels_are_found_in_long_tables() -> None:
    codes = (np.arange(9_000) >= 8_000).astype(int)
    table = as_table({"a": codes + np.random.default_rng(0).normal(scale=0.2, size=9_000)})
    assert [*nearly_revealing_columns(table, ["a"], codes)] == ["a"]
