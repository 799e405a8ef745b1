"""Surfaces of losses over both errors (figures 6.2 to 6.7)."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from shiftproof import InputError, losses, plots


@pytest.mark.parametrize(
    "loss",
    ["absolute_error", "bias", "kld", "nkld", "relative_absolute_error", "squared_error", "nas", "nss", "q_measure",
     "accuracy", "f1", "g_mean", "precision", "recall", "specificity"],
)  # fmt: skip
@pytest.mark.parametrize(("positives", "negatives"), [(1000, 1000), (100, 1000)])
def test_every_loss_over_all_errors(loss: str, positives: int, negatives: int) -> None:
    found = losses.surface(loss, positives, negatives, points=21)
    assert found.values.shape == (21, 21)
    assert (found.fp[-1], found.fn[-1]) == (negatives, positives)
    expected = "between" if loss == "bias" else "lowest" if "error" in loss or "kld" in loss else "highest"
    assert found.best == expected


@pytest.mark.parametrize("points", [4, 31])
@pytest.mark.parametrize("loss", ["kld", "nkld", "relative_absolute_error"])
def test_fractions_of_a_row_add_up_to_the_sample_size(loss: str, points: int) -> None:
    # 1000 in 30 steps: the four cells of a table sum to 1999.9999999999998 for some of them.
    found = losses.surface(loss, 1000, 1000, points=points)
    assert found.values.shape == (points, points)
    assert found.best == "lowest"
    np.testing.assert_allclose(np.diag(found.values), 0, atol=1e-12)


def test_rows_are_false_negatives() -> None:
    found = losses.surface("q_measure", 100, 1000)
    assert found.values[20, 70] == pytest.approx(losses.q_measure(80, 700, 20, 300))
    assert (found.fn[20], found.fp[70]) == (20, 700)


@pytest.mark.parametrize("positives", [1000, 100])
def test_errors_that_cancel_are_perfect_for_pure_quantification_only(positives: int) -> None:
    cancel = np.arange(positives + 1)
    for loss in ("nas", "nss"):
        found = losses.surface(loss, positives, 1000, points=1001)
        np.testing.assert_allclose(found.values[cancel, cancel], 1)
        assert found.values.min() == 0
    honest = losses.surface("q_measure", positives, 1000, points=1001).values[cancel, cancel]
    assert (np.diff(honest) < 0).all()
    assert honest[-1] == 0


def test_q_goes_from_recall_to_nas() -> None:
    ends = {0.0: "recall", math.inf: "nas"}
    for beta, name in ends.items():
        found = losses.surface(partial(losses.q_measure, beta=beta), 100, 1000)
        assert found.name == "q_measure"
        np.testing.assert_allclose(found.values, losses.surface(name, 100, 1000).values)


def test_few_rows_are_tried_one_by_one() -> None:
    found = losses.surface(losses.nas, 2, 3)
    assert list(found.fp) == [0, 1, 2, 3]
    assert list(found.fn) == [0, 1, 2]
    assert found.name == "nas"


def test_it_is_a_result() -> None:
    found = losses.surface(lambda true, estimated: estimated - true, 2, 3, name="mine")
    frame = found.to_frame()
    assert list(frame) == ["fp", "fn", "value"]
    row = frame[(frame["fp"] == 3) & (frame["fn"] == 1)]
    assert row["value"].tolist() == pytest.approx([2 / 5])
    assert json.loads(json.dumps(found.to_dict()))["name"] == "mine"
    assert found.summary() == "mine over 2 positives and 3 negatives: from -0.4 to 0.6; without errors 0."
    assert losses.surface("kld", 2, 3).summary().endswith("without errors 0, the lowest.")
    assert "mine over" in repr(found)
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1


def test_surface_plot_draws_on_the_given_axes() -> None:
    ax = plots.own_figure(size=(3, 3)).subplots()
    assert losses.surface("nas", 100, 1000, points=21).plot(ax) is ax
    assert ax.get_title() == "nas"


def test_an_object_that_is_called_has_the_name_of_its_class() -> None:
    class Cost:
        def __call__(self, true: Any, estimated: Any) -> Any:
            return 5 * np.abs(estimated - true)

    assert losses.surface(Cost(), 2, 2).name == "Cost"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nas", 0, 10), "positives must be a whole number of at least 1; got 0."),
        (("nas", 10, 2.5), "negatives must be a whole number of at least 1; got 2.5."),
        (
            (lambda true, estimated: np.where(estimated == 0, np.nan, true), 2, 3),
            "loss must be finite everywhere, got nan at FP = 0 and FN = 2; define it there.",
        ),
    ],
)
def test_surface_refuses_bad_arguments(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        losses.surface(*arguments)
    assert str(caught.value) == sentence


def test_an_unknown_loss() -> None:
    with pytest.raises(InputError, match=r"^loss must be one of .*; got 'recal'\. Did you mean 'recall'\?$"):
        losses.surface("recal", 1, 1)


def test_surface_refuses_fewer_than_two_points() -> None:
    with pytest.raises(InputError, match=r"^points must be a whole number of at least 2; got 1\.$"):
        losses.surface("nas", 1, 1, points=1)
