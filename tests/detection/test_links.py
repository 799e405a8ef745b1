"""Links between columns turn round if codes are exchanged, and not otherwise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.core import as_table
from shiftproof.detection._links import Links
from shiftproof.stats import compare_tables

RNG = np.random.default_rng(0)
AGE, NOISE = RNG.normal(size=(2, 1200))
OWNER = np.where(AGE + NOISE > 0, "yes", "no")


def links(owner: np.ndarray, age: np.ndarray) -> Links:
    """Compare the first 600 rows with others."""
    old = {"age": AGE[:600], "owner": OWNER[:600], "lone": NOISE[:600].round(0) * 0}
    tables = as_table(old), as_table({"age": age, "owner": owner, "lone": np.zeros(len(age))})
    return Links(*tables, compare_tables(*tables), np.random.default_rng(0))


def test_links_of_categories_and_numbers_are_as_before_without_a_change() -> None:
    same = links(OWNER[600:], AGE[600:])
    assert same.of_categories("owner", (0, 1)) == pytest.approx(1)
    assert same.of_numbers("age") == pytest.approx(1)


def test_links_turn_round_if_codes_are_exchanged() -> None:
    exchanged = np.where(OWNER[600:] == "yes", "no", "yes")
    assert links(exchanged, AGE[600:]).of_categories("owner", (0, 1)) == pytest.approx(-1)
    assert links(OWNER[600:], -AGE[600:]).of_numbers("age") == pytest.approx(-1)


def test_links_are_unknown_where_chance_could_have_made_them() -> None:
    unlinked = links(RNG.permutation(OWNER[600:]), AGE[600:])
    assert math.isnan(unlinked.of_categories("owner", (0, 1)))
    assert math.isnan(unlinked.of_numbers("age"))
    assert math.isnan(unlinked.of_numbers("lone"))  # a constant has no correlations
    assert math.isnan(links(np.repeat("yes", 600), AGE[600:]).of_categories("owner", (0, 1)))


def test_links_leave_missing_numbers_in_the_middle() -> None:
    age = np.where(np.arange(600) < 60, np.nan, AGE[600:])
    assert links(OWNER[600:], age).of_categories("owner", (0, 1)) == pytest.approx(1)
    assert math.isnan(links(OWNER[600:], np.full(600, np.nan)).of_numbers("age"))
