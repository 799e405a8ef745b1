from __future__ import annotations

from typing import Any

import pytest

from shiftproof.core import FileError, InputError, ShiftproofError, ShiftproofWarning, warn


@pytest.mark.parametrize("kind", [InputError, FileError])
def test_one_except_clause_catches_all(kind: type[ShiftproofError]) -> None:
    with pytest.raises(ShiftproofError, match=r"^the sentence\.$"):
        raise kind("the sentence.")


def test_errors_are_also_what_python_calls_them() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(FileError, InputError)
    assert issubclass(ShiftproofWarning, UserWarning)
    assert not issubclass(ShiftproofWarning, ShiftproofError)


def test_a_warning_points_at_the_callers_line() -> None:
    with pytest.warns(ShiftproofWarning, match=r"^look here\.$") as caught:
        warn("look here.")
    assert caught[0].filename == __file__


@pytest.mark.parametrize("ours", [True, False])
def test_a_warning_from_deep_inside_points_at_the_callers_line_too(ours: bool) -> None:
    names = {"__name__": "shiftproof.deep.inside" if ours else "elsewhere", "warn": warn}
    exec(compile("def outer(): inner()\ndef inner(): warn('look here.')", "<inside>", "exec"), names)  # noqa: S102
    outer: Any = names["outer"]
    with pytest.warns(ShiftproofWarning) as caught:
        outer()
    assert caught[0].filename == (__file__ if ours else "<inside>")
