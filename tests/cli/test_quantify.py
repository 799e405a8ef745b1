"""`shiftproof quantify`: the tables, the words, the exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

Command = Callable[..., tuple[int, str, str]]


def rows(n_no: int, n_yes: int, seed: int, by: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.repeat(["no", "yes"], [n_no, n_yes]))
    frame = pd.DataFrame({"x": rng.normal(size=len(label)), "z": rng.normal(size=len(label))})
    frame["x"] += 1.8 * (label == "yes") + by
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, len(label)), unit="D")
    score = 1 / (1 + np.exp(-1.8 * (frame["x"] - 0.9)))
    return frame.assign(c=rng.choice(["a", "b"], len(label)), day=days, p=score, bought=label)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quantify")
    rows(300, 150, 0).to_csv(folder / "old.csv", index=False)
    rows(60, 140, 1).drop(columns="bought").to_csv(folder / "new.csv", index=False)
    rows(60, 140, 1).to_csv(folder / "told.csv", index=False)
    rows(0, 400, 2, by=3.0).to_csv(folder / "far.csv", index=False)
    return folder


OPTIONS = ["--target", "bought", "--models", "lr", "--exclude", "day", "--exclude", "p", "--folds", "5"]


def test_shares_and_words(command: Command, folder: Path) -> None:
    code, out, _ = command("quantify", folder / "old.csv", folder / "new.csv", *OPTIONS)
    assert code == 0
    head, *lines = out[out.index("\nclass labelled") + 1 :].splitlines()
    assert " ".join(head.split()) == "class labelled data new data 90% interval sampling alone"
    assert re.match(r"no +66\.7% [█·]+ [\d.]+% +[\d.]+% to [\d.]+% +[\d.]+% to [\d.]+%", lines[0])
    assert lines[1].startswith("yes ")
    assert re.search(r"^About [5-7]\d\.\d% of 200 new rows are in class 'yes'", out, re.MULTILINE)
    out = command("quantify", folder / "old.csv", folder / "new.csv", *OPTIONS, "--assume", "prior shift")[1]
    assert re.search(r"^About (6|7)\d\.\d% of 200 new rows are in class 'yes'", out, re.MULTILINE)
    assert "sampling alone" not in out


def test_identifiers_and_later_dates_are_left_out_of_the_models(command: Command, folder: Path) -> None:
    plain = command("quantify", folder / "old.csv", folder / "new.csv", *OPTIONS)[1]
    for name, first, year in (("old", 0, 2023), ("new", 90_000, 2024)):
        table = pd.read_csv(folder / f"{name}.csv")
        table["id"], table["signup"] = first + np.arange(len(table)), f"{year}-01-01"
        table.to_csv(folder / f"{name}-dated.csv", index=False)
    code, out, err = command("quantify", folder / "old-dated.csv", folder / "new-dated.csv", *OPTIONS)
    assert (code, out) == (0, plain)
    assert err == "note: left out of tests and models: 'id' (identifier), 'signup' (later in the new data).\n"


def test_labels_among_the_new_rows_are_not_looked_at(command: Command, folder: Path) -> None:
    told = [command("quantify", folder / "old.csv", folder / name, *OPTIONS)[1] for name in ("new.csv", "told.csv")]
    assert told[0] == told[1]


def test_what_cannot_be_believed_fails_if_asked(command: Command, folder: Path) -> None:
    far = [folder / "old.csv", folder / "far.csv", *OPTIONS]
    code, out, err = command("quantify", *far, "--fail-on", "broken", "--assume", "prior shift")
    assert code == 1
    assert re.search(r"^The share of class 'yes' in the new data cannot be estimated: all methods", out, re.MULTILINE)
    assert "note:" not in err
    assert command("quantify", *far, "--fail-on", "broken")[0] == 1
    assert command("quantify", *far)[0] == 0
    assert command("quantify", folder / "old.csv", folder / "new.csv", *OPTIONS, "--fail-on", "broken")[0] == 0


def test_labels_correct_the_count_and_end_doubts(command: Command, folder: Path, tmp_path: Path) -> None:
    told = pd.read_csv(folder / "told.csv").assign(row=range(200))
    told.sample(80, random_state=0).to_csv(tmp_path / "some.csv", index=False)
    labels = ["--labels", tmp_path / "some.csv", "--fail-on", "unsure"]
    code, out, _ = command("quantify", folder / "old.csv", folder / "new.csv", *OPTIONS, *labels, "--json", "-")
    document = json.loads(out)
    assert (code, document["n_labels"]) == (0, 80)
    share = document["prevalence"][1]
    assert share["estimate"] == pytest.approx(0.7, abs=0.1)
    assert document["method"] == "routed pool and labels"


def test_labelled_rows_that_are_new_rows_need_verdicts(command: Command, folder: Path, tmp_path: Path) -> None:
    told = pd.read_csv(folder / "told.csv").assign(item=range(200), verdict=lambda rows: (rows["p"] > 0.5).astype(int))
    told.drop(columns="bought").to_csv(tmp_path / "items.csv", index=False)
    sample = tmp_path / "sample.csv"
    told.sample(80, random_state=0).to_csv(sample, index=False)
    same = [sample, tmp_path / "items.csv", "--target", "bought", "--labels", sample, "--id", "item"]
    code, out, _ = command("quantify", *same, "--score-column", "verdict")
    assert code == 0
    assert "The estimate rests on 80 labels of new rows." in " ".join(out.split())
    code, out, err = command("quantify", *same, "--models", "lr")
    assert (code, out) == (2, "")
    assert "--labels must name other rows than those that models are fitted on" in err


def test_a_score_is_the_probability_of_the_positive_class(command: Command, folder: Path) -> None:
    for name in ("old", "new"):
        table = pd.read_csv(folder / f"{name}.csv")
        table.assign(p=1 - table["p"]).to_csv(folder / f"{name}_no.csv", index=False)
    options = ["--target", "bought", "--score-column", "p", "--exclude", "day", "--no-check", "--json", "-"]
    _, of_yes, _ = command("quantify", folder / "old.csv", folder / "new.csv", *options)
    _, of_no, _ = command("quantify", folder / "old_no.csv", folder / "new_no.csv", *options, "--positive", "no")
    shares = [[row["estimate"] for row in json.loads(out)["prevalence"]] for out in (of_yes, of_no)]
    assert shares[0] == pytest.approx(shares[1])


def test_scores_of_a_deployed_model(command: Command, folder: Path, tmp_path: Path) -> None:
    options = ["--target", "bought", "--score-column", "p", "--exclude", "day", "--json", tmp_path / "found.json"]
    code, out, _ = command("quantify", folder / "old.csv", folder / "new.csv", *options, "--no-check")
    found: dict[str, Any] = json.loads((tmp_path / "found.json").read_text())
    assert (code, found["model"], found["assumption"]) == (0, "p", "scores fit")
    assert 0.6 < found["prevalence"][1]["estimate"] < 0.8
    assert out.startswith("About ")
    assert (
        command("quantify", folder / "old.csv", folder / "new.csv", *options, "--no-check", "--fail-on", "unsure")[0]
        == 1
    )


def test_periods_page_and_json(command: Command, folder: Path, tmp_path: Path) -> None:
    options = ["--target", "bought", "--models", "lr", "--exclude", "p", "--by", "day", "--every", "month"]
    page = tmp_path / "page.html"
    code, out, err = command("quantify", folder / "old.csv", folder / "new.csv", *options, "--out", page)
    assert code == 0
    assert re.search(r"^month +rows share of yes +90% interval +sampling alone", out, re.MULTILINE)
    assert re.search(r"^2024-02 +\d+ [█·]+ [\d.]+% +[\d.]+% to [\d.]+%", out, re.MULTILINE)
    assert f"page: {page}" in err
    assert "The share of yes over time" in page.read_text(encoding="utf-8")
    _, out, _ = command("quantify", folder / "old.csv", folder / "new.csv", *options, "--json", "-")
    assert len(json.loads(out, parse_constant=pytest.fail)["periods"]) == 3


def test_method_positive_level_and_narrow_terminals(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    options = [*OPTIONS, "--method", "adjusted count", "--positive", "no", "--level", "0.8", "--seed", "4"]
    _, out, _ = command("quantify", folder / "old.csv", folder / "new.csv", *options)
    assert max(map(len, out.splitlines())) <= 60
    assert "80% interval" in out
    assert "class 'no'" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "gone"], "--target must name a column, got 'gone'; available: "),
        ([*OPTIONS, "--by", "gone"], "--by must name a column, got 'gone'; available: "),
        ([*OPTIONS, "--every", "month"], "--every needs --by; name the column of dates."),
        ([*OPTIONS, "--method", "zz"], "--method must name a counting method, got 'zz'; available: "),
        (
            [*OPTIONS, "--method", "ac"],
            "--method must name a counting method; got 'ac'. Did you mean 'adjusted count'?",
        ),
        (
            [*OPTIONS, "--positive", "maybe"],
            "--positive must name one of the labels, got 'maybe'; available: 'no', 'yes'.",
        ),
        (
            [*OPTIONS, "--assume", "nature"],
            "--assume must be one of 'natural', 'no drift', 'prior shift'; got 'nature'. Did you mean 'natural'?",
        ),
        ([*OPTIONS, "--level", "2"], "--level must be a number strictly between 0 and 1, got 2"),
        (
            [*OPTIONS, "--groups", "bought"],
            "--groups must name a different column from --target, got 'bought'; available: ",
        ),
        (
            ["--target", "bought", "--score-column", "p", "--groups", "c"],
            "--groups cannot be used with --score-column, because then no model is fitted; leave out ",
        ),
        (
            ["--target", "bought", "--score-column", "p", "--models", "lr"],
            "--models cannot be used with --score-column, because then no model is fitted; leave out --models.",
        ),
        (
            ["--target", "bought", "--score-column", "q"],
            "--score-column must name a column, got 'q'; available: ",
        ),
        (
            ["--target", "bought", "--score-column", "x", "--exclude", "day"],
            "--score-column 'x' of LABELLED must lie between 0 and 1",
        ),
    ],
)
def test_bad_input_is_one_line(command: Command, folder: Path, options: list[str], message: str) -> None:
    code, out, err = command("quantify", folder / "old.csv", folder / "new.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {message}")
    assert err.count("\n") == 1


def test_without_the_check_the_answer_says_what_it_assumes(command: Command, folder: Path) -> None:
    options = [*OPTIONS, "--no-check", "--fail-on", "broken"]
    _, out, err = command("quantify", folder / "old.csv", folder / "new.csv", *options)
    assert "because of --no-check, --fail-on looks only at the scores." in err
    assert "As requested, the features were not used to check" in " ".join(out.split())
    assert "check=False" not in out


def test_scores_are_for_two_classes(command: Command, tmp_path: Path) -> None:
    three = rows(60, 60, 0)
    three.loc[:9, "bought"] = "maybe"
    three.to_csv(tmp_path / "old.csv", index=False)
    three.drop(columns="bought").to_csv(tmp_path / "new.csv", index=False)
    tables = tmp_path / "old.csv", tmp_path / "new.csv", "--target", "bought", "--score-column", "p"
    only = "shiftproof: --score-column works with two classes only, and 'bought' has 3 ('maybe', 'no' and 'yes'); "
    for verb in ("audit", "quantify", "select"):
        assert command(verb, *tables) == (2, "", f"{only}pass --models instead.\n")
    assert command("detect", *tables) == (2, "", f"{only}pass --exclude bought instead of --target.\n")


def test_groups_stay_in_one_fold(command: Command, tmp_path: Path) -> None:
    # Every row twice, so that folds of single rows would hold copies.
    twice = pd.concat([rows(150, 75, 0).assign(who=range(225))] * 2)
    twice.to_csv(tmp_path / "twice.csv", index=False)
    rows(60, 140, 1).assign(who=range(200)).drop(columns="bought").to_csv(tmp_path / "new.csv", index=False)
    _, _, err = command("quantify", tmp_path / "twice.csv", tmp_path / "new.csv", *OPTIONS, "--exclude", "who")
    assert "or pass --groups to keep copies in the same fold" in " ".join(err.split())
    code, out, err = command("quantify", tmp_path / "twice.csv", tmp_path / "new.csv", *OPTIONS, "--groups", "who")
    assert (code, "copy" in out + err) == (0, False)


def test_new_rows_that_lack_a_column(command: Command, folder: Path, tmp_path: Path) -> None:
    rows(10, 10, 3).drop(columns="z").to_csv(tmp_path / "lacking.csv", index=False)
    code, _, err = command("quantify", folder / "old.csv", tmp_path / "lacking.csv", *OPTIONS)
    assert code == 2
    assert "NEW has no column 'z', which LABELLED has; " in err


def test_one_file_cut_at_a_date(command: Command, folder: Path, tmp_path: Path) -> None:
    old, new = (pd.read_csv(folder / f"{name}.csv") for name in ("old", "told"))
    both = pd.concat([old.assign(year=2023), new.assign(year=2024)]).sample(frac=1, random_state=0)
    both.to_csv(tmp_path / "all.csv", index=False)
    code, out, _ = command("quantify", tmp_path / "all.csv", *OPTIONS, "--time", "year", "--split", "2024")
    assert code == 0
    assert " of 200 new rows are in class 'yes'" in out
    periods = ["--target", "bought", "--models", "lr", "--exclude", "p", "--exclude", "year", "--by", "day"]
    cut = ["--time", "day", "--split", "2024-02-01", "--every", "month"]
    code, out, _ = command("quantify", tmp_path / "all.csv", *periods, *cut)
    assert code == 0
    assert re.search(r"^2024-02 +\d+ ", out, re.MULTILINE)
    assert not re.search(r"^2024-01 ", out, re.MULTILINE)
