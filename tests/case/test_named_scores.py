"""Labels and scores that are columns: the same answers from every place, to the last digits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from tests.case.scored_files import N, rows, write_files

import shiftproof as sp
from shiftproof import InputError
from shiftproof.case import Case, names_scores
from shiftproof.case._named_scores import read_scored
from shiftproof.core import _remote


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_files(tmp_path_factory.mktemp("scored"))


FORMS: dict[str, Callable[[Path], Any]] = {
    "pandas": pd.read_parquet,
    "polars": pl.scan_parquet,
    "duckdb": lambda file: duckdb.read_parquet(str(file)),
    "dataset": ds.dataset,
}


SENTENCES: dict[str, tuple[dict[str, Any], str]] = {
    "time": (
        {"time": "a"},
        "time must be left out with columns of scores, got some; pass a table in memory, and a Panel",
    ),
    "y": ({"y": "z"}, "y must name a column of X, got 'z'; available: 'a', 'b', 'job', 'y', 'p'."),
    "y of rows": ({"y": ["yes", "no"]}, "y must name a column of X, which is not in memory; add the labels to it."),
    "models": ({"models": {"m": "q"}}, "models must name columns of X with scores, got 'q'; available:"),
    "cv": ({"cv": 3}, "cv must be left out with a Panel, got 3; give it to cross_fit, which makes the panel."),
    "X": ({"X": None}, "X must be a table with the columns of scores; pass the rows that have the scores."),
    "X_new": ({"X_new": None}, "X_new must be given with columns of scores; pass the new rows with their scores."),
    "exclude": ({"exclude": ["c"]}, "exclude must name columns of the tables, got 'c'; available:"),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_what_cannot_be_done_is_one_sentence(case: str, files: tuple[Path, Path]) -> None:
    given, sentence = SENTENCES[case]
    old, new = map(pl.scan_parquet, files)
    arguments: dict[str, Any] = {"models": {"m": "p"}, "X": old, "y": "y", "X_new": new} | given
    with pytest.raises(InputError) as caught:
        sp.audit(arguments.pop("models"), **arguments, quick=True)
    assert str(caught.value).startswith(sentence)


def test_periods_of_a_table_elsewhere_are_refused(files: tuple[Path, Path]) -> None:
    old, new = map(pl.scan_parquet, files)
    with pytest.raises(InputError) as caught:
        sp.quantify({"m": "p"}, old, "y", new, by="job")
    assert str(caught.value) == (
        "by must be left out for a table that is not in memory, got 'job'; read the new rows into memory."
    )


def test_models_are_not_fitted_to_a_dataset(files: tuple[Path, Path]) -> None:
    from sklearn.naive_bayes import GaussianNB

    with pytest.raises(InputError) as caught:
        sp.audit(GaussianNB(), ds.dataset(files[0]), ["yes"] * N, ds.dataset(files[1]))
    assert str(caught.value) == "X must be a table in memory, got a FileSystemDataset object; read it with to_table()."


def test_columns_of_scores_are_told_from_models() -> None:
    assert names_scores({"m": "p"})
    assert not any(map(names_scores, ({}, {"m": object()}, "p", ["p"], None)))


def test_columns_are_hidden_from_features(files: tuple[Path, Path]) -> None:
    old, new = map(pd.read_parquet, files)
    case = Case.of({"m": "p"}, old, "y", new, purpose="a test")
    assert case.tables.old.names == case.tables.current.names == ("a", "b", "job")
    assert (case.sampled, case.tables.whole) == (None, None)


def test_labels_by_row_number_need_a_table_in_memory(files: tuple[Path, Path]) -> None:
    old, new = map(pl.scan_parquet, files)
    case = Case.of({"m": "p"}, old, "y", new, purpose="a test")
    with pytest.raises(InputError) as caught:
        case.require_memory("labels", {0: "yes"})
    assert str(caught.value) == (
        "labels must be left out for tables that are not in memory, got some; read both tables into memory."
    )
    case.require_memory("labels", None)


@pytest.mark.parametrize("form", FORMS)
def test_scores_and_labels_are_those_of_the_rows(form: str, files: tuple[Path, Path]) -> None:
    case = Case.of({"m": "p"}, FORMS[form](files[0]), "y", FORMS[form](files[1]), purpose="a test")
    np.testing.assert_array_equal(case.panel.out_of_fold["m"][:, 1], rows(0)["p"])
    np.testing.assert_array_equal(case.panel.new_scores["m"][:, 1], rows(1)["p"])
    assert case.panel.classes_[case.panel.y].tolist() == rows(0)["y"].tolist()
    assert (case.sampled, case.tables.whole is None) == (None, form == "pandas")


@pytest.mark.parametrize("form", ["polars", "duckdb", "dataset"])
def test_weights_of_a_sample_belong_to_its_rows(
    form: str, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_remote, "SAMPLE", 300)
    case = Case.of({"m": "p"}, FORMS[form](files[0]), "y", FORMS[form](files[1]), purpose="a test")
    assert case.sampled is not None
    drawn = case.tables.whole[0].drawn() if case.tables.whole else None
    assert drawn is not None
    np.testing.assert_array_equal(case.panel.out_of_fold["m"][case.sampled[0], 1], drawn.column("p").floats())
    weights = case.candidates.weights
    assert (len(weights), int(np.count_nonzero(weights))) == (N, 300)
    assert weights.sum() == pytest.approx(1.0)
    # The new rows have larger values of the first feature, and so have the rows that stand for them.
    assert weights[case.sampled[0]] @ drawn.column("a").floats() > drawn.column("a").floats().mean() + 0.2
    assert (case.candidates.n, case.candidates.m, case.candidates.reference) == (N, N, None)


def test_estimates_use_a_million_rows_of_longer_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.case._named_scores.SCORED", 25_000)
    rng = np.random.default_rng(0)
    p = rng.random(30_000)
    table = pa.table({"x": p, "p": p, "y": rng.random(30_000) < p})
    pq.write_table(table, tmp_path / "rows.parquet")
    source = ds.dataset(tmp_path / "rows.parquet")
    read = read_scored({"model": "p"}, source, "y", source, pos_label=None, names=("X", "y", "X_new"))
    assert len(read.panel.y) == 25_000
    assert read.sampled is not None
    assert len(np.unique(read.panel.out_of_fold["model"][:, 1])) == 25_000
    # The first rows are those of the sample.
    drawn = read.tables[0]
    assert drawn is not None
    np.testing.assert_array_equal(drawn.column("p").floats(), read.panel.out_of_fold["model"][read.sampled[0], 1])
