from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof.core import InputError, ShiftproofWarning
from shiftproof.panel import cross_fit
from shiftproof.shift import ShiftKind, _reference_score, kind_of_shift

Arrays = tuple[np.ndarray, np.ndarray]


def classes(n: int, share: float, rng: np.random.Generator, *, d: int = 3) -> Arrays:
    """Two normal classes that overlap, at the given share of the second."""
    y = np.repeat([0, 1], [n - round(n * share), round(n * share)])
    return rng.normal(size=(n, d)) + 1.3 * y[:, None], y


def selected(n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of equal classes that are kept if their first feature is large."""
    X, _ = classes(8 * n, 0.5, rng)
    kept = X[rng.random(len(X)) < 1 / (1 + np.exp(-3 * (X[:, 0] - 0.5)))]
    return np.asarray(rng.permutation(kept)[:n])


@pytest.fixture(scope="module")
def labelled() -> Arrays:
    return classes(800, 0.5, np.random.default_rng(0))


def test_no_shift(labelled: Arrays) -> None:
    found = kind_of_shift(*labelled, classes(800, 0.5, np.random.default_rng(1))[0])
    assert found.kind == "none"
    assert 0.5 in found.prevalence[1]
    assert found.entropy < 0.1


def test_prior_shift(labelled: Arrays) -> None:
    found = kind_of_shift(*labelled, classes(400, 0.85, np.random.default_rng(2))[0])
    assert found.kind == "prior"
    assert 0.85 in found.prevalence[1]
    assert found.training_prevalence == {0: 0.5, 1: 0.5}
    assert found.p_none < 1e-6
    assert found.p_prior >= 0.05


def test_covariate_shift(labelled: Arrays) -> None:
    rng = np.random.default_rng(3)
    new = selected(500, rng)
    found = kind_of_shift(*labelled, new)
    assert found.kind == "covariate"
    # The weights bring the old rows to the new ones, also in a function that was not balanced.
    raw, weighted = labelled[0].mean(axis=0), found.weights @ labelled[0]
    assert np.abs(weighted - new.mean(axis=0)).max() < np.abs(raw - new.mean(axis=0)).max() / 3


def test_weights_correct_a_model_for_the_rows_that_were_selected() -> None:
    # No line fits all rows; which one is best depends on where the rows are (Fan and Davidson 2006, section 8).
    rng = np.random.default_rng(0)

    def drawn(centre: float) -> Arrays:
        X = rng.normal(loc=(centre, 0.7), size=(1000, 2))
        return X, (X[:, 1] + 0.3 * rng.normal(size=1000) > np.abs(X[:, 0])).astype(int)

    X, y = drawn(-0.5)
    X_new, y_new = drawn(0.7)
    weights = kind_of_shift(X, y, X_new).weights * len(y)
    plain, corrected = (
        cross_fit({"lr": LogisticRegression()}, X, y, sample_weight=weight).apply(X_new)["lr"].argmax(axis=1)
        for weight in (None, weights)
    )
    assert (plain == y_new).mean() < 0.75
    assert (corrected == y_new).mean() > 0.80


def test_too_few_rows_cannot_tell(labelled: Arrays) -> None:
    new = classes(60, 0.5, np.random.default_rng(4))[0]
    assert kind_of_shift(*labelled, new).kind == "unclear"


def test_another_world_is_out_of_reach(labelled: Arrays) -> None:
    rng = np.random.default_rng(5)
    far = kind_of_shift(*labelled, rng.normal(20, 1, size=(200, 3)))
    assert (far.kind, far.refused) == ("too different", True)
    X = rng.multivariate_normal(np.zeros(3), np.full((3, 3), 0.9) + 0.1 * np.eye(3), 800)
    permuted = np.column_stack([rng.permutation(column) for column in X.T])[:300]
    assert kind_of_shift(X, (X[:, 0] > 0).astype(int), permuted).kind == "too different"


def test_a_change_within_a_class_is_no_prior_shift(labelled: Arrays) -> None:
    new, y = classes(400, 0.8, np.random.default_rng(6))
    new[y == 1, 2] += 1.0
    assert kind_of_shift(*labelled, new).kind not in ("none", "prior")


def test_three_classes() -> None:
    rng = np.random.default_rng(7)
    centres = np.array([[0, 0], [2.5, 0], [0, 2.5]])

    def drawn(counts: list[int]) -> Arrays:
        y = np.repeat([0, 1, 2], counts)
        return rng.normal(size=(len(y), 2)) + centres[y], np.array(["a", "b", "c"])[y]

    X, y = drawn([300, 300, 300])
    assert kind_of_shift(X, y, drawn([250, 250, 250])[0]).kind == "none"
    prior = kind_of_shift(X, y, drawn([40, 60, 300])[0])
    assert prior.kind == "prior"
    assert all(share in prior.prevalence[label] for label, share in zip("abc", (0.1, 0.15, 0.75), strict=True))
    assert "The share of class 'c' went from 33% to about" in prior.summary()
    many = drawn([2000, 2000, 2000])[0]
    kept = many[rng.random(6000) < 1 / (1 + np.exp(-2 * (many[:, 0] - 1)))]
    assert kind_of_shift(X, y, rng.permutation(kept)[:400]).kind == "covariate"


def test_the_same_seed_gives_the_same_answer_on_any_number_of_jobs(labelled: Arrays) -> None:
    new = selected(200, np.random.default_rng(8))
    one, two = (kind_of_shift(*labelled, new, n_jobs=jobs).to_dict() for jobs in (None, 2))
    assert one == two
    assert kind_of_shift(*labelled, new, random_state=1).to_dict() != one


def test_the_tables_are_not_changed(labelled: Arrays) -> None:
    X, y = labelled
    new = X[:50].copy()
    before = X.copy(), y.copy(), new.copy()
    kind_of_shift(X, y, new)
    for now, then in zip((X, y, new), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_tables_of_any_library_give_one_answer(labelled: Arrays, make: Any) -> None:
    X, y = labelled
    columns = {"a": X[:, 0], "b": np.where(X[:, 1] > 0.5, "high", "low")}
    new = {name: values[:300] for name, values in columns.items()}
    expected = answer(columns, y, new).to_dict()
    assert answer(make(columns), y, make(new)).to_dict() == expected


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 7]])
def test_labels_of_any_type(labelled: Arrays, labels: list[Any]) -> None:
    X, y = labelled
    named = np.array(labels)[y]
    found = answer(X, named, X[:200])
    assert list(found.prevalence) == labels
    assert list(answer(X, pd.Series(named, dtype="category"), X[:200]).prevalence) == labels


# Cases with nothing to hold on to: each has an answer without a warning, and every figure is a number.


def answer(X: Any, y: Any, X_new: Any) -> ShiftKind:
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("error")
        patch.setattr(_reference_score, "_TREES", 10)  # for speed
        found = kind_of_shift(X, y, X_new)
    figures = found.to_frame()["value"].to_numpy()
    assert np.isfinite(figures).all()
    assert np.isfinite(found.weights).all()
    assert found.weights.sum() == pytest.approx(1)
    assert found.reasons
    return found


def test_constant_and_empty_columns_change_nothing(labelled: Arrays) -> None:
    X, y = labelled
    new = X[:300]
    plain = answer(X, y, new)
    for value in (5.0, np.nan):
        wide, wide_new = (np.column_stack([rows, np.full(len(rows), value)]) for rows in (X, new))
        found = answer(wide, y, wide_new)
        assert found.left_out == {"x3": "the same in every row"}
        assert found.p_none == plain.p_none


@pytest.mark.parametrize(("before", "after"), [(5.0, 6.0), (5.0, np.nan), (np.nan, 5.0)])
def test_a_constant_that_moved_is_out_of_reach(labelled: Arrays, before: float, after: float) -> None:
    X, y = labelled
    new = X[:100]
    found = answer(np.column_stack([X, np.full(800, before)]), y, np.column_stack([new, np.full(100, after)]))
    assert found.kind == "too different"
    assert found.p_none < 1e-10
    assert found.reasons[-1] == "In 100% of new rows, 'x3' has a value that the labelled data do not cover (limit 85%)."
    assert "no labelled row has" not in " ".join(found.reasons)


def test_one_feature(labelled: Arrays) -> None:
    X, y = labelled
    rng = np.random.default_rng(9)
    assert answer(X[:, :1], y, X[:, :1] + 6).kind == "too different"
    assert answer(X[:, :1], y, rng.permutation(X)[:400, :1]).kind in ("none", "unclear")


@pytest.mark.parametrize("rows", [1, 2, 5, 19])
def test_few_new_rows(labelled: Arrays, rows: int) -> None:
    assert answer(*labelled, labelled[0][:rows]).kind == "unclear"
    assert answer(*labelled, labelled[0][:rows] + 100).kind in ("too different", "unclear")


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_a_class_of_few_rows_is_not_known(labelled: Arrays, rows: int) -> None:
    y = np.zeros(800, dtype=int)
    y[:rows] = 1
    found = answer(labelled[0], y, np.random.default_rng(10).permutation(labelled[0])[:300])
    assert found.kind == "unclear"
    assert found.reasons[0].startswith(f"A class has only {rows} labelled row")


@pytest.mark.parametrize("n", [2, 6, 30])
def test_few_labelled_rows(n: int) -> None:
    rng = np.random.default_rng(10)
    assert answer(rng.normal(size=(n, 3)), np.tile([0, 1], n // 2), rng.normal(size=(50, 3))).kind == "unclear"


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(60, 200)), np.repeat([0, 1], 30)
    assert answer(X, y, rng.normal(size=(50, 200))).kind == "unclear"
    assert answer(X, y, rng.normal(3, 1, size=(50, 200))).kind == "too different"


def test_repeated_columns(labelled: Arrays) -> None:
    X, y = labelled
    new = classes(400, 0.9, np.random.default_rng(12))[0]
    assert answer(np.hstack([X, X]), y, np.hstack([new, new])).kind == "prior"


def test_new_rows_that_are_the_old_ones(labelled: Arrays) -> None:
    """Scored by models that were fitted on them they would differ, most of all where features tell little."""
    X, y = labelled
    assert answer(X, y, X).kind == "none"
    noise = np.random.default_rng(19).normal(size=(800, 4))
    found = answer(noise, y, np.random.default_rng(20).permutation(noise))
    assert found.p_none > 0.5
    assert found.reasons[-1] == "100% of new rows are copies of labelled rows."


def test_infinities(labelled: Arrays) -> None:
    X, new = labelled[0].copy(), labelled[0].copy()
    X[:5], X[5:9], new[:4] = np.inf, -np.inf, np.inf
    assert answer(X, labelled[1], new).kind == "none"


def test_integers_beyond_two_to_the_53(labelled: Arrays) -> None:
    """As floats all of them would be one number."""
    X, y = labelled
    big = {f"c{at}": 2**60 + np.round(X[:, at] * 10).astype(np.int64) for at in range(3)}
    rows = np.random.default_rng(13).permutation(np.flatnonzero(y == 1))[:300]
    found = answer(big, y, {name: values[rows] for name, values in big.items()})
    assert found.kind == "prior"
    assert found.prevalence[1].low > 0.9


def test_unseen_categories(labelled: Arrays) -> None:
    X, y = labelled
    old = {"c": np.where(X[:, 0] > 0, "p", "q"), "x": X[:, 1]}
    strange = {"c": np.where(X[:, 0] > 0, "p", "z"), "x": X[:, 1]}
    assert answer(old, y, strange).kind == "too different"


def test_a_category_with_many_levels(labelled: Arrays) -> None:
    X, y = labelled
    rng = np.random.default_rng(14)
    tables = [{"zip": rng.integers(0, 300, 800).astype(str), "x": X[:, 0]} for _ in range(2)]
    assert answer(tables[0], y, tables[1]).kind in ("none", "unclear")


def test_many_classes() -> None:
    rng = np.random.default_rng(15)
    y = rng.integers(0, 30, 600)
    found = answer(rng.normal(size=(600, 3)) + y[:, None], y, rng.normal(size=(300, 3)) + rng.integers(0, 30, (300, 1)))
    assert sum(interval.estimate for interval in found.prevalence.values()) == pytest.approx(1)


def test_scores_that_tell_nothing(labelled: Arrays) -> None:
    """Labels that the features know nothing of: no change of shares could be seen."""
    y = np.random.default_rng(16).permutation(labelled[1])
    assert answer(labelled[0], y, classes(400, 0.5, np.random.default_rng(17))[0]).kind == "unclear"


def test_large_tables_are_drawn_from() -> None:
    rng = np.random.default_rng(18)
    X, y = classes(20_000, 0.5, rng)
    y[np.flatnonzero(y == 0)[:3]] = 2  # hardly ever drawn, and yet there
    found = answer(X, y, classes(30_000, 0.5, rng)[0])
    assert found.reasons[-1] == "Based on 5,000 of 30,000 new rows, sampled at random."
    assert set(found.prevalence) == {0, 1, 2}
    drawn = found.weights > 0
    assert 5_000 <= drawn.sum() <= 5_001
    assert found.weights.shape == (20_000,)
    np.testing.assert_array_equal(np.isfinite(found.reference_scores).all(axis=1), drawn)
    assert np.isfinite(found.current_scores[:, 0]).sum() == 5_000


def test_text_and_identifiers_take_no_part(labelled: Arrays) -> None:
    X, y = labelled
    table = {"id": np.arange(800), "x": X[:, 0]}
    with pytest.warns(ShiftproofWarning, match="left out of tests: 'id'"):
        found = kind_of_shift(table, y, table)
    assert found.left_out == {"id": "identifier"}
    assert kind_of_shift(table, y, table, kinds={"id": "continuous"}).left_out == {}


@pytest.mark.parametrize(
    ("X", "y", "X_new", "message"),
    [
        (
            np.ones((4, 1)),
            [0, 0, 0, 0],
            np.ones((4, 1)),
            "y must contain at least two classes, got one class, 0; add rows of another class, or use another column.",
        ),
        (
            np.ones((4, 1)),
            [0, 0, 1, 1],
            np.ones((4, 1)),
            "X must have a column that varies and can be compared, got 'x0' (the same in every row); add features.",
        ),
        (
            np.ones((4, 1)),
            [0, 0, 1],
            np.ones((4, 1)),
            "y must have one label per row of X, got 3 for 4 rows; pass the labels of the same rows.",
        ),
        (
            {"a": [1, 2], "b": [1, 2]},
            [0, 1],
            {"a": [1, 2]},
            "X_new has no column 'b', which X has; check its header.",
        ),
        (
            np.ones((2, 1)),
            [0, 1],
            np.ones((0, 1)),
            "X_new must hold at least one row, got 0; check the filter or the file it came from.",
        ),
        (
            np.ones((2, 0)),
            [0, 1],
            np.ones((2, 1)),
            "X must have at least one column, got none; pass the features as columns.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(X: Any, y: Any, X_new: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        kind_of_shift(X, y, X_new)
    assert str(caught.value) == message


@pytest.mark.parametrize("levels", [2, 5])
@pytest.mark.parametrize("columns", [1, 4])
def test_numbers_of_few_levels_are_within_reach_of_themselves(levels: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, levels, size=(1000, columns))
    y = (X[:, 0] + rng.random(1000) > levels / 2).astype(int)
    found = kind_of_shift(X[:700], y[:700], X[700:])
    assert not found.refused
    assert found.evidence.outside < 0.1
