from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import pytest

import shiftproof
from shiftproof.core import (
    Argument,
    Failure,
    FileError,
    InputError,
    Phrase,
    RankingUnreliable,
    Sensitive,
    ShiftproofError,
    ShiftproofWarning,
    failed,
    fault,
)


@pytest.mark.parametrize("error", [InputError("the sentence"), FileError("a.csv", "the sentence")])
def test_one_except_clause_catches_all_errors(error: ShiftproofError) -> None:
    with pytest.raises(ShiftproofError, match=r"the sentence\.$"):
        raise error


def test_errors_are_also_what_python_calls_them() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(FileError, InputError)
    assert issubclass(ShiftproofWarning, UserWarning)
    assert not issubclass(ShiftproofWarning, ShiftproofError)


def test_input_error_keeps_its_facts_as_fields() -> None:
    error = fault("cv", "be at most 3", 10, Phrase(Argument("cv", 3), " works"))
    assert (error.name, error.rule, error.got) == ("cv", "be at most 3", 10)
    assert str(error) == "cv must be at most 3, got 10; cv=3 works."
    assert str(error.clause) == "cv must be at most 3, got 10; cv=3 works"


def test_input_error_without_an_argument_has_no_name() -> None:
    error = InputError("every model failed: ", Sensitive("secret"))
    assert (error.name, error.rule) == (None, None)
    assert error.sensitive
    assert error.phrase.redacted() == "every model failed: (hidden)."


def test_input_error_writes_only_the_facts_that_it_has() -> None:
    assert str(fault("y", "be given")) == "y must be given."
    assert str(fault("y", "be given", hint="pass labels")) == "y must be given; pass labels."
    assert str(fault("y", "be given", None)) == "y must be given; got None."
    assert (
        str(InputError(argument="y", rule="be 'a'", got="b", near=["a"])) == "y must be 'a'; got 'b'. Did you mean 'a'?"
    )


def test_input_error_knows_that_its_value_is_a_cell_of_the_data() -> None:
    error = fault("y", "hold classes", "Smith", "drop it", sensitive=True)
    assert str(error) == "y must hold classes, got 'Smith'; drop it."
    assert error.phrase.redacted() == "y must hold classes, got (hidden); drop it."


def test_input_error_can_be_renamed_if_it_is_about_that_argument() -> None:
    error = fault("shares", "sum to 1", 2, "divide them")
    assert str(error.renamed("shares", "split")) == "split must sum to 1, got 2; divide them."
    assert error.renamed("y", "labels") is error


@pytest.mark.parametrize("through", [copy.copy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301
@pytest.mark.parametrize(
    "value",
    [
        fault("alpha", "lie between 0 and 1", 2, Phrase("pass ", Argument("alpha", 0.05))),
        FileError("a.csv", "there is no such file", near=["b.csv"]),
        RankingUnreliable("Too few rows."),
    ],
)
def test_errors_and_warnings_survive_copies_and_pickles(value: object, through: object) -> None:
    assert callable(through)
    other = through(value)
    assert type(other) is type(value)
    assert str(other) == str(value)
    assert vars(other) == vars(value)


def test_failure_keeps_the_first_line_of_an_exception_without_its_full_stop() -> None:
    assert str(Failure.of(ValueError("  \n no 'Smith'.\n more"))) == "ValueError: no 'Smith'"
    assert str(Failure.of(MemoryError())) == "MemoryError"
    assert str(Failure.of(fault("y", "be given"))) == "InputError: y must be given"
    assert failed({"svm": Failure("ValueError", "no 'Smith'")}).redacted() == "'svm' failed with ValueError: (hidden)"


def test_no_error_in_the_source_has_a_full_stop_of_its_own() -> None:
    """The full stop, or the question what was meant, is added by the error itself."""
    for path in Path(shiftproof.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            if node.func.id in ("InputError", "FileError", "fault"):
                last = node.args[-1]
                piece = last.values[-1] if isinstance(last, ast.JoinedStr) else last
                text = piece.value if isinstance(piece, ast.Constant) else ""
                assert not str(text).endswith((".", "?")) or str(text).endswith("..."), f"{path}:{node.lineno}"


def test_an_argument_is_renamed_in_sentences_of_parts_too() -> None:
    error = InputError(Argument("labels"), " has two labels; check ", Argument("id"), argument="labels", near=["a"])
    assert str(error.renamed("labels", "rows.csv")) == "rows.csv has two labels; check id. Did you mean 'a'?"
    assert error.renamed("y", "rows.csv") is error


def test_no_error_or_warning_shows_the_password_of_an_address() -> None:
    address = "https://me:secret@host/x"
    sentences = [
        fault("store", "be a file", address, Phrase("not ", Sensitive(address))),
        FileError(address, "there is no such file"),
        RankingUnreliable(Phrase(address)),
    ]
    assert str(FileError("host=h password='secret", "there is no such file")) == "host=h: there is no such file."
    assert all("me@host" in str(one) and "secret" not in str(one) for one in sentences)
