"""How a comparison of two tables looks in a terminal."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from io import StringIO

import numpy as np
from rich.console import Console

import shiftproof as sp
from shiftproof.cli._show_detection import show_detection, show_timeline

EVEN = np.arange(100.0)
SCORES = np.linspace(0, 1, 100)


def printed(result: sp.Detection, *, width: int = 120, everything: bool = False) -> str:
    stream = StringIO()
    show_detection(Console(file=stream, width=width), result, everything=everything)
    return stream.getvalue()


def detection(features: int = 1, **options: object) -> sp.Detection:
    old = {f"x{number}": EVEN for number in range(features)}
    return sp.detect(old, old | {"x0": EVEN + 50}, multivariate=False, **options)  # type: ignore[arg-type]


def test_show_detection_draws_the_size_of_each_change() -> None:
    text = printed(detection(2))
    moved, same = (line.split() for line in text.splitlines() if line.startswith("x"))
    assert moved[:5] == ["x0", "continuous", "██████······", "0.50", "KS"]
    assert moved[-1] == "shifted"
    assert same[2:5] == ["············", "0.00", "KS"]
    assert text.startswith("SHIFTED  ")


def test_show_detection_draws_nothing_for_an_unknown_size() -> None:
    result = detection()
    unknown = replace(result.rows[0], effect=math.nan, q_value=math.nan, verdict="cannot tell")
    (line,) = [line.split() for line in printed(replace(result, rows=(unknown,))).splitlines() if line[:2] == "x0"]
    assert line == ["x0", "continuous", "············", "–", "–", "–", "cannot", "tell"]


def test_show_detection_leaves_kinds_and_missing_values_out_of_narrow_terminals() -> None:
    result = detection()
    assert " type " in printed(result, width=100)
    text = printed(result, width=60)
    head = text[text.index("\nfeature ") :].split("\n")[1].split()
    assert head == ["feature", "size", "of", "change", "q-value", "verdict"]


def test_show_detection_shows_twenty_tests_unless_all_are_requested() -> None:
    result = detection(23)
    assert "… and 3 more tests; --all shows them." in printed(result)
    assert sum(line.startswith("x") for line in printed(result).splitlines()) == 20
    assert sum(line.startswith("x") for line in printed(result, everything=True).splitlines()) == 23


def test_show_detection_says_where_new_scores_lie() -> None:
    result = sp.detect({"x": EVEN}, {"x": EVEN}, SCORES, SCORES**3, multivariate=False)
    assert re.search(r"^score .*lower, mean 0\.50 → 0\.25", printed(result), re.MULTILINE)
    assert not re.search("^score .*mean", printed(result, width=70), re.MULTILINE)


def test_show_timeline_has_a_line_per_period() -> None:
    new = {"x": np.concatenate([EVEN[::-1], EVEN + 50]), "part": ["a"] * 100 + ["b"] * 100}
    stream = StringIO()
    show_timeline(Console(file=stream, width=120), sp.detect_by({"x": EVEN}, new, "part"))
    head, first, second, *_ = stream.getvalue().splitlines()
    assert "p of scores" not in head
    assert first.split()[:4] == ["a", "100", "no", "shift"]
    assert second.split()[:7] == ["b", "100", "shifted", "1", "of", "1", "x"]
