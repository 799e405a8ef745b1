from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from shiftproof.core import InputError
from shiftproof.stats import mean_phi, phi_as_printed, phi_correlation


@given(hnp.arrays(bool, (12, 4)))
def test_phi_is_that_of_the_two_by_two_table(failed: np.ndarray) -> None:
    phi = phi_correlation(failed)
    for i in range(4):
        for j in range(4):
            a, b = failed[:, i], failed[:, j]
            n11, n10, n01, n00 = (a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()
            below = float((n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00))
            expected = (n11 * n00 - n10 * n01) / below**0.5 if below else 0.0
            assert phi[i, j] == pytest.approx(expected, abs=1e-12)


def test_features_that_fail_always_or_never_are_flagged_on_the_diagonal() -> None:
    phi = phi_correlation([[1, 0, 1], [1, 0, 0], [1, 0, 1]])
    np.testing.assert_array_equal(np.diag(phi), [0, 0, 1])
    assert phi[0, 2] == 0


@given(hnp.arrays(np.int64, (10, 4), elements=st.integers(0, 2)))
def test_a_pair_is_compared_where_both_were_tested(codes: np.ndarray) -> None:
    failed = np.where(codes == 2, np.nan, codes)
    phi, printed = phi_correlation(failed), phi_as_printed(failed)
    for i in range(4):
        for j in range(4):
            both = ~np.isnan(failed[:, [i, j]]).any(axis=1)
            if i == j or not both.any():
                continue
            pair = failed[np.ix_(both, np.array([i, j]))]
            assert phi[i, j] == pytest.approx(phi_correlation(pair)[0, 1])
            assert printed[i, j] == pytest.approx(phi_as_printed(pair)[0, 1])


def test_a_masked_feature_does_not_lower_phi() -> None:
    # All features fail in every experiment; the masked one is not tested. As "did not fail" it would give -1/(d - 1).
    d = 6
    masked = np.where(np.eye(d, dtype=bool), np.nan, 1.0)
    found = mean_phi(masked)
    assert (found.mean, found.n_pairs, found.n_undefined) == (0.0, 15, 15)
    assert mean_phi(np.nan_to_num(masked)).mean == pytest.approx(-1 / (d - 1))


def test_the_mean_has_its_spread() -> None:
    rng = np.random.default_rng(0)
    failed = rng.random((40, 5)) < 0.4
    pairs = phi_correlation(failed)[np.triu_indices(5, 1)]
    found = mean_phi(failed)
    assert found.mean == pytest.approx(pairs.mean())
    assert found.spread == pytest.approx(pairs.std(ddof=1))
    assert found.standard_error == pytest.approx(pairs.std(ddof=1) / 10**0.5)
    assert str(found) == f"{pairs.mean():.3f} ± {pairs.std(ddof=1):.3f}"
    printed = phi_as_printed(failed)[np.triu_indices(5, 1)]
    assert mean_phi(failed, form="printed").mean == pytest.approx(printed.mean())
    assert np.isnan(mean_phi([[1, 0], [0, 1]]).spread)
    with pytest.raises(InputError, match="failures must have at least two columns, got 1; one column per feature"):
        mean_phi([[1], [0]])


def test_the_printed_equation_is_the_wrong_way_round() -> None:
    together, apart = np.array([[1, 1], [1, 1], [0, 0]]), np.array([[1, 0], [0, 1], [1, 0]])
    assert phi_correlation(together)[0, 1] == pytest.approx(1.0)
    assert phi_as_printed(together)[0, 1] == 0.0
    assert phi_correlation(apart)[0, 1] == pytest.approx(-1.0)
    assert phi_as_printed(apart)[0, 1] == pytest.approx(1.0)
    assert phi_as_printed(np.zeros((3, 2)))[0, 1] == 0.0


@pytest.mark.parametrize(
    ("failures", "words"),
    [
        ([0, 1], "failures must have two dimensions, got shape \\(2,\\)"),
        ([[0, 2]], "failures must be 0 or 1, got 2"),
        ([["x"]], "failures must be 0 or 1"),
    ],
)
def test_bad_input_gets_one_sentence(failures: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        phi_correlation(failures)  # type: ignore[arg-type]
