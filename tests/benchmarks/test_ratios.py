"""What benchmarks write: ratios are derived, in words, and files say how to repeat a run on any machine."""

from __future__ import annotations

import argparse
import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
from benchmarks.ratios import ROOT, UNITS, Agreement, Measured, Ratio, Run, add_write, save, times

TWICE = Ratio(task="sort", peer="numpy", version="2.4.6", unit="CPU s", ours=2.0, theirs=4.0)
RUN = Run(
    command=".venv/bin/python benchmarks/x.py", month="2026-11", versions={"Python": "3.11"}, cores=2, default=True
)


@pytest.mark.parametrize(
    ("unit", "ours", "theirs", "words", "worse"),
    [
        ("CPU s", 2.0, 24.0, "12 x less CPU", False),
        ("CPU s", 2.8, 2.0, "1.40 x more CPU", True),
        ("CPU s", 1.0, 1234.5, "1,234 x less CPU", False),
        ("CPU s", 1.001, 1.0, "equal CPU", False),
        ("MiB", 30.0, 10.0, "3.0 x more memory", True),
        ("error", 0.05, 0.06, "1.20 x lower error", False),
        ("false alarms", 0.0, 0.5, "fewer false alarms: ours none", False),
        ("false alarms", 0.1, 0.0, "more false alarms: theirs none", True),
        ("changed answers", 0.0, 0.0, "as many changed answers", False),
        ("batches", 4.0, None, "shorter delay: theirs never alarms", False),
        ("batches", None, 4.0, "longer delay: ours never alarms", True),
        ("batches", None, None, "equal delay", False),
    ],
)
def test_words_of_a_ratio(unit: str, ours: float | None, theirs: float | None, words: str, worse: bool) -> None:
    ratio = replace(TWICE, unit=unit, ours=ours, theirs=theirs)
    assert (ratio.words, ratio.worse) == (words, worse)


def test_ratio_is_derived_and_frozen() -> None:
    assert TWICE.value == 2
    assert replace(TWICE, theirs=6.0).value == 3
    with pytest.raises(FrozenInstanceError):
        TWICE.ours = 1.0  # type: ignore[misc]


def test_unit_must_be_known() -> None:
    with pytest.raises(ValueError, match=r"^unit must be one of 'CPU s', 'MiB', .*; got 'hours'\.$"):
        replace(TWICE, unit="hours")


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("CPU s", 1234.5, "1,234 s"),
        ("CPU s", 12.345, "12.3 s"),
        ("CPU s", 0.0123, "12.3 ms"),
        ("MiB", 12.345, "12.3 MiB"),
        ("error", 0.05731, "0.0573"),
        ("false alarms", 0.125, "12% of streams"),
        ("batches", 1.0, "1 batch"),
        ("batches", 7.5, "7.5 batches"),
    ],
)
def test_figures_have_units(unit: str, value: float, shown: str) -> None:
    assert replace(TWICE, unit=unit, ours=value, theirs=None).figures() == (shown, "never")


def test_times_has_the_digits_that_matter() -> None:
    assert [times(value) for value in (1.004, 1.494, 1.499, 9.94, 9.96)] == ["1.00", "1.49", "1.5", "9.9", "10"]


def test_words_of_units_differ() -> None:
    assert all(len({unit.less, unit.more, unit.same}) == 3 for unit in UNITS.values())


def test_a_file_is_read_as_it_was_written_and_replaced_by_the_next_run(tmp_path: Path) -> None:
    agreement = Agreement(task="p", peer="scipy", version="1.17", difference=0.0, allowed=1e-9)
    first = Measured(benchmark="toy", run=RUN, ratios=(TWICE, replace(TWICE, unit="batches", theirs=None)))
    path = first.write(tmp_path / "new")
    assert path.name == "toy.json"
    assert Measured.read(path) == first
    second = Measured(benchmark="toy", run=RUN, ratios=(replace(TWICE, ours=1 / 3),), agreements=(agreement,))
    second.write(path.parent)
    read = Measured.read(path)
    assert (read.ratios[0].ours, read.agreements) == (0.3333, (agreement,))
    assert [each.name for each in path.parent.iterdir()] == ["toy.json"]
    assert "ratio" not in json.loads(path.read_text())["ratios"][0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("peers_python")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[100])
    parser.add_argument("--score-rows", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+")
    add_write(parser)
    return parser


def _saved(folder: Path, *words: str) -> Run:
    parser = _parser()
    options = parser.parse_args([*words, "--write", str(folder)])
    how = {"script": "benchmarks/toy.py", "chosen": "--only a"}
    save("toy", [TWICE], parser, options, paths=("peers_python", "data"), **how)
    return Measured.read(folder / "toy.json").run


def test_command_repeats_the_run_on_any_machine(tmp_path: Path) -> None:
    run = _saved(tmp_path, ".venv-peers/bin/python", "../shared/data", "--only", "a", "b")
    assert run.command == ".venv/bin/python benchmarks/toy.py .venv-peers/bin/python ../shared/data --only a"
    assert run.default
    run = _saved(tmp_path, str(ROOT / ".venv-peers/bin/python"), str(tmp_path))
    assert run.command == ".venv/bin/python benchmarks/toy.py .venv-peers/bin/python DATA --only a"
    run = _saved(tmp_path, "python", "--rows", "1", "2", "--score-rows", "3", "--quick")
    assert run.command == ".venv/bin/python benchmarks/toy.py python --only a --rows 1 2 --score-rows 3 --quick"
    assert not run.default


def test_run_says_versions_cores_and_month(tmp_path: Path) -> None:
    run = _saved(tmp_path, "python")
    assert [*run.versions] == ["shiftproof", "Python", "numpy", "scipy", "scikit-learn"]
    assert run.cores >= 1
    assert len(run.month) == len("2026-11")


def test_nothing_is_written_without_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parser = _parser()
    save("toy", [TWICE], parser, parser.parse_args(["python"]), script="benchmarks/toy.py")
    assert list(tmp_path.iterdir()) == []
