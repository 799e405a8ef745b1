"""The evidence about the type of shift, from functions of both tables."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.core import as_table
from shiftproof.shift._evidence import Gathered, gather
from shiftproof.shift._features import Feature, number_feature

RNG = np.random.default_rng(0)
N, M = 300, 200


def features(old: np.ndarray, new: np.ndarray) -> list[Feature]:
    before, after = as_table(old), as_table(new)
    return [number_feature(before.column(name), after.column(name)) for name in before.names]


def gathered(old: np.ndarray, codes: np.ndarray, new: np.ndarray) -> Gathered:
    return gather(features(old, new), codes, np.random.default_rng(0), 1)


def rows(n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    codes = (np.arange(n) < share * n).astype(np.int64)
    return RNG.normal(size=(n, 2)) + 1.5 * codes[:, None], codes


@pytest.fixture(scope="module", autouse=True)
def _few_trees() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shiftproof.shift._reference_score._TREES", 12)
        yield


def test_gather_of_rows_drawn_alike_sees_no_change() -> None:
    (old, codes), (new, _) = rows(N, 0.4), rows(M, 0.4)
    result = gathered(old, codes, new)
    evidence = result.evidence
    assert evidence.p_none > 0.01
    assert evidence.training.tolist() == pytest.approx([0.6, 0.4])
    assert evidence.shares[1] == pytest.approx(0.4, abs=0.12)
    assert (evidence.n_reference, evidence.n_current) == (N, M)
    assert result.copied == 0
    assert result.scores.reference.shape == (N, 2)


def test_gather_estimates_changed_class_proportions_and_explains_the_change_by_them() -> None:
    (old, codes), (new, _) = rows(N, 0.3), rows(M, 0.8)
    evidence = gathered(old, codes, new).evidence
    assert evidence.p_prevalence < 1e-6
    assert evidence.p_none < 1e-6
    assert evidence.shares[1] == pytest.approx(0.8, abs=0.12)
    assert evidence.p_prior > 0.01


def test_gather_counts_new_rows_with_gaps_that_no_labelled_row_has_as_outside() -> None:
    old, codes = rows(N, 0.5)
    new = RNG.normal(size=(M, 2))
    new[:100, 0] = np.nan
    assert gathered(old, codes, new).evidence.outside >= 0.5


def test_gather_counts_copied_rows_if_they_are_many() -> None:
    old, codes = rows(N, 0.5)
    fresh = RNG.normal(size=(150, 2))
    assert gathered(old, codes, np.vstack([old[:150], fresh])).copied == 0.5
    assert gathered(old, codes, np.vstack([old[:10], fresh])).copied == 0
