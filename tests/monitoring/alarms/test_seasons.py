from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.monitoring.alarms._plans import below, number_counts

from shiftproof import InputError
from shiftproof.monitoring.alarms import Alarms, BatchFacts, CellPlan, Level
from shiftproof.monitoring.alarms._seasons import SeasonalMaterial, mixed_counts, mixed_plan, mixture_weights

# Values of the second season are higher by one standard deviation.
USUAL = (0.0, 1.0)


def values(season: int, n: int, seed: Any, shift: float = 0.0) -> Any:
    return np.random.default_rng(seed).normal(USUAL[season] + shift, 1, n)


def season_plans(m: int = 800) -> list[dict[str, CellPlan]]:
    plans = []
    for season in (0, 1):
        rows = values(season, m, season)
        part, pool = number_counts(rows[: m // 4]), number_counts(rows[m // 4 :])
        plans.append({"age": CellPlan(kind="number", part=part, pool=pool, reference=part + pool, cuts=below(rows))})
    return plans


def both(plans: list[dict[str, CellPlan]]) -> dict[str, CellPlan]:
    """Return the plan of all rows."""
    one, other = (plan["age"] for plan in plans)
    assert one.cuts is not None
    assert other.cuts is not None
    return {
        "age": CellPlan(
            kind="number",
            part=one.part + other.part,
            pool=one.pool + other.pool,
            reference=one.reference + other.reference,
            cuts=one.cuts + other.cuts,
        )
    }


def batch(rows: dict[int, int], seed: int, shift: float = 0.0) -> BatchFacts:
    """Make a batch with so many rows of each season."""
    pieces = {season: values(season, n, (seed, season), shift) for season, n in rows.items()}
    together = np.concatenate([*pieces.values()])
    return BatchFacts(
        n=len(together),
        counts=(number_counts(together),),
        below=(below(together),),
        seasons={season: (number_counts(piece),) for season, piece in pieces.items()},
    )


def unseasonal(facts: BatchFacts) -> BatchFacts:
    return BatchFacts(n=facts.n, counts=facts.counts, below=facts.below)


def evidence(alarms: Alarms, batches: list[BatchFacts]) -> dict[Level, float]:
    state = alarms.start()
    for number, facts in enumerate(batches):
        state, reading = alarms.step(state, facts, str(number))
    return dict(reading.log_evidence)


def test_weights_of_a_mixture_keep_the_sampling_error() -> None:
    weights = mixture_weights(np.array([10, 30]), np.array([100, 400]))
    shares = weights * np.array([100, 400])
    assert shares / shares.sum() == pytest.approx([0.25, 0.75])
    # The variance of a weighted mean is that of an unweighted one of as many rows as the weights add up to.
    assert shares.sum() == pytest.approx(1 / (0.25**2 / 100 + 0.75**2 / 400))


def test_mixed_counts_are_whole_and_off_by_at_most_half_a_row_up_to_any_cell() -> None:
    counts = [np.arange(1, 41), np.arange(40, 0, -1)]
    weights = np.array([0.37, 0.21])
    exact = 0.37 * counts[0] + 0.21 * counts[1]
    assert np.abs(np.cumsum(mixed_counts(counts, weights)) - np.cumsum(exact)).max() <= 0.5


def test_mixed_plan_of_one_season_is_that_of_the_season() -> None:
    plans = [plan["age"] for plan in season_plans()]
    assert mixed_plan(plans, np.array([0.0, 1.0])) is plans[1]
    mixed = mixed_plan(plans, mixture_weights(np.array([1, 1]), np.array([800, 800])))
    assert mixed.reference.tolist() == (plans[0].reference + plans[1].reference).tolist()
    assert mixed.cuts is not None
    assert plans[0].cuts is not None
    assert plans[1].cuts is not None
    assert mixed.cuts.tolist() == (plans[0].cuts + plans[1].cuts).tolist()


def test_batches_are_compared_with_their_season() -> None:
    plans = season_plans()
    days = [batch({number % 2: 200}, number) for number in range(20)]
    seasonal, plain = Alarms.of(both(plans), seasons=plans), Alarms.of(both(plans))
    quiet, loud = evidence(seasonal, days), evidence(plain, [unseasonal(day) for day in days])
    assert quiet["changed"] < 1
    assert quiet["material"] < 1
    assert loud["changed"] > 20
    shifted = [batch({number % 2: 200}, number, shift=0.6 * (number >= 12)) for number in range(20)]
    assert all(value > np.log(40) for value in evidence(seasonal, shifted).values())


def test_batch_of_several_seasons_is_split_and_its_bets_multiply() -> None:
    plans = season_plans()
    alarms = Alarms.of(both(plans), seasons=plans)
    weeks = [batch({0: 50 + 100 * (number % 3), 1: 300}, number) for number in range(12)]
    quiet = evidence(alarms, weeks)
    assert max(quiet.values()) < 1
    # Without seasons the share of the second season, which changes, looks like a change.
    plain = [unseasonal(week) for week in weeks]
    assert evidence(Alarms.of(both(plans)), plain)["changed"] > 2
    state, _ = alarms.step(alarms.start(), weeks[0], "a")
    added = state.arrays["pool"] - alarms.start().arrays["pool"]
    assert added.tolist() == [weeks[0].seasons[season][0].tolist() for season in (0, 1)]


def test_one_season_is_the_same_as_none() -> None:
    plan = season_plans()[0]
    days = [batch({0: 100}, number, shift=0.1) for number in range(5)]
    assert evidence(Alarms.of(plan, seasons=[plan]), days) == evidence(Alarms.of(plan), days)


def test_since_replays_batches_of_different_seasons() -> None:
    plans = season_plans()
    alarms, state, inputs = Alarms.of(both(plans), seasons=plans), None, []
    for number in range(20):
        facts = batch({0: 150, 1: 20 * (number % 3)} if number % 2 else {1: 150}, number, shift=0.8 * (number >= 14))
        state, reading = alarms.step(state or alarms.start(), facts, str(number))
        inputs.append(reading.inputs)
    levels: tuple[Level, ...] = ("changed", "material")
    for level in levels:
        first, last, likeliest = alarms.since(level, inputs)
        assert first <= 14 <= last
        assert 13 <= likeliest <= 15


def test_error_of_the_reference_is_shared_by_seasons() -> None:
    plans = season_plans()
    alone, shared = SeasonalMaterial(plans[:1], 0.05), SeasonalMaterial(plans, 0.05)
    hits = [bets.of(np.array(mix)).cuts.hit[0, 15, 0] for bets, mix in ((alone, [1]), (shared, [1, 0]))]
    # The limit is higher, so that a row says less.
    assert hits[1][0] < hits[0][0]


def test_what_was_learnt_of_categories_in_one_season_is_bet_on_in_another() -> None:
    usual = (np.array([0, 0, 10, 290, 700]), np.array([0, 0, 10, 690, 300]))
    plans = [{"job": CellPlan(kind="category", part=c, pool=c, reference=2 * c)} for c in usual]
    material = SeasonalMaterial(plans, 0.05)
    arrays = dict(material.usual.begin())
    uniforms = np.full(int(material.usual.n_uniforms.sum()), 0.5)

    def bet(season: int, counts: list[int]) -> float:
        mix = np.array([season == 0, season == 1])
        return float(material.of(mix).bet(arrays, (np.array(counts),), uniforms).max())

    bet(0, [0, 0, 60, 290, 650])
    # The rare level became as frequent in the other season: what was seen of it helps.
    before = dict(arrays)
    informed = bet(1, [0, 0, 60, 650, 290])
    arrays.update(material.usual.begin())
    assert informed > bet(1, [0, 0, 60, 650, 290])
    # A quiet batch of the other season leaves no trace of a change.
    arrays.update(before | material.usual.begin())
    bet(0, [0, 0, 10, 290, 700])
    assert bet(1, [0, 0, 10, 690, 300]) < 0.1


def test_facts_of_unknown_seasons_are_refused() -> None:
    plans = season_plans()
    alarms = Alarms.of(both(plans), seasons=plans)
    facts = batch({0: 50}, 0)
    other = BatchFacts(n=50, counts=facts.counts, below=facts.below, seasons={2: facts.counts})
    with pytest.raises(InputError) as caught:
        alarms.step(alarms.start(), other, "a")
    assert str(caught.value) == "facts must count 50 rows in the 2 seasons; got [2]."
