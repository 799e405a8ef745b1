from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.core import Floats
from shiftproof.counting._learned import Binary, Lesson, learn_parts, with_other
from shiftproof.quantification import METHODS, Labelled, Samples

SCORES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
LABELLED = Labelled(SCORES, [0, 1, 2])


@dataclass(frozen=True)
class Says:
    """Says the same of every sample."""

    value: float

    def share(self, scores: Floats, samples: Samples) -> Floats:  # noqa: ARG002
        return np.full(samples.n_samples, self.value)


def test_shares_are_clipped_and_then_normalised() -> None:
    values = iter([-0.5, 0.5, 1.5])
    learned = learn_parts(LABELLED, lambda _: (Says(next(values)), ""))
    assert learned.raw(Samples.of(SCORES)).tolist() == [[-0.5, 0.5, 1.5]]
    np.testing.assert_allclose(learned.estimate(Samples.of(SCORES)), [[0, 1 / 3, 2 / 3]])


def test_where_every_class_is_absent_the_plain_count_is_given() -> None:
    learned = learn_parts(LABELLED, lambda _: (Says(-1.0), ""))
    np.testing.assert_allclose(learned.estimate(Samples.from_lists(SCORES, [[0, 0, 2]])), [[2 / 3, 0, 1 / 3]])


def test_a_class_of_which_nothing_is_learnt_is_counted_and_named() -> None:
    def learn(binary: Binary) -> Lesson:
        return (None, "it is hard") if binary.positive[1] else (Says(0.25), "")

    learned = learn_parts(LABELLED, learn)
    assert learned.notes == ("class 1: it is hard",)
    assert learned.raw(Samples.from_lists(SCORES, [[0, 1]])).tolist() == [[0.25, 0.5, 0.25]]


def test_of_two_classes_the_second_decides() -> None:
    assert with_other(np.array([0.25])).tolist() == [[0.75, 0.25]]
    learned = learn_parts(
        Labelled(SCORES[:, :2] / SCORES[:, :2].sum(axis=1)[:, None], [0, 1, 1]), lambda _: (Says(2.0), "why")
    )
    assert learned.notes == ("why",)
    assert learned.raw(Samples.of([[0.5, 0.5]])).tolist() == [[-1.0, 2.0]]
    assert learned.estimate(Samples.of([[0.5, 0.5]])).tolist() == [[0.0, 1.0]]


def test_other_classes_are_refused() -> None:
    learned = METHODS["probability average"].learn(LABELLED)
    message = (
        "^probabilities must have a column for each of 3 classes, got 2; score both tables with the same model[.]$"
    )
    for give in (learned.estimate, learned.raw):
        with pytest.raises(InputError, match=message):
            give(Samples.of([[0.5, 0.5]]))
