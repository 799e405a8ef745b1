"""What `detect` accepts, and how it refuses the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.detection.cases import NEW, OLD, Y, error_of, scores

import shiftproof as sp
from shiftproof.core import as_table
from shiftproof.detection._inputs import Inputs, Sources, excluded_names, load_table


def test_inputs_refuse_a_panel_of_other_rows() -> None:
    panel = sp.cross_fit(GaussianNB(), OLD, Y, cv=3)
    assert "reference lacks 'c', which the panel was made with" in error_of(
        lambda: sp.detect(OLD[["a", "b"]], NEW, panel=panel)
    )
    assert "reference must be the table that the panel was made from" in error_of(
        lambda: sp.detect(NEW, NEW, panel=panel)
    )
    words = error_of(lambda: sp.detect(OLD, NEW, panel=panel, reference_labels=1 - Y))
    assert words.startswith("reference_labels must match the panel's labels, got other labels in 300 of 300 rows;")
    assert "reference_scores must be left out with a panel" in error_of(
        lambda: sp.detect(OLD, NEW, scores(OLD), scores(NEW), panel=panel)
    )


@pytest.mark.parametrize("labels", [pd.DataFrame({"y": Y}), np.ones(300), [None] * 300, ["a"] * 299 + [None]])
def test_inputs_refuse_labels_that_say_nothing_by_name(labels: Any) -> None:
    assert error_of(lambda: sp.detect(OLD, NEW, reference_labels=labels)).startswith("reference_labels must")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"panel": {"lr": 1}}, "panel must be a Panel, got {'lr': 1}; make one with cross_fit"),
        ({"reference_labels": Y[:-1]}, "reference_labels must have one label per reference row, got 299 for 300"),
        ({"reference_labels": "y"}, "reference_labels must name a column of the reference, got 'y'"),
        ({"reference_labels": np.ones(300)}, "reference_labels must"),
    ],
)
def test_inputs_refuse_in_one_sentence(options: dict[str, Any], words: str) -> None:
    assert words in error_of(lambda: sp.detect(OLD, NEW, **options))


def inputs_of(sources: Sources) -> Inputs:
    return Inputs.of(sources, random_state=0, n_jobs=1)


def test_inputs_name_why_each_column_is_not_tested() -> None:
    old = OLD.assign(label=Y, p=0.5, gone=1.0, day="2024-01-01")
    new = NEW.assign(p=0.5, fresh=1.0, day="2024-01-01")
    inputs = inputs_of(
        Sources(
            reference=old,
            current=new,
            reference_scores="p",
            current_scores="p",
            labels="label",
            exclude=["day"],
            kinds={"gone": "continuous"},
        )
    )
    assert inputs.left_out == {"day": "excluded", "p": "score", "label": "label", "fresh": "absent from the reference"}
    assert inputs.absent == {"gone": "continuous"}
    assert list(inputs.kinds) == ["a", "b", "c"]
    assert [pair.model for pair in inputs.pairs] == ["score"]


@pytest.mark.parametrize(
    ("sources", "sentence"),
    [
        (
            Sources(reference={"x": [1.0]}, current={"y": [1.0]}),
            "reference and current must share at least one column, got 'x' against 'y'; check the headers of both.",
        ),
        (
            Sources(reference={"x": [1.0]}, current={"day": [1.0]}, exclude=["day"]),
            "no column is left to compare, because 'day' is left out.",
        ),
        (
            Sources(reference={"x": [1.0]}, current={"x": [1.0]}, exclude=["x"]),
            "no column is left to compare, because 'x' is left out; pass fewer columns to exclude.",
        ),
        (
            Sources(reference={"x": [1.0]}, current={"x": []}),
            "current must hold at least one row, got 0; check the filter or the file it came from.",
        ),
        (
            Sources(reference={"income": [1.0]}, current={"income": [1.0]}, exclude=["incme"]),
            "exclude must name columns of the tables; got 'incme'. Did you mean 'income'?",
        ),
    ],
)
def test_inputs_refuse_tables_with_nothing_to_compare(sources: Sources, sentence: str) -> None:
    assert error_of(lambda: inputs_of(sources)) == sentence


def test_excluded_names_are_texts_and_refuse_a_single_text() -> None:
    assert excluded_names(None) == []
    assert excluded_names([1, "x"]) == ["1", "x"]
    assert error_of(lambda: excluded_names("x")) == (
        "exclude must be a list of column names, got 'x'; write exclude=['x']."
    )


def test_load_table_reads_a_path_and_keeps_a_table(tmp_path: Path) -> None:
    NEW.to_csv(tmp_path / "new.csv", index=False)
    assert load_table(NEW) is NEW
    assert as_table(load_table(str(tmp_path / "new.csv"))).n_rows == len(NEW)
