"""Scores are kept by what a table holds, and for the tables that were asked about last."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof.panel import Panel, cross_fit
from shiftproof.panel._kept import KeptScores


class Counting:
    """Makes scores, and counts how often."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        self.made += 1
        return np.arange(3.0)


def test_same_rows_are_scored_once() -> None:
    kept, make = KeptScores(), Counting()
    rows = np.arange(6.0).reshape(3, 2)
    first = kept.table(rows)("a", make)
    assert kept.table(rows.copy())("a", make) is first
    assert make.made == 1
    kept.table(rows)("b", make)
    assert make.made == 2


def test_rows_that_were_changed_in_place_are_others() -> None:
    kept, make = KeptScores(), Counting()
    rows = np.arange(6.0).reshape(3, 2)
    kept.table(rows)("a", make)
    rows[0, 0] = 9.0
    kept.table(rows)("a", make)
    assert make.made == 2


def test_two_tables_are_kept() -> None:
    kept, make = KeptScores(), Counting()
    tables = [np.full((3, 1), float(at)) for at in range(3)]
    for table in (tables[0], tables[1], tables[0], tables[1]):
        kept.table(table)("a", make)
    assert make.made == 2
    kept.table(tables[2])("a", make)  # forgets the first
    kept.table(tables[1])("a", make)
    assert make.made == 3
    kept.table(tables[0])("a", make)
    assert make.made == 4


def test_kept_scores_cannot_be_changed() -> None:
    scores = KeptScores().table(np.zeros((3, 1)))("a", Counting())
    with pytest.raises(ValueError, match="read-only"):
        scores[0] = 1.0


def test_nothing_kept_is_sent() -> None:
    kept = KeptScores()
    kept.table(np.zeros((3, 1)))("a", Counting())
    again, make = pickle.loads(pickle.dumps(kept)), Counting()  # noqa: S301
    again.table(np.zeros((3, 1)))("a", make)
    assert make.made == 1


def test_a_models_own_array_stays_its_own() -> None:
    own = np.zeros(3)
    kept = KeptScores().table(np.zeros((3, 1)))("a", lambda: own)
    own[0] = 1.0
    assert kept[0] == 0.0


def test_several_threads_may_ask() -> None:
    kept, tables = KeptScores(), [np.full((2, 1), float(at)) for at in range(6)]

    def ask(at: int) -> float:
        return float(kept.table(tables[at % 6])("a", lambda: tables[at % 6][:, 0])[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(300))) == [float(at % 6) for at in range(300)]


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
