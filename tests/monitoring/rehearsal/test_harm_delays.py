from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Monitor
from shiftproof.monitoring.alarms import BatchFacts, LabelFacts
from shiftproof.monitoring.rehearsal._harm_delays import HORIZON, HarmStream, Quiet, harm_delay

QUIET = Quiet(
    accuracy=0.86, spread=0.01, estimate=0.86, estimate_spread=0.01, error=0.015, rows=500, batches=20, labelled=True
)


def test_harm_stream_has_the_evidence_of_the_alarms(monitor: Monitor) -> None:
    alarms = monitor._alarms
    assert alarms.harm is not None
    stream, state = HarmStream(alarms, alarms.harm), alarms.start()
    for seed in range(4):
        facts = monitor.baseline.summarise(make_batch(seed=seed)).facts
        assert facts.accuracy is not None
        assert facts.accuracy_error is not None
        labels = LabelFacts(right=3, labelled=20, residual=facts.accuracy - 0.15, row_variance=0.1)
        state, _ = alarms.step(state, facts, str(seed))
        state, reading = alarms.learn(state, labels)
        assert stream.add(facts.accuracy, facts.accuracy_error, facts.n, labels) == reading.alarms["harm"]
        assert (stream._arrays["harm"] == state.arrays["harm"]).all()
        assert (stream._arrays["harm labelled"] == state.arrays["harm labelled"]).all()
        assert (stream._arrays["bias"] == state.arrays["bias"]).all()
    assert reading.alarms["harm"]


def test_more_labels_and_larger_drops_are_known_sooner(monitor: Monitor) -> None:
    alarms, rng = monitor._alarms, np.random.default_rng(0)
    assert alarms.harm is not None
    delays = {
        (drop, labels): harm_delay(QUIET, alarms, alarms.harm, drop=drop, labels=labels, rng=rng)
        for drop, labels in ((0.1, 20), (0.2, 20), (0.2, 50))
    }
    batches = [delay.batches or HORIZON for delay in delays.values()]
    assert batches == sorted(batches, reverse=True)
    assert batches[-1] < 10


def test_without_labels_only_what_scores_show_is_known(monitor: Monitor) -> None:
    alarms = monitor._alarms
    assert alarms.harm is not None
    delay = harm_delay(QUIET, alarms, alarms.harm, drop=0.3, labels=0, rng=np.random.default_rng(0))
    assert delay.batches is not None
    small = harm_delay(QUIET, alarms, alarms.harm, drop=0.01, labels=0, rng=np.random.default_rng(0))
    assert small.batches is None


def test_quiet_describes_the_past() -> None:
    rng = np.random.default_rng(0)
    facts = [BatchFacts(n=400, counts=(), below=(), accuracy=0.8, accuracy_error=0.02) for _ in range(300)]
    actual = (rng.binomial(400, np.clip(rng.normal(0.75, 0.03, 300), 0, 1)) / 400).tolist()
    quiet = Quiet.of(facts, actual)
    assert quiet is not None
    assert quiet.accuracy == pytest.approx(0.75, abs=0.01)
    assert quiet.spread == pytest.approx(0.03, abs=0.006)  # without what chance makes
    unlabelled = Quiet.of(facts, [None] * 300)
    assert unlabelled is not None
    assert unlabelled.accuracy == pytest.approx(0.8)
    assert (unlabelled.spread, unlabelled.labelled) == (0.0, False)
    assert Quiet.of([replace(facts[0], accuracy=None)], [0.8]) is None
