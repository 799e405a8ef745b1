from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shiftproof import detection
from shiftproof.cli import run
from shiftproof.core import chance

Command = Callable[..., tuple[int, str, str]]


def exact_p_value(old: Path, new: Path) -> float:
    before, after = (pd.read_csv(file)["amount"].to_numpy() for file in (old, new))
    return float(stats.ks_2samp(before, after, method="exact").pvalue)


def test_the_table_the_verdict_and_the_summary(command: Command, folder: Path) -> None:
    code, out, err = command("detect", folder / "old.csv", folder / "shifted.csv")
    q_value = chance(3 * exact_p_value(folder / "old.csv", folder / "shifted.csv"))  # the smallest of three p-values
    assert (code, err) == (0, "")
    found = detection.detect(folder / "old.csv", folder / "shifted.csv").multivariate
    assert found is not None
    together = (
        f"a classifier distinguishes new rows from reference rows, AUC {found.auc}, q-value {chance(found.q_value)}."
    )
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "SHIFTED 1 of 2 features shifted enough to matter; 'amount' changed most (KS distance 0.30). 200 reference "
        "rows, 200 new rows, 3 tests, false discovery rate 5% (Benjamini-Hochberg). If the link between features and "
        "label changed (concept shift), only labels can show it.",
        "",
        "feature type size of change q-value missing verdict",
        f"amount continuous ████········ 0.30 KS {q_value} – shifted",
        "job nominal ············ 0.00 Hellinger 1 – no shift",
        "",
        f"all features together: {together}",
        "type of shift: not determined (no labels of the reference rows were given).",
        "",
    ]
    header, amount, job = out.splitlines()[2:5]
    assert header.index("type") == amount.index("continuous") == job.index("nominal")


def test_a_narrow_terminal_keeps_the_names_and_the_verdicts(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    _, out, _ = command("detect", folder / "old.csv", folder / "shifted.csv", "--no-multivariate")
    table = out[out.index("feature ") :]
    assert [line.split() for line in table.splitlines()[:3]] == [
        ["feature", "size", "of", "change", "q-value", "verdict"],
        ["amount", "0.30", "KS", "<0.001", "shifted"],
        ["job", "0.00", "Hellinger", "1", "no", "shift"],
    ]
    assert max(map(len, out.splitlines())) <= 50


def test_missing_values_have_a_line_of_their_own(command: Command, tmp_path: Path) -> None:
    full, holes = tmp_path / "full.csv", tmp_path / "holes.csv"
    pd.DataFrame({"amount": [1.5, 2.5] * 50}).to_csv(full, index=False)
    pd.DataFrame({"amount": [1.5, 2.5] * 30 + [None] * 40}).to_csv(holes, index=False)
    _, out, _ = command("detect", full, holes)
    assert re.search(
        r"^amount \(missing\) continuous █████······· 0\.40 missing .* 0% → 40% shifted", out, re.MULTILINE
    )


def test_marks_for_missing_values_are_named_and_read_on_request(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.csv").write_text("amount\n" + "1.5\n2.5\n?\n" * 40)
    Path("new.csv").write_text("amount\n" + "2.5\n1.5\n" * 40)
    _, out, err = command("detect", "old.csv", "old.csv")
    assert re.search("^amount +nominal", out, re.MULTILINE)
    assert err == (
        "note: old.csv: columns were read as text because of some cells: 'amount' ('?' in 40 "
        "rows); pass "
        "--missing '?' if these marks mean missing.\n"
        "note: both tables have the same rows, so no change can be found; check that the second table is the new "
        "data.\n"
    )
    _, out, err = command("detect", "old.csv", "new.csv")
    assert err == (
        "shiftproof: column 'amount' holds text in REFERENCE (such as '?') and numbers in NEW (such "
        "as 2.5); if '?' means missing, read the files with --missing '?'; otherwise convert one of them, or pass "
        "--exclude amount to leave the column out.\n"
    )
    _, out, err = command("detect", "old.csv", "new.csv", "--missing", "?")
    assert re.search("^amount +continuous", out, re.MULTILINE)
    assert err == ""


def test_small_shares_and_sizes_are_not_rounded_away(command: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    values = [0.5, 1.5] * 2500
    pd.DataFrame({"amount": [None] * 100 + values[100:]}).to_csv(old, index=False)
    pd.DataFrame({"amount": [None] * 121 + values[121:]}).to_csv(new, index=False)
    _, out, _ = command("detect", old, new)
    line = next(line.split() for line in out.splitlines() if line.startswith("amount (missing)"))
    assert line[4:6] == ["0.004", "missing"]
    assert line[7:10] == ["2.0%", "→", "2.4%"]


def test_extreme_q_values_and_a_column_without_values(command: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    pd.DataFrame({"amount": [0.5, 1.5] * 200, "empty": [None] * 400}).to_csv(old, index=False)
    pd.DataFrame({"amount": [5.5, 6.5] * 200, "empty": [None] * 400}).to_csv(new, index=False)
    _, out, _ = command("detect", old, new)
    lines = [line.split() for line in out.splitlines()]
    assert lines[lines.index([]) + 2] == [
        "amount",
        "continuous",
        "████████████",
        "1.00",
        "KS",
        "<0.001",
        "–",
        "shifted",
    ]
    share = ["empty", "(missing)", "continuous", "············", "0.00", "missing", "1", "100%", "→", "100%"]
    assert [*share, "no", "shift"] in lines
    # Empty on both sides: nothing was lost, and nothing can be said about values.
    assert ["empty", "continuous", "············", "–", "–", "100%", "→", "100%", "cannot", "tell"] in lines


def test_twenty_tests_are_printed_unless_all_are_asked_for(command: Command, tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    pd.DataFrame({f"column{at}": [0.5, 1.5] * 20 for at in range(23)}).to_csv(wide, index=False)
    _, short, _ = command("detect", wide, wide)
    _, whole, _ = command("detect", wide, wide, "--all")
    assert short.count("no shift") == 20
    assert "… and 3 more tests; --all shows them.\n" in short
    _, shorter, _ = command("detect", wide, wide, "--exclude", "column0", "--exclude", "column1")
    assert "… and 1 more test; --all shows it.\n" in shorter
    assert whole.count("no shift") == 23
    assert "more tests" not in whole


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("old", "shifted", {"changed": 1, "shift": 1, "unsure": 1}),
        ("old", "same", {"changed": 0, "shift": 0, "unsure": 0}),
        ("many", "slight", {"changed": 1, "shift": 0, "unsure": 0}),
        ("labelled", "old", {"changed": 1, "shift": 1, "unsure": 1}),
        ("few", "few", {"changed": 0, "shift": 0, "unsure": 1}),
    ],
)
def test_what_a_nightly_job_hears(command: Command, folder: Path, old: str, new: str, codes: dict[str, int]) -> None:
    files = folder / f"{old}.csv", folder / f"{new}.csv"
    assert command("detect", *files)[0] == 0
    assert {fail_on: command("detect", *files, "--fail-on", fail_on)[0] for fail_on in codes} == codes


def test_significant_but_negligible(command: Command, folder: Path) -> None:
    code, out, _ = command("detect", folder / "many.csv", folder / "slight.csv", "--no-multivariate")
    assert code == 0
    assert " ".join(out.split()).startswith(
        "NEGLIGIBLE Significant but negligible: 1 of 2 features shifted, none enough to matter; 'amount' changed "
        "most (KS distance 0.03). 20,000 reference rows, 20,000 new rows, 2 tests, false discovery rate 5% "
        "(Benjamini-Hochberg). If the link between features and label changed (concept shift), only labels can show it."
    )


def test_json_on_standard_output_is_alone_there(command: Command, folder: Path) -> None:
    code, out, err = command("detect", folder / "numbered.csv", folder / "numbered.csv", "--json", "-")
    found = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert err.startswith("note: ")
    assert (found["verdict"], found["n_reference"], found["alpha"]) == ("no shift", 200, 0.05)
    assert [row["feature"] for row in found["rows"]] == ["amount", "job"]
    assert found["left_out"] == {"number": "identifier"}


def test_json_is_what_the_library_says(command: Command, folder: Path) -> None:
    _, out, _ = command("detect", folder / "old.csv", folder / "shifted.csv", "--json", "-")
    assert json.loads(out) == detection.detect(folder / "old.csv", folder / "shifted.csv").to_dict()


def test_json_in_a_file_leaves_the_table_on_the_screen(command: Command, folder: Path, tmp_path: Path) -> None:
    code, out, _ = command("detect", folder / "old.csv", folder / "shifted.csv", "--json", tmp_path / "new" / "a.json")
    assert code == 0
    assert out.startswith("SHIFTED  ")
    assert json.loads((tmp_path / "new" / "a.json").read_text(encoding="utf-8"))["material"] is True


def test_json_and_the_exit_code_go_together(command: Command, folder: Path) -> None:
    code, out, _ = command("detect", folder / "old.csv", folder / "shifted.csv", "--json", "-", "--fail-on", "shift")
    assert code == 1
    assert json.loads(out)["shifted"] is True


@pytest.mark.parametrize(
    ("encoding", "written"), [("utf-8", "größe 年🙂"), ("cp1252", r"gr\u00f6\u00dfe \u5e74\ud83d\ude42")]
)
def test_json_passes_through_any_pipe(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, written: str
) -> None:
    named = tmp_path / "named.csv"
    named.write_text((folder / "old.csv").read_text().replace("amount", "größe 年🙂"), encoding="utf-8")
    pipe = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(pipe, encoding=encoding))
    assert run(["detect", str(named), str(named), "--json", "-"]) == 0
    text = pipe.getvalue().decode(encoding)
    assert f'"feature": "{written}"' in text
    assert json.loads(text)["rows"][0]["feature"] == "größe 年🙂"


def test_a_page(command: Command, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / ("a-long-folder-name-" * 10) / "page.html"
    code, out, err = command("detect", folder / "old.csv", folder / "shifted.csv", "--out", page)
    assert (code, err) == (0, f"note: creating the folder {str(page.parent)!r}.\npage: {page}\n")
    assert out.startswith("SHIFTED  ")
    text = page.read_text(encoding="utf-8")
    assert "<strong>The data have shifted</strong>" in text
    assert "low (95%)" in text
    assert "ordered by size relative to the threshold at which a change matters" in text
    assert "largest on top" not in text


def test_a_page_and_json_on_standard_output(command: Command, folder: Path, tmp_path: Path) -> None:
    arguments = ["--out", tmp_path / "page.html", "--json", "-"]
    code, out, err = command("detect", folder / "old.csv", folder / "same.csv", *arguments)
    assert code == 0
    assert json.loads(out)["verdict"] == "no shift"
    assert err == f"page: {tmp_path / 'page.html'}\n"


@pytest.mark.parametrize("option", ["--out", "--json"])
def test_a_folder_is_no_output(command: Command, folder: Path, tmp_path: Path, option: str) -> None:
    code, out, err = command("detect", folder / "old.csv", folder / "same.csv", option, tmp_path)
    assert (code, out) == (2, "")
    assert (
        err
        == f"shiftproof: {option} must name a file, got the folder {str(tmp_path)!r}; add a file name to the path.\n"
    )


def test_columns_can_be_left_out(command: Command, folder: Path) -> None:
    _, out, err = command("detect", folder / "labelled.csv", folder / "same.csv", "--exclude", "y", "--exclude", "job")
    assert err == ""
    assert "job  " not in out
    assert "Not tested: 'y' (excluded), 'job' (excluded)." in " ".join(out.split())


def test_a_column_to_leave_out_must_exist(command: Command, folder: Path) -> None:
    assert command("detect", folder / "old.csv", folder / "same.csv", "--exclude", "jobs") == (
        2,
        "",
        "shiftproof: --exclude must name a column; got 'jobs'. Did you mean 'job'?\n",
    )


@pytest.mark.parametrize(("given", "got"), [("y,job", "'y,job'"), ("y, job", "'y, job'")])
def test_columns_joined_by_commas_are_told_how_to_be_given(
    command: Command, folder: Path, given: str, got: str
) -> None:
    assert command("detect", folder / "labelled.csv", folder / "old.csv", "--exclude", given) == (
        2,
        "",
        f"shiftproof: --exclude must name one column, got {got}; repeat --exclude for each column.\n",
    )


def test_a_column_may_have_a_comma_in_its_name(command: Command, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    pd.DataFrame({"a,b": [1.5, 2.5] * 20, "a": [1.5, 2.5] * 20, "b": [1.5, 2.5] * 20}).to_csv(rows, index=False)
    code, out, _ = command("detect", rows, rows, "--exclude", "a,b")
    assert code == 0
    assert "Not tested: 'a,b' (excluded)." in " ".join(out.split())


def test_two_targets_are_one_too_many(command: Command, folder: Path) -> None:
    _, _, err = command("detect", folder / "labelled.csv", folder / "old.csv", "--target", "y,job")
    assert err == "shiftproof: --target must name one column, got 'y,job'; choose one of them.\n"


@pytest.mark.parametrize("new", ["old", "labelled"])
def test_the_target_tells_the_kind_of_the_shift(command: Command, folder: Path, new: str) -> None:
    files = folder / "relabelled.csv", folder / f"{new}.csv"
    code, out, err = command("detect", *files, "--target", "y", "--fail-on", "changed")
    assert (code, err) == (0, "")
    assert "presence" not in out
    assert re.search("^type of shift: ", out, re.MULTILINE)
    assert "Not tested" not in out


def test_without_labels_in_the_reference_the_kind_stays_untold(command: Command, folder: Path) -> None:
    code, out, err = command("detect", folder / "old.csv", folder / "relabelled.csv", "--target", "y")
    assert code == 0
    assert err == "note: REFERENCE has no column 'y', so the type of shift cannot be determined.\n"
    assert "type of shift" not in out
    assert "Not tested: 'y' (excluded)." in " ".join(out.split())


def test_a_target_in_neither_table(command: Command, folder: Path) -> None:
    code, out, err = command("detect", folder / "labelled.csv", folder / "old.csv", "--target", "label")
    assert (code, out) == (2, "")
    assert err == "shiftproof: --target must name a column, got 'label'; available: 'amount', 'job', 'y'.\n"


def test_a_column_that_is_gone_is_a_finding(command: Command, folder: Path) -> None:
    _, out, _ = command("detect", folder / "labelled.csv", folder / "old.csv")
    lines = out[out.index("\nfeature ") + 1 :].splitlines()
    assert lines[1].split() == [
        "y",
        "(presence)",
        "continuous",
        "████████████",
        "1.00",
        "–",
        "0%",
        "→",
        "100%",
        "shifted",
    ]
    assert "y (presence): absent from the new data" in lines


def test_an_identifier_is_named_with_the_option_that_tests_it(command: Command, folder: Path) -> None:
    code, out, err = command("detect", folder / "numbered.csv", folder / "renumbered.csv")
    assert code == 0
    assert err == ("note: left out of tests: 'number' (identifier); pass --kind number=continuous to test it anyway.\n")
    assert "Not tested: 'number' (identifier)." in " ".join(out.split())


def test_the_advice_of_the_note_works(command: Command, folder: Path) -> None:
    arguments = ["--kind", "number=continuous"]
    code, out, err = command("detect", folder / "numbered.csv", folder / "renumbered.csv", *arguments)
    assert (code, err) == (0, "")
    assert re.search("^number +continuous", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "option"),
    [("[/red]", "'[/red]=nominal'"), ("[bold]", "'[bold]=nominal'"), ("a b", "'a b=nominal'"), ("$x", "'$x=nominal'")],
)
def test_names_that_mean_something_to_a_terminal_or_a_shell(
    command: Command, tmp_path: Path, name: str, option: str
) -> None:
    rows = tmp_path / "rows.csv"
    pd.DataFrame({name: [f"k{at}" for at in range(40)], f"{name}.": [0.5, 1.5] * 20}).to_csv(rows, index=False)
    other = tmp_path / "other.csv"
    pd.read_csv(rows).iloc[::-1].to_csv(other, index=False)
    code, out, err = command("detect", rows, other)
    assert code == 0
    assert err == (f"note: left out of tests: {name!r} (identifier); pass --kind {option} to test it anyway.\n")
    assert f"{name}." in out


def test_names_cannot_steer_the_terminal(command: Command, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    pd.DataFrame({"\x1b]0;title\x07": [0.5, 1.5] * 20, "a\u202eb": [0.5, 1.5] * 20}).to_csv(rows, index=False)
    code, out, err = command("detect", rows, rows)
    assert (code, err.count("\n")) == (0, 1)
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", out)
    assert {"�]0;title�", "a�b"} <= set(out.split())


def test_a_kind_can_be_given(command: Command, folder: Path) -> None:
    _, out, _ = command("detect", folder / "labelled.csv", folder / "labelled.csv", "--kind", "y=nominal")
    assert re.search(r"^y +nominal ", out, re.MULTILINE)


def test_a_name_with_an_equals_sign_can_have_a_kind(command: Command, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    pd.DataFrame({"a=b": [1, 2] * 20}).to_csv(rows, index=False)
    _, out, _ = command("detect", rows, rows, "--kind", "a=b=nominal")
    assert re.search(r"^a=b +nominal ", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("job", "--kind must have the form COL=KIND, got 'job'; for example, write --kind zip=nominal."),
        ("=nominal", "--kind must have the form COL=KIND, got '=nominal'; for example, write --kind zip=nominal."),
        ("jobs=nominal", "--kind must name columns of the two tables; got 'jobs'. Did you mean 'job'?"),
        (
            "job=nominl",
            "--kind for 'job' must be one of 'continuous', 'nominal', 'date', 'text', 'identifier'; "
            "got 'nominl'. Did you mean 'nominal'?",
        ),
        (
            "job=continuous",
            "--kind for 'job' must fit a column of text such as 'clerk', got 'continuous'; "
            "choose 'nominal', 'text' or 'identifier', or convert the column to numbers.",
        ),
    ],
)
def test_a_kind_that_does_not_fit(command: Command, folder: Path, kind: str, sentence: str) -> None:
    files = folder / "old.csv", folder / "same.csv"
    assert command("detect", *files, "--kind", kind) == (2, "", f"shiftproof: {sentence}\n")


def test_a_column_that_changed_its_type_is_told_with_the_option_that_helps(command: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("code,amount\n1,0.5\n2,1.5\n")
    new.write_text("code,amount\na,0.5\nb,1.5\n")
    code, out, err = command("detect", old, new)
    assert (code, out) == (2, "")
    assert err == (
        "shiftproof: column 'code' holds numbers in REFERENCE (such as 1) and text in NEW (such as "
        "'a'); convert one of them, or pass --exclude code to leave the column out.\n"
    )


@pytest.mark.parametrize(("alpha", "got"), [("5", "5"), ("0", "0"), ("-0.1", "-0.1"), ("nan", "nan")])
def test_alpha_is_a_share(command: Command, folder: Path, alpha: str, got: str) -> None:
    assert command("detect", folder / "old.csv", folder / "same.csv", "--alpha", alpha) == (
        2,
        "",
        f"shiftproof: --alpha must be a number strictly between 0 and 1, got {got}; 0.05 means 5%.\n",
    )


def test_alpha_is_the_level(command: Command, folder: Path) -> None:
    arguments = ["--alpha", "1e-9", "--fail-on", "changed"]
    code, out, _ = command("detect", folder / "old.csv", folder / "shifted.csv", *arguments)
    assert code == 0
    assert "false discovery rate 1e-07% (Benjamini-Hochberg)." in " ".join(out.split())


def test_a_missing_file(command: Command, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "february.csv").write_text("amount\n0.5\n")
    missing = tmp_path / "febuary.csv"
    code, out, err = command("detect", folder / "old.csv", missing)
    assert (code, out) == (2, "")
    assert err == f"shiftproof: {missing}: there is no such file. Did you mean 'february.csv'?\n"


def test_a_folder_is_no_table(command: Command, folder: Path) -> None:
    code, out, err = command("detect", folder / "old.csv", folder)
    assert (code, out) == (2, "")
    assert err == f"shiftproof: {folder}: this is a folder; name one of its files, such as 'few.csv'.\n"


def test_a_broken_line_is_named(command: Command, folder: Path) -> None:
    ragged = folder / "ragged.csv"
    sentence = f"{ragged}: line 3 has 1 cell where the header names 2; complete or remove the line."
    assert command("detect", folder / "old.csv", ragged) == (2, "", f"shiftproof: {sentence}\n")


def test_tables_without_a_shared_column(command: Command, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("colour\nred\n")
    code, out, err = command("detect", folder / "old.csv", other)
    assert (code, out) == (2, "")
    assert err == (
        "shiftproof: REFERENCE and NEW must share at least one column, got 'amount' and 'job' against 'colour'; "
        "check the headers of both.\n"
    )


def test_the_filters_of_warnings_stay(command: Command, folder: Path) -> None:
    before: list[Any] = list(warnings.filters)
    command("detect", folder / "numbered.csv", folder / "numbered.csv")
    assert list(warnings.filters) == before


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``old.csv`` and ``new.csv``.

    `p` and `q` are scores: those of `p` are higher in the new rows, those of `q` are the same. `day` runs over five
    months of 2009, of which March has no row and May has one; two days are missing. `amount` moves in February.
    """
    place = tmp_path_factory.mktemp("scored")
    at = np.arange(300)
    even = (at * 37 % 300 + 0.5) / 300
    old = pd.DataFrame({"amount": even, "job": np.where(at % 2, "nurse", "clerk"), "p": even[::-1] ** 2, "q": even})
    old.assign(y=np.where(even > 0.5, "yes", "no")).to_csv(place / "old.csv", index=False)
    new = old.assign(p=np.sqrt(old["p"]), day=pd.Timestamp("2009-01-01") + pd.to_timedelta(at // 20, unit="D"))
    new.loc[100:199, "day"] += pd.Timedelta(days=31)
    new.loc[100:199, "amount"] += 0.5
    new.loc[200:298, "day"] += pd.Timedelta(days=90)
    new.loc[299, "day"] = pd.Timestamp("2009-05-31")
    new.loc[[5, 17], "day"] = pd.NaT
    new.assign(part=np.where(at < 150, "a", "b"), number=at * 1.5).to_csv(place / "new.csv", index=False)
    return place


def test_scores_come_first(command: Command, scored: Path) -> None:
    options = ["--score-column", "p", "--score-column", "q", "--exclude", "y", "--exclude", "day", "--no-multivariate"]
    code, out, err = command("detect", scored / "old.csv", scored / "new.csv", *options)
    assert (code, err) == (0, "")
    assert out.startswith("SHIFTED  The scores of 1 of 2 models shifted ('p' the most, KS 0.25)")
    tables = out[out.index("\nscore ") + 1 :].splitlines()
    head, first, second, gap, features, *_ = tables
    assert head.split() == ["score", "size", "of", "change", "new", "scores", "q-value", "verdict"]
    assert first.split()[:4] == ["p", "███·········", "0.25", "KS"]
    assert "higher, mean 0.33 → 0.50" in first
    assert first.rstrip().endswith("shifted")
    assert second.split() == ["q", "············", "0.00", "KS", "as", "before", "1", "no", "shift"]
    assert gap == ""
    assert features.startswith("feature ")
    assert not re.search("^[pq] ", "\n".join(tables[4:]), re.MULTILINE)  # no features


def test_one_score_on_a_narrow_terminal(command: Command, scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = command("detect", scored / "new.csv", scored / "old.csv", "--score-column", "p", "--exclude", "day")
    head, first, *_ = out[out.index("\nscore ") + 1 :].splitlines()
    assert head.split() == ["score", "size", "of", "change", "new", "scores", "p", "verdict"]
    assert first.split()[:4] == ["p", "0.25", "KS", "lower"]
    assert max(map(len, out.splitlines())) <= 60


def test_scores_in_json(command: Command, scored: Path) -> None:
    options = ["--score-column", "p", "--score-column", "q", "--target", "y", "--json", "-"]
    _, out, _ = command("detect", scored / "old.csv", scored / "new.csv", *options)
    told = json.loads(out, parse_constant=pytest.fail)
    assert [row["model"] for row in told["scores"]] == ["p", "q"]
    assert told["kind"]["kind"] == told["shift_kind"]


def test_groups_that_fail_together(command: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    old = pd.DataFrame({"a": rng.normal(size=400), "c": rng.normal(size=400)})
    old["b"] = old["a"] + rng.normal(0, 0.01, 400)
    old.to_csv(tmp_path / "old.csv", index=False)
    old.assign(a=old["a"] + 1).to_csv(tmp_path / "new.csv", index=False)
    _, out, _ = command("detect", tmp_path / "old.csv", tmp_path / "new.csv")
    assert "features that usually change together: 'a' and 'b'." in out
    assert "'a' changed and 'b' did not, although the two usually change together" in out


def over_time(command: Command, scored: Path, *options: str) -> tuple[int, str, str]:
    return command("detect", scored / "old.csv", scored / "new.csv", "--exclude", "y", "--by", "day", *options)


def test_over_time(command: Command, scored: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, err = over_time(command, scored, "--every", "month", "--score-column", "p", "--out", str(page))
    assert (code, err) == (0, f"page: {page}\n")
    lines = [line.split() for line in out.splitlines()]
    assert " ".join(lines[0]) == "month rows verdict p of scores shifted changed most mean Hellinger"
    assert [line[:2] for line in lines[1:6]] == [
        ["2009-01", "98"],
        ["2009-02", "100"],
        ["2009-03", "0"],
        ["2009-04", "99"],
        ["2009-05", "1"],
    ]
    assert lines[2][2] == "shifted"
    assert lines[2][4:9] == ["1", "of", "3", "amount", "0.52"]
    assert lines[3][2:] == ["cannot", "tell", "–", "–", "–", "–"]
    legend = "Mean Hellinger: the mean distance of the features; in brackets, the distance that chance alone gives."
    assert legend in " ".join(out.split())
    assert "2 rows without 'day' were left out." in " ".join(out.split())
    assert "Which features, and when" in page.read_text(encoding="utf-8")


def test_over_time_on_a_narrow_terminal(command: Command, scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = over_time(command, scored, "--every", "week", "--score-column", "p", "--score-column", "q")
    assert out.splitlines()[0].split() == ["week", "rows", "verdict", "p", "shifted", "worst", "mean", "H"]
    assert max(map(len, out.splitlines())) <= 60


def test_over_time_in_json(command: Command, scored: Path) -> None:
    _, out, _ = over_time(command, scored, "--every", "month", "--json", "-")
    told = json.loads(out, parse_constant=pytest.fail)
    assert (told["by"], told["every"], told["latest"], told["n_undated"]) == ("day", "month", "2009-05", 2)
    assert [period["rows"] for period in told["periods"]] == [98, 100, 0, 99, 1]
    assert told["periods"][2]["detection"] is None


@pytest.mark.parametrize(
    ("by", "every", "codes"),
    [("day", "month", {"changed": 0, "shift": 0, "unsure": 1}), ("day", "quarter", {"changed": 0, "unsure": 0})],
)
def test_the_last_period_decides(command: Command, scored: Path, by: str, every: str, codes: dict[str, int]) -> None:
    options = ["--exclude", "y", "--by", by, "--every", every, "--exclude", "part", "--exclude", "p"]
    found = {
        fail_on: command("detect", scored / "old.csv", scored / "new.csv", *options, "--fail-on", fail_on)[0]
        for fail_on in codes
    }
    assert found == codes


def test_the_last_of_twelve_weeks_decides_and_is_named(command: Command, tmp_path: Path) -> None:
    rows = pd.DataFrame({"x": np.arange(600) % 50, "week": [f"w{week}" for week in np.arange(600) // 50 + 1]})
    rows.to_csv(tmp_path / "old.csv", index=False)
    rows.assign(x=rows["x"] + 40 * (rows["week"] == "w12")).to_csv(tmp_path / "new.csv", index=False)
    files = tmp_path / "old.csv", tmp_path / "new.csv"
    code, out, err = command("detect", *files, "--by", "week", "--fail-on", "shift")
    assert code == 1
    assert "The last period is w12 (shifted)." in " ".join(out.split())
    assert "note: --fail-on looks at the last period that has rows: w12 (shifted)." in " ".join(err.split())


def test_periods_that_are_values(command: Command, scored: Path) -> None:
    _, out, _ = command("detect", scored / "old.csv", scored / "new.csv", "--exclude", "y", "--by", "part")
    assert [line.split()[:2] for line in out.splitlines()[:3]] == [["period", "rows"], ["a", "150"], ["b", "150"]]
    assert "2 periods of 'part'" in out


def test_many_periods_are_cut_unless_all_are_asked_for(command: Command, tmp_path: Path) -> None:
    rows = pd.DataFrame({"x": np.arange(190) % 19, "part": np.arange(190) % 63})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    _, short, _ = command("detect", tmp_path / "rows.csv", tmp_path / "rows.csv", "--by", "part")
    _, whole, _ = command("detect", tmp_path / "rows.csv", tmp_path / "rows.csv", "--by", "part", "--all")
    assert short.splitlines()[0] == "… 3 earlier periods; --all shows them."
    assert len(whole.splitlines()) == len(short.splitlines()) + 2


def test_notes_are_said_once(command: Command, scored: Path, tmp_path: Path) -> None:
    for name in ("old", "new"):
        pd.read_csv(scored / f"{name}.csv").assign(id=range(300)).to_csv(tmp_path / f"{name}.csv", index=False)
    _, out, err = command("detect", tmp_path / "old.csv", tmp_path / "new.csv", "--exclude", "y", "--by", "day")
    assert err == "note: left out of tests: 'id' (identifier); pass --kind id=continuous to test it anyway.\n"
    assert "Not tested: 'y' (excluded), 'id' (identifier)" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--score-column", "part"],
            "REFERENCE has no column 'part', which --score-column names; score both files with the same model.",
        ),
        (
            ["--score-column", "y"],
            "NEW has no column 'y', which --score-column names; score both files with the same model.",
        ),
        (["--score-column", "r"], "--score-column must name a column, got 'r'; available: 'amount', 'job', "),
        (["--score-column", "p,q"], "--score-column must name one column, got 'p,q'; "),
        (["--score-column", "job"], "--score-column 'job' of REFERENCE must be probabilities, got '"),
        (
            ["--score-column", "amount"],
            "--score-column 'amount' of NEW must lie between 0 and 1, got 1.",
        ),
        (["--by", "when"], "--by must name a column, got 'when'; available: 'amount', 'job', "),
        (["--by", "y"], "--by must name a column, got 'y'; available: "),
        (
            ["--by", "number"],
            "--by must name a column of dates, or of at most 200 different values, got 'number' with 300 (numbers); "
            "convert it to dates, or round it.",
        ),
        (
            ["--by", "part", "--every", "month"],
            "--every month needs a column of dates, but 'part' contains text; leave out --every, or convert the "
            "column to dates.",
        ),
        (["--every", "month"], "--every needs --by; name the column of dates."),
        (
            ["--by", "day", "--every", "hour"],
            "--every must be one of 'day', 'week', 'month', 'quarter', 'year'; got 'hour'.",
        ),
        (["--target", "label"], "--target must name a column, got 'label'; available: "),
    ],
)
def test_bad_input_is_one_line(command: Command, scored: Path, options: list[str], sentence: str) -> None:
    code, out, err = command("detect", scored / "old.csv", scored / "new.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("files", "options", "sentence"),
    [
        (
            ("x,p\n1,0.5\n2,\n", "x,p\n1,0.5\n2,0.2\n"),
            ["--score-column", "p"],
            "--score-column 'p' of REFERENCE must have a value in every row, got 1 row without one; drop such rows "
            "first.",
        ),
        (
            ("x,y\n1,a\n2,\n", "x\n1\n2\n"),
            ["--target", "y"],
            "column 'y', which --target names, is empty in 1 of 2 rows of REFERENCE; drop or label these rows first, "
            "or pass --exclude y instead of --target.",
        ),
        (
            ("x,y\n1,a\n2,a\n", "x\n1\n2\n"),
            ["--target", "y"],
            (
                "--target must contain at least two classes, got one class, 'a'; add rows of another class, or use "
                "another column."
            ),
        ),
        (
            ("x\n1\n", "x,d\n1,\n2,\n"),
            ["--by", "d"],
            "--by must name a column with values, got 'd', which has none; name another.",
        ),
        (("x\n1\n", "z,d\n1,a\n"), ["--by", "d"], "REFERENCE and NEW must share at least one column, got 'x' "),
        (
            ("x\n1\n", "x,d\n"),
            ["--by", "d"],
            "FOLDER/new.csv: the file has a header but no rows; check how it was written.",
        ),
        (("x\n1\n", "x,d\na,1\n"), ["--by", "d"], "column 'x' holds numbers in REFERENCE (such as 1) and text in "),
    ],
)
def test_bad_files_are_one_line(
    command: Command, tmp_path: Path, files: tuple[str, str], options: list[str], sentence: str
) -> None:
    for name, text in zip(("old", "new"), files, strict=True):
        (tmp_path / f"{name}.csv").write_text(text)
    code, out, err = command("detect", tmp_path / "old.csv", tmp_path / "new.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence.replace('FOLDER', str(tmp_path))}")
    assert err.count("\n") == 1


def test_an_empty_file(command: Command, folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    code, out, err = command("detect", folder / "old.csv", empty)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {empty}: ")
    assert err.count("\n") == 1


def test_periods_cannot_steer_the_terminal(command: Command, tmp_path: Path) -> None:
    rows = pd.DataFrame({"x": [1.5, 2.5] * 20, "[bold]\x1b[31m": ["\x1b]0;a\x07", "[/red]"] * 20})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    code, out, err = command("detect", tmp_path / "rows.csv", tmp_path / "rows.csv", "--by", "[bold]\x1b[31m")
    assert (code, err) == (0, "")
    assert not re.search("[\x00-\x09\x0b-\x1f]", out)
    assert {"�]0;a�", "[/red]"} <= set(out.split())


def test_one_file_cut_at_a_date(command: Command, folder: Path, tmp_path: Path) -> None:
    old, new = (pd.read_csv(folder / f"{name}.csv") for name in ("old", "shifted"))
    both = pd.concat([old.assign(day="2009-12-31"), new.assign(day="2010-01-01")])
    both.sample(frac=1, random_state=0).to_csv(tmp_path / "all.csv", index=False)
    cut = ["--time", "day", "--split", "2010-01-01", "--no-multivariate"]
    code, out, err = command("detect", tmp_path / "all.csv", *cut, "--fail-on", "shift")
    why = "exit status 1 because of --fail-on shift: a feature or score changed enough to matter.\n"
    assert (code, err) == (1, why)
    assert re.search(r"^amount .* 0\.30 KS .* shifted", out, re.MULTILINE)
    assert "day" not in out
    _, out, _ = command("detect", tmp_path / "all.csv", *cut, "--by", "day", "--every", "year")
    assert re.search(r"^2010 +200 shifted", out, re.MULTILINE)


def test_new_rows_must_be_somewhere(command: Command, folder: Path) -> None:
    code, _, err = command("detect", folder / "old.csv")
    assert (code, err) == (
        2,
        "shiftproof: NEW is missing; name the file of new rows, or split one file with --time and --split.\n",
    )


def test_a_column_that_is_probably_the_label_is_named(command: Command, tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    table = pd.DataFrame({"x": [0.5, 1.5, 2.5] * 20, "Target": [0, 1] * 30})
    table.to_csv(old, index=False)
    table.iloc[::-1].to_csv(new, index=False)
    note = "note: 'Target' is compared as if it were a feature; if it is the label, pass --target Target.\n"
    assert command("detect", old, new)[2] == note
    assert command("detect", old, new, "--exclude", "Target")[2] == ""
    table.rename(columns={"Target": "it bought"}).to_csv(old, index=False)
    table.iloc[::-1].drop(columns="Target").to_csv(new, index=False)
    assert (
        "'it bought' is compared as if it were a feature; if it is the label, pass --target 'it bought'."
        in command("detect", old, new)[2]
    )
    # Of two columns that NEW lacks, the label is the one with a few values.
    table.assign(many=range(60)).rename(columns={"Target": "it bought"}).to_csv(old, index=False)
    assert "pass --target 'it bought'." in command("detect", old, new)[2]
