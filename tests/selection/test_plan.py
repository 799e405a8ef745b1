"""Which rows to label: Neyman's allocation, what it brings, and intervals that are halved indeed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.selection.cases import draw_codes, estimated, random_posterior, shift_kind, two_models

import shiftproof as sp
from shiftproof.case import Prospect
from shiftproof.case._decisions import Rule
from shiftproof.core import Codes
from shiftproof.panel import Panel
from shiftproof.selection import LabelPlan
from shiftproof.selection._estimate import estimates_of
from shiftproof.selection._labels import Known, strata_of
from shiftproof.selection._plan import draw_rows, expected_spread, rows_to_reach, width_of

HALVES = np.array([0.5, 0.5])


def test_more_rows_are_drawn_where_more_is_open() -> None:
    # Neyman (1934): as many as size times scatter; 0.05 squared is added to every stratum's variance.
    strata = np.repeat([0, 1, 2], [1000, 500, 2000])
    noise = np.array([0.5, 0.3, 0.1])[strata]
    counts = np.bincount(strata[draw_rows(noise, strata, 300, np.random.default_rng(0))])
    part = np.array([1000, 500, 2000]) * np.sqrt(np.array([0.5, 0.3, 0.1]) ** 2 + 0.05**2)
    assert counts == pytest.approx(300 * part / part.sum(), abs=1)


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=5),
    count=st.integers(1, 200),
    seed=st.integers(0, 1000),
)
def test_rows_are_different_and_every_stratum_has_two(sizes: list[int], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    strata = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = draw_rows(rng.random(sum(sizes)), strata, count, rng)
    assert rows.tolist() == sorted(set(rows.tolist()))
    drawn = np.bincount(strata[rows], minlength=len(sizes))
    least = np.minimum(2, sizes)
    assert (drawn >= least).all()
    assert (drawn <= sizes).all()
    assert len(rows) == max(min(count, sum(sizes)), least.sum())


def test_every_row_of_a_stratum_has_the_same_chance() -> None:
    rng, strata = np.random.default_rng(1), np.repeat([0, 1], [20, 40])
    noise = rng.random(60)
    times = np.zeros(60)
    for _ in range(1500):
        times[draw_rows(noise, strata, 15, rng)] += 1
    for own in (times[:20], times[20:]):
        assert stats.chisquare(own).pvalue > 0.001


def test_a_stratum_without_noise_is_not_passed_over() -> None:
    strata = np.repeat([0, 1], 100)
    counts = np.bincount(strata[draw_rows(np.where(strata, 0.0, 0.5), strata, 60, np.random.default_rng(2))])
    assert counts[1] >= 5


def test_expected_spread_is_that_of_drawn_labels() -> None:
    rng = np.random.default_rng(3)
    posterior = random_posterior(rng, 2000, 2)
    right = posterior.max(axis=1)
    noise, strata = np.sqrt(right * (1 - right)), strata_of(posterior)
    found = []
    for _ in range(300):
        came = rng.random(2000) < right
        rows = draw_rows(noise, strata, 150, rng)
        off = [(came[rows] - right[rows])[strata[rows] == each].mean() for each in range(5)]
        found.append(np.mean(off) - (came - right).mean())
    assert np.std(found) == pytest.approx(expected_spread(noise, strata, math.inf, 150), rel=0.12)


def test_labels_alone_are_planned_for() -> None:
    noise, strata = np.full(1000, 0.4), np.zeros(1000, dtype=np.int64)
    alone = expected_spread(noise, strata, math.inf, 100)
    assert alone == pytest.approx(np.sqrt((0.4**2 + 0.05**2) * (1 / 100 - 1 / 1000)))
    # Half is what labels give alone, half what they make of the estimate; few of them widen a narrow one.
    both = 1 / (1 / 0.03**2 + 1 / alone**2)
    assert expected_spread(noise, strata, 0.03, 100) == pytest.approx(np.sqrt((both + alone**2) / 2))
    assert expected_spread(noise, strata, 0.01, 100) > 0.01
    assert expected_spread(noise, strata, 0.03, 1000) == 0.0


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("spread", [0.01, 0.03, 0.1])
def test_planned_rows_bring_the_spread_to_its_share(share: float, spread: float) -> None:
    rng = np.random.default_rng(4)
    noise, strata = rng.uniform(0, 0.5, size=5000), rng.integers(5, size=5000)
    count = rows_to_reach(noise, strata, spread, share * spread)
    assert expected_spread(noise, strata, spread, count) <= share * spread * 1.0001
    if count > 10:
        assert expected_spread(noise, strata, spread, count - 1) > share * spread * 0.9999


def test_at_least_two_of_each_stratum_are_planned() -> None:
    assert rows_to_reach(np.full(100, 0.1), np.arange(100) % 5, 10.0, 5.0) == 10


def test_never_more_rows_are_planned_than_there_are() -> None:
    noise, strata = np.full(80, 0.5), np.arange(80) % 5
    assert rows_to_reach(noise, strata, 1e-6, 5e-7) <= 80


def test_width_of_a_normal_interval() -> None:
    assert width_of(0.1, 0.9) == pytest.approx(2 * 0.1 * stats.norm.ppf(0.95))


def judged_of(rng: np.random.Generator, n: int, m: int) -> tuple[Prospect, Codes]:
    candidates, codes = two_models(rng, n, m, HALVES)
    return Prospect(candidates, Rule(classes=np.arange(2), positive=1)), codes


@pytest.mark.parametrize("measure", ["accuracy", "brier"])
def test_labels_of_planned_rows_halve_the_interval(measure: str) -> None:
    rng, shrunk, covered = np.random.default_rng(5), [], []
    for _ in range(10):
        judged, codes = judged_of(rng, 200, 800)
        strata = strata_of(judged.routes.posterior)
        now = estimates_of(judged, [measure], level=0.9)["blurred"][measure]
        count = rows_to_reach(now.noise, strata, now.spread, 0.5 * now.spread)
        assert 10 < count < 800
        said = judged.sides["blurred"].new
        wrong = said.probabilities[:, 1] - codes if measure == "brier" else said.decisions - codes
        true = 1 - (wrong**2).mean() if measure == "accuracy" else (wrong**2).mean()
        for _ in range(20):
            rows = draw_rows(now.noise, strata, count, rng)
            then = estimates_of(judged, [measure], level=0.9, strata=strata, known=Known(rows, codes[rows]))
            interval = then["blurred"][measure].interval
            shrunk.append((interval.high - interval.low) / (now.interval.high - now.interval.low))
            covered.append(interval.low <= true <= interval.high)
    assert 0.4 < np.mean(shrunk) < 0.62
    assert np.mean(covered) > 0.84


def test_plan_of_a_performance() -> None:
    rng = np.random.default_rng(6)
    candidates, codes = two_models(rng, 300, 800, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    shift = shift_kind(300, 800, candidates.prevalence)
    before = estimated(panel, shift, measures="accuracy")
    plan = before.plan(random_state=1)
    assert plan.rows.tolist() == before.plan(random_state=1).rows.tolist()
    assert plan.rows.tolist() != before.plan(random_state=2).rows.tolist()
    assert plan.strata.tolist() == before.strata[plan.rows].tolist()
    assert (np.bincount(plan.strata) >= 2).all()
    assert plan.width == pytest.approx(before.interval("sharp").high - before.interval("sharp").low)
    assert 0.35 < plan.expected_width / plan.width < 0.55
    labels = {int(row): int(codes[row]) for row in plan.rows}
    after = estimated(panel, shift, measures="accuracy", labels=labels)
    interval = after.interval("sharp")
    assert 0.35 < (interval.high - interval.low) / plan.width < 0.7
    again = after.plan(30)
    assert len(again.rows) == 30
    assert not set(again.rows.tolist()) & set(plan.rows.tolist())


def test_plan_for_few_rows_takes_all_at_most() -> None:
    rng = np.random.default_rng(7)
    candidates, _ = two_models(rng, 2000, 30, HALVES)
    panel = Panel.from_scores(candidates.codes, dict(candidates.old), new=dict(candidates.new))
    found = estimated(panel, shift_kind(2000, 30, candidates.prevalence))
    assert len(found.plan(share=0.01).rows) == 30
    assert found.plan(share=0.01).expected_width == 0.0
    with pytest.raises(sp.InputError, match=r"^count must be at most the 30 new rows without a label, got 31; ask for"):
        found.plan(31)


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
    with pytest.raises(sp.InputError, match=r"^every new row has a label already, so there is nothing to plan\.$"):
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
