"""Labels of some new rows: files that --plan writes and --labels reads."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli._cut import Pair
from shiftproof.cli._job import Job
from shiftproof.cli._labels import Labelling
from shiftproof.cli._tables import FileTables
from shiftproof.core import InputError


def tables(new: pd.DataFrame | None = None, target: str = "bought", labels: Any = ("no", "yes")) -> FileTables:
    """Return four new rows, in the file new.csv, of two labelled ones."""
    new = pd.DataFrame({"x": range(4)}) if new is None else new
    old = pd.DataFrame({"x": [1, 2], target: labels})
    pair = Pair(old=old, new=new, file=Path("new.csv"))
    y_new = new.get(target)
    return FileTables(X=old[["x"]], y=old[target], X_new=new, y_new=y_new, pos_label=None, scores=(), pair=pair)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"x": range(4)}).to_csv("new.csv", index=False)


def read(text: str, of: FileTables | None = None) -> Any:
    Path("rows.csv").write_text(text)
    return Labelling(labels=Path("rows.csv")).read(Job(), of or tables(), None)


@pytest.mark.parametrize(
    "text",
    [
        "row,line,stratum,bought\n2,4,0,yes\n0,2,1,no\n1,3,1,\n",
        "row,bought\n2.0,yes\n0.0,no\n",
        "bought,note\nno,a\n,b\nyes,c\n,d\n",
    ],
    ids=["a plan", "rows and labels", "one row per new row"],
)
def test_labels_are_read_by_row(text: str) -> None:
    assert read(text) == {0: "no", 2: "yes"}


def test_half_filled_plan_and_few_labels_are_noted_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert read("row,line,stratum,bought\n2,4,0,yes\n0,2,1,\n1,3,1,\n") == {2: "yes"}
    assert " ".join(capsys.readouterr().err.split()) == (
        "note: rows.csv has labels for 1 of 3 rows; the other rows are ignored. "
        "note: rows.csv has 1 label, which is too few to use; provide at least 10."
    )


def test_labels_of_every_new_row_are_not_called_few(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(read("bought\nno\nyes\nno\nyes\n")) == 4
    assert capsys.readouterr().err == ""


CUSTOMERS = pd.DataFrame({"x": range(4), "customer": ["a7", "b2", "c9", "d4"]})


def test_plan_has_the_column_id_and_labels_are_found_by_it() -> None:
    labelling, drawn = Labelling(plan=Path("plan.csv"), id="customer"), SimpleNamespace(rows=np.array([3, 0]))
    labelling.write(Job(), drawn, np.zeros(4), {1: "yes"}, tables(CUSTOMERS))  # type: ignore[arg-type]
    written = "customer,row,line,stratum,bought\nb2,1,3,0,yes\nd4,3,5,0,\na7,0,2,0,\n"
    assert Path("plan.csv").read_text() == written
    # Row numbers of an earlier file do not count.
    Path("rows.csv").write_text("customer,row,bought\nc9,0,yes\na7,1,no\n")
    assert Labelling(labels=Path("rows.csv"), id="customer").read(Job(), tables(CUSTOMERS), None) == {2: "yes", 0: "no"}


def test_ids_match_whatever_their_type() -> None:
    new = CUSTOMERS.assign(customer=[20240131, 20240132, 20240133, 20240134])
    Path("rows.csv").write_text("customer,bought\n20240133,yes\n,\n")
    assert Labelling(labels=Path("rows.csv"), id="customer").read(Job(), tables(new), None) == {2: "yes"}


def test_rows_that_new_lacks_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.csv").write_text("customer,bought\nzz,yes\na7,no\n")
    assert Labelling(labels=Path("rows.csv"), id="customer").read(Job(), tables(CUSTOMERS), None) == {0: "no"}
    assert "note: 1 row of rows.csv is not in NEW and is ignored.\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ids", "text", "sentence"),
    [
        (
            ["a7", "b2", "a7", "d4"],
            "customer,bought\na7,yes\n",
            "--id must name a column with a different value in every row of NEW, got 'customer' with 'a7' in rows 1 "
            "and 3; choose a column such as a customer number.",
        ),
        (
            ["a7", None, "c9", "d4"],
            "customer,bought\na7,yes\n",
            "column 'customer', which --id names, is empty in 1 of 4 rows of NEW; drop these rows first.",
        ),
        (
            CUSTOMERS["customer"],
            "client,bought\na7,yes\n",
            "rows.csv has no column 'customer', which --id names; available: 'client', 'bought'.",
        ),
        (
            CUSTOMERS["customer"],
            "customer,bought\nzz,yes\n",
            "no value of 'customer' in rows.csv occurs in NEW; check that both are the right files.",
        ),
        (
            CUSTOMERS["customer"],
            "customer,bought\na7,yes\na7,no\n",
            "customer a7 occurs more than once in rows.csv; keep one of these rows.",
        ),
    ],
)
def test_ids_that_do_not_identify_rows_are_refused(ids: Any, text: str, sentence: str) -> None:
    Path("rows.csv").write_text(text)
    with pytest.raises(InputError) as error:
        Labelling(labels=Path("rows.csv"), id="customer").read(Job(), tables(CUSTOMERS.assign(customer=ids)), None)
    assert str(error.value) == sentence


@pytest.mark.parametrize("name", ["row", "bought"])
def test_id_is_another_column_than_those_of_a_plan(name: str) -> None:
    with pytest.raises(InputError) as error:
        Labelling(id=name).read(Job(), tables(CUSTOMERS.assign(**{name: range(4)})), None)
    assert str(error.value) == (
        f"--id {name} cannot be used, because --plan writes a column with this name; rename the column in NEW."
    )


def test_plan_rows_are_checked_before_anything_is_computed() -> None:
    with pytest.raises(InputError) as error:
        Labelling(plan_rows=5).read(Job(), tables(), None)
    assert str(error.value) == "--plan-rows must be from 4 to 4 (the number of new rows), got 5; 100 is a good start."
    assert Labelling(plan_rows=4).read(Job(), tables(), None) is None


def test_plan_rows_is_the_size_of_the_plan() -> None:
    performance: Any = SimpleNamespace(all_labelled=False, plan=lambda count, **_: count)
    drawn: Any = Labelling(plan_rows=12).draw(Job(), performance, "lr", seed=0)
    assert drawn == 12
    assert Labelling().draw(Job(), performance, "lr", seed=0) is None


def test_advised_leaves_out_labels_that_hardly_narrow_the_interval() -> None:
    little: Any = SimpleNamespace(width=0.107, expected_width=0.1)
    much: Any = SimpleNamespace(width=0.2, expected_width=0.1)
    no_interval: Any = SimpleNamespace(width=math.nan, expected_width=0.1)
    assert [Labelling().advised(drawn) for drawn in (little, much, no_interval)] == [None, much, no_interval]
    requested = [Labelling(plan=Path("rows.csv")), Labelling(plan_rows=4)]
    assert [labelling.advised(little) for labelling in requested] == [little, little]


def test_labels_of_numbers_match_whatever_their_type() -> None:
    assert read("row,bought\n2,1\n0,\n3,0\n", tables(labels=[0, 1])) == {2: 1, 3: 0}
    assert read("row,bought\n2,1\n3,0\n", tables(labels=["0", "1"])) == {2: "1", 3: "0"}


def test_labels_of_new_itself() -> None:
    new = pd.DataFrame({"x": range(4), "bought": [None, "yes", None, "no"]})
    Path("link.csv").symlink_to("new.csv")
    for name in ("new.csv", "./new.csv", "link.csv"):
        assert Labelling(labels=Path(name)).read(Job(), tables(new), None) == {1: "yes", 3: "no"}


def test_without_labels_nothing_is_read() -> None:
    assert Labelling().read(Job(), tables(), None) is None
    assert not Labelling().is_new(tables())


def test_a_file_without_labels_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.csv").write_text("row,bought\n2,\n3,\n")
    assert Labelling(labels=Path("rows.csv")).read(Job(), tables(), None) is None
    assert capsys.readouterr().err == "note: rows.csv has no labels yet, so --labels changes nothing.\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "row,label\n2,yes\n",
            "rows.csv has no column 'bought', which should hold the labels; available: 'row', 'label'.",
        ),
        (
            "row,Bought\n2,yes\n",
            "rows.csv has no column 'bought', which should hold the labels. Did you mean 'Bought'?",
        ),
        (
            "row,bought\n0,yes\n2,maybe\n",
            "the label 'maybe' in row 2 of rows.csv does not occur in LABELLED; available: 'no', 'yes'.",
        ),
        (
            "row,bought\n0,1\n2,0\n",
            "the label 1 in row 1 of rows.csv does not occur in LABELLED; recode the labels; available: 'no', 'yes'.",
        ),
        (
            "row,bought\n0,YES\n",
            "the label 'YES' in row 1 of rows.csv does not occur in LABELLED. Did you mean 'yes'?",
        ),
        (
            "row,bought\n4,yes\n",
            "--labels must give row numbers from 0 to 3, got 4 in rows.csv; the first row is number 0.",
        ),
        (
            "row,bought\nb,yes\n",
            "--labels must give row numbers from 0 to 3, got 'b' in rows.csv; the first row is number 0.",
        ),
        (
            "row,bought\n0,no\ninf,yes\n",
            "--labels must give row numbers from 0 to 3, got inf in rows.csv; the first row is number 0.",
        ),
        ("row,bought\n2,yes\n2,no\n", "row 2 occurs more than once in rows.csv; keep one of these rows."),
        (
            "bought\nyes\nno\n",
            "rows.csv has 2 rows and NEW has 4, so rows cannot be matched; pass --id COL if a column identifies them, "
            "or add a column 'row' that counts from 0.",
        ),
    ],
)
def test_labels_that_do_not_fit_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value) == sentence


def test_new_without_the_label_column_is_refused() -> None:
    with pytest.raises(InputError) as error:
        Labelling(labels=Path("new.csv")).read(Job(), tables(), None)
    assert str(error.value) == (
        "NEW has no column 'bought', which --labels needs for the labels; add it, and leave it empty where the "
        "label is "
        "unknown."
    )


def test_plan_keeps_the_labels_that_are_known() -> None:
    labelling, strata = Labelling(plan=Path("plan.csv")), np.array([0, 1, 1, 0])
    drawn: Any = SimpleNamespace(rows=np.array([3, 0]))
    labelling.write(Job(), drawn, strata, {1: "yes"}, tables())
    written = "row,line,stratum,bought\n1,3,1,yes\n3,5,0,\n0,2,0,\n"
    assert Path("plan.csv").read_text() == written
    assert read(written) == {1: "yes"}
    assert labelling.how_to(tables()) == (
        "They are listed in plan.csv. Fill in column 'bought', then pass --labels plan.csv instead of --plan."
    )


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (
            None,
            "To list these rows, add --plan rows.csv. Fill in column 'bought' in that file, then add "
            "--labels rows.csv.",
        ),
        (
            "rows.csv",
            "To list these rows, add --plan more-rows.csv. Fill in column 'bought' in that file, then pass --labels "
            "more-rows.csv "
            "instead of rows.csv.",
        ),
    ],
)
def test_how_to_names_a_plan_that_is_not_the_file_of_labels(labels: str | None, words: str) -> None:
    labelling = Labelling(labels=None if labels is None else Path(labels))
    assert labelling.how_to(tables()) == words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"plan": "p.csv"}, "pass --labels p.csv --id 'my id' instead of --plan."),
        (
            {"plan": "p.csv", "labels": "rows.csv"},
            "pass --labels p.csv --id 'my id' instead of --plan and --labels rows.csv.",
        ),
        ({}, "add --labels rows.csv --id 'my id'."),
        ({"labels": "rows.csv"}, "pass --labels more-rows.csv --id 'my id' instead of rows.csv."),
    ],
)
def test_how_to_repeats_the_column_id(options: dict[str, str], words: str) -> None:
    labelling = Labelling(id="my id", **{name: Path(file) for name, file in options.items()})  # type: ignore[arg-type]
    assert labelling.how_to(tables()).endswith(f", then {words}")


@pytest.mark.parametrize(
    "text",
    [
        "customer,row,line,stratum,bought\nc9,2,4,0,yes\na7,0,2,1,\n",
        "customer,x,bought\na7,0,no\nb2,1,\nc9,,yes\n,3.0,\n",
    ],
    ids=["a plan", "one row per new row"],
)
def test_columns_of_new_that_agree_are_accepted_beside_row_numbers(text: str) -> None:
    assert read(text, tables(CUSTOMERS))[2] == "yes"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "customer,row,line,stratum,bought\nc9,2,4,0,yes\nb2,0,2,1,no\n",
            "'customer' is 'b2' in row 2 of rows.csv, but 'a7' in row 1 of NEW, where its label would go; pass --id "
            "customer to match rows by this column.",
        ),
        (
            "day,customer,bought\nWed,a7,no\nMon,b2,yes\nTue,d4,yes\nTue,c9,no\n",
            "'customer' is 'd4' in row 3 of rows.csv, but 'c9' in row 3 of NEW, where its label would go; pass --id "
            "customer to match rows by this column.",
        ),
        (
            "row,day,bought\n1,Mon,no\n3,Wed,no\n",
            "'day' is 'Wed' in row 2 of rows.csv, but 'Tue' in row 4 of NEW, where its label would go; pass --id COL "
            "if a column identifies the rows; if the order is right, remove 'day' from rows.csv.",
        ),
    ],
    ids=["a plan", "one row per new row", "a column that identifies nothing"],
)
def test_row_numbers_of_other_rows_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read(text, tables(CUSTOMERS.assign(day=["Mon", "Mon", "Tue", "Tue"])))
    assert str(error.value) == sentence


def test_plan_of_a_label_column_called_row() -> None:
    labelling, drawn = Labelling(plan=Path("plan.csv")), SimpleNamespace(rows=np.array([3]))
    labelling.write(Job(), drawn, np.zeros(4), None, tables(target="row"))  # type: ignore[arg-type]
    assert Path("plan.csv").read_text() == "row,line,stratum,label\n3,5,0,\n"
    assert read("row,line,stratum,label\n3,5,0,yes\n", tables(target="row")) == {3: "yes"}


def test_plan_is_read_by_row_though_new_has_a_feature_called_row() -> None:
    of = tables(pd.DataFrame({"row": [7, 8, 9]}))
    assert read("row,line,stratum,bought\n2,4,0,yes\n0,2,1,no\n1,3,1,\n", of) == {2: "yes", 0: "no"}
    assert read("row,line,stratum,bought\n2,4,0,yes\n", of) == {2: "yes"}
    assert read("row,bought\n9,yes\n8,no\n7,\n", of) == {0: "yes", 1: "no"}
    with pytest.raises(InputError) as error:
        read("row,bought\n2,yes\n", of)
    assert str(error.value) == (
        "rows.csv has 1 row and NEW has 3, so rows cannot be matched; pass --id COL if a column identifies them, or "
        "add the columns 'row', 'line' and 'stratum' of a plan."
    )


def test_nothing_to_plan_is_noted_only_with_the_option() -> None:
    performance: Any = SimpleNamespace(all_labelled=True)
    for path, notes in (
        (None, []),
        (Path("plan.csv"), ["there is nothing to label: every new row already has a label."]),
    ):
        job = Job()
        assert Labelling(plan=path).draw(job, performance, "lr", seed=0) is None
        assert list(job._notes) == notes
