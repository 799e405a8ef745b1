from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.monitoring import Baseline

Rows = tuple[dict[str, Any], np.ndarray]


def draw(n: int, share: float, *, shift: float = 0.0, seed: int = 0) -> Rows:
    """Draw rows of two classes; a shift moves a feature that says nothing about the class."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    x, z = rng.normal(size=n) + 1.5 * y, rng.normal(size=n) + shift
    job = np.where(rng.random(n) < 0.3 + 0.3 * y, "a", "b")
    p = 1 / (1 + np.exp(1.125 - 1.5 * x))
    return {"x": x, "z": z, "job": job, "p": p}, y


@pytest.fixture(scope="module")
def reference() -> Baseline:
    rows, y = draw(1_500, 0.4)
    return Baseline.of(rows, scores="p", labels=y)


@pytest.mark.parametrize(
    ("share", "shift", "kind"),
    [(0.4, 0.0, "none"), (0.75, 0.0, "prior"), (0.4, 0.5, "unclear"), (0.75, 0.5, "unclear")],
)
def test_shift_of_batch_by_the_change(reference: Baseline, share: float, shift: float, kind: str) -> None:
    summary = reference.summarise(draw(1_000, share, shift=shift, seed=2)[0])
    assert summary.shift_kind == kind
    assert summary.shift is not None
    assert (summary.shift.p_none < 0.01) == (kind != "none")


def test_shift_of_batch_says_why(reference: Baseline) -> None:
    unclear = reference.summarise(draw(1_000, 0.4, shift=0.5, seed=1)[0])
    assert unclear.shift_reason.startswith(
        "The tables differ (p < 0.001). Different class proportions alone do not explain that"
    )
    assert "The type of shift is unclear; an audit, which uses the rows themselves, can say more." in unclear.summary()
    few = reference.summarise(draw(10, 0.4, seed=1)[0])
    assert few.shift_reason == "With only 10 new rows, the type of shift cannot be determined."
    prior = reference.summarise(draw(1_000, 0.75, seed=1)[0])
    assert "only the class proportions changed. The estimates correct for this. The tables differ" in prior.summary()


def test_shift_of_batch_with_new_values_is_unclear(reference: Baseline) -> None:
    rows, _ = draw(300, 0.4, seed=1)
    summary = reference.summarise(rows | {"z": rows["z"] + 100})
    assert summary.shift_kind == "unclear"
    assert summary.shift_reason.startswith(
        "In 100% of new rows, one column has a value that the labelled data do not cover"
    )


def test_p_none_is_rarely_small_without_a_shift(reference: Baseline) -> None:
    readings = [reference.summarise(draw(400, 0.4, seed=seed)[0]).shift for seed in range(10, 50)]
    small = np.mean([reading is not None and reading.p_none < 0.05 for reading in readings])
    assert small <= 0.15


def test_shift_is_not_determined_without_labels_or_features() -> None:
    rows, y = draw(200, 0.4)
    assert Baseline.of(rows, scores="p").summarise(rows).shift_kind == ""
    assert Baseline.of({"p": rows["p"]}, scores="p", labels=y).summarise(rows).shift_reason == ""


def test_scores_that_say_nothing_show_no_prior_shift() -> None:
    rows, y = draw(300, 0.4)
    equal = Baseline.of(rows | {"p": np.full(300, 0.3)}, scores="p", labels=y)
    reading = equal.summarise(draw(60, 0.4, seed=2)[0] | {"p": np.full(60, 0.3)}).shift
    assert reading is not None
    assert reading.kind != "prior"
    assert reading.p_none > 0.05
