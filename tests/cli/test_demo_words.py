from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from shiftproof.cli._demo_acts import Act
from shiftproof.cli._demo_words import ENDS, OTHER_HALVES, TRIED, act_lines, closing_lines, opening

Make = Callable[..., Act]
RECORD = Path(__file__).resolve().parents[2] / "docs" / "demo.md"


def test_opening_names_the_models(act: Make) -> None:
    assert opening([act()]) == (
        "A bank called its customers to sell deposits. Who will say yes?\nModels: lr (logistic regression)."
    )


def test_act_lines_are_question_answer_and_truth(act: Make) -> None:
    assert list(act_lines(act())) == [
        "How accurate is lr?",
        '  cross-validation  83.2% (always "no": 83.1%)',
        "  shiftproof        71.3% to 75.7%, without labels",
        '  actual accuracy   74.0% (always "no": 72.1%): in the interval',
    ]


def test_act_lines_of_an_interval_that_misses(act: Make) -> None:
    _, _, answer, truth = act_lines(act(0.75, 0.8, labels=100))
    assert answer == "  shiftproof        75.0% to 80.0%, with 100 labels"
    assert truth == '  actual accuracy   74.0% (always "no": 72.1%): outside the interval'


def test_act_lines_of_a_refusal(act: Make) -> None:
    _, _, *answer, truth = act_lines(act(math.nan, math.nan))
    assert answer == [
        "  shiftproof        no estimate. 12 new rows are too few to estimate anything of",
        "                    them; get more.",
    ]
    assert truth == '  actual accuracy   74.0% (always "no": 72.1%)'


def test_the_actual_accuracy_names_the_answer_that_turned_out_to_be_the_most_frequent(act: Make) -> None:
    *_, truth = act_lines(replace(act(), baseline=0.484))
    assert truth == '  actual accuracy   74.0% (always "no": 48.4%, "yes": 51.6%): in the interval'


def test_act_lines_of_rows_that_are_too_different_name_the_first_reason(act: Make) -> None:
    refused = act(math.nan, math.nan)
    performance: Any = refused.performance
    performance.shift = SimpleNamespace(refused=True, reasons=("Few rows are alike.", "Many lie outside."))
    assert list(act_lines(refused))[2] == "  shiftproof        no estimate. Few rows are alike."


def test_closing_lines_count_all_intervals_and_say_what_was_chosen(act: Make) -> None:
    assert list(closing_lines([act(), act(math.nan, math.nan), act(0.75, 0.8)], 0)) == [
        "Over all acts, models and measures, 1 of 2 intervals contain the actual value.",
        f"Of {TRIED} ways to split the calls, the models have skill and then lose in {sum(ENDS.values())}.",
        f"Act 1 has the most skill; {ENDS['right']} of {sum(ENDS.values())} intervals are right: see docs/demo.md.",
        "For your own files: shiftproof audit labelled.csv new.csv --target COLUMN",
    ]


def test_closing_lines_without_a_shift_name_the_seed(act: Make) -> None:
    given = ", ".join(f"{verdict!r} in {count} of 10" for verdict, count in OTHER_HALVES.items())
    words = f"The halves were drawn with seed 3. Seeds 0 to 9 gave: {given}."
    assert list(closing_lines([act()], 3))[1] == words


def test_counts_of_splits_and_halves_are_those_of_the_record() -> None:
    record = RECORD.read_text(encoding="utf-8")
    results = [line.split("|")[-2].strip() for line in record.splitlines() if line.endswith("|")]
    assert Counter({end: count for end, count in ENDS.items() if count}) == Counter(results[2:])
    assert f"Of {TRIED} splits" in record
    assert all(f"{verdict!r} in {count} of 10" in record for verdict, count in OTHER_HALVES.items())
    assert "seeds 0 to 9" in record
