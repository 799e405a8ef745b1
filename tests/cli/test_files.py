"""Files that commands write."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from shiftproof.cli._files import check_folders, check_outputs
from shiftproof.core import InputError


def refused(outputs: dict[str, Path | None], *inputs: Path) -> str:
    with pytest.raises(InputError) as error:
        check_outputs(outputs, inputs)
    return str(error.value)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_outputs_that_do_not_exist_yet_are_compared_by_their_place(tmp_path: Path) -> None:
    Path("inside").mkdir()
    Path("also").symlink_to("inside")
    Path("dangling").symlink_to("inside/page")
    for other in (Path("also/page"), Path("inside/../inside/page"), tmp_path / "inside" / "page", Path("dangling")):
        sentence = refused({"--out": Path("inside/page"), "--json": other})
        assert sentence.startswith(f"--json must not name the file of --out, got '{str(other)[:20]}")
    check_outputs({"--out": Path("inside/page"), "--json": Path("inside/pages"), "--plan": None})


def test_standard_output_and_devices_may_be_shared() -> None:
    check_outputs({"--out": Path(os.devnull), "--json": Path(os.devnull)}, [Path(os.devnull), Path("missing.csv")])
    check_outputs({"--out": Path("page"), "--json": Path("-")}, [Path("-")])


def test_names_differ_in_case_only_where_the_file_system_tells_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs: dict[str, Path | None] = {"--out": Path("Page"), "--json": Path("page")}
    monkeypatch.setattr(sys, "platform", "linux")
    check_outputs(outputs)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert refused(outputs).startswith("--json must not name the file of --out, got 'page'")


def test_folders_that_cannot_be_written_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused({"--out": Path("a/page")}) == (
        "--out must name a file that can be written, got 'a/page'; choose another folder."
    )


@pytest.mark.parametrize("option", ["--out", "--plan"])
def test_only_json_writes_to_standard_output(option: str) -> None:
    sentence = f"{option} must name a file, got '-'; only --json writes to standard output."
    assert refused({option: Path("-")}) == sentence


@pytest.mark.parametrize("name", ["-5", "--quick"])
def test_an_option_is_not_a_file_name(name: str) -> None:
    sentence = f"--out must be followed by a file name, got {name!r}; for a file of this name, write ./{name}."
    assert refused({"--out": Path(name)}) == sentence
    check_outputs({"--out": Path.cwd() / name})


def test_folders_that_are_misspelt_are_refused_and_others_created() -> None:
    Path("reports").mkdir()
    assert check_folders({"--out": Path("reports/page.html"), "--json": Path("page.json")}) == []
    with pytest.raises(InputError) as error:
        check_folders({"--out": Path("reprots/may/page.html")})
    assert str(error.value) == "--out: the folder 'reprots' does not exist. Did you mean 'reports'?"
    assert check_folders({"--json": Path("elsewhere/page.json")}) == [Path("elsewhere")]


def test_check_folders_refuses_a_folder_in_a_missing_folder() -> None:
    with pytest.raises(InputError) as error:
        check_folders({"--out": Path("nowhere/x/report.html")})
    assert str(error.value) == "--out: the folder 'nowhere' does not exist; create it first, or name another path."
