from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.core import HIDDEN, InputError, as_table
from shiftproof.monitoring._reference import ReferenceDraw, count_column, learn_column, same_cells


def drawing(n: int = 100, *, redact: bool = False) -> ReferenceDraw:
    draws = np.random.default_rng(0).random(n)
    return ReferenceDraw(draws=draws, codes=np.arange(n) % 2, n_classes=2, salt=b"s", redact=redact)


def column(cells: Any) -> Any:
    return as_table({"x": cells}).column("x")


def test_drawing_part_is_a_share_or_about_fifty_rows() -> None:
    assert abs(drawing(4000).part(0.25).mean() - 0.25) < 0.02
    assert abs(drawing(100).part(0.25).sum() - 50) < 12
    assert abs(drawing(40).part(0.25).sum() - 20) < 8


def test_learn_column_counts_part_pool_and_classes() -> None:
    learned = learn_column(column(np.arange(100.0)), "continuous", drawing())
    plan = learned.plan
    assert plan.kind == "number"
    assert plan.part.sum() == drawing().part(0.25).sum()
    assert plan.reference.sum() == 100
    assert (plan.part + plan.pool).tolist() == plan.reference.tolist()
    assert learned.by_class.sum(axis=1).tolist() == [50, 50]
    assert learned.by_class.sum(axis=0).tolist() == learned.total.tolist()


def test_learn_column_without_values_has_two_cells_of_values() -> None:
    learned = learn_column(column([None] * 100), "continuous", drawing())
    assert learned.plan.kind == "category"
    assert learned.plan.reference.tolist() == [100, 0, 0]


def test_learn_column_with_nulls_and_infinities() -> None:
    cells: list[float | None] = [None, np.inf, -np.inf, *range(97)]
    learned = learn_column(column(cells), "continuous", drawing())
    assert learned.n_present == 99
    assert learned.plan.reference[0] == 1


def test_learn_column_redacted_hides_its_example() -> None:
    learned = learn_column(column(["secret", "other"] * 50), "nominal", drawing(redact=True))
    assert learned.nature.example == HIDDEN
    assert "secret" not in repr(learned)


def test_counts_on_the_same_cells_add_up() -> None:
    cells = np.arange(100.0)
    first = learn_column(column(cells), "continuous", drawing())
    none = np.zeros(100, dtype=bool)
    second = count_column(column(cells + 10), "continuous", first.cells, none, drawing())
    both = first.plus(second)
    again = count_column(
        column(np.concatenate([cells, cells + 10])), "continuous", first.cells, np.zeros(200, dtype=bool), drawing(200)
    )
    assert both.total.tolist() == again.total.tolist()
    assert both.part.tolist() == first.part.tolist()
    other = learn_column(column(cells * 2), "continuous", drawing())
    assert not same_cells(first.cells, other.cells)
    with pytest.raises(
        InputError, match=r"^baselines can only be added if their cells are the same; the cells of 'x' differ\.$"
    ):
        first.plus(other)
