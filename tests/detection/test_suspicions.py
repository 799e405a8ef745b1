"""Planted mistakes are recognised; random halves and other changes are not taken for mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.detection import detect
from shiftproof.detection._suspicions import FACTORS, Suspicion, suspicions
from shiftproof.stats import compare


def table(n: int, seed: int) -> pd.DataFrame:
    """Return people: older ones own more and are graded higher."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    owner = np.where(age + rng.normal(0, 20, n) > 55, "yes", "no")
    region = rng.choice(["north", "south", "west"], n, p=[0.7, 0.2, 0.1])
    grade = np.clip(np.round(age / 20 + rng.normal(0, 1, n)), 1, 5)
    return pd.DataFrame(
        {"age": age, "day": rng.integers(1, 29, n), "owner": owner, "region": region, "grade": grade}
        | {"balance": rng.normal(500, 300, n), "celsius": rng.normal(12, 6, n)}
    )


OLD, NEW = table(600, 0), table(500, 1)


def found(**changed: Any) -> tuple[Suspicion, ...]:
    """Return what is suspected if columns of the new table are changed."""
    return detect(OLD, NEW.assign(**changed), multivariate=False).suspicions


def test_suspicions_are_none_for_the_same_kind_of_rows() -> None:
    assert found() == ()


def test_suspicions_are_none_for_other_changes() -> None:
    assert found(age=NEW["age"] * 1.4, balance=NEW["balance"] + 5_000) == ()


def test_swapped_columns_of_numbers_and_of_categories() -> None:
    (numbers,) = found(age=NEW["day"], day=NEW["age"])
    assert (numbers.mishap, numbers.features) == ("swapped", ("age", "day"))
    assert numbers.distance > 0.5
    assert numbers.explained < 0.1
    (categories,) = found(owner=NEW["region"], region=NEW["owner"])
    assert (categories.mishap, categories.features) == ("swapped", ("owner", "region"))


def test_swapped_columns_of_the_same_categories_by_their_shares() -> None:
    rng = np.random.default_rng(2)
    old, new = (
        table.assign(loan=np.where(rng.random(len(table)) < 0.1, "yes", "no"), mute=np.where(table["age"] > 80, 1, 0))
        for table in (OLD, NEW)
    )
    swapped = new.assign(owner=new["loan"], loan=new["owner"])
    (suspicion,) = detect(old, swapped, multivariate=False).suspicions
    assert (suspicion.mishap, suspicion.features) == ("swapped", ("owner", "loan"))
    assert detect(old, new.assign(loan=new["owner"]), multivariate=False).suspicions == ()


def test_another_spelling_of_categories() -> None:
    (suspicion,) = found(owner=NEW["owner"].str.upper())
    assert (suspicion.mishap, suspicion.features) == ("spelled", ("owner",))
    assert sorted(suspicion.categories, key=str.islower)[0].isupper()
    assert suspicion.distance == pytest.approx(np.sqrt(2))
    assert suspicion.explained < 0.1
    assert [one.mishap for one in found(region=" " + NEW["region"])] == ["spelled"]
    # A few typing errors, and a spelling that the labelled data mix themselves, are no mistake of the new data.
    few = NEW["region"].where(NEW.index > 10, NEW["region"].str.upper())
    assert found(region=few) == ()
    mixed = OLD.assign(region=OLD["region"].where(OLD.index > 100, OLD["region"].str.upper()))
    assert detect(mixed, NEW.assign(region=NEW["region"].str.title()), multivariate=False).suspicions == ()


@pytest.mark.parametrize("factor", [12, 1 / 12, 1000, 0.01, -1])
def test_changed_unit(factor: float) -> None:
    (suspicion,) = found(balance=NEW["balance"] * factor)
    assert (suspicion.mishap, suspicion.features) == ("unit", ("balance",))
    assert suspicion.factor == pytest.approx(factor)


def test_changed_unit_of_temperatures() -> None:
    (suspicion,) = found(celsius=NEW["celsius"] * 1.8 + 32)
    assert (suspicion.factor, suspicion.offset) == (1.8, 32)


def test_small_factors_are_nature_if_other_columns_moved_as_far() -> None:
    pounds = NEW["age"] / 0.45359237
    (suspicion,) = detect(OLD.assign(age=OLD["age"] + 60), NEW.assign(age=pounds + 132.277)).suspicions
    assert suspicion.factor == pytest.approx(2.2046, abs=1e-3)
    assert (
        detect(OLD.assign(age=OLD["age"] + 60), NEW.assign(age=pounds + 132.277, day=NEW["day"] + 25)).suspicions == ()
    )


def test_exchanged_categories_by_their_links_or_by_their_shares() -> None:
    (linked,) = found(owner=NEW["owner"].map({"yes": "no", "no": "yes"}))
    assert (linked.mishap, linked.features, linked.categories) == ("exchanged", ("owner",), ("no", "yes"))
    (by_shares,) = found(region=NEW["region"].map({"north": "south", "south": "north", "west": "west"}))
    assert (by_shares.features, by_shares.categories) == (("region",), ("north", "south"))


def test_reversed_grades() -> None:
    (suspicion,) = found(grade=6 - NEW["grade"])
    assert (suspicion.mishap, suspicion.features) == ("reversed", ("grade",))


def test_suspicions_need_enough_values_and_bear_the_largest_numbers() -> None:
    def none() -> Any:
        raise AssertionError("no column may be coded differently here")

    few = np.arange(20.0)
    assert suspicions({"x": compare(few, few * 12)}, none) == ()
    many = np.linspace(1e300, 1.7e308, 50)
    assert suspicions({"x": compare(many, -many / 7.7)}, none) == ()
    dates = np.arange(50).astype("M8[D]")
    assert suspicions({"x": compare(dates, dates + 9_000)}, none) == ()


def test_factors_are_listed_once() -> None:
    assert len(set(FACTORS)) == len(FACTORS)
    assert min(FACTORS) > 1
