from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.monitoring.conftest import Table, make_batch, make_table

from shiftproof.core import as_table
from shiftproof.monitoring import Baseline
from shiftproof.monitoring._baseline_words import note_text
from shiftproof.monitoring._sample import MOST_KEPT, KeptSample, draw_sample, random_rows


def drawn(baseline: Baseline, batch: Any, batch_id: str = "x") -> KeptSample:
    table = as_table(batch)
    grounds = baseline.summarise(table).grounds
    assert grounds is not None
    return draw_sample(baseline, table, grounds, seed=0, batch_id=batch_id)[0]


def test_a_sample_is_the_same_whenever_it_is_drawn(baseline: Baseline) -> None:
    first, again = (drawn(baseline, make_batch(1500)) for _ in range(2))
    assert first.to_bytes() == again.to_bytes()
    assert drawn(baseline, make_batch(1500), "y").rows.tolist() != first.rows.tolist()
    assert (len(first), first.n_rows, len({*first.rows.tolist()})) == (MOST_KEPT, 1500, MOST_KEPT)


def test_a_sample_comes_back_from_bytes(baseline: Baseline) -> None:
    sample = drawn(baseline, make_batch(300))
    again = KeptSample.from_bytes(sample.to_bytes())
    assert again.rows.tolist() == sample.rows.tolist()
    assert again.answers.tolist() == sample.answers.tolist()
    assert again.scores.tolist() == sample.scores.tolist()
    assert again.grounds == sample.grounds
    assert sorted(again.rows.tolist()) == list(range(300))
    # Row numbers, answers and scores; far from the rows themselves.
    assert len(sample.to_bytes()) < 12 * 300


def test_scores_and_answers_are_those_of_the_rows(baseline: Baseline) -> None:
    batch = make_batch(300)
    sample = drawn(baseline, batch)
    assert sample.scores[:, 0] == pytest.approx(batch["p"][sample.rows], abs=1e-6)
    assert sample.answers.tolist() == (batch["p"][sample.rows] > 0.5).astype(int).tolist()


def test_every_order_of_rows_is_as_likely() -> None:
    rng = np.random.default_rng(0)
    orders = Counter(tuple(random_rows(4, rng.random(2))) for _ in range(12_000))
    assert len(orders) == 12
    assert max(abs(count - 1000) for count in orders.values()) < 120


@pytest.fixture(scope="module")
def keyed() -> Baseline:
    table = make_table(400) | {"id": np.arange(400)}
    return Baseline.of(table, scores="p", labels="y", key="id")


@pytest.mark.parametrize(
    ("keys", "kept", "reason"),
    [
        (np.arange(100) + 7000, True, ""),
        ([f"c{number}" for number in range(100)], True, ""),
        (np.arange(100) // 2, False, "several rows have the same 'id'"),
        ([None, *range(99)], False, "'id' is missing in some rows"),
        (None, False, "the batch has no column 'id'"),
    ],
)
def test_keys_are_kept_if_they_identify_rows(keyed: Baseline, keys: Any, kept: bool, reason: str) -> None:
    batch: Table = make_batch(100) | ({} if keys is None else {"id": keys})
    table = as_table(batch)
    grounds = keyed.summarise(table).grounds
    assert grounds is not None
    sample, notes = draw_sample(keyed, table, grounds, seed=0, batch_id="x")
    assert bool(sample.keys) is kept
    assert [note.code for note in notes] == ([] if kept else ["no key"])
    assert [str(note_text(note)) for note in notes] == [
        f"Rows to label are identified by row number, because {why}." for why in ([] if kept else [reason])
    ]
    if kept:
        assert sample.rows_by_key[str(keys[3])] == 3
        assert KeptSample.from_bytes(sample.to_bytes()).keys == sample.keys


def test_redacted_baselines_keep_no_keys() -> None:
    table = make_table(400) | {"id": np.arange(400)}
    hidden = Baseline.of(table, scores="p", labels="y", key="id", redact=True)
    assert drawn(hidden, make_batch(100) | {"id": np.arange(100)}).keys == ()
