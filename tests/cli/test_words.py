from __future__ import annotations

from typing import Any

import pytest

from shiftproof.cli._words import as_option, in_terminal, with_options
from shiftproof.core import Argument, FileError, Phrase, Sensitive, fault, tame


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        (Argument("cv"), "--folds"),
        (Argument("cv", 3), "--folds 3"),
        (Argument("control", ...), "--control"),
        (Argument("benefit", Phrase("sp.Benefit(...)")), "--cost, for example --cost FP=1,FN=5"),
        (Argument("kinds", {"it's": "nominal"}), "--kind 'it'\"'\"'s=nominal'"),
        (Argument("kinds", key="a b"), "--kind for 'a b'"),
        (Argument("quick", True), "--quick"),
        (Argument("exclude", ["zip code"]), "--exclude 'zip code'"),
        (Argument("exclude", ["a", "b"]), "--exclude a --exclude b"),
        (Argument("reference_scores", key="p"), "--score-column 'p' of REFERENCE"),
        (Argument("current_scores", key="p"), "--score-column 'p' of NEW"),
        (Argument("scores", key="p"), "--score-column 'p' of LABELLED"),
        (Argument("new", key="p"), "--score-column 'p' of NEW"),
        (Argument("bandwidth", 3), "bandwidth=3"),
        (Argument("column 'time'"), "column 'time'"),
    ],
)
def test_as_option_calls_an_argument_by_its_option(argument: Argument, option: str) -> None:
    assert as_option(argument) == option


def test_in_terminal_writes_an_error_with_options() -> None:
    error = fault("cv", "be below 4", 9, Phrase(Argument("cv", 3), " is the largest that works"))
    assert in_terminal(error.phrase) == "--folds must be below 4, got 9; --folds 3 is the largest that works."


def test_in_terminal_leaves_names_of_files_columns_and_values_alone() -> None:
    assert in_terminal(FileError("cv", "there is no column 'exclude'").phrase) == "cv: there is no column 'exclude'."
    assert in_terminal("left out of tests: 'cv=3' (identifier)") == "left out of tests: 'cv=3' (identifier)"
    assert in_terminal(fault("y", "fit", "alpha=", "drop it").phrase) == "--target must fit, got 'alpha='; drop it."


def test_tame_replaces_what_steers_a_terminal() -> None:
    assert tame("\x1b[31mred\u202e") == "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"


def test_with_options_keeps_what_is_sensitive() -> None:
    phrase = Phrase("leave ", Sensitive("zip"), " out: ", Argument("exclude", ["zip code"]))
    written: Any = with_options(phrase)
    assert str(written) == "leave zip out: --exclude 'zip code'"
    assert written.redacted() == "leave (hidden) out: --exclude 'zip code'"
    assert with_options("text") == "text"
