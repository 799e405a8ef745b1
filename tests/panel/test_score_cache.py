"""Scores are cached by what a table holds, for the tables that were used last."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from shiftproof.core import InputError
from shiftproof.panel import Panel, as_features, cross_fit, fingerprint_features
from shiftproof.panel._score_cache import ScoreCache


class Counting:
    """Computes scores, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        self.calls += 1
        return np.arange(3.0)


def test_scores_of_a_table_are_computed_once_per_key() -> None:
    cache, compute = ScoreCache(), Counting()
    first = cache.table("one")("a", compute)
    assert cache.table("one")("a", compute) is first
    assert compute.calls == 1
    cache.table("one")("b", compute)
    assert compute.calls == 2


def test_the_cache_holds_the_two_tables_used_last() -> None:
    cache, compute = ScoreCache(), Counting()
    for table in ("one", "two", "one", "two"):
        cache.table(table)("a", compute)
    assert compute.calls == 2
    cache.table("three")("a", compute)  # evicts the first
    cache.table("two")("a", compute)
    assert compute.calls == 3
    cache.table("one")("a", compute)
    assert compute.calls == 4


def test_cached_scores_are_read_only() -> None:
    scores = ScoreCache().table("one")("a", Counting())
    with pytest.raises(ValueError, match="read-only"):
        scores[0] = 1.0


def test_a_pickled_cache_is_empty() -> None:
    cache = ScoreCache()
    cache.table("one")("a", Counting())
    again, compute = pickle.loads(pickle.dumps(cache)), Counting()  # noqa: S301
    again.table("one")("a", compute)
    assert compute.calls == 1


def test_cached_scores_are_a_copy_of_the_models_array() -> None:
    own = np.zeros(3)
    cached = ScoreCache().table("one")("a", lambda: own)
    own[0] = 1.0
    assert cached[0] == 0.0


def test_several_threads_may_use_the_cache() -> None:
    cache = ScoreCache()

    def look_up(place: int) -> float:
        return float(cache.table(str(place % 6))("a", lambda: np.array([float(place % 6)]))[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(look_up, range(300))) == [float(place % 6) for place in range(300)]


@pytest.fixture(scope="module")
def panel() -> Panel:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    return cross_fit({"lr": LogisticRegression()}, X, (X["a"] > 0).to_numpy(), cv=4, progress=False)


def test_panel_scores_a_table_once(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    new = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.0, 0.0, 0.0, 0.0]})
    calls = []
    plain = LogisticRegression.predict_proba

    def counted(self: LogisticRegression, X: object) -> object:
        calls.append(len(X))  # type: ignore[arg-type]
        return plain(self, X)

    monkeypatch.setattr(LogisticRegression, "predict_proba", counted)
    first, by_fold = panel.apply(new)["lr"], panel.apply_by_fold(new)["lr"]
    made = len(calls)
    assert panel.apply(new.copy())["lr"] is first
    assert panel.apply_by_fold(new)["lr"] is by_fold
    assert len(calls) == made
    # Another draw of folds is another score.
    panel.apply_by_fold(new, random_state=5)
    assert len(calls) > made


def test_rows_changed_in_place_are_scored_again(panel: Panel) -> None:
    new = pd.DataFrame({"a": [0.1, 0.2], "b": [0.0, 0.0]})
    first = panel.apply(new)["lr"]
    new.loc[0, "a"] = 9.0
    assert panel.apply(new)["lr"][0, 1] > first[0, 1]


def test_prepared_rows_are_converted_and_hashed_once(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    new = pd.DataFrame({"b": [0.0, 0.0], "a": [0.1, 0.2], "note": ["x", "y"]})
    rows = panel.prepare(new)
    expected, by_fold = panel.apply(new)["lr"], panel.apply_by_fold(new)["lr"]
    assert (rows.n_rows, rows.names, list(rows.data.columns)) == (2, ("a", "b"), ["a", "b"])

    def refuse(*_: object) -> None:
        raise AssertionError("the rows were prepared before")

    monkeypatch.setattr("shiftproof.panel._panel.as_features", refuse)
    monkeypatch.setattr("shiftproof.panel._panel.fingerprint_features", refuse)
    assert panel.apply(rows)["lr"] is expected
    assert panel.apply_by_fold(rows)["lr"] is by_fold


def test_prepared_rows_hash_the_table_as_given(panel: Panel) -> None:
    new = pd.DataFrame({"a": [0.1, 0.2], "b": [0.0, 0.0]})
    rows, more = panel.prepare(new), panel.prepare(new.assign(note=["x", "y"]))
    assert rows.fingerprint == rows.table_fingerprint == more.fingerprint == fingerprint_features(as_features(new))
    assert more.table_fingerprint == fingerprint_features(more.table) != more.fingerprint
    # The models get the table itself if its columns are theirs.
    assert rows.data is new


def test_panel_of_scores_prepares_all_columns() -> None:
    panel = Panel.from_scores([0, 1], {"p": [0.1, 0.9]})
    assert panel.prepare(pd.DataFrame({"a": [1], "b": ["x"]})).names == ("a", "b")
    assert panel.prepare(np.zeros((3, 2))).n_rows == 3


def test_rows_prepared_for_other_columns_are_refused(panel: Panel) -> None:
    other = Panel.from_scores([0, 1], {"p": [0.1, 0.9]}).prepare(np.zeros((3, 2)))
    with pytest.raises(InputError) as error:
        panel.apply(other)
    words = "X_new must be prepared with the columns 'a' and 'b', got 'x0' and 'x1'; use this panel's prepare."
    assert str(error.value) == words


def test_extra_columns_make_no_difference(panel: Panel) -> None:
    new = pd.DataFrame({"a": [0.1, 0.2], "b": [0.0, 0.0]})
    assert panel.apply(new)["lr"] is panel.apply(new.assign(note=["x", "y"]))["lr"]


def test_deployed_models_are_known(panel: Panel) -> None:
    assert not panel.deployed
    assert Panel.from_scores([0, 1], {"p": [0.1, 0.9]}).deployed
    fitted = {"lr": panel.models["lr"]}
    rng = np.random.default_rng(1)
    hold = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    assert cross_fit(fitted, hold, (hold["a"] > 0).to_numpy(), cv="prefit", progress=False).deployed


def test_scores_are_not_taken_from_a_table_whose_cells_look_alike() -> None:
    class IsText(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, _: Any, y: Any) -> IsText:
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X: Any) -> Any:
            text = np.array([isinstance(cell, str) for cell in X["z"]], dtype=float)
            return np.column_stack([1 - text, text])

    first, second = (pd.DataFrame({"z": pd.Series(cells, dtype=object)}) for cells in (["1", 2.5], [1, "2.5"]))
    panel = cross_fit({"m": IsText()}, pd.concat([first] * 4), [0, 1] * 4, cv=2)
    assert panel.apply(first)["m"][:, 1].tolist() == [1.0, 0.0]
    assert panel.apply(second)["m"][:, 1].tolist() == [0.0, 1.0]
