"""`shiftproof audit`: the verdict, the tables, the files, the exit codes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli._audit import failures, too_likely
from shiftproof.core import InputError

Command = Callable[..., tuple[int, str, str]]


def rows(n_no: int, n_yes: int, seed: int, by: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.repeat(["no", "yes"], [n_no, n_yes]))
    frame = pd.DataFrame({"x": rng.normal(size=len(label)), "z": rng.normal(size=len(label))})
    frame["x"] += 1.8 * (label == "yes") + by
    p = 1 / (1 + np.exp(-1.8 * (frame["x"] - 0.9)))
    return frame.assign(c=rng.choice(["blue", "red"], len(label)), p=p, who=np.arange(len(label)) // 2, bought=label)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    old, told = rows(160, 80, 0), rows(80, 40, 1)
    tables = {
        "old": old,
        "told": told,
        "new": told.drop(columns="bought"),
        "none": told.assign(bought=None),
        "some": told.assign(bought=told["bought"].where(told.index % 3 == 0)),
        "unknown": told.assign(bought=told["bought"].where(told.index != 4, "maybe")),
        "lacking": told.drop(columns="z"),
        "few": told.drop(columns="bought")[:13],
        "far": rows(0, 120, 2, by=6.0).drop(columns="bought"),
        "bare_old": old[["p", "bought"]],
        "bare_new": told[["p"]],
        "all": pd.concat([old.assign(day="2009-06-01"), told.assign(day="2010-06-01")]).sample(frac=1, random_state=0),
    }
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


LEFT_OUT = ["--exclude", "p", "--exclude", "who"]
QUICK = ["--target", "bought", "--models", "lr,nb", "--folds", "3", "--quick", *LEFT_OUT]
SCORES = ["--target", "bought", "--score-column", "p", "--exclude", "who", "--quick"]


def test_verdict_reasons_models_and_the_rest(command: Command, folder: Path) -> None:
    code, out, err = command("audit", folder / "old.csv", folder / "new.csv", *QUICK)
    assert (code, err) == (0, "page: report.html\n")
    verdict, blank, *rest = out.splitlines()
    assert re.match(r"(Trust (lr|nb) on the new data|Check first): expect ", verdict)
    assert blank == ""
    listed = [line for line in rest if re.match(r"\d\. ", line)]
    assert [line[0] for line in listed] == [str(number) for number in range(1, len(listed) + 1)]
    assert 2 <= len(listed) <= 5
    told = "\n".join(rest)
    assert re.search(r"^model +validated +estimated +loss +best *$", told, re.MULTILINE)
    parts = r"^(lr|nb) +[\d.]+% +[\d.]+% \([\d.]+% to [\d.]+%\) +(?:below |above )?\d+% +[<>]?[\d.]+% *$"
    assert len(re.findall(parts, told, re.MULTILINE)) == 2
    legend = "Validated: accuracy by cross-validation. Estimated: accuracy on the new data, with a 90% interval. Loss: "
    assert legend in told
    # What a reason says is not said again.
    assert told.count("of the new rows are in class 'yes'") == 1
    assert told.count(" features shifted enough to matter.") == 1
    assert "share of 'yes'" not in told
    assert "features: " not in told
    assert re.search(r"^left out: ReverseTesting \(a quick audit skips it\)\.$", told, re.MULTILINE)
    assert re.search(r"^time: [\d.]+ s; cross-fitting [\d.]+ s, comparing tables [\d.]+ s, ", told, re.MULTILINE)
    page = Path("report.html").read_text(encoding="utf-8")
    assert verdict.split(":")[0] in page


def test_too_different_is_unsure_and_a_shift_but_no_harm(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    options = [*QUICK, "--no-page", "--fail-on"]
    code, out, err = command("audit", folder / "old.csv", folder / "far.csv", *options, "cannot-tell")
    assert (code, err) == (1, 'exit status 1 because of --fail-on cannot-tell: the verdict is "cannot tell".\n')
    assert re.match(r"Cannot tell whether to trust (lr|nb) on the ", out)
    assert max(map(len, out.splitlines())) <= 60
    assert len(re.findall(r" no estimate$", out, re.MULTILINE)) == 2
    share = "The share of class 'yes' in the new data cannot be estimated; in the labelled data it is 33.3%."
    assert " ".join(out.split()).count(share) == 1
    assert " ".join(out.split()).count("(KS distance 1.00)") == 1
    assert not Path("report.html").exists()
    assert (
        command(
            "audit", folder / "old.csv", folder / "far.csv", *SCORES, "--no-page", "--fail-on", "do-not-trust,shift"
        )[0]
        == 1
    )


def test_a_page_cannot_be_asked_for_and_forbidden(command: Command, folder: Path) -> None:
    page = folder / "fresh" / "page.html"
    code, _, err = command("audit", folder / "old.csv", folder / "new.csv", *SCORES, "--no-page", "--out", page)
    assert code == 2
    assert err == "shiftproof: --out and --no-page cannot be used together; give only one.\n"


def test_refusal_for_few_new_rows_has_no_figure_for_them(command: Command, folder: Path) -> None:
    code, out, err = command("audit", folder / "old.csv", folder / "few.csv", *QUICK, "--no-page")
    assert (code, err) == (0, "")
    assert out.startswith("Cannot tell whether to trust ")
    assert re.search(r"^model +validated +estimated *$", out, re.MULTILINE)
    assert "Best: probability" not in out
    share = "The share of class 'yes' in the new data cannot be estimated; in the labelled data it is 33.3%."
    assert " ".join(out.split()).count(share) == 1
    assert "of the new rows, 33.3% of the labelled rows" not in out
    step = r'^next step: Label some new rows \("label" below\) before using (lr|nb)\.\nlabel: '
    assert re.search(step, out, re.MULTILINE)


@pytest.mark.parametrize(
    ("verdict", "changed", "failing"),
    [
        ("trust", False, []),
        ("check first", False, ["check"]),
        ("check first", True, ["check", "shift"]),
        ("do not trust", False, ["check", "do-not-trust"]),
        ("cannot tell", True, ["check", "cannot-tell", "shift"]),
    ],
)
def test_fail_on_by_verdict(verdict: str, changed: bool, failing: list[str]) -> None:
    result: Any = SimpleNamespace(verdict=verdict, changed=changed)
    reasons = failures(result)
    assert [name for name, reason in reasons.items() if reason] == failing
    assert {reasons[name] for name in failing if name != "shift"} <= {f'the verdict is "{verdict}"'}  # type: ignore[index]
    assert reasons["shift"] == ("the data changed enough to matter" if changed else "")


@pytest.mark.parametrize(
    ("chance", "most", "words"),
    [
        (0.3, None, ""),
        (0.3, 0.4, ""),
        (0.3, 0.2, "--most-loss-chance 0.2: the chance of a loss is 0.3"),
        (math.nan, 0.2, "--most-loss-chance 0.2: the chance of a loss is not known"),
    ],
)
def test_most_loss_chance_is_the_limit_of_a_job(chance: float, most: float | None, words: str) -> None:
    result: Any = SimpleNamespace(loss_chance=chance)
    assert too_likely(result, most) == words


def test_labels_are_held_back_and_then_compared(command: Command, folder: Path) -> None:
    options = [*SCORES, "--out", "page.html", "--json", "found.json"]
    code, out, err = command("audit", folder / "old.csv", folder / "told.csv", *options, "--verify")
    assert (code, err) == (0, "page: page.html\n")
    assert "Validated: accuracy on the labelled rows." in out
    assert re.search(r"^model +validated +estimated +actual +covered *$", out, re.MULTILINE)
    assert re.search(r"^p +[\d.]+% +[\d.]+% to [\d.]+% +[\d.]+% +(yes|no) *$", out, re.MULTILINE)
    assert out.startswith("Actual accuracy of ")
    assert "Before the labels arrived, the audit said:" in out
    told: dict[str, Any] = json.loads(Path("found.json").read_text(), parse_constant=pytest.fail)
    assert told["verification"]["n_new"] == 120
    code, out, err = command("audit", folder / "old.csv", folder / "told.csv", *SCORES, "--no-page", "--json", "-")
    assert code == 0
    unverified = json.loads(out, parse_constant=pytest.fail)
    assert "verification" not in unverified
    assert unverified["models"] == told["models"]
    assert (
        err == "note: NEW has a column 'bought', which was not used; to compare it with the estimates, add --verify.\n"
    )


def test_verify_with_labels_in_some_rows(command: Command, folder: Path) -> None:
    code, out, _ = command("audit", folder / "old.csv", folder / "some.csv", *SCORES, "--no-page", "--verify")
    assert code == 0
    assert (
        "Actual values are those of the 40 of 120 new rows that have a label. All new rows may differ from them by "
        "chance." in out
    )


def test_plan_then_labels(command: Command, folder: Path) -> None:
    files, options = [folder / "old.csv", folder / "new.csv"], [*SCORES, "--no-page"]
    code, out, err = command("audit", *files, *options, "--plan", "rows.csv")
    assert (code, err) == (0, "rows to label: rows.csv\n")
    assert re.search(
        r"^next step: If 66\.7% accuracy would still be good enough, use p\. If not, label",
        out,
        re.MULTILINE,
    )
    use = r"then pass --labels rows\.csv instead of --plan\."
    how = rf"They are listed in rows\.csv\. Fill in column 'bought', {use}"
    assert re.search(rf"^label: Label .+ {how}$", out, re.MULTILINE)
    rows = pd.read_csv("rows.csv")
    told = pd.read_csv(folder / "told.csv")["bought"]
    rows.assign(bought=told[rows["row"]].to_numpy()).to_csv("rows.csv", index=False)
    filled = Path("rows.csv").read_bytes()
    # The same command again would lose the labels.
    assert command("audit", *files, *options, "--plan", "rows.csv") == (
        2,
        "",
        f"shiftproof: --plan must not write over labels, got rows.csv with {len(rows)} labels; pass that file to "
        "--labels, and another to --plan.\n",
    )
    assert Path("rows.csv").read_bytes() == filled
    code, out, err = command("audit", *files, *options, "--labels", "rows.csv", "--json", "-")
    assert (code, err) == (0, "")
    assert json.loads(out)["performance"]["labels_used"] == len(rows)


def test_report_is_not_written_beside_json_on_standard_output(command: Command, folder: Path) -> None:
    files = [folder / "old.csv", folder / "new.csv", *SCORES, "--json", "-"]
    assert command("audit", *files)[2] == ""
    assert not Path("report.html").exists()
    assert command("audit", *files, "--out", "page.html")[2] == "page: page.html\n"
    assert Path("page.html").exists()


def test_usual_report_never_replaces_an_input(command: Command, folder: Path) -> None:
    Path("report.html").write_bytes((folder / "old.csv").read_bytes())
    code, _, err = command("audit", "report.html", folder / "new.csv", *SCORES)
    assert (code, err) == (
        2,
        "shiftproof: --out must not name a file that is read, got 'report.html'; choose another path.\n",
    )


def test_labels_of_new_cannot_be_verified_too(command: Command, folder: Path) -> None:
    some = folder / "some.csv"
    code, _, err = command("audit", folder / "old.csv", some, *SCORES, "--labels", some, "--verify")
    assert (code, err) == (
        2,
        "shiftproof: --verify and --labels cannot both use the labels of NEW; leave one of them out.\n",
    )


def test_scores_alone_fit_nothing(command: Command, folder: Path) -> None:
    options = ["--target", "bought", "--score-column", "p", "--quick", "--no-page"]
    code, out, err = command("audit", folder / "bare_old.csv", folder / "bare_new.csv", *options)
    assert (code, err) == (0, "")
    assert "changed most" not in out
    assert "features:" not in out
    assert re.search(r"^p +[\d.]+% ", out, re.MULTILINE)


def test_one_file_cut_at_a_date(command: Command, folder: Path) -> None:
    cut = ["--time", "day", "--split", "2010-01-01", "--no-page", "--json", "-"]
    code, out, _ = command("audit", folder / "all.csv", *SCORES, *cut)
    assert code == 0
    told = json.loads(out)
    assert (told["detection"]["n_reference"], told["detection"]["n_current"]) == (240, 120)
    assert "day" not in {row["feature"] for row in told["detection"]["rows"]}


def test_settings_reach_the_audit(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def fake(models: Any, *tables: Any, **settings: Any) -> None:
        seen.update(settings, models=list(models), columns=list(tables[0].columns))
        raise InputError("enough seen")

    monkeypatch.setattr("shiftproof.auditing.audit", fake)
    options = ["--cost", "FP=1,FN=5", "--measure", "profit", "--threshold", "0.4", "--tolerance", "0.1", "--level"]
    options += ["0.8", "--seed", "3", "--no-reverse", "--groups", "who", "--positive", "no", "--exclude", "p"]
    code, _, err = command("audit", folder / "old.csv", folder / "new.csv", "--target", "bought", *options)
    assert (code, err) == (2, "shiftproof: enough seen.\n")
    assert (seen["columns"], seen["groups"]) == (["x", "z", "c", "who"], "who")
    assert len(seen["models"]) == 7
    wanted = {"measure": "profit", "threshold": 0.4, "tolerance": 0.1, "level": 0.8, "random_state": 3, "cv": None}
    wanted |= {"reverse": False, "quick": False, "pos_label": "no"}
    assert {name: seen[name] for name in wanted} == wanted
    assert seen["benefit"] is not None


def test_a_deployed_model_in_a_file(command: Command, folder: Path) -> None:
    io: Any = pytest.importorskip("skops.io")
    from shiftproof.panel import default_models

    earlier = rows(100, 100, 5).drop(columns=["p", "who"])
    io.dump(default_models(only="lr")["lr"].fit(earlier.drop(columns="bought"), earlier["bought"]), "deployed.skops")
    options = ["--target", "bought", "--models", "deployed.skops", *LEFT_OUT, "--no-page"]
    code, out, err = command("audit", folder / "old.csv", folder / "new.csv", *options)
    assert code == 0
    assert err == (
        "note: 'deployed' is already fitted and is used as is: the labelled data must not contain training rows.\n"
    )
    assert re.search(r"^deployed +[\d.]+% ", out, re.MULTILINE)
    assert "left out: ReverseTesting (it would refit deployed models)." in out
    code, _, err = command("audit", folder / "old.csv", folder / "new.csv", *options, "--folds", "3")
    assert (code, err) == (
        2,
        "shiftproof: --folds cannot be used with fitted models, because then no model is fitted; leave out --folds.\n",
    )
    for command_name in ("select", "quantify"):
        code, out, _ = command(command_name, folder / "old.csv", folder / "new.csv", *options[:-1])
        assert code == 0, command_name
    code, out, _ = command("evaluate", folder / "old.csv", *options[:-1])
    assert (code, out.splitlines()[1].split()[0]) == (0, "deployed")
    code, _, _ = command("stress", folder / "old.csv", *options[:-1], "--families", "mar", "--features", "x")
    assert code == 0


@pytest.mark.parametrize(
    ("new", "options", "sentence"),
    [
        ("new", [*SCORES, "--verify"], "NEW has no column 'bought', which --verify needs for the labels; leave out "
         "--verify until the labels have arrived."),
        ("none", [*SCORES, "--verify"], "column 'bought' of NEW is empty, so there are no labels to compare; "
         "leave out --verify until the labels have arrived."),
        ("unknown", [*SCORES, "--verify"], "the label 'maybe' in row 5 of NEW does not occur in LABELLED; available: "
         "'no', 'yes'."),
        ("new", [*SCORES, "--trust", "a.B"], "--trust cannot be used with --score-column, because then no model is "
         "fitted; leave out --trust."),
        ("new", [*QUICK, "--periods", "5"], "--periods needs --time; name the column that says when each row was "
         "observed."),
        ("new", [*QUICK, "--every", "month"], "--every needs --time; name the column that says when each row was "
         "observed."),
        ("new", [*SCORES, "--models", "lr"], "--models cannot be used with --score-column, because then no model is "
         "fitted; leave out --models."),
        ("new", [*SCORES, "--groups", "c"], "--groups cannot be used with --score-column, because then no model is "
         "fitted; leave out --groups."),
        ("new", [*QUICK, "--groups", "day"], "--groups must name a column, got 'day'; available: 'x', 'z', 'c'."),
        ("new", [*QUICK, "--tolerance", "5"], "--tolerance must be a number strictly between 0 and 1, got 5; 0.05 "
         "means five points of accuracy."),
        ("new", [*QUICK, "--measure", "luck"], "--measure must be one of 'accuracy', "),
        ("new", [*QUICK, "--out", "."], "--out must name a file, got the folder '.'; add a file name to the path."),
        ("new", [*QUICK, "--positive", "perhaps"], "--positive must name one of the labels, got 'perhaps'; "
         "available: 'no', 'yes'."),
        ("new", [*QUICK, "--split", "2010"], "--split needs --time; name the column to split by."),
        ("lacking", QUICK, "NEW has no column 'z', which LABELLED has; add it, or pass --exclude z if the models do "
         "not need it."),
        ("bare_new", QUICK, "NEW has no columns 'x', 'z' or 'c', which LABELLED has; add them, or pass --exclude x "
         "--exclude z --exclude c if the models do not need them."),
        ("new", [*QUICK, "--groups", "bought"], "--groups must name a different column from --target, got 'bought'; "
         "available: 'x', 'z', 'c'."),
        ("new", [*QUICK, "--measure", "profit"], "--measure profit needs --cost, for example --cost FP=1,FN=5."),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(command: Command, folder: Path, new: str, options: list[str], sentence: str) -> None:
    code, out, err = command("audit", folder / "old.csv", folder / f"{new}.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


def test_new_rows_must_be_somewhere(command: Command, folder: Path) -> None:
    code, _, err = command("audit", folder / "old.csv", *QUICK)
    assert (code, err) == (
        2,
        "shiftproof: NEW is missing; name the file of new rows, or split one file with --time and --split.\n",
    )


def test_a_column_that_the_new_file_lost_is_a_change_although_scores_need_none(command: Command, folder: Path) -> None:
    code, out, err = command(
        "audit", folder / "old.csv", folder / "lacking.csv", *SCORES, "--no-page", "--fail-on", "shift"
    )
    assert code == 1
    assert "'z'" in out
    assert "note: NEW has no column 'z', which LABELLED has." in err
    assert "exit status 1 because of --fail-on shift: the data changed enough to matter." in err
