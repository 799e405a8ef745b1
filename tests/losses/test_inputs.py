"""What is not a prevalence, a size or a table is refused in one sentence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shiftproof import InputError, losses
from shiftproof.losses._inputs import check_tables

FORMS = "pass one prevalence per sample, or one row of prevalences per sample"
ONE = "pass one prevalence per sample, or one row per sample such as [[0.2, 0.8]]"


@pytest.mark.parametrize(
    ("true", "estimated", "sentence"),
    [
        (1.2, 0.5, "true must be prevalences from 0 to 1, got 1.2; divide percentages by 100."),
        (0.2, [0.1, -0.1], "estimated must be prevalences from 0 to 1, got -0.1; divide percentages by 100."),
        ([[0.5, 0.5]], [[1.5, -0.5]], "estimated must be prevalences from 0 to 1, got 1.5; divide percentages by 100."),
        (
            [[0.5, 0.5], [0.5, 0.6]],
            [[0.5, 0.5], [0.5, 0.5]],
            "true must sum to 1 in every row, got 1.1 in row 1; a 2-D array has one row per sample and one column per "
            "class.",
        ),
        ([0.1, 0.2], [0.1, 0.2, 0.3], f"true and estimated must have the same shape, got (2,) and (3,); {ONE}."),
        ([[0.2, 0.8]], [0.2, 0.8], f"true and estimated must have the same shape, got (1, 2) and (2,); {ONE}."),
        (0.2, [[0.2, 0.8]], f"true and estimated must have the same shape, got () and (1, 2); {ONE}."),
        (
            [[0.2, 0.8]],
            [[0.2, 0.4, 0.4]],
            f"true and estimated must have the same shape, got (1, 2) and (1, 3); {ONE}.",
        ),
        (
            [[[0.2, 0.8]]],
            [[[0.2, 0.8]]],
            f"true and estimated must have at most two dimensions, got shape (1, 1, 2); {FORMS}.",
        ),
        (
            [[0.2], [0.8]],
            [[0.2], [0.8]],
            "true must have at least two classes, got shape (2, 1); a 2-D array has one row per sample and one "
            "column per class; flatten prevalences of the positive class.",
        ),
        (math.nan, 0.5, "true must be finite, got nan; drop or fill the 1 missing or infinite value first."),
        ([], [], "true must hold at least 1 value, got 0; add observations."),
        ("a", 0.5, "true must be numbers, got 'a'; convert text to numbers first."),
        (
            [[0.5, 0.5], [1.0]],
            0.5,
            "true must have rows of the same length, got [[0.5, 0.5], [1.0]]; give every sample the same classes.",
        ),
    ],
)
def test_losses_refuse_bad_prevalences(true: Any, estimated: Any, sentence: str) -> None:
    for loss in (losses.absolute_error, losses.bias, losses.kld, losses.nas, losses.relative_absolute_error):
        with pytest.raises(InputError) as caught:
            loss(true, estimated)
        assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (0, "sample_size must be whole numbers of at least 1, got 0.0; count the sample's rows."),
        (1.5, "sample_size must be whole numbers of at least 1, got 1.5; count the sample's rows."),
        (
            [10, 20, 30],
            "sample_size must be one number or one per sample, got shape (3,); the prevalences have shape (2,).",
        ),
    ],
)
def test_losses_refuse_bad_sample_sizes(size: Any, sentence: str) -> None:
    for loss in (losses.kld, losses.nkld, losses.relative_absolute_error):
        with pytest.raises(InputError) as caught:
            loss([0.2, 0.3], [0.5, 0.5], sample_size=size)
        assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ((1, -2, 3, 4), "fp must be counts of at least 0, got -2.0; give the four cells of the table."),
        ((1, 2, math.nan, 4), "fn must be finite, got nan; drop or fill the 1 missing or infinite value first."),
        (([], [], [], []), "tp must hold at least 1 value, got 0; add observations."),
        (
            ([1, 2], [1, 2, 3], 1, 1),
            "tp, fp, fn and tn must have the same shape, got (2,) and (3,); give one value per table or one number.",
        ),
        (([1, 0], 0, 0, 0), "tp + fp + fn + tn must be above 0, got 0; leave empty tables out."),
    ],
)
def test_q_measure_refuses_bad_tables(cells: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        losses.q_measure(*cells)
    assert str(caught.value) == sentence


def test_tables_of_any_shape_have_their_prevalences() -> None:
    tables = check_tables([[30, 0]], [[10, 5]], 20, 40)
    assert tables.shape == (1, 2)
    np.testing.assert_allclose(tables.true, [0.5, 20 / 65])
    np.testing.assert_allclose(tables.estimated, [0.4, 5 / 65])
    right = tables.without_errors()
    assert [float(cell[0]) for cell in (right.tp, right.fp, right.fn, right.tn)] == [50, 0, 0, 50]
