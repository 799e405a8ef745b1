from __future__ import annotations

import pytest

from shiftproof.core import FileError, InputError, MissingLibraryError, ShiftproofError, ShiftproofWarning


@pytest.mark.parametrize("kind", [InputError, FileError, MissingLibraryError])
def test_one_except_clause_catches_all(kind: type[ShiftproofError]) -> None:
    with pytest.raises(ShiftproofError, match=r"^the sentence\.$"):
        raise kind("the sentence.")


def test_errors_are_also_what_python_calls_them() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(FileError, InputError)
    assert issubclass(MissingLibraryError, ImportError)
    assert issubclass(ShiftproofWarning, UserWarning)
    assert not issubclass(ShiftproofWarning, ShiftproofError)
