from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from shiftproof.core import InputError
from shiftproof.stats import phi_as_printed, phi_correlation


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
