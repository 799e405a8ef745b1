from __future__ import annotations

from shiftproof.robustness._words import CALLED, shift_name


def test_shift_name_writes_mechanisms_of_missing_rows_in_capitals() -> None:
    names = {family: shift_name(family) for family in CALLED}
    assert {family for family, name in names.items() if name.isupper()} == {"mcar", "mar", "mnar"}
    assert all(name.lower() == family for family, name in names.items())


def test_every_family_has_a_plain_name_of_its_own() -> None:
    assert len(set(CALLED.values())) == len(CALLED)
