"""Features, labels and scores of the tables that a command reads."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from shiftproof.cli._cut import Cut
from shiftproof.cli._job import Job
from shiftproof.cli._tables import FileTables, TwoFiles, _lacking
from shiftproof.core import InputError


@pytest.fixture(autouse=True)
def _rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    days = ["2010-03-01", "2009-12-31", "2010-01-01", "2008-05-01"]
    columns = {"t": days, "n": [3, 1, 2, 0], "word": list("abcd"), "x": [0.3, 0.1, 0.2, 0.0], "y": list("pqpq")}
    pd.DataFrame(columns).to_csv("rows.csv", index=False)


def test_read_two_tables_separates_features_labels_and_scores() -> None:
    files = TwoFiles(labelled=Path("rows.csv"), target="y", positive="q")
    tables = files.read(Job(), Cut(time="t", split="2010", exclude=["word"]), ["x"])
    assert isinstance(tables, FileTables)
    assert tables.X is not None
    assert list(tables.X.columns) == ["n"]
    assert (tables.y.tolist(), tables.pos_label) == (["q", "q"], "q")
    assert tables.y_new is not None
    assert tables.y_new.tolist() == ["p", "p"]
    assert tables.scores == ["x"]
    alone = files.read(Job(), Cut(time="t", split="2010", exclude=["word", "n"]), ["x"])
    assert (alone.X, alone.X_new) == (None, None)


def test_target_that_identifies_rows_is_refused_before_columns_are_missed() -> None:
    pd.DataFrame({"number": range(30), "churned": ["no", "yes"] * 15}).to_csv("many.csv", index=False)
    pd.DataFrame({"number": range(30)}).to_csv("newer.csv", index=False)
    with pytest.raises(InputError) as error:
        TwoFiles(labelled=Path("many.csv"), new=Path("newer.csv"), target="number").read(Job(), Cut(), None)
    assert str(error.value) == (
        "--target must contain class labels, got 30 different values in 30 rows; group the values into classes first, "
        "or use another column."
    )


def test_column_of_the_user_s_key_is_not_a_feature() -> None:
    rows = pd.DataFrame({"key": range(4), "x": range(4), "y": ["a", "b"] * 2})
    rows.to_csv("keyed.csv", index=False)
    tables = TwoFiles(labelled=Path("keyed.csv"), new=Path("keyed.csv"), target="y").read(Job(), Cut(), None, key="key")
    assert isinstance(tables, FileTables)
    assert tables.X is not None
    assert tables.X_new is not None
    assert [*tables.X] == [*tables.X_new] == ["x"]
    assert [*tables.pair.new] == ["key", "x", "y"]
    with pytest.raises(InputError, match=r"^--id must name a column; got 'kye'\. Did you mean 'key'\?$"):
        TwoFiles(labelled=Path("keyed.csv"), new=Path("keyed.csv"), target="y").read(Job(), Cut(), None, key="kye")


def test_read_tables_without_features_is_refused() -> None:
    files = TwoFiles(labelled=Path("rows.csv"), target="y")
    with pytest.raises(InputError) as error:
        files.read(Job(), Cut(time="t", split="2010", exclude=["word", "n", "x"]), None)
    assert str(error.value) == (
        "LABELLED must have columns other than the label, got none; add features, or give --score-column."
    )


def test_lacking_columns_are_named_with_the_one_that_is_probably_meant() -> None:
    assert _lacking(["age", "balance"], ["Balance", "z"]) == (
        "NEW has no columns 'age' or 'balance', which LABELLED has; it has 'Balance': rename it to 'balance'"
    )
    assert _lacking(["age"], ["z"]) == (
        "NEW has no column 'age', which LABELLED has; add it, or pass --exclude age if the models do not need it"
    )
