"""How natural shifts weigh the routes, and what drift adds to an error."""

from __future__ import annotations

import numpy as np
import pytest
from tests.selection.cases import shift_kind, two_models

from shiftproof.case import SOFT_MEASURES, Prospect, Rule, drifted, prior_chance, prior_weight, unknowable
from shiftproof.case._drift import ALLOWANCES, ASSUMPTIONS, Drifted, share_shifts
from shiftproof.shift import Kind, PartShift, ShiftKind

HALVES = np.array([0.5, 0.5])


@pytest.fixture(scope="module")
def prospect() -> Prospect:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    return Prospect(candidates, Rule(classes=np.arange(2), positive=1), "natural")


def test_every_measure_has_an_allowance() -> None:
    assert set(ALLOWANCES) == set(SOFT_MEASURES)


def shifted(kind: Kind, p_none: float = 1e-30, p_prior: float = 0.5) -> ShiftKind:
    return shift_kind(300, 200, HALVES, kind=kind, p_none=p_none, p_prior=p_prior)


def test_prior_weight_grows_with_the_change_and_with_how_well_the_proportions_explain_it() -> None:
    weak, clear = (prior_weight(shifted("prior", p_none)) for p_none in (0.009, 1e-20))
    assert weak < clear < 1
    assert prior_weight(shifted("prior", 1e-20, 1e-4)) < 0.02
    # A change that is too large for weights may still be one of the class proportions.
    assert prior_weight(shifted("too different")) == prior_weight(shifted("prior"))


def test_prior_weight_is_nothing_where_no_shift_is_visible() -> None:
    assert prior_weight(shifted("none", 0.3, 0.9)) == 0


def test_prior_chance_is_smooth_and_bounded() -> None:
    chances = [prior_chance(10.0**-power, 0.4) for power in range(0, 400, 7)]
    assert chances == sorted(chances)
    assert chances[0] == 0
    assert max(np.diff(chances)[1:]) < 0.05
    assert chances[-1] < 1


def test_parts_borrow_from_each_other_that_something_changed() -> None:
    whole = shifted("none", 0.4, 0.6)
    months = [PartShift(1e-12, 0.4, 0.3), PartShift(0.3, 0.7, 0.2), PartShift(1.0, 1.0, 1.0)]
    found = share_shifts(whole, months)
    assert min(one.prior for one in found) > 0.9
    assert not any(one.quiet for one in found)
    # More than the class proportions changed in one of them, which speaks against it in all.
    broken = share_shifts(whole, [PartShift(1e-12, 1e-9, 0.3), PartShift(1e-12, 0.5, 0.3)])
    assert max(one.prior for one in broken) < 0.1


@pytest.mark.parametrize(("kind", "quiet"), [("none", True), ("prior", False)])
def test_parts_without_any_sign_are_as_the_whole_but_may_hide_more(kind: Kind, quiet: bool) -> None:
    whole = shifted(kind, 1e-9, 0.5)
    found = share_shifts(whole, [PartShift(0.4, 0.3, 0.2), PartShift(0.8, 0.9, 0.5)])
    assert [one.quiet for one in found] == [quiet, quiet]
    assert [one.prior for one in found] == [prior_weight(whole)] * 2
    assert [one.unseen for one in found] == [0.2, 0.5]


@pytest.mark.parametrize(
    ("kind", "p_prior", "unknown"),
    [
        ("covariate", 0.001, ("prior shift",)),
        ("prior", 0.5, ()),
        ("none", 0.001, ()),
        ("too different", 0.5, ("no drift",)),
    ],
)
def test_what_is_assumed_decides_what_can_be_known(kind: Kind, p_prior: float, unknown: tuple[str, ...]) -> None:
    shift = shifted(kind, p_prior=p_prior)
    assert tuple(one for one in ASSUMPTIONS if unknowable(shift, one)) == unknown


def moved(prospect: Prospect, measure: str, by: float) -> Drifted:
    """Estimate as if all figures on the labelled rows were higher by so much."""
    return drifted(
        prospect.estimate(measure),
        prospect.by_calibration(measure),
        measure=measure,
        validated=np.array(list(prospect.validated(measure).values())) + by,
        units=np.ones(2),
        higher_is_better=True,
    )


def test_drifted_is_the_mean_of_three_estimates(prospect: Prospect) -> None:
    estimates = prospect.estimate("accuracy")
    three = [estimates.values()[2], estimates.said[0], prospect.by_calibration("accuracy")]
    assert moved(prospect, "accuracy", 0.0).values == pytest.approx(np.mean(three, axis=0))


def test_calibrated_confidence_is_that_of_each_model_alone(prospect: Prospect) -> None:
    confidences = [prospect.candidates.calibrated[name][:].max(axis=1).mean() for name in prospect.candidates.names]
    assert prospect.by_calibration("accuracy") == pytest.approx(confidences, abs=0.02)


def test_drifted_allows_more_the_further_estimates_move(prospect: Prospect) -> None:
    near, far = (moved(prospect, "accuracy", by) for by in (0.0, 0.3))
    assert (far.allowance > near.allowance).all()
    assert (near.allowance >= ALLOWANCES["accuracy"].constant).all()
    assert far.values == pytest.approx(near.values)
