from __future__ import annotations

import pytest
from scipy.special import ndtri_exp

from shiftproof.monitoring.alarms._kernels import hypergeometric_z, normal_quantile


@pytest.mark.parametrize("log_p", [-1e-9, -1e-3, -0.05, -0.6931, -1.0, -2.6, -5.0, -24.0, -26.0, -700.0, -760.0, -1e6])
def test_normal_quantile_agrees_with_scipy_down_to_tiny_probabilities(log_p: float) -> None:
    assert normal_quantile(log_p) == pytest.approx(ndtri_exp(log_p), rel=1e-8)


@pytest.mark.parametrize(
    ("numbers", "z"),
    [((1, 4, 3, 12), 0.022790), ((0, 4, 3, 12), -1.139378), ((40, 100, 900, 11000), 8.764189)],
)
def test_hypergeometric_z_has_the_golden_values(numbers: tuple[int, int, int, int], z: float) -> None:
    assert hypergeometric_z(*numbers, 0.5) == pytest.approx(z, abs=5e-7)
