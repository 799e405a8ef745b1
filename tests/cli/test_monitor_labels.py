from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli import run
from shiftproof.monitoring import Monitor

Command = Callable[..., tuple[int, str, str]]


def rows(day: int, *, shift: float = 0.0, n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(day)
    age = rng.normal(40 + shift, 10, n)
    p = 1 / (1 + np.exp((40 - age) / 5))
    labels = np.where(rng.random(n) < p, "yes", "no")
    return pd.DataFrame({"customer": [f"c{day}-{row}" for row in range(n)], "age": age, "p": p, "y": labels})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store of two batches; the second, shifted, has an open incident."""
    folder = tmp_path_factory.mktemp("labels")
    rows(0, n=400).to_csv(folder / "reference.csv", index=False)
    words = ["--reference", folder / "reference.csv", "--score-column", "p", "--target", "y", "--key", "customer"]
    assert run(["monitor", "init", str(folder / "m.db"), *map(str, words)]) == 0
    for day, shift in ((1, 0.0), (2, 15.0)):
        rows(day, shift=shift).drop(columns="y").to_csv(folder / f"day{day}.csv", index=False)
        run(["monitor", "add", str(folder / "m.db"), str(folder / f"day{day}.csv")])
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folder, which is the current one."""
    place = Path(shutil.copytree(made, tmp_path / "place"))
    monkeypatch.chdir(place)
    return place


def filled(file: str, day: int, *, most: int | None = None) -> pd.DataFrame:
    plan = pd.read_csv(file).astype({"label": object})
    shift = 15.0 if day == 2 else 0.0
    plan["label"] = rows(day, shift=shift)["y"].to_numpy()[plan["row"]]
    if most is not None:
        plan.loc[most:, "label"] = None
    return plan


def test_the_loop_from_an_alarm_to_a_closed_incident(command: Command, place: Path) -> None:
    code, _, err = command("monitor", "status", "m.db")
    assert code == 1
    assert "next: shiftproof monitor plan m.db --id day2.csv --out rows.csv\n" in err
    code, out, err = command("monitor", "plan", "m.db", "--id", "day2.csv", "--count", "100", "--out", "rows.csv")
    assert code == 0
    assert " ".join(out.split()).startswith("Label 100 rows of batch 'day2.csv': rows ")
    assert "Next:" not in out
    assert err == "rows to label: rows.csv\nnext: shiftproof monitor label m.db rows.csv --id day2.csv\n"
    filled("rows.csv", 2).to_csv("rows.csv", index=False)
    code, out, err = command("monitor", "label", "m.db", "rows.csv", "--id", "day2.csv")
    text = " ".join(out.split())
    assert code == 1
    assert text.startswith("100 new labels for batch 'day2.csv'. Actual accuracy, from 100 labels: ")
    number = next(one.number for one in Monitor("m.db").incidents if one.level == "material")
    assert f"Labels clear incident {number}: accuracy" in text
    assert f"next: shiftproof monitor ack m.db {number} --reason TEXT\n" in err
    assert command("monitor", "ack", "m.db", str(number), "--reason", "no harm")[0] == 0
    code, out, _ = command("monitor", "status", "m.db")
    assert code == 0
    assert "acknowledged (reason: no harm), cleared by labels" in " ".join(out.split())
    assert "Track record: 1 of 1 intervals (90%) contained the actual accuracy, according to 100 labels." in " ".join(
        out.split()
    )


def test_a_plan_is_printed_and_written_as_json(command: Command, place: Path) -> None:
    code, out, err = command("monitor", "plan", "m.db", "--id", "day1.csv", "--count", "3", "--json", "-")
    planned = json.loads(out)
    assert (code, err, len(planned["rows"])) == (0, "", 3)
    assert planned["keys"] == [f"c1-{row}" for row in planned["rows"]]
    _, out, err = command("monitor", "plan", "m.db", "--id", "day1.csv", "--count", "3")
    head, *table = [line.split() for line in out[out.index("\n\n") :].split("\n") if line]
    assert head == ["row", "customer", "p"]
    assert [line[:2] for line in table] == [[str(row), f"c1-{row}"] for row in planned["rows"]]
    assert "\N{REPLACEMENT CHARACTER}" not in out
    assert err == "next: shiftproof monitor label m.db FILE --id day1.csv\n"


def test_labels_by_row_without_id_and_half_filled(command: Command, place: Path) -> None:
    command("monitor", "plan", "m.db", "--id", "day1.csv", "--count", "20", "--out", "rows.csv")
    half = filled("rows.csv", 1, most=8)
    half.drop(columns="customer").to_csv("rows.csv", index=False)
    code, out, _ = command("monitor", "label", "m.db", "rows.csv", "--fail-on", "none", "--json", "-")
    known = json.loads(out)
    assert (code, known["labels"]["n_used"], known["missing"], known["batch"]["id"]) == (0, 8, None, "day1.csv")
    # Without names the labels are those of all rows in order.
    rows(1)[["y"]].rename(columns={"y": "label"}).to_csv("all.csv", index=False)
    code, out, _ = command("monitor", "label", "m.db", "all.csv", "--id", "day1.csv", "--out", "page.html")
    assert (
        "192 new labels for batch 'day1.csv'. 8 labels had already been given. Actual accuracy, from the labels of "
        "all 200 "
    ) in " ".join(out.split())
    assert "actual, from labels" in Path("page.html").read_text()


@pytest.mark.parametrize(
    ("table", "words", "sentence"),
    [
        ({"row": [1], "label": ["yes"]}, [], "labels.csv does not say which batch it belongs to; pass --id"),
        (
            {"batch": ["day2.csv"], "row": [1], "label": ["yes"]},
            ["--id", "day1.csv"],
            "labels.csv has rows of batch 'day2.csv', not of batch 'day1.csv'; check --id and the file.",
        ),
        (
            {"row": [1], "lable": ["yes"]},
            ["--id", "day1.csv"],
            "labels.csv has no column 'label'. Did you mean 'lable'?",
        ),
        (
            {"age": [1], "label": ["yes"]},
            ["--id", "day1.csv"],
            "labels.csv has no column 'row' or 'customer' to identify",
        ),
        (
            {"row": [1, 1], "label": ["yes", "no"]},
            ["--id", "day1.csv"],
            "row 1 occurs more than once in labels.csv; keep",
        ),
        (
            {"row": [1], "label": [None]},
            ["--id", "day1.csv"],
            "labels.csv has no labels in column 'label'; fill them in.",
        ),
        (
            {"row": [999], "label": ["yes"]},
            ["--id", "day1.csv"],
            "must give row numbers from 0 to 199",
        ),
        (
            {"row": [1], "label": ["maybe"]},
            ["--id", "day1.csv"],
            "labels.csv: the label 'maybe' is not a class of the baseline; available: 'no', 'yes'.",
        ),
        (
            {"customer": ["c9"], "label": ["yes"]},
            ["--id", "day1.csv"],
            "labels.csv: no row of batch 'day1.csv' has the key 'c9'; check --id.",
        ),
        (
            {"row": [1], "label": ["yes"]},
            ["--id", "day9.csv"],
            "--id must be the name of a batch; got 'day9.csv'. Did you",
        ),
    ],
)
def test_labels_that_cannot_be_meant_are_one_sentence(
    command: Command, place: Path, table: dict[str, list[object]], words: list[str], sentence: str
) -> None:
    pd.DataFrame(table).to_csv("labels.csv", index=False)
    before = Monitor("m.db").plan("day1.csv").n_labels
    code, out, err = command("monitor", "label", "m.db", "labels.csv", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert Monitor("m.db").plan("day1.csv").n_labels == before


def test_a_plan_is_no_formula_for_a_spreadsheet_and_its_labels_are_found(command: Command, place: Path) -> None:
    """Names and keys that a spreadsheet would run are text in the file, and are read back as they were."""
    score, key, batch = "=HYPERLINK(1)", "\uff1did", "@SUM(1)"
    keys = [f"{sign}{row}" for row, sign in enumerate(["=", "+a", "-", "\n=", "\uff1d", "'=", "c"] * 30)][:200]
    names = {"customer": key, "p": score}
    rows(3).assign(customer=keys).rename(columns=names).to_csv("reference.csv", index=False)
    words = ["--reference", "reference.csv", "--score-column", score, "--target", "y", "--key", key]
    assert command("monitor", "init", "own.db", *words)[0] == 0
    rows(4).drop(columns="y").assign(customer=keys).rename(columns=names).to_csv("day.csv", index=False)
    assert command("monitor", "add", "own.db", "day.csv", "--id", batch)[0] == 0
    command("monitor", "plan", "own.db", "--id", batch, "--count", "200", "--out", "rows.csv")
    plan = pd.read_csv("rows.csv", dtype=str, keep_default_na=False)
    assert [*plan.columns] == ["batch", "row", f"'{key}", f"'{score}", "label"]
    assert {*plan["batch"]} == {f"'{batch}"}
    assert not plan[f"'{key}"].str.match(r"[=+@\n\uff1d]").any()
    plan.drop(columns="row").assign(label="yes").to_csv("rows.csv", index=False)
    code, out, err = command("monitor", "label", "own.db", "rows.csv", "--fail-on", "none")
    assert (code, out.startswith(f"200 new labels for batch '{batch}'.")) == (0, True), err


def test_labels_in_a_batch_are_pointed_out_and_used_when_they_are_given(command: Command, place: Path) -> None:
    rows(3).to_csv("day3.csv", index=False)
    words = "Column 'y' has labels, which are not used when a batch is added; pass them to shiftproof monitor label."
    assert words in " ".join(command("monitor", "add", "m.db", "day3.csv", "--fail-on", "none")[1].split())
    code, out, _ = command("monitor", "label", "m.db", "day3.csv", "--id", "day3.csv", "--fail-on", "none")
    assert (code, out.startswith("200 new labels for batch 'day3.csv'.")) == (0, True)
    rows(4).assign(y=None).to_csv("day4.csv", index=False)
    assert "Column 'y'" not in command("monitor", "add", "m.db", "day4.csv", "--fail-on", "none")[1]


def test_a_key_that_is_labelled_twice_is_refused(command: Command, place: Path) -> None:
    pd.DataFrame({"customer": "c1-0", "label": rows(1)["y"]}).to_csv("labels.csv", index=False)
    assert command("monitor", "label", "m.db", "labels.csv", "--id", "day1.csv") == (
        2,
        "",
        "shiftproof: customer c1-0 occurs more than once in labels.csv; keep one of these rows.\n",
    )


def test_a_file_of_far_too_many_columns_is_refused_by_its_header(command: Command, place: Path) -> None:
    Path("wide.csv").write_text(",".join(["label", *map(str, range(400_000))]) + "\n")
    began = time.process_time()
    assert command("monitor", "label", "m.db", "wide.csv", "--id", "day1.csv") == (
        2,
        "",
        "shiftproof: wide.csv: the header names 400,001 columns, and 10,000 are the maximum here; leave out those that "
        "are not needed.\n",
    )
    assert time.process_time() - began < 5
