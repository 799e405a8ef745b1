"""What is believed of models without labels: with and without an allowance for drift."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.selection.cases import shift_kind, two_models

from shiftproof.case import NO_RECORD, Assume, DriftRecord, PriorGrounds, Prospect, Rule
from shiftproof.case._belief import Belief, Grounds, find_grounds, student_mixture
from shiftproof.case._mixture import NormalMixture
from shiftproof.shift import Kind

HALVES = np.array([0.5, 0.5])


def belief(assume: Assume, kind: Kind, measure: str = "accuracy") -> Belief:
    """Return what is believed of two models under a type of shift."""
    candidates, _ = two_models(
        np.random.default_rng(0), 300, 200, HALVES, shift=shift_kind(300, 200, HALVES, kind=kind)
    )
    prospect = Prospect(candidates, Rule(classes=np.arange(2), positive=1), assume)
    validated = np.array(list(prospect.validated(measure).values()))
    grounds = find_grounds(
        prospect, measure, prospect.estimate(measure), validated=validated, units=prospect.units(measure)
    )
    return grounds.believed(prospect.history, measure)


@pytest.mark.parametrize("freedom", [4.0, 7.0])
@pytest.mark.parametrize("level", [0.8, 0.9, 0.99])
def test_student_mixture_has_the_quantiles_of_students_t(freedom: float, level: float) -> None:
    interval = student_mixture(np.zeros(1), np.eye(1), freedom).interval(0.0, level, (-99.0, 99.0), "t")
    assert interval.high == pytest.approx(stats.t.ppf((1 + level) / 2, freedom), rel=0.01)


@pytest.mark.parametrize("assume", ["no drift", "prior shift"])
def test_believe_without_drift_adds_nothing(assume: Assume) -> None:
    assert belief(assume, "unclear").allowance.tolist() == [0.0, 0.0]


def test_believe_under_prior_shift_takes_its_route_alone() -> None:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    prospect = Prospect(candidates, Rule(classes=np.arange(2), positive=1), "prior shift")
    estimates = prospect.estimate("accuracy")
    found = find_grounds(prospect, "accuracy", estimates, validated=np.zeros(2), units=np.ones(2))
    assert found.values == pytest.approx(estimates.values()[1])


def test_believe_where_no_shift_is_visible_adds_a_little() -> None:
    quiet = belief("natural", "none")
    assert (quiet.allowance > 0).all()
    assert quiet.mixture.spread == pytest.approx(np.hypot(quiet.sampling[0], quiet.allowance[0]))


@pytest.mark.parametrize("measure", ["accuracy", "brier"])
def test_believe_after_a_shift_allows_for_drift_and_leans_towards_a_loss(measure: str) -> None:
    drifted = belief("natural", "covariate", measure)
    centre = drifted.mixture.shares @ drifted.mixture.centres
    assert (drifted.allowance > belief("natural", "none", measure).allowance).all()
    assert ((centre < drifted.values) if measure == "accuracy" else (centre > drifted.values)).all()


def test_believed_follows_the_record_of_the_past() -> None:
    candidates, _ = two_models(
        np.random.default_rng(0), 300, 200, HALVES, shift=shift_kind(300, 200, HALVES, kind="covariate")
    )
    rule = Rule(classes=np.arange(2), positive=1)
    widths = []
    for record in (NO_RECORD, *(DriftRecord(squares={"accuracy": (square,) * 6}) for square in (0.0, 1.0, 9.0, 99.0))):
        prospect = Prospect(candidates, rule, "natural", record)
        validated = np.array(list(prospect.validated("accuracy").values()))
        found = find_grounds(
            prospect, "accuracy", prospect.estimate("accuracy"), validated=validated, units=prospect.units("accuracy")
        ).believed(record, "accuracy")
        widths.append(found.mixture.only(0).interval(0.8, 0.9, (-9.0, 9.0), "x").width)
    without, *by_record = widths
    assert by_record == sorted(by_record)
    # A calm past narrows the interval, one with a break in every period widens it.
    assert by_record[0] < without < by_record[-1]


def test_grounds_of_one_model_give_its_own_belief() -> None:
    parts = NormalMixture(np.ones(1), np.array([[0.7, 0.8]]), np.diag([0.01, 0.02])[None])
    allowance, broken = np.array([0.03, 0.04]), np.array([-0.1, -0.2])
    grounds = Grounds(values=np.array([0.7, 0.8]), parts=parts, allowance=allowance, broken=broken)
    both, own = (one.believed(NO_RECORD, "accuracy") for one in (grounds, grounds.only(1)))
    assert own.sampling == pytest.approx([np.sqrt(0.02)])
    assert both.mixture.only(1).spread == pytest.approx(own.mixture.spread)


def grounds_with_prior(chance: float) -> Grounds:
    """Believe in 0.7 with drift, or in 0.9 if only the class proportions changed."""
    return Grounds(
        values=np.array([0.7]),
        parts=NormalMixture(np.ones(1), np.array([[0.7]]), np.full((1, 1, 1), 0.03**2)),
        allowance=np.array([0.04]),
        broken=np.array([-0.1]),
        prior=PriorGrounds(chance=chance, values=np.array([0.9]), covariance=np.array([[0.01**2]])),
    )


def test_believed_joins_prior_shift_and_drift() -> None:
    found = {chance: grounds_with_prior(chance).believed(NO_RECORD, "accuracy") for chance in (0.0, 0.5, 1.0)}
    assert [float(one.values[0]) for one in found.values()] == pytest.approx([0.7, 0.8, 0.9])
    # 1% of the mass is the break, 10 points further down.
    assert found[0.5].mixture.chance_below(0.8) == pytest.approx(0.5, abs=0.03)
    assert found[1.0].mixture.chance_below(0.88) == pytest.approx(stats.t.cdf(-2, 4), abs=0.003)
    assert found[0.5].either is not None
    assert found[0.0].either is found[1.0].either is None
    # Which of the two it is counts as drift: half of the 20 points apart.
    assert found[0.5].allowance[0] == pytest.approx(np.hypot(0.04 / np.sqrt(2), 0.1))


def test_believed_carries_errors_of_the_past_on_whatever_changed() -> None:
    past = DriftRecord(squares={"accuracy": (9.0,) * 4}, errors={"accuracy": (3.0,) * 4})
    plain, carried = (grounds_with_prior(0.9).believed(record, "accuracy") for record in (NO_RECORD, past))
    assert carried.carried[0] > 0
    assert carried.values == pytest.approx(plain.values - carried.carried)
    assert carried.mixture.spread > plain.mixture.spread


def test_believed_carries_lasting_errors_on_and_keeps_the_width() -> None:
    parts = NormalMixture(np.ones(1), np.array([[0.7, 0.8]]), np.diag([0.03, 0.03])[None] ** 2)
    grounds = Grounds(values=np.array([0.7, 0.8]), parts=parts, allowance=np.full(2, 0.04), broken=np.full(2, -0.1))
    squares = {"accuracy": (4.0, 4.0, 4.0)}
    plain, carried = (
        grounds.believed(DriftRecord(squares=squares, errors=errors), "accuracy")
        for errors in ({}, {"accuracy": (-2.0, -2.0, -2.0)})
    )
    # Two thirds of two standard errors of 5 points: estimates were too low.
    assert carried.carried == pytest.approx(-0.2 / 3)
    assert carried.values == pytest.approx(plain.values + 0.2 / 3)
    assert carried.mixture.centres == pytest.approx(plain.mixture.centres + 0.2 / 3)
    assert carried.mixture.spread == pytest.approx(plain.mixture.spread)
