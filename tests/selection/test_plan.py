"""Which rows to label: Neyman's allocation, how many, and intervals that are as narrow as planned."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.dummy import DummyClassifier
from tests.selection.cases import draw_codes, estimated, random_posterior, shift_kind, two_models

import shiftproof as sp
from shiftproof.case import SOFT_MEASURES, NormalMixture, Prospect
from shiftproof.case._decisions import Rule
from shiftproof.case._labels import FEWEST_LABELS, Known, strata_of
from shiftproof.core import Codes, Floats
from shiftproof.panel import Panel
from shiftproof.selection import LabelPlan
from shiftproof.selection._estimate import estimates_of
from shiftproof.selection._plan import OpenRows

HALVES = np.array([0.5, 0.5])


def open_rows(noise: Floats, strata: Codes, spread: float | None = None, unit: float = 1.0) -> OpenRows:
    """Plan for an accuracy that is believed to be 0.8, give or take this spread; without one nothing is believed."""
    belief = None if spread is None else NormalMixture(np.ones(1), np.array([[0.8]]), np.array([[[spread**2]]]))
    return OpenRows(noise=noise, strata=strata, belief=belief, unit=unit, level=0.9, limits=(0.0, 1.0))


def test_draw_takes_more_rows_where_more_is_open() -> None:
    # Neyman (1934): as many as size times scatter; 0.2 squared is added to every stratum's variance.
    strata = np.repeat([0, 1, 2], [1000, 500, 2000])
    noise = np.array([0.5, 0.3, 0.1])[strata]
    counts = np.bincount(strata[open_rows(noise, strata).draw(300, np.random.default_rng(0))])
    part = np.array([1000, 500, 2000]) * np.sqrt(np.array([0.5, 0.3, 0.1]) ** 2 + 0.2**2)
    assert counts == pytest.approx(300 * part / part.sum(), abs=1)
    # The same in another currency.
    dollars = open_rows(1000 * noise, strata, unit=1000.0).draw(300, np.random.default_rng(0))
    assert np.bincount(strata[dollars]).tolist() == counts.tolist()


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=5),
    count=st.integers(1, 200),
    seed=st.integers(0, 1000),
)
def test_drawn_rows_are_different_and_every_stratum_has_two(sizes: list[int], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    strata = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = open_rows(rng.random(sum(sizes)), strata).draw(count, rng)
    assert rows.tolist() == sorted(set(rows.tolist()))
    drawn = np.bincount(strata[rows], minlength=len(sizes))
    least = np.minimum(2, sizes)
    assert (drawn >= least).all()
    assert (drawn <= sizes).all()
    assert len(rows) == max(min(count, sum(sizes)), least.sum())


def test_draw_gives_every_row_of_a_stratum_the_same_chance() -> None:
    rng, strata = np.random.default_rng(1), np.repeat([0, 1], [20, 40])
    planned = open_rows(rng.random(60), strata)
    times = np.zeros(60)
    for _ in range(1500):
        times[planned.draw(15, rng)] += 1
    for own in (times[:20], times[20:]):
        assert stats.chisquare(own).pvalue > 0.001


def test_draw_does_not_pass_over_a_stratum_without_noise() -> None:
    strata = np.repeat([0, 1], 100)
    rows = open_rows(np.where(strata, 0.0, 0.5), strata).draw(60, np.random.default_rng(2))
    assert np.bincount(strata[rows])[1] >= 15


def test_expected_width_is_that_of_drawn_labels() -> None:
    rng = np.random.default_rng(3)
    posterior = random_posterior(rng, 2000, 2)
    right = posterior.max(axis=1)
    strata = strata_of(posterior)
    planned = open_rows(np.sqrt(right * (1 - right)), strata)
    errors = []
    for _ in range(300):
        actual = rng.random(2000) < right
        rows = planned.draw(150, rng)
        off = [(actual[rows] - right[rows])[strata[rows] == stratum].mean() for stratum in range(5)]
        errors.append(np.mean(off) - (actual - right).mean())
    reach = stats.norm.ppf(0.95) * np.std(errors)
    assert planned.expected_width(150) == pytest.approx(2 * reach, rel=0.12)


def test_expected_width_of_labels_alone() -> None:
    planned = open_rows(np.full(1000, 0.4), np.zeros(1000, dtype=np.int64))
    spread = np.sqrt(0.4**2 * (1 / 100 - 1 / 1000))
    assert planned.expected_width(100) == pytest.approx(2 * stats.t.ppf(0.95, 99) * spread)
    assert planned.expected_width(1000) == 0.0
    assert planned.expected_width(2) == 1.0, "no interval is wider than the measure"


def test_expected_width_of_labels_without_a_surprise() -> None:
    planned = open_rows(np.zeros(1000), np.zeros(1000, dtype=np.int64))
    spread = np.sqrt(2.5 / 100**2 * (1 - 100 / 1000))
    assert planned.expected_width(100) == pytest.approx(2 * stats.t.ppf(0.95, 99) * spread)


def test_expected_width_with_a_belief_is_narrower_than_both() -> None:
    noise, strata = np.full(1000, 0.4), np.zeros(1000, dtype=np.int64)
    alone, joined = open_rows(noise, strata).expected_width(100), open_rows(noise, strata, 0.04).expected_width(100)
    both = 2 * stats.norm.ppf(0.95) / np.sqrt(1 / 0.04**2 + 1 / (alone / (2 * stats.norm.ppf(0.95))) ** 2)
    # Wide parts stand for other shifts.
    assert both < joined < min(1.3 * both, alone, 2 * stats.norm.ppf(0.95) * 0.04)
    # Few labels may leave a wider interval than a sure belief, which then does not rest on belief alone.
    assert open_rows(noise, strata, 0.01).expected_width(30) > 2 * stats.norm.ppf(0.95) * 0.01


@pytest.mark.parametrize("half", [0.02, 0.05, 0.08])
@pytest.mark.parametrize("spread", [0.02, 0.1, None])
def test_rows_to_reach_are_the_fewest_that_are_enough(half: float, spread: float | None) -> None:
    rng = np.random.default_rng(4)
    planned = open_rows(rng.uniform(0, 0.5, size=5000), rng.integers(5, size=5000), spread)
    count = planned.rows_to_reach(2 * half)
    assert planned.expected_width(count) <= 2 * half
    assert planned.expected_width(count - 1) > 2 * half


def test_rows_to_reach_are_at_least_as_many_as_are_used() -> None:
    assert open_rows(np.full(100, 0.1), np.arange(100) % 5).rows_to_reach(0.9) == FEWEST_LABELS
    assert open_rows(np.full(6, 0.1), np.arange(6) % 5).rows_to_reach(0.9) == 6


def test_rows_to_reach_are_never_more_than_there_are() -> None:
    assert open_rows(np.full(80, 0.5), np.arange(80) % 5, 0.1).rows_to_reach(1e-6) == 80


def prospect_of(rng: np.random.Generator, n: int, m: int) -> tuple[Prospect, Codes]:
    candidates, codes = two_models(rng, n, m, HALVES)
    return Prospect(candidates, Rule(classes=np.arange(2), positive=1)), codes


@pytest.mark.parametrize("measure", ["accuracy", "brier"])
def test_labels_of_planned_rows_bring_the_interval_to_the_tolerance(measure: str) -> None:
    rng, ratios, covered = np.random.default_rng(5), [], []
    for _ in range(8):
        prospect, codes = prospect_of(rng, 200, 800)
        strata = strata_of(prospect.routes.posterior)
        now = estimates_of(prospect, [measure], level=0.9)["blurred"][measure]
        limits = SOFT_MEASURES[measure].limits
        planned = OpenRows(
            noise=now.open_labels.noise, strata=strata, belief=now.belief, unit=now.unit, level=0.9, limits=limits
        )
        count = planned.rows_to_reach(0.06)
        assert 10 < count < 800
        sides = prospect.sides["blurred"].new
        wrong = sides.probabilities[:, 1] - codes if measure == "brier" else sides.decisions - codes
        actual = 1 - (wrong**2).mean() if measure == "accuracy" else (wrong**2).mean()
        for _ in range(20):
            rows = planned.draw(count, rng)
            then = estimates_of(prospect, [measure], level=0.9, strata=strata, known=Known(rows, codes[rows]))
            interval = then["blurred"][measure].interval
            ratios.append(interval.width / 0.06)
            covered.append(interval.low <= actual <= interval.high)
    assert 0.85 < np.mean(ratios) < 1.1
    assert np.mean(covered) > 0.86


def test_plan_of_a_performance() -> None:
    rng = np.random.default_rng(6)
    candidates, codes = two_models(rng, 300, 800, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    shift = shift_kind(300, 800, candidates.prevalence)
    before = estimated(panel, shift, measures="accuracy")
    plan = before.plan(tolerance=0.025, random_state=1)
    assert plan.rows.tolist() == before.plan(tolerance=0.025, random_state=1).rows.tolist()
    assert plan.rows.tolist() != before.plan(tolerance=0.025, random_state=2).rows.tolist()
    assert plan.strata.tolist() == before.strata[plan.rows].tolist()
    assert (np.bincount(plan.strata) >= 2).all()
    assert plan.width == pytest.approx(before.interval("sharp").width, abs=0.001)
    assert plan.tolerance == 0.025
    assert plan.expected_width == pytest.approx(0.05, abs=0.001)
    labels = {int(row): int(codes[row]) for row in plan.rows}
    after = estimated(panel, shift, measures="accuracy", labels=labels)
    assert after.interval("sharp").width == pytest.approx(0.05, rel=0.25)
    again = after.plan(30)
    assert len(again.rows) == 30
    assert again.tolerance is None
    assert not set(again.rows.tolist()) & set(plan.rows.tolist())


def test_plan_of_the_profit_has_its_unit() -> None:
    rng = np.random.default_rng(6)
    candidates, _ = two_models(rng, 300, 800, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    shift = shift_kind(300, 800, candidates.prevalence)
    plans = [
        estimated(panel, shift, measures="profit", benefit=sp.Benefit(tp=scale, fp=-scale)).plan(tolerance=0.2)
        for scale in (1.0, 1000.0)
    ]
    assert plans[0].rows.tolist() == plans[1].rows.tolist()
    assert 1000 * plans[0].expected_width == pytest.approx(plans[1].expected_width)
    assert plans[1].tolerance == pytest.approx(1000 * (plans[0].tolerance or 0))


def test_plan_for_few_rows_takes_all_at_most() -> None:
    rng = np.random.default_rng(7)
    candidates, _ = two_models(rng, 2000, 30, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    performance = estimated(panel, shift_kind(2000, 30, candidates.prevalence))
    assert len(performance.plan(tolerance=0.001).rows) == 30
    assert performance.plan(tolerance=0.001).expected_width == 0.0
    with pytest.raises(
        sp.InputError, match=r"^count must be at most 30, the number of new rows without a label, got 31; ask for"
    ):
        performance.plan(31)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_planned_where_every_row_has_a_label(seed: int) -> None:
    rng = np.random.default_rng(seed)
    candidates, codes = two_models(rng, 300, 30, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    shift = shift_kind(300, 30, candidates.prevalence)
    labelled = estimated(panel, shift, labels=codes.tolist())
    for name in candidates.names:
        interval = labelled.interval(name)
        right = float((candidates.new[name].argmax(axis=1) == codes).mean())
        assert (interval.low, interval.estimate, interval.high) == pytest.approx((right, right, right), abs=1e-4)
    with pytest.raises(sp.InputError, match=r"^every new row already has a label, so there is nothing to plan\.$"):
        labelled.plan()


def plan_of(width: float) -> LabelPlan:
    return LabelPlan(
        rows=np.array([3, 8]),
        strata=np.array([0, 1]),
        model="tree",
        measure="accuracy",
        width=width,
        expected_width=0.05,
    )


def test_plan_in_words_and_tables() -> None:
    plan, blind = plan_of(0.1), plan_of(math.nan)
    then = "with these labels it would be about 5.0 points wide."
    assert plan.summary() == f"Label 2 rows: the interval for the accuracy of tree is 10.0 points wide; {then}"
    assert blind.summary() == f"Label 2 rows: there is no interval for the accuracy of tree yet; {then}"
    assert plan.to_frame().to_dict("list") == {"row": [3, 8], "stratum": [0, 1]}
    told = json.loads(json.dumps(blind.to_dict(), allow_nan=False))
    assert (told["rows"], told["strata"], told["width"]) == ([3, 8], [0, 1], None)
    assert told["expected_width"] == 0.05


def test_drawn_codes_follow_their_posterior() -> None:
    posterior = np.tile([0.2, 0.5, 0.3], (20_000, 1))
    shares = np.bincount(draw_codes(np.random.default_rng(8), posterior)) / 20_000
    assert shares == pytest.approx([0.2, 0.5, 0.3], abs=0.015)


def test_plan_of_a_measure_that_no_row_can_change_still_ends() -> None:
    X, y, X_new = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2, np.zeros((40, 2))
    X_new[:20] = X[:20]
    result = sp.estimate_performance(
        DummyClassifier(), X, y, X_new, measures=["accuracy", "precision"], cv=2, progress=False
    )
    assert len(result.plan(10).rows) == 10
    with pytest.raises(sp.InputError, match=r"^the precision of DummyClassifier is not defined, so labels cannot"):
        result.plan(measure="precision")


def test_plan_counts_on_the_labels_that_are_known() -> None:
    rng = np.random.default_rng(6)
    candidates, codes = two_models(rng, 300, 800, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    shift = shift_kind(300, 800, candidates.prevalence)
    known: dict[int, int] = {}
    expected, widths = [], []
    for _ in range(3):
        found = estimated(panel, shift, measures="accuracy", labels=known or None)
        plan = found.plan(100)
        widths.append(found.interval("sharp").width)
        expected.append(plan.expected_width)
        known |= {int(row): int(codes[row]) for row in plan.rows}
    widths.append(estimated(panel, shift, measures="accuracy", labels=known).interval("sharp").width)
    # Every hundred labels more make the interval narrower, and about as narrow as planned.
    assert expected == sorted(expected, reverse=True)
    assert widths[1:] == sorted(widths[1:], reverse=True)
    assert expected[1:] == pytest.approx(widths[2:], rel=0.25)
    enough = estimated(panel, shift, measures="accuracy", labels=known).plan(tolerance=0.2)
    assert enough.expected_width < enough.width
