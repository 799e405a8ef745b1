from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shiftproof import Baseline, Monitor
from shiftproof.core import InputError, ScoresReversed
from shiftproof.monitoring._score_order import order_notes, ordered_by_class
from shiftproof.monitoring._scores import ScoreColumns


def scored(names: tuple[str, ...]) -> dict[str, Any]:
    """Return a table with scores of three classes, whose columns have these names."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 150)
    scores = np.exp(3 * np.eye(3)[codes] + rng.normal(size=(150, 3)))
    columns = dict(zip(names, (scores / scores.sum(axis=1, keepdims=True)).T, strict=True))
    return columns | {"y": np.array(["a", "b", "c"])[codes]}


@pytest.mark.parametrize(
    ("names", "classes", "ordered"),
    [
        (["1", "0"], [0, 1], ("0", "1")),
        (["p 10", "p 1"], [1, 10], ("p 1", "p 10")),
        (["no=p", "yes=p"], ["yes", "no"], ("yes=p", "no=p")),
        (["p_no", "p_note"], ["no", "note"], ("p_no", "p_note")),
        (["p_a", "p_a", "p_b"], ["a", "b", "c"], None),
        (["p"], ["a", "b"], None),
        (["x_a", "y_a"], ["a", "b"], None),
        (["a"], [], None),
    ],
)
def test_ordered_by_class(names: list[str], classes: list[Any], ordered: tuple[str, ...] | None) -> None:
    assert ordered_by_class(names, classes) == ordered


def test_columns_named_after_the_classes_may_come_in_any_order() -> None:
    baseline = Baseline.of(scored(("p_a", "p_b", "p_c")), scores=["p_c", "p_a", "p_b"], labels="y")
    assert baseline.scores is not None
    assert baseline.scores.names == ("p_a", "p_b", "p_c")
    assert (baseline.validated or 0) > 0.8


def test_columns_in_a_wrong_order_are_refused() -> None:
    table = scored(("first", "second", "third"))
    message = (
        "scores must be in the order of the classes 'a', 'b' and 'c', got columns that agree with 3.3% of the labels; "
        "in the order 'first', 'second' and 'third' they agree with 94.7%; change the order, or name the columns after "
        "the classes."
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Baseline.of(table, scores=["third", "first", "second"], labels="y")
    assert Baseline.of(table, scores=["first", "second", "third"], labels="y").validated == pytest.approx(
        0.947, abs=0.001
    )


def test_a_model_without_skill_is_not_refused() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        table = {"x": rng.normal(size=60), "y": rng.choice(["a", "b", "c"], 60)}
        Baseline.of(table, scores=rng.dirichlet([1.0] * 3, 60), labels="y")


def test_a_model_that_always_answers_a_rarer_class_is_not_refused() -> None:
    table = {"x": np.arange(100.0), "y": np.array(["a"] * 20 + ["b"] * 70 + ["c"] * 10)}
    assert Baseline.of(table, scores=np.tile([0.6, 0.3, 0.1], (100, 1)), labels="y").validated == pytest.approx(0.2)


def test_scores_of_the_other_class_are_refused_with_what_to_pass() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200)
    table = {"p": p, "y": np.where(rng.random(200) < p, "no", "yes")}
    with pytest.raises(InputError) as error:
        Baseline.of(table, scores="p", labels="y")
    assert str(error.value) == (
        "scores must hold the probabilities of class 'yes', got a column that ranks the classes in reverse (AUC 0.14); "
        "if they are those of class 'no', pass pos_label='no'."
    )
    Baseline.of(table, scores="p", labels="y", pos_label="no")


def test_two_columns_in_reverse_are_refused_unless_they_are_named_after_the_classes() -> None:
    table = inverted(0) | {"p": 1 - inverted(0)["p"], "q": inverted(0)["p"]}
    with pytest.raises(InputError) as error:
        Baseline.of(table, scores=["q", "p"], labels="y")
    assert str(error.value) == (
        "scores must be in the order of the classes 'no' and 'yes', got columns that rank them in reverse (AUC 0.14); "
        "change the order, or name the columns after the classes."
    )
    named = {"x no": table["q"], "x yes": table["p"], "y": table["y"]}
    with pytest.warns(ScoresReversed, match="'x yes' ranks the classes .* Check that labels and rows match"):
        Baseline.of(named, scores=["x no", "x yes"], labels="y")


def inverted(seed: int, *, of: int = 300) -> dict[str, Any]:
    """Return rows whose scores are as often low as high, so that those of the other class look the same."""
    rng = np.random.default_rng(seed)
    p = rng.random(of)
    return {"id": np.arange(of), "p": p, "y": np.where(rng.random(of) < p, "yes", "no")}


def test_reversed_scores_are_said_once_labels_show_them(tmp_path: Path) -> None:
    monitor = Monitor(tmp_path / "m.db", Baseline.of(inverted(0), scores="p", labels="y", key="id"))
    for day, wrong in enumerate([False, True], start=1):
        batch = inverted(day)
        batch |= {"p": 1 - batch["p"]} if wrong else {}
        # In a batch with labels, and in one whose labels come later.
        added = monitor.add(batch, id=f"with labels {day}")
        labels = {int(row): label for row, label in zip(batch["id"], batch.pop("y"), strict=True)}
        later = monitor.add(batch, id=f"without {day}", allow_copy=True)
        given = monitor.label(f"without {day}", labels)
        assert [note.code for note in added.notes] == ["labels in batch", *["scores reversed"] * wrong]
        assert [note.code for note in (*later.notes, *given.notes)] == ["scores reversed"] * wrong
        words = "'p' ranks the classes of this batch in reverse (AUC 0."
        assert [words in update.summary() for update in (added, later, given)] == [wrong, False, wrong]
        assert len(given.to_dict()["notes"]) == wrong


def test_another_order_of_three_classes_is_said_once_labels_show_it() -> None:
    names = ("first", "second", "third")
    baseline = Baseline.of(scored(names), scores=names, labels="y")
    moved = scored(names)
    moved |= {"first": moved["third"], "third": moved["first"]}
    codes = [note.code for note in baseline.summarise(moved).notes]
    assert codes == ["labels in batch", "scores in another order"]
    assert "in the order 'third', 'second' and 'first'" in baseline.summarise(moved).summary()


def test_few_labels_of_no_skill_say_nothing_of_the_order() -> None:
    columns = ScoreColumns(names=("p",), classes=("a", "b"))
    rng = np.random.default_rng(0)
    found = 0
    for n in [2, 3, 5, 10] * 50:
        p = rng.random(n)
        found += len(order_notes(columns, np.column_stack([1 - p, p]), rng.integers(0, 2, n)))
    assert found <= 1
