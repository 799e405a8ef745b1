"""The tables of natural shifts: errors by data set, bins of chances, and constants that are fitted and used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks import real_tables

from shiftproof.case import ALLOWANCES


def test_the_error_of_a_mean_counts_data_sets_and_not_cases() -> None:
    values, sets = pd.Series([0.0, 0.0, 1.0, 1.0]), pd.Series(["a", "a", "b", "b"])
    assert real_tables.error_of(values, sets) == pytest.approx(np.sqrt(2) / 4)
    assert real_tables.error_of(values, pd.Series(range(4))) == pytest.approx(0.25)


def test_bins_say_how_often_a_loss_happened() -> None:
    frame = pd.DataFrame({"chance": [0.02, 0.15, 0.15, 1.0], "lost": [0.0, 0.0, 1.0, 1.0], "set": list("abcd")})
    table = real_tables._bins(frame)
    assert table["from"].tolist() == [0.0, 0.1, 0.7]
    assert table["cases"].tolist() == [1, 2, 1]
    assert table["happens"].tolist() == [0.0, 0.5, 1.0]


def test_fitted_constants_are_those_that_made_the_errors_and_are_used_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Benchmarks run as scripts and import each other by name.
    monkeypatch.syspath_prepend(str(Path(real_tables.__file__).parent))
    real_allowance = import_module("real_allowance")
    rng = np.random.default_rng(0)
    n = 4_000
    frame = pd.DataFrame({"set": rng.integers(0, 20, n).astype(str), "moved": rng.uniform(0, 0.2, n)}).assign(
        measure="share", better=1, unit=1.0, error=0.01, prior=0.0, refused=False, type="unclear", value=0.5
    )
    scale = np.hypot(0.01, 0.03 + 0.25 * frame["moved"])
    frame["actual"] = frame["value"] + scale * rng.standard_t(4, n)
    constants = real_allowance.fit_all(frame)
    assert constants["share"] == pytest.approx((0.03, 0.25), rel=0.15)
    assert real_allowance.fit_all(frame, "3") != constants
    before = ALLOWANCES["accuracy"]
    with real_allowance.using({"accuracy": (0.5, 0.1)}):
        assert ALLOWANCES["accuracy"].constant == ALLOWANCES["error"].constant == 0.5
    assert ALLOWANCES["accuracy"] == before
