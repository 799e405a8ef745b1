from __future__ import annotations

import numpy as np
import pytest
from tests.monitoring.alarms._plans import category_plan, number_plan

from shiftproof import InputError
from shiftproof.monitoring.alarms import CellPlan
from shiftproof.monitoring.alarms._changed import ChangedBets, cell_functions, directions, shares
from shiftproof.monitoring.alarms._evidence import Mode

PI = np.array([0.2, 0.3, 0.5])
PHI = np.array([[-0.8, -0.3, 0.5], [0.46, -0.365, -0.125], [1.0, 0.0, 0.0]])


def test_directions_have_the_golden_values() -> None:
    expected = [[-0.755929, -0.654654], [0.933257, -0.359211], [1, 0]]
    assert directions(PI, PHI) == pytest.approx(np.array(expected), abs=5e-7)


def test_directions_of_constant_functions_are_left_out() -> None:
    assert len(directions(PI, np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]))) == 1


@pytest.mark.parametrize(("mode", "evidence"), [("ever", (1.067496, 16.304971)), ("run length", (1.182880, 53.642655))])
def test_two_batches_give_the_golden_evidence(mode: Mode, evidence: tuple[float, float]) -> None:
    bets = ChangedBets.along([np.array([20, 30, 50])], [directions(PI, PHI)])
    arrays = bets.begin()
    values = [(1.921648, 0.126347), (3.477077, 0.307293)]
    for batch, counts in enumerate([(5, 2, 3), (8, 1, 1)], 1):
        z, _ = bets.values(arrays["pool"], np.array(counts), np.full(2, 0.5))
        assert z == pytest.approx(values[batch - 1], abs=5e-7)
        log_e = bets.join(*bets.bet(arrays, np.array(counts), np.full(2, 0.5)))
        arrays["changed"] = bets.experts.grow(arrays["changed"], log_e, batch, mode)
        after = np.exp(bets.experts.evidence(arrays["changed"], batch, mode))
        assert after == pytest.approx([evidence[batch - 1]], abs=5e-7)
    assert arrays["pool"].tolist() == [33, 33, 54]


def test_shares_count_an_empty_cell_as_half_a_row() -> None:
    assert shares(np.array([0, 3, 4])) == pytest.approx(np.array([0.5, 3, 4]) / 7.5)


def test_cell_functions_of_numbers_leave_missing_out_of_the_ranks() -> None:
    plan = CellPlan(kind="number", part=np.array([10, 20, 20]), pool=np.zeros(3, int), reference=np.zeros(3, int))
    assert cell_functions(plan) == pytest.approx(np.array([[0, -0.5, 0.5], [0, -0.125, -0.125], [1, 0, 0]]))


def test_cell_functions_of_categories_have_the_rank_and_every_cell() -> None:
    functions = cell_functions(category_plan())
    assert functions.shape == (7, 6)
    assert np.all(np.diff(functions[0]) > 0)
    assert functions[1:] == pytest.approx(np.eye(6))


def test_design_effect_makes_rows_count_less() -> None:
    bets = ChangedBets.of({"age": number_plan()})
    counts, uniforms = np.array([0, 30, 25, 25, 20]), np.full(4, 0.5)
    z, rows = bets.values(bets.pool, counts, uniforms)
    z_half, rows_half = bets.values(bets.pool, counts, uniforms, 4.0)
    assert z_half == pytest.approx(z / 2)
    assert rows_half == pytest.approx(rows / 4)


def test_empty_pool_leaves_nothing_to_bet_on() -> None:
    bets = ChangedBets.along([np.zeros(3, int)], [directions(PI, PHI)])
    tilts, rows, learnt = bets.bet(bets.begin(), np.array([5, 2, 3]), np.full(2, 0.5))
    assert rows.tolist() == [0]
    assert bets.join(tilts, rows, learnt) == pytest.approx(np.zeros(45))


def test_column_of_one_cell_is_refused() -> None:
    one = np.array([4])
    with pytest.raises(InputError) as caught:
        ChangedBets.of({"age": CellPlan(kind="number", part=one, pool=one, reference=one)})
    assert str(caught.value) == "columns must have at least two cells each, got 1; see column 'age'."
