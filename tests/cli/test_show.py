"""How results look in a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from io import BytesIO, StringIO, TextIOWrapper
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.quantification.cases import interval, made, refused

from shiftproof.cli._show import estimate_text, share_text, show_evaluation, show_models, show_next, show_quantification
from shiftproof.counting._assumption import Unclipped
from shiftproof.evaluation import Evaluation, cell_text, evaluate
from shiftproof.measures import measure_name
from shiftproof.panel import Panel
from shiftproof.quantification import Quantification
from shiftproof.selection import Performance


def evaluation(models: list[str]) -> Evaluation:
    """Evaluate models of these names, which all are the same."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    scores = np.clip(0.3 * y + rng.uniform(0, 0.7, 60), 0, 1)
    return evaluate(Panel.from_scores(y, dict.fromkeys(models, scores)))


def printed_evaluation(result: Evaluation, width: int, *, everything: bool, encoding: str = "utf-8") -> list[str]:
    stream = TextIOWrapper(BytesIO(), encoding=encoding, errors="replace", newline="\n")
    show_evaluation(Console(file=stream, width=width), result, everything=everything)
    stream.seek(0)
    return [line.rstrip() for line in stream.read().splitlines()]


@pytest.mark.parametrize(
    ("width", "everything", "tables"), [(80, False, 2), (200, False, 1), (80, True, 5), (200, True, 2), (40, True, 13)]
)
def test_show_evaluation_cuts_tables_to_the_width(width: int, everything: bool, tables: int) -> None:
    result = evaluation(["lr", "forest"])
    lines = printed_evaluation(result, width, everything=everything)
    assert max(map(len, lines)) <= width
    heads = [line for line in lines if line.startswith("model ")]
    assert len(heads) == tables
    assert heads[0].split()[1] == "accuracy"
    # every number is there in full, next to its model
    text = "\n".join(lines)
    shown = result.estimates["lr"] if everything else ("accuracy", "auc", "f1", "brier")
    assert all(cell_text(result.estimates["lr"][name], name) in text for name in shown)
    assert all(measure_name(name) in " ".join(heads) for name in shown)
    assert sum(line.startswith("forest ") for line in lines) == tables
    assert "…" not in text


@pytest.mark.parametrize("width", [30, 80, 200])
@pytest.mark.parametrize(
    "name",
    [
        "x" * 300,
        "[bold]red[/bold]",
        "[/red]",
        "\x1b[31mred",
        "a\nb\tc",
        "年齢" * 40,
        "\u202eabc",
        "",
        "🙂👨‍👩‍👧",
        ":smile:",
    ],
)
def test_show_evaluation_is_safe_from_names_of_models(name: str, width: int) -> None:
    result = evaluation([name, "forest"])
    lines = printed_evaluation(result, width, everything=True)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)
    if width >= 80:
        assert text.count(cell_text(result.estimates["forest"]["accuracy"], "accuracy")) >= 2
    if "[" in name and "\x1b" not in name:
        assert name in text


def test_show_evaluation_on_a_terminal_that_knows_only_ascii() -> None:
    lines = printed_evaluation(evaluation(["größe" * 30, "forest"]), 80, everything=False, encoding="ascii")
    assert lines[1].startswith("gr??egr??egr??e")
    assert "~ has the best accuracy" in " ".join(lines)


BROKEN = (Unclipped(method="adjusted count", code=1, value=1.2, low=0.9, high=1.1),)


def printed(show: Callable[..., None], *arguments: object, width: int = 200, **options: object) -> str:
    console = Console(file=StringIO(), width=width)
    show(console, *arguments, **options)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def test_show_models_dims_those_that_are_clearly_not_the_best() -> None:
    console = Console(file=StringIO(), width=80, force_terminal=True, color_system="standard", no_color=False)
    show_models(console, ["a", "b"], {"rank": ["1", "2"]}, likely={"a"})
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[2mb" in text
    assert "\x1b[2ma" not in text


@pytest.mark.parametrize(
    "result",
    [
        made(),
        made(unclipped=BROKEN),
        made(prevalence={"no": interval(0.5, 0.0, 0.98), "yes": interval(0.5, 0.02, 1.0)}),
    ],
)
def test_show_quantification_begins_with_the_answer(result: Quantification) -> None:
    lines = printed(show_quantification, result)
    assert lines.startswith(result.summary()[:40])
    assert "Class proportions" not in lines


def test_share_text_gives_no_figure_where_more_changed_than_the_class_proportions() -> None:
    assert share_text(made()) == "40.0% (30.0% to 50.0%) of the new rows, compared with 10.0% of the labelled rows."
    assert share_text(refused(unclipped=BROKEN)) == (
        "cannot be estimated, because more than the class proportions changed; it is 10.0% in the labelled data."
    )


def test_estimate_text_says_refused_without_an_estimate() -> None:
    intervals = {"a": interval(0.8, 0.75, 0.85), "b": interval(math.nan, math.nan, math.nan)}
    performance = cast("Performance", SimpleNamespace(interval=lambda model, _: intervals[model]))
    assert estimate_text(performance, "a", "accuracy") == "80.0% (75.0% to 85.0%)"
    assert estimate_text(performance, "b", "accuracy") == "no estimate"


def test_show_next_ends_with_the_plan_and_its_command() -> None:
    selection = SimpleNamespace(notes=(), fits=21, reverse_fits=0, seconds=1.25)
    plan = SimpleNamespace(summary=lambda: "Label 10 rows.")
    lines = printed(show_next, selection, plan, "Use --plan.").splitlines()
    assert lines == ["time: 21 fits in 1.2 s.", "next step: Label 10 rows. Use --plan."]
