"""Tables of every shape come in; what does not fit is told with the data set and the method."""

from __future__ import annotations

import itertools
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shiftproof as sp
from shiftproof.comparison._losses import Columns, Losses, read_losses
from shiftproof.core import InputError
from shiftproof.losses import match_distance

LONG: dict[str, list[Any]] = {
    "dataset": ["iris", "iris", "wine", "wine"],
    "method": ["A", "B", "B", "A"],
    "loss": [0.1, 0.2, 0.4, 0.3],
}


def read(results: Any, **columns: Any) -> Losses:
    return read_losses(results, Columns(**columns))


@pytest.mark.parametrize(
    "results",
    [
        LONG,
        pd.DataFrame(LONG),
        pl.DataFrame(LONG),
        pl.DataFrame(LONG).lazy(),
        pa.table(LONG),
        [dict(zip(LONG, row, strict=True)) for row in zip(*LONG.values(), strict=True)],
        {"iris": {"A": 0.1, "B": 0.2}, "wine": {"B": 0.4, "A": 0.3}},
        {"dataset": ["iris", "wine"], "A": [0.1, 0.3], "B": [0.2, 0.4]},
        pd.DataFrame({"A": [0.1, 0.3], "B": [0.2, 0.4]}, index=["iris", "wine"]),
        {**LONG, "loss": [Decimal("0.1"), Decimal("0.2"), Decimal("0.4"), Decimal("0.3")]},
        {**LONG, "loss": ["0.1", "0.2", "0.4", "0.3"]},
        pd.DataFrame(LONG).assign(method=pd.Categorical(LONG["method"]), note="x"),
    ],
    ids=[
        "dict",
        "pandas",
        "polars",
        "lazy",
        "arrow",
        "rows",
        "dicts",
        "wide",
        "index",
        "decimals",
        "texts",
        "categories",
    ],
)
def test_any_table_is_read(results: Any) -> None:
    found = read(results)
    assert (found.datasets, found.methods, found.prevalences, found.folds) == (("iris", "wine"), ("A", "B"), (), ())
    assert found.values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_an_array_has_numbers_for_names() -> None:
    found = read(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert (found.datasets, found.methods) == (("1", "2", "3"), ("x0", "x1"))


def test_columns_may_have_other_names() -> None:
    frame = pd.DataFrame(LONG).rename(columns={"dataset": "task", "method": "learner", "loss": "AE"})
    assert read(frame, dataset="task", method="learner", loss="AE").values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_cells_are_in_the_order_of_prevalences_and_folds_are_averaged() -> None:
    rows = [
        {"dataset": name, "method": method, "prevalence": prevalence, "fold": fold, "loss": base + fold}
        for name in ("b", "a")
        for prevalence in (0.1 + 0.2, 0.1, 1)
        for fold in (2, 0, 1)
        for method, base in (("A", 10 * prevalence), ("B", 5.0))
    ]
    rows = [
        row | {"prevalence": 0.3} if row["method"] == "B" and row["prevalence"] == 0.1 + 0.2 else row for row in rows
    ]
    found = read(rows)
    assert found.prevalences == (0.1, 0.3, 1, 0.1, 0.3, 1)
    assert found.datasets == ("b", "a")
    assert found.places.tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(found.values[:3], [[2, 6], [4, 6], [11, 6]])
    assert [table.shape for table in found.folds] == [(3, 2), (3, 2)]
    np.testing.assert_allclose(sorted(found.folds[0][:, 1]), [5, 6, 7])


def test_folds_in_another_order_still_tie() -> None:
    losses = [0.1, 0.2, 0.3]  # added up from the left and from the right, these differ
    rows = [
        {"dataset": "a", "method": method, "fold": fold, "loss": loss}
        for method, order in (("A", losses), ("B", losses[::-1]))
        for fold, loss in enumerate(order)
    ]
    found = read(rows)
    assert found.values[0, 0] == found.values[0, 1]


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        (
            {"iris": {"A": 0.1, "B": 0.2}, "wine": {"A": 0.3}},
            "results must have a loss for every method on every data set, got no loss of 'B' on 'wine'; add the "
            "missing losses, or leave out that data set or method.",
        ),
        (
            {"a": {"A": 0.1, "B": 0.2}, "b": {"A": 0.3}, "c": {"B": 1}},
            "results must have a loss for every method on every data set, got no loss of 'B' on 'b' and 1 more gap; "
            "add the missing losses, or leave out that data set or method.",
        ),
        (
            {"dataset": ["a"] * 3, "method": ["A", "B", "A"], "prevalence": [0.1, 0.1, 0.2], "loss": [1, 2, 3]},
            "results must have a loss for every method on every data set, got no loss of 'B' on 'a' at prevalence 0.2; "
            "add the missing losses, or leave out that data set or method.",
        ),
        (
            {"dataset": ["a"] * 3, "method": ["A", "B", "A"], "loss": [1, 2, 3]},
            "results must hold one loss per method and data set, got two of 'A' on 'a'; name the column that "
            "distinguishes them with prevalence_column= or fold_column=, or average them.",
        ),
        (
            {
                "dataset": ["a"] * 3,
                "method": ["A", "B", "A"],
                "prevalence": [1, 1, 1],
                "fold": [3] * 3,
                "loss": [1, 2, 3],
            },
            "results must hold one loss per method and data set, got two of 'A' on 'a' at prevalence 1, fold "
            "3; average them.",
        ),
        (
            {"iris": {"A": 0.1, "B": float("nan")}},
            "loss must be finite, got nan of 'B' on 'iris'; leave out that data set or method, or use a loss that "
            "is always finite.",
        ),
        (
            {"iris": {"A": 0.1, "B": float("-inf")}},
            "loss must be finite, got -inf of 'B' on 'iris'; leave out that data set or method, or use a loss that "
            "is always finite.",
        ),
        (
            {"iris": {"A": 0.1, "B": None}},
            "loss must be finite, got None of 'B' on 'iris'; leave out that data set or method, or use a loss that "
            "is always finite.",
        ),
        (
            {"iris": {"A": 0.1, "B": "low"}},
            "loss must be a number, got 'low' of 'B' on 'iris'; convert it, or name another column with loss_column=.",
        ),
        (
            {"iris": {"A": True, "B": 0.1}},
            "loss must be a number, got True of 'A' on 'iris'; convert it, or name another column with loss_column=.",
        ),
        (
            {"iris": {"A": [1], "B": 0.1}},
            "loss must be a number, got [1] of 'A' on 'iris'; convert it, or name another column with loss_column=.",
        ),
        (
            {"iris": {"A": 0.1}, "wine": {"A": 0.2}},
            "results must hold at least two methods, got ['A']; add the losses of another method.",
        ),
        (
            pd.DataFrame(LONG).head(0),
            "results must hold at least one row, got 0; one row per data set and method.",
        ),
        (
            {"dataset": ["a", "b"], "classifier": ["A", "B"], "loss": [1, 2]},
            "method_column must name a column of results, got 'method'; available: 'dataset', 'classifier', 'loss'.",
        ),
        (
            {"task": ["a", "b"], "learner": ["A", "B"], "error": [1, 2]},
            "column 'task' of results must hold numbers, got 'a'; if each row holds one loss, name the columns "
            "with dataset_column=, method_column= and loss_column=.",
        ),
        (
            {"dataset": ["a", None], "method": ["A", "B"], "loss": [1, 2]},
            "column 'dataset' of results must name a dataset in every row, got 1 row without one; fill in the rest.",
        ),
        (
            {"dataset": ["a", "a"], "method": ["A", "B"], "fold": [1, None], "loss": [1, 2]},
            "column 'fold' of results must have a fold in every row, got 1 row without one; fill in the rest.",
        ),
        (
            "losses.csv",
            "results must be a table, got 'losses.csv'; pass a pandas, polars or pyarrow table, a 2-D array, a "
            "dict of columns or a list of dicts.",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(results: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        read(results)


def test_named_columns_must_be_there() -> None:
    wide = pd.DataFrame({"id": [1, 2], "A": [0.1, 0.2], "B": [0.3, 0.4]})
    sentence = "dataset_column must name a column of results, got 'set'; available: 'id', 'A', 'B'."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        read_losses(wide, Columns(dataset="set"))
    sentence = "prevalence_column must name a column of results, got 'p'; available: 'dataset', 'method', 'loss'."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        read(LONG, prevalence="p")


def protocol_table(labels: tuple[str, ...] = ("yes",)) -> pd.DataFrame:
    """Return two folds of two samples at each of two prevalences, as `run_protocol` returns them."""
    cells = itertools.product((0, 1), range(4), ("A", "B"), labels)
    frame = pd.DataFrame(cells, columns=["fold", "sample", "method", "label"])
    wanted = np.where(frame["sample"] < 2, 0.1, 0.5)
    error = np.where(frame["method"] == "A", 0.02, 0.04) * (1 + frame["sample"] % 2)
    shares = {"prevalence": wanted, "true": wanted, "estimated": wanted + error, "size": 100}
    return frame.assign(dataset="iris", **shares)


def test_samples_of_a_protocol_are_averaged_within_their_prevalence() -> None:
    losses = read(protocol_table())
    assert (losses.prevalences, losses.measure) == ((0.1, 0.5), "absolute error")
    assert losses.values == pytest.approx(np.array([[0.03, 0.06], [0.03, 0.06]]))
    assert losses.folds[0] == pytest.approx(np.array([[0.03, 0.06], [0.03, 0.06]]))


def test_a_column_of_losses_takes_precedence_over_estimates() -> None:
    table = protocol_table().assign(squared=lambda frame: (frame["estimated"] - frame["true"]) ** 2)
    losses = read(table, loss="squared")
    assert losses.measure == "squared"
    assert losses.values[0] == pytest.approx([(0.02**2 + 0.04**2) / 2, (0.04**2 + 0.08**2) / 2])


def test_samples_of_several_classes_have_no_single_prevalence() -> None:
    losses = read(protocol_table(("a", "b", "c")))
    assert losses.prevalences == ()
    assert losses.values == pytest.approx(np.array([[0.03, 0.06]]))


def test_a_sample_that_one_method_lacks_is_named() -> None:
    with pytest.raises(
        InputError, match=r"got no loss of 'B' on 'iris' at prevalence 0\.5, fold 1, sample 3; add the missing"
    ):
        read(protocol_table().iloc[:-1])


def test_a_sample_given_twice_is_refused() -> None:
    table = protocol_table()
    with pytest.raises(
        InputError, match=r"got two of 'A' on 'iris' at prevalence 0\.1, fold 0, sample 0; average them\.$"
    ):
        read(pd.concat([table, table]))


def test_an_estimate_that_is_not_a_number_is_refused() -> None:
    sentence = r"^column 'estimated' of results must hold prevalences, got 'none'; these are numbers from 0 to 1\.$"
    with pytest.raises(InputError, match=sentence):
        read(protocol_table().assign(estimated="none"))


def test_one_data_set_needs_no_name() -> None:
    unnamed = pd.DataFrame({"dataset": [None, None], "method": ["A", "B"], "loss": [0.1, 0.2]})
    found = sp.compare(unnamed)
    assert str(found.headline).startswith("'A' ranks first on the only data set; ")


def test_ordered_classes_are_compared_by_the_match_distance() -> None:
    rng = np.random.default_rng(0)
    true, near, far = (rng.dirichlet(np.ones(4), 6) for _ in range(3))
    rows = [
        {"dataset": "s", "method": method, "fold": 0, "sample": sample, "label": label,
         "prevalence": true[sample, label], "true": true[sample, label], "estimated": of[sample, label]}
        for method, of in (("near", near), ("far", far)) for sample in range(6) for label in range(4)
    ]  # fmt: skip
    losses = read(pd.DataFrame(rows), loss="match distance")
    assert losses.measure == "match distance"
    assert losses.values == pytest.approx(
        np.array([[match_distance(true, near).mean(), match_distance(true, far).mean()]])
    )
    # With two classes it is the absolute error.
    assert read(protocol_table(), loss="match distance").values == pytest.approx(read(protocol_table()).values)
