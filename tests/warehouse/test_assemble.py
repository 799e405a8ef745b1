"""From the facts of ranges to a record."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from shiftproof.warehouse import _runs
from shiftproof.warehouse._assemble import Whole, added, equal_bins, nominal_record
from shiftproof.warehouse._runs import ColumnPlan

RANGES = {
    1: {"missing": [0, 1], "rows": [2, 4], "negative": [0, 0], "positive": [0, 1], "ends": [5.0, 9.0]},
    0: {"missing": [3, 0], "rows": [6, 1], "negative": [1, 0], "positive": [0, 0], "ends": [1.0, 4.0]},
}


def test_the_whole_is_added_up_in_the_order_of_the_ranges() -> None:
    whole = Whole.of(RANGES, "f8", (2.0, 6.0))
    assert whole.missing == added(RANGES, "missing") == (3, 1)
    facts = whole.facts
    assert (facts.totals, facts.negative, facts.finite) == ((8, 5), (1, 0), (7, 4))
    assert facts.below == {0: (0, 0), 1: (6, 1)}
    assert facts.bins is not None
    assert (facts.bins.low, facts.bins.high) == (1.0, 9.0)
    # Few values are all kept, and so are deciles and outer percentiles.
    assert facts.ranks == (tuple(range(8)), tuple(range(5)))


def test_bins_of_integers_have_exact_widths() -> None:
    assert equal_bins(-(2**63), 2**63 - 1).width == float(2**64 - 1) / 30
    assert math.isinf(float(1.7e308 * 2))
    assert equal_bins(-1.7e308, 1.7e308).scale == 0.5


def test_categories_of_all_ranges_are_joined() -> None:
    plan = ColumnPlan("", (), 2)
    words = pa.chunked_array([["a", "b", "c", "a"]])
    pieces = pa.Table.from_batches([_runs.pieces_of(words, 0, plan, side) for side in (0, 1)])
    bodies = []
    for number in (0, 1):
        chosen = pieces.filter(np.array(pieces.column("range").to_pylist()) == number)
        if chosen.num_rows:
            bodies.append(_runs.join(chosen, [plan]).column("body")[0].as_py())
    record = nominal_record(bodies, (1, 2))
    assert record.categories == ("a", "b", "c")
    assert record.counts_reference.tolist() == record.counts_current.tolist() == [2, 1, 1]
    assert (record.missing_reference, record.missing_current) == (1, 2)
