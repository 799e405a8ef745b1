"""Neighbours against sorting all distances, ties by row; tables as points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from shiftproof import InputError
from shiftproof.quantification.neighbors import _search as _neighbors_search
from shiftproof.quantification.neighbors._kernels import scanned
from shiftproof.quantification.neighbors._search import Points, Search, reach

Array = np.ndarray[Any, Any]


def data(kind: str, n: int, d: int) -> Array:
    rng = np.random.default_rng(d)
    makers: dict[str, Callable[[], Array]] = {
        "smooth": lambda: rng.normal(size=(n, d)),
        "grid": lambda: rng.integers(0, 3, (n, d)).astype(float),
        "copies": lambda: rng.normal(size=(n // 20, d))[rng.integers(0, n // 20, n)],
        "constant": lambda: np.ones((n, d)),
        # The fast way to all distances has no digit left here.
        "far away": lambda: 1e9 + rng.integers(0, 9, (n, d)).astype(float),
    }
    return makers[kind]()


def nearest(points: Array, queries: Array, allowed: Array, own: Array, k: int) -> Array:
    """By a stable sort of all distances: rows at the same distance by their number."""
    squares = ((queries[:, None] - points) ** 2).sum(axis=2)
    squares[:, ~allowed] = np.inf
    squares[np.arange(len(queries))[own >= 0], own[own >= 0]] = np.inf
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("d", [2, 18], ids=["tree", "all rows"])
@pytest.mark.parametrize("kind", ["smooth", "grid", "copies", "constant", "far away"])
def test_neighbours_are_those_of_a_full_sort(kind: str, d: int) -> None:
    points, queries = data(kind, 400, d), data(kind, 400, d)[::7] + (0.25 if kind == "grid" else 0)
    search = Search(points)
    everyone, nobody = np.ones(400, bool), np.full(len(queries), -1)
    for k in (1, 6, 45):
        np.testing.assert_array_equal(search.of(queries, k), nearest(points, queries, everyone, nobody, k))
    rows = np.arange(400)
    np.testing.assert_array_equal(search.among(rows, everyone, 45), nearest(points, points, everyone, rows, 45))
    # What was found for all rows serves folds, too.
    test, allowed = rows[::5], rows % 5 != 0
    found = search.among(test, allowed, 45)
    np.testing.assert_array_equal(found, nearest(points, points[test], allowed, test, 45))
    few = rows < 60
    np.testing.assert_array_equal(search.among(test, few, 45), nearest(points, points[test], few, test, 45))


def test_k_up_to_all_rows() -> None:
    points = data("grid", 30, 2)
    rows, everyone = np.arange(30), np.ones(30, bool)
    search = Search(points)
    np.testing.assert_array_equal(search.among(rows, everyone, 29), nearest(points, points, everyone, rows, 29))
    assert search.of(points[:1], 30).shape == (1, 30)


def test_rows_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    points = data("smooth", 300, 3)
    search = Search(points)
    asked = []
    query = search._index.kneighbors

    def counting(points: Array, count: int) -> Any:
        asked.append(count)
        return query(points, count)

    monkeypatch.setattr(search._index, "kneighbors", counting)
    search.widen(reach(45, 0.8))
    for k in (1, 7, 45):
        search.among(np.arange(300), np.ones(300, bool), k)
        search.among(np.arange(0, 300, 5), np.arange(300) % 5 > 0, k)
    assert asked == [reach(45, 0.8)]
    search.forget()
    search.among(np.arange(300), np.ones(300, bool), 3)
    assert asked == [reach(45, 0.8), 8]


def test_few_rows_need_a_full_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def counting(*args: Any) -> Any:
        looked.append(len(args[1]))
        return scanned(*args)

    monkeypatch.setattr(_neighbors_search, "scanned", counting)
    rows = np.arange(2000)
    for d in (3, 20):
        search = Search(data("smooth", 2000, d))
        search.among(rows, np.ones(2000, bool), 45)
        assert looked == []
        for fold in range(10):
            search.among(rows[rows % 10 == fold], rows % 10 != fold, 45)
        assert sum(looked) < 20
        looked.clear()


def test_threads_change_nothing() -> None:
    points = data("copies", 500, 4)
    one, two = (Search(points, n_jobs).among(np.arange(500), np.ones(500, bool), 9) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


# Tables as points


def test_scaled_points_are_those_of_the_default_models() -> None:
    table = pd.DataFrame({"a": [1.0, 2.0, None, 5.0], "b": ["u", "v", "u", "v"]})
    points = Points(table, scale=True)
    np.testing.assert_allclose(points.rows[:, 0].mean(), -0.1, atol=0.2)
    assert points.rows.shape == (4, 4)
    np.testing.assert_array_equal(points(table[::-1]), points.rows[::-1])


@pytest.mark.parametrize("form", [lambda X: X, lambda X: X.tolist(), pd.DataFrame, lambda X: X.astype(int)])
def test_numbers_may_stay_as_they_are(form: Callable[[Array], Any]) -> None:
    X = np.array([[1.0, 200.0], [3.0, 400.0], [0.0, 0.0]])
    points = Points(form(X), scale=False)
    assert points.rows.tolist() == X.tolist()
    assert points(form(X[:1])).tolist() == X[:1].tolist()


@pytest.mark.parametrize(
    ("X", "scale", "message"),
    [
        (
            np.array([[1.0], [np.nan]]),
            True,
            "X must have neither NaN nor inf in an array, got nan; fill in the values first, or pass a table, "
            "which is filled in automatically.",
        ),
        (
            [[1.0], [-np.inf]],
            True,
            "X must have neither NaN nor inf in an array, got -inf; fill in the values first, or pass a table, "
            "which is filled in automatically.",
        ),
        (
            pd.DataFrame({"a": [1.0, np.inf]}),
            False,
            "X must have neither NaN nor inf with scale=False, got inf; fill it in first.",
        ),
        (
            pd.DataFrame({"a": ["u", "v"]}),
            False,
            "X must hold only numbers with scale=False; leave it out for other tables.",
        ),
        (
            sparse.csr_matrix(np.eye(2)),
            True,
            "X must be a table or a dense array, got a sparse matrix; call toarray() on it.",
        ),
    ],
)
def test_bad_tables_get_one_sentence(X: Any, scale: bool, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Points(X, scale=scale)
    assert str(caught.value) == message
