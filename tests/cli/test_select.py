"""`shiftproof select`: the answer, the table, the files, the exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli._select import failures

Command = Callable[..., tuple[int, str, str]]


def rows(n_no: int, n_yes: int, seed: int, by: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.repeat(["no", "yes"], [n_no, n_yes]))
    frame = pd.DataFrame({"x": rng.normal(size=len(label)), "z": rng.normal(size=len(label))})
    frame["x"] += 1.8 * (label == "yes") + by
    p = 1 / (1 + np.exp(-1.8 * (frame["x"] - 0.9)))
    return frame.assign(c=rng.choice(["a", "b"], len(label)), p=p, q=rng.random(len(label)), bought=label)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("select")
    old, told = rows(160, 80, 0), rows(40, 80, 1)
    tables = {
        "old": old,
        "new": told.drop(columns="bought"),
        "told": told,
        "some": told.assign(bought=told["bought"].where(told.index % 3 == 0)),
        "unknown": told.assign(bought=told["bought"].where(told.index != 4, "maybe")),
        "none": told.assign(bought=None),
        "lacking": told.drop(columns="z"),
        "extra": told.assign(w=1.0),
        "empty": told.head(0),
        "single": told.head(1),
        "far": rows(0, 120, 2, by=6.0).drop(columns="bought"),
        "one": old.assign(bought="no"),
        "three": old.assign(bought=np.where(old.index % 5 == 0, "later", old["bought"])),
        "bare_old": old[["p", "q", "bought"]],
        "bare_new": told[["p", "q"]],
    }
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return folder


LEFT_OUT = ["--exclude", "p", "--exclude", "q"]
OPTIONS = ["--target", "bought", "--models", "lr,nb", "--folds", "3", *LEFT_OUT]
SCORES = ["--target", "bought", "--score-column", "p", "--score-column", "q"]


def test_the_answer_leads(command: Command, folder: Path) -> None:
    code, out, err = command("select", folder / "old.csv", folder / "new.csv", *OPTIONS)
    assert (code, err) == (0, "")
    answer, blank, head, first, second, *rest = out.splitlines()
    assert re.fullmatch(r"Use (lr|nb) \((only )?[\d.]+% likely to beat (lr|nb)\); ReverseTesting .+\.", answer)
    assert blank == ""
    assert " ".join(head.split()) == "model rank estimated accuracy validated best ReverseTesting"
    for rank, line in enumerate((first, second), 1):
        parts = rf"(lr|nb) +{rank} +[\d.]+% \([\d.]+% to [\d.]+%\) +[\d.]+% +[<>]?[\d.]+% +[01] of 1 *"
        assert re.fullmatch(parts, line)
    assert answer.startswith(f"Use {first.split()[0]} ")
    told = "\n".join(rest)
    assert re.search(r"^type of shift: .+ \(240 labelled rows, 120 new rows\)\.", told, re.MULTILINE)
    assert re.search(
        r"^estimates: (corrected for .+ shift \((high|medium) confidence\)|low confidence, because .+)\.$",
        told,
        re.MULTILINE,
    )
    # two models, three folds and once on all rows; two times two for ReverseTesting
    assert re.search(r"^time: 12 fits in [\d.]+ s, 4 of them for ReverseTesting\.$", told, re.MULTILINE)
    assert re.search(
        r"^next step: Label \d+ rows to (know|check) .+\. To list these rows, add --plan rows\.csv. Fill in column "
        r"'bought' in that file, then add --labels rows\.csv\.$",
        told,
        re.MULTILINE,
    )


def test_labels_among_the_new_rows_are_not_looked_at_unless_asked(command: Command, folder: Path) -> None:
    options = [*OPTIONS, "--no-reverse"]
    told = [command("select", folder / "old.csv", folder / f"{name}.csv", *options) for name in ("new", "told", "some")]
    without = [re.sub(r"in [\d.]+ s|of \w+\.csv", "", out) for _, out, _ in told]
    assert without[0] == without[1] == without[2]
    assert (told[0][2], told[1][2]) == ("", "")
    hint = "note: NEW has labels in 40 of 120 rows, which were not used; to use them, pass --labels some.csv.\n"
    assert told[2][2] == hint
    files = folder / "old.csv", folder / "some.csv"
    _, out, err = command("select", *files, *options, "--labels", folder / "some.csv")
    assert err == ""
    assert "\nestimates: corrected with 40 labels of new rows.\n" in out


def test_what_is_out_of_reach_is_refused(command: Command, folder: Path) -> None:
    options = [*OPTIONS, "--no-reverse"]
    code, out, err = command("select", folder / "old.csv", folder / "far.csv", *options, "--fail-on", "refused")
    why = "exit status 1 because of --fail-on refused: performance on the new data cannot be estimated.\n"
    assert (code, err) == (1, why)
    assert out.startswith("Best guess: ")
    assert out.count(" no estimate ") == 2
    assert "type of shift: too different. The labelled data hardly cover the new data" in " ".join(out.split())
    refused = "refused: nothing is estimated; the validated figures do not apply to the new data."
    assert f"{refused} If the models do not need 'x', add --exclude x." in " ".join(out.split())
    assert "Without labels there is no estimate." in " ".join(out.split())
    assert "ReverseTesting" not in out
    assert command("select", folder / "old.csv", folder / "far.csv", *options)[0] == 0


def test_a_method_that_does_not_say_how_sure_it_is_fails_if_asked(command: Command, folder: Path) -> None:
    options = [*OPTIONS, "--no-reverse", "--method", "cross-validation", "--fail-on"]
    code, out, _ = command("select", folder / "old.csv", folder / "new.csv", *options, "unsure")
    assert code == 1
    assert re.match(r"Use (lr|nb), ranked above (lr|nb)\.\n", out)
    assert "by cross-validation" in out
    assert re.search(r" – *$", out, re.MULTILINE)
    assert command("select", folder / "old.csv", folder / "new.csv", *options, "refused")[0] == 0


def test_failures_say_that_a_ranking_is_unreliable_where_performance_is_estimated() -> None:
    selection = SimpleNamespace(concerns=("The data differ.",), contenders=())
    choice: Any = SimpleNamespace(selection=selection, performance=SimpleNamespace(refused=False, confidence="low"))
    why = "the ranking of the models should not be relied on"
    assert failures(choice) == {"refused": why, "unsure": why}


def test_methods_that_want_other_folds(command: Command, folder: Path) -> None:
    options = ["--target", "bought", "--models", "lr,nb", *LEFT_OUT, "--no-reverse", "--method", "holdout"]
    code, out, _ = command("select", folder / "old.csv", folder / "new.csv", *options)
    assert code == 0
    assert "time: 4 fits" in out
    code, _, err = command("select", folder / "old.csv", folder / "new.csv", *options, "--folds", "3")
    assert code == 2
    assert err.startswith("shiftproof: --folds must be left out with --method 'holdout', got 3; it needs ")
    _, _, err = command("select", folder / "old.csv", folder / "new.csv", *options, "--groups", "c")
    assert err.startswith("shiftproof: --groups must be left out with --method 'holdout', got 'c'; it needs ")


def test_groups_stay_in_one_fold(command: Command, tmp_path: Path) -> None:
    # Every row twice, so that folds of single rows would hold copies.
    pd.concat([rows(80, 40, 0).assign(who=range(120))] * 2).to_csv(tmp_path / "twice.csv", index=False)
    rows(40, 80, 1).assign(who=range(120)).drop(columns="bought").to_csv(tmp_path / "new.csv", index=False)
    arguments = ["select", tmp_path / "twice.csv", tmp_path / "new.csv", *OPTIONS, "--no-reverse"]
    _, _, err = command(*arguments, "--exclude", "who")
    assert "or pass --groups to keep copies in the same fold" in " ".join(err.split())
    code, out, err = command(*arguments, "--groups", "who")
    assert (code, "copy" in out + err) == (0, False)


def test_page_json_and_plan(command: Command, folder: Path, tmp_path: Path) -> None:
    page, found, plan = (tmp_path / name for name in ("page.html", "found.json", "rows.csv"))
    files = ["--out", page, "--json", found, "--plan", plan]
    options = ["--cost", "FP=1,FN=5", "--level", "0.8", "--positive", "no", "--seed", "3", "--threshold", "0.4"]
    code, out, err = command("select", folder / "old.csv", folder / "new.csv", *OPTIONS, *options, *files)
    assert code == 0
    assert "estimated profit" in out
    assert "80% intervals" in out
    how = f"They are listed in {plan}. Fill in column 'bought', then pass --labels {plan} instead of --plan."
    assert how in " ".join(out.split())
    assert err == f"page: {page}\nrows to label: {plan}\n"
    html = page.read_text(encoding="utf-8")
    for title in ("Which model", "What to expect", "What ReverseTesting says", "Which rows to label", "How we know"):
        assert f"<h2>{title}</h2>" in html
    told: dict[str, Any] = json.loads(found.read_text(), parse_constant=pytest.fail)
    assert set(told) == {"selection", "performance"}
    assert (told["selection"]["measure"], told["selection"]["fits"]) == ("profit", 8)
    assert told["performance"]["positive"] == "no"
    assert list(told["performance"]["models"]["lr"]) == ["profit", "accuracy", "f1", "auc", "brier"]
    rows_to_label = pd.read_csv(plan)
    assert list(rows_to_label.columns) == ["row", "line", "stratum", "bought"]
    assert rows_to_label["bought"].isna().all()
    assert (rows_to_label["line"] == rows_to_label["row"] + 2).all()
    assert rows_to_label["row"].between(0, 119).all()


def test_json_to_standard_output(command: Command, folder: Path) -> None:
    code, out, err = command("select", folder / "old.csv", folder / "new.csv", *OPTIONS, "--no-reverse", "--json", "-")
    assert (code, err) == (0, "")
    assert json.loads(out)["selection"]["reverse_testing"] is None


def test_scores_of_deployed_models(command: Command, folder: Path) -> None:
    code, out, err = command("select", folder / "old.csv", folder / "new.csv", *SCORES)
    assert (code, err) == (0, "")
    assert re.match(r"Use p \((over )?[\d.]+% likely to beat q\)\.\n", out)
    assert "ReverseTesting was skipped: it would refit deployed models." in out
    assert "time: 0 fits" in out
    code, out, _ = command("select", folder / "bare_old.csv", folder / "bare_new.csv", *SCORES, "--fail-on", "refused")
    assert code == 0
    assert "note: the type of shift was determined from the scores alone: " in out


def test_few_new_rows(command: Command, folder: Path) -> None:
    code, out, _ = command("select", folder / "old.csv", folder / "single.csv", *OPTIONS, "--fail-on", "unsure")
    assert code == 1
    assert "1 new row" in out


def test_columns_that_only_new_has(command: Command, folder: Path) -> None:
    _, _, err = command("select", folder / "old.csv", folder / "extra.csv", *OPTIONS, "--no-reverse")
    assert err == "note: columns that only NEW has were not used: 'w'.\n"


def test_narrow_terminals(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = command("select", folder / "old.csv", folder / "new.csv", *OPTIONS)
    assert max(map(len, out.splitlines())) <= 60
    assert len(re.findall("^model ", out, re.MULTILINE)) == 2


@pytest.mark.parametrize(
    ("new", "options", "message"),
    [
        ("gone", OPTIONS, "{folder}/gone.csv: there is no such file"),
        ("new", ["--target", "gone"], "--target must name a column, got 'gone'; available: 'x', "),
        ("lacking", OPTIONS, "NEW has no column 'z', which LABELLED has; add it, or pass --exclude z if "),
        ("empty", OPTIONS, "{folder}/empty.csv: the file has a header but no rows; check how it was written."),
        ("new", [*OPTIONS, "--measure", "acc"], "--measure must be one of 'accuracy', 'error', "),
        (
            "new",
            [*OPTIONS, "--measure", "profit"],
            "--measure profit needs --cost, for example --cost FP=1,FN=5.",
        ),
        ("new", [*OPTIONS, "--method", "magic"], "--method must name a ranking method, got 'magic'; available: "),
        (
            "new",
            [*OPTIONS, "--method", "importance weighting", "--measure", "f1"],
            "--measure must be accuracy for the method 'importance weighting', got 'f1'; 'routed pool' accepts any ",
        ),
        ("new", ["--target", "bought", "--models", "lr,lm"], "--models must be one of 'lr', 'nb', "),
        (
            "new",
            [*OPTIONS, "--positive", "maybe"],
            "--positive must name one of the labels, got 'maybe'; available: 'no', 'yes'.",
        ),
        ("new", [*OPTIONS, "--cost", "FP"], "the cost 'FP' cannot be read; "),
        ("new", [*OPTIONS, "--level", "2"], "--level must be a number strictly between 0 and 1, got 2"),
        ("new", [*OPTIONS, "--threshold", "2"], "--threshold must be a number strictly between 0 and 1, got 2"),
        ("new", [*OPTIONS, "--out", "."], "--out must name a file, got the folder '.'; add a file name to the path."),
        (
            "new",
            ["--target", "bought", "--score-column", "bought"],
            "--score-column must name a different column from --target, got 'bought'; name the model's scores.",
        ),
        (
            "new",
            ["--target", "bought", "--score-column", "r"],
            "--score-column must name a column, got 'r'; available: 'x', ",
        ),
        (
            "new",
            ["--target", "bought", "--score-column", "x"],
            "--score-column 'x' of LABELLED must lie between 0 and 1",
        ),
        (
            "new",
            [*SCORES, "--models", "lr"],
            "--models cannot be used with --score-column, because then no model is fitted; leave out ",
        ),
        ("new", [*SCORES, "--groups", "c"], "--groups cannot be used with --score-column, because then no model is "),
        ("new", [*OPTIONS, "--groups", "who"], "--groups must name a column, got 'who'; available: 'x', "),
        (
            "new",
            [*SCORES, "--folds", "3"],
            "--folds cannot be used with --score-column, because then no model is fitted; leave out ",
        ),
    ],
)
def test_bad_input_is_one_line(command: Command, folder: Path, new: str, options: list[str], message: str) -> None:
    code, out, err = command("select", folder / "old.csv", folder / f"{new}.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {message.format(folder=folder)}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("train", "options", "message"),
    [
        ("one", OPTIONS, "--target must contain at least two classes, got one class, 'no'; "),
        (
            "three",
            [*OPTIONS, "--measure", "f1"],
            "--measure f1 with more than two classes needs --positive LABEL; available: 'later', 'no', 'yes'.",
        ),
        ("three", [*OPTIONS, "--cost", "FP=1"], "--cost with more than two classes needs --positive LABEL; "),
    ],
)
def test_labels_that_do_not_fit(command: Command, folder: Path, train: str, options: list[str], message: str) -> None:
    for verb in ("select", "audit"):
        code, out, err = command(verb, folder / f"{train}.csv", folder / "new.csv", *options)
        assert (code, out) == (2, "")
        assert err.startswith(f"shiftproof: {message}")


def test_a_table_of_labels_alone(command: Command, tmp_path: Path) -> None:
    pd.DataFrame({"y": [0, 1] * 10}).to_csv(tmp_path / "old.csv", index=False)
    pd.DataFrame({"x": [1, 2]}).to_csv(tmp_path / "new.csv", index=False)
    code, _, err = command("select", tmp_path / "old.csv", tmp_path / "new.csv", "--target", "y")
    assert code == 2
    assert err.startswith("shiftproof: LABELLED must have columns other than the label, got none; ")


def test_help_teaches(command: Command) -> None:
    code, out, _ = command("select", "--help")
    assert code == 0
    words = " ".join(out.split())
    assert "shiftproof select labelled.csv new.csv --target churned" in words
    assert "Exit codes: 0 success, 1 a --fail-on condition is met, 2 bad input, 3 internal error." in words


def test_one_file_cut_in_time(command: Command, folder: Path, tmp_path: Path) -> None:
    both = pd.concat([rows(160, 80, 0).assign(day="2009-06-01"), rows(40, 80, 1).assign(day="2010-06-01")])
    both = both.assign(at=range(len(both))).sample(frac=1, random_state=0)
    both.to_csv(tmp_path / "all.csv", index=False)
    cut = ["--time", "day", "--split", "2010", "--exclude", "at", "--exclude", "day", "--no-reverse"]
    files = ["--plan", tmp_path / "rows.csv"]
    code, out, err = command("select", tmp_path / "all.csv", *OPTIONS, *cut, *files)
    assert (code, err) == (0, f"rows to label: {tmp_path}/rows.csv\n")
    assert "(240 labelled rows, 120 new rows)" in out
    assert "Fill in column 'bought'" in out
    lines = (tmp_path / "all.csv").read_text().splitlines()
    planned = pd.read_csv(tmp_path / "rows.csv")
    places = both.reset_index(drop=True).query("day == '2010-06-01'").reset_index(drop=True)
    for row, line in zip(planned["row"], planned["line"], strict=True):
        assert int(lines[line - 1].rsplit(",", 1)[1]) == places["at"][row]


def test_models_of_the_users_own(
    command: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_models.py").write_text(
        "from shiftproof import default_models\ndef make():\n    return {'mine': default_models(only='lr')['lr']}\n"
    )
    options = ["--target", "bought", "--models", "own_models:make,nb", "--folds", "3", *LEFT_OUT, "--no-reverse"]
    code, out, err = command("select", folder / "old.csv", folder / "new.csv", *options)
    assert code == 0
    assert err == f"note: --models own_models:make ran the code of {tmp_path}/own_models.py.\n"
    assert {line.split()[0] for line in out.splitlines()[3:5]} == {"mine", "nb"}
