from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shiftproof as sp
from shiftproof.core import as_table
from shiftproof.detection._groups import associate


def twins(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, c = rng.normal(size=(2, n))
    return pd.DataFrame(
        {"a": a, "b": a + 0.05 * rng.normal(size=n), "c": c, "d": c + 0.05 * rng.normal(size=n), "e": rng.random(n)}
    )


def test_twins_fail_together() -> None:
    kinds = dict.fromkeys("abcde", "continuous")
    found = associate(as_table(twins(1000)), kinds, tuple("abcde"), np.random.default_rng(0))
    assert found is not None
    assert {frozenset(group.features) for group in found.groups} == {frozenset("ab"), frozenset("cd")}
    assert list(found.partners("a")) == ["b"]
    assert found.partners("nobody") == {}
    assert found.strength("a", "b") == "very strong"
    assert found.strength("a", "e") == "little"
    between = replace(found, phi=np.array([[1.0, 0.3], [0.3, 1.0]]), features=("a", "b"))
    assert between.strength("a", "b") == "some"


def test_categories_fail_with_the_number_they_come_from() -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 1500))
    table = as_table({"x": x, "high": np.where(x > 0.3, "zz", "aa"), "z": z, "w": rng.normal(size=1500)})
    kinds = {"x": "continuous", "high": "nominal", "z": "continuous", "w": "continuous"}
    found = associate(table, kinds, tuple(table.names), np.random.default_rng(0))
    assert found is not None
    assert found.phi[0, 1] > 0.7
    assert abs(found.phi[0, 2]) < 0.7


def test_advice_is_to_check_a_feature_whose_twin_did_not_change() -> None:
    new = twins(500, 1)
    new["a"] += 1.0
    found = sp.detect(twins(800), new)
    assert found.features == ("a",)
    assert found.advice == (
        "'a' changed and 'b' did not, although the two usually change together (correlation of their changes "
        "1.00): check the source of 'a'.",
    )
    both = new.assign(b=new["b"] + 1.0)
    assert sp.detect(twins(800), both).advice == ()


def test_a_column_that_lost_its_values_is_not_a_twin_that_did_not_change() -> None:
    new = twins(500, 1)
    new["a"] += 1.0
    emptied = sp.detect(twins(800), new.assign(b=np.nan))
    assert emptied.advice == ("'b' has no values in the new data; check where it comes from.",)


def test_advice_ignores_a_change_too_small_to_matter() -> None:
    new = twins(3_000, 1)
    new["a"] += 0.15
    found = sp.detect(twins(3_000), new, multivariate=False)
    assert [row.verdict for row in found.rows if row.feature == "a"] == ["negligible"]
    assert found.advice == ()


def test_missing_values_do_not_stop_it() -> None:
    table = twins(400)
    table.loc[::3, "a"] = np.nan
    table["f"] = np.nan
    kinds = dict.fromkeys("abcdef", "continuous")
    found = associate(as_table(table), kinds, tuple("abcdef"), np.random.default_rng(0))
    assert found is not None
    assert found.failing[5] == 0.0


@pytest.mark.parametrize(("rows", "features"), [(39, "ab"), (400, "a")])
def test_too_little_to_say(rows: int, features: str) -> None:
    kinds = dict.fromkeys("abcde", "continuous")
    assert associate(as_table(twins(rows)), kinds, tuple(features), np.random.default_rng(0)) is None


def test_nothing_is_grouped_where_nothing_shifted() -> None:
    assert sp.detect(twins(300), twins(300, 1)).association is None
