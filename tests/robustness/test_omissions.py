"""What is left out is joined, and nothing of it is lost."""

from __future__ import annotations

from shiftproof.core import Failure
from shiftproof.robustness import LeftOut, UnmadeShifts
from shiftproof.robustness._omissions import left_out_cells, unmade_shifts
from shiftproof.simulation import Cell, Skipped

NO_GAPS = Failure("ValueError", "Input contains NaN")


def test_left_out_cells_are_counted_by_model_family_and_reason() -> None:
    refusals = {
        ("lr", Cell("mnar", 0.25, "age")): NO_GAPS,
        ("lr", Cell("mnar", 0.5, "age")): NO_GAPS,
        ("lr", Cell("mnar", 0.5, "job")): Failure("KeyError", "job"),
        ("nb", Cell("mnar", 0.5, "age")): NO_GAPS,
    }
    assert left_out_cells(refusals) == (
        LeftOut(model="lr", family="mnar", n_cells=2, reason=NO_GAPS),
        LeftOut(model="lr", family="mnar", n_cells=1, reason=Failure("KeyError", "job")),
        LeftOut(model="nb", family="mnar", n_cells=1, reason=NO_GAPS),
    )


def test_unmade_shifts_name_each_feature_once() -> None:
    skipped = [
        Skipped("offset", 1.0, "job", "only numbers and dates can be offset"),
        Skipped("offset", 2.0, "job", "only numbers and dates can be offset"),
        Skipped("offset", 1.0, "sex", "only numbers and dates can be offset"),
        Skipped("prior", 0.5, None, "no labels were given"),
    ]
    offset, prior = unmade_shifts(skipped)
    assert (offset.n_cells, offset.features) == (3, ("job", "sex"))
    assert prior == UnmadeShifts(family="prior", n_cells=1, features=(), reason="no labels were given")
