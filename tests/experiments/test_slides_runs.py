"""Each worked example gives the slides' figure."""

from __future__ import annotations

import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments._slides_runs import TOPICS, WorkedExample, worked_examples


@pytest.mark.parametrize("topic", TOPICS)
def test_our_figures_are_the_slides(topic: str) -> None:
    rows = worked_examples(DataSources(), topic=topic)
    assert len(rows) >= 3
    assert rows.loc[~rows["same"], "example"].tolist() == []


def test_examples_differ_by_more_than_the_digits_or_chance() -> None:
    assert not WorkedExample("s", "e", (0.5,), (0.502,)).same
    assert WorkedExample("s", "e", (0.5,), (0.5004,)).same
    assert WorkedExample("s", "e", (0.5,), (0.52,), 3, 0.03).same
    assert not WorkedExample("s", "e", "yes", "no").same
