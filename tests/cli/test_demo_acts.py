from __future__ import annotations

import math
from collections.abc import Callable

from shiftproof.cli._demo_acts import Act, by_balance, halves

Make = Callable[..., Act]


def test_act_knows_its_figures(act: Make) -> None:
    made = act()
    assert (made.validated, made.labelled_baseline, made.truth, made.heading) == (0.832, 0.831, 0.74, "It answers")
    assert made.covered == {("lr", "accuracy"): True}
    assert act(0.75, 0.8).covered == {("lr", "accuracy"): False}


def test_act_without_an_estimate_is_called_a_refusal(act: Make) -> None:
    refused = act(math.nan, math.nan)
    assert (refused.refused, refused.heading, refused.covered) == (True, "It refuses", {})
    assert (refused.to_dict()["interval"]["low"], refused.to_dict()["covered"]) == (None, None)


def test_act_as_a_row_of_the_chart(act: Make) -> None:
    row = act().row(2)
    assert (row.title, row.about) == ("2. It answers", "no mortgage")
    assert (row.validated, row.low, row.high, row.actual, row.baseline) == (0.832, 0.713, 0.757, 0.74, 0.721)


def test_act_to_dict_has_its_answer_and_the_truth(act: Make) -> None:
    written = act().to_dict()
    assert written["performance"] == {"level": 0.9}
    assert {name: written[name] for name in ("title", "model", "validated", "actual", "covered", "baseline")} == {
        "title": "It answers", "model": "lr", "validated": 0.832, "actual": 0.74, "covered": True, "baseline": 0.721,
    }  # fmt: skip


def test_halves_are_all_calls_of_2009_and_follow_the_seed() -> None:
    labelled, rest = halves(0)
    assert (len(labelled), len(rest)) == (7431, 7431)
    assert rest.index.tolist() == list(range(7431))
    assert not labelled.equals(halves(1)[0])


def test_calls_are_split_by_the_balance() -> None:
    low, high = by_balance()
    assert (len(low), len(high)) == (580, 580)
    assert "balance" not in {*low.columns, *high.columns}
