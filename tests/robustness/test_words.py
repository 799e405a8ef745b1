from __future__ import annotations

from shiftproof.robustness import UnmadeShifts
from shiftproof.robustness._words import CALLED, family_words, shift_name, unmade_name


def test_shift_name_writes_mechanisms_of_missing_rows_in_capitals() -> None:
    names = {family: shift_name(family) for family in CALLED}
    assert {family for family, name in names.items() if name.isupper()} == {"mcar", "mar", "mnar"}
    assert all(name.lower() == family for family, name in names.items())


def test_every_family_has_a_plain_name_of_its_own() -> None:
    assert len(set(CALLED.values())) == len(CALLED)


def test_family_words_explain_the_names_as_the_help_does() -> None:
    assert family_words(["mar", "offset"]) == (
        "MAR: rows with some values of a feature are lost; offset: a feature's values are moved by a constant"
    )
    assert family_words(CALLED).count("; ") == len(CALLED) - 1


def test_unmade_name_counts_tables_and_names_at_most_three_features() -> None:
    many = UnmadeShifts(family="mar", n_cells=8, features=("a", "b", "c", "d"), reason="")
    assert unmade_name(many) == "8 MAR test sets for 'a', 'b', 'c' and 1 more"
    assert unmade_name(UnmadeShifts(family="prior", n_cells=1, features=(), reason="")) == "1 prior test set"
