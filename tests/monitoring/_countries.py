"""Rows of five countries, for tests of segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

COUNTRIES = {"DE": 0.5, "FR": 0.3, "IT": 0.12, "LU": 0.05, "MT": 0.03}


def rows(n: int, *, seed: int = 0, shifted: str = "", shift: float = 8.0) -> pd.DataFrame:
    """Make rows of five countries, of which one may be shifted."""
    # Not the numbers that draw part A.
    rng = np.random.default_rng(1000 + seed)
    country = rng.choice([*COUNTRIES], n, p=[*COUNTRIES.values()])
    age = rng.normal(40, 10, n) + 10 * (country == "DE") + shift * (country == shifted)
    p = 1 / (1 + np.exp((45 - age) / 5))
    return pd.DataFrame({"country": country, "age": age, "p": p, "y": rng.random(n) < p})


def batch(n: int = 600, **how: Any) -> pd.DataFrame:
    return rows(n, **how).drop(columns="y")
