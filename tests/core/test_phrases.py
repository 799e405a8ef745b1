from __future__ import annotations

import pytest

from shiftproof.core import Argument, Note, Phrase, Sensitive


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        (Argument("cv"), "cv"),
        (Argument("cv", 3), "cv=3"),
        (Argument("control", ...), "control="),
        (Argument("benefit", Phrase("sp.Benefit(...)")), "benefit=sp.Benefit(...)"),
        (Argument("kinds", {"zip": "nominal"}), "kinds={'zip': 'nominal'}"),
        (Argument("kinds", key="zip"), "kinds['zip']"),
        (Argument("exclude", ["zip"]), "exclude=['zip']"),
    ],
)
def test_an_argument_is_written_as_python_code(argument: Argument, text: str) -> None:
    assert str(argument) == text
    assert str(Phrase("pass ", argument)) == f"pass {text}"


def test_a_phrase_writes_arguments_by_a_function() -> None:
    phrase = Phrase("pass ", Argument("cv", 3), " for ", Sensitive("Smith"))
    assert phrase.written(lambda argument: f"--{argument.name}") == "pass --cv for Smith"
    assert phrase.redacted() == "pass cv=3 for (hidden)"


def test_a_phrase_knows_whether_it_is_sensitive_or_empty() -> None:
    assert Phrase("a", Sensitive("b")).sensitive
    assert not Phrase("a", Argument("b")).sensitive
    assert Phrase("a")
    assert not Phrase()


def test_phrases_are_taken_apart_and_joined() -> None:
    assert Phrase("a", Phrase("b", Sensitive("c"))).parts == ("a", "b", Sensitive("c"))
    assert str(Phrase("a") + "b") == "ab"
    assert str(Phrase.joined(", ", ["a", Phrase("b"), Sensitive("c")])) == "a, b, c"


def test_a_note_marks_its_detail_where_it_is_sensitive() -> None:
    assert Note(code="model left out", detail="x", sensitive=True).shown_detail == Sensitive("x")
    assert Note(code="model left out", detail="x").shown_detail == "x"
