"""An option that several commands have is declared once: one default, one help text."""

from __future__ import annotations

import inspect
from collections import defaultdict

import pytest
import typer

import shiftproof as sp
from shiftproof.cli._app import app
from shiftproof.cli._options import failure, kinds_by_column, require_by
from shiftproof.core import InputError

#: Options whose meaning depends on the command, with the reason.
OWN = {
    "alpha": "detect controls the false discovery rate, compare the chance of any false difference",
    "backend": "reproduce takes any backend of joblib as well",
    "by": "detect compares the periods, quantify counts in them",
    "every": "periods of --by in detect and quantify, of --time in backtest and audit",
    "exclude": "detect fits no models",
    "everything": "tests in detect, measures in evaluate",
    "fail_on": "each command answers another question",
    "folds": "audit has fewer with --quick",
    "labelled": "detect needs no labels, evaluate and stress have no other file",
    "measure": "evaluate has labels and so more measures",
    "new": "detect compares all columns, labels among them",
    "method": "ranking in select, counting in quantify",
    "models": "quantify uses the best of two, or all of them",
    "out": "audit always writes a report, demo and compare write to a folder",
    "periods": "of the whole file in backtest, of the labelled past in audit",
    "plan_rows": "select has no tolerance",
    "quick": "fewer folds in audit, fewer cells in reproduce",
    "score_column": "what is done with the scores",
    "target": "detect works without labels",
    "tolerance": "stress judges by accuracy alone",
    "time": "evaluate tests on later rows, the others split one file",
}


OPTIONS = {
    name: {option.name: option for option in command.params}
    for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
}


def test_shared_options_are_declared_once() -> None:
    declarations = defaultdict(set)
    for options in OPTIONS.values():
        for name, option in options.items():
            declarations[name].add((option.metavar, option.help, repr(option.default), tuple(option.opts)))
    assert {name for name, different in declarations.items() if len(different) > 1} <= {*OWN}


@pytest.mark.parametrize("name", ["models", "score_column"])
def test_options_that_differ_in_part_begin_alike(name: str) -> None:
    # A backtest has one file, so that its scores are of that file alone.
    texts = {options[name].help for command, options in OPTIONS.items() if name in options and command != "backtest"}
    assert len(texts) > 1
    assert len({text[:115] for text in texts}) == 1


#: Options that hold something else than the argument of that name: files, flags, and names of default algorithms.
UNLIKE = ("current", "families", "labels", "method", "models", "reference", "results", "window")
#: What a command calls differently from the verb that answers it.
VERB_NAMES = {"seed": "random_state", "positive": "pos_label", "cost": "benefit"}


@pytest.mark.parametrize("name", ["audit", "detect", "select", "quantify", "evaluate", "stress", "backtest", "compare"])
def test_defaults_are_those_of_the_verb(name: str) -> None:
    of_verb = inspect.signature(getattr(sp, name)).parameters
    options = {VERB_NAMES.get(option, option): declared.default for option, declared in OPTIONS[name].items()}
    shared = [option for option in options if option in of_verb and option not in UNLIKE]
    assert {option: options[option] for option in shared} == {option: of_verb[option].default for option in shared}


def test_kinds_need_a_column_and_a_kind() -> None:
    assert kinds_by_column(["a=b=nominal"]) == {"a=b": "nominal"}
    assert kinds_by_column(None) == {}
    for given in ("nominal", "=nominal"):
        with pytest.raises(InputError, match=r"^--kind must have the form COL=KIND, got "):
            kinds_by_column([given])


def test_a_length_needs_a_column() -> None:
    require_by(None, None)
    require_by("month", "date")
    with pytest.raises(InputError, match=r"^--every needs --by; name the column of dates"):
        require_by("month", None)


def test_failure_names_every_condition_that_is_met() -> None:
    reasons = {"harm": "", "shift": "the data changed", "unsure": "the verdict is open"}
    assert failure(["harm", "shift"], reasons) == "--fail-on shift: the data changed"
    several = "--fail-on unsure: the verdict is open; --fail-on shift: the data changed"
    assert failure(["unsure", "shift", "unsure"], reasons) == several
    assert failure(["harm"], reasons) == failure(None, reasons) == ""
    # A period without rows has no conditions.
    assert failure(["shift"], {}) == ""
